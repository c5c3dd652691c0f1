"""How features and rows stand to the components."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from uapca._validation import complaint
from uapca.decomposition.inputs import check_features
from uapca.uncertain import UncertainArray, Zero
from uapca.uncertain.blocks import Doubles, row_blocks
from uapca.uncertain.checks import weights_from

__all__ = ["Quality"]


class Quality:
    """The part of `UAPCA` that judges a fit: loadings, contributions, cos² and likelihood."""

    components_: Doubles
    explained_variance_: Doubles
    n_components_: int
    mean_: Doubles
    _total: float
    _scale: float

    @property
    def noise_variance_(self) -> float:
        """The average of the eigenvalues left out."""
        check_is_fitted(self)
        left = len(self.mean_) - self.n_components_
        variance = max(self._total - float(self.explained_variance_.sum()), 0.0)
        return variance / left if left else 0.0

    def loadings(self, *, scaled: bool = True) -> Doubles:
        """How the features load on the components, shape (D, n_components_).

        Parameters
        ----------
        scaled : bool, default=True
            Components times √λ: the covariance of each feature with each standardised score, for
            standardised features their correlation. False gives the bare components, that is the
            projected unit vectors of the original axes.
        """
        check_is_fitted(self)
        bare = self.components_.T
        return bare * np.sqrt(self.explained_variance_) if scaled else bare.copy()

    def contributions(self) -> Doubles:
        """The share of each feature in each component, shape (D, n_components_); each sums to 1."""
        check_is_fitted(self)
        return np.square(self.components_.T)

    def cos2(self, X: Any) -> Doubles:
        """How well each row is represented by each component, shape (N, n_components_).

        The expected squared coordinate on the component as a share of the expected squared
        distance from the mean: for certain points the squared cosine of the angle between the
        two. A certain row that lies in the mean has nothing to represent and gets 0.

        Parameters
        ----------
        X : UncertainArray or array-like of shape (N, D)
        """
        along, away = self._second_moments(X)
        return np.divide(along, away[:, None], out=np.zeros_like(along), where=away[:, None] > 0)

    def row_contributions(self, X: Any, *, sample_weight: Any = None) -> Doubles:
        """The share of each row in each component's variance, shape (N, n_components_).

        Row n makes wₙ(aₙᵢ² + s² vᵢᵀΨₙvᵢ) of the variance along component i: by where it lies, aₙᵢ
        its coordinate from the mean of the fit, and by its own uncertainty. For the rows of the
        fit these add up to λᵢ (with ``ddof=0``). As shares they sum to 1 over the rows; where
        there is no variance they are 0. In the limit s = ∞ the uncertainty, if any, alone counts.

        Parameters
        ----------
        X : UncertainArray or array-like of shape (N, D)
        sample_weight : array-like of shape (N,), optional
            By default the weights of X, or equal ones.

        Examples
        --------
        >>> import uapca
        >>> X = uapca.UncertainArray([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], std=[[1], [0], [0]])
        >>> uapca.UAPCA(1).fit(X).row_contributions(X).round(3).tolist()
        [[0.667], [0.0], [0.333]]
        """
        along = self._along(X)
        given = X.weights if sample_weight is None and isinstance(X, UncertainArray) else None
        if given is None:
            given = weights_from(sample_weight, len(along), "sample_weight")[0]
        if given is not None:
            along *= given[:, None]
        total = along.sum(axis=0)
        shares: Doubles = np.divide(along, total, out=np.zeros_like(along), where=total > 0.0)
        return shares

    def _along(self, X: Any) -> Doubles:
        """aₙᵢ² + s² vᵢᵀΨₙvᵢ for every row and component; in the limit the second alone."""
        check_is_fitted(self)
        if not np.isinf(self._scale):
            rows = X.scaled(self._scale) if isinstance(X, UncertainArray) else X
            return self._second_moments(rows)[0]
        # Where nothing is uncertain the limit is ordinary PCA.
        if not isinstance(X, UncertainArray) or isinstance(X.cov, Zero):
            return self._second_moments(X)[0]
        check_features(self, X)
        return np.array(X.cov.variances_along(self.components_), dtype=np.float64)

    def score_samples(self, X: Any) -> Doubles:
        """The expected log-likelihood of each row under the model, shape (N,).

        The model is the normal with the leading components' variances and `noise_variance_` in
        every other direction (Tipping & Bishop 1999). For certain points this is scikit-learn's
        ``PCA.score_samples``; for uncertain ones it is the average over what the row may be.
        """
        if np.isinf(self._scale):
            raise ValueError(
                complaint(
                    "scale",
                    "be finite for a likelihood",
                    "got inf, where variances are in units of s²",
                    "Use rescale(s) with a finite s first",
                )
            )
        along, away = self._second_moments(X)
        d, q = len(self.mean_), self.n_components_
        variances, noise = self.explained_variance_, self.noise_variance_
        if variances[-1] <= 0.0 or (q < d and noise <= 0.0):
            raise ValueError(
                complaint(
                    "n_components",
                    "leave a model with variance in every direction",
                    "K is singular there, so that no likelihood exists",
                    "Keep fewer components, or remove features that do not vary",
                )
            )
        log_det = np.log(variances).sum()
        distance = (along / variances).sum(axis=1)
        if q < d:
            log_det += (d - q) * np.log(noise)
            distance += (away - along.sum(axis=1)) / noise
        return np.asarray(-0.5 * (d * np.log(2.0 * np.pi) + log_det + distance))

    def score(self, X: Any, y: Any = None) -> float:
        """The (weighted) average of `score_samples`."""
        weights = X.weights if isinstance(X, UncertainArray) else None
        return float(np.average(self.score_samples(X), weights=weights))

    def _second_moments(self, X: Any) -> tuple[Doubles, Doubles]:
        """E(aₙᵢ²) on each component, and E‖x − μ‖², for every row."""
        check_is_fitted(self)
        if isinstance(X, UncertainArray):
            check_features(self, X)
            points, cov = X.mean, X.cov
        else:
            points = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
            cov = Zero(*points.shape)
        n, d = points.shape
        along, away = np.empty((n, self.n_components_)), np.empty(n)
        for block in row_blocks(n, d):
            centred = np.subtract(points[block], self.mean_, dtype=np.float64)
            np.matmul(centred, self.components_.T, out=along[block])
            np.einsum("nd,nd->n", centred, centred, out=away[block])
        np.square(along, out=along)
        if not isinstance(cov, Zero):
            along += cov.variances_along(self.components_)
            away += cov.diagonal().sum(axis=1, dtype=np.float64)
        return along, away
