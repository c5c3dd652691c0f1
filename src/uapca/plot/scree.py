"""How much each component explains, and what of it is uncertainty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from uapca.decomposition import UAPCA
from uapca.plot.base import (
    Data,
    Fit,
    checked_choice,
    checked_level,
    counted,
    data_of,
    fit_of,
    panel,
    uncertainty_of,
    with_matrices,
)
from uapca.plot.labels import percent, scale_text
from uapca.plot.style import GREY, OKABE_ITO, Floats, drawn_color

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["scree"]

USUAL = 10  # more bars than this say nothing more
_LABELS = {"share": "share of the variance", "variance": "variance λ"}


def scree(
    pca: Fit,
    X: Data = None,
    *,
    n_components: int | None = None,
    values: Literal["share", "variance"] = "share",
    level: float = 0.95,
    cumulative: bool = False,
    reference: Any = None,
    ax: Axes | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    legend: bool = True,
) -> Axes:
    """Bars of explained variance, split into that of the means and that of the uncertainty.

    The eigenvalue of component v is λ = vᵀCv + s²vᵀΨ̄v: the variance between the means of the rows
    and the average variance within the rows, at scale s.

    Parameters
    ----------
    pca : fitted UAPCA, or a Pipeline that ends in one
    X : UncertainArray, optional
        The data of the fit. Adds the intervals of `uapca.component_uncertainty`, of the shares or
        of the variances, where they are stated. They may lie a little lower than the bars where
        rows are few, because a row's own deviation also moves the mean. At s = ∞ there are none.
    n_components : int, optional
        How many bars; by default all, at most ten.
    values : {"share", "variance"}, default="share"
        Shares of the total variance, or variances in squared units of the data.
    level : float, default=0.95
        Of the error bars, between 0 and 1.
    cumulative : bool, default=False
        Add the line of the sum so far; only with shares.
    reference : result of `uapca.component_count`, optional
        Marks the last component that stands out of the errors.
    ax, title, figsize, legend
        As in `projection`.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import uapca
    >>> X = uapca.datasets.load_students()
    >>> ax = uapca.plot.scree(uapca.UAPCA().fit(X), X)
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['PC1', 'PC2', 'PC3', 'PC4']
    """
    checked_level(level)
    checked_choice(values, ("share", "variance"), "values")
    fit, data = (fit_of(pca), None) if X is None else data_of(pca, X)
    q = counted(n_components, fit.n_components_, USUAL, "n_components")
    fit = with_matrices(fit, data)
    between, within = (part[:q] for part in variance_parts(fit))
    unit = 1.0
    if values == "share":
        unit = float(np.trace(fit.get_covariance())) or 1.0
    low, high = between / unit, (between + within) / unit
    found = None
    if data is not None and not np.isinf(fit.scale):
        found = uncertainty_of(fit, data, q)
    at = np.arange(1.0, q + 1)
    with panel(
        ax,
        figsize=figsize,
        title=scale_text(float(fit.scale)) if title is None else title,
        legend=legend,
        ratio=0.6,
    ) as made:
        axes, blue, red = made.ax, OKABE_ITO[0], OKABE_ITO[1]
        style: dict[str, Any] = {"linewidth": 0.6 * made.line, "width": 0.8}
        if between.any() or not within.any():
            axes.bar(at, low, color=blue, edgecolor=blue, alpha=0.75, gid="between", **style)
            made.area("between rows (means)", blue, 0.75)
        if within.any():
            axes.bar(
                at,
                high - low,
                bottom=low,
                facecolor=(0.84, 0.37, 0.0, 0.25),
                edgecolor=red,
                hatch="////",
                gid="within",
                **style,
            )
            made.area("within rows (uncertainty)", red, 0.25, hatch="////")
        tops = high.copy()
        if found is not None and found.eigenvalue_std.any():
            share = values == "share"
            ends = found.share_interval(level) if share else found.eigenvalue_interval(level)
            stated = ~np.isnan(ends).any(axis=1)
            middle = np.clip(high, ends[:, 0], ends[:, 1])
            axes.errorbar(
                at[stated],
                middle[stated],
                np.abs(ends.T - middle)[:, stated],
                fmt="none",
                ecolor=drawn_color(None),
                elinewidth=0.9 * made.line,
                capsize=0.5 * made.marker,
            )
            text = f"{percent(level)} interval" + " where one is stated" * (not stated.all())
            made.stroke(text, linewidth=0.9 * made.line)
            tops[stated] = np.maximum(tops, ends[:, 1])[stated]
        if cumulative and values == "share":
            sums = np.cumsum(fit.explained_variance_ratio_[:q])
            axes.plot(at, sums, "o-", color=GREY, markerfacecolor="white", gid="cumulative")
            made.stroke("sum so far", GREY, marker="o", markerfacecolor="white")
            tops = np.maximum(tops, sums)
        texts = [percent(v) if values == "share" else f"{v:.3g}" for v in high]
        if q <= 6:
            for x, y, text in zip(at, tops, texts, strict=True):
                axes.annotate(
                    text, (x, y), (0, 2), textcoords="offset points", ha="center", fontsize="small"
                )
        if reference is not None:
            count = int(reference.count)
            axes.axvline(count + 0.5, color=GREY, linestyle="--", linewidth=0.9 * made.line)
            made.stroke(f"{count} stand out of the errors", GREY, "dashed")
        named = at[:: -(-q // 10)]
        axes.set_xticks(named, [f"PC{int(i)}" for i in named])
        axes.set_xlim(0.4, q + 0.6)
        axes.set_ylim(0.0, 1.12 * float(tops.max()) or 1.0)
        made.axis_names("component", _LABELS[values])
    return made.drawn


def variance_parts(fit: UAPCA) -> tuple[Floats, Floats]:
    """vᵀCv and s²vᵀΨ̄v of each component, whose sum is its eigenvalue; shape (q,) each.

    At s = ∞, where variances are in units of s², all is uncertainty, if there is any.
    """
    v, s = fit.components_, float(fit.scale)
    between = np.einsum("id,de,ie->i", v, fit.between_covariance_, v)
    within = np.einsum("id,de,ie->i", v, fit.within_covariance_, v)
    if np.isinf(s):
        s, between = (1.0, np.zeros_like(between)) if within.any() else (1.0, between)
    return np.maximum(between, 0.0), np.maximum(s**2 * within, 0.0)
