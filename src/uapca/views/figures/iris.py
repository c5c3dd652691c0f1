"""Paper, Fig. "iris": one distribution for each species beside all the flowers."""

from __future__ import annotations

from sklearn.datasets import load_iris

from uapca.datasets import load_iris_groups
from uapca.decomposition import UAPCA
from uapca.views.figures.layout import joined_legend, lettered, same_range
from uapca.views.plots.projection import projection
from uapca.views.scene import Sheet

__all__ = ["iris"]

CAPTION = (
    "Iris. (a) Uncertainty-aware PCA of three distributions, one for each species. (b) PCA of all "
    "150 flowers, coloured by species. Both show the same plane: by the law of total variance the "
    "distributions have the flowers' covariance exactly."
)


def iris() -> Sheet:
    """Two panels: ours on three distributions, PCA on 150 points."""
    groups = load_iris_groups()
    data = load_iris()
    species = [str(data.target_names[i]) for i in data.target]
    ours, points = UAPCA(2).fit(groups), UAPCA(2).fit(data.data)
    panels = [
        projection(ours.transform(groups), pca=ours),
        projection(points.transform(data.data), groups=species, pca=points),
    ]
    titles = ["PCA of distributions, s = 1", "PCA of all points"]
    return Sheet(
        name="iris",
        caption=CAPTION,
        panels=(lettered(same_range(panels), titles),),
        row_heights=(0.51,),
        legend=joined_legend(panels[::-1]),
        legend_columns=5,
    )
