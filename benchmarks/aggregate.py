"""Aggregating points in memory, in a stream and in files, against peers and bare NumPy."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import uapca
from benchmarks.harness import Case, Job

__all__ = [
    "CASES",
    "bins_report",
    "csv_report",
    "growth_report",
    "live_report",
    "parquet_report",
    "picture_report",
    "run",
    "stream_report",
    "written",
]

_FEATURES = [f"x{j}" for j in range(22)]


def _grouped(
    points: npt.NDArray[np.float64], labels: npt.NDArray[np.int64]
) -> list[tuple[object, object]]:
    """Stable argsort, gather, one centered product for each label."""
    order = np.argsort(labels, kind="stable")
    sorted_points = points[order]
    bounds = np.searchsorted(labels[order], np.arange(labels.max() + 2))
    found: list[tuple[object, object]] = []
    for start, stop in pairwise(bounds):
        part = sorted_points[start:stop]
        mean = part.mean(axis=0)
        centered = part - mean
        found.append((mean, centered.T @ centered / len(part)))
    return found


def _data(n_labels: int, n: int = 1_000_000) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    return rng.standard_normal((n, 22)), rng.integers(0, n_labels, n)


def _groups(n_labels: int, limit: float | None, offset: float = 0.0) -> Case:
    def build() -> dict[str, Job]:
        points, labels = _data(n_labels)
        points += offset
        if n_labels * 10 == len(points):
            labels = np.random.default_rng(6).permutation(np.repeat(np.arange(n_labels), 10))
        return {
            "from_groups": lambda: uapca.from_groups(points, labels),
            "bare NumPy": lambda: _grouped(points, labels),
        }

    where = f" {offset:g} sd from zero" if offset else ""
    name = f"from_groups, 1e6 × 22 points{where}, {n_labels} labels"
    return Case(name, build, {} if limit is None else {"bare NumPy": limit}, rounds=5)


def _frames(n_labels: int, as_array: bool) -> Case:
    """Against what data frames offer themselves: all pairs of columns, for each label.

    Each has the points as it likes them best, or we a data frame of pandas too.
    """

    def build() -> dict[str, Job]:
        import duckdb
        import pandas as pd
        import polars as pl

        points, labels = _data(n_labels)
        frame = pd.DataFrame(points, columns=_FEATURES).assign(label=labels)
        other = pl.from_pandas(frame)
        pairs = [(a, b) for i, a in enumerate(_FEATURES) for b in _FEATURES[i:]]
        means = [pl.col(a).mean() for a in _FEATURES]
        covs = [pl.cov(a, b, ddof=0).alias(f"{a} {b}") for a, b in pairs]
        columns = ", ".join(
            [f"avg({a})" for a in _FEATURES] + [f"covar_pop({a}, {b})" for a, b in pairs]
        )
        database = duckdb.connect()
        database.register("points", other.to_arrow())

        def pandas() -> object:
            groups = frame.groupby("label")
            return groups.mean(), groups.cov(ddof=0)

        return {
            "from_groups": (
                (lambda: uapca.from_groups(points, labels))
                if as_array
                else (lambda: uapca.from_groups(frame, "label"))
            ),
            "pandas groupby mean and cov": pandas,
            "polars pairwise": lambda: other.group_by("label").agg(*means, *covs),
            "DuckDB pairwise": lambda: database.execute(
                f"select label, {columns} from points group by label"
            ).fetchnumpy(),
        }

    limits = {
        "pandas groupby mean and cov": 0.5,
        "polars pairwise": 0.25,
        "DuckDB pairwise": 0.35,
    }
    ours = "arrays" if as_array else "data frames"
    return Case(f"{ours}, 1e6 × 22 points, {n_labels} labels", build, limits, rounds=5)


def _chunks() -> Case:
    def build() -> dict[str, Job]:
        points, labels = _data(100, 200_000)
        chunks = [(points[i : i + 1000], labels[i : i + 1000]) for i in range(0, 200_000, 1000)]

        def stream() -> object:
            live = uapca.Aggregator()
            for chunk, own in chunks:
                live.partial_fit(chunk, own)
            return live.to_uncertain()

        return {
            "Aggregator": stream,
            "from_groups of all at once": lambda: uapca.from_groups(points, labels),
        }

    return Case("chunks of 1,000 rows, 2e5 × 22 points, 100 labels", build, rounds=7)


CASES = [
    _groups(8, 0.7),
    _groups(1000, 0.9),
    _groups(8, 0.7, 100.0),
    _groups(1000, 0.9, 100.0),
    _groups(100_000, None),
    *(_frames(n_labels, as_array) for as_array in (True, False) for n_labels in (8, 1000)),
    _chunks(),
]

_SCAN = """
import sys, time, pyarrow.parquet as pq
start = time.perf_counter()
names = [f"x{j}" for j in range(22)]
for path in sys.argv[1:]:
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=262144, columns=[*names, "label"]):
            for name in names:
                batch.column(name).to_numpy()
