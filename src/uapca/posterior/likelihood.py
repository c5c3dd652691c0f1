"""The likelihood of noisy, incomplete rows and its gradients.

The model is x = t + e on the observed cells of a row, with e ~ N(0, Ψₙ) known and
t ~ N(μ, Σ), Σ = W Wᵀ + σ² I. With Sₙ = (Σ + Ψₙ) on the observed cells,

    uₙ = Sₙ⁻¹ (xₙ − μ),  b = Σ wₙ uₙ,  A = Σ wₙ Sₙ⁻¹,  R = Σ wₙ uₙ uₙᵀ,  H = R − A,

the gradients of the mean log-likelihood are b in μ, H W in W and σ tr H in σ.
Unobserved cells count as zero in u and in Sₙ⁻¹. The full model is W of shape (D, D) with σ = 0.

Arrays are stored with the features first and the rows last, (D, B) for a block of B rows, so
that the small matrices of all rows of a block are inverted in one sequence of array operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from uapca._validation import Doubles
from uapca.uncertain import Covariance, Dense, Diagonal, LowRank, Shared, UncertainArray

__all__ = ["Observations", "Parameters", "Pass", "regressed"]

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
    variances: Doubles  # (D, G), zero where nothing was observed; without cov and factors
    observed: Doubles  # (D, G) as 0.0 and 1.0
    group: npt.NDArray[np.intp] | None
    factors: Doubles | None = None  # (D, r, G), zero where nothing was observed
    cov: Doubles | None = None  # (D, D, G), zero in rows and columns not observed

    @cached_property
    def group_weights(self) -> Doubles:
        """The sum of the weights of each group (G,)."""
        if self.group is None:
            return self.weights
        return np.bincount(self.group, self.weights, self.variances.shape[1]).astype(np.float64)

    def residuals(self, mean: Doubles) -> Doubles:
        """x − μ (D, B), zero where nothing was observed."""
        return (self.values - mean[:, None]) * self.spread(self.observed)

    def deviance(self, determinants: Doubles, r: Doubles, u: Doubles) -> Doubles:
        """−2 log-likelihood of each row (B,), from log det Sₙ (G,)."""
        constants = self.spread(determinants + _LOG_2PI * self.observed.sum(axis=0))
        return np.asarray(constants + np.einsum("db,db->b", r, u))

    def spread(self, values: Doubles) -> Doubles:
        """Values of the groups (…, G) as values of the rows (…, B)."""
        if self.group is None or values.shape[-1] == 1:
            return values
        return np.asarray(values[..., self.group])


def inverses(S: Doubles, least: float = 0.0) -> Doubles:
    """Replace the positive definite matrices S (k, k, G) by their inverses; log-determinants.

    Gauss–Jordan elimination of all matrices at once; large matrices go to LAPACK one by one. A
    pivot of at most ``least`` times its diagonal entry is zero: the matrix is singular.
    """
    k, _, count = S.shape
    floor = least * np.einsum("kkg->kg", S)
    if k > 24:
        stack = np.ascontiguousarray(np.moveaxis(S, 2, 0))
        half = np.linalg.cholesky(stack)
        if not (np.square(np.einsum("gkk->kg", half)) > floor).all():
            raise np.linalg.LinAlgError("not positive definite")
        S[...] = np.moveaxis(np.linalg.inv(stack), 0, 2)
        return np.asarray(2 * np.log(np.diagonal(half, axis1=1, axis2=2)).sum(axis=1))
    determinants = np.zeros(count)
    product = np.empty_like(S)
    for p in range(k):
        pivot = S[p, p].copy()
        if not (pivot > floor[p]).all():
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

    source: UncertainArray
    kind: str
    weights: Doubles
    observed: npt.NDArray[np.bool_]
    complete: bool
    exact: bool
    bare: bool
    rank: int
    diagonal: Doubles

    def __init__(
        self, X: UncertainArray, center: Doubles | None = None, unit: float | None = None
    ) -> None:
        X = X.replace(cov=X.cov.plain())
        self.source, self.kind, arrays = X, X.cov.kind, X.cov.arrays
        values = np.asarray(X.mean, dtype=np.float64)
        variances = np.asarray(X.cov.diagonal(), dtype=np.float64)
        self.shape: tuple[int, int] = X.shape
        self.weights = weights = np.array(X.weights)
        self.observed = observed = ~np.isnan(values)
        self.complete = bool(observed.all())
        if center is None or unit is None:
            # Cells with large errors say little about where the data is and how far it scatters.
            positive = variances[observed & (variances > 0)]
            usual = float(np.median(positive)) if positive.size else 1.0
            share = weights[:, None] * observed / (variances + usual)
            total = np.maximum(share.sum(axis=0), np.finfo(float).tiny)
            center = np.einsum("nd,nd->d", share, np.where(observed, values, 0.0)) / total
            scatter = np.einsum("nd,nd->", share, np.square(np.where(observed, values - center, 0)))
            unit = float(np.sqrt(scatter / total.sum())) or float(np.sqrt(usual))
        self.center: Doubles = center
        self.unit: float = unit
        self.values: Doubles = np.where(observed, values - center, 0.0) / unit
        self.variances: Doubles = np.broadcast_to(variances, X.shape) / unit**2
        self.certain: npt.NDArray[np.bool_] = observed & (variances == 0)
        self.exact = bool((self.certain == observed).all())
        self.rank, self.diagonal = 0, self.variances
        if self.kind == "low-rank":
            rest = np.square(np.asarray(arrays.get("std", 0.0), dtype=np.float64))
            self.rank = arrays["factors"].shape[2]
            self.diagonal = np.broadcast_to(rest * X.cov.multiplier, X.shape) / unit**2
        # Whether the diagonal part of some Ψ is zero in an observed cell.
        self.bare = bool((observed & (self.diagonal == 0)).any())
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
        n = self.shape[0]
        group, first = self._groups
        order = np.arange(n) if group is None else np.argsort(group, kind="stable")
        arrays, scale = self.source.cov.arrays, self.source.cov.multiplier / self.unit**2
        for i in range(0, n, size):
            rows = members = order[i : i + size]
            local = None
            if group is not None and first is not None:
                numbers, local = np.unique(group[rows], return_inverse=True)
                members = first[numbers]
            seen = self.observed[members].T
            values = np.ascontiguousarray(self.values[rows].T)
            variances = np.where(seen, self.diagonal[members].T, 0.0)
            block = Block(rows, values, self.weights[rows], variances, seen.astype(float), local)
            if self.kind == "low-rank":
                factors = np.sqrt(scale) * arrays["factors"][members].astype(np.float64)
                block.factors = np.ascontiguousarray(factors.transpose(1, 2, 0) * seen[:, None])
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

    def solved(self, theta: Parameters) -> Iterator[DenseBlock | FactorBlock]:
        """The blocks with their Sₙ⁻¹."""
        q = theta.loadings.shape[1]
        if self.factored(q, theta.noise):
            return (FactorBlock(block, theta) for block in self.blocks(q))
        return (DenseBlock(block, theta) for block in self.blocks())

    def moments(self, theta: Parameters) -> tuple[float, Doubles, Doubles, Doubles]:
        """The mean log-likelihood, b, A and R."""
        d = self.shape[1]
        value, b, A, R = 0.0, np.zeros(d), np.zeros((d, d)), np.zeros((d, d))
        for part in self.solved(theta):
            weights = part.block.weights
            value -= 0.5 * float(weights @ part.deviance)
            b += part.u @ weights
            R += (part.u * weights) @ part.u.T
            A += part.precision()
        return value, b, (A + A.T) / 2, R

    def evaluate(self, theta: Parameters) -> Pass:
        """The mean log-likelihood and its gradients."""
        W, noise = theta.loadings, theta.noise
        d, q = W.shape
        if not self.factored(q, noise):
            value, b, A, R = self.moments(theta)
            H = R - A
            return Pass(value, b, H @ W, float(np.trace(H)), W.T @ R @ W, H)
        value, trace = 0.0, 0.0
        b, RW, AW = np.zeros(d), np.zeros((d, q)), np.zeros((d, q))
        for part in self.solved(theta):
            assert isinstance(part, FactorBlock)
            weights = part.block.weights
            value -= 0.5 * float(weights @ part.deviance)
            b += part.u @ weights
            RW += part.u @ (weights * part.z[:q]).T
            AW += part.precision_of_loadings()
            if noise > 0:
                trace += float(np.square(part.u).sum(axis=0) @ weights) - part.trace()
        return Pass(value, b, RW - AW, trace, W.T @ RW)

    def information(self, theta: Parameters) -> Doubles:
        """Σ wₙ Sₙ⁻¹ ⊗ Sₙ⁻¹, shape (D, D, D, D): twice the Fisher information of Σ."""
        d = self.shape[1]
        out = np.zeros((d * d, d * d))
        for block in self.blocks():
            inverse = DenseBlock(block, theta).inverse.reshape(d * d, -1)
            out += (inverse * block.group_weights) @ inverse.T
        return out.reshape(d, d, d, d)

    # Posterior rows

    def posterior_means(self, theta: Parameters) -> Doubles:
        """μ + Σ uₙ (N, D), in the unit of the fit; certain cells stay what they are."""
        out = np.empty(self.shape)
        for part in self.solved(theta):
            out[part.block.rows] = (part.shift() + theta.mean[:, None]).T
        return np.where(self.certain, self.values, out)

    def posterior(self, theta: Parameters) -> tuple[Doubles, Covariance]:
        """Means and covariances of the posterior rows, in the unit of the fit."""
        n, d = self.shape
        q, noise = theta.loadings.shape[1], theta.noise
        factored = self.factored(q, noise)
        count = 1 if self.alike else n
        roots = np.empty((count, d, q + self.rank if factored else d))
        std = np.empty((count, d))
        for part in self.solved(theta):
            block = part.block
            rows = slice(0, 1) if count == 1 else block.rows
            each = slice(None) if count == 1 or block.group is None else block.group
            root, kept = part.covariance()
            roots[rows], std[rows] = root[each], np.sqrt(noise * kept[each])
            if count == 1:
                break
        means = self.posterior_means(theta)
        if factored:
            rest = Diagonal(std, n, d) if noise > 0 else None
            return means, LowRank(np.broadcast_to(roots, (n, *roots.shape[1:])), rest)
        moving = ~self.certain[:count]
        roots *= moving[:, :, None]
        roots *= moving[:, None, :]
        return means, Shared(roots[0], n) if count == 1 else Dense(roots)


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
    errors[diagonal, diagonal] += block.variances
    return errors


def regressed(data: Observations, theta: Parameters) -> Parameters:
    """W as the weighted regression of each feature on the posterior of z, x = μ + W z + error.

    Wants errors that are independent, or σ² > 0: the maximum over W given z, one step of EM.
    """
    d, q = theta.loadings.shape
    right, left = np.zeros((d, q)), np.zeros((d, q * q))
    for block in data.blocks(q):
        part = FactorBlock(block, theta)
        lam, z = block.spread(part.lam), part.z
        right += (lam * block.residuals(theta.mean)) @ (block.weights * z).T
        second = block.weights * (block.spread(part.inverse) + z[:, None] * z)
        left += np.broadcast_to(lam, block.values.shape) @ second.reshape(q * q, -1).T
    full = left.reshape(d, q, q)
    full += 1e-12 * np.einsum("dqq->d", full)[:, None, None] * np.eye(q)
    solved = np.linalg.solve(full, right[:, :, None])[:, :, 0]
    return theta._replace(loadings=solved.astype(np.float64))


def weighted(block: Block, inverse: Doubles, r: Doubles) -> Doubles:
    """The matrix of each row, of those (k, k, G) of the groups, times its vector of r (k, B)."""
    if inverse.shape[2] == 1:
        return np.asarray(inverse[:, :, 0] @ r)
    return np.asarray(np.einsum("deb,eb->db", block.spread(inverse), r))


class DenseBlock:
    """A block at given parameters, with matrices D × D.

    Attributes
    ----------
    inverse : ndarray of shape (D, D, G)
        Sₙ⁻¹, zero where nothing was observed. Unobserved cells get an identity row and column,
        which is taken out after the inversion.
    u : ndarray of shape (D, B)
        Sₙ⁻¹ (xₙ − μ).
    deviance : ndarray of shape (B,)
        −2 log-likelihood of each row.
    """

    block: Block
    Sigma: Doubles
    u: Doubles
    deviance: Doubles

    def __init__(self, block: Block, theta: Parameters) -> None:
        self.block, self.Sigma = block, theta.covariance()
        blank, diagonal = 1 - block.observed, np.arange(len(self.Sigma))
        errors = dense_errors(block)
        certain = block.observed * (errors[diagonal, diagonal] == 0.0)
        S = self.Sigma[:, :, None] + errors
        S *= block.observed
        S *= block.observed[:, None]
        S[diagonal, diagonal] += blank
        # Where Σ alone has to be inverted, rounding must not hide that it is singular.
        determinants = inverses(S, 10 * len(S) * np.finfo(float).eps if certain.any() else 0.0)
        S[diagonal, diagonal] -= blank
        self.inverse = S
        r = block.residuals(theta.mean)
        self.u = weighted(block, S, r)
        self.deviance = block.deviance(determinants, r, self.u)

    def shift(self) -> Doubles:
        """Σ uₙ (D, B), the posterior means less μ."""
        return self.Sigma @ self.u

    def precision(self) -> Doubles:
        """The sum of wₙ Sₙ⁻¹ (D, D)."""
        d = len(self.Sigma)
        total = self.inverse.reshape(d * d, -1) @ self.block.group_weights
        return np.asarray(total.reshape(d, d))

    def covariance(self) -> tuple[Doubles, Doubles]:
        """Posterior covariances (G, D, D): positive semi-definite by construction.

        (I − G) Σ (I − G)ᵀ + G Ψ Gᵀ with G = Σ S⁻¹. Nothing of σ² is kept apart: zeros (G, D).
        """
        G = self.Sigma @ np.moveaxis(self.inverse, 2, 0)
        rest = np.eye(len(self.Sigma)) - G
        B = rest @ self.Sigma @ rest.transpose(0, 2, 1)
        B += G @ np.moveaxis(dense_errors(self.block), 2, 0) @ G.transpose(0, 2, 1)
        return (B + B.transpose(0, 2, 1)) / 2, np.zeros(B.shape[:2])

    @cached_property
    def _root(self) -> Doubles:
        """Roots of Sₙ⁻¹ (G, D, D)."""
        inverse, seen = np.moveaxis(self.inverse, 2, 0), self.block.observed.T
        half = np.linalg.cholesky(inverse + np.eye(len(self.Sigma)) * (1 - seen)[:, None])
        return np.asarray(half * seen[:, :, None])

    def draw(self, rng: np.random.Generator) -> Doubles:
        """u (D, B) of rows drawn from the model: u ~ N(0, Sₙ⁻¹)."""
        z = rng.standard_normal((len(self.block.rows), len(self.Sigma), 1))
        root = self._root if self.block.group is None else self._root[self.block.group]
        return (root @ z)[:, :, 0].T


class FactorBlock:
    """A block at given parameters, where Ψ is diagonal or diagonal plus low rank F Fᵀ.

    With λ = 1/(ψ + σ²), zero where unobserved, and Wₐ = [W Fₙ]: M = I + Wₐᵀ λ Wₐ,
    z = M⁻¹ Wₐᵀ λ r and u = λ (r − Wₐ z). Then Wₐᵀ u = z and Sₙ⁻¹ W = λ Wₐ M⁻¹[:, :q].

    Attributes
    ----------
    lam : ndarray of shape (D, G)
    inverse : ndarray of shape (q + r, q + r, G)
        M⁻¹.
    u, deviance : ndarray of shapes (D, B) and (B,)
        As those of `DenseBlock`.
    z : ndarray of shape (q + r, B)
    """

    block: Block
    noise: float
    u: Doubles
    z: Doubles
    deviance: Doubles

    def __init__(self, block: Block, theta: Parameters) -> None:
        self.block, (mean, self.W, self.noise) = block, theta
        with np.errstate(divide="ignore"):
            self.lam: Doubles = np.where(block.observed, 1.0 / (block.variances + self.noise), 0.0)
        # Products of the columns of W (q², D): Wᵀ λ W for all λ in one product.
        self._pairs = np.einsum("dp,dq->pqd", self.W, self.W).reshape(-1, len(self.W))
        M = self._gram(self.lam)
        M += np.eye(len(M))[:, :, None]
        determinants = inverses(M)
        self.inverse = M
        r = block.values - mean[:, None]
        self.u, self.z = self._solve(r)
        determinants -= np.log(np.where(self.lam > 0, self.lam, 1.0)).sum(axis=0)
        self.deviance = block.deviance(determinants, r, self.u)

    def _gram(self, lam: Doubles) -> Doubles:
        """Wₐᵀ λ Wₐ (q + r, q + r, G)."""
        W, F = self.W, self.block.factors
        d, q = W.shape
        gram = np.asarray(self._pairs @ lam).reshape(q, q, lam.shape[1])
        if F is None:
            return gram
        lf = lam[:, None] * F
        cross = (W.T @ lf.reshape(d, -1)).reshape(q, *lf.shape[1:])
        own = np.einsum("drg,dsg->rsg", lf, F)
        lower = np.concatenate([cross.swapaxes(0, 1), own], axis=1)
        return np.concatenate([np.concatenate([gram, cross], axis=1), lower])

    def _solve(self, r: Doubles) -> tuple[Doubles, Doubles]:
        """Sₙ⁻¹ r and z for residuals r (D, B)."""
        W, F = self.W, self.block.factors
        lam = self.block.spread(self.lam)
        lr = lam * r
        t = W.T @ lr
        if F is not None:
            t = np.concatenate([t, np.einsum("drg,dg->rg", F, lr)])
        z = weighted(self.block, self.inverse, t)
        fitted = W @ z[: W.shape[1]]
        if F is not None:
            fitted += np.einsum("drb,rb->db", F, z[W.shape[1] :])
        fitted *= lam
        return lr - fitted, z

    def shift(self) -> Doubles:
        """Σ uₙ (D, B) = W z + σ² u: Wᵀu would have lost the digits of z where errors are small."""
        return self.W @ self.z[: self.W.shape[1]] + self.noise * self.u

    def precision(self) -> Doubles:
        """The sum of wₙ Sₙ⁻¹ (D, D)."""
        d, weights = len(self.W), self.block.group_weights
        columns = self.lam[:, None] * self.W[:, :, None]
        if self.block.factors is not None:
            columns = np.concatenate([columns, self.lam[:, None] * self.block.factors], axis=1)
        half = np.einsum("dpg,pqg->dqg", columns, self.inverse * weights)
        full = half.reshape(d, -1) @ columns.reshape(d, -1).T
        return np.asarray(np.diag(self.lam @ weights) - full)

    def precision_of_loadings(self) -> Doubles:
        """The sum of wₙ Sₙ⁻¹ W (D, q)."""
        d, q = self.W.shape
        weights, F = self.block.group_weights, self.block.factors
        inner = self.lam @ (self.inverse[:q, :q] * weights).reshape(q * q, len(weights)).T
        out = np.einsum("dp,dpq->dq", self.W, inner.reshape(d, q, q))
        if F is not None:
            out += np.einsum(
                "dg,drg,rqg->dq", self.lam * weights, F, self.inverse[q:, :q], optimize=True
            )
        return np.asarray(out)

    def trace(self) -> float:
        """The sum of wₙ tr Sₙ⁻¹."""
        traces = self.lam.sum(axis=0) - (self.inverse * self._gram(self.lam**2)).sum(axis=(0, 1))
        return float(self.block.group_weights @ traces)

    def covariance(self) -> tuple[Doubles, Doubles]:
        """Roots G M^−½ (G, D, q + r) of the posterior covariances without their part σ² κ, and κ.

        κ = ψ/(ψ + σ²), 1 where unobserved, G = [κW, −(1 − κ)F].
        """
        kept = np.where(self.block.observed, self.block.variances * self.lam, 1.0).T
        G = kept[:, :, None] * self.W
        if self.block.factors is not None:
            rest = (kept - 1)[:, :, None] * self.block.factors.transpose(2, 0, 1)
            G = np.concatenate([G, rest], axis=2)
        return G @ np.linalg.cholesky(np.moveaxis(self.inverse, 2, 0)), kept

    def draw(self, rng: np.random.Generator) -> Doubles:
        """u (D, B) of rows drawn from the model: u ~ N(0, Sₙ⁻¹)."""
        (d, q), F, size = self.W.shape, self.block.factors, len(self.block.rows)
        lam = self.block.spread(self.lam)
        x = self.W @ rng.standard_normal((q, size))
        # λ = 1/(ψ + σ²): an error of variance 1/λ; unobserved cells drop out again.
        x += rng.standard_normal((d, size)) / np.sqrt(np.where(lam > 0, lam, 1.0))
        if F is not None:
            x += np.einsum("drb,rb->db", F, rng.standard_normal((F.shape[1], size)))
        return self._solve(x)[0]
