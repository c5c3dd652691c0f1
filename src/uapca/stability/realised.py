"""The data as it turns out: each row one unknown realisation of its distribution.

With x_n = m_n + e_n, independent e_n of covariance Ψ_n, the covariance of a realisation is
C̃ = Σ w_n (x_n − x̄)(x_n − x̄)ᵀ = C + Σ w_n (m_n − μ) e_nᵀ + (its transpose) + Σ B_nm e_n e_mᵀ with
B = diag(w) − w wᵀ. Its expectation and its covariance follow from this line.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from uapca._validation import complaint, out_of_range
from uapca.aggregate.accumulate import moments
from uapca.uncertain import Covariance, UncertainArray
from uapca.uncertain.blocks import Doubles

__all__ = ["check_count", "check_data", "realised_covariance", "weighted_sum"]


def realised_covariance(X: UncertainArray, order: int = 2) -> tuple[Doubles, Doubles]:
    """μ, and E[C̃] = C + Σ w_n (1 − w_n) Ψ_n; with equal weights C + (N − 1)/N Ψ̄.

    To order 1 in the errors this is C, the covariance of the means.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        mean, total = moments(X.mean, X._weights)
        if order == 2:
            total += weighted_sum(X.cov, X.weights * (1.0 - X.weights))
    if not np.logical_and.reduce(np.isfinite(total), axis=None):
        raise ValueError(out_of_range("X"))
    return mean, total


def weighted_sum(cov: Covariance, weights: Doubles) -> Doubles:
    """Σ t_n Ψ_n for weights of any sign and sum, shape (D, D)."""
    if weights.min() < 0.0:
        positive = np.maximum(weights, 0.0)
        return weighted_sum(cov, positive) - weighted_sum(cov, positive - weights)
    size = float(weights.sum())
    if size == 0.0:
        return np.zeros(cov.shape[1:])
    # An average wants shares; a representation shared by all rows never looks at them.
    return size * cov.average(weights / size)


def check_data(X: Any) -> UncertainArray:
    """Raise unless X is an UncertainArray."""
    if not isinstance(X, UncertainArray):
        raise TypeError(
            complaint(
                "X",
                "be an UncertainArray",
                f"got {type(X).__name__}",
                "Build one with uapca.UncertainArray(mean, std=...)",
            )
        )
    return X


def check_count(value: Any, parameter: str, most: int | None = None, of: str = "") -> int:
    """A positive integer, at most ``most``, which is the number of ``of``."""
    whole = type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))
    if whole and value >= 1 and (most is None or value <= most):
        return int(value)
    if most is None:
        rule, remedy = "be a positive integer", "Pass 1 or more"
    else:
        rule, remedy = f"be an integer between 1 and the {most} {of}", f"Pass at most {most}"
    raise ValueError(complaint(parameter, rule, f"got {value!r}", remedy))
