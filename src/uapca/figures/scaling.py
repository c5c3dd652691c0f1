"""Paper, Fig. "scaling-uncertainty": the same data with its uncertainty scaled by s."""

from matplotlib.figure import Figure

from uapca import plot
from uapca.datasets import make_error_models
from uapca.decomposition import UAPCA
from uapca.plot.base import grid, joint_legend

__all__ = ["CAPTION", "SCALES", "draw"]

SCALES = (0.25, 0.5, 0.75)
CAPTION = (
    "The uncertainty of every row scaled by s. As s falls toward 0 the distributions shrink to "
    "points and the components to those of regular PCA; as it rises they turn toward the "
    "direction in which the rows are uncertain."
)


def draw() -> Figure:
    """Three panels: s = 0.25, 0.5 and 0.75, with the components of that s."""
    X = make_error_models().arbitrary
    with grid(1, 3, ratio=1.4, sharex=True, sharey=True) as (figure, axes):
        for letter, ax, s in zip("abc", axes[0], SCALES, strict=True):
            pca = UAPCA(2, scale=s).fit(X)
            title = f"({letter}) s = {s:.2f}"
            plot.distributions(
                pca, X, scale=s, levels=0.68, labels=False, ax=ax, title=title, legend=False
            )
            ax.label_outer()
        joint_legend(figure, axes[0])
    return figure