print(time.perf_counter() - start)
"""
# The peak of the program alone: ru_maxrss begins with that of the process which started it.
_PEAK = """
def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024
"""
_STREAM = f"""{_PEAK}
import sys, time, uapca
uapca.from_groups
start = time.perf_counter()
X = uapca.from_groups(sys.argv[1:], by="label")
print(time.perf_counter() - start, peak())
"""


def parquet_report(rows: int = 20_000_000, files: int = 4, rounds: int = 5) -> str:
    """A folder of Parquet files, against Arrow's scan of the same columns into NumPy.

    Arrow reads a file ahead, all of it. Memory for a large one is new to the process each time,
    which costs more than reading; that for small ones is used again.
    """
    with tempfile.TemporaryDirectory() as folder:
        paths = written(Path(folder), rows, files)
        size = sum(path.stat().st_size for path in paths)
        names = list(map(str, paths))
        ratios, peaks, times = [], [], []
        for _ in range(rounds):
            scan = float(run(_SCAN, names)[0])
            ours, peak = map(float, run(_STREAM, names))
            ratios.append(ours / scan)
            times.append(ours)
            peaks.append(peak)
    limit = "; promised: at most 1.5"
    return (
        f"Parquet stream, {rows:.0e} × 22 points, 1,000 labels, {files} files "
        f"({size / 1e9:.1f} GB): "
        f"{np.median(ratios):.2f} × the time of Arrow's scan of the same columns into NumPy "
        f"({min(ratios):.2f} to {max(ratios):.2f}{limit}), "
        f"{rows / np.median(times) / 1e6:.1f} million rows/s, "
        f"peak memory {max(peaks):.0f} MB (promised: below 1000)."
    )


_SCAN_CSV = """
import sys, time, pyarrow.csv as csv
start = time.perf_counter()
for path in sys.argv[1:]:
    with csv.open_csv(path) as reader:
        for batch in reader:
            pass
print(time.perf_counter() - start)
"""


def csv_report(rows: int = 2_000_000, files: int = 4, rounds: int = 5) -> str:
    """CSV files, against Arrow's CSV reader, a batch at a time with default settings."""
    csv, pq = import_module("pyarrow.csv"), import_module("pyarrow.parquet")
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for path in written(Path(folder), rows, files):
            names.append(str(path.with_suffix(".csv")))
            csv.write_csv(pq.read_table(path), names[-1])
        size = sum(Path(name).stat().st_size for name in names)
        ratios, peaks = [], []
        for _ in range(rounds):
            scan = float(run(_SCAN_CSV, names)[0])
            ours, peak = map(float, run(_STREAM, names))
            ratios.append(ours / scan)
            peaks.append(peak)
    return (
        f"CSV stream, {rows:.0e} × 22 points, 1,000 labels, {files} files ({size / 1e9:.1f} GB): "
        f"{np.median(ratios):.2f} × the time of Arrow's CSV reader ({min(ratios):.2f} to "
        f"{max(ratios):.2f}; promised: at most 1.3), peak memory {max(peaks):.0f} MB (promised: "
        "below 1000)."
    )


