"""Run the cases and reports whose names contain one of the words.

Without words all run, and RESULTS.md is written; reports of 1e8 points run only where a word names
them: ``python -m benchmarks 1e8``.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import numpy as np
import scipy
import sklearn

from benchmarks import (
    aggregate,
    densities,
    extras,
    foundation,
    inputs,
    plots,
    posterior,
    sensitivity,
    stability,
)
from benchmarks.harness import Row, dump, measure, run_case, table

PARTS = (foundation, inputs, aggregate, densities, posterior, sensitivity, stability, plots)
CASES = {case.name: case for part in PARTS for case in part.CASES}
RESULTS = Path(__file__).parent / "RESULTS.md"
REPORTS: dict[str, Callable[[], str]] = {
    "import": extras.import_report,
    "start of the command line": extras.start_report,
    "memory of a wide fit": extras.memory_report,
    "live chunks": aggregate.stream_report,
    "live snapshots": aggregate.live_report,
    "Parquet files, 4": aggregate.parquet_report,
    "Parquet files, 20": partial(aggregate.parquet_report, files=20),
    "Parquet files, 2000": partial(aggregate.parquet_report, files=2000),
    "CSV files": aggregate.csv_report,
    "points without labels": aggregate.bins_report,
    "growth of from_groups": partial(aggregate.growth_report, RESULTS.parent / "growth.png"),
}
# Minutes each: docs/scale.md has what they say.
LARGE: dict[str, Callable[[], str]] = {
    "1e8 points without labels": partial(aggregate.bins_report, rows=100_000_000, rounds=1),
    "1e8 points to a picture": aggregate.picture_report,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("words", nargs="*", help="run only what has a word in its name")
    parser.add_argument("--rounds", type=int, help="rounds of each case, for a quick look")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(dump(measure(CASES[options.one], options.rounds)))
        return
    words: list[str] = options.words
    start = time.perf_counter()
    rows: list[Row] = []
    for name in _chosen(CASES, words):
        found = run_case(name, options.rounds)
        rows += found
        print("\n".join(table(found).splitlines()[2:]), flush=True)
    reports = REPORTS | LARGE if words else REPORTS
    notes = []
    for name in _chosen(reports, words):
        notes.append(f"- {reports[name]()}")
        print(notes[-1], flush=True)
    text = table(rows) if rows else ""
    if not words and options.rounds is None:
        RESULTS.write_text(_page(text, "\n".join(notes)), encoding="utf-8")
        print(f"\nwritten to {RESULTS.relative_to(Path.cwd())}")
    print(f"\n{text}\n\n{(time.perf_counter() - start) / 60:.0f} minutes")


def _chosen(names: Iterable[str], words: list[str]) -> list[str]:
    return [name for name in names if not words or any(word in name for word in words)]


def _page(text: str, notes: str) -> str:
    versions = (
        f"NumPy {np.__version__}, SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}"
    )
    return (
        "# Measured\n\n"
        "Ratios of our time to the contestant's, smaller is better, each the median over rounds "
        "in which\nall ran in turn in one process (`make bench`). "
        f"Python {platform.python_version()}, {versions}, {os.cpu_count()} cores."
        f"\n\n{text}\n\n{notes}\n"
    )


if __name__ == "__main__":
    main()
