"""Covariances of N rows in the representation in which they were given.

Every representation keeps some of the parts of one sum,

    Ψₙ = s² (Mₙ + Fₙ Fₙᵀ + B diag(σₙ²) Bᵀ),

and everything is computed part by part; nothing is expanded to ``(N, D, D)`` unless
`Covariance.dense` is called.

=============  =======================================  ==========================
class          what is kept                             memory
=============  =======================================  ==========================
`Zero`         nothing: the rows are certain            O(1)
`Diagonal`     standard deviations σ, as given          as given, at most N D
`Shared`       one matrix M for all rows                D²
`Dense`        one matrix M for each row                N D²
`LowRank`      factors F, and standard deviations       N D r (+ N D)
`SharedAxes`   axes B of all rows, σ, and factors F     N D (r + 1) + D²
=============  =======================================  ==========================
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from uapca._validation import Doubles, Floats, frozen, root, row_blocks

__all__ = [
    "Covariance",
    "Dense",
    "Diagonal",
    "LowRank",
    "Rows",
    "Shared",
    "SharedAxes",
    "Zero",
    "joined",
    "root",
    "row_blocks",
]

Rows = slice | npt.NDArray[np.intp]

# Up to this many components a projection is one matrix product with the columns of A ⊗ A;
# beyond it, two products through an (N, D, q) buffer need fewer operations, and for wide matrices
# these columns do not stay in cache.
_KRONECKER_LIMIT, _KRONECKER_WIDTH = 3, 128

_VIEWED_VALUES = 1 << 20  # entries of matrices that are summed as they are kept

# Squares of standard deviations may overflow: the variance is infinite then.
_quiet = np.errstate(over="ignore", invalid="ignore")


class Covariance:
    """The covariances of N rows in D features.

    Parameters common to all representations: the number of rows, the number of features and
    a multiplier s² that `scaled` keeps apart, so that scaling never copies the data.

    Attributes
    ----------
    shape : tuple of int
        ``(N, D, D)``.
    kind : str
        ``"zero"``, ``"diagonal"``, ``"shared"``, ``"dense"``, ``"low-rank"`` or
        ``"shared-axes"``.
    arrays : dict of ndarray
        What is kept, by name, before the multiplier: "cov" (M), "factors" (F), "axes" (B) and
        "std" (σ).
    multiplier : float
        The factor s² by which everything kept is multiplied.

    See Also
    --------
    uapca.uncertain.Zero : Certain rows.
    uapca.uncertain.Diagonal : Independent errors.
    uapca.uncertain.Shared : One matrix for all rows.
    uapca.uncertain.Dense : One matrix for each row.
    uapca.uncertain.LowRank : Few factors and a diagonal.
    uapca.uncertain.SharedAxes : Independent errors along axes that all rows share.

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

    def __init__(self, n: int, d: int, multiplier: float = 1.0, **arrays: Floats) -> None:
        self._n, self._d = n, d
        self.multiplier: float = multiplier
        views = map(frozen, arrays.values())
        self.arrays: dict[str, Floats] = dict(zip(arrays, views, strict=True))

    def _with(self, arrays: Mapping[str, Floats], n: int, d: int, factor: float = 1.0) -> Self:
        """The same representation with other arrays, and a factor for the multiplier."""
        new = object.__new__(type(self))
        Covariance.__init__(new, n, d, self.multiplier * factor, **arrays)
        return new

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, arrays={k: frozen(kept) for k, kept in state["arrays"].items()})

    def __len__(self) -> int:
        return self._n

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._n} rows, {self._d} features)"

    @property
    def shape(self) -> tuple[int, int, int]:
        return (self._n, self._d, self._d)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of what is kept; float64 where nothing is."""
        return np.result_type(*self.arrays.values()) if self.arrays else np.dtype(np.float64)

    @property
    def rank(self) -> int:
        """The number r of factors."""
        return int(self.arrays["factors"].shape[2]) if "factors" in self.arrays else 0

    @property
    def rest(self) -> Diagonal:
        """The independent errors, beside the factors or along the axes, before the multiplier."""
        width = self.arrays["axes"].shape[1] if "axes" in self.arrays else self._d
        std = self.arrays.get("std")
        return Zero(self._n, width) if std is None else Diagonal(std, self._n, width)

    @property
    def isotropic(self) -> bool:
        """Whether each row has one standard deviation for all features, and nothing else."""
        return self.arrays.keys() == {"std"} and self.arrays["std"].shape[1] == 1

    # Averages

    @_quiet
    def average(self, w: Doubles | None = None) -> Doubles:
        """Ψ̄ = Σ wₙ Ψₙ as a ``(D, D)`` matrix (paper, Eq. (expected-cov)); equal weights if None."""
        average = np.zeros((self._d, self._d))
        if "cov" in self.arrays:
            weights = self._weights(w) if self.arrays["cov"].ndim == 3 else np.ones(1)
            for block, matrices in self._matrices():
                average += (weights[block] @ matrices).reshape(average.shape)
            average = 0.5 * (average + average.T)
        for half in self._halves(w):
            average += half @ half.T
        average.flat[:: self._d + 1] += self._average_variances(w)
        average *= self.multiplier
        return average

    def average_operator(self, w: Doubles | None = None) -> Callable[[Doubles], Doubles]:
        """A function that multiplies ``(D,)`` or ``(D, k)`` by Ψ̄.

        Ψ̄ is formed only where it is no larger than what is kept.
        """
        if "cov" in self.arrays:
            average = self.average(w)
            return lambda x: average @ x
        variances = self._average_variances(w)[:, None]

        def product(x: Doubles) -> Doubles:
            columns = x.reshape(self._d, -1)
            out = variances * columns
            for half in self._halves(w):
                out += half @ (half.T @ columns)
            return np.asarray(self.multiplier * out.reshape(x.shape))

        return product

    @_quiet
    def average_diagonal(self, w: Doubles | None = None) -> Doubles:
        """The diagonal of Ψ̄, shape ``(D,)``."""
        if "cov" in self.arrays:
            return self.average(w).diagonal()
        average = np.zeros(self._d) + self._average_variances(w)
        for half in self._halves(w):
            average += np.square(half).sum(axis=1)
        return np.asarray(self.multiplier * average)

    def _weights(self, w: Doubles | None) -> Doubles:
        return np.full(self._n, 1.0 / self._n) if w is None else w

    def _matrices(self) -> Iterator[tuple[slice, Doubles]]:
        """M in blocks of rows: each matrix one row of float64."""
        matrices = self.arrays["cov"].reshape(-1, self._d, self._d)
        # Where nothing is converted, a block need not stay in cache, and longer ones are faster.
        least = max(16, _VIEWED_VALUES // self._d**2) if matrices.dtype == np.float64 else 1
        for block in row_blocks(len(matrices), self._d**2, least):
            part = matrices[block].astype(np.float64, copy=False)
            yield block, part.reshape(len(part), -1)

    def _halves(self, w: Doubles | None) -> Iterator[Doubles]:
        """Matrices H of shape ``(D, k)``: Σ H Hᵀ is what factors and shared axes add to Ψ̄ / s²."""
        # Weighted before squaring: the square of a row of weight zero may overflow.
        roots = np.sqrt(self._weights(w)) if self.rank else np.zeros(0)
        for block in row_blocks(len(roots), self._d * self.rank):
            half = np.multiply(self.arrays["factors"][block], roots[block, None, None])
            yield half.transpose(1, 0, 2).reshape(self._d, -1)
        if "axes" in self.arrays:
            yield np.multiply(self.arrays["axes"], np.sqrt(self.rest._average_variances(w)))

    def _average_variances(self, w: Doubles | None) -> Doubles:
        """Σ wₙ σₙ² along the features, of shape ``(D,)``, or ``(1,)`` where all are the same."""
        std = self.arrays.get("std")
        if std is None or "axes" in self.arrays:
            return np.zeros(1)
        if len(std) == 1:
            return np.asarray(np.square(std[0], dtype=np.float64))
        roots, average = np.sqrt(self._weights(w)), np.zeros(std.shape[1])
        for block in row_blocks(*std.shape):
            part = std[block] * roots[block, None]
            average += np.einsum("nd,nd->d", part, part)
        return average

    # Projections

    @_quiet
    def project(self, A: Doubles) -> Covariance:
        """A Ψₙ Aᵀ for ``A`` of shape ``(q, D)``, or of shape ``(D,)``: a factor for each axis.

        The representation is kept where the map allows it. Otherwise the result is `Dense` in the
        q new features, or `LowRank` if there are more of them than old ones.
        """
        q = len(A)
        if A.ndim == 1:
            return self._with(self._stretched(A), self._n, q)
        if q > self._d and self.arrays:
            return self._onto_more(A)
        if "cov" in self.arrays:
            return self._projected_matrices(A)
        rest = self._projected_variances(A @ self.arrays["axes"] if "axes" in self.arrays else A)
        if "factors" not in self.arrays:
            rest.multiplier = self.multiplier
            return rest
        images = (A @ self.arrays["factors"]).astype(self.dtype, copy=False)
        if isinstance(rest, Diagonal):
            return LowRank(images, rest, self.multiplier)
        matrices = images @ images.transpose(0, 2, 1) + rest.dense()
        return Dense(matrices.astype(self.dtype, copy=False), self.multiplier)

    def _stretched(self, A: Doubles) -> dict[str, Floats]:
        """What is kept, with every feature times a factor."""
        new = dict(self.arrays)
        if "cov" in new:
            new["cov"] = new["cov"] * (A * A[:, None])
        for name in new.keys() & {"factors", "axes"}:
            new[name] = A[:, None] * new[name]
        if "std" in new and "axes" not in new:
            same = new["std"].shape[1] == 1 and bool(np.all(np.abs(A) == abs(A[0])))
            new["std"] = new["std"] * np.abs(A[:1] if same else A)
        return {
            name: new[name].astype(kept.dtype, copy=False) for name, kept in self.arrays.items()
        }

    def _onto_more(self, A: Doubles) -> Covariance:
        """A Ψₙ Aᵀ onto more than D features: as axes, or as A times roots of all parts."""
        if "axes" in self.arrays:
            images = {k: a if k == "std" else A @ a for k, a in self.arrays.items()}
            return self._with(images, self._n, len(A))
        parts: list[Floats] = []
        if "cov" in self.arrays:
            roots = [root(part.reshape(-1, self._d, self._d)) for _, part in self._matrices()]
            parts.append(A @ np.concatenate(roots))
        if "factors" in self.arrays:
            parts.append(A @ self.arrays["factors"])
        if "std" in self.arrays:
            parts.append(A * self.arrays["std"][:, None, :])
        full = [np.broadcast_to(part, (self._n, *part.shape[1:])) for part in parts]
        half = np.concatenate(full, axis=2) if full[1:] else full[0]
        return LowRank(half.astype(self.dtype, copy=False), None, self.multiplier)

    def _projected_matrices(self, A: Doubles) -> Covariance:
        """A M Aᵀ onto at most D features."""
        kept, q, d = self.arrays["cov"], len(A), self._d
        images = np.empty((kept.size // d**2, q, q))
        # Stored by rows: with a transposed matrix BLAS takes three times as long.
        columns = (A.T[:, None, :, None] * A.T[:, None, :]).reshape(-1, q * q)
        for block, matrices in self._matrices():
            if q <= _KRONECKER_LIMIT and d <= _KRONECKER_WIDTH:
                np.matmul(matrices, columns, out=images[block].reshape(-1, q * q))
            else:
                images[block] = A @ (matrices.reshape(-1, d) @ A.T).reshape(-1, d, q)
        for i in range(1, q):
            images[:, i, :i] = images[:, :i, i]
        image = images.astype(kept.dtype, copy=False).reshape(*kept.shape[:-2], q, q)
        return self._with({"cov": image}, self._n, q)

    def _projected_variances(self, A: Doubles) -> Covariance:
        """A diag(σ²) Aᵀ onto at most D features, before the multiplier."""
        std, q = self.arrays.get("std"), len(A)
        if std is None:
            return Zero(self._n, q)
        if std.shape[1] == 1:
            gram = A @ A.T
            size = gram[0, 0]
            if np.abs(gram - size * np.eye(q)).max() <= 8 * np.finfo(float).eps * self._d * size:
                return Diagonal((std * np.sqrt(size)).astype(std.dtype), self._n, q)
        if len(std) == 1:
            half = A * std[0]
            return Shared(half @ half.T, self._n)
        first, second = np.triu_indices(q)
        upper = self._variances_times(A[first] * A[second])
        images = np.empty((self._n, q, q), dtype=std.dtype)
        images[:, first, second] = upper
        images[:, second, first] = upper
        return Dense(images)

    def _variances_times(self, coefficients: Doubles) -> Doubles:
        """Σ_d σ²_nd coefficients_pd: shape ``(N, P)``, or ``(1, P)`` if all rows are the same."""
        std = self.arrays["std"]
        if std.shape[1] == 1:
            coefficients = coefficients.sum(axis=1, keepdims=True)
        out = np.empty((len(std), len(coefficients)))
        for block in row_blocks(*std.shape):
            np.matmul(np.square(std[block], dtype=np.float64), coefficients.T, out=out[block])
        return out

    @_quiet
    def variances_along(self, A: Doubles) -> Doubles:
        """The diagonals of A Ψₙ Aᵀ, shape ``(N, q)``."""
        if self.arrays.keys() == {"std"}:
            variances = self.multiplier * self._variances_times(A * A)
            return np.broadcast_to(variances, (self._n, len(A)))
        out = np.empty((self._n, len(A)))
        for block in row_blocks(self._n, len(A) ** 2):
            out[block] = self.take(block).project(A).diagonal()
        return out

    # Values

    def _variances(self) -> Floats:
        """The variances before the multiplier, in the storage type, of a shape that broadcasts."""
        found: Floats = np.zeros((1, 1), dtype=self.dtype)
        if "cov" in self.arrays:
            found = np.diagonal(self.arrays["cov"], axis1=-2, axis2=-1)
        if "factors" in self.arrays:
            found = found + np.square(self.arrays["factors"]).sum(axis=2)
        if "axes" in self.arrays:
            found = found + self.rest.diagonal() @ np.square(self.arrays["axes"]).T
        elif "std" in self.arrays:
            found = found + np.square(self.arrays["std"])
        return found

    @_quiet
    def diagonal(self) -> Floats:
        """The variances, shape ``(N, D)``; read-only."""
        variances = self._variances() * np.float64(self.multiplier)  # float32 might overflow
        return np.broadcast_to(variances.astype(self.dtype, copy=False), (self._n, self._d))

    @_quiet
    def std(self) -> Floats:
        """The standard deviations, shape ``(N, D)``."""
        if self.arrays.keys() == {"std"}:
            std = self.arrays["std"]
        else:
            std = np.sqrt(np.clip(self._variances(), 0.0, None)).astype(self.dtype, copy=False)
        # Not the root of the product, which might overflow.
        return np.broadcast_to(std * std.dtype.type(np.sqrt(self.multiplier)), self.shape[:2])

    @_quiet
    def dense(self) -> Floats:
        """All matrices, shape ``(N, D, D)``. This is the one call that expands."""
        half, out = self.arrays.get("factors"), self.arrays.get("cov")
        if "axes" in self.arrays:
            own = self.arrays["axes"] * self.rest.std()[:, None, :]
            half = own if half is None else np.concatenate([half, own], axis=2)
        if half is not None:
            out = half @ half.transpose(0, 2, 1)
        if out is None:
            out = np.zeros((self._n, self._d, self._d), self.dtype)
        if "cov" not in self.arrays and "axes" not in self.arrays:
            index = np.arange(self._d)
            out[:, index, index] += self.rest.diagonal()
        if self.multiplier != 1.0:  # which float32 may not hold: ∞ times 0 would not be 0
            out = (out * np.float64(self.multiplier)).astype(out.dtype, copy=False)
        return np.broadcast_to(out, (self._n, self._d, self._d)) if "cov" in self.arrays else out

    def deviates(self, n: int, rng: np.random.Generator) -> Doubles:
        """``n`` normal draws of every row's deviation from its mean, shape ``(n, N, D)``."""
        if isinstance(self, Shared):
            return rng.standard_normal((n, self._n, self._d)) @ root(self.average()).T
        out = np.zeros((n, self._n, self._d))
        if self.arrays.keys() & {"cov", "factors"}:
            kept = self.arrays["cov" if "cov" in self.arrays else "factors"]
            for block in row_blocks(self._n, kept[0].size):
                half = root(kept[block].astype(np.float64)) if "cov" in self.arrays else kept[block]
                z = rng.standard_normal((len(half), n, half.shape[2]))
                out[:, block] = (z @ half.transpose(0, 2, 1)).transpose(1, 0, 2)
        if "std" in self.arrays:
            z = rng.standard_normal((n, *self.rest.shape[:2]))
            z *= self.arrays["std"]
            out += z @ self.arrays["axes"].T if "axes" in self.arrays else z
        out *= np.sqrt(self.multiplier)
        return out

    # Parts and multiples

    def take(self, rows: Rows) -> Self:
        """The same representation for some of the rows."""
        taken = {}
        for name, kept in self.arrays.items():
            common = kept.ndim == 2 and (name != "std" or len(kept) == 1)
            taken[name] = kept if common else kept[rows]
        return self._with(taken, _count(rows, self._n), self._d)

    def select(self, columns: Rows) -> Self:
        """The same representation for some of the features."""
        taken = dict(self.arrays)
        if "cov" in taken:
            taken["cov"] = taken["cov"][..., columns, :][..., columns]
        if "factors" in taken:
            taken["factors"] = taken["factors"][:, columns]
        if "axes" in taken:
            axes = taken["axes"][columns]
            used = np.flatnonzero(axes.any(axis=0))
            taken |= {"axes": axes[:, used], "std": self.rest.select(used).arrays["std"]}
        elif "std" in taken and taken["std"].shape[1] > 1:
            taken["std"] = taken["std"][:, columns]
        return self._with(taken, self._n, _count(columns, self._d))

    def scaled(self, s: float) -> Self:
        """Every Ψₙ times s² (paper, Eq. (scaling)); nothing is copied."""
        return self.times(s**2)

    def times(self, factor: float) -> Self:
        """Every Ψₙ times a factor; nothing is copied."""
        return self._with(self.arrays, self._n, self._d, factor)

    def plain(self) -> Covariance:
        """The same covariances without shared axes: those become matrices, others stay."""
        return Dense(self.dense()) if "axes" in self.arrays else self


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

    def __init__(self, std: Floats, n: int, d: int, multiplier: float = 1.0) -> None:
        super().__init__(n, d, multiplier, std=std.reshape((1,) * (2 - std.ndim) + std.shape))


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

    def __init__(self, n: int, d: int) -> None:
        Covariance.__init__(self, n, d)


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

    def __init__(self, matrices: Floats, multiplier: float = 1.0) -> None:
        super().__init__(len(matrices), matrices.shape[1], multiplier, cov=matrices)


