"""Laws of one number, and rows whose features are independent."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import pi, sqrt
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from uapca._validation import Doubles, Floats, plural, rng_from
from uapca.laws.density import ACCURACY, Lattice, sum_lattice
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
_TAILS = np.geomspace(1e-9, 0.05, 80)
PROBS = np.concatenate([[0.0], _TAILS, np.linspace(0.05, 0.95, 182)[1:-1], 1 - _TAILS[::-1], [1.0]])
#: Numbers that are drawn at once, so that temporary arrays stay in the cache.
BLOCK = 2**14


class Marginal(ABC):
    """The law of one number.

    ``str(marginal)`` is the text of a table cell, such as ``U(10, 12)``; reading that text back
    gives an equal marginal.

    Attributes
    ----------
    kind : str
        What the law is called in stored files and reports, such as ``"uniform"``.
    discrete : bool
        Whether the law is discrete, so that it has no density of its own.
    mean, var : float
    cumulants : tuple of two floats
        Third and fourth cumulant; infinite where the moment is.

    See Also
    --------
    uapca.laws.Independent : Marginals side by side, the law of a row.
    uapca.laws.as_marginal : A marginal from a number or a SciPy random variable.

    Examples
    --------
    >>> mark = Uniform(10, 12)
    >>> isinstance(mark, Marginal), mark.kind, mark.mean, str(mark)
    (True, 'uniform', 11.0, 'U(10, 12)')
    """

    kind: ClassVar[str]
    discrete: bool = False
    mean: float
    var: float
    cumulants: tuple[float, float]

    @property
    def std(self) -> float:
        """Standard deviation."""
        return sqrt(self.var)

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

    @property
    def merged(self) -> float:
        """Probability so close to a pole that deviations from the mean differ only by rounding.

        Examples
        --------
        >>> from scipy import stats
        >>> round(as_marginal(stats.gamma(0.05)).merged, 2), Uniform(0, 1).merged
        (0.16, 0.0)
        """
        probs, places = self.quantiles
        near = np.diff(places) <= 8 * np.finfo(np.float64).eps * np.abs(places[1:])
        return float(np.diff(probs)[near].sum())

    def atoms(self) -> tuple[Floats, Floats]:
        """Where discrete: the deviations from the mean that carry mass, and their masses."""
        return np.zeros(1), np.ones(1)


class ClosedForm(Marginal):
    """A law whose moments and quantiles are formulas of a few numbers.

    The formulas take arrays as well, so that `Independent` and `sample_rows` evaluate many laws
    at once.
    """

    #: Letters before the parameters in the text of a cell.
    _letters: ClassVar[str] = ""
    #: What the formulas take.
    numbers: tuple[float, ...]

    @property
    def parameters(self) -> tuple[float, ...]:
        """The arguments of its class."""
        return tuple(getattr(self, name) for name in self.__match_args__)  # type: ignore[attr-defined]

    @staticmethod
    @abstractmethod
    def moments(numbers: npt.ArrayLike) -> Sequence[Floats]:
        """Mean, variance, third and fourth cumulant of laws with `numbers` of shape (p, …)."""

    @staticmethod
    @abstractmethod
    def quantile(numbers: npt.ArrayLike, q: Floats) -> Floats:
        """Quantiles of laws with `numbers` of shape (p, …)."""

    @cached_property
    def _moments(self) -> list[float]:
        return list(map(float, self.moments(self.numbers)))

    @property
    def mean(self) -> float:  # type: ignore[override]
        return self._moments[0]

    @property
    def var(self) -> float:  # type: ignore[override]
        return self._moments[1]

    @property
    def cumulants(self) -> tuple[float, float]:  # type: ignore[override]
        return self._moments[2], self._moments[3]

    def ppf(self, q: npt.ArrayLike) -> Floats:
        return self.quantile(self.numbers, np.asarray(q, dtype=np.float64))

    def __str__(self) -> str:
        return f"{self._letters}({', '.join(map(_number, self.parameters))})"

    def _make_finite(self) -> None:
        """Turn the fields of a frozen dataclass into finite floats."""
        for name in self.__match_args__:  # type: ignore[attr-defined]
            object.__setattr__(self, name, finite(getattr(self, name), name))

    def _refuse_certain(self) -> None:
        if self.certain:
            raise ValueError(f"a certain value has no density; this one is {_number(self.mean)}")


@dataclass(frozen=True)
class TwoPieceNormal(ClosedForm):
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
        self._make_finite()
        _check_spread(self.lower, "lower")
        _check_spread(self.upper, "upper")

    @property
    def numbers(self) -> tuple[float, ...]:  # type: ignore[override]
        return self.mode, self.lower, self.upper

    @staticmethod
    def moments(numbers: npt.ArrayLike) -> Sequence[Floats]:
        mode, lower, upper = np.asarray(numbers, dtype=np.float64)
        root, d, product = sqrt(2 / pi), upper - lower, lower * upper
        third = root * d * ((4 / pi - 1) * d * d + product)
        fourth = d * d * (8 / pi * (1 - 3 / pi) * d * d + (3 - 8 / pi) * product)
        return mode + root * d, (1 - 2 / pi) * d * d + product, third, fourth

    @staticmethod
    def quantile(numbers: npt.ArrayLike, q: Floats) -> Floats:
        mode, lower, upper = np.asarray(numbers, dtype=np.float64)
        width = lower + upper
        below = q * width <= lower
        half = np.where(below, lower, upper)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = ndtri(np.minimum(np.where(below, q, 1 - q) * width / (2 * half), 0.5))
            away = np.where(below, half, -half) * z
        # A half of no width has only its mode.
        return np.asarray(mode + np.where(np.isnan(away), 0.0, away))

    def _halves(self, x: npt.ArrayLike) -> tuple[Floats, npt.NDArray[np.bool_], float]:
        """Standardized distances from the mode, which are below it, and the sum of the widths."""
        away = np.asarray(x, dtype=np.float64) - self.mode
        below = away < 0
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            z = np.nan_to_num(away / np.where(below, self.lower, self.upper), nan=0.0)
        return z, below, max(self.lower + self.upper, np.finfo(np.float64).tiny)

    def pdf(self, x: npt.ArrayLike) -> Floats:
        self._refuse_certain()
        z, _, width = self._halves(x)
        with np.errstate(under="ignore", over="ignore"):
            return np.asarray(sqrt(2 / pi) / width * np.exp(-0.5 * z * z))

    def cdf(self, x: npt.ArrayLike) -> Floats:
        z, below, width = self._halves(x)
        tail = 2 * ndtr(-np.abs(z)) / width
        return np.asarray(np.where(below, self.lower * tail, 1 - self.upper * tail))

    def affine(self, a: float, b: float = 0.0) -> TwoPieceNormal:
        lower, upper = (self.lower, self.upper) if a >= 0 else (self.upper, self.lower)
        return TwoPieceNormal(a * self.mode + b, abs(a) * lower, abs(a) * upper)

    def __str__(self) -> str:
        return f"{_number(self.mode)} +{_number(self.upper)} -{_number(self.lower)}"


class NormalMarginal(TwoPieceNormal):
    """The marginal that a one-dimensional `Normal` becomes inside an `Independent` law.

    Parameters
    ----------
    mean, std : float

    See Also
    --------
    uapca.laws.Normal : The normal law of a row.
    uapca.laws.TwoPieceNormal : Different errors below and above.

    Examples
    --------
    >>> as_marginal(Normal(14, std=5.7)), str(NormalMarginal(14, 5.7))
    (Normal(14.0, std=5.7), 'N(14, 5.7)')
    """

    kind: ClassVar[str] = "normal"
    _letters = "N"
    __str__ = ClosedForm.__str__
    __hash__ = TwoPieceNormal.__hash__

    def __init__(self, mean: float, std: float) -> None:
        spread = finite(std, "std")
        _check_spread(spread, "std")
        super().__init__(finite(mean, "mean"), spread, spread)

    @property
    def parameters(self) -> tuple[float, ...]:
        return self.mode, self.upper

    def affine(self, a: float, b: float = 0.0) -> NormalMarginal:
        return NormalMarginal(a * self.mode + b, abs(a) * self.upper)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Normal):
            return other.dim == 1 and self == as_marginal(other)
        return super().__eq__(other)

    def __repr__(self) -> str:
        return f"Normal({self.mode!r}, std={self.upper!r})"


# Gauss quadrature with three nodes on (0, 1), exact for a piece of a density times x⁴; columns are
# the weights on a rise, a plateau and a fall of height 1.
_NODES, _WEIGHTS = (np.polynomial.legendre.leggauss(3) + np.array([[1], [0]])) / 2
_PIECES = _WEIGHTS[:, None] * np.stack([_NODES, np.ones(3), 1 - _NODES], axis=1)


class PiecewiseLinear(ClosedForm):
    """A density that rises on (a, b), is flat on (b, c) and falls on (c, d).

    Everything is computed from the differences of the knots, so a law far from zero is as exact
    as one near it.
    """

    #: Which parameter each of the four knots is, and which knot each parameter.
    _knots: ClassVar[tuple[int, ...]]
    _picks: ClassVar[tuple[int, ...]]

    def __post_init__(self) -> None:
        self._make_finite()
        values = self.parameters
        if any(left > right for left, right in pairwise(values)):
            names, shown = ", ".join(self.__match_args__), ", ".join(map(_number, values))  # type: ignore[attr-defined]
            raise ValueError(f"{names} must not decrease; got ({shown})")
        _check_spread(values[-1] - values[0], "the distance of the bounds")

    @cached_property
    def numbers(self) -> tuple[float, ...]:  # type: ignore[override]
        """The knots a ≤ b ≤ c ≤ d."""
        values = self.parameters
        return tuple(values[i] for i in self._knots)

    @staticmethod
    def moments(numbers: npt.ArrayLike) -> Sequence[Floats]:
        a, b, c, d = np.asarray(numbers, dtype=np.float64)
        u, v, w = b - a, c - a, d - a
        with np.errstate(divide="ignore"):
            height = np.where(w > 0, 2 / (w + (c - b)), 0.0)
        to_mean = height * (w * w + v * w + v * v - u * u) / 6
        lengths = np.array([u, c - b, d - c])
        x = np.array([np.zeros_like(u), u, v]) - to_mean + np.multiply.outer(_NODES, lengths)
        second, third, fourth = (
            height * np.einsum("np,p...,np...->...", _PIECES, lengths, x**k) for k in (2, 3, 4)
        )
        return a + to_mean, second, third, fourth - 3 * second**2

    @staticmethod
    def quantile(numbers: npt.ArrayLike, q: Floats) -> Floats:
        a, b, c, d = np.asarray(numbers, dtype=np.float64)
        rise, flat, fall = b - a, c - b, d - c
        area = np.where(d > a, d - a + flat, 1.0)  # 2 / height
        below, above = rise / area, fall / area
        # What each of the three pieces adds to a.
        x = np.sqrt(rise * area * np.minimum(q, below)) + a
        x += np.clip((q - below) * (area / 2), 0, flat)
        x += fall - np.sqrt(fall * area * np.minimum(1 - q, above))
        return np.asarray(x)

    @cached_property
    def _lengths(self) -> tuple[float, float, float, float]:
        """Widths of rise, plateau and fall, and the height of the plateau."""
        a, b, c, d = self.numbers
        return b - a, c - b, d - c, 2 / ((d - a) + (c - b)) if d > a else 0.0

    def pdf(self, x: npt.ArrayLike) -> Floats:
        self._refuse_certain()
        a, d = self.numbers[0], self.numbers[3]
        rise, _, fall, height = self._lengths
        x = np.asarray(x, dtype=np.float64)
        up = (x - a) / rise if rise > 0 else np.where(x >= a, 1.0, 0.0)
        down = (d - x) / fall if fall > 0 else np.where(x <= d, 1.0, 0.0)
        return height * np.clip(np.minimum(up, down), 0.0, 1.0)

    def cdf(self, x: npt.ArrayLike) -> Floats:
        x = np.asarray(x, dtype=np.float64)
        a, b, _, d = self.numbers
        rise, flat, fall, height = self._lengths
        left, right = np.clip(x - a, 0, rise), np.clip(d - x, 0, fall)
        total = np.clip(x - b, 0, flat)
        total = total + (left * left / rise if rise > 0 else 0.0) / 2
        total = total + (fall - right * right / fall if fall > 0 else 0.0) / 2
        return np.where(x >= d, 1.0, np.clip(height * total, 0.0, 1.0))

    def affine(self, a: float, b: float = 0.0) -> Marginal:
        if a == 0:
            return Point(b)
        knots = sorted(a * knot + b for knot in self.numbers)
        return type(self)(*(knots[i] for i in self._picks))


@dataclass(frozen=True)
class Point(PiecewiseLinear):
    """A certain value.

    See Also
    --------
    uapca.laws.Uniform : An interval.
    uapca.laws.Independent : Marginals side by side, the law of a row.

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

    See Also
    --------
    uapca.laws.as_law : The same for a whole row.

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
    within 2e-3. Where a law is narrower than a cell of the lattice, as with several poles in the
    plane, the region is not the smallest, and where poles are so strong that floating point cannot
    resolve them (a gamma law of shape 0.05), regions may be off by more: `describe` of the
    projected law says so, and how much.

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

    fields: ClassVar[tuple[str, ...]] = ("marginals",)

    def __init__(self, marginals: Iterable[MarginalLike]) -> None:
        self.marginals: tuple[Marginal, ...] = tuple(
            as_marginal(m, i) for i, m in enumerate(marginals)
        )
        if not self.marginals:
            raise ValueError("marginals must hold at least one law; got none")

    @cached_property
    def _families(self) -> list[tuple[type[ClosedForm], npt.NDArray[np.intp], Floats]]:
        """Each family of closed forms, which marginals belong to it (K,), and their numbers."""
        families: tuple[type[ClosedForm], ...] = (PiecewiseLinear, TwoPieceNormal)
        members = [
            (
                family,
                [(i, m.numbers) for i, m in enumerate(self.marginals) if isinstance(m, family)],
            )
            for family in families
        ]
        return [
            (family, np.array([i for i, _ in some]), np.array([numbers for _, numbers in some]).T)
            for family, some in members
            if some
        ]

    @cached_property
    def _variables(self) -> list[tuple[int, Marginal]]:
        """The marginals that are not closed forms."""
        return [(i, m) for i, m in enumerate(self.marginals) if not isinstance(m, ClosedForm)]

    @cached_property
    def _moments(self) -> Floats:
        """Mean, variance and, of closed forms, third and fourth cumulant: shape (4, D)."""
        found = np.empty((4, len(self.marginals)))
        for family, at, numbers in self._families:
            found[:, at] = family.moments(numbers)
        for i, m in self._variables:
            found[:2, i] = m.mean, m.var
        return found

    @cached_property
    def mean(self) -> Floats:  # type: ignore[override]
        return frozen_copy(self._moments[0])

    @cached_property
    def cov(self) -> Floats:  # type: ignore[override]
        return frozen_copy(np.diag(self._moments[1]))

    @property
    def std(self) -> Floats:
        return np.asarray(np.sqrt(self._moments[1]))

    @property
    def normal(self) -> bool:
        """Whether all marginals are normal or certain, so that every image is normal."""
        return all(m.kind in ("normal", "point") for m in self.marginals)

    def __str__(self) -> str:
        return f"independent: {', '.join(map(str, self.marginals))}"

    def describe(self) -> str:
        return str(self) + _caveat(self, np.eye(self.dim), self.marginals)

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
        return sample_rows([self], n, rng)[:, 0]

    def _cumulants(self, A: Floats) -> tuple[Floats, Floats]:
        third, fourth = self._moments[2:]
        for i, m in self._variables:
            third[i], fourth[i] = m.cumulants
        # A coordinate that is left out does not count, even if its moment is infinite.
        with np.errstate(invalid="ignore"):
            return (
                np.where(A == 0, 0.0, A**3 * third).sum(axis=1),
                np.where(A == 0, 0.0, A**4 * fourth).sum(axis=1),
            )

    @cached_property
    def _lattice(self) -> Lattice:
        return sum_lattice(self.mean, np.eye(self.dim), self.marginals)


