"""The density of a sum of SciPy's variables on a grid, by a Fourier series of what can be seen.

A single deviation that leads out of a window around the grid is out of sight unless others bring
it back, which takes two rare events at once. Cut off at the window, heavy tails need no larger box
than light ones. What is left of a marginal is a histogram of equal cells, whose characteristic
function is one FFT. Whether poles and edges are resolved is measured, by leaving out the upper half
of the frequencies; where they are not, the density is found in the way that suits any grid.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import fft

from uapca._validation import Floats
from uapca.laws.inversion import (
    PlaneSeries,
    Series,
    padded,
    plane_modes,
    summed,
    taper,
    tapered,
)
from uapca.laws.levels import Block
from uapca.laws.lines import product, span_of
from uapca.laws.marginal import Marginal
from uapca.laws.sheets import Grid, Way
from uapca.laws.variable import Variable
from uapca.laws.waves import Complexes, Frequencies, Lattice, cubics, interpolated

__all__ = ["Windowed"]

#: Standard deviations that a window holds on each side of the mean, whatever the grid, and those
#: by which it is wider than that and the grid.
CORE, MARGIN = 4.0, 2.0
#: Windows longer than this are cut where the law ends for practical purposes.
LONG = 16.0
#: Room beyond the end of a law, in standard deviations.
EDGE = 0.25
#: Largest number of terms along each axis: on usual grids, and on those that show more.
TERMS, MOST_TERMS = 160, 640
#: Cells of a histogram for each of them, and how many times finer than the reciprocal of its
#: length its frequencies are tabulated.
CELLS, FINER = 10, 8
#: Halvings of the outermost cells of a histogram.
HALVINGS = 12
#: Share of the probability on the grid that the upper half of the frequencies may move between
#: parts of the grid, of which there are so many along each axis. About a quarter of it is what the
#: frequencies move that are left out. The second number is for what is finer than the grid.
UNRESOLVED, UNSEEN = 8e-3, 0.1
PARTS = 32
#: Frequencies that are looked up at a time.
BLOCK = 1 << 13


@dataclass(frozen=True, eq=False)
class Windowed:
    """The law of Σ column · marginal, about its mean.

    Attributes
    ----------
    columns : ndarray of shape (2, n)
    marginals : n marginals
    lower : ndarray of shape (2, 2)
        Cholesky factor of the covariance.
    otherwise : callable
        Makes the way that is taken where no window is asked for or none is resolved.
    """

    columns: Floats
    marginals: Sequence[Marginal]
    lower: Floats
    otherwise: Callable[[], Way]

    @cached_property
    def way(self) -> Way:
        """Whatever the grid."""
        return self.otherwise()

    def density(self, grid: Grid) -> Floats:
        if not (grid[0].size and grid[1].size):
            return np.zeros((len(grid[0]), len(grid[1])))
        series = self._series(grid)
        return self.way.density(grid) if series is None else series.density(grid)

    def at(self, x: Floats, y: Floats) -> Floats:
        return self.way.at(x, y)

    def blocks(self) -> list[Block]:
        return self.way.blocks()

    def error(self) -> float:
        return self.way.error()

    def _series(self, grid: Grid) -> PlaneSeries | None:
        """The series on a window around the grid; None where it does not resolve the density."""
        white = np.linalg.solve(self.lower, self.columns)
        seen = _seen(grid, self.lower)
        boxes = self._window(white, seen)
        if not self._holds_atoms(white, boxes):
            return None
        # Waves of two steps of the grid are the shortest that it can show.
        shown = _ratio(boxes, seen) * [len(grid[0]) / 2, len(grid[1]) / 2]
        limit = 8 * int(np.ceil(np.clip(np.max(shown), TERMS, MOST_TERMS) / 8))
        steps = 2 * np.pi / (boxes[:, 1] - boxes[:, 0])
        cf = self._cf(white, boxes, limit)
        modes, resolved = plane_modes(cf, steps, limit)
        terms = cf(steps[0], steps[1], (modes, modes))
        if resolved:
            return PlaneSeries(terms, self.lower, boxes, 1.0)
        held = float(terms[modes, 0].real)
        taper(terms)
        moved, above = _moved(terms, boxes, seen)
        if moved > UNRESOLVED and not (modes >= np.max(shown) and moved < UNSEEN and self._rough):
            return None
        return PlaneSeries(terms, self.lower, boxes, above / held)

    @property
    def _rough(self) -> bool:
        """Whether tails or poles leave no other way that is as fast."""
        return any(isinstance(m, Variable) and m.roughness == 2 for m in self.marginals)

    def _cf(self, white: Floats, boxes: Floats, limit: int) -> Series:
        """The characteristic function of what stays within the boxes, on lattices."""
        tops = 2 * np.pi * limit * ((1 / (boxes[:, 1] - boxes[:, 0])) @ np.abs(white))
        laws = [
            Histogram(marginal, _within(boxes, column), CELLS * limit, top)
            if isinstance(marginal, Variable) and not marginal.discrete
            else marginal
            for column, marginal, top in zip(white.T, self.marginals, tops.tolist(), strict=True)
        ]

        def on_lattice(step1: float, step2: float, modes: tuple[int, int]) -> Complexes:
            terms = np.empty((2 * modes[0] + 1, modes[1] + 1), dtype=np.complex128)
            # A few rows at a time, in memory that stays in the cache.
            count = max(1, BLOCK // (modes[1] + 1))
            for start in range(0, len(terms), count):
                rows = slice(start, start + count)
                terms[rows] = product(
                    [
                        law.centred_cf(Lattice(step1 * first, step2 * second, modes, rows))
                        for (first, second), law in zip(white.T, laws, strict=True)
                    ]
                )
            return terms

        return on_lattice

    def _holds_atoms(self, white: Floats, boxes: Floats) -> bool:
        """Whether no discrete part leads out of the boxes."""
        for column, marginal in zip(white.T, self.marginals, strict=True):
            if marginal.discrete:
                low, high = _within(boxes, column)
                places = marginal.atoms()[0]
                if places.min() < low or places.max() > high:
                    return False
        return True

    def _window(self, white: Floats, seen: Floats) -> Floats:
        """Interval of each coordinate of z = lower⁻¹ y."""
        low = np.minimum(seen[:, 0], -CORE) - MARGIN
        high = np.maximum(seen[:, 1], CORE) + MARGIN
        boxes = []
        for row, a, b in zip(white, low.tolist(), high.tolist(), strict=True):
            factors = [float(factor) for factor in row if factor]
            parts = [m for m, factor in zip(self.marginals, row, strict=True) if factor]
            if b - a > LONG:
                ends = padded(span_of(parts, factors, 1.0, 1e-6))
            else:
                pairs = [np.sort(f * _ends(part)) for f, part in zip(factors, parts, strict=True)]
                ends = np.sum(pairs, axis=0) + [-EDGE, EDGE]
            boxes.append([max(a, ends[0]), min(b, ends[1])])
        return np.array(boxes)


def _seen(grid: Grid, lower: Floats) -> Floats:
    """Interval of each coordinate of z that the grid takes up, shape (2, 2)."""
    x, y, shear = grid
    first = x / lower[0, 0]
    offset = (shear - lower[1, 0] * first) / lower[1, 1]
    second = np.array([y.min(), y.max()]) / lower[1, 1] + [offset.min(), offset.max()]
    return np.array([[first.min(), first.max()], second])


def _ends(marginal: Marginal) -> Floats:
    """Deviations from the mean between which a marginal lies, finite or not."""
    if isinstance(marginal, Variable) and not marginal.discrete:
        return marginal.ends
    return np.array(marginal.reach(1e-9))


def _ratio(boxes: Floats, seen: Floats) -> Floats:
    """How many times longer a box is than what is seen."""
    length = boxes[:, 1] - boxes[:, 0]
    return np.asarray(length / np.maximum(seen[:, 1] - seen[:, 0], 1e-9 * length))


def _within(boxes: Floats, column: Floats) -> tuple[float, float]:
    """The deviations with which a part that moves z along `column` stays within the boxes."""
    used = column != 0
    ends = np.sort(boxes[used] / column[used, None], axis=1)
    return float(np.max(ends[:, 0])), float(np.min(ends[:, 1]))


class Histogram:
    """A marginal between two deviations, by equal cells that hold exact probabilities.

    Its characteristic function is tabulated up to the frequency `top`.
    """

    def __init__(
        self, marginal: Variable, span: tuple[float, float], count: int, top: float
    ) -> None:
        low, high = marginal.ends.clip(*span).tolist()
        cell = (high - low) / count
        mass = _masses(marginal, low, cell, count)
        size = fft.next_fast_len(FINER * count, True)
        self.step = 2 * np.pi / (size * cell)
        k = np.arange(min(int(top / self.step) + 4, size // 2 + 1))
        waves = fft.rfft(mass, size)[: len(k)].conj()
        self.cubics = cubics(waves * np.exp((1j * self.step * (low - cell / 2)) * k))

    def centred_cf(self, frequencies: Frequencies) -> Complexes:
        """At frequencies up to `top`."""
        place = np.abs(frequencies.t)
        place *= 1 / self.step
        result = interpolated(self.cubics, place)
        np.negative(result.imag, where=frequencies.t < 0, out=result.imag)
        return result


def _masses(marginal: Variable, low: float, cell: float, count: int) -> Floats:
    """Masses at the middles of cells of deviations from `low` on, and of one more at each end.

    Beside a pole the first cell's mass lies near its end: it is shared with the cell before, so
    that the mean is right.
    """
    places = low + cell * np.arange(count + 1.0)
    shares = 0.5 ** np.arange(1.0, HALVINGS + 1)
    first, last = places[0] + cell * shares, places[-1] - cell * shares
    held = marginal.probabilities(np.concatenate([places, first, last]))
    held, first, last = np.split(held, [count + 1, count + 1 + HALVINGS])
    mass = np.concatenate([[0.0], np.diff(held), [0.0]])
    middles = 1.5 * shares
    for end, other, probability in (
        (0, 1, first - held[0]),
        (-1, -2, held[-1] - last),
    ):
        # Outside the halvings: the outermost half as a whole, and what is too near to halve.
        parts = -np.diff(probability, prepend=mass[other])
        centre = float(parts @ middles)
        mass[end] = np.clip(0.5 * mass[other] - centre, 0.0, mass[other])
        mass[other] -= mass[end]
    return mass


def _moved(terms: Complexes, boxes: Floats, seen: Floats) -> tuple[float, float]:
    """What the upper half of the frequencies moves, and what the series holds above zero.

    Moved between parts of what is seen, and relative to the probability there.
    """
    inside = np.clip(seen, boxes[:, :1], boxes[:, 1:])
    length = inside[:, 1] - inside[:, 0]
    rows, columns = len(terms) // 2, terms.shape[1] - 1
    # Every other node along the first axis is enough.
    size = fft.next_fast_len(rows + 1), fft.next_fast_len(2 * columns + 1, True)
    steps = (boxes[:, 1] - boxes[:, 0]) / size
    half = slice(rows - rows // 2, rows + rows // 2 + 1), slice(0, columns // 2 + 1)
    values = summed(terms, size)
    above = float(np.sum(values, where=values > 0))
    # In place and back again, as fresh memory takes long to get.
    lower = terms[half].copy()
    terms[half] -= tapered(lower)
    parts = summed(terms, size)
    terms[half] = lower
    for axis, (ends, step) in enumerate(zip(inside, steps, strict=True)):
        nodes = np.arange(np.ceil(ends[0] / step), np.floor(ends[1] / step) + 1, dtype=int)
        # A density's waves run against those of the transform.
        values = values.take(-nodes, axis, mode="wrap")
        width = max(int(length[axis] / (PARTS * step)), 1)
        parts = parts.take(-nodes[: len(nodes) // width * width], axis, mode="wrap")
        parts = np.add.reduceat(parts, np.arange(0, parts.shape[axis], width), axis)
    held = float(values.sum())
    return float(np.abs(parts).sum()) / held if held > 0 else np.inf, above
