"""Labels of points as small integers."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from uapca.aggregate.accumulate import Integers

__all__ = [
    "Categories",
    "Factor",
    "Keyed",
    "Vocabulary",
    "factorize",
    "is_a",
    "is_missing",
    "joined",
    "keyed",
    "label_text",
    "occurring",
    "ordered",
    "paired",
]

# For each key the categories of a categorical in their order, or None.
Categories = tuple[tuple[Any, ...] | None, ...]


class Keyed(NamedTuple):
    """Labels of one or several keys as codes, with the labels as they were given.

    Attributes
    ----------
    codes : ndarray of int, shape (n,)
        Position of each point's label in ``values``; -1 where one of the keys is missing.
    values : sequence
        The different labels: of one key as they are, of several keys as tuples.
    categories : tuple
        For each key all its categories in their order, or None if it is no categorical.
    """

    codes: Integers
    values: Sequence[Any]
    categories: Categories

    def only(self, kept: npt.NDArray[np.bool_]) -> tuple[Keyed, set[Any]]:
        """The labels of some points, and those of the others."""
        if kept.all():
            return self, set()
        left = {self.values[k] for k in {*self.codes[~kept].tolist()} - {-1}}
        return self._replace(codes=self.codes[kept]), left


class Vocabulary:
    """The labels of points that come in pieces, numbered as they come."""

    def __init__(self) -> None:
        self.values: dict[Any, int] = {}
        self.categories: Categories | None = None

    def codes(self, labels: Keyed) -> Integers:
        """The labels of a piece as codes among all labels so far."""
        places = [self.values.setdefault(value, len(self.values)) for value in labels.values]
        self.categories = joined(self.categories, labels.categories)
        return np.array([*places, -1], dtype=np.int64)[labels.codes]


class Factor(NamedTuple):
    """Labels as codes, with the labels as text.

    Attributes
    ----------
    codes : ndarray of int, shape (n,)
        Position of each point's label in ``labels``; -1 where the label is missing.
    labels : tuple of str
        The labels that occur, in rising order; those of a categorical in the order of its
        categories.
    """

    codes: Integers
    labels: tuple[str, ...]


def factorize(labels: Any, parameter: str = "by") -> Factor:
    """Codes and sorted texts of labels; None, NaN, NaT, pandas.NA and masked ones are missing.

    A label has the same text wherever it comes from: whole numbers as ``1``, times as
    ``2020-01-31 12:00:00``, with a time zone as ``2020-01-31 12:00:00+01:00``, days as
    ``2020-01-31``. Categoricals (of pandas, polars' Enum, Arrow's dictionaries) keep the order of
    their categories; polars' Categorical has none and is sorted. Different labels with the same
    text, such as 1 and ``"1"``, are distinguished by their representation.

    Examples
    --------
    >>> factorize(["b", "a", None, "b"])
    Factor(codes=array([ 1,  0, -1,  1]), labels=('a', 'b'))
    """
    found = keyed([labels], parameter)
    return Factor(found.codes, _texts(found.values))


def keyed(keys: Sequence[Any], parameter: str = "by") -> Keyed:
    """The labels that one or several vectors of keys make together.

    Examples
    --------
    >>> keyed([["a", "a", "b"], [2, 1, 1]]).values
    [('a', 1), ('a', 2), ('b', 1)]
    """
    return paired([_coded(key, parameter) for key in keys])


def paired(parts: Sequence[Keyed]) -> Keyed:
    """The labels of several keys as one, missing where any of them is."""
    if len(parts) == 1:
        return parts[0]
    codes, values = parts[0].codes, [(value,) for value in parts[0].values]
    for part in parts[1:]:
        n = len(part.values)
        pairs = np.where((codes < 0) | (part.codes < 0), -1, codes * n + part.codes)
        kept, places = np.unique(pairs, return_inverse=True)
        lost = int(len(kept) > 0 and kept[0] < 0)
        codes = places.astype(np.int64) - lost
        values = [(*values[k // n], part.values[k % n]) for k in kept[lost:].tolist()]
    return Keyed(codes, values, tuple(part.categories[0] for part in parts))


def ordered(values: Sequence[Any], categories: Categories) -> Factor:
    """Order and texts of different labels that `keyed` found, possibly in several parts.

    Examples
    --------
    >>> ordered([10, 9], (None,))
    Factor(codes=array([1, 0]), labels=('9', '10'))
    >>> ordered([("b", "low"), ("a", "high"), ("a", "low")], (None, ("low", "high"))).labels
    ('a, low', 'a, high', 'b, low')
    """
    keys = [values] if len(categories) == 1 else list(zip(*values, strict=True))
    parts = []
    for key, own in zip(keys, categories, strict=False):
        if own is None:
            parts.append(factorize(list(key)))
        else:
            place = {value: k for k, value in enumerate(own)}
            codes = np.array([place[value] for value in key], dtype=np.int64)
            parts.append(Factor(*occurring(codes, _texts(own))))
    if len(parts) == 1:
        return parts[0]
    order = np.lexsort([part.codes for part in reversed(parts)])
    texts = [tuple(part.labels[part.codes[i]] for part in parts) for i in order.tolist()]
    return Factor(np.argsort(order), _distinct([", ".join(text) for text in texts], texts))


def joined(a: Categories | None, b: Categories) -> Categories:
    """The categories of both, in the order in which they came; None unless both have them."""
    if a is None or a == b:
        return b
    return tuple(
        None if x is None or y is None else tuple(dict.fromkeys([*x, *y]))
        for x, y in zip(a, b, strict=True)
    )


def _coded(labels: Any, parameter: str) -> Keyed:
    """The labels of one key."""
    if labels is None or isinstance(labels, str | bytes) or not hasattr(labels, "__len__"):
        raise TypeError(
            f"{parameter} must be one label for each point; got {labels!r}. The name of a column "
            "belongs to a data frame."
        )
    if isinstance(labels, np.ma.MaskedArray) and labels.ndim == 1:
        known = ~np.ma.getmaskarray(labels)
        codes = np.full(len(labels), -1, dtype=np.int64)
        inner = _coded(labels.data[known], parameter)
        codes[known] = inner.codes
        return inner._replace(codes=codes)
    if is_a(labels, "pandas", "Series", "Index", "Categorical") or is_a(
        labels, "pandas.api.extensions", "ExtensionArray"
    ):
        return _from_pandas(labels, parameter)
    if is_a(labels, "pyarrow", "Array", "ChunkedArray"):
        return _from_arrow(labels, parameter)
    if is_a(labels, "polars", "Series"):
        return _from_polars(labels, parameter)
    if not hasattr(labels, "__array__"):
        # numpy.asarray would turn [1, "a"] and [None, "a"] into text.
        return _from_objects(list(labels), parameter)
    array = np.asarray(labels)
    if array.ndim != 1:
        raise ValueError(
            f"{parameter} must be one label for each point; got an array of shape {array.shape}"
        )
    if array.dtype.kind in "iu":
        return _from_integers(array)
    if array.dtype.kind in "bfmM":
        values, codes = np.unique(array, return_inverse=True)
        present = values == values
        codes = np.where(present[codes], codes, -1).astype(np.int64)
        known = values[present]
        return Keyed(codes, list(known) if array.dtype.kind in "mM" else known.tolist(), (None,))
    return _from_objects(array.tolist(), parameter)


def is_a(obj: Any, library: str, *names: str) -> bool:
    """Whether an object is of a class of a library, which need not be there."""
    module = sys.modules.get(library)
    return module is not None and any(isinstance(obj, getattr(module, n, ())) for n in names)


def _from_pandas(column: Any, parameter: str) -> Keyed:
    dtype = column.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "iu":
        return _from_integers(np.asarray(column))
    try:
        # pandas hashes text several times faster than NumPy sorts it.
        codes, index = sys.modules["pandas"].factorize(column, sort=True)
    except (TypeError, ValueError):
        return _from_objects(list(column), parameter)
    own = getattr(dtype, "categories", None)
    if own is None and dtype.kind == "O" and any(isinstance(k, datetime) for k in index):
        return _from_objects(list(column), parameter)
    categories = None if own is None else tuple(_of_index(own))
    return Keyed(np.asarray(codes, dtype=np.int64), _of_index(index), (categories,))


def _of_index(index: Any) -> list[Any]:
    """The labels of a pandas index; times as NumPy has them, so that they equal other sources'."""
    inner = getattr(index, "categories", index)
    plain_time = getattr(inner.dtype, "kind", "") in "mM" and getattr(inner, "tz", None) is None
    return list(index.to_numpy()) if plain_time else [_with_offset(label) for label in index]


