"""The likelihood, its gradients and its maximum, against brute force."""

import mpmath
import numpy as np
import pytest
from scipy.linalg import eigh

import uapca
from posterior.problems import KINDS, brute_rows, problem
from uapca.posterior.likelihood import Observations, Parameters
from uapca.posterior.optimizer import climb, start


def parameters(d, q, noise, seed=1):
    rng = np.random.default_rng(seed)
    return Parameters(0.1 * rng.normal(size=d), rng.normal(size=(d, q)), noise)


def prepared(X):
    return Observations(X, np.zeros(X.shape[1]), 1.0)


MODELS = [(0, 0.5), (1, 0.5), (1, 0.0), (4, 0.0)]  # q, σ²
CASES = [(k, *m) for k in KINDS for m in MODELS if k != "zero" or m != (1, 0.0)]


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize(("kind", "q", "noise"), CASES)
def test_value_and_gradients(kind, missing, q, noise):
    """Log-densities row by row; gradients by central differences."""
    X, _, errors = problem(kind, n=9, missing=missing)
    data, theta = prepared(X), parameters(4, q, noise)
    found = data.evaluate(theta)
    *_, logs = brute_rows(X, errors, theta.mean, theta.covariance())
    assert found.value == pytest.approx(logs.mean(), rel=1e-12)
    value, b, A, R = data.moments(theta)
    assert value == pytest.approx(found.value, rel=1e-12)
    np.testing.assert_allclose(b, found.b, atol=1e-11)
    np.testing.assert_allclose((R - A) @ theta.loadings, found.HW, atol=1e-11)

    def change(**parts):
        return data.evaluate(theta._replace(**parts)).value

    h = 1e-5
    for i in range(4):
        step = h * np.eye(4)[i]
        slope = (change(mean=theta.mean + step) - change(mean=theta.mean - step)) / (2 * h)
        assert slope == pytest.approx(found.b[i], rel=1e-6, abs=1e-7)
        for j in range(q):
            dW = np.zeros((4, q))
            dW[i, j] = h
            slope = change(loadings=theta.loadings + dW) - change(loadings=theta.loadings - dW)
            assert slope / (2 * h) == pytest.approx(found.HW[i, j], rel=1e-6, abs=1e-7)
    if noise:
        slope = (change(noise=noise + h) - change(noise=noise - h)) / (2 * h)
        assert slope == pytest.approx(found.trace / 2, rel=1e-6, abs=1e-7)


def test_value_in_high_precision():
    """Fifty digits, with errors that differ by a factor of a million and a missing cell."""
    rng = np.random.default_rng(5)
    std = np.exp(rng.uniform(-7, 7, (4, 3)))
    values = rng.normal(size=(4, 3)) + 3.0
    values[1, 2] = np.nan
    theta = parameters(3, 3, 0.0)
    data = prepared(uapca.UncertainArray(values, std=std, missing="keep"))
    total = mpmath.mpf(0)
    with mpmath.workdps(50):
        W = mpmath.matrix(theta.loadings.tolist())
        Sigma = W * W.T
        for x, s in zip(values, std, strict=True):
            o = [j for j in range(3) if not np.isnan(x[j])]
            S = mpmath.matrix(len(o))
            r = mpmath.matrix([mpmath.mpf(x[j]) - mpmath.mpf(theta.mean[j]) for j in o])
            for a, i in enumerate(o):
                for c, j in enumerate(o):
                    S[a, c] = Sigma[i, j] + (mpmath.mpf(s[i]) ** 2 if i == j else 0)
            quadratic = (r.T * mpmath.lu_solve(S, r))[0]
            total -= (
                len(o) * mpmath.log(2 * mpmath.pi) + mpmath.log(mpmath.det(S)) + quadratic
            ) / 2
    assert data.evaluate(theta).value == pytest.approx(float(total / 4), rel=1e-12)


