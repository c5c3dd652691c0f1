"""The likelihood of noisy, incomplete rows and the climb to its maximum.

The model is x = t + e on the observed cells of a row, with e ~ N(0, Ψₙ) known and
t ~ N(μ, Σ), Σ = W Wᵀ + σ² I. With Sₙ = (Σ + Ψₙ) on the observed cells,

    uₙ = Sₙ⁻¹ (xₙ − μ),  b = Σ wₙ uₙ,  A = Σ wₙ Sₙ⁻¹,  R = Σ wₙ uₙ uₙᵀ,  H = R − A,

the gradients of the mean log-likelihood are b in μ, H W in W and σ tr H in σ.
Unobserved cells count as zero in u and in Sₙ⁻¹. The full model is W of shape (D, D) with σ = 0.

Arrays are stored with the features first and the rows last, (D, B) for a block of B rows, so
that the small matrices of all rows of a block are inverted in one sequence of array operations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_factor, cho_solve

from uapca.uncertain import Covariance, Dense, Diagonal, LowRank, Shared, UncertainArray

__all__ = ["Observations", "Parameters", "Pass", "climb", "start"]

Doubles = npt.NDArray[np.float64]
_BLOCK = 1 << 17  # numbers in the largest array of a block: about the size of the second cache
_LOG_2PI = float(np.log(2 * np.pi))


class Parameters(NamedTuple):
    """μ of shape (D,), W of shape (D, q) and σ²: Σ = W Wᵀ + σ² I."""

    mean: Doubles
    loadings: Doubles
    noise: float

    def covariance(self) -> Doubles:
        W = self.loadings
        return W @ W.T + self.noise * np.eye(len(W))


class Pass(NamedTuple):
    """The mean log-likelihood of a row, its gradients b, H W and tr H, and Wᵀ R W.

    H itself only where it was formed.
    """

    value: float
    b: Doubles
    HW: Doubles
    trace: float
    ZZ: Doubles
    H: Doubles | None = None


@dataclass
class Block:
    """Some rows. ``group`` says which error model each row has; None: each its own."""

    rows: npt.NDArray[np.intp]
    values: Doubles  # (D, B), zero where nothing was observed
    weights: Doubles  # (B,)
    variances: Doubles  # (D, G), infinite where nothing was observed; without cov and factors
    count: Doubles  # (G,) number of observed cells
    group: npt.NDArray[np.intp] | None
    factors: Doubles | None = None  # (D, r, G)
    cov: Doubles | None = None  # (D, D, G), zero in rows and columns not observed
    observed: Doubles | None = None  # (D, G) as 0.0 and 1.0; None: all
    group_weights: Doubles = field(init=False)

    def __post_init__(self) -> None:
        groups = self.variances.shape[1]
        self.group_weights = (
            self.weights
            if self.group is None
            else np.bincount(self.group, self.weights, minlength=groups).astype(np.float64)
        )

    @property
    def finite(self) -> Doubles:
        """The variances, zero where nothing was observed."""
        return (
            self.variances
            if self.observed is None
            else np.where(self.observed, self.variances, 0.0)
        )

    def residuals(self, mean: Doubles) -> Doubles:
        """x − μ (D, B), zero where nothing was observed."""
        r = self.values - mean[:, None]
        if self.observed is not None:
            r *= self.spread(self.observed)
        return r

    def spread(self, values: Doubles) -> Doubles:
        """Values of the groups (…, G) as values of the rows (…, B)."""
        if self.group is None or values.shape[-1] == 1:
            return values
        return np.asarray(values[..., self.group])


def inverses(S: Doubles) -> Doubles:
    """Replace the positive definite matrices S (k, k, G) by their inverses; log-determinants.

    Gauss–Jordan elimination of all matrices at once; large matrices go to LAPACK one by one.
    """
    k, _, count = S.shape
    if k > 24:
        stack = np.ascontiguousarray(np.moveaxis(S, 2, 0))
        half = np.linalg.cholesky(stack)
        S[...] = np.moveaxis(np.linalg.inv(stack), 0, 2)
        return np.asarray(2 * np.log(np.diagonal(half, axis1=1, axis2=2)).sum(axis=1))
    determinants = np.zeros(count)
    product = np.empty_like(S)
    for p in range(k):
        pivot = S[p, p].copy()
        if not (pivot > 0).all():
            raise np.linalg.LinAlgError("not positive definite")
        determinants += np.log(pivot)
        row = S[p] / pivot
        column = S[:, p].copy()
        np.multiply(column[:, None], row, out=product)
        S -= product
        S[p] = row
        np.divide(column, -pivot, out=S[:, p])
        np.divide(1.0, pivot, out=S[p, p])
    return determinants


class Observations:
    """Rows prepared for repeated passes: shifted, in one unit, in blocks, equal errors grouped.

    Parameters
    ----------
    X : UncertainArray
        NaN in the means where nothing was observed.
    center, unit : ndarray of shape (D,) and float, optional
        What is subtracted and divided by; the weighted means and an overall standard deviation
        by default.
    """

    def __init__(
        self, X: UncertainArray, center: Doubles | None = None, unit: float | None = None
    ) -> None:
        values = np.asarray(X.mean, dtype=np.float64)
        n, d = values.shape
        observed = ~np.isnan(values)
        complete = bool(observed.all())
        weights = np.array(X.weights)
        kind, arrays = X.cov.kind, X.cov.arrays
        variances = np.asarray(X.cov.diagonal(), dtype=np.float64)
        self.shape: tuple[int, int] = (n, d)
        self.weights = weights
        self.observed = observed
        self.complete = complete
        if center is None or unit is None:
            # Cells with large errors say little about where the data is and how far it scatters.
            positive = variances[observed & (variances > 0)]
            usual = float(np.median(positive)) if positive.size else 1.0
            share = weights[:, None] * observed / (variances + usual)
            total = np.maximum(share.sum(axis=0), np.finfo(float).tiny)
            center = np.einsum("nd,nd->d", share, np.where(observed, values, 0.0)) / total
            scatter = np.einsum("nd,nd->", share, np.square(np.where(observed, values - center, 0)))
            unit = float(np.sqrt(scatter / total.sum()))
            unit = unit if unit > 0 else float(np.sqrt(usual))
        values = np.where(observed, values - center, 0.0)
        self.center: Doubles = center
        self.unit: float = unit
        self.values: Doubles = values / unit
        self.variances: Doubles = np.broadcast_to(variances, (n, d)) / unit**2
        self.kind = kind
        self.certain: npt.NDArray[np.bool_] = observed & (variances == 0)
        # Whether every observed cell is certain.
        self.exact: bool = kind in ("zero", "diagonal") and bool(
            self.certain.sum() == observed.sum()
        )
        self.rank = arrays["factors"].shape[2] if kind == "low-rank" else 0
        rest = arrays.get("std") if kind == "low-rank" else None
        # Whether the diagonal part of some Ψ is zero in an observed cell.
        self.bare: bool = (
            bool(self.certain.any())
            if kind != "low-rank"
            else (rest is None or bool((observed & (rest == 0)).any()))
        )
        self.source = X
        self._blocks: dict[int, list[Block]] = {}

    @property
    def independent(self) -> bool:
        return self.kind in ("zero", "diagonal")

    def blocks(self, q: int | None = None) -> list[Block]:
        """The rows in blocks, for matrices D × D or, with q factors, of order q (+ r)."""
        d, rank = self.shape[1], self.rank
        numbers = d * d if q is None else max(d, (q + rank) ** 2) * (1 + rank)
        size = max(16, _BLOCK // numbers)
        if size not in self._blocks:
            self._blocks = {size: list(self._cut(size))}
        return self._blocks[size]

    def _cut(self, size: int) -> Iterator[Block]:
        n, d = self.shape
        group, first = self._groups
        order = np.arange(n) if group is None else np.argsort(group, kind="stable")
        arrays, scale = self.source.cov.arrays, self.source.cov.multiplier / self.unit**2
        for i in range(0, n, size):
            rows = order[i : i + size]
            if group is None or first is None:
                members, local = rows, None
            else:
                numbers, local = np.unique(group[rows], return_inverse=True)
                members = first[numbers]
            seen = self.observed[members].T
            variances = np.where(seen, self.variances[members].T, np.inf)
            block = Block(
                rows,
                np.ascontiguousarray(self.values[rows].T),
                self.weights[rows],
                variances,
                seen.sum(axis=0).astype(float),
                local,
                observed=None if seen.all() else seen.astype(float),
            )
            if self.kind == "low-rank":
                factors = np.sqrt(scale) * arrays["factors"][members].astype(np.float64)
                block.factors = np.ascontiguousarray(
                    np.where(seen[:, None], factors.transpose(1, 2, 0), 0.0)
                )
                rest = arrays.get("std")
                rest = np.zeros((1, d)) if rest is None else np.asarray(rest, dtype=np.float64)
                rest = np.broadcast_to(rest, (n, d))[members]
                block.variances = np.where(seen, scale * rest.T**2, np.inf)
            elif not self.independent:
                cov = np.asarray(arrays["cov"], dtype=np.float64)
                cov = scale * (cov[None] if cov.ndim == 2 else cov[members])
                block.cov = np.moveaxis(cov, 0, 2) * (seen[:, None] & seen[None])
            yield block

    @property
    def alike(self) -> bool:
        """Whether all rows have all cells and the same errors."""
        _, first = self._groups
        return self.complete and first is not None and len(first) == 1

    @cached_property
    def _groups(self) -> tuple[npt.NDArray[np.intp] | None, npt.NDArray[np.intp] | None]:
        """Rows with equal errors and equal cells observed: the group of each, its first row."""
        n, _ = self.shape
        kind, arrays = self.kind, self.source.cov.arrays
        if kind in ("low-rank", "dense") and n > 1:
            return None, None
        one = kind in ("zero", "shared") or (kind == "diagonal" and len(arrays["std"]) == 1)
        if one and self.complete:
            return np.zeros(n, dtype=np.intp), np.zeros(1, dtype=np.intp)
        keys = np.packbits(self.observed, axis=1)
        if not one:
            few = self.variances[:256]
            if len(np.unique(few, axis=0)) > 0.5 * len(few):
                return None, None
            keys = np.hstack([keys, np.ascontiguousarray(self.variances).view(np.uint8)])
        keys = np.ascontiguousarray(keys).view([("", np.void, keys.shape[1])]).ravel()
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        return (group, first) if len(first) <= 0.5 * n else (None, None)

    def nullity(self) -> npt.NDArray[np.intp]:
        """For each row the number of directions of its observed cells without error."""
        if self.independent or (self.kind == "low-rank" and not self.bare):
            return np.asarray(self.certain.sum(axis=1))
        counts = self.observed.sum(axis=1)
        if self.kind == "low-rank" and "std" not in self.source.cov.arrays:
            factors = self.source.cov.arrays["factors"] * self.observed[:, :, None]
            return np.asarray(counts - np.linalg.matrix_rank(factors, tol=1e-11 * self.unit))
        out = np.empty(self.shape[0], dtype=np.intp)
        for block in self.blocks():
            errors = np.moveaxis(dense_errors(block), 2, 0)
            size = np.sqrt(np.einsum("gdd->gd", errors))
            size[size == 0] = 1.0
            rank = np.linalg.matrix_rank(
                errors / (size[:, :, None] * size[:, None, :]), tol=1e-11, hermitian=True
            )
            out[block.rows] = counts[block.rows] - block.spread(rank)
        return out

    # One pass over the data

    def factored(self, q: int, noise: float) -> bool:
        """Whether matrices of order q (+ r) are inverted instead of D × D."""
        if not (self.independent or self.kind == "low-rank") or q + self.rank >= self.shape[1]:
            return False
        return noise > 0 or not self.bare

    def evaluate(self, theta: Parameters) -> Pass:
        """The mean log-likelihood and its gradients."""
        q = theta.loadings.shape[1]
        if self.factored(q, theta.noise):
            return self._evaluate_factored(theta)
        value, b, A, R = self._moments_dense(theta)
        W, H = theta.loadings, R - A
        return Pass(value, b, H @ W, float(np.trace(H)), W.T @ R @ W, H)

    def moments(self, theta: Parameters) -> tuple[float, Doubles, Doubles, Doubles]:
        """The mean log-likelihood, b, A and R."""
        if not (self.independent and self.factored(theta.loadings.shape[1], theta.noise)):
            return self._moments_dense(theta)
        mean, W, noise = theta
        d, q = W.shape
        value, b, A, R = 0.0, np.zeros(d), np.zeros((d, d)), np.zeros((d, d))
        for block in self.blocks(q):
            f = Factored(block, mean, W, noise)
            value -= 0.5 * float(block.weights @ f.twice_negative())
            u, lam, weights = f.u(), f.precision, block.group_weights
            b += u @ block.weights
            R += (u * block.weights) @ u.T
            A[np.diag_indices(d)] += lam @ weights
            for j in range(q):
                A -= (lam * weights * (W @ f.inverse[:, j])) @ (lam * W[:, j, None]).T
        return value, b, (A + A.T) / 2, R

    def information(self, theta: Parameters) -> Doubles:
        """Σ wₙ Sₙ⁻¹ ⊗ Sₙ⁻¹, shape (D, D, D, D): twice the Fisher information of Σ."""
        d = self.shape[1]
        out = np.zeros((d * d, d * d))
        for block in self.blocks():
            inverse = precisions(block, theta.covariance())[0].reshape(d * d, -1)
            out += (inverse * block.group_weights) @ inverse.T
        return out.reshape(d, d, d, d)

    def _moments_dense(self, theta: Parameters) -> tuple[float, Doubles, Doubles, Doubles]:
        d = self.shape[1]
        value, b = 0.0, np.zeros(d)
        A, R = np.zeros((d, d)), np.zeros((d, d))
        Sigma = theta.covariance()
        for block in self.blocks():
            inverse, determinants = precisions(block, Sigma)
            r = block.residuals(theta.mean)
            u = weighted(block, inverse, r)
            square = np.einsum("db,db->b", r, u)
            value -= 0.5 * float(
                block.weights @ (block.spread(determinants + _LOG_2PI * block.count) + square)
            )
            b += u @ block.weights
            A += (inverse.reshape(d * d, -1) @ block.group_weights).reshape(d, d)
            R += (u * block.weights) @ u.T
        return value, b, A, R

    def _evaluate_factored(self, theta: Parameters) -> Pass:
        mean, W, noise = theta
        d, q = W.shape
        lower, upper = triangle(q)
        value, trace = 0.0, 0.0
        b, RW, AW = np.zeros(d), np.zeros((d, q)), np.zeros((d, q))
        inner = np.zeros((d, len(lower)))
        products = pairwise(W)
        for block in self.blocks(q):
            f = Factored(block, mean, W, noise, products)
            value -= 0.5 * float(block.weights @ f.twice_negative())
            u, z = f.u(), f.z[:q]
            b += u @ block.weights
            RW += u @ (block.weights * z).T
            weights = block.group_weights
            packed = f.inverse[lower, upper] * weights
            inner += f.precision @ packed.T
            if block.factors is not None:
                extra = np.einsum("drg,rqg->dqg", block.factors, f.inverse[q:, :q])
                AW += np.einsum("dg,dqg->dq", f.precision * weights, extra)
            if noise > 0:
                trace += float(np.einsum("db,db->b", u, u) @ block.weights)
                trace -= float(weights @ f.trace())
        full = np.empty((d, q, q))
        full[:, lower, upper] = inner
        full[:, upper, lower] = inner
        AW += np.einsum("dp,dpq->dq", W, full)
        return Pass(value, b, RW - AW, trace, W.T @ RW)

    # Posterior rows

    def posterior_means(self, theta: Parameters) -> Doubles:
        """μ + Σ uₙ (N, D), in the unit of the fit; certain cells stay what they are."""
        mean, W, noise = theta
        out = np.empty(self.shape)
        q = W.shape[1]
        factored = self.factored(q, noise)
        for block in self.blocks(q if factored else None):
            if factored:
                u = Factored(block, mean, W, noise).u()
            else:
                inverse, _ = precisions(block, theta.covariance())
                u = weighted(block, inverse, block.residuals(mean))
            posterior = W @ (W.T @ u)
            posterior += noise * u
            posterior += mean[:, None]
            out[block.rows] = posterior.T
        return np.where(self.certain, self.values, out)

    def posterior(self, theta: Parameters) -> tuple[Doubles, Covariance]:
        """Means and covariances of the posterior rows, in the unit of the fit."""
        if self.factored(theta.loadings.shape[1], theta.noise):
            return self.posterior_means(theta), self._factored_covariances(theta)
        return self.posterior_means(theta), self._dense_covariances(theta)

    def _factored_covariances(self, theta: Parameters) -> Covariance:
        """σ² diag(κ) + G M⁻¹ Gᵀ with κ = ψ/(ψ + σ²), 1 where unobserved, G = [κW, −(1 − κ)F]."""
        mean, W, noise = theta
        n, (d, q) = self.shape[0], W.shape
        blocks = self.blocks(q)
        count = 1 if self.alike else n
        factors = np.empty((count, d, q + self.rank))
        std = np.empty((count, d))
        for block in blocks[:1] if count == 1 else blocks:
            f = Factored(block, mean, W, noise)
            finite = np.isfinite(block.variances)
            kept = np.where(finite, block.finite * f.precision, 1.0)
            half = np.linalg.cholesky(np.moveaxis(f.inverse, 2, 0))
            G = kept.T[:, :, None] * W
            if block.factors is not None:
                G = np.concatenate(
                    [G, (kept - 1).T[:, :, None] * block.factors.transpose(2, 0, 1)], 2
                )
            rows = slice(0, 1) if count == 1 else block.rows
            where = slice(None) if count == 1 or block.group is None else block.group
            factors[rows] = (G @ half)[where]
            std[rows] = np.sqrt(noise * kept.T)[where]
        rest = Diagonal(std, n, d) if noise > 0 else None
        return LowRank(np.broadcast_to(factors, (n, d, q + self.rank)), rest)

    def _dense_covariances(self, theta: Parameters) -> Covariance:
        """(I − G) Σ (I − G)ᵀ + G Ψ Gᵀ with G = Σ S⁻¹: positive semi-definite by construction."""
        n, d = self.shape
        Sigma = theta.covariance()
        out = np.empty((1 if self.alike else n, d, d))
        for block in self.blocks():
            errors = dense_errors(block)
            inverse, _ = precisions(block, Sigma)
            G = Sigma @ np.moveaxis(inverse, 2, 0)
            rest = np.eye(d) - G
            B = rest @ Sigma @ rest.transpose(0, 2, 1)
            B += G @ np.moveaxis(errors, 2, 0) @ G.transpose(0, 2, 1)
            B = (B + B.transpose(0, 2, 1)) / 2
            uncertain = ~self.certain[block.rows]
            if self.alike:
                return Shared(B[0] * np.outer(uncertain[0], uncertain[0]), n)
            B = B if block.group is None else B[block.group]
            out[block.rows] = B * uncertain[:, :, None] * uncertain[:, None, :]
        return Dense(out)


def dense_errors(block: Block) -> Doubles:
    """Ψₙ of a block as matrices (D, D, G), zero where nothing was observed."""
    if block.cov is not None:
        return block.cov
    d, groups = block.variances.shape
    if block.factors is None:
        errors = np.zeros((d, d, groups))
    else:
        errors = np.einsum("drg,erg->deg", block.factors, block.factors)
    diagonal = np.arange(d)
    errors[diagonal, diagonal] += block.finite
    return errors


def regressed(data: Observations, theta: Parameters) -> Parameters:
    """W as the weighted regression of each feature on the posterior of z, x = μ + W z + error.

    Wants errors that are independent, or σ² > 0: the maximum over W given z, one step of EM.
    """
    mean, W, noise = theta
    d, q = W.shape
    lower, upper = triangle(q)
    right, left = np.zeros((d, q)), np.zeros((d, len(lower)))
    for block in data.blocks(q):
        f = Factored(block, mean, W, noise)
        z, inverse = f.z, block.spread(f.inverse)
        right += f.lr @ (block.weights * z).T
        second = block.weights * (inverse[lower, upper] + z[lower] * z[upper])
        left += np.broadcast_to(block.spread(f.precision), block.values.shape) @ second.T
    full = np.empty((d, q, q))
    full[:, lower, upper] = left
    full[:, upper, lower] = left
    full += 1e-12 * np.einsum("dqq->d", full)[:, None, None] * np.eye(q)
    solved = np.linalg.solve(full, right[:, :, None])[:, :, 0]
    return theta._replace(loadings=solved.astype(np.float64))


def precisions(block: Block, Sigma: Doubles) -> tuple[Doubles, Doubles]:
    """Sₙ⁻¹ (D, D, G), zero where nothing was observed, and log det Sₙ.

    Unobserved cells get an identity row and column, which is taken out after the inversion.
    """
    diagonal = np.arange(len(Sigma))
    if block.factors is None and block.cov is None:
        S = np.empty((*Sigma.shape, block.variances.shape[1]))
        S[...] = Sigma[:, :, None]
        S[diagonal, diagonal] += block.finite
    else:
        S = Sigma[:, :, None] + dense_errors(block)
    seen = block.observed
    if seen is None:
        return S, inverses(S)
    S *= seen
    S *= seen[:, None]
    S[diagonal, diagonal] += 1 - seen
    determinants = inverses(S)
    S[diagonal, diagonal] -= 1 - seen
    return S, determinants


def weighted(block: Block, inverse: Doubles, r: Doubles) -> Doubles:
    """Sₙ⁻¹ rₙ for all rows."""
    if inverse.shape[2] == 1:
        return np.asarray(inverse[:, :, 0] @ r)
    return np.asarray(np.einsum("deb,eb->db", block.spread(inverse), r))


@cache
def triangle(q: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Rows and columns of the upper triangle of q × q matrices."""
    rows, columns = np.triu_indices(q)
    return rows, columns


