"""Moments of labeled points that can be merged: the summary of a stream, a file or a cluster."""

from __future__ import annotations

import datetime as dt
import io
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from operator import methodcaller
from os import PathLike
from typing import IO, Any, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from uapca._files import Arrays, read_archive, replacing, write_archive
from uapca._validation import (
    Doubles,
    Floats,
    as_floats,
    check_choice,
    check_finite,
    check_labels,
    check_nonnegative,
    listed,
    optional,
    out_of_range,
    plural,
    vector,
)
from uapca.aggregate.accumulate import (
    Integers,
    Sums,
    grouped_sums,
    merged,
    zero_sums,
)
from uapca.aggregate.labels import Categories, Factor, Keyed, joined, keyed, ordered
from uapca.exceptions import FileError
from uapca.uncertain import Covariance, Dense, Diagonal, SharedAxes, UncertainArray

__all__ = [
    "INCOMPLETE",
    "UNLABELED",
    "Moments",
    "Overflow",
    "Partial",
    "SpreadForm",
    "check_length",
    "check_sums",
    "complete_rows",
    "labeled_rows",
    "labels_of",
    "rank_of",
    "weights_of",
]

_DROP = "; pass missing='drop' to leave such points out"
# Why points were left out.
UNLABELED, INCOMPLETE = "without a label", "without a value"
SpreadForm = Literal["full", "diagonal"] | int
_FORMAT, _VERSION = "uapca.Moments", 3  # 2: diagonals with a pooled scatter, 3: factors
_FOREIGN = (
    "path must name a file written by Moments.save; {where} is of another kind. "
    "Use uapca.load for a saved UncertainArray."
)


