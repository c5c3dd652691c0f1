"""``uapca fit``."""

from __future__ import annotations

import click

from uapca.cli.choices import Choices
from uapca.cli.options import (
    components_option,
    data_argument,
    data_options,
    force_option,
    output_option,
    scale_option,
    standardize_option,
    subcommand,
)

__all__ = ["command"]


@subcommand(
    "fit",
    ("uapca fit students", ""),
    ("uapca fit stars.csv --scale 0", "ordinary PCA of the values, without their errors"),
    ("uapca fit flowers.csv --by species --standardize", "labelled points: one row a species"),
    ("uapca fit grades.csv --words words.toml", 'cells such as 14±5.7, "[10, 12]" and words'),
    ("uapca fit stars.parquet -n 0.95 -o model.json", "as many components as explain 95 %"),
    ("uapca fit iris --json | jq .shares", ""),
)
@data_argument()
@components_option()
@scale_option
@standardize_option
@click.option(
    "--ddof",
    type=click.FloatRange(0.0),
    metavar="N",
    default=0.0,
    show_default=True,
    help="Divide by N − ddof; with 1, certain points give what scikit-learn gives.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the model as JSON instead of tables.")
@output_option(".json, which uapca project and compare read", what="Keep the model")
@force_option
@data_options
def fit(
    data: str,
    components: int | float | None,
    scale: float,
    standardize: bool,
    ddof: float,
    as_json: bool,
    output: str | None,
    force: bool,
    choices: Choices,
) -> None:
    """Eigenvalues, components and how far they can be trusted.

    Prints the variance of each component and its share, the loadings of the features with their
    standard errors, and whether neighbouring components can be told apart.
    """
    from uapca.cli.data import check_data, read_data
    from uapca.cli.output import check_output, write_bytes

    check_data(data)
    target = check_output(output, [".json"], force)
    X = read_data(data, choices)
    from uapca.cli.fitting import fitted
    from uapca.cli.report import print_report

    found = fitted(X, components, scale, ddof=ddof, standardize=standardize, judged=True)
    content = found.to_json().encode()
    if as_json or output == "-":
        write_bytes(None, content, "")
    else:
        print_report(found)
    if target is not None:
        write_bytes(target, content, "model")


command = fit
