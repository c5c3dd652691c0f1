"""One-parameter families of covariance matrices, and their eigenpairs from end to end.

Both families of this package are quadratic in a parameter u that runs from 0 to 1, so three
matrices describe them (Bernstein form)::

    M(u) = (1 − u)² start + 2 u (1 − u) middle + u² stop

=======================  ===========  ==================  =======
family                   start        middle              stop
=======================  ===========  ==================  =======
over the scale           C            0                   Ψ̄
over the weight of rows  K without    (K without + K of   K of
                         the rows     the rows + δδᵀ)/2   the rows
=======================  ===========  ==================  =======

Over the scale s = u / (1 − u), M(u) is (1 − u)² K(s): the same eigenvectors, and finite at s = ∞.
Over the weight, δ is the way from the other rows' mean to that of the rows: the law of total
variance, so that the rows themselves are never needed again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from uapca.decomposition.spectrum import scaled_spectrum, spectrum, tie_tolerance
from uapca.uncertain.blocks import Doubles

__all__ = ["Eigenpairs", "Family", "Flags", "merged", "over_scale", "over_weight"]

Flags = npt.NDArray[np.bool_]

# As in `spectrum`: from this ratio on, the matrix at an end leads and decides its own ties.
_LEADS_FROM = 1e3


@dataclass(frozen=True, slots=True)
class Eigenpairs:
    """Eigenpairs of S symmetric matrices.

    Attributes
    ----------
    values : ndarray of shape (S, D)
        Falling, none negative.
    vectors : ndarray of shape (S, D, D)
        Orthonormal columns, in the order of the values.
    tied : ndarray of shape (S, D - 1)
        Whether a value and the next belong to one subspace in which any basis is as good.
    """

    values: Doubles
    vectors: Doubles
    tied: Flags

    def take(self, index: Any) -> Eigenpairs:
        """A copy of some of them."""
        return Eigenpairs(self.values[index], self.vectors[index], self.tied[index])


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
        """M at u = b with a = 1 − u, which near u = 1 is better known than u; shape (S, D, D)."""
        # Not by a matrix product: BLAS threads that wait for more would slow down what follows.
        stack = (a * a)[:, None, None] * self.start
        stack += (b * b)[:, None, None] * self.stop
        if self._bent:
            stack += (2.0 * a * b)[:, None, None] * self.middle
        return np.asarray(stack)

    def rates(self, vectors: Doubles, u: Doubles) -> Doubles:
        """How fast the eigenvalues change along the path, vᵀ K′ v: shape (S, D).

        K′ is the derivative of what the family stands for by its natural parameter: dK/dt = Ψ̄ with
        t = s² over the scale, dK/dv over the weight.
        """
        if self.homogeneous:
            turned = self.stop @ vectors
        else:
            first, second = 2.0 * (self.middle - self.start), 2.0 * (self.stop - self.middle)
            slopes = (1.0 - u)[:, None, None] * first + u[:, None, None] * second
            turned = slopes @ vectors
        return np.asarray(np.einsum("kdi,kdi->ki", vectors, turned))

    def bends(self, pairs: Eigenpairs, u: Doubles) -> Doubles:
        """How fast `rates` change by the same parameter: vᵀ K″ v + 2 Σ (vⱼᵀ K′ v)² / (λ − λⱼ).

        Shape (S, D); terms of tied eigenvalues are left out.
        """
        vectors = pairs.vectors
        unit = (1.0 - u) ** 2 if self.homogeneous else np.ones_like(u)
        if self.homogeneous:
            slopes = np.broadcast_to(self.stop, vectors.shape)
            own = np.zeros_like(pairs.values)
        else:
            first, second = 2.0 * (self.middle - self.start), 2.0 * (self.stop - self.middle)
            slopes = (1.0 - u)[:, None, None] * first + u[:, None, None] * second
            own = np.einsum("kdi,kdi->ki", vectors, (second - first) @ vectors)
        coupling = vectors.transpose(0, 2, 1) @ slopes @ vectors
        gaps = pairs.values[:, :, None] - pairs.values[:, None, :]
        clear = np.abs(gaps) > tie_tolerance(self.size) * pairs.values[:, :1, None]
        # Not squared first: that would overflow long before the data does.
        terms = coupling * np.divide(coupling, gaps, out=np.zeros_like(gaps), where=clear)
        return np.asarray(own + 2.0 * terms.sum(axis=2) * unit[:, None])

    @cached_property
    def unit(self) -> float:
        """A power of two next to the largest entry: divided by it, nothing is rounded."""
        largest = max(float(np.abs(P).max()) for P in (self.start, self.middle, self.stop))
        return math.ldexp(1.0, math.frexp(largest)[1] - 1) if largest > 0.0 else 1.0

    @cached_property
    def in_units(self) -> Family:
        """The family divided by `unit`, in which products of its entries do not overflow."""
        if self.unit == 1.0:
            return self
        start, middle, stop = (P / self.unit for P in (self.start, self.middle, self.stop))
        return Family(start, middle, stop, self.homogeneous)

    def eigenpairs(self, a: Doubles, b: Doubles) -> Eigenpairs:
        """Eigenpairs at every (1 − u, u), with the one-sided limits at both ends."""
        if self.unit != 1.0:
            pairs = self.in_units.eigenpairs(a, b)
            return Eigenpairs(self.unit * pairs.values, pairs.vectors, pairs.tied)
        if self._constant is not None:
            return self._scalar_multiples(self._constant, a, b)
        values, vectors = np.linalg.eigh(self.matrices(a, b))
        values, vectors = np.maximum(values[:, ::-1], 0.0), vectors[:, :, ::-1]
        tied = values[:, :-1] - values[:, 1:] <= tie_tolerance(self.size) * values[:, :1]
        pairs = Eigenpairs(values, vectors, tied)
        if self._start_tied:
            self._settle(pairs, self.start, self.stop, a, b)
        if self._stop_tied:
            self._settle(pairs, self.stop, self.start, b, a)
        return pairs

    def _settle(
        self, pairs: Eigenpairs, lead: Doubles, far: Doubles, a: Doubles, b: Doubles
    ) -> None:
        """Put right the eigenvectors near an end whose matrix ``lead`` has tied eigenvalues.

        There M = a² lead + b (2a middle + b far): the rest decides within the ties, however small
        b is, and at b = 0 its limit does.
        """
        tolerance = tie_tolerance(self.size)
        moved = self._bent
        size = max(np.abs(self.middle).max(), np.abs(far).max())
        small = (b if moved else b * b) * size
        for k in np.flatnonzero(a * a * np.abs(lead).max() >= _LEADS_FROM * small):
            if b[k] == 0.0:
                rest = 2.0 * self.middle if moved else far
                found = scaled_spectrum(rest, lead, np.inf)
            elif moved:
                rest = 2.0 * a[k] * self.middle + b[k] * far
                found = scaled_spectrum(rest, lead, a[k] / np.sqrt(b[k]))
                pairs.values[k] = b[k] * found.values
            else:
                rest = far
                found = scaled_spectrum(rest, lead, a[k] / b[k])
                pairs.values[k] = b[k] ** 2 * found.values
            pairs.vectors[k] = found.vectors.T
            inner = np.einsum("id,id->i", found.vectors @ rest, found.vectors)
            pairs.tied[k] &= np.abs(np.diff(inner)) <= tolerance * np.abs(rest).max()

    def _scalar_multiples(self, which: int, a: Doubles, b: Doubles) -> Eigenpairs:
        """The case of constant eigenvectors: all but one matrix are multiples of the identity."""
        parts = (self.start, self.middle, self.stop)
        fixed = spectrum(parts[which])
        coefficients = (a * a, 2.0 * a * b, b * b)
        values = np.outer(coefficients[which], fixed.values)
        for k in {0, 1, 2} - {which}:
            values += (coefficients[k] * parts[k].trace() / self.size)[:, None]
        vectors = np.tile(fixed.vectors.T, (len(a), 1, 1))
        alike = np.abs(np.diff(fixed.values)) <= tie_tolerance(self.size) * fixed.values[0]
        return Eigenpairs(values, vectors, np.tile(alike, (len(a), 1)))

    @cached_property
    def _constant(self) -> int | None:
        """The only one of the three that is no multiple of the identity; None if there are more."""
        matter = [k for k, P in enumerate((self.start, self.middle, self.stop)) if not _scalar(P)]
        if len(matter) > 1:
            return None
        return matter[0] if matter else 0

    @cached_property
    def _bent(self) -> bool:
        return bool(self.middle.any())

    @cached_property
    def _start_tied(self) -> bool:
        return _has_ties(self.start)

    @cached_property
    def _stop_tied(self) -> bool:
        return _has_ties(self.stop)


def over_scale(C: Doubles, psi: Doubles) -> Family:
    """(1 − u)² C + u² Ψ̄, which is (1 − u)² K(s) at s = u / (1 − u)."""
    return Family(C, np.zeros_like(C), psi, homogeneous=True)


def over_weight(others: Doubles, rows: Doubles, step: Doubles) -> Family:
    """K as the weight v of some rows goes from 0 to 1, the others keeping their proportions.

    (1 − v) K_others + v K_rows + v (1 − v) δδᵀ, where δ = ``step`` is the way between the means.
    """
    middle = 0.5 * (others + rows + np.outer(step, step))
    return Family(others, middle, rows, homogeneous=False)


def merged(
    u: Doubles, pairs: Eigenpairs, added: Doubles, found: Eigenpairs
) -> tuple[Doubles, Eigenpairs]:
    """Two grids and their eigenpairs as one, rising, each point once."""
    joined = np.concatenate([u, added])
    keep = np.unique(joined, return_index=True)[1]
    return joined[keep], Eigenpairs(
        np.concatenate([pairs.values, found.values])[keep],
        np.concatenate([pairs.vectors, found.vectors])[keep],
        np.concatenate([pairs.tied, found.tied])[keep],
    )


def _scalar(P: Doubles) -> bool:
    """Whether a matrix is a multiple of the identity, up to rounding."""
    level = P.trace() / len(P)
    off = np.abs(P - level * np.eye(len(P))).max()
    return bool(off <= tie_tolerance(len(P)) * abs(level))


def _has_ties(P: Doubles) -> bool:
    values = np.linalg.eigvalsh(P)
    return bool((np.diff(values) <= tie_tolerance(len(P)) * abs(values[-1])).any())
