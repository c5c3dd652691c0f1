"""Colors, dashes and marker shapes of rows in plots and in the explorer.

The colors are those of Okabe and Ito (Color Universal Design, 2008), which people with every kind
of color vision can distinguish. Yellow comes last, as it has little contrast on white, and its
lines are darker. From the ninth category on, dashes and shapes distinguish them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from uapca._validation import Doubles, optional
from uapca.laws import Independent, KnownMoments, Law, Mixture, Normal

__all__ = [
    "Look",
    "Palette",
    "RowLooks",
    "group_labels",
    "in_order",
    "is_assumed",
    "is_normal",
    "row_looks",
]

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
BROWN = "#5C3A21"  # instead of black beside black arrows
# For ordered items that are neither features nor rows, from dark to light.
TONES = ("#000000", "#3C3C3C", "#5A5A5A", "#6E6E6E", "#7C7C7C", "#888888", "#929292", "#9A9A9A")
# From cividis, which has monotone lightness and looks alike with and without color blindness,
# without its lightest end, which has little contrast on white.
SEQUENTIAL = (
    "#00224E",
    "#213B6E",
    "#4B546C",
    "#6C6D72",
    "#8D8878",
    "#B0A571",
    "#D6C35D",
)
DASHES = ("solid", "dashed", "dotted", "dashdot")
SHAPES = ("circle", "square", "triangle", "diamond", "down", "cross", "plus")
MANY = 24  # above this number of rows only wide rows have colors of their own
WIDE = 2.0  # rows are wide above this multiple of the median spread
NO_GROUP = "no group"
VALUES = 12  # above this number of different numbers, groups have a continuous color scale


@dataclass(frozen=True, slots=True)
class Look:
    """The color of lines and text, the color of areas, a dash and a marker shape."""

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
        The group of each row; empty if rows are colored by name or by value.
    legend : tuple of (str, Look)
        One entry for each group, in natural order.
    values : ndarray of shape (N,) or None
        Continuous groups, which a color bar explains.
    wide : tuple of int
        The rows much wider than most, the widest first, where only they have colors.
    """

    keys: tuple[str, ...]
    looks: tuple[Look, ...]
    groups: tuple[str, ...] = ()
    legend: tuple[tuple[str, Look], ...] = ()
    values: Doubles | None = None
    wide: tuple[int, ...] = ()


def looks(count: int, colors: Sequence[str] = OKABE_ITO) -> tuple[Look, ...]:
    """The looks of `count` categories: colors and shapes in turn, then the next dash.

    >>> [(look.color, look.dash, look.shape) for look in looks(9)][::8]
    [('#0072B2', 'solid', 'circle'), ('#0072B2', 'dashed', 'square')]
    """
    made = []
    for i in range(count):
        turn, k = divmod(i, len(colors))
        line = DARK_YELLOW if colors[k] == OKABE_ITO[-1] else colors[k]
        made.append(Look(line, colors[k], DASHES[turn % len(DASHES)], SHAPES[i % len(SHAPES)]))
    return tuple(made)


def natural_key(label: Any) -> tuple[Any, ...]:
    """Sort key: numbers by value, text in natural order (g2 before g10).

    >>> sorted(["g10", "g2", "a", 3], key=natural_key)
    [3, 'a', 'g2', 'g10']
    """
    if isinstance(label, int | float | np.number):
        return (0, float(label), str(label))
    parts = re.split(r"(\d+)", str(label))
    return (1, *((int(p), "") if p.isdecimal() else (-1, p) for p in parts))


def in_order(values: Any, names: Sequence[str] | None, parameter: str) -> Any:
    """Values in the order of the rows: pandas objects are matched by index, others are unchanged.

    An index 0, 1, 2, … or a slice of one is matched by position. If the rows have no names, only an
    index 0, 1, 2, … in another order is refused.
    """
    if not hasattr(values, "iloc"):
        return values
    index, rows = values.index, names or ()
    sliced = type(index).__name__ == "RangeIndex"
    places = {} if sliced else {str(label): k for k, label in enumerate(index)}
    absent = [name for name in rows if name not in places]
    if len(absent) < len(rows):
        if not absent and len(index) == len(rows):
            return values.iloc[[places[name] for name in rows]]
        got = f"it has {len(index)} labels; choose them first, such as by .loc[list(X.names)]"
        got = f"it lacks {absent[0]!r}" if absent else got
        raise ValueError(
            f"{parameter} must have an index with the names of the {len(rows)} rows, or 0, 1, 2, "
            f"…; {got}"
        )
    counted = (sliced and index.step > 0) or list(index) == list(range(len(index)))
    if counted or (not rows and set(index) != set(range(len(index)))):
        return values
    wanted = f"with the names of the {len(rows)} rows, or " if rows else ""
    raise ValueError(
        f"{parameter} must have an index {wanted}0, 1, 2, …; it begins with {str(index[0])!r}: "
        "pass .to_numpy() if its order is that of the rows"
    )


