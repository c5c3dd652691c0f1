"""Scenes drawn with matplotlib."""

from uapca.views.mpl.draw import draw
from uapca.views.mpl.sheet import axes_for, draw_sheet, figure_for

__all__ = ["axes_for", "draw", "draw_sheet", "figure_for"]
