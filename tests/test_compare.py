"""Distances: identities, hand-derivable cases, degenerate supports, properties, bad input."""

import re

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError

import uapca
from uapca.compare import hellinger_to_each


def spd(rng, d, rank=None):
    half = rng.normal(size=(d, rank or d))
    return half @ half.T


def normal(seed, d=4, rank=None):
    rng = np.random.default_rng(seed)
    return rng.normal(size=d), spd(rng, d, rank)


def told(message):
    return f"^{re.escape(message)}"


# Identities


@pytest.mark.parametrize("rank", [4, 2])
def test_distance_to_itself_is_zero(rank):
    a = normal(0, 4, rank)
    assert uapca.hellinger(a, a) == 0.0
    assert uapca.bhattacharyya(a, a) == 1.0


def test_agrees_with_the_determinant_formula():
    for seed in range(10):
        (m1, A), (m2, B) = normal(seed), normal(seed + 100)
        M = (A + B) / 2
        d = m1 - m2
        log = -d @ np.linalg.solve(M, d) / 8 - 0.5 * (
            np.linalg.slogdet(M)[1] - 0.5 * np.linalg.slogdet(A)[1] - 0.5 * np.linalg.slogdet(B)[1]
        )
        assert uapca.bhattacharyya((m1, A), (m2, B)) == pytest.approx(np.exp(log), rel=1e-10)
        assert uapca.hellinger((m1, A), (m2, B)) == pytest.approx(
            np.sqrt(1 - np.exp(log)), rel=1e-10
        )


def test_equal_covariances_give_the_mahalanobis_distance():
    (m1, A), (m2, _) = normal(1), normal(2)
    squared = (m1 - m2) @ np.linalg.solve(A, m1 - m2)
    assert -np.log(uapca.bhattacharyya((m1, A), (m2, A))) == pytest.approx(squared / 8, rel=1e-12)


def test_one_dimension_by_numerical_integration():
    x = np.linspace(-40, 40, 400_001)

    def density(mean, var):
        return np.exp(-((x - mean) ** 2) / (2 * var)) / np.sqrt(2 * np.pi * var)

    overlap = np.trapezoid(np.sqrt(density(0.3, 2.0) * density(-1.0, 0.5)), x)
    found = uapca.bhattacharyya(([0.3], [[2.0]]), ([-1.0], [[0.5]]))
    assert found == pytest.approx(overlap, rel=1e-9)


def exact(a, b):
    """H in 80 digits, of the float64 numbers as they are."""
    with mpmath.workdps(80):
        (m1, A), (m2, B) = ((mpmath.matrix(list(m)), mpmath.matrix(K.tolist())) for m, K in (a, b))
        M, shift = (A + B) / 2, m1 - m2
        quadratic = (shift.T * mpmath.lu_solve(M, shift))[0]
        log = -quadratic / 8 + mpmath.log(mpmath.det(A) * mpmath.det(B)) / 4
        log -= mpmath.log(mpmath.det(M)) / 2
        return float(mpmath.sqrt(-mpmath.expm1(log)))


@pytest.mark.parametrize("size", [1.0, 1e-3, 1e-6, 1e-8, 1e-10, 1e-12])
@pytest.mark.parametrize("seed", range(4))
def test_small_distances_keep_their_digits(size, seed):
    rng = np.random.default_rng(seed)
    units = np.array([1.0, 3e-4, 7e3, 0.1])
    mean, A = rng.normal(size=4) * units, spd(rng, 4, 6) * units * units[:, None]
    step = spd(rng, 4) * units * units[:, None]
    for other in (
        (mean, A + size * step),
        (mean + size * units, A),
        (mean + size * units, A + step),
    ):
        expected = exact((mean, A), other)
        assert uapca.hellinger((mean, A), other) == pytest.approx(expected, rel=1e-12)
        stack = hellinger_to_each((mean, A), other[0][None], other[1][None])
        assert stack[0] == pytest.approx(expected, rel=1e-12)


