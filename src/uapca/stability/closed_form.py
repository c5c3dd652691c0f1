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
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from uapca._validation import Doubles, out_of_range
from uapca.aggregate.accumulate import moments
from uapca.decomposition.spectrum import Spectrum, spectrum, tie_tolerance
from uapca.stability.groups import Groups
from uapca.uncertain import Covariance, UncertainArray
from uapca.uncertain.covariance import row_blocks

__all__ = [
    "Expansion",
    "Redraw",
    "expand",
    "redraw_of_groups",
    "redraw_of_truth",
    "redraw_of_values",
]

# Variances below this have lost digits, or their inverses overflow.
_SMALLEST = 1e-290

Cumulants = tuple[Doubles, Doubles]


@dataclass(frozen=True, eq=False)
class Redraw:
    """What is redrawn: rows with errors, and the covariance expected of a redraw.

    Attributes
    ----------
    rows : UncertainArray
        The rows with the covariances of what changes in a redraw.
    mean : ndarray of shape (D,)
    expected : ndarray of shape (D, D)
        M, the expectation of the redrawn covariance.
    own : ndarray of shape (N,), or None
        Weights of Ψ_n ⊗ Ψ_n in the covariance of δ beyond those of products of errors.
    cumulants : tuple of two ndarrays of shape (N, D), or None
        Third and fourth cumulants of independent errors; None for normal errors.
    entries : ndarray of shape (D, D), or None
        If given, the variances of independent δ_ij in the basis of eigenvectors of ``expected``,
        whatever the rows.
    influences : ndarray of shape (N, D), or None
        What each row adds to δ_ii, if its variance is that of the rows; the sum of squares.
    groups : Groups, or None
        The points behind the rows, if these are kept: they have the fourth moments.
    standardized : bool
        Whether redraws are standardized anew. ``expected`` then has the diagonal 1, or 0 for
        features without variance.
    """

    rows: UncertainArray
    mean: Doubles
    expected: Doubles
    own: Doubles | None = None
    cumulants: Cumulants | None = None
    entries: Doubles | None = None
    influences: Doubles | None = None
    groups: Groups | None = None
    standardized: bool = False


