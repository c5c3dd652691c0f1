"""The accumulator: any offset, any blocks, any groups."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from uapca.aggregate import Moments, accumulate
from uapca.aggregate.accumulate import group_order, grouped_sums, moments


@pytest.fixture(autouse=True, params=[1 << 18, 1], ids=["large blocks", "small blocks"])
def size_of_blocks(request, monkeypatch):
    monkeypatch.setattr(accumulate, "_BLOCK_VALUES", request.param)


def summed(points, codes, n_groups, weights=None):
    sums = grouped_sums(points, codes, n_groups, weights)
    return sums, sums.errors.T


@pytest.mark.parametrize("n", [1, 2, 7, 3000, 9000])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_moments(rng, n, weighted, dtype):
    points = (rng.standard_normal((n, 4)) + [1, 2, 3, 4]).astype(dtype)
    w = rng.uniform(0, 1, n) if weighted else np.ones(n)
    w /= w.sum()
    mean, covariance = moments(points, w if weighted else None)
    exact = points.astype(float)
    assert_allclose(mean, w @ exact, rtol=1e-13)
    centered = exact - w @ exact
    assert_allclose(covariance, (centered.T * w) @ centered, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("n", [500, 9000])
def test_an_offset_changes_nothing_but_the_mean(rng, n):
    """Points on a grid that float64 holds exactly at the offset: any difference is ours."""
    points = np.round(rng.standard_normal((n, 3)) * 1024) / 1024
    here = moments(points)[1]
    there = moments(points + 2.0**27)[1]
    assert_allclose(there, here, rtol=1e-13, atol=1e-16)


def test_drift_between_blocks(rng):
    """Sorted data, every block elsewhere: the merge of blocks carries all of the variance."""
    points = np.sort(rng.uniform(0, 1e6, (20_000, 2)), axis=0)
    assert_allclose(moments(points)[1], np.cov(points.T, bias=True), rtol=1e-12)


@pytest.mark.parametrize("far", [0.0, 1.9, 2.1, 1e3, 2.0**27])
def test_blocks_that_leave_zero_and_come_back(far):
    """The first blocks lie about zero; then the data jumps."""
    rng = np.random.default_rng(0)
    points = np.round(rng.standard_normal((40_000, 3)) * [1024, 64, 4096]) / 1024
    points[15_000:30_000, 1] += far
    exact = np.cov((points - points.mean(axis=0)).T.astype(np.longdouble), bias=True)
    size = np.sqrt(np.outer(exact.diagonal(), exact.diagonal()))
    # Where it jumps within a block, 4096 terms are summed that are all but equal.
    assert (np.abs(moments(points)[1] - exact) < 2e-14 * size).all()
    assert (np.abs(moments(points[:, ::-1])[1][::-1, ::-1] - exact) < 2e-14 * size).all()


@pytest.mark.parametrize("n", [1, 300, 20_000])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_constant_feature_has_no_variance(rng, n, weighted):
    """Far from zero by any measure of its own spread, and 0.1 is no sum of powers of two."""
    points = rng.standard_normal((n, 3))
    w = rng.uniform(0, 1, n) if weighted else None
    for constant in (0.1, 0.0):
        points[:, 1] = constant
        mean, covariance = moments(points, w)
        assert np.abs(covariance[1]).max() == 0.0
        assert mean[1] == constant


@pytest.mark.parametrize("n", [300, 20_000])
def test_squares_that_overflow_only_from_zero(rng, n):
    """A common offset is gone before anything is squared, and nothing warns."""
    points = np.full((n, 2), 1.1e200)
    points[:, 0] = 1e140 * rng.standard_normal(n) + 1e155
    mean, covariance = moments(points)
    assert mean[1] == 1.1e200
    assert_array_equal(covariance[1], [0.0, 0.0])
    assert_allclose(covariance[0, 0] / 1e280, np.var((points[:, 0] - 1e155) / 1e140), rtol=1e-12)


def test_a_heavy_block_far_from_light_ones(rng):
    """A block is not measured from a mean that hardly counts."""
    points = np.round(rng.standard_normal((9000, 3)) * 1024) / 1024
    points[4500:] += 2.0**27
    w = np.where(np.arange(9000) < 4500, 1e-40, 1.0)
    heavy = points[4500:] - 2.0**27
    assert_allclose(moments(points, w)[1], np.cov(heavy.T, bias=True), rtol=1e-12)


def test_light_points_far_from_heavy_ones_cost_no_digits(rng):
    """The heavy ones are neither measured from the light ones' mean nor is theirs found from it."""
    points = np.round(rng.standard_normal((13_000, 3)) * 1024) / 1024
    points[0] = [1e8, -3e8, 0.0]
    w = np.where(np.arange(13_000) < 5000, 1e-40, 1.0)
    mean, covariance = moments(points, w)
    assert_allclose(covariance, np.cov(points[5000:].T, bias=True), rtol=1e-13, atol=1e-15)
    assert_allclose(mean, points[5000:].mean(axis=0), rtol=0, atol=1e-15)


