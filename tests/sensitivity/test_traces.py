from __future__ import annotations

import re
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from uapca import UAPCA, UncertainArray, UncertainScaler, factor_traces
from uapca.sensitivity.tracking import TURN


def random_array(seed: int, n: int = 8, d: int = 4, rank: int | None = None) -> UncertainArray:
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(n, d, rank or d)) * rng.uniform(0.2, 2.0, size=(n, 1, 1))
    mean = rng.normal(size=(n, d)) * rng.uniform(0.3, 3.0, size=d)
    cov = factors @ factors.transpose(0, 2, 1)
    return UncertainArray(mean, cov, weights=rng.uniform(0.5, 2.0, size=n))


def refused(error: type[Exception], message: str):
    """The error and every word of its message."""
    return pytest.raises(error, match=f"^{re.escape(message)}$")


def turns(traces) -> np.ndarray:
    """Angle of each column with itself at the point before, outside the breaks."""
    overlap = np.abs(np.einsum("kdi,kdi->ki", traces.positions[1:], traces.positions[:-1]))
    angles = np.arccos(np.minimum(overlap, 1.0))
    return np.delete(angles, traces.breaks - 1, axis=0)


class TestPaper:
    def test_petal_width_of_iris_ends_nearest_the_center(self, iris):
        traces = factor_traces(iris)
        last = np.linalg.norm(traces.positions[-1], axis=1)
        assert traces.features[int(last.argmin())] == "petal width"
        assert traces.scales[-1] == np.inf

    def test_length_of_p1_approaches_one(self, students):
        traces = factor_traces(students, scales=[0.0, 1.0, 2.0, np.inf])
        lengths = np.linalg.norm(traces.positions[:, 2], axis=1)
        assert lengths[1] > 0.85
        assert lengths[2] > 0.98
        assert lengths[3] == pytest.approx(1.0, abs=1e-12)

    def test_two_avoided_crossings(self, two_bumps):
        first, second = factor_traces(two_bumps).crossings
        assert first.scale == pytest.approx(0.37, abs=0.005)
        assert second.scale == pytest.approx(0.54, abs=0.005)
        assert (first.kind, second.kind) == ("avoided", "avoided")
        assert (first.pair, second.pair) == ((0, 1), (1, 2))
        assert (first.touches, second.touches) == (True, True)
        assert (first.changes_subspace, second.changes_subspace) == (False, True)
        assert max(first.relative_gap, second.relative_gap) < 0.05

    def test_of_iris_no_eigenvalues_come_as_close(self, iris):
        assert all(c.relative_gap > 0.05 for c in factor_traces(iris).crossings)


