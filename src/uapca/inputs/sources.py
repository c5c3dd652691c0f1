"""Files and Arrow streams as sources of record batches.

A source has a name for messages, a schema, and batches of some of its columns. Nothing is read
before it is asked for, and nothing but the columns that are needed.
"""

from __future__ import annotations

import glob
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from uapca._validation import complaint, listed
from uapca.inputs.files import separator_of

__all__ = ["FileError", "Source", "is_streamed", "sources_of"]

_PARQUET = (".parquet", ".pq", ".parq")
_CSV = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz")
_ARROW = (".arrow", ".feather", ".ipc")
_KNOWN = _PARQUET + _CSV + _ARROW
# Text taken at a time by the reader of CSV files, which has several such blocks in hand.
_CSV_BLOCK = 4 << 20
# Bytes of each column of a Parquet file read at a time.
_PAGES = 1 << 20
# What counts as no number in a CSV file; labels may be such words.
_NO_NUMBER = ["", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "None", "-"]


class FileError(ValueError):
    """A file that cannot be used; the message names it and says why."""


class Source(ABC):
    """One file, or one stream, of record batches.

    Attributes
    ----------
    name : str
        What to call it in messages.
    once : bool
        Whether it can be read only once.
    """

    name: str
    once = False

    @abstractmethod
    def schema(self) -> Any:
        """The Arrow schema."""

    @abstractmethod
    def batches(self, features: Sequence[str], keys: Sequence[str], rows: int) -> Iterator[Any]:
        """Record batches of the named columns of at most ``rows`` rows each."""

    def count(self) -> int | None:
        """The number of rows, where it is known without reading them."""
        return None


class ParquetFile(Source):
    def __init__(self, path: str) -> None:
        self.name = path

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        # Pages as they are needed: by default Arrow has all of a file in memory.
        options = {"pre_buffer": False, "buffer_size": _PAGES}
        parquet = library("pyarrow.parquet")
        with reading(self.name), parquet.ParquetFile(self.name, **options) as file:
            yield file

    def schema(self) -> Any:
        with self._opened() as file:
            return file.schema_arrow

    def count(self) -> int | None:
        with self._opened() as file:
            return int(file.metadata.num_rows)

    def batches(self, features: Sequence[str], keys: Sequence[str], rows: int) -> Iterator[Any]:
        with self._opened() as file:
            yield from file.iter_batches(batch_size=rows, columns=[*features, *keys])


class CsvFile(Source):
    """A CSV file; cells of its numeric columns may be empty, labels may not."""

    def __init__(self, path: str) -> None:
        self.name = path

    @contextmanager
    def _opened(self, **options: Any) -> Iterator[Any]:
        csv = library("pyarrow.csv")
        with (
            reading(self.name),
            csv.open_csv(
                self.name,
                read_options=csv.ReadOptions(block_size=_CSV_BLOCK),
                parse_options=csv.ParseOptions(delimiter=separator_of(self.name)),
                convert_options=csv.ConvertOptions(null_values=_NO_NUMBER, **options),
            ) as reader,
        ):
            yield reader

    def schema(self) -> Any:
        with self._opened() as reader:
            return reader.schema

    def batches(self, features: Sequence[str], keys: Sequence[str], rows: int) -> Iterator[Any]:
        # Types are guessed from the first block; a later one may have 2.5 below 1, 2 and 3.
        types = dict.fromkeys(features, library("pyarrow").float64())
        with self._opened(include_columns=[*features, *keys], column_types=types) as reader:
            for batch in reader:
                whole = _without_empty(batch, keys)
                for start in range(0, whole.num_rows, rows):
                    yield whole.slice(start, rows)


class Fragment(Source):
    """A part of an Arrow dataset, usually a file."""

    def __init__(self, fragment: Any, schema: Any, number: int) -> None:
        self.name = getattr(fragment, "path", None) or f"part {number} of the dataset"
        self._fragment, self._schema = fragment, schema

    def schema(self) -> Any:
        with reading(self.name):
            own = self._fragment.physical_schema
        # Columns that the folders' names hold are in the schema of the whole only.
        for field in self._schema:
            if field.name not in own.names:
                own = own.append(field)
        return own

    def count(self) -> int | None:
        with reading(self.name):
            return int(self._fragment.count_rows())

    def batches(self, features: Sequence[str], keys: Sequence[str], rows: int) -> Iterator[Any]:
        with reading(self.name):
            yield from self._fragment.to_batches(
                schema=self._schema,
                columns=[*features, *keys],
                batch_size=rows,
                batch_readahead=2,
                fragment_readahead=1,
            )


