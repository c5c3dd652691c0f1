"""Weight traces: the original axes as the picture shows them, as some rows come to count more."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from uapca._validation import complaint
from uapca.aggregate.accumulate import moments
from uapca.decomposition import UAPCA
from uapca.decomposition.spectrum import spectrum
from uapca.sensitivity.crossings import WeightCrossing
from uapca.sensitivity.family import over_weight
from uapca.sensitivity.inputs import feature_names, limited, rising, shown_count, uncertain
from uapca.sensitivity.path import adaptive_path, fixed_path
from uapca.sensitivity.summary import TraceSummary
from uapca.sensitivity.traces import Traces, described, traced
from uapca.uncertain import UncertainArray
from uapca.uncertain.blocks import Doubles
from uapca.uncertain.checks import scale_from
from uapca.uncertain.covariance import Rows
from uapca.uncertain.indexing import positions

__all__ = ["WeightTraces", "weight_traces"]


@dataclass(frozen=True, eq=False, repr=False)
class WeightTraces(Traces):
    """The projected unit vectors of the original axes as the weight of some rows goes from 0 to 1.

    Returned by `weight_traces`. What it shares with `FactorTraces` means the same.

    Attributes
    ----------
    weights : ndarray of shape (S,)
        The weight v the rows have together, rising; the others share 1 − v as they did before.
    current : float
        The weight they have in the data.
    rows : tuple of int
        The rows that are weighed.
    scale : float
        The scale s of the uncertainty.
    u : ndarray of shape (S,)
        The weights once more.
    loadings, ranks, breaks, features
        As in `FactorTraces`.
    """

    current: float = field(kw_only=True)
    rows: tuple[int, ...] = field(kw_only=True)
    scale: float = field(kw_only=True)
    _data: UncertainArray = field(kw_only=True, repr=False)

    @property
    def weights(self) -> Doubles:
        return self.u

    @property
    def broken_at(self) -> Doubles:
        """The weight of each of ``breaks``, whatever the grid."""
        return self._broken_at

    @property
    def eigenvalues(self) -> Doubles:
        """Eigenvalues of K(s) with the rows' weight at v, falling; shape (S, D)."""
        return self._path.values

    @cached_property
    def crossings(self) -> tuple[WeightCrossing, ...]:
        """Every local minimum of the gap between neighbouring eigenvalues, by rising weight."""
        q = self.n_components
        return tuple(WeightCrossing(**described(meeting, q)) for meeting in self._meetings)

    def at(self, weight: float) -> UAPCA:
        """The fit at one weight of the rows: a fitted `UAPCA` with q components.

        Fewer where the rows are certain and there are less than q of them.
        """
        v = float(rising([weight], "weight", 1.0)[0])
        inside = np.zeros(len(self._data), dtype=bool)
        inside[list(self.rows)] = True
        new = np.empty(len(inside))
        new[inside] = v * self._data[inside].weights
        new[~inside] = (1.0 - v) * self._data[~inside].weights
        pca = UAPCA(solver="eigh").fit(self._data.reweighted(new))
        return limited(pca, self.n_components).rescale(self.scale)

    def summary(self) -> TraceSummary:
        """Distances from the centre with weight 0, the current weight and 1, and lengths."""
        middle = f"current weight {self.current:.3g}"
        return self._summary(("weight 0", middle, "weight 1"), self.current)

    def _distances(self) -> Doubles:
        return self._distances_at((0.0, self.current, 1.0))

    def _leading(self, u: float) -> Doubles:
        matrix = self._family.matrices(np.array([1.0 - u]), np.array([u]))[0]
        return spectrum(matrix, self.n_components).vectors.T

    def __repr__(self) -> str:
        low, high = (f"{v:.4g}" for v in self.weights[[0, -1]])
        text = self._text(f"weights from {low} to {high}")
        names = self._data.names
        shown = [str(i) if names is None else names[i] for i in self.rows[:6]]
        rows = ", ".join(shown) + ", …" * (len(self.rows) > 6)
        return f"{text}\n  weight of  {rows} (now {self.current:.3g})"

    def _places(self) -> list[str]:
        return [f"weight {v:.4g}" for v in self.broken_at]


