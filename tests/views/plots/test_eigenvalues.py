"""Eigenvalues over s: what is in the scene, and what of it is drawn."""

import numpy as np
import pytest

import uapca
from uapca.views.scene import Label, Polyline, Rule


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
        "values must be 'share', 'normalized' or 'variance'; got 'shares': "
        "perhaps 'share' was meant"
    )


def test_curves_are_named_where_they_end(traces):
    panel = uapca.plot.eigenvalues.scene(traces)
    labels = panel.of(Label, "eigenvalue")
    assert [label.text for label in labels] == ["λ₁", "λ₂", "λ₃"]
    for label, curve in zip(labels, panel.of(Polyline), strict=True):
        np.testing.assert_allclose(label.at, curve.points[-1], atol=0.05)
        assert label.ink.color == curve.ink.color


def test_crossings_say_which_two_and_the_legend_what_the_lines_mean(traces):
    panel = uapca.plot.eigenvalues.scene(traces)
    assert [label.text for label in panel.of(Label, "pair")] == ["λ₁, λ₂", "λ₂, λ₃"]
    below = panel.of(Label, "crossing")
    assert [label.at for label in panel.of(Label, "pair")] == [label.at for label in below]
    assert [(entry.text, entry.ink.dash) for entry in panel.legend] == [
        ("two eigenvalues come closest (avoided crossing)", "dotted")
    ]
    assert uapca.plot.eigenvalues.scene(traces, crossings=False).legend == ()


def test_true_crossings_are_solid_and_told_so():
    # Nothing couples the two features: λ₁ = 4 + s² and λ₂ = 1 + 4s² cross at s = 1.
    X = uapca.UncertainArray([[2, 1], [-2, 1], [2, -1], [-2, -1]], std=[1, 2])
    panel = uapca.plot.eigenvalues.scene(X)
    assert [rule.ink.dash for rule in panel.of(Rule, "crossing")] == ["solid"]
    assert [label.text for label in panel.of(Label, "crossing")] == ["s = 1"]
    assert [(entry.text, entry.ink.dash) for entry in panel.legend] == [
        ("two eigenvalues change places (true crossing)", "solid")
    ]


def test_names_and_places_of_crossings_do_not_overlap():
    ax = uapca.plot.eigenvalues(uapca.datasets.load_students())
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) == 4 + 2 * 3
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:i])


def test_many_curves_go_on_in_grey():
    rng = np.random.default_rng(0)
    X = uapca.UncertainArray(rng.normal(size=(20, 12)), std=rng.uniform(0.1, 2, 12))
    panel = uapca.plot.eigenvalues.scene(X)
    curves = panel.of(Polyline, "eigenvalue")
    assert len(curves) == 12
    assert {curve.ink.color for curve in curves[6:]} == {"#C8C8C8"}
    assert [label.text for label in panel.of(Label, "eigenvalue")][-1] == "λ₇ … λ₁₂"
    assert len(panel.of(Label, "crossing")) <= 6


def test_weight_traces_are_against_the_weight():
    X = uapca.datasets.load_students()
    weights = uapca.weight_traces(X, "Tom")
    panel = uapca.plot.eigenvalues.scene(weights)
    assert panel.x.label == "weight of the row"
    np.testing.assert_array_equal(panel.of(Polyline)[0].points[:, 0], weights.weights)
    assert [rule.at for rule in panel.of(Rule, "crossing")] == [c.weight for c in weights.crossings]


def test_variances_at_infinity_alone_are_refused():
    only = uapca.factor_traces(uapca.datasets.make_crossings(), scales=[np.inf])
    with pytest.raises(ValueError) as error:
        uapca.plot.eigenvalues(only, values="variance")
    assert str(error.value) == (
        "values must be finite somewhere on the grid; "
        "got 'variance', and the only scale is infinite. Use values='share'."
    )
    uapca.plot.eigenvalues(only).figure.canvas.draw()


def test_a_title_stands_above_the_places_of_crossings(traces):
    from uapca.views.mpl import axes_for

    ax = axes_for(uapca.plot.eigenvalues.scene(traces).with_(title="a title over everything"))
    ax.figure.canvas.draw()
    title = ax.title.get_window_extent()
    assert not any(title.overlaps(text.get_window_extent()) for text in ax.texts)


def test_crossings_of_very_many_are_not_sought_unless_asked_for():
    rng = np.random.default_rng(0)
    X = uapca.UncertainArray(rng.normal(size=(60, 51)), std=rng.uniform(0.1, 2, 51))
    traces = uapca.factor_traces(X, scales=[0, 1, np.inf])
    panel = uapca.plot.eigenvalues.scene(traces)
    assert not panel.of(Rule)
    assert [entry.text for entry in panel.legend] == ["crossings are not marked"]
    assert "crossings" not in vars(traces)
    assert uapca.plot.eigenvalues.scene(traces, crossings=False).legend == ()
