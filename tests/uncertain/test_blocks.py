"""Moments of points: one pass, any offset, any blocks."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from uapca.uncertain import blocks


@pytest.fixture(autouse=True, params=[2 << 20, 1], ids=["one block", "blocks of 4096"])
def block_bytes(request, monkeypatch):
    """With few features the real size would put all points of a test into one block."""
    monkeypatch.setattr(blocks, "_BLOCK_BYTES", request.param)


@pytest.mark.parametrize("n", [1, 2, 7, 3000, 9000])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_moments(rng, n, weighted, dtype):
    points = (rng.standard_normal((n, 4)) + [1, 2, 3, 4]).astype(dtype)
    w = rng.uniform(0, 1, n) if weighted else np.ones(n)
    w /= w.sum()
    mean, covariance = blocks.moments(points, w if weighted else None)
    exact = points.astype(float)
    assert_allclose(mean, w @ exact, rtol=1e-13)
    centred = exact - w @ exact
    assert_allclose(covariance, (centred.T * w) @ centred, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("n", [500, 9000])
def test_an_offset_changes_nothing_but_the_mean(rng, n):
    """Points on a grid that float64 holds exactly at the offset: any difference is ours."""
    points = np.round(rng.standard_normal((n, 3)) * 1024) / 1024
    here = blocks.moments(points)[1]
    there = blocks.moments(points + 2.0**27)[1]
    assert_allclose(there, here, rtol=1e-13, atol=1e-16)


def test_drift_between_blocks(rng):
    """Sorted data, every block elsewhere: the merge of blocks carries all of the variance."""
    points = np.sort(rng.uniform(0, 1e6, (20_000, 2)), axis=0)
    assert_allclose(blocks.moments(points)[1], np.cov(points.T, bias=True), rtol=1e-12)


@pytest.mark.parametrize("far", [0.0, 1.9, 2.1, 1e3, 2.0**27])
def test_blocks_that_leave_zero_and_come_back(far):
    """The first blocks lie about zero, so they are multiplied as they are; then the data jumps."""
    rng = np.random.default_rng(0)
    points = np.round(rng.standard_normal((40_000, 3)) * [1024, 64, 4096]) / 1024
    points[15_000:30_000, 1] += far
    exact = np.cov((points - points.mean(axis=0)).T.astype(np.longdouble), bias=True)
    size = np.sqrt(np.outer(exact.diagonal(), exact.diagonal()))
    # Where a block is multiplied as it is it sums 4096 terms that are all but equal.
    assert (np.abs(blocks.moments(points)[1] - exact) < 1e-13 * size).all()
    assert (np.abs(blocks.moments(points[:, ::-1])[1][::-1, ::-1] - exact) < 1e-14 * size).all()


@pytest.mark.parametrize("n", [1, 300, 20_000])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_constant_feature_has_no_variance(rng, n, weighted):
    """Far from zero by any measure of its own spread, and 0.1 is no sum of powers of two."""
    points = rng.standard_normal((n, 3))
    w = rng.uniform(0, 1, n) if weighted else None
    for constant in (0.1, 0.0):
        points[:, 1] = constant
        mean, covariance = blocks.moments(points, w)
        assert np.abs(covariance[1]).max() == 0.0
        assert mean[1] == constant


@pytest.mark.parametrize("n", [300, 20_000])
def test_squares_that_overflow_only_from_zero(rng, n):
    """A common offset is gone before anything is squared, and nothing warns."""
    points = np.full((n, 2), 1.1e200)
    points[:, 0] = 1e140 * rng.standard_normal(n) + 1e155
    mean, covariance = blocks.moments(points)
    assert mean[1] == 1.1e200
    assert_array_equal(covariance[1], [0.0, 0.0])
    assert_allclose(covariance[0, 0] / 1e280, np.var((points[:, 0] - 1e155) / 1e140), rtol=1e-12)


def test_a_heavy_block_far_from_light_ones(rng):
    """A block is not measured from a mean that hardly counts."""
    points = np.round(rng.standard_normal((9000, 3)) * 1024) / 1024
    points[4500:] += 2.0**27
    w = np.where(np.arange(9000) < 4500, 1e-40, 1.0)
    heavy = points[4500:] - 2.0**27
    assert_allclose(blocks.moments(points, w)[1], np.cov(heavy.T, bias=True), rtol=1e-12)


def test_light_points_far_from_heavy_ones_cost_no_digits(rng):
    """The heavy ones are neither measured from the light ones' mean nor is theirs found from it."""
    points = np.round(rng.standard_normal((13_000, 3)) * 1024) / 1024
    points[0] = [1e8, -3e8, 0.0]
    w = np.where(np.arange(13_000) < 5000, 1e-40, 1.0)
    mean, covariance = blocks.moments(points, w)
    assert_allclose(covariance, np.cov(points[5000:].T, bias=True), rtol=1e-13, atol=1e-15)
    assert_allclose(mean, points[5000:].mean(axis=0), rtol=0, atol=1e-15)


def test_zero_weights_at_the_start(rng):
    points = rng.standard_normal((9000, 3))
    w = np.zeros(9000)
    w[8000:] = 1e-3
    assert_allclose(
        blocks.moments(points, w)[1], np.cov(points[8000:].T, bias=True), rtol=1e-12, atol=1e-15
    )


@pytest.mark.parametrize("n", [100, 9000])
def test_a_point_without_weight_may_lie_anywhere(rng, n):
    points = rng.standard_normal((n, 3))
    w = np.ones(n)
    w[0] = 0.0
    expected = np.cov(points[1:].T, bias=True)
    points[0] = 1e15
    assert_allclose(blocks.moments(points, w)[1], expected, rtol=1e-11)


def test_input_is_not_changed(rng):
    points = rng.standard_normal((9000, 3))
    before = points.copy()
    blocks.moments(points)
    blocks.moments(points, np.full(9000, 1 / 9000))
    assert_array_equal(points, before)


def test_row_blocks_cover_every_row_once():
    rows = [i for block in blocks.row_blocks(10_001, 500) for i in range(block.start, block.stop)]
    assert rows == list(range(10_001))
