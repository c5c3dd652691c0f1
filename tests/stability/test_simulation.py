"""Simulation: every draw is a PCA, alignment, quantiles, batches, progress, bad input."""

import re
import sys
import tracemalloc
from types import ModuleType

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import orthogonal_procrustes

import uapca
from builders import KINDS, random_uncertain
from uapca.laws import Samples
from uapca.stability import simulation


def told(message):
    return f"^{re.escape(message)}$"


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_every_draw_is_a_pca(rng, kind, weighted):
    X = random_uncertain(rng, kind=kind, weights=rng.uniform(0.1, 1, 12) if weighted else None)
    drawn = uapca.simulate(X, 50, 3, rng=0)
    assert drawn.components.shape == (50, 3, 5)
    assert drawn.eigenvalues.shape == (50, 3)
    assert drawn.scores.shape == (50, 12, 3)
    gram = drawn.components @ drawn.components.transpose(0, 2, 1)
    assert_allclose(gram, np.broadcast_to(np.eye(3), gram.shape), atol=1e-12)
    assert (np.diff(drawn.eigenvalues, axis=1) <= 0).all()
    # The scores of a draw are centered, uncorrelated, and have the eigenvalues as variances.
    w = np.asarray(X.weights)
    assert_allclose(w @ drawn.scores, 0.0, atol=1e-12)
    second = drawn.scores.transpose(0, 2, 1) @ (w[:, None] * drawn.scores)
    expected = drawn.eigenvalues[:, :, None] * np.eye(3)
    assert_allclose(second, expected, atol=1e-10 * drawn.eigenvalues.max())


def test_draws_are_those_of_the_data():
    """With the seed of X.sample, the PCA of each draw by scikit-learn's rules."""
    rng = np.random.default_rng(2)
    X = uapca.UncertainArray(rng.normal(size=(8, 3)), std=rng.uniform(0.1, 1, (8, 3)))
    drawn = uapca.simulate(X, 20, 2, rng=7)
    for k, points in enumerate(X.sample(20, rng=7)):
        pca = uapca.UAPCA(n_components=2).fit(points)
        assert_allclose(drawn.eigenvalues[k], pca.explained_variance_, rtol=1e-10)
        assert_allclose(
            np.abs((drawn.components[k] * pca.components_).sum(axis=1)), 1.0, atol=1e-12
        )
        scores = (points - points.mean(axis=0)) @ drawn.components[k].T
        assert_allclose(drawn.scores[k], scores, atol=1e-12)


def test_certain_rows_give_one_pca(rng):
    X = uapca.UncertainArray(rng.normal(size=(9, 3)) * [3, 2, 1])
    drawn = uapca.simulate(X, 4, 2, rng=0)
    pca = uapca.UAPCA(n_components=2).fit(X)
    for k in range(4):
        assert_allclose(drawn.components[k], pca.components_, atol=1e-12)
    assert_allclose(drawn.reference, pca.components_, atol=1e-12)
    assert_allclose(drawn.angles(), 0.0, atol=1e-12)


def test_laws_are_drawn():
    mean = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 1.0]])
    laws = [Samples([row - 1, row + 1]) for row in mean]
    X = uapca.UncertainArray(mean, np.ones((2, 2)), laws=laws)
    drawn = uapca.simulate(X, 200, rng=0)
    # Eight equally likely data sets, of which the two shifted as a whole are one.
    assert len(np.unique(drawn.eigenvalues.round(9), axis=0)) == 7


# Alignment


def test_signs_follow_the_reference(rng):
    X = random_uncertain(rng, 20)
    drawn = uapca.simulate(X, 200, 3, rng=0)
    assert ((drawn.components * drawn.reference).sum(axis=2) >= 0).all()


