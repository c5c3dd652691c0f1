"""Gaussian mixtures."""

import numpy as np
import pytest
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture

import uapca
from uapca.laws import Mixture, Normal


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(c, 0.4, (150, 3)) for c in (0.0, 4.0, 9.0)])


def refused(*args, kind=ValueError, **options):
    with pytest.raises(kind) as error:
        uapca.from_mixtures(*args, **options)
    return str(error.value)


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
@pytest.mark.parametrize("model", [GaussianMixture, BayesianGaussianMixture])
def test_all_covariance_types(points, kind, model):
    mixture = model(n_components=2, covariance_type=kind, random_state=0).fit(points)
    X = uapca.from_mixtures({"all": mixture, "again": mixture}, weights={"again": 3, "all": 1})
    draws = mixture.sample(200_000)[0]
    law = X.laws[0]
    assert isinstance(law, Mixture)
    np.testing.assert_allclose(X.mean[0], draws.mean(axis=0), atol=0.05)
    np.testing.assert_allclose(X.cov.dense()[0], np.cov(draws.T), atol=0.2)
    assert X.weights.tolist() == [0.25, 0.75]
    # Densities agree point by point, in a plane: the mixture's own score is the reference.
    flat = law.affine(np.eye(3)[:2])
    marginal = GaussianMixture(2)
    marginal.weights_, marginal.means_ = mixture.weights_, mixture.means_[:, :2]
    marginal.covariances_ = np.stack([c.cov[:2, :2] for c in law.components])
    cholesky = np.linalg.cholesky(np.linalg.inv(marginal.covariances_))
    marginal.precisions_cholesky_ = cholesky
    grid = np.array([[0.1, 0.2], [4.0, 4.1], [8.0, 9.0]])
    values = [flat.density((grid[k, :1], grid[k, 1:]))[0, 0] for k in range(3)]
    np.testing.assert_allclose(values, np.exp(marginal.score_samples(grid)), rtol=1e-6)


def test_number_of_components_by_bic(points):
    labels = ["two"] * 300 + ["one"] * 150
    X = uapca.from_mixtures(points, by=labels, n_components=range(1, 5))
    assert dict(zip(X.names, (len(law.components) for law in X.laws), strict=True)) == {
        "one": 1,
        "two": 2,
    }
    assert X.total_weight == 450
    Y = uapca.from_groups(points, labels)
    np.testing.assert_allclose(X.mean, Y.mean, atol=1e-6)
    np.testing.assert_allclose(X.cov.dense(), Y.cov.dense(), atol=1e-4)


def test_fixed_number_and_few_points(points):
    X = uapca.from_mixtures(points[[0, 1, 200, 201]], by=list("aabb"), n_components=3)
    assert all(len(law.components) <= 2 for law in X.laws)


def test_far_from_zero(points):
    X = uapca.from_mixtures(points, by=["a"] * 450)
    Y = uapca.from_mixtures(points + 1e6, by=["a"] * 450)
    np.testing.assert_allclose(Y.cov.dense(), X.cov.dense(), rtol=1e-6, atol=1e-6)


def test_laws_are_taken_as_they_are():
    law = Mixture([1, 1], [Normal([0.0], [[1.0]]), Normal([4.0], [[1.0]])])
    X = uapca.from_mixtures({"a": law})
    assert X.laws[0] == law
    assert (X.mean.tolist(), X.cov.dense().tolist()) == ([[2.0]], [[[5.0]]])


def test_bad_input(points):
    assert refused(points, kind=TypeError) == (
        "mixtures must be a mapping of labels to fitted mixtures, or points with by=; got ndarray"
    )
    assert refused({"a": GaussianMixture(2)}, kind=TypeError) == (
        "the mixture of 'a' must be a fitted scikit-learn mixture or a law; got one that is "
        "not fitted"
    )
    assert refused({"a": 3}, kind=TypeError) == (
        "the mixture of 'a' must be a fitted scikit-learn mixture or a law; got 3"
    )
    assert refused(points, by=["a"] * 449 + ["b"]) == (
        "every label must have at least two points for a mixture; 'b' has one"
    )
    assert refused(points, by=["a"] * 450, n_components=0) == (
        "n_components must be a positive integer or several; got 0"
    )
    law = Normal([0.0], [[1.0]])
    assert refused({"a": law, "b": law}, weights={"a": 1}) == (
        "weights must have an entry for each label; there is none for 'b'"
    )


def test_weights_by_label_of_fitted_mixtures(points):
    labels = np.repeat([2, 1, 3], 150)
    for weights in ({1: 5.0, 2: 3.0, 3: 2.0}, {"1": 5.0, "2": 3.0, "3": 2.0}):
        X = uapca.from_mixtures(points, by=labels, n_components=1, weights=weights)
        assert X.names == ("1", "2", "3")
        np.testing.assert_allclose(X.weights, [0.5, 0.3, 0.2])
    message = refused(points, by=labels, n_components=1, weights={1: 5.0})
    assert "there is none for '2', '3'" in message


def test_generators_seed_the_fits(points):
    labels = ["a"] * 450

    def fitted(rng):
        return uapca.from_mixtures(points, by=labels, n_components=3, rng=rng).mean

    np.testing.assert_array_equal(
        fitted(np.random.default_rng(1)), fitted(np.random.default_rng(1))
    )
    np.testing.assert_allclose(fitted(2**40), fitted(None), rtol=1e-6)
    assert "rng must be" in refused(points, by=labels, rng=-1)


def test_points_without_a_label(points):
    labels = [None] + ["a"] * 449
    holed = points.copy()
    holed[0] = np.nan
    assert "1 of 450 are missing" in refused(holed, by=labels, n_components=1)
    with pytest.warns(uapca.DroppedRowsWarning, match="1 without a label"):
        X = uapca.from_mixtures(holed, by=labels, n_components=1, missing="drop")
    np.testing.assert_allclose(X.mean[0], points[1:].mean(axis=0))
    assert X.total_weight == 449


def test_covariance_type_is_checked(points):
    message = refused(points, by=["a"] * 450, covariance_type="fulll")
    assert message.startswith("covariance_type must be 'full', 'tied', 'diag' or 'spherical'")
