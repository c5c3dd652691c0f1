"""Fits of data that comes in parts: batches of rows, or the chunks of a Dask array.

What is kept of the rows seen, and how it is merged with that of further rows. The merge of means
and scatters is that of the accumulator, `uapca.aggregate.accumulate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from uapca._validation import Doubles, as_floats, check_finite
from uapca.aggregate.accumulate import Sums, grouped_sums, zero_sums
from uapca.aggregate.dask import array_partial
from uapca.decomposition.base import Rows
from uapca.uncertain import UncertainArray, Zero
from uapca.uncertain.array import mapped

if TYPE_CHECKING:
    from uapca.decomposition.uapca import UAPCA

__all__ = ["Seen", "dask_moments", "dask_scores"]


@dataclass(frozen=True)
class Seen:
    """The moments of all rows seen so far, which merge with those of further rows.

    Attributes
    ----------
    sums : Sums
        One group: the rows' means, weighted by the rows' weights (before they were made to sum
        to 1).
    within : ndarray of shape (D, D), or None
        Σ wₙ Ψₙ with these weights; None while all rows are certain.
    observations : int or None
        The sum of the weights, while all of them are whole numbers.
    """

    sums: Sums
    within: Doubles | None = None
    observations: int | None = 0

    @classmethod
    def of_fit(cls, pca: UAPCA) -> Seen:
        """What is known of the rows of a whole fit: their mean as a float holds it."""
        rows = pca._rows
        sums = zero_sums(1, pca.n_features_in_)
        sums.counts[:] = rows.count
        sums.weights[:] = rows.weight
        sums.squares[:] = rows.concentration * rows.weight**2
        sums.means[0] = pca._center
        factor = rows.divisor(pca.ddof) * rows.weight * pca._units[:, None] * pca._units
        sums.scatters[0] = pca.between_covariance_ * factor
        within = None if pca._within is None else pca._within * factor
        return cls(sums, within, rows.observations)

    @property
    def rows(self) -> Rows:
        weight = float(self.sums.weights[0])
        if not 1e-150 < weight < 1e150:  # its square vanishes or overflows
            raise ValueError(
                f"sample_weight must sum to a number from 1e-150 to 1e150; got {weight:.3g}: "
                "multiply all weights by the same number"
            )
        return Rows(
            int(self.sums.counts[0]),
            weight,
            float(self.sums.squares[0]) / weight**2,
            self.observations,
        )

    def added(self, X: UncertainArray) -> Seen:
        """What is kept of these rows and further ones."""
        equal = np.full(len(X), X.total_weight / len(X))
        weights = equal if X.given_weights is None else X.given_weights * X.total_weight
        before, within = self.sums.taken(np.array([0])), self.within
        known = Rows.of(X.given_weights, X.total_weight, len(X)).observations
        both = None if known is None or self.observations is None else self.observations + known
        with np.errstate(over="ignore", invalid="ignore"):  # which the fit refuses
            sums = grouped_sums(X.mean, None, 1, weights, before=before)
            if not isinstance(X.cov, Zero):
                own = X.total_weight * X.cov.average(X.given_weights)
                within = own if within is None else within + own
        return Seen(sums, within, both)

    def matrices(self) -> tuple[Doubles, Doubles, Doubles | None]:
        """μ, C and Ψ̄ of all rows seen."""
        weight = float(self.sums.weights[0])
        with np.errstate(over="ignore"):  # which the fit refuses
            within = None if self.within is None else self.within / weight
            return self.sums.means[0].copy(), self.sums.scatters[0] / weight, within


def dask_moments(X: Any) -> Seen:
    """The moments of the points of a Dask array, in one pass over each chunk."""
    sums = array_partial(X, parameter="X").moments.sums
    return Seen(sums, None, int(sums.counts.sum()))


def dask_scores(pca: UAPCA, X: Any) -> Any:
    """The scores of a Dask array as another one; nothing is computed yet."""
    if X.ndim == 2 and X.shape[1] != pca.n_features_in_:
        raise ValueError(
            f"X must have the {pca.n_features_in_} features of the fit; got {X.shape[1]}"
        )
    X = X.rechunk({1: -1}) if X.numblocks[-1] > 1 else X
    kind = X.dtype if X.dtype == np.float32 else np.dtype(np.float64)
    return X.map_blocks(
        partial(_scores, pca, kind),
        dtype=kind,
        chunks=(X.chunks[0], (pca.n_components_,)),
        meta=np.empty((0, 0), dtype=kind),
    )


def _scores(pca: UAPCA, kind: Any, block: Any, block_id: tuple[int, ...] = (0,)) -> Any:
    points = as_floats(block, "X")
    check_finite(points, "X", (f"chunk {block_id[0]}, row", "feature"))
    return mapped(points, *pca._map()).astype(kind, copy=False)
