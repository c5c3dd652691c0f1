"""Paper, Fig. "distribution-types": no errors, the same error everywhere, errors of any shape."""

from __future__ import annotations

from uapca.datasets import make_error_models
from uapca.decomposition import UAPCA
from uapca.views.figures.layout import joined_legend, lettered, one_y, same_range
from uapca.views.plots.distributions import distributions
from uapca.views.scene import Sheet

__all__ = ["distribution_types"]

CAPTION = (
    "Three error models on the same means. (a) Without uncertainty this is regular PCA. (b) The "
    "same error in all directions makes the components longer and leaves their directions as they "
    "are. (c) Covariances of any shape can turn them: the first component is now almost upright."
)


def distribution_types() -> Sheet:
    """Three panels: certain points, isotropic errors, arbitrary covariances."""
    panels = [
        distributions(X, UAPCA(2).fit(X), levels=0.68, labels=False) for X in make_error_models()
    ]
    titles = ("no uncertainty", "isotropic errors", "any covariances")
    return Sheet(
        name="distribution-types",
        caption=CAPTION,
        panels=(one_y(lettered(same_range(panels), titles)),),
        legend=joined_legend(panels),
    )
