"""Paper, Fig. "progression": a factor trace grows while the projected rows turn."""

from __future__ import annotations

from dataclasses import replace

from uapca.datasets import make_progression
from uapca.views.plots.progression import progression as progression_sheet
from uapca.views.scene import Sheet

__all__ = ["progression"]

CAPTION = (
    "Factor traces grow (above) as the uncertainty counts more. The unit vectors u and v rotate "
    "around w, which stays in the centre; the projected distributions (below) rotate around the "
    "mean accordingly."
)


def progression() -> Sheet:
    """The traces up to each s above the projection at that s."""
    return replace(progression_sheet(make_progression()), name="progression", caption=CAPTION)
