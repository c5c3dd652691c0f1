"""How many components stand out from the errors."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogFormatter

from uapca._looks import GREY, LIGHT, OKABE_ITO
from uapca.plot.base import panel
from uapca.plot.labels import percent
from uapca.posterior import ComponentCount

__all__ = ["component_count"]


def component_count(
    result: ComponentCount,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    legend: bool = True,
) -> Axes:
    """The test statistic of each component against what errors alone would give.

    Parameters
    ----------
    result : ComponentCount
        From `uapca.component_count`.
    ax, title, figsize, legend
        As in `projection`.

    Returns
    -------
    matplotlib.axes.Axes

    See Also
    --------
    uapca.component_count : How many components stand out from the errors.
    uapca.plot.scree : Variances of the components.

    Examples
    --------
    >>> import numpy as np, uapca
    >>> values = np.random.default_rng(0).normal(size=(40, 1)) * [3.0, 2.0, 1.0, 0.0]
    >>> X = uapca.UncertainArray(values, std=0.5)
    >>> uapca.plot.component_count(uapca.component_count(X)).get_ylabel()
    'test statistic'
    """
    if not isinstance(result, ComponentCount):
        raise TypeError(
            f"result must be what uapca.component_count returns; got {type(result).__name__}"
        )
    statistics = np.asarray(result.statistics, dtype=np.float64)
    at, count = np.arange(1, len(statistics) + 1), int(result.count)
    with panel(ax, title, figsize, legend, ratio=0.5) as made:
        null = [np.asarray(draws) for draws in result.null]
        if null and all(np.ptp(draws) > 0 for draws in null):
            found = made.ax.violinplot(null, at, showextrema=False, widths=0.6)
            for body in found["bodies"]:
                body.set(facecolor=LIGHT, edgecolor=GREY, alpha=0.7, linewidth=0.6 * made.line)
            made.area("its distribution if only errors were left", LIGHT, 0.7)
        made.ax.hlines(result.thresholds, at - 0.3, at + 0.3, color=GREY, linestyle="--")
        made.key(f"threshold, exceeded by {percent(result.level)} of errors", GREY, "dashed")
        blue = OKABE_ITO[0]
        for chosen, fill, text in (
            (at <= count, blue, "stands out from the errors"),
            (at > count, "white", "within the errors"),
        ):
            if chosen.any():
                made.ax.plot(
                    at[chosen],
                    statistics[chosen],
                    "o",
                    color=blue,
                    markerfacecolor=fill,
                    zorder=4,
                    gid=text,
                )
                made.dot(text, markerfacecolor=fill, markeredgecolor=blue)
        made.name_components(len(at))
        if statistics.min() > 0 and statistics.max() > 10 * np.max(result.thresholds):
            made.ax.set_yscale("log")
            made.ax.yaxis.set_major_formatter(lambda v, _: f"{v:,g}")
            made.ax.yaxis.set_minor_formatter(LogFormatter())  # 20, not 2 × 10¹
        made.words("component", "test statistic")
    return made.drawn
