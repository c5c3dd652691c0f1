"""Uncertain rows as marks, each drawn as what its law is.

In the plane a normal row is an ellipse, any other law with a density the contours of that density,
a row that is certain in one direction a line, a certain row a point, and a law without a density
(atoms), or with one too thin to be seen, some draws of it. Too many rows to be told apart are the
density of all of them together, with regions for a few. On one axis rows are densities.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np
from matplotlib.colors import is_color_like, to_hex, to_rgba
from matplotlib.patches import Ellipse, PathPatch
from matplotlib.path import Path
from scipy.ndimage import gaussian_filter

from uapca._looks import (
    GREY,
    LIGHT,
    Look,
    Palette,
    RowLooks,
    is_assumed,
    is_normal,
    row_looks,
)
from uapca._validation import Doubles, as_floats
from uapca.exceptions import DegenerateLawError
from uapca.laws import Law, Normal
from uapca.plot.base import LINESTYLES, MARKERS, Panel, cycle_colors
from uapca.plot.labels import NAME, distinct, drawable, drawn_color, number, percent
from uapca.plot.regions import Unresolved, curve, intervals, rings
from uapca.stability import ellipse_factor
from uapca.uncertain import UncertainArray

__all__ = ["Kind", "draw_ridges", "draw_rows", "looks_of", "row_levels"]

Kind: TypeAlias = Literal["auto", "ellipse", "contour", "points", "density", "prediction", "mean"]
KINDS = ("auto", "ellipse", "contour", "points", "density", "prediction", "mean")
# What ellipses of groups are about, by their kind.
OF_POINTS = {
    "prediction": "of new points of each group, if normal (prediction)",
    "mean": "region of each group's mean, if its points are normal",
}
BROWN = "#5C3A21"  # instead of black where arrows are black
FLAT = 1e-6  # below this ratio of standard deviations an ellipse is a line on any paper
FEW, NAMED, NUMBERED = 6, 12, 24  # rows with an inner region; all named; called by their numbers
MANY = 60  # of more rows the density of all is drawn, and regions for a few
MOST = 500  # regions at most, where regions are asked for
RIDGES = 40  # densities on one axis at most
DRAWS = 200  # dots for a law that has no density
GROUPS = 24  # groups in a legend at most
MARKED, RIM = 20_000, 2_000  # of more rows only the outermost means are marked, at most so many
WHOLE = (0.95, 0.8, 0.5)  # what the shades of the density of all rows hold
CELLS, DRAWN = 128, 400_000  # the grid on which it is found, and how many draws of rows it takes


def row_levels(levels: Any, count: int) -> tuple[float, ...]:
    """Levels between 0 and 1, rising; by default 0.95, and 0.5 too for few rows."""
    if levels is None:
        return (0.5, 0.95) if count <= FEW else (0.95,)
    values = np.unique(np.atleast_1d(as_floats(levels, "levels")))
    if not len(values) or not ((values > 0) & (values < 1)).all():
        raise ValueError(f"levels must be probabilities between 0 and 1; got {levels!r}")
    return tuple(values.tolist())


def looks_of(
    Y: UncertainArray,
    groups: Any = None,
    palette: Palette = None,
    spreads: Doubles | None = None,
    black: bool = True,
) -> RowLooks:
    """The looks of rows, in the user's own colours where there are some; brown for black."""
    given: Any = palette.values() if isinstance(palette, Mapping) else palette or ()
    for color in () if isinstance(palette, str) else given:
        if isinstance(color, str) and not is_color_like(color):
            raise ValueError(f"palette must name colours that matplotlib knows; got {color!r}")
    colors = [BROWN if color == "#000000" and not black else color for color in cycle_colors()]
    return row_looks(Y.names, len(Y), groups, palette, colors=colors, spreads=spreads)


def as_if_normal(laws: Iterable[Law | None]) -> str:
    """What a legend adds where rows are known by no more than their moments: all, or some.

    >>> as_if_normal([]), as_if_normal([None]), as_if_normal([None, Normal([0.0], [[1.0]])])
    ('', ', if normal', ', some taken as normal')
    """
    assumed = set(map(is_assumed, laws))
    if True not in assumed:
        return ""
    return ", some taken as normal" if False in assumed else ", if normal"


def radius_of(level: float) -> float:
    """The radius, in standard deviations, of the disc that holds `level` of a standard normal.

    >>> round(radius_of(0.95), 4)
    2.4477
    """
    return float(np.sqrt(-2 * np.log1p(-level)))


