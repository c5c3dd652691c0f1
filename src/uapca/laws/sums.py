"""The density in the plane of A x + b for independent x.

Two directions leave a product of two line densities, a linear change of variables away. A discrete
marginal makes a mixture of shifted copies of it, and so does a third direction that is cut into
strata. Where three or more directions are all wide the density is smooth enough for a Fourier
series, unless SciPy's variables bring heavy tails, poles or edges. On a grid these are cut off or
averaged as far as the grid cannot show them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod, sqrt

import numpy as np

from uapca._validation import Floats
from uapca.laws.atoms import Atoms, atoms_of
from uapca.laws.copies import Copies
from uapca.laws.frames import Frame, best_frame
from uapca.laws.inversion import MovedSeries, PlaneSeries, plane_series
from uapca.laws.lines import FAINT, LineSum, product, span_of
from uapca.laws.marginal import Marginal
from uapca.laws.sheets import Sheet, Way
from uapca.laws.strata import stratified
from uapca.laws.trapezoid import Uniform
from uapca.laws.variable import Variable
from uapca.laws.waves import Complexes, Lattice
from uapca.laws.windows import Windowed

__all__ = ["PlaneSum", "has_density"]

#: Largest number of terms of a series along each axis.
MOST_TERMS = 160
#: Mass that a series may hold below zero, before strata or copies are tried.
RINGING = 1e-3
#: Dependence between the coordinates that may be left out, in standard deviations: where a series
#: cannot resolve the density, and where moreover few enough strata are finer.
SNAP, LOOSE = 2e-3, 3e-2
#: Standard deviation of a stratum within which the shape of a marginal may be left out.
SHAPE = 5e-2
#: Up to this number strata are sharper than a truncated series, and no slower.
FEW_STRATA = 16
#: Largest number of copies in a mixture.
MOST_COPIES = 512


def has_density(columns: Floats, marginals: Sequence[Marginal]) -> bool:
    """Whether the continuous marginals alone spread over all q dimensions of `columns` (q, D)."""
    spread = np.array([0.0 if m.discrete or m.certain else m.std for m in marginals])
    values = np.linalg.svd(columns * spread, compute_uv=False)
    total = np.linalg.norm(columns * [m.std for m in marginals], 2)
    return len(values) >= len(columns) and bool(values[len(columns) - 1] > 1e-9 * total)


class PlaneSum:
    """The law of A x in the plane, as one of its continuous marginals and one of atoms."""

    def __init__(self, A: Floats, marginals: Sequence[Marginal], cov: Floats) -> None:
        self.lower = np.linalg.cholesky(cov)
        size = np.linalg.norm(np.linalg.solve(self.lower, A), axis=0) * [m.std for m in marginals]
        keep = [j for j, m in enumerate(marginals) if not m.certain and size[j] > FAINT]
        smooth = [j for j in keep if not marginals[j].discrete]
        jumps = [j for j in keep if marginals[j].discrete]
        self.columns, self.marginals = A[:, smooth], [marginals[j] for j in smooth]
        self.jump_columns, self.jumps = A[:, jumps], [marginals[j] for j in jumps]

    def way(self) -> Way:
        """How the density is found: the cheapest way that resolves it."""
        stds = np.array([m.std for m in self.marginals])
        windowed = any(isinstance(m, Variable) for m in self.marginals)
        if not windowed or not best_frame(self.columns, stds).coupled(SNAP):
            return self._whole()
        columns = np.hstack([self.columns, self.jump_columns])
        parts = [*self.marginals, *self.jumps]
        return Windowed(columns, parts, self.lower, self._whole)

    def _whole(self) -> Way:
        """The cheapest way that resolves all of the law at once."""
        frame = best_frame(self.columns, np.array([m.std for m in self.marginals]))
        atoms = atoms_of(self.jump_columns, self.jumps, MOST_COPIES)
        if atoms is not None and frame.coupling == 0:
            return self._mixture(frame, SNAP, atoms)
        rough = self._rough()
        if atoms is not None and rough == 2 and not self._pair.coupled(SNAP):
            return self._mixture(self._pair, SNAP, atoms)
        if atoms is not None and rough:
            sheet = self._stratified(atoms, rough == 2)
            if rough == 2 or sheet.error() <= RINGING:
                return sheet
        series = self._series()
        if atoms is None or series.resolved:
            return series
        if self._copies(frame, SNAP) <= FEW_STRATA:
            return self._mixture(frame, SNAP, atoms)
        if series.error() <= RINGING:
            return series
        if self.jumps:
            series = self._continuous_series(frame)
        tolerance = self._tolerance(frame, atoms) if series.error() > RINGING else None
        if tolerance is not None:
            return self._mixture(frame, tolerance, atoms)
        return MovedSeries(series, atoms)

    def error(self) -> float:
        """Mass that the density puts where it does not belong, as far as can be told.

        Nodes and points for conditioning are compared with half of them: as errors fall with the
        square of their distance, a third of the difference is left.
        """
        way = self._whole()
        atoms = atoms_of(self.jump_columns, self.jumps, MOST_COPIES)
        if atoms is None or not isinstance(way, Sheet):
            return way.error()
        coarse = self._stratified(atoms, self._rough() == 2, 0.5)
        block = coarse.blocks()[0]
        x, y = block.places.T
        share = np.minimum(way.at(x, y) / block.density, 1.0)
        return max(way.error(), float(1 - block.mass @ share) / 3)

    def _series(self) -> PlaneSeries:
        """Of the whole law."""
        smooth = np.linalg.solve(self.lower, self.columns)
        jumps = np.linalg.solve(self.lower, self.jump_columns)

        def continuous(step1: float, step2: float, modes: tuple[int, int]) -> Complexes:
            return _on_lattice(smooth, self.marginals, (step1, step2), modes)

        def whole(step1: float, step2: float, modes: tuple[int, int]) -> Complexes:
            terms = continuous(step1, step2, modes)
            if self.jumps:
                terms *= _on_lattice(jumps, self.jumps, (step1, step2), modes)
            return terms

        columns = np.hstack([self.columns, self.jump_columns])
        spans = _spans(self.lower, columns, [*self.marginals, *self.jumps])
        return plane_series(whole, continuous, self.lower, spans, MOST_TERMS)

    def _continuous_series(self, frame: Frame) -> PlaneSeries:
        """Of the continuous marginals alone."""
        white = np.linalg.solve(frame.lower, self.columns)

        def continuous(step1: float, step2: float, modes: tuple[int, int]) -> Complexes:
            return _on_lattice(white, self.marginals, (step1, step2), modes)

        spans = _spans(frame.lower, self.columns, self.marginals)
        return plane_series(continuous, continuous, frame.lower, spans, MOST_TERMS)

    def _tolerance(self, frame: Frame, atoms: Atoms) -> float | None:
        """The finest strata that the number of copies allows."""
        tolerance = SNAP
        while tolerance <= LOOSE:
            if self._copies(frame, tolerance) * len(atoms.mass) <= MOST_COPIES:
                return tolerance
            tolerance *= 1.5
        return None

    def _copies(self, frame: Frame, tolerance: float) -> int:
        """Number of combinations of strata."""
        coupled = frame.coupled(tolerance)
        return prod(len(self._strata(frame, index, tolerance)[1]) for index in coupled)

    def _mixture(self, frame: Frame, tolerance: float, atoms: Atoms) -> Copies:
        """Copies of a product of two line densities, at every atom and stratum."""
        places, mass = frame.inverse @ atoms.places.T, atoms.mass
        parts: list[list[tuple[float, Marginal]]] = [[], []]
        coupled = frame.coupled(tolerance)
        for index, marginal in enumerate(self.marginals):
            rest = marginal
            if index in coupled:
                middles, share, rest = self._strata(frame, index, tolerance)
                shift = np.multiply.outer(frame.shares[:, index], middles)
                places = (places[:, :, None] + shift[:, None, :]).reshape(2, -1)
                mass = np.outer(mass, share).ravel()
            for line, factor in zip(parts, frame.shares[:, index].tolist(), strict=True):
                line.append((factor, rest))
        lines = LineSum(parts[0]), LineSum(parts[1])
        wrong = tolerance if tolerance > SNAP else 0.0
        return Copies(lines, places.T, mass, frame.inverse, wrong)

    @cached_property
    def _pair(self) -> Frame:
        """The directions of two parts, by their cores."""
        stds = np.array([marginal.core for marginal in self.marginals])
        return best_frame(self.columns, stds, False)

    def _rough(self) -> int:
        """Whether SciPy's variables have tails (2) or edges (1) that no series resolves."""
        rough = max((m.roughness for m in self.marginals if isinstance(m, Variable)), default=0)
        # More than three directions are smooth again, but for tails.
        return 0 if rough == 1 and len(self._pair.coupled(SNAP)) > 1 else rough

    def _stratified(self, atoms: Atoms, finely: bool, fineness: float = 1.0) -> Sheet:
        """Conditioned on all parts but the two that are best taken as axes."""
        frame = self._pair
        coupled = frame.coupled(SNAP)
        rest = [index for index in range(len(self.marginals)) if index not in coupled]
        lines = [
            LineSum([(row[index], self.marginals[index]) for index in rest])
            for row in frame.shares.tolist()
        ]
        parts = [(frame.shares[:, index], self.marginals[index]) for index in coupled]
        places = frame.inverse @ atoms.places.T
        return stratified(lines, parts, (places, atoms.mass), frame.inverse, finely, fineness)

    def _strata(self, frame: Frame, index: int, tolerance: float) -> tuple[Floats, Floats, Uniform]:
        """Centres and masses of equal cells of a marginal, and the law within a cell."""
        marginal = self.marginals[index]
        low, high = marginal.reach(1e-6)
        shorter, longer = np.sort(frame.lengths[:, index]).tolist()
        # Short against the tolerance along one axis, against the shape of the law along the other.
        lengths = max(shorter / tolerance, longer / SHAPE) / marginal.std
        count = int(np.ceil((high - low) * lengths / sqrt(12)))
        edges = np.linspace(low, high, 16 * count + 1)
        parts = np.diff(marginal.cdf(marginal.mean + edges)).reshape(count, 16)
        middles = (0.5 * (edges[1:] + edges[:-1])).reshape(count, 16)
        mass = parts.sum(axis=1)
        keep = mass > 1e-6 / count
        centres = np.sum(middles * parts, axis=1)[keep] / mass[keep]
        width = (high - low) / count
        return centres, mass[keep] / mass[keep].sum(), Uniform(-width / 2, width / 2)


def _spans(lower: Floats, columns: Floats, marginals: Sequence[Marginal]) -> Floats:
    white = np.linalg.solve(lower, columns)
    return np.array([span_of(marginals, list(row), 1.0, 1e-5) for row in white])


def _on_lattice(
    columns: Floats,
    marginals: Sequence[Marginal],
    steps: tuple[float, float],
    modes: tuple[int, int],
) -> Complexes:
    return product(
        [
            marginal.centred_cf(Lattice(steps[0] * first, steps[1] * second, modes))
            for (first, second), marginal in zip(columns.T, marginals, strict=True)
        ]
    )
