"""The correlation circle: how the features go with the scores."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from uapca.decomposition import UAPCA
from uapca.uncertain import UncertainArray
from uapca.views.given import chosen, chosen_pair, data_or_fit, features_of
from uapca.views.palette import LIGHT, inks
from uapca.views.scene import Axis, Floats, Ink, LegendEntry, Mark, Panel, Polyline
from uapca.views.text import percent, scale_text
from uapca.views.traces.labels import EM, HALF_HEIGHT, HALF_WIDTH, labels_at
from uapca.views.traces.marks import guides

__all__ = ["correlations", "loadings"]

# With more arrows than this labels cover each other.
CROWDED = 12


def loadings(
    X: UncertainArray | UAPCA | Any,
    *,
    components: tuple[int, int] = (0, 1),
    highlight: Iterable[str | int] | None = None,
) -> Panel:
    """The correlation of every feature with two scores, as arrows in the unit circle.

    An arrow that reaches the circle belongs to a feature that the two components explain fully;
    features with arrows in one direction go together. The correlations are those of K(s), with
    the uncertainty counted as in the fit: component × √λ / σ of the feature.

    Parameters
    ----------
    X : UncertainArray or fitted UAPCA
        Data is fitted at s = 1.
    components : tuple of int, default=(0, 1)
        Which two, from 0.
    highlight : iterable of str or int, optional
        The features in colour and with a label; by default all, but if there are more than twelve,
        the twelve with the longest arrows.

    Examples
    --------
    >>> import uapca
    >>> panel = uapca.plot.loadings.scene(uapca.datasets.load_students())
    >>> panel.legend[0].text
    'correlation of feature and score, s = 1'
    """
    pca = data_or_fit(X)
    first, second = chosen_pair(components, pca.n_components_)
    names = features_of(pca)
    ends = correlations(pca)[:, [first, second]]
    shown = _longest(ends) if highlight is None else chosen(highlight, names, "highlight")
    colours = inks(len(names))
    marks: list[Mark] = list(guides())
    for j, (name, end) in enumerate(zip(names, ends, strict=True)):
        marks.append(
            Polyline(
                role="loading" if j in shown else "other",
                key=name,
                points=np.stack([np.zeros(2), end]),
                arrow=bool(np.hypot(*end) > 0.03),
                arrow_size=1.0 if j in shown else 0.7,
                ink=replace(colours[j], fill=None) if j in shown else Ink(color=LIGHT, width=0.7),
                layer=4 if j in shown else 3,
            )
        )
    em = EM if len(shown) <= 8 else 0.85 * EM
    inked = [colours[j] for j in shown]
    marks += labels_at(ends[list(shown)], [names[j] for j in shown], inked, marks, em)
    shares = pca.explained_variance_ratio_
    axes = [
        Axis(
            label=f"PC{i + 1} ({percent(float(shares[i]))})",
            limits=(-half, half),
            ticks=((-1.0, "−1"), (0.0, "0"), (1.0, "1")),
        )
        for i, half in ((first, HALF_WIDTH), (second, HALF_HEIGHT))
    ]
    text = f"correlation of feature and score, {scale_text(float(pca.scale))}"
    legend = [LegendEntry(text=text, kind="arrow")]
    if len(shown) < len(names):
        legend.append(LegendEntry(text="other features", ink=Ink(color=LIGHT, width=0.7)))
    return Panel(
        marks=tuple(marks),
        x=axes[0],
        y=axes[1],
        legend=tuple(legend),
        equal=True,
        height=0.97,
    )


def correlations(pca: UAPCA) -> Floats:
    """Correlations of features and scores under K(s), shape (D, q); 0 for features at rest."""
    return pca.loadings().values


def _longest(ends: Floats) -> tuple[int, ...]:
    order = np.argsort(-np.hypot(*ends.T).round(9), kind="stable")
    return tuple(sorted(int(j) for j in order[:CROWDED]))
