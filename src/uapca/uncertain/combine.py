"""Several arrays as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from uapca._validation import Floats, complaint
from uapca.uncertain.array import UncertainArray
from uapca.uncertain.covariance import Covariance
from uapca.uncertain.dense import Dense
from uapca.uncertain.lawlist import LawList
from uapca.uncertain.structured import Diagonal, LowRank, Shared, Zero

__all__ = ["concat"]


def concat(arrays: Sequence[UncertainArray]) -> UncertainArray:
    """The rows of several arrays, one after the other.

    Rows keep their weights relative to one another as they were given: two sets of clusters
    weighted by their counts become one such set. The representation of the covariances is kept
    where all have the same, and the simplest that holds them all is taken otherwise: certain rows
    beside independent errors stay diagonal, matrices make everything dense.

    Parameters
    ----------
    arrays : sequence of UncertainArray
        With the same features. Names are kept if all arrays have them and no two are equal.

    Returns
    -------
    UncertainArray

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
    _check(arrays)
    largest = max(max(X.total_weight for X in arrays), np.finfo(float).tiny)
    shares = [X.total_weight / largest for X in arrays]
    total = min(float(sum(shares)) * float(largest), float(np.finfo(float).max))
    equal = all(X._weights is None and X.total_weight == len(X) for X in arrays)
    weights = None
    if not equal and total > 0:
        parts = [X.weights * (share / sum(shares)) for X, share in zip(arrays, shares, strict=True)]
        weights = np.concatenate(parts)
        weights.flags.writeable = False
    names: tuple[str, ...] | None = None
    if all(X.names is not None for X in arrays):
        names = tuple(name for X in arrays for name in X.names or ())
        if len(set(names)) != len(names):
            names = None
    laws = None
    if all(X.laws is not None for X in arrays):
        laws = LawList([law for X in arrays for law in X.laws or ()])
    return UncertainArray._of(
        np.concatenate([X.mean for X in arrays]),
        _joined([X.cov for X in arrays]),
        weights,
        total,
        names,
        next((X.features for X in arrays if X.features is not None), None),
        laws,
    )


def _check(arrays: list[UncertainArray]) -> None:
    if not arrays or not all(isinstance(X, UncertainArray) for X in arrays):
        raise TypeError(
            complaint(
                "arrays",
                "be UncertainArrays, at least one",
                f"got {[type(X).__name__ for X in arrays]}",
                "Wrap certain points as uapca.UncertainArray(points)",
            )
        )
    first = arrays[0]
    for k, X in enumerate(arrays):
        if X.shape[1] != first.shape[1]:
            raise ValueError(
                complaint(
                    "arrays",
                    "have the same number of features",
                    f"array 0 has {first.shape[1]}, array {k} has {X.shape[1]}",
                    "Select common features first, X[:, features]",
                )
            )
        if None not in (X.features, first.features) and X.features != first.features:
            raise ValueError(
                complaint(
                    "arrays",
                    "have the same features in the same order",
                    f"array 0 has {first.features}, array {k} has {X.features}",
                    "Select and order them first, X[:, features]",
                )
            )


def _joined(parts: list[Covariance]) -> Covariance:
    """The rows of several representations in the simplest one that holds them all."""
    n = sum(len(part) for part in parts)
    d = parts[0].shape[1]
    if all(isinstance(part, Zero) for part in parts):
        return Zero(n, d)
    if all(isinstance(part, Zero | Diagonal) for part in parts):
        return Diagonal(_joined_stds(parts), n, d)
    if all(isinstance(part, Shared) for part in parts):
        first = parts[0].average()
        if all(np.array_equal(first, part.average()) for part in parts[1:]):
            return Shared(first.astype(_storage(parts)), n)
    if all(isinstance(part, Zero | Diagonal | LowRank) for part in parts):
        return _joined_low_rank(parts, n, d)
    return Dense(np.concatenate([part.dense() for part in parts]))


def _joined_low_rank(parts: list[Covariance], n: int, d: int) -> LowRank:
    rank = max(part.rank for part in parts if isinstance(part, LowRank))
    factors = np.zeros((n, d, rank), dtype=_storage(parts))
    std = np.zeros((n, d), dtype=_storage(parts))
    start = 0
    for part in parts:
        stop = start + len(part)
        if isinstance(part, LowRank):
            root = np.sqrt(part.multiplier)
            factors[start:stop, :, : part.rank] = part.arrays["factors"] * root
            if "std" in part.arrays:
                std[start:stop] = part.arrays["std"] * root
        else:
            std[start:stop] = part.std()
        start = stop
    return LowRank(factors, Diagonal(std, n, d) if std.any() else None)


def _storage(parts: list[Covariance]) -> np.dtype[Any]:
    """The type that holds what is kept of all parts: float32 stays float32."""
    arrays = [array for part in parts for array in part.arrays.values()]
    return np.result_type(*arrays)


def _joined_stds(parts: list[Covariance]) -> Floats:
    """One row of standard deviations if all rows share it, one for each row otherwise."""
    kept = [part.std()[:1] for part in parts if isinstance(part, Diagonal)]
    single = len(kept) == len(parts) and all(len(part.arrays["std"]) == 1 for part in parts)
    if single and all(np.array_equal(kept[0], other) for other in kept[1:]):
        return kept[0].astype(_storage(parts))
    stds = [part.std().astype(_storage(parts), copy=False) for part in parts]
    return np.concatenate(stds)
