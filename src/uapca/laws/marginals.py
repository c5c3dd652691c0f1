"""Laws of one number, and rows whose features are independent."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from math import pi, sqrt
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from uapca._validation import Floats, plural, rng_from
from uapca.exceptions import DegenerateLawError
from uapca.laws.density import PROMISED, Lattice, spanning_parts, sum_lattice
from uapca.laws.normal import Normal
from uapca.laws.protocol import Law, Seed, finite, frozen_copy

__all__ = [
    "Affine",
    "Independent",
    "Marginal",
    "MarginalLike",
    "NormalMarginal",
    "Point",
    "Trapezoid",
    "Triangular",
    "TwoPieceNormal",
    "Uniform",
    "as_marginal",
]

#: Probabilities of the quantile table of every marginal: geometric in the tails.
_TAILS = np.geomspace(1e-9, 1e-3, 25)
PROBS = np.concatenate(
    [[0.0], _TAILS, np.linspace(1e-3, 0.999, 207)[1:-1], 1 - _TAILS[::-1], [1.0]]
)


class Marginal(ABC):
    """The law of one number.

    ``str(marginal)`` is the text of a table cell, such as ``U(10, 12)``; reading that text back
    gives an equal marginal.

    Attributes
    ----------
    kind : str
        What the law is called in stored files and reports, such as ``"uniform"``.
    discrete : bool
        True where the law sits on separate values, so that it has no density of its own.
    """

    kind: ClassVar[str]
    discrete: bool = False
    #: Letters before the parameters in the text of a cell.
    _letters: ClassVar[str] = ""

    @property
    def parameters(self) -> tuple[float, ...]:
        """What the law was made from: the arguments of its class."""
        return tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]

    @property
    @abstractmethod
    def mean(self) -> float:
        """Expected value."""

    @property
    @abstractmethod
    def var(self) -> float:
        """Variance."""

    @property
    def std(self) -> float:
        """Standard deviation."""
        return sqrt(self.var)

    @property
    @abstractmethod
    def cumulants(self) -> tuple[float, float]:
        """Third and fourth cumulant; infinite where the moment is, NaN where unknown."""

    @property
    def certain(self) -> bool:
        """Whether the law is a single value."""
        return self.var == 0

    @abstractmethod
    def pdf(self, x: npt.ArrayLike) -> Floats:
        """Density at `x`."""

    @abstractmethod
    def cdf(self, x: npt.ArrayLike) -> Floats:
        """Probability of a value up to `x`."""

    @abstractmethod
    def ppf(self, q: npt.ArrayLike) -> Floats:
        """Quantile: the value below which probability `q` lies."""

    @abstractmethod
    def affine(self, a: float, b: float = 0.0) -> Marginal:
        """The law of ``a x + b``."""

    def scaled(self, s: float) -> Marginal:
        """The law with its deviations about the mean multiplied by `s`."""
        return self.affine(s, (1 - s) * self.mean)

    def sample(self, n: int, rng: Seed = None) -> Floats:
        """Draw `n` samples, shape (n,)."""
        return self.ppf(rng_from(rng).random(n))

    @cached_property
    def quantiles(self) -> tuple[Floats, Floats]:
        """A table: probabilities (P,) from 0 to 1, and deviations from the mean (P,).

        Where the support is infinite the table ends at the quantiles of 1e-9 and 1 − 1e-9.
        """
        places = self.ppf(PROBS) - self.mean
        used = np.isfinite(places)
        return PROBS[used], np.maximum.accumulate(places[used])

    def atoms(self) -> tuple[Floats, Floats]:
        """Where discrete: the deviations from the mean that carry mass, and their masses."""
        return np.zeros(1), np.ones(1)

    def __str__(self) -> str:
        return f"{self._letters}({', '.join(map(_number, self.parameters))})"


@dataclass(frozen=True)
class TwoPieceNormal(Marginal):
    """A normal density with one standard deviation below its mode and another above it.

    For asymmetric errors such as ``14 +0.5 -0.3``: 14 is the most likely value.

    Parameters
    ----------
    mode : float
    lower, upper : float
        Standard deviations of the two halves, at least 0.

    See Also
    --------
    uapca.laws.Normal : A normal row or value.

    Examples
    --------
    >>> law = TwoPieceNormal(14, 0.3, 0.5)
    >>> round(law.mean, 4), round(law.var, 4), str(law)
    (14.1596, 0.1645, '14 +0.5 -0.3')
    """

    mode: float
    lower: float
    upper: float
    kind: ClassVar[str] = "two-piece normal"

    def __post_init__(self) -> None:
        _check_finite_fields(self)
        for name in ("lower", "upper"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative; got {getattr(self, name):g}")
            _check_spread(getattr(self, name), name)

    @property
    def _width(self) -> float:
        return self.lower + self.upper

    @property
    def mean(self) -> float:
        return self.mode + sqrt(2 / pi) * (self.upper - self.lower)

    @property
    def var(self) -> float:
        return (1 - 2 / pi) * (self.upper - self.lower) ** 2 + self.lower * self.upper

    @property
    def certain(self) -> bool:
        return self._width == 0

    @property
    def cumulants(self) -> tuple[float, float]:
        if self.certain:
            return 0.0, 0.0
        d = self.upper - self.lower
        third = sqrt(2 / pi) * d * ((4 / pi - 1) * d * d + self.lower * self.upper)
        # Moments about the mode: E|z|^k of a normal z times the k + 1-st powers of both halves.
        shift = sqrt(2 / pi) * d
        m2, m3, m4 = (
            factor * (self.upper ** (k + 1) + (-self.lower) ** k * self.lower) / self._width
            for k, factor in ((2, 1.0), (3, 2 * sqrt(2 / pi)), (4, 3.0))
        )
        central = m4 - 4 * shift * m3 + 6 * shift**2 * m2 - 3 * shift**4
        return third, central - 3 * self.var**2

    def _halves(self, x: npt.ArrayLike) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Standardized distances from the mode, and which are below it."""
        away = np.asarray(x, dtype=np.float64) - self.mode
        below = away < 0
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.nan_to_num(away / np.where(below, self.lower, self.upper), nan=0.0), below

    def pdf(self, x: npt.ArrayLike) -> Floats:
        if self.certain:
            return Point(self.mode).pdf(x)
        z, _ = self._halves(x)
        with np.errstate(under="ignore", over="ignore"):
            return np.asarray(sqrt(2 / pi) / self._width * np.exp(-0.5 * z * z))

    def cdf(self, x: npt.ArrayLike) -> Floats:
        if self.certain:
            return Point(self.mode).cdf(x)
        z, below = self._halves(x)
        tail = 2 * ndtr(-np.abs(z)) / self._width
        return np.asarray(np.where(below, self.lower * tail, 1 - self.upper * tail))

    def ppf(self, q: npt.ArrayLike) -> Floats:
        q = np.asarray(q, dtype=np.float64)
        if self.certain:
            return np.full(q.shape, self.mode)
        below = q * self._width <= self.lower
        half = np.where(below, self.lower, self.upper)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = ndtri(np.minimum(np.where(below, q, 1 - q) * self._width / (2 * half), 0.5))
            away = np.where(below, half, -half) * z
        return np.asarray(self.mode + np.where(np.isnan(away), 0.0, away))

    def affine(self, a: float, b: float = 0.0) -> TwoPieceNormal:
        lower, upper = (self.lower, self.upper) if a >= 0 else (self.upper, self.lower)
        return self._like(a * self.mode + b, abs(a) * lower, abs(a) * upper)

    def _like(self, mode: float, lower: float, upper: float) -> TwoPieceNormal:
        return TwoPieceNormal(mode, lower, upper)

    def __str__(self) -> str:
        return f"{_number(self.mode)} +{_number(self.upper)} -{_number(self.lower)}"


