"""How fast PCA of samples nears the closed form (paper, Sec. "Comparison To Sampling")."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from uapca._looks import GREY
from uapca.plot.base import panel
from uapca.stability import SamplingConvergence

__all__ = ["convergence"]


def convergence(
    result: SamplingConvergence,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    legend: bool = True,
) -> Axes:
    """Median Hellinger distance between sampled and closed-form PCA against the samples drawn.

    Both axes are logarithmic, one line for each number of features D; the dashed line falls like
    n^(−1/2), the rate of the law of large numbers.

    Parameters
    ----------
    result : SamplingConvergence
        From `uapca.sampling_convergence`.
    ax, title, figsize, legend
        As in `projection`.

    Returns
    -------
    matplotlib.axes.Axes

    See Also
    --------
    uapca.sampling_convergence : How many samples the baseline needs.

    Examples
    --------
    >>> import uapca
    >>> result = uapca.sampling_convergence([2, 4], [10, 100], n_runs=5, rng=0)
    >>> ax = uapca.plot.convergence(result)
    >>> [text.get_text() for text in ax.texts]
    ['D = 2', 'D = 4']
    """
    if not isinstance(result, SamplingConvergence):
        raise TypeError(
            f"result must be what uapca.sampling_convergence returns; got {type(result).__name__}"
        )
    order = np.argsort(result.n_samples, kind="stable")
    n, median = result.n_samples[order].astype(np.float64), result.median[:, order]
    positive = median > 0  # a logarithm has no place for a distance of nothing
    if not positive.any():
        raise ValueError("result must have distances above 0; all medians are 0")
    with panel(ax, title, figsize, legend) as made:
        mapped = made.colorbar(result.dims.astype(np.float64), "features D")
        made.ax.set(xscale="log", yscale="log")
        made.ax.set_ylim(median[positive].min() / 1.4, median[positive].max() * 1.4)
        made.ax.set_xlim(n[0] / 1.15, n[-1] * (3.2 if len(n) > 1 else 1.4))  # room for names
        for d, row, keep in zip(result.dims, median, positive, strict=True):
            made.ax.plot(
                n[keep],
                row[keep],
                marker="o" if len(n) == 1 else None,
                color=mapped.to_rgba(float(d)),
                gid=f"D = {d}",
            )
            made.lines.append(np.column_stack([n[keep], row[keep]]))
        if len(n) > 1:
            with np.errstate(divide="ignore"):
                rates = np.where(positive, np.log(median) + 0.5 * np.log(n), np.nan)
            guide = np.exp(np.nanmean(rates) - 0.5 * np.log(n))
            dashed: dict[str, Any] = {"linestyle": "--", "linewidth": 0.9 * made.line}
            made.ax.plot(n, guide, gid="guide", color=GREY, **dashed)
            made.key("falls like n^(−1/2)", GREY, **dashed)
        kept = [k for k in range(len(median)) if positive[k, -1]]
        for k in kept if len(kept) <= 4 else [kept[0], kept[-1]]:
            at = (n[-1], median[k, -1])
            made.label(f"D = {result.dims[k]}", at, wish=(1.0, 0.0), fontsize="small")
        made.words("samples n from each distribution", "median Hellinger distance")
    return made.drawn
