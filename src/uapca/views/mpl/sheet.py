"""Figures: one panel in a figure of its own, or a sheet of panels."""

from __future__ import annotations

from typing import Any

import numpy as np

from uapca.views import scene
from uapca.views.mpl.draw import draw, written_above
from uapca.views.mpl.legend import by_rows, handlers_of, handles_of
from uapca.views.mpl.style import matplotlib, print_settings, width_in_inches

__all__ = ["axes_for", "draw_sheet", "figure_for"]

SETTLED = 2  # rounds of layout before the one in which a figure is drawn


def figure_for(width: float, height: float) -> Any:
    """A new figure known to pyplot, so that notebooks show it and ``plt.show()`` finds it."""
    return matplotlib("pyplot").figure(figsize=(width, height), layout="constrained")


def axes_for(panel: scene.Panel, ax: Any = None, **style: Any) -> Any:
    """The panel drawn into `ax`, or into a new figure one paper column wide."""
    if ax is not None:
        return draw(panel, ax, **style)
    with print_settings():
        mpl = matplotlib()
        size = (width_in_inches(1.0), panel.height * width_in_inches(1.0))
        if list(mpl.rcParams["figure.figsize"]) != list(mpl.rcParamsDefault["figure.figsize"]):
            size = tuple(mpl.rcParams["figure.figsize"])
        return draw(panel, figure_for(*size).add_subplot(), **style)


def draw_sheet(sheet: scene.Sheet, figure: Any = None) -> Any:
    """The panels of a sheet in one Figure, which is returned."""
    with print_settings():
        rows, columns = len(sheet.panels), max(len(row) for row in sheet.panels)
        width = width_in_inches(sheet.width)
        widths = np.array(sheet.column_widths or (1.0,) * columns)
        unit = width / widths.sum()
        heights = np.array(sheet.row_heights or [_height(row, widths) for row in sheet.panels])
        if figure is None:
            figure = figure_for(width, float(unit * heights.sum()) + 0.2 * bool(sheet.legend))
        grid = figure.add_gridspec(rows, columns, width_ratios=widths, height_ratios=heights)
        for i, row in enumerate(sheet.panels):
            above = max((written_above(panel) for panel in row if panel is not None), default=0.0)
            for j, panel in enumerate(row):
                if panel is not None:
                    draw(panel, figure.add_subplot(grid[i, j]), above=above)
        if sheet.legend:
            handles = handles_of(by_rows(sheet.legend, sheet.legend_columns))
            figure.legend(
                handles=handles,
                handler_map=handlers_of(handles),
                loc="outside lower center",
                ncols=sheet.legend_columns,
                handlelength=1.8,
            )
        _settle(figure)
        return figure


def _settle(figure: Any) -> None:
    """Have the layout found now, in more rounds than one drawing gives it.

    Axes of fixed aspect shrink after their room is known, which leaves other room; after a single
    round titles may be cut off.
    """
    engine = figure.get_layout_engine()
    for _ in range(SETTLED if engine is not None else 0):
        engine.execute(figure)


def _height(row: tuple[scene.Panel | None, ...], widths: scene.Floats) -> float:
    return max(
        panel.height * float(width)
        for panel, width in zip(row, widths, strict=False)
        if panel is not None
    )
