"""Points on Spark: the rows of the local path, under skew and faults, with no row shuffled."""

import datetime as dt
import os
import pickle
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import uapca
from builders import JAVA, assert_same, program
from uapca.aggregate import Moments
from uapca.aggregate import spark as engine
from uapca.aggregate.moments import Partial
from uapca.exceptions import DroppedRowsWarning

# PySpark's own word on the pandas that is installed; nothing here goes through pandas.
pytestmark = pytest.mark.filterwarnings(
    "ignore:PySpark does not yet fully support pandas:FutureWarning"
)

FEATURES = ["x", "y", "z"]


@pytest.fixture(scope="module")
def session():
    """Spark in this process, with two threads and four trials for each task."""
    program("java")
    source = str(Path(uapca.__file__).parents[1])
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "512m",
        "spark.driver.extraJavaOptions": JAVA,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(
            filter(None, [source, os.environ.get("PYTHONPATH")])
        ),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        # The machine's name need not resolve.
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        builder = SparkSession.builder.master("local[2,4]").appName("uapca")
        for name, value in settings.items():
            builder = builder.config(name, value)
        started = builder.getOrCreate()
        started.sparkContext.setLogLevel("OFF")  # faults are part of the tests
        yield started
        started.stop()


def table(n=600, offset=0.0, seed=0):
    rng = np.random.default_rng(seed)
    columns = {name: np.round(rng.standard_normal(n) * 64) / 64 + offset for name in FEATURES}
    labels = [f"k{c}" for c in rng.integers(0, 5, n)]
    return pa.table({**columns, "kind": labels, "year": rng.integers(2018, 2021, n)})


def spread_out(session, data, parts):
    """An Arrow table as a Spark frame in so many partitions."""
    rows = [tuple(row.values()) for row in data.to_pylist()]
    kinds = {"double": "double", "int64": "bigint", "string": "string", "float": "float"}
    schema = ", ".join(f"`{f.name}` {kinds[str(f.type)]}" for f in data.schema)
    return session.createDataFrame(session.sparkContext.parallelize(rows, parts), schema)


def refused(kind, call, *args, **kwargs):
    with pytest.raises(kind) as error:
        call(*args, **kwargs)
    return str(error.value)


# The same rows


@pytest.mark.parametrize(
    "level", ["Family", *(pytest.param(k, marks=pytest.mark.slow) for k in ("Genus", "Species"))]
)
def test_anuran(anuran, session, tmp_path, level):
    points, levels = anuran
    names = [f"MFCC{j}" for j in range(points.shape[1])]
    data = pa.table({**dict(zip(names, points.T, strict=True)), "label": levels[level]})
    for k in range(3):
        pq.write_table(data.slice(k * 2400, 2400), tmp_path / f"{k}.parquet")
    found = uapca.from_groups(session.read.parquet(str(tmp_path)), "label")
    assert_same(found, uapca.from_groups(points, levels[level], features=names))


@pytest.mark.parametrize(
    ("by", "spread", "offset"),
    [("kind", "std", 1e8), (["year", "kind"], "sem", 0.0)],
)
def test_keys_spreads_and_offsets(session, by, spread, offset):
    data = table(offset=offset)
    found = uapca.from_groups(spread_out(session, data, 3), by, spread, features=FEATURES, chunk=64)
    assert_same(found, uapca.from_groups(data, by, spread, features=FEATURES))


def test_many_partitions_are_merged_in_groups(session, monkeypatch):
    data = table(40)
    monkeypatch.setattr(engine, "_FAN_IN", 4)  # some partitions are empty
    found = uapca.from_groups(spread_out(session, data.slice(0, 8), 12), "kind", features=FEATURES)
    assert_same(found, uapca.from_groups(data.slice(0, 8), "kind", features=FEATURES))


def test_a_label_with_nearly_all_points(session):
    n = 20_000
    rng = np.random.default_rng(3)
    values = {name: rng.standard_normal(n) + 1e8 for name in FEATURES}
    labels = np.where(np.arange(n) % 100 == 7, [f"rare{k % 9}" for k in range(n)], "most")
    data = pa.table({**values, "kind": labels})
    found = uapca.from_groups(spread_out(session, data, 4), "kind")
    assert found.weights.max() == pytest.approx(0.99)
    assert_same(found, uapca.from_groups(data, "kind"))


def test_kinds_of_labels_and_numbers(session):
    days = [dt.date(2020, 1, 31), dt.date(2020, 2, 1)]
    times = [dt.datetime(2020, 1, 31, 12), dt.datetime(2020, 2, 1, 6, 30)]
    rows = [
        (k, float(k), Decimal(k) / 4, days[k % 2], times[k % 2], k % 3 == 0, "q") for k in range(8)
    ]
    schema = "`a.b` int, f float, d decimal(6,2), day date, at timestamp_ntz, yes boolean, t string"
    frame = session.createDataFrame(session.sparkContext.parallelize(rows, 2), schema)
    columns = list(zip(*rows, strict=True))
    data = pa.table(
        {
            "a.b": pa.array(columns[0], pa.int32()),
            "f": pa.array(columns[1], pa.float32()),
            "d": pa.array(columns[2], pa.decimal128(6, 2)),
            "day": columns[3],
            "at": pa.array(columns[4], pa.timestamp("us")),
            "yes": columns[5],
            "t": columns[6],
        }
    )
    for by in (["day", "yes"], "at"):
        found = uapca.from_groups(frame, by)
        assert found.features == ("a.b", "f", "d")
        assert_same(found, uapca.from_groups(data, by))


