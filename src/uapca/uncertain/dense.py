"""The representation that keeps one matrix for each row."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np

from uapca._validation import Floats, frozen
from uapca.uncertain.blocks import Doubles, doubles, row_blocks
from uapca.uncertain.covariance import Covariance, Rows, kept_as, root

__all__ = ["Dense"]

# Up to this many components a projection is one matrix product with the columns of A ⊗ A;
# beyond it, two products through an (N, D, q) buffer need fewer operations.
_KRONECKER_LIMIT = 3
# Up to this size the matrices stay in cache, and a product with each of the three distinct columns
# for two components is faster than one with all of them.
_SMALL_BYTES = 1 << 20


class Dense(Covariance):
    """One matrix for each row: ``(N, D, D)``."""

    kind = "dense"
    __slots__ = ("_matrices",)

    def __init__(self, matrices: Floats, multiplier: float = 1.0) -> None:
        super().__init__(matrices.shape[0], matrices.shape[1], multiplier)
        self._matrices = frozen(matrices)

    @property
    def arrays(self) -> dict[str, Floats]:
        return {"cov": self._matrices}

    @property
    def _flat(self) -> Doubles | None:
        """The matrices as rows, if BLAS can take them as they are."""
        if self._matrices.dtype == np.float64 and self._matrices.flags.c_contiguous:
            return cast(Doubles, self._matrices.reshape(self._n, self._d * self._d))
        return None

    def average(self, w: Doubles | None = None) -> Doubles:
        weights = self._weights(w)
        flat = self._flat
        if flat is not None:
            average: Doubles = weights.dot(flat)
        else:
            average = np.zeros(self._d * self._d)
            for block, matrices in doubles(self._matrices):
                average += weights[block] @ matrices
        half = average.reshape(self._d, self._d)
        half *= 0.5 * self._multiplier
        both: Doubles = half + half.T
        return both

    def average_operator(self, w: Doubles | None = None) -> Callable[[Doubles], Doubles]:
        average = self.average(w)  # smaller than what is kept, and one pass instead of many
        return lambda x: average @ x

    def average_diagonal(self, w: Doubles | None = None) -> Doubles:
        diagonals = np.diagonal(self._matrices, axis1=1, axis2=2)
        average = np.einsum("n,nd->d", self._weights(w), diagonals, dtype=np.float64)
        return np.asarray(self._multiplier * average)

    def project(self, A: Doubles) -> Dense:
        if A.ndim == 1:
            image = self._matrices * (A * A[:, None])
            return Dense(kept_as(image, self._matrices), self._multiplier)
        if A.shape[0] <= _KRONECKER_LIMIT:
            return Dense(self._project_at_once(A))
        return Dense(self._project_in_two(A))

    def _project_at_once(self, A: Doubles) -> Floats:
        q = A.shape[0]
        columns = (A[:, None, :, None] * A[None, :, None, :]).reshape(q * q, -1)
        if self._multiplier != 1.0:
            columns *= self._multiplier
        flat = self._flat
        if flat is not None and q == 2 and flat.nbytes <= _SMALL_BYTES:
            out = np.empty((4, self._n))
            for k in (0, 1, 3):
                flat.dot(columns[k], out[k])
            out[2] = out[1]
            return out.T.reshape(self._n, 2, 2)
        if flat is not None:
            out = flat @ columns.T
        else:
            out = np.empty((self._n, q * q))
            for block, matrices in doubles(self._matrices):
                np.matmul(matrices, columns.T, out=out[block])
        image = out.reshape(self._n, q, q)
        for i in range(q):
            for j in range(i):
                image[:, i, j] = image[:, j, i]
        return kept_as(image, self._matrices)

    def _project_in_two(self, A: Doubles) -> Floats:
        q = A.shape[0]
        out = np.empty((self._n, q, q), dtype=self._matrices.dtype)
        scaled = A * self._multiplier
        buffer: Doubles | None = None
        for block in row_blocks(self._n, self._d * self._d):
            size = block.stop - block.start
            if buffer is None:
                buffer = np.empty((size * self._d, q))
            half = buffer[: size * self._d]
            np.matmul(self._matrices[block].reshape(-1, self._d), scaled.T, out=half)
            image = A @ half.reshape(size, self._d, q)
            image += image.transpose(0, 2, 1).copy()
            image *= 0.5
            out[block] = image
        return out

    def variances_along(self, A: Doubles) -> Doubles:
        q = A.shape[0]
        out = np.empty((self._n, q))
        for block in row_blocks(self._n, self._d * self._d):
            half = self._matrices[block].reshape(-1, self._d) @ A.T
            np.einsum("ndq,qd->nq", half.reshape(-1, self._d, q), A, out=out[block])
        out *= self._multiplier
        return out

    def traces(self, S: Doubles) -> Doubles:
        out = np.empty(self._n)
        for block, matrices in doubles(self._matrices):
            out[block] = matrices @ S.ravel()
        out *= self._multiplier
        return out

    def diagonal(self) -> Floats:
        diagonals = np.diagonal(self._matrices, axis1=1, axis2=2)
        return diagonals * self._matrices.dtype.type(self._multiplier)

    def dense(self) -> Floats:
        if self._multiplier == 1.0:
            return self._matrices
        return self._matrices * self._matrices.dtype.type(self._multiplier)

    def deviates(self, n: int, rng: np.random.Generator) -> Doubles:
        out = np.empty((n, self._n, self._d))
        for block in row_blocks(self._n, self._d * self._d):
            half = root(self._matrices[block].astype(np.float64, copy=False))
            z = rng.standard_normal((len(half), n, self._d))
            out[:, block] = (z @ half.transpose(0, 2, 1)).transpose(1, 0, 2)
        out *= np.sqrt(self._multiplier)
        return out

    def take(self, rows: Rows) -> Dense:
        return Dense(self._matrices[rows], self._multiplier)

    def select(self, columns: Rows) -> Dense:
        return Dense(self._matrices[:, columns][:, :, columns], self._multiplier)

    def _with_multiplier(self, multiplier: float) -> Dense:
        return Dense(self._matrices, multiplier)
