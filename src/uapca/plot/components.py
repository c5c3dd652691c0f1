"""The entries of the components with their standard errors."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from uapca.exceptions import SeparationWarning
from uapca.plot.base import TOP, Data, Fit, counted, data_of, feature_names, own_data, panel
from uapca.plot.labels import distinct, number, scale_text
from uapca.plot.style import LIGHT, MARKERS, OKABE_ITO, SHAPES
from uapca.stability import component_uncertainty

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["components"]

APART = 2.0  # gaps of fewer standard deviations than this do not tell two components apart


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

    If each row is one unknown value, known only as far as its distribution says, each possible
    set of values has its own PCA: the bars are the spread of those (`component_uncertainty`).

    Parameters
    ----------
    pca : fitted UAPCA, or a Pipeline that ends in one
    X : UncertainArray
        The data of the fit.
    n_components : int, optional
        By default two, as far as there are so many.
    top : int, optional
        How many features; by default all, at most the twenty with the largest entries.
    ax, title, figsize, legend
        As in `projection`.

    Returns
    -------
    matplotlib.axes.Axes

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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparationWarning)  # the legend says it
        found = component_uncertainty(own_data(fit, data), n_components=q)
    names, entries = feature_names(fit), fit.components_[:q]
    count = counted(top, len(names), TOP)
    largest = np.argsort(-np.abs(entries).max(axis=0).round(12), kind="stable")[:count]
    shown = np.sort(largest)
    with panel(
        ax,
        figsize=figsize,
        title=scale_text(float(fit.scale)) if title is None else title,
        legend=legend,
    ) as made:
        made.ax.axvline(0.0, color=LIGHT, linewidth=0.7 * made.line, zorder=0)
        for i in range(q):
            # A component tied with another may point anywhere.
            reach = np.minimum(found.std[i], 2.0)
            low, high = np.maximum(entries[i] - reach, -1.0), np.minimum(entries[i] + reach, 1.0)
            bars = np.stack([entries[i] - low, high - entries[i]])[:, shown]
            color = OKABE_ITO[i % 6]
            handle = made.ax.errorbar(
                entries[i, shown],
                np.arange(count) + 0.8 / q * (i - 0.5 * (q - 1)),
                xerr=np.maximum(bars, 0.0),
                fmt=MARKERS[SHAPES[i % 5]],
                color=color,
                markerfacecolor=color if i % 2 == 0 else "white",
                gid=f"PC{i + 1}",
            )
            tilt = f"tilts by {number(float(np.degrees(found.angle[i])), 2)}°"
            handle.set_label(f"PC{i + 1} ± standard error, {tilt}")
            made.entries.append(handle)
        for i, z in enumerate(found.separation, 1):
            if not z >= APART:
                made.note(f"PC{i} and PC{i + 1} cannot be told apart")
        texts = distinct([names[j] for j in shown], 22)
        made.ax.set_yticks(range(count), texts, parse_math=False)
        made.ax.set(xlim=(-1.05, 1.05), ylim=(count - 0.4, -0.6))
        made.ratio = 0.12 + 0.07 * max(count, 3)
        more = f"largest {count} of {len(names):,} features" if count < len(names) else ""
        made.axis_names("entry of the component", more)
    return made.ax
