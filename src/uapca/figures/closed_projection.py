"""Paper, Fig. "closed-projection": a linear map takes a normal law to a normal law."""

from typing import TYPE_CHECKING, Any

import numpy as np

from uapca.decomposition import UAPCA
from uapca.plot.base import Panel, grid, joint_legend
from uapca.plot.labels import percent
from uapca.plot.rows import draw_normal, ellipse_ring
from uapca.plot.style import GREY, LIGHT, Floats, looks
from uapca.uncertain import UncertainArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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


def draw() -> "Figure":
    """Space with the plane of the first two components beside the plane itself."""
    X = rows_in_space()
    pca = UAPCA(2).fit(X)
    with grid(1, 2, ratio=0.82) as (figure, axes):
        space, plane = (Panel(ax) for ax in axes[0])
        _draw_space(space, X, pca)
        Y = pca.transform(X)
        for mean, cov, look, name in zip(
            Y.mean, Y.cov.dense(), looks(4), X.names or (), strict=True
        ):
            _draw_row(plane, mean, cov, look.color, f"Aᵀ{name}", up=True)
        for made, title in ((space, "High-dimensional space"), (plane, "Low-dimensional subspace")):
            made.title(title)
            made.equal()
            made.ax.autoscale_view()
        plane.axis_names("PC1", "PC2")
        text = "the region of the same radius in space and on the plane; on the plane "
        plane.area(f"{text}{percent(LEVEL)} of each row's probability", GREY, 0.2)
        plane.ax._uapca_entries = plane.entries
        joint_legend(figure, [plane.ax])
    return figure


def _draw_space(made: Panel, X: UncertainArray, pca: UAPCA) -> None:
    made.ax.set_axis_off()
    origin = np.array([-4.8, -3.4, -1.6])
    for j, name in enumerate(X.features or ()):
        tip = origin + 1.5 * np.eye(3)[j]
        _draw_vector(made, origin, tip, tip + 0.25 * (tip - origin), name, GREY)
    reach = np.array([[-4.9, -3.6], [4.9, -3.6], [4.9, 3.6], [-4.9, 3.6]])
    corners = (pca.mean_ + reach @ pca.components_) @ EYE.T
    made.ax.fill(*corners.T, facecolor=LIGHT, alpha=0.35, edgecolor=GREY, linewidth=0.6, zorder=1)
    corner = pca.mean_ + reach[0] @ pca.components_ + 0.5 * pca.components_.sum(axis=0)
    for i, along in enumerate(pca.components_):
        _draw_vector(
            made, corner, corner + 1.1 * along, corner + (1.75 - 0.25 * i) * along, f"PC{i + 1}"
        )
    Y = pca.transform(X)
    for i, look in enumerate(looks(len(X))):
        mean, cov = np.asarray(X.mean[i]), np.asarray(X.cov.dense()[i])
        foot = pca.mean_ + Y.mean[i] @ pca.components_
        ring = ellipse_ring(np.asarray(Y.mean[i]), np.asarray(Y.cov.dense()[i]), LEVEL)
        shadow = (pca.mean_ + ring @ pca.components_) @ EYE.T
        style: dict[str, Any] = {
            "edgecolor": look.color,
            "facecolor": (*_rgb(look.color), 0.18),
            "zorder": 3,
        }
        made.ax.fill(*shadow.T, gid=f"shadow:{i}", **style)
        fall = np.stack([mean, foot]) @ EYE.T
        made.ax.plot(*fall.T, color=look.color, linestyle=":", linewidth=0.8, zorder=3)
        # The name stands on the side away from the plane, where nothing falls.
        above = bool((EYE @ (mean - foot))[1] > 0)
        _draw_row(made, EYE @ mean, EYE @ cov @ EYE.T, look.color, (X.names or ())[i], above)


def _draw_row(made: Panel, mean: Floats, cov: Floats, color: str, name: str, up: bool) -> None:
    style: dict[str, Any] = {"edgecolor": color, "facecolor": (*_rgb(color), 0.18), "zorder": 4}
    draw_normal(made, mean, cov, LEVEL, gid=f"row:{name}", **style)
    made.ax.plot(*mean[:, None], "o", color=color, markersize=2.5, zorder=5)
    place: dict[str, Any] = {"ha": "center", "va": "bottom" if up else "top", "zorder": 6}
    made.ax.annotate(name, mean, (0, 4 if up else -4), textcoords="offset points", **place)


def _draw_vector(
    made: Panel, start: Floats, end: Floats, at: Floats, name: str, color: Any = "black"
) -> None:
    arrow: dict[str, Any] = {
        "arrowstyle": "-|>",
        "color": color,
        "shrinkA": 0,
        "shrinkB": 0,
        "mutation_scale": 8,
    }
    made.ax.annotate("", EYE @ end, EYE @ start, arrowprops=arrow)
    made.ax.text(*(EYE @ at), name, color=color, ha="center", va="center", fontsize="small")
    made.ax.update_datalim([EYE @ start, EYE @ at])


def _rgb(color: str) -> tuple[float, float, float]:
    from matplotlib.colors import to_rgb

    return to_rgb(color)
