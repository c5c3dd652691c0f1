"""Standardisation of distributions."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from uapca._validation import as_floats, check_finite, complaint, out_of_range, shape_of
from uapca.aggregate.accumulate import moments
from uapca.decomposition.inputs import all_or_nothing, as_uncertain, check_features
from uapca.decomposition.uncertain_output import keeps_uncertain
from uapca.uncertain import UncertainArray
from uapca.uncertain.blocks import Doubles

__all__ = ["UncertainScaler"]


@keeps_uncertain
class UncertainScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Standardise uncertain rows by an affine map of their distributions.

    Features with different units have to be made comparable before PCA. Each is shifted by its
    mean and divided by a unit; a row's covariance is divided by the units on both sides, and the
    representation of the covariances is kept.

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

    def __init__(self, by: Any = "total", *, center: bool = True) -> None:
        self.by = by
        self.center = center

    @all_or_nothing
    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        cov: Any = None,
        std: Any = None,
        factors: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Find the means and the units; takes what `UAPCA.fit` takes."""
        data = as_uncertain(self, X, cov, std, factors, sample_weight)
        units = self._given_units(data.shape[1])
        with np.errstate(over="ignore", invalid="ignore"):
            mean, variances = _mean_and_variances(data)
        if not np.isfinite(mean).all():
            check_finite(data.mean, "X", ("row", "feature"))
        if units is None:
            if self.by == "total":
                with np.errstate(over="ignore"):
                    variances = variances + data.cov.average_diagonal(data._weights)
            if not np.isfinite(variances).all():
                raise ValueError(out_of_range("X"))
            # What rounding can leave of the variance of a feature that does not vary.
            noise = len(data) * np.finfo(float).eps
            with np.errstate(over="ignore"):  # a square that overflows is above any variance
                still = variances <= noise * variances + np.square(noise * mean)
            units = np.where(still, 1.0, np.sqrt(variances))
        self.mean_ = mean if self.center else np.zeros_like(mean)
        self.scale_ = units
        return self

    def transform(self, X: Any) -> Any:
        """Standardise rows: mean (m − mean_) / scale_, covariance Ψ divided by the units twice."""
        check_is_fitted(self)
        if not isinstance(X, UncertainArray):
            points = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
            return ((points - self.mean_) / self.scale_).astype(points.dtype, copy=False)
        check_features(self, X)
        factors = 1.0 / self.scale_
        laws = X.laws
        if laws is not None:
            laws = laws.affine(factors, -self.mean_ * factors)
        # Centred first: at a large offset factors * m − factors * mean would lose digits.
        mean = np.subtract(X.mean, self.mean_, dtype=np.float64)
        mean /= self.scale_
        return X._mapped(mean, X.cov.project(factors), X.features, laws)

    def fit_transform(self, X: Any, y: Any = None, **errors: Any) -> Any:
        """Fit, then standardise the same rows; takes what `fit` takes."""
        self.fit(X, y, **errors)
        weights = errors.pop("sample_weight", None)
        if isinstance(X, UncertainArray) or all(v is None for v in errors.values()):
            return self.transform(X)
        return self.transform(UncertainArray(X, weights=weights, **errors))

    def inverse_transform(self, X: Any) -> Any:
        """Undo `transform`, of distributions or of arrays."""
        check_is_fitted(self)
        if isinstance(X, UncertainArray):
            check_features(self, X)
            return X.affine(self.scale_, self.mean_)
        points = as_floats(X, "X")
        if points.ndim != 2 or points.shape[1] != len(self.scale_):
            raise ValueError(
                complaint(
                    "X",
                    f"have the {len(self.scale_)} features of the fit",
                    f"got shape {shape_of(points)}",
                    "Pass what transform returned",
                )
            )
        return (points * self.scale_ + self.mean_).astype(points.dtype, copy=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _given_units(self, d: int) -> Doubles | None:
        if isinstance(self.by, str):
            if self.by in ("total", "means"):
                return None
            raise ValueError(
                complaint(
                    "by",
                    "be 'total', 'means' or one unit for each feature",
                    f"got {self.by!r}",
                    "Use 'total' unless the units are known",
                )
            )
        units = as_floats(self.by, "by").astype(np.float64)
        if units.shape != (d,):
            raise ValueError(
                complaint(
                    "by",
                    f"have one unit for each of the {d} features",
                    f"got shape {shape_of(units)}",
                    "Use 1.0 for features that are to stay as they are",
                )
            )
        check_finite(units, "by", ("feature",))
        if units.min() <= 0:
            raise ValueError(
                complaint(
                    "by",
                    "be positive",
                    f"got {units.min()} for feature {int(units.argmin())}",
                    "Use 1.0 for features that are to stay as they are",
                )
            )
        return units


def _mean_and_variances(X: UncertainArray) -> tuple[Doubles, Doubles]:
    """μ and the diagonal of C, feature by feature: no D × D matrix."""
    d = X.shape[1]
    if d <= 256:
        mean, C = moments(X.mean, X._weights)
        return mean, np.diagonal(C).copy()
    parts = [moments(X.mean[:, j : j + 64], X._weights) for j in range(0, d, 64)]
    return (
        np.concatenate([mean for mean, _ in parts]),
        np.concatenate([np.diagonal(C) for _, C in parts]),
    )
