"""From noisy, incomplete observations to posterior rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh, solve_triangular
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import TransformerTags
from sklearn.utils.validation import check_is_fitted

from uapca._progress import Progress, reported
from uapca._validation import Doubles, Floats, check_count, probability, shown
from uapca.decomposition.base import (
    BaseEstimator,
    OneToOneFeatureMixin,
    check_features,
    refuse_errors_as_y,
)
from uapca.decomposition.spectrum import signed
from uapca.exceptions import ErrorSizeWarning, UnitsWarning
from uapca.posterior.likelihood import Observations, Parameters, dense_errors
from uapca.posterior.optimizer import Climb, climb, error_sizes, start
from uapca.uncertain import Covariance, Dense, LowRank, UncertainArray

__all__ = ["Denoiser", "ParameterErrors"]

# With more rows the climb starts from the maximum of a part of them.
_MANY, _PART = 8_000, 3_000
# Features up to which their D⁴ second derivatives are formed for the climb of many rows.
_NEWTON = 30
# Groups of rows that are left out in turn to find the errors of the parameters.
_GROUPS = 20
# How much wider the errors of Σ̂ make the rows than they say. The posterior is not linear in Σ̂, and
# the errors are estimated at Σ̂ instead of Σ; 2 was found by redraws (tests/posterior).
_INFLATION = 2.0
# How many times larger the spread of one feature than of another speaks of different units.
_OTHER_UNITS = 100.0
# Products beyond which A⁻¹R is not formed to look for higher maxima or errors too large.
_CERTIFIED = 2e10


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model: the data it was fitted to, in its unit, and the maximum."""

    data: Observations
    theta: Parameters
    residual: bool
    tol: float
    _replicates: list[Parameters] = field(default_factory=list)

    def replicates(self, progress: Progress = False) -> list[Parameters]:
        """The parameters without each of 20 groups of rows, fitted to a part of many rows."""
        if not self._replicates:
            X = self.data.source
            X = X if len(X) <= _MANY else X[_part(X)]
            groups = min(_GROUPS, len(X))
            found, tol = [], max(self.tol, 1e-4)
            with reported(progress, groups, "fits") as report:
                for k in range(groups):
                    rest = X[np.flatnonzero(np.arange(len(X)) % groups != k)]
                    data = Observations(rest, self.data.center, self.data.unit)
                    ended = climb(data, self.theta, residual=self.residual, tol=tol, max_iter=500)
                    found.append(ended.parameters)
                    report(1)
            self._replicates.extend(found)
        return self._replicates

    def deviations(self, replicates: Doubles) -> Doubles:
        """Deviations of something computed from each of the replicates, shape (K, …).

        Their squares add up to its variance.
        """
        n, count = len(self.data.source), len(replicates)
        share = len(_part(self.data.source)) / n if n > _MANY else 1.0
        scale = float(np.sqrt(share * (count - 1) / count))
        return np.asarray(scale * (replicates - replicates.mean(axis=0)))


def _part(X: UncertainArray) -> npt.NDArray[np.intp]:
    """Some rows of many, evenly spaced."""
    return np.linspace(0, len(X) - 1, min(max(_PART, 10 * X.shape[1]), len(X))).astype(np.intp)


