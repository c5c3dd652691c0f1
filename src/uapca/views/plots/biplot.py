"""Projected rows and the features' own axes in one picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from uapca._validation import complaint
from uapca.decomposition import UAPCA
from uapca.views.bounds import bounds
from uapca.views.given import chosen_pair, features_of
from uapca.views.plots.projection import projection, with_more
from uapca.views.rows.colours import Palette
from uapca.views.rows.inputs import check_pca
from uapca.views.rows.marks import Kind
from uapca.views.scene import Floats, Ink, Label, LegendEntry, Mark, Panel, Polyline
from uapca.views.text import literal, number, shortened

__all__ = ["biplot"]

MOST = 12  # features with arrows, where the user does not say how many
REACH = 0.8  # of the longest arrow, as a share of the rows' reach


def biplot(
    Y: Any,
    pca: UAPCA,
    *,
    components: Any = (0, 1),
    top: int | None = None,
    levels: Any = None,
    kind: Kind = "auto",
    groups: Any = None,
    palette: Palette = None,
    labels: bool | None = None,
    means: bool = True,
) -> Panel:
    """Rows as in `projection`, and an arrow for each feature: its axis as the projection sees it.

    The arrows are the projected unit vectors of the features, all lengthened by one factor that
    the legend tells. A row lies far out along an arrow if it is high in that feature.

    Parameters
    ----------
    Y : UncertainArray of shape (N, q), or points
        What ``pca.transform(X)`` returns, or X itself.
    pca : UAPCA
        The fit.
    components : pair of int, default=(0, 1)
    top : int, optional
        Only the features with the longest arrows; by default all, up to 12.
    levels, kind, groups, palette, labels, means
        As in `projection`.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.datasets.load_students()
    >>> panel = uapca.plot.biplot.scene(X, uapca.UAPCA(2).fit(X))
    >>> [mark.text for mark in panel.of(role="feature") if hasattr(mark, "text")]
    ['M1', 'M2', 'P1', 'P2']
    """
    fit = check_pca(pca)
    chosen = chosen_pair(components, fit.n_components_)
    panel = projection(
        Y,
        components=chosen,
        levels=levels,
        kind=kind,
        groups=groups,
        palette=palette,
        labels=labels,
        means=means,
        pca=fit,
    )
    axes = fit.components_[list(chosen)].T
    lengths = np.hypot(*axes.T)
    shown = _longest(lengths, top)
    box = bounds(panel.marks)
    factor = REACH * float(np.abs(box).max()) / max(float(lengths.max()), 1e-300) or 1.0
    marks: list[Mark] = []
    names = features_of(fit)
    for j in shown:
        marks += _arrow(literal(names[j]), factor * axes[j])
    text = f"features × {number(factor)}"
    if len(shown) < len(axes):
        text += f", the {len(shown)} longest of {len(axes)}"
    entry = LegendEntry(text=text, ink=Ink(), kind="arrow")
    return with_more(panel, marks, [entry])


def _longest(lengths: Floats, top: int | None) -> list[int]:
    if top is not None and (not isinstance(top, int | np.integer) or top < 1):
        raise ValueError(
            complaint("top", "be a positive integer", f"got {top!r}", "Leave it out for all")
        )
    count = MOST if top is None else int(top)
    order = np.argsort(-lengths, kind="stable")[:count]
    return sorted(int(j) for j in order if lengths[j] > 0)


def _arrow(name: str, end: Floats) -> list[Mark]:
    points = np.array([[0.0, 0.0], end])
    size = float(np.hypot(*end)) or 1.0
    at = (float(end[0]), float(end[1]))
    away = (float(end[0]) / size, float(end[1]) / size)
    ink = Ink(width=0.9)
    return [
        Polyline(role="feature", key=name, points=points, arrow=True, ink=ink, layer=5),
        Label(
            role="feature", key=name, at=at, text=shortened(name), moves=True, offset=away, layer=6
        ),
    ]
