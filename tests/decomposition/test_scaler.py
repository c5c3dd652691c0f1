"""UncertainScaler."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import StandardScaler

import uapca
from builders import KINDS, random_uncertain


@pytest.fixture(params=KINDS)
def X(request, rng):
    X = random_uncertain(rng, kind=request.param, weights=rng.uniform(size=12))
    return X.affine([1.0, 10.0, 100.0, 0.1, 5.0], [0.0, 1e3, 0.0, 1.0, -7.0])


def test_by_total_makes_the_total_variance_one(X):
    mean, K = uapca.UncertainScaler().fit_transform(X).pooled()
    assert_allclose(mean, 0, atol=1e-12)
    assert_allclose(np.diag(K), 1, rtol=1e-12)


def test_by_means_makes_the_variance_of_the_means_one(X):
    Z = uapca.UncertainScaler(by="means").fit_transform(X)
    assert_allclose(np.diag(uapca.UAPCA().fit(Z).between_covariance_), 1, rtol=1e-12)


def test_by_units(X):
    units = np.array([1.0, 2.0, 4.0, 8.0, 0.5])
    Z = uapca.UncertainScaler(by=units, center=False).fit_transform(X)
    assert_array_equal(Z.mean, X.mean / units)
    assert_allclose(Z.cov.dense(), X.cov.dense() / units / units[:, None], rtol=1e-13)


def test_keeps_the_representation_and_inverts(X):
    scaler = uapca.UncertainScaler().fit(X)
    Z = scaler.transform(X)
    assert type(Z.cov) is type(X.cov)
    back = scaler.inverse_transform(Z)
    assert_allclose(back.mean, X.mean, rtol=1e-13, atol=1e-11)
    assert_allclose(back.cov.dense(), X.cov.dense(), rtol=1e-13, atol=1e-300)


def test_units_that_are_powers_of_two_invert_exactly(rng):
    X = random_uncertain(rng, d=3)
    scaler = uapca.UncertainScaler(by=[2.0, 0.25, 8.0], center=False).fit(X)
    back = scaler.inverse_transform(scaler.transform(X))
    assert_array_equal(back.mean, X.mean)
    assert_array_equal(back.cov.dense(), X.cov.dense())


def test_certain_points_are_standard_scaler(rng):
    points = rng.standard_normal((30, 4)) * [1, 10, 100, 0]
    ours, theirs = uapca.UncertainScaler().fit(points), StandardScaler().fit(points)
    assert_allclose(ours.scale_, theirs.scale_, rtol=1e-12)
    assert_allclose(ours.transform(points), theirs.transform(points), atol=1e-12)
    scaled = theirs.transform(points)
    assert_allclose(ours.inverse_transform(scaled), points, atol=1e-11)


def test_a_feature_that_does_not_vary_has_unit_one():
    points = np.array([[0.1 + 1e8, 1.0], [0.1 + 1e8, 3.0]])
    assert uapca.UncertainScaler().fit(points).scale_[0] == 1.0


@pytest.mark.parametrize("n", [3, 100, 9000])
@pytest.mark.parametrize("value", [1 / 3, 0.1, 1e8 / 3, 1e-9])
def test_by_means_knows_a_constant_feature(rng, n, value):
    means = np.column_stack([rng.standard_normal(n), np.full(n, value)])
    X = uapca.UncertainArray(means, std=0.1)
    assert uapca.UncertainScaler(by="means").fit(X).scale_[1] == 1.0


def test_wide_data(rng):
    X = random_uncertain(rng, n=4, d=700, kind="diagonal")
    expected = np.sqrt(X.mean.var(axis=0) + (X.std**2).mean(axis=0))
    assert_allclose(uapca.UncertainScaler().fit(X).scale_, expected, rtol=1e-12)


def test_errors_beside_points(rng):
    points = rng.standard_normal((8, 2))
    Z = uapca.UncertainScaler().fit_transform(points, std=0.5)
    assert isinstance(Z, uapca.UncertainArray)
    assert_allclose(np.diag(Z.pooled()[1]), 1)


@pytest.mark.parametrize(
    ("by", "message"),
    [
        (
            "variance",
            "by must be 'total', 'means' or one unit for each feature; got 'variance'",
        ),
        (
            [1.0, 2.0],
            "by must have one entry for each of the 5 features; got shape (2,)",
        ),
        (
            [1.0, 2.0, 0.0, 1.0, 1.0],
            "by must be positive; feature 2 has 0.0",
        ),
    ],
)
def test_bad_units(rng, by, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        uapca.UncertainScaler(by=by).fit(random_uncertain(rng))


def test_bad_inverse(rng):
    scaler = uapca.UncertainScaler().fit(random_uncertain(rng))
    with pytest.raises(ValueError, match=r"^Y must have 5 columns, as transform returns them"):
        scaler.inverse_transform(np.zeros((2, 3)))


@pytest.mark.parametrize(
    ("by", "mean", "std"),
    [
        ("total", [[1e200, 0.0], [-1e200, 1.0]], 1.0),
        ("total", [[1.0, 0.0], [2.0, 1.0]], 1e200),
        ("means", [[1e200, 0.0], [-1e200, 1.0]], 1.0),
    ],
)
def test_variances_that_do_not_fit_are_refused(by, mean, std):
    message = (
        "X must have squares that fit into float64; the covariance overflows: "
        "divide the data by its largest magnitude first"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        uapca.UncertainScaler(by).fit(uapca.UncertainArray(mean, std=std))


def test_by_means_errors_may_be_of_any_size():
    X = uapca.UncertainArray([[1.0, 0.0], [2.0, 1.0]], std=1e200)
    assert uapca.UncertainScaler("means").fit(X).scale_.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("by", ["total", "means"])
def test_a_constant_whose_square_overflows(by):
    scaler = uapca.UncertainScaler(by).fit(uapca.UncertainArray(np.full((3, 2), 1e200)))
    assert scaler.scale_.tolist() == [1.0, 1.0]
