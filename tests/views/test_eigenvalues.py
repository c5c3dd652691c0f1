"""Eigenvalues over s: what is in the scene, and what of it is drawn."""

import numpy as np
import pytest

import uapca
from uapca.views.scene import Polyline, Rule


@pytest.fixture(scope="module")
def traces():
    return uapca.factor_traces(uapca.datasets.make_crossings())


def test_curves_are_shares_of_the_variance(traces):
    panel = uapca.plot.eigenvalues.scene(traces)
    curves = panel.of(Polyline)
    assert [curve.key for curve in curves] == ["λ1", "λ2", "λ3"]
    assert np.allclose(sum(curve.points[:, 1] for curve in curves), 1.0)
    np.testing.assert_allclose(curves[0].points[:, 0], traces.u)
    fit = traces.at(1.0)
    at = np.flatnonzero(traces.scales == 1.0)[0]
    assert curves[0].points[at, 1] == pytest.approx(fit.explained_variance_ratio_[0], abs=1e-12)


def test_infinite_variances_are_left_out(traces):
    curve = uapca.plot.eigenvalues.scene(traces, values="variance").of(Polyline)[0]
    assert np.isfinite(curve.points).all()
    assert len(curve.points) == len(traces.u) - 1


def test_crossings_are_dotted_lines_at_their_s(traces):
    rules = uapca.plot.eigenvalues.scene(traces).of(Rule, "crossing")
    assert [rule.at for rule in rules] == [crossing.u for crossing in traces.crossings]
    assert {rule.ink.dash for rule in rules} == {"dotted"}
    assert uapca.plot.eigenvalues.scene(traces, crossings=False).of(Rule) == ()


def test_ticks_say_s(traces):
    ax = uapca.plot.eigenvalues(traces)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["0", "½", "1", "2", "∞"]
    np.testing.assert_allclose(ax.get_xticks(), [0, 1 / 3, 1 / 2, 2 / 3, 1])


def test_unknown_values_are_refused(traces):
    with pytest.raises(ValueError) as error:
        uapca.plot.eigenvalues(traces, values="shares")
    assert str(error.value) == (
        "values must be 'share', 'normalized' or 'variance'; got 'shares'. "
        "Perhaps 'share' was meant."
    )
