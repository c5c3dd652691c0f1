"""Moments of labelled points that can be merged: what a stream, a file and a cluster keep."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from os import PathLike
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from uapca._files import replacing
from uapca._validation import as_floats, check_choice, check_labels, complaint, shape_of
from uapca.aggregate.accumulate import (
    Doubles,
    Integers,
    Sums,
    added,
    first_errors,
    grouped_extremes,
    grouped_sums,
    removed,
    zero_sums,
)
from uapca.aggregate.archive import read_moments, write_moments
from uapca.aggregate.checks import (
    check_alike,
    check_merged,
    check_replicated,
    check_rows,
    check_squares,
    check_sums,
    weights_of,
)
from uapca.aggregate.keys import Categories, Keyed, joined, keyed, ordered
from uapca.uncertain import UncertainArray

__all__ = ["Moments"]

Extremes = tuple[Doubles, Doubles] | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Moments:
    """Count, weight, mean and scatter of the points of each label.

    Summaries merge exactly: any partition of the points, in any order and merged along any tree,
    gives the moments of all points to rounding. A summary does not change; `update`, `merge` and
    `downdate` return new ones. `of` makes one from points, `empty` one without points.

    Attributes
    ----------
    labels : tuple of length L
        The labels as they were given (text, numbers, dates; tuples for several keys), in the
        order in which they came. `to_uncertain` sorts them.
    sums : Sums
        ``counts``, ``weights`` and ``squares`` (sums of the points' weights and of their squares,
        both the count where no weights were given), of shape (L,); ``means`` and ``rests`` (what
        rounding the means left out: at an offset of 1e8 a float alone knows a mean to 1e-8, and
        what is between the means would not merge), of shape (L, D); ``scatters``,
        Σ w (x − mean)(x − mean)ᵀ, of shape (L, D, D).
    errors : ndarray of shape (2, L)
        Bounds for the rounding errors of any entry of a label's mean and of its scatter. They
        matter after `downdate`.
    extremes : two ndarrays of shape (L, D), or None
        The smallest and largest values, if asked for.
    features : tuple of str, or None
    categories : tuple
        For each key the categories of a categorical in their order, or None.
    reduced : bool
        Whether points were removed, so that a scatter may have lost digits.

    Notes
    -----
    A summary takes L (D² + 2 D + 5) · 8 bytes, with extremes L · 2 D · 8 more; nothing in it
    grows with the number of points. Means and scatters merge by the rule of Chan, Golub & LeVeque
    (1983).

    Examples
    --------
    >>> from uapca.aggregate import Moments
    >>> first = Moments.of([[0.0], [2.0], [5.0]], ["a", "a", "b"])
    >>> second = Moments.of([[4.0], [7.0]], ["a", "b"])
    >>> first.merge(second)
    Moments: 5 points, 2 labels, 1 feature
    >>> X = first.merge(second).to_uncertain()
    >>> X.names, X.mean.ravel().tolist(), X.total_weight
    (('a', 'b'), [2.0, 6.0], 5.0)
    """

    labels: tuple[Any, ...]
    sums: Sums
    errors: Doubles
    extremes: tuple[Doubles, Doubles] | None = None
    features: tuple[str, ...] | None = None
    categories: Categories = (None,)
    reduced: bool = False

    def __post_init__(self) -> None:
        for array in self._arrays:
            array.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, part.name) for part in fields(self))

    @property
    def _arrays(self) -> tuple[npt.NDArray[Any], ...]:
        return (*self.sums, self.errors, *(self.extremes or ()))

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        d = self.n_features
        n = int(self.sums.counts.sum())
        return (
            f"Moments: {n} point{'s' * (n != 1)}, {len(self)} label{'s' * (len(self) != 1)}, "
            f"{d} feature{'s' * (d != 1)}"
        )

    @property
    def n_features(self) -> int:
        return int(self.sums.means.shape[1])

    @property
    def nbytes(self) -> int:
        """Size of the arrays: what travels when a summary does."""
        return sum(array.nbytes for array in self._arrays)

    # Making one

    @classmethod
    def empty(
        cls, n_features: int, *, features: Sequence[str] | None = None, extremes: bool = False
    ) -> Self:
        """A summary of no points: merging it changes nothing."""
        d = n_features
        return cls(
            (),
            zero_sums(0, d),
            np.zeros((2, 0)),
            (np.zeros((0, d)), np.zeros((0, d))) if extremes else None,
            check_labels(features, "features", d, "feature"),
        )

    @classmethod
    def of(
        cls,
        points: Any,
        labels: Any = None,
        weights: Any = None,
        *,
        features: Sequence[str] | None = None,
        extremes: bool = False,
        missing: Literal["raise", "drop"] = "raise",
    ) -> Self:
        """The summary of labelled points.

        Parameters
        ----------
        points : array-like of shape (n, D)
        labels : array-like of shape (n,), Keyed, or None
            The label of each point, in any form `from_groups` takes; several keys as
            ``keyed([first, second])``. None: all points have the label ``"all"``.
        weights : array-like of shape (n,), optional
            Zero or positive; 1 by default.
        features : sequence of str, optional
        extremes : bool, default=False
            Whether to keep the smallest and largest values.
        missing : {"raise", "drop"}, default="raise"
            What to do with points without a label: refuse, or leave them out.
        """
        array = as_floats(points, "points")
        if array.ndim != 2 or array.shape[1] == 0:
            raise ValueError(
                complaint(
                    "points",
                    "have shape (n, D) with at least one feature",
                    f"got shape {shape_of(array)}",
                    "Put one point in each row",
                )
            )
        n, d = array.shape
        if labels is None:
            labels = Keyed(np.zeros(n, dtype=np.int64), ("all",) if n else (), (None,))
        elif not isinstance(labels, Keyed):
            labels = keyed([labels])
        check_rows(labels.codes, n, missing)
        w = None if weights is None else weights_of(weights, n)
        with np.errstate(all="ignore"):
            sums = grouped_sums(array, labels.codes, len(labels.values), w)
            errors = first_errors(sums)
        check_sums(array, labels.codes, w, sums)
        ends = grouped_extremes(array, labels.codes, len(labels.values)) if extremes else None
        names = tuple(labels.values)
        used = np.flatnonzero(sums.counts)
        if len(used) < len(names):
            names = tuple(names[k] for k in used.tolist())
            sums, errors = sums.taken(used), errors[:, used]
            ends = None if ends is None else (ends[0][used], ends[1][used])
        return cls(
            names,
            sums,
            errors,
            ends,
            check_labels(features, "features", d, "feature"),
            labels.categories,
        )

    # Adding and removing

    def update(self, points: Any, labels: Any = None, weights: Any = None) -> Self:
        """With more points; takes what `of` takes."""
        more = type(self).of(
            points, labels, weights, features=self.features, extremes=self.extremes is not None
        )
        return self.merge(more)

    def merge(self, other: Moments) -> Self:
        """The summary of the points of both."""
        check_alike(self, other)
        if not other.labels:
            return self
        place = {label: k for k, label in enumerate(self.labels)}
        for label in other.labels:
            place.setdefault(label, len(place))
        where = np.array([place[label] for label in other.labels], dtype=np.int64)
        with np.errstate(all="ignore"):
            sums, errors = added(
                self.sums, self.errors, other.sums, other.errors, where, len(place)
            )
        check_merged(sums, where)
        return type(self)(
            tuple(place),
            sums,
            errors,
            _widened(self.extremes, other.extremes, where, len(place)),
            self.features if self.features is not None else other.features,
            joined(self.categories if self.labels else None, other.categories),
            self.reduced or other.reduced,
        )

    @classmethod
    def merged(cls, parts: Iterable[Self]) -> Self:
        """All of several summaries, at least one, as one."""
        levels: list[Self | None] = []
        # A balanced tree, made while the parts come: log₂ of their number is kept, not all.
        for part in parts:
            carry, k = part, 0
            while k < len(levels) and levels[k] is not None:
                carry, levels[k], k = levels[k].merge(carry), None, k + 1  # type: ignore[union-attr]
            if k == len(levels):
                levels.append(None)
            levels[k] = carry
        kept = [part for part in reversed(levels) if part is not None]
        if not kept:
            raise ValueError(
                complaint("parts", "have at least one summary", "got none", "Use Moments.empty")
            )
        total = kept[0]
        for part in kept[1:]:
            total = total.merge(part)
        return total

    def downdate(self, other: Moments) -> Self:
        """Without the points of ``other``, which were merged before.

        Removing cancels: where little is left of much, the digits that were lost stay lost.
        ``errors`` bounds them, before and after: with u = 2⁻⁵³, each removal adds some 16 u times
        the scatter there was to what the scatters themselves had. A window of `Aggregator` keeps
        its points and removes nothing.

        Only what was merged may be removed. The points are not known any more: others are refused
        when they are more than there are, or weigh more, and otherwise give the moments of no data.

        Labels without points are dropped, a label with one point is certain, and smallest and
        largest values are no longer known.
        """
        check_alike(self, other)
        place = {label: k for k, label in enumerate(self.labels)}
        lost = [label for label in other.labels if label not in place]
        where = np.array([place.get(label, 0) for label in other.labels], dtype=np.int64)
        own = self.sums.weights[where]
        more = (other.sums.counts > self.sums.counts[where]) | (
            other.sums.weights > own * (1.0 + 1e-9)
        )
        if lost or more.any():
            label = lost[0] if lost else other.labels[int(more.argmax())]
            raise ValueError(
                complaint(
                    "other",
                    "hold points that were merged before",
                    f"it has more points of {label!r} than there are, or heavier ones",
                    "Remove what was added, once",
                )
            )
        sums, errors = removed(self.sums, self.errors, other.sums, other.errors, where)
        left = replace(self, sums=sums, errors=errors, extremes=None, reduced=True)
        return left._taken(np.flatnonzero(sums.counts > 0))

    def discounted(self, factor: float) -> Self:
        """With all weights times ``factor``, from 0 to 1: for points that count less with time."""
        sums = self.sums._replace(
            weights=self.sums.weights * factor,
            squares=self.sums.squares * factor**2,
            scatters=self.sums.scatters * factor,
        )
        return replace(self, sums=sums, errors=self.errors * np.array([[1.0], [factor]]))

    def heavier(self, share: float) -> Self:
        """Without the labels that weigh less than ``share`` of the heaviest."""
        weights = self.sums.weights
        kept = np.flatnonzero(weights >= share * weights.max(initial=0.0))
        return self if len(kept) == len(self) else self._taken(kept)

    def _taken(self, kept: Integers) -> Self:
        """Some of the labels."""
        ends = self.extremes
        return replace(
            self,
            labels=tuple(self.labels[k] for k in kept.tolist()),
            sums=self.sums.taken(kept),
            errors=self.errors[:, kept],
            extremes=None if ends is None else (ends[0][kept], ends[1][kept]),
        )

    # What it stands for

    def to_uncertain(self, spread: Literal["std", "sem"] = "std") -> UncertainArray:
        """One row for each label, weighted by the sum of its weights.

        Parameters
        ----------
        spread : {"std", "sem"}, default="std"
            As in `uapca.from_groups`: the population covariance of the points, or that of their
            mean. With weights the latter is the unbiased covariance over the effective number of
            points, (Σ w)² / Σ w².

        Returns
        -------
        UncertainArray
            Rows in rising order of their labels, or that of their categories.
        """
        check_choice(spread, ("std", "sem"), "spread")
        if not self.labels:
            raise ValueError(
                complaint("points", "be at least one", "got none", "Add points before asking")
            )
        factor = ordered(self.labels, self.categories)
        sums = self.sums.taken(np.argsort(factor.codes))
        divisor = np.where(sums.weights > 0.0, sums.weights, 1.0)
        if spread == "sem":
            check_squares(sums, factor.labels)
            share = sums.squares / divisor**2
            check_replicated(sums.counts, share, factor.labels)
            divisor *= (1.0 - share) / share
        covs = np.divide(sums.scatters, divisor[:, None, None], out=sums.scatters)
        return UncertainArray(
            sums.means,
            _positive(covs) if self.reduced else covs,
            weights=sums.weights,
            names=factor.labels,
            features=self.features,
            counts=sums.counts,
            # The distribution of a mean is that of one unknown value, not of the points.
            source="values" if spread == "sem" else "groups",
            check=False,
        )

    # Files and streams

    def save(self, path: str | PathLike[str]) -> None:
        """Write to ``path``, whole or not at all: an open format, no pickle."""
        with replacing(path) as file:
            write_moments(file, self)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read what `save` wrote."""
        return read_moments(path, cls)

    def to_bytes(self) -> bytes:
        """The same as `save`, in memory."""
        stream = io.BytesIO()
        write_moments(stream, self)
        return stream.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """What `to_bytes` returned."""
        return read_moments(io.BytesIO(data), cls)


def _widened(a: Extremes, b: Extremes, where: Integers, n: int) -> Extremes:
    """The extremes of both, where both have them."""
    if a is None or b is None:
        return None
    low, high = (np.full((n, a[0].shape[1]), end) for end in (np.inf, -np.inf))
    low[: len(a[0])], high[: len(a[1])] = a
    low[where] = np.minimum(low[where], b[0])
    high[where] = np.maximum(high[where], b[1])
    return low, high


def _positive(covs: Doubles) -> Doubles:
    """The nearest positive semi-definite matrices: nearer to the truth, which is one."""
    values, vectors = np.linalg.eigh(covs)
    bad = values[:, 0] < 0.0
    if bad.any():
        roots = vectors[bad] * np.sqrt(np.clip(values[bad], 0.0, None))[:, None, :]
        covs[bad] = roots @ roots.transpose(0, 2, 1)
    return covs
