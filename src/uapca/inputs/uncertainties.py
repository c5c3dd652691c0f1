"""Numbers with errors of the uncertainties package."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats, complaint, shape_of
from uapca.exceptions import CorrelationWarning
from uapca.inputs.columns import columns_of, is_frame
from uapca.uncertain import UncertainArray

__all__ = ["CorrelationWarning", "from_uncertainties"]


def from_uncertainties(
    array: Any,
    *,
    names: Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    weights: Any = None,
) -> UncertainArray:
    """Numbers with errors: ``ufloat`` objects of the uncertainties package.

    Parameters
    ----------
    array : array-like of shape (N, D), or data frame
        ``ufloat`` objects, expressions of them, and plain numbers, which are certain.
    names, features : sequence of str, optional
    weights : array-like of shape (N,), optional

    Returns
    -------
    UncertainArray
        Correlations of the numbers within a row are kept, in one covariance matrix for each row;
        without any the errors are independent.

    Warns
    -----
    CorrelationWarning
        Where numbers in different rows share an error. The rows of an `UncertainArray` are
        independent, so that correlation is dropped.

    Examples
    --------
    >>> from uncertainties import ufloat
    >>> import uapca
    >>> a, b = ufloat(1.0, 0.1), ufloat(2.0, 0.2)
    >>> uapca.from_uncertainties([[a, a + b]]).cov.dense()[0].round(3)
    array([[0.01, 0.01],
           [0.01, 0.05]])
    """
    if is_frame(array):
        table = columns_of(array, "array")
        features = list(table.names) if features is None else features
        names = table.row_names() if names is None else names
        cells = np.empty((len(table), len(table.names)), dtype=object)
        for j, column in enumerate(table.names):
            cells[:, j] = table.values(column)
    else:
        cells = _objects(array)
    n, d = cells.shape
    mean, std = np.empty((n, d)), np.zeros((n, d))
    mixed: dict[int, Floats] = {}
    seen: dict[Any, int] = {}
    shared: set[int] = set()
    for i, row in enumerate(cells):
        terms = [_terms(cell, i, j) for j, cell in enumerate(row)]
        mean[i] = [value for value, _ in terms]
        owners: dict[Any, list[tuple[int, float]]] = {}
        for j, (_, parts) in enumerate(terms):
            for variable, size in parts.items():
                owners.setdefault(variable, []).append((j, size))
        for variable in owners:
            first = seen.setdefault(variable, i)
            if first != i:
                shared.update((first, i))
        std[i] = [float(np.sqrt(sum(s * s for s in parts.values()))) for _, parts in terms]
        if any(len(uses) > 1 for uses in owners.values()):
            loadings = np.zeros((d, len(owners)))
            for k, uses in enumerate(owners.values()):
                for j, size in uses:
                    loadings[j, k] = size
            mixed[i] = loadings @ loadings.T
    if shared:
        warnings.warn(
            f"the errors of {len(shared)} rows are correlated with those of other rows (first: "
            f"rows {', '.join(map(str, sorted(shared)[:3]))}); the rows of an UncertainArray are "
            "independent, so that correlation is dropped. Correlations within a row are kept.",
            CorrelationWarning,
            stacklevel=2,
        )
    common = {"weights": weights, "names": names, "features": features}
    if not mixed:
        return UncertainArray(mean, std=std, **common)
    cov = np.zeros((n, d, d))
    cov[:, range(d), range(d)] = std**2
    for i, matrix in mixed.items():
        cov[i] = matrix
    return UncertainArray(mean, cov, **common)


def _objects(array: Any) -> npt.NDArray[Any]:
    cells = np.asarray(array, dtype=object)
    if cells.ndim != 2 or 0 in cells.shape:
        raise ValueError(
            complaint(
                "array",
                "have two dimensions, (rows, features)",
                f"got shape {shape_of(cells)}",
                "Give every row the same number of entries; use array[None, :] for a single row",
            )
        )
    return cells


def _terms(cell: Any, row: int, column: int) -> tuple[float, dict[Any, float]]:
    """The value of a cell, and how much each independent error moves it."""
    try:
        if hasattr(cell, "nominal_value"):
            value = float(cell.nominal_value)
            # ``derivatives`` belongs to the package's documented interface for error components.
            parts = {v: float(slope) * float(v.std_dev) for v, slope in cell.derivatives.items()}
        else:
            value, parts = float(cell), {}
    except (TypeError, ValueError, AttributeError):
        raise TypeError(
            complaint(
                "array",
                "hold ufloat objects or numbers",
                f"got {cell!r} at row {row}, feature {column}",
                "Convert text with uncertainties.ufloat_fromstr, or read it with from_table",
            )
        ) from None
    if not np.isfinite(value) or not all(np.isfinite(size) for size in parts.values()):
        raise ValueError(
            complaint(
                "array",
                "be finite, values and errors",
                f"got {cell!s} at row {row}, feature {column}",
                "Remove or fill these values first",
            )
        )
    return value, {variable: size for variable, size in parts.items() if size}
