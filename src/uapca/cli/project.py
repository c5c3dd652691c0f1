"""``uapca project``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from uapca.cli.app import (
    components_option,
    data_argument,
    data_options,
    denoise_option,
    force_option,
    output_option,
    scale_option,
    standardize_option,
    subcommand,
)

if TYPE_CHECKING:
    from uapca.decomposition import UAPCA
    from uapca.uncertain import UncertainArray

__all__ = ["project"]


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
@denoise_option
@output_option(".csv", ".tsv", ".parquet", ".feather", ".xlsx", ".uapca")
@force_option
@data_options
@click.pass_context
def project(
    ctx: click.Context,
    data: str,
    model: str | None,
    components: Any,
    scale: float,
    standardize: bool,
    denoise: str | None,
    output: str | None,
    force: bool,
    reading: Mapping[str, Any],
) -> None:
    """The projected rows, with their uncertainty, as a table.

    Columns PC1, PC1_err, PC2, … hold means and standard deviations, PC1_PC2_corr correlations:
    exact, not sampled. The table is DATA again for this program, and so is a .uapca file, which
    keeps the laws of the rows as well.
    """
    from click.core import ParameterSource

    from uapca.cli.aggregate import keep
    from uapca.cli.console import TABLES, CommandError, check_output, counted
    from uapca.cli.data import check_data, denoised, fitted, read_data, read_model

    check_data(data)
    target = check_output(output, [*TABLES, ".uapca"], force)
    if model is not None:
        for name in ("components", "scale", "standardize"):
            if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT:
                raise CommandError(
                    f"--{name} belongs to a fit; the model has its own. Leave it out."
                )
    kept = None if model is None else read_model(model)
    X = denoised(read_data(data, reading, denoise), denoise)
    if kept is None:
        kept = fitted(X, components, scale, standardize=standardize)
    Y = _projected(kept, X)
    keep(Y, target, counted(len(Y), "projected row"))


def _projected(pca: UAPCA, X: UncertainArray) -> UncertainArray:
    """The projected rows; X may have its features in another order, and more of them."""
    from uapca.cli.console import CommandError, listed

    names = getattr(pca, "feature_names_in_", None)
    if names is None or X.features is None:
        return pca.transform(X)
    absent = [name for name in names if name not in X.features]
    if absent:
        raise CommandError(
            f"the data lacks features of the model: {listed(absent)}. It has {listed(X.features)}."
        )
    return pca.transform(X if X.features == tuple(names) else X[:, list(names)])
