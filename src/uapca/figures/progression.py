"""Paper, Fig. "progression": a factor trace grows while the projected rows turn."""

from matplotlib.figure import Figure

from uapca import plot
from uapca.datasets import make_progression
from uapca.decomposition import UAPCA

__all__ = ["CAPTION", "draw"]

CAPTION = (
    "Factor traces grow (above) as the uncertainty counts more. The unit vectors u and v rotate "
    "around w, which stays in the center; the projected distributions (below) rotate around the "
    "mean accordingly."
)


def draw() -> Figure:
    """The traces up to each s above the projection at that s."""
    X = make_progression()
    return plot.progression(UAPCA(2).fit(X), X)
