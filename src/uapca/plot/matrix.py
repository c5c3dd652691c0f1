"""All pairs of several components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uapca.plot.base import (
    Data,
    Fit,
    Panel,
    axis_label,
    chosen_components,
    data_of,
    grid,
    joint_legend,
)
from uapca.plot.labels import scale_text
from uapca.plot.projection import draw_projection
from uapca.plot.rows import Kind
from uapca.plot.style import Palette

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
    wanted = tuple(range(min(q, 4))) if components is None else components
    chosen = chosen_components(wanted, q, 2, q)
    rows = fit.transform(data)
    size = len(chosen) - 1
    written = labels if labels is not None else len(rows) <= 12
    share: dict[str, Any] = {"sharex": "col", "sharey": "row"}
    with grid(size, size, figsize=figsize, ratio=0.9, **share) as (figure, axes):
        drawn = []
        for i in range(size):
            for j in range(size):
                if j > i:
                    axes[i, j].set_axis_off()
                    continue
                made = Panel(axes[i, j])
                pair = [chosen[j], chosen[i + 1]]
                draw_projection(
                    made,
                    rows[:, pair],
                    (
                        axis_label(fit, pair[0]) if i == size - 1 else "",
                        axis_label(fit, pair[1]) if j == 0 else "",
                    ),
                    levels=levels,
                    kind=kind,
                    groups=groups,
                    palette=palette,
                    labels=written if j == 0 or not written else None,
                )
                made.ax.set_aspect("auto")  # one unit for all would leave the last ones empty
                made.ax._uapca_entries = made.entries
                drawn.append(made.ax)
        figure.suptitle(scale_text(float(fit.scale)) if title is None else title)
        joint_legend(figure, drawn if legend else [])
    return figure
