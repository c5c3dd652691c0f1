"""``uapca read``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from uapca.cli.app import data_argument, data_options, force_option, output_option, subcommand

__all__ = ["read"]

_WIDEST = 8


@subcommand(
    "read",
    ("uapca read stars.csv", "which columns are values, errors, names"),
    ("uapca read cells.xlsx --sheet plate2 --by well", "one row for each well"),
    ("uapca read stars.csv --features 'mag_*' -o stars.uapca", "keep what was read"),
)
@data_argument()
@click.option(
    "--rows", type=click.IntRange(1), default=6, show_default=True, metavar="N",
    help="How many rows to show.",
)  # fmt: skip
@output_option(".uapca", ".csv", ".tsv", ".parquet", ".feather", ".xlsx", what="Keep the rows")
@force_option
@data_options
def read(data: str, rows: int, output: str | None, force: bool, reading: Mapping[str, Any]) -> None:
    """How a table is understood, and its first rows."""
    from uapca.cli.aggregate import keep
    from uapca.cli.console import (
        TABLES,
        Grid,
        check_output,
        counted,
        line,
        rounded,
        show,
        significant,
    )
    from uapca.cli.data import feature_names, read_data

    target = check_output(output, [".uapca", *TABLES], force)
    X = read_data(data, reading, denoise="not yet")
    if target is not None:
        keep(X, target, counted(len(X), "row"))
        return
    features = feature_names(X)
    first = X[:rows]
    names = first.names or [str(i + 1) for i in range(len(first))]
    table = []
    for i, name in enumerate(names):
        cells = []
        for mean, std in list(zip(first.mean[i], first.std[i], strict=True))[:_WIDEST]:
            absent = mean != mean
            cells.append("" if absent else rounded(mean, std) if std > 0 else significant(mean, 6))
        table.append([name, *cells])
    show(Grid(["row", *features[:_WIDEST]], table))
    more = [counted(len(X) - len(first), "more row")] * (len(X) > len(first))
    more += [counted(len(features) - _WIDEST, "more feature")] * (len(features) > _WIDEST)
    if more:
        line(f"and {' and '.join(more)}")
