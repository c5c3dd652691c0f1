"""Labelled points: one uncertain row for each label, in memory, in files or on a cluster."""

from __future__ import annotations

import math
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import cycle
from os import PathLike
from threading import Lock
from typing import Any, Literal, NamedTuple, Self, TypeVar

import numpy as np
import numpy.typing as npt

from uapca._progress import Progress, reported
from uapca._validation import (
    Floats,
    as_floats,
    check_choice,
    check_finite,
    check_labels,
    library_of,
    listed,
    plural,
    rng_from,
)
from uapca.aggregate import Moments, dask, keyed, spark
from uapca.aggregate.bins import Binning, Grid, binning_of
from uapca.aggregate.collector import Collector, Decaying, Sliding
from uapca.aggregate.labels import Keyed, ordered
from uapca.aggregate.moments import Overflow, Partial, check_rows, labeled_rows, weights_of
from uapca.exceptions import FileError
from uapca.inputs.cells import missing_words
from uapca.inputs.files import (
    Source,
    check_units,
    is_streamed,
    library,
    open_table,
    sources_of,
    stream_of,
)
from uapca.inputs.frame import Reading, Table, is_table, say_dropped, table_of, with_units
from uapca.inputs.read import Roles, expand, find_roles, shown
from uapca.laws import Samples
from uapca.uncertain import UncertainArray

__all__ = ["Aggregator", "from_groups"]

_T = TypeVar("_T")
_DROP = "; pass missing='drop' to leave such points out"
_UNLABELLED, _INCOMPLETE = "without a label", "without a value"
_UNREADABLE = "with a cell that cannot be read"
# Rows that are summed at a time where files are smaller than chunks. To copy as much as half of
# them takes longer than to merge their sums once more.
_ROWS, _DIRECT = 262_144, 0.5
# Rows that the Aggregator sums at a time: few enough to stay in cache.
_LIVE_ROWS = 16_384
# Weights times squares of values up to here, and their sums, are far from the largest float.
_LARGE = 1e90
# Rows turned from columns at a time, while they are in cache.
_TURNED = 65_536