@pytest.mark.parametrize("value", [0.0, 1e300, np.nan])
def test_zero_weights_at_the_start(rng, value):
    points = rng.standard_normal((9000, 3))
    points[:8000] += value
    w = np.zeros(9000)
    w[8000:] = 1e-3
    assert_allclose(
        moments(points, w)[1], np.cov(points[8000:].T, bias=True), rtol=1e-12, atol=1e-15
    )


@pytest.mark.parametrize("n", [100, 9000])
def test_a_point_without_weight_may_lie_anywhere(rng, n):
    points = rng.standard_normal((n, 3))
    w = np.ones(n)
    w[0] = 0.0
    expected = np.cov(points[1:].T, bias=True)
    points[0] = 1e15
    assert_allclose(moments(points, w)[1], expected, rtol=1e-11)


def test_input_is_not_changed(rng):
    points = rng.standard_normal((9000, 3))
    before = points.copy()
    moments(points)
    moments(points, np.full(9000, 1 / 9000))
    assert_array_equal(points, before)


@pytest.mark.parametrize("n_groups", [1, 255, 256, 70_000])
def test_order_is_stable_for_any_number_of_groups(n_groups):
    codes = np.random.default_rng(0).integers(-1, n_groups, 5000)
    order, counts = group_order(codes, n_groups)
    kept = np.flatnonzero(codes >= 0)
    np.testing.assert_array_equal(order, kept[np.argsort(codes[kept], kind="stable")])
    np.testing.assert_array_equal(counts, np.bincount(codes[kept], minlength=n_groups))


def test_blocks_do_not_show():
    points = np.random.default_rng(1).standard_normal((20_000, 3)) + 5
    sums = grouped_sums(points, np.zeros(20_000, dtype=int), 1)
    np.testing.assert_allclose(sums.means[0], points.mean(axis=0), rtol=1e-13)
    cov = sums.scatters[0] / 20_000
    np.testing.assert_allclose(cov, np.cov(points.T, ddof=0), rtol=1e-12, atol=1e-14)


def test_a_group_without_points():
    sums = grouped_sums(np.ones((2, 1)), np.array([2, -1]), 3)
    assert sums.counts.tolist() == [0, 0, 1]
    assert sums.means.ravel().tolist() == [0.0, 0.0, 1.0]
    assert sums.scatters.ravel().tolist() == [0.0, 0.0, 0.0]


def test_a_first_point_far_out_costs_no_digits():
    rng = np.random.default_rng(2)
    points = np.concatenate([[[1e6, -1e6]], rng.standard_normal((50_000, 2))])
    sums = grouped_sums(points, np.zeros(len(points), dtype=int), 1)
    cov = sums.scatters[0] / len(points)
    np.testing.assert_allclose(cov, np.cov(points.T, ddof=0), rtol=1e-11)


