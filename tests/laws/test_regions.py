"""Regions of probability p hold p of a law's draws, whatever the law."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from benchmarks.densities import SHAPES, SLOW, regions
from scipy import stats

from uapca.laws import (
    Independent,
    Law,
    Mixture,
    Normal,
    Samples,
    Trapezoid,
    Triangular,
    TwoPieceNormal,
    Uniform,
    Variable,
)

PROBS = np.array([0.05, 0.25, 0.5, 0.75, 0.95, 0.99])
DRAWS = 500_000
#: Of the method, stated in the documentation.
ACCURACY = 2e-3
#: Three standard errors of the share of the draws.
CHANCE = 3 * np.sqrt(PROBS * (1 - PROBS) / DRAWS)

FAIRLY_GOOD, GOOD, VERY_GOOD = (
    Trapezoid(10, 11, 13, 15),
    Trapezoid(13, 14, 16, 18),
    Trapezoid(14, 18, 20, 20),
)
VERY_BAD, FAIRLY_BAD = Trapezoid(0, 0, 2, 6), Trapezoid(5, 7, 9, 10)
ROWS: dict[str, list[Any]] = {
    "Tom": [15, FAIRLY_GOOD, Normal(14, std=5.7), Uniform(14, 16)],
    "David": [9, GOOD, FAIRLY_GOOD, 10],
    "Bob": [6, Uniform(10, 11), Uniform(13, 20), GOOD],
    "Jane": [FAIRLY_GOOD, VERY_GOOD, 19, Uniform(10, 12)],
    "Joe": [VERY_BAD, FAIRLY_BAD, Uniform(10, 14), 14],
    "Jack": [1, Uniform(4, 6), 9, Uniform(6, 9)],
    "four uniforms": [Uniform(0, 1)] * 4,
    "two uniforms": [Uniform(0, 1), 0, 0, Uniform(0, 3)],
    "gamma 0.7": [stats.gamma(0.7)] * 4,
    "t 3": [stats.t(3)] * 4,
    "t 2.1": [stats.t(2.1)] * 4,
    "trapezoids": [Trapezoid(0, 1, 2, 4), VERY_BAD, Trapezoid(3, 4, 4.5, 6), 0],
    "arcsine": [stats.beta(0.5, 0.5)] * 4,
    "beta 0.3": [stats.beta(0.3, 0.3)] * 4,
    "log-normal": [stats.lognorm(1.0)] * 4,
    "Pareto 3.1": [stats.pareto(3.1)] * 4,
    "Pareto 2.1": [stats.pareto(2.1)] * 4,
    "unlike": [stats.t(3), stats.expon(), stats.lognorm(1.0), stats.beta(0.5, 0.5)],
    "a count": [stats.poisson(3.0), Uniform(0, 1), Normal(0, std=1), 3],
    "two-piece normals": [TwoPieceNormal(0, 0.2, 2), TwoPieceNormal(0, 1, 0), Uniform(0, 1), 2],
    "two poles": [stats.gamma(0.3), 0, stats.gamma(0.3), 0],
    "two long tails": [stats.lognorm(2.0), 0, 0, stats.lognorm(2.0)],
    "thin": [Normal(0, std=100), Uniform(0, 1), Uniform(0, 1), Uniform(0, 0.5)],
}
PROJECTION = np.array([[0.6, -0.5, 0.3, 0.4], [0.2, 0.7, 0.9, -0.3]])


def held(law: Law, probs: np.ndarray = PROBS, count: int = DRAWS) -> np.ndarray:
    """Share of draws in the regions of the law's lattice."""
    coverage = law.lattice().coverage_at(law.sample(count, 1))
    return np.array([(coverage <= p).mean() for p in probs])


@pytest.mark.parametrize("q", [1, 2])
@pytest.mark.parametrize("name", ROWS)
def test_regions_hold_what_they_say(name: str, q: int) -> None:
    law = Independent(ROWS[name]).affine(PROJECTION[:q])
    assert np.all(np.abs(held(law) - PROBS) <= ACCURACY + CHANCE)
    if (name, q) not in (("two poles", 1), ("Pareto 2.1", 2)):  # narrower than a cell
        assert "not the smallest" not in law.describe()


