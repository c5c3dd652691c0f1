"""Checks and conversions of the arguments of `UncertainArray`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from uapca._validation import (
    Doubles,
    Floats,
    as_floats,
    check_finite,
    check_nonnegative,
    frozen,
    normalized,
    semidefinite,
    vector,
)
from uapca.uncertain.covariance import (
    Covariance,
    Dense,
    Diagonal,
    LowRank,
    Shared,
    SharedAxes,
    Zero,
)

__all__ = [
    "counts_from",
    "covariance_from",
    "means_from",
    "weights_from",
]


def means_from(
    mean: Any, check: bool, keep: bool = False
) -> tuple[Floats, npt.NDArray[np.bool_] | None]:
    """Means as a float array of shape (N, D), and which of them are missing (None for none).

    With ``keep``, cells that are NaN or masked are missing; otherwise they are refused.
    """
    if keep and np.ma.isMaskedArray(mean):
        values = as_floats(mean.data, "mean")
        mean = np.where(np.ma.getmaskarray(mean), values.dtype.type(np.nan), values)
    array = as_floats(mean, "mean")
    if array.ndim != 2:
        raise ValueError(
            f"mean must have two dimensions, (rows, features); got shape {array.shape}: use "
            "mean[None, :] for a single row, mean[:, None] for a single feature"
        )
    if 0 in array.shape:
        raise ValueError(
            f"mean must have at least one row and one feature; got shape {array.shape}"
        )
    absent = frozen(np.isnan(array)) if keep and np.isnan(array).any() else None
    if check:
        known = array if absent is None else np.where(absent, 0.0, array)
        check_finite(known, "mean", ("row", "feature"))
    return array, absent


def covariance_from(
    cov: Any,
    std: Any,
    factors: Any,
    shape: tuple[int, int],
    check: bool,
    missing: npt.NDArray[np.bool_] | None = None,
) -> Covariance:
    """The covariances in the representation the arguments name.

    The errors of ``missing`` cells may be NaN or infinite; they are kept as 0.
    """
    n, d = shape
    if cov is not None and (std is not None or factors is not None):
        other = "std" if std is not None else "factors"
        raise ValueError(f"cov must be the only errors given; got both cov and {other}")
    if missing is not None and std is not None:
        std = as_floats(std, "std")
        if std.shape == shape:
            std = np.where(missing & ~np.isfinite(std), std.dtype.type(0.0), std)
    if factors is not None:
        return _low_rank(factors, std, n, d, check)
    if std is not None:
        return _diagonal(std, n, d, check)
    if cov is None:
        return Zero(n, d)
    if isinstance(cov, Covariance):
        if cov.shape[:2] != (n, d):
            raise ValueError(
                f"cov must have shape ({n}, {d}, {d}) to fit mean of shape ({n}, {d}); got {cov!r}"
            )
        return cov
    array = as_floats(cov, "cov")
    if array.shape not in ((d, d), (n, d, d)):
        hint = ": pass variances as std=numpy.sqrt(cov)" if array.shape == (n, d) else ""
        raise ValueError(
            f"cov must have shape ({n}, {d}, {d}), one matrix for each row, or ({d}, {d}), one for "
            f"all; got shape {array.shape}{hint}"
        )
    if check:
        array = semidefinite(array, "cov")
    return Shared(array, n) if array.ndim == 2 else Dense(array)


def weights_from(weights: Any, n: int, parameter: str = "weights") -> tuple[Doubles | None, float]:
    """Weights that sum to 1, None for equal ones, and the sum they had."""
    return (None, float(n)) if weights is None else normalized(weights, parameter, "row", n)


def counts_from(counts: Any, n: int) -> npt.NDArray[Any] | None:
    """Numbers of points behind the rows: positive, integers if they were given as integers."""
    if counts is None:
        return None
    array = vector(counts, "counts", "row", n)
    if array.min() <= 0:
        row = int(array.argmin())
        raise ValueError(f"counts must be positive; row {row} has {array[row]:g}")
    given = np.asarray(counts)
    whole = given.dtype.kind in "iu" and array.max() < 2.0**63
    return frozen(given.astype(np.int64) if whole else array)


def _diagonal(std: Any, n: int, d: int, check: bool) -> Diagonal:
    array = as_floats(std, "std")
    try:
        np.broadcast_to(array, (n, d))
    except ValueError:
        raise ValueError(
            f"std must broadcast to the shape ({n}, {d}) of mean; got shape {array.shape}"
        ) from None
    if check:
        axes = ("row", "feature")[2 - array.ndim :]
        check_finite(array, "std", axes)
        check_nonnegative(array, "std", axes)
    return Diagonal(array, n, d)


def _low_rank(factors: Any, std: Any, n: int, d: int, check: bool) -> LowRank:
    array = as_floats(factors, "factors")
    if array.ndim != 3 or array.shape[:2] != (n, d):
        raise ValueError(
            f"factors must have shape ({n}, {d}, r) to fit mean of shape ({n}, {d}); "
            f"got shape {array.shape}"
        )
    if check:
        check_finite(array, "factors", ("row", "feature", "factor"))
    return LowRank(array, None if std is None else _diagonal(std, n, d, check))


def shared_axes(shape: tuple[int, int], axes: Any, std: Any, factors: Any = None) -> SharedAxes:
    """Errors along axes that all rows share, checked."""
    (n, d), array = shape, as_floats(axes, "axes")
    if array.ndim != 2 or len(array) != d:
        raise ValueError(f"axes must have shape ({d}, K) for {d} features; got {array.shape}")
    check_finite(array, "axes", ("feature", "axis"))
    own = None if factors is None else _low_rank(factors, None, n, d, check=True).arrays["factors"]
    return SharedAxes(array, _diagonal(std, n, array.shape[1], check=True), own)
