"""Distances in the projection against distances in the data."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from uapca._looks import GREY, OKABE_ITO
from uapca._validation import Doubles
from uapca.plot.base import Data, Fit, chosen_components, data_of, panel, scores_of
from uapca.plot.labels import percent
from uapca.uncertain import UncertainArray

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

    See Also
    --------
    uapca.plot.cos2 : Which rows are shown well.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.datasets.load_students()
    >>> uapca.plot.shepard(uapca.UAPCA(2).fit(X), X).get_xlabel()
    'expected distance in the data'
    """
    fit, data = data_of(pca, X)
    chosen = chosen_components(components, fit.n_components_, 1, fit.n_components_)
    n = len(data)
    if n < 2:
        raise ValueError("X must have at least 2 rows, between which there is a distance; got 1")
    total = n * (n - 1) // 2
    first, second = np.triu_indices(n, 1) if total <= PAIRS else _random_pairs(n)
    whole = _distances(data, first, second)
    seen = _distances(scores_of(fit, data, chosen), first, second)
    with panel(ax, title, figsize, legend, fit, data, ratio=0.75) as made:
        top = 1.05 * float(whole.max()) or 1.0
        made.ax.plot([0, top], [0, top], color=GREY, linestyle="--", linewidth=0.9 * made.line)
        if len(first) > 500:
            style: dict[str, Any] = {"bins": "log", "cmap": "Greys", "linewidths": 0.1}
            made.ax.hexbin(whole, seen, gridsize=40, mincnt=1, rasterized=True, **style)
            made.area("pairs of rows, the more the darker", GREY, 0.6, edgecolor="none")
        else:
            style = {"color": OKABE_ITO[0], "alpha": 0.6, "linewidths": 0, "zorder": 3}
            size = made.marker * (0.6 if len(first) > 50 else 0.9)
            made.ax.scatter(whole, seen, s=size**2, **style)
            made.dot("a pair of rows", markerfacecolor=OKABE_ITO[0], markeredgecolor="none")
        share = float(np.square(seen).sum() / max(np.square(whole).sum(), 1e-300))
        made.key(f"all of the distance; {percent(share)} of its square is shown", GREY, "dashed")
        if len(first) < total:
            made.key(f"{len(first):,} of {total:,} pairs, chosen at random", linestyle="none")
        made.ax.set(xlim=(0.0, top), ylim=(0.0, top))
        which = " and ".join(f"PC{i + 1}" for i in chosen) if len(chosen) < 4 else "the picture"
        made.words("expected distance in the data", f"expected distance in {which}")
    return made.drawn


def _random_pairs(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    first, step = rng.integers(0, n, PAIRS), rng.integers(1, n, PAIRS)
    return first, (first + step) % n


def _distances(rows: UncertainArray, first: Any, second: Any) -> Doubles:
    """The roots of expected squared distances between pairs of rows."""
    means = np.asarray(rows.mean, dtype=np.float64)
    traces = np.asarray(rows.cov.diagonal(), dtype=np.float64).sum(axis=1)
    apart = np.square(means[first] - means[second]).sum(axis=1)
    return np.asarray(np.sqrt(apart + traces[first] + traces[second]))
