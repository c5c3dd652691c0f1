"""The one way in: any table is understood by `read`, and said to be so in ``X.origin``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from os import PathLike, fspath
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from uapca._progress import Progress
from uapca.inputs import cells, draws, files, frame, groups, uncertainties
from uapca.inputs.columns import expand, find_errors
from uapca.uncertain import UncertainArray, load

__all__ = ["read"]


def _refuse(options: Mapping[str, Any], what: str) -> None:
    for name, value in options.items():
        if value is not None:
            raise ValueError(f"{name} must be left out for {what}")


def _selected(X: UncertainArray, features: Any, exclude: Any) -> UncertainArray:
    """Some features of uncertain rows, by name or pattern."""
    known = X.features or tuple(f"x{j}" for j in range(X.shape[1]))
    without = expand(exclude, known, "exclude")
    chosen = known if features is None else expand(features, known, "features")
    kept = [known.index(name) for name in chosen if name not in without]
    return X if kept == list(range(len(known))) else X[:, kept]


def read(
    source: Any,
    *,
    by: Any = None,
    errors: str | Sequence[str] | Mapping[str, Any] | None = None,
    corr: str | bool | None = None,
    names: str | Sequence[str] | Literal[False] | None = None,
    features: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    weights: str | npt.ArrayLike | None = None,
    missing: Literal["error", "drop", "keep"] = "error",
    bad_cells: Literal["error", "drop"] = "error",
    words: Mapping[str, Any] | str | PathLike[str] | None = None,
    fill: Any = None,
    decimal: str | None = None,
    thousands: str | None = None,
    sheet: str | int | None = None,
    encoding: str | None = None,
    bins: int | Mapping[str, int] | None = None,
    spread: Literal["std", "sem"] = "std",
    equal_weights: bool = False,
    keep_samples: bool = False,
    bad_files: Literal["error", "skip"] = "error",
    chunk: int = 262_144,
    progress: Progress = False,
    rng: int | np.random.Generator | None = None,
) -> UncertainArray:
    """Read any table, find out what its columns are, and say so in ``X.origin``.

    Parameters
    ----------
    source : path, address, data frame, or another object with columns
        A file: CSV, TSV or text in columns (also ``.gz``, ``.zst``, ``.bz2``, ``.xz``; with comment
        lines, a line of units, a byte order mark or UTF-16), Excel, Parquet, Feather, JSON lines,
        FITS, VOTable, ECSV; a folder or a pattern such as ``"data/*.parquet"``; an address such
        as ``"s3://bucket/stars.csv"`` (needs fsspec). A pandas, polars, pyarrow, Dask or other
        data frame, lazy or not, a DuckDB relation, an Arrow stream or dataset, a result of
        SQLAlchemy or ADBC, an astropy table, an xarray Dataset, a structured array, a mapping of
        names to columns, or a list of mappings. Draws of an ArviZ or xarray posterior go to
        `from_draws`, arrays of ``ufloat`` and astropy ``NDData`` to `from_uncertainties`. Of rows
        that are saved in a ``.uapca`` file, or are an UncertainArray already, features are chosen
        and weights are set.
    by : str, list of str or array-like, optional
        The rows are points, labeled by these columns: one row for each label, as in
        `from_groups`.
    errors, corr : optional
        How columns with errors and correlations are named, where that is not usual; see
        `from_frame`.
    names : str, sequence of str or False, optional
        The column that names the rows, or the names; found out by default, False for none.
    features, exclude : str or sequence of str, optional
        The columns to use, in this order, and columns to leave out; patterns such as ``"met_*"``
        are allowed. For an array, ``features`` are the names of its columns.
    weights : str or array-like of shape (N,), optional
        The column of weights, or the weights.
    missing : {"error", "drop", "keep"}, default="error"
        What to do with rows that lack a value: refuse, leave them out and count them in a
        `DroppedRowsWarning`, or keep them with NaN in ``X.mean``, for `uapca.Denoiser`; a value
        whose error is missing is then missing too. Only the columns that are used are looked at.
    bad_cells : {"error", "drop"}, default="error"
        What to do with cells that cannot be read: refuse, with file, row and column, or leave out
        their rows and count them. Rows are counted from 0, as in ``X[0]``.
    words, fill : optional
        What words and empty cells mean, in tables of uncertain cells; see `from_table`. Words that
        mean None stand for missing values in every table: ``words={"?": None}``.
    decimal, thousands : str, optional
        The signs in numbers that are text; needed only where they are ambiguous.
    sheet : str or int, optional
        The sheet of an Excel file, or the table of a FITS or VOTable file.
    encoding : str, optional
        The encoding of a text file that is neither UTF-8 nor UTF-16, such as ``"cp1252"``, which
        Excel writes on Windows, or ``"latin-1"``.
    bins, spread, equal_weights, keep_samples, bad_files, chunk, progress, rng
        For labeled points, or points to be binned; see `from_groups`.

    Returns
    -------
    UncertainArray
        Values with errors where columns are named like errors (``x_err``), uncertain cells where
        cells such as ``14±5.7`` are found, and otherwise certain points. Columns of text, of
        true and false, identifiers and counters are left out; ``X.origin`` names them.

    See Also
    --------
    uapca.from_frame, uapca.from_table, uapca.from_groups : The explicit forms.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.read({
    ...     "star": ["a", "b"], "mass": [1.0, 1.2], "mass_err": [0.1, 0.1], "type": ["G", "G"],
    ... })
    >>> print(X.origin)
    table of 2 rows and 4 columns: values with errors
    mass ± mass_err
    names of rows: star
    left out: type (text)
    """
    if by is None and bins is None and (spread != "std" or keep_samples or equal_weights):
        raise ValueError(
            "by must name the labels of the points for spread=, keep_samples= and equal_weights="
        )
    text: Any = {"decimal": decimal, "thousands": thousands, "encoding": encoding}
    of_values = {"errors": errors, "corr": corr, "names": names, "fill": fill}
    of_files = {"words": words, "sheet": sheet, **text}
    if isinstance(source, str | PathLike) and fspath(source).lower().endswith(".uapca"):
        source = load(source)
    if isinstance(source, UncertainArray):
        _refuse({"by": by, "bins": bins} | of_values | of_files, "rows that are uncertain already")
        X = source if weights is None else source.reweighted(weights)
        return _selected(X, features, exclude)
    if by is not None or bins is not None:
        _refuse(of_values | {"weights": weights}, "labeled points")
        return groups.from_groups(
            source, by, spread, bins=bins, keep_samples=keep_samples, equal_weights=equal_weights,
            missing=missing, bad_cells=bad_cells, bad_files=bad_files,  # type: ignore[arg-type]
            words=words, features=features, exclude=exclude, sheet=sheet, chunk=chunk,
            progress=progress, rng=rng, **text,
        )  # fmt: skip
    dims = {str(dim) for dim in getattr(getattr(source, "posterior", source), "dims", ())}
    reader: Any = None
    if dims & {"chain", "draw", "sample"} or hasattr(source, "distribution"):
        reader = draws.from_draws
    elif hasattr(source, "uncertainty") and hasattr(source, "data"):
        reader = uncertainties.from_uncertainties
    elif isinstance(source, np.ndarray | list | tuple) and not (
        frame.is_table(source) or files.is_streamed(source)
    ):
        reader = partial(UncertainArray, missing=missing, origin="certain points of an array")
        if np.asarray(source).dtype.kind == "O":
            reader = uncertainties.from_uncertainties
    if reader is not None:
        of_columns = {"errors": errors, "corr": corr, "exclude": exclude, "fill": fill}
        _refuse(of_columns | of_files, "what has no columns with names")
        names = None if names is False else names
        X = reader(source, names=names, features=features, weights=weights)
        return cast(UncertainArray, X)
    table = files.open_table(source, sheet=sheet, words=words, **text)
    objects = table.objects()
    meant = fill is not None or any(law is not None for law in table.words.values())
    uncertain = meant
    if not meant and errors is None and cells.has_uncertain_cells(table, names):
        with table.naming():
            uncertain = not find_errors(table.names)
    reading = frame.Reading(
        table, names, weights, features, exclude, errors=errors, bad_cells=bad_cells,
        missing=missing, cells=uncertain and not objects,
    )  # fmt: skip
    if objects:
        return uncertainties.of_table(reading)
    if uncertain:
        return cells.of_cells(reading, fill, strict=meant)
    return frame.of_columns(reading, errors, corr, certain=True)
