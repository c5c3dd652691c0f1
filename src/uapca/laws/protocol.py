"""What every law offers: moments, affine images, samples, density."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import ClassVar, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from uapca._validation import (
    Floats,
    Seed,
    as_floats,
    frozen,
    linear_map,
    rng_from,
    shown,
    signed,
    vector,
)
from uapca.exceptions import DegenerateLawError
from uapca.laws.density import Lattice

__all__ = ["Grid", "Law", "Line", "Seed", "finite", "frozen_copy", "unchecked"]

Grid: TypeAlias = npt.ArrayLike | tuple[npt.ArrayLike, npt.ArrayLike]

Made = TypeVar("Made")

#: A direction whose standard deviation is below this share of the largest carries no uncertainty.
THIN = 1e-6


@dataclass(frozen=True, eq=False)
class Line:
    """The line that carries all of a law's uncertainty.

    Attributes
    ----------
    origin : ndarray of shape (D,)
        The law's mean, a point of the line.
    direction : ndarray of shape (D,)
        Unit vector; its entry of largest magnitude is positive.
    law : Law
        The one-dimensional law of the signed distance from `origin` along `direction`.

    See Also
    --------
    uapca.laws.Law : Its ``along_line()`` returns one where a law varies in one direction only.

    Examples
    --------
    >>> from uapca.laws import Independent, Uniform
    >>> Independent([3.0, Uniform(0, 2)]).along_line().direction
    array([0., 1.])
    """

    origin: Floats
    direction: Floats
    law: Law


class Law(ABC):
    """The probability law of one uncertain row: a random vector in D dimensions.

    Implementations: `Normal`, `Independent`, `Samples`, `Mixture`, `Affine` and `KnownMoments`. All
    are immutable; operations return new laws.

    See Also
    --------
    uapca.laws.Normal : A normal row or value.
    uapca.laws.Independent : A row of independent values.
    uapca.laws.Samples : A row known by samples.
    uapca.laws.Mixture : A mixture of laws.

    Examples
    --------
    The laws of rows, and of what the projection makes of them:

    >>> import uapca
    >>> X = uapca.datasets.load_students()
    >>> pca = uapca.UAPCA(2).fit(X)
    >>> law = pca.transform(X).laws[0]
    >>> law.dim
    2
    >>> law.sample(1000, rng=0).shape
    (1000, 2)
    >>> law.describe()
    'affine image in 2 dimensions of independent: 15, T(10, 11, 13, 15), N(14, 5.7), U(14, 16)'
    """

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    # -- what an implementation provides -------------------------------------------------------

    #: The arguments it is made from: what is stored, and what is equal in equal laws.
    fields: ClassVar[tuple[str, ...]]
    #: Expected value, shape (D,), and covariance, shape (D, D); read-only.
    mean: Floats
    cov: Floats

    @abstractmethod
    def describe(self) -> str:
        """One line for tables: the kind of law and how its density is found."""

    @abstractmethod
    def _affine(self, A: Floats, b: Floats) -> Law: ...

    @abstractmethod
    def _sample(self, n: int, rng: np.random.Generator) -> Floats: ...

    @property
    @abstractmethod
    def _lattice(self) -> Lattice:
        """The law on a lattice; it has one or two dimensions and a density."""

    @abstractmethod
    def _cumulants(self, A: Floats) -> tuple[Floats, Floats] | None:
        """Third and fourth cumulants of each row of ``A x``, or None where unknown."""

    # -- what users call -----------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Law) or type(self) is not type(other):
            return NotImplemented
        pairs = [(getattr(self, name), getattr(other, name)) for name in self.fields]
        return all(
            np.array_equal(mine, theirs) if isinstance(mine, np.ndarray) else mine == theirs
            for mine, theirs in pairs
        )

    def __repr__(self) -> str:
        given = [(name, getattr(self, name)) for name in self.fields]
        shown = [
            f"{name}={value.tolist() if isinstance(value, np.ndarray) else value!r}"
            for name, value in given
        ]
        return f"{type(self).__name__}({', '.join(shown)})"

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
        return self._affine(*self._checked_map(A, b))

    def scaled(self, s: float) -> Law:
        """The law with its deviations about the mean multiplied by `s`: covariance times s².

        Examples
        --------
        >>> from uapca.laws import Normal
        >>> Normal([5.0], [[1.0]]).scaled(2)
        Normal(mean=[5.0], cov=[[4.0]])
        """
        factor = finite(s, "s")
        if factor < 0:
            raise ValueError(f"s must not be negative; got {shown(s)}")
        return self._affine(factor * np.eye(self.dim), (1 - factor) * self.mean)

    def sample(self, n: int, rng: Seed = None) -> Floats:
        """Draw `n` independent samples, shape (n, D).

        Parameters
        ----------
        n : int
            Number of samples.
        rng : None, int or numpy.random.Generator, optional
            Seed or generator; no global state is touched.
        """
        count = finite(n, "n")
        if count < 0 or count % 1:
            raise ValueError(f"n must be a whole number of at least 0; got {shown(n)}")
        return self._sample(int(count), rng_from(rng))

    def cumulants(self, A: npt.ArrayLike | None = None) -> tuple[Floats, Floats] | None:
        """Third and fourth cumulants of ``a·x`` for each row a of `A`.

        E[(a·(x − mean))³], and E[(a·(x − mean))⁴] − 3 Var(a·x)²: what the fourth moments have
        beyond those of the normal law with the same covariance, Var((a·e)²) = 2 (aᵀΨa)² + κ₄ with
        e = x − mean and Ψ = cov.

        Parameters
        ----------
        A : array-like of shape (q, D), optional
            The identity if left out: one value for each coordinate.

        Returns
        -------
        tuple of two ndarrays of shape (q,), or None
            Exact; infinite where the moment is; None where only mean and covariance are known.

        Notes
        -----
        Mixed cumulants follow by polarization:
        κ(a, a, b) = (κ₃(a + b) − κ₃(a − b) − 2 κ₃(b)) / 6 and
        κ(a, a, b, b) = (κ₄(a + b) + κ₄(a − b) − 2 κ₄(a) − 2 κ₄(b)) / 12.
        Of an `Independent` law all mixed cumulants of different coordinates are zero.

        Examples
        --------
        >>> from uapca.laws import Independent, Uniform
        >>> row = Independent([Uniform(0, 1), Uniform(0, 2)])
        >>> row.cumulants([[1.0, 0.0], [1.0, 1.0]])[1] * 120
        array([ -1., -17.])
        """
        return self._cumulants(np.eye(self.dim) if A is None else self._checked_map(A)[0])

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
            remedy = "use mean: it is certain" if self.support_rank == 0 else "use density(grid)"
            raise DegenerateLawError(
                "along_line needs a law whose uncertainty lies along one line; "
                f"this one has support_rank {self.support_rank}, {remedy}"
            )
        direction = signed(np.linalg.eigh(self.cov)[1][:, -1:].T)[0]
        law = self.affine(direction[None, :], [-float(direction @ self.mean)])
        return Line(self.mean, direction, law)

    def density(self, grid: Grid) -> Floats:
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

        Notes
        -----
        Normals and mixtures of normals are in closed form, and so are one independent part on a
        line and two in the plane. Sums of more parts are interpolated between the cells of
        `lattice`, samples are a kernel estimate. Beyond the lattice, which holds more than 99 % of
        the probability where tails are heavy, cells are several times as wide: densities there
        are rough, off by 20 % for four t laws with 3 degrees of freedom.

        Examples
        --------
        >>> from uapca.laws import Independent, Uniform
        >>> row = Independent([Uniform(0, 1), Uniform(0, 1)])
        >>> row.affine([[1.0, 1.0]]).density([0.5, 1.0, 1.5]).round(3)
        array([0.5, 1. , 0.5])
        """
        self._require_density("density")
        given = {"grid": cast("npt.ArrayLike", grid)}
        if self.dim == 2:
            pair = list(grid) if isinstance(grid, Sequence | np.ndarray) else []
            if isinstance(grid, str) or len(pair) != 2:
                raise ValueError(
                    "grid must be a pair of axes (xs, ys) for a two-dimensional law; "
                    f"got {type(grid).__name__} of length {len(pair)}"
                )
            given = {"grid[0]": pair[0], "grid[1]": pair[1]}
        axes = [vector(axis, name, "point") for name, axis in given.items()]
        points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
        return self._density_at(points.reshape(-1, self.dim)).reshape(points.shape[:-1])

    def levels(self, probs: npt.ArrayLike) -> Floats:
        """Density values whose superlevel sets hold the given probabilities.

        The region where the density is at least ``levels(p)`` is the smallest one that holds
        probability p. On a plateau (a uniform law) it holds more; `lattice` has regions that
        hold p even there.

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
            raise ValueError(f"probs must lie in [0, 1]; got {p.tolist()}")
        self._require_density("levels")
        return self._levels(p)

    def lattice(self) -> Lattice:
        """The law on a lattice, for laws of one or two dimensions: cells with probabilities.

        ``law.lattice().mask(0.95)`` are the cells of the smallest region that holds 95 %, and
        the contour of ``law.lattice().coverage`` at 0.95 is its outline. A region of probability
        p holds p within 2e-3, measured by draws of sums of SciPy's laws of finite variance;
        `describe` says where cells are too coarse for it to be the smallest, and where a pole is
        too strong for floating point.

        Raises
        ------
        DegenerateLawError
            If there is no density, see `density`.

        Examples
        --------
        >>> from uapca.laws import Independent, Uniform
        >>> square = Independent([Uniform(0, 1), Uniform(0, 3)]).lattice()
        >>> round(float(square.mass[square.mask(0.5)].sum()), 3)
        0.5
        """
        self._require_density("lattice")
        return self._lattice

    # -- what an implementation may do better --------------------------------------------------

    def _density_at(self, points: Floats) -> Floats:
        """Density at points (K, q)."""
        return self._lattice.at(points)

    def _levels(self, probs: Floats) -> Floats:
        return self._lattice.levels(probs)

    def _noise(self) -> float:
        """Standard deviations up to this size are rounding error."""
        return float(4 * np.finfo(np.float64).eps * np.max(np.abs(self.mean), initial=0.0))

    def _require_density(self, what: str) -> None:
        """Raise unless the law has a density on a line or in the plane."""
        if self.dim > 2:
            raise ValueError(
                f"{what} needs a law of one or two dimensions; this one has {self.dim}, "
                "project it first with law.affine(A)"
            )
        if self.support_rank == self.dim:
            return
        place = ", ".join(f"{value:.6g}" for value in self.mean)
        if self.support_rank == 0:
            raise DegenerateLawError(f"this law has no density: it is the certain point ({place})")
        direction = ", ".join(f"{value:.6g}" for value in self.along_line().direction)
        raise DegenerateLawError(
            "this law has no density in the plane: all of its uncertainty lies along the line "
            f"through ({place}) in direction ({direction}); use law.along_line()"
        )

    def _checked_map(
        self, A: npt.ArrayLike, b: npt.ArrayLike | None = None
    ) -> tuple[Floats, Floats]:
        """A matrix (q, D), which may be given by its diagonal (D,), and a shift (q,)."""
        matrix = linear_map(A, self.dim)
        size = len(matrix)
        shift = np.zeros(size) if b is None else vector(b, "b", "new feature", size)
        return np.diag(matrix) if matrix.ndim == 1 else matrix, shift


def finite(value: object, parameter: str) -> float:
    """`value` as a finite float."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{parameter} must be a number; got {shown(value)}") from None
    if not isfinite(number):
        raise ValueError(f"{parameter} must be finite; got {number}")
    return number


def frozen_copy(array: npt.ArrayLike) -> Floats:
    """A read-only float64 copy."""
    return frozen(np.array(array, dtype=np.float64))


def unchecked(kind: type[Made], **attributes: object) -> Made:
    """An instance whose attributes are valid by construction."""
    made = kind.__new__(kind)
    made.__dict__.update(attributes)
    return made
