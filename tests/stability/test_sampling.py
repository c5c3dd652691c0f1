"""The sampling baseline: exactly a PCA of the drawn points, and its convergence."""

import re
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import PCA

import uapca
from builders import random_uncertain
from uapca.laws import Samples
from uapca.stability.sampling import make_sampling_experiment


def told(message):
    return f"^{re.escape(message)}$"


@pytest.mark.parametrize("n", [1, 2, 50])
@pytest.mark.parametrize("kind", ["zero", "diagonal", "shared", "dense", "low-rank + diagonal"])
def test_is_the_pca_of_all_points(rng, kind, n):
    X = random_uncertain(rng, kind=kind)
    points = X.sample(n, rng=3).reshape(-1, 5)
    expected = PCA(n_components=3).fit(points)
    found = uapca.fit_by_sampling(X, n, rng=3, n_components=3)
    assert isinstance(found, uapca.UAPCA)
    assert_allclose(found.mean_, points.mean(axis=0), atol=1e-12)
    covariance = np.cov(points.T, bias=True)
    size = np.abs(covariance).max()
    assert_allclose(found.get_covariance(), covariance, atol=1e-13 * size)
    ratio = expected.explained_variance_ratio_
    assert_allclose(found.explained_variance_ratio_, ratio, rtol=1e-10)
    overlap = np.abs((found.components_ * expected.components_).sum(axis=1))
    assert_allclose(overlap, 1.0, atol=1e-9)


def test_weights_names_and_features(rng):
    features = list("abcde")
    X = random_uncertain(rng, weights=rng.uniform(0.1, 2, 12), features=features)
    points = X.sample(40, rng=3)
    weights = np.tile(X.weights / 40, 40)
    expected = np.cov(points.reshape(-1, 5).T, aweights=weights, bias=True)
    found = uapca.fit_by_sampling(X, 40, rng=3)
    assert_allclose(found.get_covariance(), expected, rtol=1e-10, atol=1e-12)
    assert list(found.feature_names_in_) == features


def test_between_and_within_are_estimates_of_their_own(rng):
    X = random_uncertain(rng)
    closed, found = uapca.UAPCA().fit(X), uapca.fit_by_sampling(X, 20_000, rng=0)
    for name in ("between_covariance_", "within_covariance_"):
        expected = getattr(closed, name)
        assert_allclose(getattr(found, name), expected, atol=0.03 * np.abs(expected).max())
    assert uapca.hellinger(found, closed) < 0.02
    assert uapca.hellinger(found.rescale(2.0), closed.rescale(2.0)) < 0.02


def test_laws_are_drawn():
    coin = Samples([[-1.0, -1.0], [1.0, 1.0]])
    X = uapca.UncertainArray(np.zeros((3, 2)), np.ones((2, 2)), laws=[coin] * 3)
    found = uapca.fit_by_sampling(X, 500, rng=0)
    # Normal draws would give a variance near 1, coins give 1 − (their mean)² exactly.
    assert_allclose(found.get_covariance(), 1 - found.mean_[0] ** 2, rtol=1e-12)


def test_an_offset_costs_no_digits(rng):
    X = random_uncertain(rng, kind="diagonal")
    moved = uapca.UncertainArray(X.mean + 2.0**24, std=X.std)
    found, expected = (uapca.fit_by_sampling(x, 300, rng=0) for x in (moved, X))
    assert_allclose(found.get_covariance(), expected.get_covariance(), rtol=1e-6, atol=1e-7)


def test_batches_and_progress(rng, monkeypatch):
    X = random_uncertain(rng, kind="diagonal")
    whole = uapca.fit_by_sampling(X, 25, rng=0)
    monkeypatch.setattr("uapca.stability.simulation._BATCH_BYTES", 12 * 5 * 8 * 10)
    seen = []
    parts = uapca.fit_by_sampling(X, 25, rng=0, progress=lambda *done: seen.append(done))
    assert seen == [(10, 25), (20, 25), (25, 25)]
    assert_allclose(parts.get_covariance(), whole.get_covariance(), atol=1e-12)


# The experiment of the paper


@pytest.fixture(scope="module")
def convergence():
    return uapca.sampling_convergence((2, 5, 8, 12), (10, 100, 1000), 40, rng=1)


def test_distance_falls_like_one_over_the_root(convergence):
    assert_allclose(convergence.slopes(), -0.5, atol=0.06)


def test_distance_grows_with_the_number_of_features(convergence):
    assert (np.diff(convergence.median, axis=0) > 0).all()


