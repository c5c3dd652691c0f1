"""The program: its commands, imported when they are called, the options they share, and what every
error ends in."""

from __future__ import annotations

import errno
import functools
import os
import re
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from types import FrameType
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem

from uapca._version import __version__
from uapca.cli.console import (
    CommandError,
    Run,
    check_output,
    choices,
    complain,
    no_such,
    note,
    quoted,
    shown,
)

__all__ = [
    "COMMANDS",
    "Command",
    "app",
    "components_option",
    "data_options",
    "force_option",
    "in_options",
    "json_option",
    "numbers_in",
    "output_options",
    "scale_from",
    "scale_option",
    "standardize_option",
    "subcommand",
]

# In the order of work; each is a module.
COMMANDS = (
    "read", "fit", "plot", "project", "traces", "compare", "aggregate", "explore", "figures",
    "datasets", "completion",
)  # fmt: skip

# Sentences of the library name its parameters; here they are options.
_OPTIONS = (
    (r"\b(features|exclude|fill|names)=(\[[^\]]*\])?(?![\['\w])", r"--\1"),
    (r"\bfill='([^']*)'", r'--fill "\1"'),
    (r"\b(missing|bad_cells|bad_files|spread)='(\w+)'", r"--\1 \2"),
    (r"\b(names|errors|corr|decimal|thousands|encoding|by)='([^']*)'", r'--\1 "\2"'),
    (r"\bwords=\{('[^']*'): None\}", r'--words FILE with the line \1 = ""'),
    (r"\bwords=(\{[^}]*\})?", "--words FILE"),
    (r"\berrors=\{'([^']*)': '([^']*)'\}", r"--errors \1=\2"),
    (
        r"^(by|bins|errors|corr|names|words|fill|decimal|thousands|sheet|encoding) must be left",
        r"--\1 must be left",
    ),
    (r"\bkeep_samples(=True)?\b", "--keep-points"),
    (r"\bequal_weights(=True)?\b", "--equal-weights"),
    (r"--bad_", "--bad-"),
    (r"\bpass --", "use --"),
    (r"\bscale=inf", "--scale inf"),
    (r"\bddof=", "--ddof "),
    (r"\buapca\.Denoiser(\(\))?", "--denoise"),
    (r"\buse UncertainScaler\b", "use --standardize"),
    (r"\bmissing=\"drop\" when reading or X\[.*\]", "--missing drop"),
    (r"^source must", "DATA must"),
    (r"^components must be (.*) numbers from.*", r"--pair must be \1 numbers"),
    (r"^(width|level|palette|ellipses) must", r"--\1 must"),
    (r"\bgroups is missing", "add --groups COLUMN"),
    (r"\buse projection\(pca, X\)", "choose with --features, or plot the projection"),
    (r"\bUAPCA\(scale=numpy.inf\)", "--scale inf"),
    (r"^path must", "FILE must"),
)


