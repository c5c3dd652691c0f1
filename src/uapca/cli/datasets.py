"""``uapca datasets`` and ``uapca completion``: what the program knows by name."""

from __future__ import annotations

import click

from uapca.cli.app import subcommand

__all__ = ["completion", "datasets"]


@subcommand("datasets", ("uapca datasets", ""), ("uapca fit anuran --by genus", ""))
def datasets() -> None:
    """The data sets that can be named instead of a file."""
    from uapca.cli.console import Grid, show
    from uapca.cli.data import BUNDLED

    rows = [[name, data.shape, data.what] for name, data in BUNDLED.items()]
    show(Grid(["name", "rows × features", "what it is"], rows, left=3))


@subcommand(
    "completion",
    ('eval "$(uapca completion bash)"', "in ~/.bashrc"),
    ('eval "$(uapca completion zsh)"', "in ~/.zshrc"),
    ("uapca completion fish > ~/.config/fish/completions/uapca.fish", ""),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Completion of commands and names for bash, zsh or fish.

    Prints a script for your shell; the examples say where it goes.
    """
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(ctx.find_root().command, {}, "uapca", "_UAPCA_COMPLETE").source())
