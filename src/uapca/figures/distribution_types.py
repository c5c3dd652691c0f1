"""Paper, Fig. "distribution-types": no errors, the same error everywhere, errors of any shape."""

from matplotlib.figure import Figure

from uapca import plot
from uapca.datasets import make_error_models
from uapca.decomposition import UAPCA
from uapca.plot.base import grid, joint_legend

__all__ = ["CAPTION", "draw"]

CAPTION = (
    "Three error models on the same means. (a) Without uncertainty this is regular PCA. (b) The "
    "same error in all directions makes the components longer and leaves their directions as they "
    "are. (c) Covariances of any shape can turn them: the first component is now almost upright."
)


def draw() -> Figure:
    """Three panels: certain points, isotropic errors, arbitrary covariances."""
    titles = ("(a) no uncertainty", "(b) isotropic errors", "(c) any covariances")
    with grid(1, 3, ratio=1.5, sharex=True, sharey=True) as (figure, axes):
        for ax, X, title in zip(axes[0], make_error_models(), titles, strict=True):
            pca = UAPCA(2).fit(X)
            plot.distributions(pca, X, levels=0.68, labels=False, ax=ax, title=title, legend=False)
            ax.label_outer()
        joint_legend(figure, axes[0])
    return figure
