"""Sparse points: their moments, products with their covariance, and scores; never made dense.

A column of which most entries are stored is stored in full and measured from its own mean, so
that an offset costs no digits. Other columns hold zeros, and their means are subtracted from the
products instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.sparsefuncs import mean_variance_axis

from uapca._validation import Doubles
from uapca.uncertain import Zero
from uapca.uncertain.checks import weights_from

__all__ = ["SparsePoints", "scores"]


@dataclass(frozen=True)
class SparsePoints:
    """Weighted sparse points.

    Attributes
    ----------
    points : sparse array or matrix of shape (N, D), in CSR format
        Measured from ``shift``.
    shift : ndarray of shape (D,)
        Zero but for columns that are stored in full.
    weights : ndarray of shape (N,)
        Positive; they sum to 1.
    given_weights, total_weight
        As in `uapca.UncertainArray`.
    """

    points: Any
    shift: Doubles
    weights: Doubles
    given_weights: Doubles | None
    total_weight: float

    @classmethod
    def of(cls, X: Any, sample_weight: npt.ArrayLike | None) -> SparsePoints:
        """The points that have a weight."""
        X = X.tocsr().astype(np.float64, copy=False)
        given, total = weights_from(sample_weight, X.shape[0], "sample_weight")
        if given is not None and not given.all():
            X, given = X[given > 0.0], given[given > 0.0]
        weights = np.full(X.shape[0], 1.0 / X.shape[0]) if given is None else given
        mean = weights @ X
        # Where the spread is small beside the mean, rows of little weight hold all the zeros.
        with np.errstate(over="ignore", invalid="ignore"):  # which the fit refuses
            near = weights @ X.multiply(X) - mean**2 < 1e-4 * mean**2
        return cls(*_shifted(X, mean, near), weights, given, total)

    def __len__(self) -> int:
        return int(self.points.shape[0])

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), len(self.shift)

    @property
    def cov(self) -> Zero:
        return Zero(*self.shape)

    @cached_property
    def off(self) -> Doubles:
        """The mean of ``points``."""
        return np.asarray(self.weights @ self.points)

    @property
    def mean(self) -> Doubles:
        return self.shift + self.off

    def variances(self) -> Doubles:
        """The variance of each feature."""
        return np.asarray(mean_variance_axis(self.points, 0, weights=self.weights)[1])

    def covariance(self) -> Doubles:
        """C, shape (D, D)."""
        scaled = self.points.multiply(np.sqrt(self.weights)[:, None]).tocsr()
        return np.asarray((scaled.T @ scaled).toarray() - np.outer(self.off, self.off))

    def product(self, v: Doubles) -> Doubles:
        """C v for v of shape (D, k)."""
        inner = self.points @ v
        inner -= self.off @ v
        inner *= self.weights[:, None]
        return np.asarray(self.points.T @ inner - np.outer(self.off, inner.sum(axis=0)))


def scores(X: Any, center: Doubles, A: Doubles) -> Doubles:
    """A (x − center) of all rows."""
    X, shift = _shifted(X, center, np.zeros(len(center), dtype=bool))
    return np.asarray(X @ A.T - (center - shift) @ A.T)


def _shifted(X: Any, center: Doubles, full: npt.NDArray[np.bool_]) -> tuple[Any, Doubles]:
    """The points with some columns measured from the center, and by how much each was shifted.

    These are the columns named by ``full`` and those that have no more zeros than other entries.
    """
    X = X.tocsr().astype(np.float64, copy=False)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    n, d = X.shape
    full = full | (2 * np.bincount(X.indices, minlength=d) >= n)
    shift, columns = np.zeros(d), np.flatnonzero(full)
    if len(columns):
        block = X[:, columns].toarray()
        low, high = block.min(axis=0), block.max(axis=0)
        # Measured from its one value, a constant column has no variance at all.
        shift[columns] = np.where(low == high, low, center[columns])
        block -= shift[columns]
        places = np.tile(columns, n), np.arange(0, n * len(columns) + 1, len(columns))
        rest = X.copy()
        rest.data[full[rest.indices]] = 0.0
        X = rest + type(rest)((block.ravel(), *places), shape=X.shape)
    return X, shift
