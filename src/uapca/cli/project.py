"""``uapca project``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from uapca.cli.app import (
    components_option,
    data_options,
    output_options,
    scale_option,
    standardize_option,
    subcommand,
)
from uapca.cli.console import TABLES, CommandError, plural
from uapca.cli.data import Data, fitted, read_model, write_rows

__all__ = ["project"]


@subcommand(
    "project",
    ("uapca project students", "as CSV on standard output"),
    ("uapca project stars.csv -o projected.parquet", ""),
    ("uapca project new.csv --model model.json -o projected.csv", "with a fit that was kept"),
    ("uapca project students -o projected.uapca", "with everything known of the rows"),
)
@data_options("data")
@click.option("--model", metavar="FILE", help="Use this model instead of fitting DATA.")
@components_option
@scale_option
@standardize_option
@click.option(
    "--parameter-errors",
    is_flag=True,
    help="With --denoise: the rows get wider by the errors of the model, so that intervals of the "
    "true values cover what they say.",
)
@output_options(*TABLES, ".uapca")
@click.pass_context
def project(
    ctx: click.Context,
    /,
    data: Data,
    model: str | None,
    components: Any,
    parameter_errors: bool,
    output: Path | None,
    **parameters: Any,
) -> None:
    """The projected rows, with their uncertainty, as a table.

    Columns PC1, PC1_err, PC2, … hold means and standard deviations, PC1_PC2_corr correlations:
    exact, not sampled. The table is DATA again for this program, and so is a .uapca file, which
    keeps the laws of the rows as well.
    """
    for name in ("components", "features", *parameters) if model is not None else ():
        if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT:
            raise CommandError(f"--{name} belongs to a fit; the model has its own. Leave it out.")
    if parameter_errors and data.reading["denoise"] is None:
        raise CommandError("--parameter-errors are those of --denoise. Add it.")
    pca = None if model is None else read_model(model)
    names = getattr(pca, "feature_names_in_", None)
    if names is not None:  # nothing else of the table is looked at
        data = Data(data.name, {**data.reading, "features": [*names]})
    X = data.rows()
    pca = pca or fitted(X, components, **parameters)
    if parameter_errors:  # the components are those of the rows without them
        X = data.rows(parameter_errors=True)
    write_rows(pca.transform(X), output, plural(len(X), "projected row"))
