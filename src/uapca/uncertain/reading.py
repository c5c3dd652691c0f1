"""What can be asked of uncertain rows: laws, densities, draws, moments, tables, files, text."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

import uapca  # for type hints: its laws are imported when one is looked up
from uapca._validation import (
    Floats,
    check_finite,
    complaint,
    out_of_range,
    pandas_for,
    rng_from,
)
from uapca.uncertain import text
from uapca.uncertain.blocks import Doubles
from uapca.uncertain.covariance import Covariance
from uapca.uncertain.indexing import positions
from uapca.uncertain.lawlist import LawList
from uapca.uncertain.tables import columns_of_rows, has_correlations

if TYPE_CHECKING:
    from uapca.uncertain.array import UncertainArray

__all__ = ["Reading"]

# Above so many features nobody expects a column for each pair of them.
_WIDEST = 50


class Reading:
    """The part of `UncertainArray` that answers questions and changes nothing."""

    __slots__ = ()
    _mean: Floats
    _cov: Covariance
    _weights: Doubles | None
    _names: tuple[str, ...] | None
    _features: tuple[str, ...] | None
    _laws: LawList | None

    @property
    def std(self) -> Floats:
        """Standard deviation of every value, shape (N, D)."""
        return self._cov.std()

    def __repr__(self) -> str:
        return text.plain(cast("UncertainArray", self))

    def _repr_html_(self) -> str:
        return text.html(cast("UncertainArray", self))

    def pooled(self) -> tuple[Doubles, Doubles]:
        """Mean μ and covariance K(1) = C + Ψ̄ of all rows together (law of total variance)."""
        from uapca.aggregate.accumulate import moments  # aggregate imports this package

        with np.errstate(over="ignore", invalid="ignore"):
            mean, between = moments(self._mean, self._weights)
            total = between + self._cov.average(self._weights)
        if not np.isfinite(total).all():
            check_finite(self._mean, "mean", ("row", "feature"))
            raise ValueError(out_of_range("mean"))
        return mean, total

    def sample(self, n: int, rng: Any = None) -> Doubles:
        """Draw every row ``n`` times, from its law or, where it has none, as a normal.

        Returns
        -------
        ndarray of shape (n, N, D)
        """
        if not isinstance(n, int | np.integer) or n < 1:
            raise ValueError(
                complaint("n", "be a positive integer", f"got {n!r}", "Pass the number of draws")
            )
        generator = rng_from(rng)
        if self._laws is None:
            draws = self._cov.deviates(int(n), generator)
            draws += self._mean
            return draws
        return np.stack([law.sample(int(n), generator) for law in self._laws], axis=1)

    def law(self, row: int | str) -> uapca.laws.Law:
        """The law of one row: what is known of it, or the normal with its mean and covariance."""
        rows = positions(row, len(self._mean), self._names, "row")
        if isinstance(rows, slice) or len(rows) != 1:
            raise IndexError(
                complaint(
                    "row",
                    "be the position or the name of one row",
                    f"got {row!r}",
                    "Use X[rows] to select several",
                )
            )
        index = int(rows[0])
        if self._laws is not None:
            law: uapca.laws.Law = self._laws[index]
            return law
        from uapca.laws import Normal  # which a fit does without

        return Normal(self._mean[index], self._cov.take(slice(index, index + 1)).dense()[0])

    def density(self, row: int | str, grid: Any) -> Floats:
        """The probability density of one row, in one or two features, without sampling.

        Parameters
        ----------
        row : int or str
            Position or name.
        grid : array-like of shape (G,), or a pair of them
            In one feature the points; in two the points along each axis.

        Returns
        -------
        ndarray of shape (G,), or (G0, G1)
            In two features entry [i, j] belongs to (grid[0][i], grid[1][j]).

        Raises
        ------
        uapca.laws.DegenerateLawError
            Where all uncertainty lies along a line, or there is none: no density exists there.
            ``law(row).along_line()`` is the law along the line.

        Examples
        --------
        A projection keeps what is known of a row: two independent uniforms make a trapezoid.

        >>> import uapca
        >>> from uapca.laws import Independent, Uniform
        >>> square = Independent([Uniform(0, 1), Uniform(0, 3)])
        >>> X = uapca.UncertainArray([square.mean], [square.cov], laws=[square])
        >>> X.affine([[1.0, 1.0]]).density(0, [0.0, 0.5, 1.0, 2.0, 3.5, 4.0]).round(4)
        array([0.    , 0.1667, 0.3333, 0.3333, 0.1667, 0.    ])
        """
        return self.law(row).density(grid)

    def levels(self, row: int | str, probs: npt.ArrayLike) -> Floats:
        """The density values that enclose given masses of one row's law: highest-density regions.

        Parameters
        ----------
        row : int or str
        probs : array-like of shape (P,)
            Probabilities between 0 and 1.

        Returns
        -------
        ndarray of shape (P,)
            The region where `density` is at least ``levels(row, p)`` has probability p and is the
            smallest that has.
        """
        return self.law(row).levels(probs)

    def to_frame(self, *, corr: bool | None = None) -> Any:
        """A pandas data frame: a column for each feature and one with its standard deviation.

        Parameters
        ----------
        corr : bool, optional
            Whether pairs of features have a column ``x_y_corr`` with the correlation of their
            errors, as in the table that ``uapca project`` writes. By default they have one if
            the errors are correlated. ``uapca.from_frame(frame, corr="{}_{}_corr")`` reads
            them.

        Examples
        --------
        >>> import uapca
        >>> X = uapca.UncertainArray([[1.0, 2.0]], [[[4.0, -1.0], [-1.0, 1.0]]], names=["a"])
        >>> X.to_frame()
               x0  x0_err   x1  x1_err  x0_x1_corr
        name
        a     1.0     2.0  2.0     1.0        -0.5
        """
        pd = pandas_for("to_frame")
        rows = cast("UncertainArray", self)
        d = self._mean.shape[1]
        if corr is None and d > _WIDEST and has_correlations(rows):
            raise ValueError(
                complaint(
                    "corr",
                    f"be given for more than {_WIDEST} features with correlated errors",
                    f"got {d} features, whose pairs would have {d * (d - 1) // 2:,} columns",
                    "Pass corr=False to leave the correlations out or corr=True to have them; "
                    "save(path) keeps everything",
                )
            )
        columns = columns_of_rows(rows, corr=corr is None or corr)
        index = None if self._names is None else pd.Index(self._names, name="name")
        return pd.DataFrame(columns, index=index)

    def save(self, path: str | PathLike[str]) -> None:
        """Write everything to one file, exactly; `uapca.load` reads it. See `uapca.load`."""
        from uapca.uncertain.files import save

        save(cast("UncertainArray", self), path)
