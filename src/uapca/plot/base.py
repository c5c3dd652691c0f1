"""What all plots share: the fit and data they are given, sizes, axes, titles and legends."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from itertools import chain
from numbers import Integral
from textwrap import TextWrapper
from typing import Any, Literal, TypeAlias

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_hex, to_rgba
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke
from matplotlib.textpath import text_to_path
from matplotlib.ticker import AutoLocator
from matplotlib.transforms import Bbox, ScaledTranslation

from uapca._looks import GREY, LIGHT, OKABE_ITO, SEQUENTIAL, Look
from uapca._validation import Doubles, as_floats
from uapca.decomposition import UAPCA, unwrap
from uapca.exceptions import SeparationWarning
from uapca.plot.labels import (
    drawable,
    drawn_color,
    percent,
    place_labels,
    scale_text,
)
from uapca.stability import ComponentUncertainty, component_uncertainty
from uapca.uncertain import UncertainArray

__all__ = ["Panel", "data_of", "fit_of", "grid", "joint_legend", "panel", "settings", "style"]

Fit: TypeAlias = Any  # a UAPCA, or a Pipeline that ends in one
Data: TypeAlias = Any  # an UncertainArray, or points of shape (N, D)
LINESTYLES: dict[str, Any] = {
    "solid": "-",
    "dashed": (0, (5, 2)),
    "dotted": (0, (1, 1.5)),
    "dashdot": "-.",
}
MARKERS = {
    "circle": "o",
    "square": "s",
    "triangle": "^",
    "diamond": "D",
    "down": "v",
    "cross": "X",
    "plus": "P",
}
BRIEF = 10  # letters of a name that a number would not be much shorter than
TRUE_VALUES = "true values (errors removed)"  # what denoised rows are
TOP = 20  # bars or arrows of more features than this are no longer read one by one


# -- what is given ------------------------------------------------------------------------------


def fit_of(pca: Fit) -> UAPCA:
    """The fitted UAPCA itself, which of a pipeline is its last step."""
    if isinstance(pca, UncertainArray):
        raise TypeError("pca must be a fitted UAPCA, given before the data; got UncertainArray")
    return unwrap(pca)[0]


def rows_of(X: Data) -> UncertainArray:
    """The data as uncertain rows; points are certain ones."""
    if X is None or isinstance(X, UAPCA):
        raise TypeError(f"X must be the data, given after the fit; got {type(X).__name__}")
    rows = X
    if not isinstance(rows, UncertainArray):
        points = as_floats(X, "X")
        rows = UncertainArray(points[:, None] if points.ndim == 1 else points)
    if not len(rows):
        raise ValueError("X must have at least one row; got none")
    return rows


def data_of(pca: Fit, X: Data) -> tuple[UAPCA, UncertainArray]:
    """The fit, and the data in the units of its components: checked to have its features."""
    fit_of(pca)
    rows = rows_of(X)
    count, known = pca.n_features_in_, tuple(getattr(pca, "feature_names_in_", ()))
    if rows.shape[1] != count or (known and rows.features and tuple(rows.features) != known):
        raise ValueError(
            f"X must have the {count} features of the fit{_some(known)}; "
            f"got {rows.shape[1]}{_some(rows.features or ())}"
        )
    fit, data = unwrap(pca, rows)
    data.require_complete("a plot")
    return fit, data


def scores_of(fit: UAPCA, data: UncertainArray, components: list[int]) -> UncertainArray:
    """The rows of `data_of` projected onto some components (paper, Eq. (affine-cov))."""
    return data.affine(fit._map()[0][components], center=fit.mean_)


def _some(names: Sequence[str]) -> str:
    """Some names in brackets; nothing where there are none."""
    listed = ", ".join(map(str, names[:4])) + ", …" * (len(names) > 4)
    return f" ({listed})" if len(names) else ""


def uncertainty_of(
    fit: UAPCA, X: UncertainArray, n_components: int, joint: bool = False
) -> ComponentUncertainty:
    """How far the components of a fit may be off; refuses data that is not the fit's own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparationWarning)  # the pictures say it
        return component_uncertainty(X, n_components, fit=fit, joint=joint)


def with_matrices(fit: UAPCA, X: UncertainArray | None = None) -> UAPCA:
    """The fit with C and Ψ̄, which some solvers do not form; then of the data."""
    if hasattr(fit, "between_covariance_"):
        return fit
    if X is None:
        raise ValueError(
            f"pca must have kept C and Ψ̄; solver={fit.solver_!r} forms neither: use solver='eigh'"
        )
    return UAPCA(fit.n_components_, scale=fit.scale, solver="eigh").fit(X)


