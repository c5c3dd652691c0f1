"""Rows of two coordinates as marks: each drawn as what its law is.

A normal row is an ellipse, any other law with a density the exact contours of that density, a row
that is certain in one direction a line, a certain row a point, and a law without a density (atoms),
or with one that is too thin to be seen, some draws of it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal

import numpy as np

from uapca._validation import as_floats, complaint
from uapca.laws import (
    Affine,
    DegenerateLawError,
    Independent,
    Law,
    Mixture,
    Moments,
    Normal,
)
from uapca.uncertain import UncertainArray
from uapca.views.palette import GREY
from uapca.views.rows.colours import Colouring
from uapca.views.rows.ellipses import FLAT, normal_mark
from uapca.views.rows.names import name_labels, named
from uapca.views.rows.regions import Unresolved, intervals, rings
from uapca.views.scene import (
    Area,
    Floats,
    Ink,
    LegendEntry,
    Mark,
    Markers,
    Polyline,
)
from uapca.views.text import percent

__all__ = [
    "Kind",
    "RowMarks",
    "as_if_normal",
    "checked_levels",
    "evenly",
    "is_assumed",
    "is_normal",
    "row_marks",
]

Kind = Literal["auto", "ellipse", "contour", "points"]
KINDS = ("auto", "ellipse", "contour", "points")
REGIONS = ("ellipse", "contour", "line")  # what a row with a region is drawn as

FEW = 6  # up to so many rows have an inner region by default
MANY = 40  # more rows than this are drawn fine
DRAWS = 200  # dots for a law that has no density
MOST = 500  # of more uncertain rows only so many have regions, which would be one blot otherwise


@dataclass(slots=True)
class RowMarks:
    """The marks of rows, and which kinds of them there are: what the legend has to explain."""

    marks: list[Mark] = field(default_factory=list)
    labels: list[Mark] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)
    assumed: set[bool] = field(default_factory=set)  # whether rows with regions are `is_assumed`
    some: tuple[int, int] | None = None  # how many have regions, of how many that could
    means: bool = False

    def legend(self, levels: Sequence[float], kind: Kind) -> tuple[LegendEntry, ...]:
        """One entry for the regions, and one for every other way in which rows are drawn."""
        entries: list[LegendEntry] = []
        regions = self.kinds & set(REGIONS)
        if regions:
            text = f"{' and '.join(map(percent, levels))} {self._of_what(regions, kind)}"
            ink = _level_ink(Ink(color=GREY, fill=GREY), len(levels) - 1, len(levels))
            entries.append(LegendEntry(text=text, ink=ink, kind="area"))
        if self.some and self.means:
            ink = Ink(color=GREY, fill=GREY, width=0.0)
            entries.append(LegendEntry(text="mean of every row", ink=ink, kind="marker"))
        if "certain" in self.kinds and regions:
            ink = Ink(color=GREY, fill=GREY)
            entries.append(LegendEntry(text="certain row", ink=ink, kind="marker"))
        if "draws" in self.kinds:
            ink = Ink(color=GREY, fill=GREY, width=0.0)
            entries.append(LegendEntry(text="draws of a row", ink=ink, kind="marker"))
        return tuple(entries)

    def _of_what(self, regions: set[str], kind: Kind) -> str:
        """What the share is a share of, and how it is drawn."""
        part = "" if self.some is None else f", {self.some[0]:,} of {self.some[1]:,} rows"
        if kind == "ellipse":
            return f"of the normal with each row's mean and covariance{part}"
        drawn = [name for name in REGIONS if name in regions]
        words = "density contour" if drawn == ["contour"] else ", ".join(drawn)
        return f"of each row's probability{as_if_normal(self.assumed)} ({words}){part}"


def as_if_normal(assumed: Collection[bool]) -> str:
    """What a legend adds where rows are known by no more than their moments: all, or some of them.

    >>> as_if_normal({False}), as_if_normal({True}), as_if_normal({True, False})
    ('', ', if normal', ', some taken as normal')
    """
    if True not in assumed:
        return ""
    return ", some taken as normal" if False in assumed else ", if normal"


def checked_levels(levels: Any, count: int) -> tuple[float, ...]:
    """Levels between 0 and 1, rising, the last the outermost; by default fewer for many rows."""
    if levels is None:
        return (0.5, 0.95) if count <= FEW else (0.95,)
    values = np.unique(np.atleast_1d(as_floats(levels, "levels")))
    if values.ndim != 1 or not len(values) or not ((values > 0) & (values < 1)).all():
        raise ValueError(
            complaint(
                "levels",
                "be probabilities between 0 and 1",
                f"got {levels!r}",
                "Pass 0.95 for 95 % of each row's probability, or several, (0.5, 0.95)",
            )
        )
    return tuple(float(value) for value in values)


def is_assumed(law: Law | None) -> bool:
    """Whether a row, or a part of it, is drawn as a normal as no more than moments is known."""
    if isinstance(law, Affine):
        return is_assumed(law.law)
    if isinstance(law, Mixture):
        return any(map(is_assumed, law.components))
    return law is None or (isinstance(law, Moments) and law.sampler is None)


def is_normal(law: Law) -> bool:
    """Whether a law is a normal, or drawn as one because no more than its moments is known."""
    if isinstance(law, Affine):
        return is_normal(law.law)
    if isinstance(law, Independent):
        return law.normal
    if isinstance(law, Mixture):
        return len(law.components) == 1 and is_normal(law.components[0])
    return isinstance(law, Normal) or is_assumed(law)


def row_marks(
    Y: UncertainArray,
    levels: tuple[float, ...],
    colours: Colouring,
    *,
    kind: Kind = "auto",
    labels: bool | None = None,
    means: bool = True,
) -> RowMarks:
    """The marks of rows in the plane, the widest first so that small ones stay visible.

    Parameters
    ----------
    Y : UncertainArray of shape (N, 2)
    levels : tuple of float
        Rising probabilities.
    colours : Colouring
    kind : {"auto", "ellipse", "contour", "points"}
        By the row's law; of the row's mean and covariance; the exact density throughout; means.
    labels : bool, optional
        Whether to write the rows' names; by default where there is room.
    means : bool
        Whether to mark the means of uncertain rows.
    """
    result = RowMarks(means=means)
    n = len(Y)
    means_at = np.asarray(Y.mean, dtype=np.float64)
    covs = np.zeros((n, 2, 2)) if kind == "points" else Y.cov.dense().astype(np.float64)
    unit = _unit(means_at, covs)
    # One call for all rows: of very many, calls are what takes the time.
    values, vectors = np.linalg.eigh(covs)
    sizes = np.trace(covs, axis1=1, axis2=2)
    order = np.argsort(-sizes, kind="stable")
    sure = sizes <= (FLAT * unit) ** 2 if kind != "points" else np.ones(n, dtype=bool)
    uncertain = order[~sure[order]]
    drawn = evenly(uncertain, MOST, colours.wide)
    if len(drawn) < len(uncertain):
        result.some = (len(drawn), len(uncertain))
    for i in drawn:
        law = None if Y.laws is None else Y.laws[int(i)]
        row = (means_at[i], covs[i], (values[i], vectors[i]))
        made, name = _row(row, law, levels, colours, int(i), kind, unit)
        result.marks += made
        result.kinds.add(name)
        if name in REGIONS:
            result.assumed.add(is_assumed(law))
        sure[i] = name == "certain"
    if kind != "points" and sure.any():
        result.kinds.add("certain")
    result.marks += _dots(means_at, sure, colours, 1.0 * _smaller(n), "row")
    if means:
        result.marks += _dots(means_at, ~sure, colours, 0.55 * _smaller(n), "mean")
    if named(Y, colours, labels):
        result.labels += name_labels(Y, order, colours, result.marks, labels)
    return result


def evenly(order: Any, most: int, always: Collection[int] = ()) -> Any:
    """At most about `most` of some rows, evenly along their order, and those in `always`.

    >>> evenly(np.arange(9), 3).tolist(), evenly(np.arange(9), 3, {1}).tolist()
    ([0, 4, 8], [0, 1, 4, 8])
    """
    if len(order) <= most:
        return order
    places = np.linspace(0, len(order) - 1, most).round().astype(np.intp)
    chosen = np.isin(order, list(always))
    chosen[places] = True
    return order[chosen]


def _unit(means: Floats, covs: Floats) -> float:
    """A length of the picture: the reach of all rows together."""
    spread = np.sqrt(np.maximum(np.trace(covs, axis1=1, axis2=2).max(initial=0.0), 0.0))
    reach = float(np.ptp(means, axis=0).max()) if len(means) else 0.0
    return max(reach, float(spread))


def _smaller(count: int) -> float:
    """The size of markers: many rows have small ones."""
    return float(np.clip(np.sqrt(80 / max(count, 1)), 0.22, 1.0))


def _level_ink(ink: Ink, index: int, count: int) -> Ink:
    """Inner regions are filled more, and only the outermost has a full line."""
    if index == count - 1:
        return replace(ink, fill_opacity=min(ink.fill_opacity, 0.14))
    return replace(ink, fill_opacity=1.6 * min(ink.fill_opacity, 0.14), width=0.5 * ink.width)


@cache
def _level_inks(ink: Ink, count: int, fine: bool) -> tuple[Ink, ...]:
    """One ink for each level, the outermost last."""
    if fine:
        ink = replace(ink, width=0.4, fill_opacity=0.05)
    return tuple(_level_ink(ink, i, count) for i in range(count))


def _row(
    row: tuple[Floats, Floats, tuple[Floats, Floats]],
    law: Law | None,
    levels: tuple[float, ...],
    colours: Colouring,
    index: int,
    kind: Kind,
    unit: float,
) -> tuple[list[Mark], str]:
    mean, cov, spectrum = row
    key, ink = colours.keys[index], colours.inks[index]
    inks = _level_inks(ink, len(levels), len(colours.keys) > MANY and index not in colours.wide)
    outer_first = list(zip(levels, inks, strict=True))[::-1]
    plain = law is None or is_normal(law)
    if kind == "ellipse" or (plain and kind == "auto"):
        marks = [
            normal_mark(mean, cov, level, unit, spectrum, role="row", key=key, ink=shade)
            for level, shade in outer_first
        ]
        if isinstance(marks[0], Markers):
            return [], "certain"
        if isinstance(marks[0], Polyline):
            return [_thick(mark, i) for i, mark in enumerate(marks)], "line"
        return marks, "ellipse"
    law = Normal(mean, cov) if law is None else law
    rank = law.support_rank
    if rank == 0 or np.sqrt(np.trace(cov)) <= 1e-6 * unit:
        return [], "certain"
    try:
        if rank == 1:
            return _along_line(law, levels, inks, key), "line"
        regions = rings(law, levels)
    except (DegenerateLawError, Unresolved):
        points = law.sample(DRAWS, rng=0).astype(np.float64)
        dots = Ink(color=ink.color, fill=ink.color, opacity=0.5, width=0.0)
        return [Markers(role="row", key=key, points=points, size=0.35, ink=dots)], "draws"
    pairs = list(zip(levels, regions, inks, strict=True))[::-1]
    return [
        Area(role="row", key=key, rings=found, level=level, ink=shade)
        for level, found, shade in pairs
    ], "contour"


def _along_line(law: Law, levels: tuple[float, ...], inks: tuple[Ink, ...], key: str) -> list[Mark]:
    line = law.along_line()
    marks: list[Mark] = []
    found = list(zip(intervals(line.law, levels), inks, strict=True))[::-1]
    for i, (parts, ink) in enumerate(found):
        for ends in parts:
            points = (line.origin + np.outer(ends, line.direction)).astype(np.float64)
            marks.append(_thick(Polyline(role="row", key=key, points=points, ink=ink), i))
    return marks


def _thick(mark: Any, index: int) -> Mark:
    """A line for a region: thin for the outermost, thicker further in."""
    ink = replace(mark.ink, width=1.2 + 1.3 * index)
    changed: Mark = replace(mark, ink=ink)
    return changed


def _dots(means: Floats, chosen: Any, colours: Colouring, size: float, role: str) -> list[Mark]:
    """Markers at the means, one mark for all rows of one ink."""
    marks: list[Mark] = []
    groups: dict[tuple[Ink, str], list[int]] = {}
    for i in np.flatnonzero(chosen):
        groups.setdefault((colours.inks[i], colours.shapes[i]), []).append(int(i))
    for (ink, _), rows in groups.items():
        clear = 1.0 if len(means) <= MANY else 0.6
        width = 0.6 if len(means) <= MANY else 0.0
        solid = replace(ink, fill_opacity=0.9, opacity=clear, width=width, dash="solid")
        marks.append(
            Markers(
                role=role,
                key=colours.keys[rows[0]] if len(rows) == 1 else _group(colours, rows[0]),
                points=means[rows],
                shape=colours.shapes[rows[0]],
                size=size,
                ink=solid,
                layer=4,
            )
        )
    return marks


def _group(colours: Colouring, row: int) -> str:
    return colours.groups[row] if colours.groups else ""