def ellipse_ring(mean: Doubles, cov: Doubles, level: float, count: int = 72) -> Doubles:
    """Points (count + 1, 2) around the ellipse that holds `level` of a normal."""
    values, vectors = np.linalg.eigh(cov)
    around = np.linspace(0.0, 2 * np.pi, count + 1)
    circle = radius_of(level) * np.stack([np.cos(around), np.sin(around)])
    half = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(mean + (half @ circle).T)


def draw_normal(
    made: Panel, mean: Doubles, cov: Doubles, level: float, gid: str, **patch: Any
) -> None:
    """The ellipse that holds `level` of N(mean, cov)."""
    values, vectors = np.linalg.eigh(cov)
    sides = 2 * radius_of(level) * np.sqrt(np.maximum(values, 0.0))
    angle = float(np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1])))
    made.ax.add_patch(Ellipse(tuple(mean), sides[1], sides[0], angle=angle, gid=gid, **patch))
    made.labels.avoid(ellipse_ring(mean, cov, level), line=True)


# -- rows in the plane --------------------------------------------------------------------------


def draw_rows(
    made: Panel,
    Y: UncertainArray,
    looks: RowLooks,
    levels: tuple[float, ...],
    *,
    kind: Kind = "auto",
    labels: bool | None = None,
    means: bool = True,
    highlight: Collection[int] = (),
    fill: bool = True,
    legend: bool = True,
) -> None:
    """Draw rows of two coordinates, the widest first so that small ones stay visible.

    Parameters
    ----------
    Y : UncertainArray of shape (N, 2)
    looks : RowLooks
    levels : tuple of float
        Rising probabilities.
    kind : {"auto", "ellipse", "contour", "points", "density", "prediction", "mean"}
        By the row's law; of the row's mean and covariance; the density throughout; means only; the
        density of all rows, with regions for a few; of a new point, or the mean, of groups.
    labels : bool, optional
        Whether to write the rows' names; by default where there is room.
    means : bool
        Whether to mark the means of uncertain rows.
    highlight : collection of int
        Rows that have regions and names however many there are.
    fill : bool
        Whether regions are filled.
    legend : bool
        Whether to explain the rows in the legend and to write names.
    """
    counts = np.full(len(Y), np.inf) if Y.counts is None else np.asarray(Y.counts)
    if kind in OF_POINTS and (Y.counts is None or counts.min() < 3):
        raise ValueError(f"kind={kind!r} needs groups of at least 3 points each (X.counts)")
    n, at = len(Y), np.asarray(Y.mean, dtype=np.float64)
    covs = np.zeros((n, 2, 2)) if kind == "points" else Y.cov.dense().astype(np.float64)
    # Moments of few points make wider ellipses (Hotelling's T²).
    wider = {
        p: ellipse_factor(p, counts, 2, kind) / radius_of(p) if kind in OF_POINTS else np.ones(n)
        for p in levels
    }
    sizes = np.trace(covs, axis1=1, axis2=2)
    unit = max(float(np.ptp(at, axis=0).max()), float(np.sqrt(max(sizes.max(), 0.0))))
    sure = sizes <= (FLAT * unit) ** 2
    order = np.argsort(-sizes, kind="stable")
    drawn = order[~sure[order]]
    uncertain, chosen = len(drawn), {*looks.wide, *highlight}
    many = kind == "auto" and n > MANY and 2 * uncertain > n
    whole = many or (kind == "density" and uncertain > 0)
    marked = np.ones(n, dtype=bool) if means else sure
    if whole:
        marked = marked & _draw_whole(made, Y, at)
        chosen |= set(_outlying(Y, at, covs))
        drawn = drawn[np.isin(drawn, list(chosen))]
    drawn = _evenly(drawn, MOST, chosen)
    laws = {i: Y.laws[i] if Y.laws is not None else None for i in drawn.tolist()}
    kinds = set()
    for i, law in laws.items():
        gid = f"row:{drawable(looks.keys[i])}"  # SVG files keep it
        own = kind == "contour" or not (kind in ("ellipse", *OF_POINTS) or is_normal(law))
        if own or np.linalg.cond(covs[i]) > FLAT**-2:
            shape = (law if own else None) or Normal(at[i], covs[i])
            kinds.add(_draw_law(made, shape, levels, looks.looks[i], gid, fill))
        else:
            for k in range(len(levels))[::-1]:
                style = _patch(made, looks.looks[i], k, len(levels), fill and len(drawn) <= MANY)
                cov = wider[levels[k]][i] ** 2 * covs[i]
                draw_normal(made, at[i], cov, levels[k], gid, **style)
            kinds.add("ellipse")
    small = float(np.clip(np.sqrt(80 / n), 0.22, 1.0))
    for rows, size, gid in ((sure & marked, 1.0, "certain"), (~sure & marked, 0.55, "means")):
        picked = [looks.looks[i] for i in np.flatnonzero(rows)]
        style = {"zorder": 4, "gid": gid, "alpha": 1.0 if n <= MANY else 0.6}
        _dots(made, at[rows], picked, size * small, **style)
    if not legend:
        return
    _explain_groups(made, looks)
    if drawn.size and kinds != {"draws"}:
        kinds |= {"contour"} if "modes" in kinds else set()
        words = ", ".join(word for word in ("ellipse", "contour", "line") if word in kinds)
        words = "density contour" if words == "contour" else words
        what = f"of each row's probability{as_if_normal(laws.values())} ({words})"
        if kind == "ellipse":
            what = "of the normal with each row's mean and covariance"
        what = OF_POINTS.get(kind, what)
        if whole:
            named = ", and of the highlighted ones" if highlight else ""
            what = f"of the widest rows and those farthest out{named}{as_if_normal(laws.values())}"
        elif len(drawn) < uncertain:
            what += f", {len(drawn):,} of {uncertain:,} rows"
        made.area(f"{' and '.join(map(percent, levels))} {what}", GREY, 0.14)
    if "modes" in kinds:
        made.key("joins the modes of one row", GREY, "dotted", linewidth=0.8 * made.line)
    if kind != "points" and sure.any() and kinds:
        made.dot("certain row")
    if "draws" in kinds:
        made.dot("draws of a row", size=0.35)
    if whole or len(drawn) < uncertain:
        made.dot("mean of a row" + ", outermost only" * bool(n > MARKED and whole), size=0.4)
    few = order if n > NAMED else np.arange(n)
    if whole or (n > MANY and labels is None):
        few = np.array([i for i in order if i in chosen], dtype=int)
    _name_rows(made, looks, at, covs, few, levels[-1], labels, chosen, Y.names is not None)