def group_labels(groups: Any, count: int) -> tuple[list[str | None], list[str], Doubles | None]:
    """The groups of `count` rows as text, their natural order, and continuous values.

    None and NaN are rows without a group. Fractions and more than twelve different numbers are
    continuous: they are returned as values, with NaN for rows without a group.
    """
    listed = [] if isinstance(groups, str) or not hasattr(groups, "__len__") else list(groups)
    if len(listed) != count:
        got = len(listed) or repr(groups)
        raise ValueError(f"groups must have one label for each of the {count} rows; got {got}")
    missing = [x is None or (isinstance(x, float | np.floating) and np.isnan(x)) for x in listed]
    known = [label for label, none in zip(listed, missing, strict=True) if not none]
    numbers = all(isinstance(x, int | float | np.number) and not isinstance(x, bool) for x in known)
    if numbers and (len(set(known)) > VALUES or not all(float(x).is_integer() for x in known)):
        pairs = zip(listed, missing, strict=True)
        values = np.array([np.nan if none else float(label) for label, none in pairs])
        return [None] * count, [], values
    order = list(dict.fromkeys(map(str, sorted(known, key=natural_key))))
    texts = [None if none else str(x) for x, none in zip(listed, missing, strict=True)]
    return texts, order, None


def row_looks(
    names: Sequence[str] | None,
    count: int,
    groups: Any = None,
    palette: Palette = None,
    *,
    colors: Sequence[str] = OKABE_ITO,
    spreads: Doubles | None = None,
) -> RowLooks:
    """The looks of `count` rows.

    Parameters
    ----------
    names : sequence of str or None
    count : int
    groups : sequence of `count` labels or numbers, optional
        Categories have a color, dash and shape each; for continuous numbers see `group_labels`.
        Without groups each row has a look of its own, as long as there are at most 24.
    palette : sequence of colors, or mapping from name or group to color, optional
        Names that a mapping leaves out get unused colors.
    colors : sequence of str
        The colors used where there is no palette.
    spreads : ndarray of shape (count,), optional
        The standard deviations of the rows: of more than 24 rows the few widest have colors.
    """
    keys = tuple(names) if names is not None else tuple(map(str, range(count)))
    if groups is not None:
        texts, order, values = group_labels(in_order(groups, names, "groups"), count)
        if values is not None:
            return RowLooks(keys, (Look(GREY, GREY),) * count, values=values)
        table = _table(order, palette, colors)
        if None in texts:
            table.setdefault(NO_GROUP, Look(GREY, LIGHT))
        own = tuple(text or NO_GROUP for text in texts)
        return RowLooks(keys, tuple(table[text] for text in own), own, tuple(table.items()))
    if count <= MANY or palette is not None:
        table = _table(keys, palette, colors)
        return RowLooks(keys, tuple(replace(table[key], shape="circle") for key in keys))
    found, wide = [looks(1, colors)[0]] * count, []
    if spreads is not None:
        widest = np.argsort(-spreads, kind="stable")[:5]
        wide = widest[spreads[widest] > WIDE * np.median(spreads)].tolist()
        for i, look in zip(wide, looks(6, colors)[1:], strict=False):
            found[i] = look
    return RowLooks(keys, tuple(found), wide=tuple(wide))


def _table(kinds: Sequence[str], palette: Palette, colors: Sequence[str]) -> dict[str, Look]:
    """A look for each category, in the colors of the palette where it has one."""
    if palette is None:
        return dict(zip(kinds, looks(len(kinds), colors), strict=True))
    if isinstance(palette, str) or not len(palette):
        raise ValueError(
            "palette must be a sequence of colors or a mapping from name or group to color; "
            f"got {palette!r}"
        )
    if not isinstance(palette, Mapping):
        return dict(zip(kinds, looks(len(kinds), [*map(_hex, palette)]), strict=True))
    chosen = {str(kind): _hex(color) for kind, color in palette.items()}
    free = [color for color in colors if color not in chosen.values()] or list(colors)
    rest = iter(looks(len(kinds), free))
    return {
        kind: replace(looks(1, [chosen[kind]])[0], shape=SHAPES[i % len(SHAPES)])
        if kind in chosen
        else next(rest)
        for i, kind in enumerate(kinds)
    }


def _hex(color: Any) -> str:
    """A color that matplotlib knows as a hexadecimal RGB string."""
    to_hex = optional("matplotlib.colors", "palette", "plot").to_hex
    try:
        return str(to_hex(color)).upper()
    except ValueError:
        raise ValueError(f"palette must name colors that matplotlib knows; got {color!r}") from None


def is_assumed(law: Law | None) -> bool:
    """Whether a row, or a component of it, is drawn as a normal as only its moments are known."""
    if isinstance(law, Mixture):
        return any(map(is_assumed, law.components))
    return law is None or (isinstance(law, KnownMoments) and law.sampler is None)


def is_normal(law: Law | None) -> bool:
    """Whether a law is a normal, or drawn as one because only its moments are known."""
    if isinstance(law, Independent):
        return law.normal
    if isinstance(law, Mixture):
        return len(law.components) == 1 and is_normal(law.components[0])
    return isinstance(law, Normal) or is_assumed(law)
