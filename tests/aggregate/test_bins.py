"""Clusters and grids for points without labels."""

import numpy as np
import pytest

import uapca
from uapca.aggregate import bins
from uapca.aggregate.bins import Clusters, NearestCenter


def nearest(points, centers):
    """Brute force; of equally near centers the first."""
    return np.array([np.square(centers - x).sum(axis=1).argmin() for x in points])


@pytest.mark.parametrize(("d", "k"), [(1, 1), (1, 40), (2, 300), (4, 500), (9, 64)])
def test_the_search_is_exact(d, k):
    rng = np.random.default_rng(k)
    centers, sample = rng.standard_normal((k, d)), rng.standard_normal((3000, d))
    points = 1.5 * rng.standard_normal((4000, d))  # some outside of the sample's range
    search = NearestCenter(centers, sample)
    np.testing.assert_array_equal(search(points), nearest(points, centers))
    for size in (1, 7, 1000):  # any piece gives the labels of the whole
        parts = [search(points[i : i + size]) for i in range(0, 1000, size)]
        np.testing.assert_array_equal(np.concatenate(parts)[:1000], search(points)[:1000])


def test_boxes_leave_out_most_centers():
    rng = np.random.default_rng(0)
    search = NearestCenter(rng.standard_normal((500, 2)), rng.standard_normal((20_000, 2)))
    assert np.mean([len(box.centers) for box in search._boxes[:-1]]) < 20


def test_near_ties_are_decided_in_double_precision():
    """Points within 1e-9 of the border between two centers, where float32 decides by chance."""
    rng = np.random.default_rng(1)
    side = np.linspace(-3.0, 3.0, 12)
    centers = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    points = 0.5 * (side[:-1] + side[1:])[rng.integers(0, 11, (2000, 2))]
    points += 1e-9 * rng.choice([-1.0, 1.0], points.shape)
    points[:, 1] = rng.uniform(-3, 3, 2000)
    search = NearestCenter(centers, rng.uniform(-3, 3, (5000, 2)))
    np.testing.assert_array_equal(search(points), nearest(points, centers))


def test_values_beyond_single_precision():
    centers = np.array([[-1.0], [1.0]])
    points = np.array([[-1e10], [1e10], [1e39], [-1e50], [0.5]])
    search = NearestCenter(centers, np.linspace(-2, 2, 100)[:, None])
    np.testing.assert_array_equal(search(points), nearest(points, centers))


def test_the_sample_and_the_labels_do_not_depend_on_pieces_and_threads():
    points = np.random.default_rng(2).standard_normal((80_000, 3))
    found = []
    for size in (80_000, 7_001):
        clusters = Clusters(30, np.random.default_rng(5))
        clusters.learn(points[i : i + size] for i in range(0, len(points), size))
        pieces = [clusters(points[i : i + size]).codes for i in range(0, len(points), size)]
        found.append(np.concatenate(pieces))
    np.testing.assert_array_equal(*found)


def test_the_sample_is_uniform_and_does_not_depend_on_pieces():
    points = np.arange(400.0)[:, None]
    rng, taken = np.random.default_rng(4), np.zeros((400, 400))
    for seed in rng.integers(2**31, size=2000).tolist():
        sample = bins._sampled([points[:300], points[300:]], 50, np.random.default_rng(seed))[:, 0]
        assert len(np.unique(sample)) == 50
        taken[np.ix_(sample.astype(int), sample.astype(int))] += 1
    for size in (1, 7, 400):
        parts = [points[i : i + size] for i in range(0, 400, size)]
        again = bins._sampled(parts, 50, np.random.default_rng(seed))
        np.testing.assert_array_equal(again[:, 0], sample)
    # Each point, and each pair of points, is in the sample equally often.
    share, pairs = taken.diagonal() / 2000, taken[np.triu_indices(400, 1)] / 2000
    assert np.square(share / 0.125 - 1).mean() == pytest.approx(7 / 2000, rel=0.25)
    joint = 50 * 49 / (400 * 399)
    assert np.square(pairs / joint - 1).mean() == pytest.approx((1 / joint - 1) / 2000, rel=0.05)


@pytest.mark.parametrize("n", [0, 1, 49, 50])
def test_few_points_are_all_in_the_sample(n):
    points = np.arange(float(n))[:, None]
    sample = bins._sampled([points[:20], points[20:]], 50, np.random.default_rng(0))
    np.testing.assert_array_equal(sample, points)


@pytest.mark.parametrize("ends", [(-1.0, 1.0), (1e8, 1e8 + 1e-7), (3.0, 3.0), (0.1, 0.7)])
@pytest.mark.parametrize("cells", [1, 2, 20, 997])
def test_cells_of_a_grid_are_those_between_their_edges(ends, cells):
    edges = np.linspace(*ends, cells + 1)
    inside = np.random.default_rng(0).uniform(*ends, 5000)
    values = np.concatenate(
        [edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf), inside]
    )
    values = np.clip(values, *ends)
    for own in (values, values.astype(np.float32).clip(*np.float32(ends))):
        expected = np.searchsorted(edges[1:-1], own, side="right")
        np.testing.assert_array_equal(bins._cell_numbers(own, edges), expected)


def test_cells_that_cannot_be_numbered_are_refused():
    points = np.random.default_rng(3).random((20, 5))
    with pytest.raises(
        ValueError, match=r"^bins must have at most 1e\+18 cells in all; got \[10000"
    ):
        uapca.from_groups(points, bins=dict.fromkeys("01234", 10_000))
    assert len(uapca.from_groups(points, bins=dict.fromkeys("0123", 10_000))) == 20
