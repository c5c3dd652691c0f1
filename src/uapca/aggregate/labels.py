"""Labels as small integers."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from uapca._validation import complaint, shape_of

__all__ = [
    "Distinct",
    "Factor",
    "combined",
    "compressed",
    "distinct",
    "factorise",
    "is_missing",
    "label_text",
    "paired",
    "texts",
]


class Factor(NamedTuple):
    """Labels as codes.

    Attributes
    ----------
    codes : ndarray of int, shape (n,)
        Position of each point's label in ``labels``; -1 where the label is missing.
    labels : tuple of str
        The labels that occur, in rising order; those of a categorical in the order of its
        categories.
    """

    codes: npt.NDArray[np.int64]
    labels: tuple[str, ...]


class Distinct(NamedTuple):
    """Labels as codes, and the labels themselves rather than their texts.

    Attributes
    ----------
    codes : ndarray of int, shape (n,)
        Position of each point's label in ``values``; -1 where the label is missing.
    values : sequence
        The labels that occur, in the order of `Factor.labels`.
    categories : tuple, or None
        All categories in their order, used or not, where the labels are a categorical.
    """

    codes: npt.NDArray[np.int64]
    values: Sequence[Any]
    categories: tuple[Any, ...] | None = None


def factorise(labels: Any, parameter: str = "by") -> Factor:
    """Codes and sorted labels; None, NaN, NaT and pandas.NA are missing.

    Labels read the same wherever they come from: whole numbers as ``1``, times as
    ``2020-01-31 12:00:00``, days as ``2020-01-31``. Categoricals with categories of their own
    (pandas' categories, polars' Enum, Arrow's dictionaries) keep the order of their categories;
    polars' Categorical has no such order and is sorted. Different labels with the same text, such
    as 1 and ``"1"``, are told apart by their representation.

    Examples
    --------
    >>> factorise(["b", "a", None, "b"])
    Factor(codes=array([ 1,  0, -1,  1]), labels=('a', 'b'))
    """
    found = distinct(labels, parameter)
    return Factor(found.codes, texts(found.values))


def distinct(labels: Any, parameter: str = "by") -> Distinct:
    """Codes and sorted labels as they are, for labels that come in parts.

    Examples
    --------
    >>> distinct([10, 9, None, 10])
    Distinct(codes=array([ 1,  0, -1,  1]), values=[9, 10], categories=None)
    """
    if labels is None or isinstance(labels, str | bytes) or not hasattr(labels, "__len__"):
        raise TypeError(
            complaint(
                parameter,
                "be one label for each point",
                f"got {labels!r}",
                "Pass a vector of labels; the name of a column belongs to a data frame",
            )
        )
    if isinstance(labels, np.ndarray):
        array = labels
    else:
        if _is(labels, "pandas", "Series", "Index", "Categorical") or _is(
            labels, "pandas.api.extensions", "ExtensionArray"
        ):
            return _from_pandas(labels, parameter)
        if _is(labels, "pyarrow", "Array", "ChunkedArray"):
            return _from_arrow(labels, parameter)
        if _is(labels, "polars", "Series"):
            if str(labels.dtype).startswith("Enum"):
                return _from_enum(labels)
            labels = _of_polars(labels)
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
        return Distinct(
            np.where(present[codes], codes, -1).astype(np.int64),
            list(values[present]) if array.dtype.kind in "mM" else values[present].tolist(),
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
        codes, pairs = paired(codes, more, len(labels))
        both = [(names[i], labels[j]) for i, j in pairs]
        names = _distinct([", ".join(pair) for pair in both], both)
    return Factor(codes, names)


def paired(
    first: npt.NDArray[np.int64], second: npt.NDArray[np.int64], n_second: int
) -> tuple[npt.NDArray[np.int64], list[tuple[int, int]]]:
    """Codes of the pairs of two codes that occur, and the pairs; -1 where either is missing."""
    numbers = np.where((first < 0) | (second < 0), -1, first * n_second + second)
    kept, where = np.unique(numbers, return_inverse=True)
    lost = int(len(kept) > 0 and kept[0] < 0)
    return where.astype(np.int64) - lost, [divmod(k, n_second) for k in kept[lost:].tolist()]


def _is(labels: Any, library: str, *names: str) -> bool:
    module = sys.modules.get(library)
    return module is not None and any(isinstance(labels, getattr(module, n, ())) for n in names)


def _from_pandas(column: Any, parameter: str) -> Distinct:
    dtype = column.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "iu":
        return _from_integers(np.asarray(column))
    try:
        # pandas hashes text several times faster than NumPy sorts it.
        codes, labels = sys.modules["pandas"].factorize(column, sort=True)
    except (TypeError, ValueError):
        return _from_objects(list(column), parameter)
    categories = tuple(_plain(dtype.categories)) if hasattr(dtype, "categories") else None
    return Distinct(np.asarray(codes, dtype=np.int64), _plain(labels), categories)


def _plain(index: Any) -> list[Any]:
    """The labels of a pandas index; times as NumPy has them, so that they equal other sources'."""
    inner = getattr(index, "categories", index)
    moment = getattr(inner.dtype, "kind", "") in "mM" and getattr(inner, "tz", None) is None
    return list(index.to_numpy()) if moment else list(index)


def _from_arrow(column: Any, parameter: str) -> Distinct:
    column = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    types = sys.modules["pyarrow"].types
    own = types.is_dictionary(column.type)
    if not own:
        column = column.dictionary_encode()
    items = column.dictionary
    inner = distinct(
        items.to_numpy(zero_copy_only=False) if _is_moment(items.type) else items.to_pylist(),
        parameter,
    )
    categories = None
    if own:
        # The order of the categories, of which some may be missing, equal or unused.
        first = list(dict.fromkeys(code for code in inner.codes.tolist() if code >= 0))
        place = np.empty(len(first) + 1, dtype=np.int64)
        place[first], place[-1] = np.arange(len(first)), -1
        categories = tuple(inner.values[code] for code in first)
        inner = Distinct(place[inner.codes], categories)
    codes = np.asarray(column.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False))
    if inner.codes.tolist() != list(range(len(items))):
        codes = np.append(inner.codes, -1)[codes]
    used = compressed(Factor(codes, tuple(inner.values)))
    return Distinct(used.codes, used.labels, categories)


