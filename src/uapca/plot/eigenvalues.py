"""Eigenvalues against s on the hyperbolic axis, with the crossings (paper, Fig. "eigenvalues")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from uapca.plot.base import Panel, checked_choice, panel
from uapca.plot.factor_traces import Traces, traces_of
from uapca.plot.labels import number, scale_text, subscript
from uapca.plot.style import DASHES, GREY, LIGHT, LINESTYLES, Floats, drawn_color
from uapca.sensitivity import Crossing, FactorTraces, WeightTraces

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["eigenvalues"]

_LABELS = {
    "share": "share of the variance",
    "normalized": "eigenvalue of K(s) / (1 + s)²",
    "variance": "eigenvalue of K(s)",
}
CROWDED = 8  # more curves than this are not told apart; the others go on in grey
SOUGHT = 50  # crossings of more eigenvalues than this are only looked for where asked
NAMED = 6  # crossings that are called by name
CLOSE = 0.3  # a smallest gap, relative to the eigenvalue, below which two avoid each other
TICKS = ((0.0, "0"), (1 / 3, "½"), (0.5, "1"), (2 / 3, "2"), (1.0, "∞"))
# Components have an order, and no colour that a feature or row has: dark to light, with dashes.
TONES = ("#000000", "#3C3C3C", "#5A5A5A", "#6E6E6E", "#7C7C7C", "#888888", "#929292", "#9A9A9A")
_KINDS = {
    "avoided": ("dotted", "two eigenvalues come close (avoided crossing)"),
    "true": ("solid", "two eigenvalues change places (true crossing)"),
}


def eigenvalues(
    traces: Traces,
    *,
    values: Literal["share", "normalized", "variance"] = "share",
    crossings: bool | Literal["shown"] | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    legend: bool = True,
) -> Axes:
    """Eigenvalues λᵢ of K(s) against s, with dotted lines where two of them come close.

    Above each line stands which two and at which s. Two eigenvalues come close where the smallest
    gap between them is below 0.3 times the larger one. A solid line is a true crossing: the two
    change places. Of many crossings the closest are called by name.

    Parameters
    ----------
    traces : FactorTraces, WeightTraces, fitted UAPCA or UncertainArray
        From `uapca.factor_traces`, or what it takes. With weight traces the axis is the weight.
    values : {"share", "normalized", "variance"}, default="share"
        λᵢ as a share of the total variance at that s; divided by (1 + s)², which is finite at
        s = ∞ too; or as they are, which leaves out s = ∞.
    crossings : bool or "shown", optional
        Mark all crossings, none, or those that change what is shown. With more than eight
        eigenvalues True marks those of the darker curves. By default True, but False with more
        than 50 eigenvalues, where looking for crossings takes long; the legend then says so.
    ax, title, figsize, legend
        As in `projection`.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import uapca
    >>> traces = uapca.factor_traces(uapca.datasets.make_crossings())
    >>> ax = uapca.plot.eigenvalues(traces)
    >>> [text.get_text() for text in ax.texts if text.get_gid() == "crossing"]
    ['λ₁, λ₂\\ns = 0.369', 'λ₂, λ₃\\ns = 0.538']
    """
    checked_choice(values, ("share", "normalized", "variance"), "values")
    checked_choice(crossings, (None, True, False, "shown"), "crossings")
    followed = traces_of(traces)
    u, heights = followed.u, _heights(followed, values)
    seen = np.isfinite(heights).all(axis=1)
    if not seen.any():
        raise ValueError("values must be finite somewhere; 'variance' is not at an infinite scale")
    count = heights.shape[1]
    named = count if count <= CROWDED else CROWDED - 2
    with panel(ax, figsize=figsize, title=title, legend=legend, ratio=0.62) as made:
        for i in range(count)[::-1]:
            color = TONES[i] if i < named else LIGHT
            dash = LINESTYLES[DASHES[i % 4]] if i < named else "-"
            wide = made.line * (1.0 if i < named else 0.7)
            gid = f"λ{i + 1}"
            made.ax.plot(
                u[seen],
                heights[seen, i],
                color=drawn_color(color),
                linestyle=dash,
                linewidth=wide,
                gid=gid,
            )
        top = 1.06 * float(heights[seen].max()) or 1.0
        made.ax.set(xlim=(0.0, 1.0), ylim=(0.0, top))
        _name_curves(made, float(u[seen][-1]), heights[seen][-1], named)
        if crossings or (crossings is None and count <= SOUGHT):
            _draw_crossings(made, followed, crossings == "shown", named)
        elif crossings is None:
            made.note("crossings are not marked")
        if isinstance(followed, FactorTraces):
            made.ax.set_xticks(*zip(*TICKS, strict=True))
            made.axis_names("scale s of the uncertainty")
        else:
            who = "the row" if len(followed.rows) == 1 else f"{len(followed.rows)} rows"
            made.axis_names(f"weight of {who}")
        made.axis_names(y=_LABELS[values])
    return made.drawn


def _heights(traces: FactorTraces | WeightTraces, values: str) -> Floats:
    if isinstance(traces, WeightTraces):
        normalized = traces.eigenvalues
    else:
        normalized = traces.normalized_eigenvalues
    if values == "variance":
        return traces.eigenvalues
    if values == "normalized":
        return normalized
    total = normalized.sum(axis=1, keepdims=True)
    return normalized / np.where(total > 0, total, 1.0)


def _name_curves(made: Panel, end: float, heights: Floats, named: int) -> None:
    """λ₁, λ₂ … where the curves end, one below the other; the grey ones together."""
    from uapca.plot.placing import EdgeLabels

    texts = [f"λ{subscript(i + 1)}" for i in range(named)]
    at = [float(height) for height in heights[:named]]
    if named < len(heights):
        texts.append(f"λ{subscript(named + 1)} … λ{subscript(len(heights))}")
        at.append(float(heights[named:].mean()))
    made_texts = [
        made.ax.text(
            end + 0.015,
            height,
            text,
            va="center",
            color=drawn_color(TONES[i] if i < min(named, 4) else GREY),
            gid="eigenvalue",
        )
        for i, (text, height) in enumerate(zip(texts, at, strict=True))
    ]
    made.ax.add_artist(EdgeLabels("right", made_texts[::-1]))  # of equal ones the first on top


def _draw_crossings(
    made: Panel, traces: FactorTraces | WeightTraces, only_shown: bool, named: int
) -> None:
    """A line through each closest approach, and above the panel where it is."""
    from uapca.plot.placing import EdgeLabels

    met = [
        crossing
        for crossing in traces.crossings
        if crossing.pair[0] < named
        and (crossing.kind == "true" or crossing.relative_gap < CLOSE)
        and (crossing.touches or not only_shown)
    ]
    for crossing in met:
        dash, text = _KINDS[crossing.kind]
        style: dict[str, Any] = {
            "color": GREY,
            "linestyle": LINESTYLES[dash],
            "linewidth": 0.9 * made.line,
        }
        made.ax.axvline(crossing.u, gid="crossing", zorder=1, **style)
        if text not in {handle.get_label() for handle in made.entries}:
            made.stroke(text, GREY, dash, linewidth=0.9 * made.line)
    closest = sorted(met, key=lambda crossing: crossing.relative_gap)[:NAMED]
    closest.sort(key=lambda crossing: crossing.u)
    texts = []
    for crossing in closest:
        first, second = crossing.pair
        where = scale_text(crossing.scale) if isinstance(crossing, Crossing) else number(crossing.u)
        words = f"λ{subscript(first + 1)}, λ{subscript(second + 1)}\n{where}"
        texts.append(
            made.ax.text(
                crossing.u,
                1.01,
                words,
                transform=made.ax.get_xaxis_transform(),
                ha="center",
                va="bottom",
                color=GREY,
                fontsize="small",
                gid="crossing",
            )
        )
    if texts:
        made.ax.add_artist(EdgeLabels("top", texts))
        made.title_pad = 3.2 * texts[0].get_fontsize()