class NormalMarginal(TwoPieceNormal):
    """The marginal that a one-dimensional `Normal` becomes inside an `Independent` law.

    Parameters
    ----------
    mean, std : float

    Examples
    --------
    >>> as_marginal(Normal(14, std=5.7)), str(NormalMarginal(14, 5.7))
    (Normal(14.0, std=5.7), 'N(14, 5.7)')
    """

    kind: ClassVar[str] = "normal"
    _letters = "N"

    def __init__(self, mean: float, std: float) -> None:
        spread = finite(std, "std")
        if spread < 0:
            raise ValueError(f"std must not be negative; got {spread:g}")
        _check_spread(spread, "std")
        super().__init__(finite(mean, "mean"), spread, spread)

    @property
    def var(self) -> float:
        return self.upper**2

    @property
    def std(self) -> float:
        return self.upper

    @property
    def cumulants(self) -> tuple[float, float]:
        return 0.0, 0.0

    def _like(self, mode: float, lower: float, upper: float) -> NormalMarginal:
        return NormalMarginal(mode, upper)

    def sample(self, n: int, rng: Seed = None) -> Floats:
        return self.mode + self.upper * rng_from(rng).standard_normal(n)

    @property
    def parameters(self) -> tuple[float, ...]:
        return self.mode, self.upper

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Normal):
            return other.dim == 1 and self == as_marginal(other)
        return super().__eq__(other)

    def __hash__(self) -> int:
        return super().__hash__()

    def __repr__(self) -> str:
        return f"Normal({self.mode!r}, std={self.upper!r})"

    def __str__(self) -> str:
        return Marginal.__str__(self)


