"""What all plots share: the fit and data they are given, the axes, the title and the legend."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from uapca._validation import as_floats
from uapca.decomposition import UAPCA, unwrap
from uapca.exceptions import SeparationWarning
from uapca.plot.labels import drawable, percent
from uapca.plot.style import (
    LINESTYLES,
    MARKERS,
    SEQUENTIAL,
    WIDE_FIGURE,
    Floats,
    Look,
    drawn_color,
    figure_width,
    settings,
)
from uapca.stability import ComponentUncertainty, component_uncertainty
from uapca.uncertain import UncertainArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from uapca.plot.placing import Labels

__all__ = ["Panel", "data_of", "fit_of", "grid", "joint_legend", "panel"]

Fit: TypeAlias = Any  # a UAPCA, or a Pipeline that ends in one
Data: TypeAlias = Any  # an UncertainArray, or points of shape (N, D)
TOP = 20  # bars or arrows of more features than this are no longer read one by one
INCH = 72.0  # points


# -- what is given ------------------------------------------------------------------------------


def fit_of(pca: Fit) -> UAPCA:
    """The fitted UAPCA itself, which of a pipeline is its last step."""
    if isinstance(pca, UncertainArray):
        raise TypeError("pca must be a fitted UAPCA, given before the data; got UncertainArray")
    return unwrap(pca)[0]


def data_of(pca: Fit, X: Data) -> tuple[UAPCA, UncertainArray]:
    """The fit, and the data in the units of its components: checked to have its features."""
    fit_of(pca)
    if X is None or isinstance(X, UAPCA):
        raise TypeError(f"X must be the data, given after the fit; got {type(X).__name__}")
    if not isinstance(X, UncertainArray):
        points = as_floats(X, "X")
        X = UncertainArray(points[:, None] if points.ndim == 1 else points)
    if not len(X):
        raise ValueError("X must have at least one row; got none")
    count, known = pca.n_features_in_, tuple(getattr(pca, "feature_names_in_", ()))
    if X.shape[1] != count or (known and X.features and tuple(X.features) != known):
        raise ValueError(
            f"X must have the {count} features of the fit{_some(known)}; "
            f"got {X.shape[1]}{_some(X.features or ())}"
        )
    return unwrap(pca, X)


def uncertainty_of(
    fit: UAPCA, X: UncertainArray, n_components: int, joint: bool = False
) -> ComponentUncertainty:
    """How far the components of a fit may be off; refuses data that is not the fit's own."""
    mean = X.weights @ np.asarray(X.mean, dtype=np.float64)
    size = np.abs(mean).max() + np.sqrt(max(float(fit.explained_variance_.sum()), 0.0))
    if not np.allclose(mean, fit.mean_, rtol=0.0, atol=1e-6 * size):
        raise ValueError("X must be the data that the fit was made from; its mean is another one")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparationWarning)  # the pictures say it
        return component_uncertainty(X, n_components, scale=float(fit.scale), joint=joint)


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
    names = getattr(fit, "feature_names_in_", None)
    return tuple(map(str, names)) if names is not None else numbered(fit.n_features_in_)


def numbered(count: int) -> tuple[str, ...]:
    """Names made up for features: x0, x1, …"""
    return tuple(f"x{j}" for j in range(count))


def axis_label(fit: UAPCA, component: int) -> str:
    """PC1 with its share of the variance."""
    return f"PC{component + 1} ({percent(float(fit.explained_variance_ratio_[component]))})"


def chosen_components(
    components: Any, there: int, least: int = 1, most: int = 2
) -> tuple[int, ...]:
    """Different components that are there, counted from 0; one number is one component."""
    listed = np.atleast_1d(np.asarray(components))
    if (
        listed.dtype.kind in "iu"
        and least <= len(listed) <= most
        and len(np.unique(listed)) == len(listed)
        and 0 <= listed.min() <= listed.max() < there
    ):
        return tuple(listed.tolist())
    if there < least:
        raise ValueError(f"pca must have at least {least} components; it has {there}")
    many = {(2, 2): "two different numbers", (1, 2): "one or two different numbers"}
    raise ValueError(
        f"components must be {many.get((least, most), 'different numbers')} from 0 to {there - 1}; "
        f"got {components!r}"
    )


def checked_level(level: Any) -> float:
    """One probability, between 0 and 1."""
    if isinstance(level, Real) and 0.0 < float(level) < 1.0:
        return float(level)
    raise ValueError(f"level must lie between 0 and 1; got {level!r}")


def checked_choice(value: Any, choices: Sequence[Any], parameter: str) -> None:
    """Refuse what is none of the choices."""
    if not isinstance(value, str | bool | None) or value not in choices:
        raise ValueError(
            f"{parameter} must be {', '.join(map(repr, choices[:-1]))} or {choices[-1]!r}; "
            f"got {value!r}"
        )


