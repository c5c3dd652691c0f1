"""The climb to the maximum of the likelihood: where it starts, L-BFGS and its metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from uapca._validation import Doubles
from uapca.posterior.likelihood import Observations, Parameters, Pass, regressed

__all__ = ["Climb", "climb", "start"]


class Climb(NamedTuple):
    """Where a climb ended."""

    parameters: Parameters
    history: list[float]  # log-likelihood of all rows after each step
    converged: bool
    passes: int


def climb(
    data: Observations,
    theta: Parameters,
    *,
    residual: bool,
    tol: float,
    max_iter: int,
    report: Callable[[float], None] = lambda share: None,
    information: Doubles | None = None,
) -> Climb:
    """The maximum of the likelihood over μ, W and, with ``residual``, σ: L-BFGS.

    The initial inverse Hessian of every step is the inverse of an average Fisher information at
    the current parameters. For a change dW of W that is S̄⁻¹ dW (Wᵀ R W), S̄ = W Wᵀ + diag(c²), c²
    the harmonic means of the error variances. Where Σ approaches a low rank the second factor
    vanishes; 0.2 is added to it. σ has the information 2 σ² tr S̄⁻². Passes over many rows are worth
    a better metric: with ``information``, of some of them, the full model uses `newton_metric`.

    An error ε of Σ, relative to S, costs N ε²/4 nats: the climb stops when the gain that is still
    expected is below that for ε = tol. From 1,000 rows on, where likelihoods have more rounding
    than that, ε grows like √N to at most 10 tol. ``report`` is told how far the expected gain has
    come down to that, on a logarithmic scale from 0 to 1.
    """
    n, (d, q) = data.shape[0], theta.loadings.shape
    errors = error_sizes(data)
    enough = 0.25 * n * tol**2 * min(max(n / 1000, 1.0), 100.0)

    def parameters(vector: Doubles) -> Parameters:
        noise = float(vector[-1]) ** 2 if residual else 0.0
        return Parameters(vector[:d], vector[d:-1].reshape(d, q), noise)

    found: Pass

    def at(vector: Doubles) -> tuple[float, Doubles]:
        """The negative log-likelihood and its gradient; infinite where Σ + Ψ is singular."""
        nonlocal found
        try:
            found = data.evaluate(parameters(vector))
        except np.linalg.LinAlgError:
            return np.inf, vector
        of_noise = vector[-1] * found.trace if residual else 0.0
        gradient = -n * np.concatenate([found.b, found.HW.ravel(), [of_noise]])
        return -n * found.value, gradient

    vector = np.concatenate([theta.mean, theta.loadings.ravel(), [np.sqrt(theta.noise)]])
    value, gradient = at(vector)
    if np.isinf(value):
        raise ValueError(
            "X must have larger errors, or features in comparable units: beside the spread of the "
            "values the errors are lost in rounding"
        )
    history, passes, converged = [-value], 1, False
    largest = 0.0
    pairs: list[tuple[Doubles, Doubles, float]] = []
    while passes < max_iter:
        _, W, noise = parameters(vector)
        size = errors + noise
        right = 1.2 * np.linalg.inv(found.ZZ + 0.2 * np.eye(q))

        of_root = 2 * float(((noise + 0.2 * size) / size**2).sum())

        def metric(g: Doubles) -> Doubles:
            both = np.column_stack([g[:d], g[d:-1].reshape(d, q) @ right])  # noqa: B023
            both = size[:, None] * both + W @ (W.T @ both)  # noqa: B023
            return np.concatenate([both[:, 0], both[:, 1:].ravel(), [g[-1] / of_root]]) / n  # noqa: B023

        inverse: Callable[[Doubles], Doubles] = metric
        if information is not None and found.H is not None:
            inverse = newton_metric(metric, information, W, found.H, n)
        direction = -_two_loops(gradient, pairs, inverse)
        slope = float(gradient @ direction)
        if not slope < 0:
            if not pairs:
                converged = slope == 0
                break
            pairs.clear()
            continue
        expected = -slope / 2  # what the likelihood can still gain
        if expected < enough:
            converged = True
            break
        largest = max(largest, expected)
        report(1 - float(np.log1p(expected / enough) / np.log1p(largest / enough)))
        step, new_value, new_gradient, tried = _line_search(at, vector, direction, value, slope)
        passes += tried
        if step == 0:
            # Differences of the likelihood are below rounding.
            converged = -slope < 1e-9 * n
            break
        moved, change = step * direction, new_gradient - gradient
        curvature = float(moved @ change)
        if curvature > 1e-12 * np.sqrt(float(moved @ moved) * float(change @ change)):
            pairs.append((moved, change, 1.0 / curvature))
            del pairs[:-20]
        vector = vector + moved
        value, gradient = new_value, new_gradient
        history.append(-value)
    return Climb(parameters(vector), history, converged, passes)


def newton_metric(
    plain: Callable[[Doubles], Doubles], information: Doubles, W: Doubles, H: Doubles, n: int
) -> Callable[[Doubles], Doubles]:
    """The inverse Hessian of the full model in W; in μ that of the ``plain`` metric.

    Along dW the negative log-likelihood of a row bends by ½ Σ wₙ tr(Sₙ⁻¹ dΣ Sₙ⁻¹ dΣ) − tr(dWᵀ H dW)
    with dΣ = dW Wᵀ + W dWᵀ. Directions that only turn W, and those in which the likelihood bends
    upwards, get a little curvature.
    """
    d = len(W)
    fisher = np.einsum("ijlm,ip,lk->jkmp", information, W, W, optimize=True)
    fisher += np.einsum("ijlm,lk,mp->jkip", information, W, W, optimize=True)
    unit = np.einsum("iiii->i", information) ** 0.25
    values, vectors = np.linalg.eigh(-H / np.outer(unit, unit))
    vectors *= unit[:, None]
    bend = (vectors * np.maximum(values, 1e-3)) @ vectors.T
    fisher += np.einsum("jm,kp->jkmp", bend, np.eye(d))
    factor = cho_factor(n * fisher.reshape(d * d, d * d))

    def metric(g: Doubles) -> Doubles:
        out = plain(g)
        out[d:-1] = cho_solve(factor, g[d:-1])
        return out

    return metric


def _two_loops(
    gradient: Doubles,
    pairs: list[tuple[Doubles, Doubles, float]],
    metric: Callable[[Doubles], Doubles],
) -> Doubles:
    """The inverse Hessian of L-BFGS times the gradient (Nocedal & Wright, Algorithm 7.4)."""
    out = gradient.copy()
    shares = []
    for moved, change, inverse in reversed(pairs):
        shares.append(inverse * float(moved @ out))
        out -= shares[-1] * change
    out = metric(out)
    for (moved, change, inverse), share in zip(pairs, reversed(shares), strict=True):
        out += (share - inverse * float(change @ out)) * moved
    return out


def _line_search(
    at: Callable[[Doubles], tuple[float, Doubles]],
    vector: Doubles,
    direction: Doubles,
    value: float,
    slope: float,
) -> tuple[float, float, Doubles, int]:
    """A step that fulfils the weak Wolfe conditions; 0 if rounding leaves none.

    Near the maximum, where differences of the likelihood are rounding, the slope alone decides.
    """
    step, low, high = 1.0, 0.0, np.inf
    rounding = 1e-13 * abs(value)
    for tried in range(1, 30):
        new_value, new_gradient = at(vector + step * direction)
        finite = bool(np.isfinite(new_value))
        new_slope = float(new_gradient @ direction) if finite else np.inf
        descends = new_value <= value + 1e-4 * step * slope
        flat = abs(new_value - value) <= rounding and new_slope <= 0.8 * abs(slope)
        if not (descends or flat):
            high = step
            guess = low + 0.1 * (high - low)
            if finite:
                bend = new_value - value - slope * step
                guess = -slope * step**2 / (2 * bend) if bend > 0 else 0.5 * (low + high)
            step = min(max(guess, low + 0.1 * (high - low)), low + 0.5 * (high - low))
        elif new_slope < 0.9 * slope:
            low = step
            step = 2 * step if np.isinf(high) else 0.5 * (low + high)
        else:
            return step, new_value, new_gradient, tried
    return 0.0, value, direction, tried


def error_sizes(data: Observations) -> Doubles:
    """The harmonic mean of the error variances of each feature, and a little of the signal."""
    precision = np.where(data.observed, 1.0 / (data.variances + 1e-6), 0.0)
    share, total = data.weights @ data.observed, data.weights @ precision
    return np.divide(share, total, out=np.ones(len(total)), where=total > 0) + 1e-6


def start(data: Observations, q: int, residual: bool) -> Parameters:
    """PCA of shrunken values, in units of the features' errors, whose variance is taken off.

    The shrunken values are the posterior means of a model with a diagonal Σ, unobserved cells zero.
    """
    d = data.shape[1]
    size = error_sizes(data)
    unit = np.sqrt(size)
    share = np.maximum(data.weights @ data.observed, 1e-300)
    variances = np.where(data.observed, data.variances, 0.0)
    signal = (data.weights @ (data.values**2 - variances)) / share
    signal = np.maximum(signal, 0.1 * (data.weights @ data.values**2) / share)
    shrunken = data.values * np.divide(
        signal, signal + variances, out=np.zeros(data.shape), where=signal + variances > 0
    )
    scaled = np.sqrt(data.weights)[:, None] * shrunken / (unit * np.sqrt(share))
    _, spread, rows = np.linalg.svd(scaled, full_matrices=False)
    spectrum, vectors = spread[:q] ** 2, rows[:q].T
    rest = max(float((scaled**2).sum() - spectrum.sum()), 0.0) / max(d - q, 1)
    noise = max(rest - 1, 0.02) * float(size.mean()) if residual else 0.0
    W = np.zeros((d, q))
    strength = np.sqrt(np.maximum(spectrum - 1 - noise, 0.1))
    W[:, : len(strength)] = unit[:, None] * vectors * strength
    theta = Parameters(np.zeros(d), W, noise)
    if not (q and data.independent and data.factored(q, noise)):
        return theta
    # Unobserved cells and unequal errors blur it; a regression sharpens it.
    sharper = [theta] + [
        regressed(data, theta._replace(noise=part * noise)) for part in (1.0, 0.1, 0.01)
    ]
    return max(sharper, key=lambda theta: data.evaluate(theta).value)
