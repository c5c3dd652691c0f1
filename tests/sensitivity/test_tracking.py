from __future__ import annotations

import numpy as np
import pytest

from uapca.decomposition.spectrum import scaled_spectrum
from uapca.sensitivity.family import over_scale, over_weight
from uapca.sensitivity.tracking import adaptive_path, fixed_path, follow, match


def random_pair(seed: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, d, 2 * d))
    return a @ a.T / d, b @ b.T / d


class TestFamily:
    def test_over_the_scale_is_a_multiple_of_k(self):
        C, psi = random_pair(0, 4)
        s = np.array([0.0, 0.3, 1.0, 7.0])
        stack = over_scale(C, psi).matrices(1.0 / (1.0 + s), s / (1.0 + s))
        expected = C + s[:, None, None] ** 2 * psi
        np.testing.assert_allclose(stack * (1.0 + s[:, None, None]) ** 2, expected, rtol=1e-12)

    def test_over_a_weight_is_the_law_of_total_variance(self):
        rng = np.random.default_rng(1)
        points = rng.normal(size=(12, 3)) + 1e3
        parts = points[:5], points[5:]
        covs = [np.cov(p.T, ddof=0) for p in parts]
        step = parts[1].mean(axis=0) - parts[0].mean(axis=0)
        stack = over_weight(*covs, step).matrices(np.array([5 / 12]), np.array([7 / 12]))
        np.testing.assert_allclose(stack[0], np.cov(points.T, ddof=0), rtol=1e-10)

    @pytest.mark.parametrize("homogeneous", [True, False])
    def test_bends_agree_with_finite_differences(self, homogeneous):
        rng = np.random.default_rng(6)
        C, psi = (p @ p.T for p in rng.normal(size=(2, 5, 5)))
        family = over_scale(C, psi) if homogeneous else over_weight(C, psi, rng.normal(size=5))

        def rates(t):
            u = np.sqrt(t) / (1 + np.sqrt(t)) if homogeneous else t
            return family.rates(family.eigenpairs(1 - u, u).vectors, u)

        u = np.array([0.3, 0.6])
        t, h = (u / (1 - u)) ** 2 if homogeneous else u, 1e-5
        expected = (rates(t + h) - rates(t - h)) / (2 * h)
        found = family.bends(family.eigenpairs(1 - u, u), u)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)

    @pytest.mark.parametrize("homogeneous", [True, False])
    def test_rates_agree_with_finite_differences(self, homogeneous):
        C, psi = random_pair(2, 5)
        family = over_scale(C, psi) if homogeneous else over_weight(C, psi, np.arange(5.0))
        u = np.array([0.2, 0.45, 0.8])
        rates = family.rates(family.eigenpairs(1 - u, u).vectors, u)

        def values(parameter):
            if not homogeneous:
                return family.eigenpairs(1 - parameter, parameter).values
            return np.linalg.eigvalsh(C + parameter[:, None, None] * psi)[:, ::-1]

        at, h = ((u / (1 - u)) ** 2 if homogeneous else u), 1e-6
        np.testing.assert_allclose(rates, (values(at + h) - values(at - h)) / (2 * h), rtol=1e-6)

    def test_vectors_turn_as_perturbation_theory_says(self):
        # dvᵢ/dt = Σ vⱼ (vⱼᵀΨ̄vᵢ) / (λᵢ − λⱼ)
        C, psi = random_pair(3, 4)
        t, h = 0.7, 1e-6
        s = np.sqrt(np.array([t - h, t, t + h]))
        path = fixed_path(over_scale(C, psi), s / (1 + s), 1 / (1 + s))
        v, values = path.vectors[1], np.linalg.eigvalsh(C + t * psi)[::-1]
        gaps = values[None, :] - values[:, None] + np.eye(4)
        expected = v @ ((v.T @ psi @ v) * (1 - np.eye(4)) / gaps)
        found = (path.vectors[2] - path.vectors[0]) / (2 * h)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)

    def test_ties_at_an_end_are_decided_by_the_other(self):
        turn = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))[0]
        lead = turn @ np.diag([2.0, 1.0, 1.0]) @ turn.T
        other = random_pair(5, 3)[0]
        inner = turn[:, 1:].T @ other @ turn[:, 1:]
        expected = turn[:, 1:] @ np.linalg.eigh(inner)[1][:, ::-1]
        u = np.array([0.0, 1e-12, 1e-9, 1e-6])
        vectors = over_scale(lead, other).eigenpairs(1 - u, u).vectors
        overlaps = np.abs(np.einsum("kdi,di->ki", vectors[:, :, 1:], expected))
        np.testing.assert_allclose(overlaps, 1.0, atol=1e-10)


