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
    "UnitsWarning",
]


class DegenerateLawError(ValueError):
    """A density was asked of a law that has none: a point, a line in the plane, or atoms.

    See Also
    --------
    uapca.laws.Law : What every law has.

    Examples
    --------
    >>> from uapca.laws import Normal
    >>> Normal([0.0, 0.0], [[1.0, 1.0], [1.0, 1.0]]).density([[0.0, 0.0]])
    Traceback (most recent call last):
    ...
    uapca.exceptions.DegenerateLawError: this law has no density in the plane: all of its
    uncertainty lies along the line through (0, 0) in direction (0.707107, 0.707107); use
    law.along_line()
    """


class FileError(ValueError):
    """A file cannot be used; the message names it and says why.

    See Also
    --------
    uapca.read : Any table: finds out what its columns are.

    Examples
    --------
    >>> import pathlib
    >>> import tempfile
    >>> import uapca
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "empty.uapca"
    >>> path.touch()
    >>> try:
    ...     uapca.load(path)
    ... except uapca.exceptions.FileError as error:
    ...     print(str(error).replace(str(path), path.name))
    path must name a file that UncertainArray.save wrote; 'empty.uapca' is of another kind
    """


class CellError(ValueError):
    """The text of a cell is not in the grammar of uncertain cells.

    See Also
    --------
    uapca.exceptions.TableError : Several such cells.
    uapca.read : Any table: finds out what its columns are.

    Examples
    --------
    >>> import uapca
    >>> try:
    ...     uapca.from_table({"length": ["5.1 ± ?"]})
    ... except uapca.exceptions.TableError as error:
    ...     print(error.cells[0])
    row 0, column 'length': cannot read '5.1 ± ?'
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

    See Also
    --------
    uapca.exceptions.TableError : The error that lists them in ``cells``.

    Examples
    --------
    >>> import uapca
    >>> try:
    ...     uapca.from_table({"length": ["5.1 ± 0.2", "long"]})
    ... except uapca.exceptions.TableError as error:
    ...     print(error.cells[0].row, error.cells[0].column, error.cells[0].text)
    1 length long
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

    Examples
    --------
    >>> import uapca
    >>> try:
    ...     uapca.from_table({"length": ["5.1 ± 0.2", "long"], "width": ["?", "3 ± 1"]})
    ... except uapca.exceptions.TableError as error:
    ...     for cell in error.cells:
    ...         print(cell)
    row 0, column 'width': cannot read '?'
    row 1, column 'length': cannot read 'long'
    """

    def __init__(self, message: str, cells: Sequence[BadCell] = ()) -> None:
        super().__init__(message)
        self.cells: tuple[BadCell, ...] = tuple(cells)


class ApproximationWarning(UserWarning):
    """An approximation is rough for some of the data; the message says which.

    See Also
    --------
    uapca.UncertainArray : The rows: means and covariances.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import uapca
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     X = uapca.UncertainArray([[1.0], [2.0]], std=[[0.9], [0.1]]).map(np.log)
    >>> print(caught[0].message)
    log is too curved for the errors of 1 value, such as 1 ± 0.9: means and errors are rough
    there; uapca.from_draws of the function of X.sample(n) is exact
    """


class CorrelationWarning(UserWarning):
    """Errors are correlated between rows, which an `UncertainArray` cannot hold.

    See Also
    --------
    uapca.from_draws : Posterior draws.
    uapca.simulate : The PCAs of redrawn data.

    Examples
    --------
    Silenced where the correlation between rows is known and does not matter:

    >>> import warnings
    >>> import uapca
    >>> warnings.filterwarnings("ignore", category=uapca.CorrelationWarning)
    """


class DroppedRowsWarning(UserWarning):
    """Rows or values were left out, as asked for, because a value, error or label was missing.

    See Also
    --------
    uapca.read : Any table: finds out what its columns are.
    uapca.from_groups : Labeled points: one row for each label.

    Examples
    --------
    >>> import warnings
    >>> import uapca
    >>> nan = float("nan")
    >>> table = {"x": [1.0, 2.0, nan], "x_err": [0.1, 0.1, 0.1], "y": [2.0, 1.0, 4.0]}
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     X = uapca.from_frame(table, missing="drop")
    >>> print(caught[0].message)
    left out 1 row, as asked for: 1 without a value
    """


