"""Functions of uncertain values: closed forms, expansions and draws."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import uapca
from builders import KINDS, random_uncertain
from uapca.uncertain.propagate import KNOWN

FUNCTIONS = {
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "reciprocal": np.reciprocal,
    "magnitude": lambda f: -2.5 * np.log10(f),
}


def small_errors(rng, kind, size=0.08):
    """Values around 3 with relative errors of some percent."""
    X = random_uncertain(rng, n=6, d=3, kind=kind).scaled(size)
    return uapca.UncertainArray(3 + rng.uniform(-0.5, 0.5, (6, 3)), X.cov)


@pytest.mark.parametrize("kind", ["diagonal", "shared", "dense"])
@pytest.mark.parametrize("name", KNOWN)
def test_against_draws(rng, kind, name):
    X = small_errors(rng, kind)
    draws = FUNCTIONS[name](X.sample(200_000, rng=1))
    Y = X.map(name)
    centered = draws - draws.mean(axis=0)
    cov = np.einsum("kni,knj->nij", centered, centered) / len(draws)
    std = draws.std(axis=0)
    # Five standard errors, and what the next order adds.
    assert (np.abs(Y.mean - draws.mean(axis=0)) <= 5 * std / 447 + 0.01 * std).all()
    size = std[:, :, None] * std[:, None, :]
    assert (np.abs(Y.cov.dense() - cov) <= (5 * 1.5 / 447 + 0.01) * size).all()


@pytest.mark.parametrize("kind", ["diagonal", "dense"])
def test_second_order_is_closer_than_first(rng, kind):
    """The moments of a quadratic function are known: those of second order are exact."""
    X = small_errors(rng, kind, size=0.3)
    Y = X.map(lambda x: x**2, derivative=(lambda x: 2 * x, lambda x: 2 + 0 * x))
    psi = X.cov.dense()
    assert_allclose(Y.mean, X.mean**2 + X.std**2, rtol=1e-14)
    slopes = 4 * X.mean[:, :, None] * X.mean[:, None, :]
    assert_allclose(Y.cov.dense(), slopes * psi + 2 * psi**2, rtol=1e-12, atol=1e-15)


def test_the_second_derivative_is_found_if_it_is_not_given(rng):
    X = small_errors(rng, "dense")
    one = X.map(np.tanh, derivative=lambda x: np.cosh(x) ** -2)
    both = (lambda x: np.cosh(x) ** -2, lambda x: -2 * np.tanh(x) * np.cosh(x) ** -2)
    other = X.map(np.tanh, derivative=both)
    assert_allclose(one.mean, other.mean, rtol=1e-9)
    assert_allclose(one.cov.dense(), other.cov.dense(), rtol=1e-6)


def test_the_log_normal_is_exact_for_any_errors():
    mean, cov = (
        np.array([[0.3, -1.0, 2.0]]),
        np.array([[[1.0, 0.5, 0.2], [0.5, 2.0, 0], [0.2, 0, 1]]]),
    )
    Y = uapca.UncertainArray(mean, cov).map(np.exp, features=[0, 1])
    expected = np.exp(mean[0] + np.diagonal(cov[0]) / 2)
    assert_allclose(Y.mean[0, :2], expected[:2], rtol=1e-14)
    inner = Y.cov.dense()[0]
    assert_allclose(inner[:2, :2], np.outer(expected, expected)[:2, :2] * np.expm1(cov[0, :2, :2]))
    # Stein's lemma: Cov(exp x, y) = E[exp x] Cov(x, y).
    assert_allclose(inner[:2, 2], expected[:2] * cov[0, :2, 2], atol=1e-15)
    assert inner[2, 2] == 1.0
    back = uapca.UncertainArray(mean, std=1.5).map("exp")
    assert_allclose(back.std, back.mean * np.sqrt(np.expm1(1.5**2)), rtol=1e-12)


@pytest.mark.parametrize("name", ["log", "exp"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_representation(rng, kind, name):
    X = small_errors(rng, kind)
    dense = uapca.UncertainArray(X.mean, X.cov.dense())
    Y, Z = X.map(name), dense.map(name)
    assert_allclose(Y.mean, Z.mean, rtol=1e-14)
    assert_allclose(Y.std, Z.std, rtol=1e-12)
    if "low-rank" in kind:
        assert Y.cov.kind == "low-rank"
        assert_allclose(Y.cov.dense(), Z.cov.dense(), rtol=0.02, atol=1e-5)
    else:
        assert Y.cov.kind == {"shared": "dense"}.get(X.cov.kind, X.cov.kind)
        assert_allclose(Y.cov.dense(), Z.cov.dense(), rtol=1e-11, atol=1e-16)


def test_single_features_and_names(rng):
    X = uapca.UncertainArray(
        [[1.0, 4.0], [2.0, 9.0]], std=0.1, features=["x", "y"], names=["a", "b"], weights=[1, 3]
    )
    Y = X.map("sqrt", features="y")
    assert Y.features == ("x", "sqrt(y)")
    assert (Y.names, Y.total_weight) == (X.names, 4.0)
    assert_array_equal(Y.mean[:, 0], X.mean[:, 0])
    assert_array_equal(Y.std[:, 0], X.std[:, 0])
    assert_allclose(Y.std[:, 1], 0.1 / (2 * np.sqrt([4.0, 9.0])), rtol=1e-3)


def test_certain_and_missing_values(rng):
    X = uapca.UncertainArray(
        [[0.0, np.nan], [4.0, 9.0]], std=[[0.0, 1.0], [0.1, 0.1]], missing="keep"
    )
    Y = X.map(np.sqrt)
    assert_array_equal(Y.missing, X.missing)
    assert_array_equal(Y.mean[:, 0].round(3), [0.0, 2.0])
    assert Y.std[0, 0] == 0.0
    assert uapca.UncertainArray([[4.0]]).map("sqrt").cov.kind == "zero"


def test_float32_stays_float32(rng):
    X = random_uncertain(rng, kind="diagonal", dtype=np.float32).scaled(0.01)
    Y = X.map("exp")
    assert Y.mean.dtype == np.float32
    assert Y.cov.dtype == np.float32


@pytest.mark.parametrize("name", ["log", "sqrt", "reciprocal", "magnitude"])
def test_where_it_is_not_defined(name):
    X = uapca.UncertainArray([[1.0], [0.0]], std=0.01)
    with pytest.raises(ValueError, match=f"^{name} must be finite and smooth .*; row 1, feature 0"):
        X.map(name)


@pytest.mark.parametrize("name", ["log", "sqrt", "reciprocal"])
def test_large_errors_are_warned_about(name):
    X = uapca.UncertainArray([[1.0], [1.0]], std=[[0.01], [0.5]])
    with pytest.warns(uapca.ApproximationWarning, match=f"^{name} is too curved .* of 1 value,"):
        X.map(name)


def test_other_functions_need_a_derivative():
    X = uapca.UncertainArray([[1.0]], std=0.1)
    with pytest.raises(ValueError, match="^derivative must be given for tanh; "):
        X.map(np.tanh)
    with pytest.raises(ValueError, match=r"^function must be 'log', .*perhaps 'log' was meant$"):
        X.map("logg")