LAWS = [
    (name, shapes)
    for name in SHAPES
    if name not in SLOW
    for shapes in SHAPES[name]
    if np.isfinite(getattr(stats, name)(*shapes).var())  # truncpareto of old versions has none
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "shapes"), LAWS, ids=[f"{name}{s}" for name, s in LAWS])
def test_regions_of_any_law_of_scipy(name: str, shapes: tuple[float, ...]) -> None:
    variable = getattr(stats, name)(*shapes)
    for found in regions(variable, 100_000, ((1, 2), (2, 2), (2, 3))):
        assert found.error <= ACCURACY, found


def test_regions_of_a_histogram() -> None:
    rv = stats.rv_histogram(([3, 0, 5], [0.0, 1.0, 2.0, 3.0]))()
    for found in regions(rv, 100_000, ((2, 3),)):
        assert found.error <= ACCURACY


def test_many_short_parts_widen_nothing() -> None:
    kinds = [Uniform(0, 1), stats.gamma(2.0), stats.t(4), Normal(0, std=1)]
    A = np.linalg.qr(np.random.default_rng(0).normal(size=(60, 2)))[0].T
    law = Independent([kinds[i % 4] for i in range(60)]).affine(A)
    lattice = law.lattice()
    assert np.all(np.abs(held(law, count=400_000) - PROBS) <= ACCURACY + 2 * CHANCE)
    deviation = lattice.centers() - law.mean
    cov = (deviation * lattice.mass.ravel()[:, None]).T @ deviation
    np.testing.assert_allclose(cov, law.cov, atol=0.01)


@pytest.mark.parametrize("rv", [stats.gamma(0.1), stats.lognorm(2.0), stats.fatiguelife(29)])
def test_unresolved_sums_are_described(rv: Any) -> None:
    law = Independent([rv] * 4).affine(PROJECTION)
    assert law.describe().endswith("regions hold their probability but are not the smallest")
    assert np.all(np.abs(held(law) - PROBS) <= ACCURACY + CHANCE)
    # The same regions by levels of the density, which interpolates between the cells.
    values = law._density_at(law.sample(DRAWS, 2))
    share = np.array([(values >= level).mean() for level in law.levels(PROBS)])
    assert np.all(np.abs(share - PROBS) <= ACCURACY + CHANCE)
    # One marginal alone follows its quantiles and needs no lattice of equal cells.
    one = Independent([rv, 5.0]).affine([[-3.0, 1.0]])
    # Of gamma(0.1) 5 % lie so close to the pole that rounding cannot tell them from it.
    assert np.all((np.abs(held(one) - PROBS) <= ACCURACY + CHANCE)[1:])


@pytest.mark.parametrize("rv", [stats.gamma(0.05), stats.gamma(0.02), stats.beta(0.05, 0.05)])
@pytest.mark.parametrize(("q", "size"), [(1, 1), (2, 2), (2, 3)])
def test_poles_too_strong_for_floating_point_are_described(rv: Any, q: int, size: int) -> None:
    law = Independent([rv] * size).affine(PROJECTION[:q, :size])
    told = re.findall(r"; (\S+) of its probability lies closer to poles than", law.describe())
    assert len(told) == 1
    share = float(told[0])
    # Of one part: what is within rounding of its mean, measured on SciPy's distribution function.
    near = 8 * np.finfo(float).eps * rv.mean()
    alone = rv.cdf(near) + (rv.sf(1 - near) if rv.support()[1] == 1 else 0.0)
    assert share == pytest.approx(alone**size, rel=0.2 * size)
    count = 100_000
    chance = 3 * np.sqrt(PROBS * (1 - PROBS) / count)
    assert np.all(np.abs(held(law, count=count) - PROBS) <= share + chance)


