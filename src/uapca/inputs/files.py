"""Tables in files, as columns of text."""

from __future__ import annotations

import csv
import gzip
import io
import re
from os import PathLike
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from uapca._validation import complaint

__all__ = ["existing", "read_csv", "read_table", "separator_of"]

_EXCEL = (".xlsx", ".xls", ".xlsm", ".ods")


def read_table(path: str | PathLike[str]) -> Any:
    """The columns of a CSV or Excel file."""
    if Path(path).suffix.lower() in _EXCEL:
        return _read_excel(path)
    return read_csv(path)


def read_csv(path: str | PathLike[str]) -> dict[str, list[str]]:
    """The columns of a CSV file as text; the first line names them.

    The separator is the one of comma, semicolon and tab that occurs most often in the first line,
    outside quotes.
    """
    file = existing(path)
    try:
        with file.open(newline="", encoding="utf-8-sig") as stream:
            return columns_of_lines(stream.read(), str(file))
    except UnicodeDecodeError:
        raise ValueError(
            complaint(
                "path",
                "name a text file in UTF-8",
                f"{str(file)!r} is not",
                "Save it as CSV in UTF-8, or read it with pandas and pass the frame",
            )
        ) from None


def existing(path: str | PathLike[str]) -> Path:
    """The path of a file, or an error that says that there is none."""
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(
            complaint(
                "path",
                "name a file that exists",
                f"there is no file {str(file)!r}",
                "Check the spelling and the folder",
            )
        )
    return file


def columns_of_lines(text: str, source: str) -> dict[str, list[str]]:
    """The columns of CSV text."""
    separator = _separator(text)
    try:
        # strict: a quote that never closes is an error, not a cell that swallows the file.
        stream = io.StringIO(text, newline="")
        lines = csv.reader(stream, delimiter=separator, strict=True)
        rows = [(lines.line_num, row) for row in lines if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise ValueError(
            complaint("path", "name a CSV file", f"{source!r} is not: {error}", "Check its quotes")
        ) from None
    if not rows:
        raise ValueError(
            complaint(
                "path",
                "name a file with a header line",
                f"{source!r} is empty",
                "Put the names of the columns into the first line",
            )
        )
    header = [cell.strip() for cell in rows[0][1]]
    if len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise ValueError(
            complaint(
                "the columns",
                "have distinct names",
                f"{twice!r} occurs {header.count(twice)} times in {source!r}",
                "Rename the duplicates in the first line",
            )
        )
    for number, row in rows[1:]:
        if len(row) != len(header):
            raise ValueError(
                complaint(
                    "every line",
                    f"have {len(header)} cells like the first",
                    f"line {number} of {source!r} has {len(row)}",
                    'Put cells with a separator in quotes, "[10, 12]", or write [10; 12] in a '
                    "file separated by commas",
                )
            )
    body = [row for _, row in rows[1:]]
    return {name: [row[j] for row in body] for j, name in enumerate(header)}


def separator_of(path: str | PathLike[str]) -> str:
    """The separator of a CSV file, from its first lines."""
    opened = gzip.open if str(path).endswith(".gz") else open
    with opened(path, "rb") as stream:
        return _separator(stream.read(1 << 16).decode("utf-8-sig", errors="replace"))


def _separator(text: str) -> str:
    return max(",;\t", key=_header(text).count)


def _header(text: str) -> str:
    """The first line that is not empty, without what stands in quotes."""
    # What stands between two quotes is skipped; a doubled quote opens and closes at once.
    outside: list[str] = []
    start = len(text) - len(text.lstrip("\r\n"))
    for match in re.finditer(r'[\r\n]|"[^"]*"?|$', text):
        if match.start() < start:
            continue
        outside.append(text[start : match.start()])
        if not match[0].startswith('"'):
            break
        start = match.end()
    return "".join(outside)


def _read_excel(path: str | PathLike[str]) -> Any:
    file = existing(path)
    try:
        import pandas as pd

        # As in a CSV file only an empty cell is empty: "NA" and "None" are words.
        return pd.read_excel(file, dtype=object, keep_default_na=False, na_values=[""])
    except ImportError as error:
        raise ImportError(
            f"reading Excel files needs pandas and openpyxl ({error}). "
            'Install them with pip install "uapca[frames]", or save the table as CSV.'
        ) from None
    except (BadZipFile, KeyError, OSError, ValueError) as error:
        raise ValueError(
            complaint(
                "path",
                "name an Excel file",
                f"{str(file)!r} cannot be read as one: {error}",
                "Save it again, or save the table as CSV in UTF-8",
            )
        ) from None