def feature_names(fit: UAPCA) -> tuple[str, ...]:
    """The names of the features, x0, x1, … where there are none."""
    return tuple(getattr(fit, "feature_names_in_", [f"x{j}" for j in range(fit.n_features_in_)]))


def axis_labels(fit: UAPCA, pair: list[int]) -> list[str]:
    """PC1 and so on, with their shares of the variance."""
    shares = map(percent, fit.explained_variance_ratio_[pair].tolist())
    return list(map("PC{} ({})".format, np.add(pair, 1), shares))


def chosen_components(components: Any, there: int, least: int = 1, most: int = 2) -> list[int]:
    """Different components that are there, counted from 0; one number is one component."""
    if there == 1 and least == 1 and np.array_equal(components, (0, 1)):
        return [0]  # the default where there is only one
    listed = np.atleast_1d(np.asarray(components))
    if (
        listed.dtype.kind in "iu"
        and least <= len(listed) <= most
        and len(np.unique(listed)) == len(listed)
        and 0 <= listed.min() <= listed.max() < there
    ):
        return list(map(int, listed))
    if there < least:
        raise ValueError(f"pca must have at least {least} components; it has {there}")
    many = {(2, 2): "two different numbers", (1, 2): "one or two different numbers"}
    raise ValueError(
        f"components must be {many.get((least, most), 'different numbers')} from 0 to {there - 1}; "
        f"got {components!r}"
    )


def counted(wanted: Any, there: int, usual: int, parameter: str = "top") -> int:
    """How many to show: as wanted, by default all but no more than usual."""
    if wanted is None:
        return min(there, usual)
    if isinstance(wanted, int | np.integer) and wanted is not True and int(wanted) >= 1:
        return min(int(wanted), there)
    raise ValueError(f"{parameter} must be a positive integer; got {wanted!r}")


def positions(wanted: Any, known: Sequence[str], parameter: str) -> list[int]:
    """Positions of rows or features, given by name or number, rising."""
    found = set()
    for item in [wanted] if isinstance(wanted, str | Integral) else wanted:
        if isinstance(item, str) and item in known:
            found.add(list(known).index(item))
        elif isinstance(item, Integral) and 0 <= int(item) < len(known):
            found.add(int(item))
        else:
            raise ValueError(f"{parameter} must hold names or positions; there is no {item!r}")
    return sorted(found)


# -- sizes and settings -------------------------------------------------------------------------

# The width of a figure in inches and the size of its type in points.
STYLES = {"paper": (3.5, 8.0), "notebook": (5.5, 10.0), "talk": (8.0, 16.0)}
_chosen: list[tuple[str, float | None]] = [("paper", None)]


class style(AbstractContextManager[None]):
    """Choose the size of figures and type for all plots that follow.

    Your own rcParams are kept: only settings that still have matplotlib's factory value change,
    and only while a plot draws its own figure.

    Parameters
    ----------
    name : {"paper", "notebook", "talk"}
        "paper", the start: 3.5 inches wide, one column of a two-column page, with 8-point type;
        "notebook": 5.5 inches, 10 points; "talk": 8 inches, 16 points.
    width : float, optional
        Another width of new figures, in inches; their heights follow from what is in them.

    See Also
    --------
    uapca.plot.projection : The projected rows.

    Examples
    --------
    >>> import uapca
    >>> uapca.plot.style("talk")  # from now on  # doctest: +SKIP
    >>> with uapca.plot.style("paper", width=8.5 / 2.54):  # 8.5 cm, for these plots only
    ...     pass
    """

    def __init__(
        self, name: Literal["paper", "notebook", "talk"], width: float | None = None
    ) -> None:
        if name not in STYLES:
            raise ValueError(f"style must be 'paper', 'notebook' or 'talk'; got {name!r}")
        if width is not None and not 1.5 <= float(width) <= 40:
            raise ValueError(f"width must be from 1.5 to 40 inches; got {width!r}")
        self._before = _chosen[0]
        _chosen[0] = name, width

    def __exit__(self, *error: object) -> None:
        _chosen[0] = self._before


