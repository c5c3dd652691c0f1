"""From data to C and Ψ̄, and from these to eigenpairs of K(s)."""

from __future__ import annotations

import math

import numpy as np

from uapca._validation import out_of_range
from uapca.aggregate.accumulate import moments
from uapca.decomposition.spectrum import Spectrum, scaled_spectrum, trace
from uapca.uncertain import UncertainArray, Zero
from uapca.uncertain.blocks import Doubles

__all__ = ["check_size", "covariances", "diagonalised"]


def diagonalised(
    between: Doubles, within: Doubles | None, s: float, q: int | None
) -> tuple[Spectrum, float]:
    """The leading eigenpairs of K(s) and its trace; at s = ∞ both in units of s²."""
    sizes = trace(between), 0.0 if within is None else trace(within)
    total = sizes[0]
    if sizes[1] > 0.0:
        check_size(total)  # at s = ∞ it is not in the total, but decides ties
        total = sizes[1] if s == np.inf else total + s**2 * sizes[1]
    check_size(total)
    return scaled_spectrum(between, within, s, q, sizes), total


def check_size(total: float) -> None:
    """Raise if the total variance overflows: no entry of a covariance is larger than that."""
    if not math.isfinite(total):
        raise ValueError(out_of_range("X"))


def covariances(X: UncertainArray, share: float) -> tuple[Doubles, Doubles, Doubles | None]:
    """μ, C and Ψ̄ (None where the rows are certain), the covariances divided by ``share``."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean, between = moments(X.mean, X._weights)
        within = None if type(X.cov) is Zero else X.cov.average(X._weights)
    if share != 1.0:
        between /= share
        if within is not None:
            within /= share
    return mean, between, within
