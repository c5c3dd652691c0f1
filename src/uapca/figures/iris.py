"""Paper, Fig. "iris": one distribution for each species beside all the flowers."""

from matplotlib.figure import Figure
from sklearn.datasets import load_iris

from uapca import plot
from uapca.datasets import load_iris_groups
from uapca.decomposition import UAPCA
from uapca.plot.base import grid, joint_legend

__all__ = ["CAPTION", "draw"]

CAPTION = (
    "Iris. (a) Uncertainty-aware PCA of three distributions, one for each species. (b) PCA of all "
    "150 flowers, colored by species. Both show the same plane: by the law of total variance the "
    "distributions have the flowers' covariance exactly."
)


def draw() -> Figure:
    """Two panels: ours on three distributions, PCA on 150 points."""
    groups, data = load_iris_groups(), load_iris()
    species = [str(data.target_names[i]) for i in data.target]
    ours, points = UAPCA(2).fit(groups), UAPCA(2).fit(data.data)
    with grid(1, 2, ratio=0.6, sharex=True, sharey=True) as (figure, axes):
        left, right = axes[0]
        title = "(a) PCA of distributions, s = 1"
        plot.projection(ours, groups, ax=left, title=title, legend=False)
        title = "(b) PCA of all points"
        plot.projection(points, data.data, groups=species, ax=right, title=title, legend=False)
        joint_legend(figure, (right, left))
    return figure