@pytest.mark.parametrize("width", [1.0, 0.2])
def test_counts_with_little_between_them_are_described(width: float) -> None:
    row = [stats.bernoulli(0.3), stats.binom(1000, 0.5), Uniform(0, width), Uniform(0, width)]
    law = Independent(row).affine(PROJECTION)
    assert law.describe().endswith("regions hold their probability but are not the smallest")
    assert np.all(np.abs(held(law) - PROBS) <= ACCURACY + CHANCE)


def test_masses_are_probabilities() -> None:
    for name, row in ROWS.items():
        lattice = Independent(row).affine(PROJECTION).lattice()
        assert lattice.mass.min() >= 0, name
        assert lattice.mass.sum() + lattice.outside == pytest.approx(1, abs=1e-12)
        mean = lattice.mass.ravel() @ lattice.centers()
        if lattice.beyond is None and "long" not in name:
            law = Independent(row).affine(PROJECTION)
            assert np.all(np.abs(mean - law.mean) < 5e-3 * law.std), name


def test_regions_nest_and_plateaus_shrink_about_their_center() -> None:
    law = Independent([Uniform(0, 1), Uniform(0, 3)])
    lattice = law.lattice()
    masks = [lattice.mask(p) for p in (0.1, 0.5, 0.9)]
    assert np.all(masks[0] <= masks[1])
    assert np.all(masks[1] <= masks[2])
    for p in (0.1, 0.5, 0.9):
        inside = lattice.centers()[lattice.mask(p).ravel()]
        np.testing.assert_allclose(np.ptp(inside, axis=0), np.sqrt(p) * np.array([1, 3]), rtol=0.02)
        np.testing.assert_allclose(inside.mean(axis=0), [0.5, 1.5], atol=0.01)


def test_a_plateau_is_within_its_level() -> None:
    law = Independent([Uniform(0, 1)] * 2).affine([[1.0, 0.3], [-0.2, 1.0]])
    level = law.levels([0.3])[0]
    assert level == pytest.approx(1 / 1.06, rel=1e-5)
    x = law.sample(1000, 0)
    assert np.mean(law.lattice().at(x) >= level) == 1


