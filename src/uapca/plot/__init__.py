"""Plots with matplotlib: ``uapca.plot.<name>(pca, X, ax=None)`` returns the Axes.

The fit comes first, the data second. Plots of several panels return the Figure. None of them calls
``show``; `style` chooses the size of figures and type.

===================  =============================================================================
``projection``       projected rows; `draw_projection` for all plots that show rows
``biplot``           projected rows and the features' own axes
``matrix``           all pairs of several components
``compare``          two fits of the same rows, side by side
``distributions``    input distributions of one or two features, with the components
``simulation``       clouds of scores over the draws of `uapca.simulate`
``loadings``         the correlation circle, arrows and their wedges
``contributions``    what features contribute, and `cos2`: how well rows are represented
``components``       the entries of the components with their standard errors
``scree``            explained variance, between and within rows
``component_count``  which components stand out from the errors
``eigenvalues``      eigenvalues against s, with the crossings
``factor_traces``    where the features go as the uncertainty grows
``progression``      traces and projected rows at several scales
``animation``        the progression as a film
``convergence``      how fast PCA of samples nears the closed form
``shepard``          distances in the projection against distances in the data
``metadata``         components against what else is known about the rows
``rows``             rows as ellipses, contours, lines, points, and the density of many
``regions``          the smallest regions of a law: rings in the plane, intervals
``labels``           names told apart, numbers as text, and where labels are placed
``base``             what all share: checked fit and data, styles, `Panel`, legends
===================  =============================================================================
"""

try:
    from uapca.plot.base import style
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "matplotlib":
        raise
    raise ModuleNotFoundError(
        'plots are drawn with matplotlib, which is not installed: pip install "uapca[plot]"',
        name="matplotlib",
    ) from None

from uapca.plot.animation import animation
from uapca.plot.biplot import biplot
from uapca.plot.compare import compare
from uapca.plot.component_count import component_count
from uapca.plot.components import components
from uapca.plot.contributions import contributions, cos2
from uapca.plot.convergence import convergence
from uapca.plot.distributions import distributions
from uapca.plot.eigenvalues import eigenvalues
from uapca.plot.factor_traces import factor_traces
from uapca.plot.loadings import loadings
from uapca.plot.matrix import matrix
from uapca.plot.metadata import metadata
from uapca.plot.progression import progression
from uapca.plot.projection import projection
from uapca.plot.scree import scree
from uapca.plot.shepard import shepard
from uapca.plot.simulation import simulation

__all__ = [
    "animation",
    "biplot",
    "compare",
    "component_count",
    "components",
    "contributions",
    "convergence",
    "cos2",
    "distributions",
    "eigenvalues",
    "factor_traces",
    "loadings",
    "matrix",
    "metadata",
    "progression",
    "projection",
    "scree",
    "shepard",
    "simulation",
    "style",
]
