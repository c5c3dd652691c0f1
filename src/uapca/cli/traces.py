"""``uapca traces``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import uapca
from uapca.cli.app import (
    components_option,
    data_options,
    output_options,
    scale_from,
    standardize_option,
    subcommand,
)
from uapca.cli.console import TABLES, line, plural, show, significant, write_table
from uapca.cli.data import Data, fitted

__all__ = ["traces"]


def _scales(text: str) -> list[float]:
    return sorted({scale_from(part) for part in text.split(",")})


@subcommand(
    "traces",
    ("uapca traces students", "a summary, and where components come close"),
    ("uapca traces students -o traces.csv", ""),
    ("uapca traces iris --table eigenvalues --scales 0,0.5,1,2,inf -o -", ""),
)
@data_options("data")
@components_option
@click.option(
    "--scales",
    type=_scales,
    metavar="S,S,…",
    help="Where to compute, rising, separated by commas; inf is one.",
)
@click.option(
    "--table",
    type=click.Choice(["traces", "eigenvalues", "crossings"]),
    default="traces",
    show_default=True,
    help="What -o writes.",
)
@standardize_option
@output_options(*TABLES, what="The table", default="; without it, a summary is printed")
def traces(
    data: Data,
    components: Any,
    scales: list[float] | None,
    table: str,
    standardize: bool,
    output: Path | None,
) -> None:
    """Factor traces: how features move as the uncertainty grows.

    The unit vectors of the features in the leading components, as s goes from 0 (ordinary PCA)
    through 1 (the data as given) to inf (only the errors count), with their eigenvalues and the
    scales at which neighboring components come close or change places.
    """
    pca = fitted(data.rows(), components, scale=1.0, standardize=standardize)
    found = uapca.factor_traces(pca, pca.n_components_, scales=scales)
    if output is None:
        _print(found)
    else:
        columns = {"traces": _traces, "eigenvalues": _eigenvalues, "crossings": _crossings}[table]
        count = plural(len(found.scales), "scale")
        write_table(output, columns(found), f"{table} at {count}")


def _print(found: uapca.sensitivity.FactorTraces) -> None:
    summary = found.summary()
    rows = [
        [feature, *(f"{x:.3f}" for x in (*summary.distances[j], *summary.lengths[j]))]
        for j, feature in enumerate(summary.features)
    ]
    header = ["feature", "s = 0", "s = 1", "s = ∞", "path to 1", "path to ∞"]
    show(header, rows, "Distance from the center, and length of the trace")
    line()
    rows = [
        [
            f"PC{c.pair[0] + 1} and PC{c.pair[1] + 1}",
            significant(c.scale),
            c.kind,
            f"{100 * c.relative_gap:.2g} %",
        ]
        for c in found.crossings
        if c.touches
    ]
    if rows:
        show(["components", "at s", "crossing", "gap"], rows, "Components come close")
    else:
        line("No component shown comes close to another.")


def _traces(found: uapca.sensitivity.FactorTraces) -> dict[str, Any]:
    import numpy as np

    count, d, q = found.positions.shape
    segment = np.zeros(count, dtype=int)
    segment[found.breaks] = 1
    columns: dict[str, Any] = {
        "scale": np.repeat(found.scales, d),
        "u": np.repeat(found.u, d),
        "segment": np.repeat(segment.cumsum(), d),
        "feature": list(found.features) * count,
    }
    return columns | {f"PC{i + 1}": found.positions[:, :, i].ravel() for i in range(q)}


def _eigenvalues(found: uapca.sensitivity.FactorTraces) -> dict[str, Any]:
    values = {f"PC{i + 1}": column for i, column in enumerate(found.eigenvalues.T)}
    return {"scale": found.scales, "u": found.u, **values}


def _crossings(found: uapca.sensitivity.FactorTraces) -> dict[str, Any]:
    all_of_them = found.crossings
    return {
        "scale": [c.scale for c in all_of_them],
        "first": [c.pair[0] + 1 for c in all_of_them],
        "second": [c.pair[1] + 1 for c in all_of_them],
        "kind": [c.kind for c in all_of_them],
        "gap": [c.gap for c in all_of_them],
        "relative_gap": [c.relative_gap for c in all_of_them],
    }
