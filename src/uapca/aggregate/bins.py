"""Labels for points that have none: the nearest of k centers, or the cells of a grid."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from uapca._validation import Doubles, Floats, listed, shown
from uapca.aggregate.accumulate import Integers, group_order
from uapca.aggregate.labels import Keyed, keyed

__all__ = ["Binning", "Clusters", "Grid", "binning_of"]

# Points for each cluster, and at least, from which the centers are found.
_SAMPLE_EACH, _SAMPLE_LEAST = 100, 20_000
# Points from which on two threads share the search.
_SHARED = 1 << 16
# Boxes: 2 to this power at most. More have fewer centers each, but fewer points at a time too.
_DEPTH = 8
# Products of points and centers that stay in cache.
_PRODUCTS = 1 << 19
# Centers next to the middle of a box that other centers are compared with.
_RIVALS = 8
# Cells of a grid, which are numbered in int64; only the occupied ones take memory.
_MOST_CELLS = 10**18
_MOST_EDGES = 10**7  # along one feature; these are kept
# Cells of a grid up to which all are numbered; of more, those that occur.
_FEW_CELLS = 4096
# Points whose cells are found at a time, in cache.
_CACHED = 1 << 14


def binning_of(bins: Any, features: Sequence[str], rng: np.random.Generator) -> Binning:
    """The binning that ``bins`` asks for: a number of clusters, or cells for some features."""
    if not isinstance(bins, Mapping):
        if not _is_count(bins):
            raise ValueError(
                "bins must be a positive number of clusters, or a number of cells for each of some "
                f"features, such as {{'x': 20, 'y': 25}}; got {shown(bins)}"
            )
        return Clusters(int(bins), rng)
    names, known = [str(name) for name in bins], list(features)
    absent = [name for name in names if name not in known]
    if absent or not names:
        raise ValueError(
            f"bins must name features; got {listed(absent) or 'none'}, known are {listed(known)}"
        )
    wrong = [n for n in bins.values() if not _is_count(n)]
    if wrong:
        raise ValueError(
            f"bins must have a positive number of cells for each feature; got {wrong[0]!r}"
        )
    if max(map(int, bins.values())) > _MOST_EDGES:
        raise ValueError(
            f"bins must have at most {_MOST_EDGES:.0e} cells for each feature; "
            f"got {max(map(int, bins.values()))}"
        )
    if math.prod(map(int, bins.values())) > _MOST_CELLS:
        raise ValueError(
            f"bins must have at most {_MOST_CELLS:.0e} cells in all; got {list(bins.values())}"
        )
    return Grid([known.index(name) for name in names], list(bins.values()), names)


def _is_count(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and int(value) >= 1


class Clusters:
    """The nearest of k centers, found by mini-batch k-means in features of unit variance.

    The centers come from a random sample of 100 k points, at least 20,000, which is uniform
    however the points are sorted. The label of a point depends on nothing but its values, the
    sample and ``rng``.
    """

    def __init__(self, k: int, rng: np.random.Generator) -> None:
        self._k, self._rng = k, rng

    def learn(self, pieces: Iterable[Floats]) -> None:
        from sklearn.cluster import MiniBatchKMeans

        sample = _sampled(pieces, max(_SAMPLE_EACH * self._k, _SAMPLE_LEAST), self._rng)
        if len(sample) < self._k:
            raise ValueError(
                f"bins must be at most the number of points; got {self._k} for {len(sample)}"
            )
        self._middle = sample.mean(axis=0)
        spread = sample.std(axis=0)
        self._unit = np.where(spread > 0.0, spread, 1.0)
        scaled = (sample - self._middle) / self._unit
        means = MiniBatchKMeans(
            self._k, n_init=1, batch_size=4096, random_state=int(self._rng.integers(2**31))
        )
        with threadpool_limits(1):  # sums over threads would depend on their number
            means.fit(scaled)
        self._search = NearestCenter(means.cluster_centers_.astype(np.float64), scaled)

    def __call__(self, points: Floats) -> Keyed:
        halves = np.array_split(points, 2 if len(points) > _SHARED else 1)
        with ThreadPoolExecutor(len(halves)) as pool:
            codes = list(pool.map(self._nearest, halves))
        return Keyed(np.concatenate(codes), range(self._k), (None,))

    def _nearest(self, points: Floats) -> Integers:
        return self._search((points - self._middle) / self._unit)


def _sampled(pieces: Iterable[Floats], size: int, rng: np.random.Generator) -> Doubles:
    """A uniform sample of all points, however many: those with the smallest random keys."""
    held, sample, limit = np.empty(0), np.empty((0, 1)), 1.0
    for points in pieces:
        keys = rng.random(len(points))
        come = keys < limit
        held = np.concatenate([held, keys[come]])
        sample = np.concatenate([sample.reshape(-1, points.shape[1]), points[come]])
        if len(held) > size:
            limit = np.partition(held, size)[size]
            sample, held = sample[held < limit], held[held < limit]
    return np.asarray(sample, dtype=np.float64)


class _Box(NamedTuple):
    """The centers that may be the nearest in a box.

    Attributes
    ----------
    centers : ndarray of int, shape (c,)
    origin : ndarray of shape (D,)
        The middle of the centers, from which points are measured.
    factors : ndarray of shape (D + 1, c)
        The centers c measured from there, and −|c|²/2. Of the products with (x, 1) that of the
        nearest center is the largest.
    size : float
        The largest |c|.
    """

    centers: npt.NDArray[np.intp]
    origin: Doubles
    factors: npt.NDArray[np.float32]
    size: float


class NearestCenter:
    """Exact search for the nearest center, in two levels.

    The space is halved up to eight times, at the medians of a sample, into boxes; a center is left
    out in a box where another one is nearer in every point of it. A point is compared with the
    centers of its box in float32, and again in float64 where that leaves two of them. Points
    outside of the sample's range are compared with all centers.
    """

    def __init__(self, centers: Doubles, sample: Doubles) -> None:
        self._centers = centers
        self._half = 0.5 * np.square(centers).sum(axis=1)
        self._low, self._high = sample.min(axis=0), sample.max(axis=0)
        self._splits: list[tuple[int, Doubles]] = []
        low, high = self._low[None], self._high[None]
        codes = np.zeros(len(sample), dtype=np.int64)
        for _ in range(min(_DEPTH, int(np.log2(len(centers))))):
            parts = [sample[codes == k] for k in range(len(low))]
            inside = np.array([len(part) * part.var(axis=0) for part in parts if len(part)])
            axis = int(inside.sum(axis=0).argmax())
            medians = [np.median(part[:, axis]) if len(part) else np.nan for part in parts]
            edges = np.where(np.isnan(medians), low[:, axis], medians)
            self._splits.append((axis, edges))
            codes = 2 * codes + (sample[:, axis] > edges[codes])
            low, high = np.repeat(low, 2, axis=0), np.repeat(high, 2, axis=0)
            high[::2, axis] = low[1::2, axis] = edges
        found = [self._candidates(*box) for box in zip(low, high, strict=True)]
        everything = np.arange(len(centers))
        if 2 * sum(map(len, found)) > len(found) * len(centers):  # too many features for boxes
            self._splits, found = [], [everything]
        self._boxes = [self._box(own) for own in [*found, everything]]

    def _box(self, own: npt.NDArray[np.intp]) -> _Box:
        origin = self._centers[own].mean(axis=0)
        centers = self._centers[own] - origin
        squares = np.square(centers).sum(axis=1)
        factors = np.vstack([centers.T, -0.5 * squares]).astype(np.float32)
        return _Box(own, origin, factors, float(np.sqrt(squares.max())))

    def _candidates(self, low: Doubles, high: Doubles) -> npt.NDArray[np.intp]:
        """The centers that may be the nearest in a box."""
        left = np.square(self._centers - 0.5 * (low + high)).sum(axis=1).argsort()
        # The few centers nearest to the middle rule out most others; if not, boxes do not help.
        for most in (_RIVALS, len(left) // 4):
            rivals = left[: most if 2 * len(left) < len(self._centers) else _RIVALS]
            apart = self._centers[left, None] - self._centers[rivals]
            # How much closer a center can be than a rival: linear in x, so largest in a corner.
            gain = np.maximum(apart * low, apart * high).sum(axis=2)
            gain += self._half[rivals] - self._half[left, None]
            left = left[(gain >= -1e-9 * (1.0 + self._half.max())).all(axis=1)]
        return np.sort(left)

    def __call__(self, points: Doubles) -> Integers:
        """The position of the center next to each point; of equally near ones the first."""
        n = len(points)
        columns = np.ascontiguousarray(points.T)
        boxes = np.zeros(n, dtype=np.uint16)
        for axis, edges in self._splits:
            right = columns[axis] > edges.take(boxes)
            boxes += boxes
            boxes += right
        for column, low, high in zip(columns, self._low, self._high, strict=True):
            boxes[(column < low) | (column > high)] = len(self._boxes) - 1
        order, counts = group_order(boxes, len(self._boxes))
        rows = points.take(order, axis=0)
        found = np.empty(n, dtype=np.int64)
        with np.errstate(all="ignore"):
            stop = 0
            for box, count in zip(self._boxes, counts.tolist(), strict=True):
                start, stop = stop, stop + count
                size = max(1, _PRODUCTS // len(box.centers))
                for first in range(start, stop, size):
                    part = slice(first, min(first + size, stop))
                    found[part] = self._nearest(box, rows[part])
        labels = np.empty_like(found)
        labels[order] = found
        return labels

    def _nearest(self, box: _Box, rows: Doubles) -> Integers:
        n, d = rows.shape
        single = np.ones((n, d + 1), dtype=np.float32)
        np.subtract(rows, box.origin, out=single[:, :d], casting="same_kind")
        closeness = single @ box.factors
        best = closeness.argmax(axis=1)
        # Twice a bound for the rounding error of a product in float32.
        largest = float(np.abs(single).max()) * d**0.5 * box.size + 0.5 * box.size**2
        limit = np.float32(2.0**-23 * (d + 6) * largest)
        near = closeness >= closeness[np.arange(n), best][:, None] - limit
        if np.count_nonzero(near) != n or not np.isfinite(limit):
            for row in np.flatnonzero(np.count_nonzero(near, axis=1) != 1).tolist():
                gaps = self._centers[box.centers] - rows[row]
                best[row] = np.square(gaps).sum(axis=1).argmin()
        return np.asarray(box.centers[best])


class Grid:
    """The cells of a grid over some of the features, between their extremes.

    Parameters
    ----------
    columns : sequence of int
    cells : sequence of int
        Number of cells along each.
    names : sequence of str
        The features in the names of the cells.
    """

    def __init__(self, columns: Sequence[int], cells: Sequence[int], names: Sequence[str]) -> None:
        self.columns: list[int] = list(columns)
        self._cells, self._names = list(cells), list(names)
        self._known: dict[int, _Cell] = {}

    def learn(self, pieces: Iterable[Floats]) -> None:
        low = np.full(len(self.columns), np.inf)
        high = -low
        for points in pieces:
            if len(points):
                chosen = points[:, self.columns]
                low = np.minimum(low, chosen.min(axis=0))
                high = np.maximum(high, chosen.max(axis=0))
        with np.errstate(invalid="ignore"):  # of no points, which are refused later
            self._edges = [
                np.linspace(a, b, n + 1) for a, b, n in zip(low, high, self._cells, strict=True)
            ]
        self._texts = [_edge_texts(edges) for edges in self._edges]

    def __call__(self, points: Floats) -> Keyed:
        number = np.zeros(len(points), dtype=np.int64)
        for start in range(0, len(points), _CACHED):
            part = slice(start, start + _CACHED)
            for j, edges, cells in zip(self.columns, self._edges, self._cells, strict=True):
                number[part] *= cells
                number[part] += _cell_numbers(points[part, j], edges)
        total = math.prod(self._cells)
        found = Keyed(number, range(total), (None,)) if total <= _FEW_CELLS else keyed([number])
        return found._replace(values=[self._cell(k) for k in found.values])

    def _cell(self, number: int) -> _Cell:
        if number not in self._known:
            places = np.unravel_index(number, self._cells)
            parts = [
                f"{name} {texts[k]} to {texts[k + 1]}"
                for name, texts, k in zip(self._names, self._texts, places, strict=True)
            ]
            self._known[number] = _Cell((number, ", ".join(parts)))
        return self._known[number]


def _cell_numbers(values: Floats, edges: Doubles) -> Integers:
    """The cell of each value; one on an inner edge is in the cell above it."""
    width, inner = np.diff(edges), edges[1:-1]
    n, error = len(width), 4.0 * np.spacing(np.abs(edges).max())
    if not error < 0.1 * width.min():  # edges so close that rounding moves them
        return np.searchsorted(inner, values, side="right").astype(np.int64)
    place = (values - edges[0]) * (n / (edges[-1] - edges[0]))
    found = place.astype(np.int64)
    # Near an edge the edges themselves decide, as searchsorted does, which takes far longer.
    place -= found
    place -= 0.5
    near = np.abs(place, out=place) > 0.5 - error / width.min() - 4.0 * n * np.spacing(1.0)
    if near.any():
        found[near] = np.searchsorted(inner, values[near], side="right")
    return np.asarray(found)


class _Cell(tuple[int, str]):
    """Number and text of a cell: sorts by its number, reads as its text."""

    __slots__ = ()

    def __str__(self) -> str:
        return self[1]


def _edge_texts(edges: Doubles) -> list[str]:
    """Edges in four digits, or as many as it takes to distinguish them."""
    for digits in range(4, 17):
        texts = [f"{edge:.{digits}g}" for edge in edges]
        if len(set(texts)) == len(np.unique(edges)):
            break
    return texts


Binning = Clusters | Grid