def counted(wanted: Any, there: int, usual: int, parameter: str = "top") -> int:
    """How many to show: as wanted, by default all but no more than usual."""
    if wanted is None:
        return min(there, usual)
    if isinstance(wanted, int | np.integer) and wanted is not True and int(wanted) >= 1:
        return min(int(wanted), there)
    raise ValueError(f"{parameter} must be a positive integer; got {wanted!r}")


def positions(wanted: Any, known: Sequence[str], parameter: str) -> tuple[int, ...]:
    """Positions of rows or features, given by name or number, rising."""
    found = set()
    for item in [wanted] if isinstance(wanted, str | Integral) else wanted:
        if isinstance(item, str) and item in known:
            found.add(list(known).index(item))
        elif isinstance(item, Integral) and 0 <= int(item) < len(known):
            found.add(int(item))
        else:
            raise ValueError(f"{parameter} must hold names or positions; there is no {item!r}")
    return tuple(sorted(found))


def _some(names: Sequence[str]) -> str:
    """Some names in brackets; nothing where there are none."""
    listed = ", ".join(map(str, names[:4])) + ", …" * (len(names) > 4)
    return f" ({listed})" if len(names) else ""


# -- axes, titles and legends -------------------------------------------------------------------


class Panel:
    """The Axes a plot is drawn into, with the entries of its legend.

    Attributes
    ----------
    ax, drawn : matplotlib.axes.Axes
        The same, for drawing and to be returned.
    entries : list
        Handles for the legend, each with its text as label.
    ratio : float
        The height of the axes of a new figure, in units of their width.
    """

    def __init__(self, ax: Axes, ratio: float = 0.75) -> None:
        import matplotlib as mpl

        self.ax: Any = ax  # its methods take more than their types say
        self.drawn = ax
        self.ratio = ratio
        self.entries: list[Any] = []
        self.title_pad: float | None = None
        self.line: float = float(mpl.rcParams["lines.linewidth"])
        self.marker: float = float(mpl.rcParams["lines.markersize"])

    @property
    def labels(self) -> Labels:
        """The labels of the axes that make room for each other."""
        from uapca.plot.placing import Labels

        return Labels.of(self.ax)

    def area(
        self, text: str, color: Any, alpha: float = 0.3, edge: bool = True, **patch: Any
    ) -> None:
        """Explain a filled area in the legend."""
        from matplotlib.colors import to_rgba
        from matplotlib.patches import Patch

        patch.setdefault("linewidth", 0.7 * self.line)
        own = drawn_color(color)
        edgecolor = own if edge else "none"
        self.entries.append(
            Patch(label=text, facecolor=to_rgba(own, alpha), edgecolor=edgecolor, **patch)
        )

    def stroke(self, text: str, color: Any = None, dash: str = "solid", **line: Any) -> None:
        """Explain a line in the legend."""
        from matplotlib.lines import Line2D

        line.setdefault("linewidth", self.line)
        self.entries.append(
            Line2D([], [], color=drawn_color(color), linestyle=LINESTYLES[dash], label=text, **line)
        )

    def arrow(self, text: str, color: Any = None, **line: Any) -> None:
        """Explain an arrow in the legend."""
        self.stroke(text, color, marker=">", markersize=0.7 * self.marker, **line)

    def dot(self, text: str, look: Look | None = None, **line: Any) -> None:
        """Explain a marker in the legend."""
        from matplotlib.lines import Line2D

        look = look or Look("#6B6B6B", "#6B6B6B")
        style: dict[str, Any] = {
            "marker": MARKERS[look.shape],
            "markersize": self.marker,
            "markerfacecolor": drawn_color(look.fill),
            "markeredgecolor": drawn_color(look.color),
            "markeredgewidth": 0.6 * self.line,
        }
        self.entries.append(Line2D([], [], linestyle="none", label=text, **{**style, **line}))

    def note(self, text: str) -> None:
        """Add a line of text to the legend."""
        self.dot(text, marker="none")

    def axis_names(self, x: str = "", y: str = "") -> None:
        """Label the axes; names are data and never read as formulas."""
        if x:
            self.ax.set_xlabel(drawable(x), parse_math=False)
        if y:
            self.ax.set_ylabel(drawable(y), parse_math=False)

    def title(self, text: str | None) -> None:
        """Set the title; nothing where there is none."""
        if text:
            self.ax.set_title(drawable(text), parse_math=False, pad=self.title_pad)

    def equal(self) -> None:
        """Give both axes one unit, so that angles and distances are true."""
        x = self.ax.get_shared_x_axes().get_siblings(self.ax)
        y = self.ax.get_shared_y_axes().get_siblings(self.ax)
        both = len(x) > 1 and len(y) > 1
        self.ax.set_aspect("equal", adjustable="box" if both else "datalim")

    def colorbar(self, values: Floats, label: str, shown: bool = True) -> Any:
        """A colour bar for some values; what turns them into colours is returned."""
        from matplotlib import colormaps
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import ListedColormap, Normalize

        known = values[np.isfinite(values)]
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
        norm = Normalize(low, high if high > low else low + 1.0)
        # The lightest end is hardly seen on white paper.
        dark = ListedColormap(colormaps[SEQUENTIAL](np.linspace(0, 0.85, 256)))
        mapped = ScalarMappable(norm, dark)
        if shown:
            bar = self.ax.figure.colorbar(mapped, ax=self.ax, fraction=0.05, pad=0.02, aspect=25)
            bar.set_label(drawable(label), parse_math=False)
            bar.outline.set_linewidth(0.5 * self.line)
        return mapped


