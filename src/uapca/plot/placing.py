"""Labels that make room for each other, placed anew whenever the axes are drawn.

Each label tries places around its point, near ones first, and takes the one that covers least:
other labels and what lies outside the axes above all, then markers, then lines. This is repeated
until no label wants to move. Sizes are measured by the renderer, so that layouts, resizing and
zooming keep labels apart; nothing is random. A label without room is left out.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from matplotlib.artist import Artist
from matplotlib.patheffects import withStroke
from matplotlib.text import Text

from uapca.plot.style import Floats, drawn_color, readable

__all__ = ["EdgeLabels", "Labels"]

ANGLES = np.radians([0, 45, 90, 135, 180, 225, 270, 315, 22, 67, 112, 157, 202, 247, 292, 337])
DISTANCES = np.array([0.45, 0.8, 1.3, 2.1, 3.1, 4.3, 5.7, 7.5])  # in sizes of the type
FAR = 1.0  # beyond this distance, in sizes of the type, a line leads to the point
SWEEPS = 12
# What a candidate place costs: hard rules by far the most.
OVERLAP, OUTSIDE, MARKER, LINE, DISTANCE, TURN = 400.0, 400.0, 6.0, 0.7, 2.2, 0.25
# Optional labels stand close to their points, over no label or marker and hardly any line.
CLOSE, ROOM = 2 * len(ANGLES), 5.0
CROWD = 500  # a cloud of more markers than this is no obstacle


class Labels(Artist):
    """The labels of one Axes that are arranged; draws nothing itself."""

    axes: Any

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[Any] = []
        self.wishes: list[tuple[float, float]] = []
        self.optional: list[bool] = []
        self.dots: list[Floats] = []
        self.paths: list[Floats] = []
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
        wish: tuple[float, float] = (0.0, 0.0),
        optional: bool = False,
        **style: Any,
    ) -> None:
        """Add a label beside a point, if possible in the direction of `wish`."""
        import matplotlib as mpl

        params, background = mpl.rcParams, self.axes.get_facecolor()
        made = self.axes.annotate(
            text,
            (float(at[0]), float(at[1])),
            xytext=wish,
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
        made.set_path_effects([withStroke(linewidth=1.6, foreground=background, alpha=0.7)])
        made.set_in_layout(False)
        self.texts.append(made)
        self.wishes.append(wish)
        self.optional.append(optional)

    def avoid(self, points: Any, *, line: bool = False) -> None:
        """Keep clear of points, or of the line through them."""
        points = np.asarray(points, dtype=np.float64).reshape(-1, 2)
        if line:
            self.paths.append(points)
        elif len(points) <= CROWD:
            self.dots.append(points)

    def without_room(self) -> list[Any]:
        """The texts that were left out although they are not optional, when last drawn."""
        pairs = zip(self.texts, self.optional, strict=True)
        return [text for text, optional in pairs if not optional and not text.get_visible()]

    def draw(self, renderer: Any) -> None:
        """Place the labels for the size the axes have now."""
        if self.texts:
            self._arrange(renderer)

    def _arrange(self, renderer: Any) -> None:
        texts, count = self.texts, len(self.texts)
        pixel = renderer.points_to_pixels(1.0)
        to_pixels = self.axes.transData.transform
        anchors = to_pixels(np.array([text.xy for text in texts]))
        frame = np.array(self.axes.bbox.extents)
        for text in texts:
            text.set_visible(True)  # what is not visible has no size
        boxes = [Text.get_window_extent(text, renderer) for text in texts]
        # The halo has letters drawn as outlines, which at low resolutions are a little wider.
        sizes = np.array([[1.1 * box.width, box.height] for box in boxes])
        unit = pixel * texts[0].get_fontsize()
        dots, starts, ends = (to_pixels(p) if len(p) else p for p in self._obstacles())
        legend = self.axes.get_legend()
        if legend is not None:  # one inside the axes is as solid as another label
            dots = np.concatenate([dots, _filled(legend.get_window_extent(renderer), 0.5 * unit)])
        lines = _dense(starts, ends, 0.4 * unit)
        optional = np.array(self.optional)
        places, costs = [], []
        for i in range(count):
            found, cost = _candidates(anchors[i], sizes[i], np.array(self.wishes[i]), unit)
            if optional[i]:
                found, cost = found[:CLOSE], cost[:CLOSE]
            low, high = found - sizes[i] / 2, found + sizes[i] / 2
            cost = cost + OUTSIDE * _outside(low, high, frame, unit)
            cost += MARKER * _inside(low, high, dots, 0.25 * unit)
            cost += LINE * _inside(low, high, lines, 0.0)
            best = np.argsort(cost, kind="stable")
            places.append(found[best])
            costs.append(cost[best])
        chosen = np.array([found[0] for found in places])
        shown = ~optional
        for _ in range(SWEEPS):
            before = chosen.copy()
            for i in np.flatnonzero(~optional).tolist():
                others = shown & (np.arange(count) != i)
                clash = _clash(places[i], sizes[i], chosen[others], sizes[others], unit)
                total = costs[i] + OVERLAP * clash
                # Lines to the points may not run through labels; only the best places are asked.
                best = np.argsort(total, kind="stable")[:12]
                through = _crossed(anchors[i], places[i][best], chosen[others], sizes[others])
                chosen[i] = places[i][best[np.argmin(total[best] + MARKER * through)]]
            if np.array_equal(before, chosen):
                break
        for i in range(count):
            others = shown & (np.arange(count) != i)
            if optional[i]:
                clash = _clash(places[i], sizes[i], chosen[others], sizes[others], unit)
                total = costs[i] + OVERLAP * clash
                chosen[i], shown[i] = places[i][np.argmin(total)], total.min() < ROOM
            else:
                here = chosen[i : i + 1]
                clash = _clash(here, sizes[i], chosen[others], sizes[others], unit)
                beyond = _outside(here - sizes[i] / 2, here + sizes[i] / 2, frame, unit)
                shown[i] = clash[0] + beyond[0] == 0.0
        for i, text in enumerate(texts):
            text.set_visible(bool(shown[i]))
            text.set_position(tuple((chosen[i] - anchors[i]) / pixel))
            gap = np.maximum(np.abs(chosen[i] - anchors[i]) - sizes[i] / 2, 0.0)
            text.arrow_patch.set_visible(bool(np.hypot(*gap) > FAR * unit))

    def _obstacles(self) -> tuple[Floats, Floats, Floats]:
        """Markers, starts and ends of lines, in the data's units."""
        nothing = np.empty((0, 2))
        return (
            np.concatenate([*self.dots, nothing]),
            np.concatenate([*(path[:-1] for path in self.paths), nothing]),
            np.concatenate([*(path[1:] for path in self.paths), nothing]),
        )


