"""Component uncertainty: the formula term by term, derivatives, hand-derivable cases, drawing."""

import re
import subprocess
import sys
import tracemalloc
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm
from sklearn.datasets import load_iris

import uapca
from builders import KINDS, random_covariances, random_uncertain
from uapca.decomposition.spectrum import signed
from uapca.stability.closed_form import expand, row_images
from uapca.stability.redraw import redraw_of, weighted_sum

ORDERS = (1, 2)


def closed_form(X, n_components=2, **options):
    return uapca.component_uncertainty(X, n_components, method="closed form", **options)


def separation(found):
    """Gaps in standard deviations of their difference."""
    return -norm.ppf(found.swap_probability)


def told(message):
    return f"^{re.escape(message)}"


def change_covariance(X, order):
    """Cov(δ_ab, δ_cd) of the realized covariance, (D, D, D, D), term by term from full arrays."""
    w, psi = np.asarray(X.weights), X.cov.dense().astype(float)
    m = X.mean - w @ X.mean
    total = sum(
        np.einsum(f"n,{first},{second},{third}->abcd", w * w, m, m, psi)
        for first, second, third in (
            ("na", "nc", "nbd"),
            ("na", "nd", "nbc"),
            ("nb", "nc", "nad"),
            ("nb", "nd", "nac"),
        )
    )
    if order == 2:
        B = np.square(np.diag(w) - np.outer(w, w))
        total = total + np.einsum("nm,nac,mbd->abcd", B, psi, psi)
        total = total + np.einsum("nm,nad,mbc->abcd", B, psi, psi)
    return total


def base_covariance(X, order):
    w = np.asarray(X.weights)
    m = X.mean - w @ X.mean
    C = (w[:, None] * m).T @ m
    return C + np.einsum("n,nab->ab", w * (1 - w), X.cov.dense()) if order == 2 else C


def joint_by_terms(X, q, order):
    values, vectors = np.linalg.eigh(base_covariance(X, order))
    values, V = values[::-1], vectors.T[::-1]
    V = signed(V)
    resolvents = []
    for i in range(q):
        inverse = np.array([0 if j == i else 1 / (values[i] - values[j]) for j in range(len(V))])
        resolvents.append((V.T * inverse) @ V)
    T = change_covariance(X, order)
    return np.einsum("iea,kfc,abcd,ib,kd->iekf", *[np.array(resolvents)] * 2, T, V[:q], V[:q])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_every_representation_gives_the_formula(rng, kind, weighted, order):
    weights = rng.uniform(0.1, 3, 12) if weighted else None
    X = random_uncertain(rng, kind=kind, weights=weights).scaled(0.1)
    found = closed_form(X, 3, order=order, joint=True)
    expected = joint_by_terms(X, 3, order)
    size = max(np.abs(expected).max(), 1e-300)
    assert_allclose(found.joint / size, expected / size, atol=1e-11)
    for i in range(3):
        assert_array_equal(found.joint[i, :, i], found.covariance[i])
    T = change_covariance(X, order)
    values, vectors = np.linalg.eigh(base_covariance(X, order))
    values, V = values[::-1], vectors.T[::-1]
    for i in range(3):
        spread = np.einsum("jb,abcd,ld,a,c->jl", V, T, V, V[i], V[i])
        variance = spread[i, i]
        if order == 2:
            gaps = np.where(np.arange(len(V)) == i, np.inf, values[i] - values)
            inverse = 1 / (gaps + np.diag(spread) / gaps)
            variance += 2 * np.sum((spread * inverse) * (spread * inverse).T)
            mean = values[i] + np.sum(np.diag(spread) * inverse)
            assert found.eigenvalue_mean[i] == pytest.approx(mean, rel=1e-10)
        assert found.eigenvalue_std[i] == pytest.approx(np.sqrt(variance), rel=1e-9, abs=1e-14)
    alone = closed_form(X, 3, order=order)
    assert alone.joint is None
    assert_allclose(alone.covariance / size, found.covariance / size, atol=1e-13)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", ["diagonal", "dense", "shared", "low-rank + diagonal"])
