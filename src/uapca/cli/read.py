"""``uapca read``."""

from __future__ import annotations

import math
from pathlib import Path

import click

from uapca.cli.app import data_options, output_options, subcommand
from uapca.cli.console import TABLES, line, plural, rounded, show, significant
from uapca.cli.data import Data, feature_names, write_rows

__all__ = ["read"]

_WIDEST = 8


@subcommand(
    "read",
    ("uapca read stars.csv", "which columns are values, errors, names"),
    ("uapca read cells.xlsx --sheet plate2 --by well", "one row for each well"),
    ("uapca read stars.csv --features 'mag_*' -o stars.uapca", "keep what was read"),
)
@data_options("data")
@click.option(
    "--rows", type=click.IntRange(1), default=6, show_default=True, metavar="N",
    help="How many rows to show.",
)  # fmt: skip
@output_options(".uapca", *TABLES, what="Keep the rows")
def read(data: Data, rows: int, output: Path | None) -> None:
    """How a table is understood, and its first rows."""
    X = data.rows()
    if output is not None:
        write_rows(X, output, plural(len(X), "row"))
        return
    features, first = feature_names(X.features, X.shape[1]), X[:rows]
    names = first.names or [str(i + 1) for i in range(len(first))]
    table = []
    for name, means, stds in zip(names, first.mean, first.std, strict=True):
        cells = [
            "" if math.isnan(mean) else rounded(mean, std) if std > 0 else significant(mean, 6)
            for mean, std in zip(means[:_WIDEST], stds[:_WIDEST], strict=True)
        ]
        table.append([name, *cells])
    show(["row", *features[:_WIDEST]], table)
    more = [plural(len(X) - len(first), "more row")] * (len(X) > len(first))
    more += [plural(len(features) - _WIDEST, "more feature")] * (len(features) > _WIDEST)
    if more:
        line(f"and {' and '.join(more)}")
