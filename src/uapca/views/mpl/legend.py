"""The legend: what each kind of mark means, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from uapca.views import scene
from uapca.views.mpl.ink import SHAPES, escaped, ink_of, patch_ink
from uapca.views.mpl.style import matplotlib

__all__ = ["draw_legend", "handles_of"]


def draw_legend(
    entries: Sequence[scene.LegendEntry], ax: Any, *, at: str = "best", columns: int = 1
) -> Any:
    """The legend of an Axes, in it, below it or to its right; None without entries."""
    if not entries:
        return None
    places: dict[str, dict[str, Any]] = {
        "best": {"loc": "best"},
        "below": {"loc": "upper center", "bbox_to_anchor": _below(ax)},
        "right": {"loc": "center left", "bbox_to_anchor": (1.02, 0.5)},
    }
    handles = handles_of(entries)
    return ax.legend(handles=handles, ncols=columns, **_spacing(), **places[at])


def _below(ax: Any) -> tuple[float, float]:
    """Below the axes, their tick labels and their label, in fractions of the axes."""
    size = matplotlib().rcParams["font.size"]
    lines = 0.6
    if ax.axison:
        lines += 1.6 * bool(ax.get_xlabel()) + 1.4 * bool(len(ax.get_xticks()))
    height = ax.get_position().height * ax.figure.get_figheight() * 72
    return 0.5, -lines * size / height


def _spacing() -> dict[str, Any]:
    return {
        "handlelength": 1.8,
        "columnspacing": 1.2,
        "handletextpad": 0.5,
        "labelspacing": 0.35,
        "borderaxespad": 0.0,
    }


def handles_of(entries: Sequence[scene.LegendEntry]) -> list[Any]:
    """One matplotlib handle an entry, with its text."""
    return [_handle(entry) for entry in entries]


def _handle(entry: scene.LegendEntry) -> Any:
    text = escaped(entry.text)
    lines, patches = matplotlib("lines"), matplotlib("patches")
    if entry.kind == "area":
        return patches.Patch(label=text, hatch=entry.hatch, **patch_ink(entry.ink))
    ink = ink_of(entry.ink)
    if entry.kind == "marker":
        size = matplotlib().rcParams["lines.markersize"]
        fill = "none" if entry.ink.fill is None else entry.ink.fill
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
    head = {"marker": ">", "markevery": [-1]} if entry.kind == "arrow" else {}
    return lines.Line2D([], [], label=text, **head, **ink)
