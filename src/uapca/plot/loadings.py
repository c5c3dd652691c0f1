"""The correlation circle: how the features go with the scores."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.patches import Circle, Wedge

from uapca._looks import GREY, LIGHT, looks
from uapca._validation import Doubles, check_choice
from uapca.decomposition import UAPCA
from uapca.plot.base import (
    Data,
    Fit,
    Panel,
    axis_labels,
    chosen_components,
    counted,
    cycle_colors,
    data_of,
    feature_names,
    fit_of,
    panel,
    positions,
    scores_of,
    uncertainty_of,
    with_matrices,
)
from uapca.plot.labels import NAME, distinct, drawn_color
from uapca.plot.metadata import columns_of, correlation
from uapca.uncertain import UncertainArray

__all__ = ["loadings"]

NAMED = 12  # with more arrows than this labels would cover each other


def loadings(
    pca: Fit,
    X: Data = None,
    *,
    components: Any = (0, 1),
    top: int | None = None,
    highlight: Any = None,
    color_by: Literal["contribution", "cos2"] | None = None,
    supplementary: Any = None,
    ax: Axes | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    legend: bool = True,
) -> Axes:
    """The correlation of every feature with two scores, as arrows in the unit circle.

    An arrow that reaches the circle belongs to a feature that the two components explain fully;
    features with arrows in one direction go together. The correlations are those of K(s), with
    the uncertainty counted as in the fit: component × √λ / σ of the feature.

    Parameters
    ----------
    pca : fitted UAPCA, or a Pipeline that ends in one
    X : UncertainArray, optional
        The data of the fit. Adds wedges: one standard error of each arrow's direction, as
        `uapca.component_uncertainty` finds it.
    components : pair of int, default=(0, 1)
    top : int, optional
        How many features are in color and have a label; by default twelve, those with the longest
        arrows. The others are thin and gray.
    highlight : names or positions of features, optional
        Which, instead.
    color_by : {"contribution", "cos2"}, optional
        Color arrows by the feature's contribution to the two components, or by how much of its
        variance they explain.
    supplementary : data frame or mapping of columns, optional
        Numeric variables that were not in the fit, one value for each row of X: dashed arrows of
        their correlation with the mean scores.
    ax, title, figsize, legend
        As in `projection`.

    Returns
    -------
    matplotlib.axes.Axes

    See Also
    --------
    uapca.plot.biplot : Rows and features in one picture.
    uapca.plot.contributions : Which features make a component.

    Examples
    --------
    >>> import uapca
    >>> pca = uapca.UAPCA(2).fit(uapca.datasets.load_students())
    >>> uapca.plot.loadings(pca).get_title()
    'uncertainty scale s = 1'
    """
    fit, data = (fit_of(pca), None) if X is None else data_of(pca, X)
    fit = with_matrices(fit, data)
    pair = chosen_components(components, fit.n_components_, 2)
    check_choice(color_by, (None, "contribution", "cos2"), "color_by")
    names = feature_names(fit)
    ends = np.asarray(fit.loadings(), dtype=np.float64)[:, pair]
    # Of arrows that look equally long, such as all of two components, those that contribute most.
    shares = feature_shares(fit, pair, "contribution")[1]
    order = np.lexsort((-shares, -np.hypot(*ends.T).round(2)))
    shown = np.sort(order[: counted(top, len(names), NAMED)]).tolist()
    if highlight is not None:
        shown = positions(highlight, names, "highlight")
    rest = [j for j in range(len(names)) if j not in shown]
    spreads = np.zeros(len(names)) if data is None else angle_std(fit, data, pair)
    others: dict[str, Doubles] = {}
    if supplementary is not None:
        if data is None:
            raise ValueError("supplementary must come with X, whose scores it is correlated with")
        scores = np.asarray(scores_of(fit, data, pair).mean, dtype=np.float64)
        for name, column in columns_of(supplementary, len(data), "supplementary").items():
            if column.dtype.kind != "f":
                raise ValueError(f"supplementary must hold numbers; column {name!r} does not")
            found = [correlation(score, column, data.weights) for score in scores.T]
            others[name] = np.array(found)
    with panel(ax, title, figsize, legend, fit, data) as made:
        draw_circle(made)
        if rest:
            lines: Any = np.stack([np.zeros((len(rest), 2)), ends[rest]], axis=1)
            thin = LineCollection(lines, colors=LIGHT, linewidths=0.7 * made.line)
            made.ax.add_collection(thin)
            made.key(f"{len(rest)} of {len(names)} features, not named", LIGHT)
        own = looks(len(names), cycle_colors())
        colors: list[Any] = [look.color for look in own]
        if color_by is not None:
            label, values = feature_shares(fit, pair, color_by)
            colors = list(made.colorbar(values, label).to_rgba(values))
        made.key("correlation of feature and score", marker=">")
        named = [names[j] for j in shown]
        for j, text, name in zip(shown, distinct(named), distinct(named, NAME), strict=True):
            draw_wedge(made, ends[j], spreads[j], colors[j])
            draw_arrow(made, ends[j], text, colors[j], own[j].dash, name, f"feature:{text}")
        for text, end in zip(distinct(list(others)), others.values(), strict=True):
            draw_arrow(made, end, text, GREY, "dashed", text, f"supplementary:{text}")
            made.key("variable not in the fit", GREY, "dashed", marker=">")
        made.words(*axis_labels(fit, pair))
    return made.drawn


def draw_circle(made: Panel) -> None:
    """The unit circle with its axes, and room around it for names."""
    circle = Circle((0, 0), 1, fill=False, color=GREY, linewidth=0.7 * made.line, zorder=1)
    made.ax.add_patch(circle)
    made.cross()
    around = np.linspace(0, 2 * np.pi, 90)
    made.lines.append(np.column_stack([np.cos(around), np.sin(around)]))
    made.ax.set(xlim=(-1.45, 1.45), ylim=(-1.2, 1.2))
    made.ax.set_xticks([-1, 0, 1], ["−1", "0", "1"])
    made.ax.set_yticks([-1, 0, 1], ["−1", "0", "1"])
    made.ax.set_aspect("equal", adjustable="box")
    made.ratio = 0.74


def draw_arrow(
    made: Panel,
    end: Doubles,
    text: str,
    color: Any = None,
    dash: str = "solid",
    name: str = "",
    gid: str = "",
) -> None:
    """An arrow from the center, with its name beyond the head."""
    size = float(np.hypot(*end))
    if size > 0:
        made.arrow((0.0, 0.0), end, color, dash, gid=gid)
        made.markers.append(np.linspace(0.1, 1.0, 14)[:, None] * end)
        wish = (float(end[0]) / size, float(end[1]) / size)
        made.label(text, end, color, wish=wish, name=name, gid=f"name:{text}")


def draw_wedge(made: Panel, end: Doubles, spread: float, color: Any) -> None:
    """The directions within one standard error of an arrow's."""
    size = float(np.hypot(*end))
    if spread > 0 and size > 0:
        angle, half = np.degrees(np.arctan2(end[1], end[0])), min(np.degrees(spread), 90.0)
        face = to_rgba(drawn_color(color), 0.15)
        wedge = Wedge((0, 0), size, angle - half, angle + half, facecolor=face, linewidth=0)
        made.ax.add_patch(wedge)
        made.area("± one standard error of its direction", GREY, 0.2, edgecolor="none")


