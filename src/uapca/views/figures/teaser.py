"""Paper, Fig. "teaser": what uncertainty does to the first component."""

from __future__ import annotations

from types import MappingProxyType

from uapca.datasets import make_teaser
from uapca.decomposition import UAPCA
from uapca.views.figures.layout import bare, joined_legend, lettered, one_y, same_range
from uapca.views.plots.distributions import distributions
from uapca.views.plots.projection import projection
from uapca.views.scene import Axis, Sheet

__all__ = ["SCALES", "teaser"]

SCALES = (0.0, 0.5, 0.8, 1.0)
COLOURS = MappingProxyType(
    {"red": "#D55E00", "green": "#009E73", "blue": "#0072B2", "orange": "#E69F00"}
)
CAPTION = (
    "What uncertainty does to the first component. Top: four distributions at rising uncertainty "
    "s, and the principal components, of length √λ. Bottom: their projections on the first one. "
    "With little uncertainty (a, b) red and green lie outermost and blue and orange between them; "
    "with more (c, d) the first component turns and they change places."
)


def teaser() -> Sheet:
    """Four columns, s = 0, 0.5, 0.8 and 1; the data above, its projection on PC1 below."""
    X = make_teaser()
    above, below = [], []
    for s in SCALES:
        scaled = X.scaled(s)
        pca = UAPCA(2).fit(scaled)
        above.append(distributions(scaled, pca, levels=0.68, palette=COLOURS, labels=False))
        below.append(
            projection(
                pca.transform(scaled),
                components=0,
                levels=0.68,
                palette=COLOURS,
                labels=False,
                stacked=False,
            )
        )
    titles = ["regular PCA, s = 0", *(f"s = {s:g}" for s in SCALES[1:])]
    top = one_y(lettered(same_range(above, square=True), titles))
    bottom = tuple(
        bare(panel).with_(
            title="", x=Axis(label="PC1", limits=panel.x.limits), y=Axis(keep_ticks=False)
        )
        for panel in same_range(below)
    )
    return Sheet(
        name="teaser",
        caption=CAPTION,
        panels=(top, bottom),
        legend=joined_legend(above),
        row_heights=(1.22, 0.62),
        legend_columns=6,
    )