class ErrorColumnWarning(UserWarning):
    """A column is taken for a feature although it looks like an error or a count of the rows.

    See Also
    --------
    uapca.read : Any table: finds out what its columns are.
    uapca.UAPCA : Uncertainty-aware PCA.

    Examples
    --------
    >>> import warnings
    >>> import pandas as pd
    >>> import uapca
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     pca = uapca.UAPCA().fit(pd.DataFrame({"a": [1.0, 2.0], "a_err": [0.1, 0.2]}))
    >>> print(caught[0].message)
    'a_err' is taken for a feature, but 'a_err' is named like the errors of 'a':
    UAPCA().fit(uapca.from_frame(df)) uses such columns as errors
    """


class ErrorSizeWarning(UserWarning):
    """The rows scatter less than their errors alone would make them: the errors look too large.

    See Also
    --------
    uapca.Denoiser : Posterior rows of noisy or incomplete observations.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import uapca
    >>> values = np.random.default_rng(0).normal(size=(100, 3))
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     model = uapca.Denoiser(1).fit(uapca.UncertainArray(values, std=[1.0, 2.0, 5.0]))
    >>> print(caught[0].message)
    the errors look too large for the data: in some direction the rows scatter with 0.036 of the
    variance that their errors alone should give, and at least 0.68 is expected; are they standard
    errors of single values?
    """


class SeparationWarning(UserWarning):
    """Neighboring components are closer than their uncertainty: each may stand for the other.

    The plane they span may still be well determined. `uapca.simulate` shows how far they mix;
    ``warnings.filterwarnings("ignore", category=uapca.SeparationWarning)`` silences this.

    See Also
    --------
    uapca.component_uncertainty : How well the components are known.

    Examples
    --------
    >>> import warnings
    >>> import uapca
    >>> X = uapca.datasets.load_students()
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     result = uapca.component_uncertainty(X, 2)
    >>> print(caught[0].message)
    PC2 and PC3 swap in more than 5 % of redraws and cannot be told apart; the verdict says what
    is known
    """


class SkippedFilesWarning(UserWarning):
    """Files were left out, as asked for, because they could not be used.

    See Also
    --------
    uapca.from_groups : Labeled points: one row for each label.

    Examples
    --------
    >>> import warnings
    >>> import pathlib
    >>> import tempfile
    >>> import uapca
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "good.csv").write_text("k,x,y\\na,1,2\\na,2,1\\n")
    >>> _ = (folder / "bad.csv").write_text("nothing\\n")
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     X = uapca.from_groups(str(folder / "*.csv"), by="k", bad_files="skip")
    >>> print(caught[0].category.__name__)
    SkippedFilesWarning
    """


class SupportWarning(UserWarning):
    """Two covariances, one of rank below D, have different supports: their distance is 1.

    See Also
    --------
    uapca.hellinger : The distance of two PCAs.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import uapca
    >>> rng = np.random.default_rng(0)
    >>> one, other = (uapca.UAPCA(2).fit(rng.normal(size=(4, 9))) for _ in range(2))
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     uapca.hellinger(one, other)
    1.0
    >>> caught[0].category.__name__
    'SupportWarning'
    >>> uapca.hellinger(one, other, space="components") < 1.0
    True
    """


class UnitsWarning(UserWarning):
    """Features have so different spreads that one residual variance for all makes little sense.

    See Also
    --------
    uapca.Denoiser : Posterior rows of noisy or incomplete observations.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import uapca
    >>> values = np.random.default_rng(0).normal(size=(100, 3)) * [500.0, 0.5, 0.2]
    >>> X = uapca.UncertainArray(values, std=[50.0, 0.1, 0.1], features=["teff", "logg", "feh"])
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     model = uapca.Denoiser(1).fit(X)
    >>> print(caught[0].message)
    the spread of feature 'teff' is 2,848 times that of 'feh', and the factor model has one
    residual variance for all: uapca.Denoiser() does not depend on units and needs about three rows
    for each feature; with fewer rows, X.affine(1 / numpy.nanstd(X.mean, axis=0)) before makes the
    units comparable
    """
