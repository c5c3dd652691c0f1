"""``uapca project``."""

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
    "project",
    ("uapca project students", "as CSV on standard output"),
    ("uapca project stars.csv -o projected.parquet", ""),
    ("uapca project new.csv --model model.json -o projected.csv", "with a fit that was kept"),
    ("uapca project students -o projected.uapca", "with everything known of the rows"),
)
@data_argument()
@click.option("--model", metavar="FILE", help="Use this model instead of fitting DATA.")
@components_option()
@scale_option
@standardize_option
@output_option(".csv, .tsv, .parquet, .feather or .uapca")
@force_option
@data_options
@click.pass_context
def project(
    ctx: click.Context,
    data: str,
    model: str | None,
    components: int | float | None,
    scale: float,
    standardize: bool,
    output: str | None,
    force: bool,
    choices: Choices,
) -> None:
    """The projected rows, with their uncertainty, as a table.

    Columns PC1, PC1_err, PC2, … hold means and standard deviations, PC1_PC2_corr correlations:
    exact, not sampled. The table is DATA again for this program, and so is a .uapca file, which
    keeps the laws of the rows as well.
    """
    from uapca.cli.data import check_data, read_data
    from uapca.cli.labels import counted
    from uapca.cli.model import project as project_rows
    from uapca.cli.model import read_model
    from uapca.cli.output import TABLES, check_output, write_bytes, write_table

    check_data(data)
    target = check_output(output, [*TABLES, ".uapca"], force)
    if model is not None:
        _refuse_with_model(ctx)
        kept = read_model(model)
    X = read_data(data, choices)
    if model is None:
        from uapca.cli.fitting import fitted

        kept = fitted(X, components, scale, standardize=standardize).kept
    Y = project_rows(kept, X)
    if target is not None and target.suffix.lower() == ".uapca":
        from uapca.cli.rows import saved

        write_bytes(target, saved(Y), counted(len(Y), "projected row"))
        return
    from uapca.cli.rows import columns_of_rows

    write_table(target, columns_of_rows(Y), counted(len(Y), "projected row"))


def _refuse_with_model(ctx: click.Context) -> None:
    from click.core import ParameterSource

    from uapca.cli.errors import CommandError

    for name in ("components", "scale", "standardize"):
        if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT:
            raise CommandError(f"--{name} belongs to a fit; the model has its own. Leave it out.")


command = project