def redraw_of_values(X: UncertainArray, cumulants: Cumulants | None = None) -> Redraw:
    """One unknown value for each row: M = C + Σ w_n (1 − w_n) Ψ_n."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean, total = moments(X.mean, X.given_weights)
        total += weighted_sum(X.cov, X.weights * (1.0 - X.weights))
    if not np.isfinite(total).all():
        raise ValueError(out_of_range("X"))
    return Redraw(X, mean, total, cumulants=cumulants)


def redraw_of_groups(X: UncertainArray, counts: Doubles, scale: float) -> Redraw:
    """The points behind groups with population covariances (÷ n), as normals.

    M = C + Σ w_g (1 − w_g) Σ_g / n_g + s² Σ w_g Ψ_g with Σ_g = Ψ_g n_g / (n_g − 1).
    """
    share = 1.0 / (counts - 1.0)
    if X.cov.kind == "diagonal":
        rows = UncertainArray(X.mean, std=X.std * np.sqrt(share)[:, None], weights=X.given_weights)
    else:
        matrices = X.cov.dense() * share[:, None, None]
        rows = UncertainArray(X.mean, matrices, weights=X.given_weights, check=False)
    found = redraw_of_values(rows)
    w = X.weights
    expected = found.expected + scale**2 * X.cov.average(X.given_weights)
    return replace(found, expected=expected, own=scale**4 * w * w * (counts - 1.0))


def redraw_of_truth(X: UncertainArray, mean: Doubles, K: Doubles, normal: bool) -> Redraw:
    """The covariance of the truths behind posterior rows, by Fisher's information.

    With a_n,i the score of a posterior row, B_n its covariance and r_n,i = 1 − v_iᵀB_nv_i / λ_i the
    share of component i that its observation determined, Var(δ_ij) = λ_i λ_j / Σ r_n,i r_n,j, twice
    that for i = j: a row counts as much as it was observed. If truths need not be ``normal``, the
    variances of δ_ii are those of the influences of the rows, (a_n,i² − λ_i r_n,i) / mean(r_i²)
    (sandwich formula). Along components without variance B_n does not tell how
    much was observed; there the parameter errors of the model are used.
    """
    w, n = X.weights, len(X)
    pairs = spectrum(K)
    V, values = pairs.vectors, pairs.values
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = 1.0 - X.cov.variances_along(V) / values
        # Posterior rows match the covariance to about 1e-6 only.
        unseen = ~((values > 1e-9 * values[0]) & (w @ observed > 0.01))
    observed = np.where(unseen, 1.0, observed).clip(1e-9, 1.0)
    shares, rest = (observed.T * w) @ observed, max(n - 1.0, 1.0)
    entries = np.multiply.outer(values, values) / (rest * shares)
    axis, influences = np.arange(len(values)), None
    entries[axis, axis] *= 2.0
    if not normal:
        moved = (np.square((X.mean - mean) @ V.T) - observed * values) / shares.diagonal()
        influences = np.sqrt(w / rest)[:, None] * moved
        entries[axis, axis] = np.square(influences).sum(axis=0)
    if unseen.any():
        directions = X.parameter_errors.covariance(V)
        entries = np.where(unseen | unseen[:, None], np.square(directions).sum(axis=0), entries)
    return Redraw(X, mean, K, entries=entries, influences=influences)


@dataclass(frozen=True, eq=False)
class Expansion:
    """Eigenpairs of the expected covariance and the moments of what a redraw changes.

    Attributes
    ----------
    values, vectors : ndarray of shape (D,) and (D, D)
        Eigenvalues, decreasing, and eigenvectors, as rows, of the expected covariance.
    pairs : list of (int, int)
        The i and k of ``covariance``.
    covariance : ndarray of shape (len(pairs), D, D)
        Between the entries of components i and k, to first order; infinite where one is tied.
    size : float
        The unit of standard deviations of eigenvalues; variances below are in its square, since
        fourth powers of the data may not fit into float64.
    variance : ndarray of shape (q,)
        Of the eigenvalues, second-order terms included.
    shift : ndarray of shape (q,)
        Mean of the redrawn eigenvalues minus ``values``, Σ_j Var(δ_ij) / (λ_i − λ_j).
    gap_variance : ndarray of shape (min(q, D − 1),)
        Of the gap between components i and i + 1 (δ_ii − δ_jj).
    tangent : ndarray of shape (q, D, D)
        Covariance of the coefficients δ_ij / (λ_i − λ_j) of each component on all eigenvectors.
    total_variance : float
        Of the trace.
    total_covariance : ndarray of shape (q,)
        Between the eigenvalues and the trace.
    influences : ndarray of shape (P, q + 1), or None
        What each kept point, or each row, adds to the eigenvalues and the trace, in ``size``.
    """

    values: Doubles
    vectors: Doubles
    pairs: list[tuple[int, int]]
    covariance: Doubles
    size: float
    variance: Doubles
    shift: Doubles
    gap_variance: Doubles
    tangent: Doubles
    total_variance: float
    total_covariance: Doubles
    influences: Doubles | None


def expand(redraw: Redraw, q: int, order: int = 2, joint: bool = False) -> Expansion:
    """Second-order perturbation of the leading q eigenpairs; ``order=1`` keeps linear terms.

    To order 1 the expected covariance should be C, the covariance of the means.
    """
    X, base = redraw.rows, redraw.expected
    wanted = [(i, k) for i in range(q) for k in range(i, q if joint else i + 1)]
    # Numbers out of range are looked for once they have been used.
    with np.errstate(over="ignore", invalid="ignore"):
        unit, error = _units(X, base, order)
        pairs = spectrum(base / unit / unit)
        V = pairs.vectors
        sums: _RowSums | _EntrySums | _PointSums
        if redraw.groups is not None:
            sums = _PointSums(redraw.groups, unit, V[: q + 1], wanted)
        elif redraw.entries is None:
            sums = _RowSums(redraw, (unit, error), V[: q + 1], wanted, order)
        else:
            sums = _EntrySums(redraw.entries / unit**4, V, wanted)
        gap_variance, moved = sums.gap_variances(), np.zeros(q)
        if redraw.standardized:
            gap_variance, moved = _standardize(sums, gap_variance, pairs, q)
        turned = V @ sums.spreads @ V.T
        inverse, tied = _inverse_gaps(pairs.values * (unit / error), q)
        first, second = sums.first, sums.second
        tangent = turned * inverse[first, :, None] * inverse[second, None, :]
        blocks = V.T @ tangent @ V
        loose = tied[first] | tied[second]
        _check_range(turned, gap_variance, blocks[~loose])
        blocks[loose] = np.inf
    own = np.flatnonzero(first == second)
    tangent = tangent[own]
    spreads = turned.diagonal(axis1=1, axis2=2)[own]
    variance, shift = spreads.diagonal().copy(), np.zeros(q)
    if order == 2:
        # λ̃ has Σ δ_ij² / (λ_i − λ_j): its mean, and its variance for normal δ (Isserlis). The gap g
        # is replaced by g + Var(δ_ij) / g, which matters where they are of one size only.
        damped = inverse / (1.0 + np.maximum(spreads, 0.0) * np.square(inverse))
        coupling = turned[own] * damped[:, None, :]
        shift = (spreads * damped).sum(axis=1) + moved
        variance += 2.0 * np.einsum("ijk,ikj->i", coupling, coupling)
    return Expansion(
        values=pairs.values * unit**2,
        vectors=V,
        pairs=wanted,
        covariance=blocks,
        size=unit * error,
        variance=np.maximum(variance, 0.0),
        shift=shift * unit * error,
        gap_variance=gap_variance,
        tangent=tangent,
        total_variance=sums.total_variance,
        total_covariance=sums.total_covariance[:q],
        influences=_influences(redraw, sums, unit, q),
    )


def _influences(redraw: Redraw, sums: object, unit: float, q: int) -> Doubles | None:
    """Of kept points or rows on q eigenvalues and the trace, in units², where they are known."""
    if isinstance(sums, _PointSums):
        return np.column_stack([sums.influences[:, :q], sums.influences[:, -1]])
    if redraw.influences is None:
        return None
    rows = redraw.influences / unit / unit
    return np.column_stack([rows[:, :q], rows.sum(axis=1)])


def _standardize(
    sums: _RowSums | _EntrySums | _PointSums, gap_variance: Doubles, pairs: Spectrum, q: int
) -> tuple[Doubles, Doubles]:
    """Make the sums those of correlation matrices; the variances of gaps, and second-order shifts.

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
    for spread, i, j in zip(sums.spreads, sums.first, sums.second, strict=True):
        spread -= crossed[i] @ half[j].T + half[i] @ crossed[j].T
        spread += half[i] @ T @ half[j].T
    squares = np.square(U)
    weights = values[:k, None] * squares
    along = np.einsum("ia,iab->ib", U, crossed)
    steps = weights[:-1] - weights[1:]
    gap_variance = gap_variance - 2.0 * ((along[:-1] - along[1:]) * steps).sum(axis=1)
    gap_variance = gap_variance + np.einsum("ia,ab,ib->i", steps, T, steps)
    sums.total_variance, sums.total_covariance = 0.0, np.zeros(k)
    if isinstance(sums, _PointSums):
        sums.influences[:, :k] -= sums.features * relative @ weights.T
        sums.influences[:, k] = 0.0
    moved = 0.75 * weights @ T.diagonal() + 0.25 * np.einsum("ia,ab,ib->i", U, R * T, U)
    moved -= np.einsum("ia,iaa->i", U, crossed)
    return np.maximum(gap_variance, 0.0), moved[:q]


