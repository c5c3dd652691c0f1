"""Input distributions and the components through their mean."""

import numpy as np
import pytest

import uapca
from uapca.views.scene import Ellipse, Label, Markers, Polyline

scene = uapca.plot.distributions.scene


@pytest.fixture(scope="module")
def teaser():
    X = uapca.datasets.make_teaser()
    return X, uapca.UAPCA().fit(X)


def test_components_are_as_long_as_their_deviation(teaser):
    X, pca = teaser
    arrows = scene(X, pca).of(Polyline, "component")
    assert [arrow.key for arrow in arrows] == ["PC1", "PC2"]
    for i, arrow in enumerate(arrows):
        assert arrow.arrow
        np.testing.assert_allclose(arrow.points[0], pca.mean_)
        reach = arrow.points[1] - arrow.points[0]
        assert reach @ reach == pytest.approx(pca.explained_variance_[i])
        assert abs(reach @ pca.components_[i]) == pytest.approx(np.linalg.norm(reach))
    lines = scene(X, pca, axes="lines").of(Polyline, "component")
    np.testing.assert_allclose(lines[0].points.mean(axis=0), pca.mean_, atol=1e-12)
    assert not lines[0].arrow
    assert [label.text for label in scene(X, pca).of(Label, "component")] == ["PC1", "PC2"]


def test_several_fits_are_told_apart_by_dashes(teaser):
    X, pca = teaser
    ax = uapca.plot.distributions(X, {"plain": pca.rescale(0.0), "ours": pca})
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[-2:] == ["components, plain", "components, ours"]
    dashes = {line.get_gid(): line.is_dashed() for line in ax.lines if line.get_gid()}
    assert dashes["component:plain PC1"]
    assert not dashes["component:ours PC1"]
    keys = [mark.key for mark in scene(X, [pca.rescale(0.0), pca]).of(Polyline, "component")]
    assert keys == ["s = 0 PC1", "s = 0 PC2", "s = 1 PC1", "s = 1 PC2"]


def test_scale_is_in_the_ellipses(teaser):
    X, _ = teaser
    full = {mark.key: mark for mark in scene(X, levels=0.95).of(Ellipse)}
    half = scene(X, scale=0.5, levels=0.95)
    assert half.title == "s = 0.5"
    for mark in half.of(Ellipse):
        np.testing.assert_allclose(np.array(mark.radii) * 2, full[mark.key].radii)
    # At s = 0 the rows are certain.
    points = scene(X, scale=0.0).of(Markers, "row")
    assert sorted(mark.key for mark in points) == sorted(X.names)


def test_error_models_of_the_paper():
    certain, isotropic, arbitrary = (
        scene(X, uapca.UAPCA().fit(X)) for X in uapca.datasets.make_error_models()
    )
    assert certain.of(Ellipse) == ()
    radii = np.array([mark.radii for mark in isotropic.of(Ellipse)])
    np.testing.assert_allclose(radii[:, 0], radii[:, 1])
    first = [panel.of(Polyline, "component")[0].points for panel in (certain, isotropic, arbitrary)]
    way = [(ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0]) for ends in first]
    assert abs(way[0] @ way[1]) == pytest.approx(1.0)
    assert abs(way[0] @ way[2]) < 0.6


def test_names_of_features_are_on_the_axes(teaser):
    ax = uapca.plot.distributions(teaser[0])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x", "y")
    plain = scene(np.zeros((3, 2)) + [[0.0], [1.0], [2.0]])
    assert (plain.x.label, plain.y.label) == ("x0", "x1")


def test_one_feature_is_densities(teaser):
    panel = scene(teaser[0][:, "x"])
    assert panel.x.label == "x"
    assert len(panel.of(Polyline, "density")) == 4


def test_a_component_without_variance_has_no_axis():
    X = uapca.UncertainArray([[0.0, 0.0], [1.0, 1.0]])
    assert len(scene(X, uapca.UAPCA().fit(X)).of(Polyline, "component")) == 1


def test_bad_input_is_refused(teaser):
    with pytest.raises(ValueError) as error:
        uapca.plot.distributions(uapca.datasets.load_students())
    assert str(error.value) == (
        "X must have one or two features; got 4. Select some, X[:, [0, 1]], or project all of "
        "them: projection(X, pca=pca)."
    )
    with pytest.raises(ValueError) as error:
        uapca.plot.distributions(teaser[0], uapca.UAPCA().fit(uapca.datasets.load_students()))
    assert str(error.value) == (
        "pca must be fitted on the 2 features that are shown; it was fitted on 4. "
        "Fit it on the same columns, uapca.UAPCA().fit(X)."
    )
    with pytest.raises(ValueError) as error:
        uapca.plot.distributions(teaser[0], axes="arrow")
    assert str(error.value) == (
        "axes must be 'arrows' or 'lines'; got 'arrow': perhaps 'arrows' was meant"
    )
