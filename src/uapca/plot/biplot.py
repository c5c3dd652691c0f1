"""Projected rows and the features' own axes in one picture."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes

from uapca._looks import BROWN, Palette
from uapca._validation import check_choice
from uapca.plot.base import (
    TOP,
    Data,
    Fit,
    axis_labels,
    chosen_components,
    counted,
    cycle_colors,
    data_of,
    feature_names,
    panel,
    scores_of,
)
from uapca.plot.labels import NAME, distinct, number
from uapca.plot.loadings import draw_arrow, feature_shares
from uapca.plot.projection import draw_projection
from uapca.plot.rows import Kind

__all__ = ["biplot"]


def biplot(
    pca: Fit,
    X: Data,
    *,
    components: Any = (0, 1),
    top: int | None = None,
    color_by: Literal["contribution", "cos2"] | None = None,
    levels: Any = None,
    kind: Kind = "auto",
    groups: Any = None,
    palette: Palette = None,
    labels: bool | None = None,
    highlight: Any = (),
    means: bool = True,
    ax: Axes | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    legend: bool = True,
) -> Axes:
    """Rows as in `projection`, and an arrow for each feature: its axis as the projection sees it.

    The arrows are the projected unit vectors of the features, all lengthened by one factor that
    the legend states. A row lies far out along an arrow if it is high in that feature. Arrows are
    black, or have the colors of a color bar, so that they share no color with rows; a row that
    is black in `projection` is brown here.

    Parameters
    ----------
    pca : fitted UAPCA, or a Pipeline that ends in one
    X : UncertainArray of shape (N, D), or points
    components : pair of int, default=(0, 1)
    top : int, optional
        How many features; by default all, at most the twenty with the longest arrows.
    color_by : {"contribution", "cos2"}, optional
        Color the arrows by the feature's contribution to the two components, or by how much of
        the feature's variance they explain.
    levels, kind, groups, palette, labels, highlight, means, ax, title, figsize, legend
        As in `projection`.

    Returns
    -------
    matplotlib.axes.Axes

    See Also
    --------
    uapca.plot.projection : The projected rows.
    uapca.plot.loadings : The correlation circle.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.datasets.load_iris_groups()
    >>> ax = uapca.plot.biplot(uapca.UAPCA(2).fit(X), X, top=2)
    >>> [text.get_text() for text in ax.texts if text.get_text().endswith("(cm)")]
    ['sepal length (cm)', 'petal length (cm)']
    """
    fit, data = data_of(pca, X)
    pair = chosen_components(components, fit.n_components_, 2)
    check_choice(color_by, (None, "contribution", "cos2"), "color_by")
    axes = np.asarray(fit._map()[0][pair].T, dtype=np.float64)
    lengths = np.hypot(*axes.T)
    count = counted(top, int((lengths > 0).sum()), TOP)
    shown = np.sort(np.argsort(-lengths, kind="stable")[:count])
    with panel(ax, title, figsize, legend, fit, data) as made:
        draw_projection(
            made,
            scores_of(fit, data, pair),
            axis_labels(fit, pair),
            levels=levels,
            kind=kind,
            groups=groups,
            palette=palette,
            labels=labels,
            highlight=highlight,
            means=means,
            colors=[BROWN if color == "#000000" else color for color in cycle_colors()],
        )
        reach = max(float(np.abs(made.ax.dataLim.get_points()).max()), 1e-300)
        factor = 0.8 * reach / max(float(lengths.max()), 1e-300)
        colors: Any = [None] * len(axes)
        if color_by is not None:
            label, values = feature_shares(fit, pair, color_by)
            colors = made.colorbar(values[shown], label).to_rgba(values)
        names = [feature_names(fit)[j] for j in shown]
        for j, text, name in zip(shown, distinct(names), distinct(names, NAME), strict=True):
            draw_arrow(made, factor * axes[j], text, colors[j], name=name, gid=f"feature:{text}")
        made.ax.update_datalim(factor * axes[shown])
        made.equal()
        longest = f", the {count} longest of {len(axes)}" * (count < len(axes))
        made.key(f"features × {number(factor)}{longest}", marker=">")
    return made.drawn
