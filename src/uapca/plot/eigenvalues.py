"""Eigenvalues against s on the hyperbolic axis, with the crossings (paper, Fig. "eigenvalues")."""

from __future__ import annotations

from typing import Literal

import numpy as np
from matplotlib.axes import Axes

from uapca._looks import DASHES, GREY, LIGHT, TONES
from uapca._validation import Doubles, check_choice
from uapca.plot.base import LINESTYLES, Panel, panel
from uapca.plot.factor_traces import Traces, bounded_eigenvalues, traces_of
from uapca.plot.labels import drawn_color, number, scale_text, subscript
from uapca.sensitivity import Crossing, FactorTraces, WeightTraces

__all__ = ["eigenvalues"]

_LABELS = {
    "share": "share of the variance",
    "normalized": "eigenvalue of K(s) / (1 + s)²",
    "variance": "eigenvalue of K(s)",
}
CROWDED = 8  # more curves than this are not told apart; the others go on in gray
SOUGHT = 50  # crossings of more eigenvalues than this are only looked for where asked
NAMED = 6  # crossings at most
CLOSE = 0.3  # a smallest gap, relative to the eigenvalue, below which two avoid each other
TICKS = ((0.0, "0"), (1 / 3, "½"), (0.5, "1"), (2 / 3, "2"), (1.0, "∞"))
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
    change places. Of many crossings the six closest are marked.

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

    See Also
    --------
    uapca.factor_traces : The features in the picture as the uncertainty counts more.
    uapca.plot.factor_traces : The features as the uncertainty counts more.

    Examples
    --------
    >>> import uapca
    >>> traces = uapca.factor_traces(uapca.datasets.make_crossings())
    >>> ax = uapca.plot.eigenvalues(traces)
    >>> [text.get_text() for text in ax.texts if text.get_gid() == "crossing"]
    ['λ₁, λ₂\\ns = 0.369', 'λ₂, λ₃\\ns = 0.538']
    """
    check_choice(values, ("share", "normalized", "variance"), "values")
    check_choice(crossings, (None, True, False, "shown"), "crossings")
    followed = traces_of(traces)
    heights = _heights(followed, values)
    seen = np.isfinite(heights).all(axis=1)
    if not seen.any():
        raise ValueError("values must be finite somewhere; 'variance' is not at an infinite scale")
    u, heights = followed.u[seen], heights[seen]
    count = heights.shape[1]
    named = count if count <= CROWDED else CROWDED - 2
    with panel(ax, title, figsize, legend, ratio=0.55) as made:
        for i in range(count)[::-1]:
            style = {"color": LIGHT, "linewidth": 0.7 * made.line}
            if i < named:
                style = {"color": drawn_color(TONES[i]), "linestyle": LINESTYLES[DASHES[i % 4]]}
                made.lines.append(np.column_stack([u, heights[:, i]]))
            made.ax.plot(u, heights[:, i], gid=f"λ{i + 1}", **style)
        made.ax.set(xlim=(0.0, 1.0), ylim=(0.0, 1.06 * float(heights.max()) or 1.0))
        _name_curves(made, u, heights, named)
        if crossings or (crossings is None and count <= SOUGHT):
            _draw_crossings(made, followed, crossings == "shown", named)
        elif crossings is None:
            made.key("crossings are not marked", linestyle="none")
        if isinstance(followed, FactorTraces):
            made.ax.set_xticks(*zip(*TICKS, strict=True))
            made.words("scale s of the uncertainty")
        else:
            who = "the row" if len(followed.rows) == 1 else f"{len(followed.rows)} rows"
            made.words(f"weight of {who}")
        made.words(y=_LABELS[values])
    return made.drawn


def _heights(traces: FactorTraces | WeightTraces, values: str) -> Doubles:
    if values == "variance":
        return traces.eigenvalues
    normalized = bounded_eigenvalues(traces)
    if values == "normalized":
        return normalized
    total = normalized.sum(axis=1, keepdims=True)
    # A share of nothing, as of one row at s = 0, is left out.
    return normalized / np.where(total > 0, total, np.nan if total.any() else 1.0)


def _name_curves(made: Panel, u: Doubles, heights: Doubles, named: int) -> None:
    """λ₁, λ₂ … on the curves, one after the other, where each is far from its neighbors."""
    texts, curves = [f"λ{subscript(i + 1)}" for i in range(named)], heights[:, :named]
    if named < heights.shape[1]:
        texts.append(f"λ{subscript(named + 1)} … λ{subscript(heights.shape[1])}")
        curves = np.column_stack([curves, heights[:, named:].mean(axis=1)])
    far = np.full((len(u), 1), np.inf)
    gaps = np.column_stack([far, curves[:, :-1] - curves[:, 1:], far])
    free = np.minimum(gaps[:, :-1], gaps[:, 1:])
    free[(u < 0.04) | (u > 0.96)] = -1.0  # inside the axes
    taken = np.zeros(len(u))
    for i, (text, line, room) in enumerate(zip(texts, curves.T, free.T, strict=True)):
        k = int(np.argmin(np.abs(u - 0.07 * (i + 1)) + taken + 9.0 * (room < 0.8 * room.max())))
        taken += np.abs(u - u[k]) < 0.07
        made.label(text, (u[k], line[k]), wish=None, gid="eigenvalue")


def _draw_crossings(
    made: Panel, traces: FactorTraces | WeightTraces, only_shown: bool, named: int
) -> None:
    """A line through each closest approach, and beside it which two and where."""
    met = [
        crossing
        for crossing in traces.crossings
        if crossing.pair[0] < named
        and (crossing.kind == "true" or crossing.relative_gap < CLOSE)
        and (crossing.touches or not only_shown)
    ]
    top = made.ax.get_ylim()[1]
    closest = sorted(met, key=lambda crossing: crossing.relative_gap)[:NAMED]
    for crossing in sorted(closest, key=lambda crossing: crossing.u):
        dash, text = _KINDS[crossing.kind]
        style = {"linestyle": LINESTYLES[dash], "linewidth": 0.9 * made.line}
        made.ax.axvline(crossing.u, gid="crossing", color=GREY, zorder=1, **style)
        made.key(text, GREY, dash, linewidth=0.9 * made.line)
        made.lines.append([(crossing.u, y) for y in np.linspace(0.0, top, 60)])
        first, second = crossing.pair
        where = scale_text(crossing.scale) if isinstance(crossing, Crossing) else number(crossing.u)
        words = f"λ{subscript(first + 1)}, λ{subscript(second + 1)}\n{where}"
        at, style = (crossing.u, 0.9 * top), {"fontsize": "small", "gid": "crossing"}
        made.label(words, at, GREY, wish=(1.0, 0.0), **style)
    if len(met) > NAMED:
        made.key(f"the {NAMED} closest of {len(met)}", linestyle="none")
