"""``uapca traces``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from uapca.cli.app import (
    Scale,
    components_option,
    data_argument,
    data_options,
    denoise_option,
    force_option,
    output_option,
    standardize_option,
    subcommand,
)

if TYPE_CHECKING:
    from uapca.sensitivity import FactorTraces

__all__ = ["traces"]


@subcommand(
    "traces",
    ("uapca traces students", "a summary, and where components come close"),
    ("uapca traces students -o traces.csv", ""),
    ("uapca traces iris --table eigenvalues --scales 0,0.5,1,2,inf -o -", ""),
)
@data_argument()
@components_option(whole=True)
@click.option(
    "--scales", metavar="S,S,…", help="Where to compute, rising, separated by commas; inf is one."
)
@click.option(
    "--table",
    type=click.Choice(["traces", "eigenvalues", "crossings"]),
    default="traces",
    show_default=True,
    help="What -o writes.",
)
@standardize_option
@denoise_option
@output_option(".csv", ".tsv", ".parquet", ".feather", ".xlsx", what="The table")
@force_option
@data_options
def traces(
    data: str,
    components: int | None,
    scales: str | None,
    table: str,
    standardize: bool,
    denoise: str | None,
    output: str | None,
    force: bool,
    reading: Mapping[str, Any],
) -> None:
    """Factor traces: the features as the uncertainty counts more and more.

    The unit vectors of the features in the leading components, as s goes from 0 (ordinary PCA)
    through 1 (the data as given) to inf (only the errors count), with their eigenvalues and the
    scales at which neighboring components come close or change places.
    """
    from uapca.cli.console import TABLES, check_output, counted, write_table
    from uapca.cli.data import check_data, denoised, fitted, read_data

    check_data(data)
    target = check_output(output, TABLES, force)
    grid = None if scales is None else _grid(scales)
    X = denoised(read_data(data, reading, denoise), denoise)
    from uapca.sensitivity import factor_traces

    d = X.shape[1]
    pca = fitted(X, None, 1.0, standardize=standardize)
    found = factor_traces(pca, d if components is None else min(components, d), scales=grid)
    if output is None:
        _print(found)
        return
    tables = {"traces": _traces, "eigenvalues": _eigenvalues, "crossings": _crossings}
    write_table(target, tables[table](found), f"{table} at {counted(len(found.scales), 'scale')}")


def _grid(text: str) -> list[float]:
    from uapca.cli.console import CommandError

    try:
        return sorted({Scale().convert(part, None, None) for part in text.split(",")})
    except click.BadParameter as error:
        raise CommandError(f"--scales: each {error.message}") from None


def _print(found: FactorTraces) -> None:
    from uapca.cli.console import Grid, line, show, significant

    summary = found.summary()
    rows = [
        [feature, *(f"{x:.3f}" for x in (*summary.distances[j], *summary.lengths[j]))]
        for j, feature in enumerate(summary.features)
    ]
    header = ["feature", "s = 0", "s = 1", "s = ∞", "path to 1", "path to ∞"]
    show(Grid(header, rows, "Distance from the center, and length of the trace"))
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
        show(Grid(["components", "at s", "crossing", "gap"], rows, "Components come close"))
    else:
        line("No component shown comes close to another.")


def _traces(found: FactorTraces) -> dict[str, Any]:
    import numpy as np

    count, d, q = found.loadings.shape
    segment = np.zeros(count, dtype=int)
    segment[found.breaks] = 1
    columns: dict[str, Any] = {
        "scale": np.repeat(found.scales, d),
        "u": np.repeat(found.u, d),
        "segment": np.repeat(segment.cumsum(), d),
        "feature": list(found.features) * count,
    }
    return columns | {f"PC{i + 1}": found.loadings[:, :, i].ravel() for i in range(q)}


def _eigenvalues(found: FactorTraces) -> dict[str, Any]:
    values = {f"PC{i + 1}": column for i, column in enumerate(found.eigenvalues.T)}
    return {"scale": found.scales, "u": found.u, **values}


def _crossings(found: FactorTraces) -> dict[str, Any]:
    all_of_them = found.crossings
    return {
        "scale": [c.scale for c in all_of_them],
        "first": [c.pair[0] + 1 for c in all_of_them],
        "second": [c.pair[1] + 1 for c in all_of_them],
        "kind": [c.kind for c in all_of_them],
        "gap": [c.gap for c in all_of_them],
        "relative_gap": [c.relative_gap for c in all_of_them],
    }
