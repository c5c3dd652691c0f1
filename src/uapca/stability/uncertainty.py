"""How far components and eigenvalues can be trusted: the question, the figures and the verdict.

Which data could have been seen instead? There are three answers, the questions of `redraw`: other
values of the rows, other points behind groups, other truths. Each redraw has a PCA of its own. What
their spread is, is found in closed form (`closed_form`) where its own error estimate is small, and
by drawing (`simulation`) otherwise. Which intervals are stated is decided in `confidence`.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import fdtri, gammaincinv, gammaln, ndtr
from sklearn.pipeline import Pipeline

from uapca._validation import Doubles, Seed, check_choice, check_count, probability, rng_from, shown
from uapca.decomposition import UAPCA, unwrap
from uapca.decomposition.base import feature_variances
from uapca.decomposition.spectrum import Spectrum, spectrum
from uapca.exceptions import ApproximationWarning, SeparationWarning
from uapca.stability.closed_form import Expansion, expand
from uapca.stability.confidence import Intervals, freedom, separations
from uapca.stability.redraw import Drawn, Redraw, redraw_of
from uapca.stability.simulation import aligned, angles, check_data
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
_FREEDOM = 40  # the fewest degrees of freedom of the variances of normal groups
# Components that swap in more redraws than this cannot be told apart.
_SWAPS = 0.05
# Operations that a simulation may take, and the numbers of draws between which it chooses.
_BUDGET, _FEWEST, _MOST, _MOST_OF_GROUPS = 3e9, 400, 10_000, 2000
_LARGEST = 4e6  # entries of a component in all draws


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
        Why this method; where the closed form was asked for, also why it is not accurate.
    n_draws : int
        Number of draws; 0 in closed form.
    order : int
        The highest power of the errors in the closed form.
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
    gap: Doubles
    swap_probability: Doubles
    of: str
    assumption: str
    method: str
    reason: str
    n_draws: int
    order: int
    joint: Doubles | None
    _redraw: Redraw
    _expansion: Expansion
    _fit: Spectrum
    _drawn: Drawn | None
    _divisor: float = 1.0

    @cached_property
    def std(self) -> Doubles:
        """Standard errors of the entries, shape (q, D).

        The root mean square deviation of a redrawn component from that of the fit; never beyond
        that of a random axis.
        """
        if self._drawn is None:
            found = _closed_std(self._expansion, self.components, self.order)
        else:
            found = np.sqrt(np.square(self._drawn.pcas.components - self.components).mean(axis=0))
            found[self._redraw.rank :] = np.inf
        return np.minimum(found, _random_std(self.components))

    @cached_property
    def angle(self) -> Doubles:
        """The tilt of each component, in radians, shape (q,).

        The root mean square angle between a redrawn component and that of the fit; never beyond
        that of a random axis.
        """
        if self._drawn is None:
            found = _tilts(self._expansion, self.components, self.order)
        else:
            found = np.sqrt(np.square(self._drawn.pcas.angles()).mean(axis=0))
            found[self._redraw.rank :] = np.inf  # beyond it the data say nothing
        return np.minimum(found, _random_angle(self.components.shape[1]))

    @property
    def eigenvalue_mean(self) -> Doubles:
        """The mean of the redrawn eigenvalues, shape (q,).

        It differs from ``eigenvalues`` by what redrawing adds.
        """
        return self._intervals.mean[: len(self.eigenvalues)] / self._divisor

    @property
    def eigenvalue_std(self) -> Doubles:
        """The standard deviation of the redrawn eigenvalues, shape (q,)."""
        return self._intervals.std[: len(self.eigenvalues)] / self._divisor

    @cached_property
    def _intervals(self) -> Intervals:
        return Intervals(self._redraw, self._expansion, self._fit, self._drawn)

    @property
    def refusals(self) -> tuple[str, ...]:
        """Why no interval is stated for each eigenvalue; empty where it is."""
        return self._intervals.reasons[: len(self.eigenvalues)]

    @property
    def share_refusals(self) -> tuple[str, ...]:
        """Why no interval is stated for each share; empty where it is."""
        return self._intervals.reasons[len(self.eigenvalues) :]

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
        divisor = 1.0 if self.of == "truth" else self._divisor  # the truths have none
        return self._intervals.bounds(probability(p, "p"))[: len(self.eigenvalues)] / divisor

    def share_interval(self, p: float = 0.95) -> Doubles:
        """Intervals for the shares of the total variance, shape (q, 2), with the total varying.

        As `eigenvalue_interval`.
        """
        return self._intervals.bounds(probability(p, "p"))[len(self.eigenvalues) :]

    @cached_property
    def subspace_angle(self) -> float:
        """The angle of the first q components as a whole.

        Root mean square, over the redraws, of the largest principal angle, in radians.
        """
        return self._subspace(0, len(self.components))

    def subspace_interval(self, p: float = 0.95) -> float:
        """The angle that the largest principal angle of all q components stays below."""
        return float(
            np.quantile(self._intervals.angles(0, len(self.components)), probability(p, "p"))
        )

    def _subspace(self, first: int, last: int) -> float:
        return float(np.sqrt(np.square(self._intervals.angles(first, last)).mean()))

    @property
    def monte_carlo_error(self) -> float:
        """Relative standard error of the standard errors from a finite number of draws."""
        return 1.0 / math.sqrt(2.0 * self.n_draws) if self.n_draws else 0.0

    @cached_property
    def verdict(self) -> tuple[str, ...]:
        """How well each component, or group of components, is known: a sentence for each.

        Groups are of components that swap in more than 5 % of redraws and, of samples and truths,
        of those whose variances could be equal in the population: equal ones differ by more than
        2.5 standard errors in 4 % of samples. Then, where the variances of redraws have means more
        than two standard deviations from those of the fit (errors of few rows in many features),
        these means, and why no intervals are stated.
        """
        q, d = self.components.shape
        if d == 1:
            return ()
        sentences, first = [], 0
        ignorance = _random_angle(d)
        mixed = self._intervals.close[1:].copy()
        mixed[: len(self.swap_probability)] |= self.swap_probability > _SWAPS
        for last in np.flatnonzero(~mixed).tolist():
            sentences.append(self._sentence(first, last, ignorance))
            first = last + 1
        if first < q:  # the last run goes on with a component that is not among the q
            sentences.append(self._sentence(first, q, ignorance))
        mean, own = self.eigenvalue_mean, self.eigenvalues
        moved = np.flatnonzero(np.abs(mean - own) > 2.0 * self.eigenvalue_std + 0.01 * own)
        if len(moved):
            listed = ", ".join(f"PC{i + 1} {mean[i]:.3g}" for i in moved.tolist())
            sentences.append(f"redraws have other variances on average: {listed}")
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
        if swaps <= 100.0 * _SWAPS:
            often = "(equal variances may be as far apart in a sample)"
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
        for i, angle in enumerate(self.angle):
            value, error = self.eigenvalues[i], self.eigenvalue_std[i]
            lines.append(f"  PC{i + 1}  variance {value:.4g} ± {error:.2g}, tilt {_degrees(angle)}")
        return "\n".join(lines + [f"  {sentence}" for sentence in self.verdict])


def component_uncertainty(
    X: UncertainArray,
    n_components: int | None = None,
    *,
    fit: UAPCA | Pipeline | None = None,
    of: Of = "auto",
    method: Method = "auto",
    scale: float | None = None,
    order: int = 2,
    normal: bool = False,
    standardize: bool | None = None,
    joint: bool = False,
    n_draws: int | None = None,
    rng: Seed = 0,
) -> ComponentUncertainty:
    """The uncertainty of the principal components and eigenvalues of a fit.

    Which data could have been seen instead? Each of them has its own PCA, and the spread of those
    is the uncertainty of the fit: ``fit``, or by default
    ``UAPCA(n_components, scale=scale, standardize=standardize).fit(X)``.

    Parameters
    ----------
    X : UncertainArray of shape (N, D)
        The rows that the fit was made from.
    n_components : int, optional
        By default those of ``fit``, or 2.
    fit : fitted UAPCA, or a Pipeline that ends in one, optional
        Has the scale, and whether features are standardized. The rows pass the steps of a Pipeline:
        after a `uapca.Denoiser` they are truths.
    of : {"auto", "values", "sample", "truth"}, default="auto"
        The question. "values": each row is one unknown value; the values are redrawn from the
        rows' distributions. "sample": the rows are groups of ``X.counts`` points, with the spread
        of the points (not ``spread="sem"``); the points behind them are redrawn, as normals within
        each group, with the sizes of the groups fixed.
        Where the points are kept as the laws of the rows, they are resampled.
        "truth": the rows are those that a `uapca.Denoiser` was fitted to; the covariance of the
        truths is redrawn, as that of truths of which each row was observed in part: other rows
        could have been measured. For the rows that are there (chosen treatments, a whole
        population) take "values" with the rows of ``transform(X, parameter_errors=True)``.
        "auto" follows ``X.source``.
    method : {"auto", "closed form", "simulation"}, default="auto"
        "auto" takes the closed form where its own error estimate is small (tilt, second-order
        shift, spread of the eigenvalues, cumulants of the rows' laws), and simulates otherwise.
    scale : float, optional
        The scale s without ``fit``, finite; by default 1. For values the redraws come from
        ``X.scaled(scale)``.
    order : {1, 2}, default=2
        2 expands about the expected covariance of a redraw and keeps products of errors and the
        second-order shift of the eigenvalues. 1 expands about C, the PCA of the means, and keeps
        what is linear in the errors: error propagation as in VIPurPCA, in closed form only.
    normal : bool, default=False
        Whether the points behind groups, or the truths, are known to be normal. If not, intervals
        need their fourth moments, which take 500 points that are kept
        (``from_groups(keep_samples=True)``) or 500 rows of a Denoiser; otherwise none is stated.
    standardize : bool, optional
        As that of `uapca.UAPCA`, without ``fit``. Each redraw of a standardized fit is divided by
        its own total standard deviations, √K(1)ⱼⱼ. By default rows that were standardized, of which
        all features have the total variance 1, are redrawn so, too. False takes their units as
        known, as at other scales than 1 and to order 1. Intervals of standardized samples and
        truths are not stated.
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
    ApproximationWarning
        If posterior rows without the errors of the Denoiser's parameters count as values.

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

    Of a standardized fit:

    >>> X = X.affine(np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0]]))
    >>> pca = uapca.UAPCA(1, standardize=True).fit(X)
    >>> uapca.component_uncertainty(X, fit=pca).assumption
    'if each row is one unknown value, and standardized anew'
    """
    ddof = 0.0
    if fit is None:
        X = check_data(X)
    else:
        if scale is not None or standardize is not None:
            raise ValueError("fit must be given without scale and standardize; it has its own")
        pca, rows = unwrap(fit, X)
        X = check_data(rows)  # a Denoiser fills in what is missing
        _check_own(pca, X)
        n_components = pca.n_components_ if n_components is None else n_components
        scale, ddof = pca.scale, pca.ddof
    d, scale = X.shape[1], 1.0 if scale is None else scale
    q = check_count(2 if n_components is None else n_components, "n_components", d, "features")
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
    redraw = redraw_of(X, question, float(scale), order, bool(normal))
    if standardize or (order == 2 and _has_unit_variances(X)):
        anew = scale == 1.0 and standardize is not False
        redraw = redraw.standardized() if anew else replace(redraw, units="known")
    expansion = expand(redraw, q, order, joint)
    base = Spectrum(expansion.values, expansion.vectors)
    if order == 2:
        base = spectrum(redraw.fit, min(q + 1, d))
    checked = order == 2 and method != "simulation"
    doubt = _doubt(redraw, expansion, base, q) if checked else ""
    drawn, covariance, blocks = None, expansion.covariance, expansion.joint
    if method == "simulation" or (method == "auto" and doubt):
        drawn = redraw.draw(base, q, count or _draw_count(redraw), rng_from(rng))
        swaps = _swaps(drawn.pcas.components, base, redraw.rank)
        centered = drawn.pcas.components - drawn.pcas.components.mean(axis=0)
        covariance = np.einsum("sid,sie->ide", centered, centered, optimize=True) / len(centered)
        if joint:
            blocks = np.einsum("sid,ske->idke", centered, centered, optimize=True) / len(centered)
    else:
        swaps = ndtr(-separations(expansion, q))
    reason = "as asked for" + f", but it is not accurate: {doubt}" * bool(doubt)
    if method == "auto":
        reason = doubt or "its error estimate is small"
    mixed = [i for i, p in enumerate(swaps.tolist()) if not p <= _SWAPS]
    if mixed:
        pairs = ", ".join(f"PC{i + 1} and PC{i + 2}" for i in mixed)
        warnings.warn(
            f"{pairs} swap in more than 5 % of redraws and cannot be told apart; the verdict says "
            "what is known",
            SeparationWarning,
            stacklevel=2,
        )
    divisor = 1.0 - ddof * float(np.square(X.weights).sum()) if ddof else 1.0
    values = base.values / divisor
    steps = np.concatenate([[np.inf], values[:-1] - values[1:], [np.inf]])
    return ComponentUncertainty(
        components=base.vectors[:q],
        eigenvalues=values[:q],
        covariance=covariance,
        gap=np.minimum(steps[:-1], steps[1:])[:q],
        swap_probability=swaps,
        of=question,
        assumption=redraw.assumption,
        method="closed form" if drawn is None else "simulation",
        reason=reason,
        n_draws=0 if drawn is None else len(drawn.pcas.totals),
        order=order,
        joint=blocks,
        _redraw=redraw,
        _expansion=expansion,
        _fit=base,
        _drawn=drawn,
        _divisor=divisor,
    )


def _check_own(pca: UAPCA, X: UncertainArray) -> None:
    """Raise if X are not the rows of the fit."""
    mean = X.weights @ np.asarray(X.mean, dtype=np.float64)
    size = np.abs(mean).max() + math.sqrt(max(float(pca.explained_variance_.sum()), 0.0))
    if not np.allclose(mean, pca.mean_, rtol=0.0, atol=1e-6 * size):
        raise ValueError("X must be the data that the fit was made from; its mean is another one")


def _question(X: UncertainArray, of: Of) -> str:
    """What is redrawn, where it can be."""
    if of == "sample" and X.counts is None:
        raise ValueError("of='sample' needs X.counts, the number of points behind each row")
    if of == "sample" and X.source != "groups":
        rows = "posterior rows" if X.source == "posterior" else "errors of means (spread='sem')"
        raise ValueError(
            f"of='sample' needs groups with the spread of their points (spread='std'); got {rows}"
        )
    needed = "rows of uapca.Denoiser.transform, all those of its fit"
    posterior = X.parameter_errors is not None and X.parameter_errors.rows == len(X)
    if of == "truth" and not posterior:
        raise ValueError(f"of='truth' needs {needed}")
    if of == "values" and X.parameter_errors is not None and not X.parameter_errors.included:
        warnings.warn(
            "X are posterior rows without the errors of the Denoiser's parameters, and of='values' "
            "states angles that are too small, by far with fewer rows than features; use the rows "
            "of transform(X, parameter_errors=True)",
            ApproximationWarning,
            stacklevel=3,
        )
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


def _has_unit_variances(X: UncertainArray) -> bool:
    """Whether the total variances of all features that vary, two or more, are 1."""
    _, between, within = feature_variances(X)
    ones = np.abs(between + within - 1.0) < (1e-5 if X.mean.dtype == np.float32 else 1e-9)
    return bool((ones | (between + within < 1e-12)).all() and ones.sum() > 1)


def _doubt(redraw: Redraw, expansion: Expansion, fit: Spectrum, q: int) -> str:
    """Why the closed form is not accurate enough; empty if it is."""
    if not redraw.known:
        return "the laws of the rows have cumulants that the closed form does not use"
    if q > redraw.rank:
        return f"a redraw has rank {redraw.rank}"
    if not np.isfinite(expansion.covariance).all():
        return "components are tied"
    if _tilts(expansion, fit.vectors[:q]).max() > _LARGEST_TILT:
        return f"a component tilts by more than {math.degrees(_LARGEST_TILT):.0f}°"
    if separations(expansion, q).min(initial=np.inf) < _SMALLEST_SEPARATION:
        return "neighboring eigenvalues are close"
    std = np.sqrt(expansion.variance) * expansion.size
    mean = expansion.values[:q] + expansion.shift
    with np.errstate(divide="ignore", invalid="ignore"):
        if (np.abs(expansion.shift) > _LARGEST_SHIFT * std).any():
            return "second-order terms shift an eigenvalue by more than its standard error"
        if redraw.question == "values" and (std > _LARGEST_VARIATION * mean).any():
            return "an eigenvalue has a standard error above a fifth of it"
    if redraw.cumulants is not None:
        plain = expand(replace(redraw, cumulants=None), q).variance
        if (np.abs(expansion.variance - plain) > _LARGEST_EXCESS * plain).any():
            return "the laws of the rows have large cumulants"
    normal = redraw.groups is not None and not redraw.groups.kept
    if normal and freedom(redraw, expansion, q)[0].min() < _FREEDOM:
        return "the points of the groups are few"
    return ""


def _tilts(expansion: Expansion, fit: Doubles, order: int = 2) -> Doubles:
    """Root mean square angle to the fit's components, to first order, shape (q,)."""
    squares = np.maximum(expansion.covariance.trace(axis1=1, axis2=2), 0.0)
    if order == 2:  # to order 1 the expansion is about the fit
        squares += np.square(angles(expansion.vectors[: len(fit)], fit))
    return np.asarray(np.sqrt(squares))


