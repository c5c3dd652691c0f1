"""Laws of one number, and the two simplest: a certain value and a normal one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from uapca._validation import Floats, complaint, rng_from
from uapca.laws.waves import Complexes, Frequencies, Listed

__all__ = ["Gaussian", "Marginal", "Point", "cell_number", "finite"]


class Marginal(ABC):
    """The law of one number.

    ``str(marginal)`` is the text of a table cell, such as ``U(10, 12)``; reading that text back
    gives an equal marginal.
    """

    #: True where the law sits on separate values, so that it has no density of its own.
    discrete = False

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
    def certain(self) -> bool:
        """Whether the law is a single value."""
        return self.var == 0

    @abstractmethod
    def pdf(self, x: npt.ArrayLike) -> Floats:
        """Density at `x`."""

    def deviation_pdf(self, x: Floats) -> Floats:
        """Density at deviations `x` from the mean, which may come with rounding errors."""
        return self.pdf(self.mean + x)

    @abstractmethod
    def cdf(self, x: npt.ArrayLike) -> Floats:
        """Probability of a value up to `x`."""

    @abstractmethod
    def ppf(self, q: npt.ArrayLike) -> Floats:
        """Quantile: the value below which probability `q` lies."""

    @abstractmethod
    def affine(self, a: float, b: float = 0.0) -> Marginal:
        """The law of ``a x + b``."""

    @abstractmethod
    def scaled(self, s: float) -> Marginal:
        """The law with its deviations about the mean multiplied by `s`."""

    @abstractmethod
    def centred_cf(self, frequencies: Frequencies) -> Complexes:
        """Characteristic function of the deviation from the mean."""

    @abstractmethod
    def reach(self, tail: float) -> tuple[float, float]:
        """Deviations from the mean (low, high) beyond which at most `tail` lies on each side."""

    @cached_property
    def core(self) -> float:
        """Half the length of the middle 68 %: says more of a heavy tail than its deviation."""
        low, high = self.ppf(np.array([0.16, 0.84])).tolist()
        return float(high - low) / 2 or self.std

    def atoms(self) -> tuple[Floats, Floats]:
        """Where discrete: the deviations from the mean that carry mass, and their masses."""
        raise TypeError(f"{self} is continuous")

    @property
    def light(self) -> bool:
        """Whether tails fall at least as fast as a normal law's."""
        return True

    def cf(self, t: npt.ArrayLike) -> npt.NDArray[np.complex128]:
        """Characteristic function E[exp(i t x)] at `t`, in the shape of `t`."""
        points = np.asarray(t, dtype=np.float64)
        flat = np.atleast_1d(points)
        values = np.exp(1j * (flat * self.mean)) * self.centred_cf(Listed(flat))
        return np.asarray(values, dtype=np.complex128).reshape(points.shape)

    def sample(self, n: int, rng: Any = None) -> Floats:
        """Draw `n` samples, shape (n,)."""
        return self.ppf(rng_from(rng).random(n))


@dataclass(frozen=True)
class Point(Marginal):
    """A certain value.

    Examples
    --------
    >>> Point(15).mean, Point(15).var, str(Point(15))
    (15.0, 0.0, '15')
    """

    value: float
    discrete = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", finite(self.value, "value"))

    @property
    def mean(self) -> float:
        return self.value

    @property
    def var(self) -> float:
        return 0.0

    def pdf(self, x: npt.ArrayLike) -> Floats:
        raise ValueError(
            complaint(
                "density",
                "be asked of an uncertain law",
                f"{self} is a certain value",
                "Draw it as a point",
            )
        )

    def cdf(self, x: npt.ArrayLike) -> Floats:
        return np.where(np.asarray(x, dtype=np.float64) >= self.value, 1.0, 0.0)

    def ppf(self, q: npt.ArrayLike) -> Floats:
        return np.full(np.shape(q), self.value)

    def affine(self, a: float, b: float = 0.0) -> Point:
        return Point(a * self.value + b)

    def scaled(self, s: float) -> Point:
        return self

    def centred_cf(self, frequencies: Frequencies) -> Complexes:
        return np.ones(frequencies.t.shape, dtype=np.complex128)

    def reach(self, tail: float) -> tuple[float, float]:
        return 0.0, 0.0

    def atoms(self) -> tuple[Floats, Floats]:
        return np.zeros(1), np.ones(1)

    def __str__(self) -> str:
        return cell_number(self.value)


