"""Reading error bars, against copying."""

from __future__ import annotations

import numpy as np

import uapca
from benchmarks.harness import Case, Job

__all__ = ["CASES"]


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


CASES = [_frame()]