class TestIdentities:
    @pytest.mark.parametrize("seed", range(5))
    def test_agree_with_a_refit_from_scratch(self, seed):
        X = random_array(seed)
        scales = np.sort(np.random.default_rng(seed).exponential(size=50))
        traces = factor_traces(X, n_components=3, scales=scales)
        for k, s in enumerate(scales):
            fit = UAPCA(n_components=3).fit(X.scaled(s))
            ours = traces.positions[k].T[np.argsort(traces.ranks[k])]
            signs = np.sign(np.einsum("id,id->i", ours, fit.components_))
            np.testing.assert_allclose(ours * signs[:, None], fit.components_, atol=1e-10)
            every = UAPCA().fit(X.scaled(s)).explained_variance_
            np.testing.assert_allclose(traces.eigenvalues[k], every, rtol=1e-10)
            np.testing.assert_allclose(traces.at(s).components_, fit.components_, atol=1e-10)

    def test_agree_with_the_limits_at_the_ends(self):
        X = random_array(1)
        traces = factor_traces(X)
        for k, s in ((0, 0.0), (-1, np.inf)):
            fit = UAPCA(n_components=2, scale=s).fit(X)
            overlap = np.abs(np.einsum("di,id->i", traces.positions[k], fit.components_))
            np.testing.assert_allclose(overlap, 1.0, atol=1e-12)

    def test_a_fit_and_its_data_have_the_same_traces(self):
        X = random_array(2)
        ours = factor_traces(UAPCA(n_components=1).fit(X))
        np.testing.assert_array_equal(ours.positions, factor_traces(X).positions)
        assert ours.at(0.5).n_components_ == 2

    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("scale", [0.0, 0.3, 3.0, np.inf])
    def test_of_a_fit_have_its_components_at_its_scale(self, seed, scale):
        fit = UAPCA(n_components=2, scale=scale).fit(random_array(seed))
        traces = factor_traces(fit)
        (k,) = np.flatnonzero(np.isclose(traces.scales, scale, rtol=1e-12, atol=0.0))
        np.testing.assert_allclose(traces.positions[k].T, fit.components_, atol=1e-10)

    def test_of_standardized_fits_and_of_pipelines(self):
        X = random_array(2)
        scaled = UncertainScaler().fit(X)
        expected = factor_traces(scaled.transform(X))
        inside = factor_traces(UAPCA(2, standardize=True).fit(X))
        piped = factor_traces(make_pipeline(UncertainScaler(), UAPCA(2)).fit(X))
        for ours in (inside, piped):
            np.testing.assert_allclose(ours.positions, expected.positions, atol=1e-9)

    def test_zero_one_and_infinity_are_on_the_grid(self):
        traces = factor_traces(random_array(3))
        assert {0.0, 1.0, np.inf} <= set(traces.scales)
        assert {0.0, 0.5, 1.0} <= set(traces.u)
        np.testing.assert_array_equal(np.diff(traces.scales) > 0, True)

    def test_isotropic_errors_leave_every_trace_a_point(self):
        rng = np.random.default_rng(0)
        X = UncertainArray(rng.normal(size=(7, 5)), std=rng.uniform(1.0, 2.0, size=(7, 1)))
        traces = factor_traces(X, n_components=3)
        assert traces.summary().lengths.max() == 0.0
        assert traces.crossings == ()
        assert len(traces.breaks) == 0

    @pytest.mark.parametrize("level", [1.0, 1e-6, 1e6])
    def test_errors_isotropic_in_a_block_decide_nothing_within_it(self, level):
        # Ψ̄ = level · diag(1, 1, 9): in the plane of the tie the means decide at every s.
        means = np.array([[2.0, 1.0, 0.0], [-2.0, -1.0, 0.0], [0.3, -0.6, 0.0], [-0.3, 0.6, 0.0]])
        X = UncertainArray(means, std=np.sqrt(level) * np.array([1.0, 1.0, 3.0]))
        scales = [0.0, 1e-3, 1.0, 1e3, 1e6, 1e9, np.inf]
        traces = factor_traces(X, n_components=3, scales=scales)
        expected = np.array([[2.0, 1.0, 0.0], [-1.0, 2.0, 0.0]]) / np.sqrt(5.0)
        for positions in traces.positions:
            overlap = np.abs(positions.T @ expected.T).max(axis=0)
            np.testing.assert_allclose(overlap, 1.0, atol=1e-12)

    def test_do_not_depend_on_the_order_of_rows(self):
        X = random_array(4)
        order = np.random.default_rng(0).permutation(len(X))
        a, b = factor_traces(X), factor_traces(X[order])
        np.testing.assert_array_equal(a.scales, b.scales)
        np.testing.assert_allclose(a.positions, b.positions, atol=1e-12)

    def test_eigenvalues_and_crossings_do_not_depend_on_rotation(self, two_bumps):
        rng = np.random.default_rng(0)
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        scales = np.linspace(0.0, 5.0, 40)
        a, b = (factor_traces(X, scales=scales) for X in (two_bumps, two_bumps.affine(turn)))
        np.testing.assert_allclose(a.eigenvalues, b.eigenvalues, rtol=1e-12)
        for one, other in zip(a.crossings, b.crossings, strict=True):
            assert one.u == pytest.approx(other.u, abs=1e-8)
            assert one.gap == pytest.approx(other.gap, rel=1e-8)
            assert (one.pair, one.kind) == (other.pair, other.kind)

    def test_eigenvalues_are_finite_multiples_of_the_normalized_ones(self, iris):
        traces = factor_traces(iris)
        inside = slice(0, -1)
        np.testing.assert_allclose(
            traces.eigenvalues[inside] * (1.0 - traces.u[inside, None]) ** 2,
            traces.normalized_eigenvalues[inside],
            rtol=1e-12,
        )
        assert np.isinf(traces.eigenvalues[-1]).all()


