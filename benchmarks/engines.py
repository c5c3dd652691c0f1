"""Dask and Spark against the local path, over one folder of Parquet files.

``python -m benchmarks.engines [--rows N] [--rounds R]`` writes the files, checks that all ways
give the same rows, times them in turn and prints the tables of docs/clusters.md. It takes about a
quarter of an hour and, for 2 × 10⁷ rows, 3.7 GB of disk, and is not part of ``make bench``.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import uapca
from benchmarks.aggregate import run, written

__all__ = ["busy", "in_process", "measured", "overheads", "scheduled"]

_FEATURES = [f"x{j}" for j in range(22)]
_LABELS = 100
_FILE = 500_000

Job = Callable[[], uapca.UncertainArray]


def write(folder: Path, rows: int) -> None:
    """Points around a center for each label, far from zero, a file at a time."""
    pa, pq = import_module("pyarrow"), import_module("pyarrow.parquet")
    for k in range(-(-rows // _FILE)):
        n = min(_FILE, rows - k * _FILE)
        rng = np.random.default_rng(k)
        labels = rng.integers(0, _LABELS, n)
        points = rng.standard_normal((len(_FEATURES), n)) + labels / 10 + 1e4
        columns = {**dict(zip(_FEATURES, points, strict=True)), "label": labels}
        path = folder / f"{k:04}.parquet"
        pq.write_table(pa.table(columns), path, compression="none", use_dictionary=False)


@contextmanager
def dask_workers(n: int) -> Iterator[Any]:
    """So many worker processes of one thread each, on loopback."""
    distributed = import_module("distributed")
    with (
        distributed.LocalCluster(
            n_workers=n,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address="127.0.0.1:0",
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@contextmanager
def spark_session() -> Iterator[Any]:
    """Spark with two threads."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = import_module("pyspark.sql").SparkSession.builder.master("local[2]")
    for name, value in {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "2g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    try:
        yield session
    finally:
        session.stop()


def measured(folder: Path, rounds: int, spark: bool = True) -> dict[str, list[float]]:
    """Seconds of each way, round by round; all must give the same rows."""
    with ExitStack() as stack:
        clients = {n: stack.enter_context(dask_workers(n)) for n in (1, 2)}
        session = stack.enter_context(spark_session()) if spark else None
        first = sorted(folder.iterdir())[0]
        for job in _jobs(first, clients, session).values():
            job()  # starts workers and loads what they need
        jobs = _jobs(folder, clients, session)
        times: dict[str, list[float]] = {name: [] for name in jobs}
        expected: uapca.UncertainArray | None = None
        for _ in range(rounds):
            for name, job in jobs.items():
                start = time.perf_counter()
                found = job()
                times[name].append(time.perf_counter() - start)
                expected = found if expected is None else expected
                off = _difference(found, expected)
                print(f"{name}: {times[name][-1]:.2f} s, differs by {off:.1e}", file=sys.stderr)
        return times


def _jobs(source: Path, clients: dict[int, Any], session: Any) -> dict[str, Job]:
    dask, dd = import_module("dask"), import_module("dask.dataframe")
    frame = dd.read_parquet(str(source))

    def on(client: Any) -> Job:
        def job() -> uapca.UncertainArray:
            with dask.config.set(scheduler=client):
                return uapca.from_groups(frame, "label")

        return job

    jobs: dict[str, Job] = {
        "files, this process": lambda: uapca.from_groups(source, "label"),
        "Dask, 1 worker": on(clients[1]),
        "Dask, 2 workers": on(clients[2]),
    }
    if session is not None:
        rows = session.read.parquet(str(source))
        jobs["Spark, 1 task at a time"] = lambda: uapca.from_groups(rows.coalesce(1), "label")
        jobs["Spark, 2 tasks at a time"] = lambda: uapca.from_groups(rows, "label")
    return jobs


def busy(folder: Path, rounds: int) -> str:
    """Processor seconds of the Dask workers: what other programs on the machine do not change.

    Where two workers share the work evenly, and take no more of it together than one alone, they
    are twice as fast as soon as each has a core of its own.
    """
    spent: dict[int, list[list[float]]] = {1: [], 2: []}
    with ExitStack() as stack:
        clients = {n: stack.enter_context(dask_workers(n)) for n in (1, 2)}
        jobs = _jobs(folder, clients, None)
        for k in range(rounds + 1):
            for n, job in ((1, jobs["Dask, 1 worker"]), (2, jobs["Dask, 2 workers"])):
                before = clients[n].run(time.process_time)
                job()
                after = clients[n].run(time.process_time)
                if k:
                    spent[n].append(sorted(after[w] - before[w] for w in after))
    one = np.median([alone for (alone,) in spent[1]])
    less, more = np.median(spent[2], axis=0)
    return (
        f"processor seconds: one worker {one:.2f}, two workers {less:.2f} and {more:.2f}; "
        f"one ÷ the busier of two: {one / more:.2f}"
    )


def scheduled(partitions: int = 1000) -> str:
    """Processor time of the client and Dask's scheduler, both in this process, for a partition."""
    pandas, dd = import_module("pandas"), import_module("dask.dataframe")
    frame = pandas.DataFrame({"x": np.arange(4.0 * partitions), "label": 0})
    parts = dd.from_pandas(frame, npartitions=partitions)
    with dask_workers(1) as client, import_module("dask").config.set(scheduler=client):
        spent = []
        for _ in range(3):
            start = time.process_time()
            uapca.from_groups(parts, "label")
            spent.append(time.process_time() - start)
    return (
        f"client and scheduler, {partitions} partitions of four rows: "
        f"{1e3 * min(spent) / partitions:.1f} ms of processor time for each"
    )


_LOCAL = """
import sys, time, numpy as np, pyarrow.parquet as pq, uapca
uapca.from_groups
names, options = sys.argv[2:], eval(sys.argv[1])
start = time.process_time()
if options is None:
    for path in names:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=262144):
                [column.to_numpy(zero_copy_only=False) for column in batch.columns[:22]]
else:
    uapca.from_groups(names, **options)
print(time.process_time() - start)
"""


def in_process(rows: int = 4_000_000, rounds: int = 3) -> str:
    """Processor seconds of files in one process, the best of some rounds, as lines of a table."""
    by, few, grid = {"by": "label"}, {"bins": 500, "rng": 0}, {"bins": {"x0": 20, "x1": 25}}
    lines = []
    for files, features, options, said in (
        (4, 22, by, "× 22, 1,000 labels of text"),
        (4, 22, None, "× 22, Arrow's scan of these, without sums"),
        (400, 22, by, "× 22, 1,000 labels of text"),
        (400, 22, None, "× 22, Arrow's scan of these, without sums"),
        (4, 4, few, "× 4, `bins=500`, the centers and both readings included"),
        (4, 4, grid, "× 4, a grid of 20 × 25 cells"),
    ):
        with tempfile.TemporaryDirectory() as name:
            paths = written(Path(name), rows, files, features, labels=features == 22)
            spent = min(
                float(run(_LOCAL, [repr(options), *map(str, paths)])[0]) for _ in range(rounds)
            )
        each = f"{1e6 * spent / rows:.2f} µs"
        lines.append(f"| {rows:.0e} rows {said}, {files} files | {spent:.2f} s | {each} |")
    return "\n".join(lines)


def overheads() -> str:
    """What an engine takes with next to nothing to do."""
    with tempfile.TemporaryDirectory() as name:
        write(Path(name), 1000)
        times = measured(Path(name), 5)
    return ", ".join(f"{way} {np.median(seconds):.2g} s" for way, seconds in times.items())


def _difference(X: uapca.UncertainArray, Y: uapca.UncertainArray) -> float:
    """The largest relative difference of means and covariances, which must be rounding."""
    size = np.abs(Y.cov.dense()).max(axis=(1, 2), keepdims=True)
    off = max(
        float(np.abs(X.mean / Y.mean - 1.0).max()),
        float((np.abs(X.cov.dense() - Y.cov.dense()) / size).max()),
    )
    if (X.names, X.total_weight) != (Y.names, Y.total_weight) or off > 1e-12:
        raise AssertionError(f"two ways give rows that differ by {off}")
    return off


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engines", description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-spark", action="store_true")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    print(in_process(options.rows // 5, options.rounds), flush=True)
    with tempfile.TemporaryDirectory() as name:
        write(Path(name), options.rows)
        print(f"{options.rows:,} rows, {len(_FEATURES)} features, {_LABELS} labels", flush=True)
        print(busy(Path(name), options.rounds), flush=True)
        print(scheduled(), flush=True)
        times = measured(Path(name), options.rounds, not options.no_spark)
    local = np.array(times["files, this process"])
    print("| way | seconds, median (all) | ÷ files, this process |\n|---|---|---|")
    for way, seconds in times.items():
        ratio = float(np.median(np.array(seconds) / local))
        every = ", ".join(f"{s:.1f}" for s in seconds)
        print(f"| {way} | {np.median(seconds):.1f} ({every}) | {ratio:.2f} |")
    for engine, one, two in (
        ("Dask", "Dask, 1 worker", "Dask, 2 workers"),
        ("Spark", "Spark, 1 task at a time", "Spark, 2 tasks at a time"),
    ):
        if one in times:
            gains = np.array(times[one]) / np.array(times[two])
            every = ", ".join(f"{g:.2f}" for g in gains)
            print(f"{engine}, 1 → 2: {np.median(gains):.2f} × faster ({every})")
    if not options.no_spark:
        print(f"1,000 rows: {overheads()}")


if __name__ == "__main__":
    main()
