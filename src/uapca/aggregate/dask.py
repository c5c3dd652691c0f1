"""Points in Dask's collections: every partition is summed where it is, and only the sums travel.

Reading a partition and summing it are one task, so that no points move between workers. The sums
are merged along a tree that depends only on the number of partitions: a task that is run again,
because its worker is gone, gives the same sums, and the result is the same to the last bit.

Dask is imported only if the user has imported it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any
from uuid import uuid4

import numpy as np

from uapca._validation import as_floats, check_labels
from uapca._version import __version__
from uapca.aggregate.labels import Keyed, is_a, keyed
from uapca.aggregate.moments import (
    Moments,
    Partial,
    SpreadForm,
    check_length,
    complete_rows,
    labels_of,
)

__all__ = ["array_partial", "frame_partial", "is_dask", "is_dask_array"]

# Summaries merged by one task.
_FAN_IN = 8


def is_dask_array(obj: Any) -> bool:
    return is_a(obj, "dask.array", "Array")


def is_dask(obj: Any) -> bool:
    """Whether an object is any of Dask's collections."""
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
    missing: str = "error",
    parameter: str = "points",
    spread_form: SpreadForm = "full",
) -> Partial:
    """The summary of a Dask array of points.

    Parameters
    ----------
    points : dask.array.Array of shape (n, D)
        In chunks of any shape; those that hold only some of the features are put together first.
    by : dask.array.Array or dask.dataframe.Series of length n, array-like of shape (n,), or None
        The label of each point. None: all points have the label ``"all"``.
    features : sequence of str, optional
    missing : {"error", "drop"}
        What to do with points without a label or of which a value is NaN.
    parameter : str
        The name of the points in messages.
    spread_form : {"full", "diagonal"} or int
        What is kept of the covariance of each label.
    """
    array = import_module("dask.array")
    if points.ndim != 2 or 0 in points.shape:
        raise ValueError(
            f"{parameter} must have shape (n, D) with at least one point and one feature; got "
            f"shape {points.shape}"
        )
    as_floats(np.empty((0, 1), dtype=points.dtype), parameter)  # refuses other types
    points = points.rechunk({1: -1}) if points.numblocks[1] > 1 else points
    names = check_labels(features, "features", int(points.shape[1]), "feature")
    known: Keyed | None = None
    labels: list[Any] = []
    if by is not None:
        if not is_dask(by):
            # Labels in memory travel as small integers.
            known = keyed([by])
            n, chunks = points.shape[0], len(known.codes) or 1
            if not math.isnan(n):
                check_length(known.codes, n)
                chunks = points.chunks[:1]
            by = array.from_array(known.codes, chunks=chunks)
            known = known._replace(codes=known.codes[:0])
        labels = [_aligned(by, points)[:, None]]
    task = partial(
        _summary,
        names=names,
        known=known,
        missing=missing,
        parameter=parameter,
        spread_form=spread_form,
    )
    parts = array.map_blocks(
        task, points, *labels, drop_axis=1, dtype=object, meta=np.empty(0, dtype=object)
    )
    return _reduced(parts.to_delayed().ravel().tolist())


def _reduced(parts: Sequence[Any]) -> Partial:
    """Delayed summaries, merged along a tree on the workers; the last one comes to the client."""
    _check_workers()
    # The parts share one graph, to which the tree is added: calling a delayed function for every
    # merge would go through all of it each time.
    graph = dict(parts[0].dask)
    keys = [part.key for part in parts]
    name, depth = f"uapca-merge-{uuid4().hex}", 0
    while depth == 0 or len(keys) > 1:
        groups = [keys[k : k + _FAN_IN] for k in range(0, len(keys), _FAN_IN)]
        keys = [f"{name}-{depth}-{k}" for k in range(len(groups))]
        tasks = ((Partial.merged, group) for group in groups)
        graph.update(zip(keys, tasks, strict=True))
        depth += 1
    result: Partial = import_module("dask.delayed").Delayed(keys[0], graph).compute()
    return result


# Runs on workers that need not have uapca: `eval` itself is sent, with this text.
_PROBE = (
    "(__import__('sys').executable, __import__('uapca').__version__ if "
    "__import__('importlib.util').util.find_spec('uapca') else '')"
)


def _check_workers() -> None:
    """Raise unless the workers of the current client, if there is one, have this uapca."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return
    try:
        client = distributed.get_client()
    except ValueError:  # there is none
        return
    for executable, version in client.run(eval, _PROBE).values():
        if version != __version__:
            raise RuntimeError(
                f"Dask's workers must have uapca {__version__}; one of them runs {executable}, "
                f"which has {version or 'none'}. Start the workers with {sys.executable}, or "
                "install uapca for them."
            )


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
        raise ValueError(f"by must be one label for each point; got an array of shape {by.shape}")
    if by.chunks[0] == points.chunks[0]:
        return by
    n, m = points.shape[0], by.shape[0]
    if not (math.isnan(n) or math.isnan(m)):
        check_length(range(m), n)
        return by.rechunk((points.chunks[0],))
    if by.numblocks[0] != points.numblocks[0]:
        raise ValueError(
            "by must be in chunks like those of the points where the sizes of chunks are not "
            f"known; got {by.numblocks[0]} chunks for {points.numblocks[0]}. "
            "Call compute_chunk_sizes() of both first."
        )
    return by


def _summary(
    points: Any,
    labels: Any = None,
    *,
    names: tuple[str, ...] | None,
    known: Keyed | None,
    missing: str,
    parameter: str,
    spread_form: SpreadForm,
    block_id: tuple[int, ...] = (0,),
) -> Partial:
    """The summary of one chunk."""
    place = f"chunk {block_id[0]}"
    values = as_floats(points, parameter)
    own: Any = None if labels is None else labels[:, 0]
    keys = labels_of(own if known is None else known._replace(codes=own), len(values))
    empty = np.isnan(values)
    bad = ~np.isfinite(values)
    if missing == "drop":
        bad &= ~empty
    if bad.any():
        row, feature = (int(i) for i in np.argwhere(bad)[0])
        value = "NaN" if empty[row, feature] else values[row, feature]
        raise ValueError(
            f"{parameter} must be finite; {place} has {value} at row {row}, feature {feature}"
        )
    kept, dropped = complete_rows(keys.codes, empty, missing, name=place)
    keys, left = keys.only(kept)
    moments = Moments.of(values[kept], keys, features=names, spread_form=spread_form)
    return Partial(moments, dropped, frozenset(left))
