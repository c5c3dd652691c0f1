"""Where neighbouring eigenvalues come closest: avoided and true crossings.

Along a path the gap λᵢ − λᵢ₊₁ of K has local minima. Its derivative needs no differences of
eigenvalues: dλᵢ/dt = vᵢᵀ K′ vᵢ, so a minimum is where vᵢᵀ K′ vᵢ − vᵢ₊₁ᵀ K′ vᵢ₊₁ turns from negative
to positive, which bracketing finds to the last digits that matter, whether the derivative passes
through zero (the two turn into one another: an avoided crossing) or jumps over it (they pass
through each other: a true one).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from uapca.decomposition.spectrum import tie_tolerance
from uapca.sensitivity.family import Eigenpairs, Family, merged
from uapca.sensitivity.following import Positions, like_placed, reach
from uapca.sensitivity.path import first_grid
from uapca.uncertain.blocks import Doubles

__all__ = ["Crossing", "Meeting", "WeightCrossing", "meetings"]

Kind = Literal["avoided", "true"]

_EPS = float(np.finfo(np.float64).eps)
_COARSE = 128
# Between neighbours that turn by less than this, a gap hardly ever has more than one minimum.
_TURN = float(np.deg2rad(15.0))
_DEEPEST = 2.0**-24
# How often intervals are halved in search of two zeros of a slope close to each other.
_DIPS = 20
_NEAREST = 2.0**-40


@dataclass(frozen=True, slots=True)
class _Pair:
    """A local minimum of the gap between two neighbouring eigenvalues.

    Attributes
    ----------
    u : float
        Where on the path, from 0 to 1, to 1e-8 or better.
    pair : tuple of int
        The two places (i, i + 1) in the falling order, from 0: (0, 1) are λ₁ and λ₂.
    gap : float
        λᵢ − λᵢ₊₁ of K there; exactly 0 at a true crossing.
    relative_gap : float
        The gap as a share of λᵢ.
    kind : {"avoided", "true"}
        "true" if nothing couples the two: their vectors pass through each other and swap places
        at once. "avoided" if they come near, and part again.
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
    kind: Kind
    touches: bool
    changes_subspace: bool

    def _text(self, where: str) -> str:
        i, j = self.pair
        tail = "" if self.kind == "true" else f", relative gap {self.relative_gap:.3g}"
        return f"{self.kind} crossing of λ{i + 1} and λ{j + 1} at {where}{tail}"


@dataclass(frozen=True, slots=True, repr=False)
class Crossing(_Pair):
    __doc__ = f"{_Pair.__doc__}"

    @property
    def scale(self) -> float:
        """The scale s = u / (1 − u)."""
        return self.u / (1.0 - self.u)

    def __repr__(self) -> str:
        return f"<{self._text(f's = {self.scale:.4g}')}>"


@dataclass(frozen=True, slots=True, repr=False)
class WeightCrossing(_Pair):
    __doc__ = f"{_Pair.__doc__}"

    @property
    def weight(self) -> float:
        """The weight of the rows, which is u."""
        return self.u

    def __repr__(self) -> str:
        return f"<{self._text(f'weight {self.weight:.4g}')}>"


class Meeting(NamedTuple):
    """A local minimum of a gap of K: its u, its place, the gap, the upper value and the kind."""

    u: float
    place: int
    gap: float
    upper: float
    kind: Kind


def meetings(family: Family) -> list[Meeting]:
    """Every local minimum of a gap between neighbouring eigenvalues, in their order along u.

    Eigenvalues that are one all along (ties, zero blocks) have no gap to be smallest.
    """
    # In units of its own, so that slopes of slopes neither overflow nor vanish.
    unit = family.unit
    found = _in_units(family.in_units)
    return [m._replace(gap=unit * m.gap, upper=unit * m.upper) for m in found]


def _in_units(family: Family) -> list[Meeting]:
    u, pairs = _resolved(family)
    low, high, place, left, right = _brackets(u, _slopes(family, u, pairs))
    if not len(place):
        return []
    where = _minima(family, low, high, place, left, right)
    # Compared with the ends of its bracket, or the points beyond where it lies on one of them.
    near = 2.0**-10 * (high - low)
    before = np.where(where - low > near, low, u[np.maximum(np.searchsorted(u, low) - 1, 0)])
    beyond = u[np.minimum(np.searchsorted(u, high) + 1, len(u) - 1)]
    after = np.where(high - where > near, high, beyond)
    return sorted(_judged(family, where, before, after, place))


