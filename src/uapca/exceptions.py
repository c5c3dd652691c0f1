"""The errors and warnings of uapca."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = [
    "ApproximationWarning",
    "BadCell",
    "CellError",
    "CorrelationWarning",
    "DegenerateLawError",
    "DroppedRowsWarning",
    "ErrorColumnWarning",
    "ErrorSizeWarning",
    "FileError",
    "SeparationWarning",
    "SkippedFilesWarning",
    "SupportWarning",
    "TableError",
]


class DegenerateLawError(ValueError):
    """A density was asked of a law that has none: a point, a line in the plane, or atoms."""


class FileError(ValueError):
    """A file cannot be used; the message names it and says why."""


class CellError(ValueError):
    """The text of a cell is not in the grammar of uncertain cells."""


@dataclass(frozen=True)
class BadCell:
    """A cell that could not be read.

    Attributes
    ----------
    row : str
        Name of its row, or its number counted from 0.
    column : str
    text : str
        What it holds; empty for a missing value.
    reason : str
    """

    row: str
    column: str
    text: str
    reason: str

    def __str__(self) -> str:
        return f"row {self.row}, column {self.column!r}: {self.reason}"


class TableError(ValueError):
    """Cells of a table could not be read.

    Attributes
    ----------
    cells : tuple of BadCell
        All of them.
    """

    def __init__(self, message: str, cells: Sequence[BadCell] = ()) -> None:
        super().__init__(message)
        self.cells: tuple[BadCell, ...] = tuple(cells)


class ApproximationWarning(UserWarning):
    """An approximation is rough for some of the data; the message says which."""


class CorrelationWarning(UserWarning):
    """Errors are correlated between rows, which an `UncertainArray` cannot hold."""


class DroppedRowsWarning(UserWarning):
    """Rows were left out, as asked for, because a value or the label was missing."""


class ErrorColumnWarning(UserWarning):
    """A column is taken for a feature although its name looks like that of an error."""


class ErrorSizeWarning(UserWarning):
    """The rows scatter less than their errors alone would make them: the errors look too large."""


class SeparationWarning(UserWarning):
    """Neighbouring components are closer than their uncertainty: each may stand for the other.

    The plane they span may still be well determined. `uapca.simulate` shows how far they mix;
    ``warnings.filterwarnings("ignore", category=uapca.SeparationWarning)`` silences this.
    """


class SkippedFilesWarning(UserWarning):
    """Files were left out, as asked for, because they could not be used."""


class SupportWarning(UserWarning):
    """Two covariances of rank below D have different supports, so that their distance is 1."""
