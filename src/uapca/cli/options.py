"""Options that commands share, and the look of their help."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from uapca.cli import settings
from uapca.cli.bundled import BUNDLED
from uapca.cli.choices import Choices

__all__ = [
    "Components",
    "Scale",
    "components_option",
    "data_argument",
    "data_options",
    "force_option",
    "output_option",
    "scale_option",
    "standardize_option",
    "subcommand",
]

Decorator = Callable[[Any], Any]

if TYPE_CHECKING:
    _Value = click.ParamType[Any]
else:  # generic in newer versions only
    _Value = click.ParamType


_READING = "How to read DATA"


class _Command(click.Command):
    """A command whose help ends in examples."""

    def __init__(self, *args: Any, examples: Sequence[tuple[str, str]] = (), **extra: Any) -> None:
        super().__init__(*args, **extra)
        self.examples = examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Options": [], _READING: [], "Always": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None or not isinstance(parameter, click.Option):
                continue
            title = "Always" if parameter.name in ("quiet", "debug", "help") else "Options"
            about_data = parameter.name in Choices.__dataclass_fields__
            sections[_READING if about_data else title].append(record)
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
        function = settings.quiet_option(settings.debug_option(function))
        made: click.Command = click.command(name, cls=_Command, examples=examples, **extra)(
            function
        )
        return made

    return decorate


# Values


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


class Components(_Value):
    """How many: a whole number, a share such as 0.95, or ``all``."""

    name = "n"

    def __init__(self, whole: bool = False) -> None:
        self.whole = whole

    def convert(self, value: Any, param: Any, ctx: Any) -> int | float | None:
        text = str(value).strip().casefold()
        if text == "all":
            return None
        try:
            number = float(text)
        except ValueError:
            number = 0.0
        if number >= 1.0 and number.is_integer():
            return int(number)
        if not self.whole and 0.0 < number < 1.0:
            return number
        share = "" if self.whole else ", a share such as 0.95"
        return self.fail(f"must be a whole number from 1{share} or all; got {text!r}.", param, ctx)


class _Data(_Value):
    """A bundled name or a file, for completion; it is looked for when the command runs."""

    name = "data"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        names = [CompletionItem(name) for name in BUNDLED if name.startswith(incomplete)]
        return [*names, CompletionItem(incomplete, type="file")]


def data_argument(name: str = "data") -> Decorator:
    """DATA."""
    return click.argument(name, metavar=name.upper(), type=_Data())


class _Output(click.Path):
    """A file to write; if it is missing, an example says how it is named."""

    def __init__(self, example: str) -> None:
        super().__init__()
        self.example = example

    def get_missing_message(self, param: Any, ctx: Any = None) -> str:
        return f"Such as {self.example}."


# Options


_DATA_OPTIONS = (
    click.option(
        "--by",
        multiple=True,
        metavar="COLUMN",
        help="The rows are points, labelled by this column (or several): one row for each label.",
    ),
    click.option(
        "--spread",
        type=click.Choice(["std", "sem"]),
        default="std",
        show_default=True,
        help="With --by: the spread of the points, or the standard error of their mean.",
    ),
    click.option(
        "--keep-points",
        is_flag=True,
        help="With --by: keep the points, so that densities show their shape.",
    ),
    click.option(
        "--errors",
        metavar="PATTERN",
        help='How columns with errors are named, such as "{}_err", or x=sx,y=sy; found if usual.',
    ),
    click.option(
        "--corr",
        metavar="PATTERN",
        help='How columns with correlations are named; "{}_{}_corr" is found by itself.',
    ),
    click.option("--names", metavar="COLUMN", help="The column that names the rows."),
    click.option(
        "--features",
        multiple=True,
        metavar="COLUMNS",
        help="The columns to use, separated by commas; patterns such as met_* are allowed.",
    ),
    click.option(
        "--exclude",
        multiple=True,
        metavar="COLUMNS",
        help="Columns to leave out, separated by commas, or patterns.",
    ),
    click.option(
        "--weights",
        metavar="COLUMN|FILE",
        help="How much each row counts: a column, or a file with one number for each row.",
    ),
    click.option(
        "--words",
        metavar="FILE",
        help='What words in cells mean: a TOML file with lines such as good = "T(13, 14, 16, 18)". '
        "“grades” takes the words of the student grades.",
    ),
    click.option(
        "--missing",
        type=click.Choice(["error", "drop", "keep"]),
        default="error",
        show_default=True,
        help="Rows that lack a value: stop, leave them out, or keep them as they are.",
    ),
    click.option(
        "--fill",
        multiple=True,
        metavar="LAW",
        help='What stands in empty uncertain cells: a law such as "U(0, 20)", or COLUMN=LAW.',
    ),
    click.option(
        "--bad-cells",
        type=click.Choice(["error", "drop"]),
        default="error",
        show_default=True,
        help="Cells that cannot be read: stop, or leave out their rows.",
    ),
    click.option("--decimal", metavar="SIGN", help="The decimal sign of numbers, such as a comma."),
    click.option("--thousands", metavar="SIGN", help="What separates thousands in numbers."),
    click.option("--sheet", metavar="NAME", help="The sheet of an Excel file, from 0 or by name."),
    click.option(
        "--bad-files",
        type=click.Choice(["error", "skip"]),
        default="error",
        show_default=True,
        help="With a folder or a pattern: stop at a file that cannot be used, or go on without it.",
    ),
)


def data_options(function: Any) -> Any:
    """The options that say how a file is to be understood, as one parameter ``choices``."""

    @functools.wraps(function)
    def collected(*args: Any, **options: Any) -> Any:
        known = Choices.__dataclass_fields__
        fields = {name: options.pop(name) for name in known if name in options}
        return function(*args, choices=Choices(**fields), **options)

    for option in reversed(_DATA_OPTIONS):
        collected = option(collected)
    return collected


def output_option(formats: str, required: bool = False, what: str = "") -> Decorator:
    """``-o FILE``."""
    default = "" if required else "; without it, to standard output"
    return click.option(
        "-o",
        "--output",
        metavar="FILE",
        required=required,
        type=_Output(f"-o {_first_ending(formats)}"),
        help=f"{what or 'The file to write'}: {formats}{default}.",
    )


def _first_ending(formats: str) -> str:
    """A file name with the first of the endings."""
    endings = [word.strip(",.") for word in formats.split() if word.startswith(".")]
    return f"FILE.{endings[0]}" if endings else "FILE"


force_option = click.option("--force", is_flag=True, help="Replace files that exist.")

standardize_option = click.option(
    "--standardize",
    is_flag=True,
    help="Bring all features to variance 1 first (spread of the means and uncertainty together).",
)


def components_option(default: str = "2", whole: bool = False) -> Decorator:
    """``--components``."""
    return click.option(
        "-n",
        "--components",
        type=Components(whole),
        default=default,
        show_default=True,
        help="How many components: a number, "
        + ("" if whole else "the share of variance to explain (0.95), ")
        + "or all.",
    )


scale_option = click.option(
    "-s",
    "--scale",
    type=Scale(),
    default="1",
    show_default=True,
    help="How much the uncertainty counts in the fit: 0 is ordinary PCA of the means, inf the "
    "limit in which only the errors count.",
)
