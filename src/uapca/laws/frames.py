"""Two axes of the plane along which a sum of independent parts nearly falls apart.

A part that acts along one of the axes moves one coordinate only. A part between them moves both,
which makes the coordinates dependent, by no more than the shorter of its two shares: parts far
thinner than the others, or nearly parallel to an axis, hardly matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats

__all__ = ["Frame", "best_frame"]

#: Shares shorter than this are rounding error.
ROUNDING = 1e-9
#: Only the directions of the longest parts are tried as axes.
MOST_AXES = 12


@dataclass(frozen=True, eq=False)
class Frame:
    """Coordinates of the plane, and how much each part moves them.

    Attributes
    ----------
    lower : ndarray of shape (2, 2)
        Cholesky factor of the law's covariance.
    inverse : ndarray of shape (2, 2)
        From deviations in the plane to coordinates.
    shares : ndarray of shape (2, n)
        Coordinates of the columns.
    lengths : ndarray of shape (2, n)
        Standard deviations of the parts along both axes, where the whole law has 1 in every
        direction.
    """

    lower: Floats
    inverse: Floats
    shares: Floats
    lengths: Floats

    @property
    def coupling(self) -> float:
        """The largest dependence between the coordinates."""
        return float(np.max(np.min(self.lengths, axis=0)))

    def coupled(self, tolerance: float) -> list[int]:
        """The parts that make the coordinates dependent by more than `tolerance`."""
        found: list[int] = np.flatnonzero(np.min(self.lengths, axis=0) > tolerance).tolist()
        return found


def best_frame(columns: Floats, stds: Floats, turned: bool = True) -> Frame:
    """The axes with the least dependence, for parts of these standard deviations.

    Tried are the directions of any two parts, and, where `turned`, that of one with its
    perpendicular in the coordinates in which the law has unit covariance.
    """
    scaled = columns * stds
    # A triangular root of the covariance, without the loss of digits of forming it.
    lower = np.asarray(np.linalg.qr(scaled.T, mode="r")).T
    lower = lower * np.sign(np.diagonal(lower))
    white = np.linalg.solve(lower, scaled)
    size = np.linalg.norm(white, axis=0)
    longest = np.argsort(-size, kind="stable")[:MOST_AXES]
    axes = white[:, longest] / size[longest]
    bases = _bases(axes, turned)
    inverses = np.linalg.inv(bases)
    lengths = np.abs(inverses @ white)
    lengths[lengths < ROUNDING] = 0.0
    shorter = np.min(lengths, axis=1)
    best = int(np.argmin(np.max(shorter, axis=1) + 1e-3 * np.sum(shorter, axis=1)))
    inverse = inverses[best] @ np.linalg.inv(lower)
    shares = inverse @ columns
    shares[lengths[best] == 0] = 0.0
    return Frame(lower, inverse, shares, lengths[best])


def _bases(axes: Floats, turned: bool) -> npt.NDArray[np.float64]:
    """Pairs of axes as columns, shape (m, 2, 2): any two that differ, and perpendicular ones."""
    first, second = np.triu_indices(axes.shape[1], 1)
    angle = np.abs(axes[0, first] * axes[1, second] - axes[1, first] * axes[0, second])
    first, second = first[angle > ROUNDING], second[angle > ROUNDING]
    pairs = np.stack([axes[:, first].T, axes[:, second].T], axis=2)
    if not turned:
        return np.asarray(pairs)
    across = np.stack([-axes[1], axes[0]])
    return np.concatenate([pairs, np.stack([axes.T, across.T], axis=2)])
