"""The columns of each kind of data frame.

A frame whose class comes from a library proves that the library is loaded already.
"""

from __future__ import annotations

import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats, complaint
from uapca.aggregate.labels import Factor, factorise

__all__ = ["Arrow", "Astropy", "Columns", "Mapped", "Pandas", "Polars", "index_of"]


class Columns(ABC):
    """The columns of a data frame, whoever made it.

    Attributes
    ----------
    names : tuple of str
        Names of the columns, distinct.
    index : tuple of str
        Those of them that were the index of a pandas frame.
    """

    names: tuple[str, ...]
    index: tuple[str, ...] = ()

    def _set_names(self, keys: Sequence[Any]) -> None:
        self.names = tuple(map(str, keys))
        self._keys = dict(zip(self.names, keys, strict=True))
        if len(self._keys) < len(self.names):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise ValueError(
                complaint(
                    "the columns",
                    "have distinct names",
                    f"{twice!r} occurs {self.names.count(twice)} times",
                    "Rename the duplicates",
                )
            )

    def name_of(self, key: Any) -> str | None:
        """The name of the column that the frame itself knows by a number, a tuple or the like."""
        try:
            hash(key)
        except TypeError:
            return None
        return next((name for name, own in self._keys.items() if own == key), None)

    def key_of(self, name: str) -> Any:
        """What the frame itself knows a column by."""
        return self._keys[name]

    @abstractmethod
    def __len__(self) -> int:
        """Number of rows."""

    @abstractmethod
    def is_numeric(self, name: str) -> bool:
        """Whether a column holds numbers; flags (booleans) are not numbers."""

    @abstractmethod
    def block(self, names: Sequence[str]) -> Floats:
        """Numeric columns side by side, shape (N, len(names)); missing values are NaN."""

    @abstractmethod
    def values(self, name: str) -> npt.NDArray[Any]:
        """One column as it is."""

    def labels(self, name: str) -> Any:
        """One column in a form that `factorise` reads."""
        return self.values(name)

    def factor(self, name: str) -> Factor:
        """One column as labels."""
        return factorise(self.labels(name))

    def row_texts(self) -> list[str] | None:
        """The texts in the index of the rows, where the frame itself has them."""
        return None

    def row_names(self) -> list[str] | None:
        """Names of the rows, where the frame itself has them; an index with duplicates has none."""
        texts = self.row_texts()
        return texts if texts is not None and len(set(texts)) == len(texts) else None

    def errors_block(self, names: Sequence[str], of: Sequence[str]) -> Floats:
        """Columns ``names`` in the units of the columns ``of`` they belong to."""
        return self.block(names)


class Pandas(Columns):
    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self._set_names(list(frame.columns))
        self._types = dict(zip(self.names, frame.dtypes, strict=True))

    def __len__(self) -> int:
        return len(self._frame)

    def is_numeric(self, name: str) -> bool:
        dtype = self._types[name]
        types = sys.modules["pandas"].api.types
        if types.is_bool_dtype(dtype) or types.is_complex_dtype(dtype):
            return False
        return bool(types.is_numeric_dtype(dtype))

    def block(self, names: Sequence[str]) -> Floats:
        part = self._frame[[self._keys[name] for name in names]]
        if all(isinstance(self._types[name], np.dtype) for name in names):
            array = part.to_numpy()
            if array.dtype.kind == "f":
                return np.asarray(array)
        return np.asarray(part.to_numpy(dtype=np.float64, na_value=np.nan))

    def values(self, name: str) -> npt.NDArray[Any]:
        return np.asarray(self._frame[self._keys[name]].to_numpy())

    def labels(self, name: str) -> Any:
        return self._frame[self._keys[name]]

    def row_texts(self) -> list[str] | None:
        index = self._frame.index
        if index.dtype.kind in "iufmMb":
            return None
        labels = list(index)
        return labels if labels and all(isinstance(label, str) for label in labels) else None


class Polars(Columns):
    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self._set_names(frame.columns)

    def __len__(self) -> int:
        return int(self._frame.height)

    def is_numeric(self, name: str) -> bool:
        return bool(self._frame.schema[name].is_numeric())

    def block(self, names: Sequence[str]) -> Floats:
        part = self._frame.select(list(names))
        if not all(dtype.is_float() for dtype in part.schema.values()):
            part = part.cast(sys.modules["polars"].Float64)
        return np.asarray(part.to_numpy())

    def values(self, name: str) -> npt.NDArray[Any]:
        return np.asarray(self._frame[name].to_numpy())

    def labels(self, name: str) -> Any:
        return self._frame[name]