@contextmanager
def panel(
    ax: Any,
    *,
    figsize: tuple[float, float] | None = None,
    title: str | None = None,
    legend: bool = True,
    ratio: float = 0.75,
) -> Iterator[Panel]:
    """The axes to draw into: those given, or those of a new figure, with title and legend."""
    if ax is not None:
        if not (hasattr(ax, "transData") and hasattr(ax, "figure")):
            raise TypeError(f"ax must be a matplotlib Axes; got {type(ax).__name__}")
        if ax.get_figure(root=True).get_layout_engine() is None and ax.get_subplotspec():
            ax.get_figure(root=True).set_layout_engine("tight")  # else long names are cut off
        yield from _drawn(Panel(ax, ratio), title, legend)
        return
    with settings():
        import matplotlib as mpl
        from matplotlib import pyplot as plt

        fixed = figsize is not None or list(mpl.rcParams["figure.figsize"]) != list(
            mpl.rcParamsDefault["figure.figsize"]
        )
        size = figsize or mpl.rcParams["figure.figsize"] if fixed else (figure_width(),) * 2
        figure = plt.figure(figsize=size, layout="constrained")
        try:
            made = Panel(figure.add_subplot(), ratio)
            made.ax._uapca_outside = True
            yield from _drawn(made, title, legend)
            if not fixed:
                _fit_height(made)
            _wrap_labels(made)
            if legend and not all(made.labels.optional):
                _number_names(made)
                if not fixed:
                    _fit_height(made)
        except BaseException:
            plt.close(figure)
            raise


def _drawn(made: Panel, title: str | None, legend: bool) -> Iterator[Panel]:
    yield made
    made.title(title)
    entries: dict[str, Any] = {}
    for handle in [*getattr(made.ax, "_uapca_entries", []), *made.entries]:
        entries[handle.get_label()] = handle
    made.ax._uapca_entries = list(entries.values())
    if legend:
        _legend_of(made.ax)


def _legend_of(ax: Any) -> None:
    """One legend for all that was drawn into an Axes, outside of it and below."""
    outside, figure = getattr(ax, "_uapca_outside", False), ax.figure
    for old in list(figure.legends) if outside else [ax.get_legend()]:
        if old is not None:
            old.remove()
    entries = ax._uapca_entries
    if entries and outside:
        _legend(figure, figure, entries, 0.93 * figure.bbox.width, loc="outside lower center")
    elif entries:
        from matplotlib.transforms import ScaledTranslation

        box = ax.xaxis.get_tightbbox()
        down = 0.0 if box is None else max(ax.bbox.y0 - box.y0, 0.0)
        shift = ScaledTranslation(0.0, -(down / figure.dpi + 0.06), figure.dpi_scale_trans)
        where = {"bbox_to_anchor": (0.5, 0.0), "bbox_transform": ax.transAxes + shift}
        wide = max(ax.bbox.width, 0.3 * figure.bbox.width)
        _legend(ax, figure, entries, wide, loc="upper center", borderaxespad=0.0, **where)


