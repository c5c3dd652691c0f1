"""Colours, dashes and marker shapes of rows, groups and features; type sizes and figure widths.

The colours are those of Okabe and Ito (Color Universal Design, 2008): people with every kind of
colour vision can tell them apart. Yellow comes last, because it is weak on white, and has a darker
line. From the ninth kind on, dashes and shapes go on telling apart.

What a row, group or feature looks like is decided here for the plots and for the explorer. It is
plain data: nothing is imported from matplotlib before something is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Look", "Palette", "RowLooks", "looks", "natural_key", "row_looks", "settings", "style"]

Floats: TypeAlias = npt.NDArray[np.float64]
Color: TypeAlias = str | tuple[float, float, float]
Palette: TypeAlias = Sequence[Color] | Mapping[str, Color] | None

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
DARK_YELLOW = "#7D7400"  # contrast 4.8 on white, where yellow itself has 1.3
GREY, LIGHT = "#6B6B6B", "#C8C8C8"
SEQUENTIAL = "cividis"  # monotone in grey, alike with and without colour blindness

DASHES = ("solid", "dashed", "dotted", "dashdot")
SHAPES = ("circle", "square", "triangle", "diamond", "down", "cross", "plus")
# matplotlib's names for them.
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

MANY = 24  # more rows than this are not told apart by colour, except the widest:
WIDE = 2.0  # those with more than this times the median spread


@dataclass(frozen=True, slots=True)
class Look:
    """The colour of lines and text, the colour of areas, a dash and a marker shape."""

    color: str
    fill: str
    dash: str = "solid"
    shape: str = "circle"


@dataclass(frozen=True, slots=True)
class RowLooks:
    """The looks of N rows.

    Attributes
    ----------
    keys : tuple of N str
        The rows' names, or their positions.
    looks : tuple of N Look
    groups : tuple of str
        The group of each row; empty if rows are coloured by name or by value.
    legend : tuple of (str, Look)
        One entry for each group, in natural order.
    values : ndarray of shape (N,) or None
        Continuous groups, which a colour bar explains.
    wide : tuple of int
        The rows much wider than most, the widest first, where only they have colours.
    """

    keys: tuple[str, ...]
    looks: tuple[Look, ...]
    groups: tuple[str, ...] = ()
    legend: tuple[tuple[str, Look], ...] = ()
    values: Floats | None = None
    wide: tuple[int, ...] = ()


def looks(count: int, colors: Sequence[str] = OKABE_ITO) -> tuple[Look, ...]:
    """The looks of `count` kinds: colours and shapes in turn, then the next dash.

    >>> [(look.color, look.dash, look.shape) for look in looks(9)][::8]
    [('#0072B2', 'solid', 'circle'), ('#0072B2', 'dashed', 'square')]
    """
    return tuple(
        Look(
            DARK_YELLOW if colors[i % len(colors)] == OKABE_ITO[-1] else colors[i % len(colors)],
            colors[i % len(colors)],
            DASHES[i // len(colors) % len(DASHES)],
            SHAPES[i % len(SHAPES)],
        )
        for i in range(count)
    )


def natural_key(label: Any) -> tuple[Any, ...]:
    """Sort numbers by value and text as people count, g2 before g10.

    >>> sorted(["g10", "g2", "a", 3], key=natural_key)
    [3, 'a', 'g2', 'g10']
    """
    if isinstance(label, int | float | np.number):
        return (0, float(label), str(label))
    parts = re.split(r"(\d+)", str(label))
    return (1, *((int(p), "") if p.isdecimal() else (-1, p) for p in parts))


def row_looks(
    names: Sequence[str] | None,
    count: int,
    groups: Any = None,
    palette: Palette = None,
    *,
    colors: Sequence[str] = OKABE_ITO,
    spreads: Floats | None = None,
) -> RowLooks:
    """The looks of `count` rows.

    Parameters
    ----------
    names : sequence of str or None
    count : int
    groups : sequence of `count` labels or numbers, optional
        Categories have a colour, dash and shape each. Numbers that are fractions, or of which more
        than twelve differ, are continuous. Without groups each row has a look of its own, as long
        as there are at most 24.
    palette : sequence of colours, or mapping from name or group to colour, optional
        A mapping may leave some out; they get colours that are still free.
    colors : sequence of str
        The colours used where there is no palette.
    spreads : ndarray of shape (count,), optional
        The standard deviations of the rows: of more than 24 rows the few widest have colours.
    """
    keys = tuple(names) if names is not None else tuple(str(i) for i in range(count))
    if groups is None:
        if count > MANY and palette is None:
            return _alike(keys, colors, spreads)
        table = _table(keys, palette, colors)
        return RowLooks(keys, tuple(replace(table[key], shape="circle") for key in keys))
    labels = _labels(groups, count)
    values = _continuous(labels)
    if values is not None:
        grey = Look(GREY, GREY)
        return RowLooks(keys, (grey,) * count, values=values)
    texts = ["no group" if _missing(label) else str(label) for label in labels]
    kinds = {text: label for text, label in zip(texts, labels, strict=True) if not _missing(label)}
    order = sorted(kinds, key=lambda text: natural_key(kinds[text]))
    table = _table(order, palette, colors)
    if "no group" in texts and "no group" not in table:
        order, table["no group"] = [*order, "no group"], Look(GREY, LIGHT)
    return RowLooks(
        keys,
        tuple(table[text] for text in texts),
        groups=tuple(texts),
        legend=tuple((text, table[text]) for text in order),
    )


def _alike(keys: tuple[str, ...], colors: Sequence[str], spreads: Floats | None) -> RowLooks:
    """All rows in the first colour, but for the few that are much wider than most."""
    own = list(looks(6, colors))
    found = [replace(own[0], shape="circle")] * len(keys)
    usual = 0.0 if spreads is None else float(np.median(spreads))
    widest = [] if spreads is None else np.argsort(-spreads, kind="stable")[:5].tolist()
    wide = [i for i in widest if spreads is not None and spreads[i] > WIDE * usual]
    for i, look in zip(wide, own[1:], strict=False):
        found[i] = look
    return RowLooks(keys, tuple(found), wide=tuple(wide))


def _table(kinds: Sequence[str], palette: Palette, colors: Sequence[str]) -> dict[str, Look]:
    if palette is None:
        return dict(zip(kinds, looks(len(kinds), colors), strict=True))
    if isinstance(palette, str) or not len(palette):
        raise ValueError(
            "palette must be a sequence of colours or a mapping from name or group to colour; "
            f"got {palette!r}"
        )
    if not isinstance(palette, Mapping):
        given = [color_text(color) for color in palette]
        return dict(zip(kinds, looks(len(kinds), given), strict=True))
    chosen = {str(kind): color_text(color) for kind, color in palette.items()}
    free = [color for color in colors if color not in chosen.values()] or list(colors)
    rest = iter(looks(len(kinds), free))
    table = {}
    for i, kind in enumerate(kinds):
        if kind in chosen:
            look = looks(1, [chosen[kind]])[0]
            table[kind] = replace(look, shape=SHAPES[i % len(SHAPES)])
        else:
            table[kind] = next(rest)
    return table


def color_text(color: Any) -> str:
    """A colour as text: as it is, or from red, green and blue between 0 and 1."""
    if isinstance(color, str):
        return color
    parts = np.atleast_1d(color)
    if parts.shape == (3,) and parts.dtype.kind in "fiu" and ((parts >= 0) & (parts <= 1)).all():
        return "#" + "".join(f"{round(255 * part):02X}" for part in parts.tolist())
    raise ValueError(
        f"palette must have colours as text, or red, green and blue from 0 to 1; got {color!r}"
    )


def _labels(groups: Any, count: int) -> list[Any]:
    labels = [groups] if isinstance(groups, str) else list(groups)
    if isinstance(groups, str) or len(labels) != count:
        got = repr(groups) if isinstance(groups, str) else len(labels)
        raise ValueError(f"groups must have one label for each of the {count} rows; got {got}")
    return labels


def _missing(label: Any) -> bool:
    return label is None or (isinstance(label, float | np.floating) and bool(np.isnan(label)))


def _continuous(labels: list[Any]) -> Floats | None:
    """Numbers to be shown on a colour bar, NaN where there is none; None for categories."""
    known = [label for label in labels if not _missing(label)]
    numbers = all(
        isinstance(label, int | float | np.number) and not isinstance(label, bool | np.bool_)
        for label in known
    )
    if not known or not numbers:
        return None
    whole = all(float(label).is_integer() for label in known)
    if whole and len(set(known)) <= 12:
        return None
    return np.array([np.nan if _missing(label) else float(label) for label in labels])


# -- matplotlib's settings ----------------------------------------------------------------------

# The width of a figure in inches and the size of its type in points.
STYLES = {"paper": (3.5, 8.0), "notebook": (5.5, 10.0), "talk": (8.0, 16.0)}
WIDE_FIGURE = 7.2 / 3.5  # the width of figures with several panels, in columns
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
    """A context with settings for the chosen style, where the user has none of their own.

    Raises
    ------
    ModuleNotFoundError
        Where matplotlib is not installed; the message names the extra.
    """
    try:
        import matplotlib as mpl
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        raise ModuleNotFoundError(
            'plots are drawn with matplotlib, which is not installed: pip install "uapca[plot]"',
            name="matplotlib",
        ) from None
    size = STYLES[_chosen[0]][1]
    k = size / 8.0
    wanted: dict[str, Any] = {
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
    now: dict[Any, Any] = mpl.rcParams
    factory: dict[Any, Any] = mpl.rcParamsDefault
    untouched: dict[Any, Any] = {k: v for k, v in wanted.items() if now[k] == factory[k]}
    with mpl.rc_context(untouched):
        yield


def cycle_colors() -> Sequence[str]:
    """The user's own colour cycle, where there is one; else Okabe and Ito's."""
    import matplotlib as mpl
    from matplotlib.colors import to_hex

    cycle = mpl.rcParams["axes.prop_cycle"]
    if cycle == mpl.rcParamsDefault["axes.prop_cycle"] or "color" not in cycle.keys:
        return OKABE_ITO
    return tuple(to_hex(color) for color in cycle.by_key()["color"])


def drawn_color(color: Any) -> Any:
    """A colour, where None and black mean the user's own text colour (white on dark paper)."""
    import matplotlib as mpl

    black = color is None or (isinstance(color, str) and color.lower() == "#000000")
    return mpl.rcParams["text.color"] if black else color


def readable(color: Any, background: Any) -> tuple[float, float, float]:
    """The colour, mixed with black or white until text in it can be read on the background.

    The contrast is at least 4.5, by the rule of the Web Content Accessibility Guidelines.
    """
    from matplotlib.colors import to_rgb

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