def _is_moment(kind: Any) -> bool:
    types = sys.modules["pyarrow"].types
    return bool((types.is_timestamp(kind) and kind.tz is None) or types.is_duration(kind))


def _from_enum(series: Any) -> Distinct:
    codes = np.asarray(series.to_physical().cast(sys.modules["polars"].Int64).fill_null(-1))
    categories = tuple(map(str, series.dtype.categories))
    used = compressed(Factor(codes, categories))
    return Distinct(used.codes, used.labels, categories)


def _of_polars(series: Any) -> Any:
    dtype = series.dtype
    if dtype.is_integer() and not series.null_count():
        return np.asarray(series.to_numpy())
    moment = dtype.is_temporal() and str(dtype).startswith(("Datetime", "Duration"))
    if dtype.is_float() or (moment and getattr(dtype, "time_zone", None) is None):
        return np.asarray(series.to_numpy())
    return series.to_list()


def compressed(factor: Factor) -> Factor:
    """Without the labels that do not occur."""
    used = np.zeros(len(factor.labels) + 1, dtype=bool)
    used[factor.codes] = True
    used = used[:-1]
    if used.all():
        return Factor(factor.codes.astype(np.int64, copy=False), tuple(factor.labels))
    place = np.append(np.cumsum(used) - 1, -1)
    labels = tuple(label for label, there in zip(factor.labels, used, strict=True) if there)
    return Factor(place[factor.codes].astype(np.int64), labels)


def texts(labels: Sequence[Any] | npt.NDArray[Any]) -> tuple[str, ...]:
    """The texts of different labels, which are different too."""
    return _distinct([label_text(label) for label in labels], labels)