class ParameterErrors:
    """The sampling errors of μ̂ and Σ̂, as directions.

    The covariance of all their entries is Σₖ δₖ δₖᵀ over K directions δₖ = (dμₖ, dΣₖ): scaled
    deviations of 20 fits that each leave out a group of rows (jackknife). Posterior rows carry
    this record, so that `uapca.component_uncertainty` can add these errors to those of the rows.
    The fits are made when a direction is first asked for. ``included`` says whether the covariances
    of the rows contain these errors (``transform(X, parameter_errors=True)``).
    """

    def __init__(
        self, fitted: Fitted, factors: Doubles | None = None, included: bool = False
    ) -> None:
        self._fitted = fitted
        self.included = included
        self._factors = np.ones(fitted.data.shape[1]) if factors is None else factors

    @property
    def rows(self) -> int:
        """The number of rows of the fit."""
        return len(self._fitted.data.source)

    def scaled(self, factors: npt.ArrayLike) -> ParameterErrors:
        """The same for rows whose features are multiplied by ``factors``, shape (D,)."""
        factors = self._factors * np.asarray(factors, dtype=np.float64)
        return ParameterErrors(self._fitted, factors, self.included)

    def mean(self, A: npt.ArrayLike | None = None) -> Doubles:
        """The directions dμₖ, or A dμₖ for ``A`` of shape (q, D): shape (K, D) or (K, q)."""
        fitted = self._fitted
        means = np.array([theta.mean for theta in fitted.replicates()])
        directions = self._factors * fitted.data.unit * fitted.deviations(means)
        return directions if A is None else directions @ np.asarray(A, dtype=np.float64).T

    def covariance(self, A: npt.ArrayLike | None = None) -> Doubles:
        """The directions A dΣₖ Aᵀ, shape (K, q, q); A is the identity if left out.

        Nothing of order D × D is formed where ``A`` has few rows.
        """
        fitted = self._fitted
        rows = np.eye(fitted.data.shape[1]) if A is None else np.asarray(A, dtype=np.float64)
        rows = rows * self._factors
        gram = rows @ rows.T
        images = [(rows @ theta.loadings, theta.noise) for theta in fitted.replicates()]
        matrices = np.array([W @ W.T + noise * gram for W, noise in images])
        return np.asarray(fitted.data.unit**2 * fitted.deviations(matrices))