# Gauss quadrature on (0, 1).
_NODES = (np.polynomial.legendre.leggauss(3)[0] + 1) / 2
_WEIGHTS = np.polynomial.legendre.leggauss(3)[1] / 2


class PiecewiseLinear(Marginal):
    """A density that rises on (a, b), is flat on (b, c) and falls on (c, d).

    Everything is computed from the differences of the knots, so a law far from zero is as exact
    as one near it.
    """

    #: Which parameter each of the four knots is, and which knot each parameter.
    _knots: ClassVar[tuple[int, ...]]
    _picks: ClassVar[tuple[int, ...]]

    def __post_init__(self) -> None:
        names = _check_finite_fields(self)
        values = self.parameters
        if any(left > right for left, right in pairwise(values)):
            shown = ", ".join(map(_number, values))
            raise ValueError(f"{', '.join(names)} must not fall; got ({shown})")
        _check_spread(values[-1] - values[0], "the distance of the bounds")

    @cached_property
    def knots(self) -> tuple[float, ...]:
        """a ≤ b ≤ c ≤ d."""
        return tuple(self.parameters[i] for i in self._knots)

    def _from_knots(self, *knots: float) -> Marginal:
        return type(self)(*(knots[i] for i in self._picks))

    @cached_property
    def _lengths(self) -> tuple[float, float, float, float]:
        """Widths of rise, plateau and fall, and the height of the plateau."""
        a, b, c, d = self.knots
        return b - a, c - b, d - c, 2 / ((d - a) + (c - b)) if d > a else np.inf

    @property
    def certain(self) -> bool:
        return self.knots[0] == self.knots[3]

    @property
    def mean(self) -> float:
        return self.knots[0] + self._rise_to_mean

    @cached_property
    def _rise_to_mean(self) -> float:
        a, b, c, d = self.knots
        u, v, w = b - a, c - a, d - a
        return (w * w + v * w + v * v - u * u) / (3 * (w + v - u)) if w > 0 else 0.0

    def _moment(self, order: int) -> float:
        """Central moment; Gauss quadrature with three nodes is exact on each piece."""
        rise, flat, fall, height = self._lengths
        total, start = 0.0, -self._rise_to_mean
        for length, heights in ((rise, _NODES), (flat, np.ones(3)), (fall, 1 - _NODES)):
            if length > 0:
                x = start + length * _NODES
                total += float(height * length * np.sum(_WEIGHTS * heights * x**order))
                start += length
        return total

    @cached_property
    def var(self) -> float:
        return 0.0 if self.certain else self._moment(2)

    @cached_property
    def cumulants(self) -> tuple[float, float]:
        if self.certain:
            return 0.0, 0.0
        return self._moment(3), self._moment(4) - 3 * self.var**2

    def pdf(self, x: npt.ArrayLike) -> Floats:
        if self.certain:
            raise ValueError(f"a certain value has no density; this one is {_number(self.mean)}")
        a, _, _, d = self.knots
        rise, _, fall, height = self._lengths
        x = np.asarray(x, dtype=np.float64)
        up = (x - a) / rise if rise > 0 else np.where(x >= a, 1.0, 0.0)
        down = (d - x) / fall if fall > 0 else np.where(x <= d, 1.0, 0.0)
        return height * np.clip(np.minimum(up, down), 0.0, 1.0)

    def cdf(self, x: npt.ArrayLike) -> Floats:
        x = np.asarray(x, dtype=np.float64)
        a, b, c, d = self.knots
        if self.certain:
            return np.where(x >= a, 1.0, 0.0)
        rise, _, fall, height = self._lengths
        left = np.clip(x - a, 0, rise)
        right = np.clip(d - x, 0, fall)
        total = np.clip(x - b, 0, c - b) * height
        total = total + (height / 2) * (left * left / rise if rise > 0 else 0.0)
        total = total + (height / 2) * (fall - right * right / fall if fall > 0 else 0.0)
        return np.clip(total, 0.0, 1.0)

    def ppf(self, q: npt.ArrayLike) -> Floats:
        q = np.asarray(q, dtype=np.float64)
        if self.certain:
            return np.full(q.shape, self.knots[0])
        a, b, _, d = self.knots
        rise, flat, fall, height = self._lengths
        below = height * rise / 2
        low = a + np.sqrt(2 * rise / height * np.clip(q, 0, below))
        middle = b + np.clip((q - below) / height, 0, flat)
        high = d - np.sqrt(2 * fall / height * np.clip(1 - q, 0, None))
        return np.where(q < below, low, np.where(q <= below + height * flat, middle, high))

    def affine(self, a: float, b: float = 0.0) -> Marginal:
        if a == 0:
            return Point(b)
        return self._from_knots(*sorted(a * knot + b for knot in self.knots))