def from_groups(
    points: Any,
    by: Any = None,
    spread: Literal["std", "sem"] = "std",
    *,
    bins: int | Mapping[str, int] | None = None,
    keep_samples: bool = False,
    equal_weights: bool = False,
    missing: Literal["error", "drop"] = "error",
    bad_cells: Literal["error", "drop"] = "error",
    bad_files: Literal["error", "skip"] = "error",
    words: Mapping[str, None] | str | PathLike[str] | None = None,
    features: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    sheet: str | int | None = None,
    chunk: int = 262_144,
    progress: Progress = False,
    rng: int | np.random.Generator | None = None,
) -> UncertainArray:
    """One row for each label: the mean of its points and their covariance, weighted by their count.

    Parameters
    ----------
    points : array-like of shape (n, D), data frame, path, Arrow dataset or reader, Dask, Spark
        Any table `uapca.read` takes; or the points where they are: a file, a folder, a pattern
        such as ``"folder/*.parquet"``, a list of these, a ``pyarrow.dataset.Dataset``, a
        ``pyarrow.RecordBatchReader``, a ``polars.LazyFrame`` or a DuckDB relation. Parquet, Arrow
        and CSV files and queries are read a chunk at a time and only in the columns that are
        needed, and may be larger than memory.
        Or a Dask array, a Dask or a Spark data frame: these are summed where they are, and only
        the sums travel.
    by : array-like of shape (n,), str or list of str
        The label of each point; for a table the column that holds it, or several columns whose
        combinations are the labels. Labels are text exactly as written.
    spread : {"std", "sem"}, default="std"
        What the rows are to stand for. ``"std"``: the points themselves, with their population
        covariance (÷ n). The rows then have exactly the moments of all points (law of total
        variance), for any labelling; a label with one point is certain. ``"sem"``: the mean of
        replicates, with the covariance of that mean, the unbiased covariance ÷ n; every label
        needs at least two points.
    bins : int or dict, optional
        For points without labels, in place of ``by``. A number: that many clusters, found by
        mini-batch k-means in features of unit variance. A number of cells for some features,
        such as ``{"x": 20, "y": 25}`` (columns of an array by ``"0"``, ``"1"``, …): the occupied
        cells of a grid between their extremes. Files are read twice, unless Parquet's own
        statistics tell the extremes.
    keep_samples : bool, default=False
        Whether to keep the points as the law of their row, so that its density shows their
        shape; files are then read whole. For ``spread="std"`` only.
    equal_weights : bool, default=False
        Whether all rows count the same instead of by their number of points.
    missing : {"error", "drop"}, default="error"
        What to do with points that lack the label or a value: refuse, or leave the whole point
        out and count it in a `DroppedRowsWarning`. Never a value alone: covariances of pairs of
        columns from different points need not be positive semi-definite. `uapca.Denoiser` of the
        points of a group estimates its moments by maximum likelihood from what there is.
    bad_cells : {"error", "drop"}, default="error"
        What to do with points of which a cell is no number: refuse, with file, row and column,
        or leave them out and count them.
    bad_files : {"error", "skip"}, default="error"
        What to do with a file that is damaged or unlike the first, or breaks one of the two
        rules above: refuse, or leave the whole file out and say which in a `SkippedFilesWarning`
        (then a file must be like most of them, not like the first).
    words : mapping of str to None, or path, optional
        Words that stand for a missing value: ``{"?": None}``.
    features, exclude : str or sequence of str, optional
        For a table, the columns to use and to leave out, patterns such as ``"met_*"`` included:
        by default all columns of numbers that are nothing else. For an array, ``features`` are
        the names of its columns.
    decimal, thousands, sheet
        As in `uapca.read`.
    chunk : int, default=262144
        Rows of a file in memory at a time; up to five chunks are, besides the D² numbers for each
        label.
    progress : bool or callable, default=False
        True shows a bar for files (needs tqdm); a function is called with what is done and the
        total.
    rng : int, numpy.random.Generator or None
        Seed of the clusters of ``bins``.

    Returns
    -------
    UncertainArray
        Rows named by their labels, in rising order, or that of the categories of a categorical
        (pandas' categories, polars' Enum, Arrow's dictionaries). ``X.counts`` are the numbers of
        points, ``X.origin`` says how the table was understood.

    See Also
    --------
    uapca.Aggregator : For points that come over time.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.from_groups([[0.0, 1.0], [2.0, 1.0], [5.0, 5.0]], by=["a", "a", "b"])
    >>> X
    UncertainArray: 2 rows × 2 features, a covariance for each row, weights 0.333 to 0.667
      a  1 ± 1  1 ± 0
      b  5 ± 0  5 ± 0
    >>> X.counts
    array([2, 1])
    """
    check_choice(spread, ("std", "sem"), "spread")
    if str(missing) == "keep":
        raise ValueError(
            "missing must be 'error' or 'drop'; got 'keep': for points that lack values here and "
            "there, give UncertainArray the mean of each group and its standard error, from the "
            "values that are there"
        )
    check_choice(missing, ("error", "drop"), "missing")
    check_choice(bad_cells, ("error", "drop"), "bad_cells")
    check_choice(bad_files, ("error", "skip"), "bad_files")
    if isinstance(chunk, bool) or not isinstance(chunk, int | np.integer) or chunk < 1:
        raise ValueError(f"chunk must be a positive number of rows; got {chunk!r}")
    if keep_samples and spread == "sem":
        raise ValueError(
            "keep_samples must be left out with spread='sem': the points show the spread of "
            "replicates, not the error of their mean"
        )
    rule = {"missing": missing, "bad_cells": bad_cells}
    keys = [by] if isinstance(by, str) else []
    options: dict[str, Any] = {"decimal": decimal, "thousands": thousands, "sheet": sheet}
    options["absent"] = missing_words(words)
    units: Mapping[str, Any] = {}
    engine = _engine(points)
    if engine is None and bins is not None and by is not None:
        raise ValueError("bins must be left out where by gives the labels; got both")
    if engine is not None:
        _refuse_for(
            engine, bins=bins, keep_samples=keep_samples, bad_files=bad_files, progress=progress
        )
        moments, notes = _on_cluster(points, by, features, exclude, missing, int(chunk)), [engine]
    elif is_streamed(points) and not keep_samples and _can_stream(points, by, bins):
        keys = list(by) if isinstance(by, list | tuple) else keys
        moments, notes, units = _streamed(
            points, by, bins, features, exclude, bad_files, int(chunk), progress, rng, rule, options
        )
    else:
        data = labeled_points(points, by, features, exclude, bins=bins, rng=rng, **rule, **options)
        moments, notes, keys, units = data.moments(), data.notes, data.columns, data.units
        say_dropped(data.dropped)
    X = moments.to_uncertain(spread)
    meaning = {"std": "the spread of its points", "sem": "the standard error of its mean"}[spread]
    each = "bin" if bins is not None else shown(keys) or "label"
    rows = f"one row for each {each}, with {meaning}"
    n = int(moments.sums.counts.sum())
    lines = [
        f"{notes[0]}{': ' if notes[0] else ''}{plural(n, 'labelled point')}",
        rows,
        *notes[1:],
    ]
    place = np.argsort(ordered(moments.labels, moments.categories).codes)
    counts = moments.sums.counts[place]
    return UncertainArray(
        X.mean,
        X.cov,
        weights=None if equal_weights else counts,
        counts=counts,
        source="values" if spread == "sem" else "groups",
        names=X.names,
        features=None if X.features is None else with_units(X.features, units),
        laws=[Samples(part) for part in data.split()[1]] if keep_samples else None,
        origin="\n".join(lines),
        check=False,
    ).replace(library=library_of(points))


# In memory


@dataclass
class LabelledPoints:
    """Points in memory with a label each.

    Attributes
    ----------
    points : ndarray of shape (n, D)
        Complete ones, all with a label.
    keys : Keyed
        Their labels.
    features : list of str, or None
    dropped : dict of str to int
        Points that were left out, by the reason.
    notes : list of str
        What the points are, and what was found out about them.
    columns : list of str
        The columns that hold the labels.
    units : dict of str to any
        Units of features, where they are known.
    """

    points: Floats
    keys: Keyed
    features: Sequence[str] | None
    dropped: dict[str, int]
    notes: list[str]
    columns: list[str]
    units: Mapping[str, Any]

    def moments(self) -> Moments:
        return Moments.of(self.points, self.keys, features=self.features, missing="drop")

    def split(self) -> tuple[tuple[str, ...], list[Floats]]:
        """The labels in their order, and the points of each."""
        factor = ordered(self.keys.values, self.keys.categories)
        codes = factor.codes[self.keys.codes]
        used, counts = np.unique(codes, return_counts=True)
        points = self.points[np.argsort(codes, kind="stable")]
        return tuple(factor.labels[k] for k in used), np.split(points, np.cumsum(counts)[:-1])