class Overflow(ValueError):
    """Finite points whose covariance float64 cannot hold."""


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
        both the count where no weights were given), of shape (L,); ``means`` and ``rests`` (the
        rounding errors of the means: at an offset of 1e8 a single float knows a mean to 1e-8,
        and merging would lose digits), of shape (L, D); ``scatters``, Σ w (x − mean)(x − mean)ᵀ,
        of shape (L, D, D). With ``spread_form="diagonal"`` only the diagonals, of shape (L, D),
        and ``pooled``, the sum of the scatters of all labels, of shape (D, D); with a number r
        the leading directions ``factors``, of shape (L, D, r), too. ``errors``, of shape (L, 2),
        are bounds for the rounding errors of any entry of a mean and of a scatter, which matter
        after `downdate`.
    features : tuple of str, or None
    categories : tuple
        For each key the categories of a categorical in their order, or None.
    reduced : bool
        Whether points were removed, so that a scatter may have lost digits.

    See Also
    --------
    uapca.Aggregator : Labeled points that arrive in chunks.
    uapca.from_groups : Labeled points: one row for each label.

    Notes
    -----
    A summary takes L (D² + 2 D + 5) · 8 bytes, whatever the number of points; with
    ``spread_form="diagonal"`` it takes (L (3 D + 5) + D²) · 8, with r directions L D r · 8 more.
    Means and scatters merge by the rule of Chan, Golub & LeVeque (1983).

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
    features: tuple[str, ...] | None = None
    categories: Categories = (None,)
    reduced: bool = False
    # The order of the labels and their texts, once they were asked for.
    _order: Factor | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        for array in self.sums:
            array.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, part.name) for part in fields(self) if part.init)

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        sizes = (int(self.sums.counts.sum()), len(self), self.n_features)
        return f"Moments: {', '.join(map(plural, sizes, ('point', 'label', 'feature')))}"

    @property
    def n_features(self) -> int:
        return int(self.sums.means.shape[1])

    @property
    def spread_form(self) -> SpreadForm:
        """What is kept of the covariances of the labels."""
        return "full" if self.sums.rank is None else self.sums.rank or "diagonal"

    @property
    def nbytes(self) -> int:
        """Size of the arrays."""
        return sum(array.nbytes for array in self.sums)

    # Making one

    @classmethod
    def empty(
        cls,
        n_features: int,
        *,
        features: Sequence[str] | None = None,
        spread_form: SpreadForm = "full",
    ) -> Self:
        """A summary of no points: merging it changes nothing."""
        names = check_labels(features, "features", n_features, "feature")
        sums = zero_sums(0, n_features, rank_of(spread_form, n_features))
        return cls((), sums, names)

    @classmethod
    def of(
        cls,
        points: Any,
        labels: Any = None,
        weights: Any = None,
        *,
        features: Sequence[str] | None = None,
        missing: Literal["error", "drop"] = "error",
        spread_form: SpreadForm = "full",
    ) -> Self:
        """The summary of labeled points.

        Parameters
        ----------
        points : array-like of shape (n, D)
        labels : array-like of shape (n,), Keyed, or None
            The label of each point, in any form `from_groups` takes; several keys as
            ``keyed([first, second])``. None: all points have the label ``"all"``.
        weights : array-like of shape (n,), optional
            Zero or positive; 1 by default.
        features : sequence of str, optional
        missing : {"error", "drop"}, default="error"
            What to do with points without a label: refuse, or leave them out.
        spread_form : {"full", "diagonal"} or int, default="full"
            As in `uapca.from_groups`: what is kept of the covariances of the labels.
        """
        rank_of(spread_form)
        array = as_floats(points, "points")
        if array.ndim != 2 or array.shape[1] == 0:
            raise ValueError(
                "points must have shape (n, D) with at least one feature; got shape "
                + str(array.shape)
            )
        n, d = array.shape
        keys = labels_of(labels, n)
        complete_rows(keys.codes, None, missing)
        w = None if weights is None else weights_of(weights, n)
        # Points of one label need not be sorted.
        codes = None if labels is None and n else keys.codes
        sums = grouped_sums(array, codes, len(keys.values), w, rank_of(spread_form, d))
        check_sums(array, keys.codes, w, sums)
        names = check_labels(features, "features", d, "feature")
        return cls(tuple(keys.values), sums, names, keys.categories).occupied()

    @property
    def order(self) -> Factor:
        """The place of each label in the order of rows, and the labels as text in that order."""
        if self._order is None:
            object.__setattr__(self, "_order", ordered(self.labels, self.categories))
        assert self._order is not None
        return self._order

    # Adding and removing

    def update(self, points: Any, labels: Any = None, weights: Any = None) -> Self:
        """With more points; takes what `of` takes."""
        new = type(self).of(
            points, labels, weights, features=self.features, spread_form=self.spread_form
        )
        return self.merge(new)

    def merge(self, other: Moments) -> Self:
        """The summary of the points of both."""
        self._check_alike(other)
        if not other.labels:
            return self
        place = {label: k for k, label in enumerate(self.labels)}
        for label in other.labels:
            place.setdefault(label, len(place))
        where = np.array([place[label] for label in other.labels], dtype=np.int64)
        with np.errstate(all="ignore"):
            sums = merged(self.sums, other.sums, where, len(place))
        # An infinite or undefined entry of a scatter shows on its diagonal.
        spread = sums.variations[where]
        if not (np.isfinite(spread).all() and np.isfinite(sums.weights[where]).all()):
            raise Overflow(out_of_range("points"))
        total = type(self)(
            tuple(place),
            sums,
            self.features if self.features is not None else other.features,
            joined(self.categories if self.labels else None, other.categories),
            self.reduced or other.reduced,
        )
        if len(total) == len(self) and total.categories == self.categories:
            object.__setattr__(total, "_order", self._order)
        return total

    @classmethod
    def merged(cls, parts: Iterable[Self]) -> Self:
        """All of several summaries, at least one, as one."""
        # A balanced tree, made while the parts come: at most log₂ of their number are kept.
        stack: list[tuple[int, Self]] = []
        for part in parts:
            stack.append((0, part))
            while len(stack) > 1 and stack[-1][0] == stack[-2][0]:
                (level, first), (_, second) = stack[-2:]
                stack[-2:] = [(level + 1, first.merge(second))]
        if not stack:
            raise ValueError("parts must have at least one summary; got none")
        total = stack[0][1]
        for _, part in stack[1:]:
            total = total.merge(part)
        return total

    def downdate(self, other: Moments) -> Self:
        """Without the points of ``other``, which were merged before.

        Subtraction cancels: where most of the points are removed, digits are lost. ``sums.errors``
        bounds the loss: with u = 2⁻⁵³, each removal adds about 16 u times the former scatter. A
        window of `Aggregator` keeps its points and subtracts nothing.

        Only points that were merged before may be removed. Others are refused if they are more, or
        weigh more, than the points of their label; otherwise the result has no meaning.

        Labels without points are dropped, and a label with one point has no scatter.
        """
        self._check_alike(other)
        if self.sums.rank:
            raise ValueError(
                "spread_form must be 'full' or 'diagonal' for points that are to be removed; got "
                f"{self.spread_form}: the directions of those that are left are not known"
            )
        place = {label: k for k, label in enumerate(self.labels)}
        lost = [label for label in other.labels if label not in place]
        where = np.array([place.get(label, -1) for label in other.labels], dtype=np.int64)
        if not lost:
            heavier = other.sums.weights > self.sums.weights[where] * (1.0 + 1e-9)
            more = heavier | (other.sums.counts > self.sums.counts[where])
            lost = [other.labels[k] for k in np.flatnonzero(more).tolist()]
        if lost:
            raise ValueError(
                "other must hold points that were merged before; it has more points of "
                f"{lost[0]!r} than there are, or heavier ones"
            )
        sums = merged(self.sums, other.sums, where, len(self), -1.0)
        return replace(self, sums=sums, reduced=True).occupied()

    def discounted(self, factor: float) -> Self:
        """With all weights times ``factor``, from 0 to 1: for points that count less with time."""
        sums = self.sums._replace(
            weights=self.sums.weights * factor,
            squares=self.sums.squares * factor**2,
            scatters=self.sums.scatters * factor,
            factors=self.sums.factors * factor**0.5,
            errors=self.sums.errors * [1.0, factor],
            pooled=self.sums.pooled * factor,
        )
        return replace(self, sums=sums)

    def occupied(self) -> Self:
        """Without the labels that have no points."""
        return self.taken(np.flatnonzero(self.sums.counts))

    def in_order(self) -> Self:
        """With the labels in the order of rows."""
        return self.taken(np.argsort(self.order.codes))

    def taken(self, kept: Integers) -> Self:
        """Some of the labels."""
        if np.array_equal(kept, np.arange(len(self))):
            return self
        return replace(
            self,
            labels=tuple(self.labels[k] for k in kept.tolist()),
            sums=self.sums.taken(kept),
        )

    def _check_alike(self, other: Moments) -> None:
        """Raise unless the other summary has the same features and as many keys."""
        if self.n_features != other.n_features:
            raise ValueError(
                f"other must have the same {self.n_features} features; got {other.n_features}"
            )
        if self.spread_form != other.spread_form:
            raise ValueError(
                f"other must have the spread_form {self.spread_form!r}; got {other.spread_form!r}"
            )
        if None not in (self.features, other.features) and self.features != other.features:
            own, given = next(
                pair
                for pair in zip(self.features or (), other.features or (), strict=True)
                if pair[0] != pair[1]
            )
            raise ValueError(
                "other must have the same features in the same order; "
                f"got {given!r} instead of {own!r}"
            )
        if self.labels and other.labels and len(self.categories) != len(other.categories):
            raise ValueError(
                f"other must have labels of {len(self.categories)} keys; "
                f"got {len(other.categories)}"
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
            raise ValueError("points must not be empty; got none")
        sums, names = self.in_order().sums, self.order.labels
        divisor = np.where(sums.weights > 0.0, sums.weights, 1.0)
        if spread == "sem":
            share = _replicated(sums, names)
            divisor *= np.divide(1.0 - share, share, out=np.ones_like(share), where=share > 0.0)
        if sums.rank is None:
            # A product takes half as long as a quotient.
            covs = sums.scatters * (1.0 / divisor)[:, None, None]
            cov: Covariance = Dense(_positive(covs) if self.reduced else covs)
        else:
            cov = _along_shared_axes(sums, divisor)
        return UncertainArray(
            sums.means,
            cov,
            weights=sums.weights,
            counts=sums.counts,
            # The distribution of a mean is that of one unknown value, not of the points.
            source="values" if spread == "sem" else "groups",
            check=False,
        ).replace(names=names, features=self.features)  # known to be distinct texts

    # Files and streams

    def save(self, path: str | PathLike[str]) -> None:
        """Write to ``path``, whole or not at all: an open format, no pickle."""
        with replacing(path) as file:
            self._write(file)

    @classmethod
    def load(cls, path: str | PathLike[str] | IO[bytes]) -> Self:
        """Read a file that `save` wrote, or a stream of its bytes."""
        return read_archive(path, _FORMAT, _VERSION, _FOREIGN, cls._assembled)

    def to_bytes(self) -> bytes:
        """The same as `save`, in memory."""
        stream = io.BytesIO()
        self._write(stream)
        return stream.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read what `to_bytes` returned."""
        return cls.load(io.BytesIO(data))

    def _write(self, file: IO[bytes]) -> None:
        header = {
            "labels": _to_json(self.labels)[1],
            "categories": [None if own is None else _to_json(own)[1] for own in self.categories],
            "features": self.features,
            "reduced": self.reduced,
        }
        arrays = {**self.sums._asdict(), "errors": self.sums.errors.T}
        write_archive(file, _FORMAT, _VERSION, header, arrays)

    @classmethod
    def _assembled(cls, header: dict[str, Any], arrays: Arrays) -> Self:
        """A summary from the parts of its file."""
        features = header["features"]
        none = np.zeros((*arrays["means"].shape, 0))
        sums = {"pooled": np.zeros((0, 0)), "factors": none, **arrays, "errors": arrays["errors"].T}
        return cls(
            tuple(map(_from_json, header["labels"])),
            Sums(**sums),
            None if features is None else tuple(features),
            tuple(
                None if own is None else (*map(_from_json, own),) for own in header["categories"]
            ),
            bool(header["reduced"]),
        )


class Partial(NamedTuple):
    """The summary of a partition of data on a cluster.

    Attributes
    ----------
    moments : Moments
    dropped : Counter
        Points left out, as asked for, by the reason.
    left : frozenset
        The labels of points that were left out.
    """

    moments: Moments
    dropped: Counter[str]
    left: frozenset[Any] = frozenset()

    @classmethod
    def merged(cls, parts: Iterable[Partial]) -> Partial:
        """Several partitions, at least one, as one; they are merged as they come."""
        dropped, left = Counter[str](), set[Any]()

        def moments() -> Iterator[Moments]:
            for part in parts:
                dropped.update(part.dropped)
                left.update(part.left)
                yield part.moments

        return cls(Moments.merged(moments()), +dropped, frozenset(left))


def labels_of(labels: Any, n: int) -> Keyed:
    """The labels of ``n`` points; without any, all have the label ``"all"``."""
    if labels is None:
        return Keyed(np.zeros(n, dtype=np.int64), ("all",) if n else (), (None,))
    keys = labels if isinstance(labels, Keyed) else keyed([labels])
    check_length(keys.codes, n)
    return keys


def check_length(labels: Sequence[Any] | Integers, n: int) -> None:
    """Raise unless there is one label for each of ``n`` points."""
    if len(labels) != n:
        raise ValueError(
            f"by must have one label for each point; got {len(labels)} for {n} points. "
            "Select the same rows from both."
        )


def complete_rows(
    codes: Integers,
    empty: npt.NDArray[np.bool_] | None,
    missing: str,
    kept: npt.NDArray[np.bool_] | None = None,
    *,
    features: Sequence[str] | None = None,
    name: str = "",
    start: int = 0,
) -> tuple[npt.NDArray[np.bool_], Counter[str]]:
    """The points with a label and all values, and how many lack one; refuses them where it must.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
        Negative without a label.
    empty : ndarray of bool, shape (n, D), or None
        The values that are missing.
    missing : {"error", "drop"}
    kept : ndarray of bool, shape (n,), optional
        Points that are not left out for other reasons.
    features : sequence of str, optional
    name : str
        The file or the partition of the points, for messages.
    start : int
        The number of its points before these.
    """
    fault = FileError if name else ValueError
    kept = np.ones(len(codes), dtype=bool) if kept is None else kept
    lost = (codes < 0) & kept
    if lost.any() and missing == "error":
        said = f"{lost.sum()} of {len(kept)} are missing"
        if name:
            said = f"{name!r} has none in row {start + int(lost.argmax())}"
        raise fault(f"by must have a label for every point; {said}{_DROP}")
    dropped = Counter({UNLABELED: int(lost.sum())})
    kept = kept & ~lost
    if empty is not None:
        holes = empty.any(axis=1) & kept
        if holes.any() and missing == "error":
            row = int(holes.argmax())
            j = int(empty[row].argmax())
            where = f"feature {j}" if features is None else f"column {features[j]!r}"
            such = "" if name else f" ({empty[kept].sum()} such)"
            raise fault(
                f"values must not be missing; {f'{name!r}, ' if name else ''}row {start + row}, "
                f"{where} is empty or nan{such}{_DROP}"
            )
        dropped[INCOMPLETE] = int(holes.sum())
        kept &= ~holes
    return kept, +dropped


def weights_of(weights: Any, n: int) -> Doubles:
    """The weights of ``n`` points, checked."""
    array = vector(weights, "weights", "point", n)
    check_nonnegative(array, "weights", ("point",))
    return array


def labeled_rows(points: Floats, codes: Integers) -> Floats:
    """The points, with zeros for those without a label, which may hold anything."""
    kept = codes >= 0
    return points if kept.all() else np.where(kept[:, None], points, 0.0)


def check_sums(points: Floats, codes: Integers, weights: Doubles | None, sums: Sums) -> None:
    """Raise for points that are not finite, or whose sums overflow or underflow."""
    # An infinite or undefined entry of a scatter shows on its diagonal.
    finite = bool(np.isfinite(sums.means).all() and np.isfinite(sums.variations).all())
    # A point that is not finite shows in its group's sums, unless its weight is zero: no pass over
    # all points is needed.
    if not finite or (weights is not None and not np.isfinite(points[weights == 0.0]).all()):
        check_finite(labeled_rows(points, codes), "points", ("row", "feature"))
    if not np.isfinite(sums.weights).all():
        raise Overflow("weights must have a sum that fits into float64; it overflows")
    if not finite:
        raise Overflow(out_of_range("points"))
    used = codes >= 0 if weights is None else (codes >= 0) & (weights > 0.0)
    tiny = np.finfo(np.float64).tiny
    if (sums.variations < tiny).all() and (np.abs(sums.means) < math.sqrt(tiny)).all():
        kept = points[used]  # all so close to zero that squares of differences may be lost
        if (kept[1:] != kept[:1]).any():
            raise Overflow(out_of_range("points", "underflows"))


def _replicated(sums: Sums, labels: Sequence[str]) -> Doubles:
    """Σ w² / (Σ w)² of labels that have at least two points each."""
    faint = (sums.weights > 0.0) & (sums.squares < np.finfo(np.float64).tiny)
    if faint.any():
        k = int(faint.argmax())
        raise ValueError(
            "weights must have squares that fit into float64 for spread='sem'; "
            f"those of {labels[k]!r} sum to {sums.weights[k]:.3g}. "
            "Divide the weights by the largest first."
        )
    share = sums.squares / np.where(sums.weights > 0.0, sums.weights, 1.0) ** 2
    few = (sums.counts < 2) | (share > 1.0 - 1e-12)
    single = [labels[i] for i in np.flatnonzero(few).tolist()]
    if single:
        raise ValueError(
            f"by must give every label at least two points for spread='sem'; {listed(single)} "
            f"{'has' if len(single) == 1 else 'have'} one. Leave it out, or use spread='std'."
        )
    return np.asarray(share)


def rank_of(spread_form: Any, d: int | None = None) -> int | None:
    """The directions kept for each label: None for the whole scatter, at most ``d``."""
    if isinstance(spread_form, str) and spread_form in ("full", "diagonal"):
        return 0 if spread_form == "diagonal" else None
    whole = isinstance(spread_form, int | np.integer) and not isinstance(spread_form, bool)
    if not whole or spread_form < 1:
        raise ValueError(
            "spread_form must be 'full' or 'diagonal', or a positive number of directions; got "
            f"{spread_form!r}"
        )
    return int(spread_form if d is None else min(spread_form, d))


def _along_shared_axes(sums: Sums, divisor: Doubles) -> SharedAxes:
    """Covariances of labels of which only the diagonals v, and the pooled covariance W, are known.

    With S the diagonal of W and R = S⁻½ W S⁻½ they are S½R½ diag(v / S) R½S½: positive
    semi-definite, and W on average, because v / S is 1 on average. They are right where features
    do not correlate within labels, or where the covariances are multiples of each other. tr S⁻¹Ψ
    is right always.

    Where leading directions F of each label are known, this holds for what F Fᵀ leaves of the
    scatters and of their sum, both positive semi-definite, and F Fᵀ is added. Units are those of
    the whole scatters: what is left may be rounding errors, which smaller units would magnify.
    """
    factors = sums.factors
    variances = np.maximum(sums.scatters - np.square(factors).sum(axis=2), 0.0)
    left = sums.pooled - np.tensordot(factors, factors, axes=([0, 2], [0, 2]))
    units = np.sqrt(np.maximum(sums.scatters, 0.0).sum(axis=0))
    values, vectors = np.linalg.eigh(left * _inverse(units) * _inverse(units)[:, None])
    half = (vectors * np.sqrt(np.clip(values, 0.0, None))) @ vectors.T
    std = np.sqrt(variances * (1.0 / divisor)[:, None]) * _inverse(np.sqrt(variances.sum(axis=0)))
    directions = factors / np.sqrt(divisor)[:, None, None] if sums.rank else None
    return SharedAxes(units[:, None] * half, Diagonal(std, *std.shape), directions)


def _inverse(values: Doubles) -> Doubles:
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > 0.0)


def _positive(covs: Doubles) -> Doubles:
    """The nearest positive semi-definite matrices."""
    values, vectors = np.linalg.eigh(covs)
    bad = values[:, 0] < 0.0
    roots = vectors[bad] * np.sqrt(np.clip(values[bad], 0.0, None))[:, None, :]
    covs[bad] = roots @ roots.transpose(0, 2, 1)
    return covs


_in_iso_form = methodcaller("isoformat")
# How labels of kinds that JSON lacks are written, and read again. Of pandas only times with
# nanoseconds, which datetime and timedelta would cut.
_KINDS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "tuple": (lambda label: [*map(_to_json, label)], lambda value: tuple(map(_from_json, value))),
    "Timestamp": (_in_iso_form, lambda value: _pandas().Timestamp(value)),
    "Timedelta": (_in_iso_form, lambda value: _pandas().Timedelta(value)),
    "datetime": (_in_iso_form, dt.datetime.fromisoformat),
    "date": (_in_iso_form, dt.date.fromisoformat),
    "time": (_in_iso_form, dt.time.fromisoformat),
    "timedelta": (
        lambda label: [label.days, label.seconds, label.microseconds],
        lambda value: dt.timedelta(*value),
    ),
    "bytes": (methodcaller("hex"), bytes.fromhex),
}


def _pandas() -> Any:
    return optional("pandas", "reading labels that are times with nanoseconds", "frames")


def _to_json(label: Any) -> Any:
    """A label as JSON; a label of a kind that JSON lacks as a list of its kind and its value."""
    if isinstance(label, np.datetime64 | np.timedelta64):
        return [label.dtype.str, int(label.astype(np.int64))]
    if isinstance(label, np.generic) and label.dtype.kind in "iufbU":
        label = label.item()
    if label is None or isinstance(label, str | bool | int | float):
        return label
    exact = getattr(label, "nanosecond", 0) or getattr(label, "nanoseconds", 0)
    for kind in type(label).__mro__:
        if kind.__name__ in _KINDS and (exact or kind.__module__.partition(".")[0] != "pandas"):
            return [kind.__name__, _KINDS[kind.__name__][0](label)]
    raise TypeError(
        "labels must be text, numbers, dates or times to be saved; "
        f"got the {type(label).__name__} {label!r}"
    )


def _from_json(label: Any) -> Any:
    if not isinstance(label, list):
        return label
    kind, value = label
    return _KINDS[kind][1](value) if kind in _KINDS else np.int64(value).view(kind)
