"""Pictures of many rows against matplotlib with the same number of plain artists.

A row that is drawn plainly is an ellipse, an artist of its own; of a million rows, which nobody
would draw so, a marker in one scatter plot.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import matplotlib as mpl
import numpy as np

import uapca
from benchmarks.harness import Case, Job

__all__ = ["CASES"]


def _many_rows(n: int) -> dict[str, Job]:
    mpl.use("agg")
    from matplotlib import pyplot as plt
    from matplotlib.patches import Ellipse

    rng = np.random.default_rng(0)
    mean = rng.normal(size=(n, 4)) * [4.0, 2.0, 1.0, 0.5]
    X = uapca.UncertainArray(mean, std=rng.gamma(2.0, 0.2, (n, 4)))
    pca = uapca.UAPCA(2).fit(X)
    at = pca.transform(X).mean

    def ours() -> None:
        ax: Any = uapca.plot.projection(pca, X)
        ax.figure.canvas.draw()
        plt.close("all")

    def plain() -> None:
        figure = plt.figure(figsize=(3.5, 3.5), dpi=150, layout="constrained")
        ax: Any = figure.add_subplot()
        if n <= 5000:
            for place in at:
                ax.add_patch(Ellipse(tuple(place), 1.0, 0.5, alpha=0.3))
            ax.autoscale_view()
        else:
            ax.scatter(*at.T, s=4, alpha=0.5)
        figure.canvas.draw()
        plt.close("all")

    return {"uapca": ours, "matplotlib, plain artists": plain}


CASES = [
    Case(
        f"projection of {n:,} rows",
        partial(_many_rows, n),
        {"matplotlib, plain artists": 3.0},
        rounds=5,
    )
    for n in (300, 5000, 1_000_000)
]