class TestContinuity:
    @settings(max_examples=30, deadline=None)
    @given(seed=st.integers(0, 10_000), d=st.integers(2, 6), rank=st.integers(1, 6))
    def test_no_component_turns_by_more_than_the_tolerance(self, seed, d, rank):
        traces = factor_traces(random_array(seed, d=d, rank=min(rank, d)))
        assert turns(traces).max() <= TURN * (1.0 + 1e-9)
        assert (np.einsum("kdi,kdi->ki", traces.positions[1:], traces.positions[:-1]) > 0).all()

    def test_sharp_turns_are_resolved_and_flat_parts_cost_nothing(self):
        mean = np.array([[1.0, 0.0], [-1.0, 0.0]]) * np.sqrt(2.0)
        X = UncertainArray(mean, np.array([[1.0, 1e-6], [1e-6, 3.0]]))
        traces = factor_traces(X)
        assert turns(traces).max() <= TURN * (1.0 + 1e-9)
        assert len(traces.breaks) == 0
        assert len(traces.scales) < 300
        (crossing,) = traces.crossings
        assert crossing.kind == "avoided"
        near = np.abs(traces.u - crossing.u) < 1e-4
        assert near.sum() > 40

    def test_a_true_crossing_of_shown_components_swaps_their_ranks_only(self):
        C, psi = np.diag([5.0, 3.0, 0.1]), np.diag([1.0, 4.0, 0.1])
        traces = factor_traces(_with_moments(C, psi))
        assert len(traces.breaks) == 0
        np.testing.assert_array_equal(traces.ranks[0], [0, 1])
        np.testing.assert_array_equal(traces.ranks[-1], [1, 0])
        np.testing.assert_allclose(
            traces.positions, np.tile(traces.positions[0], (len(traces.u), 1, 1))
        )

    def test_the_trace_is_broken_where_the_leading_set_changes_at_once(self):
        C, psi = np.diag([5.0, 3.0, 1.0]), np.diag([1.0, 1.0, 8.0])
        traces = factor_traces(_with_moments(C, psi))
        first, second = traces.crossings
        k = int(traces.breaks[0])
        assert len(traces.breaks) == 1
        assert traces.scales[k - 1] <= np.sqrt(2 / 7) <= traces.scales[k]
        assert traces.scales[k] - traces.scales[k - 1] < 1e-9
        assert traces.segments == (slice(0, k), slice(k, len(traces.u)))
        assert (first.kind, first.changes_subspace) == ("true", True)
        assert (second.kind, second.changes_subspace) == ("true", False)
        before, after = traces.positions[k - 1], traces.positions[k]
        np.testing.assert_allclose(np.abs(before), [[1, 0], [0, 1], [0, 0]], atol=1e-12)
        np.testing.assert_allclose(np.abs(after), [[1, 0], [0, 0], [0, 1]], atol=1e-12)
        assert traces.summary().lengths.max() < 1e-12
        assert f"broken at s = {np.sqrt(2 / 7):.4g}" in repr(traces)

    def test_followed_eigenvectors_keep_their_columns(self):
        C, psi = np.diag([5.0, 3.0, 1.0]), np.diag([1.0, 4.0, 8.0])
        vectors = factor_traces(_with_moments(C, psi)).eigenvectors
        np.testing.assert_allclose(vectors, np.tile(np.eye(3), (len(vectors), 1, 1)), atol=1e-12)


