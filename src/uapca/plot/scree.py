"""How much each component explains, and what of it is uncertainty."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba

from uapca._looks import GREY, OKABE_ITO
from uapca._validation import Doubles, check_choice, probability
from uapca.decomposition import UAPCA
from uapca.decomposition.spectrum import scaled_spectrum
from uapca.plot.base import (
    Data,
    Fit,
    counted,
    data_of,
    fit_of,
    panel,
    uncertainty_of,
    with_matrices,
)
from uapca.plot.labels import drawn_color, percent

__all__ = ["scree"]

USUAL = 10  # more bars than this say nothing more
ROUNDING = 1e-12  # an eigenvalue no larger than this part of the first may be none
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
        How many bars; by default one for each eigenvalue that is not zero, at most ten. Those
        beyond the components of the fit are gray: they help to choose how many to keep.
    values : {"share", "variance"}, default="share"
        Shares of the total variance, or variances in squared units of the data.
    level : float, default=0.95
        Of the error bars, between 0 and 1.
    cumulative : bool, default=False
        Add the line of the sum so far; only with shares.
    reference : result of `uapca.component_count`, optional
        Marks the last component that stands out from the errors.
    ax, title, figsize, legend
        As in `projection`.

    Returns
    -------
    matplotlib.axes.Axes

    See Also
    --------
    uapca.plot.component_count : Which components stand out.
    uapca.component_uncertainty : How well the components are known.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.datasets.load_students()
    >>> ax = uapca.plot.scree(uapca.UAPCA().fit(X), X)
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['PC1', 'PC2', 'PC3', 'PC4']
    """
    probability(level)
    check_choice(values, ("share", "variance"), "values")
    fit, data = (fit_of(pca), None) if X is None else data_of(pca, X)
    most = counted(n_components, fit.n_features_in_, USUAL, "n_components")
    q = min(most, fit.n_components_)
    fit, share = with_matrices(fit, data), values == "share"
    between, within = (part[:q] for part in variance_parts(fit))
    known = scaled_spectrum(fit.between_covariance_, fit.within_covariance_, fit.scale, most).values
    rest = known[q:][known[q:] > ROUNDING * known[0]]  # eigenvalues of what the fit left out
    unit = (float(np.trace(fit.get_covariance())) or 1.0) if share else 1.0
    low, high = between / unit, np.concatenate([between + within, rest]) / unit
    at, tops = np.arange(1.0, len(high) + 1), high.copy()
    with panel(ax, title, figsize, legend, fit, data, ratio=0.5) as made:
        blue, red = OKABE_ITO[:2]
        style: dict[str, Any] = {"linewidth": 0.6 * made.line, "width": 0.8}
        if between.any() or not within.any():
            made.ax.bar(
                at[:q], low, color=to_rgba(blue, 0.75), gid="between", edgecolor=blue, **style
            )
            made.area("between rows (means)", blue, 0.75)
        if within.any():
            made.ax.bar(
                at[:q],
                high[:q] - low,
                bottom=low,
                color=to_rgba(red, 0.25),
                edgecolor=red,
                hatch="////",
                gid="within",
                **style,
            )
            made.area("within rows (uncertainty)", red, 0.25, hatch="////")
        if len(rest):
            made.ax.bar(
                at[q:], high[q:], color=to_rgba(GREY, 0.3), edgecolor=GREY, gid="rest", **style
            )
            made.area(f"not among the {q} components of the fit", GREY, 0.3)
        if data is not None and not np.isinf(fit.scale):
            found = uncertainty_of(fit, data, q)
            ends = found.share_interval(level) if share else found.eigenvalue_interval(level)
            stated = (np.ptp(ends, axis=1) > 1e-9 * high[:q]) & (found.eigenvalue_std > 0).any()
            middle = np.clip(high[:q], ends[:, 0], ends[:, 1])
            tops[:q][stated] = np.maximum(high[:q], ends[:, 1])[stated]
            if stated.any():
                made.ax.errorbar(
                    at[:q][stated],
                    middle[stated],
                    np.abs(ends.T - middle)[:, stated],
                    fmt="none",
                    ecolor=drawn_color(None),
                    elinewidth=0.9 * made.line,
                    capsize=0.5 * made.marker,
                )
                text = f"{percent(level)} interval" + " where one is stated" * (not stated.all())
                made.key(text, linewidth=0.9 * made.line)
        sums = np.cumsum(high) if cumulative and share else high
        if cumulative and share:
            made.ax.plot(at, sums, "o-", color=GREY, markerfacecolor="white", gid="cumulative")
            made.key("sum so far", GREY, marker="o", markerfacecolor="white")
        if reference is not None:
            count = int(reference.count)
            made.ax.axvline(count + 0.5, color=GREY, linestyle="--", linewidth=0.9 * made.line)
            made.key(f"{count} stand out from the errors", GREY, "dashed")
        for x, y, v in zip(at, tops, high, strict=True) if len(at) <= 6 else ():
            made.ax.annotate(
                percent(v) if share else f"{v:.3g}",
                (x, y),
                (0, 2),
                textcoords="offset points",
                ha="center",
                fontsize="small",
            )
        made.name_components(len(at))
        made.ax.set_ylim(0.0, 1.12 * float(np.maximum(tops, sums).max()) or 1.0)
        made.words("component", _LABELS[values])
    return made.drawn


def variance_parts(fit: UAPCA) -> tuple[Doubles, Doubles]:
    """vᵀCv and s²vᵀΨ̄v of each component, whose sum is its eigenvalue; shape (q,) each.

    At s = ∞, where variances are in units of s², all is uncertainty, if there is any.
    """
    v, s = fit.components_, float(fit.scale)
    between = np.einsum("id,de,ie->i", v, fit.between_covariance_, v)
    within = np.einsum("id,de,ie->i", v, fit.within_covariance_, v)
    if np.isinf(s):
        s, between = (1.0, np.zeros_like(between)) if within.any() else (1.0, between)
    return np.maximum(between, 0.0), np.maximum(s**2 * within, 0.0)
