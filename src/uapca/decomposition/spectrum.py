"""Eigenvalues and eigenvectors: the rules about them.

Order
    Eigenvalues fall; those that rounding has made negative are zero.
Signs
    The entry of largest magnitude of each component is positive; where several are equally large,
    up to rounding, the first of them decides. This is scikit-learn's rule with a tolerance; laws
    use it too, so its code is `uapca._validation.signed`.
Ties
    Eigenvalues that differ by no more than rounding belong to one subspace, whose basis is not
    determined. The one returned depends on the subspace alone: the coordinate axes are projected
    into it, the longest projections are taken first and made orthogonal.
Large scales
    K(s) = C + s²Ψ̄ loses C to rounding as s grows. Where Ψ̄ has tied eigenvalues, C decides within
    their subspace at every s, infinity included (degenerate perturbation theory), so there the
    problem is decoupled before it is solved.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy.linalg

from uapca._validation import Doubles, out_of_range, signed

__all__ = [
    "Spectrum",
    "completed",
    "scaled_spectrum",
    "settled",
    "signed",
    "spectrum",
    "tie_tolerance",
]

_EPS = float(np.finfo(np.float64).eps)

# SciPy's LAPACK can return the leading q pairs alone: 3.5 times faster than NumPy's full
# decomposition at 1,000 features. For fewer features the full one is faster.
_PARTIAL_FROM = 1000
_PARTIAL_SHARE = 8

# How many times larger than C the gaps of s²Ψ̄ must be before its tied subspaces are decoupled.
_DECOUPLED_FROM = 1e3


@dataclass(frozen=True, slots=True)
class Spectrum:
    """Leading eigenpairs of a symmetric matrix.

    Attributes
    ----------
    values : ndarray of shape (q,)
        Falling, none negative.
    vectors : ndarray of shape (q, D)
        Orthonormal rows.
    """

    values: Doubles
    vectors: Doubles


def spectrum(K: Doubles, q: int | None = None) -> Spectrum:
    """The ``q`` leading eigenpairs (all by default) of a positive semi-definite matrix."""
    d = K.shape[0]
    q = d if q is None else q
    if d >= _PARTIAL_FROM and (q + 1) * _PARTIAL_SHARE <= d:
        # One more than asked for, to see whether the last is tied with the next.
        values, vectors = scipy.linalg.eigh(
            K, subset_by_index=(d - q - 1, d - 1), driver="evr", check_finite=False
        )
        values, rows = values[::-1], vectors.T[::-1]
        if values[q - 1] - values[q] > tie_tolerance(d) * abs(values[0]):
            return settled(values[:q], rows[:q])
    values, vectors = np.linalg.eigh(K)
    return settled(values[::-1], vectors.T[::-1], q)


def scaled_spectrum(C: Doubles, psi: Doubles | None, s: float, q: int | None = None) -> Spectrum:
    """The leading eigenpairs of K(s) = C + s²Ψ̄ for s in [0, ∞]; paper, Algorithm 1.

    At s = ∞ the values are those of Ψ̄, that is of K in units of s²; where Ψ̄ is zero, those of C.
    ``psi`` may be None for zero.
    """
    # Of covariances the trace bounds every entry, and is zero only where all of them are.
    between, within = float(C.trace()), 0.0 if psi is None else float(psi.trace())
    if not math.isfinite(between + within):
        raise ValueError(out_of_range("X"))
    if psi is None or within <= 0.0 or s == 0:
        return spectrum(C, q)
    # In units of a power of two, which rounds nothing; squares neither overflow nor vanish.
    unit = other = _power_of_two(max(between, within))
    if np.isinf(s):  # only the directions of C count
        unit, other = _power_of_two(within), _power_of_two(between)
    C, psi = C / other, psi / unit
    if s * s * (within / unit) <= _DECOUPLED_FROM * (between / other):
        found = spectrum(C + s * s * psi, q)
    else:
        found = _decoupled(C, psi, s, q)
    return Spectrum(unit * found.values, found.vectors)


def _power_of_two(value: float) -> float:
    """The largest power of two that is not above a value; the smallest there is for zero."""
    return math.ldexp(1.0, max(math.frexp(value)[1] - 1, -1022))


def settled(values: Doubles, rows: Doubles, q: int | None = None) -> Spectrum:
    """The first ``q`` of falling eigenpairs, with ties and signs fixed, none negative."""
    limit = tie_tolerance(rows.shape[1]) * max(abs(values[0]), abs(values[-1]))
    if (values[:-1] - values[1:] <= limit).any():
        rows = rows.copy()
        for group in _tied(values, limit):
            if group.stop - group.start > 1 and (q is None or group.start < q):
                rows[group] = _canonical(rows[group])
    return Spectrum(np.maximum(values[:q], 0.0), signed(rows[:q]))


def tie_tolerance(d: int) -> float:
    """The relative difference up to which eigenvalues of a D × D matrix count as equal."""
    return 8 * _EPS * max(math.sqrt(d), 2.0)


def _tied(values: Doubles, limit: float) -> list[slice]:
    """Runs of falling values whose neighbors differ by at most ``limit``."""
    ends = np.flatnonzero(values[:-1] - values[1:] > limit) + 1
    edges = [0, *ends.tolist(), len(values)]
    return [slice(*pair) for pair in pairwise(edges)]


def completed(rows: Doubles, count: int) -> Doubles:
    """``count`` further rows, orthonormal to the given ones: the axes that lie best beside them.

    What `_canonical` would choose in the whole complement, without forming it.
    """
    k, d = rows.shape
    slope = 1.0 - 1e-6 * np.arange(d) / d
    basis = np.concatenate([rows, np.empty((count, d))])
    left = 1.0 - np.square(rows).sum(axis=0)
    for i in range(k, k + count):
        axis = int((np.sqrt(np.maximum(left, 0.0)) * slope).argmax())
        new = -basis[:i, axis] @ basis[:i]
        new[axis] += 1.0
        new -= (basis[:i] @ new) @ basis[:i]
        basis[i] = new / np.linalg.norm(new)
        left -= np.square(basis[i])
    return basis[k:]


def _canonical(rows: Doubles) -> Doubles:
    """A basis of the rows' span that depends on the span alone.

    Pivots are the axes with the longest projections; the small slope breaks their ties in favor
    of the first axis whatever the rounding.
    """
    k, d = rows.shape
    slope = 1.0 - 1e-6 * np.arange(d) / d
    pivots = scipy.linalg.qr(rows * slope, mode="r", pivoting=True, check_finite=False)[1][:k]
    turn = np.linalg.qr(rows[:, pivots])[0]
    return np.asarray(turn.T @ rows)


def _decoupled(C: Doubles, psi: Doubles, s: float, q: int | None) -> Spectrum:
    """Eigenpairs of C + s²Ψ̄ for large s, one group of equal eigenvalues of Ψ̄ after the other.

    In the eigenbasis of Ψ̄ the subspace of a group is spanned by [I; X] with X small; X solves a
    Riccati equation by fixed point, contracting by ‖C‖ / (s² gap). At s = ∞, X is zero.
    """
    values, vectors = np.linalg.eigh(psi)
    psi_values, rows = np.clip(values[::-1], 0.0, None), vectors.T[::-1]
    groups = _tied(psi_values, tie_tolerance(len(psi)) * psi_values[0])
    levels = np.array([psi_values[group].mean() for group in groups])
    gap = s * s * (levels[:-1] - levels[1:]).min(initial=np.inf)
    # Without ties, or with groups that C still couples, nothing is gained.
    if np.isfinite(s) and (len(groups) == len(psi) or gap <= _DECOUPLED_FROM * C.trace()):
        return spectrum(C + s * s * psi, q)
    turned = rows @ C @ rows.T
    q = len(psi) if q is None else q
    found_values, found_rows = [], []
    for group, level in zip(groups, levels, strict=True):
        if group.start >= q:
            break
        own, basis = turned[group, group], rows[group]
        metric = np.eye(len(own))
        if np.isfinite(s):
            inside = np.zeros(len(psi), dtype=bool)
            inside[group] = True
            cross, others = turned[np.ix_(~inside, inside)], turned[np.ix_(~inside, ~inside)]
            away = (s**2 * (level - psi_values[~inside]))[:, None]
            X = cross / away
            for _ in range(8):
                X = (cross + others @ X - X @ (own + cross.T @ X)) / away
            metric += X.T @ X
            own = metric @ (own + cross.T @ X)
            basis = basis + X.T @ rows[~inside]
        rising, turn = scipy.linalg.eigh(0.5 * (own + own.T), metric)
        values = rising[::-1]
        found_rows.append(settled(values, turn.T[::-1] @ basis).vectors)
        found_values.append(s**2 * level + values if np.isfinite(s) else 0.0 * values + level)
    values = np.maximum(np.concatenate(found_values)[:q], 0.0)
    basis = np.concatenate(found_rows)[:q]
    # The groups are orthogonal to the error of their fixed points; one step of Newton mends that.
    return Spectrum(values, 1.5 * basis - 0.5 * (basis @ basis.T) @ basis)
