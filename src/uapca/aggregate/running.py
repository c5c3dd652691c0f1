"""The sums of one group of points, block by block, and the buffers that blocks are taken into."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats
from uapca.uncertain.blocks import NEAR, Doubles

__all__ = [
    "BLOCK_ROWS",
    "BLOCK_VALUES",
    "SMALL",
    "Columns",
    "Doubles",
    "Rows",
    "Running",
    "are_far",
    "two_sum",
]

# Values gathered at a time: the block stays in the processor's cache through all its passes.
BLOCK_VALUES = 1 << 16
# Multiplications that BLAS does without calling other threads: waiting for them gains a tenth where
# they are free and costs several times as much where something else has them.
_ALONE = 360_000
# No sum is longer than this before it is merged: error bounds go by it.
BLOCK_ROWS = 4096
# Groups smaller than this are taken together, many of one size at a time.
SMALL = 64
# Values between columns that are put in order.
_APART = 40
# Up to this share of Σ w x² a mean is within NEAR standard deviations of where x is measured from.
_NEAR = NEAR**2 / (1 + NEAR**2)
# Distances of means that are kept before their squares are added.
_STEPS = 64
# Rows that one step of a broadcast covers: NumPy's loop over the features alone would be short.
_TILE = 16


class Rows:
    """Rows of a matrix, gathered block by block into buffers that are used again."""

    def __init__(self, points: Floats, weights: Doubles | None, most: int) -> None:
        d = points.shape[1]
        self.points, self.weights = points, weights
        self.size = _block_size(d, most)
        # Whole tiles: a broadcast may run over the end of a block into rows that nobody reads.
        padded = -(-self.size // _TILE) * _TILE
        self.gathered = np.zeros((padded, d), dtype=points.dtype)
        self.wide: Any = self.gathered if points.dtype == np.float64 else np.empty((padded, d))
        self.tiled = np.empty((_TILE, d))
        self.ones = np.ones(self.size)
        self.product = np.empty((d, d))
        # Points about zero need not be moved there; where some are not, the rest are not tried.
        self.try_as_they_are = True

    def arrange(self, points: Floats, order: npt.NDArray[np.intp], weights: Doubles | None) -> None:
        """Go on to other points, which are taken by their positions in whatever order."""
        self.points, self.weights = points, weights

    def take(self, positions: npt.NDArray[np.intp]) -> Floats:
        """The rows at some positions."""
        block = self.gathered[: len(positions)]
        np.take(self.points, positions, axis=0, out=block, mode="clip")
        return block

    def as_they_are(self, n: int) -> Doubles:
        """The ``n`` gathered rows where they are, as doubles."""
        if self.wide is not self.gathered:
            self.wide[:n] = self.gathered[:n]
        return np.asarray(self.wide[:n])

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
        return np.asarray(self.wide[:n])


class Columns:
    """Points stored by columns, of which a part is put in order at a time: blocks are slices of it.

    It does what `Rows` does, for points that would have to be turned into rows first.
    """

    def __init__(self, d: int, dtype: np.dtype[Any], most: int) -> None:
        self.weights: Doubles | None = None
        self.size = _block_size(d, most)
        # A column is not a power of two away from the next: they would share places in the cache.
        self.ordered = np.empty((d, most + _APART), dtype=dtype)
        self.block: Any = self.ordered
        self.wide = np.empty((d, self.size))
        self.ones = np.ones(self.size)
        self.product = np.empty((d, d))
        self.try_as_they_are = True

    def arrange(self, points: Floats, order: npt.NDArray[np.intp], weights: Doubles | None) -> None:
        """Put a part of the points into an order."""
        n = len(order)
        for values, ordered in zip(points.T, self.ordered, strict=True):
            # No position is out of range; of the modes that need no buffer this is the fastest.
            np.take(values, order, out=ordered[:n], mode="wrap")
        self.weights = None if weights is None else weights[order]

    def take(self, where: slice) -> Floats:
        """The points of a block."""
        self.block = self.ordered[:, where]
        return np.asarray(self.block.T)

    def as_they_are(self, n: int) -> Doubles:
        """The ``n`` points taken last, as doubles that may be changed if there are weights."""
        if self.weights is None and self.block.dtype == np.float64:
            return np.asarray(self.block.T)
        self.wide[:, :n] = self.block
        return self.wide[:, :n].T

    def subtract(self, centre: Doubles, n: int, again: bool = False) -> Doubles:
        """The ``n`` points taken last about ``centre``; ``again``: those of the last call."""
        wide = self.wide[:, :n]
        np.subtract(wide if again else self.block, centre[:, None], out=wide)
        return wide.T


def _block_size(d: int, most: int) -> int:
    """The rows of a block, which stays in the processor's cache."""
    return min(BLOCK_ROWS, max(64, BLOCK_VALUES // max(d, 1)), max(most, 1))


class Running:
    """The sums of one group, merged from blocks that are centred one by one."""

    __slots__ = ("base", "done", "mean", "scatter", "shares", "steps")

    def __init__(self, scatter: Doubles) -> None:
        self.scatter = scatter  # zeros to begin with
        self.base = self.mean = np.zeros(len(scatter))
        self.done = 0.0
        # Distances of means, whose squares belong to the scatter and are added several at a time.
        self.steps: list[Doubles] = []
        self.shares: list[float] = []

    def add(self, rows: Rows | Columns, positions: Any) -> None:
        """Add the rows at some positions, of which there are not more than a block."""
        block: Any = rows.take(positions)
        n = len(block)
        if rows.weights is None:
            w, weight = rows.ones[:n], float(n)
        else:
            w = rows.weights[positions]
            weight = float(w.sum())
        # What came before may be too little to measure this block from, or nothing.
        alone = weight > self.done
        if alone or not self.done:
            # One of the points as a provisional centre: what is left is of the spread's size.
            first = 0 if rows.weights is None else int(w.argmax())
            base = block[first].astype(np.float64)
            self.mean = self.mean + (self.base - base) if self.done else self.mean
            self.base = base
        if weight == 0.0:
            self.mean = self.mean + w @ block  # zero, but for values that are not finite
            return
        centre, product = self.base if alone else self.base + self.mean, rows.product
        as_it_is = rows.try_as_they_are and not alone
        if as_it_is:
            block, from_base = rows.as_they_are(n), -self.base
        else:
            block, from_base = rows.subtract(centre, n), centre - self.base
        off = np.asarray(w @ block)
        off /= weight
        exact = alone
        if exact:
            block = rows.subtract(off, n, again=True)
        _multiply(block, w, product, rows.weights is not None)
        if not exact and _is_far(off, weight, product):
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
        own = from_base + off
        gap, both = own - self.mean, self.done + weight
        if self.done:
            self.steps.append(gap)
            self.shares.append(self.done * (weight / both))
        if not exact:
            self.steps.append(off)
            self.shares.append(-weight)
        if len(self.steps) >= _STEPS:
            self._settle()
        # From the side that counts for more: the other may be far away.
        self.mean = own - gap * (self.done / both) if alone else self.mean + gap * (weight / both)
        self.done = both

    def finished(self) -> tuple[Doubles, Doubles]:
        """The mean, and what its rounding left out; the scatter is then complete."""
        self._settle()
        return two_sum(self.base, self.mean)

    def _settle(self) -> None:
        if self.steps:
            steps = np.array(self.steps)
            self.scatter += (steps.T * self.shares) @ steps
            self.steps, self.shares = [], []


def two_sum(a: Doubles, b: Doubles) -> tuple[Doubles, Doubles]:
    """a + b rounded, and what the rounding left out, exactly (Knuth's two-sum)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def are_far(moved: Any, products: Doubles) -> bool:
    """Whether a mean is too far from where points were measured from, the centre or zero.

    ``moved`` is w (distance)². Up to NEAR standard deviations, what is corrected afterwards costs a
    factor of at most 1 + NEAR² in rounding.
    """
    spread = np.diagonal(products, axis1=-2, axis2=-1)
    near = (moved <= _NEAR * spread) & (spread < np.inf)
    return not near.all()


def _is_far(off: Doubles, weight: float, product: Doubles) -> bool:
    """The same for one mean: plain floats are faster than NumPy's calls."""
    for distance, spread in zip(off.tolist(), product.diagonal().tolist(), strict=True):
        if not weight * distance * distance <= _NEAR * spread < math.inf:
            return True
    return False


def _multiply(block: Doubles, w: Doubles, product: Doubles, weighted: bool) -> None:
    if weighted:
        block *= np.sqrt(w)[:, None]
    n, d = block.shape
    rows = _ALONE // (d * d)
    if n <= rows or rows < SMALL:
        np.matmul(block.T, block, out=product)
        return
    np.matmul(block[:rows].T, block[:rows], out=product)
    for start in range(rows, n, rows):
        part = block[start : start + rows]
        product += part.T @ part