@dataclass(frozen=True)
class Point(PiecewiseLinear):
    """A certain value.

    Examples
    --------
    >>> Point(15).mean, Point(15).var, str(Point(15))
    (15.0, 0.0, '15')
    """

    value: float
    kind: ClassVar[str] = "point"
    _knots, _picks = (0, 0, 0, 0), (0,)
    discrete = True

    def __str__(self) -> str:
        return _number(self.value)


@dataclass(frozen=True)
class Uniform(PiecewiseLinear):
    """Every value between `low` and `high` is equally likely.

    See Also
    --------
    uapca.laws.Triangular : With a most likely value.
    uapca.laws.Trapezoid : With a flat top.

    Examples
    --------
    >>> Uniform(10, 12).mean, str(Uniform(10, 12))
    (11.0, 'U(10, 12)')
    """

    low: float
    high: float
    kind: ClassVar[str] = "uniform"
    _letters, _knots, _picks = "U", (0, 0, 1, 1), (0, 3)


@dataclass(frozen=True)
class Triangular(PiecewiseLinear):
    """Between `low` and `high`, most likely at `mode`.

    See Also
    --------
    uapca.laws.Uniform : Between two bounds.
    uapca.laws.Trapezoid : With a flat top.

    Examples
    --------
    >>> Triangular(0, 3, 3).mean, str(Triangular(0, 3, 3))
    (2.0, 'Tri(0, 3, 3)')
    """

    low: float
    mode: float
    high: float
    kind: ClassVar[str] = "triangular"
    _letters, _knots, _picks = "Tri", (0, 1, 1, 2), (0, 1, 3)


@dataclass(frozen=True)
class Trapezoid(PiecewiseLinear):
    """Rises from `a` to `b`, flat to `c`, falls to `d`; neighbors may coincide.

    See Also
    --------
    uapca.laws.Uniform : Between two bounds.
    uapca.laws.Triangular : With a most likely value.

    Examples
    --------
    >>> fairly_good = Trapezoid(10, 11, 13, 15)
    >>> abs(fairly_good.mean - 86 / 7) < 1e-14, round(fairly_good.var, 10), str(fairly_good)
    (True, 1.2278911565, 'T(10, 11, 13, 15)')
    """

    a: float
    b: float
    c: float
    d: float
    kind: ClassVar[str] = "trapezoid"
    _letters, _knots, _picks = "T", (0, 1, 2, 3), (0, 1, 2, 3)


#: Whatever `as_marginal` takes; SciPy's random variables have no common type.
MarginalLike: TypeAlias = Any


