"""Objects of other libraries as laws: SciPy's random variables, or any mean and covariance."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable
from functools import cached_property, lru_cache, partial
from math import sqrt
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats, plural, rng_from
from uapca.laws.density import Lattice
from uapca.laws.marginals import (
    Independent,
    Marginal,
    NormalMarginal,
    Point,
    Trapezoid,
    Triangular,
    Uniform,
    as_marginal,
)
from uapca.laws.normal import Normal, checked_moments, mapped_moments
from uapca.laws.protocol import Law, Seed, finite, unchecked
from uapca.laws.samples import Samples

__all__ = [
    "KnownMoments",
    "Variable",
    "as_law",
    "frozen_parameters",
    "is_variable",
    "marginal_from_variable",
]

#: Draws that stand for a law that can only be sampled.
DRAWS = 20_000

Sampler = Callable[[int, np.random.Generator], Any]


class Variable(Marginal):
    """``factor * x + shift`` for a SciPy random variable x of finite variance.

    Moments, density and samples are SciPy's.

    Parameters
    ----------
    rv : scipy.stats frozen distribution, or random variable of SciPy's new interface
    factor, shift : float, optional

    See Also
    --------
    uapca.laws.Independent : A row of independent values.

    Examples
    --------
    >>> from scipy import stats
    >>> waiting = Variable(stats.gamma(3.0, scale=2.0))
    >>> waiting.mean, waiting.var
    (6.0, 12.0)
    """

    kind: ClassVar[str] = "scipy"

    def __init__(self, rv: Any, factor: float = 1.0, shift: float = 0.0) -> None:
        self.rv = rv
        self.factor: float = finite(factor, "factor")
        self.shift: float = finite(shift, "shift")
        if self.factor == 0:
            raise ValueError("factor must not be zero; use Point(shift) for a certain value")
        self.discrete: bool = _is_discrete(rv)
        center, spread = self._ask("mean"), self._ask("var variance")
        if center.ndim:
            raise ValueError(
                "a marginal must be the law of one number; "
                f"{self.name} has parameters of shape {center.shape}"
            )
        if not (np.isfinite(center) and np.isfinite(spread)):
            raise ValueError(
                "a marginal must have a finite mean and variance; "
                f"{self.name} has mean {center} and variance {spread}, truncate it or pass samples"
            )
        self._moments = float(center), float(spread)

    def _ask(self, names: str, *args: Any, **more: Any) -> Floats:
        """The answer of SciPy's method, which the new interface may call by another name."""
        method = next(getattr(self.rv, name) for name in names.split() if hasattr(self.rv, name))
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.asarray(method(*args, **more), dtype=np.float64)

    @property
    def name(self) -> str:
        """What SciPy calls the variable, with its parameters."""
        if hasattr(self.rv, "dist"):
            given = [f"{value!r}" for value in map(_plain, self.rv.args)]
            given += [f"{key}={_plain(value)!r}" for key, value in self.rv.kwds.items()]
            return f"{self.rv.dist.name}({', '.join(given)})"
        return str(self.rv)

    @property
    def mean(self) -> float:  # type: ignore[override]
        return self.factor * self._moments[0] + self.shift

    @property
    def var(self) -> float:  # type: ignore[override]
        return self.factor**2 * self._moments[1]

    @cached_property
    def cumulants(self) -> tuple[float, float]:  # type: ignore[override]
        if hasattr(self.rv, "stats"):
            found = self._ask("stats", moments="sk")
        else:
            found = np.array([self._ask("skewness"), self._ask("kurtosis", convention="excess")])
        std = self.factor * sqrt(self._moments[1])
        cumulants = found * (std**3, std**4)
        # SciPy's skewness and kurtosis are NaN where a moment diverges.
        third, fourth = np.where(np.isnan(cumulants), np.inf, cumulants).tolist()
        return third, fourth

    def pdf(self, x: npt.ArrayLike) -> Floats:
        if self.discrete:
            raise ValueError(f"a discrete law has no density; this one is {self}")
        z = (np.asarray(x, dtype=np.float64) - self.shift) / self.factor
        return self._ask("pdf", z) / abs(self.factor)

    def cdf(self, x: npt.ArrayLike) -> Floats:
        z = (np.asarray(x, dtype=np.float64) - self.shift) / self.factor
        found = self._ask("cdf" if self.factor > 0 else "sf ccdf", z)
        if self.discrete and self.factor < 0:
            found = found + self._ask("pmf", z)
        # SciPy's laws on the circle exceed 1 beyond one turn.
        return np.clip(found, 0.0, 1.0)

    def ppf(self, q: npt.ArrayLike) -> Floats:
        q = np.asarray(q, dtype=np.float64)
        p = q if self.factor > 0 else 1 - q
        try:
            places = self._ask("ppf icdf", p)
        except ValueError:  # some of SciPy's root finders fail near 1, and take one value at a time
            found = [
                self._ask("ppf", a) if a < 0.5 else self._ask("isf", 1 - a)
                for a in p.ravel().tolist()
            ]
            places = np.reshape(found, p.shape)
        return self.shift + self.factor * places

    @cached_property
    def quantiles(self) -> tuple[Floats, Floats]:
        # SciPy's quantile functions are slow: equal variables share one table.
        probs, places = _quantile_table(self._moved(1.0, 0.0))
        if self.factor > 0:
            return probs, self.factor * places
        return 1 - probs[::-1], self.factor * places[::-1]

    def affine(self, a: float, b: float = 0.0) -> Marginal:
        if a == 0:
            return Point(b)
        return self._moved(a * self.factor, a * self.shift + b)

    def _moved(self, factor: float, shift: float) -> Variable:
        """The same variable with another factor and shift; its moments may be slow to find."""
        same = {"rv": self.rv, "discrete": self.discrete, "_moments": self._moments}
        return unchecked(Variable, factor=factor, shift=shift, **same)

    def sample(self, n: int, rng: Seed = None) -> Floats:
        generator = rng_from(rng)
        if hasattr(self.rv, "rvs"):
            values = self.rv.rvs(size=n, random_state=generator)
        else:
            values = self.rv.sample((n,), rng=generator)
        return self.shift + self.factor * np.asarray(values, dtype=np.float64)

    def atoms(self) -> tuple[Floats, Floats]:
        low, high = self.rv.ppf([1e-14, 1 - 1e-14])
        x = np.arange(np.floor(low), np.ceil(high) + 1)
        if hasattr(self.rv, "dist") and hasattr(self.rv.dist, "xk"):
            x = np.asarray(self.rv.dist.xk, dtype=np.float64)
        mass = np.asarray(self.rv.pmf(x), dtype=np.float64)
        return self.factor * (x - self._moments[0]), mass / mass.sum()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Variable):
            return NotImplemented
        same = self.rv is other.rv or (
            type(self.rv) is type(other.rv) and _identity(self.rv) == _identity(other.rv)
        )
        return same and (self.factor, self.shift) == (other.factor, other.shift)

    def __hash__(self) -> int:
        return hash((self.name, self.factor, self.shift))

    def __repr__(self) -> str:
        moved = "" if (self.factor, self.shift) == (1, 0) else f", {self.factor!r}, {self.shift!r}"
        return f"Variable({self.name}{moved})"

    __str__ = __repr__


