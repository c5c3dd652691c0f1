"""Input distributions of two features, and the components through their mean.

The paper's Figs. "teaser", "distribution-types" and "scaling-uncertainty".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes

from uapca._looks import DASHES, Palette
from uapca._validation import check_choice
from uapca.decomposition import UAPCA
from uapca.plot.base import Data, Fit, Panel, fit_of, panel, rows_of
from uapca.plot.labels import distinct, drawable, scale_text
from uapca.plot.projection import draw_projection
from uapca.plot.rows import Kind

__all__ = ["distributions"]


def distributions(
    pca: Fit | Sequence[Fit] | Mapping[str, Fit] | None,
    X: Data,
    *,
    scale: float | None = None,
    levels: Any = None,
    kind: Kind = "auto",
    axes: Literal["arrows", "lines"] = "arrows",
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
    """Distributions of two features, with principal components as axes of length √λ.

    Parameters
    ----------
    pca : fitted UAPCA, sequence or mapping of them, or None
        Fits whose components are drawn from the mean. Several are told apart by dashes; a mapping
        gives them names for the legend, else they are called by their s. None draws no components.
    X : UncertainArray of shape (N, 2), or points
        Rows are drawn as in `projection`; with one feature as densities.
    scale : float, optional
        Draw the uncertainty of all rows times s: ``X.scaled(scale)``. The fits stay as they are.
    axes : {"arrows", "lines"}, default="arrows"
        Components as arrows from the mean to √λ, or as lines from −√λ to √λ.
    levels, kind, groups, palette, labels, highlight, means, ax, title, figsize, legend
        As in `projection`.

    Returns
    -------
    matplotlib.axes.Axes

    See Also
    --------
    uapca.plot.projection : The projected rows.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.datasets.make_teaser()
    >>> ours = uapca.UAPCA().fit(X)
    >>> ax = uapca.plot.distributions({"means only": ours.rescale(0), "ours": ours}, X)
    >>> [text.get_gid() for text in ax.texts if (text.get_gid() or "").startswith("ours")]
    ['ours PC1', 'ours PC2']
    """
    check_choice(axes, ("arrows", "lines"), "axes")
    rows = rows_of(X)
    width = rows.shape[1]
    if width > 2:
        raise ValueError(f"X must have one or two features; got {width}: use projection(pca, X)")
    fits = _fits(pca, width)
    names = distinct(rows.features or [f"x{j}" for j in range(width)], 40)
    if scale is not None:
        rows = rows.scaled(scale)
        title = scale_text(float(scale)) if title is None else title
    with panel(ax, title, figsize, legend) as made:
        draw_projection(
            made,
            rows,
            names,
            levels=levels,
            kind=kind,
            groups=groups,
            palette=palette,
            labels=labels,
            highlight=highlight,
            means=means,
        )
        for i, (name, fit) in enumerate(fits if width == 2 else ()):
            # The last one is the one to look at: solid and full.
            last = i == len(fits) - 1
            dash = DASHES[(len(fits) - 1 - i) % len(DASHES)]
            wide = (1.5 if last else 1.1) * made.line
            _draw_components(made, name if len(fits) > 1 else "", fit, dash, wide, axes, last)
            said = f"components, {name}" if len(fits) > 1 else "components, length √λ"
            head = ">" if axes == "arrows" else "none"
            made.key(said, None, dash, linewidth=wide, marker=head)
    return made.drawn


def _fits(pca: Any, width: int) -> list[tuple[str, UAPCA]]:
    if pca is None:
        return []
    if isinstance(pca, Mapping):
        named = [(drawable(str(name)), fit_of(fit)) for name, fit in pca.items()]
    else:
        listed = map(fit_of, pca if isinstance(pca, list | tuple) else [pca])
        named = [(scale_text(float(fit.scale)), fit) for fit in listed]
    for _, fit in named:
        if fit.n_features_in_ != width:
            raise ValueError(
                f"pca must be fitted on the {width} features that are shown; it was fitted on "
                f"{fit.n_features_in_}"
            )
    return named


def _draw_components(
    made: Panel, name: str, fit: UAPCA, dash: str, wide: float, axes: str, named: bool
) -> None:
    """The components as arrows or lines about the mean, and what they are called."""
    center = np.asarray(fit.mean_, dtype=np.float64)
    for i, direction in enumerate(fit.components_):
        reach = np.sqrt(max(float(fit.explained_variance_[i]), 0.0)) * direction
        if not reach.any():
            continue
        start, end = center if axes == "arrows" else center - reach, center + reach
        style = {"linewidth": wide, "gid": f"{name} PC{i + 1}".strip()}
        style |= {} if axes == "arrows" else {"arrowstyle": "-"}
        made.arrow(start, end, None, dash, **style)
        made.markers.append(np.linspace(start, end, 12))
        made.ax.update_datalim([start, end])
        if named:
            made.label(f"PC{i + 1}", end, wish=tuple(reach / np.hypot(*reach)))
    made.ax.autoscale_view()
