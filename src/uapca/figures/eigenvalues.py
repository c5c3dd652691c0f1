"""Paper, Fig. "eigenvalues": factor traces beside the eigenvalues, without and with crossings."""

from typing import Any

from matplotlib.figure import Figure

from uapca import plot
from uapca.datasets import load_iris_groups, make_crossings
from uapca.plot.base import grid, joint_legend
from uapca.sensitivity import factor_traces

__all__ = ["CAPTION", "draw"]

CAPTION = (
    "Factor traces (left) and eigenvalues (right). Top: Iris by species; the eigenvalues keep "
    "apart and the traces are smooth. Bottom: data made to have two avoided crossings, dotted. At "
    "the first, of λ₁ and λ₂, the two components shown change roles; at the second, of λ₂ and λ₃, "
    "a component leaves the picture. Both show in the traces as sharp turns. This differs from the "
    "paper, whose data are not published: there only the second one shows, as a loop of v."
)


def draw() -> Figure:
    """Four panels: traces and eigenvalues of Iris and of data with two avoided crossings."""
    data = (("ab", "Iris", load_iris_groups()), ("cd", "synthetic", make_crossings()))
    with grid(2, 2, ratio=0.8) as (figure, axes):
        for (letters, name, X), (left, right) in zip(data, axes, strict=True):
            traces = factor_traces(X)
            title = f"({letters[0]}) factor traces ({name})"
            plot.factor_traces(traces, ax=left, title=title, legend=False)
            crossings: Any = "shown" if name == "Iris" else True
            title = f"({letters[1]}) eigenvalues ({name})"
            plot.eigenvalues(traces, crossings=crossings, ax=right, title=title, legend=False)
        joint_legend(figure, axes.ravel())
    return figure