class App(click.Group):
    """A group whose commands are modules, and whose errors are one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS:
            command: click.Command = getattr(import_module(f"uapca.cli.{cmd_name}"), cmd_name)
            return command
        if cmd_name.startswith("-"):
            return None
        raise no_such("command", cmd_name, COMMANDS, "See uapca --help.")

    def main(
        self, args: Sequence[str] | None = None, prog_name: str | None = None, *_: Any, **extra: Any
    ) -> NoReturn:
        """Run; whatever happens, end with an exit code and at most one line of complaint."""
        arguments = sys.argv[1:] if args is None else list(args)
        run = Run()
        with _process_of(run):
            try:
                extra |= {"obj": run, "standalone_mode": False}
                code = super().main(arguments or ["--help"], "uapca", **extra)
            except BaseException as error:  # noqa: BLE001 - this is where errors end
                code = _ended(error, run)
        sys.exit(code if isinstance(code, int) else 0)


@contextmanager
def _process_of(run: Run) -> Iterator[None]:
    """What a run sets in its process; put back at the end, for the next run."""

    def note_warning(message: Warning | str, *_: Any, **__: Any) -> None:
        """What the library warns of, as a remark without the place in its code."""
        note(f"note: {_line_of(ValueError(str(message)))}", run)

    def ignore(error: Any) -> None:
        """Python prints errors of objects that go; want of memory has its own line already."""
        if error.exc_type is not MemoryError:
            sys.__unraisablehook__(error)

    def end(number: int, frame: FrameType | None) -> None:
        """Being told to end is like Ctrl-C: files half written are removed."""
        sys.exit(128 + number)

    with ExitStack() as stack:
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stack.enter_context(_escaping(stream))
        stack.enter_context(warnings.catch_warnings())
        warnings.showwarning = note_warning
        stack.callback(setattr, sys, "unraisablehook", sys.unraisablehook)
        sys.unraisablehook = ignore
        with suppress(ValueError):  # not in the main thread
            stack.callback(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, end))
        yield


@contextmanager
def _escaping(stream: Any) -> Iterator[None]:
    """A stream that writes an escape for what its encoding lacks, such as ±; flushed at the end."""
    before = stream.errors
    stream.reconfigure(errors="backslashreplace")
    try:
        yield
    finally:
        try:
            stream.flush()
        except OSError:  # nobody reads it, or the disk is full; Python must not try again
            number = stream.fileno()
            kept, nowhere = os.dup(number), os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, number)
            stream.flush()
            os.dup2(kept, number)
            os.close(kept)
            os.close(nowhere)
        stream.reconfigure(errors=before)


def _ended(error: BaseException, run: Run) -> int:
    """Say what happened and return the exit code."""
    # A library that a signal stops while it is imported raises an error of its own.
    cause = error.__cause__ or error.__context__
    if isinstance(error, ImportError | RuntimeError) and isinstance(
        cause, KeyboardInterrupt | SystemExit
    ):
        error = cause
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else 2
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, OSError) and error.errno == errno.EPIPE:
        return 1  # whoever read our output has read enough
    if isinstance(error, KeyboardInterrupt | click.Abort):
        complain("\nuapca: interrupted")
        return 130
    if run.debug:
        traceback.print_exception(error)
    if isinstance(error, click.ClickException):
        # Not str(error): click's own text has the hint of what was meant.
        error = CommandError(error.format_message())
    complain(f"uapca: error: {_line_of(error)}")
    return 2


def _line_of(error: BaseException) -> str:
    """An exception as one line that is safe to print, in the words of the command line."""
    text = str(error)
    ours = isinstance(error, CommandError | ValueError | OSError | ImportError | MemoryError)
    if isinstance(error, MemoryError):
        text = text or "there is not enough memory for this data"
    elif isinstance(error, OSError) and error.strerror and error.filename is not None:
        text = f"{error.strerror}: {quoted(error.filename)}"
    elif not ours and not (isinstance(error, TypeError) and " must " in text):
        text = (
            f"internal error: {type(error).__name__}: {text}. "
            "Run the command again with --debug and report what it says."
        )
    text = re.sub(r"\s*\n\s*", " ", text.strip())
    text = text if isinstance(error, CommandError) else in_options(text)
    return shown(text) or type(error).__name__


def in_options(text: str) -> str:
    """A sentence of the library with its parameters as options, and rows counted from 1."""
    for pattern, option in _OPTIONS:
        text = re.sub(pattern, option, text)

    def counted(match: re.Match[str]) -> str:
        return match[0] if match[1] is None else f"row {int(match[1]) + 1}"

    # Texts in quotes stay as they are.
    return re.sub(r"'[^']*'|\brow (\d+)\b", counted, text)


# Options that commands share, and the look of their help


Decorator = Callable[[Any], Any]


def _flag(name: str, *short: str, help: str) -> Decorator:
    """A flag that is read first, so that complaints about other options follow it too."""

    def keep(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
        if value:
            setattr(ctx.find_object(Run), name, True)

    return click.option(
        *short, f"--{name}", is_flag=True, is_eager=True, expose_value=False, callback=keep,
        help=help,
    )  # fmt: skip


_debug_option = _flag("debug", help="Show the traceback of an error.")
_quiet_option = _flag(
    "quiet", "-q", help="Do not say how the data was understood; show no progress."
)


class Command(click.Command):
    """A command whose options are listed in sections."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        reading, always = "How to read DATA", "Always"
        sections: dict[str, list[tuple[str, str]]] = {"Options": [], reading: [], always: []}
        titles = dict.fromkeys(_DATA_OPTIONS, reading)
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                eager = always if parameter.is_eager else "Options"
                sections[titles.get(parameter.name or "", eager)].append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def subcommand(name: str, *examples: tuple[str, str], cls: type[Command] = Command) -> Decorator:
    """A command of the program, with ``--quiet``, ``--debug`` and examples in its help."""
    # Examples are not wrapped: a wrapped command could not be copied.
    lines = [f"  {line}\n" + f"      {meaning}\n" * bool(meaning) for line, meaning in examples]
    epilog = "\b\nExamples:\n" + "".join(lines)

    def decorate(function: Any) -> click.Command:
        made: click.Command = click.command(name, cls=cls, epilog=epilog)(
            _quiet_option(_debug_option(function))
        )
        return made

    return decorate


