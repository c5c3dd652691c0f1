"""Densities of sums of independent parts: masses on a lattice, multiplied in Fourier space.

The law of ``A x`` with independent x_j is put on a lattice whose axes are the columns a_i, a_j of
the two parts that span the plane best. Those two are exact there: differences of their
distribution functions along one axis each. Every other part puts the mass of small cells on the
line along its own column, shared bilinearly between the nearest nodes, which keeps the mean.
Transforms are multiplied and transformed back. Masses are never negative and sum to 1, edges stay
sharp to one cell, and a part needs no more than a distribution function. One dimension is the
same with one axis. Where the law is narrower than the cells (poles, counts), the probabilities of
regions are counted on quasi-random points of the law. Kernel estimates of samples use the same
lattice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import fft, ndimage

from uapca._validation import Floats, plural
from uapca.exceptions import DegenerateLawError

if TYPE_CHECKING:
    from uapca.laws.marginals import Marginal

__all__ = ["Lattice", "cells_lattice", "kernel_lattice", "sum_lattice"]

#: Cells along each axis of a lattice of one and of two dimensions.
CELLS = {1: 8192, 2: 512}
#: Cells of a sum on a line with a narrow core and long tails, for which the first is too coarse.
FINE_CELLS = 2**17
#: Above this error of the probability of a region, points are counted instead of cells.
ACCURACY = 1e-3
#: Quasi-random points that are counted.
POINTS = 2**16
#: Densities that differ by less than this, relatively, are equal: FFT leaves a noise of 1e-11.
EQUAL = 1e-6
#: Probability beyond each end of the window along an axis, and that of the narrower window for
#: heavy tails, which would leave few cells to the core.
TAIL, HEAVY_TAIL = 1e-5, 2e-3
#: Tails are heavy where the first window is so many times as long as the second.
HEAVY = 2.2
#: What the sharp edges of a density may add to `Lattice.missed`.
EDGES = 0.015


@dataclass(frozen=True, eq=False)
class Lattice:
    """Probabilities of the cells of a lattice, and the highest-density regions made of them.

    A point x has the lattice coordinates u with ``x = origin + frame @ u``. Cells are boxes in u.

    Attributes
    ----------
    origin : ndarray of shape (q,)
        The mean of the law.
    frame : ndarray of shape (q, q)
        Columns are the axes of the lattice; not orthogonal in general.
    edges : tuple of q ndarrays
        Cell boundaries along each axis, rising; not evenly spaced in general.
    mass : ndarray of shape (n,) or (n, m)
        Probability of each cell.
    outside : float
        Probability outside of the lattice: ``mass.sum() + outside`` is 1.
    points : callable or None
        Returns lattice coordinates (K, q) of points that represent the law (samples, quasi-random
        points) and their weights (K,). Where given, regions hold the share p of these points; else
        of the cells.
    exact : callable or None
        The density at lattice coordinates of shape (K, q) where it is known in closed form.
    further : callable or None
        Makes `beyond`, where tails are heavy.

    See Also
    --------
    uapca.laws.Law : What every law has.

    Examples
    --------
    >>> import uapca
    >>> from uapca.laws import Independent, Uniform
    >>> square = Independent([Uniform(0.0, 1.0), Uniform(0.0, 1.0)])
    >>> lattice = square.lattice()
    >>> round(float(lattice.mass.sum() + lattice.outside), 12)
    1.0
    >>> lattice.levels([0.5, 0.95]).round(3)
    array([1., 1.])
    >>> lattice.at([[0.5, 0.5], [2.0, 0.5]]).round(3)
    array([1., 0.])
    """

    origin: Floats
    frame: Floats
    edges: tuple[Floats, ...]
    mass: Floats
    outside: float = 0.0
    points: Callable[[], tuple[Floats, Floats]] | None = None
    exact: Callable[[Floats], Floats] | None = None
    further: Callable[[], Lattice] | None = None

    @cached_property
    def beyond(self) -> Lattice | None:
        """A wider lattice with larger cells, where tails are heavy; its densities are rough."""
        return None if self.further is None else self.further()

    def resolving(self, p: float) -> Lattice:
        """This lattice, or `beyond` where `p` leaves less than what lies outside of this one."""
        wider = self.beyond if 1 - p < 1.5 * self.outside else None
        return wider or self

    @cached_property
    def ranked(self) -> tuple[Floats, Floats]:
        """Densities (K,) in descending order, and the probability (K,) above each.

        Of the points that represent the law, or else of the cells; each counts half itself.
        """
        density, mass = self.density.ravel(), self.mass.ravel()
        if self.points is not None:
            coordinates, mass = self.points()
            density = self.at(self.places(coordinates))
        order = np.argsort(-density, kind="stable")
        return density[order], np.cumsum(mass[order]) - mass[order] / 2

    @cached_property
    def nodes(self) -> tuple[Floats, ...]:
        """Centers of the cells along each axis, in lattice coordinates."""
        return tuple((e[1:] + e[:-1]) / 2 for e in self.edges)

    @cached_property
    def density(self) -> Floats:
        """Mean density of each cell, in the shape of `mass`."""
        cells = reduce(np.multiply.outer, map(np.diff, self.edges), abs(np.linalg.det(self.frame)))
        return np.asarray(np.divide(self.mass, cells, out=cells))

    @cached_property
    def coverage(self) -> Floats:
        """Probability of the smallest highest-density region that holds each cell, from 0 to 1.

        The region of probability p is where this is at most p. Contours of this array at p, with
        `nodes` as axes, outline the region; `places` maps them to the plane.
        """
        if self.points is not None:
            return self._held_above(self.density)
        # Cells are ordered by density, and those of equal density (the plateau of a uniform law) by
        # their distance from the mean, so that regions nest and have the right probability. The
        # distance is the larger coordinate, which preserves the shape of a plateau with straight
        # edges, plus a small multiple of their sum, so that the four sides of a square are alike.
        away = [np.abs(nodes) / np.abs(nodes).max() for nodes in self.nodes]
        distance = reduce(np.maximum.outer, away) + 1e-3 * reduce(np.add.outer, away)
        used = (self.density > 0) & (self.mass > 0)
        # One key for both: whole steps for the density, fractions of a step for the distance.
        step = np.round(np.log(self.density[used]) / EQUAL)
        order = np.argsort(distance[used] / (2 * distance.max()) - step)
        mass, entered = self.mass[used], np.empty(len(order))
        entered[order] = np.cumsum(mass[order]) - mass[order] / 2
        found = np.ones(self.mass.shape)
        found[used] = entered
        return found

    @cached_property
    def missed(self) -> float:
        """Probability that the cells do not resolve, by second differences; 1 if they are empty."""
        if not self.mass.any():
            return 1.0
        mass = np.atleast_2d(self.mass)
        bends = [
            # In parts that stay in cache.
            sum(np.abs(np.diff(part, 2, axis)).sum() for part in np.array_split(mass, 16, across))
            for axis, across in ((0, 1), (1, 0))
        ]
        return float(max(bends)) / 4

    @property
    def error(self) -> float:
        """Approximate error of the probability of a region of whole cells.

        The largest probability of a single cell, or half of `missed` where that is more than the
        sharp edges of a density explain.
        """
        rough = self.exact is None and self.missed > EDGES
        return max(float(self.mass.max()), self.missed / 2 if rough else 0.0)

    def mask(self, p: float) -> npt.NDArray[np.bool_]:
        """The cells of the region of probability `p`, in the shape of `mass`."""
        return np.asarray(self.coverage <= p)

    def levels(self, probs: npt.ArrayLike) -> Floats:
        """Densities at the boundaries of the regions of probabilities `probs`, shape (P,)."""
        p = np.atleast_1d(np.asarray(probs, dtype=np.float64))
        density, held = self.ranked
        found = np.interp(p, held, density, right=0.0)
        # A plateau lies within the region that it belongs to.
        found = np.where(p >= 1, 0.0, found * (1 - EQUAL))
        far = [i for i, each in enumerate(p) if self.resolving(each) is not self]
        if far and self.beyond is not None:
            found[far] = np.minimum(self.beyond.levels(p[far]), density[0])
        return found

    def coordinates(self, points: Floats) -> Floats:
        """Lattice coordinates (K, q) of points (K, q)."""
        return np.asarray((points - self.origin) @ np.linalg.inv(self.frame).T)

    def places(self, coordinates: Floats) -> Floats:
        """Points (K, q) at lattice coordinates (K, q)."""
        return np.asarray(self.origin + coordinates @ self.frame.T)

    def centers(self) -> Floats:
        """The centers of all cells as points (n · m, q), in the order of ``mass.ravel()``."""
        grid = np.meshgrid(*self.nodes, indexing="ij")
        return self.places(np.stack([axis.ravel() for axis in grid], axis=1))

    def at(self, points: Floats) -> Floats:
        """Density at points (K, q): closed form, or linear between the centers of cells."""
        u = self.coordinates(points)
        if self.exact is None:
            values = self._interpolated(u, 0.0 if self.further is None else np.nan)
            far = np.isnan(values)
            if far.any() and self.beyond is not None:
                values[far] = self.beyond.at(points[far])
            return values
        values = self.exact(u)
        poles = ~np.isfinite(values)
        if poles.any():
            values[poles] = self._interpolated(u[poles])
        return values

    def coverage_at(self, points: Floats) -> Floats:
        """Coverage at points (K, q), as that of the cells they lie in; 1 outside."""
        if self.points is not None:
            return self._held_above(self.at(points))
        index, inside = [], np.ones(len(points), dtype=bool)
        for edges, column in zip(self.edges, self.coordinates(points).T, strict=True):
            # A point at the edge of the support may be beyond it by rounding.
            rounding = 1e-9 * (edges[-1] - edges[0])
            inside &= (column >= edges[0] - rounding) & (column <= edges[-1] + rounding)
            index.append(np.searchsorted(edges[1:-1], column, side="right"))
        return np.where(inside, self.coverage[tuple(index)], 1.0)

    def _held_above(self, density: Floats) -> Floats:
        """Probability of the region where the density is at least `density`."""
        found, held = self.ranked
        # Linear between the points, and on to everything where the density is 0.
        places, values = np.append(-found, 0.0), np.append(held, 1.0)
        return np.asarray(np.interp(-density, places, values, left=0.0))

    def _interpolated(self, u: Floats, outside: float = 0.0) -> Floats:
        """Density at lattice coordinates (K, q): linear between cells, `outside` beyond them."""
        places = []
        for nodes, column in zip(self.nodes, u.T, strict=True):
            rim = np.pad(nodes, 1, "reflect", reflect_type="odd")
            places.append(np.interp(column, rim, np.arange(-1, len(nodes) + 1)))
        return np.asarray(
            ndimage.map_coordinates(
                self.density, places, order=1, mode="grid-constant", cval=outside
            )
        )


def sum_lattice(origin: Floats, columns: Floats, parts: Sequence[Marginal]) -> Lattice:
    """The law of ``origin + Σ columns[:, j] (x_j − mean_j)`` for independent parts x_j.

    Parameters
    ----------
    origin : ndarray of shape (q,)
    columns : ndarray of shape (q, D)
    parts : sequence of D parts

    Raises
    ------
    DegenerateLawError
        Unless q of the continuous parts have linearly independent columns.
    """
    dim = len(columns)
    axes = _spanning_parts(columns, parts)
    frame = columns[:, axes]
    moving = [j for j, part in enumerate(parts) if part.std > 0 and columns[:, j].any()]
    used = axes + [j for j in moving if j not in axes]
    # The lattice coordinates of the columns, of which the first q are the axes.
    shares, parts = np.linalg.solve(frame, columns)[:, used], [parts[j] for j in used]
    shares[:, :dim] = np.eye(dim)
    if len(parts) == dim:
        found = _product_lattice(origin, frame, parts)
    else:
        windows, core = (
            [_window(share, parts, CELLS[dim], tail) for share in shares]
            for tail in (TAIL, HEAVY_TAIL)
        )
        make = partial(_transformed, origin, frame, shares, parts)
        wide = partial(make, CELLS[dim] // 2, windows)
        heavy = np.max(np.ptp(windows, axis=1) / np.ptp(core, axis=1)) >= HEAVY
        found = make(CELLS[dim], core, wide) if heavy else make(CELLS[dim], windows)
        if found.error > ACCURACY and dim == 1:
            found = make(FINE_CELLS, core, wide)
    if found.error <= ACCURACY:
        return found
    return replace(found, points=partial(_quasi_random, shares, parts))


def _quasi_random(shares: Floats, parts: Sequence[Marginal]) -> tuple[Floats, Floats]:
    """Quasi-random points of the law: lattice coordinates (K, q) and weights (K,)."""
    from scipy.stats import qmc  # few laws need it

    levels = qmc.Sobol(len(parts), scramble=False).random(POINTS).T + 0.5 / POINTS
    deviations = [
        part.ppf(level) - part.mean if part.discrete else np.interp(level, *part.quantiles)
        for part, level in zip(parts, levels, strict=True)
    ]
    return (shares @ deviations).T, np.full(POINTS, 1 / POINTS)


def _transformed(
    origin: Floats,
    frame: Floats,
    shares: Floats,
    parts: Sequence[Marginal],
    count: int,
    windows: Sequence[tuple[float, float]],
    further: Callable[[], Lattice] | None = None,
) -> Lattice:
    """The product of the transforms of all parts, on given windows, transformed back.

    The first q parts lie along the axes. `shares` (q, D) are the lattice coordinates of the
    columns.
    """
    dim = len(frame)
    edges = tuple(np.linspace(*window, count + 1) for window in windows)
    shape = (count,) * dim
    steps = np.array([e[1] - e[0] for e in edges])
    spectrum = _transform(parts[dim], shares[:, dim], windows, steps, shape)
    for part, share in zip(parts[dim + 1 :], shares.T[dim + 1 :], strict=True):
        spectrum *= _transform(part, share, windows, steps, shape)
    for axis, part in enumerate(parts[:dim]):
        mass = np.diff(part.cdf(part.mean + edges[axis]))
        spectrum *= fft.rfft(mass) if axis == dim - 1 else fft.fft(mass)[:, None]
    total = float(spectrum.flat[0].real)
    mass = np.asarray(fft.irfftn(spectrum, shape, workers=2))
    # Far below the highest cell everything is rounding error.
    mass[mass < 1e-13 * mass.max()] = 0.0
    mass *= total / mass.sum()
    return Lattice(origin, frame, edges, mass, 1 - total, further=further)


def _transform(
    part: Marginal,
    share: Floats,
    windows: Sequence[tuple[float, float]],
    steps: Floats,
    shape: tuple[int, ...],
) -> npt.NDArray[np.complex128]:
    """Transform of a part's masses in cells of half the size, shared between the nearest nodes."""
    if part.discrete:
        deviations, mass = part.atoms()
    else:
        low, high = part.quantiles[1][[0, -1]]
        for factor, window in zip(share, windows, strict=True):
            if factor != 0:
                first, last = sorted((window[0] / factor, window[1] / factor))
                low, high = max(low, first), min(high, last)
        count = max(ceil(2 * (high - low) * np.abs(share / steps).max()), 32)
        edges = np.linspace(low, high, count + 1)
        deviations, mass = (edges[1:] + edges[:-1]) / 2, np.diff(part.cdf(part.mean + edges))
    places = np.outer(deviations, share / steps)
    # Sharing between nodes at distances f and 1 − f widens by f (1 − f), which is taken off first.
    inside = places - np.floor(places)
    with np.errstate(divide="ignore", invalid="ignore"):
        excess = (mass @ (inside * (1 - inside))) / (mass @ places**2)
    narrower = np.sqrt(np.clip(1 - np.nan_to_num(excess), 0.0, 1.0))
    return np.asarray(fft.rfftn(_shared(places * narrower, mass, shape), workers=2))


