"""`UncertainArray`: N uncertain rows in D features, their selection, maps, tables and text."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from html import escape
from operator import attrgetter
from os import PathLike
from types import EllipsisType
from typing import Any, ClassVar, NoReturn, Self, overload

import numpy as np
import numpy.typing as npt

import uapca  # for type hints: its laws are imported when one is looked up
from uapca._names import nearest
from uapca._validation import (
    Doubles,
    Floats,
    Seed,
    check_choice,
    check_finite,
    check_labels,
    frame_of,
    frozen,
    library_of,
    linear_map,
    listed,
    optional,
    out_of_range,
    plural,
    rng_from,
    scale_from,
    shown,
    vector,
)
from uapca.uncertain.checks import (
    counts_from,
    covariance_from,
    means_from,
    weights_from,
)
from uapca.uncertain.covariance import Covariance, Rows, Zero, joined, row_blocks
from uapca.uncertain.propagate import KNOWN, Function, derivatives_from, propagated
from uapca.uncertain.units import without_units

__all__ = [
    "CORRELATION",
    "ERROR",
    "LawList",
    "UncertainArray",
    "columns_of_rows",
    "concat",
    "has_correlations",
    "headline",
    "mapped",
    "positions",
]

Index = slice | EllipsisType | npt.ArrayLike

# Names of the columns with errors and correlations in a table.
ERROR = "{}_err"
CORRELATION = "{}_{}_corr"
# Largest number of features for which a frame has a column for each pair by default.
_WIDEST = 50

# What a repr shows: rows, features and characters of a label.
_ROWS, _COLUMNS, _WIDTH = 6, 6, 24
_KINDS = {
    "zero": "certain",
    "diagonal": "independent errors",
    "shared": "one covariance shared by all rows",
    "dense": "a covariance for each row",
    "low-rank": "low-rank errors",
    "shared-axes": "errors along axes that all rows share",
}
# Attribute names of other libraries, and what to use instead.
_ELSEWHERE = {
    "T": "mean.T",
    "columns": "features",
    "covariance": "cov",
    "dtype": "mean.dtype",
    "errors": "std",
    "index": "names",
    "means": "mean",
    "sigma": "std",
    "stds": "std",
    "to_arrow": 'to_frame(library="pyarrow")',
    "to_csv": "to_frame().to_csv(path)",
    "to_dataframe": "to_frame()",
    "to_df": "to_frame()",
    "to_numpy": "mean",
    "to_pandas": "to_frame()",
    "to_parquet": "to_frame().to_parquet(path)",
    "to_polars": 'to_frame(library="polars")',
    "values": "mean",
    "var": "cov.diagonal()",
}


class UncertainArray:
    """N random vectors in D features: a mean and a covariance for each row.

    Parameters
    ----------
    mean : array-like of shape (N, D)
        The expected values. float32 is kept as float32, integers become float64. A pandas
        data frame also gives ``features`` (its columns) and, where its index holds strings,
        ``names``.
    cov : array-like of shape (N, D, D) or (D, D), or Covariance, optional
        One covariance matrix for each row, or one that all rows share.
    std : array-like that broadcasts to (N, D), optional
        Standard deviations of independent errors: a number, one for each feature ``(D,)``, one
        for each row ``(N, 1)`` or one for each value ``(N, D)``.
    factors : array-like of shape (N, D, r), optional
        Few directions of error for each row: Ψₙ = Fₙ Fₙᵀ, plus diag(std²) if ``std`` is given.
    weights : array-like of shape (N,), optional
        How much each row counts, zero or positive; equal by default. Kept so that they sum to 1.
    counts : array-like of shape (N,), optional
        Number of points each row was computed from, if rows are groups of points.
    names, features : sequence of str, optional
        Distinct names of the rows and of the features.
    laws : sequence of N laws, optional
        What is known of each row beyond mean and covariance.
    missing : {"error", "keep"}, default="error"
        Whether cells of ``mean`` may be NaN or masked: cells without an observation. ``std`` may
        be NaN or infinite there. `uapca.Denoiser` uses such rows; most other functions need
        complete rows and say so.
    origin : str, optional
        A short text on how the data was read.
    source : {"values", "groups", "posterior"}, optional
        What the rows are: uncertain values, groups of points (the default where ``counts`` are
        given) or posterior distributions of noisy observations. The
        covariances of groups are those of their points (÷ n); means of ``counts`` points with
        standard errors are "values".
    check : bool, default=True
        Whether to check that the values are finite and the covariances symmetric and positive
        semi-definite. Shapes and weights are always checked.

    Attributes
    ----------
    mean : ndarray of shape (N, D)
    cov : Covariance
        The covariances, in the representation in which they were given; ``cov.dense()`` expands.
    std : ndarray of shape (N, D)
        Standard deviation of each value; NaN where the value is missing.
    missing : ndarray of bool of shape (N, D), or None
        Cells without an observation; None if there are none.
    weights : ndarray of shape (N,)
    given_weights : ndarray of shape (N,), or None
        The weights, or None if all rows count the same.
    total_weight : float
        The sum the weights had when they were given (N if they were not): `concat` uses it.
    counts : ndarray of shape (N,), or None
    names, features : tuple of str, or None
    laws : sequence of laws, or None
    origin : str, or None
    source : str
    library : str, or None
        The library of the data frame that the rows came from, for `to_frame`.
    parameter_errors : object, or None
        What `uapca.Denoiser` attaches to posterior rows: the errors of its own parameters. They
        belong to the features, so only selecting rows keeps them.
    shape : tuple of int
    ndim : int
        Always 2.

    See Also
    --------
    uapca.read : Any table: finds out what its columns are.
    uapca.concat : Several arrays in one.
    uapca.load : Reads what was saved.

    Notes
    -----
    An UncertainArray is immutable. It keeps the arrays it is given without copying them and
    returns them read-only; changing the original array changes the data.

    With none of ``cov``, ``std`` and ``factors`` the rows are certain points.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.UncertainArray(
    ...     [[1.0, 2.0], [3.0, 5.0], [2.0, 2.5]],
    ...     std=[[0.1, 0.5], [0.2, 0.5], [0.0, 0.5]],
    ...     names=["a", "b", "c"],
    ...     features=["height", "width"],
    ... )
    >>> X
    UncertainArray: 3 rows × 2 features, independent errors
      features  height, width
      a  1 ± 0.1  2 ± 0.5
      b  3 ± 0.2  5 ± 0.5
      c  2 ± 0  2.5 ± 0.5
    >>> X["b"].mean
    array([[3., 5.]])
    >>> X.cov.average()
    array([[0.01666667, 0.        ],
           [0.        , 0.25      ]])

    Cells without an observation are kept if asked for:

    >>> uapca.UncertainArray([[1.0, float("nan")], [2.0, 3.0]], std=0.1, missing="keep")
    UncertainArray: 2 rows × 2 features, independent errors, 1 missing cell
      0  1 ± 0.1  missing
      1  2 ± 0.1  3 ± 0.1
    """

    __slots__ = (
        "counts",
        "cov",
        "features",
        "given_weights",
        "laws",
        "library",
        "mean",
        "missing",
        "names",
        "origin",
        "parameter_errors",
        "source",
        "total_weight",
    )
    mean: Floats
    cov: Covariance
    given_weights: Doubles | None
    total_weight: float
    counts: npt.NDArray[Any] | None
    names: tuple[str, ...] | None
    features: tuple[str, ...] | None
    laws: LawList | None
    missing: npt.NDArray[np.bool_] | None
    origin: str | None
    source: str
    library: str | None
    parameter_errors: Any

    def __init__(
        self,
        mean: npt.ArrayLike,
        cov: npt.ArrayLike | Covariance | None = None,
        *,
        std: npt.ArrayLike | None = None,
        factors: npt.ArrayLike | None = None,
        weights: npt.ArrayLike | None = None,
        counts: npt.ArrayLike | None = None,
        names: Sequence[str] | None = None,
        features: Sequence[str] | None = None,
        laws: Sequence[object] | None = None,
        missing: str = "error",
        origin: str | None = None,
        source: str | None = None,
        check: bool = True,
    ) -> None:
        check_choice(missing, ("error", "keep"), "missing")
        library = library_of(mean)
        names, features = _labels_of_frames(mean, std, names, features)
        mean, cov, std, factors, features = without_units(mean, cov, std, factors, features)
        means, absent = means_from(mean, check, keep=missing == "keep")
        n, d = means.shape
        new_weights, total = weights_from(weights, n)
        if source is not None:
            check_choice(source, ("values", "groups", "posterior"), "source")
        parts: dict[str, Any] = {
            "mean": frozen(means),
            "cov": covariance_from(cov, std, factors, (n, d), check, absent),
            "given_weights": new_weights,
            "total_weight": total,
            "counts": counts_from(counts, n),
            "names": check_labels(names, "names", n, "row"),
            "features": check_labels(features, "features", d, "feature"),
            "laws": None if laws is None else _laws_from(laws, means, check),
            "missing": absent,
            "origin": origin,
            "source": source or ("values" if counts is None else "groups"),
            "library": library,
            "parameter_errors": None,
        }
        for name, value in parts.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        ways = {slot: f"replace({slot}=…)" for slot in UncertainArray.__slots__}
        ways |= {"weights": "reweighted(…)", "std": "replace(cov=…)"}
        remedy = f"; use X.{ways[name]} for a copy with another {name}" if name in ways else ""
        raise AttributeError(f"an UncertainArray is immutable{remedy}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("an UncertainArray is immutable")

    def __setstate__(self, state: tuple[Any, dict[str, Any]]) -> None:
        for name, value in state[1].items():  # arrays are read-only again
            object.__setattr__(
                self, name, frozen(value) if isinstance(value, np.ndarray) else value
            )

    def replace(self, **parts: Any) -> Self:
        """The same rows with some of their attributes replaced.

        As with ``check=False``, values are not checked.

        Parameters
        ----------
        **parts : attributes
            By name, such as ``mean``, ``cov``, ``given_weights``, ``laws`` or ``source``.

        Examples
        --------
        >>> import uapca
        >>> uapca.UncertainArray([[1.0, 2.0]]).replace(source="posterior").source
        'posterior'
        """
        unknown = parts.keys() - set(UncertainArray.__slots__)
        if unknown:
            raise TypeError(
                f"parts must be attributes that an UncertainArray keeps; got {min(unknown)!r}; "
                f"known are {listed(sorted(UncertainArray.__slots__))}"
            )
        new = type(self).__new__(type(self))
        slots = UncertainArray.__slots__
        parts = dict(zip(slots, attrgetter(*slots)(self), strict=True)) | parts
        if parts["missing"] is not None and not parts["missing"].any():
            parts["missing"] = None
        for name, value in (parts | {"mean": frozen(parts["mean"])}).items():
            object.__setattr__(new, name, value)
        return new

    # Attributes

    @property
    def std(self) -> Floats:
        std = self.cov.std()
        return std if self.missing is None else np.where(self.missing, np.nan, std)

    @property
    def weights(self) -> Doubles:
        n = len(self)
        return np.broadcast_to(1.0 / n, n) if self.given_weights is None else self.given_weights

    @property
    def shape(self) -> tuple[int, int]:
        n, d = self.mean.shape
        return n, d

    @property
    def ndim(self) -> int:
        return 2

    def __len__(self) -> int:
        return int(self.mean.shape[0])

    def __array__(self, *_: object, **__: object) -> NoReturn:
        raise TypeError(
            "an UncertainArray is not an array of numbers; use X.mean for the expected values, "
            "X.std for their errors or X.sample(n) for draws"
        )

    def __getattr__(self, name: str) -> NoReturn:
        hint = f"; use X.{_ELSEWHERE[name]}" if name in _ELSEWHERE else ""
        raise AttributeError(f"'UncertainArray' object has no attribute {name!r}{hint}")

    def require_complete(self, what: str) -> None:
        """Raise if cells are missing; ``what`` is the function that cannot use such rows."""
        if self.missing is None:
            return
        cells, rows = int(self.missing.sum()), int(self.missing.any(axis=1).sum())
        raise ValueError(
            f"{what} needs complete rows; {plural(cells, 'cell')} in {plural(rows, 'row')} "
            f"{'is' if cells == 1 else 'are'} missing: estimate values with uapca.Denoiser, or "
            'leave the rows out with missing="drop" when reading or X[~X.missing.any(axis=1)]'
        )

    # Selecting

    def __getitem__(self, index: Index | tuple[Index, Index]) -> UncertainArray:
        """Rows by position, mask, slice or name; ``X[rows, features]`` selects features too.

        The weights of the chosen rows are made to sum to 1 again. Names must be distinct, so
        they are dropped where one row is taken twice.
        """
        if isinstance(index, tuple):
            if len(index) != 2:
                raise IndexError(f"index must be X[rows] or X[rows, features]; got {len(index)}")
            return self[index[0]]._select_features(index[1])
        rows = positions(index, len(self), self.names, "row", self.features)
        if isinstance(rows, slice) and rows == slice(None):
            return self
        weights, total = self._weights_of(rows)
        return self.replace(
            mean=self.mean[rows],
            cov=self.cov.take(rows),
            given_weights=weights,
            total_weight=total,
            counts=None if self.counts is None else frozen(self.counts[rows]),
            names=_taken(self.names, rows),
            laws=None if self.laws is None else self.laws[rows],
            missing=None if self.missing is None else frozen(self.missing[rows]),
        )

    def __iter__(self) -> Iterator[UncertainArray]:
        return (self[i : i + 1] for i in range(len(self)))

    def _weights_of(self, rows: Rows) -> tuple[Doubles | None, float]:
        """The weights of some rows. If they are all zero the rows count the same."""
        if self.given_weights is None:
            return None, self.total_weight * len(self.mean[rows]) / len(self)
        chosen = self.given_weights[rows]
        share = float(chosen.sum())
        if share == 0.0:
            return None, 0.0
        return frozen(chosen / share), self.total_weight * share

    def _select_features(self, index: Index) -> UncertainArray:
        columns = positions(index, self.shape[1], self.features, "feature")
        if isinstance(columns, slice) and columns == slice(None):
            return self
        laws = self.laws
        if laws is not None:
            chosen = np.eye(self.shape[1])[columns]
            laws = laws.affine(chosen, np.zeros(len(chosen)))
        return self.replace(
            mean=self.mean[:, columns],
            cov=self.cov.select(columns),
            features=_taken(self.features, columns),
            laws=laws,
            missing=None if self.missing is None else frozen(self.missing[:, columns]),
            parameter_errors=None,
        )

    # Mapping

    def affine(
        self,
        A: npt.ArrayLike,
        b: npt.ArrayLike | None = None,
        *,
        center: npt.ArrayLike | None = None,
        features: Sequence[str] | None = None,
    ) -> UncertainArray:
        """The rows mapped by x → A (x − center) + b (paper, Eq. (affine-cov)).

        Parameters
        ----------
        A : array-like of shape (q, D) or (D,)
            A matrix, or a factor for each axis. Factors keep every representation and missing
            cells; a matrix needs complete rows.
        b : array-like of shape (q,), optional
        center : array-like of shape (D,), optional
            Subtracted first: far from zero ``b = -A @ center`` would lose digits.
        features : sequence of q str, optional
            Names of the new features. With factors the old names are kept.
        """
        d = self.shape[1]
        matrix = linear_map(A, d)
        if matrix.ndim == 2:
            self.require_complete("affine with a matrix")
        q = len(matrix)
        offset = np.zeros(q) if b is None else vector(b, "b", "new feature", q)
        origin = np.zeros(d) if center is None else vector(center, "center", "feature", d)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = mapped(self.mean, matrix, origin)
            if b is not None:
                mean += offset
            mean = mean.astype(self.mean.dtype, copy=False)
        known = mean if self.missing is None else np.where(self.missing, 0.0, mean)
        check_finite(known, "A x + b", ("row", "new feature"))
        names = self.features if matrix.ndim == 1 else None
        if features is not None:
            names = check_labels(features, "features", q, "feature")
        return self.replace(
            mean=mean,
            cov=self.cov.project(matrix),
            features=names,
            laws=self.laws and self.laws.affine(matrix, offset - mapped(origin[None], matrix)[0]),
            parameter_errors=(
                self.parameter_errors.scaled(matrix)
                if self.parameter_errors is not None and matrix.ndim == 1
                else None
            ),
        )

    def scaled(self, s: float) -> UncertainArray:
        """The data with every Ψₙ times s²; fitting it at scale 1 is fitting the original at s."""
        s = scale_from(s, "s")
        if np.isinf(s):
            raise ValueError(
                "s must be finite; got inf; UAPCA(scale=numpy.inf) is the limit of the fit"
            )
        laws = None if self.laws is None else self.laws.scaled(s)
        cov = Zero(*self.shape) if s == 0 else self.cov.scaled(s)
        return self.replace(mean=self.mean.view(), cov=cov, laws=laws, parameter_errors=None)

    def reweighted(self, weights: npt.ArrayLike | None) -> UncertainArray:
        """The same rows with other weights; None makes them equal."""
        new, total = weights_from(weights, len(self))
        return self.replace(mean=self.mean.view(), given_weights=new, total_weight=total)

    def map(
        self,
        function: str | Function,
        *,
        derivative: Function | tuple[Function, Function] | None = None,
        features: Index | None = None,
    ) -> UncertainArray:
        """An elementwise function of the values, with their errors propagated to second order.

        Means and covariances are those of normal rows up to second order in the errors, and exact
        for exp. Errors that are independent, or few factors, stay so; for factors what second
        order adds is kept on the diagonal. Laws are not kept. Where the function is too curved
        for the errors a warning says so.

        Parameters
        ----------
        function : str or function
            ``"log"``, ``"log10"``, ``"log1p"``, ``"sqrt"``, ``"exp"``, ``"reciprocal"`` (or the
            NumPy functions of these names) or ``"magnitude"``, which is −2.5 log10 of a flux. Any
            other function of an array needs its ``derivative``.
        derivative : function, or pair of functions, optional
            The first derivative, or the first and the second.
        features : index, optional
            The features to map; all by default.

        Examples
        --------
        >>> import numpy as np, uapca
        >>> flux = uapca.UncertainArray([[100.0, 5.0]], std=[[2.0, 0.1]], features=["f", "x"])
        >>> flux.map("magnitude", features="f")
        UncertainArray: 1 row × 2 features, independent errors
          features  magnitude(f), x
          0  -5 ± 0.022  5 ± 0.1
        """
        name = function if isinstance(function, str) else getattr(function, "__name__", "function")
        if isinstance(function, str):
            check_choice(function, KNOWN, "function")
            functions = KNOWN[function]
        elif name in KNOWN and function is getattr(np, name, None):
            functions = KNOWN[name]
        elif derivative is None:
            raise ValueError(
                f"derivative must be given for {name}; without it, function must be one of "
                f"{', '.join(map(repr, KNOWN))}"
            )
        elif isinstance(derivative, tuple):
            functions = (function, *derivative, np.zeros_like)
        else:
            functions = (function, *derivatives_from(derivative))
        d = self.shape[1]
        chosen = np.zeros(d, dtype=bool)
        chosen[
            slice(None) if features is None else positions(features, d, self.features, "feature")
        ] = True
        mean, cov = propagated(self.mean.astype(np.float64), self.cov, chosen, name, functions)
        labels = self.features and tuple(
            f"{name}({label})" if yes else label
            for label, yes in zip(self.features, chosen, strict=True)
        )
        return self.replace(
            mean=mean.astype(self.mean.dtype, copy=False),
            cov=cov,
            features=labels,
            laws=None,
            parameter_errors=None,
        )

    # Moments, draws and laws

    def pooled(self) -> tuple[Doubles, Doubles]:
        """Mean μ and covariance K(1) = C + Ψ̄ of all rows together (law of total variance)."""
        from uapca.aggregate.accumulate import moments  # aggregate imports this package

        self.require_complete("pooled")
        with np.errstate(over="ignore", invalid="ignore"):
            mean, between = moments(self.mean, self.given_weights)
            total = between + self.cov.average(self.given_weights)
        if not np.isfinite(total).all():
            check_finite(self.mean, "mean", ("row", "feature"))
            raise ValueError(out_of_range("mean"))
        return mean, total

    def sample(self, n: int, rng: Seed = None) -> Doubles:
        """Draw every row ``n`` times, from its law or, where it has none, as a normal.

        Returns
        -------
        ndarray of shape (n, N, D)
        """
        if not isinstance(n, int | np.integer) or n < 1:
            raise ValueError(f"n must be a positive integer; got {shown(n)}")
        self.require_complete("sample")
        generator = rng_from(rng)
        if self.laws is None:
            draws = self.cov.deviates(int(n), generator)
            draws += self.mean
            return draws
        return self.laws.sample(int(n), generator)

    def law(self, row: int | str) -> uapca.laws.Law:
        """The law of one row: what is known of it, or the normal with its mean and covariance."""
        rows = positions(row, len(self.mean), self.names, "row")
        if isinstance(rows, slice) or len(rows) != 1:
            raise IndexError(f"row must be the position or the name of one row; got {shown(row)}")
        index = int(rows[0])
        if self.missing is not None:
            self[index].require_complete("law")
        if self.laws is not None:
            return self.laws[index]
        from uapca.laws import Normal  # a fit does not need it

        return Normal(self.mean[index], self.cov.take(slice(index, index + 1)).dense()[0])

    def density(
        self, row: int | str, grid: npt.ArrayLike | tuple[npt.ArrayLike, npt.ArrayLike]
    ) -> Floats:
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
        uapca.DegenerateLawError
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

    # Tables, files and text

    def to_frame(self, *, corr: bool | None = None, library: str | None = None) -> Any:
        """A data frame: a column for each feature and one with its standard deviation.

        Parameters
        ----------
        corr : bool, optional
            Whether pairs of features have a column ``x_y_corr`` with the correlation of their
            errors, as in the table that ``uapca project`` writes. By default they have one if
            the errors are correlated. ``uapca.from_frame(frame, corr="{}_{}_corr")`` reads
            them.
        library : {"pandas", "polars", "pyarrow"}, optional
            What kind of frame; by default the kind that the data came in, or else pandas. Names
            are the index in pandas and the first column in the others.

        Examples
        --------
        >>> import uapca
        >>> X = uapca.UncertainArray([[1.0, 2.0]], [[[4.0, -1.0], [-1.0, 1.0]]], names=["a"])
        >>> X.to_frame()
               x0  x0_err   x1  x1_err  x0_x1_corr
        name
        a     1.0     2.0  2.0     1.0        -0.5
        """
        d = self.shape[1]
        if corr is None and d > _WIDEST and has_correlations(self):
            raise ValueError(
                f"corr must be given for more than {_WIDEST} features with correlated errors; the "
                f"pairs of {d} features would have {d * (d - 1) // 2:,} columns: pass corr=False "
                "to leave them out or corr=True to have them"
            )
        columns = columns_of_rows(self, corr is None or corr)
        return frame_of(columns, self.names, library or self.library or "pandas")

    def to_xarray(self, *, cov: bool | None = None) -> Any:
        """An xarray dataset with ``mean``, ``std`` and ``weight``, by row and feature.

        Parameters
        ----------
        cov : bool, optional
            Whether to add ``cov``, a matrix for each row. By default it is added where the errors
            are correlated.

        Examples
        --------
        >>> import uapca
        >>> X = uapca.UncertainArray([[1.0, 2.0]], std=0.5, names=["a"], features=["x", "y"])
        >>> X.to_xarray()["std"].sel(row="a", feature="y").item()
        0.5
        """
        xarray = optional("xarray", "to_xarray")
        values: dict[str, Any] = {
            "mean": (("row", "feature"), self.mean),
            "std": (("row", "feature"), self.std),
            "weight": ("row", self.weights),
        }
        if has_correlations(self) if cov is None else cov:
            values["cov"] = (("row", "feature", "feature2"), self.cov.dense())
        if self.counts is not None:
            values["count"] = ("row", self.counts)
        labels = {"row": self.names, "feature": self.features, "feature2": self.features}
        used = {dim for dims, _ in values.values() for dim in np.atleast_1d(dims)}
        coords = {dim: list(label) for dim, label in labels.items() if label and dim in used}
        return xarray.Dataset(values, coords)

    def to_uncertainties(self) -> npt.NDArray[np.object_]:
        """Numbers of the ``uncertainties`` package, shape (N, D), correlated within each row.

        Examples
        --------
        >>> import uapca
        >>> X = uapca.UncertainArray([[1.0, 2.0]], [[[4.0, 4.0], [4.0, 4.0]]])
        >>> a, b = X.to_uncertainties()[0]
        >>> print(a, b - a)
        1.0+/-2.0 1.0+/-0
        """
        self.require_complete("to_uncertainties")
        uncertainties = optional("uncertainties", "to_uncertainties")
        rows: list[Any] = []
        with warnings.catch_warnings():  # about numbers that are certain
            warnings.simplefilter("ignore", UserWarning)
            for row in self:
                mean = row.mean[0].tolist()
                if has_correlations(self):
                    rows.append(uncertainties.correlated_values(mean, row.cov.dense()[0]))
                else:
                    rows.append(list(map(uncertainties.ufloat, mean, row.std[0].tolist())))
        return np.array(rows, dtype=object)

    def save(self, path: str | PathLike[str]) -> None:
        """Write everything but ``parameter_errors`` and ``library`` to one file, exactly.

        `uapca.load` reads it. Without the errors of its parameters the truth behind posterior rows
        cannot be redrawn: `uapca.component_uncertainty` of loaded rows redraws their values.
        """
        from uapca.uncertain.io import save

        save(self, path)

    def __repr__(self) -> str:
        """The headline, the features and the first rows as mean ± standard deviation."""
        lines = [f"UncertainArray: {headline(self)}"]
        if self.features is not None:
            shown = ", ".join(map(_short, self.features[:_COLUMNS]))
            more = f", … ({self.shape[1]} in all)" if self.shape[1] > _COLUMNS else ""
            lines.append(f"  features  {shown}{more}")
        labels, cells = _cells(self)
        width = max(map(len, labels))
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for label, row in zip(labels, cells, strict=True):
            padded = "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True))
            lines.append(f"  {label:<{width}}  {padded}".rstrip())
        if len(self) > _ROWS:
            lines.append(f"  … {len(self) - _ROWS} more rows")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The same as a table; every name is escaped."""
        labels, cells = _cells(self)
        shown = min(self.shape[1], _COLUMNS)
        features = self.features or tuple(f"x{j}" for j in range(shown))
        head = [_short(f) for f in features[:shown]] + ["…"] * (self.shape[1] > shown)
        rows = [
            f"<tr><th>{escape(label)}</th>"
            + "".join(f"<td>{escape(c)}</td>" for c in row)
            + "</tr>"
            for label, row in zip(labels, cells, strict=True)
        ]
        more = len(self) - _ROWS
        note = f"<p>… {more} more rows</p>" if more > 0 else ""
        return (
            f"<div><p><b>UncertainArray</b>: {escape(headline(self))}</p>"
            "<table><thead><tr><th></th>"
            + "".join(f"<th>{escape(f)}</th>" for f in head)
            + "</tr></thead><tbody>"
            + "".join(rows)
            + f"</tbody></table>{note}</div>"
        )


