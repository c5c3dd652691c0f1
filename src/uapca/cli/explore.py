"""``uapca explore``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from uapca.cli.app import (
    data_argument,
    data_options,
    denoise_option,
    force_option,
    standardize_option,
    subcommand,
)

__all__ = ["explore"]


@subcommand(
    "explore",
    ("uapca explore students -o students.html", "a page to send to a colleague"),
    ("uapca explore stars.csv --open", "in the browser, from a temporary file"),
)
@data_argument()
@click.option("-o", "--output", metavar="FILE", type=click.Path(), help="The page to write: .html.")
@click.option("--open", "open_it", is_flag=True, help="Open the page in the browser.")
@click.option("--title", metavar="TEXT", help="The title of the page.")
@click.option("--compact", is_flag=True, help="The projection alone, to be embedded.")
@standardize_option
@denoise_option
@force_option
@data_options
def explore(
    data: str,
    output: str | None,
    open_it: bool,
    title: str | None,
    compact: bool,
    standardize: bool,
    denoise: str | None,
    force: bool,
    reading: Mapping[str, Any],
) -> None:
    """An interactive page, in one file that needs no network.

    Move the scale of the uncertainty and the weights of the rows, and watch the projection, the
    factor traces and the eigenvalues follow.
    """
    import tempfile

    from uapca.cli.console import CommandError, check_output, note, quoted
    from uapca.cli.data import check_data, denoised, read_data

    check_data(data)
    if output is None and not open_it:
        raise CommandError("name the page with -o FILE.html, or add --open to look at it now.")
    target = check_output(output, [".html", ".htm"], force)
    X = denoised(read_data(data, reading, denoise), denoise)
    import uapca

    source: Any = uapca.UAPCA(standardize=True).fit(X) if standardize else X
    named = title or ("standard input" if data == "-" else Path(data).stem)
    page = uapca.explore(source, X if standardize else None, title=named)
    if target is None:
        target = Path(tempfile.mkdtemp(prefix="uapca-")) / "page.html"
    page.to_html(target, compact=compact)
    note(f"wrote {quoted(target)} (interactive page)")
    if open_it:
        import webbrowser

        if not webbrowser.open(target.resolve().as_uri()):
            note(f"no browser could be opened. Open {quoted(target.resolve())} in one.")
