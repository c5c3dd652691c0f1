"""Paper, Fig. "student": marks that are numbers, intervals and words."""

import csv
import re
from typing import Any

from matplotlib.figure import Figure

from uapca import plot
from uapca.datasets import GRADES, load_students
from uapca.decomposition import UAPCA
from uapca.plot.base import grid, joint_legend

__all__ = ["CAPTION", "draw"]

CAPTION = (
    "Marks of six students in two tests of mathematics (M1, M2) and two of physics (P1, P2). "
    "(a) Regular PCA of the mean marks. (b) Uncertainty-aware PCA: densities of the projected "
    "marks; Tom's P1 is unknown, so he may be anywhere along a line. His 95 % region holds 41 % of "
    "Jane's probability, though not her mean, at which his density is 0. (c) Factor traces: P1, "
    "the most uncertain mark, approaches the unit circle, so the picture shows more and more of "
    "it. (d) The marks, and what the words mean: T(a, b, c, d) is a trapezoid from a to d, flat "
    "between b and c."
)


def draw() -> Figure:
    """Four panels: PCA of the means, ours, factor traces, the table."""
    X = load_students()
    regular, ours = UAPCA(2, scale=0.0).fit(X), UAPCA(2).fit(X)
    with grid(2, 2, ratio=0.8) as (figure, axes):
        (means, densities), (traces, table) = axes
        means.sharex(densities)
        means.sharey(densities)
        title = "(a) regular PCA, s = 0"
        plot.projection(regular, X.scaled(0.0), ax=means, title=title, legend=False)
        title = "(b) uncertainty-aware PCA, s = 1"
        plot.projection(ours, X, ax=densities, title=title, legend=False)
        plot.factor_traces(ours, ax=traces, title="(c) factor traces", legend=False)
        _draw_table(table)
        joint_legend(figure, axes.ravel())
    return figure


def _draw_table(ax: Any) -> None:
    with load_students(as_table=True).open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    ax.set_title("(d) the marks")
    ax.set_axis_off()
    cells = ax.table(
        [[re.sub(r"(N\(.+)\)", r"\1²)", cell) for cell in row[1:]] for row in rows],
        None,
        "left",
        None,
        [r[0] for r in rows],
        None,
        "left",
        header[1:],
        None,
        "left",
        bbox=(0.12, 0.42, 0.88, 0.55),
        edges="B",
    )
    cells.auto_set_font_size(False)
    cells.set_fontsize(7)
    words = "\n".join(f"{word}  {law}" for word, law in GRADES.items())
    ax.text(0.0, 0.36, words, transform=ax.transAxes, va="top", fontsize=7)
