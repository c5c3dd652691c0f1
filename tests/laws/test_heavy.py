"""Many heavy tails, poles and different scales: densities, levels and what is said of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats
from uapca.laws.ladders import ladder_of, ladder_sum

from uapca.laws import (
    Affine,
    DegenerateLawError,
    Gaussian,
    Independent,
    Law,
    Mixture,
    Normal,
    Samples,
    Trapezoid,
    Triangular,
    Uniform,
)
from uapca.laws.variable import Variable

PROBS = np.array([0.05, 0.25, 0.5, 0.75, 0.95])


def projection(size: int, q: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([size, q, seed]).normal(size=(q, size))


def scores(law: Law, count: int, bins: int = 14, fine: int = 30) -> tuple[np.ndarray, float]:
    """(seen − expected) / √ in bins of whitened coordinates, and the mass expected beyond seen."""
    lower = np.linalg.cholesky(law.cov)
    z = np.linalg.solve(lower, (law.sample(count, 1) - law.mean).T).T
    box = np.quantile(z, [0.01, 0.99], axis=0).T
    seen = np.histogramdd(z, [np.linspace(*ends, bins + 1) for ends in box])[0]
    axes = [np.linspace(*ends, 2 * bins * fine + 1)[1::2] for ends in box]
    cell = float(np.prod([axis[1] - axis[0] for axis in axes]) * np.prod(np.diagonal(lower)))
    if law.dim == 1:
        values = law.density(law.mean[0] + lower[0, 0] * axes[0]).reshape(bins, fine).sum(axis=1)
    else:
        values = law._density_on_plane(
            law.mean[0] + lower[0, 0] * axes[0],
            law.mean[1] + lower[1, 1] * axes[1],
            lower[1, 0] * axes[0],
        )
        values = values.reshape(bins, fine, bins, fine).sum(axis=(1, 3))
    expected = count * cell * values
    most = np.maximum(seen, expected)
    found = ((seen - expected) / np.sqrt(np.maximum(most, 1)))[most >= 50]
    return found, float(expected.sum() - seen.sum()) / count


@pytest.mark.parametrize(
    ("rv", "size"),
    [(stats.lognorm(1.0), 5), (stats.t(3), 6)],
    ids=["lognormal", "t"],
)
def test_five_heavy_tails_in_the_plane(rv: Any, size: int) -> None:
    found, missing = scores(Independent([rv] * size).affine(projection(size, 2)), 400_000)
    assert np.max(np.abs(found)) < 5
    assert np.mean(found**2) < 1.5
    assert abs(missing) < 1e-3


@pytest.mark.parametrize("count", [2, 3])
def test_a_sum_of_poles_is_a_gamma(count: int) -> None:
    whole = stats.gamma(0.1 * count)
    x = whole.ppf(np.linspace(0.1, 0.9, 9))
    held = ladder_sum([ladder_of(Variable(stats.gamma(0.1)))] * count)(x - 0.1 * count)
    np.testing.assert_allclose(held, whole.cdf(x), atol=2e-3)
    law = Independent([stats.gamma(0.1)] * count).affine(np.ones((1, count)))
    np.testing.assert_allclose(law.density(x), whole.pdf(x), rtol=1e-2)


def test_a_narrow_normal_on_a_long_tail() -> None:
    law = Independent([stats.lognorm(2.0), Gaussian(0, 0.1)]).affine([[1.0, 1.0]])
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    x = np.array([0.3, 1.0, 5.0, 60.0])
    smooth = stats.lognorm(2.0).pdf(x[1:, None] - 0.1 * nodes) @ weights / weights.sum()
    np.testing.assert_allclose(law.density(x[1:]), smooth, rtol=1e-2)


LEVELS: dict[str, Callable[[int], Law]] = {
    "uniforms": lambda q: Independent([Uniform(0, 1)] * 4).affine(projection(4, q)),
    "trapezoids": lambda q: Independent(
        [Trapezoid(0, 1, 2, 4), Trapezoid(0, 0, 2, 6), Trapezoid(3, 4, 4.5, 6)]
    ).affine(projection(3, q)),
    "lognormal and normal": lambda q: Independent(
        [stats.lognorm(2.0), Gaussian(0, 0.1), Gaussian(0, 0.2)]
    ).affine(projection(3, q)),
    "lognormals": lambda q: Independent([stats.lognorm(2.0)] * 3).affine(projection(3, q)),
    "poles": lambda q: Independent([stats.gamma(0.1)] * 2).affine(projection(2, q)),
    "t": lambda q: Independent([stats.t(3)] * 3).affine(projection(3, q)),
    "arcsine": lambda q: Independent([stats.beta(0.5, 0.5)] * 2).affine(projection(2, q)),
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
            Independent([stats.lognorm(1.0)] * 3).affine(projection(3, q)),
            Normal(np.full(q, 5.0), 0.01 * np.eye(q)),
        ],
    ),
}


@pytest.mark.parametrize("q", [1, 2])
@pytest.mark.parametrize("kind", LEVELS)
def test_levels_enclose_their_mass(kind: str, q: int) -> None:
    law = LEVELS[kind](q)
    count = 200_000
    values = law._density_at(law.sample(count, 3))
    share = [(values >= level).mean() for level in law.levels(PROBS)]
    np.testing.assert_allclose(share, PROBS, atol=3e-3 + 3 * 0.5 / np.sqrt(count))


def test_a_plateau_is_within_its_level() -> None:
    law = Independent([Uniform(0, 1)] * 2).affine([[1.0, 0.3], [-0.2, 1.0]])
    level = law.levels([0.3])[0]
    assert level == pytest.approx(1 / 1.06, rel=1e-12)
    assert np.mean(law._density_at(law.sample(1000, 0)) >= level) == 1


def test_values_at_points_are_those_on_a_grid() -> None:
    for law in (
        Independent([Uniform(0, 1)] * 4).affine(projection(4, 2)),
        Independent([stats.lognorm(1.0)] * 4).affine(projection(4, 2)),
        Independent([stats.poisson(3.0), *[Uniform(0, 0.1)] * 3]).affine(projection(4, 2)),
        Samples(np.random.default_rng(0).normal(size=(500, 2))),
        Mixture([1, 2], [Normal([0.0, 0.0], np.eye(2)), Normal([1.0, 0.0], np.eye(2))]),
    ):
        x, y = (m + s * np.linspace(-1, 1, 7) for m, s in zip(law.mean, law.std, strict=True))
        points = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
        grid = law.density((x, y)).ravel()
        np.testing.assert_allclose(law._density_at(points), grid, atol=1e-2 * grid.max())


def test_describe_says_what_is_not_resolved() -> None:
    poles = Independent([stats.gamma(0.1)] * 3).affine(projection(3, 2))
    known = "affine image in 2 dimensions of independent: "
    known += ", ".join(["Variable(gamma(0.1))"] * 3)
    before, after = "; its density puts about ", " of the probability in the wrong place"
    said = poles.describe()
    assert said.startswith(known + before)
    assert said.endswith(after)
    assert 1e-3 < float(said.removeprefix(known + before).removesuffix(after)) < 0.1
    # Resolved ones, lines and points are described without a word about it.
    smooth = Independent([stats.gamma(3.0)] * 3).affine(projection(3, 2))
    assert smooth.describe().endswith("Variable(gamma(3.0))")
    line = Independent([stats.gamma(0.1), 2.0]).affine([[1.0, 0.0], [2.0, 1.0]])
    assert line.describe().endswith("Variable(gamma(0.1)), 2")


def test_a_thin_third_direction_keeps_its_shape() -> None:
    row = Independent([Triangular(0, 0.3, 1), stats.lognorm(0.5), stats.lognorm(0.5)])
    image = row.affine(np.array([[0.01, 0.0, 1.0], [0.9, 1.0, 0.0]]))
    found, missing = scores(image, 400_000)
    assert np.max(np.abs(found)) < 5
    assert abs(missing) < 1e-3


KINDS: list[Callable[[float], Any]] = [
    lambda w: Uniform(0, w),
    lambda w: Triangular(0, 0.3 * w, w),
    lambda w: Trapezoid(0, 0.2 * w, 0.6 * w, w),
    lambda w: Gaussian(0, w / 4),
    lambda w: stats.gamma(2.0, scale=w / 5),
    lambda w: stats.beta(2, 3, scale=w),
    lambda w: stats.lognorm(0.5, scale=w / 4),
    lambda w: stats.lognorm(1.0, scale=w / 4),
    lambda w: stats.t(3, scale=w / 4),
    lambda w: stats.laplace(0, w / 5),
]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("q", [1, 2])
def test_random_rows_and_projections(q: int, seed: int) -> None:
    rng = np.random.default_rng([seed, q])
    size = int(rng.integers(q + 1, 7))
    widths = np.where(rng.random(size) < 0.5, 1.0, 1 / rng.choice([1, 10, 1e3, 1e6]))
    row = Independent([KINDS[rng.integers(len(KINDS))](w) for w in widths])
    A = rng.normal(size=(q, size))
    if seed % 3 == 1:  # nearly parallel
        line = rng.normal(size=(q, 1)) * rng.normal(size=size)
        A = np.where(rng.random(size) < 0.6, line + 10.0 ** rng.integers(-4, 0) * A, A)
    if seed % 3 == 2:  # tiny loadings
        A = A * np.where(rng.random(size) < 0.4, 1e-6, 1.0)
    image = row.affine(A)
    try:
        image._refuse_degenerate()
    except DegenerateLawError:
        assert image.support_rank < q
        return
    assert isinstance(image, (Affine, Normal))
    found, missing = scores(image, 100_000, 40 if q == 1 else 10)
    assert np.max(np.abs(found)) < 5
    assert abs(missing) < 1e-3 + 4 * 0.45e-3
