"""What the columns of a table are: numbers, names, weights, errors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from uapca.cli.choices import Choices
from uapca.cli.errors import CommandError
from uapca.cli.labels import listed, quoted
from uapca.cli.tables import Table, split_names, texts, unreadable
from uapca.inputs.naming import can_name
from uapca.inputs.numbers import is_absent, is_nearly_number, is_number
from uapca.inputs.patterns import WEIGHT, measured

__all__ = [
    "check_pattern",
    "chosen_features",
    "complete_rows",
    "error_columns",
    "labels",
    "names_column",
    "numeric_columns",
    "objects",
    "weights_column",
]


def numeric_columns(table: Table, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Columns of numbers, and the others; one that is mostly numbers must be all numbers."""
    chosen, left = [], []
    for name in names:
        if table.is_numeric(name):
            chosen.append(name)
            continue
        there = [cell for cell in table.frame[name] if not is_absent(cell)]
        if 2 * sum(map(is_nearly_number, there)) > len(there):
            raise _no_numbers(table, [name])
        left.append(name)
    return chosen, left


def chosen_features(table: Table, choices: Choices) -> list[str]:
    chosen = split_names(choices.features, table)
    text = [name for name in chosen if not table.is_numeric(name)]
    if text:
        raise _no_numbers(table, text)
    return chosen


def _no_numbers(table: Table, names: Sequence[str]) -> CommandError:
    bad = [
        (table.row(i), name, f"cannot read {quoted(cell, 40)} as a number")
        for name in names
        for i, cell in enumerate(table.frame[name])
        if not is_number(cell) and not is_absent(cell)
    ]
    if not bad:
        return CommandError(
            f"the column {quoted(names[0])} is empty. Leave it out with --features."
        )
    comma = any("," in why for _, _, why in bad)
    remedy = "Write numbers with a decimal point" if comma else "Correct the cells"
    return unreadable(bad, f"{remedy}, or choose columns with --features.")


def complete_rows(
    table: Table,
    chosen: Sequence[str],
    keys: Sequence[str],
    drop: bool,
    errors: Sequence[str] = (),
) -> tuple[Table, int]:
    """The table without rows that have an empty cell, and how many those were.

    Without ``drop`` an empty cell is an error, as is one that is infinite or a negative error.
    """
    missing = np.zeros(len(table), dtype=bool)
    bad: list[tuple[int, str, str]] = []
    for name in (*chosen, *keys):
        column = table.frame[name]
        if isinstance(column, np.ndarray):
            empty = np.isnan(column)
            wrong = np.isinf(column) | ((column < 0) if name in errors else False)
            for i in np.flatnonzero(wrong)[:10].tolist():
                why = "an error cannot be negative" if np.isfinite(column[i]) else "is not finite"
                bad.append((i, name, f"{column[i]:g}: {why}"))
        else:
            empty = np.array([is_absent(cell) for cell in column], dtype=bool)
        missing |= empty
        if not drop:
            # A column of numbers does not know whether a cell was empty or said nan.
            why = "empty or nan" if isinstance(column, np.ndarray) else "empty"
            bad += [(i, name, why) for i in np.flatnonzero(empty).tolist()]
    if bad:
        bad.sort(key=lambda cell: cell[0])
        empties = all(why.startswith("empty") for _, _, why in bad)
        raise unreadable(
            [(table.row(i), name, why) for i, name, why in bad],
            "--missing drop leaves out rows with empty cells." if empties else "Correct the cells.",
        )
    if missing.all():
        raise CommandError(f"every row of {table.source} has an empty cell: nothing is left.")
    count = int(missing.sum())
    return (table.kept(~missing), count) if count else (table, 0)


def names_column(table: Table, choices: Choices, weighted: str | None) -> str | None:
    """The column that names the rows: the first that can."""
    if choices.names is not None:
        return table.require(choices.names)
    values = set(measured(table.names).values())
    for name in table.names:
        if name == weighted or name in choices.features or name in values:
            continue
        numeric = table.is_numeric(name)
        if numeric and not can_name(name, [], True):
            continue
        if can_name(name, texts(table.frame[name]), numeric):
            return name
    return None


def weights_column(table: Table, choices: Choices) -> tuple[Any, str | None]:
    """The weights in a column, and its name; a file of weights is read later."""
    name = choices.weights
    if name is None and WEIGHT in table.frame:
        name = WEIGHT
    if name is None or (name not in table.frame and Path(name).is_file()):
        return None, None
    table.require(name, "column or file of weights")
    if not table.is_numeric(name):
        raise _no_numbers(table, [name])
    complete_rows(table, [name], (), False)
    return table.frame[name], name


def check_pattern(names: Sequence[str], patterns: Sequence[str]) -> None:
    for pattern in patterns:
        if pattern.count("{}") != 1 or pattern == "{}":
            raise CommandError(
                f"--errors {quoted(pattern)} must hold {{}} once, for the name of the feature, "
                'such as "{}_err".'
            )
    if not error_columns(names, patterns):
        raise CommandError(
            f"no column is named like {quoted(patterns[0])} (--errors) after another. There are "
            f"{listed(names, 12)}."
        )


def error_columns(names: Sequence[str], patterns: Sequence[str]) -> list[str]:
    found = {p.replace("{}", name) for name in names for p in patterns}
    return [name for name in names if name in found]


def objects(column: Any) -> Any:
    """Cells as they are: in an array of texts a number would become text."""
    if isinstance(column, np.ndarray):
        return column
    array = np.empty(len(column), dtype=object)
    array[:] = column
    return array


def labels(column: Any) -> Any:
    """Labels, of which an empty one is missing; whole numbers are whole."""
    if isinstance(column, np.ndarray):
        whole = np.isfinite(column).all() and (column == np.rint(column)).all()
        return column.astype(np.int64) if whole else column
    return objects([None if is_absent(cell) else cell for cell in column])
