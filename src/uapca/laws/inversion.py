"""Densities from characteristic functions, as truncated Fourier series.

A law that lies within a box of side L has the density (1/L) Σ_k φ(2πk/L) exp(−2πikx/L) there. The
number of terms is doubled until what is left out is negligible. Where a density has kinks or jumps
its terms fall slowly; at the largest number of terms they are then tapered, which spreads an edge
over about 1/200 of the box instead of letting it ring.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import fft

from uapca._validation import Floats
from uapca.laws.atoms import Atoms
from uapca.laws.chirp import Comb, polynomial
from uapca.laws.levels import Block
from uapca.laws.sheets import Grid, Sheet
from uapca.laws.waves import Complexes, Frequencies, Listed, powers

__all__ = [
    "MovedSeries",
    "PlaneSeries",
    "Series",
    "Table",
    "line_table",
    "padded",
    "plane_modes",
    "plane_series",
    "summed",
    "taper",
    "tapered",
]

NEGLIGIBLE = 1e-7
#: Nodes along each axis at which a plane series is tabulated, if it has no more terms.
FINEST = 1200

Series = Callable[[float, float, tuple[int, int]], Complexes]


class Table:
    """A density on a line, linear between evenly spaced nodes and zero beyond them.

    `wrong` is the mass it may put where it does not belong.
    """

    def __init__(self, low: float, step: float, heights: Floats, wrong: float = 0.0) -> None:
        self.low, self.step, self.wrong = low, step, wrong
        self.heights = np.concatenate([[0.0], heights, [0.0]])
        self.slopes = np.append(np.diff(self.heights), 0.0)

    def __call__(self, x: Floats) -> Floats:
        last = len(self.heights) - 1
        place = np.clip((x - self.low) / self.step + 1, 0.0, last)
        cell = place.astype(np.intp)
        place -= cell
        place *= self.slopes[cell]
        place += self.heights[cell]
        return np.asarray(place)


def line_table(
    cf: Callable[[Frequencies], Complexes],
    discrete: Callable[[Frequencies], Complexes] | None,
    span: tuple[float, float],
    limit: int,
) -> Table:
    """Density of a centred law, by its deviation from the mean.

    Parameters
    ----------
    cf : callable
        Characteristic function of the deviation of the continuous part, on a set of frequencies.
    discrete : callable or None
        That of a discrete part. It never dies out, so the number of terms is not its matter.
    span : (float, float)
        Interval that holds the law.
    limit : int
        Largest number of terms, a power of two.
    """
    low, high = padded(span)
    length = high - low
    step = 2 * np.pi / length
    modes = 64
    while _rim(cf, step, modes) > NEGLIGIBLE and modes < limit:
        modes *= 2
    k = np.arange(modes + 1)
    terms = cf(Comb(step, modes))
    if discrete is not None:
        terms = terms * discrete(Comb(step, modes))
    if _rim(cf, step, modes) > NEGLIGIBLE:
        terms = terms * _taper(k / modes)
    points = max(8 * modes, 1 << 14)
    # exp(−i ω (low + j h)) = exp(−i ω low) exp(−2πi jk / points): a real inverse transform.
    coefficients = np.zeros(points // 2 + 1, dtype=np.complex128)
    coefficients[: modes + 1] = np.conj(terms) * np.exp(1j * step * low * k)
    values = np.maximum(fft.irfft(coefficients, n=points), 0.0)
    # The series holds 1; what it has below zero it has too much above.
    held = float(values.sum())
    values /= held * (length / points)
    return Table(low, length / points, np.append(values, values[0]), held - 1)


@dataclass(frozen=True, eq=False)
class PlaneSeries:
    """Density of a centred law of the plane, as a Fourier series.

    The series is in z = lower⁻¹ y, in which the law has unit covariance, so that thin oblique laws
    are resolved as well as round ones. As `lower` is triangular the sum over the lattice still
    splits into one along each axis, at any grid and without interpolation.

    Attributes
    ----------
    terms : ndarray of complex, shape (2K + 1, L + 1)
        The characteristic function of z at the frequencies of the box.
    lower : ndarray of shape (2, 2)
    boxes : ndarray of shape (2, 2)
        Interval of each coordinate of z.
    mass : float
        What the series holds where it is above zero: 1, and more where it had to be truncated.
        Below zero it is cut off, and by this it is divided.
    """

    terms: Complexes
    lower: Floats
    boxes: Floats
    mass: float

    @property
    def resolved(self) -> bool:
        """Whether what the series leaves out is negligible."""
        return self.mass == 1

    def density(self, grid: Grid) -> Floats:
        return _evaluated(self.terms, self.lower, self.boxes, grid) / self.mass

    def at(self, x: Floats, y: Floats) -> Floats:
        return self.sheet().at(x, y)

    def blocks(self) -> list[Block]:
        return self.sheet().blocks()

    def error(self) -> float:
        return self.mass - 1

    def sheet(self) -> Sheet:
        """The same between evenly spaced nodes, by one Fourier transform."""
        rows, columns = len(self.terms) // 2, self.terms.shape[1] - 1
        least = 2 * rows + 1, 2 * columns + 1
        size = [
            fft.next_fast_len(max(5 * count // 2, min(FINEST, 4 * count)), True) for count in least
        ]
        low, high = self.boxes.T
        steps = (high - low) / size
        k, m = np.arange(-rows, rows + 1), np.arange(columns + 1)
        turn = [
            np.exp(-2j * np.pi / (b - a) * a * n)
            for (a, b), n in zip(self.boxes, (k, m), strict=True)
        ]
        values = summed(np.conj(self.terms * np.outer(turn[0], turn[1])), (size[0], size[1]))
        values *= 1 / (np.prod(steps) * self.lower[0, 0] * self.lower[1, 1] * self.mass)
        nodes = [
            a + step * np.arange(count) for a, step, count in zip(low, steps, size, strict=True)
        ]
        values = np.maximum(values, 0.0)
        return Sheet((nodes[0], nodes[1]), values, np.linalg.inv(self.lower), self.error())


@dataclass(frozen=True, eq=False)
class MovedSeries:
    """Copies of a plane series, one at every atom of an independent discrete part."""

    series: PlaneSeries
    atoms: Atoms

    def density(self, grid: Grid) -> Floats:
        x, y, shear = grid
        total = np.zeros((len(x), len(y)))
        # The box of z is a parallelogram of the plane: its corners bound it.
        series = self.series
        corners = [series.lower @ [u, v] for u in series.boxes[0] for v in series.boxes[1]]
        low, high = np.min(corners, axis=0), np.max(corners, axis=0)
        for place, mass in zip(self.atoms.places, self.atoms.mass, strict=True):
            rows = np.flatnonzero((x >= place[0] + low[0]) & (x <= place[0] + high[0]))
            if not rows.size:
                continue
            bottom, top = low[1] - shear[rows].max(), high[1] - shear[rows].min()
            columns = np.flatnonzero((y >= place[1] + bottom) & (y <= place[1] + top))
            if columns.size:
                part = x[rows] - place[0], y[columns] - place[1], shear[rows]
                total[np.ix_(rows, columns)] += mass * series.density(part)
        return total

    def at(self, x: Floats, y: Floats) -> Floats:
        sheet = self.series.sheet()
        order = np.argsort(x, kind="stable")
        x, y = x[order], y[order]
        # Along x a copy reaches as far as the box of the first coordinate of z.
        low, high = self.series.boxes[0] * self.series.lower[0, 0]
        total = np.zeros(len(x))
        for place, mass in zip(self.atoms.places, self.atoms.mass, strict=True):
            near = slice(*np.searchsorted(x, place[0] + [low, high]))
            total[near] += mass * sheet.at(x[near] - place[0], y[near] - place[1])
        result = np.empty(len(x))
        result[order] = total
        return result

    def blocks(self) -> list[Block]:
        count = int(FINEST / np.sqrt(len(self.atoms.mass)))
        block = self.series.sheet().thinned(count).blocks()[0]
        places = (self.atoms.places[:, None, :] + block.places).reshape(-1, 2)
        mass = np.outer(self.atoms.mass, block.mass).ravel()
        return [Block(places, self.at(places[:, 0], places[:, 1]), mass)]

    def error(self) -> float:
        return self.series.error()


def plane_series(
    series: Series, continuous: Series, lower: Floats, spans: Floats, limit: int
) -> PlaneSeries:
    """The series of a centred law of the plane.

    Parameters
    ----------
    series : callable
        ``series(step1, step2, (K, L))`` returns the characteristic function of z at the
        frequencies (step1 · k, step2 · l), k = −K … K, l = 0 … L.
    continuous : callable
        The same of the continuous part, which decides how many terms there are.
    lower : ndarray of shape (2, 2)
    spans : ndarray of shape (2, 2)
        Interval of each coordinate of z that holds the law.
    limit : int
        Largest K and L, a multiple of 8.
    """
    boxes = np.array([padded(span) for span in spans])
    steps = 2 * np.pi / (boxes[:, 1] - boxes[:, 0])
    modes, resolved = plane_modes(continuous, steps, limit)
    terms = series(steps[0], steps[1], (modes, modes))
    if resolved:
        return PlaneSeries(terms, lower, boxes, 1.0)
    terms = tapered(terms)
    return PlaneSeries(terms, lower, boxes, _clipped_mass(terms))


def tapered(terms: Complexes) -> Complexes:
    """Terms (2K + 1, L + 1) that fall to zero towards the rim."""
    result = np.array(terms)
    taper(result)
    return result


def taper(terms: Complexes) -> None:
    """The same in place."""
    first, second = len(terms) // 2, terms.shape[1] - 1
    k = np.abs(np.arange(-first, first + 1)) / first
    terms *= _taper(k)[:, None]
    terms *= _taper(np.arange(second + 1) / second)


def _evaluated(terms: Complexes, lower: Floats, boxes: Floats, grid: Grid) -> Floats:
    """The sum of a plane series with these terms (2K + 1, L + 1) over `boxes` of z."""
    x, y, shear = grid
    (low1, high1), (low2, high2) = boxes
    step1, step2 = 2 * np.pi / (high1 - low1), 2 * np.pi / (high2 - low2)
    first, second = len(terms) // 2, terms.shape[1] - 1
    z1 = x / lower[0, 0]
    z2 = y / lower[1, 1]
    offset = (shear - lower[1, 0] * z1) / lower[1, 1]
    # Over k = −K … K along the first axis, then l = 0 … L; the other half is conjugate.
    rows = polynomial(terms.T, -step1 * z1).T
    rows *= np.exp(1j * (step1 * first) * z1)[:, None]
    rows *= powers(-step2 * offset, second)
    rows[:, 1:] *= 2
    total = polynomial(rows, -step2 * z2).real
    height = np.add.outer(offset, z2)
    inside = ((z1 >= low1) & (z1 <= high1))[:, None] & (height >= low2) & (height <= high2)
    area = (high1 - low1) * (high2 - low2) * lower[0, 0] * lower[1, 1]
    return np.where(inside, np.maximum(total, 0.0) / area, 0.0)


def padded(span: tuple[float, float] | Floats) -> tuple[float, float]:
    """An interval widened by 2 % on each side."""
    low, high = float(span[0]), float(span[1])
    margin = 0.02 * (high - low)
    return low - margin, high + margin


def plane_modes(series: Series, steps: Floats, limit: int) -> tuple[int, bool]:
    """Number of terms beyond which φ is negligible, and whether it is within the limit."""
    # Every eighth frequency is enough to see how far |φ| stays large.
    reach = limit // 8
    coarse = np.abs(series(8 * steps[0], 8 * steps[1], (reach, reach)))
    ring = np.maximum.outer(np.abs(np.arange(-reach, reach + 1)), np.arange(reach + 1))
    furthest = int(ring[coarse > NEGLIGIBLE].max())
    return (limit, False) if furthest >= reach else (8 * (furthest + 1), True)


def _clipped_mass(terms: Complexes) -> float:
    """The mass of the series where it is above zero, over its whole box."""
    first, second = len(terms) // 2, terms.shape[1] - 1
    size = fft.next_fast_len(2 * first + 1), fft.next_fast_len(2 * second + 1, True)
    # Where the box begins does not matter to the sum over it.
    values = summed(terms, size)
    return float(np.sum(values, where=values > 0))


def summed(terms: Complexes, size: tuple[int, int]) -> Floats:
    """Inverse transform of terms (2K + 1, L + 1) and their conjugates, of this size.

    At least (K + 1, 2L + 1).
    """
    first, second = len(terms) // 2, terms.shape[1] - 1
    half = np.zeros((size[0], size[1] // 2 + 1), dtype=np.complex128)
    half[: first + 1, : second + 1] = terms[first:]
    half[-first:, : second + 1] += terms[:first]
    return np.asarray(fft.irfft2(half, s=size, overwrite_x=True))


def _rim(cf: Callable[[Frequencies], Complexes], step: float, modes: int) -> float:
    """Largest |φ| over the upper half of the frequencies, thinned."""
    k = np.linspace(modes / 2, modes, 48)
    return float(np.max(np.abs(cf(Listed(step * k)))))


def _taper(share: Floats) -> Floats:
    with np.errstate(under="ignore"):
        return np.asarray(np.exp(-36.0 * share**8))
