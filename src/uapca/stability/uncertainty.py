"""How far components and eigenvalues can be trusted: the question, the figures and the verdict."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import expit, fdtri, gammaincinv, gammaln, logit, ndtr, ndtri, stdtrit

from uapca._validation import Doubles, Seed, check_choice, rng_from, shown
from uapca.aggregate.accumulate import moments
from uapca.decomposition.base import feature_variances
from uapca.decomposition.spectrum import Spectrum, spectrum, tie_tolerance
from uapca.exceptions import ApproximationWarning, SeparationWarning
from uapca.stability.closed_form import (
    Cumulants,
    Expansion,
    Redraw,
    expand,
    redraw_of_groups,
    redraw_of_truth,
    redraw_of_values,
)
from uapca.stability.groups import Groups
from uapca.stability.simulation import (
    Simulation,
    aligned,
    check_count,
    check_data,
    draw_batches,
    leading,
)
from uapca.uncertain import UncertainArray

__all__ = ["ComponentUncertainty", "component_uncertainty", "ellipse_factor"]

Of = Literal["auto", "values", "sample", "truth"]
Method = Literal["auto", "closed form", "simulation"]

# The closed form is used where all of these hold; beyond, its errors may exceed a few per cent.
_LARGEST_TILT = 0.2  # radians
_SMALLEST_SEPARATION = 4.0  # of neighboring eigenvalues, in standard deviations of their gap
_LARGEST_SHIFT = 1.0  # of the mean of an eigenvalue by second-order terms, in its standard errors
_LARGEST_VARIATION = 0.2  # standard error of an eigenvalue relative to it
_LARGEST_EXCESS = 0.25  # share of an eigenvalue's variance from cumulants beyond the second
# Components that swap in more redraws than this cannot be told apart.
_SWAPS = 0.05
# Below this number of points, or degrees of freedom of variances, groups are simulated.
_POINTS_TO_RESAMPLE, _FREEDOM = 1000, 40
# Fourth moments of points that need not be normal are measured from so many points on. The rule
# looks at their number only: samples in which heavy tails do not show are those that mislead. So
# many of them should be in groups that matter to a component.
_POINTS_FOR_TAILS, _POINTS_EACH = 500, 100
# Standard deviations between the logarithms of neighboring eigenvalues below which those of a
# sample are biased apart. Equal eigenvalues are further apart in 4 % of samples.
_APART = 2.5
# Standard error of an eigenvalue of a truth, relative to it, beyond which no interval is stated.
_LARGEST_RELATIVE = 0.5
# Operations that a simulation may take, and the numbers of draws between which it chooses.
_BUDGET, _FEWEST, _MOST, _MOST_OF_GROUPS = 1e10, 400, 10_000, 2000
_LARGEST = 4e6  # entries of a component in all draws
_TANGENTS = 2000

_QUESTIONS = {
    "values": "if each row is one unknown value",
    "sample": "if the points behind the groups were drawn again",
    "truth": "with the errors of the estimated truth",
}


@dataclass(frozen=True, eq=False, repr=False)
class ComponentUncertainty:
    """How far eigenvectors and eigenvalues may be off.

    Attributes
    ----------
    components : ndarray of shape (q, D)
        The components of the fit, ``UAPCA(q, scale=scale).fit(X)``, signs included (to order 1
        those of the means). All figures belong to them.
    eigenvalues : ndarray of shape (q,)
        The eigenvalues of the fit.
    covariance : ndarray of shape (q, D, D)
        The covariance of the entries of each component; in closed form infinite where tied.
    std : ndarray of shape (q, D)
        Standard errors of the entries: the root mean square deviation of a redrawn component from
        that of the fit; never beyond that of a random axis.
    angle : ndarray of shape (q,)
        The root mean square angle, in radians, between a redrawn component and that of the fit;
        never beyond that of a random axis.
    eigenvalue_mean, eigenvalue_std : ndarray of shape (q,)
        Mean and standard deviation of the redrawn eigenvalues. They differ from ``eigenvalues``
        by what redrawing adds.
    gap : ndarray of shape (q,)
        The distance from each eigenvalue of the fit to its nearest neighbor, those left out
        included; infinite if there is one feature.
    swap_probability : ndarray of shape (min(q, D − 1),)
        The probability that redrawn component i is nearer to component i + 1 of the fit than to
        component i and those before it.
    of : {"values", "sample", "truth"}
        What is redrawn; see `component_uncertainty`.
    assumption : str
        ``of`` in words, whether points are redrawn as normals, and whether each redraw is
        standardized anew.
    method : {"closed form", "simulation"}
        How the figures were found.
    reason : str
        Why this method.
    n_draws : int
        Number of draws; 0 in closed form.
    order : int
        The highest power of the errors in the closed form.
    refusals, share_refusals : tuple of q str
        Why no interval is stated for an eigenvalue, or a share; empty where it is.
    joint : ndarray of shape (q, D, q, D), or None
        The covariance between the entries of all components, if it was asked for.

    See Also
    --------
    uapca.component_uncertainty : How well the components are known.

    Examples
    --------
    >>> import numpy as np
    >>> import uapca
    >>> X = uapca.UncertainArray([[-9.0, 0], [0, 2], [1, -2], [8, 0]], std=0.5)
    >>> result = uapca.component_uncertainty(X, 1)
    >>> result.of, result.method
    ('values', 'closed form')
    >>> result.eigenvalue_interval(0.95).round(1)
    array([[31.1, 42.9]])
    >>> np.degrees(result.angle).round(1)
    array([2.6])
    """

    components: Doubles
    eigenvalues: Doubles
    covariance: Doubles
    std: Doubles
    angle: Doubles
    eigenvalue_mean: Doubles
    eigenvalue_std: Doubles
    gap: Doubles
    swap_probability: Doubles
    of: str
    assumption: str
    method: str
    reason: str
    n_draws: int
    order: int
    refusals: tuple[str, ...]
    share_refusals: tuple[str, ...]
    joint: Doubles | None
    _redrawn: _Redrawn = field(repr=False)

    def eigenvalue_interval(self, p: float = 0.95) -> Doubles:
        """Intervals for the eigenvalues, shape (q, 2), never below zero.

        For values: the range that holds the eigenvalues of the true values with probability p.
        For groups and posterior rows: a confidence interval for the eigenvalues of the population.
        NaN where no interval is stated; ``refusals`` say why.

        Parameters
        ----------
        p : float, default=0.95
            Between 0 and 1.
        """
        return self._interval(p)[: len(self.eigenvalues)]

    def share_interval(self, p: float = 0.95) -> Doubles:
        """Intervals for the shares of the total variance, shape (q, 2), with the total varying.

        As `eigenvalue_interval`.
        """
        return self._interval(p)[len(self.eigenvalues) :]

    def _interval(self, p: float) -> Doubles:
        bounds = self._redrawn.interval(_level(p), predict=self.of == "values")
        refused = np.array([bool(reason) for reason in self.refusals + self.share_refusals])
        return np.where(refused[:, None], np.nan, bounds)

    @cached_property
    def subspace_angle(self) -> float:
        """The angle of the first q components as a whole.

        Root mean square, over the redraws, of the largest principal angle, in radians.
        """
        return self._subspace(0, len(self.components))

    def subspace_interval(self, p: float = 0.95) -> float:
        """The angle that the largest principal angle of all q components stays below."""
        return float(np.quantile(self._redrawn.angles(0, len(self.components)), _level(p)))

    def _subspace(self, first: int, last: int) -> float:
        return float(np.sqrt(np.square(self._redrawn.angles(first, last)).mean()))

    @property
    def separation(self) -> Doubles:
        """``swap_probability`` as a number of standard deviations: 0 at ½, 1.64 at 5 %."""
        return np.asarray(-ndtri(self.swap_probability))

    @property
    def monte_carlo_error(self) -> float:
        """Relative standard error of the standard errors from a finite number of draws."""
        return 1.0 / math.sqrt(2.0 * self.n_draws) if self.n_draws else 0.0

    @cached_property
    def verdict(self) -> tuple[str, ...]:
        """What is known, in words: a sentence for each component or group of components."""
        q, d = self.components.shape
        if d == 1:
            return ()
        sentences, first = [], 0
        ignorance = _random_angle(d)
        for last in range(q):
            if self.swap_probability.size > last and self.swap_probability[last] > _SWAPS:
                continue
            sentences.append(self._sentence(first, last, ignorance))
            first = last + 1
        if first < q:  # the last run goes on with a component that is not among the q
            sentences.append(self._sentence(first, q, ignorance))
        shares = [
            r if r != s else "" for r, s in zip(self.share_refusals, self.refusals, strict=True)
        ]
        for what, reasons in (("", self.refusals), ("the share of ", shares)):
            for reason in dict.fromkeys(filter(None, reasons)):
                names = ", ".join(f"PC{i + 1}" for i in range(q) if reasons[i] == reason)
                sentences.append(f"no interval is stated for {what}{names}: {reason}")
        return tuple(sentences)

    def _sentence(self, first: int, last: int, ignorance: float) -> str:
        q = len(self.components)
        if first == last:
            angle = float(self.angle[first])
            if angle > 0.7 * ignorance:
                return f"PC{first + 1} is not determined"
            return f"PC{first + 1} is known to {_degrees(angle)}"
        names = [f"PC{i + 1}" for i in range(first, min(last + 1, q))]
        text = ", ".join(names[:-1]) + " and " * (len(names) > 1) + names[-1]
        text += " cannot be told apart"
        swaps = 100.0 * float(self.swap_probability[first:last].max())
        often = f"(they swap in {swaps:.0f} % of redraws)"
        if last == q:
            each = "from each other or " * (len(names) > 1)
            return f"{text} {each}from the next component, PC{q + 1} {often}"
        span = {2: "plane", 3: "space"}.get(last - first + 1, "subspace")
        angle = self._subspace(first, last + 1)
        known = f"their {span} is known to {_degrees(angle)}"
        clear = angle < 0.5 * float(self.angle[first : last + 1].max())
        return f"{text} {often}; {known}{', its axes are not' if clear else ' only'}"

    def __repr__(self) -> str:
        q, d = self.std.shape
        how = self.method + (f", {self.n_draws} draws" if self.n_draws else "")
        lines = [f"ComponentUncertainty: {q} of {d} components, {self.assumption} ({how})"]
        for i, angle in enumerate(np.degrees(self.angle)):
            value, error = self.eigenvalues[i], self.eigenvalue_std[i]
            lines.append(f"  PC{i + 1}  variance {value:.4g} ± {error:.2g}, tilt {angle:.2g}°")
        return "\n".join(lines + [f"  {sentence}" for sentence in self.verdict])


@dataclass(frozen=True, eq=False)
class _Redrawn:
    """Distributions over the redraws, from draws or from moments.

    A figure is an eigenvalue or, after all of these, a share: arrays have 2q entries.

    Attributes
    ----------
    fit, plugged : ndarray of shape (2q,)
        The figures of the fit, and of the population that the redraws come from.
    mean, std : ndarray of shape (2q,)
        Of the redrawn figures.
    draws : Simulation, or None
    smooth : bool
        Whether quantiles are those of laws with this mean and standard deviation, even if there
        are draws.
    freedom : ndarray of shape (2q,), or None
        Where the standard deviations are measured from points, their degrees of freedom.
    errors : tuple of two ndarrays of shape (2q,) and (n_draws, 2q), or None
        For normal groups, the standard errors of log λ and logit share of the fit and each redraw.
    tangent : ndarray of shape (q, D, D), or None
        In closed form, covariance of the components in the basis of eigenvectors.
    margins : ndarray of shape (q, 2), or None
        How much smaller or larger, in standard errors of its logarithm, an eigenvalue could have
        been to have its interval still stated.
    """

    fit: Doubles
    plugged: Doubles
    mean: Doubles
    std: Doubles
    draws: Simulation | None = None
    smooth: bool = False
    freedom: Doubles | None = None
    errors: tuple[Doubles, Doubles] | None = None
    tangent: Doubles | None = None
    margins: Doubles | None = None

    def interval(self, p: float, predict: bool) -> Doubles:
        """Bounds of the figures, shape (2q, 2): for those of a redraw, or of the population.

        The deviation of a redraw from the population it comes from, on the scale of log λ and
        logit share, is what the deviation of the fit from its own population is.
        """
        tails = np.array([0.5 - p / 2, 0.5 + p / 2])
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if predict:
                return self._quantiles(tails)
            center, q = _stretched(self.fit), len(self.fit) // 2
            if self.freedom is not None:
                # Student's t on the stretched scale.
                spread = self.std / self.fit / np.concatenate([np.ones(q), 1.0 - self.fit[q:]])
                change = (_stretched(self.mean) - _stretched(self.plugged))[:, None]
                change = change + spread[:, None] * stdtrit(self.freedom[:, None], tails)
            elif self.errors is None or self.draws is None:
                change = _stretched(self._quantiles(tails)) - _stretched(self.plugged)[:, None]
            else:
                own, redrawn = self.errors
                change = _stretched(self.figures(self.draws).T).T - _stretched(self.plugged)
                change = np.where(redrawn > 0.0, change / redrawn, 0.0)
                change = own[:, None] * np.quantile(change, tails, axis=0, method="weibull").T
            if self.margins is not None:
                change = change * np.tile(_stretching(p, self.margins), (2, 1))
            bounds = center[:, None] - change[:, ::-1]
            bounds = np.concatenate([np.exp(bounds[:q]), expit(bounds[q:])])
        return np.where(np.isnan(bounds), self.fit[:, None], bounds)

    @staticmethod
    def figures(draws: Simulation) -> Doubles:
        """Eigenvalues and shares of the draws, shape (n_draws, 2q)."""
        totals = draws.totals[:, None]
        none = np.zeros_like(draws.eigenvalues)
        shares = np.divide(draws.eigenvalues, totals, out=none, where=totals > 0.0)
        return np.concatenate([draws.eigenvalues, shares.clip(0.0, 1.0)], axis=1)

    def _quantiles(self, tails: Doubles) -> Doubles:
        """Of the redrawn figures, shape (2q, 2).

        In closed form eigenvalues follow the gamma law with the same mean and variance, which is
        exact for the variance of normal values in one feature, and shares a normal law of their
        logit.
        """
        if self.draws is not None and not self.smooth:
            return np.quantile(self.figures(self.draws), tails, axis=0, method="weibull").T
        q, mean, std = len(self.mean) // 2, self.mean[:, None], self.std[:, None]
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
        if self.draws is not None:
            return self.draws.subspace_angles(first, last)
        assert self.tangent is not None
        inside = np.zeros(self.tangent.shape[1], dtype=bool)
        inside[first:last] = True
        if inside.all():
            return np.zeros(1)
        rng, parts = np.random.default_rng(0), []
        for block in self.tangent[first:last]:
            values, vectors = np.linalg.eigh(block[np.ix_(~inside, ~inside)])
            half = vectors * np.sqrt(np.maximum(values, 0.0))
            parts.append(rng.standard_normal((_TANGENTS, len(values))) @ half.T)
        tangents = np.stack(parts, axis=1)
        top = np.linalg.eigvalsh(tangents @ tangents.transpose(0, 2, 1))[:, -1]
        return np.arctan(np.sqrt(np.maximum(top, 0.0)))


def _stretching(p: float, margins: Doubles) -> Doubles:
    """By how much the tails of deviations are stretched by the choice to state an interval, (q, 2).

    An estimate l of η with standard error 1 that is stated between l − a and l + b only has the law
    of a truncated normal. Its quantiles, as u = l − η, are found by bisection: they cover η with
    probability p among those that are stated (Lee et al. 2016).
    """

    def inside(low: Doubles, high: Doubles) -> Doubles:
        swap = low > 0.0  # from the tail that is smaller, which has more digits
        found = ndtr(np.where(swap, -low, high)) - ndtr(np.where(swap, -high, low))
        return np.asarray(found)

    tails = np.array([0.5 - p / 2, 0.5 + p / 2])
    below, above = margins[:, :1], margins[:, 1:]
    low, high = np.full(margins.shape, -30.0), np.full(margins.shape, 30.0)
    for _ in range(50):
        u = (low + high) / 2
        short = inside(u - below, u) < tails * inside(u - below, u + above)
        low, high = np.where(short, u, low), np.where(short, high, u)
    return np.asarray(low / ndtri(tails))


def _level(p: object) -> float:
    """A probability between 0 and 1."""
    if isinstance(p, int | float | np.number) and 0.0 < p < 1.0:
        return float(p)
    raise ValueError(f"p must be between 0 and 1; got {shown(p)}")


def _stretched(figures: Doubles) -> Doubles:
    """log λ and logit share of 2q figures, the first axis."""
    q = len(figures) // 2
    return np.concatenate([np.log(figures[:q]), logit(figures[q:])])


def component_uncertainty(
    X: UncertainArray,
    n_components: int = 2,
    *,
    of: Of = "auto",
    method: Method = "auto",
    scale: float = 1.0,
    order: int = 2,
    normal: bool = False,
    standardize: bool | None = None,
    joint: bool = False,
    n_draws: int | None = None,
    rng: Seed = 0,
) -> ComponentUncertainty:
    """The uncertainty of the principal components and eigenvalues of a fit.

    Which data could have been seen instead? Each of them has its own PCA, and the spread of those
    is the uncertainty of the fit, ``UAPCA(n_components, scale=scale).fit(X)``.

    Parameters
    ----------
    X : UncertainArray of shape (N, D)
    n_components : int, default=2
    of : {"auto", "values", "sample", "truth"}, default="auto"
        The question. "values": each row is one unknown value; the values are redrawn from the
        rows' distributions. "sample": the rows are groups of ``X.counts`` points; the points
        behind them are redrawn, as normals within each group, with the sizes of the groups fixed.
        Where the points are kept as the laws of the rows, they are resampled.
        "truth": the rows are those that a `uapca.Denoiser` was fitted to; the covariance of the
        truths is redrawn, as that of truths of which each row was observed in part.
        "auto" goes by ``X.source``.
    method : {"auto", "closed form", "simulation"}, default="auto"
        "auto" takes the closed form where its own error estimate is small (tilt, second-order
        shift, spread of the eigenvalues, cumulants of the rows' laws), and simulates otherwise.
    scale : float, default=1.0
        The scale s of the fit, finite. For values the redraws come from ``X.scaled(scale)``.
    order : {1, 2}, default=2
        2 expands about the expected covariance of a redraw and keeps products of errors and the
        second-order shift of the eigenvalues. 1 expands about C, the PCA of the means, and keeps
        what is linear in the errors: error propagation as in VIPurPCA, in closed form only.
    normal : bool, default=False
        Whether the points behind groups, or the truths, are known to be normal. If not, intervals
        need their fourth moments, which take 500 points that are kept
        (``from_groups(keep_samples=True)``) or 500 rows of a Denoiser; otherwise none is stated.
    standardize : bool, optional
        Whether the fit is ``UAPCA(n_components, standardize=True).fit(X)``: each redraw is then
        divided by its own total standard deviations, √K(1)ⱼⱼ. By default that is done for rows that
        were standardized, of which all features have the total variance 1. False takes the units as
        known, as at other scales than 1 and to order 1.
    joint : bool, default=False
        Whether to give the covariance between different components as well.
    n_draws : int, optional
        Number of draws of a simulation; by default up to 10,000, at least 400, within a budget of
        operations that takes seconds.
    rng : int, numpy.random.Generator or None, default=0

    Returns
    -------
    ComponentUncertainty

    Warns
    -----
    SeparationWarning
        If two neighboring components swap in more than 5 % of the redraws.

    See Also
    --------
    simulate : The drawn PCAs themselves.

    Notes
    -----
    **What an interval covers.** For "values": if the true values are draws from the rows'
    distributions, as with posterior draws, clusters or grades, the eigenvalues of the covariance
    of the true values lie in the interval with probability p. This is not the model
    measurement = truth + noise: a measurement's distribution is centered at the measured value, so
    values drawn from it spread more than the truth does. For measurements use `uapca.Denoiser`
    first ("truth"). For "sample" and "truth": over repeated samples the interval covers the
    eigenvalue of the population with probability p. Simulated intervals of normal groups are
    studentized on the scale of log λ and logit share (bootstrap-t). Those of kept points and of
    truths have standard errors from the influences x of the points on an eigenvalue, Σ x², with
    (Σ x²)² / Σ x⁴ degrees of freedom of Student's t.

    With a_n = Vᵀ(m_n − μ), P_n = VᵀΨ_nV and V the eigenvectors of the expected covariance, the
    covariance of v_i's coefficients on v_j and v_l is

    Σ w_n² [a_j a_l P_ii + a_j a_i P_il + a_i a_l P_ji + a_i² P_jl] / ((λ_i − λ_j)(λ_i − λ_l)),

    all with index n. Order 2 adds Σ B_nm² [P_n,ii P_m,jl + P_n,il P_m,ij] with B = diag(w) − wwᵀ,
    and the third and fourth cumulants of rows with independent coordinates of known laws. The cost
    is that of a few (N, D) by (D, D) products for each component.

    References
    ----------
    S. Zabel, P. Hennig, K. Nieselt: VIPurPCA: Visualizing and Propagating Uncertainty in Principal
    Component Analysis. IEEE TVCG 30(4), 2024. doi:10.1109/TVCG.2023.3345532

    B. Efron, R. J. Tibshirani: An Introduction to the Bootstrap, Sec. 12.5. Chapman & Hall, 1993.

    D. N. Lawley: Tests of Significance for the Latent Roots of Covariance and Correlation Matrices.
    Biometrika 43, 1956.

    Examples
    --------
    >>> import numpy as np, uapca
    >>> rng = np.random.default_rng(0)
    >>> X = uapca.UncertainArray(rng.normal(size=(100, 3)) * [5, 3, 1], std=0.5)
    >>> found = uapca.component_uncertainty(X)
    >>> found
    ComponentUncertainty: 2 of 3 components, if each row is one unknown value (closed form)
      PC1  variance 29.83 ± 0.55, tilt 1°
      PC2  variance 9.307 ± 0.3, tilt 1.4°
      PC1 is known to 1°
      PC2 is known to 1.4°
    >>> found.eigenvalue_interval(0.9).round(2)
    array([[28.95, 30.74],
           [ 8.81,  9.81]])
    """
    X = check_data(X)
    d = X.shape[1]
    q = check_count(n_components, "n_components", d, "features")
    check_choice(of, ("auto", "values", "sample", "truth"), "of")
    check_choice(method, ("auto", "closed form", "simulation"), "method")
    if isinstance(order, bool) or order not in (1, 2):
        raise ValueError(f"order must be 1 or 2; got {shown(order)}")
    if not (isinstance(scale, int | float) and 0.0 <= scale < math.inf):
        raise ValueError(f"scale must be a finite number of at least 0; got {shown(scale)}")
    count = None if n_draws is None else check_count(n_draws, "n_draws")
    question = _question(X, of)
    if order == 1 and (question != "values" or method == "simulation"):
        raise ValueError("order=1 must go with of='values' in closed form")
    if standardize and (scale != 1.0 or order == 1):
        raise ValueError("standardize=True must go with scale=1 and order=2")
    case = _case(X, question, float(scale), order, bool(normal))
    if standardize or (order == 2 and _has_unit_variances(X)):
        anew = scale == 1.0 and standardize is not False
        case = _standardized(case) if anew else replace(case, units="known")
    expansion = expand(case.redraw, q, order, joint)
    doubt = "" if order == 1 else _doubt(case, expansion, q)
    if method == "closed form" or (method == "auto" and not doubt):
        why = "as asked for" if method == "closed form" else "its error estimate is small"
        found = _in_closed_form(case, expansion, q, order, joint, why)
    else:
        why = "as asked for" if method == "simulation" else doubt
        found = _by_simulation(case, expansion, q, joint, count, rng_from(rng), why)
    found = _with_refusals(case, expansion, found)
    mixed = [i for i, p in enumerate(found.swap_probability) if not p <= _SWAPS]
    if mixed:
        pairs = ", ".join(f"PC{i + 1} and PC{i + 2}" for i in mixed)
        warnings.warn(
            f"{pairs} swap in more than 5 % of redraws and cannot be told apart; the verdict says "
            "what is known",
            SeparationWarning,
            stacklevel=2,
        )
    return found


@dataclass(frozen=True, eq=False)
class _Case:
    """The data, the fit, and what a redraw is."""

    X: UncertainArray
    question: str
    redraw: Redraw
    fit: Doubles  # K, the covariance of the fit
    population: Doubles  # that the redraws come from
    groups: Groups | None = None
    known: bool = True  # whether the closed form knows the cumulants of the laws
    normal: bool = False  # whether points or truths are known to be normal
    units: str = ""  # "anew" if each redraw is standardized, "known" if only the rows were

    @property
    def assumption(self) -> str:
        text = _QUESTIONS[self.question]
        if self.groups is not None and not self.groups.kept:
            text += ", as normals"
        units = {"anew": ", and standardized anew", "known": ", with their units taken as known"}
        return text + units.get(self.units, "")

    @property
    def rank(self) -> int:
        """The largest rank of a redrawn covariance."""
        if self.question != "values":
            return len(self.fit)
        w = self.X.given_weights
        return (len(self.X) if w is None else int((w > 0.0).sum())) - 1


def _question(X: UncertainArray, of: Of) -> str:
    """What is redrawn, where it can be."""
    if of == "sample" and X.counts is None:
        raise ValueError("of='sample' needs X.counts, the number of points behind each row")
    needed = "rows of uapca.Denoiser.transform, all those of its fit"
    posterior = X.parameter_errors is not None and X.parameter_errors.rows == len(X)
    if of == "truth" and not posterior:
        raise ValueError(f"of='truth' needs {needed}")
    if of != "auto":
        return of
    if X.source == "posterior" and not posterior:
        warnings.warn(
            "X are posterior rows, but not all those of the Denoiser's fit, or without its record "
            "(files do not keep it); each is taken as one unknown value (of='values'), which "
            "leaves out the errors of the Denoiser's parameters",
            ApproximationWarning,
            stacklevel=3,
        )
    return "truth" if posterior else "sample" if X.source == "groups" else "values"


def _case(X: UncertainArray, question: str, scale: float, order: int, normal: bool) -> _Case:
    if question == "values":
        data = X if scale == 1.0 else X.scaled(scale)
        if order == 1:
            mean, between = moments(data.mean, data.given_weights)
            return _Case(data, question, Redraw(data, mean, between), between, between)
        cumulants, known = _cumulants(data)
        redraw = redraw_of_values(data, cumulants)
        return _Case(data, question, redraw, data.pooled()[1], redraw.expected, known=known)
    mean, between = moments(X.mean, X.given_weights)
    K = between + scale**2 * X.cov.average(X.given_weights)
    if question == "truth":
        # N rows have lost one to their mean.
        population = K * (len(X) / max(len(X) - 1.0, 1.0))
        redraw = redraw_of_truth(X, mean, K, normal or len(X) < _POINTS_FOR_TAILS)
        return _Case(X, question, redraw, K, population, normal=normal)
    assert X.counts is not None
    counts, w = np.asarray(X.counts, dtype=np.float64), X.weights
    small = int(((counts < 2.0) & (w > 0.0)).sum())
    if small:
        raise ValueError(
            f"of='sample' needs groups of at least 2 points; {small} of {len(X)} have fewer "
            "(of='values' redraws one value for each row)"
        )
    groups = Groups(X, scale, normal)
    redraw = redraw_of_groups(X, np.maximum(counts, 2.0), scale)
    if groups.kept:
        redraw = replace(redraw, groups=groups)
    # Σ = Ψ n / (n − 1) within groups
    spread = redraw.rows.cov.average(w * counts / (w @ counts)) * float(w @ counts)
    population = between + scale**2 * spread
    return _Case(X, question, redraw, K, population, groups, normal=normal)


def _has_unit_variances(X: UncertainArray) -> bool:
    """Whether the total variances of all features that vary, two or more, are 1."""
    _, between, within = feature_variances(X)
    ones = np.abs(between + within - 1.0) < (1e-5 if X.mean.dtype == np.float32 else 1e-9)
    return bool((ones | (between + within < 1e-12)).all() and ones.sum() > 1)


def _standardized(case: _Case) -> _Case:
    """The case of redraws that are divided by their own standard deviations."""

    def correlations(K: Doubles) -> Doubles:
        units = np.sqrt(np.where(K.diagonal() > 0.0, K.diagonal(), 1.0))
        return K / units / units[:, None]

    own = case.redraw.expected.diagonal()
    rows = case.X.affine(1.0 / np.sqrt(np.where(own > 0.0, own, 1.0)))
    case = _case(rows, case.question, 1.0, 2, case.normal)
    return replace(
        case,
        redraw=replace(case.redraw, standardized=True, influences=None),
        fit=correlations(case.fit),
        population=correlations(case.population),
        units="anew",
    )


def _cumulants(X: UncertainArray) -> tuple[Cumulants | None, bool]:
    """Third and fourth cumulants of independent coordinates, None for normals; whether known."""
    if X.laws is None:
        return None, True
    from uapca.laws import Independent, Normal

    third, fourth = np.zeros(X.shape), np.zeros(X.shape)
    for n, law in enumerate(X.laws):
        if isinstance(law, Normal):
            continue
        if not isinstance(law, Independent) or not hasattr(law, "excess"):
            return None, False
        k3, k4 = law.skew(), law.excess()  # type: ignore[attr-defined, unused-ignore]
        if k3 is None or k4 is None or not (np.isfinite(k3).all() and np.isfinite(k4).all()):
            return None, False
        third[n], fourth[n] = k3, k4
    if not third.any() and not fourth.any():
        return None, True
    return (third, fourth), True


def _doubt(case: _Case, expansion: Expansion, q: int) -> str:
    """Why the closed form is not accurate enough; empty if it is."""
    if not case.known:
        return "the laws of the rows have cumulants that the closed form does not use"
    if q > case.rank:
        return f"a redraw has rank {case.rank}"
    if not np.isfinite(expansion.covariance).all():
        return "components are tied"
    fit = spectrum(case.fit, q).vectors
    tilt = _tilts(expansion, fit)
    if tilt.max() > _LARGEST_TILT:
        return f"a component tilts by more than {math.degrees(_LARGEST_TILT):.0f}°"
    if _separations(expansion, q).min(initial=np.inf) < _SMALLEST_SEPARATION:
        return "neighboring eigenvalues are close"
    std = np.sqrt(expansion.variance) * expansion.size
    mean = expansion.values[:q] + expansion.shift
    with np.errstate(divide="ignore", invalid="ignore"):
        if (np.abs(expansion.shift) > _LARGEST_SHIFT * std).any():
            return "second-order terms shift an eigenvalue by more than its standard error"
        if case.question == "values" and (std > _LARGEST_VARIATION * mean).any():
            return "an eigenvalue has a standard error above a fifth of it"
    if case.redraw.cumulants is not None:
        plain = expand(replace(case.redraw, cumulants=None), q).variance
        if (np.abs(expansion.variance - plain) > _LARGEST_EXCESS * plain).any():
            return "the laws of the rows have large cumulants"
    if case.groups is not None:
        few = _POINTS_TO_RESAMPLE if case.groups.kept else _FREEDOM
        points = case.groups.counts.sum()
        if not case.groups.kept:
            points = _freedom(case, expansion, q)[0].min()
        if points < few:
            return "the points of the groups are few"
    return ""


def _freedom(case: _Case, expansion: Expansion, q: int) -> tuple[Doubles, Doubles]:
    """Degrees of freedom of the variance of each eigenvalue, shape (q,) (Satterthwaite).

    Fewer than all points where one group has most of the variance. Of all of it, for normal points,
    and of the part that comes from squares of the points, which have the fourth moments.
    """
    rows, V = case.redraw.rows, expansion.vectors[:q]
    size = math.sqrt(float(expansion.values[0])) or 1.0
    counts = np.maximum(np.asarray(case.X.counts, dtype=np.float64) - 1.0, 1.0)[:, None]
    own = rows.cov.variances_along(V) / size / size
    scores = ((rows.mean - case.redraw.mean) / size) @ V.T
    squares = np.square(rows.weights)[:, None] * 2.0 * np.square(own) * counts
    linear = np.square(rows.weights)[:, None] * 4.0 * own * np.square(scores)
    found = []
    for parts in (squares + linear, squares):
        with np.errstate(divide="ignore", invalid="ignore"):
            freedom = np.square(parts.sum(axis=0)) / (np.square(parts) / counts).sum(axis=0)
        found.append(np.where(np.isfinite(freedom), freedom, np.inf))
    return found[0], found[1]


def _separations(expansion: Expansion, q: int) -> Doubles:
    """Gaps between neighbors in standard deviations of their difference; 0 for ties."""
    d = len(expansion.values)
    gaps = (expansion.values[:-1] - expansion.values[1:])[:q]
    with np.errstate(divide="ignore", invalid="ignore"):
        z = gaps / expansion.size / np.sqrt(expansion.gap_variance[: len(gaps)])
    z = np.where(np.isnan(z), np.inf, z)
    return np.where(gaps > tie_tolerance(d) * float(expansion.values[0]), z, 0.0)


def _with_refusals(
    case: _Case, expansion: Expansion, found: ComponentUncertainty
) -> ComponentUncertainty:
    """Say why confidence intervals of eigenvalues, or shares, would not cover; empty if they do.

    The intervals that are stated are corrected for having been chosen.
    """
    q, d = len(found.components), len(case.fit)
    if case.question == "values":
        text = "a single value has no spread to share"
        return found if case.rank else replace(found, share_refusals=(text,) * q)
    if case.groups is None:
        used, total, few = 1, len(case.X) - 1.0, f"{len(case.X)} rows are too few"
        points = np.full(q, total)
    else:
        counts = case.groups.counts
        used, total = len(counts), float((counts - 1.0).sum())
        few = f"{counts.sum():.0f} points in {used} groups are too few"
        points = _freedom(case, expansion, q)[1]
    needed, text = 2 * d + 8, ""
    if total < needed:
        unit = f"{needed + 1} rows" if case.groups is None else f"{needed} points more than groups"
        text = f"{few} for {d} features (intervals need {unit})"
    elif not case.normal and case.groups is not None and not case.groups.kept:
        text = "the points are not kept; ± takes them as normal, intervals need fourth moments"
    elif not case.normal and case.groups is None and case.units == "anew":
        text = "intervals of standardized truths need normal=True"
    if text:
        return replace(found, refusals=(text,) * q, share_refusals=(text,) * q)
    # Eigenvalues of a sample are further apart than those of the population, where those are close
    # by an unknown amount. Standard errors of normal points are in proportion to the eigenvalues:
    # on the log scale.
    apart, logs = np.full(q + 1, np.inf), np.full(q + 1, np.inf)
    known = slice(1, 1 + len(found.swap_probability))
    above, below = expansion.values[:q][: len(found.swap_probability)], expansion.values[1 : q + 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs[known] = np.log(above / below)
        ratio = logs[known] * np.hypot(above, below) / (above - below) / math.sqrt(2.0)
        ratio = np.where(np.isfinite(ratio), ratio, 1.0)
        apart[known] = _separations(expansion, q) * ratio
        room = np.where(np.isfinite(apart), logs * (1.0 - _APART / apart), np.inf)
    near = apart < _APART
    wide, hidden, spare = np.zeros(d, dtype=bool), False, np.full(q, np.inf)
    if case.redraw.entries is not None:
        squares = case.redraw.entries.diagonal()
        wide = squares > np.square(_LARGEST_RELATIVE * expansion.values)
        hidden = bool(wide.any()) and case.units != "anew"  # that total is known
        with np.errstate(divide="ignore", invalid="ignore"):
            # Its observed share is λ / (λ + ν) with the variance ν of the errors.
            seen = math.sqrt(2.0 / total) * expansion.values[:q] / np.sqrt(squares[:q])
            least = math.sqrt(2.0 / total) / _LARGEST_RELATIVE
            spare = logit(np.minimum(seen, 1.0)) - logit(min(least, 1.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        error = found.eigenvalue_std / found.eigenvalues
        margins = np.stack([np.minimum(room[1:], spare), room[:-1]], axis=1) / error[:, None]
    reasons = []
    for i in range(q):
        text = ""
        if not case.normal and (total + used < _POINTS_FOR_TAILS or points[i] < _POINTS_EACH):
            unit = "rows" if case.groups is None else "points"
            needs = f"{_POINTS_FOR_TAILS} {unit}, or normal=True"
            text = f"{few} for fourth moments (intervals need {needs})"
        elif wide[i]:
            text = "the errors hide most of its variance"
        elif near[i] or near[i + 1]:
            text = "eigenvalues that are close to each other are biased apart in a sample"
        reasons.append(text)
    text = "the errors hide most of the variance of a component"
    return replace(
        found,
        refusals=tuple(reasons),
        share_refusals=tuple(reason or text * hidden for reason in reasons),
        _redrawn=replace(found._redrawn, margins=margins),
    )


def _tilts(expansion: Expansion, fit: Doubles) -> Doubles:
    """Root mean square angle to the fit's components, to first order, shape (q,)."""
    q = len(fit)
    own = [t for t, (i, k) in enumerate(expansion.pairs) if i == k]
    variances = expansion.covariance[own].trace(axis1=1, axis2=2)
    along = np.abs(np.einsum("id,id->i", expansion.vectors[:q], fit)).clip(0.0, 1.0)
    return np.asarray(np.sqrt(np.maximum(variances, 0.0) + np.square(np.arccos(along))))


def _in_closed_form(
    case: _Case, expansion: Expansion, q: int, order: int, joint: bool, reason: str
) -> ComponentUncertainty:
    d = len(case.fit)
    fit, centers = Spectrum(expansion.values, expansion.vectors), expansion.vectors[:q]
    if case.fit is not case.redraw.expected:
        fit = spectrum(case.fit, min(q + 1, d))
        centers = aligned(centers[None], fit.vectors[:q], "sign")[0]
    components = fit.vectors[:q]
    own = [t for t, (i, k) in enumerate(expansion.pairs) if i == k]
    covariance = expansion.covariance[own]
    variances = np.maximum(covariance.diagonal(axis1=1, axis2=2), 0.0)
    angle = _tilts(expansion, components)
    if order == 1:
        std = np.sqrt(variances)
    else:
        # On the sphere: (v + t) c with c the cosine of the angle, so that t is shortened, and v
        # too, by 1 − c, whose mean square is that of |t|⁴ / 4 for small normal t.
        with np.errstate(invalid="ignore"):
            square = variances.sum(axis=1)[:, None]
            across = np.where(np.isfinite(square), variances / (1.0 + square), np.inf)
            spread = np.square(covariance).sum(axis=(1, 2))[:, None]
            fourth = 1.0 + 2.0 * np.divide(spread, square**2, where=square > 0.0, out=square * 0.0)
            along = np.square(1.0 - 1.0 / np.sqrt(1.0 + square)) * fourth * np.square(components)
        along = np.where(np.isfinite(square), along, np.inf)
        std = np.sqrt(across + along + np.square(centers - components))
    std = np.minimum(std, _random_std(components))
    angle = np.minimum(angle, _random_angle(d))
    mean, figure_std, freedom = _figure_moments(case, expansion, q)
    z = _separations(expansion, q)
    blocks = None
    if joint:
        blocks = np.empty((q, d, q, d))
        for (i, k), block in zip(expansion.pairs, expansion.covariance, strict=True):
            blocks[k, :, i], blocks[i, :, k] = block.T, block
    return ComponentUncertainty(
        components=components,
        eigenvalues=fit.values[:q],
        covariance=covariance,
        std=std,
        angle=angle,
        eigenvalue_mean=mean[:q],
        eigenvalue_std=figure_std[:q],
        gap=_gaps(fit.values, q),
        swap_probability=ndtr(-z),
        of=case.question,
        assumption=case.assumption,
        method="closed form",
        reason=reason,
        n_draws=0,
        order=order,
        refusals=("",) * q,
        share_refusals=("",) * q,
        joint=blocks,
        _redrawn=_Redrawn(
            *_figures(case, fit.values[:q]),
            mean=mean,
            std=figure_std,
            freedom=freedom,
            tangent=expansion.tangent,
        ),
    )


def _figure_moments(
    case: _Case, expansion: Expansion, q: int
) -> tuple[Doubles, Doubles, Doubles | None]:
    """Of redrawn eigenvalues and shares in closed form, shape (2q,): mean and standard deviation.

    And, where the variance is measured by the influences of points or rows, the degrees of freedom
    of that measurement, (Σ x²)² / Σ x⁴. Twice that would be those of the same relative variance,
    but of heavy tails Σ x⁴ is too small in most samples.
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
    units = np.repeat([size, size / total if total > 0.0 else 0.0], q)
    return np.concatenate([mean, share]), np.sqrt(squares) * units, freedom


def _by_simulation(
    case: _Case,
    expansion: Expansion,
    q: int,
    joint: bool,
    count: int | None,
    rng: np.random.Generator,
    reason: str,
) -> ComponentUncertainty:
    d = len(case.fit)
    fit = spectrum(case.fit, min(q + 1, d))
    reference = fit.vectors[:q]
    n = count or _draw_count(case)
    components, eigenvalues, totals = np.empty((n, q, d)), np.empty((n, q)), np.empty(n)
    errors = None
    if case.groups is None:
        redraws = _redrawn_values if case.question == "values" else _redrawn_truth
        for batch, rows in redraws(case, n, rng):
            rows = rows / _own_units(case, rows)
            eigenvalues[batch], found, totals[batch] = leading(rows, reference)
            components[batch] = aligned(found, reference, "sign")
    else:
        groups, redrawn = case.groups, np.empty((n, 2 * q))
        # To first order the eigenvalue 1 of a standardized feature by itself has no error.
        studentized = not groups.kept and case.units != "anew"
        for batch, means, parts in groups.redraws(n, rng):
            rows = groups.roots(means, parts)
            rows = rows / _own_units(case, rows)
            eigenvalues[batch], found, totals[batch] = leading(rows, reference)
            components[batch] = aligned(found, reference, "sign")
            if studentized:
                spread = groups.variances(means, parts, found)
                redrawn[batch] = _errors(eigenvalues[batch], totals[batch], *spread)
        if studentized:
            spread = groups.variances(*groups.fit, reference[None])
            own = _errors(fit.values[None, :q], np.array([case.fit.trace()]), *spread)[0]
            errors = own, redrawn
    draws = Simulation(components, eigenvalues, None, reference, "sign", totals)
    deviations = components - reference
    overlap = np.abs(components @ fit.vectors.T)  # (n, q, q + 1)
    # A component that has changed places with one before it has not gone to the next.
    swaps = np.array(
        [
            (overlap[:, i, i + 1] > overlap[:, i, : i + 1].max(axis=1)).mean()
            for i in range(min(q, d - 1))
        ]
    )
    std, angle = np.sqrt(np.square(deviations).mean(axis=0)), draws.angles()
    # Beyond the rank of a redraw the data say nothing about a component.
    undetermined = np.arange(q) >= case.rank
    swaps[undetermined[: len(swaps)]] = 0.5
    std[undetermined], angle[:, undetermined] = np.inf, np.inf
    spread_out = components - components.mean(axis=0)
    figures = _Redrawn.figures(draws)
    size = max(float(eigenvalues.max()), np.finfo(float).tiny)  # their squares may overflow
    figure_std = np.concatenate(
        [(eigenvalues / size).std(axis=0) * size, figures[:, q:].std(axis=0)]
    )
    closed = _figure_moments(case, expansion, q)
    freedom = closed[2]
    if freedom is not None:  # intervals are those of the closed form
        figure_std = closed[1]
    blocks = None
    if joint:
        blocks = np.einsum("sid,ske->idke", spread_out, spread_out, optimize=True) / n
    return ComponentUncertainty(
        components=reference,
        eigenvalues=fit.values[:q],
        covariance=np.stack([spread_out[:, i].T @ spread_out[:, i] / n for i in range(q)]),
        std=np.minimum(std, _random_std(reference)),
        angle=np.minimum(np.sqrt(np.square(angle).mean(axis=0)), _random_angle(d)),
        eigenvalue_mean=eigenvalues.mean(axis=0),
        eigenvalue_std=figure_std[:q],
        gap=_gaps(fit.values, q),
        swap_probability=swaps,
        of=case.question,
        assumption=case.assumption,
        method="simulation",
        reason=reason,
        n_draws=n,
        order=2,
        refusals=("",) * q,
        share_refusals=("",) * q,
        joint=blocks,
        _redrawn=_Redrawn(
            *_figures(case, fit.values[:q]),
            mean=figures.mean(axis=0),
            std=figure_std,
            draws=draws,
            smooth=case.question == "truth",
            freedom=freedom,
            errors=errors,
        ),
    )


def _own_units(case: _Case, rows: Doubles) -> Doubles:
    """The standard deviations by which redraws Y of shape (b, R, D) are divided, (b, 1, D)."""
    if case.units != "anew":
        return np.ones((1, 1, 1))
    variances = np.einsum("brd,brd->bd", rows, rows)[:, None]
    return np.sqrt(np.where(variances > 0.0, variances, 1.0))


def _errors(
    values: Doubles, totals: Doubles, variance: Doubles, covariance: Doubles, total: Doubles
) -> Doubles:
    """Standard errors of log λ and logit share, shape (b, 2q), from variances."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = values / totals[:, None]
        spread = np.maximum(variance - 2.0 * share * covariance + share**2 * total, 0.0)
        found = [np.sqrt(variance) / values, np.sqrt(spread) / (values * (1.0 - share))]
    return np.nan_to_num(np.concatenate(found, axis=1), nan=0.0)


def _redrawn_values(
    case: _Case, n: int, rng: np.random.Generator
) -> Iterator[tuple[slice, Doubles]]:
    """Batches Y of shape (b, N, D) with YᵀY the covariances of redrawn values."""
    w, (rows, d) = case.X.weights, case.X.shape
    for batch, points in draw_batches(case.X, n, rng, min(rows, d) ** 2):
        points -= (w @ points)[:, None, :]
        points *= np.sqrt(w)[:, None]
        yield batch, points


def _redrawn_truth(
    case: _Case, n: int, rng: np.random.Generator
) -> Iterator[tuple[slice, Doubles]]:
    """Batches Y of shape (b, D, D) with YᵀY the redrawn covariances of the truths.

    In the basis of eigenvectors variances follow gamma laws, and covariances scale with them. A
    gamma law of shape below 1 piles up at zero; covariances keep their size there, or an axis along
    which the data say little would look known exactly.
    """
    assert case.redraw.entries is not None
    pairs, entries = spectrum(case.fit), case.redraw.entries
    d, own = len(entries), entries.diagonal()
    with np.errstate(divide="ignore", invalid="ignore"):
        shape = np.square(pairs.values) / own
    shape = np.where((shape > 0.0) & np.isfinite(shape), shape, 1e12)
    for start in range(0, n, 100):
        b = min(100, n - start)
        drawn = np.triu(rng.standard_normal((b, d, d)) * np.sqrt(entries), 1)
        drawn += drawn.transpose(0, 2, 1)
        ratios = rng.standard_gamma(shape, (b, d)) / shape
        sizes = np.where(shape < 1.0, 1.0, np.sqrt(ratios))
        drawn *= sizes[:, :, None] * sizes[:, None, :]
        drawn[:, range(d), range(d)] = pairs.values * ratios
        values, vectors = np.linalg.eigh(drawn)
        rows = (vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]).transpose(0, 2, 1)
        yield slice(start, start + b), rows @ pairs.vectors


