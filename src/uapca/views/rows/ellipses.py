"""A mean and a covariance as the smallest region that holds a given probability of the normal."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtri

from uapca.views.scene import Ellipse, Floats, Mark, Markers, Polyline

__all__ = ["normal_mark", "radius_of"]

# Below this ratio of standard deviations the ellipse is a line on any screen or paper.
FLAT = 1e-6


def radius_of(level: float, dim: int = 2) -> float:
    """The radius, in standard deviations, of the ball that holds `level` of the standard normal.

    >>> round(radius_of(0.95), 4), round(radius_of(0.95, dim=1), 4)
    (2.4477, 1.96)
    """
    if dim == 1:
        return float(ndtri(0.5 + level / 2))
    return float(np.sqrt(-2 * np.log1p(-level)))


def normal_mark(
    mean: Floats,
    cov: Floats,
    level: float,
    unit: float = 1.0,
    spectrum: tuple[Floats, Floats] | None = None,
    **mark: Any,
) -> Mark:
    """The ellipse that holds `level` of N(mean, cov); a line or a point where it is degenerate.

    Parameters
    ----------
    mean : ndarray of shape (2,)
    cov : ndarray of shape (2, 2)
    level : float
        Probability inside, between 0 and 1.
    unit : float
        A length of the picture: what is smaller than `FLAT` times it is drawn as a point.
    spectrum : tuple of ndarray, optional
        Eigenvalues, rising, and eigenvectors of `cov`, where they are known.
    **mark
        Fields of the mark: role, key, ink …
    """
    values, vectors = np.linalg.eigh(cov) if spectrum is None else spectrum
    long, short = np.sqrt(np.maximum(values[::-1], 0.0))
    direction = vectors[:, 1]
    if direction[0] < 0 or (direction[0] == 0 and direction[1] < 0):
        direction = -direction
    if long <= FLAT * unit:
        return Markers(points=mean[None], **mark)
    if short <= FLAT * long:
        reach = radius_of(level, dim=1) * long * direction
        return Polyline(points=np.array([mean - reach, mean + reach]), **mark)
    radius = radius_of(level)
    return Ellipse(
        center=(float(mean[0]), float(mean[1])),
        radii=(float(radius * long), float(radius * short)),
        angle=float(np.degrees(np.arctan2(direction[1], direction[0]))),
        level=level,
        **mark,
    )
