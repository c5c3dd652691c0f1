"""Ink in matplotlib's words: the one place where looks are translated."""

from __future__ import annotations

from typing import Any

from uapca.views import scene
from uapca.views.mpl.style import matplotlib
from uapca.views.text import literal

__all__ = ["DASHES", "SHAPES", "escaped", "ink_of", "patch_ink", "text_ink"]

DASHES = {"solid": "-", "dashed": (0, (5, 2)), "dotted": (0, (1, 1.5)), "dashdot": "-."}
SHAPES = {
    "circle": "o",
    "square": "s",
    "diamond": "D",
    "triangle": "^",
    "down": "v",
    "cross": "x",
    "plus": "+",
}


def escaped(text: str) -> str:
    """Text that matplotlib shows as it is: no formula is read into it."""
    return literal(text).replace("$", r"\$")


def ink_of(ink: scene.Ink) -> dict[str, Any]:
    """The ink as matplotlib's words for lines."""
    params = matplotlib().rcParams
    return {
        "color": ink.color if ink.color is not None else params["text.color"],
        "linewidth": ink.width * params["lines.linewidth"],
        "linestyle": DASHES[ink.dash],
        "alpha": ink.opacity,
    }


def patch_ink(ink: scene.Ink) -> dict[str, Any]:
    """The ink as matplotlib's words for patches, with an outline apart from the filling."""
    to_rgba = matplotlib("colors").to_rgba
    line = ink_of(ink)
    return {
        "edgecolor": to_rgba(line["color"], ink.opacity) if ink.width > 0 else "none",
        "facecolor": "none"
        if ink.fill is None
        else to_rgba(ink.fill, ink.fill_opacity * ink.opacity),
        "linewidth": line["linewidth"],
        "linestyle": line["linestyle"],
    }


def text_ink(label: scene.Label) -> dict[str, Any]:
    """How the text of a label looks, in matplotlib's words."""
    params = matplotlib().rcParams
    return {
        "color": label.ink.color if label.ink.color is not None else params["text.color"],
        "alpha": label.ink.opacity,
        "fontsize": label.size * 0.9 * params["font.size"],
        "fontweight": "bold" if label.bold else "normal",
        "parse_math": False,
    }
