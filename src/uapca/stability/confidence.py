"""Intervals of eigenvalues and shares: which are stated, and their bounds.

Of values an interval has the quantiles of the redraws. Of samples and truths it is a confidence
interval, and stated only where redraws of the population are covered:

- fourth moments are known, since points or truths are normal or since they are enough to measure;
- features are in their own units, and points are enough for them;
- neighboring eigenvalues are apart.

What is stated is corrected for the choice to state it, and for the push of the neighbors.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.special import expit, gammaincinv, logit, ndtr, ndtri, stdtrit

from uapca._validation import Doubles
from uapca.decomposition.spectrum import Spectrum, spectrum, tie_tolerance
from uapca.stability.closed_form import Expansion
from uapca.stability.redraw import POINTS_FOR_TAILS, Drawn, Redraw

__all__ = ["Intervals", "freedom", "pushed", "separations"]

# So many points should be in groups that matter to a component for its fourth moments.
_POINTS_EACH = 100
# Standard deviations between the logarithms of neighboring eigenvalues below which those of a
# sample are biased apart. Equal eigenvalues are further apart in 4 % of samples.
_APART = 2.5
# Standard error of an eigenvalue of a truth, relative to it, beyond which no interval is stated.
_LARGEST_RELATIVE = 0.5
_TANGENTS = 2000


class Intervals:
    """Distributions of the figures over the redraws, and the intervals that are stated.

    A figure is an eigenvalue or, after all of these, a share: arrays have 2q entries.

    Attributes
    ----------
    fit, plugged : ndarray of shape (2q,)
        The figures of the fit, and of the population that the redraws come from.
    mean, std : ndarray of shape (2q,)
        Of the redrawn figures, from draws or in closed form.
    freedom : ndarray of shape (2q,), or None
        Where the standard deviations are measured from points, their degrees of freedom.
    close : ndarray of bool, shape (q + 1,)
        Whether the eigenvalues around each gap, from that above the first on, could be equal in
        the population; never of values.
    """

    fit: Doubles
    plugged: Doubles
    mean: Doubles
    std: Doubles
    freedom: Doubles | None
    close: npt.NDArray[np.bool_]

    def __init__(
        self, redraw: Redraw, expansion: Expansion, fit: Spectrum, drawn: Drawn | None
    ) -> None:
        self._redraw, self._expansion, self._drawn = redraw, expansion, drawn
        self._q = q = len(expansion.variance)

        def figures(values: Doubles, matrix: Doubles) -> Doubles:
            total = float(matrix.trace())
            share = np.minimum(values / total, 1.0) if total > 0.0 else np.zeros(q)
            return np.concatenate([values, share])

        self.fit = self.plugged = figures(fit.values[:q], redraw.fit)
        if redraw.population is not redraw.fit:
            values = spectrum(redraw.population, q).values
            self.plugged = figures(values, redraw.population)
        self.mean, self.std, self.freedom = _moments(expansion, q)
        if drawn is not None:
            values, totals = drawn.pcas.eigenvalues, drawn.pcas.totals[:, None]
            shares = np.divide(values, totals, out=np.zeros_like(values), where=totals > 0.0)
            self._figures: Doubles = np.concatenate([values, shares.clip(0.0, 1.0)], axis=1)
            self.mean = self._figures.mean(axis=0)
            if self.freedom is None:  # else intervals are those of the closed form
                sizes = np.maximum(self._figures.max(axis=0), np.finfo(float).tiny)  # no overflow
                self.std = (self._figures / sizes).std(axis=0) * sizes
        self._wide = np.zeros(len(redraw.fit), dtype=bool)
        with np.errstate(divide="ignore", invalid="ignore"):
            error = self.std[:q] / self.fit[:q]
            # How much smaller or larger an eigenvalue could have been to be stated.
            self._near, self._room = _margins(expansion, error, q)
            self.close = self._near & (redraw.units != "anew")  # errors not in proportion
            if redraw.entries is not None:
                relative = np.sqrt(redraw.entries.diagonal()) / expansion.values
                self._wide = relative > _LARGEST_RELATIVE
                # Its observed share is λ / (λ + ν) with the variance ν of the errors.
                share = math.sqrt(2.0 / (len(redraw.X) - 1.0))
                seen = logit(np.minimum(share / np.append(relative[:q], _LARGEST_RELATIVE), 1.0))
                self._room[:, 0] = np.fmin(self._room[:, 0], (seen[:-1] - seen[-1]) / error)
                # Nor are errors of truths in proportion to the eigenvalues.
                z = separations(expansion, q)
                self.close[1 : len(z) + 1] |= z < _APART
        if redraw.question == "values":
            self.close[:] = False

    def bounds(self, p: float) -> Doubles:
        """Of the figures, shape (2q, 2): for those of a redraw, or of the population.

        The deviation of a redraw from the population it comes from, on the scale of log λ and
        logit share, is what the deviation of the fit from its own population is. NaN where no
        interval is stated.
        """
        tails, q = np.array([0.5 - p / 2, 0.5 + p / 2]), self._q
        refused = np.array([bool(reason) for reason in self.reasons])[:, None]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if self._redraw.question == "values":
                return np.where(refused, np.nan, self._quantiles(tails))
            if self.freedom is not None:
                # Student's t on the stretched scale.
                spread = self.std / self.fit / np.concatenate([np.ones(q), 1.0 - self.fit[q:]])
                change = (_stretched(self.mean) - _stretched(self.plugged))[:, None]
                change = change + spread[:, None] * stdtrit(self.freedom[:, None], tails)
            elif self._drawn is None or self._drawn.errors is None:
                change = _stretched(self._quantiles(tails)) - _stretched(self.plugged)[:, None]
            else:
                own, redrawn = self._drawn.errors
                change = _stretched(self._figures.T).T - _stretched(self.plugged)
                change = np.where(redrawn > 0.0, change / redrawn, 0.0)
                change = own[:, None] * np.quantile(change, tails, axis=0, method="weibull").T
            change = change * np.tile(_stretching(p, self._room), (2, 1))
            bounds = _stretched(self.fit)[:, None] - change[:, ::-1]
            found = np.exp(bounds[:q])
            own = pushed(self._expansion, self.fit[:q, None])
            found *= np.exp(np.nan_to_num(own - pushed(self._expansion, found)))
            bounds = np.concatenate([found, expit(bounds[q:])])
        return np.where(refused, np.nan, np.where(np.isnan(bounds), self.fit[:, None], bounds))

    def _quantiles(self, tails: Doubles) -> Doubles:
        """Of the redrawn figures, shape (2q, 2).

        In closed form eigenvalues follow the gamma law with the same mean and variance, which is
        exact for the variance of normal values in one feature, and shares a normal law of their
        logit.
        """
        if self._drawn is not None and self._redraw.question != "truth":
            return np.quantile(self._figures, tails, axis=0, method="weibull").T
        q, mean, std = self._q, self.mean[:, None], self.std[:, None]
        shape = np.square(mean[:q] / std[:q])
        found = gammaincinv(shape, tails) * (std[:q] / mean[:q]) * std[:q]
        # Beyond this shape the gamma law is normal, and its quantile function inaccurate.
        found = np.where(shape > 1e6, mean[:q] + ndtri(tails) * std[:q], found)
        spread = std[q:] / (mean[q:] * (1.0 - mean[q:]))
        shares = expit(logit(mean[q:]) + ndtri(tails) * spread)
        found = np.concatenate([found, shares])
        return np.where((std > 0.0) & np.isfinite(found), found, mean)

    def angles(self, first: int, last: int) -> Doubles:
        """Draws of the largest principal angle of components first to last − 1."""
        if self._drawn is not None:
            return self._drawn.pcas.subspace_angles(first, last)
        tangent = self._expansion.tangent
        inside = np.zeros(tangent.shape[1], dtype=bool)
        inside[first:last] = True
        if inside.all():
            return np.zeros(1)
        rng, parts = np.random.default_rng(0), []
        for block in tangent[first:last]:
            values, vectors = np.linalg.eigh(block[np.ix_(~inside, ~inside)])
            half = vectors * np.sqrt(np.maximum(values, 0.0))
            parts.append(rng.standard_normal((_TANGENTS, len(values))) @ half.T)
        tangents = np.stack(parts, axis=1)
        top = np.linalg.eigvalsh(tangents @ tangents.transpose(0, 2, 1))[:, -1]
        return np.arctan(np.sqrt(np.maximum(top, 0.0)))

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """Why no interval of a figure is stated; empty where one is."""
        redraw, q, d = self._redraw, self._q, len(self._redraw.fit)
        if redraw.question == "values":
            text = "" if redraw.rank else "a single value has no spread to share"
            return ("",) * q + (text,) * q
        if redraw.groups is None:
            used, total, few = 1, len(redraw.X) - 1.0, f"{len(redraw.X)} rows are too few"
            points, kept, unit, needed = np.full(q, total), True, "rows", f"{2 * d + 9} rows"
        else:
            counts, kept, unit = redraw.groups.counts, redraw.groups.kept, "points"
            used, total = len(counts), float((counts - 1.0).sum())
            few = f"{counts.sum():.0f} points in {used} groups are too few"
            points = freedom(redraw, self._expansion, q)[1]
            needed = f"{2 * d + 8} points more than groups"
        text = ""
        if total < 2 * d + 8:
            text = f"{few} for {d} features (intervals need {needed})"
        elif not (redraw.normal or kept):
            text = "the points are not kept; ± takes them as normal, intervals need fourth moments"
        elif redraw.units == "anew":
            # A standardized feature that is nearly a component by itself has an eigenvalue near 1
            # without errors of first order: neither their size nor their bias can be estimated.
            text = "those of standardized features do not cover; tilts and standard errors do"
        if text:
            return (text,) * 2 * q
        reasons = []
        for i in range(q):
            text = "eigenvalues that are close to each other are biased apart in a sample"
            text *= bool(self._near[i] or self._near[i + 1])
            if self._wide[i]:
                text = "the errors hide most of its variance"
            if not redraw.normal and (total + used < POINTS_FOR_TAILS or points[i] < _POINTS_EACH):
                needed = f"{POINTS_FOR_TAILS} {unit}, or component_uncertainty(normal=True)"
                text = f"{few} for fourth moments (intervals need {needed})"
            reasons.append(text)
        text = "the errors hide most of the variance of a component" * bool(self._wide.any())
        return (*reasons, *(reason or text for reason in reasons))


def _moments(expansion: Expansion, q: int) -> tuple[Doubles, Doubles, Doubles | None]:
    """Of redrawn eigenvalues and shares in closed form, shape (2q,): mean and standard deviation.

    And, where the variance is measured by the influences of points or rows, the degrees of freedom
    of that measurement, (Σ x²)² / Σ x⁴. Twice that would be those of the same relative variance,
    but of heavy tails Σ x⁴ is too small in most samples, and Σ x² with it. In a share the errors
    of numerator and denominator partly cancel: it has half as many again.
    """
    size, total = expansion.size, float(expansion.values.sum())
    mean = np.maximum(expansion.values[:q] + expansion.shift, 0.0)
    share = mean / total if total > 0.0 else np.zeros(q)
    influences = expansion.influences
    if influences is None:
        variance, along = expansion.variance, expansion.total_covariance
        squares = variance - 2.0 * share * along + share**2 * expansion.total_variance
        squares, freedom = np.concatenate([variance, np.maximum(squares, 0.0)]), None
    else:
        own, whole = influences[:, :q], influences[:, q:]
        each = np.square(np.concatenate([own, own - share * whole], axis=1))
        squares = each.sum(axis=0)
        squares += np.tile(np.maximum(expansion.variance - squares[:q], 0.0), 2)  # second order
        with np.errstate(divide="ignore", invalid="ignore"):
            freedom = np.square(squares) / np.square(each).sum(axis=0)
        freedom[q:] *= 1.5
    units = np.repeat([size, size / total if total > 0.0 else 0.0], q)
    return np.concatenate([mean, share]), np.sqrt(squares) * units, freedom


def pushed(expansion: Expansion, at: Doubles) -> Doubles:
    """The second-order shift of log λ_i if λ_i were ``at``, shape (q, k), and its neighbors stayed.

    Neighbors push harder the closer an eigenvalue is to them. A bound is therefore corrected by the
    shift that it would have, not by that of the estimate. Variances of δ_ij grow with λ_i.
    """
    values, at = expansion.values / expansion.size, at / expansion.size
    own = values[: len(at), None]
    side = np.sign(own - values)[:, None]
    squares = expansion.spreads[:, None] * (at / own)[..., None]
    gaps = np.maximum(side * (at[..., None] - values), np.sqrt(squares))
    shifts = side * squares * gaps / (np.square(gaps) + squares)
    return np.asarray(np.nan_to_num(shifts).sum(axis=-1) / at)


def _stretching(p: float, margins: Doubles) -> Doubles:
    """By how much the tails of deviations are stretched by the choice to state an interval, (q, 2).

    An estimate l of η with standard error 1 that is stated between l − a and l + b only has the law
    of a truncated normal. Its quantiles, as u = l − η, are found by bisection: they cover η with
    probability p among those that are stated (Lee et al. 2016).
    """

    def inside(low: Doubles, high: Doubles) -> Doubles:
        side = np.where(low > 0.0, -1.0, 1.0)  # from the tail that is smaller: it has more digits
        return np.asarray(side * (ndtr(side * high) - ndtr(side * low)))

    tails, (below, above) = np.array([0.5 - p / 2, 0.5 + p / 2]), margins.T[..., None]
    low, high = np.full(margins.shape, -30.0), np.full(margins.shape, 30.0)
    for _ in range(40):
        u = (low + high) / 2
        short = inside(u - below, u) < tails * inside(u - below, u + above)
        low, high = np.where(short, u, low), np.where(short, high, u)
    far = np.minimum(below, above) > 8.0
    return np.where(far, 1.0, low / ndtri(tails))


def _margins(expansion: Expansion, error: Doubles, q: int) -> tuple[npt.NDArray[np.bool_], Doubles]:
    """Which of the q + 1 gaps around eigenvalues are too small, and the room of each.

    Eigenvalues of a sample are further apart than those of the population, where those are close by
    an unknown amount. Standard errors of normal points are in proportion to the eigenvalues: gaps
    are those of logarithms.
    """
    apart, margins = np.full(q + 1, np.inf), np.full((q, 2), np.inf)
    z = separations(expansion, q)
    k, own = len(z), expansion.linear.diagonal()
    above, below = expansion.values[:k], expansion.values[1 : k + 1]
    logs = np.log(above / below)
    ratio = logs * np.hypot(above, below) / (above - below) / math.sqrt(2.0)
    apart[1 : k + 1] = z * np.where(np.isfinite(ratio), ratio, 1.0)
    room = np.where(np.isfinite(apart[1 : k + 1]), logs * (1.0 - _APART / apart[1 : k + 1]), np.inf)
    # If an estimate had been another, a correlated neighbor would have been too: the logarithm of
    # their ratio moves by ``slopes`` times as much.
    ratios = np.stack([above / below / own[:-1], below / above / own[1:]], axis=1)
    slopes = 1.0 - np.nan_to_num(expansion.linear.diagonal(1)[:, None] * ratios)
    for side in (0, 1):
        rooms = (room / np.maximum(slopes[:, side], 0.5))[: q - side]
        margins[side : side + len(rooms), side] = rooms / error[side : side + len(rooms)]
    return apart < _APART, np.where(np.isnan(margins), np.inf, margins)


def freedom(redraw: Redraw, expansion: Expansion, q: int) -> tuple[Doubles, Doubles]:
    """Degrees of freedom of the variance of each eigenvalue, shape (q,) (Satterthwaite).

    Fewer than all points where one group has most of the variance. Of all of it, for normal points,
    and of the part that comes from squares of the points, which have the fourth moments.
    """
    rows, V = redraw.rows, expansion.vectors[:q]
    size = math.sqrt(float(expansion.values[0])) or 1.0
    counts = np.maximum(np.asarray(redraw.X.counts, dtype=np.float64) - 1.0, 1.0)[:, None]
    own = rows.cov.variances_along(V) / size / size
    scores = ((rows.mean - redraw.mean) / size) @ V.T
    squares = np.square(rows.weights)[:, None] * 2.0 * np.square(own) * counts
    linear = np.square(rows.weights)[:, None] * 4.0 * own * np.square(scores)
    found = []
    for parts in (squares + linear, squares):
        with np.errstate(divide="ignore", invalid="ignore"):
            each = np.square(parts.sum(axis=0)) / (np.square(parts) / counts).sum(axis=0)
        found.append(np.where(np.isfinite(each), each, np.inf))
    return found[0], found[1]


def separations(expansion: Expansion, q: int) -> Doubles:
    """Gaps between neighbors in standard deviations of their difference; 0 for ties."""
    d = len(expansion.values)
    gaps = (expansion.values[:-1] - expansion.values[1:])[:q]
    with np.errstate(divide="ignore", invalid="ignore"):
        z = gaps / expansion.size / np.sqrt(expansion.gap_variance[: len(gaps)])
    z = np.where(np.isnan(z), np.inf, z)
    return np.where(gaps > tie_tolerance(d) * float(expansion.values[0]), z, 0.0)


def _stretched(figures: Doubles) -> Doubles:
    """log λ and logit share of 2q figures, the first axis."""
    q = len(figures) // 2
    return np.concatenate([np.log(figures[:q]), logit(figures[q:])])