def test_a_point_of_no_weight_far_out_costs_no_digits():
    rng = np.random.default_rng(3)
    points = np.concatenate([[[1e12, -1e12]], rng.standard_normal((5_000, 2))])
    weights = np.r_[0.0, np.ones(5_000)]
    for rows in (slice(None), slice(40)):
        part, w = points[rows], weights[rows]
        sums = grouped_sums(part, np.zeros(len(part), dtype=int), 1, w)
        cov = sums.scatters[0] / sums.weights[0]
        np.testing.assert_allclose(cov, np.cov(part[1:].T, ddof=0), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", ["C", "F"])
def test_many_tiny_groups_equal_one_by_one(dtype, layout):
    rng = np.random.default_rng(4)
    codes = rng.integers(-1, 900, 5000)
    points = rng.standard_normal((5000, 3)).astype(dtype, order=layout)
    sums = grouped_sums(points, codes, 900)
    for k in range(900):
        part = points[codes == k].astype(float)
        if len(part):
            centered = part - part.mean(axis=0)
            np.testing.assert_allclose(sums.means[k], part.mean(axis=0), rtol=1e-13, atol=1e-14)
            np.testing.assert_allclose(sums.scatters[k], centered.T @ centered, atol=1e-13)
            np.testing.assert_array_equal(sums.scatters[k], sums.scatters[k].T)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_groups_of_every_size_beside_each_other(dtype):
    # Tiny ones, ones that share a block with others, and ones that take several.
    rng = np.random.default_rng(2)
    sizes = [3, 200, 150, 9000, 100, 1, 0, 700, 64, 63, 20_000, 90, 90]
    codes = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    codes[rng.integers(0, len(codes), 50)] = -1
    offset = 1e8 if dtype is np.float64 else 0.0
    points = (rng.standard_normal((len(codes), 5)) + codes[:, None] + offset).astype(dtype)
    sums = grouped_sums(points, codes, len(sizes))
    exact = points.astype(np.longdouble)
    for group in range(len(sizes)):
        own = exact[codes == group]
        assert sums.counts[group] == len(own)
        if not len(own):
            continue
        mean = own.mean(axis=0)
        np.testing.assert_allclose(sums.means[group] + sums.rests[group], mean.astype(float))
        scatter = ((own - mean).T @ (own - mean)).astype(float)
        size = max(np.abs(scatter).max(), 1e-300)
        np.testing.assert_allclose(sums.scatters[group] / size, scatter / size, atol=1e-13)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("n_groups", "offset", "dtype"),
    [(8, 1e6, np.float64), (8, 0.0, np.float64), (8, 0.0, np.float32), (100, 1e6, np.float64)],
)
def test_points_stored_by_columns_are_summed_like_those_stored_by_rows(
    weighted, n_groups, offset, dtype
):
    rng = np.random.default_rng(3)
    n = 200_000  # several parts
    codes = rng.integers(-1, n_groups - 1, n)
    codes[n // 2 :][codes[n // 2 :] == 3] = 4  # a group that ends early
    points = (
        rng.standard_normal((n, 3)) * [1, 10, 100]
        + (codes if offset else codes % 3)[:, None]
        + offset
    )
    points = points.astype(dtype)
    weights = rng.random(n) if weighted else None
    by_rows, _ = summed(points, codes, n_groups, weights)
    by_columns, errors = summed(np.asfortranarray(points), codes, n_groups, weights)
    for name in ("counts", "weights", "squares", "means", "scatters"):
        one, other = getattr(by_rows, name), getattr(by_columns, name)
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12 * np.abs(one).max())
    off = np.abs(by_rows.scatters - by_columns.scatters).max(axis=(1, 2))
    assert (off <= errors[1]).all()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("order", ["C", "F"])
