"""Clouds of scores: what the projection would be if the rows were known, many times over."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from uapca._looks import GREY, Look, Palette, RowLooks, row_looks
from uapca._validation import Doubles
from uapca.laws import Samples
from uapca.plot.base import chosen_components, cycle_colors, panel
from uapca.plot.labels import percent
from uapca.plot.rows import MANY, NUMBERED, Kind, draw_rows, explain_looks, row_levels
from uapca.stability import Simulation
from uapca.uncertain import UncertainArray

__all__ = ["simulation"]


def simulation(
    sim: Simulation,
    X: UncertainArray | None = None,
    *,
    components: Any = (0, 1),
    levels: Any = 0.95,
    draws: int = 300,
    groups: Any = None,
    palette: Palette = None,
    labels: bool | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    legend: bool = True,
) -> Axes:
    """Clouds of each row's scores over the draws, every draw on components of its own.

    Where a cloud is much wider than the closed form, the components themselves are unsure.

    Parameters
    ----------
    sim : Simulation
        From `uapca.simulate`, with its scores.
    X : UncertainArray of shape (N, D), optional
        The rows that were drawn: adds their names, and for up to 60 rows, dashed, what
        `projection` shows, the closed form on fixed components.
    components : pair of int, default=(0, 1)
    levels : float or sequence of float, default=0.95
        The share of each row's draws that its contours hold.
    draws : int, default=300
        How many draws of each row are shown as dots; the contours are of all.
    groups, palette, labels, ax, title, figsize, legend
        As in `projection`.

    Returns
    -------
    matplotlib.axes.Axes

    See Also
    --------
    uapca.simulate : The PCAs of redrawn data.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.datasets.load_students()
    >>> ax = uapca.plot.simulation(uapca.simulate(X, 200, rng=0), X, draws=50)
    >>> ax.get_xlabel()
    'PC1 of each draw'
    """
    if not isinstance(sim, Simulation):
        raise TypeError(f"sim must be what uapca.simulate returns; got {type(sim).__name__}")
    if sim.scores is None:
        raise ValueError("sim must have kept its scores: simulate with scores=True")
    pair = chosen_components(components, sim.scores.shape[2], 2)
    if not isinstance(draws, int | np.integer) or draws < 0:
        raise ValueError(f"draws must be an integer of at least 0; got {draws!r}")
    scores = np.asarray(sim.scores[:, :, pair], dtype=np.float64)
    count, n = scores.shape[:2]
    closed = None if X is None else _closed_form(sim, X, pair, n)
    held = row_levels(levels, n)
    clouds = _clouds(scores, None if X is None else X.names)
    looks = row_looks(clouds.names, n, groups, palette, colors=cycle_colors())
    with panel(ax, title, figsize, legend) as made:
        # Of many rows their density is shaded instead.
        shown = min(draws, count) if n <= MANY else 0
        every = np.unique(np.linspace(0, count - 1, shown).astype(int))
        made.ax.scatter(
            *scores[every].transpose(1, 0, 2).reshape(-1, 2).T,
            s=(0.3 * made.marker) ** 2,
            c=np.repeat([look.fill for look in looks.looks], len(every)),
            alpha=0.35,
            linewidths=0,
            zorder=1,
            rasterized=n * len(every) > 2000,
            gid="draws",
        )
        # Contours of more clouds than a few are one blot.
        kind: Kind = "contour" if n <= NUMBERED else "ellipse" if n <= MANY else "density"
        explain_looks(made, looks, np.zeros(n))
        draw_rows(made, clouds, looks, held, kind=kind, labels=labels, fill=False)
        for text in [text for text in made.entries if "row's" in text]:
            del made.entries[text]
        if n <= MANY:
            made.dot("draws", size=0.3)
            made.key(f"{' and '.join(map(percent, held))} of each row's draws", GREY)
        if closed is not None and n <= MANY:
            same = RowLooks(looks.keys, (Look("#000000", "#000000", "dashed"),) * n)
            draw_rows(made, closed, same, held, means=False, fill=False, legend=False)
            made.key("closed form", None, "dashed")
        made.words(*(f"PC{i + 1} of each draw" for i in pair))
        made.equal()
    return made.drawn


def _clouds(scores: Doubles, names: tuple[str, ...] | None) -> UncertainArray:
    """Each row's draws as a law of its own."""
    laws = [Samples(scores[:, i]) for i in range(scores.shape[1])]
    mean, cov = (np.stack([getattr(law, field) for law in laws]) for field in ("mean", "cov"))
    return UncertainArray(mean, cov, names=names, laws=laws, check=False)


def _closed_form(sim: Simulation, X: UncertainArray, pair: list[int], n: int) -> UncertainArray:
    d = sim.reference.shape[1]
    if X.shape != (n, d):
        raise ValueError(
            f"X must be the {n} rows of {d} features that were drawn; got {X.shape[0]} rows of "
            f"{X.shape[1]}"
        )
    axes = sim.reference[pair]
    return X.affine(axes, -axes @ (X.weights @ X.mean))