def numbers_in(text: str, rule: str, holds: Callable[[list[float]], bool]) -> list[float]:
    """Numbers that are separated by commas and obey a rule, which is said where they do not."""
    with suppress(ValueError):
        numbers = [float(part.replace("∞", "inf")) for part in text.split(",")]
        if holds(numbers):
            return numbers
    raise click.BadParameter(f"must be {rule}; got {text!r}.")


def scale_from(text: str) -> float:
    """A number from 0 to infinity."""
    return numbers_in(text, "a number from 0 to inf", lambda s: len(s) == 1 and s[0] >= 0.0)[0]


def _components(text: str) -> int | float | str | None:
    """How many: a whole number, a share such as 0.95, ``auto`` or ``all``."""
    if text in ("auto", "all"):
        return None if text == "all" else text

    def hold(given: list[float]) -> bool:
        return len(given) == 1 and given[0] > 0.0 and (given[0] < 1.0 or given[0].is_integer())

    rule = "a whole number from 1, a share such as 0.95, auto or all"
    (number,) = numbers_in(text, rule, hold)
    return number if number < 1.0 else int(number)


def _names(ctx: Any, param: click.Parameter, texts: Sequence[str]) -> Any:
    """Names that are separated by commas or given one by one; a single one for --by."""
    names = [part.strip() for text in texts for part in text.split(",")]
    return names[0] if param.name == "by" and len(names) == 1 else names or None


def _errors(ctx: Any, param: Any, texts: Sequence[str]) -> Any:
    """A pattern, several, or the error of each value."""
    pairs = [part.partition("=") for text in texts for part in text.split(",") if "{}" not in text]
    named = {value.strip(): error.strip() for value, sign, error in pairs if sign}
    return named or (list(texts) if len(texts) > 1 else "".join(texts)) or None


def _fill(ctx: Any, param: Any, texts: Sequence[str]) -> Any:
    """One law, or those of columns."""
    named = [text.partition("=") for text in texts if "=" in text.partition("(")[0]]
    if len(texts) > 1 and len(named) < len(texts):
        raise CommandError("--fill takes one law for all cells, or COLUMN=LAW several times.")
    return {column.strip(): law.strip() for column, _, law in named} or [*texts, None][0]


def _factors(text: str) -> Any:
    """A number of factors, or all features."""
    if text != "all" and not text.isdigit():
        raise CommandError(f"--denoise takes a number of factors, or nothing; got {quoted(text)}.")
    return text if text == "all" else int(text)