@dataclass(frozen=True)
class Gaussian(Marginal):
    """A normal law of one number.

    Parameters
    ----------
    mean : float
    std : float
        Standard deviation, not variance; at least 0.

    Examples
    --------
    >>> Gaussian(14, 5.7).var, str(Gaussian(14, 5.7))
    (32.49, 'N(14, 5.7)')
    """

    centre: float
    spread: float

    def __init__(self, mean: float, std: float) -> None:
        object.__setattr__(self, "centre", finite(mean, "mean"))
        object.__setattr__(self, "spread", finite(std, "std"))
        if self.spread < 0:
            raise ValueError(
                complaint("std", "be at least 0", f"got {std!r}", "Pass a standard deviation")
            )

    @property
    def mean(self) -> float:
        return self.centre

    @property
    def var(self) -> float:
        return self.spread**2

    @property
    def std(self) -> float:
        return self.spread

    @property
    def certain(self) -> bool:
        return self.spread == 0

    def pdf(self, x: npt.ArrayLike) -> Floats:
        if self.certain:
            return Point(self.centre).pdf(x)
        with np.errstate(under="ignore", over="ignore"):
            z = (np.asarray(x, dtype=np.float64) - self.centre) / self.spread
            return np.exp(-0.5 * z * z) / (self.spread * sqrt(2 * np.pi))

    def cdf(self, x: npt.ArrayLike) -> Floats:
        if self.certain:
            return Point(self.centre).cdf(x)
        return np.asarray(ndtr((np.asarray(x, dtype=np.float64) - self.centre) / self.spread))

    def ppf(self, q: npt.ArrayLike) -> Floats:
        if self.certain:
            return Point(self.centre).ppf(q)
        return np.asarray(self.centre + self.spread * ndtri(np.asarray(q, dtype=np.float64)))

    def affine(self, a: float, b: float = 0.0) -> Gaussian:
        return Gaussian(a * self.centre + b, abs(a) * self.spread)

    def scaled(self, s: float) -> Gaussian:
        return Gaussian(self.centre, s * self.spread)

    def centred_cf(self, frequencies: Frequencies) -> Complexes:
        exponent = frequencies.t * self.spread
        exponent *= exponent
        exponent *= -0.5
        # Below the floor the result is zero for all purposes, and underflow would be slow.
        np.maximum(exponent, -200.0, out=exponent)
        return np.asarray(np.exp(exponent, out=exponent), dtype=np.complex128)

    def reach(self, tail: float) -> tuple[float, float]:
        return -6 * self.spread, 6 * self.spread

    def sample(self, n: int, rng: Any = None) -> Floats:
        return self.centre + self.spread * rng_from(rng).standard_normal(n)

    def __repr__(self) -> str:
        return f"Gaussian(mean={self.centre!r}, std={self.spread!r})"

    def __str__(self) -> str:
        return f"N({cell_number(self.centre)}, {cell_number(self.spread)})"


def finite(value: Any, parameter: str) -> float:
    """`value` as a finite float."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(
            complaint(parameter, "be a number", f"got {value!r}", "Pass an int or a float")
        ) from None
    if not isfinite(number):
        raise ValueError(
            complaint(
                parameter,
                "be finite",
                f"got {number}",
                "A law needs finite parameters; model an unknown value by a wide one"
                if abs(number) == inf
                else "Remove or fill the value first",
            )
        )
    return number


def cell_number(value: float) -> str:
    """The shortest text that reads back as `value`, without a trailing ``.0``."""
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text
