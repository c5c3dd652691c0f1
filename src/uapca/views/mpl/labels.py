"""Labels that make room for each other.

Each label tries places around its point, near ones first, and takes the one that covers least:
other labels and what lies outside the axes above all, then markers, then lines. This is repeated
until no label wants to move. It is done whenever the picture is drawn, with the size it then has,
so that layouts, resizing and zooming keep labels apart; nothing is random.

This is for labels with ``moves``, which need the pixels of the finished axes. Labels whose place is
part of the scene come from ``views.placing``, which works without a renderer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from uapca.views import scene
from uapca.views.bounds import ring_of
from uapca.views.mpl.ink import drawable, readable, text_ink
from uapca.views.mpl.style import matplotlib

__all__ = ["moving_text", "place"]

ANGLES = np.radians([0, 45, 90, 135, 180, 225, 270, 315, 22, 67, 112, 157, 202, 247, 292, 337])
DISTANCES = np.array([0.45, 0.8, 1.3, 2.1, 3.1, 4.3, 5.7, 7.5])  # in sizes of the type
FAR = 1.0  # beyond this distance, in sizes of the type, a line leads to the point
CANDIDATES = 64  # of all places, those that would be best were there no other labels
SWEEPS = 12
# What a candidate place costs: hard rules by far the most.
OVERLAP, OUTSIDE, MARKER, LINE, DISTANCE, TURN = 400.0, 400.0, 6.0, 0.7, 2.2, 0.25
# Labels that may be left out stand close to their points, over no other label or marker and hardly
# any line, or not at all.
CLOSE, ROOM = 2 * len(ANGLES), 5.0
CROWD = 500  # a cloud of more markers than this is no obstacle


def moving_text(label: scene.Label, ax: Any) -> Any:
    """The text of a label that may move, for now beside its point."""
    params = matplotlib().rcParams
    text = ax.annotate(
        drawable(label.text),
        label.at,
        xytext=label.offset,
        textcoords="offset points",
        ha="center",
        va="center",
        arrowprops={
            "arrowstyle": "-",
            "color": params["text.color"],
            "alpha": 0.5,
            "linewidth": 0.45 * params["lines.linewidth"],
            "shrinkA": 0.0,
            "shrinkB": 0.25 * params["lines.markersize"],
        },
        **text_ink(label),
    )
    background = ax.get_facecolor()
    text.set_color(readable(text.get_color(), background))
    halo = matplotlib("patheffects").withStroke(linewidth=1.6, foreground=background, alpha=0.7)
    text.set_path_effects([halo])
    text.set_in_layout(False)
    return text


def place(texts: list[Any], ax: Any, panel: scene.Panel) -> None:
    """Have the labels placed whenever the axes are drawn."""
    if texts:
        from uapca.views.mpl.artists import Arranger

        labels = [mark for mark in panel.of(scene.Label) if mark.moves]
        labels.sort(key=lambda label: label.layer)
        wishes = np.array([label.offset for label in labels], dtype=np.float64)
        optional = np.array([label.optional for label in labels])
        ax.add_artist(Arranger(_arrange, texts, wishes, optional, _obstacles(panel)))


def _obstacles(panel: scene.Panel) -> tuple[scene.Floats, scene.Floats, scene.Floats]:
    """Points of markers, starts and ends of lines, in the data's units."""
    dots = [mark.points for mark in panel.of(scene.Markers) if len(mark.points) <= CROWD]
    # An arrow whose head or shaft is covered is not seen: it counts like markers all along.
    dots += [_along(mark.points) for mark in panel.of(scene.Polyline) if mark.arrow]
    paths = [mark.points for mark in panel.of(scene.Polyline)]
    paths += [ring_of(mark) for mark in panel.of(scene.Ellipse)[:CROWD]]
    paths += [ring for mark in panel.of(scene.Area) for ring in mark.rings]
    nothing = np.empty((0, 2))
    return (
        np.concatenate([*dots, nothing]),
        np.concatenate([*(path[:-1] for path in paths), nothing]),
        np.concatenate([*(path[1:] for path in paths), nothing]),
    )


def _along(points: scene.Floats, count: int = 16) -> scene.Floats:
    """Points from the first, which is left out, to the last."""
    share = np.linspace(0.0, len(points) - 1.0, count + 1)[1:]
    at = np.arange(len(points))
    return np.column_stack([np.interp(share, at, points[:, i]) for i in (0, 1)])


