"""Clouds of scores."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.path import Path

import uapca
from uapca.views.scene import Area, Ellipse, Label, Markers

scene = uapca.plot.simulation.scene


@pytest.fixture(scope="module")
def iris():
    X = uapca.datasets.load_iris_groups()
    return X, uapca.simulate(X, 1000, rng=0)


def test_clouds_are_the_scores(iris):
    X, sim = iris
    panel = scene(sim, X, draws=1000)
    clouds = panel.of(Markers, "draws")
    assert [cloud.key for cloud in clouds] == list(X.names)
    for i, cloud in enumerate(clouds):
        np.testing.assert_array_equal(cloud.points, sim.scores[:, i])
    assert [len(cloud.points) for cloud in scene(sim, X, draws=7).of(role="draws")] == [7] * 3
    assert [label.text for label in panel.of(Label)] == list(X.names)


def test_contours_hold_the_share_of_draws(iris):
    X, sim = iris
    for mark in scene(sim, X, levels=0.9).of(Area, "row"):
        cloud = sim.scores[:, X.names.index(mark.key)]
        held = sum(Path(ring).contains_points(cloud).astype(int) for ring in mark.rings)
        # The kernel estimate is a little wider than the draws.
        assert 0.88 < (held % 2).mean() < 0.96


def test_closed_form_is_the_projection_on_fixed_components(iris):
    X, sim = iris
    fixed = uapca.UAPCA(2).fit(X)
    axes = sim.reference
    for mark in scene(sim, X).of(Ellipse, "closed form"):
        row = X.names.index(mark.key)
        np.testing.assert_allclose(mark.center, axes @ (X.mean[row] - fixed.mean_), atol=1e-12)
        turn = np.radians(mark.angle)
        turned = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        form = turned @ np.diag(np.square(mark.radii)) @ turned.T
        cov = axes @ X.cov.dense()[row] @ axes.T
        np.testing.assert_allclose(form, -2 * np.log(0.05) * cov, atol=1e-10)
        assert mark.ink.dash == "dashed"
    assert scene(sim).of(role="closed form") == ()


def test_legend(iris):
    X, sim = iris
    ax = uapca.plot.simulation(sim, X)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["draws", "95 % of each row's draws", "closed form"]
    assert ax.get_xlabel() == "PC1 of each draw"


def test_bad_input_is_refused(iris):
    X, sim = iris
    with pytest.raises(ValueError) as error:
        scene(replace(sim, scores=None))
    assert str(error.value) == (
        "sim must have kept its scores; the simulation left them out. Simulate with scores=True."
    )
    with pytest.raises(ValueError) as error:
        scene(sim, X[:2])
    assert str(error.value) == (
        "X must be the 3 rows of 4 features that were drawn; got 2 rows of 4. "
        "Pass what was given to uapca.simulate."
    )
    with pytest.raises(TypeError) as error:
        scene(X)
    assert str(error.value) == (
        "sim must be a Simulation; got UncertainArray. Pass uapca.simulate(X, 1000)."
    )
