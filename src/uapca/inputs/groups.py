"""Labeled points: one uncertain row for each label, in memory, in files or on a cluster."""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import partial
from os import PathLike
from queue import SimpleQueue
from threading import Event, Lock
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from uapca._names import several
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
from uapca.aggregate.collector import Collector, Running, Sliding
from uapca.aggregate.labels import Keyed, Vocabulary, is_a, ordered
from uapca.aggregate.moments import (
    Overflow,
    Partial,
    SpreadForm,
    check_length,
    complete_rows,
    labeled_rows,
    labels_of,
    rank_of,
    weights_of,
)
from uapca.exceptions import FileError
from uapca.inputs.cells import check_words
from uapca.inputs.columns import Roles, expand, find_roles
from uapca.inputs.files import (
    Source,
    check_units,
    is_streamed,
    library,
    open_table,
    skip,
    sources_of,
    stream_of,
)
from uapca.inputs.frame import (
    Reading,
    Table,
    check_missing_words,
    is_table,
    say_dropped,
    table_of,
    with_units,
)
from uapca.laws import Samples
from uapca.uncertain import UncertainArray
from uapca.uncertain.units import without_units

__all__ = ["Aggregator", "from_groups"]

_NOTHING_LEFT = "points must have complete rows; every row lacks a label or a value"
_UNREADABLE = "with a cell that cannot be read"
# Rows and values that are summed at a time.
_ROWS, _VALUES = 262_144, 1 << 23
# Parts of the sources, the threads that share them, and seconds between reports of progress.
_TASKS, _THREADS, _LOOK = 16, 2, 0.05
# Rows that are read from a file at a time, and turned from columns, while they are in cache.
_BATCH, _TURNED = 65_536, 1024
# Rows that the Aggregator sums at a time: few enough to stay in cache.
_LIVE_ROWS = 16_384
# Weights times squares of values up to here, and their sums, are far from the largest float.
_LARGE = 1e90
# A range of values in a batch up to here has squares whose sum fits into float64.
_FAR = 1e150
_WHOLE = re.compile(r"0|-?[1-9][0-9]*")


