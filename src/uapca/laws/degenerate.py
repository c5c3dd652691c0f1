"""Laws without a density: how they are told apart and described."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from uapca._validation import Floats
from uapca.exceptions import DegenerateLawError

if TYPE_CHECKING:
    from uapca.laws.protocol import Law

__all__ = ["DegenerateLawError", "Line", "refuse_density"]


@dataclass(frozen=True, eq=False)
class Line:
    """The line that carries all of a law's uncertainty.

    Attributes
    ----------
    origin : ndarray of shape (D,)
        The law's mean, a point of the line.
    direction : ndarray of shape (D,)
        Unit vector; its entry of largest magnitude is positive.
    law : Law
        The one-dimensional law of the signed distance from `origin` along `direction`.
    """

    origin: Floats
    direction: Floats
    law: Law


def refuse_density(law: Law, rank: int) -> NoReturn:
    """Say why a law of one or two dimensions has no density, and what to draw instead."""
    place = ", ".join(f"{value:.6g}" for value in law.mean)
    if rank == 0:
        raise DegenerateLawError(
            f"this law has no density: it is the certain point ({place}). Draw law.mean as a point."
        )
    direction = ", ".join(f"{value:.6g}" for value in law.along_line().direction)
    raise DegenerateLawError(
        f"this law has no density in the plane: all of its uncertainty lies along the line through "
        f"({place}) in direction ({direction}). "
        "Use law.along_line() for the one-dimensional law on that line."
    )