def weighted_sum(cov: Covariance, weights: Doubles) -> Doubles:
    """Σ t_n Ψ_n for weights of any sign and sum, shape (D, D)."""
    if weights.min() < 0.0:
        positive = np.maximum(weights, 0.0)
        return weighted_sum(cov, positive) - weighted_sum(cov, positive - weights)
    size = float(weights.sum())
    if size == 0.0:
        return np.zeros(cov.shape[1:])
    # An average wants shares; a representation shared by all rows never looks at them.
    return size * cov.average(weights / size)


def _units(X: UncertainArray, base: Doubles, order: int) -> tuple[float, float]:
    """Units of the spread and of the errors, powers of two, so that fourth powers stay finite.

    To order 2 both are one, the larger: there the errors are part of the spread.
    """
    spread = max(base.diagonal().tolist())
    within = float(X.cov.average_diagonal(X.given_weights).max())
    leading = max(spread, within) if order == 2 else spread
    lost = leading < _SMALLEST and spread > 0.0
    if leading < _SMALLEST and not lost:
        counted = X.mean[X.weights > 0.0]
        lost = bool((counted != counted[0]).any())
    if lost or not math.isfinite(within):
        raise ValueError(out_of_range("X", "underflows" if math.isfinite(within) else "overflows"))
    if order == 2:
        spread = within = max(spread, within)
    # What is too small to be squared is measured in the other's unit.
    large = max(spread, within)
    spread, within = (x if x >= _SMALLEST else large for x in (spread, within))
    one, other = (math.ldexp(1.0, math.frexp(math.sqrt(max(x, 0.0)))[1]) for x in (spread, within))
    return one, other


