"""Files to tables: columns of numbers where all cells are numbers, of texts otherwise."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from uapca.cli.errors import CommandError, no_such
from uapca.cli.labels import listed, quoted
from uapca.inputs.columns import Columns, columns_of
from uapca.inputs.files import columns_of_lines, read_table
from uapca.inputs.numbers import typed
from uapca.inputs.paths import arrow_table

__all__ = ["Table", "read_frame", "split_names", "texts", "unreadable"]

_SHOWN = 3


@dataclass(frozen=True)
class Table:
    """A table from a file.

    Attributes
    ----------
    source : str
        What the user called it.
    kind : str
        The kind of file.
    frame : dict of str to ndarray or list
        Arrays of floats where a column holds numbers (missing ones are NaN); otherwise the cells.
    whole : data frame or None
        The frame as its file has it, where that knows more than the cells: categories.
    named : str or None
        The column that names the rows, once it is known.
    """

    source: str
    kind: str
    frame: Mapping[str, Any]
    whole: Any = None
    named: str | None = None

    @property
    def names(self) -> list[str]:
        return list(self.frame)

    def __len__(self) -> int:
        return len(next(iter(self.frame.values()), ()))

    def is_numeric(self, name: str) -> bool:
        return isinstance(self.frame[name], np.ndarray)

    def row(self, i: int) -> str:
        """A row in messages: by its name, or by its number counted from 1."""
        if self.named is None:
            return str(i + 1)
        return quoted(texts(self.frame[self.named][i : i + 1])[0], 40)

    def require(self, name: str, what: str = "column") -> str:
        """The name of a column, or an error that says which was probably meant."""
        if name not in self.frame:
            raise no_such(
                f"{what}", name, self.names, f"{self.source} has {listed(self.names, 12)}."
            )
        return name

    def kept(self, mask: Any) -> Table:
        """The rows of a mask."""
        frame = {
            name: column[mask]
            if isinstance(column, np.ndarray)
            else [cell for cell, keep in zip(column, mask.tolist(), strict=True) if keep]
            for name, column in self.frame.items()
        }
        return Table(self.source, self.kind, frame, named=self.named)


def read_frame(data: str, kind: str) -> Table:
    """The table in a file, or in CSV text from standard input (``-``)."""
    if data == "-":
        text = sys.stdin.buffer.read()
        try:
            cells = columns_of_lines(text.decode("utf-8-sig"), "standard input")
        except UnicodeDecodeError:
            raise CommandError(
                "standard input is not text in UTF-8. Convert it, or name a file."
            ) from None
        return _checked(Table("standard input", "CSV", typed(cells)))
    if kind == "text":
        return _checked(Table(data, "CSV", typed(read_table(data))))
    if kind == "Excel":
        sheet = read_table(data)
        cells = {str(name): sheet[name].tolist() for name in sheet.columns}
        return _checked(Table(data, kind, typed(cells)))
    whole = arrow_table(data, kind)
    columns = columns_of(whole)
    return _checked(Table(data, kind, {n: _column(columns, n) for n in columns.names}, whole))


def _checked(table: Table) -> Table:
    if not table.frame or not len(table):
        raise CommandError(
            f"{quoted(table.source)} has no rows. The first line names the columns, the others "
            "hold the data."
        )
    return table


def _column(columns: Columns, name: str) -> Any:
    if columns.is_numeric(name):
        return columns.block([name])[:, 0].astype(np.float64, copy=False)
    return columns.values(name).tolist()


def split_names(values: Iterable[str], table: Table) -> list[str]:
    """Columns that options name: each by itself, or several separated by commas."""
    found: list[str] = []
    for value in values:
        parts = [value] if value in table.frame else [v.strip() for v in value.split(",")]
        found += [table.require(part) for part in parts if part]
    twice = [name for name in found if found.count(name) > 1]
    if twice:
        raise CommandError(f"the column {quoted(twice[0])} is named twice. Name it once.")
    return found


def unreadable(cells: Sequence[tuple[str, str, str]], remedy: str) -> CommandError:
    """Cells that make no sense: (row, column, what is wrong); rows are names or counted from 1."""
    parts = [f"row {row}, column {quoted(column)}: {why}" for row, column, why in cells[:_SHOWN]]
    more = len(cells) - _SHOWN
    tail = f"; and {more} more" if more > 0 else ""
    return CommandError("; ".join(parts) + f"{tail}. {remedy}")


def texts(column: Any) -> list[str]:
    """Cells as texts; whole numbers are whole."""
    if isinstance(column, np.ndarray):
        return [str(int(v)) if float(v).is_integer() else str(v) for v in column.tolist()]
    return [str(cell).strip() for cell in column]