def _evenly(order: Any, most: int, always: Collection[int] = ()) -> Any:
    """At most about `most` of some rows, evenly along their order, and those in `always`.

    >>> _evenly(np.arange(9), 3).tolist(), _evenly(np.arange(9), 3, {1}).tolist()
    ([0, 4, 8], [0, 1, 4, 8])
    """
    if len(order) <= most:
        return order
    chosen = np.isin(order, list(always))
    chosen[np.linspace(0, len(order) - 1, most).round().astype(np.intp)] = True
    return order[chosen]


def _patch(made: Panel, look: Look, level: int, count: int, fill: bool) -> dict[str, Any]:
    """Inner regions are filled more, and only the outermost has a full line."""
    outer = level == count - 1
    return {
        "edgecolor": drawn_color(look.color),
        "facecolor": to_rgba(drawn_color(look.fill), 0.14 if outer else 0.22) if fill else "none",
        "linewidth": (1.0 if outer else 0.5) * made.line,
        "linestyle": LINESTYLES[look.dash],
        "zorder": 2,
    }


def _draw_law(
    made: Panel, law: Law, levels: tuple[float, ...], look: Look, gid: str, fill: bool
) -> str:
    """Contours of a density, or what is left of them where the law is degenerate."""
    count, color = len(levels), drawn_color(look.color)
    try:
        if law.support_rank == 1:
            line = law.along_line()
            for k, parts in list(enumerate(intervals(line.law, levels)))[::-1]:
                wide = (1.2 + 1.3 * (count - 1 - k)) * made.line  # thick in the middle
                for ends in parts:
                    points: Any = line.origin + np.outer(ends, line.direction)
                    made.ax.plot(*points.T, color=color, linewidth=wide, zorder=2, gid=gid)
                    made.labels.avoid(np.linspace(points[0], points[1], 40), line=True)
            return "line"
        found = rings(law, levels)
    except (DegenerateLawError, Unresolved):
        points = law.sample(DRAWS, rng=0)
        _dots(made, points, [look] * len(points), 0.35, alpha=0.5, zorder=2, gid=gid)
        return "draws"
    for k in range(count)[::-1]:
        path = Path.make_compound_path(*(Path(ring, closed=True) for ring in found[k]))
        made.ax.add_patch(PathPatch(path, gid=gid, **_patch(made, look, k, count, fill)))
        for ring in found[k]:
            made.labels.avoid(ring, line=True)
    # Holes go round the other way.
    areas = [float((r[:-1, 0] * r[1:, 1] - r[1:, 0] * r[:-1, 1]).sum()) for r in found[-1]]
    outer = [a * max(areas, key=abs) > 0 for a in areas]
    modes = [ring.mean(axis=0) for ring, out in zip(found[-1], outer, strict=True) if out]
    if len(modes) > 1 and fill:  # without colours nothing else says that they are one row
        style = {"linestyle": LINESTYLES["dotted"], "linewidth": 0.8 * made.line, "zorder": 1.9}
        made.ax.plot(*np.array(modes).T, color=color, gid="modes", **style)
        return "modes"
    return "contour"


