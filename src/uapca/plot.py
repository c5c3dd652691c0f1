"""Pictures with matplotlib: ``uapca.plot.<name>(..., ax=None, **style)`` returns the Axes.

Plots that need several panels return the Figure. None of them calls ``show``. Every plot has an
attribute ``scene``: the same call without drawing, which returns what would be drawn as plain data.
"""

from __future__ import annotations

from uapca.views import eigenvalues as _eigenvalues
from uapca.views.mpl.drawn import drawn

__all__ = ["eigenvalues"]

eigenvalues = drawn(_eigenvalues.eigenvalues)
