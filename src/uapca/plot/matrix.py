"""All pairs of several components."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from uapca._looks import Palette
from uapca.plot.base import (
    TRUE_VALUES,
    Data,
    Fit,
    Panel,
    axis_labels,
    chosen_components,
    data_of,
    grid,
    joint_legend,
    scores_of,
)
from uapca.plot.labels import scale_text
from uapca.plot.projection import draw_projection
from uapca.plot.rows import NAMED, Kind

__all__ = ["matrix"]


def matrix(
    pca: Fit,
    X: Data,
    *,
    components: Any = None,
    levels: Any = 0.95,
    kind: Kind = "auto",
    groups: Any = None,
    palette: Palette = None,
    labels: bool | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    legend: bool = True,
) -> Figure:
    """The projections on all pairs of several components, as a lower triangle.

    Parameters
    ----------
    pca : fitted UAPCA, or a Pipeline that ends in one
    X : UncertainArray of shape (N, D), or points
    components : sequence of int, optional
        Two or more, from 0; by default the first four, as far as there are so many.
    levels, kind, groups, palette, labels, title, figsize, legend
        As in `projection`. By default names are written for up to twelve rows.

    Returns
    -------
    matplotlib.figure.Figure

    See Also
    --------
    uapca.plot.projection : The projected rows.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.datasets.load_iris_groups()
    >>> figure = uapca.plot.matrix(uapca.UAPCA(3).fit(X), X)
    >>> [ax.get_xlabel() for ax in figure.axes if ax.get_xlabel()]
    ['PC1 (92.5 %)', 'PC2 (5.3 %)']
    """
    fit, data = data_of(pca, X)
    q = fit.n_components_
    chosen = chosen_components(range(min(q, 4)) if components is None else components, q, 2, q)
    rows, names, size = scores_of(fit, data, chosen), axis_labels(fit, chosen), len(chosen) - 1
    written = labels
    if labels is None and (rows.names or len(rows) <= NAMED):
        written = len(rows) <= NAMED  # positions are short: some always have room
    text = f"uncertainty scale {scale_text(float(fit.scale))}" if title is None else title
    if title is None and data.source == "posterior" and fit.scale == 1.0:
        text = TRUE_VALUES
    share: dict[str, Any] = {"sharex": "col", "sharey": "row"}
    with grid(size, size, title=text, figsize=figsize, ratio=0.9, **share) as (figure, axes):
        drawn = []
        for i in range(size):
            for j in range(i + 1, size):
                axes[i, j].set_axis_off()
            for j in range(i + 1):
                made = Panel(axes[i, j])
                draw_projection(
                    made,
                    rows[:, [j, i + 1]],
                    [names[j] * (i == size - 1), names[i + 1] * (j == 0)],
                    levels=levels,
                    kind=kind,
                    groups=groups,
                    palette=palette,
                    labels=written if j == 0 or not written else None,
                    like=rows,  # then a row has one color in all panels
                )
                made.ax.set_aspect("auto")  # one unit for all would leave the last ones empty
                drawn.append(made.ax)
        joint_legend(figure, drawn if legend else [])
    return figure
