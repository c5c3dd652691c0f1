"""``uapca plot``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from uapca.cli.choices import Choices
from uapca.cli.kinds import KINDS, Picture, check_options, drawn
from uapca.cli.options import (
    data_argument,
    data_options,
    force_option,
    output_option,
    scale_option,
    standardize_option,
    subcommand,
)

if TYPE_CHECKING:
    from uapca.uncertain import UncertainArray

__all__ = ["command"]

_DEFAULT = ParameterSource.DEFAULT
_FILMS = (".gif", ".mp4")
# Kinds of pictures of a plane, and such as follow how components turn.
_TWO = ("traces", "progression", "biplot", "loadings", "simulation")
_TURNING = ("traces", "progression", "eigenvalues")
_CHECKED = ("pair", "level", "encode", "draws", "seed", "scale", "labels")
_HELP = "One picture, as SVG, PNG or PDF.\n\n\b\nKIND is one of\n" + "\n".join(
    f"  {name:<14} {meaning}" for name, meaning in KINDS.items()
)


def _complete(ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(kind) for kind in KINDS if kind.startswith(incomplete)]


class _Kind(click.types.StringParamType):
    """The kind of a picture; if it is missing, they are listed."""

    def get_missing_message(self, param: Any, ctx: Any = None) -> str:
        return f"It is one of {', '.join(KINDS)}."


@subcommand(
    "plot",
    ("uapca plot students projection -o students.svg", ""),
    ("uapca plot students traces -o traces.pdf", ""),
    ("uapca plot stars.csv biplot --pair 1,3 -o biplot.png", "the first and the third component"),
    ("uapca plot students progression -o progression.gif", "an animation"),
    help=_HELP,
)
@data_argument()
@click.argument("kind", metavar="KIND", type=_Kind(), shell_complete=_complete)
@output_option("by its ending .svg, .png or .pdf", required=True, what="The picture")
@click.option(
    "--pair",
    metavar="I,J",
    default="1,2",
    show_default=True,
    help="The components to show, counted from 1; one number shows densities.",
)
@click.option("--level", metavar="P,P", help="The probability of regions, such as 0.5,0.95.")
@click.option(
    "--labels/--no-labels",
    default=None,
    help="Write the names of the rows beside them, or do not; by default if they are few.",
)
@click.option(
    "--encode",
    metavar="WHAT",
    type=click.Choice(["eigenvalue", "gap", "stability"]),
    help="What the thickness of traces says: eigenvalue, gap or stability.",
)
@click.option(
    "--draws",
    type=click.IntRange(2),
    metavar="N",
    default=1000,
    show_default=True,
    help="Data sets of a simulation.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    metavar="N",
    default=0,
    show_default=True,
    help="Seed of a simulation.",
)
@scale_option
@standardize_option
@force_option
@data_options
@click.pass_context
def plot(
    ctx: click.Context,
    data: str,
    kind: str,
    output: str,
    pair: str,
    level: str | None,
    labels: bool | None,
    encode: str | None,
    draws: int,
    seed: int,
    scale: float,
    standardize: bool,
    force: bool,
    choices: Choices,
) -> None:
    from uapca.cli.data import check_data, read_data
    from uapca.cli.errors import CommandError, no_such
    from uapca.cli.output import check_output, write_bytes
    from uapca.cli.pictures import PICTURES, glyphs_noted, picture, without_window

    if kind not in KINDS:
        raise no_such("kind of picture", kind, list(KINDS), "uapca plot --help lists them.")
    check_data(data)
    target = check_output(output, PICTURES + (_FILMS if kind == "progression" else ()), force)
    if target is None:
        raise CommandError("a picture needs a file: -o FILE.svg, .png or .pdf.")
    given = [name for name in _CHECKED if ctx.get_parameter_source(name) is not _DEFAULT]
    levels = _levels(level)
    check_options(kind, given, levels, scale)
    asked = _pair(pair, kind) if "pair" in given else None
    without_window()
    X = read_data(data, choices)
    from uapca.cli.fitting import fitted

    shown = _shown(asked, kind, X)
    if kind == "distributions" and X.shape[1] > 2:
        two = ",".join((X.features or ("x0", "x1"))[:2])
        raise CommandError(
            f"distributions shows rows of one or two features, and there are {X.shape[1]}. Choose "
            f"two, such as --features {two}, or plot the projection."
        )
    fit = fitted(X, None, scale, standardize=standardize)
    wanted = Picture(fit.X, fit.pca, shown, levels, encode, draws, seed, labels)
    if target.suffix.lower() in _FILMS:
        _film(wanted, target)
        return
    with glyphs_noted():
        content = picture(drawn(kind, wanted), target.suffix.lower())
    write_bytes(target, content, kind)


def _pair(text: str, kind: str) -> tuple[int, ...]:
    """The components asked for, from 0."""
    from uapca.cli.errors import CommandError

    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) > 0 for part in parts) or not 1 <= len(parts) <= 2:
        raise CommandError(
            f"--pair must be two components counted from 1, such as 1,3; got {text!r}."
        )
    pair = tuple(int(part) - 1 for part in parts)
    if len(set(pair)) < len(pair):
        raise CommandError(f"--pair must be two different components, such as 1,2; got {text!r}.")
    if len(pair) < 2 and kind in _TWO:
        raise CommandError(f"{kind} shows two components: --pair 1,2.")
    if kind == "components" and set(pair) != set(range(len(pair))):
        raise CommandError("components shows the first, or the first two: --pair 1 or --pair 1,2.")
    return pair


def _shown(asked: tuple[int, ...] | None, kind: str, X: UncertainArray) -> tuple[int, ...]:
    """The components to show: as asked for, or the first two of those that are there."""
    from uapca.cli.errors import CommandError
    from uapca.cli.labels import counted

    n, d = X.shape
    if d < 2 and kind in _TURNING:
        raise CommandError(f"{kind} needs two features or more, and there is only one.")
    # Certain rows have no more components than there are rows; traces go on all the same.
    most = min(n, d) if X.cov.kind == "zero" and kind not in _TURNING else d
    if most < 2 and kind in _TWO:
        raise CommandError(f"{kind} shows two components, and there is only one.")
    if asked is None:
        return (0, 1)[:most]
    if max(asked) >= most:
        of = counted(d, "feature") if most == d else counted(n, "certain row")
        raise CommandError(f"--pair asks for component {max(asked) + 1} of data with {of}.")
    return asked


def _levels(text: str | None) -> tuple[float, ...] | None:
    from uapca.cli.errors import CommandError

    if text is None:
        return None
    try:
        levels = tuple(float(part) for part in text.split(","))
    except ValueError:
        levels = ()
    if not levels or not all(0.0 < level < 1.0 for level in levels):
        raise CommandError(f"--level must be probabilities between 0 and 1; got {text!r}.")
    return levels


def _film(wanted: Picture, target: Path) -> None:
    from uapca import plot as pictures
    from uapca.cli.labels import quoted
    from uapca.cli.say import note, progress

    with progress("frames") as report:
        first, second = wanted.pair
        pictures.animation(
            wanted.pca,
            wanted.X,
            target,
            components=(first, second),
            progress=report,
            **wanted.level,
        )
    note(f"wrote {quoted(target)} (progression)")


command = plot
