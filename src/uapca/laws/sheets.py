"""Densities of the plane between nodes, and what every way to such a density offers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from uapca._validation import Floats
from uapca.laws.levels import Block

__all__ = ["Grid", "Sheet", "Way", "scattered"]

#: Points (x[i], y[j] + shear[i]), as deviations from the mean of the law.
Grid = tuple[Floats, Floats, Floats]


#: Steps that fill a square evenly: powers of the root of x³ = x + 1.
GOLDEN, SILVER = 0.7548776662466927, 0.5698402909980532


class Way(Protocol):
    """A way to the density of a centred law of the plane."""

    def density(self, grid: Grid) -> Floats:
        """Density on a grid, shape (len(x), len(y))."""

    def at(self, x: Floats, y: Floats) -> Floats:
        """Density at the points (x, y), close enough to compare with a level."""

    def blocks(self) -> list[Block]:
        """Points that carry the mass."""

    def error(self) -> float:
        """Mass that is put where it does not belong, as far as can be told; 0 if negligible."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """A density linear between the nodes of two coordinates, and zero beyond them.

    Attributes
    ----------
    nodes : pair of ndarrays of shapes (m,) and (n,)
    values : ndarray of shape (m, n)
        Density in the plane.
    inverse : ndarray of shape (2, 2)
        From deviations in the plane to the coordinates.
    wrong : float
        See `error`.
    """

    nodes: tuple[Floats, Floats]
    values: Floats
    inverse: Floats
    wrong: float = 0.0

    def density(self, grid: Grid) -> Floats:
        x, y, shear = grid
        return self.at(x[:, None], np.add.outer(shear, y))

    def at(self, x: Floats, y: Floats) -> Floats:
        base, shares, inside = np.zeros((), dtype=np.intp), [], np.ones((), dtype=bool)
        count = self.values.shape[1]
        for row, at, stride in zip(self.inverse, self.nodes, (count, 1), strict=True):
            u = row[0] * x + row[1] * y
            inside = inside & (u >= at[0]) & (u <= at[-1])
            place = np.interp(u, at, np.arange(float(len(at))))
            cell = np.minimum(place.astype(np.intp), len(at) - 2)
            shares.append(place - cell)
            base = base + cell * stride
        s, t = shares
        flat = self.values.ravel()
        low = flat[base] * (1 - t) + flat[base + 1] * t
        base += count
        high = flat[base] * (1 - t) + flat[base + 1] * t
        return np.where(inside, low * (1 - s) + high * s, 0.0)

    def blocks(self) -> list[Block]:
        lows, widths = [at[:-1] for at in self.nodes], [np.diff(at) for at in self.nodes]
        v = self.values
        low, high, left, right = v[:-1, :-1], v[1:, 1:], v[:-1, 1:], v[1:, :-1]
        mass = (low + high + left + right) * np.multiply.outer(*widths)
        i, j = np.nonzero(mass > 0)
        # Spread within the cells, so that rows of them do not fall on a line of another law.
        s, t = scattered(len(i))
        places = np.stack([lows[0][i] + s * widths[0][i], lows[1][j] + t * widths[1][j]])
        density = (low[i, j] * (1 - t) + left[i, j] * t) * (1 - s)
        density += (right[i, j] * (1 - t) + high[i, j] * t) * s
        held = mass[i, j]
        return [Block((np.linalg.inv(self.inverse) @ places).T, density, held / held.sum())]

    def thinned(self, count: int) -> Sheet:
        """With every n-th node, so that about `count` are left along each axis."""
        first, second = (max(1, len(at) // count) for at in self.nodes)
        nodes = self.nodes[0][::first], self.nodes[1][::second]
        return Sheet(nodes, self.values[::first, ::second], self.inverse, self.wrong)

    def error(self) -> float:
        return self.wrong


def scattered(count: int) -> Floats:
    """Points that fill the unit square evenly, shape (2, count)."""
    steps = np.multiply.outer([GOLDEN, SILVER], np.arange(count))
    return np.asarray((0.5 + steps) % 1.0)