def _resolved(family: Family) -> tuple[Doubles, Eigenpairs]:
    """A grid on which every gap has at most one minimum between neighbours.

    Halved until no vector turns far, and until no more than neighbours swap; then parted where the
    slope of a gap may touch zero between two points at which it has the same sign.
    """
    u = first_grid(family, _COARSE)
    pairs = family.eigenpairs(1.0 - u, u)
    d = family.size
    done: set[tuple[float, float]] = set()
    while True:
        overlap = np.abs(like_placed(pairs.vectors[:-1], pairs.vectors[1:])).min(axis=1)
        wanted = []
        for k in np.flatnonzero(overlap < np.cos(_TURN)):
            low, high = float(u[k]), float(u[k + 1])
            if (low, high) in done or high - low <= _DEEPEST * min(high, 1.0 - low):
                continue
            sides = [(pairs.vectors[i], pairs.tied[i]) for i in (k, k + 1)]
            places, angle = reach(sides[0], sides[1], range(d))
            if angle > _TURN or np.abs(places - np.arange(d)).max() > 1:
                wanted.append(0.5 * (low + high))
            else:
                done.add((low, high))
        if not wanted:
            break
        added = np.array(wanted)
        u, pairs = merged(u, pairs, added, family.eigenpairs(1.0 - added, added))
    for _ in range(_DIPS):
        added = _dips(family, u, pairs)
        if not len(added):
            break
        u, pairs = merged(u, pairs, added, family.eigenpairs(1.0 - added, added))
    return u, pairs


def _dips(family: Family, u: Doubles, pairs: Eigenpairs) -> Doubles:
    """Where to look for slopes that go through zero and back between neighbours of the grid.

    A convex slope that comes nearer to zero from both ends stays beyond the point at which its two
    tangents meet; only if that lies near zero or past it can there be a minimum in between.
    """
    inside = u < 1.0
    at = u[inside]
    known = pairs.take(np.flatnonzero(inside))
    t = (at / (1.0 - at)) ** 2 if family.homogeneous else at
    slope = _slopes(family, at, known)
    bend = family.bends(known, at)
    size = max(float(np.abs(slope).max()), np.finfo(float).tiny)  # so that units do not matter
    slope, bend = slope / size, (bend[:, :-1] - bend[:, 1:]) / size
    sign = np.sign(slope[:-1])
    left, right = sign * slope[:-1], sign * slope[1:]
    falling, rising = sign * bend[:-1], sign * bend[1:]
    toward = (left > 0.0) & (right > 0.0) & (falling < 0.0) & (rising > 0.0)
    step = np.diff(t)[:, None]
    where = (right - left - rising * step) / np.where(toward, falling - rising, 1.0)
    # Half of the nearer end instead of zero: the slope need not be convex in a wide interval.
    reached = toward & (left + falling * where <= 0.5 * np.minimum(left, right))
    wide = np.diff(at) > 1e-6 * np.minimum(at[1:], 1.0 - at[:-1])
    chosen = np.flatnonzero(reached.any(axis=1) & wide)
    return np.asarray(0.5 * (at[chosen] + at[chosen + 1]))


def _slopes(family: Family, u: Doubles, pairs: Eigenpairs) -> Doubles:
    """How fast each gap of K grows along the path; shape (S, D − 1).

    Zero where it is no more than rounding. A tie counts as growing: a gap that falls to nothing
    has its minimum there.
    """
    rates = family.rates(pairs.vectors, u)
    slope = rates[:, :-1] - rates[:, 1:]
    size = np.abs(rates).max(axis=1, keepdims=True)
    slope = np.where(np.abs(slope) <= tie_tolerance(family.size) * size, 0.0, slope)
    return np.where(pairs.tied, np.maximum(np.abs(slope), size), slope)