def _spanning_parts(columns: Floats, parts: Sequence[Marginal]) -> list[int]:
    """The q continuous parts with the largest |det| of their scaled columns."""
    scaled = columns * [0.0 if part.discrete else part.std for part in parts]
    spanned = np.abs(scaled[0])
    if len(scaled) == 2:
        spanned = np.abs(np.outer(scaled[0], scaled[1]) - np.outer(scaled[1], scaled[0]))
    axes = sorted(int(k) for k in np.unravel_index(np.argmax(spanned), spanned.shape))
    sizes = np.linalg.svd(scaled[:, axes], compute_uv=False)
    if not sizes[-1] > 1e-9 * max(sizes[0], np.finfo(np.float64).tiny):
        atoms = ", ".join(str(part) for part in parts if part.discrete and not part.certain)
        raise DegenerateLawError(
            f"this law has no density: {atoms} is discrete and the continuous marginals "
            f"do not spread over all {plural(len(columns), 'dimension')}; draw samples of it"
        )
    return axes


def _product_lattice(origin: Floats, frame: Floats, parts: Sequence[Marginal]) -> Lattice:
    """One part along each axis: cells follow the mass, and the density is the product."""
    edges = tuple(_following_edges(*part.quantiles, CELLS[len(parts)]) for part in parts)
    masses = [np.diff(part.cdf(part.mean + e)) for part, e in zip(parts, edges, strict=True)]
    mass = reduce(np.multiply.outer, masses)
    exact = partial(_product_density, abs(float(np.linalg.det(frame))), parts)
    return Lattice(origin, frame, edges, mass, 1 - float(mass.sum()), exact=exact)


