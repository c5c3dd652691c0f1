"""The correlation circle."""

import numpy as np
import pytest

import uapca
from uapca.views.plots.loadings import correlations
from uapca.views.scene import Ellipse, Label, Polyline

STUDENTS = uapca.datasets.load_students()


def arrows(panel):
    return np.array([mark.points[1] for mark in panel.of(Polyline, "loading")])


def test_arrows_are_correlations_of_features_and_scores():
    """By simulation: points drawn from the rows, and the scores of a fit at s = 1."""
    pca = uapca.UAPCA(2).fit(STUDENTS)
    points = STUDENTS.sample(20_000, rng=0).reshape(-1, 4)
    scores = (points - pca.mean_) @ pca.components_.T
    expected = np.corrcoef(points.T, scores.T)[:4, 4:]
    np.testing.assert_allclose(arrows(uapca.plot.loadings.scene(pca)), expected, atol=0.015)


@pytest.mark.parametrize("s", [0.0, 1.0, np.inf])
def test_all_components_together_reach_the_circle(s):
    pca = uapca.UAPCA(scale=s).fit(STUDENTS)
    lengths = np.linalg.norm(correlations(pca), axis=1)
    np.testing.assert_allclose(lengths, 1.0, atol=1e-9)
    panel = uapca.plot.loadings.scene(pca)
    assert (np.linalg.norm(arrows(panel), axis=1) <= 1 + 1e-9).all()


def test_the_panel_says_scale_and_shares():
    pca = uapca.UAPCA(scale=0.5).fit(STUDENTS)
    panel = uapca.plot.loadings.scene(pca, components=(1, 2))
    shares = 100 * pca.explained_variance_ratio_
    assert panel.x.label == f"PC2 ({shares[1]:.1f} %)"
    assert panel.y.label == f"PC3 ({shares[2]:.1f} %)"
    assert panel.legend[0].text == "correlation of feature and score, s = 0.5"
    (circle,) = panel.of(Ellipse)
    assert circle.radii == (1.0, 1.0)
    assert [label.text for label in panel.of(Label)] == list(STUDENTS.features)


def test_colours_are_those_of_the_traces():
    loading = uapca.plot.loadings.scene(STUDENTS).of(Polyline, "loading")
    traces = uapca.plot.factor_traces.scene(STUDENTS).of(Polyline, "trace")
    assert [a.ink.color for a in loading] == [b.ink.color for b in traces]


def test_a_feature_without_variance_stays_in_the_centre():
    X = uapca.UncertainArray([[1.0, 5.0, 0.0], [2.0, 5.0, 1.0], [4.0, 5.0, 1.0]])
    panel = uapca.plot.loadings.scene(X)
    np.testing.assert_array_equal(arrows(panel)[1], [0.0, 0.0])
    uapca.plot.loadings(X).figure.canvas.draw()


def test_many_features_twelve_in_colour():
    X = uapca.UncertainArray(np.random.default_rng(0).normal(size=(30, 20)), std=0.5)
    panel = uapca.plot.loadings.scene(X)
    assert len(panel.of(Label)) == len(panel.of(Polyline, "loading")) == 12
    rest = [np.hypot(*mark.points[1]) for mark in panel.of(Polyline, "other")]
    assert max(rest) <= np.linalg.norm(arrows(panel), axis=1).min()
    only = uapca.plot.loadings.scene(X, highlight=["x3"])
    assert [label.text for label in only.of(Label)] == ["x3"]


def test_one_component_is_refused():
    with pytest.raises(ValueError) as error:
        uapca.plot.loadings(uapca.UAPCA(1).fit(STUDENTS))
    assert str(error.value) == (
        "components must be two; there is only one component. "
        "Fit at least two, uapca.UAPCA(2), of data with at least two features."
    )
