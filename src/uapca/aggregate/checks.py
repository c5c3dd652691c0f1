"""What points, labels, weights and summaries must be, or are refused for in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from uapca._validation import (
    Floats,
    as_floats,
    check_finite,
    complaint,
    listed,
    out_of_range,
    shape_of,
)
from uapca.aggregate.accumulate import Doubles, Integers, Sums

if TYPE_CHECKING:
    from uapca.aggregate.moments import Moments

__all__ = [
    "Overflow",
    "check_alike",
    "check_merged",
    "check_replicated",
    "check_rows",
    "check_squares",
    "check_sums",
    "labelled_rows",
    "weights_of",
]


class Overflow(ValueError):
    """Finite points whose covariance is not."""


def check_rows(codes: Integers, n: int, missing: str) -> None:
    if len(codes) != n:
        raise ValueError(
            complaint(
                "by",
                "have one label for each point",
                f"got {len(codes)} for {n} points",
                "Select the same rows from both",
            )
        )
    absent = int(np.count_nonzero(codes < 0))
    if absent and missing == "raise":
        raise ValueError(
            complaint(
                "by",
                "have a label for every point",
                f"{absent} of {n} are missing",
                "Pass missing='drop' to leave these points out",
            )
        )


def weights_of(weights: Any, n: int) -> Doubles:
    array = as_floats(weights, "weights").astype(np.float64, copy=False)
    if array.shape != (n,):
        raise ValueError(
            complaint(
                "weights",
                f"have one entry for each of the {n} points",
                f"got shape {shape_of(array)}",
                f"Pass a vector of length {n}, or leave weights out",
            )
        )
    check_finite(array, "weights", ("row",))
    if n and array.min() < 0:
        row = int(array.argmin())
        raise ValueError(
            complaint(
                "weights",
                "be zero or positive",
                f"got {array[row]} at row {row}",
                "Use 0 to leave a point out, and downdate to remove it",
            )
        )
    return array


def check_sums(points: Floats, codes: Integers, weights: Doubles | None, sums: Sums) -> None:
    finite = bool(np.isfinite(sums.means).all() and np.isfinite(sums.scatters).all())
    # A point that is not finite shows in its group's sums, unless its weight is zero: no pass over
    # all points is needed.
    if not finite or (weights is not None and not np.isfinite(points[weights == 0.0]).all()):
        check_finite(labelled_rows(points, codes), "points", ("row", "feature"))
    if not finite:
        raise Overflow(out_of_range("points"))


def check_merged(sums: Sums, where: Integers) -> None:
    """Raise if what is between merged groups is too large for floats."""
    # An infinite or undefined entry of a scatter shows on its diagonal.
    spread = np.diagonal(sums.scatters, axis1=1, axis2=2)[where]
    if not (np.isfinite(spread).all() and np.isfinite(sums.weights[where]).all()):
        raise Overflow(out_of_range("points"))


def labelled_rows(points: Floats, codes: Integers) -> Floats:
    """The points, with zeros for those without a label, which may be anything."""
    kept = codes >= 0
    return points if kept.all() else np.where(kept[:, None], points, 0.0)


def check_alike(a: Moments, b: Moments) -> None:
    if a.n_features != b.n_features:
        raise ValueError(
            complaint(
                "other",
                f"have the same {a.n_features} features",
                f"got {b.n_features}",
                "Merge summaries of the same columns",
            )
        )
    if a.features is not None and b.features is not None and a.features != b.features:
        first = next(i for i in range(a.n_features) if a.features[i] != b.features[i])
        raise ValueError(
            complaint(
                "other",
                "have the same features in the same order",
                f"feature {first} is {b.features[first]!r} instead of {a.features[first]!r}",
                "Merge summaries of the same columns",
            )
        )
    if a.labels and b.labels and len(a.categories) != len(b.categories):
        raise ValueError(
            complaint(
                "other",
                f"have labels of {len(a.categories)} keys",
                f"got {len(b.categories)}",
                "Merge summaries of the same columns",
            )
        )


def check_squares(sums: Sums, labels: Sequence[str]) -> None:
    """Raise where weights are so small that their squares are none: sem needs those."""
    faint = (sums.weights > 0.0) & (sums.squares < np.finfo(np.float64).tiny)
    if faint.any():
        raise ValueError(
            complaint(
                "weights",
                "have squares that fit into float64 for spread='sem'",
                f"those of {labels[int(faint.argmax())]!r} sum to "
                f"{sums.weights[int(faint.argmax())]:.3g}",
                "Divide the weights by the largest first",
            )
        )


def check_replicated(counts: Integers, share: Doubles, labels: Sequence[str]) -> None:
    few = (counts < 2) | (share > 1.0 - 1e-12)
    single = [labels[i] for i in np.flatnonzero(few).tolist()]
    if single:
        raise ValueError(
            complaint(
                "by",
                "give every label at least two points for spread='sem'",
                f"{listed(single)} {'has' if len(single) == 1 else 'have'} one",
                "One point says nothing of its error: leave it out, or use spread='std', where "
                "it is certain",
            )
        )
