"""Points that come in pieces, summed a block at a time."""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import numpy as np

from uapca._validation import Floats
from uapca.aggregate.kernel import Doubles, Integers
from uapca.aggregate.keys import Categories, Keyed, joined
from uapca.aggregate.moments import Moments

__all__ = ["Collector", "Decaying", "Sliding"]

# Rows of buffer for each label.
_EACH = 8

# Above this share of a scatter, the bound on what removing points did to it has them summed anew.
_TOLERANCE = 1e-12


class Labels:
    """All labels seen so far, as codes that stay."""

    def __init__(self) -> None:
        self._places: dict[Any, int] = {}
        self._values: list[Any] = []
        self._categories: Categories | None = None

    def __len__(self) -> int:
        return len(self._values)

    def codes(self, labels: Keyed) -> Integers:
        """The codes of labels among all those seen."""
        places, values = self._places, self._values
        mapped = np.full(len(labels.values) + 1, -1, dtype=np.int64)  # the last for those missing
        for k, value in enumerate(labels.values):
            place = places.get(value)
            if place is None:
                place = places[value] = len(values)
                values.append(value)
            mapped[k] = place
        self._categories = joined(self._categories, labels.categories)
        return mapped[labels.codes]

    def of(self, codes: Integers) -> Keyed:
        """The labels of such codes, without those that do not occur among them."""
        used = np.zeros(len(self) + 1, dtype=bool)
        used[codes] = True
        used = used[:-1]
        place = np.append(np.cumsum(used) - 1, -1)
        values = [self._values[k] for k in np.flatnonzero(used).tolist()]
        return Keyed(place[codes], values, self._categories or (None,))


class Collector:
    """A growing summary: points are copied into a buffer and summed when it is full.

    Parameters
    ----------
    d : int
        Number of features.
    rows : int
        Size of the buffer. Summing many rows at a time is faster, merging the sums of all labels
        takes the same time for any number of rows.
    """

    def __init__(
        self, d: int, rows: int, *, features: tuple[str, ...] | None = None, extremes: bool = False
    ) -> None:
        self._labels = Labels()
        self._points = np.empty((rows, d))
        self._codes = np.empty(rows, dtype=np.int64)
        self._weights: Doubles | None = None
        self._held = 0
        self._total = Moments.empty(d, features=features, extremes=extremes)

    @property
    def features(self) -> tuple[str, ...] | None:
        return self._total.features

    @property
    def d(self) -> int:
        return self._points.shape[1]

    def add(self, points: Floats, labels: Keyed, weights: Doubles | None = None) -> None:
        """Add points, which may then be overwritten."""
        codes = self._labels.codes(labels)
        start = 0
        while start < len(points):
            if self._held == len(self._points):
                self.flush()
            rows = len(self._points)
            if not self._held and len(points) - start >= rows:
                # As much as a buffer full: summed where it is.
                part = slice(start, start + rows)
                own = None if weights is None else weights[part]
                self._merge(points[part], codes[part], own)
                start += rows
                self._grow()
                continue
            n = min(len(points) - start, rows - self._held)
            part, place = slice(start, start + n), slice(self._held, self._held + n)
            self._points[place] = points[part]
            self._codes[place] = codes[part]
            if weights is not None and self._weights is None:
                self._weights = np.ones(rows)
            if self._weights is not None:
                self._weights[place] = 1.0 if weights is None else weights[part]
            self._held += n
            start += n

    def flush(self) -> None:
        """Sum what is in the buffer."""
        if self._held:
            held = slice(0, self._held)
            weights = None if self._weights is None else self._weights[held]
            self._held = 0  # whatever is wrong with these points, the next are not to blame
            self._merge(self._points[held], self._codes[held], weights)
            self._grow()

    def _grow(self) -> None:
        """Make room for many points of each label: a merge takes the time of all labels."""
        rows = _EACH * len(self._labels)
        if rows > len(self._points):
            self._points = np.empty((rows, self.d))
            self._codes = np.empty(rows, dtype=np.int64)
            self._weights = None if self._weights is None else np.ones(rows)

    def _merge(self, points: Floats, codes: Integers, weights: Doubles | None) -> None:
        self._total = self._total.merge(self._sums(points, codes, weights))

    def _sums(self, points: Floats, codes: Integers, weights: Doubles | None) -> Moments:
        return Moments.of(
            points,
            self._labels.of(codes),
            weights,
            features=self._total.features,
            extremes=self._total.extremes is not None,
            missing="drop",
        )

    def moments(self) -> Moments:
        """The summary of everything added so far."""
        self.flush()
        return self._total


class Decaying(Collector):
    """A summary in which points count less with age: by half for every ``half_life`` later ones."""

    def __init__(
        self, d: int, rows: int, half_life: float, *, features: tuple[str, ...] | None = None
    ) -> None:
        super().__init__(d, rows, features=features)
        self._half_life = half_life

    def _merge(self, points: Floats, codes: Integers, weights: Doubles | None) -> None:
        n = len(points)
        ages = np.arange(n - 1, -1, -1) / self._half_life
        fading = np.exp2(-ages)
        old = self._total.discounted(float(np.exp2(-n / self._half_life)))
        more = self._sums(points, codes, fading if weights is None else fading * weights)
        self._total = old.merge(more)


class _Held(NamedTuple):
    points: Floats
    codes: Integers
    weights: Doubles | None

    def rows(self, part: slice) -> _Held:
        weights = None if self.weights is None else self.weights[part]
        return _Held(self.points[part], self.codes[part], weights)


class Sliding(Collector):
    """The summary of the latest ``window`` points.

    The points are kept. Those that leave are removed from the sums; when what that loses could
    show, the sums are made anew from the points there are.
    """

    def __init__(
        self, d: int, rows: int, window: int, *, features: tuple[str, ...] | None = None
    ) -> None:
        super().__init__(d, rows, features=features)
        self._window = window
        self._kept: deque[_Held] = deque()

    def _merge(self, points: Floats, codes: Integers, weights: Doubles | None) -> None:
        latest = slice(max(0, len(points) - self._window), None)
        new = _Held(points.copy(), codes.copy(), None if weights is None else weights.copy())
        new = new.rows(latest)
        total = self._total.merge(self._sums(*new))
        kept = deque(self._kept)
        over = len(new.points) + sum(len(part.points) for part in kept) - self._window
        while over > 0:
            oldest = kept.popleft()
            gone = oldest.rows(slice(0, over))
            total = total.downdate(self._sums(*gone))
            if len(oldest.points) > over:
                kept.appendleft(oldest.rows(slice(over, None)))
            over -= len(gone.points)
        kept.append(new)
        self._kept, self._total = kept, total

    def moments(self) -> Moments:
        self.flush()
        total = self._total
        size = np.diagonal(total.sums.scatters, axis1=1, axis2=2).max(axis=1, initial=0.0)
        if total.reduced and (total.errors[1] > _TOLERANCE * size).any():
            parts = [self._sums(*part) for part in self._kept]
            self._total = Moments.merged(parts)
        return self._total
