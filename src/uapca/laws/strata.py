"""The density in the plane of sums with skewed or heavy-tailed parts, by conditioning.

Given all parts but two, a law of the plane is a product of two line densities, moved. One other
part is cut into strata that follow its probability, however far its tails reach, and the law is
the mixture over all strata. Two or more other parts are stood for by points that fill the cube of
their quantiles evenly, gathered on a grid that follows their mass. Along the two axes of the
product the mixture is a product of matrices, and nothing rings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from uapca._validation import Floats
from uapca.laws.ladders import (
    TAIL,
    Ladder,
    cell_edges,
    heights,
    ladder_of,
    spread_nodes,
    whole,
)
from uapca.laws.lines import LineSum
from uapca.laws.marginal import Marginal
from uapca.laws.sheets import Sheet

__all__ = ["stratified"]

#: Nodes along each axis and strata of one conditioned part: usually, and where tails are heavy.
NODES, ONE = 208, 128
MANY_NODES, MANY = 640, 1536
#: Points that stand for two or more conditioned parts, and nodes that they are gathered on.
POINTS, GATHERED = 1 << 19, 600
#: Largest number of strata with atoms.
MOST = 4096
#: Steps of the table of a line's probabilities, likewise.
STEPS, MANY_STEPS = 1024, 2048
#: Share of the points that is spent on tails, evenly over their orders of magnitude.
FAR = 0.2
#: Largest relative correction of a value between nodes.
LIMIT = 0.1


class Strata(NamedTuple):
    """Pieces of the conditioned parts.

    Attributes
    ----------
    places, widths : pairs of ndarrays of shapes (m,) and (n,)
        Where the two coordinates are moved, and how long a piece is along each.
    mass : ndarray of shape (m, n), or (m,) where pieces lie on a line
    """

    places: tuple[Floats, Floats]
    widths: tuple[Floats, Floats]
    mass: Floats

    def along(self, axis: int) -> Floats:
        """The mass at each place of one coordinate."""
        return self.mass if self.mass.ndim == 1 else self.mass.sum(axis=1 - axis)

    def mixed(self, first: Floats, second: Floats) -> Floats:
        """Σ mass · first · second over all pieces."""
        if self.mass.ndim == 1:
            return np.asarray((first * self.mass) @ second.T)
        return np.asarray(first @ self.mass @ second.T)


def stratified(
    lines: Sequence[LineSum],
    parts: Sequence[tuple[Floats, Marginal]],
    atoms: tuple[Floats, Floats],
    inverse: Floats,
    finely: bool,
    fineness: float = 1.0,
) -> Sheet:
    """The density of a law of the plane, between nodes of two coordinates.

    Parameters
    ----------
    lines : the law of each coordinate but for the conditioned parts
    parts : the conditioned ones, with how much they move the coordinates, shape (2,)
    atoms : places (2, n) and masses (n,) of a discrete part
    inverse : from deviations in the plane to the coordinates, shape (2, 2)
    finely : whether tails are heavy, so that there is much to resolve
    fineness : factor of all numbers of nodes, strata and points
    """
    if len(parts) == 1:
        strata = _line_strata(*parts[0], atoms, int(fineness * (MANY if finely else ONE)))
    elif parts:
        strata = _gathered(*_cloud(parts, atoms, fineness), int(fineness * GATHERED))
    else:
        flat = np.zeros(len(atoms[1]))
        strata = Strata((atoms[0][0], atoms[0][1]), (flat, flat), atoms[1])
    tables, nodes = [], []
    for axis, line in enumerate(lines):
        ladder = line.ladder
        places = strata.places[axis]
        count = int(fineness * (MANY_NODES if finely else NODES))
        at = spread_nodes(ladder, places, strata.along(axis), count)
        steps = ladder.thinned(MANY_STEPS if finely else STEPS)
        nodes.append(at)
        tables.append(heights(steps, at, places, strata.widths[axis]))
    density = strata.mixed(tables[0], tables[1])
    density = _sharpened(_sharpened(density, nodes[0]).T, nodes[1]).T
    first, second = (np.diff(cell_edges(at)) for at in nodes)
    total = float(first @ density @ second)
    density *= abs(np.linalg.det(inverse)) / total
    return Sheet((nodes[0], nodes[1]), density, inverse, abs(total - 1))


def _sharpened(means: Floats, nodes: Floats) -> Floats:
    """Values at the nodes whose linear interpolation has about these means over cells.

    Means and interpolation both lie above a convex density, as tails are: an eighth of its second
    difference in all. Jumps are left alone but for a little.
    """
    width = np.diff(nodes)[:, None]
    slope = np.diff(means, axis=0)
    bend = np.zeros_like(means)
    bend[1:-1] = (width[1:] * slope[1:] - width[:-1] * slope[:-1]) / (width[1:] + width[:-1])
    return np.asarray(means - np.clip(0.25 * bend, -LIMIT * means, LIMIT * means))


def _line_strata(
    shares: Floats, marginal: Marginal, atoms: tuple[Floats, Floats], count: int
) -> Strata:
    """One part, cut into strata, at every atom."""
    count = min(count, max(MOST // len(atoms[1]), 8))
    steps = ladder_of(marginal).thinned(count)
    width = np.diff(steps.places)
    middle = steps.places[:-1] + 0.5 * width
    first, second = (
        np.add.outer(place, share * middle).ravel()
        for place, share in zip(atoms[0], shares, strict=True)
    )
    wide = [np.tile(abs(share) * width, len(atoms[1])) for share in shares]
    return Strata(
        (first, second), (wide[0], wide[1]), np.outer(atoms[1], np.diff(steps.held)).ravel()
    )


def _cloud(
    parts: Sequence[tuple[Floats, Marginal]], atoms: tuple[Floats, Floats], fineness: float
) -> tuple[Floats, Floats]:
    """Places (2, n) and masses (n,) that stand for two or more parts and the atoms."""
    count = 1 << int(np.log2(max(fineness * POINTS / len(atoms[1]), 64)))
    places, mass = np.zeros((2, count)), np.full(count, 1 / count)
    for (shares, marginal), levels in zip(parts, _even(count, len(parts)), strict=True):
        ladder = ladder_of(marginal)
        held = ladder.held.clip(TAIL, 1 - TAIL)
        near = np.minimum(held, 1 - held)
        far = 0.5 * np.log(near / TAIL) / np.log(0.5 / TAIL)
        visits = (1 - FAR) * ladder.held + FAR * whole(np.where(held < 0.5, far, 1 - far))
        # Between two rungs a point may stand for more or less than its share.
        step = np.diff(visits)
        worth = np.diff(ladder.held) / np.where(step > 0, step, 1.0)
        cell = np.searchsorted(visits, levels, side="right") - 1
        cell = np.clip(cell, 0, len(step) - 1)
        share = (levels - visits[cell]) / np.where(step > 0, step, 1.0)[cell]
        at = ladder.places[cell] + share * np.diff(ladder.places)[cell]
        places += np.multiply.outer(shares, at)
        mass *= worth[cell]
    mass /= mass.sum()
    places = (atoms[0][:, :, None] + places[:, None, :]).reshape(2, -1)
    return places, np.outer(atoms[1], mass).ravel()


def _gathered(places: Floats, mass: Floats, count: int) -> Strata:
    """Points shared linearly between the nearest nodes of a grid that follows them."""
    nodes, cells, shares = [], [], []
    for row in places:
        order = np.argsort(row, kind="stable")
        held = np.concatenate([[0.0], np.cumsum(mass[order])[:-1]])
        at, first = np.unique(row[order], return_index=True)
        at = Ladder(at, whole(held[first])).thinned(count - 1).places
        cell = np.clip(np.searchsorted(at, row, side="right") - 1, 0, len(at) - 2)
        nodes.append(at)
        cells.append(cell)
        shares.append((row - at[cell]) / np.diff(at)[cell])
    size = len(nodes[0]), len(nodes[1])
    total = np.zeros(size[0] * size[1])
    for i in range(2):
        for j in range(2):
            part = mass * np.abs(1 - i - shares[0]) * np.abs(1 - j - shares[1])
            where = (cells[0] + i) * size[1] + cells[1] + j
            total += np.bincount(where, part, minlength=len(total))
    widths = np.diff(cell_edges(nodes[0])), np.diff(cell_edges(nodes[1]))
    return Strata((nodes[0], nodes[1]), widths, total.reshape(size))


def _even(count: int, size: int) -> Floats:
    """Points that fill the unit cube of this size evenly, shape (size, count): Sobol's sequence."""
    from scipy.stats import qmc

    points = qmc.Sobol(size, scramble=False).random_base2(int(np.log2(count)))
    return np.asarray(points.T + 0.5 / count)
