"""The paper's synthetic data show what the paper shows."""

import numpy as np
import pytest

import uapca
from uapca.datasets import (
    make_crossings,
    make_error_models,
    make_sampling_experiment,
    make_teaser,
)


@pytest.mark.parametrize(
    ("s", "outermost"),
    [
        (0, {"red", "green"}),
        (0.5, {"red", "green"}),
        (0.8, {"blue", "orange"}),
        (1, {"blue", "orange"}),
    ],
)
def test_teaser(s, outermost):
    X = make_teaser()
    means = uapca.UAPCA(1, scale=s).fit(X).transform(X).mean[:, 0]
    assert {X.names[means.argmin()], X.names[means.argmax()]} == outermost


def test_crossings_are_two_and_avoided():
    pca = uapca.UAPCA().fit(make_crossings())
    scales = np.linspace(0, 1, 2001)
    K = pca.between_covariance_ + scales[:, None, None] ** 2 * pca.within_covariance_
    gaps = np.diff(np.linalg.eigvalsh(K)[:, ::-1], axis=1) * -1
    minima = [
        (pair, scales[i])
        for pair in (0, 1)
        for i in range(1, 2000)
        if gaps[i, pair] < min(gaps[i - 1, pair], gaps[i + 1, pair])
    ]
    assert [pair for pair, _ in minima] == [0, 1]
    assert [s for _, s in minima] == pytest.approx([0.37, 0.54], abs=0.01)
    assert 0.01 < gaps.min() < 0.3


def test_error_models():
    certain, isotropic, arbitrary = (uapca.UAPCA().fit(X) for X in make_error_models())
    np.testing.assert_allclose(
        np.abs(certain.components_ @ isotropic.components_.T), np.eye(2), atol=1e-12
    )
    np.testing.assert_allclose(
        isotropic.explained_variance_ - certain.explained_variance_, 0.25, rtol=1e-12
    )
    assert abs(certain.components_[0] @ arbitrary.components_[0]) < 0.6


@pytest.mark.parametrize("d", [1, 2, 12])
def test_sampling_experiment(d):
    X = make_sampling_experiment(d, rng=3)
    Y = make_sampling_experiment(d, rng=np.random.default_rng(3))
    assert X.shape == (10, d)
    np.testing.assert_array_equal(X.mean, Y.mean)
    assert not np.array_equal(X.mean, make_sampling_experiment(d, rng=4).mean)


def test_sampling_experiment_draws_means_from_the_reversed_covariance():
    covs, outer = np.zeros((3, 3)), np.zeros((3, 3))
    rng = np.random.default_rng(0)
    for _ in range(2000):
        X = make_sampling_experiment(3, rng)
        sigma = X.cov.dense()[0][::-1, ::-1]
        root = np.linalg.inv(np.linalg.cholesky(sigma))
        outer += root @ (X.mean.T @ X.mean / 10) @ root.T
        covs += sigma
    # 20,000 whitened means: their covariance is the unit matrix within 5 standard errors.
    np.testing.assert_allclose(outer / 2000, np.eye(3), atol=5 * np.sqrt(2 / 20_000))


def test_bad_dimension():
    with pytest.raises(ValueError) as error:
        make_sampling_experiment(0)
    assert str(error.value) == "n_features must be a positive integer; got 0"


def test_rows_are_normals():
    """What the docstrings call normals is known to be more than moments."""
    uncertain = uapca.datasets.make_error_models()[1:]
    others = [getattr(uapca.datasets, f"make_{name}")() for name in ("teaser", "crossings")]
    for X in (*uncertain, *others, uapca.datasets.make_progression()):
        for law, mean, cov in zip(X.laws, X.mean, X.cov.dense(), strict=True):
            assert law == uapca.laws.Normal(mean, cov)
