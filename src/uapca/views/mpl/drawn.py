"""From a view to a plot: the same call, drawn."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any

from uapca._validation import complaint
from uapca.views import scene
from uapca.views.mpl.draw import STYLES
from uapca.views.mpl.ink import check_colors
from uapca.views.mpl.sheet import axes_for, draw_sheet

__all__ = ["drawn"]

_AX = """ax : matplotlib.axes.Axes, optional
    Where to draw; without it, a new figure one paper column wide.
**style
    ``color``, ``alpha``, ``linewidth``, ``linestyle`` for the marks that are data.

Returns
-------
matplotlib.axes.Axes
"""
_FIGURE = """Returns
-------
matplotlib.figure.Figure
"""


def drawn(view: Callable[..., Any]) -> Any:
    """The view as a plot: draws its scene and returns the Axes, or the Figure for a sheet.

    The plot has the view's parameters and, where it draws one panel, ``ax`` and styles. Its
    attribute ``scene`` is the view itself: the plain description, without drawing.
    """
    # A view that makes one or the other, as its options say, is asked when its scene is there.
    figure_level = str(inspect.signature(view).return_annotation) == "Sheet"

    @wraps(view)
    def plot(*args: Any, ax: Any = None, **options: Any) -> Any:
        style = {name: options.pop(name) for name in STYLES if name in options}
        if ax is not None or style:
            _check_panel(view, figure_level)
        _check_axes(ax)
        _check_looks(style, options)
        described = view(*args, **options)
        if isinstance(described, scene.Sheet):
            if ax is not None or style:
                _check_panel(view, True)
            return draw_sheet(described)
        return axes_for(described, ax, **style)

    _document(plot, view, figure_level)
    plot.scene = view  # type: ignore[attr-defined]
    return plot


def _check_panel(view: Callable[..., Any], figure_level: bool) -> None:
    if figure_level:
        raise TypeError(
            f"`{view.__name__}` makes a whole figure: it takes neither `ax` nor styles; "
            "change the Figure that is returned"
        )


def _check_axes(ax: Any) -> None:
    if ax is not None and not (hasattr(ax, "transData") and hasattr(ax, "figure")):
        raise TypeError(
            complaint(
                "ax",
                "be a matplotlib Axes",
                f"got {type(ax).__name__}",
                "Pass one, or leave it out for a figure of its own",
            )
        )


def _check_looks(style: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Refuse colours that cannot be drawn, before anything is computed or in the Axes."""
    check_colors([style.get("color")], "color")
    palette = options.get("palette")
    if isinstance(palette, Collection) and not isinstance(palette, str):
        check_colors(palette.values() if isinstance(palette, Mapping) else palette, "palette")


def _document(plot: Any, view: Callable[..., Any], figure_level: bool) -> None:
    """One docstring serves both: what drawing adds is written behind the view's parameters."""
    text = inspect.getdoc(view) or ""
    head, mark, rest = text.partition("\nExamples\n")
    added = _FIGURE if figure_level else _AX
    plot.__doc__ = f"{head.rstrip()}\n{'' if not figure_level else chr(10)}{added}{mark}{rest}"
    parameters = list(inspect.signature(view).parameters.values())
    if not figure_level:
        parameters += [
            inspect.Parameter("ax", inspect.Parameter.KEYWORD_ONLY, default=None),
            inspect.Parameter("style", inspect.Parameter.VAR_KEYWORD),
        ]
    plot.__signature__ = inspect.Signature(parameters)
