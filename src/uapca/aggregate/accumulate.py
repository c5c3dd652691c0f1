"""The accumulator: weights, means and scatters of groups of points, block by block.

Fits of whole data (one group), `partial_fit`, grouped points and streams all use it. A group is
summed up in its weight, its mean and its scatter Σ w (x − mean)(x − mean)ᵀ. Points are taken in
blocks. The points of each group in a block are measured from the group's mean so far, or, where
that mean carries less weight than they do, from their own; the result is then merged with the sums
of the blocks before (Chan, Golub & LeVeque 1983). Nothing of the form
Σ x² − n mean² is ever computed, so an offset that all points share costs no digits.

Means are kept as two floats, the rounded mean and its rounding error: at an offset of 1e8 a single
float knows a mean of unit spread to 1e-8, and merging such means would lose half of the digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from uapca._validation import Doubles, Floats

__all__ = [
    "Integers",
    "Sums",
    "group_order",
    "grouped_sums",
    "merged",
    "moments",
    "zero_sums",
]

Integers = npt.NDArray[np.int64]

# Rows whose products are summed in one go, for error bounds grow with the length of a sum; fewer
# where they would not stay in cache, but enough that adding up the products costs little.
_SUMMED, _CACHED_VALUES = 4096, 1 << 17
# Values of a block, which has four times that many rows at least: a merge must cost little.
_BLOCK_VALUES = 1 << 21
# Rows sorted by group at a time where the points are not stored by rows: a copy of that many is
# made. For each group enough that merging costs little.
_PART, _PART_EACH = 1 << 16, 256
# Points of a group whose mean is near enough to that of all: measured from there, the points are
# passed over once.
_FEW = 32
# Groups up to this many times as long as the shortest are multiplied with it.
_ALIKE = 1.6
# Entries of scatters merged at a time.
_MERGED_VALUES = 1 << 16
_U = 2.0**-53  # unit roundoff


class Sums(NamedTuple):
    """Sums over G groups of points in D features.

    Attributes
    ----------
    counts : ndarray of int, shape (G,)
    weights, squares : ndarray of shape (G,)
        Sums of the weights and of their squares.
    means, rests : ndarray of shape (G, D)
        The means, and their rounding errors: the mean is ``means + rests``.
    scatters : ndarray of shape (G, D, D), or (G, D)
        Of wide groups only the diagonals are kept.
    factors : ndarray of shape (G, D, r)
        Of wide groups r leading directions F of each scatter: what is left of it, without F Fᵀ, is
        positive semi-definite.
    errors : ndarray of shape (G, 2)
        Bounds for the rounding errors of any entry of the mean, and of the scatter.
    pooled : ndarray of shape (D, D), or (0, 0)
        The sum of the scatters of all groups, where only their diagonals are kept.
    """

    counts: Integers
    weights: Doubles
    squares: Doubles
    means: Doubles
    rests: Doubles
    scatters: Doubles
    factors: Doubles
    errors: Doubles
    pooled: Doubles

    @property
    def rank(self) -> int | None:
        """The number of directions that are kept beside diagonals; None for whole scatters."""
        return int(self.factors.shape[2]) if self.scatters.ndim == 2 else None

    @property
    def parts(self) -> tuple[Integers | Doubles, ...]:
        """The arrays with an entry for each group."""
        return self[:8]

    @property
    def variations(self) -> Doubles:
        """The diagonals of the scatters, Σ w (x − mean)², shape (G, D)."""
        whole = self.rank is None
        return self.scatters.diagonal(0, 1, 2) if whole else self.scatters

    @property
    def largest(self) -> Doubles:
        """The largest entry of each scatter, which is on its diagonal."""
        return np.asarray(self.variations.max(axis=1, initial=0.0))

    def taken(self, groups: Integers | slice) -> Sums:
        """Some of the groups: a copy, or a view where ``groups`` is a slice."""
        return Sums._make([*(part[groups] for part in self.parts), self.pooled])

    def extended(self, n: int) -> Sums:
        """A copy with ``n`` groups, of which the last have no points."""
        new = zero_sums(n, self.means.shape[1], self.rank)
        for mine, longer in zip(self.parts, new.parts, strict=True):
            longer[: len(mine)] = mine
        new.pooled[:] = self.pooled
        return new


def zero_sums(n_groups: int, d: int, rank: int | None = None) -> Sums:
    """The sums of groups without points; ``rank``: diagonals of scatters and so many directions."""
    return Sums(
        np.zeros(n_groups, dtype=np.int64),
        np.zeros(n_groups),
        np.zeros(n_groups),
        np.zeros((n_groups, d)),
        np.zeros((n_groups, d)),
        np.zeros((n_groups, d, d) if rank is None else (n_groups, d)),
        np.zeros((n_groups, d, rank or 0)),
        np.zeros((n_groups, 2)),
        np.zeros((0, 0) if rank is None else (d, d)),
    )


def moments(points: Floats, weights: Doubles | None = None) -> tuple[Doubles, Doubles]:
    """Mean and population covariance of weighted points.

    Parameters
    ----------
    points : ndarray of shape (N, D)
        float32 or float64.
    weights : ndarray of shape (N,), optional
        Zero or positive, with a positive sum; equal when left out. A point of weight zero may hold
        anything.

    Returns
    -------
    mean : ndarray of shape (D,)
    covariance : ndarray of shape (D, D)
    """
    sums = grouped_sums(points, None, 1, weights)
    with np.errstate(all="ignore"):
        return sums.means[0], sums.scatters[0] / sums.weights[0]


def grouped_sums(
    points: Floats,
    codes: npt.NDArray[np.integer] | None,
    n_groups: int,
    weights: Doubles | None = None,
    rank: int | None = None,
    before: Sums | None = None,
) -> Sums:
    """Weight, mean and scatter of every group of points.

    Parameters
    ----------
    points : ndarray of shape (n, D)
        float32 or float64; sums are kept in float64.
    codes : ndarray of int, shape (n,), or None
        The group of each point, 0 to ``n_groups - 1``; a point with a negative code is left out.
        None: all points belong to the one group.
    n_groups : int
        Number of groups. One without points has sums of zero; one without weight has the mean of
        one of its points.
    weights : ndarray of shape (n,), optional
        Zero or positive; 1 when left out. A point of weight zero counts, but does not enter sums.
    rank : int, optional
        Keep only the diagonals of the scatters, that many directions of each, and the sum of all
        scatters; by default whole scatters.
    before : Sums, optional
        Sums of other points of the same groups: the points are added to them, in place.

    Examples
    --------
    >>> import numpy as np
    >>> sums = grouped_sums(np.array([[0.0], [2.0], [5.0]]), np.array([0, 0, 1]), 2)
    >>> sums.counts.tolist(), sums.means.ravel().tolist(), sums.scatters.ravel().tolist()
    ([2, 1], [1.0, 5.0], [2.0, 0.0])
    """
    n, d = points.shape
    sums = zero_sums(n_groups, d, rank) if before is None else before
    with np.errstate(all="ignore"):
        if codes is None:
            rows, only = max(_BLOCK_VALUES // (_SUMMED * d), 4) * _SUMMED, np.array([0])
            for block in (slice(k, min(k + rows, n)) for k in range(0, n, rows)):
                own = None if weights is None else weights[block]
                length = np.array([block.stop - block.start])
                _add_block(sums, points[block], own, None, only, length)
            return sums
        # Points stored by columns are copied a part at a time; a copy of all would cost as much
        # time as their sums.
        rows = max(n, 1) if points.flags.c_contiguous else max(_PART, _PART_EACH * n_groups)
        each = _merged_at_once(sums)
        for low in range(0, n, rows):
            part = np.ascontiguousarray(points[low : low + rows])
            own = None if weights is None else weights[low : low + rows]
            order, counts = group_order(codes[low : low + rows], n_groups)
            groups = np.flatnonzero(counts)
            lengths, stop = counts[groups], 0
            for some in (slice(k, k + each) for k in range(0, len(groups), each)):
                start, stop = stop, stop + int(lengths[some].sum())
                _add_block(sums, part, own, order[start:stop], groups[some], lengths[some])
    return sums


def _add_block(
    sums: Sums,
    points: Floats,
    weights: Doubles | None,
    order: npt.NDArray[np.intp] | None,
    groups: Integers,
    lengths: Integers,
) -> None:
    """Add the points of some groups, in place.

    Parameters
    ----------
    sums : Sums
    points : ndarray of shape (n, D)
    weights : ndarray of shape (n,), or None
    order : ndarray of int, or None
        Positions of the points to add, group by group. None: all points as they stand, which
        belong to one group; they need not be gathered.
    groups, lengths : ndarray of int, shape (S,)
        The groups, and the number of points of each.
    """
    ends = np.cumsum(lengths)
    starts = heaviest = ends - lengths
    total = squares = lengths.astype(np.float64)
    if weights is not None:
        own = weights if order is None else weights[order]
        total = np.add.reduceat(own, starts)
        squares = np.add.reduceat(np.square(own), starts)
        segments = map(slice, starts.tolist(), ends.tolist())
        heaviest = starts + np.array([own[segment].argmax() for segment in segments])
    # Points are measured from the group's mean so far, or, where they outweigh it, from the mean of
    # a few of them.
    center = sums.means[groups]
    fresh = (total > sums.weights[groups]) | (sums.counts[groups] == 0)
    if fresh.any():
        n = min(_FEW, int(lengths.max()))
        few = starts[fresh] + np.arange(n)[:, None] * lengths[fresh] // n
        chosen = (few, heaviest[fresh]) if order is None else (order[few], order[heaviest[fresh]])
        center[fresh] = _mean_of(points, weights, *chosen)
    for final in (False, True):
        new = zero_sums(len(groups), points.shape[1], sums.rank)
        off = np.zeros_like(center)  # from the center to the mean
        for some, away, roots in _stacks(points, weights, center, order, lengths):
            off[some] += (roots[:, None] @ away)[:, 0]
            if sums.rank is None:
                new.scatters[some] += away.swapaxes(1, 2) @ away
                continue
            flat = away.reshape(-1, away.shape[2])
            np.add(new.pooled, flat.T @ flat, out=new.pooled)
            new.scatters[some] += np.einsum("snd,snd->sd", away, away)
            for k, x in zip(some.tolist() if sums.rank and final else (), away, strict=False):
                r = x if len(x) <= x.shape[1] else np.asarray(np.linalg.qr(x, mode="r"))
                held = np.concatenate([new.factors[k], r.T], axis=1)
                new.factors[k] = _leading(held, sums.rank or 0)
        off /= np.where(total > 0.0, total, 1.0)[:, None]
        _add_outer(new.scatters, new.pooled, off, total, -1.0)
        # Within a standard deviation of the mean, correcting the scatter costs no digits.
        spread = new.variations + sums.variations[groups]
        # Directions are those about the mean itself.
        if final or (not sums.rank and (total[:, None] * np.square(off) <= spread).all()):
            break
        center = center + off
    # The error of a sum of b terms is taken as 8 √b u: rounding errors behave as random ones, and
    # exceed this with negligible probability (Higham & Mary 2019); the worst case, b u, does not
    # occur. 64 u stand for centering and for merging the blocks.
    terms = _U * (8.0 * np.sqrt(np.minimum(lengths, _SUMMED)) + 64.0)
    largest = new.largest
    typical = np.sqrt(largest / np.where(total > 0.0, total, 1.0))
    new.errors[:] = terms[:, None] * np.array([typical, largest]).T
    new.errors[lengths < 2] = 0.0
    new = Sums(lengths, total, squares, *two_sum(center, off), *new[5:])
    _merge(sums, new, groups)
    np.add(sums.pooled, new.pooled, out=sums.pooled)


def _mean_of(points: Floats, weights: Doubles | None, few: Integers, heaviest: Integers) -> Doubles:
    """About the mean of each of S groups, from the heaviest point of each, shape (S,), and a few.

    ``few`` of shape (n, S); light ones are left out.
    """
    center = np.asarray(points[heaviest], dtype=np.float64)  # float32 would overflow earlier
    gaps = points[few] - center
    if weights is not None:
        gaps[weights[few] <= 1e-3 * weights[heaviest]] = 0.0
    return np.asarray(center + gaps.sum(axis=0) / len(gaps), dtype=np.float64)


def _stacks(
    points: Floats,
    weights: Doubles | None,
    center: Doubles,
    order: npt.NDArray[np.intp] | None,
    lengths: Integers,
) -> Iterator[tuple[Integers, Doubles, Doubles]]:
    """√w (x − center) and √w, shapes (S, m, D) and (S, m), of some groups at a time, and which.

    Points are taken in ``order``, group by group. Groups of about equal length are taken together:
    one call then works on many, and threads seldom wait for each other. Shorter ones are filled
    with zeros. A group that is too long for the cache comes in parts.
    """
    d, starts = points.shape[1], np.cumsum(lengths) - lengths
    most = max(_CACHED_VALUES // d, 16 * d)
    longest = min(most, _SUMMED)
    scratch = np.empty((min(most, len(lengths) * int(lengths.max())), d))
    gathered = scratch if points.dtype == np.float64 else np.empty(scratch.shape, points.dtype)
    rising = np.argsort(lengths, kind="stable")
    sizes = lengths[rising]
    first = 0
    while first < len(rising):
        alike = int(np.searchsorted(sizes, _ALIKE * sizes[first], side="right"))
        count = max(1, min(alike - first, most // int(sizes[first])))
        while count > 1 and sizes[first + count - 1] > min(most // count, longest):
            count -= 1
        own = rising[first : first + count]
        first += count
        m = int(sizes[first - 1])
        for low in range(0, m, longest):
            width = min(longest, m - low)
            away = scratch[: count * width].reshape(count, width, d)
            roots = np.ones((count, width))
            places: Any = np.s_[None, low : low + width]
            if order is None:
                near = points[places]
            else:
                inside = np.minimum(np.arange(low, low + width), lengths[own, None] - 1)
                places = order[starts[own, None] + inside]
                near = gathered[: count * width].reshape(count, width, d)
                np.take(points, places, axis=0, out=near, mode="clip")
            np.subtract(near, center[own, None], out=away)
            if weights is not None:
                roots = np.sqrt(weights[places])
            if sizes[first - count] < m:
                roots[np.arange(width) >= lengths[own, None]] = 0.0
            if weights is not None or sizes[first - count] < m:
                away[roots == 0.0] = 0.0
            if weights is not None:
                away *= roots[:, :, None]
            yield own, away, roots


def two_sum(a: Doubles, b: Doubles) -> tuple[Doubles, Doubles]:
    """a + b rounded, and the rounding error, exactly (Knuth's two-sum)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


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


def _merged_at_once(sums: Sums) -> int:
    """Number of groups merged at a time: temporary arrays stay in cache, and small."""
    d, rank = sums.means.shape[1], sums.rank
    width = d if rank is None else 2 * rank + 1
    return max(1, _MERGED_VALUES // int(d * width))


def merged(a: Sums, b: Sums, where: Integers, n: int, sign: float = 1.0) -> Sums:
    """The sums of ``n`` groups: those of ``a``, with group k of ``b`` added to ``where[k]``.

    ``sign`` −1: without the points of ``b``, which are among those of ``a``.
    """
    out, each = a.extended(n), _merged_at_once(a)
    for start in range(0, len(where), each):
        part = slice(start, start + each)
        _merge(out, b.taken(part), where[part], sign)
    (np.add if sign > 0.0 else np.subtract)(out.pooled, b.pooled, out=out.pooled)
    return out


def _merge(out: Sums, b: Sums, where: Integers, sign: float = 1.0) -> None:
    """Add group k of ``b`` to group ``where[k]`` of ``out``, or remove it, in place.

    Of the pooled scatter only what the gaps between the means add to it: that of ``b`` is left to
    the caller.
    """
    if not out.counts[where].any():
        for mine, new in zip(out.parts, b.parts, strict=True):
            mine[where] = new
        return
    a, add = out.taken(where), np.add if sign > 0.0 else np.subtract
    counts = add(a.counts, b.counts)
    total = np.where(counts > 0, np.maximum(add(a.weights, b.weights), 0.0), 0.0)
    safe = np.where(total > 0.0, total, 1.0)
    share = np.where(total > 0.0, b.weights / safe, 0.0)
    # From the means of a to those of b; a common offset cancels first.
    gap = (b.means - a.means) + (b.rests - a.rests)
    gap[(a.weights == 0.0) | (b.weights == 0.0)] = 0.0  # points without weight may be anywhere
    # The mean is found from the heavier side: the lighter one may lie far away.
    heavier = (sign * b.weights > a.weights) | (a.counts == 0)
    step = gap * np.where(heavier, -a.weights / safe, sign * share)[:, None]
    base, rest = (
        np.where(heavier[:, None], own, old)
        for own, old in ((b.means, a.means), (b.rests, a.rests))
    )
    factor = a.weights * share
    scatters = add(a.scatters, b.scatters)
    _add_outer(scatters, out.pooled, gap, factor, sign)
    scatters[counts < 2] = 0.0  # exactly
    out.counts[where] = counts
    out.weights[where] = total
    out.squares[where] = np.where(counts > 0, np.maximum(add(a.squares, b.squares), 0.0), 0.0)
    out.means[where], out.rests[where] = two_sum(base, rest + step)
    out.scatters[where] = scatters
    if out.rank:
        between = gap * np.sqrt(factor)[:, None]
        held = np.concatenate([a.factors, b.factors, between[:, :, None]], axis=2)
        out.factors[where] = _leading(held, out.rank)
    width = np.abs(gap).max(axis=1, initial=0.0)
    of_gap = a.errors[:, 0] + b.errors[:, 0] + 2.0 * _U * width
    # What is left of the weight is known to u times the weight before, and divides.
    of_share = share * (4.0 * _U * a.weights / safe)
    of_means = (1.0 - sign * share) * a.errors[:, 0] + share * b.errors[:, 0]
    of_means += (4.0 + 2.0 * share) * _U * width + width * of_share
    of_scatters = a.errors[:, 1] + b.errors[:, 1] + 2.0 * width * of_gap * factor
    of_scatters += width**2 * a.weights * of_share
    size = np.maximum(a.largest, out.variations[where].max(axis=1, initial=0.0))
    rounding = np.where(a.weights > 0.0, 4.0 if sign > 0.0 else 16.0, 0.0) * _U
    of_scatters += rounding * (size + width**2 * factor)
    out.errors[where] = np.array([of_means, np.where(counts > 1, of_scatters, 0.0)]).T


def _leading(factors: Doubles, rank: int) -> Doubles:
    """The factors (…, D, r) of the leading directions of F Fᵀ; what is left is semi-definite."""
    products = factors.swapaxes(-1, -2) @ factors
    # Where something overflows it shows in the scatters.
    _, vectors = np.linalg.eigh(np.where(np.isfinite(products), products, 0.0))
    return np.asarray(factors @ vectors[..., -rank:])


def _add_outer(
    scatters: Doubles,
    pooled: Doubles,
    vectors: Doubles,
    factors: Doubles,
    sign: float = 1.0,
) -> None:
    """Add ± factor · v vᵀ of a vector for each group, exactly symmetric, in place."""
    roots = vectors * np.sqrt(factors)[:, None]
    outer = np.square(roots) if scatters.ndim == 2 else roots[:, :, None] * roots[:, None, :]
    if scatters.ndim == 2:
        pooled += sign * (roots.T @ roots)
    (np.add if sign > 0.0 else np.subtract)(scatters, outer, out=scatters)