class TestEdges:
    def test_a_single_row_has_the_components_of_its_errors(self):
        X = UncertainArray([[1.0, 2.0, 3.0]], [np.diag([1.0, 3.0, 2.0])])
        traces = factor_traces(X)
        np.testing.assert_allclose(
            np.abs(traces.positions), np.abs(traces.positions[:1]) + 0 * traces.positions
        )
        np.testing.assert_array_equal(np.abs(traces.positions[0]), [[0, 0], [1, 0], [0, 1]])

    def test_certain_rows_have_the_same_components_at_every_scale(self):
        X = UncertainArray(np.random.default_rng(0).normal(size=(9, 3)))
        traces = factor_traces(X)
        assert traces.summary().lengths.max() == 0.0
        expected = UAPCA(n_components=2).fit(X)
        np.testing.assert_allclose(np.abs(traces.positions[-1].T), np.abs(expected.components_))
        np.testing.assert_allclose(traces.eigenvalues[-1], UAPCA().fit(X).explained_variance_)

    def test_a_single_certain_row_has_nothing_to_show_and_says_so_without_failing(self):
        traces = factor_traces(UncertainArray([[1.0, 2.0]]))
        assert traces.crossings == ()
        np.testing.assert_array_equal(traces.eigenvalues, 0.0)

    def test_beyond_the_rank_of_the_means_the_errors_decide_even_at_zero(self):
        # C has rank 1; the second component at s → 0 is the longest error across the first.
        X = UncertainArray([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], std=[0.1, 0.2, 0.3])
        traces = factor_traces(X, scales=[0.0, 1e-9, 1e-6, 1e-3])
        np.testing.assert_allclose(np.abs(traces.positions[:, 2, 1]), 1.0, atol=1e-12)

    def test_where_the_errors_have_no_variance_the_limit_is_that_of_the_means(self):
        X = UncertainArray([[1.0, 2.0], [-1.0, -2.0]], std=[0.0, 1.0])
        traces = factor_traces(X)
        np.testing.assert_allclose(traces.eigenvalues[-1], [np.inf, 1.0])

    def test_two_features(self):
        traces = factor_traces(random_array(6, d=2))
        np.testing.assert_allclose(np.linalg.norm(traces.positions, axis=2), 1.0)

    @pytest.mark.parametrize("factor", [1e-150, 1e-6, 1e6, 1e150])
    def test_units_do_not_matter(self, factor):
        X = random_array(7)
        Y = X.affine(np.full(4, factor))
        a, b = factor_traces(X), factor_traces(Y)
        np.testing.assert_allclose(a.positions, b.positions, atol=1e-9)
        assert [c.pair for c in a.crossings] == [c.pair for c in b.crossings]

    def test_tiny_errors_are_followed_to_their_own_scale(self):
        mean = np.array([[1.0, 0.0], [-1.0, 0.0]])
        X = UncertainArray(mean, 1e-14 * np.array([[1.0, 0.5], [0.5, 3.0]]))
        traces = factor_traces(X)
        assert turns(traces).max() <= TURN * (1.0 + 1e-9)
        assert len(traces.breaks) == 0

    def test_huge_scales_do_not_overflow(self):
        traces = factor_traces(random_array(8), scales=[0.0, 1e16, 1e149, np.inf])
        assert np.isfinite(traces.positions).all()
        assert not np.isnan(traces.eigenvalues).any()


