"""What is redrawn: values, the points behind groups, or estimated truths.

*Values*: one value for each row, from its law or as a normal.

*Sample*: the points behind groups. Points that are kept are resampled with replacement, their
deviations from the mean of the group times √(n / (n − 1)), so that they have the covariance
Σ = Ψ n / (n − 1). Otherwise the points of a group are normal with its mean and Σ: their mean is
normal and their scatter a Wishart matrix, drawn as a triangle (Bartlett's decomposition).

*Truth*: the covariance of the truths behind the rows of a Denoiser.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from uapca._validation import Doubles, out_of_range
from uapca.aggregate.accumulate import moments
from uapca.decomposition.spectrum import Spectrum, spectrum
from uapca.stability.simulation import Simulation, aligned, draw_batches, leading
from uapca.uncertain import Covariance, UncertainArray

__all__ = ["POINTS_FOR_TAILS", "Drawn", "Groups", "Redraw", "redraw_of", "weighted_sum"]

# The fewest points from which fourth moments of possibly non-normal points are estimated. Only the
# number decides: a sample whose heavy tails do not show is the one that misleads.
POINTS_FOR_TAILS = 500

_BATCH_BYTES = 1 << 20
_QUESTIONS = {
    "values": "if each row is one unknown value",
    "sample": "if the points behind the groups were drawn again",
    "truth": "if the truths behind the rows were drawn again",
}
_UNITS = {"": "", "anew": ", and standardized anew", "known": ", with their units taken as known"}


class Drawn(NamedTuple):
    """The PCAs of redraws.

    For normal groups also the standard errors of log λ and logit share of the fit, shape (2q,), and
    of each redraw, shape (n_draws, 2q).
    """

    pcas: Simulation
    errors: tuple[Doubles, Doubles] | None = None


@dataclass(frozen=True, eq=False)
class Redraw:
    """What is redrawn, and from which population.

    Attributes
    ----------
    question : {"values", "sample", "truth"}
    X : UncertainArray
        The data.
    rows : UncertainArray
        Rows with the covariances of what changes in a redraw.
    mean : ndarray of shape (D,)
    expected : ndarray of shape (D, D)
        M, the expectation of the redrawn covariance.
    fit, population : ndarray of shape (D, D)
        The covariance K of the fit, and that which the redraws come from.
    own : ndarray of shape (N,), or None
        Weights of Ψ_n ⊗ Ψ_n in the covariance of δ beyond those of products of errors.
    cumulants : tuple of two ndarrays of shape (N, D), or None
        Third and fourth cumulants of independent errors; None for normal errors.
    known : bool
        Whether the closed form knows the cumulants of the laws.
    entries : ndarray of shape (D, D), or None
        If given, the variances of independent δ_ij in the basis of eigenvectors of ``expected``,
        whatever the rows.
    influences : ndarray of shape (N, D), or None
        The contribution of each row to δ_ii, whose variance is their sum of squares; None if the
        variance comes from the model.
    groups : Groups, or None
        The points behind the rows.
    normal : bool
        Whether points or truths are known to be normal.
    units : {"", "anew", "known"}
        Whether each redraw is standardized, or only the rows were. If anew, ``expected`` has the
        diagonal 1, or 0 for features without variance.
    """

    question: str
    X: UncertainArray
    rows: UncertainArray
    mean: Doubles
    expected: Doubles
    fit: Doubles
    population: Doubles
    own: Doubles | None = None
    cumulants: tuple[Doubles, Doubles] | None = None
    known: bool = True
    entries: Doubles | None = None
    influences: Doubles | None = None
    groups: Groups | None = None
    normal: bool = False
    units: str = ""

    @property
    def assumption(self) -> str:
        """The question in words, whether points count as normal, and what is standardized."""
        normal = self.groups is not None and not self.groups.kept
        if self.question == "truth":
            normal = self.normal or len(self.X) < POINTS_FOR_TAILS
        return _QUESTIONS[self.question] + ", as normals" * normal + _UNITS[self.units]

    @property
    def rank(self) -> int:
        """The largest rank of a redrawn covariance."""
        if self.question != "values":
            return len(self.fit)
        weights = self.X.given_weights
        return (len(self.X) if weights is None else int(np.count_nonzero(weights))) - 1

    def standardized(self) -> Redraw:
        """The redraws, divided by their own standard deviations."""

        def correlations(K: Doubles) -> Doubles:
            units = np.sqrt(np.where(K.diagonal() > 0.0, K.diagonal(), 1.0))
            return K / units / units[:, None]

        own = self.expected.diagonal()
        rows = self.X.affine(1.0 / np.sqrt(np.where(own > 0.0, own, 1.0)))
        found = redraw_of(rows, self.question, normal=self.normal)
        fit, population = correlations(found.fit), correlations(found.population)
        return replace(found, influences=None, fit=fit, population=population, units="anew")

    def draw(self, fit: Spectrum, q: int, n: int, rng: np.random.Generator) -> Drawn:
        """n redraws and their PCAs, aligned to the leading q components of the fit."""
        reference, groups = fit.vectors[:q], self.groups
        if groups is not None and (groups.kept or self.units == "anew"):
            groups = None  # intervals are not studentized
        found: list[tuple[Doubles, ...]] = []
        for rows, *drawn in self.batches(n, rng):
            if self.units == "anew":
                variances = np.einsum("brd,brd->bd", rows, rows)[:, None]
                rows = rows / np.sqrt(np.where(variances > 0.0, variances, 1.0))
            # Beyond the rank a redraw has no variance, and says nothing of further axes.
            fill = (
                rng.standard_normal((len(rows), *reference.shape)) if q > self.rank else reference
            )
            pairs = leading(rows, fill)
            pairs[0][:, self.rank :] = 0.0
            found.append(
                pairs if groups is None else (*pairs, groups.errors(drawn[0], drawn[1], *pairs))
            )
        values, components, totals, *errors = map(np.concatenate, zip(*found, strict=True))
        turned = aligned(components, reference, "sign")
        pcas = Simulation(turned, values, None, reference, "sign", totals)
        if groups is None:
            return Drawn(pcas)
        means = (groups.means - groups.weights @ groups.means)[None]
        own = fit.values[None, :q], reference[None], np.array([self.fit.trace()])
        return Drawn(pcas, (groups.errors(means, groups.parts[None], *own)[0], errors[0]))

    def batches(self, n: int, rng: np.random.Generator) -> Iterator[tuple[Doubles, ...]]:
        """Batches Y of shape (b, R, D) with YᵀY redrawn covariances; of groups also their parts."""
        if self.groups is not None:
            yield from self.groups.redraws(n, rng)
            return
        w, (count, d) = self.X.weights, self.X.shape
        if self.question == "truth":
            for start in range(0, n, 100):
                yield (self._truths(min(100, n - start), rng),)
            return
        for _, points in draw_batches(self.X, n, rng, min(count, d) ** 2):
            points -= (w @ points)[:, None, :]
            points *= np.sqrt(w)[:, None]
            yield (points,)

    def _truths(self, b: int, rng: np.random.Generator) -> Doubles:
        """Y of shape (b, D, D) with YᵀY the redrawn covariances of the truths.

        In the basis of eigenvectors variances follow gamma laws, and covariances scale with them.
        A gamma law of shape below 1 piles up at zero; covariances keep their size there, or an axis
        along which the data say little would look known exactly.
        """
        assert self.entries is not None
        pairs, d = spectrum(self.fit), len(self.entries)
        with np.errstate(divide="ignore", invalid="ignore"):
            shape = np.square(pairs.values) / self.entries.diagonal()
        shape = np.where((shape > 0.0) & np.isfinite(shape), shape, 1e12)
        drawn = np.triu(rng.standard_normal((b, d, d)) * np.sqrt(self.entries), 1)
        drawn += drawn.transpose(0, 2, 1)
        ratios = rng.standard_gamma(shape, (b, d)) / shape
        sizes = np.where(shape < 1.0, 1.0, np.sqrt(ratios))
        drawn *= sizes[:, :, None] * sizes[:, None, :]
        drawn[:, range(d), range(d)] = pairs.values * ratios
        values, vectors = np.linalg.eigh(drawn)
        rows = (vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]).transpose(0, 2, 1)
        return np.asarray(rows @ pairs.vectors)


def redraw_of(
    X: UncertainArray, question: str, scale: float = 1.0, order: int = 2, normal: bool = False
) -> Redraw:
    """What is redrawn for a fit at a scale; values to order 1 are those of the PCA of the means."""
    if question == "sample":
        return _sample(X, scale, normal)
    if question == "truth":
        return _truth(X, scale, normal)
    X = X if scale == 1.0 else X.scaled(scale)
    with np.errstate(over="ignore", invalid="ignore"):
        mean, between = moments(X.mean, X.given_weights)
        if order == 1:
            return Redraw(question, X, X, mean, between, between, between)
        expected = between + weighted_sum(X.cov, X.weights * (1.0 - X.weights))
    if not np.isfinite(expected).all():
        raise ValueError(out_of_range("X"))
    cumulants, known = _cumulants(X)
    fit = X.pooled()[1]
    return Redraw(question, X, X, mean, expected, fit, expected, cumulants=cumulants, known=known)


def weighted_sum(cov: Covariance, weights: Doubles) -> Doubles:
    """Σ t_n Ψ_n for weights (…, N) of any sum and sign, shape (…, D, D)."""
    total = np.zeros((*weights.shape[:-1], *cov.shape[1:]))
    # `average` takes weights that sum to 1, so those above and below zero are normalized apart.
    for place in np.ndindex(weights.shape[:-1]):
        for sign in (1.0, -1.0):
            part = np.maximum(sign * weights[place], 0.0)
            size = float(part.sum())
            if size:
                total[place] += sign * size * cov.average(part / size)
    return total


def _cumulants(X: UncertainArray) -> tuple[tuple[Doubles, Doubles] | None, bool]:
    """Third and fourth cumulants of independent coordinates, None for normals; whether known."""
    if X.laws is None:
        return None, True
    from uapca.laws import Independent, Normal

    laws = list(X.laws)
    if not all(isinstance(law, Independent | Normal) for law in laws):
        return None, False
    third, fourth = np.array([law.cumulants() for law in laws], np.float64).transpose(1, 0, 2)
    known = bool(np.isfinite(third).all() and np.isfinite(fourth).all())
    return ((third, fourth) if known and (third.any() or fourth.any()) else None), known


def _sample(X: UncertainArray, scale: float, normal: bool) -> Redraw:
    """The points behind groups with population covariances (÷ n).

    M = C + Σ w_g (1 − w_g) Σ_g / n_g + s² Σ w_g Ψ_g with Σ_g = Ψ_g n_g / (n_g − 1).
    """
    assert X.counts is not None
    counts, w = np.asarray(X.counts, dtype=np.float64), X.weights
    small = int(((counts < 2.0) & (w > 0.0)).sum())
    if small:
        raise ValueError(
            f"of='sample' needs groups of at least 2 points; {small} of {len(X)} have fewer "
            "(of='values' redraws one value for each row)"
        )
    freedom = np.maximum(counts, 2.0) - 1.0
    diagonal = X.cov.kind == "diagonal"
    std = X.std / np.sqrt(freedom)[:, None] if diagonal else None
    cov = None if diagonal else X.cov.dense() / freedom[:, None, None]
    rows = UncertainArray(X.mean, cov, std=std, weights=X.given_weights, check=False)
    found = redraw_of(rows, "values")
    between, within = moments(X.mean, X.given_weights)[1], X.cov.average(X.given_weights)
    return replace(
        found,
        question="sample",
        X=X,
        expected=found.expected + scale**2 * within,
        fit=between + scale**2 * within,
        population=between + scale**2 * weighted_sum(rows.cov, w * counts),
        own=scale**4 * w * w * freedom,
        groups=Groups(X, scale, normal),
        normal=normal,
    )


def _truth(X: UncertainArray, scale: float, normal: bool) -> Redraw:
    """The covariance of the truths behind posterior rows, by Fisher's information.

    With a_n,i the score of a posterior row, B_n its covariance and r_n,i = 1 − v_iᵀB_nv_i / λ_i the
    share of component i that its observation determined, Var(δ_ij) = λ_i λ_j / Σ r_n,i r_n,j, twice
    that for i = j: a row counts as much as it was observed. If truths need not be ``normal`` and
    are enough to measure, the variances are those of the influences of the rows (sandwich formula),
    (a_n,i² − λ_i r_n,i) / mean(r_i²) for i = j, a_n,i a_n,j / mean(r_i r_j) otherwise: where truths
    lie along a curve, the scores are not independent. Along components without variance B_n does
    not tell how much was observed; there the parameter errors of the model are used.
    """
    w, n = X.weights, len(X)
    mean, between = moments(X.mean, X.given_weights)
    K = between + scale**2 * X.cov.average(X.given_weights)
    pairs = spectrum(K)
    V, values = pairs.vectors, pairs.values
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = 1.0 - X.cov.variances_along(V) / values
        # Posterior rows match the covariance to about 1e-6 only.
        unseen = ~((values > 1e-9 * values[0]) & (w @ observed > 0.01))
    observed = np.where(unseen, 1.0, observed).clip(1e-9, 1.0)
    shares, rest = (observed.T * w) @ observed, max(n - 1.0, 1.0)
    entries = np.multiply.outer(values, values) / (rest * shares)
    axis, influences = np.arange(len(values)), None
    entries[axis, axis] *= 2.0
    if not normal and n >= POINTS_FOR_TAILS:
        scores = (X.mean - mean) @ V.T
        squares = np.square(scores)
        entries = (squares.T * w) @ squares - np.square((scores.T * w) @ scores)
        entries = np.maximum(entries, 0.0) / (rest * np.square(shares))
        moved = (squares - observed * values) / shares.diagonal()
        influences = np.sqrt(w / rest)[:, None] * moved
        entries[axis, axis] = np.square(influences).sum(axis=0)
    if unseen.any():
        directions = X.parameter_errors.covariance(V)
        entries = np.where(unseen | unseen[:, None], np.square(directions).sum(axis=0), entries)
    # N rows have lost one to their mean.
    found = Redraw("truth", X, X, mean, K, K, K * (n / rest), entries=entries, normal=normal)
    return replace(found, influences=influences)


class Groups:
    """The groups of positive weight.

    Attributes
    ----------
    weights, counts : ndarray of shape (G,)
    means : ndarray of shape (G, D)
    kept : bool
        Whether the points are kept as the laws of all rows, with equal weights, and used.
    points : ndarray of shape (P, D)
        Deviations from the mean of their group, ordered by group; empty unless ``kept``.
    index : ndarray of shape (P,)
        The group of each point.
    rows : int
        Rows of a redraw: one for each group and one for each row of the parts.
    """

    def __init__(self, X: UncertainArray, scale: float, normal: bool = False) -> None:
        from uapca.laws import Samples

        used = np.flatnonzero(X.weights > 0.0)
        assert X.counts is not None
        self.scale = scale
        self.weights: Doubles = X.weights[used]
        self.counts: Doubles = np.asarray(X.counts, dtype=np.float64)[used]
        self.means: Doubles = np.asarray(X.mean[used], dtype=np.float64)
        laws = [X.laws[g] for g in used.tolist()] if X.laws is not None else []
        points = [
            law.values - law.mean
            for law, n in zip(laws, self.counts, strict=False)
            if isinstance(law, Samples) and len(law.values) == n and np.ptp(law.weights) < 1e-12
        ]
        self.kept: bool = len(points) == len(used) and not normal
        self._cov = X.cov.take(used)
        d = X.shape[1]
        self.points: Doubles = np.concatenate(points) if self.kept else np.empty((0, d))
        sizes = self.counts if self.kept else np.full(len(used), min(self.counts.max() - 1, d))
        self.index: npt.NDArray[np.intp] = np.repeat(np.arange(len(used)), sizes.astype(np.intp))
        self.rows: int = len(used) + len(self.index)

    def group_means(self, values: Doubles) -> Doubles:
        """Means over the points of each group, axis −2 of the values; shape (…, G, D)."""
        starts = np.concatenate([[0], np.cumsum(self.counts[:-1])]).astype(np.intp)
        return np.asarray(np.add.reduceat(values, starts, axis=-2) / self.counts[:, None])

    @cached_property
    def parts(self) -> Doubles:
        """Rows of which Ψ of each group is YᵀY: points over √n where kept, roots otherwise."""
        if self.kept:
            return self.points / np.sqrt(self.counts[self.index])[:, None]
        values, vectors = np.linalg.eigh(self._cov.dense().astype(np.float64))
        roots = (vectors * np.sqrt(values.clip(0.0))[:, None, :]).transpose(0, 2, 1)[:, ::-1]
        # n points have a covariance of rank n − 1.
        axis = np.arange(roots.shape[1])
        roots[axis >= (self.counts - 1.0)[:, None]] = 0.0
        rank = len(self.index) // len(self.counts)
        return np.ascontiguousarray(roots[:, :rank]).reshape(len(self.index), -1)

    def redraws(self, n: int, rng: np.random.Generator) -> Iterator[tuple[Doubles, ...]]:
        """Batches of Y with K = YᵀY, and the centered means (b, G, D) and parts (b, P, D) in it."""
        (g, d), sizes = self.means.shape, np.sqrt(self.weights)[:, None]
        size = min(max(_BATCH_BYTES // (8 * d * max(self.rows, g * d)), 1), n)
        for start in range(0, n, size):
            b = min(size, n - start)
            shift, parts = (self._resampled if self.kept else self._normal)(b, rng)
            means = self.means + shift
            means -= (self.weights @ means)[:, None, :]
            scaled = self.scale * sizes[self.index] * parts
            yield np.concatenate([sizes * means, scaled], axis=1), means, parts

    def _resampled(self, b: int, rng: np.random.Generator) -> tuple[Doubles, Doubles]:
        counts = self.counts[self.index]
        first = np.concatenate([[0], np.cumsum(self.counts[:-1])])[self.index]
        chosen = (first + rng.random((b, len(counts))) * counts).astype(np.intp)
        grown = self.points * np.sqrt(counts / (counts - 1.0))[:, None]
        drawn = grown[chosen]
        shift = self.group_means(drawn)
        drawn -= shift[:, self.index]
        drawn /= np.sqrt(counts)[:, None]
        return shift, drawn

    def _normal(self, b: int, rng: np.random.Generator) -> tuple[Doubles, Doubles]:
        g, d = self.means.shape
        rank = len(self.index) // g
        half = self.parts.reshape(g, rank, d) / np.sqrt(self.counts - 1.0)[:, None, None]
        shift = (rng.standard_normal((b, g, 1, rank)) @ half)[:, :, 0]
        triangle = np.triu(rng.standard_normal((b, g, rank, rank)), 1)
        axis = np.arange(rank)
        freedom = np.maximum(self.counts[:, None] - 1.0 - axis, 1.0)
        triangle[:, :, axis, axis] = np.sqrt(rng.chisquare(freedom, (b, g, rank)))
        return shift, (triangle @ half).reshape(b, g * rank, d)

    def errors(
        self,
        means: Doubles,
        parts: Doubles,
        values: Doubles,
        vectors: Doubles,
        totals: Doubles,
    ) -> Doubles:
        """Standard errors of log λ and logit share, shape (b, 2q), to first order.

        For normal points, of batches of (centered) means and parts whose covariance has the leading
        eigenpairs ``values`` (b, q) and ``vectors`` (b, q, D). A change δ of the covariance changes
        λ by vᵀδv, and a share times the total by that minus the share of tr δ.
        """
        b, (g, d) = len(means), self.means.shape
        psi = parts.reshape(b, g, -1, d)
        psi = psi.transpose(0, 1, 3, 2) @ psi  # (b, G, D, D)
        whole = totals[:, None]
        shares = np.divide(values, whole, out=np.zeros_like(values), where=whole > 0.0)
        v, c = vectors[:, None], means[:, :, None]
        image = v @ psi  # (b, G, q, D)
        along, score = (v * image).sum(axis=-1), (v * c).sum(axis=-1)
        share = shares[:, None]
        moved = v * score[..., None] - share[..., None] * c
        linear = np.stack([np.square(score) * along, (moved * (moved @ psi)).sum(axis=-1)])
        square = np.square(along) - 2.0 * share * np.square(image).sum(axis=-1)
        square += np.square(share) * np.square(psi).sum(axis=(2, 3))[..., None]
        square = np.stack([np.square(along), square])
        each = np.square(self.weights) / (self.counts - 1.0)
        variances = each @ (4.0 * linear + 2.0 * self.scale**4 * square)
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = np.sqrt(np.maximum(variances, 0.0)) / values
            errors[1] /= 1.0 - shares
        return np.asarray(np.nan_to_num(np.concatenate(errors, axis=1), nan=0.0, posinf=0.0))
