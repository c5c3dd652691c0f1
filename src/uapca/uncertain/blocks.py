"""Passes over the data in blocks that stay in cache, with buffers used again.

Large temporaries cost more in page faults than in arithmetic, and sums of float32 values must
accumulate in float64: both are met by taking a few thousand rows at a time into one buffer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import cast

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats

__all__ = ["Doubles", "doubles", "moments", "row_blocks"]

Doubles = npt.NDArray[np.float64]

_BLOCK_BYTES = 2 << 20  # measured: between 1 and 8 MiB the best with 0.5 MiB of L2 a core
_BLOCK_ROWS = 4096  # fewer rows than this and the matrix product no longer pays for its set-up


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


def moments(points: Floats, weights: Doubles | None = None) -> tuple[Doubles, Doubles]:
    """Mean and population covariance of weighted points, in one pass.

    Each block is centred at its own mean while it is in cache and the blocks' moments are merged
    (Chan, Golub & LeVeque 1983), so that an offset common to all points costs no digits.

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
    # Measured from one of the points, an offset that all of them share is gone before anything is
    # summed, and means of blocks are known to far better than their distance from zero.
    origin = points[0 if weights is None else int(weights.argmax())].astype(np.float64)
    if n <= _BLOCK_ROWS:
        return _moments_at_once(points, weights, origin)
    mean = np.zeros(d)
    scatter = np.zeros((d, d))
    product = np.empty((d, d))
    buffer: Doubles | None = None
    total = 0.0
    for block in row_blocks(n, d, least=_BLOCK_ROWS):
        part = points[block]
        size = part.shape[0]
        if buffer is None:
            buffer = np.empty((size, d))
        centred = buffer[:size]
        w = None if weights is None else weights[block]
        weight = float(size) if w is None else float(w.sum())
        if weight == 0.0:
            continue
        each = np.ones(size) if w is None else w
        rounded = np.asarray(each @ part) / weight
        np.subtract(part, rounded, out=centred)
        # What the rounding of the block's mean leaves is known far better (corrected two-pass).
        rest = np.asarray(each @ centred) / weight
        if w is not None:
            centred *= np.sqrt(w)[:, None]
        np.matmul(centred.T, centred, out=product)
        scatter += product
        scatter -= np.outer(rest, rest * weight)
        step = (rounded - origin) + rest - mean
        if total:
            scatter += np.outer(step, step * (total * (weight / (total + weight))))
        total += weight
        mean += step * (weight / total)
    scatter /= total
    return origin + mean, scatter


def _moments_at_once(
    points: Floats, weights: Doubles | None, origin: Doubles
) -> tuple[Doubles, Doubles]:
    """The same for data that is one block: half the steps, which is what small data costs."""
    n = points.shape[0]
    centred = points - origin
    if weights is None:
        mean = np.full(n, 1.0 / n) @ centred
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