def _brackets(u: Doubles, slopes: Doubles) -> tuple[Doubles, Doubles, Positions, Doubles, Doubles]:
    """Where a gap stops falling and starts to grow: ends, place, and the slopes at the ends."""
    rows, columns = [], []
    for i, column in enumerate(slopes.T):
        moving = np.flatnonzero(column)
        turns = np.flatnonzero((column[moving][:-1] < 0) & (column[moving][1:] > 0))
        rows += [(moving[k], moving[k + 1]) for k in turns]
        columns += [i] * len(turns)
    first, last = np.array(rows, dtype=np.intp).reshape(-1, 2).T
    place = np.array(columns, dtype=np.intp)
    return u[first], u[last], place, slopes[first, place], slopes[last, place]


def _minima(
    family: Family, low: Doubles, high: Doubles, place: Positions, left: Doubles, right: Doubles
) -> Doubles:
    """The roots of the slopes, all brackets narrowed together.

    By the ITP method (Oliveira & Takahashi 2020): as sure as bisection, which it needs where the
    slope jumps, and much faster where it is smooth.
    """
    low, high, left, right = low.copy(), high.copy(), left.copy(), right.copy()
    width = 0.5 * _NEAREST * np.minimum(high, 1.0 - low)
    first = high - low
    budget = width * 2.0 ** (np.maximum(np.ceil(np.log2(first / (2.0 * width))), 0.0) + 1.0)
    while True:
        half = 0.5 * (low + high)
        wide = np.flatnonzero((high - low > 2.0 * width) & (half > low) & (half < high))
        if not len(wide):
            return half
        a, b, middle = low[wide], high[wide], half[wide]
        secant = (b * left[wide] - a * right[wide]) / (left[wide] - right[wide])
        toward = np.sign(middle - secant)
        nudge = 0.2 * (b - a) ** 2 / first[wide]
        trial = np.where(nudge <= np.abs(middle - secant), secant + toward * nudge, middle)
        spare = np.maximum(budget[wide] - 0.5 * (b - a), 0.0)
        budget *= 0.5
        at = np.where(np.abs(trial - middle) <= spare, trial, middle - toward * spare)
        at = np.where((at > a) & (at < b), at, middle)
        pairs = family.eigenpairs(1.0 - at, at)
        slope = _slopes(family, at, pairs)[np.arange(len(at)), place[wide]]
        falls, grows = slope <= 0.0, slope >= 0.0
        low[wide] = np.where(falls, at, a)
        left[wide] = np.where(falls, slope, left[wide])
        high[wide] = np.where(grows, at, b)
        right[wide] = np.where(grows, slope, right[wide])


def _judged(
    family: Family, where: Doubles, low: Doubles, high: Doubles, place: Positions
) -> Iterator[Meeting]:
    """The minima with their gaps and kinds; those that are no more than rounding are left out."""
    at = np.stack([low, where, high])
    values = family.eigenpairs(1.0 - at.ravel(), at.ravel()).values.reshape(*at.shape, -1)
    unit = (1.0 - at) ** 2 if family.homogeneous else np.ones_like(at)
    index = np.arange(len(place))
    gaps = values[:, index, place] - values[:, index, place + 1]
    for k, (u, i) in enumerate(zip(where, place, strict=True)):
        size, upper = float(values[1, k, 0]), float(values[1, k, i] / unit[1, k])
        gap = float(gaps[1, k])
        # A gap this large needs no closer look: the location alone is better than 1e-11.
        if gap <= 1e-8 * size and _swaps(family, float(u), int(i), size):
            yield Meeting(float(u), int(i), 0.0, upper, "true")
            continue
        # Multiplied out, since at u = 1 the unit is zero.
        noise = tie_tolerance(family.size) * size
        sides = gaps[[0, 2], k] * unit[1, k] - (gap + noise) * unit[[0, 2], k]
        if sides.min() > 0.0:
            yield Meeting(float(u), int(i), gap / float(unit[1, k]), upper, "avoided")


def _swaps(family: Family, u: float, place: int, size: float) -> bool:
    """Whether the pair's vectors swap places at u without turning: no coupling keeps them apart.

    With a coupling, the vectors at u ± h differ from a swap by an angle gap / (slope · h), without
    one by no more than rounding, eps · size / (slope · h), and their own slow turn, of order h.
    The two balance at the h taken here, so what is found to swap has a coupling of at most a few
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