def from_groups(
    points: Any,
    by: Any = None,
    spread: Literal["std", "sem"] = "std",
    *,
    bins: int | Mapping[str, int] | None = None,
    spread_form: SpreadForm = "full",
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
    encoding: str | None = None,
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
        variance), for any labeling; a label with one point is certain. ``"sem"``: the mean of
        replicates, with the covariance of that mean, the unbiased covariance ÷ n; every label
        needs at least two points.
    bins : int or dict, optional
        For points without labels, in place of ``by``. A number: that many clusters, found by
        mini-batch k-means in features of unit variance. A number of cells for some features,
        such as ``{"x": 20, "y": 25}`` (columns of an array by ``"0"``, ``"1"``, …): the occupied
        cells of a grid between their extremes. Files are read twice, unless Parquet's own
        statistics tell the extremes.
    spread_form : {"full", "diagonal"} or int, default="full"
        What is kept of the covariance of each label. ``"full"``: all of its D² numbers.
        ``"diagonal"``, for many labels of many features: its D variances, and one matrix for the
        covariance within all labels; memory grows with labels × D. The rows share the
        correlations of that matrix (see Notes), so that their means and covariances together still
        have exactly the covariance of all points. A number r: its r leading directions too,
        where labels spread in directions of their own; memory grows with labels × D × r.
    keep_samples : bool, default=False
        Whether to keep the points as the law of their row, so that its density shows their
        shape; files are then read whole. For ``spread="std"`` only.
    equal_weights : bool, default=False
        Whether all rows count the same instead of by their number of points.
    missing : {"error", "drop"}, default="error"
        What to do with points that lack the label or a value: refuse, or leave the whole point
        out and count it in a `DroppedRowsWarning`. Never a value alone: covariances of pairs of
        columns from different points need not be positive semi-definite. `uapca.Denoiser` of the
        points of a group estimates its moments by maximum likelihood from the observed values.
    bad_cells : {"error", "drop"}, default="error"
        What to do with points with a cell that is not a number: refuse, with file, row and column,
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
    decimal, thousands, sheet, encoding
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

    Notes
    -----
    With ``spread_form="diagonal"``, v the variances of a label, W the covariance within all labels,
    S its diagonal and R its correlations, the covariance of a row is S½R½ diag(v/S) R½S½. These are
    positive semi-definite and average to W. They equal the covariances of the points where
    features do not correlate within labels, or where all labels have multiples of one covariance;
    otherwise ``X.std`` of a row is a mixture of its features' relative spreads. With r directions F
    of each label, F Fᵀ is kept as it is, and the same is done with what it leaves of the variances
    and of W. Directions are found as points come: which ones are left out depends slightly on
    chunks, the covariance of all points does not.

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
    rank_of(spread_form)
    if str(missing) == "keep":
        raise ValueError(
            "missing must be 'error' or 'drop' for groups; got 'keep': a group needs whole points; "
            "where values are missing here and there, compute the mean and the error of each "
            "feature first, as the tutorial on replicates does"
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
    options: dict[str, Any] = {"decimal": decimal, "thousands": thousands, "sheet": sheet}
    options |= {"encoding": encoding, "words": check_words(words), "bad_cells": bad_cells}
    check_missing_words(options["words"])
    keys = [by] if isinstance(by, str) else list(by) if isinstance(by, list | tuple) else []
    units: Mapping[str, Any] = {}
    skipped: list[str] | None = [] if bad_files == "skip" else None
    plan = Plan([], keys, missing, int(chunk), spread_form=spread_form)
    engine = _engine(points)
    if engine is None and bins is not None and by is not None:
        raise ValueError("bins must be left out where by gives the labels; got both")
    if engine is not None:
        _refuse_for(
            engine, bins=bins, keep_samples=keep_samples, bad_files=bad_files, progress=progress
        )
        found, notes = _on_cluster(plan, points, by, features, exclude), [engine]
        keys = [by] if isinstance(by, str) else []
    elif is_streamed(points) and not keep_samples and _can_stream(points, by, bins):
        if bins is None and not (keys and all(isinstance(key, str) for key in keys)):
            raise TypeError(
                f"by must name columns of the files; got {type(by).__name__}; bins= is for points "
                "without labels"
            )
        sources, noted = sources_of(points, skipped, **options)
        plan = plan.of_sources(sources, features, exclude, skipped)
        if bins is not None:
            plan = plan.binned(binning_of(bins, plan.features, rng_from(rng)), skipped)
        found, notes, units = _collected(plan, skipped, progress), plan.notes(noted), plan.units
    else:
        data = labeled_points(
            points, by, features, exclude, bins=bins, rng=rng, missing=missing, **options
        )
        sums = Moments.of(
            data.points, data.keys, features=data.features, missing="drop", spread_form=spread_form
        )
        found = Partial(sums, data.dropped, data.left)
        notes, keys, units = data.notes, data.columns, data.units
    moments = found.moments
    say_dropped(found.dropped, skipped or (), len(found.left - {*moments.labels}))
    if not moments.labels and found.dropped:
        raise ValueError(_NOTHING_LEFT)
    X = moments.to_uncertain(spread)
    meaning = {"std": "the spread of its points", "sem": "the standard error of its mean"}[spread]
    each = "bin" if bins is not None else several(keys) or "label"
    counts = moments.sums.counts[np.argsort(moments.order.codes)]
    said = f"{notes[0]}{': ' if notes[0] else ''}{plural(int(counts.sum()), 'labeled point')}"
    lines = [said, f"one row for each {each}, with {meaning}", *notes[1:]]
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


class LabeledPoints(NamedTuple):
    """Points in memory with a label each.

    Attributes
    ----------
    points : ndarray of shape (n, D)
        Complete ones, all with a label.
    keys : Keyed
        Their labels.
    features : list of str, or None
    dropped : Counter of str
        Points that were left out, by the reason.
    left : frozenset
        Their labels.
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
    dropped: Counter[str]
    left: frozenset[Any]
    notes: list[str]
    columns: list[str]
    units: Mapping[str, Any]

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
) -> LabeledPoints:
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
        mask, keys = reading.mask, None
        if names:
            keys = keyed([table.texts(n) if table.textual else table.labels(n) for n in names])
            keys = keys._replace(values=_in_order(keys.values, [table.textual] * len(names)))
        notes, units = [table.origin, *table.notes, *roles.say()], table.units
    else:
        points, *_, features = without_units(points, None, None, None, features)
        array, chosen = _matrix(points, features)
        keys, mask = None, np.ones(len(array), dtype=bool)
        if not len(array):
            raise ValueError("points must hold at least one point; got none")
    n = len(array)
    if keys is None and bins is None:
        keys = keyed([by])
    codes = np.zeros(n, dtype=np.int64) if keys is None else keys.codes
    check_length(codes, n)
    with np.errstate(all="ignore"):  # one sum tells whether a value is missing
        empty = np.isnan(array) if np.isnan(array.sum(dtype=np.float64)) else None
    kept, dropped = complete_rows(codes, empty, missing, mask, features=chosen)
    dropped[_UNREADABLE] = n - int(mask.sum())
    if not kept.any():
        raise ValueError(_NOTHING_LEFT)
    left = set[Any]()
    if keys is not None:
        keys, left = keys.only(kept)
    array = array if kept.all() else array[kept]
    check_finite(array, "points", ("row", "feature"))
    if bins is not None:
        binning = binning_of(bins, list(chosen or map(str, range(array.shape[1]))), rng_from(rng))
        binning.learn([array])
        keys = binning(array)
    assert keys is not None
    return LabeledPoints(array, keys, chosen, dropped, frozenset(left), notes, names, units)


def _matrix(points: Any, features: Any) -> tuple[Floats, tuple[str, ...] | None]:
    """Points without names of columns, and what their features are called."""
    array = as_floats(points, "points")
    if array.ndim != 2 or not array.shape[1]:
        raise ValueError(
            f"points must have shape (n, D) with at least one feature; got {array.shape}"
        )
    return array, check_labels(features, "features", array.shape[1], "feature")


def _check_index(points: Any, by: Any, parameter: str = "by") -> None:
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
            f"{parameter} must have the index of points; got a Series with another: pass "
            f"{parameter}.reindex(points.index), or {parameter}.to_numpy() to go by position"
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


def _in_order(labels: Sequence[Any], textual: Sequence[bool]) -> tuple[Any, ...]:
    """Labels with numbers for the texts of a key where all are whole numbers: 9 comes before 10."""
    if not labels:
        return ()
    keys: list[Sequence[Any]] = [labels] if len(textual) == 1 else [*zip(*labels, strict=True)]
    for k, key in enumerate(keys):
        # Only numbers as Python writes them: 001 and 1 are different labels.
        if textual[k] and all(_WHOLE.fullmatch(label) for label in key):
            keys[k] = list(map(int, key))
    return tuple(keys[0]) if len(textual) == 1 else tuple(zip(*keys, strict=True))


# In files


class Piece(NamedTuple):
    """Points and their labels (None without keys), rows read, rows left out, and their labels.

    The points of one batch are a list of columns, those of several batches a matrix.
    """

    points: Any
    labels: Keyed | None
    read: int
    dropped: Counter[str]
    left: set[Any]


def is_number(kind: Any) -> bool:
    """Whether an Arrow type holds numbers; flags do not."""
    types = library("pyarrow").types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


def _kind_of(kind: Any) -> str:
    """What labels of an Arrow type are, whatever their width."""
    types = library("pyarrow").types
    kind = kind.value_type if types.is_dictionary(kind) else kind
    tests = {
        "text": (types.is_string, types.is_large_string, types.is_string_view),
        "integers": (types.is_integer,),
        "times": (types.is_timestamp,),
    }
    return next((name for name, own in tests.items() if any(t(kind) for t in own)), str(kind))


@dataclass(frozen=True)
class Plan:
    """What to take from every source, and what to do with what is missing.

    Attributes
    ----------
    features, keys : list of str
        The columns of values and of labels.
    missing : {"error", "drop"}
    rows : int
        The size of a chunk.
    kinds : list of str
        What the labels are: text, integers and so on, the same in every source.
    roles : Roles or None
        How the columns were understood, where all numbers are used and every source must have
        the same.
    exclude : str, sequence of str or None
        Columns that the user leaves out.
    columns : dict of str to pyarrow.DataType
        The types of columns, for sources in which they are empty.
    units : dict of str to any
        Units of columns, the same in every source.
    sources : list of Source
    binning : Binning or None
        What labels points without keys.
    spread_form : {"full", "diagonal"} or int
    """

    features: list[str]
    keys: list[str]
    missing: str
    rows: int
    kinds: Sequence[str] = ()
    roles: Roles | None = None
    exclude: Any = None
    columns: Mapping[str, Any] = field(default_factory=dict)
    units: Mapping[str, Any] = field(default_factory=dict)
    sources: Sequence[Source] = ()
    binning: Binning | None = None
    spread_form: SpreadForm = "full"

    def check(self, source: Source) -> None:
        """Raise unless a source has the columns, with values and labels as they must be."""
        schema, types = source.schema, library("pyarrow").types
        wanted = [*self.features, *self.keys]
        absent = [name for name in wanted if name not in schema.names]
        if absent:
            raise FileError(
                f"every file must have the same columns; {source.name!r} has no {listed(absent)}"
            )
        twice = [name for name in wanted if schema.names.count(name) > 1]
        if twice:
            raise FileError(
                f"column names must be distinct; {source.name!r} has several named {twice[0]!r}"
            )
        for name in self.features:
            # A column without a single value may have any type, as that of a file without rows has.
            kind = schema.field(name).type
            if not (is_number(kind) or types.is_null(kind) or types.is_boolean(kind)):
                raise FileError(
                    f"values must be numbers; in {source.name!r} the column {name!r} holds {kind}; "
                    "choose other columns with features="
                )
        for name, kind in zip(self.keys, self.kinds, strict=False):
            held = _kind_of(schema.field(name).type)
            if held not in (kind, "null"):
                raise FileError(
                    f"labels must be of one kind, here {kind}; in {source.name!r} the column "
                    f"{name!r} holds {held}"
                )
        if self.roles is not None:
            own = self.roles_of(source, None)
            more = [name for name in own.features if name not in self.features]
            if more:
                raise FileError(
                    f"every file must have the same columns; {source.name!r} has {listed(more)} "
                    "too; choose columns with features="
                )

    def roles_of(self, source: Source, features: Any) -> Roles:
        """What the columns of a source are, by their types."""
        pa, kinds = library("pyarrow"), _types(source)
        for name, kind in kinds.items():
            own = self.columns.get(name, kind) if pa.types.is_null(kind) else kind
            kinds[name] = pa.float64() if is_number(own) else own
        table = table_of(pa.schema(list(kinds.items()), source.schema.metadata).empty_table())
        return _point_roles(table, self.keys, features, self.exclude, [*source.keys])

    def of_sources(
        self, sources: Sequence[Source], features: Any, exclude: Any, skipped: list[str] | None
    ) -> Plan:
        """The plan that the first source gives; those that cannot be used go to ``skipped``.

        Where files may be skipped, the plan is the one that suits most of them, so that a first
        file that is unlike all others is the one to go.
        """
        types, plans, usable = library("pyarrow").types, list[Plan](), list[Source]()
        known = [(n, t) for own in sources for n, t in _types(own).items() if not types.is_null(t)]
        bare = replace(self, exclude=exclude, columns=dict(reversed(known)))
        for source in sources:
            own = _types(source)
            blank = [*map(types.is_null, own.values())]
            try:
                # A header alone, or a file without rows, tells nothing of the types.
                if not all(blank) and not (any(blank) and source.count == 0):
                    roles = bare.roles_of(source, features)
                    nested = [k for k in self.keys if types.is_nested(own[k])]
                    if any(not types.is_dictionary(own[key]) for key in nested):
                        raise ValueError(
                            "by must name columns of text, numbers, dates or times; "
                            f"{nested[0]!r} holds {own[nested[0]]}"
                        )
                    plans.append(
                        replace(
                            bare,
                            features=roles.features,
                            rows=_chunk(self.rows, len(roles.features)),
                            kinds=[_kind_of(own[key]) for key in self.keys],
                            roles=roles if features is None else None,
                            units=source.units,
                        )
                    )
            except ValueError as error:
                skip(skipped, error, source.name)
                continue
            usable.append(source)
            if plans and skipped is None:
                usable = list(sources)
                break
        if not plans:
            why = skipped[0] if skipped else "they have no rows"
            count = len(usable) + len(skipped or ())
            raise FileError(f"points must have a file that can be read; none of {count} can: {why}")
        models = [(plan.features, plan.kinds) for plan in plans]
        return replace(plans[models.index(max(models, key=models.count))], sources=usable)

    def binned(self, binning: Binning, skipped: list[str] | None) -> Plan:
        """The plan for the sources that a binning could be learned from."""
        if any(source.once for source in self.sources):
            raise TypeError(
                "points must be readable twice for bins; got a stream that can be read once"
            )
        usable: list[Source] = []
        if isinstance(binning, Grid) and self.missing == "error" and skipped is None:
            names = [self.features[j] for j in binning.columns]
            held = [source.extremes(names) for source in self.sources]
            known = [part for part in held if part is not None]
            if len(known) == len(held) and any(map(len, known)):
                # Nothing is left out, so that the statistics of the files tell the extremes.
                ends = np.zeros((sum(map(len, known)), len(self.features)))
                ends[:, binning.columns] = np.concatenate(known)
                binning.learn([ends])
                return replace(self, binning=binning)

        def points() -> Iterator[Floats]:
            buffer = np.empty((self.rows, len(self.features)))
            for source in self.sources:
                try:
                    for piece in self.pieces([source], buffer):
                        yield piece.points
                    usable.append(source)
                except FileError as error:
                    skip(skipped, error)

        binning.learn(points())
        return replace(self, sources=usable, binning=binning)

    def notes(self, found: Sequence[str]) -> list[str]:
        """What the sources are, and what was found out about them."""
        n = len(self.sources)
        name = self.sources[0].name if n == 1 else plural(n, "file")
        own = dict.fromkeys(note for source in self.sources for note in source.notes)
        return [name, *found, *own, *(() if self.roles is None else self.roles.say())]

    def pieces(self, sources: Sequence[Source], buffer: Floats) -> Iterator[Piece]:
        """The rows of all sources, checked and labeled, as many at a time as fit into the buffer.

        The points of one piece take the place of those of the piece before.
        """
        parts = self._parts(sources)
        part = next(parts, None)
        while part is not None:
            codes, known = [np.empty(0, dtype=np.int64)], Vocabulary()
            n, read, dropped, left = 0, 0, Counter[str](), set[Any]()
            while part is not None and n + len(part.points[0]) <= len(buffer):
                own = buffer[n : n + len(part.points[0])]
                for k in range(0, len(own), _TURNED):
                    for j, values in enumerate(part.points):
                        own[k : k + _TURNED, j] = values[k : k + _TURNED]
                if part.labels is not None:
                    codes.append(known.codes(part.labels))
                n, read, dropped = n + len(own), read + part.read, dropped + part.dropped
                left |= part.left
                part = next(parts, None)
            labels = None
            if self.binning is not None:
                labels = self.binning(buffer[:n])
            elif known.categories is not None:
                labels = Keyed(np.concatenate(codes), list(known.values), known.categories)
            if read:
                yield Piece(buffer[:n], labels, read, dropped, left)

    def _parts(self, sources: Sequence[Source]) -> Iterator[Piece]:
        known: Any = None
        for source in sources:
            start = source.first
            check_units(source.units, self.units, source.name)
            if known is None or not source.schema.equals(known, check_metadata=True):
                self.check(source)
                known = source.schema
            size = min(self.rows, _BATCH)
            for batch, bad in source.batches(self.features, self.keys, size):
                yield self._part(batch, bad, source, start)
                start += batch.num_rows

    def _part(self, batch: Any, bad: Any, source: Source, start: int) -> Piece:
        """The rows of a batch that are used; ``start`` rows of its source came before."""
        n = batch.num_rows
        columns = [_floats_of(batch.column(name)) for name in self.features]
        # NaN shows in both ends. BLAS would start threads, which wait for those of the sums.
        odd = [
            j
            for j, values in enumerate(columns)
            if n and not (values.min() > -_FAR and values.max() < _FAR)
        ]
        kept = np.ones(n, dtype=bool) if bad is None else ~bad
        labels, codes, empty = None, np.zeros(n, dtype=np.int64), None
        if odd:
            empty = np.zeros((n, len(columns)), dtype=bool)
            for j in odd:
                empty[:, j] = np.isnan(columns[j])
        if self.keys:
            labels = keyed([batch.column(key) for key in self.keys])
            # Text that is stored as codes has no order of its own.
            plain = [source.schema.field(key).type == "string" for key in self.keys]
            own = zip(labels.categories, plain, strict=True)
            labels = labels._replace(categories=tuple(None if is_text else c for c, is_text in own))
            codes = labels.codes
            if source.textual and empty is not None:
                # Spreadsheets write lines of separators below their rows.
                kept &= ~(empty.all(axis=1) & (codes < 0))
        where: dict[str, Any] = {"features": self.features, "name": source.name, "start": start}
        kept, dropped = complete_rows(codes, empty, self.missing, kept, **where)
        dropped[_UNREADABLE] = 0 if bad is None else int(bad.sum())
        left = set[Any]()
        if not kept.all():
            columns = [values[kept] for values in columns]
        if labels is not None:
            labels, left = labels.only(kept)
        for j in odd if kept.any() else ():
            k = int(np.abs(columns[j]).argmax())
            value = float(columns[j][k])
            if not math.isfinite(value) or np.ptp(columns[j]) > _FAR:
                rule = "have squares that fit into float64" if math.isfinite(value) else "be finite"
                remedy = "; divide the data by its largest magnitude" * math.isfinite(value)
                raise FileError(
                    f"values must {rule}; {source.name!r}, row "
                    f"{start + int(np.flatnonzero(kept)[k])}, column {self.features[j]!r} is "
                    f"{value:g}{remedy}"
                )
        return Piece(columns, labels, n, dropped, left)


def _types(source: Source) -> dict[str, Any]:
    return dict(zip(source.schema.names, source.schema.types, strict=True))


def _floats_of(column: Any) -> npt.NDArray[Any]:
    """A column of numbers of an Arrow batch; what is missing is NaN."""
    double = library("pyarrow").float64()
    if column.type != double:
        # Whole numbers beyond 2⁵³ are rounded, as they are everywhere else.
        column = column.cast(double, safe=False)
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _chunk(rows: int, d: int) -> int:
    """The rows of a chunk: what is asked for, at most what is worth it, fewer of many features."""
    return max(1, min(rows, _ROWS, _VALUES // d))


def _collected(plan: Plan, skipped: list[str] | None, progress: Progress) -> Partial:
    """The sums of all sources of a plan; what is wrong with those left out goes to skipped."""
    counts = [source.count for source in plan.sources]
    known = [n for n in counts if n is not None]
    unit = "rows" if len(known) == len(counts) else "files"
    empty = Moments.empty(len(plan.features), features=plan.features, spread_form=plan.spread_form)
    total = Partial(empty, Counter())
    # Where files may be skipped, one counts when all of it could be read.
    parts = [plan.sources] if skipped is None else [[source] for source in plan.sources]
    with reported(progress, sum(known) if unit == "rows" else len(counts), unit) as report:
        for part in parts:
            try:
                twice = part if plan.binning is not None else ()
                for source in twice:
                    source.check_unchanged()
                found = _summed(plan, part, report if unit == "rows" else None)
                for source in twice:
                    source.check_unchanged()
                total = Partial.merged([total, found])
            except (FileError, Overflow) as error:
                skip(skipped, error, part[0].name)
            report(0 if unit == "rows" else len(part))
    if plan.binning is None:
        # Labels of text files and of folders are in the order of numbers where they are numbers.
        textual = [any(s.textual or key in s.keys for s in plan.sources) for key in plan.keys]
        labels = _in_order(total.moments.labels, textual)
        left = total.left - {*total.moments.labels}
        return total._replace(moments=replace(total.moments, labels=labels), left=left)
    return total


def _summed(
    plan: Plan, sources: Sequence[Source], report: Callable[[int], None] | None = None
) -> Partial:
    """The moments of some sources, and how many of their rows were left out.

    What two threads do at the same time is settled by the sources alone, and merged in their
    order: the result does not depend on the number of threads.
    """
    tasks = _tasks([part for source in sources for part in source.split(plan.rows)], plan.rows)
    shape = plan.rows, len(plan.features)
    read, stop, buffers = SimpleQueue[int](), Event(), [np.empty(shape) for _ in range(_THREADS)]

    def run(task: Sequence[Source]) -> Partial:
        total = Running(tuple(plan.features), plan.spread_form)
        dropped, left = Counter[str](), set[Any]()
        buffer = buffers.pop()
        try:
            for piece in plan.pieces(task, buffer):
                dropped += piece.dropped
                left |= piece.left
                if piece.labels is not None:
                    total.add(piece.points, piece.labels)
                read.put(piece.read)
                if stop.is_set():
                    break
        finally:
            buffers.append(buffer)
        return Partial(total.moments(), dropped, frozenset(left))

    def found() -> Iterator[Partial]:
        for job in [pool.submit(run, task) for task in tasks]:
            while True:
                ended = bool(wait([job], None if report is None else _LOOK).done)
                while report is not None and not read.empty():
                    report(read.get())
                if ended:
                    break
            yield job.result()

    # Threads of BLAS would wait for those that read.
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(_THREADS, "uapca-sum") as pool:
        try:
            return Partial.merged(found())
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _tasks(sources: Sequence[Source], rows: int) -> list[list[Source]]:
    """Runs of sources with about equally many rows, at least ``rows``."""
    sizes = [rows if source.count is None else source.count for source in sources]
    each, before = max(rows, -(-sum(sizes) // _TASKS)), 0
    tasks: dict[int, list[Source]] = {0: []}
    for source, size in zip(sources, sizes, strict=True):
        tasks.setdefault(before // each, []).append(source)
        before += size
    return list(tasks.values())


def _can_stream(points: Any, by: Any, bins: Any) -> bool:
    """Whether points can be read a chunk at a time; without pyarrow a text file is read whole."""
    try:
        library("pyarrow")
    except ImportError:
        return not isinstance(points, str | PathLike)
    lazy = hasattr(points, "collect_schema") or hasattr(points, "to_arrow_reader")
    if not lazy or bins is not None or by is None or isinstance(by, str):
        return True
    # Labels beside a lazy frame or a query go with its rows once they are in memory.
    if not isinstance(by, list | tuple):
        return False
    names = points.collect_schema().names() if hasattr(points, "collect_schema") else points.columns
    return any(key in names for key in by if isinstance(key, str))


# On a cluster


def _engine(points: Any) -> str | None:
    """The engine that holds the points: ``"Dask"``, ``"Spark"``, or None."""
    if dask.is_dask_array(points) or is_a(points, "dask.dataframe", "DataFrame"):
        return "Dask"
    return "Spark" if is_a(points, "pyspark.sql", "DataFrame") else None


def _refuse_for(engine: str, **given: Any) -> None:
    """Raise unless parameters that are for data elsewhere were left out."""
    why = {
        "bins": "they are found on one machine; add a column of labels first, and name it in by",
        "keep_samples": "only the moments leave the cluster",
        "bad_files": f"files are read by {engine}, which has its own rules",
        "progress": f"{engine} shows the progress of its tasks itself",
    }
    for name, value in given.items():
        if value not in (None, False, "error"):
            raise ValueError(f"{name} must be left out for data of {engine}: {why[name]}")


def _on_cluster(plan: Plan, points: Any, by: Any, features: Any, exclude: Any) -> Partial:
    """The sums of points on a cluster."""
    if dask.is_dask_array(points):
        if by is None or isinstance(by, str | bytes):
            raise TypeError(f"by must be one label for each point; got {by!r}")
        return dask.array_partial(
            points, by, features=features, missing=plan.missing, spread_form=plan.spread_form
        )
    is_dask = _engine(points) == "Dask"
    schema: Any = None if is_dask else spark.arrow_schema(points)
    table = table_of(points._meta if is_dask else schema.empty_table(), "points")
    keys = [] if dask.is_dask(by) else _key_columns(table, by)
    if not keys:
        raise TypeError(f"by must name a column of the frame, or several; got {type(by).__name__}")
    chosen = _point_roles(table, keys, features, exclude).features
    plan = replace(plan, features=chosen, keys=keys, rows=_chunk(plan.rows, len(chosen)))
    needed = [*chosen, *keys]
    found: Partial | None
    if is_dask:
        own = [table.keys[name] for name in needed]
        found = dask.frame_partial(points, own, partial(_of_pandas, plan))
    else:
        kinds = library("pyarrow").schema([schema.field(name) for name in needed])
        found = spark.frame_partial(points, needed, partial(_of_arrow, plan, kinds))
    empty = Moments.empty(len(chosen), features=chosen, spread_form=plan.spread_form)
    return Partial(empty, Counter()) if found is None else found


def _of_pandas(plan: Plan, frame: Any, number: int) -> Partial:
    pa = library("pyarrow")
    frame = frame.set_axis([*plan.features, *plan.keys], axis=1)
    try:
        table = pa.Table.from_pandas(frame, preserve_index=False, nthreads=1)
    except pa.ArrowException as error:
        said = str(error).splitlines()[0].rstrip(".")
        raise FileError(
            f"columns must hold values of one kind; 'partition {number}' does not: {said}"
        ) from error
    # Text of partitions that were put together comes in pieces.
    return _of_arrow(plan, table.schema, table.combine_chunks().to_batches(), number)


def _of_arrow(plan: Plan, schema: Any, batches: Iterable[Any], number: int) -> Partial:
    name = f"partition {number}"
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
    spread_form : {"full", "diagonal"} or int, default="full"
        As in `from_groups`: what is kept of the covariance of each label.

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
        spread_form: SpreadForm = "full",
    ) -> None:
        check_choice(missing, ("error", "drop"), "missing")
        rank_of(spread_form)
        if half_life is not None and window is not None:
            raise ValueError("window must be left out with half_life; got both")
        self._by = _column_names("by", [by] if isinstance(by, str) else by)
        self._features = _column_names("features", features)
        self._half_life = None if half_life is None else _positive("half_life", half_life)
        self._window = None if window is None else int(_positive("window", window, whole=True))
        self._missing = missing
        self._spread_form: SpreadForm = spread_form
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
            w = None if weights is None else weights_of(weights, len(array))
            kept, _ = complete_rows(keys.codes, np.isnan(array), self._missing)
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
            raise ValueError("points must not be empty; call partial_fit first")
        with self._lock:
            return self._collector.moments()

    def to_uncertain(self, spread: Literal["std", "sem"] = "std") -> UncertainArray:
        """A snapshot: one row for each label; ``spread`` as in `from_groups`."""
        check_choice(spread, ("std", "sem"), "spread")
        return self.moments().to_uncertain(spread)

    def _new(self, d: int, names: tuple[str, ...] | None) -> Collector:
        options: dict[str, Any] = {"features": names, "spread_form": self._spread_form}
        if self._window is not None:
            return Sliding(d, _LIVE_ROWS, self._window, **options)
        return Collector(d, _LIVE_ROWS, half_life=self._half_life or math.inf, **options)

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
            array, names = _matrix(points, self._features)
            return array, labels_of(labels, len(array)), names
        _check_index(points, labels, "labels")
        table, by = table_of(points, "points"), self._by or []
        chosen = _point_roles(table, by, self._features).features
        keys = keyed([table.labels(key) for key in by]) if by else labels_of(labels, len(table))
        return table.block(chosen), keys, tuple(chosen)


def _far(values: Floats) -> bool:
    """Whether moments of such values may be too large for floats."""
    return bool(max(values.max(initial=0.0), -values.min(initial=0.0)) > _LARGE)


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
