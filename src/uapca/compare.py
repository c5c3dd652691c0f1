"""Distances between PCAs.

A PCA is determined by its mean and covariance; read as normal distributions N(μ, K), two of them
are compared by their overlap (paper, Sec. "Comparison To Sampling"). Signs, order and ties of
eigenvectors play no part, so nothing has to be matched first. Distances of close fits keep their
digits (`hellinger`).
"""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
import numpy.typing as npt
import scipy.linalg
from sklearn.utils.validation import check_is_fitted

from uapca._validation import Doubles, as_floats, check_choice, check_finite
from uapca.decomposition import UAPCA
from uapca.decomposition.spectrum import tie_tolerance
from uapca.exceptions import SupportWarning
from uapca.laws.normal import checked_moments
from uapca.uncertain import UncertainArray

__all__ = ["bhattacharyya", "hellinger", "hellinger_to_each", "principal_angles"]

Normal = tuple[Doubles, Doubles]
Comparable = UAPCA | UncertainArray | tuple[npt.ArrayLike, npt.ArrayLike]
Space = Literal["full", "components"]

_EPS = float(np.finfo(np.float64).eps)

# How far a mean may lie outside a degenerate support, in standard deviations, and count as inside:
# well above the rounding of an eigenvector, well below anything a picture shows.
_OUTSIDE = 1e-8

# Means this many standard deviations apart have no overlap in float64, whatever the shapes.
_NOWHERE_NEAR = 1e100

# The largest number of standard deviations whose squares can be summed.
_HUGE = 1e150

# Above this largest whitened difference the determinants themselves are accurate; below it they
# would cancel.
_FAR = 0.9


def hellinger(a: Comparable, b: Comparable, *, space: Space = "full") -> float:
    """The Hellinger distance of two PCAs, H = √(1 − BC).

    Parameters
    ----------
    a, b : UAPCA, UncertainArray, or pair (mean, cov)
        A fitted `uapca.UAPCA` stands for N(μ, K(s)), whatever its number of components; an
        UncertainArray for the normal with its pooled mean and covariance; a pair of shapes (D,)
        and (D, D) for itself.
    space : {"full", "components"}, default="full"
        "full" compares the distributions in all D features. "components", for two fits, compares
        what their components describe: each fit is the normal with its q components, their
        variances, and in all other directions the average variance left (the noise floor of
        probabilistic PCA); both are restricted to the joint span of the components. Use it where
        there are fewer rows than features.

    Warns
    -----
    SupportWarning
        If the distance is 1 only because a covariance has a rank below D and the supports differ,
        as with certain rows and D ≥ N.

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
    H is computed from the whitened difference of the covariances and not from 1 − BC, so that small
    distances keep their digits.

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
    return float(np.sqrt(abs(np.expm1(_log_coefficient(a, b, space)))))  # abs: no −0.0


def bhattacharyya(a: Comparable, b: Comparable, *, space: Space = "full") -> float:
    """The Bhattacharyya coefficient of two PCAs, BC = ∫ √(p q): their overlap.

    Parameters
    ----------
    a, b : UAPCA, UncertainArray, or pair (mean, cov)
        As in `hellinger`.
    space : {"full", "components"}, default="full"
        As in `hellinger`.

    Returns
    -------
    float
        From 0, no overlap, to 1, the same distribution. −ln BC is the Bhattacharyya distance; if
        the covariances are equal that is an eighth of the squared Mahalanobis distance.

    See Also
    --------
    uapca.hellinger : The distance of two PCAs.
    uapca.principal_angles : The angles between two sets of components.

    Examples
    --------
    Two standard deviations apart, BC = exp(−2² / 8):

    >>> import uapca
    >>> round(uapca.bhattacharyya(([0.0], [[1.0]]), ([2.0], [[1.0]])), 6)
    0.606531
    """
    return float(np.exp(_log_coefficient(a, b, space)))


def principal_angles(a: UAPCA | npt.ArrayLike, b: UAPCA | npt.ArrayLike) -> Doubles:
    """The principal angles between two subspaces, in radians, the smallest first.

    Parameters
    ----------
    a, b : UAPCA, or array-like of shape (q, D)
        Fitted PCAs, or components as rows. The rows need not be orthonormal, their lengths do
        not matter, and the numbers of rows may differ.

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
    _check_features(a, b)
    first, second = _directions(a, "a"), _directions(b, "b")
    if first.shape[1] != second.shape[1]:
        raise ValueError(_different(first.shape[1], second.shape[1]))
    angles = scipy.linalg.subspace_angles(first.T, second.T)
    return np.ascontiguousarray(angles[::-1], dtype=np.float64)


