"""Sums of independent marginals on a line: closed forms first, a Fourier series otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import hypot, sqrt

import numpy as np

from uapca._validation import Floats
from uapca.laws.atoms import Atoms, atoms_of
from uapca.laws.inversion import Table, line_table
from uapca.laws.ladders import Ladder, Slopes, ladder_of, ladder_sum, whole
from uapca.laws.levels import Block, line_block, line_cells, quantile_block
from uapca.laws.marginal import Gaussian, Marginal
from uapca.laws.trapezoid import Knotted, Trapezoid
from uapca.laws.variable import Variable
from uapca.laws.waves import Complexes, Frequencies

__all__ = ["FAINT", "LineSum", "product", "span_of"]

#: Contributions below this share of the standard deviation are left out.
FAINT = 1e-9
#: Largest number of terms of a series on a line.
MOST_TERMS = 1 << 15
#: Beyond this number of atoms a discrete part is taken into the series.
MOST_ATOMS = 512
#: From this number on, copies are taken from a table.
MANY = 64

Parts = Sequence[tuple[float, Marginal]]


class LineSum:
    """The law of the deviation of Σ factor · marginal from its mean."""

    def __init__(self, parts: Parts) -> None:
        self.terms = _simplified([(f, m) for f, m in parts if not m.discrete])
        discrete = [(f, m) for f, m in parts if m.discrete and f != 0 and not m.certain]
        self.jumps = [m.affine(f) for f, m in discrete]

    @property
    def alone(self) -> Marginal | None:
        """The one marginal there is, apart from certain values; None where there are more."""
        return self.terms[0] if len(self.terms) == 1 and not self.jumps else None

    def density(self, x: Floats) -> Floats:
        """Density at the deviations `x`."""
        atoms = self._atoms
        if atoms is None:
            return self._series(x)
        if len(atoms.mass) == 1:
            return self._continuous(x)
        # Copies of the continuous part, each only where it reaches.
        order = np.argsort(x, kind="stable")
        rising = x[order]
        low, high = self._span(self.terms, 1e-9)
        places = atoms.places[:, 0]
        starts = np.searchsorted(rising, places + low)
        stops = np.searchsorted(rising, places + high, side="right")
        total = np.zeros(len(x))
        continuous = self._continuous if len(places) < MANY else self._quickly
        for place, mass, i, j in zip(places, atoms.mass, starts, stops, strict=True):
            if j > i:
                total[i:j] += mass * continuous(rising[i:j] - place)
        result = np.empty(len(x))
        result[order] = total
        return result

    def quick(self, x: Floats) -> Floats:
        """Density at `x`, from a table where SciPy's own would take long."""
        return self.density(x) if self.jumps else self._quickly(x)

    def span(self) -> tuple[float, float]:
        """Deviations from the mean that hold practically all mass."""
        return self._span([*self.terms, *self.jumps], 1e-6)

    @cached_property
    def ladder(self) -> Ladder:
        """Probabilities of the deviations."""
        if self.alone is not None:
            return ladder_of(self.alone)
        if self._hard and not self.jumps:
            return self._hard_ladder
        edges, values = line_cells(self.quick, 0.0, self.span())
        return Ladder(edges, whole(np.concatenate([[0.0], np.cumsum(values * np.diff(edges))])))

    def error(self) -> float:
        """Mass that the density puts where it does not belong, as far as can be told."""
        if self._atoms is None:
            return self._series.wrong
        return 0.0 if len(self.terms) == 1 else self._table.wrong

    def block(self) -> Block:
        """Points that carry the mass."""
        if self.alone is not None:
            return quantile_block(self.alone.ppf, self.alone.pdf, -self.alone.mean)
        if self._hard and not self.jumps:
            slopes = Slopes(self._hard_ladder)
            return Block(slopes.middles[:, None], slopes.values, np.diff(self._hard_ladder.held))
        return line_block(self.density, 0.0, self.span())

    @property
    def _hard(self) -> bool:
        """Whether tails or poles of SciPy's variables are beyond a series."""
        return any(isinstance(term, Variable) and term.sharp for term in self.terms)

    @cached_property
    def _hard_ladder(self) -> Ladder:
        return ladder_sum([ladder_of(term) for term in self.terms])

    def _span(self, terms: list[Marginal], tail: float) -> tuple[float, float]:
        std = sqrt(sum(term.var for term in terms))
        return span_of(terms, [1.0] * len(terms), std, tail)

    def _continuous(self, x: Floats) -> Floats:
        if len(self.terms) == 1:
            return self.terms[0].deviation_pdf(x)
        return self._table(x)

    def _quickly(self, x: Floats) -> Floats:
        tabulate = len(self.terms) == 1 and isinstance(self.terms[0], Variable)
        return self._masses(x) if tabulate else self._continuous(x)

    @cached_property
    def _atoms(self) -> Atoms | None:
        return atoms_of(np.ones((1, len(self.jumps))), self.jumps, MOST_ATOMS)

    @cached_property
    def _table(self) -> Table | Slopes:
        return Slopes(self._hard_ladder) if self._hard else self._tabulated([])

    @cached_property
    def _series(self) -> Table:
        return self._tabulated(self.jumps)

    def _tabulated(self, jumps: list[Marginal]) -> Table:
        def cf(frequencies: Frequencies) -> Complexes:
            return product([term.centred_cf(frequencies) for term in self.terms])

        def discrete(frequencies: Frequencies) -> Complexes:
            return product([term.centred_cf(frequencies) for term in jumps])

        span = self._span([*self.terms, *jumps], 1e-7)
        return line_table(cf, discrete if jumps else None, span, MOST_TERMS)

    @cached_property
    def _masses(self) -> Table:
        """Exact probabilities of equal cells, for a single SciPy variable."""
        term = self.terms[0]
        low, high = term.reach(1e-7)
        edges = np.linspace(low, high, (1 << 14) + 1)
        mass = np.diff(term.cdf(term.mean + edges))
        step = edges[1] - edges[0]
        heights = np.concatenate([[0.0], mass / (mass.sum() * step), [0.0]])
        return Table(low - step / 2, step, heights)


def span_of(
    terms: Sequence[Marginal], factors: Sequence[float], std: float, tail: float
) -> tuple[float, float]:
    """Deviations of Σ factor · term that hold all but about `tail` on each side."""
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


def product(factors: list[Complexes]) -> Complexes:
    """The product of characteristic functions, in the memory of the first."""
    result = factors[0]
    with np.errstate(under="ignore"):
        for factor in factors[1:]:
            result *= factor
    return result


def _simplified(parts: Parts) -> list[Marginal]:
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
