"""Labels as small integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from uapca._validation import complaint, shape_of

__all__ = ["Factor", "combined", "factorise"]


class Factor(NamedTuple):
    """Labels as codes.

    Attributes
    ----------
    codes : ndarray of int, shape (n,)
        Position of each point's label in ``labels``; -1 where the label is missing.
    labels : tuple of str
        The labels that occur, in rising order.
    """

    codes: npt.NDArray[np.int64]
    labels: tuple[str, ...]


def factorise(labels: Any, parameter: str = "by") -> Factor:
    """Codes and sorted labels; None, NaN, NaT and pandas.NA are missing.

    Examples
    --------
    >>> factorise(["b", "a", None, "b"])
    Factor(codes=array([ 1,  0, -1,  1]), labels=('a', 'b'))
    """
    array = labels if isinstance(labels, np.ndarray) else _as_array(labels)
    if array.ndim != 1:
        raise ValueError(
            complaint(
                parameter,
                "be one label for each point",
                f"got an array of shape {shape_of(array)}",
                "Pass a vector",
            )
        )
    if array.dtype.kind in "iu":
        return _from_integers(array)
    if array.dtype.kind in "bfmM":
        values, codes = np.unique(array, return_inverse=True)
        present = values == values
        return Factor(
            np.where(present[codes], codes, -1).astype(np.int64),
            tuple(map(str, values[present].tolist())),
        )
    return _from_objects(array.tolist(), parameter)


def combined(factors: Sequence[Factor]) -> Factor:
    """Several labels of each point as one; it is missing where any of them is.

    Examples
    --------
    >>> combined([factorise(["a", "a", "b"]), factorise([1, 2, 1])])
    Factor(codes=array([0, 1, 2]), labels=('a, 1', 'a, 2', 'b, 1'))
    """
    if len(factors) == 1:
        return factors[0]
    codes, names = factors[0]
    for more, labels in factors[1:]:
        missing = (codes < 0) | (more < 0)
        pairs = np.where(missing, -1, codes * len(labels) + more)
        kept, where = np.unique(pairs, return_inverse=True)
        lost = int(len(kept) > 0 and kept[0] < 0)
        codes = where.astype(np.int64) - lost
        names = tuple(
            f"{names[pair // len(labels)]}, {labels[pair % len(labels)]}"
            for pair in kept[lost:].tolist()
        )
    return Factor(codes, names)


def _as_array(labels: Any) -> npt.NDArray[Any]:
    if hasattr(labels, "__array__"):
        return np.asarray(labels)
    # numpy.asarray would turn [1, "a"] and [None, "a"] into text; the labels are kept as given.
    array = np.empty(len(labels), dtype=object)
    array[:] = list(labels)
    return array


def _from_integers(array: npt.NDArray[np.integer]) -> Factor:
    if not len(array):
        return Factor(array.astype(np.int64), ())
    low, high = int(array.min()), int(array.max())
    if high - low < max(65536, len(array)):
        # A range this short is counted instead of sorted.
        offset = array.astype(np.int64) - low if low else array.astype(np.int64)
        present = np.bincount(offset) > 0
        values = np.flatnonzero(present) + low
        codes = offset if present.all() else (np.cumsum(present) - 1)[offset]
        return Factor(codes, tuple(map(str, values.tolist())))
    values, codes = np.unique(array, return_inverse=True)
    return Factor(codes.astype(np.int64), tuple(map(str, values.tolist())))


def _from_objects(items: list[Any], parameter: str) -> Factor:
    try:
        distinct = set(items)
    except TypeError:
        bad = next(item for item in items if getattr(type(item), "__hash__", None) is None)
        raise TypeError(
            complaint(
                parameter,
                "hold labels that can be told apart, such as text or numbers",
                f"got the {type(bad).__name__} {bad!r}",
                "Pass one label for each point",
            )
        ) from None
    known = [label for label in distinct if not is_missing(label)]
    try:
        known.sort()
    except TypeError:
        known.sort(key=lambda label: (type(label).__name__, str(label)))
    table = dict.fromkeys(distinct, -1)
    table.update((label, code) for code, label in enumerate(known))
    codes = np.fromiter(map(table.__getitem__, items), dtype=np.int64, count=len(items))
    return Factor(codes, tuple(map(str, known)))


def is_missing(value: Any) -> bool:
    """Whether a value stands for one that is not there."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        # pandas.NA answers every comparison with itself, which is neither true nor false.
        return type(value).__name__ == "NAType"