def _dots(made: Panel, at: Doubles, looks: Sequence[Look], size: float, **style: Any) -> None:
    """Markers, one artist for each shape."""
    for shape in dict.fromkeys(look.shape for look in looks):
        rows = [i for i, look in enumerate(looks) if look.shape == shape]
        same = len({looks[i] for i in rows}) == 1
        picked = [looks[rows[0]]] if same else [looks[i] for i in rows]
        made.ax.scatter(
            *at[rows].T,
            s=(size * made.marker) ** 2,
            marker=MARKERS[shape],
            facecolors=[drawn_color(look.fill) for look in picked],
            edgecolors=[drawn_color(look.color) for look in picked],
            linewidths=0.6 * made.line if len(at) <= MANY else 0.0,
            rasterized=len(at) > 2000,
            **style,
        )
        made.labels.avoid(at[rows])


def _explain_groups(made: Panel, looks: RowLooks) -> None:
    for text, look in looks.legend[:GROUPS]:
        made.dot(text, look)
    if len(looks.legend) > GROUPS:
        more = f"… and {len(looks.legend) - GROUPS} more groups"
        made.key(more, linestyle="none")


def _name_rows(
    made: Panel,
    looks: RowLooks,
    at: Doubles,
    covs: Doubles,
    order: Any,
    level: float,
    labels: bool | None,
    chosen: Collection[int],
    named: bool,
) -> None:
    """Write names: of few rows all, of more those with room, of very many those that stand out."""
    n = len(at)
    if labels is False:
        if named and n <= NUMBERED and not looks.groups:  # then the colours say who is who
            for text, look in zip(distinct(looks.keys), looks.looks, strict=True):
                made.dot(text, look)
        return
    if labels is None and not (named or chosen or (n <= NUMBERED and not looks.groups)):
        return
    keys = [looks.keys[i] for i in order]
    for i, text, name in zip(order, distinct(keys), distinct(keys, NAME), strict=True):
        spot = at[i]
        if i in looks.wide:  # at the edge: the middle belongs to the others
            ring = ellipse_ring(at[i], covs[i], level)
            spot = ring[np.argmax(ring[:, 1])]
        optional = labels is None and n > NAMED and i not in chosen
        color = looks.looks[i].color
        made.labels.add(text, spot, color, optional=optional, name=name, gid=f"name:{text}")


# -- the density of all rows --------------------------------------------------------------------


def _draw_whole(made: Panel, Y: UncertainArray, at: Doubles) -> Any:
    """Shade the density of all rows; return which means are marked beside it."""
    x, y, density, smoothed = whole_density(Y)
    heights = np.sort(density.ravel())[::-1]
    places = np.searchsorted(np.cumsum(heights) / heights.sum(), WHOLE)
    levels = heights[places] + 1e-12 * heights[0] * np.arange(len(WHOLE))
    tones = [to_rgba(GREY, alpha) for alpha in (0.12, 0.22, 0.36)]
    edges = [*levels, 1.001 * heights[0]]
    limits = made.ax.dataLim.frozen()
    made.ax.contourf(x, y, density.T, levels=edges, colors=tones, zorder=1)
    made.ax.dataLim.set(limits)  # what lies beyond the outermost shade is empty
    i, j = np.nonzero(density >= levels[0])
    made.ax.update_datalim(np.column_stack([x[i], y[j]]))
    text = ", ".join(percent(p) for p in WHOLE[:0:-1]) + f" and {percent(WHOLE[0])} of all rows"
    text += " together" + as_if_normal([None] if Y.laws is None else Y.laws)
    made.area(text + ", smoothed" * smoothed, GREY, 0.25, edgecolor="none")
    i, j = (np.searchsorted(axis, at[:, k]).clip(1, CELLS) - 1 for k, axis in enumerate((x, y)))
    within = ((at > [x[0], y[0]]) & (at < [x[-1], y[-1]])).all(axis=1)
    marked = np.full(len(at), len(at) <= MARKED)
    here = np.where(within, density[i, j], 0.0)
    rim = np.argsort(here, kind="stable")[:RIM]
    marked[rim] |= here[rim] < levels[0]
    return marked


