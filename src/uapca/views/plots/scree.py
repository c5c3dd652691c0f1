"""How much each component explains, and what of it is uncertainty."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np

from uapca._validation import check_choice, complaint
from uapca.decomposition import UAPCA
from uapca.stability import ComponentUncertainty, SeparationWarning, component_uncertainty
from uapca.uncertain import UncertainArray
from uapca.views.given import check_level, counted, fit_given
from uapca.views.palette import GREY, OKABE_ITO
from uapca.views.scene import (
    Axis,
    Bars,
    ErrorBars,
    Floats,
    Ink,
    LegendEntry,
    Mark,
    Markers,
    Panel,
    Polyline,
)
from uapca.views.text import percent, scale_text

__all__ = ["scree", "variance_parts"]

# More bars than this say nothing more.
USUAL = 10
_LABELS = {"share": "share of the variance", "variance": "variance λ"}
_MEANS = Ink(color=OKABE_ITO[0], fill=OKABE_ITO[0], fill_opacity=0.75, width=0.6)
_ERRORS = Ink(color=OKABE_ITO[1], fill=OKABE_ITO[1], fill_opacity=0.25, width=0.6)
_HATCH = "////"
# Intervals that end this close to 100 % are not cut.
ROUNDING = 1e-9


def scree(
    X: UncertainArray | UAPCA,
    *,
    scale: float | None = None,
    n_components: int | None = None,
    values: Literal["share", "variance"] = "share",
    level: float = 0.95,
    cumulative: bool = False,
) -> Panel:
    """Bars of explained variance, split into that of the means and that of the uncertainty.

    The eigenvalue of component v is λ = vᵀCv + s²vᵀΨ̄v: the variance between the means of the rows
    and the average variance within the rows, at scale s.

    Parameters
    ----------
    X : UncertainArray or fitted UAPCA
        With data there are error bars too: if each row is one unknown value, how far the eigenvalue
        of the true values may be off (`uapca.component_uncertainty`). They lie a little lower than
        the bars where rows are few, because a row's own deviation also moves the mean. With shares
        they are in units of the total variance of the fit, and cut where they leave 100 %, which
        the legend then says.
    scale : float, optional
        The s at which data is fitted, by default 1; the errors count s-fold in the error bars too.
        At s = ∞ there are none. A fit has its own.
    n_components : int, optional
        How many bars; by default all, at most ten.
    values : {"share", "variance"}, default="share"
        Shares of the total variance, or variances in squared units of the data.
    level : float, default=0.95
        Of the error bars, between 0 and 1.
    cumulative : bool, default=False
        Add the line of the sum so far; only with shares.

    Examples
    --------
    >>> import uapca
    >>> panel = uapca.plot.scree.scene(uapca.datasets.load_students())
    >>> [entry.text for entry in panel.legend]
    ['between rows (means)', 'within rows (uncertainty, s = 1)', '95 % interval of λ / total']
    """
    check_level(level)
    check_choice(values, _LABELS, "values")
    check_choice(cumulative, (True, False), "cumulative")
    pca = _fit(X, scale)
    q = counted(n_components, pca.n_components_, USUAL)
    between, within = (part[:q] for part in variance_parts(pca))
    unit = 1.0
    if values == "share":
        unit = float(np.trace(pca.get_covariance())) or 1.0
    low, high = between / unit, (between + within) / unit
    at = np.arange(1.0, q + 1)
    marks: list[Mark] = []
    legend = []
    if between.any() or not within.any():
        marks.append(Bars(role="between", positions=at, ends=low, base=np.zeros(1), ink=_MEANS))
        legend.append(LegendEntry(text="between rows (means)", kind="area", ink=_MEANS))
    if within.any():
        marks.append(
            Bars(role="within", positions=at, ends=high, base=low, ink=_ERRORS, hatch=_HATCH)
        )
        text = f"within rows (uncertainty, {scale_text(pca.scale)})"
        legend.append(LegendEntry(text=text, kind="area", ink=_ERRORS, hatch=_HATCH))
    top = float(high.max())
    found = _uncertainty(X, float(pca.scale), q)
    if found is not None:
        interval = found.eigenvalue_interval(level) / unit
        # Where no interval is stated, none is drawn.
        interval = np.where(np.isnan(interval), found.eigenvalues[:, None] / unit, interval)
        text = f"{percent(level)} interval of λ"
        if values == "share":
            text += " / total, cut at 100 %" if interval.max() > 1 + ROUNDING else " / total"
            interval = np.minimum(interval, 1.0)
        points = np.column_stack([at, np.clip(found.eigenvalues / unit, *interval.T)])
        marks.append(
            ErrorBars(
                role="interval",
                points=points,
                low=interval[:, 0],
                high=interval[:, 1],
                ink=Ink(width=0.9),
                layer=4,
            )
        )
        legend.append(LegendEntry(text=text))
        top = max(top, float(interval.max()))
    if cumulative and values == "share":
        sums = np.cumsum(pca.explained_variance_ratio_[:q])
        marks += _cumulative(at, sums)
        legend.append(LegendEntry(text="sum so far", ink=Ink(color=GREY)))
        top = max(top, float(sums.max()))
    return Panel(
        marks=tuple(marks),
        x=Axis(
            label="component",
            limits=(0.4, q + 0.6),
            ticks=tuple((float(i), f"PC{int(i)}") for i in at),
        ),
        y=Axis(label=_LABELS[values], limits=(0.0, 1.05 * top or 1.0)),
        legend=tuple(legend),
        legend_columns=2,
        height=0.75,
    )


def variance_parts(pca: UAPCA) -> tuple[Floats, Floats]:
    """vᵀCv and s²vᵀΨ̄v of each component, whose sum is its eigenvalue; shape (q,) each.

    At s = ∞, where variances are in units of s², all is uncertainty, if there is any.
    """
    v, s = pca.components_, float(pca.scale)
    between = np.einsum("id,de,ie->i", v, pca.between_covariance_, v)
    within = np.einsum("id,de,ie->i", v, pca.within_covariance_, v)
    if np.isinf(s):
        s, between = (1.0, np.zeros_like(between)) if within.any() else (1.0, between)
    return np.maximum(between, 0.0), np.maximum(s**2 * within, 0.0)


def _fit(X: UncertainArray | UAPCA, scale: float | None) -> UAPCA:
    """The fit whose variances are shown."""
    if scale is None or not isinstance(X, UncertainArray):
        if scale is not None and isinstance(X, UAPCA):
            raise ValueError(
                complaint("scale", "be left out with a fit", f"got {scale!r}", "Pass the data")
            )
        return fit_given(X)
    return UAPCA(scale=scale, solver="eigh").fit(X)


def _uncertainty(X: UncertainArray | UAPCA, s: float, q: int) -> ComponentUncertainty | None:
    """Errors of the eigenvalues at a scale, if there is data and it has errors."""
    if not isinstance(X, UncertainArray) or np.isinf(s):
        return None
    with warnings.catch_warnings():
        # Which neighbours cannot be told apart is what overlapping error bars show.
        warnings.simplefilter("ignore", SeparationWarning)
        found = component_uncertainty(X, q, scale=s)
    return found if found.eigenvalue_std.any() else None


def _cumulative(at: Floats, sums: Floats) -> list[Mark]:
    ink, points = Ink(color=GREY, fill="#ffffff"), np.column_stack([at, sums])
    return [
        Polyline(role="cumulative", points=points, ink=Ink(color=GREY), layer=5),
        Markers(role="cumulative", points=points, ink=ink, size=0.7, layer=6),
    ]