def _draw_count(case: _Case) -> int:
    """As many draws as the budget allows; the cost is counted, not timed, to be reproducible."""
    rows, d = case.X.shape
    most = min(_MOST, int(_LARGEST / d))
    if case.groups is not None:
        rows, most = case.groups.rows, min(_MOST_OF_GROUPS, most)
    small = min(rows, d)
    cost = rows * d * (2 * small + 60) + 12 * small**3
    return max(min(int(_BUDGET / cost), most), _FEWEST)


def _figures(case: _Case, values: Doubles) -> tuple[Doubles, Doubles]:
    """Eigenvalues and their shares, shape (2q,), of the fit and of the population."""
    q = len(values)
    plugged = values if case.population is case.fit else spectrum(case.population, q).values
    found = []
    for figures, matrix in ((values, case.fit), (plugged, case.population)):
        total = float(matrix.trace())
        share = (figures / total).clip(0.0, 1.0) if total > 0.0 else np.zeros(q)
        found.append(np.concatenate([figures, share]))
    return found[0], found[1]


def _gaps(values: Doubles, q: int) -> Doubles:
    """Distances to the nearest of the neighboring eigenvalues, shape (q,)."""
    steps = np.concatenate([[np.inf], values[:-1] - values[1:], [np.inf]])
    return np.asarray(np.minimum(steps[:-1], steps[1:])[:q])


