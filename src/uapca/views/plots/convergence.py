"""How fast PCA of samples nears the closed form (paper, Sec. "Comparison To Sampling")."""

from __future__ import annotations

from typing import Any

import numpy as np

from uapca._validation import complaint
from uapca.stability import SamplingConvergence
from uapca.views.palette import GREY, INK
from uapca.views.placing import spread
from uapca.views.scene import (
    Axis,
    ColorBar,
    Ink,
    Label,
    LegendEntry,
    Mark,
    Markers,
    Panel,
    Polyline,
)

__all__ = ["convergence"]

# The height of a label as a share of the panel's, at one paper column.
LINE = 0.055


def convergence(result: SamplingConvergence | Any) -> Panel:
    """Median Hellinger distance between sampled and closed-form PCA against the samples drawn.

    Both axes are logarithmic, one line for each number of features D; the dashed line falls like
    n^(−1/2), the rate of the law of large numbers.

    Parameters
    ----------
    result : SamplingConvergence
        From `uapca.sampling_convergence`.

    Examples
    --------
    >>> import uapca
    >>> result = uapca.sampling_convergence([2, 4], [10, 100], n_runs=5, rng=0)
    >>> panel = uapca.plot.convergence.scene(result)
    >>> [label.text for label in panel.of(role="dimension") if hasattr(label, "text")]
    ['D = 2', 'D = 4']
    """
    if not isinstance(result, SamplingConvergence):
        raise TypeError(
            complaint(
                "result",
                "be what uapca.sampling_convergence returns",
                f"got {type(result).__name__}",
                "Pass uapca.sampling_convergence(rng=0)",
            )
        )
    n, dims = result.n_samples.astype(float), result.dims
    order = np.argsort(n, kind="stable")
    n, median = n[order], result.median[:, order]
    positive = median > 0  # a logarithm has no place for a distance of nothing
    if not positive.any():
        raise ValueError(
            complaint(
                "result",
                "have distances above 0",
                "all medians are 0",
                "Sampling has nothing to miss where all rows are certain",
            )
        )
    marks: list[Mark] = []
    for d, row, keep in zip(dims, median, positive, strict=True):
        points = np.column_stack([n[keep], row[keep]])
        key, values = f"D = {d}", np.full(len(points), float(d))
        marks.append(Polyline(role="dimension", key=key, points=points, values=values, layer=3))
        if len(n) == 1:
            marks.append(Markers(role="dimension", key=key, points=points))
    low, high = float(median[positive].min()), float(median[positive].max())
    limits = (low / 1.4, high * 1.4)
    marks += _names(float(n[-1]), dims, median, positive, limits)
    guide, legend = _guide(n, median, positive)
    marks += guide
    span = (float(dims.min()), float(dims.max()))
    return Panel(
        marks=tuple(marks),
        x=Axis(
            label="samples n from each distribution", log=True, limits=(n[0] / 1.15, n[-1] * 1.15)
        ),
        y=Axis(label="median Hellinger distance", log=True, limits=limits),
        legend=legend,
        colorbar=ColorBar(
            label="features D", limits=span if span[1] > span[0] else (span[0] - 1, span[0] + 1)
        ),
        height=0.85,
    )


def _names(
    end: float, dims: Any, median: Any, positive: Any, limits: tuple[float, float]
) -> list[Mark]:
    """The numbers of features where the lines end: all of a few, else the first and the last."""
    kept = [k for k in range(len(dims)) if positive[k, -1]]
    if len(kept) > 4:
        kept = [kept[0], kept[-1]]
    if not kept:
        return []
    logs = np.log(limits)
    at = spread(np.log(median[kept, -1]), LINE * (logs[1] - logs[0]), (logs[0], logs[1]))
    return [
        Label(
            role="dimension",
            key=f"D = {dims[k]}",
            at=(end * 1.15, float(np.exp(place))),
            text=f"D = {dims[k]}",
            horizontal="left",
            offset=(2.0, 0.0),
            size=0.9,
            ink=Ink(color=INK),
        )
        for k, place in zip(kept, at, strict=True)
    ]


def _guide(n: Any, median: Any, positive: Any) -> tuple[list[Mark], tuple[LegendEntry, ...]]:
    """The line of the law of large numbers, through the middle of the data."""
    if len(n) < 2:
        return [], ()
    rates = np.where(positive, np.log(np.where(positive, median, 1.0)) + 0.5 * np.log(n), np.nan)
    height = float(np.nanmean(rates))
    points = np.column_stack([n, np.exp(height - 0.5 * np.log(n))])
    ink = Ink(color=GREY, dash="dashed", width=0.9)
    line = Polyline(role="guide", points=points, ink=ink, guide=True, layer=2)
    return [line], (LegendEntry(text="falls like n^(−1/2)", ink=ink),)