def _check_range(*found: Doubles) -> None:
    """Raise unless all numbers are finite and so are their sums."""
    if not all(math.isfinite(np.add.reduce(values, axis=None)) for values in found):
        raise ValueError(
            "X must have errors and a spread of comparable size; powers of their ratio do not fit "
            "into float64 (check the units of the errors)"
        )


def _inverse_gaps(values: Doubles, q: int) -> tuple[Doubles, npt.NDArray[np.bool_]]:
    """1 / (λ_i − λ_j), zero for j = i, shape (q, D); and which of the q components are tied."""
    gaps = values[:q, None] - values
    equal = np.abs(gaps) <= tie_tolerance(len(values)) * float(values[0])
    gaps[equal] = np.inf
    return 1.0 / gaps, np.add.reduce(equal, axis=1) > 1


class _RowSums:
    """Covariances of δu_i for some vectors, from one pass over the rows.

    Parameters
    ----------
    redraw : Redraw
    units : tuple of float
        What the means and the errors are measured in, m and e: the spreads are in m²e². With
        products of errors, of order 2, the two are the same.
    U : ndarray of shape (k, D)
        Orthonormal rows.
    pairs : sequence of (int, int)
        The i and k for which to find Cov(δu_i, δu_k).
    order : {1, 2}
        Whether products of errors count.

    Attributes
    ----------
    spreads : ndarray of shape (number of pairs, D, D)
        Cov(δu_i, δu_k) for each pair.
    first, second : ndarray of int
        The i and the k of the pairs.
    total_variance : float
        Var(tr δ), to order 2.
    total_covariance : ndarray of shape (k,)
        Cov(δ_ii, tr δ), to order 2.
    """

    def __init__(
        self,
        redraw: Redraw,
        units: tuple[float, float],
        U: Doubles,
        pairs: Sequence[tuple[int, int]],
        order: int,
    ) -> None:
        X, w = redraw.rows, redraw.rows.weights
        (n, d), k = X.shape, len(U)
        self._U, self._cov, self._pairs = U, X.cov.scaled(1.0 / units[1]), pairs
        self._redraw, self._unit = redraw, units[0]
        self.first, self.second = np.array(pairs, dtype=np.intp).T
        self._squares = w * w
        # B = diag(w) − wwᵀ has B_nm² = w_n² w_m², to which n = m adds w_n² (1 − 2 w_n).
        self._own = self._common = None
        if order == 2:
            self._own = self._squares * (1.0 - 2.0 * w)
            if redraw.own is not None:
                self._own = self._own + redraw.own
            self._common = weighted_sum(self._cov, self._squares)
        self._scores = np.empty((k, n))  # a = U (m − μ)
        self._along = np.empty((k, n))  # P_ii of P = U Ψ Uᵀ
        self._across = np.empty((k - 1, n))  # P_ij for neighbors
        self.spreads = np.zeros((len(pairs), d, d))
        self.total_variance, self.total_covariance = 0.0, np.zeros(k)
        add = self._add_independent if self._cov.kind == "diagonal" else self._add_any
        for block in row_blocks(n, d * (k + 6 + 2 * len(pairs))):
            centered = np.subtract(X.mean[block], redraw.mean, dtype=np.float64)
            centered /= units[0]
            np.matmul(U, centered.T, out=self._scores[:, block])
            add(block, centered)
        if self._common is not None:
            S, along = self._common, U @ self._common
            for total, (i, j) in zip(self.spreads, pairs, strict=True):
                total += (along[i] @ U[j]) * S + np.multiply.outer(along[j], along[i])
            self.total_variance += 2.0 * float(np.square(S).sum())
            self.total_covariance += 2.0 * np.square(along).sum(axis=1)
        self._cumulant_gaps = np.zeros(max(k - 1, 0))
        if order == 2 and redraw.cumulants is not None:
            self._add_cumulants(redraw, units[1])

    def _add_independent(self, block: slice, centered: Doubles) -> None:
        """Add a block of rows with independent errors: Ψu is ψ ∘ u."""
        U, first, second, q = self._U, self.first, self.second, max(map(max, self._pairs)) + 1
        psi = _variances(self._cov, block)
        left, right = U[first], U[second]
        inner = np.concatenate([U * U, U[:-1] * U[1:], left * right]) @ psi.T
        k, squares = len(U), self._squares[block]
        self._along[:, block], self._across[:, block] = inner[:k], inner[k : 2 * k - 1]
        P, a = inner[2 * k - 1 :], self._scores[:, block]
        # Σ w² a_i m ψᵀ for each component, and Σ w² P_ij m mᵀ for each pair.
        buffer = np.empty_like(centered)
        crossed = [
            np.multiply(centered, row[:, None], out=buffer).T @ psi for row in squares * a[:q]
        ]
        for t, (i, j) in enumerate(self._pairs):
            np.multiply(centered, (squares * P[t])[:, None], out=buffer)
            self.spreads[t] += buffer.T @ centered
            self.spreads[t] += crossed[j] * U[i] + (crossed[i] * U[j]).T
        weights = squares * a[first] * a[second]
        if self._own is not None:
            own = self._own[block]
            weights += own * P
            products = (psi * own[:, None]).T @ psi
            self.spreads += right[:, :, None] * left[:, None, :] * products
            square = np.square(psi)
            self.total_variance += 4.0 * float(squares @ (np.square(centered) * psi).sum(axis=1))
            self.total_variance += 2.0 * float(own @ square.sum(axis=1))
            linear = U @ (centered * psi).T
            self.total_covariance += 4.0 * (a * linear) @ squares + 2.0 * (U * U) @ (square.T @ own)
        self.spreads.reshape(len(first), -1)[:, :: U.shape[1] + 1] += weights @ psi

    def _add_any(self, block: slice, centered: Doubles) -> None:
        """Add a block of rows, from the products Ψu."""
        images = row_images(self._cov, block, self._U)
        P = self._U @ images.transpose(0, 2, 1)
        self._along[:, block], self._across[:, block] = P.diagonal().T, P.diagonal(1).T
        squares, a, d = self._squares[block], self._scores[:, block], centered.shape[1]
        # One product gives mᵀ(P_ij m + a_j Ψu_i) and mᵀ(a_i Ψu_j), or half of both if i = j.
        width = sum(1 + (i != j) for i, j in self._pairs)
        mixed = np.empty((len(centered), width, d))
        weights = np.empty((len(self._pairs), len(centered)))
        width = 0
        for t, (i, j) in enumerate(self._pairs):
            level = squares * P[i, j] * (0.5 if i == j else 1.0)
            for first, second in [(i, j)] if i == j else [(i, j), (j, i)]:
                part = mixed[:, width]
                np.multiply(images[first], (squares * a[second])[:, None], out=part)
                if first == i:
                    part += level[:, None] * centered
                width += 1
            weights[t] = squares * a[i] * a[j]
            if self._own is not None:
                own = self._own[block]
                weights[t] += own * P[i, j]
                self.spreads[t] += images[j].T @ (own[:, None] * images[i])
        halves = (centered.T @ mixed.reshape(len(centered), -1)).reshape(d, -1, d)
        width = 0
        for t, (i, j) in enumerate(self._pairs):
            self.spreads[t] += halves[:, width]
            width += i != j
            self.spreads[t] += halves[:, width].T
            width += 1
        self.spreads += row_sums(self._cov, block, weights)
        if self._own is not None:
            quadratic, square = row_traces(self._cov, block, centered)
            self.total_variance += 4.0 * float(squares @ quadratic)
            self.total_variance += 2.0 * float(self._own[block] @ square)
            linear = np.einsum("nd,knd->kn", centered, images)
            self.total_covariance += 4.0 * (a * linear) @ squares
            self.total_covariance += 2.0 * np.square(images).sum(axis=2) @ self._own[block]

    def _add_cumulants(self, redraw: Redraw, unit: float) -> None:
        """Add what third and fourth cumulants of independent errors contribute."""
        assert redraw.cumulants is not None
        U, a, w = self._U, self._scores, redraw.rows.weights
        third, fourth = (c / unit**p for c, p in zip(redraw.cumulants, (3, 4), strict=True))
        centered = (redraw.rows.mean - redraw.mean) / unit
        B = w * (1.0 - w)
        fourth_sum, skewed = (B * B) @ fourth, (w * B)[:, None] * third
        crossed = centered.T @ skewed  # Σ w B m κ₃ᵀ
        along = a @ skewed  # Σ w B a_i κ₃
        self._cumulants = fourth_sum, crossed, along
        for total, (i, k) in zip(self.spreads, self._pairs, strict=True):
            linear = crossed * (U[i] * U[k])
            total += linear + linear.T
            total += np.diag(fourth_sum * U[i] * U[k] + along[i] * U[k] + along[k] * U[i])
        squares = U * U
        self.total_variance += float(fourth_sum.sum() + 4.0 * crossed.trace())
        self.total_covariance += squares @ (fourth_sum + 2.0 * crossed.diagonal())
        self.total_covariance += 2.0 * (along * U).sum(axis=1)
        difference = squares[:-1] - squares[1:]
        self._cumulant_gaps += np.square(difference) @ fourth_sum
        steps = along[:-1] * U[:-1] - along[1:] * U[1:]
        self._cumulant_gaps += 4.0 * (steps * difference).sum(axis=1)

    def diagonals(self) -> tuple[Doubles, Doubles]:
        """Cov(δu_i, t) for each of U and Cov(t, t), for the diagonal t of δ, to order 2.

        Shapes (k, D, D) and (D, D).
        """
        assert self._own is not None
        assert self._common is not None
        U, a, (n, d), S = self._U, self._scores, self._redraw.rows.shape, self._common
        X, T = 2.0 * S * (U @ S)[:, None, :], 2.0 * np.square(S)
        for block in row_blocks(n, d * (d + len(U) + 3)):
            m = np.subtract(self._redraw.rows.mean[block], self._redraw.mean) / self._unit
            psi = self._cov.take(block).dense().astype(np.float64, copy=False)
            weighted, own = self._squares[block, None] * m, self._own[block, None]
            T += 4.0 * np.einsum("na,nb,nab->ab", weighted, m, psi)
            T += 2.0 * np.einsum("nx,nab->ab", own, np.square(psi))
            for total, u, score in zip(X, U, a[:, block], strict=True):
                image = psi @ u
                total += 2.0 * weighted.T @ (m * image)
                total += 2.0 * np.einsum("nab,nb->ab", psi, score[:, None] * weighted + own * image)
        if self._redraw.cumulants is not None:
            fourth, crossed, along = self._cumulants
            axis, linear = np.arange(d), crossed.diagonal()
            T[axis, axis] += fourth + 4.0 * linear
            X += crossed * U[:, None, :]
            X[:, axis, axis] += along + (2.0 * linear + fourth) * U
        return X, T

    def gap_variances(self) -> Doubles:
        """Var(δ_ii − δ_jj) for neighbors j = i + 1 among U, shape (k − 1,)."""
        a, P, across = self._scores, self._along, self._across
        weighted = np.square(a) * P
        linear = weighted[:-1] + weighted[1:] - 2.0 * a[:-1] * a[1:] * across
        result = 4.0 * (linear @ self._squares)
        if self._own is not None and self._common is not None:
            square = np.square(P[:-1]) + np.square(P[1:]) - 2.0 * np.square(across)
            S = self._U @ self._common @ self._U.T
            own = np.square(np.diagonal(S))
            result += 2.0 * (square @ self._own)
            result += 2.0 * (own[:-1] + own[1:] - 2.0 * np.square(np.diagonal(S, 1)))
        return np.asarray(np.maximum(result + self._cumulant_gaps, 0.0))


