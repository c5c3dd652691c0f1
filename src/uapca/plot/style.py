"""Type sizes, figure widths and matplotlib's settings; colours as matplotlib takes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.colors import to_hex, to_rgb

from uapca._looks import GREY, LIGHT, OKABE_ITO

__all__ = ["GREY", "LIGHT", "OKABE_ITO", "drawn_color", "readable", "settings", "style"]

LINESTYLES: dict[str, Any] = {
    "solid": "-",
    "dashed": (0, (5, 2)),
    "dotted": (0, (1, 1.5)),
    "dashdot": "-.",
}
MARKERS = {
    "circle": "o",
    "square": "s",
    "triangle": "^",
    "diamond": "D",
    "down": "v",
    "cross": "X",
    "plus": "P",
}
# The width of a figure in inches and the size of its type in points.
STYLES = {"paper": (3.5, 8.0), "notebook": (5.5, 10.0), "talk": (8.0, 16.0)}
_chosen = ["paper"]


class style(AbstractContextManager[None]):
    """Choose the size of figures and type for all plots that follow.

    Your own rcParams are kept: only settings that still have matplotlib's factory value change,
    and only while a plot draws its own figure.

    Parameters
    ----------
    name : {"paper", "notebook", "talk"}
        "paper", the start: 3.5 inches wide, one column of a two-column page, with 8-point type;
        "notebook": 5.5 inches, 10 points; "talk": 8 inches, 16 points.

    See Also
    --------
    uapca.plot.projection : The projected rows.

    Examples
    --------
    >>> import uapca
    >>> uapca.plot.style("talk")  # from now on  # doctest: +SKIP
    >>> with uapca.plot.style("notebook"):  # for these plots only
    ...     pass
    """

    def __init__(self, name: Literal["paper", "notebook", "talk"]) -> None:
        if name not in STYLES:
            raise ValueError(f"style must be 'paper', 'notebook' or 'talk'; got {name!r}")
        self._before = _chosen[0]
        _chosen[0] = name

    def __exit__(self, *error: object) -> None:
        _chosen[0] = self._before


def figure_width() -> float:
    """The width of a new figure with one panel, in inches."""
    return STYLES[_chosen[0]][0]


@contextmanager
def settings() -> Iterator[None]:
    """A context with settings for the chosen style, where the user has none of their own."""
    size = STYLES[_chosen[0]][1]
    k = size / 8.0
    wanted: dict[Any, Any] = {
        "font.size": size,
        "axes.labelsize": "medium",
        "axes.titlesize": "medium",
        "legend.fontsize": "small",
        "xtick.labelsize": "small",
        "ytick.labelsize": "small",
        "lines.linewidth": 1.1 * k,
        "lines.markersize": 4.5 * k,
        "axes.linewidth": 0.6 * k,
        "xtick.major.width": 0.6 * k,
        "ytick.major.width": 0.6 * k,
        "xtick.major.size": 2.5 * k,
        "ytick.major.size": 2.5 * k,
        "axes.titlepad": 5.0 * k,
        "hatch.linewidth": 0.5 * k,
        "legend.frameon": False,
        "figure.dpi": 150.0,
        "savefig.dpi": 300.0,
        "svg.fonttype": "none",
        "svg.hashsalt": "uapca",
        "pdf.fonttype": 42,
    }
    factory: dict[Any, Any] = mpl.rcParamsDefault
    untouched = {key: wanted[key] for key in wanted if mpl.rcParams[key] == factory[key]}
    with mpl.rc_context(untouched):
        yield


def cycle_colors() -> Sequence[str]:
    """The user's own colour cycle, where there is one; else Okabe and Ito's."""
    cycle = mpl.rcParams["axes.prop_cycle"]
    if cycle == mpl.rcParamsDefault["axes.prop_cycle"] or "color" not in cycle.keys:
        return OKABE_ITO
    return tuple(to_hex(color) for color in cycle.by_key()["color"])


def drawn_color(color: Any) -> Any:
    """A colour, where None and black mean the user's own text colour (white on dark paper)."""
    black = color is None or (isinstance(color, str) and color.lower() == "#000000")
    return mpl.rcParams["text.color"] if black else color


def readable(color: Any, background: Any) -> tuple[float, float, float]:
    """The colour, mixed with black or white until text in it can be read on the background.

    The contrast is at least 4.5, by the rule of the Web Content Accessibility Guidelines.
    """
    mixed, behind = np.array(to_rgb(color)), luminance(to_rgb(background))
    toward = 0.0 if behind > 0.18 else 1.0
    for _ in range(20):
        dark, light = sorted((luminance(mixed), behind))
        if (light + 0.05) / (dark + 0.05) >= 4.5:
            break
        mixed = 0.85 * mixed + 0.15 * toward
    return tuple(mixed.tolist())


def luminance(rgb: Any) -> float:
    """The relative luminance of an sRGB colour."""
    parts = np.asarray(rgb, dtype=np.float64)
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])