def whole_density(Y: UncertainArray) -> tuple[Doubles, Doubles, Doubles, bool]:
    """The average of the densities of many rows on a grid, from draws of the rows' own laws.

    Where rows are so narrow that single ones would show, the density is smoothed by Scott's rule.

    Returns
    -------
    x, y : ndarray of shape (CELLS,)
    density : ndarray of shape (CELLS, CELLS)
        The share of each cell, at (x[i], y[j]).
    smoothed : bool
    """
    rng = np.random.default_rng(0)
    most = MARKED if Y.laws is not None else DRAWN
    rows = Y
    if len(Y) > most:
        rows = Y[rng.choice(len(Y), most, p=Y.weights)].reweighted(None)
    each = DRAWN // len(rows)
    draws = np.asarray(rows.sample(each, rng=rng), dtype=np.float64)
    weights = np.broadcast_to(rows.weights, draws.shape[:2]).ravel()
    points = draws.reshape(-1, 2)
    own = rows.weights @ np.asarray(rows.cov.diagonal(), dtype=np.float64)
    apart = np.asarray(Y.mean, dtype=np.float64) - Y.weights @ Y.mean
    scott = Y.weights @ np.square(apart) * len(Y) ** (-1 / 3)
    extra = np.maximum(scott - own, 0.0)
    low, high = np.quantile(points, [0.001, 0.999], axis=0)
    margin = 3 * np.sqrt(extra) + 0.05 * (high - low) + 1e-9 * np.abs(high) + 1e-300
    low, high = low - margin, high + margin
    ends = np.stack([low, high], axis=1)
    counts = np.histogram2d(points[:, 0], points[:, 1], CELLS, ends, weights=weights)[0] / each
    step = (high - low) / CELLS
    density = gaussian_filter(counts, np.maximum(np.sqrt(extra) / step, 1.5), mode="constant")
    x, y = (low[i] + step[i] * (np.arange(CELLS) + 0.5) for i in range(2))
    return x, y, density, bool((extra > 0.3 * scott).any())


def _outlying(Y: UncertainArray, at: Doubles, covs: Doubles) -> list[int]:
    """The five rows farthest from the mean of all, if they are far in terms of K(1)."""
    apart = at - Y.weights @ at
    total = (apart.T * Y.weights) @ apart + np.tensordot(Y.weights, covs, 1)
    far = np.einsum("ni,ij,nj->n", apart, np.linalg.pinv(total), apart)
    return [i for i in np.argsort(-far, kind="stable")[:5].tolist() if far[i] > 3.5**2]


# -- rows on one axis ---------------------------------------------------------------------------


