"""SciPy random variables as marginals: frozen ones and those of SciPy's new interface."""

from __future__ import annotations

import sys
import warnings
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats, complaint, rng_from
from uapca.laws.chirp import Comb
from uapca.laws.marginal import Gaussian, Marginal, Point
from uapca.laws.trapezoid import Trapezoid, Triangular, Uniform
from uapca.laws.waves import Complexes, Frequencies, Lattice, cubics, interpolated, sinc

__all__ = ["Variable", "frozen_parameters", "is_variable", "marginal_from_variable"]

#: Tail probabilities at which the runs of histogram cells begin and end, and cells in a tail run.
TAILS = (1e-8, 1e-5, 5e-4, 1e-2)
TAIL_CELLS = 32
CORE_CELLS = 256
#: Frequencies in the table that stands in for the characteristic function on a lattice.
TABLE = 2048
#: Phase of the outermost values between two of them.
FINE = 1.0
#: Tails are heavy where the outermost 1e-5 lie beyond this number of standard deviations. A density
#: has an edge where it ends at more than this, and a pole at more than that, standardized.
HEAVY = 20.0
EDGE, POLE = 0.05, 5.0
#: A core is narrow where all but 1e-7 on each side is longer than this many cores.
LONG = 600.0


class Variable(Marginal):
    """``factor * x + shift`` for a SciPy random variable x of finite variance.

    Moments, density and samples are SciPy's. Inside sums with other marginals the law is replaced
    by a histogram of 448 cells that hold exact probabilities.

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

    def __init__(self, rv: Any, factor: float = 1.0, shift: float = 0.0) -> None:
        self.rv, self.factor, self.shift = rv, float(factor), float(shift)
        self.discrete = _is_discrete(rv)
        self._table: tuple[float, Complexes] | None = None
        self._asked: tuple[Floats, Floats] | None = None
        if np.ndim(rv.mean()) > 0:
            raise ValueError(
                complaint(
                    "a marginal",
                    "be the law of one number",
                    f"{self.name} has parameters of shape {np.shape(rv.mean())}",
                    "Pass one random variable for each feature",
                )
            )
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            centre = float(rv.mean())
            spread = float(rv.var() if hasattr(rv, "var") else rv.variance())
        if not (np.isfinite(centre) and np.isfinite(spread)):
            raise ValueError(
                complaint(
                    "a marginal",
                    "have a finite mean and variance",
                    f"{self.name} has mean {centre} and variance {spread}",
                    "PCA needs second moments: truncate the law, choose one with lighter tails, "
                    "or pass samples of it",
                )
            )
        self._moments = centre, spread

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

    @property
    def light(self) -> bool:
        return False

    def pdf(self, x: npt.ArrayLike) -> Floats:
        if self.discrete:
            raise ValueError(
                complaint(
                    "density",
                    "be asked of a continuous law",
                    f"{self} sits on separate values",
                    "Draw its probabilities as bars",
                )
            )
        with np.errstate(all="ignore"):
            value = self.rv.pdf((np.asarray(x, dtype=np.float64) - self.shift) / self.factor)
        return np.asarray(value) / abs(self.factor)

    def deviation_pdf(self, x: Floats) -> Floats:
        # Beside a pole at the end of the support, rounding would decide between zero and infinity.
        low, high = sorted(self.factor * float(end) + self.shift for end in self.rv.support())
        grain = 32 * np.finfo(np.float64).eps * max(abs(self.mean), self.std)
        x = self.mean + x
        x = np.where(np.abs(x - low) < grain, low + grain, x)
        return self.pdf(np.where(np.abs(x - high) < grain, high - grain, x))

    def cdf(self, x: npt.ArrayLike) -> Floats:
        z = (np.asarray(x, dtype=np.float64) - self.shift) / self.factor
        if self.factor > 0:
            return np.asarray(self.rv.cdf(z))
        upper = self.rv.sf if hasattr(self.rv, "sf") else self.rv.ccdf
        at = self.rv.pmf(z) if self.discrete else 0.0
        return np.asarray(upper(z) + at)

    def probabilities(self, deviations: Floats) -> Floats:
        """Of values up to the mean and `deviations`; kept, as the same are often asked again."""
        if self._asked is None or not np.array_equal(self._asked[0], deviations):
            self._asked = deviations, self.cdf(self.mean + deviations)
        return self._asked[1]

    def ppf(self, q: npt.ArrayLike) -> Floats:
        q = np.asarray(q, dtype=np.float64)
        return self.shift + self.factor * self._quantiles(q if self.factor > 0 else 1 - q)

    def _quantiles(self, q: npt.ArrayLike) -> Floats:
        """Of rv."""
        inverse = self.rv.ppf if hasattr(self.rv, "ppf") else self.rv.icdf
        with np.errstate(all="ignore"):
            return np.asarray(inverse(q), dtype=np.float64)

    def affine(self, a: float, b: float = 0.0) -> Marginal:
        if a == 0:
            return Point(b)
        return Variable(self.rv, a * self.factor, a * self.shift + b)

    def scaled(self, s: float) -> Marginal:
        if s == 1:
            return self
        centre = self.mean
        return Point(centre) if s == 0 else self.affine(s, (1 - s) * centre)

    def sample(self, n: int, rng: Any = None) -> Floats:
        generator = rng_from(rng)
        if hasattr(self.rv, "rvs"):
            values = self.rv.rvs(size=n, random_state=generator)
        else:
            values = self.rv.sample((n,), rng=generator)
        return self.shift + self.factor * np.asarray(values, dtype=np.float64)

    def cf(self, t: npt.ArrayLike) -> npt.NDArray[np.complex128]:
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

    def centred_cf(self, frequencies: Frequencies) -> Complexes:
        if isinstance(frequencies, Lattice):
            size = np.abs(frequencies.t)
            top = float(size.max())
            if not self._tabulated(top):
                top = max(top, np.finfo(np.float64).tiny)
                self._table = top, cubics(self._cells_cf(Comb(top / (TABLE - 2), TABLE)))
            assert self._table is not None
            size *= (TABLE - 2) / self._table[0]
            result = interpolated(self._table[1], size)
            np.negative(result.imag, where=frequencies.t < 0, out=result.imag)
            return result
        return self._cells_cf(frequencies)

    def _tabulated(self, top: float) -> bool:
        """Whether the table goes up to this frequency, finely enough.

        A plane density asks twice: on a coarse lattice that reaches far, then on the full one.
        """
        if self._table is None or self._table[0] < top:
            return False
        return self._table[0] <= max(1.2 * top, (TABLE - 2) * FINE / self._furthest)

    @cached_property
    def _furthest(self) -> float:
        return float(np.max(np.abs(self.reach(1e-6))))

    def _cells_cf(self, frequencies: Frequencies) -> Complexes:
        centre = self._moments[0]
        if self.discrete:
            x, mass = self._atoms
            return frequencies.sum(self.factor * (x - centre), mass)
        result = np.zeros(frequencies.t.shape, dtype=np.complex128)
        for x, mass, width in self._runs:
            cells = frequencies.sum(self.factor * (x - centre), mass)
            result += cells * sinc(frequencies, abs(self.factor) * width)
        return result

    def reach(self, tail: float) -> tuple[float, float]:
        if self.discrete:
            x = self.factor * (self._atoms[0] - self._moments[0])
            return float(x.min()), float(x.max())
        low, high = (float(value) - self.mean for value in self.ppf([tail, 1 - tail]))
        return low, high

    @cached_property
    def ends(self) -> Floats:
        """Deviations from the mean between which the law lies, finite or not."""
        support = self.factor * (np.array(self.rv.support(), dtype=np.float64) - self._moments[0])
        return np.sort(support)

    def atoms(self) -> tuple[Floats, Floats]:
        if not self.discrete:
            return super().atoms()
        x, mass = self._atoms
        return self.factor * (x - self._moments[0]), mass

    @cached_property
    def roughness(self) -> int:
        """How hard the density is for a Fourier series: 2 for heavy tails or poles, 1 for edges."""
        if self.discrete:
            return 0
        reach = max(np.abs(self.reach(1e-5))) / self.std
        if reach > HEAVY or not self._edge < POLE:
            return 2
        return int(self._edge > EDGE)

    @cached_property
    def sharp(self) -> bool:
        """Whether the density has a pole, or a core too narrow beside its tails for any series."""
        if self.roughness < 2:
            return False
        low, high = self.reach(1e-7)
        return not self._edge < POLE or high - low > LONG * self.core

    @cached_property
    def _edge(self) -> float:
        """Density where the law ends, standardized."""
        with np.errstate(all="ignore"):
            return float(np.max(self.pdf(self.ppf([1e-9, 1 - 1e-9])))) * self.std

    @cached_property
    def _runs(self) -> list[tuple[Floats, Floats, float]]:
        """Histogram of rv: runs of equal cells as (midpoints, masses, width)."""
        levels = np.array([*TAILS, *(1 - tail for tail in TAILS[::-1])])
        edges = self._quantiles(levels)
        counts = [TAIL_CELLS] * (len(TAILS) - 1)
        counts = [*counts, CORE_CELLS, *counts]
        ends = zip(edges[:-1], edges[1:], counts, strict=True)
        runs = [np.linspace(low, high, count + 1) for low, high, count in ends if high > low]
        # All in one call, as SciPy takes long to start.
        held = np.asarray(self.rv.cdf(np.concatenate(runs)), dtype=np.float64)
        parts = np.split(held, np.cumsum([len(cells) for cells in runs])[:-1])
        total = sum(float(part[-1] - part[0]) for part in parts)
        return [
            (0.5 * (cells[1:] + cells[:-1]), np.diff(part) / total, float(cells[1] - cells[0]))
            for cells, part in zip(runs, parts, strict=True)
        ]

    @cached_property
    def _atoms(self) -> tuple[Floats, Floats]:
        """Values of a discrete rv and their probabilities."""
        low, high = self._quantiles([1e-14, 1 - 1e-14])
        x = np.arange(np.floor(low), np.ceil(high) + 1)
        if hasattr(self.rv, "dist") and hasattr(self.rv.dist, "xk"):
            x = np.asarray(self.rv.dist.xk, dtype=np.float64)
        mass = np.asarray(self.rv.pmf(x), dtype=np.float64)
        return x, mass / mass.sum()

    def _nodes(self, top: float) -> tuple[Floats, Floats]:
        """Quadrature nodes and weights of rv that resolve frequencies up to `top`."""
        tails = 10.0 ** np.arange(-15, -1)
        levels = np.concatenate([[0.0], tails, np.arange(0.05, 0.96, 0.05), 1 - tails[::-1], [1.0]])
        edges = np.unique(self._quantiles(levels))
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
            return Gaussian(loc, scale)
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
        return Gaussian(wrapped.mean, float(rv.standard_deviation()))
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
