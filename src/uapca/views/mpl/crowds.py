"""Very many marks, drawn as few artists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from uapca.views import scene
from uapca.views.bounds import bounds, ring_of
from uapca.views.mpl.ink import patch_ink
from uapca.views.mpl.style import matplotlib

__all__ = ["FEW", "MANY", "crowd", "crowds"]

FEW = 100  # up to so many ellipses are each a patch of its own
MANY = 1500  # more points than this are kept as pixels in vector files


def crowds(
    marks: Iterable[scene.Mark],
) -> tuple[list[scene.Mark], list[list[scene.Ellipse]]]:
    """The marks to draw one by one, and the ellipses to draw together, by ink."""
    listed = list(marks)
    ellipses = [mark for mark in listed if isinstance(mark, scene.Ellipse)]
    if len(ellipses) <= FEW:
        return listed, []
    groups: dict[Any, list[scene.Ellipse]] = {}
    for mark in ellipses:
        groups.setdefault((mark.role, mark.ink, mark.layer, mark.guide), []).append(mark)
    rest = [mark for mark in listed if not isinstance(mark, scene.Ellipse)]
    return rest, list(groups.values())


def crowd(marks: list[scene.Ellipse], ax: Any) -> Any:
    """Ellipses of one ink as one collection of polygons."""
    ink = patch_ink(marks[0].ink)
    polygons = matplotlib("collections").PolyCollection(
        np.stack([ring_of(mark, 48) for mark in marks]),
        edgecolors=[ink["edgecolor"]],
        facecolors=[ink["facecolor"]],
        linewidths=ink["linewidth"],
        linestyles=[ink["linestyle"]],
    )
    ax.add_collection(polygons, autolim=False)
    ax.update_datalim(bounds(marks))
    if len(marks) > MANY:
        polygons.set_rasterized(True)
    return polygons
