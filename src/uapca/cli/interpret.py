"""A table to uncertain rows: what its columns are, found out and said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from uapca.cli.choices import Choices, Reading
from uapca.cli.errors import CommandError
from uapca.cli.labels import listed, quoted, shown
from uapca.cli.patterns import CORRELATION, WEIGHT, correlations, error_patterns
from uapca.cli.tables import Table, is_absent, is_number, split_names, unreadable
from uapca.inputs import TableError, from_frame, from_groups, from_table
from uapca.inputs.cells import CellError, parse_cell
from uapca.uncertain import UncertainArray

__all__ = ["interpreted", "read_words"]

# Columns of numbers that name the rows and are no measurement.
_IDENTIFIERS = frozenset(
    (
        *("", "id", "index", "row", "unnamed: 0", "source_id", "object_id", "sample_id"),
        *("name", "names", "label", "labels"),
    )
)
_LOOKED_AT = 1000


def interpreted(table: Table, choices: Choices) -> Reading:
    """The rows of a table, by what the options say or else by what it looks like."""
    if choices.by:
        return _groups(table, choices)
    if choices.words is not None or choices.fill is not None:
        return _cells(table, choices)
    if choices.errors is not None or error_patterns(table.names):
        return _errors(table, choices)
    if _has_uncertain_cells(table):
        return _cells(table, choices)
    return _points(table, choices)


def read_words(path: str) -> Mapping[str, Any]:
    """The meaning of words, from a TOML file; ``grades`` are those of the student grades."""
    if path == "grades":
        from uapca.datasets import GRADES

        return GRADES
    import tomllib

    if not Path(path).is_file():
        raise CommandError(f"there is no file {quoted(path)} with the meaning of words (--words).")
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CommandError(
            f"{quoted(path)} is not in TOML: {error}. Write lines such as "
            'good = "T(13, 14, 16, 18)".'
        ) from None
    words = content.get("words", content)
    if not isinstance(words, dict) or any(isinstance(law, dict | list) for law in words.values()):
        raise CommandError(
            f'{quoted(path)} must hold lines such as good = "T(13, 14, 16, 18)", at the top or '
            "under [words]."
        )
    return words


# One kind of table each


def _groups(table: Table, choices: Choices) -> Reading:
    keys = split_names(choices.by, table)
    if choices.weights in table.frame:
        raise CommandError(
            "labelled points weigh as many as they are: --weights cannot be a column. Name a file "
            "with one weight for each label, or leave it out."
        )
    if choices.weights is not None:
        _weights(table, choices)
    _refuse(choices, ("--errors", "--corr", "--names", "--words"), "labelled points (--by)")
    details = []
    if choices.features:
        chosen = _numeric_features(table, choices)
    else:
        errors = _error_columns(table.names, error_patterns(table.names))
        rest = [name for name in table.names if name not in (*keys, *errors)]
        chosen, left = _numeric(table, rest)
        details += _left_out(left, "text")
        details += _left_out(errors, "errors: points are aggregated without")
    if not chosen:
        raise CommandError(f"{table.source} has no columns of numbers besides {listed(keys)}.")
    table, dropped = _complete(table, chosen, keys, choices.drop)
    whole = table.whole if not dropped else None
    labels = {key: _labels(table.frame[key]) for key in keys}
    frame = whole if whole is not None else {n: table.frame[n] for n in chosen} | labels
    X = from_groups(
        frame,
        keys if len(keys) > 1 else keys[0],
        spread=choices.spread,  # type: ignore[arg-type]
        features=chosen,
        keep_samples=choices.keep_points,
    )
    meaning = {"std": "the spread of its points", "sem": "the standard error of its mean"}
    details.insert(
        0,
        f"one row for each {' and '.join(map(shown, keys))}, with "
        f"{meaning[choices.spread]}; weights are counts",
    )
    details += _dropped(dropped, "point")
    return Reading(X, "labelled points", details)


def _cells(table: Table, choices: Choices) -> Reading:
    _refuse(choices, ("--errors", "--corr", "--keep-points", "--spread"), "uncertain cells")
    weights, weighted = _weights(table, choices)
    words = None if choices.words is None else read_words(choices.words)
    named = None if choices.names is None else table.require(choices.names)
    chosen = split_names(choices.features, table) if choices.features else None
    fill = choices.fill
    for column in fill if isinstance(fill, dict) else ():
        table.require(column)
    used = [name for name in table.names if name not in (weighted, named)]
    dropped = 0
    if choices.drop:
        table, dropped = _complete(table, chosen or used, (), True)
        weights, _ = _weights(table, choices)
    frame = {name: _objects(table.frame[name]) for name in table.names if name != weighted}
    try:
        X = from_table(
            frame, words=words, missing=fill, names=named, features=chosen, weights=weights
        )
    except TableError as error:
        raise _bad_cells(error, named or table.names[0]) from None
    details = [f"cells: {_laws(X)}"]
    if named is None and X.names is not None:
        named = table.names[0]
    details += _roles(named, weighted)
    details += _dropped(dropped, "row")
    return Reading(X, "uncertain cells", details, weighted is not None)


def _errors(table: Table, choices: Choices) -> Reading:
    _refuse(choices, ("--keep-points", "--spread"), "values with errors")
    weights, weighted = _weights(table, choices)
    patterns = [choices.errors] if choices.errors is not None else error_patterns(table.names)
    named = _names_column(table, choices, weighted)
    roles = [name for name in (named, weighted) if name is not None]
    numeric, left = _numeric(table, [name for name in table.names if name not in roles])
    corr = choices.corr or (CORRELATION if correlations(numeric) else None)
    features = _numeric_features(table, choices) if choices.features else None
    used = (
        numeric
        if features is None
        else [*features, *(e for e in _error_columns(numeric, patterns) if e not in features)]
    )
    table, dropped = _complete(table, used, (), choices.drop, _error_columns(numeric, patterns))
    weights, _ = _weights(table, choices)
    X = from_frame(
        {name: table.frame[name] for name in numeric},
        errors=patterns,
        corr=corr,
        features=features,
        names=None if named is None else _texts(table.frame[named]),
        weights=weights,
    )
    details = [_paired(X.features or (), numeric, patterns)]
    if corr is not None:
        details.append(f"correlations: {listed(correlations(numeric)) or corr}")
    details += _roles(named, weighted)
    details += _left_out(left, "text")
    details += _dropped(dropped, "row")
    return Reading(X, "values with errors", details, weighted is not None)


def _points(table: Table, choices: Choices) -> Reading:
    _refuse(choices, ("--corr", "--keep-points", "--spread"), "certain points")
    weights, weighted = _weights(table, choices)
    named = _names_column(table, choices, weighted)
    roles = [name for name in (named, weighted) if name is not None]
    numeric, left = _numeric(table, [name for name in table.names if name not in roles])
    chosen = _numeric_features(table, choices) if choices.features else numeric
    if not chosen:
        raise CommandError(
            f"{table.source} has no columns of numbers or uncertain cells. "
            "--words FILE gives words a meaning."
        )
    table, dropped = _complete(table, chosen, (), choices.drop)
    weights, _ = _weights(table, choices)
    X = UncertainArray(
        np.stack([table.frame[name] for name in chosen], axis=1),
        weights=weights,
        names=None if named is None else _texts(table.frame[named]),
        features=chosen,
    )
    details = ["no column holds errors (such as x_err): every row is certain, this is ordinary PCA"]
    details += _roles(named, weighted)
    labels = [name for name in left if len(set(map(str, table.frame[name]))) <= len(table) // 2]
    details += _left_out(left, "text")
    details += [
        f"--by {shown(name)} would make one row of each of its values" for name in labels[:1]
    ]
    details += _dropped(dropped, "row")
    return Reading(X, "certain points", details, weighted is not None)


# What columns are


def _has_uncertain_cells(table: Table) -> bool:
    for name in table.names:
        column = table.frame[name]
        if table.is_numeric(name):
            continue
        for cell in column[:_LOOKED_AT]:
            if isinstance(cell, str) and not is_number(cell) and _parses(cell):
                return True
    return False


def _parses(cell: str) -> bool:
    try:
        parse_cell(cell)
    except CellError:
        return False
    return True


def _numeric(table: Table, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Columns of numbers, and the others; one that is mostly numbers must be all numbers."""
    chosen, left = [], []
    for name in names:
        if table.is_numeric(name):
            chosen.append(name)
            continue
        there = [cell for cell in table.frame[name] if not is_absent(cell)]
        if 2 * sum(map(is_number, there)) > len(there):
            raise _no_numbers(table, [name])
        left.append(name)
    return chosen, left


