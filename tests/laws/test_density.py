"""Densities of projections: analytic cases, samples, degenerate cases, levels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.interpolate import RegularGridInterpolator
from scipy.special import ndtr

from uapca.laws import (
    Affine,
    DegenerateLawError,
    Independent,
    KnownMoments,
    Law,
    Mixture,
    Normal,
    Samples,
    Trapezoid,
    Triangular,
    Uniform,
    Variable,
)

PROJECTION = np.array([[0.6, -0.5, 0.3, 0.4], [0.2, 0.7, 0.9, -0.3]])
TOM = Independent([15, Trapezoid(10, 11, 13, 15), Normal(14, std=5.7), Uniform(14, 16)])
BOB = Independent([6, Uniform(10, 11), Uniform(13, 20), Trapezoid(13, 14, 16, 18)])
JOE = Independent([Trapezoid(0, 0, 2, 6), Trapezoid(5, 7, 9, 10), Uniform(10, 14), 14])
SKEW = Independent([stats.gamma(2.0), stats.expon(), Uniform(0, 1), Triangular(0, 0, 4)])


def bin_scores(law: Law, n: int, bins: int, rng: int = 0) -> np.ndarray:
    """(count − expected) / √expected in bins of a 1-D or 2-D law, where 30 or more are expected."""
    draws = law.sample(n, rng)
    fine = 12
    edges = [
        np.linspace(m - 4 * s, m + 4 * s, bins + 1) for m, s in zip(law.mean, law.std, strict=True)
    ]
    counts = np.histogramdd(draws, bins=edges)[0]
    # Midpoints within each bin average the density over it.
    axes = [e[0] + (e[1] - e[0]) / fine * (np.arange(fine * bins) + 0.5) for e in edges]
    density = law.density(axes[0] if law.dim == 1 else axes)
    area = np.prod([axis[1] - axis[0] for axis in axes])
    shape = (bins, fine) * law.dim
    expected = n * area * density.reshape(shape).sum(axis=tuple(range(1, 2 * law.dim, 2)))
    keep = expected >= 30
    return ((counts - expected) / np.sqrt(np.maximum(expected, 1e-9)))[keep]


@pytest.mark.parametrize("row", [TOM, BOB, JOE, SKEW], ids=["Tom", "Bob", "Joe", "skew"])
@pytest.mark.parametrize("q", [1, 2])
def test_density_agrees_with_samples(row: Law, q: int) -> None:
    scores = bin_scores(row.affine(PROJECTION[:q]), 400_000, 60 if q == 1 else 24)
    assert np.max(np.abs(scores)) < 5
    assert np.mean(scores**2) == pytest.approx(1, abs=5 * np.sqrt(2 / scores.size))


def test_two_uniforms_are_a_trapezoid_and_a_triangle() -> None:
    x = np.linspace(-1, 6, 1401)
    two = Independent([Uniform(0, 1), Uniform(0, 2)])
    expected = Trapezoid(0, 2, 3, 5).pdf(x)
    # Linear pieces are exact but at their knots, which are rounded off over a cell.
    np.testing.assert_allclose(two.affine([[2.0, 1.5]]).density(x), expected, atol=1e-4)
    triangle = two.affine([[2.0, -1.0]])
    np.testing.assert_allclose(triangle.density(x - 2), Triangular(0, 2, 4).pdf(x), atol=2e-4)


def test_one_uniform_and_points_are_a_uniform() -> None:
    row = Independent([3, Uniform(0, 2), 5])
    x = np.linspace(0, 20, 777)
    np.testing.assert_array_equal(row.affine([[1.0, 2.0, 1.0]]).density(x), Uniform(8, 12).pdf(x))


def test_three_uniforms_are_quadratic_pieces() -> None:
    x = np.linspace(-0.5, 3.5, 801)
    pieces = [x**2 / 2, (-2 * x**2 + 6 * x - 3) / 2, (3 - x) ** 2 / 2]
    expected = np.select([(x >= k) & (x < k + 1) for k in range(3)], pieces, 0.0)
    law = Independent([Uniform(0, 1)] * 3).affine([[1.0, 1.0, 1.0]])
    np.testing.assert_allclose(law.density(x), expected, atol=1e-6)


@pytest.mark.parametrize("std", [0.5, 1e-2, 1e-4, 1e-7])
def test_a_uniform_with_normal_noise(std: float) -> None:
    x = np.linspace(-2.003, 2.003, 501)
    law = Independent([Uniform(-1, 1), Normal(0, std=std)]).affine([[1.0, 1.0]])
    expected = (ndtr((x + 1) / std) - ndtr((x - 1) / std)) / 2
    np.testing.assert_allclose(law.density(x), expected, atol=5e-5)


def test_sum_of_exponentials_is_a_gamma() -> None:
    x = np.linspace(0, 20, 401)
    law = Independent([stats.expon(), stats.gamma(2.0), stats.expon()]).affine([[1.0, 1.0, 1.0]])
    np.testing.assert_allclose(law.density(x), stats.gamma(4.0).pdf(x), atol=3e-5)


def test_normals_in_closed_form() -> None:
    row = Independent([Normal(1, std=2), Normal(3, std=0.5), 4])
    image = row.affine([[1.0, 1.0, 0.0], [0.5, -1.0, 2.0]])
    assert isinstance(image, Normal)
    x, y = np.linspace(-3, 9, 50), np.linspace(0, 9, 40)
    points = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1)
    expected = stats.multivariate_normal(image.mean, image.cov).pdf(points)
    np.testing.assert_allclose(image.density((x, y)), expected, rtol=1e-10)


def test_lattice_agrees_with_the_closed_form_for_normals() -> None:
    # A faint uniform keeps the row from collapsing to a normal law.
    row = Independent([Normal(1, std=2), Normal(3, std=0.5), Uniform(0, 0.3)])
    A = np.array([[1.0, 1.0, 0.2], [0.5, -1.0, 0.4]])
    image = row.affine(A)
    assert isinstance(image, Affine)
    grid = (np.linspace(-5, 12, 81), np.linspace(-7, 3, 91))
    values = image.density(grid)
    points = np.stack(np.meshgrid(*grid, indexing="ij"), axis=-1)
    u, w = np.polynomial.legendre.leggauss(20)
    normal = Independent([Normal(1, std=2), Normal(3, std=0.5)]).affine(A[:, :2])
    expected = sum(
        weight
        / 2
        * stats.multivariate_normal(normal.mean, normal.cov).pdf(
            points - A[:, 2] * 0.15 * (1 + node)
        )
        for node, weight in zip(u, w, strict=True)
    )
    # Between the centers of cells of 0.02 standard deviations, linearly.
    np.testing.assert_allclose(values, expected, atol=1e-3 * expected.max())


def test_two_marginals_of_the_plane_are_a_change_of_variables() -> None:
    A = np.array([[1.0, 1.0, 0.0], [1.0, -1.0, 0.0]])
    image = Independent([Uniform(0, 1), Triangular(0, 1, 2), Uniform(0, 1)]).affine(A)
    x, y = np.linspace(-0.5, 3.5, 61), np.linspace(-2.5, 1.5, 57)
    X, Y = np.meshgrid(x, y, indexing="ij")
    expected = Uniform(0, 1).pdf((X + Y) / 2) * Triangular(0, 1, 2).pdf((X - Y) / 2) / 2
    found = image.density((x, y))
    # Points on the very edge may fall on either side by rounding.
    edge = np.isclose((X + Y) / 2, 0) | np.isclose((X + Y) / 2, 1)
    np.testing.assert_allclose(found[~edge], expected[~edge], atol=1e-12)


def test_parallel_marginals_are_summed_on_their_line() -> None:
    A = np.array([[1.0, 2.0, 0.0, 1.0], [1.0, 2.0, 1.0, 0.0]]) @ np.diag([1, 1, 1, 0.0])
    image = Independent([Uniform(0, 1), Uniform(0, 1), Uniform(0, 3), 2]).affine(A)
    x, y = np.linspace(-0.51, 3.5, 61), np.linspace(-0.52, 6.5, 57)
    X, Y = np.meshgrid(x, y, indexing="ij")
    expected = Trapezoid(0, 1, 2, 3).pdf(X) * Uniform(0, 3).pdf(Y - X)
    found = image.density((x, y))
    # Within a cell of the edge of a uniform the density is between the values on both sides.
    edge = (np.abs(Y - X) < 0.02) | (np.abs(Y - X - 3) < 0.02)
    np.testing.assert_allclose(found[~edge], expected[~edge], atol=2e-3)


def test_three_uniforms_of_the_plane_are_a_box_spline() -> None:
    image = Independent([Uniform(0, 1)] * 3).affine([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    x = y = np.linspace(-0.2, 2.2, 121)
    X, Y = np.meshgrid(x, y, indexing="ij")
    low = np.maximum(0, np.maximum(X, Y) - 1)
    high = np.minimum(1, np.minimum(X, Y))
    expected = np.maximum(high - low, 0)
    found = image.density((x, y))
    assert np.max(np.abs(found - expected)) < 6e-3
    assert np.sqrt(np.mean((found - expected) ** 2)) < 3e-4


def test_thin_oblique_laws_are_resolved() -> None:
    row = Independent([Normal(0, std=100), Uniform(0, 1), Uniform(0, 1)])
    image = row.affine([[1.0, 0.3, 0.1], [1.0, -0.3, 0.2]])
    y = np.linspace(-1, 1, 401)
    values = image.density((np.array([0.0]), y))[0]
    # Across the ridge the uniforms make a trapezoid, and the normal law is flat: with
    # y − x = −0.6 u + 0.1 v the density is that of the difference times the normal's at zero.
    expected = Trapezoid(-0.6, -0.5, 0.0, 0.1).pdf(y) / (100 * np.sqrt(2 * np.pi))
    np.testing.assert_allclose(values, expected, atol=0.01 * expected.max())


def test_any_grid_gives_the_same_values() -> None:
    image = TOM.affine(PROJECTION, -PROJECTION @ TOM.mean)
    x, y = np.linspace(-4, 4, 9), np.array([-3.0, -0.1, 0.0, 2.5])
    values = image.density((x, y))
    assert values.shape == (9, 4)
    np.testing.assert_allclose(image.density((x[::-1], y[2:3])), values[::-1, 2:3], atol=1e-12)


def test_two_modes_stay_two_modes() -> None:
    law = Mixture([1, 1], [Normal([-3.0, 0, 0], np.eye(3)), Normal([3.0, 0, 0], np.eye(3))])
    x = np.linspace(-6, 6, 121)
    density = law.affine([[1.0, 0.0, 0.0]]).density(x)
    expected = (stats.norm(-3).pdf(x) + stats.norm(3).pdf(x)) / 2
    np.testing.assert_allclose(density, expected, rtol=1e-12)


def test_components_of_no_weight_are_left_out() -> None:
    law = Mixture(
        [0, 2, 1], [Normal([3.0], [[0.0]]), Normal([0.0], [[1.0]]), Normal([4.0], [[1.0]])]
    )
    assert law == Mixture([2, 1], [Normal([0.0], [[1.0]]), Normal([4.0], [[1.0]])])
    x = np.linspace(-3, 7, 50)
    expected = (2 * stats.norm(0).pdf(x) + stats.norm(4).pdf(x)) / 3
    np.testing.assert_allclose(law.density(x), expected, rtol=1e-12)


def test_samples_are_a_weighted_kernel_estimate() -> None:
    rng = np.random.default_rng(0)
    values, weights = rng.normal(size=(300, 2)) @ [[1.0, 0.5], [0.0, 0.4]], rng.uniform(size=300)
    law = Samples(values, weights)
    kernel = law.bandwidth**2 * law.cov
    assert law.bandwidth == pytest.approx((1 / np.sum(law.weights**2)) ** (-1 / 6), rel=1e-14)
    x, y = np.linspace(-3, 3, 40), np.linspace(-2, 2, 30)
    points = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1)
    normal = stats.multivariate_normal([0, 0], kernel)
    expected = sum(w * normal.pdf(points - v) for v, w in zip(law.values, law.weights, strict=True))
    np.testing.assert_allclose(law.density((x, y)), expected, atol=1e-3 * expected.max())
    line = law.affine([[1.0, 1.0]])
    spread = line.bandwidth * line.std[0]
    expected = stats.norm.pdf(x[:, None], line.values[:, 0], spread) @ line.weights
    np.testing.assert_allclose(line.density(x), expected, atol=4e-4 * expected.max())


class TestDegenerate:
    row = Independent([3, Uniform(0, 2), 5])

    def test_a_line_of_the_plane(self) -> None:
        image = self.row.affine([[0.0, 3.0, 0.0], [1.0, 4.0, 0.0]])
        assert image.support_rank == 1
        with pytest.raises(DegenerateLawError) as error:
            image.density(([0.0], [1.0]))
        assert str(error.value) == (
            "this law has no density in the plane: all of its uncertainty lies along the line "
            "through (3, 7) in direction (0.6, 0.8); use law.along_line()"
        )
        line = image.along_line()
        np.testing.assert_allclose(line.direction, [0.6, 0.8])
        np.testing.assert_allclose(line.origin, [3.0, 7.0])
        x = np.linspace(-8, 8, 33)
        np.testing.assert_allclose(line.law.density(x), Uniform(-5, 5).pdf(x), atol=1e-12)

    def test_one_certain_coordinate(self) -> None:
        image = self.row.affine([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
        assert image.support_rank == 1
        np.testing.assert_allclose(image.along_line().direction, [1.0, 0.0])

    def test_a_point(self) -> None:
        image = self.row.affine([[1.0, 0.0, 0.0], [1.0, 0.0, 1.0]])
        assert image.support_rank == 0
        with pytest.raises(DegenerateLawError, match=r"it is the certain point \(3, 8\)"):
            image.density(([0.0], [1.0]))
        with pytest.raises(DegenerateLawError, match="support_rank 0, use mean: it is certain"):
            image.along_line()
        with pytest.raises(DegenerateLawError, match="certain point"):
            image.levels([0.5])

    def test_a_loading_that_rounding_missed(self) -> None:
        assert self.row.affine([[1.0, 1e-17, 0.0]]).support_rank == 0
        assert self.row.affine([[1.0, 0.1 + 0.2 - 0.3, 1.0], [0.0, 1.0, 0.0]]).support_rank == 1

    @pytest.mark.parametrize(
        "law",
        [
            Normal([1.0, 2.0], [[1.0, 2.0], [2.0, 4.0]]),
            Samples([[0.0, 0.0], [1.0, 2.0], [3.0, 6.0]]),
            KnownMoments([1.0, 2.0], [[1.0, 2.0], [2.0, 4.0]]),
        ],
    )
    def test_other_laws(self, law: Law) -> None:
        assert law.support_rank == 1
        with pytest.raises(DegenerateLawError, match="lies along the line"):
            law.density(([0.0], [1.0]))
        np.testing.assert_allclose(law.along_line().direction, np.array([1, 2]) / np.sqrt(5))

    def test_a_component_of_a_mixture(self) -> None:
        law = Mixture([1, 1], [Normal([0.0], [[1.0]]), Normal([3.0], [[0.0]])])
        with pytest.raises(DegenerateLawError, match="component 1 of this mixture: this law"):
            law.density([0.0])

    def test_atoms(self) -> None:
        row = Independent([stats.poisson(3.0), Uniform(0, 1)])
        with pytest.raises(DegenerateLawError, match="is discrete and"):
            row.affine([[1.0, 0.0]]).density([0.0])
        with pytest.raises(DegenerateLawError, match="is discrete and"):
            row.density(([0.0], [0.0]))
        # Together they have a density: U(0, 1) shifted by each count.
        values = row.affine([[1.0, 1.0]]).density(np.arange(8) + 0.5)
        np.testing.assert_allclose(values, stats.poisson(3.0).pmf(np.arange(8)), atol=1e-3)


def test_levels_of_normals_in_closed_form() -> None:
    law = Normal([1.0], [[4.0]])
    expected = stats.norm(1, 2).pdf(stats.norm(1, 2).ppf([0.75, 0.975]))
    np.testing.assert_allclose(law.levels([0.5, 0.95]), expected, rtol=1e-12)
    assert law.levels([1.0])[0] == 0
    assert law.levels([0.0])[0] == pytest.approx(stats.norm(1, 2).pdf(1))


@pytest.mark.parametrize("row", [TOM, BOB, JOE, SKEW], ids=["Tom", "Bob", "Joe", "skew"])
def test_levels_hold_that_share_of_samples(row: Law) -> None:
    image = row.affine(PROJECTION)
    probs = np.array([0.3, 0.6, 0.9])
    levels = image.levels(probs)
    axes = [m + s * np.linspace(-5, 5, 401) for m, s in zip(image.mean, image.std, strict=True)]
    density = RegularGridInterpolator(axes, image.density(axes), bounds_error=False, fill_value=0)
    values = density(image.sample(20_000, 5))
    share = [(values >= level).mean() for level in levels]
    np.testing.assert_allclose(share, probs, atol=5 * 0.5 / np.sqrt(20_000))


def test_levels_of_narrow_modes_far_apart() -> None:
    law = Mixture([1, 1], [Normal([0.0], [[1e-8]]), Normal([1e3], [[1.0]])])
    low, high = law.levels([0.75, 0.25])
    assert high == pytest.approx(0.5 * Normal([0.0], [[1e-8]]).levels([0.5])[0], rel=1e-2)
    assert low == pytest.approx(0.5 * Normal([0.0], [[1.0]]).levels([0.5])[0], rel=1e-2)


def test_bad_grids() -> None:
    law = Normal([0.0, 0.0], np.eye(2))
    with pytest.raises(ValueError, match=r"grid must be a pair of axes \(xs, ys\)"):
        law.density(np.zeros((3, 2)))
    with pytest.raises(ValueError, match=r"grid\[1\] must be one-dimensional; got shape \(1, 1\)"):
        law.density(([0.0], [[1.0]]))
    with pytest.raises(ValueError, match="density needs a law of one or two dimensions"):
        Normal(np.zeros(3), np.eye(3)).density([0.0])
    with pytest.raises(ValueError, match=r"probs must lie in \[0, 1\]; got \[1.5\]"):
        law.levels(1.5)


A3 = np.array([[1.0, 1.0, 0.2], [0.5, -0.3, 1.0]])


class TestAtoms:
    def test_a_count_and_two_directions_are_shifted_copies(self) -> None:
        row = Independent([stats.poisson(3.0), Uniform(0, 1), Normal(0, std=1)])
        x, y = np.linspace(-2, 14, 83), np.linspace(-4, 9, 71)
        X, Y = np.meshgrid(x, y, indexing="ij")
        inverse = np.linalg.inv(A3[:, 1:])
        expected, edge = np.zeros(X.shape), np.zeros(X.shape, dtype=bool)
        for k in range(40):
            u, v = np.tensordot(inverse, np.stack([X, Y]) - k * A3[:, :1, None], axes=1)
            expected += stats.poisson(3.0).pmf(k) * Uniform(0, 1).pdf(u) * stats.norm.pdf(v)
            edge |= (np.abs(u) < 0.06) | (np.abs(u - 1) < 0.06)
        expected *= abs(np.linalg.det(inverse))
        found = row.affine(A3).density((x, y))
        np.testing.assert_allclose(found[~edge], expected[~edge], atol=2e-3 * expected.max())

    def test_on_a_line(self) -> None:
        row = Independent([stats.binom(6, 0.3), stats.randint(0, 3), Normal(0, std=0.05)])
        x = np.linspace(-1, 9, 2001)
        both = np.convolve(stats.binom(6, 0.3).pmf(np.arange(7)), np.full(3, 1 / 3))
        expected = sum(p * stats.norm.pdf(x, k, 0.05) for k, p in enumerate(both))
        found = row.affine([[1.0, 1.0, 1.0]]).density(x)
        np.testing.assert_allclose(found, expected, atol=2e-3 * expected.max())

    def test_many_atoms(self) -> None:
        image = Independent([stats.poisson(1e5), Normal(0, std=30), Normal(0, std=20)]).affine(A3)
        normal = stats.multivariate_normal(image.mean, image.cov)
        found = image.density(image.mean[:, None])[0, 0]
        # Cells of 6 widen normals of 30 and 20.
        assert found == pytest.approx(normal.pdf(image.mean), rel=1e-2)

    def test_parts_thinner_than_a_cell_hold_their_mass(self) -> None:
        row = Independent([stats.poisson(2.0), Uniform(0, 1e-3), Uniform(0, 1e-3)])
        lattice = row.affine(A3).lattice()
        near = np.array([0, 1, 2])[:, None] * A3[:, 0]
        cells = np.linalg.norm(lattice.centers()[:, None] - near, axis=2) < 0.2
        held = [lattice.mass.ravel()[column].sum() for column in cells.T]
        np.testing.assert_allclose(held, stats.poisson(2.0).pmf([0, 1, 2]), atol=1e-3)
        assert (
            "regions hold their probability but are not the smallest" in row.affine(A3).describe()
        )


class TestThirdDirections:
    @pytest.mark.parametrize("width", [1e-1, 1e-2, 1e-3, 1e-5])
    def test_a_thin_uniform(self, width: float) -> None:
        A = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
        image = Independent([Uniform(0, 1), Uniform(0, 1), Uniform(0, width)]).affine(A)
        x = np.linspace(width + 0.01, 0.99, 64)
        np.testing.assert_allclose(image.density((x, x)), 1, atol=2e-3)
        outside = np.array([-0.02, 1.02 + width])
        assert np.all(image.density((outside, x)) < 5e-3)

    @pytest.mark.parametrize("angle", [1e-1, 1e-2, 1e-3, 1e-5])
    def test_nearly_parallel_uniforms(self, angle: float) -> None:
        A = np.array([[1.0, 1.0, 0.0], [0.0, angle, 1.0]])
        image = Independent([Uniform(0, 1)] * 3).affine(A)
        # Away from the blurred edge along y the density is the triangle of the two along x.
        x, y = np.linspace(0, 2, 41), np.linspace(angle * 1.1 + 0.02, 0.97, 7)
        expected = np.outer(Triangular(0, 1, 2).pdf(x), np.ones(7))
        np.testing.assert_allclose(image.density((x, y)), expected, atol=0.012)

    def test_a_thin_normal_blurs_the_edge(self) -> None:
        A = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
        std = 0.03
        image = Independent([Uniform(0, 1), Uniform(0, 1), Normal(0, std=std)]).affine(A)
        x = np.linspace(-0.1, 0.1, 41)
        np.testing.assert_allclose(image.density((x, [0.5]))[:, 0], ndtr(x / std), atol=5e-3)


@pytest.mark.parametrize("count", [2, 3])
def test_a_sum_of_poles_is_a_gamma(count: int) -> None:
    whole = stats.gamma(0.3 * count)
    x = whole.ppf(np.linspace(0.2, 0.95, 9))
    law = Independent([stats.gamma(0.3)] * count).affine(np.ones((1, count)))
    np.testing.assert_allclose(law.density(x), whole.pdf(x), rtol=2e-2)


def test_a_narrow_normal_on_a_long_tail() -> None:
    law = Independent([stats.lognorm(1.5), Normal(0, std=0.1)]).affine([[1.0, 1.0]])
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    x = np.array([1.0, 5.0, 60.0, 200.0])
    smooth = stats.lognorm(1.5).pdf(x[:, None] - 0.1 * nodes) @ weights / weights.sum()
    np.testing.assert_allclose(law.density(x), smooth, rtol=1e-2)


def test_heavy_tails_reach_beyond_the_lattice_of_the_core() -> None:
    law = Independent([stats.t(3), Normal(0, std=1), stats.expon()]).affine(A3)
    lattice = law.lattice()
    assert lattice.beyond is not None
    assert lattice.mass.sum() + lattice.outside == pytest.approx(1, abs=1e-12)
    assert lattice.outside < 0.01
    x, y = (m + s * np.linspace(-25, 25, 1200) for m, s in zip(law.mean, law.std, strict=True))
    area = (x[1] - x[0]) * (y[1] - y[0])
    assert law.density((x, y)).sum() * area == pytest.approx(1, abs=2e-3)
    assert lattice.resolving(0.95) is lattice
    assert lattice.resolving(0.9999) is lattice.beyond


def test_single_points_empty_grids_and_grids_far_away() -> None:
    law = Independent([stats.t(3)] * 4).affine(PROJECTION)
    x, y = (m + s * np.linspace(-1.5, 1.5, 7) for m, s in zip(law.mean, law.std, strict=True))
    whole = law.density((x, y))
    np.testing.assert_allclose(law.density((x[2:3], y[4:5])), whole[2:3, 4:5], rtol=1e-12)
    assert law.density(([], y)).shape == (0, 7)
    np.testing.assert_array_equal(law.density((x, [1e9, 2e9])), np.zeros((7, 2)))


def test_quantiles_are_asked_of_scipy_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    ppf = Variable.ppf
    monkeypatch.setattr(Variable, "ppf", lambda self, q: asked.append(q) or ppf(self, q))
    rv = stats.gamma(2.345)
    for factor in (1.0, -2.0):
        Independent([Variable(rv, factor), rv, rv]).affine(A3).lattice()
    assert len(asked) == 1


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_an_offset_moves_the_density_and_nothing_else(offset: float) -> None:
    row = Independent([Uniform(0, 1), Uniform(0, 2), stats.gamma(2.0)])
    image = row.affine(A3, [offset, -offset])
    near = row.affine(A3)
    x, y = (m + s * np.linspace(-2, 2, 9) for m, s in zip(near.mean, near.std, strict=True))
    np.testing.assert_allclose(
        image.density((x + offset, y - offset)), near.density((x, y)), atol=1e-5
    )