def labeled_points(
    points: Any,
    by: Any,
    features: Any = None,
    exclude: Any = None,
    *,
    bins: Any = None,
    missing: str = "error",
    bad_cells: str = "error",
    rng: Any = None,
    **options: Any,
) -> LabelledPoints:
    """Points and labels from an array or a table in memory, checked and complete."""
    _check_index(points, by)
    notes, names = [""], list[str]()
    units: Mapping[str, Any] = {}
    if is_table(points) or is_streamed(points) or hasattr(points, "read"):
        table = open_table(points, parameter="points", **options)
        names = [] if bins is not None else _key_columns(table, by)
        roles = _point_roles(table, names, features, exclude)
        reading = Reading(table, False, None, None, None, bad_cells=bad_cells, missing=missing)
        array = reading.numbers(roles.features)
        chosen: Any = roles.features
        mask = reading.mask
        keys = keyed([_labels_of(table, name) for name in names]) if names else None
        notes, units = [table.origin, *table.notes, *roles.say()], table.units
    else:
        array = as_floats(points, "points")
        if array.ndim != 2 or 0 in array.shape:
            raise ValueError(
                "points must have shape (n, D) with at least one point and feature; got "
                f"{array.shape}"
            )
        chosen = check_labels(features, "features", array.shape[1], "feature")
        keys, mask = None, np.ones(len(array), dtype=bool)
    n = len(array)
    if keys is None and bins is None:
        keys = keyed([by])
    codes = np.zeros(n, dtype=np.int64) if keys is None else keys.codes
    if len(codes) != n:
        raise ValueError(f"by must have one label for each point; got {len(codes)} for {n} points")
    with np.errstate(all="ignore"):  # one sum tells whether a value is missing
        empty = np.isnan(array) if np.isnan(array.sum(dtype=np.float64)) else None
    kept, dropped = _usable(codes, empty, mask, missing, chosen)
    dropped[_UNREADABLE] = n - int(mask.sum())
    if not kept.any():
        raise ValueError("points must have complete rows; every row lacks a label or a value")
    if not kept.all():
        array, codes = array[kept], codes[kept]
    check_finite(array, "points", ("row", "feature"))
    if bins is not None:
        binning = binning_of(bins, list(chosen or map(str, range(array.shape[1]))), rng_from(rng))
        binning.learn([array])
        keys = binning(array)
    elif keys is not None:
        keys = keys._replace(codes=codes)
    assert keys is not None
    return LabelledPoints(array, keys, chosen, dropped, notes, names, units)


def _usable(
    codes: npt.NDArray[np.int64],
    empty: npt.NDArray[np.bool_] | None,
    kept: npt.NDArray[np.bool_],
    missing: str,
    features: Sequence[str] | None,
    name: str = "",
    start: int = 0,
) -> tuple[npt.NDArray[np.bool_], Counter[str]]:
    """The rows with a label and all values, and how many lack one; refuses them where it must.

    ``kept`` are the rows whose cells are numbers, ``empty`` the cells without a value, and
    ``start`` is the number of rows before these in the file ``name``.
    """
    fault, lost = FileError if name else ValueError, (codes < 0) & kept
    if lost.any() and missing == "error":
        row = start + int(lost.argmax())
        said = (
            f"{name!r} has none in row {row}"
            if name
            else f"{lost.sum()} of {len(kept)} are missing"
        )
        raise fault(f"by must have a label for every point; {said}{_DROP}")
    dropped = Counter({_UNLABELLED: int(lost.sum())})
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
        dropped[_INCOMPLETE] = int(holes.sum())
        kept &= ~holes
    return kept, dropped


