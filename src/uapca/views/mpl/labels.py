"""Labels that make room for each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from uapca.views import scene
from uapca.views.mpl.ink import text_ink
from uapca.views.mpl.style import matplotlib
from uapca.views.text import literal

__all__ = ["moving_text", "place"]

# Steps of the search, not seconds, so that a picture comes out the same on a slow machine.
STEPS = 400


def moving_text(label: scene.Label, ax: Any) -> Any:
    """The text of a label that may move, for now at its point."""
    return ax.text(
        *label.at,
        literal(label.text),
        ha=label.horizontal,
        va=label.vertical,
        clip_on=False,
        **text_ink(label),
    )


def place(texts: list[Any], ax: Any, panel: scene.Panel) -> None:
    """Move labels until they overlap neither each other nor the marked points.

    A label that had to go far is joined to its point by a thin line.
    """
    if not texts:
        return
    try:
        from adjustText import adjust_text
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            'labels are placed with adjustText, which is not installed: pip install "uapca[plot]"',
            name="adjustText",
        ) from None
    at = np.array([text.get_position() for text in texts])
    solid = np.concatenate([at, *(mark.points for mark in panel.of(scene.Markers))])
    params = matplotlib().rcParams
    adjust_text(
        texts,
        x=solid[:, 0],
        y=solid[:, 1],
        target_x=at[:, 0],
        target_y=at[:, 1],
        ax=ax,
        iter_lim=STEPS,
        expand=(1.15, 1.35),
        min_arrow_len=1.2 * params["font.size"],
        arrowprops={
            "arrowstyle": "-",
            "color": params["text.color"],
            "alpha": 0.5,
            "linewidth": 0.5 * params["lines.linewidth"],
        },
    )