@lru_cache(maxsize=256)
def _quantile_table(variable: Variable) -> tuple[Floats, Floats]:
    return Marginal.quantiles.func(variable)  # type: ignore[attr-defined,no-any-return]


def is_variable(obj: Any) -> bool:
    """Whether `obj` is a univariate random variable of SciPy, by its methods."""
    # Frozen distributions, and those of the new interface.
    known = ("dist", "args", "ppf"), ("icdf", "variance", "sample")
    return any(all(hasattr(obj, name) for name in names) for names in known)


def marginal_from_variable(rv: Any) -> Marginal:
    """Our own marginal where there is one for this random variable, otherwise a `Variable`."""
    wrapped = Variable(rv)
    if hasattr(rv, "dist"):
        name, given = rv.dist.name, frozen_parameters(rv)
    else:
        # The new interface has classes instead of names, which users may give to their own.
        named = type(rv).__module__.startswith("scipy.stats")
        name, given = type(rv).__name__ if named else "", {"scale": wrapped.std}
    if name in ("norm", "Normal"):
        return NormalMarginal(wrapped.mean, given["scale"])
    if name not in ("uniform", "Uniform", "triang", "trapezoid", "trapz"):
        return wrapped
    low, high = map(float, rv.support())
    inner = [low + given[key] * given["scale"] for key in "cd" if key in given]
    kinds: list[Callable[..., Marginal]] = [Uniform, Triangular, Trapezoid]
    return kinds[len(inner)](low, *inner, high)


