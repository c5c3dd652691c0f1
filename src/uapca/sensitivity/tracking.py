"""Paths of eigenpairs: a family on a grid, with every eigenvector followed along it.

An eigenvector is followed by its overlap with its predecessor: never by a rule about its sign, and
never by its rank alone. Where the overlap of a vector with the predecessor of the same rank exceeds
√½, no other can be larger; only the remaining steps need a matching. Vectors of tied eigenvalues
have no identity of their own: their subspace is matched as a whole, and its basis is rotated to
that of its predecessor (orthogonal Procrustes).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.optimize

from uapca._validation import Doubles
from uapca.decomposition.spectrum import signed
from uapca.sensitivity.family import Eigenpairs, Family, Flags

__all__ = [
    "TURN",
    "Path",
    "Positions",
    "adaptive_path",
    "first_grid",
    "fixed_path",
    "follow",
    "halve",
    "insert",
    "match",
    "reach",
]

Positions = npt.NDArray[np.intp]
Side = tuple[Doubles, Flags]

# The largest angle, in radians, by which a shown component turns between neighboring points.
TURN = float(np.deg2rad(2.0))

_COARSE = 64
# Vectors that still turn within an interval as narrow as this, relative to its distance from the
# ends, have swapped ranks.
_NARROWEST = 2.0**-34
_FLOOR = 2.0**-50


@dataclass(frozen=True, slots=True)
class Path:
    """Eigenpairs of a family along a grid.

    Attributes
    ----------
    u : ndarray of shape (S,)
        Points of the grid, increasing, from 0 to 1.
    complement : ndarray of shape (S,)
        1 − u, which has more digits near u = 1.
    values : ndarray of shape (S, D)
        Eigenvalues of M(u), decreasing.
    vectors : ndarray of shape (S, D, D)
        Eigenvectors as columns in the same order; signs follow the predecessor.
    order : ndarray of shape (S, D)
        The rank of each followed eigenvector.
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
        """The rank that each of q columns shows, and where the set of vectors shown changes.

        Returns
        -------
        places : ndarray of shape (S, q)
            The columns hold the q leading vectors at every step, each in the column it had before.
            A vector that leaves the leading q gives its column to the one that enters.
        breaks : ndarray of int
            Steps k such that this happens between k - 1 and k.
        """
        order, columns, breaks = self.order, np.arange(q), []
        places = np.tile(columns, (len(order), 1))
        for k in np.flatnonzero((order[1:] != order[:-1]).any(axis=1)) + 1:
            leading = np.flatnonzero(order[k] < q)
            left = ~np.isin(columns, leading)
            if left.any():
                columns = columns.copy()
                columns[left] = np.setdiff1d(leading, columns)
                breaks.append(k)
            places[k:] = order[k, columns]
        return places, np.array(breaks, dtype=np.intp)


def fixed_path(
    family: Family,
    u: Doubles,
    complement: Doubles,
    anchor: float = 0.5,
    pairs: Eigenpairs | None = None,
) -> Path:
    """The path on a given grid; signs are those of a fit at the point nearest to ``anchor``."""
    if pairs is None:
        pairs = family.eigenpairs(complement, u)
    order = follow(pairs, int(np.abs(u - anchor).argmin()))
    return Path(u, complement, pairs.values, pairs.vectors, order)


