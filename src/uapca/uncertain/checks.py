"""What users give, made into what `UncertainArray` keeps, or refused in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from uapca._validation import (
    Doubles,
    Floats,
    as_floats,
    check_finite,
    complaint,
    frozen,
    shape_of,
)
from uapca.uncertain.blocks import row_blocks
from uapca.uncertain.covariance import Covariance
from uapca.uncertain.dense import Dense
from uapca.uncertain.structured import Diagonal, LowRank, Shared, Zero

__all__ = ["counts_from", "covariance_from", "means_from", "scale_from", "weights_from"]

# In correlations: what printing to eight digits, or one matrix product in single precision, leaves.
_TOLERANCE = {8: 1e-8, 4: 1e-4}

# The square of a larger scale does not fit into float64.
_INFINITE = 1e150


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
            complaint(
                "mean",
                "have two dimensions, (rows, features)",
                f"got shape {shape_of(array)}",
                "Use mean[None, :] for a single row, mean[:, None] for a single feature",
            )
        )
    if 0 in array.shape:
        raise ValueError(
            complaint(
                "mean",
                "have at least one row and one feature",
                f"got shape {shape_of(array)}",
                "Check that the data was read and selected as intended",
            )
        )
    absent: npt.NDArray[np.bool_] | None = None
    if keep:
        absent = np.isnan(array)
        absent.flags.writeable = False
        if not absent.any():
            absent = None
    if check:
        given = array if absent is None else np.where(absent, 0.0, array)
        check_finite(given, "mean", ("row", "feature"))
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
    if missing is not None and std is not None:
        std = as_floats(std, "std")
        if std.shape == shape:
            std = np.where(missing & ~np.isfinite(std), std.dtype.type(0.0), std)
    n, d = shape
    if cov is not None and (std is not None or factors is not None):
        other = "std" if std is not None else "factors"
        raise ValueError(
            complaint(
                "cov",
                "be the only description of the errors where it is given",
                f"got both cov and {other}",
                f"Leave one out, or add diag(std**2) to cov; {other} alone needs no matrices",
            )
        )
    if factors is not None:
        return _low_rank(factors, std, n, d, check)
    if std is not None:
        return _diagonal(std, n, d, check)
    if cov is None:
        return Zero(n, d)
    if isinstance(cov, Covariance):
        if cov.shape[:2] != (n, d):
            raise ValueError(
                complaint(
                    "cov",
                    f"have shape ({n}, {d}, {d}) to fit mean of shape ({n}, {d})",
                    f"got {cov!r}",
                    "Select the same rows and features from both",
                )
            )
        return cov
    return _matrices(cov, n, d, check)


def weights_from(weights: Any, n: int, parameter: str = "weights") -> tuple[Doubles | None, float]:
    """Weights that sum to 1, None for equal ones, and the sum they had."""
    if weights is None:
        return None, float(n)
    array = as_floats(weights, parameter).astype(np.float64)
    if array.ndim != 1 or len(array) != n:
        raise ValueError(
            complaint(
                parameter,
                f"have one entry for each of the {n} rows",
                f"got shape {shape_of(array)}",
                f"Pass a vector of length {n}, or leave {parameter} out for equal weights",
            )
        )
    check_finite(array, parameter, ("row",))
    if array.min() < 0:
        row = int(array.argmin())
        raise ValueError(
            complaint(
                parameter,
                "be zero or positive",
                f"got {array[row]} at row {row}",
                "Use 0 to leave a row out of the fit",
            )
        )
    largest = array.max()
    if largest == 0:
        raise ValueError(
            complaint(
                parameter,
                "have a positive sum",
                f"all {n} are zero",
                f"Give at least one row a positive weight, or leave {parameter} out",
            )
        )
    # The sum as it is, so that counts sum to a count; it may be larger than any float.
    with np.errstate(over="ignore"):
        whole = float(array.sum())
    array /= largest
    array /= float(array.sum())
    array.flags.writeable = False
    return array, min(whole, float(np.finfo(np.float64).max))


def counts_from(counts: Any, n: int) -> npt.NDArray[Any] | None:
    """Numbers of points behind the rows: positive, integers if they were given as integers."""
    if counts is None:
        return None
    array = as_floats(counts, "counts")
    if array.shape != (n,):
        raise ValueError(
            f"counts must have one entry for each of the {n} rows; got shape {shape_of(array)}"
        )
    check_finite(array, "counts", ("row",))
    if array.min() <= 0:
        row = int(array.argmin())
        raise ValueError(f"counts must be positive; row {row} has {array[row]:g}")
    given = np.asarray(counts)
    return frozen(given.astype(np.int64) if given.dtype.kind in "iu" else array.astype(np.float64))


def scale_from(scale: Any, parameter: str = "scale") -> float:
    """A scale s in [0, ∞]."""
    try:
        s = float(scale)
    except (TypeError, ValueError):
        s = float("nan")
    if not s >= 0:
        raise ValueError(
            complaint(
                parameter,
                "be a number from 0 to infinity",
                f"got {scale!r}",
                "0 is ordinary PCA of the means, 1 the data as given, numpy.inf the limit",
            )
        )
    return s if s < _INFINITE else float("inf")


def _diagonal(std: Any, n: int, d: int, check: bool) -> Diagonal:
    array = as_floats(std, "std")
    try:
        np.broadcast_to(array, (n, d))
    except ValueError:
        raise ValueError(
            complaint(
                "std",
                f"broadcast to the shape ({n}, {d}) of mean",
                f"got shape {shape_of(array)}",
                "Pass one number, one for each feature (D,), one for each row (N, 1), "
                "or one for each value (N, D)",
            )
        ) from None
    if check:
        axes = ("row", "feature")[2 - array.ndim :]
        check_finite(array, "std", axes)
        if array.size and array.min() < 0:
            index = np.unravel_index(int(array.argmin()), array.shape)
            place = ", ".join(f"{axis} {i}" for axis, i in zip(axes, index, strict=True))
            raise ValueError(
                complaint(
                    "std",
                    "be zero or positive",
                    f"got {array[index]}" + (f" at {place}" if place else ""),
                    "Standard deviations have no sign; pass variances as cov",
                )
            )
    return Diagonal(array, n, d)


def _low_rank(factors: Any, std: Any, n: int, d: int, check: bool) -> LowRank:
    array = as_floats(factors, "factors")
    if array.ndim != 3 or array.shape[:2] != (n, d):
        raise ValueError(
            complaint(
                "factors",
                f"have shape ({n}, {d}, r) to fit mean of shape ({n}, {d})",
                f"got shape {shape_of(array)}",
                "Stack one (features, r) matrix for each row",
            )
        )
    if check:
        check_finite(array, "factors", ("row", "feature", "factor"))
    rest = None if std is None else _diagonal(std, n, d, check)
    return LowRank(array, rest)


def _matrices(cov: Any, n: int, d: int, check: bool) -> Covariance:
    array = as_floats(cov, "cov")
    if array.shape not in ((d, d), (n, d, d)):
        hint = "Pass std= for independent errors"
        if array.shape == (n, d):
            hint = "Pass std=numpy.sqrt(cov) if these are variances, std=cov if standard deviations"
        raise ValueError(
            complaint(
                "cov",
                f"have shape ({n}, {d}, {d}), one matrix for each row, or ({d}, {d}), one for all, "
                f"to fit mean of shape ({n}, {d})",
                f"got shape {shape_of(array)}",
                hint,
            )
        )
    if array.ndim == 2:
        if check:
            check_finite(array, "cov", ("feature", "feature"))
            _check_covariances(array[None], shared=True)
        return Shared(array, n)
    if check:
        check_finite(array, "cov", ("row", "feature", "feature"))
        _check_covariances(array, shared=False)
    return Dense(array)


def _check_covariances(matrices: Floats, shared: bool) -> None:
    """Raise unless every matrix is symmetric and positive semi-definite, up to rounding.

    Rounding is judged on correlations, so that one large variance hides nothing in the others.
    """
    tolerance = _TOLERANCE[matrices.dtype.itemsize]
    d = matrices.shape[1]
    for block in row_blocks(matrices.shape[0], d * d):
        part = matrices[block].astype(np.float64, copy=False)
        variances = np.diagonal(part, axis1=1, axis2=2)
        unit = _units(variances)
        correlations = part / unit[:, :, None]
        correlations /= unit[:, None, :]
        asymmetry = np.abs(correlations - correlations.transpose(0, 2, 1)).max(axis=(1, 2))
        if (asymmetry > tolerance).any():
            row = int(np.argmax(asymmetry > tolerance))
            difference = np.abs(part[row] - part[row].T).max()
            raise ValueError(
                complaint(
                    "cov",
                    "be symmetric",
                    f"{_which(block.start + row, shared)} differs from its transpose "
                    f"by {difference:.3g}",
                    "Use (cov + cov.swapaxes(-1, -2)) / 2 if this is only noise",
                )
            )
        negative = variances.min(axis=1) < 0.0
        if negative.any() or not _all_definite(correlations, tolerance):
            bad = negative | (np.linalg.eigvalsh(correlations)[:, 0] < -tolerance * d)
            if bad.any():
                row = int(np.argmax(bad))
                lowest = np.linalg.eigvalsh(part[row])[0]
                raise ValueError(
                    complaint(
                        "cov",
                        "be positive semi-definite",
                        f"{_which(block.start + row, shared)} has the eigenvalue {lowest:.3g}",
                        "Check that it holds covariances and that its features are in the "
                        "order of mean",
                    )
                )


def _units(variances: Doubles) -> Doubles:
    """Standard deviations to measure each matrix in; certain features in the row's largest."""
    size = np.sqrt(np.abs(variances))
    largest = size.max(axis=1, keepdims=True)
    return np.where(size > 0.0, size, np.where(largest > 0.0, largest, 1.0))


def _all_definite(correlations: Doubles, tolerance: float) -> bool:
    """Whether all matrices, lifted a little, have a Cholesky factor: the fast way to yes."""
    index = np.arange(correlations.shape[1])
    lifted = correlations.copy()
    lifted[:, index, index] += tolerance
    try:
        np.linalg.cholesky(lifted)
    except np.linalg.LinAlgError:
        return False
    return True


def _which(row: int, shared: bool) -> str:
    return "the shared matrix" if shared else f"the matrix of row {row}"
