"""Manners: scikit-learn's own checks, pipelines, searches, data frames."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import uapca
from builders import random_uncertain


@pytest.mark.parametrize("estimator", [uapca.UAPCA(), uapca.UncertainScaler()])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_check_estimator(estimator):
    results = check_estimator(estimator, on_fail=None, on_skip=None)
    assert len(results) > 40
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    assert failed == {}
    # Array API inputs are opt-in, for PCA as well.
    assert {r["check_name"] for r in results if r["status"] == "skipped"} <= {
        "check_array_api_input"
    }


@pytest.mark.parametrize("q", [None, 2, 0.7])
@pytest.mark.parametrize("shape", [(50, 6), (300, 12)])
def test_certain_points_are_scikit_learns_pca(rng, q, shape):
    points = rng.standard_normal(shape) @ rng.standard_normal((shape[1], shape[1]))
    ours, theirs = uapca.UAPCA(q, ddof=1).fit(points), PCA(q).fit(points)
    assert ours.n_components_ == theirs.n_components_
    assert ours.n_samples_ == theirs.n_samples_
    assert ours.n_features_in_ == theirs.n_features_in_
    for name in (
        "mean_",
        "components_",
        "explained_variance_",
        "explained_variance_ratio_",
        "singular_values_",
    ):
        assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9, atol=1e-12)
    assert ours.noise_variance_ == pytest.approx(theirs.noise_variance_, rel=1e-9)
    assert_allclose(ours.transform(points), theirs.transform(points), atol=1e-10)
    scores = theirs.transform(points)
    assert_allclose(ours.inverse_transform(scores), theirs.inverse_transform(scores), atol=1e-10)


def test_pipeline_of_uncertain_rows(rng):
    X = random_uncertain(rng, n=20, d=4, features=list("abcd"))
    Y = make_pipeline(uapca.UncertainScaler(), uapca.UAPCA(2)).fit_transform(X)
    assert isinstance(Y, uapca.UncertainArray)
    Z = uapca.UAPCA(2).fit_transform(uapca.UncertainScaler().fit_transform(X))
    assert_array_equal(Y.mean, Z.mean)


def test_pipeline_into_a_regression(rng):
    points, y = rng.standard_normal((60, 5)), rng.standard_normal(60)
    model = make_pipeline(uapca.UncertainScaler(), uapca.UAPCA(3), LinearRegression())
    assert model.fit(points, y).predict(points).shape == (60,)


def test_grid_search(rng):
    points = rng.standard_normal((80, 2)) @ rng.standard_normal((2, 5)) * 3
    points += 0.1 * rng.standard_normal(points.shape)
    search = GridSearchCV(uapca.UAPCA(), {"n_components": [1, 2, 3, 4]}, cv=4).fit(points)
    reference = GridSearchCV(PCA(), {"n_components": [1, 2, 3, 4]}, cv=4).fit(points)
    assert search.best_params_ == reference.best_params_


def test_clone_and_parameters():
    pca = uapca.UAPCA(3, scale=0.5, ddof=1, solver="eigh")
    assert clone(pca).get_params() == {
        "n_components": 3,
        "scale": 0.5,
        "standardize": False,
        "ddof": 1,
        "solver": "eigh",
        "whiten": False,
    }
    assert repr(pca) == "UAPCA(ddof=1, n_components=3, scale=0.5, solver='eigh')"


@pytest.mark.parametrize("estimator", [uapca.UAPCA(2), uapca.UncertainScaler()])
def test_pandas_in_and_out(rng, estimator):
    frame = pd.DataFrame(rng.standard_normal((10, 3)), columns=["x", "y", "z"])
    frame.index = pd.Index([f"i{k}" for k in range(10)])
    result = clone(estimator).set_output(transform="pandas").fit_transform(frame)
    assert isinstance(result, pd.DataFrame)
    assert list(result.index) == list(frame.index)
    fitted = clone(estimator).fit(frame)
    assert list(fitted.feature_names_in_) == ["x", "y", "z"]
    assert list(result.columns) == list(fitted.get_feature_names_out())
    with pytest.raises(ValueError, match="feature names"):
        fitted.transform(frame[["y", "x", "z"]])


def test_uncertain_rows_pass_by_set_output(rng):
    X = random_uncertain(rng, n=10, d=3)
    pipeline = make_pipeline(uapca.UncertainScaler(), uapca.UAPCA(2)).set_output(transform="pandas")
    assert isinstance(pipeline.fit_transform(X), uapca.UncertainArray)
    assert isinstance(pipeline.transform(X), uapca.UncertainArray)
    assert isinstance(uapca.UAPCA(2).set_output(transform="pandas").fit_transform(X), type(X))


def test_feature_names(rng):
    assert list(uapca.UAPCA(2).fit(rng.standard_normal((5, 3))).get_feature_names_out()) == [
        "PC1",
        "PC2",
    ]
    X = random_uncertain(rng, n=5, d=3, features=["x", "y", "z"])
    assert list(uapca.UncertainScaler().fit(X).get_feature_names_out()) == ["x", "y", "z"]


def test_refitting_on_unnamed_features_forgets_the_names(rng):
    pca = uapca.UAPCA().fit(random_uncertain(rng, d=3, features=["x", "y", "z"]))
    pca.fit(random_uncertain(rng, d=3))
    assert not hasattr(pca, "feature_names_in_")


def test_pickling(rng):
    import pickle

    X = random_uncertain(rng)
    pca = pickle.loads(pickle.dumps(uapca.UAPCA(2).fit(X)))
    Y = pickle.loads(pickle.dumps(X))
    assert_array_equal(pca.transform(Y).mean, pca.transform(X).mean)
    with pytest.raises(ValueError, match="read-only"):
        Y.mean[0, 0] = 1


def test_grid_search_over_uncertain_rows(rng):
    X = random_uncertain(rng, n=40, d=4)
    search = GridSearchCV(uapca.UAPCA(), {"n_components": [1, 2, 3]}, cv=4).fit(X)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_rescale_keeps_set_output(rng):
    points = rng.standard_normal((9, 3))
    pca = uapca.UAPCA(2).set_output(transform="pandas").fit(points)
    assert isinstance(pca.rescale(0.0).transform(points), pd.DataFrame)


def test_set_output_after_rescale_leaves_the_first_as_it_is(rng):
    points = rng.standard_normal((10, 3))
    pca = uapca.UAPCA(2).set_output(transform="default").fit(points)
    pca.rescale(0.0).set_output(transform="pandas")
    assert isinstance(pca.transform(points), np.ndarray)


@pytest.mark.parametrize("estimator", [uapca.UAPCA(2), uapca.UncertainScaler()])
def test_inverse_keeps_float32(rng, estimator):
    points = rng.standard_normal((9, 3)).astype(np.float32)
    fitted = clone(estimator).fit(points)
    assert fitted.inverse_transform(fitted.transform(points)).dtype == np.float32
