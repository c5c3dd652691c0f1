"""How a legend below a panel is laid out."""

from __future__ import annotations

from collections.abc import Sequence

from uapca.views.scene import LegendEntry

__all__ = ["HANDLE", "ROOM", "legend_columns", "legend_lines"]

ROOM = 66  # characters of legend type in one paper column
HANDLE = 7  # what stands beside a text, in such characters


def legend_columns(entries: Sequence[LegendEntry], room: float = ROOM) -> int:
    """As many columns as fit beside each other in `room` characters, by default a paper column.

    >>> legend_columns([LegendEntry(text="50 %"), LegendEntry(text="95 % of everything")])
    2
    """
    for columns in range(min(len(entries), 6), 1, -1):
        widths = [
            max(len(entry.text) for entry in entries[first::columns]) for first in range(columns)
        ]
        if sum(widths) + HANDLE * columns <= room:
            return columns
    return 1


def legend_lines(entries: Sequence[LegendEntry]) -> int:
    """How many lines the legend then has."""
    return -(-len(entries) // legend_columns(entries))
