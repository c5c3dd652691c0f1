"""Pictures with matplotlib: ``uapca.plot.<name>(..., ax=None, **style)`` returns the Axes.

Plots that need several panels return the Figure. None of them calls ``show``. Every plot has an
attribute ``scene``: the same call without drawing, which returns what would be drawn as plain data.
"""

from __future__ import annotations

from uapca.views import distributions as _distributions
from uapca.views import eigenvalues as _eigenvalues
from uapca.views import projection as _projection
from uapca.views.mpl.drawn import drawn

__all__ = ["distributions", "eigenvalues", "projection"]

distributions = drawn(_distributions.distributions)
eigenvalues = drawn(_eigenvalues.eigenvalues)
projection = drawn(_projection.projection)
