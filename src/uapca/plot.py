"""Pictures with matplotlib: ``uapca.plot.<name>(..., ax=None, **style)`` returns the Axes.

Plots that need several panels return the Figure. None of them calls ``show``. Every plot has an
attribute ``scene``: the same call without drawing, which returns what would be drawn as plain data.
"""

from __future__ import annotations

from uapca.views.mpl.drawn import drawn
from uapca.views.plots import biplot as _biplot
from uapca.views.plots import components as _components
from uapca.views.plots import contributions as _contributions
from uapca.views.plots import convergence as _convergence
from uapca.views.plots import distributions as _distributions
from uapca.views.plots import eigenvalues as _eigenvalues
from uapca.views.plots import factor_traces as _factor_traces
from uapca.views.plots import loadings as _loadings
from uapca.views.plots import progression as _progression
from uapca.views.plots import projection as _projection
from uapca.views.plots import scree as _scree
from uapca.views.plots import simulation as _simulation
from uapca.views.plots.animation import animate

__all__ = [
    "animate",
    "biplot",
    "components",
    "contributions",
    "convergence",
    "cos2",
    "distributions",
    "eigenvalues",
    "factor_traces",
    "loadings",
    "progression",
    "projection",
    "scree",
    "simulation",
]

biplot = drawn(_biplot.biplot)
components = drawn(_components.components)
contributions = drawn(_contributions.contributions)
convergence = drawn(_convergence.convergence)
cos2 = drawn(_contributions.cos2)
distributions = drawn(_distributions.distributions)
eigenvalues = drawn(_eigenvalues.eigenvalues)
factor_traces = drawn(_factor_traces.factor_traces)
loadings = drawn(_loadings.loadings)
progression = drawn(_progression.progression)
projection = drawn(_projection.projection)
scree = drawn(_scree.scree)
simulation = drawn(_simulation.simulation)
