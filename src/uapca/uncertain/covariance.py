"""Covariances of N rows in the representation in which they were given.

One interface, five representations. Each answers the same questions at the cost its structure
allows; nothing is expanded to ``(N, D, D)`` unless `Covariance.dense` is called.

=============  =======================================  ==========================
class          what is kept                             memory
=============  =======================================  ==========================
`Zero`         nothing: the rows are certain            O(1)
`Diagonal`     standard deviations, as given            as given, at most N D
`Shared`       one matrix for all rows                  D²
`Dense`        one matrix for each row                  N D²
`LowRank`      factors F, and standard deviations       N D r (+ N D)
=============  =======================================  ==========================
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from copy import copy
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt

from uapca._validation import Doubles, Floats, frozen, restore_frozen

__all__ = [
    "Covariance",
    "Dense",
    "Diagonal",
    "LowRank",
    "Rows",
    "Shared",
    "Zero",
    "joined",
    "root",
    "row_blocks",
]

Rows = slice | npt.NDArray[np.intp]

# Up to this many components a projection is one matrix product with the columns of A ⊗ A;
# beyond it, two products through an (N, D, q) buffer need fewer operations.
_KRONECKER_LIMIT = 3

_BLOCK_BYTES = 2 << 20  # measured: between 1 and 8 MiB the best with 0.5 MiB of L2 a core

# Squares of standard deviations may overflow: the variance is infinite then.
_quiet = np.errstate(over="ignore", invalid="ignore")


class Covariance(ABC):
    """The covariances of N rows in D features.

    Parameters common to all representations: the number of rows, the number of features and
    a multiplier s² that `scaled` keeps apart, so that scaling never copies the data.

    Attributes
    ----------
    shape : tuple of int
        ``(N, D, D)``.
    kind : str
        ``"zero"``, ``"diagonal"``, ``"shared"``, ``"dense"`` or ``"low-rank"``.
    multiplier : float
        The factor s² by which everything kept is multiplied.

    See Also
    --------
    uapca.uncertain.Zero : Certain rows.
    uapca.uncertain.Diagonal : Independent errors.
    uapca.uncertain.Shared : One matrix for all rows.
    uapca.uncertain.Dense : One matrix for each row.
    uapca.uncertain.LowRank : Few factors and a diagonal.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.UncertainArray([[1.0, 2.0], [3.0, 4.0]], std=[0.1, 0.2])
    >>> X.cov.kind
    'diagonal'
    >>> X.cov.average(X.weights)
    array([[0.01, 0.  ],
           [0.  , 0.04]])
    >>> X.scaled(3.0).cov.multiplier
    9.0
    """

    kind: str
    __slots__ = ("_d", "_n", "multiplier")

    def __init__(self, n: int, d: int, multiplier: float = 1.0) -> None:
        self._n = n
        self._d = d
        self.multiplier: float = multiplier

    def __len__(self) -> int:
        return self._n

    def __setstate__(self, state: tuple[Any, dict[str, Any]]) -> None:
        restore_frozen(self, state)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._n} rows, {self._d} features)"

    @property
    def shape(self) -> tuple[int, int, int]:
        return (self._n, self._d, self._d)

    @property
    @abstractmethod
    def arrays(self) -> dict[str, Floats]:
        """What is kept, by name, before the multiplier."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of what is kept; float64 where nothing is."""
        return np.result_type(*self.arrays.values()) if self.arrays else np.dtype(np.float64)

    @abstractmethod
    def average(self, w: Doubles | None = None) -> Doubles:
        """Ψ̄ = Σ wₙ Ψₙ as a ``(D, D)`` matrix (paper, Eq. (expected-cov)); equal weights if None."""

    def average_operator(self, w: Doubles | None = None) -> Callable[[Doubles], Doubles]:
        """A function that multiplies ``(D,)`` or ``(D, k)`` by Ψ̄.

        Ψ̄ is formed only where it is no larger than what is kept.
        """
        average = self.average(w)
        return lambda x: average @ x

    def average_diagonal(self, w: Doubles | None = None) -> Doubles:
        """The diagonal of Ψ̄, shape ``(D,)``."""
        return self.average(w).diagonal()

    @_quiet
    def project(self, A: Doubles) -> Covariance:
        """A Ψₙ Aᵀ for ``A`` of shape ``(q, D)``, or of shape ``(D,)``: a factor for each axis.

        The representation is kept where the map allows it. Otherwise the result is `Dense` in the
        q new features, or `LowRank` if there are more of them than old ones.
        """
        if A.ndim == 1 or A.shape[0] <= self._d:
            return self._projected(A)
        parts = []
        if "cov" in self.arrays:
            matrices = self.arrays["cov"].reshape(-1, self._d, self._d)
            images = np.empty((len(matrices), *A.shape), dtype=self.dtype)
            for block in row_blocks(len(matrices), A.size):
                images[block] = A @ root(matrices[block].astype(np.float64, copy=False))
            parts.append(images)
        if "factors" in self.arrays:
            parts.append((A @ self.arrays["factors"]).astype(self.dtype, copy=False))
        if "std" in self.arrays:
            parts.append((A * self.arrays["std"][:, None, :]).astype(self.dtype, copy=False))
        full = [np.broadcast_to(part, (self._n, *part.shape[1:])) for part in parts]
        return LowRank(np.concatenate(full, axis=2) if full[1:] else full[0], None, self.multiplier)

    @abstractmethod
    def _projected(self, A: Doubles) -> Covariance:
        """`project` by factors, or onto at most D features."""

    def variances_along(self, A: Doubles) -> Doubles:
        """The diagonals of A Ψₙ Aᵀ, shape ``(N, q)``."""
        out = np.empty((self._n, A.shape[0]))
        for block in row_blocks(self._n, A.shape[0] ** 2):
            out[block] = self.take(block).project(A).diagonal()
        return out

    @abstractmethod
    def diagonal(self) -> Floats:
        """The variances, shape ``(N, D)``; a read-only view where they are not kept so."""

    def std(self) -> Floats:
        """The standard deviations, shape ``(N, D)``."""
        return np.sqrt(np.clip(self.diagonal(), 0.0, None))

    @abstractmethod
    def dense(self) -> Floats:
        """All matrices, shape ``(N, D, D)``. This is the one call that expands."""

    @abstractmethod
    def deviates(self, n: int, rng: np.random.Generator) -> Doubles:
        """``n`` normal draws of every row's deviation from its mean, shape ``(n, N, D)``."""

    @abstractmethod
    def take(self, rows: Rows) -> Self:
        """The same representation for some of the rows."""

    @abstractmethod
    def select(self, columns: Rows) -> Self:
        """The same representation for some of the features."""

    def scaled(self, s: float) -> Self:
        """Every Ψₙ times s² (paper, Eq. (scaling)); nothing is copied."""
        return self.times(s**2)

    def times(self, factor: float) -> Self:
        """Every Ψₙ times a factor; nothing is copied."""
        new = copy(self)
        new.multiplier *= factor
        return new

    def in_float64(self) -> Self:
        """The same, with what is kept in double precision."""
        new = copy(self)
        for name in ("_std", "_matrices", "_factors"):
            if hasattr(new, name):
                setattr(new, name, frozen(getattr(new, name).astype(np.float64, copy=False)))
        if isinstance(new, LowRank):
            new.rest = new.rest.in_float64()
        return new

    def _weights(self, w: Doubles | None) -> Doubles:
        return np.full(self._n, 1.0 / self._n) if w is None else w


