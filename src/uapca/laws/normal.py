"""The multivariate normal law."""

from __future__ import annotations

from functools import cached_property, reduce
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from uapca._validation import (
    ROUNDING,
    Floats,
    as_floats,
    check_finite,
    check_nonnegative,
    plural,
    root,
    semidefinite,
    vector,
)
from uapca.laws.density import CELLS, Lattice
from uapca.laws.protocol import Law, frozen_copy, unchecked

__all__ = ["Normal", "checked_moments", "mapped_moments"]


class Normal(Law):
    """A normal law in D dimensions; the covariance may be singular or zero.

    In one dimension it also serves as a marginal: ``Independent([15, Normal(14, std=5.7)])``.

    Parameters
    ----------
    mean : array-like of shape (D,), or float
    cov : array-like of shape (D, D), optional
        Symmetric and positive semi-definite. Give this or `std`.
    std : array-like of shape (D,), or float, optional
        Standard deviations of independent coordinates.

    See Also
    --------
    uapca.laws.TwoPieceNormal : Different errors below and above.

    Examples
    --------
    >>> law = Normal([0.0, 1.0], [[2.0, 0.5], [0.5, 1.0]])
    >>> law.affine([[1.0, -1.0]])
    Normal(mean=[-1.0], cov=[[2.0]])
    >>> Normal(14, std=3)
    Normal(mean=[14.0], cov=[[9.0]])
    """

    fields: ClassVar[tuple[str, ...]] = ("mean", "cov")

    def __init__(
        self,
        mean: npt.ArrayLike,
        cov: npt.ArrayLike | None = None,
        *,
        std: npt.ArrayLike | None = None,
    ) -> None:
        if (cov is None) == (std is None):
            raise TypeError("Normal needs either cov or std, and not both")
        if std is not None:
            stds = np.atleast_1d(as_floats(std, "std")).astype(np.float64)
            check_finite(stds, "std", ("entry",) * stds.ndim)
            check_nonnegative(stds, "std", ("entry",) * stds.ndim)
            cov = np.diag(np.square(np.broadcast_to(stds, np.atleast_1d(mean).shape)))
        assert cov is not None
        self.mean, self.cov = checked_moments(mean, cov)

    def describe(self) -> str:
        return f"normal in {plural(self.dim, 'dimension')}"

    def _affine(self, A: Floats, b: Floats) -> Normal:
        return unchecked(Normal, **mapped_moments(self, A, b))

    @cached_property
    def _root(self) -> Floats:
        """A matrix R with R Rᵀ = cov; an eigenbasis, as the covariance may be singular."""
        return root(self.cov)

    def _sample(self, n: int, rng: np.random.Generator) -> Floats:
        return self.mean + rng.standard_normal((n, self.dim)) @ self._root.T

    def _cumulants(self, A: Floats) -> tuple[Floats, Floats]:
        return np.zeros(len(A)), np.zeros(len(A))

    @cached_property
    def _lattice(self) -> Lattice:
        edges = np.linspace(-5.5, 5.5, CELLS[self.dim] + 1)
        mass = reduce(np.multiply.outer, [np.diff(ndtr(edges))] * self.dim)
        return Lattice(self.mean, self._root, (edges,) * self.dim, mass, 1 - float(mass.sum()))

    def _density_at(self, points: Floats) -> Floats:
        z = np.linalg.solve(self._root, (points - self.mean).T)
        with np.errstate(under="ignore", over="ignore"):
            return np.asarray(self._top * np.exp(-0.5 * np.sum(z * z, axis=0)))

    @property
    def _top(self) -> float:
        """Density at the mean."""
        return float((2 * np.pi) ** (-self.dim / 2) / abs(np.linalg.det(self._root)))

    def _levels(self, probs: Floats) -> Floats:
        if self.dim == 1:
            with np.errstate(under="ignore"):
                return np.asarray(self._top * np.exp(-0.5 * ndtri((1 + probs) / 2) ** 2))
        return np.asarray(self._top * (1 - probs))


def checked_moments(
    mean: npt.ArrayLike, cov: npt.ArrayLike, names: tuple[str, str] = ("mean", "cov")
) -> tuple[Floats, Floats]:
    """A mean (D,) and a covariance (D, D), checked and copied; `names` are those in messages."""
    center = vector(np.atleast_1d(as_floats(mean, names[0])), names[0], "entry")
    spread = np.atleast_2d(as_floats(cov, names[1])).astype(np.float64)
    size = len(center)
    if not size:
        raise ValueError(f"{names[0]} must have at least one entry; got none")
    if spread.shape != (size, size):
        raise ValueError(
            f"{names[1]} must have shape ({size}, {size}), as {names[0]} has {size} entries; "
            f"got shape {spread.shape}"
        )
    lowest = -ROUNDING * np.finfo(np.float64).eps * np.diagonal(spread).max()
    slight = (np.diagonal(spread) < 0) & (np.diagonal(spread) >= lowest)
    spread[slight, slight] = 0.0
    valid = semidefinite(spread, names[1], rounding=0)
    return frozen_copy(center), frozen_copy(valid / 2 + valid.T / 2)


def mapped_moments(law: Law, A: Floats, b: Floats) -> dict[str, Floats]:
    """Mean and covariance of ``A x + b``; the covariance is exactly symmetric."""
    cov = A @ law.cov @ A.T
    return {"mean": frozen_copy(A @ law.mean + b), "cov": frozen_copy((cov + cov.T) / 2)}
