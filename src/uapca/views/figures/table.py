"""A small table as a panel: text in rows and columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from uapca.views.palette import GREY
from uapca.views.scene import Axis, Ink, Label, Mark, Panel, Polyline

__all__ = ["table"]


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    notes: Sequence[str] = (),
    title: str = "",
    widths: Sequence[float] | None = None,
    height: float = 1.0,
) -> Panel:
    """A table with a rule below its header and notes below its rows.

    Parameters
    ----------
    header : sequence of str
    rows : sequence of sequences of str
    notes : sequence of str
        Lines of small text below.
    widths : sequence of float, optional
        Relative widths of the columns.
    """
    sizes = list(widths or [1.0] * len(header))
    total = sum(sizes)
    edges = [sum(sizes[:j]) / total for j in range(len(sizes) + 1)]
    lines = 1 + len(rows) + (0.6 + 0.85 * len(notes) if notes else 0)
    step = 1.0 / lines

    def cell(text: str, left: float, top: float, bold: bool = False, size: float = 0.85) -> Label:
        return Label(
            role="note" if size < 0.85 else "cell",
            key=text,
            at=(left, top),
            text=text,
            horizontal="left",
            size=size,
            bold=bold,
        )

    marks: list[Mark] = []
    for j, text in enumerate(header):
        marks.append(cell(text, edges[j], 1 - step / 2, bold=True))
    for i, row in enumerate(rows):
        for j, text in enumerate(row):
            marks.append(cell(text, edges[j], 1 - (i + 1.5) * step, bold=j == 0))
    rule = Ink(color=GREY, width=0.6)
    marks.append(
        Polyline(role="rule", points=np.array([(0, 1 - step), (1, 1 - step)]), ink=rule, guide=True)
    )
    start = 1 - (1 + len(rows) + 0.6) * step
    for i, text in enumerate(notes):
        marks.append(cell(text, 0.0, start - 0.85 * (i + 0.5) * step, size=0.75))
    return Panel(
        marks=tuple(marks),
        title=title,
        x=Axis(limits=(0.0, 1.0)),
        y=Axis(limits=(0.0, 1.0)),
        frame=False,
        height=height,
    )
