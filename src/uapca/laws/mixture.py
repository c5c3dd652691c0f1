"""Mixtures of laws: two modes stay two modes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import compress
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats, normalized, plural
from uapca.exceptions import DegenerateLawError
from uapca.laws.density import Lattice, cells_lattice
from uapca.laws.normal import Normal
from uapca.laws.protocol import Law, frozen_copy

__all__ = ["Mixture"]


class Mixture(Law):
    """A weighted mixture of laws.

    Its density is the weighted sum of the components' densities, in closed form for normal ones.

    Parameters
    ----------
    weights : array-like of shape (K,)
        At least 0; scaled to sum to 1. Components of weight 0 are left out.
    components : sequence of K laws of one dimension D

    See Also
    --------
    uapca.from_mixtures : Gaussian mixtures, one for each row.

    Examples
    --------
    >>> law = Mixture([1, 3], [Normal([0.0], [[1.0]]), Normal([4.0], [[1.0]])])
    >>> law.mean, law.cov
    (array([3.]), array([[4.]]))
    """

    fields: ClassVar[tuple[str, ...]] = ("weights", "components")

    def __init__(self, weights: npt.ArrayLike, components: Iterable[Law]) -> None:
        given = tuple(components)
        for index, component in enumerate(given):
            if not isinstance(component, Law):
                raise TypeError(
                    f"components[{index}] must be a law; got {component!r}, convert it with as_law"
                )
        sizes = sorted({component.dim for component in given})
        if len(sizes) != 1:
            raise ValueError(f"components must be laws of one dimension; got dimensions {sizes}")
        shares = normalized(weights, "weights", "component", len(given))[0]
        self.weights: Floats = frozen_copy(shares[shares > 0])
        self.components: tuple[Law, ...] = tuple(compress(given, shares > 0))

    @cached_property
    def mean(self) -> Floats:  # type: ignore[override]
        first = self.components[0].mean
        return frozen_copy(first + self.weights @ [c.mean - first for c in self.components])

    @cached_property
    def cov(self) -> Floats:  # type: ignore[override]
        away = np.stack([component.mean - self.mean for component in self.components])
        within = sum(w * c.cov for w, c in zip(self.weights, self.components, strict=True))
        return frozen_copy(within + (away * self.weights[:, None]).T @ away)

    def describe(self) -> str:
        kinds = [component.describe() for component in self.components]
        if all(isinstance(component, Normal) for component in self.components):
            return f"mixture of {plural(len(kinds), 'normal')} in {plural(self.dim, 'dimension')}"
        return f"mixture of {len(kinds)}: {'; '.join(kinds)}"

    def _affine(self, A: Floats, b: Floats) -> Mixture:
        return Mixture(self.weights, [c.affine(A, b) for c in self.components])

    def _sample(self, n: int, rng: np.random.Generator) -> Floats:
        counts = rng.multinomial(n, self.weights)
        parts = [c._sample(int(k), rng) for c, k in zip(self.components, counts, strict=True)]
        return rng.permutation(np.concatenate(parts))

    def _cumulants(self, A: Floats) -> tuple[Floats, Floats] | None:
        third, fourth = np.zeros(len(A)), np.zeros(len(A))
        for weight, component in self._weighted():
            found = component._cumulants(A)
            if found is None:
                return None
            shift = A @ (component.mean - self.mean)
            var = np.einsum("ij,jk,ik->i", A, component.cov, A)
            third += weight * (found[0] + 3 * shift * var + shift**3)
            about = found[1] + 3 * var**2 + 4 * shift * found[0]
            fourth += weight * (about + 6 * shift**2 * var + shift**4)
        return third, fourth - 3 * np.einsum("ij,jk,ik->i", A, self.cov, A) ** 2

    @cached_property
    def _lattice(self) -> Lattice:
        values, vectors = np.linalg.eigh(self.cov)
        frame = vectors * np.sqrt(values)
        # Cells follow the mass along each axis, so that narrow modes far apart are resolved.
        axes = [
            self._affine(row[None], np.array([-row @ self.mean]))._line_masses()
            for row in np.linalg.inv(frame)
        ]
        return cells_lattice(self.mean, frame, axes, self._density_at)

    def _line_masses(self) -> tuple[Floats, Floats]:
        """Of a mixture on a line: places and their masses, those of every component."""
        found = [
            (weight, lattice)
            for weight, component in self._weighted()
            for lattice in (component._lattice, component._lattice.beyond)
            if lattice is not None
        ]
        places = np.concatenate([lattice.centers()[:, 0] for _, lattice in found])
        return places, np.concatenate([weight * lattice.mass for weight, lattice in found])

    def _density_at(self, points: Floats) -> Floats:
        total = np.zeros(len(points))
        for weight, component in self._weighted():
            total += weight * component._density_at(points)
        return total

    def _weighted(self) -> Iterable[tuple[float, Law]]:
        return zip(self.weights.tolist(), self.components, strict=True)

    def _require_density(self, what: str) -> None:
        super()._require_density(what)
        for index, component in enumerate(self.components):
            try:
                component._require_density(what)
            except DegenerateLawError as error:
                raise DegenerateLawError(f"component {index} of this mixture: {error}") from None
