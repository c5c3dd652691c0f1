"""Laws of one number as probabilities at rising places, dense where the mass is.

However far the tails reach and however sharp a pole is, steps of probability follow them, where
evenly spaced points or frequencies would not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from uapca._validation import Floats
from uapca.laws.marginal import Marginal

__all__ = [
    "TAIL",
    "Ladder",
    "Slopes",
    "cell_edges",
    "heights",
    "ladder_of",
    "ladder_sum",
    "spread_nodes",
    "whole",
]

#: Tail probability at which a ladder ends.
TAIL = 1e-9
#: Steps of a sum on a line, and of the part of it that is cut into strata.
STEPS, STRATA = 2000, 1200
#: Matrices of line densities are filled in pieces of about this many entries.
PIECE = 1 << 21


class Ladder(NamedTuple):
    """Probabilities up to rising places; linear in between."""

    places: Floats
    held: Floats

    def __call__(self, x: Floats) -> Floats:
        return np.interp(x, self.places, self.held)

    def quantiles(self, probability: Floats) -> Floats:
        """The places up to which these probabilities lie."""
        return np.interp(probability, self.held, self.places)

    def thinned(self, count: int) -> Ladder:
        """With `count` steps, dense where the density is high.

        Half of them go with the cube root of the density, which makes the squared error of cells
        least and cuts far tails into long steps without leaving them whole; half go with the
        mass, as beside a pole.
        """
        width, mass = np.diff(self.places), np.maximum(np.diff(self.held), 0.0)
        with np.errstate(under="ignore"):
            pace = np.cbrt(mass * width * width)
        along = np.concatenate([[0.0], np.cumsum(pace / pace.sum() + mass / mass.sum())])
        places = np.interp(np.linspace(0, along[-1], count + 1), along, self.places)
        places = np.unique(places)
        return Ladder(places, self(places))


class Slopes:
    """The density of a ladder, linear between the middles of its steps."""

    wrong = 0.0

    def __init__(self, ladder: Ladder) -> None:
        width = np.diff(ladder.places)
        self.middles = ladder.places[:-1] + 0.5 * width
        self.values = np.diff(ladder.held) / width

    def __call__(self, x: Floats) -> Floats:
        return np.interp(x, self.middles, self.values, left=0.0, right=0.0)


def ladder_of(marginal: Marginal) -> Ladder:
    """Probabilities of a marginal's deviations from its mean."""
    tails = np.geomspace(TAIL, 1e-2, 160)
    levels = np.concatenate([tails, np.linspace(1e-2, 0.99, 1200)[1:-1], 1 - tails[::-1]])
    low, high = marginal.ppf(np.array([TAIL, 1 - TAIL]))
    even = np.linspace(low, high, 400)
    places = np.unique(np.concatenate([marginal.ppf(levels), even]))
    places = places[np.isfinite(places)]
    held = np.asarray(marginal.cdf(places), dtype=np.float64)
    # About its mean a pole may be too sharp for rounding: what coincides is held at once.
    places, first = np.unique((places - marginal.mean)[::-1], return_index=True)
    held = held[::-1][first]
    places = np.concatenate([[np.nextafter(places[0], -np.inf)], places])
    return Ladder(places, whole(np.concatenate([[0.0], held])))


