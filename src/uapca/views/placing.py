"""Where labels stand: beside their points, clear of lines, markers and each other.

The search is in data units and knows no renderer, so a scene has its labels in place and looks the
same wherever it is drawn. That takes a panel whose range and size of type are known beforehand, as
those of factor traces and films are; the size of a text is estimated from its number of characters.
Labels of rows, whose axes are settled only when they are drawn, are left to ``mpl.labels``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from uapca.views.scene import Floats

__all__ = ["apart", "beside", "half_size", "spaced", "spread"]

# Per character and per line, in heights of type.
_BREADTH, _HEIGHT, _GAP = 0.56, 1.1, 0.45
_DIRECTIONS = 24
_REACHES = (1.0, 1.6, 2.4, 3.4, 4.6)
_SWEEPS = 6
# What stands against a place, in heights of type that a label would rather move than bear it.
_ON_LABEL, _CROSSED, _OUTSIDE = 40.0, 12.0, 30.0


def half_size(text: str, em: float) -> Floats:
    """Half the width and half the height of a text whose type is ``em`` high."""
    return 0.5 * em * np.array([_BREADTH * len(text), _HEIGHT])


def spaced(points: Floats, step: float) -> Floats:
    """Points along a line, no further apart than ``step``."""
    if len(points) < 2:
        return points
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    at = np.linspace(0.0, along[-1], int(along[-1] / step) + 2)
    return np.column_stack([np.interp(at, along, points[:, i]) for i in (0, 1)])


def beside(
    anchors: Floats,
    texts: Sequence[str],
    obstacles: Floats,
    weights: Floats,
    em: float,
    limits: tuple[float, float],
) -> Floats:
    """The centre of each text, near its anchor.

    Parameters
    ----------
    anchors : ndarray of shape (K, 2)
        Where the labels belong.
    texts : sequence of str
    obstacles : ndarray of shape (M, 2)
        Points along everything that should not be covered.
    weights : ndarray of shape (M,)
        How bad it is to cover each.
    em : float
        The height of type in data units.
    limits : tuple of float
        Half the width and half the height of the picture, which has its middle at the origin.

    Returns
    -------
    ndarray of shape (K, 2)
    """
    count = len(texts)
    half = np.array([half_size(text, em) for text in texts])
    angles = 2 * np.pi * np.arange(_DIRECTIONS) / _DIRECTIONS
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    rays = np.concatenate([reach * directions for reach in _REACHES])
    centres = anchors[:, None] + rays * (half + _GAP * em)[:, None]  # (K, candidates, 2)
    fixed = np.stack(
        [
            _fixed_cost(centres[k], half[k], anchors[k], obstacles, weights, em, np.array(limits))
            for k in range(count)
        ]
    )
    pick = fixed.argmin(axis=1)
    for _ in range(_SWEEPS):
        before = pick.copy()
        for k in range(count):
            rest = np.flatnonzero(np.arange(count) != k)
            placed = centres[rest, pick[rest]]
            apart = np.abs(centres[k][:, None] - placed) - (half[k] + half[rest] + 0.15 * em)
            cost = fixed[k] + _ON_LABEL * (apart < 0).all(axis=2).sum(axis=1)
            for other, place in zip(rest, placed, strict=True):
                cost += _CROSSED * _crossed(anchors[k], centres[k], anchors[other], place)
                cost += _CROSSED * _passes(anchors[k], centres[k], place, half[other])
            pick[k] = cost.argmin()
        if (pick == before).all():
            break
    return np.asarray(centres[np.arange(count), pick])


def spread(places: Floats, step: float, limits: tuple[float, float]) -> Floats:
    """Places along a line moved as little as it takes to be ``step`` apart, in their order.

    They stay within the limits if there is room. Equal places keep the order in which they come,
    falling.

    >>> spread(np.array([1.0, 0.0, 0.05]), 0.1, (0.0, 1.0)).round(3)
    array([1. , 0. , 0.1])
    """
    low, high = limits
    order = np.argsort(-places, kind="stable")[::-1]
    # Pooled: places too close become one block about their mean, until no two blocks touch.
    blocks: list[list[float]] = []  # middle, count
    for place in places[order]:
        blocks.append([float(place), 1.0])
        while True:
            for block in blocks:
                reach = 0.5 * step * (block[1] - 1)
                block[0] = min(max(block[0], low + reach), max(high - reach, low + reach))
            if len(blocks) < 2:
                break
            (a, m), (b, n) = blocks[-2:]
            if b - a >= 0.5 * step * (m + n) - 1e-12 * step:
                break
            blocks[-2:] = [[(a * m + b * n) / (m + n), m + n]]
    spaced_out = [
        middle + step * (k - 0.5 * (count - 1))
        for middle, count in blocks
        for k in range(int(count))
    ]
    moved = np.empty(len(places))
    moved[order] = spaced_out
    return moved


def apart(places: Floats, texts: Sequence[str], em: float) -> Floats:
    """The places pushed apart until no two texts overlap: a smooth function of where they were.

    For pictures that move: `beside` may jump from one place to another, this cannot.
    """
    count = len(texts)
    half = np.array([half_size(text, em) for text in texts]).reshape(count, 2)
    around = 2 * np.pi * np.arange(count) / max(count, 1)
    # Texts in one place have no direction to part in unless they are given one.
    moved = places + 0.02 * em * np.column_stack([np.cos(around), np.sin(around)])
    sizes = half[:, None] + half[None]
    for _ in range(60):
        steps = (moved[:, None] - moved[None]) / sizes
        distance = np.maximum(np.abs(steps).max(axis=2), 1e-9)
        np.fill_diagonal(distance, np.inf)
        push = np.clip(1.02 - distance, 0.0, None)[:, :, None] * steps / distance[:, :, None]
        moved = moved + 0.25 * (push * sizes).sum(axis=1)
    return np.asarray(moved)


def _fixed_cost(
    centres: Floats,
    half: Floats,
    anchor: Floats,
    obstacles: Floats,
    weights: Floats,
    em: float,
    limits: Floats,
) -> Floats:
    """What stands against each candidate whatever the other labels do."""
    covered = (np.abs(centres[:, None] - obstacles) < half + 0.2 * em).all(axis=2)
    outside = np.maximum(np.abs(centres) + half - limits + 0.3 * em, 0.0).sum(axis=1)
    away = np.linalg.norm(centres - anchor, axis=1) / em
    # Of two free places the one away from the middle is emptier.
    inward = -((centres - anchor) @ anchor) / em
    return np.asarray(covered @ weights + _OUTSIDE * outside / em + 0.8 * away + 0.25 * inward)


def _crossed(a: Floats, ends: Floats, c: Floats, d: Floats) -> NDArray[np.bool_]:
    """Whether the lines from ``a`` to each of ``ends`` cross the one from ``c`` to ``d``."""
    return (_turn(a, ends, c) * _turn(a, ends, d) < 0) & (
        _turn(c, d, np.broadcast_to(a, ends.shape)) * _turn(c, d, ends) < 0
    )


def _turn(a: Floats, b: Floats, c: Floats) -> Floats:
    """The sense in which a, b, c turn."""
    first, second = b - a, c - a
    return np.asarray(first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0])


def _passes(anchor: Floats, ends: Floats, place: Floats, half: Floats) -> NDArray[np.bool_]:
    """Whether the lines from an anchor to each of ``ends`` run over a label."""
    steps = np.linspace(0.0, 1.0, 9)[:, None, None]
    along = anchor + steps * (ends - anchor)
    return np.asarray((np.abs(along - place) < half).all(axis=2).any(axis=0))