def mapped(points: Floats, A: Doubles, center: Doubles | float = 0.0) -> Doubles:
    """A (x − center) of points in float64, in blocks; ``A`` a matrix or a factor for each axis.

    Centered first, so that an offset costs no digits.
    """
    product: Any = np.multiply if A.ndim == 1 else np.matmul
    out = np.empty((len(points), len(A)))
    for block in row_blocks(len(points), points.shape[1], least=64):
        product(points[block] - center, A.T, out=out[block])
    return out


def concat(arrays: Sequence[UncertainArray]) -> UncertainArray:
    """The rows of several arrays, one after the other.

    Rows keep their weights relative to one another as they were given: two sets of clusters
    weighted by their counts become one such set. The representation of the covariances is kept
    where all have the same, and the simplest that holds them all is taken otherwise: certain rows
    beside independent errors stay diagonal, matrices make everything dense.

    Parameters
    ----------
    arrays : sequence of UncertainArray
        With the same features. Names, counts and laws are kept if all arrays have them (and no
        two names are equal); source and origin if they are the same in all.

    Returns
    -------
    UncertainArray

    See Also
    --------
    uapca.UncertainArray : The rows: means and covariances.

    Examples
    --------
    >>> import uapca
    >>> sure = uapca.UncertainArray([[0.0, 1.0]])
    >>> vague = uapca.UncertainArray([[2.0, 3.0]], std=0.5)
    >>> uapca.concat([sure, vague]).std
    array([[0. , 0. ],
           [0.5, 0.5]])
    """
    arrays = list(arrays)
    if not arrays or not all(isinstance(X, UncertainArray) for X in arrays):
        raise TypeError(
            "arrays must be UncertainArrays, at least one; "
            f"got {[type(X).__name__ for X in arrays]}"
        )
    first = arrays[0]
    for k, X in enumerate(arrays):
        if X.shape[1] != first.shape[1]:
            raise ValueError(
                "arrays must have the same number of features; "
                f"array 0 has {first.shape[1]}, array {k} has {X.shape[1]}"
            )
        if None not in (X.features, first.features) and X.features != first.features:
            raise ValueError(
                "arrays must have the same features in the same order; "
                f"array 0 has {first.features}, array {k} has {X.features}: order them with "
                "X[:, features]"
            )
    largest = max(max(X.total_weight for X in arrays), np.finfo(float).tiny)
    shares = [X.total_weight / largest for X in arrays]
    total = min(float(sum(shares)) * float(largest), float(np.finfo(float).max))
    equal = all(X.given_weights is None and X.total_weight == len(X) for X in arrays)
    weights = None
    if not equal and total > 0:
        parts = [X.weights * (share / sum(shares)) for X, share in zip(arrays, shares, strict=True)]
        weights = frozen(np.concatenate(parts))
    mean = np.concatenate([X.mean for X in arrays])
    names = tuple(name for X in arrays for name in X.names or ())
    laws = [law for X in arrays for law in X.laws or ()]
    counts = [X.counts for X in arrays if X.counts is not None]
    sources = {X.source for X in arrays}
    alike = len(sources) == 1  # otherwise counts are those of points in some, of means in others
    return first.replace(
        mean=mean,
        cov=joined([X.cov for X in arrays]),
        given_weights=weights,
        total_weight=total,
        counts=frozen(np.concatenate(counts)) if len(counts) == len(arrays) and alike else None,
        names=names if len(set(names)) == len(mean) else None,
        features=next((X.features for X in arrays if X.features is not None), None),
        laws=LawList(laws) if len(laws) == len(mean) else None,
        missing=frozen(np.isnan(mean)) if any(X.missing is not None for X in arrays) else None,
        origin=first.origin if len({X.origin for X in arrays}) == 1 else None,
        source=first.source if alike else "values",
        parameter_errors=None,
    )


