"""Uncertain rows as marks, each drawn as what its law is.

In the plane a normal row is an ellipse, any other law with a density the contours of that density,
a row that is certain in one direction a line, a certain row a point, and a law without a density
(atoms), or with one too thin to be seen, some draws of it. Too many rows to be told apart are the
density of all of them together, with regions for a few. On one axis rows are densities.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.fft import irfft2, next_fast_len, rfft2
from scipy.special import ndtri

from uapca._validation import as_floats
from uapca.exceptions import DegenerateLawError
from uapca.laws import Affine, Independent, Law, Mixture, Moments, Normal
from uapca.plot.base import Panel, checked_choice
from uapca.plot.labels import distinct, drawable, number, percent
from uapca.plot.regions import Unresolved, curve, intervals, rings
from uapca.plot.style import (
    GREY,
    LIGHT,
    LINESTYLES,
    MARKERS,
    Floats,
    Look,
    Palette,
    RowLooks,
    cycle_colors,
    drawn_color,
    row_looks,
)
from uapca.uncertain import UncertainArray

__all__ = ["Kind", "draw_ridges", "draw_rows", "is_assumed", "is_normal", "looks_of", "row_levels"]

Kind: TypeAlias = Literal["auto", "ellipse", "contour", "points", "density"]
KINDS = ("auto", "ellipse", "contour", "points", "density")
FLAT = 1e-6  # below this ratio of standard deviations an ellipse is a line on any paper
FEW, NAMED, NUMBERED = 6, 12, 24  # rows with an inner region; all named; called by their numbers
MANY = 60  # of more rows the density of all is drawn, and regions for a few
MOST = 500  # regions at most, where regions are asked for
RIDGES = 40  # densities on one axis at most
DRAWS = 200  # dots for a law that has no density
GROUPS = 24  # groups in a legend at most
WHOLE = (0.95, 0.8, 0.5)  # what the shades of the density of all rows hold


def row_levels(levels: Any, count: int) -> tuple[float, ...]:
    """Levels between 0 and 1, rising; by default 0.95, and 0.5 too for few rows."""
    if levels is None:
        return (0.5, 0.95) if count <= FEW else (0.95,)
    values = np.unique(np.atleast_1d(as_floats(levels, "levels")))
    if not len(values) or not ((values > 0) & (values < 1)).all():
        raise ValueError(f"levels must be probabilities between 0 and 1; got {levels!r}")
    return tuple(values.tolist())


def looks_of(
    Y: UncertainArray, groups: Any = None, palette: Palette = None, spreads: Floats | None = None
) -> RowLooks:
    """The looks of rows, in the user's own colours where there are some."""
    from matplotlib.colors import is_color_like

    given: Any = palette.values() if isinstance(palette, Mapping) else palette or ()
    for color in () if isinstance(palette, str) else given:
        if isinstance(color, str) and not is_color_like(color):
            raise ValueError(f"palette must name colours that matplotlib knows; got {color!r}")
    colors = cycle_colors()
    return row_looks(Y.names, len(Y), groups, palette, colors=colors, spreads=spreads)


def is_assumed(law: Law | None) -> bool:
    """Whether a row, or a part of it, is drawn as a normal as no more than moments is known."""
    if isinstance(law, Affine):
        return is_assumed(law.law)
    if isinstance(law, Mixture):
        return any(map(is_assumed, law.components))
    return law is None or (isinstance(law, Moments) and law.sampler is None)


def is_normal(law: Law | None) -> bool:
    """Whether a law is a normal, or drawn as one because no more than its moments is known."""
    if isinstance(law, Affine):
        return is_normal(law.law)
    if isinstance(law, Independent):
        return law.normal
    if isinstance(law, Mixture):
        return len(law.components) == 1 and is_normal(law.components[0])
    return isinstance(law, Normal) or is_assumed(law)


def as_if_normal(assumed: Collection[bool]) -> str:
    """What a legend adds where rows are known by no more than their moments: all, or some.

    >>> as_if_normal({False}), as_if_normal({True}), as_if_normal({True, False})
    ('', ', if normal', ', some taken as normal')
    """
    if True not in assumed:
        return ""
    return ", some taken as normal" if False in assumed else ", if normal"


def radius_of(level: float, dim: int = 2) -> float:
    """The radius, in standard deviations, of the ball that holds `level` of the standard normal.

    >>> round(radius_of(0.95), 4), round(radius_of(0.95, dim=1), 4)
    (2.4477, 1.96)
    """
    return float(ndtri(0.5 + level / 2) if dim == 1 else np.sqrt(-2 * np.log1p(-level)))


