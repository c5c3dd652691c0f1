"""Rows that are distributions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from uapca._validation import complaint
from uapca.laws import Independent, Law, as_law
from uapca.uncertain import UncertainArray

__all__ = ["array_of_laws", "from_distributions"]


def from_distributions(
    rows: Any,
    *,
    names: Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    weights: Any = None,
) -> UncertainArray:
    """Rows given as distributions of any kind, mixed as needed.

    Parameters
    ----------
    rows : sequence of N distributions, or mapping of names to them
        Each one of: a law of `uapca.laws`; a list of D marginals (numbers, SciPy random
        variables frozen or of the new interface, `uapca.laws` marginals), which are then
        independent; a frozen multivariate distribution of SciPy; anything with ``mean`` and
        ``cov`` as attributes or methods. A single marginal is a row of one feature.
    names, features : sequence of str, optional
    weights : array-like of shape (N,), optional

    Returns
    -------
    UncertainArray
        With the laws kept. Errors are independent where all rows are lists of marginals,
        otherwise there is a covariance matrix for each row.

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
        raise TypeError(
            complaint(
                "rows",
                "be a sequence of distributions, one for each row",
                f"got {rows!r}",
                "Put a single distribution into a list",
            )
        )
    laws = [_row_law(row, _place(i, names)) for i, row in enumerate(rows)]
    return array_of_laws(laws, names=names, features=features, weights=weights)


def array_of_laws(
    laws: Sequence[Law],
    *,
    names: Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    weights: Any = None,
) -> UncertainArray:
    """Laws of one dimension with their moments: independent errors where they all are."""
    if not laws:
        raise ValueError(
            complaint("rows", "hold at least one distribution", "got none", "Pass one for each row")
        )
    d = laws[0].dim
    for i, law in enumerate(laws):
        if law.dim != d:
            raise ValueError(
                complaint(
                    "rows",
                    "have the same number of features",
                    f"{_place(0, names)} has {d} and {_place(i, names)} has {law.dim}",
                    "Describe every feature in every row",
                )
            )
    mean = np.stack([law.mean for law in laws])
    common = {"weights": weights, "names": names, "features": features, "laws": laws}
    if all(isinstance(law, Independent) for law in laws):
        # From the variances, not the deviations of the marginals: one rounding for all kinds.
        std = np.sqrt([[m.var for m in getattr(law, "marginals", ())] for law in laws])
        return UncertainArray(mean, std=std, **common)
    return UncertainArray(mean, np.stack([law.cov for law in laws]), **common)


def _row_law(row: Any, place: str) -> Law:
    try:
        return as_law(row)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{place}: {error}") from None


def _place(index: int, names: Sequence[str] | None) -> str:
    return f"row {index}" if names is None or index >= len(names) else f"row {names[index]!r}"