# The coefficient


def _log_coefficient(a: Comparable, b: Comparable, space: Space) -> float:
    """ln BC of two arguments, in [−∞, 0]."""
    check_choice(space, ("full", "components"), "space")
    _check_features(a, b)
    if space == "components":
        (mean_a, cov_a), (mean_b, cov_b) = _on_components(a, b)
    else:
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
    cov_a, cov_b = cov_a[np.ix_(kept, kept)], cov_b[np.ix_(kept, kept)]
    first, second = cov_a / size / size[:, None], cov_b / size / size[:, None]
    # Subtracted before scaling, which rounds: two that are close differ by an exact number.
    difference = 0.5 * (cov_a - cov_b) / size / size[:, None]
    basis, ranks = _common_support(first, second)
    if basis is None:
        what, remedy = "features", "for two fits space='components' compares their components"
        if space == "components":
            what, remedy = "dimensions", "fits with fewer components have a noise floor"
        warnings.warn(
            f"the distance is 1 because the covariances have different supports (rank {ranks[0]} "
            f"and {ranks[1]} of {len(size)} {what}); {remedy}",
            SupportWarning,
            stacklevel=3,
        )
        return -np.inf
    inside = basis.T @ shift
    outside = float(np.linalg.norm(shift - basis @ inside))
    allowed = _OUTSIDE * max(1.0, float(np.linalg.norm(shift))) + float(np.linalg.norm(rounding))
    if basis.shape[1] < len(size):
        if outside > allowed:
            return -np.inf
        first, second, difference = (basis.T @ P @ basis for P in (first, second, difference))
        shift = inside
    return float(_on_support(shift, first, second, difference))


def _on_support(shift: Doubles, first: Doubles, second: Doubles, difference: Doubles) -> Doubles:
    """ln BC of normals with covariances that can be inverted, one pair or stacks of them.

    With the covariances A and B whitened by M = (A + B)/2 they are I + Δ and I − Δ, and
    ln BC = −δᵀM⁻¹δ / 8 + ¼ Σ ln(1 − dᵢ²) over the eigenvalues of Δ: nothing cancels.
    ``difference`` is (A − B)/2, without the rounding of A and B.
    """
    half = np.linalg.cholesky(0.5 * (first + second))
    away = np.linalg.solve(half, shift[..., None])[..., 0]
    whitened = np.swapaxes(np.linalg.solve(half, difference), -1, -2)
    whitened = np.linalg.solve(half, whitened)
    whitened = 0.5 * (whitened + np.swapaxes(whitened, -1, -2))
    # The product is the same for Δ and −Δ: the distance is symmetric to the last bit.
    squares = np.linalg.eigvalsh(whitened @ whitened)
    near = squares.max(axis=-1) < _FAR**2
    shapes = 0.25 * np.log1p(-np.where(near[..., None], squares, 0.0)).sum(axis=-1)
    if not near.all():
        middle = np.log(np.diagonal(half, axis1=-2, axis2=-1)).sum(axis=-1)
        far = 0.25 * (np.linalg.slogdet(first)[1] + np.linalg.slogdet(second)[1]) - middle
        shapes = np.where(near, shapes, far)
    return np.asarray(np.minimum(shapes, 0.0) - 0.125 * np.square(away).sum(axis=-1))


def _common_support(first: Doubles, second: Doubles) -> tuple[Doubles | None, tuple[int, int]]:
    """An orthonormal basis, as columns, of the one support of both, None if they differ; ranks.

    Both supports lie in that of the sum: they are equal if all three have the same dimension.
    """
    values, vectors = np.linalg.eigh(first + second)
    limit = tie_tolerance(len(values))
    kept = values > limit * values[-1]
    one, other = (
        int((own > limit * own[-1]).sum()) if own[-1] > 0.0 else 0
        for own in map(np.linalg.eigvalsh, (first, second))
    )
    basis = np.asarray(vectors[:, kept]) if one == other == kept.sum() else None
    return basis, (one, other)


def hellinger_to_each(normal: Normal, means: Doubles, covs: Doubles) -> Doubles:
    """Distances from one normal, not degenerate, to each of a stack, shapes (k, D) and (k, D, D).

    A member of the stack with a smaller support has no overlap: its distance is 1.
    """
    mean, cov = normal
    size = np.sqrt(np.diagonal(cov))
    units = np.multiply.outer(size, size)
    first, second, difference = cov / units, covs / units, 0.5 * (cov - covs) / units
    own = np.linalg.eigvalsh(second)
    whole = own[..., 0] > tie_tolerance(len(mean)) * own[..., -1]
    logs = np.full(len(means), -np.inf)
    if whole.any():
        shift = (means[whole] - mean) / size
        logs[whole] = _on_support(shift, first[None], second[whole], difference[whole])
    return np.asarray(np.sqrt(np.abs(np.expm1(logs))))