def as_marginal(obj: MarginalLike, index: int | None = None) -> Marginal:
    """A marginal from a marginal, a number, a one-dimensional `Normal` or a SciPy random variable.

    Examples
    --------
    >>> as_marginal(3)
    Point(value=3.0)
    """
    from uapca.laws.foreign import is_variable, marginal_from_variable  # needs this module

    if isinstance(obj, Marginal):
        return obj
    if isinstance(obj, Normal) and obj.dim == 1:
        return NormalMarginal(float(obj.mean[0]), float(obj.std[0]))
    if isinstance(obj, Independent) and obj.dim == 1:
        return obj.marginals[0]
    if is_variable(obj):
        return marginal_from_variable(obj)
    if not isinstance(obj, (str, bytes)) and np.ndim(obj) == 0:
        try:
            return Point(float(obj))
        except TypeError:
            pass
    place = "a marginal" if index is None else f"marginals[{index}]"
    raise TypeError(
        f"{place} must be a number, a marginal law or a SciPy random variable; got {obj!r}"
    )


class Independent(Law):
    """Independent features, each with a law of its own.

    Densities of projections are exact where one marginal remains on a line or two in the plane,
    and otherwise found on a lattice (`uapca.laws.density`). A region of probability p holds p
    within 2e-3 for all marginals of finite variance whose cores the lattice resolves; `describe`
    of the projected law says where it does not, as with several poles in the plane.

    Parameters
    ----------
    marginals : sequence of D marginals
        Numbers (certain values), `Point`, `Normal` of one dimension, `TwoPieceNormal`, `Uniform`,
        `Triangular`, `Trapezoid`, and SciPy's random variables, frozen or of the new interface.

    See Also
    --------
    uapca.from_distributions : A table of distributions.

    Examples
    --------
    >>> tom = Independent([15, Trapezoid(10, 11, 13, 15), Normal(14, std=5.7), Uniform(14, 16)])
    >>> tom.mean.round(4)
    array([15.    , 12.2857, 14.    , 15.    ])
    >>> tom.describe()
    'independent: 15, T(10, 11, 13, 15), N(14, 5.7), U(14, 16)'
    """

    kind: ClassVar[str] = "independent"
    fields: ClassVar[tuple[str, ...]] = ("marginals",)

    def __init__(self, marginals: Iterable[MarginalLike]) -> None:
        self.marginals: tuple[Marginal, ...] = tuple(
            as_marginal(m, i) for i, m in enumerate(marginals)
        )
        if not self.marginals:
            raise ValueError("marginals must hold at least one law; got none")

    @cached_property
    def mean(self) -> Floats:  # type: ignore[override]
        return frozen_copy([m.mean for m in self.marginals])

    @cached_property
    def cov(self) -> Floats:  # type: ignore[override]
        return frozen_copy(np.diag([m.var for m in self.marginals]))

    @property
    def std(self) -> Floats:
        return np.array([m.std for m in self.marginals])

    @property
    def normal(self) -> bool:
        """Whether all marginals are normal or certain, so that every image is normal."""
        return all(m.kind in ("normal", "point") for m in self.marginals)

    def describe(self) -> str:
        return f"independent: {', '.join(map(str, self.marginals))}"

    def __repr__(self) -> str:
        return f"Independent({list(self.marginals)!r})"

    def _affine(self, A: Floats, b: Floats) -> Law:
        used = A != 0
        if np.all(used.sum(axis=0) <= 1) and np.all(used.sum(axis=1) <= 1):
            # Each result depends on one feature of its own: a selection, permutation or rescaling.
            return Independent(
                self.marginals[np.argmax(row)].affine(float(A[i, np.argmax(row)]), float(b[i]))
                if row.any()
                else Point(b[i])
                for i, row in enumerate(used)
            )
        if self.normal:
            return Normal(self.mean, self.cov).affine(A, b)
        return Affine(self, A, b)

    def _sample(self, n: int, rng: np.random.Generator) -> Floats:
        return np.stack([m.sample(n, rng) for m in self.marginals], axis=1)

    def _cumulants(self, A: Floats) -> tuple[Floats, Floats]:
        third, fourth = np.array([m.cumulants for m in self.marginals]).T
        # Zeros first: a coordinate left out has no say even if its moment is infinite.
        with np.errstate(invalid="ignore"):
            return (
                np.where(A == 0, 0.0, A**3 * third).sum(axis=1),
                np.where(A == 0, 0.0, A**4 * fourth).sum(axis=1),
            )

    @cached_property
    def _lattice(self) -> Lattice:
        return sum_lattice(self.mean, np.eye(self.dim), self.marginals)

    def _require_density(self, what: str) -> None:
        super()._require_density(what)
        _refuse_atoms(np.eye(self.dim), self.marginals)