def _from_arrow(column: Any, parameter: str) -> Keyed:
    column = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    types = sys.modules["pyarrow"].types
    if types.is_nested(column.type):
        return _from_objects(column.to_pylist(), parameter)
    own = types.is_dictionary(column.type)
    encoded = column if own else column.dictionary_encode()
    items, kind = encoded.dictionary, encoded.dictionary.type
    plain_time = types.is_duration(kind) or (types.is_timestamp(kind) and kind.tz is None)
    listed = items.to_numpy(zero_copy_only=False) if plain_time else items.to_pylist()
    if own and types.is_string(kind) and None not in listed and len({*listed}) == len(listed):
        # The usual form of text in Parquet files, of which there may be thousands of small ones.
        codes = encoded.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
        return Keyed(*occurring(codes, listed), (tuple(listed),))
    inner = _coded(listed, parameter)
    values, places, categories = inner.values, inner.codes, None
    if own:
        # In the order of the dictionary, whose items may be missing, equal or unused.
        first = list(dict.fromkeys(code for code in places.tolist() if code >= 0))
        values = categories = tuple(inner.values[code] for code in first)
        place = np.full(len(first) + 1, -1, dtype=np.int64)
        place[first] = np.arange(len(first))
        places = place[places]
    indices = encoded.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
    return Keyed(*occurring(np.append(places, -1)[indices], values), (categories,))


