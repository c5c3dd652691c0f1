"""What the traces say of each feature, in numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from uapca._validation import pandas_for
from uapca.sensitivity.family import Flags
from uapca.uncertain.blocks import Doubles

__all__ = ["TraceSummary", "summarised"]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class TraceSummary:
    """How far each feature lies from the centre of the factor map, and how far it moves.

    Attributes
    ----------
    features : tuple of str
        D names.
    marks : tuple of str
        The three points of the path at which distances are given, such as ``s = 0``, ``s = 1`` and
        ``s = ∞``.
    distances : ndarray of shape (D, 3)
        Length of the projected unit vector of each feature at the marks, from 0 (nothing of the
        feature is left in the picture) to 1 (all of it is).
    lengths : ndarray of shape (D, 2)
        Length of the trace from the first mark to the second, and from the second to the third.
        A jump where the trace is broken does not count.
    most_preserved, least_preserved : str
        The feature farthest from the centre, and the one nearest to it, at the second mark.
    """

    features: tuple[str, ...]
    marks: tuple[str, str, str]
    distances: Doubles
    lengths: Doubles
    most_preserved: str
    least_preserved: str

    def __len__(self) -> int:
        return len(self.features)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """A record for each feature, with the columns of `to_frame`."""
        for i, feature in enumerate(self.features):
            numbers = [*self.distances[i], *self.lengths[i]]
            yield {"feature": feature} | dict(
                zip(self._columns(), map(float, numbers), strict=True)
            )

    def __repr__(self) -> str:
        columns = self._columns()
        width = max(7, *map(len, self.features))
        lines = [f"{'':{width}}  " + "  ".join(columns)]
        for i, feature in enumerate(self.features):
            numbers = [*self.distances[i], *self.lengths[i]]
            cells = [f"{x:{len(c)}.3f}" for x, c in zip(numbers, columns, strict=True)]
            lines.append(f"{feature:<{width}}  " + "  ".join(cells))
        lines.append(
            f"most preserved at {self.marks[1]}: {self.most_preserved}; "
            f"least: {self.least_preserved}"
        )
        return "\n".join(lines)

    def to_frame(self) -> Any:
        """The table as a pandas data frame, one line for each feature."""
        pd = pandas_for("to_frame")
        return pd.DataFrame(list(self)).set_index("feature")

    def _columns(self) -> tuple[str, ...]:
        a, b, c = self.marks
        b_value, c_value = (mark.rpartition(" ")[2] for mark in (b, c))
        return (
            f"distance {a}",
            f"distance {b}",
            f"distance {c}",
            f"length {a} to {b_value}",
            f"length {b} to {c_value}",
        )


def summarised(
    features: tuple[str, ...],
    marks: tuple[str, str, str],
    distances: Doubles,
    steps: Doubles,
    below: Flags,
) -> TraceSummary:
    """The summary of traces.

    Parameters
    ----------
    features : tuple of str
    marks : tuple of str
    distances : ndarray of shape (D, 3)
    steps : ndarray of shape (S - 1, D)
        How far each feature moves from one point of the grid to the next.
    below : ndarray of shape (S - 1,)
        Whether that step comes before the second mark.
    """
    lengths = np.stack([steps[below].sum(axis=0), steps[~below].sum(axis=0)], axis=1)
    middle = distances[:, 1]
    return TraceSummary(
        features,
        marks,
        distances,
        lengths,
        features[int(middle.argmax())],
        features[int(middle.argmin())],
    )
