"""Draws of whole data sets, a bounded number at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from uapca.uncertain import UncertainArray
from uapca.uncertain.blocks import Doubles
from uapca.uncertain.covariance import root

__all__ = ["draw_batches"]

# Small enough to stay in cache while a batch is worked on, where draws are cheap to start; laws
# are drawn row by row in Python, which only large batches make up for.
_BATCH_BYTES = 1 << 20
_BATCH_BYTES_OF_LAWS = 64 << 20


def draw_batches(
    X: UncertainArray, n: int, rng: np.random.Generator, numbers: int = 0
) -> Iterator[tuple[slice, Doubles]]:
    """``n`` draws of all rows, from their laws or as normals, as batches of shape (b, N, D).

    ``numbers`` is what the caller makes of each draw, if that is more than N D.
    """
    limit = _BATCH_BYTES if X.laws is None else _BATCH_BYTES_OF_LAWS
    size = min(max(limit // (8 * max(X.mean.size, numbers)), 1), n)
    if size < n:
        X = _ready(X)
    for start in range(0, n, size):
        stop = min(start + size, n)
        yield slice(start, stop), X.sample(stop - start, rng)


def _ready(X: UncertainArray) -> UncertainArray:
    """The same data with the roots of full matrices taken once instead of for each batch."""
    if X.cov.kind != "dense" or X.laws is not None:
        return X
    matrices = X.cov.dense().astype(np.float64, copy=False)
    return UncertainArray(X.mean, factors=root(matrices), check=False)
