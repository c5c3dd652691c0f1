"""Input distributions of two features, and the components through their mean.

The paper's Figs. "teaser", "distribution-types" and "scaling-uncertainty".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from uapca._validation import check_choice, complaint
from uapca.decomposition import UAPCA
from uapca.views.given import features_of
from uapca.views.palette import DASHES, INK
from uapca.views.plots.projection import rows_panel, with_more
from uapca.views.rows.colours import Palette
from uapca.views.rows.inputs import check_pca, rows_of
from uapca.views.rows.marks import Kind
from uapca.views.scene import Ink, Label, LegendEntry, Mark, Panel, Polyline
from uapca.views.text import literal, scale_text, shortened

__all__ = ["distributions"]


def distributions(
    X: Any,
    pca: Any = None,
    *,
    scale: float | None = None,
    levels: Any = None,
    kind: Kind = "auto",
    axes: Literal["arrows", "lines"] = "arrows",
    groups: Any = None,
    palette: Palette = None,
    labels: bool | None = None,
    means: bool = True,
) -> Panel:
    """Distributions of two features, with principal components as axes of length √λ.

    Parameters
    ----------
    X : UncertainArray of shape (N, 2), or points
        Rows are drawn as in `projection`; with one feature as densities.
    pca : UAPCA, sequence or mapping of them, optional
        Fits whose components are drawn from the mean. Several are told apart by dashes; a mapping
        gives them names for the legend, else they are called by their s.
    scale : float, optional
        Draw the uncertainty of all rows times s: ``X.scaled(scale)``. The fits stay as they are.
    levels : float or sequence of float, optional
        The probabilities of each row that its regions hold; by default 0.95, and 0.5 for few rows.
    kind : {"auto", "ellipse", "contour", "points"}, default="auto"
    axes : {"arrows", "lines"}, default="arrows"
        Components as arrows from the mean to √λ, or as lines from −√λ to √λ.
    groups, palette, labels, means
        As in `projection`.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.datasets.make_teaser()
    >>> ours = uapca.UAPCA().fit(X)
    >>> panel = uapca.plot.distributions.scene(X, {"means only": ours.rescale(0), "ours": ours})
    >>> [(mark.key, mark.ink.dash) for mark in panel.of(role="component") if hasattr(mark, "arrow")]
    [('means only PC1', 'dashed'), ('means only PC2', 'dashed'), ('ours PC1', 'solid'), ('ours PC2', 'solid')]
    """  # noqa: E501
    check_choice(axes, ("arrows", "lines"), "axes")
    rows = rows_of(X, "X")
    width = rows.shape[1]
    if width > 2:
        raise ValueError(
            complaint(
                "X",
                "have one or two features",
                f"got {width}",
                "Select some, X[:, [0, 1]], or project all of them: projection(X, pca=pca)",
            )
        )
    fits = _fits(pca, width)
    shown = rows if scale is None else rows.scaled(scale)
    panel = rows_panel(
        shown,
        tuple(range(width)),
        names=tuple(shortened(name, 40) for name in features_of(rows)),
        title="" if scale is None else scale_text(float(scale)),
        levels=levels,
        kind=kind,
        groups=groups,
        palette=palette,
        labels=labels,
        means=means,
    )
    if width == 1 or not fits:
        return panel
    marks: list[Mark] = []
    entries: list[LegendEntry] = []
    drawn: Literal["arrow", "line"] = "arrow" if axes == "arrows" else "line"
    for i, (name, fit) in enumerate(fits):
        # The last one is the one to look at: solid and full.
        last = i == len(fits) - 1
        dash = DASHES[(len(fits) - 1 - i) % len(DASHES)]
        ink = Ink(color=INK, dash=dash, width=1.5 if last else 1.1)
        marks += _components(name if len(fits) > 1 else "", fit, ink, axes, named=last)
        if len(fits) > 1:
            entries.append(LegendEntry(text=f"components, {name}", ink=ink, kind=drawn))
    if len(fits) == 1:
        entries.append(LegendEntry(text="components, length √λ", ink=ink, kind=drawn))
    return with_more(panel, marks, entries)


def _fits(pca: Any, width: int) -> list[tuple[str, UAPCA]]:
    if pca is None:
        return []
    if isinstance(pca, Mapping):
        named = [(literal(str(name)), check_pca(fit)) for name, fit in pca.items()]
    elif isinstance(pca, list | tuple):
        named = [(scale_text(float(fit.scale)), fit) for fit in map(check_pca, pca)]
    else:
        fit = check_pca(pca)
        named = [(scale_text(float(fit.scale)), fit)]
    for _, fit in named:
        if fit.n_features_in_ != width:
            raise ValueError(
                complaint(
                    "pca",
                    f"be fitted on the {width} features that are shown",
                    f"it was fitted on {fit.n_features_in_}",
                    "Fit it on the same columns, uapca.UAPCA().fit(X)",
                )
            )
    return named


def _components(name: str, fit: UAPCA, ink: Ink, axes: str, named: bool) -> list[Mark]:
    """The components as arrows or lines about the mean, and what they are called."""
    marks: list[Mark] = []
    centre = np.asarray(fit.mean_, dtype=np.float64)
    for i, direction in enumerate(fit.components_):
        reach = np.sqrt(max(float(fit.explained_variance_[i]), 0.0)) * direction
        if not reach.any():
            continue
        key = f"{name} PC{i + 1}".strip()
        start = centre if axes == "arrows" else centre - reach
        points = np.array([start, centre + reach])
        marks.append(
            Polyline(
                role="component", key=key, points=points, arrow=axes == "arrows", ink=ink, layer=5
            )
        )
        if named:
            end = centre + reach
            marks.append(
                Label(
                    role="component",
                    key=key,
                    at=(float(end[0]), float(end[1])),
                    text=f"PC{i + 1}",
                    moves=True,
                    layer=6,
                )
            )
    return marks