def test_swaps_follow_from_the_gap_and_its_standard_deviation(rng, kind, order):
    X = random_uncertain(rng, kind=kind, weights=rng.uniform(0.1, 3, 12)).scaled(0.05)
    found = closed_form(X, 4, order=order)
    values, vectors = np.linalg.eigh(base_covariance(X, order))
    values, V = values[::-1], vectors.T[::-1]
    T = change_covariance(X, order)
    for i in range(4):
        a, b = V[i], V[i + 1]
        difference = np.outer(a, a) - np.outer(b, b)
        both = np.outer(a, b) + np.outer(b, a)
        # Of δ_aa − δ_bb, or of 2 δ_ab, which turns the two and drives them apart.
        variance = max(np.einsum("ab,abcd,cd", x, T, x) for x in (difference, both))
        z = (values[i] - values[i + 1]) / np.sqrt(variance)
        assert found.swap_probability[i] == pytest.approx(norm.sf(z), rel=1e-6, abs=1e-300)
        if z < 30:
            assert separation(found)[i] == pytest.approx(z, rel=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_shares_vary_with_the_total(rng, kind, weighted):
    weights = rng.uniform(0.1, 3, 12) if weighted else None
    X = random_uncertain(rng, kind=kind, weights=weights).scaled(0.3)
    found = expand(redraw_of(X, "values"), 2)
    T = change_covariance(X, 2)
    V = found.vectors[:2]
    total = np.einsum("aabb", T)
    crossed = np.einsum("ia,ib,abcc->i", V, V, T)
    square = found.size**2
    assert found.total_variance * square == pytest.approx(total, rel=1e-9, abs=1e-14)
    assert_allclose(found.total_covariance * square, crossed, rtol=1e-9, atol=1e-14)


def test_sums_of_all_representations(rng):
    """With weights of either sign."""
    for kind in KINDS:
        cov = random_uncertain(rng, kind=kind).cov.scaled(0.7)
        weights = rng.normal(size=len(cov))
        expected = np.einsum("n,nab->ab", weights, cov.dense())
        assert_allclose(weighted_sum(cov, weights), expected, atol=1e-12)


def test_images_of_all_representations(rng):
    U = rng.normal(size=(3, 5))
    for kind in KINDS:
        cov = random_uncertain(rng, kind=kind).cov.scaled(0.7)
        expected = np.einsum("nab,kb->kna", cov.dense(), U)[:, 2:9]
        assert_allclose(row_images(cov.take(slice(2, 9)), U), expected, atol=1e-12)


def test_order_one_is_error_propagation(rng):
    """J Σ Jᵀ with a Jacobian by central differences."""
    mean, std = rng.normal(size=(7, 3)) * [3, 2, 1], rng.uniform(0.1, 0.5, (7, 3))
    X = uapca.UncertainArray(mean, std=std, weights=rng.uniform(1, 2, 7))
    found = closed_form(X, 2, order=1, joint=True)

    def components(points):
        moved = uapca.UncertainArray(points, weights=X.weights)
        rows = uapca.UAPCA(n_components=2).fit(moved).components_
        return (rows * np.sign((rows * found.components).sum(axis=1))[:, None]).ravel()

    jacobian = np.empty((6, 21))
    for k in range(21):
        step = np.zeros(21)
        step[k] = 1e-5
        step = step.reshape(7, 3)
        jacobian[:, k] = (components(mean + step) - components(mean - step)) / 2e-5
    expected = (jacobian * np.square(std).ravel()) @ jacobian.T
    assert_allclose(found.joint.reshape(6, 6), expected, atol=1e-7 * np.abs(expected).max())


def test_order_one_is_the_delta_method_of_every_cell(rng):
    """J Σ Jᵀ with the derivative of each component by each cell, as VIPurPCA has it."""
    n, d, q = 12, 4, 2
    mean, std = rng.normal(size=(n, d)) * [5, 3, 2, 1], rng.uniform(0.1, 0.5, (n, d))
    found = closed_form(uapca.UncertainArray(mean, std=std), q, order=1, joint=True)
    centered = mean - mean.mean(axis=0)
    values, vectors = np.linalg.eigh(centered.T @ centered / n)
    values, V = values[::-1], vectors.T[::-1]
    signs = np.sign((V[:q] * found.components).sum(axis=1))
    jacobian = np.empty((q, d, n, d))
    for row in range(n):
        for cell in range(d):
            change = np.zeros((d, d))
            change[cell] += centered[row] / n
            change[:, cell] += centered[row] / n
            for i in range(q):
                moved = sum(
                    V[j] * (V[j] @ change @ V[i]) / (values[i] - values[j])
                    for j in range(d)
                    if j != i
                )
                jacobian[i, :, row, cell] = signs[i] * moved
    flat = jacobian.reshape(q * d, n * d)
    expected = (flat * np.square(std).ravel()) @ flat.T
    assert_allclose(found.joint.reshape(q * d, q * d), expected, atol=1e-10 * expected.max())
    assert_allclose(found.std.ravel(), np.sqrt(expected.diagonal()), rtol=1e-10)


@pytest.mark.slow
def test_vipurpca_in_double_precision():
    """Its own standard errors, in a process of its own: the precision of JAX is set globally."""
    pytest.importorskip("vipurpca")
    code = """
import jax
jax.config.update("jax_enable_x64", True)
import numpy as np
import uapca
from vipurpca import PCA
rng = np.random.default_rng(0)
mean, std = rng.normal(size=(60, 6)) * np.geomspace(8, 1, 6), rng.uniform(0.05, 0.2, (60, 6))
pca = PCA(matrix=mean, full_cov=np.square(std).ravel(), n_components=2, axis=0)
pca.compute_cov_eigenvectors()
theirs = np.sqrt(np.diag(np.asarray(pca.cov_eigenvectors))).reshape(2, 6)
ours = uapca.component_uncertainty(uapca.UncertainArray(mean, std=std), order=1).std
print(np.abs(ours / theirs - 1).max())
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 1e-10


def test_two_features_by_hand():
    """Isotropic errors: Var of the coefficient is σ²/N (λ₁ + λ₂) / (λ₁ − λ₂)², and so on."""
    mean = np.array([[3.0, 0], [-3, 0], [0, 1], [0, -1]])
    first, second, variance, n = 4.5, 0.5, 0.01, 4
    X = uapca.UncertainArray(mean, std=0.1)
    one = closed_form(X, 2, order=1)
    expected = variance / n * (first + second) / (first - second) ** 2
    assert_allclose(one.covariance[0], [[0, 0], [0, expected]], atol=1e-16)
    assert_allclose(one.angle, np.sqrt([expected, expected]), rtol=1e-12)
    assert_allclose(one.eigenvalue_std**2, [4 * first * variance / n, 4 * second * variance / n])
    assert_allclose(one.gap, [4.0, 4.0])
    two = closed_form(X, 2)
    quadratic = (n - 1) / n**2 * variance**2
    expected += quadratic / (first - second) ** 2
    assert_allclose(two.covariance[0], [[0, 0], [0, expected]], atol=1e-16)
    assert_allclose(two.eigenvalues, np.array([first, second]) + variance)  # those of the fit
    # The coupling δ₁₂ has variance s; its square moves the eigenvalues apart by s / gap.
    s = expected * (first - second) ** 2
    shift = s / (first - second + s / (first - second))
    inside = np.array([first, second]) + (n - 1) / n * variance
    assert_allclose(two.eigenvalue_mean, inside + [shift, -shift], rtol=1e-12)
    assert_allclose(
        two.eigenvalue_std**2,
        [4 * x * variance / n + 2 * quadratic + 2 * shift**2 for x in (first, second)],
    )


def test_iris_agrees_with_vipurpca():
    """Standard errors printed by vipurpca 0.0.4, which works in float32."""
    mean = load_iris().data
    found = closed_form(uapca.UncertainArray(mean, std=0.02 * mean + 0.05), order=1)
    expected = [
        [0.00632249, 0.00488971, 0.00268929, 0.00319276],
        [0.02455911, 0.02526958, 0.01274958, 0.02120682],
    ]
    assert_allclose(found.std, expected, rtol=1e-4)


# Against drawing


def spread_data(rng, n=80, d=5):
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    return (rng.normal(size=(n, d)) * [7, 4.5, 2.5, 1.5, 1.0]) @ turn


@pytest.mark.parametrize("size", [0.3, 1.0, 1.8])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["diagonal", "full", "shared", "low-rank"])
def test_agrees_with_simulation_where_gaps_are_large(kind, weighted, size):
    rng = np.random.default_rng(12)
    mean = spread_data(rng)
    n, d = mean.shape
    errors = {
        "diagonal": {"std": rng.uniform(0.2, 1, (n, d))},
        "full": {"cov": random_covariances(rng, n, d) * 0.4},
        "shared": {"cov": random_covariances(rng, 1, d)[0] * 0.4},
        "low-rank": {"factors": rng.normal(size=(n, d, 2)) * 0.4, "std": 0.2},
    }[kind]
    weights = rng.uniform(0.2, 2, n) if weighted else None
    X = uapca.UncertainArray(mean, **errors, weights=weights).scaled(size)
    closed = closed_form(X)
    assert separation(closed).min() > 3
    drawn = uapca.component_uncertainty(X, method="simulation", n_draws=10_000, rng=5)
    assert drawn.n_draws == 10_000
    assert_allclose(closed.std, drawn.std, rtol=0.06)
    assert_allclose(closed.eigenvalue_std, drawn.eigenvalue_std, rtol=0.05)
    assert_allclose(closed.eigenvalue_mean, drawn.eigenvalue_mean, rtol=0.003)
    assert_allclose(closed.angle, drawn.angle, rtol=0.06)
    assert closed.subspace_angle == pytest.approx(drawn.subspace_angle, rel=0.06)
    assert closed.subspace_interval(0.9) == pytest.approx(drawn.subspace_interval(0.9), rel=0.08)
    redraws = uapca.simulate(X, 10_000, rng=5, scores=False)
    values, shares = redraws.eigenvalues, redraws.eigenvalues / redraws.totals[:, None]
    for p in (0.9, 0.99):
        for bounds, figures in (
            (closed.eigenvalue_interval(p), values),
            (closed.share_interval(p), shares),
        ):
            inside = (figures > bounds[:, 0]) & (figures < bounds[:, 1])
            assert_allclose(inside.mean(axis=0), p, atol=0.02)


def test_order_one_holds_for_small_errors_only():
    rng = np.random.default_rng(12)
    X = uapca.UncertainArray(spread_data(rng), std=1.0)
    small = X.scaled(0.2)
    drawn = uapca.simulate(small, 10_000, rng=5, scores=False)
    one = closed_form(small, order=1)
    assert_allclose(one.std, drawn.components.std(axis=0), rtol=0.05)
    large = X.scaled(2.0)
    drawn = uapca.simulate(large, 10_000, rng=5, scores=False)
    measured = drawn.components.std(axis=0)
    one = closed_form(large, order=1)
    two = closed_form(large, order=2)
    assert np.abs(one.std / measured - 1).max() > 0.05
    assert_allclose(two.std, measured, rtol=0.05)
    assert_allclose(two.eigenvalue_mean, drawn.eigenvalues.mean(axis=0), rtol=0.005)
    assert (one.eigenvalues < 0.95 * drawn.eigenvalues.mean(axis=0)).all()


# Invariance


def test_scaling_of_the_errors_is_linear_to_order_one(rng):
    X = random_uncertain(rng, 30).scaled(0.1)
    one, three = (closed_form(x, order=1) for x in (X, X.scaled(3.0)))
    assert_allclose(three.std, 3 * one.std, rtol=1e-10)
    assert_allclose(three.eigenvalue_std, 3 * one.eigenvalue_std, rtol=1e-10)


def test_orders_agree_as_errors_vanish(rng):
    X = random_uncertain(rng, 30).scaled(1e-5)
    one, two = (closed_form(X, order=order) for order in ORDERS)
    assert_allclose(one.std, two.std, rtol=1e-6)


@pytest.mark.parametrize("kind", ["dense", "shared", "low-rank"])
def test_turning_the_data_turns_the_result(rng, kind):
    X = random_uncertain(rng, 30, kind=kind).scaled(0.1)
    turn = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    before, after = closed_form(X), closed_form(X.affine(turn))
    assert_allclose(after.covariance, turn @ before.covariance @ turn.T, atol=1e-12)
    assert_allclose(after.angle, before.angle, rtol=1e-9)
    assert after.verdict == before.verdict


def test_order_of_the_rows_does_not_matter(rng):
    X = random_uncertain(rng, 30, weights=rng.uniform(1, 2, 30)).scaled(0.1)
    shuffled = X[rng.permutation(30)]
    before, after = closed_form(X), closed_form(shuffled)
    assert_allclose(after.covariance, before.covariance, atol=1e-14)


def test_an_offset_costs_no_digits(rng):
    X = random_uncertain(rng, 30).scaled(0.1)
    moved = X.affine(np.ones(5), np.full(5, 2.0**20))
    before, after = closed_form(X), closed_form(moved)
    assert_allclose(after.std, before.std, rtol=1e-7)


@pytest.mark.parametrize("size", [2.0**-300, 2.0**300])
def test_units_do_not_matter_however_large(rng, size):
    X = random_uncertain(rng, 30, kind="diagonal").scaled(0.1)
    scaled = uapca.UncertainArray(X.mean * size, std=X.std * size)
    before, after = closed_form(X), closed_form(scaled)
    assert_allclose(after.std, before.std, rtol=1e-10)
    assert_allclose(after.eigenvalue_std / size / size, before.eigenvalue_std, rtol=1e-10)


def test_float32_is_summed_in_float64(rng):
    X = random_uncertain(rng, 30, kind="diagonal").scaled(0.1)
    small = uapca.UncertainArray(X.mean.astype("f4"), std=X.std.astype("f4"))
    wide = uapca.UncertainArray(X.mean.astype("f4").astype(float), std=small.std.astype(float))
    found, expected = closed_form(small), closed_form(wide)
    assert found.covariance.dtype == np.float64
    assert_allclose(found.covariance, expected.covariance, rtol=1e-5, atol=1e-8)


def test_blocks_do_not_matter(rng, monkeypatch):
    X = random_uncertain(rng, 50, kind="low-rank + diagonal").scaled(0.1)
    before = closed_form(X, 3, joint=True)
    monkeypatch.setattr("uapca._validation._BLOCK_BYTES", 1 << 10)
    after = closed_form(X, 3, joint=True)
    assert_allclose(after.joint, before.joint, atol=1e-14)


# What is said


def test_certain_rows_have_certain_components(rng):
    X = uapca.UncertainArray(rng.normal(size=(9, 3)) * [4, 2, 1])
    found = uapca.component_uncertainty(X)
    assert found.method == "closed form"
    assert not found.covariance.any()
    assert not found.std.any()
    assert_array_equal(found.swap_probability, 0.0)
    assert_array_equal(found.eigenvalue_interval(), np.repeat(found.eigenvalues[:, None], 2, 1))
    assert found.verdict == ("PC1 is known to 0°", "PC2 is known to 0°")


def test_gap_sees_what_is_left_out():
    mean = np.vstack([np.diag([4.0, 3.0, 2.9]), -np.diag([4.0, 3.0, 2.9])])
    values = np.array([4.0, 3.0, 2.9]) ** 2 / 3
    found = closed_form(uapca.UncertainArray(mean, std=1e-3), 2)
    expected = [values[0] - values[1], values[1] - values[2]]
    assert_allclose(found.gap, expected, rtol=1e-12)


def close_data(gap):
    size = np.array([4.0, 2.0 + gap, 2.0])
    return uapca.UncertainArray(np.vstack([np.diag(size), -np.diag(size)] * 10), std=0.3)


def test_the_warning_can_be_filtered():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=uapca.SeparationWarning)
        closed_form(close_data(0.02), 2)


def test_tied_components_are_as_uncertain_as_random_axes():
    with pytest.warns(uapca.SeparationWarning):
        found = closed_form(close_data(0.0), 3, joint=True)
    assert (found.std[0] < 0.1).all()
    assert np.isinf(found.covariance[1:]).all()
    assert (found.std <= 1.0).all()
    random = np.random.default_rng(0).normal(size=(200_000, 3))
    random /= np.linalg.norm(random, axis=1, keepdims=True)
    assert found.angle[1] == pytest.approx(
        np.sqrt(np.square(np.arccos(np.abs(random[:, 0]))).mean()), rel=1e-2
    )
    axis = found.components[1]
    aligned = random * np.sign(random @ axis)[:, None]
    assert_allclose(found.std[1], np.sqrt(np.square(aligned - axis).mean(axis=0)), rtol=1e-2)
    assert separation(found)[1] == 0.0
    assert np.isfinite(found.eigenvalue_std).all()


def test_one_feature():
    found = closed_form(uapca.UncertainArray([[0.0], [2.0]], std=0.1), 1)
    assert_array_equal(found.std, [[0.0]])
    assert_array_equal(found.gap, [np.inf])
    assert found.verdict == ()
    # The variance of two points is (x₁ − x₂)²/4: to second order its own is exact.
    assert found.eigenvalues[0] == pytest.approx(1 + 0.01)
    assert found.eigenvalue_mean[0] == pytest.approx(1 + 0.01 / 2)
    assert found.eigenvalue_std[0] ** 2 == pytest.approx(0.02 + 2 * 0.005**2)


def test_one_row_and_a_row_with_all_the_weight():
    for X in (
        uapca.UncertainArray([[1.0, 2.0]], std=[0.1, 0.3]),
        uapca.UncertainArray([[1.0, 2.0], [5.0, 5.0]], std=[0.1, 0.3], weights=[1.0, 0.0]),
    ):
        for method in ("auto", "closed form"):
            with pytest.warns(uapca.SeparationWarning):
                found = uapca.component_uncertainty(X, 1, method=method)
            assert_array_equal(found.components, [[0.0, 1.0]])  # the fit's
            assert_array_equal(found.eigenvalue_interval(), [[0.0, 0.0]])  # one value has no spread
            assert (found.std <= 1.0).all()


@pytest.mark.parametrize("method", ["closed form", "simulation"])
def test_intervals_do_not_reach_below_zero(method):
    X = uapca.UncertainArray([[0.0], [0.1]], std=1.0)
    found = uapca.component_uncertainty(X, 1, method=method)
    low, high = found.eigenvalue_interval()[0]
    assert 0.0 <= low < 0.01
    assert high > 1.0
    assert_allclose(found.share_interval(), 1.0)


def test_diagonal_errors_never_become_matrices():
    rng = np.random.default_rng(0)
    mean = rng.normal(size=(100_000, 50)) * np.linspace(10, 1, 50)
    X = uapca.UncertainArray(mean, std=rng.uniform(0.1, 1, mean.shape), check=False)
    tracemalloc.start()
    found = closed_form(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < mean.nbytes  # matrices for each row would take 50 times as much
    assert found.covariance.shape == (2, 50, 50)


# Bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 0}, "n_components must be an integer from 1 to the 5 features; got 0"),
        ({"n_components": 6}, "n_components must be an integer from 1 to the 5 features; got 6"),
        ({"n_components": True}, "n_components"),
        ({"order": 3}, "order must be 1 or 2; got 3"),
        ({"order": True}, "order must be 1 or 2; got True"),
        ({"order": 1, "of": "sample"}, "of='sample' needs X.counts"),
        ({"of": "truth"}, "of='truth' needs rows of uapca.Denoiser.transform"),
        ({"of": "mean"}, "of must be"),
        ({"method": "exact"}, "method must be"),
        ({"order": 1, "method": "simulation"}, "order=1 must go with of='values' in closed form"),
        ({"scale": np.inf}, "scale must be a finite number of at least 0; got inf"),
        ({"scale": -1.0}, "scale must be a finite number of at least 0; got -1.0"),
        ({"n_draws": 0}, "n_draws must be a positive integer; got 0"),
    ],
)
def test_bad_options(rng, options, message):
    with pytest.raises(ValueError, match=told(message)):
        uapca.component_uncertainty(random_uncertain(rng), **options)


def test_bad_data():
    message = "X must be an UncertainArray; got ndarray"
    with pytest.raises(TypeError, match=told(message)):
        closed_form(np.eye(3))
    with pytest.raises(TypeError, match="got UAPCA .give the rows first; .* fit=pca"):
        closed_form(uapca.UAPCA())
    message = (
        "X must have squares that fit into float64; the covariance overflows: divide the data by "
        "its largest magnitude first"
    )
    with pytest.raises(ValueError, match=told(message)):
        closed_form(uapca.UncertainArray([[1e200, 0.0], [-1e200, 1.0]], std=1.0))


@pytest.mark.parametrize("level", [0.0, 1.0, 95, np.nan, "a", None, [0.9]])
def test_bad_level(rng, level):
    found = closed_form(random_uncertain(rng, 30).scaled(0.1))
    for interval in (found.eigenvalue_interval, found.share_interval, found.subspace_interval):
        with pytest.raises(ValueError, match=told(f"p must be between 0 and 1; got {level!r}")):
            interval(level)


def spread_out(rng, n=40):
    return rng.normal(size=(n, 3)) * [5.0, 3.0, 1.0]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("size", [1e-140, 1e-100, 1e100, 1e150])
def test_extreme_units_change_nothing_but_the_units(rng, size, order):
    mean = spread_out(rng)
    usual = closed_form(uapca.UncertainArray(mean, std=0.3), order=order)
    X = uapca.UncertainArray(mean * size, std=0.3 * size)
    found = closed_form(X, order=order)
    assert_allclose(found.std, usual.std, rtol=1e-9, atol=1e-12)
    assert_allclose(separation(found), separation(usual), rtol=1e-9)
    assert_allclose(found.eigenvalue_std / size / size, usual.eigenvalue_std, rtol=1e-9)


def test_to_first_order_errors_of_any_size_keep_their_digits(rng):
    mean = spread_out(rng)
    usual = closed_form(uapca.UncertainArray(mean, std=0.3), order=1)
    small = closed_form(uapca.UncertainArray(mean, std=0.3e-120), order=1)
    assert_allclose(small.std, usual.std * 1e-120, rtol=1e-9, atol=1e-134)
    assert_allclose(small.eigenvalue_std, usual.eigenvalue_std * 1e-120, rtol=1e-9)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("size", "error", "flow"),
    [(1e-160, 1e-160, "underflows"), (1e-170, 0.0, "underflows"), (1.0, 1e200, "overflows")],
)
def test_squares_that_do_not_fit_are_refused(rng, size, error, flow, order):
    X = uapca.UncertainArray(spread_out(rng) * size, std=error)
    message = (
        f"X must have squares that fit into float64; the covariance {flow}: "
        "divide the data by its largest magnitude first"
    )
    with pytest.raises(ValueError, match=told(message)):
        closed_form(X, order=order)


def test_errors_beyond_all_proportion_are_refused_or_tell_nothing_apart(rng):
    X = uapca.UncertainArray(spread_out(rng) * 1e-100, std=1e100)
    message = (
        "X must have errors and a spread of comparable size; powers of their ratio do not fit "
    )
    with pytest.raises(ValueError, match=told(message)):
        closed_form(X, order=1)
    with pytest.warns(uapca.SeparationWarning):
        found = closed_form(X)
    assert_array_equal(separation(found), 0.0)


def test_one_row_with_large_errors():
    X = uapca.UncertainArray([[1.0, 2.0, 3.0]], std=1e100)
    for order in ORDERS:
        with pytest.warns(uapca.SeparationWarning):
            found = closed_form(X, order=order)
        assert_array_equal(separation(found), 0.0)
        assert_array_equal(found.eigenvalue_std, 0.0)


def test_the_worst_entry_is_within_five_per_cent_of_drawing():
    rng = np.random.default_rng(7)
    mean = rng.normal(size=(60, 4)) * [8.0, 4.0, 2.0, 0.5]
    X = uapca.UncertainArray(mean, random_covariances(rng, 60, 4) * 0.1)
    closed = closed_form(X, 3)
    assert separation(closed).min() > 10.0
    drawn = uapca.simulate(X, 30_000, 3, rng=1, scores=False).components.std(axis=0)
    assert np.abs(closed.std / drawn - 1.0).max() < 0.05
