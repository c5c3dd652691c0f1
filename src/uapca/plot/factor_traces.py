"""Where the original axes go as the uncertainty grows (paper, Sec. "Factor Traces")."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from scipy.optimize import linear_sum_assignment

from uapca.decomposition import UAPCA
from uapca.plot.base import (
    Data,
    Panel,
    checked_choice,
    chosen_components,
    data_of,
    fit_of,
    grid,
    joint_legend,
    panel,
    positions,
)
from uapca.plot.labels import distinct, number, percent
from uapca.plot.loadings import angle_std, draw_circle, draw_wedge
from uapca.plot.style import (
    GREY,
    LIGHT,
    LINESTYLES,
    Floats,
    Look,
    cycle_colors,
    drawn_color,
    looks,
)
from uapca.sensitivity import FactorTraces, WeightTraces
from uapca.sensitivity import factor_traces as follow
from uapca.uncertain import UncertainArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["factor_traces"]

Traces: TypeAlias = Any  # FactorTraces, WeightTraces, a fit, a Pipeline or data

CROWDED = 6  # the paper: with more features than this, traces cover each other
MIRRORED = 0.38  # the opacity of mirror images
POINT = 4e-3  # a trace shorter than this, in radii, is a point on paper
SLIVER = 1e-9  # a step that sweeps less than this, in squares of the radius, turns neither way
ENCODINGS = {
    "eigenvalue": ("variance shown", "share of the variance shown"),
    "gap": ("gap", "gap to the nearest eigenvalue, as a share"),
    "stability": ("stability", "stability, 1 / (1 + speed along u)"),
}


def factor_traces(
    traces: Traces,
    X: Data = None,
    *,
    components: Any = (0, 1),
    encode: Literal["eigenvalue", "gap", "stability"] | None = None,
    encode_on: Literal["width", "color"] = "width",
    highlight: Any = None,
    mirrored: bool = True,
    multiples: bool = False,
    ax: Axes | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    legend: bool = True,
) -> Axes | Figure:
    """Where the unit vectors of the features lie in the picture, for all s from 0 to ∞.

    The area between the trace and the centre is shaded for 0 ≤ s ≤ 1, from ordinary PCA to the
    data as given; beyond there is only the line, with an arrowhead at s → ∞. The length of a trace
    says how strongly the uncertainty affects the axis, its distance from the centre how much of
    the axis is in the picture. The lighter mirror image is the same trace with other signs.

    Parameters
    ----------
    traces : FactorTraces, WeightTraces, fitted UAPCA, Pipeline or UncertainArray
    X : UncertainArray, optional
        With a fit, its data. Adds wedges: one standard error of each axis's direction at the scale
        of the fit, as `uapca.component_uncertainty` finds it.
    components : pair of int, default=(0, 1)
        Which two of the components followed are shown, from 0.
    encode : {"eigenvalue", "gap", "stability"}, optional
        What else to show along the traces: the share of the variance in the components shown; the
        gap between them and their nearest eigenvalue as a share of their own, which is small
        where components are easily mistaken for each other; or how little the feature moves as s
        changes, 1 / (1 + v) with v in radii over all of u = s / (1 + s).
    encode_on : {"width", "color"}, default="width"
        The thickness of the line says it, or its colour.
    highlight : names or positions of features, optional
        The features in colour and with a label; the others are thin and grey. By default all, but
        if there are more than six, the six with the longest traces.
    mirrored : bool, default=True
        Whether to draw the mirror images.
    multiples : bool, default=False
        One small panel for each highlighted feature, by default for the 24 with the longest
        traces. Takes no `ax` and returns the Figure.
    ax, title, figsize, legend
        As in `projection`.

    Returns
    -------
    matplotlib.axes.Axes or matplotlib.figure.Figure

    Examples
    --------
    >>> import uapca
    >>> traces = uapca.factor_traces(uapca.datasets.load_students())
    >>> ax = uapca.plot.factor_traces(traces)
    >>> [text.get_text() for text in ax.texts if (text.get_gid() or "").startswith("name")]
    ['M1', 'M2', 'P1', 'P2']
    """
    checked_choice(encode, (None, *ENCODINGS), "encode")
    checked_choice(encode_on, ("width", "color"), "encode_on")
    followed = traces_of(traces, components)
    pair = chosen_components(components, followed.n_components, 2)
    course = course_of(followed, (pair[0], pair[1]))
    names = followed.features
    shown = longest(course, 24 if multiples else CROWDED)
    if highlight is not None:
        shown = positions(highlight, names, "highlight")
    said = None if encode is None else Encoding(encode, encode_on, followed, course, list(pair))
    if multiples:
        if ax is not None:
            raise TypeError("ax must be left out with multiples, which fill a figure of their own")
        return _multiples(course, names, shown, said, mirrored, title, figsize)
    spreads = None
    if X is not None:
        fit, data = data_of(traces, X)
        spreads = angle_std(fit, data, list(pair))
    with panel(ax, figsize=figsize, title=title, legend=legend) as made:
        draw_traces(made, course, names, shown, encoding=said, mirrored=mirrored, spreads=spreads)
        made.axis_names(*(f"PC{i + 1}" for i in pair))
    return made.drawn


def traces_of(traces: Traces, components: Any = (0, 1)) -> FactorTraces | WeightTraces:
    """Traces as they are; of data or a fit, its factor traces, of as many components as needed."""
    if isinstance(traces, FactorTraces | WeightTraces):
        return traces
    given = traces if isinstance(traces, UncertainArray) else fit_of(traces)
    size = given.shape[1] if isinstance(given, UncertainArray) else given.n_features_in_
    if size < 2:
        raise ValueError("traces must have at least 2 features; a single axis has nowhere to turn")
    given_components = np.atleast_1d(np.asarray(components, dtype=object))
    listed = [i for i in given_components if isinstance(i, int | np.integer)]
    return follow(given, n_components=max(2, min(1 + max(listed, default=1), size)))


# -- traces as a picture needs them -------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """Where the features go, from one end of the path to the other.

    Attributes
    ----------
    u : ndarray of shape (S,)
        The grid of the traces, and the mark where the data is as given, if it lies within.
    points : ndarray of shape (S, D, 2)
    segments : tuple of slice
        Stretches without a jump.
    middle : float
        The u of the data as given: s = 1, or the current weight.
    symbol : str
        What grows: ``"s"`` or ``"weight"``.
    """

    u: Floats
    points: Floats
    segments: tuple[slice, ...]
    middle: float
    symbol: str

    def value(self, u: float) -> float:
        """The scale or weight at u."""
        if self.symbol != "s":
            return u
        return float("inf") if u == 1.0 else u / (1.0 - u)

    def lengths(self) -> Floats:
        """How long each trace is in the picture, shape (D,)."""
        total = np.zeros(self.points.shape[1])
        for part in self.segments:
            total += np.linalg.norm(np.diff(self.points[part], axis=0), axis=2).sum(axis=0)
        return total


def course_of(
    traces: FactorTraces | WeightTraces, components: tuple[int, int], until: float = 1.0
) -> Course:
    """The course of all features in two of the components, up to u = ``until``."""
    over_scale = isinstance(traces, FactorTraces)
    middle = 0.5 if isinstance(traces, FactorTraces) else traces.current
    u, loadings, breaks = traces.u, traces.loadings, [int(k) for k in traces.breaks]
    for mark in {middle, until}:
        if u[0] < mark < u[-1] and mark not in u:
            u, loadings, breaks = _with_point(traces, mark, u, loadings, breaks)
    kept = max(int(np.searchsorted(u, until, side="right")), 1)
    ends = [0, *(k for k in breaks if k < kept), kept]
    return Course(
        u=u[:kept],
        points=loadings[:kept][:, :, list(components)],
        segments=tuple(slice(a, b) for a, b in pairwise(ends)),
        middle=middle,
        symbol="s" if over_scale else "weight",
    )


def fit_at(traces: FactorTraces | WeightTraces, u: float) -> UAPCA:
    """The fit at one point of the path."""
    if isinstance(traces, WeightTraces):
        return traces.at(u)
    return traces.at(np.inf if u == 1.0 else u / (1.0 - u))


def _with_point(
    traces: FactorTraces | WeightTraces, mark: float, u: Floats, loadings: Floats, breaks: list[int]
) -> tuple[Floats, Floats, list[int]]:
    """The grid with one more point, from a fit there, signed and ordered as its neighbours.

    Where the trace jumps between them it goes with the one it is like.
    """
    k = int(np.searchsorted(u, mark))
    found = fit_at(traces, mark).components_.T.astype(np.float64)
    left, right = loadings[k - 1], loadings[k]
    if found.shape[1] < left.shape[1]:  # certain rows, fewer than components: nothing turns
        place, with_left = left, True
    else:
        (place, like), (other, unlike) = _aligned(found, left), _aligned(found, right)
        with_left = k not in breaks or like >= unlike
        place = place if with_left else other
    moved = [b + 1 if b > k or (b == k and with_left) else b for b in breaks]
    return np.insert(u, k, mark), np.insert(loadings, k, place, axis=0), moved


def _aligned(found: Floats, near: Floats) -> tuple[Floats, float]:
    """The columns of ``found`` in the order and with the signs of ``near``, and how alike."""
    overlap = found.T @ near
    rows, columns = linear_sum_assignment(-np.abs(overlap))
    placed = np.empty_like(near)
    placed[:, columns] = found[:, rows] * np.where(overlap[rows, columns] < 0, -1.0, 1.0)
    return placed, float(np.abs(overlap[rows, columns]).sum())


def longest(course: Course, most: int = CROWDED) -> tuple[int, ...]:
    """All features, or where they are too many those with the longest traces."""
    order = np.argsort(-course.lengths().round(9), kind="stable")
    return tuple(sorted(int(j) for j in order[:most]))


class Encoding:
    """Values (S, D) from 0 to 1 along a course, and whether width or colour says them."""

    def __init__(
        self,
        what: str,
        on: str,
        traces: FactorTraces | WeightTraces,
        course: Course,
        pair: list[int],
    ) -> None:
        self.name: str
        self.label: str
        self.name, self.label = ENCODINGS[what]
        self.on = on
        if what == "stability":
            self.values: Floats = _stability(course)
        else:
            values = traces.eigenvalues
            if isinstance(traces, FactorTraces):
                values = traces.normalized_eigenvalues
            ranks = traces.ranks[:, pair]
            own = np.take_along_axis(values, ranks, axis=1)
            along = _share(own, values) if what == "eigenvalue" else _gap(own, values, ranks)
            spread = np.interp(course.u, traces.u, along)
            self.values = np.repeat(spread[:, None], course.points.shape[1], axis=1)
        low, high = float(self.values.min()), float(self.values.max())
        self.limits: tuple[float, float] = (
            (low, high) if high - low > 5e-3 else (max(high - 1.0, 0.0), high)
        )

    def widths(self, values: Any) -> Floats:
        """From barely a line to three times the usual."""
        low, high = self.limits
        share = (values - low) / (high - low) if high > low else np.zeros_like(values)
        return np.asarray(0.35 + 2.65 * share)


def _share(own: Floats, values: Floats) -> Floats:
    total = values.sum(axis=1)
    share = np.divide(own.sum(axis=1), total, out=np.zeros_like(total), where=total > 0)
    return np.asarray(share)


def _gap(own: Floats, values: Floats, ranks: Any) -> Floats:
    edge = np.full((len(values), 1), np.inf)
    steps = np.concatenate([edge, values[:, :-1] - values[:, 1:], edge], axis=1)
    nearest = np.minimum(
        np.take_along_axis(steps, ranks, axis=1), np.take_along_axis(steps, ranks + 1, axis=1)
    )
    share = np.divide(nearest, own, out=np.zeros_like(own), where=own > 0)
    return np.asarray(np.clip(share, 0.0, 1.0).min(axis=1))


def _stability(course: Course) -> Floats:
    speed = np.zeros(course.points.shape[:2])
    for part in course.segments:
        if part.stop - part.start > 1:
            rates = np.gradient(course.points[part], course.u[part], axis=0)
            speed[part] = np.linalg.norm(rates, axis=2)
    return np.asarray(1.0 / (1.0 + speed))


# -- drawing ------------------------------------------------------------------------------------


def draw_traces(
    made: Panel,
    course: Course,
    names: tuple[str, ...],
    shown: tuple[int, ...],
    *,
    encoding: Encoding | None = None,
    mirrored: bool = True,
    spreads: Floats | None = None,
    size: float = 1.0,
    labels: bool = True,
    bar: bool = True,
) -> None:
    """The traces of all features, those in `shown` in colour, in the unit circle."""
    from matplotlib.collections import LineCollection

    draw_circle(made)
    rest = [
        course.points[part, j]
        for j in range(len(names))
        if j not in shown
        for part in course.segments
    ]
    if rest:
        made.ax.add_collection(
            LineCollection(rest, colors=LIGHT, linewidths=0.7 * made.line, zorder=2)
        )
    own = looks(len(names), cycle_colors())
    mapped = None
    if encoding is not None and encoding.on == "color":
        mapped = made.colorbar(np.array(encoding.limits), encoding.label, shown=bar)
    for j in shown:
        if mirrored:
            _draw_trace(made, course, j, own[j], size, twin=True)
        _draw_trace(made, course, j, own[j], size, encoding=encoding, mapped=mapped)
        if spreads is not None and course.middle in course.u:
            at = course.points[course.u == course.middle][0, j]
            draw_wedge(made, at, float(spreads[j]), own[j].color)
    _explain(made, course, shown, mirrored, encoding, len(shown) < len(names))
    if spreads is not None and spreads.any():
        made.area("± one standard error of its direction", GREY, 0.2, edge=False)
    if labels:
        for j, text in zip(shown, distinct([names[j] for j in shown], 20), strict=True):
            end = course.points[-1, j]
            away = end / max(float(np.hypot(*end)), 0.1)
            wish = (float(away[0]), float(away[1]))
            made.labels.add(text, end, own[j].color, wish=wish, gid=f"name:{text}")


def _draw_trace(
    made: Panel,
    course: Course,
    j: int,
    look: Look,
    size: float,
    *,
    twin: bool = False,
    encoding: Encoding | None = None,
    mapped: Any = None,
) -> None:
    """One trace or its mirror image: shaded, drawn, marked."""
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgba
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    path = -course.points[:, j] if twin else course.points[:, j]
    color, alpha = drawn_color(look.color), MIRRORED if twin else 1.0
    zorder, role = (2, "twin") if twin else (4, "trace")
    ax, wide = made.ax, made.line
    if still(path):
        style: dict[str, Any] = {"color": color, "alpha": alpha, "zorder": zorder}
        ax.plot(*np.stack([np.zeros(2), path[-1]]).T, linewidth=0.5 * wide, **style)
        ax.plot(*path[:1].T, "o", markersize=0.7 * size * made.marker, gid=role, **style)
        return
    fans = _swept(course, path)
    if fans:
        shape = Path.make_compound_path(*(Path(fan, closed=True) for fan in fans))
        face = to_rgba(drawn_color(look.fill), 0.2 * alpha)
        gid = f"swept:{role}"
        ax.add_patch(PathPatch(shape, facecolor=face, linewidth=0, zorder=zorder - 1, gid=gid))
    for part in course.segments:
        line = path[part]
        if encoding is not None and not twin:
            pieces: Any = np.stack([line[:-1], line[1:]], axis=1)
            values = encoding.values[part, j]
            between = (values[:-1] + values[1:]) / 2
            widths = wide if mapped is not None else wide * encoding.widths(between)
            hues = color if mapped is None else mapped.to_rgba(between)
            made.ax.add_collection(
                LineCollection(
                    pieces,
                    linewidths=widths,
                    colors=hues,
                    capstyle="round",
                    zorder=zorder,
                    gid=role,
                )
            )
        else:
            dash = LINESTYLES[look.dash]
            ax.plot(*line.T, color=color, linestyle=dash, alpha=alpha, zorder=zorder, gid=role)
        if not twin:
            made.labels.avoid(line, line=True)
            made.labels.avoid(line[:: max(len(line) // 25, 1)])
    last = path[course.segments[-1]]
    if course.u[-1] == 1.0 and _length(last) > 0.03:
        _draw_head(made, last, color, alpha, size, zorder)
    if not twin:
        given = path[course.u == course.middle]
        for at, marker, fill, gid in (
            (path[:1][course.u[:1] == 0.0], "o", "white", "start"),
            (given, "s", color, "given"),
        ):
            ax.plot(
                *at.T,
                marker,
                markersize=0.75 * size * made.marker,
                markerfacecolor=fill,
                markeredgecolor=color,
                markeredgewidth=0.8 * size * wide,
                zorder=zorder + 1,
                gid=gid,
            )
            made.labels.avoid(at)


def _draw_head(
    made: Panel, line: Floats, color: Any, alpha: float, size: float, zorder: int
) -> None:
    """An arrowhead at the end of a trace, along its last stretch."""
    back = np.linalg.norm(line[-1] - line, axis=1)
    far = np.flatnonzero(back > 0.04)
    start = line[far[-1]] if len(far) else line[0]
    made.ax.annotate(
        "",
        line[-1],
        start,
        zorder=zorder,
        gid="head",
        arrowprops={
            "arrowstyle": "-|>,head_width=0.16,head_length=0.32",
            "color": color,
            "alpha": alpha,
            "linewidth": 0.6 * made.line,
            "mutation_scale": 2.4 * size * made.marker,
            "shrinkA": 0.0,
            "shrinkB": 0.0,
        },
    )


def still(path: Floats) -> bool:
    """Whether a trace is no more than a point."""
    return bool(np.ptp(path, axis=0).max() < POINT)


def _length(path: Floats) -> float:
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())


def _swept(course: Course, path: Floats) -> list[Floats]:
    """What the unit vector sweeps over from the start to the middle, as fans about the centre.

    A trace that turns back sweeps the same ground twice. It is cut where it turns, and all fans go
    round one way: they add up, where a single ring would cancel itself.
    """
    fans: list[Floats] = []
    way = 0.0
    for part in course.segments:
        points = path[part][course.u[part] <= course.middle]
        for fan, turn in _fans(points):
            way = way or turn
            ring = fan if turn == way else fan[::-1]
            fans.append(np.concatenate([np.zeros((1, 2)), ring, np.zeros((1, 2))]))
    return fans


def _fans(points: Floats) -> list[tuple[Floats, float]]:
    """A path in pieces, each with the way it goes round the centre: 1 is to the left, −1 right."""
    if len(points) < 2:
        return []
    turns = points[:-1, 0] * points[1:, 1] - points[:-1, 1] * points[1:, 0]
    ways = np.sign(np.where(np.abs(turns) > SLIVER, turns, 0.0))
    # A step straight in or out goes with those before it, the first ones with those after.
    known = np.flatnonzero(ways)
    if not len(known):
        return [(points, 1.0)]
    before = np.clip(np.searchsorted(known, np.arange(len(ways)), side="right") - 1, 0, None)
    ways = ways[known[before]]
    cuts = [0, *(np.flatnonzero(np.diff(ways)) + 1).tolist(), len(ways)]
    return [(points[a : b + 1], float(ways[a])) for a, b in pairwise(cuts)]


def _explain(
    made: Panel,
    course: Course,
    shown: tuple[int, ...],
    mirrored: bool,
    encoding: Encoding | None,
    others: bool,
) -> None:
    """What shading, lines and markers say; only what is in the picture."""
    moving = [j for j in shown if not still(course.points[:, j])]
    symbol, first, last = course.symbol, float(course.u[0]), float(course.u[-1])
    low, high = number(course.value(first)), number(course.value(last))
    middle = number(course.value(course.middle))
    equals = " " if symbol == "weight" else " = "
    if moving:
        if first < course.middle:
            top = middle if last >= course.middle else high
            made.area(f"{low} ≤ {symbol} ≤ {top}", GREY, 0.35, edge=False)
        if last > course.middle:
            ahead = f"{symbol} → {high}" if last == 1.0 else f"{symbol} ≤ {high}"
            text = f"{middle} < {ahead}" if first < course.middle else f"{low} ≤ {ahead}"
            (made.arrow if last == 1.0 else made.stroke)(text)
        if first == 0.0:
            made.dot(f"{symbol}{equals}0", Look("#000000", "#FFFFFF"))
        if course.middle in course.u:
            made.dot(f"{symbol}{equals}{middle}", Look("#000000", "#000000", shape="square"))
    if len(moving) < len(shown):
        once = "s → ∞" if high == "∞" else f"{symbol}{equals}{high}"
        made.dot(once if len(course.u) == 1 else "does not move", Look("#000000", "#000000"))
    jumps = [
        number(course.value(0.5 * float(course.u[part.start - 1] + course.u[part.start])))
        for part in course.segments[1:]
    ]
    if jumps:
        made.note(f"jumps at {symbol} = {', '.join(jumps[:3])}{', …' * (len(jumps) > 3)}")
    if mirrored and shown:
        made.stroke("mirror image", alpha=MIRRORED)
    if others:
        made.stroke("other features", LIGHT, linewidth=0.7 * made.line)
    if encoding is not None and encoding.on == "width":
        for value in np.unique(encoding.limits).tolist():
            wide = float(encoding.widths(value)) * made.line
            made.stroke(f"{encoding.name} {percent(value)}", linewidth=wide)


def _multiples(
    course: Course,
    names: tuple[str, ...],
    shown: tuple[int, ...],
    encoding: Encoding | None,
    mirrored: bool,
    title: str | None,
    figsize: tuple[float, float] | None,
) -> Figure:
    """One panel for each feature, the others grey behind it."""
    columns = min(6, len(shown))
    rows = -(-len(shown) // columns)
    with grid(rows, columns, figsize=figsize, ratio=1.15) as (figure, axes):
        for place in axes.ravel()[len(shown) :]:
            place.set_axis_off()
        texts = distinct([names[j] for j in shown], 18)
        for k, (j, text) in enumerate(zip(shown, texts, strict=True)):
            made = Panel(axes.ravel()[k])
            draw_traces(
                made,
                course,
                names,
                (j,),
                encoding=encoding,
                mirrored=mirrored,
                size=0.6,
                labels=False,
                bar=k == len(shown) - 1,
            )
            made.title(text)
            made.ax.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1))
            made.ax.set_axis_off()
            made.ax._uapca_entries = made.entries
        if title:
            figure.suptitle(title)
        joint_legend(figure, axes.ravel())
    return figure
