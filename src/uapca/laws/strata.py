"""The density in the plane of sums with skewed or heavy-tailed parts, by conditioning.

Given all parts but two, a law of the plane is a product of two line densities, moved. The other
part is cut into strata that follow its probability, however far its tails reach, and the law is
the mixture over all strata; two or more other parts are stood for by points that fill the cube of
their quantiles evenly. Along the two axes of the product the mixture is a product of two
matrices, so that hundreds of strata cost no more than a Fourier series, and nothing rings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from uapca._validation import Floats
from uapca.laws.levels import line_cells
from uapca.laws.lines import LineSum
from uapca.laws.marginal import Marginal

__all__ = ["Ladder", "Strata", "stratified"]

#: Nodes along each axis and strata of one conditioned part: usually, and where tails are heavy.
NODES, ONE = 208, 128
MANY_NODES, MANY = 640, 1536
#: Points that stand for two or more conditioned parts.
POINTS = 4096
#: Steps of the table of a line's probabilities, likewise.
STEPS, MANY_STEPS = 1024, 2048
#: Tail probability at which a table ends.
TAIL = 1e-9


class Ladder(NamedTuple):
    """Probabilities up to rising places; linear in between."""

    places: Floats
    held: Floats

    def __call__(self, x: Floats) -> Floats:
        return np.interp(x, self.places, self.held)

    def thinned(self, count: int) -> Ladder:
        """With `count` steps, dense where the density is high.

        Their density is the cube root of the law's, which makes the squared error of cells least:
        far tails are cut into long steps, but not left whole.
        """
        width, mass = np.diff(self.places), np.diff(self.held)
        with np.errstate(under="ignore"):
            pace = np.cbrt(np.maximum(mass, 0.0) * width * width)
        along = np.concatenate([[0.0], np.cumsum(pace)])
        places = np.interp(np.linspace(0, along[-1], count + 1), along, self.places)
        places = np.unique(places)
        return Ladder(places, self(places))


class Strata(NamedTuple):
    """Pieces of the conditioned parts.

    Attributes
    ----------
    places : ndarray of shape (2, n)
        Where the two coordinates are moved.
    widths : ndarray of shape (2, n)
        How long a piece is along each coordinate.
    mass : ndarray of shape (n,)
    """

    places: Floats
    widths: Floats
    mass: Floats

    def plus(self, places: Floats, widths: Floats, mass: Floats) -> Strata:
        """All sums with the pieces of an independent part."""
        moved = (self.places[:, :, None] + places[:, None, :]).reshape(2, -1)
        wide = np.hypot(self.widths[:, :, None], widths[:, None, :]).reshape(2, -1)
        return Strata(moved, wide, np.outer(self.mass, mass).ravel())


def ladder_of(marginal: Marginal) -> Ladder:
    """Probabilities of a marginal's deviations from its mean."""
    tails = np.geomspace(TAIL, 1e-2, 160)
    levels = np.concatenate([tails, np.linspace(1e-2, 0.99, 1200)[1:-1], 1 - tails[::-1]])
    low, high = marginal.ppf(np.array([TAIL, 1 - TAIL]))
    even = np.linspace(low, high, 400)
    places = np.unique(np.concatenate([marginal.ppf(levels), even]))
    places = places[np.isfinite(places)]
    held = np.asarray(marginal.cdf(places), dtype=np.float64)
    return Ladder(places - marginal.mean, _whole(held))


def line_ladder(line: LineSum) -> Ladder:
    """Probabilities of the deviations of a sum on a line."""
    if line.alone is not None:
        return ladder_of(line.alone)
    edges, values = line_cells(line.quick, 0.0, np.array(line.span()))
    return Ladder(edges, _whole(np.concatenate([[0.0], np.cumsum(values * np.diff(edges))])))


