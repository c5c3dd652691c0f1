"""The smallest regions that hold given probabilities of a law: rings in the plane, intervals.

The law is whitened first, so that thin, oblique and far-off laws are as well resolved as round
ones; the nodes of the grid follow the mass, so that narrow modes far apart are all seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from uapca.laws import Affine, Independent, Law, Mixture, Moments, Samples
from uapca.plot.style import Floats

__all__ = ["Unresolved", "curve", "intervals", "rings"]

# Nodes evenly spaced on each axis, and as many again where the mass is; more of them where the
# regions then fall SHORT of what they should hold of some draws.
NODES = (96, 192, 384)
DRAWS, SHORT = 4000, 0.04
# Contours are found on the radius √(2 log(top / density)), on which a normal law is a cone:
# straight lines between nodes are then nearly exact. Where there is no density it ends here.
BEYOND = 3.0
LITTLE = 0.1  # of the variance, what other features may add where the grid follows two of them
PLATEAU = 1e-6  # a plateau reaches its height only to rounding


class Unresolved(ValueError):
    """A density that no grid of reasonable size can show, such as thin laws across each other."""


def rings(law: Law, levels: npt.ArrayLike) -> list[tuple[Floats, ...]]:
    """For each level the closed rings that hold that probability; a hole goes round the other way.

    Parameters
    ----------
    law : Law
        Of two dimensions and support rank 2.
    levels : array-like of shape (L,)
        Probabilities between 0 and 1.

    Raises
    ------
    DegenerateLawError
        Where the law has no density in the plane.
    Unresolved
        Where no grid of reasonable size sees the density.

    Notes
    -----
    Where the density is one plateau (a uniform law) all regions of one size are as good; the
    plateau is shrunk about its centre until it holds the probability.
    """
    wanted = np.atleast_1d(np.asarray(levels, dtype=np.float64))
    root, inverse = _frame(law)
    white = law.affine(inverse, -inverse @ law.mean)
    heights = white.levels(wanted)
    draws = np.asarray(white.sample(DRAWS, rng=0), dtype=np.float64)
    for count in NODES:
        axes, density = _grid(white, draws, float(heights.min()), count)
        found = [
            _contours(axes, density, float(height), float(level))
            for height, level in zip(heights, wanted, strict=True)
        ]
        if _estimated(law) or (_whole(found, law) and _hold(found, wanted, draws)):
            return [tuple(ring @ root.T + law.mean for ring in level) for level in found]
    raise Unresolved(
        f"the density of this law ({law.describe()}) is too thin for a grid of {2 * NODES[-1]} by "
        f"{2 * NODES[-1]} points"
    )


def _frame(law: Law) -> tuple[Floats, Floats]:
    """A root of the covariance, or nearly one, and its inverse.

    Where two independent features are nearly all there is, the root has their directions: then the
    grid lies along the sharp edges of the density, which would else be cut into steps.
    """
    if isinstance(law, Affine) and isinstance(law.law, Independent):
        parts = np.asarray(law.A * law.law.std, dtype=np.float64)
        first = int(np.argmax(np.hypot(*parts)))
        spanned = np.abs(parts[0, first] * parts[1] - parts[1, first] * parts[0])
        pair = [first, int(np.argmax(spanned))]
        if spanned.max() > 0:
            root = parts[:, pair]
            inverse = np.asarray(np.linalg.inv(root), dtype=np.float64)
            if np.square(inverse @ np.delete(parts, pair, axis=1)).sum() < LITTLE:
                return root, inverse
    values, vectors = np.linalg.eigh(law.cov)
    return vectors * np.sqrt(values), (vectors / np.sqrt(values)).T


def _grid(
    white: Law, draws: Floats, height: float, count: int
) -> tuple[tuple[Floats, Floats], Floats]:
    """Axes of a grid, and the density on it, that reach to where it falls below a height."""
    margin = 0.1
    for _ in range(4):
        x, y = (_nodes(draws[:, i], margin, count) for i in range(2))
        density = np.asarray(white.density((x, y)), dtype=np.float64)
        rim = (density[0], density[-1], density[:, 0], density[:, -1])
        if all(float(side.max()) < height for side in rim):
            break
        margin *= 4
    return (x, y), density


def _nodes(draws: Floats, margin: float, count: int) -> Floats:
    low, high = float(draws.min()), float(draws.max())
    reach = margin * (high - low)
    even = np.linspace(low - reach, high + reach, count)
    return np.unique(np.concatenate([even, np.quantile(draws, np.linspace(0, 1, count))]))


def _estimated(law: Law) -> bool:
    """Whether a law's density is a kernel estimate, which is wider than the law's own samples."""
    if isinstance(law, Affine):
        return _estimated(law.law)
    if isinstance(law, Mixture):
        return any(map(_estimated, law.components))
    return isinstance(law, Samples | Moments)


def _whole(found: list[tuple[Floats, ...]], law: Law) -> bool:
    """Whether the regions of a mixture are in no more pieces than its components explain."""
    most = 2 * len(law.components) if isinstance(law, Mixture) else np.inf
    return all(len(level) <= most for level in found)


def _hold(found: list[tuple[Floats, ...]], levels: Floats, draws: Floats) -> bool:
    """Whether regions hold about what they should of some draws; more only where they must."""
    return all(
        _inside(level, draws[:1000]).mean() >= share - SHORT
        for level, share in zip(found, levels, strict=True)
    )


def _inside(found: tuple[Floats, ...], points: Floats) -> npt.NDArray[np.bool_]:
    """Which points lie in rings that do not cross: a ray to the right meets an odd number."""
    inside = np.zeros(len(points), dtype=bool)
    x, y = points[:, :1], points[:, 1:]
    for ring in found:
        (x0, y0), (x1, y1) = ring[:-1].T, ring[1:].T
        across = (y0 > y) != (y1 > y)
        with np.errstate(divide="ignore", invalid="ignore"):
            right = x < x0 + (y - y0) * (x1 - x0) / (y1 - y0)
        inside ^= np.count_nonzero(across & right, axis=1) % 2 == 1
    return inside


def _contours(
    axes: tuple[Floats, Floats], density: Floats, height: float, level: float
) -> tuple[Floats, ...]:
    from contourpy import contour_generator

    top = float(density.max())
    plateau = height >= top * (1 - PLATEAU)
    if plateau:
        height = top * (1 - PLATEAU)
    with np.errstate(divide="ignore"):
        radius = np.sqrt(2 * np.maximum(np.log(top) - np.log(density), 0.0))
        edge = np.sqrt(2 * (np.log(top) - np.log(height)))
    # A rim outside closes every ring, even one that leaves the grid.
    padded = np.pad(np.minimum(radius, edge + BEYOND), 1, constant_values=edge + BEYOND)
    x, y = (np.concatenate([[2 * a[0] - a[1]], a, [2 * a[-1] - a[-2]]]) for a in axes)
    # All rings have the region on the same side, so holes go round the other way.
    lines: Any = contour_generator(x, y, padded.T).lines(float(edge))
    found = [np.asarray(line, dtype=np.float64) for line in lines if len(line) > 3]
    if plateau and len(found) == 1:
        return (_shrunk(found[0], level / top),)
    return tuple(found)


def _shrunk(ring: Floats, area: float) -> Floats:
    """The ring, shrunk or grown about its centre of area until it encloses `area`."""
    x, y = ring[:-1].T
    u, v = ring[1:].T
    cross = x * v - u * y
    size = float(cross.sum()) / 2
    centre = np.array([((x + u) * cross).sum(), ((y + v) * cross).sum()]) / (6 * size)
    return np.asarray(centre + np.sqrt(area / abs(size)) * (ring - centre))


def intervals(law: Law, levels: npt.ArrayLike) -> list[Floats]:
    """For each level the intervals (K, 2) that together hold that probability of a 1-D law."""
    wanted = np.atleast_1d(np.asarray(levels, dtype=np.float64))
    x, density = _line(law)
    return [
        _pieces(x, density, float(height), float(level))
        for height, level in zip(law.levels(wanted), wanted, strict=True)
    ]


def curve(law: Law) -> Floats:
    """Points (x, density) of a 1-D law, about where its draws are."""
    x, density = _line(law)
    high = density > 1e-3 * density.max()
    first, last = np.flatnonzero(high)[[0, -1]]
    return np.column_stack([x, density])[first : last + 1]


def _line(law: Law) -> tuple[Floats, Floats]:
    """Nodes that follow the mass of a 1-D law, and its density there."""
    draws = np.asarray(law.sample(DRAWS, rng=0), dtype=np.float64)[:, 0]
    x = _nodes(draws, 0.3, 1200)
    return x, np.asarray(law.density(x), dtype=np.float64)


def _pieces(x: Floats, density: Floats, height: float, level: float) -> Floats:
    top = float(density.max())
    plateau = height >= top * (1 - PLATEAU)
    if plateau:
        height = top * (1 - PLATEAU)
    above = np.concatenate([[False], density >= height, [False]])
    starts = np.flatnonzero(above[1:] & ~above[:-1])
    ends = np.flatnonzero(~above[1:] & above[:-1]) - 1
    lows = [_crossing(x, density, height, i - 1, i) for i in starts.tolist()]
    highs = [_crossing(x, density, height, i + 1, i) for i in ends.tolist()]
    found = np.column_stack([lows, highs])
    if plateau and len(found) == 1:
        half, middle = level / top / 2, float(found.mean())
        return np.array([[middle - half, middle + half]])
    return found


def _crossing(x: Floats, density: Floats, height: float, outside: int, inside: int) -> float:
    if not 0 <= outside < len(x):
        return float(x[inside])
    below, above = density[outside], density[inside]
    share = 0.5 if below <= 0 else (above - height) / (above - below)
    return float(x[inside] + share * (x[outside] - x[inside]))
