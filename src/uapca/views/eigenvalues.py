"""Eigenvalues against s on the hyperbolic axis, with the crossings (paper, Fig. "eigenvalues")."""

from __future__ import annotations

from typing import Literal

import numpy as np

from uapca._validation import check_choice
from uapca.sensitivity import FactorTraces
from uapca.views.hyperbolic import scale_axis
from uapca.views.palette import GREY, inks
from uapca.views.scene import Axis, Floats, Ink, Label, LegendEntry, Mark, Panel, Polyline, Rule
from uapca.views.text import number, scale_text

__all__ = ["eigenvalues"]

_LABELS = {
    "share": "share of the variance",
    "normalized": "eigenvalue of K(s) / (1 + s)²",
    "variance": "eigenvalue of K(s)",
}


def eigenvalues(
    traces: FactorTraces,
    *,
    values: Literal["share", "normalized", "variance"] = "share",
    crossings: bool | Literal["shown"] = True,
) -> Panel:
    """Eigenvalues λᵢ of K(s) against s, with dotted lines where two of them come closest.

    Parameters
    ----------
    traces : FactorTraces
        From `uapca.factor_traces`.
    values : {"share", "normalized", "variance"}, default="share"
        λᵢ as a share of the total variance at that s; divided by (1 + s)², which is finite at
        s = ∞ too; or as they are, which leaves out s = ∞.
    crossings : bool or "shown", default=True
        Mark all crossings, none, or those that change what is shown.

    Examples
    --------
    >>> import uapca
    >>> traces = uapca.factor_traces(uapca.datasets.make_crossings())
    >>> panel = uapca.plot.eigenvalues.scene(traces)
    >>> [label.text for label in panel.of(role="crossing") if hasattr(label, "text")]
    ['s = 0.369', 's = 0.538']
    """
    check_choice(values, _LABELS, "values")
    check_choice(crossings, (True, False, "shown"), "crossings")
    u, heights = traces.u, _heights(traces, values)
    seen = np.isfinite(heights).all(axis=1)
    inked = inks(heights.shape[1])
    marks: list[Mark] = [
        Polyline(
            role="eigenvalue",
            key=f"λ{i + 1}",
            points=np.column_stack([u[seen], heights[seen, i]]),
            ink=ink,
        )
        for i, ink in enumerate(inked)
    ]
    if crossings:
        marks += _crossing_marks(traces, only_shown=crossings == "shown")
    return Panel(
        marks=tuple(marks),
        x=scale_axis(),
        y=Axis(label=_LABELS[values]),
        legend=tuple(
            LegendEntry(text=f"λ{_subscript(i + 1)}", ink=ink) for i, ink in enumerate(inked)
        ),
        legend_at="right",
        height=0.72,
    )


def _heights(traces: FactorTraces, values: str) -> Floats:
    normalized = traces.normalized_eigenvalues
    if values == "variance":
        return traces.eigenvalues
    if values == "normalized":
        return normalized
    total = normalized.sum(axis=1, keepdims=True)
    return normalized / np.where(total > 0, total, 1.0)


def _crossing_marks(traces: FactorTraces, only_shown: bool) -> list[Mark]:
    marks: list[Mark] = []
    for crossing in traces.crossings:
        if only_shown and not crossing.touches:
            continue
        key = f"λ{crossing.pair[0] + 1}, λ{crossing.pair[1] + 1}"
        ink = Ink(color=GREY, dash="dotted" if crossing.kind == "avoided" else "solid", width=0.9)
        marks.append(Rule(role="crossing", key=key, at=crossing.u, ink=ink, guide=True, layer=1))
        marks.append(
            Label(
                role="crossing",
                key=key,
                at=(crossing.u, 1.0),
                text=scale_text(crossing.scale),
                rotation=90.0,
                in_axes=True,
                horizontal="right",
                vertical="top",
                offset=(-1.5, -3.0),
                size=0.85,
                ink=Ink(color=GREY),
                guide=True,
            )
        )
    return marks


def _subscript(index: int) -> str:
    return number(index).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
