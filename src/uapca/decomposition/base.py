"""What the estimators share: reading the data, its first two moments, `set_output`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar, cast, overload

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted, validate_data

from uapca._names import COUNTER, IDENTIFIER, counting_columns, error_columns, nearest
from uapca._validation import (
    Doubles,
    Floats,
    as_floats,
    check_finite,
    library_of,
    listed,
    out_of_range,
    shown,
)
from uapca.aggregate.accumulate import Integers, moments
from uapca.decomposition.sparse import SparsePoints
from uapca.exceptions import ErrorColumnWarning
from uapca.uncertain import UncertainArray
from uapca.uncertain.array import mapped
from uapca.uncertain.checks import covariance_from, weights_from
from uapca.uncertain.covariance import row_blocks
from uapca.uncertain.units import without_units

__all__ = [
    "SMALLEST",
    "BaseEstimator",
    "OneToOneFeatureMixin",
    "Rows",
    "UncertainTransformer",
    "all_or_nothing",
    "between_covariance",
    "check_features",
    "check_underflow",
    "feature_units",
    "feature_variances",
    "refuse_errors_as_y",
    "varies",
]

if TYPE_CHECKING:
    # scikit-learn has no types: what the estimators inherit from it would be unknown.
    class BaseEstimator:
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def set_fit_request(self, **requests: bool | str | None) -> Self: ...
        def get_metadata_routing(self) -> Any: ...
        def __sklearn_tags__(self) -> Any: ...

    class TransformerMixin:
        _sklearn_output_config: dict[str, str]

        def __init_subclass__(
            cls, auto_wrap_output_keys: tuple[str, ...] | None = ("transform",), **kwargs: Any
        ) -> None: ...
        def set_output(
            self, *, transform: Literal["default", "pandas", "polars"] | None = None
        ) -> Self: ...

    class OneToOneFeatureMixin:
        def get_feature_names_out(
            self, input_features: npt.ArrayLike | None = None
        ) -> npt.NDArray[np.object_]: ...
else:
    from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin

F = TypeVar("F", bound=Callable[..., Any])

# The smallest float64 is 5e-324: smaller variances are not known to all digits.
SMALLEST = 1e-306


class PointTransformer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """The transform of points: `set_output` makes data frames of its result."""

    _transform_points: Callable[[Any], Any]

    def transform(self, X: Any) -> Any:
        return self._transform_points(X)


class UncertainTransformer(PointTransformer, auto_wrap_output_keys=None):
    """An affine map of UncertainArrays and of arrays of points.

    ``set_output(transform="pandas")`` makes data frames of arrays. An uncertain result holds more
    than a data frame does, and the next step of a pipeline needs it whole: it is left as it is.

    A subclass has the map x → A (x − center) and its inverse y → B y + offset, each as a pair; A
    and B are matrices, or factors for each axis.
    """

    fit: Callable[..., Any]
    _map: Callable[[], tuple[Doubles, Doubles]]
    _inverse_map: Callable[[], tuple[Doubles, Doubles]]
    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]

    def __new__(cls, *_: Any, **parameters: Any) -> Self:
        known = cls.__init__.__code__.co_varnames[1:]
        for name in parameters:
            if name not in known:
                close = nearest(name, known)
                meant = f"; did you mean {close!r}?" if close else ""
                raise TypeError(f"{cls.__name__} has no parameter {name!r}{meant}")
        return super().__new__(cls)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @overload
    def fit_transform(
        self,
        X: UncertainArray,
        y: object = None,
        *,
        cov: None = None,
        std: None = None,
        factors: None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> UncertainArray: ...
    @overload
    def fit_transform(
        self,
        X: npt.ArrayLike,
        y: object = None,
        *,
        cov: npt.ArrayLike | None = None,
        std: npt.ArrayLike | None = None,
        factors: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> UncertainArray | Floats: ...
    def fit_transform(
        self,
        X: UncertainArray | npt.ArrayLike,
        y: object = None,
        *,
        cov: npt.ArrayLike | None = None,
        std: npt.ArrayLike | None = None,
        factors: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> UncertainArray | Floats:
        """Fit, then transform the same rows; takes what `fit` takes.

        Points that come with errors become an UncertainArray.
        """
        self.fit(X, y, cov=cov, std=std, factors=factors, sample_weight=sample_weight)
        if not isinstance(X, UncertainArray) and not (cov is std is factors is None):
            X = UncertainArray(X, cov, std=std, factors=factors, weights=sample_weight)
        return cast("UncertainArray | Floats", self.transform(X))

    @overload
    def transform(self, X: UncertainArray) -> UncertainArray: ...  # type: ignore[overload-overlap]
    @overload
    def transform(self, X: npt.ArrayLike) -> Floats: ...
    def transform(self, X: UncertainArray | npt.ArrayLike) -> UncertainArray | Floats:
        """Map rows exactly: mean A (m − μ), covariance A Ψ Aᵀ.

        `UAPCA` projects onto its components; with ``standardize`` rows are divided by
        ``feature_scale_`` first, with ``whiten`` scores are divided by √λ. `UncertainScaler`
        subtracts ``mean_`` and divides by ``scale_``.

        Parameters
        ----------
        X : UncertainArray or array-like of shape (N, D)

        Returns
        -------
        UncertainArray, or ndarray
            As the input: names, weights and laws go along; float32 stays float32. `UAPCA` makes a
            Dask array that is not computed yet of one, and a dense array of sparse points.
        """
        check_is_fitted(self)
        if not isinstance(X, UncertainArray):
            return cast(Floats, super().transform(X))
        self._check_features(X)
        A, center = self._map()
        return X.affine(A, center=center, features=self._component_names())

    def _component_names(self) -> tuple[str, ...] | None:
        """Names of what `transform` returns, None where the features keep theirs."""
        return None

    def _transform_points(self, X: Any) -> Any:
        points = self._points(X)
        return mapped(points, *self._map()).astype(points.dtype, copy=False)

    @overload
    def inverse_transform(self, Y: UncertainArray) -> UncertainArray: ...  # type: ignore[overload-overlap]
    @overload
    def inverse_transform(self, Y: npt.ArrayLike) -> Floats: ...
    def inverse_transform(self, Y: UncertainArray | npt.ArrayLike) -> UncertainArray | Floats:
        """Map rows back to the original features, in the units of the data.

        Parameters
        ----------
        Y : UncertainArray or array-like, as `transform` returns it

        Returns
        -------
        UncertainArray, or ndarray of shape (N, D)
            What components left out is at its mean, with no uncertainty: the covariances have low
            rank, and are kept so.
        """
        check_is_fitted(self)
        B, offset = self._inverse_map()
        rows = Y if isinstance(Y, UncertainArray) else as_floats(Y, "Y")
        if len(rows.shape) != 2 or rows.shape[1] != B.shape[-1]:
            raise ValueError(
                f"Y must have {B.shape[-1]} columns, as transform returns them; "
                f"got shape {rows.shape}"
            )
        if not isinstance(rows, UncertainArray):
            return (mapped(rows, B) + offset).astype(rows.dtype, copy=False)
        if B.ndim == 1:
            self._check_features(rows)
        return rows.affine(B, offset, features=getattr(self, "feature_names_in_", None))

    def _read(
        self,
        X: Any,
        y: Any,
        cov: Any,
        std: Any,
        factors: Any,
        weights: Any,
        *,
        reset: bool = True,
    ) -> UncertainArray:
        """What a fit received as an UncertainArray of the rows that count.

        Remembers the features, or with ``reset=False`` checks that they are the remembered ones.
        Points are not checked for infinities here: the sums over them show these at no cost.
        """
        refuse_errors_as_y(X, y)
        if reset:
            self._library = X.library if isinstance(X, UncertainArray) else library_of(X)
        if isinstance(X, UncertainArray):
            for name, value in (("cov", cov), ("std", std), ("factors", factors)):
                if value is not None:
                    raise ValueError(
                        f"{name} must be left out where X is an UncertainArray, which has its own "
                        f"errors; build UncertainArray(X.mean, {name}=...) for others"
                    )
            if reset:
                self.n_features_in_ = X.shape[1]
                self.__dict__.pop("feature_names_in_", None)
                if X.features is not None:
                    self.feature_names_in_ = np.array(X.features, dtype=object)
            self._check_features(X)
            data = X
        else:
            if not isinstance(X, Mapping) and not hasattr(X, "colnames"):
                X, cov, std, factors, _ = without_units(X, cov, std, factors, None)
            points = self._points(X, reset=reset, finite=False)
            if reset:
                _warn_of_columns(getattr(self, "feature_names_in_", ()), points)
            errors = covariance_from(cov, std, factors, points.shape, check=True)
            names = getattr(self, "feature_names_in_", None)
            data = UncertainArray(points, errors, features=names, check=False)
        if weights is not None:
            weights_from(weights, len(data), "sample_weight")  # so that errors name the parameter
            data = data.reweighted(weights)
        given_weights = data.given_weights
        if given_weights is not None and not given_weights.all():
            data = data[given_weights > 0.0]  # times zero, what overflows would still be NaN
        return data

    def _points(
        self, X: Any, *, reset: bool = False, finite: bool = True, sparse: bool = False
    ) -> Any:
        """Points as a float array with the features of the fit; masks and text are refused."""
        # SciPy's matrices by keys are mappings, too.
        if (isinstance(X, Mapping) and not issparse(X)) or hasattr(X, "colnames"):
            raise TypeError(
                "X must be an UncertainArray, an array or a data frame; "
                f"got a {type(X).__name__}: uapca.read takes columns by name"
            )
        if np.ma.is_masked(X):
            row, feature = np.argwhere(np.ma.getmaskarray(X))[0]
            raise ValueError(
                f"X must have no masked values; row {row}, feature {feature} is masked: "
                "fill or remove it, or keep it missing with UncertainArray(X, missing='keep')"
            )
        try:
            points = validate_data(
                self,
                X,
                accept_sparse=["csr", "csc"] if sparse else False,
                dtype=[np.float64, np.float32],
                ensure_all_finite=False,
                reset=reset,
            )
        except ValueError:
            text = [c for c in getattr(X, "columns", ()) if isinstance(c, str) and _is_text(X[c])]
            if not text:
                raise
            raise ValueError(
                f"X must hold numbers in every column; {listed(text)} "
                f"{'does' if len(text) == 1 else 'do'} not: uapca.from_frame takes row names and "
                "errors from columns"
            ) from None
        if finite and not issparse(points):
            check_finite(points, "X", ("row", "feature"))
        elif finite and not np.isfinite(points.data).all():
            found = points.tocoo()
            k = int(np.flatnonzero(~np.isfinite(found.data))[0])
            value = "NaN" if np.isnan(found.data[k]) else found.data[k]
            raise ValueError(
                f"X must be finite; got {value} at row {found.row[k]}, feature {found.col[k]}"
            )
        return points

    def _check_features(self, X: UncertainArray) -> None:
        """Raise unless X has the features of the fit, in their order, and all its cells."""
        X.require_complete(type(self).__name__)
        check_features(self, X)


def refuse_errors_as_y(X: Any, y: Any) -> None:
    """Refuse errors that were given as the second argument, which scikit-learn ignores."""
    if y is None:
        return
    points, errors = (
        np.asarray(a, dtype=object).shape if isinstance(a, list) else getattr(a, "shape", ())
        for a in (X, y)
    )
    if len(errors) >= 2 and errors[1] > 1 and tuple(errors[:2]) == tuple(points):
        raise TypeError(
            f"y must be left out; got an array of shape {tuple(errors)}, the shape of errors: "
            f"pass them as {'std' if len(errors) == 2 else 'cov'}=..."
        )


def check_features(fit: Any, X: UncertainArray) -> None:
    """Raise unless X has the features of the fit, in their order."""
    if X.shape[1] != fit.n_features_in_:
        raise ValueError(
            f"X must have the {fit.n_features_in_} features of the fit; got {X.shape[1]}"
        )
    names = getattr(fit, "feature_names_in_", None)
    if names is not None and X.features is not None and tuple(names) != X.features:
        first = next(i for i, name in enumerate(names) if name != X.features[i])
        raise ValueError(
            f"X must have the features of the fit in the same order; feature {first} is "
            f"{X.features[first]!r} instead of {names[first]!r}: select them with "
            "X[:, features]"
        )


@dataclass(frozen=True)
class Rows:
    """How many rows a fit was made of, and what they weighed.

    Attributes
    ----------
    count : int
    weight : float
        The sum of the weights before they were made to sum to 1.
    concentration : float
        Σ w² of weights that sum to 1: one over the effective number of rows.
    observations : int or None
        The sum of the weights, if all are whole numbers: such weights are repetitions of a row,
        and have to give the same components.
    """

    count: int
    weight: float
    concentration: float
    observations: int | None

    @classmethod
    def of(cls, weights: Doubles | None, total: float, n: int) -> Rows:
        """N rows whose weights sum to 1, as `weights_from` returns them, and had a sum before."""
        if weights is None:
            return cls(n, total, 1.0 / n, n)
        with np.errstate(over="ignore"):
            counts = weights * total
        whole = 1.0 <= total < 2.0**53 and np.allclose(counts, np.round(counts), rtol=1e-9, atol=0)
        observations = int(np.round(counts).sum()) if whole else None
        return cls(n, total, float(weights @ weights), observations)

    def bound(self, d: int, certain: bool) -> int:
        """The largest number of components: D, of certain rows min(N, D)."""
        known = self.count if self.observations is None else self.observations
        return min(known, d) if certain else d

    def divisor(self, ddof: object) -> float:
        """What a population covariance is divided by: (N − ddof) / N, or 1 − ddof Σ w²."""
        if isinstance(ddof, bool) or not isinstance(ddof, Real) or not 0.0 <= float(ddof) < np.inf:
            raise ValueError(f"ddof must be a number, zero or positive; got {shown(ddof)}")
        result = 1.0 - float(ddof) * self.concentration
        if result <= 1e-12:
            raise ValueError(
                "ddof must be smaller than the effective number of rows, 1 / Σ w²; "
                f"got {shown(ddof)} for {1.0 / self.concentration:.3g}"
            )
        return result


def all_or_nothing(fit: F) -> F:
    """A ``fit`` that leaves the estimator as it was if it fails."""

    @wraps(fit)
    def careful(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(vars(self))
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return cast(F, careful)


def between_covariance(X: UncertainArray | SparsePoints) -> tuple[Doubles, Doubles]:
    """μ and C, the covariance of the means."""
    if isinstance(X, SparsePoints):
        return X.mean, X.covariance()
    mean, between = moments(X.mean, X.given_weights)
    return _finite(X, mean), between


def feature_variances(X: UncertainArray | SparsePoints) -> tuple[Doubles, Doubles, Doubles]:
    """μ and the diagonals of C and Ψ̄, without a D × D matrix."""
    if isinstance(X, SparsePoints):
        return X.mean, X.variances(), np.zeros(X.shape[1])
    # Measured from one of the rows, so that a common offset costs no digits.
    first = X.mean[int(X.weights.argmax())].astype(np.float64)
    shift, between = np.zeros_like(first), np.zeros_like(first)
    with np.errstate(over="ignore", invalid="ignore"):
        for block in row_blocks(*X.shape):
            shift += X.weights[block] @ (X.mean[block] - first)
        for block in row_blocks(*X.shape):
            between += X.weights[block] @ np.square(X.mean[block] - first - shift)
        within = X.cov.average_diagonal(X.given_weights)
    return _finite(X, first + shift), between, within


def _finite(X: UncertainArray, mean: Doubles) -> Doubles:
    """The mean of all rows, which shows at no cost whether all of them are finite."""
    if not np.isfinite(mean).all():
        check_finite(X.mean, "X", ("row", "feature"))
        raise ValueError(out_of_range("X"))
    return mean


def feature_units(mean: Doubles, between: Doubles, within: Doubles, n: int) -> Doubles:
    """Total standard deviations of the features of N rows; 1 for a feature that does not vary."""
    if not np.isfinite(between + within).all():
        raise ValueError(out_of_range("X"))
    # What rounding can leave of the spread of means that are all the same.
    noise = n * np.finfo(float).eps
    with np.errstate(over="ignore"):  # a square that overflows is above any variance
        still = between <= noise * between + np.square(noise * mean)
    variances = np.where(still, 0.0, between) + within
    return np.where(variances > 0.0, np.sqrt(variances), 1.0)


def varies(
    X: UncertainArray | SparsePoints, center: Doubles, columns: slice | Integers = slice(None)
) -> bool:
    """Whether features differ from their mean by more than rounding leaves."""
    if isinstance(X, SparsePoints):
        return bool(X.points[:, columns].data.any())
    noise = len(X) * np.finfo(float).eps * np.abs(center[columns])
    return bool((np.abs(X.mean[:, columns] - center[columns]) > noise).any())


def check_underflow(X: UncertainArray | SparsePoints, center: Doubles, variances: Doubles) -> None:
    """Raise if a feature varies, but by so little that its squares vanish."""
    small = np.flatnonzero(variances < SMALLEST)
    if len(small) and (
        varies(X, center, small) or any(kept.any() for kept in X.cov.select(small).arrays.values())
    ):
        raise ValueError(out_of_range("X", "underflows"))


def _warn_of_columns(names: Sequence[str], points: Any) -> None:
    """Warn of features that are named like the errors of others, and of those that count rows."""
    counting = counting_columns(points) if len(names) else []
    counters = [
        name
        for j, name in enumerate(names)
        if j in counting or COUNTER.fullmatch(name) or IDENTIFIER.fullmatch(name)
    ]
    errors = {column: value for column, value, _ in error_columns(names)}
    reasons = {
        "seems to count or identify the rows: UAPCA().fit(uapca.read(df)) leaves such columns "
        "out": counters,
        f"is named like the errors of {next(iter(errors.values()), None)!r}: "
        "UAPCA().fit(uapca.from_frame(df)) uses such columns as errors": [*errors],
    }
    for reason, found in reasons.items():
        if found:
            taken = "is taken for a feature" if len(found) == 1 else "are taken for features"
            warnings.warn(
                f"{listed(found)} {taken}, but {found[0]!r} {reason}",
                ErrorColumnWarning,
                stacklevel=5,
            )


def _is_text(column: Any) -> bool:
    try:
        np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        return True
    return False