def random_projection(size: int, q: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([size, q, seed]).normal(size=(q, size))


LEVELS: dict[str, Callable[[int], Law]] = {
    "uniforms": lambda q: Independent([Uniform(0, 1)] * 4).affine(random_projection(4, q)),
    "t": lambda q: Independent([stats.t(3)] * 3).affine(random_projection(3, q)),
    "arcsine": lambda q: Independent([stats.beta(0.5, 0.5)] * 2).affine(random_projection(2, q)),
    "widths": lambda q: Mixture(
        [1, 1, 1],
        [
            Normal(np.zeros(q), np.eye(q)),
            Normal(np.zeros(q), 1e-6 * np.eye(q)),
            Normal(np.full(q, 0.5), np.diag([1e4, 1e-4][:q])),
        ],
    ),
    "mixture of kinds": lambda q: Mixture(
        [1, 1],
        [
            Independent([stats.lognorm(1.0)] * 3).affine(random_projection(3, q)),
            Normal(np.full(q, 5.0), 0.01 * np.eye(q)),
        ],
    ),
}


@pytest.mark.parametrize("q", [1, 2])
@pytest.mark.parametrize("kind", LEVELS)
def test_densities_above_a_level_hold_the_probability(kind: str, q: int) -> None:
    law = LEVELS[kind](q)
    count = 200_000
    values = law._density_at(law.sample(count, 3))
    share = [(values >= level).mean() for level in law.levels(PROBS)]
    np.testing.assert_allclose(share, PROBS, atol=3e-3 + 3 * 0.5 / np.sqrt(count))


@pytest.mark.parametrize(
    "rv",
    [stats.lognorm(2.0), stats.lognorm(1.0), stats.gamma(0.1), stats.t(2.5), stats.pareto(2.1)],
    ids=["lognorm 2", "lognorm 1", "gamma", "t", "pareto"],
)
@pytest.mark.parametrize("factor", [1.0, -3.0])
def test_levels_of_one_marginal(rv: Any, factor: float) -> None:
    law = Independent([rv, 5.0]).affine([[factor, 1.0]])
    # Quantiles stand for the law, as the density falls with the distance from its mode.
    x = 5 + factor * rv.ppf(np.linspace(0, 1, 200_001)[1:-1])
    share = [(law.density(x) >= level).mean() for level in law.levels(PROBS)]
    np.testing.assert_allclose(share[1:], PROBS[1:], atol=1e-3)


def test_two_clusters_of_samples() -> None:
    rng = np.random.default_rng(0)
    for q in (1, 2):
        values = np.concatenate([rng.normal(size=(200, q)), 50 + rng.normal(size=(200, q))])
        law = Samples(values)
        assert "kernel" in law.describe()
        lattice = law.lattice()
        for p in (0.25, 0.5, 0.9):
            share = (lattice.coverage_at(values) <= p).mean()
            assert share == pytest.approx(p, abs=0.01)
            share = (law._density_at(values) >= law.levels(p)[0]).mean()
            assert share == pytest.approx(p, abs=0.005)


def scores(law: Law, count: int, bins: int = 14, fine: int = 30) -> tuple[np.ndarray, float]:
    """(seen − expected) / √ in bins of whitened coordinates, and the mass expected beyond seen."""
    lower = np.linalg.cholesky(law.cov)
    z = np.linalg.solve(lower, (law.sample(count, 1) - law.mean).T).T
    box = np.quantile(z, [0.01, 0.99], axis=0).T
    seen = np.histogramdd(z, [np.linspace(*ends, bins + 1) for ends in box])[0]
    axes = [np.linspace(*ends, 2 * bins * fine + 1)[1::2] for ends in box]
    cell = float(np.prod([axis[1] - axis[0] for axis in axes]) * np.prod(np.diagonal(lower)))
    grid = np.stack([c.ravel() for c in np.meshgrid(*axes, indexing="ij")], axis=1)
    values = law._density_at(law.mean + grid @ lower.T).reshape((bins, fine) * law.dim)
    expected = count * cell * values.sum(axis=tuple(range(1, 2 * law.dim, 2)))
    most = np.maximum(seen, expected)
    found = ((seen - expected) / np.sqrt(np.maximum(most, 1)))[most >= 50]
    return found, float(expected.sum() - seen.sum()) / count


KINDS: list[Callable[[float], Any]] = [
    lambda w: Uniform(0, w),
    lambda w: Triangular(0, 0.3 * w, w),
    lambda w: Trapezoid(0, 0.2 * w, 0.6 * w, w),
    lambda w: Normal(0, std=w / 4),
    lambda w: TwoPieceNormal(0, w / 8, w / 4),
    lambda w: stats.gamma(2.0, scale=w / 5),
    lambda w: stats.beta(2, 3, scale=w),
    lambda w: stats.lognorm(0.5, scale=w / 4),
    lambda w: stats.lognorm(1.0, scale=w / 4),
    lambda w: stats.t(3, scale=w / 4),
    lambda w: stats.laplace(0, w / 5),
    lambda w: Variable(stats.poisson(3.0), w / 6),
]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("q", [1, 2])
def test_bins_hold_as_many_draws_as_the_density_says(q: int, seed: int) -> None:
    rng = np.random.default_rng([seed, q])
    size = int(rng.integers(q + 1, 7))
    widths = np.where(rng.random(size) < 0.5, 1.0, 1 / rng.choice([1, 10, 1e3, 1e6]))
    row = [KINDS[rng.integers(len(KINDS))](w) for w in widths]
    # Two that spread over the plane, so that there is a density to see.
    row[:q] = [Uniform(0, 1), stats.gamma(2.0, scale=0.2)][:q]
    A = rng.normal(size=(q, size))
    if seed % 3 == 1:  # nearly parallel
        line = rng.normal(size=(q, 1)) * rng.normal(size=size)
        near = rng.random(size) < 0.6
        near[:q] = False
        A = np.where(near, line + 10.0 ** rng.integers(-4, 0) * A, A)
    found, missing = scores(Independent(row).affine(A), 100_000, 40 if q == 1 else 10)
    assert np.max(np.abs(found)) < 5
    assert abs(missing) < 1e-3 + 4 * 0.45e-3
