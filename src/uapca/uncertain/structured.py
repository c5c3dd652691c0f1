"""The representations with more structure than a matrix for each row."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from uapca._validation import Floats, frozen
from uapca.uncertain.blocks import Doubles, row_blocks
from uapca.uncertain.covariance import (
    Covariance,
    Rows,
    kept_as,
    root,
    row_count,
    symmetric,
    unpacked,
)
from uapca.uncertain.dense import Dense

__all__ = ["Diagonal", "LowRank", "Shared", "Zero", "lifted"]

# Squares of standard deviations may overflow: the variance is then infinite, and said to be so.
_quiet = np.errstate(over="ignore", invalid="ignore")


class Zero(Covariance):
    """Certain rows: every covariance is zero."""

    kind = "zero"
    __slots__ = ()

    @property
    def arrays(self) -> dict[str, Floats]:
        return {}

    def average(self, w: Doubles | None = None) -> Doubles:
        return np.zeros((self._d, self._d))

    def average_operator(self, w: Doubles | None = None) -> Callable[[Doubles], Doubles]:
        return np.zeros_like

    def average_diagonal(self, w: Doubles | None = None) -> Doubles:
        return np.zeros(self._d)

    def project(self, A: Doubles) -> Zero:
        return Zero(self._n, A.shape[0])

    def variances_along(self, A: Doubles) -> Doubles:
        return np.zeros((self._n, A.shape[0]))

    def traces(self, S: Doubles) -> Doubles:
        return np.zeros(self._n)

    def diagonal(self) -> Floats:
        return np.broadcast_to(np.float64(0.0), (self._n, self._d))

    def dense(self) -> Floats:
        return np.zeros(self.shape)

    def deviates(self, n: int, rng: np.random.Generator) -> Doubles:
        return np.zeros((n, self._n, self._d))

    def take(self, rows: Rows) -> Zero:
        return Zero(row_count(rows, self._n), self._d)

    def select(self, columns: Rows) -> Zero:
        return Zero(self._n, row_count(columns, self._d))

    def _with_multiplier(self, multiplier: float) -> Zero:
        return self


class Diagonal(Covariance):
    """Independent errors: standard deviations that broadcast to ``(N, D)``.

    They are kept as given: one number, one for each feature ``(1, D)``, one for each row
    ``(N, 1)`` (isotropic) or one for each value ``(N, D)``.
    """

    kind = "diagonal"
    __slots__ = ("_std",)

    def __init__(self, std: Floats, n: int, d: int, multiplier: float = 1.0) -> None:
        super().__init__(n, d, multiplier)
        self._std = frozen(std.reshape((1,) * (2 - std.ndim) + std.shape))

    @property
    def arrays(self) -> dict[str, Floats]:
        return {"std": self._std}

    @property
    def isotropic(self) -> bool:
        """Whether each row has one standard deviation for all features."""
        return bool(self._std.shape[1] == 1)

    def average(self, w: Doubles | None = None) -> Doubles:
        return np.diag(self.average_diagonal(w))

    def average_operator(self, w: Doubles | None = None) -> Callable[[Doubles], Doubles]:
        diagonal = self.average_diagonal(w)
        return lambda x: (diagonal * x.T).T

    @_quiet
    def average_diagonal(self, w: Doubles | None = None) -> Doubles:
        if self._std.shape[0] == 1:
            average = np.square(self._std[0], dtype=np.float64)
        else:
            weights = self._weights(w)
            average = np.zeros(self._std.shape[1])
            for block in row_blocks(self._n, self._std.shape[1]):
                average += weights[block] @ np.square(self._std[block], dtype=np.float64)
        average *= self._multiplier
        return average if len(average) == self._d else np.full(self._d, average)

    def project(self, A: Doubles) -> Covariance:
        n, m = self._n, self._multiplier
        if A.ndim == 1:
            same = self.isotropic and bool(np.all(np.abs(A) == abs(A[0])))
            factor = A[:1] if same else A
            return Diagonal(kept_as(self._std * np.abs(factor), self._std), n, self._d, m)
        q = A.shape[0]
        if self.isotropic:
            gram = A @ A.T
            size = gram[0, 0]
            if np.abs(gram - size * np.eye(q)).max() <= 8 * np.finfo(float).eps * self._d * size:
                return Diagonal(kept_as(self._std * np.sqrt(size), self._std), n, q, m)
        if self._std.shape[0] == 1:
            half = A * self._std[0]
            return Shared(m * (half @ half.T), n)
        first, second = np.triu_indices(q)
        products = A[first] * A[second]
        values = self._products(products)
        return Dense(unpacked(values, q, self._std.dtype))

    def variances_along(self, A: Doubles) -> Doubles:
        return self._products(A * A)

    def traces(self, S: Doubles) -> Doubles:
        return self._products(np.diagonal(S)[None, :])[:, 0]

    def _products(self, coefficients: Doubles) -> Doubles:
        """Σ_d std²_nd coefficients_pd for all rows: shape ``(N, P)``."""
        if self.isotropic:
            coefficients = coefficients.sum(axis=1, keepdims=True)
        out = np.empty((self._std.shape[0], coefficients.shape[0]))
        for block in row_blocks(self._std.shape[0], self._std.shape[1]):
            np.matmul(np.square(self._std[block], dtype=np.float64), coefficients.T, out=out[block])
        out *= self._multiplier
        return np.broadcast_to(out, (self._n, coefficients.shape[0]))

    def std(self) -> Floats:
        root = self._std.dtype.type(np.sqrt(self._multiplier))
        return np.broadcast_to(self._std * root, (self._n, self._d))

    def diagonal(self) -> Floats:
        variances = np.square(self._std) * self._std.dtype.type(self._multiplier)
        return np.broadcast_to(variances, (self._n, self._d))

    def dense(self) -> Floats:
        out = np.zeros(self.shape, dtype=self._std.dtype)
        index = np.arange(self._d)
        out[:, index, index] = self.diagonal()
        return out

    def deviates(self, n: int, rng: np.random.Generator) -> Doubles:
        out = rng.standard_normal((n, self._n, self._d))
        out *= self._std * np.sqrt(self._multiplier)
        return out

    def take(self, rows: Rows) -> Diagonal:
        std = self._std if self._std.shape[0] == 1 else self._std[rows]
        return Diagonal(std, row_count(rows, self._n), self._d, self._multiplier)

    def select(self, columns: Rows) -> Diagonal:
        std = self._std if self.isotropic else self._std[:, columns]
        return Diagonal(std, self._n, row_count(columns, self._d), self._multiplier)

    def _with_multiplier(self, multiplier: float) -> Diagonal:
        return Diagonal(self._std, self._n, self._d, multiplier)


class Shared(Covariance):
    """One matrix ``(D, D)`` for all rows."""

    kind = "shared"
    __slots__ = ("_matrix",)

    def __init__(self, matrix: Floats, n: int, multiplier: float = 1.0) -> None:
        super().__init__(n, matrix.shape[0], multiplier)
        self._matrix = frozen(matrix)

    @property
    def arrays(self) -> dict[str, Floats]:
        return {"cov": self._matrix}

    def average(self, w: Doubles | None = None) -> Doubles:
        return symmetric(np.multiply(self._matrix, self._multiplier, dtype=np.float64))

    def average_operator(self, w: Doubles | None = None) -> Callable[[Doubles], Doubles]:
        matrix, multiplier = self._matrix, self._multiplier
        return lambda x: multiplier * (matrix @ x)

    def average_diagonal(self, w: Doubles | None = None) -> Doubles:
        return np.multiply(np.diagonal(self._matrix), self._multiplier, dtype=np.float64)

    def project(self, A: Doubles) -> Shared:
        matrix = self._matrix.astype(np.float64, copy=False)
        image = matrix * A * A[:, None] if A.ndim == 1 else A @ matrix @ A.T
        return Shared(kept_as(symmetric(image), self._matrix), self._n, self._multiplier)

    def variances_along(self, A: Doubles) -> Doubles:
        along = self._multiplier * ((A @ self._matrix) * A).sum(axis=1)
        return np.broadcast_to(along, (self._n, A.shape[0]))

    def traces(self, S: Doubles) -> Doubles:
        return np.full(self._n, self._multiplier * float((S * self._matrix).sum()))

    def diagonal(self) -> Floats:
        variances = np.diagonal(self._matrix) * self._matrix.dtype.type(self._multiplier)
        return np.broadcast_to(variances, (self._n, self._d))

    def dense(self) -> Floats:
        return np.tile(self._matrix * self._matrix.dtype.type(self._multiplier), (self._n, 1, 1))

    def deviates(self, n: int, rng: np.random.Generator) -> Doubles:
        half = root(self.average())
        return rng.standard_normal((n, self._n, self._d)) @ half.T

    def take(self, rows: Rows) -> Shared:
        return Shared(self._matrix, row_count(rows, self._n), self._multiplier)

    def select(self, columns: Rows) -> Shared:
        return Shared(self._matrix[columns][:, columns], self._n, self._multiplier)

    def _with_multiplier(self, multiplier: float) -> Shared:
        return Shared(self._matrix, self._n, multiplier)


class LowRank(Covariance):
    """Few directions of error for each row, F Fᵀ with F of shape ``(N, D, r)``, plus a diagonal."""

    kind = "low-rank"
    __slots__ = ("_factors", "_rest")

    def __init__(
        self, factors: Floats, rest: Diagonal | None = None, multiplier: float = 1.0
    ) -> None:
        super().__init__(factors.shape[0], factors.shape[1], multiplier)
        self._factors = frozen(factors)
        self._rest = rest

    @property
    def rank(self) -> int:
        """The number r of factors."""
        return int(self._factors.shape[2])

    @property
    def arrays(self) -> dict[str, Floats]:
        return {"factors": self._factors, **(self._rest.arrays if self._rest else {})}

    def _blocks(self) -> Iterator[tuple[slice, Doubles]]:
        for block in row_blocks(self._n, self._d * self.rank):
            yield block, self._factors[block].astype(np.float64, copy=False)

    @_quiet
    def average(self, w: Doubles | None = None) -> Doubles:
        weights = self._weights(w)
        average = np.zeros((self._d, self._d))
        for block, factors in self._blocks():
            half = factors * np.sqrt(weights[block])[:, None, None]
            average += np.tensordot(half, half, axes=([0, 2], [0, 2]))
        if self._rest:
            average += self._rest.average(w)
        return symmetric(self._multiplier * average)

    def average_operator(self, w: Doubles | None = None) -> Callable[[Doubles], Doubles]:
        weights = self._weights(w)
        rest = self._rest.average_operator(w) if self._rest else None

        def product(x: Doubles) -> Doubles:
            columns = x.reshape(self._d, -1)
            out = np.zeros_like(columns)
            for block, factors in self._blocks():
                inner = np.tensordot(factors, columns, axes=([1], [0]))
                inner *= weights[block][:, None, None]
                out += np.tensordot(factors, inner, axes=([0, 2], [0, 1]))
            if rest:
                out += rest(columns)
            return self._multiplier * out.reshape(x.shape)

        return product

    @_quiet
    def average_diagonal(self, w: Doubles | None = None) -> Doubles:
        weights = self._weights(w)
        average = np.zeros(self._d)
        for block, factors in self._blocks():
            average += weights[block] @ np.einsum("ndr,ndr->nd", factors, factors)
        if self._rest:
            average += self._rest.average_diagonal(w)
        return self._multiplier * average

    def project(self, A: Doubles) -> Covariance:
        if A.ndim == 1:
            images = kept_as(self._factors * A[:, None], self._factors)
            diagonal = self._rest.project(A) if self._rest else None
        else:
            images = np.empty((self._n, A.shape[0], self.rank), dtype=self._factors.dtype)
            for block, factors in self._blocks():
                images[block] = A @ factors
            diagonal = self._rest.project(A) if self._rest else None
        if diagonal is None or isinstance(diagonal, Diagonal):
            return LowRank(images, diagonal, self._multiplier)
        matrices = images @ images.transpose(0, 2, 1)
        matrices += diagonal.dense()
        return Dense(kept_as(matrices, self._factors), self._multiplier)

    def variances_along(self, A: Doubles) -> Doubles:
        out = np.empty((self._n, A.shape[0]))
        for block, factors in self._blocks():
            out[block] = np.square(A @ factors).sum(axis=2)
        if self._rest:
            out += self._rest.variances_along(A)
        return self._multiplier * out

    def traces(self, S: Doubles) -> Doubles:
        out = np.empty(self._n)
        for block, factors in self._blocks():
            out[block] = np.einsum("ndr,ndr->n", factors, S @ factors)
        if self._rest:
            out += self._rest.traces(S)
        return self._multiplier * out

    def diagonal(self) -> Floats:
        variances: Floats = np.square(self._factors).sum(axis=2)
        if self._rest:
            variances = variances + self._rest.diagonal()
        return np.asarray(variances * variances.dtype.type(self._multiplier))

    def dense(self) -> Floats:
        out = self._factors @ self._factors.transpose(0, 2, 1)
        if self._rest:
            index = np.arange(self._d)
            out[:, index, index] += self._rest.diagonal()
        out *= out.dtype.type(self._multiplier)
        return np.asarray(out)

    def deviates(self, n: int, rng: np.random.Generator) -> Doubles:
        out = np.empty((n, self._n, self._d))
        for block, factors in self._blocks():
            z = rng.standard_normal((len(factors), n, self.rank))
            out[:, block] = (z @ factors.transpose(0, 2, 1)).transpose(1, 0, 2)
        if self._rest:
            out += self._rest.deviates(n, rng)
        out *= np.sqrt(self._multiplier)
        return out

    def take(self, rows: Rows) -> LowRank:
        rest = self._rest.take(rows) if self._rest else None
        return LowRank(self._factors[rows], rest, self._multiplier)

    def select(self, columns: Rows) -> LowRank:
        rest = self._rest.select(columns) if self._rest else None
        return LowRank(self._factors[:, columns], rest, self._multiplier)

    def _with_multiplier(self, multiplier: float) -> LowRank:
        return LowRank(self._factors, self._rest, multiplier)


def lifted(cov: Covariance, A: Doubles) -> Covariance:
    """A Ψₙ Aᵀ for a map into more features than there are: low rank, whatever it was.

    ``A`` has shape (q, D) with q > D; as matrices the result would take q² numbers a row.
    """
    n, d, _ = cov.shape
    if isinstance(cov, Zero):
        return Zero(n, A.shape[0])
    parts = []
    if isinstance(cov, Dense):
        factors = np.empty((n, *A.shape), dtype=cov.dtype)
        for block in row_blocks(n, A.size):
            factors[block] = A @ root(cov.arrays["cov"][block].astype(np.float64, copy=False))
        parts.append(factors)
    if isinstance(cov, Shared):
        half = A @ root(cov.arrays["cov"].astype(np.float64, copy=False))
        parts.append(np.broadcast_to(half.astype(cov.dtype), (n, *A.shape)))
    if "factors" in cov.arrays:
        parts.append(kept_as(A @ cov.arrays["factors"], cov.arrays["factors"]))
    if "std" in cov.arrays:
        std = np.broadcast_to(cov.arrays["std"], (len(cov.arrays["std"]), d))
        scaled = kept_as(A * std[:, None, :], std)
        parts.append(np.broadcast_to(scaled, (n, *A.shape)))
    joined = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=2)
    return LowRank(joined, None, cov.multiplier)
