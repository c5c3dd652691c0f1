"""``python -m benchmarks [NAME…]``: run the cases whose names contain one of the words."""

from __future__ import annotations

import argparse
import platform
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


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("words", nargs="*", help="run only cases whose name contains a word")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(dump(measure(CASES[options.one])))
        return
    chosen = [
        name for name in CASES if not options.words or any(word in name for word in options.words)
    ]
    rows: list[Row] = []
    for name in chosen:
        found = run_case(name)
        rows += found
        print("\n".join(table(found).splitlines()[2:]), flush=True)
    text = table(rows)
    if not options.words:
        reports = (
            extras.import_report,
            extras.start_report,
            extras.memory_report,
            aggregate.stream_report,
            aggregate.live_report,
            aggregate.parquet_report,
            partial(aggregate.parquet_report, files=20),
            partial(aggregate.parquet_report, files=2000),
            aggregate.csv_report,
            aggregate.bins_report,
            partial(aggregate.growth_report, RESULTS.parent / "growth.png"),
        )
        notes = []
        for report in reports:
            notes.append(f"- {report()}")
            print(notes[-1], flush=True)
        RESULTS.write_text(_page(text, "\n".join(notes)), encoding="utf-8")
        print(f"\nwritten to {RESULTS.relative_to(Path.cwd())}")
    print(f"\n{text}")


def _page(text: str, notes: str) -> str:
    versions = (
        f"NumPy {np.__version__}, SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}"
    )
    return (
        "# Measured\n\n"
        "Ratios of our time to the contestant's, smaller is better, each the median over rounds "
        "in which\nall ran in turn in one process (`make bench`). "
        f"Python {platform.python_version()}, {versions}, two cores.\n\n{text}\n\n{notes}\n"
    )


if __name__ == "__main__":
    main()
