"""Anything that describes an uncertain row, as a law."""

from __future__ import annotations

from typing import Any

import numpy as np

from uapca._validation import Floats, complaint, shape_of
from uapca.laws.independent import Independent, as_marginal
from uapca.laws.marginal import Marginal
from uapca.laws.moments import Moments, Sampler
from uapca.laws.normal import Normal
from uapca.laws.protocol import Law
from uapca.laws.variable import is_variable

__all__ = ["as_law"]


def as_law(obj: Any, dim: int | None = None) -> Law:
    """A law from whatever describes one uncertain row.

    Parameters
    ----------
    obj : object
        A law; a marginal, a number or a SciPy random variable (one dimension); a sequence of
        these (independent features); one of SciPy's frozen multivariate distributions; UADAPy's
        distributions; anything with `mean` and `cov` as attributes or methods, sampled through
        its `rvs` or `sample` where it has one.
    dim : int, optional
        The number of dimensions the law must have.

    Returns
    -------
    Law

    Examples
    --------
    >>> from scipy import stats
    >>> as_law([15, stats.uniform(10, 2)])
    Independent([Point(value=15.0), Uniform(low=10.0, high=12.0)])
    >>> as_law(stats.multivariate_normal([0.0, 1.0], [[1.0, 0.0], [0.0, 4.0]]))
    Normal(mean=[0.0, 1.0], cov=[[1.0, 0.0], [0.0, 4.0]])
    """
    law = _law(obj)
    if dim is not None and law.dim != dim:
        raise ValueError(
            complaint(
                "a law",
                f"have {dim} dimensions",
                f"{law.describe()} has {law.dim}",
                "Describe every feature, in the order of the columns",
            )
        )
    return law


def _law(obj: Any) -> Law:
    if isinstance(obj, Law):
        return obj
    if isinstance(obj, Marginal) or is_variable(obj):
        return Independent([obj])
    if isinstance(obj, (list, tuple)) or (isinstance(obj, np.ndarray) and obj.ndim == 1):
        return Independent(obj)
    if isinstance(obj, np.ndarray) and obj.ndim > 1:
        raise TypeError(
            complaint(
                "a law",
                "be one uncertain row",
                f"got an array of shape {shape_of(obj)}",
                "Use Samples(array) if its rows are samples",
            )
        )
    kind = type(obj).__name__
    if kind == "multivariate_normal_frozen":
        return Normal(obj.mean, obj.cov)
    if kind == "multivariate_t_frozen":
        return _student(obj)
    # UADAPy's Distribution is a thin shell around one of SciPy's.
    model = getattr(obj, "model", None)
    if hasattr(obj, "n_dims") and (is_variable(model) or type(model).__name__.endswith("_frozen")):
        return _law(model)
    if hasattr(obj, "mean") and any(hasattr(obj, name) for name in ("cov", "covariance")):
        return _foreign(obj)
    if hasattr(obj, "rvs") or hasattr(obj, "sample"):
        raise TypeError(
            complaint(
                "a law",
                "have a mean and a covariance",
                f"{kind} has neither as attribute or method",
                "Pass Samples(draws) with draws of it instead",
            )
        )
    return Independent([as_marginal(obj)])


def _student(rv: Any) -> Law:
    if not rv.df > 2:
        raise ValueError(
            complaint(
                "a multivariate t law",
                "have more than 2 degrees of freedom",
                f"got df={rv.df:g}, whose covariance is infinite",
                "PCA needs second moments: use a larger df or a normal law",
            )
        )
    factor = 1.0 if np.isinf(rv.df) else rv.df / (rv.df - 2)
    return Moments(
        rv.loc, np.asarray(rv.shape) * factor, _sampler(rv), f"multivariate_t(df={rv.df:g})"
    )


def _foreign(obj: Any) -> Law:
    """A law from an object with `mean` and `cov` as attributes or methods."""
    name = type(obj).__name__.removesuffix("_frozen").removesuffix("_gen")
    mean = _value(obj, "mean")
    cov = _value(obj, "cov" if hasattr(obj, "cov") else "covariance")
    for label, array in (("mean", mean), ("covariance", cov)):
        if not np.all(np.isfinite(array)):
            raise ValueError(
                complaint(
                    "a law",
                    "have a finite mean and covariance",
                    f"the {label} of {name} is {array.tolist()}",
                    "PCA needs second moments: truncate the law, choose one with lighter tails, "
                    "or pass samples of it",
                )
            )
    return Moments(mean, cov, _sampler(obj), name)


def _value(obj: Any, name: str) -> Floats:
    value = getattr(obj, name)
    with np.errstate(all="ignore"):
        return np.asarray(value() if callable(value) else value, dtype=np.float64)


def _sampler(obj: Any) -> Sampler | None:
    if hasattr(obj, "rvs"):
        return _Rvs(obj)
    if hasattr(obj, "sample"):
        return _Sample(obj)
    return None


class _Rvs:
    """Samples through ``rvs(size, random_state)``, SciPy's way."""

    def __init__(self, obj: Any) -> None:
        self.obj = obj

    def __call__(self, n: int, rng: np.random.Generator) -> Any:
        return self.obj.rvs(size=n, random_state=rng)


class _Sample:
    """Samples through ``sample(n, seed)``, UADAPy's way."""

    def __init__(self, obj: Any) -> None:
        self.obj = obj

    def __call__(self, n: int, rng: np.random.Generator) -> Any:
        return self.obj.sample(n, seed=int(rng.integers(2**31)))