def _arrange(
    texts: list[Any], wishes: scene.Floats, optional: Any, obstacles: Any, ax: Any, renderer: Any
) -> None:
    text_class = matplotlib("text").Text
    pixel = renderer.points_to_pixels(1.0)
    to_pixels = ax.transData.transform
    anchors = to_pixels(np.array([text.xy for text in texts]))
    for text in texts:
        text.set_visible(True)  # what is not visible has no size
    boxes = [text_class.get_window_extent(text, renderer) for text in texts]
    sizes = np.array([[box.width, box.height * 0.86] for box in boxes])
    type_size = pixel * texts[0].get_fontsize()
    dots, starts, ends = (to_pixels(points) if len(points) else points for points in obstacles)
    lines = _dense(starts, ends, 0.4 * type_size)
    frame = np.array(ax.bbox.extents)
    count = len(texts)
    places, costs = [], []
    for i in range(count):
        found, cost = _candidates(anchors[i], sizes[i], wishes[i], type_size)
        if optional[i]:
            found, cost = found[:CLOSE], cost[:CLOSE]
        low, high = found - sizes[i] / 2, found + sizes[i] / 2
        cost = cost + OUTSIDE * _outside(low, high, frame, type_size)
        cost += MARKER * _inside(low, high, dots, 0.25 * type_size)
        cost += LINE * _inside(low, high, lines, 0.0)
        best = np.argsort(cost, kind="stable")[:CANDIDATES]
        places.append(found[best])
        costs.append(cost[best])
    chosen = np.array([place[np.argmin(cost)] for place, cost in zip(places, costs, strict=True)])
    shown = ~optional
    for _ in range(SWEEPS):
        before = chosen.copy()
        for i in np.flatnonzero(~optional).tolist():
            others = shown & (np.arange(count) != i)
            clash = _clash(places[i], sizes[i], chosen[others], sizes[others], type_size)
            total = costs[i] + OVERLAP * clash
            # Lines to the points may not run through labels; only the best places are asked.
            best = np.argsort(total, kind="stable")[:12]
            through = _crossed(anchors[i], places[i][best], chosen[others], sizes[others])
            chosen[i] = places[i][best[np.argmin(total[best] + MARKER * through)]]
        if np.array_equal(before, chosen):
            break
    for i in np.flatnonzero(optional).tolist():
        clash = _clash(places[i], sizes[i], chosen[shown], sizes[shown], type_size)
        total = costs[i] + OVERLAP * clash
        chosen[i], shown[i] = places[i][np.argmin(total)], total.min() < ROOM
    for i, text in enumerate(texts):
        text.set_visible(bool(shown[i]))
        text.set_position(tuple((chosen[i] - anchors[i]) / pixel))
        gap = np.maximum(np.abs(chosen[i] - anchors[i]) - sizes[i] / 2, 0.0)
        text.arrow_patch.set_visible(bool(np.hypot(*gap) > FAR * type_size))


def _candidates(
    anchor: scene.Floats, size: scene.Floats, wish: scene.Floats, type_size: float
) -> tuple[scene.Floats, scene.Floats]:
    """Centres of boxes around a point, and what their distance and direction cost."""
    away = DISTANCES[:, None] * type_size
    reach = np.stack(
        [np.cos(ANGLES) * (size[0] / 2 + away), np.sin(ANGLES) * (size[1] / 2 + away)], axis=-1
    )
    if wish.any():
        turn = 1 - np.cos(ANGLES - np.arctan2(wish[1], wish[0]))
    else:
        turn = np.minimum(np.arange(len(ANGLES)) / 8, 1.0)
    cost = DISTANCE * DISTANCES[:, None] ** 1.3 + (8 * TURN if wish.any() else TURN) * turn
    return (anchor + reach).reshape(-1, 2), cost.ravel()


def _dense(starts: scene.Floats, ends: scene.Floats, step: float) -> scene.Floats:
    """Points along lines, about `step` apart."""
    if not len(starts):
        return np.empty((0, 2))
    with np.errstate(invalid="ignore"):
        lengths = np.hypot(*(ends - starts).T)
    counts = np.clip(np.nan_to_num(lengths / step), 0, 400).astype(int) + 1
    which = np.repeat(np.arange(len(starts)), counts)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    share = (np.arange(len(which)) - first + 0.5) / counts[which]
    points = starts[which] + share[:, None] * (ends - starts)[which]
    # Lines of many short pieces: one point a step is enough.
    _, keep = np.unique(np.round(points / step), axis=0, return_index=True)
    return np.asarray(points[keep])


def _inside(
    low: scene.Floats, high: scene.Floats, points: scene.Floats, margin: float
) -> scene.Floats:
    """How many points lie in each box, (M,)."""
    if not len(points):
        return np.zeros(len(low))
    near = ((points > low.min(axis=0) - margin) & (points < high.max(axis=0) + margin)).all(axis=1)
    rest = points[near]
    held = (rest > low[:, None] - margin) & (rest < high[:, None] + margin)
    return np.asarray(held.all(axis=2).sum(axis=1), dtype=np.float64)


def _outside(
    low: scene.Floats, high: scene.Floats, frame: scene.Floats, unit: float
) -> scene.Floats:
    """How far each box sticks out of the axes, (M,), in sizes of the type."""
    margin = 0.15 * unit
    beyond = np.maximum(frame[:2] + margin - low, 0.0) + np.maximum(high - frame[2:] + margin, 0.0)
    return np.asarray(beyond.sum(axis=1) / unit)


def _clash(
    places: scene.Floats, size: scene.Floats, others: scene.Floats, sizes: scene.Floats, unit: float
) -> scene.Floats:
    """How deep each box at `places` reaches into the other labels' boxes, (M,)."""
    room = (size + sizes) / 2 + 0.12 * unit
    deep = room - np.abs(places[:, None] - others)
    return np.asarray(np.maximum(deep.min(axis=2, initial=np.inf), 0.0).sum(axis=1) / unit)


def _crossed(
    anchor: scene.Floats, places: scene.Floats, others: scene.Floats, sizes: scene.Floats
) -> scene.Floats:
    """How many other labels the line from the point to each place runs through, (M,)."""
    if not len(others):
        return np.zeros(len(places))
    share = np.linspace(0.1, 0.9, 9)[:, None, None]
    along = anchor + share * (places - anchor)
    held = np.abs(along[:, :, None] - others) < sizes / 2
    return np.asarray(held.all(axis=3).any(axis=0).sum(axis=1), dtype=np.float64)
