"""Where the original axes go as the uncertainty grows (paper, Sec. "Factor Traces")."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from uapca._looks import GREY, LIGHT, Look, looks
from uapca._validation import Doubles, check_choice
from uapca.plot.base import (
    LINESTYLES,
    Data,
    Panel,
    chosen_components,
    cycle_colors,
    data_of,
    fit_of,
    grid,
    joint_legend,
    panel,
    positions,
)
from uapca.plot.contributions import two_lines
from uapca.plot.labels import NAME, distinct, drawn_color, number, percent
from uapca.plot.loadings import angle_std, draw_circle, draw_wedge
from uapca.sensitivity import FactorTraces, WeightTraces
from uapca.sensitivity import factor_traces as follow
from uapca.uncertain import UncertainArray

__all__ = ["factor_traces"]

Traces: TypeAlias = Any  # FactorTraces, WeightTraces, a fit, a Pipeline or data

CROWDED = 6  # the paper: with more features than this, traces cover each other
MIRRORED = 0.38  # the opacity of mirror images
POINT = 4e-3  # a trace shorter than this, in radii, is a point on paper
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

    The area between the trace and the center is shaded for 0 ≤ s ≤ 1, from ordinary PCA to the
    data as given; beyond there is only the line, with an arrowhead at s → ∞. The length of a trace
    says how strongly the uncertainty affects the axis, its distance from the center how much of
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
        The thickness of the line says it, or its color.
    highlight : names or positions of features, optional
        The features in color and with a label; the others are thin and gray. By default all, but
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

    See Also
    --------
    uapca.factor_traces : The features in the picture as the uncertainty counts more.
    uapca.plot.progression : Traces and projected rows at several scales.

    Examples
    --------
    >>> import uapca
    >>> traces = uapca.factor_traces(uapca.datasets.load_students())
    >>> ax = uapca.plot.factor_traces(traces)
    >>> [text.get_text() for text in ax.texts if (text.get_gid() or "").startswith("name")]
    ['M1', 'M2', 'P1', 'P2']
    """
    check_choice(encode, (None, *ENCODINGS), "encode")
    check_choice(encode_on, ("width", "color"), "encode_on")
    followed = traces_of(traces, components)
    pair = chosen_components(components, followed.n_components, 2)
    course, names = course_of(followed, pair), followed.features
    shown = longest(course, 24 if multiples else CROWDED)
    if highlight is not None:
        shown = positions(highlight, names, "highlight")
    said = None if encode is None else encoded(encode, encode_on, followed, course, pair)
    if multiples:
        if ax is not None:
            raise TypeError("ax must be left out with multiples, which fill a figure of their own")
        return _multiples(course, names, shown, said, mirrored, title, figsize)
    spreads = None if X is None else angle_std(*data_of(traces, X), pair)
    with panel(ax, title, figsize, legend) as made:
        draw_traces(made, course, names, shown, encoding=said, mirrored=mirrored, spreads=spreads)
        made.words(*(f"PC{i + 1}" for i in pair))
    return made.drawn


def traces_of(traces: Traces, components: Any = (0, 1)) -> FactorTraces | WeightTraces:
    """Traces as they are; of data or a fit, its factor traces, of as many components as needed."""
    if isinstance(traces, FactorTraces | WeightTraces):
        return traces
    given = traces if isinstance(traces, UncertainArray) else fit_of(traces)
    size = given.shape[1] if isinstance(given, UncertainArray) else given.n_features_in_
    if size < 2:
        raise ValueError("traces must have at least 2 features; a single axis has nowhere to turn")
    listed = np.atleast_1d(np.asarray(components, dtype=object))
    last = max((int(i) for i in listed if isinstance(i, int | np.integer)), default=1)
    return follow(given, n_components=max(2, min(1 + last, size)))


def bounded_eigenvalues(traces: FactorTraces | WeightTraces) -> Doubles:
    """Eigenvalues that stay finite along the whole path; shape (S, D)."""
    return traces.eigenvalues if isinstance(traces, WeightTraces) else traces.normalized_eigenvalues