def _numeric_features(table: Table, choices: Choices) -> list[str]:
    chosen = split_names(choices.features, table)
    text = [name for name in chosen if not table.is_numeric(name)]
    if text:
        raise _no_numbers(table, text)
    return chosen


def _no_numbers(table: Table, names: Sequence[str]) -> CommandError:
    bad = [
        (str(i + 1), name, f"cannot read {quoted(cell, 40)} as a number")
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


def _complete(
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
            bad += [(i, name, "empty") for i in np.flatnonzero(empty).tolist()]
    if bad:
        bad.sort(key=lambda cell: cell[0])
        empties = all(why == "empty" for _, _, why in bad)
        raise unreadable(
            [(str(i + 1), name, why) for i, name, why in bad],
            "--missing drop leaves out rows with empty cells." if empties else "Correct the cells.",
        )
    if missing.all():
        raise CommandError(f"every row of {table.source} has an empty cell: nothing is left.")
    count = int(missing.sum())
    return (table.kept(~missing), count) if count else (table, 0)


def _names_column(table: Table, choices: Choices, weighted: str | None) -> str | None:
    """The column that names the rows: the first that can."""
    if choices.names is not None:
        return table.require(choices.names)
    for name in table.names:
        if name == weighted or name in choices.features:
            continue
        column = table.frame[name]
        identifier = name.strip().casefold() in _IDENTIFIERS
        if table.is_numeric(name) and not identifier:
            continue
        whole = not any(map(is_absent, column)) and len(set(_texts(column))) == len(table)
        # Some numbers in a column of texts: a measurement with a slip, which is to be reported.
        if whole and (identifier or not any(map(is_number, column))):
            return name
    return None


def _weights(table: Table, choices: Choices) -> tuple[Any, str | None]:
    """The weights in a column, and its name; a file of weights is read later."""
    name = choices.weights
    if name is None and WEIGHT in table.frame:
        name = WEIGHT
    if name is None or (name not in table.frame and Path(name).is_file()):
        return None, None
    table.require(name, "column or file of weights")
    if not table.is_numeric(name):
        raise _no_numbers(table, [name])
    _complete(table, [name], (), False)
    return table.frame[name], name


def _error_columns(names: Sequence[str], patterns: Sequence[str]) -> list[str]:
    known = set(names)
    found = {p.replace("{}", name) for name in names for p in patterns}
    return [name for name in names if name in found & known]


# In words


def _paired(features: Sequence[str], names: Sequence[str], patterns: Sequence[str]) -> str:
    known = set(names)
    parts = []
    for feature in features:
        error = next((e for p in patterns if (e := p.replace("{}", feature)) in known), None)
        parts.append(
            f"{shown(feature)} ± {shown(error)}" if error else f"{shown(feature)} (certain)"
        )
    return listed(parts)


def _roles(named: str | None, weighted: str | None) -> list[str]:
    roles = []
    if named is not None:
        roles.append(f"names of rows: {shown(named) or 'first column'}")
    if weighted is not None:
        roles.append(f"weights: {shown(weighted)}")
    return ["; ".join(roles)] if roles else []


def _left_out(names: Sequence[str], why: str) -> list[str]:
    return [f"left out: {listed(names)} ({why})"] if names else []


def _dropped(count: int, noun: str) -> list[str]:
    return [f"left out: {count:,} {noun}{'s' * (count > 1)} with an empty cell"] if count else []


def _laws(X: UncertainArray) -> str:
    """How many cells are what."""
    counts: dict[str, int] = {}
    for law in X.laws or ():
        for marginal in law.marginals:
            kind = type(marginal).__name__
            counts[kind] = counts.get(kind, 0) + 1
    words = {"Point": "certain", "Gaussian": "normal"}
    return ", ".join(f"{n} {words.get(kind, kind.lower())}" for kind, n in counts.items())


def _bad_cells(error: TableError, first: str) -> CommandError:
    cells = [
        (str(int(cell.row) + 1) if cell.row.isdigit() else cell.row, cell.column, cell.reason)
        for cell in error.cells
    ]
    if all(cell.reason == "empty" for cell in error.cells):
        remedy = (
            "--missing says what empty cells mean: column (its mean and spread), a law such as "
            '"U(0, 20)", or drop.'
        )
    else:
        named = not error.cells[0].row.isdigit()
        names = "" if named else f"--names {shown(first, 30)} takes a column as names, "
        remedy = f"--words FILE gives words a meaning, {names}--features chooses columns."
    return unreadable(cells, remedy)


def _refuse(choices: Choices, options: Sequence[str], what: str) -> None:
    wrong = [option for option in options if option in choices.given()]
    if wrong:
        raise CommandError(f"{wrong[0]} has no meaning for {what}. Leave it out.")


def _objects(column: Any) -> Any:
    """Cells as they are: in an array of texts a number would become text."""
    if isinstance(column, np.ndarray):
        return column
    array = np.empty(len(column), dtype=object)
    array[:] = column
    return array


def _labels(column: Any) -> Any:
    """Labels, of which an empty one is missing; whole numbers are whole."""
    if isinstance(column, np.ndarray):
        whole = np.isfinite(column).all() and (column == np.rint(column)).all()
        return column.astype(np.int64) if whole else column
    return _objects([None if is_absent(cell) else cell for cell in column])


def _texts(column: Any) -> list[str]:
    if isinstance(column, np.ndarray):
        return [str(int(v)) if float(v).is_integer() else str(v) for v in column.tolist()]
    return [str(cell).strip() for cell in column]
