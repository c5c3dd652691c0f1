"""Paper, Fig. "sampling-comparison": how many samples it takes to match the closed form."""

from __future__ import annotations

from uapca.stability import sampling_convergence
from uapca.views.plots.convergence import convergence
from uapca.views.scene import Sheet

__all__ = ["sampling_comparison"]

CAPTION = (
    "PCA of samples drawn from ten distributions against the closed form: the median Hellinger "
    "distance of 40 runs, for 2 to 12 features. It falls like n^(−1/2), and at equal n it grows "
    "with the number of features: the more features, the more samples a good result takes."
)


def sampling_comparison() -> Sheet:
    """One panel: distance against the number of samples, a line for each number of features."""
    panel = convergence(sampling_convergence(rng=2019))
    return Sheet(name="sampling-comparison", caption=CAPTION, panels=((panel,),), width=1.0)
