"""Tables and points in files: one table in memory, or record batches a chunk at a time.

Text, JSON lines and plain tables need no other library. pyarrow reads Parquet, Arrow and streams,
pandas reads Excel, astropy reads FITS, VOTable and ECSV, fsspec opens addresses such as
``s3://…``.
"""

from __future__ import annotations

import csv
import glob
import io
import json
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from os import PathLike, fspath
from threading import Lock
from typing import Any, NamedTuple
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt

from uapca._names import is_error_word, nearest, several, unguarded
from uapca._validation import Floats, listed, optional
from uapca.aggregate.labels import is_a
from uapca.exceptions import FileError
from uapca.inputs.frame import Table, table_of

__all__ = ["Source", "is_streamed", "library", "open_table", "skip", "sources_of", "stream_of"]

_FORMATS = {
    "text": (".csv", ".tsv", ".tab", ".txt", ".dat", ".psv"),
    "Parquet": (".parquet", ".pq", ".parq"),
    "Arrow": (".arrow", ".feather", ".ipc"),
    "JSON lines": (".jsonl", ".ndjson"),
    "JSON": (".json",),
    "Excel": (".xlsx", ".xlsm", ".xls", ".ods"),
    "FITS": (".fits", ".fit", ".fits.gz"),
    "VOTable": (".vot", ".votable", ".xml"),
    "ECSV": (".ecsv",),
    "uapca": (".uapca",),
}
_PACKED = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma", ".zst": "zstd"}
# What Excel calls CSV in Western Europe and the Americas is Windows-1252.
NOT_UTF8 = (
    "it is not text in UTF-8; pass encoding='cp1252' (Windows) or 'latin-1' if it was saved so, or "
    "save it as UTF-8"
)
_UNKNOWN_ENCODING = "encoding must be one that Python knows, such as 'latin-1'; got {!r}"
_STARTS = {b"PAR1": "Parquet", b"ARROW1": "Arrow", b"PK\x03\x04": "Excel", b"SIMPLE": "FITS"}
# What is looked for in folders, where a text is as likely a note.
_DATA = (*_FORMATS["Parquet"], *_FORMATS["Arrow"], ".csv", ".tsv")
_DATA += tuple(ending + packed for ending in (".csv", ".tsv") for packed in _PACKED)
# Folders of formats that keep files which no longer count, and how they are known.
_LAKES = {
    "_delta_log": ("a Delta Lake", "pass deltalake.DeltaTable(path).to_pyarrow_dataset()"),
    "metadata/*.metadata.json": ("an Iceberg", "pass the Arrow reader of pyiceberg"),
    ".hoodie": ("a Hudi", "read it with its own library"),
}
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
_HEAD = 1 << 20  # bytes of a text from which its columns are understood
_BLOCK = 2 << 20  # bytes of a text taken at a time by the reader of CSV files
_UNPACKED = 1 << 30  # bytes of an Excel file, unpacked
_EMPTY = 10_000_000  # empty cells between those of a sheet
_TEXT = 1 << 28  # bytes of a packed text; one that is larger is at most 100 times its file
_PAGES = 1 << 17  # bytes of each column of a Parquet file read at a time


def open_table(
    source: Any,
    *,
    sheet: str | int | None = None,
    parameter: str = "source",
    words: Any = None,
    **options: Any,
) -> Table:
    """A table in memory from a frame, a file, a folder, a pattern or an address."""
    if words is not None:
        from uapca.inputs.cells import check_words

        options["words"] = check_words(words)
    if hasattr(source, "read") and not hasattr(source, "columns"):
        name = getattr(source, "name", "the stream")
        return Text(source.read(), name, options.get("encoding")).table(options)
    several = isinstance(source, list | tuple) and is_streamed(source)
    if not (several or isinstance(source, str | PathLike)):
        with reading("the query") if is_streamed(source) else nullcontext():
            return table_of(source, parameter, **options)
    paths = [fspath(path) for path in (source if several else [source])]
    found = [find_files(path) for path in paths]
    parts = [(_load(name, sheet, options), _hive(name)) for files, _ in found for name in files]
    table = _stacked(parts, ", ".join(paths), options)
    table.notes += [note for _, notes in found for note in notes]
    return table


def _load(path: str, sheet: Any, options: Mapping[str, Any]) -> Table:
    form = format_of(path)
    with reading(path, form):
        if form in ("Parquet", "Arrow"):
            module = library("pyarrow.parquet" if form == "Parquet" else "pyarrow.feather")
            found = module.read_table(_stream(path))
            found.validate(full=True)  # one wrong bit in an offset would end the process
            return table_of(found, source=path, form=f"{form} table", **options)
        if form in ("FITS", "VOTable", "ECSV"):
            return _astropy(path, form, sheet, options)
        if form == "Excel":
            return _excel(path, sheet, options)
        if form in ("JSON", "JSON lines"):
            columns = _json(path, form, options.get("encoding") or "utf-8-sig")
            return Table(columns, path, form=f"{form} table", **options)
    if form == "uapca":
        raise FileError(
            f"source must be a table; {path!r} is a .uapca file, which uapca.load reads"
        )
    return Text(_bytes(path), path, options.get("encoding")).table(options)


def format_of(path: str) -> str:
    """The format of a file, by its ending or else by how it begins."""
    name = path.lower()
    if name.endswith((".zip", ".tar", ".tgz", ".tar.gz", ".7z")):
        raise FileError(f"source must be a file, not an archive; unpack {path!r} first")
    if (form := format_of_name(name)) is not None:
        return form
    if name.endswith((*_PACKED,)) or "://" in path:
        inner = format_of_name(name.rpartition(".")[0])
        return inner if inner in ("text", "JSON", "JSON lines") else "text"
    with open(path, "rb") as file:
        start = file.read(8)
    return next((form for sign, form in _STARTS.items() if start.startswith(sign)), "text")


def format_of_name(name: str) -> str | None:
    """The format that the ending of a name says."""
    return next((form for form, ends in _FORMATS.items() if name.lower().endswith(ends)), None)


def library(name: str, what: str = "reading this file", extra: str = "frames") -> Any:
    """A library that is needed now, or an error that says how to get it."""
    if "pyarrow" not in sys.modules and find_spec("resource"):
        limits = import_module("resource")
        if limits.getrlimit(limits.RLIMIT_AS)[0] != limits.RLIM_INFINITY:
            # Arrow's own allocator reserves a gigabyte of addresses, which then are too few.
            os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    return optional(name, what, extra or None)


