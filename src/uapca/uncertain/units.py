"""Quantities of astropy and pint: errors in the units of their values, and units in labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from uapca._validation import check_labels

__all__ = ["unit_symbol", "without_units"]


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
