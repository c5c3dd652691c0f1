"""Files of every kind, as tables with columns of numbers."""

from __future__ import annotations

from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from uapca._validation import complaint
from uapca.inputs.files import existing, read_table
from uapca.inputs.numbers import typed

__all__ = ["arrow_table", "kind_of", "read_frame"]

_KINDS = {
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt", ".dat"), "text"),
    **dict.fromkeys((".parquet", ".pq"), "Parquet"),
    **dict.fromkeys((".feather", ".arrow", ".ipc"), "Feather"),
    **dict.fromkeys((".xlsx", ".xlsm", ".xls", ".ods"), "Excel"),
    ".uapca": "uapca",
    ".json": "model",
}
_STARTS = ((b"PAR1", "Parquet"), (b"ARROW1", "Feather"), (b"PK\x03\x04", "uapca"))


def kind_of(path: Path) -> str:
    """The kind of a file, by its ending or else by how it begins."""
    known = _KINDS.get(path.suffix.lower())
    if known is not None:
        return known
    with path.open("rb") as file:
        start = file.read(8)
    return next((kind for sign, kind in _STARTS if start.startswith(sign)), "text")


def read_frame(path: str | PathLike[str]) -> Any:
    """The table in a file: CSV, TSV, Excel, Parquet or Feather.

    In text and in sheets a column is one of numbers where all its cells are numbers or empty.
    """
    file = existing(path)
    kind = kind_of(file)
    if kind in ("Parquet", "Feather"):
        return arrow_table(file, kind)
    if kind in ("uapca", "model"):
        remedy = "uapca.load reads it" if kind == "uapca" else "uapca project --model reads models"
        raise ValueError(
            complaint(
                "path",
                "name a table (CSV, TSV, Excel, Parquet or Feather)",
                f"{str(file)!r} is a {'.uapca' if kind == 'uapca' else 'JSON'} file",
                remedy,
            )
        )
    cells = read_table(file)
    if kind == "Excel":
        cells = {str(name): cells[name].tolist() for name in cells.columns}
    return typed(cells)


def arrow_table(path: str | PathLike[str], kind: str) -> Any:
    """The table in a Parquet or Feather file."""
    try:
        module = import_module(f"pyarrow.{kind.lower()}")
        broken = import_module("pyarrow").ArrowException
    except ImportError:
        raise ImportError(
            f"reading {kind} files needs pyarrow. "
            'Install it with pip install "uapca[frames]", or use CSV.'
        ) from None
    try:
        return module.read_table(fspath(path))
    except (broken, OSError) as error:
        raise ValueError(
            complaint(
                "path",
                f"name a {kind} file",
                f"{fspath(path)!r} cannot be read as one: {str(error).rstrip('.')}",
                "Write it again, or save the table as CSV in UTF-8",
            )
        ) from None