@lru_cache(maxsize=64)
def _random_angle(d: int) -> float:
    """The root mean square angle between a fixed axis and a random one in D dimensions."""
    if d == 1:
        return 0.0
    theta = (np.arange(20_000) + 0.5) * (np.pi / 40_000)
    density = np.sin(theta) ** (d - 2)
    return float(np.sqrt((theta**2 * density).sum() / density.sum()))


def _random_std(components: Doubles) -> Doubles:
    """Root mean square deviation of a random axis, with the same sign, from each component."""
    d = components.shape[1]
    cosine = math.exp(gammaln(d / 2) - gammaln((d + 1) / 2)) / math.sqrt(math.pi)
    square = 1.0 / d + np.square(components) * (1.0 - 2.0 * cosine)
    return np.asarray(np.sqrt(np.maximum(square, 0.0)))


def _degrees(angle: float) -> str:
    return f"{math.degrees(angle):.2g}°"


def ellipse_factor(
    p: float, n: npt.ArrayLike | None = None, d: int = 2, kind: str = "prediction"
) -> Doubles:
    """Radius of an ellipse of probability p, in standard deviations, for groups of n points.

    The ellipse {x : (x − m)ᵀ Ψ⁻¹ (x − m) ≤ c²} with the mean m and population covariance Ψ (÷ n)
    of n normal points in d dimensions contains a new point ("prediction") or the mean of the
    population ("mean") with probability p. Covariances estimated from few points are uncertain,
    so that c is larger than that of a known covariance (Hotelling's T², Student's t for d = 1).

    Parameters
    ----------
    p : float
        Between 0 and 1.
    n : array-like of float, optional
        Number of points; None for a known covariance.
    d : int, default=2
    kind : {"prediction", "mean"}, default="prediction"

    Returns
    -------
    ndarray
        c, of the shape of ``n``; infinite where n ≤ d.

    See Also
    --------
    uapca.plot.projection : The projected rows.

    Examples
    --------
    >>> import uapca
    >>> uapca.stability.ellipse_factor(0.95, [5, 10, 100]).round(2)
    array([6.18, 3.5 , 2.52])
    >>> round(float(uapca.stability.ellipse_factor(0.95)), 2)
    2.45
    """
    check_choice(kind, ("prediction", "mean"), "kind")
    p, d = _level(p), check_count(d, "d")
    if n is None:
        return np.asarray(math.sqrt(2.0 * gammaincinv(d / 2, p)) if kind == "prediction" else 0.0)
    count = np.asarray(n, dtype=np.float64)
    freedom = np.maximum(count - d, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        level = d / freedom * fdtri(d, np.maximum(freedom, 1e-9), p)
        square = (count + 1.0) * level if kind == "prediction" else level
    return np.where(freedom > 0.0, np.sqrt(square), np.inf)
