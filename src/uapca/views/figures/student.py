"""Paper, Fig. "student": marks that are numbers, intervals and words."""

from __future__ import annotations

import csv

from uapca.datasets import GRADES, load_students
from uapca.decomposition import UAPCA
from uapca.sensitivity import factor_traces as traces_of
from uapca.views.figures.layout import joined_legend, lettered, same_range
from uapca.views.figures.table import table
from uapca.views.plots.factor_traces import factor_traces
from uapca.views.plots.projection import projection
from uapca.views.scene import Panel, Sheet

__all__ = ["student"]

CAPTION = (
    "Marks of six students in two tests of mathematics (M1, M2) and two of physics (P1, P2). "
    "(a) Regular PCA of the mean marks. (b) Uncertainty-aware PCA: exact densities of the "
    "projected marks; Tom's P1 is unknown, so he may be anywhere along a line, Jane's place "
    "included. (c) Factor traces: P1, the most uncertain mark, approaches the unit circle, so the "
    "picture shows more and more of it. (d) The marks, and what the words mean: T(a, b, c, d) is "
    "a trapezoid from a to d, flat between b and c."
)


def student() -> Sheet:
    """Four panels: PCA of the means, ours, factor traces, the table."""
    X = load_students()
    plain, ours = UAPCA(2, scale=0.0).fit(X), UAPCA(2).fit(X)
    means = projection(plain.transform(X.scaled(0.0)), pca=plain)
    distributions = projection(ours.transform(X), pca=ours)
    traces = factor_traces(traces_of(X))
    assert isinstance(traces, Panel)
    top = lettered(
        same_range([means, distributions]), ["regular PCA, s = 0", "uncertainty-aware PCA, s = 1"]
    )
    return Sheet(
        name="student",
        caption=CAPTION,
        panels=(
            top,
            (traces.with_(title="(c) factor traces", legend=(), height=0.87), _marks_table()),
        ),
        legend=joined_legend([distributions, traces]),
        legend_columns=6,
    )


def _marks_table() -> Panel:
    with load_students(as_table=True).open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    words = [f"{word}  {law}" for word, law in GRADES.items()]
    return table(
        ["", *header[1:]],
        rows,
        notes=words,
        title="(d) the marks",
        widths=(0.7, 1.0, 1.0, 1.05, 1.0),
        height=0.87,
    )