@pytest.mark.parametrize("q", [1, 2, 3, 5])
def test_procrustes_is_the_best_rotation(rng, q):
    X = random_uncertain(rng, 20)
    raw = uapca.simulate(X, 30, q, rng=0)
    turned = uapca.simulate(X, 30, q, rng=0, align="procrustes")
    assert_array_equal(raw.eigenvalues, turned.eigenvalues)
    for before, after, scores_before, scores_after in zip(
        raw.components, turned.components, raw.scores, turned.scores, strict=True
    ):
        rotation = orthogonal_procrustes(before.T, raw.reference.T)[0]
        assert_allclose(after, rotation.T @ before, atol=1e-10)
        assert_allclose(scores_after, scores_before @ rotation, atol=1e-10)


def test_procrustes_of_all_components_is_the_reference(rng):
    X = random_uncertain(rng, 20)
    drawn = uapca.simulate(X, 30, 5, rng=0, align="procrustes")
    assert_allclose(drawn.components, np.broadcast_to(drawn.reference, (30, 5, 5)), atol=1e-10)


def test_reference_is_the_fit(rng):
    X = random_uncertain(rng, 20, weights=rng.uniform(1, 2, 20))
    fit = uapca.UAPCA(2).fit(X).components_
    assert_allclose(uapca.simulate(X, 1, 2, rng=0).reference, fit, atol=1e-12)


def test_the_reference_of_many_features_is_the_fit_too(rng):
    X = uapca.UncertainArray(rng.normal(size=(8, 600)), std=rng.uniform(0.1, 1, (8, 600)))
    fit = uapca.UAPCA(2, solver="eigh").fit(X).components_
    assert_allclose(uapca.simulate(X, 1, 2, rng=0).reference, fit, atol=1e-6)


@pytest.mark.parametrize("shape", [(4, 9), (9, 4), (3, 40)])
@pytest.mark.parametrize("q", [1, 2, 4])
def test_wide_and_tall_draws_have_the_same_pca_as_an_svd(rng, shape, q):
    X = uapca.UncertainArray(rng.normal(size=shape), std=rng.uniform(0.1, 1, shape))
    drawn = uapca.simulate(X, 30, q, rng=7)
    for k, points in enumerate(X.sample(30, 7)):
        points = points - points.mean(axis=0)
        _, singular, rows = np.linalg.svd(points / np.sqrt(shape[0]), full_matrices=False)
        rank = min(q, shape[0] - 1)
        assert_allclose(drawn.eigenvalues[k, :rank], singular[:rank] ** 2, rtol=1e-9)
        assert_allclose(drawn.eigenvalues[k, rank:], 0.0, atol=1e-12)
        overlap = np.abs(np.einsum("id,id->i", drawn.components[k, :rank], rows[:rank]))
        assert_allclose(overlap, 1.0, atol=1e-9)
        gram = drawn.components[k] @ drawn.components[k].T
        assert_allclose(gram, np.eye(q), atol=1e-9)
        assert drawn.totals[k] == pytest.approx((singular**2).sum())


def test_nearly_degenerate_wide_draws_keep_their_digits(rng):
    """The second singular value is 1e-7 of the first: its square is lost in a Gram matrix."""
    mean = np.outer(rng.normal(size=5), rng.normal(size=30))
    X = uapca.UncertainArray(mean, std=1e-7)
    drawn = uapca.simulate(X, 20, 2, rng=3)
    for k, points in enumerate(X.sample(20, 3)):
        points = points - points.mean(axis=0)
        _, singular, rows = np.linalg.svd(points / np.sqrt(5), full_matrices=False)
        assert drawn.eigenvalues[k, 1] == pytest.approx(singular[1] ** 2, rel=1e-6)
        assert abs(drawn.components[k, 1] @ rows[1]) == pytest.approx(1.0, abs=1e-6)


# Joint draws


def test_joint_draws_keep_the_dependence_between_rows(rng):
    mean = rng.normal(size=(20, 3)) * [5, 2, 1]
    shared = mean + rng.normal(size=(200, 1, 3))
    drawn = uapca.simulate(draws=shared)
    fit = uapca.UAPCA(2).fit(uapca.UncertainArray(mean))
    assert_allclose(drawn.eigenvalues, np.tile(fit.explained_variance_, (200, 1)), rtol=1e-9)
    assert_allclose(drawn.scores.std(axis=0), 0.0, atol=1e-9)
    pooled = (shared - shared.mean(axis=0)).reshape(-1, 3)
    K = np.cov(shared.mean(axis=0).T, ddof=0) + pooled.T @ pooled / len(pooled)
    expected = np.linalg.eigh(K)[1][:, ::-1][:, :2].T
    assert_allclose(np.abs((drawn.reference * expected).sum(axis=1)), 1.0, atol=1e-12)


