"""The traces growing beside the projected distributions turning (paper, Fig. "progression")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from uapca.sensitivity import FactorTraces, factor_traces
from uapca.sensitivity.traces import grid_of_scales, shown_count, uncertain
from uapca.uncertain import UncertainArray
from uapca.views.given import check_level, chosen, chosen_pair
from uapca.views.legends import ROOM, legend_columns
from uapca.views.palette import GREY, inks, text_color
from uapca.views.placing import apart
from uapca.views.plots.factor_traces import longest, trace_panel
from uapca.views.rows.colours import colouring
from uapca.views.rows.ellipses import normal_mark, radius_of
from uapca.views.rows.marks import MANY, as_if_normal, evenly, is_assumed, is_normal
from uapca.views.scene import (
    Axis,
    Floats,
    Ink,
    Label,
    LegendEntry,
    Mark,
    Markers,
    Panel,
    Polyline,
    Rule,
    Sheet,
)
from uapca.views.text import percent, scale_text, shortened
from uapca.views.traces.course import Course, course_of, fit_at

__all__ = ["FILM_EM", "Turning", "progression", "turning"]

# More names than this only cover each other.
NAMED = 12
# And more ellipses than this, in panels this small.
MOST = 100
# The height of type in radii of a panel that is a quarter of a page wide.
SMALL_EM = 0.17
# And of one half a page wide, as in a film.
FILM_EM = 0.075


@dataclass(frozen=True, slots=True, eq=False)
class Turning:
    """Everything that stays the same from one scale to the next.

    Attributes
    ----------
    data : UncertainArray
    traces : FactorTraces
    pair : tuple of int
        The two components shown.
    shown : tuple of int
        The features in colour.
    level : float
        The probability inside the ellipses.
    reach : float
        Half the width of the picture of the rows, the same at every scale.
    mirrored : bool
    """

    data: UncertainArray
    traces: FactorTraces
    pair: tuple[int, int]
    shown: tuple[int, ...]
    level: float
    reach: float
    mirrored: bool

    @property
    def normal(self) -> bool:
        """Whether the ellipses are regions of the rows themselves."""
        return self.data.laws is None or all(map(is_normal, self.data.laws))

    @property
    def drawn(self) -> Any:
        """The rows with ellipses: all, or of very many some of every size."""
        sizes = np.asarray(self.data.cov.diagonal()).sum(axis=1)
        return np.sort(evenly(np.argsort(-sizes, kind="stable"), MOST))

    def course(self, u: float) -> Course:
        """The traces up to u."""
        return course_of(self.traces, self.pair, until=u)

    def rows(self, course: Course) -> tuple[Floats, Floats]:
        """Means (N, 2) and covariances (N, 2, 2) of the rows in the picture at a course's end."""
        components = np.ascontiguousarray(course.points[-1].T)
        return _projected(self.data, components)


def turning(
    X: Any,
    components: tuple[int, int] = (0, 1),
    level: float = 0.95,
    highlight: Iterable[str | int] | None = None,
    mirrored: bool = True,
) -> Turning:
    """The data and its traces, checked, with room for the rows at every scale."""
    data = uncertain(X)
    check_level(level)
    shown_count(2, data.shape[1])
    pair = chosen_pair(components, data.shape[1])
    traces = factor_traces(data, n_components=max(*pair, 1) + 1)
    whole = course_of(traces, pair)
    shown = longest(whole) if highlight is None else chosen(highlight, traces.features, "highlight")
    return Turning(data, traces, pair, shown, level, _reach(data, whole, level), mirrored)


