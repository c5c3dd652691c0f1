"""The parameters of `UAPCA`, checked."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from uapca._validation import complaint
from uapca.uncertain import UncertainArray
from uapca.uncertain.blocks import Doubles

__all__ = [
    "component_count",
    "concentration",
    "count_explaining",
    "divisor",
    "reachable",
    "whole_observations",
]


def component_count(n_components: Any, bound: int, shape: tuple[int, int]) -> int | None:
    """The number of components; None while it depends on the variance they explain."""
    if n_components is None:
        return bound
    if type(n_components) is int and 1 <= n_components <= bound:
        return n_components
    if isinstance(n_components, bool):
        rule = "be a number or None"
    elif isinstance(n_components, Integral):
        if 1 <= int(n_components) <= bound:
            return int(n_components)
        limit = "the number of features" if bound == shape[1] else "min(rows, features)"
        rule = f"be between 1 and {limit} = {bound}"
    elif isinstance(n_components, Real) and 0.0 < float(n_components) < 1.0:
        return None
    else:
        rule = "be a positive integer, a share of the variance between 0 and 1, or None"
    raise ValueError(
        complaint(
            "n_components",
            rule,
            f"got {n_components!r} for data of shape ({shape[0]}, {shape[1]})",
            "None keeps all",
        )
    )


def reachable(n_components: Any, bound: int, d: int) -> Any:
    """What is asked for, or as many as there are while data still comes."""
    if isinstance(n_components, int | np.integer) and not isinstance(n_components, bool):
        return min(int(n_components), bound) if 1 <= int(n_components) <= d else n_components
    return n_components


def count_explaining(values: Doubles, total: float, share: Any) -> int:
    """How many of falling variances it takes to explain more than a share of their total."""
    if total <= 0.0:
        return 1
    explained = np.cumsum(values) / total
    return min(int(np.searchsorted(explained, float(share), side="right")) + 1, len(values))


def whole_observations(X: UncertainArray) -> int | None:
    """The sum of the weights where all are whole numbers, None where one is not.

    Then weights and repeated rows are the same data, and have to give the same components.
    """
    if X._weights is None:
        return len(X)
    with np.errstate(over="ignore"):
        counts = X._weights * X.total_weight
    whole = np.round(counts)
    close = 1.0 <= X.total_weight < 2.0**53 and np.allclose(counts, whole, rtol=1e-9, atol=0.0)
    return int(whole.sum()) if close else None


def concentration(X: UncertainArray) -> float:
    """Σ w², one over the effective number of rows."""
    return 1.0 / len(X) if X._weights is None else float(X._weights @ X._weights)


def divisor(ddof: Any, concentration: float) -> float:
    """What a population covariance is divided by: (N − ddof) / N, or 1 − ddof Σ w²."""
    if type(ddof) is int and ddof == 0:
        return 1.0
    if isinstance(ddof, bool) or not isinstance(ddof, Real) or not 0.0 <= float(ddof) < np.inf:
        raise ValueError(
            complaint("ddof", "be a number, zero or positive", f"got {ddof!r}", "Use 0 or 1")
        )
    result = 1.0 - float(ddof) * concentration
    if result <= 1e-12:
        raise ValueError(
            complaint(
                "ddof",
                "be smaller than the effective number of rows, 1 / Σ w²",
                f"got {ddof!r} for {1.0 / concentration:.3g}",
                "Use ddof=0",
            )
        )
    return result