def ladder_sum(ladders: Sequence[Ladder]) -> Ladder:
    """The law of a sum of independent ladders, one after the other cut into strata."""
    # The flattest first: what is cut into strata should be sharper than what is moved.
    total, *others = sorted(ladders, key=lambda ladder: float(np.max(Slopes(ladder).values)))
    for ladder in others:
        strata = ladder.thinned(STRATA)
        mass, widths = np.diff(strata.held), np.diff(strata.places)
        nodes = spread_nodes(total, strata.places[:-1] + 0.5 * widths, mass, STEPS)
        held = np.empty(len(nodes))
        step = max(1, PIECE // len(strata.places))
        for start in range(0, len(nodes), step):
            rows = slice(start, start + step)
            held[rows] = _averages(total, nodes[rows], strata.places) @ mass
        total = Ladder(nodes, whole(held))
    return total


def _averages(ladder: Ladder, x: Floats, edges: Floats) -> Floats:
    """The ladder at x − t, averaged over t between neighbouring edges; shape (len(x), cells)."""
    width, rise = np.diff(ladder.places), np.diff(ladder.held)
    below = np.concatenate([[0.0], np.cumsum(width * (ladder.held[:-1] + 0.5 * rise))])
    moved = np.subtract.outer(x, edges)
    place = np.interp(moved, ladder.places, np.arange(float(len(ladder.places))))
    cell = np.minimum(place.astype(np.intp), len(width) - 1)
    share = place - cell
    # The integral of the ladder up to each point; beyond the last place it is 1.
    area = below[cell] + width[cell] * share * (ladder.held[cell] + 0.5 * rise[cell] * share)
    area += np.maximum(moved - ladder.places[-1], 0.0)
    length = np.diff(edges)
    short = length < 1e-9 * (edges[-1] - edges[0] + ladder.places[-1] - ladder.places[0])
    result = -np.diff(area, axis=1) / length
    # Where rounding would show, the value in the middle.
    result[:, short] = ladder(np.subtract.outer(x, (edges[:-1] + 0.5 * length)[short]))
    return np.asarray(result)


def spread_nodes(ladder: Ladder, places: Floats, mass: Floats, count: int) -> Floats:
    """Nodes that follow the sum of a ladder and an independent part with this mass at `places`."""
    order = np.argsort(places, kind="stable")
    places, mass = places[order], mass[order]
    # A few places that stand for all, each with the mass around it; more of them at the ends,
    # where little mass takes much room.
    angle = np.linspace(-np.pi / 2, np.pi / 2, min(96, 32 + count // 10))
    chosen = np.unique(((len(places) - 1) * (0.5 + 0.5 * np.sin(angle))).round().astype(int))
    held = np.add.reduceat(mass, chosen)
    few = np.add.reduceat(mass * places, chosen) / np.maximum(held, np.finfo(np.float64).tiny)
    few = np.where(held > 0, few, places[chosen])
    rungs = ladder.thinned(max(count // 10, 40, 4 * count // len(few))).places
    ends = [rungs[0] + places[0], rungs[-1] + places[-1]]
    spots = np.unique(np.concatenate([np.add.outer(rungs, few).ravel(), ends]))
    total = ladder(np.subtract.outer(spots, few)) @ held
    return Ladder(spots, whole(total)).thinned(count - 1).places


def heights(ladder: Ladder, nodes: Floats, places: Floats, widths: Floats) -> Floats:
    """Line densities around the nodes (m,) less the places (n,), shape (m, n).

    They are averaged over a stratum or a cell of the nodes, whichever is longer, so that neither
    shows and no mass falls between nodes.
    """
    edges = cell_edges(nodes)
    result = np.empty((len(nodes), len(places)))
    step = max(1, PIECE // len(places))
    for start in range(0, len(nodes), step):
        rows = slice(start, start + step)
        low, high = edges[:-1][rows, None], edges[1:][rows, None]
        if widths.any():
            low = np.minimum(low, np.subtract.outer(nodes[rows], widths / 2))
            high = np.maximum(high, np.add.outer(nodes[rows], widths / 2))
        result[rows] = (ladder(high - places) - ladder(low - places)) / (high - low)
    return result


def cell_edges(nodes: Floats) -> Floats:
    """Of the cells around nodes."""
    return np.concatenate([nodes[:1], 0.5 * (nodes[1:] + nodes[:-1]), nodes[-1:]])


def whole(held: Floats) -> Floats:
    """Probabilities that rise from 0 to 1."""
    rising = np.maximum.accumulate(held)
    return np.asarray((rising - rising[0]) / (rising[-1] - rising[0]))
