"""Labels as codes, and the moments of groups."""

import numpy as np
import pytest

from uapca.aggregate import factorise
from uapca.aggregate.kernel import group_order, grouped_extremes, grouped_sums
from uapca.aggregate.labels import combined


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
