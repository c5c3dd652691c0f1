"""``uapca explore``."""

from __future__ import annotations

import click

from uapca.cli.choices import Choices
from uapca.cli.options import (
    data_argument,
    data_options,
    force_option,
    standardize_option,
    subcommand,
)

__all__ = ["command"]


@subcommand(
    "explore",
    ("uapca explore students -o students.html", "a page to send to a colleague"),
    ("uapca explore stars.csv --open", "in the browser, from a temporary file"),
)
@data_argument()
@click.option("-o", "--output", metavar="FILE", type=click.Path(), help="The page to write: .html.")
@click.option("--open", "open_it", is_flag=True, help="Open the page in the browser.")
@standardize_option
@force_option
@data_options
def explore(
    data: str,
    output: str | None,
    open_it: bool,
    standardize: bool,
    force: bool,
    choices: Choices,
) -> None:
    """An interactive page, in one file that needs no network.

    Move the scale of the uncertainty and the weights of the rows, and watch the projection, the
    factor traces and the eigenvalues follow.
    """
    from pathlib import Path

    from uapca.cli.data import check_data, read_data
    from uapca.cli.errors import CommandError
    from uapca.cli.output import check_output, write_bytes

    check_data(data)
    if output is None and not open_it:
        raise CommandError("name the page with -o FILE.html, or add --open to look at it now.")
    target = check_output(output, [".html", ".htm"], force)
    X = read_data(data, choices)
    if standardize:
        from uapca.decomposition import UncertainScaler

        X = UncertainScaler().fit_transform(X)
    import tempfile

    import uapca

    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        uapca.explore(X, title="standard input" if data == "-" else Path(data).stem).to_html(page)
        content = page.read_bytes()
    if target is None:
        target = Path(tempfile.mkdtemp(prefix="uapca-")) / "page.html"
    write_bytes(target, content, "interactive page")
    if open_it:
        import webbrowser

        from uapca.cli.labels import quoted
        from uapca.cli.say import note

        if not webbrowser.open(target.resolve().as_uri()):
            note(f"no browser could be opened. Open {quoted(target.resolve())} in one.")


command = explore