class LawList(Sequence["uapca.laws.Law"]):
    """One law for each row, and one affine map for all of them.

    The map is applied when a law is accessed: projecting a million rows maps none of them.
    """

    __slots__ = ("items", "map")

    def __init__(
        self, items: Sequence[uapca.laws.Law], map: tuple[Doubles, Doubles] | None = None
    ) -> None:
        # A list may change later; other sequences may create their laws on access.
        self.items: Sequence[uapca.laws.Law] = tuple(items) if isinstance(items, list) else items
        #: The matrix (q, D) and the offset (q,) of the map; None for no map.
        self.map: tuple[Doubles, Doubles] | None = map

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, index: int) -> uapca.laws.Law: ...
    @overload
    def __getitem__(self, index: Rows) -> LawList: ...
    def __getitem__(self, index: int | Rows) -> uapca.laws.Law | LawList:
        if isinstance(index, slice):
            return LawList(self.items[index], self.map)
        if isinstance(index, np.ndarray):
            return LawList([self.items[i] for i in index], self.map)
        law = self.items[index]
        return law if self.map is None else law.affine(*self.map)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"LawList({len(self)} laws)"

    def affine(self, A: Doubles, b: Doubles) -> LawList:
        """The laws of A x + b; ``A`` of shape (q, D), or (D,) for a factor on each axis."""
        A = np.diag(A) if A.ndim == 1 else A
        if self.map is not None:
            matrix, offset = self.map
            A, b = A @ matrix, A @ offset + b
        return LawList(self.items, (A, b))

    def sample(self, n: int, rng: np.random.Generator) -> Doubles:
        """Draws of all rows, of shape (n, N, D)."""
        from uapca.laws import sample_rows  # most data does not need it

        draws = sample_rows(self.items, n, rng)
        if self.map is None:
            return draws
        matrix, offset = self.map
        return np.asarray(draws @ matrix.T + offset)

    def scaled(self, s: float) -> LawList:
        """The laws with all deviations from their means times ``s``."""
        return LawList([law.scaled(s) for law in self.items], self.map)


