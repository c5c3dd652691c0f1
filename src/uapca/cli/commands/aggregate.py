"""``uapca aggregate``."""

from __future__ import annotations

import click

from uapca.cli.choices import Choices
from uapca.cli.options import (
    data_argument,
    data_options,
    force_option,
    output_option,
    subcommand,
)

__all__ = ["command"]


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
@click.option(
    "--bins",
    metavar="K",
    help="For points without labels: K clusters, or cells of a grid such as x=20,y=25.",
)
@output_option(".uapca (exact), .csv, .tsv, .parquet or .feather", required=True)
@force_option
@data_options
def aggregate(data: str, output: str, force: bool, choices: Choices) -> None:
    """Many labelled points to one distribution for each label.

    Only counts, means and covariances are kept. An analysis of them at s = 1 has exactly the
    covariance of all the points, and none of the points travels.
    """
    from uapca.cli.data import check_data, read_data
    from uapca.cli.errors import CommandError
    from uapca.cli.labels import counted
    from uapca.cli.output import TABLES, check_output, write_bytes, write_table

    check_data(data)
    target = check_output(output, [".uapca", *TABLES], force)
    if not choices.by and choices.bins is None:
        raise CommandError("say which column holds the labels: --by COLUMN, or --bins K.")
    if choices.by and choices.bins is not None:
        raise CommandError("--by and --bins exclude each other. Leave one out.")
    from uapca.cli.rows import check_columns, columns_of_rows, saved

    exact = target is not None and target.suffix.lower() == ".uapca"
    if choices.features and not exact:
        # Features that are named are known before millions of points are read.
        parts = (part.strip() for value in choices.features for part in value.split(","))
        check_columns(list(dict.fromkeys(parts)), named=True, weights=True)
    X = read_data(data, choices)
    what = counted(len(X), "distribution")
    if exact:
        write_bytes(target, saved(X), what)
    else:
        write_table(target, columns_of_rows(X, weights=True), what)


command = aggregate
