"""Files and Arrow streams as sources of record batches.

A source has a name for messages, a schema, and batches of some of its columns. Nothing is read
before it is asked for, and nothing but the columns that are needed.
"""

from __future__ import annotations

import os
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from uapca._validation import complaint
from uapca.exceptions import FileError

__all__ = [
    "ArrowFile",
    "FileError",
    "Fragment",
    "ParquetFile",
    "Partitioned",
    "Selection",
    "Source",
    "Stream",
    "cut",
    "is_number",
    "library",
    "reading",
    "stamp",
]

# Bytes of each column of a Parquet file read at a time.
_PAGES = 1 << 20


# What is wrong with files that are whole, by a word of what Arrow says.
_CAUSES = {
    "UTF8": ("be text in UTF-8", "Save it as CSV in UTF-8"),
    "conversion error": (
        "be of one kind in each column, all numbers or all text",
        "Mend the value or choose other columns",
    ),
}


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
        """Record batches of the named columns of at most ``rows`` rows each.

        Keys of text may come as dictionaries, whose order then means nothing.
        """

    def count(self) -> int | None:
        """The number of rows, where it is known without reading them."""
        return None

    def mark(self) -> Any:
        """What tells whether a file has changed, if it is one."""
        return None


class ParquetFile(Source):
    def __init__(self, path: str) -> None:
        self.name = path

    @contextmanager
    def _opened(self, **options: Any) -> Iterator[Any]:
        # Pages as they are needed: by default Arrow has all of a file in memory.
        options = {"pre_buffer": False, "buffer_size": _PAGES, **options}
        parquet = library("pyarrow.parquet")
        with reading(self.name), parquet.ParquetFile(self.name, **options) as file:
            yield file

    def schema(self) -> Any:
        with self._opened() as file:
            return file.schema_arrow

    def count(self) -> int | None:
        with self._opened() as file:
            return int(file.metadata.num_rows)

    def mark(self) -> Any:
        return stamp(self.name)

    def batches(self, features: Sequence[str], keys: Sequence[str], rows: int) -> Iterator[Any]:
        with self._opened() as file:
            schema, metadata = file.schema_arrow, file.metadata
        text = [key for key in keys if library("pyarrow").types.is_string(schema.field(key).type)]
        # As the file has them, each text once: hashing them all would be done again for nothing.
        with self._opened(read_dictionary=text, metadata=metadata) as file:
            # In one thread: what comes before is summed meanwhile, on the other cores.
            yield from file.iter_batches(
                batch_size=rows, columns=[*features, *keys], use_threads=False
            )