class _EntrySums:
    """The attributes of `_RowSums` for independent δ_ij of known variances."""

    def __init__(self, entries: Doubles, V: Doubles, pairs: Sequence[tuple[int, int]]) -> None:
        self.first, self.second = np.array(pairs, dtype=np.intp).T
        turned = np.zeros((len(pairs), *entries.shape))
        for total, (i, k) in zip(turned, pairs, strict=True):
            if i == k:
                np.fill_diagonal(total, entries[i])
            else:  # of δ_ij and δ_kl, which are one for j = k and l = i
                total[k, i] = entries[i, k]
        self.spreads = V.T @ turned @ V
        self._entries, self._V = entries, V
        self._own = entries.diagonal()[: max(map(max, pairs)) + 2]
        self.total_variance, self.total_covariance = float(entries.trace()), self._own

    def diagonals(self) -> tuple[Doubles, Doubles]:
        """As `_RowSums.diagonals`."""
        V, k = self._V, len(self._own)
        twice = self._entries * (2.0 - np.eye(len(V)))
        X = np.stack([(V.T * twice[i]) @ V * V[i] for i in range(k)])
        T = np.stack([((V * v[:, None]) * (twice @ (V * v[:, None]))).sum(axis=0) for v in V.T])
        return X, T

    def gap_variances(self) -> Doubles:
        """Var(δ_ii − δ_jj) for neighbors j = i + 1."""
        return self._own[:-1] + self._own[1:]


