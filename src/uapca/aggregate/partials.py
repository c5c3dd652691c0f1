"""What a partition of the data is summed up in, and how partitions become one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from uapca.aggregate.moments import Moments

__all__ = ["FAN_IN", "Partial", "merged"]

# Summaries merged by one task: the tree has log₈ of the number of partitions as many levels, and
# no task holds more than nine summaries.
FAN_IN = 8


class Partial(NamedTuple):
    """The summary of a partition.

    Attributes
    ----------
    moments : Moments
    dropped : Counter
        Points left out, as asked for, by what they lacked: a ``"label"`` or a ``"value"``.
    """

    moments: Moments
    dropped: Counter[str]


def merged(parts: Sequence[Partial]) -> Partial:
    """Several partitions, at least one, as one."""
    dropped: Counter[str] = Counter()
    for part in parts:
        dropped.update(part.dropped)
    return Partial(Moments.merged(part.moments for part in parts), dropped)
