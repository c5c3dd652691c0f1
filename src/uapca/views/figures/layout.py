"""What the figures share: panels with letters, one range for several, one legend below."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from uapca.views.bounds import bounds, height_for
from uapca.views.legends import legend_lines
from uapca.views.scene import LegendEntry, Panel

__all__ = ["bare", "joined_legend", "lettered", "one_y", "same_range"]


def lettered(panels: Sequence[Panel], titles: Sequence[str]) -> tuple[Panel, ...]:
    """The panels with the titles "(a) …", "(b) …" and no legends of their own."""
    return tuple(
        bare(panel).with_(title=f"({letter}) {title}")
        for letter, panel, title in zip("abcdefgh", panels, titles, strict=False)
    )


def bare(panel: Panel) -> Panel:
    """The panel without its legend."""
    return panel.with_(legend=())


def one_y(panels: Sequence[Panel]) -> tuple[Panel, ...]:
    """The panels of a row with one range, with the label of y at the first only."""
    first, *rest = panels
    return (first, *(panel.with_(y=replace(panel.y, label="")) for panel in rest))


def joined_legend(panels: Iterable[Panel]) -> tuple[LegendEntry, ...]:
    """What the legends of all panels say, each text once."""
    entries = {entry.text: entry for panel in panels for entry in panel.legend}
    return tuple(entries.values())


def same_range(
    panels: Sequence[Panel], *, margin: float = 0.05, square: bool = False
) -> tuple[Panel, ...]:
    """The panels with one range on each axis, which holds what any of them shows.

    With `square` both ranges have the length of the longer one, around their middles.
    """
    boxes = np.array([bounds(panel.marks) for panel in panels])
    low, high = boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)
    half = (0.5 + margin) * (high - low)
    if square:
        half = np.full(2, half.max())
    middle = (low + high) / 2
    x, y = ((float(m - h), float(m + h)) for m, h in zip(middle, half, strict=True))
    height = height_for(np.array([middle - half, middle + half]))
    return tuple(
        panel.with_(
            x=replace(panel.x, limits=x),
            y=replace(panel.y, limits=y),
            height=height + 0.045 * legend_lines(panel.legend),
        )
        for panel in panels
    )
