"""`UAPCA`, the estimator: fit, partial_fit, transform, rescale, and what the fit explains."""

from __future__ import annotations

import copy
from numbers import Integral, Real
from os import PathLike
from typing import Any, NoReturn, Self, TypeVar, cast, overload

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from scipy.special import gammaln
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from uapca._files import replacing
from uapca._validation import (
    Doubles,
    Floats,
    check_finite,
    library_of,
    out_of_range,
    scale_from,
    shown,
)
from uapca.aggregate.accumulate import zero_sums
from uapca.aggregate.dask import is_dask_array
from uapca.decomposition import solvers
from uapca.decomposition.base import (
    SMALLEST,
    Rows,
    UncertainTransformer,
    all_or_nothing,
    between_covariance,
    check_underflow,
    feature_units,
    feature_variances,
    varies,
)
from uapca.decomposition.partial_fit import Seen, dask_moments, dask_scores
from uapca.decomposition.results import LabeledArray
from uapca.decomposition.sparse import SparsePoints
from uapca.decomposition.sparse import scores as sparse_scores
from uapca.decomposition.spectrum import Spectrum, scaled_spectrum, tie_tolerance
from uapca.uncertain import UncertainArray, Zero
from uapca.uncertain.checks import weights_from

__all__ = ["UAPCA", "unwrap"]

Variances = TypeVar("Variances", Doubles, float)