class TestSummary:
    def test_of_students(self, students):
        summary = factor_traces(students).summary()
        assert summary.most_preserved == "P1"
        assert summary.distances.shape == (4, 3)
        frame = summary.to_frame()
        assert list(frame.index) == ["M1", "M2", "P1", "P2"]
        assert frame.loc["P1", "distance s = 1"] > 0.85
        assert frame.loc["P1", "distance s = ∞"] == pytest.approx(1.0, abs=1e-12)
        assert frame.loc["P1", "length s = 0 to 1"] == summary.lengths[2, 0]

    def test_the_length_is_that_of_a_turn_known_in_advance(self):
        # K turns from the axes at s = 0 by 45° as s → ∞: x and y each describe an arc of 45°.
        X = UncertainArray([[1.0, 0.0], [-1.0, 0.0]], np.array([[2.0, 1.0], [1.0, 2.0]]))
        summary = factor_traces(X).summary()
        np.testing.assert_allclose(summary.lengths.sum(axis=1), np.pi / 4, rtol=1e-4)
        half = 0.5 * np.arctan2(2.0, 1.0)
        np.testing.assert_allclose(summary.lengths[:, 0], half, rtol=1e-4)

    def test_repr(self):
        X = UncertainArray([[1.0, 0.0], [-1.0, 0.0]], std=[1.0, 0.5], features=["a", "b"])
        assert repr(factor_traces(X).summary()) == (
            "feature   distance s = 0   distance s = 1   distance s = ∞   "
            "length s = 0 to 1   length s = 1 to ∞\n"
            "      a                1                1                1   "
            "                0                   0\n"
            "      b                1                1                1   "
            "                0                   0\n"
            "most preserved at s = 1: a; least: a"
        )

    def test_repr_of_traces(self, iris):
        text = repr(factor_traces(iris, scales=[0.0, 0.5, np.inf]))
        assert text == (
            "FactorTraces: 4 features in 2 components, 3 scales from 0 to inf\n"
            "  features  sepal length, sepal width, petal length, petal width"
        )


class TestBadInput:
    def test_one_feature(self):
        with refused(ValueError, "X must have at least 2 features; got 1"):
            factor_traces(UncertainArray([[1.0], [2.0]]))

    @pytest.mark.parametrize("n_components", [1, 0, -1, 5, 2.0, None, True, "2"])
    def test_components(self, iris, n_components):
        with refused(
            ValueError,
            "n_components must be an integer from 2 to the number of features, 4; "
            f"got {n_components!r}",
        ):
            factor_traces(iris, n_components)

    @pytest.mark.parametrize(
        ("scales", "message"),
        [
            ([0.0, -1.0], "scales must be from 0 to inf; got -1 at position 1"),
            ([np.nan], "scales must be from 0 to inf; got nan at position 0"),
            ([1.0, 0.5], "scales must increase, each number once; got 0.5 after 1"),
            ([1.0, np.inf, np.inf], "scales must increase, each number once; got inf after inf"),
            ([], "scales must be a list of numbers; got shape (0,)"),
            (3.0, "scales must be a list of numbers; got shape ()"),
        ],
    )
    def test_scales(self, iris, scales, message):
        with refused(ValueError, message):
            factor_traces(iris, scales=scales)

    def test_no_uncertain_array(self):
        with refused(TypeError, "X must be an UncertainArray or a fitted UAPCA; got ndarray"):
            factor_traces(np.eye(3))

    def test_unfitted(self):
        with pytest.raises(NotFittedError):
            factor_traces(UAPCA())

    def test_a_fit_without_matrices(self):
        X = UncertainArray(np.random.default_rng(0).normal(size=(9, 3)))
        with refused(
            ValueError, "X must be fitted with solver='eigh' to have C and Ψ̄; it used 'svd'"
        ):
            factor_traces(UAPCA(solver="svd").fit(X))


def _with_moments(C: np.ndarray, psi: np.ndarray) -> UncertainArray:
    """Data with these C (diagonal) and Ψ̄."""
    axes = np.sqrt(len(C) * np.diag(C))[:, None] * np.eye(len(C))
    return UncertainArray(np.concatenate([axes, -axes]), psi)


def tied_at_one(order=(0, 1, 2)):
    """Spread (9, 4, 1) and errors (0.1, 1, 4): at s = 1 the second and third are both 5."""
    m = np.sqrt(3) * np.vstack([np.diag([3.0, 2.0, 1.0]), -np.diag([3.0, 2.0, 1.0])])
    order = list(order)
    return UncertainArray(m[:, order], std=np.sqrt([0.1, 1.0, 4.0])[order])


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_a_tie_on_a_mark_reads_the_same_everywhere(order):
    traces = factor_traces(tied_at_one(order))
    k = int(np.flatnonzero(traces.scales == 1.0)[0])
    distances = traces.summary().distances
    assert_allclose(distances[:, 1], np.linalg.norm(traces.positions[k], axis=1), atol=1e-12)
    assert_allclose(distances[np.argsort(order), 1], [1.0, 1.0, 0.0], atol=1e-12)


