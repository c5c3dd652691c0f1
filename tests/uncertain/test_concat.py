"""concat."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import uapca
from builders import KINDS, random_uncertain


@pytest.mark.parametrize("first", KINDS)
@pytest.mark.parametrize("second", KINDS)
def test_every_pair_of_representations(rng, first, second):
    X, Y = random_uncertain(rng, kind=first), random_uncertain(rng, n=3, kind=second)
    Z = uapca.concat([X, Y.scaled(2)])
    assert_array_equal(Z.mean, np.concatenate([X.mean, Y.mean]))
    expected = np.concatenate([X.cov.dense(), 4 * Y.cov.dense()])
    assert_allclose(Z.cov.dense(), expected, rtol=1e-14, atol=1e-15)


def test_representation_is_the_simplest(rng):
    def kind(*kinds):
        return uapca.concat([random_uncertain(rng, kind=k) for k in kinds]).cov.kind

    assert kind("zero", "zero") == "zero"
    assert kind("zero", "diagonal", "isotropic") == "diagonal"
    assert kind("low-rank", "zero", "diagonal") == "low-rank"
    assert kind("shared", "zero") == "dense"
    X = random_uncertain(rng, kind="shared")
    assert uapca.concat([X, X]).cov.kind == "shared"


@pytest.mark.parametrize("kind", KINDS)
def test_float32_stays_float32(rng, kind):
    X = random_uncertain(rng, kind=kind, dtype=np.float32)
    Z = uapca.concat([X, X])
    assert Z.mean.dtype == np.float32
    assert all(array.dtype == np.float32 for array in Z.cov.arrays.values())


def test_errors_that_all_rows_share_stay_shared(rng):
    X = random_uncertain(rng, kind="one number")
    assert uapca.concat([X, X]).cov.arrays["std"].shape[0] == 1


def test_weights_keep_their_proportions():
    X = uapca.UncertainArray([[0.0], [1.0]], weights=[3, 1])
    Y = uapca.UncertainArray([[2.0]], weights=[4])
    Z = uapca.concat([X, Y])
    assert_allclose(Z.weights, [3 / 8, 1 / 8, 4 / 8])
    assert Z.total_weight == 8


def test_equal_weights_stay_equal():
    X, Y = uapca.UncertainArray([[0.0], [1.0]]), uapca.UncertainArray([[2.0]])
    assert_array_equal(uapca.concat([X, Y]).weights, np.full(3, 1 / 3))


def test_split_and_concat_is_the_original(rng):
    X = random_uncertain(rng, weights=rng.uniform(size=12), names=list("abcdefghijkl"))
    Y = uapca.concat([X[:5], X[5:]])
    assert Y.names == X.names
    assert_allclose(Y.weights, X.weights, rtol=1e-14)
    assert_array_equal(Y.cov.dense(), X.cov.dense())


def test_names_are_kept_only_if_all_are_distinct():
    X = uapca.UncertainArray([[0.0]], names=["a"])
    assert uapca.concat([X, X]).names is None
    assert uapca.concat([X, uapca.UncertainArray([[0.0]])]).names is None


def test_different_features():
    X = uapca.UncertainArray([[0.0, 1.0]], features=["x", "y"])
    Y = uapca.UncertainArray([[0.0, 1.0]], features=["y", "x"])
    with pytest.raises(
        ValueError,
        match=r"^arrays must have the same features in the same order; array 0 has \('x', 'y'\), "
        r"array 1 has \('y', 'x'\): order them with X\[:, features\]$",
    ):
        uapca.concat([X, Y])
    with pytest.raises(
        ValueError,
        match=r"^arrays must have the same number of features; array 0 has 2, array 1 has 1$",
    ):
        uapca.concat([X, uapca.UncertainArray([[0.0]])])


@pytest.mark.parametrize("arrays", [[], [np.zeros((2, 2))]])
def test_not_uncertain_arrays(arrays):
    with pytest.raises(TypeError, match="^arrays must be UncertainArrays, at least one; got"):
        uapca.concat(arrays)


def test_counts_of_points_and_of_means_are_not_mixed():
    points, labels = np.random.default_rng(0).normal(size=(20, 2)), ["a", "b"] * 10
    spread = uapca.from_groups(points, labels)
    means = uapca.from_groups(points, labels, spread="sem")
    assert uapca.concat([spread, spread[:1]]).counts.tolist() == [10, 10, 10]
    assert uapca.concat([spread, means]).counts is None