class UAPCA(UncertainTransformer):
    """Principal component analysis of uncertain data.

    The components are the leading eigenvectors of K(s) = C + s²Ψ̄: the covariance C of the rows'
    means plus the average Ψ̄ of the rows' own covariances (Görtler et al. 2020, Eq. (final) and
    Algorithm 1). s = 0 is ordinary PCA of the means, s = 1 takes the uncertainty as given.

    Parameters
    ----------
    n_components : int, float, "mle", "auto" or None, default=None
        How many components to keep. A float in (0, 1) keeps as many as explain that share of the
        variance. None keeps all: D, or min(N, D) if the rows are certain (whole-number weights
        count as repetitions of a row). "mle" is Minka's estimate, for certain points with N ≥ D;
        "auto" keeps those that stand out from the given errors (`uapca.component_count`).
    scale : float, default=1.0
        The scale s of the uncertainty in the fit, from 0 to ``numpy.inf``. Infinity is the limit:
        the eigenvectors of Ψ̄, and where these are not determined, those of C within the tie.
    standardize : bool, default=False
        Whether to divide each feature by its total standard deviation first, √K(1)ⱼⱼ: spread of
        the means and uncertainty together, whatever ``scale`` is. A feature that does not vary
        keeps its unit.
    ddof : int or float, default=0
        K is divided by N − ddof instead of N; with weights, by 1 − ddof Σ wₙ² as in `numpy.cov`.
        With 1, certain points give scikit-learn's ``explained_variance_``. Components do not
        depend on it.
    solver : {"auto", "eigh", "svd", "lanczos"}, default="auto"
        "eigh" forms K, D × D. "svd" works on the centered means where the errors are zero, or
        isotropic without ``standardize``. "lanczos" only multiplies by K, for wide data and few
        components. "auto" chooses: "eigh" below 2,000 features, the others where they are
        possible and worth it.
    whiten : bool, default=False
        Whether `transform` divides the scores by their standard deviations, √λ.

    Attributes
    ----------
    components_ : ndarray of shape (q, D)
        Orthonormal rows, by falling eigenvalue. The entry of largest magnitude of each row is
        positive. float32 if the data is.
    explained_variance_ : ndarray of shape (q,)
        Eigenvalues of K(s); at s = ∞ those of Ψ̄, that is in units of s².
    explained_variance_ratio_ : ndarray of shape (q,)
        Their share in the total variance, tr K(s).
    mean_ : ndarray of shape (D,)
        μ, the weighted mean of the rows' means, divided by `feature_scale_` with ``standardize``.
    feature_scale_ : ndarray of shape (D,), or None
        The total standard deviations with ``standardize``: the components, variances and
        covariances are those of x / ``feature_scale_``.
    between_covariance_, within_covariance_ : ndarray of shape (D, D)
        C and Ψ̄, with ``ddof`` applied to both. Not available after a matrix-free fit.
    noise_variance_ : float
        The average of the eigenvalues left out; of certain points there are min(N, D) in all.
    n_components_, n_features_in_ : int
    n_samples_, n_samples_seen_ : int
        The number of rows, after `partial_fit` of all parts so far.
    feature_names_in_ : ndarray of shape (D,)
        Only if the data named its features.
    solver_ : str
        The solver that was used.

    See Also
    --------
    uapca.UncertainArray : The data.
    uapca.UncertainScaler : Standardization as a step of its own, with other units.
    uapca.Denoiser : Removes errors of measurement before the fit.
    uapca.component_uncertainty : How well the components are known.

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
      features  PC1
      0  0.1023 ± 3
      1  0.4993 ± 3
      2  -0.6017 ± 3
    """

    mean_: Doubles
    components_: Floats
    explained_variance_: Doubles
    explained_variance_ratio_: Doubles
    feature_scale_: Doubles | None
    n_components_: int
    n_samples_: int
    n_samples_seen_: int
    solver_: str
    # C and Ψ̄, None if they were not formed, or Ψ̄ is zero.
    _between: Doubles | None
    _within: Doubles | None

    def __init__(
        self,
        n_components: int | float | str | None = None,
        *,
        scale: float = 1.0,
        standardize: bool = False,
        ddof: float = 0,
        solver: str = "auto",
        whiten: bool = False,
    ) -> None:
        self.n_components = n_components
        self.scale = scale
        self.standardize = standardize
        self.ddof = ddof
        self.solver = solver
        self.whiten = whiten

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # Fitting

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
        """Find the components.

        Parameters
        ----------
        X : UncertainArray, or array-like of shape (N, D)
            Uncertain rows; or points, which ``cov``, ``std`` or ``factors`` make uncertain as in
            `uapca.UncertainArray`. The chunks of a Dask array of points are summed where they are;
            sparse points of SciPy stay sparse.
        y : ignored
        cov, std, factors : array-like, optional
            Errors of the points.
        sample_weight : array-like of shape (N,), optional
            Weights of the points, or other weights for the UncertainArray. Rows of weight zero do
            not enter.

        Returns
        -------
        self
        """
        if not isinstance(X, UncertainArray) and (issparse(X) or is_dask_array(X)):
            kind, weights = ("sparse", None) if issparse(X) else ("Dask", sample_weight)
            errors = {"cov": cov, "std": std, "factors": factors, "sample_weight": weights}
            given = [name for name, value in errors.items() if value is not None]
            if given:
                raise TypeError(
                    f"{given[0]} must be left out where X is a {kind} array; fit parts of the "
                    "data and their errors, as arrays, with partial_fit"
                )
            if not issparse(X):
                return self._fit_dask(X)
        data: UncertainArray | SparsePoints
        if issparse(X):
            points = self._points(X, reset=True, sparse=True)
            data, dtype = SparsePoints.of(points, sample_weight), points.dtype
        else:
            data = self._read(X, y, cov, std, factors, sample_weight)
            dtype = data.mean.dtype
        rows = Rows.of(data.given_weights, data.total_weight, len(data))
        certain = isinstance(data.cov, Zero)
        q = self._component_count(rows, certain, data)
        solver = solvers.choose_solver(
            self.solver, data, q, self._checked_scale(), self.standardize
        )
        self.__dict__.pop("_seen", None)
        with np.errstate(over="ignore", invalid="ignore"):
            if solver == "eigh":
                mean, between = between_covariance(data)
                within = None if certain else data.cov.average(data.given_weights)
                self._fit_moments(mean, between, within, rows, solver)
                self._set_components(q, dtype)
            else:
                self._fit_moments(*feature_variances(data), rows, solver)
                divisor = rows.divisor(self.ddof)
                pairs, own = solvers.solve(
                    solver, data, self._center, self.feature_scale_, divisor, q, self._scale
                )
                self._set_components(q, dtype, pairs)
                self._own_variances = own[: self.n_components_]
        self._check_underflow(data)
        return self

    @all_or_nothing
    def partial_fit(
        self,
        X: UncertainArray | npt.ArrayLike,
        y: object = None,
        *,
        cov: npt.ArrayLike | None = None,
        std: npt.ArrayLike | None = None,
        factors: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Fit further rows; takes what `fit` takes.

        All calls together give what one `fit` of all rows gives (of `uapca.concat` of the parts,
        which weighs UncertainArrays by their ``total_weight``), to rounding, however far from
        zero the data lies. Kept are C, Ψ̄ and the mean, not the rows. After `fit` it goes on from
        there, but with the mean as a float holds it: at an offset of 1e8 for data of unit spread,
        C is then off by some 3e-10 (measured). For data far from zero use `partial_fit` for
        the first part too. As long as fewer rows were seen than components asked for, there are as
        many components as rows.

        Parameters
        ----------
        X : UncertainArray, or array-like of shape (N, D)
        y : ignored
        cov, std, factors : array-like, optional
        sample_weight : array-like of shape (N,), optional

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np, uapca
        >>> points = np.random.default_rng(0).standard_normal((300, 4))
        >>> parts = uapca.UAPCA(2)
        >>> for part in np.split(points, 3):
        ...     parts = parts.partial_fit(part, std=0.1)
        >>> whole = uapca.UAPCA(2).fit(points, std=0.1)
        >>> bool(np.allclose(parts.components_, whole.components_, atol=1e-12))
        True
        """
        self._check_solver_keeps_matrices("partial_fit")
        seen: Seen | None = getattr(self, "_seen", None)
        if seen is None and hasattr(self, "components_"):
            seen = Seen.of_fit(self)
        data = self._read(X, y, cov, std, factors, sample_weight, reset=seen is None)
        check_finite(data.mean, "X", ("row", "feature"))
        dtype = np.result_type(data.mean, getattr(self, "components_", data.mean))
        seen = (seen or Seen(zero_sums(1, self.n_features_in_))).added(data)
        self._set_seen(seen, dtype, partial=True)
        self._check_underflow(data, min(seen.rows.weight, 1.0))
        return self

    def _fit_dask(self, X: Any) -> Self:
        self._check_solver_keeps_matrices("a Dask array")
        seen = dask_moments(X)
        self.n_features_in_: int = seen.sums.means.shape[1]
        self.__dict__.pop("feature_names_in_", None)
        return self._set_seen(seen, np.result_type(X.dtype, np.float32), partial=False)

    def _set_seen(self, seen: Seen, dtype: npt.DTypeLike, *, partial: bool) -> Self:
        """Fit what is kept of all parts; ``partial`` if more may come."""
        self._seen = seen
        mean, between, within = seen.matrices()
        q = self._component_count(seen.rows, within is None, partial=partial)
        self._fit_moments(mean, between, within, seen.rows, "eigh")
        self._set_components(q, dtype)
        return self

    def _fit_moments(
        self, mean: Doubles, between: Doubles, within: Doubles | None, rows: Rows, solver: str
    ) -> None:
        """Keep μ, C and Ψ̄ (÷ N, in the units of the data): D × D, or their diagonals alone."""
        units, divisor = None, rows.divisor(self.ddof)
        factor: Doubles | float = divisor
        if self.standardize:
            units = feature_units(mean, *_diagonals(between, within), rows.count)
            factor = divisor * units * (units[:, None] if between.ndim == 2 else units)
        if units is not None or divisor != 1.0:
            between = between / factor
            within = None if within is None else within / factor
        self._set_state(mean, units, rows, solver, between, within)

    def _set_state(
        self,
        center: Doubles,
        units: Doubles | None,
        rows: Rows,
        solver: str,
        between: Doubles,
        within: Doubles | None,
    ) -> None:
        """Keep what the fit knows of the rows; only the center is in the units of the data."""
        self.feature_scale_ = units
        self._center = center
        self._units = np.ones_like(center) if units is None else units
        with np.errstate(over="ignore"):
            self.mean_ = center / self._units
        if not np.isfinite(self.mean_).all():
            raise ValueError(out_of_range("X"))
        self._rows, self.solver_ = rows, solver
        self.n_samples_ = self.n_samples_seen_ = rows.count
        self._lost = (False, False)  # whether C and Ψ̄ underflowed
        self._between, self._within = (between, within) if between.ndim == 2 else (None, None)
        self._diagonals = _diagonals(between, within)
        self._set_scale()

    def _set_scale(self) -> None:
        """Keep the scale and the total variance there."""
        self._scale = self._checked_scale()
        with np.errstate(over="ignore", invalid="ignore"):
            between, within = (float(part.sum()) for part in self._diagonals)
        self._total = self._at_scale(between, within)
        if not np.isfinite(self._total + between + within):
            raise ValueError(out_of_range("X"))

    def _set_components(
        self, q: int | None, dtype: npt.DTypeLike, pairs: Spectrum | None = None
    ) -> None:
        """Keep the components, found from C and Ψ̄ unless they are given."""
        if pairs is None:
            pairs = scaled_spectrum(cast(Doubles, self._between), self._within, self._scale, q)
        if q is None:
            q = min(self._count_from(pairs.values), self._bound)
        self.n_components_ = q
        self.components_ = pairs.vectors[:q].astype(dtype, copy=False)
        self.explained_variance_ = values = pairs.values[:q]
        self.explained_variance_ratio_ = values / self._total if self._total > 0 else np.zeros(q)

    def _check_underflow(self, data: UncertainArray | SparsePoints, weight: float = 1.0) -> None:
        """Refuse rows whose variances vanish; a feature among others only with standardize.

        ``weight`` is what the sums behind C and Ψ̄ were divided by: they may vanish, too.
        """
        between, within = (part * weight for part in self._diagonals)
        self._lost = (
            bool(between.max() < SMALLEST) and varies(data, self._center),
            bool(within.max() < SMALLEST) and any(a.any() for a in data.cov.arrays.values()),
        )
        self._check_lost(weight)
        if self.standardize:
            check_underflow(data, self._center, (between + within) * self._units**2)

    def _check_lost(self, weight: float = 1.0) -> None:
        """Refuse the scale if the part of K that counts there has vanished."""
        between, within = self._lost[0], self._lost[1] and self._scale > 0.0
        if not between and not within:
            return
        # Multiplying a Ψ̄ that has underflowed does not restore its digits.
        least = SMALLEST * (1.0 if np.isinf(self._scale) else max(1.0, self._scale**2))
        vanishes = self._at_scale(*self._diagonals).max() * weight < least
        if vanishes or (within and np.isinf(self._scale)):
            raise ValueError(out_of_range("X", "underflows"))

    def _check_all_scales(self) -> None:
        """Refuse to go through all scales if C or Ψ̄ has vanished: one end would be wrong."""
        if any(self._lost):
            raise ValueError(out_of_range("X", "underflows"))

    def _checked_scale(self) -> float:
        if isinstance(self.scale, bool | np.bool_):
            raise ValueError(
                f"scale must be a number from 0 to infinity; got {shown(self.scale)}: "
                "standardize=True divides features by their standard deviations"
            )
        return scale_from(self.scale)

    def _check_solver_keeps_matrices(self, what: str) -> None:
        if not isinstance(self.solver, str) or self.solver not in ("auto", "eigh"):
            raise ValueError(
                f"solver must be 'auto' or 'eigh' for {what}, which keeps D × D matrices; "
                f"got {shown(self.solver)}"
            )

    def _component_count(
        self,
        rows: Rows,
        certain: bool,
        data: UncertainArray | SparsePoints | None = None,
        *,
        partial: bool = False,
    ) -> int | None:
        """The number of components; None while it depends on the spectrum."""
        d = self.n_features_in_
        wanted: Any = self.n_components
        self._bound = bound = rows.bound(d, certain)
        if wanted is None:
            return bound
        if isinstance(wanted, str) and wanted == "auto":
            if not isinstance(data, UncertainArray):
                raise ValueError("n_components='auto' needs all rows at once; use fit")
            if data.source == "posterior":
                raise ValueError(
                    "n_components='auto' needs the observations, and these are posterior rows: "
                    "pass uapca.component_count(X).count of the rows before the Denoiser"
                )
            from uapca.posterior import component_count  # not needed otherwise

            return min(max(component_count(data).count, 1), bound)
        if isinstance(wanted, str) and wanted == "mle":
            if certain and bound == d:
                return None
            raise ValueError(
                "n_components='mle' needs certain points, at least as many as features; got "
                f"{rows.count} {'certain' if certain else 'uncertain'} rows of {d} features: "
                "'auto' counts the components of uncertain rows"
            )
        if isinstance(wanted, Integral) and wanted is not True:
            if 1 <= int(wanted) <= (d if partial else bound):
                return min(int(wanted), bound)
        elif isinstance(wanted, Real) and 0.0 < float(wanted) < 1.0:
            return None
        limit = "the number of features" if bound == d else "min(rows, features)"
        raise ValueError(
            f"n_components must be an integer from 1 to {limit} = {bound}, a share of the variance "
            f"between 0 and 1, 'mle', 'auto' or None; got {shown(wanted)} for data of shape "
            f"({rows.count}, {d})"
        )

    def _count_from(self, values: Doubles) -> int:
        """The number of components that all eigenvalues decide."""
        wanted: Any = self.n_components
        if wanted == "mle":
            return _minka_dimension(values, self._rows.observations or self._rows.count)
        if self._total <= 0.0:
            return 1
        explained = np.cumsum(values / self._total)
        # As scikit-learn: more than the share, not as much as it.
        return int(np.searchsorted(explained, float(wanted), side="right")) + 1

    # Using the fit

    def _map(self) -> tuple[Doubles, Doubles]:
        A = self.components_ / self._units
        return A / self._deviations()[:, None] if self.whiten else A, self._center

    def _inverse_map(self) -> tuple[Doubles, Doubles]:
        B = self.components_.T * self._units[:, None]
        return B * self._deviations() if self.whiten else B, self._center

    def _deviations(self) -> Doubles:
        """√λ; 1 where there is no variance."""
        values = self.explained_variance_
        some = values > tie_tolerance(len(self.mean_)) * values[0]
        return np.sqrt(np.where(some, values, 1.0))

    def _transform_points(self, X: Any) -> Any:
        if is_dask_array(X):
            return dask_scores(self, X)
        if not issparse(X):
            return super()._transform_points(X)
        points, (A, center) = self._points(X, sparse=True), self._map()
        return sparse_scores(points, center, A).astype(points.dtype, copy=False)

    def rescale(self, s: float) -> UAPCA:
        """The fit at another scale, from C and Ψ̄ alone: O(D³), without the data.

        Parameters
        ----------
        s : float
            From 0 to ``numpy.inf``.

        Returns
        -------
        UAPCA
            A new estimator, fitted; this one does not change.
        """
        s = scale_from(s, "s")
        self.between_covariance_  # noqa: B018 - raises before a fit, and after a matrix-free one
        new = copy.copy(self)
        new.scale = s
        if hasattr(self, "_sklearn_output_config"):  # which set_output changes in place
            new._sklearn_output_config = dict(self._sklearn_output_config)
        new._set_scale()
        q: int | None = self.n_components_
        if not isinstance(self.n_components, str):
            certain = self._within is None
            q = new._component_count(self._rows, certain, partial=hasattr(self, "_seen"))
        new._set_components(q, self.components_.dtype)
        new._check_lost()
        return new

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fit to a JSON file; `uapca.load` reads it, and so does the command line.

        The file replaces what was there only when it is complete.
        """
        from uapca.decomposition.io import fit_to_json

        check_is_fitted(self, "components_")
        text = fit_to_json(self)
        with replacing(path) as file:
            file.write(text.encode())

    def get_feature_names_out(
        self, input_features: npt.ArrayLike | None = None
    ) -> npt.NDArray[np.object_]:
        """The names of the components: PC1, PC2, …"""
        super().get_feature_names_out(input_features)  # which checks input_features
        return np.array(self._component_names(), dtype=object)

    # Covariances

    @property
    def between_covariance_(self) -> Doubles:
        check_is_fitted(self, "components_")
        if self._between is None:
            raise AttributeError(
                f"C and Ψ̄ were not formed: the fit used solver={self.solver_!r}, which has no "
                "D × D matrix. Fit with solver='eigh' to have them."
            )
        return self._between

    @property
    def within_covariance_(self) -> Doubles:
        between = self.between_covariance_
        return np.zeros_like(between) if self._within is None else self._within

    def get_covariance(self) -> Doubles:
        """K(s) = C + s²Ψ̄, shape (D, D): the covariance the components come from.

        It does not depend on ``n_components``. At s = ∞ it is in units of s², that is Ψ̄ (or C,
        where nothing is uncertain). After a matrix-free fit, which has no K, it is the covariance
        of the model: the variances of the components, and `noise_variance_` in every other
        direction.
        """
        check_is_fitted(self, "components_")
        if self._between is not None:
            return np.array(self._at_scale(self._between, self.within_covariance_))
        A, noise = np.asarray(self.components_, dtype=np.float64), self.noise_variance_
        return (A.T * (self.explained_variance_ - noise)) @ A + noise * np.eye(A.shape[1])

    def get_precision(self) -> Doubles:
        """The inverse of `get_covariance`, shape (D, D)."""
        values, vectors = np.linalg.eigh(self.get_covariance())
        if values[0] <= tie_tolerance(len(values)) * values[-1]:
            raise ValueError(
                f"K must have full rank to be inverted; the variance along {len(values)} axes "
                f"falls from {values[-1]:.3g} to {max(values[0], 0.0):.3g}"
            )
        return np.asarray((vectors / values) @ vectors.T)

    @property
    def noise_variance_(self) -> float:
        check_is_fitted(self, "components_")
        certain = self._scale == 0.0 or not self._diagonals[1].any()
        left = self._rows.bound(len(self.mean_), certain) - self.n_components_
        variance = max(self._total - float(self.explained_variance_.sum()), 0.0)
        return variance / left if left > 0 else 0.0

    @property
    def singular_values_(self) -> Doubles:
        """√((N − ddof) λ), for certain points the singular values of the centered data."""
        check_is_fitted(self, "components_")
        return np.sqrt(self.explained_variance_ * (self.n_samples_ - float(self.ddof)))

    # Judging the fit

    def loadings(self) -> LabeledArray:
        """The correlation of each feature with each component, D × q.

        vᵢⱼ √λᵢ / √K(s)ⱼⱼ: the entry of the component times the standard deviation along it, in
        units of the feature's standard deviation. The squares of a feature's loadings add up to
        the share of its variance that the components represent. A feature that does not vary has
        0. The unit vectors themselves are ``components_``.
        """
        check_is_fitted(self, "components_")
        variances = self._at_scale(*self._diagonals)[:, None]
        loadings = self.components_.T * np.sqrt(self.explained_variance_)
        return self._by_feature(np.clip(_ratio(loadings, np.sqrt(variances)), -1.0, 1.0))

    def contributions(self) -> LabeledArray:
        """The share of each feature in each component, D × q; each sums to 1."""
        check_is_fitted(self, "components_")
        shares = np.square(self.components_.T, dtype=np.float64)
        return self._by_feature(shares)

    def cos2(self, X: UncertainArray | npt.ArrayLike) -> LabeledArray:
        """How well each row is represented by each component, N × q.

        The expected squared coordinate on the component as a share of the expected squared
        distance from the mean: for certain points the squared cosine of the angle between the
        two. A certain row that lies in the mean has nothing to represent and gets 0.

        Parameters
        ----------
        X : UncertainArray or array-like of shape (N, D)
        """
        squares, away, own, spread = self._second_moments(X)
        return self._by_row(X, _ratio(squares + own, (away + spread)[:, None]))

    def row_contributions(
        self,
        X: UncertainArray | npt.ArrayLike,
        *,
        sample_weight: npt.ArrayLike | None = None,
    ) -> LabeledArray:
        """The share of each row in each component's variance, N × q.

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
        >>> uapca.UAPCA(1).fit(X).row_contributions(X).values.round(3).tolist()
        [[0.667], [0.0], [0.333]]
        """
        squares, _, own, _ = self._second_moments(X)
        along = self._at_scale(squares, own)
        if sample_weight is not None:
            weights = weights_from(sample_weight, len(along), "sample_weight")[0]
        else:
            weights = X.weights if isinstance(X, UncertainArray) else None
        if weights is not None:
            along = along * weights[:, None]
        return self._by_row(X, _ratio(along, along.sum(axis=0)))

    @overload
    def uncertainty_share(self, X: None = None) -> float: ...
    @overload
    def uncertainty_share(self, X: UncertainArray) -> LabeledArray: ...
    def uncertainty_share(self, X: UncertainArray | None = None) -> float | LabeledArray:
        """How much of the rows' uncertainty the projection shows, between 0 and 1.

        tr(A Ψ̄ Aᵀ) / tr Ψ̄ for the rows of the fit together. 1 where nothing is uncertain: nothing
        is hidden.

        Parameters
        ----------
        X : UncertainArray, optional
            Rows whose own shares are wanted, tr(A Ψₙ Aᵀ) / tr Ψₙ: a column "share".
        """
        check_is_fitted(self, "components_")
        if X is None:
            whole = float(self._diagonals[1].sum())
            return min(float(self._own().sum()) / whole, 1.0) if whole > 0.0 else 1.0
        _, _, own, spread = self._second_moments(X)
        shown = np.minimum(own.sum(axis=1), spread)
        shares = np.divide(shown, spread, out=np.ones_like(spread), where=spread > 0.0)
        return LabeledArray(shares[:, None], X.names, ("share",), "row", X.library)

    def summary(self) -> LabeledArray:
        """The components in numbers, q × 5.

        ``variance`` λ; its ``share`` in the total; the ``cumulative`` share; ``uncertainty``, the
        part of the variance that is uncertainty of the rows, s² vᵀΨ̄v / λ; and
        ``uncertainty_shown``, how much of the rows' uncertainty the first components show
        together (see `uncertainty_share`).

        Examples
        --------
        >>> import uapca
        >>> X = uapca.UncertainArray([[-2.0, 0.0], [0.0, 0.5], [2.0, -0.5]], std=[0.5, 3.0])
        >>> uapca.UAPCA().fit(X).summary()
        component   variance    share   cumulative   uncertainty   uncertainty_shown
              PC1      9.184   0.7601       0.7601        0.9772              0.9703
              PC2      2.899   0.2399            1       0.09475                   1
        """
        check_is_fitted(self, "components_")
        variances, own = self.explained_variance_, self._own()
        part = self._at_scale(np.zeros_like(own), own)
        whole = float(self._diagonals[1].sum())
        columns = {
            "variance": variances,
            "share": self.explained_variance_ratio_,
            "cumulative": np.cumsum(self.explained_variance_ratio_),
            "uncertainty": np.minimum(_ratio(part, variances), 1.0),
            "uncertainty_shown": np.minimum(np.cumsum(own) / whole, 1.0) if whole else own + 1.0,
        }
        values, names = np.column_stack([*columns.values()]), self._component_names()
        library = getattr(self, "_library", None)
        return LabeledArray(values, names, (*columns,), "component", library)

    def score_samples(self, X: UncertainArray | npt.ArrayLike) -> Doubles:
        """The expected log-likelihood of each row under the model, shape (N,).

        The model is the normal with the leading components' variances and `noise_variance_` in
        every other direction (Tipping & Bishop 1999), as a density in the units of the data. For
        certain points this is scikit-learn's ``PCA.score_samples`` (with ``ddof=1``); for uncertain
        ones it is the average over what the row may be.
        """
        check_is_fitted(self, "components_")
        if np.isinf(self._scale):
            raise ValueError(
                "scale must be finite for a likelihood; got inf: use rescale(s) with a finite s"
            )
        d, q = len(self.mean_), self.n_components_
        variances, noise = self.explained_variance_, self.noise_variance_
        least = tie_tolerance(d) * variances[0]
        if variances[-1] <= least or (q < d and noise <= least):
            raise ValueError(
                "n_components must leave a model with variance in every direction for a "
                f"likelihood; with {q} of {d} components it is singular"
            )
        squares, away, own, spread = self._second_moments(X)
        along = squares + own
        log_det = np.log(variances).sum()
        distance = (along / variances).sum(axis=1)
        if q < d:
            log_det += (d - q) * np.log(noise)
            distance += (away + spread - along.sum(axis=1)) / noise
        log_det += 2.0 * np.log(self._units).sum()
        return np.asarray(-0.5 * (d * np.log(2.0 * np.pi) + log_det + distance))

    def score(self, X: UncertainArray | npt.ArrayLike, y: object = None) -> float:
        """The (weighted) average of `score_samples`; not of posterior rows.

        The density of posterior rows grows with how far they were shrunk, so it does not tell which
        model of the observations is better; `Denoiser.score` does.
        """
        if isinstance(X, UncertainArray) and X.source == "posterior":
            raise ValueError(
                "X must not be posterior rows, whose likelihood does not compare models: score or "
                "search the Denoiser alone, as in GridSearchCV(Denoiser(), ...)"
            )
        weights = X.weights if isinstance(X, UncertainArray) else None
        return float(np.average(self.score_samples(X), weights=weights))

    @property
    def loadings_(self) -> NoReturn:
        raise AttributeError("UAPCA has no loadings_; use loadings(), or components_ for axes")

    @property
    def scores_(self) -> NoReturn:
        raise AttributeError("UAPCA keeps no scores_; use transform(X)")

    # Helpers

    def _at_scale(self, between: Variances, within: Variances) -> Variances:
        """C + s²Ψ̄, or its limit in units of s²; of matrices, diagonals or sums of variances."""
        if self._scale == 0.0 or not self._diagonals[1].any():
            return between
        return within if np.isinf(self._scale) else between + self._scale**2 * within

    def _own(self) -> Doubles:
        """vᵀΨ̄v for every component."""
        if self._between is None:
            return self._own_variances
        if self._within is None:
            return np.zeros(self.n_components_)
        return np.asarray(((self.components_ @ self._within) * self.components_).sum(axis=1))

    def _second_moments(
        self, X: UncertainArray | npt.ArrayLike
    ) -> tuple[Doubles, Doubles, Doubles, Doubles]:
        """Of every row: aₙᵢ² on each component, ‖m − μ‖², vᵢᵀΨₙvᵢ and tr Ψₙ."""
        check_is_fitted(self, "components_")
        if isinstance(X, UncertainArray):
            self._check_features(X)
            points, cov = X.mean, X.cov
        else:
            points = self._points(X)
            cov = Zero(*points.shape)
        A = np.asarray(self.components_, dtype=np.float64)
        units = self._units
        centered = (points - self._center) / units
        squares, away = np.square(centered @ A.T), np.einsum("nd,nd->n", centered, centered)
        if isinstance(cov, Zero):
            return squares, away, np.zeros_like(squares), np.zeros_like(away)
        spread = (cov.diagonal() / units**2).sum(axis=1, dtype=np.float64)
        return squares, away, np.asarray(cov.variances_along(A / units)), spread

    def _by_row(self, X: object, values: Doubles) -> LabeledArray:
        names = X.names if isinstance(X, UncertainArray) else None
        library = X.library if isinstance(X, UncertainArray) else library_of(X)
        return LabeledArray(values, names, self._component_names(), "row", library)

    def _by_feature(self, values: Doubles) -> LabeledArray:
        features = tuple(super().get_feature_names_out())
        library = getattr(self, "_library", None)  # of the fitted data
        return LabeledArray(values, features, self._component_names(), "feature", library)

    def _component_names(self) -> tuple[str, ...]:
        return tuple(f"PC{i + 1}" for i in range(self.n_components_))


def unwrap(
    fit: UAPCA | Pipeline, X: UncertainArray | npt.ArrayLike | None = None
) -> tuple[UAPCA, Any]:
    """The plain UAPCA inside a fit, and the data as it sees it.

    Parameters
    ----------
    fit : UAPCA or Pipeline
        Fitted. A pipeline ends in a UAPCA; its other steps are transformers of UncertainArrays,
        such as `UncertainScaler` and `Denoiser`.
    X : UncertainArray or array-like of shape (N, D), optional
        The data that the fit takes.

    Returns
    -------
    pca : UAPCA
        Without ``standardize``: its mean, components and covariances are those of the second
        result as it stands.
    X : UncertainArray or array
        After the steps before the UAPCA, and divided by its ``feature_scale_``; None without X.

    See Also
    --------
    uapca.UAPCA : Uncertainty-aware PCA.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.UncertainArray([[1.0, 100.0], [3.0, 300.0], [2.0, 150.0]], std=[0.5, 20.0])
    >>> pca, Z = uapca.decomposition.unwrap(uapca.UAPCA(1, standardize=True).fit(X), X)
    >>> Z.std[0].round(3), pca.transform(Z).shape
    (array([0.522, 0.229]), (3, 1))
    """
    if isinstance(fit, Pipeline):
        check_is_fitted(fit)
        before = fit[:-1]
        return unwrap(fit[-1], before.transform(X) if X is not None and len(before) else X)
    if not isinstance(fit, UAPCA):
        raise TypeError(
            f"fit must be a UAPCA or a Pipeline that ends in one; got {type(fit).__name__}"
        )
    check_is_fitted(fit)
    if fit.feature_scale_ is None:
        return fit, X
    plain = copy.copy(fit)
    plain.standardize, plain.feature_scale_, plain._center = False, None, fit.mean_
    plain._units = np.ones_like(fit._units)
    plain.__dict__.pop("_seen", None)
    if isinstance(X, UncertainArray):
        X = X.affine(1.0 / fit.feature_scale_)
    elif X is not None:
        X = fit._points(X) / fit.feature_scale_
    return plain, X


def _diagonals(between: Doubles, within: Doubles | None) -> tuple[Doubles, Doubles]:
    """The diagonals of C and Ψ̄, which may be known alone."""
    if between.ndim == 1:
        return between, cast(Doubles, within)
    own = np.zeros(len(between)) if within is None else within.diagonal()
    return between.diagonal(), own


def _ratio(part: Floats, whole: Doubles) -> Doubles:
    """Part / whole, 0 where there is no whole."""
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0.0)


