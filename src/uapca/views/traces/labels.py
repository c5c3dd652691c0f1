"""The features' names at the far ends of their traces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from uapca.views.palette import GREY, text_color
from uapca.views.placing import beside, half_size, spaced
from uapca.views.scene import Floats, Ink, Label, Mark, Markers, Polyline
from uapca.views.text import shortened
from uapca.views.traces.course import Course

__all__ = ["EM", "HALF_HEIGHT", "HALF_WIDTH", "circle", "labels_at", "trace_labels"]

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
    ends = course.points[-1, list(shown)]
    chosen, inked = [names[j] for j in shown], [colours[j] for j in shown]
    return labels_at(ends, chosen, inked, marks, em)


def labels_at(
    ends: Floats, names: Sequence[str], colours: Sequence[Ink], marks: Sequence[Mark], em: float
) -> list[Mark]:
    """Names beside points in the unit circle, clear of marks; far ones joined by a thin line."""
    if not names:
        return []
    texts = [shortened(name) for name in names]
    obstacles, weights = _obstacles(marks, em)
    places = beside(ends, texts, obstacles, weights, em, (HALF_WIDTH, HALF_HEIGHT))
    out: list[Mark] = []
    for name, text, end, place, ink in zip(names, texts, ends, places, colours, strict=True):
        out.append(
            Label(
                role="feature",
                key=name,
                at=(float(place[0]), float(place[1])),
                text=text,
                size=em / EM if em < EM else 1.0,
                ink=Ink(color=text_color(ink)),
                layer=7,
            )
        )
        edge = _edge(place, end, text, em)
        if np.linalg.norm(edge - end) > em:
            line, thin = np.stack([edge, end]), Ink(color=GREY, width=0.5)
            out.append(Polyline(role="leader", key=name, points=line, ink=thin, guide=True))
    return out


def _obstacles(marks: Sequence[Mark], em: float) -> tuple[Floats, Floats]:
    """What labels keep clear of: markers first, then traces, then what is lighter."""
    parts: list[tuple[Floats, float]] = [(circle(), 0.6)]
    for mark in marks:
        if isinstance(mark, Markers):
            parts.append((mark.points, 8.0))
        elif isinstance(mark, Polyline):
            weight = 0.2 if mark.guide else 2.0 if mark.role in ("trace", "loading") else 0.7
            parts.append((spaced(mark.points, 0.4 * em), weight))
    points = np.concatenate([part for part, _ in parts])
    return points, np.repeat([w for _, w in parts], [len(part) for part, _ in parts])


def _edge(place: Floats, end: Floats, text: str, em: float) -> Floats:
    """Where the line from a label's middle to its point leaves the label."""
    way = end - place
    with np.errstate(divide="ignore"):
        share = float((half_size(text, em) / np.abs(way)).min())
    return np.asarray(place + min(share, 1.0) * way)


def circle() -> Floats:
    """Points around the unit circle."""
    angles = np.linspace(0.0, 2 * np.pi, 181)
    return np.column_stack([np.cos(angles), np.sin(angles)])
