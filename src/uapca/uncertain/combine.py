"""The covariances of several arrays as one."""

from __future__ import annotations

from typing import Any

import numpy as np

from uapca._validation import Floats
from uapca.uncertain.covariance import Covariance
from uapca.uncertain.dense import Dense
from uapca.uncertain.structured import Diagonal, LowRank, Shared, Zero

__all__ = ["joined"]


def joined(parts: list[Covariance]) -> Covariance:
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