def frozen_parameters(rv: Any) -> dict[str, float]:
    """Shape parameters, loc and scale of a frozen distribution, by name."""
    names = [*re.findall(r"\w+", rv.dist.shapes or ""), "loc", "scale"]
    given = dict(zip(names, rv.args, strict=False)) | rv.kwds
    defaults = {"loc": 0.0} if _is_discrete(rv) else {"loc": 0.0, "scale": 1.0}
    return defaults | {key: _plain(value) for key, value in given.items()}


def _plain(value: Any) -> Any:
    return (
        value.item() if isinstance(value, (np.generic, np.ndarray)) and value.size == 1 else value
    )


def _is_discrete(rv: Any) -> bool:
    if hasattr(rv, "dist"):
        return hasattr(rv.dist, "pmf")
    return any(base.__name__ == "DiscreteDistribution" for base in type(rv).__mro__)


def _identity(rv: Any) -> Any:
    if not hasattr(rv, "dist"):
        return repr(rv)
    if hasattr(rv.dist, "xk"):
        return tuple(map(float, rv.dist.xk)), tuple(map(float, rv.dist.pk))
    named = type(getattr(sys.modules.get("scipy.stats"), rv.dist.name or "", None))
    if not issubclass(type(rv.dist), named):
        return id(rv.dist)  # a histogram or a user's own law: name and parameters are not enough
    return type(rv.dist).__name__, rv.dist.name, sorted(frozen_parameters(rv).items())


