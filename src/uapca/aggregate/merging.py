"""Adding and removing sums of groups, with bounds for what rounding does to them."""

from __future__ import annotations

import numpy as np

from uapca._validation import Floats
from uapca.aggregate.kernel import (
    Integers,
    Sums,
    grouped_sums,
    sums_in_parts,
    two_sum,
    zero_sums,
)
from uapca.aggregate.running import BLOCK_ROWS, Doubles

__all__ = ["added", "first_errors", "removed", "summed"]

_U = 2.0**-53  # half the distance from 1 to the next float
# Entries of scatters that are merged at a time.
_BLOCK = 1 << 16
# Rows turned from columns before they are summed: for each group so many that merging its sums
# costs little beside summing them, and never fewer than this.
_EACH, _LEAST = 256, 1 << 16
# Up to so many groups their sums are not merged, but go on from part to part.
_FEW = 64


def summed(
    points: Floats, codes: Integers, n_groups: int, weights: Doubles | None = None
) -> tuple[Sums, Doubles]:
    """The sums of all groups of points, as `grouped_sums` gives them, and bounds for their errors.

    Few groups of many points go on from part to part. Points of many groups that are stored by
    columns, as data frames have them, are turned and summed a part at a time: a whole copy of them
    would cost as much time as the sums.
    """
    n, d = points.shape
    rows = max(_LEAST, _EACH * n_groups)
    if n < 2 * rows or n_groups <= _FEW or points.flags.c_contiguous:
        way = sums_in_parts if n >= 2 * rows and n_groups <= _FEW else grouped_sums
        sums = way(points, codes, n_groups, weights)
        return sums, first_errors(sums)
    sums, errors = zero_sums(n_groups, d), np.zeros((2, n_groups))
    buffer = np.empty((rows, d), dtype=points.dtype)
    for start in range(0, n, rows):
        part = slice(start, start + rows)
        block = buffer[: len(codes[part])]
        np.copyto(block, points[part])
        own = None if weights is None else weights[part]
        more = grouped_sums(block, codes[part], n_groups, own)
        used = np.flatnonzero(more.counts)
        more = more.taken(used)
        sums, errors = added(sums, errors, more, first_errors(more), used, n_groups)
    return sums, errors


def first_errors(sums: Sums) -> Doubles:
    """Bounds for the errors of sums over points, shape (2, G): of the means, of the scatters.

    The error of a sum of b terms is taken as 8 √b u: rounding errors are as good as random, and
    with any probability worth the name no larger (Higham & Mary 2019); the worst case, b u, never
    occurs. 64 u stand for centring and for merging the blocks.
    """
    terms = 8.0 * np.sqrt(np.minimum(sums.counts, BLOCK_ROWS)) + 64.0
    size = _size(sums.scatters)
    spread = np.sqrt(size / np.where(sums.weights > 0.0, sums.weights, 1.0))
    return np.where(sums.counts > 1, terms * _U * np.stack([spread, size]), 0.0)


def added(
    a: Sums, errors_a: Doubles, b: Sums, errors_b: Doubles, where: Integers, n: int
) -> tuple[Sums, Doubles]:
    """The sums of ``n`` groups: those of ``a``, to which group k of ``b`` adds at ``where[k]``."""
    out = a.extended(n)
    errors = np.zeros((2, n))
    errors[:, : len(a.counts)] = errors_a
    # Some groups at a time: what is between stays in cache, and takes no memory for all of them.
    each = max(1, _BLOCK // a.means.shape[1] ** 2)
    for start in range(0, len(where), each):
        part = slice(start, start + each)
        _add(out, errors, b.taken(part), errors_b[:, part], where[part])
    return out, errors


def _add(out: Sums, errors: Doubles, b: Sums, errors_b: Doubles, where: Integers) -> None:
    """Add the groups of ``b`` to those of ``out`` at ``where``, in place."""
    old = out.taken(where)
    total = old.weights + b.weights
    share = b.weights / np.where(total > 0.0, total, 1.0)
    gap = _gap(old, b)
    means, rests = _moved(old, gap * share[:, None])
    fresh = old.weights == 0.0
    means[fresh], rests[fresh] = b.means[fresh], b.rests[fresh]
    factor = old.weights * share
    scatters = gap[:, :, None] * (gap * factor[:, None])[:, None, :]
    scatters += old.scatters
    scatters += b.scatters
    out.counts[where] += b.counts
    out.weights[where] = total
    out.squares[where] += b.squares
    out.means[where], out.rests[where], out.scatters[where] = means, rests, scatters
    of_means, of_scatters = errors[:, where]
    width = np.where(fresh, 0.0, np.abs(gap).max(axis=1, initial=0.0))
    of_gap = of_means + errors_b[0] + 2.0 * _U * width
    errors[0, where] = (1.0 - share) * of_means + share * errors_b[0] + 4.0 * _U * width
    errors[1, where] = of_scatters + errors_b[1] + 2.0 * width * of_gap * factor
    errors[1, where] += np.where(fresh, 0.0, 4.0 * _U * _size(scatters))


def removed(
    a: Sums, errors_a: Doubles, b: Sums, errors_b: Doubles, where: Integers
) -> tuple[Sums, Doubles]:
    """The sums ``a`` without those of ``b``, whose group k is group ``where[k]`` of ``a``."""
    out, errors, old = a.extended(len(a.counts)), errors_a.copy(), a.taken(where)
    counts = old.counts - b.counts
    left = np.where(counts > 0, np.maximum(old.weights - b.weights, 0.0), 0.0)
    safe = np.where(left > 0.0, left, 1.0)
    gap = _gap(old, b)
    share = np.where(left > 0.0, b.weights / safe, 0.0)
    means, rests = _moved(old, -gap * share[:, None])
    factor = old.weights * share
    outer = gap[:, :, None] * (gap * factor[:, None])[:, None, :]
    scatters = old.scatters - b.scatters
    scatters -= outer
    # One point has no scatter, and no point has nothing: here nothing was lost.
    scatters[counts < 2] = 0.0
    out.counts[where] = counts
    out.weights[where] = left
    out.squares[where] = np.where(counts > 0, np.maximum(old.squares - b.squares, 0.0), 0.0)
    out.means[where], out.rests[where], out.scatters[where] = means, rests, scatters
    of_means, of_scatters = errors[:, where]
    width = np.abs(gap).max(axis=1, initial=0.0)
    of_gap = of_means + errors_b[0] + 2.0 * _U * width
    # The weight that is left is known to u times what there was, and divides.
    of_share = share * (4.0 * _U * old.weights / safe)
    errors[0, where] = of_means + of_gap * share + width * of_share
    errors[1, where] = of_scatters + errors_b[1]
    errors[1, where] += 2.0 * width * of_gap * factor + width**2 * old.weights * of_share
    errors[1, where] += 16.0 * _U * (_size(old.scatters) + width**2 * factor)
    errors[1, where] *= counts >= 2
    return out, errors


def _gap(a: Sums, b: Sums) -> Doubles:
    """From the means of a to those of b; large parts that they share are gone first."""
    return np.asarray((b.means - a.means) + (b.rests - a.rests))


def _moved(a: Sums, step: Doubles) -> tuple[Doubles, Doubles]:
    return two_sum(a.means, a.rests + step)


def _size(scatters: Doubles) -> Doubles:
    """The largest entry of each scatter, which is on its diagonal."""
    return np.asarray(np.diagonal(scatters, axis1=1, axis2=2).max(axis=1, initial=0.0))