def test_a_mark_off_the_grid_is_read_from_the_fit_there():
    traces = factor_traces(tied_at_one(), scales=[0.0, 0.5, 2.0])
    fit = np.linalg.norm(traces.at(1.0).components_, axis=0)
    assert_allclose(traces.summary().distances[:, 1], fit, atol=1e-12)


def test_a_crossing_on_a_grid_point_is_enclosed_there():
    traces = factor_traces(tied_at_one())
    true = [c.scale for c in traces.crossings if c.changes_subspace and c.kind == "true"]
    assert_allclose(traces.scales[traces.breaks], true, rtol=1e-8)
    assert "broken at s = 1, " in repr(traces)


@pytest.mark.parametrize(
    "scales",
    [[0.0, 0.5, 1.0, 2.0, np.inf], [0.0, 1.0, 9.0], [1.0, 2.0], [0.5, 1.5], np.linspace(0, 2, 9)],
)
def test_a_break_is_where_the_crossing_is_whatever_the_grid(scales):
    # λ₂ and λ₃ are 2 + s²/2 and 1 + 3s²/2, one at s = 1, on a point of most of these grids.
    C, psi = np.diag([4.0, 2.0, 1.0, 0.5]), np.diag([1.0, 0.5, 1.5, 0.2])
    traces = factor_traces(_with_moments(C, psi), scales=scales)
    (k,) = traces.breaks
    assert traces.scales[k - 1] <= 1.0 < traces.scales[k]
    assert_allclose(traces.broken_at, [1.0], rtol=1e-8)
    assert "broken at s = 1" in repr(traces).splitlines()[-1]
    shown = np.abs(traces.positions[:, 1:3, 1])
    assert_allclose(shown[:k], np.tile([1.0, 0.0], (k, 1)), atol=1e-12)
    assert_allclose(shown[k:], np.tile([0.0, 1.0], (len(shown) - k, 1)), atol=1e-12)


def test_a_coarse_grid_breaks_between_its_points():
    C, psi = np.diag([5.0, 3.0, 1.0]), np.diag([1.0, 1.0, 8.0])
    traces = factor_traces(_with_moments(C, psi), scales=[0.0, 0.6, 4.0])
    assert_allclose(traces.broken_at, [np.sqrt(2 / 7)], rtol=1e-8)
    assert factor_traces(_with_moments(C, psi), scales=[0.0, 0.5]).broken_at.shape == (0,)


def test_a_tie_that_lasts_adds_no_points():
    m = np.sqrt(3) * np.vstack([np.diag([3.0, 2.0, 2.0]), -np.diag([3.0, 2.0, 2.0])])
    traces = factor_traces(UncertainArray(m, std=[2.0, 1.0, 1.0]))
    assert np.diff(traces.u).min() > 0.01
    assert not len(traces.breaks)


def test_scales_too_large_to_square_count_as_infinite():
    traces = factor_traces(tied_at_one(), scales=[0.0, 1e149, 1e300])
    assert traces.scales[-1] == np.inf
    assert traces.u[-1] == 1.0
    assert_allclose(traces.eigenvalues[1], np.array([4.0, 1.0, 0.1]) * 1e298, rtol=1e-12)
    with refused(
        ValueError,
        "scales must have infinity only once, and scales from 1e150 on count as infinite; "
        "got [1e+300, inf]",
    ):
        factor_traces(tied_at_one(), scales=[0.0, 1.0, 1e300, np.inf])


def test_a_fit_of_certain_rows_has_no_more_components_than_rows():
    traces = factor_traces(UncertainArray([[0.0, 1.0, 2.0], [1.0, 3.0, 2.0]]), 3)
    assert traces.positions.shape[2] == 3
    assert traces.at(1.0).components_.shape == (2, 3)


def test_a_frame_without_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="to_frame.*pandas"):
        factor_traces(UncertainArray([[0.0, 1.0], [1.0, 3.0]], std=1.0)).summary().to_frame()
