"""Projected rows, each drawn as what its law is (paper, Figs. "student", "iris" and "anuran")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from uapca._validation import check_choice, complaint
from uapca.decomposition import UAPCA
from uapca.uncertain import UncertainArray
from uapca.views.bounds import bounds, height_for
from uapca.views.given import chosen_components
from uapca.views.legends import legend_columns, legend_lines
from uapca.views.palette import GREY
from uapca.views.rows.colours import Colouring, Palette, colouring
from uapca.views.rows.inputs import (
    axis_label,
    check_pca,
    points_of,
    projected,
)
from uapca.views.rows.marks import KINDS, MANY, Kind, checked_levels, row_marks
from uapca.views.rows.names import named
from uapca.views.rows.ridges import ridges
from uapca.views.scene import Axis, Floats, Ink, LegendEntry, Mark, Markers, Panel
from uapca.views.text import scale_text, shortened

__all__ = ["projection", "rows_panel", "with_more"]


def projection(
    Y: Any,
    *,
    components: Any = (0, 1),
    levels: Any = None,
    kind: Kind = "auto",
    groups: Any = None,
    palette: Palette = None,
    labels: bool | None = None,
    means: bool = True,
    points: Any = None,
    points_by: Any = None,
    pca: UAPCA | None = None,
    stacked: bool = True,
) -> Panel:
    """Projected rows: ellipses, density contours, lines or points, by what each row's law is.

    A normal row is an ellipse, any other law the exact contours of its density, a row that is
    certain in one direction a line, a certain row a point. Rows of one coordinate are densities on
    one axis.

    Parameters
    ----------
    Y : UncertainArray of shape (N, q), or points of shape (N, q)
        What ``pca.transform(X)`` returns. With `pca` also X itself.
    components : pair of int, or int, default=(0, 1)
        Which columns to show, counted from 0; one shows densities.
    levels : float or sequence of float, optional
        The probabilities of each row that its regions hold; by default 0.95, and 0.5 for few rows.
    kind : {"auto", "ellipse", "contour", "points"}, default="auto"
        Chosen by the law; ellipses of mean and covariance; exact densities for normals too; or
        means only.
    groups : sequence of N labels, optional
        Colours and shapes by group; without it, by row; of more than 24 rows only the few whose
        spread is over twice the median have colours of their own.
    palette : sequence of colours, or mapping from name or group to colour, optional
        Default: Okabe and Ito's.
    labels : bool, optional
        Whether to write the rows' names; by default those of wide rows and, where there is room,
        of others. Rows without names are called by their positions, counted from 0.
    means : bool, default=True
        Whether to mark the means of uncertain rows.
    points : array-like of shape (P, q), optional
        Points to show under the rows, such as those the rows were made from.
    points_by : sequence of P labels, optional
        The row or group each point belongs to, for its colour.
    pca : UAPCA, optional
        The fit: adds the shares of the variance and s to the picture.
    stacked : bool, default=True
        For one component: each density on a base line of its own, or all on one.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.datasets.load_students()
    >>> pca = uapca.UAPCA(2).fit(X)
    >>> panel = uapca.plot.projection.scene(pca.transform(X), pca=pca)
    >>> panel.x.label, panel.title
    ('PC1 (67.8 %)', 's = 1')
    >>> panel.legend[-1].text
    "50 % and 95 % of each row's probability (density contour)"
    """
    fit = None if pca is None else check_pca(pca)
    rows = projected(Y, fit)
    if rows.shape[1] == 1 and np.array_equal(components, (0, 1)):
        components = 0
    chosen = chosen_components(components, rows.shape[1], "one or two")
    under = None if points is None else points_of(points, rows.shape[1], fit)[:, chosen]
    return rows_panel(
        rows,
        chosen,
        names=tuple(axis_label(rows, i, fit) for i in chosen),
        title="" if fit is None else scale_text(float(fit.scale)),
        levels=levels,
        kind=kind,
        groups=groups,
        palette=palette,
        labels=labels,
        means=means,
        points=under,
        points_by=points_by,
        stacked=stacked,
    )


def rows_panel(
    rows: UncertainArray,
    columns: tuple[int, ...],
    *,
    names: tuple[str, ...],
    title: str,
    levels: Any,
    kind: Kind,
    groups: Any,
    palette: Palette,
    labels: bool | None,
    means: bool,
    points: Floats | None = None,
    points_by: Any = None,
    stacked: bool = True,
) -> Panel:
    """Rows on one or two of their columns."""
    check_choice(kind, KINDS, "kind")
    held = checked_levels(levels, len(rows))
    shown = rows[:, list(columns)]
    spreads = None if kind == "points" else np.sqrt(_variances(shown))
    colours = colouring(rows.names, len(rows), groups, palette, spreads)
    names_shown = named(rows, colours, labels)
    if len(columns) == 1:
        _check_one(kind, points)
        return ridges(
            shown, held, colours, label=names[0], title=title, stacked=stacked, named=names_shown
        )
    made = row_marks(shown, held, colours, kind=kind, labels=labels, means=means)
    dots = [] if points is None else point_marks(points, points_by, colours)
    marks: tuple[Mark, ...] = (*dots, *made.marks, *made.labels)
    legend = (*colours.entries, *made.legend(held, kind))
    if not names_shown and groups is None and rows.names is not None and len(rows) <= MANY:
        legend = (*_row_entries(colours), *legend)
    return Panel(
        marks=marks,
        x=Axis(label=names[0]),
        y=Axis(label=names[1]),
        title=title,
        legend=legend,
        legend_columns=legend_columns(legend),
        equal=True,
        height=height_for(bounds(marks), legend_lines(legend)),
    )


def _check_one(kind: Kind, points: Floats | None) -> None:
    """Densities on one axis are always those of the laws, without points."""
    for name, given in (("points", points is not None), ("kind", kind not in ("auto", "contour"))):
        if given:
            raise ValueError(
                complaint(
                    name,
                    "be left out with one component",
                    "rows of one coordinate are drawn as the densities of their laws",
                    "Choose two components, (0, 1)",
                )
            )


def _variances(rows: UncertainArray) -> Floats:
    """The total variance of each row, (N,)."""
    traces = np.trace(rows.cov.dense(), axis1=1, axis2=2)
    return np.asarray(np.maximum(traces, 0.0), dtype=np.float64)


def with_more(panel: Panel, marks: Sequence[Mark], entries: Sequence[LegendEntry]) -> Panel:
    """The panel with marks over the rows and what they mean, and room for both."""
    everything, legend = (*panel.marks, *marks), (*panel.legend, *entries)
    return panel.with_(
        marks=everything,
        legend=legend,
        legend_columns=legend_columns(legend),
        height=height_for(bounds(everything), legend_lines(legend)),
    )


def _row_entries(colours: Colouring) -> tuple[LegendEntry, ...]:
    return tuple(
        LegendEntry(text=shortened(key), ink=ink, kind="marker", shape=shape)
        for key, ink, shape in zip(colours.keys, colours.inks, colours.shapes, strict=True)
    )


def point_marks(points: Floats, by: Any, colours: Colouring) -> list[Mark]:
    """Small dots under the rows, in the colour of the row or group they belong to."""
    if by is None:
        ink = Ink(color=GREY, fill=GREY, opacity=0.5, width=0.0)
        return [Markers(role="points", points=points, size=0.3, ink=ink, layer=1)]
    table = dict(zip(colours.groups or colours.keys, colours.inks, strict=True))
    labels = np.array([str(label) for label in by])
    if len(labels) != len(points):
        raise ValueError(
            complaint(
                "points_by",
                "have one label for each point",
                f"got {len(labels)} for {len(points)} points",
                "Pass the row or group of every point, or leave points_by out",
            )
        )
    marks: list[Mark] = []
    for label in dict.fromkeys(labels.tolist()):
        ink = table.get(label, Ink(color=GREY, fill=GREY))
        dot = replace(ink, opacity=0.45, fill_opacity=1.0, width=0.0)
        chosen = points[labels == label]
        marks.append(Markers(role="points", key=label, points=chosen, size=0.3, ink=dot, layer=1))
    return marks
