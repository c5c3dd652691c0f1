"""The program: its commands, imported when they are called, and what every error ends in."""

from __future__ import annotations

import errno
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Sequence
from difflib import SequenceMatcher
from importlib import import_module
from types import FrameType
from typing import Any, NoReturn

import click

from uapca._version import __version__
from uapca.cli import settings
from uapca.cli.errors import line_of, no_such

__all__ = ["COMMANDS", "app"]

# In the order of work. The help of the program needs no command to be imported.
COMMANDS = {
    "fit": "Eigenvalues, components and how far they can be trusted.",
    "plot": "One picture, as SVG, PNG or PDF.",
    "project": "The projected rows, with their uncertainty, as a table.",
    "traces": "Factor traces: the features as the uncertainty counts more and more.",
    "compare": "How different are two analyses?",
    "aggregate": "Many labelled points to one distribution for each label.",
    "explore": "An interactive page, in one file that needs no network.",
    "figures": "The figures of the paper.",
    "datasets": "The data sets that can be named instead of a file.",
    "completion": "Completion of commands and names for bash, zsh or fish.",
}

_ALIKE = 0.65


class App(click.Group):
    """A group whose commands are modules, and whose errors are one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"uapca.cli.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise no_such("command", args[0], list(COMMANDS), "See uapca --help.")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def main(
        self, args: Sequence[str] | None = None, prog_name: str | None = None, *_: Any, **extra: Any
    ) -> NoReturn:
        """Run; whatever happens, end with an exit code and at most one line of complaint."""
        settings.reset()
        arguments = sys.argv[1:] if args is None else list(args)
        extra.pop("standalone_mode", None)
        _prepare_streams()
        shown_before = warnings.showwarning
        before = _catch_termination()
        try:
            warnings.showwarning = _note_warning
            code = super().main(arguments or ["--help"], "uapca", standalone_mode=False, **extra)
            sys.stdout.flush()
        except BaseException as error:  # noqa: BLE001 - this is where errors end
            code = _ended(error)
        finally:
            warnings.showwarning = shown_before
            if before is not None:
                signal.signal(signal.SIGTERM, before)
        sys.exit(code if isinstance(code, int) else 0)


def _ended(error: BaseException) -> int:
    """Say what happened and return the exit code."""
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else 2
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, OSError) and error.errno == errno.EPIPE:
        # Whoever read our output has read enough; nothing more may be written at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    if isinstance(error, KeyboardInterrupt | click.Abort):
        sys.stderr.write("\nuapca: interrupted\n")
        return 130
    if settings.debug:
        traceback.print_exception(error)
    if isinstance(error, click.NoSuchOption):
        alike = _alike(error.option_name, error.possibilities or ())
        error = click.NoSuchOption(error.option_name, possibilities=alike, ctx=error.ctx)
    if isinstance(error, click.ClickException):
        # Not str(error): click's own text has the hint of what was meant.
        error = click.UsageError(error.format_message())
        sys.stderr.write(f"uapca: error: {line_of(ValueError(error.message))}\n")
    else:
        sys.stderr.write(f"uapca: error: {line_of(error)}\n")
    return 2


def _alike(option: str, possibilities: Sequence[str]) -> list[str]:
    """The options that may have been meant: --corr for --colour is none of them."""
    return [
        known
        for known in possibilities
        if SequenceMatcher(None, option.lstrip("-"), known.lstrip("-")).ratio() > _ALIKE
    ]


def _prepare_streams() -> None:
    """A terminal that knows no ± gets an escape, not an error."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _note_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """What the library warns of, as a remark without the place in its code."""
    if not settings.quiet:
        sys.stderr.write(f"note: {line_of(ValueError(str(message)))}\n")


def _catch_termination() -> Any:
    """Being told to end is like Ctrl-C: files half written are removed."""

    def end(number: int, frame: FrameType | None) -> None:
        sys.exit(128 + number)

    try:
        return signal.signal(signal.SIGTERM, end)
    except ValueError:  # not in the main thread
        return None


_EXAMPLES = """\b
Examples:
  uapca fit students                      a report on the bundled grades
  uapca fit stars.csv -o model.json       columns x and x_err: values with errors
  uapca plot flowers.csv projection --by species -o flowers.svg
  uapca figures -o paper

DATA is a file (CSV, TSV, Parquet, Feather, Excel, .uapca), - for CSV from standard input, or
the name of a bundled data set (uapca datasets). Every command says how it understood a file.
"""


@click.group(
    cls=App,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_EXAMPLES,
)
@click.version_option(__version__, "-V", "--version", prog_name="uapca")
@settings.debug_option
def app() -> None:
    """Principal component analysis of data that is not exact."""
