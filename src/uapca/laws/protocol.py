"""What every law offers: moments, affine images, samples, characteristic function, density."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats, as_floats, complaint, rng_from, shape_of
from uapca.laws.arrays import affine_map, grid_axes, grid_axis
from uapca.laws.degenerate import DegenerateLawError, Line, refuse_density
from uapca.laws.levels import Block, highest_density_levels, line_block
from uapca.laws.sheets import Way

__all__ = ["Law"]

#: A direction whose standard deviation is below this share of the largest carries no uncertainty.
THIN = 1e-6


class Law(ABC):
    """The probability law of one uncertain row: a random vector in D dimensions.

    Implementations: `Normal`, `Independent`, `Samples`, `Mixture`, `Affine` and `Moments`. All are
    immutable; operations return new laws.
    """

    __hash__ = None  # type: ignore[assignment]

    # -- what an implementation provides -------------------------------------------------------

    @property
    @abstractmethod
    def mean(self) -> Floats:
        """Expected value, shape (D,)."""

    @property
    @abstractmethod
    def cov(self) -> Floats:
        """Covariance, shape (D, D)."""

    @abstractmethod
    def describe(self) -> str:
        """One line for tables: the kind of law and how its density is found."""

    @abstractmethod
    def __eq__(self, other: object) -> bool: ...

    @abstractmethod
    def _affine(self, A: Floats, b: Floats) -> Law: ...

    @abstractmethod
    def _sample(self, n: int, rng: np.random.Generator) -> Floats: ...

    @abstractmethod
    def _cf(self, t: Floats) -> npt.NDArray[np.complex128]: ...

    @abstractmethod
    def _density_on_line(self, x: Floats) -> Floats: ...

    @abstractmethod
    def _density_on_plane(self, x: Floats, y: Floats, shear: Floats) -> Floats:
        """Density at the points (x[i], y[j] + shear[i]); shape (len(x), len(y))."""

    # -- what users call -----------------------------------------------------------------------

    @property
    def dim(self) -> int:
        """Number of dimensions D."""
        return len(self.mean)

    @property
    def std(self) -> Floats:
        """Standard deviation of each coordinate, shape (D,)."""
        return np.sqrt(np.diagonal(self.cov))

    def affine(self, A: npt.ArrayLike, b: npt.ArrayLike | None = None) -> Law:
        """The law of ``A x + b``.

        Parameters
        ----------
        A : array-like of shape (q, D), or (D,)
            A matrix, or one factor for each coordinate (a diagonal map).
        b : array-like of shape (q,), optional
            A shift; zero if left out.

        Returns
        -------
        Law
            In closed form where there is one, otherwise an `Affine`.

        Examples
        --------
        >>> from uapca.laws import Normal
        >>> Normal([1.0, 2.0], [[1.0, 0.0], [0.0, 4.0]]).affine([[1.0, 1.0]], [10.0])
        Normal(mean=[13.0], cov=[[5.0]])
        """
        matrix, shift = affine_map(A, b, self.dim)
        return self._rescale(matrix, shift) if matrix.ndim == 1 else self._affine(matrix, shift)

    def scaled(self, s: float) -> Law:
        """The law with its deviations about the mean multiplied by `s`: covariance times s².

        Examples
        --------
        >>> from uapca.laws import Normal
        >>> Normal([5.0], [[1.0]]).scaled(2)
        Normal(mean=[5.0], cov=[[4.0]])
        """
        kind: type[Exception] = ValueError
        try:
            factor = float(s)
        except (TypeError, ValueError):
            factor, kind = np.nan, TypeError
        if not 0 <= factor < np.inf:
            raise kind(
                complaint(
                    "s",
                    "be a finite number of at least 0",
                    f"got {s!r}",
                    "s = 1 leaves a law as it is and s = 0 makes it certain",
                )
            )
        return self._scaled(factor)

    def sample(self, n: int, rng: Any = None) -> Floats:
        """Draw `n` independent samples, shape (n, D).

        Parameters
        ----------
        n : int
            Number of samples.
        rng : None, int or numpy.random.Generator, optional
            Seed or generator; no global state is touched.
        """
        kind: type[Exception] = ValueError
        try:
            count = int(n)
        except (TypeError, ValueError, OverflowError):
            count, kind = -1, TypeError
        if count != n or count < 0:
            raise kind(
                complaint("n", "be a whole number of at least 0", f"got {n!r}", "Pass a count")
            )
        return self._sample(count, rng_from(rng))

    def cf(self, t: npt.ArrayLike) -> npt.NDArray[np.complex128]:
        """Characteristic function E[exp(i t·x)].

        Parameters
        ----------
        t : array-like of shape (..., D)

        Returns
        -------
        ndarray of complex, shape (...)
        """
        points = as_floats(t, "t").astype(np.float64)
        if points.ndim == 0 or points.shape[-1] != self.dim:
            raise ValueError(
                complaint(
                    "t",
                    f"have shape (..., {self.dim})",
                    f"got shape {shape_of(points)}",
                    "The last axis runs over the coordinates of the law",
                )
            )
        values = self._cf(points.reshape(-1, self.dim))
        return np.asarray(values, dtype=np.complex128).reshape(points.shape[:-1])

    @cached_property
    def support_rank(self) -> int:
        """Number of directions that carry uncertainty: 0 a point, 1 a line, D full.

        A direction counts if its standard deviation exceeds a millionth of the largest one and
        the rounding error of the mean.
        """
        values = np.linalg.eigvalsh(self.cov)
        top = float(np.sqrt(max(values[-1], 0.0)))
        if top <= self._noise():
            return 0
        return int(np.sum(values > max(THIN * top, self._noise()) ** 2))

    def along_line(self) -> Line:
        """The line that carries all uncertainty, for a law of ``support_rank`` 1.

        Examples
        --------
        >>> from uapca.laws import Normal
        >>> line = Normal([1.0, 1.0], [[9.0, 12.0], [12.0, 16.0]]).along_line()
        >>> line.direction.round(3), line.law.cov.round(3)
        (array([0.6, 0.8]), array([[25.]]))
        """
        if self.support_rank != 1:
            raise DegenerateLawError(
                f"along_line() needs a law whose uncertainty lies along one line; this one has "
                f"support_rank {self.support_rank}. "
                + (
                    "It is a certain point: use .mean."
                    if self.support_rank == 0
                    else "Use .density(grid)."
                )
            )
        direction = np.linalg.eigh(self.cov)[1][:, -1]
        direction = direction * np.sign(direction[np.argmax(np.abs(direction))])
        law = self.affine(direction[None, :], [-float(direction @ self.mean)])
        return Line(self.mean, direction, law)

    def density(self, grid: Any) -> Floats:
        """Density on a grid, for laws of one or two dimensions.

        Parameters
        ----------
        grid : array-like of shape (G,), or a pair of array-likes (xs, ys)
            In one dimension the points; in two dimensions the two axes, of shapes (Gx,) and (Gy,).
            Points may be in any order and unevenly spaced.

        Returns
        -------
        ndarray of shape (G,), or (Gx, Gy)
            In two dimensions entry [i, j] is the density at (xs[i], ys[j]).

        Raises
        ------
        DegenerateLawError
            If there is no density: the law is a point, lies along a line of the plane, or has
            atoms. `support_rank` tells before, `along_line` gives the law along the line.

        Examples
        --------
        >>> from uapca.laws import Independent, Uniform
        >>> row = Independent([Uniform(0, 1), Uniform(0, 1)])
        >>> row.affine([[1.0, 1.0]]).density([0.5, 1.0, 1.5]).round(6)
        array([0.5, 1. , 0.5])
        """
        if self.dim == 1:
            x = grid_axis(grid, "grid")
            self._refuse_degenerate()
            return self._density_on_line(x)
        if self.dim != 2:
            raise ValueError(
                complaint(
                    "density",
                    "be asked of a law of one or two dimensions",
                    f"this law has {self.dim}",
                    "Project it first, for instance with law.affine(A) and A of shape (2, D)",
                )
            )
        x, y = grid_axes(grid)
        self._refuse_degenerate()
        return self._density_on_plane(x, y, np.zeros(len(x)))

    def levels(self, probs: npt.ArrayLike) -> Floats:
        """Density values whose superlevel sets hold the given probabilities.

        The region where the density is at least ``levels(p)`` is the smallest one that holds
        probability p. On a plateau (a uniform law) it may hold more.

        Parameters
        ----------
        probs : array-like of shape (P,)
            Probabilities in [0, 1].

        Returns
        -------
        ndarray of shape (P,)
            Falling as `probs` rises.

        Examples
        --------
        >>> from uapca.laws import Normal
        >>> Normal([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]]).levels([0.5, 0.95]).round(5)
        array([0.07958, 0.00796])
        """
        p = np.atleast_1d(as_floats(probs, "probs")).astype(np.float64)
        if not np.all((p >= 0) & (p <= 1)):
            raise ValueError(
                complaint(
                    "probs", "lie in [0, 1]", f"got {p.tolist()}", "0.95 encloses 95 % of the mass"
                )
            )
        if self.dim > 2:
            self.density(None)
        self._refuse_degenerate()
        return self._levels(p)

    # -- what an implementation may do better --------------------------------------------------

    def _rescale(self, a: Floats, b: Floats) -> Law:
        return self._affine(np.diag(a), b)

    def _scaled(self, s: float) -> Law:
        return self._rescale(np.full(self.dim, s), (1 - s) * self.mean)

    def _levels(self, probs: Floats) -> Floats:
        return highest_density_levels(self._blocks(), probs)

    def _blocks(self) -> list[Block]:
        """Points that carry the law's mass, with density and mass at each."""
        if self.dim == 1:
            return [line_block(self._density_on_line, float(self.mean[0]), self._span())]
        return [b._replace(places=b.places + self.mean) for b in self._plane().blocks()]

    def _density_at(self, points: Floats) -> Floats:
        """Density at points of shape (n, q), close enough to compare with a level."""
        if self.dim == 1:
            return self._density_on_line(points[:, 0])
        x, y = (points - self.mean).T
        return self._plane().at(x, y)

    def _plane(self) -> Way:
        """How the density in the plane is found, about the mean."""
        raise NotImplementedError

    def _span(self) -> tuple[float, float]:
        """Deviations from the mean that hold practically all mass of a law of one dimension."""
        std = float(self.std[0])
        return -6 * std, 6 * std

    def _noise(self) -> float:
        """Standard deviations up to this size are rounding error."""
        return float(4 * np.finfo(np.float64).eps * np.max(np.abs(self.mean), initial=0.0))

    def _refuse_degenerate(self) -> None:
        rank = self.support_rank
        if rank < self.dim:
            refuse_density(self, rank)
