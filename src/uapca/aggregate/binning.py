"""Labels for points that have none: clusters, or the cells of a grid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from uapca._validation import Floats, complaint, listed
from uapca.aggregate.accumulate import Doubles, Integers
from uapca.aggregate.keys import Keyed

__all__ = ["Binning", "Clusters", "Grid", "binning_of"]

# Points for each cluster, and at least, from which the centres are found.
_EACH, _LEAST = 100, 20_000
# Points whose distances to all centres are found at a time.
_ROWS = 8192


class Binning(Protocol):
    """What gives points labels once it has seen them."""

    def learn(self, pieces: Iterable[Floats]) -> None:
        """See all points once."""

    def __call__(self, points: Floats) -> Keyed:
        """The labels of points."""


class Clusters:
    """The nearest of k centres, found by mini-batch k-means in features of unit variance.

    The centres come from a random sample of the points, which is uniform however the points are
    sorted, and of 100 k points, at least 20,000.
    """

    def __init__(self, k: int, rng: np.random.Generator) -> None:
        self._k, self._rng = k, rng

    def learn(self, pieces: Iterable[Floats]) -> None:
        from sklearn.cluster import MiniBatchKMeans

        sample = _sampled(pieces, max(_EACH * self._k, _LEAST), self._rng)
        if len(sample) < self._k:
            raise ValueError(
                complaint(
                    "bins",
                    "be at most the number of points",
                    f"got {self._k} for {len(sample)}",
                    "Ask for fewer bins",
                )
            )
        self._middle = sample.mean(axis=0)
        spread = sample.std(axis=0)
        self._unit = np.where(spread > 0.0, spread, 1.0)
        means = MiniBatchKMeans(
            self._k, n_init=1, batch_size=4096, random_state=int(self._rng.integers(2**31))
        )
        means.fit((sample - self._middle) / self._unit)
        self._centres = means.cluster_centers_
        self._half = 0.5 * np.square(self._centres).sum(axis=1)

    def __call__(self, points: Floats) -> Keyed:
        codes = np.empty(len(points), dtype=np.int64)
        for start in range(0, len(points), _ROWS):
            part = slice(start, start + _ROWS)
            scaled = (points[part] - self._middle) / self._unit
            # The nearest centre c has the largest x·c − |c|²/2.
            closeness = scaled @ self._centres.T
            closeness -= self._half
            codes[part] = closeness.argmax(axis=1)
        return Keyed(codes, range(self._k), (None,))


class Grid:
    """The cells of a grid over some of the features, between their extremes.

    Parameters
    ----------
    columns : sequence of int
    cells : sequence of int
        Number of cells along each.
    names : sequence of str
        What to call the features in the names of the cells.
    """

    def __init__(self, columns: Sequence[int], cells: Sequence[int], names: Sequence[str]) -> None:
        self._columns, self._cells, self._names = list(columns), list(cells), list(names)

    def learn(self, pieces: Iterable[Floats]) -> None:
        low = np.full(len(self._columns), np.inf)
        high = -low
        for points in pieces:
            if len(points):
                chosen = points[:, self._columns]
                low = np.minimum(low, chosen.min(axis=0))
                high = np.maximum(high, chosen.max(axis=0))
        self._edges: list[Doubles] = [
            np.linspace(a, b, n + 1) for a, b, n in zip(low, high, self._cells, strict=True)
        ]
        self._texts = [_texts(edges) for edges in self._edges]

    def __call__(self, points: Floats) -> Keyed:
        number: Integers = np.zeros(len(points), dtype=np.int64)
        for j, edges, cells in zip(self._columns, self._edges, self._cells, strict=True):
            # Inner edges only: what lies on the last one belongs to the last cell.
            cell = np.searchsorted(edges[1:-1], points[:, j], side="right")
            number = number * cells + cell
        kept, codes = np.unique(number, return_inverse=True)
        return Keyed(codes.astype(np.int64), [self._cell(k) for k in kept.tolist()], (None,))

    def _cell(self, number: int) -> Any:
        """The label of a cell: its number first, by which rows are sorted."""
        parts: list[str] = []
        rest = number
        for name, texts, cells in reversed(
            list(zip(self._names, self._texts, self._cells, strict=True))
        ):
            rest, k = divmod(rest, cells)
            parts.append(f"{name} {texts[k]} to {texts[k + 1]}")
        return _Cell(number, ", ".join(reversed(parts)))


def _texts(edges: Doubles) -> list[str]:
    """Edges in four digits, or as many as it takes to tell them apart."""
    different = len(np.unique(edges))
    for digits in range(4, 17):
        texts = [f"{edge:.{digits}g}" for edge in edges]
        if len(set(texts)) == different:
            break
    return texts


class _Cell(tuple[int, str]):
    """A cell of a grid, which reads as its text and sorts by its number."""

    __slots__ = ()

    def __new__(cls, number: int, text: str) -> _Cell:
        return super().__new__(cls, (number, text))

    def __str__(self) -> str:
        return self[1]


def binning_of(bins: Any, features: Sequence[str], rng: np.random.Generator) -> Binning:
    """The binning that ``bins`` asks for: a number of clusters, or cells for some features."""
    if isinstance(bins, Mapping):
        return _grid(bins, list(features))
    if isinstance(bins, bool) or not isinstance(bins, int | np.integer) or bins < 1:
        raise ValueError(
            complaint(
                "bins",
                "be a positive number of clusters, or a number of cells for each of some features",
                f"got {bins!r}",
                "Pass bins=500, or bins={'x': 20, 'y': 25} for a grid",
            )
        )
    return Clusters(int(bins), rng)


def _grid(bins: Mapping[Any, Any], features: list[str]) -> Grid:
    names = [str(name) for name in bins]
    absent = [name for name in names if name not in features]
    if absent or not names:
        raise ValueError(
            complaint(
                "bins",
                "name features",
                f"there is no {listed(absent)}" if absent else "got none",
                f"The features are {listed(features)}",
            )
        )
    wrong = [n for n in bins.values() if isinstance(n, bool) or not isinstance(n, int) or n < 1]
    if wrong:
        raise ValueError(
            complaint(
                "bins",
                "have a positive number of cells for each feature",
                f"got {wrong[0]!r}",
                "Pass bins={'x': 20, 'y': 25}",
            )
        )
    return Grid([features.index(name) for name in names], list(bins.values()), names)


def _sampled(pieces: Iterable[Floats], size: int, rng: np.random.Generator) -> Doubles:
    """A uniform sample of all points: those with the smallest of random numbers."""
    kept: Doubles | None = None
    numbers = np.empty(0)
    for points in pieces:
        drawn = rng.random(len(points))
        if kept is not None and len(numbers) >= size:
            chosen = drawn < numbers.max()
            points, drawn = points[chosen], drawn[chosen]
        both = points if kept is None else np.concatenate([kept, points])
        numbers = np.concatenate([numbers, drawn])
        if len(numbers) > size:
            best = np.sort(np.argpartition(numbers, size)[:size])
            both, numbers = both[best], numbers[best]
        kept = both.astype(np.float64)
    return np.empty((0, 1)) if kept is None else kept