def test_what_the_arguments_stand_for():
    rng = np.random.default_rng(0)
    X = uapca.UncertainArray(rng.normal(size=(20, 3)), std=rng.uniform(0.1, 1, (20, 3)))
    pca = uapca.UAPCA(n_components=1).fit(X)
    other = normal(5, 3)
    reference = uapca.hellinger(X, other)
    assert uapca.hellinger(pca, other) == pytest.approx(reference, rel=1e-12)
    assert uapca.hellinger(X.pooled(), other) == reference
    half = uapca.UAPCA(scale=0.5).fit(X)
    assert uapca.hellinger(half, X.scaled(0.5)) == pytest.approx(0.0, abs=1e-12)


def test_flips_do_not_matter():
    rng = np.random.default_rng(0)
    X = uapca.UncertainArray(rng.normal(size=(20, 3)), std=0.3)
    pca = uapca.UAPCA().fit(X)
    other = normal(5, 3)
    before = uapca.hellinger(pca, other)
    pca.components_ = -pca.components_
    assert uapca.hellinger(pca, other) == before


# Degenerate supports


def test_equal_supports_are_compared_on_the_support():
    rng = np.random.default_rng(3)
    basis = np.linalg.qr(rng.normal(size=(5, 2)))[0]
    (m1, A), (m2, B) = normal(6, 2), normal(7, 2)
    offset = rng.normal(size=5)
    a = (basis @ m1 + offset, basis @ A @ basis.T)
    b = (basis @ m2 + offset, basis @ B @ basis.T)
    assert uapca.hellinger(a, b) == pytest.approx(uapca.hellinger((m1, A), (m2, B)), rel=1e-9)


def test_different_supports_do_not_overlap():
    mean = np.zeros(3)
    line, other, plane = np.diag([1.0, 0, 0]), np.diag([0, 1.0, 0]), np.diag([1.0, 1.0, 0])
    for first, second in ((line, other), (line, plane), (plane, np.eye(3))):
        with pytest.warns(uapca.exceptions.SupportWarning):
            assert uapca.bhattacharyya((mean, first), (mean, second)) == 0.0
        with pytest.warns(uapca.exceptions.SupportWarning):
            assert uapca.hellinger((mean, second), (mean, first)) == 1.0


def test_one_singular_covariance_is_said_to_be_the_reason():
    X = uapca.UncertainArray([[1.0, 2.0, 3.0], [2.0, 1.0, 0.0], [5.0, 5.0, 1.0]], std=0.5)
    pca = uapca.UAPCA(2).fit(X)
    with pytest.warns(uapca.exceptions.SupportWarning, match="rank 2 and 3 of 3 features"):
        assert uapca.hellinger(pca.rescale(0.0), pca) == 1.0


def test_parallel_supports_do_not_overlap():
    cov = np.full((2, 2), 1.0)
    assert uapca.hellinger(([0.0, 0.0], cov), ([0.5, 0.5], cov)) < 1.0
    assert uapca.hellinger(([0.0, 0.0], cov), ([1e-3, -1e-3], cov)) == 1.0


def test_points():
    zero = np.zeros((2, 2))
    assert uapca.bhattacharyya(([1.0, 2.0], zero), ([1.0, 2.0], zero)) == 1.0
    assert uapca.bhattacharyya(([1.0, 2.0], zero), ([1.0, 2.1], zero)) == 0.0
    with pytest.warns(uapca.exceptions.SupportWarning):
        assert uapca.bhattacharyya(([1.0, 2.0], zero), ([1.0, 2.0], np.eye(2))) == 0.0


def test_a_constant_feature_changes_nothing():
    (m1, A), (m2, B) = normal(1, 2), normal(2, 2)
    wide = [np.pad(matrix, (0, 1)) for matrix in (A, B)]
    far = 0.1 + 0.2  # not 0.3: equal up to rounding
    found = uapca.hellinger((np.append(m1, far), wide[0]), (np.append(m2, 0.3), wide[1]))
    assert found == pytest.approx(uapca.hellinger((m1, A), (m2, B)), rel=1e-12)


