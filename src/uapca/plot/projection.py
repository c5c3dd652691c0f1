"""Projected rows, each drawn as what its law is (paper, Figs. "student", "iris" and "anuran")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from scipy.stats import rayleigh

from uapca._looks import GREY, NO_GROUP, Look, Palette, RowLooks, row_looks
from uapca._validation import Doubles, check_choice
from uapca.decomposition import UAPCA
from uapca.plot.base import (
    LINESTYLES,
    Data,
    Fit,
    Panel,
    axis_labels,
    chosen_components,
    cycle_colors,
    data_of,
    panel,
    positions,
    scores_of,
)
from uapca.plot.labels import distinct, drawable, drawn_color, percent
from uapca.plot.rows import (
    KINDS,
    Kind,
    colored,
    draw_normal,
    draw_ridges,
    draw_rows,
    explain_looks,
    row_levels,
)
from uapca.stability import ellipse_factor
from uapca.uncertain import UncertainArray

__all__ = ["projection"]


def projection(
    pca: Fit,
    X: Data,
    *,
    components: Any = (0, 1),
    levels: Any = None,
    kind: Kind = "auto",
    groups: Any = None,
    palette: Palette = None,
    color_by: Literal["contribution", "cos2"] | None = None,
    ellipses: Literal["mixture", "mean"] | None = None,
    labels: bool | None = None,
    highlight: Any = (),
    means: bool = True,
    points: Any = None,
    points_by: Any = None,
    supplementary: Data = None,
    stacked: bool = True,
    ax: Axes | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    legend: bool = True,
) -> Axes:
    """Projected rows: ellipses, density contours, lines or points, by what each row's law is.

    A normal row is an ellipse, any other law the contours of its projected density, a row that is
    certain in one direction a line, a certain row a point. Of more than 60 uncertain rows the
    density of all of them is shaded, and only the widest, the outlying and the highlighted ones
    have regions. On one component rows are densities on one axis.

    Parameters
    ----------
    pca : fitted UAPCA, or a Pipeline that ends in one
    X : UncertainArray of shape (N, D), or points
        The data, in the features of the fit.
    components : pair of int, or int, default=(0, 1)
        Which components to show, counted from 0; one shows densities.
    levels : float or sequence of float, optional
        The probabilities of each row that its regions hold; by default 0.95, and 0.5 for few rows.
    kind : {"auto", "ellipse", "contour", "points", "density", "prediction", "mean"}, default="auto"
        By the law; ellipses of mean and covariance; densities for normals too; means only; or the
        density of all rows together. For groups of points (``X.counts``), "prediction" draws
        ellipses that hold a new point of the group, and "mean" those that hold its mean, if points
        are normal: their moments are estimated, so that few points have wide ellipses. "mean" is
        the same for the spread of the points and for standard errors (``spread="sem"``), which
        have no "prediction"; posterior rows have neither.
    groups : sequence of N labels or numbers, optional
        A pandas Series whose index names the rows is matched by name.
        Categories have a color, dash and shape each, continuous numbers a color bar. Without
        groups each row has a color; of more than 24 rows only the few whose spread is over twice
        the median have colors of their own.
    palette : sequence of colors, or mapping from name or group to color, optional
        By default your own ``axes.prop_cycle``, or the colors of Okabe and Ito.
    color_by : {"contribution", "cos2"}, optional
        Color rows by their contribution to the components shown, or by how well they are
        represented there.
    ellipses : {"mixture", "mean"}, optional
        With groups, an ellipse for each: of the normal with the moments of its rows taken
        together, or of the mean of the population that the group's rows are a sample of, if they
        are normal: few rows have wide ellipses (Hotelling's T²), fewer than three none. One row
        far from its group makes a "mixture" ellipse much wider: look at the rows, or leave it out.
    labels : bool, optional
        Whether to write the rows' names; by default where there is room. Rows without names are
        called by their positions, counted from 0.
    highlight : names or positions of rows, optional
        Rows that have regions and names however many there are.
    means : bool, default=True
        Whether to mark the means of uncertain rows.
    points : array-like of shape (P, D), optional
        Points to show under the rows, such as those the rows were made from.
    points_by : sequence of P labels, optional
        The row or group each point belongs to, for its color.
    supplementary : UncertainArray of shape (M, D), or points, optional
        Rows that were not in the fit, drawn hollow and gray.
    stacked : bool, default=True
        For one component: each density on a base line of its own, or all on one.
    ax : matplotlib.axes.Axes, optional
        Where to draw; without it, a new figure one paper column wide. A second plot on the same
        Axes adds to the first. A figure without a layout engine gets matplotlib's tight layout.
    title : str, optional
        By default the scale of the fit, and for denoised rows at s = 1 that they are the true
        values; "" leaves it out.
    figsize : pair of float, optional
        The size of a new figure, in inches.
    legend : bool, default=True

    Returns
    -------
    matplotlib.axes.Axes

    See Also
    --------
    uapca.plot.biplot : Rows and features in one picture.
    uapca.plot.matrix : All pairs of several components.
    uapca.explore : The interactive page.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.datasets.load_iris_groups()
    >>> pca = uapca.UAPCA(2).fit(X)
    >>> ax = uapca.plot.projection(pca, X)
    >>> ax.get_xlabel(), ax.get_title()
    ('PC1 (92.5 %)', 'uncertainty scale s = 1')
    """
    fit, data = data_of(pca, X)
    pair = chosen_components(components, fit.n_components_)
    check_choice(color_by, (None, "contribution", "cos2"), "color_by")
    check_choice(ellipses, (None, "mixture", "mean"), "ellipses")
    if ellipses and groups is None:
        raise ValueError("ellipses must have groups to be drawn for; groups is missing")
    rows = scores_of(fit, data, pair)
    options: dict[str, Any] = {}
    if supplementary is not None:
        options["more"] = scores_of(*data_of(pca, supplementary), pair)
    if points is not None:
        options["points"] = scores_of(*data_of(pca, points), pair).mean
    if color_by is not None:
        options["by_value"] = _values(fit, data, pair, color_by)
    with panel(ax, title, figsize, legend, fit, data) as made:
        draw_projection(
            made,
            rows,
            axis_labels(fit, pair),
            levels=levels,
            kind=kind,
            groups=groups,
            palette=palette,
            labels=labels,
            highlight=highlight,
            means=means,
            points_by=points_by,
            stacked=stacked,
            ellipses=ellipses,
            **options,
        )
    return made.drawn


def _values(fit: UAPCA, data: UncertainArray, pair: list[int], by: str) -> tuple[str, Doubles]:
    """What rows are colored by: its name, and a value for each."""
    names = " and ".join(f"PC{i + 1}" for i in pair)
    if by == "cos2":
        return f"cos² on {names}", np.asarray(fit.cos2(data), dtype=np.float64)[:, pair].sum(axis=1)
    shares = np.asarray(fit.row_contributions(data), dtype=np.float64)[:, pair]
    weights = fit.explained_variance_[pair]
    return f"contribution to {names}", shares @ (weights / max(float(weights.sum()), 1e-300))


def draw_projection(
    made: Panel,
    rows: UncertainArray,
    names: list[str],
    *,
    levels: Any = None,
    kind: Kind = "auto",
    groups: Any = None,
    palette: Palette = None,
    labels: bool | None = None,
    highlight: Any = (),
    means: bool = True,
    points: Any = None,
    points_by: Any = None,
    stacked: bool = True,
    ellipses: str | None = None,
    by_value: tuple[str, Doubles] | None = None,
    more: UncertainArray | None = None,
    like: UncertainArray | None = None,
    colors: Sequence[str] | None = None,
) -> None:
    """Draw rows of one or two coordinates, with all that belongs to them.

    The widest of many rows are chosen by what they are in `like`, if not in the picture. Without
    `colors` they are the user's own cycle.
    """
    check_choice(kind, KINDS, "kind")
    held = row_levels(levels, len(rows))
    variances = np.trace((rows if like is None else like).cov.dense(), axis1=1, axis2=2)
    spreads = np.sqrt(np.maximum(variances, 0.0, dtype=np.float64))
    looks = row_looks(
        rows.names,
        len(rows),
        groups,
        palette,
        colors=colors or cycle_colors(),
        spreads=None if kind == "points" else spreads,
    )
    chosen = positions(highlight, looks.keys, "highlight")
    if rows.shape[1] == 1:
        wrong = ["points"] * (points is not None) + ["kind"] * (kind not in ("auto", "contour"))
        if wrong:
            raise ValueError(f"{wrong[0]} must be left out with one component: it shows densities")
        explain_looks(made, looks, spreads)
        draw_ridges(made, rows, looks, held, stacked=stacked, labels=labels)
        made.words(names[0])
        return
    if points_by is not None and len(points_by) != len(points):
        raise ValueError(
            f"points_by must have one label for each of the {len(points)} points; "
            f"got {len(points_by)}"
        )
    if looks.values is not None:
        label = getattr(groups, "name", None)
        looks = colored(made, looks, looks.values, str(label) if label else "groups")
    if by_value is not None:
        looks = colored(made, looks, by_value[1], by_value[0])
    if points is not None:
        table = dict(zip(looks.groups or looks.keys, looks.looks, strict=True))
        by = () if points_by is None else points_by
        made.ax.scatter(
            *points.T,
            s=(0.3 * made.marker) ** 2,
            c=[table.get(str(label), Look(GREY, GREY)).fill for label in by] or GREY,
            alpha=0.45,
            linewidths=0,
            zorder=1,
            rasterized=len(points) > 2000,
            gid="points",
        )
    explain_looks(made, looks, spreads)
    draw_rows(made, rows, looks, held, kind=kind, labels=labels, means=means, highlight=chosen)
    if ellipses:
        _draw_groups(made, rows, looks, held[-1], ellipses)
    if more is not None:
        _draw_more(made, more, held)
    made.words(*names)
    made.equal()


def _draw_groups(
    made: Panel, rows: UncertainArray, looks: RowLooks, level: float, which: str
) -> None:
    """An ellipse for each group: of all its rows taken together, or of its mean.

    Errors of the rows are in the scatter of their means already, so that Hotelling's T² takes this
    scatter alone; posterior means scatter less than the truths, by the covariances of the rows.
    """
    left = False
    at, covs = np.asarray(rows.mean, dtype=np.float64), rows.cov.dense().astype(np.float64)
    for name, look in looks.legend:
        if name == NO_GROUP:
            continue
        members = np.array([group == name for group in looks.groups])
        w = rows.weights[members] / max(float(rows.weights[members].sum()), 1e-300)
        center = w @ at[members]
        apart = at[members] - center
        cov, radius = (apart.T * w) @ apart, float(rayleigh.ppf(level))
        if which == "mixture" or rows.source == "posterior":
            cov += np.einsum("n,nij->ij", w, covs[members])
        if which == "mean":
            count = round(1.0 / max(float(np.square(w).sum()), 1e-300), 9)  # rows that count
            radius = float(ellipse_factor(level, count, 2, "mean"))
        if not np.isfinite(radius):
            left = True
            continue
        style = {
            "edgecolor": drawn_color(look.color),
            "facecolor": "none",
            "linestyle": LINESTYLES[look.dash],
            "linewidth": 1.6 * made.line,
            "zorder": 3,
        }
        draw_normal(made, center, cov, radius, f"group:{drawable(name)}", **style)
    whose = (
        "the group's mean, if its rows are normal" if which == "mean" else "the group, if normal"
    )
    whose += ", of 3 rows or more" if left else ""
    made.key(f"{percent(level)} of {whose}", GREY, linewidth=1.6 * made.line)


def _draw_more(made: Panel, rows: UncertainArray, levels: tuple[float, ...]) -> None:
    """Rows that were not in the fit: gray, hollow and dashed."""
    names = rows.names or tuple(f"supplementary {i}" for i in range(len(rows)))
    look = Look(GREY, "#FFFFFF", "dashed", "triangle")
    looks = RowLooks(names, (look,) * len(rows))
    draw_rows(made, rows, looks, levels[-1:], fill=False, legend=False)
    for text, at in zip(distinct(names), np.asarray(rows.mean), strict=True):
        made.label(text, at, GREY, optional=len(rows) > 12, style="italic")
    made.dot("supplementary row, not in the fit", look)
