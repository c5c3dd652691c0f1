"""Points that come in pieces, summed a block at a time."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np

from uapca._validation import Floats
from uapca.aggregate.accumulate import Doubles, Integers
from uapca.aggregate.keys import Categories, Keyed, joined
from uapca.aggregate.moments import Moments

__all__ = ["Collector", "Decaying", "Sliding"]

# Rows of buffer for each label.
_EACH = 8

# Blocks that a window is kept in: more would take more memory for their sums, fewer more time.
_BLOCKS = 16

# What is forgotten of a fading past, as a share of the heaviest label.
_FAINT = 2.0**-400


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
                # In this order: an interrupt in between leaves a label that nothing has.
                values.append(value)
                place = places[value] = len(values) - 1
            mapped[k] = place
        self._categories = joined(self._categories, labels.categories)
        same = mapped[:-1].tolist() == list(range(len(labels.values)))
        return labels.codes if same else mapped[labels.codes]

    def of(self, codes: Integers) -> Keyed:
        """The labels of such codes, without those that do not occur among them."""
        used = np.zeros(len(self) + 1, dtype=bool)
        used[codes] = True
        used = used[:-1]
        if used.all():
            return Keyed(codes, tuple(self._values), self._categories or (None,))
        place = np.append(np.cumsum(used) - 1, -1)
        values = [self._values[k] for k in np.flatnonzero(used).tolist()]
        return Keyed(place[codes], values, self._categories or (None,))


class Collector:
    """A growing summary: points are copied into a buffer and summed when it is full.

    What is added is added whole or not at all: every step makes a new state beside the old one
    and puts it in its place at the end, so that neither an error nor an interrupt loses points.

    Parameters
    ----------
    d : int
        Number of features.
    rows : int
        Size of the buffer. Summing many rows at a time is faster, merging the sums of all labels
        takes the same time for any number of rows.
    direct : float
        The share of a buffer from which on points are summed where they are.
    """

    def __init__(
        self,
        d: int,
        rows: int,
        *,
        features: tuple[str, ...] | None = None,
        extremes: bool = False,
        direct: float = 1.0,
    ) -> None:
        self._direct = direct
        self._labels = Labels()
        self._points = np.empty((rows, d))
        self._codes = np.empty(rows, dtype=np.int64)
        self._weights: Doubles | None = None
        self._held = 0
        self._none = Moments.empty(d, features=features, extremes=extremes)
        self._state: Any = self._start()
        self._far = False

    @property
    def features(self) -> tuple[str, ...] | None:
        return self._none.features

    @property
    def d(self) -> int:
        return self._points.shape[1]

    def add(
        self, points: Floats, labels: Keyed, weights: Doubles | None = None, far: bool = False
    ) -> None:
        """Add points, which may then be overwritten.

        ``far``: whether their moments may be too large for floats. They are then summed at once,
        and those of later points too, so that an error comes with the points that it is about.
        """
        codes = self._labels.codes(labels)
        n, rows = len(points), len(self._points)
        far = far or self._far
        if self._held and (far or self._held + n > rows or n >= self._direct * rows):
            self.flush()
            rows = len(self._points)
        state, start = self._state, 0
        while start < n and (far or n - start >= self._direct * rows):
            part = slice(start, start + rows)
            own = None if weights is None else weights[part]
            state = self._advanced(state, points[part], codes[part], own)
            start += rows
        if far:
            self._summary(state, 0)
        held = self._filled(
            points[start:], codes[start:], None if weights is None else weights[start:]
        )
        # No interrupt comes between these: they are stores without a call.
        self._state, self._held, self._far = state, held, far
        if not held:
            self._grow()

    def _filled(self, points: Floats, codes: Integers, weights: Doubles | None) -> int:
        """Copy points to the end of the buffer; how many it then has."""
        place = slice(self._held, self._held + len(points))
        self._points[place] = points
        self._codes[place] = codes
        if weights is not None and self._weights is None:
            self._weights = np.ones(len(self._points))
        if self._weights is not None:
            self._weights[place] = 1.0 if weights is None else weights
        return place.stop

    def flush(self) -> None:
        """Sum what is in the buffer."""
        if self._held:
            state = self._advanced(self._state, *self._buffered())
            self._state, self._held = state, 0
            self._grow()

    def _buffered(self, latest: int | None = None) -> _Points:
        """The points in the buffer, or the latest of them."""
        held = slice(0 if latest is None else max(0, self._held - latest), self._held)
        weights = None if self._weights is None else self._weights[held]
        return _Points(self._points[held], self._codes[held], weights)

    def _grow(self) -> None:
        """Make room for many points of each label: a merge takes the time of all labels."""
        rows = self._room()
        if rows > len(self._points):
            points, codes = np.empty((rows, self.d)), np.empty(rows, dtype=np.int64)
            weights = None if self._weights is None else np.ones(rows)
            self._points, self._codes, self._weights = points, codes, weights

    def _room(self) -> int:
        return _EACH * len(self._labels)

    def _sums(self, points: Floats, codes: Integers, weights: Doubles | None) -> Moments:
        return Moments.of(
            points,
            self._labels.of(codes),
            weights,
            features=self._none.features,
            extremes=self._none.extremes is not None,
            missing="drop",
        )

    def moments(self) -> Moments:
        """The summary of everything added so far."""
        self.flush()
        return self._summary(self._state, 0)

    # What kinds of summary differ in: the state, which is never changed, and what it stands for.

    def _start(self) -> Any:
        return self._none

    def _advanced(
        self, state: Any, points: Floats, codes: Integers, weights: Doubles | None
    ) -> Any:
        """The state after further points, which may be overwritten later."""
        return state.merge(self._sums(points, codes, weights))

    def _summary(self, state: Any, held: int) -> Moments:
        """The moments that a state stands for, with the last ``held`` points of the buffer."""
        return cast(Moments, state)


class Decaying(Collector):
    """A summary in which points count less with age: by half for every ``half_life`` later ones.

    A label is forgotten when it weighs less than 2⁻⁴⁰⁰ of the heaviest: its sums would soon be
    lost below the smallest float, and with them its mean.
    """

    def __init__(
        self, d: int, rows: int, half_life: float, *, features: tuple[str, ...] | None = None
    ) -> None:
        super().__init__(d, rows, features=features)
        self._half_life = half_life

    def _advanced(
        self, state: Any, points: Floats, codes: Integers, weights: Doubles | None
    ) -> Any:
        n = len(points)
        ages = np.arange(n - 1, -1, -1) / self._half_life
        fading = np.exp2(-ages)
        old = state.discounted(float(np.exp2(-n / self._half_life)))
        more = self._sums(points, codes, fading if weights is None else fading * weights)
        return old.merge(more).heavier(_FAINT)


class _Points(NamedTuple):
    points: Floats
    codes: Integers
    weights: Doubles | None

    def rows(self, part: slice) -> _Points:
        weights = None if self.weights is None else self.weights[part]
        return _Points(self.points[part], self.codes[part], weights)

    def copy(self) -> _Points:
        weights = None if self.weights is None else self.weights.copy()
        return _Points(self.points.copy(), self.codes.copy(), weights)


class _Block(NamedTuple):
    """Points of the window that came after each other, and their sums."""

    held: _Points
    sums: Moments


class _Window(NamedTuple):
    """Blocks of points, the oldest first; ``gone`` of the oldest have left."""

    blocks: tuple[_Block, ...]
    gone: int


class Sliding(Collector):
    """The summary of the latest ``window`` points, which are kept.

    They are kept in blocks of some sixteenth of the window, each with its sums. Nothing is ever
    subtracted, so that no digits are lost, whatever leaves. A snapshot merges the sums of the
    blocks (once for each new block), and sums the points of the block that is leaving and of the
    one that is filling: at most an eighth of the window, or two buffers.
    """

    def __init__(
        self, d: int, rows: int, window: int, *, features: tuple[str, ...] | None = None
    ) -> None:
        super().__init__(d, rows, features=features)
        self._window = window
        self._whole: tuple[tuple[_Block, ...], Moments] = ((), self._none)

    def _start(self) -> Any:
        return _Window((), 0)

    def _room(self) -> int:
        state: _Window = self._state
        kept = sum(len(block.held.points) for block in state.blocks)
        return max(super()._room(), min(kept, self._window) // _BLOCKS)

    def _advanced(
        self, state: Any, points: Floats, codes: Integers, weights: Doubles | None
    ) -> Any:
        latest = slice(max(0, len(points) - self._window), None)
        new = _Points(points, codes, weights).rows(latest).copy()
        blocks = (*state.blocks, _Block(new, self._sums(*new)))
        return self._slid(_Window(blocks, state.gone), 0)

    def _slid(self, state: _Window, more: int) -> _Window:
        """Without the points that leave when ``more`` come."""
        sizes = [len(block.held.points) for block in state.blocks]
        gone = max(state.gone, sum(sizes) + more - self._window)
        first = 0
        while first < len(sizes) and gone >= sizes[first]:
            gone -= sizes[first]
            first += 1
        return _Window(state.blocks[first:], gone)

    def moments(self) -> Moments:
        return self._summary(self._state, self._held)

    def _summary(self, state: Any, held: int) -> Moments:
        latest = min(held, self._window)
        window = self._slid(state, latest)
        blocks = window.blocks[1:] if window.gone else window.blocks
        if not _same(blocks, self._whole[0]):
            parts = [block.sums for block in blocks]
            self._whole = (blocks, Moments.merged([self._none, *parts]))
        total = self._whole[1]
        if window.gone:
            left = window.blocks[0].held.rows(slice(window.gone, None))
            total = self._sums(*left).merge(total)
        return total.merge(self._sums(*self._buffered(latest))) if latest else total


def _same(a: tuple[_Block, ...], b: tuple[_Block, ...]) -> bool:
    return len(a) == len(b) and all(x is y for x, y in zip(a, b, strict=True))