class ArrowFile(Source):
    """An Arrow file, mapped into memory: what is read of it can be let go at any time."""

    def __init__(self, path: str) -> None:
        self.name = path

    @contextmanager
    def _opened(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        pa = library("pyarrow")
        with reading(self.name), pa.memory_map(self.name) as mapped:
            file = pa.ipc.open_file(mapped)
            if columns is not None:
                fields = [file.schema.get_field_index(name) for name in columns]
                options = pa.ipc.IpcReadOptions(included_fields=fields)
                file = pa.ipc.open_file(mapped, options=options)
            yield file

    def schema(self) -> Any:
        with self._opened() as file:
            return file.schema

    def batches(self, features: Sequence[str], keys: Sequence[str], rows: int) -> Iterator[Any]:
        with self._opened([*features, *keys]) as file:
            for k in range(file.num_record_batches):
                batch = file.get_batch(k)
                batch.validate()
                yield from cut(batch, rows)

    def mark(self) -> Any:
        return stamp(self.name)


class Partitioned(Source):
    """A file in folders named ``key=value``: each key is a column with that value."""

    def __init__(self, source: Source, values: dict[str, Any], kinds: dict[str, Any]) -> None:
        self.name, self.once = source.name, source.once
        self._source, self._values, self._kinds = source, values, kinds

    def schema(self) -> Any:
        own = self._source.schema()
        for name, kind in self._kinds.items():
            place = own.get_field_index(name)
            field = library("pyarrow").field(name, kind)
            own = own.append(field) if place < 0 else own.set(place, field)
        return own

    def count(self) -> int | None:
        return self._source.count()

    def mark(self) -> Any:
        return self._source.mark()

    def batches(self, features: Sequence[str], keys: Sequence[str], rows: int) -> Iterator[Any]:
        pa = library("pyarrow")
        values, labels = ([n for n in own if n not in self._kinds] for own in (features, keys))
        for batch in self._source.batches(values, labels, rows):
            columns = []
            for name in (*features, *keys):
                if name in self._kinds:
                    value = pa.scalar(self._values.get(name), self._kinds[name])
                    columns.append(pa.repeat(value, batch.num_rows))
                else:
                    columns.append(batch.column(name))
            yield pa.RecordBatch.from_arrays(columns, [*features, *keys])


class Fragment(Source):
    """A part of an Arrow dataset, usually a file."""

    def __init__(self, fragment: Any, schema: Any, number: int) -> None:
        self.name = getattr(fragment, "path", None) or f"part {number} of the dataset"
        self._fragment, self._schema = fragment, schema

    def schema(self) -> Any:
        with reading(self.name):
            own = self._fragment.physical_schema
        # Columns that the folders' names hold are in the schema of the whole only.
        where = getattr(self._fragment, "partition_expression", None)
        held = library("pyarrow.dataset").get_partition_keys(where) if where is not None else {}
        for field in self._schema:
            if field.name not in own.names and field.name in held:
                own = own.append(field)
        return own

    def count(self) -> int | None:
        with reading(self.name):
            return int(self._fragment.count_rows())

    def mark(self) -> Any:
        return stamp(self.name)

    def batches(self, features: Sequence[str], keys: Sequence[str], rows: int) -> Iterator[Any]:
        pa, dataset = library("pyarrow"), library("pyarrow.dataset")
        kind = getattr(self._fragment, "format", None)
        options: dict[str, Any] = {}
        if isinstance(kind, dataset.ParquetFileFormat):
            # As in ParquetFile: by default Arrow has all of a file in memory.
            options["fragment_scan_options"] = dataset.ParquetFragmentScanOptions(
                pre_buffer=False, use_buffered_stream=True, buffer_size=_PAGES
            )
        # Values as this file has them: the dataset has the types of its first. The types of text
        # files are guessed from their first lines, which may have 1 where later ones have 1.5.
        guessed = isinstance(kind, dataset.CsvFileFormat | dataset.JsonFileFormat)
        own = self.schema()
        fields = [pa.field(n, pa.float64()) if guessed else own.field(n) for n in features]
        fields += [self._schema.field(n) if guessed else own.field(n) for n in keys]
        with reading(self.name):
            yield from self._fragment.to_batches(
                schema=pa.schema(fields),
                columns=[*features, *keys],
                batch_size=rows,
                batch_readahead=1,
                fragment_readahead=1,
                **options,
            )


class Selection(Source):
    """An Arrow dataset of which rows are chosen by a filter: its files are not known."""

    name = "the dataset"

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset

    def schema(self) -> Any:
        return self._dataset.schema

    def batches(self, features: Sequence[str], keys: Sequence[str], rows: int) -> Iterator[Any]:
        with reading(self.name):
            yield from self._dataset.to_batches(
                columns=[*features, *keys], batch_size=rows, batch_readahead=1, fragment_readahead=1
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
                yield from cut(batch.select([*features, *keys]), rows)


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
    except (pa.ArrowException, OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        said = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        rule, remedy = next(
            (cause for word, cause in _CAUSES.items() if word in said),
            ("be complete and readable", "Write it again"),
        )
        raise FileError(
            complaint(
                "every file",
                rule,
                f"{name!r} is not: {said}",
                f"{remedy}, or pass bad_files='skip' to go on without it",
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


def cut(batch: Any, rows: int) -> Iterator[Any]:
    """A batch in batches of at most ``rows`` rows."""
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)


def stamp(path: str) -> tuple[int, int] | None:
    """What changes when a file does."""
    try:
        known = os.stat(path)
    except OSError:
        return None
    return known.st_size, known.st_mtime_ns
