"""Reading error bars and grouping points, against copying and a bare-NumPy reference."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

import uapca
from benchmarks.harness import Case, Job

__all__ = ["CASES"]


def _grouped(
    points: npt.NDArray[np.float64], labels: npt.NDArray[np.int64]
) -> list[tuple[object, object]]:
    """Stable argsort, gather, one centred product for each label."""
    order = np.argsort(labels, kind="stable")
    sorted_points = points[order]
    bounds = np.searchsorted(labels[order], np.arange(labels.max() + 2))
    found: list[tuple[object, object]] = []
    for start, stop in pairwise(bounds):
        part = sorted_points[start:stop]
        mean = part.mean(axis=0)
        centred = part - mean
        found.append((mean, centred.T @ centred / len(part)))
    return found


def _groups(n_labels: int) -> Case:
    def build() -> dict[str, Job]:
        rng = np.random.default_rng(5)
        points = rng.standard_normal((1_000_000, 22))
        labels = rng.integers(0, n_labels, len(points))
        return {
            "from_groups": lambda: uapca.from_groups(points, labels),
            "bare NumPy": lambda: _grouped(points, labels),
        }

    name = f"from_groups, 1e6 × 22 points, {n_labels} labels"
    return Case(name, build, {"bare NumPy": 1.0}, rounds=5)


def _frame() -> Case:
    def build() -> dict[str, Job]:
        import pandas as pd

        values = np.random.default_rng(0).random((100_000, 40))
        names = [f"x{j}" for j in range(20)]
        frame = pd.DataFrame(values, columns=names + [f"{name}_err" for name in names])
        return {
            "from_frame": lambda: uapca.from_frame(frame),
            "copying the values": lambda: frame.to_numpy(copy=True),
        }

    return Case("from_frame, 1e5 rows, 20 features", build, {"copying the values": 3.0})


CASES = [_frame(), _groups(8), _groups(1000)]
