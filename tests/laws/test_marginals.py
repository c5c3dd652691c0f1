"""Laws of one number."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from uapca.laws import (
    Independent,
    Marginal,
    Normal,
    NormalMarginal,
    Point,
    Trapezoid,
    Triangular,
    TwoPieceNormal,
    Uniform,
    Variable,
    as_marginal,
    sample_rows,
)


def knots() -> st.SearchStrategy[list[float]]:
    number = st.floats(-1e3, 1e3).map(lambda x: round(x, 3))
    return st.lists(number, min_size=4, max_size=4).map(sorted)


def test_student_grades() -> None:
    fairly_good = Trapezoid(10, 11, 13, 15)
    assert fairly_good.mean == pytest.approx(86 / 7, rel=1e-15)
    # E[(x - a)²] - (16/7)² by hand, with a = 10: 379/84... reduced to 361/294.
    assert fairly_good.var == pytest.approx(361 / 294, rel=1e-14)
    assert fairly_good.var == pytest.approx(1.2278911564625850, rel=1e-14)
    very_bad, very_good = Trapezoid(0, 0, 2, 6), Trapezoid(14, 18, 20, 20)
    # The same shape, mirrored: one is 20 minus the other.
    assert very_bad.mean == pytest.approx(13 / 6, rel=1e-14)
    assert very_good.mean == pytest.approx(20 - 13 / 6, rel=1e-14)
    assert very_bad.var == pytest.approx(very_good.var, rel=1e-14)
    assert very_good.affine(-1, 20) == very_bad


@pytest.mark.parametrize("offset", [0.0, 1e8, -1e8])
def test_moments_do_not_suffer_from_an_offset(offset: float) -> None:
    near = Trapezoid(10, 11, 13, 15)
    far = near.affine(1, offset)
    assert far.var == pytest.approx(near.var, rel=1e-12)
    assert far.mean - offset == pytest.approx(near.mean, abs=2e-8)
    assert Uniform(offset + 10, offset + 12).var == pytest.approx(1 / 3, rel=1e-12)


def test_degenerate_trapezoids() -> None:
    assert Trapezoid(1, 1, 4, 4).var == pytest.approx(Uniform(1, 4).var, rel=1e-14)
    assert Trapezoid(1, 2, 2, 4).var == pytest.approx(Triangular(1, 2, 4).var, rel=1e-14)
    point = Trapezoid(3, 3, 3, 3)
    assert (point.mean, point.var, point.certain) == (3, 0, True)
    with pytest.raises(ValueError, match="this one is 3"):
        point.pdf([3.0])


@given(knots())
@settings(max_examples=60, deadline=None)
def test_trapezoid_moments_against_quadrature(values: list[float]) -> None:
    law = Trapezoid(*values)
    if law.certain:
        return
    # Gauss-Legendre of degree 9 is exact on each linear piece.
    x, w = np.polynomial.legendre.leggauss(5)
    pieces = [(a, b) for a, b in pairwise(values) if b > a]
    nodes = np.concatenate([(a + b) / 2 + (b - a) / 2 * x for a, b in pieces])
    mass = np.concatenate([(b - a) / 2 * w for a, b in pieces]) * law.pdf(nodes)
    width = values[3] - values[0]
    assert mass.sum() == pytest.approx(1, abs=1e-9)
    assert mass @ nodes == pytest.approx(law.mean, abs=1e-9 * (width + abs(values[0])))
    assert mass @ (nodes - law.mean) ** 2 == pytest.approx(law.var, rel=1e-8)


def test_cdf_ppf_and_samples_agree(marginal: Marginal) -> None:
    draws = marginal.sample(20_000, 3)
    assert draws.shape == (20_000,)
    if marginal.certain:
        np.testing.assert_array_equal(draws, marginal.mean)
        return
    assert abs(draws.mean() - marginal.mean) < 5 * marginal.std / np.sqrt(20_000)
    if marginal.discrete:
        return
    q = np.array([0.01, 0.2, 0.5, 0.8, 0.99])
    np.testing.assert_allclose(marginal.cdf(marginal.ppf(q)), q, atol=1e-9)
    assert stats.kstest(draws, marginal.cdf).pvalue > 1e-4


@pytest.mark.parametrize(("a", "b"), [(2.0, 1.0), (-0.5, 3.0), (0.0, 4.0)])
def test_affine(marginal: Marginal, a: float, b: float) -> None:
    image = marginal.affine(a, b)
    assert image.mean == pytest.approx(a * marginal.mean + b, rel=1e-12)
    assert image.var == pytest.approx(a * a * marginal.var, rel=1e-12, abs=1e-300)
    if a > 0:
        q = np.array([0.0, 0.1, 0.5, 0.9])
        np.testing.assert_allclose(image.ppf(q), a * marginal.ppf(q) + b, rtol=1e-12)
    expected = [a**3 * marginal.cumulants[0], a**4 * marginal.cumulants[1]]
    np.testing.assert_allclose(image.cumulants, expected, rtol=1e-9, atol=1e-12 * image.std**3)
    if a < 0 and not marginal.discrete:
        x = marginal.ppf([0.1, 0.5, 0.9])
        np.testing.assert_allclose(image.cdf(a * x + b), 1 - marginal.cdf(x), atol=1e-12)
        np.testing.assert_allclose(image.pdf(a * x + b), marginal.pdf(x) / -a, rtol=1e-9)


def test_pdf_is_the_slope_of_cdf(marginal: Marginal) -> None:
    if marginal.discrete:
        return
    low, high = marginal.ppf([0.02, 0.98])
    edges = np.linspace(low, high, 400_001)
    if isinstance(marginal, (Uniform, Triangular, Trapezoid)):
        edges = np.linspace(marginal.numbers[0], marginal.numbers[3], 400_001)
    slope = np.diff(marginal.cdf(edges)) / np.diff(edges)
    middle = marginal.pdf((edges[1:] + edges[:-1]) / 2)
    np.testing.assert_allclose(middle, slope, rtol=1e-4, atol=1e-4 * slope.max())


def test_cells() -> None:
    cells = {
        "15": Point(15),
        "0.1": Point(0.1),
        "N(14, 5.7)": NormalMarginal(14, 5.7),
        "U(10, 12)": Uniform(10, 12),
        "Tri(0, 1, 3)": Triangular(0, 1, 3),
        "14 +0.5 -0.3": TwoPieceNormal(14, 0.3, 0.5),
        "T(10, 11, 13, 15)": Trapezoid(10, 11, 13, 15),
    }
    assert {str(law): law for law in cells.values()} == cells


def test_bad_parameters() -> None:
    with pytest.raises(ValueError, match=r"low, high must not decrease; got \(2, 1\)") as error:
        Uniform(2, 1)
    assert str(error.value) == ("low, high must not decrease; got (2, 1)")
    with pytest.raises(ValueError, match="std must not be negative; got -1"):
        NormalMarginal(0, -1)
    with pytest.raises(ValueError, match="value must be finite; got nan"):
        Point(float("nan"))


@pytest.mark.parametrize("rv", [stats.cauchy(), stats.t(1.5), stats.pareto(1.5)])
def test_infinite_moments_are_refused(rv: object) -> None:
    with pytest.raises(ValueError, match=r"have a finite mean and variance; .* has mean"):
        Variable(rv)


def test_a_normal_law_of_one_dimension_is_a_marginal() -> None:
    row = Independent([15, Normal(14, std=5.7), Normal([1.0], [[0.04]])])
    assert row.marginals == (Point(15), NormalMarginal(14, 5.7), NormalMarginal(1, 0.2))
    assert as_marginal(Normal(14, std=5.7)) == Normal(14, std=5.7)
    assert repr(row.marginals[1]) == "Normal(14.0, std=5.7)"
    with pytest.raises(TypeError, match=r"marginals\[0\] must be a number, a marginal law"):
        Independent([Normal([0.0, 1.0], np.eye(2))])
    with pytest.raises(TypeError, match="either cov or std, and not both"):
        Normal(1.0)


class TestTwoPieceNormal:
    def test_equal_halves_are_a_normal(self) -> None:
        law, normal = TwoPieceNormal(2, 3, 3), stats.norm(2, 3)
        x, q = np.linspace(-9, 13, 45), np.linspace(0.01, 0.99, 21)
        np.testing.assert_allclose(law.pdf(x), normal.pdf(x), rtol=1e-13)
        np.testing.assert_allclose(law.cdf(x), normal.cdf(x), rtol=1e-12)
        np.testing.assert_allclose(law.ppf(q), normal.ppf(q), rtol=1e-12)
        assert (law.mean, law.var) == (2, 9)
        np.testing.assert_allclose(law.cumulants, 0, atol=1e-12)

    def test_one_half_is_a_half_normal(self) -> None:
        law, half = TwoPieceNormal(1, 0, 2), stats.halfnorm(1, 2)
        assert law.mean == pytest.approx(half.mean(), rel=1e-14)
        assert law.var == pytest.approx(half.var(), rel=1e-13)
        x = np.array([0.5, 1.0, 1.5, 4.0])
        np.testing.assert_allclose(law.cdf(x), half.cdf(x), atol=1e-15)
        np.testing.assert_allclose(law.ppf([0.0, 0.3, 0.9]), half.ppf([0.0, 0.3, 0.9]), rtol=1e-12)
        assert law.affine(-1) == TwoPieceNormal(-1, 2, 0)

    @given(st.floats(-5, 5), st.floats(0.01, 10), st.floats(0.01, 10))
    @settings(max_examples=30, deadline=None)
    def test_moments_against_quadrature(self, mode: float, lower: float, upper: float) -> None:
        law = TwoPieceNormal(mode, lower, upper)
        x, w = np.polynomial.legendre.leggauss(200)
        nodes = np.concatenate([mode + 6 * lower * (x - 1), mode + 6 * upper * (x + 1)])
        mass = np.concatenate([6 * lower * w, 6 * upper * w]) * law.pdf(nodes)
        assert mass.sum() == pytest.approx(1, rel=1e-12)
        assert mass @ nodes == pytest.approx(law.mean, rel=1e-11, abs=1e-11)
        deviation = nodes - law.mean
        second, third, fourth = (mass @ deviation**k for k in (2, 3, 4))
        assert second == pytest.approx(law.var, rel=1e-10)
        assert third == pytest.approx(law.cumulants[0], abs=1e-8 * law.std**3)
        assert fourth - 3 * second**2 == pytest.approx(law.cumulants[1], abs=1e-8 * law.std**4)

    def test_no_width_is_a_point(self) -> None:
        point = TwoPieceNormal(3, 0, 0)
        assert point.certain
        assert point.cumulants == (0, 0)
        np.testing.assert_array_equal(point.ppf([0.1, 0.9]), [3, 3])
        with pytest.raises(ValueError, match="lower must not be negative; got -1"):
            TwoPieceNormal(0, -1, 1)


def test_cumulants_of_known_laws() -> None:
    # Fourth cumulants: U(0, 1) has -1/120, an exponential 6, an unbounded fourth moment none.
    np.testing.assert_allclose(Uniform(0, 1).cumulants, [0, -1 / 120], atol=1e-17)
    np.testing.assert_allclose(Variable(stats.expon(), -2.0).cumulants, [-16, 96], rtol=1e-12)
    assert Variable(stats.t(3)).cumulants[1] == np.inf
    row = Independent([stats.t(3), Uniform(0, 1)])
    np.testing.assert_allclose(row.cumulants([[0.0, 1.0], [1.0, 0.0]])[1], [-1 / 120, np.inf])
    trapezoid = stats.trapezoid(0.2, 0.6, scale=5)
    expected = trapezoid.stats(moments="sk")
    law = Trapezoid(0, 1, 3, 5)
    assert law.cumulants[0] / law.std**3 == pytest.approx(float(expected[0]), rel=1e-10)
    assert law.cumulants[1] / law.var**2 == pytest.approx(float(expected[1]), rel=1e-10)


def test_histograms_do_not_share_their_quantiles() -> None:
    first, second = (
        Variable(stats.rv_histogram((heights, [0.0, 1.0, 2.0, 3.0]))())
        for heights in ([3, 0, 5], [1, 9, 1])
    )
    assert first != second
    assert first == Variable(first.rv)
    for marginal in (first, second):
        probs, places = marginal.quantiles
        inner = (probs > 1e-3) & (probs < 1 - 1e-3)
        found = marginal.cdf(places[inner] + marginal.mean)
        np.testing.assert_allclose(found, probs[inner], atol=1e-9)


def test_rows_are_drawn_together() -> None:
    kinds = [
        Uniform(10, 12),
        Trapezoid(0, 0, 2, 6),
        NormalMarginal(14, 5.7),
        TwoPieceNormal(1, 0, 2),
        Variable(stats.gamma(3.0)),
        Point(7),
    ]
    rows = [Independent(np.roll(np.array(kinds, dtype=object), k)) for k in range(6)]
    normal = Normal(np.zeros(6), np.diag(np.arange(1.0, 7.0)))
    draws = sample_rows([*rows, normal], 4000, np.random.default_rng(0))
    assert draws.shape == (4000, 7, 6)
    for n, row in enumerate(rows):
        for d, marginal in enumerate(row.marginals):
            if marginal.certain:
                np.testing.assert_array_equal(draws[:, n, d], marginal.mean)
            else:
                assert stats.kstest(draws[:, n, d], marginal.cdf).pvalue > 1e-4
    # Cells are independent of each other, and a normal row keeps its law.
    correlations = np.corrcoef(draws.reshape(4000, -1)[:, draws.std(axis=0).ravel() > 0].T)
    assert np.abs(correlations - np.eye(len(correlations))).max() < 6 / np.sqrt(4000)
    np.testing.assert_allclose(draws[:, 6].var(axis=0), np.arange(1.0, 7.0), rtol=0.12)
    assert sample_rows(rows, 0, np.random.default_rng(0)).shape == (0, 6, 6)


def test_moments_of_many_marginals_are_those_of_each(marginal: Marginal) -> None:
    row = Independent([marginal, Uniform(0, 1), marginal, Point(3)])
    np.testing.assert_array_equal(row.mean[[0, 2]], marginal.mean)
    np.testing.assert_allclose(row.std[[0, 2]], marginal.std, rtol=1e-15)
    assert row.cumulants()[0][0] == pytest.approx(marginal.cumulants[0], rel=1e-14, abs=1e-300)
    assert row.cumulants()[1][2] == pytest.approx(marginal.cumulants[1], rel=1e-14, abs=1e-300)
