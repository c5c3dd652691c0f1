"""Mixtures of laws: two modes stay two modes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats, complaint
from uapca.laws.arrays import frozen
from uapca.laws.degenerate import DegenerateLawError
from uapca.laws.levels import Block
from uapca.laws.normal import Normal
from uapca.laws.protocol import Law
from uapca.laws.samples import checked_weights

__all__ = ["Mixture"]


class Mixture(Law):
    """A law drawn at random from several, each with a weight.

    Its density is the weighted sum of the components' densities, in closed form for normal ones.

    Parameters
    ----------
    weights : array-like of shape (K,)
        At least 0; scaled to sum to 1.
    components : sequence of K laws of one dimension D

    Examples
    --------
    >>> law = Mixture([1, 3], [Normal([0.0], [[1.0]]), Normal([4.0], [[1.0]])])
    >>> law.mean, law.cov
    (array([3.]), array([[4.]]))
    """

    def __init__(self, weights: npt.ArrayLike, components: Iterable[Law]) -> None:
        self.components = tuple(components)
        for index, component in enumerate(self.components):
            if not isinstance(component, Law):
                raise TypeError(
                    complaint(
                        f"components[{index}]",
                        "be a law",
                        f"got {component!r}",
                        "Convert it with as_law",
                    )
                )
        sizes = sorted({component.dim for component in self.components})
        if len(sizes) != 1:
            raise ValueError(
                complaint(
                    "components",
                    "be laws of one dimension",
                    f"got dimensions {sizes}" if sizes else "got none",
                    "Give every component the same features",
                )
            )
        self.weights = frozen(checked_weights(weights, len(self.components)))

    @cached_property
    def mean(self) -> Floats:
        return frozen(self._means[0] + self.weights @ (self._means - self._means[0]))

    @cached_property
    def cov(self) -> Floats:
        deviation = self._means - self.mean
        within = sum(w * c.cov for w, c in zip(self.weights, self.components, strict=True))
        return frozen(within + (deviation * self.weights[:, None]).T @ deviation)

    @cached_property
    def _means(self) -> Floats:
        return np.stack([component.mean for component in self.components])

    def describe(self) -> str:
        kinds = [component.describe() for component in self.components]
        if all(isinstance(component, Normal) for component in self.components):
            return f"mixture of {len(kinds)} normals in {self.dim} dimension{'s' * (self.dim > 1)}"
        return f"mixture of {len(kinds)}: {'; '.join(kinds)}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mixture):
            return NotImplemented
        return np.array_equal(self.weights, other.weights) and self.components == other.components

    def __repr__(self) -> str:
        return f"Mixture({self.weights.tolist()}, {list(self.components)!r})"

    def _affine(self, A: Floats, b: Floats) -> Mixture:
        return self._with(component.affine(A, b) for component in self.components)

    def _rescale(self, a: Floats, b: Floats) -> Mixture:
        return self._with(component.affine(a, b) for component in self.components)

    def _scaled(self, s: float) -> Mixture:
        ones = np.ones(self.dim)
        return self._with(
            component.scaled(s).affine(ones, (s - 1) * (component.mean - self.mean))
            for component in self.components
        )

    def _with(self, components: Iterable[Law]) -> Mixture:
        return Mixture._restored(self.weights, components)

    @classmethod
    def _restored(cls, weights: npt.ArrayLike, components: Iterable[Law]) -> Mixture:
        """With weights taken to the last bit, as they already sum to 1."""
        law = cls(weights, components)
        law.weights = frozen(weights)
        return law

    def _sample(self, n: int, rng: np.random.Generator) -> Floats:
        counts = rng.multinomial(n, self.weights)
        parts = [c._sample(int(k), rng) for c, k in zip(self.components, counts, strict=True)]
        return rng.permutation(np.concatenate(parts))

    def _cf(self, t: Floats) -> npt.NDArray[np.complex128]:
        parts = [w * c._cf(t) for w, c in zip(self.weights, self.components, strict=True)]
        return np.asarray(np.sum(parts, axis=0), dtype=np.complex128)

    def _density_on_line(self, x: Floats) -> Floats:
        parts = [w * c._density_on_line(x) for w, c in self._present()]
        return np.asarray(np.sum(parts, axis=0))

    def _density_on_plane(self, x: Floats, y: Floats, shear: Floats) -> Floats:
        parts = [w * c._density_on_plane(x, y, shear) for w, c in self._present()]
        return np.asarray(np.sum(parts, axis=0))

    def _blocks(self) -> list[Block]:
        """Each component's own points, so that narrow modes far apart are all resolved."""
        pairs = [(w, block) for w, c in self._present() for block in c._blocks()]
        places = np.concatenate([block.places for _, block in pairs])
        mass = np.concatenate([weight * block.mass for weight, block in pairs])
        return [Block(places, self._density_at(places), mass)]

    def _density_at(self, points: Floats) -> Floats:
        total = np.zeros(len(points))
        for weight, component in self._present():
            total += weight * component._density_at(points)
        return total

    def _present(self) -> list[tuple[float, Law]]:
        pairs = zip(self.weights.tolist(), self.components, strict=True)
        return [(weight, component) for weight, component in pairs if weight > 0]

    def _refuse_degenerate(self) -> None:
        super()._refuse_degenerate()
        for index, component in enumerate(self.components):
            if self.weights[index] == 0:
                continue
            try:
                component._refuse_degenerate()
            except DegenerateLawError as error:
                raise DegenerateLawError(f"component {index} of this mixture: {error}") from None
