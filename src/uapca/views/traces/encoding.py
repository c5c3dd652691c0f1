"""What a trace can say besides where it goes: on its thickness or its colour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from uapca.sensitivity import FactorTraces, WeightTraces
from uapca.views.palette import INK
from uapca.views.scene import ColorBar, Floats, Ink, LegendEntry
from uapca.views.text import percent
from uapca.views.traces.course import Course

__all__ = ["ENCODINGS", "Encoding", "encoding_of"]

Encode: TypeAlias = Literal["eigenvalue", "gap", "stability"]

# What it is called in the legend, and in full beside a colour bar.
ENCODINGS = {
    "eigenvalue": ("variance shown", "share of the variance shown"),
    "gap": ("gap", "gap to the nearest eigenvalue, as a share"),
    "stability": ("stability", "stability, 1 / (1 + speed along u)"),
}
# From barely a line to three times the usual.
_THIN, _THICK = 0.35, 3.0
# Where all values are as close as this they are one.
_SAME = 5e-3


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """Values (S, D) from 0 to 1 along the course, and whether width or colour says them."""

    name: str
    label: str
    values: Floats
    on: str

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest value, so that the whole range of looks is used."""
        low, high = float(self.values.min()), float(self.values.max())
        return (low, high) if high - low > _SAME else (max(high - 1.0, 0.0), high)

    def widths(self, values: Floats) -> Floats | None:
        """Line widths for some of the values; None if the colour says them."""
        if self.on == "color":
            return None
        low, high = self.limits
        share = (values - low) / (high - low) if high > low else np.zeros_like(values)
        return np.asarray(_THIN + (_THICK - _THIN) * share)

    def colors(self, values: Floats) -> Floats | None:
        return values if self.on == "color" else None

    def colorbar(self) -> ColorBar | None:
        return ColorBar(label=self.label, limits=self.limits) if self.on == "color" else None

    def legend(self) -> tuple[LegendEntry, ...]:
        """Two lines that say what thin and thick mean."""
        if self.on == "color":
            return ()
        shown = np.unique([max(self.limits[0], float(self.values.min())), self.limits[1]])
        widths = self.widths(shown)
        assert widths is not None
        return tuple(
            LegendEntry(text=f"{self.name} {percent(v)}", ink=Ink(color=INK, width=float(w)))
            for v, w in zip(shown, widths, strict=True)
        )


def encoding_of(
    encode: str, on: str, traces: FactorTraces | WeightTraces, course: Course, shown: list[int]
) -> Encoding:
    """What ``encode`` says along a course.

    All lie between 0 and 1: the share of the variance in the two components shown; the gap between
    them and their nearest neighbours as a share of their own eigenvalue, the smaller of the two;
    and 1 / (1 + v), where v is how fast the feature moves, in radii for all of u.
    """
    if encode == "stability":
        return Encoding(*ENCODINGS[encode], _stability(course), on)
    values = (
        traces.normalized_eigenvalues if isinstance(traces, FactorTraces) else traces.eigenvalues
    )
    ranks = traces.ranks[:, shown]
    own = np.take_along_axis(values, ranks, axis=1)
    along = _share(own, values) if encode == "eigenvalue" else _gap(own, values, ranks)
    spread = np.interp(course.u, traces.u, along)
    spread = np.repeat(spread[:, None], course.points.shape[1], axis=1)
    return Encoding(*ENCODINGS[encode], spread, on)


def _share(own: Floats, values: Floats) -> Floats:
    total = values.sum(axis=1)
    share = np.divide(own.sum(axis=1), total, out=np.zeros_like(total), where=total > 0)
    return np.asarray(share)


def _gap(own: Floats, values: Floats, ranks: NDArray[np.int64]) -> Floats:
    edge = np.full((len(values), 1), np.inf)
    steps = np.concatenate([edge, values[:, :-1] - values[:, 1:], edge], axis=1)
    nearest = np.minimum(
        np.take_along_axis(steps, ranks, axis=1), np.take_along_axis(steps, ranks + 1, axis=1)
    )
    share = np.divide(nearest, own, out=np.zeros_like(own), where=own > 0)
    return np.asarray(np.clip(share, 0.0, 1.0).min(axis=1))


def _stability(course: Course) -> Floats:
    speed = np.zeros(course.points.shape[:2])
    for part in course.segments:
        if part.stop - part.start > 1:
            rates = np.gradient(course.points[part], course.u[part], axis=0)
            speed[part] = np.linalg.norm(rates, axis=2)
    return np.asarray(1.0 / (1.0 + speed))
