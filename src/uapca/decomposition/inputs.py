"""What the estimators accept: UncertainArrays, or arrays and their errors."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.utils.validation import validate_data

from uapca._validation import complaint, listed
from uapca.uncertain import UncertainArray
from uapca.uncertain.checks import covariance_from, weights_from

__all__ = ["all_or_nothing", "as_uncertain", "check_features", "check_width"]


F = TypeVar("F", bound=Callable[..., Any])


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


def as_uncertain(
    estimator: Any,
    X: Any,
    cov: Any,
    std: Any,
    factors: Any,
    weights: Any,
    reset: bool = True,
) -> UncertainArray:
    """What `fit` received as an UncertainArray; remembers the features it came with.

    With ``reset=False`` it must come with the features that are remembered.

    Whether points are finite is left to the caller, whose sums over them tell it for nothing.
    """
    if isinstance(X, UncertainArray):
        if cov is not None or std is not None or factors is not None:
            all_three = {"cov": cov, "std": std, "factors": factors}
            given = [name for name, value in all_three.items() if value is not None]
            raise ValueError(
                complaint(
                    given[0],
                    "be left out where X is an UncertainArray, which has its own errors",
                    "got both",
                    f"Build UncertainArray(X.mean, {given[0]}={given[0]})",
                )
            )
        if not reset:
            check_features(estimator, X)
            return X if weights is None else _weighted(X, weights)
        estimator.n_features_in_ = X.shape[1]
        if X.features is not None:
            estimator.feature_names_in_ = np.array(X.features, dtype=object)
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
        return X if weights is None else _weighted(X, weights)
    try:
        points = validate_data(
            estimator, X, dtype=[np.float64, np.float32], ensure_all_finite=False, reset=reset
        )
    except ValueError:
        _check_text(X)
        raise
    names = getattr(estimator, "feature_names_in_", None)
    errors = covariance_from(cov, std, factors, points.shape, check=True)
    data = UncertainArray(points, errors, features=names, check=False)
    return data if weights is None else _weighted(data, weights)


def _check_text(X: Any) -> None:
    """Raise if columns of a data frame hold no numbers: their names help more than a cell."""
    names = list(getattr(X, "columns", ()))
    text = [str(name) for name in names if isinstance(name, str) and not _is_numeric(X[name])]
    if text:
        raise ValueError(
            complaint(
                "X",
                "hold numbers in every column",
                f"{listed(text)} {'holds' if len(text) == 1 else 'hold'} something else",
                "Drop the columns, or use uapca.from_frame, which takes names of rows and errors "
                "from columns",
            )
        ) from None


def _is_numeric(column: Any) -> bool:
    try:
        np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return True


def check_features(estimator: Any, X: UncertainArray) -> None:
    """Raise unless X has the features the estimator was fitted on, in their order."""
    check_width(estimator, X.shape[1])
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None and X.features is not None and tuple(names) != X.features:
        first = next(i for i, (a, b) in enumerate(zip(names, X.features, strict=True)) if a != b)
        raise ValueError(
            complaint(
                "X",
                "have the features of the fit in the same order",
                f"feature {first} is {X.features[first]!r} instead of {names[first]!r}",
                "Select and order them with X[:, features]",
            )
        )


def check_width(estimator: Any, width: int) -> None:
    """Raise unless there are as many features as in the fit."""
    d = estimator.n_features_in_
    if width != d:
        raise ValueError(
            complaint(
                "X",
                f"have the {d} features of the fit",
                f"got {width}",
                "Select them with X[:, features]",
            )
        )


def _weighted(X: UncertainArray, weights: Any) -> UncertainArray:
    weights_from(weights, len(X), "sample_weight")  # to complain of the parameter by its name
    return X.reweighted(weights)
