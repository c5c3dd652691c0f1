"""Points that Dask holds: every partition is summed where it is, and only the sums travel.

Reading a partition and summing it are one task, so that no points move between workers; the sums
are merged along a tree that depends on nothing but the number of partitions. A task that is run
again, because its worker is gone, gives the same sums, and the result is the same to the last bit.

Nothing here imports Dask unless the user has: what is one of its collections proves that.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any
from uuid import uuid4

import numpy as np

from uapca._validation import Floats, as_floats, check_labels, complaint, shape_of
from uapca.aggregate.collector import Collector
from uapca.aggregate.labels import Keyed, keyed
from uapca.aggregate.moments import Partial, check_rows

__all__ = ["array_partial", "frame_partial", "is_dask", "is_dask_array", "is_dask_frame"]

# Summaries merged by one task.
FAN_IN = 8
# Rows of a chunk summed at a time.
_ROWS = 65_536


def is_dask_array(obj: Any) -> bool:
    return _is(obj, "dask.array", "Array")


def is_dask_frame(obj: Any) -> bool:
    return _is(obj, "dask.dataframe", "DataFrame")


def is_dask(obj: Any) -> bool:
    """Whether an object is anything of Dask's that stands for data."""
    return hasattr(obj, "__dask_graph__") and "dask" in sys.modules


def frame_partial(
    frame: Any, columns: Sequence[Any], summary: Callable[[Any, int], Partial]
) -> Partial:
    """The summary of a Dask data frame.

    Parameters
    ----------
    columns : sequence
        The columns that are needed; others are not read.
    summary : callable
        Takes a partition, a pandas frame, and its number.
    """
    parts = frame[list(columns)].map_partitions(
        partial(_numbered, summary), meta=(None, "object"), enforce_metadata=False
    )
    return _reduced(parts.to_delayed())


def array_partial(
    points: Any,
    by: Any = None,
    *,
    features: Sequence[str] | None = None,
    missing: str = "raise",
    nulls: str = "raise",
    rows: int = _ROWS,
    parameter: str = "points",
) -> Partial:
    """The summary of a Dask array of points.

    Parameters
    ----------
    points : dask.array.Array of shape (n, D)
        In chunks of any shape; those that hold some of the features only are put together first.
    by : dask.array.Array or dask.dataframe.Series of length n, array-like of shape (n,), or None
        The label of each point. None: all points have the label ``"all"``.
    features : sequence of str, optional
    missing, nulls : {"raise", "drop"}
        What to do with points without a label, and with points of which a value is NaN.
    rows : int
        Rows summed at a time.
    parameter : str
        What to call the points in messages.
    """
    array = import_module("dask.array")
    if points.ndim != 2 or 0 in points.shape:
        raise ValueError(
            complaint(
                parameter,
                "have shape (n, D) with at least one point and one feature",
                f"got shape {shape_of(points)}",
                "Put one point in each row",
            )
        )
    as_floats(np.empty((0, 1), dtype=points.dtype), parameter)  # which complains of other types
    d = int(points.shape[1])
    points = points.rechunk({1: -1}) if points.numblocks[1] > 1 else points
    names = check_labels(features, "features", d, "feature")
    values: Keyed | None = None
    labels: list[Any] = []
    if by is not None:
        if not is_dask(by):
            # Labels in memory travel as small integers.
            values = keyed([by])
            n, chunks = points.shape[0], len(values.codes) or 1
            if not math.isnan(n):
                check_rows(values.codes, n, "drop")
                chunks = points.chunks[:1]
            by = array.from_array(values.codes, chunks=chunks)
        labels = [_aligned(by, points)[:, None]]
    task = partial(
        _summary,
        names=names,
        known=None if values is None else values._replace(codes=np.empty(0, dtype=np.int64)),
        missing=missing,
        nulls=nulls,
        rows=rows,
        parameter=parameter,
    )
    parts = array.map_blocks(
        task, points, *labels, drop_axis=1, dtype=object, meta=np.empty(0, dtype=object)
    )
    return _reduced(parts.to_delayed().ravel().tolist())


