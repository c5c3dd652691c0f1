"""The estimator."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from uapca._validation import as_floats, check_finite, complaint
from uapca.decomposition import solvers
from uapca.decomposition.chunks import fit_chunks, is_chunked, project_chunks
from uapca.decomposition.inputs import all_or_nothing, as_uncertain, check_features
from uapca.decomposition.matrices import check_size, covariances, diagonalised
from uapca.decomposition.parameters import (
    component_count,
    concentration,
    count_explaining,
    divisor,
    reachable,
    whole_observations,
)
from uapca.decomposition.parts import PartialFit, RowCount
from uapca.decomposition.quality import Quality
from uapca.decomposition.spectrum import Spectrum
from uapca.decomposition.uncertain_output import keeps_uncertain
from uapca.uncertain import UncertainArray, Zero
from uapca.uncertain.blocks import Doubles, about_zero, row_blocks
from uapca.uncertain.checks import scale_from

__all__ = ["UAPCA"]


@keeps_uncertain
class UAPCA(PartialFit, Quality, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Principal component analysis of uncertain data.

    The components are the leading eigenvectors of K(s) = C + s²Ψ̄: the covariance C of the rows'
    means plus the average Ψ̄ of the rows' own covariances (Görtler et al. 2020, Eq. (final) and
    Algorithm 1). s = 0 is ordinary PCA of the means, s = 1 takes the uncertainty as given.

    Parameters
    ----------
    n_components : int, float or None, default=None
        How many components to keep. A float in (0, 1) keeps as many as explain that share of the
        variance. None keeps all: D, or min(N, D) if the rows are certain (whole-number weights
        count as repetitions of a row).
    scale : float, default=1.0
        The scale s of the uncertainty in the fit, from 0 to ``numpy.inf``. Infinity is the limit:
        the eigenvectors of Ψ̄, and where these are not determined, those of C within the tie.
    ddof : int or float, default=0
        K is divided by N − ddof instead of N; with weights, by 1 − ddof Σ wₙ² as in `numpy.cov`.
        With 1, certain points give scikit-learn's ``explained_variance_``. Components do not
        depend on it.
    solver : {"auto", "eigh", "svd", "lanczos"}, default="auto"
        "eigh" forms K, D × D. "svd" works on the centred means where the errors are zero or
        isotropic. "lanczos" only multiplies by K, for wide data and few components. "auto"
        chooses: "eigh" below 2,000 features, the others where they are possible and worth it.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, D)
        Orthonormal rows, by falling eigenvalue. The entry of largest magnitude of each row is
        positive.
    explained_variance_ : ndarray of shape (n_components_,)
        Eigenvalues of K(s); at s = ∞ those of Ψ̄, that is in units of s².
    explained_variance_ratio_ : ndarray of shape (n_components_,)
        Their share in the total variance, tr K(s).
    mean_ : ndarray of shape (D,)
        μ, the weighted mean of the rows' means.
    between_covariance_, within_covariance_ : ndarray of shape (D, D)
        C and Ψ̄, with ``ddof`` applied to both. Not there after a matrix-free fit.
    noise_variance_ : float
        The average of the eigenvalues left out.
    n_components_, n_features_in_, n_samples_ : int
    feature_names_in_ : ndarray of shape (D,)
        Only if the data named its features.
    solver_ : str
        The solver that was used.

    See Also
    --------
    uapca.UncertainArray : The data.
    uapca.UncertainScaler : Standardisation, if the features have different units.

    Notes
    -----
    UAPCA *adds* the uncertainty: the rows are what the values may be. A method for noisy
    observations of a true value would *subtract* it.

    `transform` is the affine map of the components and nothing else: scale weighs the uncertainty
    in the fit, not in what is projected. To project with other errors use ``X.scaled(s)``.

    References
    ----------
    J. Görtler, T. Spinner, D. Streeb, D. Weiskopf, O. Deussen: Uncertainty-Aware Principal
    Component Analysis. IEEE TVCG 26(1), 2020. doi:10.1109/TVCG.2019.2934812

    Examples
    --------
    The means alone spread along the first axis, the errors along the second.

    >>> import numpy as np, uapca
    >>> X = uapca.UncertainArray([[-2.0, 0.0], [0.0, 0.5], [2.0, -0.5]], std=[0.1, 3.0])
    >>> pca = uapca.UAPCA(n_components=1).fit(X)
    >>> pca.components_.round(3) + 0.0
    array([[-0.051,  0.999]])
    >>> pca.rescale(0.0).components_.round(3) + 0.0
    array([[ 0.992, -0.13 ]])
    >>> pca.transform(X)
    UncertainArray: 3 rows × 1 feature, one covariance shared by all rows
      features  uapca0
      0  0.1023 ± 3
      1  0.4993 ± 3
      2  -0.6017 ± 3
    """

    mean_: Doubles
    components_: Doubles
    explained_variance_: Doubles
    explained_variance_ratio_: Doubles
    n_components_: int
    n_samples_: int
    n_features_in_: int
    solver_: str

    def __init__(
        self,
        n_components: int | float | None = None,
        *,
        scale: float = 1.0,
        ddof: float = 0,
        solver: str = "auto",
    ) -> None:
        self.n_components = n_components
        self.scale = scale
        self.ddof = ddof
        self.solver = solver

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
        """Find the components.

        Parameters
        ----------
        X : UncertainArray, or array-like of shape (N, D)
            Uncertain rows; or points, which ``cov``, ``std`` or ``factors`` make uncertain as in
            `uapca.UncertainArray`. The chunks of a Dask array of points are summed where they are.
        y : ignored
        cov, std, factors : array-like, optional
            Errors of the points.
        sample_weight : array-like of shape (N,), optional
            Weights of the points, or other weights for the UncertainArray.

        Returns
        -------
        self
        """
        if is_chunked(X):
            errors = {"cov": cov, "std": std, "factors": factors, "sample_weight": sample_weight}
            fit_chunks(self, X, errors)
            return self
        data = as_uncertain(self, X, cov, std, factors, sample_weight)
        scale = scale_from(self.scale)
        d = self.n_features_in_
        certain = type(data.cov) is Zero
        whole = whole_observations(data) if certain else None
        bound = min(len(data) if whole is None else whole, d) if certain else d
        q = component_count(self.n_components, bound, data.shape)
        gathered = concentration(data)
        share = divisor(self.ddof, gathered)
        solver = solvers.choose_solver(self.solver, data, q, scale)
        between = within = None
        if solver == "eigh":
            mean, between, within = covariances(data, share)
            if data is not X and not np.isfinite(mean).all():
                check_finite(data.mean, "X", ("row", "feature"))
            pairs, total = diagonalised(between, within, scale, q)
        else:
            if data is not X:
                check_finite(data.mean, "X", ("row", "feature"))
            with np.errstate(over="ignore", invalid="ignore"):
                mean, pairs, total = solvers.solve(solver, data, q, scale, share)
            check_size(total)
        self.__dict__.pop("_seen", None)  # parts that were fitted before
        self._rows = RowCount(len(data), data.total_weight, gathered, whole, share)
        self.solver_ = solver
        self._set_fit(mean, between, within, bound)
        self._set_components(pairs, total, q)
        return self

    def transform(self, X: Any) -> Any:
        """Project rows: mean A (m − μ), covariance A Ψ Aᵀ, exactly.

        Parameters
        ----------
        X : UncertainArray or array-like of shape (N, D)

        Returns
        -------
        UncertainArray, or array of shape (N, n_components_)
            As the input: names, weights and laws go along; float32 stays float32; a Dask array
            gives one that is not computed yet.
        """
        self._check_fitted()
        if is_chunked(X):
            return project_chunks(self, X)
        if not isinstance(X, UncertainArray):
            points = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
            return self._scores(points).astype(points.dtype, copy=False)
        check_features(self, X)
        laws = X.laws
        if laws is not None:
            laws = laws.affine(self.components_, -(self.components_ @ self.mean_))
        return X._mapped(
            self._scores(X.mean), X.cov.project(self.components_), self._names_out(), laws
        )

    def fit_transform(self, X: Any, y: Any = None, **errors: Any) -> Any:
        """Fit, then project the same rows; takes what `fit` takes."""
        if isinstance(X, UncertainArray) or not errors:
            return self.fit(X, y, **errors).transform(X)
        data = self.fit(X, y, **errors)
        given = {k: v for k, v in errors.items() if k != "sample_weight"}
        if all(v is None for v in given.values()):
            return data.transform(X)
        return data.transform(UncertainArray(X, weights=errors.get("sample_weight"), **given))

    def inverse_transform(self, Y: Any) -> Any:
        """Map scores back to the original features: x = Aᵀ y + μ.

        Parameters
        ----------
        Y : UncertainArray or array-like of shape (N, n_components_)

        Returns
        -------
        UncertainArray, or ndarray of shape (N, D)
            What the components left out is at its mean, with no uncertainty: the covariances
            have low rank, and are kept so.
        """
        self._check_fitted()
        scores = Y if isinstance(Y, UncertainArray) else as_floats(Y, "Y")
        if len(scores.shape) != 2 or scores.shape[1] != self.n_components_:
            raise ValueError(
                complaint(
                    "Y",
                    f"have {self.n_components_} columns, one for each component",
                    f"got shape {scores.shape}",
                    "Pass what transform returned",
                )
            )
        if isinstance(scores, UncertainArray):
            names = getattr(self, "feature_names_in_", None)
            return scores.affine(self.components_.T, self.mean_, features=names)
        return (scores @ self.components_ + self.mean_).astype(scores.dtype, copy=False)

    def rescale(self, s: float) -> UAPCA:
        """The fit at another scale, from C and Ψ̄ alone: O(D³), no second look at the data.

        Parameters
        ----------
        s : float
            From 0 to ``numpy.inf``.

        Returns
        -------
        UAPCA
            A new estimator, fitted; this one does not change.
        """
        self._check_fitted()
        s = scale_from(s, "s")
        between = self.between_covariance_
        # Everything that was given, fitted or set up stays, but for what depends on the scale.
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__, scale=s)
        if hasattr(self, "_sklearn_output_config"):  # which set_output changes where it is
            new._sklearn_output_config = dict(self._sklearn_output_config)
        shape = (self.n_samples_, self.n_features_in_)
        wanted = self.n_components
        if hasattr(self, "_seen"):  # in parts, of which the first may have had fewer rows
            wanted = reachable(wanted, self._bound, self.n_features_in_)
        q = component_count(wanted, self._bound, shape)
        pairs, total = diagonalised(between, self._within, s, q)
        new._set_components(pairs, total, q)
        return new

    @property
    def between_covariance_(self) -> Doubles:
        self._check_fitted()
        return self._kept(self._between)

    @property
    def within_covariance_(self) -> Doubles:
        self._check_fitted()
        kept = self._kept(self._between)
        return np.zeros_like(kept) if self._within is None else self._within

    def get_covariance(self) -> Doubles:
        """K(s) = C + s²Ψ̄, shape (D, D): the covariance the components come from.

        It does not depend on ``n_components``. At s = ∞ it is in units of s², that is Ψ̄ (or C,
        where nothing is uncertain).
        """
        self._check_fitted()
        between = self._kept(self._between)
        if self._within is None or not self._within.any():
            return between.copy()
        if np.isinf(self._scale):
            return self._within.copy()
        return between + self._scale**2 * self._within

    @property
    def singular_values_(self) -> Doubles:
        """√((N − ddof) λ), for certain points the singular values of the centred data."""
        self._check_fitted()
        return np.sqrt(self.explained_variance_ * (self.n_samples_ - float(self.ddof)))

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _check_fitted(self) -> None:
        if not hasattr(self, "components_"):  # check_is_fitted alone costs as much as a small fit
            check_is_fitted(self)

    # From K(s) to fitted attributes

    def _set_fit(
        self, mean: Doubles, between: Doubles | None, within: Doubles | None, bound: int
    ) -> None:
        self.mean_ = mean
        self.n_samples_ = self._rows.rows
        self._between: Doubles | None = between
        self._within: Doubles | None = within
        self._bound = bound

    def _set_parts(
        self, mean: Doubles, between: Doubles, within: Doubles | None, q: int | None, bound: int
    ) -> None:
        pairs, total = diagonalised(between, within, scale_from(self.scale), q)
        self.solver_ = "eigh"
        self._set_fit(mean, between, within, bound)
        self._set_components(pairs, total, q)

    def _set_components(self, pairs: Spectrum, total: float, q: int | None) -> None:
        if q is None:
            q = min(count_explaining(pairs.values, total, self.n_components), self._bound)
        self._scale = float(self.scale)
        self.n_components_ = q
        self.components_ = pairs.vectors[:q]
        self.explained_variance_ = values = pairs.values[:q]
        self.explained_variance_ratio_ = values / total if total > 0 else np.zeros(q)
        self._total = total

    def _scores(self, points: Any) -> Doubles:
        """A (m − μ) for all rows."""
        n, d = points.shape
        if n <= 2048:  # one block: no need to gather it
            if self._between is not None and about_zero(
                self.mean_.tolist(), self._between.diagonal().tolist()
            ):
                # What centring first would save is a bit or two.
                out = np.empty((n, self.n_components_))
                scores = self.components_.dot(points.T)
                np.subtract(scores, self.components_.dot(self.mean_)[:, None], out=out.T)
                return out
            return np.asarray((points - self.mean_) @ self.components_.T)
        out = np.empty((n, self.n_components_))
        for block in row_blocks(n, d):
            np.matmul(points[block] - self.mean_, self.components_.T, out=out[block])
        return out

    def _names_out(self) -> tuple[str, ...]:
        return _component_names(self.n_components_)

    def _kept(self, matrix: Doubles | None) -> Doubles:
        if matrix is None:
            raise AttributeError(
                f"C and Ψ̄ were not formed: the fit used solver={self.solver_!r}, which has no "
                "D × D matrix. Fit with solver='eigh' to have them."
            )
        return matrix


@lru_cache(maxsize=8)
def _component_names(count: int) -> tuple[str, ...]:
    return tuple(f"uapca{i}" for i in range(count))