class KnownMoments(Law):
    """A law known by its mean and covariance, such as an object of another library.

    Mean and covariance are exact. Density and regions are estimates: with a `sampler` those
    of 20,000 draws with a fixed seed, moved to have the exact mean and covariance (the density by
    a Gaussian kernel, see `Samples`); without one those of the normal law with this mean and
    covariance. `describe` says which.

    Parameters
    ----------
    mean : array-like of shape (D,)
    cov : array-like of shape (D, D)
    sampler : callable, optional
        ``sampler(n, rng)`` returns an array of shape (n, D); `rng` is a numpy.random.Generator.
    name : str, optional
        What to call the law in descriptions.

    See Also
    --------
    uapca.laws.as_law : Makes one of a foreign object.
    uapca.laws.Samples : A law given by draws.

    Examples
    --------
    >>> KnownMoments([0.0], [[2.0]]).describe()
    'law of 1 dimension known by mean and covariance, drawn as normal'
    """

    fields: ClassVar[tuple[str, ...]] = ("mean", "cov", "name")

    def __init__(
        self,
        mean: npt.ArrayLike,
        cov: npt.ArrayLike,
        sampler: Sampler | None = None,
        name: str = "law",
    ) -> None:
        self.mean, self.cov = checked_moments(mean, cov)
        self.sampler = sampler
        self.name = name

    def __eq__(self, other: object) -> bool:
        # Two samplers are the same law if their draws are.
        same = super().__eq__(other)
        return (
            same and self._stand_in == cast("KnownMoments", other)._stand_in
            if same is True
            else same
        )

    def describe(self) -> str:
        how = (
            "drawn as normal"
            if self.sampler is None
            else f"density by a Gaussian kernel on {DRAWS} draws"
        )
        return f"{self.name} of {plural(self.dim, 'dimension')} known by mean and covariance, {how}"

    @cached_property
    def _stand_in(self) -> Law:
        """The law that densities are taken from."""
        if self.sampler is None:
            return Normal(self.mean, self.cov)
        if isinstance(self.sampler, partial) and self.sampler.func is _mapped_draws:
            # The same draws, so that images agree with each other.
            source, A, b = self.sampler.args
            return cast("KnownMoments", source)._stand_in.affine(A, b)
        draws = self._sample(DRAWS, np.random.default_rng(0))
        deviation = draws - draws.mean(axis=0)
        moved = deviation @ _power(deviation.T @ deviation / DRAWS, -0.5) @ _power(self.cov, 0.5)
        return Samples(self.mean + moved)

    def _affine(self, A: Floats, b: Floats) -> KnownMoments:
        moments = mapped_moments(self, A, b)
        sampler = self.sampler and partial(_mapped_draws, self, A, b)
        return unchecked(KnownMoments, name=self.name, sampler=sampler, **moments)

    def _sample(self, n: int, rng: np.random.Generator) -> Floats:
        if self.sampler is None:
            return Normal(self.mean, self.cov)._sample(n, rng)
        draws = np.asarray(self.sampler(n, rng), dtype=np.float64)
        if draws.shape == (n,) and self.dim == 1:
            draws = draws[:, None]
        if draws.shape != (n, self.dim):
            raise ValueError(
                f"sampler must return shape ({n}, {self.dim}); "
                f"{self.name} returned shape {draws.shape}"
            )
        return draws

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
    source: KnownMoments, A: Floats, b: Floats, n: int, rng: np.random.Generator
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

    See Also
    --------
    uapca.from_distributions : A table of such rows.
    uapca.laws.as_marginal : The same for one value.

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
            f"a law must be one uncertain row; got an array of shape {obj.shape}, "
            "use Samples(array) if its rows are samples"
        )
    kind = type(obj).__name__
    if kind == "multivariate_normal_frozen":
        return Normal(obj.mean, obj.cov)
    if kind == "multivariate_t_frozen":
        return _foreign(obj)
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


def _foreign(obj: Any) -> Law:
    """A law from an object with `mean` and `cov` as attributes or methods, or a multivariate t."""
    name = type(obj).__name__.removesuffix("_frozen").removesuffix("_gen")
    if name == "multivariate_t":
        if not obj.df > 2:
            raise ValueError(
                f"a multivariate t law must have more than 2 degrees of freedom; df={obj.df:g} has "
                "an infinite covariance"
            )
        factor = 1.0 if np.isinf(obj.df) else obj.df / (obj.df - 2)
        mean, cov, name = obj.loc, np.asarray(obj.shape) * factor, f"{name}(df={obj.df:g})"
    else:
        found = obj.mean, obj.cov if hasattr(obj, "cov") else obj.covariance
        with np.errstate(all="ignore"):
            mean, cov = (value() if callable(value) else value for value in found)
    sampled = hasattr(obj, "rvs") or hasattr(obj, "sample")
    return KnownMoments(mean, cov, partial(_draws, obj) if sampled else None, name)


def _draws(obj: Any, n: int, rng: np.random.Generator) -> Any:
    """Draws through ``rvs(size, random_state)`` (SciPy) or ``sample(n, seed)`` (UADAPy)."""
    if hasattr(obj, "rvs"):
        return obj.rvs(size=n, random_state=rng)
    return obj.sample(n, seed=int(rng.integers(2**31)))
