"""A table to uncertain rows: what its columns are, found out and said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from uapca.cli.choices import Choices, Reading
from uapca.cli.errors import CommandError
from uapca.cli.labels import counted, listed, quoted, shown
from uapca.cli.roles import (
    check_pattern,
    chosen_features,
    complete_rows,
    error_columns,
    labels,
    names_column,
    numeric_columns,
    objects,
    weights_column,
)
from uapca.cli.tables import Table, split_names, texts, unreadable
from uapca.cli.words import words_of
from uapca.inputs import TableError, from_frame, from_groups
from uapca.inputs.cells import CellError, parse_cell
from uapca.inputs.numbers import is_number
from uapca.inputs.patterns import (
    CORRELATION,
    correlations,
    error_patterns,
    likely_pattern,
    measured,
)
from uapca.inputs.table import read_cells
from uapca.uncertain import UncertainArray

__all__ = ["interpreted"]

_LOOKED_AT = 1000


def interpreted(table: Table, choices: Choices) -> Reading:
    """The rows of a table, by what the options say or else by what it looks like."""
    if choices.by:
        return _groups(table, choices)
    if choices.words is not None or choices.fill is not None:
        _refuse_errors(table, choices)
        return _cells(table, choices)
    if choices.errors is not None or error_patterns(table.names):
        return _errors(table, choices)
    if _has_uncertain_cells(table):
        return _cells(table, choices)
    return _points(table, choices)


# One kind of table each


def _groups(table: Table, choices: Choices) -> Reading:
    keys = split_names(choices.by, table)
    if choices.weights in table.frame:
        raise CommandError(
            "labelled points weigh as many as they are: --weights cannot be a column. Name a file "
            "with one weight for each label, or leave it out."
        )
    if choices.weights is not None:
        weights_column(table, choices)
    _refuse(choices, ("--errors", "--corr", "--names", "--words"), "labelled points (--by)")
    details = []
    if choices.features:
        chosen = chosen_features(table, choices)
    else:
        errors = error_columns(table.names, error_patterns(table.names))
        rest = [name for name in table.names if name not in (*keys, *errors)]
        chosen, left = numeric_columns(table, rest)
        details += _left_out(left, "text")
        details += _left_out(errors, "errors: points are aggregated without")
    if not chosen:
        raise CommandError(f"{table.source} has no columns of numbers besides {listed(keys)}.")
    table, dropped = complete_rows(table, chosen, keys, choices.drop)
    whole = table.whole if not dropped else None
    named = {key: labels(table.frame[key]) for key in keys}
    frame = whole if whole is not None else {n: table.frame[n] for n in chosen} | named
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
    weights, weighted = weights_column(table, choices)
    words = None if choices.words is None else words_of(choices.words)
    named = None if choices.names is None else table.require(choices.names)
    chosen = split_names(choices.features, table) if choices.features else None
    fill = choices.fill
    for column in fill if isinstance(fill, dict) else ():
        table.require(column)
    used = [name for name in table.names if name not in (weighted, named)]
    dropped = 0
    if choices.drop:
        table, dropped = complete_rows(table, chosen or used, (), True)
        weights, _ = weights_column(table, choices)
    frame = {name: objects(table.frame[name]) for name in table.names if name != weighted}
    try:
        X, filled, left = read_cells(frame, words, fill, named, chosen, weights)
    except TableError as error:
        raise _bad_cells(error, named or table.names[0]) from None
    details = [f"cells: {_laws(X)}"]
    if named is None and X.names is not None:
        named = table.names[0]
    details += _roles(named, weighted)
    details += [f"{counted(filled, 'empty cell')} filled"] if filled else []
    details += _dropped(dropped + left, "row")
    return Reading(X, "uncertain cells", details, weighted is not None)


def _errors(table: Table, choices: Choices) -> Reading:
    _refuse(choices, ("--keep-points", "--spread"), "values with errors")
    weights, weighted = weights_column(table, choices)
    patterns = [choices.errors] if choices.errors is not None else error_patterns(table.names)
    named = names_column(table, choices, weighted)
    table = replace(table, named=named)
    roles = [name for name in (named, weighted) if name is not None]
    numeric, left = numeric_columns(table, [name for name in table.names if name not in roles])
    features = chosen_features(table, choices) if choices.features else None
    paired = correlations(numeric, features)
    corr = choices.corr or (CORRELATION if paired else None)
    check_pattern(numeric, patterns)
    used = (
        numeric
        if features is None
        else [*features, *(e for e in error_columns(numeric, patterns) if e not in features)]
    )
    table, dropped = complete_rows(table, used, (), choices.drop, error_columns(numeric, patterns))
    weights, _ = weights_column(table, choices)
    X = from_frame(
        {name: table.frame[name] for name in numeric},
        errors=patterns,
        corr=corr,
        features=features,
        names=None if named is None else texts(table.frame[named]),
        weights=weights,
    )
    details = [_paired(X.features or (), numeric, patterns)]
    if corr is not None:
        details.append(f"correlations: {listed(paired) or corr}")
    details += _roles(named, weighted)
    details += _left_out(left, "text")
    details += _dropped(dropped, "row")
    return Reading(X, "values with errors", details, weighted is not None)


def _points(table: Table, choices: Choices) -> Reading:
    _refuse(choices, ("--corr", "--keep-points", "--spread"), "certain points")
    weights, weighted = weights_column(table, choices)
    named = names_column(table, choices, weighted)
    table = replace(table, named=named)
    roles = [name for name in (named, weighted) if name is not None]
    numeric, left = numeric_columns(table, [name for name in table.names if name not in roles])
    chosen = chosen_features(table, choices) if choices.features else numeric
    if not chosen:
        raise CommandError(
            f"{table.source} has no columns of numbers or uncertain cells. "
            "--words FILE gives words a meaning."
        )
    table, dropped = complete_rows(table, chosen, (), choices.drop)
    weights, _ = weights_column(table, choices)
    X = UncertainArray(
        np.stack([table.frame[name] for name in chosen], axis=1),
        weights=weights,
        names=None if named is None else texts(table.frame[named]),
        features=chosen,
    )
    details = ["no column holds errors (such as x_err): every row is certain, this is ordinary PCA"]
    likely = likely_pattern(chosen)
    if likely is not None:
        pattern, error, value = map(shown, likely)
        details.append(f'if {error} holds the errors of {value}, say --errors "{pattern}"')
    details += _roles(named, weighted)
    repeated = [name for name in left if len(set(map(str, table.frame[name]))) <= len(table) // 2]
    details += _left_out(left, "text")
    details += [
        f"--by {shown(name)} would make one row of each of its values" for name in repeated[:1]
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


def _refuse_errors(table: Table, choices: Choices) -> None:
    """What fills uncertain cells would make features of columns that hold errors."""
    given = set(split_names(choices.features, table)) if choices.features else set(table.names)
    for error, value in measured(table.names).items():
        if value in given and table.is_numeric(error):
            option = "--words" if choices.words is not None else f"--missing {choices.missing[0]}"
            remedy = (
                "Leave it out"
                if choices.words is not None
                else "--missing drop leaves out rows with empty cells"
            )
            raise CommandError(
                f"{option} is for uncertain cells such as 14±5.7, and {quoted(error)} holds the "
                f"errors of {quoted(value)}. {remedy}, or choose other columns with --features."
            )


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
    return [f"left out: {counted(count, noun)} with an empty cell"] if count else []


def _laws(X: UncertainArray) -> str:
    """How many cells are what."""
    counts: dict[str, int] = {}
    for law in X.laws or ():
        for marginal in law.marginals:
            counts[marginal.kind] = counts.get(marginal.kind, 0) + 1
    words = {"point": "certain"}
    return ", ".join(f"{n} {words.get(kind, kind)}" for kind, n in counts.items())


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