def pairwise(W: Doubles) -> Doubles:
    """The products of all pairs of columns (p, D): Wᵀ diag(λ) W is pairwise(W) @ λ, packed."""
    lower, upper = triangle(W.shape[1])
    return np.ascontiguousarray((W[:, lower] * W[:, upper]).T)


class Factored:
    """One pass over a block where Ψ is diagonal or diagonal plus low rank.

    With λ = 1/(ψ + σ²), zero where unobserved, and Wₐ = [W Fₙ]: M = I + Wₐᵀ λ Wₐ,
    z = M⁻¹ Wₐᵀ λ r and u = λ (r − Wₐ z). Then Wₐᵀ u = z and Sₙ⁻¹ W = λ Wₐ M⁻¹[:, :q].
    """

    def __init__(
        self,
        block: Block,
        mean: Doubles,
        W: Doubles,
        noise: float,
        products: Doubles | None = None,
    ) -> None:
        d, q = W.shape
        products = pairwise(W) if products is None else products
        self.block = block
        self.W = W
        lam = 1.0 / (block.variances + noise)  # (D, G)
        self.precision: Doubles = lam
        self.products = products
        self.r: Doubles = block.values - mean[:, None]
        self.lr: Doubles = self.r * block.spread(lam)
        groups = lam.shape[1]
        rank = 0 if block.factors is None else block.factors.shape[1]
        M = np.empty((q + rank, q + rank, groups))
        lower, upper = triangle(q)
        gram = products @ lam
        M[lower, upper] = gram
        M[upper, lower] = gram
        t = W.T @ self.lr
        if block.factors is not None:
            lf = lam[:, None] * block.factors
            cross = (W.T @ lf.reshape(d, -1)).reshape(q, rank, groups)
            M[:q, q:] = cross
            M[q:, :q] = cross.transpose(1, 0, 2)
            M[q:, q:] = np.einsum("drg,dsg->rsg", lf, block.factors)
            t = np.concatenate([t, np.einsum("drg,dg->rg", block.factors, self.lr)])
        diagonal = np.arange(q + rank)
        M[diagonal, diagonal] += 1.0
        self.determinants: Doubles = inverses(M)
        self.inverse = M
        self.t = t
        if groups == 1:
            self.z: Doubles = M[:, :, 0] @ t
        else:
            self.z = np.einsum("pqb,qb->pb", block.spread(M), t)

    def fitted(self) -> Doubles:
        """Wₐ z (D, B)."""
        q = self.W.shape[1]
        fitted = self.W @ self.z[:q]
        if self.block.factors is not None:
            fitted += np.einsum("drb,rb->db", self.block.factors, self.z[q:])
        return fitted

    def u(self) -> Doubles:
        fitted = self.fitted()
        fitted *= self.block.spread(self.precision)
        return np.subtract(self.lr, fitted, out=fitted)

    def twice_negative(self) -> Doubles:
        """−2 log-likelihood of each row (B,)."""
        lam = self.precision
        seen = self.block.observed
        logs = np.log(lam if seen is None else np.where(seen > 0, lam, 1.0)).sum(axis=0)
        constant = self.determinants - logs + _LOG_2PI * self.block.count
        square = np.einsum("db,db->b", self.r, self.lr) - np.einsum("qb,qb->b", self.t, self.z)
        return np.asarray(self.block.spread(constant) + square)

    def trace(self) -> Doubles:
        """tr Sₙ⁻¹ (G,)."""
        lam, q = self.precision, self.W.shape[1]
        lower, upper = triangle(q)
        twice = np.where(lower == upper, 1.0, 2.0)[:, None]
        gram = self.products @ (lam * lam)
        out = lam.sum(axis=0) - (twice * self.inverse[lower, upper] * gram).sum(axis=0)
        if self.block.factors is not None:
            lf = (lam * lam)[:, None] * self.block.factors
            cross = np.einsum("dq,drg->qrg", self.W, lf)
            out -= 2 * (self.inverse[:q, q:] * cross).sum(axis=(0, 1))
            own = np.einsum("drg,dsg->rsg", lf, self.block.factors)
            out -= (self.inverse[q:, q:] * own).sum(axis=(0, 1))
        return np.asarray(out)