def test_points_that_leave_zero_and_come_back(order, weighted):
    """About zero blocks are multiplied as they are; where they go away from it they are not."""
    rng = np.random.default_rng(5)
    n = 140_000
    points = np.round(rng.standard_normal((n, 3)) * [1024, 64, 4096]) / 1024
    points[n // 3 : n // 2] += [0.0, 2.0**27, 0.0]
    w = rng.integers(1, 5, n) / 2.0 if weighted else np.ones(n)
    total = w.sum()
    wide = points.astype(np.longdouble)
    wide -= (w @ wide) / total
    exact = (wide.T * w) @ wide / total
    size = np.sqrt(np.outer(exact.diagonal(), exact.diagonal()))
    given = np.asarray(points, order=order)
    sums, errors = summed(given, np.zeros(n, dtype=int), 1, w if weighted else None)
    assert (np.abs(sums.scatters[0] / total - exact) < 1e-14 * size).all()
    assert np.abs(sums.scatters[0] - total * exact).max() <= errors[1, 0]


@pytest.mark.parametrize("n_groups", [1, 30, 1000])
def test_squares_of_groups_that_overflow_only_from_zero(n_groups):
    """A common offset is gone before anything is squared."""
    codes = np.arange(30_000) % n_groups
    spread = np.random.default_rng(7).standard_normal((30_000, 2))
    sums, _ = summed(spread * 1e150 + 1e155, codes, n_groups)
    wanted, _ = summed(spread, codes, n_groups)
    np.testing.assert_allclose(sums.scatters / 1e300, wanted.scatters, rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_constant_feature_of_groups_has_no_variance(order):
    points = np.random.default_rng(6).standard_normal((140_000, 2))
    points[:, 1] = 0.1
    sums, _ = summed(np.asarray(points, order=order), np.arange(140_000) % 2, 2)
    assert not sums.scatters[:, 1].any()
    assert (sums.means[:, 1] == 0.1).all()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("light", "heavy"), [(1.0, 1e12), (1e-30, 1.0)])
def test_light_points_before_heavy_ones_cost_no_digits(order, light, heavy):
    """Neither is the heavy ones' mean found from the light ones', which lie elsewhere."""
    rng = np.random.default_rng(9)
    n = 140_000
    points = rng.standard_normal((n, 2)) + 3.0
    points[:70_000, 0] += 1e5
    weights = np.where(np.arange(n) < 70_000, light, heavy)
    sums, errors = summed(np.asarray(points, order=order), np.zeros(n, dtype=int), 1, weights)
    w = weights.astype(np.longdouble) / weights.sum()
    mean = w @ points.astype(np.longdouble)
    centered = points - mean
    off = np.abs((sums.means[0] - mean) + sums.rests[0]).max()
    assert off <= errors[0, 0]
    off = np.abs(sums.scatters[0] - (centered.T * w) @ centered * weights.sum()).max()
    assert off <= errors[1, 0]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n", [40, 9000, 140_000])
def test_a_group_without_weight(n, order):
    """It is at one of its points, and what is not finite in it is found like anywhere else."""
    points = np.asarray(np.random.default_rng(8).standard_normal((n, 3)) + 5, order=order)
    codes = np.arange(n) % 2
    weights = 1.0 - codes
    sums, _ = summed(points, codes, 2, weights)
    assert (points[codes == 1] == sums.means[1] + sums.rests[1]).all(axis=1).any()
    assert not sums.scatters[1].any()
    for row in (1, n - 1):
        for value in (np.nan, np.inf):
            bad = points.copy(order="K")
            bad[row, 1] = value
            with pytest.raises(ValueError, match=f"^points must be finite; .* row {row}, feature"):
                Moments.of(bad, codes, weights)


@pytest.mark.parametrize("n", [3, 9000])
def test_a_point_without_weight_does_not_enter_sums(n):
    """Not even where its distance from the others is infinite."""
    points = np.random.default_rng(0).standard_normal((n, 2))
    points[1] = [1.7e308, -1.7e308]
    points[2] = -points[1]
    w = np.ones(n)
    w[1:3] = 0.0
    mean, covariance = moments(points, w)
    kept = np.delete(points, [1, 2], axis=0)
    assert_allclose(mean, kept.mean(axis=0), rtol=1e-12)
    assert_allclose(covariance, np.cov(kept.T, ddof=0).reshape(2, 2) if n > 3 else 0.0, rtol=1e-12)


@pytest.mark.parametrize("size", [1e-160, 1e-170, 5e-324])
def test_squares_that_underflow_are_refused(size):
    points = np.array([[1.0, 0.0], [2.0, 1.0], [4.0, 2.0], [3.0, 0.0]]) * size
    with pytest.raises(ValueError, match="points must have squares that fit into float64.*under"):
        Moments.of(points, ["a", "a", "a", "b"])
    # Equal points, points of no weight, and points far from others have no squares to lose.
    Moments.of(points[:1].repeat(5, axis=0))
    Moments.of(points, ["a", "a", "a", "b"], [1.0, 0.0, 0.0, 0.0])
    Moments.of(points * [1.0, 0.0] + [0.0, 1.0], ["a", "a", "a", "b"])


def test_weights_whose_sum_overflows_are_refused():
    with pytest.raises(ValueError, match="weights must have a sum that fits into float64"):
        Moments.of(np.ones((2, 1)), weights=[1.7e308, 1.7e308])


@pytest.mark.parametrize("d", [1, 40])
def test_many_groups_of_every_size_need_little_memory_at_a_time(d):
    """Groups are merged some at a time: their scatters are many times as large as the points."""
    codes = np.repeat(np.arange(3000), 2)
    points = np.random.default_rng(1).standard_normal((6000, d))
    tracemalloc.start()
    sums = grouped_sums(points, codes, 3000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < sums.scatters.nbytes + 30e6
    gap = points[0] - points[1]
    assert_allclose(sums.scatters[0], np.outer(gap, gap) / 2, rtol=1e-12, atol=1e-14)


def test_differences_that_single_precision_does_not_hold():
    points = np.array([[2e38], [-2e38], [1e38], [0.0]], np.float32)
    wide = points.astype(np.float64)
    mean, cov = moments(points)
    assert_allclose(mean, wide.mean(axis=0), rtol=1e-15)
    assert_allclose(cov, wide.var(axis=0)[None], rtol=1e-14)
    groups = grouped_sums(points, np.array([0, 0, 1, 1]), 2)
    assert_allclose(groups.means, wide.reshape(2, 2).mean(axis=1)[:, None], rtol=1e-15)


def test_weights_below_the_normal_range():
    points, weights = np.array([[0.0], [1.0]]), np.array([1e-310, 3e-310])
    mean, cov = moments(points, weights)
    assert_allclose([*mean, *cov[0]], [0.75, 0.1875], rtol=1e-12)
    assert_allclose(grouped_sums(points, np.zeros(2, int), 1, weights).means, [[0.75]], rtol=1e-12)
