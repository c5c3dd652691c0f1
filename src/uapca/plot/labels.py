"""Labels: names that are told apart whatever their length, numbers, shares, and their places."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.text import Text

__all__ = [
    "distinct",
    "drawable",
    "drawn_color",
    "number",
    "percent",
    "place_labels",
]

# Characters that end a line, steer a terminal or reverse the text after them are not obeyed.
_STEERING = {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"}
_BIDI = set(range(0x202A, 0x202F)) | set(range(0x2066, 0x206A)) | {0x200E, 0x200F, 0x061C}


def drawable(text: str) -> str:
    r"""The text with white space as blanks and every other steering character as �.

    >>> drawable("a\tb\x1b[31m")
    'a b�[31m'
    """
    text = str(text)
    if text.isprintable():
        return text
    return "".join(
        " "
        if c in "\t\n\r\x0b\x0c\u2028\u2029"
        else "�"
        if unicodedata.category(c) in _STEERING or ord(c) in _BIDI
        else c
        for c in text
    )


NAME = 72  # letters of a name in a legend


def distinct(names: Sequence[str], length: int = 24) -> list[str]:
    """The names, none longer than `length`, different ones still different.

    A long name loses the words that all long ones have in common, then the ends of its longest
    words, then its middle. What still looks alike gets a number.

    >>> distinct(["short", "a rather long name of a region"], 16)
    ['short', 'a rathe…a region']
    >>> distinct(["mean temperature in May, degrees", "mean rainfall in June, millimeters"], 16)
    ['tempe…May, degre', 'rain…June, milli']
    """
    plain = list(map(drawable, names))
    if len(set(plain)) == len(plain) and max(map(len, plain), default=0) <= length:
        return plain
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
    return "s → ∞" if scale == float("inf") else f"s = {scale:.3g}".replace("-", "−")


def subscript(index: int) -> str:
    """A number set low.

    >>> "λ" + subscript(12)
    'λ₁₂'
    """
    return str(index).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


# -- colors ------------------------------------------------------------------------------------


def drawn_color(color: Any, background: Any = None) -> Any:
    """A color, where None and black mean the user's own text color (white on dark paper).

    For text it is given with its background and mixed with black or white until it can be read:
    the contrast is at least 4.5, by the rule of the Web Content Accessibility Guidelines.
    """
    if color is None or (isinstance(color, str) and color.lower() == "#000000"):
        color = mpl.rcParams["text.color"]
    if background is None:
        return color
    kept = 0.85 ** np.arange(21)[:, None, None]
    mixed = kept * to_rgb(color) + (1.0 - kept) * [[0.0], [1.0]]  # (21, black or white, 3)
    colors = np.vstack([to_rgb(background), mixed.reshape(-1, 3)])
    linear = np.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4)
    light = linear @ [0.2126, 0.7152, 0.0722] + 0.05
    contrast = np.maximum(light, light[0]) / np.minimum(light, light[0])
    return tuple(colors[np.argmax(contrast >= 4.5)].tolist())


# -- where labels stand -------------------------------------------------------------------------

ANGLES = np.radians([0, 45, 90, 135, 180, 225, 270, 315, 22, 67, 112, 157, 202, 247, 292, 337])
DISTANCES = np.array([0.45, 0.8, 1.3, 2.1, 3.1, 4.3, 5.7, 7.5])  # in sizes of the type
FAR = 1.0  # beyond this distance, in sizes of the type, a line leads to the point
SWEEPS = 12
# What a place costs: hard rules by far the most. Over lines, names with a direction rather keep it.
HARD, MARKER, LINE, AIMED, DISTANCE, TURN = 400.0, 6.0, 2.6, 0.7, 2.2, 0.25
# Optional labels stand close to their points, over no label or marker and hardly any line.
CLOSE, ROOM = 4 * len(ANGLES), 8.0


def place_labels(made: Any, renderer: Any) -> None:
    """Place the labels of a panel for the size its axes have now.

    Each label tries places around its point, near ones first, and takes the one that covers least:
    other labels and what lies outside the axes above all, then markers, then lines. This is
    repeated until no label wants to move. Sizes are measured by the renderer, so that layouts,
    resizing and zooming keep labels apart. Nothing is random. A label without room is left out.
    """
    if not made.labels:
        return
    texts, _, wishes, left_out = zip(*made.labels, strict=True)
    count, optional = len(texts), np.array(left_out)
    box, to_pixels = made.axes.bbox, made.axes.transData.transform
    pixel = renderer.points_to_pixels(1.0)
    unit = pixel * texts[0].get_fontsize()
    anchors, sizes = np.empty((count, 2)), np.empty((count, 2))
    for i, text in enumerate(texts):
        text.set_visible(True)  # what is not visible has no size
        anchors[i] = to_pixels(text.xy)
        # The halo has letters drawn as outlines, which at low resolutions are a little wider.
        sizes[i] = np.multiply([1.1, 1.0], Text.get_window_extent(text, renderer).size)
    nothing = np.empty((0, 2))
    markers = to_pixels(np.concatenate([*made.markers, nothing]))
    lines = to_pixels(np.concatenate([*made.lines, nothing]))
    # One point of a line in each small square: then their number is its length.
    lines = lines[np.unique(np.round(lines / (0.4 * unit)), axis=0, return_index=True)[1]]

    # The places of each label, and what they cost by themselves.
    away, around = DISTANCES[:, None] * unit, np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=-1)
    chosen, places, costs = anchors.copy(), [], []
    for i, wish in enumerate(wishes):
        turn, line = np.minimum(np.arange(len(ANGLES)) / 8, 1.0), LINE
        if wish is None or any(wish):
            toward = np.pi / 2 if wish is None else np.arctan2(wish[1], wish[0])
            turn, line = 8 * (1 - np.cos(ANGLES - toward)), AIMED
        cost = (DISTANCE * DISTANCES[:, None] ** 1.3 + TURN * turn).ravel()
        found = (anchors[i] + around * (sizes[i] / 2 + away[..., None])).reshape(-1, 2)
        if wish is None:  # on the point itself, if it can stand there
            found, cost = np.vstack([anchors[i], found]), np.append(0.0, cost + HARD / 8)
        elif optional[i]:
            found, cost = found[:CLOSE], cost[:CLOSE]
        low, high = found - sizes[i] / 2, found + sizes[i] / 2
        beyond = box.min + 0.15 * unit - low, high + 0.15 * unit - box.max
        cost = cost + HARD * np.maximum(beyond, 0.0).sum(axis=(0, 2)) / unit
        for points, price, rim in ((markers, MARKER, 0.25 * unit), (lines, line, 0.0)):
            near = ((points > low.min(axis=0) - rim) & (points < high.max(axis=0) + rim)).all(1)
            held = (points[near] > low[:, None] - rim) & (points[near] < high[:, None] + rim)
            cost = cost + price * held.all(axis=2).sum(axis=1)
        chosen[i] = found[np.argmin(cost)]
        places.append(found)
        costs.append(cost)

    # Where each stands beside the others; the last time optional ones come, if there is room.
    shown, order, settled = ~optional, np.argsort(optional, kind="stable"), False
    for sweep in range(SWEEPS + 1):
        before, last = chosen.copy(), settled or sweep == SWEEPS
        for i in order[: None if last else count - optional.sum()]:
            others = shown & (np.arange(count) != i)
            room = (sizes[i] + sizes[others]) / 2 + np.array([0.3, 0.05]) * unit
            deep = room - np.abs(places[i][:, None] - chosen[others])
            clash = np.maximum(deep.min(axis=2, initial=np.inf), 0.0).sum(axis=1) / unit
            best = np.argmin(costs[i] + HARD * clash)
            chosen[i] = places[i][best]
            if last:
                # Markers and lines may be covered by a name that must be there, names may not.
                free = costs[i][best] < ROOM if optional[i] else True
                low, high = chosen[i] - sizes[i] / 2, chosen[i] + sizes[i] / 2
                inside = (low >= box.min).all() and (high <= box.max).all()
                shown[i] = free and clash[best] < 1e-6 and inside
        if last:
            break
        settled = np.array_equal(before, chosen)
    for i, text in enumerate(texts):
        text.set_visible(bool(shown[i]))
        text.set_position(tuple((chosen[i] - anchors[i]) / pixel))
        gap = np.maximum(np.abs(chosen[i] - anchors[i]) - sizes[i] / 2, 0.0)
        text.arrow_patch.set_visible(bool(np.hypot(*gap) > FAR * unit))
