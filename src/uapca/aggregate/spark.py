"""Points that Spark holds: every partition is summed where it is, and only the sums travel.

`mapInArrow` hands each partition to the summary in Arrow batches, which leaves one row, and the
rows are merged by `treeAggregate`. No point is shuffled or collected, and how the points of a
label are spread over the partitions is of no importance: a label that has nearly all of them is
summed wherever they are.

Nothing here imports Spark unless the user has.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

from uapca._validation import complaint
from uapca.aggregate.moments import Partial

__all__ = ["arrow_schema", "frame_partial", "is_spark", "summaries"]

# What one cell of Arrow's binary columns and of Java's arrays can hold.
_MOST = 2**31 - 1024


class Refusal(NamedTuple):
    """What is wrong with a partition.

    It travels as a result: an exception would be tried again, as often as Spark tries a task, and
    come back as a page of text.
    """

    number: int
    error: Exception


def is_spark(obj: Any) -> bool:
    """Whether an object is a Spark data frame."""
    module = sys.modules.get("pyspark.sql")
    return module is not None and isinstance(obj, getattr(module, "DataFrame", ()))


def arrow_schema(frame: Any) -> Any:
    """The schema of a Spark data frame in Arrow's types."""
    _check_classic(frame)
    pa = import_module("pyarrow")
    types = import_module("pyspark.sql.pandas.types")
    errors = import_module("pyspark.errors")

    def kind(field: Any) -> Any:
        try:
            return types.to_arrow_type(field.dataType)
        except errors.PySparkException:
            return pa.binary()  # a type of Spark's own, neither numbers nor labels

    return pa.schema([pa.field(field.name, kind(field)) for field in frame.schema.fields])


def frame_partial(
    frame: Any, columns: Sequence[str], summary: Callable[[Iterable[Any], int], Partial]
) -> Partial | None:
    """The summary of a Spark data frame; None if it has no partitions.

    Parameters
    ----------
    columns : sequence of str
        The columns that are needed; others are not read.
    summary : callable
        Takes the Arrow record batches of a partition, and its number.
    """
    sums = summaries(frame, columns, summary).rdd.map(_read)
    result: Partial | Refusal | None = sums.treeAggregate(None, _joined, _joined)
    if isinstance(result, Refusal):
        raise result.error
    return result


def summaries(
    frame: Any, columns: Sequence[str], summary: Callable[[Iterable[Any], int], Partial]
) -> Any:
    """A frame with one row for each partition, its summary in bytes."""
    # Under names of our own: mapInArrow takes a dot in a name for a field of a record.
    quoted = ["`" + name.replace("`", "``") + "`" for name in columns]
    chosen = frame.selectExpr(*(f"{name} AS c{k}" for k, name in enumerate(quoted)))
    return chosen.mapInArrow(partial(_task, summary, list(columns)), "summary binary")


def _task(
    summary: Callable[[Iterable[Any], int], Partial], columns: list[str], batches: Iterator[Any]
) -> Iterator[Any]:
    pa = import_module("pyarrow")
    number = import_module("pyspark").TaskContext.get().partitionId()
    result: Partial | Refusal
    try:
        result = summary((batch.rename_columns(columns) for batch in batches), number)
    except (TypeError, ValueError) as error:
        result = Refusal(number, error)
        for _ in batches:  # Spark wants all of its rows taken
            pass
    data = _written(result, number)
    yield pa.RecordBatch.from_arrays([pa.array([data], pa.binary())], ["summary"])


def _written(result: Partial | Refusal, number: int) -> bytes:
    data = pickle.dumps(result, protocol=pickle.HIGHEST_PROTOCOL)
    if len(data) <= _MOST or not isinstance(result, Partial):
        return data
    error = complaint(
        "by",
        "give so few labels that the moments of a partition fit into 2 GB",
        f"the {len(result.moments)} labels of partition {number} take {len(data) / 1e9:.1f} GB",
        "Group by fewer columns, or choose fewer features",
    )
    return pickle.dumps(Refusal(number, ValueError(error)))


def _read(row: Any) -> Partial | Refusal:
    result: Partial | Refusal = pickle.loads(row[0])
    return result


def _joined(a: Partial | Refusal | None, b: Partial | Refusal | None) -> Partial | Refusal | None:
    if a is None or b is None:
        return b if a is None else a
    if isinstance(a, Partial) and isinstance(b, Partial):
        return Partial.merged([a, b])
    refused = [part for part in (a, b) if isinstance(part, Refusal)]
    return min(refused, key=lambda part: part.number)


def _check_classic(frame: Any) -> None:
    if type(frame).__module__.startswith("pyspark.sql.connect"):
        raise TypeError(
            complaint(
                "points",
                "be a frame of a classic Spark session",
                "got one of Spark Connect, which cannot merge on the cluster",
                "Run where the driver runs, or write Parquet files and pass their folder",
            )
        )