def ellipse_ring(mean: Floats, cov: Floats, level: float, count: int = 72) -> Floats:
    """Points around the ellipses that hold `level` of normals: (…, count + 1, 2)."""
    values, vectors = np.linalg.eigh(cov)
    half = radius_of(level) * vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :]
    around = np.linspace(0.0, 2 * np.pi, count + 1)
    circle = np.stack([np.cos(around), np.sin(around)])
    return np.asarray(mean[..., None, :] + np.swapaxes(half @ circle, -1, -2))


def draw_normal(
    panel: Panel, mean: Floats, cov: Floats, level: float, gid: str = "", **patch: Any
) -> None:
    """The ellipse that holds `level` of N(mean, cov); a line where it is degenerate."""
    from matplotlib.patches import Ellipse

    values, vectors = np.linalg.eigh(cov)
    short, long = np.sqrt(np.maximum(values, 0.0)).tolist()
    direction = vectors[:, 1] * (-1.0 if vectors[0, 1] < 0 else 1.0)
    if short <= FLAT * long:
        ends = mean + radius_of(level, dim=1) * long * np.outer([-1, 1], direction)
        panel.labels.avoid(ends, line=True)
        style: dict[str, Any] = {
            k: patch[k] for k in ("linewidth", "linestyle", "zorder") if k in patch
        }
        panel.ax.plot(*ends.T, color=patch.get("edgecolor"), gid=gid, **style)
        return
    size = 2 * radius_of(level) * np.array([long, short])
    angle = float(np.degrees(np.arctan2(direction[1], direction[0])))
    panel.labels.avoid(ellipse_ring(mean, cov, level), line=True)
    panel.ax.add_patch(Ellipse(tuple(mean), *size, angle=angle, gid=gid, **patch))


# -- rows in the plane --------------------------------------------------------------------------


