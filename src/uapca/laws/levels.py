"""Highest-density levels: density values that enclose given masses."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from uapca._validation import Floats

__all__ = ["Block", "highest_density_levels", "line_block", "line_cells", "quantile_block"]

LINE_POINTS = 8001
#: Share of the mass that one cell of a line may hold, and how often cells are moved to meet it.
MUCH = 5e-4
MOST_MOVES = 24
#: Cells of equal probability, apart from finer ones in both tails.
QUANTILES = 8000


class Block(NamedTuple):
    """Points that carry a law's mass.

    Attributes
    ----------
    places : ndarray of shape (n, q)
    density, mass : ndarray of shape (n,)
        The mass around each place; it sums to 1.
    """

    places: Floats
    density: Floats
    mass: Floats


def line_block(
    density: Callable[[Floats], Floats], mean: float, span: tuple[float, float]
) -> Block:
    """Cells across ``mean + span`` with the density at their midpoints."""
    edges, values = line_cells(density, mean, span)
    mass = values * np.diff(edges)
    return Block(0.5 * (edges[1:] + edges[:-1])[:, None], values, mass / mass.sum())


def line_cells(
    density: Callable[[Floats], Floats], mean: float, span: tuple[float, float] | Floats
) -> tuple[Floats, Floats]:
    """Edges of cells across ``mean + span``, and the density at their midpoints.

    Equal cells at first; where they show that a few hold most of the mass, half of the cells move
    there, again and again until none holds much.
    """
    edges: Floats = np.linspace(mean + span[0], mean + span[1], LINE_POINTS + 1)
    for _ in range(MOST_MOVES):
        values = density(0.5 * (edges[1:] + edges[:-1]))
        mass = values * np.diff(edges)
        total = float(mass.sum())
        if not total > 0 or float(mass.max()) <= MUCH * total:
            break
        # Cells follow the mean of the mass and of the cells there are, so that none grows beyond
        # twice its size and what they missed is still looked at.
        held = np.concatenate([[0.0], np.cumsum(mass)]) / total
        place = held + np.arange(LINE_POINTS + 1) / LINE_POINTS
        edges = np.interp(np.linspace(0, place[-1], LINE_POINTS + 1), place, edges)
    else:
        values = density(0.5 * (edges[1:] + edges[:-1]))
    return edges, values


def quantile_block(
    ppf: Callable[[Floats], Floats], density: Callable[[Floats], Floats], shift: float
) -> Block:
    """Cells of given probabilities between quantiles, moved by `shift`."""
    tails = np.geomspace(1e-12, 1 / QUANTILES, 200)
    core = np.linspace(0, 1, QUANTILES + 1)[1:-1]
    edges = np.concatenate([[0.0], tails[:-1], core, 1 - tails[-2::-1], [1.0]])
    x = np.asarray(ppf(0.5 * (edges[1:] + edges[:-1])), dtype=np.float64)
    values = density(x)
    # A pole is as high as the highest cell beside it.
    top = float(np.max(values, where=np.isfinite(values), initial=0.0))
    return Block((x + shift)[:, None], np.minimum(values, top), np.diff(edges))


def highest_density_levels(blocks: list[Block], probs: Floats) -> Floats:
    """The largest density values whose superlevel sets hold at least `probs` of the mass."""
    density = np.concatenate([block.density for block in blocks])
    mass = np.concatenate([block.mass for block in blocks])
    order = np.argsort(-density, kind="stable")
    density = density[order]
    held = np.cumsum(mass[order])
    held /= held[-1]
    # A cell's mass lies around its value: half of it counts as above.
    held -= 0.5 * mass[order] / mass.sum()
    levels = np.interp(probs, held, density)
    return np.where(probs >= 1, 0.0, levels)
