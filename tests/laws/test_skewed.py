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
