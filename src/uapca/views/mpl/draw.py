"""One panel into one matplotlib Axes: a thin layer, one function a mark."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import Any

import numpy as np

from uapca.views import scene
from uapca.views.bounds import ellipse_reach
from uapca.views.mpl.crowds import MANY, crowd, crowds
from uapca.views.mpl.ink import SHAPES, drawable, escaped, ink_of, own, patch_ink, text_ink
from uapca.views.mpl.labels import moving_text, place
from uapca.views.mpl.legend import draw_legend
from uapca.views.mpl.style import matplotlib, unknown_style
from uapca.views.palette import SEQUENTIAL
from uapca.views.text import literal

__all__ = ["draw", "written_above"]

STYLES = ("alpha", "color", "linestyle", "linewidth")


def draw(panel: scene.Panel, ax: Any, *, above: float = 0.0, **style: Any) -> Any:
    """Draw a panel into an Axes and return it.

    Parameters
    ----------
    panel : Panel
    ax : matplotlib.axes.Axes
    above : float
        Points to leave at least between frame and title: titles side by side stand alike.
    **style
        ``color``, ``alpha``, ``linewidth`` and ``linestyle`` for all marks that are data; guides,
        such as the unit circle, keep their own.
    """
    for name in style:
        if name not in STYLES:
            raise unknown_style(name, STYLES)
    texts: list[Any] = []
    colors = _color_scale(panel)
    single, together = crowds(panel.marks)
    for many in together:
        _finished([crowd(many, ax)], many[0], "", style)
    for mark in sorted(single, key=lambda mark: mark.layer):
        artists = _artists(mark, ax, colors)
        _finished(artists, mark, literal(mark.key), style)
        if isinstance(mark, scene.Label) and mark.moves:
            texts.extend(artists)
    _axes(panel, ax, above)
    if panel.colorbar is not None:
        bar = ax.figure.colorbar(colors, ax=ax, fraction=0.05, pad=0.03)
        bar.set_label(escaped(panel.colorbar.label))
        bar.outline.set_visible(False)
    draw_legend(panel.legend, ax, at=panel.legend_at, columns=panel.legend_columns)
    place(texts, ax, panel)
    return ax


def _finished(artists: list[Any], mark: scene.Mark, key: str, style: dict[str, Any]) -> None:
    """What all artists have: their layer, whose they are, and the user's style."""
    for artist in artists:
        artist.set_zorder(mark.layer)
        artist.set_gid(f"{mark.role}:{key}" if key else mark.role)
        if style and not mark.guide and not isinstance(mark, scene.Label):
            _restyle(artist, style)


def _color_scale(panel: scene.Panel) -> Any:
    if panel.colorbar is None:
        return None
    norm = matplotlib("colors").Normalize(*panel.colorbar.limits)
    return matplotlib("cm").ScalarMappable(norm, SEQUENTIAL)


@singledispatch
def _artists(mark: scene.Mark, ax: Any, colors: Any) -> list[Any]:
    raise NotImplementedError(type(mark).__name__)


@_artists.register
def _(mark: scene.Ellipse, ax: Any, colors: Any) -> list[Any]:
    patch = matplotlib("patches").Ellipse(
        mark.center,
        2 * mark.radii[0],
        2 * mark.radii[1],
        angle=mark.angle,
        **patch_ink(mark.ink),
    )
    ax.add_patch(patch)
    # Matplotlib's own guess is too small for oblique ellipses.
    reach = ellipse_reach(mark)
    ax.update_datalim([mark.center - reach, mark.center + reach])
    return [patch]


@_artists.register
def _(mark: scene.Area, ax: Any, colors: Any) -> list[Any]:
    path = matplotlib("path").Path
    rings = [ring for ring in mark.rings if len(ring) > 2]
    if not rings:
        return []
    joined = path.make_compound_path(*(path(_ring(ring), closed=True) for ring in rings))
    patch = matplotlib("patches").PathPatch(joined, **patch_ink(mark.ink))
    return [ax.add_patch(patch)]


def _ring(ring: scene.Floats) -> scene.Floats:
    """The ring with the first point once more, which closes the path."""
    return ring if np.array_equal(ring[0], ring[-1]) else np.concatenate([ring, ring[:1]])


@_artists.register
def _(mark: scene.Polyline, ax: Any, colors: Any) -> list[Any]:
    ink = ink_of(mark.ink)
    artists: list[Any] = []
    if mark.widths is None and mark.values is None:
        artists += ax.plot(*mark.points.T, solid_capstyle="round", **ink)
    else:
        artists.append(_varying(mark, ax, colors, ink))
    if mark.arrow and len(mark.points) > 1:
        artists.append(_arrowhead(mark, ax, ink, colors))
    return artists


def _varying(mark: scene.Polyline, ax: Any, colors: Any, ink: dict[str, Any]) -> Any:
    pieces = np.stack([mark.points[:-1], mark.points[1:]], axis=1)
    lines = matplotlib("collections").LineCollection(
        pieces, color=ink["color"], alpha=ink["alpha"], capstyle="round"
    )
    if mark.widths is not None:
        lines.set_linewidth(ink["linewidth"] * (mark.widths[:-1] + mark.widths[1:]) / 2)
    else:
        lines.set_linewidth(ink["linewidth"])
    if mark.values is not None:
        lines.set_color(colors.to_rgba((mark.values[:-1] + mark.values[1:]) / 2))
    ax.add_collection(lines)
    ax.update_datalim(mark.points)
    return lines


