"""Paper, Fig. "sampling-comparison": how many samples it takes to match the closed form."""

from matplotlib.figure import Figure

from uapca import plot
from uapca.stability import sampling_convergence

__all__ = ["CAPTION", "draw"]

CAPTION = (
    "PCA of samples drawn from ten distributions against the closed form: the median Hellinger "
    "distance of 40 runs, for 2 to 12 features. It falls like n^(−1/2), and at equal n it grows "
    "with the number of features: the more features, the more samples a good result takes."
)


def draw() -> Figure:
    """One panel: distance against the number of samples, a line for each number of features."""
    figure = plot.convergence(sampling_convergence(rng=2019)).get_figure(root=True)
    assert figure is not None
    return figure
