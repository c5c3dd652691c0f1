"""Passes over the data in blocks that stay in cache, with buffers used again.

Large temporaries cost more in page faults than in arithmetic, and sums of float32 values must
accumulate in float64: both are met by taking a few thousand rows at a time into one buffer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import cast

import numpy as np

from uapca._validation import Doubles, Floats

__all__ = [
    "NEAR",
    "Doubles",
    "about_zero",
    "doubles",
    "equal_weights",
    "moments",
    "row_blocks",
]

_BLOCK_BYTES = 2 << 20  # measured: between 1 and 8 MiB the best with 0.5 MiB of L2 a core
_BLOCK_ROWS = 4096  # fewer rows than this and the matrix product no longer pays for its set-up
# Up to here the product of all points takes no longer than to look whether it is worth while.
_FEW_FEATURES = 16
# Squares of larger means overflow, or nearly so.
_SQUARE = 1e150
# Points whose mean is within so many standard deviations of zero are not moved there: it would
# save at most a factor of 1 + NEAR² in rounding.
NEAR = 2.0


def row_blocks(rows: int, width: int, least: int = 1) -> Iterator[slice]:
    """Slices of ``rows`` rows such that a block of ``width`` doubles a row stays in cache."""
    size = max(_BLOCK_BYTES // (8 * max(width, 1)), least)
    for start in range(0, rows, size):
        yield slice(start, min(start + size, rows))


def doubles(rows: Floats) -> Iterator[tuple[slice, Doubles]]:
    """The rows of an array, flattened, as contiguous float64 blocks.

    An array that is float64 and contiguous comes as one block, itself; anything else is converted
    block by block into one buffer, which the next block overwrites.
    """
    n = rows.shape[0]
    width = math.prod(rows.shape[1:])
    if rows.dtype == np.float64 and rows.flags.c_contiguous:
        yield slice(0, n), cast(Doubles, rows.reshape(n, width))
        return
    buffer: Doubles | None = None
    for block in row_blocks(n, width):
        size = block.stop - block.start
        if buffer is None:
            buffer = np.empty((size, *rows.shape[1:]))
        part = buffer[:size]
        part[...] = rows[block]
        yield block, part.reshape(size, width)


def about_zero(means: list[float], variances: list[float]) -> bool:
    """Whether every mean is within NEAR standard deviations of zero."""
    # Plain floats: faster for few features, and silent where squares overflow.
    for m, v in zip(means, variances, strict=True):  # noqa: SIM110 - all() takes longer
        if not m * m <= NEAR**2 * v < math.inf:
            return False
    return True


def equal_weights(n: int) -> Doubles:
    """n equal weights that sum to 1, read-only: those of few rows are kept for the next call."""
    return _equal_weights(n) if n <= _BLOCK_ROWS else _equal_weights.__wrapped__(n)


@lru_cache(maxsize=8)
def _equal_weights(n: int) -> Doubles:
    weights = np.full(n, 1.0 / n)
    weights.flags.writeable = False
    return weights


def moments(points: Floats, weights: Doubles | None = None) -> tuple[Doubles, Doubles]:
    """Mean and population covariance of weighted points, in one pass.

    Each block is measured from the mean of the blocks before it while it is in cache, and the
    blocks' moments are merged (Chan, Golub & LeVeque 1983), so that an offset common to all points
    costs no digits. Points about zero, such as standardised ones, are multiplied as they are.

    Parameters
    ----------
    points : ndarray of shape (N, D)
    weights : ndarray of shape (N,), optional
        Non-negative, with a positive sum; equal when left out.

    Returns
    -------
    mean : ndarray of shape (D,)
    covariance : ndarray of shape (D, D)
    """
    n, d = points.shape
    readable = points.dtype == np.float64 and points.flags.c_contiguous and weights is None
    if n <= _BLOCK_ROWS:
        at_once = _moments_as_they_are(cast(Doubles, points)) if readable else None
        return at_once or _moments_at_once(points, weights)
    # Measured from one of the points, an offset that all of them share is gone before anything is
    # summed, a feature that is constant is zero, and means are known to far better than their
    # distance from zero.
    origin = points[0 if weights is None else int(weights.argmax())].astype(np.float64)
    buffer: Doubles | None = None
    mean, spread = np.zeros(d), np.zeros(d)
    scatter, product = np.zeros((d, d)), np.empty((d, d))
    steps: list[Doubles] = []
    shares: list[float] = []
    total = 0.0
    for block in row_blocks(n, d, least=_BLOCK_ROWS):
        part = points[block]
        size = part.shape[0]
        each = np.ones(size) if weights is None else weights[block]
        weight = float(size) if weights is None else float(each.sum())
        if weight == 0.0:
            continue
        # What came before may be too little to measure this block from.
        alone = total < weight
        centre = origin if alone else origin + mean
        if readable and not alone and about_zero(centre.tolist(), (spread / total).tolist()):
            seen, from_origin = cast(Doubles, part), -origin
        else:
            if buffer is None:
                buffer = np.empty((size, d))
            seen, from_origin = buffer[:size], centre - origin
            np.subtract(part, centre, out=seen)
            if alone:
                off = np.asarray(each @ seen) / weight
                seen -= off
                from_origin = from_origin + off
        rest = np.asarray(each @ seen) / weight
        if weights is not None:
            seen *= np.sqrt(each)[:, None]
        np.matmul(seen.T, seen, out=product)
        scatter += product
        # From where it was measured to the block's own mean, and on to that of all.
        own = from_origin + rest
        step = own - mean
        both = total + weight
        share = total * (weight / both)
        spread += product.diagonal() - weight * rest**2 + share * step**2
        steps += rest, step
        shares += -weight, share
        # From the side that counts for more: the other may be far away.
        mean = own - step * (total / both) if alone else mean + step * (weight / both)
        total = both
    moved = np.array(steps)
    scatter += (moved.T * shares) @ moved
    scatter /= total
    return origin + mean, scatter


def _moments_as_they_are(points: Doubles) -> tuple[Doubles, Doubles] | None:
    """The moments of one block from the points as they are; None where they are not about zero."""
    n, d = points.shape
    mean: Doubles = equal_weights(n).dot(points)
    near = mean.tolist()
    if max(near) > _SQUARE or min(near) < -_SQUARE:
        return None
    if d > _FEW_FEATURES:
        # The first point tells whether it is worth while to try; squares may overflow.
        away = points[0] - mean
        if not mean.dot(mean) <= NEAR**2 * away.dot(away) < math.inf:
            return None
    scatter: Doubles = points.T.dot(points)
    scatter /= n
    scatter -= mean[:, None] * mean
    return (mean, scatter) if about_zero(near, scatter.diagonal().tolist()) else None


def _moments_at_once(points: Floats, weights: Doubles | None) -> tuple[Doubles, Doubles]:
    """The same for data that is one block: half the steps, which is what small data costs."""
    n = points.shape[0]
    origin = points[0 if weights is None else int(weights.argmax())].astype(np.float64)
    centred = points - origin
    if weights is None:
        mean = equal_weights(n) @ centred
        centred -= mean
        total = float(n)
    else:
        total = float(weights.sum())
        mean = weights @ centred / total
        centred -= mean
        centred *= np.sqrt(weights)[:, None]
    scatter = centred.T @ centred
    scatter /= total
    return origin + mean, scatter
