"""Plots with matplotlib: ``uapca.plot.<name>(pca, X, ax=None)`` returns the Axes.

The fit comes first, the data second. Plots of several panels return the Figure. None of them calls
``show``; `style` chooses the size of figures and type.
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