class _PointSums:
    """The attributes of `_RowSums` from points that are kept, whatever their law, to first order.

    A point at e from the mean of its group, which is at c from the center of all, adds
    w/n [e (c·u) + c (e·u) + s² (e (e·u) − Ψu)] to δu. Sums of squares are variances.
    """

    def __init__(
        self, groups: Groups, unit: float, U: Doubles, pairs: Sequence[tuple[int, int]]
    ) -> None:
        self.first, self.second = np.array(pairs, dtype=np.intp).T
        k, d = U.shape
        self.spreads, self._crossed = np.zeros((len(pairs), d, d)), np.zeros((k, d, d))
        centered = (groups.means - groups.weights @ groups.means) / unit
        own, features = [], []  # of δ_ii, and of the diagonal of δ
        for w, n, c, points in zip(
            groups.weights, groups.counts, centered, groups.points, strict=True
        ):
            e, share = points / unit, w / math.sqrt(n * (n - 1.0))
            squares = np.square(e)
            each = 2.0 * e * c + groups.scale**2 * (squares - squares.mean(axis=0))
            features.append(share * each)
            moved = []
            for u, x in zip(U, (e @ U.T).T, strict=True):
                products = e * x[:, None]
                products -= products.mean(axis=0)
                found = e * (c @ u) + np.multiply.outer(x, c) + groups.scale**2 * products
                moved.append(share * found)
            for total, i, j in zip(self.spreads, self.first, self.second, strict=True):
                total += moved[i].T @ moved[j]
            for total, one in zip(self._crossed, moved, strict=True):
                total += one.T @ features[-1]
            own.append(np.column_stack([one @ u for one, u in zip(moved, U, strict=True)]))
        self.features = np.concatenate(features)
        self.influences = np.column_stack([np.concatenate(own), self.features.sum(axis=1)])
        covariance = self.influences.T @ self.influences[:, k]
        self.total_variance, self.total_covariance = float(covariance[k]), covariance[:k]

    def diagonals(self) -> tuple[Doubles, Doubles]:
        """As `_RowSums.diagonals`."""
        return self._crossed, self.features.T @ self.features

    def gap_variances(self) -> Doubles:
        """Var(δ_ii − δ_jj) for neighbors j = i + 1."""
        return np.asarray(np.square(np.diff(self.influences[:, :-1], axis=1)).sum(axis=0))


