"""Files to be written: looked at before anything is computed, written whole or not at all."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from uapca.cli.errors import CommandError
from uapca.cli.labels import quoted, shown
from uapca.cli.say import is_terminal, note

__all__ = ["TABLES", "arrow_module", "check_folder", "check_output", "write_bytes", "write_table"]


def check_output(path: str | None, suffixes: Sequence[str], force: bool) -> Path | None:
    """The file to write, after all that can be known about it before; None for the terminal.

    Parameters
    ----------
    path : str or None
        None and ``-`` are standard output.
    suffixes : sequence of str
        Endings that say how to write it.
    force : bool
        Whether an existing file may be replaced.
    """
    if path is None or path == "-":
        return None
    target = Path(path)
    if target.is_dir():
        raise CommandError(f"-o {quoted(path)} is a folder. Add a file name to it.")
    if target.suffix.lower() not in suffixes:
        ending = f"ends in {quoted(target.suffix)}" if target.suffix else "has no ending"
        raise CommandError(
            f"-o {quoted(path)} {ending}. The ending says what is written: "
            f"{_alternatives(suffixes)}."
        )
    if target.exists() and not force:
        raise CommandError(f"{quoted(path)} exists already. Add --force to replace it.")
    parent = target.resolve().parent
    if not parent.is_dir():
        raise CommandError(f"there is no folder {quoted(parent)}. Create it first.")
    _check_writable(parent)
    return target


def check_folder(path: str) -> Path:
    """The folder to write into, which may have to be made; nothing is made yet."""
    target = Path(path)
    if target.exists() and not target.is_dir():
        raise CommandError(f"-o {quoted(path)} is a file. Name a folder.")
    existing = target.resolve()
    while not existing.exists():
        existing = existing.parent
    if not existing.is_dir():
        raise CommandError(f"{quoted(existing)} is a file, so there can be no folder in it.")
    _check_writable(existing)
    return target


def _check_writable(folder: Path) -> None:
    # Tried, not asked: permissions do not tell of read-only disks.
    try:
        with tempfile.TemporaryFile(dir=folder):
            return
    except OSError as error:
        # Some folders, such as those of the kernel, exist and say that they do not.
        absent = error.errno == errno.ENOENT
        reason = "no file can be made there" if absent else error.strerror or str(error)
        raise CommandError(
            f"the folder {quoted(folder)} cannot be written to ({reason}). "
            "Choose another one with -o."
        ) from None


def _alternatives(suffixes: Sequence[str]) -> str:
    *most, last = suffixes
    return f"{', '.join(most)} or {last}" if most else last


def write_bytes(path: Path | None, content: bytes, what: str) -> None:
    """Write a whole file, or to standard output, and say so."""
    if path is None and is_terminal(sys.stdout):
        # What a file keeps as it is must not steer a terminal.
        text = content.decode("utf-8", errors="replace").splitlines()
        sys.stdout.write("".join(f"{shown(row)}\n" for row in text))
        return
    if path is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
        return
    from uapca._files import replacing

    with replacing(path) as file:
        file.write(content)
    note(f"wrote {quoted(path)} ({what})")


def write_table(path: Path | None, columns: Mapping[str, Sequence[Any]], what: str) -> None:
    """Columns of equal length as CSV, TSV, Parquet or Feather, by the ending of the path."""
    suffix = ".csv" if path is None else path.suffix.lower()
    write_bytes(path, _FORMATS[suffix](columns), what)


def _delimited(separator: str) -> Callable[[Mapping[str, Sequence[Any]]], bytes]:
    def content(columns: Mapping[str, Sequence[Any]]) -> bytes:
        import csv

        stream = StringIO(newline="")
        writer = csv.writer(stream, delimiter=separator, lineterminator=os.linesep)
        writer.writerow(columns)
        writer.writerows(zip(*map(_plain, columns.values()), strict=True))
        # A file name may hold what is no text; so may, through it, a label.
        return stream.getvalue().encode("utf-8", errors="backslashreplace")

    return content


def _plain(column: Sequence[Any]) -> Sequence[Any]:
    """Python's numbers: their text is the shortest that reads back the same."""
    return column.tolist() if hasattr(column, "tolist") else column


def _parquet(columns: Mapping[str, Sequence[Any]]) -> bytes:
    stream = BytesIO()
    arrow_module("parquet", _WRITING).write_table(_arrow(columns), stream)
    return stream.getvalue()


def _feather(columns: Mapping[str, Sequence[Any]]) -> bytes:
    stream = BytesIO()
    arrow_module("feather", _WRITING).write_feather(_arrow(columns), stream)
    return stream.getvalue()


def _arrow(columns: Mapping[str, Sequence[Any]]) -> Any:
    return arrow_module("lib", _WRITING).table(dict(columns))


def arrow_module(name: str, purpose: str) -> Any:
    """A module of pyarrow, or what to install."""
    try:
        return import_module(f"pyarrow.{name}")
    except ImportError:
        raise CommandError(
            f'{purpose} needs pyarrow. Install it with pip install "uapca[frames]", or use CSV.'
        ) from None


_WRITING = "writing Parquet and Feather files"
_FORMATS: dict[str, Callable[[Mapping[str, Sequence[Any]]], bytes]] = {
    ".csv": _delimited(","),
    ".tsv": _delimited("\t"),
    ".parquet": _parquet,
    ".feather": _feather,
}
TABLES = tuple(_FORMATS)
"""Endings of tables that can be written."""
