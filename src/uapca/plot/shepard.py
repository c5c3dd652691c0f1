"""Distances in the projection against distances in the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from uapca.plot.base import Data, Fit, chosen_components, data_of, panel
from uapca.plot.labels import percent, scale_text
from uapca.plot.style import GREY, OKABE_ITO, Floats
from uapca.uncertain import UncertainArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["shepard"]

PAIRS = 20_000  # more pairs of rows than this are a random choice of so many


def shepard(
    pca: Fit,
    X: Data,
    *,
    components: Any = (0, 1),
    ax: Axes | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    legend: bool = True,
) -> Axes:
    """How well distances between rows survive the projection (a Shepard diagram).

    Each point is a pair of rows: the root of their expected squared distance in the data, and in
    the components shown. For independent rows E‖x − y‖² = ‖mₓ − m_y‖² + tr Ψₓ + tr Ψ_y. No point
    lies above the diagonal, and those on it are pairs whose distance the picture shows fully.

    Parameters
    ----------
    pca : fitted UAPCA, or a Pipeline that ends in one
    X : UncertainArray of shape (N, D), or points
    components : int or sequence of int, default=(0, 1)
    ax, title, figsize, legend
        As in `projection`.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import uapca
    >>> X = uapca.datasets.load_students()
    >>> uapca.plot.shepard(uapca.UAPCA(2).fit(X), X).get_xlabel()
    'expected distance in the data'
    """
    fit, data = data_of(pca, X)
    q = fit.n_components_
    if q == 1 and np.array_equal(components, (0, 1)):
        components = 0
    chosen = list(chosen_components(components, q, 1, q))
    if len(data) < 2:
        raise ValueError("X must have at least 2 rows, between which there is a distance; got 1")
    n = len(data)
    first, second = np.triu_indices(n, 1) if n <= 2000 else _random_pairs(n)
    total = n * (n - 1) // 2
    if len(first) > PAIRS:
        some = np.random.default_rng(0).choice(len(first), PAIRS, replace=False)
        first, second = first[some], second[some]
    whole = _distances(data, first, second)
    seen = _distances(fit.transform(data)[:, chosen], first, second)
    with panel(
        ax,
        figsize=figsize,
        title=scale_text(float(fit.scale)) if title is None else title,
        legend=legend,
        ratio=0.9,
    ) as made:
        many = len(first) > 500
        top = 1.05 * float(whole.max()) or 1.0
        made.ax.plot([0, top], [0, top], color=GREY, linestyle="--", linewidth=0.9 * made.line)
        if many:
            grid = made.ax.hexbin(
                whole, seen, gridsize=40, bins="log", cmap="Greys", mincnt=1, linewidths=0.1
            )
            grid.set_rasterized(True)
            made.area("pairs of rows, the more the darker", GREY, 0.6, edge=False)
        else:
            made.ax.scatter(
                whole, seen, s=(0.6 * made.marker) ** 2, color=OKABE_ITO[0], alpha=0.6, linewidths=0
            )
            made.dot("a pair of rows", markerfacecolor=OKABE_ITO[0], markeredgecolor="none")
        share = float(np.square(seen).sum() / max(np.square(whole).sum(), 1e-300))
        made.stroke(f"all of the distance; {percent(share)} of its square is shown", GREY, "dashed")
        if len(first) < total:
            made.note(f"{len(first):,} of {total:,} pairs, chosen at random")
        made.ax.set(xlim=(0.0, top), ylim=(0.0, top))
        which = " and ".join(f"PC{i + 1}" for i in chosen) if len(chosen) < 4 else "the picture"
        made.axis_names("expected distance in the data", f"expected distance in {which}")
    return made.drawn


def _random_pairs(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    first, step = rng.integers(0, n, PAIRS), rng.integers(1, n, PAIRS)
    return first, (first + step) % n


def _distances(rows: UncertainArray, first: Any, second: Any) -> Floats:
    """The roots of expected squared distances between pairs of rows."""
    means = np.asarray(rows.mean, dtype=np.float64)
    traces = np.asarray(rows.cov.diagonal(), dtype=np.float64).sum(axis=1)
    apart = np.square(means[first] - means[second]).sum(axis=1)
    return np.asarray(np.sqrt(apart + traces[first] + traces[second]))
