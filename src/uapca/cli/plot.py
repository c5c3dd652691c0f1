"""``uapca plot``."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from uapca.cli.app import (
    data_argument,
    data_options,
    denoise_option,
    force_option,
    output_option,
    scale_option,
    standardize_option,
    subcommand,
)

if TYPE_CHECKING:
    from uapca.uncertain import UncertainArray

__all__ = ["KINDS", "PICTURES", "glyphs_noted", "picture", "plot", "without_window"]

PICTURES = (".svg", ".png", ".pdf")
_FILMS = (".gif", ".mp4")
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
    "projection": ("the projected rows, as regions of their probability", _ROWS),
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
    "components": ("the entries of the components with their errors", ("scale", "pair", "top")),
    "shepard": ("distances between rows before and after projection", ("scale", "pair")),
    "count": ("how many components stand out of the errors", ()),
    "simulation": ("the scores in simulated data sets", (*_ROWS, "draws", "seed")),
}
# Kinds of pictures of a plane, such as follow how components turn, and such with one probability.
_TWO = ("traces", "progression", "biplot", "loadings", "simulation", "matrix")
_TURNING = ("traces", "progression", "eigenvalues")
_ONE_LEVEL = ("progression", "scree")
_CHECKED = (
    "pair",
    "level",
    "encode",
    "draws",
    "seed",
    "scale",
    "labels",
    "groups",
    "palette",
    "top",
)
_HELP = "One picture, as SVG, PNG or PDF.\n\n\b\nKIND is one of\n" + "\n".join(
    f"  {name:<14} {meaning}" for name, (meaning, _) in KINDS.items()
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
    ("uapca plot stars.csv projection --groups type -o types.svg", "colored by a column"),
    ("uapca plot students progression -o progression.gif", "an animation"),
    help=_HELP,
)
@data_argument()
@click.argument("kind", metavar="KIND", type=_Kind(), shell_complete=_complete)
@output_option(".svg", ".png", ".pdf", required=True, what="The picture")
@click.option(
    "--pair",
    metavar="I,J",
    default="1,2",
    show_default=True,
    help="The components to show, counted from 1; one number shows densities.",
)
@click.option("--level", metavar="P,P", help="The probability of regions, such as 0.5,0.95.")
@click.option("--groups", metavar="COLUMN", help="Color the rows by a column of the table.")
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
@click.option("--width", type=click.FloatRange(1, 40), metavar="INCHES", help="Width in inches.")
@click.option("--dpi", type=click.IntRange(20, 1200), metavar="N", help="Pixels per inch of a PNG.")
@scale_option
@standardize_option
@denoise_option
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
    groups: str | None,
    palette: str | None,
    top: int | None,
    labels: bool | None,
    encode: Literal["eigenvalue", "gap", "stability"] | None,
    draws: int,
    seed: int,
    title: str | None,
    width: float | None,
    dpi: int | None,
    scale: float,
    standardize: bool,
    denoise: str | None,
    force: bool,
    reading: Mapping[str, Any],
) -> None:
    from uapca.cli.console import (
        CommandError,
        check_output,
        no_such,
        note,
        progress,
        quoted,
        write_bytes,
    )
    from uapca.cli.data import check_data, denoised, fitted, read_data

    if kind not in KINDS:
        raise no_such("kind of picture", kind, list(KINDS), "uapca plot --help lists them.")
    check_data(data)
    target = check_output(output, PICTURES + (_FILMS if kind == "progression" else ()), force)
    if target is None:
        raise CommandError("a picture needs a file: -o FILE.svg, .png or .pdf.")
    default = ParameterSource.DEFAULT
    given = [name for name in _CHECKED if ctx.get_parameter_source(name) is not default]
    levels = _levels(level)
    _check_options(kind, given, levels, scale)
    asked = _pair(pair, kind) if "pair" in given else None
    without_window()
    observed = read_data(data, reading, denoise)
    X = denoised(observed, denoise)
    shown = _shown(asked, kind, X)
    if kind == "distributions" and X.shape[1] > 2:
        two = ",".join((X.features or ("x0", "x1"))[:2])
        raise CommandError(
            f"distributions shows rows of one or two features, and there are {X.shape[1]}. Choose "
            f"two, such as --features {two}, or plot the projection."
        )
    pca = fitted(X, None, scale, standardize=standardize)
    if target.suffix.lower() in _FILMS:
        from uapca.plot import animation

        film: dict[str, Any] = {} if levels is None else {"level": levels[0]}
        with progress("frames") as report:
            animation(pca, X, target, components=shown, progress=report, **film)
        note(f"wrote {quoted(target)} (progression)")
        return
    style: dict[str, Any] = {"title": title} if title else {}
    if width is not None:
        style["figsize"] = (width, 0.8 * width)
    if "groups" in KINDS[kind][1]:
        style["labels"] = labels
        style |= {} if levels is None else {"levels": levels}
        style |= {} if groups is None else {"groups": _column(data, groups, reading, len(X))}
        style |= {} if palette is None else {"palette": [c.strip() for c in palette.split(",")]}
    elif levels is not None:
        style["level"] = levels[0]
    if top is not None:
        style["top"] = top
    with glyphs_noted():
        drawn = _drawn(kind, pca, X, observed, shown, style, encode, draws, seed)
        content = picture(drawn, target.suffix.lower(), dpi=dpi)
    write_bytes(target, content, kind)


def _drawn(
    kind: str,
    pca: Any,
    X: UncertainArray,
    observed: UncertainArray,
    shown: tuple[int, ...],
    style: dict[str, Any],
    encode: Literal["eigenvalue", "gap", "stability"] | None,
    draws: int,
    seed: int,
) -> Any:
    """The Figure, or the Axes, of a picture."""
    from uapca import plot as pictures

    if kind == "traces":
        return pictures.factor_traces(pca, components=shown, encode=encode, **style)
    if kind == "eigenvalues":
        return pictures.eigenvalues(pca, **style)
    if kind == "count":
        from uapca.posterior import component_count

        return pictures.component_count(component_count(observed), **style)
    if kind == "simulation":
        from uapca.decomposition import unwrap
        from uapca.stability import simulate

        fit, data = unwrap(pca, X)
        data = data.scaled(fit.scale)
        found = simulate(data, draws, max(shown) + 1, rng=seed)
        return pictures.simulation(found, data, components=shown, **style)
    if kind in ("distributions", "scree"):
        return getattr(pictures, kind)(pca, X, **style)
    if kind == "components":
        return pictures.components(pca, X, n_components=len(shown), **style)
    if kind in ("loadings", "contributions"):
        return getattr(pictures, kind)(pca, components=shown, **style)
    components: Any = None if kind == "matrix" else shown if len(shown) > 1 else shown[0]
    return getattr(pictures, kind)(pca, X, components=components, **style)


def _column(data: str, name: str, reading: Mapping[str, Any], n: int) -> list[Any]:
    """A column of the table, one entry for each row."""
    from uapca.cli.console import CommandError, no_such, quoted
    from uapca.inputs.files import open_table

    if reading["by"] or reading["bins"] is not None:
        raise CommandError("--groups is for tables with one line for each row, not for --by.")
    from uapca.cli.data import BUNDLED

    if data.casefold() in BUNDLED or data == "-":
        raise CommandError("--groups needs a file with such a column.")
    table = open_table(data, sheet=reading["sheet"])
    if name not in table.names:
        raise no_such("column", name, list(table.names))
    table.resolve([name])
    values = table.block([name])[:, 0].tolist() if table.is_number(name) else table.texts(name)
    if len(values) != n:
        raise CommandError(f"--groups {quoted(name)} has {len(values)} entries for {n} rows.")
    return list(values)


def _check_options(
    kind: str, given: list[str], levels: tuple[float, ...] | None, scale: float
) -> None:
    """Raise for an option that would change nothing in the picture."""
    from uapca.cli.console import CommandError

    for option in given:
        if option not in KINDS[kind][1]:
            raise CommandError(f"--{option} means nothing for {kind}. Leave it out.")
    if scale == float("inf") and kind in ("components", "simulation"):
        raise CommandError(f"{kind} needs a finite --scale.")
    if levels is not None and kind in _ONE_LEVEL and len(levels) > 1:
        raise CommandError(f"{kind} shows one probability: --level {levels[0]:g}.")
    if levels is not None and kind == "scree" and scale in (0.0, float("inf")):
        raise CommandError(f"scree has no intervals at --scale {scale:g}. Leave --level out.")


def _pair(text: str, kind: str) -> tuple[int, ...]:
    """The components asked for, from 0."""
    from uapca.cli.console import CommandError

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
    from uapca.cli.console import CommandError, counted

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
    from uapca.cli.console import CommandError

    if text is None:
        return None
    try:
        levels = tuple(float(part) for part in text.split(","))
    except ValueError:
        levels = ()
    if not levels or not all(0.0 < level < 1.0 for level in levels):
        raise CommandError(f"--level must be probabilities between 0 and 1; got {text!r}.")
    return levels


# Figures of matplotlib as the bytes of a file


def without_window() -> None:
    """Draw into files; says what to install where matplotlib is missing."""
    from uapca.plot.style import settings

    with settings():  # raises where matplotlib is missing
        import matplotlib as mpl
    mpl.use("agg")


def picture(drawn: Any, suffix: str, *, dpi: int | None = None, close: bool = True) -> bytes:
    """A Figure, or the Figure of an Axes, as the content of a file; then the Figure is closed."""
    from matplotlib import pyplot as plt

    from uapca.plot.style import settings

    figure = drawn if hasattr(drawn, "savefig") else drawn.figure
    stream = BytesIO()
    try:
        with settings():
            sharp = {} if dpi is None else {"dpi": dpi}
            figure.savefig(stream, format=suffix[1:], metadata=_METADATA[suffix], **sharp)
    finally:
        if close:
            plt.close(figure)
    return stream.getvalue()


@contextmanager
def glyphs_noted() -> Iterator[None]:
    """Drawing that says once if the font lacks characters; a box stands for each of them."""
    from uapca.cli.console import note

    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", message="Glyph .* missing from", category=UserWarning)
        yield
    if any("Glyph" in str(warning.message) for warning in caught):
        note("the font has no sign for some characters of the labels: boxes stand for them")