_BRUTE = """
import sys, time, numpy as np, pyarrow.parquet as pq
from concurrent.futures import ThreadPoolExecutor
centers = np.random.default_rng(0).standard_normal((500, 4)).astype("f4")
half = 0.5 * np.square(centers).sum(axis=1)
def assign(columns):
    points = np.stack(columns, axis=1).astype("f4")
    for k in range(0, len(points), 4096):
        (points[k : k + 4096] @ centers.T - half).argmax(axis=1)
def run(work):
    start = time.perf_counter()
    with ThreadPoolExecutor(2) as pool:
        for path in sys.argv[1:]:
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(batch_size=262144):
                    columns = [column.to_numpy() for column in batch.columns]
                    if work:
                        list(pool.map(work, [[c[k::2] for c in columns] for k in (0, 1)]))
    return time.perf_counter() - start
print(run(None), run(assign))
"""
_BINS = f"""{_PEAK}
import sys, time, uapca
def run(bins):
    start = time.perf_counter()
    uapca.from_groups(sys.argv[1:], bins=bins, rng=0)
    return time.perf_counter() - start
print(run(500), run({{"x0": 20, "x1": 25}}))
print(peak())
"""


def bins_report(rows: int = 20_000_000, files: int = 20, rounds: int = 3) -> str:
    """Clusters and a grid of points without labels, against Arrow's scan and brute force.

    Brute force compares every point with 500 centers in float32, on two threads; the centers and
    the moments of the clusters are found by ours only.
    """
    with tempfile.TemporaryDirectory() as folder:
        names = list(map(str, written(Path(folder), rows, files, features=4, labels=False)))
        clusters, grids, peaks = [], [], []
        for _ in range(rounds):
            scan, brute = map(float, run(_BRUTE, names))
            ours, grid, peak = map(float, run(_BINS, names))
            clusters.append(ours / brute)
            grids.append(grid / scan)
            peaks.append(peak)
    return (
        f"Points without labels, {rows:.0e} × 4, {files} Parquet files: `bins=500` "
        f"{np.median(clusters):.2f} × the time of Arrow's scan and brute force in float32 on two "
        f"threads (promised for 1e8 points: at most 1.1), a grid of 20 × 25 cells "
        f"{np.median(grids):.2f} × the scan (promised: at most 1.5), peak memory "
        f"{max(peaks):.0f} MB (promised: below 600)."
    )


_PICTURE = f"""{_PEAK}
import atexit, resource, sys, time
resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, 1_500_000_000))
start, spent = time.perf_counter(), time.process_time()
def said():
    print("", time.perf_counter() - start, time.process_time() - spent, peak())
atexit.register(said)
from uapca.cli import main
main()
"""


def picture_report(rows: int = 100_000_000, files: int = 20) -> str:
    """From files to a picture with one command, in 1.5 GB of addresses, against brute force."""
    with tempfile.TemporaryDirectory() as folder:
        names = list(map(str, written(Path(folder), rows, files, features=4, labels=False)))
        _, brute = map(float, run(_BRUTE, names))
        picture = str(Path(folder) / "picture.png")
        command = ["plot", f"{folder}/*.parquet", "projection", "--bins", "500", "-o", picture]
        ours, spent, peak = map(float, run(_PICTURE, command)[-3:])
    return (
        f'`uapca plot "*.parquet" projection --bins 500`, {rows:.0e} × 4 in {files} Parquet '
        f"files: {ours:.0f} s ({spent:.0f} s of processor time), {ours / brute:.2f} × the time of "
        f"Arrow's scan and brute force in float32 on two threads (promised: at most 1.1), peak "
        f"memory {peak:.0f} MB (promised: below 600) with 1.5 GB of addresses."
    )


def stream_report(chunks: int = 1000) -> str:
    """How fast `Aggregator` takes chunks of 1,000 rows on one core."""
    points, labels = _data(100, 100_000)
    best = np.inf
    for _ in range(3):
        live = uapca.Aggregator()
        start = time.process_time()
        for k in range(chunks):
            part = slice(k % 100 * 1000, (k % 100 + 1) * 1000)
            live.partial_fit(points[part], labels[part])
        live.to_uncertain()
        best = min(best, time.process_time() - start)
    return (
        f"`Aggregator.partial_fit`, chunks of 1,000 rows, D = 22, 100 labels: "
        f"{chunks / best / 1e3:.2f} million rows a second of processor time (promised: 1)."
    )