def _check_index(points: Any, by: Any) -> None:
    """Raise where pandas would match rows by an index, and position would match others."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(points, pandas.DataFrame):
        return
    if (
        isinstance(by, pandas.Series)
        and len(by) == len(points)
        and not by.index.equals(points.index)
    ):
        raise ValueError(
            "by must have the index of points; got a Series with another: pass "
            "by.reindex(points.index), or by.to_numpy() to go by position"
        )


def _point_roles(
    table: Table, keys: Sequence[str], features: Any, exclude: Any = None, held: Sequence[str] = ()
) -> Roles:
    """The columns of points with the labels ``keys``; columns that folders hold are no values."""
    expand(keys, table.names, "by")
    wanted = set() if features is None else set(expand(features, table.names, "features"))
    taken = {*keys, *(key for key in held if key not in wanted)}
    roles = find_roles(table, taken=taken, features=features, exclude=exclude, groups=True)
    if not roles.features:
        why = "".join(f"; {line}" for line in roles.say())
        raise ValueError(
            f"points must have at least one column of numbers besides the labels; got the columns "
            f"{listed(table.names)}{why}"
        )
    return roles


def _key_columns(table: Table, by: Any) -> list[str]:
    """The columns that ``by`` names; none if it holds one label for each point."""
    if isinstance(by, str):
        return [by]
    if by is None:
        raise TypeError(
            f"by must be one label for each point, a column or a list of columns; got None; the "
            f"columns are {listed(table.names)}"
        )
    # Names of pandas' columns may be numbers or tuples.
    own = {key: name for name, key in table.keys.items()}
    if not isinstance(by, list | tuple):
        return [own[by]] if isinstance(by, int | np.integer) and by in own else []
    if isinstance(by, tuple) and by in own:
        return [own[by]]
    if by and all(isinstance(key, str) for key in by):
        return list(by) if any(key in own for key in by) or len(by) != len(table) else []
    found = [own.get(key) if isinstance(key, int | str | tuple) else None for key in by]
    return [] if None in found or len(by) == len(table) else [str(name) for name in found]


def _labels_of(table: Table, name: str) -> Any:
    """A column of labels; whole numbers in a text file are in the order of numbers."""
    labels = table.labels(name)
    if table.textual:
        labels = _in_order([cell.strip() or None for cell in table.cells(name)])
    return labels


def _in_order(labels: Sequence[Any]) -> Sequence[Any]:
    """Texts as whole numbers where all are, written as Python writes them: 9 comes before 10."""
    try:
        numbers = [None if label is None else int(label) for label in labels]
    except (TypeError, ValueError):
        return labels
    same = all(n is None or str(n) == label for n, label in zip(numbers, labels, strict=True))
    return numbers if same else labels


# In files


class Piece(NamedTuple):
    """Some rows: their values, their labels (None without keys), rows read and rows left out."""

    points: Floats
    labels: Keyed | None
    read: int
    dropped: Counter[str]


def _empty_table(schema: Any) -> Table:
    """A table with the columns of a file and no rows, in which roles are found."""
    pa = library("pyarrow")
    kinds = {
        name: pa.float64() if is_number(kind) or pa.types.is_null(kind) else kind
        for name, kind in zip(schema.names, schema.types, strict=True)
    }
    return table_of(pa.schema(list(kinds.items()), schema.metadata).empty_table())


def is_number(kind: Any) -> bool:
    """Whether an Arrow type holds numbers; flags do not."""
    types = library("pyarrow").types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


def _is_text(kind: Any) -> bool:
    types = library("pyarrow").types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _kind_of(kind: Any) -> str:
    """What labels of an Arrow type are, whatever their width."""
    types = library("pyarrow").types
    kind = kind.value_type if types.is_dictionary(kind) else kind
    if _is_text(kind):
        return "text"
    return (
        "integers" if types.is_integer(kind) else "times" if types.is_timestamp(kind) else str(kind)
    )


@dataclass(frozen=True)
class Plan:
    """What to take from every source, and what to do with what is missing.

    Attributes
    ----------
    features, keys : list of str
        The columns of values and of labels.
    kinds : list of str
        What the labels are: text, integers and so on, the same in every source.
    roles : Roles or None
        How the columns were understood, where all numbers are used and every source must have
        the same.
    missing : {"error", "drop"}
    rows : int
        The size of a chunk.
    usable : list of Source
    like : str
        Which source the others must be like, for messages.
    marks : dict
        By source, what it was when it was first read.
    exclude : str, sequence of str or None
        Columns that the user leaves out.
    units : dict of str to any
        Units of columns, the same in every source.
    binning : Binning or None
        What labels points without keys.
    """

    features: list[str]
    keys: list[str]
    kinds: list[str]
    roles: Roles | None
    missing: str
    rows: int
    usable: list[Source] = field(default_factory=list)
    like: str = "the first"
    marks: dict[str, Any] = field(default_factory=dict)
    exclude: Any = None
    units: Mapping[str, Any] = field(default_factory=dict)
    binning: Binning | None = None

    def check(self, source: Source, schema: Any) -> None:
        """Raise unless a source has the columns of the first, with values and labels as there."""
        self.check_columns(source, schema)
        for name, kind in zip(self.keys, self.kinds, strict=True):
            held = _kind_of(schema.field(name).type)
            if held not in (kind, "null"):
                raise FileError(
                    f"labels must be of one kind, {kind} as in {self.like}; in {source.name!r} the "
                    f"column {name!r} holds {held}"
                )
        if self.roles is not None:
            table = _empty_table(schema)
            own = _point_roles(table, self.keys, None, self.exclude, [*source.keys]).features
            more = [name for name in own if name not in self.features]
            if more:
                raise FileError(
                    f"every file must have the columns of {self.like}; {source.name!r} has "
                    f"{listed(more)} too; choose columns with features="
                )

    def check_columns(self, source: Source, schema: Any) -> None:
        """Raise unless a source has the columns, once, with numbers in those of values."""
        wanted, null = [*self.features, *self.keys], library("pyarrow").types.is_null
        absent = [n for n in wanted if n not in schema.names]
        if absent:
            raise FileError(
                f"every file must have the columns of {self.like}; {source.name!r} has no "
                f"{listed(absent)}"
            )
        twice = [n for n in wanted if schema.names.count(n) > 1]
        if twice:
            raise FileError(
                f"column names must be distinct; {source.name!r} has several named {twice[0]!r}"
            )
        flag = library("pyarrow").types.is_boolean
        for name in self.features:
            # A column without a single value may have any type, as that of a file without rows has.
            kind = schema.field(name).type
            if not (is_number(kind) or null(kind) or flag(kind)):
                raise FileError(
                    f"values must be numbers in every file; in {source.name!r} the column {name!r} "
                    f"holds {kind}; choose other columns with features="
                )

    def check_marks(self, sources: Sequence[Source]) -> None:
        for source in sources:
            if self.marks.get(source.name) not in (None, _mark(source)):
                raise FileError(
                    f"files must not change while they are read; {source.name!r} has since the "
                    "bins were found"
                )

    def pieces(self, sources: Sequence[Source]) -> Iterator[Piece]:
        """The rows of all sources, a chunk at a time, checked and labelled.

        The points of a piece are overwritten when the next but one is asked for.
        """
        # One piece is in use while the next is read: new memory for each would cost as much time
        # as filling it.
        buffers = cycle([_Buffer(), _Buffer()])
        for chunk, buffer in zip(_ahead(self._chunks(sources)), buffers, strict=False):
            yield self._piece(*chunk, buffer)

    def _chunks(self, sources: Sequence[Source]) -> Iterator[tuple[Any, Any, Source, int, Any]]:
        known: Any = None
        for source in sources:
            schema, start = source.schema, 0
            check_units(source.units, self.units, source.name, self.like)
            if known is None or not schema.equals(known, check_metadata=True):
                self.check(source, schema)
                known = schema
            for batch, bad in source.batches(self.features, self.keys, self.rows):
                yield batch, bad, source, start, schema
                start += batch.num_rows

    def _piece(
        self, batch: Any, bad: Any, source: Source, start: int, schema: Any, buffer: _Buffer
    ) -> Piece:
        points, empty, finite = _matrix(batch, self.features, buffer)
        kept = np.ones(len(points), dtype=bool) if bad is None else ~bad
        labels, codes = None, np.zeros(len(points), dtype=np.int64)
        if self.keys:
            labels = keyed([batch.column(k) for k in self.keys])
            # Text may come as a dictionary, whose order then means nothing.
            is_dictionary = library("pyarrow").types.is_dictionary
            categories = tuple(
                own if is_dictionary(schema.field(key).type) else None
                for own, key in zip(labels.categories, self.keys, strict=True)
            )
            labels = labels._replace(categories=categories)
            codes = labels.codes
            if source.textual and empty is not None:
                # Spreadsheets write lines of separators below their rows.
                kept &= ~(empty.all(axis=1) & (codes < 0))
        kept, dropped = _usable(codes, empty, kept, self.missing, self.features, source.name, start)
        dropped[_UNREADABLE] = 0 if bad is None else int(bad.sum())
        if not kept.all():
            points = points[kept]
            labels = None if labels is None else labels._replace(codes=labels.codes[kept])
        if not finite and not np.isfinite(points).all():
            row, column = (int(i) for i in np.argwhere(~np.isfinite(points))[0])
            raise FileError(
                f"values must be finite; {source.name!r}, row "
                f"{start + int(np.flatnonzero(kept)[row])}, column {self.features[column]!r} is "
                f"{points[row, column]}"
            )
        if self.binning is not None:
            labels = self.binning(points)
        return Piece(points, labels, len(kept), dropped)


def _streamed(
    points: Any,
    by: Any,
    bins: Any,
    features: Any,
    exclude: Any,
    bad_files: str,
    rows: int,
    progress: Progress,
    rng: Any,
    rule: Mapping[str, str],
    options: Mapping[str, Any],
) -> tuple[Moments, list[str], Mapping[str, Any]]:
    """The moments of points in files, what was found out about them, and units of features."""
    keys = [by] if isinstance(by, str) else list(by) if isinstance(by, list | tuple) else []
    if bins is None and not (keys and all(isinstance(key, str) for key in keys)):
        raise TypeError(
            f"by must name columns of the files; got {type(by).__name__}; bins= is for points "
            "without labels"
        )
    skipped: list[str] | None = [] if bad_files == "skip" else None
    sources, notes = sources_of(points, skipped, bad_cells=rule["bad_cells"], **options)
    plan = _planned(sources, keys, features, exclude, rule["missing"], rows, skipped)
    if bins is not None:
        if any(source.once for source in sources):
            raise TypeError(
                "points must be readable twice for bins; got a stream that can be read once"
            )
        binning = binning_of(bins, plan.features, rng_from(rng))
        plan = _learned(plan, binning, skipped)
    moments = _collected(plan, skipped, progress)
    if bins is None and moments.labels:
        # Labels of text files and of folders are in the order of numbers where they are numbers.
        parts: list[Any] = [moments.labels]
        parts = parts if len(keys) == 1 else list(zip(*moments.labels, strict=True))
        textual = [k for k in keys if any(s.textual or k in s.keys for s in plan.usable)]
        parts = [
            _in_order(part) if k in textual else part for k, part in zip(keys, parts, strict=True)
        ]
        new = tuple(parts[0]) if len(keys) == 1 else tuple(zip(*parts, strict=True))
        moments = replace(moments, labels=new)
    n = len(plan.usable)
    name = plan.usable[0].name if n == 1 else plural(n, "file")
    said = plan.roles.say() if plan.roles is not None else ()
    return moments, [name, *notes, *said], plan.units


def _planned(
    sources: Sequence[Source],
    keys: list[str],
    features: Any,
    exclude: Any,
    missing: str,
    rows: int,
    skipped: list[str] | None,
) -> Plan:
    """The plan that the first source gives; those that cannot be used go to ``skipped``.

    Where files may be skipped, the plan is the one that suits most of them, so that a first file
    that is unlike all others is the one to go.
    """
    models: dict[tuple[Any, ...], list[int]] = {}
    plans: dict[tuple[Any, ...], Plan] = {}
    usable: list[Source] = []
    first: ValueError | None = None
    count = len(sources) + len(skipped or ())
    for source in sources:
        try:
            if _is_blank(source):
                usable.append(source)
                continue
            plan = _model(source, keys, features, exclude, missing, rows)
        except ValueError as error:
            if skipped is None:
                raise
            first = first or error
            said = str(error)
            skipped.append(said if source.name in said else f"{source.name!r}: {said}")
            continue
        model = (tuple(plan.features), tuple(plan.kinds))
        models.setdefault(model, []).append(len(usable))
        plans.setdefault(model, plan)
        usable.append(source)
        if skipped is None:
            usable += sources[len(usable) :]
            break
    if not models:
        if first is not None and not isinstance(first, FileError) and count == 1:
            raise first
        why = skipped[0] if skipped else "they have no rows"
        raise FileError(f"points must have a file that can be read; none of {count} can: {why}")
    model = max(models, key=lambda own: len(models[own]))
    like = "the first" if min(map(min, models.values())) in models[model] else "most"
    return replace(plans[model], usable=usable, like=like)


def _model(
    source: Source, keys: list[str], features: Any, exclude: Any, missing: str, rows: int
) -> Plan:
    """The plan that one source gives: its features and the kinds of its labels."""
    schema = source.schema
    roles = _point_roles(_empty_table(schema), keys, features, exclude, [*source.keys])
    types = library("pyarrow").types
    for key in keys:
        kind = schema.field(key).type
        if types.is_nested(kind) and not types.is_dictionary(kind):
            raise ValueError(
                f"by must name columns of text, numbers, dates or times; {key!r} holds {kind}"
            )
    kinds = [_kind_of(schema.field(key).type) for key in keys]
    every = roles if features is None else None
    plan = Plan(
        roles.features, keys, kinds, every, missing, rows, exclude=exclude, units=source.units
    )
    plan.check_columns(source, schema)
    return plan


def _is_blank(source: Source) -> bool:
    """Whether a file has no rows and columns without a type, such as a header alone."""
    null = library("pyarrow").types.is_null
    blank = [null(kind) for kind in source.schema.types]
    return all(blank) if not any(blank) or all(blank) else source.count == 0


def _collected(plan: Plan, skipped: list[str] | None, progress: Progress) -> Moments:
    """The moments of all sources of a plan; what is wrong with those left out goes to skipped."""
    dropped: Counter[str] = Counter()
    total, unit = _extent(plan.usable) if progress else (len(plan.usable), "files")

    def run(sources: Sequence[Source], report: Callable[[int], None]) -> Moments:
        plan.check_marks(sources)
        try:
            found = _summed(plan, sources, report if unit == "rows" else None)
        except Overflow as error:
            raise _farthest(plan, sources) or error from None
        plan.check_marks(sources)
        dropped.update(found.dropped)
        return found.moments

    with reported(progress, total, unit) as report:
        if skipped is None:
            moments = run(plan.usable, report)
            report(0 if unit == "rows" else len(plan.usable))
        else:
            moments = Moments.empty(len(plan.features), features=plan.features)
            for source in plan.usable:
                # A file counts when all of it could be read.
                try:
                    moments = moments.merge(run([source], report))
                except FileError as error:
                    skipped.append(str(error))
                report(0 if unit == "rows" else 1)
    say_dropped(dropped, skipped or ())
    return moments


def _mark(source: Source) -> Any:
    """What changes when a file does; None for what is no file."""
    try:
        known = os.stat(source.name)
    except OSError:
        return None
    return known.st_size, known.st_mtime_ns


def _summed(
    plan: Plan, sources: Sequence[Source], report: Callable[[int], None] | None = None
) -> Partial:
    """The moments of some sources, and how many of their rows were left out."""
    names = tuple(plan.features)
    collector = Collector(len(names), min(plan.rows, _ROWS), features=names, direct=_DIRECT)
    dropped: Counter[str] = Counter()
    for piece in _ahead(plan.pieces(sources)):
        dropped += piece.dropped
        assert piece.labels is not None
        collector.add(piece.points, piece.labels)
        if report is not None:
            report(piece.read)
    return Partial(collector.moments(), dropped)


def _learned(plan: Plan, binning: Binning, skipped: list[str] | None) -> Plan:
    """The plan for the sources that a binning could be learned from."""
    usable: list[Source] = []
    marks = {source.name: _mark(source) for source in plan.usable}
    if isinstance(binning, Grid) and plan.missing == "error" and skipped is None:
        names = [plan.features[j] for j in binning.columns]
        held = [source.extremes(names) for source in plan.usable]
        known = [part for part in held if part is not None]
        if len(known) == len(held) and any(map(len, known)):
            # Nothing is left out, so that the statistics of the files tell the extremes.
            ends = np.zeros((sum(map(len, known)), len(plan.features)))
            ends[:, binning.columns] = np.concatenate(known)
            binning.learn([ends])
            return replace(plan, marks=marks, binning=binning)

    def points() -> Iterator[Floats]:
        for source in plan.usable:
            try:
                for piece in plan.pieces([source]):
                    yield piece.points
            except FileError as error:
                if skipped is None:
                    raise
                skipped.append(str(error))
                continue
            usable.append(source)

    binning.learn(points())
    return replace(plan, usable=usable, marks=marks, binning=binning)


def _farthest(plan: Plan, sources: Sequence[Source]) -> FileError | None:
    """What to say of the value that is too large to be squared; None if it cannot be found."""
    if any(source.once for source in sources):
        return None
    found = (0.0, "", "", 0)
    for source in sources:
        start = 0
        for piece in plan.pieces([source]):
            sizes = abs(piece.points)
            if sizes.size and sizes.max() > found[0]:
                row, column = divmod(int(sizes.argmax()), len(plan.features))
                found = (float(sizes.max()), source.name, plan.features[column], start + row)
            start += piece.read
    return FileError(
        f"values must have squares that fit into float64; {found[1]!r}, about row {found[3]}, "
        "column "
        f"{found[2]!r} is {found[0]:g}; divide the data by its largest magnitude"
    )


def _extent(sources: Sequence[Source]) -> tuple[int, str]:
    """How much there is to do: rows where all sources know their number, files otherwise."""
    known = [source.count for source in sources if source.count is not None]
    return (sum(known), "rows") if len(known) == len(sources) else (len(sources), "files")


def _can_stream(points: Any, by: Any, bins: Any) -> bool:
    """Whether points can be read a chunk at a time; without pyarrow a text file is read whole."""
    try:
        library("pyarrow")
    except ImportError:
        return not isinstance(points, str)
    lazy = hasattr(points, "collect_schema") or hasattr(points, "to_arrow_reader")
    if not lazy or bins is not None or by is None or isinstance(by, str):
        return True
    # Labels beside a lazy frame or a query go with its rows once they are in memory.
    if not isinstance(by, list | tuple):
        return False
    names = points.collect_schema().names() if hasattr(points, "collect_schema") else points.columns
    return any(key in names for key in by if isinstance(key, str))


def _ahead(parts: Iterator[_T]) -> Iterator[_T]:
    """The parts, of which the next is made in a thread of its own while the last is in use."""
    with ThreadPoolExecutor(1, thread_name_prefix="uapca-read") as pool:
        coming = pool.submit(next, parts, None)
        while (part := coming.result()) is not None:
            coming = pool.submit(next, parts, None)
            yield part


class _Buffer:
    """Memory for a matrix, used again while it is large enough."""

    def __init__(self) -> None:
        self._array: Floats = np.empty((0, 0))

    def matrix(self, n: int, d: int, dtype: type[np.floating[Any]]) -> Floats:
        if self._array.shape[0] < n or self._array.shape[1] != d or self._array.dtype != dtype:
            self._array = np.empty((n, d), dtype=dtype)
        return self._array[:n]


def _matrix(batch: Any, names: Sequence[str], buffer: _Buffer) -> tuple[Floats, Any, bool]:
    """Columns as those of a matrix, where values are missing (None if nowhere), and more.

    The last is whether all sums are finite, so that all values must be.
    """
    pa = library("pyarrow")
    columns, gaps, finite = [], [], True
    single = all(batch.schema.field(name).type == pa.float32() for name in names)
    target = pa.float32() if single else pa.float64()
    for j, name in enumerate(names):
        column = batch.column(name)
        if pa.types.is_boolean(column.type):
            column = column.cast(pa.int8())
        if column.type != target:
            # Whole numbers beyond 2⁵³ are rounded, as they are everywhere else.
            column = column.cast(target, safe=False)
        values = column.to_numpy(zero_copy_only=False)
        columns.append(values)
        # A null becomes NaN on the way, and NaN stands for no value as it does elsewhere.
        with np.errstate(over="ignore", invalid="ignore"):
            total = float(values.sum(dtype=np.float64))
        finite = finite and math.isfinite(total)
        if column.null_count or math.isnan(total):
            gaps.append(j)
    n = batch.num_rows
    matrix = buffer.matrix(n, len(names), np.float32 if single else np.float64)
    for start in range(0, n, _TURNED):
        for j, values in enumerate(columns):
            matrix[start : start + _TURNED, j] = values[start : start + _TURNED]
    if not gaps:
        return matrix, None, finite
    empty = np.zeros(matrix.shape, dtype=bool)
    empty[:, gaps] = np.isnan(matrix[:, gaps])
    return matrix, empty, finite


# On a cluster


def _engine(points: Any) -> str | None:
    """The engine that holds the points: ``"Dask"``, ``"Spark"``, or None."""
    if dask.is_dask_array(points) or dask.is_dask_frame(points):
        return "Dask"
    return "Spark" if spark.is_spark(points) else None


def _refuse_for(engine: str, **given: Any) -> None:
    """Raise unless parameters that are for data elsewhere were left out."""
    why = {
        "bins": "add a column of labels first, and name it in by",
        "keep_samples": "only the moments leave the cluster",
        "bad_files": f"files are read by {engine}, which has its own rules",
        "progress": f"{engine} shows the progress of its tasks itself",
    }
    for name, value in given.items():
        if value not in (None, False, "error"):
            raise ValueError(f"{name} must be left out for data of {engine}: {why[name]}")


def _on_cluster(
    points: Any, by: Any, features: Any, exclude: Any, missing: str, rows: int
) -> Moments:
    """The moments of points on a cluster."""
    found: Partial | None
    rule = "raise" if missing == "error" else "drop"
    if dask.is_dask_array(points):
        if by is None or isinstance(by, str | bytes):
            raise TypeError(f"by must be one label for each point; got {by!r}")
        found = dask.array_partial(points, by, features=features, missing=rule, rows=rows)
    elif dask.is_dask_frame(points):
        table = table_of(points._meta, "points")
        plan = _partition_plan(table, by, features, exclude, missing, rows)
        own = [table.keys[name] for name in (*plan.features, *plan.keys)]
        found = dask.frame_partial(points, own, partial(_of_pandas, plan))
    else:
        schema = spark.arrow_schema(points)
        table = table_of(schema.empty_table(), "points")
        plan = _partition_plan(table, by, features, exclude, missing, rows)
        needed = [*plan.features, *plan.keys]
        kinds = library("pyarrow").schema([schema.field(name) for name in needed])
        found = spark.frame_partial(points, needed, partial(_of_arrow, plan, kinds))
    if found is None:
        return Moments.empty(len(plan.features), features=plan.features)
    say_dropped({_REASONS.get(why, why): n for why, n in found.dropped.items()})
    return found.moments


# How the sums of Dask arrays call what they left out.
_REASONS = {"label": _UNLABELLED, "value": _INCOMPLETE}


class PartitionPlan(Plan):
    """What to take from every partition."""

    def check(self, source: Source, schema: Any) -> None:
        types = library("pyarrow").types
        for name in self.features:
            kind = schema.field(name).type
            # A partition without a single value may have any type.
            if not is_number(kind) and not types.is_null(kind):
                raise FileError(
                    f"values must be numbers in every partition; {source.name!r}, column "
                    f"{name!r} holds {kind}"
                )


def _partition_plan(
    table: Table, by: Any, features: Any, exclude: Any, missing: str, rows: int
) -> PartitionPlan:
    """The plan for all partitions, from a table like them without rows."""
    keys = [] if dask.is_dask(by) else _key_columns(table, by)
    if not keys:
        raise TypeError(f"by must name a column of the frame, or several; got {type(by).__name__}")
    roles = _point_roles(table, keys, features, exclude)
    return PartitionPlan(roles.features, keys, [], None, missing, rows)


def _of_pandas(plan: PartitionPlan, frame: Any, number: int) -> Partial:
    pa = library("pyarrow")
    name = f"partition {number}"
    frame = frame.set_axis([*plan.features, *plan.keys], axis=1)
    try:
        table = pa.Table.from_pandas(frame, preserve_index=False, nthreads=1)
    except pa.ArrowException as error:
        said = str(error).splitlines()[0].rstrip(".")
        raise FileError(
            f"columns must hold values of one kind; {name!r} does not: {said}"
        ) from error
    # Text of partitions that were put together comes in pieces.
    return _summed_partition(plan, name, table.schema, table.combine_chunks().to_batches())


def _of_arrow(plan: PartitionPlan, kinds: Any, batches: Iterable[Any], number: int) -> Partial:
    return _summed_partition(plan, f"partition {number}", kinds, batches)


def _summed_partition(
    plan: PartitionPlan, name: str, schema: Any, batches: Iterable[Any]
) -> Partial:
    return _summed(plan, [stream_of(name, schema, lambda names, rows: batches, once=True)])


# Over time


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
        The columns to use: by default those that `from_groups` uses of the first chunk. For
        arrays, the names of their columns.
    half_life : float, optional
        Lets the past fade: a point counts half as much after that many later points. A label
        that has faded to 2⁻⁴⁰⁰ of the heaviest is forgotten.
    window : int, optional
        Only the latest points count, that many over all labels. They are kept.
    missing : {"error", "drop"}, default="error"
        What to do with points that lack the label or a value: refuse the chunk, or leave them out
        as if they had never come.

    See Also
    --------
    uapca.from_groups : Labeled points: one row for each label.
    uapca.aggregate.Moments : Counts, means and covariances that can be merged.

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
        missing: Literal["error", "drop"] = "error",
    ) -> None:
        check_choice(missing, ("error", "drop"), "missing")
        if half_life is not None and window is not None:
            raise ValueError("window must be left out with half_life; got both")
        self._by = _column_names("by", [by] if isinstance(by, str) else by)
        self._features = _column_names("features", features)
        self._half_life = None if half_life is None else _positive("half_life", half_life)
        self._window = None if window is None else int(_positive("window", window, whole=True))
        self._missing = missing
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
        parts = [plural(self._count, "point")]
        parts += [] if self._collector is None else [plural(self._collector.d, "feature")]
        parts += [] if self._by is None else [f"by {', '.join(self._by)}"]
        parts += [] if self._half_life is None else [f"half-life {self._half_life:g}"]
        parts += [] if self._window is None else [f"window {self._window}"]
        return f"Aggregator: {', '.join(parts)}"

    def partial_fit(
        self, points: Any, labels: Any = None, weights: npt.ArrayLike | None = None
    ) -> Self:
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
            check_rows(keys.codes, len(array), "raise" if self._missing == "error" else "drop")
            w = None if weights is None else weights_of(weights, len(array))
            kept = keys.codes >= 0
            if self._missing == "drop":
                kept &= ~np.isnan(array).any(axis=1)
            check_finite(labeled_rows(array, np.where(kept, 0, -1)), "points", ("row", "feature"))
            collector = self._collector or self._new(array.shape[1], names)
            if array.shape[1] != collector.d:
                raise ValueError(
                    f"points must have the {collector.d} features of the first chunk; got "
                    f"{array.shape[1]}"
                )
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
            raise ValueError("points must be at least one; call partial_fit first")
        with self._lock:
            return self._collector.moments()

    def to_uncertain(self, spread: Literal["std", "sem"] = "std") -> UncertainArray:
        """A snapshot: one row for each label; ``spread`` as in `from_groups`."""
        check_choice(spread, ("std", "sem"), "spread")
        return self.moments().to_uncertain(spread)

    def _new(self, d: int, names: tuple[str, ...] | None) -> Collector:
        if self._half_life is not None:
            return Decaying(d, _LIVE_ROWS, self._half_life, features=names)
        if self._window is not None:
            return Sliding(d, _LIVE_ROWS, self._window, features=names)
        return Collector(d, _LIVE_ROWS, features=names)

    def _read(self, points: Any, labels: Any) -> tuple[Floats, Keyed, tuple[str, ...] | None]:
        if self._by is not None and (labels is not None or not is_table(points)):
            got = (
                f"an object of type {type(points).__name__}"
                if labels is None
                else "labels beside it"
            )
            raise TypeError(
                f"points must be a table with the labels in {listed(self._by)}; got {got}"
            )
        if not is_table(points):
            array = as_floats(points, "points")
            if array.ndim != 2 or not array.shape[1]:
                raise ValueError(
                    f"points must have shape (n, D) with at least one feature; got {array.shape}"
                )
            names = check_labels(self._features, "features", array.shape[1], "feature")
            return array, _given(labels, len(array)), names
        table, by = table_of(points, "points"), self._by or []
        roles = _point_roles(table, by, self._features)
        keys = keyed([table.labels(key) for key in by]) if by else _given(labels, len(table))
        return table.block(roles.features), keys, tuple(roles.features)


def _far(values: Floats) -> bool:
    """Whether moments of such values may be too large for floats."""
    return bool(max(values.max(initial=0.0), -values.min(initial=0.0)) > _LARGE)


def _given(labels: Any, n: int) -> Keyed:
    if labels is None:
        return Keyed(np.zeros(n, dtype=np.int64), ("all",) if n else (), (None,))
    return keyed([labels])


def _column_names(parameter: str, names: Any) -> list[str] | None:
    """Names of columns, at least one, or None."""
    if names is None:
        return None
    given = [] if isinstance(names, str) or not isinstance(names, Iterable) else list(names)
    if not given or (parameter == "by" and not all(isinstance(name, str) for name in given)):
        raise TypeError(f"{parameter} must name columns, at least one; got {names!r}")
    return list(map(str, given))


def _positive(parameter: str, value: Any, whole: bool = False) -> float:
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    if isinstance(value, bool) or not isinstance(value, kinds) or not 0 < value < np.inf:
        raise ValueError(f"{parameter} must be a positive number of points; got {value!r}")
    return float(value)
