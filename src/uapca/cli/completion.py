"""``uapca completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from uapca.cli.app import subcommand

__all__ = ["completion"]


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
    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(ctx.find_root().command, {}, "uapca", "_UAPCA_COMPLETE").source())
