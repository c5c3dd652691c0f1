"""Paper, Fig. "anuran": 7195 calls of frogs as four or eight distributions."""

from itertools import cycle
from typing import Any, Literal

from matplotlib.figure import Figure

from uapca import plot
from uapca._looks import OKABE_ITO
from uapca.datasets import fetch_anuran
from uapca.decomposition import UAPCA
from uapca.plot.base import grid

__all__ = ["CAPTION", "draw"]

CAPTION = (
    "Calls of frogs, 7195 points of 22 features. (a, c) PCA of all points, colored by family and "
    "by genus. (b, d) Uncertainty-aware PCA of four families or eight genera, weighted by the "
    "number of calls. The plane is the same each time, whatever the label and however uneven the "
    "groups; (d) follows the points well although not all genera are normal."
)
BY: tuple[Literal["family", "genus"], ...] = ("family", "genus")


def draw() -> Figure:
    """Four panels: points and distributions, by family and by genus."""
    with grid(2, 2, ratio=1.0, sharex=True, sharey=True) as (figure, axes):
        for by, letters, (left, right) in zip(BY, ("ab", "cd"), axes, strict=True):
            calls, X = fetch_anuran(by, as_points=True), fetch_anuran(by)
            colors = dict(zip(X.names or (), cycle(OKABE_ITO)))
            regular, ours = UAPCA(2).fit(calls.points), UAPCA(2).fit(X)
            style: dict[str, Any] = {"palette": colors}
            title = f"({letters[0]}) points by {by}"
            plot.projection(
                regular, calls.points, groups=calls.labels, ax=left, title=title, **style
            )
            title = f"({letters[1]}) distributions by {by}"
            plot.projection(ours, X, levels=0.95, ax=right, title=title, **style)
            for ax in (left, right):
                ax.label_outer()
    return figure
