"""Marginals with a piecewise linear density: uniform, triangular, trapezoid."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Self

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats, complaint
from uapca.laws.marginal import Marginal, Point, cell_number, finite
from uapca.laws.waves import Complexes, Frequencies, Listed, ramp, sinc

__all__ = ["Knotted", "Trapezoid", "Triangular", "Uniform"]


class Knotted(Marginal):
    """A density that rises on (a, b), is flat on (b, c) and falls on (c, d).

    Everything is computed from the differences of the knots, so a law far from zero is as exact
    as one near it.
    """

    @property
    @abstractmethod
    def knots(self) -> tuple[float, float, float, float]:
        """a ≤ b ≤ c ≤ d."""

    @abstractmethod
    def _from_knots(self, knots: tuple[float, float, float, float]) -> Self: ...

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

    @cached_property
    def var(self) -> float:
        if self.certain:
            return 0.0
        rise, flat, fall, height = self._lengths
        centre = self._rise_to_mean
        # Law of total variance over the three pieces: sums of non-negative terms, no cancellation.
        pieces = (
            (rise, height * rise / 2, 2 * rise / 3, rise * rise / 18),
            (flat, height * flat, rise + flat / 2, flat * flat / 12),
            (fall, height * fall / 2, rise + flat + fall / 3, fall * fall / 18),
        )
        return sum(mass * (var + (mean - centre) ** 2) for _, mass, mean, var in pieces)

    def pdf(self, x: npt.ArrayLike) -> Floats:
        if self.certain:
            return Point(self.knots[0]).pdf(x)
        a, _, _, d = self.knots
        rise, _, fall, height = self._lengths
        x = np.asarray(x, dtype=np.float64)
        up = (x - a) / rise if rise > 0 else np.where(x >= a, 1.0, 0.0)
        down = (d - x) / fall if fall > 0 else np.where(x <= d, 1.0, 0.0)
        return height * np.clip(np.minimum(up, down), 0.0, 1.0)

    def cdf(self, x: npt.ArrayLike) -> Floats:
        if self.certain:
            return Point(self.knots[0]).cdf(x)
        a, b, c, d = self.knots
        rise, _, fall, height = self._lengths
        x = np.asarray(x, dtype=np.float64)
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
        mapped = tuple(a * knot + b for knot in self.knots)
        first, second, third, fourth = mapped if a > 0 else mapped[::-1]
        return self._from_knots((first, second, third, fourth))

    def scaled(self, s: float) -> Marginal:
        if s == 1:
            return self
        if s == 0:
            return Point(self.mean)
        a, b, c, d = self.knots
        centre, rise = self.mean, self._rise_to_mean
        return self._from_knots(
            (
                centre - s * rise,
                centre + s * ((b - a) - rise),
                centre + s * ((c - a) - rise),
                centre + s * ((d - a) - rise),
            )
        )

    def centred_cf(self, frequencies: Frequencies) -> Complexes:
        t = frequencies.t
        if self.certain:
            return np.ones(t.shape, dtype=np.complex128)
        # Far from t = 0 the transform is that of the jumps and kinks alone. It cancels where a
        # piece is short against the wave, and those frequencies are done piece by piece.
        a, _, _, d = self.knots
        shortest = min(length for length in self._lengths[:3] if length > 0)
        near = np.abs(t) < max(0.5 / (d - a), 1e-3 / shortest)
        count = int(np.count_nonzero(near))
        if 4 * count > t.size:
            return self._by_pieces(frequencies)
        result = self._by_knots(frequencies, np.where(near, 1.0, t))
        result[near] = self._by_pieces(Listed(t[near]))
        return result

    def _by_knots(self, frequencies: Frequencies, t: Floats) -> Complexes:
        rise, flat, fall, height = self._lengths
        places = np.array([0.0, rise, rise + flat, rise + flat + fall]) - self._rise_to_mean
        jumps, kinks = np.zeros(4), np.zeros(4)
        if rise > 0:
            kinks[:2] = np.array([1.0, -1.0]) * (height / rise)
        else:
            jumps[0] = height
        if fall > 0:
            kinks[2:] = np.array([-1.0, 1.0]) * (height / fall)
        else:
            jumps[3] = -height
        inverse = 1 / t
        # −Σ kink exp(i t x) / t² + i Σ jump exp(i t x) / t
        if not kinks.any():
            used = jumps != 0
            total = frequencies.sum(places[used], 1j * jumps[used])
            total *= inverse
            return total
        used = kinks != 0
        total = frequencies.sum(places[used], -kinks[used])
        total *= inverse
        if jumps.any():
            used = jumps != 0
            total += frequencies.sum(places[used], 1j * jumps[used])
        total *= inverse
        return total

    def _by_pieces(self, frequencies: Frequencies) -> Complexes:
        rise, flat, fall, height = self._lengths
        plateau = rise - self._rise_to_mean
        result = np.zeros(frequencies.t.shape, dtype=np.complex128)
        if flat > 0:
            result += (height * flat * sinc(frequencies, flat)) * frequencies.wave(
                plateau + flat / 2
            )
        if rise > 0:
            result += (height * rise / 2) * ramp(frequencies, -rise) * frequencies.wave(plateau)
        if fall > 0:
            result += (
                (height * fall / 2) * ramp(frequencies, fall) * frequencies.wave(plateau + flat)
            )
        return result

    def reach(self, tail: float) -> tuple[float, float]:
        a, _, _, d = self.knots
        return -self._rise_to_mean, (d - a) - self._rise_to_mean


@dataclass(frozen=True)
class Uniform(Knotted):
    """Every value between `low` and `high` is equally likely.

    Examples
    --------
    >>> Uniform(10, 12).mean, str(Uniform(10, 12))
    (11.0, 'U(10, 12)')
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        _rising(self, ("low", "high"))

    @property
    def knots(self) -> tuple[float, float, float, float]:
        return self.low, self.low, self.high, self.high

    def _from_knots(self, knots: tuple[float, float, float, float]) -> Uniform:
        return Uniform(knots[0], knots[3])

    def __str__(self) -> str:
        return _cell("U", (self.low, self.high))


