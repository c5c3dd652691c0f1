"""Paper, Fig. "closed-projection": a linear map takes a normal law to a normal law."""

from __future__ import annotations

import numpy as np

from uapca.decomposition import UAPCA
from uapca.uncertain import UncertainArray
from uapca.views.palette import GREY, LIGHT, inks
from uapca.views.rows.ellipses import normal_mark, radius_of
from uapca.views.scene import (
    Area,
    Axis,
    Floats,
    Ink,
    Label,
    LegendEntry,
    Mark,
    Markers,
    Panel,
    Polyline,
    Sheet,
)
from uapca.views.text import percent

__all__ = ["LEVEL", "closed_projection"]

LEVEL = 0.68
CAPTION = (
    "A linear projection takes a normal law to a normal law. Left: four laws in space, the plane "
    "of the first two components, and the ellipses that the laws leave on it. Right: the plane "
    "itself; mean and covariance of each ellipse are Aᵀ(m − μ) and AᵀΨA, without sampling."
)

# How space is looked at: from the front, a little from the left, and from above.
_AZIMUTH, _ELEVATION = np.deg2rad([-72.0, 40.0])
EYE = np.array(
    [
        [-np.sin(_AZIMUTH), np.cos(_AZIMUTH), 0.0],
        [
            -np.sin(_ELEVATION) * np.cos(_AZIMUTH),
            -np.sin(_ELEVATION) * np.sin(_AZIMUTH),
            np.cos(_ELEVATION),
        ],
    ]
)


def rows_in_space() -> UncertainArray:
    """Four normals in space, each with a covariance of its own."""
    mean = np.array([[-3.0, 1.1, 1.3], [3.3, -2.0, 1.2], [0.4, 2.4, -1.2], [-0.8, -2.0, -1.3]])
    cov = np.array(
        [
            [[0.50, 0.25, 0.05], [0.25, 0.40, 0.10], [0.05, 0.10, 0.25]],
            [[0.35, -0.15, 0.05], [-0.15, 0.60, -0.10], [0.05, -0.10, 0.30]],
            [[0.80, 0.10, -0.15], [0.10, 0.25, 0.05], [-0.15, 0.05, 0.30]],
            [[0.30, 0.05, 0.10], [0.05, 0.35, 0.10], [0.10, 0.10, 0.45]],
        ]
    )
    return UncertainArray(mean, cov, names=["x₁", "x₂", "x₃", "x₄"], features=["u", "v", "w"])


def closed_projection() -> Sheet:
    """Space with the plane of the first two components beside the plane itself."""
    X = rows_in_space()
    pca = UAPCA(2).fit(X)
    legend = (
        LegendEntry(
            text=f"the region of the same radius in space and on the plane; on the plane "
            f"{percent(LEVEL)} of each row's probability",
            kind="area",
            ink=Ink(color=GREY, fill=GREY, fill_opacity=0.2),
        ),
    )
    return Sheet(
        name="closed-projection",
        caption=CAPTION,
        panels=((_space(X, pca), _plane(X, pca)),),
        legend=legend,
        width=2.0,
    )


def _space(X: UncertainArray, pca: UAPCA) -> Panel:
    marks: list[Mark] = [*_coordinate_axes(X), *_plane_in_space(X, pca)]
    on_plane = pca.transform(X)
    for i, ink in enumerate(inks(len(X))):
        mean, cov = X.mean[i], X.cov.dense()[i]
        foot = pca.mean_ + on_plane.mean[i] @ pca.components_
        ring = pca.mean_ + _outline(on_plane.mean[i], on_plane.cov.dense()[i]) @ pca.components_
        key = (X.names or ())[i]
        above = bool((EYE @ (mean - foot))[1] > 0)
        marks += [
            Area(role="shadow", key=key, rings=(ring @ EYE.T,), ink=ink, layer=3, level=LEVEL),
            Polyline(
                role="fall",
                key=key,
                points=np.stack([mean, foot]) @ EYE.T,
                ink=Ink(color=ink.color, dash="dotted", width=0.8),
                guide=True,
                layer=3,
            ),
            normal_mark(
                EYE @ mean, EYE @ cov @ EYE.T, LEVEL, role="row", key=key, ink=ink, layer=4
            ),
            Markers(
                role="mean", key=key, points=(EYE @ mean)[None], size=0.5, ink=_dot(ink), layer=5
            ),
            Label(
                role="row",
                key=key,
                at=_pair(EYE @ mean),
                text=key,
                # On the side away from the plane, where nothing falls.
                offset=(0, 4 if above else -4),
                layer=6,
                vertical="bottom" if above else "top",
            ),
        ]
    return Panel(
        marks=tuple(marks), title="High-dimensional space", equal=True, frame=False, height=0.82
    )