def feature_shares(fit: UAPCA, pair: list[int], by: str) -> tuple[str, Doubles]:
    """What features are colored by: its name, and a value for each."""
    names = " and ".join(f"PC{i + 1}" for i in pair)
    if by == "cos2":
        return f"cos² on {names}", np.square(np.asarray(fit.loadings())[:, pair]).sum(axis=1)
    weights = np.maximum(fit.explained_variance_[pair], 0.0)
    share = np.square(fit.components_[pair]).T @ (weights / max(float(weights.sum()), 1e-300))
    return f"contribution to {names}", np.asarray(share)


def angle_std(fit: UAPCA, data: UncertainArray, pair: list[int]) -> Doubles:
    """The standard error of the direction of each arrow in radians, (D,).

    With the entries (a, b) of two components and their covariance the angle atan2(b, a) has the
    variance (b² Var a − 2ab Cov + a² Var b) / (a² + b²)², to first order.
    """
    if np.isinf(fit.scale) or data.shape[1] < 2:
        return np.zeros(data.shape[1])
    found = uncertainty_of(fit, data, max(pair) + 1, joint=True)
    root = np.sqrt(np.maximum(fit.explained_variance_[pair], 0.0))
    a, b = fit.components_[pair] * root[:, None]
    i, j, each = *pair, np.arange(len(a))
    joint = np.asarray(found.joint)
    first = joint[i, each, i, each] * root[0] ** 2
    second = joint[j, each, j, each] * root[1] ** 2
    both = joint[i, each, j, each] * root[0] * root[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = (b**2 * first - 2 * a * b * both + a**2 * second) / (a**2 + b**2) ** 2
    most = (np.pi / 2) ** 2
    return np.asarray(np.sqrt(np.clip(np.nan_to_num(variance, nan=most), 0.0, most)))
