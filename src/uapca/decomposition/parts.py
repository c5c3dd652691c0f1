"""Fitting data that comes in parts: what of them is kept, and how it grows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from uapca._validation import check_finite, complaint
from uapca.decomposition.inputs import all_or_nothing, as_uncertain
from uapca.decomposition.parameters import (
    component_count,
    divisor,
    reachable,
    whole_observations,
)
from uapca.uncertain import UncertainArray, Zero
from uapca.uncertain.blocks import Doubles

if TYPE_CHECKING:
    from uapca.aggregate import Moments

__all__ = ["PartialFit", "RowCount", "Seen"]


@dataclass(frozen=True)
class RowCount:
    """How many rows a fit was made of, what they weighed and what C and Ψ̄ were divided by.

    Attributes
    ----------
    rows : int
    weight : float
        The sum of the weights before they were made to sum to 1.
    concentration : float
        Σ w² of weights that sum to 1.
    observations : int or None
        The sum of the weights of certain rows, if all are whole numbers.
    share : float
        The divisor that ``ddof`` gave.
    """

    rows: int
    weight: float
    concentration: float
    observations: int | None
    share: float


@dataclass(frozen=True)
class Seen:
    """The moments of all rows seen so far, which merge with those of further rows.

    Attributes
    ----------
    means : Moments
        Of the rows' means, weighted by the rows' weights (before they were made to sum to 1).
    within : ndarray of shape (D, D), or None
        Σ wₙ Ψₙ with these weights; None while all rows are certain.
    rows : int
    observations : int or None
        The sum of the weights, while all of them are whole numbers.
    """

    means: Moments
    within: Doubles | None
    rows: int
    observations: int | None

    @classmethod
    def of(cls, X: UncertainArray) -> Seen:
        """What is kept of uncertain rows."""
        from uapca.aggregate import Moments  # which a fit at once does without

        n = len(X)
        weights = (
            np.full(n, X.total_weight / n) if X._weights is None else (X._weights * X.total_weight)
        )
        with np.errstate(over="ignore", invalid="ignore"):
            means = Moments.of(X.mean, weights=weights)
            within = None
            if not isinstance(X.cov, Zero):
                within = X.total_weight * X.cov.average(X._weights)
        return cls(means, within, n, whole_observations(X) if within is None else None)

    @classmethod
    def from_fit(cls, fitted: Any) -> Seen:
        """What is known of the rows of a whole fit: their mean as a float holds it."""
        from uapca.aggregate import Moments
        from uapca.aggregate.accumulate import zero_sums

        rows: RowCount = fitted._rows
        scale = rows.share * rows.weight
        sums = zero_sums(1, len(fitted.mean_))
        sums.counts[:] = rows.rows
        sums.weights[:] = rows.weight
        sums.squares[:] = rows.concentration * rows.weight**2
        sums.means[0] = fitted.mean_
        sums.scatters[0] = fitted.between_covariance_ * scale
        within = fitted._within
        return cls(
            Moments(("all",), sums, np.zeros((2, 1))),
            None if within is None else within * scale,
            rows.rows,
            rows.observations,
        )

    def merge(self, other: Seen) -> Seen:
        """What is kept of the rows of both."""
        within = self.within
        if other.within is not None:
            within = other.within if within is None else within + other.within
        both = (self.observations, other.observations)
        return Seen(
            self.means.merge(other.means),
            within,
            self.rows + other.rows,
            None if None in both else sum(k for k in both if k is not None),
        )


class PartialFit:
    """`partial_fit` of the estimator."""

    if TYPE_CHECKING:

        def _set_parts(
            self, mean: Doubles, between: Doubles, within: Doubles | None, q: int | None, bound: int
        ) -> None: ...

    n_components: Any
    scale: Any
    ddof: Any
    solver: Any
    n_samples_: int
    _rows: RowCount

    @property
    def n_samples_seen_(self) -> int:
        """The number of rows of all parts so far, or of a whole fit."""
        return self.n_samples_

    @all_or_nothing
    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        *,
        cov: Any = None,
        std: Any = None,
        factors: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Fit further rows; takes what `fit` takes.

        All calls together give what one `fit` of all rows gives (of `uapca.concat` of the parts,
        which weighs UncertainArrays by their ``total_weight``), to rounding, however far from
        zero the data lies. Kept are C, Ψ̄ and the mean, not the rows. After `fit` it goes on from
        there, but with the mean as a float holds it: at an offset of 1e8 for data of unit spread,
        C is then off by some 3e-10 (measured). Data far from zero wants `partial_fit` for the
        first part too. As long as fewer rows were seen than components asked for, there are as
        many components as rows.

        Parameters
        ----------
        X : UncertainArray, or array-like of shape (N, D)
        y : ignored
        cov, std, factors : array-like, optional
        sample_weight : array-like of shape (N,), optional

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np, uapca
        >>> points = np.random.default_rng(0).standard_normal((300, 4))
        >>> parts = uapca.UAPCA(2)
        >>> for part in np.split(points, 3):
        ...     parts = parts.partial_fit(part, std=0.1)
        >>> whole = uapca.UAPCA(2).fit(points, std=0.1)
        >>> bool(np.allclose(parts.components_, whole.components_, atol=1e-12))
        True
        """
        if self.solver not in ("auto", "eigh"):
            raise ValueError(
                complaint(
                    "solver",
                    "be 'auto' or 'eigh' for partial_fit",
                    f"got {self.solver!r}",
                    "What is kept between parts is the D × D matrix that the others do without",
                )
            )
        seen: Seen | None = getattr(self, "_seen", None)
        if seen is None and hasattr(self, "components_"):
            seen = Seen.from_fit(self)
        data = as_uncertain(self, X, cov, std, factors, sample_weight, reset=seen is None)
        if data is not X:
            check_finite(data.mean, "X", ("row", "feature"))
        part = Seen.of(data)
        self._take(part if seen is None else seen.merge(part))
        return self

    def _take(self, seen: Seen) -> None:
        """Set everything that is fitted from the moments of the rows."""
        sums = seen.means.sums
        d = seen.means.n_features
        weight = float(sums.weights[0])
        known = seen.rows if seen.observations is None else seen.observations
        bound = min(known, d) if seen.within is None else d
        q = component_count(reachable(self.n_components, bound, d), bound, (seen.rows, d))
        gathered = float(sums.squares[0]) / weight**2
        share = divisor(self.ddof, gathered)
        self._seen = seen
        self._rows = RowCount(seen.rows, weight, gathered, seen.observations, share)
        self._set_parts(
            sums.means[0].copy(),
            sums.scatters[0] / (weight * share),
            None if seen.within is None else seen.within / (weight * share),
            q,
            bound,
        )
