"""Laws known by mean and covariance, and perhaps by a way to sample them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats, complaint, shape_of
from uapca.laws.affine import Affine, Imaged
from uapca.laws.levels import Block
from uapca.laws.normal import Normal, checked_moments
from uapca.laws.protocol import Law
from uapca.laws.samples import Samples
from uapca.laws.sheets import Way

__all__ = ["Moments"]

DRAWS = 20_000

Sampler = Callable[[int, np.random.Generator], Any]


class Moments(Imaged):
    """A law of which mean and covariance are known, as of a foreign object.

    Mean and covariance are exact. Density and characteristic function are estimates: with a
    `sampler` those of 20,000 draws with a fixed seed, moved to have the exact mean and covariance
    (the density by a Gaussian kernel, see `Samples`); without one those of the normal law with
    this mean and covariance. `describe` says which.

    Parameters
    ----------
    mean : array-like of shape (D,)
    cov : array-like of shape (D, D)
    sampler : callable, optional
        ``sampler(n, rng)`` returns an array of shape (n, D); `rng` is a numpy.random.Generator.
    name : str, optional
        What to call the law in descriptions.

    Examples
    --------
    >>> Moments([0.0], [[2.0]]).describe()
    'law of 1 dimension known by mean and covariance, drawn as normal'
    """

    def __init__(
        self,
        mean: npt.ArrayLike,
        cov: npt.ArrayLike,
        sampler: Sampler | None = None,
        name: str = "law",
    ) -> None:
        self._mean, self._cov = checked_moments(mean, cov)
        self.sampler, self.name = sampler, name

    @property
    def mean(self) -> Floats:
        return self._mean

    @property
    def cov(self) -> Floats:
        return self._cov

    def describe(self) -> str:
        how = (
            "drawn as normal"
            if self.sampler is None
            else f"density by a Gaussian kernel on {DRAWS} draws"
        )
        return (
            f"{self.name} of {self.dim} dimension{'s' * (self.dim > 1)} known by mean and "
            f"covariance, {how}"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Moments):
            return NotImplemented
        return (
            (self.sampler is None) == (other.sampler is None)
            and self.name == other.name
            and np.array_equal(self.mean, other.mean)
            and np.array_equal(self.cov, other.cov)
            and (self.sampler == other.sampler or self._stand_in == other._stand_in)
        )

    def __repr__(self) -> str:
        return f"Moments(mean={self.mean.tolist()}, cov={self.cov.tolist()}, name={self.name!r})"

    @cached_property
    def _stand_in(self) -> Law:
        """The law that densities and the characteristic function are taken from."""
        if self.sampler is None:
            return Normal(self.mean, self.cov)
        draws = self._sample(DRAWS, np.random.default_rng(0))
        deviation = draws - draws.mean(axis=0)
        moved = deviation @ _power(deviation.T @ deviation / DRAWS, -0.5) @ _power(self.cov, 0.5)
        return Samples(self.mean + moved)

    def _sample(self, n: int, rng: np.random.Generator) -> Floats:
        if self.sampler is None:
            return Normal(self.mean, self.cov)._sample(n, rng)
        draws = np.asarray(self.sampler(n, rng), dtype=np.float64)
        if draws.shape == (n,) and self.dim == 1:
            draws = draws[:, None]
        if draws.shape != (n, self.dim):
            raise ValueError(
                complaint(
                    "sampler",
                    f"return shape ({n}, {self.dim})",
                    f"{self.name} returned shape {shape_of(draws)}",
                    "Put one draw in each row",
                )
            )
        return draws

    def _cf(self, t: Floats) -> npt.NDArray[np.complex128]:
        return self._stand_in._cf(t)

    def _image_on_line(self, image: Affine, x: Floats) -> Floats:
        return self._stand_in.affine(image.A, image.b)._density_on_line(x)

    def _image_on_plane(self, image: Affine, x: Floats, y: Floats, shear: Floats) -> Floats:
        return self._stand_in.affine(image.A, image.b)._density_on_plane(x, y, shear)

    def _image_plane(self, image: Affine) -> Way:
        return self._stand_in.affine(image.A, image.b)._plane()

    def _image_blocks(self, image: Affine) -> list[Block]:
        return self._stand_in.affine(image.A, image.b)._blocks()

    def _scaled(self, s: float) -> Law:
        return self._rescale(np.full(self.dim, s), (1 - s) * self.mean)


def _power(cov: Floats, exponent: float) -> Floats:
    """A symmetric matrix power; directions without variance stay without."""
    values, vectors = np.linalg.eigh(cov)
    keep = values > 1e-12 * max(float(values[-1]), np.finfo(np.float64).tiny)
    powers = np.where(keep, np.where(keep, values, 1.0) ** exponent, 0.0)
    return np.asarray((vectors * powers) @ vectors.T)