def sample_rows(laws: Sequence[Law], n: int, rng: np.random.Generator) -> Doubles:
    """Draws of rows, of shape (n, N, D); all closed forms of all rows at once.

    Parameters
    ----------
    laws : sequence of N laws of one dimension D
    n : int
    rng : numpy.random.Generator
    """
    dim = laws[0].dim
    draws = np.empty((n, len(laws), dim))
    columns = draws.reshape(n, len(laws) * dim)
    families: dict[type[ClosedForm], list[tuple[npt.NDArray[np.intp], Floats]]] = {}
    for row, law in enumerate(laws):
        if not isinstance(law, Independent):
            draws[:, row] = law._sample(n, rng)
            continue
        for family, at, numbers in law._families:
            families.setdefault(family, []).append((row * dim + at, numbers))
        for i, m in law._variables:
            draws[:, row, i] = m.sample(n, rng)
    for family, found in families.items():
        at, numbers = (np.concatenate(parts, axis=-1) for parts in zip(*found, strict=True))
        step = max(BLOCK // max(n, 1), 1)
        for some in (slice(i, i + step) for i in range(0, len(at), step)):
            q = rng.random((n, len(at[some])))
            columns[:, at[some]] = family.quantile(numbers[:, some], q)
    return draws


class Affine(Law):
    """The law of ``A x + b`` for independent marginals x.

    Made by ``law.affine(A, b)``; images of images are composed, never nested.

    Parameters
    ----------
    law : Independent
    A : array-like of shape (q, D)
    b : array-like of shape (q,)

    See Also
    --------
    uapca.laws.Independent : The law that is mapped.

    Examples
    --------
    >>> row = Independent([Uniform(0, 2), Uniform(1, 3), 5.0])
    >>> image = row.affine([[1.0, 1.0, 1.0], [1.0, -1.0, 0.0]])
    >>> image.mean, image.describe()
    (array([ 8., -1.]), 'affine image in 2 dimensions of independent: U(0, 2), U(1, 3), 5')
    """

    fields: ClassVar[tuple[str, ...]] = ("law", "A", "b")

    def __init__(self, law: Independent, A: npt.ArrayLike, b: npt.ArrayLike) -> None:
        self.law = law
        self.A, self.b = map(frozen_copy, law._checked_map(A, b))
        root = self.A * law.std
        self.mean, self.cov = frozen_copy(self.A @ law.mean + self.b), frozen_copy(root @ root.T)

    def describe(self) -> str:
        text = f"affine image in {plural(self.dim, 'dimension')} of {self.law}"
        return text + _caveat(self, self.A, self.law.marginals)

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


def _caveat(law: Law, columns: Floats, parts: Sequence[Marginal]) -> str:
    """The limitation of the law's regions that `describe` states, if there is one."""
    try:
        narrow = law.lattice().error > 2 * ACCURACY
    except ValueError:  # of more dimensions, or without a density
        return ""
    used = [m for m, column in zip(parts, columns.T, strict=True) if column.any()]
    merged = float(np.prod([m.merged for m in used if not m.discrete]))
    if merged > 2 * ACCURACY:
        return (
            f"; {merged:.2g} of its probability lies closer to poles than floating point can tell: "
            "regions may be off by as much, and density levels by more"
        )
    if narrow:
        return (
            "; it is narrower in places than a cell of its lattice, so that regions hold their "
            "probability but are not the smallest"
        )
    return ""


def _check_spread(spread: float, parameter: str) -> None:
    """Refuse laws whose fourth moments overflow, or whose variances underflow."""
    if spread < 0:
        raise ValueError(f"{parameter} must not be negative; got {spread:g}")
    if spread > 1e75:
        raise ValueError(f"{parameter} must be at most 1e75; got {spread:g}: choose another unit")
    if 0.0 < spread < 1e-150:
        raise ValueError(
            f"{parameter} must be 0 or at least 1e-150; got {spread:g}: choose another unit"
        )


def _number(value: float) -> str:
    """The shortest text that reads back as `value`, without a trailing ``.0``."""
    return repr(float(value)).removesuffix(".0")
