"""An affine image that has no closed form."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats
from uapca.laws.arrays import frozen
from uapca.laws.degenerate import DegenerateLawError
from uapca.laws.levels import Block
from uapca.laws.protocol import Law
from uapca.laws.sheets import Way

__all__ = ["Affine", "Imaged"]

#: Probability that a density may put in the wrong place before `describe` says so.
PROMISED = 1e-3


class Imaged(Law):
    """A law whose affine images are kept as `Affine` and which finds their densities."""

    def _affine(self, A: Floats, b: Floats) -> Law:
        return Affine(self, A, b)

    def _image_on_line(self, image: Affine, x: Floats) -> Floats:
        raise NotImplementedError

    def _image_plane(self, image: Affine) -> Way:
        raise NotImplementedError

    def _image_on_plane(self, image: Affine, x: Floats, y: Floats, shear: Floats) -> Floats:
        grid = (x - image.mean[0], y - image.mean[1], shear)
        return self._image_plane(image).density(grid)

    def _image_blocks(self, image: Affine) -> list[Block]:
        return Law._blocks(image)

    def _image_error(self, image: Affine) -> float:
        """Mass that the density of an image puts where it does not belong."""
        return 0.0

    def _refuse_image(self, image: Affine) -> None:
        return None

    def _identity(self) -> Affine:
        return Affine(self, np.eye(self.dim), np.zeros(self.dim))

    def _density_on_line(self, x: Floats) -> Floats:
        return self._image_on_line(self._identity(), x)

    def _density_on_plane(self, x: Floats, y: Floats, shear: Floats) -> Floats:
        return self._image_on_plane(self._identity(), x, y, shear)

    def _plane(self) -> Way:
        return self._image_plane(self._identity())

    def _blocks(self) -> list[Block]:
        return self._image_blocks(self._identity())

    def _refuse_degenerate(self) -> None:
        super()._refuse_degenerate()
        self._refuse_image(self._identity())


class Affine(Law):
    """The law of ``A x + b`` for a law of x without closed-form images.

    Made by ``law.affine(A, b)``; images of images are composed, never nested.

    Parameters
    ----------
    law : Independent or Moments
    A : array-like of shape (q, D)
    b : array-like of shape (q,)

    Examples
    --------
    >>> from uapca.laws import Independent, Uniform
    >>> row = Independent([Uniform(0, 2), Uniform(1, 3), 5.0])
    >>> image = row.affine([[1.0, 1.0, 1.0], [1.0, -1.0, 0.0]])
    >>> image.mean, image.describe()
    (array([ 8., -1.]), 'affine image in 2 dimensions of independent: U(0, 2), U(1, 3), 5')
    """

    def __init__(self, law: Imaged, A: npt.ArrayLike, b: npt.ArrayLike) -> None:
        self.law, self.A, self.b = law, frozen(A), frozen(b)
        self._mean = frozen(self.A @ law.mean + self.b)
        spread = self.A @ law.cov @ self.A.T
        self._cov = frozen((spread + spread.T) / 2)

    @property
    def mean(self) -> Floats:
        return self._mean

    @property
    def cov(self) -> Floats:
        return self._cov

    def describe(self) -> str:
        kind = f"affine image in {self.dim} dimension{'s' * (self.dim > 1)}"
        return f"{kind} of {self.law.describe()}{self._caution()}"

    def _caution(self) -> str:
        """What to say of a density that is not as accurate as promised."""
        try:
            if self.dim > 2:
                return ""
            self._refuse_degenerate()
        except DegenerateLawError:
            return ""
        error = self.law._image_error(self)
        if error <= PROMISED:
            return ""
        return f"; its density puts about {error:.1g} of the probability in the wrong place"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Affine):
            return NotImplemented
        return (
            self.law == other.law
            and np.array_equal(self.A, other.A)
            and np.array_equal(self.b, other.b)
        )

    def __repr__(self) -> str:
        return f"Affine({self.law!r}, A={self.A.tolist()}, b={self.b.tolist()})"

    def _affine(self, A: Floats, b: Floats) -> Law:
        return self.law.affine(A @ self.A, A @ self.b + b)

    def _scaled(self, s: float) -> Law:
        scaled = self.law.scaled(s)
        return scaled.affine(self.A, self.b)

    def _sample(self, n: int, rng: np.random.Generator) -> Floats:
        return self.law._sample(n, rng) @ self.A.T + self.b

    def _cf(self, t: Floats) -> npt.NDArray[np.complex128]:
        shift = np.exp(1j * (t @ self.b))
        return np.asarray(shift * self.law._cf(t @ self.A), dtype=np.complex128)

    def _density_on_line(self, x: Floats) -> Floats:
        return self.law._image_on_line(self, x)

    def _density_on_plane(self, x: Floats, y: Floats, shear: Floats) -> Floats:
        return self.law._image_on_plane(self, x, y, shear)

    def _plane(self) -> Way:
        return self.law._image_plane(self)

    def _blocks(self) -> list[Block]:
        return self.law._image_blocks(self)

    def _noise(self) -> float:
        # A loading of 1e-17 is a zero that rounding missed.
        spread = float(np.max(np.sqrt(np.diagonal(self.law.cov)), initial=0.0))
        return max(super()._noise(), 1e-12 * float(np.max(np.abs(self.A), initial=0.0)) * spread)

    def _refuse_degenerate(self) -> None:
        super()._refuse_degenerate()
        self.law._refuse_image(self)
