"""``uapca aggregate``."""

from __future__ import annotations

from pathlib import Path

from uapca.cli.app import data_options, output_options, subcommand
from uapca.cli.console import TABLES, CommandError, plural
from uapca.cli.data import Data, check_columns, write_rows

__all__ = ["aggregate"]


@subcommand(
    "aggregate",
    ("uapca aggregate flowers.csv --by species -o species.uapca", ""),
    ("uapca aggregate flowers.csv --by species -o species.csv", "readable, and DATA again"),
    ("uapca aggregate cells.parquet --by plate,well --spread sem -o wells.parquet", ""),
    ('uapca aggregate "night/*.parquet" --by source -o night.uapca', "larger than memory"),
    ("uapca aggregate night --by source --bad-files skip -o night.uapca", "without broken files"),
    ("uapca aggregate points.parquet --bins 500 -o bins.uapca", "points without labels"),
)
@data_options("data")
@output_options(".uapca", *TABLES)
def aggregate(data: Data, output: Path | None) -> None:
    """Many labeled points to one distribution for each label.

    Only counts, means and covariances are kept. An analysis of them at s = 1 has exactly the
    covariance of all the points, and none of the points travels. A .uapca file keeps everything
    exactly.
    """
    reading = data.reading
    if not reading["by"] and reading["bins"] is None:
        raise CommandError("say which column holds the labels: --by COLUMN, or --bins K.")
    if reading["by"] and reading["bins"] is not None:
        raise CommandError("--by and --bins exclude each other. Leave one out.")
    if output is None or output.suffix.lower() != ".uapca":
        # Features that are named are known before millions of points are read.
        check_columns(reading["features"] or (), ["name", "uapca_weight"], correlated=False)
    X = data.observed
    write_rows(X, output, plural(len(X), "distribution"), weights=True)
