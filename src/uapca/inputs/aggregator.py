"""Points that come over time, aggregated as they come."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Any, Literal, Self

import numpy as np

from uapca._validation import Floats, as_floats, check_finite, check_labels, complaint, shape_of
from uapca.aggregate import Moments, keyed
from uapca.aggregate.collector import Collector, Decaying, Sliding
from uapca.aggregate.labels import Keyed
from uapca.aggregate.moments import check_rows, labelled_rows, weights_of
from uapca.inputs.columns import columns_of, is_frame
from uapca.inputs.labelled import check_choice, feature_columns
from uapca.inputs.parts import require_columns
from uapca.uncertain import UncertainArray

__all__ = ["Aggregator"]

# Rows that are summed at a time: few enough to stay in cache, enough that merging costs little.
_ROWS = 16_384
# Weights times squares of values up to here, and their sums, are far from the largest float.
_LARGE = 1e90


class Aggregator:
    """One uncertain row for each label, from points that come in chunks.

    Only the moments of the labels are kept, whatever the number of points, so that an experiment
    or a simulation can aggregate while it runs. A snapshot may be taken at any moment, from
    another thread too, and costs nothing later.

    Parameters
    ----------
    by : str or list of str, optional
        The columns of the chunks that hold the labels. Without it chunks are arrays whose labels
        are given to `partial_fit`; points without labels make one row.
    features : sequence of str, optional
        The columns to use: by default all columns of numbers other than ``by`` of the first chunk.
        For arrays, the names of their columns.
    half_life : float, optional
        Lets the past fade: a point counts half as much after that many later points. A label
        that has faded to 2⁻⁴⁰⁰ of the heaviest is forgotten.
    window : int, optional
        Only the latest points count, that many over all labels. They are kept.
    missing : {"raise", "drop"}, default="raise"
        What to do with points whose label is missing: refuse the chunk, or leave them out as if
        they had never come.
    nulls : {"raise", "drop"}, default="raise"
        The same for points of which a value is missing (null, NaN).

    Notes
    -----
    The result depends on the points and their order alone, not on how they are cut into chunks:
    it is that of `from_groups` on all of them (with weights 2^(−age / half_life), or on the last
    ``window``), to 1e-12 relative. Chunks are copied, and summed when some thousands of rows
    have come.

    Examples
    --------
    >>> import uapca
    >>> live = uapca.Aggregator()
    >>> for points, labels in [([[0.0], [2.0]], ["a", "a"]), ([[5.0], [4.0]], ["b", "a"])]:
    ...     live = live.partial_fit(points, labels)
    >>> live.to_uncertain().mean.ravel().tolist()
    [2.0, 5.0]
    >>> tables = uapca.Aggregator(by="kind")
    >>> tables.partial_fit({"x": [1.0, 3.0], "kind": ["a", "a"]}).to_uncertain()
    UncertainArray: 1 row × 1 feature, a covariance for each row
      features  x
      a  2 ± 1
    """

    def __init__(
        self,
        by: str | Sequence[str] | None = None,
        *,
        features: Sequence[str] | None = None,
        half_life: float | None = None,
        window: int | None = None,
        missing: Literal["raise", "drop"] = "raise",
        nulls: Literal["raise", "drop"] = "raise",
    ) -> None:
        check_choice("missing", missing)
        check_choice("nulls", nulls)
        if half_life is not None and window is not None:
            raise ValueError(
                complaint(
                    "window", "be left out with half_life", "got both", "Choose how points leave"
                )
            )
        _check_names("by", by)
        _check_names("features", features)
        self._by = [by] if isinstance(by, str) else None if by is None else list(by)
        self._features = None if features is None else list(map(str, features))
        self._half_life = None if half_life is None else _positive("half_life", half_life)
        self._window = None if window is None else int(_positive("window", window, whole=True))
        self._missing, self._nulls = missing, nulls
        self._collector: Collector | None = None
        self._count = 0
        self._lock = Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=Lock())

    @property
    def count(self) -> int:
        """The number of points so far, with those that have faded or left the window."""
        return self._count

    def __repr__(self) -> str:
        n, kept = self._count, self._collector
        parts = [f"{n} point{'s' * (n != 1)}"]
        if kept is not None:
            parts += [f"{kept.d} feature{'s' * (kept.d != 1)}"]
        if self._by is not None:
            parts += [f"by {', '.join(self._by)}"]
        if self._half_life is not None:
            parts += [f"half-life {self._half_life:g}"]
        if self._window is not None:
            parts += [f"window {self._window}"]
        return f"Aggregator: {', '.join(parts)}"

    def partial_fit(self, points: Any, labels: Any = None, weights: Any = None) -> Self:
        """Add a chunk: all of it, or, if something is wrong with it, nothing.

        Parameters
        ----------
        points : array-like of shape (n, D), or data frame with the columns ``by``
        labels : array-like of shape (n,), optional
            The labels of an array's points.
        weights : array-like of shape (n,), optional
            Zero or positive; 1 by default.

        Returns
        -------
        self
        """
        with self._lock:
            array, keys, names = self._read(points, labels)
            check_rows(keys.codes, len(array), self._missing)
            w = None if weights is None else weights_of(weights, len(array))
            kept = keys.codes >= 0
            if self._nulls == "drop":
                kept &= ~np.isnan(array).any(axis=1)
            check_finite(labelled_rows(array, np.where(kept, 0, -1)), "points", ("row", "feature"))
            collector = self._collector or self._new(array.shape[1], names)
            self._check_columns(array, collector.d)
            if not kept.all():
                # As if they had never come: they age nothing and take no place in a window.
                array, keys = array[kept], keys._replace(codes=keys.codes[kept])
                w = None if w is None else w[kept]
            collector.add(array, keys, w, far=_far(array) or (w is not None and _far(w)))
            # The first chunk that is accepted settles the features.
            self._collector, self._count = collector, self._count + len(array)
            self._features = self._features if names is None else list(names)
        return self

    def moments(self) -> Moments:
        """The summary of all points so far; it does not change when more come."""
        if self._collector is None:
            raise ValueError(
                complaint("points", "be at least one", "got none", "Call partial_fit first")
            )
        with self._lock:
            return self._collector.moments()

    def to_uncertain(self, spread: Literal["std", "sem"] = "std") -> UncertainArray:
        """A snapshot: one row for each label; ``spread`` as in `from_groups`."""
        check_choice("spread", spread)
        return self.moments().to_uncertain(spread)

    def _new(self, d: int, names: tuple[str, ...] | None) -> Collector:
        if self._half_life is not None:
            return Decaying(d, _ROWS, self._half_life, features=names)
        if self._window is not None:
            return Sliding(d, _ROWS, self._window, features=names)
        return Collector(d, _ROWS, features=names)

    def _read(self, points: Any, labels: Any) -> tuple[Floats, Keyed, tuple[str, ...] | None]:
        if self._by is not None and (labels is not None or not is_frame(points)):
            raise TypeError(
                complaint(
                    "points",
                    f"be a table with the labels in {', '.join(map(repr, self._by))}",
                    f"got an object of type {type(points).__name__}"
                    if labels is None
                    else "got labels beside it",
                    "Leave by out to pass arrays and their labels",
                )
            )
        if is_frame(points):
            columns = columns_of(points, "points")
            by = self._by or []
            require_columns(columns, by, "by")
            chosen = feature_columns(columns, by, self._features)
            keys = (
                keyed([columns.labels(key) for key in by]) if by else _given(labels, len(columns))
            )
            return columns.block(chosen), keys, tuple(chosen)
        array = as_floats(points, "points")
        if array.ndim != 2 or not array.shape[1]:
            raise ValueError(
                complaint(
                    "points",
                    "have shape (n, D) with at least one feature",
                    f"got shape {shape_of(array)}",
                    "Put one point in each row",
                )
            )
        names = check_labels(self._features, "features", array.shape[1], "feature")
        return array, _given(labels, len(array)), names

    def _check_columns(self, array: Floats, d: int) -> None:
        if array.shape[1] != d:
            raise ValueError(
                complaint(
                    "points",
                    f"have the {d} features of the first chunk",
                    f"got {array.shape[1]}",
                    "Use another Aggregator for other data",
                )
            )


def _far(values: Floats) -> bool:
    """Whether moments of such values may be too large for floats."""
    return bool(max(values.max(initial=0.0), -values.min(initial=0.0)) > _LARGE)


def _given(labels: Any, n: int) -> Keyed:
    if labels is None:
        return Keyed(np.zeros(n, dtype=np.int64), ("all",) if n else (), (None,))
    return keyed([labels])


def _check_names(parameter: str, names: Any) -> None:
    """Raise unless ``names`` are names of columns, at least one, or None."""
    if names is None or (parameter == "by" and isinstance(names, str)):
        return
    given = [] if isinstance(names, str) or not isinstance(names, Iterable) else list(names)
    if not given or (parameter == "by" and not all(isinstance(name, str) for name in given)):
        raise TypeError(
            complaint(
                parameter,
                "name columns, at least one",
                f"got {names!r}",
                "Pass a list of names, or leave it out",
            )
        )


def _positive(parameter: str, value: Any, whole: bool = False) -> float:
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    if isinstance(value, bool) or not isinstance(value, kinds) or not 0 < value < np.inf:
        raise ValueError(
            complaint(
                parameter,
                "be a positive number of points",
                f"got {value!r}",
                "Leave it out to keep everything",
            )
        )
    return float(value)
