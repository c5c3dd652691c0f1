"""Whether neighbouring components can be told apart, in words."""

from __future__ import annotations

import math

from uapca.exceptions import SeparationWarning
from uapca.uncertain.blocks import Doubles

__all__ = ["SeparationWarning", "verdict", "warning_text"]

# A gap of two standard deviations is the usual 95 % rule. At four, figures of first order are
# within a few per cent of a simulation; between the two they are a rough guide.
TOLD_APART = 2.0
WELL_APART = 4.0


def verdict(separation: Doubles) -> tuple[str, ...]:
    """A sentence for each neighbouring pair; ``separation`` is the gap in standard deviations."""
    return tuple([_sentence(i, z) for i, z in enumerate(separation.tolist(), start=1)])


def warning_text(separation: Doubles) -> str | None:
    """What to warn of; None if all are told apart."""
    mixed = [_sentence(i, z) for i, z in enumerate(separation.tolist(), 1) if not z >= TOLD_APART]
    if not mixed:
        return None
    return (
        "; ".join(mixed)
        + ". Their figures are of first order and too rough here: uapca.simulate shows how far "
        "they mix."
    )


def _sentence(i: int, z: float) -> str:
    pair = f"components {i} and {i + 1}"
    if not z >= TOLD_APART:  # what is not a number tells nothing apart either
        # Rounded down: 1.97 is not the 2.0 that is asked for.
        gap = "" if math.isnan(z) else f"{_gap(math.floor(10.0 * z) / 10.0)}, below {TOLD_APART:g}"
        return f"{pair} cannot be told apart{gap or ' at this uncertainty'}"
    if z < WELL_APART:
        return f"{pair} are close{_gap(z)}"
    return f"{pair} are well apart"


def _gap(z: float) -> str:
    return f": their gap is {z:.1f} standard deviations of what would close it"
