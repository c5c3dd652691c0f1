"""``uapca plot``."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

import uapca
from uapca.cli.app import (
    Command,
    data_options,
    numbers_in,
    output_options,
    scale_option,
    standardize_option,
    subcommand,
)
from uapca.cli.console import (
    STDOUT,
    CommandError,
    no_such,
    note,
    plural,
    progress,
    quoted,
    write_bytes,
)
from uapca.cli.data import Data, fitted

__all__ = ["KINDS", "drawing", "picture", "plot"]

_PICTURES, _FILMS = (".svg", ".png", ".pdf"), (".gif", ".mp4")
# The same picture gives the same file: no date in it.
_METADATA: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None, "Creator": "uapca"},
    ".pdf": {"CreationDate": None, "Creator": "uapca"},
    ".png": {"Software": "uapca"},
}

_ROWS = ("scale", "pair", "level", "labels", "groups", "palette")
# What each kind shows, and the options that change something in it. Traces show every s, and so do
# eigenvalues and a progression.
KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "distributions": (
        "rows of two features as they are, with the components as axes",
        ("scale", "level", "labels", "groups", "palette"),
    ),
    "projection": ("the projected rows, as regions of their probability", (*_ROWS, "ellipses")),
    "matrix": (
        "projections onto every pair of the first components",
        ("scale", "level", "labels", "groups", "palette"),
    ),
    "traces": (
        "factor traces: the features as s goes from 0 to infinity",
        ("pair", "encode"),
    ),
    "eigenvalues": ("the eigenvalues over s, with their crossings", ()),
    "progression": (
        "the traces growing beside the projection; .gif and .mp4 too",
        ("pair", "level"),
    ),
    "scree": (
        "the variances, split into the spread of the means and the errors",
        ("scale", "level"),
    ),
    "biplot": ("the projected rows and the features", (*_ROWS, "top")),
    "loadings": ("the features in the circle of correlations", ("scale", "pair", "top")),
    "contributions": ("the share of each feature in each component", ("scale", "pair", "top")),
    "cos2": ("how well each row is represented", ("scale", "pair", "top")),
    "components": ("the entries of the components with their errors", ("scale", "top")),
    "shepard": ("distances between rows before and after projection", ("scale", "pair")),
    "count": ("how many components stand out from the errors", ()),
    "simulation": ("the scores in simulated data sets", (*_ROWS, "draws", "seed")),
}
# Kinds that show one probability, and that show the fit alone.
_ONE_LEVEL = ("progression", "scree")
_OF_FIT = ("traces", "eigenvalues", "contributions")
_OPTIONS = {option for _, options in KINDS.values() for option in options}
_FUNCTIONS = {"traces": "factor_traces", "count": "component_count"}


class _Command(Command):
    """A command whose help lists the kinds of pictures."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("KIND is one of"):
            formatter.write_dl([(kind, meaning) for kind, (meaning, _) in KINDS.items()])
        super().format_options(ctx, formatter)


class _Kind(click.Choice[str]):
    """A near miss is answered with the kind that was probably meant."""

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        if value not in KINDS:
            raise no_such("picture", value, list(KINDS), f"There are {', '.join(KINDS)}.")
        return str(value)


def _pair(text: str) -> tuple[int, ...]:
    """Components, counted from 0."""

    def hold(pair: list[float]) -> bool:
        return len({*pair}) == len(pair) <= 2 and all(i >= 1.0 and i.is_integer() for i in pair)

    rule = "two different components counted from 1, such as 1,3"
    return tuple(int(i) - 1 for i in numbers_in(text, rule, hold))


def _levels(text: str) -> tuple[float, ...]:
    """Probabilities."""
    rule = "probabilities between 0 and 1"
    return tuple(numbers_in(text, rule, lambda levels: all(0.0 < p < 1.0 for p in levels)))


def _inches(text: str) -> float:
    """A width such as 3.35, 3.35in or 8.5cm."""
    match = re.fullmatch(r"(\d+\.?\d*|\.\d+) ?(cm|mm|in)?", text)
    if match is None:
        raise click.BadParameter(f"{text!r} is no width such as 3.35 or 8.5cm.")
    return float(match[1]) / {"cm": 2.54, "mm": 25.4}.get(match[2], 1.0)


