"""Uncertain rows as marks, each drawn as what its law is.

In the plane a normal row is an ellipse, any other law with a density the contours of that density,
a row that is certain in one direction a line, a certain row a point, and a law without a density
(atoms), or with one too thin to be seen, some draws of it. Too many rows to be told apart are the
density of all of them together, with regions for a few. On one axis rows are densities.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from matplotlib.colors import to_hex, to_rgba
from matplotlib.patches import Ellipse, Patch, PathPatch
from matplotlib.path import Path
from scipy.ndimage import gaussian_filter, map_coordinates
from scipy.stats import rayleigh

from uapca._looks import (
    GREY,
    LIGHT,
    OKABE_ITO,
    Look,
    RowLooks,
    is_assumed,
    is_normal,
)
from uapca._validation import Doubles, as_floats
from uapca.exceptions import DegenerateLawError
from uapca.laws import Law, Normal
from uapca.plot.base import LINESTYLES, MARKERS, Panel
from uapca.plot.labels import NAME, distinct, drawable, drawn_color, percent
from uapca.plot.regions import Unresolved, curve, intervals, rings
from uapca.stability import ellipse_factor
from uapca.uncertain import UncertainArray

__all__ = ["Kind", "draw_ridges", "draw_rows", "explain_looks", "row_levels"]

Kind: TypeAlias = Literal["auto", "ellipse", "contour", "points", "density", "prediction", "mean"]
KINDS = ("auto", "ellipse", "contour", "points", "density", "prediction", "mean")
# What ellipses of groups are about, by their kind.
OF_POINTS = {
    "prediction": "of new points of each group, if normal (prediction)",
    "mean": "region of each group's mean, if its points are normal",
}
WORDS = ("ellipse", "contour", "line")
CIRCLE = np.exp(2j * np.pi * np.linspace(0.0, 1.0, 97)).view(np.float64).reshape(-1, 2)
FLAT = 1e-6  # below this ratio of standard deviations an ellipse is a line on any paper
FEW, NAMED, NUMBERED = 6, 12, 24  # rows with an inner region; all named; called by their numbers
MANY = 60  # of more rows the density of all is drawn, and regions for a few
MOST = 500  # regions at most, where regions are asked for
CROWD = 500  # names keep clear of single markers, not of more than this
CLOUD = 2_000  # markers of more rows are too small to have shapes
SHAPED = 0.6  # the smallest marker whose shape is seen at 150 dots per inch
RIDGES = 40  # densities on one axis at most
DRAWS = 200  # dots for a law that has no density
GROUPS = 24  # groups in a legend at most
MARKED, RIM = 20_000, 2_000  # of more rows only the outermost means are marked, at most so many
WHOLE = (0.95, 0.8, 0.5)  # what the shades of the density of all rows hold
CELLS, DRAWN = 256, 400_000  # the grid on which it is found, and how many draws of rows it takes
FINEST = 2.0  # the narrowest kernel, in cells: it evens out what is left of the draws


def row_levels(levels: Any, count: int) -> tuple[float, ...]:
    """Levels between 0 and 1, rising; by default 0.95, and 0.5 too for few rows."""
    if levels is None:
        return (0.5, 0.95) if count <= FEW else (0.95,)
    values = np.unique(np.atleast_1d(as_floats(levels, "levels")))
    if not len(values) or not ((values > 0) & (values < 1)).all():
        raise ValueError(f"levels must be probabilities between 0 and 1; got {levels!r}")
    return tuple(values.tolist())


def as_if_normal(laws: Iterable[Law | None]) -> str:
    """What a legend adds where rows are known by no more than their moments: all, or some.

    >>> as_if_normal([]), as_if_normal([None]), as_if_normal([None, Normal([0.0], [[1.0]])])
    ('', ', if normal', ', some taken as normal')
    """
    assumed = set(map(is_assumed, laws))
    if True not in assumed:
        return ""
    return ", some taken as normal" if False in assumed else ", if normal"


def draw_normal(
    made: Panel, mean: Doubles, cov: Doubles, radius: float, gid: str, **patch: Any
) -> Doubles:
    """The ellipse of so many standard deviations of N(mean, cov); returns points around it."""
    values, vectors = np.linalg.eigh(cov)
    sides = 2 * radius * np.sqrt(np.maximum(values, 0.0))
    angle = float(np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1])))
    drawn = Ellipse(tuple(mean), sides[1], sides[0], angle=angle, gid=gid, **patch)
    made.ax.add_patch(drawn)
    around: Doubles = drawn.get_patch_transform().transform(CIRCLE)
    made.lines.append(around)
    return around


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
    counts = np.zeros(len(Y)) if Y.counts is None else np.asarray(Y.counts)
    if kind in OF_POINTS:
        _check_groups(Y, counts, kind)
    n, at = len(Y), np.asarray(Y.mean, dtype=np.float64)
    covs = np.zeros((n, 2, 2)) if kind == "points" else Y.cov.dense().astype(np.float64)
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
        chosen |= set(outlying(Y, at, covs))
        drawn = drawn[np.isin(drawn, list(chosen))]
    drawn = (_evenly(drawn, MOST, chosen) if len(drawn) > MOST else drawn).tolist()
    kinds, laws = set(), []
    discs = rayleigh.ppf(levels)  # radii that hold so much of a standard normal
    for i in drawn:
        law = Y.laws[i] if Y.laws is not None else None
        laws.append(law)
        normal = kind in ("ellipse", *OF_POINTS) or (kind != "contour" and is_normal(law))
        if np.linalg.cond(covs[i]) > FLAT**-2 or (kind == "contour" and law is None):
            law, normal = Normal(at[i], covs[i]) if normal or law is None else law, False
        radii = discs
        if kind in OF_POINTS:  # moments of few points make it wider (Hotelling's T²)
            # The covariance of a mean, the unbiased one ÷ n, is the population's ÷ (n − 1).
            wider = np.sqrt(counts[i] - 1.0) if Y.source == "values" else 1.0
            radii = [wider * ellipse_factor(p, counts[i], 2, kind) for p in levels]
        shape = (at[i], covs[i], radii) if normal else law
        filled = fill and (len(drawn) <= MANY or not normal)
        gid = f"row:{drawable(looks.keys[i])}"  # SVG files keep it
        faint = len(drawn) > MANY and i not in highlight
        kinds.add(_draw_row(made, shape, levels, looks.looks[i], gid, filled, faint))
    small = float(np.clip(np.sqrt(80 / n), 0.22, 1.0))
    least = SHAPED if n <= CLOUD and len(looks.legend) > 1 else 0.0
    for rows, size, gid in ((sure & marked, 1.0, "certain"), (~sure & marked, 0.55, "means")):
        picked = list(compress(looks.looks, rows))
        style = {"zorder": 4, "gid": gid, "alpha": 1.0 if n <= MANY else 0.6}
        _dots(made, at[rows], picked, max(size * small, least), **style)
    if not legend:
        return
    if kinds - {"draws"}:
        kinds |= {"contour"} if "modes" in kinds else set()
        words = ", ".join(sorted(kinds & set(WORDS), key=WORDS.index))
        words = "density contour" if words == "contour" else words
        what = f"of each row's probability{as_if_normal(laws)} ({words})"
        if kind == "ellipse":
            what = "of the normal with each row's mean and covariance"
        what = OF_POINTS.get(kind, what)
        if whole:
            named = ", and of the highlighted ones" if highlight else ""
            what = f"of the widest rows and those farthest out{named}{as_if_normal(laws)}"
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
    # Names: of few rows all, of more those with room, of very many those that stand out.
    alone = n <= NUMBERED and not looks.groups  # each row has a color of its own
    if labels is False:
        pairs = zip(distinct(looks.keys), looks.looks, strict=True) if alone and Y.names else ()
        for text, look in pairs:
            made.dot(text, look)
    elif labels or Y.names or chosen or alone:
        few = order if n > NAMED else np.arange(n)
        if whole or (n > MANY and labels is None):
            few = order[np.isin(order, list(chosen))]
        keys = np.array(looks.keys)[few].tolist()
        for i, text, name in zip(few, distinct(keys), distinct(keys, NAME), strict=True):
            spot = at[i]
            if i in looks.wide:  # at the upper edge: the middle belongs to the others
                spot = spot + discs[-1] * covs[i, 1] / np.sqrt(covs[i, 1, 1])
            optional = labels is None and n > NAMED and i not in chosen
            color = looks.looks[i].color
            made.label(text, spot, color, optional=optional, name=name, gid=f"name:{text}")


def _check_groups(Y: UncertainArray, counts: npt.NDArray[Any], kind: Kind) -> None:
    """Raise if the rows are not what ellipses of new points, or of means, are made from."""
    if Y.source == "posterior":
        raise ValueError(
            f"kind must be 'auto' or 'ellipse' for posterior rows, which are no groups of points; "
            f"got {kind!r}"
        )
    if counts.min() < 3:
        raise ValueError(f"kind={kind!r} needs groups of at least 3 points each (X.counts)")
    if kind == "prediction" and Y.source == "values":
        raise ValueError(
            "kind must not be 'prediction' for errors of means (spread='sem'): ellipses of new "
            "points need the spread of the points (spread='std')"
        )


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


def _draw_row(
    made: Panel,
    shape: Any,
    levels: tuple[float, ...],
    look: Look,
    gid: str,
    fill: bool,
    faint: bool,
) -> str:
    """Ellipses of a mean, covariance and radii, or contours of a law; says what it has drawn.

    Many lines are ``faint``: thin and translucent.
    """
    count, color, found = len(levels), drawn_color(look.color), []
    if isinstance(shape, Law):
        try:
            if shape.support_rank == 1:
                line = shape.along_line()
                for k, parts in list(enumerate(intervals(line.law, levels)))[::-1]:
                    wide = (1.2 + 1.3 * (count - 1 - k)) * made.line  # thick in the middle
                    for ends in parts:
                        points: Any = line.origin + np.outer(ends, line.direction)
                        made.ax.plot(*points.T, color=color, linewidth=wide, zorder=2, gid=gid)
                        made.lines.append(np.linspace(points[0], points[1], 40))
                return "line"
            found = rings(shape, levels)
        except (DegenerateLawError, Unresolved):
            points = shape.sample(DRAWS, rng=0)
            _dots(made, points, [look] * len(points), 0.35, alpha=0.5, zorder=2, gid=gid)
            return "draws"
    for k in range(count)[::-1]:  # inner regions are filled more, the outermost has a full line
        opacity, wide = (0.14, 1.0) if k == count - 1 else (0.22, 0.5)
        style = {
            "edgecolor": to_rgba(color, 0.5) if faint else color,
            "facecolor": to_rgba(drawn_color(look.fill), opacity) if fill else "none",
            "linewidth": wide * made.line * (0.5 if faint else 1.0),
            "linestyle": LINESTYLES[look.dash],
            "zorder": 2,
        }
        if not found:
            draw_normal(made, shape[0], shape[1], shape[2][k], gid, **style)
            continue
        path = Path.make_compound_path(*(Path(ring, closed=True) for ring in found[k]))
        # Outlines have thousands of corners, and `add_patch` measures one after the other.
        made.ax.add_artist(PathPatch(path, gid=gid, **style))
        made.ax.update_datalim(path.vertices)
        for ring in found[k]:
            made.lines.append(ring)
    if not found:
        return "ellipse"
    # Holes go round the other way.
    areas = [float((r[:-1, 0] * r[1:, 1] - r[1:, 0] * r[:-1, 1]).sum()) for r in found[-1]]
    outer = [a * max(areas, key=abs) > 0 for a in areas]
    modes = [ring.mean(axis=0) for ring, out in zip(found[-1], outer, strict=True) if out]
    if len(modes) > 1 and fill:  # without colors nothing else says that they are one row
        style = {"linestyle": LINESTYLES["dotted"], "linewidth": 0.8 * made.line, "zorder": 1.9}
        made.ax.plot(*np.array(modes).T, color=color, gid="modes", **style)
        return "modes"
    return "contour"


def _dots(made: Panel, at: Doubles, looks: Sequence[Look], size: float, **style: Any) -> None:
    """Markers, one artist for each shape; in a cloud all are round: small squares may vanish."""
    cloud = len(at) > CLOUD
    shapes: dict[str, tuple[list[int], list[Any], list[Any]]] = {}
    for i, look in enumerate(looks):
        rows, faces, edges = shapes.setdefault("circle" if cloud else look.shape, ([], [], []))
        rows.append(i)
        faces.append(drawn_color(look.fill))
        edges.append(drawn_color(look.color))
    for shape, (rows, faces, edges) in shapes.items():
        alike = len(set(faces)) == len(set(edges)) == 1
        made.ax.scatter(
            *at[rows].T,
            s=(size * made.marker) ** 2,
            marker=MARKERS[shape],
            facecolors=faces[:1] if alike else faces,
            edgecolors=edges[:1] if alike else edges,
            linewidths=0.6 * made.line if len(at) <= MANY else 0.0,
            rasterized=cloud,
            **style,
        )
        if len(rows) <= CROWD:
            made.markers.append(at[rows])


# -- the density of all rows --------------------------------------------------------------------


def _draw_whole(made: Panel, Y: UncertainArray, at: Doubles) -> Any:
    """Shade the density of all rows; return which means are marked beside it."""
    x, y, density, levels, smoothed = whole_density(Y)
    tones = [to_rgba(GREY, alpha) for alpha in (0.12, 0.22, 0.36)]
    edges = [*levels, 1.001 * density.max()]
    limits = made.ax.dataLim.frozen()
    made.ax.contourf(x, y, density.T, levels=edges, colors=tones, zorder=1)
    made.ax.dataLim.set(limits)  # what lies beyond the outermost shade is empty
    i, j = np.nonzero(density >= levels[0])
    made.ax.update_datalim(np.column_stack([x[i], y[j]]))
    text = ", ".join(percent(p) for p in WHOLE[:0:-1]) + f" and {percent(WHOLE[0])} of all rows"
    text += " together: their average density" + as_if_normal([None] if Y.laws is None else Y.laws)
    made.area(text + ", narrow ones smoothed" * smoothed, GREY, 0.25, edgecolor="none")
    i, j = (np.searchsorted(axis, at[:, k]).clip(1, CELLS) - 1 for k, axis in enumerate((x, y)))
    within = ((at > [x[0], y[0]]) & (at < [x[-1], y[-1]])).all(axis=1)
    marked = np.full(len(at), len(at) <= MARKED)
    here = np.where(within, density[i, j], 0.0)
    rim = np.argsort(here, kind="stable")[:RIM]
    marked[rim] |= here[rim] < levels[0]
    return marked


def whole_density(Y: UncertainArray) -> tuple[Doubles, Doubles, Doubles, Doubles, bool]:
    """The average of the densities of many rows on a grid, from draws of the rows' own laws.

    Rows that are certain, or nearly so, are widened by a normal kernel. Its bandwidth is local: as
    much as it takes to have √N rows nearby, and at most Scott's rule. So a tight or thin cluster
    stays so. A row that is itself more than half as wide needs no kernel.

    Returns
    -------
    x, y : ndarray of shape (CELLS,)
    density : ndarray of shape (CELLS, CELLS)
        The share of each cell, at (x[i], y[j]).
    levels : ndarray of shape (3,)
        Rising: where it is higher lie `WHOLE` of the draws themselves. Of the smoothed density
        these shares would take more room, and hold more rows than they say.
    smoothed : bool
        Whether rows were widened.
    """
    rng = np.random.default_rng(0)
    most = MARKED if Y.laws is not None else DRAWN
    rows = Y if len(Y) <= most else Y[rng.choice(len(Y), most, p=Y.weights)].reweighted(None)
    each = DRAWN // len(rows)
    points = np.asarray(rows.sample(each, rng=rng), dtype=np.float64).reshape(-1, 2)
    low, high = np.quantile(points, [0.001, 0.999], axis=0)
    apart = np.asarray(Y.mean, dtype=np.float64) - Y.weights @ Y.mean
    scott = np.sqrt(Y.weights @ np.square(apart)) * len(Y) ** (-1 / 6)
    margin = np.maximum(2 * scott, 0.05 * (high - low)) + 1e-9 * np.abs(high) + 1e-300
    low, step = low - margin, (high - low + 2 * margin) / CELLS
    cells = np.floor((points - low) / step)
    within = ((cells >= 0) & (cells < CELLS)).all(axis=1)
    flat = (cells[within] @ [CELLS, 1]).astype(np.intp)
    weights = np.tile(rows.weights / each, each)[within]
    counts = np.bincount(flat, weights, CELLS**2).reshape(CELLS, CELLS)
    # Bandwidths in cells: at each place the first that has enough rows nearby, or the last.
    ratio = max(float((scott / step).max()) / FINEST, 1.0)
    widths = FINEST * np.geomspace(1.0, ratio, 1 + int(np.ceil(2 * np.log2(ratio))))
    near = np.array([2 * np.pi * w**2 * gaussian_filter(counts, w) for w in widths])
    near[-1] = np.inf
    first = np.argmax(near >= len(Y) ** -0.5, axis=0).ravel()[flat]
    own = np.asarray(rows.cov.diagonal() / step**2, dtype=np.float64).min(axis=1)
    kinds = np.where(np.tile(own, each)[within] < 0.25 * np.square(widths)[first], first, 0)
    parts = np.bincount(kinds * CELLS**2 + flat, weights, len(widths) * CELLS**2)
    density = np.zeros((CELLS, CELLS))
    for width, part in zip(widths, parts.reshape(-1, CELLS, CELLS), strict=True):
        density += gaussian_filter(part, width, mode="constant")
    x, y = (low[i] + step[i] * (np.arange(CELLS) + 0.5) for i in range(2))
    heights = map_coordinates(density, ((points - low) / step - 0.5).T, order=1)
    falling = np.argsort(-heights)
    held = np.cumsum(np.tile(rows.weights / each, each)[falling])
    levels = heights[falling][np.searchsorted(held, np.multiply(WHOLE, held[-1]))]
    levels += 1e-12 * density.max() * np.arange(len(WHOLE))
    return x, y, density, levels, bool(weights @ (kinds > 0) > 0.05)


def outlying(Y: UncertainArray, at: Doubles, covs: Doubles) -> list[int]:
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
    are shown, evenly along the axis, and the widest; the legend says so.
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
            made.lines.append(edge)
        if not stacked and labels is not False:
            made.label(names[k], peak, look.color, optional=n > NAMED)
    if stacked:
        ax.set_yticks(range(n)[::-1], names if labels is not False else [""] * n, parse_math=False)
        ax.tick_params(axis="y", length=0)
        ax.set_ylim(-0.4, n + 0.6)
    else:
        ax.set_yticks([])
        made.words(y="density")
    made.ratio = min(0.3 + 0.08 * n, 2.0) if stacked else 0.5
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
        widest = " and the widest" * bool(looks.wide)
        made.key(f"{n} of {len(Y):,} rows, evenly along the axis{widest}", linestyle="none")


def _curve(law: Law) -> Doubles | None:
    """The density of a row; None for a certain row, and for a law that sits on separate values."""
    try:
        return curve(law) if law.support_rank else None
    except DegenerateLawError:
        return None


# -- colors ------------------------------------------------------------------------------------


def explain_looks(made: Panel, looks: RowLooks, spreads: Doubles) -> None:
    """Say in the legend which group looks how, or how wide rows with colors of their own are."""
    for text, look in looks.legend[:GROUPS]:
        made.dot(text, replace(look, shape="circle") if len(spreads) > CLOUD else look)
        if len(looks.legend) > len(OKABE_ITO):  # then dashes tell groups apart, too
            area = Patch(
                facecolor=to_rgba(drawn_color(look.fill), 0.14),
                edgecolor=drawn_color(look.color),
                linestyle=LINESTYLES[look.dash],
                linewidth=made.line,
            )
            made.entries[text] = (area, made.entries[text])
    if len(looks.legend) > GROUPS:
        made.key(f"… and {len(looks.legend) - GROUPS} more groups", linestyle="none")
    if not looks.wide:
        return
    wide, usual = list(looks.wide), float(np.median(spreads))
    for i, text in zip(wide, distinct(np.array(looks.keys)[wide].tolist(), 16), strict=True):
        ratio = float(f"{spreads[i] / usual:.2g}") if usual > 0 else 0.0  # 190, not 1.9e+02
        times = f": {ratio:.5g} × median width" if usual > 0 else ""
        made.area(text + times, looks.looks[i].color, 0.14)
    if len(spreads) <= MANY:
        rest = f"{len(spreads) - len(wide):,} others" + ", most of them certain" * (usual == 0)
        made.area(rest, looks.looks[int(np.argmin(spreads))].color, 0.14)


def colored(made: Panel, looks: RowLooks, values: Doubles, label: str) -> RowLooks:
    """The looks with colors by value, which a color bar explains."""
    mapped = made.colorbar(values, label)
    table = [Look(hue, hue) for hue in (*map(to_hex, mapped.cmap(range(mapped.cmap.N))), LIGHT)]
    known = np.isfinite(values)
    if not known.all():
        made.dot("no value", table[-1], size=0.6)
    places = np.full(len(values), mapped.cmap.N)  # the last for those without a value
    places[known] = np.minimum(mapped.norm(values[known]) * mapped.cmap.N, mapped.cmap.N - 1)
    return replace(looks, looks=tuple(table[k] for k in places.tolist()), values=None, wide=())