def test_very_different_variances_are_not_different_supports():
    found = uapca.bhattacharyya(([0.0], [[1.0]]), ([0.0], [[1e-20]]))
    assert found == pytest.approx(np.sqrt(2e-10), rel=1e-12)


def test_units_of_the_features_do_not_matter():
    (m1, A), (m2, B) = normal(1), normal(2)
    units = np.array([1e-9, 1.0, 1e9, 1e150])
    scaled = [(m * units, K * units * units[:, None]) for m, K in ((m1, A), (m2, B))]
    assert uapca.hellinger(*scaled) == pytest.approx(uapca.hellinger((m1, A), (m2, B)), rel=1e-9)


def test_stack_agrees_with_one_at_a_time():
    a = normal(0)
    others = [normal(seed) for seed in range(1, 6)] + [normal(9, 4, 2)]
    found = hellinger_to_each(a, *map(np.stack, zip(*others, strict=True)))
    with pytest.warns(uapca.exceptions.SupportWarning):  # the last has rank 2
        each = [uapca.hellinger(a, b) for b in others]
    np.testing.assert_allclose(found, each, rtol=1e-10)


# Properties

seeds = st.integers(0, 10_000)
sizes = st.floats(-3, 3)


def drawn(seed, log_size, d=3):
    mean, cov = normal(seed, d)
    return mean * 0.5, cov * 10.0**log_size


@given(seeds, sizes, seeds, sizes)
@settings(max_examples=60, deadline=None)
def test_symmetric_to_the_last_bit_and_bounded(s1, z1, s2, z2):
    a, b = drawn(s1, z1), drawn(s2, z2)
    assert uapca.hellinger(a, b) == uapca.hellinger(b, a)
    assert 0.0 <= uapca.hellinger(a, b) <= 1.0
    assert 0.0 <= uapca.bhattacharyya(a, b) <= 1.0


@given(seeds, sizes, seeds, sizes, seeds, sizes)
@settings(max_examples=60, deadline=None)
def test_triangle_inequality(s1, z1, s2, z2, s3, z3):
    a, b, c = drawn(s1, z1), drawn(s2, z2), drawn(s3, z3)
    assert uapca.hellinger(a, c) <= uapca.hellinger(a, b) + uapca.hellinger(b, c) + 1e-12


@given(seeds, seeds, seeds)
@settings(max_examples=40, deadline=None)
def test_affine_maps_do_not_matter(s1, s2, s3):
    (m1, A), (m2, B) = drawn(s1, 0), drawn(s2, 0)
    T = np.random.default_rng(s3).normal(size=(3, 3)) + 3 * np.eye(3)
    moved = uapca.hellinger((T @ m1 + 1, T @ A @ T.T), (T @ m2 + 1, T @ B @ T.T))
    assert moved == pytest.approx(uapca.hellinger((m1, A), (m2, B)), rel=1e-6, abs=1e-8)


# Principal angles


@pytest.mark.parametrize("angle", [1e-14, 1e-9, 0.3, np.pi / 2])
def test_angle_of_two_lines(angle):
    found = uapca.principal_angles([[1.0, 0.0]], [[np.cos(angle), np.sin(angle)]])
    np.testing.assert_allclose(found, [angle], rtol=1e-6)


def test_angles_rise_and_see_the_smaller_subspace():
    a = np.eye(4)[:2]
    b = [[1.0, 0, 0, 0], [0, np.cos(0.2), np.sin(0.2), 0], [0, 0, 0, 1.0]]
    np.testing.assert_allclose(uapca.principal_angles(a, b), [0.0, 0.2], atol=1e-12)
    np.testing.assert_allclose(uapca.principal_angles(b, a), [0.0, 0.2], atol=1e-12)


