"""The smallest regions that hold given probabilities of a law: rings in the plane, intervals."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from contourpy import contour_generator

from uapca._validation import Doubles
from uapca.laws import Lattice, Law

__all__ = ["Unresolved", "curve", "intervals", "rings"]

# Contours are found on the radius √(−2 log(1 − coverage)), on which a normal law is a cone:
# straight lines between nodes are then nearly exact. Outside of the law it ends here.
BEYOND = 3.0
# Probability that neighboring cells of a lattice may disagree about.
MISSED = 0.3


class Unresolved(ValueError):
    """A density that no grid of reasonable size can show, such as thin laws across each other."""


def rings(law: Law, levels: npt.ArrayLike) -> list[tuple[Doubles, ...]]:
    """For each level the closed rings that hold that probability; a hole goes round the other way.

    Parameters
    ----------
    law : Law
        Of two dimensions and support rank 2.
    levels : array-like of shape (L,)
        Probabilities between 0 and 1.

    Raises
    ------
    uapca.laws.DegenerateLawError
        Where the law has no density in the plane.
    Unresolved
        Where no grid of reasonable size sees the density.
    """
    lattice = law.lattice()
    if lattice.missed > MISSED:
        raise Unresolved(
            f"the density of this law ({law.describe()}) is too thin for a grid of "
            f"{lattice.mass.shape[0]} by {lattice.mass.shape[1]} points; draw samples of it instead"
        )
    return [_contours(lattice.resolving(p), p) for p in np.atleast_1d(levels).tolist()]


def _contours(lattice: Lattice, level: float) -> tuple[Doubles, ...]:
    edge = np.sqrt(-2 * np.log1p(-level))
    with np.errstate(divide="ignore"):
        radius = np.sqrt(-2 * np.log(np.maximum(1 - lattice.coverage, 0.0)))
    # A rim outside closes every ring, even one that leaves the grid.
    padded = np.pad(np.minimum(radius, edge + BEYOND), 1, constant_values=edge + BEYOND)
    x, y = (np.concatenate([[2 * a[0] - a[1]], a, [2 * a[-1] - a[-2]]]) for a in lattice.nodes)
    # All rings have the region on the same side, so holes go round the other way.
    lines = contour_generator(x, y, padded.T).lines(edge)
    found = [np.asarray(line, dtype=np.float64) for line in lines if len(line) > 3]
    return tuple(np.asarray(lattice.places(line)) for line in found)


def intervals(law: Law, levels: npt.ArrayLike) -> list[Doubles]:
    """For each level the intervals (K, 2) that together hold that probability of a 1-D law."""
    lattice = law.lattice()
    return [_intervals(lattice.resolving(p), p) for p in np.atleast_1d(levels).tolist()]


def _intervals(lattice: Lattice, level: float) -> Doubles:
    above = np.concatenate([[False], lattice.mask(level), [False]])
    edges = lattice.places(lattice.edges[0][:, None])[:, 0]
    starts, ends = (
        np.flatnonzero(a & ~b) for a, b in ((above[1:], above[:-1]), (above[:-1], above[1:]))
    )
    return np.sort(np.column_stack([edges[starts], edges[ends]]), axis=1)


def curve(law: Law, tail: float = 1e-3, count: int = 400) -> Doubles:
    """Points (x, density) of a 1-D law that leave out about `tail` of the mass on each side."""
    lattice = law.lattice()
    edges = lattice.places(lattice.edges[0][:, None])[:, 0]
    mass = np.concatenate([[0.0], np.cumsum(lattice.mass)]) / lattice.mass.sum()
    low, high = np.sort(np.interp([tail, 1 - tail], mass, edges))
    held = np.interp(np.linspace(tail, 1 - tail, count), mass, edges)
    x = np.unique(np.concatenate([np.linspace(low, high, count), held]))
    # Just inside the ends: a uniform law is a box, not a trapezoid.
    margin = 1e-9 * (high - low)
    values = law.density(np.clip(x, low + margin, high - margin))
    return np.column_stack([x, values])
