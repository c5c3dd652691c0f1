"""Moments of groups of points that are in memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats

__all__ = ["GroupedMoments", "group_order", "grouped_moments"]

# Values gathered at a time: the block stays in the processor's cache through all its passes, and
# its product is too small for BLAS to wait for other threads.
_BLOCK = 1 << 14


class GroupedMoments(NamedTuple):
    """Moments of G groups of points in D features.

    Attributes
    ----------
    counts : ndarray of shape (G,)
        Number of points in each group.
    means : ndarray of shape (G, D)
    covs : ndarray of shape (G, D, D)
        Population covariances (÷ n); zero for a group of one point.
    """

    counts: npt.NDArray[np.int64]
    means: npt.NDArray[np.float64]
    covs: npt.NDArray[np.float64]


def grouped_moments(
    points: Floats, codes: npt.NDArray[np.integer], n_groups: int
) -> GroupedMoments:
    """Count, mean and population covariance of every group of points.

    Parameters
    ----------
    points : ndarray of shape (n, D)
        Finite numbers, float32 or float64; sums are kept in float64.
    codes : ndarray of int, shape (n,)
        The group of each point, 0 to ``n_groups - 1``; a point with a negative code is left out.
    n_groups : int
        Number of groups. One without points has count 0, mean 0 and covariance 0.

    Returns
    -------
    GroupedMoments

    Notes
    -----
    Every block of a group is centred on its own mean before it is multiplied, and blocks are
    merged by the law of total variance, so an offset of 1e8 costs no digits.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.array([[0.0, 1.0], [2.0, 1.0], [5.0, 5.0]])
    >>> moments = grouped_moments(points, np.array([0, 0, 1]), 2)
    >>> moments.counts.tolist(), moments.means.tolist(), moments.covs[0].tolist()
    ([2, 1], [[1.0, 1.0], [5.0, 5.0]], [[1.0, 0.0], [0.0, 0.0]])
    """
    d = points.shape[1]
    order, counts = group_order(codes, n_groups)
    means = np.zeros((n_groups, d))
    covs = np.zeros((n_groups, d, d))
    size = max(64, _BLOCK // max(d, 1))
    rows = np.empty((min(size, len(order)), d), dtype=points.dtype)
    wide = rows if rows.dtype == np.float64 else np.empty(rows.shape)
    # Gathering rows from columns stored one after the other would touch all of memory each time.
    points = np.ascontiguousarray(points)
    start = 0
    for group, count in enumerate(counts.tolist()):
        stop = start + count
        # The first point as a provisional centre: what is left to sum is of the spread's size.
        first = points[order[start]].astype(np.float64) if count else 0.0
        mean = np.zeros(d)
        for low in range(start, stop, size):
            taken = order[low : min(low + size, stop)]
            done, n = low - start, len(taken)
            block = np.take(points, taken, axis=0, out=rows[:n], mode="clip")
            block = np.subtract(block, first, out=wide[:n])
            centre = block.sum(axis=0)
            centre /= n
            block -= centre
            covs[group] += block.T @ block
            gap = centre - mean
            mean += gap * (n / (done + n))
            covs[group] += np.outer(gap, gap * (done * n / (done + n)))
        means[group] = first + mean
        start = stop
    covs /= np.maximum(counts, 1)[:, None, None]
    return GroupedMoments(counts, means, covs)


def group_order(
    codes: npt.NDArray[np.integer], n_groups: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]:
    """Positions of the points group by group, in their order within each, and the group sizes.

    Points with a negative code are left out.
    """
    # Codes of up to 16 bits are sorted by radix, in time proportional to their number.
    small: type[np.unsignedinteger] | type[np.int64]
    small = np.uint8 if n_groups < 256 else np.uint16 if n_groups < 65536 else np.int64
    absent = codes < 0
    missing = int(np.count_nonzero(absent))
    if missing:
        codes = np.where(absent, n_groups, codes)
    order = np.argsort(codes.astype(small, copy=False), kind="stable")
    counts = np.bincount(codes, minlength=n_groups)[:n_groups].astype(np.int64)
    return order[: len(order) - missing], counts