def _laws_from(laws: Sequence[object], means: Floats, check: bool) -> LawList:
    """One law for each row, each with the mean of its row."""
    if len(laws) != len(means):
        raise ValueError(
            f"laws must have one entry for each row; got {len(laws)} for {len(means)} rows"
        )
    if not check:
        return LawList(laws)  # type: ignore[arg-type]
    from uapca.laws import as_law  # most data does not need it

    checked = [as_law(law, means.shape[1]) for law in laws]
    for i, (law, row) in enumerate(zip(checked, means, strict=True)):
        difference, size = np.abs(law.mean - row), np.abs(row) + law.std
        if (difference > 1e-6 * size + np.finfo(float).tiny).any():  # False where row is NaN
            raise ValueError(
                "laws must have the means of their rows; the law of row "
                f"{i} has mean {law.mean} instead of {row}"
            )
    return laws if isinstance(laws, LawList) else LawList(checked)


def _labels_of_frames(mean: Any, std: Any, names: Any, features: Any) -> tuple[Any, Any]:
    """Names and features, taken from a data frame's index and columns where they are strings.

    Index entries that are not distinct are no names: they are left out. Frames of means and of
    errors must have the same columns in the same order.
    """
    columns, index = getattr(mean, "columns", None), getattr(mean, "index", None)
    others = getattr(std, "columns", None)
    if columns is not None and others is not None and list(columns) != list(others):
        raise ValueError(
            "std must have the columns of mean in the same order; "
            f"got {list(others)} for {list(columns)}"
        )
    if features is None and columns is not None and all(isinstance(c, str) for c in columns):
        features = list(columns)
    labels = index if names is None and not callable(index) else None
    if labels is not None and len(labels) and all(isinstance(i, str) for i in labels):
        names = list(labels) if len(set(labels)) == len(labels) else None
    return names, features


