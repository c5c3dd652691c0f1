"""Weight traces: the original axes as the picture shows them, as some rows gain weight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uapca._validation import Doubles, scale_from
from uapca.decomposition import UAPCA
from uapca.decomposition.base import SMALLEST, check_underflow
from uapca.sensitivity.crossings import WeightCrossing
from uapca.sensitivity.family import over_weight
from uapca.sensitivity.traces import (
    Traces,
    TraceSummary,
    feature_names,
    increasing,
    limited,
    shown_count,
    uncertain,
)
from uapca.sensitivity.tracking import adaptive_path, fixed_path
from uapca.uncertain import UncertainArray
from uapca.uncertain.array import positions

__all__ = ["WeightTraces", "weight_traces"]


@dataclass(frozen=True, eq=False, repr=False)
class WeightTraces(Traces[WeightCrossing]):
    """The projected unit vectors of the original axes as the weight of some rows goes from 0 to 1.

    Returned by `weight_traces`. What it shares with `FactorTraces` means the same.

    Attributes
    ----------
    weights : ndarray of shape (S,)
        The weight v the rows have together, increasing; the others share 1 − v in their given
        proportions.
    current : float
        The weight the rows have in the data.
    rows : tuple of int
        The rows whose weight changes.
    scale : float
        The scale s of the uncertainty.
    u : ndarray of shape (S,)
        The same as ``weights``.
    positions, ranks, breaks, features
        As in `FactorTraces`.

    See Also
    --------
    uapca.weight_traces : The same as one row counts more.

    Examples
    --------
    >>> import uapca
    >>> traces = uapca.weight_traces(uapca.datasets.load_students(), "Tom")
    >>> traces.rows, round(traces.current, 3)
    ((0,), 0.167)
    >>> traces.weights[[0, -1]]
    array([0., 1.])
    """

    current: float
    rows: tuple[int, ...]
    scale: float
    _data: UncertainArray
    _crossing = WeightCrossing

    @property
    def weights(self) -> Doubles:
        return self.u

    @property
    def broken_at(self) -> Doubles:
        """The weight of each of ``breaks``, whatever the grid."""
        return self._broken_at

    @property
    def eigenvalues(self) -> Doubles:
        """Eigenvalues of K(s) with the rows' weight at v, decreasing; shape (S, D)."""
        return self._path.values

    def at(self, weight: float, /) -> UAPCA:
        """The fit at one weight of the rows: a fitted `UAPCA` with q components.

        Fewer if the rows are certain and there are less than q of them.
        """
        v = float(increasing([weight], "weight", 1.0)[0])
        inside = np.isin(np.arange(len(self._data)), self.rows)
        new = np.empty(len(inside))
        new[inside] = v * self._data[inside].weights
        new[~inside] = (1.0 - v) * self._data[~inside].weights
        pca = UAPCA(solver="eigh").fit(self._data.reweighted(new))
        return limited(pca, self.n_components).rescale(self.scale)

    def summary(self) -> TraceSummary:
        """Distances from the center with weight 0, the current weight and 1, and lengths."""
        middle = f"current weight {self.current:.3g}"
        return self._summary(("weight 0", middle, "weight 1"), self.current, self._data.library)

    def __repr__(self) -> str:
        text = self._text(self.weights, "weights", [f"weight {v:.4g}" for v in self.broken_at])
        names = self._data.names
        shown = [str(i) if names is None else names[i] for i in self.rows[:6]]
        rows = ", ".join(shown) + ", …" * (len(self.rows) > 6)
        return f"{text}\n  weight of  {rows} (now {self.current:.3g})"


def weight_traces(
    X: UncertainArray,
    row: int | str | slice | Sequence[int] | Sequence[str] | npt.NDArray[np.bool_ | np.integer],
    n_components: int = 2,
    weights: npt.ArrayLike | None = None,
    *,
    scale: float = 1.0,
) -> WeightTraces:
    """Follow the projected unit vectors of the features as some rows gain weight.

    The weight v of the rows goes from 0, as if they were absent, to 1, as if they were alone, while
    the others keep their proportions. By the law of total variance K follows from the moments of
    the two parts, so the data is read once (Görtler et al. 2020, end of the section on anuran
    calls, on the influence of single rows).

    Parameters
    ----------
    X : UncertainArray
    row : int, str, sequence of either, slice or mask of shape (N,)
        The row, or a cluster of rows that keep their proportions among each other.
    n_components : int, default=2
        How many components q the picture shows, from 2 to D.
    weights : array-like of shape (S,), optional
        Where to compute, increasing, from 0 to 1. By default the grid is adaptive, as in
        `factor_traces`, with 0, the current weight and 1 on it.
    scale : float, default=1.0
        The scale s of the uncertainty, finite.

    Returns
    -------
    WeightTraces

    See Also
    --------
    uapca.factor_traces : The features in the picture as the uncertainty counts more.

    Examples
    --------
    The last row is an outlier along y. Without it x leads; a little weight changes that.

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
            "scale must be finite; got inf, where the weights of the means do not count"
        )
    try:
        chosen = positions(row, len(data), data.names, "row")
    except IndexError as error:
        raise IndexError("row" + str(error).removeprefix("index")) from None
    inside = np.zeros(len(data), dtype=bool)
    inside[chosen] = True
    if inside.all():
        raise ValueError(f"row must leave at least one other row; got all {len(data)}")
    parts = [data[part].scaled(s) for part in (~inside, inside)]
    (mean, others), (center, own) = pooled = [part.pooled() for part in parts]
    for part, (middle, cov) in zip(parts, pooled, strict=True):
        if np.diag(cov).max() < SMALLEST:
            check_underflow(part, middle, np.diag(cov))
    family = over_weight(others, own, center - mean)
    current = float(data.weights[inside].sum())
    if weights is None:
        path = adaptive_path(family, q, (0.0, current, 1.0), anchor=current)
    else:
        v = increasing(weights, "weights", 1.0)
        path = fixed_path(family, v, 1.0 - v, anchor=current)
    names, rows = feature_names(data.features, family.size), tuple(np.flatnonzero(inside).tolist())
    return WeightTraces(names, *path.shown(q), family, path, current, rows, s, data)
