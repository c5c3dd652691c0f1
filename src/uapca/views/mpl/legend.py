"""The legend: what each kind of mark means, in words."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from uapca.views import scene
from uapca.views.legends import ROOM, legend_columns
from uapca.views.mpl.ink import SHAPES, drawable, escaped, ink_of, own, patch_ink
from uapca.views.mpl.style import matplotlib

__all__ = ["by_rows", "draw_legend", "handlers_of", "handles_of"]


def draw_legend(
    entries: Sequence[scene.LegendEntry], ax: Any, *, at: str = "best", columns: int = 1
) -> Any:
    """The legend of an Axes, in it, below it or to its right; None without entries."""
    if not entries:
        return None
    places: dict[str, dict[str, Any]] = {
        "best": {"loc": "best"},
        "below": {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0), **_below(ax)},
        "right": {"loc": "center left", "bbox_to_anchor": (1.02, 0.5)},
    }
    room = _room(ax)
    columns = min(columns, legend_columns(entries, room)) if columns > 1 else 1
    handles = handles_of(by_rows(entries, columns), room)
    options = {**_spacing(), **places[at], "handler_map": handlers_of(handles)}
    return ax.legend(handles=handles, ncols=columns, **options)


def by_rows(entries: Sequence[scene.LegendEntry], columns: int) -> list[scene.LegendEntry]:
    """The entries in the order in which columns are filled, so that they read row by row."""
    # Matplotlib fills columns from the top, the first ones with one more where they differ.
    return [entry for first in range(columns) for entry in list(entries)[first::columns]]


def _below(ax: Any) -> dict[str, Any]:
    """Below the axes, their tick labels and their label, whatever size the axes come to have."""
    size = matplotlib().rcParams["font.size"]
    lines = 0.6
    if ax.axison:
        lines += 1.6 * bool(ax.get_xlabel()) + 1.4 * bool(len(ax.get_xticks()))
    down = matplotlib("transforms").ScaledTranslation(
        0.0, -lines * size / 72, ax.figure.dpi_scale_trans
    )
    return {"bbox_transform": ax.transAxes + down}


def _spacing() -> dict[str, Any]:
    return {
        "handlelength": 1.8,
        "columnspacing": 1.2,
        "handletextpad": 0.5,
        "labelspacing": 0.35,
        "borderaxespad": 0.0,
    }


def _room(ax: Any) -> float:
    """How many characters of the legend's type fit across the axes and their labels."""
    params = matplotlib().rcParams
    size = matplotlib("font_manager").FontProperties(size=params["legend.fontsize"])
    # A figure of one panel has all of its width; others, about what the axes have.
    share = 1.0 if len(ax.figure.axes) == 1 else min(1.2 * ax.get_position().width, 1.0)
    width = share * ax.figure.bbox.width / ax.figure.dpi * 72
    return float(ROOM * width / 252 * (20 / 3) / size.get_size_in_points())


def handles_of(entries: Sequence[scene.LegendEntry], room: float = 2 * ROOM) -> list[Any]:
    """One matplotlib handle an entry, with its text in lines no longer than there is room."""
    return [_handle(entry, max(int(room) - 2, 12)) for entry in entries]


def _handle(entry: scene.LegendEntry, longest: int) -> Any:
    text = "\n".join(escaped(line) for line in wrap(drawable(entry.text), longest) or [""])
    lines, patches = matplotlib("lines"), matplotlib("patches")
    if entry.kind == "area":
        return patches.Patch(label=text, hatch=entry.hatch, **patch_ink(entry.ink))
    ink = ink_of(entry.ink)
    if entry.kind == "marker":
        size = matplotlib().rcParams["lines.markersize"]
        fill = "none" if entry.ink.fill is None else own(entry.ink.fill)
        return lines.Line2D(
            [],
            [],
            linestyle="none",
            marker=SHAPES[entry.shape],
            markersize=size,
            markerfacecolor=fill,
            markeredgecolor=ink["color"],
            markeredgewidth=ink["linewidth"],
            label=text,
        )
    if entry.kind == "none":
        return lines.Line2D([], [], linestyle="none", label=text)
    size = 0.7 * matplotlib().rcParams["lines.markersize"]
    arrow = {"marker": ">", "markevery": [-1], "markersize": size}
    head = arrow if entry.kind == "arrow" else {}
    return lines.Line2D([], [], label=text, **head, **ink)


def handlers_of(handles: Sequence[Any]) -> dict[Any, Any]:
    """How the handles that need it are drawn: arrows."""
    from uapca.views.mpl.artists import ArrowHandler

    return {handle: ArrowHandler() for handle in handles if _is_arrow(handle)}


def _is_arrow(handle: Any) -> bool:
    return isinstance(handle, matplotlib("lines").Line2D) and handle.get_markevery() == [-1]
