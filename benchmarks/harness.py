"""Cases, measured fairly.

Machines are noisy, so nothing here is an absolute time: in each case every contestant runs in turn,
round after round, in one process of its own, and what is reported is the median over the rounds of
the ratio between the two times of a round, with its quartiles.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

import numpy as np

__all__ = ["Case", "Row", "measure", "run_case", "table"]

Job = Callable[[], object]


@dataclass(frozen=True)
class Case:
    """Contestants over the same data.

    Attributes
    ----------
    name : str
    build : callable
        Makes the data and returns the contestants by name, ours first.
    limits : dict
        The largest ratio ours / contestant that the project promises, by contestant.
    rounds : int
    """

    name: str
    build: Callable[[], dict[str, Job]]
    limits: dict[str, float] = field(default_factory=dict)
    rounds: int = 15


@dataclass(frozen=True)
class Row:
    """One line of the table: ours against one contestant."""

    case: str
    against: str
    ratio: float
    low: float
    high: float
    ours_ms: float
    limit: float | None

    @property
    def kept(self) -> bool | None:
        return None if self.limit is None else self.ratio <= self.limit


def measure(case: Case, rounds: int | None = None) -> list[Row]:
    """Run a case in this process, for its own number of rounds or another."""
    jobs = case.build()
    for job in jobs.values():
        job()
    times: dict[str, list[float]] = {name: [] for name in jobs}
    order = list(jobs)
    gc.disable()
    for round_ in range(rounds or case.rounds):
        # Who comes first changes, so that nobody always runs on the other's warm cache.
        for name in order if round_ % 2 else reversed(order):
            times[name].append(_time(jobs[name]))
    gc.enable()
    ours = np.array(times[order[0]])
    rows = []
    for name in order[1:]:
        ratios = ours / np.array(times[name])
        low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75])
        rows.append(
            Row(
                case.name,
                name,
                middle,
                low,
                high,
                1e3 * float(np.median(ours)),
                case.limits.get(name),
            )
        )
    return rows


def run_case(name: str, rounds: int | None = None) -> list[Row]:
    """Run a case in a process of its own."""
    command = [sys.executable, "-m", "benchmarks", "--one", name]
    command += [] if rounds is None else ["--rounds", str(rounds)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [Row(**row) for row in json.loads(done.stdout.splitlines()[-1])]


def dump(rows: list[Row]) -> str:
    return json.dumps([asdict(row) for row in rows])


def table(rows: list[Row]) -> str:
    """The rows as a Markdown table."""
    lines = [
        "| case | ours ÷ | median ratio | quartiles | promised | kept | ours, ms |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        promised = "" if row.limit is None else f"≤ {row.limit:g}"
        kept = {None: "", True: "yes", False: "**no**"}[row.kept]
        lines.append(
            f"| {row.case} | {row.against} | {row.ratio:.3g} | {row.low:.3g} to {row.high:.3g} "
            f"| {promised} | {kept} | {row.ours_ms:.3g} |"
        )
    return "\n".join(lines)


def _time(job: Job) -> float:
    """The time of one call in a warm state; short ones are repeated and averaged.

    Threads of the contestant before, of BLAS or JAX, go on waiting for work for some milliseconds
    on the cores that the next one needs: they are given the time to stop. Then the job runs
    untimed until its own threads and caches are warm again.
    """
    time.sleep(0.03)
    once = _timed(job, 1)
    if once > 2e-2:
        return once
    repeats = int(1e-2 / max(once, 1e-6)) + 1
    return min(_timed(job, repeats), _timed(job, repeats))


def _timed(job: Job, repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        job()
    return (time.perf_counter() - start) / repeats
