"""``uapca explore``."""

from __future__ import annotations

import tempfile
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

import uapca
from uapca.cli.app import (
    data_argument,
    data_options,
    force_option,
    output_option,
    standardize_option,
    subcommand,
)
from uapca.cli.console import CommandError, check_output, note, quoted
from uapca.cli.data import column_of, denoised, read_data

__all__ = ["explore"]


@subcommand(
    "explore",
    ("uapca explore students -o students.html", "a page to send to a colleague"),
    ("uapca explore stars.csv --open", "in the browser, from a temporary file"),
)
@data_argument()
@output_option(".html", what="The page to write", default="")
@click.option("--open", "open_it", is_flag=True, help="Open the page in the browser.")
@click.option("--groups", metavar="COLUMN", help="Color the rows by a column of the table.")
@click.option("--title", metavar="TEXT", help="The title of the page.")
@click.option("--compact", is_flag=True, help="The projection alone, to be embedded.")
@standardize_option
@force_option
@data_options
def explore(
    data: str,
    output: str | None,
    open_it: bool,
    groups: str | None,
    title: str | None,
    compact: bool,
    standardize: bool,
    force: bool,
    reading: Mapping[str, Any],
) -> None:
    """An interactive page, in one file that needs no network.

    Move the scale of the uncertainty and the weights of the rows, and watch the projection, the
    factor traces and the eigenvalues follow.
    """
    target = check_output(output, [".html", ".htm"], force)
    if target is None and not open_it:
        raise CommandError("name the page with -o FILE.html, or add --open to look at it now.")
    X = denoised(read_data(data, reading), reading)
    named = title or ("standard input" if data == "-" else Path(data).stem)
    pca = uapca.UAPCA(standardize=standardize).fit(X)
    colors = column_of(data, groups, reading, X) if groups else None
    page = uapca.explore(pca, X, title=named, groups=colors)
    if target is None:
        target = Path(tempfile.mkdtemp(prefix="uapca-")) / "page.html"
    page.to_html(target, compact=compact)
    note(f"wrote {quoted(target)} (interactive page)")
    if open_it and not webbrowser.open(target.resolve().as_uri()):
        note(f"no browser could be opened. Open {quoted(target.resolve())} in one.")