@dataclass(frozen=True)
class Triangular(Knotted):
    """Between `low` and `high`, most likely at `mode`.

    Examples
    --------
    >>> Triangular(0, 3, 3).mean, str(Triangular(0, 3, 3))
    (2.0, 'Tri(0, 3, 3)')
    """

    low: float
    mode: float
    high: float

    def __post_init__(self) -> None:
        _rising(self, ("low", "mode", "high"))

    @property
    def knots(self) -> tuple[float, float, float, float]:
        return self.low, self.mode, self.mode, self.high

    def _from_knots(self, knots: tuple[float, float, float, float]) -> Triangular:
        return Triangular(knots[0], knots[1], knots[3])

    def __str__(self) -> str:
        return _cell("Tri", (self.low, self.mode, self.high))


@dataclass(frozen=True)
class Trapezoid(Knotted):
    """Rises from `a` to `b`, flat to `c`, falls to `d`; neighbours may coincide.

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

    def __post_init__(self) -> None:
        _rising(self, ("a", "b", "c", "d"))

    @property
    def knots(self) -> tuple[float, float, float, float]:
        return self.a, self.b, self.c, self.d

    def _from_knots(self, knots: tuple[float, float, float, float]) -> Trapezoid:
        return Trapezoid(*knots)

    def __str__(self) -> str:
        return _cell("T", self.knots)


def _rising(law: Knotted, names: tuple[str, ...]) -> None:
    values = [finite(getattr(law, name), name) for name in names]
    for name, value in zip(names, values, strict=True):
        object.__setattr__(law, name, value)
    if any(left > right for left, right in pairwise(values)):
        raise ValueError(
            complaint(
                ", ".join(names),
                "not fall",
                f"got {_cell('', tuple(values))}",
                "Put the values in rising order",
            )
        )


def _cell(letters: str, values: tuple[float, ...]) -> str:
    return f"{letters}({', '.join(map(cell_number, values))})"
