"""The traces growing beside the projected distributions turning (paper, Fig. "progression")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from scipy.stats import rayleigh

from uapca._looks import DASHES, GREY, SHAPES, TONES, Look, RowLooks, is_normal, looks
from uapca._validation import probability
from uapca.plot.base import (
    Data,
    Fit,
    Panel,
    chosen_components,
    cycle_colors,
    data_of,
    grid,
    joint_legend,
    positions,
    with_matrices,
)
from uapca.plot.factor_traces import Course, course_of, draw_traces, longest
from uapca.plot.labels import distinct, percent, scale_text
from uapca.plot.rows import MANY, NAMED, as_if_normal, draw_rows
from uapca.sensitivity import FactorTraces
from uapca.sensitivity import factor_traces as follow
from uapca.uncertain import UncertainArray

__all__ = ["progression"]

SHORT = 8  # letters of a feature's name that there is room for in a small panel


def progression(
    pca: Fit,
    X: Data,
    scales: npt.ArrayLike = (0.0, 0.5, 1.0, np.inf),
    *,
    components: Any = (0, 1),
    level: float = 0.95,
    highlight: Any = None,
    mirrored: bool = True,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    legend: bool = True,
) -> Figure:
    """Factor traces up to some scales, above the rows as projected there.

    The rows themselves are the same everywhere: s is how much their uncertainty counts in the
    choice of the components, and the picture turns as it grows. Features have colors; rows are
    gray and told apart by their shapes.

    Parameters
    ----------
    pca : fitted UAPCA, or a Pipeline that ends in one
        Its scale does not matter: all scales are shown.
    X : UncertainArray of shape (N, D)
        The data of the fit.
    scales : array-like of shape (S,), default=(0, 0.5, 1, inf)
        Rising; one column of the figure for each.
    components : pair of int, default=(0, 1)
    level : float, default=0.95
        The probability inside each ellipse. They are those of the normal with the row's mean and
        covariance, whatever its law; the legend says so where the two differ.
    highlight : names or positions of features, optional
        Features in color, as in `factor_traces`.
    mirrored : bool, default=True
        Whether to draw the mirror images of the traces.
    title, figsize, legend
        As in `projection`.

    Returns
    -------
    matplotlib.figure.Figure

    See Also
    --------
    uapca.plot.factor_traces : The features as the uncertainty counts more.
    uapca.plot.animation : The progression as a film.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.datasets.make_progression()
    >>> figure = uapca.plot.progression(uapca.UAPCA(2).fit(X), X)
    >>> [ax.get_title() for ax in figure.axes[:4]]
    ['s = 0', 's = 0.5', 's = 1', 's → ∞']
    """
    steps = np.atleast_1d(np.asarray(scales, dtype=np.float64))
    if steps.ndim != 1 or not (steps >= 0).all() or not (np.diff(steps) > 0).all():
        raise ValueError(f"scales must be rising numbers from 0 to infinity; got {scales!r}")
    plan = turning(pca, X, components, level, highlight, mirrored, steps)
    with grid(2, len(steps), title=title or "", figsize=figsize) as (figure, axes):
        for k, s in enumerate(steps.tolist()):
            u = 1.0 if np.isinf(s) else s / (1.0 + s)
            above, below = Panel(axes[0, k]), Panel(axes[1, k])
            plan.draw_traces(above, u, size=0.8, direct=True)
            above.words(*(f"PC{i + 1}" for i in plan.pair))
            above.words(title=scale_text(s))
            plan.draw_rows(below, u)
        # The last column has everything.
        joint_legend(figure, [axes[0, -1], axes[1, 0]] if legend else [])
    return figure


@dataclass(frozen=True, slots=True, eq=False)
class Turning:
    """Everything that stays the same from one scale to the next.

    Attributes
    ----------
    data : UncertainArray
        In the units of the fit.
    traces : FactorTraces
    pair : list of int
        The two components shown.
    shown : list of int
        The features in color.
    level : float
        The probability inside the ellipses.
    reach : float
        Half the width of the picture of the rows, the same at every scale.
    mirrored : bool
    """

    data: UncertainArray
    traces: FactorTraces
    pair: list[int]
    shown: list[int]
    level: float
    reach: float
    mirrored: bool

    def course(self, u: float) -> Course:
        """The traces up to u."""
        return course_of(self.traces, self.pair, until=u)

    def rows(self, course: Course) -> UncertainArray:
        """The rows as they are projected at a course's end."""
        axes = np.ascontiguousarray(course.points[-1].T)
        return self.data.affine(axes, -axes @ (self.data.weights @ self.data.mean))

    def draw_traces(self, made: Panel, u: float, size: float, direct: bool) -> None:
        """The traces up to u, with a line from the center to where each feature is now.

        Names stand in the picture, if they are short and so wanted, or else in the legend.
        """
        course, names = self.course(u), self.traces.features
        own = looks(len(names), cycle_colors())
        direct = direct and max((len(names[j]) for j in self.shown), default=0) <= SHORT
        style: dict[str, Any] = {"mirrored": self.mirrored, "size": size, "labels": direct}
        draw_traces(made, course, names, self.shown, **style)
        for j, text in zip(self.shown, distinct([names[j] for j in self.shown], 40), strict=True):
            if not direct:
                made.key(text, own[j].color, own[j].dash)
            ends = np.stack([np.zeros(2), course.points[-1, j]])
            made.ax.plot(*ends.T, color=GREY, linewidth=0.5 * made.line, zorder=3, gid="now")

    def draw_rows(self, made: Panel, u: float) -> None:
        """Ellipses of the rows, and a legend that calls them by their shapes."""
        rows, n, laws = self.rows(self.course(u)), len(self.data), self.data.laws
        keys = self.data.names or tuple(map(str, range(n)))
        gray = [Look(GREY, GREY)] * n
        if n <= NAMED:
            tones = [TONES[i % 3 * 3] for i in range(n)]
            gray = [Look(t, t, DASHES[i // 3 % 4], SHAPES[i % 7]) for i, t in enumerate(tones)]
        row_looks, many = RowLooks(keys, tuple(gray)), n > MANY
        style: dict[str, Any] = {"kind": "density" if many else "ellipse", "legend": many}
        made.cross()
        draw_rows(made, rows, row_looks, (self.level,), labels=False, **style)
        if self.data.names is not None and n <= NAMED:
            for text, look in zip(distinct(keys, 18), gray, strict=True):
                made.dot(text, look)
        if not many:
            whose = f"each row{as_if_normal([None] if laws is None else laws)}"
            if laws is not None and not all(map(is_normal, laws)):
                whose = "the normal with each row's moments"
            made.area(f"{percent(self.level)} of {whose}", GREY, 0.14)
        fit = self.traces.at(np.inf if u == 1.0 else u / (1.0 - u))
        shares = [f" ({percent(float(share))})" for share in fit.explained_variance_ratio_]
        shares += [""] * len(self.traces.features)  # certain rows may have fewer components
        made.words(*(f"PC{i + 1}{shares[i]}" for i in self.pair))
        limits = (-self.reach, self.reach)
        made.ax.set(xlim=limits, ylim=limits)
        made.ax.set_aspect("equal", adjustable="box")


def turning(
    pca: Fit,
    X: Data,
    components: Any = (0, 1),
    level: float = 0.95,
    highlight: Any = None,
    mirrored: bool = True,
    scales: Any = (),
) -> Turning:
    """The data and its traces, with `scales` on their grid and room for the rows at every scale."""
    fit, data = data_of(pca, X)
    probability(level)
    if data.shape[1] < 2:
        raise ValueError("X must have at least 2 features; a single axis has nowhere to turn")
    pair = chosen_components(components, data.shape[1], 2)
    fit, q = with_matrices(fit, data), max(*pair, 1) + 1
    traces = follow(fit, q)
    traces = follow(fit, q, np.union1d(traces.scales, scales))
    whole = course_of(traces, pair)
    shown = longest(whole)
    if highlight is not None:
        shown = positions(highlight, traces.features, "highlight")
    return Turning(data, traces, pair, shown, level, _reach(data, whole, level), mirrored)


def _reach(data: UncertainArray, course: Course, level: float) -> float:
    """Half the width that holds every ellipse at every scale, with a little room."""
    radius, reach = rayleigh.ppf(level), 0.0
    center = data.weights @ data.mean
    every = np.linspace(0, len(course.u) - 1, min(len(course.u), 80)).round().astype(int)
    for place in course.points[np.unique(every)]:
        axes = np.ascontiguousarray(place.T)
        variances = np.asarray(data.cov.project(axes).diagonal(), dtype=np.float64)
        deviations = np.sqrt(np.maximum(variances, 0.0))
        ends = np.abs((data.mean - center) @ axes.T) + radius * deviations
        reach = max(reach, float(ends.max()))
    return 1.06 * reach if reach > 0 else 1.0