def draw_rows(
    panel: Panel,
    Y: UncertainArray,
    looks: RowLooks,
    levels: tuple[float, ...],
    *,
    kind: Kind = "auto",
    labels: bool | None = None,
    means: bool = True,
    highlight: Sequence[int] = (),
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
    kind : {"auto", "ellipse", "contour", "points", "density"}
        By the row's law; of the row's mean and covariance; the density throughout; means only; the
        density of all rows, with regions for a few.
    labels : bool, optional
        Whether to write the rows' names; by default where there is room.
    means : bool
        Whether to mark the means of uncertain rows.
    highlight : sequence of int
        Rows that have regions and names however many there are.
    fill : bool
        Whether regions are filled.
    legend : bool
        Whether to explain the regions in the legend.
    """
    checked_choice(kind, KINDS, "kind")
    n, at = len(Y), np.asarray(Y.mean, dtype=np.float64)
    covs = np.zeros((n, 2, 2)) if kind == "points" else Y.cov.dense().astype(np.float64)
    sizes = np.trace(covs, axis1=1, axis2=2)
    unit = max(float(np.ptp(at, axis=0).max()), float(np.sqrt(max(sizes.max(), 0.0))))
    sure = sizes <= (FLAT * unit) ** 2
    order = np.argsort(-sizes, kind="stable")
    uncertain = order[~sure[order]]
    whole = kind == "density" or (kind == "auto" and n > MANY and 2 * len(uncertain) > n)
    if whole and len(uncertain):
        shown = _draw_whole(panel, Y, at, covs, looks, highlight)
        drawn = uncertain[np.isin(uncertain, shown)]
    else:
        shown = np.arange(n)
        drawn = _evenly(uncertain, MOST, {*looks.wide, *highlight})
    kinds, assumed = set(), set()
    crowd: list[int] = []
    for i in drawn.tolist():
        law = None if Y.laws is None else Y.laws[i]
        if kind == "ellipse" or (kind != "contour" and is_normal(law)):
            name = _draw_ellipses(panel, at[i], covs[i], levels, looks, i, fill, crowd, len(drawn))
        else:
            name = _draw_law(panel, law or Normal(at[i], covs[i]), levels, looks, i, fill)
        kinds.add(name)
        assumed.add(is_assumed(law))
    if crowd:
        _draw_crowd(panel, at[crowd], covs[crowd], levels, [looks.looks[i] for i in crowd], fill)
    if kind != "points" and sure.any():
        kinds.add("certain")
    points = sure if not means else np.ones(n, dtype=bool)
    thinned = _draw_means(panel, at, points & ~_hidden(n, shown, whole), looks, sure)
    if legend:
        part = None if whole or len(drawn) == len(uncertain) else (len(drawn), len(uncertain))
        _explain(panel, looks, kinds, assumed, levels, kind, part, whole, thinned)
        names = shown if whole else order if n > NAMED else np.arange(n)
        _name_rows(panel, Y, at, covs, looks, names, levels, labels, highlight, whole)


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


def _patch(panel: Panel, look: Look, level: int, count: int, fill: bool) -> dict[str, Any]:
    """Inner regions are filled more, and only the outermost has a full line."""
    from matplotlib.colors import to_rgba

    outer = level == count - 1
    return {
        "edgecolor": drawn_color(look.color),
        "facecolor": to_rgba(drawn_color(look.fill), 0.14 if outer else 0.22) if fill else "none",
        "linewidth": (1.0 if outer else 0.5) * panel.line,
        "linestyle": LINESTYLES[look.dash],
        "zorder": 2,
    }


def _gid(looks: RowLooks, i: int) -> str:
    """The group id of a row's artists, which SVG files keep."""
    return f"row:{drawable(looks.keys[i])}"


def _draw_ellipses(
    panel: Panel,
    mean: Floats,
    cov: Floats,
    levels: tuple[float, ...],
    looks: RowLooks,
    i: int,
    fill: bool,
    crowd: list[int],
    count: int,
) -> str:
    values = np.linalg.eigvalsh(cov)
    flat = np.sqrt(max(values[0], 0.0)) <= FLAT * np.sqrt(values[1])
    if count > MANY and i not in looks.wide and not flat:
        crowd.append(i)
        return "ellipse"
    for k in range(len(levels))[::-1]:
        style = _patch(panel, looks.looks[i], k, len(levels), fill)
        if flat:  # thin for the outermost region, thicker further in
            style["linewidth"] = (1.2 + 1.3 * (len(levels) - 1 - k)) * panel.line
        draw_normal(panel, mean, cov, levels[k], gid=_gid(looks, i), **style)
    return "line" if flat else "ellipse"


def _draw_crowd(
    panel: Panel,
    means: Floats,
    covs: Floats,
    levels: tuple[float, ...],
    looks: Sequence[Look],
    fill: bool,
) -> None:
    """Very many ellipses as one artist, drawn fine."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgba

    polygons: Any = ellipse_ring(means, covs, levels[-1])
    faces = [to_rgba(drawn_color(look.fill), 0.05) for look in looks] if fill else "none"
    edges = [drawn_color(look.color) for look in looks]
    panel.ax.add_collection(
        PolyCollection(polygons, facecolors=faces, edgecolors=edges, linewidths=0.4 * panel.line)
    )


def _draw_law(
    panel: Panel, law: Law, levels: tuple[float, ...], looks: RowLooks, i: int, fill: bool
) -> str:
    """Contours of a density, or what is left of them where the law is degenerate."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    look, gid = looks.looks[i], _gid(looks, i)
    try:
        if law.support_rank == 1:
            _draw_along_line(panel, law, levels, look, gid)
            return "line"
        found = rings(law, levels)
    except (DegenerateLawError, Unresolved):
        points = np.asarray(law.sample(DRAWS, rng=0), dtype=np.float64)
        _dots(panel, points, [look] * len(points), 0.35, alpha=0.5, zorder=2, gid=gid)
        return "draws"
    for k in range(len(levels))[::-1]:
        path = Path.make_compound_path(*(Path(ring, closed=True) for ring in found[k]))
        patch = _patch(panel, look, k, len(levels), fill)
        panel.ax.add_patch(PathPatch(path, gid=gid, **patch))
        for ring in found[k]:
            panel.labels.avoid(ring, line=True)
    modes = [ring.mean(axis=0) for ring in found[-1] if _signed_area(ring) * _turn(found[-1]) > 0]
    if len(modes) < 2 or not fill:
        return "contour"
    # Without colours nothing else says that they are one row.
    tie: dict[str, Any] = {
        "linestyle": LINESTYLES["dotted"],
        "linewidth": 0.8 * panel.line,
        "zorder": 1.9,
    }
    panel.ax.plot(*np.array(modes).T, color=drawn_color(look.color), gid="modes", **tie)
    return "modes"


def _signed_area(ring: Floats) -> float:
    return float((ring[:-1, 0] * ring[1:, 1] - ring[1:, 0] * ring[:-1, 1]).sum())


def _turn(found: Sequence[Floats]) -> float:
    """The way outlines go round, 1 or −1: that of the largest, which is no hole."""
    return float(np.sign(max((_signed_area(ring) for ring in found), key=abs)))


def _draw_along_line(
    panel: Panel, law: Law, levels: tuple[float, ...], look: Look, gid: str
) -> None:
    line = law.along_line()
    for k, parts in list(enumerate(intervals(line.law, levels)))[::-1]:
        for ends in parts:
            points = np.asarray(line.origin + np.outer(ends, line.direction), dtype=np.float64)
            wide = (1.2 + 1.3 * (len(levels) - 1 - k)) * panel.line
            panel.ax.plot(
                *points.T, color=drawn_color(look.color), linewidth=wide, zorder=2, gid=gid
            )
            panel.labels.avoid(points, line=True)


def _hidden(n: int, shown: Any, whole: bool) -> Any:
    """Of very many rows the means inside the density of all say nothing more."""
    hidden = np.zeros(n, dtype=bool)
    if whole and n > 20_000:
        hidden[:] = True
        hidden[shown] = False
    return hidden


def _draw_means(panel: Panel, at: Floats, points: Any, looks: RowLooks, sure: Any) -> bool:
    n = len(at)
    small = float(np.clip(np.sqrt(80 / max(n, 1)), 0.22, 1.0))
    for chosen, size in ((points & sure, 1.0), (points & ~sure, 0.55)):
        rows = np.flatnonzero(chosen)
        if len(rows):
            alpha = 1.0 if n <= MANY else 0.6
            picked = [looks.looks[i] for i in rows.tolist()]
            gid = "certain" if size == 1.0 else "means"
            _dots(panel, at[rows], picked, size * small, alpha=alpha, zorder=4, gid=gid)
    return int(points.sum()) < n


def _dots(panel: Panel, at: Floats, looks: Sequence[Look], size: float, **style: Any) -> None:
    """Markers, one artist for each shape."""
    by_shape: dict[str, list[int]] = {}
    for i, look in enumerate(looks):
        by_shape.setdefault(look.shape, []).append(i)
    for shape, rows in by_shape.items():
        same = len({looks[i] for i in rows}) == 1
        picked = [looks[rows[0]]] if same else [looks[i] for i in rows]
        panel.ax.scatter(
            *at[rows].T,
            s=(size * panel.marker) ** 2,
            marker=MARKERS[shape],
            facecolors=[drawn_color(look.fill) for look in picked],
            edgecolors=[drawn_color(look.color) for look in picked],
            linewidths=0.6 * panel.line if len(at) <= MANY else 0.0,
            rasterized=len(at) > 2000,
            **style,
        )
        panel.labels.avoid(at[rows])


def _explain(
    panel: Panel,
    looks: RowLooks,
    kinds: set[str],
    assumed: set[bool],
    levels: tuple[float, ...],
    kind: Kind,
    part: tuple[int, int] | None,
    whole: bool,
    thinned: bool,
) -> None:
    """Add to the legend what groups, regions and markers mean."""
    for text, look in looks.legend[: GROUPS if len(looks.legend) > GROUPS + 1 else None]:
        panel.dot(text, look)
    if len(looks.legend) > GROUPS + 1:
        panel.note(f"… and {len(looks.legend) - GROUPS} more groups")
    if kinds & {"ellipse", "contour", "modes", "line"}:
        drawn = [name for name in ("ellipse", "contour", "line") if name in kinds]
        drawn += ["contour"] * ("modes" in kinds and "contour" not in kinds)
        words = "density contour" if drawn == ["contour"] else ", ".join(drawn)
        what = f"of each row's probability{as_if_normal(assumed)} ({words})"
        if kind == "ellipse":
            what = "of the normal with each row's mean and covariance"
        if whole:
            what = f"of single rows that stand out{as_if_normal(assumed)}"
        if part:
            what += f", {part[0]:,} of {part[1]:,} rows"
        panel.area(f"{' and '.join(map(percent, levels))} {what}", GREY, 0.14)
    if "modes" in kinds:
        panel.stroke("joins the modes of one row", GREY, "dotted", linewidth=0.8 * panel.line)
    if "certain" in kinds and len(kinds) > 1:
        panel.dot("certain row")
    if "draws" in kinds:
        panel.dot("draws of a row", markersize=0.35 * panel.marker)
    if whole:
        panel.dot("mean of a row" + ", outside only" * thinned, markersize=0.4 * panel.marker)
    elif part:
        panel.dot("mean of every row", markersize=0.4 * panel.marker)


def _name_rows(
    panel: Panel,
    Y: UncertainArray,
    at: Floats,
    covs: Floats,
    looks: RowLooks,
    order: Any,
    levels: tuple[float, ...],
    labels: bool | None,
    highlight: Sequence[int],
    whole: bool,
) -> None:
    """Write names: of few rows all, of more those with room, of very many those that stand out."""
    n, wide = len(Y), {*looks.wide, *highlight}
    anonymous = Y.names is None and not wide and (n > NUMBERED or bool(looks.groups))
    if labels is False or (labels is None and anonymous):
        if labels is False and not looks.groups and Y.names is not None and n <= NUMBERED:
            for text, look in zip(distinct(looks.keys), looks.looks, strict=True):
                panel.dot(text, look)
        return
    if labels is None and n > MANY and not whole:
        order = [i for i in order if i in wide]
    texts = distinct([looks.keys[i] for i in order])
    for i, text in zip(list(order), texts, strict=True):
        spot = at[i]
        if i in looks.wide:  # at the edge: the middle belongs to the others
            ring = ellipse_ring(at[i], covs[i], levels[-1])
            spot = ring[np.argmax(ring[:, 1])]
        panel.labels.add(
            text,
            spot,
            looks.looks[i].color,
            optional=labels is None and n > NAMED and i not in wide,
            gid=f"name:{text}",
        )


# -- the density of all rows --------------------------------------------------------------------


def _draw_whole(
    panel: Panel, Y: UncertainArray, at: Floats, covs: Floats, looks: RowLooks, highlight: Any
) -> Any:
    """Shade the density of all rows; return the rows that stand out, by place or by size."""
    x, y, density, extra = whole_density(at, covs, Y.weights)
    heights = np.sort(density.ravel())[::-1]
    held = np.cumsum(heights) / max(heights.sum(), 1e-300)
    places = np.minimum(np.searchsorted(held, WHOLE), len(held) - 1)
    levels = (heights[places] + 1e-12 * heights[0] * np.arange(len(WHOLE))).tolist()
    tones = [(0.42, 0.42, 0.42, a) for a in (0.12, 0.22, 0.36)]
    panel.ax.contourf(
        x, y, density.T, levels=[*levels, float(heights[0]) * 1.001], colors=tones, zorder=1
    )
    text = ", ".join(percent(p) for p in WHOLE[:0:-1]) + f" and {percent(WHOLE[0])} of all rows"
    panel.area(text + " together" + ", smoothed" * bool(extra.any()), GREY, 0.25, edge=False)
    columns = np.clip(np.searchsorted(x, at[:, 0]) - 1, 0, len(x) - 1)
    lines = np.clip(np.searchsorted(y, at[:, 1]) - 1, 0, len(y) - 1)
    # What a row itself adds where it is says nothing about the others.
    roots = np.sqrt(np.maximum(np.linalg.det(covs + extra), 1e-300))
    own = Y.weights * (x[1] - x[0]) * (y[1] - y[0]) / (2 * np.pi * roots)
    here = np.maximum(density[columns, lines] - own, 0.0)
    beyond = np.maximum([x[0], y[0]] - at, 0.0) + np.maximum(at - [x[-1], y[-1]], 0.0)
    here = here - beyond.sum(axis=1)
    far = np.argsort(here, kind="stable")[:5]
    far = far[here[far] < 0.3 * levels[0]]
    if len(at) > 20_000:  # those drawn as points
        rim = np.argsort(here, kind="stable")[:20_000]
        rim = rim[here[rim] < levels[0]]
        panel.ax.scatter(
            *at[rim].T, s=(0.2 * panel.marker) ** 2, c=GREY, linewidths=0, rasterized=True, zorder=2
        )
    chosen = dict.fromkeys([*highlight, *looks.wide, *far.tolist()])
    return np.array(list(chosen), dtype=np.intp)


def whole_density(
    means: Floats, covs: Floats, weights: Any, cells: int = 192
) -> tuple[Floats, Floats, Floats, Floats]:
    """The average of the densities of many rows, each taken as normal, on a grid.

    Rows are put into classes of like covariance. The means of a class make a histogram, which is
    convolved with the normal of the class's average covariance. Where rows are too narrow for
    their density to be seen, they are widened to the bandwidth of Scott's rule.

    Returns
    -------
    x, y : ndarray of shape (cells,)
    density : ndarray of shape (cells, cells)
        At (x[i], y[j]); sums to 1 over the cells if nothing lies beyond them.
    extra : ndarray of shape (2, 2)
        The covariance by which rows were widened; 0 if they were not.
    """
    w = np.asarray(weights, dtype=np.float64)
    centre = np.median(means, axis=0)
    inner = np.quantile(means, [0.001, 0.999], axis=0)
    typical = np.sqrt(np.quantile(covs.diagonal(axis1=1, axis2=2), 0.9, axis=0))
    spread = np.cov(means.T, aweights=w) if len(means) > 2 else np.eye(2)
    scott = np.nan_to_num(spread) * len(means) ** (-1 / 3)
    average = np.einsum("n,nij->ij", w, covs)
    lack = 1.0 - np.trace(average) / max(np.trace(scott), 1e-300)
    extra = lack * scott if lack > 0.3 else np.zeros((2, 2))
    reach = 3.0 * np.sqrt(np.square(typical) + extra.diagonal())
    low, high = inner[0] - reach, inner[1] + reach
    low, high = np.minimum(low, centre - 1e-9), np.maximum(high, centre + 1e-9)
    step = (high - low) / cells
    x, y = (low[i] + step[i] * (np.arange(cells) + 0.5) for i in range(2))
    size = next_fast_len(2 * cells)
    axes = (2 * np.pi * np.fft.fftfreq(size), 2 * np.pi * np.fft.rfftfreq(size))
    frequency = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    total = np.zeros((size, size // 2 + 1), dtype=np.complex128)
    for rows in _classes(covs):
        share = w[rows] / max(w[rows].sum(), 1e-300)
        cov = np.einsum("n,nij->ij", share, covs[rows]) + extra
        scaled = cov / np.outer(step, step) + 1e-6 * np.eye(2)
        at, mass = means[rows], w[rows]
        ends = np.stack([low, high], axis=1)
        counts = np.histogram2d(at[:, 0], at[:, 1], cells, ends, weights=mass)[0]
        waves = np.exp(-0.5 * np.einsum("xyi,ij,xyj->xy", frequency, scaled, frequency))
        total += rfft2(counts, (size, size)) * waves
    density = np.maximum(irfft2(total, (size, size))[:cells, :cells], 0.0)
    return x, y, density, extra


def _classes(covs: Floats) -> list[Any]:
    """Rows of like covariance together: at most six sizes and four shapes."""
    traces = np.trace(covs, axis1=1, axis2=2)
    cuts = np.quantile(traces, np.linspace(0, 1, 7)[1:-1])
    size = np.searchsorted(cuts, traces)
    along = covs[:, 0, 0] > covs[:, 1, 1]
    codes = 4 * size + 2 * along + (covs[:, 0, 1] > 0)
    return [np.flatnonzero(codes == code) for code in np.unique(codes)]


# -- rows on one axis ---------------------------------------------------------------------------


def draw_ridges(
    panel: Panel,
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
    from matplotlib.colors import to_rgba

    chosen = np.sort(_evenly(np.argsort(Y.mean[:, 0], kind="stable"), RIDGES, looks.wide)).tolist()
    n = len(chosen)
    laws = [_line_law(Y, i) for i in chosen]
    curves = [_curve(law) for law in laws]
    peaks = np.array([0.0 if c is None else float(c[:, 1].max()) for c in curves])
    top = peaks.max(initial=0.0)
    uneven = bool(stacked and top > 6.0 * peaks[peaks > 0].min(initial=np.inf))
    shown = levels if stacked else levels[-1:]  # over each other, inner regions would only be mud
    ax = panel.ax
    for k, (i, law, line) in enumerate(zip(chosen, laws, curves, strict=True)):
        base = float(n - 1 - k) if stacked else 0.0
        high = (peaks[k] if uneven else top) or 1.0
        unit = (1.35 if stacked else 1.0) / high
        look, order = looks.looks[i], 2 + (k / n if stacked else 0.0)
        color = drawn_color(look.color)
        if stacked:
            ax.axhline(base, color=LIGHT, linewidth=0.5 * panel.line, zorder=1)
        if line is None:
            at = np.asarray(law.sample(DRAWS, rng=0) if law.support_rank else law.mean[None])
            where = np.column_stack([at[:, 0], np.full(len(at), base)])
            _dots(panel, where, [look] * len(where), 0.7, zorder=order + 0.01, gid="certain")
            continue
        x, y = line[:, 0], base + unit * line[:, 1]
        for share, found in list(zip(shown, intervals(law, shown), strict=True))[::-1]:
            for low, high in found:
                within = np.unique(np.clip(np.concatenate([[low], x, [high]]), low, high))
                alpha = 0.18 if share == shown[-1] else 0.35
                face = to_rgba(drawn_color(look.fill), alpha)
                ax.fill_between(
                    within, base, np.interp(within, x, y), color=face, linewidth=0, zorder=order
                )
        closed = np.concatenate([x[:1], x, x[-1:]]), np.concatenate([[base], y, [base]])
        style: dict[str, Any] = {
            "linestyle": LINESTYLES[look.dash],
            "zorder": order,
            "gid": _gid(looks, i),
        }
        ax.plot(*closed, color=color, **style)
        panel.labels.avoid(np.column_stack(closed), line=True)
    names = distinct([looks.keys[i] for i in chosen], 20)
    if stacked:
        places = np.arange(n)[::-1]
        ax.set_yticks(places, names if labels is not False else [""] * n, parse_math=False)
        ax.tick_params(axis="y", length=0)
        panel.ratio = min(0.35 + 0.09 * n, 2.2)
    else:
        ax.set_yticks([])
        panel.axis_names(y="density")
        panel.ratio = 0.6
        for k, i in enumerate(chosen if labels is not False else []):
            line = curves[k]
            peak = (laws[k].mean[0], 0.0)
            if line is not None:
                best = int(np.argmax(line[:, 1]))
                peak = (line[best, 0], line[best, 1] / top)
            panel.labels.add(names[k], peak, looks.looks[i].color, optional=n > NAMED)
    for text, look in looks.legend:
        panel.dot(text, look)
    if peaks.any():
        assumed = {
            is_assumed(Y.laws[i] if Y.laws else None)
            for i, p in zip(chosen, peaks, strict=True)
            if p
        }
        text = f"{' and '.join(map(percent, shown))} of each row's probability"
        text += as_if_normal(assumed) + " (each density to its own height)" * uneven
        panel.area(text, GREY, 0.3, edge=False)
    if n < len(Y):
        panel.note(f"{n} of {len(Y):,} rows, evenly along the axis")


def _line_law(Y: UncertainArray, row: int) -> Law:
    law = Y.law(row)
    return Normal(law.mean, law.cov) if Y.laws is None else law


def _curve(law: Law) -> Floats | None:
    """The density of a row; None for a certain row, and for a law that sits on separate values."""
    if law.support_rank == 0:
        return None
    try:
        return curve(law)
    except DegenerateLawError:
        return None


def spread_text(looks: RowLooks, spreads: Floats, panel: Panel) -> None:
    """Explain the colours of the widest rows."""
    usual = float(np.median(spreads))
    for i, text in zip(looks.wide, distinct([looks.keys[i] for i in looks.wide], 16), strict=True):
        times = f": {number(spreads[i] / usual, 2)} × the median spread" if usual > 0 else ""
        panel.area(text + times, looks.looks[i].color, 0.14)
    if looks.wide and len(looks.keys) <= MANY:
        rest = f"{len(spreads) - len(looks.wide):,} others"
        rest += ", most of them certain" if usual == 0 else ""
        panel.area(rest, looks.looks[_other(looks)].color, 0.14)


def _other(looks: RowLooks) -> int:
    return next(i for i in range(len(looks.looks)) if i not in looks.wide)


def colored(panel: Panel, looks: RowLooks, values: Floats, label: str) -> RowLooks:
    """The looks with colours by value, which a colour bar explains."""
    from matplotlib.colors import to_hex

    mapped = panel.colorbar(values, label)
    hues = [
        to_hex(c) if np.isfinite(v) else LIGHT
        for c, v in zip(mapped.to_rgba(values), values, strict=True)
    ]
    made = tuple(
        replace(look, color=hue, fill=hue) for look, hue in zip(looks.looks, hues, strict=True)
    )
    return replace(looks, looks=made, values=None, wide=())
