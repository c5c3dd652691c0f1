from __future__ import annotations

import re

import numpy as np
import pytest

from uapca import UAPCA, UncertainArray, weight_traces
from uapca.sensitivity.tracking import TURN


@pytest.fixture
def data() -> UncertainArray:
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(7, 4, 4))
    return UncertainArray(
        rng.normal(size=(7, 4)) + 100.0,
        factors @ factors.transpose(0, 2, 1) / 4,
        weights=rng.uniform(0.5, 2.0, size=7),
        names=list("abcdefg"),
    )


@pytest.mark.parametrize("row", [2, "c", [1, 4], ["b", "e"], slice(3, None), np.arange(7) > 4])
@pytest.mark.parametrize("scale", [0.0, 1.0, 3.0])
def test_agree_with_a_refit_from_scratch(data, row, scale):
    traces = weight_traces(data, row, 3, np.linspace(0.0, 1.0, 9), scale=scale)
    inside = np.zeros(7, dtype=bool)
    inside[list(traces.rows)] = True
    for k, v in enumerate(traces.weights):
        if scale == 0.0 and v == 1.0:
            continue  # a single point: no spread, no components
        weights = np.empty(7)
        weights[inside] = v * data.weights[inside] / data.weights[inside].sum()
        weights[~inside] = (1 - v) * data.weights[~inside] / data.weights[~inside].sum()
        fit = UAPCA(n_components=3, scale=scale).fit(data.reweighted(weights))
        ours = traces.positions[k].T[np.argsort(traces.ranks[k])]
        np.testing.assert_allclose(
            traces.eigenvalues[k, :3], fit.explained_variance_, rtol=1e-10, atol=1e-13
        )
        apart = np.diff(-traces.eigenvalues[k], append=0.0)[:3].min() > 1e-9
        if apart:
            overlap = np.abs(np.einsum("id,id->i", ours, fit.components_))
            np.testing.assert_allclose(overlap, 1.0, atol=1e-10)
        again = traces.at(v).explained_variance_
        np.testing.assert_allclose(again, fit.explained_variance_, rtol=1e-10, atol=1e-13)


def test_the_current_weight_is_on_the_grid_and_gives_the_fit_itself(data):
    traces = weight_traces(data, "c")
    k = int(np.flatnonzero(traces.weights == traces.current)[0])
    assert traces.current == pytest.approx(data.weights[2])
    fit = UAPCA().fit(data)
    np.testing.assert_allclose(traces.eigenvalues[k], fit.explained_variance_, rtol=1e-10)
    assert {0.0, 1.0} <= set(traces.weights)


def test_without_weight_a_row_might_as_well_not_be_there(data):
    traces = weight_traces(data, "g")
    rest = UAPCA(n_components=2).fit(data[:6])
    overlap = np.abs(np.einsum("di,id->i", traces.positions[0], rest.components_))
    np.testing.assert_allclose(overlap, 1.0, atol=1e-12)


def test_with_all_weight_a_row_is_alone(data):
    traces = weight_traces(data, "g")
    alone = np.linalg.eigvalsh(data["g"].cov.dense()[0])[::-1]
    np.testing.assert_allclose(traces.eigenvalues[-1], alone, rtol=1e-10)


def test_are_continuous(data):
    for row in range(7):
        traces = weight_traces(data, row)
        overlap = np.einsum("kdi,kdi->ki", traces.positions[1:], traces.positions[:-1])
        assert np.arccos(np.minimum(overlap, 1.0)).max() <= TURN * (1 + 1e-9)


def test_do_not_depend_on_the_order_of_rows(data):
    order = np.random.default_rng(1).permutation(7)
    a, b = weight_traces(data, "c"), weight_traces(data[order], "c")
    np.testing.assert_allclose(a.weights, b.weights, atol=1e-15)
    np.testing.assert_allclose(a.positions, b.positions, atol=1e-10)


def test_a_certain_row_leaves_its_direction_behind():
    # As the outlier takes all weight K vanishes; its limit is that of the others and the step.
    X = UncertainArray([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 9.0, 0.0]])
    traces = weight_traces(X, 2)
    assert np.isfinite(traces.positions).all()
    np.testing.assert_allclose(np.abs(traces.positions[-1]), [[1, 0], [0, 1], [0, 0]], atol=1e-9)
    np.testing.assert_array_equal(traces.ranks[-1], [1, 0])
    np.testing.assert_allclose(traces.eigenvalues[-1], 0.0)
    (crossing,) = traces.crossings
    # (1 − v) = v (1 − v) 81 where the two pass through each other
    assert crossing.weight == pytest.approx(1 / 81, abs=1e-8)
    assert crossing.kind == "true"