class Arrow(Columns):
    def __init__(self, table: Any) -> None:
        self._table = table
        self._set_names(table.column_names)
        self.index = index_of(table.schema)

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def is_numeric(self, name: str) -> bool:
        types, kind = import_module("pyarrow").types, self._table.schema.field(name).type
        return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))

    def block(self, names: Sequence[str]) -> Floats:
        pyarrow = import_module("pyarrow")
        types = [self._table.schema.field(name).type for name in names]
        single = all(kind == pyarrow.float32() for kind in types)
        target = pyarrow.float32() if single else pyarrow.float64()
        array = np.empty((len(self), len(names)), np.float32 if single else np.float64, order="F")
        for j, (name, kind) in enumerate(zip(names, types, strict=True)):
            column = self._table.column(name)
            column = column if kind == target else column.cast(target, safe=False)
            start = 0
            for chunk in getattr(column, "chunks", [column]):
                array[start : start + len(chunk), j] = chunk.to_numpy(zero_copy_only=False)
                start += len(chunk)
        return array

    def values(self, name: str) -> npt.NDArray[Any]:
        array = np.empty(len(self), dtype=object)
        array[:] = self._table.column(name).to_pylist()
        return array

    def labels(self, name: str) -> Any:
        return self._table.column(name)


class Astropy(Columns):
    def __init__(self, table: Any) -> None:
        self._table = table
        self._set_names(table.colnames)

    def __len__(self) -> int:
        return len(self._table)

    def is_numeric(self, name: str) -> bool:
        column = self._table[name]
        return getattr(column, "ndim", 1) == 1 and np.asarray(column).dtype.kind in "iuf"

    def block(self, names: Sequence[str]) -> Floats:
        return _stacked([_unmasked(self._table[name]) for name in names])

    def values(self, name: str) -> npt.NDArray[Any]:
        column = self._table[name]
        mask = getattr(column, "mask", None)
        if mask is None or not np.any(mask):
            return np.asarray(column)
        values = np.array(column, dtype=object)
        values[np.asarray(mask)] = None
        return values

    def errors_block(self, names: Sequence[str], of: Sequence[str]) -> Floats:
        # Catalogues give positions in degrees and their errors in milliarcseconds.
        columns = []
        for name, base in zip(names, of, strict=True):
            column, unit = self._table[name], getattr(self._table[base], "unit", None)
            own = getattr(column, "unit", None)
            values = _unmasked(column)
            if own is None or unit is None or own == unit:
                columns.append(values)
                continue
            try:
                columns.append(values * own.to(unit))
            except ValueError:
                raise ValueError(
                    complaint(
                        f"column {name!r}",
                        f"have a unit that converts to that of {base!r}",
                        f"got {own} for {unit}",
                        "Convert it first, or remove the unit",
                    )
                ) from None
        return _stacked(columns)


class Mapped(Columns):
    """A mapping of names to columns, or a structured array."""

    def __init__(self, table: Any, names: Sequence[str]) -> None:
        self._set_names(names)
        self._columns = {name: _vector(table[key], name) for name, key in self._keys.items()}
        lengths = {name: len(column) for name, column in self._columns.items()}
        first = next(iter(lengths), "")
        for name, length in lengths.items():
            if length != lengths[first]:
                raise ValueError(
                    complaint(
                        "the columns",
                        "have equal lengths",
                        f"{first!r} has {lengths[first]} entries and {name!r} has {length}",
                        "Give every column one entry for each row",
                    )
                )

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def is_numeric(self, name: str) -> bool:
        return self._columns[name].dtype.kind in "iuf"

    def block(self, names: Sequence[str]) -> Floats:
        return _stacked([self._columns[name] for name in names])

    def values(self, name: str) -> npt.NDArray[Any]:
        return self._columns[name]


def _unmasked(column: Any) -> npt.NDArray[Any]:
    mask = getattr(column, "mask", None)
    values = np.asarray(getattr(column, "value", column))
    if mask is None or not np.any(mask):
        return values
    return np.where(np.asarray(mask), np.nan, values)


def _stacked(columns: Sequence[npt.NDArray[Any]]) -> Floats:
    single = all(column.dtype == np.float32 for column in columns)
    array = np.empty((len(columns[0]), len(columns)), np.float32 if single else np.float64)
    for j, column in enumerate(columns):
        array[:, j] = column
    return array


def _vector(values: Any, name: str) -> npt.NDArray[Any]:
    column = values if isinstance(values, np.ndarray) else None
    if column is None:
        try:
            column = np.asarray(values)
        except ValueError:
            column = np.empty(0)
        if column.ndim != 1 or column.dtype.kind in "USO":
            # Text and mixed cells stay what they are: NumPy would make one type of them.
            column = np.empty(len(values), dtype=object)
            column[:] = list(values)
    if column.ndim != 1:
        raise ValueError(
            complaint(
                "the columns",
                "have one entry for each row",
                f"{name!r} has shape {column.shape}",
                "Give every feature a column of its own",
            )
        )
    return column


def index_of(schema: Any) -> tuple[str, ...]:
    """The columns of an Arrow schema that were the index of a pandas frame, which notes them."""
    noted = json.loads((schema.metadata or {}).get(b"pandas", b"{}")).get("index_columns", [])
    return tuple(name for name in noted if isinstance(name, str))