def _legend(host: Any, figure: Any, entries: Sequence[Any], room: float, **where: Any) -> None:
    """A legend no wider than `room` pixels, in as many columns as fit, read row by row."""
    import matplotlib as mpl
    from matplotlib.font_manager import FontProperties
    from matplotlib.text import Text

    size = FontProperties(size=mpl.rcParams["legend.fontsize"]).get_size_in_points()
    unit = size * figure.dpi / INCH
    ruler = Text(0, 0, "", fontsize=size, parse_math=False)
    ruler.set_figure(figure)
    texts, widths = [], []
    for handle in entries:
        ruler.set_text(drawable(handle.get_label()))
        # Of many entries none is so long that it takes a line of its own.
        _wrap(ruler, room - 4.0 * unit if len(entries) < 6 else room / 2 - 4.0 * unit)
        texts.append(ruler.get_text())
        widths.append(float(ruler.get_window_extent().width) + 3.9 * unit)
    for columns in range(min(len(texts), 6), 0, -1):
        if sum(max(widths[k::columns]) for k in range(columns)) <= room:
            break
    order = [i for k in range(columns) for i in range(k, len(texts), columns)]
    made = host.legend(
        [entries[i] for i in order],
        [texts[i] or " " for i in order],
        ncols=columns,
        handlelength=1.8,
        columnspacing=1.2,
        handletextpad=0.5,
        labelspacing=0.35,
        **where,
    )
    for text in made.get_texts():
        text.set_parse_math(False)


def _number_names(made: Panel) -> None:
    """Numbers in the picture and their names in the legend, for names without room."""
    made.ax.figure.draw_without_rendering()
    hidden = made.labels.without_room()
    for k, text in enumerate(hidden, 1):
        made.note(f"[{k}]  {text.get_text()}")
        made.ax._uapca_entries.append(made.entries[-1])
        text.set_text(f"[{k}]")  # rows without names are called by plain numbers
    if hidden:
        _legend_of(made.ax)


def _wrap(text: Any, room: float) -> None:
    """Break a text into lines until it is no longer than `room` pixels along its direction."""
    whole = text.get_text()
    along = 1 if text.get_rotation() == 90.0 else 0
    letters = len(whole)
    while letters > 8 and (long := float(text.get_window_extent().size[along])) > room:
        letters = min(int(letters * 0.95), int(letters * room / long) + 1)
        text.set_text("\n".join(wrap(whole, max(letters, 8))))


def _wrap_labels(made: Panel) -> None:
    """Break titles and labels of axes that are longer than the figure or its axes."""
    figure = made.ax.figure
    high = min(made.ratio, 1.0) * 0.75 * figure.bbox.width
    high = max(min(high, 0.75 * figure.bbox.height), 0.45 * figure.bbox.height)
    for ax in figure.axes:
        _wrap(ax.yaxis.label, high)
        _wrap(ax.xaxis.label, 0.85 * figure.bbox.width)
        _wrap(ax.title, 0.95 * figure.bbox.width)


def _fit_height(made: Panel) -> None:
    """The height of the figure that gives the axes the ratio they should have, as measured."""
    figure, ax = made.ax.figure, made.ax
    frame, box = ax.bbox, ax.get_tightbbox()
    left, below = max(frame.x0 - box.x0, 0.0), max(frame.y0 - box.y0, 0.0)
    above = max(box.y1 - frame.y1, 0.0)
    right = legends = 0.0
    for bar in figure.axes[1:]:
        right += bar.get_tightbbox().width
    for legend in figure.legends:
        legends += legend.get_window_extent().height
    wide = max(figure.bbox.width - left - right, 0.3 * figure.bbox.width)
    pads = 4 * 0.04 * figure.dpi
    height = (made.ratio * wide + below + above + legends + pads) / figure.dpi
    figure.set_size_inches(figure.get_figwidth(), max(height, 0.9))


@contextmanager
def grid(
    rows: int,
    columns: int,
    *,
    figsize: tuple[float, float] | None = None,
    ratio: float = 1.0,
    wide: float = WIDE_FIGURE,
    **subplots: Any,
) -> Iterator[tuple[Figure, Any]]:
    """A new figure with rows and columns of axes, two paper columns wide."""
    with settings():
        from matplotlib import pyplot as plt

        width = wide * figure_width()
        figure, axes = plt.subplots(
            rows,
            columns,
            figsize=figsize or (width, ratio * rows * width / columns),
            layout="constrained",
            squeeze=False,
            **subplots,
        )
        # Axes of fixed aspect move a little after their room is known.
        figure.get_layout_engine().set(w_pad=0.07, h_pad=0.06)
        try:
            yield figure, axes
        except BaseException:
            plt.close(figure)
            raise


def joint_legend(figure: Any, axes: Iterable[Any]) -> None:
    """One legend below all panels, with each entry once."""
    entries: dict[str, Any] = {}
    for ax in axes:
        for handle in getattr(ax, "_uapca_entries", []):
            entries.setdefault(handle.get_label(), handle)
    if entries:
        _legend(
            figure,
            figure,
            list(entries.values()),
            0.93 * figure.bbox.width,
            loc="outside lower center",
        )
    engine = figure.get_layout_engine()
    for _ in range(2):  # axes of fixed aspect shrink after their room is known
        engine.execute(figure)
