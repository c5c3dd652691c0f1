"""Series on a window around the grid: heavy tails, poles and edges of SciPy's variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats
from uapca.laws.chirp import Comb
from uapca.laws.sheets import Sheet
from uapca.laws.windows import Histogram, Windowed

from uapca.laws import Gaussian, Independent, Law, Uniform
from uapca.laws.variable import Variable

A4 = np.array([[0.6, -0.5, 0.3, 0.4], [0.2, 0.7, 0.9, -0.3]])


def axes_of(law: Law, reach: float, points: int) -> list[np.ndarray]:
    pairs = zip(law.mean, law.std, strict=True)
    return [mean + std * np.linspace(-reach, reach, points) for mean, std in pairs]


@pytest.mark.parametrize(
    ("rv", "cf", "tolerance"),
    [
        (stats.expon(), lambda t: 1 / (1 - 1j * t), 1e-4),
        # Beside a pole no histogram is exact within its cells.
        (stats.gamma(0.5), lambda t: (1 - 1j * t) ** -0.5, 1e-3),
        (stats.laplace(), lambda t: 1 / (1 + t * t), 1e-4),
        # 1e-5 lie beyond the span.
        (stats.t(3), lambda t: (1 + np.sqrt(3) * t) * np.exp(-np.sqrt(3) * t), 1e-4),
    ],
    ids=["exponential", "gamma", "Laplace", "t"],
)
@pytest.mark.parametrize("factor", [1.0, -2.0])
def test_histograms_have_the_characteristic_function(
    rv: Any, cf: Callable[[np.ndarray], np.ndarray], tolerance: float, factor: float
) -> None:
    variable = Variable(rv, factor)
    frequencies = Comb(0.173, 60)
    span = -60 * abs(factor), 60 * abs(factor)
    found = Histogram(variable, span, 8000, 10.5).centred_cf(frequencies)
    t = factor * frequencies.t
    expected = np.where(t < 0, np.conj(cf(np.abs(t))), cf(np.abs(t)))
    expected = expected * np.exp(-1j * frequencies.t * variable.mean)
    np.testing.assert_allclose(found, expected, atol=tolerance)


def averaged(
    places: np.ndarray, mass: np.ndarray, A: np.ndarray, points: np.ndarray, spread: np.ndarray
) -> np.ndarray:
    """The normal law of all columns but the first, moved along that and averaged."""
    normal = stats.multivariate_normal([0.0, 0.0], (A[:, 1:] * spread**2) @ A[:, 1:].T)
    total = np.zeros(points.shape[:-1])
    for place, weight in zip(places, mass, strict=True):
        total += weight * normal.pdf(points - A[:, 0] * place)
    return total


@pytest.mark.parametrize("rv", [stats.t(3), stats.t(2.1), stats.pareto(3), stats.gamma(0.1)])
def test_one_hard_marginal_among_normals(rv: Any) -> None:
    law = Independent([rv, Gaussian(0, 1), Gaussian(0, 2), Gaussian(0, 1)]).affine(A4)
    assert isinstance(law._plane(), Windowed)
    x, y = axes_of(law, 4, 31)
    points = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1)
    # Equal probabilities, finer in the tails.
    tails = np.geomspace(1e-8, 1e-2, 500)
    levels = np.concatenate([[0], tails, np.linspace(1e-2, 0.99, 1500)[1:-1], 1 - tails[::-1], [1]])
    places = rv.ppf(0.5 * (levels[1:] + levels[:-1]))
    expected = averaged(places, np.diff(levels), A4, points, np.array([1.0, 2.0, 1.0]))
    np.testing.assert_allclose(law.density((x, y)), expected, atol=1e-4 * expected.max())


HARD: dict[str, list[Any]] = {
    "poles": [stats.gamma(0.5)] * 4,
    "arcsine": [stats.beta(0.5, 0.5)] * 4,
    "Weibull": [stats.weibull_min(0.7)] * 4,
    "Pareto": [stats.pareto(3)] * 4,
    "t": [stats.t(2.1)] * 4,
    "inverse gamma": [stats.invgamma(3.0)] * 4,
    "log-normal": [stats.lognorm(1.5)] * 4,
    "mixed": [stats.t(3), stats.expon(), stats.lognorm(1.0), stats.beta(0.5, 0.5)],
    "flipped": [Variable(stats.genpareto(0.3), -2.0, 5.0), stats.expon(), Uniform(0, 3), 7.0],
    "a count": [stats.poisson(3.0), stats.t(3), stats.lognorm(1.0), stats.gamma(2.0)],
}


@pytest.mark.parametrize("kind", HARD)
def test_bins_of_a_window_hold_as_many_samples(kind: str) -> None:
    law = Independent(HARD[kind]).affine(A4)
    count, bins, fine, reach = 1_000_000, 20, 20, 4
    edges = axes_of(law, reach, bins + 1)
    x, y = (axis[1::2] for axis in axes_of(law, reach, 2 * bins * fine + 1))
    area = (x[1] - x[0]) * (y[1] - y[0])
    held = law.density((x, y)).reshape(bins, fine, bins, fine).sum(axis=(1, 3)) * area
    samples = law.sample(count, 1)
    seen = np.histogram2d(samples[:, 0], samples[:, 1], edges)[0] / count
    most = np.maximum(seen, held)
    z = ((held - seen) / np.sqrt(np.maximum(most, 1 / count) / count))[most >= 50 / count]
    assert np.max(np.abs(z)) < 5
    assert np.mean(z**2) < 1.4
    assert held.sum() == pytest.approx(seen.sum(), abs=4 * np.sqrt(0.05 / count))


def test_grids_within_the_core_give_the_same_values() -> None:
    law = Independent([stats.t(3), stats.lognorm(1.0), stats.expon(), stats.gamma(2.0)]).affine(A4)
    x, y = axes_of(law, 1.5, 41)
    np.testing.assert_allclose(
        law.density((x[::2], y[10:31])), law.density((x, y))[::2, 10:31], atol=1e-12
    )


def test_wide_grids_hold_all() -> None:
    law = Independent([stats.t(3), Gaussian(0, 1), stats.expon(), Gaussian(1, 2)]).affine(A4)
    x, y = axes_of(law, 40, 1200)
    area = (x[1] - x[0]) * (y[1] - y[0])
    assert law.density((x, y)).sum() * area == pytest.approx(1, abs=1e-3)


def test_beside_a_pole_the_finest_grids_are_conditioned() -> None:
    law = Independent([stats.gamma(0.1)] * 3 + [stats.norm()]).affine(A4)
    way = law._plane()
    assert isinstance(way, Windowed)
    wide = np.linspace(-3, 3, 100)
    flat = np.zeros(100)
    assert way._series((wide, wide, flat)) is not None
    pole = A4[:, :3].sum(axis=1) * -0.1
    near = pole[0] + 0.02 * wide, pole[1] + 0.02 * wide, flat
    assert way._series(near) is None
    assert isinstance(way.way, Sheet)
    np.testing.assert_array_equal(way.density(near), way.way.density(near))


def test_single_points_empty_grids_and_grids_far_away() -> None:
    law = Independent([stats.t(3)] * 4).affine(A4)
    x, y = axes_of(law, 1.5, 7)
    whole = law.density((x, y))
    np.testing.assert_allclose(law.density((x[2:3], y[4:5])), whole[2:3, 4:5], rtol=1e-5)
    assert law.density(([], y)).shape == (0, 7)
    np.testing.assert_array_equal(law.density((x, [1e9, 2e9])), np.zeros((7, 2)))


def test_probabilities_are_asked_of_scipy_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    cdf = Variable.cdf
    monkeypatch.setattr(Variable, "cdf", lambda self, x: asked.append(len(x)) or cdf(self, x))
    law = Independent([stats.t(3), stats.gamma(2.0), stats.expon(), stats.laplace()]).affine(A4)
    x, y = axes_of(law, 4, 20)
    first = law.density((x, y))
    assert len(asked) == 4
    np.testing.assert_array_equal(law.density((x, y)), first)
    assert len(asked) == 4