def _product_density(scale: float, parts: Sequence[Marginal], u: Floats) -> Floats:
    values = np.full(len(u), 1 / scale)
    for part, column in zip(parts, u.T, strict=True):
        with np.errstate(invalid="ignore"):  # a pole along one axis, beyond the end of another
            values *= part.pdf(part.mean + column)
    return values


def _following_edges(probs: Floats, places: Floats, count: int) -> Floats:
    """Boundaries of at most `count` cells, each with an equal share of mass plus length."""
    low, high = _ends(probs, places, TAIL)
    x = np.unique(np.concatenate([places, np.linspace(low, high, 2 * count)]))
    held = np.interp(x, places, probs) + np.clip((x - low) / (high - low), 0, 1)
    edges = np.interp(np.linspace(held[0], held[-1], count + 1), held, x)
    # Beside a pole cells may be narrower than rounding allows.
    wide = np.diff(edges, prepend=-np.inf) > 1e-14 * (edges[-1] - edges[0])
    kept = edges[wide]
    kept[-1] = edges[-1]
    return np.asarray(kept)


def _ends(probs: Floats, places: Floats, tail: float) -> tuple[float, float]:
    """Quantiles at `tail` and 1 − `tail`; the ends of the support where these are near."""
    low, high = np.interp([tail, 1 - tail], probs, places)
    low = places[0] if places[0] > 1.25 * low else low
    high = places[-1] if places[-1] < 1.25 * high else high
    return float(low), float(high)


