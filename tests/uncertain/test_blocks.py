"""Moments of points: one pass, any offset, any blocks."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from uapca.uncertain import blocks


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