# What travels


def test_no_row_is_shuffled_and_no_other_column_read(session, tmp_path):
    pq.write_table(table(), tmp_path / "t.parquet")
    frame = session.read.parquet(str(tmp_path))
    sums = engine.summaries(frame, ["x", "z", "kind"], lambda batches, number: None)
    plan = sums._jdf.queryExecution().executedPlan().toString()
    assert "Exchange" not in plan
    assert "ReadSchema: struct<x:double,z:double,kind:string>" in plan
    assert sums.columns == ["number", "summary"]


# Faults


def test_a_task_that_fails_once_changes_nothing(session, tmp_path):
    data = table(offset=1e8)
    frame = spread_out(session, data, 3)
    flag = tmp_path / "failed"

    def fragile(batches):
        from pyspark import TaskContext

        yield from batches
        context = TaskContext.get()
        # After all its rows were passed on, so that a summary that forgot them would show.
        if context.partitionId() == 1 and context.attemptNumber() == 0:
            flag.write_text("failed")
            raise RuntimeError("once")

    found = uapca.from_groups(frame.mapInArrow(fragile, frame.schema), "kind", features=FEATURES)
    assert flag.exists()
    assert_same(found, uapca.from_groups(data, "kind", features=FEATURES))


def test_missing_values_and_labels(session):
    data = table(10).to_pylist()
    data[3]["kind"] = None
    data[6]["y"] = data[7]["y"] = None
    data[8]["z"] = float("nan")
    spoiled = pa.Table.from_pylist(data)
    frame = spread_out(session, spoiled, 2)
    call = uapca.from_groups
    assert refused(ValueError, call, frame, "kind", features=FEATURES) == (
        "by must have a label for every point; 'partition 0' has none in row 3; pass "
        "missing='drop' to leave such points out"
    )
    with pytest.warns(DroppedRowsWarning) as said:
        X = call(frame, "kind", features=FEATURES, missing="drop")
    assert [str(w.message) for w in said if w.category is DroppedRowsWarning] == [
        "left out 4 rows, as asked for: 1 without a label and 3 without a value"
    ]
    whole = pa.Table.from_pylist([row for k, row in enumerate(data) if k not in (3, 6, 7, 8)])
    assert_same(X, call(whole, "kind", features=FEATURES))


def test_columns_are_checked_before_anything_runs(session):
    data = table(10)
    frame = spread_out(session, data, 2)
    ran = frame.selectExpr("*", "raise_error('this must not run') as bomb").drop("bomb")
    call = uapca.from_groups
    assert refused(ValueError, call, ran, "sort") == refused(ValueError, call, data, "sort")
    assert refused(ValueError, call, ran, "kind", features=["w"]) == refused(
        ValueError, call, data, "kind", features=["w"]
    )
    text = refused(ValueError, call, ran, "year", features=["kind"])
    assert text == "features must be columns of numbers; 'kind' holds text"
    assert refused(TypeError, call, ran) == refused(TypeError, call, data)
    assert refused(TypeError, call, ran, ["a"] * 3 + [1]) == (
        "by must name a column of the frame, or several; got list"
    )
    assert refused(ValueError, call, ran, "kind", bins=3) == (
        "bins must be left out for data of Spark: they are found on one machine; add a column of "
        "labels first, and name it in by"
    )
    assert refused(ValueError, call, ran.limit(0), "kind").startswith("points must not be empty")


def test_too_many_labels_for_one_partition(monkeypatch):
    monkeypatch.setattr(engine, "_MOST", 2000)
    moments = Moments.of(np.ones((100, 3)), np.arange(100))
    row = engine._table(7, Partial(moments, Counter())).to_pylist()[0]
    refusal = engine._merged([(row["number"], row["summary"])])
    size = len(pickle.dumps(Partial(moments, Counter()), protocol=5)) / 1e9
    assert str(refusal.error) == (
        "by must give so few labels that the moments of a partition fit into 2 GB; "
        f"the 100 labels of partition 7 take {size:.1f} GB"
    )
    few = Partial(moments.of(np.ones((2, 1)), [0, 1]), Counter())
    row = engine._table(7, few).to_pylist()[0]
    assert len(engine._merged([(row["number"], row["summary"])]).moments) == 2