# Rows and features by position, mask, slice or name


def positions(
    index: Index,
    count: int,
    labels: tuple[str, ...] | None,
    axis: str,
    features: tuple[str, ...] | None = None,
) -> Rows:
    """An index of any kind as a slice or as positions, at least one of ``count``.

    A row that is not there may be one of the ``features``, which the message then says.
    """
    if index is Ellipsis:
        return slice(None)
    if isinstance(index, slice):
        if not len(range(*index.indices(count))):
            raise IndexError(f"index must select at least one {axis}; {index} is empty here")
        return index
    array = np.atleast_1d(np.asarray(index))
    if array.dtype.kind in "UT":  # text of a fixed width has lost the NUL characters at its end
        array = np.atleast_1d(np.asarray(index, dtype=object))
    if array.dtype.kind == "O" and array.size and all(isinstance(a, str) for a in array.flat):
        known = {} if labels is None else {label: i for i, label in enumerate(labels)}
        unknown = [label for label in array if label not in known]
        if unknown:
            raise KeyError(_unknown(unknown[0], axis, labels, features or ()))
        return np.array([known[label] for label in array], dtype=np.intp)
    if array.dtype.kind == "b" and array.shape == (count,):
        if not array.any():
            raise IndexError(f"index must select at least one {axis}; the mask is all False")
        return np.flatnonzero(array)
    if array.dtype.kind in "iu" and array.ndim == 1 and array.size:
        found = array.astype(np.intp)
        outside = (found < -count) | (found >= count)
        if outside.any():
            raise IndexError(
                f"index must be below the number of {axis}s, {count}; got {found[outside][0]}"
            )
        return np.where(found < 0, found + count, found)
    raise IndexError(
        f"index must select {axis}s by position, mask of length {count}, slice or name; "
        f"got {type(index).__name__} with shape {array.shape} and dtype {array.dtype}"
    )


