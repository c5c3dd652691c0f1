"""``uapca read``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import click

from uapca._columns import plural
from uapca.cli.app import data_argument, data_options, force_option, output_option, subcommand
from uapca.cli.console import TABLES, check_output, line, rounded, show, significant
from uapca.cli.data import denoised, feature_names, read_data, write_rows

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
@output_option(".uapca", *TABLES, what="Keep the rows")
@force_option
@data_options
def read(data: str, rows: int, output: str | None, force: bool, reading: Mapping[str, Any]) -> None:
    """How a table is understood, and its first rows."""
    target = check_output(output, [".uapca", *TABLES], force)
    X = denoised(read_data(data, reading), reading)
    if output is not None:
        write_rows(X, target, plural(len(X), "row"))
        return
    features, first = feature_names(X), X[:rows]
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