class Affine(Law):
    """The law of ``A x + b`` for independent marginals x.

    Made by ``law.affine(A, b)``; images of images are composed, never nested.

    Parameters
    ----------
    law : Independent
    A : array-like of shape (q, D)
    b : array-like of shape (q,)

    Examples
    --------
    >>> row = Independent([Uniform(0, 2), Uniform(1, 3), 5.0])
    >>> image = row.affine([[1.0, 1.0, 1.0], [1.0, -1.0, 0.0]])
    >>> image.mean, image.describe()
    (array([ 8., -1.]), 'affine image in 2 dimensions of independent: U(0, 2), U(1, 3), 5')
    """

    kind: ClassVar[str] = "affine"
    fields: ClassVar[tuple[str, ...]] = ("law", "A", "b")
    mean: Floats
    cov: Floats
    A: Floats
    b: Floats

    def __init__(self, law: Independent, A: npt.ArrayLike, b: npt.ArrayLike) -> None:
        self.law = law
        self.A, self.b = map(frozen_copy, law._checked_map(A, b))
        root = self.A * law.std
        self.mean, self.cov = frozen_copy(self.A @ law.mean + self.b), frozen_copy(root @ root.T)

    def describe(self) -> str:
        text = f"affine image in {plural(self.dim, 'dimension')} of {self.law.describe()}"
        try:
            error = self.lattice().error if self.dim <= 2 else 0.0
        except DegenerateLawError:
            error = 0.0
        if error <= PROMISED:
            return text
        return f"{text}; its regions may be off by a probability of {error:.1g}"

    def __repr__(self) -> str:
        return f"Affine({self.law!r}, A={self.A.tolist()}, b={self.b.tolist()})"

    def _affine(self, A: Floats, b: Floats) -> Law:
        return self.law.affine(A @ self.A, A @ self.b + b)

    def _sample(self, n: int, rng: np.random.Generator) -> Floats:
        return self.law._sample(n, rng) @ self.A.T + self.b

    def _cumulants(self, A: Floats) -> tuple[Floats, Floats]:
        return self.law._cumulants(A @ self.A)

    @cached_property
    def _lattice(self) -> Lattice:
        return sum_lattice(self.mean, self.A, self.law.marginals)

    def _noise(self) -> float:
        # A loading of 1e-17 is a zero that rounding missed.
        spread = float(np.max(self.law.std, initial=0.0))
        return max(super()._noise(), 1e-12 * float(np.max(np.abs(self.A), initial=0.0)) * spread)

    def _require_density(self, what: str) -> None:
        super()._require_density(what)
        _refuse_atoms(self.A, self.law.marginals)


def _refuse_atoms(A: Floats, marginals: tuple[Marginal, ...]) -> None:
    """Refuse sums whose continuous parts do not spread over all dimensions."""
    axes = spanning_parts(A, marginals)
    scaled = A[:, axes] * [0.0 if marginals[j].discrete else marginals[j].std for j in axes]
    sizes = np.linalg.svd(scaled, compute_uv=False)
    if len(set(axes)) == len(A) and sizes[-1] > 1e-9 * max(sizes[0], np.finfo(np.float64).tiny):
        return
    atoms = ", ".join(str(m) for m in marginals if m.discrete and not m.certain)
    raise DegenerateLawError(
        f"this law has no density: {atoms} sits on separate values and the continuous marginals "
        f"do not spread over all {plural(len(A), 'dimension')}; draw samples of it"
    )


def _check_spread(spread: float, parameter: str) -> None:
    """Refuse laws whose fourth moments overflow, or whose variances underflow."""
    if spread > 1e75:
        raise ValueError(f"{parameter} must be at most 1e75; got {spread:g}: choose another unit")
    if 0.0 < spread < 1e-150:
        raise ValueError(
            f"{parameter} must be 0 or at least 1e-150; got {spread:g}: choose another unit"
        )


def _check_finite_fields(law: Marginal) -> list[str]:
    """Make the fields of a frozen dataclass finite floats; their names."""
    names = [field.name for field in fields(law)]  # type: ignore[arg-type]
    for name in names:
        object.__setattr__(law, name, finite(getattr(law, name), name))
    return names


def _number(value: float) -> str:
    """The shortest text that reads back as `value`, without a trailing ``.0``."""
    return repr(float(value)).removesuffix(".0")
