"""One trace as marks: shaded, drawn, with its stations; and the unit circle it lies in."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from uapca.views.palette import GREY, LIGHT
from uapca.views.scene import Area, Ellipse, Floats, Ink, Mark, Markers, Polyline
from uapca.views.traces.course import Course
from uapca.views.traces.encoding import Encoding

__all__ = ["MIRRORED", "feature_marks", "guides", "still"]

# The opacity of mirror images.
MIRRORED = 0.38
# A trace shorter than this, in radii, is a point on paper.
POINT = 4e-3
# A line shorter than this has no room for an arrowhead.
HEADLESS = 0.03
# A step that sweeps less than this, in squares of the radius, turns neither way.
SLIVER = 1e-9


def feature_marks(
    course: Course,
    j: int,
    name: str,
    ink: Ink,
    *,
    twin: bool,
    on: bool,
    encoding: Encoding | None,
    size: float,
) -> list[Mark]:
    """One trace or its mirror image: shaded, drawn, marked."""
    path = -course.points[:, j] if twin else course.points[:, j]
    role = "twin" if twin else "trace"
    ink = replace(ink, opacity=MIRRORED) if twin else ink
    layer = 2 if twin or not on else 4
    line = replace(ink, fill=None)
    if still(path):
        dot = replace(ink, fill=ink.color, fill_opacity=1.0)
        return [
            _spoke(path[-1], role, name, line, layer),
            Markers(role=role, key=name, points=path[:1], ink=dot, size=0.7 * size, layer=layer),
        ]
    marks: list[Mark] = []
    rings = _swept(course, path)
    if on and rings:
        area = replace(ink, width=0.0)
        marks.append(Area(role=f"{role} swept", key=name, rings=rings, ink=area, layer=layer - 1))
    for part in course.segments:
        ends = part.stop == len(course.u) and course.to_the_end
        values = encoding.values[part, j] if encoding is not None and not twin else None
        marks.append(
            Polyline(
                role=role,
                key=name,
                points=path[part],
                arrow=on and ends and _length(path[part]) > HEADLESS,
                arrow_size=size,
                widths=None if encoding is None or values is None else encoding.widths(values),
                values=None if encoding is None or values is None else encoding.colors(values),
                ink=line,
                layer=layer,
            )
        )
    if on and not twin:
        marks += _stations(course, path, name, ink, size, layer + 1)
    return marks


def _swept(course: Course, path: Floats) -> tuple[Floats, ...]:
    """What the unit vector sweeps over from the start to the middle, as fans about the centre.

    A trace that turns back sweeps the same ground twice. It is cut where it turns, and all fans go
    round one way: they add up, where a single ring would cancel itself.
    """
    fans: list[Floats] = []
    way = 0.0
    for part in course.segments:
        points = path[part][course.u[part] <= course.middle]
        for fan, turn in _fans(points):
            way = way or turn
            fans.append(fan if turn == way else fan[::-1])
    return tuple(np.concatenate([np.zeros((1, 2)), fan]) for fan in fans)


def _fans(points: Floats) -> list[tuple[Floats, float]]:
    """A path in pieces, each with the way it goes round the centre: 1 is to the left, −1 right."""
    if len(points) < 2:
        return []
    turns = points[:-1, 0] * points[1:, 1] - points[:-1, 1] * points[1:, 0]
    ways = np.sign(np.where(np.abs(turns) > SLIVER, turns, 0.0))
    # A step straight in or out goes with those before it, the first ones with those after.
    known = np.flatnonzero(ways)
    if not len(known):
        return [(points, 1.0)]
    before = np.clip(np.searchsorted(known, np.arange(len(ways)), side="right") - 1, 0, None)
    ways = ways[known[before]]
    cuts = [0, *(np.flatnonzero(np.diff(ways)) + 1).tolist(), len(ways)]
    return [(points[a : b + 1], float(ways[a])) for a, b in pairwise(cuts)]


def _stations(
    course: Course, path: Floats, name: str, ink: Ink, size: float, layer: int
) -> list[Mark]:
    """Markers at s = 0, hollow and round, and at s = 1, full and square."""
    line = replace(ink, fill_opacity=1.0, width=0.8 * size, dash="solid")
    marks: list[Mark] = []
    if course.from_zero:
        marks.append(
            Markers(
                role="start",
                key=name,
                points=path[:1],
                ink=replace(line, fill="#ffffff"),
                size=0.8 * size,
                layer=layer,
            )
        )
    if course.through_middle:
        marks.append(
            Markers(
                role="given",
                key=name,
                points=path[course.u == course.middle],
                shape="square",
                ink=replace(line, fill=ink.color),
                size=0.7 * size,
                layer=layer,
            )
        )
    return marks


def _spoke(end: Floats, role: str, name: str, ink: Ink, layer: int) -> Mark:
    thin = replace(ink, width=0.5)
    return Polyline(
        role=f"{role} spoke", key=name, points=np.array([[0, 0], end]), ink=thin, layer=layer - 1
    )


def still(path: Floats) -> bool:
    return bool(np.ptp(path, axis=0).max() < POINT)


def _length(path: Floats) -> float:
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())


def guides() -> tuple[Mark, ...]:
    thin = Ink(color=LIGHT, width=0.6)
    return (
        Ellipse(
            role="unit circle",
            center=(0.0, 0.0),
            radii=(1.0, 1.0),
            ink=Ink(color=GREY, width=0.7),
            guide=True,
            layer=0,
        ),
        Polyline(
            role="axis", points=np.array([[-1.0, 0.0], [1.0, 0.0]]), ink=thin, guide=True, layer=0
        ),
        Polyline(
            role="axis", points=np.array([[0.0, -1.0], [0.0, 1.0]]), ink=thin, guide=True, layer=0
        ),
    )