def _unknown(
    name: str, axis: str, labels: tuple[str, ...] | None, features: tuple[str, ...]
) -> str:
    text = f"{axis} name must be one of the {axis}s' names; got {name!r}"
    if labels is None:
        text += f", but the {axis}s have no names"
    if name in features:
        return f"{text}: it is a feature, which X[:, {name!r}] selects"
    close = nearest(name, labels or ())
    if close:
        return f"{text}: perhaps {close!r} was meant"
    if labels is None:
        return text
    return f"{text}, and there are {', '.join(map(repr, labels[:8]))}{', …' * (len(labels) > 8)}"


def _taken(labels: tuple[str, ...] | None, rows: Rows) -> tuple[str, ...] | None:
    """The labels of a selection; None where one would occur twice."""
    if labels is None:
        return None
    chosen = labels[rows] if isinstance(rows, slice) else tuple(labels[i] for i in rows)
    return chosen if len(set(chosen)) == len(chosen) else None


# Tables


def has_correlations(X: UncertainArray) -> bool:
    """Whether the errors of a row may be correlated."""
    return X.cov.kind not in ("zero", "diagonal")


def columns_of_rows(X: UncertainArray, corr: bool) -> dict[str, Floats]:
    """Columns ``x`` and ``x_err`` for each feature, in the storage type of the rows.

    With ``corr`` also ``x_y_corr`` for each pair that is correlated in some row.
    """
    features, std = X.features or tuple(f"x{j}" for j in range(X.shape[1])), X.std
    parts: list[tuple[str, Floats]] = []
    for j, feature in enumerate(features):
        parts += (feature, X.mean[:, j]), (ERROR.replace("{}", feature), std[:, j])
    if corr and has_correlations(X):
        covs, errors = X.cov.dense(), X.cov.std().astype(np.float64)
        # A certain value is correlated with nothing.
        scale = np.divide(1.0, errors, out=np.zeros_like(errors), where=errors > 0.0)
        head, middle, tail = CORRELATION.split("{}")
        for i, first in enumerate(features):
            for j in range(i + 1, len(features)):
                values = covs[:, i, j] * scale[:, i] * scale[:, j]
                if values.any():
                    name = f"{head}{first}{middle}{features[j]}{tail}"
                    parts.append((name, np.clip(values, -1.0, 1.0)))
    columns = dict(parts)
    if len(columns) < len(parts):
        names = [name for name, _ in parts]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(
            "features must give a table columns of different names; two of them would be called "
            f"{twice!r}"
        )
    return columns


