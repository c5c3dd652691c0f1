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
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

import click
from click.shell_completion import CompletionItem

from uapca._version import __version__
from uapca.cli.console import CommandError, no_such, quoted, settings, shown

__all__ = [
    "COMMANDS",
    "Scale",
    "app",
    "components_option",
    "data_argument",
    "data_options",
    "denoise_option",
    "force_option",
    "json_option",
    "output_option",
    "scale_option",
    "standardize_option",
    "subcommand",
]

# In the order of work. The help of the program needs no command to be imported.
COMMANDS = {
    "read": "How a table is understood, and its first rows.",
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
_MODULES = {"completion": "datasets"}
_ALIKE = 0.65

# Sentences of the library name its parameters; here they are options.
_OPTIONS = (
    (r"\b(features|exclude|fill)=(\[[^\]]*\])?(?![\['\w])", r"--\1"),
    (r"\bfill='([^']*)'", r'--fill "\1"'),
    (r"\b(missing|bad_cells|bad_files|spread)='(\w+)'", r"--\1 \2"),
    (r"\b(names|errors|corr|decimal|thousands|by)='([^']*)'", r'--\1 "\2"'),
    (r"\bwords=(\{[^}]*\})?", "--words FILE"),
    (r"\berrors=\{'([^']*)': '([^']*)'\}", r"--errors \1=\2"),
    (r"\bkeep_samples(=True)?\b", "--keep-points"),
    (r"\bequal_weights(=True)?\b", "--equal-weights"),
    (r"--bad_", "--bad-"),
    (r"\bpass --", "use --"),
    (r"\bscale=inf", "--scale inf"),
    (r"\bddof=", "--ddof "),
    (r"\buapca\.Denoiser(\(\))?", "--denoise"),
    (r"\buse UncertainScaler\b", "use --standardize"),
    (r"^(path|source) must", "DATA must"),
)


class App(click.Group):
    """A group whose commands are modules, and whose errors are one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"uapca.cli.{_MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, cmd_name)
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
        settings.debug = settings.quiet = False
        arguments = sys.argv[1:] if args is None else list(args)
        extra.pop("standalone_mode", None)
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # a terminal that knows no ± gets an escape
                stream.reconfigure(errors="backslashreplace")
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
        alike = [
            known
            for known in error.possibilities or ()
            if SequenceMatcher(None, error.option_name.lstrip("-"), known.lstrip("-")).ratio()
            > _ALIKE
        ]
        error = click.NoSuchOption(error.option_name, possibilities=alike, ctx=error.ctx)
    if isinstance(error, click.ClickException):
        # Not str(error): click's own text has the hint of what was meant.
        error = CommandError(error.format_message())
    sys.stderr.write(f"uapca: error: {_line_of(error)}\n")
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
    if not isinstance(error, CommandError):
        for pattern, option in _OPTIONS:
            text = re.sub(pattern, option, text)
    return shown(text) or type(error).__name__


def _note_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """What the library warns of, as a remark without the place in its code."""
    if not settings.quiet:
        sys.stderr.write(f"note: {_line_of(ValueError(str(message)))}\n")


def _catch_termination() -> Any:
    """Being told to end is like Ctrl-C: files half written are removed."""

    def end(number: int, frame: FrameType | None) -> None:
        sys.exit(128 + number)

    try:
        return signal.signal(signal.SIGTERM, end)
    except ValueError:  # not in the main thread
        return None


# Options that commands share, and the look of their help


Decorator = Callable[[Any], Any]

if TYPE_CHECKING:
    _Value = click.ParamType[Any]
else:  # generic in newer versions only
    _Value = click.ParamType


def _flag(name: str, *short: str, help: str) -> Decorator:
    """A flag that is read first, so that complaints about other options follow it too."""

    def keep(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
        setattr(settings, name, getattr(settings, name) or value)

    return click.option(
        *short, f"--{name}", is_flag=True, is_eager=True, expose_value=False, callback=keep,
        help=help,
    )  # fmt: skip


_debug_option = _flag("debug", help="Show the traceback of an error.")
_quiet_option = _flag(
    "quiet", "-q", help="Do not say how the data was understood; show no progress."
)


class _Command(click.Command):
    """A command whose help ends in examples."""

    def __init__(self, *args: Any, examples: Sequence[tuple[str, str]] = (), **extra: Any) -> None:
        super().__init__(*args, **extra)
        self.examples = examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        reading = "How to read DATA"
        sections: dict[str, list[tuple[str, str]]] = {"Options": [], reading: [], "Always": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None or not isinstance(parameter, click.Option):
                continue
            title = "Always" if parameter.name in ("quiet", "debug", "help") else "Options"
            sections[reading if parameter.name in _DATA_OPTIONS else title].append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Examples"):
            for line, meaning in self.examples:
                # Written as they are: a wrapped command could not be copied.
                formatter.write(f"  {line}\n")
                if meaning:
                    formatter.indent()
                    formatter.indent()
                    formatter.write_text(meaning)
                    formatter.dedent()
                    formatter.dedent()


def subcommand(name: str, *examples: tuple[str, str], **extra: Any) -> Decorator:
    """A command of the program, with ``--quiet``, ``--debug`` and examples in its help."""

    def decorate(function: Any) -> click.Command:
        function = _quiet_option(_debug_option(function))
        made: click.Command = click.command(name, cls=_Command, examples=examples, **extra)(
            function
        )
        return made

    return decorate


class Scale(_Value):
    """A number from 0 to infinity."""

    name = "s"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        text = str(value).strip()
        try:
            number = float("inf") if text in ("∞", "oo") else float(text)
        except ValueError:
            number = -1.0
        if not number >= 0.0:
            self.fail(f"must be a number from 0 to inf; got {text!r}.", param, ctx)
        return number


class _Components(_Value):
    """How many: a whole number, a share such as 0.95, ``auto`` or ``all``."""

    name = "n"

    def __init__(self, whole: bool = False) -> None:
        self.whole = whole

    def convert(self, value: Any, param: Any, ctx: Any) -> int | float | str | None:
        text = str(value).strip().casefold()
        if text == "all":
            return None
        if text == "auto" and not self.whole:
            return text
        try:
            number = float(text)
        except ValueError:
            number = 0.0
        if number >= 1.0 and number.is_integer():
            return int(number)
        if not self.whole and 0.0 < number < 1.0:
            return number
        share = "" if self.whole else ", a share such as 0.95, auto"
        return self.fail(f"must be a whole number from 1{share} or all; got {text!r}.", param, ctx)


class _Data(_Value):
    """A bundled name or a file, for completion; it is looked for when the command runs."""

    name = "data"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        from uapca.cli.data import BUNDLED

        names = [CompletionItem(name) for name in BUNDLED if name.startswith(incomplete)]
        return [*names, CompletionItem(incomplete, type="file")]


class _Output(click.Path):
    """A file to write; if it is missing, an example says how it is named."""

    def __init__(self, ending: str) -> None:
        super().__init__()
        self.ending = ending

    def get_missing_message(self, param: Any, ctx: Any = None) -> str:
        return f"Such as -o FILE{self.ending}."


def data_argument(name: str = "data") -> Decorator:
    """DATA."""
    return click.argument(name, metavar=name.upper(), type=_Data())


_DATA_OPTIONS = {
    "by": click.option(
        "--by",
        multiple=True,
        metavar="COLUMN",
        help="The rows are points, labelled by this column (or several): one row for each label.",
    ),
    "bins": click.option(
        "--bins",
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
    "keep_points": click.option(
        "--keep-points",
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
        metavar="COLUMNS",
        help="The columns to use, separated by commas; patterns such as met_* too.",
    ),
    "exclude": click.option(
        "--exclude",
        multiple=True,
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
    "sheet": click.option("--sheet", metavar="NAME", help="The sheet of an Excel file."),
}


def data_options(function: Any) -> Any:
    """The options that say how a file is to be understood, as one parameter ``reading``."""

    @functools.wraps(function)
    def collected(*args: Any, **options: Any) -> Any:
        reading = {name: options.pop(name) for name in _DATA_OPTIONS}
        return function(*args, reading=reading, **options)

    for option in reversed(_DATA_OPTIONS.values()):
        collected = option(collected)
    return collected


def output_option(
    *endings: str, required: bool = False, what: str = "The file to write"
) -> Decorator:
    """``-o FILE``."""
    known = f"{', '.join(endings[:-1])} or {endings[-1]}" if endings[1:] else endings[0]
    default = "" if required else "; without it, to standard output"
    return click.option(
        "-o", "--output", metavar="FILE", required=required, type=_Output(endings[0]),
        help=f"{what}: {known}{default}.",
    )  # fmt: skip


def components_option(default: str = "2", whole: bool = False) -> Decorator:
    """``--components``."""
    share = "" if whole else "the share of variance to explain (0.95), auto, "
    return click.option(
        "-n", "--components", type=_Components(whole), default=default, show_default=True,
        help=f"How many components: a number, {share}or all.",
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
    type=Scale(),
    default="1",
    show_default=True,
    help="How much the uncertainty counts in the fit: 0 is ordinary PCA of the means, inf the "
    "limit in which only the errors count.",
)
denoise_option: Decorator = click.option(
    "--denoise",
    metavar="[Q]",
    is_flag=False,
    flag_value="all",
    help="The rows are noisy or incomplete observations: analyze the true values, with a model of "
    "Q factors, or without Q of all features.",
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
    """Principal component analysis of data that is not exact."""
