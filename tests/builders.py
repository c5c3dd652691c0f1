"""Data that many tests build, and what they ask of it."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import uapca
from uapca.uncertain import Diagonal, SharedAxes

# Options of Java: what runs for seconds is not worth its second compiler.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def program(name):
    """The path of a program that is no Python package; the test is skipped where it is missing."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed: `make programs` shows how to install it")
    return path


def browser():
    """The path of Chromium: of its headless shell where that is installed, which is lighter."""
    return shutil.which("chromium-headless-shell") or program("chromium")


def assert_same(X, Y, rtol=1e-12):
    """The same rows whichever way they came: covariances relative to the largest of their row."""
    assert (X.names, X.features) == (Y.names, Y.features)
    assert X.total_weight == Y.total_weight
    np.testing.assert_allclose(X.weights, Y.weights, rtol=rtol)
    np.testing.assert_allclose(X.mean, Y.mean, rtol=rtol, atol=rtol)
    size = np.abs(Y.cov.dense()).max(axis=(1, 2), keepdims=True)
    assert (np.abs(X.cov.dense() - Y.cov.dense()) <= rtol * size).all()


def grouped(points, labels):
    """One row a label: mean, population covariance, weight by count."""
    names, codes = np.unique(labels, return_inverse=True)
    parts = [points[codes == k] for k in range(len(names))]
    return uapca.UncertainArray(
        [part.mean(axis=0) for part in parts],
        [np.cov(part.T, bias=True) for part in parts],
        weights=[len(part) for part in parts],
        names=names,
    )


def random_covariances(rng, n, d):
    factors = rng.standard_normal((n, d, d))
    return factors @ factors.transpose(0, 2, 1) / d


def random_uncertain(rng, n=12, d=5, kind="dense", dtype=float, **rest):
    """Uncertain rows in each of the representations."""
    mean = (rng.standard_normal((n, d)) @ rng.standard_normal((d, d))).astype(dtype)
    errors = {
        "zero": {},
        "diagonal": {"std": rng.uniform(0, 2, (n, d))},
        "by feature": {"std": rng.uniform(0, 2, d)},
        "isotropic": {"std": rng.uniform(0, 2, (n, 1))},
        "one number": {"std": 0.7},
        "shared": {"cov": random_covariances(rng, 1, d)[0]},
        "dense": {"cov": random_covariances(rng, n, d)},
        "low-rank": {"factors": rng.standard_normal((n, d, 2))},
        "low-rank + diagonal": {
            "factors": rng.standard_normal((n, d, 2)),
            "std": rng.uniform(0, 2, (n, d)),
        },
    }
    if kind.startswith("shared axes"):  # drawn only then: the others' numbers stay as they were
        axes, std = rng.standard_normal((d, d)).astype(dtype), rng.uniform(0, 2, (n, d))
        own = rng.standard_normal((n, d, 2)).astype(dtype) if kind.endswith("factors") else None
        cov = SharedAxes(axes, Diagonal(std.astype(dtype), n, d), own)
        return uapca.UncertainArray(mean, cov, **rest)
    errors = errors[kind]
    errors = {name: np.asarray(value, dtype=dtype) for name, value in errors.items()}
    return uapca.UncertainArray(mean, **errors, **rest)


KINDS = (
    "zero",
    "diagonal",
    "by feature",
    "isotropic",
    "one number",
    "shared",
    "dense",
    "low-rank",
    "low-rank + diagonal",
)
