"""Paper, Fig. "closed-projection": a linear map takes a normal law to a normal law."""

from typing import Any

import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from scipy.stats import rayleigh

from uapca._looks import GREY, LIGHT, looks
from uapca._validation import Doubles
from uapca.decomposition import UAPCA
from uapca.plot.base import Panel, grid, joint_legend
from uapca.plot.labels import percent
from uapca.plot.rows import draw_normal
from uapca.uncertain import UncertainArray

__all__ = ["CAPTION", "EYE", "draw", "rows_in_space"]

LEVEL = 0.68
CAPTION = (
    "A linear projection takes a normal law to a normal law. Left: four laws in space, the plane "
    "of the first two components, and the ellipses that the laws leave on it. Right: the plane "
    "itself; mean and covariance of each ellipse are Aᵀ(m − μ) and AᵀΨA, without sampling."
)

# How space is looked at: from the front, a little from the left, and from above.
_SIDE, _UP = np.deg2rad([-72.0, 40.0])
EYE = np.array(
    [
        [-np.sin(_SIDE), np.cos(_SIDE), 0.0],
        [-np.sin(_UP) * np.cos(_SIDE), -np.sin(_UP) * np.sin(_SIDE), np.cos(_UP)],
    ]
)


def rows_in_space() -> UncertainArray:
    """Four normals in space, each with a covariance of its own."""
    mean = [[-3.0, 1.1, 1.3], [3.3, -2.0, 1.2], [0.4, 2.4, -1.2], [-0.8, -2.0, -1.3]]
    cov = [
        [[0.50, 0.25, 0.05], [0.25, 0.40, 0.10], [0.05, 0.10, 0.25]],
        [[0.35, -0.15, 0.05], [-0.15, 0.60, -0.10], [0.05, -0.10, 0.30]],
        [[0.80, 0.10, -0.15], [0.10, 0.25, 0.05], [-0.15, 0.05, 0.30]],
        [[0.30, 0.05, 0.10], [0.05, 0.35, 0.10], [0.10, 0.10, 0.45]],
    ]
    return UncertainArray(mean, cov, names=["x₁", "x₂", "x₃", "x₄"], features=["u", "v", "w"])


def draw() -> Figure:
    """Space with the plane of the first two components beside the plane itself."""
    X = rows_in_space()
    pca = UAPCA(2).fit(X)
    Y = pca.transform(X)
    with grid(1, 2, ratio=0.82) as (figure, axes):
        space, plane = (Panel(ax) for ax in axes[0])
        _draw_plane(space, pca)
        for i, (name, look) in enumerate(zip(X.names or (), looks(4), strict=True)):
            mean, cov = X.mean[i], X.cov.dense()[i]
            ring = _draw_row(plane, Y.mean[i], Y.cov.dense()[i], look.color, f"Aᵀ{name}", up=True)
            foot = pca.mean_ + Y.mean[i] @ pca.components_
            shadow = (pca.mean_ + ring @ pca.components_) @ EYE.T
            style = {"edgecolor": look.color, "facecolor": to_rgba(look.color, 0.18), "zorder": 3}
            space.ax.fill(*shadow.T, gid=f"shadow:{i}", **style)
            fall = np.stack([mean, foot]) @ EYE.T
            space.ax.plot(*fall.T, color=look.color, linestyle=":", linewidth=0.8, zorder=3)
            # The name stands on the side away from the plane, where nothing falls.
            above = bool((EYE @ (mean - foot))[1] > 0)
            _draw_row(space, EYE @ mean, EYE @ cov @ EYE.T, look.color, name, above)
        for made, title in ((space, "High-dimensional space"), (plane, "Low-dimensional subspace")):
            made.words(title=title)
            made.equal()
        plane.words("PC1", "PC2")
        text = "the region of the same radius in space and on the plane; on the plane "
        plane.area(f"{text}{percent(LEVEL)} of each row's probability", GREY, 0.2)
        joint_legend(figure, [plane.ax])
    return figure


def _draw_plane(made: Panel, pca: UAPCA) -> None:
    """The plane of the first two components, with their directions and those of space."""
    made.ax.set_axis_off()
    reach = np.array([[-4.9, -3.6], [4.9, -3.6], [4.9, 3.6], [-4.9, 3.6]])
    corners = (pca.mean_ + reach @ pca.components_) @ EYE.T
    made.ax.fill(*corners.T, facecolor=LIGHT, alpha=0.35, edgecolor=GREY, linewidth=0.6, zorder=1)
    corner = pca.mean_ + reach[0] @ pca.components_ + 0.5 * pca.components_.sum(axis=0)
    origin = np.array([-4.8, -3.4, -1.6])
    vectors = [
        (origin, 1.5 * along, 1.25, name, GREY)
        for along, name in zip(np.eye(3), "uvw", strict=True)
    ]
    vectors += [(corner, 1.1 * pca.components_[0], 1.6, "PC1", "black")]
    vectors += [(corner, 1.1 * pca.components_[1], 1.36, "PC2", "black")]
    for start, along, beyond, name, color in vectors:
        at = EYE @ (start + beyond * along)
        made.arrow(EYE @ start, EYE @ (start + along), color)
        made.ax.text(*at, name, color=color, ha="center", va="center", fontsize="small")
        made.ax.update_datalim([EYE @ start, at])


def _draw_row(made: Panel, mean: Doubles, cov: Doubles, color: str, name: str, up: bool) -> Doubles:
    """An ellipse with its mean and name; returns points around it."""
    style = {"edgecolor": color, "facecolor": to_rgba(color, 0.18), "zorder": 4}
    ring = draw_normal(made, mean, cov, rayleigh.ppf(LEVEL), f"row:{name}", **style)
    made.ax.plot(*mean[:, None], "o", color=color, markersize=2.5, zorder=5)
    place: dict[str, Any] = {"ha": "center", "va": "bottom" if up else "top", "zorder": 6}
    made.ax.annotate(name, mean, (0, 4 if up else -4), textcoords="offset points", **place)
    return ring