def draw_ridges(
    made: Panel,
    Y: UncertainArray,
    looks: RowLooks,
    levels: tuple[float, ...],
    *,
    stacked: bool = True,
    labels: bool | None = None,
) -> None:
    """Draw the densities of rows of one coordinate.

    Stacked, each row has a base line with its name beside it; else all share one base line and one
    scale. The filled part under a curve holds the outermost of `levels`. Of more than 40 rows some
    are shown, evenly along the axis, and the legend says so.
    """
    ax = made.ax
    chosen = np.sort(_evenly(np.argsort(Y.mean[:, 0], kind="stable"), RIDGES, looks.wide)).tolist()
    n, names = len(chosen), distinct([looks.keys[i] for i in chosen], 20)
    laws = [Y.law(i) for i in chosen]
    curves = [_curve(law) for law in laws]
    peaks = np.array([0.0 if line is None else line[:, 1].max() for line in curves])
    top = peaks.max(initial=0.0) or 1.0
    uneven = bool(stacked and top > 6.0 * peaks[peaks > 0].min(initial=np.inf))
    shown = levels if stacked else levels[-1:]  # over each other, inner regions would only be mud
    for k, (i, law, line) in enumerate(zip(chosen, laws, curves, strict=True)):
        base = float(n - 1 - k) if stacked else 0.0
        unit = (1.35 if stacked else 1.0) / (peaks[k] if uneven and peaks[k] else top)
        look, order = looks.looks[i], 2 + (k / n if stacked else 0.0)
        if stacked:
            ax.axhline(base, color=LIGHT, linewidth=0.5 * made.line, zorder=1)
        peak = (float(law.mean[0]), base)
        if line is None:
            at = law.sample(DRAWS, rng=0) if law.support_rank else law.mean[None]
            where = np.column_stack([at[:, 0], np.full(len(at), base)])
            _dots(made, where, [look] * len(where), 0.7, zorder=order + 0.01, gid="certain")
        else:
            x, y = line[:, 0], base + unit * line[:, 1]
            peak = (x[np.argmax(y)], y.max())
            for share, found in zip(shown, intervals(law, shown), strict=True):
                face = to_rgba(drawn_color(look.fill), 0.18 if share == shown[-1] else 0.35)
                for low, high in found:
                    part = np.unique(np.clip([low, *x, high], low, high))
                    style = {"color": face, "linewidth": 0, "zorder": order}
                    ax.fill_between(part, base, np.interp(part, x, y), **style)
            edge = np.column_stack([[x[0], *x, x[-1]], [base, *y, base]])
            ax.plot(
                *edge.T,
                color=drawn_color(look.color),
                linestyle=LINESTYLES[look.dash],
                zorder=order,
                gid=f"row:{drawable(looks.keys[i])}",
            )
            made.labels.avoid(edge, line=True)
        if not stacked and labels is not False:
            made.labels.add(names[k], peak, look.color, optional=n > NAMED)
    if stacked:
        ax.set_yticks(range(n)[::-1], names if labels is not False else [""] * n, parse_math=False)
        ax.tick_params(axis="y", length=0)
    else:
        ax.set_yticks([])
        made.axis_names(y="density")
    made.ratio = min(0.3 + 0.08 * n, 2.0) if stacked else 0.5
    _explain_groups(made, looks)
    if peaks.any():
        assumed = as_if_normal(
            Y.laws[i] if Y.laws is not None else None
            for i, line in zip(chosen, curves, strict=True)
            if line is not None
        )
        text = f"{' and '.join(map(percent, shown))} of each row's probability{assumed}"
        own = " (each density to its own height)" * uneven
        made.area(text + own, GREY, 0.3, edgecolor="none")
    if n < len(Y):
        made.key(f"{n} of {len(Y):,} rows, evenly along the axis", linestyle="none")


def _curve(law: Law) -> Doubles | None:
    """The density of a row; None for a certain row, and for a law that sits on separate values."""
    try:
        return curve(law) if law.support_rank else None
    except DegenerateLawError:
        return None


# -- colours ------------------------------------------------------------------------------------


def explain_widest(made: Panel, looks: RowLooks, spreads: Doubles) -> None:
    """Say in the legend how wide the rows with colours of their own are."""
    usual = float(np.median(spreads))
    for i, text in zip(looks.wide, distinct([looks.keys[i] for i in looks.wide], 16), strict=True):
        times = f": {number(spreads[i] / usual, 2)} × median width" if usual > 0 else ""
        made.area(text + times, looks.looks[i].color, 0.14)
    if looks.wide and len(spreads) <= MANY:
        other = next(i for i in range(len(spreads)) if i not in looks.wide)
        rest = f"{len(spreads) - len(looks.wide):,} others" + ", most of them certain" * (
            usual == 0
        )
        made.area(rest, looks.looks[other].color, 0.14)


def colored(made: Panel, looks: RowLooks, values: Doubles, label: str) -> RowLooks:
    """The looks with colours by value, which a colour bar explains."""
    colors = [to_hex(color) for color in made.colorbar(values, label).to_rgba(values)]
    hues = [hue if np.isfinite(v) else LIGHT for hue, v in zip(colors, values, strict=True)]
    return replace(
        looks,
        looks=tuple(
            replace(look, color=hue, fill=hue) for look, hue in zip(looks.looks, hues, strict=True)
        ),
        values=None,
        wide=(),
    )
