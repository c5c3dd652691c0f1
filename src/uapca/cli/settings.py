"""What holds for one run of the program: whether to show tracebacks, whether to be quiet."""

from __future__ import annotations

from typing import Any

import click

__all__ = ["debug", "debug_option", "quiet", "quiet_option", "reset"]

debug = False
quiet = False


def reset() -> None:
    """As at the start."""
    global debug, quiet
    debug = quiet = False


def _set_debug(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    global debug
    debug = debug or value


def _set_quiet(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    global quiet
    quiet = quiet or value


def debug_option(function: Any) -> Any:
    """``--debug``; read first, so that complaints about other options have a traceback too."""
    return click.option(
        "--debug",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_set_debug,
        help="Show the traceback of an error.",
    )(function)


def quiet_option(function: Any) -> Any:
    """``--quiet``."""
    return click.option(
        "-q",
        "--quiet",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_set_quiet,
        help="Do not say how the data was understood; show no progress.",
    )(function)
