"""The data: N uncertain rows in D features."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from uapca._validation import (
    Floats,
    as_floats,
    check_finite,
    check_labels,
    complaint,
    frozen,
    restore_frozen,
    shape_of,
)
from uapca.uncertain.blocks import Doubles
from uapca.uncertain.checks import covariance_from, means_from, scale_from, weights_from
from uapca.uncertain.covariance import Covariance, Rows
from uapca.uncertain.indexing import positions, taken
from uapca.uncertain.lawlist import LawList
from uapca.uncertain.reading import Reading
from uapca.uncertain.structured import Zero, lifted

__all__ = ["UncertainArray"]


class UncertainArray(Reading):
    """N random vectors in D features: a mean and a covariance for each row.

    Parameters
    ----------
    mean : array-like of shape (N, D)
        The expected values. float32 is kept as float32, integers become float64. A pandas
        data frame also gives ``features`` (its columns) and, where its index holds strings,
        ``names``.
    cov : array-like of shape (N, D, D) or (D, D), optional
        One covariance matrix for each row, or one that all rows share.
    std : array-like that broadcasts to (N, D), optional
        Standard deviations of independent errors: a number, one for each feature ``(D,)``, one
        for each row ``(N, 1)`` or one for each value ``(N, D)``.
    factors : array-like of shape (N, D, r), optional
        Few directions of error for each row: Ψₙ = Fₙ Fₙᵀ, plus diag(std²) if ``std`` is given.
    weights : array-like of shape (N,), optional
        How much each row counts, zero or positive; equal by default. Kept so that they sum to 1.
    names, features : sequence of str, optional
        Distinct names of the rows and of the features.
    laws : sequence of N laws, optional
        What is known of each row beyond mean and covariance.
    check : bool, default=True
        Whether to look at the values: finite, symmetric, positive semi-definite. False trusts
        them and costs nothing; shapes and weights are checked all the same.

    Attributes
    ----------
    mean : ndarray of shape (N, D)
    cov : Covariance
        The covariances, in the representation in which they were given; ``cov.dense()`` expands.
    weights : ndarray of shape (N,)
    total_weight : float
        The sum the weights had when they were given (N if they were not): `concat` goes by it.
    names, features : tuple of str, or None
    laws : sequence of laws, or None
    shape : tuple of int

    Notes
    -----
    An UncertainArray does not change. It keeps the arrays it is given without copying them and
    hands them out read-only; whoever changes the original changes what is kept.

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
    """

    __slots__ = ("_cov", "_features", "_laws", "_mean", "_names", "_total", "_weights")
    _mean: Floats
    _cov: Covariance
    _weights: Doubles | None
    _total: float
    _names: tuple[str, ...] | None
    _features: tuple[str, ...] | None
    _laws: LawList | None

    def __init__(
        self,
        mean: Any,
        cov: Any = None,
        *,
        std: Any = None,
        factors: Any = None,
        weights: Any = None,
        names: Sequence[str] | None = None,
        features: Sequence[str] | None = None,
        laws: Sequence[Any] | None = None,
        check: bool = True,
    ) -> None:
        names, features = _labels_of_frame(mean, names, features)
        _check_columns(mean, std)
        means = means_from(mean, check)
        n, d = means.shape
        self._mean = frozen(means)
        self._cov = covariance_from(cov, std, factors, (n, d), check)
        self._weights, self._total = weights_from(weights, n)
        self._names = check_labels(names, "names", n, "row")
        self._features = check_labels(features, "features", d, "feature")
        if laws is not None and len(laws) != n:
            raise ValueError(
                complaint(
                    "laws",
                    "have one entry for each row",
                    f"got {len(laws)} for {n} rows",
                    "Leave laws out if only means and covariances are known",
                )
            )
        if laws is not None and check:
            from uapca.laws import as_law  # which most data does without

            laws = [as_law(law, d) for law in laws]
        self._laws = None if laws is None else LawList(laws)
        if self._laws is not None and check:
            _check_laws(self._laws, means)

    @classmethod
    def _of(
        cls,
        mean: Floats,
        cov: Covariance,
        weights: Doubles | None,
        total: float,
        names: tuple[str, ...] | None,
        features: tuple[str, ...] | None,
        laws: LawList | None,
    ) -> Self:
        """An array of parts known to be right: nothing is checked again."""
        new = cls.__new__(cls)
        mean.flags.writeable = False
        new._mean = mean
        new._cov = cov
        new._weights = weights
        new._total = total
        new._names = names
        new._features = features
        new._laws = laws
        return new

    def __setstate__(self, state: tuple[Any, dict[str, Any]]) -> None:
        restore_frozen(self, state)

    # What is inside

    @property
    def mean(self) -> Floats:
        return self._mean

    @property
    def cov(self) -> Covariance:
        return self._cov

    @property
    def weights(self) -> Doubles:
        n = len(self)
        return np.broadcast_to(1.0 / n, n) if self._weights is None else self._weights

    @property
    def total_weight(self) -> float:
        return self._total

    @property
    def names(self) -> tuple[str, ...] | None:
        return self._names

    @property
    def features(self) -> tuple[str, ...] | None:
        return self._features

    @property
    def laws(self) -> LawList | None:
        return self._laws

    @property
    def shape(self) -> tuple[int, int]:
        n, d = self._mean.shape
        return n, d

    def __len__(self) -> int:
        return int(self._mean.shape[0])

    # Selecting

    def __getitem__(self, index: Any) -> UncertainArray:
        """Rows by position, mask, slice or name; ``X[rows, features]`` selects features too.

        The weights of the chosen rows are made to sum to 1 again. Names must be distinct, so
        they are dropped where one row is taken twice.
        """
        if isinstance(index, tuple):
            if len(index) != 2:
                raise IndexError(
                    complaint(
                        "index",
                        "select rows, or rows and features",
                        f"got {len(index)} indices",
                        "Use X[rows] or X[rows, features]",
                    )
                )
            return self[index[0]]._select_features(index[1])
        rows = positions(index, len(self), self._names, "row", self._features)
        if isinstance(rows, slice) and rows == slice(None):
            return self
        weights, total = self._weights_of(rows)
        return UncertainArray._of(
            self._mean[rows],
            self._cov.take(rows),
            weights,
            total,
            taken(self._names, rows),
            self._features,
            None if self._laws is None else self._laws.take(rows),
        )

    def __iter__(self) -> Iterator[UncertainArray]:
        return (self[i : i + 1] for i in range(len(self)))

    def _weights_of(self, rows: Rows) -> tuple[Doubles | None, float]:
        """The weights of some rows. If they are all zero the rows count the same."""
        if self._weights is None:
            n = len(self._mean[rows])
            return None, self._total * n / len(self)
        chosen = self._weights[rows]
        share = float(chosen.sum())
        if share == 0.0:
            return None, 0.0
        return frozen(chosen / share), self._total * share

    def _select_features(self, index: Any) -> UncertainArray:
        columns = positions(index, self.shape[1], self._features, "feature")
        if isinstance(columns, slice) and columns == slice(None):
            return self
        laws = self._laws
        if laws is not None:
            chosen = np.eye(self.shape[1])[columns]
            laws = laws.affine(chosen, np.zeros(len(chosen)))
        mean, cov = self._mean[:, columns], self._cov.select(columns)
        return self._mapped(mean, cov, taken(self._features, columns), laws)

    # Mapping

    def affine(
        self,
        A: npt.ArrayLike,
        b: npt.ArrayLike | None = None,
        *,
        features: Sequence[str] | None = None,
    ) -> UncertainArray:
        """The rows mapped by x → A x + b (paper, Eq. (affine-cov)).

        Parameters
        ----------
        A : array-like of shape (q, D) or (D,)
            A matrix, or a factor for each axis; a factor keeps every representation.
        b : array-like of shape (q,), optional
        features : sequence of q str, optional
            Names of the new features. With factors the old names are kept.
        """
        matrix = as_floats(A, "A").astype(np.float64, copy=False)
        d = self.shape[1]
        if matrix.ndim not in (1, 2) or matrix.shape[-1] != d or not matrix.shape[0]:
            raise ValueError(
                complaint(
                    "A",
                    f"have shape (q, {d}), or ({d},) for a factor on each axis",
                    f"got shape {shape_of(matrix)}",
                    "Rows of A are the new axes, as in components_",
                )
            )
        check_finite(matrix, "A", ("entry",) if matrix.ndim == 1 else ("row", "column"))
        q = matrix.shape[0]
        offset = np.zeros(q) if b is None else as_floats(b, "b").astype(np.float64, copy=False)
        if offset.shape != (q,):
            raise ValueError(
                complaint(
                    "b",
                    f"have shape ({q},), one entry for each new feature",
                    f"got shape {shape_of(offset)}",
                    "Leave b out for no shift",
                )
            )
        check_finite(offset, "b", ("entry",))
        mean = self._mean * matrix if matrix.ndim == 1 else self._mean @ matrix.T
        mean += offset
        new = check_labels(features, "features", q, "feature")
        if new is None and matrix.ndim == 1:
            new = self._features
        laws = None if self._laws is None else self._laws.affine(matrix, offset)
        into_more = matrix.ndim == 2 and q > d
        cov = lifted(self._cov, matrix) if into_more else self._cov.project(matrix)
        return self._mapped(mean, cov, new, laws)

    def _mapped(
        self,
        mean: Floats,
        cov: Covariance,
        features: tuple[str, ...] | None,
        laws: LawList | None,
    ) -> UncertainArray:
        """The same rows elsewhere: names, weights and storage type go along."""
        mean = mean.astype(self._mean.dtype, copy=False)
        return UncertainArray._of(
            mean, cov, self._weights, self._total, self._names, features, laws
        )

    def scaled(self, s: float) -> UncertainArray:
        """The data with every Ψₙ times s²; fitting it at scale 1 is fitting the original at s."""
        s = scale_from(s, "s")
        if np.isinf(s):
            raise ValueError(
                complaint(
                    "s",
                    "be finite",
                    "got inf",
                    "No data has infinite errors; UAPCA(scale=numpy.inf) is the limit of the fit",
                )
            )
        laws = None if self._laws is None else self._laws.scaled(s)
        cov = Zero(*self.shape) if s == 0 else self._cov.scaled(s)
        return UncertainArray._of(
            self._mean.view(), cov, self._weights, self._total, self._names, self._features, laws
        )

    def reweighted(self, weights: npt.ArrayLike | None) -> UncertainArray:
        """The same rows with other weights; None makes them equal."""
        new, total = weights_from(weights, len(self))
        return UncertainArray._of(
            self._mean.view(), self._cov, new, total, self._names, self._features, self._laws
        )


def _labels_of_frame(mean: Any, names: Any, features: Any) -> tuple[Any, Any]:
    """Names and features, taken from a data frame's index and columns where they are strings.

    Index entries that are not distinct are no names: they are left out.
    """
    columns, index = getattr(mean, "columns", None), getattr(mean, "index", None)
    if features is None and columns is not None and all(isinstance(c, str) for c in columns):
        features = list(columns)
    labels = index if names is None and not callable(index) else None
    if labels is not None and len(labels) and all(isinstance(i, str) for i in labels):
        names = list(labels) if len(set(labels)) == len(labels) else None
    return names, features


def _check_columns(mean: Any, std: Any) -> None:
    """Raise if means and errors are frames with other columns, or in another order."""
    ours, theirs = getattr(mean, "columns", None), getattr(std, "columns", None)
    if ours is not None and theirs is not None and list(ours) != list(theirs):
        raise ValueError(
            complaint(
                "std",
                "have the columns of mean in the same order",
                f"got {list(theirs)} for {list(ours)}",
                "Select them, std[mean.columns]",
            )
        )


def _check_laws(laws: LawList, mean: Floats) -> None:
    """Raise if a law has another mean than its row."""
    for i, (law, row) in enumerate(zip(laws, mean, strict=True)):
        size = np.abs(row) + law.std
        if (np.abs(law.mean - row) > 1e-6 * size + np.finfo(float).tiny).any():
            raise ValueError(
                complaint(
                    "laws",
                    "have the means of their rows",
                    f"the law of row {i} has mean {law.mean} instead of {row}",
                    "Use uapca.from_distributions, which takes both from the laws",
                )
            )
