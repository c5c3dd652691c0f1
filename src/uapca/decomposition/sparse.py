"""Sparse points: their moments, products with their covariance, and scores; never made dense.

A column of which every entry is stored is measured from its own mean, so that an offset costs no
digits. Other columns hold zeros, and their means are subtracted from the products instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils.sparsefuncs import mean_variance_axis

from uapca._validation import Doubles

__all__ = ["SparsePoints", "scores"]


@dataclass(frozen=True)
class SparsePoints:
    """Weighted sparse points.

    Attributes
    ----------
    points : sparse array or matrix of shape (N, D), in CSR format
        Measured from ``shift``.
    shift : ndarray of shape (D,)
        Zero but for columns without zeros.
    weights : ndarray of shape (N,)
        Positive; they sum to 1.
    """

    points: Any
    shift: Doubles
    weights: Doubles

    @classmethod
    def of(cls, X: Any, weights: Doubles) -> SparsePoints:
        return cls(*_shifted(X, weights @ X), weights)

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

    def divided(self, units: Doubles) -> SparsePoints:
        """The points with each feature divided by its unit."""
        points = self.points.copy()
        points.data = points.data / units[points.indices]
        return SparsePoints(points, self.shift / units, self.weights)


def scores(X: Any, center: Doubles, A: Doubles) -> Doubles:
    """A (x − center) of all rows."""
    X, shift = _shifted(X, center)
    return np.asarray(X @ A.T - (center - shift) @ A.T)


def _shifted(X: Any, center: Doubles) -> tuple[Any, Doubles]:
    """Columns without zeros measured from the center, and by how much each was shifted."""
    X = X.tocsr().astype(np.float64, copy=False)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    full = np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0]
    shift = np.where(full, center, 0.0)
    if full.any():
        X = X.copy()
        X.data = X.data - shift[X.indices]
    return X, shift