class EdgeLabels(Artist):
    """Labels at the right or the upper edge of the axes, moved apart along it when drawn."""

    axes: Any

    def __init__(self, edge: Literal["right", "top"], texts: list[Any]) -> None:
        super().__init__()
        self.edge = edge
        self.texts = texts
        self.wishes: list[float] = [
            text.get_position()[1 if edge == "right" else 0] for text in texts
        ]
        self.set_zorder(-1e9)
        self.set_in_layout(False)

    def draw(self, renderer: Any) -> None:
        """Move the labels to where each has room, in their order."""
        i = 1 if self.edge == "right" else 0
        ends = np.array(self.axes.bbox.extents)[[i, i + 2]]
        sizes = np.array([text.get_window_extent(renderer).size[i] for text in self.texts])
        transform = self.texts[0].get_transform()
        points = np.zeros((len(self.texts), 2))
        points[:, i] = self.wishes
        # Side by side words need a gap; lines have one of their own.
        gap = 0.0 if i else renderer.points_to_pixels(0.6 * self.texts[0].get_fontsize())
        places = spread(transform.transform(points)[:, i], sizes + gap, ends)
        points[:, :] = self.axes.bbox.extents[2:]
        points[:, i] = places
        back = transform.inverted().transform(points)[:, i]
        for text, place in zip(self.texts, back, strict=True):
            (text.set_y if i else text.set_x)(place)


