"""The hyperbolic axis, s = u / (1 − u): all of [0, ∞] on one line (paper, Sec. "Factor traces")."""

from __future__ import annotations

from typing import Any

from uapca.views.scene import Axis

__all__ = ["TICKS", "scale_axis"]

TICKS = ((0.0, "0"), (1 / 3, "½"), (0.5, "1"), (2 / 3, "2"), (1.0, "∞"))


def scale_axis(label: str = "scale s of the uncertainty", **axis: Any) -> Axis:
    """The axis of u, with ticks that say s."""
    return Axis(label=label, limits=(0.0, 1.0), ticks=TICKS, **axis)