def live_report(rounds: int = 25) -> str:
    """What a snapshot of live data costs, against copying its covariances twice."""
    points, labels = _data(1000, 100_000)
    live = uapca.Aggregator().partial_fit(points, labels)
    covs = live.to_uncertain().cov.dense()
    times: dict[str, float] = {}
    jobs: dict[str, Job] = {
        "snapshot": live.to_uncertain,
        "copies": lambda: (covs.copy(), covs.copy()),
    }
    for _ in range(rounds):
        for name, job in jobs.items():
            start = time.process_time()
            job()
            times[name] = min(times.get(name, np.inf), time.process_time() - start)
    return (
        f"`Aggregator.to_uncertain`, 1,000 labels, D = 22: "
        f"{times['snapshot'] / times['copies']:.2f} × the time of copying its covariances twice "
        "(promised: at most 1)."
    )


def growth_report(path: Path | None = None) -> str:
    """How the time grows with the number of points over four decades, drawn if there is a path."""
    sizes = np.logspace(3, 7, 9).astype(int)
    points, labels = _data(8, int(sizes[-1]))
    times = []
    for n in sizes.tolist():
        repeats = max(1, min(50, 1_000_000 // n))
        best = np.inf
        for _ in range(3):
            start = time.perf_counter()
            for _ in range(repeats):
                uapca.from_groups(points[:n], labels[:n])
            best = min(best, (time.perf_counter() - start) / repeats)
        times.append(best)
    large = sizes >= 30_000  # below, what a call costs by itself shows
    slope = float(np.polyfit(np.log(sizes[large]), np.log(np.array(times)[large]), 1)[0])
    if path is not None:
        _draw(path, sizes, np.array(times))
    return (
        f"Growth of `from_groups` from {sizes[0]:.0e} to {sizes[-1]:.0e} points: "
        f"{1e3 * times[0]:.2g} ms to {1e3 * times[-1]:.3g} ms, "
        f"time ∝ N^{slope:.2f} from 3e4 points on (linear is 1)."
    )


def _draw(path: Path, sizes: npt.NDArray[np.int64], times: npt.NDArray[np.float64]) -> None:
    from matplotlib.figure import Figure

    from uapca._looks import GREY, OKABE_ITO
    from uapca.plot.base import settings

    with settings():
        figure = Figure(figsize=(3.5, 2.5), layout="constrained")
        ax = figure.subplots()
        ax.loglog(sizes, times, "o-", color=OKABE_ITO[0])
        line = times[-1] * sizes / sizes[-1]
        ax.loglog(sizes, line, "--", color=GREY, lw=0.8)
        ax.annotate("linear", (sizes[2], line[2]), (5, -9), textcoords="offset points", color=GREY)
        ax.set(xlabel="points", ylabel="seconds", title="from_groups, 22 features, 8 labels")
        figure.savefig(path)


def written(
    folder: Path, rows: int, files: int, features: int = 22, labels: bool = True
) -> list[Path]:
    """Normal points in Parquet files, with 1,000 labels of text."""
    pa, pq = import_module("pyarrow"), import_module("pyarrow.parquet")
    rng = np.random.default_rng(0)
    names = pa.array([f"g{k:04}" for k in range(1000)])
    paths = []
    each = rows // files
    for k in range(files):
        paths.append(folder / f"part{k:04}.parquet")
        writer = None
        for start in range(0, each, 1_000_000):
            n = min(1_000_000, each - start)
            columns: dict[str, Any] = {x: rng.standard_normal(n) for x in _FEATURES[:features]}
            if labels:
                columns["label"] = names.take(pa.array(rng.integers(0, 1000, n)))
            table = pa.table(columns)
            writer = writer or pq.ParquetWriter(paths[-1], table.schema)
            writer.write_table(table)
        assert writer is not None
        writer.close()
    return paths


def run(code: str, arguments: list[str]) -> list[str]:
    """The words that a program of Python prints."""
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