def test_of_several_refusals_the_first_partition_is_heard():
    first, second = (engine.Refusal(k, ValueError(str(k))) for k in (1, 5))
    good = Partial(Moments.of([[1.0]], ["a"]), Counter())
    rows = [(k, pickle.dumps(part)) for k, part in enumerate([good, second, first])]
    assert str(engine._merged(rows).error) == "1"
    assert len(engine._merged(rows[:1]).moments) == 1


# Types and environments


SQL_TYPES = {
    "tinyint": "1Y",
    "smallint": "1S",
    "int": "1",
    "bigint": "1L",
    "float": "float(1)",
    "double": "1D",
    "decimal": "1.5BD",
    "string": "'a'",
    "boolean": "true",
    "binary": "X'01'",
    "date": "DATE'2020-01-31'",
    "timestamp": "TIMESTAMP'2020-01-31 12:00:00'",
    "timestamp_ntz": "TIMESTAMP_NTZ'2020-01-31 12:00:00'",
    "day_interval": "INTERVAL '1 12' DAY TO HOUR",
    "month_interval": "INTERVAL '1-2' YEAR TO MONTH",
    "calendar": "make_interval(0, 1)",
    "void": "NULL",
    "array": "array(1)",
    "times": "array(TIMESTAMP'2020-01-31 12:00:00')",
    "map": "map('a', 1)",
    "struct": "struct(1 AS a)",
    "variant": "parse_json('1')",
}
NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
TEXTS = {
    "boolean": "True",
    "binary": "b'\\x01'",
    "date": "2020-01-31",
    "timestamp": "2020-01-31 12:00:00+00:00",
    "timestamp_ntz": "2020-01-31 12:00:00",
    "day_interval": "1 days 12:00:00",
    "decimal": "1.5",
    "tinyint": "1",
}


def typed(session):
    columns = ", ".join(f"{text} AS `{name}`" for name, text in SQL_TYPES.items())
    return session.sql(f"SELECT {columns}, id * 1.0D AS x, 'a' AS kind FROM range(2)")


def test_every_type_of_spark_as_feature_and_beside_the_features(session):
    frame = typed(session)
    X = uapca.from_groups(frame, "kind", features=["x", *NUMBERS])
    assert X.mean.tolist() == [[0.5, 1, 1, 1, 1, 1, 1, 1.5]]
    for name in SQL_TYPES.keys() - {*NUMBERS, "void", "boolean"}:
        with pytest.raises((TypeError, ValueError), match=f"'{name}'"):
            uapca.from_groups(frame, "kind", features=[name])


def test_every_type_of_spark_as_label(session):
    frame = typed(session)
    keys = list(TEXTS)
    X = uapca.from_groups(frame, keys, features=["x"])
    assert X.names == (", ".join(TEXTS[name] for name in keys),)
    for name in ("calendar", "array", "map", "struct"):
        with pytest.raises((TypeError, ValueError)) as said:
            uapca.from_groups(frame, name, features=["x"])
        assert "\n" not in str(said.value)


@pytest.mark.parametrize(
    ("module", "said"), [("None", "none"), ("types.SimpleNamespace(__version__='0.0.1')", "0.0.1")]
)
def test_workers_without_this_version_of_uapca(session, tmp_path, module, said):
    (tmp_path / "sitecustomize.py").write_text(
        f"import sys, types\nsys.modules['uapca'] = {module}\n"
    )
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    frame = spread_out(session, table(20), 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session.sparkContext, "pythonExec", str(python))
        text = refused(RuntimeError, uapca.from_groups, frame, "kind", features=FEATURES)
    assert text == (
        f"Spark's workers must have uapca {uapca.__version__}; they run {sys.executable}, which "
        f"has {said}. Set PYSPARK_PYTHON={sys.executable} before Spark starts, or install uapca "
        "for the workers."
    )
    uapca.from_groups(frame, "kind", features=FEATURES)


CONNECTED = f"""
import numpy as np, uapca
from pyspark.sql import SparkSession

session = (
    SparkSession.builder.remote("local[2]")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.extraJavaOptions", "{JAVA}")
    .getOrCreate()
)
frame = session.range(1000).selectExpr("id * 1.0 x", "id * id * 1.0 y", "id % 3 kind", "now() at")
found = uapca.from_groups(frame, "kind", features=["x", "y"])
i = np.arange(1000.0)
wanted = uapca.from_groups(np.stack([i, i * i], axis=1), np.arange(1000) % 3)
np.testing.assert_allclose(found.mean, wanted.mean, rtol=1e-12)
np.testing.assert_allclose(found.cov.dense(), wanted.cov.dense(), rtol=1e-12)
print(type(frame).__module__, found.names)
session.stop()
"""


@pytest.mark.slow
def test_frames_of_spark_connect():
    """In a process of its own: a process has one kind of session."""
    program("java")
    pytest.importorskip("grpc_status")
    source = str(Path(uapca.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CONNECTED],
        env={
            **os.environ,
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYTHONPATH": os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")])),
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    said = "pyspark.sql.connect.dataframe ('0', '1', '2')"
    assert done.stdout.splitlines()[-1:] == [said], done.stderr