# The climb


class Climb(NamedTuple):
    """Where a climb ended."""

    parameters: Parameters
    history: list[float]  # log-likelihood of all rows after each step
    converged: bool
    passes: int


def climb(
    data: Observations,
    theta: Parameters,
    *,
    residual: bool,
    tol: float,
    max_iter: int,
    report: Callable[[float], None] = lambda share: None,
    information: Doubles | None = None,
) -> Climb:
    """The maximum of the likelihood over μ, W and, with ``residual``, σ: L-BFGS.

    The initial inverse Hessian of every step is the inverse of an average Fisher information at
    the current parameters. For a change dW of W that is S̄⁻¹ dW (Wᵀ R W), S̄ = W Wᵀ + diag(c²), c²
    the harmonic means of the error variances. Where Σ approaches a low rank the second factor
    vanishes; 0.2 is added to it. σ has the information 2 σ² tr S̄⁻². Passes over many rows are worth
    a better metric: with ``information``, of some of them, the full model uses `newton_metric`.

    An error ε of Σ, relative to S, costs N ε²/4 nats: the climb stops when the gain that is still
    expected is below that for ε = tol. From 1,000 rows on, where likelihoods have more rounding
    than that, ε grows like √N to at most 10 tol. ``report`` is told how far the expected gain has
    come down to that, on a logarithmic scale from 0 to 1.
    """
    n, (d, q) = data.shape[0], theta.loadings.shape
    errors = error_sizes(data)
    memory = 20
    enough = 0.25 * n * tol**2 * min(max(n / 1000, 1.0), 100.0)

    def parameters(vector: Doubles) -> Parameters:
        noise = float(vector[-1]) ** 2 if residual else 0.0
        return Parameters(vector[:d], vector[d:-1].reshape(d, q), noise)

    found: Pass

    def at(vector: Doubles) -> tuple[float, Doubles]:
        """The negative log-likelihood and its gradient; infinite where Σ + Ψ is singular."""
        nonlocal found
        try:
            found = data.evaluate(parameters(vector))
        except np.linalg.LinAlgError:
            return np.inf, vector
        gradient = np.empty_like(vector)
        gradient[:d] = found.b
        gradient[d:-1] = found.HW.ravel()
        gradient[-1] = vector[-1] * found.trace if residual else 0.0
        gradient *= -n
        return -n * found.value, gradient

    root = np.sqrt(theta.noise)
    vector = np.concatenate([theta.mean, theta.loadings.ravel(), [root]])
    value, gradient = at(vector)
    history, passes, converged = [-value], 1, False
    largest = 0.0
    pairs: list[tuple[Doubles, Doubles, float]] = []
    while passes < max_iter:
        _, W, noise = parameters(vector)
        size = errors + noise
        right = 1.2 * np.linalg.inv(found.ZZ + 0.2 * np.eye(q))

        of_root = 2 * float(((noise + 0.2 * size) / size**2).sum())

        def metric(g: Doubles) -> Doubles:
            out = np.empty_like(g)
            both = np.column_stack([g[:d], g[d:-1].reshape(d, q) @ right])  # noqa: B023
            both = size[:, None] * both + W @ (W.T @ both)  # noqa: B023
            out[:d], out[d:-1] = both[:, 0], both[:, 1:].ravel()
            out[-1] = g[-1] / of_root  # noqa: B023
            out /= n
            return out

        inverse: Callable[[Doubles], Doubles] = metric
        if information is not None and found.H is not None:
            inverse = newton_metric(metric, information, W, found.H, n)
        direction = -_two_loops(gradient, pairs, inverse)
        slope = float(gradient @ direction)
        if not slope < 0:
            if not pairs:
                converged = slope == 0
                break
            pairs.clear()
            continue
        expected = -slope / 2  # what the likelihood can still gain
        if expected < enough:
            converged = True
            break
        largest = max(largest, expected)
        report(1 - float(np.log1p(expected / enough) / np.log1p(largest / enough)))
        step, new_value, new_gradient, tried = _line_search(at, vector, direction, value, slope)
        passes += tried
        if step == 0:
            # Differences of the likelihood are below rounding.
            converged = -slope < 1e-9 * n
            break
        moved, change = step * direction, new_gradient - gradient
        curvature = float(moved @ change)
        if curvature > 1e-12 * np.sqrt(float(moved @ moved) * float(change @ change)):
            pairs.append((moved, change, 1.0 / curvature))
            del pairs[:-memory]
        vector = vector + moved
        value, gradient = new_value, new_gradient
        history.append(-value)
    return Climb(parameters(vector), history, converged, passes)