def weight_traces(
    X: UncertainArray,
    row: Any,
    n_components: int = 2,
    weights: npt.ArrayLike | None = None,
    *,
    scale: float = 1.0,
) -> WeightTraces:
    """Follow the projected unit vectors of the features as some rows gain weight.

    The rows' weight v goes from 0, as if they were not there, to 1, as if there were nothing else,
    while the others keep their proportions. By the law of total variance K follows from the
    moments of the two parts, so the data is read once (Görtler et al. 2020, end of the section on
    anuran calls, on the influence of single rows).

    Parameters
    ----------
    X : UncertainArray
    row : int, str, sequence of either, slice or mask of shape (N,)
        The row, or a cluster of rows that keep their proportions among each other.
    n_components : int, default=2
        How many components q the picture shows, from 2 to D.
    weights : array-like of shape (S,), optional
        Where to compute, rising, from 0 to 1. By default the grid is adaptive, as in
        `factor_traces`, with 0, the current weight and 1 on it.
    scale : float, default=1.0
        The scale s of the uncertainty, finite.

    Returns
    -------
    WeightTraces

    Examples
    --------
    The last row lies off along y. Without it x leads; it takes little weight to change that.

    >>> import uapca
    >>> X = uapca.UncertainArray(
    ...     [[-2.0, 0.0], [0.0, 0.5], [2.0, 0.0], [0.2, 9.0]], std=0.3, names=["a", "b", "c", "d"]
    ... )
    >>> traces = uapca.weight_traces(X, "d")
    >>> traces.current
    0.25
    >>> abs(traces.at(0.0).components_[0]).round(2), abs(traces.at(0.25).components_[0]).round(2)
    (array([1., 0.]), array([0.03, 1.  ]))
    >>> [(c.kind, round(c.weight, 3)) for c in traces.crossings]
    [('avoided', 0.033)]
    """
    data = uncertain(X)
    q = shown_count(n_components, data.shape[1])
    s = scale_from(scale)
    if np.isinf(s):
        raise ValueError(
            complaint(
                "scale",
                "be finite",
                "got inf",
                "There the weights of the means no longer count; use a large scale",
            )
        )
    inside = np.zeros(len(data), dtype=bool)
    inside[_chosen(row, data)] = True
    if inside.all():
        raise ValueError(
            complaint(
                "row",
                "leave at least one other row",
                f"got all {len(data)}",
                "The weight is moved between some rows and the others",
            )
        )
    others, chosen = _moments(data[~inside], s), _moments(data[inside], s)
    family = over_weight(others[1], chosen[1], chosen[0] - others[0])
    current = float(data.weights[inside].sum())
    if weights is None:
        path = adaptive_path(family, q, (0.0, current, 1.0), anchor=current)
    else:
        v = rising(weights, "weights", 1.0)
        path = fixed_path(family, v, 1.0 - v, anchor=current)
    return WeightTraces(
        *traced(family, path, q, feature_names(data.features, family.size)),
        current=current,
        rows=tuple(map(int, np.flatnonzero(inside))),
        scale=s,
        _data=data,
    )


def _chosen(row: Any, data: UncertainArray) -> Rows:
    """The rows that ``row`` selects, at least one; complaints name the parameter."""
    try:
        return positions(row, len(data), data.names, "row")
    except IndexError as error:
        raise IndexError("row" + str(error).removeprefix("index")) from None


def _moments(rows: UncertainArray, s: float) -> tuple[Doubles, Doubles]:
    """Mean and K(s) of some rows."""
    mean, between = moments(rows.mean, rows._weights)
    return mean, between + s**2 * rows.cov.average(rows._weights)
