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


def anuran() -> Sheet:
    """Four panels: points and distributions, by family and by genus."""
    rows = [*_row("ab", "family"), *_row("cd", "genus")]
    return Sheet(name="anuran", caption=CAPTION, panels=(tuple(rows[:2]), tuple(rows[2:])))


def _row(letters: str, level: Literal["family", "genus"]) -> tuple[Panel, ...]:
    """The points and, beside them on the same axes, the distributions."""
    calls, X = fetch_anuran(level, as_points=True), fetch_anuran(level)
    plain, ours = UAPCA(2).fit(calls.points), UAPCA(2).fit(X)
    colours = dict(zip(X.names or (), cycle(OKABE_ITO)))
    panels = [
        projection(plain.transform(calls.points), groups=calls.labels, pca=plain, palette=colours),
        projection(ours.transform(X), pca=ours, palette=colours),
    ]
    titles = [f"({letters[0]}) points by {level}", f"({letters[1]}) distributions by {level}"]
    return tuple(
        panel.with_(title=title) for panel, title in zip(same_range(panels), titles, strict=True)
    )
