"""One-parameter families of covariance matrices and their eigenpairs.

Both families of this package are quadratic in a parameter u from 0 to 1, so three matrices
describe them (Bernstein form)::

    M(u) = (1 − u)² start + 2 u (1 − u) middle + u² stop

=======================  ===========  ==================  =======
family                   start        middle              stop
=======================  ===========  ==================  =======
over the scale           C            0                   Ψ̄
over the weight of rows  K without    (K without + K of   K of
                         the rows     the rows + δδᵀ)/2   the rows
=======================  ===========  ==================  =======

Over the scale s = u / (1 − u), M(u) is (1 − u)² K(s): the same eigenvectors, and finite at s = ∞.
Over the weight, δ is the difference between the mean of the rows and the mean of the others (law
of total variance).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from uapca._validation import Doubles
from uapca.decomposition.spectrum import scaled_spectrum, spectrum, tie_tolerance

__all__ = ["Eigenpairs", "Family", "Flags", "over_scale", "over_weight"]

Flags = npt.NDArray[np.bool_]

# As in `spectrum`: from this ratio on, the matrix at an end leads and decides its own ties.
_LEADS_FROM = 1e3


@dataclass(frozen=True, slots=True)
class Eigenpairs:
    """Eigenpairs of S symmetric matrices.

    Attributes
    ----------
    values : ndarray of shape (S, D)
        Decreasing, none negative.
    vectors : ndarray of shape (S, D, D)
        Orthonormal columns, in the order of the values.
    tied : ndarray of shape (S, D - 1)
        Whether a value and the next one belong to one subspace in which any basis is as good.
    """

    values: Doubles
    vectors: Doubles
    tied: Flags


@dataclass(frozen=True)
class Family:
    """Symmetric matrices (1 − u)² start + 2 u (1 − u) middle + u² stop.

    Attributes
    ----------
    start, middle, stop : ndarray of shape (D, D)
    homogeneous : bool
        Whether M(u) stands for M(u) / (1 − u)² (the scale) or for itself (the weight).
    """

    start: Doubles
    middle: Doubles
    stop: Doubles
    homogeneous: bool

    @property
    def size(self) -> int:
        return len(self.start)

    def matrices(self, a: Doubles, b: Doubles) -> Doubles:
        """M at u = b, shape (S, D, D); a = 1 − u is given too: near u = 1 it has more digits."""
        # Not by a matrix product: BLAS threads waiting for more work would slow down what follows.
        stack = (a * a)[:, None, None] * self.start
        stack += (b * b)[:, None, None] * self.stop
        if not self.homogeneous:
            stack += (2.0 * a * b)[:, None, None] * self.middle
        return np.asarray(stack)

    def slopes(self, u: Doubles) -> Doubles:
        """The derivative K′ at every u: by t = s² over the scale, by the weight over the weight."""
        if self.homogeneous:
            return self.stop[None]
        first, second = 2.0 * (self.middle - self.start), 2.0 * (self.stop - self.middle)
        return np.asarray((1.0 - u)[:, None, None] * first + u[:, None, None] * second)

    def rates(self, vectors: Doubles, u: Doubles) -> Doubles:
        """Derivatives of the eigenvalues along the path, vᵀ K′ v; shape (S, D)."""
        return np.asarray(np.einsum("kdi,kdi->ki", vectors, self.slopes(u) @ vectors))

    def bends(self, pairs: Eigenpairs, u: Doubles) -> Doubles:
        """Second derivatives of the eigenvalues, vᵀ K″ v + 2 Σ (vⱼᵀ K′ v)² / (λ − λⱼ).

        Shape (S, D); terms of tied eigenvalues are left out.
        """
        vectors = pairs.vectors
        coupling = vectors.transpose(0, 2, 1) @ self.slopes(u) @ vectors
        gaps = pairs.values[:, :, None] - pairs.values[:, None, :]
        clear = np.abs(gaps) > tie_tolerance(self.size) * pairs.values[:, :1, None]
        # Divided before multiplying: squares would overflow long before the data does.
        terms = coupling * np.divide(coupling, gaps, out=np.zeros_like(gaps), where=clear)
        if self.homogeneous:  # the gaps are those of (1 − u)² K, and K″ = 0
            return np.asarray(2.0 * terms.sum(axis=2) * ((1.0 - u) ** 2)[:, None])
        second = 2.0 * (self.start - 2.0 * self.middle + self.stop)
        own = np.einsum("kdi,kdi->ki", vectors, second @ vectors)
        return np.asarray(own + 2.0 * terms.sum(axis=2))

    @cached_property
    def unit(self) -> float:
        """A power of two near the largest entry: dividing by it rounds nothing."""
        largest = max(float(np.abs(P).max()) for P in (self.start, self.middle, self.stop))
        return math.ldexp(1.0, math.frexp(largest)[1] - 1) if largest > 0.0 else 1.0

    @cached_property
    def in_units(self) -> Family:
        """The family divided by `unit`, where products of entries do not overflow."""
        if self.unit == 1.0:
            return self
        start, middle, stop = (P / self.unit for P in (self.start, self.middle, self.stop))
        return Family(start, middle, stop, self.homogeneous)

    def eigenpairs(self, a: Doubles, b: Doubles) -> Eigenpairs:
        """Eigenpairs at every (a, b) = (1 − u, u), with one-sided limits at both ends."""
        if self.unit != 1.0:
            pairs = self.in_units.eigenpairs(a, b)
            return Eigenpairs(self.unit * pairs.values, pairs.vectors, pairs.tied)
        if self._constant is not None:
            return self._scalar_multiples(self._constant, a, b)
        values, vectors = np.linalg.eigh(self.matrices(a, b))
        values, vectors = np.maximum(values[:, ::-1], 0.0), vectors[:, :, ::-1]
        tied = values[:, :-1] - values[:, 1:] <= tie_tolerance(self.size) * values[:, :1]
        pairs = Eigenpairs(values, vectors, tied)
        start_tied, stop_tied = self._tied_ends
        if start_tied:
            self._settle(pairs, self.start, self.stop, a, b)
        if stop_tied:
            self._settle(pairs, self.stop, self.start, b, a)
        return pairs

    def _settle(
        self, pairs: Eigenpairs, lead: Doubles, far: Doubles, a: Doubles, b: Doubles
    ) -> None:
        """Correct the eigenvectors near an end whose matrix ``lead`` has tied eigenvalues.

        There M = a² lead + b (2a middle + b far): the second term decides within the ties, however
        small b is, and at b = 0 its limit does.
        """
        tolerance, power = tie_tolerance(self.size), 2 if self.homogeneous else 1
        size = max(np.abs(self.middle).max(), np.abs(far).max())
        for k in np.flatnonzero(a * a * np.abs(lead).max() >= _LEADS_FROM * b**power * size):
            rest = far if self.homogeneous else 2.0 * a[k] * self.middle + b[k] * far
            if b[k] == 0.0:
                found = scaled_spectrum(rest, lead, np.inf)
            else:
                found = scaled_spectrum(rest, lead, a[k] / b[k] ** (power / 2))
                pairs.values[k] = b[k] ** power * found.values
            pairs.vectors[k] = found.vectors.T
            inner = np.einsum("id,id->i", found.vectors @ rest, found.vectors)
            pairs.tied[k] &= np.abs(np.diff(inner)) <= tolerance * np.abs(rest).max()

    def _scalar_multiples(self, which: int, a: Doubles, b: Doubles) -> Eigenpairs:
        """The case of constant eigenvectors: all but one matrix are multiples of the identity."""
        parts, coefficients = (self.start, self.middle, self.stop), (a * a, 2.0 * a * b, b * b)
        fixed = spectrum(parts[which])
        values = np.outer(coefficients[which], fixed.values)
        for k in {0, 1, 2} - {which}:
            values += (coefficients[k] * parts[k].trace() / self.size)[:, None]
        alike = np.abs(np.diff(fixed.values)) <= tie_tolerance(self.size) * fixed.values[0]
        vectors = np.tile(fixed.vectors.T, (len(a), 1, 1))
        return Eigenpairs(values, vectors, np.tile(alike, (len(a), 1)))

    @cached_property
    def _constant(self) -> int | None:
        """The only one of the three that is no multiple of the identity; None if there are more."""

        def scalar(P: Doubles) -> bool:
            level = P.trace() / len(P)
            off = np.abs(P - level * np.eye(len(P))).max()
            return bool(off <= tie_tolerance(len(P)) * abs(level))

        matter = [k for k, P in enumerate((self.start, self.middle, self.stop)) if not scalar(P)]
        return (matter or [0])[0] if len(matter) < 2 else None

    @cached_property
    def _tied_ends(self) -> tuple[bool, bool]:
        """Whether start and stop have tied eigenvalues."""
        first, last = (np.linalg.eigvalsh(P) for P in (self.start, self.stop))
        limit = tie_tolerance(self.size)
        start, stop = ((np.diff(v) <= limit * abs(v[-1])).any() for v in (first, last))
        return bool(start), bool(stop)


def over_scale(C: Doubles, psi: Doubles) -> Family:
    """(1 − u)² C + u² Ψ̄, which is (1 − u)² K(s) at s = u / (1 − u)."""
    return Family(C, np.zeros_like(C), psi, homogeneous=True)


def over_weight(others: Doubles, rows: Doubles, step: Doubles) -> Family:
    """K as the weight v of some rows goes from 0 to 1 while the others keep their proportions.

    (1 − v) K_others + v K_rows + v (1 − v) δδᵀ, where δ = ``step`` is the difference of the means.
    """
    middle = 0.5 * (others + rows + np.outer(step, step))
    return Family(others, middle, rows, homogeneous=False)
