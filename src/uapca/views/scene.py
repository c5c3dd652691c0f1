"""The plain description of a picture: frozen records of numbers and strings.

A view returns a `Panel` (one pair of axes) or a `Sheet` (a grid of panels with a caption). Nothing
here knows how it is drawn; lengths are in data units, line widths and sizes are multiples of the
reader's own settings.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Area",
    "Axis",
    "Bars",
    "ColorBar",
    "Ellipse",
    "ErrorBars",
    "Ink",
    "Label",
    "LegendEntry",
    "Mark",
    "Markers",
    "Panel",
    "Polyline",
    "Rule",
    "Sheet",
    "plain",
]

Floats: TypeAlias = NDArray[np.float64]
Dash: TypeAlias = Literal["solid", "dashed", "dotted", "dashdot"]
Shape: TypeAlias = Literal["circle", "square", "diamond", "triangle", "cross", "plus", "down"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ink:
    """How a mark looks.

    Attributes
    ----------
    color : str or None
        Of lines and text, as ``#rrggbb``; None is the reader's own text colour.
    fill : str or None
        Of areas and markers; None leaves them empty.
    opacity, fill_opacity : float
    width : float
        Line width as a multiple of the reader's own.
    dash : {"solid", "dashed", "dotted", "dashdot"}
    """

    color: str | None = None
    fill: str | None = None
    opacity: float = 1.0
    fill_opacity: float = 1.0
    width: float = 1.0
    dash: Dash = "solid"


def points_of(values: ArrayLike) -> Floats:
    """The points of a mark, (M, 2), read-only."""
    points = np.array(values, dtype=np.float64).reshape(-1, 2)
    points.flags.writeable = False
    return points


def numbers_of(values: ArrayLike) -> Floats:
    """The numbers of a mark, one-dimensional, read-only."""
    numbers = np.array(values, dtype=np.float64).reshape(-1)
    numbers.flags.writeable = False
    return numbers


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mark:
    """Something drawn.

    Attributes
    ----------
    role : str
        What it is: ``"row"``, ``"component"``, ``"trace"``, ``"twin"``, ``"crossing"`` …
    key : str
        Whose it is: the name of a row, feature or component.
    ink : Ink
    guide : bool
        A help for reading (unit circle, zero line) rather than data; style given by the user
        leaves guides alone.
    layer : int
        Higher ones are drawn over lower ones.
    """

    role: str
    key: str = ""
    ink: Ink = field(default_factory=Ink)
    guide: bool = False
    layer: int = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ellipse(Mark):
    """An ellipse: `center`, half axes `radii` along `angle` (degrees) and across, mass `level`."""

    center: tuple[float, float]
    radii: tuple[float, float]
    angle: float = 0.0
    level: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Area(Mark):
    """Closed rings, filled by the non-zero rule, that together enclose the mass `level`.

    Rings that go round the same way add up where they overlap; a hole goes round the other way.
    """

    rings: tuple[Floats, ...]
    level: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "rings", tuple(points_of(ring) for ring in self.rings))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Polyline(Mark):
    """Points joined by lines, with an arrowhead at the end if asked.

    `arrow_size` is a multiple of the usual head;
    `widths` (M,) makes the line's width vary (multiples of the ink's), `values` (M,) its colour by
    the panel's colour bar.
    """

    points: Floats
    arrow: bool = False
    arrow_size: float = 1.0
    widths: Floats | None = None
    values: Floats | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", points_of(self.points))
        for name in ("widths", "values"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, numbers_of(getattr(self, name)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Markers(Mark):
    """One shape at many points; `size` is a multiple of the reader's marker size."""

    points: Floats
    shape: Shape = "circle"
    size: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", points_of(self.points))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bars(Mark):
    """Bars at positions from `base` to `ends`; `hatch` tells fills apart in grey."""

    positions: Floats
    ends: Floats
    base: Floats
    breadth: float = 0.8
    horizontal: bool = False
    hatch: str = ""

    def __post_init__(self) -> None:
        for name in ("positions", "ends", "base"):
            object.__setattr__(self, name, numbers_of(getattr(self, name)))
        if len(self.base) == 1:
            object.__setattr__(self, "base", numbers_of(np.repeat(self.base, len(self.ends))))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ErrorBars(Mark):
    """Bars from `low` to `high` at points, along y or, if `horizontal`, along x."""

    points: Floats
    low: Floats
    high: Floats
    horizontal: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", points_of(self.points))
        object.__setattr__(self, "low", numbers_of(self.low))
        object.__setattr__(self, "high", numbers_of(self.high))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rule(Mark):
    """A straight line across the panel at `at` on the axis `axis`."""

    at: float
    axis: Literal["x", "y"] = "x"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Label(Mark):
    """Text at a point; with `moves` it makes room for other labels, joined to its point by a line.

    With `optional` too it is left out where there is no room; earlier ones go first. `offset` is
    in points of type, `in_axes` takes `at` as a fraction of the axes instead of data.
    """

    at: tuple[float, float]
    text: str
    horizontal: Literal["left", "center", "right"] = "center"
    vertical: Literal["top", "center", "bottom"] = "center"
    offset: tuple[float, float] = (0.0, 0.0)
    size: float = 1.0
    bold: bool = False
    moves: bool = False
    optional: bool = False
    in_axes: bool = False
    rotation: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LegendEntry:
    """One line of the legend: the text and what stands beside it."""

    text: str
    ink: Ink = field(default_factory=Ink)
    kind: Literal["line", "area", "marker", "arrow", "none"] = "line"
    shape: Shape = "circle"
    hatch: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One axis: its label, its range (None: by the data) and its ticks (None: usual ones).

    `keep_ticks` False leaves out numbers where they say nothing.
    """

    label: str = ""
    limits: tuple[float, float] | None = None
    ticks: tuple[tuple[float, str], ...] | None = None
    log: bool = False
    keep_ticks: bool = True
    reversed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ColorBar:
    """What the colour of `Polyline.values` says: a label and the range of the values."""

    label: str
    limits: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Panel:
    """One pair of axes and all that is drawn in them.

    `equal` gives both axes one unit, as a projection needs; `frame` False draws no axes at all;
    `legend_at` is ``"best"``, ``"below"`` or ``"right"`` of the axes; `note` is small text below.
    """

    marks: tuple[Mark, ...]
    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    title: str = ""
    legend: tuple[LegendEntry, ...] = ()
    legend_at: Literal["best", "below", "right"] = "below"
    legend_columns: int = 1
    equal: bool = False
    frame: bool = True
    colorbar: ColorBar | None = None
    height: float = 1.0

    def of(self, kind: type[Mark] | None = None, role: str | None = None) -> tuple[Any, ...]:
        """The marks of one kind, one role, or both."""
        return tuple(
            mark
            for mark in self.marks
            if (kind is None or isinstance(mark, kind)) and (role is None or mark.role == role)
        )

    def with_(self, **changes: Any) -> Panel:
        """The panel with some of its fields changed."""
        return replace(self, **changes)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sheet:
    """Panels in rows and columns (None leaves a place empty), a caption that says what to see.

    `width` is in paper columns (1 is 3.5 inches, 2 is 7.2); `share_legend` draws one legend for
    all panels below them.
    """

    panels: tuple[tuple[Panel | None, ...], ...]
    caption: str = ""
    name: str = ""
    width: float = 2.0
    legend: tuple[LegendEntry, ...] = ()
    legend_columns: int = 4
    column_widths: tuple[float, ...] | None = None
    row_heights: tuple[float, ...] | None = None

    def flat(self) -> tuple[Panel, ...]:
        """All panels, row by row."""
        return tuple(panel for row in self.panels for panel in row if panel is not None)


def plain(record: Any) -> Any:
    """A record as dicts, lists, numbers and strings, ready for JSON; each mark says its kind."""
    if is_dataclass(record) and not isinstance(record, type):
        content = {f.name: plain(getattr(record, f.name)) for f in fields(record)}
        return {"kind": type(record).__name__, **content} if isinstance(record, Mark) else content
    if isinstance(record, np.ndarray):
        return record.tolist()
    if isinstance(record, tuple | list):
        return [plain(item) for item in record]
    return record