@contextmanager
def settings() -> Iterator[float]:
    """A context with settings for the chosen style, where the user has none of their own.

    It gives the width of a new figure with one panel, in inches.
    """
    usual, size = STYLES[_chosen[0][0]]
    k = size / 8.0
    wanted: dict[Any, Any] = {
        "font.size": size,
        "axes.labelsize": "medium",
        "axes.titlesize": "medium",
        "legend.fontsize": "small",
        "xtick.labelsize": "small",
        "ytick.labelsize": "small",
        "lines.linewidth": 1.1 * k,
        "lines.markersize": 4.5 * k,
        "axes.linewidth": 0.6 * k,
        "xtick.major.width": 0.6 * k,
        "ytick.major.width": 0.6 * k,
        "xtick.major.size": 2.5 * k,
        "ytick.major.size": 2.5 * k,
        "axes.titlepad": 5.0 * k,
        "hatch.linewidth": 0.5 * k,
        "legend.frameon": False,
        "figure.dpi": 150.0,
        "savefig.dpi": 300.0,
        "svg.fonttype": "none",
        "svg.hashsalt": "uapca",
        "pdf.fonttype": 42,
    }
    params: dict[Any, Any] = mpl.rcParams
    with mpl.rc_context():
        for key, value in wanted.items():
            if params[key] == mpl.rcParamsDefault[key]:
                params[key] = value
        yield _chosen[0][1] or usual


def cycle_colors() -> Sequence[str]:
    """The user's own color cycle, where there is one; else Okabe and Ito's."""
    cycle = mpl.rcParams["axes.prop_cycle"]
    if cycle == mpl.rcParamsDefault["axes.prop_cycle"] or "color" not in cycle.keys:
        return OKABE_ITO
    return tuple(to_hex(color) for color in cycle.by_key()["color"])


# -- axes, titles and legends -------------------------------------------------------------------


