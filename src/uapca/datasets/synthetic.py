"""Synthetic data sets of the paper's figures and experiments."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from uapca.laws import Normal
from uapca.uncertain import UncertainArray

__all__ = [
    "ErrorModels",
    "make_crossings",
    "make_error_models",
    "make_progression",
    "make_teaser",
]


def make_teaser() -> UncertainArray:
    """Four bivariate normals whose first component turns as their uncertainty counts more.

    Up to s = 0.5 red and green are the outermost on the first component, from s = 0.8 on blue
    and orange (paper, Fig. "teaser"). The numbers are chosen to show this; the paper's are not
    published.

    Returns
    -------
    UncertainArray of shape (4, 2)

    See Also
    --------
    uapca.datasets.make_progression : Rows that turn with the scale.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.datasets.make_teaser()
    >>> for s in (0.5, 0.8):
    ...     means = uapca.UAPCA(1, scale=s).fit(X).transform(X).mean[:, 0]
    ...     print(s, X.names[abs(means).argmax()])
    0.5 green
    0.8 orange
    """
    mean = [[-3.0, 0.3], [3.0, -0.3], [-0.4, 2.1], [0.4, -2.0]]
    cov = [
        [[0.4, 0.9], [0.9, 5.0]],
        [[0.6, 1.1], [1.1, 5.0]],
        [[0.5, 1.6], [1.6, 8.0]],
        [[0.5, 1.6], [1.6, 8.0]],
    ]
    return _normals(mean, cov, names=["red", "green", "orange", "blue"], features=["x", "y"])


def make_crossings() -> UncertainArray:
    """Six normals in three dimensions with two avoided crossings of the eigenvalues.

    The first two eigenvalues of K(s) come close near s = 0.37, the last two near s = 0.54, and
    part again (paper, Fig. "eigenvalues"). The numbers are chosen to show this; the paper's are
    not published.

    Returns
    -------
    UncertainArray of shape (6, 3)

    See Also
    --------
    uapca.plot.eigenvalues : Eigenvalues over the scale.

    Examples
    --------
    >>> import numpy as np
    >>> import uapca
    >>> X = uapca.datasets.make_crossings()
    >>> s = np.linspace(0.2, 0.8, 601)
    >>> values = np.array([uapca.UAPCA(scale=x).fit(X).explained_variance_ for x in s])
    >>> gaps = values[:, :-1] - values[:, 1:]
    >>> s[gaps.argmin(axis=0)].round(2).tolist()
    [0.37, 0.54]
    """
    # The first axis holds most of the variance of the means and the least uncertainty: as s
    # grows the second overtakes it, then the third. The covariances keep them from crossing.
    mean = np.zeros((6, 3))
    for axis, size in enumerate((3.5, 2.5, 2.25)):
        mean[2 * axis : 2 * axis + 2, axis] = size, -size
    shared = np.array([[1.0, 0.5, 0.3], [0.5, 15.6, 0.0], [0.3, 0.0, 9.2]])
    cov = shared * np.array([0.5, 1.5] * 3)[:, None, None]
    return _normals(mean, cov, features=["u", "v", "w"])


def make_progression() -> UncertainArray:
    """Five normals in three dimensions whose first two components turn around the third axis.

    The means spread most along u, then v, and hardly along w; the errors lie mostly at 60° in the
    plane of u and v. As s grows the unit vectors u and v rotate around w, which stays in the
    center of the factor traces (paper, Fig. "progression"). The numbers are chosen to show this;
    the paper's are not published.

    Returns
    -------
    UncertainArray of shape (5, 3)

    See Also
    --------
    uapca.plot.progression : Traces and projected rows at several scales.

    Examples
    --------
    >>> import uapca
    >>> traces = uapca.factor_traces(uapca.datasets.make_progression(), scales=[0.0, 1.0, np.inf])
    >>> np.degrees(np.arctan2(traces.positions[:, 0, 1], traces.positions[:, 0, 0])).round(0)
    array([ -1., -36., -60.])
    >>> bool(np.linalg.norm(traces.positions[:, 2], axis=1).max() < 0.1)
    True
    """
    mean = [
        [-3.2, -0.4, 0.1],
        [-1.1, 1.3, -0.2],
        [0.2, -1.6, 0.1],
        [1.3, 0.9, 0.2],
        [2.8, -0.2, -0.2],
    ]
    along = np.array([np.cos(np.pi / 3), np.sin(np.pi / 3), 0.0])
    sizes = np.array([1.6, 2.2, 1.9, 2.4, 1.7])
    cov = sizes[:, None, None] ** 2 * np.outer(along, along) + np.diag([0.3, 0.3, 0.05])
    return _normals(
        mean, cov, names=[f"row {letter}" for letter in "ABCDE"], features=["u", "v", "w"]
    )


class ErrorModels(NamedTuple):
    """Three versions of one data set that differ in their errors.

    Attributes
    ----------
    certain : UncertainArray
        No errors: ordinary PCA.
    isotropic : UncertainArray
        Normals with the same error in all directions: the components stay, their variances grow.
    arbitrary : UncertainArray
        Normals with a covariance of its own for each row: the components turn.

    See Also
    --------
    uapca.datasets.make_error_models : Returns them.

    Examples
    --------
    >>> import uapca
    >>> models = uapca.datasets.make_error_models()
    >>> print(models.certain.std.max(), models.isotropic.std.min() > 0)
    0.0 True
    """

    certain: UncertainArray
    isotropic: UncertainArray
    arbitrary: UncertainArray


def make_error_models() -> ErrorModels:
    """One data set under three error models: none, isotropic, arbitrary.

    The means are the same in all three (paper, Fig. "distribution-types").

    Returns
    -------
    ErrorModels

    See Also
    --------
    uapca.datasets.make_teaser : The paper's first figure.

    Examples
    --------
    >>> import uapca
    >>> for X in uapca.datasets.make_error_models():
    ...     print(abs(uapca.UAPCA(1).fit(X).components_[0]).round(2))
    [0.96 0.29]
    [0.96 0.29]
    [0.25 0.97]
    """
    mean = np.array([[-2.0, -0.8], [-1.2, 0.1], [-0.3, -0.4], [0.4, 0.5], [1.1, -0.1], [2.0, 0.7]])
    angle = np.deg2rad([80.0, 95.0, 85.0, 100.0, 90.0, 95.0])
    axis = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    length = np.array([2.0, 1.5, 2.2, 1.8, 1.6, 2.0])
    cov = axis[:, :, None] * axis[:, None, :] * (length**2)[:, None, None] + 0.04 * np.eye(2)
    features = ["x", "y"]
    return ErrorModels(
        UncertainArray(mean, features=features),
        _normals(mean, std=0.5, features=features),
        _normals(mean, cov, features=features),
    )


def _normals(mean: npt.ArrayLike, cov: npt.ArrayLike | None = None, **known: Any) -> UncertainArray:
    """Rows that are normals: not only their moments are known."""
    X = UncertainArray(mean, cov, **known)
    return UncertainArray(mean, cov, **known, laws=list(map(Normal, X.mean, X.cov.dense())))
