"""Values and their errors in the columns of a data frame."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np

from uapca._validation import Floats, complaint
from uapca.exceptions import ErrorColumnWarning
from uapca.inputs.columns import Columns, columns_of, listed
from uapca.inputs.correlations import correlation_pattern, covariances
from uapca.inputs.naming import naming_column
from uapca.inputs.numbers import is_absent, is_number
from uapca.inputs.parts import (
    check_errors,
    check_numeric,
    check_values,
    chosen_columns,
    require_columns,
    row_called,
    row_labels,
    weights_column,
)
from uapca.inputs.paths import read_frame
from uapca.inputs.patterns import CORRELATION, likely_pattern, lookalikes
from uapca.uncertain import UncertainArray

__all__ = ["ErrorColumnWarning", "from_frame"]

_DEFAULT = "{}_err"
_KNOWN = (_DEFAULT, "{}_std", "{}_error", "{}_sigma")


def from_frame(
    df: Any,
    errors: str | Sequence[str] = _DEFAULT,
    corr: str | None = None,
    *,
    features: Sequence[str] | None = None,
    names: str | Sequence[str] | Literal[False] | None = None,
    weights: Any = None,
) -> UncertainArray:
    """Values with error bars: columns such as ``x`` and ``x_err``.

    Parameters
    ----------
    df : data frame or path
        A file (CSV, TSV, Excel, Parquet or Feather) or pandas, polars, pyarrow (table or record
        batch), an astropy table, a mapping of names to columns, a structured array, or any frame
        with the Arrow stream (``__arrow_c_stream__``) or the interchange interface
        (``__dataframe__``).
    errors : str or sequence of str, default="{}_err"
        How the column with the standard deviation is named after its feature. The default also
        finds ``"{}_std"``, ``"{}_error"`` and ``"{}_sigma"``; any other pattern is taken alone.
        A feature without such a column is certain.
    corr : str, optional
        How a column with the correlation of two errors is named, in either order:
        ``"{}_{}_corr"`` is the convention of the Gaia catalogue. Pairs without a column are
        uncorrelated.
    features : sequence of str, optional
        The columns to use, in this order. By default every column that is not an error, a
        correlation, the names or the weights; all of them must then hold numbers.
    names : str, sequence of str or False, optional
        The column that names the rows, or the names. By default a pandas index of distinct
        texts, or else the first column of distinct texts, or of numbers if it is called ``id``,
        ``name`` or the like; False leaves the rows without names.
    weights : str or array-like of shape (N,), optional
        The column of weights, or the weights.

    Returns
    -------
    UncertainArray
        With independent errors, or one covariance matrix for each row where ``corr`` is given.

    Notes
    -----
    In an astropy table an error is converted to the unit of its feature.

    Examples
    --------
    >>> import uapca
    >>> frame = {
    ...     "star": ["a", "b"],
    ...     "ra": [10.0, 11.0], "ra_error": [0.1, 0.2],
    ...     "dec": [-5.0, -4.0], "dec_error": [0.3, 0.1],
    ...     "ra_dec_corr": [0.5, -0.2],
    ... }
    >>> X = uapca.from_frame(frame, corr="{}_{}_corr", names="star")
    >>> X.features, X.names
    (('ra', 'dec'), ('a', 'b'))
    >>> X.cov.dense()[0]
    array([[0.01 , 0.015],
           [0.015, 0.09 ]])
    """
    columns = columns_of(read_frame(df) if isinstance(df, str | PathLike) else df)
    patterns = _patterns(errors)
    labels, named = row_labels(columns, names)
    weight, weighted = weights_column(columns, weights)
    if names is None and labels is None:
        known = set(columns.names)
        values = [name for name in known if any(p.replace("{}", name) in known for p in patterns)]
        named = naming_column(columns, {*values, *map(str, features or ()), str(weighted)})
        labels, named = row_labels(columns, named)
    taken = {column for column in (named, weighted) if column is not None}
    rest = [name for name in columns.names if name not in taken]
    if features is None:
        chosen = _features(rest, patterns, corr)
    else:
        chosen = chosen_columns(features)
        require_columns(columns, chosen, "features")
    _check_text(columns, chosen, labels, features is not None)
    found = _error_columns(chosen, columns.names, patterns)
    if not any(found) or not chosen:
        pattern = (likely_pattern(chosen) or ("{}_uncertainty",))[0]
        raise ValueError(
            complaint(
                "errors",
                "match at least one column",
                f"no column is named like {listed([p.replace('{}', 'x') for p in patterns])} "
                f"for a feature x",
                f"The columns are {listed(columns.names)}; pass the pattern, such as "
                f"errors={pattern!r}, or use UncertainArray(df) for certain values",
            )
        )
    if features is None:
        _warn_of_lookalikes(chosen, found, patterns)
    mean = columns.block(chosen)
    check_values(mean, chosen, labels)
    std = _errors(columns, chosen, found, mean, labels)
    cov = None if corr is None else covariances(columns, chosen, corr, std, labels)
    return UncertainArray(
        mean,
        cov,
        std=std if cov is None else None,
        weights=weight,
        names=labels,
        features=chosen,
        check=False,
    )


def _patterns(errors: str | Sequence[str]) -> tuple[str, ...]:
    given: tuple[Any, ...] = (errors,)
    if not isinstance(errors, str) and isinstance(errors, Iterable):
        given = tuple(errors)
    for pattern in given or (errors,):
        if not isinstance(pattern, str) or pattern.count("{}") != 1 or pattern == "{}":
            raise ValueError(
                complaint(
                    "errors",
                    "be a pattern that holds {} once, such as '{}_err'",
                    f"got {pattern!r}",
                    "{} stands for the name of the feature",
                )
            )
    return _KNOWN if given == (_DEFAULT,) else given


def _stem(column: str, pattern: str) -> str | None:
    """The feature a column belongs to if it is named by the pattern."""
    head, tail = pattern.split("{}")
    return _between(column, head, tail)


def _between(column: str, head: str, tail: str) -> str | None:
    if column.startswith(head) and column.endswith(tail) and len(column) > len(head) + len(tail):
        return column[len(head) : len(column) - len(tail)]
    return None


def _features(rest: Sequence[str], patterns: Sequence[str], corr: str | None) -> list[str]:
    """The columns that are neither errors nor correlations."""
    known = set(rest)
    stems = {name: [s for p in patterns if (s := _stem(name, p)) is not None] for name in rest}
    orphans = [name for name in rest if stems[name] and not known.intersection(stems[name])]
    if orphans:
        raise ValueError(
            complaint(
                "errors",
                "belong to a column of values",
                f"{listed(orphans)} {'has' if len(orphans) == 1 else 'have'} none "
                f"(expected {listed([stems[name][0] for name in orphans])})",
                "Rename the columns, or list the columns to use as features=[...]",
            )
        )
    values = [name for name in rest if not stems[name]]
    pattern = correlation_pattern(corr)
    pairs = _pair_columns(values, known, pattern)
    if pairs and corr is None:
        raise ValueError(
            complaint(
                "corr",
                "say whether correlations are to be read",
                f"{listed(sorted(pairs))} {'looks like one' if len(pairs) == 1 else 'look so'}",
                f"Pass corr={CORRELATION!r}, or list the columns to use as features=[...]",
            )
        )
    _check_orphans([name for name in values if name not in pairs], rest, stems, pattern)
    return [name for name in values if name not in pairs]


def _check_orphans(
    values: Sequence[str], rest: Sequence[str], stems: dict[str, list[str]], pattern: str
) -> None:
    """Raise if a column is named like a correlation of features that are not there."""
    head, middle, tail = pattern.split("{}")
    if not head and not tail:
        return
    measured = {stem for name in rest for stem in stems[name]}
    orphans = []
    for column in values:
        inner = _between(column, head, tail)
        # A column with an error of its own is a value, whatever its name.
        if inner is None or column in measured:
            continue
        splits = [
            (inner[:k], inner[k + len(middle) :])
            for k in range(1, len(inner) - len(middle))
            if inner.startswith(middle, k)
        ]
        if splits and (middle or any(a in values or b in values for a, b in splits)):
            orphans.append(column)
    if orphans:
        raise ValueError(
            complaint(
                "corr",
                "belong to two columns of values",
                f"{listed(orphans)} {'lacks' if len(orphans) == 1 else 'lack'} at least one "
                "of them",
                "Rename or drop the columns, or list the columns to use as features=[...]",
            )
        )


def _pair_columns(values: Sequence[str], known: set[str], pattern: str) -> set[str]:
    """Columns that are correlations of two others: found from the columns, not from all pairs."""
    head, middle, tail = pattern.split("{}")
    found = set()
    for column in known:
        if not (column.startswith(head) and column.endswith(tail)):
            continue
        inner = column[len(head) : len(column) - len(tail)]
        for first in values:
            if inner.startswith(first + middle) and inner[len(first + middle) :] in known:
                found.add(column)
    return found


def _check_text(
    columns: Columns, chosen: Sequence[str], labels: Sequence[str] | None, asked: bool
) -> None:
    """Raise unless the columns hold numbers: a slip is shown, another column is named."""
    text = [name for name in chosen if not columns.is_numeric(name)]
    if not text:
        return
    cells = columns.values(text[0]).tolist()
    there = [i for i, c in enumerate(cells) if isinstance(c, str) and not is_absent(c)]
    bad = [i for i in there if not is_number(cells[i])]
    rule = "hold numbers in every column that is used"
    if there and not bad:
        received = f"{text[0]!r} holds numbers as text"
        remedy = "Convert the column to floats first, or pass the path of the file"
    elif bad and (asked or 2 * len(bad) < len(there)):
        shown = cells[bad[0]] if len(cells[bad[0]]) <= 40 else cells[bad[0]][:37] + "..."
        more = f" ({len(bad)} such cells)" if len(bad) > 1 else ""
        received = (
            f"{row_called(bad[0], labels)}, column {text[0]!r}: cannot read {shown!r} as a number"
            f"{more}"
        )
        remedy = "Correct the cells, or list other columns as features=[...]"
    else:
        received = f"{listed(text)} {'holds' if len(text) == 1 else 'hold'} something else"
        remedy = (
            f"Pass names={text[0]!r} if this column names the rows, or list the columns to "
            "use as features=[...]"
        )
    raise TypeError(complaint("df", rule, received, remedy))


def _warn_of_lookalikes(
    chosen: Sequence[str], found: Sequence[str | None], patterns: Sequence[str]
) -> None:
    """Warn of a feature that is probably the misspelt error of another."""
    certain = [name for name, error in zip(chosen, found, strict=True) if error is None]
    for column, value in lookalikes(certain, certain).items():
        wanted = patterns[0].replace("{}", value)
        warnings.warn(
            f"{column!r} looks like the errors of {value!r} but is taken for a feature: "
            f"{value!r} has no errors. Rename it {wanted!r}, or list the columns to use as "
            "features=[...] if it is one.",
            ErrorColumnWarning,
            stacklevel=3,
        )


def _error_columns(
    chosen: Sequence[str], known: Sequence[str], patterns: Sequence[str]
) -> list[str | None]:
    """The error column of each feature, or None for a certain one."""
    present, found = set(known), []
    for name in chosen:
        matches = [column for p in patterns if (column := p.replace("{}", name)) in present]
        if len(matches) > 1:
            raise ValueError(
                complaint(
                    "errors",
                    "match one column for each feature",
                    f"{name!r} has {listed(matches)}",
                    "Pass one pattern, such as errors='{}_std'",
                )
            )
        found.append(matches[0] if matches else None)
    return found


def _errors(
    columns: Columns,
    chosen: Sequence[str],
    found: Sequence[str | None],
    mean: Floats,
    labels: Sequence[str] | None,
) -> Floats:
    pairs = [(e, name) for e, name in zip(found, chosen, strict=True) if e is not None]
    present = [e for e, _ in pairs]
    check_numeric(columns, present, "errors")
    std = columns.errors_block(present, [name for _, name in pairs])
    check_errors(std, present, labels)
    if len(pairs) == len(chosen):
        return std
    full = np.zeros(mean.shape, dtype=std.dtype)
    full[:, [e is not None for e in found]] = std
    return full
