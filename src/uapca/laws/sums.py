"""The density of A x + b for independent x: closed forms first, Fourier series otherwise.

Marginals that act along the same direction of the plane are summed on that line. Two directions
leave a product of two line densities, whose jumps a series could not follow; three or more make
the density continuous.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, sqrt

import numpy as np

from uapca._validation import Floats
from uapca.laws.inversion import line_density, plane_density
from uapca.laws.marginal import Gaussian, Marginal
from uapca.laws.trapezoid import Knotted, Trapezoid
from uapca.laws.waves import Complexes, Frequencies, Lattice

__all__ = ["PlaneSum", "has_density", "line_sum_density", "line_sum_span"]

#: Whitened directions closer than this angle are one direction.
PARALLEL = 1e-9
#: Contributions below this share of the standard deviation are left out.
FAINT = 1e-9
#: Largest number of terms of a series on a line, and of one in the plane along each axis.
MOST_LINE_TERMS = 1 << 15
MOST_TERMS = 160


def line_sum_density(parts: Sequence[tuple[float, Marginal]], mean: float, x: Floats) -> Floats:
    """Density at `x` of the sum of ``factor * marginal``, shifted to have this mean."""
    terms = _simplified(parts)
    deviation = x - mean
    if len(terms) == 1:
        return terms[0].pdf(terms[0].mean + deviation)
    low, high = _span(terms, [1.0] * len(terms), sqrt(sum(term.var for term in terms)), 1e-7)

    def cf(frequencies: Frequencies) -> Complexes:
        return _product([term.centred_cf(frequencies) for term in terms])

    return line_density(cf, (low, high), MOST_LINE_TERMS, deviation)


def line_sum_span(parts: Sequence[tuple[float, Marginal]]) -> tuple[float, float]:
    """Deviations from the mean that hold practically all mass of the sum."""
    terms = _simplified(parts)
    return _span(terms, [1.0] * len(terms), sqrt(sum(term.var for term in terms)), 1e-6)


def has_density(columns: Floats, marginals: Sequence[Marginal]) -> bool:
    """Whether the continuous marginals alone spread over all q dimensions of `columns` (q, D)."""
    spread = np.array([0.0 if m.discrete or m.certain else m.std for m in marginals])
    values = np.linalg.svd(columns * spread, compute_uv=False)
    total = np.linalg.norm(columns * [m.std for m in marginals], 2)
    return len(values) >= len(columns) and bool(values[len(columns) - 1] > 1e-9 * total)


class PlaneSum:
    """The law of A x in the plane, whitened by the Cholesky factor of its covariance."""

    def __init__(self, A: Floats, marginals: Sequence[Marginal], cov: Floats) -> None:
        self.lower = np.linalg.cholesky(cov)
        white = np.linalg.solve(self.lower, A)
        self.columns, self.marginals = _pooled(white, marginals)
        self.groups = _directions(self.columns, self.marginals)

    def spans(self) -> Floats:
        """Interval of each whitened coordinate that holds practically all mass."""
        return np.array([_span(self.marginals, list(row), 1.0, 1e-5) for row in self.columns])

    def density(self, mean: Floats, x: Floats, y: Floats, shear: Floats) -> Floats:
        """Density at the points (x[i], y[j] + shear[i])."""
        if len(self.groups) == 2:
            return self._product_density(mean, x, y, shear)
        grid = (x, y, shear)
        return plane_density(self._series, mean, self.lower, self.spans(), MOST_TERMS, grid)

    def _series(self, step1: float, step2: float, modes: tuple[int, int]) -> Complexes:
        return _product(
            [
                marginal.centred_cf(Lattice(step1 * first, step2 * second, modes))
                for (first, second), marginal in zip(self.columns.T, self.marginals, strict=True)
            ]
        )

    def _product_density(self, mean: Floats, x: Floats, y: Floats, shear: Floats) -> Floats:
        """Two directions: a linear change of variables to two independent sums."""
        basis = np.stack([direction for direction, _ in self.groups], axis=1)
        frame = self.lower @ basis
        inverse = np.linalg.inv(frame)
        height = np.add.outer(shear, y) - mean[1]
        width = (x - mean[0])[:, None]
        result = np.full(height.shape, abs(np.linalg.det(inverse)))
        for row, (_, parts) in zip(inverse, self.groups, strict=True):
            coordinate = row[0] * width + row[1] * height
            result *= line_sum_density(parts, 0.0, coordinate.ravel()).reshape(height.shape)
        return result


def _simplified(parts: Sequence[tuple[float, Marginal]]) -> list[Marginal]:
    """The sum as few marginals: certain and faint ones dropped, normal ones pooled."""
    scaled = [(f * m.std, f, m) for f, m in parts if f != 0 and not m.certain]
    top = max((abs(size) for size, _, _ in scaled), default=0.0)
    terms = [m.affine(f) for size, f, m in scaled if abs(size) > FAINT * top]
    normal = [term for term in terms if isinstance(term, Gaussian)]
    others = [term for term in terms if not isinstance(term, Gaussian)]
    if normal:
        others.append(Gaussian(0.0, hypot(*(term.std for term in normal))))
    if len(others) == 2:
        first, second = map(_uniform_width, others)
        if first and second:
            return [_sum_of_uniforms(first, second)]
    return others


def _uniform_width(term: Marginal) -> float | None:
    """The width of a uniform law, whatever class it came as."""
    if not isinstance(term, Knotted):
        return None
    a, b, c, d = term.knots
    return d - a if a == b and c == d else None


def _sum_of_uniforms(first: float, second: float) -> Trapezoid:
    outer, inner = (first + second) / 2, abs(first - second) / 2
    return Trapezoid(-outer, -inner, inner, outer)


def _pooled(white: Floats, marginals: Sequence[Marginal]) -> tuple[Floats, list[Marginal]]:
    """Whitened columns that matter, with certain and faint marginals dropped."""
    size = np.linalg.norm(white, axis=0) * [m.std for m in marginals]
    keep = [j for j, m in enumerate(marginals) if not m.certain and size[j] > FAINT * size.max()]
    return white[:, keep], [marginals[j] for j in keep]


def _directions(
    columns: Floats, marginals: Sequence[Marginal]
) -> list[tuple[Floats, list[tuple[float, Marginal]]]]:
    """Marginals by direction: (unit vector, [(signed length of the column, marginal)])."""
    groups: list[tuple[Floats, list[tuple[float, Marginal]]]] = []
    for column, marginal in zip(columns.T, marginals, strict=True):
        length = float(np.linalg.norm(column))
        unit = column / length
        for direction, parts in groups:
            if abs(direction[0] * unit[1] - direction[1] * unit[0]) < PARALLEL:
                parts.append((length * float(np.sign(direction @ unit)), marginal))
                break
        else:
            groups.append((unit, [(length, marginal)]))
    return groups


def _span(
    terms: Sequence[Marginal], factors: Sequence[float], std: float, tail: float
) -> tuple[float, float]:
    low = high = spread = 0.0
    for factor, term in zip(factors, terms, strict=True):
        if isinstance(term, Gaussian):
            spread = hypot(spread, factor * term.std)
            continue
        ends = sorted(factor * end for end in term.reach(tail))
        low, high = low + ends[0], high + ends[1]
    low, high = low - 6 * spread, high + 6 * spread
    # Many bounded terms reach far beyond where their sum has any mass.
    if all(term.light for term in terms):
        low, high = max(low, -9 * std), min(high, 9 * std)
    return low, high


def _product(factors: list[Complexes]) -> Complexes:
    result = factors[0]
    with np.errstate(under="ignore"):
        for factor in factors[1:]:
            result *= factor
    return result
