"""Crossings: where neighboring eigenvalues come closest, avoided and true.

Along a path the gap λᵢ − λᵢ₊₁ of K has local minima. Its derivative needs no differences of
eigenvalues: dλᵢ/dt = vᵢᵀ K′ vᵢ, so a minimum is where vᵢᵀ K′ vᵢ − vᵢ₊₁ᵀ K′ vᵢ₊₁ changes from
negative to positive. Bracketing finds it whether the derivative passes through zero (an avoided
crossing) or jumps over it (a true one).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from inspect import cleandoc
from typing import Literal, TypeVar

import numpy as np
from scipy.optimize import brentq

from uapca._validation import Doubles
from uapca.decomposition.spectrum import tie_tolerance
from uapca.sensitivity.family import Eigenpairs, Family
from uapca.sensitivity.tracking import Positions, first_grid, halve, insert, reach

__all__ = ["AnyCrossing", "Crossing", "WeightCrossing", "crossings"]

_EPS = float(np.finfo(np.float64).eps)
_COARSE = 128
# Between points whose vectors turn by less than this, a gap hardly ever has two minima.
_TURN = float(np.deg2rad(15.0))
_NARROWEST = 2.0**-24
# How often intervals are halved in search of two zeros of a slope close to each other.
_DIPS = 20
_NEAREST = 2.0**-40


@dataclass(frozen=True, slots=True)
class _Minimum:
    """A local minimum of the gap between two neighboring eigenvalues.

    Attributes
    ----------
    u : float
        Where on the path, from 0 to 1, to 1e-8 or better.
    pair : tuple of int
        The ranks (i, i + 1), from 0: (0, 1) are λ₁ and λ₂.
    gap : float
        λᵢ − λᵢ₊₁ of K there; exactly 0 at a true crossing.
    relative_gap : float
        The gap divided by λᵢ.
    kind : {"avoided", "true"}
        "true" if nothing couples the two: their vectors pass through each other and swap ranks
        at once. "avoided" if they come near and separate again.
    touches : bool
        Whether at least one of the two is among the components shown.
    changes_subspace : bool
        Whether only the first of the two is: then the plane shown turns at an avoided crossing,
        and the trace is broken at a true one. If both are shown, the picture turns within itself.
    """

    u: float
    pair: tuple[int, int]
    gap: float
    relative_gap: float
    kind: Literal["avoided", "true"]
    touches: bool
    changes_subspace: bool

    def _text(self, where: str) -> str:
        i, j = self.pair
        tail = "" if self.kind == "true" else f", relative gap {self.relative_gap:.3g}"
        return f"<{self.kind} crossing of λ{i + 1} and λ{j + 1} at {where}{tail}>"


@dataclass(frozen=True, slots=True, repr=False)
class Crossing(_Minimum):
    # Since Python 3.13 docstrings come without their indentation.
    __doc__ = (
        cleandoc(_Minimum.__doc__ or "")
        + "\n\n"
        + cleandoc(
            """See Also
        --------
        uapca.factor_traces : The features in the picture as the uncertainty counts more.

        Examples
        --------
        >>> import uapca
        >>> first, *_ = uapca.factor_traces(uapca.datasets.load_students()).crossings
        >>> first
        <avoided crossing of λ2 and λ3 at s = 0.7784, relative gap 0.21>
        >>> first.pair, first.changes_subspace
        ((1, 2), True)
        """
        )
    )

    @property
    def scale(self) -> float:
        """The scale s = u / (1 − u)."""
        return self.u / (1.0 - self.u)

    def __repr__(self) -> str:
        return self._text(f"s = {self.scale:.4g}")


@dataclass(frozen=True, slots=True, repr=False)
class WeightCrossing(_Minimum):
    __doc__ = (
        cleandoc(_Minimum.__doc__ or "")
        + "\n\n"
        + cleandoc(
            """See Also
        --------
        uapca.weight_traces : How the components turn as one row counts more.

        Examples
        --------
        >>> import uapca
        >>> first, *_ = uapca.weight_traces(uapca.datasets.load_students(), "Tom").crossings
        >>> first
        <avoided crossing of λ3 and λ4 at weight 0.02363, relative gap 0.467>
        """
        )
    )

    @property
    def weight(self) -> float:
        """The weight of the rows, which is u."""
        return self.u

    def __repr__(self) -> str:
        return self._text(f"weight {self.weight:.4g}")


AnyCrossing = TypeVar("AnyCrossing", Crossing, WeightCrossing)


def crossings(
    family: Family, q: int, kind: type[AnyCrossing], leading: int | None = None
) -> tuple[AnyCrossing, ...]:
    """Every local minimum of a gap between neighboring eigenvalues, by increasing u.

    Eigenvalues that are equal all along (ties, zero blocks) have no gap to minimize. ``q`` is the
    number of components shown, ``kind`` the class of the results. Only gaps between the
    ``leading`` eigenvalues are looked at, by default all: of hundreds, thousands cross.
    """
    # In units of the largest entry, so that derivatives neither overflow nor vanish.
    unit, family = family.unit, family.in_units
    leading = family.size if leading is None else leading
    u, pairs = _resolved(family, leading)
    low, high, place = _brackets(u, _gap_slopes(family, u, pairs)[:, : leading - 1])
    where = _minima(family, low, high, place)
    # Each is compared with the ends of its bracket, or the points beyond if it lies on an end.
    near = 2.0**-10 * (high - low)
    before = np.where(where - low > near, low, u[np.maximum(np.searchsorted(u, low) - 1, 0)])
    beyond = u[np.minimum(np.searchsorted(u, high) + 1, len(u) - 1)]
    after = np.where(high - where > near, high, beyond)
    return tuple(
        kind(
            at, (i, i + 1), unit * gap, gap / upper if upper > 0.0 else 0.0, how, i < q, i == q - 1
        )
        for at, i, gap, upper, how in sorted(_judged(family, where, before, after, place))
    )


def _resolved(family: Family, leading: int) -> tuple[Doubles, Eigenpairs]:
    """A grid on which every leading gap has at most one minimum between neighboring points.

    Halved until no vector turns far and only neighbors swap ranks; then divided where the slope
    of a gap may touch zero between two points at which it has the same sign.
    """
    u = first_grid(family, _COARSE)
    pairs = family.eigenpairs(1.0 - u, u)
    u, pairs = halve(family, u, pairs, leading, _TURN, swaps=1, narrowest=_NARROWEST)
    for _ in range(_DIPS):
        added = _dips(family, u, pairs, leading)
        if not len(added):
            break
        u, pairs = insert(family, u, pairs, added)
    return u, pairs


def _dips(family: Family, u: Doubles, pairs: Eigenpairs, leading: int) -> Doubles:
    """Midpoints of intervals in which the slope of a gap may cross zero and come back.

    A convex slope that approaches zero from both ends stays beyond the point at which its two
    tangents meet; only if that point is near zero or past it can there be a minimum in between.
    """
    inside = u < 1.0
    u, pairs = (
        u[inside],
        Eigenpairs(pairs.values[inside], pairs.vectors[inside], pairs.tied[inside]),
    )
    t = (u / (1.0 - u)) ** 2 if family.homogeneous else u
    slope = _gap_slopes(family, u, pairs)[:, : leading - 1]
    bend = family.bends(pairs, u)[:, :leading]
    size = max(float(np.abs(slope).max()), np.finfo(float).tiny)  # so that units do not matter
    slope, bend = slope / size, (bend[:, :-1] - bend[:, 1:]) / size
    sign = np.sign(slope[:-1])
    left, right = sign * slope[:-1], sign * slope[1:]
    falling, rising = sign * bend[:-1], sign * bend[1:]
    toward = (left > 0.0) & (right > 0.0) & (falling < 0.0) & (rising > 0.0)
    step = np.diff(t)[:, None]
    where = (right - left - rising * step) / np.where(toward, falling - rising, 1.0)
    # Half of the nearer end instead of zero: in a wide interval the slope need not be convex.
    reached = toward & (left + falling * where <= 0.5 * np.minimum(left, right))
    wide = np.diff(u) > 1e-6 * np.minimum(u[1:], 1.0 - u[:-1])
    chosen = np.flatnonzero(reached.any(axis=1) & wide)
    return np.asarray(0.5 * (u[chosen] + u[chosen + 1]))


def _gap_slopes(family: Family, u: Doubles, pairs: Eigenpairs) -> Doubles:
    """Derivative of each gap of K along the path; shape (S, D − 1).

    Zero where it is no more than rounding. A tie counts as increasing: a gap that decreases to
    zero has its minimum there.
    """
    rates = family.rates(pairs.vectors, u)
    slope = rates[:, :-1] - rates[:, 1:]
    size = np.abs(rates).max(axis=1, keepdims=True)
    slope = np.where(np.abs(slope) <= tie_tolerance(family.size) * size, 0.0, slope)
    return np.where(pairs.tied, np.maximum(np.abs(slope), size), slope)


def _brackets(u: Doubles, slopes: Doubles) -> tuple[Doubles, Doubles, Positions]:
    """Where a gap changes from decreasing to increasing: the ends, and the rank."""
    found = []
    for i, column in enumerate(slopes.T):
        moving = np.flatnonzero(column)
        turns = np.flatnonzero((column[moving][:-1] < 0) & (column[moving][1:] > 0))
        found += [(moving[k], moving[k + 1], i) for k in turns]
    first, last, place = np.array(found, dtype=np.intp).reshape(-1, 3).T
    return u[first], u[last], place


def _minima(family: Family, low: Doubles, high: Doubles, place: Positions) -> Doubles:
    """The zeros of the slopes; where a slope jumps over zero, the place of the jump."""

    def slope(at: float, i: int) -> float:
        u = np.array([at])
        return float(_gap_slopes(family, u, family.eigenpairs(1.0 - u, u))[0, i])

    return np.array(
        [
            brentq(slope, a, b, args=(i,), xtol=_NEAREST * min(b, 1.0 - a))
            for a, b, i in zip(low.tolist(), high.tolist(), place.tolist(), strict=True)
        ]
    )


def _judged(
    family: Family, where: Doubles, low: Doubles, high: Doubles, place: Positions
) -> Iterator[tuple[float, int, float, float, Literal["avoided", "true"]]]:
    """u, rank, gap, upper eigenvalue and kind of the minima that are more than rounding."""
    at = np.stack([low, where, high])
    values = family.eigenpairs(1.0 - at.ravel(), at.ravel()).values.reshape(*at.shape, family.size)
    unit = (1.0 - at) ** 2 if family.homogeneous else np.ones_like(at)
    index = np.arange(len(place))
    gaps = values[:, index, place] - values[:, index, place + 1]
    for k, (u, i) in enumerate(zip(where.tolist(), place.tolist(), strict=True)):
        size, upper = float(values[1, k, 0]), float(values[1, k, i] / unit[1, k])
        gap = float(gaps[1, k])
        # A larger gap needs no closer look: the location alone is better than 1e-11.
        if gap <= 1e-8 * size and _swaps(family, u, i, size):
            yield u, i, 0.0, upper, "true"
            continue
        # Multiplied out, since at u = 1 the unit is zero.
        noise = tie_tolerance(family.size) * size
        sides = gaps[[0, 2], k] * unit[1, k] - (gap + noise) * unit[[0, 2], k]
        if sides.min() > 0.0:
            yield u, i, gap / float(unit[1, k]), upper, "avoided"


def _swaps(family: Family, u: float, place: int, size: float) -> bool:
    """Whether the two vectors swap ranks at u without turning, that is without any coupling.

    With a coupling, the vectors at u ± h differ from a swap by an angle gap / (slope · h), without
    one by no more than rounding, eps · size / (slope · h), and their own slow turn, of order h.
    The two balance at the h used here, so what is found to swap has a coupling of at most a few
    hundred roundings of the matrix.
    """
    room = min(u, 1.0 - u)
    probe = u + np.array([-1.0, 1.0]) * 2.0**-20 * room
    slopes = np.abs(np.diff(family.rates(family.eigenpairs(1.0 - probe, probe).vectors, probe)))
    slope = float(slopes[:, place].max()) * (2.0 * u / (1.0 - u) if family.homogeneous else 1.0)
    if slope <= _EPS * size:
        return False
    h = np.sqrt(_EPS * size / slope)
    if h >= 2.0**-8 * room:
        return False
    at = u + np.array([-h, h])
    pairs = family.eigenpairs(1.0 - at, at)
    before, after = ((pairs.vectors[k], pairs.tied[k]) for k in (0, 1))
    places, angle = reach(before, after, range(place, place + 2))
    moved = places[place] != place or places[place + 1] != place + 1
    return bool(moved and angle <= 1e3 * h)
