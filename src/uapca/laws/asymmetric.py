"""Rows of values with different errors below and above.

Their laws are found for all rows at once from columns of a table, and made when looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi, sqrt
from typing import Any

import numpy as np
from scipy.special import gammaincinv, ndtri

from uapca._validation import Floats
from uapca.laws.marginals import (
    Independent,
    Marginal,
    NormalMarginal,
    Point,
    TwoPieceNormal,
    as_marginal,
)

__all__ = ["RowLaws", "asymmetric", "law_of_distances", "law_of_quantiles"]

# Means, standard deviations, and the parameters of `asymmetric`.
Moments = tuple[Floats, Floats, tuple[Any, ...]]


class RowLaws(Sequence[Independent]):
    """Laws of independent marginals, made when looked at: a million rows need no million objects.

    Parameters
    ----------
    marginal : callable
        Makes a marginal of its parameters.
    parameters : ndarray of shape (N, D), each
    """

    def __init__(self, marginal: Callable[..., Marginal], *parameters: Floats) -> None:
        self._marginal, self._parameters = marginal, parameters

    def __len__(self) -> int:
        return len(self._parameters[0])

    def __getitem__(self, index: Any) -> Any:
        parts = [part[index] for part in self._parameters]
        if isinstance(index, slice | np.ndarray):
            return RowLaws(self._marginal, *parts)
        rows = zip(*(part.tolist() for part in parts), strict=True)
        return Independent([self._marginal(*own) for own in rows])


def asymmetric(mode: float, lower: float, upper: float, skew: float) -> Marginal:
    """The law of a value with the parameters that `law_of_distances` or `law_of_quantiles` gave."""
    if skew:
        from scipy.stats import pearson3

        return as_marginal(pearson3(skew, loc=mode, scale=upper))
    if lower != upper:
        return TwoPieceNormal(mode, lower, upper)
    return NormalMarginal(mode, upper) if upper else Point(mode)


def law_of_distances(mode: Floats, below: Floats, above: Floats) -> Moments:
    """Two-piece normal laws with one standard deviation below and above their modes."""
    mean = mode + np.sqrt(2.0 / pi) * (above - below)
    # The squares of the widths might underflow.
    std = np.hypot(sqrt(1.0 - 2.0 / pi) * (above - below), np.sqrt(below) * np.sqrt(above))
    return mean, std, (mode, below, above, 0.0)


def law_of_quantiles(median: Floats, below: Floats, above: Floats) -> Moments:
    """Laws with a median and the distances of their 16 % and 84 % quantiles from it.

    Two-piece normals, whose distances differ at most by a factor of 1.546. Otherwise laws of
    Pearson's type III (gamma laws, moved and scaled), up to a factor of 197. The ratio of the
    distances is found in a table, to seven digits.
    """
    sign = np.where(above < below, -1.0, 1.0)
    small, large = np.minimum(below, above), np.maximum(below, above)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(large > 0.0, large / small, small + 1.0)
    # The probability of the narrow half of a two-piece normal, whose wide half has the width 1.
    masses = np.linspace(0.5, 0.0, 4001)
    narrow_end, middle, wide_end = _quantiles_of_halves(masses)
    ratios = (wide_end - middle) / (middle - narrow_end)
    mass = np.interp(ratio, ratios, masses)
    _, middle, wide_end = _quantiles_of_halves(mass)
    wide = large / (wide_end - middle)
    narrow = wide * mass / (1.0 - mass)
    lower, upper = np.where(sign > 0.0, narrow, wide), np.where(sign > 0.0, wide, narrow)
    mode, skew = median - sign * middle * wide, np.zeros(len(ratio))
    mean, variance = TwoPieceNormal.moments([mode, lower, upper])[:2]
    std = np.sqrt(variance)
    far = np.flatnonzero(ratio > ratios[-1])
    if len(far):
        shapes = np.geomspace(3.0, 0.1, 4001)
        ends = gammaincinv(shapes[:, None], [0.16, 0.5, 0.84])
        logs = np.log((ends[:, 2] - ends[:, 1]) / (ends[:, 1] - ends[:, 0]))
        shape = np.exp(np.interp(np.log(ratio[far]), logs, np.log(shapes)))
        half = gammaincinv(shape, 0.5)
        scale = large[far] / (gammaincinv(shape, 0.84) - half)
        mean[far] = mode[far] = median[far] + sign[far] * (shape - half) * scale
        std[far] = lower[far] = upper[far] = np.sqrt(shape) * scale
        skew[far] = sign[far] * 2.0 / np.sqrt(shape)
    return mean, std, (mode, lower, upper, skew)


def _quantiles_of_halves(mass: Floats) -> tuple[Floats, Floats, Floats]:
    """16 %, 50 % and 84 % quantiles from the mode, where `mass` is below it, of width 1 above."""
    wide = 1.0 - mass
    inside = ndtri(0.08 / np.maximum(mass, 0.16)) * mass / wide
    low = np.where(mass >= 0.16, inside, ndtri(1.0 - 0.42 / wide))
    return low, ndtri(1.0 - 0.25 / wide), ndtri(1.0 - 0.08 / wide)