@subcommand(
    "plot",
    ("uapca plot students projection -o students.svg", ""),
    ("uapca plot students traces -o traces.pdf", ""),
    ("uapca plot stars.csv biplot --pair 1,3 -o biplot.png", "the first and the third component"),
    ("uapca plot stars.csv projection --groups type -o types.svg", "colored by a column"),
    ("uapca plot students progression -o progression.gif", "an animation"),
    cls=_Command,
)
@data_options("data")
@click.argument("kind", metavar="KIND", type=_Kind([*KINDS]))
@output_options(
    *_PICTURES, what="The picture", default="",
    allowed=lambda options: _PICTURES + _FILMS * (options["kind"] == "progression"),
)  # fmt: skip
@click.option(
    "--pair",
    type=_pair,
    metavar="I,J",
    help="The components to show, counted from 1; one number shows densities.  [default: 1,2]",
)
@click.option(
    "--level", type=_levels, metavar="P,P", help="The probability of regions, such as 0.5,0.95."
)
@click.option("--groups", metavar="COLUMN", help="Color the rows by a column of the table.")
@click.option(
    "--ellipses",
    type=click.Choice(["mixture", "mean"]),
    help="With --groups: an ellipse for all rows of a group together, or for its mean.",
)
@click.option("--palette", metavar="COLORS", help="Colors, separated by commas.")
@click.option(
    "--top", type=click.IntRange(1), metavar="N", help="How many features or rows to show."
)
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
    "--draws", type=click.IntRange(2), metavar="N", default=1000, show_default=True,
    help="Data sets of a simulation.",
)  # fmt: skip
@click.option(
    "--seed", type=click.IntRange(0), metavar="N", default=0, show_default=True,
    help="Seed of a simulation.",
)  # fmt: skip
@click.option("--title", metavar="TEXT", help="A title above the picture.")
@click.option(
    "--width",
    type=_inches,
    metavar="WIDTH",
    help="Width in inches, or such as 8.5cm; the height follows.",
)
@click.option("--dpi", type=click.IntRange(20, 1200), metavar="N", help="Pixels per inch of a PNG.")
@scale_option
@standardize_option
@click.pass_context
def plot(
    ctx: click.Context,
    /,
    data: Data,
    kind: str,
    output: Path | None,
    pair: tuple[int, ...] | None,
    level: tuple[float, ...] | None,
    groups: str | None,
    palette: str | None,
    draws: int,
    seed: int,
    width: float | None,
    dpi: int | None,
    scale: float,
    standardize: bool,
    **looks: Any,
) -> None:
    """One picture, as SVG, PNG or PDF."""
    if output is None or output == STDOUT:
        raise CommandError("a picture needs a file: -o FILE.svg, .png or .pdf.")
    used, film = KINDS[kind][1], output.suffix.lower() in _FILMS
    for option in _OPTIONS.difference(used):
        if ctx.get_parameter_source(option) is not ParameterSource.DEFAULT:
            raise CommandError(f"--{option} means nothing for {kind}. Leave it out.")
    if film and (width is not None or looks["title"] is not None):
        raise CommandError("a film has no --width and no --title. Leave them out.")
    if level is not None and len(level) > 1 and kind in _ONE_LEVEL:
        raise CommandError(f"{kind} shows one probability: --level {level[0]:g}.")
    if level is not None and kind == "scree" and scale in (0.0, math.inf):
        raise CommandError(f"scree has no intervals at --scale {scale:g}. Leave --level out.")
    with uapca.plot.style("paper", width):  # refused before the data is read
        X = data.rows()
        # The count is a test of the observed rows, which may have empty cells.
        pca = None if kind == "count" else fitted(X, None, scale=scale, standardize=standardize)
        if pca is not None and pair is not None and max(pair) >= pca.n_components_:
            there = plural(pca.n_components_, "component")
            raise CommandError(f"--pair asks for component {max(pair) + 1} of {there}.")
        looks |= {
            "components": (pair or (0, 1)) if "pair" in used else None,
            "palette": palette and [color.strip() for color in palette.split(",")],
            "groups": groups and data.column(groups, X),
            "dpi": dpi if film else None,
            **({"level": level and level[0]} if kind in _ONE_LEVEL else {"levels": level}),
        }
        looks = {name: value for name, value in looks.items() if value is not None}
        if film:
            with progress("frames") as report:
                uapca.plot.animation(pca, X, output, progress=report, **looks)
            note(f"wrote {quoted(output)} (progression)")
            return
        if kind == "simulation":
            fit, rows = uapca.decomposition.unwrap(pca, X)
            rows = rows.scaled(fit.scale)
            count = min(max(looks["components"]) + 1, rows.shape[1])
            shown: tuple[Any, ...] = (uapca.simulate(rows, draws, count, rng=seed), rows)
        elif kind == "count":
            shown = (uapca.component_count(data.observed),)
        else:
            shown = (pca,) if kind in _OF_FIT else (pca, X)
        with drawing():
            drawn = getattr(uapca.plot, _FUNCTIONS.get(kind, kind))(*shown, **looks)
            content = picture(drawn, output.suffix.lower(), dpi=dpi)
    write_bytes(output, content, kind)


@contextmanager
def drawing() -> Iterator[None]:
    """Figures for files: no window opens, and what was open or chosen before stays as it was.

    If the font lacks characters, that is said once; a box stands for each of them.
    """
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    from uapca.plot.base import settings

    backend, others = mpl.get_backend(auto_select=False), plt.get_fignums()
    with settings(), warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", message="Glyph .* missing from", category=UserWarning)
        mpl.use("agg")
        try:
            yield
        finally:
            for number in {*plt.get_fignums()} - {*others}:
                plt.close(number)
            if backend is not None:
                mpl.use(backend)
    lacking = "the font has no sign for some characters of the labels: boxes stand for them"
    messages = [str(warning.message) for warning in caught]
    for text in dict.fromkeys(lacking if m.startswith("Glyph") else f"note: {m}" for m in messages):
        note(text)


def picture(drawn: Any, suffix: str, *, dpi: int | None = None) -> bytes:
    """A Figure, or the Figure of an Axes, as the content of a file."""
    figure = drawn if hasattr(drawn, "savefig") else drawn.figure
    stream = BytesIO()
    sharp = {} if dpi is None else {"dpi": dpi}
    figure.savefig(stream, format=suffix[1:], metadata=_METADATA[suffix], **sharp)
    return stream.getvalue()