def test_summary(data):
    traces = weight_traces(data, "c")
    summary = traces.summary()
    assert summary.marks == ("weight 0", f"current weight {traces.current:.3g}", "weight 1")
    k = int(np.flatnonzero(traces.weights == traces.current)[0])
    now = np.linalg.norm(traces.positions[k], axis=1)
    np.testing.assert_allclose(summary.distances[:, 1], now, atol=1e-12)
    assert summary.features == ("x0", "x1", "x2", "x3")


def test_repr(data):
    assert repr(weight_traces(data, [2, 4], weights=[0.0, 0.5, 1.0])) == (
        "WeightTraces: 4 features in 2 components, 3 weights from 0 to 1\n"
        "  features  x0, x1, x2, x3\n"
        f"  weight of  c, e (now {data.weights[[2, 4]].sum():.3g})"
    )


class TestBadInput:
    def refused(self, error: type[Exception], message: str):
        return pytest.raises(error, match=re.escape(message))

    def test_unknown_name(self, data):
        with pytest.raises(KeyError, match="row.*'z'"):
            weight_traces(data, "z")

    def test_position_out_of_range(self, data):
        with pytest.raises(IndexError, match="^row.*7"):
            weight_traces(data, 7)

    def test_all_rows(self, data):
        with self.refused(ValueError, "row must leave at least one other row; got all 7"):
            weight_traces(data, slice(None))

    def test_weights(self, data):
        with self.refused(ValueError, "weights must be from 0 to 1; got 1.5 at position 1"):
            weight_traces(data, 0, weights=[0.5, 1.5])

    def test_scale(self, data):
        with self.refused(ValueError, "scale must be finite; got inf"):
            weight_traces(data, 0, scale=np.inf)

    def test_components(self, data):
        with self.refused(ValueError, "n_components"):
            weight_traces(data, 0, n_components=1)

    def test_no_uncertain_array(self):
        with self.refused(TypeError, "X must be an UncertainArray; got ndarray"):
            weight_traces(np.eye(3), 0)


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_every_column_of_the_summary_has_its_own_name(weight):
    weights = [weight, *[1.0 - weight] * 3]
    mean = [[1.0, 0.0, 2.0], [0.0, 1.0, 0.5], [2.0, -1.0, 0.0], [0.3, 3.0, 1.0]]
    summary = weight_traces(UncertainArray(mean, std=[0.1, 1.0, 0.3], weights=weights), 0).summary()
    assert summary.marks == ("weight 0", f"current weight {weight:g}", "weight 1")
    assert len(set(summary.columns)) == 5
    assert summary.to_frame().shape == (3, 5)


def test_rows_that_are_none_are_refused_by_name():
    X = UncertainArray([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]], std=0.1)
    with pytest.raises(IndexError, match="^row"):
        weight_traces(X, [])


def test_the_current_weight_off_the_grid_is_read_from_the_fit_there():
    X = UncertainArray([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [2.0, 2.0, -1.0]], std=[0.1, 0.5, 2.0])
    traces = weight_traces(X, 1, weights=[0.0, 0.9])
    fit = np.linalg.norm(traces.at(traces.current).components_, axis=0)
    np.testing.assert_allclose(traces.summary().distances[:, 1], fit, atol=1e-12)


@pytest.mark.parametrize("weights", [None, [0.0, 0.5, 1.0], [0.0, 0.3, 0.8]])
def test_a_break_is_where_the_crossing_is_whatever_the_grid(weights):
    # K is diag(5, 3 − 2v, 1 + 2v): the second component changes hands at v = 1/2.
    X = UncertainArray(np.zeros((2, 3)), [np.diag([5.0, 3.0, 1.0]), np.diag([5.0, 1.0, 3.0])])
    traces = weight_traces(X, 1, weights=weights)
    assert len(traces.breaks) == 1
    np.testing.assert_allclose(traces.broken_at, [0.5], rtol=1e-8)
    assert "broken at weight 0.5\n" in repr(traces)


@pytest.mark.parametrize("small", [[0, 1, 2], [0, 1]])
def test_what_underflows_is_refused(small):
    """All rows, or those that remain at one end; not certain rows that are equal."""
    mean = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]])
    mean[small] *= 1e-170
    with pytest.raises(ValueError, match="^X must have squares that fit into float64"):
        weight_traces(UncertainArray(mean), 2)
    equal = UncertainArray([[1.0, 2.0], [1.0, 2.0], [3.0, 1.0]])
    assert (weight_traces(equal, 2).eigenvalues[0] == 0).all()
    noisy = UncertainArray([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]], std=0.5)
    assert (weight_traces(noisy, 2, scale=0.0).eigenvalues[-1] == 0).all()