def _arrowhead(mark: scene.Polyline, ax: Any, ink: dict[str, Any], colors: Any) -> Any:
    """A head that ends exactly at the last point, along the last piece that has a length."""
    end = mark.points[-1]
    apart = np.hypot(*(mark.points - end).T)
    reach = 0.02 * max(float(apart.max()), 1e-300)
    behind = np.flatnonzero(apart >= reach)
    start = mark.points[behind[-1]] if len(behind) else mark.points[0]
    color = ink["color"] if mark.values is None else colors.to_rgba(mark.values[-1])
    head = matplotlib("patches").FancyArrowPatch(
        start,
        end,
        arrowstyle=matplotlib("patches").ArrowStyle("-|>", head_length=0.45, head_width=0.22),
        mutation_scale=mark.arrow_size * matplotlib().rcParams["font.size"],
        shrinkA=0.0,
        shrinkB=0.0,
        linewidth=0.0 if len(behind) else ink["linewidth"],
        color=color,
        alpha=ink["alpha"],
    )
    return ax.add_patch(head)


@_artists.register
def _(mark: scene.Markers, ax: Any, colors: Any) -> list[Any]:
    ink = ink_of(mark.ink)
    to_rgba = matplotlib("colors").to_rgba
    size = mark.size * matplotlib().rcParams["lines.markersize"]
    return list(
        ax.plot(
            *mark.points.T,
            linestyle="none",
            marker=SHAPES[mark.shape],
            markersize=size,
            markeredgecolor=to_rgba(ink["color"], mark.ink.opacity),
            markerfacecolor="none"
            if mark.ink.fill is None
            else to_rgba(own(mark.ink.fill), mark.ink.fill_opacity * mark.ink.opacity),
            markeredgewidth=ink["linewidth"],
            rasterized=len(mark.points) > MANY,
        )
    )


@_artists.register
def _(mark: scene.Bars, ax: Any, colors: Any) -> list[Any]:
    drawn: Callable[..., Any] = ax.barh if mark.horizontal else ax.bar
    start = {"left" if mark.horizontal else "bottom": mark.base}
    bars = drawn(mark.positions, mark.ends - mark.base, mark.breadth, **start)
    for bar in bars:
        bar.set(hatch=mark.hatch, **patch_ink(mark.ink))
    return list(bars)


@_artists.register
def _(mark: scene.ErrorBars, ax: Any, colors: Any) -> list[Any]:
    along = mark.points[:, 0 if mark.horizontal else 1]
    reach = np.maximum(np.stack([along - mark.low, mark.high - along]), 0.0)
    ink = ink_of(mark.ink)
    _, caps, bars = ax.errorbar(
        *mark.points.T,
        **{"xerr" if mark.horizontal else "yerr": reach},
        fmt="none",
        ecolor=ink["color"],
        elinewidth=ink["linewidth"],
        capsize=matplotlib().rcParams["lines.markersize"] / 3,
        alpha=ink["alpha"],
    )
    return [*caps, *bars]


@_artists.register
def _(mark: scene.Rule, ax: Any, colors: Any) -> list[Any]:
    drawn = ax.axvline if mark.axis == "x" else ax.axhline
    return [drawn(mark.at, **ink_of(mark.ink))]


@_artists.register
def _(mark: scene.Label, ax: Any, colors: Any) -> list[Any]:
    if mark.moves:
        return [moving_text(mark, ax)]
    text = ax.annotate(
        drawable(mark.text),
        mark.at,
        xycoords="axes fraction" if mark.in_axes else "data",
        xytext=mark.offset,
        textcoords="offset points",
        ha=mark.horizontal,
        va=mark.vertical,
        rotation=mark.rotation,
        annotation_clip=False,
        **text_ink(mark),
    )
    return [text]


def _restyle(artist: Any, style: dict[str, Any]) -> None:
    """The user's own colour, alpha or line, on an artist of any kind."""
    line = matplotlib("lines").Line2D
    for name, value in style.items():
        if name == "color" and isinstance(artist, line) and artist.get_linestyle() == "None":
            artist.set(markeredgecolor=value, markerfacecolor=value)
        elif name == "linewidth" and isinstance(artist, line):
            artist.set(linewidth=value, markeredgewidth=value)
        else:
            artist.set(**{name: value})


def _axes(panel: scene.Panel, ax: Any, above: float) -> None:
    if panel.title:
        pad = matplotlib().rcParams["axes.titlepad"] + max(above, written_above(panel))
        ax.set_title(escaped(panel.title), pad=pad)
    if not panel.frame:
        ax.set_axis_off()
    if panel.equal:
        ax.set_aspect("equal", adjustable="datalim" if _free(panel) else "box")
    ax.autoscale_view()
    for name, axis in (("x", panel.x), ("y", panel.y)):
        tools = getattr(ax, f"{name}axis")
        getattr(ax, f"set_{name}label")(escaped(axis.label))
        if axis.log:
            getattr(ax, f"set_{name}scale")("log")
        if axis.limits is not None:
            getattr(ax, f"set_{name}lim")(*axis.limits)
        if axis.reversed:
            tools.set_inverted(True)
        if not axis.keep_ticks:
            tools.set_ticks([])
        elif axis.ticks is not None:
            tools.set_ticks([at for at, _ in axis.ticks], [escaped(t) for _, t in axis.ticks])
            tools.set_minor_locator(matplotlib("ticker").NullLocator())


def written_above(panel: scene.Panel) -> float:
    """The height of labels on top of the frame, where the title would be, in points."""
    above = [
        label.offset[1]
        for label in panel.of(scene.Label)
        if label.in_axes and label.at[1] >= 1.0 and label.vertical == "bottom"
    ]
    return max(above) + 1.05 * matplotlib().rcParams["font.size"] if above else 0.0


def _free(panel: scene.Panel) -> bool:
    """Whether the data may decide the range, so that one unit on both axes needs no empty box."""
    return panel.x.limits is None and panel.y.limits is None
