"""Summaries of points that come in pieces: all of them, the latest, or with a fading past."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from uapca._validation import Doubles, Floats
from uapca.aggregate.accumulate import Integers, grouped_sums
from uapca.aggregate.labels import Keyed, Vocabulary, occurring
from uapca.aggregate.moments import Moments, SpreadForm, check_sums

__all__ = ["Collector", "Running", "Sliding"]

# Rows of the buffer for each label: a merge takes the time of all labels.
_EACH, _EACH_OF_WIDE = 8, 2
# Blocks that a window is kept in: more would take more memory for their sums, fewer more time.
_BLOCKS = 16
# The share of the heaviest label below which one is forgotten.
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
    """Points with the codes of their labels, and their weights."""

    points: Floats
    codes: Integers
    weights: Doubles

    def rows(self, part: slice) -> _Points:
        return _Points(self.points[part], self.codes[part], self.weights[part])


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
    half_life : float
        Points count half as much after this many later ones. A label is forgotten when it weighs
        less than 2⁻⁴⁰⁰ of the heaviest: its sums would soon underflow, and its mean be lost.
    features : tuple of str, optional
    spread_form : {"full", "diagonal"} or int
    """

    def __init__(
        self,
        d: int,
        rows: int,
        *,
        half_life: float = math.inf,
        features: tuple[str, ...] | None = None,
        spread_form: SpreadForm = "full",
    ) -> None:
        self.d: int = d
        self._half_life = half_life
        self._labels = Vocabulary()
        self._make_buffer(rows)
        self._held = 0
        self._none = Moments.empty(d, features=features, spread_form=spread_form)
        self._state: Any = self._none
        self._far = False
        self._each = _EACH if spread_form == "full" else _EACH_OF_WIDE

    def add(
        self, points: Floats, labels: Keyed, weights: Doubles | None = None, far: bool = False
    ) -> None:
        """Add points, which may then be overwritten.

        ``far``: whether their moments may overflow. They are then summed at once, and later
        points too, so that an error is raised with the points that cause it.
        """
        known, categories = len(self._labels.values), self._labels.categories
        n, far = len(points), far or self._far
        try:
            own = np.ones(n) if weights is None else weights
            new = _Points(points, self._labels.codes(labels), own)
            if far or self._held + n > len(self._buffer.points):
                self._flush()
            state, start, rows = self._state, 0, len(self._buffer.points)
            while start < n and (far or n - start >= rows):
                state = self._advanced(state, new.rows(slice(start, start + rows)))
                start += rows
            if far:
                self._summary(state, 0)
            held = self._held + max(0, n - start)
            for array, given in zip(self._buffer, new, strict=True):
                array[self._held : held] = given[start:]
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

    def _make_buffer(self, rows: int) -> None:
        codes = np.empty(rows, dtype=np.int64)
        self._buffer = _Points(np.empty((rows, self.d)), codes, np.empty(rows))

    def _flush(self) -> None:
        """Sum the points in the buffer, and make it larger where there are many labels."""
        if self._held:
            state = self._advanced(self._state, self._buffer.rows(slice(self._held)))
            self._state, self._held = state, 0
        if self._room() > len(self._buffer.points):
            self._make_buffer(self._room())

    def _sums(self, new: _Points) -> Moments:
        # Of the labels so far, most may have faded or left the window.
        codes, values = occurring(new.codes, list(self._labels.values))
        labels = Keyed(codes, values, self._labels.categories or (None,))
        return Moments.of(
            new.points,
            labels,
            None if (new.weights == 1.0).all() else new.weights,  # which takes less time
            features=self._none.features,
            missing="drop",
            spread_form=self._none.spread_form,
        )

    # What another kind of summary does in another way. A state is never changed, only replaced.

    def _room(self) -> int:
        return self._each * len(self._state)

    def _advanced(self, state: Any, new: _Points) -> Any:
        """The state after further points, which may be overwritten later."""
        if math.isinf(self._half_life):
            # In the order of rows, a snapshot need not bring it there.
            return state.merge(self._sums(new)).in_order()
        n = len(new.points)
        fading = np.exp2(-np.arange(n - 1, -1, -1) / self._half_life)
        old = state.discounted(float(np.exp2(-n / self._half_life)))
        total = old.merge(self._sums(new._replace(weights=fading * new.weights)))
        weights = total.sums.weights
        return total.taken(np.flatnonzero(weights >= _FAINT * weights.max(initial=0.0)))

    def _summary(self, state: Any, held: int) -> Moments:
        """The moments of a state and of the last ``held`` points of the buffer."""
        moments: Moments = state
        return moments


class _Block(NamedTuple):
    """Consecutive points of a window, and their sums."""

    held: _Points
    sums: Moments


class Sliding(Collector):
    """The summary of the latest ``window`` points, which are kept.

    They are kept in blocks of about a sixteenth of the window, the oldest first, each with its
    sums. Nothing is subtracted, so no digits are lost when points leave. A snapshot merges the sums
    of the blocks (once for each new block), and sums the points of the oldest block and of the
    buffer: at most an eighth of the window, or two buffers.
    """

    def __init__(self, d: int, rows: int, window: int, **options: Any) -> None:
        super().__init__(d, rows, **options)
        self._window = window
        self._state = ()
        self._whole: tuple[tuple[_Block, ...], Moments] = ((), self._none)

    def moments(self) -> Moments:
        return self._summary(self._state, self._held)

    def _room(self) -> int:
        kept = sum(len(block.held.points) for block in self._state)
        labels = max((len(block.sums) for block in self._state), default=0)
        return max(self._each * labels, min(kept, self._window) // _BLOCKS)

    def _advanced(self, state: Any, new: _Points) -> Any:
        latest = _Points._make(map(np.copy, new.rows(slice(-self._window, None))))
        if state and len(state[-1].held.points) + len(latest.points) <= len(self._buffer.points):
            both = zip(state[-1].held, latest, strict=True)
            latest = _Points._make(map(np.concatenate, both))
            state = state[:-1]
        return self._slid((*state, _Block(latest, self._sums(latest))), 0)[0]

    def _slid(self, blocks: tuple[_Block, ...], more: int) -> tuple[tuple[_Block, ...], int]:
        """The blocks that stay when ``more`` points come; how many of the oldest leave it."""
        gone = sum(len(block.held.points) for block in blocks) + more - self._window
        while blocks and gone >= len(blocks[0].held.points):
            gone -= len(blocks[0].held.points)
            blocks = blocks[1:]
        return blocks, max(gone, 0)

    def _summary(self, state: Any, held: int) -> Moments:
        latest = min(held, self._window)
        blocks, gone = self._slid(state, latest)
        whole = blocks[1:] if gone else blocks
        if list(map(id, whole)) != list(map(id, self._whole[0])):
            merged = Moments.merged([self._none, *(block.sums for block in whole)])
            self._whole = (whole, merged)
        total = self._whole[1]
        if gone:
            total = self._sums(blocks[0].held.rows(slice(gone, None))).merge(total)
        last = self._buffer.rows(slice(held - latest, held))
        return total.merge(self._sums(last)) if latest else total
