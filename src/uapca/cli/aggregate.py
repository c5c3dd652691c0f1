"""``uapca aggregate``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from uapca._columns import plural
from uapca.cli.app import data_argument, data_options, force_option, output_option, subcommand
from uapca.cli.console import TABLES, CommandError, check_output
from uapca.cli.data import check_columns, parts, read_data, write_rows

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
@data_argument()
@output_option(".uapca", *TABLES)
@force_option
@data_options
def aggregate(data: str, output: str | None, force: bool, reading: Mapping[str, Any]) -> None:
    """Many labelled points to one distribution for each label.

    Only counts, means and covariances are kept. An analysis of them at s = 1 has exactly the
    covariance of all the points, and none of the points travels. A .uapca file keeps everything
    exactly.
    """
    target = check_output(output, [".uapca", *TABLES], force)
    if not reading["by"] and reading["bins"] is None:
        raise CommandError("say which column holds the labels: --by COLUMN, or --bins K.")
    if reading["by"] and reading["bins"] is not None:
        raise CommandError("--by and --bins exclude each other. Leave one out.")
    features = parts(reading["features"])
    if target is None or target.suffix.lower() != ".uapca":
        # Features that are named are known before millions of points are read.
        check_columns(features, ["name", "uapca_weight"], correlated=False)
    X = read_data(data, reading)
    write_rows(X, target, plural(len(X), "distribution"), weights=True)