def row_images(cov: Covariance, rows: slice, U: Doubles) -> Doubles:
    """Ψ_n u for some rows and all u in U, shape (k, n, D); a view where rows share them."""
    n = rows.stop - rows.start
    shape = (len(U), n, cov.shape[1])
    if cov.kind == "zero":
        return np.broadcast_to(np.float64(0.0), shape)
    if cov.kind == "shared":
        images = cov.multiplier * (U @ cov.arrays["cov"])
        return np.broadcast_to(images[:, None, :], shape)
    if cov.kind == "dense":
        matrices = cov.arrays["cov"][rows].reshape(-1, shape[2]).astype(np.float64, copy=False)
        images = matrices @ (cov.multiplier * U.T)
        return np.ascontiguousarray(images.reshape(n, -1, len(U)).transpose(2, 0, 1))
    images = np.zeros(shape)
    if "std" in cov.arrays:
        images += _variances(cov, rows) * U[:, None, :]
    if "factors" in cov.arrays:
        factors = cov.arrays["factors"][rows].astype(np.float64, copy=False)
        inner = cov.multiplier * (U @ factors)
        images += (inner @ factors.transpose(0, 2, 1)).transpose(1, 0, 2)
    return images


def row_sums(cov: Covariance, rows: slice, weights: Doubles) -> Doubles:
    """Σ t_n Ψ_n over some rows for each set of weights (p, n), of any sign; shape (p, D, D)."""
    p, d = len(weights), cov.shape[1]
    if cov.kind == "shared":
        matrix = cov.multiplier * cov.arrays["cov"].astype(np.float64, copy=False)
        return np.asarray(weights.sum(axis=1)[:, None, None] * matrix)
    if cov.kind == "dense":
        matrices = cov.arrays["cov"][rows].reshape(-1, d * d).astype(np.float64, copy=False)
        return np.asarray((cov.multiplier * (weights @ matrices)).reshape(p, d, d))
    out = np.zeros((p, d, d))
    if "std" in cov.arrays:
        axis = np.arange(d)
        out[:, axis, axis] = weights @ _variances(cov, rows)
    if "factors" in cov.arrays:
        factors = cov.arrays["factors"][rows].astype(np.float64, copy=False)
        for total, each in zip(out, cov.multiplier * weights, strict=True):
            total += np.tensordot(each[:, None, None] * factors, factors, axes=([0, 2], [0, 2]))
    return out


