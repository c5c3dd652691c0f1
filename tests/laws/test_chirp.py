"""Sums of powers at even and uneven angles."""

from __future__ import annotations

import numpy as np
import pytest
from uapca.laws.chirp import Comb, polynomial


@pytest.mark.parametrize("count", [1, 5, 40, 333])
@pytest.mark.parametrize("even", [True, False])
def test_polynomial(count: int, even: bool) -> None:
    rng = np.random.default_rng(0)
    coefficients = rng.normal(size=(7, 101)) + 1j * rng.normal(size=(7, 101))
    angles = np.linspace(2.0, -1.5, count) if even else rng.uniform(-3, 3, size=count)
    expected = coefficients @ np.exp(1j * np.outer(np.arange(101), angles))
    np.testing.assert_allclose(polynomial(coefficients, angles), expected, atol=1e-10)


@pytest.mark.parametrize("even", [True, False])
def test_comb(even: bool) -> None:
    rng = np.random.default_rng(0)
    x = np.linspace(-3, 40, 64) if even else rng.normal(size=64)
    mass = rng.uniform(size=64)
    comb = Comb(0.01, 5000)
    expected = np.exp(1j * np.outer(comb.t, x)) @ mass
    np.testing.assert_allclose(comb.sum(x, mass), expected, atol=1e-9)