@contextmanager
def reading(name: str, form: str = "") -> Iterator[None]:
    """Errors of libraries about a file, with the file's name, in one line."""
    try:
        yield
    except Exception as error:
        *_, (frame, _) = traceback.walk_tb(error.__traceback__)
        # Libraries raise anything where a file is damaged; our own refusals say what is wrong.
        system = isinstance(error, OSError | EOFError | MemoryError | RecursionError | UnicodeError)
        ours = frame.f_globals.get("__name__", "").startswith("uapca.") and not system
        ours = ours and type(error).__module__ in ("builtins", FileError.__module__)
        if ours or isinstance(error, FileError | FileNotFoundError | ImportError):
            raise
        said = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        if isinstance(error, RecursionError):
            said = "it is nested too deeply"
        if isinstance(error, MemoryError):
            said = "there is not enough memory for it"
        if "UTF8" in said or isinstance(error, UnicodeError):
            own = getattr(error, "encoding", "utf-8").startswith("utf")
            said = NOT_UTF8 if own else "it is not text in the encoding that was given"
        raise FileError(
            f"{name!r} cannot be read{f' as {form}' if form else ''}: {said}"
        ) from error


def _stream(path: str) -> Any:
    """A file, or an open stream of an address such as ``s3://…``."""
    if "://" not in path:
        if not os.path.isfile(path):
            folder = os.path.dirname(path) or "."
            close = nearest(
                os.path.basename(path), os.listdir(folder) if os.path.isdir(folder) else ()
            )
            meant = (
                f"; perhaps {os.path.join(os.path.dirname(path), close)!r} was meant"
                if close
                else ""
            )
            raise FileNotFoundError(f"there is no file {path!r}{meant}")
        return path
    return library("fsspec", "opening an address", "").open(path, "rb").open()


def _opened(path: str) -> Any:
    """A file or an address as a binary stream, unpacked."""
    stream, packed = _stream(path), _PACKED.get(os.path.splitext(path.lower())[1])
    if packed == "zstd":
        pa = library("pyarrow", "unpacking .zst files")
        return pa.input_stream(stream, compression="zstd")
    if packed:
        return import_module(packed).open(stream)
    return open(stream, "rb") if isinstance(stream, str) else stream


def _bytes(path: str, most: int = -1) -> bytes:
    """The bytes of a file, unpacked; the first ones only if ``most`` says so."""
    limit = sys.maxsize
    with reading(path), _opened(path) as file:
        if most < 0 and path.lower().endswith((*_PACKED,)):
            limit = _TEXT + (100 * os.path.getsize(path) if "://" not in path else 0)
            most = limit + 1
        data = bytes(file.read(most))
    if len(data) > limit:
        raise FileError(f"{path!r} unpacks to more than {limit >> 20} MB; unpack it yourself")
    return data


def _excel(path: str, sheet: Any, options: Mapping[str, Any]) -> Table:
    """The columns of a sheet; its header is the first row with as many cells as the table has.

    Rows are taken one after the other, and of each only the cells that are not empty: a sheet with
    one cell in its last row is as small as its file.
    """
    every, sheets = _sheet_rows(path, sheet)
    table = _without_footnotes(every)
    below = [str(cell) for row in every[len(table) :] for cell in row.values()]
    rows = [
        {j: unguarded(cell) if isinstance(cell, str) else cell for j, cell in row.items()}
        for row in table
        if row
    ]
    places = sorted({j for row in rows for j in row})
    _check_filled(path, len(places) * len(rows), sum(map(len, rows)))
    cells = [[row.get(j) for j in places] for row in rows]
    named = [sum(cell is not None for cell in row) for row in cells]
    # Lines above the header, a title or a date, have fewer cells.
    first = next((i for i, n in enumerate(named) if 2 * n > min(len(places), max(named))), 0)
    first -= first > 0 and _two_lines(cells[first - 1 :]) is not None
    head = _headed(cells[first:], path)
    notes = [f"left out above the header: {', '.join(map(str, r.values()))}" for r in rows[:first]]
    notes += [f"left out below the table: {text}" for text in below]
    if sheet is None and len(sheets) > 1:
        notes.append(f"the sheet {sheets[0]!r}; sheet= chooses another: {several(sheets[1:])}")
    return Table(head.columns, path, form="Excel table", units=head.units, notes=notes, **options)


def _without_footnotes(rows: Sequence[dict[int, Any]]) -> Sequence[dict[int, Any]]:
    """Rows without those of one text that stand below the last empty row, as footnotes do."""
    last = max((i for i, row in enumerate(rows) if not row), default=len(rows))
    below = rows[last + 1 :]
    notes = all(len(row) == 1 and isinstance(next(iter(row.values())), str) for row in below)
    return rows[:last] if notes and max(map(len, rows), default=0) > 1 else rows


def _two_lines(rows: Sequence[Sequence[Any]]) -> tuple[list[Any], Sequence[Sequence[Any]]] | None:
    """The names in a header of two lines, and the rows below it; None if it has one line.

    The first line has merged cells or repeats its names, the second one repeats others below them:
    mean and std. pandas writes the name of its index below.
    """
    if len(rows) < 3:
        return None
    upper, lower = ([str(c).strip() if c is not None else "" for c in row] for row in rows[:2])
    named, number = list(filter(None, lower)), Table({}).number
    spanned = [
        j
        for j in range(1, len(upper))
        if upper[j - 1] and lower[j - 1] and lower[j] and upper[j] in ("", upper[j - 1])
    ]
    held = [number(row[j]) for row in rows[2:] for j in spanned]
    if (
        len(set(upper) - {""}) < 2
        or len(set(named)) == len(named)
        or any(map(_STARTS_NUMBER.match, named))
        or all(value is None or value != value for value in held)
    ):
        return None
    # A merged cell, such as mass above value and err, holds for both.
    whole = [next(filter(None, upper[j::-1]), "") for j in range(len(upper))]
    header = [f"{a} {b}".strip() if b else a for a, b in zip(whole, lower, strict=True)]
    below = [cell for cell in rows[2][1:] if cell is not None and str(cell).strip()]
    if header[0] == "" and not below:
        return [rows[2][0], *header[1:]], rows[3:]
    return [name or None for name in header], rows[2:]