def _closed_std(expansion: Expansion, components: Doubles, order: int) -> Doubles:
    """Root mean square deviation of each entry from that of the fit, shape (q, D)."""
    covariance = expansion.covariance
    variances = np.maximum(covariance.diagonal(axis1=1, axis2=2), 0.0)
    if order == 1:
        return np.sqrt(variances)
    # On the sphere: (v + t) c with c the cosine of the angle, so that t is shortened, and v
    # too, by 1 − c, whose mean square is that of |t|⁴ / 4 for small normal t.
    centers = aligned(expansion.vectors[None, : len(components)], components, "sign")[0]
    with np.errstate(invalid="ignore"):
        square = variances.sum(axis=1)[:, None]
        spread = np.square(covariance).sum(axis=(1, 2))[:, None]
        fourth = 1.0 + 2.0 * np.divide(spread, square**2, where=square > 0.0, out=square * 0.0)
        along = np.square(1.0 - 1.0 / np.sqrt(1.0 + square)) * fourth * np.square(components)
        total = variances / (1.0 + square) + along + np.square(centers - components)
    return np.sqrt(np.where(np.isfinite(square), total, np.inf))


def _swaps(components: Doubles, fit: Spectrum, rank: int) -> Doubles:
    """How often component i of a draw is nearest to component i + 1 of the fit."""
    q, overlap = components.shape[1], np.abs(components @ fit.vectors.T)  # (n, q, q + 1)
    rank = min(rank, int(np.count_nonzero(fit.values)))  # axes without variance are any axes
    # A component that has changed places with one before it has not gone to the next.
    swaps = [
        0.5 if i >= rank else (overlap[:, i, i + 1] > overlap[:, i, : i + 1].max(axis=1)).mean()
        for i in range(min(q, len(fit.values) - 1))
    ]
    return np.array(swaps)


def _draw_count(redraw: Redraw) -> int:
    """As many draws as the budget allows; the cost is counted, not timed, to be reproducible."""
    rows, d = redraw.X.shape
    most = min(_MOST, int(_LARGEST / d))
    if redraw.groups is not None:
        rows, most = redraw.groups.rows, min(_MOST_OF_GROUPS, most)
    elif redraw.question == "truth":
        rows = d
    small = min(rows, d)
    cost = rows * d * (2 * small + 60) + 12 * small**3
    return max(min(int(_BUDGET / cost), most), _FEWEST)


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
    return f"{round(math.degrees(angle), 9):.2g}°"  # less is rounding


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
    p, d = probability(p, "p"), check_count(d, "d")
    if n is None:
        return np.asarray(math.sqrt(2.0 * gammaincinv(d / 2, p)) if kind == "prediction" else 0.0)
    count = np.asarray(n, dtype=np.float64)
    rest = np.maximum(count - d, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        square = d / rest * fdtri(d, np.maximum(rest, 1e-9), p)
        square = (count + 1.0) * square if kind == "prediction" else square
    return np.where(rest > 0.0, np.sqrt(square), np.inf)
