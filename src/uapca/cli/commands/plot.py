"""``uapca plot``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from uapca.cli.choices import Choices
from uapca.cli.kinds import KINDS
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

if TYPE_CHECKING:
    pass

__all__ = ["command"]


@subcommand(
    "plot",
    ("uapca plot students projection -o students.svg", ""),
    ("uapca plot students traces -o traces.pdf", ""),
    ("uapca plot stars.csv biplot --components 3 --pair 1,3 -o biplot.png", ""),
    ("uapca plot students progression -o progression.gif", "an animation"),
)
@data_argument()
@click.argument("kind", metavar="KIND", type=click.Choice(list(KINDS)))
@output_option("by its ending .svg, .png or .pdf", required=True, what="The picture")
@components_option(whole=True)
@click.option("--pair", metavar="I,J", help="Which components to show, counted from 1.")
@scale_option
@standardize_option
@force_option
@data_options
def plot(
    data: str,
    kind: str,
    output: str,
    components: int | None,
    pair: str | None,
    scale: float,
    standardize: bool,
    force: bool,
    choices: Choices,
) -> None:
    """One picture, as SVG, PNG or PDF."""
    raise NotImplementedError


command = plot