def test_angles_between_fits_do_not_see_signs():
    rng = np.random.default_rng(0)
    X = uapca.UncertainArray(rng.normal(size=(30, 4)) * [4, 3, 2, 1], std=[0.1, 0.2, 3.0, 0.1])
    pca = uapca.UAPCA(n_components=2).fit(X)
    means = pca.rescale(0.0)
    found = uapca.principal_angles(pca, means)
    assert found[0] <= found[1]
    flipped = means.components_[::-1] * [[-3.0], [0.5]]
    np.testing.assert_allclose(uapca.principal_angles(pca, flipped), found, atol=1e-12)


# Bad input

PAIR = (np.zeros(2), np.eye(2))


@pytest.mark.parametrize(
    ("b", "error", "message"),
    [
        (
            (np.zeros(3), np.eye(3)),
            ValueError,
            "a and b must have the same number of features; got 2 and 3",
        ),
        (
            "b",
            TypeError,
            "b must be a fitted UAPCA, an UncertainArray or a pair (mean, cov); got str",
        ),
        (
            (np.zeros(2), np.eye(3)),
            ValueError,
            "the covariance of b must have shape (2, 2), as the mean of b has 2 entries; got shape "
            "(3, 3)",
        ),
        (
            ([], np.zeros((0, 0))),
            ValueError,
            "the mean of b must have at least one entry; got none",
        ),
        (
            ([0.0, np.nan], np.eye(2)),
            ValueError,
            "the mean of b must be finite; got NaN at entry 1",
        ),
        (
            (np.zeros(2), [[1.0, np.inf], [np.inf, 1.0]]),
            ValueError,
            "the covariance of b must be finite; got inf at feature 0, feature 1",
        ),
        (
            (np.zeros(2), [[1.0, 0.5], [0.0, 1.0]]),
            ValueError,
            "the covariance of b must be symmetric; it differs from its transpose by 0.5",
        ),
        (
            (np.zeros(2), [[1.0, 2.0], [2.0, 1.0]]),
            ValueError,
            "the covariance of b must be positive semi-definite; it has the eigenvalue -1",
        ),
    ],
)
@pytest.mark.parametrize("distance", [uapca.hellinger, uapca.bhattacharyya])
def test_bad_arguments(distance, b, error, message):
    with pytest.raises(error, match=told(message)):
        distance(PAIR, b)


def test_unfitted_and_infinite_scale():
    with pytest.raises(NotFittedError):
        uapca.hellinger(uapca.UAPCA(), PAIR)
    with pytest.raises(NotFittedError):
        uapca.principal_angles(uapca.UAPCA(), np.eye(2))
    X = uapca.UncertainArray([[0.0, 1.0], [1.0, 3.0]], std=1.0)
    message = (
        "a must be fitted at a finite scale; got inf, where K is only known in units of s² "
        "(principal_angles compares the components)"
    )
    with pytest.raises(ValueError, match=told(message)):
        uapca.hellinger(uapca.UAPCA(scale=np.inf).fit(X), PAIR)


@pytest.mark.parametrize(
    ("b", "error", "message"),
    [
        (
            np.eye(3),
            ValueError,
            "a and b must have the same number of features; got 2 and 3",
        ),
        (
            [1.0, 0.0],
            ValueError,
            "b must be a fitted UAPCA or components of shape (q, D); got shape (2,)",
        ),
        (
            [[0.0, 0.0]],
            ValueError,
            "b must span at least one direction; all its entries are zero",
        ),
        (
            [[0.0, np.nan]],
            ValueError,
            "b must be finite; got NaN at component 0, feature 1",
        ),
        (
            uapca.UncertainArray([[0.0, 1.0]]),
            TypeError,
            "b must be a fitted UAPCA or components of shape (q, D); got UncertainArray "
            "(fit UAPCA to it first)",
        ),
    ],
)
def test_bad_subspaces(b, error, message):
    with pytest.raises(error, match=told(message)):
        uapca.principal_angles(np.eye(2), b)


