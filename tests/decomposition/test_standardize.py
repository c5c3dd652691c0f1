"""Standardization inside the estimator, and pipelines that do the same outside."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import uapca
from builders import KINDS, random_uncertain
from uapca.decomposition import unwrap


@pytest.fixture
def X(rng):
    X = random_uncertain(
        rng, n=14, d=5, features=list("abcde"), weights=rng.uniform(0.5, 2.0, size=14)
    )
    return X.affine([1.0, 100.0, 1e-3, 5.0, 1.0], [0.0, 1e4, 0.0, -3.0, 1.0])


def pair(X, **parameters):
    inside = uapca.UAPCA(standardize=True, **parameters).fit(X)
    return inside, make_pipeline(uapca.UncertainScaler(), uapca.UAPCA(**parameters)).fit(X)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("s", [0.0, 0.5, 1.0, np.inf])
def test_is_the_scaler_before_the_fit(rng, kind, s):
    X = random_uncertain(rng, n=12, d=4, kind=kind).affine([1.0, 30.0, 0.01, 4.0])
    inside, outside = pair(X, n_components=3, scale=s, ddof=1)
    plain = outside[-1]
    assert_allclose(inside.feature_scale_, outside[0].scale_, rtol=1e-12)
    assert_allclose(inside.explained_variance_, plain.explained_variance_, rtol=1e-9, atol=1e-13)
    assert_allclose(inside.components_, plain.components_, atol=1e-8)
    Y, Z = inside.transform(X), outside.transform(X)
    assert_allclose(Y.mean, Z.mean, atol=1e-8)
    assert_allclose(Y.cov.dense(), Z.cov.dense(), atol=1e-8)
    assert_allclose(inside.cos2(X), plain.cos2(outside[:-1].transform(X)), atol=1e-8)
    assert_allclose(inside.loadings(), plain.loadings(), atol=1e-8)


def test_everything_lives_in_the_standardized_space(X):
    pca = uapca.UAPCA(standardize=True).fit(X)
    mean, K = X.pooled()
    units = np.sqrt(K.diagonal())
    assert_allclose(pca.feature_scale_, units, rtol=1e-12)
    assert_allclose(pca.mean_, mean / units, rtol=1e-12)
    assert_allclose(pca.get_covariance(), K / units[:, None] / units, atol=1e-12)
    assert_allclose(pca.get_covariance().diagonal(), 1.0, rtol=1e-12)
    assert_allclose(pca.explained_variance_.sum(), 5.0, rtol=1e-12)
    # Loadings of standardized features are the covariances with standardized scores.
    expected = pca.components_.T * np.sqrt(pca.explained_variance_)
    assert_allclose(pca.loadings(), expected, rtol=1e-10)
    by_hand = (X.mean / pca.feature_scale_ - pca.mean_) @ pca.components_.T
    assert_allclose(pca.transform(X).mean, by_hand, atol=1e-9)


def test_inverse_is_in_the_units_of_the_data(X):
    for parameters in ({}, {"whiten": True}):
        pca = uapca.UAPCA(standardize=True, **parameters).fit(X)
        back = pca.inverse_transform(pca.transform(X))
        assert_allclose(back.mean, X.mean, rtol=1e-10)
        assert_allclose(back.cov.dense(), X.cov.dense(), rtol=1e-8, atol=1e-12)


def test_rescale_and_partial_fit_keep_the_units(X):
    pca = uapca.UAPCA(2, standardize=True).fit(X)
    for s in (0.0, 3.0, np.inf):
        other = uapca.UAPCA(2, standardize=True, scale=s).fit(X)
        assert_array_equal(pca.rescale(s).components_, other.components_)
        assert_array_equal(pca.rescale(s).feature_scale_, other.feature_scale_)
    parts = uapca.UAPCA(2, standardize=True).partial_fit(X[:3]).partial_fit(X[3:])
    assert_allclose(parts.components_, pca.components_, atol=1e-10)
    assert_allclose(parts.feature_scale_, pca.feature_scale_, rtol=1e-12)
    after = uapca.UAPCA(2, standardize=True).fit(X[:9]).partial_fit(X[9:])
    assert_allclose(after.components_, pca.components_, atol=1e-8)


@pytest.mark.parametrize(("solver", "kind"), [("lanczos", "diagonal"), ("svd", "zero")])
def test_without_a_matrix(rng, solver, kind):
    X = random_uncertain(rng, n=30, d=90, kind=kind).affine(np.geomspace(1, 1e4, 90))
    dense = uapca.UAPCA(3, standardize=True).fit(X)
    free = uapca.UAPCA(3, standardize=True, solver=solver).fit(X)
    assert_allclose(free.components_, dense.components_, atol=1e-6)
    assert_allclose(free.mean_, dense.mean_, atol=1e-10)
    assert_allclose(free.transform(X).mean, dense.transform(X).mean, atol=1e-6)
    assert_allclose(free.summary(), dense.summary(), rtol=1e-6)


def test_isotropic_errors_are_not_isotropic_in_units_of_the_features(rng):
    X = random_uncertain(rng, n=20, d=2000, kind="isotropic").affine(np.geomspace(1, 1e3, 2000))
    X = uapca.UncertainArray(X.mean, std=1.5)
    one, other = (uapca.UAPCA(3, standardize=True, solver=s).fit(X) for s in ("auto", "eigh"))
    assert_allclose(one.explained_variance_, other.explained_variance_, rtol=1e-6)
    for solver, scale in (("svd", 1.0), ("lanczos", np.inf)):
        with pytest.raises(ValueError, match=f"got '{solver}', .*without standardize"):
            uapca.UAPCA(3, standardize=True, solver=solver, scale=scale).fit(X)


def test_an_offset_of_1e8_costs_no_digits(rng):
    exact = np.round(rng.standard_normal((50, 3)) * [3, 2, 1] * 1024) / 1024
    near = uapca.UAPCA(standardize=True).fit(exact)
    far = uapca.UAPCA(standardize=True).fit(exact + 2.0**27)
    assert_allclose(far.explained_variance_, near.explained_variance_, rtol=1e-12)
    assert_allclose(far.transform(exact + 2.0**27), near.transform(exact), atol=1e-7)


def test_a_feature_that_does_not_vary_keeps_its_unit(rng):
    points = np.column_stack([rng.standard_normal((9, 2)), np.full(9, 0.1)])
    pca = uapca.UAPCA(standardize=True).fit(points)
    assert pca.feature_scale_[2] == 1.0
    assert_array_equal(pca.loadings().values[2], 0.0)


def test_likelihood_is_a_density_in_the_units_of_the_data(rng):
    points = rng.standard_normal((60, 2)) @ [[1.0, 20.0], [0.0, 30.0]]
    plain, standardized = (
        uapca.UAPCA(standardize=flag).fit(points).score_samples(points) for flag in (False, True)
    )
    assert_allclose(standardized, plain, rtol=1e-10)  # with all components the model is the same


class TestUnwrap:
    def test_a_plain_fit_is_itself(self, X):
        pca = uapca.UAPCA(2).fit(X)
        assert unwrap(pca, X) == (pca, X)
        assert unwrap(pca) == (pca, None)

    def test_a_standardized_fit_becomes_plain(self, X):
        pca = uapca.UAPCA(2, standardize=True).fit(X)
        plain, Z = unwrap(pca, X)
        assert not plain.standardize
        assert pca.standardize
        assert Z.names == X.names
        assert_allclose(plain.transform(Z).mean, pca.transform(X).mean, atol=1e-8)
        again = uapca.UAPCA(2).fit(Z)
        assert_allclose(plain.components_, again.components_, atol=1e-9)
        assert_allclose(plain.get_covariance(), again.get_covariance(), atol=1e-9)
        assert_allclose(plain.mean_, again.mean_, rtol=1e-10)

    def test_pipelines(self, X, rng):
        fit = make_pipeline(uapca.UncertainScaler(), "passthrough", uapca.UAPCA(2)).fit(X)
        pca, Z = unwrap(fit, X)
        assert pca is fit[-1]
        assert_array_equal(pca.transform(Z).mean, fit.transform(X).mean)
        assert unwrap(make_pipeline(uapca.UAPCA(1)).fit(X), X)[1] is X
        points = rng.standard_normal((9, 3))
        fit = make_pipeline(StandardScaler(), uapca.UAPCA(2, standardize=True)).fit(points)
        pca, Z = unwrap(fit, points)
        assert_allclose(pca.transform(Z), fit.transform(points), atol=1e-12)

    def test_pipelines_in_pipelines_and_a_denoiser(self, X):
        inner = make_pipeline(uapca.Denoiser(2), uapca.UAPCA(2, standardize=True))
        fit = make_pipeline(uapca.UncertainScaler(), inner).fit(X)
        pca, Z = unwrap(fit, X)
        assert_allclose(pca.transform(Z).mean, fit.transform(X).mean, atol=1e-9)
        assert_allclose(pca.get_covariance(), uapca.UAPCA().fit(Z).get_covariance(), atol=1e-9)

    def test_what_is_no_fit(self, X):
        with pytest.raises(TypeError, match="^fit must be a UAPCA or a Pipeline that ends in one"):
            unwrap(make_pipeline(uapca.UAPCA(2), uapca.UncertainScaler()).fit(X))
        with pytest.raises(NotFittedError):
            unwrap(uapca.UAPCA())
        with pytest.raises(NotFittedError):
            unwrap(make_pipeline(uapca.UncertainScaler(), uapca.UAPCA()))