def _window(
    factors: Floats, parts: Sequence[Marginal], count: int, tail: float
) -> tuple[float, float]:
    """Deviations between which Σ factor · x lies, except for a probability of about `tail`.

    At most the sum of all ends; else the end of one part plus four standard deviations of the rest,
    as a sum is extreme either by one long tail or by many small contributions.
    """
    ends = np.array([_ends(*part.quantiles, tail) for part in parts])
    low, high = np.sort(factors[:, None] * ends, axis=1).T
    stds = np.abs(factors) * [part.std for part in parts]
    rest = 4 * np.sqrt(np.maximum(np.sum(stds**2) - stds**2, 0.0))
    first = max(low.sum(), float(np.min(low - rest)))
    last = min(high.sum(), float(np.max(high + rest)))
    # Sharing between nodes widens every part by up to a cell, which must not leave the window.
    margin = (last - first) / count * (2 + 3 * np.sqrt(len(parts)))
    return first - margin, last + margin


def _shared(places: Floats, mass: Floats, shape: tuple[int, ...]) -> Floats:
    """Masses at places (K, q), counted in cells, shared linearly between the nearest nodes."""
    index, weight = np.zeros(len(mass), dtype=np.intp), mass
    for count, column in zip(shape, places.T, strict=True):
        low = np.floor(column).astype(np.intp)
        share = np.tile(column - low, len(index) // len(low))
        low = np.tile(low, len(index) // len(low))
        index = np.concatenate([index * count + low % count, index * count + (low + 1) % count])
        weight = np.concatenate([weight * (1 - share), weight * share])
    return np.asarray(np.bincount(index, weight, int(np.prod(shape))), np.float64).reshape(shape)


def kernel_lattice(
    origin: Floats, frame: Floats, z: Floats, weights: Floats, bandwidth: float
) -> Lattice:
    """Weighted Gaussian kernel estimate of points ``origin + frame @ z``, z of shape (n, q).

    The kernel has standard deviation `bandwidth` in z. Regions hold their share of the points.
    """
    dim = z.shape[1]
    low, high = z.min(axis=0) - 5 * bandwidth, z.max(axis=0) + 5 * bandwidth
    shape = tuple(
        fft.next_fast_len(
            int(np.clip(ceil(10 * length / bandwidth), CELLS[dim], 2 * CELLS[dim])), real=True
        )
        for length in high - low
    )
    steps = (high - low) / shape
    # Sharing between nodes widens by a sixth of the squared step.
    sigma = np.sqrt(np.maximum(bandwidth**2 - steps**2 / 6, 0.0)) / steps
    spectrum = fft.rfftn(_shared((z - low) / steps - 0.5, weights, shape))
    with np.errstate(under="ignore"):
        spectrum = ndimage.fourier_gaussian(spectrum, sigma, n=shape[-1])
    mass = np.maximum(fft.irfftn(spectrum, shape), 0.0)
    mass /= mass.sum()
    edges = tuple(np.linspace(a, b, n + 1) for a, b, n in zip(low, high, shape, strict=True))
    given = partial(tuple, (z, weights))
    return Lattice(origin, frame, edges, mass, points=given)  # type: ignore[arg-type]


def cells_lattice(
    origin: Floats,
    frame: Floats,
    axes: Sequence[tuple[Floats, Floats]],
    density: Callable[[Floats], Floats],
) -> Lattice:
    """A lattice for a density that is known at points, with cells that follow the mass.

    Parameters
    ----------
    axes : sequence of q pairs of ndarrays
        Lattice coordinates (K,) along an axis, and the masses (K,) there.
    density : callable
        Density at points of shape (n, q).
    """
    edges = []
    for places, mass in axes:
        order = np.argsort(places)
        order = order[mass[order] > 0]
        held = np.cumsum(mass[order])
        edges.append(_following_edges(held / held[-1], places[order], CELLS[len(axes)]))
    plain = Lattice(origin, frame, tuple(edges), np.ones([len(e) - 1 for e in edges]))
    volume = 1 / plain.density
    found = density(plain.centers()).reshape(volume.shape) * volume
    return Lattice(origin, frame, plain.edges, found / (found.sum() or 1.0))
