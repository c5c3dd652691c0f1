"""The sums of groups of points, in blocks that stay in cache.

A sum over a group is its weight, its mean and its scatter Σ w (x − mean)(x − mean)ᵀ. The mean is
kept as two numbers, what a float holds of it and what that leaves out, so that groups far from
zero merge without losing digits: at an offset of 1e8 a float alone knows a mean to 1e-8.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats

__all__ = [
    "BLOCK_ROWS",
    "Sums",
    "group_order",
    "grouped_extremes",
    "grouped_sums",
    "sums_in_parts",
    "turn",
    "two_sum",
    "zero_sums",
]

Doubles = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

# Values gathered at a time: the block stays in the processor's cache through all its passes.
_BLOCK = 1 << 16
# Multiplications that BLAS does without calling other threads: waiting for them gains a tenth where
# they are free and costs several times as much where something else has them.
_ALONE = 360_000
# No sum is longer than this before it is merged: error bounds go by it.
BLOCK_ROWS = 4096
# Rows turned from columns at a time, while they are in cache.
_TURNED = 65536
# From so many columns on they are put beside each other first, so many rows at a time, and so many
# numbers apart: distances that are powers of two would fall on the same places of the cache.
_STAGED_FROM, _STAGE, _APART = 12, 16384, 24
# Rows of a part that is turned from columns and summed: for each group so many that a block of it
# is worth its set-up, and never fewer than this.
_EACH, _PART = 2048, 16384
# Groups smaller than this are taken together, many of one size at a time.
_SMALL = 64
# Rows that one step of a broadcast covers: NumPy's loop over the features alone would be short.
_TILE = 16
# Blocks whose mean is within this many standard deviations of the centre, or of zero, are not
# centred again: the correction then costs a factor of at most 1 + _NEAR² in rounding.
_NEAR = 2.0


class Sums(NamedTuple):
    """Sums over G groups of points in D features.

    Attributes
    ----------
    counts : ndarray of int, shape (G,)
    weights, squares : ndarray of shape (G,)
        Sums of the weights and of their squares.
    means, rests : ndarray of shape (G, D)
        The means, and what their rounding left out.
    scatters : ndarray of shape (G, D, D)
    """

    counts: Integers
    weights: Doubles
    squares: Doubles
    means: Doubles
    rests: Doubles
    scatters: Doubles

    def taken(self, groups: Integers | slice) -> Sums:
        """A copy of some of the groups; those of a slice as they are."""
        return Sums(
            self.counts[groups],
            self.weights[groups],
            self.squares[groups],
            self.means[groups],
            self.rests[groups],
            self.scatters[groups],
        )

    def extended(self, n: int) -> Sums:
        """A copy with ``n`` groups, of which the last have no points."""
        new = zero_sums(n, self.means.shape[1])
        for mine, longer in zip(self, new, strict=True):
            longer[: len(mine)] = mine
        return new


def zero_sums(n_groups: int, d: int) -> Sums:
    """The sums of groups without points."""
    return Sums(
        np.zeros(n_groups, dtype=np.int64),
        np.zeros(n_groups),
        np.zeros(n_groups),
        np.zeros((n_groups, d)),
        np.zeros((n_groups, d)),
        np.zeros((n_groups, d, d)),
    )


def two_sum(a: Doubles, b: Doubles) -> tuple[Doubles, Doubles]:
    """a + b rounded, and what the rounding left out, exactly (Knuth's two-sum)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def turn(columns: Sequence[Floats], rows: Floats) -> None:
    """Write columns, each on its own, side by side into a matrix stored by rows."""
    n, d = rows.shape
    if d < _STAGED_FROM or n < _STAGE:
        for start in range(0, n, _TURNED):
            block = rows[start : start + _TURNED]
            for j, values in enumerate(columns):
                block[:, j] = values[start : start + len(block)]
        return
    # Beside each other first, then all at once, which NumPy does a row at a time.
    stage = np.empty((d, _STAGE + _APART), dtype=rows.dtype)
    for start in range(0, n, _STAGE):
        block = rows[start : start + _STAGE]
        for held, values in zip(stage, columns, strict=True):
            held[: len(block)] = values[start : start + len(block)]
        np.copyto(block, stage[:, : len(block)].T)


def grouped_sums(
    points: Floats,
    codes: npt.NDArray[np.integer],
    n_groups: int,
    weights: Doubles | None = None,
) -> Sums:
    """Weight, mean and scatter of every group of points.

    Parameters
    ----------
    points : ndarray of shape (n, D)
        float32 or float64; sums are kept in float64.
    codes : ndarray of int, shape (n,)
        The group of each point, 0 to ``n_groups - 1``; a point with a negative code is left out.
    n_groups : int
        Number of groups. One without points has sums of zero.
    weights : ndarray of shape (n,), optional
        Zero or positive; 1 when left out.

    Examples
    --------
    >>> import numpy as np
    >>> sums = grouped_sums(np.array([[0.0], [2.0], [5.0]]), np.array([0, 0, 1]), 2)
    >>> sums.counts.tolist(), sums.means.ravel().tolist(), sums.scatters.ravel().tolist()
    ([2, 1], [1.0, 5.0], [2.0, 0.0])
    """
    order, counts = group_order(codes, n_groups)
    starts = np.cumsum(counts) - counts
    # Gathering rows from columns stored one after the other would touch all of memory each time.
    points = np.ascontiguousarray(points)
    sums = _counted(codes, counts, weights, points.shape[1])
    small = counts < _SMALL
    for size in np.unique(counts[small & (counts > 0)]).tolist():
        _sum_equal(sums, points, weights, order, starts, np.flatnonzero(counts == size), size)
    if small.all():
        return sums
    rows = _Rows(points, weights, len(order))
    several = ~small & (counts <= rows.size // 2) if weights is None else np.zeros_like(small)
    for batch in _batches(np.flatnonzero(several), counts, rows.size):
        _sum_several(sums, rows, order, starts, batch)
    for group in np.flatnonzero(~small & ~several).tolist():
        first = starts[group]
        _sum_one(sums, group, rows, order[first : first + counts[group]])
    return sums


def sums_in_parts(
    points: Floats,
    codes: npt.NDArray[np.integer],
    n_groups: int,
    weights: Doubles | None = None,
) -> Sums:
    """`grouped_sums` of points stored by columns, for few groups with many points each.

    A part of the points is turned into rows at a time, and all groups go on where they were.
    """
    n, d = points.shape
    size = min(n, max(_PART, _EACH * n_groups))
    turned = np.empty((size, d), dtype=points.dtype)
    total = np.zeros(n_groups, dtype=np.int64)
    scatters = np.zeros((n_groups, d, d))
    running = [_Running(scatter) for scatter in scatters]
    rows = _Rows(turned, None, size)
    for start in range(0, n, size):
        part = slice(start, min(start + size, n))
        np.copyto(turned[: part.stop - start], points[part])
        rows.weights = None if weights is None else weights[part]
        order, counts = group_order(codes[part], n_groups)
        total += counts
        ends = np.cumsum(counts).tolist()
        for group, (first, end) in enumerate(pairwise([0, *ends])):
            for low in range(first, end, rows.size):
                running[group].add(rows, order[low : min(low + rows.size, end)])
    sums = _counted(codes, total, weights, d)._replace(scatters=scatters)
    for group, one in enumerate(running):
        sums.means[group], sums.rests[group] = two_sum(one.base, one.mean)
    return sums


def _counted(
    codes: npt.NDArray[np.integer], counts: Integers, weights: Doubles | None, d: int
) -> Sums:
    """Sums of which only counts and weights are there yet."""
    n_groups = len(counts)
    sums = zero_sums(n_groups, d)
    sums.counts[:] = counts
    if weights is None:
        sums.weights[:] = sums.squares[:] = counts
    else:
        # The order of the points stays within a group, so the sums do not depend on other groups.
        kept = codes >= 0
        sums.weights[:] = np.bincount(codes[kept], weights[kept], minlength=n_groups)
        sums.squares[:] = np.bincount(codes[kept], np.square(weights[kept]), minlength=n_groups)
    return sums


def group_order(
    codes: npt.NDArray[np.integer], n_groups: int
) -> tuple[npt.NDArray[np.intp], Integers]:
    """Positions of the points group by group, in their order within each, and the group sizes.

    Points with a negative code are left out.
    """
    # Codes of up to 16 bits are sorted by radix, in time proportional to their number.
    small: type[np.unsignedinteger] | type[np.int64]
    small = np.uint8 if n_groups < 256 else np.uint16 if n_groups < 65536 else np.int64
    absent = codes < 0
    missing = int(np.count_nonzero(absent))
    if missing:
        codes = np.where(absent, n_groups, codes)
    order = np.argsort(codes.astype(small, copy=False), kind="stable")
    counts = np.bincount(codes, minlength=n_groups)[:n_groups].astype(np.int64)
    return order[: len(order) - missing], counts


def grouped_extremes(
    points: Floats, codes: npt.NDArray[np.integer], n_groups: int
) -> tuple[Doubles, Doubles]:
    """The smallest and largest values of every group, shapes (G, D); ∞ and −∞ without points."""
    d = points.shape[1]
    order, counts = group_order(codes, n_groups)
    sorted_codes = np.repeat(np.arange(n_groups), counts)
    low, high = np.full((n_groups, d), np.inf), np.full((n_groups, d), -np.inf)
    for start in range(0, len(order), BLOCK_ROWS):
        part = points[order[start : start + BLOCK_ROWS]]
        groups, first = np.unique(sorted_codes[start : start + BLOCK_ROWS], return_index=True)
        low[groups] = np.minimum(low[groups], np.minimum.reduceat(part, first, axis=0))
        high[groups] = np.maximum(high[groups], np.maximum.reduceat(part, first, axis=0))
    return low, high


class _Rows:
    """Rows of a matrix, gathered block by block into buffers that are used again."""

    def __init__(self, points: Floats, weights: Doubles | None, most: int) -> None:
        d = points.shape[1]
        self.points, self.weights = points, weights
        self.size = min(BLOCK_ROWS, max(64, _BLOCK // max(d, 1)), max(most, 1))
        # Whole tiles: a broadcast may run over the end of a block into rows that nobody reads.
        padded = -(-self.size // _TILE) * _TILE
        self.gathered = np.zeros((padded, d), dtype=points.dtype)
        self.wide = self.gathered if points.dtype == np.float64 else np.empty((padded, d))
        self.tiled = np.empty((_TILE, d))
        self.ones = np.ones(self.size)
        self.product = np.empty((d, d))
        # Points about zero need not be moved there; where some are not, the rest are not tried.
        self.try_as_they_are = True

    def take(self, positions: npt.NDArray[np.intp]) -> Floats:
        """The rows at some positions."""
        block = self.gathered[: len(positions)]
        np.take(self.points, positions, axis=0, out=block, mode="clip")
        return block

    def as_they_are(self, n: int) -> Doubles:
        """The ``n`` gathered rows where they are, as doubles."""
        if self.wide is not self.gathered:
            self.wide[:n] = self.gathered[:n]
        return self.wide[:n]

    def subtract(self, centre: Doubles, n: int, again: bool = False) -> Doubles:
        """The ``n`` gathered rows about ``centre``; ``again``: those of the last call."""
        tiles = -(-n // _TILE)
        shape = (tiles, _TILE * len(centre))
        source = self.wide if again else self.gathered
        self.tiled[:] = centre
        np.subtract(
            source[: tiles * _TILE].reshape(shape),
            self.tiled.reshape(-1),
            out=self.wide[: tiles * _TILE].reshape(shape),
        )
        return self.wide[:n]


class _Running:
    """The sums of one group, merged from blocks that are centred one by one."""

    __slots__ = ("base", "done", "mean", "scatter")

    def __init__(self, scatter: Doubles) -> None:
        self.scatter = scatter  # zeros to begin with
        self.base = self.mean = np.zeros(len(scatter))
        self.done = 0.0

    def add(self, rows: _Rows, positions: npt.NDArray[np.intp]) -> None:
        """Add the rows at some positions, of which there are not more than a block."""
        n = len(positions)
        block: Any = rows.take(positions)
        if rows.weights is None:
            w, weight = rows.ones[:n], float(n)
        else:
            w = rows.weights[positions]
            weight = float(w.sum())
        if not self.done:
            # One of the points as a provisional centre: what is left is of the spread's size.
            first = 0 if rows.weights is None else int(w.argmax())
            self.base = block[first].astype(np.float64)
        if weight == 0.0:
            self.mean = self.mean + w @ block  # zero, but for values that are not finite
            return
        centre, product = self.base + self.mean, rows.product
        as_it_is = rows.try_as_they_are and self.done > 0.0
        if as_it_is:
            block, from_base = rows.as_they_are(n), -self.base
        else:
            block, from_base = rows.subtract(centre, n), centre - self.base
        off = np.asarray(w @ block)
        off /= weight
        exact = not self.done
        if exact:
            block = rows.subtract(off, n, again=True)
        _multiply(block, w, product, rows.weights is not None)
        if not exact and _are_far(weight * off * off, product):
            # The correction would cancel: then it is centred as the first was.
            exact = True
            rows.try_as_they_are = rows.try_as_they_are and not as_it_is
            rows.take(positions)
            block, from_base = rows.subtract(centre, n), centre - self.base
            off = np.asarray(w @ block)
            off /= weight
            block = rows.subtract(off, n, again=True)
            _multiply(block, w, product, rows.weights is not None)
        self.scatter += product
        gap = from_base + off - self.mean
        if self.done:
            share = self.done * (weight / (self.done + weight))
            self.scatter += gap[:, None] * (gap * share)
        if not exact:
            self.scatter -= off[:, None] * (off * weight)
        self.done += weight
        self.mean = self.mean + gap * (weight / self.done)


def _are_far(moved: Any, products: Doubles) -> bool:
    """Whether a mean is too far from where points were measured from; ``moved``: w (distance)²."""
    spread = np.diagonal(products, axis1=-2, axis2=-1)
    near = (moved <= (_NEAR**2 / (1 + _NEAR**2)) * spread) & (spread < np.inf)
    return not near.all()


def _batches(groups: Integers, counts: Integers, size: int) -> Iterator[Integers]:
    """Groups that have at most ``size`` points together, one batch after the other."""
    ends = np.cumsum(counts[groups])
    done = first = 0
    while first < len(groups):
        last = int(np.searchsorted(ends, done + size, side="right"))
        yield groups[first:last]
        done, first = int(ends[last - 1]), last


def _sum_several(
    sums: Sums,
    rows: _Rows,
    order: npt.NDArray[np.intp],
    starts: Integers,
    groups: Integers,
) -> None:
    """The sums of a few groups that fit into a block, each with two passes over its points."""
    counts = sums.counts[groups]
    stops = np.cumsum(counts)
    firsts = stops - counts
    if groups[-1] - groups[0] == len(groups) - 1:
        start = starts[groups[0]]
        taken = order[start : start + stops[-1]]
    else:
        taken = order[np.arange(stops[-1]) + np.repeat(starts[groups] - firsts, counts)]
    points, block = rows.take(taken), rows.as_they_are(len(taken))
    ends = list(zip(groups.tolist(), firsts.tolist(), stops.tolist(), strict=True))
    if rows.try_as_they_are:
        mean = np.add.reduceat(block, firsts, axis=0)
        mean /= counts[:, None]
        for group, first, stop in ends:
            part = block[first:stop]
            np.matmul(part.T, part, out=sums.scatters[group])
        moved = mean * counts[:, None]
        if not _are_far(moved * mean, sums.scatters[groups]):
            sums.scatters[groups] -= moved[:, :, None] * mean[:, None, :]
            sums.means[groups] = mean
            return
        rows.try_as_they_are = False
    base = points[firsts].astype(np.float64, copy=False)
    np.subtract(points, np.repeat(base, counts, axis=0), out=block)
    mean = np.add.reduceat(block, firsts, axis=0)
    mean /= counts[:, None]
    block -= np.repeat(mean, counts, axis=0)
    sums.means[groups], sums.rests[groups] = two_sum(base, mean)
    for group, first, stop in ends:
        part = block[first:stop]
        np.matmul(part.T, part, out=sums.scatters[group])


def _sum_one(sums: Sums, group: int, rows: _Rows, positions: npt.NDArray[np.intp]) -> None:
    """The sums of one group of any size."""
    running = _Running(sums.scatters[group])
    for start in range(0, len(positions), rows.size):
        running.add(rows, positions[start : start + rows.size])
    sums.means[group], sums.rests[group] = two_sum(running.base, running.mean)


def _multiply(block: Doubles, w: Doubles, product: Doubles, weighted: bool) -> None:
    if weighted:
        block *= np.sqrt(w)[:, None]
    n, d = block.shape
    rows = _ALONE // (d * d)
    if n <= rows or rows < _SMALL:
        np.matmul(block.T, block, out=product)
        return
    np.matmul(block[:rows].T, block[:rows], out=product)
    for start in range(rows, n, rows):
        part = block[start : start + rows]
        product += part.T @ part


def _sum_equal(
    sums: Sums,
    points: Floats,
    weights: Doubles | None,
    order: npt.NDArray[np.intp],
    starts: Integers,
    groups: Integers,
    size: int,
) -> None:
    """The sums of many groups of ``size`` points each, a block of groups at a time."""
    d = points.shape[1]
    each = max(1, _BLOCK // (size * d))
    for low in range(0, len(groups), each):
        some = groups[low : low + each]
        taken = order[starts[some][:, None] + np.arange(size)]
        block = points[taken].astype(np.float64, copy=False)
        if weights is None:
            base = block[:, 0].copy()
            block -= base[:, None]
            mean = block.mean(axis=1)
        else:
            w = weights[taken]
            base = block[np.arange(len(some)), w.argmax(axis=1)]
            block -= base[:, None]
            total = w.sum(axis=1)
            mean = (w[:, None, :] @ block)[:, 0] / np.where(total > 0.0, total, 1.0)[:, None]
        sums.means[some], sums.rests[some] = two_sum(base, mean)
        if size > 1:
            block -= mean[:, None]
            if weights is not None:
                block *= np.sqrt(w)[:, :, None]
            product = block.transpose(0, 2, 1) @ block
            sums.scatters[some] = 0.5 * (product + product.transpose(0, 2, 1))