# What the arguments stand for


def _normal(value: Comparable, parameter: str) -> Normal:
    """Mean and covariance of a fitted PCA, an UncertainArray or a pair."""
    if isinstance(value, UAPCA):
        value.between_covariance_  # noqa: B018 - raises where K was not formed
        covariance = value.get_covariance()
        if np.isinf(value.scale):
            raise ValueError(
                f"{parameter} must be fitted at a finite scale; got inf, where K is only known in "
                "units of s² (principal_angles compares the components)"
            )
        units = value._units  # distances are those in the units of the data
        return units * value.mean_, covariance * units[:, None] * units
    if isinstance(value, UncertainArray):
        return value.pooled()
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise TypeError(
            f"{parameter} must be a fitted UAPCA, an UncertainArray or a pair (mean, cov); "
            f"got {type(value).__name__}"
        )
    mean, cov = checked_moments(
        *value, names=(f"the mean of {parameter}", f"the covariance of {parameter}")
    )
    return mean.astype(np.float64), cov.astype(np.float64)


def _on_components(a: Comparable, b: Comparable) -> tuple[Normal, Normal]:
    """Two fits as normals on the joint span of their components, with a noise floor each."""
    for name, value in (("a", a), ("b", b)):
        if not isinstance(value, UAPCA):
            raise TypeError(
                f"{name} must be a fitted UAPCA with space='components'; got {type(value).__name__}"
            )
        check_is_fitted(value)
        if np.isinf(value.scale):
            raise ValueError(f"{name} must be fitted at a finite scale; got inf")
    assert isinstance(a, UAPCA)
    assert isinstance(b, UAPCA)
    if len(a.mean_) != len(b.mean_):
        raise ValueError(_different(len(a.mean_), len(b.mean_)))
    if not np.array_equal(a._units, b._units):
        raise ValueError("a and b must have the same feature_scale_ with space='components'")
    shift = b.mean_ - a.mean_
    basis = scipy.linalg.orth(np.vstack([a.components_, b.components_]).T)

    def model(pca: UAPCA) -> Doubles:
        values, d = pca.explained_variance_, len(pca.mean_)
        share = float(pca.explained_variance_ratio_.sum())
        rest = values.sum() * (1.0 / share - 1.0) if share > 0.0 else 0.0
        floor = max(float(rest), 0.0) / max(d - len(values), 1)
        inner = pca.components_ @ basis
        return np.asarray(floor * np.eye(basis.shape[1]) + (inner.T * (values - floor)) @ inner)

    return (np.zeros(basis.shape[1]), model(a)), (basis.T @ shift, model(b))


def _directions(value: UAPCA | npt.ArrayLike, parameter: str) -> Doubles:
    """Components as rows of length 1, so that a short one is no less a direction."""
    if isinstance(value, UAPCA):
        check_is_fitted(value)
        return value.components_.astype(np.float64, copy=False)
    if isinstance(value, UncertainArray):
        raise TypeError(
            f"{parameter} must be a fitted UAPCA or components of shape (q, D); got UncertainArray "
            "(fit UAPCA to it first)"
        )
    rows = as_floats(value, parameter).astype(np.float64, copy=False)
    if rows.ndim != 2 or not rows.size:
        raise ValueError(
            f"{parameter} must be a fitted UAPCA or components of shape (q, D); "
            f"got shape {rows.shape}"
        )
    check_finite(rows, parameter, ("component", "feature"))
    if not rows.any():
        raise ValueError(f"{parameter} must span at least one direction; all its entries are zero")
    largest = np.abs(rows).max(axis=1, keepdims=True)
    rows = rows / np.where(largest > 0.0, largest, 1.0)  # first, so that squares do not overflow
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(length > 0.0, length, 1.0))


def _check_features(a: object, b: object) -> None:
    """Named features must be the same, in the same order: nothing is matched by position."""
    first, second = (
        getattr(value, "feature_names_in_", None)
        if isinstance(value, UAPCA)
        else getattr(value, "features", None)
        for value in (a, b)
    )
    if first is None or second is None or len(first) != len(second):
        return
    for j, (one, other) in enumerate(zip(first, second, strict=True)):
        if one != other:
            raise ValueError(
                "a and b must have the same features in the same order; "
                f"feature {j} is {one!r} in a and {other!r} in b"
            )


def _different(first: int, second: int) -> str:
    return f"a and b must have the same number of features; got {first} and {second}"