def newton_metric(
    plain: Callable[[Doubles], Doubles], information: Doubles, W: Doubles, H: Doubles, n: int
) -> Callable[[Doubles], Doubles]:
    """The inverse Hessian of the full model in W; in μ that of the ``plain`` metric.

    Along dW the negative log-likelihood of a row bends by ½ Σ wₙ tr(Sₙ⁻¹ dΣ Sₙ⁻¹ dΣ) − tr(dWᵀ H dW)
    with dΣ = dW Wᵀ + W dWᵀ. Directions that only turn W, and those in which the likelihood bends
    upwards, get a little curvature.
    """
    d = len(W)
    fisher = np.einsum("ijlm,ip,lk->jkmp", information, W, W, optimize=True)
    fisher += np.einsum("ijlm,lk,mp->jkip", information, W, W, optimize=True)
    unit = np.einsum("iiii->i", information) ** 0.25
    values, vectors = np.linalg.eigh(-H / np.outer(unit, unit))
    vectors *= unit[:, None]
    bend = (vectors * np.maximum(values, 1e-3)) @ vectors.T
    fisher += np.einsum("jm,kp->jkmp", bend, np.eye(d))
    factor = cho_factor(n * fisher.reshape(d * d, d * d))

    def metric(g: Doubles) -> Doubles:
        out = plain(g)
        out[d:-1] = cho_solve(factor, g[d:-1])
        return out

    return metric


