"""Highest-density regions: the order in which cells enter them, and their density levels."""

from __future__ import annotations

import numpy as np

from uapca._validation import Floats

__all__ = ["cell_coverage", "density_coverage", "density_levels"]

#: Densities that differ by less than this, relatively, are equal: FFT leaves a noise of 1e-11.
EQUAL = 1e-6


def cell_coverage(density: Floats, mass: Floats, distance: Floats) -> Floats:
    """The probability of the smallest highest-density region that holds each cell.

    Cells of higher density enter first; cells of equal density (the plateau of a uniform law)
    enter in the order of their distance, so that regions nest and hold what they say. Half of a
    cell's own mass is counted. Cells without mass have coverage 1.

    Parameters
    ----------
    density, mass, distance : ndarray of shape (n,)
    """
    result = np.ones(density.shape)
    used = (density > 0) & (mass > 0)
    # One key for both: whole steps for the density, fractions of a step for the distance.
    step = np.round(np.log(density[used]) / EQUAL)
    order = np.argsort(distance[used] / (2 * distance.max()) - step)
    held = mass[used][order]
    entered = np.empty(len(order))
    entered[order] = np.cumsum(held) - held / 2
    result[used] = entered
    return result


def density_coverage(density: Floats, points: Floats, mass: Floats) -> Floats:
    """The probability of the region where the density is at least `density`.

    Parameters
    ----------
    density : ndarray
    points, mass : ndarray of shape (n,)
        The density at points that stand for the law, and their probabilities.
    """
    order = np.argsort(-points, kind="stable")
    held = np.cumsum(mass[order]) - mass[order] / 2
    # Linear between the points, and on to everything where the density is 0.
    return np.asarray(
        np.interp(-density, np.append(-points[order], 0.0), np.append(held, 1.0), left=0.0)
    )


def density_levels(density: Floats, mass: Floats, probs: Floats) -> Floats:
    """The density values whose superlevel sets hold `probs`, from points that carry the mass.

    Parameters
    ----------
    density, mass : ndarray of shape (n,)
        Density and probability of each point. What `mass` falls short of 1 has a density of 0.
    probs : ndarray of shape (P,)
    """
    order = np.argsort(-density, kind="stable")
    held = np.cumsum(mass[order]) - mass[order] / 2
    levels = np.interp(probs, held, density[order], right=0.0)
    # A plateau lies within the region that it belongs to.
    return np.where(probs >= 1, 0.0, levels * (1 - EQUAL))
