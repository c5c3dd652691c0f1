"""Labelled points on a cluster: Dask arrays, Dask frames and Spark frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from uapca._validation import complaint
from uapca.aggregate import Moments, dask, spark
from uapca.aggregate.collector import Collector
from uapca.aggregate.moments import Partial
from uapca.inputs.columns import Columns, columns_of
from uapca.inputs.labelled import feature_columns, key_columns
from uapca.inputs.parts import require_columns
from uapca.inputs.plan import Plan
from uapca.inputs.sources import FileError, Source, is_number, library
from uapca.inputs.streams import say

__all__ = ["check_engine", "engine_of", "gathered"]

# Where the values are is for the engine to say: there are no files here to leave out.
_PLAIN: dict[str, tuple[Any, str]] = {
    "bins": (None, "Add a column of labels first, and name it in by"),
    "keep_samples": (False, "Only the moments leave the cluster"),
    "bad_files": ("raise", "Files are read by {}, which has its own rules"),
    "progress": (False, "{} shows the progress of its tasks itself"),
}


def engine_of(points: Any) -> str | None:
    """The engine that holds the points: ``"Dask"``, ``"Spark"``, or None."""
    if dask.is_dask_array(points) or dask.is_dask_frame(points):
        return "Dask"
    return "Spark" if spark.is_spark(points) else None


def check_engine(engine: str, **given: Any) -> None:
    """Raise unless parameters that are for data elsewhere were left out."""
    for name, value in given.items():
        default, remedy = _PLAIN[name]
        if value is not default and value != default:
            raise ValueError(
                complaint(
                    name,
                    f"be left out for data of {engine}",
                    f"got {name}={value!r}",
                    remedy.format(engine),
                )
            )


def gathered(points: Any, by: Any, features: Any, missing: str, nulls: str, rows: int) -> Moments:
    """The moments of points on a cluster."""
    found: Partial | None
    if dask.is_dask_array(points):
        if by is None or isinstance(by, str | bytes):
            raise TypeError(
                complaint(
                    "by",
                    "be one label for each point",
                    f"got {by!r}",
                    "Pass a vector of labels; the name of a column belongs to a data frame",
                )
            )
        found = dask.array_partial(
            points, by, features=features, missing=missing, nulls=nulls, rows=rows
        )
    elif dask.is_dask_frame(points):
        columns = columns_of(points._meta, "points")
        plan = _planned(columns, by, features, missing, nulls, rows)
        own = [columns.key_of(name) for name in (*plan.features, *plan.keys)]
        found = dask.frame_partial(points, own, partial(_of_pandas, plan))
    else:
        schema = spark.arrow_schema(points)
        plan = _planned(columns_of(schema.empty_table()), by, features, missing, nulls, rows)
        needed = [*plan.features, *plan.keys]
        kinds = library("pyarrow").schema([schema.field(name) for name in needed])
        found = spark.frame_partial(points, needed, partial(_of_arrow, plan, kinds))
    if found is None:
        return Moments.empty(len(plan.features), features=plan.features)
    say(found.dropped, None, stacklevel=4)
    return found.moments


class PartitionPlan(Plan):
    """What to take from every partition."""

    def check(self, source: Source, schema: Any, kinds: bool = True) -> None:
        types = library("pyarrow").types
        for name in self.features:
            kind = schema.field(name).type
            # A partition without a single value may have any type.
            if not is_number(kind) and not types.is_null(kind):
                raise FileError(
                    complaint(
                        f"column {name!r}",
                        "hold numbers in every partition",
                        f"{source.name!r} has {kind}",
                        "Convert it to numbers first, or choose other features",
                    )
                )


@dataclass
class Partition(Source):
    """A partition's record batches."""

    name: str
    kinds: Any
    source: Iterable[Any]

    def schema(self) -> Any:
        return self.kinds

    def batches(self, features: Sequence[str], keys: Sequence[str], rows: int) -> Iterator[Any]:
        for batch in self.source:
            for start in range(0, batch.num_rows, rows):
                yield batch.slice(start, rows)


def _planned(
    columns: Columns, by: Any, features: Any, missing: str, nulls: str, rows: int
) -> PartitionPlan:
    """The plan for all partitions, from a table like them without rows."""
    keys = [] if dask.is_dask(by) else key_columns(columns, by)
    if not keys:
        raise TypeError(
            complaint(
                "by",
                "name a column of the frame, or several",
                f"got {type(by).__name__}",
                "Labels must be in the frame: add them as a column first",
            )
        )
    require_columns(columns, keys, "by")
    chosen = feature_columns(columns, keys, features)
    return PartitionPlan(chosen, keys, [], False, missing, nulls, rows)


def _of_pandas(plan: PartitionPlan, frame: Any, number: int) -> Partial:
    pa = library("pyarrow")
    name = f"partition {number}"
    frame = frame.set_axis([*plan.features, *plan.keys], axis=1)
    try:
        table = pa.Table.from_pandas(frame, preserve_index=False, nthreads=1)
    except pa.ArrowException as error:
        raise FileError(
            complaint(
                "every partition",
                "have values of one kind in each column",
                f"{name!r} has not: {str(error).splitlines()[0].rstrip('.')}",
                "Convert its columns to numbers and text first",
            )
        ) from error
    # Text of partitions that were put together comes in pieces.
    return _summed(plan, Partition(name, table.schema, table.combine_chunks().to_batches()))


def _of_arrow(plan: PartitionPlan, kinds: Any, batches: Iterable[Any], number: int) -> Partial:
    return _summed(plan, Partition(f"partition {number}", kinds, batches))


def _summed(plan: PartitionPlan, partition: Partition) -> Partial:
    collector = Collector(len(plan.features), plan.rows, features=tuple(plan.features))
    dropped: Counter[str] = Counter()
    for piece in plan.pieces([partition]):
        dropped += piece.dropped
        assert piece.labels is not None
        collector.add(piece.points, piece.labels)
    return Partial(collector.moments(), dropped)
