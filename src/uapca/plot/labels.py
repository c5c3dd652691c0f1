"""Labels: names that are told apart whatever their length, numbers, shares, and their places."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.colors import to_rgb
from matplotlib.patheffects import withStroke
from matplotlib.text import Text

from uapca._validation import Doubles

__all__ = ["Labels", "distinct", "drawable", "drawn_color", "number", "percent", "readable"]

# Characters that end a line, steer a terminal or reverse the text after them are not obeyed.
_STEERING = {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"}
_BIDI = set(range(0x202A, 0x202F)) | set(range(0x2066, 0x206A)) | {0x200E, 0x200F, 0x061C}


def drawable(text: str) -> str:
    r"""The text with white space as blanks and every other steering character as �.

    >>> drawable("a\tb\x1b[31m")
    'a b�[31m'
    """
    return "".join(
        " "
        if c in "\t\n\r\x0b\x0c\u2028\u2029"
        else "�"
        if unicodedata.category(c) in _STEERING or ord(c) in _BIDI
        else c
        for c in str(text)
    )


NAME = 72  # letters of a name in a legend


def distinct(names: Sequence[str], length: int = 24) -> list[str]:
    """The names, none longer than `length`, different ones still different.

    A long name loses the words that all long ones have in common, then the ends of its longest
    words, then its middle. What still looks alike gets a number.

    >>> distinct(["short", "a rather long name of a region"], 16)
    ['short', 'a rathe…a region']
    >>> distinct(["mean temperature in May, degrees", "mean rainfall in June, millimetres"], 16)
    ['tempe…May, degre', 'rain…June, milli']
    """
    plain = [drawable(name) for name in names]
    long = {name for name in plain if len(name) > length}
    shared = set.intersection(*(set(name.split()) for name in long)) if len(long) > 1 else set()
    short, taken = [], set()
    for name in plain:
        text = _shortened(name, shared, length) if name in long else name
        copy, k = text, 2
        while copy in taken:
            copy, k = f"{_middle_cut(text, length - 3 - len(str(k)))} ({k})", k + 1
        taken.add(copy)
        short.append(copy)
    return short


def _shortened(name: str, shared: set[str], length: int) -> str:
    """A name in which all that tells it from others is still there, as far as there is room."""
    words = name.split()
    if not shared or set(words) <= shared:
        return _middle_cut(name, length)
    kept = [word not in shared for word in words]
    # Words in common come back one by one, from the left, while there is room.
    for k in [k for k, own in enumerate(kept) if not own]:
        kept[k] = True
        if len(_joined(words, kept)) > length:
            kept[k] = False
            break
    while len(_joined(words, kept)) > length:
        # Numbers and years are short and tell most.
        long = [k for k, word in enumerate(words) if kept[k] and len(word) > 3 and word.isalpha()]
        if not long:
            break
        k = max(long, key=lambda k: len(words[k]))
        words[k] = words[k][:-1]
    return _middle_cut(_joined(words, kept), length)


def _joined(words: list[str], kept: list[bool]) -> str:
    """The words that are kept, with … for those left out, but at the end."""
    text = ""
    for word, keep in zip(words, kept, strict=True):
        if keep:
            text += word if not text or text.endswith("…") else f" {word}"
        elif text and not text.endswith("…"):
            text += "…"
    return text.rstrip("…")


def _middle_cut(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    half = length // 2
    return text[: length - half - 1].rstrip() + "…" + text[len(text) - half :].lstrip()


def number(value: float, digits: int = 3) -> str:
    """A number for people.

    >>> number(0.5), number(1234.5678, 4), number(float("inf"))
    ('0.5', '1235', '∞')
    """
    return "∞" if value == float("inf") else f"{value:.{digits}g}".replace("-", "−")


def percent(share: float) -> str:
    """A share as a percentage, with a decimal only where it says something.

    >>> percent(0.95), percent(0.6827), percent(0.004)
    ('95 %', '68.3 %', '0.4 %')
    """
    value = 100 * share
    return f"{value:.0f} %" if abs(value - round(value)) < 0.05 else f"{value:.1f} %"


def scale_text(scale: float) -> str:
    """The scale s of a fit, for titles.

    >>> scale_text(1.0), scale_text(float("inf"))
    ('s = 1', 's → ∞')
    """
    return "s → ∞" if scale == float("inf") else f"s = {number(scale)}"


def subscript(index: int) -> str:
    """A number set low.

    >>> "λ" + subscript(12)
    'λ₁₂'
    """
    return str(index).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


# -- colours ------------------------------------------------------------------------------------


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


# -- where labels stand -------------------------------------------------------------------------

ANGLES = np.radians([0, 45, 90, 135, 180, 225, 270, 315, 22, 67, 112, 157, 202, 247, 292, 337])
DISTANCES = np.array([0.45, 0.8, 1.3, 2.1, 3.1, 4.3, 5.7, 7.5])  # in sizes of the type
FAR = 1.0  # beyond this distance, in sizes of the type, a line leads to the point
SWEEPS = 12
# What a place costs: hard rules by far the most.
HARD, MARKER, LINE, DISTANCE, TURN = 400.0, 6.0, 0.7, 2.2, 0.25
# Optional labels stand close to their points, over no label or marker and hardly any line.
CLOSE, ROOM = 2 * len(ANGLES), 5.0
BRIEF = 10  # letters of a name that a number would not be much shorter than
CROWD = 500  # a cloud of more markers than this is no obstacle


class Labels(Artist):
    """The names in an Axes, which make room for each other, and the entries of its legend.

    Each label tries places around its point, near ones first, and takes the one that covers least:
    other labels and what lies outside the axes above all, then markers, then lines. This is
    repeated until no label wants to move, whenever the axes are drawn: sizes are measured by the
    renderer, so that layouts, resizing and zooming keep labels apart. Nothing is random. A label
    without room is left out.
    """

    axes: Any

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[Any] = []
        self.wishes: list[tuple[float, float] | None] = []
        self.names: list[str] = []
        self.optional: list[bool] = []
        self.markers: list[Doubles] = []
        self.lines: list[Doubles] = []
        self.entries: dict[str, Any] = {}
        self.alone = False  # in a figure of its own, with the legend beside the axes
        self.set_zorder(-1e9)  # before the labels are drawn
        self.set_in_layout(False)

    @classmethod
    def of(cls, ax: Any) -> Labels:
        """Those of an Axes, new if it has none."""
        for artist in ax.artists:
            if isinstance(artist, cls):
                return artist
        made = cls()
        ax.add_artist(made)
        return made

    def add(
        self,
        text: str,
        at: Any,
        color: Any = None,
        *,
        wish: tuple[float, float] | None = (0.0, 0.0),
        optional: bool = False,
        name: str = "",
        **style: Any,
    ) -> None:
        """Add a label beside a point, if possible in the direction of `wish`.

        Without a wish it stands on the point itself if it can. `name` is for the legend.
        """
        params, background = mpl.rcParams, self.axes.get_facecolor()
        made = self.axes.annotate(
            text,
            (float(at[0]), float(at[1])),
            xytext=(0.0, 0.0),
            textcoords="offset points",
            ha="center",
            va="center",
            color=readable(drawn_color(color), background),
            parse_math=False,
            zorder=20,
            arrowprops={
                "arrowstyle": "-",
                "color": params["text.color"],
                "alpha": 0.5,
                "linewidth": 0.45 * params["lines.linewidth"],
                "shrinkA": 0.0,
                "shrinkB": 0.25 * params["lines.markersize"],
            },
            **{"fontsize": 0.9 * params["font.size"], **style},
        )
        wide, alpha = (3.5, 1.0) if wish is None else (1.6, 0.7)
        made.set_path_effects([withStroke(linewidth=wide, foreground=background, alpha=alpha)])
        made.set_in_layout(False)
        self.texts.append(made)
        self.wishes.append(wish)
        self.names.append(name or text)
        self.optional.append(optional)

    def avoid(self, points: Any, *, line: bool = False) -> None:
        """Keep clear of markers, or of a line given by points close to each other."""
        points = np.asarray(points, dtype=np.float64).reshape(-1, 2)
        if line or len(points) <= CROWD:
            (self.lines if line else self.markers).append(points)

    def crowded(self) -> list[tuple[Any, str]]:
        """Texts that had better be numbers, and their names, as they were last drawn.

        These are all but short ones, if a name is not written in full, had no room or if several
        stand far from their points.
        """
        listed = zip(self.texts, self.names, self.optional, strict=True)
        needed = [(text, name) for text, name, optional in listed if not optional]
        long = [(text, name) for text, name in needed if len(text.get_text()) > BRIEF]
        hidden = [(text, name) for text, name in needed if not text.get_visible()]
        far = sum(text.arrow_patch.get_visible() for text, _ in long)
        whole = all(text.get_text() == name for text, name in needed)
        if whole and not hidden and far < max(3, len(needed) / 4):
            return []
        return long + [pair for pair in hidden if pair not in long]

    def draw(self, renderer: Any) -> None:
        """Place the labels for the size the axes have now."""
        count = len(self.texts)
        if not count:
            return
        for text in self.texts:
            text.set_visible(True)  # what is not visible has no size
        pixel = renderer.points_to_pixels(1.0)
        unit = pixel * self.texts[0].get_fontsize()
        to_pixels = self.axes.transData.transform
        anchors = to_pixels([text.xy for text in self.texts])
        boxes = [Text.get_window_extent(text, renderer) for text in self.texts]
        # The halo has letters drawn as outlines, which at low resolutions are a little wider.
        sizes = np.array([[1.1 * box.width, box.height] for box in boxes])
        optional = np.array(self.optional)
        nothing = np.empty((0, 2))
        markers, lines = (np.concatenate([*p, nothing]) for p in (self.markers, self.lines))
        markers, lines = (to_pixels(p) if len(p) else p for p in (markers, lines))
        # One point of a line in each small square: then their number is its length.
        lines = lines[np.unique(np.round(lines / (0.4 * unit)), axis=0, return_index=True)[1]]
        places, costs = [], []
        for anchor, size, wish, extra in zip(anchors, sizes, self.wishes, optional, strict=True):
            found, cost = _candidates(anchor, size, wish, unit, CLOSE if extra else None)
            low, high = found - size / 2, found + size / 2
            beyond = self.axes.bbox.min + 0.15 * unit - low, high + 0.15 * unit - self.axes.bbox.max
            cost += HARD * np.maximum(beyond, 0.0).sum(axis=(0, 2)) / unit
            cost += MARKER * _inside(markers, low - 0.25 * unit, high + 0.25 * unit)
            places.append(found)
            costs.append(cost + LINE * _inside(lines, low, high))
        chosen, shown = anchors.copy(), ~optional

        def total(i: int) -> Doubles:
            """What each place of a label costs beside the others that are shown."""
            others = shown & (np.arange(count) != i)
            room = (sizes[i] + sizes[others]) / 2 + np.array([0.3, 0.05]) * unit
            deep = room - np.abs(places[i][:, None] - chosen[others])
            clash = np.maximum(deep.min(axis=2, initial=np.inf), 0.0).sum(axis=1) / unit
            return np.asarray(costs[i] + HARD * clash)

        for i in range(count):
            chosen[i] = places[i][np.argmin(costs[i])]
        for _ in range(SWEEPS):
            before = chosen.copy()
            for i in np.flatnonzero(~optional).tolist():
                chosen[i] = places[i][np.argmin(total(i))]
            if np.array_equal(before, chosen):
                break
        for i in np.argsort(optional, kind="stable").tolist():  # optional ones last
            costs_now = total(i)
            best = int(np.argmin(costs_now))
            chosen[i] = places[i][best]
            # Markers and lines may be covered by a name that must be there, names may not.
            room = ROOM if optional[i] else costs[i][best] + 1e-6 * HARD
            shown[i] = costs_now[best] < room and _fits(chosen[i], sizes[i], self.axes.bbox)
        for i, text in enumerate(self.texts):
            text.set_visible(bool(shown[i]))
            text.set_position(tuple((chosen[i] - anchors[i]) / pixel))
            gap = np.maximum(np.abs(chosen[i] - anchors[i]) - sizes[i] / 2, 0.0)
            text.arrow_patch.set_visible(bool(np.hypot(*gap) > FAR * unit))


def _candidates(
    anchor: Doubles, size: Doubles, wish: tuple[float, float] | None, unit: float, most: int | None
) -> tuple[Doubles, Doubles]:
    """Centres of boxes around a point, and what their distance and direction cost."""
    away = DISTANCES[:, None] * unit
    reach = [np.cos(ANGLES) * (size[0] / 2 + away), np.sin(ANGLES) * (size[1] / 2 + away)]
    turn = np.minimum(np.arange(len(ANGLES)) / 8, 1.0)
    if wish is None or any(wish):
        toward = np.pi / 2 if wish is None else np.arctan2(wish[1], wish[0])
        turn = 8 * (1 - np.cos(ANGLES - toward))
    cost = (DISTANCE * DISTANCES[:, None] ** 1.3 + TURN * turn).ravel()
    places = (anchor + np.stack(reach, axis=-1)).reshape(-1, 2)
    if wish is None:  # on the point itself, if it can stand there
        return np.vstack([anchor, places]), np.append(0.0, cost + HARD / 8)
    return places[:most], cost[:most]


def _inside(points: Doubles, low: Doubles, high: Doubles) -> Doubles:
    """How many points lie in each box, (M,)."""
    near = ((points > low.min(axis=0)) & (points < high.max(axis=0))).all(axis=1)
    held = (points[near] > low[:, None]) & (points[near] < high[:, None])
    return np.asarray(held.all(axis=2).sum(axis=1), dtype=np.float64)


def _fits(place: Doubles, size: Doubles, frame: Any) -> bool:
    """Whether a box lies inside the axes."""
    return bool((place - size / 2 >= frame.min).all() and (place + size / 2 <= frame.max).all())
