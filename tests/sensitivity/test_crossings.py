from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from uapca.sensitivity.crossings import Crossing, WeightCrossing, crossings
from uapca.sensitivity.family import Family, over_scale, over_weight


def random_family(seed: int, d: int) -> Family:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(d, 4 * d))
    errors = rng.normal(size=(d, d + 2)) * np.linspace(0.5, 2.0, d)[:, None]
    return over_scale(points @ points.T / (4 * d), errors @ errors.T / d)


def found_in(family: Family) -> list[Crossing] | list[WeightCrossing]:
    return list(crossings(family, 2, Crossing if family.homogeneous else WeightCrossing))


def brute_force(family: Family, count: int = 100_000) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """u, place and gap of every minimum of a gap of K on an even grid."""
    u = np.arange(count) / count
    found = []
    for block in np.array_split(u, 20):
        values = np.linalg.eigvalsh(family.matrices(1.0 - block, block))[:, ::-1]
        unit = (1.0 - block) ** 2 if family.homogeneous else np.ones_like(block)
        found.append((values[:, :-1] - values[:, 1:]) / unit[:, None])
    gaps = np.concatenate(found)
    smallest = (gaps[1:-1] < gaps[:-2]) & (gaps[1:-1] <= gaps[2:])
    k, place = np.nonzero(smallest)
    return u[k + 1], place, gaps[k + 1, place]


class TestTrueCrossings:
    C, psi = np.diag([5.0, 3.0, 1.0]), np.diag([1.0, 4.0, 8.0])
    # 3 + 4t = 1 + 8t, 5 + t = 1 + 8t and 5 + t = 3 + 4t.
    expected = np.sqrt([1 / 2, 4 / 7, 2 / 3])

    def test_of_diagonal_matrices_are_where_algebra_puts_them(self):
        found = found_in(over_scale(self.C, self.psi))
        np.testing.assert_allclose([m.scale for m in found], self.expected, rtol=0, atol=1e-8)
        assert [m.pair[0] for m in found] == [1, 0, 1]
        assert {m.kind for m in found} == {"true"}
        assert {m.gap for m in found} == {0.0}

    def test_do_not_depend_on_the_axes(self):
        turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
        found = found_in(over_scale(turn @ self.C @ turn.T, turn @ self.psi @ turn.T))
        np.testing.assert_allclose([m.scale for m in found], self.expected, rtol=0, atol=1e-8)
        assert {m.kind for m in found} == {"true"}

    @pytest.mark.parametrize("coupling", [1e-2, 1e-4, 1e-6, 1e-8, 1e-10])
    def test_the_smallest_coupling_makes_an_avoided_one(self, coupling):
        psi = self.psi.copy()
        psi[0, 1] = psi[1, 0] = coupling
        found = found_in(over_scale(self.C, psi))
        assert [m.kind for m in found] == ["true", "true", "avoided"]
        # In the pair's own plane the gap is √(δ² + (2tε)²) with δ = 2 − 3t.
        t = 6.0 / (9.0 + 4.0 * coupling**2)
        assert found[2].scale == pytest.approx(np.sqrt(t), abs=1e-8)
        assert found[2].gap == pytest.approx(np.hypot(2 - 3 * t, 2 * t * coupling), rel=1e-2)

    def test_a_crossing_on_the_grid_itself_is_found(self):
        (found,) = found_in(over_scale(np.diag([2.0, 0.0]), np.diag([1.0, 3.0])))
        assert found.u == pytest.approx(0.5, abs=1e-10)
        assert found.kind == "true"

    def test_of_one_with_two_that_are_tied(self):
        (found,) = found_in(over_scale(np.diag([5.0, 1.0, 1.0]), np.diag([0.1, 2.0, 2.0])))
        assert found.scale == pytest.approx(np.sqrt(4 / 1.9), abs=1e-8)
        assert (found.pair[0], found.kind) == (0, "true")

    def test_of_three_in_one_point(self):
        found = found_in(over_scale(np.diag([3.0, 2.0, 1.0]), np.diag([1.0, 2.0, 3.0])))
        np.testing.assert_allclose([m.scale for m in found], 1.0, atol=1e-8)
        assert [(m.pair[0], m.kind) for m in found] == [(0, "true"), (1, "true")]

    @pytest.mark.parametrize("size", [1e-12, 1e-4, 1e4, 1e12])
    def test_at_any_scale(self, size):
        found = found_in(over_scale(self.C, size * self.psi))
        expected = self.expected / np.sqrt(size)
        np.testing.assert_allclose([m.scale for m in found], expected, rtol=1e-8)
        assert {m.kind for m in found} == {"true"}


