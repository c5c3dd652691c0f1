"""Artists of our own. They need matplotlib's classes: import this module only where it is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from matplotlib.artist import Artist
from matplotlib.legend_handler import HandlerLine2D

__all__ = ["Arranger", "ArrowHandler"]


class Arranger(Artist):
    """Draws nothing, but has something arranged before the axes are drawn at another size."""

    def __init__(self, arrange: Callable[..., None], *arguments: Any) -> None:
        super().__init__()
        self._arrange, self._arguments = arrange, arguments
        self._done: tuple[float, ...] | None = None
        self.set_zorder(-1e9)
        self.set_in_layout(False)

    def draw(self, renderer: Any) -> None:
        """Arrange, unless size, range and resolution are what they were."""
        axes: Any = self.axes
        now = (*axes.bbox.bounds, *axes.viewLim.bounds, float(renderer.points_to_pixels(1.0)))
        if now != self._done:
            self._arrange(*self._arguments, axes, renderer)
            self._done = now


class ArrowHandler(HandlerLine2D):
    """A line in the legend with its head at the end, not in the middle."""

    def __init__(self) -> None:
        super().__init__(numpoints=2, marker_pad=0.1)

    def create_artists(self, *arguments: Any) -> Any:
        """The line, with one marker."""
        artists = super().create_artists(*arguments)
        for artist in artists:
            artist.set(markevery=[-1])
        return artists