class Panel(Artist):
    """What a plot draws into: an Axes with names that make room for each other, and a legend.

    As an artist it is drawn before its names and places them (`place_labels`), whenever the axes
    are drawn. A second plot on the same Axes goes on with the panel of the first (`Panel.of`).

    Attributes
    ----------
    ax, drawn : matplotlib.axes.Axes
        The same, to be drawn into and to be returned.
    entries : dict of str to Artist
        The legend.
    ratio : float
        The height of the axes of a new figure, in units of the figure's width.
    line, marker : float
        The width of lines and the size of markers, in points.
    labels : list of tuple
        Texts, what they are called in the legend, the direction in which each would stand, and
        whether it is left out where there is no room.
    markers, lines : list of array-like of shape (M, 2)
        What labels keep clear of: points, and lines given by points close to each other.
    alone : bool
        Whether it has a figure of its own, with the legend below the axes.
    """

    axes: Any
    draw = place_labels

    def __init__(self, ax: Any, ratio: float = 0.6, alone: bool = False) -> None:
        super().__init__()
        self.ax: Any = ax
        self.drawn: Axes = ax
        self.ratio: float = ratio
        self.alone: bool = alone
        self.line: float = mpl.rcParams["lines.linewidth"]
        self.marker: float = mpl.rcParams["lines.markersize"]
        self.entries: dict[str, Any] = {}
        self.labels: list[tuple[Any, str, tuple[float, float] | None, bool]] = []
        self.markers: list[Any] = []
        self.lines: list[Any] = []
        self.set_zorder(-1e9)  # before the labels are drawn
        self.set_in_layout(False)
        ax.add_artist(self)

    @classmethod
    def of(cls, ax: Any) -> Panel:
        """The panel of an Axes, new if it has none."""
        found = [artist for artist in ax.artists if isinstance(artist, cls)]
        return found[0] if found else cls(ax)

    def label(
        self,
        text: str,
        at: Any,
        color: Any = None,
        *,
        wish: tuple[float, float] | None = (0.0, 0.0),
        optional: bool = False,
        name: str = "",
        **style: Any,
    ) -> None:
        """Write a name beside a point, if possible in the direction of `wish`.

        Without a wish it stands on the point itself if it can. `name` is for the legend.
        """
        params, background = mpl.rcParams, self.ax.get_facecolor()
        made = self.ax.annotate(
            text,
            (float(at[0]), float(at[1])),
            xytext=(0.0, 0.0),
            textcoords="offset points",
            ha="center",
            va="center",
            color=drawn_color(color, background),
            parse_math=False,
            zorder=20,
            arrowprops={
                "arrowstyle": "-",
                "color": params["text.color"],
                "alpha": 0.5,
                "linewidth": 0.45 * params["lines.linewidth"],
                "shrinkA": 0.0,
                "shrinkB": 0.25 * params["lines.markersize"],
            },
            **{"fontsize": 0.9 * params["font.size"], **style},
        )
        wide, alpha = (3.5, 1.0) if wish is None else (1.6, 0.7)
        made.set_path_effects([withStroke(linewidth=wide, foreground=background, alpha=alpha)])
        made.set_in_layout(False)
        self.labels.append((made, name or text, wish, optional))

    def number_names(self) -> bool:
        """Turn names into numbers that the legend explains, if they are crowded.

        They are if, as last drawn, one is not written in full or had no room, or several stand
        far from their points. Short names with room stay.
        """
        crowded, far, unread, needed = [], 0, False, 0
        for text, name, _, optional in self.labels:
            if not optional:
                needed += 1
                long, hidden = len(text.get_text()) > BRIEF, not text.get_visible()
                unread |= hidden or text.get_text() != name
                far += long and text.arrow_patch.get_visible()
                crowded += [(text, name)] * (long or hidden)
        if not crowded or not (unread or far >= max(3, needed / 4)):
            return False
        for k, (text, name) in enumerate(crowded, 1):
            self.key(f"[{k}]  {name}", linestyle="none")
            text.set_text(f"[{k}]")  # rows without names are called by plain numbers
        return True

    def key(self, text: str, color: Any = None, dash: str = "solid", **line: Any) -> None:
        """Explain a line in the legend; with a marker ">" an arrow, without a line a remark."""
        style = {"linestyle": LINESTYLES[dash], "linewidth": self.line, **line}
        style.setdefault("markersize", 0.7 * self.marker)
        self.entries[text] = Line2D([], [], color=drawn_color(color), **style)

    def dot(self, text: str, look: Look | None = None, size: float = 1.0, **line: Any) -> None:
        """Explain a marker in the legend."""
        look = look or Look(GREY, GREY)
        style = {"markerfacecolor": drawn_color(look.fill), "markersize": size * self.marker}
        style |= {"linestyle": "none", "markeredgewidth": 0.6 * self.line, **line}
        self.key(text, look.color, marker=MARKERS[look.shape], **style)

    def area(self, text: str, color: Any = GREY, alpha: float = 0.3, **patch: Any) -> None:
        """Explain a filled area in the legend."""
        style = {"linewidth": 0.7 * self.line, "edgecolor": drawn_color(color), **patch}
        self.entries[text] = Patch(facecolor=to_rgba(drawn_color(color), alpha), **style)

    def arrow(
        self, start: Any, end: Any, color: Any = None, dash: str = "solid", **style: Any
    ) -> None:
        """Draw an arrow; without a head where `arrowstyle` is "-"."""
        gid, zorder = style.pop("gid", ""), style.pop("zorder", 5)
        arrow = {
            "arrowstyle": "-|>,head_width=0.16,head_length=0.32",
            "color": drawn_color(color),
            "linestyle": LINESTYLES[dash],
            "linewidth": 0.9 * self.line,
            "mutation_scale": 2.3 * self.marker,
            "shrinkA": 0.0,
            "shrinkB": 0.0,
        }
        self.ax.annotate("", end, start, gid=gid, zorder=zorder, arrowprops=arrow | style)

    def words(self, x: str = "", y: str = "", title: str = "") -> None:
        """Label the axes and set the title; names are data and never read as formulas."""
        ax = self.ax
        for text, write in ((x, ax.set_xlabel), (y, ax.set_ylabel), (title, ax.set_title)):
            if text:
                write(drawable(text), parse_math=False, wrap=True)

    def equal(self) -> None:
        """Give both axes one unit, so that angles and distances are true, and fit the picture."""
        x = self.ax.get_shared_x_axes().get_siblings(self.ax)
        y = self.ax.get_shared_y_axes().get_siblings(self.ax)
        both = len(x) > 1 and len(y) > 1
        self.ax.set_aspect("equal", adjustable="box" if both else "datalim")
        self.ax.autoscale_view()
        # By default ticks depend on the size of axes, which depends on the width of their labels.
        for axis in (self.ax.xaxis, self.ax.yaxis):
            if isinstance(axis.get_major_locator(), AutoLocator):
                axis.get_major_locator().set_params(nbins=int(np.clip(axis.get_tick_space(), 2, 7)))
        wide, high = self.ax.dataLim.size
        self.ratio = 0.85 * float(np.clip(high / max(wide, 1e-300), 0.5, 1.2))

    def name_components(self, count: int) -> None:
        """PC1, PC2, … along the x-axis, as many as there is room for."""
        size = FontProperties(size=mpl.rcParams["xtick.labelsize"]).get_size_in_points()
        room = 72 * self.ax.bbox.width / self.ax.get_figure(root=True).dpi / (2.9 * size)
        named = range(1, count + 1, -(-count // max(int(room), 1)))
        self.ax.set_xticks(named, [f"PC{i}" for i in named])
        self.ax.set_xlim(0.4, count + 0.6)

    def cross(self) -> None:
        """Draw thin lines through the origin."""
        for line in (self.ax.axhline, self.ax.axvline):
            line(0.0, color=LIGHT, linewidth=0.6 * self.line, zorder=0)

    def colorbar(self, values: Doubles, label: str, shown: bool = True) -> Any:
        """A color bar for some values; what turns them into colors is returned."""
        known = values[np.isfinite(values)]
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
        norm = Normalize(low, high if high > low else low + 1.0)
        mapped = ScalarMappable(norm, LinearSegmentedColormap.from_list("uapca", SEQUENTIAL))
        if shown:
            self.ratio *= 0.86  # the axes are narrower
            bar = self.ax.figure.colorbar(mapped, ax=self.ax, fraction=0.05, pad=0.02, aspect=25)
            bar.set_label(drawable(label), parse_math=False, wrap=True)
            bar.outline.set_linewidth(0.5 * self.line)
        return mapped


@contextmanager
def panel(
    ax: Any,
    title: str | None,
    figsize: tuple[float, float] | None,
    legend: bool,
    fit: UAPCA | None = None,
    data: UncertainArray | None = None,
    ratio: float = 0.6,
) -> Iterator[Panel]:
    """The axes to draw into: those given, or those of a new figure, with title and legend.

    Without a title it is the scale of the fit, if there is one. At s = 1 denoised rows are the
    estimates of the true values, and the title says that instead.
    """
    if title is None and fit is not None:
        title = f"uncertainty scale {scale_text(float(fit.scale))}"
        if data is not None and data.source == "posterior" and fit.scale == 1.0:
            title = TRUE_VALUES
    title = title or ""
    if ax is not None:
        if not (hasattr(ax, "transData") and hasattr(ax, "figure")):
            raise TypeError(f"ax must be a matplotlib Axes; got {type(ax).__name__}")
        figure: Any = ax.get_figure(root=True)
        if figure.get_layout_engine() is None and ax.get_subplotspec():
            # Else long names are cut off; tight layout knows nothing of subfigures.
            figure.set_layout_engine("constrained" if figure.subfigs else "tight")
        made = Panel.of(ax)
        yield made
        made.words(title=title)
        figure.draw_without_rendering()
        if legend:
            draw_legend(ax.figure, made.entries, None if made.alone else ax)
            figure.draw_without_rendering()
        if ax.get_aspect() == 1.0 and ax.get_autoscale_on():
            made.equal()  # ticks for the size that the axes have now
        return
    with settings() as wide:
        size = mpl.rcParams["figure.figsize"]
        usual = list(size) == list(mpl.rcParamsDefault["figure.figsize"])
        own = figsize is None and (usual or _chosen[0][1] is not None)
        size = (wide, wide) if own else figsize or size
        figure = plt.figure(figsize=size, layout="constrained")
        # Axes of fixed aspect move a little after their room is known.
        figure.get_layout_engine().set(w_pad=0.07)
        try:
            made = Panel(figure.add_subplot(), ratio, alone=True)
            yield made
            made.words(title=title)
            for last in (False, True):
                key = draw_legend(figure, made.entries) if legend else 0.0
                if own:
                    text = (6.5 if title else 4.8) * mpl.rcParams["font.size"] / 72
                    figure.set_size_inches(wide, made.ratio * wide + key + text)
                figure.draw_without_rendering()
                if last or not legend or not made.number_names():
                    break
            if made.ax.get_adjustable() == "datalim":  # from now on limits and ticks stay
                made.ax.set_adjustable("box")
        except BaseException:
            plt.close(figure)
            raise


def draw_legend(figure: Any, entries: dict[str, Any], ax: Any = None) -> float:
    """A legend below a figure, or below one of its Axes, as low as it can be.

    Returns its height in inches.
    """
    for old in [] if ax is not None else list(figure.legends):
        old.remove()
    if not entries:
        return 0.0
    dpi = figure.get_figure(root=True).dpi
    font = FontProperties(size=mpl.rcParams["legend.fontsize"])
    host, room = figure, figure.bbox.width
    where: dict[str, Any] = {"loc": "outside lower center"}
    if ax is not None:
        boxes = [axis.get_tightbbox() or ax.bbox for axis in (ax.xaxis, ax.yaxis)]
        whole = Bbox.union([ax.bbox, *boxes])
        host, room = ax, max(whole.width, ax.get_position(original=True).width * room)
        where = {"loc": "upper center", "borderaxespad": 0.0}
    texts, columns = _wrapped(list(map(drawable, entries)), room * 72 / dpi, font)
    spaces = {"handlelength": 1.8, "columnspacing": 1.2, "handletextpad": 0.5, "labelspacing": 0.35}
    made = host.legend(list(entries.values()), texts, ncols=columns, **spaces, **where)
    for text in made.get_texts():
        text.set_parse_math(False)
    wide, high = made.get_window_extent().size / dpi
    if ax is not None:  # below the ticks and the label of the axis; to the left if it is wide
        left, down = (ax.bbox.min - whole.min) / dpi
        left = min(left, max(wide - ax.bbox.width / dpi, 0.0)) / 2
        shift = ScaledTranslation(-left, -down - 0.06, figure.dpi_scale_trans)
        made.set_bbox_to_anchor((0.5, 0.0), ax.transAxes + shift)
    return float(high)


def _wrapped(texts: list[str], room: float, font: FontProperties) -> tuple[list[str], int]:
    """The entries of a legend in lines, and the number of columns that makes it lowest.

    Lines are measured, in points; where they are broken goes by letters, taken as wide.
    """
    lowest, found, size = (np.inf, 0), (texts, 1), font.get_size_in_points()
    measured = cache(partial(text_to_path.get_text_width_height_descent, prop=font, ismath=False))
    usual = max(int(room / (0.58 * size)) - 7, 8)
    for most in range(8, 6 * usual // 5 + 1, 3):
        lines = list(map(TextWrapper(most).wrap, texts))
        for k in range(1, min(len(texts), 6) + 1):
            width, height, start = 0.0, 0, 0
            for column in range(k):  # as many in each, but for one more in the first
                end = start + (len(texts) + k - 1 - column) // k
                widths = map(measured, chain(*lines[start:end]))
                width += 3.5 * size + max(widths, default=(0.0,))[0]
                height, start = max(height, sum(map(len, lines[start:end]))), end
            # Beside others, an entry of many lines would be a narrow tower.
            slim = k > 1 and max(map(len, lines)) > 2 + (height > 6)
            fits = width + size <= room or (k == 1 and most <= usual)
            key = (height, sum(map(len, lines)))  # nothing is broken in vain
            if key < lowest and fits and not slim:
                lowest, found = key, (list(map("\n".join, lines)), k)
    return found


@contextmanager
def grid(
    rows: int,
    columns: int,
    *,
    title: str = "",
    figsize: tuple[float, float] | None = None,
    ratio: float = 1.0,
    **subplots: Any,
) -> Iterator[tuple[Figure, Any]]:
    """A new figure with rows and columns of axes, two paper columns wide unless told."""
    with settings() as width:
        width *= 1.0 if _chosen[0][1] else 7.2 / 3.5
        size = figsize or (width, ratio * rows * width / columns)
        style: dict[str, Any] = {"layout": "constrained", "squeeze": False, **subplots}
        figure, axes = plt.subplots(rows, columns, figsize=size, **style)
        # Axes of fixed aspect move a little after their room is known.
        figure.get_layout_engine().set(w_pad=0.07, h_pad=0.06)
        try:
            yield figure, axes
            if title:
                figure.suptitle(drawable(title), parse_math=False, wrap=True)
        except BaseException:
            plt.close(figure)
            raise


def joint_legend(figure: Any, axes: Iterable[Any]) -> None:
    """One legend below all panels, with each entry once."""
    entries: dict[str, Any] = {}
    for ax in axes:
        entries |= Panel.of(ax).entries
    draw_legend(figure, entries)
    figure.draw_without_rendering()  # axes of fixed aspect move after their room is known