# -- traces as a picture needs them -------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """Where the features go, from one end of the path to the other.

    Attributes
    ----------
    u : ndarray of shape (S,)
        The grid of the traces.
    points : ndarray of shape (S, D, 2)
    segments : tuple of slice
        Stretches without a jump.
    middle : float
        The u of the data as given: s = 1, or the current weight.
    symbol : str
        What grows: ``"s"`` or ``"weight"``.
    """

    u: Doubles
    points: Doubles
    segments: tuple[slice, ...]
    middle: float
    symbol: str

    def value(self, u: float) -> str:
        """The scale or weight at u, as text."""
        if self.symbol != "s":
            return number(u)
        return "∞" if u == 1.0 else number(u / (1.0 - u))

    def lengths(self) -> Doubles:
        """How long each trace is in the picture, shape (D,)."""
        total = np.zeros(self.points.shape[1])
        for part in self.segments:
            total += np.linalg.norm(np.diff(self.points[part], axis=0), axis=2).sum(axis=0)
        return total


def course_of(traces: FactorTraces | WeightTraces, pair: list[int], until: float = 1.0) -> Course:
    """The course of all features in two of the components, up to the point of the grid at u."""
    kept = int(np.abs(traces.u - until).argmin()) + 1
    ends = [0, *(int(k) for k in traces.breaks if k < kept), kept]
    return Course(
        u=traces.u[:kept],
        points=traces.positions[:kept][:, :, pair],
        segments=tuple(slice(a, b) for a, b in pairwise(ends)),
        middle=0.5 if isinstance(traces, FactorTraces) else traces.current,
        symbol="s" if isinstance(traces, FactorTraces) else "weight",
    )


def longest(course: Course, most: int = CROWDED) -> list[int]:
    """All features, or where they are too many those with the longest traces.

    Of traces that are no more than points, those farthest from the center.
    """
    lengths = course.lengths()
    far = np.linalg.norm(course.points[-1], axis=1).round(9)
    order = np.lexsort([-far, -np.where(lengths < POINT, 0.0, lengths).round(9)])
    return sorted(order[:most].tolist())


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """Values (S, D) from 0 to 1 along a course, and whether width or color says them."""

    name: str
    label: str
    on: str
    values: Doubles

    @property
    def limits(self) -> tuple[float, float]:
        low, high = float(self.values.min()), float(self.values.max())
        return (low, high) if high - low > 5e-3 else (max(high - 1.0, 0.0), high)

    def widths(self, values: Any) -> Any:
        """From barely a line to three times the usual."""
        return 0.35 + 2.65 * np.interp(values, self.limits, (0.0, 1.0))


def encoded(
    what: str, on: str, traces: FactorTraces | WeightTraces, course: Course, pair: list[int]
) -> Encoding:
    """The share of the variance shown, the gap to the nearest eigenvalue, or the stability."""
    if what == "stability":
        speed = np.zeros(course.points.shape[:2])
        for part in course.segments:
            if part.stop - part.start > 1:
                rates = np.gradient(course.points[part], course.u[part], axis=0)
                speed[part] = np.linalg.norm(rates, axis=2)
        return Encoding(*ENCODINGS[what], on, 1.0 / (1.0 + speed))
    values = bounded_eigenvalues(traces)
    ranks = traces.ranks[:, pair]
    own = np.take_along_axis(values, ranks, axis=1)
    if what == "eigenvalue":
        total = values.sum(axis=1)
        along = np.divide(own.sum(axis=1), total, out=np.zeros_like(total), where=total > 0)
    else:
        edge = np.full((len(values), 1), np.inf)
        steps = np.concatenate([edge, values[:, :-1] - values[:, 1:], edge], axis=1)
        near = [np.take_along_axis(steps, ranks + side, axis=1) for side in (0, 1)]
        gaps = np.divide(np.minimum(*near), own, out=np.zeros_like(own), where=own > 0)
        along = np.clip(gaps, 0.0, 1.0).min(axis=1)
    values = np.repeat(along[: len(course.u), None], course.points.shape[1], axis=1)
    return Encoding(*ENCODINGS[what], on, values)


# -- drawing ------------------------------------------------------------------------------------


def draw_traces(
    made: Panel,
    course: Course,
    names: tuple[str, ...],
    shown: list[int],
    *,
    encoding: Encoding | None = None,
    mirrored: bool = True,
    spreads: Doubles | None = None,
    size: float = 1.0,
    labels: bool = True,
    bar: bool = True,
) -> None:
    """The traces of all features, those in `shown` in color, in the unit circle."""
    draw_circle(made)
    rest = [j for j in range(len(names)) if j not in shown]
    lines = [course.points[part, j] for j in rest for part in course.segments]
    lines += [
        np.stack([np.zeros(2), course.points[-1, j]]) for j in rest if still(course.points[:, j])
    ]
    made.ax.add_collection(LineCollection(lines, colors=LIGHT, linewidths=0.7 * made.line))
    own = looks(len(names), cycle_colors())
    mapped = None
    if encoding is not None and encoding.on == "color":
        mapped = made.colorbar(np.array(encoding.limits), encoding.label, shown=bar)
    _explain(made, course, shown)
    own_names = [names[j] for j in shown]
    for j, text, name in zip(shown, distinct(own_names), distinct(own_names, NAME), strict=True):
        if mirrored:
            _draw_trace(made, course, j, own[j], size, twin=True)
            made.key("mirror image", alpha=MIRRORED)
        _draw_trace(made, course, j, own[j], size, encoding=encoding, mapped=mapped)
        if spreads is not None and course.middle in course.u:
            at = course.points[course.u == course.middle][0, j]
            draw_wedge(made, at, float(spreads[j]), own[j].color)
        if labels:
            end = course.points[-1, j]
            away = end / max(float(np.hypot(*end)), 0.1)
            wish = (float(away[0]), float(away[1]))
            made.label(text, end, own[j].color, wish=wish, name=name, gid=f"name:{text}")
    if rest:
        made.key("other features", LIGHT, linewidth=0.7 * made.line)
    if encoding is not None and mapped is None:
        for value in np.unique(encoding.limits).tolist():
            wide = float(encoding.widths(value)) * made.line
            made.key(f"{encoding.name} {percent(value)}", linewidth=wide)


def still(path: Doubles) -> bool:
    """Whether a trace is no more than a point."""
    return bool(np.ptp(path, axis=0).max() < POINT)


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
    path = -course.points[:, j] if twin else course.points[:, j]
    color, alpha = drawn_color(look.color), MIRRORED if twin else 1.0
    zorder, role = (2, "twin") if twin else (4, "trace")
    ax, style = made.ax, {"color": color, "alpha": alpha, "zorder": zorder}
    if still(path):
        ax.plot(*np.stack([np.zeros(2), path[-1]]).T, linewidth=0.5 * made.line, **style)
        ax.plot(*path[:1].T, "o", markersize=0.7 * size * made.marker, gid=role, **style)
        return
    face = to_rgba(drawn_color(look.fill), 0.2 * alpha)
    shade = {"facecolor": face, "linewidth": 0, "zorder": zorder - 1, "gid": f"swept:{role}"}
    ax.add_patch(PathPatch(_swept(course, path), **shade))
    for part in course.segments:
        line = path[part]
        if encoding is None or twin:
            ax.plot(*line.T, linestyle=LINESTYLES[look.dash], gid=role, **style)
        else:
            between = (encoding.values[part, j][:-1] + encoding.values[part, j][1:]) / 2
            wide: Any = made.line if mapped is not None else made.line * encoding.widths(between)
            hues = color if mapped is None else mapped.to_rgba(between)
            pieces: Any = np.stack([line[:-1], line[1:]], axis=1)
            drawn = LineCollection(pieces, linewidths=wide, colors=hues, capstyle="round")
            drawn.set(zorder=zorder, gid=role)
            ax.add_collection(drawn)
        if not twin:
            made.lines.append(line)
            made.markers.append(line[:: max(len(line) // 25, 1)])
    last = path[course.segments[-1]]
    if course.u[-1] == 1.0 and np.ptp(last, axis=0).max() > 0.03:
        # The head goes along the last stretch.
        far = np.flatnonzero(np.linalg.norm(last[-1] - last, axis=1) > 0.04)
        made.arrow(
            last[far[-1] if len(far) else 0],
            last[-1],
            color,
            alpha=alpha,
            linewidth=0.6 * made.line,
            zorder=zorder,
            gid="head",
        )
    if not twin:
        for at, marker, fill, gid in (
            (path[:1][course.u[:1] == 0.0], "o", "white", "start"),
            (path[course.u == course.middle], "s", color, "given"),
        ):
            ax.plot(
                *at.T,
                marker,
                color=color,
                markerfacecolor=fill,
                markersize=0.75 * size * made.marker,
                markeredgewidth=0.8 * size * made.line,
                zorder=zorder + 1,
                gid=gid,
            )
            made.markers.append(at)


def _swept(course: Course, path: Doubles) -> Path:
    """What the unit vector sweeps over from the start to the middle, as triangles at the center.

    All go round one way: a trace that turns back sweeps the same ground twice, and the triangles
    add up where a single ring would cancel itself.
    """
    triangles = []
    for part in course.segments:
        points = path[part][course.u[part] <= course.middle]
        for a, b in pairwise(points):
            ends = (a, b) if a[0] * b[1] >= a[1] * b[0] else (b, a)
            triangles.append(Path([(0.0, 0.0), *ends, (0.0, 0.0)], closed=True))
    return Path.make_compound_path(*triangles)


def _explain(made: Panel, course: Course, shown: list[int]) -> None:
    """What shading, lines and markers say; only what is in the picture."""
    moving = [j for j in shown if not still(course.points[:, j])]
    symbol, first, last = course.symbol, float(course.u[0]), float(course.u[-1])
    low, middle, high = map(course.value, (first, course.middle, last))
    black = Look("#000000", "#000000")
    equals = " " if symbol == "weight" else " = "
    if moving:
        if first < course.middle:
            top = middle if last >= course.middle else high
            made.area(f"{low} ≤ {symbol} ≤ {top}", GREY, 0.35, edgecolor="none")
        if last > course.middle:
            until = f"{symbol} → {high}" if last == 1.0 else f"{symbol} ≤ {high}"
            text = f"{middle} < {until}" if first < course.middle else f"{low} ≤ {until}"
            made.key(text, marker=">" if last == 1.0 else "none")
        if first == 0.0:
            made.dot(f"{symbol}{equals}0", Look("#000000", "#FFFFFF"))
        if course.middle in course.u:
            made.dot(f"{symbol}{equals}{middle}", Look("#000000", "#000000", shape="square"))
    if len(moving) < len(shown):
        once = "s → ∞" if high == "∞" else f"{symbol}{equals}{high}"
        made.dot(once if len(course.u) == 1 else "does not move", black)
    jumps = [
        course.value(0.5 * float(course.u[part.start - 1] + course.u[part.start]))
        for part in course.segments[1:]
    ]
    if jumps:
        more = ", …" * (len(jumps) > 3)
        made.key(f"jumps at {symbol} = {', '.join(jumps[:3])}{more}", linestyle="none")


def _multiples(
    course: Course,
    names: tuple[str, ...],
    shown: list[int],
    encoding: Encoding | None,
    mirrored: bool,
    title: str | None,
    figsize: tuple[float, float] | None,
) -> Figure:
    """One panel for each feature, the others gray behind it."""
    columns = min(6, len(shown))
    rows = -(-len(shown) // columns)
    with grid(rows, columns, title=title or "", figsize=figsize, ratio=1.15) as (figure, axes):
        for ax in axes.ravel():
            ax.set_axis_off()
        texts = two_lines([names[j] for j in shown], 84 // columns)
        for k, (j, text) in enumerate(zip(shown, texts, strict=True)):
            made = Panel(axes.ravel()[k])
            draw_traces(
                made,
                course,
                names,
                [j],
                encoding=encoding,
                mirrored=mirrored,
                size=0.6,
                labels=False,
                bar=k == len(shown) - 1,
            )
            made.ax.set_title(text, parse_math=False)
            made.ax.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1))
        joint_legend(figure, axes.ravel())
    return figure
