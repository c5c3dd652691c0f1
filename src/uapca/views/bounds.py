"""What room the marks of a picture take, exactly."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from uapca.views.scene import Area, Ellipse, Floats, Mark, Markers, Polyline

__all__ = ["bounds", "ellipse_reach", "height_for", "ring_of"]


def ellipse_reach(ellipse: Ellipse) -> Floats:
    """Half the width and height of an ellipse's upright box, (2,).

    >>> ellipse_reach(Ellipse(role="row", center=(0, 0), radii=(2, 1), angle=90)).round(12)
    array([1., 2.])
    """
    turn = np.radians(ellipse.angle)
    along = np.array([np.cos(turn), np.sin(turn)])
    across = np.array([-along[1], along[0]])
    return np.asarray(np.hypot(ellipse.radii[0] * along, ellipse.radii[1] * across))


def ring_of(ellipse: Ellipse, count: int = 64) -> Floats:
    """Points around an ellipse, the first once more at the end, (count + 1, 2)."""
    around = np.linspace(0, 2 * np.pi, count + 1)
    turn = np.radians(ellipse.angle)
    along = np.array([np.cos(turn), np.sin(turn)])
    across = np.array([-along[1], along[0]])
    circle = np.outer(np.cos(around), ellipse.radii[0] * along)
    points = circle + np.outer(np.sin(around), ellipse.radii[1] * across)
    return np.asarray(np.array(ellipse.center) + points)


def bounds(marks: Iterable[Mark]) -> Floats:
    """The box ((x low, y low), (x high, y high)) of all that has a place in the data."""
    points = [corner for mark in marks for corner in _corners(mark)]
    if not points:
        return np.array([[-1.0, -1.0], [1.0, 1.0]])
    return np.array([np.min(points, axis=0), np.max(points, axis=0)])


def _corners(mark: Mark) -> list[Floats]:
    if isinstance(mark, Ellipse):
        reach = ellipse_reach(mark)
        return [np.array(mark.center) - reach, np.array(mark.center) + reach]
    parts = mark.rings if isinstance(mark, Area) else ()
    if isinstance(mark, Markers | Polyline):
        parts = (mark.points,)
    return [end for part in parts if len(part) for end in (part.min(axis=0), part.max(axis=0))]


def height_for(box: Floats, legend_lines: int = 0) -> float:
    """The height of a panel, in units of its width, in which the box leaves little room empty."""
    width, height = np.maximum(box[1] - box[0], 1e-300)
    # What labels and ticks take at one paper column, as shares of the width.
    plain = float(np.clip(height / width, 0.45, 1.25))
    return round(0.85 * plain + 0.13 + 0.045 * legend_lines, 3)
