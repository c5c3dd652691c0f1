"""Where points are: the sources that paths, patterns, folders and Arrow objects stand for."""

from __future__ import annotations

import glob
import re
import sys
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from uapca._validation import complaint, listed
from uapca.inputs.delimited import CsvFile
from uapca.inputs.readers import (
    ArrowFile,
    FileError,
    Fragment,
    ParquetFile,
    Partitioned,
    Selection,
    Source,
    Stream,
    is_number,
    library,
)

__all__ = ["FileError", "Source", "is_number", "is_streamed", "library", "sources_of"]

_PARQUET = (".parquet", ".pq", ".parq")
_CSV = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz")
_ARROW = (".arrow", ".feather", ".ipc")
_KNOWN = _PARQUET + _CSV + _ARROW
# What is looked for in folders, where a text is as likely a note.
_FOUND = tuple(ending for ending in _KNOWN if ending != ".txt")
# How folders named key=value say that there is no value.
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
_WHOLE = re.compile(r"[+-]?\d{1,18}")


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
    found = sorted(
        name
        for name in glob.glob(text, recursive=True)
        # Folders that a pattern names as files are what Spark and Dask write.
        if Path(name).is_file() or (Path(name).is_dir() and name.lower().endswith(_KNOWN))
    )
    if not found:
        raise FileNotFoundError(
            complaint(
                "points",
                "name files that exist",
                f"there is no file {text!r}",
                "Check the spelling and the folder; * stands for any name, ** for any folders",
            )
        )
    return [source for name in found for source in sources_of(name)]


def _file(path: str) -> Source:
    name = path.lower()
    if name.endswith(_PARQUET):
        return ParquetFile(path)
    if name.endswith(_CSV):
        return CsvFile(path)
    if name.endswith(_ARROW):
        return ArrowFile(path)
    raise ValueError(
        complaint(
            "points",
            f"name files that end in {listed(_KNOWN)}",
            f"got {path!r}",
            "Rename it, or open it with pyarrow.dataset and pass the dataset",
        )
    )


def _folder(path: Path) -> list[Source]:
    names = sorted(p for p in path.rglob("*") if _is_data(p.relative_to(path)) and p.is_file())
    if not names:
        raise FileNotFoundError(
            complaint(
                "points",
                "name a folder with data files",
                f"{str(path)!r} has none",
                f"Files must end in {listed(_FOUND)}",
            )
        )
    found = [_file(str(name)) for name in names]
    # Folders named key=value hold one value of the column key each.
    values = [_hive(name.relative_to(path)) for name in names]
    kinds = {
        key: _kind_of_values([own.get(key) for own in values])
        for key in dict.fromkeys(key for own in values for key in own)
    }
    if not kinds:
        return found
    whole = {key for key, kind in kinds.items() if kind == library("pyarrow").int64()}
    return [
        Partitioned(
            source,
            {k: int(v) if k in whole and v is not None else v for k, v in own.items()},
            kinds,
        )
        for source, own in zip(found, values, strict=True)
    ]


def _is_data(name: Path) -> bool:
    """Whether a file in a folder is data: names with . or _ in front are notes of programs."""
    hidden = any(part.startswith((".", "_")) for part in name.parts)
    return not hidden and name.name.lower().endswith(_FOUND)


def _hive(name: Path) -> dict[str, str | None]:
    pairs = [unquote(part).partition("=") for part in name.parts[:-1] if "=" in part]
    return {key: None if value == _NO_VALUE else value for key, _, value in pairs}


def _kind_of_values(values: Sequence[str | None]) -> Any:
    """The type of a column that folders' names hold: whole numbers if all are, or text."""
    pa = library("pyarrow")
    whole = all(value is None or _WHOLE.fullmatch(value) for value in values)
    return pa.int64() if whole and any(value is not None for value in values) else pa.string()


def _fragments(dataset: Any) -> list[Source]:
    try:
        found = list(dataset.get_fragments())
    except ValueError:  # a filter was set, which the parts alone do not know of
        return [Selection(dataset)]
    return [Fragment(fragment, dataset.schema, k) for k, fragment in enumerate(found)]


def _is_arrow(points: Any, module: str, name: str) -> bool:
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(points, getattr(loaded, name, ()))