def _distinct(header: list[str], path: str) -> list[str]:
    """The names of columns; a word for errors that is repeated belongs to the column before it."""
    if len(set(header)) == len(header):
        return header
    names = [
        f"{header[j - 1]} {name}" if j and header.count(name) > 1 and is_error_word(name) else name
        for j, name in enumerate(header)
    ]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise FileError(f"column names must be distinct; {path!r} has {twice!r} twice")
    return names


def _check_filled(path: str, cells: int, filled: int) -> None:
    if cells > _EMPTY + 20 * filled:
        raise FileError(
            f"{path!r} has more than {_EMPTY:,} cells between those that are not empty: save it as "
            "CSV"
        )


def _sheet_rows(path: str, sheet: Any) -> tuple[list[dict[int, Any]], list[str]]:
    """The rows of a sheet, and the names of all sheets."""
    stream, zipfile, name = _stream(path), import_module("zipfile"), path.lower()
    openpyxl = library("openpyxl", "reading Excel files")
    newer = name.endswith((".xlsx", ".xlsm"))
    if newer or zipfile.is_zipfile(stream):
        with zipfile.ZipFile(stream) as archive:
            if sum(part.file_size for part in archive.infolist()) > _UNPACKED:
                raise FileError(
                    f"{path!r} unpacks to more than {_UNPACKED >> 20} MB; save it as CSV"
                )
            newer |= "xl/workbook.xml" in archive.namelist()  # whatever its ending
            if not newer:
                _check_ods(path, archive)
    if not newer:
        return _older_rows(path, sheet)
    with open(stream, "rb") if isinstance(stream, str) else stream as file:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        own = book[_sheet(path, sheet, book.sheetnames)]
        own.reset_dimensions()  # what the file says of its size need not be true
        rows, spanned, filled = [], 0, 0
        for row in own.iter_rows(values_only=True):
            rows.append({j: cell for j, cell in enumerate(row) if cell is not None})
            spanned, filled = spanned + len(row), filled + len(rows[-1])
            _check_filled(path, spanned, filled)
        return rows, book.sheetnames


def _older_rows(path: str, sheet: Any) -> tuple[list[dict[int, Any]], list[str]]:
    """The rows of a sheet of an older Excel, or of an OpenDocument, and the names of all sheets."""
    pd = library("pandas", "reading Excel files")
    try:
        opened = pd.ExcelFile(_stream(path))
    except ImportError as error:  # pandas says which library reads this format
        package = str(error).removesuffix(" package.").split()[-1]
        raise ImportError(
            f"reading {path!r} needs {package}; install it with pip install {package}"
        ) from None
    with opened as book:
        names = [str(name) for name in book.sheet_names]
        # As in a CSV file only an empty cell is empty: "NA" and "None" are words.
        chosen = _sheet(path, sheet, names)
        frame = book.parse(chosen, header=None, dtype=object, keep_default_na=False, na_values=[""])
    rows = frame.to_numpy().tolist()
    return [{j: cell for j, cell in enumerate(row) if cell == cell} for row in rows], names


