"""Regions hold the probability they say, whatever the law."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.path import Path
from scipy import stats

from uapca.laws import DegenerateLawError, Independent, Mixture, Normal, Samples, Trapezoid, Uniform
from uapca.plot.base import Panel
from uapca.plot.regions import Unresolved, curve, intervals, rings
from uapca.plot.rows import draw_normal

LEVELS = (0.5, 0.8, 0.95)
DRAWS = 40_000
# Three standard errors of a fraction among the draws, and what the grid may be off.
NEAR = 3 * 0.5 / np.sqrt(DRAWS) + 0.004

TURN = np.array([[0.8, -0.6], [0.6, 0.8]])
SQUARE = Independent([Uniform(0, 1), Uniform(0, 3)])
LAWS = {
    "normal": Normal([3.0, -1.0], [[4.0, 1.9], [1.9, 1.0]]),
    "thin and oblique": Normal([0.0, 0.0], TURN @ np.diag([1.0, 1e-6]) @ TURN.T),
    "far away": Normal([1e8, -1e8], [[4.0, 1.0], [1.0, 1.0]]),
    "uniform": SQUARE,
    "uniform, turned": SQUARE.affine(TURN),
    "trapezoids": Independent([Trapezoid(0, 0, 2, 6), Trapezoid(5, 7, 9, 10)]).affine(TURN),
    "three uniforms": Independent([Uniform(0, 1), Uniform(0, 2), Uniform(1, 2)]).affine(
        [[1.0, 0.5, -0.2], [0.1, 1.0, 0.7]]
    ),
    "two modes": Mixture(
        [0.3, 0.7], [Normal([0.0, 0.0], np.eye(2)), Normal([9.0, 3.0], 0.2 * np.eye(2))]
    ),
    "narrow modes": Mixture(
        [1, 1, 1],
        [
            Normal(at, 1e-4 * np.array([[2.0, 1.0], [1.0, 1.0]]))
            for at in ([0.0, 0.0], [5.0, 1.0], [1.0, 5.0])
        ],
    ),
    "heavy tails": Independent([stats.t(4), stats.gamma(2.0)]),
}


def inside(found, points):
    """Even-odd rule, ring by ring."""
    count = np.zeros(len(points), dtype=int)
    for ring in found:
        center = ring.mean(axis=0)
        count += Path(ring - center).contains_points(points - center)
    return count % 2 == 1


@pytest.mark.parametrize("name", LAWS)
def test_contours_hold_the_fraction_they_say(name):
    law = LAWS[name]
    points = law.sample(DRAWS, rng=1)
    for level, found in zip(LEVELS, rings(law, LEVELS), strict=True):
        assert inside(found, points).mean() == pytest.approx(level, abs=NEAR), level


def ring_of_normals():
    angles = 2 * np.pi * np.arange(24) / 24
    places = 5 * np.column_stack([np.cos(angles), np.sin(angles)])
    return Mixture(np.ones(24), [Normal(at, 0.4 * np.eye(2)) for at in places])


def test_a_hole_goes_round_the_other_way():
    (found,) = rings(ring_of_normals(), 0.9)
    assert len(found) == 2
    signed = [0.5 * (r[:-1, 0] * r[1:, 1] - r[1:, 0] * r[:-1, 1]).sum() for r in found]
    assert signed[0] * signed[1] < 0
    outer, hole = sorted(np.abs(signed))[::-1]
    assert np.sqrt(hole / np.pi) < 5 < np.sqrt(outer / np.pi)


def test_contours_of_samples_hold_their_share_of_the_samples():
    rng = np.random.default_rng(5)
    one = rng.gamma(3.0, size=(3000, 2)) @ TURN.T
    two = np.concatenate([rng.normal(size=(200, 2)), 30 + rng.normal(size=(200, 2))])
    for values in (one, two):
        for level, found in zip(LEVELS, rings(Samples(values), LEVELS), strict=True):
            assert inside(found, values).mean() == pytest.approx(level, abs=0.01)


@pytest.mark.parametrize("name", ["normal", "thin and oblique", "far away"])
def test_ellipses_hold_the_fraction_they_say(name):
    law = LAWS[name]
    points = law.sample(DRAWS, rng=3)
    made = Panel(plt.subplots()[1])
    for level in LEVELS:
        ring = draw_normal(
            made, np.asarray(law.mean), np.asarray(law.cov), stats.rayleigh.ppf(level), ""
        )
        assert inside([ring], points).mean() == pytest.approx(level, abs=NEAR)


def test_contour_of_a_normal_is_its_ellipse():
    law = LAWS["normal"]
    (ring,) = rings(law, 0.95)[0]
    away = np.linalg.solve(np.linalg.cholesky(law.cov), (ring - law.mean).T)
    np.testing.assert_allclose(np.hypot(*away), np.sqrt(stats.chi2(2).ppf(0.95)), rtol=2e-3)


def test_modes_stay_apart():
    assert [len(found) for found in rings(LAWS["two modes"], LEVELS)] == [1, 2, 2]
    assert [len(found) for found in rings(LAWS["narrow modes"], LEVELS)] == [3, 3, 3]


def test_plateau_keeps_its_form():
    for level, (ring,) in zip(LEVELS, rings(SQUARE, LEVELS), strict=True):
        size = np.sqrt(level) * np.array([1.0, 3.0])
        np.testing.assert_allclose(np.ptp(ring, axis=0), size, rtol=0.01)
        np.testing.assert_allclose((ring.max(axis=0) + ring.min(axis=0)) / 2, [0.5, 1.5], atol=0.02)


LINES = {
    "normal": Normal([2.0], [[9.0]]),
    "uniform": Independent([Uniform(10, 12)]),
    "trapezoid": Independent([Trapezoid(10, 11, 13, 15)]),
    "sum": Independent([Uniform(0, 1), Uniform(0, 3)]).affine([[1.0, 1.0]]),
    "skewed": Independent([stats.gamma(2.0)]),
    "two modes": Mixture([0.4, 0.6], [Normal([0.0], [[1.0]]), Normal([50.0], [[0.01]])]),
}


@pytest.mark.parametrize("name", LINES)
def test_intervals_hold_the_fraction_they_say(name):
    law = LINES[name]
    points = law.sample(DRAWS, rng=4)
    for level, found in zip(LEVELS, intervals(law, LEVELS), strict=True):
        held = ((points >= found[:, 0]) & (points <= found[:, 1])).any(axis=1).mean()
        assert held == pytest.approx(level, abs=NEAR), level


def test_intervals_of_known_laws():
    np.testing.assert_allclose(
        intervals(LINES["normal"], 0.95)[0], [[2 - 5.88, 2 + 5.88]], atol=0.01
    )
    np.testing.assert_allclose(intervals(LINES["uniform"], 0.5)[0], [[10.5, 11.5]], atol=1e-3)
    assert len(intervals(LINES["two modes"], 0.95)[0]) == 2


@pytest.mark.parametrize("name", LINES)
def test_curves_hold_the_mass(name):
    points = curve(LINES[name])
    assert np.trapezoid(points[:, 1], points[:, 0]) == pytest.approx(1.0, abs=0.005)


def test_thin_laws_across_each_other_are_refused_not_drawn_in_pieces():
    def crossed(thin):
        return Mixture(
            [1, 1], [Normal([0, 0], np.diag([1, thin])), Normal([3, 3], np.diag([thin, 1]))]
        )

    assert [len(found) for found in rings(crossed(0.01), LEVELS)] == [2, 2, 2]
    with pytest.raises(Unresolved) as error:
        rings(crossed(1e-8), 0.95)
    assert str(error.value) == (
        "the density of this law (mixture of 2 normals in 2 dimensions) is too thin for a grid of "
        "512 by 512 points; draw samples of it instead"
    )


def test_laws_without_a_density_are_refused():
    with pytest.raises(DegenerateLawError):
        rings(Mixture([1, 1], [Normal([0.0, 0.0], np.eye(2)), Normal([3, 3], 0 * np.eye(2))]), 0.5)


@pytest.mark.parametrize("third", [0.0, 0.02])
def test_sharp_edges_are_straight(third):
    # A uniform and a normal cell, seen obliquely: a strip of height 3 across.
    A = np.array([[0.3, 0.9, third], [1.0, 0.1, third]])
    law = Independent([Uniform(0, 3), stats.norm(0, 0.6), stats.norm(0, 0.6)]).affine(A)
    (found,) = rings(law, 0.95)
    assert len(found) == 1
    # Back in the two cells: the strip's two sides are where the first is 0 and 3.
    cells = found[0] @ np.linalg.inv(A[:, :2]).T
    middle = np.abs(cells[:, 1]) < 0.6
    for side in (0.0, 3.0):
        along = cells[middle & (np.abs(cells[:, 0] - side) < 1.0), 0]
        assert len(along) > 10
        assert np.ptp(along) < 0.02
        assert abs(along.mean() - side) < 0.05
