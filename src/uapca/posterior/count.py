"""How many components stand out from the errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.linalg import solve_triangular

from uapca._validation import Doubles, probability, rng_from, shown
from uapca.posterior.denoiser import check_bounded, feature_names, observations, spreads
from uapca.posterior.likelihood import Observations, Parameters
from uapca.posterior.optimizer import climb
from uapca.uncertain import Covariance, Dense, Diagonal, LowRank, Shared, UncertainArray

__all__ = ["ComponentCount", "component_count"]

# Errors below this share of the spread of their feature count as that much. With the square of its
# inverse the eigenvalues of S⁻¹ differ; where cells are missing or errors correlated, sums and
# inverses lose the smallest ones earlier.
_LEAST_ERROR, _LEAST_OTHERWISE = 1e-4, 1e-3
# Multiples of the errors' variance that components leave, beyond which no precise fit is needed.
_FAR = 100.0


@dataclass(frozen=True)
class ComponentCount:
    """How many components stand out, and by how much.

    Attributes
    ----------
    count : int
    statistics : ndarray of shape (count + 1,), or (count,) if all stand out
        For each component in turn the variance of the rows along it, divided by the variance
        that the errors and the components before it explain.
    thresholds : ndarray of the same shape
        What chance reaches at most, with probability 1 − level.
    null : ndarray of shape (len(statistics), n_draws)
        The same figure in data drawn without the component.
    level : float
    method : str
        "score test", "score test with residual" where some cells are certain, or "largest root
        test" for certain points.

    See Also
    --------
    uapca.component_count : How many components stand out from the errors.

    Examples
    --------
    >>> import numpy as np
    >>> import uapca
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.normal(size=(100, 1)) @ [[2.0, 1.0, 0.0, 1.0]]
    >>> X = uapca.UncertainArray(truth + rng.normal(size=(100, 4)), std=1.0)
    >>> result = uapca.component_count(X, rng=0)
    >>> result.count, result.method
    (1, 'score test')
    >>> result.statistics > result.thresholds
    array([ True, False])
    """

    count: int
    statistics: Doubles
    thresholds: Doubles
    null: Doubles = field(repr=False)
    level: float
    method: str

    @property
    def verdict(self) -> str:
        """The result as a sentence."""
        stand = "component stands" if self.count == 1 else "components stand"
        basis = "noise" if self.method == "largest root test" else "the given errors"
        text = f"{self.count} {stand} out from {basis} ({self.method})"
        if len(self.statistics) > self.count:
            found, chance = float(self.statistics[-1]), float(self.thresholds[-1])
            # As many digits as tell the two apart.
            digits = next((k for k in range(3, 17) if f"{found:.{k}g}" != f"{chance:.{k}g}"), 3)
            text += (
                f"; PC{self.count + 1} has {found:.{digits}g} times the variance expected "
                f"without it, where chance reaches {chance:.{digits}g}"
            )
        return text + "."

    def __str__(self) -> str:
        return self.verdict


def component_count(
    X: UncertainArray | npt.ArrayLike,
    *,
    level: float = 0.05,
    n_draws: int = 200,
    rng: int | np.random.Generator | None = 0,
) -> ComponentCount:
    """How many components stand out from the given errors: a sequence of score tests.

    For k = 0, 1, … a model with k components and the given errors is fitted. The statistic is the
    largest gain in likelihood that a further direction offers at once, as a ratio of variances:
    the largest eigenvalue of A⁻¹R off the plane of the components. It is compared with the same
    figure in data drawn from the fitted model. The first k whose statistic chance can reach is
    the count. It does not depend on the units of the features. Errors below a ten-thousandth of
    the spread of their feature (a thousandth, where errors are correlated or cells missing) count
    as that much: smaller ones cannot be told from rounding.

    Where some observed cells are certain the model also has a variance σ² that is the same in all
    features, so these must be in comparable units. For certain points without missing cells that is
    probabilistic PCA, and the statistic is classical: the next eigenvalue divided by the mean of it
    and all smaller ones, the largest root test.

    Parameters
    ----------
    X : UncertainArray or array-like of shape (N, D)
        Errors are errors of measurement, as in `Denoiser`; cells may be missing.
    level : float, default=0.05
        The probability with which a component is counted that is not there.
    n_draws : int, default=200
        How often data is drawn for each k.
    rng : int, numpy.random.Generator or None, default=0
        The default gives the same data the same answer.

    Returns
    -------
    ComponentCount

    See Also
    --------
    uapca.Denoiser : Posterior rows of noisy or incomplete observations.
    uapca.plot.component_count : Which components stand out.

    References
    ----------
    Johnstone, I. M. (2001). On the distribution of the largest eigenvalue in principal components
    analysis. Annals of Statistics 29, 295-327.

    Kritchman, S. and Nadler, B. (2008). Determining the number of components in a factor model
    from limited noisy data. Chemometrics and Intelligent Laboratory Systems 94, 19-32.

    Examples
    --------
    >>> import numpy as np
    >>> import uapca
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.normal(size=(100, 2)) @ rng.normal(size=(2, 6))
    >>> std = rng.uniform(0.2, 1.0, size=truth.shape)
    >>> X = uapca.UncertainArray(truth + std * rng.normal(size=truth.shape), std=std)
    >>> uapca.component_count(X).count
    2
    """
    level = probability(level)
    if not isinstance(n_draws, int | np.integer) or n_draws < 20:
        raise ValueError(f"n_draws must be an integer of at least 20; got {shown(n_draws)}")
    generator = rng_from(rng)
    data = observations(X)
    if data.given_weights is not None and not data.given_weights.all():
        data = data[data.given_weights > 0]
    observed = Observations(data)
    n = observed.shape[0]
    if n < 3:
        raise ValueError(f"X must have at least three rows that count; got {n}")
    if not observed.observed.any(axis=0).all():
        never = int(np.flatnonzero(~observed.observed.any(axis=0))[0])
        raise ValueError(
            f"X must have an observation of every feature; {feature_names(data)[never]} has none"
        )
    if observed.exact and observed.complete:
        tests, method = _largest_roots(observed, int(n_draws), generator), "largest root test"
    else:
        residual, names = observed.bare, feature_names(data)
        if not residual:
            check_bounded(observed, 0, residual, names)
            observed = Observations(_comparable(data), np.zeros(data.shape[1]), 1.0)
        method = "score test with residual" if residual else "score test"
        tests = _scores(observed, residual, names, int(n_draws), generator)
    statistics, thresholds, null = [], [], []
    # The smallest order statistic that chance exceeds with a probability of at most ``level``.
    rank = min(int(np.ceil((1 - level) * (n_draws + 1))), int(n_draws)) - 1
    try:
        for statistic, draws in tests:
            statistics.append(statistic)
            null.append(draws)
            thresholds.append(float(np.sort(draws)[rank]))
            if statistic <= thresholds[-1]:
                break
    except np.linalg.LinAlgError:
        raise ValueError(
            "X must have larger errors, complete rows or fewer features: beside "
            f"{len(statistics)} components that are so much larger the errors are lost in rounding"
        ) from None
    count = int(sum(s > t for s, t in zip(statistics, thresholds, strict=True)))
    return ComponentCount(
        count, np.array(statistics), np.array(thresholds), np.array(null), level, method
    )


def _comparable(X: UncertainArray) -> UncertainArray:
    """The rows in units of the features' errors, which are raised to the least that count."""
    center, spread = spreads(X)
    cov = X.cov.plain()
    precise = isinstance(cov, Diagonal) and X.missing is None
    least = spread * (_LEAST_ERROR if precise else _LEAST_OTHERWISE)
    raised: Covariance
    if isinstance(cov, Dense):
        matrix = cov.arrays["cov"] * cov.multiplier + np.diag(least**2)
        raised = Shared(matrix, len(X)) if cov.kind == "shared" else Dense(matrix)
    else:
        root = np.sqrt(cov.multiplier)
        std = np.hypot(root * np.asarray(cov.rest.arrays["std"], dtype=np.float64), least)
        raised = Diagonal(std, *X.shape)
        if cov.rank:
            raised = LowRank(root * cov.arrays["factors"], raised)
    share = X.weights[:, None] * ~np.isnan(X.mean)
    unit = np.sqrt(share.sum(axis=0) / (share / raised.diagonal()).sum(axis=0))
    return X.replace(cov=raised, laws=None).affine(1 / unit, center=center)


