"""Values known to lie between two bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats, as_floats, check_finite, out_of_range
from uapca.inputs.frame import RowLaws, is_table, table_of
from uapca.laws import Uniform
from uapca.uncertain import UncertainArray

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
    low, high : array-like of shape (N, D), or data frames
        The bounds. Where they are equal the value is certain. From frames the columns of ``low``
        are the features; ``high`` must have the same ones, in any order. Rows of two pandas
        frames are matched by their indices, which must hold the same labels; names in one and
        the plain count 0, 1, 2, … in the other are matched by position.
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
    columns: list[str] | None = None
    order: list[int] | None = None
    if is_table(low):
        table = table_of(low, "low")
        columns = list(table.names)
        order = _row_order(_labels(low), _labels(high))
        names = table.row_names() if names is None else names
    lower, upper = _bound(low, "low", columns), _bound(high, "high", columns)
    if order is not None:
        upper = upper[order]
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


def _labels(frame: Any) -> list[Any] | None:
    """The labels of the rows of a pandas frame."""
    index: Any = getattr(frame, "index", None)
    return list(index) if is_table(frame) and hasattr(index, "get_indexer") else None


def _row_order(names: list[Any] | None, others: list[Any] | None) -> list[int] | None:
    """Where the rows of ``high`` are that have the labels of the rows of ``low``."""
    if names is None or others is None or others == names:
        return None
    plain = [labels == list(range(len(labels))) for labels in (names, others)]
    texts = [all(isinstance(label, str) for label in labels) for labels in (names, others)]
    if (plain[0] and texts[1]) or (texts[0] and plain[1]):
        return None
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


def _bound(values: Any, parameter: str, columns: Sequence[str] | None) -> Floats:
    if columns is not None and is_table(values):
        table = table_of(values, parameter)
        if set(table.names) != set(columns):
            raise ValueError(
                f"high must have the columns of low; low has {list(columns)} and high has "
                f"{list(table.names)}"
            )
        table.resolve(columns, chosen=True)
        text = [name for name in columns if not table.is_number(name) or name in table.bad]
        if text:
            raise ValueError(
                f"{parameter} must hold numbers; column {text[0]!r} holds something else"
            )
        array = table.block(columns)
    else:
        array = as_floats(values, parameter)
    if array.ndim != 2:
        raise ValueError(
            f"{parameter} must have two dimensions, (rows, features); got shape {array.shape}"
        )
    check_finite(array, parameter, ("row", "feature"))
    return array
