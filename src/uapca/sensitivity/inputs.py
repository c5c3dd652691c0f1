"""What the traces accept, checked."""

from __future__ import annotations

import copy
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from uapca._validation import as_floats, complaint, shape_of
from uapca.decomposition import UAPCA
from uapca.uncertain import UncertainArray
from uapca.uncertain.blocks import Doubles
from uapca.uncertain.checks import scale_from

__all__ = ["feature_names", "fitted", "grid_of_scales", "limited", "rising", "shown_count"]


def fitted(X: Any) -> UAPCA:
    """A fit that has C and Ψ̄, of data or as given."""
    if isinstance(X, UAPCA):
        check_is_fitted(X)
        if not hasattr(X, "between_covariance_"):
            raise ValueError(
                complaint(
                    "X",
                    "have C and Ψ̄ to follow",
                    f"this fit used solver={X.solver_!r}, which forms neither",
                    "Fit with solver='eigh', or pass the data",
                )
            )
        return X
    return UAPCA(solver="eigh").fit(uncertain(X, "an UncertainArray or a fitted UAPCA"))


def uncertain(X: Any, wanted: str = "an UncertainArray") -> UncertainArray:
    """``X`` itself, if it is an UncertainArray."""
    if isinstance(X, UncertainArray):
        return X
    raise TypeError(
        complaint("X", f"be {wanted}", f"got {type(X).__name__}", "Pass uapca.UncertainArray(X)")
    )


def limited(pca: UAPCA, q: int) -> UAPCA:
    """The fit with q components; certain rows may have fewer."""
    new = copy.copy(pca)
    new.n_components = min(q, new._bound)
    return new


def shown_count(n_components: Any, d: int) -> int:
    """The number of components shown: from 2 to D."""
    if d < 2:
        raise ValueError(
            complaint("X", "have at least 2 features", f"got {d}", "One axis has nowhere to turn")
        )
    whole = isinstance(n_components, Integral) and not isinstance(n_components, bool)
    if whole and 2 <= int(n_components) <= d:
        return int(n_components)
    raise ValueError(
        complaint(
            "n_components",
            f"be an integer from 2 to the number of features, {d}",
            f"got {n_components!r}",
            "2 draws a plane; for a single component read UAPCA.components_",
        )
    )


def feature_names(names: Any, d: int) -> tuple[str, ...]:
    """The features' names, made up where there are none."""
    return tuple(f"x{j}" for j in range(d)) if names is None else tuple(map(str, names))


def grid_of_scales(values: Any) -> Doubles:
    """Rising scales from 0 to infinity; those too large to be squared count as infinite."""
    grid = rising(values, "scales", np.inf)
    scales = np.array([scale_from(s, "scales") for s in grid])
    infinite = np.flatnonzero(np.isinf(scales))
    if len(infinite) > 1:
        first, second = (float(grid[k]) for k in infinite[:2])
        raise ValueError(
            complaint(
                "scales",
                "have infinity once",
                f"got {first:g} and {second:g}, and scales from 1e150 on count as infinite",
                "Keep numpy.inf alone",
            )
        )
    return scales


def rising(values: Any, parameter: str, highest: float) -> Doubles:
    """A grid: one or more numbers from 0 to ``highest``, each larger than the one before."""
    grid = as_floats(values, parameter).astype(np.float64)
    if grid.ndim != 1 or not len(grid):
        raise ValueError(
            complaint(
                parameter,
                "be a sequence of one or more numbers",
                f"got shape {shape_of(grid)}",
                f"Leave {parameter} out for a grid that adapts to the data",
            )
        )
    bad = np.flatnonzero(~((grid >= 0.0) & (grid <= highest)))
    if len(bad):
        top = "infinity" if np.isinf(highest) else f"{highest:g}"
        raise ValueError(
            complaint(
                parameter,
                f"be numbers from 0 to {top}",
                f"got {grid[bad[0]]} at position {bad[0]}",
                f"Leave {parameter} out for a grid that adapts to the data",
            )
        )
    with np.errstate(invalid="ignore"):
        falls = np.flatnonzero(~(grid[1:] > grid[:-1]))
    if len(falls):
        k = int(falls[0])
        raise ValueError(
            complaint(
                parameter,
                "rise, each number once",
                f"got {grid[k + 1]} after {grid[k]} at position {k + 1}",
                f"Use numpy.unique({parameter})",
            )
        )
    return grid
