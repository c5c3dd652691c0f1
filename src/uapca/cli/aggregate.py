"""``uapca aggregate``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uapca.cli.app import data_argument, data_options, force_option, output_option, subcommand

if TYPE_CHECKING:
    from uapca.uncertain import UncertainArray

__all__ = ["aggregate", "keep"]


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
@output_option(".uapca", ".csv", ".tsv", ".parquet", ".feather", ".xlsx", required=True)
@force_option
@data_options
def aggregate(data: str, output: str, force: bool, reading: Mapping[str, Any]) -> None:
    """Many labelled points to one distribution for each label.

    Only counts, means and covariances are kept. An analysis of them at s = 1 has exactly the
    covariance of all the points, and none of the points travels. A .uapca file keeps everything
    exactly.
    """
    from uapca.cli.console import TABLES, CommandError, check_output, counted
    from uapca.cli.data import check_columns, check_data, read_data

    check_data(data)
    target = check_output(output, [".uapca", *TABLES], force)
    if not reading["by"] and reading["bins"] is None:
        raise CommandError("say which column holds the labels: --by COLUMN, or --bins K.")
    if reading["by"] and reading["bins"] is not None:
        raise CommandError("--by and --bins exclude each other. Leave one out.")
    features = [part.strip() for value in reading["features"] for part in value.split(",")]
    patterns = any(sign in "".join(features) for sign in "*?[")
    if not patterns and target is not None and target.suffix.lower() != ".uapca":
        # Features that are named are known before millions of points are read.
        check_columns(features, True, True)
    X = read_data(data, reading)
    keep(X, target, counted(len(X), "distribution"), weights=True)


def keep(X: UncertainArray, target: Path | None, what: str, *, weights: bool = False) -> None:
    """Write rows: a .uapca file with everything known of them, or a table."""
    from uapca.cli.console import note, quoted, write_table
    from uapca.cli.data import columns_of_rows

    if target is not None and target.suffix.lower() == ".uapca":
        X.save(target)
        note(f"wrote {quoted(target)} ({what})")
    else:
        write_table(target, columns_of_rows(X, weights=weights), what)
