"""Skewed and heavy-tailed marginals against samples of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from uapca.laws import Gaussian, Independent, Mixture

PROBS = np.array([0.05, 0.5, 0.9, 0.99])


@pytest.mark.parametrize(
    "rv",
    [stats.lognorm(2.0), stats.lognorm(1.0), stats.gamma(0.1), stats.t(2.5), stats.pareto(2.1)],
    ids=["lognorm 2", "lognorm 1", "gamma", "t", "pareto"],
)
@pytest.mark.parametrize("factor", [1.0, -3.0])
def test_levels_of_one_marginal(rv: Any, factor: float) -> None:
    law = Independent([rv, 5.0]).affine([[factor, 1.0]])
    values = law.density(law.sample(1_000_000, 0)[:, 0])
    share = [(values >= level).mean() for level in law.levels(PROBS)]
    np.testing.assert_allclose(share, PROBS, atol=1e-3 + 4 * 0.5e-3)
    # Exactly, as the density falls with the distance from its mode.
    x = 5 + factor * rv.ppf(np.linspace(0, 1, 200_001)[1:-1])
    share = [(law.density(x) >= level).mean() for level in law.levels(PROBS)]
    np.testing.assert_allclose(share, PROBS, atol=1e-3)


def test_levels_of_a_skewed_sum() -> None:
    law = Independent([stats.lognorm(1.0), stats.gamma(0.5)]).affine([[1.0, 0.5]])
    values = law.density(law.sample(1_000_000, 0)[:, 0])
    share = [(values >= level).mean() for level in law.levels(PROBS)]
    np.testing.assert_allclose(share, PROBS, atol=1e-3 + 4 * 0.5e-3)


def test_levels_of_a_mixture_of_skewed_marginals() -> None:
    parts = [Independent([stats.lognorm(2.0)]), Independent([Gaussian(50, 0.01)])]
    law = Mixture([1, 1], parts)
    values = law.density(law.sample(400_000, 0)[:, 0])
    share = [(values >= level).mean() for level in law.levels(PROBS)]
    np.testing.assert_allclose(share, PROBS, atol=1e-3 + 4 * 0.8e-3)


A3 = np.array([[0.5, 0.5, 0.5], [0.5, -0.5, 0.2]])
A4 = np.array([[0.5, 0.5, 0.5, 0.3], [0.5, -0.5, 0.2, -0.1]])


@pytest.mark.parametrize(
    ("marginals", "A"),
    [
        ([stats.expon()] * 3, A3),
        ([stats.gamma(2.0)] * 3, A3),
        ([stats.lognorm(0.5)] * 3, A3),
        ([stats.lognorm(1.0)] * 3, A3),
        ([stats.lognorm(1.5)] * 3, A3),
        ([stats.t(4)] * 3, A3),
        ([stats.t(2.5)] * 3, A3),
        ([stats.lognorm(1.0), Gaussian(0, 1), stats.uniform(0, 2)], A3),
        ([stats.lognorm(1.0)] * 4, A4),
        ([stats.lognorm(1.0), stats.expon(), stats.uniform(0, 2), stats.poisson(2.0)], A4),
    ],
    ids=["expon", "gamma", "ln.5", "ln1", "ln1.5", "t4", "t2.5", "mixed", "four", "poisson"],
)
def test_bins_of_the_plane_hold_as_many_samples(marginals: list[Any], A: Any) -> None:
    law = Independent(marginals).affine(A)
    count, bins, fine = 1_000_000, 12, 60
    samples = law.sample(count, 1)
    box = np.quantile(samples, [0.05, 0.95], axis=0).T
    edges = [np.linspace(low, high, bins + 1) for low, high in box]
    x, y = (np.linspace(low, high, 2 * bins * fine + 1)[1::2] for low, high in box)
    area = (x[1] - x[0]) * (y[1] - y[0])
    held = law.density((x, y)).reshape(bins, fine, bins, fine).sum(axis=(1, 3)) * area
    seen = np.histogram2d(samples[:, 0], samples[:, 1], edges)[0] / count
    z = (held - seen) / np.sqrt(np.maximum(seen, 5 / count) / count)
    assert np.max(np.abs(z)) < 6
    assert held.sum() == pytest.approx(seen.sum(), abs=1e-3 + 4 * 0.4e-3)
