"""Many pictures on one page, to be looked over at a glance."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from uapca.plot.base import settings
from uapca.plot.labels import drawable

__all__ = ["contact_sheet"]

WIDTH, GAP, TITLE = 5.0, 0.25, 0.22  # inches


def contact_sheet(pictures: Mapping[str, Path], columns: int = 2) -> Any:
    """A Figure with all pictures under their names, in columns filled from the shortest.

    All are shrunk alike: the widest one fills its column, and the others keep their type as large
    as its own.

    Parameters
    ----------
    pictures : mapping of str to Path
        PNG files by name.
    columns : int, default=2

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.figure import Figure
    from matplotlib.image import imread

    images = {name: imread(path) for name, path in pictures.items()}
    inch = WIDTH / max((image.shape[1] for image in images.values()), default=1)
    tops = [0.0] * columns
    places: list[tuple[str, int, float, float, float]] = []
    for name, image in images.items():
        column = tops.index(min(tops))
        wide, height = inch * image.shape[1], inch * image.shape[0]
        places.append((name, column, tops[column] + TITLE, wide, height))
        tops[column] += TITLE + height + GAP
    width, height = columns * (WIDTH + GAP) + GAP, max(tops) + GAP
    with settings():
        figure = Figure(figsize=(width, height), facecolor="white")
        for name, column, top, wide, tall in places:
            left = GAP + column * (WIDTH + GAP)
            bottom = height - GAP - top - tall
            box = (left / width, bottom / height, wide / width, tall / height)
            ax = figure.add_axes(box)
            ax.imshow(images[name], aspect="auto", interpolation="lanczos")
            ax.set_axis_off()
            ax.set_title(drawable(name), parse_math=False, loc="left", fontweight="bold")
    return figure
