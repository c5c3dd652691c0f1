"""Moments of perturbed eigenpairs in closed form.

The data are one draw of what they could be. With x_n = m_n + e_n and independent errors e_n of
covariance Ψ_n, the covariance of a draw is

    C̃ = Σ w_n (x_n − x̄)(x_n − x̄)ᵀ = C + Σ w_n (m_n e_nᵀ + e_n m_nᵀ) + Σ B_nk e_n e_kᵀ,

with centered m_n and B = diag(w) − w wᵀ. Its expectation is M = C + Σ w_n (1 − w_n) Ψ_n. With
δ = C̃ − M and eigenpairs λ_i, v_i of M,

    ṽ_i = v_i + Σ_j v_j δ_ij / (λ_i − λ_j),     λ̃_i = λ_i + δ_ii + Σ_j δ_ij² / (λ_i − λ_j),

so all that is needed is the covariance of δv_i, a D × D matrix for each component, summed over the
rows without ever forming one matrix for each row.

Redrawing the n_g points behind a group changes its mean by an error of covariance Σ_g / n_g and its
covariance by a Wishart deviate: the same sums with Ψ_g = Σ_g / n_g and one more term for each row.

Where features are standardized anew in each redraw, R = M has the diagonal 1 and with the diagonal
t of δ the change of the correlation matrix is δ − ½ (diag(t) R + R diag(t)), to first order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from uapca._validation import Doubles, out_of_range
from uapca.decomposition.spectrum import Spectrum, spectrum, tie_tolerance
from uapca.stability.redraw import Redraw, weighted_sum
from uapca.uncertain import Covariance, UncertainArray
from uapca.uncertain.covariance import row_blocks

__all__ = ["Expansion", "expand"]

# Variances below this have lost digits, or their inverses overflow.
_SMALLEST = 1e-290

Pairs = tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]


@dataclass(frozen=True, eq=False)
class Expansion:
    """Eigenpairs of the expected covariance and the moments of what a redraw changes.

    Attributes
    ----------
    values, vectors : ndarray of shape (D,) and (D, D)
        Eigenvalues, decreasing, and eigenvectors, as rows, of the expected covariance.
    covariance : ndarray of shape (q, D, D)
        Of the entries of each component, to first order; infinite where it is tied.
    joint : ndarray of shape (q, D, q, D), or None
        Between the entries of all components, if it was asked for.
    size : float
        The unit of standard deviations of eigenvalues; variances below are in its square, since
        fourth powers of the data may not fit into float64.
    variance : ndarray of shape (q,)
        Of the eigenvalues, second-order terms included.
    shift : ndarray of shape (q,)
        Mean of the redrawn eigenvalues minus ``values``, Σ_j Var(δ_ij) / (λ_i − λ_j).
    linear : ndarray of shape (k, k), k = min(q + 1, D)
        Covariances of δ_ii and δ_jj.
    spreads : ndarray of shape (q, D)
        Variances of δ_ij.
    gap_variance : ndarray of shape (k − 1,)
        Of the gap between components i and j = i + 1: that of δ_ii − δ_jj or of 2 δ_ij.
    tangent : ndarray of shape (q, D, D)
        Covariance of the coefficients δ_ij / (λ_i − λ_j) of each component on all eigenvectors.
    total_variance : float
        Of the trace, to order 2.
    total_covariance : ndarray of shape (q,)
        Between the eigenvalues and the trace, to order 2.
    influences : ndarray of shape (P, q + 1), or None
        What each kept point, or each row, adds to the eigenvalues and the trace, in ``size``.
    """

    values: Doubles
    vectors: Doubles
    covariance: Doubles
    joint: Doubles | None
    size: float
    variance: Doubles
    shift: Doubles
    linear: Doubles
    spreads: Doubles
    gap_variance: Doubles
    tangent: Doubles
    total_variance: float
    total_covariance: Doubles
    influences: Doubles | None


def expand(redraw: Redraw, q: int, order: int = 2, joint: bool = False) -> Expansion:
    """Second-order perturbation of the leading q eigenpairs; ``order=1`` keeps linear terms.

    To order 1 the expected covariance should be C, the covariance of the means.
    """
    first, second = _pairs(q, joint)
    # Numbers out of range are looked for once they have been used.
    with np.errstate(over="ignore", invalid="ignore"):
        unit = _unit(redraw.rows, redraw.expected)
        pairs = spectrum(redraw.expected / unit / unit)
        V = pairs.vectors
        sums: _Sums
        if redraw.groups is not None and redraw.groups.kept:
            sums = _PointSums(redraw, unit, V[: q + 1], (first, second))
        elif redraw.entries is not None:
            sums = _EntrySums(redraw, unit, V, (first, second))
        else:
            sums = _RowSums(redraw, unit, V[: q + 1], (first, second), order)
        total, whole = sums.totals() if order == 2 else (0.0, np.zeros(q))
        moved, influences = np.zeros(q), sums.influences
        if redraw.units == "anew":
            moved, total, whole, influences = _standardize(sums, pairs)[:q], 0.0, 0.0 * whole, None
        turned = V @ sums.spreads @ V.T
        inverse, tied = _inverse_gaps(pairs.values, q)
        tangent = turned * inverse[first, :, None] * inverse[second, None, :]
        blocks = V.T @ tangent @ V
        if not math.isfinite(blocks.sum()):
            if not np.isfinite(redraw.rows.cov.average_diagonal(redraw.rows.given_weights)).all():
                raise ValueError(out_of_range("X"))
            raise ValueError(
                "X must have errors and a spread of comparable size; powers of their ratio do not "
                "fit into float64 (check the units of the errors)"
            )
        blocks[tied[first] | tied[second]] = np.inf
    turned, linear = turned[:q], sums.linear
    spreads = turned.diagonal(axis1=1, axis2=2)
    # Two neighbors are a 2 × 2 problem: their gap becomes √((g + δ_ii − δ_jj)² + 4 δ_ij²).
    along, across = linear.diagonal(), linear.diagonal(1)
    gap_variance = along[:-1] + along[1:] - 2.0 * across
    gap_variance = np.maximum(gap_variance, 4.0 * spreads.diagonal(1)[: len(across)])
    variance, shift = spreads.diagonal(), moved
    if order == 2:
        # λ̃ has Σ δ_ij² / (λ_i − λ_j): its mean, and its variance for normal δ (Isserlis). The gap g
        # is replaced by g + Var(δ_ij) / g, which matters where they are of one size only.
        damped = inverse / (1.0 + np.maximum(spreads, 0.0) * np.square(inverse))
        coupling = turned * damped[:, None, :]
        shift = (spreads * damped).sum(axis=1) + moved
        variance = variance + 2.0 * np.einsum("ijk,ikj->i", coupling, coupling)
    return Expansion(
        values=pairs.values * unit**2,
        vectors=V,
        covariance=blocks[:q],
        joint=_joint(blocks, (first, second), q) if joint else None,
        size=unit**2,
        variance=np.maximum(variance, 0.0),
        shift=shift * unit**2,
        linear=linear,
        spreads=np.maximum(spreads, 0.0),
        gap_variance=gap_variance,
        tangent=tangent[:q],
        total_variance=total,
        total_covariance=whole[:q],
        influences=None if influences is None else np.delete(influences, np.s_[q:-1], axis=1),
    )


@lru_cache(maxsize=16)
def _pairs(q: int, joint: bool) -> Pairs:
    """Each component with itself and, if joint, with those after it."""
    i, j = np.triu_indices(q if joint else 0, 1)
    return np.append(range(q), i), np.append(range(q), j)


def _joint(blocks: Doubles, pairs: Pairs, q: int) -> Doubles:
    """Shape (q, D, q, D) of the blocks of all pairs; those in the other order are transposed."""
    (first, second), d = pairs, blocks.shape[1]
    found = np.empty((q, q, d, d))
    found[second, first], found[first, second] = blocks.transpose(0, 2, 1), blocks
    return found.transpose(0, 2, 1, 3)


def _standardize(sums: _Sums, pairs: Spectrum) -> Doubles:
    """Make the sums those of correlation matrices; the second-order shifts of the eigenvalues.

    With t the diagonal of δ, relative to that of R, the change of v_i is that of
    δv_i − ½ (λ_i + R)(v_i ∘ t), and of λ_i that of δ_ii − λ_i Σ_a v_ia² t_a.
    """
    V, values = pairs.vectors, pairs.values
    R = (V.T * values) @ V
    own = R.diagonal()
    relative = np.where(own > 0.5 * own.max(), 1.0 / np.maximum(own, 0.5 * own.max()), 0.0)
    crossed, T = sums.diagonals()
    crossed, T = crossed * relative, T * relative * relative[:, None]
    k = len(crossed)
    U = V[:k]
    half = 0.5 * (values[:k, None, None] * np.eye(len(V)) + R) * U[:, None, :]
    first, second = sums.pairs
    back = half[second].transpose(0, 2, 1)
    sums.spreads += (half[first] @ T - crossed[first]) @ back
    sums.spreads -= half[first] @ crossed[second].transpose(0, 2, 1)
    weights = values[:k, None] * np.square(U)
    crossing = np.einsum("ia,iab->ib", U, crossed) @ weights.T
    sums.linear = sums.linear + weights @ T @ weights.T - crossing - crossing.T
    np.fill_diagonal(sums.linear, np.maximum(sums.linear.diagonal(), 0.0))
    moved = 0.75 * weights @ T.diagonal() + 0.25 * np.einsum("ia,ab,ib->i", U, R * T, U)
    return np.asarray(moved - np.einsum("ia,iaa->i", U, crossed))


def _unit(X: UncertainArray, expected: Doubles) -> float:
    """A power of two near the standard deviations: in its units fourth powers stay finite."""
    largest = float(expected.diagonal().max())
    if largest < _SMALLEST:
        counted = X.mean[X.weights > 0.0]
        if largest > 0.0 or (counted != counted[0]).any():
            raise ValueError(out_of_range("X", "underflows"))
        largest = float(X.cov.average_diagonal(X.given_weights).max())  # of a single row
    return math.ldexp(1.0, math.frexp(math.sqrt(largest))[1])


def _inverse_gaps(values: Doubles, q: int) -> tuple[Doubles, npt.NDArray[np.bool_]]:
    """1 / (λ_i − λ_j), zero for j = i, shape (q, D); and which of the q components are tied."""
    gaps = values[:q, None] - values
    equal = np.abs(gaps) <= tie_tolerance(len(values)) * float(values[0])
    gaps[equal] = np.inf
    return 1.0 / gaps, np.add.reduce(equal, axis=1) > 1


class _Sums:
    """Covariances of δu_i for some orthonormal u_i, the rows of U, of shape (k, D).

    Attributes
    ----------
    pairs : tuple of two ndarrays of int
        Components i and k: all of them with themselves, then perhaps with those after them.
    spreads : ndarray of shape (number of pairs, D, D)
        Cov(δu_i, δu_k) for each pair of i and k.
    linear : ndarray of shape (k, k)
        Cov(δ_ii, δ_jj).
    influences : ndarray, or None
        What each point or row adds to all δ_ii, and to tr δ.
    """

    pairs: Pairs
    U: Doubles
    spreads: Doubles
    linear: Doubles
    influences: Doubles | None = None

    def diagonals(self) -> tuple[Doubles, Doubles]:
        """Cov(δu_i, t), shape (k, D, D), and Cov(t, t), shape (D, D), for the diagonal t of δ."""
        raise NotImplementedError

    def totals(self) -> tuple[float, Doubles]:
        """Var(tr δ), and Cov(δ_ii, tr δ) of shape (k,)."""
        crossed, T = self.diagonals()
        return float(T.sum()), np.einsum("ia,iab->i", self.U, crossed)


class _RowSums(_Sums):
    """From one pass over rows with independent errors, in the fourth power of ``unit``."""

    _cumulants: tuple[Doubles, Doubles, Doubles] | None = None

    def __init__(self, redraw: Redraw, unit: float, U: Doubles, pairs: Pairs, order: int) -> None:
        X, (first, second) = redraw.rows, pairs
        (n, d), k, count = X.shape, len(U), len(first)
        self.pairs, self.U, self._redraw, self._unit = pairs, U, redraw, unit
        self._w = w = X.weights
        self._cov = X.cov.scaled(1.0 / unit)
        self.spreads, self.linear = np.zeros((count, d, d)), np.zeros((k, k))
        if order == 2:
            # B = diag(w) − wwᵀ has B_nm² = w_n² w_m², to which n = m adds w_n² (1 − 2 w_n).
            self._own = np.square(w) * (1.0 - 2.0 * w)
            if redraw.own is not None:
                self._own = self._own + redraw.own
            self._common = S = weighted_sum(self._cov, np.square(w))
            along = U @ S
            self.linear += 2.0 * np.square(along @ U.T)
            self.spreads += (along[first] * U[second]).sum(axis=1)[:, None, None] * S
            self.spreads += along[second][:, :, None] * along[first][:, None, :]
        alone, axis = X.cov.kind == "diagonal", np.arange(d)
        for block in row_blocks(n, d * (6 + 2 * count + 2 * k)):
            m, own = self._weighted(block), self._own[block] if order == 2 else None
            cov = self._cov if len(m) == n else self._cov.take(block)
            columns = np.ascontiguousarray(m.T)  # long rows are faster to multiply by factors
            a = U @ columns
            if alone:
                psi = np.ascontiguousarray(cov.diagonal().T, dtype=np.float64)
                images = U[:, :, None] * psi
            else:
                images = row_images(cov, U).transpose(0, 2, 1)
            P = U @ images
            shared = P[first, second]
            for total, i, j in zip(self.spreads, first, second, strict=True):
                half = columns * (0.5 * P[i, j])
                back = (a[i] * images[j] + half) @ m
                ahead = back if i == j else (a[j] * images[i] + half) @ m
                total += ahead.T + back
                if own is not None:
                    total += (images[j] * own) @ images[i].T
            self.linear += 4.0 * np.einsum("in,jn,ijn->ij", a, a, P)
            weights = a[first] * a[second]
            if own is not None:
                weights += own * shared
                self.linear += 2.0 * (np.square(P) @ own)
            if alone:
                self.spreads[:, axis, axis] += weights @ psi.T
            else:
                self.spreads += weighted_sum(cov, weights)
        if order == 2 and redraw.cumulants is not None:
            self._add_cumulants(*redraw.cumulants)

    def _weighted(self, block: slice) -> Doubles:
        """w (m − μ) of some rows."""
        mean = self._redraw.rows.mean[block]
        centered = np.subtract(mean, self._redraw.mean, dtype=np.float64)
        centered *= (self._w[block] / self._unit)[:, None]
        return centered

    def _add_cumulants(self, third: Doubles, fourth: Doubles) -> None:
        """Add what third and fourth cumulants of independent errors contribute."""
        U, w, unit, m = self.U, self._w, self._unit, self._weighted(slice(None))
        B = w * (1.0 - w)
        fourth_sum, skewed = (B * B) @ (fourth / unit**4), B[:, None] * (third / unit**3)
        crossed = m.T @ skewed  # Σ w B m κ₃ᵀ
        along = U @ crossed
        self._cumulants = fourth_sum, crossed, along
        for total, i, k in zip(self.spreads, *self.pairs, strict=True):
            linear = crossed * (U[i] * U[k])
            total += linear + linear.T
            total += np.diag(fourth_sum * U[i] * U[k] + along[i] * U[k] + along[k] * U[i])
        squares = U * U
        mixed = 2.0 * (along * U) @ squares.T
        self.linear += (squares * fourth_sum) @ squares.T + mixed + mixed.T

    def diagonals(self) -> tuple[Doubles, Doubles]:
        U, (n, d), S = self.U, self._redraw.rows.shape, self._common
        X, T = 2.0 * S * (U @ S)[:, None, :], 2.0 * np.square(S)
        alone, axis = self._cov.kind in ("diagonal", "zero"), np.arange(d)
        for block in row_blocks(n, d * ((4 if alone else d) + len(U) + 3)):
            m, cov, own = self._weighted(block), self._cov.take(block), self._own[block, None]
            images = row_images(cov, U)
            if alone:
                psi = np.asarray(cov.diagonal(), dtype=np.float64)
                T[axis, axis] += (psi * (4.0 * m * m + 2.0 * own * psi)).sum(axis=0)
            else:
                psi = cov.dense().astype(np.float64, copy=False)
                T += 4.0 * np.einsum("na,nb,nab->ab", m, m, psi)
                T += 2.0 * np.einsum("nx,nab->ab", own, np.square(psi))
            for total, image, score in zip(X, images, U @ m.T, strict=True):
                total += 2.0 * m.T @ (m * image)
                moved = score[:, None] * m + own * image
                if alone:
                    total[axis, axis] += 2.0 * (psi * moved).sum(axis=0)
                else:
                    total += 2.0 * np.einsum("nab,nb->ab", psi, moved)
        if self._cumulants is not None:
            fourth, crossed, along = self._cumulants
            linear = crossed.diagonal()
            T[axis, axis] += fourth + 4.0 * linear
            X += crossed * U[:, None, :]
            X[:, axis, axis] += along + (2.0 * linear + fourth) * U
        return X, T


class _EntrySums(_Sums):
    """For independent δ_ij of known variances."""

    def __init__(self, redraw: Redraw, unit: float, V: Doubles, pairs: Pairs) -> None:
        assert redraw.entries is not None
        entries, rows, (first, second) = redraw.entries / unit**4, redraw.influences, pairs
        if rows is not None:
            self.influences = np.column_stack([rows, rows.sum(axis=1)]) / unit / unit
        self.pairs, self.U = pairs, V[: second.max() + 2]
        self._entries, self._V = entries, V
        # δ_ij and δ_kl are one for i = k and j = l, or for j = k and l = i.
        same = np.where(first == second, 1.0, 0.0)[:, None, None]
        self.spreads = same * (V.T * entries[first, None]) @ V
        crossed = entries[first, second, None, None] * V[second, :, None] * V[first, None, :]
        self.spreads += (1.0 - same) * crossed
        self.linear = np.diag(entries.diagonal()[: len(self.U)])

    def diagonals(self) -> tuple[Doubles, Doubles]:
        V = self._V
        twice = self._entries * (2.0 - np.eye(len(V)))
        X = np.stack([(V.T * twice[i]) @ V * u for i, u in enumerate(self.U)])
        T = np.stack([((V * v[:, None]) * (twice @ (V * v[:, None]))).sum(axis=0) for v in V.T])
        return X, T

    def totals(self) -> tuple[float, Doubles]:
        return float(self._entries.trace()), self.linear.diagonal()


class _PointSums(_Sums):
    """From points that are kept, whatever their law, to first order.

    A point at e from the mean of its group, which is at c from the center of all, adds
    w/n [e (c·u) + c (e·u) + s² (e (e·u) − Ψu)] to δu. Sums of squares are variances.
    """

    def __init__(self, redraw: Redraw, unit: float, U: Doubles, pairs: Pairs) -> None:
        groups = redraw.groups
        assert groups is not None
        self.pairs, self.U, index, square = pairs, U, groups.index, groups.scale**2
        center = groups.weights @ groups.means
        c, e = ((groups.means - center) / unit)[index], groups.points / unit
        share = (groups.weights / np.sqrt(groups.counts * (groups.counts - 1.0)))[index, None]

        def centered(values: Doubles) -> Doubles:
            return values - groups.group_means(values)[index]

        # What each point adds to the diagonal of δ, and to δu.
        self._features = share * (2.0 * e * c + square * centered(np.square(e)))
        self._moved = [
            share * (e * (c @ u)[:, None] + x[:, None] * c + square * centered(e * x[:, None]))
            for u, x in zip(U, U @ e.T, strict=True)
        ]
        self.spreads = np.stack(
            [self._moved[i].T @ self._moved[j] for i, j in zip(*pairs, strict=True)]
        )
        own = np.column_stack([one @ u for one, u in zip(self._moved, U, strict=True)])
        self.influences = np.column_stack([own, self._features.sum(axis=1)])
        self.linear = own.T @ own

    def diagonals(self) -> tuple[Doubles, Doubles]:
        crossed = np.stack([one.T @ self._features for one in self._moved])
        return crossed, self._features.T @ self._features


def row_images(cov: Covariance, U: Doubles) -> Doubles:
    """Ψ_n u for all rows and all u in U, shape (k, N, D); a view where rows share them."""
    cov = cov.plain() if cov.kind == "shared-axes" else cov
    n, d, _ = cov.shape
    if "cov" in cov.arrays:
        matrices = cov.arrays["cov"].reshape(-1, d).astype(np.float64, copy=False)
        images = (matrices @ (cov.multiplier * U.T)).reshape(-1, d, len(U)).transpose(2, 0, 1)
        return np.broadcast_to(images, (len(U), n, d))
    images = np.zeros((len(U), 1, d))
    if "std" in cov.arrays:
        images = cov.multiplier * np.square(cov.arrays["std"], dtype=np.float64) * U[:, None, :]
    if "factors" in cov.arrays:
        factors = cov.arrays["factors"].astype(np.float64, copy=False)
        inner = cov.multiplier * (U @ factors)
        images = images + (inner @ factors.transpose(0, 2, 1)).transpose(1, 0, 2)
    return np.broadcast_to(images, (len(U), n, d))
