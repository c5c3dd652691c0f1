"""The multivariate normal law."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from uapca._validation import Floats, as_floats, check_finite, complaint, shape_of
from uapca.laws.arrays import frozen
from uapca.laws.protocol import Law
from uapca.laws.sheets import Sheet

__all__ = ["Normal", "checked_moments"]

#: Nodes along each axis of the points that stand for a normal law of the plane, and their reach.
NODES, SPAN = 201, 5.5


class Normal(Law):
    """A multivariate normal law; the covariance may be singular or zero.

    Parameters
    ----------
    mean : array-like of shape (D,)
    cov : array-like of shape (D, D)
        Symmetric and positive semi-definite.

    Examples
    --------
    >>> law = Normal([0.0, 1.0], [[2.0, 0.5], [0.5, 1.0]])
    >>> law.affine([[1.0, -1.0]])
    Normal(mean=[-1.0], cov=[[2.0]])
    """

    def __init__(self, mean: npt.ArrayLike, cov: npt.ArrayLike) -> None:
        self._mean, self._cov = checked_moments(mean, cov)

    @property
    def mean(self) -> Floats:
        return self._mean

    @property
    def cov(self) -> Floats:
        return self._cov

    def describe(self) -> str:
        return f"normal in {self.dim} dimension{'s' * (self.dim > 1)}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Normal):
            return NotImplemented
        return np.array_equal(self.mean, other.mean) and np.array_equal(self.cov, other.cov)

    def __repr__(self) -> str:
        return f"Normal(mean={self.mean.tolist()}, cov={self.cov.tolist()})"

    def _affine(self, A: Floats, b: Floats) -> Normal:
        return _trusted(A @ self.mean + b, A @ self.cov @ A.T)

    def _rescale(self, a: Floats, b: Floats) -> Normal:
        return _trusted(a * self.mean + b, self.cov * np.outer(a, a))

    def _scaled(self, s: float) -> Normal:
        return _trusted(self.mean, s * s * self.cov)

    @cached_property
    def _root(self) -> Floats:
        """A matrix R with R Rᵀ = cov; an eigenbasis, as the covariance may be singular."""
        values, vectors = np.linalg.eigh(self.cov)
        root: Floats = vectors * np.sqrt(np.clip(values, 0.0, None))
        return root

    def _sample(self, n: int, rng: np.random.Generator) -> Floats:
        return self.mean + rng.standard_normal((n, self.dim)) @ self._root.T

    def _cf(self, t: Floats) -> npt.NDArray[np.complex128]:
        with np.errstate(under="ignore"):
            spread = np.exp(-0.5 * np.sum((t @ self._root) ** 2, axis=1))
        return np.asarray(spread * np.exp(1j * (t @ self.mean)), dtype=np.complex128)

    def _density_on_line(self, x: Floats) -> Floats:
        std = np.sqrt(self.cov[0, 0])
        with np.errstate(under="ignore", over="ignore"):
            values = np.exp(-0.5 * ((x - self.mean[0]) / std) ** 2) / (std * np.sqrt(2 * np.pi))
        return np.asarray(values)

    def _density_on_plane(self, x: Floats, y: Floats, shear: Floats) -> Floats:
        lower = np.linalg.cholesky(self.cov)
        z1 = (x - self.mean[0]) / lower[0, 0]
        z2 = np.add.outer(shear - lower[1, 0] * z1, y - self.mean[1]) / lower[1, 1]
        with np.errstate(under="ignore", over="ignore"):
            top = np.exp(-0.5 * z1 * z1) / (2 * np.pi * lower[0, 0] * lower[1, 1])
            return np.asarray(top[:, None] * np.exp(-0.5 * z2 * z2))

    def _plane(self) -> Sheet:
        z = np.linspace(-SPAN, SPAN, NODES)
        lower = np.linalg.cholesky(self.cov)
        top = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi * lower[0, 0] * lower[1, 1])
        return Sheet((z, z), np.outer(top, top), np.linalg.inv(lower))

    def _density_at(self, points: Floats) -> Floats:
        if self.dim == 1:
            return self._density_on_line(points[:, 0])
        lower = np.linalg.cholesky(self.cov)
        z = np.linalg.solve(lower, (points - self.mean).T)
        with np.errstate(under="ignore", over="ignore"):
            values = np.exp(-0.5 * np.sum(z * z, axis=0))
        return np.asarray(values / (2 * np.pi * lower[0, 0] * lower[1, 1]))

    def _levels(self, probs: Floats) -> Floats:
        if self.dim == 1:
            return self._density_on_line(
                self.mean[0] + np.sqrt(self.cov[0, 0]) * ndtri((1 + probs) / 2)
            )
        lower = np.linalg.cholesky(self.cov)
        return np.asarray((1 - probs) / (2 * np.pi * lower[0, 0] * lower[1, 1]))


def checked_moments(mean: npt.ArrayLike, cov: npt.ArrayLike) -> tuple[Floats, Floats]:
    """A mean (D,) and a covariance (D, D), checked and copied."""
    centre = np.atleast_1d(as_floats(mean, "mean"))
    spread = np.atleast_2d(as_floats(cov, "cov"))
    if centre.ndim != 1:
        raise ValueError(
            complaint(
                "mean", "be one-dimensional", f"got shape {shape_of(centre)}", "Pass shape (D,)"
            )
        )
    size = len(centre)
    if spread.shape != (size, size):
        raise ValueError(
            complaint(
                "cov",
                f"have shape ({size}, {size}), as the mean has {size} entries",
                f"got shape {shape_of(spread)}",
                "Pass one row and one column for each entry of the mean",
            )
        )
    check_finite(centre, "mean", ("entry",))
    check_finite(spread, "cov", ("row", "column"))
    spread = spread.astype(np.float64)
    variances = np.diagonal(spread)
    if np.any(variances < 0):
        least = int(np.argmin(variances))
        raise ValueError(
            complaint(
                "cov",
                "have no negative variances",
                f"entry [{least}, {least}] is {variances[least]:.6g}",
                "Put squares of standard deviations on the diagonal",
            )
        )
    # Entries count against the two standard deviations they belong to, so that one wide feature
    # hides no flaw of the others; far below the widest a deviation is rounding error.
    stds = np.sqrt(variances)
    floor = max(1e-8 * float(np.max(stds, initial=0.0)), np.finfo(np.float64).tiny)
    stds = np.maximum(stds, floor)
    with np.errstate(over="ignore", under="ignore"):
        skew = np.abs(spread / stds / stds[:, None] - spread.T / stds / stds[:, None])
    if np.max(skew, initial=0.0) > 1e-8:
        i, j = np.unravel_index(np.argmax(skew), spread.shape)
        raise ValueError(
            complaint(
                "cov",
                "be symmetric",
                f"entries [{i}, {j}] and [{j}, {i}] are {spread[i, j]} and {spread[j, i]}",
                "Use (cov + cov.T) / 2 if they should be equal",
            )
        )
    spread = (spread + spread.T) / 2
    with np.errstate(over="ignore", under="ignore"):
        scaled = np.clip(spread / stds / stds[:, None], -1e9, 1e9)
    lowest = float(np.linalg.eigvalsh(scaled)[0]) if size else 0.0
    if lowest < -1e-8:
        raise ValueError(
            complaint(
                "cov",
                "be positive semi-definite",
                f"its lowest eigenvalue is {lowest:.6g} where all variances are scaled to 1",
                "Check variances and correlations: no direction may have a negative variance",
            )
        )
    return frozen(centre), frozen(spread)


def _trusted(mean: Floats, cov: Floats) -> Normal:
    """A normal law from moments that are valid by construction; rounding is made symmetric."""
    law = Normal.__new__(Normal)
    law._mean, law._cov = frozen(mean), frozen((cov + cov.T) / 2)
    return law
