"""Eigenvalues against s on the hyperbolic axis, with the crossings (paper, Fig. "eigenvalues")."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from uapca._validation import check_choice, complaint
from uapca.sensitivity import Crossing, FactorTraces, WeightCrossing, WeightTraces
from uapca.views.given import traces_given
from uapca.views.hyperbolic import scale_axis
from uapca.views.palette import GREY, LIGHT, TEXT_GREY, inks, text_color
from uapca.views.placing import spread
from uapca.views.scene import (
    Axis,
    Dash,
    Floats,
    Ink,
    Label,
    LegendEntry,
    Mark,
    Panel,
    Polyline,
    Rule,
)
from uapca.views.text import number, scale_text, subscript

__all__ = ["eigenvalues"]

_LABELS = {
    "share": "share of the variance",
    "normalized": "eigenvalue of K(s) / (1 + s)²",
    "variance": "eigenvalue of K(s)",
}
# More curves than this are not told apart; the others go on in grey.
CROWDED = 8
# And crossings of more than this are only looked for where the reader says so.
SOUGHT = 50
# The height of a label as a share of the panel's, at one paper column.
LINE = 0.06
# How a crossing is drawn, and what the legend says of it.
_KINDS: dict[str, tuple[Dash, str]] = {
    "avoided": ("dotted", "two eigenvalues come closest (avoided crossing)"),
    "true": ("solid", "two eigenvalues change places (true crossing)"),
}
# The width of what is written above a crossing, as a share of the panel's; and how many have room.
WORD, NAMED = 0.165, 6


def eigenvalues(
    traces: FactorTraces | WeightTraces | Any,
    *,
    values: Literal["share", "normalized", "variance"] = "share",
    crossings: bool | Literal["shown"] | None = None,
) -> Panel:
    """Eigenvalues λᵢ of K(s) against s, with dotted lines where two of them come closest.

    Above each line stands which two and at which s. A solid line is a true crossing: the two
    change places. Of many crossings the closest are called by name.

    Parameters
    ----------
    traces : FactorTraces, WeightTraces, UncertainArray or fitted UAPCA
        From `uapca.factor_traces`, or what it takes. With weight traces the axis is the weight.
    values : {"share", "normalized", "variance"}, default="share"
        λᵢ as a share of the total variance at that s; divided by (1 + s)², which is finite at
        s = ∞ too; or as they are, which leaves out s = ∞.
    crossings : bool or "shown", optional
        Mark all crossings, none, or those that change what is shown. With more than eight
        eigenvalues True marks those of the curves in colour. By default True, but False with more
        than 50 eigenvalues, where looking for crossings takes long; the legend then says so.

    Examples
    --------
    >>> import uapca
    >>> traces = uapca.factor_traces(uapca.datasets.make_crossings())
    >>> panel = uapca.plot.eigenvalues.scene(traces)
    >>> [label.text for label in panel.of(role="crossing") if hasattr(label, "text")]
    ['s = 0.369', 's = 0.538']
    """
    check_choice(values, _LABELS, "values")
    check_choice(crossings, (None, True, False, "shown"), "crossings")
    followed = traces_given(traces)
    u, heights = followed.u, _heights(followed, values)
    seen = np.isfinite(heights).all(axis=1)
    if not seen.any():
        raise ValueError(
            complaint(
                "values",
                "be finite somewhere on the grid",
                "got 'variance', and the only scale is infinite",
                "Use values='share'",
            )
        )
    count = heights.shape[1]
    inked = inks(count)
    coloured = count if count <= CROWDED else CROWDED - 2
    inked = (*inked[:coloured], *(Ink(color=LIGHT, width=0.7) for _ in range(count - coloured)))
    marks: list[Mark] = [
        Polyline(
            role="eigenvalue",
            key=f"λ{i + 1}",
            points=np.column_stack([u[seen], heights[seen, i]]),
            ink=replace(ink, fill=None),
            layer=2 if i >= coloured else 3,
        )
        for i, ink in enumerate(inked)
    ]
    top = 1.06 * float(heights[seen].max()) or 1.0
    end = (float(u[seen][-1]), heights[seen][-1])
    marks += _names(end, inked, coloured, top)
    if crossings or (crossings is None and count <= SOUGHT):
        marks += _crossing_marks(followed, crossings == "shown", coloured)
    legend = _legend([mark for mark in marks if isinstance(mark, Rule)])
    if crossings is None and count > SOUGHT:
        legend = (LegendEntry(text="crossings are not marked", kind="none"),)
    return Panel(
        marks=tuple(marks),
        x=_axis(followed),
        y=Axis(label=_LABELS[values], limits=(0.0, top)),
        legend=legend,
        height=0.72 + 0.045 * len(legend),
    )


def _axis(traces: FactorTraces | WeightTraces) -> Axis:
    if isinstance(traces, FactorTraces):
        return scale_axis()
    who = "the row" if len(traces.rows) == 1 else f"{len(traces.rows)} rows"
    return Axis(label=f"weight of {who}", limits=(0.0, 1.0))


def _names(
    end: tuple[float, Floats], inked: tuple[Ink, ...], coloured: int, top: float
) -> list[Mark]:
    """λ₁, λ₂ … where the curves end, one below the other; the grey ones together."""
    u, heights = end
    texts = [f"λ{subscript(i + 1)}" for i in range(coloured)]
    at = [float(height) for height in heights[:coloured]]
    colors = [text_color(ink) for ink in inked[:coloured]]
    if coloured < len(inked):
        texts.append(f"λ{subscript(coloured + 1)} … λ{subscript(len(inked))}")
        at.append(float(heights[coloured:].mean()))
        colors.append(GREY)
    places = spread(np.array(at), LINE * top, (0.0, top))
    return [
        Label(
            role="eigenvalue",
            key=text,
            at=(u, float(place)),
            text=text,
            horizontal="left",
            offset=(3.0, 0.0),
            ink=Ink(color=color),
        )
        for text, place, color in zip(texts, places, colors, strict=True)
    ]


def _heights(traces: FactorTraces | WeightTraces, values: str) -> Floats:
    if isinstance(traces, WeightTraces):
        normalized = traces.eigenvalues
    else:
        normalized = traces.normalized_eigenvalues
    if values == "variance":
        return traces.eigenvalues
    if values == "normalized":
        return normalized
    total = normalized.sum(axis=1, keepdims=True)
    return normalized / np.where(total > 0, total, 1.0)


def _crossing_marks(
    traces: FactorTraces | WeightTraces, only_shown: bool, coloured: int
) -> list[Mark]:
    """A line through each closest approach, and above the panel where it is."""
    met = [
        crossing
        for crossing in traces.crossings
        if crossing.pair[0] < coloured and (crossing.touches or not only_shown)
    ]
    named = sorted(met, key=lambda crossing: crossing.relative_gap)[:NAMED]
    named.sort(key=lambda crossing: crossing.u)
    marks: list[Mark] = []
    for crossing in met:
        ink = Ink(color=GREY, dash=_KINDS[crossing.kind][0], width=0.9)
        key = _pair(crossing)
        marks.append(Rule(role="crossing", key=key, at=crossing.u, ink=ink, guide=True, layer=1))
    places = spread(np.array([crossing.u for crossing in named]), WORD, (0.5 * WORD, 1.0))
    for crossing, place in zip(named, places, strict=True):
        first, second = crossing.pair
        pair = f"λ{subscript(first + 1)}, λ{subscript(second + 1)}"
        for role, text, above in (("crossing", _where(crossing), 2.0), ("pair", pair, 9.5)):
            marks.append(
                Label(
                    role=role,
                    key=_pair(crossing),
                    at=(float(place), 1.0),
                    text=text,
                    in_axes=True,
                    vertical="bottom",
                    offset=(0.0, above),
                    size=0.85,
                    ink=Ink(color=TEXT_GREY),
                    guide=True,
                )
            )
    return marks


def _legend(rules: list[Rule]) -> tuple[LegendEntry, ...]:
    """What the lines at crossings mean."""
    dashes = {rule.ink.dash for rule in rules}
    return tuple(
        LegendEntry(text=text, ink=Ink(color=GREY, dash=dash, width=0.9))
        for dash, text in _KINDS.values()
        if dash in dashes
    )


def _pair(crossing: Crossing | WeightCrossing) -> str:
    return f"λ{crossing.pair[0] + 1}, λ{crossing.pair[1] + 1}"


def _where(crossing: Crossing | WeightCrossing) -> str:
    if isinstance(crossing, Crossing):
        return scale_text(crossing.scale)
    return number(crossing.weight)