def row_traces(cov: Covariance, rows: slice, centered: Doubles) -> tuple[Doubles, Doubles]:
    """mᵀΨ_n m for a vector of each row, and tr Ψ_n², both of shape (n,)."""
    n = len(centered)
    if cov.kind == "shared":
        matrix = cov.multiplier * cov.arrays["cov"].astype(np.float64, copy=False)
        quadratic = np.einsum("nd,nd->n", centered @ matrix, centered)
        return quadratic, np.full(n, np.square(matrix).sum())
    if cov.kind == "dense":
        matrices = cov.multiplier * cov.arrays["cov"][rows].astype(np.float64, copy=False)
        quadratic = np.einsum("nd,nde,ne->n", centered, matrices, centered, optimize=True)
        return quadratic, np.einsum("nde,nde->n", matrices, matrices)
    quadratic, square = np.zeros(n), np.zeros(n)
    variances = _variances(cov, rows) if "std" in cov.arrays else np.zeros_like(centered)
    quadratic += (np.square(centered) * variances).sum(axis=1)
    square += np.square(variances).sum(axis=1)
    if "factors" in cov.arrays:
        factors = math.sqrt(cov.multiplier) * cov.arrays["factors"][rows].astype(np.float64)
        quadratic += np.square(np.einsum("nd,ndr->nr", centered, factors)).sum(axis=1)
        square += np.square(factors.transpose(0, 2, 1) @ factors).sum(axis=(1, 2))
        square += 2.0 * np.einsum("nd,ndr->n", variances, np.square(factors))
    return quadratic, square


def _variances(cov: Covariance, rows: slice) -> Doubles:
    """The variances of independent errors of some rows, shape (n, D)."""
    std = cov.arrays["std"]
    variances = np.square(std if len(std) == 1 else std[rows], dtype=np.float64)
    if cov.multiplier != 1.0:
        variances *= cov.multiplier
    shape = rows.stop - rows.start, cov.shape[1]
    return variances if variances.shape == shape else np.broadcast_to(variances, shape)
