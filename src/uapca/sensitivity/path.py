"""Paths of eigenpairs: every member of a family on a grid, each eigenvector followed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uapca.sensitivity.family import Eigenpairs, Family, merged
from uapca.sensitivity.following import Positions, follow, like_placed, reach
from uapca.uncertain.blocks import Doubles

__all__ = ["TURN", "Path", "adaptive_path", "first_grid", "fixed_path"]

# The largest angle, in radians, by which a shown component turns between neighbours: two degrees
# make a smooth curve of any turn.
TURN = float(np.deg2rad(2.0))

_COARSE = 64
# Neighbours as near as this, relative to their distance from the ends, are parted no further: what
# still turns there has swapped places.
_FINEST = 2.0**-34
_FLOOR = 2.0**-50


@dataclass(frozen=True, slots=True)
class Path:
    """Eigenpairs of a family along a grid.

    Attributes
    ----------
    u : ndarray of shape (S,)
        Where in the family, from 0 to 1, rising.
    complement : ndarray of shape (S,)
        1 − u, which near 1 is better known than u.
    values : ndarray of shape (S, D)
        Eigenvalues of M(u), falling.
    vectors : ndarray of shape (S, D, D)
        Eigenvectors as columns in the same order, with signs that follow their predecessors'.
    order : ndarray of shape (S, D)
        Where each followed eigenvector stands in the falling order.
    """

    u: Doubles
    complement: Doubles
    values: Doubles
    vectors: Doubles
    order: Positions

    def followed(self) -> Doubles:
        """Eigenvectors as columns, each in its own column all along; shape (S, D, D)."""
        return np.take_along_axis(self.vectors, self.order[:, None, :], axis=2)

    def shown(self, q: int) -> tuple[Positions, Positions]:
        """Which of the vectors each of q columns shows, and where a column changes hands.

        Returns
        -------
        places : ndarray of shape (S, q)
            The columns hold the q leading vectors at every step, each in the column it had before.
            A vector that leaves the leading q gives its column to the one that enters.
        breaks : ndarray of int
            Steps k between which and k - 1 that happens.
        """
        order = self.order
        columns = np.arange(q)
        places = np.empty((len(order), q), dtype=np.intp)
        breaks = []
        changes = np.flatnonzero((order[1:] != order[:-1]).any(axis=1)) + 1
        places[:] = columns
        for first in changes:
            leading = np.flatnonzero(order[first] < q)
            left = ~np.isin(columns, leading)
            if left.any():
                columns = columns.copy()
                columns[left] = np.setdiff1d(leading, columns)
                breaks.append(first)
            places[first:] = order[first, columns]
        return places, np.array(breaks, dtype=np.intp)


def fixed_path(family: Family, u: Doubles, complement: Doubles, anchor: float = 0.5) -> Path:
    """The path on a given grid; signs are those of a fit at the point nearest to ``anchor``."""
    return _path(u, complement, family.eigenpairs(complement, u), anchor)


def adaptive_path(
    family: Family,
    q: int,
    marks: tuple[float, ...],
    turn: float = TURN,
    anchor: float = 0.5,
) -> Path:
    """The path on a grid so fine that none of the q leading vectors turns by more than ``turn``.

    Intervals are halved until that holds. Where it cannot hold because two vectors swap places
    without turning (a true crossing), the crossing is enclosed as tightly as the numbers allow and
    both sides of it are on the grid. So are those of a crossing that falls on a point of the grid.

    Parameters
    ----------
    family : Family
    q : int
    marks : tuple of float
        Points that have to be on the grid.
    turn : float
        In radians.
    anchor : float
        Signs are those of a fit at the point nearest to it.
    """
    grid = np.union1d(first_grid(family, _COARSE), marks)
    pairs = family.eigenpairs(1.0 - grid, grid)
    enclosed: set[float] = set()
    beside: set[float] = set()
    while True:
        overlap = np.abs(like_placed(pairs.vectors[:-1, :, :q], pairs.vectors[1:, :, :q]))
        wanted = _beside_ties(family, grid, pairs, q, beside)
        for k in np.flatnonzero(overlap.min(axis=1) < np.cos(turn)):
            if grid[k] not in enclosed and not _finest(grid[k], grid[k + 1]):
                new, swap = _parted(family, grid[k : k + 2], pairs.take([k, k + 1]), q, turn)
                wanted += new
                enclosed.update(swap)
        if not wanted:
            break
        added = np.array(wanted)
        grid, pairs = merged(grid, pairs, added, family.eigenpairs(1.0 - added, added))
    return _path(grid, 1.0 - grid, pairs, anchor)


def _path(u: Doubles, complement: Doubles, pairs: Eigenpairs, anchor: float) -> Path:
    order = follow(pairs, int(np.abs(u - anchor).argmin()))
    return Path(u, complement, pairs.values, pairs.vectors, order)


def first_grid(family: Family, count: int) -> Doubles:
    """A coarse grid, and where start and stop differ in size, one more about their balance."""
    even = np.linspace(0.0, 1.0, count + 1)
    sizes = np.sqrt(family.start.trace()), np.sqrt(family.stop.trace())
    if min(sizes) <= 0.0 or 0.25 < sizes[0] / sizes[1] < 4.0:
        return even
    near, far = (1.0 - even) * sizes[1], even * sizes[0]
    balanced = far / (near + far)
    return np.union1d(even, balanced)


def _parted(
    family: Family, ends: Doubles, pairs: Eigenpairs, q: int, turn: float
) -> tuple[list[float], list[float]]:
    """New points for an interval in which the leading vectors turn too far.

    None if the turn was only apparent (a tie, a sign); the middle if there is more to resolve; the
    two sides of a true crossing, the first of them once more as its mark. A crossing exactly on an
    end is a tie there and looks like no turn: `_beside_ties` encloses it.
    """
    sides = [(pairs.vectors[k], pairs.tied[k]) for k in (0, 1)]
    places, angle = reach(sides[0], sides[1], range(q))
    low, high = float(ends[0]), float(ends[1])
    if angle > turn:
        return [0.5 * (low + high)], []
    if _unmoved(places, q):
        return [], []
    while not _finest(low, high):
        middle = 0.5 * (low + high)
        here = family.eigenpairs(np.array([1.0 - middle]), np.array([middle]))
        side = (here.vectors[0], here.tied[0])
        before, first_angle = reach(sides[0], side, range(q))
        after, second_angle = reach(side, sides[1], range(q))
        still, settled = _unmoved(before, q), _unmoved(after, q)
        if max(first_angle, second_angle) > turn or still == settled:
            return [middle], []
        if still:
            low, sides[0] = middle, side
        else:
            high, sides[1] = middle, side
    return [low, high], [low]


def _beside_ties(
    family: Family, grid: Doubles, pairs: Eigenpairs, q: int, done: set[float]
) -> list[float]:
    """Points at a tiny distance on both sides of ties of shown vectors that sit on the grid.

    Within a tie any basis is as good, so that vectors that swap places there seem not to have moved
    on either side. With neighbours this near, that is where they are found to swap. Ties that last
    from one point to the next are none of a crossing. Points looked at are added to ``done``.
    """
    tied = pairs.tied[:, :q]
    lone = tied[1:-1] & ~tied[:-2] & ~tied[2:]
    wanted: list[float] = []
    for k in np.flatnonzero(lone.any(axis=1)) + 1:
        u = float(grid[k])
        if u in done:
            continue
        done.add(u)
        nearest = max(_FINEST * min(u, 1.0 - u), 4.0 * float(np.spacing(u)))
        for side in (-1.0, 1.0):
            room = abs(float(grid[k + int(side)]) - u)
            if nearest >= room:
                continue
            steps = nearest * 4.0 ** np.arange(int(np.log2(room / nearest) / 2.0) + 1)
            at = np.asarray(u + side * steps[steps < room], dtype=np.float64)
            # The first at which the values have parted.
            still = family.eigenpairs(1.0 - at, at).tied[:, :q][:, lone[k - 1]].any(axis=1)
            wanted += [float(v) for v in at[~still][:1]]
    return wanted


def _unmoved(places: Positions, q: int) -> bool:
    """Whether the q leading vectors kept their places."""
    return bool((places[:q] == np.arange(q)).all())


def _finest(low: float, high: float) -> bool:
    width = high - low
    return width <= max(_FINEST * min(high, 1.0 - low), _FLOOR)
