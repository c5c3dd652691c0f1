"""Component uncertainty against vipurpca, simulation against UADAPy."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import uapca
from benchmarks.harness import Case, Job

__all__ = ["CASES"]


def _component_uncertainty(n: int, d: int) -> Case:
    """The standard errors of two components for independent errors."""

    def build() -> dict[str, Job]:
        from vipurpca import PCA

        warnings.simplefilter("ignore", uapca.SeparationWarning)
        rng = np.random.default_rng(0)
        means = rng.standard_normal((n, d)) * np.geomspace(10.0, 1.0, d)
        std = rng.uniform(0.05, 0.2, (n, d))
        variances = np.square(std).ravel()
        X = uapca.UncertainArray(means, std=std)

        def theirs() -> Any:
            pca = PCA(matrix=means, full_cov=variances, n_components=2, axis=0)
            pca.compute_cov_eigenvectors()
            return pca.cov_eigenvectors.block_until_ready()

        def ours() -> Any:
            return uapca.component_uncertainty(X, 2, order=1).std

        def default() -> uapca.stability.ComponentUncertainty:
            return uapca.component_uncertainty(X, 2)

        expected = np.sqrt(np.diagonal(np.asarray(theirs()))).reshape(2, d)
        difference = np.abs(ours() - expected).max()
        assert difference < 1e-3 * expected.max(), "not the same standard errors"
        return {"uapca": ours, "vipurpca": theirs, "uapca, order 2": default}

    name = f"component uncertainty, diagonal errors, {n} × {d}"
    return Case(name, build, {"vipurpca": 1 / 25}, rounds=7)


def _simulation(n: int, d: int, draws: int, rounds: int) -> Case:
    def build() -> dict[str, Job]:
        from scipy.stats import multivariate_normal
        from uadapy import Distribution
        from uadapy.dr.uapca_revisited import uapca_revisited

        rng = np.random.default_rng(0)
        means = 3.0 * rng.standard_normal((n, d))
        half = rng.standard_normal((n, d, d))
        covariances = half @ half.transpose(0, 2, 1) / d
        X = uapca.UncertainArray(means, covariances)
        rows = [
            Distribution(multivariate_normal(mean, cov))
            for mean, cov in zip(means, covariances, strict=True)
        ]
        return {
            "uapca": lambda: uapca.simulate(X, draws, rng=0),
            "UADAPy": lambda: uapca_revisited(rows, 2, draws, seed=0),
        }

    name = f"simulation, {draws} draws, {n} × {d}"
    return Case(name, build, {"UADAPy": 1 / 100}, rounds=rounds)


def _wide_simulation(n: int, d: int, draws: int) -> Case:
    """Against a loop of thin SVDs of the same draws."""

    def build() -> dict[str, Job]:
        rng = np.random.default_rng(0)
        X = uapca.UncertainArray(3.0 * rng.standard_normal((n, d)), std=rng.uniform(0.5, 1, (n, d)))

        def loop() -> Any:
            points = X.sample(draws, 0)
            points = points - points.mean(axis=1, keepdims=True)
            return [np.linalg.svd(each, full_matrices=False) for each in points]

        return {
            "uapca": lambda: uapca.simulate(X, draws, rng=0, scores=False),
            "loop of thin SVDs": loop,
        }

    return Case(
        f"simulation, {draws} draws, {n} × {d}", build, {"loop of thin SVDs": 1.5}, rounds=5
    )


CASES = [
    *(_component_uncertainty(n, d) for n, d in ((150, 4), (500, 20), (1000, 50))),
    _simulation(6, 4, 10_000, rounds=3),
    # One round takes UADAPy minutes; the ratio is that of fewer draws too.
    _simulation(100, 10, 1_000, rounds=3),
    _wide_simulation(8, 1263, 500),
]