class TestAvoidedCrossings:
    @pytest.mark.parametrize(("seed", "d"), [(0, 2), (1, 3), (2, 4), (3, 6), (4, 9)])
    def test_agree_with_brute_force(self, seed, d):
        family = random_family(seed, d)
        u, place, gap = brute_force(family)
        found = found_in(family)
        assert sorted(place) == sorted(m.pair[0] for m in found)
        order = np.lexsort((u, place))
        ours = sorted(found, key=lambda m: (m.pair[0], m.u))
        np.testing.assert_allclose([m.u for m in ours], u[order], atol=2e-5)
        assert (np.array([m.gap for m in ours]) <= gap[order] * (1 + 1e-12)).all()

    @pytest.mark.parametrize(("d", "seed"), [(8, 15), (20, 1), (20, 2)])
    def test_shallow_minima_close_to_a_maximum(self, d, seed):
        """Both between two points of a coarse grid, where the slope has the same sign."""
        rng = np.random.default_rng(1000 * d + seed)
        means = rng.standard_normal((60, d)) @ rng.standard_normal((d, d))
        factors = rng.standard_normal((60, d, d)) * rng.uniform(0.1, 1, (1, d, 1))
        C, psi = np.cov(means.T, bias=True), np.einsum("nij,nkj->ik", factors, factors) / 60
        family = over_scale(C, psi)
        u, place, _ = brute_force(family, 20_000)
        found = sorted(found_in(family), key=lambda m: (m.pair[0], m.u))
        order = np.lexsort((u, place))
        assert [m.pair[0] for m in found] == list(place[order])
        np.testing.assert_allclose([m.u for m in found], u[order], atol=1e-4)

    def test_are_where_the_derivative_of_the_gap_is_zero(self):
        # Two features: with t = s² the gap is √((a + bt)² + (2e + 2ft)²), a parabola's root.
        C, psi = np.array([[4.0, 0.2], [0.2, 1.0]]), np.array([[1.0, 0.3], [0.3, 6.0]])
        a, b, e, f = 3.0, -5.0, 0.4, 0.6
        t = -(a * b + e * f) / (b * b + f * f)
        (found,) = found_in(over_scale(C, psi))
        assert found.u == pytest.approx(np.sqrt(t) / (1 + np.sqrt(t)), abs=1e-8)
        assert found.gap == pytest.approx(np.hypot(a + b * t, e + f * t), rel=1e-12)
        assert found.kind == "avoided"

    def test_over_a_weight_agree_with_brute_force(self):
        rng = np.random.default_rng(3)
        parts = rng.normal(size=(2, 4, 9))
        others, rows = (p @ p.T / 9 for p in parts)
        family = over_weight(others, rows, np.array([0.5, -1.0, 0.2, 0.8]))
        u, place, gap = brute_force(family)
        found = sorted(found_in(family), key=lambda m: (m.pair[0], m.u))
        order = np.lexsort((u, place))
        assert [m.pair[0] for m in found] == list(place[order])
        np.testing.assert_allclose([m.u for m in found], u[order], atol=2e-5)
        np.testing.assert_allclose([m.gap for m in found], gap[order], rtol=1e-6)


class TestNoCrossings:
    @pytest.mark.parametrize(
        ("C", "psi"),
        [
            (np.eye(3), np.eye(3)),
            (np.diag([3.0, 2.0, 1.0]), np.eye(3)),
            (np.zeros((3, 3)), np.diag([3.0, 2.0, 1.0])),
            (np.diag([3.0, 2.0, 1.0]), np.zeros((3, 3))),
            (np.zeros((3, 3)), np.zeros((3, 3))),
            (np.diag([3.0, 0.0, 0.0]), np.diag([2.0, 0.0, 0.0])),
            (np.diag([3.0, 2.0, 2.0]), np.diag([2.0, 1.0, 1.0])),
            (np.diag([3.0, 2.0, 1.0]), np.diag([3.0, 2.0, 1.0])),
        ],
    )
    def test_where_eigenvalues_are_tied_or_keep_apart(self, C, psi):
        assert found_in(over_scale(C, psi)) == []
        turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
        assert found_in(over_scale(turn @ C @ turn.T, turn @ psi @ turn.T)) == []

    def test_in_the_null_space_of_few_rows(self):
        rng = np.random.default_rng(2)
        mean, error = rng.normal(size=(2, 6, 2))
        found = found_in(over_scale(mean @ mean.T, error @ error.T))
        assert all(m.pair[0] < 3 for m in found)


def test_repr():
    common = {"u": 0.5, "pair": (0, 1), "touches": True, "changes_subspace": False}
    avoided = Crossing(gap=0.25, relative_gap=0.125, kind="avoided", **common)
    assert repr(avoided) == "<avoided crossing of λ1 and λ2 at s = 1, relative gap 0.125>"
    assert avoided.scale == 1.0
    true = WeightCrossing(gap=0.0, relative_gap=0.0, kind="true", **common)
    assert repr(true) == "<true crossing of λ1 and λ2 at weight 0.5>"
    assert true.weight == 0.5


@pytest.mark.parametrize("exponent", [-900, 1005])
@pytest.mark.parametrize("seed", range(8))
def test_units_do_not_matter_up_to_the_largest_numbers(seed, exponent):
    """A power of two changes no digit: same places, gaps times it, and nothing overflows."""
    rng = np.random.default_rng(seed)
    size = 10.0 ** rng.integers(-6, 1, size=(2, 3, 1))
    parts = rng.normal(size=(2, 3, 8)) * size
    start, stop = (part @ part.T for part in parts)
    factor = 2.0**exponent
    for family in (over_scale(start, stop), over_weight(start, stop, size[0, :, 0])):
        parts = (factor * P for P in (family.start, family.middle, family.stop))
        far = Family(*parts, family.homogeneous)
        expected = [replace(m, gap=factor * m.gap) for m in found_in(family)]
        assert found_in(far) == expected