@pytest.mark.parametrize("kind", KINDS[1:])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("q", [2, 6])
def test_posterior_rows(kind, missing, q):
    X, _, errors = problem(kind, n=12, d=6, missing=missing)
    data, theta = prepared(X), parameters(6, q, 0.4 if q == 2 else 0.0)
    means, covariance = data.posterior(theta)
    expected, spread, _ = brute_rows(X, errors, theta.mean, theta.covariance())
    np.testing.assert_allclose(means, expected, atol=1e-11)
    np.testing.assert_allclose(covariance.dense(), spread, atol=1e-11)
    if q == 2 and kind in ("diagonal", "features", "low-rank"):
        assert covariance.kind == "low-rank"


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("missing", "noise"), [(0.0, 1.0), (0.2, 1.0), (0.0, 3.0)])
def test_certified_maximum(seed, missing, noise):
    """A⁻¹R ≤ 1, and = 1 on the range of Σ: necessary and sufficient."""
    X = problem(n=80, d=5, missing=missing, noise=noise, residual=0.0, seed=seed).X
    data = Observations(X)
    ended = climb(data, start(data, 5, False), residual=False, tol=1e-6, max_iter=1000)
    assert ended.converged
    assert ended.passes < 100
    _, b, A, R = data.moments(ended.parameters)
    values, vectors = eigh(R, A)
    assert values[-1] <= 1 + 1e-6
    Sigma = ended.parameters.covariance()
    size = np.einsum("di,de,ei->i", A @ vectors, Sigma, A @ vectors)
    np.testing.assert_allclose(values[size > 1e-3 * size.max()], 1, atol=1e-5)
    np.testing.assert_allclose(b, 0, atol=1e-5)


def expectation_maximization(data, theta, steps):
    mean, Sigma = theta.mean, theta.covariance()
    values = []
    for _ in range(steps):
        root = np.linalg.cholesky(Sigma + 1e-14 * np.trace(Sigma) * np.eye(len(Sigma)))
        value, b, A, R = data.moments(Parameters(mean, root, 0.0))
        values.append(value)
        mean = mean + Sigma @ b
        Sigma = Sigma + Sigma @ (R - A - np.outer(b, b)) @ Sigma
    return values


def test_expectation_maximization_rises_and_stays_below():
    """The likelihood never falls under EM; after 10,000 steps it is not above the climb's."""
    X = problem(n=40, d=3, q=1, residual=0.0, noise=2.0).X
    data = Observations(X)
    theta = start(data, 3, False)
    ended = climb(data, theta, residual=False, tol=1e-6, max_iter=1000)
    values = expectation_maximization(data, theta, 10_000)
    assert (np.diff(values) > -1e-13).all()
    assert ended.history[-1] >= 40 * values[-1] - 1e-8


def test_climb_never_falls():
    data = Observations(problem(n=50, d=5, missing=0.3).X)
    ended = climb(data, start(data, 2, True), residual=True, tol=1e-6, max_iter=1000)
    assert (np.diff(ended.history) > -1e-9).all()
    assert len(ended.history) <= ended.passes


def test_rows_with_equal_errors_share_an_inverse():
    """What is grouped gives what single rows give."""
    rng = np.random.default_rng(0)
    std = np.repeat(rng.uniform(0.5, 2, (3, 4)), 10, axis=0)
    values = rng.normal(size=(30, 4))
    values[::7, 1] = np.nan
    X = uapca.UncertainArray(values, std=std, missing="keep", weights=rng.uniform(1, 2, 30))
    data, theta = prepared(X), parameters(4, 4, 0.0)
    assert data.blocks()[0].variances.shape[1] < 30
    *_, logs = brute_rows(X, X.cov.dense(), theta.mean, theta.covariance())
    assert data.evaluate(theta).value == pytest.approx(X.weights @ logs, rel=1e-12)


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("smallest", [1e-3, 1e-5])
def test_posterior_means_of_very_unequal_errors(smallest, rank):
    """Against 50 digits, in posterior standard deviations."""
    rng = np.random.default_rng(0)
    n, d, q, noise = 20, 5, 2, 1e-14
    theta = parameters(d, q, noise)
    std = 10.0 ** rng.uniform(np.log10(smallest), 0.0, (n, d))
    values = rng.normal(size=(n, q)) @ theta.loadings.T + std * rng.normal(size=(n, d))
    factors = 0.1 * rng.normal(size=(n, d, rank)) if rank else None
    data = prepared(uapca.UncertainArray(values, std=std, factors=factors))
    means, cov = data.posterior(theta)
    with mpmath.workdps(50):
        W = mpmath.matrix(theta.loadings)
        Sigma = W * W.T + mpmath.mpf(noise) * mpmath.eye(d)
        for i in range(n):
            errors = mpmath.diag([mpmath.mpf(s) ** 2 for s in std[i]])
            if factors is not None:
                errors += mpmath.matrix(factors[i]) * mpmath.matrix(factors[i]).T
            away = mpmath.matrix(values[i]) - mpmath.matrix(theta.mean)
            shift = Sigma * mpmath.lu_solve(Sigma + errors, away)
            wanted = theta.mean + np.array([float(v) for v in shift])
            assert np.abs((means[i] - wanted) / cov.std()[i]).max() < 1e-5
