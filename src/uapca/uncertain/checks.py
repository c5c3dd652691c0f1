"""Checks and conversions of the arguments of `UncertainArray`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from uapca._validation import (
    Doubles,
    Floats,
    as_floats,
    check_finite,
    check_labels,
    check_nonnegative,
    frozen,
    normalized,
    semidefinite,
    vector,
)
from uapca.uncertain.covariance import (
    Covariance,
    Dense,
    Diagonal,
    LowRank,
    Shared,
    SharedAxes,
    Zero,
)

__all__ = [
    "counts_from",
    "covariance_from",
    "means_from",
    "unit_symbol",
    "weights_from",
    "without_units",
]

# Units and columns


def without_units(
    mean: Any, cov: Any, std: Any, factors: Any, features: Any
) -> tuple[Any, Any, Any, Any, Any]:
    """The arguments as plain arrays in the units of ``mean``, and features labeled with the units.

    Quantities of astropy and pint are recognized by their methods. ``mean`` and ``std`` may also
    be mappings from features to columns, or astropy tables, with a unit for each column. Errors
    without a unit are taken in the unit of their values.
    """
    columns, errors = _columns(mean), _columns(std)
    values = (mean, cov, std, factors)
    if columns is None and errors is None and all(_unit(value) is None for value in values):
        return mean, cov, std, factors, features
    if columns is not None:
        names: Sequence[Any] = list(columns)
        units = [_unit(column) for column in columns.values()]
        parts = [_magnitude(column) for column in columns.values()]
        shapes = dict.fromkeys(map(np.shape, parts))
        if len(shapes) != 1 or len(next(iter(shapes))) != 1:
            raise ValueError(f"mean must have columns of the same length; got {[*shapes]}")
        mean = np.ma.stack(parts, axis=1)
        mean = mean if np.ma.is_masked(mean) else mean.data
        features = names if features is None else features
        if hasattr(std, "columns"):
            errors = {name: std[name] for name in std.columns}
    else:
        d = (np.shape(mean) or (1,))[-1]
        names = check_labels(features, "features", d, "feature") or [f"x{j}" for j in range(d)]
        units = [_unit(mean)] * d
        mean = _magnitude(mean)
    if errors is not None:
        absent = [name for name in names if name not in errors]
        if absent:
            raise ValueError(f"std must have the features of mean; it has no {absent[0]!r}")
        pairs = zip(names, units, strict=True)
        std = np.stack([_converted(errors[name], [unit], "std") for name, unit in pairs], axis=1)
    std = _converted(std, units, "std")
    alike = all(unit == units[0] for unit in units)
    for parameter, value in (("cov", cov), ("factors", factors)):
        if _unit(value) is not None and not alike:
            raise ValueError(
                f"{parameter} must have no unit where the features have different ones; "
                f"got {_unit(value)}"
            )
    factors = _converted(factors, units[:1], "factors")
    cov = _converted(cov, [unit if unit is None else unit**2 for unit in units[:1]], "cov")
    if any(map(unit_symbol, units)):
        labels = check_labels(features, "features", len(units), "feature") or names
        pairs = zip(labels, map(unit_symbol, units), strict=True)
        features = [f"{label} [{symbol}]" if symbol else label for label, symbol in pairs]
    return mean, cov, std, factors, features


def _columns(value: Any) -> Mapping[str, Any] | None:
    """The columns of a mapping or of an astropy table."""
    if isinstance(value, Mapping):
        return value
    names = getattr(value, "colnames", None)
    return None if names is None else {name: value[name] for name in names}


def _unit(value: Any) -> Any:
    """The unit of a quantity of astropy or pint, or of a column of astropy; None without one."""
    if hasattr(value, "m_as"):
        return value.units
    return value.unit if hasattr(value, "to_value") or hasattr(value, "quantity") else None


def unit_symbol(unit: Any) -> str:
    """How a unit is written in the label of a feature: ``kg``."""
    return "" if unit is None else f"{unit:~}" if hasattr(unit, "dimensionality") else str(unit)


def _magnitude(value: Any) -> Any:
    """The numbers of a quantity, masked where they are."""
    if hasattr(value, "m_as"):
        return value.m_as(value.units)
    plain = value.to_value(value.unit) if hasattr(value, "to_value") else value
    return np.ma.array(plain.unmasked, mask=plain.mask) if hasattr(plain, "unmasked") else plain


def _converted(value: Any, units: Sequence[Any], parameter: str) -> Any:
    """Values in the units of the features, one for each or one for all."""
    own = _unit(value)
    if own is None:
        return value
    if units[0] is None:
        raise ValueError(f"{parameter} must have no unit where mean has none; got {own}")
    try:
        factors = [(1.0 * own).to(unit) for unit in units]
    except (TypeError, ValueError):
        raise ValueError(
            f"{parameter} must have a unit that converts to that of mean, "
            f"{', '.join(dict.fromkeys(map(str, units)))}; got {own}"
        ) from None
    return _magnitude(value) * np.array([_magnitude(factor) for factor in factors])


# Values


def means_from(
    mean: Any, check: bool, keep: bool = False
) -> tuple[Floats, npt.NDArray[np.bool_] | None]:
    """Means as a float array of shape (N, D), and which of them are missing (None for none).

    With ``keep``, cells that are NaN or masked are missing; otherwise they are refused.
    """
    if keep and np.ma.isMaskedArray(mean):
        values = as_floats(mean.data, "mean")
        mean = np.where(np.ma.getmaskarray(mean), values.dtype.type(np.nan), values)
    array = as_floats(mean, "mean")
    if array.ndim != 2:
        raise ValueError(
            f"mean must have two dimensions, (rows, features); got shape {array.shape}: use "
            "mean[None, :] for a single row, mean[:, None] for a single feature"
        )
    if 0 in array.shape:
        raise ValueError(
            f"mean must have at least one row and one feature; got shape {array.shape}"
        )
    absent = frozen(np.isnan(array)) if keep and np.isnan(array).any() else None
    if check:
        known = array if absent is None else np.where(absent, 0.0, array)
        check_finite(known, "mean", ("row", "feature"))
    return array, absent


def covariance_from(
    cov: Any,
    std: Any,
    factors: Any,
    shape: tuple[int, int],
    check: bool,
    missing: npt.NDArray[np.bool_] | None = None,
) -> Covariance:
    """The covariances in the representation the arguments name.

    The errors of ``missing`` cells may be NaN or infinite; they are kept as 0.
    """
    n, d = shape
    if cov is not None and (std is not None or factors is not None):
        other = "std" if std is not None else "factors"
        raise ValueError(f"cov must be the only errors given; got both cov and {other}")
    if missing is not None and std is not None:
        std = as_floats(std, "std")
        if std.shape == shape:
            std = np.where(missing & ~np.isfinite(std), std.dtype.type(0.0), std)
    if factors is not None:
        return _low_rank(factors, std, n, d, check)
    if std is not None:
        return _diagonal(std, n, d, check)
    if cov is None:
        return Zero(n, d)
    if isinstance(cov, Covariance):
        if cov.shape[:2] != (n, d):
            raise ValueError(
                f"cov must have shape ({n}, {d}, {d}) to fit mean of shape ({n}, {d}); got {cov!r}"
            )
        return cov
    array = as_floats(cov, "cov")
    if array.shape not in ((d, d), (n, d, d)):
        hint = ": pass variances as std=numpy.sqrt(cov)" if array.shape == (n, d) else ""
        raise ValueError(
            f"cov must have shape ({n}, {d}, {d}), one matrix for each row, or ({d}, {d}), one for "
            f"all; got shape {array.shape}{hint}"
        )
    if check:
        array = semidefinite(array, "cov")
    return Shared(array, n) if array.ndim == 2 else Dense(array)


def weights_from(weights: Any, n: int, parameter: str = "weights") -> tuple[Doubles | None, float]:
    """Weights that sum to 1, None for equal ones, and the sum they had."""
    return (None, float(n)) if weights is None else normalized(weights, parameter, "row", n)


def counts_from(counts: Any, n: int) -> npt.NDArray[Any] | None:
    """Numbers of points behind the rows: positive, integers if they were given as integers."""
    if counts is None:
        return None
    array = vector(counts, "counts", "row", n)
    if array.min() <= 0:
        row = int(array.argmin())
        raise ValueError(f"counts must be positive; row {row} has {array[row]:g}")
    given = np.asarray(counts)
    whole = given.dtype.kind in "iu" and array.max() < 2.0**63
    return frozen(given.astype(np.int64) if whole else array)


def _diagonal(std: Any, n: int, d: int, check: bool) -> Diagonal:
    array = as_floats(std, "std")
    try:
        np.broadcast_to(array, (n, d))
    except ValueError:
        raise ValueError(
            f"std must broadcast to the shape ({n}, {d}) of mean; got shape {array.shape}"
        ) from None
    if check:
        axes = ("row", "feature")[2 - array.ndim :]
        check_finite(array, "std", axes)
        check_nonnegative(array, "std", axes)
    return Diagonal(array, n, d)


def _low_rank(factors: Any, std: Any, n: int, d: int, check: bool) -> LowRank:
    array = as_floats(factors, "factors")
    if array.ndim != 3 or array.shape[:2] != (n, d):
        raise ValueError(
            f"factors must have shape ({n}, {d}, r) to fit mean of shape ({n}, {d}); "
            f"got shape {array.shape}"
        )
    if check:
        check_finite(array, "factors", ("row", "feature", "factor"))
    return LowRank(array, None if std is None else _diagonal(std, n, d, check))


def shared_axes(shape: tuple[int, int], axes: Any, std: Any, factors: Any = None) -> SharedAxes:
    """Errors along axes that all rows share, checked."""
    (n, d), array = shape, as_floats(axes, "axes")
    if array.ndim != 2 or len(array) != d:
        raise ValueError(f"axes must have shape ({d}, K) for {d} features; got {array.shape}")
    check_finite(array, "axes", ("feature", "axis"))
    own = None if factors is None else _low_rank(factors, None, n, d, check=True).arrays["factors"]
    return SharedAxes(array, _diagonal(std, n, array.shape[1], check=True), own)