def stratified(
    lines: Sequence[LineSum],
    parts: Sequence[tuple[Floats, Marginal]],
    atoms: tuple[Floats, Floats],
    points: tuple[Floats, Floats],
    finely: bool,
) -> tuple[Floats, float]:
    """Density of two coordinates at `points` (u, v), and the mass by which it was divided.

    That mass is 1 but for parts too thin for the nodes.

    Parameters
    ----------
    lines : the law of each coordinate but for the conditioned parts
    parts : the conditioned ones, with how much they move the coordinates, shape (2,)
    atoms : places (2, n) and masses (n,) of a discrete part
    points : two arrays of one shape
    finely : whether tails are heavy, so that there is much to resolve
    """
    strata = Strata(atoms[0], np.zeros(atoms[0].shape), atoms[1])
    if len(parts) == 1:
        shares, marginal = parts[0]
        count = min(MANY if finely else ONE, max(POINTS // len(atoms[1]), 8))
        steps = ladder_of(marginal).thinned(count)
        width, mass = np.diff(steps.places), np.diff(steps.held)
        middle = 0.5 * (steps.places[1:] + steps.places[:-1])
        strata = strata.plus(np.outer(shares, middle), np.outer(np.abs(shares), width), mass)
    else:
        count = max(POINTS // len(atoms[1]), 64)
        places = np.zeros((2, count))
        for (shares, marginal), levels in zip(parts, _even(count, len(parts)), strict=True):
            places += np.outer(shares, marginal.ppf(levels) - marginal.mean)
        strata = strata.plus(places, np.zeros((2, count)), np.full(count, 1 / count))
    tables, nodes = [], []
    for line, places, widths in zip(lines, strata.places, strata.widths, strict=True):
        ladder = line_ladder(line)
        at = _nodes(ladder, places, strata.mass, MANY_NODES if finely else NODES)
        nodes.append(at)
        tables.append(_heights(ladder.thinned(MANY_STEPS if finely else STEPS), at, places, widths))
    density = (tables[0] * strata.mass) @ tables[1].T
    first, second = (np.diff(_edges(at)) for at in nodes)
    total = float(first @ density @ second)
    return _bilinear(density, nodes, points) / total, total


def _even(count: int, size: int) -> Floats:
    """Points that fill the unit cube of this size evenly, shape (size, count).

    Multiples of powers of the root of x^(size + 1) = x + 1, which generalizes the golden ratio.
    """
    root = 2.0
    for _ in range(64):
        root = (1 + root) ** (1 / (size + 1))
    pace = root ** -np.arange(1.0, size + 1)
    return np.asarray((0.5 + np.outer(pace, np.arange(count))) % 1.0).clip(TAIL, 1 - TAIL)


def _nodes(ladder: Ladder, places: Floats, mass: Floats, count: int) -> Floats:
    """Nodes of one coordinate that follow the density of the whole along it."""
    order = np.argsort(places, kind="stable")
    places, mass = places[order], mass[order]
    # A few places that stand for all, each with the mass around it.
    chosen = np.unique(np.linspace(0, len(places) - 1, 64).round().astype(int))
    held = np.add.reduceat(mass, chosen)
    few = np.add.reduceat(mass * places, chosen) / np.maximum(held, np.finfo(np.float64).tiny)
    few = np.where(held > 0, few, places[chosen])
    rungs = ladder.thinned(40).places
    ends = [rungs[0] + places[0], rungs[-1] + places[-1]]
    spots = np.unique(np.concatenate([np.add.outer(rungs, few[::2]).ravel(), ends]))
    total = ladder(np.subtract.outer(spots, few)) @ held
    return Ladder(spots, _whole(total)).thinned(count - 1).places


def _heights(ladder: Ladder, nodes: Floats, places: Floats, widths: Floats) -> Floats:
    """Line densities around the nodes (m,) less the places (n,), shape (m, n).

    They are averaged over a stratum or a cell of the nodes, whichever is longer, so that neither
    shows and no mass falls between nodes.
    """
    edges = _edges(nodes)
    if not widths.any():
        held = ladder(np.subtract.outer(edges, places))
        return np.asarray(np.diff(held, axis=0) / np.diff(edges)[:, None])
    low = np.minimum(edges[:-1, None], np.subtract.outer(nodes, widths / 2))
    high = np.maximum(edges[1:, None], np.add.outer(nodes, widths / 2))
    return np.asarray((ladder(high - places) - ladder(low - places)) / (high - low))


def _edges(nodes: Floats) -> Floats:
    """Of the cells around nodes."""
    return np.concatenate([nodes[:1], 0.5 * (nodes[1:] + nodes[:-1]), nodes[-1:]])


def _bilinear(values: Floats, nodes: list[Floats], points: tuple[Floats, Floats]) -> Floats:
    """Between the nodes linear along both axes, and zero beyond them."""
    inside = np.ones(points[0].shape, dtype=bool)
    cells, shares = [], []
    for at, x in zip(nodes, points, strict=True):
        inside &= (x >= at[0]) & (x <= at[-1])
        place = np.interp(x, at, np.arange(float(len(at))))
        cell = np.minimum(place.astype(np.intp), len(at) - 2)
        cells.append(cell)
        shares.append(place - cell)
    (i, j), (s, t) = cells, shares
    low = values[i, j] * (1 - t) + values[i, j + 1] * t
    high = values[i + 1, j] * (1 - t) + values[i + 1, j + 1] * t
    return np.where(inside, low * (1 - s) + high * s, 0.0)


def _whole(held: Floats) -> Floats:
    """Probabilities that rise from 0 to 1."""
    rising = np.maximum.accumulate(held)
    return np.asarray((rising - rising[0]) / (rising[-1] - rising[0]))