def adaptive_path(
    family: Family, q: int, marks: tuple[float, ...], turn: float = TURN, anchor: float = 0.5
) -> Path:
    """The path on a grid so fine that none of the q leading vectors turns by more than ``turn``.

    Intervals are halved until that holds. Where it cannot hold because two vectors swap ranks
    without turning (a true crossing), the crossing is enclosed as tightly as float64 allows and
    both sides of it are on the grid. The same holds for a crossing exactly on a grid point.

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
    u = np.union1d(first_grid(family, _COARSE), marks)
    pairs = family.eigenpairs(1.0 - u, u)
    examined: set[float] = set()
    while True:
        u, pairs = halve(family, u, pairs, q, turn)
        wanted = _beside_ties(family, u, pairs, q, examined)
        if not wanted:
            break
        u, pairs = insert(family, u, pairs, wanted)
    return fixed_path(family, u, 1.0 - u, anchor, pairs)


def first_grid(family: Family, count: int) -> Doubles:
    """An even grid and, where start and stop differ in size, a second one around their balance."""
    even = np.linspace(0.0, 1.0, count + 1)
    start, stop = np.sqrt(family.start.trace()), np.sqrt(family.stop.trace())
    if min(start, stop) <= 0.0 or 0.25 < start / stop < 4.0:
        return even
    near, far = (1.0 - even) * stop, even * start
    return np.union1d(even, far / (near + far))


def insert(
    family: Family, u: Doubles, pairs: Eigenpairs, wanted: npt.ArrayLike
) -> tuple[Doubles, Eigenpairs]:
    """The grid and its eigenpairs with more points, increasing, each point once."""
    added = np.asarray(wanted, dtype=np.float64)
    found = family.eigenpairs(1.0 - added, added)
    joined = np.concatenate([u, added])
    keep = np.unique(joined, return_index=True)[1]
    both = zip(
        (pairs.values, pairs.vectors, pairs.tied),
        (found.values, found.vectors, found.tied),
        strict=True,
    )
    return joined[keep], Eigenpairs(*(np.concatenate(each)[keep] for each in both))


def halve(
    family: Family,
    u: Doubles,
    pairs: Eigenpairs,
    q: int,
    turn: float,
    swaps: int = 0,
    narrowest: float = _NARROWEST,
) -> tuple[Doubles, Eigenpairs]:
    """Halve intervals in which one of the q leading vectors turns or moves too far.

    Too far is an angle of more than ``turn`` or a change of rank of more than ``swaps``. Intervals
    are not halved further once their width is below ``narrowest`` times the distance to the ends.
    """
    done: set[tuple[float, float]] = set()
    while True:
        shown = pairs.vectors[:, :, :q]
        overlap = np.abs(np.einsum("kdi,kdi->ki", shown[:-1], shown[1:]))
        wanted = []
        for k in np.flatnonzero(overlap.min(axis=1) < np.cos(turn)):
            low, high = float(u[k]), float(u[k + 1])
            width = max(narrowest * min(high, 1.0 - low), _FLOOR)
            if (low, high) in done or high - low <= width:
                continue
            before, after = ((pairs.vectors[i], pairs.tied[i]) for i in (k, k + 1))
            places, angle = reach(before, after, range(q))
            if angle > turn or np.abs(places - np.arange(len(places)))[:q].max() > swaps:
                wanted.append(0.5 * (low + high))
            else:  # the turn was only apparent: a tie or a sign
                done.add((low, high))
        if not wanted:
            return u, pairs
        u, pairs = insert(family, u, pairs, wanted)


def _beside_ties(
    family: Family, grid: Doubles, pairs: Eigenpairs, q: int, done: set[float]
) -> list[float]:
    """Points at a tiny distance on both sides of ties of shown vectors that lie on the grid.

    Within a tie any basis is as good, so vectors that swap ranks there seem not to have moved on
    either side; neighbors this near reveal the swap. A tie that lasts from one point to the next
    is no crossing. Points examined are added to ``done``.
    """
    tied = pairs.tied[:, :q]
    lone = tied[1:-1] & ~tied[:-2] & ~tied[2:]
    wanted: list[float] = []
    for k in np.flatnonzero(lone.any(axis=1)) + 1:
        u = float(grid[k])
        if u in done:
            continue
        done.add(u)
        nearest = max(_NARROWEST * min(u, 1.0 - u), 4.0 * float(np.spacing(u)))
        for side in (-1, 1):
            room = abs(float(grid[k + side]) - u)
            if nearest >= room:
                continue
            steps = nearest * 4.0 ** np.arange(int(np.log2(room / nearest) / 2.0) + 1)
            at = np.asarray(u + side * steps[steps < room], dtype=np.float64)
            # The first at which the values have separated.
            still = family.eigenpairs(1.0 - at, at).tied[:, :q][:, lone[k - 1]].any(axis=1)
            wanted += [float(v) for v in at[~still][:1]]
    return wanted


def follow(pairs: Eigenpairs, anchor: int = 0) -> Positions:
    """Follow the eigenvectors from the first matrix to the last.

    Parameters
    ----------
    pairs : Eigenpairs
        Their vectors are changed in place: signs follow the predecessor, and so do the bases of
        tied subspaces.
    anchor : int
        The step at which the vectors have the signs of a fit there.

    Returns
    -------
    ndarray of shape (S, D)
        The rank of each of the D followed eigenvectors at each step; 0, 1, …, D - 1 at the first.
    """
    vectors, tied = pairs.vectors, pairs.tied
    steps, d = vectors.shape[:2]
    overlaps = np.einsum("kdi,kdi->ki", vectors[:-1], vectors[1:])
    loose = np.asarray(tied.any(axis=1))
    unclear = (np.abs(overlaps).min(axis=1) <= np.sqrt(0.5)) | loose[1:] | loose[:-1]
    order = np.tile(np.arange(d), (steps, 1))
    for k in np.flatnonzero(unclear):
        places, overlaps[k] = match(vectors[k], vectors[k + 1], tied[k + 1])
        if (places != np.arange(d)).any():
            order[k + 1 :] = places[order[k]]
    running = np.ones((steps, d))
    signs = np.where(overlaps < 0.0, -1.0, 1.0)
    np.cumprod(np.take_along_axis(signs, order[:-1], axis=1), axis=0, out=running[1:])
    # The sign rule of `spectrum` decides at the anchor only; from there signs follow both ways.
    rows = vectors[anchor].T
    running *= np.sign((signed(rows) * rows).sum(axis=1))[order[anchor]] * running[anchor]
    placed = np.empty_like(running)
    np.put_along_axis(placed, order, running, axis=1)
    if (placed < 0.0).any():
        vectors *= placed[:, None, :]
    return order


def match(before: Doubles, after: Doubles, tied: Flags) -> tuple[Positions, Doubles]:
    """The rank of each vector of one basis in the next, and its overlap with the vector there.

    ``after``, shape (D, D), is changed in place: the basis of each of its ``tied`` subspaces is
    rotated to fit ``before``.
    """
    overlap = before.T @ after
    share = np.square(overlap)
    groups = list(_runs(tied))
    for group in groups:
        share[:, group] = share[:, group].mean(axis=1, keepdims=True)
    # Who keeps more than half stays: more than half of a vector is in one place only. The others
    # are assigned to the remaining ranks.
    places = np.arange(len(after))
    moving = np.flatnonzero(np.diagonal(share) <= 0.5)
    if len(moving):
        rows, columns = scipy.optimize.linear_sum_assignment(
            share[np.ix_(moving, moving)], maximize=True
        )
        places[moving[rows]] = moving[columns]
    for group in groups:
        members = np.flatnonzero((places >= group.start) & (places < group.stop))
        left, _, right = np.linalg.svd(overlap[members, group].T)
        after[:, group] = after[:, group] @ (left @ right)
        places[members] = np.arange(group.start, group.stop)
    if groups:
        overlap = before.T @ after
    return places, np.asarray(overlap[np.arange(len(places)), places])


def reach(before: Side, after: Side, shown: range) -> tuple[Positions, float]:
    """How the vectors of two neighbors match, and the largest angle between matched ones.

    Only vectors with a ``shown`` rank before or after count. Unlike in `follow`, neither basis has
    been rotated to its predecessor's yet, so ties are resolved on both sides.
    """
    (first, first_tied), (second, second_tied) = before, after
    second = second.copy()
    if first_tied.any():
        first = first.copy()
        match(second, first, first_tied)
    places, overlaps = match(first, second, second_tied)
    count = np.isin(np.arange(len(places)), shown) | np.isin(places, shown)
    return places, float(np.arccos(np.minimum(np.abs(overlaps[count]), 1.0)).max())


def _runs(tied: Flags) -> Iterator[slice]:
    """Runs of two or more tied vectors."""
    start = 0
    for i, alike in enumerate([*tied, False]):
        if not alike:
            if i > start:
                yield slice(start, i + 1)
            start = i + 1
