"""Rows of one coordinate: their densities on one axis, stacked or over each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from uapca.laws import DegenerateLawError, Law, Normal
from uapca.uncertain import UncertainArray
from uapca.views.legends import legend_columns
from uapca.views.palette import GREY, LIGHT
from uapca.views.rows.colours import Colouring
from uapca.views.rows.marks import as_if_normal, evenly, is_assumed
from uapca.views.rows.regions import curve, intervals
from uapca.views.scene import (
    Area,
    Axis,
    Floats,
    Ink,
    Label,
    LegendEntry,
    Mark,
    Markers,
    Panel,
    Polyline,
)
from uapca.views.text import percent, shortened

__all__ = ["ridges"]

OVERLAP = 1.35  # of the highest density, in units of the step from row to row
MOST = 40  # more densities than this cannot be told apart, stacked or over each other
UNEVEN = 6.0  # peaks further apart than this are each drawn to their own height


def ridges(
    Y: UncertainArray,
    levels: tuple[float, ...],
    colours: Colouring,
    *,
    label: str,
    title: str = "",
    stacked: bool = True,
    named: bool = True,
) -> Panel:
    """Densities of rows of one coordinate.

    Stacked, each row has a base line and its name at the left; else all share one base line and
    one scale. The filled part under a curve holds the outermost of `levels`. Of more than `MOST`
    rows some are shown, evenly along the axis, and the legend says so.
    """
    order = np.argsort(Y.mean[:, 0], kind="stable")
    chosen = np.sort(evenly(order, MOST, colours.wide))
    part = ""
    if len(chosen) < len(Y):
        part = f"{len(chosen)} of {len(Y):,} rows, evenly along the axis"
        Y, colours = Y[chosen], colours.take(chosen)
    n = len(Y)
    laws = [_law(Y, i) for i in range(n)]
    curves = [_curve(law) for law in laws]
    peaks = np.array([0.0 if c is None else float(c[:, 1].max()) for c in curves])
    top = peaks.max(initial=0.0)
    uneven = stacked and top > UNEVEN * peaks[peaks > 0].min(initial=np.inf)
    # Over each other, inner regions would only be mud.
    shown = levels if stacked else levels[-1:]
    ends = _extent(curves, laws)
    marks: list[Mark] = []
    for i in range(n):
        base = float(n - 1 - i) if stacked else 0.0
        high = (peaks[i] if uneven else top) or 1.0
        unit = (OVERLAP if stacked else 1.0) / high
        layer = 2 + i if stacked else 2
        if stacked:
            guide = Ink(color=LIGHT, width=0.5)
            line = np.column_stack([ends, [base, base]])
            marks.append(Polyline(role="base", points=line, ink=guide, guide=True, layer=1))
        marks += _row(laws[i], curves[i], shown, colours, i, base, unit, layer)
        if named and not stacked:
            marks.append(_name(colours, i, laws[i], curves[i], unit))
    ticks = tuple((float(n - 1 - i), shortened(colours.keys[i], 16)) for i in range(n))
    assumed = {is_assumed(Y.laws[int(i)] if Y.laws else None) for i in np.flatnonzero(peaks)}
    legend = (*colours.entries, *_legend(shown, assumed, uneven))
    if part:
        legend = (*legend, LegendEntry(text=part, kind="none"))
    return Panel(
        marks=tuple(marks),
        x=Axis(label=label),
        y=Axis(ticks=ticks, keep_ticks=named)
        if stacked
        else Axis(label="density", keep_ticks=False),
        title=title,
        legend=legend,
        legend_columns=legend_columns(legend),
        height=round(min(0.35 + 0.09 * n, 1.6), 3) if stacked else 0.6,
    )


def _law(Y: UncertainArray, row: int) -> Law:
    law = Y.law(row)
    return Normal(law.mean, law.cov) if Y.laws is None else law


def _curve(law: Law) -> Floats | None:
    """The density of a row; None for a certain row, and for a law that sits on separate values."""
    if law.support_rank == 0:
        return None
    try:
        return curve(law)
    except DegenerateLawError:
        return None


def _extent(curves: Sequence[Floats | None], laws: Sequence[Law]) -> Floats:
    ends = [law.mean[0] for law in laws]
    ends += [end for c in curves if c is not None for end in (c[0, 0], c[-1, 0])]
    return np.array([min(ends), max(ends)])


def _row(
    law: Law,
    points: Floats | None,
    levels: tuple[float, ...],
    colours: Colouring,
    index: int,
    base: float,
    unit: float,
    layer: int,
) -> list[Mark]:
    key, ink = colours.keys[index], colours.inks[index]
    if points is None:
        at = law.sample(200, rng=0) if law.support_rank else law.mean[None]
        dots = replace(ink, fill_opacity=0.9, width=0.6, dash="solid")
        where = np.column_stack([at[:, 0], np.full(len(at), base)])
        shape = colours.shapes[index]
        return [Markers(role="row", key=key, points=where, ink=dots, shape=shape, layer=layer + 1)]
    x, y = points[:, 0], base + unit * points[:, 1]
    marks: list[Mark] = []
    for i, (level, found) in enumerate(zip(levels, intervals(law, levels), strict=True)):
        shade = replace(ink, width=0.0, fill_opacity=0.18 if i == len(levels) - 1 else 0.35)
        pieces = tuple(_under(x, y, base, low, high) for low, high in found)
        marks.insert(
            0, Area(role="row", key=key, rings=pieces, level=level, ink=shade, layer=layer)
        )
    closed = np.column_stack(
        [np.concatenate([x[:1], x, x[-1:]]), np.concatenate([[base], y, [base]])]
    )
    line = replace(ink, fill=None)
    return [*marks, Polyline(role="density", key=key, points=closed, ink=line, layer=layer)]


def _under(x: Floats, y: Floats, base: float, low: float, high: float) -> Floats:
    """The ring under a curve between two places."""
    low, high = max(low, float(x[0])), min(high, float(x[-1]))
    within = x[(x > low) & (x < high)]
    along = np.concatenate([[low], within, [high]])
    above = np.interp(along, x, y)
    return np.column_stack(
        [np.concatenate([along, [high, low]]), np.concatenate([above, [base, base]])]
    )


def _name(colours: Colouring, index: int, law: Law, points: Floats | None, unit: float) -> Label:
    at = (float(law.mean[0]), 0.0)
    if points is not None:
        top = int(np.argmax(points[:, 1]))
        at = (float(points[top, 0]), float(unit * points[top, 1]))
    return Label(
        role="name",
        key=colours.keys[index],
        at=at,
        text=shortened(colours.keys[index]),
        ink=Ink(color=colours.inks[index].color),
        moves=True,
        layer=40,
    )


def _legend(levels: tuple[float, ...], assumed: set[bool], uneven: bool) -> tuple[LegendEntry, ...]:
    if not assumed:
        return ()
    shares = " and ".join(map(percent, levels))
    text = f"{shares} of each row's probability{as_if_normal(assumed)}"
    if uneven:
        text += " (each density to its own height)"
    ink = Ink(color=GREY, fill=GREY, fill_opacity=0.3, width=0.0)
    return (LegendEntry(text=text, ink=ink, kind="area"),)
