"""Which rows are called by their names in a picture, and where the names belong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from uapca.uncertain import UncertainArray
from uapca.views.bounds import ring_of
from uapca.views.rows.colours import Colouring
from uapca.views.scene import Area, Ellipse, Floats, Ink, Label, Mark, Polyline
from uapca.views.text import shortened

__all__ = ["name_labels", "named"]

FEW = 12  # up to so many rows all have a name; of more, those that have room
MANY = 40  # more rows than this are called by name only if they are wide
NUMBERED = 24  # up to so many rows without names are called by their positions


def named(Y: UncertainArray, colours: Colouring, labels: bool | None) -> bool:
    """Whether rows are called by name; those without, by their positions where colour is by row."""
    if labels is not None:
        return labels
    if Y.names is None and not colours.wide:
        return len(Y) <= NUMBERED and not colours.groups
    return len(Y) <= MANY or bool(colours.wide)


def name_labels(
    Y: UncertainArray,
    order: Any,
    colours: Colouring,
    regions: Sequence[Mark],
    labels: bool | None,
) -> list[Mark]:
    """The names of rows, those of the widest first, so that these find room.

    Parameters
    ----------
    Y : UncertainArray of shape (N, 2)
    order : ndarray of shape (N,)
        The rows, the widest first.
    colours : Colouring
    regions : sequence of Mark
        What the rows are drawn as: wide rows have their names at the edge, where all others end.
    labels : bool or None
        All names, or, with None, those that there is room for.
    """
    means, count = np.asarray(Y.mean, dtype=np.float64), len(Y)
    shown = [int(i) for i in order] if count > FEW else list(range(count))
    if labels is None and count > (NUMBERED if Y.names is None else MANY):
        shown = [i for i in shown if i in colours.wide]
    return [
        Label(
            role="name",
            key=colours.keys[i],
            at=_edge(colours.keys[i], regions, means[i]) if i in colours.wide else _at(means[i]),
            text=shortened(colours.keys[i]),
            ink=Ink(color=colours.inks[i].color),
            moves=True,
            optional=labels is None and count > FEW and i not in colours.wide,
            layer=6,
        )
        for i in shown
    ]


def _edge(key: str, regions: Sequence[Mark], mean: Floats) -> tuple[float, float]:
    """The highest point of a row's outermost region."""
    for mark in regions:
        if mark.role != "row" or mark.key != key:
            continue
        if isinstance(mark, Ellipse):
            points = ring_of(mark)
        elif isinstance(mark, Area):
            points = np.concatenate([*mark.rings, mean[None]])
        elif isinstance(mark, Polyline):
            points = mark.points
        else:
            break
        return _at(points[np.argmax(points[:, 1])])
    return _at(mean)


def _at(point: Floats) -> tuple[float, float]:
    return float(point[0]), float(point[1])
