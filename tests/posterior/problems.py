"""Noisy, incomplete rows with a known truth, in every representation of the errors."""

from typing import NamedTuple

import numpy as np

import uapca


class Problem(NamedTuple):
    X: uapca.UncertainArray
    truth: np.ndarray
    errors: np.ndarray  # (N, D, D)


KINDS = ("zero", "diagonal", "features", "shared", "dense", "low-rank")


def problem(kind="diagonal", n=60, d=4, q=2, missing=0.0, residual=0.3, noise=1.0, seed=0):
    """x = t + e with t of q factors and a residual, e of the kind asked for."""
    rng = np.random.default_rng(seed)
    loadings = 1.5 * rng.normal(size=(d, q))
    truth = rng.normal(size=(n, q)) @ loadings.T + residual * rng.normal(size=(n, d)) + 3.0
    given = {}
    if kind == "diagonal":
        given["std"] = noise * np.exp(rng.uniform(-1, 1, (n, d)))
    elif kind == "features":
        given["std"] = noise * np.exp(rng.uniform(-1, 1, d))
    elif kind == "shared":
        half = noise * rng.normal(size=(d, d)) / np.sqrt(d)
        given["cov"] = half @ half.T + 0.1 * np.eye(d)
    elif kind == "dense":
        half = noise * rng.normal(size=(n, d, d)) / np.sqrt(d)
        given["cov"] = half @ half.transpose(0, 2, 1) + 0.1 * np.eye(d)
    elif kind == "low-rank":
        given["factors"] = 0.5 * noise * rng.normal(size=(n, d, 2))
        given["std"] = noise * np.exp(rng.uniform(-1, 0, (n, d)))
    exact = uapca.UncertainArray(truth, **given)
    errors = exact.cov.dense()
    values = truth + np.array([rng.multivariate_normal(np.zeros(d), e) for e in errors])
    values[rng.random((n, d)) < missing] = np.nan
    X = uapca.UncertainArray(values, **given, missing="keep")
    return Problem(X, truth, errors)


def brute_rows(X, errors, mean, Sigma):
    """Posterior rows and log-likelihoods, one row after the other."""
    means, covs, logs = [], [], []
    for x, psi in zip(X.mean, errors, strict=True):
        o = ~np.isnan(x)
        S = (Sigma + psi)[np.ix_(o, o)]
        gain = np.linalg.solve(S, Sigma[o]).T if o.any() else np.zeros((len(x), 0))
        means.append(mean + gain @ (x - mean)[o])
        covs.append(Sigma - gain @ Sigma[o])
        r = (x - mean)[o]
        logs.append(
            -0.5
            * (o.sum() * np.log(2 * np.pi) + np.linalg.slogdet(S)[1] + r @ np.linalg.solve(S, r))
        )
    return np.array(means), np.array(covs), np.array(logs)
