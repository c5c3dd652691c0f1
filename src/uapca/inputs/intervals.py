"""Values known to lie between two bounds."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats, as_floats, check_finite, out_of_range
from uapca.inputs.files import open_table
from uapca.inputs.frame import Reading, is_table, with_units
from uapca.laws import Uniform
from uapca.laws.asymmetric import RowLaws
from uapca.uncertain import UncertainArray
from uapca.uncertain.units import without_units

__all__ = ["from_intervals"]


def from_intervals(
    low: Any,
    high: Any,
    *,
    names: Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    weights: npt.ArrayLike | None = None,
) -> UncertainArray:
    """Intervals: every value uniform between a lower and an upper bound.

    Parameters
    ----------
    low, high : array-like of shape (N, D), data frames, or paths
        The bounds. Where they are equal the value is certain. From tables the columns of ``low``
        are the features; ``high`` must have the same ones in the same units, in any order. Rows of
        two tables are matched by their names, or by the indices of pandas frames, which must hold
        the same labels; labels in one and the plain count 0, 1, 2, … in the other are matched by
        position.
    names, features : sequence of str, optional
    weights : array-like of shape (N,), optional

    Returns
    -------
    UncertainArray
        Independent errors of (high − low) / √12, with the uniform laws kept.

    See Also
    --------
    uapca.from_distributions : A table of distributions.
    uapca.laws.Uniform : Between two bounds.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.from_intervals([[10.0, 4.0]], [[12.0, 4.0]])
    >>> X.mean, X.std.round(4)
    (array([[11.,  4.]]), array([[0.5774, 0.    ]]))
    >>> X.laws[0]
    Independent([Uniform(low=10.0, high=12.0), Uniform(low=4.0, high=4.0)])
    """
    lower, columns, labels, own = _bound(low, "low")
    upper, others, other_labels, _ = _bound(high, "high", columns)
    if columns is not None and others is not None:
        upper = upper[_row_order(labels, other_labels)]
    names = own if names is None else names
    if lower.shape != upper.shape:
        raise ValueError(f"high must have the shape {lower.shape} of low; got shape {upper.shape}")
    if (lower > upper).any():
        row, feature = (int(i) for i in np.argwhere(lower > upper)[0])
        raise ValueError(
            f"low must not exceed high; got {lower[row, feature]:g} and {upper[row, feature]:g} at "
            f"row {row}, feature {feature if columns is None else repr(columns[feature])}"
        )
    with np.errstate(all="ignore"):
        width = upper - lower
        if not np.isfinite(width**2).all():
            raise ValueError(out_of_range("bounds"))
    return UncertainArray(
        lower + width / 2,
        std=width / np.sqrt(12),
        weights=weights,
        names=names,
        features=columns if features is None else features,
        laws=RowLaws(Uniform, lower, upper),
        check=False,
    )


def _row_order(names: list[Any] | None, others: list[Any] | None) -> Any:
    """Where the rows of ``high`` are that have the labels of the rows of ``low``."""
    if names is None or others is None or others == names:
        return slice(None)
    plain = [labels == list(range(len(labels))) for labels in (names, others)]
    texts = [all(isinstance(label, str) for label in labels) for labels in (names, others)]
    if (plain[0] and texts[1]) or (texts[0] and plain[1]):
        return slice(None)
    place = {name: i for i, name in enumerate(others)}
    if len(place) == len(others) == len(names) == len(set(names)) and place.keys() == set(names):
        return [place[name] for name in names]
    lost = [name for name in names if name not in place]
    found = lost or [name for name in others if name not in set(names)]
    why = "the labels in their indices are not distinct and differ in order"
    if found:
        why = f"{found[0]!r} is in {'low' if lost else 'high'} only"
    raise ValueError(
        f"high must have the rows of low; {why}; reset_index(drop=True) goes by position"
    )


def _bound(
    source: Any, parameter: str, wanted: list[str] | None = None
) -> tuple[Floats, list[str] | None, list[Any] | None, Sequence[Any] | None]:
    """Bounds; of a table the columns, labels by which rows are matched, and names of rows."""
    columns = labels = names = None
    if is_table(source) or isinstance(source, str | PathLike):
        reading = Reading(open_table(source, parameter=parameter), None, None, None, None)
        own = [name for name in reading.table.names if name not in reading.taken]
        columns = with_units(own, reading.table.units)
        if wanted is not None and set(columns) == set(wanted):
            own, columns = [own[columns.index(name)] for name in wanted], list(wanted)
        array, names = reading.numbers(own), reading.names
        index: Any = getattr(source, "index", None)
        by_index = reading.named is None and hasattr(index, "get_indexer")
        labels = list(index) if by_index else None if names is None else list(names)
    else:
        source, *_, columns = without_units(source, None, None, None, None)
        array = as_floats(source, parameter)
    if None not in (wanted, columns) and columns != wanted:
        raise ValueError(
            f"high must have the columns of low; low has {wanted} and high has {columns}"
        )
    if array.ndim != 2:
        raise ValueError(
            f"{parameter} must have two dimensions, (rows, features); got shape {array.shape}"
        )
    check_finite(array, parameter, ("row", "feature"))
    return array, columns, labels, names