class Diagonal(Covariance):
    """Independent errors: standard deviations that broadcast to ``(N, D)``.

    They are kept as given: one number, one for each feature ``(1, D)``, one for each row
    ``(N, 1)`` (isotropic) or one for each value ``(N, D)``.

    See Also
    --------
    uapca.uncertain.Covariance : What every representation has.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.UncertainArray([[1.0, 2.0], [3.0, 4.0]], std=[0.1, 0.2])
    >>> X.cov.dense()[0]
    array([[0.01, 0.  ],
           [0.  , 0.04]])
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
            half = np.sqrt(self._weights(w))
            average = np.zeros(self._std.shape[1])
            for block in row_blocks(self._n, self._std.shape[1]):
                # Weighted before squaring: the square of a row of weight zero may overflow.
                part = self._std[block] * half[block, None]
                average += np.einsum("nd,nd->d", part, part)
        average *= self.multiplier
        return average if len(average) == self._d else np.full(self._d, average)

    def _projected(self, A: Doubles) -> Covariance:
        n, q = self._n, A.shape[0]
        if A.ndim == 1:
            same = self.isotropic and bool(np.all(np.abs(A) == abs(A[0])))
            factor = A[:1] if same else A
            return self._like(_kept_as(self._std * np.abs(factor), self._std), n, q)
        if self.isotropic:
            gram = A @ A.T
            size = gram[0, 0]
            if np.abs(gram - size * np.eye(q)).max() <= 8 * np.finfo(float).eps * self._d * size:
                return self._like(_kept_as(self._std * np.sqrt(size), self._std), n, q)
        if self._std.shape[0] == 1:
            half = A * self._std[0]
            return Shared(self.multiplier * (half @ half.T), n)
        first, second = np.triu_indices(q)
        upper = self._products(A[first] * A[second])
        images = np.empty((n, q, q), dtype=self._std.dtype)
        images[:, first, second] = upper
        images[:, second, first] = upper
        return Dense(images)

    def variances_along(self, A: Doubles) -> Doubles:
        return np.broadcast_to(self._products(A * A), (self._n, A.shape[0]))

    @_quiet
    def _products(self, coefficients: Doubles) -> Doubles:
        """Σ_d std²_nd coefficients_pd: shape ``(N, P)``, or ``(1, P)`` if all rows are the same."""
        if self.isotropic:
            coefficients = coefficients.sum(axis=1, keepdims=True)
        out = np.empty((self._std.shape[0], coefficients.shape[0]))
        for block in row_blocks(*self._std.shape):
            np.matmul(np.square(self._std[block], dtype=np.float64), coefficients.T, out=out[block])
        out *= self.multiplier
        return out

    def std(self) -> Floats:
        factor = self._std.dtype.type(np.sqrt(self.multiplier))
        return np.broadcast_to(self._std * factor, (self._n, self._d))

    @_quiet
    def diagonal(self) -> Floats:
        variances = np.square(self._std) * self._std.dtype.type(self.multiplier)
        return np.broadcast_to(variances, (self._n, self._d))

    def dense(self) -> Floats:
        out = np.zeros(self.shape, dtype=self._std.dtype)
        index = np.arange(self._d)
        out[:, index, index] = self.diagonal()
        return out

    def deviates(self, n: int, rng: np.random.Generator) -> Doubles:
        out = rng.standard_normal((n, self._n, self._d))
        out *= self._std * np.sqrt(self.multiplier)
        return out

    def _like(self, std: Floats, n: int, d: int) -> Diagonal:
        return Diagonal(std, n, d, self.multiplier)

    def take(self, rows: Rows) -> Diagonal:
        std = self._std if self._std.shape[0] == 1 else self._std[rows]
        return self._like(std, _count(rows, self._n), self._d)

    def select(self, columns: Rows) -> Diagonal:
        std = self._std if self.isotropic else self._std[:, columns]
        return self._like(std, self._n, _count(columns, self._d))


class Zero(Diagonal):
    """Certain rows: every covariance is zero, and nothing is kept.

    See Also
    --------
    uapca.uncertain.Covariance : What every representation has.

    Examples
    --------
    >>> import uapca
    >>> uapca.UncertainArray([[1.0, 2.0], [3.0, 4.0]]).cov.kind
    'zero'
    """

    kind = "zero"
    __slots__ = ()

    def __init__(self, n: int, d: int) -> None:
        super().__init__(np.zeros((1, 1)), n, d)

    @property
    def arrays(self) -> dict[str, Floats]:
        return {}

    def project(self, A: Doubles) -> Zero:
        return Zero(self._n, A.shape[0])

    def deviates(self, n: int, rng: np.random.Generator) -> Doubles:
        return np.zeros((n, self._n, self._d))

    def times(self, factor: float) -> Zero:
        return self

    def _like(self, std: Floats, n: int, d: int) -> Zero:
        return Zero(n, d)


class Dense(Covariance):
    """One matrix for each row: ``(N, D, D)``.

    See Also
    --------
    uapca.uncertain.Covariance : What every representation has.

    Examples
    --------
    >>> import numpy as np
    >>> import uapca
    >>> X = uapca.UncertainArray([[1.0, 2.0], [3.0, 4.0]], cov=[np.eye(2), 2 * np.eye(2)])
    >>> X.cov.kind
    'dense'
    >>> X.cov.average(X.weights)
    array([[1.5, 0. ],
           [0. , 1.5]])
    """

    kind = "dense"
    __slots__ = ("_matrices",)

    def __init__(self, matrices: Floats, multiplier: float = 1.0) -> None:
        super().__init__(matrices.shape[0], matrices.shape[1], multiplier)
        self._matrices: Floats = frozen(matrices)

    @property
    def arrays(self) -> dict[str, Floats]:
        return {"cov": self._matrices}

    def _like(self, matrices: Floats, n: int) -> Dense:
        return Dense(matrices, self.multiplier)

    def _blocks(self) -> Iterator[tuple[slice, Doubles]]:
        """The matrices as rows of float64: all at once if BLAS can take them as they are."""
        matrices = self._matrices
        if matrices.dtype == np.float64 and matrices.flags.c_contiguous:
            yield slice(0, len(matrices)), cast(Doubles, matrices.reshape(len(matrices), -1))
            return
        for block in row_blocks(len(matrices), self._d**2):
            part = matrices[block].astype(np.float64)
            yield block, part.reshape(len(part), -1)

    def average(self, w: Doubles | None = None) -> Doubles:
        weights = np.ones(1) if len(self._matrices) == 1 else self._weights(w)
        average = np.zeros(self._d * self._d)
        for block, matrices in self._blocks():
            average += weights[block] @ matrices
        average *= self.multiplier
        return _symmetric(average.reshape(self._d, self._d))

    def _projected(self, A: Doubles) -> Dense:
        if A.ndim == 1:
            return self._like(_kept_as(self._matrices * (A * A[:, None]), self._matrices), self._n)
        q, count = A.shape[0], len(self._matrices)
        images = np.empty((count, q, q))
        if q <= _KRONECKER_LIMIT:
            columns = (A[:, None, :, None] * A[None, :, None, :]).reshape(q * q, -1)
            for block, matrices in self._blocks():
                np.matmul(matrices, columns.T, out=images[block].reshape(-1, q * q))
            for i in range(1, q):
                images[:, i, :i] = images[:, :i, i]
        else:
            for block in row_blocks(count, self._d * self._d):
                half = self._matrices[block].reshape(-1, self._d) @ A.T
                images[block] = _symmetric(A @ half.reshape(-1, self._d, q))
        return self._like(_kept_as(images, self._matrices), self._n)

    def std(self) -> Floats:
        variances = np.diagonal(self._matrices, axis1=1, axis2=2)
        std = np.sqrt(np.clip(variances, 0.0, None))
        std *= std.dtype.type(np.sqrt(self.multiplier))  # the product of variances might overflow
        return np.broadcast_to(std, (self._n, self._d))

    @_quiet
    def diagonal(self) -> Floats:
        diagonals = np.diagonal(self._matrices, axis1=1, axis2=2)
        variances = diagonals * self._matrices.dtype.type(self.multiplier)
        return np.broadcast_to(variances, (self._n, self._d))

    @_quiet
    def dense(self) -> Floats:
        matrices = self._matrices
        if self.multiplier != 1.0:
            matrices = matrices * matrices.dtype.type(self.multiplier)
        return np.broadcast_to(matrices, self.shape)

    def take(self, rows: Rows) -> Dense:
        shared = self._n != len(self._matrices)
        matrices = self._matrices if shared else self._matrices[rows]
        return self._like(matrices, _count(rows, self._n))

    def select(self, columns: Rows) -> Dense:
        return self._like(self._matrices[:, columns][:, :, columns], self._n)

    def deviates(self, n: int, rng: np.random.Generator) -> Doubles:
        out = np.empty((n, self._n, self._d))
        for block in row_blocks(self._n, self._d * self._d):
            half = root(self._matrices[block].astype(np.float64, copy=False))
            z = rng.standard_normal((len(half), n, self._d))
            out[:, block] = (z @ half.transpose(0, 2, 1)).transpose(1, 0, 2)
        out *= np.sqrt(self.multiplier)
        return out


class Shared(Dense):
    """One matrix ``(D, D)`` for all rows, kept as a stack of one.

    See Also
    --------
    uapca.uncertain.Covariance : What every representation has.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.UncertainArray([[1.0, 2.0], [3.0, 4.0]], cov=[[1.0, 0.5], [0.5, 2.0]])
    >>> X.cov.kind, X.cov.shape
    ('shared', (2, 2, 2))
    """

    kind = "shared"
    __slots__ = ()

    def __init__(self, matrix: Floats, n: int, multiplier: float = 1.0) -> None:
        super().__init__(matrix[None], multiplier)
        self._n = n

    @property
    def arrays(self) -> dict[str, Floats]:
        return {"cov": self._matrices[0]}

    def _like(self, matrices: Floats, n: int) -> Shared:
        return Shared(matrices[0], n, self.multiplier)

    def deviates(self, n: int, rng: np.random.Generator) -> Doubles:
        return rng.standard_normal((n, self._n, self._d)) @ root(self.average()).T


class LowRank(Covariance):
    """Few directions of error for each row, F Fᵀ with F of shape ``(N, D, r)``, plus a diagonal.

    See Also
    --------
    uapca.uncertain.Covariance : What every representation has.

    Examples
    --------
    >>> import numpy as np
    >>> import uapca
    >>> factors = np.ones((2, 3, 1))  # one direction of error for each of two rows
    >>> X = uapca.UncertainArray(np.zeros((2, 3)), factors=factors, std=0.1)
    >>> X.cov.kind, X.cov.rank
    ('low-rank', 1)
    >>> X.cov.dense()[0]
    array([[1.01, 1.  , 1.  ],
           [1.  , 1.01, 1.  ],
           [1.  , 1.  , 1.01]])
    """

    kind = "low-rank"
    __slots__ = ("_factors", "rest")

    def __init__(
        self, factors: Floats, rest: Diagonal | None = None, multiplier: float = 1.0
    ) -> None:
        super().__init__(factors.shape[0], factors.shape[1], multiplier)
        self._factors = frozen(factors)
        #: The independent errors beside the factors, before the multiplier.
        self.rest: Diagonal = Zero(self._n, self._d) if rest is None else rest

    @property
    def rank(self) -> int:
        """The number r of factors."""
        return int(self._factors.shape[2])

    @property
    def arrays(self) -> dict[str, Floats]:
        return {"factors": self._factors, **self.rest.arrays}

    def _blocks(self) -> Iterator[tuple[slice, Doubles]]:
        for block in row_blocks(self._n, self._d * self.rank):
            yield block, self._factors[block].astype(np.float64, copy=False)

    @_quiet
    def average(self, w: Doubles | None = None) -> Doubles:
        half_weights = np.sqrt(self._weights(w))
        average = np.zeros((self._d, self._d))
        for block, factors in self._blocks():
            half = factors * half_weights[block, None, None]
            average += np.tensordot(half, half, axes=([0, 2], [0, 2]))
        return _symmetric(self.multiplier * (average + self.rest.average(w)))

    def average_operator(self, w: Doubles | None = None) -> Callable[[Doubles], Doubles]:
        weights, rest = self._weights(w), self.rest.average_operator(w)

        def product(x: Doubles) -> Doubles:
            columns = x.reshape(self._d, -1)
            out = rest(columns)
            for block, factors in self._blocks():
                inner = np.tensordot(factors, columns, axes=([1], [0]))
                inner *= weights[block, None, None]
                out += np.tensordot(factors, inner, axes=([0, 2], [0, 1]))
            return self.multiplier * out.reshape(x.shape)

        return product

    @_quiet
    def average_diagonal(self, w: Doubles | None = None) -> Doubles:
        half_weights = np.sqrt(self._weights(w))
        average = np.zeros(self._d)
        for block, factors in self._blocks():
            half = factors * half_weights[block, None, None]
            average += np.einsum("ndr,ndr->d", half, half)
        return self.multiplier * (average + self.rest.average_diagonal(w))

    def _projected(self, A: Doubles) -> Covariance:
        factors = A[:, None] * self._factors if A.ndim == 1 else A @ self._factors
        images = _kept_as(factors, self._factors)
        rest = self.rest.project(A)
        if isinstance(rest, Diagonal):
            return LowRank(images, rest, self.multiplier)
        matrices = images @ images.transpose(0, 2, 1)
        matrices += rest.dense()
        return Dense(_kept_as(matrices, self._factors), self.multiplier)

    @_quiet
    def diagonal(self) -> Floats:
        variances = np.square(self._factors).sum(axis=2) + self.rest.diagonal()
        return np.asarray(variances * self.multiplier, dtype=self.dtype)

    @_quiet
    def dense(self) -> Floats:
        out = self._factors @ self._factors.transpose(0, 2, 1)
        index = np.arange(self._d)
        out[:, index, index] += self.rest.diagonal()
        out *= out.dtype.type(self.multiplier)
        return np.asarray(out)

    def deviates(self, n: int, rng: np.random.Generator) -> Doubles:
        out = np.empty((n, self._n, self._d))
        for block, factors in self._blocks():
            z = rng.standard_normal((len(factors), n, self.rank))
            out[:, block] = (z @ factors.transpose(0, 2, 1)).transpose(1, 0, 2)
        out += self.rest.deviates(n, rng)
        out *= np.sqrt(self.multiplier)
        return out

    def take(self, rows: Rows) -> LowRank:
        return LowRank(self._factors[rows], self.rest.take(rows), self.multiplier)

    def select(self, columns: Rows) -> LowRank:
        return LowRank(self._factors[:, columns], self.rest.select(columns), self.multiplier)


def joined(parts: list[Covariance]) -> Covariance:
    """The rows of several representations in the simplest one that holds them all."""
    n, d = sum(map(len, parts)), parts[0].shape[1]
    kept = [array for part in parts for array in part.arrays.values()]
    if not kept:
        return Zero(n, d)
    dtype = np.result_type(*kept)
    same = all(np.array_equal(kept[0], other) for other in kept[1:])
    same = same and len({(part.kind, part.multiplier) for part in parts}) == 1
    if same and isinstance(parts[0], Shared):
        return Shared(kept[0], n, parts[0].multiplier)
    if same and isinstance(parts[0], Diagonal) and len(kept[0]) == 1:
        return Diagonal(kept[0], n, d, parts[0].multiplier)
    if all(isinstance(part, Diagonal) for part in parts):
        return Diagonal(np.concatenate([part.std().astype(dtype) for part in parts]), n, d)
    if not all(isinstance(part, Diagonal | LowRank) for part in parts):
        return Dense(np.concatenate([part.dense() for part in parts]))
    rank = max(part.rank for part in parts if isinstance(part, LowRank))
    factors, stds, start = np.zeros((n, d, rank), dtype=dtype), [], 0
    for part in parts:
        rest: Covariance = part
        if isinstance(part, LowRank):
            own = part.arrays["factors"] * np.sqrt(part.multiplier)
            factors[start : start + len(part), :, : part.rank] = own
            rest = part.rest.times(part.multiplier)
        stds.append(rest.std().astype(dtype))
        start += len(part)
    std = np.concatenate(stds)
    return LowRank(factors, Diagonal(std, n, d) if std.any() else None)


def row_blocks(rows: int, width: int, least: int = 1) -> Iterator[slice]:
    """Slices of ``rows`` rows such that a block of ``width`` doubles a row stays in cache.

    Large temporaries cost more in page faults than in arithmetic.
    """
    size = max(_BLOCK_BYTES // (8 * max(width, 1)), least)
    for start in range(0, rows, size):
        yield slice(start, min(start + size, rows))


def root(matrix: Doubles) -> Doubles:
    """R with R Rᵀ = matrix, for a positive semi-definite matrix or a stack of them."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray(vectors * np.sqrt(np.clip(values, 0.0, None))[..., None, :])


def _symmetric(matrix: Doubles) -> Doubles:
    """The symmetric part of a matrix, or of each of a stack of them."""
    return 0.5 * (matrix + np.swapaxes(matrix, -1, -2))


def _kept_as(result: Floats, original: Floats) -> Floats:
    """``result`` in the storage type of ``original``: float32 stays float32."""
    return result.astype(original.dtype, copy=False)


def _count(rows: Rows, n: int) -> int:
    """How many of ``n`` rows a selection holds."""
    return len(range(*rows.indices(n))) if isinstance(rows, slice) else len(rows)
