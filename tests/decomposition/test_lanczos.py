"""The block Lanczos method against dense algebra."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from uapca.decomposition.lanczos import leading_eigenpairs


def matrix(rng, values):
    turn = np.linalg.qr(rng.standard_normal((len(values), len(values))))[0]
    return (turn * values) @ turn.T


@pytest.mark.parametrize(
    "values",
    [
        np.geomspace(1, 1e-6, 300),
        np.r_[10.0, 9.0, 8.0, np.linspace(1, 0, 297)],
        np.r_[np.full(6, 4.0), np.linspace(1, 0, 294)],
        np.r_[np.linspace(2, 1, 9), np.zeros(291)],
        np.zeros(300),
    ],
    ids=["falling", "separate", "tied", "low rank", "zero"],
)
@pytest.mark.parametrize("q", [1, 5, 12])
def test_leading_pairs(rng, values, q):
    K = matrix(rng, values)
    found, vectors, residual = leading_eigenpairs(lambda v: K @ v, 300, q, basis=4 * q + 64)
    assert residual <= 1e-10
    assert_allclose(found, np.sort(values)[::-1][:q], atol=1e-12)
    assert_allclose(vectors @ vectors.T, np.eye(q), atol=1e-12)
    assert_allclose(K @ vectors.T, vectors.T * found, atol=1e-9)


def test_restarts_keep_memory_bounded(rng):
    """A flat spectrum needs more products than the basis has room for."""
    values = np.linspace(1, 0, 600)
    K = matrix(rng, values)
    widths = []

    def product(v):
        widths.append(v.shape[1])
        return K @ v

    found, _, residual = leading_eigenpairs(product, 600, 4, basis=80)
    assert sum(widths) > 200
    assert max(widths) <= 16
    assert residual <= 1e-10
    assert_allclose(found, values[:4], rtol=1e-10)


def test_gives_up_and_says_how_far_it_came(rng):
    K = matrix(rng, np.linspace(1, 0.999, 500))
    residual = leading_eigenpairs(lambda v: K @ v, 500, 3, basis=60, max_products=4)[2]
    assert residual > 1e-8


def test_a_space_smaller_than_the_basis(rng):
    K = matrix(rng, np.linspace(1, 0, 10))
    found, vectors, _ = leading_eigenpairs(lambda v: K @ v, 10, 7, basis=100)
    assert_allclose(found, np.linspace(1, 0, 10)[:7], atol=1e-12)
    assert_allclose(vectors @ vectors.T, np.eye(7), atol=1e-12)