def _scores(
    data: Observations, residual: bool, names: list[str], n_draws: int, rng: np.random.Generator
) -> Iterator[tuple[float, Doubles]]:
    """The statistic and its null distribution for k = 0, 1, …"""
    n, d = data.shape
    theta = Parameters(np.zeros(d), np.zeros((d, 0)), 0.5 if residual else 0.0)
    left = 0.0  # the variance that the components leave, in units of the errors
    for k in range(min(d - 1 if residual else d, n - 1)):
        if residual:
            check_bounded(data, k, residual, names)
        if left > _FAR:
            # The likelihood is a narrow ridge, with σ² it is none.
            theta = theta._replace(noise=left)
            theta = climb(data, theta, residual=True, tol=1e-3, max_iter=200).parameters
            left, theta = theta.noise, theta._replace(noise=0.0)
        if left <= _FAR:
            theta = climb(data, theta, residual=residual, tol=1e-5, max_iter=500).parameters
        _, _, A, R = data.moments(theta)
        half = np.linalg.cholesky(A)
        # With A = half halfᵀ and y = half⁻¹ u the eigenvalues of A⁻¹R are those of Σ w y yᵀ, and
        # W is where y has no further component.
        plane, _ = np.linalg.qr(half.T @ theta.loadings)

        def off_plane(u: Doubles) -> Doubles:
            y = solve_triangular(half, u, lower=True)  # noqa: B023
            return np.asarray(y - plane @ (plane.T @ y))  # noqa: B023

        values, vectors = np.linalg.eigh(off_plane(off_plane(R).T))
        draws = _null(data, theta, n_draws, rng)
        yield float(values[-1]), np.array([_largest(off_plane(u)) for u in draws])
        direction = solve_triangular(half.T, vectors[:, -1])
        new = direction * np.sqrt(max(float(values[-1]) - 1, 0.1))
        theta = theta._replace(loadings=np.column_stack([theta.loadings, new]))
        left = 0.0 if residual else float(values.sum()) / (d - k)