class Shared(Dense):
    """One matrix ``(D, D)`` for all rows.

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

    def __init__(self, matrix: Floats, n: int, multiplier: float = 1.0) -> None:
        Covariance.__init__(self, n, len(matrix), multiplier, cov=matrix)


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

    def __init__(
        self, factors: Floats, rest: Diagonal | None = None, multiplier: float = 1.0
    ) -> None:
        n, d, _ = factors.shape
        own = {} if rest is None else rest.arrays
        super().__init__(n, d, multiplier, factors=factors, **own)


class SharedAxes(Covariance):
    """Independent errors along axes that all rows share, B diag(σₙ²) Bᵀ with B of shape (D, K).

    Few numbers for each row, and yet an average that can be any covariance matrix. There may be
    factors of each row beside them, as in `LowRank`.

    Parameters
    ----------
    axes : ndarray of shape (D, K)
    rest : Diagonal
        The errors along the axes: N rows in K features, before the multiplier.
    factors : ndarray of shape (N, D, r), optional
    multiplier : float, default=1.0

    See Also
    --------
    uapca.uncertain.Covariance : What every representation has.
    uapca.from_groups : Makes such rows with ``spread_form="diagonal"`` or a number.

    Examples
    --------
    >>> import numpy as np
    >>> import uapca
    >>> points, labels = np.random.default_rng(0).normal(size=(100, 3)), np.arange(100) % 4
    >>> X = uapca.from_groups(points, labels, spread_form="diagonal")
    >>> X.cov.kind
    'shared-axes'
    >>> full = uapca.from_groups(points, labels)
    >>> np.allclose(X.cov.average(X.weights), full.cov.average(full.weights))
    True
    """

    kind = "shared-axes"

    def __init__(
        self,
        axes: Floats,
        rest: Diagonal,
        factors: Floats | None = None,
        multiplier: float = 1.0,
    ) -> None:
        own = {} if factors is None else {"factors": factors}
        super().__init__(len(rest), len(axes), multiplier, axes=axes, **own, **rest.arrays)


def joined(parts: list[Covariance]) -> Covariance:
    """The rows of several representations in the simplest one that holds them all."""
    n, d, first = sum(map(len, parts)), parts[0].shape[1], parts[0]
    kept = [array for part in parts for array in part.arrays.values()]
    if not kept:
        return Zero(n, d)
    alike = len({(part.kind, part.multiplier) for part in parts}) == 1
    common = isinstance(first, Shared) or (isinstance(first, Diagonal) and len(kept[0]) == 1)
    if alike and common and all(np.array_equal(kept[0], other) for other in kept[1:]):
        return first._with(first.arrays, n, d)
    axes = [part.arrays["axes"] for part in parts if isinstance(part, SharedAxes)]
    turned = len(axes) == len(parts) and all(np.array_equal(axes[0], other) for other in axes)
    if not turned and not all(isinstance(part, Diagonal | LowRank) for part in parts):
        return Dense(np.concatenate([part.dense() for part in parts]))
    std = np.concatenate([part.rest.times(part.multiplier).std() for part in parts])
    rest = Diagonal(std.astype(np.result_type(*kept), copy=False), *std.shape)
    rank, start = max(part.rank for part in parts), 0
    factors = np.zeros((n, d, rank), dtype=rest.dtype)
    for part in parts:
        if part.rank:
            own = part.arrays["factors"] * np.sqrt(part.multiplier)
            factors[start : start + len(part), :, : part.rank] = own
        start += len(part)
    if turned:
        return SharedAxes(axes[0], rest, factors if rank else None)
    if not rank:
        return rest
    return LowRank(factors, rest if std.any() else None)


def _count(rows: Rows, n: int) -> int:
    """How many of ``n`` rows a selection holds."""
    return len(range(*rows.indices(n))) if isinstance(rows, slice) else len(rows)
