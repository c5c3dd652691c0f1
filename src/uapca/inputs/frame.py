"""Tables of any kind as named columns, and values with their errors in them.

narwhals reads data frames of every library; no library is imported that the user has not loaded,
except pyarrow for objects that only offer an Arrow stream.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from fractions import Fraction
from functools import partial
from importlib import import_module
from itertools import compress
from os import PathLike
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from uapca._names import error_columns, several, split_unit
from uapca._validation import Floats, check_choice, library_of, listed, optional, plural
from uapca.aggregate.labels import factorize, is_a, is_missing
from uapca.exceptions import (
    BadCell,
    DroppedRowsWarning,
    ErrorColumnWarning,
    SkippedFilesWarning,
    TableError,
)
from uapca.inputs.columns import (
    CERTAIN,
    WEIGHT,
    Roles,
    expand,
    find_roles,
    lookalikes,
    naming_column,
)
from uapca.laws import Marginal
from uapca.laws.asymmetric import RowLaws, asymmetric, law_of_distances, law_of_quantiles
from uapca.uncertain import UncertainArray
from uapca.uncertain.units import unit_symbol

__all__ = ["Table", "from_frame", "is_table", "table_of"]

# Cells of text that hold no value; words={"?": None} adds others.
_ABSENT = frozenset(("", "na", "n/a", "#n/a", "nan", "null", "none", "-", "--"))
# No two repeated parts meet without a sign between them: matching takes time linear in the text.
_NUMBER = re.compile(
    r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?inf(?:inity)?"
)
# With commas: what may be thousands and what may be decimals; what can only be one of them.
_GROUPED = r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?"
_COMMA = r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?"
_DOTTED = re.compile(r"[+-]?[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]+)?")
_SIGNED = re.compile(f"{_GROUPED}|{_COMMA}|{_DOTTED.pattern}")
_THOUSANDS = re.compile(rf"(?!{_COMMA}$){_GROUPED}")
_DECIMAL = re.compile(rf"(?!{_GROUPED}$)(?:{_SIGNED.pattern})|[+-]?0{_COMMA}")
# 1'234'567 and 1 234 567, with any kind of space, can only be thousands.
_SPACED = re.compile(
    r"[+-]?[0-9]{1,3}(?P<sign>['’ \u00a0\u2009\u202f])[0-9]{3}(?:(?P=sign)[0-9]{3})*(?:[.,][0-9]*)?"
)
_RANGE = re.compile(r"([0-9]+(?:[.,][0-9]+)?)\s*[-–]\s*([0-9]+(?:[.,][0-9]+)?)")
_SHOWN = 5
# Correlations printed to six digits, as catalogues do, leave a matrix this far from definite.
_TOLERANCE = 1e-5


class Table:
    """Named columns of equal length, as arrays.

    Parameters
    ----------
    columns : mapping of names to columns, or a narwhals DataFrame
    source : str
        What to call the table in messages: the name of its file, or nothing.
    form : str
        What kind of table it is, in words.
    textual : bool
        Whether it comes from a text file, whose labels are text because it has no types.
    decimal, thousands : str, optional
        The signs in numbers that are written as text; found out if they are not given.
    words : mapping of str to Marginal or None, optional
        What words mean; None for those that stand for a missing value, besides the usual ones.
    encoding : str, optional
        Of the text file that the table comes from; the readers of files use it.

    Attributes
    ----------
    names : tuple of str
    units : dict
        Units of columns, where they are known: astropy's, pint's or text.
    bad : dict of str to list of int
        Rows in which a column of numbers holds something else, once `resolve` has seen it.
    notes : list of str
        What was found out about the table, for `UncertainArray.origin`.
    """

    def __init__(
        self,
        columns: Any,
        source: str = "",
        *,
        form: str = "table",
        textual: bool = False,
        decimal: str | None = None,
        thousands: str | None = None,
        words: Mapping[str, Marginal | None] | None = None,
        encoding: str | None = None,
        units: Mapping[str, Any] | None = None,
        notes: Iterable[str] = (),
    ) -> None:
        self.source: str = source
        self.form: str = form
        self.textual: bool = textual
        self.decimal, self.thousands = decimal, thousands
        self.words: Mapping[str, Marginal | None] = words or {}
        absent = [word.casefold() for word, law in self.words.items() if law is None]
        self.absent: frozenset[str] = _ABSENT.union(absent)
        self.units: dict[str, Any] = dict(units or {})
        self.bad: dict[str, list[int]] = {}
        self.notes: list[str] = list(notes)
        self.index: tuple[str, ...] = ()
        self.library: str | None = None
        self._numbers: dict[str, Floats] = {}
        self._kinds: dict[str, str] = {}
        # The columns of a data frame stay what they are in narwhals; others become arrays.
        self._frame: Any = None if isinstance(columns, Mapping) else columns
        keys = list(columns if self._frame is None else columns.columns)
        self.names: tuple[str, ...] = tuple(map(str, keys))
        self.keys: dict[str, Any] = dict(zip(self.names, keys, strict=True))
        if len(self.keys) < len(self.names):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise ValueError(f"column names must be distinct; {self.of}{twice!r} occurs twice")
        self._columns: dict[str, npt.NDArray[Any]] = {}
        if self._frame is not None:
            self._types, self._rows = dict(columns.schema), len(columns)
            return
        for name, key in self.keys.items():
            self._columns[name] = _vector(columns[key], name, self.units)
        self._rows = len(self._columns[self.names[0]]) if keys else 0
        for name, column in self._columns.items():
            if len(column) != self._rows:
                raise ValueError(
                    f"columns must have equal lengths; {self.names[0]!r} has {self._rows} entries "
                    f"and {name!r} has {len(column)}"
                )

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Refusals of columns name the file that has them."""
        try:
            yield
        except ValueError as refusal:
            if not self.source or repr(self.source) in str(refusal):
                raise
            raise ValueError(f"{self.source!r}: {refusal}") from None

    def __len__(self) -> int:
        return self._rows

    @property
    def of(self) -> str:
        """What stands before a row or a column in messages: the file, if there is one."""
        return f"{self.source!r}, " if self.source else ""

    @property
    def origin(self) -> str:
        """What the table is and its size, in words."""
        size = f"{plural(len(self), 'row')} and {plural(len(self.names), 'column')}"
        return f"{self.source + ': ' if self.source else ''}{self.form} of {size}"

    def like(self, columns: Mapping[str, Any]) -> Table:
        """Other rows of the text that this table begins, with numbers written in the same way."""
        return Table(
            columns,
            self.source,
            textual=True,
            decimal=self.decimal or ".",
            thousands=self.thousands,
            words=self.words,
        )

    # What each column holds

    def kind(self, name: str) -> str:
        """``"number"``, ``"flag"`` (true or false), ``"text"``, ``"empty"`` or ``"other"``."""
        if name not in self._kinds:
            self._kinds[name] = self._kind(name)
        return self._kinds[name]

    def _kind(self, name: str) -> str:
        if self.textual:
            return "text"
        array = self._frame is None
        own = self._columns[name].dtype.kind if array else str(self._types[name]).partition("(")[0]
        if own == "Unknown" and self._frame[name].null_count() == len(self):
            return "empty"
        if own in ("Object", "Unknown", *"OUST"):
            return _kind_of_objects(self._array(name))
        number = own in "iuf" if array else self._types[name].is_numeric()
        kinds = {"Boolean": "flag", "b": "flag", "String": "text"}
        return "number" if number else kinds.get(own, "other")

    def _array(self, name: str) -> npt.NDArray[Any]:
        return self._columns[name] if self._frame is None else self._frame[name].to_numpy()

    def cells(self, name: str) -> list[Any]:
        """The cells of a column as they are."""
        frame = self._frame
        return list(self._columns[name].tolist() if frame is None else frame[name].to_list())

    def labels(self, name: str) -> Any:
        """A column in a form that `uapca.aggregate` reads as labels."""
        return self._columns[name] if self._frame is None else self._frame[name].to_native()

    def texts(self, name: str) -> list[str | None]:
        """A column as text exactly as written; None where it is missing."""
        if self.textual:  # an empty cell is missing; elsewhere it is a text like others
            return [(cell or "").strip() or None for cell in self.cells(name)]
        codes, labels = factorize(self.labels(name), "names")
        return [None if code < 0 else labels[code] for code in codes.tolist()]

    def objects(self) -> set[str]:
        """The columns that hold numbers with errors: ``ufloat`` objects or measurements."""
        return {
            name
            for name in self.names
            if self.kind(name) == "other"
            and any(
                hasattr(cell, "nominal_value") or hasattr(cell, "magnitude")
                for cell in self.cells(name)
            )
        }

    def row_names(self) -> list[str] | None:
        """The index of a pandas frame, where it is made of distinct texts."""
        index = None if self._frame is None else getattr(self._frame.to_native(), "index", None)
        if index is None or getattr(index.dtype, "kind", "O") in "iufmMb":
            return None
        labels = list(index)
        texts = bool(labels) and all(isinstance(label, str) for label in labels)
        return labels if texts and len(set(labels)) == len(labels) else None

    # Numbers

    def is_number(self, name: str) -> bool:
        """Whether a column holds numbers, after `resolve`."""
        return name in self._numbers or self.kind(name) in ("number", "flag")

    def resolve(self, names: Iterable[str], chosen: bool = False) -> None:
        """Read text as numbers where it is, and note cells that are not in `bad`.

        Parameters
        ----------
        names : iterable of str
        chosen : bool
            Whether all cells must be numbers; otherwise a column that is mostly something else
            stays what it is.
        """
        unread = [n for n in names if n not in self._numbers and self.kind(n) == "text"]
        texts = {name: self.cells(name) for name in unread}
        plain = {name: self._plain(cells) for name, cells in texts.items()}
        odd = {name: cells for name, cells in texts.items() if plain[name] is None}
        self.settle(odd, [cell for name in texts.keys() - odd.keys() for cell in texts[name]])
        if self.thousands == ".":
            odd = texts  # 1.050 is no plain number then
        for name, values in plain.items():
            if values is None or name in odd or np.isnan(values).all():
                continue
            if chosen or not _are_codes(texts[name], values):
                self._numbers[name] = values
        for name, cells in odd.items():
            parsed = list(map(self.number, cells))
            bad = [i for i, value in enumerate(parsed) if value is None]
            there = sum(value is None or value == value for value in parsed)
            # With decimal="," a point is neither here nor there: 1.050 is refused, not left out.
            dotted = self.decimal == "," and all(_NUMBER.fullmatch(str(cells[i])) for i in bad)
            if there and (not bad or chosen or dotted or 2 * len(bad) < there):
                self._numbers[name] = np.array([np.nan if v is None else v for v in parsed])
                if bad:
                    self.bad[name] = bad

    def number(self, cell: Any) -> float | None:
        """A cell as a number, NaN if it is missing, None if it is something else."""
        if not isinstance(cell, str):
            return np.nan if is_missing(cell) else _as_float(cell)
        text = cell.strip()
        if text.casefold() in self.absent:
            return np.nan
        text = _joined(text)
        if self.thousands:
            text = text.replace(self.thousands, "")
        if self.decimal == ",":
            text = "no number" if "." in text else text.replace(",", ".")
        return float(text) if _NUMBER.fullmatch(text.lower()) else None

    def _plain(self, cells: Sequence[Any]) -> Floats | None:
        """Text that is nothing but plain numbers and missing values, all at once."""
        if self.thousands or self.decimal == ",":
            return None
        try:
            filled = ["nan" if cell is None or cell in self.absent else cell for cell in cells]
            # Python takes 1_000 for a number.
            return None if "_" in "".join(filled) else np.array(list(map(float, filled)))
        except (TypeError, ValueError):
            return None

    def settle(self, odd: Mapping[str, list[Any]], plain: Sequence[Any] = ()) -> None:
        """Find out what commas in numbers mean, also beside plain ones; refuse to guess."""
        if self.decimal is not None or self.thousands is not None:
            return
        commas: dict[str, list[str]] = {}
        points: list[str] = []
        for name, cells in odd.items():
            texts = [_joined(cell.strip()) for cell in cells if isinstance(cell, str)]
            texts = [text for text in texts if text.casefold() not in self.absent]
            signed = [text for text in texts if "," in text and _SIGNED.fullmatch(text)]
            numbers = sum(self.number(text) is not None for text in texts)
            if signed and 2 * (len(signed) + numbers) > len(texts):
                commas[name] = signed
                points += [text for text in texts if "." in text]
            elif texts and all(map(_DOTTED.fullmatch, texts)):  # 1.073.096
                points += texts
        if not commas:
            return
        every = [text for signed in commas.values() for text in signed]
        # 1,5 and 0,125 can only be decimals, 1,234.5 only thousands; 1,000 may be either.
        grouped, decimal = (any(map(form.fullmatch, every)) for form in (_THOUSANDS, _DECIMAL))
        # A point in a column without commas tells nothing: 1.050 may be a thousand, or one.
        others = [c for c in plain if "." in str(c) and str(c).casefold() not in self.absent]
        clear = all(map(_DOTTED.fullmatch, points + others)) and (points or not others)
        if grouped and not decimal:
            self.thousands = ","
            self.notes.append("commas in numbers separate thousands")
        elif decimal and not grouped and clear:
            self.decimal = ","
            self.thousands = "." if points else None
            separate = ", and points that separate thousands" if points else ""
            self.notes.append(f"numbers have decimal commas{separate}")
        else:
            name, signed = next(iter(commas.items()))
            raise ValueError(
                f"numbers must be unambiguous; {self.of}column {name!r} has {signed[0]!r}: pass "
                "decimal=',' or thousands=','"
            )

    def is_nearly_number(self, cell: Any) -> bool:
        """Whether a cell is a number, or text of one with other signs, such as 40 %."""
        number = self.number(cell)
        if number is not None:
            return number == number
        text = str(cell).rstrip("% ").strip()
        return bool(_NUMBER.fullmatch(text) or _SIGNED.fullmatch(text))

    def block(self, names: Sequence[str]) -> Floats:
        """Columns of numbers side by side, shape (N, len(names)); missing values are NaN."""
        frame = self._frame
        # Arrow keeps its columns apart; the others have a matrix, or make it fast.
        if (
            frame is not None
            and names
            and hasattr(frame.to_native(), "to_numpy")
            and all(n not in self._numbers and self._types[n].is_float() for n in names)
        ):
            place = {name: j for j, name in enumerate(self.names)}
            first, last = place[names[0]], place[names[-1]]
            columns = slice(first, last + 1, max(1, (last - first) // max(1, len(names) - 1)))
            if [*self.names[columns]] == [*names]:  # a view, where pandas has one matrix
                return np.asarray(frame[:, columns].to_numpy())
            return np.asarray(frame.select(list(names)).to_numpy())
        own = self._numbers
        arrays = [own[n] if n in own else _of_objects(self._array(n)) for n in names]
        single = bool(arrays) and all(column.dtype == np.float32 for column in arrays)
        # One column after the other in memory, as they come: copied at the speed of memory.
        array = np.empty((len(arrays), len(self)), np.float32 if single else np.float64)
        for j, column in enumerate(arrays):
            array[j] = column
        return array.T

    # Words for messages

    def place(self, row: int, name: str, labels: Sequence[str | None] | None = None) -> str:
        """Where a cell is: file, row (by name or counted from 0) and column."""
        called = labels[row] if labels is not None and row < len(labels) else None
        return f"{self.of}row {row if called is None else repr(called)}, column {name!r}"

    def factor(self, column: str, base: str, power: int = 1) -> float:
        """What converts a column to a power of the unit of another; 1 unless both have one."""
        own, unit = (self.units.get(name) or split_unit(name)[1] for name in (column, base))
        if (str(own) == "%" or column.endswith("%")) and str(unit) != "%":
            raise ValueError(
                f"errors must have the unit of their values; {self.of}{column!r} is in percent and "
                f"{base!r} is not: multiply the errors by {base} / 100, or write (%) after both"
            )
        if own is None or unit is None or (power == 1 and str(own) == str(unit)):
            return 1.0
        try:
            if isinstance(own, str) or isinstance(unit, str):
                parse = import_module("astropy.units").Unit
                own, unit = parse(str(own)), parse(str(unit))
            unit = unit**power
            return (
                float(own.to(unit)) if hasattr(own, "to") else float((1 * own).to(unit).magnitude)
            )
        except (ImportError, ValueError, TypeError, AttributeError):
            named = [" ".join(str(one).split()) for one in (own, unit)]
            raise ValueError(
                f"errors must have the unit of their values; {self.of}{column!r} is in {named[0]} "
                f"and {base!r} in {named[1]}, which does not convert"
                f"{' here (astropy converts)' if isinstance(own, str) else ''}"
            ) from None


def is_table(source: Any) -> bool:
    """Whether an object holds named columns."""
    if isinstance(source, Mapping | Table):
        return True
    if isinstance(source, np.ndarray):
        return source.dtype.names is not None
    if isinstance(source, list | tuple):
        return bool(source) and all(isinstance(row, Mapping) for row in source)
    return any(
        hasattr(type(source), name)
        for name in (
            *("columns", "colnames", "data_vars", "__arrow_c_stream__", "__dataframe__"),
            *("fetch_arrow_table", "fetchall", "to_table"),
        )
    ) or hasattr(source, "colnames")


def table_of(data: Any, parameter: str = "source", **options: Any) -> Table:
    """The columns of any data frame, table, mapping, query result or Arrow object.

    Examples
    --------
    >>> table_of({"x": [1.0, 2.0], "y": [3, 4]}).block(["x", "y"])
    array([[1., 3.],
           [2., 4.]])
    """
    if isinstance(data, Table):
        return data
    if isinstance(data, list | tuple) and is_table(data):
        keys = dict.fromkeys(key for row in data for key in row)
        data = {key: [row.get(key) for row in data] for key in keys}
    elif isinstance(data, np.ndarray) and data.dtype.names is not None:
        data = {name: data[name] for name in data.dtype.names}
    elif hasattr(data, "colnames"):  # astropy
        data = {name: data[name] for name in data.colnames}
    elif hasattr(data, "data_vars"):  # xarray
        data = _of_xarray(data)
    elif hasattr(data, "fetch_arrow_table") and not hasattr(data, "__arrow_c_stream__"):  # ADBC
        data = data.fetch_arrow_table()
    elif hasattr(data, "fetchall") and not hasattr(
        data, "__arrow_c_stream__"
    ):  # SQLAlchemy, DB-API
        named = data.keys() if hasattr(data, "keys") else [c[0] for c in data.description]
        rows = data.fetchall()
        data = {key: [row[j] for row in rows] for j, key in enumerate(named)}
    if isinstance(data, Mapping):
        return Table(data, **options)
    table = _of_frame(data, parameter, options)
    table.library = None if table.source else library_of(data)
    return table


def _of_frame(source: Any, parameter: str, options: Mapping[str, Any]) -> Table:
    keys: list[Any] = []
    if is_a(source, "pandas", "DataFrame"):
        keys = list(source.columns)
        if not source.columns.is_unique:
            twice = source.columns[source.columns.duplicated()][0]
            raise ValueError(f"column names must be distinct; {twice!r} occurs twice")
        if not all(isinstance(key, str) for key in keys):
            levels = [key if isinstance(key, tuple) else (key,) for key in keys]
            flat = [" ".join(filter(None, map(str, parts))) for parts in levels]
            source = source.set_axis(flat, axis=1)
    kind = type(source).__name__
    nw = optional("narwhals", f"reading an object of type {kind}", "frames")
    frame = nw.from_native(source, pass_through=True)
    if frame is source and not isinstance(source, nw.DataFrame | nw.LazyFrame):
        frame = nw.from_native(_through_arrow(source, parameter, kind), pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    table = Table(frame, **options)
    table.keys |= dict(zip(table.names, keys, strict=False))
    noted = getattr(getattr(frame.to_native(), "schema", None), "metadata", None) or {}
    if isinstance(noted, dict) and b"pandas" in noted:
        with suppress(ValueError, TypeError, KeyError, RecursionError):  # anybody can write it
            kept = json.loads(noted[b"pandas"])["index_columns"]
            table.index = tuple(n for n in kept if isinstance(n, str))
    return table


def _through_arrow(source: Any, parameter: str, kind: str) -> Any:
    """An object that only has an Arrow stream or the interchange interface."""
    needed = any(
        hasattr(source, name) for name in ("__arrow_c_stream__", "__arrow_c_array__", "to_table")
    )
    if getattr(source, "ndim", 2) != 2 or not (needed or hasattr(source, "__dataframe__")):
        raise TypeError(
            f"{parameter} must be a table with named columns or the path of one; got an object of "
            f"type {kind}"
        )
    pa = optional("pyarrow", f"reading an object of type {kind}", "frames")
    if not needed:
        return import_module("pyarrow.interchange").from_dataframe(source)
    return source.to_table() if hasattr(source, "to_table") else pa.table(source)


def _of_xarray(data: Any) -> dict[str, Any]:
    """The variables of a data set over one dimension, and the names that the dimension gives."""
    dims = {dim for name in data.data_vars for dim in data[name].dims}
    if len(dims) != 1:
        raise ValueError(
            "variables must run over one dimension, that of the rows; got "
            f"{listed(sorted(map(str, dims)))}; "
            "from_draws reads draws"
        )
    columns = {str(name): data[name].values for name in data.data_vars}
    dim = next(iter(dims))
    return {str(dim): data.coords[dim].values, **columns} if dim in data.coords else columns


def _vector(values: Any, name: str, units: dict[str, Any]) -> npt.NDArray[Any]:
    """A column as an array: masked values are None or NaN, and its unit is noted."""
    unit = getattr(values, "unit", None) or getattr(values, "units", None)
    if unit is not None and str(unit):
        units.setdefault(name, unit)
    mask = getattr(values, "mask", None)
    bare = getattr(values, "value", getattr(values, "magnitude", values))
    column = bare if type(bare) is np.ndarray and bare.dtype.kind not in "SUT" else None
    if column is None:
        text = isinstance(bare, list) and bool(bare) and isinstance(bare[0], str)
        try:
            column = np.array(bare, dtype=object) if text else np.asarray(bare)
        except ValueError:
            column = np.empty(0)
        if column.ndim != 1 or (column.dtype.kind in "USOT" and not text):
            # Text and mixed cells stay what they are: NumPy would make one type of them.
            column = np.empty(len(bare), dtype=object)
            column[:] = [c.decode() if isinstance(c, bytes) else c for c in bare]
    if column.ndim != 1:
        raise ValueError(
            f"columns must have one entry for each row; {name!r} has shape {column.shape}"
        )
    if mask is not None and np.any(mask):
        gap = np.nan if column.dtype.kind == "f" else None
        column = column.astype(column.dtype if gap is not None else object)
        column[np.broadcast_to(np.asarray(mask), column.shape)] = gap
    return column


def _of_objects(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A column of numbers that may be decimals, fractions or missing."""
    if column.dtype.kind != "O":
        return column
    return np.array([np.nan if is_missing(cell) else float(cell) for cell in column.tolist()])


def _as_float(cell: Any) -> float | None:
    numbers = (int, float, np.integer, np.floating, Decimal, Fraction)
    return float(cell) if isinstance(cell, numbers) and not isinstance(cell, bool) else None


def _kind_of_objects(column: npt.NDArray[Any]) -> str:
    """What a column of objects holds, where it holds one kind of thing."""
    cells = [cell for cell in column.tolist() if not is_missing(cell)]
    if any(isinstance(cell, str) for cell in cells):
        return "text"
    if cells and all(isinstance(cell, bool | np.bool_) for cell in cells):
        return "flag"
    return "number" if cells and all(_as_float(c) is not None for c in cells) else "other"


# Values with errors


def from_frame(
    df: Any,
    errors: str | Sequence[str] | Mapping[str, Any] | None = None,
    corr: str | bool | None = None,
    *,
    features: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    names: str | Sequence[str] | Literal[False] | None = None,
    weights: str | npt.ArrayLike | None = None,
    missing: Literal["error", "drop", "keep"] = "error",
    bad_cells: Literal["error", "drop"] = "error",
    words: Mapping[str, None] | str | PathLike[str] | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    sheet: str | int | None = None,
    encoding: str | None = None,
) -> UncertainArray:
    """Values with error bars: columns such as ``x`` and ``x_err``.

    `uapca.read` recognizes a table of values and errors; this is its explicit form, which
    refuses a table without errors.

    Parameters
    ----------
    df : data frame, mapping, path or anything else `uapca.read` takes
    errors : str, sequence of str or mapping, optional
        How the columns with errors are named after their features, such as ``"d{}"``, or which
        column holds the errors of which feature: ``{"x": "sx", "y": ("y_low", "y_high")}``; a
        number is the error of all rows. By default the usual names are known (see Notes). A
        feature without an error is certain.
    corr : str or bool, optional
        How a column with the correlation of two errors is named, in either order; by default
        ``"{}_{}_corr"``, the convention of the Gaia catalogue. False leaves correlations out.
    features, exclude : str or sequence of str, optional
        The columns to use, in this order, and columns to leave out; patterns such as ``"met_*"``
        are allowed. By default all columns of numbers that are nothing else.
    names : str, sequence of str or False, optional
        The column that names the rows, or the names. By default a pandas index of distinct texts,
        or else the first column of distinct texts, or of numbers if it is called ``id`` or the
        like; False leaves the rows without names.
    weights : str or array-like of shape (N,), optional
        The column of weights, or the weights.
    missing : {"error", "drop", "keep"}, default="error"
        What to do with rows that lack a value: refuse, leave them out and count them in a
        `DroppedRowsWarning`, or keep them with NaN in ``X.mean``, for `uapca.Denoiser`; a value
        whose error is missing is then missing too.
    bad_cells : {"error", "drop"}, default="error"
        What to do with cells that hold no number: refuse, or leave out their rows and count them.
    words : mapping of str to None, or path, optional
        Words that stand for a missing value: ``{"?": None}``.
    decimal, thousands : str, optional
        The signs in numbers that are text; needed only where they are ambiguous.
    sheet : str or int, optional
        The sheet of an Excel file, or the table of a FITS file.
    encoding : str, optional
        The encoding of a text file that is neither UTF-8 nor UTF-16, such as ``"cp1252"``.

    Returns
    -------
    UncertainArray
        With independent errors, or one covariance matrix for each row where there are
        correlations. ``X.origin`` says how the table was understood.

    See Also
    --------
    uapca.read : Any table: finds out what its columns are.
    uapca.from_table : A table of uncertain cells.
    uapca.from_groups : Labeled points: one row for each label.

    Notes
    -----
    Errors are recognized by these names, upper or lower case, for a feature ``x``: ``x_err``,
    ``x_error``, ``x_std``, ``x_sd``, ``x_sigma``, ``x_unc``, ``x_uncertainty``, ``x_se``,
    ``x_sem``, ``e_x``, ``err_x``, ``sigma_x``, ``σx``, ``x±``, ``xerr``; ``_`` may be a space, a
    point or a hyphen. ``x_2sigma`` and the like are halved. ``x_var`` is a variance and ``x_ivar``
    an inverse variance (0 for no observation); both are converted. ``x_err_lo`` and ``x_err_hi``
    are asymmetric errors, distances from the value, and ``x_lower`` and ``x_upper`` values one
    standard deviation below and above; both make a two-piece normal law with the value as its
    mode, whose exact mean and variance are used. Percentiles ``x_q16`` and ``x_q84`` stand around
    a median: the law has these quantiles, and is a two-piece normal where one has them and a
    shifted gamma law otherwise. Values may be called ``x_mean``, ``mean_x``, ``x_median`` or
    ``x_p50``.

    Errors are converted to the unit of their feature where both are known (astropy, pint).

    Arrays are kept without a copy, as `UncertainArray` keeps them, where a pandas frame has all its
    numbers in one: do not change such a frame in place afterwards.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.from_frame({
    ...     "star": ["a", "b"],
    ...     "ra": [10.0, 11.0], "ra_error": [0.1, 0.2],
    ...     "dec": [-5.0, -4.0], "dec_error": [0.3, 0.1],
    ...     "ra_dec_corr": [0.5, -0.2],
    ... })
    >>> X.features, X.names
    (('ra', 'dec'), ('a', 'b'))
    >>> X.cov.dense()[0]
    array([[0.01 , 0.015],
           [0.015, 0.09 ]])
    """
    from uapca.inputs.files import open_table

    text: Any = {"decimal": decimal, "thousands": thousands, "encoding": encoding}
    table = open_table(df, sheet=sheet, words=words, **text)
    reading = Reading(
        table, names, weights, features, exclude, errors=errors, bad_cells=bad_cells,
        missing=missing,
    )  # fmt: skip
    return of_columns(reading, errors, corr, certain=False)


class Reading:
    """The rows of a table: their names and weights, which are kept, and what is said of them."""

    def __init__(
        self,
        table: Table,
        names: Any,
        weights: Any,
        features: Any,
        exclude: Any,
        *,
        errors: Any = None,
        bad_cells: str = "error",
        missing: str = "error",
        cells: bool = False,
    ) -> None:
        check_choice(missing, ("error", "drop", "keep"), "missing")
        check_choice(bad_cells, ("error", "drop"), "bad_cells")
        self.table = table
        self.features: Any = features
        self.exclude: Any = exclude
        self.missing = missing
        self.bad_cells = bad_cells
        self.mask: npt.NDArray[np.bool_] = np.ones(len(table), dtype=bool)
        self.dropped: dict[str, int] = {}
        self.weights = weights
        own = WEIGHT if weights is None and WEIGHT in table.names else None
        self.weighted: str | None = weights if isinstance(weights, str) else own
        self.named = names if isinstance(names, str) else None
        for column, parameter in ((self.weighted, "weights"), (self.named, "names")):
            expand([] if column is None else [column], table.names, parameter)
        self.names: Sequence[str | None] | None = None
        self.unusable: list[str] = []
        if names is None:
            self.names = table.row_names()
            if self.names is None:
                known = table.names
                without = {str(self.weighted), *expand(exclude, known, "exclude")}
                without |= {*expand(features, known, "features", without)}
                with table.naming():
                    self.named, unusable = naming_column(table, without, errors, cells)
                self.unusable = [f"{name} ({why})" for name, (why, _) in unusable.items()]
                missed = [name for name, (_, distinct) in unusable.items() if distinct]
                if self.named is None and missed:
                    warn(
                        f"{table.of}column {missed[0]!r} cannot name the rows, which have no names "
                        f"now; it has {unusable[missed[0]][0]}: correct it, or pass names=False",
                        UserWarning,
                    )
        elif names is not False and self.named is None:
            self.names = list(map(str, names))
        if self.named is not None:
            self.names = table.texts(self.named)
            if None in self.names:
                raise ValueError(
                    "names must be given for every row; "
                    f"{table.place(self.names.index(None), self.named)} "
                    "is empty"
                )
        self.taken: set[str] = {name for name in (self.named, self.weighted) if name is not None}

    def columns(self) -> list[str]:
        """The columns that were asked for, or all that are neither left out nor something else."""
        known = self.table.names
        without = {*expand(self.exclude, known, "exclude"), *self.taken}
        if self.features is not None:
            return expand(self.features, known, "features", without)
        return [name for name in known if name not in without]

    def numbers(self, columns: Sequence[str]) -> Floats:
        """Columns as numbers side by side; refuses other cells, or leaves out their rows."""
        table = self.table
        table.resolve(columns, chosen=True)
        for name in columns:
            if not table.is_number(name):
                raise ValueError(
                    f"columns that are used must hold numbers; {table.of}column {name!r} holds "
                    f"{'no values' if table.kind(name) == 'text' else 'something else'}"
                )
        bad = sorted((i, name) for name in set(columns) for i in table.bad.get(name, ()))
        if bad and self.bad_cells == "error":
            texts = [short(table.cells(n)[i]) for i, n in bad]
            why = [f"cannot read {text} as a number" for text in texts]
            raise self.refuse(
                [(i, n, said) for (i, n), said in zip(bad, why, strict=True)],
                "cells must be numbers",
                f"correct them{range_hint(table.cells(n)[i] for i, n in bad)}, pass "
                f"words={{{texts[0]}: None}} if that means no value, bad_cells='drop', or leave "
                "the column out with exclude=",
            )
        self.drop([i for i, _ in bad], "with a cell that cannot be read")
        return table.block(columns)

    def complete(
        self,
        block: Floats,
        column: Callable[[int], str],
        missing: str,
        what: str = "values",
        otherwise: str = "missing='keep'",
    ) -> None:
        """Refuse values that are not finite; refuse or leave out rows that lack one."""
        with np.errstate(all="ignore"):
            if np.isfinite(block.sum(dtype=np.float64)):
                return
        infinite, gaps = np.isinf(block), np.isnan(block) & self.mask[:, None]
        if missing == "drop":
            lacking = {"values": "a value", "errors": "an error", "correlations": "a correlation"}
            self.drop(np.flatnonzero(gaps.any(axis=1)), f"without {lacking[what]}")
            gaps[:] = False
        for where, rule, remedy in (
            (infinite, f"{what} must be finite", ""),
            (
                gaps & (missing == "error"),
                f"{what} must not be missing",
                f"; pass missing='drop' to leave such rows out, or {otherwise}",
            ),
        ):
            if where.any():
                row, k = (int(i) for i in np.argwhere(where)[0])
                found = "is empty or nan" if np.isnan(block[row, k]) else f"is {block[row, k]}"
                counts = where.sum(axis=0)
                columns = [f"{column(int(j))} {counts[j]:,}" for j in counts.nonzero()[0]]
                each = f": {several(columns, 20)}" if len(columns) > 1 else ""
                raise ValueError(
                    f"{rule}; {self.table.place(row, column(k), self.names)} {found}"
                    f"{f' ({where.sum()} such{each})' if where.sum() > 1 else ''}{remedy}"
                )

    def drop(self, rows: Any, why: str) -> None:
        """Leave rows out, and count them by the reason."""
        before = int(self.mask.sum())
        self.mask[rows] = False
        lost = before - int(self.mask.sum())
        if lost:
            self.dropped[why] = self.dropped.get(why, 0) + lost

    def refuse(self, cells: Sequence[tuple[int, str, str]], rule: str, remedy: str) -> TableError:
        """An error about cells: (row, column, what is wrong); the first ones are shown."""
        found = []
        for i, name, why in cells:
            called = self.names[i] if self.names is not None and i < len(self.names) else None
            text = "" if why == "empty" else str(self.table.cells(name)[i]).strip()
            found.append(BadCell(str(i) if called is None else repr(called), name, text, why))
        more = f"; and {len(cells) - _SHOWN} more" if len(cells) > _SHOWN else ""
        listing = "; ".join(map(str, found[:_SHOWN]))
        return TableError(f"{rule}; {self.table.of}{listing}{more}; {remedy}", found)

    def finish(self, described: Sequence[str], roles: Roles) -> dict[str, Any]:
        """Names, weights and origin of the rows that are kept; says how many are not."""
        if not self.mask.any():
            raise ValueError(
                f"{self.table.source or 'the table'} must have complete rows; every row lacks a "
                "value"
            )
        weights = self.weights
        if self.weighted is not None:
            weights = self.numbers([self.weighted])
            self.complete(weights, [self.weighted].__getitem__, "error")
            weights = weights[:, 0]
        names, kept = self.names, self.mask
        if not kept.all():
            # What does not fit the rows is refused by the array.
            names, weights = (
                part if part is None or len(part) != len(kept) else list(compress(part, kept))
                for part in (names, weights)
            )
        say_dropped(self.dropped)
        table = self.table
        lines = [f"{table.origin}: {described[0]}", *described[1:], *table.notes]
        if self.named is not None:
            lines.append(f"names of rows: {self.named or 'the first column'}")
        if self.unusable:
            lines.append(f"cannot name the rows: {several(self.unusable)}")
        if self.weighted is not None:
            lines.append(f"weights: {self.weighted}")
        lines += roles.say()
        lines += [f"left out: {plural(n, 'row')} {why}" for why, n in self.dropped.items()]
        return {"names": names, "weights": weights, "origin": "\n".join(lines)}


def say_dropped(dropped: Mapping[str, int], skipped: Sequence[str] = (), labels: int = 0) -> None:
    """Warn of rows, files and labels that were left out, as asked for, at the library's caller."""
    parts = [f"{n} {why}" for why, n in sorted(dropped.items()) if n]
    if parts:
        gone = f"; {plural(labels, 'label')} had no other rows" if labels else ""
        warn(
            f"left out {plural(sum(dropped.values()), 'row')}, as asked for: "
            f"{' and '.join(parts)}{gone}",
            DroppedRowsWarning,
        )
    if skipped:
        more = f"; and {len(skipped) - 5} more" if len(skipped) > 5 else ""
        warn(
            f"left out {plural(len(skipped), 'file')}, as asked for: "
            f"{'; '.join(skipped[:5])}{more}",
            SkippedFilesWarning,
        )


def warn(message: str, category: type[Warning]) -> None:
    """Warn with the line of the user's code that called this package."""
    frame: Any = sys._getframe(1)
    level = 2
    while frame is not None and frame.f_globals.get("__name__", "").startswith("uapca."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def of_columns(reading: Reading, errors: Any, corr: Any, certain: bool) -> UncertainArray:
    """Rows of values and their errors; of values alone where ``certain`` allows that."""
    table, features, taken = reading.table, reading.features, reading.taken
    check_missing_words(table.words)
    own = {"errors": errors, "corr": corr, "features": features, "exclude": reading.exclude}
    with table.naming():
        roles = find_roles(table, taken=taken, **own)
    chosen = roles.features
    if not chosen or not len(table):
        why = "".join(f"; {line}" for line in (*table.notes, *roles.say()))
        raise ValueError(
            f"the table must have rows and columns of numbers; {table.origin} has none{why}"
        )
    if table.textual and features is None and all(map(_NUMBER.fullmatch, chosen)):
        # Wavelengths and years rise or fall; the values of a row do not.
        steps = np.diff(np.array(chosen, dtype=np.float64))
        if (steps > 0.0).any() and (steps < 0.0).any() and any("." in name for name in chosen):
            raise ValueError(
                f"the first line must name the columns; {table.of}it holds {several(chosen, 4)}: "
                "write a line of names above, without #, or pass features= if these are names"
            )
    suspects = lookalikes(chosen, set(chosen) - set(roles.errors)) if features is None else {}
    error, value = next(iter(suspects.items()), ("dx", "x"))
    if not roles.errors and not certain:
        raise ValueError(
            f"errors must match a column; none is named like 'x_err' for a feature 'x' among "
            f"{listed(table.names)}; pass errors={error.replace(value, '{}', 1)!r} or the like, or "
            "use uapca.read for certain values"
        )
    if suspects and roles.errors:
        warn(
            f"{error!r} looks like the errors of {value!r} but is taken for a feature; pass "
            f"errors={{{value!r}: {error!r}}}, or features= if it is one",
            ErrorColumnWarning,
        )
    elif suspects:
        roles.hints.append(
            f"if {error} holds the errors of {value}, pass errors={error.replace(value, '{}', 1)!r}"
        )
    mean, std, laws = reading.numbers(chosen), None, None
    if roles.errors:
        mean, std, laws = _errors(reading, roles, mean)
        if reading.missing == "keep":
            mean = _without_errors(roles, mean, std)
        _hint_at_units(table, roles, std)
    gaps = np.isnan(mean) if reading.missing == "keep" else None
    reading.complete(mean, chosen.__getitem__, reading.missing)
    if std is not None:
        if gaps is not None:
            std = np.where(gaps, 0.0, std)
        otherwise = "missing='keep' to take their values for missing"
        column = partial(_lacking, table, roles, std)
        reading.complete(std, column, reading.missing, "errors", otherwise)
    matrices = None
    if roles.pairs:
        columns = list(roles.pairs.values())
        values = reading.numbers(columns).copy()
        if gaps is not None:
            for k, (i, j) in enumerate(roles.pairs):
                values[gaps[:, i] | gaps[:, j], k] = 0.0
        strict = "error" if gaps is not None else reading.missing
        remedy = "write 0 if there is none, or leave the columns out with exclude="
        reading.complete(values, columns.__getitem__, strict, "correlations", remedy)
        matrices = _covariances(reading, roles, values, std)
    if not roles.errors and any(error_columns(list(map(str, (reading.names or ())[:100])))):
        roles.hints.append("rows are named like values and their errors: transpose the table")
    described = ["certain points", "no column holds errors (such as x_err): this is ordinary PCA"]
    if roles.errors:
        parts = [
            roles.errors[n].describe(n) if n in roles.errors else f"{n} (certain)" for n in chosen
        ]
        patterns = {part.replace(n, "x") for part, n in zip(parts, chosen, strict=True)}
        pairs = several(parts, 20)
        if len(parts) > 8 and len(patterns) == 1:
            pairs = f"{len(parts)} features, each {patterns.pop()}: {several(chosen)}"
        described = ["values with errors", pairs]
    if roles.pairs:
        described.append(f"correlations: {several(list(roles.pairs.values()))}")
    common, kept = reading.finish(described, roles), reading.mask
    if not kept.all():
        mean = mean[kept]
        std, matrices = (None if part is None else part[kept] for part in (std, matrices))
        laws = None if laws is None else laws[kept]
    return UncertainArray(
        mean,
        matrices,
        std=std if matrices is None else None,
        features=with_units(chosen, table.units),
        laws=laws if matrices is None and gaps is None else None,
        missing="error" if gaps is None else "keep",
        check=False,
        **common,
    ).replace(library=table.library)


def check_missing_words(words: Mapping[str, Marginal | None]) -> None:
    """Raise unless all words stand for a missing value, where they can mean nothing else."""
    for word, law in words.items():
        if law is not None:
            raise ValueError(
                f"words must mean None, a missing value, in tables of numbers; {word!r} means "
                f"{law}; uapca.from_table reads uncertain cells"
            )


def with_units(names: Sequence[str], units: Mapping[str, Any]) -> list[str]:
    """Names of features with the units that are known and not in the names: ``mass [kg]``."""
    told = [n in units and split_unit(n)[1] != str(units[n]) for n in names]
    return [
        f"{n} [{unit_symbol(units[n])}]" if add else n for n, add in zip(names, told, strict=True)
    ]


def _errors(reading: Reading, roles: Roles, mean: Floats) -> tuple[Floats, Floats, RowLaws | None]:
    """Means and standard deviations (N, D), and the laws of rows with asymmetric errors."""
    table, chosen, errors = reading.table, roles.features, roles.errors
    columns = [c for own in errors.values() if own.kind != "constant" for c in own.columns]
    symmetric = all(n in errors and errors[n].kind == "std" for n in chosen)
    std = reading.numbers(columns)
    plain = symmetric and std.dtype == mean.dtype and std.min(initial=0.0) >= 0.0
    if plain and all(table.factor(errors[n].columns[0], n) == 1.0 for n in chosen):
        return mean, std, None
    given = dict(zip(columns, std.T, strict=True))
    # One column after the other in memory, as they come.
    doubles = [np.float64 for own in errors.values() if own.kind == "constant"]
    std = np.empty(mean.shape[::-1], np.result_type(mean, *doubles, *given.values())).T
    if any(own.kind in ("inverse", "distances", "bounds", "quantiles") for own in errors.values()):
        mean = mean.copy()  # values may be those of the user's frame
    sides = {}
    for j, name in enumerate(chosen):
        kind, own = errors.get(name, CERTAIN)
        if kind == "constant":
            std[:, j] = float(own[0])
            continue
        power = {"variance": 2, "inverse": -2}.get(kind, 1)
        factors = [table.factor(c, name, power) / (1 + (kind == "double")) for c in own]
        values = [given[c] * f if f != 1.0 else given[c] for c, f in zip(own, factors, strict=True)]
        if kind in ("bounds", "quantiles"):
            values = [mean[:, j] - values[0], values[1] - mean[:, j]]
        elif kind == "distances" and len(table) and np.nanmax(values[0]) <= 0.0:
            values[0] = -values[0]  # some catalogues write the lower error with its sign
        for part, column in zip(values, own, strict=True):
            if len(part) and not part.min() >= 0.0 and (part < 0.0).any():
                row = int((part < 0.0).argmax())
                place, value = table.place(row, column, reading.names), f"{part[row]:g}"
                remedy = f"; pass words={{{value!r}: None}} if that means no value"
                raise ValueError(
                    f"errors must not be negative; {place} makes an error of {value}"
                    f"{remedy if table.textual else ''}"
                )
        if len(values) == 2:
            law = law_of_quantiles if kind == "quantiles" else law_of_distances
            center, std[:, j], sides[j] = law(mean[:, j].copy(), *values)
            # An error that is missing does not make the value missing.
            mean[:, j] = np.where(np.isnan(center), mean[:, j], center)
        elif kind == "inverse":
            # No observation: the survey catalogues write an inverse variance of 0.
            none = values[0] == 0.0
            mean[none, j] = np.nan
            std[:, j] = 1.0 / np.sqrt(np.where(none, np.nan, values[0]))
        else:
            std[:, j] = np.sqrt(values[0]) if kind == "variance" else values[0]
    if not sides:
        return mean, std, None
    parts = mean.copy(), std.copy(), std.copy(), np.zeros(mean.shape)
    for j, own_sides in sides.items():
        for part, side in zip(parts, own_sides, strict=True):
            part[:, j] = side
    return mean, std, RowLaws(asymmetric, *parts)


def _hint_at_units(table: Table, roles: Roles, std: Floats) -> None:
    """Positions of Gaia are in degrees and their errors in milliarcseconds, which no CSV says.

    An error of 0.001 degrees is 3600 milliarcseconds, far above any of the catalogue.
    """
    named = {"source_id", "parallax", "ra", "dec"} <= set(table.names)
    places = [j for j, n in enumerate(roles.features) if n in ("ra", "dec") and n in roles.errors]
    bare = not any(table.units.get(roles.features[j]) for j in places)
    if named and bare and places and np.mean(np.nan_to_num(std[:, places]) > 1e-3) > 0.5:
        columns = [roles.errors[roles.features[j]].columns[0] for j in places]
        roles.hints.append(
            f"if this is the Gaia catalogue, the errors {' and '.join(columns)} are in "
            "milliarcseconds beside values in degrees: divide them by 3.6e6"
        )


def _without_errors(roles: Roles, mean: Floats, std: Floats) -> Floats:
    """Means in which values of unknown error are missing, which is said."""
    unknown = np.isnan(std) & ~np.isnan(mean)
    counts = unknown.sum(axis=0)
    if not counts.any():
        return mean
    each = several([f"{roles.features[j]} {counts[j]:,}" for j in counts.nonzero()[0]], 20)
    roles.hints.append(f"taken for missing, having no error: {each}")
    warn(
        f"{plural(int(counts.sum()), 'value')} without an error taken for missing, as asked for: "
        f"{each}",
        DroppedRowsWarning,
    )
    return np.where(unknown, np.nan, mean)


def _lacking(table: Table, roles: Roles, std: Floats, j: int) -> str:
    """The column that the first missing error of a feature is missing in."""
    columns, row = roles.errors[roles.features[j]].columns, int(np.isnan(std[:, j]).argmax())
    return next((c for c in columns if np.isnan(table.block([c])[row, 0])), columns[0])


def _covariances(reading: Reading, roles: Roles, values: Floats, std: Any) -> Floats:
    """One covariance matrix for each row from its errors and their correlations."""
    if std is None:
        raise ValueError("corr must belong to features with errors; none has any")
    n, d = std.shape
    outside = np.abs(values) > 1
    if outside.any():
        row, k = (int(i) for i in np.argwhere(outside)[0])
        column = list(roles.pairs.values())[k]
        raise ValueError(
            "correlations must be between -1 and 1; "
            f"{reading.table.place(row, column, reading.names)} "
            f"is {values[row, k]}"
        )
    matrices = np.zeros((n, d, d))
    matrices[:, range(d), range(d)] = 1.0
    for k, (i, j) in enumerate(roles.pairs):
        matrices[:, i, j] = matrices[:, j, i] = values[:, k]
    size = max(1, (1 << 20) // (d * d))
    for start in range(0, n, size):
        part = np.nan_to_num(matrices[start : start + size])
        try:
            np.linalg.cholesky(part + _TOLERANCE * np.eye(d))
        except np.linalg.LinAlgError:
            lowest = np.linalg.eigvalsh(part)[:, 0]
            row = int(np.argmax(lowest < -_TOLERANCE))
            place = reading.table.place(start + row, "", reading.names).partition(", column")[0]
            raise ValueError(
                f"correlations must make a positive semi-definite matrix; that of {place} has the "
                f"eigenvalue {lowest[row]:.3g}"
            ) from None
    matrices *= std[:, :, None]
    matrices *= std[:, None, :]
    return matrices


def range_hint(cells: Iterable[Any]) -> str:
    """How to write the first of the cells that is a range such as 10-12, if there is one."""
    for cell in cells:
        if match := _RANGE.fullmatch(str(cell).strip()):
            low, high = (bound.replace(",", ".") for bound in match.groups())
            return f" (the range {match[0]} is written [{low}, {high}])"
    return ""


def _are_codes(cells: Sequence[Any], values: Floats) -> bool:
    """Whether a whole number has leading zeros, as the codes of wards have, or 17 digits."""
    whole = values[0] == round(values[0]) if np.isfinite(values[0]) else True
    return whole and any(
        c and ((len(c) > 1 and c[0] == "0") or len(c) > 16) and c.strip().isdigit() for c in cells
    )


def _joined(text: str) -> str:
    """A number with its thousands together, and a plain minus sign; other text as it is."""
    text = text.replace("\N{MINUS SIGN}", "-")
    spaced = _SPACED.fullmatch(text)
    return text.replace(spaced["sign"], "") if spaced else text


def short(text: Any) -> str:
    """A text in quotes; a long one is cut."""
    return repr(text if len(str(text)) <= 40 else str(text)[:37] + "...")