def _two_loops(
    gradient: Doubles,
    pairs: list[tuple[Doubles, Doubles, float]],
    metric: Callable[[Doubles], Doubles],
) -> Doubles:
    """The inverse Hessian of L-BFGS times the gradient (Nocedal & Wright, Algorithm 7.4)."""
    out = gradient.copy()
    shares = []
    for moved, change, inverse in reversed(pairs):
        shares.append(inverse * float(moved @ out))
        out -= shares[-1] * change
    out = metric(out)
    for (moved, change, inverse), share in zip(pairs, reversed(shares), strict=True):
        out += (share - inverse * float(change @ out)) * moved
    return out


def _line_search(
    at: Callable[[Doubles], tuple[float, Doubles]],
    vector: Doubles,
    direction: Doubles,
    value: float,
    slope: float,
) -> tuple[float, float, Doubles, int]:
    """A step that fulfils the weak Wolfe conditions; 0 if rounding leaves none.

    Near the maximum, where differences of the likelihood are rounding, the slope alone decides.
    """
    step, low, high = 1.0, 0.0, np.inf
    rounding = 1e-13 * abs(value)
    for tried in range(1, 30):
        new_value, new_gradient = at(vector + step * direction)
        finite = bool(np.isfinite(new_value))
        new_slope = float(new_gradient @ direction) if finite else np.inf
        descends = new_value <= value + 1e-4 * step * slope
        flat = abs(new_value - value) <= rounding and new_slope <= 0.8 * abs(slope)
        if not (descends or flat):
            high = step
            guess = low + 0.1 * (high - low)
            if finite:
                bend = new_value - value - slope * step
                guess = -slope * step**2 / (2 * bend) if bend > 0 else 0.5 * (low + high)
            step = min(max(guess, low + 0.1 * (high - low)), low + 0.5 * (high - low))
        elif new_slope < 0.9 * slope:
            low = step
            step = 2 * step if np.isinf(high) else 0.5 * (low + high)
        else:
            return step, new_value, new_gradient, tried
    return 0.0, value, direction, tried