def _distinct(plain: Sequence[str], labels: Sequence[Any] | npt.NDArray[Any]) -> tuple[str, ...]:
    """The texts of different labels, where they are equal the labels' representations."""
    if len(set(plain)) == len(plain):
        return tuple(plain)
    counts = Counter(plain)
    mixed = [
        repr(label) if counts[text] > 1 else text for text, label in zip(plain, labels, strict=True)
    ]
    seen: set[str] = set()
    for i, text in enumerate(mixed):
        name, k = text, 1
        while name in seen:
            k += 1
            name = f"{text} ({k})"
        seen.add(name)
        mixed[i] = name
    return tuple(mixed)


def label_text(label: Any) -> str:
    """A label as text; times and durations as pandas prints them.

    Examples
    --------
    >>> import numpy as np
    >>> label_text(np.datetime64("2020-01-31T12:00", "ns")), label_text(np.timedelta64(36, "h"))
    ('2020-01-31 12:00:00', '1 days 12:00:00')
    """
    if type(label) is timedelta:
        label = np.timedelta64(label)
    if isinstance(label, np.datetime64):
        if np.datetime_data(label.dtype)[0] in ("Y", "M", "W", "D"):
            return str(label)
        second = label.astype("M8[s]")
        return str(second).replace("T", " ") + _fraction(label - second)
    if isinstance(label, np.timedelta64):
        if np.datetime_data(label.dtype)[0] in ("Y", "M", "generic"):
            return str(label)
        whole = label.astype("m8[s]")
        if whole > label:
            whole -= np.timedelta64(1, "s")
        days, rest = divmod(int(whole.astype(np.int64)), 86400)
        sign = "+" if days < 0 else ""
        clock = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
        return f"{days} days {sign}{clock}{_fraction(label - whole)}"
    return str(label)


def _fraction(part: np.timedelta64) -> str:
    nanoseconds = int(part.astype("m8[ns]").astype(np.int64))
    if not nanoseconds:
        return ""
    return f".{nanoseconds // 1000:06}" if nanoseconds % 1000 == 0 else f".{nanoseconds:09}"


def _as_array(labels: Any) -> npt.NDArray[Any]:
    if hasattr(labels, "__array__"):
        return np.asarray(labels)
    # numpy.asarray would turn [1, "a"] and [None, "a"] into text; the labels are kept as given.
    array = np.empty(len(labels), dtype=object)
    array[:] = list(labels)
    return array


def _from_integers(array: npt.NDArray[np.integer]) -> Distinct:
    if not len(array):
        return Distinct(array.astype(np.int64), [])
    low, high = int(array.min()), int(array.max())
    if high - low < max(65536, len(array)):
        # A range this short is counted instead of sorted.
        if array.dtype == np.uint64:
            array = array - np.uint64(low)  # which may be above the largest int64
            offset = array.astype(np.int64)
        else:
            offset = array.astype(np.int64) - low if low else array.astype(np.int64)
        present = np.bincount(offset) > 0
        codes = offset if present.all() else (np.cumsum(present) - 1)[offset]
        return Distinct(codes, [low + k for k in np.flatnonzero(present).tolist()])
    values, codes = np.unique(array, return_inverse=True)
    return Distinct(codes.astype(np.int64), values.tolist())


def _from_objects(items: list[Any], parameter: str) -> Distinct:
    try:
        different = set(items)
    except TypeError:
        bad = next(item for item in items if not _is_hashable(item))
        raise TypeError(
            complaint(
                parameter,
                "hold labels that can be told apart, such as text or numbers",
                f"got the {type(bad).__name__} {bad!r}",
                "Pass one label for each point",
            )
        ) from None
    known = [label for label in different if not is_missing(label)]
    try:
        known.sort()
    except TypeError:
        known.sort(key=lambda label: (type(label).__name__, str(label)))
    table = dict.fromkeys(different, -1)
    table.update((label, code) for code, label in enumerate(known))
    codes = np.fromiter(map(table.__getitem__, items), dtype=np.int64, count=len(items))
    return Distinct(codes, known)


def _is_hashable(item: Any) -> bool:
    try:
        hash(item)
    except TypeError:
        return False
    return True


def is_missing(value: Any) -> bool:
    """Whether a value stands for one that is not there."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        # pandas.NA answers every comparison with itself, which is neither true nor false.
        return type(value).__name__ == "NAType"
