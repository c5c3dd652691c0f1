"""Rows and features by position, mask, slice or name."""

from __future__ import annotations

from typing import Any

import numpy as np

from uapca._names import nearest
from uapca._validation import complaint, shape_of
from uapca.uncertain.covariance import Rows

__all__ = ["positions", "taken"]


def positions(
    index: Any,
    count: int,
    labels: tuple[str, ...] | None,
    axis: str,
    features: tuple[str, ...] | None = None,
) -> Rows:
    """An index of any kind as a slice or as positions, at least one of ``count``.

    A row that is not there may be one of the ``features``, which the message then says.
    """
    if index is Ellipsis:
        return slice(None)
    if isinstance(index, slice):
        if not len(range(*index.indices(count))):
            raise _nothing(axis, f"{index} is empty here")
        return index
    if isinstance(index, str):
        index = [index]
    array = np.asarray(index)
    if array.ndim == 0:
        array = array[None]
    if array.dtype.kind == "O" and array.size and all(isinstance(a, str) for a in array.flat):
        array = array.astype(str)
    if array.dtype.kind in "UT":
        known = {} if labels is None else {label: i for i, label in enumerate(labels)}
        missing = [str(label) for label in array if str(label) not in known]
        if missing:
            listed = "no names" if labels is None else ", ".join(map(repr, labels[:8]))
            raise KeyError(
                complaint(
                    f"{axis} name",
                    f"be one of the {axis}s' names",
                    f"got {missing[0]!r}, and there are {listed}{', …' * (len(known) > 8)}",
                    _meant(missing[0], axis, labels or (), features or ()),
                )
            )
        return np.array([known[str(label)] for label in array], dtype=np.intp)
    if array.dtype.kind == "b" and array.shape == (count,):
        if not array.any():
            raise _nothing(axis, "the mask is all False")
        return np.flatnonzero(array)
    if array.dtype.kind in "iu" and array.ndim == 1 and array.size:
        positions = array.astype(np.intp)
        outside = (positions < -count) | (positions >= count)
        if outside.any():
            raise IndexError(
                complaint(
                    "index",
                    f"be below the number of {axis}s, {count}",
                    f"got {positions[outside][0]}",
                    f"{axis.capitalize()}s count from 0",
                )
            )
        return np.where(positions < 0, positions + count, positions)
    raise IndexError(
        complaint(
            "index",
            f"select {axis}s by position, mask of length {count}, slice or name",
            f"got {type(index).__name__} with shape {shape_of(array)} and dtype {array.dtype}",
            f"At least one {axis} must remain",
        )
    )


def _meant(name: str, axis: str, labels: tuple[str, ...], features: tuple[str, ...]) -> str:
    if name in features:
        return f"{name!r} is a feature, which X[:, {name!r}] selects"
    close = nearest(name, labels)
    if close:
        return f"Perhaps {close!r} was meant"
    return f"Select {axis}s by position or give them names"


def taken(labels: tuple[str, ...] | None, rows: Rows) -> tuple[str, ...] | None:
    """The labels of a selection; None where one would occur twice."""
    if labels is None:
        return None
    if isinstance(rows, slice):
        return labels[rows]
    chosen = tuple(labels[i] for i in rows)
    return chosen if len(set(chosen)) == len(chosen) else None


def _nothing(axis: str, received: str) -> IndexError:
    return IndexError(
        complaint("index", f"select at least one {axis}", received, "Widen the selection")
    )
