"""How many components stand out of the errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from uapca.plot.base import counted, panel
from uapca.plot.labels import drawable
from uapca.plot.style import GREY, OKABE_ITO

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["component_count"]


def component_count(
    result: Any,
    *,
    n_components: int | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    legend: bool = True,
) -> Axes:
    """The statistic of each component against its threshold under the errors alone.

    Parameters
    ----------
    result : ComponentCount
        From `uapca.component_count`.
    n_components : int, optional
        How many to show; by default two more than stand out, and at least five.
    ax, title, figsize, legend
        As in `projection`.

    Returns
    -------
    matplotlib.axes.Axes
    """
    for name in ("count", "statistics", "thresholds"):
        if not hasattr(result, name):
            raise TypeError(
                f"result must be what uapca.component_count returns; got {type(result).__name__}"
            )
    statistics = np.asarray(result.statistics, dtype=np.float64)
    thresholds = np.broadcast_to(np.asarray(result.thresholds, dtype=np.float64), statistics.shape)
    usual = max(int(result.count) + 2, 5)
    q = counted(n_components, len(statistics), usual, "n_components")
    at = np.arange(1, q + 1)
    with panel(ax, figsize=figsize, title=title, legend=legend, ratio=0.6) as made:
        out = at <= int(result.count)
        for chosen, fill in ((out, OKABE_ITO[0]), (~out, "white")):
            made.ax.plot(
                at[chosen],
                statistics[:q][chosen],
                "o",
                color=OKABE_ITO[0],
                markerfacecolor=fill,
                gid="stands out" if fill != "white" else "within the errors",
            )
        made.ax.plot(at, statistics[:q], color=OKABE_ITO[0], linewidth=0.7 * made.line, zorder=1)
        made.ax.plot(at, thresholds[:q], color=GREY, linestyle="--", marker="_", gid="threshold")
        color = {"markeredgecolor": OKABE_ITO[0]}
        if out.any():
            made.dot("stands out of the errors", markerfacecolor=OKABE_ITO[0], **color)
        if not out.all():
            made.dot("within the errors", markerfacecolor="white", **color)
        made.stroke("threshold if there were only errors", GREY, "dashed")
        if isinstance(getattr(result, "verdict", None), str):
            made.note(drawable(result.verdict))
        made.ax.set_xticks(at, [f"PC{i}" for i in at])
        made.ax.set_xlim(0.5, q + 0.5)
        positive = min(statistics[:q].min(), thresholds[:q].min()) > 0
        if positive and statistics[:q].max() > 50 * statistics[:q].min():
            made.ax.set_yscale("log")
        else:
            made.ax.set_ylim(0.0, 1.1 * max(statistics[:q].max(), thresholds[:q].max()) or 1.0)
        made.axis_names("component", "statistic")
    return made.ax
