"""The sums of groups of points, in blocks that stay in cache.

A sum over a group is its weight, its mean and its scatter Σ w (x − mean)(x − mean)ᵀ. The mean is
kept as two numbers, what a float holds of it and what that leaves out, so that groups far from
zero merge without losing digits: at an offset of 1e8 a float alone knows a mean to 1e-8.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats
from uapca.aggregate.running import (
    BLOCK_ROWS,
    BLOCK_VALUES,
    SMALL,
    Columns,
    Doubles,
    Rows,
    Running,
    are_far,
    two_sum,
)

__all__ = [
    "Doubles",
    "Integers",
    "Sums",
    "group_order",
    "grouped_extremes",
    "grouped_sums",
    "sums_in_parts",
    "turn",
    "two_sum",
    "zero_sums",
]

Integers = npt.NDArray[np.int64]

# Rows turned from columns at a time, while they are in cache.
_TURNED = 65536
# Rows of a part: for each group so many that a block of it is worth its set-up, from a least to a
# most, at which a column still is in cache.
_EACH, _LEAST, _MOST = 2048, 1 << 14, 1 << 16
# However many columns there are, a part has no more values than this.
_VALUES = 1 << 22


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


def turn(columns: Sequence[Floats], rows: Floats) -> None:
    """Write columns, each on its own, side by side into a matrix stored by rows."""
    for start in range(0, len(rows), _TURNED):
        part = slice(start, start + _TURNED)
        block = rows[part]
        for j, values in enumerate(columns):
            block[:, j] = values[part]


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
    small = counts < SMALL
    for size in np.unique(counts[small & (counts > 0)]).tolist():
        _sum_equal(sums, points, weights, order, starts, np.flatnonzero(counts == size), size)
    if small.all():
        return sums
    rows = Rows(points, weights, len(order))
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
    """`grouped_sums` for few groups with many points each, of points stored by columns or by rows.

    A part of the points is looked at, while it is in cache, and all groups go on where they were.
    """
    n, d = points.shape
    size = min(n, max(_LEAST, min(_EACH * n_groups, _MOST)), max(_VALUES // d, BLOCK_ROWS))
    total = np.zeros(n_groups, dtype=np.int64)
    scatters = np.zeros((n_groups, d, d))
    running = [Running(scatter) for scatter in scatters]
    by_rows = points.flags.c_contiguous
    rows = Rows(points[:size], None, size) if by_rows else Columns(d, points.dtype, size)
    for start in range(0, n, size):
        part = slice(start, start + size)
        order, counts = group_order(codes[part], n_groups)
        rows.arrange(points[part], order, None if weights is None else weights[part])
        total += counts
        ends = np.cumsum(counts).tolist()
        for group, (first, end) in enumerate(pairwise([0, *ends])):
            for low in range(first, end, rows.size):
                block = slice(low, min(low + rows.size, end))
                running[group].add(rows, order[block] if by_rows else block)
    sums = _counted(codes, total, weights, d)._replace(scatters=scatters)
    for group, one in enumerate(running):
        sums.means[group], sums.rests[group] = one.finished()
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


def _batches(groups: Integers, counts: Integers, size: int) -> Iterator[Integers]:
    """Groups of nearly equal size, so many that they fit into ``size`` rows at equal length."""
    groups = groups[np.argsort(counts[groups], kind="stable")]
    lengths = counts[groups].tolist()
    first = 0
    for last, length in enumerate(lengths):
        if (last + 1 - first) * length > size:
            yield groups[first:last]
            first = last
    if first < len(lengths):
        yield groups[first:]


def _sum_several(
    sums: Sums,
    rows: Rows,
    order: npt.NDArray[np.intp],
    starts: Integers,
    groups: Integers,
) -> None:
    """The sums of a few groups that fit into a block, the largest last.

    All are made as long as the largest, with zeros: one product of a stack of matrices takes less
    time than a product for each, and leaves other threads alone.
    """
    counts = sums.counts[groups]
    length = int(counts[-1])
    places = starts[groups][:, None] + np.arange(length)
    points = rows.take(order.take(places.reshape(-1), mode="clip"))
    stack = rows.as_they_are(len(points)).reshape(len(groups), length, -1)
    ones = rows.ones[:length]
    _cut(stack, counts)
    if rows.try_as_they_are:
        moved = ones @ stack
        mean = moved / counts[:, None]
        products = stack.transpose(0, 2, 1) @ stack
        if not are_far(moved * mean, products):
            products -= moved[:, :, None] * mean[:, None, :]
            sums.scatters[groups], sums.means[groups] = products, mean
            return
        rows.try_as_they_are = False
    base = points[::length].astype(np.float64)
    np.subtract(points, np.repeat(base, length, axis=0), out=stack.reshape(points.shape))
    _cut(stack, counts)
    mean = ones @ stack
    mean /= counts[:, None]
    stack -= np.repeat(mean, length, axis=0).reshape(stack.shape)
    _cut(stack, counts)
    sums.means[groups], sums.rests[groups] = two_sum(base, mean)
    sums.scatters[groups] = stack.transpose(0, 2, 1) @ stack


def _cut(stack: Doubles, counts: Integers) -> None:
    """Put zeros behind the points of each group."""
    for own, count in zip(stack, counts.tolist(), strict=True):
        own[count:] = 0.0


def _sum_one(sums: Sums, group: int, rows: Rows, positions: npt.NDArray[np.intp]) -> None:
    """The sums of one group of any size."""
    running = Running(sums.scatters[group])
    for start in range(0, len(positions), rows.size):
        running.add(rows, positions[start : start + rows.size])
    sums.means[group], sums.rests[group] = running.finished()


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
    each = max(1, BLOCK_VALUES // (size * d))
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
