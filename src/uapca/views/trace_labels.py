"""The features' names at the far ends of their traces."""

from __future__ import annotations

import numpy as np

from uapca.views.course import Course
from uapca.views.palette import GREY, text_color
from uapca.views.placing import beside, half_size, spaced
from uapca.views.scene import Floats, Ink, Label, Mark, Markers, Polyline
from uapca.views.text import shortened

__all__ = ["EM", "HALF_HEIGHT", "HALF_WIDTH", "trace_labels"]

HALF_WIDTH, HALF_HEIGHT = 1.36, 1.16
# The height of a label's type in radii, in a picture one paper column wide.
EM = 0.092


def trace_labels(
    course: Course,
    names: tuple[str, ...],
    shown: tuple[int, ...],
    colours: tuple[Ink, ...],
    marks: list[Mark],
    em: float = EM,
) -> list[Mark]:
    """The features' names at the far ends of their traces, clear of everything."""
    if not shown:
        return []
    ends = course.points[-1, list(shown)]
    texts = [shortened(names[j]) for j in shown]
    obstacles, weights = _obstacles(marks, em)
    places = beside(ends, texts, obstacles, weights, em, (HALF_WIDTH, HALF_HEIGHT))
    out: list[Mark] = []
    for j, text, end, place in zip(shown, texts, ends, places, strict=True):
        where = (float(place[0]), float(place[1]))
        ink = Ink(color=text_color(colours[j]))
        out.append(Label(role="feature", key=names[j], at=where, text=text, ink=ink, layer=7))
        edge = _edge(place, end, text, em)
        if np.linalg.norm(edge - end) > em:
            thin = Ink(color=GREY, width=0.5)
            line = np.stack([edge, end])
            out.append(Polyline(role="leader", key=names[j], points=line, ink=thin, guide=True))
    return out


def _obstacles(marks: list[Mark], em: float) -> tuple[Floats, Floats]:
    """What labels keep clear of: markers first, then traces, then what is lighter."""
    parts: list[tuple[Floats, float]] = [(_circle(), 0.6)]
    for mark in marks:
        if isinstance(mark, Markers):
            parts.append((mark.points, 8.0))
        elif isinstance(mark, Polyline):
            weight = 0.2 if mark.guide else 2.0 if mark.role == "trace" else 0.7
            parts.append((spaced(mark.points, 0.4 * em), weight))
    points = np.concatenate([part for part, _ in parts])
    return points, np.repeat([w for _, w in parts], [len(part) for part, _ in parts])


def _edge(place: Floats, end: Floats, text: str, em: float) -> Floats:
    """Where the line from a label's middle to its point leaves the label."""
    way = end - place
    with np.errstate(divide="ignore"):
        share = float((half_size(text, em) / np.abs(way)).min())
    return np.asarray(place + min(share, 1.0) * way)


def _circle() -> Floats:
    angles = np.linspace(0.0, 2 * np.pi, 181)
    return np.column_stack([np.cos(angles), np.sin(angles)])
