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
    "row_blocks",
]

_BLOCK_BYTES = 2 << 20  # measured: between 1 and 8 MiB the best with 0.5 MiB of L2 a core
_BLOCK_ROWS = 4096  # fewer rows than this and the matrix product no longer pays for its set-up
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
