"""What shading, lines and markers of factor traces say."""

from __future__ import annotations

from collections.abc import Iterator

from uapca.views.palette import GREY, LIGHT
from uapca.views.scene import Ink, LegendEntry
from uapca.views.text import number
from uapca.views.traces.course import Course
from uapca.views.traces.encoding import Encoding
from uapca.views.traces.marks import MIRRORED, still

__all__ = ["trace_legend"]


def trace_legend(
    course: Course,
    shown: tuple[int, ...],
    mirrored: bool,
    encoding: Encoding | None,
    others: bool | None = None,
) -> tuple[LegendEntry, ...]:
    """What shading, lines and markers say; only what is in the picture.

    `others` says whether there are features in grey, by default those not shown.
    """
    unmoved = [j for j in shown if still(course.points[:, j])]
    entries = list(_moving_legend(course)) if len(unmoved) < len(shown) else []
    if unmoved:
        once = course.text(course.last) if len(course.u) == 1 else "does not move"
        entries.append(LegendEntry(text=once, kind="marker", ink=Ink(fill="#000000")))
    jumps = [_jump(course, part.start) for part in course.segments[1:]]
    if jumps:
        where = ", ".join(jumps[:3]) + ", …" * (len(jumps) > 3)
        text = f"jumps at {course.symbol} = {where}"
        entries.append(LegendEntry(text=text, kind="none"))
    if mirrored and shown:
        entries.append(LegendEntry(text="mirror image", ink=Ink(opacity=MIRRORED)))
    if others if others is not None else len(shown) < course.points.shape[1]:
        entries.append(LegendEntry(text="other features", ink=Ink(color=LIGHT, width=0.7)))
    return (*entries, *(() if encoding is None else encoding.legend()))


def _moving_legend(course: Course) -> Iterator[LegendEntry]:
    symbol, middle = course.symbol, number(course.value(course.middle))
    low, high = number(course.value(float(course.u[0]))), number(course.value(course.last))
    first = course.u[0] < course.middle
    if first:
        top = middle if course.last >= course.middle else high
        grey = Ink(color=GREY, fill=GREY, fill_opacity=0.35, width=0.0)
        yield LegendEntry(text=f"{low} ≤ {symbol} ≤ {top}", kind="area", ink=grey)
    if course.last > course.middle:
        ahead = f"{symbol} → {high}" if course.to_the_end else f"{symbol} ≤ {high}"
        text = f"{middle} < {ahead}" if first else f"{low} ≤ {ahead}"
        yield LegendEntry(text=text, kind="arrow" if course.to_the_end else "line")
    if course.from_zero:
        hollow = Ink(fill="#ffffff", width=0.8)
        yield LegendEntry(text=course.text(0.0), kind="marker", ink=hollow)
    if course.through_middle:
        full, text = Ink(fill="#000000", width=0.8), course.text(course.middle)
        yield LegendEntry(text=text, kind="marker", shape="square", ink=full)


def _jump(course: Course, k: int) -> str:
    """Where the trace starts anew: between two points of the grid, close together if adaptive."""
    return number(course.value(0.5 * float(course.u[k - 1] + course.u[k])))
