"""Copies of a product of two line densities, at every atom and stratum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uapca._validation import Floats
from uapca.laws.levels import Block
from uapca.laws.lines import LineSum
from uapca.laws.sheets import Grid, scattered

__all__ = ["Copies"]

#: Equally likely cells along each axis that stand for the mass, of all copies together.
CELLS = 800


@dataclass(frozen=True, eq=False)
class Copies:
    """Σ mass · line1(u − place1) · line2(v − place2) in two coordinates (u, v) of the plane.

    Attributes
    ----------
    lines : pair of LineSum
    places : ndarray of shape (n, 2)
        In the coordinates.
    mass : ndarray of shape (n,)
    inverse : ndarray of shape (2, 2)
        From deviations in the plane to the coordinates.
    wrong : float
        See `Way.error`.
    """

    lines: tuple[LineSum, LineSum]
    places: Floats
    mass: Floats
    inverse: Floats
    wrong: float = 0.0

    def density(self, grid: Grid) -> Floats:
        x, y, shear = grid
        return self.at(x[:, None], np.add.outer(shear, y))

    def at(self, x: Floats, y: Floats) -> Floats:
        shape = np.broadcast_shapes(x.shape, y.shape)
        coordinates = [(row[0] * x + row[1] * y).ravel() for row in self.inverse]
        return np.asarray(self._sum(coordinates).reshape(shape) * abs(np.linalg.det(self.inverse)))

    def _sum(self, coordinates: list[Floats]) -> Floats:
        if len(self.mass) == 1:
            pairs = zip(self.lines, coordinates, self.places[0], strict=True)
            first, second = (line.density(u - place) for line, u, place in pairs)
            return first * second
        total = np.zeros(len(coordinates[0]))
        spans = [line.span() for line in self.lines]
        for place, weight in zip(self.places, self.mass, strict=True):
            inside = np.ones(len(total), dtype=bool)
            for u, shift, (low, high) in zip(coordinates, place, spans, strict=True):
                inside &= (u >= shift + low) & (u <= shift + high)
            found = np.flatnonzero(inside)
            pairs = zip(self.lines, coordinates, place, strict=True)
            first, second = (line.quick(u[found] - shift) for line, u, shift in pairs)
            total[found] += weight * first * second
        return total

    def blocks(self) -> list[Block]:
        count = max(int(CELLS / np.sqrt(len(self.mass))), 8)
        i, j = (index.ravel() for index in np.indices((count, count)))
        s, t = scattered(count * count)
        first, second = (line.ladder for line in self.lines)
        one = np.stack([first.quantiles((i + s) / count), second.quantiles((j + t) / count)])
        places = (self.places.T[:, :, None] + one[:, None, :]).reshape(2, -1)
        x, y = np.linalg.inv(self.inverse) @ places
        mass = np.repeat(self.mass / count**2, count**2)
        return [Block(np.stack([x, y], axis=1), self.at(x, y), mass)]

    def error(self) -> float:
        return self.wrong
