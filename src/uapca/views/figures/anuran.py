"""Paper, Fig. "anuran": 7195 calls of frogs as four or eight distributions."""

from __future__ import annotations

from itertools import cycle
from typing import Literal

from uapca.datasets import fetch_anuran
from uapca.decomposition import UAPCA
from uapca.views.figures.layout import same_range
from uapca.views.palette import OKABE_ITO
from uapca.views.plots.projection import projection
from uapca.views.scene import Panel, Sheet

__all__ = ["anuran"]

CAPTION = (
    "Calls of frogs, 7195 points of 22 features. (a, c) PCA of all points, coloured by family and "
    "by genus. (b, d) Uncertainty-aware PCA of four families or eight genera, weighted by the "
    "number of calls. The plane is the same each time, whatever the label and however uneven the "
    "groups; (d) follows the points well although not all genera are normal."
)
LEVELS: tuple[Literal["family", "genus"], ...] = ("family", "genus")


def anuran() -> Sheet:
    """Four panels: points and distributions, by family and by genus."""
    titles = [f"{what} by {level}" for level in LEVELS for what in ("points", "distributions")]
    panels = same_range([panel for level in LEVELS for panel in _pair(level)])
    named = [
        panel.with_(title=f"({letter}) {title}")
        for letter, panel, title in zip("abcd", panels, titles, strict=True)
    ]
    return Sheet(
        name="anuran",
        caption=CAPTION,
        panels=(tuple(named[:2]), tuple(named[2:])),
        row_heights=(1.1, 1.1),
    )


def _pair(level: Literal["family", "genus"]) -> tuple[Panel, Panel]:
    """The points and the distributions made of them."""
    calls, X = fetch_anuran(level, as_points=True), fetch_anuran(level)
    plain, ours = UAPCA(2).fit(calls.points), UAPCA(2).fit(X)
    colours = dict(zip(X.names or (), cycle(OKABE_ITO)))
    return (
        projection(plain.transform(calls.points), groups=calls.labels, pca=plain, palette=colours),
        projection(ours.transform(X), pca=ours, palette=colours, levels=0.95),
    )
