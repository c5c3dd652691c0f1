"""Objects that carry errors: of the uncertainties package, of pint and of astropy.

Columns of errors beside columns of values are found in `uapca.inputs.columns`.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from uapca._names import several
from uapca._validation import Floats
from uapca.aggregate.labels import is_missing
from uapca.exceptions import CorrelationWarning
from uapca.inputs.columns import find_roles
from uapca.inputs.frame import Reading, is_table, table_of, warn, with_units
from uapca.uncertain import UncertainArray

__all__ = ["from_uncertainties"]


def from_uncertainties(
    array: Any,
    *,
    names: Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    weights: npt.ArrayLike | None = None,
) -> UncertainArray:
    """Numbers with errors: ``ufloat`` objects of the uncertainties package.

    Parameters
    ----------
    array : array-like of shape (N, D), data frame, or astropy NDData
        ``ufloat`` objects, expressions of them, pint ``Measurement`` objects, and plain numbers,
        which are certain. Measurements of one feature are converted to the unit of its first. An
        ``NDData`` has its values and its ``uncertainty`` (standard deviation, variance or inverse
        variance).
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

    See Also
    --------
    uapca.read : Any table: finds out what its columns are.
    uapca.from_frame : A table of values and errors.

    Examples
    --------
    >>> from uncertainties import ufloat
    >>> import uapca
    >>> a, b = ufloat(1.0, 0.1), ufloat(2.0, 0.2)
    >>> uapca.from_uncertainties([[a, a + b]]).cov.dense()[0].round(3)
    array([[0.01, 0.01],
           [0.01, 0.05]])
    """
    common = {"weights": weights, "names": names, "features": features}
    if hasattr(array, "uncertainty") and hasattr(array, "data"):
        return _of_nddata(array, common)
    if is_table(array):
        return of_table(Reading(table_of(array, "array"), names, weights, features, None))
    cells = np.asarray(array, dtype=object)
    if cells.ndim != 2 or 0 in cells.shape:
        raise ValueError(
            f"array must have two dimensions, (rows, features); got shape {cells.shape}"
        )
    return of_objects(cells, common)


def of_table(reading: Reading) -> UncertainArray:
    """Rows of a table in which some columns hold such numbers and others plain ones."""
    table, features, objects = reading.table, reading.features, reading.table.objects()
    plain = find_roles(table, taken=reading.taken | objects, exclude=reading.exclude)
    chosen = reading.columns()
    if features is None:
        chosen = [name for name in chosen if name in {*plain.features, *objects}]
    cells = np.empty((len(table), len(chosen)), dtype=object)
    for j, name in enumerate(chosen):
        cells[:, j] = table.cells(name)
    gaps = np.array([[is_missing(cell) for cell in row] for row in cells], dtype=bool)
    cells[gaps] = np.nan
    reading.complete(np.where(gaps, np.nan, 0.0), chosen.__getitem__, reading.missing)
    common = reading.finish(["numbers with errors", several(chosen, 20)], plain)
    keep: Any = {"missing": "keep"} if gaps.any() and reading.missing == "keep" else {}
    X = of_objects(cells[reading.mask], {"features": chosen, **common, **keep})
    return X.replace(library=table.library)


def of_objects(cells: npt.NDArray[Any], common: dict[str, Any]) -> UncertainArray:
    """Rows of numbers with errors; correlations within a row are kept."""
    n, d = cells.shape
    mean, std = np.empty((n, d)), np.zeros((n, d))
    units: list[Any] = [
        next((c.units for c in cells[:, j] if hasattr(c, "units")), None) for j in range(d)
    ]
    mixed: dict[int, Floats] = {}
    seen: dict[Any, int] = {}
    shared: set[int] = set()
    for i, row in enumerate(cells):
        terms = [_terms(cell, i, j, units[j], "missing" in common) for j, cell in enumerate(row)]
        mean[i] = [value for value, _ in terms]
        places = {v: k for k, v in enumerate(dict.fromkeys(v for _, own in terms for v in own))}
        loadings = np.zeros((d, len(places)))
        for j, (_, parts) in enumerate(terms):
            loadings[j, [places[variable] for variable in parts]] = list(parts.values())
        std[i] = np.sqrt((loadings**2).sum(axis=1))
        if (np.count_nonzero(loadings, axis=0) > 1).any():
            mixed[i] = loadings @ loadings.T
        for variable in places:
            first = seen.setdefault(variable, i)
            shared.update({first, i} if first != i else ())
    if shared:
        warn(
            f"the errors of {len(shared)} rows are correlated with those of other rows (first: "
            f"rows {', '.join(map(str, sorted(shared)[:3]))}); the rows of an UncertainArray are "
            "independent, so that correlation is dropped; correlations within a row are kept",
            CorrelationWarning,
        )
    if common["features"] is not None:
        held = zip(common["features"], units, strict=False)
        common["features"] = with_units(common["features"], {n: u for n, u in held if u})
    if not mixed:
        return UncertainArray(mean, std=std, **common)
    cov = np.zeros((n, d, d))
    cov[:, range(d), range(d)] = std**2
    for i, matrix in mixed.items():
        cov[i] = matrix
    return UncertainArray(mean, cov, **common)


def _terms(
    cell: Any, row: int, column: int, unit: Any, keep: bool
) -> tuple[float, dict[Any, float]]:
    """The value of a cell, and how much each independent error moves it."""
    place = f"at row {row}, feature {column}"
    try:
        if hasattr(cell, "magnitude"):  # pint's Measurement
            cell = (cell if cell.units == unit else cell.to(unit)).magnitude
        if hasattr(cell, "nominal_value"):
            value = float(cell.nominal_value)
            # ``derivatives`` belongs to the package's documented interface for error components.
            parts = {v: float(slope) * float(v.std_dev) for v, slope in cell.derivatives.items()}
        else:
            value, parts = float(cell), {}
    except (TypeError, ValueError, AttributeError):
        raise TypeError(
            f"array must hold ufloat objects or numbers, in units that convert; got {cell!r} "
            f"{place}"
        ) from None
    missing = keep and np.isnan(value)
    if not (np.isfinite(value) or missing) or not all(map(np.isfinite, parts.values())):
        raise ValueError(f"array must be finite, values and errors; got {cell!s} {place}")
    return value, {variable: size for variable, size in parts.items() if size}


def _of_nddata(data: Any, common: dict[str, Any]) -> UncertainArray:
    """The values of an astropy NDData and its uncertainty, which astropy converts."""
    values, errors = np.array(data.data, dtype=np.float64), data.uncertainty
    if data.mask is not None:
        values[np.broadcast_to(np.asarray(data.mask), values.shape)] = np.nan
    if errors is None:
        return UncertainArray(values, **common)
    try:
        with np.errstate(divide="ignore"):
            errors = errors.represent_as(import_module("astropy.nddata").StdDevUncertainty)
    except TypeError:
        raise ValueError(
            "uncertainty must be a standard deviation, a variance or its inverse; got "
            f"{errors.uncertainty_type}"
        ) from None
    std = np.array(errors.array, dtype=np.float64)
    if data.unit is not None and errors.unit is not None:
        std *= errors.unit.to(data.unit)
    return UncertainArray(values, std=std, **common)
