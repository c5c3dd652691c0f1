"""Rows that are distributions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from uapca.laws import Independent, Law, Normal, as_law
from uapca.uncertain import UncertainArray

__all__ = ["array_of_laws", "from_distributions"]


def from_distributions(
    rows: Sequence[Any] | Mapping[str, Any],
    *,
    names: Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    weights: npt.ArrayLike | None = None,
) -> UncertainArray:
    """Rows given as distributions of any kind, mixed as needed.

    Parameters
    ----------
    rows : sequence of N distributions, or mapping of names to them
        Each one of: a law of `uapca.laws`; a list of D marginals (numbers, SciPy random
        variables frozen or of the new interface, `uapca.laws` marginals), which are then
        independent; a frozen multivariate distribution of SciPy, whose covariance may be a
        ``scipy.stats.Covariance``; a pair of a mean and such a Covariance, a normal; anything
        with ``mean`` and ``cov`` as attributes or methods. A single marginal is a row of one
        feature.
    names, features : sequence of str, optional
    weights : array-like of shape (N,), optional

    Returns
    -------
    UncertainArray
        With the laws kept. Errors are independent where all rows are lists of marginals,
        otherwise there is a covariance matrix for each row.

    See Also
    --------
    uapca.from_draws : Posterior draws.
    uapca.laws.Law : What every law has.

    Examples
    --------
    >>> from scipy import stats
    >>> import uapca
    >>> uapca.from_distributions({
    ...     "normal": stats.multivariate_normal([0.0, 1.0], [[4.0, 1.0], [1.0, 1.0]]),
    ...     "mixed": [15, stats.uniform(10, 2)],
    ... })
    UncertainArray: 2 rows × 2 features, a covariance for each row, laws known
      normal  0 ± 2   1 ± 1
      mixed   15 ± 0  11 ± 0.58
    """
    if isinstance(rows, Mapping):
        names = list(map(str, rows)) if names is None else names
        rows = list(rows.values())
    if isinstance(rows, str) or not hasattr(rows, "__len__") or not hasattr(rows, "__iter__"):
        raise TypeError(f"rows must be a sequence of distributions, one for each row; got {rows!r}")
    laws = []
    for i, row in enumerate(rows):
        try:
            laws.append(as_law(_normal(row)))
        except (TypeError, ValueError) as error:
            raise type(error)(f"{_place(i, names)}: {error}") from None
    return array_of_laws(laws, names=names, features=features, weights=weights)


def _normal(row: Any) -> Any:
    """The normal of a mean and a Covariance of SciPy; anything else as it is."""
    if isinstance(row, list | tuple) and len(row) == 2:
        from scipy.stats import Covariance

        if isinstance(row[1], Covariance):
            return Normal(row[0], row[1].covariance)
    return row


def array_of_laws(
    laws: Sequence[Law],
    *,
    names: Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    weights: npt.ArrayLike | None = None,
    **more: Any,
) -> UncertainArray:
    """Laws of one dimension with their moments: independent errors where they all are."""
    if not laws:
        raise ValueError("rows must hold at least one distribution; got none")
    d = laws[0].dim
    for i, law in enumerate(laws):
        if law.dim != d:
            raise ValueError(
                f"rows must have the same number of features; {_place(0, names)} has {d} and "
                f"{_place(i, names)} has {law.dim}"
            )
    mean = np.stack([law.mean for law in laws])
    common = {"weights": weights, "names": names, "features": features, "laws": laws, **more}
    if all(isinstance(law, Independent) for law in laws):
        return UncertainArray(mean, std=np.stack([law.std for law in laws]), **common)
    return UncertainArray(mean, np.stack([law.cov for law in laws]), **common)


def _place(index: int, names: Sequence[str] | None) -> str:
    return f"row {index}" if names is None or index >= len(names) else f"row {names[index]!r}"