def _reduced(parts: Sequence[Any]) -> Partial:
    """Delayed summaries, merged along a tree on the workers; the last one comes to the client."""
    # The parts share one graph, to which the tree is added: calling a delayed function for every
    # merge would go through all of it each time.
    graph = dict(parts[0].dask)
    keys = [part.key for part in parts]
    name, depth = f"uapca-merge-{uuid4().hex}", 0
    while depth == 0 or len(keys) > 1:
        groups = [keys[k : k + FAN_IN] for k in range(0, len(keys), FAN_IN)]
        keys = [f"{name}-{depth}-{k}" for k in range(len(groups))]
        graph.update(
            (key, (Partial.merged, group)) for key, group in zip(keys, groups, strict=True)
        )
        depth += 1
    result: Partial = import_module("dask.delayed").Delayed(keys[0], graph).compute()
    return result


def _numbered(
    summary: Callable[[Any, int], Partial], frame: Any, partition_info: Any = None
) -> Partial:
    # Dask leaves the number out where it runs the function on an example.
    return summary(frame, partition_info["number"] if partition_info else 0)


def _aligned(by: Any, points: Any) -> Any:
    """Labels in the row chunks of the points."""
    if hasattr(by, "to_dask_array"):
        by = by.to_dask_array()
    if by.ndim != 1:
        raise ValueError(
            complaint(
                "by",
                "be one label for each point",
                f"got an array of shape {shape_of(by)}",
                "Pass a vector",
            )
        )
    if by.chunks[0] == points.chunks[0]:
        return by
    n, m = points.shape[0], by.shape[0]
    if not (math.isnan(n) or math.isnan(m)):
        check_rows(np.broadcast_to(np.int64(0), (m,)), n, "raise")
        return by.rechunk((points.chunks[0],))
    if by.numblocks[0] != points.numblocks[0]:
        raise ValueError(
            complaint(
                "by",
                "be in chunks like those of the points where the sizes of chunks are not known",
                f"got {by.numblocks[0]} chunks for {points.numblocks[0]}",
                "Call compute_chunk_sizes() of both first",
            )
        )
    return by


def _summary(
    points: Any,
    labels: Any = None,
    *,
    names: tuple[str, ...] | None,
    known: Keyed | None,
    missing: str,
    nulls: str,
    rows: int,
    parameter: str,
    block_id: tuple[int, ...] = (0,),
) -> Partial:
    """The summary of one chunk."""
    place = f"chunk {block_id[0]}"
    values = as_floats(points, parameter)
    n, d = values.shape
    if labels is None:
        keys = Keyed(np.zeros(n, dtype=np.int64), ("all",), (None,))
    elif known is not None:
        keys = known._replace(codes=labels[:, 0])
    else:
        keys = keyed([labels[:, 0]])
    check_rows(keys.codes, n, "drop")
    dropped: Counter[str] = Counter()
    kept = keys.codes >= 0
    if not kept.all():
        if missing == "raise":
            raise ValueError(
                complaint(
                    "by",
                    "have a label for every point",
                    f"{place} has none in row {int((~kept).argmax())}",
                    "Pass missing='drop' to leave such points out",
                )
            )
        dropped["label"] = n - int(kept.sum())
    whole = _whole(values, nulls, parameter, place)
    if whole is not None:
        dropped["value"] = int((kept & ~whole).sum())
        kept &= whole
    if not kept.all():
        values, keys = values[kept], keys._replace(codes=keys.codes[kept])
    collector = Collector(d, min(rows, max(len(values), 1)), features=names)
    collector.add(values, keys)
    return Partial(collector.moments(), dropped)


def _whole(values: Floats, nulls: str, parameter: str, place: str) -> Any:
    """Which points have all their values, None if all have; infinite ones are refused."""
    with np.errstate(all="ignore"):
        if np.isfinite(values.sum(dtype=np.float64)):
            return None
    bad = ~np.isfinite(values)
    gaps = np.isnan(values)
    if nulls == "drop":
        bad &= ~gaps
    if bad.any():
        row, feature = (int(i) for i in np.argwhere(bad)[0])
        value = values[row, feature]
        raise ValueError(
            complaint(
                parameter,
                "be finite",
                f"{place} has {'NaN' if np.isnan(value) else value} at row {row}, "
                f"feature {feature}",
                "Remove or fill these values first",
            )
        )
    return ~gaps.any(axis=1)


def _is(obj: Any, library: str, name: str) -> bool:
    module = sys.modules.get(library)
    return module is not None and isinstance(obj, getattr(module, name, ()))
