"""Weighted samples: posterior draws, replicates."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats, as_floats, check_finite, normalized, plural
from uapca.laws.density import Lattice, kernel_lattice
from uapca.laws.protocol import Law, frozen_copy

__all__ = ["Samples"]


class Samples(Law):
    """A law given by n weighted samples.

    Moments are those of the weighted samples (population covariance, ÷ Σw). Densities are weighted
    Gaussian kernel estimates with the covariance ``bandwidth² · cov``. A region of probability p
    is where the estimate is highest and holds the share p of the samples.

    Parameters
    ----------
    values : array-like of shape (n, D), or (n,) for one dimension
    weights : array-like of shape (n,), optional
        At least 0; scaled to sum to 1. Equal if left out.

    Attributes
    ----------
    values : ndarray of shape (n, D)
    weights : ndarray of shape (n,)
    effective_size : float
        Kish's effective number of samples, 1 / Σw².
    bandwidth : float
        Scott's factor, ``effective_size ** (-1 / (D + 4))``.

    See Also
    --------
    uapca.from_draws : Posterior draws.

    Examples
    --------
    >>> law = Samples([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]])
    >>> law.mean, law.cov.tolist(), round(law.bandwidth, 4)
    (array([1., 1.]), [[1.0, 0.0], [0.0, 1.0]], 0.7937)
    """

    fields: ClassVar[tuple[str, ...]] = ("values", "weights")

    def __init__(self, values: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> None:
        array = as_floats(values, "values")
        if array.ndim == 1:
            array = array[:, None]
        if array.ndim != 2 or 0 in array.shape:
            raise ValueError(
                f"values must have shape (n, D) with at least one sample; got {array.shape}"
            )
        check_finite(array, "values", ("sample", "feature"))
        self.values: Floats = frozen_copy(array)
        count = len(array)
        given = np.ones(count) if weights is None else weights
        self.weights: Floats = normalized(given, "weights", "sample", count)[0]

    @cached_property
    def mean(self) -> Floats:  # type: ignore[override]
        # A first guess keeps the sum small, so an offset costs no digits.
        guess = self.values[0]
        return frozen_copy(guess + self.weights @ (self.values - guess))

    @cached_property
    def cov(self) -> Floats:  # type: ignore[override]
        deviation = self.values - self.mean
        return frozen_copy((deviation * self.weights[:, None]).T @ deviation)

    @property
    def effective_size(self) -> float:
        return float(1 / np.sum(self.weights**2))

    @property
    def bandwidth(self) -> float:
        return float(self.effective_size ** (-1 / (self.dim + 4)))

    def describe(self) -> str:
        return (
            f"{plural(len(self.values), 'sample')} in {plural(self.dim, 'dimension')}, "
            f"density by a Gaussian kernel of bandwidth {self.bandwidth:.3g} (Scott)"
        )

    def __repr__(self) -> str:
        return f"Samples({len(self.values)} of dimension {self.dim}, mean={self.mean.tolist()})"

    def _affine(self, A: Floats, b: Floats) -> Samples:
        return Samples(self.values @ A.T + b, self.weights)

    def _sample(self, n: int, rng: np.random.Generator) -> Floats:
        return self.values[rng.choice(len(self.values), size=n, p=self.weights)]

    def _cumulants(self, A: Floats) -> tuple[Floats, Floats]:
        deviation = (self.values - self.mean) @ A.T
        second, third, fourth = (self.weights @ deviation**k for k in (2, 3, 4))
        return third, fourth - 3 * second**2

    @cached_property
    def _lattice(self) -> Lattice:
        frame = np.linalg.cholesky(self.cov)
        z = np.linalg.solve(frame, (self.values - self.mean).T).T
        return kernel_lattice(self.mean, frame, z, self.weights, self.bandwidth)
