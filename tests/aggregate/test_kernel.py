"""Labels as codes, and the moments of groups."""

import numpy as np
import pytest

from uapca.aggregate import Moments, factorise
from uapca.aggregate.kernel import group_order, grouped_extremes, grouped_sums, turn
from uapca.aggregate.labels import combined
from uapca.aggregate.merging import summed


@pytest.mark.parametrize(
    ("labels", "codes", "names"),
    [
        (["b", "a", "b"], [1, 0, 1], ("a", "b")),
        (np.array(["b", "a", "b"]), [1, 0, 1], ("a", "b")),
        (np.array([10, -3, 10]), [1, 0, 1], ("-3", "10")),
        (np.array([2**60, 0, 2**60]), [1, 0, 1], ("0", str(2**60))),
        (np.array([5, 5], dtype=np.uint8), [0, 0], ("5",)),
        (np.array([True, False]), [1, 0], ("False", "True")),
        (np.array([1.5, np.nan, 0.5]), [1, -1, 0], ("0.5", "1.5")),
        ([None, "a", float("nan")], [-1, 0, -1], ("a",)),
        ([1, "a"], [0, 1], ("1", "a")),
        ([("a", 1), ("a", 0)], [1, 0], ("('a', 0)", "('a', 1)")),
        (np.array([], dtype=int), [], ()),
    ],
)
def test_labels(labels, codes, names):
    factor = factorise(labels)
    assert (factor.codes.tolist(), factor.labels) == (codes, names)


def test_pandas_missing_values():
    pandas = pytest.importorskip("pandas")
    factor = factorise(pandas.Series(["a", pandas.NA, pandas.NaT], dtype=object))
    assert factor.codes.tolist() == [0, -1, -1]


def test_combined_labels_are_missing_where_one_is():
    factor = combined([factorise(["a", "b", None]), factorise([0, 1, 1])])
    assert (factor.codes.tolist(), factor.labels) == ([0, 1, -1], ("a, 0", "b, 1"))


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
    low, high = grouped_extremes(np.ones((2, 1)), np.array([2, -1]), 3)
    assert low.ravel().tolist() == [np.inf, np.inf, 1.0]
    assert high.ravel().tolist() == [-np.inf, -np.inf, 1.0]


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
            centred = part - part.mean(axis=0)
            np.testing.assert_allclose(sums.means[k], part.mean(axis=0), rtol=1e-13, atol=1e-14)
            np.testing.assert_allclose(sums.scatters[k], centred.T @ centred, atol=1e-13)
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
def test_squares_that_overflow_only_from_zero(n_groups):
    """A common offset is gone before anything is squared."""
    codes = np.arange(30_000) % n_groups
    spread = np.random.default_rng(7).standard_normal((30_000, 2))
    with np.errstate(all="ignore"):
        sums, _ = summed(spread * 1e150 + 1e155, codes, n_groups)
    wanted, _ = summed(spread, codes, n_groups)
    np.testing.assert_allclose(sums.scatters / 1e300, wanted.scatters, rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_constant_feature_has_no_variance(order):
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
    centred = points - mean
    off = np.abs((sums.means[0] - mean) + sums.rests[0]).max()
    assert off <= errors[0, 0]
    off = np.abs(sums.scatters[0] - (centred.T * w) @ centred * weights.sum()).max()
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


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 1000, 65_536, 140_001])
@pytest.mark.parametrize("d", [1, 5])
def test_columns_are_turned_into_rows(dtype, n, d):
    columns = [np.arange(n, dtype=dtype) * d + j for j in range(d)]
    rows = np.empty((n, d), dtype=dtype)
    turn(columns, rows)
    np.testing.assert_array_equal(rows, np.stack(columns, axis=1))
