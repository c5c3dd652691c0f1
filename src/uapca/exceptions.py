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
    """A density was asked of a law that has none: a point, a line in the plane, or atoms.

    See Also
    --------
    uapca.laws.Law : What every law has.
    """


class FileError(ValueError):
    """A file cannot be used; the message names it and says why.

    See Also
    --------
    uapca.read : Any table: finds out what its columns are.
    """


class CellError(ValueError):
    """The text of a cell is not in the grammar of uncertain cells.

    See Also
    --------
    uapca.exceptions.TableError : Several such cells.
    uapca.read : Any table: finds out what its columns are.
    """


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

    See Also
    --------
    uapca.exceptions.CellError : A cell that cannot be read.
    uapca.from_table : A table of uncertain cells.
    """

    def __init__(self, message: str, cells: Sequence[BadCell] = ()) -> None:
        super().__init__(message)
        self.cells: tuple[BadCell, ...] = tuple(cells)


class ApproximationWarning(UserWarning):
    """An approximation is rough for some of the data; the message says which.

    See Also
    --------
    uapca.UncertainArray : The rows: means and covariances.
    """


class CorrelationWarning(UserWarning):
    """Errors are correlated between rows, which an `UncertainArray` cannot hold.

    See Also
    --------
    uapca.from_draws : Posterior draws.
    uapca.simulate : The PCAs of redrawn data.
    """


class DroppedRowsWarning(UserWarning):
    """Rows were left out, as asked for, because a value or the label was missing.

    See Also
    --------
    uapca.read : Any table: finds out what its columns are.
    uapca.from_groups : Labeled points: one row for each label.
    """


class ErrorColumnWarning(UserWarning):
    """A column is taken for a feature although it looks like an error or a count of the rows.

    See Also
    --------
    uapca.read : Any table: finds out what its columns are.
    uapca.UAPCA : Uncertainty-aware PCA.
    """


class ErrorSizeWarning(UserWarning):
    """The rows scatter less than their errors alone would make them: the errors look too large.

    See Also
    --------
    uapca.Denoiser : Posterior rows of noisy or incomplete observations.
    """


class SeparationWarning(UserWarning):
    """Neighbouring components are closer than their uncertainty: each may stand for the other.

    The plane they span may still be well determined. `uapca.simulate` shows how far they mix;
    ``warnings.filterwarnings("ignore", category=uapca.SeparationWarning)`` silences this.

    See Also
    --------
    uapca.component_uncertainty : How well the components are known.
    """


class SkippedFilesWarning(UserWarning):
    """Files were left out, as asked for, because they could not be used.

    See Also
    --------
    uapca.from_groups : Labeled points: one row for each label.
    """


class SupportWarning(UserWarning):
    """Two covariances of rank below D have different supports, so that their distance is 1.

    See Also
    --------
    uapca.hellinger : The distance of two PCAs.
    """
