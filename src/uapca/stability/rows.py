"""Sums over the rows: the covariance of what errors do to a covariance matrix.

For vectors u_i the change δ of the realised covariance has Cov(δu_i, δu_k), a D × D matrix, made
of sums over the rows of their centred means m, the products Ψ u and the matrices Ψ themselves.
Each representation of the errors gives these as cheaply as its structure allows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from uapca.stability.realised import weighted_sum
from uapca.uncertain import Covariance, UncertainArray
from uapca.uncertain.blocks import Doubles, equal_weights, row_blocks

__all__ = ["RowSums", "row_images", "row_sums"]

Pair = tuple[int, int]

_UNTHREADED = 1 << 18
_WORTH_THREADS = 1 << 25
_SMALL = 1 << 14


class RowSums:
    """What one pass over the rows has to say about the vectors U and the pairs asked for.

    Parameters
    ----------
    X : UncertainArray
    mean : ndarray of shape (D,)
    units : tuple of float
        What the means and what the errors are measured in, m and e: the spreads are in m²e². With
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
    """

    def __init__(
        self,
        X: UncertainArray,
        mean: Doubles,
        units: tuple[float, float],
        U: Doubles,
        pairs: Sequence[Pair],
        order: int,
    ) -> None:
        (n, d), k = X.shape, len(U)
        self._U, self._cov, self._pairs = U, X.cov.scaled(1.0 / units[1]), pairs
        self.first, self.second = np.array(pairs, dtype=np.intp).T
        w = equal_weights(n) if X._weights is None else X._weights
        self._squares = w * w
        # B = diag(w) − wwᵀ has B_nm² = w_n² w_m², to which n = m adds w_n² (1 − 2 w_n).
        self._own = self._squares * (1.0 - 2.0 * w) if order == 2 else None
        self._common = weighted_sum(self._cov, self._squares) if order == 2 else None
        self._scores = np.empty((k, n))  # a = U (m − μ)
        self._along = np.empty((k, n))  # P_ii of P = U Ψ Uᵀ
        self._across = np.empty((k - 1, n))  # P_ij for neighbours
        self.spreads = np.zeros((len(pairs), d, d))
        add = self._add_independent if self._cov.kind == "diagonal" else self._add_any
        for block in row_blocks(n, d * (k + 1 + 2 * len(pairs))):
            centred = np.subtract(X.mean[block], mean, dtype=np.float64)
            centred /= units[0]
            np.matmul(U, centred.T, out=self._scores[:, block])
            add(block, centred)
        if self._common is not None:
            S, along = self._common, U @ self._common
            for total, (i, j) in zip(self.spreads, pairs, strict=True):
                total += (along[i] @ U[j]) * S + np.multiply.outer(along[j], along[i])

    def _add_independent(self, block: slice, centred: Doubles) -> None:
        """What a block of rows with independent errors adds to the spread of each pair.

        Ψu is ψ ∘ u, so u can wait until the sum over the rows is done.
        """
        U, first, second, q = self._U, self.first, self.second, max(map(max, self._pairs)) + 1
        psi = row_variances(self._cov, block)
        left, right = U[first], U[second]
        inner = np.concatenate([U * U, U[:-1] * U[1:], left * right]) @ psi.T
        k, squares = len(U), self._squares[block]
        self._along[:, block], self._across[:, block] = inner[:k], inner[k : 2 * k - 1]
        P, a = inner[2 * k - 1 :], self._scores[:, block]
        # Σ w² a_i m ψᵀ for each component, and Σ w² P_ij m mᵀ for each pair.
        crossed = _inner_products(centred, squares * a[:q], psi)
        outer = _inner_products(centred, squares * P, centred)
        weights = squares * a[first] * a[second]
        spreads = self.spreads
        spreads += outer
        spreads += crossed[second] * left[:, None, :]
        spreads += (crossed[first] * right[:, None, :]).transpose(0, 2, 1)
        if self._own is not None:
            own = self._own[block]
            weights += own * P
            spreads += (
                right[:, :, None] * left[:, None, :] * _inner_product(psi * own[:, None], psi)
            )
        spreads.reshape(len(first), -1)[:, :: U.shape[1] + 1] += weights @ psi

    def _add_any(self, block: slice, centred: Doubles) -> None:
        """What a block of rows adds to the spread of each pair, from the products Ψu."""
        images = row_images(self._cov, block, self._U)
        P = self._U @ images.transpose(0, 2, 1)
        self._along[:, block], self._across[:, block] = P.diagonal().T, P.diagonal(1).T
        squares, a, d = self._squares[block], self._scores[:, block], centred.shape[1]
        # One product gives mᵀ(P_ij m + a_j Ψu_i) and mᵀ(a_i Ψu_j), or half of both if i = j.
        width = sum(1 + (i != j) for i, j in self._pairs)
        mixed = np.empty((len(centred), width, d))
        weights = np.empty((len(self._pairs), len(centred)))
        width = 0
        for t, (i, j) in enumerate(self._pairs):
            level = squares * P[i, j]
            if i == j:
                level *= 0.5
            for first, second in [(i, j)] if i == j else [(i, j), (j, i)]:
                part = mixed[:, width]
                np.multiply(images[first], (squares * a[second])[:, None], out=part)
                if first == i:
                    part += level[:, None] * centred
                width += 1
            np.multiply(a[i], a[j], out=weights[t])
            weights[t] *= squares
            if self._own is not None:
                own = self._own[block]
                weights[t] += own * P[i, j]
                self.spreads[t] += _inner_product(images[j], own[:, None] * images[i])
        halves = _inner_product(centred, mixed.reshape(len(centred), -1)).reshape(d, -1, d)
        width = 0
        for t, (i, j) in enumerate(self._pairs):
            self.spreads[t] += halves[:, width]
            width += i != j
            self.spreads[t] += halves[:, width].T
            width += 1
        self.spreads += row_sums(self._cov, block, weights)

    def gap_variances(self) -> Doubles:
        """Var(δ_ii − δ_jj) for neighbours j = i + 1 among U, shape (k − 1,)."""
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
        return np.asarray(np.maximum(result, 0.0))


def _inner_products(left: Doubles, weights: Doubles, right: Doubles) -> Doubles:
    """Σ t_n left_n right_nᵀ for each set of weights (p, n), of any sign: p matrices (a, b)."""
    if left.size <= _SMALL:  # calls cost more than the arithmetic: all at once
        return np.asarray((left * weights[:, :, None]).transpose(0, 2, 1) @ right)
    buffer = np.empty_like(left)
    return np.array(
        [_inner_product(np.multiply(left, each[:, None], out=buffer), right) for each in weights]
    )


def _inner_product(left: Doubles, right: Doubles) -> Doubles:
    """leftᵀ right for (n, a) and (n, b).

    BLAS starts threads for products above some 2¹⁸ multiplications. Up to a few milliseconds of
    work, waiting for them on a busy machine takes far longer than the product: it is cut into
    pieces too small for threads.
    """
    n, size = len(left), left.shape[1] * right.shape[1]
    rows = _UNTHREADED // size
    if n <= rows or rows < 16 or n * size > _WORTH_THREADS:
        return np.asarray(left.T @ right)
    whole = n // rows * rows
    pieces = left[:whole].reshape(-1, rows, left.shape[1]).transpose(0, 2, 1)
    total = (pieces @ right[:whole].reshape(-1, rows, right.shape[1])).sum(axis=0)
    total += left[whole:].T @ right[whole:]
    return np.asarray(total)


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
        images += row_variances(cov, rows) * U[:, None, :]
    if "factors" in cov.arrays:
        factors = cov.arrays["factors"][rows].astype(np.float64, copy=False)
        inner = cov.multiplier * (U @ factors)
        images += (inner @ factors.transpose(0, 2, 1)).transpose(1, 0, 2)
    return images


def row_sums(cov: Covariance, rows: slice, weights: Doubles) -> Doubles:
    """Σ t_n Ψ_n over some rows for each set of weights (p, n), of any sign; shape (p, D, D)."""
    p, d = len(weights), cov.shape[1]
    if cov.kind == "zero":
        return np.zeros((p, d, d))
    if cov.kind == "shared":
        matrix = cov.multiplier * cov.arrays["cov"].astype(np.float64, copy=False)
        return np.asarray(weights.sum(axis=1)[:, None, None] * matrix)
    if cov.kind == "dense":
        matrices = cov.arrays["cov"][rows].reshape(-1, d * d).astype(np.float64, copy=False)
        sums = weights @ matrices
        sums *= cov.multiplier
        return np.asarray(sums.reshape(p, d, d))
    out = np.zeros((p, d, d))
    if "std" in cov.arrays:
        axis = np.arange(d)
        out[:, axis, axis] = weights @ row_variances(cov, rows)
    if "factors" in cov.arrays:
        factors = cov.arrays["factors"][rows].astype(np.float64, copy=False)
        for total, each in zip(out, cov.multiplier * weights, strict=True):
            total += np.tensordot(each[:, None, None] * factors, factors, axes=([0, 2], [0, 2]))
    return out


def row_variances(cov: Covariance, rows: slice) -> Doubles:
    """The variances of independent errors of some rows, shape (n, D)."""
    std = cov.arrays["std"]
    variances = np.square(std if len(std) == 1 else std[rows], dtype=np.float64)
    if cov.multiplier != 1.0:
        variances *= cov.multiplier
    shape = rows.stop - rows.start, cov.shape[1]
    return variances if variances.shape == shape else np.broadcast_to(variances, shape)
