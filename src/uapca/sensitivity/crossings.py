"""Where neighbouring eigenvalues come closest: avoided and true crossings.

Along a path the gap λᵢ − λᵢ₊₁ of K has local minima. Its derivative needs no differences of
eigenvalues: dλᵢ/dt = vᵢᵀ K′ vᵢ, so a minimum is where vᵢᵀ K′ vᵢ − vᵢ₊₁ᵀ K′ vᵢ₊₁ turns from negative
to positive, which bisection finds to the last digits that matter, whether the derivative passes
through zero (the two turn into one another: an avoided crossing) or jumps over it (they pass
through each other: a true one).
"""

from __future__ import annotations

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
# Between neighbours that turn by less than this, a gap has one minimum at most.
_TURN = float(np.deg2rad(15.0))
_DEEPEST = 2.0**-24
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
    """A local minimum of a gap, in the units of M(u)."""

    u: float
    place: int
    gap: float
    upper: float
    kind: Kind


def meetings(family: Family) -> list[Meeting]:
    """Every local minimum of a gap between neighbouring eigenvalues, by falling order along u.

    Eigenvalues that are one all along (ties, zero blocks) have no gap to be smallest.
    """
    u, pairs = _resolved(family)
    low, high, place = _brackets(u, _turning(family, u, pairs))
    if not len(place):
        return []
    where = _bisected(family, low, high, place)
    found = [_judged(family, *item) for item in zip(where, low, high, place, strict=True)]
    return sorted(m for m in found if m is not None)


def _resolved(family: Family) -> tuple[Doubles, Eigenpairs]:
    """A grid on which every gap has at most one minimum between neighbours.

    Halved until no vector turns far, and until no more than neighbours swap.
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
            return u, pairs
        added = np.array(wanted)
        u, pairs = merged(u, pairs, added, family.eigenpairs(1.0 - added, added))


def _turning(family: Family, u: Doubles, pairs: Eigenpairs) -> Doubles:
    """Whether each gap falls (−1), rises (1) or neither (0); shape (S, D − 1).

    A tie counts as rising: a gap that falls to nothing has its minimum there.
    """
    rates = family.rates(pairs.vectors, u)
    slope = rates[:, :-1] - rates[:, 1:]
    noise = tie_tolerance(family.size) * np.abs(rates).max(axis=1, keepdims=True)
    signs = np.where(np.abs(slope) <= noise, 0.0, np.sign(slope))
    return np.where(pairs.tied, 1.0, signs)


def _brackets(u: Doubles, signs: Doubles) -> tuple[Doubles, Doubles, Positions]:
    """Intervals over which a gap stops falling and starts to rise, and the gap's place."""
    low, high, place = [], [], []
    for i, column in enumerate(signs.T):
        moving = np.flatnonzero(column)
        ends = np.flatnonzero((column[moving][:-1] < 0) & (column[moving][1:] > 0))
        low += list(u[moving[ends]])
        high += list(u[moving[ends + 1]])
        place += [i] * len(ends)
    return np.array(low), np.array(high), np.array(place, dtype=np.intp)


def _bisected(family: Family, low: Doubles, high: Doubles, place: Positions) -> Doubles:
    """The minima, all brackets halved together."""
    low, high = low.copy(), high.copy()
    while True:
        wide = np.flatnonzero(high - low > _NEAREST * np.minimum(high, 1.0 - low))
        middle = 0.5 * (low[wide] + high[wide])
        wide = wide[(middle > low[wide]) & (middle < high[wide])]
        if not len(wide):
            return np.asarray(0.5 * (low + high))
        middle = 0.5 * (low[wide] + high[wide])
        pairs = family.eigenpairs(1.0 - middle, middle)
        signs = _turning(family, middle, pairs)[np.arange(len(wide)), place[wide]]
        low[wide] = np.where(signs < 0, middle, low[wide])
        high[wide] = np.where(signs < 0, high[wide], middle)


def _judged(family: Family, u: float, low: float, high: float, place: int) -> Meeting | None:
    """The minimum at u with its gap and kind; None if it is no more than rounding."""
    at = np.array([low, u, high])
    pairs = family.eigenpairs(1.0 - at, at)
    unit = (1.0 - at) ** 2 if family.homogeneous else np.ones(3)
    with np.errstate(divide="ignore", invalid="ignore"):
        gaps = (pairs.values[:, place] - pairs.values[:, place + 1]) / unit
    upper = float(pairs.values[1, place] / unit[1])
    if _swaps(family, u, place, float(pairs.values[1, 0])):
        return Meeting(float(u), int(place), 0.0, upper, "true")
    gap = float(gaps[1])
    sides = gaps[[0, 2]][np.isfinite(gaps[[0, 2]])]
    noise = tie_tolerance(family.size) * float(pairs.values[1, 0] / unit[1])
    if gap + noise >= sides.min():
        return None
    return Meeting(float(u), int(place), gap, upper, "avoided")


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
