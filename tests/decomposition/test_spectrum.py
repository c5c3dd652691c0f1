"""Eigen rules: order, signs, ties, the limit of large scales."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from uapca.decomposition.spectrum import scaled_spectrum, settled, signed, spectrum


def rotation(rng, d):
    return np.linalg.qr(rng.standard_normal((d, d)))[0]


def positive(rng, d):
    root = rng.standard_normal((d, d))
    return root @ root.T


@pytest.mark.parametrize("d", [1, 2, 5, 70, 1020])
@pytest.mark.parametrize("q", [1, 2, 8, None])
def test_eigenpairs(rng, d, q):
    q = q if q is None or q <= d else d
    K = positive(rng, d)
    found = spectrum(K, q)
    assert found.vectors.shape == (q or d, d)
    # Backward stability: errors are relative to the largest eigenvalue, not to each.
    assert_allclose(found.values, np.linalg.eigvalsh(K)[::-1][:q], atol=1e-13 * np.trace(K))
    assert_allclose(found.vectors @ found.vectors.T, np.eye(q or d), atol=1e-12)
    assert_allclose(K @ found.vectors.T, found.vectors.T * found.values, atol=1e-11 * np.trace(K))


def test_values_fall_and_are_not_negative(rng):
    root = rng.standard_normal((6, 2))
    found = spectrum(root @ root.T)
    assert (np.diff(found.values) <= 0).all()
    assert (found.values >= 0).all()


def test_the_largest_entry_is_positive(rng):
    rows = rng.standard_normal((20, 7))
    fixed = signed(rows)
    assert (fixed[np.arange(20), np.abs(rows).argmax(axis=1)] > 0).all()
    assert_array_equal(np.abs(fixed), np.abs(rows))


def test_equally_large_entries_do_not_flip_with_rounding():
    half = np.sqrt(0.5)
    for noise in (0.0, 1e-12, -1e-12):
        assert signed(np.array([[-half, half + noise]]))[0, 0] > 0


@pytest.mark.parametrize("d", [2, 5, 80, 1000])
def test_ties_do_not_depend_on_rounding(rng, d):
    """The same tied matrix, disturbed at the level of rounding: the same components."""
    values = np.ones(d)
    values[0] = 3.0
    turn = rotation(rng, d)
    K = (turn * values) @ turn.T
    K = (K + K.T) / 2
    first = spectrum(K, min(d, 4))
    for _ in range(5):
        noise = rng.standard_normal((d, d)) * 1e-16
        again = spectrum(K + noise + noise.T, min(d, 4))
        assert_allclose(again.vectors, first.vectors, atol=1e-9)
    assert_allclose(first.vectors @ first.vectors.T, np.eye(min(d, 4)), atol=1e-13)


def test_the_basis_of_a_tie_is_the_axes_where_they_lie_in_it():
    assert_array_equal(spectrum(2.0 * np.eye(3)).vectors, np.eye(3))
    assert_array_equal(spectrum(np.zeros((3, 3))).vectors, np.eye(3))


def test_a_tie_that_the_last_component_shares_with_the_next(rng):
    """Partial and full decompositions agree on which member of the tie is taken."""
    d = 1010
    values = np.r_[5.0, np.full(4, 2.0), np.linspace(1, 0.1, d - 5)]
    turn = rotation(rng, d)
    K = (turn * values) @ turn.T
    K = (K + K.T) / 2
    assert_allclose(spectrum(K, 3).vectors, spectrum(K).vectors[:3], atol=1e-9)


def test_settled_leaves_separate_eigenpairs_alone(rng):
    values, vectors = np.linalg.eigh(positive(rng, 5))
    found = settled(values[::-1], vectors.T[::-1])
    assert_array_equal(np.abs(found.vectors), np.abs(vectors.T[::-1]))


@pytest.mark.parametrize("s", [0.0, 0.5, 1.0, 30.0, 1e4, 1e8, 1e12, np.inf])
def test_isotropic_errors_change_no_direction(rng, s):
    C = positive(rng, 6)
    found = scaled_spectrum(C, 0.7 * np.eye(6), s)
    assert_allclose(found.vectors, spectrum(C).vectors, atol=1e-12)


@pytest.mark.parametrize("levels", [[2, 2, 1, 1, 0, 0], [3, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 0]])
@pytest.mark.parametrize("s", [1e2, 1e3, 1e5, 1e8])
def test_tied_errors_at_large_scales(rng, levels, s):
    """Against the same problem with its first two digits of s, by Rayleigh quotients.

    With s²Ψ̄ known exactly in its eigenbasis, an eigenpair (λ, v) of K must satisfy
    C v = (λ − s²ψ) v coordinate by coordinate; the residual is compared with ‖C‖, not with s².
    """
    C = positive(rng, 6)
    psi = np.diag(np.array(levels, dtype=float))
    found = scaled_spectrum(C, psi, s)
    V = found.vectors
    assert_allclose(V @ V.T, np.eye(6), atol=1e-13)
    K_in_V = V @ C @ V.T + s**2 * (V * np.diag(psi)) @ V.T
    # Within a tied group K must be diagonal to the precision of C, however large s is.
    for level in set(levels):
        group = [i for i, x in enumerate(sorted(levels, reverse=True)) if x == level]
        block = (V @ C @ V.T + s**2 * ((V * (np.diag(psi) - level)) @ V.T))[np.ix_(group, group)]
        off = block - np.diag(np.diag(block))
        assert np.abs(off).max() <= 1e-9 * np.trace(C)
    assert np.isfinite(K_in_V).all()


def test_infinity_continues_large_scales(rng):
    C = positive(rng, 6)
    turn = rotation(rng, 6)
    psi = (turn * [2.0, 2.0, 1.0, 0.0, 0.0, 0.0]) @ turn.T
    psi = (psi + psi.T) / 2
    limit = scaled_spectrum(C, psi, np.inf)
    for s in (1e5, 1e6, 1e7):
        near = scaled_spectrum(C, psi, s)
        assert_allclose(np.abs((near.vectors * limit.vectors).sum(axis=1)), 1.0, atol=1e-8)
    assert_allclose(limit.values, [2, 2, 1, 0, 0, 0], atol=1e-14)
    # Within the ties of Ψ̄ the limit diagonalizes C, its larger variances first.
    inside = limit.vectors @ C @ limit.vectors.T
    assert abs(inside[0, 1]) < 1e-12 * np.trace(C)
    assert inside[0, 0] > inside[1, 1]
    assert_allclose(inside[3:, 3:], np.diag(np.diag(inside)[3:]), atol=1e-12 * np.trace(C))


def test_infinity_without_errors_is_ordinary_pca(rng):
    C = positive(rng, 4)
    for psi in (None, np.zeros((4, 4))):
        found = scaled_spectrum(C, psi, np.inf)
        assert_array_equal(found.vectors, spectrum(C).vectors)
        assert_array_equal(found.values, spectrum(C).values)


@given(st.integers(1, 8), st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_orthonormal_whatever_the_rank(d, seed, u):
    rng = np.random.default_rng(seed)
    rank = rng.integers(0, d + 1)
    a, b = rng.standard_normal((2, d, rank)).round(1)
    s = np.inf if u == 1 else u / (1 - u)
    found = scaled_spectrum(a @ a.T, b @ b.T, s)
    assert np.isfinite(found.values).all()
    assert_allclose(found.vectors @ found.vectors.T, np.eye(d), atol=1e-10)


@pytest.mark.parametrize("exponent", [-900, 1005])
@pytest.mark.parametrize("s", [0.5, 20.0, np.inf])
def test_sizes_at_the_ends_of_float64(exponent, s):
    """A power of two changes no digit, with and without ties of Ψ̄; nothing overflows."""
    rng = np.random.default_rng(0)
    part = rng.normal(size=(3, 5))
    C, factor = part @ part.T, 2.0**exponent
    for psi in (np.eye(3), np.diag([4.0, 4.0, 1.0]), C[::-1, ::-1]):
        near, far = scaled_spectrum(C, psi, s), scaled_spectrum(factor * C, factor * psi, s)
        np.testing.assert_array_equal(far.vectors, near.vectors)
        np.testing.assert_array_equal(far.values, factor * near.values)