def _check_ods(path: str, archive: Any) -> None:
    """Refuse sheets that say in a few bytes that cells or rows are repeated very often."""

    def repeated(element: Any, what: str) -> int:
        found = [n for k, n in element.attrib.items() if k.endswith(f"}}number-{what}-repeated")]
        return int(found[0]) if found else 1

    rows = widest = 0
    with archive.open("content.xml") as content:
        for _, element in import_module("xml.etree.ElementTree").iterparse(content):
            if not element.tag.endswith("}table-row"):
                continue
            width, last = 0, 0
            for cell in element:
                width += repeated(cell, "columns")
                # An empty cell has neither a paragraph nor a value.
                if len(cell) or any(key.endswith("}value-type") for key in cell.attrib):
                    last = width
            rows += repeated(element, "rows") if last else 0
            widest = max(widest, last)
            element.clear()
            _check_filled(path, rows * widest, _EMPTY // 5)


def _sheet(path: str, sheet: Any, names: Sequence[str]) -> str:
    """The name of a sheet that is given by its name or its number."""
    if sheet in names:
        return str(sheet)
    if sheet is None or (isinstance(sheet, int) and -len(names) <= sheet < len(names)):
        return names[sheet or 0]
    raise FileError(f"sheet must be one of {listed(names)} of {path!r}; got {sheet!r}")


def _json(path: str, form: str, encoding: str) -> dict[str, list[Any]]:
    try:
        text = _bytes(path).decode(encoding)
    except LookupError:
        raise ValueError(_UNKNOWN_ENCODING.format(encoding)) from None
    found = (
        [json.loads(line) for line in text.split("\n") if line.strip()]
        if form != "JSON"
        else json.loads(text)
    )
    if not isinstance(found, list) or not found or not all(isinstance(row, dict) for row in found):
        raise FileError(
            f'{path!r} must hold rows such as {{"x": 1.5, "x_err": 0.1}}; it holds something else'
        )
    keys = dict.fromkeys(key for row in found for key in row)
    return {key: [row.get(key) for row in found] for key in keys}


def _astropy(path: str, form: str, sheet: Any, options: Mapping[str, Any]) -> Table:
    table = library("astropy.table", f"reading {form} files", "").Table
    more = {} if sheet is None else {"hdu" if form == "FITS" else "table_id": sheet}
    kinds = {"FITS": "fits", "VOTable": "votable", "ECSV": "ascii.ecsv"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of headers and units that do not follow the standard
        found = table.read(path, format=kinds[form], **more)
    return table_of(found, source=path, form=f"{form} table", **options)


def _stacked(
    parts: Sequence[tuple[Table, Mapping[str, str | None]]], path: str, options: Mapping[str, Any]
) -> Table:
    """The rows of several files below each other, with columns for the keys of their folders.

    They must have the same columns.
    """
    first, keys = parts[0]
    if len(parts) == 1 and not keys:
        return first
    for table, own in parts[1:]:
        odd = sorted({*table.names, *own} ^ {*first.names, *keys})
        if odd:
            raise FileError(
                f"every file must have the same columns; {table.source!r} and {first.source!r} "
                f"differ in {listed(odd)}"
            )
        check_units(table.units, first.units, table.source)
    columns = {n: [c for table, _ in parts for c in table.cells(n)] for n in first.names}
    none = "" if first.textual else None  # what a folder for no value holds
    for key in keys:
        columns[key] = [own[key] or none for table, own in parts for _ in range(len(table))]
    whole = Table(
        columns,
        path,
        form=first.form if len(parts) == 1 else f"{len(parts)} files",
        textual=first.textual,
        units=first.units,
        **options,
    )
    whole.index = (*first.index, *keys)  # never values by themselves
    return whole


def check_units(own: Mapping[str, Any], units: Mapping[str, Any], name: str) -> None:
    """Raise unless the columns of a file have the units of the others."""
    for column in own.keys() | units.keys():
        if str(own.get(column)) != str(units.get(column)):
            raise FileError(
                f"every file must have the same units; in {name!r} the unit of {column!r} is "
                f"{own.get(column)} and not {units.get(column)}"
            )


# Text


class Text:
    """A delimited or fixed-width text as columns of cells.

    Attributes
    ----------
    columns : dict of str to list of str
    units : dict of str to str
        From a line of units below the header.
    form : str
        What kind of text it is.
    separator : str
        Empty for text in columns of fixed width or separated by spaces.
    names : list of str
        The header, also of columns without a name and a value.
    start : int
        Lines before the first row of values.
    broken : bool
        Whether something stands between these rows, or a cell is not what it says.
    encoding : str
    """

    def __init__(
        self, data: bytes, source: str, encoding: str | None = None, head: bool = False
    ) -> None:
        self._source = source
        self.encoding: str = next(
            (name for mark, name in _MARKS.items() if data.startswith(mark)), encoding or "utf-8"
        )
        try:
            text = data.decode(self.encoding, errors="ignore" if head else "strict")
        except UnicodeDecodeError:
            said = NOT_UTF8 if encoding is None else f"it is not text in {encoding}"
            raise FileError(f"{source!r} cannot be read: {said}") from None
        except LookupError:
            raise ValueError(_UNKNOWN_ENCODING.format(encoding)) from None
        if "\0" in text:
            raise FileError(
                f"{source!r} is not a text file in UTF-8, nor in UTF-16 with a byte order mark"
            )
        self.quoted: bool = '"' in text
        numbered, other = _lines(text.removeprefix("\ufeff"), head)
        if not numbered:
            raise FileError(
                f"{source!r} must have a header line that names the columns; it is empty"
            )
        lines, places = [line for _, line in numbered], [place for place, _ in numbered]
        titles = _lines_above(lines)
        self.notes: list[str] = [f"left out above the header: {t.strip()}" for t in lines[:titles]]
        comments = [line for place, line in other if place < places[titles]]
        del lines[:titles], places[:titles]
        self.separator: str = max(_SEPARATORS, key=_outside_quotes(lines[0]).count)
        spaced = self.separator not in _outside_quotes(lines[0]) and self._spaced(lines)
        rows, ends = (spaced, range(1, len(lines) + 1)) if spaced else self._delimited(lines)
        self.separator = "" if spaced else self.separator
        guarded = [[unguarded(cell) for cell in row] for row in rows] if "'" in text else rows
        named = _names_above(guarded[0], comments, source)
        self.names, self.columns, self.units, above = _headed([*named, *guarded], source)
        above -= len(named)
        below = ends[above - 1] if above else 0
        self.start: int = places[below] if below < len(places) else places[-1] + 1
        self.broken: bool = guarded != rows or any(place > self.start for place, _ in other)

    def table(self, options: Mapping[str, Any]) -> Table:
        return Table(
            self.columns, self._source, form=f"{self.form} table", textual=True, units=self.units,
            notes=self.notes, **options,
        )  # fmt: skip

    def _spaced(self, lines: Sequence[str]) -> list[list[str]] | None:
        """Columns that are separated by spaces, or of fixed width; None if there is one column."""
        self.form: str = "text"
        if '"' in lines[0]:  # R quotes names, and those of the rows have no header
            cells = list(csv.reader(map(str.strip, lines), delimiter=" ", skipinitialspace=True))
            return _with_row_names(cells)
        tokens = [line.split() for line in lines]
        if len(tokens[0]) < 2:
            return None
        if len({len(row) for row in tokens}) == 1:
            return tokens
        width = max(map(len, lines))
        filled = np.zeros(width, dtype=bool)
        for line in lines:
            bare = line.rstrip("\r\n")
            filled[: len(bare)] |= np.array([c != " " for c in bare], dtype=bool)
        edges = np.flatnonzero(np.diff(np.concatenate([[False], filled, [False]]).astype(np.int8)))
        parts = list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
        rows = [[line[a:b].strip() for a, b in parts] for line in lines]
        return rows if len(parts) > 1 and all(rows[0]) else _with_row_names(tokens)

    def _delimited(self, lines: Sequence[str]) -> tuple[list[list[str]], Sequence[int]]:
        """Rows of cells, and the line at which each ends."""
        self.form = {"\t": "TSV"}.get(self.separator, "CSV")
        try:
            # strict: a quote that never closes is an error, not a cell that swallows the file.
            stream = io.StringIO("".join(lines), newline="")
            rows = csv.reader(stream, delimiter=self.separator, strict=True)
            numbered = [(row, rows.line_num) for row in rows if any(cell.strip() for cell in row)]
        except csv.Error as error:
            raise FileError(
                f"{self._source!r} is not a CSV file: {error}; check its quotes"
            ) from None
        if not numbered:
            raise FileError(f"{self._source!r} must have a header line; it has separators only")
        found, ends = [row for row, _ in numbered], [end for _, end in numbered]
        if self.separator == "\t":
            found = _with_row_names(found) or found
        own, other, signs = ",", ";", "commas"
        if self.separator == ";":
            own, other, signs = ";", ",", "semicolons"
        for i, row in enumerate(found):
            if len(row) != len(found[0]):
                raise FileError(
                    f"every line must have {len(found[0])} cells like the first; "
                    f"{self._source!r} has {len(row)} in row {i - 1}; put cells with a separator "
                    f'in quotes, "[10{own} 12]", or write [10{other} 12] in a file separated by '
                    f"{signs}; titles and footnotes begin with #"
                )
        return found, ends


Lines = list[tuple[int, str]]


def _lines(text: str, head: bool) -> tuple[Lines, Lines]:
    """The lines of a table with their numbers, and comments and rules of dashes with theirs."""
    lines, other, inside = Lines(), Lines(), False
    for number, line in enumerate(re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text)):
        bare = line.strip()
        # Below the header and a line of units; elsewhere such cells may stand for no value.
        rule = (
            "---" in bare
            and not bare.strip("-=+|:;,\t ")
            and not (len(lines) > 2 or any(_STARTS_NUMBER.search(own) for _, own in lines[1:]))
        )
        # Excel writes the separator into a line of its own.
        told = not lines and _SEP_LINE.match(line)
        if not inside and (not bare or rule or told or bare.startswith(("#", "%"))):
            other += [(number, bare)] if bare else []
            continue
        inside ^= line.count('"') % 2 == 1
        lines.append((number, line))
    if head and len(lines) > 2 and not lines[-1][1].endswith(("\n", "\r")):
        del lines[-1]
    return lines, other


def _names_above(first: Sequence[str], comments: Sequence[str], source: str) -> list[list[str]]:
    """The names in the comment above numbers, as numpy.savetxt writes them; else nothing."""
    bare = Table({})
    whole = all(cell.strip().isdigit() for cell in first)
    if whole or any(bare.number(cell) is None for cell in first):
        return []
    named = re.split(r"\s*[,;\t|]\s*|\s+", comments[-1].strip("#% ")) if comments else []
    if len(named) != len(first):
        raise FileError(
            f"the first line must name the columns; {source!r} begins with {first[0].strip()!r}"
        )
    return [named]


class Head(NamedTuple):
    """The names of all columns, those with a name or a value, units, and the rows above values."""

    names: list[str]
    columns: dict[str, list[Any]]
    units: dict[str, str]
    above: int


def _headed(rows: Sequence[Sequence[Any]], source: str) -> Head:
    """Rows below a header of one line or two, and perhaps a line of units, as columns."""
    header, body = _two_lines(rows) or (rows[0], rows[1:])
    texts = ["" if cell is None else str(cell).strip() for cell in header]
    names = _distinct([text or f"Unnamed: {j}" * (j > 0) for j, text in enumerate(texts)], source)
    columns = {name: [row[j] for row in body] for j, name in enumerate(names)}
    for name, text in zip(names, texts, strict=True):
        if not text and not any(str(cell).strip() for cell in columns[name] if cell is not None):
            del columns[name]
    columns, units = _units_row(columns)
    return Head(names, columns, units, len(rows) - len(body) + bool(units))


def _with_row_names(rows: list[list[str]]) -> list[list[str]] | None:
    """Rows of which each begins with a name that the header has no word for, as R writes them."""
    named = {len(row) for row in rows[1:]} == {len(rows[0]) + 1}
    # A separator at the end of each row holds no value.
    named = named and all(row[-1].strip() for row in rows[1:])
    return [["", *rows[0]], *rows[1:]] if named else None


_SEPARATORS = ",;\t|"
_SEP_LINE = re.compile(r"\"?sep=.\"?\r?\n", re.I)
_STARTS_NUMBER = re.compile(r"(?:^|[,;\t| ])[+-]?\.?\d")
_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def _outside_quotes(line: str) -> str:
    return re.sub(r'"[^"]*"?', "", line)


def _lines_above(lines: Sequence[str]) -> int:
    """How many lines, such as a title, stand above the header: they have less than half its cells.

    A line whose separators are as many as usual is a header, whatever else the rows hold.
    """
    bare = [_outside_quotes(line) for line in lines[:50]]
    usual = {s: sorted(line.count(s) for line in bare)[len(bare) // 2] for s in _SEPARATORS}
    for k, line in enumerate(bare):
        sign = max(_SEPARATORS, key=line.count)
        own = line.count(sign)
        if (own and own == usual[sign]) or 2 * own + 1 >= max(usual.values()):
            return k
    return 0


def _units_row(columns: dict[str, list[Any]]) -> tuple[dict[str, list[Any]], dict[str, str]]:
    """Columns without a first row of units, and the units by column."""
    bare, units = Table({}), {}
    for name, cells in columns.items():
        numbers = [bare.number(cell) for cell in cells[1:50]]
        if not numbers or None in numbers or all(value != value for value in numbers):
            continue
        first = bare.number(cells[0])
        if first is None and isinstance(cells[0], str) and len(cells[0].strip()) <= 20:
            units[name] = cells[0].strip().strip("[]()")
        elif first == first:
            return columns, {}
    if len(units) < 2:
        return columns, {}
    # A column in which something else stands below may have the unit of another.
    told = {name: str(cells[0]).strip().strip("[]()") for name, cells in columns.items() if cells}
    units |= {name: unit for name, unit in told.items() if unit in units.values()}
    return {name: cells[1:] for name, cells in columns.items()}, units


# Finding files


def find_files(path: str, skipped: list[str] | None = None) -> tuple[list[str], list[str]]:
    """The files that a path, a folder or a pattern stands for, and what was not taken.

    Files and folders whose names begin with ``.`` or ``_`` are notes of programs. What cannot be
    opened raises, or goes to ``skipped``.
    """
    if os.path.isfile(path):
        return [path], []
    folder = os.path.isdir(path)
    base = path if folder else re.split(r"[*?[]", path)[0]
    if "://" in path:
        fs, inner = library("fsspec", "opening an address", "").core.url_to_fs(path)
        pattern = glob.has_magic(inner)
        found = [fs.unstrip_protocol(n) for n in (fs.glob if pattern else fs.find)(inner)]
        folder = not (pattern or fs.isfile(inner))
    elif folder:
        found = _walk(path, skipped)
    else:
        base = base[: base.rfind(os.sep) + 1]
        found = []
        for name in sorted(glob.glob(path, recursive=True)):
            # Folders that a pattern names as files are what Spark and Dask write.
            if not os.path.isdir(name):
                _refuse_lake(os.path.dirname(name))
                found.append(name)
            elif format_of_name(name) is not None:
                found += _walk(name, skipped)
    visible = [name for name in found if not _hidden(name[len(base) :])]
    others = [n for n in visible if folder and not n.lower().endswith(_DATA)]
    left = {*others}
    data = [name for name in visible if name not in left]
    if not data:
        if os.path.isdir(path):
            raise FileNotFoundError(
                f"the folder {path!r} has no files that end in {listed(_DATA[:8])}"
            )
        if not glob.has_magic(path):
            _stream(path)
        raise FileNotFoundError(f"no file matches {path!r}")
    for name in [n for n in data if "://" not in n and not os.path.isfile(n)]:
        said = f"{name!r} is a broken link" if os.path.islink(name) else f"{name!r} is no file"
        skip(skipped, FileError(said))
        data.remove(name)
    ignored = several([os.path.basename(name) for name in others])
    return data, [f"not read, by their endings: {ignored}"] if others else []


def _hidden(name: str) -> bool:
    return any(part.startswith((".", "_")) for part in re.split(r"[\\/]", name))


def skip(skipped: list[str] | None, error: ValueError, name: str = "") -> None:
    """Note what is wrong with a file that is left out; raise if none may be."""
    if skipped is None:
        raise error
    said = str(error)
    skipped.append(said if name in said else f"{name!r}: {said}")


def _walk(folder: str, skipped: list[str] | None) -> list[str]:
    def unreadable(error: OSError) -> None:
        skip(skipped, FileError(f"the folder {error.filename!r} cannot be read: {error.strerror}"))

    found = []
    for root, folders, files in os.walk(folder, onerror=unreadable):
        _refuse_lake(root)
        folders[:] = sorted(name for name in folders if not _hidden(name))
        found += [os.path.join(root, name) for name in sorted(files)]
    return found


def _refuse_lake(folder: str) -> None:
    """Raise for a folder of a format that keeps deleted files beside those that count."""
    for mark, (form, remedy) in _LAKES.items():
        if glob.glob(os.path.join(glob.escape(folder), mark)):
            raise FileError(
                f"{folder!r} is {form} table, which keeps deleted rows in its files; {remedy}"
            )


def _hive(path: str) -> dict[str, str | None]:
    """The keys in folders named ``key=value``, as text exactly as written."""
    parts = [unquote(part).partition("=") for part in re.split(r"[\\/]", path)[:-1] if "=" in part]
    return {key: None if value == _NO_VALUE else value for key, _, value in parts}


# Record batches, a chunk at a time


@dataclass
class Source:
    """One file or stream of record batches.

    Attributes
    ----------
    name : str
        What to call it in messages.
    schema : pyarrow.Schema
        With the columns that folders hold.
    run : callable
        Takes the columns of values, those of labels and a number of rows; gives record batches of
        these columns, each with the rows that hold a cell which is no number, or None.
    textual : bool
        Whether labels are text because the file has no types.
    once : bool
        Whether it can be read only once.
    keys : dict of str to str or None
        Columns that the names of its folders hold; never values by themselves.
    units : dict
        Units of columns, where the file tells them.
    count : int, or None
        The number of rows, where it is known without reading them.
    footer : pyarrow.parquet.FileMetaData, or None
        What a Parquet file tells of its values.
    first : int
        The number of rows of the file before these.
    mark : tuple of int, or None
        What changes when the file does.
    """

    name: str
    schema: Any
    run: Callable[[list[str], list[str], int], Iterator[tuple[Any, Any]]]
    textual: bool = False
    once: bool = False
    keys: Mapping[str, str | None] = field(default_factory=dict)
    units: Mapping[str, Any] = field(default_factory=dict)
    count: int | None = None
    footer: Any = None
    first: int = 0
    notes: Sequence[str] = ()
    mark: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        self.mark = self.mark or _mark(self.name)
        text = library("pyarrow").string()
        for key in self.keys:
            place, own = self.schema.get_field_index(key), library("pyarrow").field(key, text)
            self.schema = self.schema.append(own) if place < 0 else self.schema.set(place, own)

    def check_unchanged(self) -> None:
        """Raise if the file is not what it was when it was looked at first, for bins."""
        if self.mark != _mark(self.name):
            raise FileError(
                f"files must not change while they are read; {self.name!r} has since it was opened"
            )

    def batches(
        self, features: Sequence[str], labels: Sequence[str], rows: int
    ) -> Iterator[tuple[Any, npt.NDArray[np.bool_] | None]]:
        """Record batches of some columns, and which of their rows hold a cell that is no number."""
        pa, wanted = library("pyarrow"), [*features, *labels]
        own = [[n for n in part if n not in self.keys] for part in (features, labels)]
        with reading(self.name):
            for whole, bad in self.run(own[0], own[1], rows):
                columns = [
                    pa.repeat(pa.scalar(self.keys[n], pa.string()), whole.num_rows)
                    if n in self.keys
                    else whole.column(n)
                    for n in wanted
                ]
                batch = pa.RecordBatch.from_arrays(columns, wanted)
                for k in range(0, batch.num_rows, rows):
                    yield batch.slice(k, rows), None if bad is None else bad[k : k + rows]

    def split(self, rows: int) -> list[Source]:
        """Parts that can be read at the same time: row groups of Parquet, at least ``rows``."""
        if self.footer is None or self.footer.num_rows < 2 * rows:
            return [self]
        runs: list[tuple[list[int], int, int]] = []  # row groups, rows, rows before them
        groups, count, first = list[int](), 0, 0
        for k in range(self.footer.num_row_groups):
            groups, count = [*groups, k], count + self.footer.row_group(k).num_rows
            if count >= rows or k == self.footer.num_row_groups - 1:
                runs.append((groups, count, first))
                groups, count, first = [], 0, first + count
        run: Any = self.run  # that of Parquet files takes row groups, and what to open
        file = _SharedFile(self.name, len(runs))
        return [
            replace(self, run=partial(run, groups=own, opener=file.opened), count=n, first=before)
            for own, n, before in runs
        ]

    def extremes(self, names: Sequence[str]) -> Floats | None:
        """Values of some columns between which all others are, where no value must be read."""
        places = [self.schema.get_field_index(name) for name in names]
        # Nested columns count several, those of folders none.
        if self.footer is None or self.footer.num_columns != len(self.schema):
            return None
        found = []
        for k in range(self.footer.num_row_groups):
            group = self.footer.row_group(k)
            held = [group.column(j).statistics for j in places]
            if not all(own is not None and own.has_min_max for own in held):
                return None
            found += [[own.min for own in held], [own.max for own in held]]
        if not all(isinstance(end, float | int | Decimal) for ends in found for end in ends):
            return None  # text, dates, or half precision, which are bytes here
        ends = np.array(found, dtype=np.float64).reshape(-1, len(names))
        return ends if np.isfinite(ends).all() else None


def stream_of(name: str, schema: Any, run: Callable[..., Any], once: bool = False) -> Source:
    """Record batches of typed columns: ``run`` takes names of columns and a number of rows."""
    return Source(name, schema, lambda x, by, n: ((b, None) for b in run([*x, *by], n)), once=once)


def _mark(name: str) -> tuple[int, int] | None:
    """What changes when a file does; None for what is no file."""
    try:
        known = os.stat(name)
    except OSError:
        return None
    return known.st_size, known.st_mtime_ns


class _SharedFile:
    """A file that is read in parts; if it is replaced, all see what the first part opened."""

    def __init__(self, path: str, parts: int) -> None:
        self._path, self._left, self._lock = path, parts, Lock()
        self._file: Any = None

    @contextmanager
    def opened(self) -> Iterator[Any]:
        with self._lock:
            if self._file is None:
                stream = _stream(self._path)
                pa = library("pyarrow")
                self._file = pa.OSFile(stream) if isinstance(stream, str) else pa.PythonFile(stream)
        try:
            yield self._file
        finally:
            with self._lock:
                self._left -= 1
                if not self._left:
                    self._file.close()


def _of_parquet(path: str, keys: Mapping[str, str | None]) -> Source:
    """A Parquet file, a few pages of each column at a time; a dataset has whole row groups."""
    opened = partial(library("pyarrow.parquet").ParquetFile, pre_buffer=False, buffer_size=_PAGES)
    with reading(path), opened(_stream(path)) as file:
        footer, schema = file.metadata, file.schema_arrow

    def run(
        features: list[str],
        labels: list[str],
        rows: int,
        groups: Sequence[int] | None = None,
        opener: Callable[[], AbstractContextManager[Any]] = lambda: nullcontext(_stream(path)),
    ) -> Iterator[Any]:
        # Text is stored as codes already.
        texts = [name for name in labels if schema.field(name).type == "string"]
        names = [*features, *labels]
        with (
            opener() as source,
            opened(source, metadata=footer, read_dictionary=texts) as file,
        ):
            for batch in file.iter_batches(rows, groups, names, use_threads=False):
                yield batch, None

    return Source(path, schema, run, keys=keys, count=int(footer.num_rows), footer=footer)


def _of_fragment(fragment: Any, name: str, keys: Any = None, whole: Any = None) -> Source:
    """An Arrow file, or a part of a dataset with the schema ``whole``."""
    pa, ds = library("pyarrow"), library("pyarrow.dataset")
    form = fragment.format
    with reading(name):
        schema = fragment.physical_schema
    if whole is not None:
        # Columns that the folders' names hold are in the schema of the whole only.
        held = ds.get_partition_keys(fragment.partition_expression)
        for own in whole:
            schema = schema.append(own) if own.name in {*held} - {*schema.names} else schema

    def run(features: list[str], labels: list[str], rows: int) -> Iterator[Any]:
        options = {}
        fields = [schema.field(name) for name in (*features, *labels)]
        if isinstance(form, ds.ParquetFileFormat):
            # Pages as they are needed: by default Arrow has all of a file in memory.
            options["fragment_scan_options"] = ds.ParquetFragmentScanOptions(
                pre_buffer=False, use_buffered_stream=True, buffer_size=_PAGES
            )
        elif not isinstance(form, ds.IpcFileFormat):
            # The types of text files are guessed from their first lines, which may have 1 where
            # later ones have 1.5.
            fields = [pa.field(name, pa.float64()) for name in features]
            fields += [whole.field(name) for name in labels]
        for batch in fragment.to_batches(
            schema=pa.schema(fields),
            columns=[*features, *labels],
            batch_size=rows,
            batch_readahead=1,
            fragment_readahead=1,
            **options,
        ):
            batch.validate(full=isinstance(form, ds.IpcFileFormat))
            yield batch, None

    return Source(name, schema, run, keys=keys or {})


def _of_engine(points: Any) -> Source | None:
    """What Arrow, DuckDB or polars would read or compute, a batch at a time."""
    if is_a(points, "pyarrow", "RecordBatchReader"):
        return stream_of(
            "the stream",
            points.schema,
            lambda names, rows: (batch.select(names) for batch in points),
            once=True,
        )
    if is_a(points, "duckdb", "DuckDBPyRelation"):

        def query(names: list[str], rows: int) -> Any:
            quoted = ['"' + name.replace('"', '""') + '"' for name in names]
            return points.project(", ".join(quoted)).to_arrow_reader(rows)

        return stream_of("the relation", points.limit(0).to_arrow_table().schema, query)
    if is_a(points, "polars", "LazyFrame"):
        return stream_of(
            "the lazy frame",
            points.head(0).collect().to_arrow().schema,
            lambda names, rows: (
                batch
                for part in points.select(names).collect_batches(chunk_size=rows)
                for batch in part.to_arrow().to_batches()
            ),
        )
    return None


def _of_table(table: Table, name: str, keys: Mapping[str, str | None], bad_cells: str) -> Source:
    """A table that was read whole, because its format cannot be read a chunk at a time."""
    pa = library("pyarrow")
    table.resolve(table.names)

    def run(features: list[str], labels: list[str], rows: int) -> Iterator[Any]:
        bad = np.zeros(len(table), dtype=bool)
        arrays = [pa.array(_numbers(table, n, name, bad_cells, bad)) for n in features]
        arrays += [pa.array([t or None for t in table.texts(n)], pa.string()) for n in labels]
        yield pa.RecordBatch.from_arrays(arrays, [*features, *labels]), bad

    schema = pa.schema(list(_kinds(table).items()))
    return Source(
        name, schema, run, textual=True, keys=keys, units=table.units, count=len(table),
        notes=table.notes,
    )  # fmt: skip


def _kinds(table: Table) -> dict[str, Any]:
    """The Arrow types of the columns of a text."""
    pa = library("pyarrow")
    return {n: pa.float64() if table.is_number(n) else pa.string() for n in table.names}


def _numbers(
    table: Table, column: str, name: str, rule: str, bad: npt.NDArray[np.bool_], start: int = 0
) -> Floats:
    """A column of a text as numbers; rows in which it holds something else are noted in bad."""
    rows = table.bad.get(column, [])
    if rows and rule == "error":
        text = str(table.cells(column)[rows[0]])
        cell = repr(text if len(text) <= 40 else text[:37] + "...")
        raise FileError(
            f"cells must be numbers; {name!r}, row {start + rows[0]}, column {column!r}: cannot "
            f"read {cell} as a number; correct it, pass words={{{cell}: None}} if that means "
            "no value, bad_cells='drop', or leave the column out with exclude="
        )
    bad[rows] = True
    return table.block([column])[:, 0] if table.is_number(column) else np.full(len(table), np.nan)


def _of_csv(
    path: str, keys: Mapping[str, str | None], bad_cells: str, text: Text, table: Table
) -> Source:
    """A delimited text; its columns are understood from its first lines.

    Cells of columns of numbers may be empty. A cell that is no number is refused, with its row
    and column, or its row is counted as bad. Labels are text as written, without spaces around it.
    """
    pa, module = library("pyarrow"), library("pyarrow.csv")
    table.resolve(table.names)
    forms = {form for word in table.absent for form in (word, word.upper(), word.capitalize())}

    def read(kinds: Mapping[str, Any]) -> Iterator[Any]:
        packed = "://" in path or path.lower().endswith(".xz")  # Arrow unpacks the others
        with module.open_csv(
            _opened(path) if packed else _stream(path),
            read_options=module.ReadOptions(
                block_size=_BLOCK,
                encoding="utf8" if text.encoding.startswith("utf-8") else text.encoding,
                skip_rows=text.start,
                column_names=text.names,  # without spaces around them
            ),
            parse_options=module.ParseOptions(
                delimiter=text.separator, newlines_in_values=text.quoted
            ),
            convert_options=module.ConvertOptions(
                include_columns=list(kinds),
                column_types=kinds,
                null_values=[*forms, "NaN"],
                decimal_point=table.decimal or ".",
            ),
        ) as reader:
            yield from reader

    def run(features: list[str], labels: list[str], rows: int) -> Iterator[Any]:
        known = start = 0
        with suppress(pa.ArrowInvalid):  # a cell that is no number, or written in another way
            if table.thousands:
                raise pa.ArrowInvalid
            kinds = dict.fromkeys(features, pa.float64()) | dict.fromkeys(labels, pa.string())
            for batch in read(kinds):
                columns = [batch.column(name) for name in features]
                columns += [_as_labels(batch.column(name)) for name in labels]
                yield pa.RecordBatch.from_arrays(columns, [*features, *labels]), None
                known += batch.num_rows
            return
        for whole in read(dict.fromkeys([*features, *labels], pa.string())):
            batch = whole.slice(min(max(known - start, 0), whole.num_rows))
            start += whole.num_rows - batch.num_rows
            part = table.like({name: batch.column(name).to_pylist() for name in features})
            part.resolve(features, chosen=True)
            bad = np.zeros(batch.num_rows, dtype=bool)
            columns = [pa.array(_numbers(part, n, path, bad_cells, bad, start)) for n in features]
            columns += [_as_labels(batch.column(name)) for name in labels]
            yield pa.RecordBatch.from_arrays(columns, [*features, *labels]), bad
            start += batch.num_rows

    kinds = _kinds(table)
    # A column may be empty in the first lines and begin below.
    late = [n for n in table.names if n and not any(c.strip() for c in table.cells(n))]
    kinds |= dict.fromkeys(late, pa.null())
    with reading(path):
        for batch in read(dict.fromkeys(late, pa.string())) if late else ():
            below = table.like(batch.to_pydict())
            below.resolve(late)
            begun = [n for n in late if kinds[n] == pa.null() and any(below.texts(n))]
            kinds |= {name: _kinds(below)[name] for name in begun}
    schema = pa.schema(list(kinds.items()))
    return Source(path, schema, run, True, keys=keys, units=table.units, notes=table.notes)


def _as_labels(column: Any) -> Any:
    """Labels of a text file: an empty cell is none, and an apostrophe guards a formula."""
    pa, compute = library("pyarrow"), library("pyarrow.compute")
    if compute.any(compute.starts_with(column, "'")).as_py():
        column = pa.array([unguarded(text) for text in column.to_pylist()], pa.string())
    column = compute.utf8_trim_whitespace(column)
    return compute.if_else(compute.equal(column, ""), pa.scalar(None, pa.string()), column)


def is_streamed(points: Any) -> bool:
    """Whether points are files, streams or queries rather than data in memory."""
    if isinstance(points, str | PathLike):
        return True
    if isinstance(points, list | tuple):
        return bool(points) and all(isinstance(item, str | PathLike) for item in points)
    # Older versions of DuckDB and polars cannot give batches: what they compute is then in memory.
    return any(
        is_a(points, module, name) and hasattr(points, method)
        for module, name, method in (
            ("pyarrow.dataset", "Dataset", "to_batches"),
            ("pyarrow", "RecordBatchReader", "read_next_batch"),
            ("duckdb", "DuckDBPyRelation", "to_arrow_reader"),
            ("polars", "LazyFrame", "collect_batches"),
        )
    )


def sources_of(
    points: Any,
    skipped: list[str] | None = None,
    *,
    sheet: Any = None,
    bad_cells: str = "error",
    **options: Any,
) -> tuple[list[Source], list[str]]:
    """The sources that paths, patterns, a dataset or a reader stand for, and what was not taken."""
    library("pyarrow", "reading points from files")
    if (stream := _of_engine(points)) is not None:
        return [stream], []
    notes: list[str] = []
    making: list[Callable[[], Source]] = []
    if is_a(points, "pyarrow.dataset", "Dataset"):
        try:
            parts = list(points.get_fragments())
        except ValueError:  # a filter was set, which the parts alone do not know of
            scan = partial(points.to_batches, batch_readahead=1, fragment_readahead=1)
            whole = stream_of("the dataset", points.schema, lambda names, _: scan(columns=names))
            return [whole], []
        for k, part in enumerate(parts):
            name = getattr(part, "path", None) or f"part {k} of the dataset"
            making.append(partial(_of_fragment, part, name, whole=points.schema))
        points = []
    for item in points if isinstance(points, list | tuple) else [points]:
        found, more = find_files(fspath(item), skipped)
        notes += more
        making += [partial(_source, path, _hive(path), sheet, bad_cells, options) for path in found]
    sources = []
    for make in making:
        try:
            sources.append(make())
        except ValueError as error:
            skip(skipped, error)
    return sources, notes


def _source(path: str, keys: Any, sheet: Any, bad_cells: str, options: Mapping[str, Any]) -> Source:
    form = format_of(path)
    if form == "Parquet":
        return _of_parquet(path, keys)
    if form == "Arrow" and "://" not in path:
        ds, files = library("pyarrow.dataset"), library("pyarrow.fs").LocalFileSystem(use_mmap=True)
        return _of_fragment(
            ds.IpcFileFormat().make_fragment(os.path.abspath(path), files), path, keys
        )
    if form == "text":
        data = _bytes(path, _HEAD)
        text = Text(data, path, options.get("encoding"), len(data) == _HEAD)
        if text.separator and not text.broken:
            return _of_csv(path, keys, bad_cells, text, text.table(options))
    return _of_table(_load(path, sheet, options), path, keys, bad_cells)
