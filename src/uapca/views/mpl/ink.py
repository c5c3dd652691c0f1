"""Ink in matplotlib's words: the one place where looks are translated."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from uapca._validation import complaint
from uapca.views import scene
from uapca.views.mpl.style import matplotlib
from uapca.views.palette import OKABE_ITO
from uapca.views.text import literal

__all__ = [
    "DASHES",
    "SHAPES",
    "check_colors",
    "drawable",
    "escaped",
    "ink_of",
    "own",
    "patch_ink",
    "readable",
    "text_ink",
]

CONTRAST = 4.5  # of text on its background, by the rule of the Web Content Accessibility Guidelines

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


def check_colors(colors: Iterable[Any], parameter: str) -> None:
    """Refuse text that is no colour to matplotlib; what is no text is not judged here."""
    known = matplotlib("colors").is_color_like
    for color in colors:
        if isinstance(color, str) and not known(color):
            raise ValueError(
                complaint(
                    parameter,
                    "name colours that matplotlib knows",
                    f"got {color!r}",
                    f"Pass for instance {OKABE_ITO[0]!r} or 'tab:blue'",
                )
            )


def drawable(text: str) -> str:
    """The text with nothing that steers; the pictures of control characters are in few fonts."""
    return literal(text).translate(dict.fromkeys(range(0x2400, 0x2427), "\ufffd"))


def escaped(text: str) -> str:
    """Text that matplotlib shows as it is: no formula is read into it."""
    return drawable(text).replace("$", r"\$")


def own(color: str | None) -> Any:
    """A colour, where black means the reader's own: it is white on a dark background."""
    text = matplotlib().rcParams["text.color"]
    return text if color is None or color.lower() == "#000000" else color


def readable(color: Any, background: Any) -> Any:
    """The colour, mixed with black or white until text in it can be read on the background."""
    to_rgb = matplotlib("colors").to_rgb
    mixed, behind = np.array(to_rgb(color)), _light(to_rgb(background))
    towards = 0.0 if behind > 0.18 else 1.0
    for _ in range(20):
        lighter, darker = sorted((_light(mixed), behind), reverse=True)
        if (lighter + 0.05) / (darker + 0.05) >= CONTRAST:
            break
        mixed = 0.85 * mixed + 0.15 * towards
    return tuple(mixed.tolist())


def _light(rgb: Any) -> float:
    """Relative luminance of an sRGB colour."""
    linear = np.where(np.array(rgb) <= 0.04045, np.array(rgb) / 12.92, 0.0)
    linear = np.where(np.array(rgb) > 0.04045, ((np.array(rgb) + 0.055) / 1.055) ** 2.4, linear)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def ink_of(ink: scene.Ink) -> dict[str, Any]:
    """The ink as matplotlib's words for lines."""
    params = matplotlib().rcParams
    return {
        "color": own(ink.color),
        "linewidth": ink.width * params["lines.linewidth"],
        # A line without width has no dashes: older versions of matplotlib stumble over them.
        "linestyle": DASHES[ink.dash] if ink.width else "-",
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
        else to_rgba(own(ink.fill), ink.fill_opacity * ink.opacity),
        "linewidth": line["linewidth"],
        "linestyle": line["linestyle"],
    }


def text_ink(label: scene.Label) -> dict[str, Any]:
    """How the text of a label looks, in matplotlib's words."""
    params = matplotlib().rcParams
    return {
        "color": own(label.ink.color),
        "alpha": label.ink.opacity,
        "fontsize": label.size * 0.9 * params["font.size"],
        "fontweight": "bold" if label.bold else "normal",
        "parse_math": False,
    }