def _bins(text: str) -> Any:
    """A number of clusters, or cells for each feature: ``500`` or ``x=20,y=25``."""
    if text.strip().isdigit():
        return int(text)
    cells = [part.rpartition("=") for part in text.split(",")]
    if not all(name and count.strip().isdigit() for name, _, count in cells):
        raise CommandError(
            f"--bins {quoted(text)} must be a number of clusters, or cells by feature such as "
            "x=20,y=25."
        )
    return {name.strip(): int(count) for name, _, count in cells}


def _complete(ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
    """A bundled name or a file."""
    from uapca.cli.data import BUNDLED

    names = [CompletionItem(name) for name in BUNDLED if name.startswith(incomplete)]
    return [*names, CompletionItem(incomplete, type="file")]


_DATA_OPTIONS = {
    "by": click.option(
        "--by",
        multiple=True,
        callback=_names,
        metavar="COLUMN",
        help="The rows are points, labeled by this column (or several): one row for each label.",
    ),
    "bins": click.option(
        "--bins",
        type=_bins,
        metavar="K",
        help="For points without labels: K clusters, or cells of a grid such as x=20,y=25.",
    ),
    "spread": click.option(
        "--spread",
        type=click.Choice(["std", "sem"]),
        default="std",
        show_default=True,
        help="With --by: the spread of the points, or the standard error of their mean.",
    ),
    "keep_samples": click.option(
        "--keep-points",
        "keep_samples",
        is_flag=True,
        help="With --by: keep the points, so that densities show their shape.",
    ),
    "equal_weights": click.option(
        "--equal-weights",
        is_flag=True,
        help="With --by: every label counts the same, however many points it has.",
    ),
    "errors": click.option(
        "--errors",
        multiple=True,
        callback=_errors,
        metavar="PATTERN",
        help='How columns with errors are named, such as "{}_err", or VALUE=ERROR for one column; '
        "found by itself if usual.",
    ),
    "corr": click.option(
        "--corr",
        metavar="PATTERN",
        help='How columns with correlations are named; "{}_{}_corr" is found by itself.',
    ),
    "names": click.option("--names", metavar="COLUMN", help="The column that names the rows."),
    "features": click.option(
        "--features",
        multiple=True,
        callback=_names,
        metavar="COLUMNS",
        help="The columns to use, separated by commas; patterns such as met_* too.",
    ),
    "exclude": click.option(
        "--exclude",
        multiple=True,
        callback=_names,
        metavar="COLUMNS",
        help="Columns to leave out, separated by commas; patterns too.",
    ),
    "weights": click.option(
        "--weights",
        metavar="COLUMN|FILE",
        help="How much each row counts: a column, or a file with one number for each row.",
    ),
    "words": click.option(
        "--words",
        type=lambda text: import_module("uapca.datasets").GRADES if text == "grades" else text,
        metavar="FILE",
        help='What words in cells mean: a TOML file with lines such as good = "T(13, 14, 16, 18)". '
        "“grades” takes the words of the student grades.",
    ),
    "missing": click.option(
        "--missing",
        type=click.Choice(["error", "drop", "keep"]),
        default="error",
        show_default=True,
        help="Rows with empty cells: refuse them, leave them out, or keep them for --denoise.",
    ),
    "fill": click.option(
        "--fill",
        multiple=True,
        callback=_fill,
        metavar="LAW",
        help='What empty uncertain cells mean: a law such as "U(0, 20)", or COLUMN=LAW.',
    ),
    "bad_cells": click.option(
        "--bad-cells",
        type=click.Choice(["error", "drop"]),
        default="error",
        show_default=True,
        help="Cells that cannot be read: refuse them, or leave out their rows.",
    ),
    "bad_files": click.option(
        "--bad-files",
        type=click.Choice(["error", "skip"]),
        default="error",
        show_default=True,
        help="With a folder or a pattern: stop at a file that cannot be used, or go on without it.",
    ),
    "decimal": click.option("--decimal", metavar="SIGN", help="The decimal sign of text files."),
    "thousands": click.option(
        "--thousands", metavar="SIGN", help="The thousands separator of text files."
    ),
    "sheet": click.option(
        "--sheet",
        type=lambda text: int(text) if text.isdigit() else text,
        metavar="NAME",
        help="The sheet of an Excel file.",
    ),
    "encoding": click.option(
        "--encoding",
        metavar="NAME",
        help="How a text file is encoded that is not UTF-8: cp1252, latin-1, …",
    ),
    "denoise": click.option(
        "--denoise",
        metavar="[Q]",
        is_flag=False,
        flag_value="all",
        type=_factors,
        help="The rows are noisy or incomplete observations: take the true values, by a model of Q "
        "factors, or without Q of all features.",
    ),
}


def data_options(*names: str) -> Decorator:
    """DATA, or several, and the options that say how to read it: `uapca.cli.data.Data` objects."""

    def decorate(function: Any) -> Any:
        @functools.wraps(function)
        def collected(*args: Any, **options: Any) -> Any:
            from uapca.cli.data import Data

            reading = {name: options.pop(name) for name in _DATA_OPTIONS}
            options |= {name: Data(options[name], reading) for name in names}
            return function(*args, **options)

        arguments = [
            click.argument(name, metavar=name.upper(), shell_complete=_complete) for name in names
        ]
        for parameter in reversed((*arguments, *_DATA_OPTIONS.values())):
            collected = parameter(collected)
        return collected

    return decorate


def output_options(
    *endings: str,
    what: str = "The file to write",
    default: str = "; without it, standard output",
    allowed: Callable[[dict[str, Any]], Sequence[str]] | None = None,
) -> Decorator:
    """``-o FILE`` and ``--force``: the file is looked at before the command runs.

    ``allowed`` are the endings for the options given, if they depend on these.
    """

    def decorate(function: Any) -> Any:
        @functools.wraps(function)
        def checked(*args: Any, output: str | None, force: bool, **options: Any) -> Any:
            target = check_output(output, allowed(options) if allowed else endings, force)
            return function(*args, output=target, **options)

        written = click.option(
            "-o", "--output", metavar="FILE", help=f"{what}: {choices(endings)}{default}."
        )
        return written(force_option(checked))

    return decorate


components_option: Decorator = click.option(
    "-n", "--components", type=_components, metavar="N", default="2", show_default=True,
    help="How many components: a number, the share of variance to explain (0.95), auto, or all.",
)  # fmt: skip
force_option: Decorator = click.option("--force", is_flag=True, help="Replace files that exist.")
json_option: Decorator = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON instead of tables."
)
standardize_option: Decorator = click.option(
    "--standardize",
    is_flag=True,
    help="Bring all features to variance 1 first (spread of the means and uncertainty together).",
)
scale_option: Decorator = click.option(
    "-s",
    "--scale",
    type=scale_from,
    metavar="S",
    default="1",
    show_default=True,
    help="How much the uncertainty counts in the fit: 0 is ordinary PCA of the means, inf the "
    "limit in which only the errors count.",
)


_EXAMPLES = """\b
Examples:
  uapca fit students                      a report on the bundled grades
  uapca fit stars.csv -o model.json       columns x and x_err: values with errors
  uapca plot flowers.csv projection --by species -o flowers.svg
  uapca figures -o paper

DATA is a file (CSV, TSV, Parquet, Feather, Excel, FITS, .uapca and more), a folder or a pattern,
- for CSV from standard input, or the name of a bundled data set (uapca datasets). Every command
says how it understood a file; uapca read shows only that.
"""


@click.group(
    cls=App,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_EXAMPLES,
)
@click.version_option(__version__, "-V", "--version", prog_name="uapca")
@_debug_option
def app() -> None:
    """Principal component analysis for uncertain data."""
