"""Paper, Fig. "eigenvalues": factor traces beside the eigenvalues, without and with crossings."""

from __future__ import annotations

from uapca.datasets import load_iris_groups, make_crossings
from uapca.sensitivity import factor_traces as traces_of
from uapca.views.figures.layout import joined_legend
from uapca.views.plots.eigenvalues import eigenvalues as eigenvalue_panel
from uapca.views.plots.factor_traces import factor_traces
from uapca.views.scene import LegendEntry, Panel, Sheet

__all__ = ["eigenvalues"]

CAPTION = (
    "Factor traces (left) and eigenvalues (right). Top: Iris by species; the eigenvalues keep "
    "apart and the traces are smooth. Bottom: data made to have two avoided crossings, dotted. At "
    "the first, of λ₁ and λ₂, the two components shown change roles; at the second, of λ₂ and λ₃, "
    "a component leaves the picture, and the traces turn sharply."
)


def eigenvalues() -> Sheet:
    """Four panels: traces and eigenvalues of Iris and of data with two avoided crossings."""
    rows: list[tuple[Panel, ...]] = []
    legend: tuple[LegendEntry, ...] = ()
    for letters, name, X in (
        ("ab", "Iris", load_iris_groups()),
        ("cd", "synthetic", make_crossings()),
    ):
        traces = traces_of(X)
        left = factor_traces(traces)
        assert isinstance(left, Panel)
        right = eigenvalue_panel(traces, crossings="shown" if name == "Iris" else True)
        legend = joined_legend([left, right])
        rows.append(
            (
                left.with_(title=f"({letters[0]}) factor traces ({name})", legend=(), height=0.92),
                right.with_(title=f"({letters[1]}) eigenvalues ({name})", legend=()),
            )
        )
    return Sheet(
        name="eigenvalues", caption=CAPTION, panels=tuple(rows), legend=legend, legend_columns=5
    )
