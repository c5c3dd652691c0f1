"""Paper, Fig. "scaling-uncertainty": the same data with its uncertainty scaled by s."""

from __future__ import annotations

from uapca.datasets import make_error_models
from uapca.decomposition import UAPCA
from uapca.views.figures.layout import joined_legend, lettered, one_y, same_range
from uapca.views.plots.distributions import distributions
from uapca.views.scene import Sheet

__all__ = ["SCALES", "scaling"]

SCALES = (0.25, 0.5, 0.75)
CAPTION = (
    "The uncertainty of every row scaled by s. As s falls toward 0 the distributions shrink to "
    "points and the components to those of regular PCA; as it rises they turn toward the "
    "direction in which the rows are uncertain."
)


def scaling() -> Sheet:
    """Three panels: s = 0.25, 0.5 and 0.75, with the components of that s."""
    X = make_error_models().arbitrary
    panels = [
        distributions(X, UAPCA(2, scale=s).fit(X), scale=s, levels=0.68, labels=False)
        for s in SCALES
    ]
    return Sheet(
        name="scaling",
        caption=CAPTION,
        panels=(one_y(lettered(same_range(panels), [f"s = {s:.2f}" for s in SCALES])),),
        legend=joined_legend(panels),
    )
