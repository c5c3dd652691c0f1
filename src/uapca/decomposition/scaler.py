"""Standardization of uncertain rows."""

from __future__ import annotations

from typing import Self

import numpy as np
import numpy.typing as npt

from uapca._validation import Doubles, shown, vector
from uapca.decomposition.base import (
    UncertainTransformer,
    all_or_nothing,
    check_underflow,
    feature_units,
    feature_variances,
)
from uapca.uncertain import UncertainArray

__all__ = ["UncertainScaler"]


class UncertainScaler(UncertainTransformer):
    """Standardize uncertain rows by an affine map of their distributions.

    Features with different units have to be made comparable before PCA. Each is shifted by its
    mean and divided by a unit; a row's covariance is divided by the units on both sides, and the
    representation of the covariances is kept. ``UAPCA(standardize=True)`` does the same inside the
    estimator.

    Parameters
    ----------
    by : {"total", "means"} or array-like of shape (D,), default="total"
        What becomes 1. "total": the standard deviation of each feature over all rows, spread of
        the means and uncertainty together, √K(1)ⱼⱼ. "means": that of the means alone, as
        scikit-learn's StandardScaler would do it. Or the units themselves.
    center : bool, default=True
        Whether to shift the mean to zero.

    Attributes
    ----------
    mean_ : ndarray of shape (D,)
        What is subtracted; zeros without ``center``.
    scale_ : ndarray of shape (D,)
        The units. A feature that does not vary has unit 1.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (D,)
        Only if the data named its features.

    See Also
    --------
    uapca.UAPCA : Uncertainty-aware PCA.

    Examples
    --------
    >>> import uapca
    >>> from sklearn.pipeline import make_pipeline
    >>> X = uapca.UncertainArray([[1.0, 100.0], [3.0, 300.0]], std=[0.5, 20.0])
    >>> scaler = uapca.UncertainScaler().fit(X)
    >>> scaler.scale_.round(3)
    array([  1.118, 101.98 ])
    >>> scaler.inverse_transform(scaler.transform(X)).mean
    array([[  1., 100.],
           [  3., 300.]])
    >>> make_pipeline(uapca.UncertainScaler(), uapca.UAPCA(n_components=1)).fit_transform(X).shape
    (2, 1)
    """

    mean_: Doubles
    scale_: Doubles

    def __init__(self, by: str | npt.ArrayLike = "total", *, center: bool = True) -> None:
        self.by = by
        self.center = center

    @all_or_nothing
    def fit(
        self,
        X: UncertainArray | npt.ArrayLike,
        y: object = None,
        *,
        cov: npt.ArrayLike | None = None,
        std: npt.ArrayLike | None = None,
        factors: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Find the means and the units; takes what `UAPCA.fit` takes."""
        if isinstance(self.by, str) and self.by not in ("total", "means"):
            raise ValueError(
                f"by must be 'total', 'means' or one unit for each feature; got {shown(self.by)}"
            )
        data = self._read(X, y, cov, std, factors, sample_weight)
        mean, between, within = feature_variances(data)
        if isinstance(self.by, str):
            if self.by == "means":
                data, within = data.scaled(0.0), np.zeros_like(within)
            check_underflow(data, mean, between + within)
            self.scale_ = feature_units(mean, between, within, len(data))
        else:
            self.scale_ = units = vector(self.by, "by", "feature", len(mean))
            if units.min() <= 0:
                raise ValueError(
                    f"by must be positive; feature {int(units.argmin())} has {units.min()}"
                )
        self.mean_ = mean if self.center else np.zeros_like(mean)
        return self

    def _map(self) -> tuple[Doubles, Doubles]:
        return 1.0 / self.scale_, self.mean_

    def _inverse_map(self) -> tuple[Doubles, Doubles]:
        return self.scale_, self.mean_
