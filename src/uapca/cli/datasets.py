"""``uapca datasets``."""

from __future__ import annotations

import sys

import click

from uapca.cli.app import subcommand
from uapca.cli.console import line, width_of
from uapca.cli.data import BUNDLED

__all__ = ["datasets"]


@subcommand("datasets", ("uapca datasets", ""), ("uapca fit anuran --by genus", ""))
def datasets() -> None:
    """The data sets that can be named instead of a file."""
    formatter = click.HelpFormatter(width=width_of(sys.stdout) or 120)
    formatter.write_dl([(name, f"{it.what} ({it.shape})") for name, it in BUNDLED.items()])
    for row in formatter.getvalue().splitlines():
        line(row)