class Stream(Source):
    """A reader of record batches, which can be read once."""

    name = "the stream"
    once = True

    def __init__(self, reader: Any) -> None:
        self._reader = reader

    def schema(self) -> Any:
        return self._reader.schema

    def batches(self, features: Sequence[str], keys: Sequence[str], rows: int) -> Iterator[Any]:
        with reading(self.name):
            for batch in self._reader:
                chosen = batch.select([*features, *keys])
                for start in range(0, chosen.num_rows, rows):
                    yield chosen.slice(start, rows)


def is_streamed(points: Any) -> bool:
    """Whether ``points`` are files or Arrow streams rather than data in memory."""
    if isinstance(points, str | PathLike):
        return True
    if isinstance(points, list | tuple):
        return bool(points) and all(isinstance(item, str | PathLike) for item in points)
    return _is_arrow(points, "pyarrow.dataset", "Dataset") or _is_arrow(
        points, "pyarrow", "RecordBatchReader"
    )


def sources_of(points: Any) -> list[Source]:
    """The sources that a path, a pattern, a list of either, a dataset or a reader stands for."""
    library("pyarrow")
    if _is_arrow(points, "pyarrow", "RecordBatchReader"):
        return [Stream(points)]
    if _is_arrow(points, "pyarrow.dataset", "Dataset"):
        return _fragments(points)
    if isinstance(points, list | tuple):
        return [source for item in points for source in sources_of(item)]
    text = fspath(points)
    path = Path(text)
    if path.is_dir():
        return _folder(path)
    if path.is_file():
        return [_file(text)]
    found = sorted(name for name in glob.glob(text, recursive=True) if Path(name).is_file())
    if not found:
        raise FileNotFoundError(
            complaint(
                "points",
                "name files that exist",
                f"there is no file {text!r}",
                "Check the spelling and the folder; * stands for any name, ** for any folders",
            )
        )
    return [_file(name) for name in found]


def is_number(kind: Any) -> bool:
    """Whether an Arrow type holds numbers; flags do not."""
    types = library("pyarrow").types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


@contextmanager
def reading(name: str) -> Iterator[None]:
    """What Arrow says of a file that it cannot read, with the file's name."""
    pa = library("pyarrow")
    try:
        yield
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        said = str(error).strip().splitlines()[0].rstrip(".")
        raise FileError(
            complaint(
                "every file",
                "be complete and readable",
                f"{name!r} is not: {said}",
                "Write it again, or pass bad_files='skip' to go on without it",
            )
        ) from error


def library(name: str) -> Any:
    """A part of pyarrow."""
    try:
        return import_module(name)
    except ImportError:
        raise ImportError(
            "reading files needs pyarrow, which is not installed. "
            'Install it with pip install "uapca[frames]".'
        ) from None


def _file(path: str) -> Source:
    name = path.lower()
    if name.endswith(_PARQUET):
        return ParquetFile(path)
    if name.endswith(_CSV):
        return CsvFile(path)
    if name.endswith(_ARROW):
        return _fragments(library("pyarrow.dataset").dataset(path, format="ipc"))[0]
    raise ValueError(
        complaint(
            "points",
            f"name files that end in {listed(_KNOWN)}",
            f"got {path!r}",
            "Rename it, or open it with pyarrow.dataset and pass the dataset",
        )
    )


def _without_empty(batch: Any, keys: Sequence[str]) -> Any:
    """In a CSV file an empty cell is no label; elsewhere it is a text like others."""
    pa, compute = library("pyarrow"), library("pyarrow.compute")
    for key in keys:
        place = batch.schema.get_field_index(key)
        column = batch.column(place)
        if pa.types.is_string(column.type):
            blank = compute.equal(column, "")
            if compute.any(blank).as_py():
                column = compute.if_else(blank, pa.scalar(None, column.type), column)
                batch = batch.set_column(place, key, column)
    return batch


def _folder(path: Path) -> list[Source]:
    names = sorted(p for p in path.rglob("*") if p.name.lower().endswith(_KNOWN))
    if not names:
        raise FileNotFoundError(
            complaint(
                "points",
                "name a folder with data files",
                f"{str(path)!r} has none",
                f"Files must end in {listed(_KNOWN)}",
            )
        )
    # Folders named key=value hold one value of the column key each.
    if any("=" in part for name in names for part in name.relative_to(path).parts[:-1]):
        kind = names[0].name.lower()
        form = "parquet" if kind.endswith(_PARQUET) else "csv" if kind.endswith(_CSV) else "ipc"
        module = library("pyarrow.dataset")
        return _fragments(module.dataset(str(path), format=form, partitioning="hive"))
    return [_file(str(name)) for name in names]


def _fragments(dataset: Any) -> list[Source]:
    return [
        Fragment(fragment, dataset.schema, k) for k, fragment in enumerate(dataset.get_fragments())
    ]


def _is_arrow(points: Any, module: str, name: str) -> bool:
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(points, getattr(loaded, name, ()))