@pytest.mark.parametrize("size", [1e120, 1e200, 1e300, 1.7e308])
def test_means_far_beyond_all_errors_have_no_overlap_and_no_warning(size):
    a, b = ([size, 0.0], np.eye(2)), ([-size, 0.0], np.eye(2))
    assert uapca.hellinger(a, b) == 1.0
    assert uapca.bhattacharyya(a, b) == 0.0
    small = ([0.0, 0.0], 1e-300 * np.eye(2)), ([size, 0.0], 1e-300 * np.eye(2))
    assert uapca.hellinger(*small) == 1.0


def test_short_rows_are_directions_too():
    first = [[1.0, 0.0, 0.0], [0.0, 1e-20, 0.0]]
    second = [[0.0, 1e300, 1e300], [1e-310, 0.0, 0.0]]
    assert_allclose(uapca.principal_angles(first, second), [0.0, np.pi / 4], atol=1e-15)


def test_dependent_rows_span_fewer_directions():
    first = [[1.0, 0.0, 0.0], [1e-30, 0.0, 0.0], [0.0, 0.0, 0.0]]
    assert uapca.principal_angles(first, np.eye(3)).shape == (1,)


# Fewer rows than features


def wide(seed, n=8, d=40):
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=(n, 2)) * [5.0, 3.0]
    axes = np.linalg.qr(np.random.default_rng(99).normal(size=(d, 2)))[0]
    return uapca.UncertainArray(latent @ axes.T + 0.1 * rng.normal(size=(n, d)))


def test_wide_fits_have_distance_one_and_say_why():
    a, b = (uapca.UAPCA(2).fit(wide(seed)) for seed in (0, 1))
    with pytest.warns(uapca.exceptions.SupportWarning, match="of 40 features"):
        assert uapca.hellinger(a, b) == 1.0


def test_wide_fits_are_compared_on_their_components():
    a, b = (uapca.UAPCA(2).fit(wide(seed)) for seed in (0, 1))
    near = uapca.hellinger(a, b, space="components")
    assert uapca.hellinger(b, a, space="components") == pytest.approx(near, rel=1e-9)
    other = uapca.UAPCA(2).fit(uapca.UncertainArray(wide(2).mean @ np.eye(40)[::-1]))
    assert 0.0 < near < uapca.hellinger(a, other, space="components") <= 1.0
    assert uapca.hellinger(a, a, space="components") == pytest.approx(0.0, abs=1e-7)


def test_on_all_components_the_two_spaces_agree():
    rng = np.random.default_rng(0)
    a, b = (
        uapca.UAPCA().fit(uapca.UncertainArray(rng.normal(size=(20, 3)), std=0.3)) for _ in range(2)
    )
    full = uapca.hellinger(a, b)
    assert uapca.hellinger(a, b, space="components") == pytest.approx(full, rel=1e-9)


def test_the_space_of_components_needs_fits():
    with pytest.raises(TypeError, match="a must be a fitted UAPCA"):
        uapca.hellinger(PAIR, PAIR, space="components")
    with pytest.raises(ValueError, match="space"):
        uapca.hellinger(PAIR, PAIR, space="shown")


@pytest.mark.parametrize("measure", [uapca.hellinger, uapca.bhattacharyya, uapca.principal_angles])
def test_features_are_not_matched_by_position(measure, rng):
    X = uapca.UncertainArray(rng.normal(size=(9, 3)), std=0.1, features=["x", "y", "z"])
    a, b = uapca.UAPCA(2).fit(X), uapca.UAPCA(2).fit(X[:, ["z", "x", "y"]])
    with pytest.raises(ValueError) as error:
        measure(a, b)
    assert str(error.value) == (
        "a and b must have the same features in the same order; feature 0 is 'x' in a and 'z' in b"
    )