def _null(
    data: Observations, theta: Parameters, n_draws: int, rng: np.random.Generator
) -> Iterator[Doubles]:
    """√wₙ uₙ (D, N) of data drawn from the model, n_draws times: u ~ N(0, Sₙ⁻¹)."""
    roots = np.sqrt(data.weights)
    parts = list(data.solved(theta))
    for _ in range(n_draws):
        out = np.empty(data.shape[::-1])
        for part in parts:
            out[:, part.block.rows] = part.draw(rng) * roots[part.block.rows]
        yield out


def _largest(y: Doubles) -> float:
    """The largest eigenvalue of y yᵀ."""
    gram = y @ y.T if y.shape[0] <= y.shape[1] else y.T @ y
    return float(np.linalg.eigvalsh(gram)[-1])


def _largest_roots(
    data: Observations, n_draws: int, rng: np.random.Generator
) -> Iterator[tuple[float, Doubles]]:
    """λₖ₊₁ over the mean of it and all smaller ones, against the same in N × (D − k) noise."""
    n, d = data.shape
    roots = np.sqrt(data.weights)[:, None]
    centered = roots * (data.values - data.weights @ data.values)
    size = np.linalg.svd(centered, compute_uv=False)
    values = np.zeros(d)
    values[: len(size)] = size**2
    if not values[0] > 0:
        raise ValueError("X must have rows that differ; all are the same")
    for k in range(min(d, n - 1) - 1):
        rest = float(values[k:].mean())
        if not rest > 1e-20 * values[0]:
            return
        share = data.weights[: n - k] / data.weights[: n - k].sum()
        draws = []
        for _ in range(n_draws):
            # Each component found has taken a row's worth of noise along.
            noise = rng.standard_normal((n - k, d - k))
            noise -= share @ noise
            noise *= np.sqrt(share)[:, None]
            draws.append(_largest(noise.T) * (d - k) / float(np.square(noise).sum()))
        yield float(values[k]) / rest, np.array(draws)