def error_sizes(data: Observations) -> Doubles:
    """The harmonic mean of the error variances of each feature, and a little of the signal."""
    precision = np.where(data.observed, 1.0 / (data.variances + 1e-6), 0.0)
    share, total = data.weights @ data.observed, data.weights @ precision
    return np.divide(share, total, out=np.ones(len(total)), where=total > 0) + 1e-6


def start(data: Observations, q: int, residual: bool) -> Parameters:
    """PCA of shrunken values, in units of the features' errors, whose variance is taken off.

    The shrunken values are the posterior means of a model with a diagonal Σ, unobserved cells zero.
    """
    d = data.shape[1]
    size = error_sizes(data)
    unit = np.sqrt(size)
    share = np.maximum(data.weights @ data.observed, 1e-300)
    variances = np.where(data.observed, data.variances, 0.0)
    signal = (data.weights @ (data.values**2 - variances)) / share
    signal = np.maximum(signal, 0.1 * (data.weights @ data.values**2) / share)
    shrunken = data.values * np.divide(
        signal, signal + variances, out=np.zeros(data.shape), where=signal + variances > 0
    )
    scaled = np.sqrt(data.weights)[:, None] * shrunken / (unit * np.sqrt(share))
    _, spread, rows = np.linalg.svd(scaled, full_matrices=False)
    spectrum, vectors = spread[:q] ** 2, rows[:q].T
    rest = max(float((scaled**2).sum() - spectrum.sum()), 0.0) / max(d - q, 1)
    noise = max(rest - 1, 0.02) * float(size.mean()) if residual else 0.0
    W = np.zeros((d, q))
    strength = np.sqrt(np.maximum(spectrum - 1 - noise, 0.1))
    W[:, : len(strength)] = unit[:, None] * vectors * strength
    theta = Parameters(np.zeros(d), W, noise)
    if not (q and data.independent and data.factored(q, noise)):
        return theta
    # Unobserved cells and unequal errors blur it; a regression sharpens it.
    sharper = [theta] + [
        regressed(data, theta._replace(noise=part * noise)) for part in (1.0, 0.1, 0.01)
    ]
    return max(sharper, key=lambda theta: data.evaluate(theta).value)
