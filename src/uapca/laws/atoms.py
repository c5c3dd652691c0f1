"""The discrete part of a sum: finitely many places, each with a mass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from uapca._validation import Floats
from uapca.laws.marginal import Marginal

__all__ = ["Atoms", "atoms_of"]

#: Mass that may be left out altogether.
NEGLIGIBLE = 1e-7


class Atoms(NamedTuple):
    """Places that carry mass.

    Attributes
    ----------
    places : ndarray of shape (n, q)
        Deviations from the mean.
    mass : ndarray of shape (n,)
        Probabilities that sum to 1.
    """

    places: Floats
    mass: Floats

    def plus(self, places: Floats, mass: Floats) -> Atoms:
        """The sum with an independent law of atoms; places that coincide are merged."""
        both = (self.places[:, None, :] + places[None, :, :]).reshape(-1, places.shape[1])
        return _merged(both, np.outer(self.mass, mass).ravel())


def atoms_of(columns: Floats, marginals: Sequence[Marginal], most: int) -> Atoms | None:
    """The law of ``columns @ x`` for discrete marginals x, about its mean; None beyond `most`."""
    atoms = Atoms(np.zeros((1, len(columns))), np.ones(1))
    for column, marginal in zip(columns.T, marginals, strict=True):
        deviations, mass = marginal.atoms()
        if len(mass) * len(atoms.mass) > 64 * most:
            return None
        atoms = atoms.plus(np.outer(deviations, column), mass)
        if len(atoms.mass) > most:
            return None
    return atoms


def _merged(places: Floats, mass: Floats) -> Atoms:
    order = np.argsort(mass)
    keep = np.sort(order[np.cumsum(mass[order]) > NEGLIGIBLE])
    places, mass = places[keep], mass[keep]
    grain = 1e-9 * max(float(np.max(np.ptp(places, axis=0))), np.finfo(np.float64).tiny)
    _, first, cell = np.unique(
        np.round(places / grain), axis=0, return_index=True, return_inverse=True
    )
    total = np.bincount(cell.ravel(), mass)
    return Atoms(places[first], total / total.sum())
