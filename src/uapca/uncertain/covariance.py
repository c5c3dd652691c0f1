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
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats, restore_frozen
from uapca.uncertain.blocks import Doubles, equal_weights

__all__ = ["Covariance", "Rows", "kept_as", "root", "row_count", "symmetric", "unpacked"]

Rows = slice | npt.NDArray[np.intp]


class Covariance(ABC):
    """The covariances of N rows in D features.

    Parameters common to all representations: the number of rows, the number of features and
    a multiplier s² that `scaled` keeps apart, so that scaling never copies the data.

    Attributes
    ----------
    shape : tuple of int
        ``(N, D, D)``.
    kind : str
        The representation in a word: ``"zero"``, ``"diagonal"``, ``"shared"``, ``"dense"`` or
        ``"low-rank"``.
    """

    kind: str
    __slots__ = ("_d", "_multiplier", "_n")

    def __init__(self, n: int, d: int, multiplier: float = 1.0) -> None:
        self._n = n
        self._d = d
        self._multiplier = multiplier

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
    def multiplier(self) -> float:
        """The factor s² that stands before everything kept."""
        return self._multiplier

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

    @abstractmethod
    def average_operator(self, w: Doubles | None = None) -> Callable[[Doubles], Doubles]:
        """A function that multiplies ``(D,)`` or ``(D, k)`` by Ψ̄ without forming it."""

    def matvec(self, x: npt.ArrayLike, w: Doubles | None = None) -> Doubles:
        """Ψ̄ x for ``x`` of shape ``(D,)`` or ``(D, k)``, without forming Ψ̄."""
        return self.average_operator(w)(np.asarray(x, dtype=np.float64))

    @abstractmethod
    def average_diagonal(self, w: Doubles | None = None) -> Doubles:
        """The diagonal of Ψ̄, shape ``(D,)``."""

    @abstractmethod
    def project(self, A: Doubles) -> Covariance:
        """A Ψₙ Aᵀ for ``A`` of shape ``(q, D)``, or of shape ``(D,)``: a factor for each axis.

        The representation is kept where the map allows it; where it does not, the result is
        `Dense` in the q new features.
        """

    @abstractmethod
    def variances_along(self, A: Doubles) -> Doubles:
        """The diagonals of A Ψₙ Aᵀ, shape ``(N, q)``, without the matrices themselves."""

    @abstractmethod
    def traces(self, S: Doubles) -> Doubles:
        """tr(S Ψₙ) for a symmetric ``S`` of shape ``(D, D)``: one number for each row."""

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

    @abstractmethod
    def _with_multiplier(self, multiplier: float) -> Self: ...

    def scaled(self, s: float) -> Self:
        """Every Ψₙ times s² (paper, Eq. (scaling)); nothing is copied."""
        return self._with_multiplier(self._multiplier * s**2)

    def _weights(self, w: Doubles | None) -> Doubles:
        return equal_weights(self._n) if w is None else w


def symmetric(matrix: Doubles) -> Doubles:
    """The symmetric part of a matrix, or of each of a stack of them."""
    return 0.5 * (matrix + np.swapaxes(matrix, -1, -2))


def root(matrix: Doubles) -> Doubles:
    """R with R Rᵀ = matrix, for a positive semi-definite matrix or a stack of them."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray(vectors * np.sqrt(np.clip(values, 0.0, None))[..., None, :])


def kept_as(result: Floats, original: Floats) -> Floats:
    """``result`` in the storage type of ``original``: float32 stays float32."""
    return result.astype(original.dtype, copy=False)


def row_count(rows: Rows, n: int) -> int:
    """How many of ``n`` rows a selection holds."""
    return len(range(*rows.indices(n))) if isinstance(rows, slice) else len(rows)


def unpacked(upper: Doubles, q: int, dtype: np.dtype[Any]) -> Floats:
    """Symmetric matrices ``(N, q, q)`` from their upper triangles ``(N, q (q + 1) / 2)``."""
    out = np.empty((upper.shape[0], q, q), dtype=dtype)
    for k, (i, j) in enumerate(zip(*np.triu_indices(q), strict=True)):
        out[:, i, j] = out[:, j, i] = upper[:, k]
    return out
