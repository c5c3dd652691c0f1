"""Fitting in parts is fitting at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.decomposition import PCA

import uapca
from builders import KINDS, random_uncertain


def assert_same_fit(a, b, rtol=1e-11):
    assert (a.n_components_, a.n_samples_, a.n_features_in_) == (
        b.n_components_,
        b.n_samples_,
        b.n_features_in_,
    )
    size = np.abs(b.get_covariance()).max()
    assert_allclose(a.mean_, b.mean_, rtol=1e-14, atol=1e-13 * np.sqrt(size))
    assert_allclose(a.between_covariance_, b.between_covariance_, atol=1e-12 * size)
    assert_allclose(a.within_covariance_, b.within_covariance_, atol=1e-12 * size)
    assert_allclose(a.explained_variance_, b.explained_variance_, atol=1e-12 * size)
    assert_allclose(a.components_, b.components_, atol=rtol * 100)


def digits(points, offset):
    """Points rounded so that all their digits fit at the offset."""
    return np.round(np.asarray(points) * 1024) / 1024 + offset


@pytest.mark.parametrize("offset", [0.0, 1e8])
@given(cuts=st.lists(st.integers(1, 199), max_size=8, unique=True))
def test_points(offset, cuts):
    rng = np.random.default_rng(len(cuts))
    points = digits(rng.standard_normal((200, 4)) * [9, 5, 3, 1], offset)
    parts = uapca.UAPCA(2)
    for part in np.split(points, sorted(cuts)):
        parts.partial_fit(part)
    assert_same_fit(parts, uapca.UAPCA(2).fit(points))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_uncertain_rows_of_every_kind(rng, kind, offset):
    X = random_uncertain(rng, n=40, d=5, kind=kind, weights=rng.uniform(0.1, 2, 40))
    X = uapca.UncertainArray(digits(X.mean, offset), X.cov, weights=X.weights * X.total_weight)
    parts = uapca.UAPCA(3, scale=0.7, ddof=1)
    for rows in (slice(0, 2), slice(2, 20), slice(20, 40)):
        parts.partial_fit(X[rows])
    assert_same_fit(parts, uapca.UAPCA(3, scale=0.7, ddof=1).fit(X))


def test_parts_of_different_kinds_are_their_concatenation(rng):
    parts = [
        random_uncertain(rng, n=n, d=4, kind=kind, weights=rng.uniform(0, 3, n))
        for n, kind in ((5, "zero"), (7, "diagonal"), (9, "dense"), (4, "shared"), (6, "low-rank"))
    ]
    fitted = uapca.UAPCA()
    for part in parts:
        fitted.partial_fit(part)
    whole = uapca.UAPCA().fit(uapca.concat(parts))
    assert_same_fit(fitted, whole)
    for s in (0.0, 2.0, np.inf):
        assert_allclose(fitted.rescale(s).components_, whole.rescale(s).components_, atol=1e-9)


def test_errors_and_weights_of_points(rng):
    points, std = rng.standard_normal((90, 3)), rng.uniform(0, 1, (90, 3))
    weights = rng.uniform(0, 1, 90)
    fitted = uapca.UAPCA()
    for rows in np.split(np.arange(90), 3):
        fitted.partial_fit(points[rows], std=std[rows], sample_weight=weights[rows])
    assert_same_fit(fitted, uapca.UAPCA().fit(points, std=std, sample_weight=weights))


def test_aggregates_of_parts_are_the_aggregate(rng):
    # The law of total variance, through two reductions and any cut.
    points, labels = rng.standard_normal((3000, 4)) * [4, 3, 2, 1], rng.integers(0, 9, 3000)
    fitted = uapca.UAPCA()
    for rows in np.split(np.arange(3000), [10, 500, 2999]):
        fitted.partial_fit(uapca.from_groups(points[rows], labels[rows]))
    assert_allclose(fitted.get_covariance(), np.cov(points.T, ddof=0), atol=1e-12 * 16)


def test_after_a_fit_it_goes_on(rng):
    points = rng.standard_normal((100, 3))
    fitted = uapca.UAPCA(ddof=1).fit(points[:60]).partial_fit(points[60:])
    assert_same_fit(fitted, uapca.UAPCA(ddof=1).fit(points))
    X = random_uncertain(rng, n=30, d=3, weights=rng.uniform(0.1, 1, 30))
    assert_same_fit(uapca.UAPCA().fit(X[:10]).partial_fit(X[10:]), uapca.UAPCA().fit(X))
    assert_same_fit(fitted.fit(points[:9]), uapca.UAPCA(ddof=1).fit(points[:9]))
    again = fitted.partial_fit(points[9:])
    assert_same_fit(again, uapca.UAPCA(ddof=1).fit(points))
    assert not hasattr(clone(fitted), "components_")


def test_scikit_learns_pca(rng):
    points = rng.standard_normal((500, 6)) @ rng.standard_normal((6, 6))
    ours, theirs = uapca.UAPCA(3, ddof=1), PCA(3).fit(points)
    for part in np.split(points, 5):
        ours.partial_fit(part)
    assert_allclose(ours.components_, theirs.components_, atol=1e-11)
    assert_allclose(ours.explained_variance_, theirs.explained_variance_, rtol=1e-12)
    assert_allclose(ours.singular_values_, theirs.singular_values_, rtol=1e-12)
    assert_allclose(ours.transform(points), theirs.transform(points), atol=1e-11)


def test_as_many_components_as_there_can_be():
    points = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 5.0], [3.0, 1.0, 1.0], [4.0, 4.0, 0.0]])
    fitted = uapca.UAPCA(3)
    counts = [fitted.partial_fit(point[None]).n_components_ for point in points]
    assert counts == [1, 2, 3, 3]
    assert uapca.UAPCA(3).partial_fit(points[:1], std=0.1).n_components_ == 3
    with pytest.raises(ValueError, match="n_components must be an integer from 1 to"):
        uapca.UAPCA(4).partial_fit(points)
    share = uapca.UAPCA(0.9)
    for point in points:
        share.partial_fit(point[None])
    assert share.n_components_ == uapca.UAPCA(0.9).fit(points).n_components_


def test_few_rows_so_far_can_be_rescaled():
    points = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 5.0], [3.0, 1.0, 1.0]])
    fitted = uapca.UAPCA(3).partial_fit(points[:2])
    assert fitted.n_components_ == fitted.rescale(0.0).n_components_ == 2
    fitted.partial_fit(points[2:])
    assert fitted.rescale(0.0).n_components_ == 3
    with pytest.raises(ValueError, match="n_components must be an integer from 1 to"):
        uapca.UAPCA(2).partial_fit(points).set_params(n_components=4).rescale(0.0)


def test_the_number_of_rows_seen(rng):
    points = rng.standard_normal((10, 3))
    fitted = uapca.UAPCA(2)
    assert not hasattr(fitted, "n_samples_seen_")
    assert fitted.partial_fit(points).partial_fit(points[:4]).n_samples_seen_ == 14
    assert fitted.fit(points).n_samples_seen_ == 10


def test_how_far_off_a_fit_may_be_to_which_parts_come(rng):
    whole = np.round(rng.standard_normal((1000, 3)) * 1024) / 1024
    expected = np.cov(whole.T, ddof=0)
    far = whole + 1e8
    after = uapca.UAPCA().fit(far[:300]).partial_fit(far[300:]).between_covariance_
    parts = uapca.UAPCA().partial_fit(far[:300]).partial_fit(far[300:]).between_covariance_
    assert abs(after - expected).max() < 1e-9
    assert abs(parts - expected).max() < 1e-13


def test_whole_weights_are_repetitions(rng):
    points, times = rng.standard_normal((2, 4)), np.array([3.0, 2.0])
    weighted = uapca.UAPCA().partial_fit(points, sample_weight=times)
    repeated = uapca.UAPCA().partial_fit(np.repeat(points, [3, 2], axis=0))
    assert weighted.n_components_ == repeated.n_components_ == 4
    assert_allclose(weighted.components_[:1], repeated.components_[:1], atol=1e-12)


def test_names_and_numbers_of_features(rng):
    X = random_uncertain(rng, n=10, d=3, features=list("abc"))
    fitted = uapca.UAPCA().partial_fit(X)
    with pytest.raises(ValueError, match="feature 0 is 'x' instead of 'a'"):
        fitted.partial_fit(random_uncertain(rng, n=10, d=3, features=list("xbc")))
    with pytest.raises(ValueError, match="have the 3 features of the fit; got 2"):
        fitted.partial_fit(random_uncertain(rng, n=10, d=2))
    assert fitted.n_samples_ == 10
    plain = uapca.UAPCA().partial_fit(np.eye(3))
    with pytest.raises(ValueError, match="X has 2 features, but UAPCA is expecting 3 features"):
        plain.partial_fit(np.zeros((4, 2)))


def test_a_bad_part_changes_nothing(rng):
    points = rng.standard_normal((20, 3))
    fitted = uapca.UAPCA().partial_fit(points)
    before = fitted.components_.copy()
    bad = points.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match="X must be finite; got NaN at row 3, feature 1"):
        fitted.partial_fit(bad)
    assert_allclose(fitted.components_, before, rtol=0)
    assert_same_fit(fitted.partial_fit(points), uapca.UAPCA().fit(np.r_[points, points]))


def test_solvers_without_a_matrix_are_refused(rng):
    with pytest.raises(ValueError) as error:
        uapca.UAPCA(1, solver="svd").partial_fit(rng.standard_normal((5, 3)))
    assert str(error.value) == (
        "solver must be 'auto' or 'eigh' for partial_fit, which keeps D × D matrices; got 'svd'"
    )
