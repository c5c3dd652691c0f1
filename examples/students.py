"""The main job on the bundled student grades: data in, fit, look.

Prints a report and writes what it shows to ``out/``: the grades as read, the fit, the projected
grades and the factor traces as tables and pictures, and the explorer page. ``make demo`` runs it.
"""

from __future__ import annotations

import csv
import os
import sys
import warnings
from pathlib import Path

import numpy as np

import uapca

OUT = Path("out")


def main() -> None:
    X = uapca.datasets.load_students()
    print("Student grades, 0 to 20: numbers, intervals and words such as “fairly good”.\n")
    print(X)

    plain = uapca.UAPCA(n_components=2, scale=0.0).fit(X)
    pca = uapca.UAPCA(n_components=2).fit(X)
    print("\nComponents, without the uncertainty (s = 0) and with it (s = 1):\n")
    print(_components(X, plain, pca))

    Y = pca.transform(X)
    print("\nProjected grades, mean ± standard deviation (exact, no sampling):\n")
    print(Y)

    # On the straight line from Tom to Jane: how far apart are they, and how sure is that?
    step = Y.mean[X.names.index("Jane")] - Y.mean[X.names.index("Tom")]
    apart = float(np.hypot(*step))
    spread = float(np.sqrt(Y["Tom"].cov.variances_along(step[None] / apart)[0, 0]))
    print(
        f"\nTom and Jane are {apart:.1f} apart in this picture, and Tom's grades are uncertain by "
        f"±{spread:.1f} along that line:\nit is quite possible that they performed alike."
    )

    print("\nIf each grade is one unknown value, how well are the components known?\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uapca.SeparationWarning)  # the verdict says it
        print(uapca.component_uncertainty(X))

    traces = uapca.factor_traces(X)
    print("\nHow far each test reaches into the picture as the uncertainty counts more:\n")
    print(traces.summary())

    OUT.mkdir(exist_ok=True)
    X.save(OUT / "students.uapca")
    _write(
        OUT / "components.csv",
        ["scale", "component", "variance", "share", *X.features],
        _fit_rows(plain, pca),
    )
    _write(
        OUT / "projected.csv",
        ["name", "PC1", "PC1_err", "PC2", "PC2_err", "PC1_PC2_corr"],
        _projected_rows(Y),
    )
    _write(OUT / "traces.csv", ["scale", "feature", "x", "y"], _trace_rows(traces))
    pictures = {
        "projection": uapca.plot.projection(pca, X),
        "factor-traces": uapca.plot.factor_traces(traces),
        "eigenvalues": uapca.plot.eigenvalues(traces),
    }
    for name, ax in pictures.items():
        ax.figure.savefig(OUT / f"{name}.png")
        ax.figure.savefig(OUT / f"{name}.svg")
    page = uapca.explore(pca, X, title="Student grades").to_html(OUT / "explorer.html")
    print("\nwritten: " + ", ".join(str(path) for path in sorted(OUT.iterdir())))
    print(f"\nOpen {page} in a browser to move the uncertainty and the weights yourself.")


def _components(X: uapca.UncertainArray, *fits: uapca.UAPCA) -> str:
    lines = [f"{'':8}{'variance':>10}{'share':>8}  " + "".join(f"{f:>8}" for f in X.features or ())]
    for pca in fits:
        for i, row in enumerate(pca.components_):
            variance, share = pca.explained_variance_[i], pca.explained_variance_ratio_[i]
            lines.append(
                f"s={pca.scale:g} PC{i + 1} {variance:>9.4f}{share:>8.1%}  "
                + "".join(f"{value:>8.3f}" for value in row)
            )
    return "\n".join(lines)


def _fit_rows(*fits: uapca.UAPCA) -> list[list[object]]:
    return [
        [pca.scale, i + 1, pca.explained_variance_[i], pca.explained_variance_ratio_[i], *row]
        for pca in fits
        for i, row in enumerate(pca.components_)
    ]


def _projected_rows(Y: uapca.UncertainArray) -> list[list[object]]:
    rows: list[list[object]] = []
    for name, mean, std, cov in zip(Y.names or (), Y.mean, Y.std, Y.cov.dense(), strict=True):
        rows.append([name, mean[0], std[0], mean[1], std[1], cov[0, 1] / (std[0] * std[1])])
    return rows


def _trace_rows(traces: uapca.sensitivity.FactorTraces) -> list[list[object]]:
    return [
        [scale, feature, *point]
        for scale, positions in zip(traces.scales, traces.positions, strict=True)
        for feature, point in zip(traces.features, positions, strict=True)
    ]


def _write(path: Path, header: list[str], rows: list[list[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


if __name__ == "__main__":
    try:
        main()
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, such as head, has seen enough; nothing is left to be written at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
