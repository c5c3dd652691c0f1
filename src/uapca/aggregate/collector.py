"""Summaries of points that come in pieces: all of them, the latest, or with a fading past."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from uapca._validation import Doubles, Floats
from uapca.aggregate.accumulate import Integers, grouped_sums
from uapca.aggregate.labels import Keyed, Vocabulary, occurring
from uapca.aggregate.moments import Moments, SpreadForm, check_sums

__all__ = ["Collector", "Decaying", "Running", "Sliding"]

# Rows of the buffer for each label: a merge takes the time of all labels.
_EACH, _EACH_OF_WIDE = 8, 2
# Blocks that a window is kept in: more would take more memory for their sums, fewer more time.
_BLOCKS = 16
# A label is forgotten when it weighs less than this share of the heaviest.
_FAINT = 2.0**-400


class Running:
    """The sums of pieces of points, changed in place: after an error they mean nothing."""

    def __init__(self, features: tuple[str, ...], spread_form: SpreadForm) -> None:
        self._empty = Moments.empty(len(features), features=features, spread_form=spread_form)
        self._sums = self._empty.sums
        self._labels = Vocabulary()

    def add(self, points: Floats, labels: Keyed) -> None:
        codes = self._labels.codes(labels)
        groups, known = len(self._sums.counts), len(self._labels.values)
        if known > groups:
            groups = max(known, groups + groups // 2)
            self._sums = self._sums.extended(groups)
        grouped_sums(points, codes, groups, rank=self._sums.rank, before=self._sums)
        check_sums(points, codes, None, self._sums)

    def moments(self) -> Moments:
        values, categories = tuple(self._labels.values), self._labels.categories
        if categories is None:
            return self._empty
        sums = self._sums.taken(slice(len(values)))
        return Moments(values, sums, self._empty.features, categories).occupied()


class _Points(NamedTuple):
    """Points with the codes of their labels."""

    points: Floats
    codes: Integers
    weights: Doubles | None

    def rows(self, part: slice) -> _Points:
        return _Points(*(None if array is None else array[part] for array in self))  # type: ignore[arg-type]

    def copy(self) -> _Points:
        return _Points(*(None if array is None else array.copy() for array in self))  # type: ignore[arg-type]

    def followed_by(self, other: _Points) -> _Points:
        weights = None
        if self.weights is not None or other.weights is not None:
            both = (
                np.ones(len(p.points)) if p.weights is None else p.weights for p in (self, other)
            )
            weights = np.concatenate(list(both))
        return _Points(
            np.concatenate([self.points, other.points]),
            np.concatenate([self.codes, other.codes]),
            weights,
        )


class Collector:
    """A growing summary: points are copied into a buffer and summed when it is full.

    Points are added whole or not at all: every step makes a new state beside the old one and
    replaces it at the end, so that neither an error nor an interrupt loses points.

    Parameters
    ----------
    d : int
        Number of features.
    rows : int
        Size of the buffer. Summing many rows at a time is faster, merging the sums of all labels
        takes the same time for any number of rows.
    features : tuple of str, optional
    spread_form : {"full", "diagonal"} or int
    """

    def __init__(
        self,
        d: int,
        rows: int,
        *,
        features: tuple[str, ...] | None = None,
        spread_form: SpreadForm = "full",
    ) -> None:
        self._labels = Vocabulary()
        self._buffer = _Points(np.empty((rows, d)), np.empty(rows, dtype=np.int64), None)
        self._held = 0
        self._none = Moments.empty(d, features=features, spread_form=spread_form)
        self._state = self._start()
        self._far = False
        self._each = _EACH if spread_form == "full" else _EACH_OF_WIDE

    @property
    def d(self) -> int:
        return self._none.n_features

    def add(
        self, points: Floats, labels: Keyed, weights: Doubles | None = None, far: bool = False
    ) -> None:
        """Add points, which may then be overwritten.

        ``far``: whether their moments may overflow. They are then summed at once, and later
        points too, so that an error is raised with the points that cause it.
        """
        known, categories = len(self._labels.values), self._labels.categories
        try:
            new = _Points(points, self._labels.codes(labels), weights)
            n, rows, far = len(points), len(self._buffer.points), far or self._far
            if far or self._held + n > rows or n >= rows:
                self._flush()
                rows = len(self._buffer.points)
            state, start = self._state, 0
            while start < n and (far or n - start >= rows):
                state = self._advanced(state, new.rows(slice(start, start + rows)))
                start += rows
            if far:
                self._summary(state, 0)
            held = self._filled(new.rows(slice(start, None)))
        except BaseException:
            for value in list(self._labels.values)[known:]:
                del self._labels.values[value]
            self._labels.categories = categories
            raise
        # No interrupt comes between these: they are stores without a call.
        self._state, self._held, self._far = state, held, far

    def moments(self) -> Moments:
        """The summary of everything added so far."""
        self._flush()
        return self._summary(self._state, 0)

    def _flush(self) -> None:
        """Sum the points in the buffer, and make it larger where there are many labels."""
        if self._held:
            state = self._advanced(self._state, self._buffered())
            self._state, self._held = state, 0
        rows, weights = self._room(), self._buffer.weights
        if rows > len(self._buffer.points):
            self._buffer = _Points(
                np.empty((rows, self.d)),
                np.empty(rows, dtype=np.int64),
                None if weights is None else np.ones(rows),
            )

    def _filled(self, new: _Points) -> int:
        """Copy points to the end of the buffer; returns how many it then has."""
        place = slice(self._held, self._held + len(new.points))
        if new.weights is not None and self._buffer.weights is None:
            self._buffer = self._buffer._replace(weights=np.ones(len(self._buffer.points)))
        for own, given in zip(self._buffer, new, strict=True):
            if own is not None:
                own[place] = 1.0 if given is None else given
        return place.stop

    def _buffered(self, latest: int | None = None) -> _Points:
        """The points in the buffer, or the latest of them."""
        first = 0 if latest is None else max(0, self._held - latest)
        return self._buffer.rows(slice(first, self._held))

    def _room(self) -> int:
        return self._each * len(self._state)

    def _sums(self, new: _Points) -> Moments:
        # Of the labels so far, most may have faded or left the window.
        codes, values = occurring(new.codes, list(self._labels.values))
        labels = Keyed(codes, values, self._labels.categories or (None,))
        return Moments.of(
            new.points,
            labels,
            new.weights,
            features=self._none.features,
            missing="drop",
            spread_form=self._none.spread_form,
        )

    # Overridden by other kinds of summary. A state is never changed, only replaced.

    def _start(self) -> Any:
        return self._none

    def _advanced(self, state: Any, new: _Points) -> Any:
        """The state after further points, which may be overwritten later."""
        # In the order of rows, a snapshot need not bring it there.
        return state.merge(self._sums(new)).in_order()

    def _summary(self, state: Any, held: int) -> Moments:
        """The moments of a state and of the last ``held`` points of the buffer."""
        moments: Moments = state
        return moments


class Decaying(Collector):
    """A summary in which points count less with age: half as much after ``half_life`` later ones.

    A label is forgotten when it weighs less than 2⁻⁴⁰⁰ of the heaviest: its sums would soon
    underflow, and its mean be lost.
    """

    def __init__(self, d: int, rows: int, half_life: float, **options: Any) -> None:
        super().__init__(d, rows, **options)
        self._half_life = half_life

    def _advanced(self, state: Any, new: _Points) -> Any:
        n = len(new.points)
        fading = np.exp2(-np.arange(n - 1, -1, -1) / self._half_life)
        weights = fading if new.weights is None else fading * new.weights
        old = state.discounted(float(np.exp2(-n / self._half_life)))
        return old.merge(self._sums(new._replace(weights=weights))).heavier(_FAINT)


class _Block(NamedTuple):
    """Consecutive points of a window, and their sums."""

    held: _Points
    sums: Moments


class _Window(NamedTuple):
    """Blocks of points, the oldest first; ``gone`` of the oldest block have left the window."""

    blocks: tuple[_Block, ...]
    gone: int


class Sliding(Collector):
    """The summary of the latest ``window`` points, which are kept.

    They are kept in blocks of about a sixteenth of the window, each with its sums. Nothing is
    subtracted, so no digits are lost when points leave. A snapshot merges the sums of the blocks
    (once for each new block), and sums the points of the oldest block and of the buffer: at most
    an eighth of the window, or two buffers.
    """

    def __init__(self, d: int, rows: int, window: int, **options: Any) -> None:
        super().__init__(d, rows, **options)
        self._window = window
        self._whole: tuple[tuple[_Block, ...], Moments] = ((), self._none)

    def _start(self) -> Any:
        return _Window((), 0)

    def _room(self) -> int:
        blocks = self._state.blocks
        kept = sum(len(block.held.points) for block in blocks)
        labels = max((len(block.sums) for block in blocks), default=0)
        return max(self._each * labels, min(kept, self._window) // _BLOCKS)

    def _advanced(self, state: Any, new: _Points) -> Any:
        latest = new.rows(slice(max(0, len(new.points) - self._window), None)).copy()
        blocks = state.blocks
        if blocks and len(blocks[-1].held.points) + len(latest.points) <= len(self._buffer.points):
            latest, blocks = blocks[-1].held.followed_by(latest), blocks[:-1]
        block = _Block(latest, self._sums(latest))
        return self._slid(_Window((*blocks, block), state.gone), 0)

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
        if list(map(id, blocks)) != list(map(id, self._whole[0])):
            merged = Moments.merged([self._none, *(block.sums for block in blocks)])
            self._whole = (blocks, merged)
        total = self._whole[1]
        if window.gone:
            left = window.blocks[0].held.rows(slice(window.gone, None))
            total = self._sums(left).merge(total)
        return total.merge(self._sums(self._buffered(latest))) if latest else total
