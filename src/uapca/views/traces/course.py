"""Traces as a picture needs them: places in two components, with the marks on the grid."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.optimize import linear_sum_assignment

from uapca.decomposition import UAPCA
from uapca.sensitivity import FactorTraces, WeightTraces
from uapca.views.scene import Floats
from uapca.views.text import number

__all__ = ["Course", "course_of", "fit_at"]


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """Where the features go, from one end of the path to the other.

    Attributes
    ----------
    u : ndarray of shape (S,)
        The grid of the traces, and the mark where the data is as given, if it lies within.
    points : ndarray of shape (S, D, 2)
    segments : tuple of slice
        Stretches without a jump.
    middle : float
        The u of the data as given: s = 1, or the current weight.
    symbol : str
        What grows: ``"s"`` or ``"weight"``.
    last : float
        The largest value of what grows.
    """

    u: Floats
    points: Floats
    segments: tuple[slice, ...]
    middle: float
    symbol: str
    last: float

    @property
    def from_zero(self) -> bool:
        return bool(self.u[0] == 0.0)

    @property
    def to_the_end(self) -> bool:
        return bool(self.u[-1] == 1.0)

    @property
    def through_middle(self) -> bool:
        return bool((self.u == self.middle).any())

    def value(self, u: float) -> float:
        """The scale or weight at u."""
        if self.symbol != "s":
            return u
        return float("inf") if u == 1.0 else u / (1.0 - u)

    def text(self, u: float) -> str:
        """``s = 1`` or ``weight 0.2``."""
        value = number(self.value(u))
        if self.symbol != "s":
            return f"{self.symbol} {value}"
        return "s → ∞" if u == 1.0 else f"s = {value}"

    def lengths(self) -> Floats:
        """How long each trace is in the picture, shape (D,)."""
        total = np.zeros(self.points.shape[1])
        for part in self.segments:
            total += np.linalg.norm(np.diff(self.points[part], axis=0), axis=2).sum(axis=0)
        return total


def course_of(
    traces: FactorTraces | WeightTraces, components: tuple[int, int], until: float = 1.0
) -> Course:
    """The course of all features in two of the components, up to u = ``until``."""
    over_scale = isinstance(traces, FactorTraces)
    middle = 0.5 if isinstance(traces, FactorTraces) else traces.current
    u, loadings, breaks = traces.u, traces.loadings, [int(k) for k in traces.breaks]
    for mark in {middle, until}:
        if u[0] < mark < u[-1] and mark not in u:
            u, loadings, breaks = _with_point(traces, mark, u, loadings, breaks)
    kept = int(np.searchsorted(u, until, side="right"))
    kept = max(kept, 1)
    ends = [0, *(k for k in breaks if k < kept), kept]
    return Course(
        u=u[:kept],
        points=loadings[:kept][:, :, list(components)],
        segments=tuple(slice(a, b) for a, b in pairwise(ends)),
        middle=middle,
        symbol="s" if over_scale else "weight",
        last=float(u[kept - 1]),
    )


def fit_at(traces: FactorTraces | WeightTraces, u: float) -> UAPCA:
    """The fit at one point of the path."""
    if isinstance(traces, WeightTraces):
        return traces.at(u)
    return traces.at(np.inf if u == 1.0 else u / (1.0 - u))


def _with_point(
    traces: FactorTraces | WeightTraces, mark: float, u: Floats, loadings: Floats, breaks: list[int]
) -> tuple[Floats, Floats, list[int]]:
    """The grid with one more point, from a fit there, signed and ordered as its neighbours.

    Where the trace jumps between them it goes with the one it is like.
    """
    k = int(np.searchsorted(u, mark))
    found = fit_at(traces, mark).components_.T.astype(np.float64)
    left, right = loadings[k - 1], loadings[k]
    if found.shape[1] < left.shape[1]:  # certain rows, fewer than components: nothing turns
        place, with_left = left, True
    else:
        (place, like), (other, unlike) = _aligned(found, left), _aligned(found, right)
        with_left = k not in breaks or like >= unlike
        place = place if with_left else other
    moved = [b + 1 if b > k or (b == k and with_left) else b for b in breaks]
    return np.insert(u, k, mark), np.insert(loadings, k, place, axis=0), moved


def _aligned(found: Floats, near: Floats) -> tuple[Floats, float]:
    """The columns of ``found`` in the order and with the signs of ``near``, and how alike."""
    overlap = found.T @ near
    rows, columns = linear_sum_assignment(-np.abs(overlap))
    placed = np.empty_like(near)
    placed[:, columns] = found[:, rows] * np.where(overlap[rows, columns] < 0, -1.0, 1.0)
    return placed, float(np.abs(overlap[rows, columns]).sum())