def progression(
    X: UncertainArray,
    scales: npt.ArrayLike = (0.0, 0.5, 1.0, np.inf),
    *,
    components: tuple[int, int] = (0, 1),
    level: float = 0.95,
    highlight: Iterable[str | int] | None = None,
    mirrored: bool = True,
) -> Sheet:
    """Factor traces up to some scales, above the rows as projected there.

    The rows themselves are the same everywhere: s is how much their uncertainty counts in the
    choice of the components, and the picture turns as it grows.

    Parameters
    ----------
    X : UncertainArray
    scales : array-like of shape (S,), default=(0, 0.5, 1, inf)
        Rising; one column of the figure for each.
    components : tuple of int, default=(0, 1)
    level : float, default=0.95
        The probability inside each ellipse. They are those of the normal with the row's mean and
        covariance, whatever its law; the legend says so where the two differ.
    highlight : iterable of str or int, optional
        Features in colour, as in `factor_traces`.
    mirrored : bool, default=True
        Whether to draw the mirror images of the traces.

    Examples
    --------
    >>> import uapca
    >>> sheet = uapca.plot.progression.scene(uapca.datasets.make_progression())
    >>> [panel.title for panel in sheet.panels[0]]
    ['s = 0', 's = 0.5', 's = 1', 's → ∞']
    """
    grid = grid_of_scales(scales)
    plan = turning(X, components, level, highlight, mirrored)
    courses = [plan.course(1.0 if np.isinf(s) else float(s / (1.0 + s))) for s in grid]
    above = [
        grown(plan, course, em=SMALL_EM).with_(title=scale_text(float(s)))
        for s, course in zip(grid, courses, strict=True)
    ]
    below = [turned(plan, course) for course in courses]
    # What the lower panels say of the axes holds for those above.
    above = [
        panel.with_(
            x=replace(panel.x, label=""), y=replace(panel.y, label=panel.y.label * (k == 0))
        )
        for k, panel in enumerate(above)
    ]
    entries = max((panel.legend for panel in above), key=len)
    legend, columns = _legend(plan, (*entries, level_entry(plan)))
    return Sheet(
        panels=(
            tuple(panel.with_(legend=()) for panel in above),
            tuple(panel.with_(legend=()) for panel in below),
        ),
        name="progression",
        caption=(
            "Factor traces as the uncertainty counts more (above), and the rows projected on the "
            "components at that scale (below)."
        ),
        legend=legend,
        legend_columns=columns,
    )


def _legend(plan: Turning, entries: tuple[LegendEntry, ...]) -> tuple[tuple[LegendEntry, ...], int]:
    """The rows by colour, in lines of their own, above what the marks mean; and how many columns.

    In panels this small, names beside the means would lie on the ellipses.
    """
    names = plan.data.names
    if names is None or len(names) > NAMED:
        return entries, legend_columns(entries, 2 * ROOM)
    colours = inks(len(names), fill_opacity=1.0)
    rows = tuple(
        LegendEntry(text=shortened(name, 14), ink=ink, kind="marker")
        for name, ink in zip(names, colours, strict=True)
    )
    for columns in range(6, 0, -1):
        blank = (LegendEntry(text="", kind="none"),) * (-len(rows) % columns)
        joined = (*rows, *blank, *entries)
        if legend_columns(joined, 2 * ROOM) >= columns:
            break
    return joined, columns


def level_entry(plan: Turning) -> LegendEntry:
    """What an ellipse means, in words."""
    whose = "the normal with each row's moments"
    if plan.normal:
        laws = plan.data.laws
        assumed = {True} if laws is None else set(map(is_assumed, laws))
        whose = f"each row{as_if_normal(assumed)}"
    n = len(plan.data)
    part = f", {len(plan.drawn):,} of {n:,} rows" if n > MOST else ""
    return LegendEntry(
        text=f"{percent(plan.level)} of {whose}{part}",
        kind="area",
        ink=Ink(color=GREY, fill=GREY, fill_opacity=0.14),
    )