def _plane(X: UncertainArray, pca: UAPCA) -> Panel:
    Y = pca.transform(X)
    marks: list[Mark] = []
    for i, ink in enumerate(inks(len(X))):
        key = (X.names or ())[i]
        marks += [
            normal_mark(Y.mean[i], Y.cov.dense()[i], LEVEL, role="row", key=key, ink=ink, layer=3),
            Markers(
                role="mean",
                key=key,
                points=Y.mean[i : i + 1].astype(float),
                size=0.5,
                ink=_dot(ink),
                layer=5,
            ),
            Label(
                role="row",
                key=key,
                at=_pair(Y.mean[i]),
                text=f"Aᵀ{key}",
                offset=(0, 4),
                vertical="bottom",
                layer=6,
            ),
        ]
    return Panel(
        marks=tuple(marks),
        title="Low-dimensional subspace",
        x=Axis(label="PC1"),
        y=Axis(label="PC2"),
        equal=True,
        height=0.82,
    )


def _coordinate_axes(X: UncertainArray) -> list[Mark]:
    origin, marks = np.array([-4.8, -3.4, -1.6]), []
    for j, name in enumerate(X.features or ()):
        tip = origin + 1.5 * np.eye(3)[j]
        marks += [
            Polyline(
                role="axis",
                key=name,
                points=np.stack([origin, tip]) @ EYE.T,
                arrow=True,
                ink=Ink(color=GREY, width=0.9),
                guide=True,
            ),
            Label(
                role="axis",
                key=name,
                at=_pair(EYE @ (tip + 0.25 * (tip - origin))),
                text=name,
                ink=Ink(color=GREY),
            ),
        ]
    return marks


def _plane_in_space(X: UncertainArray, pca: UAPCA) -> list[Mark]:
    reach = np.array([[-4.9, -3.6], [4.9, -3.6], [4.9, 3.6], [-4.9, 3.6]])
    corners = (pca.mean_ + reach @ pca.components_) @ EYE.T
    marks: list[Mark] = [
        Area(
            role="plane",
            rings=(corners,),
            ink=Ink(color=GREY, fill=LIGHT, fill_opacity=0.35, width=0.6),
            guide=True,
            layer=1,
        )
    ]
    corner = pca.mean_ + reach[0] @ pca.components_ + 0.5 * pca.components_.sum(axis=0)
    for i in range(2):
        tip = corner + 1.1 * pca.components_[i]
        marks += [
            Polyline(
                role="component",
                key=f"PC{i + 1}",
                points=np.stack([corner, tip]) @ EYE.T,
                arrow=True,
                layer=2,
            ),
            Label(
                role="component",
                key=f"PC{i + 1}",
                at=_pair(EYE @ (corner + (1.75 - 0.25 * i) * pca.components_[i])),
                text=f"PC{i + 1}",
                size=0.9,
            ),
        ]
    return marks


def _outline(mean: Floats, cov: Floats) -> Floats:
    """Points on the ellipse, (M, 2), for a plane that is itself seen aslant."""
    angle = np.linspace(0.0, 2 * np.pi, 121)
    circle = radius_of(LEVEL) * np.column_stack([np.cos(angle), np.sin(angle)])
    outline: Floats = mean + circle @ np.linalg.cholesky(cov).T
    return outline


def _dot(ink: Ink) -> Ink:
    return Ink(color=ink.color, fill=ink.color)


def _pair(point: Floats) -> tuple[float, float]:
    return float(point[0]), float(point[1])
