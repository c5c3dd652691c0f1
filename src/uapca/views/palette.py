"""The one place for colours, dashes and marker shapes: colour-blind safe and readable in grey.

The colours are those of Okabe and Ito (Color Universal Design, 2008); their yellow comes last,
because it is weak on white paper, and its lines and text are a darker one. Where
colours repeat, dashes and shapes go on telling apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from uapca.views.scene import Dash, Ink, Shape

__all__ = [
    "ACCENT",
    "DARK_YELLOW",
    "DASHES",
    "GREY",
    "INK",
    "LIGHT",
    "OKABE_ITO",
    "SEQUENTIAL",
    "SHAPES",
    "TEXT_GREY",
    "inks",
    "text_color",
]

OKABE_ITO = (
    "#0072B2",  # blue
    "#D55E00",  # vermilion
    "#009E73",  # bluish green
    "#CC79A7",  # reddish purple
    "#E69F00",  # orange
    "#56B4E9",  # sky blue
    "#000000",  # black
    "#F0E442",  # yellow
)
# The line and text of what is filled yellow: contrast 4.8 on white, where yellow itself has 1.3.
DARK_YELLOW = "#7D7400"
INK = None  # the reader's own text colour
GREY = "#7F7F7F"
TEXT_GREY = "#6B6B6B"  # contrast 5.3 on white
LIGHT = "#C8C8C8"
ACCENT = OKABE_ITO[1]
SEQUENTIAL = "cividis"  # made to look alike with and without colour-blindness, monotone in grey

DASHES: tuple[Dash, ...] = ("solid", "dashed", "dotted", "dashdot")
SHAPES: tuple[Shape, ...] = ("circle", "square", "triangle", "diamond", "down", "cross", "plus")


def inks(
    count: int, palette: Sequence[str] | None = None, *, fill_opacity: float = 0.18, **more: Any
) -> tuple[Ink, ...]:
    """One ink for each of `count` kinds: colours in turn, then the same with the next dash.

    >>> [(ink.color, ink.dash) for ink in inks(9)][::8]
    [('#0072B2', 'solid'), ('#0072B2', 'dashed')]
    """
    colors = tuple(palette) if palette is not None else OKABE_ITO
    return tuple(
        Ink(
            color=_line(colors[i % len(colors)]),
            fill=colors[i % len(colors)],
            fill_opacity=fill_opacity,
            dash=DASHES[i // len(colors) % len(DASHES)],
            **more,
        )
        for i in range(count)
    )


def text_color(ink: Ink) -> str | None:
    """The ink's colour for text; the yellow, which cannot be read on white, is darker."""
    return None if ink.color is None else _line(ink.color)


def _line(color: str) -> str:
    return DARK_YELLOW if color == OKABE_ITO[-1] else color
