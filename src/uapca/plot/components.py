"""The entries of the components with their standard errors."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from uapca._looks import LIGHT, OKABE_ITO, SHAPES
from uapca.plot.base import (
    MARKERS,
    TOP,
    Data,
    Fit,
    counted,
    data_of,
    feature_names,
    panel,
    uncertainty_of,
)
from uapca.plot.contributions import name_lines
from uapca.plot.labels import number

__all__ = ["components"]

SWAPS = 0.05  # components that swap in a larger share of redraws cannot be told apart


def components(
    pca: Fit,
    X: Data,
    *,
    n_components: int | None = None,
    top: int | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    legend: bool = True,
) -> Axes:
    """The entries of the leading components of a fit, with bars of one standard error.

    Each data set that could have been seen instead has its own PCA: the bars are the spread of
    those (`uapca.component_uncertainty`).

    Parameters
    ----------
    pca : fitted UAPCA, or a Pipeline that ends in one
    X : UncertainArray
        The data of the fit.
    n_components : int, optional
        By default two, as far as there are so many.
    top : int, optional
        How many features; by default all, at most twenty. Where some are left out, those shown have
        the largest entries, the largest first.
    ax, title, figsize, legend
        As in `projection`.

    Returns
    -------
    matplotlib.axes.Axes

    See Also
    --------
    uapca.component_uncertainty : How well the components are known.
    uapca.plot.contributions : Which features make a component.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.datasets.load_students()
    >>> ax = uapca.plot.components(uapca.UAPCA(2).fit(X), X)
    >>> ax.get_xlabel()
    'entry of the component'
    """
    fit, data = data_of(pca, X)
    q = counted(n_components, fit.n_components_, 2, "n_components")
    if np.isinf(fit.scale):
        raise ValueError("pca must have a finite scale; errors of infinite rows have no size")
    found = uncertainty_of(fit, data, q)
    names, entries = feature_names(fit), fit.components_[:q]
    count = counted(top, len(names), TOP)
    shown = np.argsort(-np.abs(entries).max(axis=0).round(12), kind="stable")[:count]
    shown = shown if count < len(names) else np.arange(count)
    with panel(ax, title, figsize, legend, fit, data) as made:
        made.ax.axvline(0.0, color=LIGHT, linewidth=0.7 * made.line, zorder=0)
        for i in range(q):
            ends = np.clip(entries[i] + np.outer([-1, 1], found.std[i]), -1.0, 1.0)
            bars = np.abs(ends - entries[i])[:, shown]
            at = np.arange(count) + 0.8 / q * (i - 0.5 * (q - 1))
            style = {
                "color": OKABE_ITO[i % 6],
                "marker": MARKERS[SHAPES[i % 5]],
                "markerfacecolor": OKABE_ITO[i % 6] if i % 2 == 0 else "white",
            }
            bar = {"xerr": bars, "linestyle": "none", "gid": f"PC{i + 1}"}
            made.ax.errorbar(entries[i, shown], at, **bar, **style)
            tilt = f"tilts by {number(float(np.degrees(found.angle[i])), 2)}°"
            made.key(f"PC{i + 1} ± standard error, {tilt}", **style)
        for i, swaps in enumerate(found.swap_probability, 1):
            if swaps > SWAPS:
                made.key(f"PC{i} and PC{i + 1} cannot be told apart", linestyle="none")
        name_lines(made, [names[j] for j in shown], len(names), "features")
        reach = 1.05 * float(np.abs(made.ax.dataLim.intervalx).max())
        made.ax.set_xlim(-reach, reach)
        made.words("entry of the component")
    return made.drawn
