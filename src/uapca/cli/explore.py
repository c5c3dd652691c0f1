"""``uapca explore``."""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path

import click

import uapca
from uapca.cli.app import data_options, output_options, standardize_option, subcommand
from uapca.cli.console import STDOUT, CommandError, note, quoted
from uapca.cli.data import Data

__all__ = ["explore"]


@subcommand(
    "explore",
    ("uapca explore students -o students.html", "a page to send to a colleague"),
    ("uapca explore stars.csv --open", "in the browser, from a temporary file"),
)
@data_options("data")
@output_options(
    ".html", what="The page to write", default="", allowed=lambda options: (".html", ".htm")
)
@click.option("--open", "open_it", is_flag=True, help="Open the page in the browser.")
@click.option("--groups", metavar="COLUMN", help="Color the rows by a column of the table.")
@click.option("--title", metavar="TEXT", help="The title of the page.")
@click.option("--compact", is_flag=True, help="The projection alone, to be embedded.")
@standardize_option
def explore(
    data: Data,
    output: Path | None,
    open_it: bool,
    groups: str | None,
    title: str | None,
    compact: bool,
    standardize: bool,
) -> None:
    """An interactive page, in one file that needs no network.

    Move the scale of the uncertainty and the weights of the rows, and watch the projection, the
    factor traces and the eigenvalues follow.
    """
    target = None if output == STDOUT else output
    if target is None and not open_it:
        raise CommandError("name the page with -o FILE.html, or add --open to look at it now.")
    X = data.rows()
    named = title or ("standard input" if data.name == "-" else Path(data.name).stem)
    pca = uapca.UAPCA(standardize=standardize).fit(X)
    colors = data.column(groups, X) if groups else None
    page = uapca.explore(pca, X, title=named, groups=colors)
    if target is None:
        target = Path(tempfile.mkdtemp(prefix="uapca-")) / "page.html"
    page.to_html(target, compact=compact)
    note(f"wrote {quoted(target)} (interactive page)")
    if open_it and not webbrowser.open(target.resolve().as_uri()):
        note(f"no browser could be opened. Open {quoted(target.resolve())} in one.")
