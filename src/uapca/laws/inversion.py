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
from uapca.laws.chirp import Comb, polynomial
from uapca.laws.waves import Complexes, Frequencies, Listed, powers

__all__ = [
    "PlaneSeries",
    "Series",
    "Table",
    "evaluated",
    "line_table",
    "padded",
    "plane_series",
    "tapered",
]

NEGLIGIBLE = 1e-7

Series = Callable[[float, float, tuple[int, int]], Complexes]


class Table:
    """A density on a line, linear between evenly spaced nodes and zero beyond them."""

    def __init__(self, low: float, step: float, heights: Floats) -> None:
        self.low, self.step = low, step
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
    values /= values.sum() * (length / points)
    return Table(low, length / points, np.append(values, values[0]))


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

    def density(self, mean: Floats, grid: tuple[Floats, Floats, Floats]) -> Floats:
        """Density at the points (x[i], y[j] + shear[i]) of the law moved to this mean."""
        return evaluated(self.terms, mean, self.lower, self.boxes, grid) / self.mass


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
    modes, resolved = _plane_modes(continuous, steps, limit)
    terms = series(steps[0], steps[1], (modes, modes))
    if resolved:
        return PlaneSeries(terms, lower, boxes, 1.0)
    terms = tapered(terms)
    return PlaneSeries(terms, lower, boxes, _clipped_mass(terms))


def tapered(terms: Complexes) -> Complexes:
    """Terms (2K + 1, L + 1) that fall to zero towards the rim."""
    first, second = len(terms) // 2, terms.shape[1] - 1
    k = np.abs(np.arange(-first, first + 1)) / first
    return terms * np.outer(_taper(k), _taper(np.arange(second + 1) / second))


def evaluated(
    terms: Complexes,
    mean: Floats,
    lower: Floats,
    boxes: Floats,
    grid: tuple[Floats, Floats, Floats],
) -> Floats:
    """The sum of a plane series with these terms (2K + 1, L + 1) over `boxes` of z."""
    x, y, shear = grid
    (low1, high1), (low2, high2) = boxes
    step1, step2 = 2 * np.pi / (high1 - low1), 2 * np.pi / (high2 - low2)
    first, second = len(terms) // 2, terms.shape[1] - 1
    z1 = (x - mean[0]) / lower[0, 0]
    z2 = (y - mean[1]) / lower[1, 1]
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


def _plane_modes(series: Series, steps: Floats, limit: int) -> tuple[int, bool]:
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
    half = np.zeros((size[0], size[1] // 2 + 1), dtype=np.complex128)
    half[: first + 1, : second + 1] = terms[first:]
    half[-first:, : second + 1] = terms[:first]
    values = fft.irfft2(half, s=size, overwrite_x=True)
    return float(np.sum(values, where=values > 0))


def _rim(cf: Callable[[Frequencies], Complexes], step: float, modes: int) -> float:
    """Largest |φ| over the upper half of the frequencies, thinned."""
    k = np.linspace(modes / 2, modes, 48)
    return float(np.max(np.abs(cf(Listed(step * k)))))


def _taper(share: Floats) -> Floats:
    with np.errstate(under="ignore"):
        return np.asarray(np.exp(-36.0 * share**8))