def _minka_dimension(values: Doubles, n: int) -> int:
    """The number of components of greatest evidence (Minka 2000, Eq. 30, Laplace)."""
    d = len(values)
    floor = tie_tolerance(d) * values[0]  # what rounding leaves of no variance
    best, highest = 1, -np.inf
    for k in range(1, d):
        if values[k - 1] <= floor:
            break
        noise = max(float(values[k:].mean()), floor)
        model = np.r_[values[:k], np.full(d - k, noise)]
        i, j = np.triu_indices(d, 1)
        i, j = i[i < k], j[i < k]
        gaps = np.maximum(values[i] - values[j], floor)
        curvature = np.log(gaps * np.maximum(1.0 / model[j] - 1.0 / model[i], floor))
        angles = 0.5 * (d - np.arange(k))
        evidence = (
            (gammaln(angles) - angles * np.log(np.pi)).sum()
            - k * np.log(2.0)
            - 0.5 * n * (np.log(values[:k]).sum() + (d - k) * np.log(noise))
            + 0.5 * (d * k - 0.5 * k * (k + 1) + k) * np.log(2.0 * np.pi)
            - 0.5 * (curvature.sum() + len(i) * np.log(n))
            - 0.5 * k * np.log(n)
        )
        if evidence > highest:
            best, highest = k, float(evidence)
    return best