def _from_polars(series: Any, parameter: str) -> Keyed:
    dtype, name = series.dtype, str(series.dtype)
    if name.startswith("Enum"):
        codes = np.asarray(series.to_physical().cast(sys.modules["polars"].Int64).fill_null(-1))
        categories = tuple(map(str, dtype.categories))
        return Keyed(*occurring(codes, categories), (categories,))
    if getattr(dtype, "time_zone", None) is not None:
        return _from_arrow(series.to_arrow(), parameter)
    plain_time = name.startswith(("Datetime", "Duration"))
    if dtype.is_float() or plain_time or (dtype.is_integer() and not series.null_count()):
        return _coded(series.to_numpy(), parameter)
    return _from_objects(series.to_list(), parameter)


def _from_integers(array: npt.NDArray[np.integer]) -> Keyed:
    if not len(array):
        return Keyed(array.astype(np.int64), [], (None,))
    low, high = int(array.min()), int(array.max())
    if high - low >= max(65536, len(array)):
        values, codes = np.unique(array, return_inverse=True)
        return Keyed(codes.astype(np.int64), values.tolist(), (None,))
    # A range this short is counted instead of sorted. Beyond the largest int64 both wrap around.
    offset = array.astype(np.int64) - array.min().astype(np.int64)
    present = np.bincount(offset) > 0
    codes = offset if present.all() else (np.cumsum(present) - 1)[offset]
    return Keyed(codes, [low + k for k in np.flatnonzero(present).tolist()], (None,))


def _from_objects(items: list[Any], parameter: str) -> Keyed:
    kinds = set(map(type, items))
    if any(issubclass(kind, datetime) for kind in kinds):
        items = [_with_offset(item) for item in items]
    if type(np.ma.masked) in kinds:
        items = [None if item is np.ma.masked else item for item in items]
    try:
        different = set(items)
    except TypeError:
        bad = next((item for item in items if type(item).__hash__ is None), items[0])
        raise TypeError(
            f"{parameter} must hold labels that can be compared, such as text or numbers; got the "
            f"{type(bad).__name__} {bad!r}"
        ) from None
    known = [label for label in different if not is_missing(label)]
    try:
        known.sort()
    except TypeError:
        known.sort(key=lambda label: (type(label).__name__, str(label)))
    table = dict.fromkeys(different, -1)
    table.update((label, code) for code, label in enumerate(known))
    codes = np.fromiter(map(table.__getitem__, items), dtype=np.int64, count=len(items))
    return Keyed(codes, known, (None,))


def is_missing(value: Any) -> bool:
    """Whether a value stands for one that is not there."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        # A comparison of pandas.NA with itself is neither true nor false.
        return type(value).__name__ == "NAType"


def _with_offset(label: Any) -> Any:
    """A time in a time zone as one with a fixed offset.

    Python takes two times of one zone for equal when their clocks are, even where the clock was
    set back in between.
    """
    if not isinstance(label, datetime) or is_missing(label) or label.tzinfo is None:
        return label
    return label.astimezone(timezone(label.utcoffset() or timedelta()))


def occurring(codes: Integers, values: Sequence[Any]) -> tuple[Integers, tuple[Any, ...]]:
    """Codes and values without the values that do not occur."""
    used = np.zeros(len(values) + 1, dtype=bool)
    used[codes] = True
    if used[:-1].all():
        return codes, tuple(values)
    place = np.append(np.cumsum(used[:-1]) - 1, -1)
    return place[codes], tuple(values[k] for k in np.flatnonzero(used[:-1]).tolist())


def _texts(labels: Sequence[Any]) -> tuple[str, ...]:
    """The texts of different labels, which are different too."""
    if set(map(type, labels)) <= {int, str}:
        return _distinct([str(label) for label in labels], labels)
    return _distinct([label_text(label) for label in labels], labels)


def _distinct(plain: Sequence[str], labels: Sequence[Any]) -> tuple[str, ...]:
    """Texts of different labels; those that are equal are replaced by representations."""
    counts = Counter(plain)
    if len(counts) == len(plain):
        return tuple(plain)
    names: dict[str, None] = {}
    for text, label in zip(plain, labels, strict=True):
        name = base = repr(label) if counts[text] > 1 else text
        k = 1
        while name in names:
            k += 1
            name = f"{base} ({k})"
        names[name] = None
    return tuple(names)


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
    if not isinstance(label, np.datetime64 | np.timedelta64):
        return str(_with_offset(label))
    unit = np.datetime_data(label.dtype)[0]
    if unit in ("Y", "M", "generic") or (isinstance(label, np.datetime64) and unit in ("W", "D")):
        return str(label)
    if isinstance(label, np.datetime64):
        whole = label.astype("M8[s]")
        text = str(whole).replace("T", " ")
    else:
        whole = label.astype("m8[s]")
        whole -= np.timedelta64(int(whole > label), "s")
        days, rest = divmod(int(whole.astype(np.int64)), 86400)
        clock = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
        text = f"{days} days {'+' if days < 0 else ''}{clock}"
    nanoseconds = int((label - whole).astype("m8[ns]").astype(np.int64))
    if nanoseconds % 1000:
        return f"{text}.{nanoseconds:09}"
    return f"{text}.{nanoseconds // 1000:06}" if nanoseconds else text