class Denoiser(OneToOneFeatureMixin, BaseEstimator):
    """Posterior distributions of the true rows behind noisy, incomplete observations.

    The rows are taken as x = t + e, with errors e ~ N(0, Ψₙ) that are known and true values
    t ~ N(μ, Σ). μ and Σ maximize the likelihood; `transform` returns the distribution of each t
    given its row. `UAPCA` of these rows at scale 1 is maximum-likelihood errors-in-variables PCA:
    the covariance of all posterior rows together, K(1), is Σ̂.

    Use it where Ψ is the error of a measurement (standard errors), not where it is spread that
    belongs to the data. Cells without an observation count as such.

    Parameters
    ----------
    n_components : int, optional
        With fewer components than features, Σ = W Wᵀ + σ² I with W of shape (D, n_components).
        None, or the number of features, estimates the full Σ, which needs about three rows for
        each feature; None refuses fewer. The full Σ does not depend on the features' units; σ² is
        the same in all features, in the units of the data, and ``uapca.UnitsWarning`` says where
        these differ too much.
    residual : bool, default=True
        Whether the factor model has the variance σ² beside the components.
    tol : float, default=1e-6
        The climb stops when the error of Σ̂, relative to Σ + Ψ, is expected to be below; with
        many rows below up to 10 ``tol``.
    max_iter : int, default=1000
        The largest number of passes over the data.

    Attributes
    ----------
    mean_ : ndarray of shape (D,)
        μ̂.
    covariance_ : ndarray of shape (D, D)
        Σ̂.
    components_ : ndarray of shape (q, D)
        Leading eigenvectors of Σ̂.
    explained_variance_ : ndarray of shape (q,)
        Their eigenvalues.
    noise_variance_ : float
        σ̂²; 0 in the full model.
    log_likelihood_ : float
        Of all rows. With weights N Σ wₙ log pₙ.
    history_ : ndarray
        The log-likelihood after each step.
    converged_ : bool
    n_iter_ : int
        Passes over the data.
    n_components_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (D,)
        Only if the data named its features.

    See Also
    --------
    uapca.UAPCA : Uncertainty-aware PCA.
    uapca.component_count : How many components stand out from the errors.

    References
    ----------
    Tipping, M. E. and Bishop, C. M. (1999). Probabilistic principal component analysis.
    Journal of the Royal Statistical Society B 61, 611-622.

    Bovy, J., Hogg, D. W. and Roweis, S. T. (2011). Extreme deconvolution: inferring complete
    distribution functions from noisy, heterogeneous and incomplete observations. Annals of Applied
    Statistics 5, 1657-1677.

    Examples
    --------
    >>> import numpy as np
    >>> import uapca
    >>> from sklearn.pipeline import make_pipeline
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.normal(size=(200, 1)) @ [[3.0, 2.0, 1.0]]
    >>> std = rng.uniform(0.1, 2.0, size=truth.shape)
    >>> values = truth + std * rng.normal(size=truth.shape)
    >>> values[0, 2] = np.nan
    >>> X = uapca.UncertainArray(values, std=std, missing="keep")
    >>> rows = uapca.Denoiser(n_components=1).fit_transform(X)
    >>> bool(np.abs(rows.mean - truth).mean() < 0.5 * np.nanmean(np.abs(values - truth)))
    True
    >>> pca = make_pipeline(uapca.Denoiser(n_components=1), uapca.UAPCA(1)).fit(X)
    >>> pca[-1].components_.round(1)
    array([[0.8, 0.5, 0.3]])
    """

    mean_: Doubles
    components_: Doubles
    explained_variance_: Doubles
    noise_variance_: float
    log_likelihood_: float
    history_: Doubles
    converged_: bool
    n_iter_: int
    n_components_: int
    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]
    _fitted: Fitted

    def __init__(
        self,
        n_components: int | None = None,
        *,
        residual: bool = True,
        tol: float = 1e-6,
        max_iter: int = 1000,
    ) -> None:
        self.n_components = n_components
        self.residual = residual
        self.tol = tol
        self.max_iter = max_iter

    def set_output(self, *, transform: str | None = None) -> Self:
        """Do nothing: posterior rows hold more than a data frame does."""
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags()
        tags.input_tags.allow_nan = True
        return tags

    def fit(
        self,
        X: UncertainArray | npt.ArrayLike,
        y: object = None,
        *,
        cov: npt.ArrayLike | None = None,
        std: npt.ArrayLike | None = None,
        factors: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
        progress: Progress = False,
    ) -> Self:
        """Estimate μ and Σ.

        Parameters
        ----------
        X : UncertainArray or array-like of shape (N, D)
            The observations; NaN where there is none. Arrays take their errors from ``cov``,
            ``std`` or ``factors``; a cell whose ``std`` is infinite is not observed.
        y : ignored
        cov, std, factors : array-like, optional
            As in `UncertainArray`.
        sample_weight : array-like of shape (N,), optional
        progress : bool or callable, default=False
            True for a bar, or a function of (done, 100): the percentage of the way to the maximum,
            by the orders of magnitude of the gain in likelihood that is still expected.
        """
        self._check_settings()
        refuse_errors_as_y(X, y)
        data = observations(X, cov, std, factors, sample_weight)
        fitted, ended = self._estimate(data, progress)
        self._fitted = fitted
        observed, theta = fitted.data, fitted.theta
        unit, (n, d) = observed.unit, observed.shape
        self.n_features_in_ = d
        if data.features is not None:
            self.feature_names_in_ = np.array(data.features, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.mean_ = observed.center + unit * theta.mean
        left, size, _ = np.linalg.svd(theta.loadings, full_matrices=False)
        self.components_ = signed(left.T)
        self.explained_variance_ = unit**2 * (size**2 + theta.noise)
        self.noise_variance_ = unit**2 * theta.noise
        self.n_components_ = theta.loadings.shape[1]
        shift = n * float(observed.weights @ observed.observed.sum(axis=1)) * np.log(unit)
        self.history_ = np.array(ended.history) - shift
        self.log_likelihood_ = float(self.history_[-1])
        self.converged_ = ended.converged
        self.n_iter_ = ended.passes
        return self

    def transform(
        self,
        X: UncertainArray | npt.ArrayLike,
        *,
        parameter_errors: bool = False,
        cov: npt.ArrayLike | None = None,
        std: npt.ArrayLike | None = None,
        factors: npt.ArrayLike | None = None,
        progress: Progress = False,
    ) -> UncertainArray:
        """The posterior distribution of the true row behind each row.

        Parameters
        ----------
        X : UncertainArray or array-like of shape (N, D)
            The rows of the fit or others, with errors of their own. A row without any
            observation gets μ̂ and Σ̂.
        parameter_errors : bool, default=False
            Whether the rows include the errors of μ̂ and Σ̂. Their intervals then cover what
            they say; K(1) of the rows is no longer Σ̂.
        cov, std, factors : array-like, optional
            The errors where ``X`` is an array: needed if the rows of the fit had errors. Exact
            rows are an `UncertainArray` without errors.
        progress : bool or callable, default=False
            True for a bar, or a function of (done, total), over the 20 fits that
            ``parameter_errors`` makes when first asked for.
        """
        check_is_fitted(self)
        fitted = self._fitted
        if cov is std is factors is None:
            self._check_errors(X)
        rows = self._rows(observations(X, cov, std, factors))
        data = rows.source
        mean, covariance = np.array(data.mean), data.cov
        if rows.kind != "zero" or not rows.complete:
            try:
                means, covariance = rows.posterior(fitted.theta)
                if parameter_errors:
                    covariance = _widened(fitted, rows, covariance, progress)
            except np.linalg.LinAlgError:
                raise ValueError(
                    "X must have errors in the cells that are certain: the estimated covariance is "
                    "singular and does not allow their values"
                ) from None
            unit = fitted.data.unit
            mean = np.where(rows.certain, data.mean, fitted.data.center + unit * means)
            covariance = covariance.scaled(unit)
        return data.replace(
            mean=mean,
            cov=covariance,
            laws=None,
            missing=None,
            source="posterior",
            parameter_errors=ParameterErrors(fitted, included=parameter_errors),
        )

    def fit_transform(
        self,
        X: UncertainArray | npt.ArrayLike,
        y: object = None,
        *,
        cov: npt.ArrayLike | None = None,
        std: npt.ArrayLike | None = None,
        factors: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
        progress: Progress = False,
    ) -> UncertainArray:
        """Fit, then transform the same rows; takes what `fit` takes."""
        refuse_errors_as_y(X, y)
        data = observations(X, cov, std, factors, sample_weight)
        return self.fit(data, progress=progress).transform(data)

    def score(self, X: UncertainArray | npt.ArrayLike, y: object = None) -> float:
        """The mean log-likelihood of a row, as needed by cross-validation."""
        check_is_fitted(self)
        self._check_errors(X)
        rows = self._rows(observations(X))
        try:
            value = rows.evaluate(self._fitted.theta).value
        except np.linalg.LinAlgError:
            return -np.inf
        cells = float(rows.weights @ rows.observed.sum(axis=1))
        return value - cells * float(np.log(rows.unit))

    @property
    def covariance_(self) -> Doubles:
        check_is_fitted(self)
        return np.asarray(self._fitted.data.unit**2 * self._fitted.theta.covariance())

    def parameter_errors(self) -> ParameterErrors:
        """The sampling errors of `mean_` and `covariance_`."""
        check_is_fitted(self)
        return ParameterErrors(self._fitted)

    def _rows(self, X: UncertainArray) -> Observations:
        """Rows to be looked at with the fitted model; those of the fit are prepared already."""
        check_features(self, X)
        data = self._fitted.data
        return data if X is data.source else Observations(X, data.center, data.unit)

    def _check_errors(self, X: UncertainArray | npt.ArrayLike) -> None:
        """Raise if errors were left out: the values would count as certain, and not move."""
        if not isinstance(X, UncertainArray) and not self._fitted.data.exact:
            raise ValueError(
                "X must have errors, as the rows of the fit had: an UncertainArray, or std, cov or "
                "factors beside the values; got plain values"
            )

    def _check_settings(self) -> None:
        if self.n_components is not None:
            check_count(self.n_components, "n_components")
        if not isinstance(self.residual, bool | np.bool_):
            raise ValueError(f"residual must be True or False; got {shown(self.residual)}")
        probability(self.tol, "tol")
        check_count(self.max_iter, "max_iter")

    def _estimate(self, X: UncertainArray, progress: Progress) -> tuple[Fitted, Climb]:
        """The maximum, of the rows that count, and how it was reached; refuses and warns."""
        if X.given_weights is not None and not X.given_weights.all():
            X = X[X.given_weights > 0]
        data = Observations(X)
        n, d = data.shape
        q = d if self.n_components is None else int(self.n_components)
        names = feature_names(X)
        _check_cells(data, q, self.n_components is None, names)
        residual = bool(self.residual) and q < d
        check_bounded(data, q, residual, names)
        if residual:
            _check_units(X, names)
        ended = closed_form(data, q, residual)
        if ended is None:
            with reported(progress, 100, "%") as report:
                done = 0

                def advance(share: float) -> None:
                    nonlocal done
                    step = max(int(100 * share) - done, 0)
                    done += step
                    report(step)

                theta, information = None, None
                if n > _MANY and not data.bare:
                    few = Observations(X[_part(X)], data.center, data.unit)
                    theta = climb(
                        few, start(few, q, residual), residual=residual, tol=1e-3, max_iter=200
                    ).parameters
                    if q == d <= _NEWTON:
                        information = few.information(theta)
                theta = start(data, q, residual) if theta is None else theta
                ended = self._climb(data, theta, residual, advance, information)
                advance(1.0)
        check_collapse(data, ended.parameters, residual)
        if not ended.converged:
            remedy = (
                "max_iter or tol can be raised"
                if ended.passes >= self.max_iter
                else "the likelihood still rises, and another n_components may fit the data better"
            )
            warnings.warn(
                f"Denoiser did not converge in {ended.passes} passes; {remedy}",
                ConvergenceWarning,
                stacklevel=4,
            )
        return Fitted(data, ended.parameters, residual, float(self.tol)), ended

    def _climb(
        self,
        data: Observations,
        theta: Parameters,
        residual: bool,
        report: Callable[[float], None],
        information: Doubles | None = None,
    ) -> Climb:
        """Climb; where the end is no maximum, leave it in the direction that rises and go on."""
        d, q = theta.loadings.shape
        cost = data.shape[0] * d**2 * (q if data.independent else d)
        history: list[float] = []
        passes = 0
        for _ in range(5):
            ended = climb(
                data,
                theta,
                residual=residual,
                tol=float(self.tol),
                max_iter=max(int(self.max_iter) - passes, 1),
                report=report,
                information=information,
            )
            history += ended.history
            passes += ended.passes
            if not ended.converged or cost > _CERTIFIED:
                return Climb(ended.parameters, history, ended.converged, passes)
            higher, lowest = _certificate(data, ended.parameters, residual)
            passes += 1
            if higher is None:
                _check_error_sizes(data, ended.parameters, lowest)
                return Climb(ended.parameters, history, True, passes)
            theta = higher
        return Climb(ended.parameters, history, False, passes)


def observations(
    X: UncertainArray | npt.ArrayLike,
    cov: npt.ArrayLike | None = None,
    std: npt.ArrayLike | None = None,
    factors: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
) -> UncertainArray:
    """What was given as an UncertainArray; cells of infinite ``std`` are not observed."""
    if isinstance(X, UncertainArray):
        if not (cov is std is factors is None):
            raise ValueError(
                "cov, std and factors must be left out where X is an UncertainArray, which has "
                "its own errors"
            )
        if X.source == "posterior":
            raise ValueError(
                "X must hold observations; these rows are posterior rows already, whose errors "
                "are no measurement errors: fit UAPCA to them"
            )
        return X if weights is None else X.reweighted(weights)
    features = None
    blank = np.isposinf(np.asarray(0.0 if std is None else std, dtype=np.float64))
    if blank.any():
        columns = getattr(X, "columns", None)
        features = None if columns is None else [str(name) for name in columns]
        values = np.array(X, dtype=np.float64)
        values[np.broadcast_to(blank, values.shape)] = np.nan
        X = values
    return UncertainArray(
        X, cov, std=std, factors=factors, weights=weights, features=features, missing="keep"
    )


def feature_names(X: UncertainArray) -> list[str]:
    """Names of the features as messages write them."""
    return (
        [str(j) for j in range(X.shape[1])] if X.features is None else list(map(repr, X.features))
    )


def spreads(X: UncertainArray) -> tuple[Doubles, Doubles]:
    """The center and the spread of each feature, with cells of large errors counting less."""
    variances = np.broadcast_to(np.asarray(X.cov.diagonal(), dtype=np.float64), X.shape)
    center, spread = np.empty(X.shape[1]), np.empty(X.shape[1])
    for j, values in enumerate(np.asarray(X.mean, dtype=np.float64).T):
        seen = ~np.isnan(values)
        errors = variances[seen, j]
        usual = float(np.median(errors[errors > 0])) if errors.any() else 1.0
        share = X.weights[seen] / (errors / usual + 1)
        center[j] = np.average(values[seen], weights=share)
        scatter = np.average(np.square(values[seen] - center[j]), weights=share)
        spread[j] = np.sqrt(scatter) or np.sqrt(usual)
    return center, spread


def _check_units(X: UncertainArray, names: list[str]) -> None:
    """Warn if one σ² for all features makes little sense: their spreads differ too much."""
    _, spread = spreads(X)
    vary = np.flatnonzero(np.nanmax(X.mean, axis=0) > np.nanmin(X.mean, axis=0))
    if not len(vary):
        return
    large, small = vary[spread[vary].argmax()], vary[spread[vary].argmin()]
    if spread[large] > _OTHER_UNITS * spread[small]:
        warnings.warn(
            f"the spread of feature {names[large]} is {spread[large] / spread[small]:,.0f} times "
            f"that of {names[small]}, and the factor model has one residual variance for all: "
            "uapca.Denoiser() does not depend on units and needs about three rows for each "
            "feature; with fewer rows, X.affine(1 / numpy.nanstd(X.mean, axis=0)) before makes the "
            "units comparable",
            UnitsWarning,
            stacklevel=5,
        )


def _check_cells(data: Observations, q: int, by_default: bool, names: list[str]) -> None:
    """Raise if there are too few rows or cells for the model."""
    n, d = data.shape
    if q > d:
        raise ValueError(f"n_components must be at most the number of features, {d}; got {q}")
    counts = data.observed.sum(axis=0)
    if not counts.any():
        raise ValueError(f"X must have observed cells; all {n * d} are missing")
    if not counts.all():
        never = [names[j] for j in np.flatnonzero(counts == 0)]
        raise ValueError(
            f"X must have an observation of every feature; {', '.join(never[:5])} "
            f"{'has' if len(never) == 1 else 'have'} none"
        )
    seen = int(data.observed.any(axis=1).sum())
    if seen < 2:
        raise ValueError(f"X must have at least two rows with observations; got {seen}")
    if q == d and d > 1:
        if by_default and counts.min() < 3 * d:
            raise ValueError(
                f"n_components must be given for {counts.min()} observations of a feature: the "
                f"full covariance of {d} features needs about {3 * d}; "
                f"choose few, such as 2 (on the command line --denoise 2); {d} insists on it"
            )
        if not data.complete:
            together = data.observed.T.astype(np.float32) @ data.observed.astype(np.float32)
            if not together.all():
                i, j = np.argwhere(together == 0)[0]
                raise ValueError(
                    f"n_components must be below {d}: features {names[i]} and {names[j]} are never "
                    "observed in the same row, so their covariance is not determined"
                )


def check_bounded(data: Observations, q: int, residual: bool, names: list[str]) -> None:
    """Raise if the likelihood has no maximum because Σ can collapse onto certain cells."""
    n, d = data.shape
    nullity = data.nullity()
    if not nullity.any():
        return
    certain = data.certain
    singular = nullity - certain.sum(axis=1)
    excess, freedom = int(np.maximum(nullity - q, 0).sum()), (q + 1) * (d - q)
    if singular.any() and (0 < excess <= freedom if residual else q < d and excess > 0):
        row = int(singular.argmax())
        size = int(data.observed[row].sum())
        raise ValueError(
            f"X must have errors of full rank; those of row {row} have rank "
            f"{size - int(nullity[row])} in {size} cells, as have standard errors of fewer "
            "replicates than features, and factors without std: pool the variances of all groups, "
            "or pass std beside factors"
        )
    if residual:
        if 0 < excess <= freedom:
            raise ValueError(
                f"the likelihood has no maximum with n_components={q}: {int(nullity.sum())} cells "
                f"in {int((nullity > 0).sum())} rows are certain, and a plane of dimension {q} can "
                f"pass through all of them with σ² = 0; {freedom - excess + 1} more certain cells, "
                "fewer components or errors for these cells are needed"
            )
        return
    if q < d and excess > 0:
        row = int(nullity.argmax())
        raise ValueError(
            f"residual must be True where more than {q} cells of a row are certain; row {row} "
            f"has {int(nullity[row])}"
        )
    if singular.any():
        if data.kind == "shared" and data.complete and n > nullity.max():
            return
        raise ValueError(
            "the likelihood of this model has no maximum: the errors of a row have fewer "
            "directions than cells (factors without std, or singular matrices); pass "
            "n_components, or std beside factors"
        )
    if int(certain.all(axis=1).sum()) > d:
        return
    patterns = np.unique(certain[nullity > 0], axis=0)
    patterns = patterns[np.argsort(-patterns.sum(axis=1), kind="stable")][:20_000]
    single = certain.astype(np.float32)
    for i in range(0, len(patterns), 512):
        some = patterns[i : i + 512].astype(np.float32)
        sizes = some.sum(axis=1)
        rows = (some @ single.T >= sizes[:, None] - 0.5).sum(axis=1)
        bad = np.flatnonzero(rows <= sizes)
        if len(bad):
            cells = np.flatnonzero(some[bad[0]])
            listed = ", ".join(names[j] for j in cells[:5]) + (", …" if len(cells) > 5 else "")
            raise ValueError(
                f"the likelihood of this model has no maximum: {int(rows[bad[0]])} "
                f"{'row is' if rows[bad[0]] == 1 else 'rows are'} certain in the "
                f"{len(cells)} cells {listed}, and more than {len(cells)} are needed; a smaller "
                "n_components, or errors for these cells, help"
            )


def check_collapse(data: Observations, theta: Parameters, residual: bool) -> None:
    """Raise if Σ has collapsed onto certain cells all the same: they lie in fewer dimensions."""
    if not data.bare:
        return
    if residual:
        smallest = theta.noise / max(
            float(np.square(theta.loadings).sum()) / len(theta.mean), 1e-300
        )
        collapsed = int(np.maximum(data.nullity() - theta.loadings.shape[1], 0).sum()) > 0
        collapsed &= smallest < 1e-11
    else:
        Sigma = theta.covariance()
        cells = data.certain.any(axis=0)
        block = Sigma[np.ix_(cells, cells)]
        size = np.sqrt(np.diagonal(block))
        # Without certain cells the block is empty.
        collapsed = bool((size <= 1e-11).any()) or bool(
            (np.linalg.eigvalsh(block / np.outer(size, size)) < 1e-11).any()
        )
    if collapsed:
        raise ValueError(
            "the likelihood of this model has no maximum: the certain cells lie in fewer "
            "dimensions than the model has; a smaller n_components, or errors for these cells, help"
        )


def closed_form(data: Observations, q: int, residual: bool) -> Climb | None:
    """The maximum without a climb, for complete rows that share their errors; else None.

    Full model: Ψ^½ (Ψ^−½ C Ψ^−½ − I)₊ Ψ^½. Factor model, errors equal in all cells: Tipping and
    Bishop's solution for C with their variance taken off.
    """
    n, d = data.shape
    if not data.alike or data.kind in ("dense", "low-rank"):
        return None
    mean = data.weights @ data.values
    scaled = np.sqrt(data.weights)[:, None] * (data.values - mean)
    half: Floats | None = None
    size = float(data.variances[0, 0])  # of the errors in units in which they are isotropic
    if q == d:
        errors = dense_errors(data.blocks()[0])[:, :, 0]
        if errors.any():
            try:
                half, size = np.linalg.cholesky(errors), 1.0
            except np.linalg.LinAlgError:
                return None
            scaled = solve_triangular(half, scaled.T, lower=True).T
    elif data.kind == "shared" or np.ptp(data.variances[0]) > 0:
        return None
    values, (_, spread, vectors) = np.zeros(d), np.linalg.svd(scaled, full_matrices=False)
    values[: len(spread)] = spread**2
    noise = max(float(values[q:].mean()) - size, 0.0) if residual else 0.0
    strength = np.sqrt(np.maximum(values[:q] - size - noise, 0.0))
    W = np.zeros((d, q))
    W[:, : len(vectors)] = vectors[:q].T * strength[: len(vectors)]
    W = W if half is None else half @ W
    theta = Parameters(mean, W, noise)
    check_collapse(data, theta, residual)
    return Climb(theta, [n * data.evaluate(theta).value], True, 1)


def _certificate(
    data: Observations, theta: Parameters, residual: bool
) -> tuple[Parameters | None, float]:
    """A start from which the likelihood still rises, or None; the smallest eigenvalue of A⁻¹R.

    Without σ² the end is the maximum if no eigenvalue of A⁻¹R is above 1; with fewer components
    than features that does not hold, and the EM step must keep the plane of the components.
    """
    n, (d, q) = data.shape[0], theta.loadings.shape
    _, b, A, R = data.moments(theta)
    if q == d:
        values, vectors = eigh(R, A)
        lowest = float(values[0])
        if values[-1] <= 1 + 1e-6:
            return None, lowest
        left, size, _ = np.linalg.svd(theta.loadings)
        W = left * size
        W[:, -1] = vectors[:, -1] * np.sqrt(values[-1] - 1)
        return theta._replace(loadings=W), lowest
    # R has the rank N: of fewer rows than features its smallest eigenvalue says nothing.
    lowest = float(eigh(R, A, eigvals_only=True, subset_by_index=(0, 0))[0]) if n > d else 0.0
    Sigma = theta.covariance()
    total = Sigma + Sigma @ (R - A - np.outer(b, b)) @ Sigma  # the EM step: K(1) of the rows
    eigenvalues, leading = eigh(total, subset_by_index=(d - q, d - 1))
    plane, size, _ = np.linalg.svd(theta.loadings, full_matrices=False)
    plane = plane[:, size > 1e-4 * max(size[0], 1e-300)]
    overlap = np.linalg.svd(plane.T @ leading, compute_uv=False)
    if not len(overlap) or overlap[-1] > 0.99:
        return None, lowest
    noise = float(np.trace(total) - eigenvalues.sum()) / (d - q) if residual else 0.0
    strength = np.sqrt(np.maximum(eigenvalues - noise, 0.0))
    return Parameters(theta.mean + Sigma @ b, leading * strength, noise), lowest


def _check_error_sizes(data: Observations, theta: Parameters, lowest: float) -> None:
    """Warn if the rows scatter less than their errors: an eigenvalue below Marchenko–Pastur's.

    With errors that are too large σ̂² vanishes; where it does not, it explains low eigenvalues.
    """
    d = data.shape[1]
    n = data.observed.mean(axis=0).min() / float(data.weights @ data.weights)  # rows that count
    if n <= d or data.exact or theta.noise > 1e-3 * float(error_sizes(data).min()):
        return
    edge = (1 - np.sqrt(d / n)) ** 2
    width = (np.sqrt(n) - np.sqrt(d)) * (1 / np.sqrt(d) - 1 / np.sqrt(n)) ** (1 / 3) / n
    if lowest < edge - 4 * width:
        warnings.warn(
            f"the errors look too large for the data: in some direction the rows scatter with "
            f"{lowest:.2g} of the variance that their errors alone should give, and at least "
            f"{edge:.2g} is expected; are they standard errors of single values?",
            ErrorSizeWarning,
            stacklevel=6,
        )


def _widened(
    fitted: Fitted, rows: Observations, covariance: Covariance, progress: Progress
) -> Covariance:
    """The posterior covariances with the errors of μ̂ and Σ̂ added."""
    means = np.array([rows.posterior_means(theta) for theta in fitted.replicates(progress)])
    changes = np.sqrt(_INFLATION) * fitted.deviations(means)
    if isinstance(covariance, LowRank):
        factors = covariance.arrays["factors"]
        return LowRank(
            np.concatenate([factors, changes.transpose(1, 2, 0)], axis=2), covariance.rest
        )
    out = np.array(covariance.dense())
    out += np.einsum("knd,kne->nde", changes, changes)
    return Dense(out)