def spread(wanted: Floats, sizes: Floats, ends: Any) -> Floats:
    """Places as near as possible to those wanted at which things of some sizes do not overlap.

    They keep their order, and stay between the two ends as long as there is room.

    >>> spread(np.array([5.0, 5.0, 9.0]), np.full(3, 2.0), (0.0, 10.0))
    array([4., 6., 9.])
    """
    order = np.argsort(wanted, kind="stable")
    offsets = np.concatenate([[0.0], np.cumsum((sizes[order][1:] + sizes[order][:-1]) / 2)])
    # With the sizes taken out, places only need to rise: least squares by pooling.
    pools: list[tuple[float, int]] = []
    for value in (wanted[order] - offsets).tolist():
        pools.append((value, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (b, nb), (a, na) = pools.pop(), pools.pop()
            pools.append(((a * na + b * nb) / (na + nb), na + nb))
    risen = np.repeat([v for v, _ in pools], [n for _, n in pools]) + offsets
    low, high = ends[0] + sizes[order][0] / 2, ends[1] - sizes[order][-1] / 2
    risen = np.minimum(risen, high - offsets[-1] + offsets)
    risen = np.maximum(risen, low + offsets)
    result = np.empty(len(risen))
    result[order] = risen
    return result


def _candidates(anchor: Floats, size: Floats, wish: Floats, unit: float) -> tuple[Floats, Floats]:
    """Centres of boxes around a point, and what their distance and direction cost."""
    away = DISTANCES[:, None] * unit
    reach = np.stack(
        [np.cos(ANGLES) * (size[0] / 2 + away), np.sin(ANGLES) * (size[1] / 2 + away)], axis=-1
    )
    if wish.any():
        turn = 8 * (1 - np.cos(ANGLES - np.arctan2(wish[1], wish[0])))
    else:
        turn = np.minimum(np.arange(len(ANGLES)) / 8, 1.0)
    cost = DISTANCE * DISTANCES[:, None] ** 1.3 + TURN * turn
    return (anchor + reach).reshape(-1, 2), cost.ravel()


def _dense(starts: Floats, ends: Floats, step: float) -> Floats:
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


def _filled(box: Any, step: float) -> Floats:
    """Points all over a box."""
    x, y = (np.arange(a, b + step, step) for a, b in (box.intervalx, box.intervaly))
    return np.asarray(np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2))


def _inside(low: Floats, high: Floats, points: Floats, margin: float) -> Floats:
    """How many points lie in each box, (M,)."""
    near = ((points > low.min(axis=0) - margin) & (points < high.max(axis=0) + margin)).all(axis=1)
    rest = points[near]
    held = (rest > low[:, None] - margin) & (rest < high[:, None] + margin)
    return np.asarray(held.all(axis=2).sum(axis=1), dtype=np.float64)


def _outside(low: Floats, high: Floats, frame: Floats, unit: float) -> Floats:
    """How far each box sticks out of the axes, (M,), in sizes of the type."""
    margin = 0.15 * unit
    beyond = np.maximum(frame[:2] + margin - low, 0.0) + np.maximum(high - frame[2:] + margin, 0.0)
    return np.asarray(beyond.sum(axis=1) / unit)


def _clash(places: Floats, size: Floats, others: Floats, sizes: Floats, unit: float) -> Floats:
    """How deep each box at `places` reaches into the other labels' boxes, (M,)."""
    room = (size + sizes) / 2 + np.array([0.3, 0.05]) * unit  # words side by side need a gap
    deep = room - np.abs(places[:, None] - others)
    return np.asarray(np.maximum(deep.min(axis=2, initial=np.inf), 0.0).sum(axis=1) / unit)


def _crossed(anchor: Floats, places: Floats, others: Floats, sizes: Floats) -> Floats:
    """How many other labels the line from the point to each place runs through, (M,)."""
    share = np.linspace(0.1, 0.9, 9)[:, None, None]
    along = anchor + share * (places - anchor)
    held = np.abs(along[:, :, None] - others) < sizes / 2
    return np.asarray(held.all(axis=3).any(axis=0).sum(axis=1), dtype=np.float64)