# Text


def headline(X: UncertainArray) -> str:
    """Shape, kind of errors, storage type, weights, laws and missing cells in a line."""
    n, d = X.shape
    parts = [f"{plural(n, 'row')} × {plural(d, 'feature')}", _KINDS[X.cov.kind]]
    types = {str(X.mean.dtype), str(X.cov.dtype)}
    if types != {"float64"}:
        parts.append(" and ".join(sorted(types)))
    if np.ptp(X.weights) > 0:
        parts.append(f"weights {X.weights.min():.3g} to {X.weights.max():.3g}")
    if X.laws is not None:
        parts.append("laws known")
    if X.missing is not None:
        parts.append(plural(int(X.missing.sum()), "missing cell"))
    return ", ".join(parts)


def _cells(X: UncertainArray) -> tuple[list[str], list[list[str]]]:
    """Labels and cells of the first rows and features."""
    n, d = X.shape
    rows, columns = min(n, _ROWS), min(d, _COLUMNS)
    head = X[:rows, :columns]
    labels = [_short(a) for a in head.names or [str(i) for i in range(rows)]]
    absent = np.zeros(head.shape, dtype=bool) if head.missing is None else head.missing
    cells = [
        ["missing" if gone else f"{m:.4g} ± {s:.2g}" for m, s, gone in zip(*parts, strict=True)]
        + ["…"] * (d > columns)
        for parts in zip(head.mean, head.std, absent, strict=True)
    ]
    return labels, cells


def _short(label: str) -> str:
    label = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in label)
    return label if len(label) <= _WIDTH else label[: _WIDTH - 1] + "…"
