"""In the place of scikit-learn's PCA: what it has for certain points is the same here."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_iris, make_classification
from sklearn.decomposition import PCA

import uapca
from builders import random_uncertain

IRIS = load_iris().data


def points_of(shape, rng):
    return rng.standard_normal(shape) @ rng.standard_normal((shape[1], shape[1])) + 5.0


@pytest.mark.parametrize("shape", [(60, 6), (12, 30), (30, 30)])
@pytest.mark.parametrize("q", [1, 4, 10, None])
def test_whitened_scores(rng, shape, q):
    q = None if q is None else min(q, min(shape) - 1)
    points = points_of(shape, rng)
    ours = uapca.UAPCA(q, ddof=1, whiten=True).fit(points)
    theirs = PCA(q, whiten=True, svd_solver="full").fit(points)
    k = min(shape[1], shape[0] - 1) if q is None else q  # the last has no variance for N ≤ D
    assert_allclose(ours.transform(points)[:, :k], theirs.transform(points)[:, :k], atol=1e-7)
    assert_allclose(ours.transform(points)[:, :k].std(axis=0, ddof=1), 1.0, rtol=1e-9)
    scores = ours.transform(points)
    assert np.isfinite(scores).all()
    back = theirs.inverse_transform(theirs.transform(points))
    assert_allclose(ours.inverse_transform(scores), back, atol=1e-8)


def test_whitened_uncertain_rows(rng):
    X = random_uncertain(rng, n=30, d=4)
    pca = uapca.UAPCA(3, whiten=True).fit(X)
    mean, K = pca.transform(X).pooled()
    assert_allclose(mean, 0.0, atol=1e-12)
    assert_allclose(K, np.eye(3), atol=1e-12)
    assert_array_equal(pca.components_, uapca.UAPCA(3).fit(X).components_)
    assert_allclose(pca.components_ @ pca.components_.T, np.eye(3), atol=1e-12)


@pytest.mark.parametrize("shape", [(60, 6), (12, 30), (8, 100)])
@pytest.mark.parametrize("q", [1, 3, 5])
@pytest.mark.parametrize("solver", ["eigh", "svd", "lanczos"])
def test_likelihood_for_few_and_many_rows(rng, shape, q, solver):
    points = points_of(shape, rng)
    ours = uapca.UAPCA(q, ddof=1, solver=solver).fit(points)
    theirs = PCA(q, svd_solver="full").fit(points)
    assert ours.noise_variance_ == pytest.approx(theirs.noise_variance_, rel=1e-8)
    new = points_of(shape, rng)
    for rows in (points, new):
        assert_allclose(ours.score_samples(rows), theirs.score_samples(rows), rtol=1e-6)
        assert ours.score(rows) == pytest.approx(theirs.score(rows), rel=1e-6)


def test_noise_at_scale_zero_is_that_of_the_means(rng):
    points = points_of((12, 30), rng)
    ours = uapca.UAPCA(3, scale=0.0, ddof=1).fit(points, std=2.0)
    assert ours.noise_variance_ == pytest.approx(PCA(3).fit(points).noise_variance_, rel=1e-9)


@pytest.mark.parametrize("q", [2, None])
def test_precision_is_the_inverse_of_the_covariance(q):
    pca = uapca.UAPCA(q, ddof=1).fit(IRIS)
    assert_allclose(pca.get_covariance() @ pca.get_precision(), np.eye(4), atol=1e-12)
    every = PCA().fit(IRIS)
    assert_allclose(pca.get_precision(), every.get_precision(), rtol=1e-9)
    with pytest.raises(ValueError, match="^K must have full rank to be inverted"):
        uapca.UAPCA().fit(IRIS[:3]).get_precision()


def test_covariance_after_a_matrix_free_fit_is_that_of_the_model():
    points = load_digits().data[:300]
    ours = uapca.UAPCA(5, ddof=1, solver="svd").fit(points)
    theirs = PCA(5, svd_solver="full").fit(points)
    assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-8)
    assert_allclose(ours.get_precision(), theirs.get_precision(), atol=1e-8)


@pytest.mark.parametrize(
    "points",
    [
        IRIS,
        load_digits().data[:, 20:40],
        np.random.default_rng(0).standard_normal((600, 10)),
        make_classification(
            n_features=20,
            n_informative=1,
            n_repeated=18,
            n_redundant=1,
            n_clusters_per_class=1,
            random_state=42,
        )[0],
        np.random.default_rng(1).standard_normal((200, 3)) @ np.diag([9.0, 3.0, 1.0]),
    ],
    ids=["iris", "digits", "noise", "redundant", "apart"],
)
def test_minkas_number_of_components(points):
    assert uapca.UAPCA("mle", ddof=1).fit(points).n_components_ == (
        PCA("mle", svd_solver="full").fit(points).n_components_
    )


def test_minka_finds_the_dimension(rng):
    points = rng.standard_normal((500, 3)) @ rng.standard_normal((3, 8)) * 3
    points += 0.1 * rng.standard_normal(points.shape)
    pca = uapca.UAPCA("mle").fit(points)
    assert pca.n_components_ == 3
    assert pca.rescale(0.0).n_components_ == 3
    parts = uapca.UAPCA("mle").partial_fit(points[:200]).partial_fit(points[200:])
    assert parts.n_components_ == 3
    with pytest.raises(ValueError, match="^n_components='mle' needs certain points"):
        uapca.UAPCA("mle").fit(points[:5])
    assert uapca.UAPCA("mle").fit(points[:, :1]).n_components_ == 1
    assert uapca.UAPCA("mle").fit(np.ones((9, 3))).n_components_ == 1


def test_the_number_of_components_that_stand_out_of_the_errors(rng):
    truth = rng.standard_normal((150, 2)) @ rng.standard_normal((2, 5)) * 4
    X = uapca.UncertainArray(truth + rng.standard_normal(truth.shape), std=1.0)
    assert uapca.UAPCA("auto").fit(X).n_components_ == uapca.component_count(X).count == 2
    noise = uapca.UncertainArray(rng.standard_normal((150, 4)), std=1.0)
    assert uapca.UAPCA("auto").fit(noise).n_components_ == 1  # none stands out; one is kept
    with pytest.raises(ValueError, match="^n_components='auto' needs all rows at once"):
        uapca.UAPCA("auto").partial_fit(X)


@pytest.mark.parametrize("solver", ["eigh", "svd", "lanczos"])
def test_float32(rng, solver):
    points = rng.standard_normal((40, 70)).astype(np.float32)
    pca = uapca.UAPCA(2, solver=solver).fit(points)
    assert pca.components_.dtype == np.float32
    assert pca.transform(points).dtype == np.float32
    exact = uapca.UAPCA(2, solver=solver).fit(points.astype(float))
    assert exact.components_.dtype == np.float64
    assert_allclose(pca.components_, exact.components_, atol=1e-6)
    assert_allclose(pca.explained_variance_, exact.explained_variance_, rtol=1e-6)
    parts = uapca.UAPCA(2).partial_fit(points)
    assert parts.components_.dtype == np.float32
    assert parts.partial_fit(points.astype(float)).components_.dtype == np.float64