class TestFollowing:
    @pytest.mark.parametrize("seed", range(6))
    def test_signs_are_those_of_a_fit_at_the_anchor(self, seed):
        C, psi = random_pair(seed, 4)
        path = adaptive_path(over_scale(C, psi), 2, (0.5,))
        expected = scaled_spectrum(C, psi, 1.0).vectors
        np.testing.assert_allclose(path.vectors[path.u == 0.5][0].T, expected, atol=1e-12)

    def test_signs_follow_the_predecessor(self):
        rng = np.random.default_rng(0)
        u = np.linspace(0.0, 1.0, 200)
        family = over_scale(*random_pair(1, 5))
        pairs = family.eigenpairs(1 - u, u)
        pairs.vectors[...] *= rng.choice([-1.0, 1.0], size=(200, 1, 5))
        follow(pairs)
        assert (np.einsum("kdi,kdi->ki", pairs.vectors[1:], pairs.vectors[:-1]) > 0).all()

    def test_signs_follow_through_a_swap(self):
        family = over_scale(np.diag([5.0, 3.0, 1.0]), np.diag([1.0, 4.0, 8.0]))
        u = np.linspace(0.0, 1.0, 50)
        pairs = family.eigenpairs(1 - u, u)
        pairs.vectors[...] *= np.random.default_rng(0).choice([-1.0, 1.0], size=(50, 1, 3))
        order = follow(pairs)
        followed = np.take_along_axis(pairs.vectors, order[:, None, :], axis=2)
        np.testing.assert_allclose(followed, np.broadcast_to(followed[0], followed.shape))
        np.testing.assert_array_equal(order[-1], [2, 1, 0])

    def test_tied_subspaces_are_turned_as_a_whole(self):
        rng = np.random.default_rng(2)
        before = np.linalg.qr(rng.normal(size=(5, 5)))[0]
        after = before.copy()
        after[:, 1:4] = after[:, 1:4] @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
        places, overlaps = match(before, after, np.array([False, True, True, False]))
        np.testing.assert_array_equal(places, np.arange(5))
        np.testing.assert_allclose(overlaps, 1.0)
        np.testing.assert_allclose(after, before, atol=1e-12)

    def test_ties_all_along_stay_put(self):
        # Features 1 and 2 are alike at every u: LAPACK's basis of their plane is anyone's guess.
        turn = np.linalg.qr(np.random.default_rng(3).normal(size=(4, 4)))[0]
        C, psi = (turn @ np.diag(x) @ turn.T for x in ([5.0, 2, 2, 1], [1.0, 0.5, 0.5, 0.1]))
        path = adaptive_path(over_scale(C, psi), 3, (0.5,))
        first = np.broadcast_to(path.vectors[0], path.vectors.shape)
        np.testing.assert_allclose(path.vectors, first, atol=1e-11)


def test_columns_are_handed_over_in_place():
    family = over_scale(np.diag([5.0, 3.0, 1.0]), np.diag([1.0, 1.0, 8.0]))
    path = adaptive_path(family, 2, (0.5,))
    places, breaks = path.shown(2)
    assert len(breaks) == 1
    np.testing.assert_array_equal(places[0], [0, 1])
    np.testing.assert_array_equal(places[breaks[0]], [0, 1])
    np.testing.assert_array_equal(places[-1], [1, 0])
