"""Clouds of scores: what the projection would be if the rows were known, many times over."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from uapca._validation import complaint
from uapca.laws import Samples
from uapca.stability.simulation import Simulation
from uapca.uncertain import UncertainArray
from uapca.views.bounds import bounds, height_for
from uapca.views.given import chosen_pair
from uapca.views.legends import legend_columns, legend_lines
from uapca.views.palette import GREY, INK
from uapca.views.rows.colours import Colouring, Palette, colouring
from uapca.views.rows.marks import checked_levels, row_marks
from uapca.views.scene import Axis, Floats, Ink, LegendEntry, Mark, Markers, Panel
from uapca.views.text import percent

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
) -> Panel:
    """Clouds of each row's scores over the draws, every draw on components of its own.

    Where a cloud is much wider than the closed form, the components themselves are unsure.

    Parameters
    ----------
    sim : Simulation
        From `uapca.simulate`, with its scores.
    X : UncertainArray of shape (N, D), optional
        The rows that were drawn: adds their names, and dashed what `projection` shows, the closed
        form on fixed components.
    components : pair of int, default=(0, 1)
    levels : float or sequence of float, default=0.95
        The share of each row's draws that its contours hold.
    draws : int, default=300
        How many draws of each row are shown as dots; the contours are of all.
    groups, palette, labels
        As in `projection`.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.datasets.load_students()
    >>> panel = uapca.plot.simulation.scene(uapca.simulate(X, 200, rng=0), X, draws=50)
    >>> [(mark.key, len(mark.points)) for mark in panel.of(role="draws")][:2]
    [('Tom', 50), ('David', 50)]
    """
    scores, chosen = _checked(sim, components, draws)
    count, n = scores.shape[:2]
    names = None if X is None else X.names
    closed = None if X is None else _closed_form(sim, X, chosen, n)
    held = checked_levels(levels, n)
    colours = colouring(names, n, groups, palette)
    every = np.unique(np.linspace(0, count - 1, min(draws, count)).astype(int))
    clouds = _clouds(scores, names)
    made = row_marks(clouds, held, _light(colours), labels=labels, means=True)
    marks: list[Mark] = [*_dots(scores[every], colours), *made.marks]
    entries = [LegendEntry(text="draws", ink=_dot_ink(GREY), kind="marker")]
    text = f"{' and '.join(map(percent, held))} of each row's draws"
    entries.append(LegendEntry(text=text, ink=Ink(color=GREY)))
    if closed is not None:
        marks += _dashed(row_marks(closed, held, colours, labels=False, means=False).marks)
        entries.append(LegendEntry(text="closed form", ink=_dash_ink(held[-1] == held[0])))
    legend = (*colours.entries, *entries)
    everything = (*marks, *made.labels)
    return Panel(
        marks=everything,
        x=Axis(label=f"PC{chosen[0] + 1} of each draw"),
        y=Axis(label=f"PC{chosen[1] + 1} of each draw"),
        legend=legend,
        legend_columns=legend_columns(legend),
        equal=True,
        height=height_for(bounds(everything), legend_lines(legend)),
    )


def _checked(sim: Simulation, components: Any, draws: int) -> tuple[Floats, tuple[int, ...]]:
    if not isinstance(sim, Simulation):
        raise TypeError(
            complaint(
                "sim",
                "be a Simulation",
                f"got {type(sim).__name__}",
                "Pass uapca.simulate(X, 1000)",
            )
        )
    if sim.scores is None:
        raise ValueError(
            complaint(
                "sim",
                "have kept its scores",
                "the simulation left them out",
                "Simulate with scores=True",
            )
        )
    chosen = chosen_pair(components, sim.scores.shape[2])
    if not isinstance(draws, int | np.integer) or draws < 0:
        raise ValueError(
            complaint(
                "draws", "be an integer of at least 0", f"got {draws!r}", "0 shows contours only"
            )
        )
    return sim.scores[:, :, list(chosen)], chosen


def _clouds(scores: Floats, names: tuple[str, ...] | None) -> UncertainArray:
    """Each row's draws as a law of its own."""
    laws = [Samples(scores[:, i]) for i in range(scores.shape[1])]
    mean, cov = (np.stack([getattr(law, field) for law in laws]) for field in ("mean", "cov"))
    return UncertainArray(mean, cov, names=names, laws=laws, check=False)


def _closed_form(
    sim: Simulation, X: UncertainArray, chosen: tuple[int, ...], n: int
) -> UncertainArray:
    d = sim.reference.shape[1]
    if X.shape != (n, d):
        raise ValueError(
            complaint(
                "X",
                f"be the {n} rows of {d} features that were drawn",
                f"got {X.shape[0]} rows of {X.shape[1]}",
                "Pass what was given to uapca.simulate",
            )
        )
    axes = sim.reference[list(chosen)]
    centre = X.weights @ X.mean
    return X.affine(axes, -axes @ centre)


def _dots(scores: Floats, colours: Colouring) -> list[Mark]:
    return [
        Markers(
            role="draws",
            key=colours.keys[i],
            points=scores[:, i],
            size=0.3,
            ink=_dot_ink(colours.inks[i].color),
            layer=1,
        )
        for i in range(scores.shape[1])
    ]


def _dot_ink(color: str | None) -> Ink:
    return Ink(color=color, fill=color, opacity=0.35, width=0.0)


def _light(colours: Colouring) -> Colouring:
    """Contours without a filling: the dots fill them."""
    return replace(colours, inks=tuple(replace(ink, fill=None) for ink in colours.inks))


def _dash_ink(single: bool) -> Ink:
    return Ink(color=INK, dash="dashed", width=0.8 if single else 0.6)


def _dashed(marks: list[Mark]) -> list[Mark]:
    dashed = _dash_ink(True)
    return [
        replace(mark, role="closed form", ink=replace(dashed, fill=None), layer=3) for mark in marks
    ]
