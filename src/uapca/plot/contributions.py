"""What features contribute to components, and how well components represent rows."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.font_manager import FontProperties

from uapca._looks import GREY, OKABE_ITO
from uapca.plot.base import (
    TOP,
    Data,
    Fit,
    Panel,
    chosen_components,
    counted,
    data_of,
    feature_names,
    fit_of,
    panel,
)
from uapca.plot.labels import distinct, drawn_color, percent

__all__ = ["contributions", "cos2"]

WIDE = 26  # letters of a line of a name down the side
HATCHES = ("", "////", "....", "xxxx", "----")


def contributions(
    pca: Fit,
    *,
    components: Any = 0,
    top: int | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    legend: bool = True,
) -> Axes:
    """The share of each feature in one or more components, the largest first.

    The dashed line is the share each feature would have if all had the same.

    Parameters
    ----------
    pca : fitted UAPCA, or a Pipeline that ends in one
    components : int or iterable of int, default=0
        Which, from 0; of several the average, weighted by their eigenvalues.
    top : int, optional
        How many features; by default all, at most twenty.
    ax, title, figsize, legend
        As in `projection`.

    Returns
    -------
    matplotlib.axes.Axes

    See Also
    --------
    uapca.plot.components : Entries of components with standard errors.
    uapca.plot.loadings : The correlation circle.

    Examples
    --------
    >>> import uapca
    >>> ax = uapca.plot.contributions(uapca.UAPCA().fit(uapca.datasets.load_students()))
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['M1', 'M2', 'P1', 'P2']
    """
    fit = fit_of(pca)
    wanted = chosen_components(components, fit.n_components_, 1, fit.n_components_)
    names = feature_names(fit)
    count = counted(top, len(names), TOP)
    weights = np.maximum(fit.explained_variance_[wanted], 0.0)
    weights = weights if weights.sum() > 0 else np.ones(len(wanted))
    shares = np.square(fit.components_[wanted]).T @ (weights / weights.sum())
    order = np.argsort(-shares.round(12), kind="stable")[:count]
    which = " and ".join(f"PC{i + 1}" for i in wanted[:3])
    which = which if len(wanted) < 4 else f"{len(wanted)} components"
    with panel(ax, title, figsize, legend, fit) as made:
        style: dict[str, Any] = {"color": OKABE_ITO[0], "alpha": 0.75, "gid": "contribution"}
        bars = made.ax.barh(range(count), shares[order], 0.7, **style)
        even = 1.0 / len(names)
        dashed: dict[str, Any] = {"linestyle": "--", "linewidth": 0.9 * made.line}
        made.ax.axvline(even, color=drawn_color(None), zorder=1.5, **dashed)
        made.key(f"if all were equal, {percent(even)}", **dashed)
        values = [percent(v) for v in shares[order]]
        _name_bars(made, bars, values, [names[j] for j in order], len(names), "features")
        # Room for the values behind the bars.
        most = max(float(shares.max()), even)
        made.ax.set_xlim(0.0, (1.3 if made.alone else 1.5) * most)
        made.ax.xaxis.set_major_formatter(lambda v, _: percent(v) if v < 1.01 else "")
        made.words(f"contribution to {which}")
    return made.drawn


def cos2(
    pca: Fit,
    X: Data,
    *,
    components: Any = (0, 1),
    top: int | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    legend: bool = True,
) -> Axes:
    """How well each row is represented by some components, the best first.

    cos² is the expected squared coordinate on the component as a share of the expected squared
    distance from the mean (`uapca.UAPCA.cos2`); a row with a full bar lies in the picture.

    Parameters
    ----------
    pca : fitted UAPCA, or a Pipeline that ends in one
    X : UncertainArray of shape (N, D), or points
    components : int or iterable of int, default=(0, 1)
        Which, from 0; their bars are stacked.
    top : int, optional
        How many rows; by default all, at most twenty.
    ax, title, figsize, legend
        As in `projection`.

    Returns
    -------
    matplotlib.axes.Axes

    See Also
    --------
    uapca.plot.contributions : Which features make a component.
    uapca.plot.projection : The projected rows.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.datasets.load_students()
    >>> uapca.plot.cos2(uapca.UAPCA(2).fit(X), X).get_xlabel()
    'cos² of the rows'
    """
    fit, data = data_of(pca, X)
    wanted = chosen_components(components, fit.n_components_, 1, fit.n_components_)
    values = np.asarray(fit.cos2(data), dtype=np.float64)[:, wanted]
    names = data.names or tuple(str(i) for i in range(len(data)))
    count = counted(top, len(names), TOP)
    order = np.argsort(-values.sum(axis=1).round(12), kind="stable")[:count]
    ends = np.cumsum(values[order], axis=1)
    with panel(ax, title, figsize, legend, fit, data) as made:
        for k, component in enumerate(wanted):
            color, alpha = OKABE_ITO[k % 6], 0.75 if k == 0 else 0.3
            hatch = HATCHES[k % len(HATCHES)]
            made.area(f"PC{component + 1}", color, alpha, hatch=hatch)
            bars = made.ax.barh(
                range(count),
                values[order, k],
                0.7,
                left=ends[:, k - 1] if k else 0.0,
                edgecolor=color,
                facecolor=to_rgba(color, alpha),
                hatch=hatch,
                linewidth=0.6 * made.line,
            )
        texts = [f"{v:.2f}" for v in ends[:, -1]]
        _name_bars(made, bars, texts, [names[i] for i in order], len(names), "rows")
        made.ax.axvline(1.0, color=GREY, linewidth=0.7 * made.line, zorder=1)
        made.ax.set_xlim(0.0, 1.14 if made.alone else 1.3)
        made.ax.set_xticks([0, 0.25, 0.5, 0.75, 1.0], ["0", "0.25", "0.5", "0.75", "1"])
        made.words("cos² of the rows")
    return made.drawn


def _name_bars(
    made: Panel, bars: Any, values: list[str], names: list[str], of: int, what: str
) -> None:
    """Names down the side, the largest on top, and values behind the bars."""
    name_lines(made, names, of, what)
    paper = {"facecolor": made.ax.get_facecolor(), "linewidth": 0.0, "pad": 1.0}
    size = made.ax.get_yticklabels()[0].get_fontsize()
    made.ax.bar_label(bars, values, padding=3, fontsize=size, bbox=paper)  # over lines


def name_lines(made: Panel, names: list[str], of: int, what: str) -> None:
    """Names down the side, the first on top, in up to two lines; says if they are not all.

    In axes of the user they take half of the width, and are as small as they must.
    """
    size = FontProperties(size=mpl.rcParams["ytick.labelsize"]).get_size_in_points()
    width, height = 72 * made.ax.bbox.size / made.ax.get_figure(root=True).dpi
    room = np.inf if made.alone else (height - 3.5 * mpl.rcParams["font.size"]) / len(names)
    letters = WIDE if made.alone else int(np.clip(0.9 * width / size, 12, WIDE))
    texts = two_lines(names, letters) if room > 2.5 * size else distinct(names, letters)
    small = {"fontsize": max(min(size, 0.8 * room), 3.0)}
    made.ax.set_yticks(range(len(names)), texts, parse_math=False, **small)
    made.ax.set_ylim(len(names) - 0.4, -0.6)
    line = 0.07 if any("\n" in text for text in texts) else 0.05
    made.ratio = 0.08 + line * max(len(names), 3)
    if len(names) < of:
        made.words(y=f"largest {len(names)} of {of:,} {what}")


def two_lines(names: Sequence[str], width: int = WIDE) -> list[str]:
    """Distinct names of up to two lines, as whole as there is room for."""
    for length in (2 * width, 2 * width - 6, 2 * width - 12, width):
        texts = ["\n".join(wrap(text, width)) for text in distinct(names, length)]
        if max(text.count("\n") for text in texts) < 2:
            break
    return texts
