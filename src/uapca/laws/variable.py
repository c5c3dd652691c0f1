"""SciPy random variables as marginals: frozen ones and those of SciPy's new interface."""

from __future__ import annotations

import sys
import warnings
from functools import cached_property, lru_cache
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats, rng_from
from uapca.laws.marginals import (
    Marginal,
    NormalMarginal,
    Point,
    Trapezoid,
    Triangular,
    Uniform,
)
from uapca.laws.protocol import Complexes, Seed

__all__ = ["Variable", "frozen_parameters", "is_variable", "marginal_from_variable"]


class Variable(Marginal):
    """``factor * x + shift`` for a SciPy random variable x of finite variance.

    Moments, density and samples are SciPy's.

    Parameters
    ----------
    rv : scipy.stats frozen distribution, or random variable of SciPy's new interface
    factor, shift : float, optional

    Examples
    --------
    >>> from scipy import stats
    >>> waiting = Variable(stats.gamma(3.0, scale=2.0))
    >>> waiting.mean, waiting.var
    (6.0, 12.0)
    """

    kind = "scipy"

    def __init__(self, rv: Any, factor: float = 1.0, shift: float = 0.0) -> None:
        self.rv = rv
        self.factor: float = float(factor)
        self.shift: float = float(shift)
        self.discrete: bool = _is_discrete(rv)
        if np.ndim(rv.mean()) > 0:
            raise ValueError(
                "a marginal must be the law of one number; "
                f"{self.name} has parameters of shape {np.shape(rv.mean())}"
            )
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            center = float(rv.mean())
            spread = float(rv.var() if hasattr(rv, "var") else rv.variance())
        if not (np.isfinite(center) and np.isfinite(spread)):
            raise ValueError(
                "a marginal must have a finite mean and variance; "
                f"{self.name} has mean {center} and variance {spread}, truncate it or pass samples"
            )
        self._moments = center, spread

    @property
    def name(self) -> str:
        """What SciPy calls the variable, with its parameters."""
        if hasattr(self.rv, "dist"):
            given = [f"{value!r}" for value in map(_plain, self.rv.args)]
            given += [f"{key}={_plain(value)!r}" for key, value in self.rv.kwds.items()]
            return f"{self.rv.dist.name}({', '.join(given)})"
        return str(self.rv)

    @property
    def mean(self) -> float:
        return self.factor * self._moments[0] + self.shift

    @property
    def var(self) -> float:
        return self.factor**2 * self._moments[1]

    @cached_property
    def cumulants(self) -> tuple[float, float]:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if hasattr(self.rv, "stats"):
                skewness, excess = map(float, self.rv.stats(moments="sk"))
            else:
                skewness = float(self.rv.skewness())
                excess = float(self.rv.kurtosis(convention="excess"))
        std = self.factor * sqrt(self._moments[1])
        # SciPy says NaN where a moment diverges.
        infinite = np.isnan(skewness), np.isnan(excess)
        return (
            np.inf if infinite[0] else skewness * std**3,
            np.inf if infinite[1] else excess * std**4,
        )

    def pdf(self, x: npt.ArrayLike) -> Floats:
        if self.discrete:
            raise ValueError(f"a law on separate values has no density; this one is {self}")
        with np.errstate(all="ignore"):
            value = self.rv.pdf((np.asarray(x, dtype=np.float64) - self.shift) / self.factor)
        return np.asarray(value) / abs(self.factor)

    def cdf(self, x: npt.ArrayLike) -> Floats:
        z = (np.asarray(x, dtype=np.float64) - self.shift) / self.factor
        with np.errstate(all="ignore"):
            if self.factor > 0:
                found = self.rv.cdf(z)
            else:
                found = (self.rv.sf if hasattr(self.rv, "sf") else self.rv.ccdf)(z)
                found = found + (self.rv.pmf(z) if self.discrete else 0.0)
        # A law on the circle counts on beyond 1.
        return np.clip(np.asarray(found, dtype=np.float64), 0.0, 1.0)

    def ppf(self, q: npt.ArrayLike) -> Floats:
        q = np.asarray(q, dtype=np.float64)
        inverse = self.rv.ppf if hasattr(self.rv, "ppf") else self.rv.icdf
        with np.errstate(all="ignore"):
            found = np.asarray(inverse(q if self.factor > 0 else 1 - q), dtype=np.float64)
        return self.shift + self.factor * found

    @cached_property
    def quantiles(self) -> tuple[Floats, Floats]:
        # SciPy's quantile functions are slow: equal variables share one table.
        probs, places = _quantile_table(Variable(self.rv))
        if self.factor > 0:
            return probs, self.factor * places
        return 1 - probs[::-1], self.factor * places[::-1]

    def affine(self, a: float, b: float = 0.0) -> Marginal:
        if a == 0:
            return Point(b)
        return Variable(self.rv, a * self.factor, a * self.shift + b)

    def scaled(self, s: float) -> Marginal:
        if s == 1:
            return self
        return self.affine(s, (1 - s) * self.mean) if s > 0 else Point(self.mean)

    def sample(self, n: int, rng: Seed = None) -> Floats:
        generator = rng_from(rng)
        if hasattr(self.rv, "rvs"):
            values = self.rv.rvs(size=n, random_state=generator)
        else:
            values = self.rv.sample((n,), rng=generator)
        return self.shift + self.factor * np.asarray(values, dtype=np.float64)

    def cf(self, t: npt.ArrayLike) -> Complexes:
        """Characteristic function by Gauss-Legendre quadrature (a sum where discrete)."""
        points = np.asarray(t, dtype=np.float64)
        top = float(np.max(np.abs(points), initial=0.0)) * abs(self.factor)
        x, mass = self._atoms if self.discrete else self._nodes(top)
        flat = points.ravel()
        values = np.empty(flat.shape, dtype=np.complex128)
        step = max(1, 2_000_000 // len(x))
        for start in range(0, len(flat), step):
            part = flat[start : start + step]
            deviation = np.exp(1j * np.multiply.outer(part, self.factor * (x - self._moments[0])))
            values[start : start + step] = deviation @ mass * np.exp(1j * part * self.mean)
        return values.reshape(points.shape)

    def atoms(self) -> tuple[Floats, Floats]:
        x, mass = self._atoms
        return self.factor * (x - self._moments[0]), mass

    @cached_property
    def _atoms(self) -> tuple[Floats, Floats]:
        """Values of a discrete rv and their probabilities."""
        low, high = self.rv.ppf([1e-14, 1 - 1e-14])
        x = np.arange(np.floor(low), np.ceil(high) + 1)
        if hasattr(self.rv, "dist") and hasattr(self.rv.dist, "xk"):
            x = np.asarray(self.rv.dist.xk, dtype=np.float64)
        mass = np.asarray(self.rv.pmf(x), dtype=np.float64)
        return x, mass / mass.sum()

    def _nodes(self, top: float) -> tuple[Floats, Floats]:
        """Quadrature nodes and weights of rv that resolve frequencies up to `top`."""
        tails = 10.0 ** np.arange(-15, -1)
        levels = np.concatenate([[0.0], tails, np.arange(0.05, 0.96, 0.05), 1 - tails[::-1], [1.0]])
        edges = np.unique(Variable(self.rv).ppf(levels))
        edges = edges[np.isfinite(edges)]
        widths = np.diff(edges)
        # Long tail panels hold next to no mass: they are not refined without limit.
        pieces = np.clip(np.ceil(widths * top / 10), 1, 64).astype(int)
        starts = np.repeat(edges[:-1], pieces)
        width = np.repeat(widths / pieces, pieces)
        starts = starts + width * np.concatenate([np.arange(count) for count in pieces])
        nodes, weights = np.polynomial.legendre.leggauss(16)
        x = starts[:, None] + width[:, None] * (nodes + 1) / 2
        with np.errstate(all="ignore"):
            share = np.asarray(self.rv.pdf(x)) * weights
        # Each panel holds its exact probability; beside a pole of the density it is spread evenly.
        total = share.sum(axis=1)
        share[~(np.isfinite(total) & (total > 0))] = weights
        mass = np.diff(np.asarray(self.rv.cdf(np.append(starts, edges[-1])), dtype=np.float64))
        mass = share * (mass / share.sum(axis=1))[:, None]
        return x.ravel(), (mass / mass.sum()).ravel()

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
    frozen = hasattr(obj, "dist") and hasattr(obj, "args") and hasattr(obj, "ppf")
    new_style = hasattr(obj, "icdf") and hasattr(obj, "variance") and hasattr(obj, "sample")
    return frozen or new_style


def marginal_from_variable(rv: Any) -> Marginal:
    """Our own marginal where there is one for this random variable, otherwise a `Variable`."""
    wrapped = Variable(rv)
    if hasattr(rv, "dist"):
        name, given = rv.dist.name, frozen_parameters(rv)
        loc, scale = given.pop("loc"), given.pop("scale", 1.0)
        if name == "norm":
            return NormalMarginal(loc, scale)
        if name == "uniform":
            return Uniform(loc, loc + scale)
        if name == "triang":
            return Triangular(loc, loc + given["c"] * scale, loc + scale)
        if name in ("trapezoid", "trapz"):
            return Trapezoid(loc, loc + given["c"] * scale, loc + given["d"] * scale, loc + scale)
        return wrapped
    stats: Any = sys.modules.get("scipy.stats")
    kind = type(rv)
    if kind is getattr(stats, "Normal", None):
        return NormalMarginal(wrapped.mean, float(rv.standard_deviation()))
    if kind is getattr(stats, "Uniform", None):
        return Uniform(*map(float, rv.support()))
    return wrapped


def frozen_parameters(rv: Any) -> dict[str, float]:
    """Shape parameters, loc and scale of a frozen distribution, by name."""
    names = [name.strip() for name in (rv.dist.shapes or "").split(",") if name.strip()]
    names.append("loc")
    if not _is_discrete(rv):
        names.append("scale")
    defaults = {"loc": 0.0} if _is_discrete(rv) else {"loc": 0.0, "scale": 1.0}
    given = dict(zip(names, rv.args, strict=False)) | rv.kwds
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
    return type(rv.dist).__name__, rv.dist.name, sorted(frozen_parameters(rv).items())
