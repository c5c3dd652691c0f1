"""Foreign objects as laws: whatever has a mean and a covariance, and perhaps draws samples."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats, shape_of
from uapca.laws.density import Lattice
from uapca.laws.marginals import Independent, Marginal, as_marginal
from uapca.laws.normal import Normal, checked_moments
from uapca.laws.protocol import Complexes, Law, plural
from uapca.laws.samples import Samples
from uapca.laws.variable import is_variable

__all__ = ["Moments", "as_law"]

DRAWS = 20_000

Sampler = Callable[[int, np.random.Generator], Any]


class Moments(Law):
    """A law of which mean and covariance are known, as of a foreign object.

    Mean and covariance are exact. Density and characteristic function are estimates: with a
    `sampler` those of 20,000 draws with a fixed seed, moved to have the exact mean and covariance
    (the density by a Gaussian kernel, see `Samples`); without one those of the normal law with
    this mean and covariance. `describe` says which.

    Parameters
    ----------
    mean : array-like of shape (D,)
    cov : array-like of shape (D, D)
    sampler : callable, optional
        ``sampler(n, rng)`` returns an array of shape (n, D); `rng` is a numpy.random.Generator.
    name : str, optional
        What to call the law in descriptions.

    Examples
    --------
    >>> Moments([0.0], [[2.0]]).describe()
    'law of 1 dimension known by mean and covariance, drawn as normal'
    """

    def __init__(
        self,
        mean: npt.ArrayLike,
        cov: npt.ArrayLike,
        sampler: Sampler | None = None,
        name: str = "law",
    ) -> None:
        self._moments = checked_moments(mean, cov)
        self.sampler = sampler
        self.name = name

    @property
    def _parts(self) -> tuple[Any, ...]:
        # Two samplers are the same law if their draws are.
        drawn = self._stand_in if self.sampler is not None else None
        return self.mean, self.cov, self.name, drawn

    def describe(self) -> str:
        how = (
            "drawn as normal"
            if self.sampler is None
            else f"density by a Gaussian kernel on {DRAWS} draws"
        )
        return f"{self.name} of {plural(self.dim, 'dimension')} known by mean and covariance, {how}"

    def __repr__(self) -> str:
        return f"Moments(mean={self.mean.tolist()}, cov={self.cov.tolist()}, name={self.name!r})"

    @cached_property
    def _stand_in(self) -> Law:
        """The law that densities and the characteristic function are taken from."""
        if self.sampler is None:
            return Normal(self.mean, self.cov)
        if isinstance(self.sampler, partial) and self.sampler.func is _mapped_draws:
            # The same draws, so that images agree with each other.
            source, A, b = self.sampler.args
            return cast("Moments", source)._stand_in.affine(A, b)
        draws = self._sample(DRAWS, np.random.default_rng(0))
        deviation = draws - draws.mean(axis=0)
        moved = deviation @ _power(deviation.T @ deviation / DRAWS, -0.5) @ _power(self.cov, 0.5)
        return Samples(self.mean + moved)

    def _affine(self, A: Floats, b: Floats) -> Moments:
        image = Moments.__new__(Moments)
        image._moments = Normal(self.mean, self.cov)._affine(A, b)._moments
        image.name = self.name
        image.sampler = self.sampler and partial(_mapped_draws, self, A, b)
        return image

    def _sample(self, n: int, rng: np.random.Generator) -> Floats:
        if self.sampler is None:
            return Normal(self.mean, self.cov)._sample(n, rng)
        draws = np.asarray(self.sampler(n, rng), dtype=np.float64)
        if draws.shape == (n,) and self.dim == 1:
            draws = draws[:, None]
        if draws.shape != (n, self.dim):
            raise ValueError(
                f"sampler must return shape ({n}, {self.dim}); "
                f"{self.name} returned shape {shape_of(draws)}"
            )
        return draws

    def _cf(self, t: Floats) -> Complexes:
        return self._stand_in._cf(t)

    def _cumulants(self, A: Floats) -> None:
        return None

    @cached_property
    def _lattice(self) -> Lattice:
        return self._stand_in._lattice

    def _density_at(self, points: Floats) -> Floats:
        return self._stand_in._density_at(points)

    def _levels(self, probs: Floats) -> Floats:
        return self._stand_in._levels(probs)


def _mapped_draws(
    source: Moments, A: Floats, b: Floats, n: int, rng: np.random.Generator
) -> Floats:
    return source._sample(n, rng) @ A.T + b


def _power(cov: Floats, exponent: float) -> Floats:
    """A symmetric matrix power; directions without variance stay without."""
    values, vectors = np.linalg.eigh(cov)
    keep = values > 1e-12 * max(float(values[-1]), np.finfo(np.float64).tiny)
    powers = np.where(keep, np.where(keep, values, 1.0) ** exponent, 0.0)
    return np.asarray((vectors * powers) @ vectors.T)


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
            f"a law must have {plural(dim, 'dimension')}; {law.describe()} has {law.dim}"
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
            f"a law must be one uncertain row; got an array of shape {shape_of(obj)}, "
            "use Samples(array) if its rows are samples"
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
            f"a law must have a mean and a covariance; {kind} has neither, "
            "use Samples(draws) with draws of it"
        )
    return Independent([as_marginal(obj)])


def _student(rv: Any) -> Law:
    if not rv.df > 2:
        raise ValueError(
            f"a multivariate t law must have more than 2 degrees of freedom; df={rv.df:g} has an "
            "infinite covariance"
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
                f"a law must have a finite mean and covariance; the {label} of {name} is "
                f"{array.tolist()}"
            )
    return Moments(mean, cov, _sampler(obj), name)


def _value(obj: Any, name: str) -> Floats:
    value = getattr(obj, name)
    with np.errstate(all="ignore"):
        return np.asarray(value() if callable(value) else value, dtype=np.float64)


def _sampler(obj: Any) -> Sampler | None:
    """Draws through ``rvs(size, random_state)`` (SciPy) or ``sample(n, seed)`` (UADAPy)."""
    if hasattr(obj, "rvs"):
        return partial(_rvs, obj)
    return partial(_seeded, obj) if hasattr(obj, "sample") else None


def _rvs(obj: Any, n: int, rng: np.random.Generator) -> Any:
    return obj.rvs(size=n, random_state=rng)


def _seeded(obj: Any, n: int, rng: np.random.Generator) -> Any:
    return obj.sample(n, seed=int(rng.integers(2**31)))