def test_experiment_is_that_of_the_paper(rng):
    X = make_sampling_experiment(4, rng)
    assert X.shape == (10, 4)
    assert X.cov.kind == "shared"
    sigma = X.cov.average()[::-1, ::-1]
    many = [make_sampling_experiment(4, np.random.default_rng(seed)) for seed in range(300)]
    # Means from N(0, Σ): whitened by it they are standard.
    whitened = np.concatenate(
        [np.linalg.solve(np.linalg.cholesky(x.cov.average()[::-1, ::-1]), x.mean.T).T for x in many]
    )
    assert_allclose(np.cov(whitened.T), np.eye(4), atol=0.1)
    assert np.linalg.det(sigma) == pytest.approx(np.linalg.det(X.cov.average()), rel=1e-10)


@pytest.mark.parametrize("size", [1 << 20, 1000])
def test_every_run_has_new_samples_from_one_stream(size, monkeypatch):
    """However many are drawn at a time."""
    monkeypatch.setattr("uapca.stability.simulation._BATCH_BYTES", size)
    found = uapca.sampling_convergence((3,), (7,), 4, rng=5)
    rng = np.random.default_rng(5)
    X = make_sampling_experiment(3, rng)
    for distance in found.distances[0, 0]:
        points = X.sample(7, rng).reshape(-1, 3)
        sampled = points.mean(axis=0), np.cov(points.T, bias=True)
        assert distance == pytest.approx(uapca.hellinger(X.pooled(), sampled), abs=1e-12)


def test_reproducible_by_seed(convergence):
    again = uapca.sampling_convergence((2, 5, 8, 12), (10, 100, 1000), 40, rng=1)
    assert_array_equal(again.distances, convergence.distances)
    other = uapca.sampling_convergence((2,), (10,), 3, rng=2)
    assert not np.array_equal(other.distances[0, 0], convergence.distances[0, 0, :3])


def test_too_few_samples_for_the_features_do_not_overlap():
    found = uapca.sampling_convergence((12,), (1,), 3, rng=0)
    assert_array_equal(found.distances, 1.0)


def test_table_and_frame(convergence):
    frame = convergence.to_frame()
    assert list(frame.columns) == ["n_features", "n_samples", "run", "distance"]
    assert len(frame) == 4 * 3 * 40
    medians = frame.groupby(["n_features", "n_samples"])["distance"].median()
    assert_allclose(medians.to_numpy().reshape(4, 3), convergence.median)
    lines = repr(convergence).splitlines()
    assert lines[0] == "SamplingConvergence: median Hellinger distance of 40 runs"
    assert lines[1] == "  features     n=10    n=100   n=1000"
    assert len(lines) == 6


def test_progress_of_the_experiment():
    seen = []
    uapca.sampling_convergence([2, 3], [1, 5], 2, rng=0, progress=lambda *done: seen.append(done))
    assert seen == [(2, 30), (12, 30), (15, 30), (30, 30)]


# Bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dims": [2, 0]}, "dims must be a positive integer; got 0"),
        ({"dims": []}, "dims must have at least one value; got none"),
        (
            {"n_samples": [10, 2.5]},
            "n_samples must be a positive integer; got 2.5",
        ),
        ({"n_runs": -1}, "n_runs must be a positive integer; got -1"),
    ],
)
def test_bad_options_of_the_experiment(options, message):
    with pytest.raises(ValueError, match=told(message)):
        uapca.sampling_convergence(**{"dims": [2], "n_samples": [5], "n_runs": 1, **options})


def test_one_sample_count_has_no_slope():
    found = uapca.sampling_convergence(2, 5, 2, rng=0)
    message = "n_samples must have two or more values for a slope; got 1"
    with pytest.raises(ValueError, match=told(message)):
        found.slopes()


@pytest.mark.parametrize("n", [0, -3, 2.0, "many", True, None])
def test_bad_number_of_samples(rng, n):
    message = f"n_samples must be a positive integer; got {n!r}"
    with pytest.raises(ValueError, match=told(message)):
        uapca.fit_by_sampling(random_uncertain(rng), n)


def test_bad_data_and_components(rng):
    message = "X must be an UncertainArray; got ndarray"
    with pytest.raises(TypeError, match=told(message)):
        uapca.fit_by_sampling(np.eye(3), 5)
    with pytest.raises(ValueError, match="^n_components must be"):
        uapca.fit_by_sampling(random_uncertain(rng), 5, n_components=9)


def test_a_frame_without_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError) as error:
        uapca.sampling_convergence([2], [10], n_runs=1, rng=0).to_frame()
    assert str(error.value) == (
        'to_frame needs pandas; install it with pip install "uapca[frames]"'
    )