def test_joint_draws_of_independent_rows_agree_with_drawing(rng):
    X = random_uncertain(rng, 9)
    drawn = uapca.simulate(X, 50, rng=3)
    again = uapca.simulate(draws=X.sample(50, 3))
    assert_allclose(again.eigenvalues, drawn.eigenvalues, rtol=1e-10)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"draws": np.zeros((3, 2))}, "draws must have shape (S, N, D); got shape (3, 2)"),
        ({"draws": np.full((3, 2, 2), np.nan)}, "draws must be finite; got NaN at draw 0, row 0"),
        ({"draws": np.zeros((3, 2, 2)), "n_draws": 3}, "draws must be given without X and n_draws"),
    ],
)
def test_bad_joint_draws(options, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        uapca.simulate(**options)


def test_average_covariance_is_the_expected_one(rng):
    """Σ λ v vᵀ over the draws nears C + Σ wₙ(1 − wₙ)Ψₙ, at the rate of its standard error."""
    X = random_uncertain(rng, 8, 3, kind="dense", weights=rng.uniform(0.2, 2, 8))
    drawn = uapca.simulate(X, 40_000, 3, rng=0, scores=False)
    V = drawn.components
    realized = V.transpose(0, 2, 1) @ (drawn.eigenvalues[..., None] * V)
    w = np.asarray(X.weights)
    mean = X.mean - w @ X.mean
    expected = (
        (w[:, None] * mean).T @ mean
        + X.cov.average(w)
        - np.einsum("n,nab->ab", w * w, X.cov.dense())
    )
    error = realized.std(axis=0) / np.sqrt(len(realized))
    assert (np.abs(realized.mean(axis=0) - expected) < 5 * error).all()


def test_repr(rng):
    drawn = uapca.simulate(random_uncertain(rng, 9), 100, 2, rng=0)
    lines = repr(drawn).splitlines()
    assert lines[0] == "Simulation: 100 draws, 2 of 5 components, aligned by sign"
    low, middle, high = np.quantile(drawn.eigenvalues[:, 0], (0.025, 0.5, 0.975))
    assert f"variance {middle:.4g} ({low:.4g} to {high:.4g})" in lines[1]


# Randomness and memory


def test_seeds(rng):
    X = random_uncertain(rng, 9)
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    one, same = uapca.simulate(X, 30, rng=3), uapca.simulate(X, 30, rng=3)
    generator = uapca.simulate(X, 30, rng=np.random.default_rng(3))
    other = uapca.simulate(X, 30, rng=4)
    assert_array_equal(one.components, same.components)
    assert_array_equal(one.scores, generator.scores)
    assert not np.array_equal(one.scores, other.scores)
    assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


@pytest.mark.parametrize("kind", ["diagonal", "shared"])
def test_batches_do_not_matter(rng, kind, monkeypatch):
    X = random_uncertain(rng, 9, kind=kind)
    whole = uapca.simulate(X, 101, rng=0)
    monkeypatch.setattr("uapca.stability.simulation._BATCH_BYTES", 9 * 5 * 8 * 7)
    parts = uapca.simulate(X, 101, rng=0)
    assert_allclose(parts.components, whole.components, atol=1e-12)
    assert_allclose(parts.scores, whole.scores, atol=1e-12)


def test_roots_of_full_matrices_are_taken_once(rng, monkeypatch):
    X = random_uncertain(rng, 9, kind="dense", weights=rng.uniform(1, 2, 9))
    whole = uapca.simulate(X, 4000, rng=0)
    monkeypatch.setattr("uapca.stability.simulation._BATCH_BYTES", 9 * 5 * 8 * 700)
    calls = []
    eigh = np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", lambda a: calls.append(a.shape) or eigh(a))
    parts = uapca.simulate(X, 4000, rng=0)
    assert calls.count((9, 5, 5)) == 1
    error = whole.eigenvalues.std(axis=0) / np.sqrt(4000)
    difference = parts.eigenvalues.mean(axis=0) - whole.eigenvalues.mean(axis=0)
    assert (np.abs(difference) < 6 * error).all()


def test_laws_are_made_once(rng, monkeypatch):
    """Intervals make their laws when these are asked for."""
    low = rng.normal(size=(5, 3))
    X = uapca.from_intervals(low, low + 1)
    asked, get = [], type(X.laws).__getitem__
    monkeypatch.setattr(type(X.laws), "__getitem__", lambda s, i: asked.append(i) or get(s, i))
    monkeypatch.setattr(simulation, "_BATCH_BYTES_OF_LAWS", 1)
    drawn = uapca.simulate(X, 20, rng=0)
    assert len(asked) <= len(X) + 1  # the last is the end of the list
    assert drawn.components.shape == (20, 2, 3)


def test_memory_is_bounded(rng):
    X = uapca.UncertainArray(rng.normal(size=(2000, 20)), std=1.0)
    tracemalloc.start()
    uapca.simulate(X, 300, rng=0, scores=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6  # all draws together would take 96 MB


# Progress


def test_progress_by_function(rng, monkeypatch):
    monkeypatch.setattr("uapca.stability.simulation._BATCH_BYTES", 12 * 5 * 8 * 10)
    seen = []
    uapca.simulate(random_uncertain(rng), 25, rng=0, progress=lambda *done: seen.append(done))
    assert seen == [(10, 25), (20, 25), (25, 25)]


def test_progress_bar(rng, monkeypatch):
    class Bar:
        made = []  # noqa: RUF012

        def __init__(self, total, unit):
            self.total, self.unit, self.n, self.open = total, unit, 0, True
            Bar.made.append(self)

        def __enter__(self):
            return self

        def __exit__(self, *error):
            self.open = False

        def update(self, step):
            self.n += step

    module = ModuleType("tqdm.auto")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm", ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    uapca.simulate(random_uncertain(rng), 25, rng=0, progress=True)
    (bar,) = Bar.made
    assert (bar.total, bar.unit, bar.n, bar.open) == (25, " draws", 25, False)


def test_progress_bar_without_tqdm(rng, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    message = 'progress=True needs tqdm; install it with pip install "uapca[progress]"'
    with pytest.raises(ImportError, match=told(message)):
        uapca.simulate(random_uncertain(rng), 5, rng=0, progress=True)


# Bad input


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_draws": 0}, ValueError, "n_draws must be a positive integer; got 0"),
        (
            {"n_draws": 2.5},
            ValueError,
            "n_draws must be a positive integer; got 2.5",
        ),
        (
            {"n_components": 6},
            ValueError,
            "n_components must be an integer from 1 to the 5 features; got 6",
        ),
        (
            {"align": "none"},
            ValueError,
            "align must be 'sign' or 'procrustes'; got 'none'",
        ),
        (
            {"rng": "seed"},
            TypeError,
            "rng must be None, a non-negative integer seed or a numpy.random.Generator; got 'seed'",
        ),
        (
            {"progress": "yes"},
            TypeError,
            "progress must be False, True or a function of (done, total); got 'yes'",
        ),
        (
            {"n_draws": 10**9},
            ValueError,
            "scores must be False where they take more than 4 GiB; 1000000000 draws of 12 rows on "
            "2 components take 178.8 GiB",
        ),
    ],
)
def test_bad_options(rng, options, error, message):
    with pytest.raises(error, match=told(message)):
        uapca.simulate(random_uncertain(rng), **{"n_draws": 5, **options})


def test_bad_data():
    message = "X must be an UncertainArray; got list"
    with pytest.raises(TypeError, match=told(message)):
        uapca.simulate([[1.0]], 5)


def test_scores_left_out(rng):
    drawn = uapca.simulate(random_uncertain(rng), 5, rng=0, scores=False)
    assert drawn.scores is None
