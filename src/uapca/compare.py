"""Distances between PCAs.

A PCA is known completely by its mean and covariance; read as a normal distribution N(μ, K), two of
them are compared by how much they overlap (paper, Sec. "Comparison To Sampling"). No signs, no
order and no ties of eigenvectors enter, so nothing has to be matched first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from sklearn.utils.validation import check_is_fitted

from uapca._validation import as_floats, check_finite, complaint, shape_of
from uapca.decomposition import UAPCA
from uapca.decomposition.spectrum import tie_tolerance
from uapca.uncertain import UncertainArray
from uapca.uncertain.blocks import Doubles

__all__ = ["bhattacharyya", "hellinger", "hellinger_to_each", "principal_angles"]

_EPS = float(np.finfo(np.float64).eps)

# How far a mean may lie outside a degenerate support, in standard deviations, and count as inside:
# well above the rounding of an eigenvector, well below anything a picture shows.
_OUTSIDE = 1e-8

# Means this many standard deviations apart have no overlap in float64, whatever the shapes.
_NOWHERE_NEAR = 1e100

# The largest number of standard deviations whose squares can be summed.
_HUGE = 1e150

# Whitened differences beyond this are far from equal: there the determinants themselves are
# accurate, and below it they would cancel.
_FAR = 0.9

Normal = tuple[Doubles, Doubles]


def hellinger(a: Any, b: Any) -> float:
    """The Hellinger distance of two PCAs, H = √(1 − BC).

    Parameters
    ----------
    a, b : UAPCA, UncertainArray, or pair (mean, cov)
        A fitted `uapca.UAPCA` stands for N(μ, K(s)), whatever its number of components; an
        UncertainArray for the normal with its pooled mean and covariance; a pair of shapes (D,)
        and (D, D) for itself.

    Returns
    -------
    float
        From 0, the same distribution, to 1, no overlap. A metric: symmetric, and no detour is
        shorter.

    See Also
    --------
    bhattacharyya : The overlap BC itself.
    principal_angles : How two sets of components lie to each other.

    Notes
    -----
    Where the difference is small, H is found from the difference and not from 1 − BC, so that
    distances down to 1e-15 keep their digits.

    Covariances may be singular. With one common support the distance is that on the support; if
    the supports differ there is no overlap and the distance is 1. A direction belongs to a
    support if its variance, with all features in units of their common standard deviation, is
    above a rounding error of the largest.

    Examples
    --------
    >>> import numpy as np, uapca
    >>> X = uapca.UncertainArray([[-2.0, 0.0], [0.0, 0.5], [2.0, -0.5]], std=[0.1, 3.0])
    >>> pca = uapca.UAPCA().fit(X)
    >>> uapca.hellinger(pca, X)
    0.0
    >>> round(uapca.hellinger(pca, pca.rescale(0.5)), 4)
    0.3166
    """
    return float(np.sqrt(abs(np.expm1(_log_coefficient(a, b)))))  # abs: no −0.0


def bhattacharyya(a: Any, b: Any) -> float:
    """The Bhattacharyya coefficient of two PCAs, BC = ∫ √(p q): their overlap.

    Parameters
    ----------
    a, b : UAPCA, UncertainArray, or pair (mean, cov)
        As in `hellinger`.

    Returns
    -------
    float
        From 0, no overlap, to 1, the same distribution. −ln BC is the Bhattacharyya distance; if
        the covariances are equal that is an eighth of the squared Mahalanobis distance.

    Examples
    --------
    Two standard deviations apart, BC = exp(−2² / 8):

    >>> import uapca
    >>> round(uapca.bhattacharyya(([0.0], [[1.0]]), ([2.0], [[1.0]])), 6)
    0.606531
    """
    return float(np.exp(_log_coefficient(a, b)))


def principal_angles(a: Any, b: Any) -> Doubles:
    """The principal angles between two subspaces, in radians, the smallest first.

    Parameters
    ----------
    a, b : UAPCA, or array-like of shape (q, D)
        Fitted PCAs, or components as rows. The rows need not be orthonormal, their lengths play
        no part, and the numbers of rows may differ.

    Returns
    -------
    ndarray of shape (min(r_a, r_b),)
        From 0 to π/2, accurate for small angles too. r is the dimension of the subspace: the
        number of rows, or less if they depend on each other. With all rows brought to length 1, it
        is the number of singular values above max(q, D) roundings of the largest; a row of zeros
        adds nothing.

    See Also
    --------
    hellinger : Takes variances and means into account as well.

    Examples
    --------
    >>> import numpy as np, uapca
    >>> uapca.principal_angles([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0.0, 1.0, 1.0]])
    array([0.78539816])
    """
    first, second = _directions(a, "a"), _directions(b, "b")
    if first.shape[1] != second.shape[1]:
        raise ValueError(_different(first.shape[1], second.shape[1]))
    angles = scipy.linalg.subspace_angles(first.T, second.T)
    return np.ascontiguousarray(angles[::-1], dtype=np.float64)


# The coefficient


def _log_coefficient(a: Any, b: Any) -> float:
    """ln BC of two arguments, in [−∞, 0]."""
    (mean_a, cov_a), (mean_b, cov_b) = _normal(a, "a"), _normal(b, "b")
    if len(mean_a) != len(mean_b):
        raise ValueError(_different(len(mean_a), len(mean_b)))
    middle = 0.5 * cov_a + 0.5 * cov_b  # halved first: the sum of two large ones may overflow
    with np.errstate(over="ignore"):
        shift = mean_a - mean_b
    rounding = 16 * _EPS * np.maximum(np.abs(mean_a), np.abs(mean_b))
    size = np.sqrt(np.clip(np.diagonal(middle), 0.0, None))
    fixed = size == 0.0
    apart = np.abs(shift) > rounding
    if apart[fixed].any():
        return -np.inf
    kept = ~fixed
    if not kept.any():
        return 0.0
    # In units of the common standard deviation nothing depends on the units of the features.
    size = size[kept]
    with np.errstate(over="ignore"):
        shift, rounding = shift[kept] / size, rounding[kept] / size
    if (apart[kept] & (np.abs(shift) > _NOWHERE_NEAR)).any():
        return -np.inf
    shift, rounding = np.clip(shift, -_HUGE, _HUGE), np.minimum(rounding, _HUGE)
    first = cov_a[np.ix_(kept, kept)] / size / size[:, None]
    second = cov_b[np.ix_(kept, kept)] / size / size[:, None]
    basis = _common_support(first, second)
    if basis is None:
        return -np.inf
    inside = basis.T @ shift
    outside = float(np.linalg.norm(shift - basis @ inside))
    allowed = _OUTSIDE * max(1.0, float(np.linalg.norm(shift))) + float(np.linalg.norm(rounding))
    if basis.shape[1] < len(size):
        if outside > allowed:
            return -np.inf
        first, second = basis.T @ first @ basis, basis.T @ second @ basis
        shift = inside
    return float(_on_support(shift, first, second))


def _on_support(shift: Doubles, first: Doubles, second: Doubles) -> Doubles:
    """ln BC of normals with covariances that can be inverted, one pair or stacks of them.

    With the covariances whitened by their middle M = (A + B)/2 they are I + Δ and I − Δ, and
    ln BC = −δᵀM⁻¹δ / 8 + ¼ Σ ln(1 − dᵢ²) over the eigenvalues of Δ: nothing cancels.
    """
    half = np.linalg.cholesky(0.5 * (first + second))
    away = np.linalg.solve(half, shift[..., None])[..., 0]
    difference = _one_sign(0.5 * (first - second))
    whitened = np.swapaxes(np.linalg.solve(half, difference), -1, -2)
    whitened = np.linalg.solve(half, whitened)
    d = np.linalg.eigvalsh(0.5 * (whitened + np.swapaxes(whitened, -1, -2)))
    near = np.abs(d).max(axis=-1) < _FAR
    shapes = 0.25 * np.log1p(-np.where(near[..., None], d * d, 0.0)).sum(axis=-1)
    if not near.all():
        middle = np.log(np.diagonal(half, axis1=-2, axis2=-1)).sum(axis=-1)
        far = 0.25 * (np.linalg.slogdet(first)[1] + np.linalg.slogdet(second)[1]) - middle
        shapes = np.where(near, shapes, far)
    return np.asarray(np.minimum(shapes, 0.0) - 0.125 * np.square(away).sum(axis=-1))


def _one_sign(difference: Doubles) -> Doubles:
    """The matrix, or its negative: the same one for (a, b) and (b, a).

    Its sign plays no part in the coefficient; choosing it makes both orders agree to the last bit.
    """
    entries = difference.reshape(*difference.shape[:-2], -1)
    leading = (entries != 0.0).argmax(axis=-1)[..., None]
    sign = np.take_along_axis(entries, leading, axis=-1)[..., None]
    return np.asarray(np.where(sign < 0.0, -difference, difference))


def _common_support(first: Doubles, second: Doubles) -> Doubles | None:
    """An orthonormal basis, as columns, of the one support of both; None if they differ.

    Both supports lie in that of the sum: they are equal if all three have the same dimension.
    """
    values, vectors = np.linalg.eigh(first + second)
    limit = tie_tolerance(len(values))
    kept = values > limit * values[-1]
    for matrix in (first, second):
        own = np.linalg.eigvalsh(matrix)
        if own[-1] <= 0.0 or (own > limit * own[-1]).sum() != kept.sum():
            return None
    return np.asarray(vectors[:, kept])


def hellinger_to_each(normal: Normal, means: Doubles, covs: Doubles) -> Doubles:
    """Distances from one normal, not degenerate, to each of a stack, shapes (k, D) and (k, D, D).

    A member of the stack with a smaller support has no overlap: its distance is 1.
    """
    mean, cov = normal
    size = np.sqrt(np.diagonal(cov))
    units = np.multiply.outer(size, size)
    first, second = cov / units, covs / units
    own = np.linalg.eigvalsh(second)
    whole = own[..., 0] > tie_tolerance(len(mean)) * own[..., -1]
    logs = np.full(len(means), -np.inf)
    if whole.any():
        logs[whole] = _on_support((means[whole] - mean) / size, first[None], second[whole])
    return np.asarray(np.sqrt(np.abs(np.expm1(logs))))


# What the arguments stand for


def _normal(value: Any, parameter: str) -> Normal:
    """Mean and covariance of a fitted PCA, an UncertainArray or a pair."""
    if isinstance(value, UAPCA):
        covariance = value.get_covariance()
        if np.isinf(value.scale):
            raise ValueError(
                complaint(
                    parameter,
                    "be fitted at a finite scale",
                    "got scale=inf, where the covariance is known in units of s² only",
                    "Compare a large scale, or the components with principal_angles",
                )
            )
        if value.feature_scale_ is None:
            return value.mean_, covariance
        units = value.feature_scale_  # distances are those in the units of the data
        return units * value.mean_, covariance * units[:, None] * units
    if isinstance(value, UncertainArray):
        return value.pooled()
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise TypeError(
            complaint(
                parameter,
                "be a fitted UAPCA, an UncertainArray or a pair (mean, cov)",
                f"got {type(value).__name__}",
                "Pass (mean, cov) with shapes (D,) and (D, D)",
            )
        )
    mean = as_floats(value[0], f"the mean of {parameter}").astype(np.float64, copy=False)
    cov = as_floats(value[1], f"the covariance of {parameter}").astype(np.float64, copy=False)
    if mean.ndim != 1 or not len(mean) or cov.shape != (len(mean), len(mean)):
        raise ValueError(
            complaint(
                parameter,
                "be a pair of shapes (D,) and (D, D)",
                f"got shapes {shape_of(mean)} and {shape_of(cov)}",
                "Pass the mean and the covariance of one distribution",
            )
        )
    check_finite(mean, f"the mean of {parameter}", ("feature",))
    check_finite(cov, f"the covariance of {parameter}", ("row", "column"))
    return mean, _checked_covariance(cov, parameter)


def _checked_covariance(cov: Doubles, parameter: str) -> Doubles:
    size = float(np.abs(cov).max())
    with np.errstate(over="ignore"):
        asymmetry = float(np.abs(cov - cov.T).max())
    if asymmetry > 1e-8 * size:
        raise ValueError(
            complaint(
                f"the covariance of {parameter}",
                "be symmetric",
                f"entries differ from their mirror images by up to {asymmetry:.3g}",
                "Pass (cov + cov.T) / 2 if the difference is only rounding",
            )
        )
    cov = 0.5 * cov + 0.5 * cov.T
    lowest = float(np.linalg.eigvalsh(cov / size)[0]) * size if size > 0.0 else 0.0
    if lowest < -1e-10 * len(cov) * size:
        raise ValueError(
            complaint(
                f"the covariance of {parameter}",
                "be positive semi-definite",
                f"its smallest eigenvalue is {lowest:.3g}",
                "Check that variances are not negative and correlations are within [-1, 1]",
            )
        )
    return cov


def _directions(value: Any, parameter: str) -> Doubles:
    """Components as rows, shape (q, D)."""
    if isinstance(value, UAPCA):
        check_is_fitted(value)
        return value.components_.astype(np.float64, copy=False)
    if isinstance(value, UncertainArray):
        raise TypeError(
            complaint(
                parameter,
                "be a fitted UAPCA or components of shape (q, D)",
                "got UncertainArray, which has no components yet",
                "Fit UAPCA(n_components=q) to it first",
            )
        )
    rows = as_floats(value, parameter).astype(np.float64, copy=False)
    if rows.ndim != 2 or not rows.size:
        raise ValueError(
            complaint(
                parameter,
                "be a fitted UAPCA or components of shape (q, D)",
                f"got shape {shape_of(rows)}",
                "Pass one component as [component]",
            )
        )
    check_finite(rows, parameter, ("component", "feature"))
    if not rows.any():
        raise ValueError(
            complaint(
                parameter,
                "span at least one direction",
                "all its entries are zero",
                "Pass components, such as pca.components_",
            )
        )
    return _of_length_one(rows)


def _of_length_one(rows: Doubles) -> Doubles:
    """The rows with length 1, so that a short one is no less a direction; zeros stay."""
    largest = np.abs(rows).max(axis=1, keepdims=True)
    rows = rows / np.where(largest > 0.0, largest, 1.0)  # first, so that squares do not overflow
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(length > 0.0, length, 1.0))


def _different(first: int, second: int) -> str:
    return complaint(
        "a and b",
        "have the same number of features",
        f"got {first} and {second}",
        "Compare fits of the same features",
    )
