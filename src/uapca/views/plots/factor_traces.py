"""Where the original axes go as the uncertainty grows (paper, Sec. "Factor Traces")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from uapca._validation import check_choice
from uapca.sensitivity import FactorTraces, WeightTraces
from uapca.views.given import chosen, chosen_pair, traces_given
from uapca.views.palette import GREY, LIGHT, inks
from uapca.views.scene import Axis, Ink, Mark, Panel, Sheet
from uapca.views.text import shortened
from uapca.views.traces.course import Course, course_of
from uapca.views.traces.encoding import ENCODINGS, Encoding, encoding_of
from uapca.views.traces.labels import EM, HALF_HEIGHT, HALF_WIDTH, trace_labels
from uapca.views.traces.legend import trace_legend
from uapca.views.traces.marks import feature_marks, guides

__all__ = ["factor_traces", "longest", "trace_panel"]

# The paper: with more features than this, traces cover each other.
CROWDED = 6


def factor_traces(
    traces: FactorTraces | WeightTraces | Any,
    *,
    components: tuple[int, int] = (0, 1),
    encode: Literal["eigenvalue", "gap", "stability"] | None = None,
    encode_on: Literal["width", "color"] = "width",
    highlight: Iterable[str | int] | None = None,
    mirrored: bool = True,
    multiples: bool = False,
) -> Panel | Sheet:
    """Where the unit vectors of the features lie in the picture, for all s from 0 to ∞.

    The area between the trace and the centre is shaded for 0 ≤ s ≤ 1, from ordinary PCA to the
    data as given; beyond there is only the line, with an arrowhead at s → ∞. The length of a trace
    says how strongly the uncertainty affects the axis, its distance from the centre how much of
    the axis is in the picture. The lighter mirror image is the same trace with other signs.

    Parameters
    ----------
    traces : FactorTraces, WeightTraces, UncertainArray or fitted UAPCA
    components : tuple of int, default=(0, 1)
        Which two of the components followed are shown, from 0.
    encode : {"eigenvalue", "gap", "stability"}, optional
        What else to show along the traces: the share of the variance in the components shown; the
        gap between them and their nearest eigenvalue as a share of their own, which is small
        where components are easily mistaken for each other; or how little the feature moves as s
        changes, 1 / (1 + v) with v in radii over all of u = s / (1 + s).
    encode_on : {"width", "color"}, default="width"
        The thickness of the line says it, or its colour.
    highlight : iterable of str or int, optional
        The features in colour and with a label; the others are thin and grey. By default all, but
        if there are more than six, the six with the longest traces.
    mirrored : bool, default=True
        Whether to draw the mirror images.
    multiples : bool, default=False
        One small panel for each highlighted feature, or for every one if none are named.

    Examples
    --------
    >>> import uapca
    >>> traces = uapca.factor_traces(uapca.datasets.load_students())
    >>> panel = uapca.plot.factor_traces.scene(traces)
    >>> [label.text for label in panel.of(role="feature")]
    ['M1', 'M2', 'P1', 'P2']
    >>> [entry.text for entry in panel.legend]
    ['0 ≤ s ≤ 1', '1 < s → ∞', 's = 0', 's = 1', 'mirror image']
    """
    if encode is not None:
        check_choice(encode, ENCODINGS, "encode")
    check_choice(encode_on, ("width", "color"), "encode_on")
    followed = traces_given(traces, components)
    pair = chosen_pair(components, followed.n_components)
    course = course_of(followed, pair)
    encoding = (
        None if encode is None else encoding_of(encode, encode_on, followed, course, list(pair))
    )
    names = followed.features
    shown = None if highlight is None else chosen(highlight, names, "highlight")
    if multiples:
        return _multiples(course, names, shown, encoding, mirrored, pair)
    if shown is None:
        shown = longest(course)
    return trace_panel(course, names, shown, encoding=encoding, mirrored=mirrored, pair=pair)


def trace_panel(
    course: Course,
    names: tuple[str, ...],
    shown: tuple[int, ...],
    *,
    encoding: Encoding | None = None,
    mirrored: bool = True,
    pair: tuple[int, int] = (0, 1),
    em: float | None = EM,
    size: float = 1.0,
    more: Sequence[Mark] = (),
) -> Panel:
    """The panel of a course, with some features in colour.

    `em` is the height of type in radii, which decides where labels have room (None: no labels);
    `size` is that of markers and heads; `more` is drawn too.
    """
    colours = inks(len(names), fill_opacity=0.2)
    marks: list[Mark] = [*guides(), *more]
    for j, name in enumerate(names):
        on = j in shown
        ink = colours[j] if on else Ink(color=LIGHT, width=0.7)
        own = replace(ink, color=GREY) if encoding and encoding.on == "color" and on else ink
        for twin in (True, False) if mirrored and on else (False,):
            said = encoding if on else None
            marks += feature_marks(course, j, name, own, twin=twin, on=on, encoding=said, size=size)
    if em is not None:
        marks += trace_labels(course, names, shown, colours, marks, em)
    return Panel(
        marks=tuple(marks),
        x=_axis(pair[0], HALF_WIDTH),
        y=_axis(pair[1], HALF_HEIGHT),
        legend=trace_legend(course, shown, mirrored, encoding),
        legend_columns=4,
        equal=True,
        colorbar=None if encoding is None else encoding.colorbar(),
        height=1.0,
    )


def longest(course: Course) -> tuple[int, ...]:
    """All features, or where they are too many the six with the longest traces."""
    lengths = course.lengths()
    if len(lengths) <= CROWDED:
        return tuple(range(len(lengths)))
    order = np.argsort(-lengths.round(9), kind="stable")
    return tuple(sorted(int(j) for j in order[:CROWDED]))


def _axis(component: int, half: float, bare: bool = False) -> Axis:
    return Axis(
        label="" if bare else f"PC{component + 1}",
        limits=(-half, half),
        ticks=((-1.0, "−1"), (0.0, "0"), (1.0, "1")),
        keep_ticks=not bare,
    )


def _multiples(
    course: Course,
    names: tuple[str, ...],
    shown: tuple[int, ...] | None,
    encoding: Encoding | None,
    mirrored: bool,
    pair: tuple[int, int],
) -> Sheet:
    """One panel a feature, the others grey behind it."""
    wanted = tuple(range(len(names))) if shown is None else shown
    panels = []
    for j in wanted:
        panel = trace_panel(
            course, names, (j,), encoding=encoding, mirrored=mirrored, em=None, size=0.6
        )
        panels.append(
            panel.with_(
                title=shortened(names[j], 18),
                x=_axis(pair[0], 1.08, bare=True),
                y=_axis(pair[1], 1.08, bare=True),
                frame=False,
                legend=(),
            )
        )
    columns = min(6, len(panels))
    rows = [panels[k : k + columns] for k in range(0, len(panels), columns)]
    padded = tuple((*row, *[None] * (columns - len(row))) for row in rows)
    return Sheet(
        panels=padded,
        name="factor traces",
        caption="Factor traces, one feature in each panel and the others in grey.",
        legend=trace_legend(course, wanted, mirrored, encoding, others=len(names) > 1),
        legend_columns=6,
        row_heights=tuple(1.18 for _ in rows),
    )
