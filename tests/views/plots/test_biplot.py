"""Rows and features in one picture."""

import numpy as np
import pytest
from matplotlib.text import Text

import uapca
from uapca.views.scene import Area, Label, Polyline

scene = uapca.plot.biplot.scene


@pytest.fixture(scope="module")
def students():
    X = uapca.datasets.load_students()
    return X, uapca.UAPCA(2).fit(X)


def test_arrows_are_the_components_times_one_factor(students):
    X, pca = students
    panel = scene(X, pca)
    ends = np.array([arrow.points[1] for arrow in panel.of(Polyline, "feature")])
    factor = np.linalg.norm(ends) / np.linalg.norm(pca.components_)
    np.testing.assert_allclose(ends, factor * pca.components_.T)
    assert [arrow.key for arrow in panel.of(Polyline, "feature")] == ["M1", "M2", "P1", "P2"]
    assert panel.legend[-1].text == f"features × {factor:.3g}"
    assert all((arrow.points[0] == 0).all() and arrow.arrow for arrow in panel.of(Polyline))


def test_rows_are_those_of_the_projection(students):
    X, pca = students
    ours = scene(pca.transform(X), pca, levels=0.95).of(Area)
    theirs = uapca.plot.projection.scene(X, pca=pca, levels=0.95).of(Area)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a.rings[0], b.rings[0])


def test_only_the_longest_arrows(rng):
    X = uapca.UncertainArray(rng.normal(size=(30, 20)), std=0.3)
    pca = uapca.UAPCA(3).fit(X)
    panel = scene(X, pca, components=(0, 2))
    assert len(panel.of(Label, "feature")) == 12
    assert panel.legend[-1].text.endswith(", the 12 longest of 20")
    few = scene(X, pca, components=(0, 2), top=2)
    lengths = np.hypot(*pca.components_[[0, 2]])
    longest = {f"x{j}" for j in np.argsort(-lengths)[:2]}
    assert {mark.key for mark in few.of(Label, "feature")} == longest


def test_legend_has_an_arrow_with_its_head_at_the_end(students):
    legend = uapca.plot.biplot(*students).get_legend()
    assert legend.get_lines()[-1].get_markevery() == [-1]


def test_bad_options_are_refused(students):
    X, pca = students
    with pytest.raises(ValueError) as error:
        uapca.plot.biplot(X, pca, components=0)
    assert str(error.value) == (
        "components must be two different numbers from 0 to 1; got 0. "
        "Pass (0, 1) for the first two."
    )
    with pytest.raises(ValueError) as error:
        uapca.plot.biplot(X, pca, top=0)
    assert str(error.value) == "top must be a positive integer; got 0. Leave it out for all."


def test_names_do_not_cover_arrows():
    X = uapca.datasets.load_iris_groups()
    pca = uapca.UAPCA(2).fit(X)
    ax = uapca.plot.biplot(X, pca)
    ax.figure.canvas.draw()
    renderer = ax.figure.canvas.get_renderer()
    boxes = [Text.get_window_extent(text, renderer) for text in ax.texts]
    assert len(boxes) == 7
    for mark in uapca.plot.biplot.scene(X, pca).of(Polyline, "feature"):
        # From a little off the origin, where all arrows are.
        along = mark.points[0] + np.linspace(0.1, 1, 200)[:, None] * np.ptp(mark.points, axis=0) * (
            np.sign(mark.points[1])
        )
        for x, y in ax.transData.transform(along):
            assert not any(box.contains(x, y) for box in boxes), mark.key
