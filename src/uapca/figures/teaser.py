"""Paper, Fig. "teaser": what uncertainty does to the first component."""

from typing import Any

from matplotlib.figure import Figure

from uapca import plot
from uapca.datasets import make_teaser
from uapca.decomposition import UAPCA
from uapca.plot.base import grid, joint_legend

__all__ = ["CAPTION", "SCALES", "draw"]

SCALES = (0.0, 0.5, 0.8, 1.0)
COLORS = {"red": "#D55E00", "green": "#009E73", "blue": "#0072B2", "orange": "#E69F00"}
CAPTION = (
    "What uncertainty does to the first component. Top: four distributions at rising uncertainty "
    "s, and the principal components, of length √λ. Bottom: their projections on the first one. "
    "With little uncertainty (a, b) red and green lie outermost and blue and orange between them; "
    "with more (c, d) the first component turns and they change places."
)


def draw() -> Figure:
    """Four columns, s = 0, 0.5, 0.8 and 1; the data above, its projection on PC1 below."""
    X = make_teaser()
    style: dict[str, Any] = {"levels": 0.68, "palette": COLORS, "labels": False, "legend": False}
    shared: dict[str, Any] = {"sharex": "row", "sharey": "row", "height_ratios": (1.5, 0.7)}
    with grid(2, 4, ratio=1.15, **shared) as (figure, axes):
        for letter, s, above, below in zip("abcd", SCALES, *axes, strict=True):
            scaled = X.scaled(s)
            pca = UAPCA(2).fit(scaled)
            title = f"({letter}) regular PCA, s = 0" if s == 0 else f"({letter}) s = {s:g}"
            plot.distributions(pca, scaled, ax=above, title=title, **style)
            plot.projection(pca, scaled, components=0, stacked=False, ax=below, title="", **style)
            below.set(xlabel="PC1", ylabel="density" if s == 0 else "")
            if s > 0:
                above.set_ylabel("")
        joint_legend(figure, axes[0])
    return figure