def grown(plan: Turning, course: Course, em: float | None) -> Panel:
    """The traces up to a scale, with a line from the centre to where each feature is now."""
    features = plan.traces.features
    colours = inks(len(features))
    now = [
        Polyline(
            role="now",
            key=features[j],
            points=np.stack([np.zeros(2), course.points[-1, j]]),
            ink=replace(colours[j], fill=None, width=0.6, opacity=0.7),
            layer=3,
        )
        for j in plan.shown
    ]
    return trace_panel(
        course,
        features,
        plan.shown,
        mirrored=plan.mirrored,
        pair=plan.pair,
        em=em,
        size=0.8,
        more=now,
    )


def turned(plan: Turning, course: Course, named: bool = False) -> Panel:
    """The rows as they are projected at a course's end, perhaps with names above their means."""
    means, covariances = plan.rows(course)
    names = plan.data.names
    keys = names if names is not None else tuple(str(i) for i in range(len(means)))
    marks: list[Mark] = [
        Rule(
            role="axis", at=0.0, axis=axis, ink=Ink(color="#C8C8C8", width=0.6), guide=True, layer=0
        )
        for axis in ("x", "y")
    ]
    # As in a projection: too many rows are all of one colour.
    many = len(means) > MANY
    opacity, width, size = (0.05, 0.35, 0.25) if many else (0.15, 0.8, 0.5)
    colours = [replace(ink, fill_opacity=opacity) for ink in colouring(None, len(means)).inks]
    for k in plan.drawn.tolist():
        line = replace(colours[k], width=width)
        mark = normal_mark(
            means[k], covariances[k], plan.level, plan.reach, role="row", key=keys[k], ink=line
        )
        marks.append(mark)
        dot = replace(line, fill=line.color, fill_opacity=1.0, dash="solid")
        marks.append(
            Markers(role="mean", key=keys[k], points=means[k : k + 1], size=size, ink=dot, layer=3)
        )
    if named and names is not None and len(names) <= NAMED:
        marks += _names(plan, names, means, colours)
    shares = fit_at(plan.traces, float(course.u[-1])).explained_variance_ratio_
    labels = [
        f"PC{i + 1} ({percent(float(shares[i]))})" if i < len(shares) else f"PC{i + 1}"
        for i in plan.pair
    ]
    limits = (-plan.reach, plan.reach)
    return Panel(
        marks=tuple(marks),
        x=Axis(label=labels[0], limits=limits),
        y=Axis(label=labels[1], limits=limits),
        equal=True,
        height=1.0,
    )


def _names(
    plan: Turning, names: Sequence[str], means: Floats, colours: Sequence[Ink]
) -> list[Mark]:
    """The rows' names just above their means, where the picture moves."""
    texts = [shortened(name, 14) for name in names]
    above = means + np.array([0.0, 0.07 * plan.reach])
    places = apart(above, texts, FILM_EM * plan.reach)
    return [
        Label(
            role="name",
            key=names[k],
            at=(float(places[k, 0]), float(places[k, 1])),
            text=texts[k],
            ink=Ink(color=text_color(ink)),
            layer=6,
        )
        for k, ink in enumerate(colours)
    ]


def _projected(data: UncertainArray, components: Floats) -> tuple[Floats, Floats]:
    """Means about the data's mean and covariances, in two components (2, D)."""
    centre = data.weights @ data.mean
    means = (data.mean - centre) @ components.T
    return np.asarray(means, dtype=np.float64), np.asarray(data.cov.project(components).dense())


def _reach(data: UncertainArray, course: Course, level: float) -> float:
    """Half the width that holds every ellipse at every scale, with a little room."""
    radius, reach = radius_of(level), 0.0
    every = np.linspace(0, len(course.u) - 1, min(len(course.u), 80)).round().astype(int)
    for place in course.points[np.unique(every)]:
        means, covariances = _projected(data, np.ascontiguousarray(place.T))
        deviations = np.sqrt(np.maximum(covariances.diagonal(axis1=1, axis2=2), 0.0))
        reach = max(reach, float((np.abs(means) + radius * deviations).max()))
    return 1.06 * reach if reach > 0 else 1.0
