"""Points in Spark frames, classic or of Spark Connect: partitions are summed where they are.

`mapInArrow` hands each partition to its summary in Arrow batches, which leaves one row; groups of
these rows are merged by `applyInArrow`, the last of them here. No point is shuffled or collected,
and it does not matter how the points of a label are spread over the partitions.

Spark is imported only if the user has imported it.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

from uapca._version import __version__
from uapca.aggregate.moments import Partial

__all__ = ["arrow_schema", "frame_partial", "summaries"]

# The largest cell of Arrow's binary columns and of Java's arrays.
_MOST = 2**31 - 1024
# Summaries merged by one task.
_FAN_IN = 32
_ROW = "number int, summary binary"


class Refusal(NamedTuple):
    """What is wrong with a partition.

    It is returned as a result: Spark would try again after an exception, and then report it as a
    page of text.
    """

    number: int
    error: Exception


Summary = Callable[[Iterable[Any], int], Partial]


def arrow_schema(frame: Any) -> Any:
    """The schema of a Spark data frame in Arrow's types; binary for types that Arrow lacks."""
    pa = import_module("pyarrow")
    kinds = [_arrow_type(frame, field) or pa.binary() for field in frame.schema.fields]
    return pa.schema(list(zip(frame.columns, kinds, strict=True)))


def _arrow_type(frame: Any, field: Any) -> Any:
    if type(field.dataType).__name__ == "TimestampType":
        zone = frame.sparkSession.conf.get("spark.sql.session.timeZone")
        return import_module("pyarrow").timestamp("us", tz=zone)
    try:
        return import_module("pyspark.sql.pandas.types").to_arrow_type(field.dataType)
    except (import_module("pyspark.errors").PySparkException, AssertionError):
        return None


def frame_partial(frame: Any, columns: Sequence[str], summary: Summary) -> Partial | None:
    """The summary of a Spark data frame; None if it has no partitions.

    Parameters
    ----------
    columns : sequence of str
        The columns that are needed; others are not read.
    summary : callable
        Takes the Arrow record batches of a partition, and its number.
    """
    for field in frame.schema.fields:
        if field.name in columns and _arrow_type(frame, field) is None:
            raise TypeError(
                f"column {field.name!r} must hold numbers, text or times; "
                f"it has Spark's type {field.dataType.simpleString()}"
            )
    _check_workers(frame.sparkSession)
    parts = summaries(frame, columns, summary)
    group = import_module("pyspark.sql.functions").expr(f"number div {_FAN_IN}")
    rows = parts.groupBy(group).applyInArrow(_merged_table, _ROW).collect()
    result = _merged([(row[0], bytes(row[1])) for row in rows]) if rows else None
    if isinstance(result, Refusal):
        raise result.error
    return result


def summaries(frame: Any, columns: Sequence[str], summary: Summary) -> Any:
    """A frame with one row for each partition: its number, and its summary in bytes."""
    # Under names of our own: mapInArrow takes a dot in a name for a field of a record.
    quoted = ["`" + name.replace("`", "``") + "`" for name in columns]
    chosen = frame.selectExpr(*(f"{name} AS c{k}" for k, name in enumerate(quoted)))
    return chosen.mapInArrow(partial(_summarized, summary, list(columns)), _ROW)


def _summarized(summary: Summary, columns: list[str], batches: Iterator[Any]) -> Iterator[Any]:
    number = import_module("pyspark").TaskContext.get().partitionId()
    result: Partial | Refusal
    try:
        result = summary((batch.rename_columns(columns) for batch in batches), number)
    except (TypeError, ValueError) as error:
        result = Refusal(number, error)
        for _ in batches:  # Spark requires that all rows are taken
            pass
    yield from _table(number, result).to_batches()


def _merged_table(table: Any) -> Any:
    numbers, parts = (column.to_pylist() for column in table.columns)
    return _table(min(numbers), _merged(list(zip(numbers, parts, strict=True))))


def _merged(rows: list[tuple[int, bytes]]) -> Partial | Refusal:
    """The summaries of some partitions as one, in the order of their numbers."""
    results: list[Partial | Refusal] = [pickle.loads(data) for _, data in sorted(rows)]
    refused = [part for part in results if isinstance(part, Refusal)]
    if refused:
        return min(refused, key=lambda part: part.number)
    try:
        return Partial.merged([part for part in results if isinstance(part, Partial)])
    except ValueError as error:
        return Refusal(rows[0][0], error)


def _table(number: int, result: Partial | Refusal) -> Any:
    """One row of a frame of summaries."""
    pa = import_module("pyarrow")
    data = pickle.dumps(result, protocol=pickle.HIGHEST_PROTOCOL)
    if len(data) > _MOST and isinstance(result, Partial):
        error = ValueError(
            "by must give so few labels that the moments of a partition fit into 2 GB; the "
            f"{len(result.moments)} labels of partition {number} take {len(data) / 1e9:.1f} GB"
        )
        data = pickle.dumps(Refusal(number, error))
    columns = [pa.array([number], pa.int32()), pa.array([data], pa.binary())]
    return pa.table(columns, names=["number", "summary"])


# Runs on workers that need not have uapca: defined as text, it is sent by value.
_PROBE = """
def probe(batches):
    import sys, pyarrow
    try:
        from uapca import __version__ as version
    except ImportError:
        version = ""
    for batch in batches:
        pass
    columns = [pyarrow.array([text], pyarrow.string()) for text in (sys.executable, version)]
    yield pyarrow.RecordBatch.from_arrays(columns, ["executable", "version"])
"""


def _check_workers(session: Any) -> None:
    """Raise unless the Python of the workers has this version of uapca."""
    scope: dict[str, Any] = {"__name__": "__main__"}
    exec(_PROBE, scope)
    rows = session.range(0, 1, 1, 1).mapInArrow(scope["probe"], "executable string, version string")
    try:
        found = [tuple(row) for row in rows.collect()]
    except import_module("pyspark.errors").PySparkException as error:
        if "PYTHON_VERSION_MISMATCH" not in str(error):
            raise
        found = [("another version of Python", "")]
    for executable, version in found:
        if version != __version__:
            raise RuntimeError(
                f"Spark's workers must have uapca {__version__}; they run {executable}, which has "
                f"{version or 'none'}. Set PYSPARK_PYTHON={sys.executable} before Spark starts, or "
                "install uapca for the workers."
            )
