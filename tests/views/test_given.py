"""What views accept: every kind of number for components, and one clear message for the rest."""

import numpy as np
import pytest

import uapca
from uapca import plot
from uapca.views.scene import Bars, Polyline

STUDENTS = uapca.datasets.load_students()


def refused(kind, call):
    with pytest.raises(kind) as error:
        call()
    return str(error.value)


def test_components_may_be_numpy_numbers():
    shown = [mark.key for mark in plot.cos2.scene(STUDENTS, components=np.array([0, 1])).of(Bars)]
    assert shown == ["PC1", "PC2"]
    for components in (np.array([0, 2]), (np.int64(0), np.int64(2)), [0, 2]):
        panel = plot.factor_traces.scene(STUDENTS, components=components)
        assert (panel.x.label, panel.y.label) == ("PC1", "PC3")
        assert panel.of(Polyline, "trace")


@pytest.mark.parametrize("name", ["contributions", "loadings"])
def test_pictures_of_features_refuse_rows_that_are_projected(name):
    pca = uapca.UAPCA(2).fit(STUDENTS)
    text = refused(ValueError, lambda: getattr(plot, name).scene(pca.transform(STUDENTS)))
    assert text == (
        "X must be the data or the fit, whose features are shown; got rows that are already "
        "projected, with columns PC1, …. Pass the X of pca.transform(X), or pca."
    )


def test_groups_are_told_apart_by_how_they_are_written():
    panel = plot.projection.scene(STUDENTS[:, :2], groups=[1, 1.0, 2, 2, 3, 3])
    assert [entry.text for entry in panel.legend[:4]] == ["1", "1.0", "2", "3"]
    panel = plot.projection.scene(STUDENTS[:, :2], groups=[[1], [1], [2], [2], [3], [3]])
    assert [entry.text for entry in panel.legend[:3]] == ["[1]", "[2]", "[3]"]


def test_labels_of_points_are_as_many_as_points():
    X = STUDENTS[:, :2]
    text = refused(ValueError, lambda: plot.projection.scene(X, points=X.mean, points_by=["Tom"]))
    assert text == (
        "points_by must have one label for each point; got 1 for 6 points. "
        "Pass the row or group of every point, or leave points_by out."
    )


@pytest.mark.parametrize("palette", [[], {}, "red"])
def test_a_palette_has_colours(palette):
    text = refused(ValueError, lambda: plot.projection.scene(STUDENTS[:, :2], palette=palette))
    assert text == (
        "palette must be a sequence of colours, or a mapping from name or group to colour; got "
        f"{palette!r}. Pass at least one, ['#0072B2'], or leave palette out."
    )


def test_axes_are_axes():
    text = refused(TypeError, lambda: plot.projection(STUDENTS[:, :2], ax=3))
    assert text == (
        "ax must be a matplotlib Axes; got int. Pass one, or leave it out for a figure of its own."
    )


def test_cos2_is_of_uncertain_rows():
    pca = uapca.UAPCA(2).fit(STUDENTS)
    for given in (pca, np.asarray(STUDENTS.mean)):
        text = refused(TypeError, lambda given=given: plot.cos2.scene(given, pca))
        assert text == f"X must be an UncertainArray; got {type(given).__name__}"


def test_one_feature_has_one_component():
    X = uapca.UncertainArray([[1.0], [2.0], [4.0]], std=0.1)
    assert len(plot.components.scene(X).legend) == 1


@pytest.mark.parametrize("options", [{"points": STUDENTS.mean}, {"kind": "points"}])
def test_what_one_axis_cannot_show_is_refused(options):
    text = refused(ValueError, lambda: plot.projection.scene(STUDENTS, components=0, **options))
    assert text == (
        f"{next(iter(options))} must be left out with one component; rows of one coordinate are "
        "drawn as the densities of their laws. Choose two components, (0, 1)."
    )


def test_long_names_are_cut_wherever_they_stand():
    X = uapca.UncertainArray(
        np.eye(3)[:, :2], std=0.1, names=["n" * 500, "b", "c"], features=["f" * 500, "g"]
    )
    for panel in (plot.distributions.scene(X), plot.projection.scene(X, labels=False)):
        assert len(panel.x.label) <= 40
        assert max(len(entry.text) for entry in panel.legend) < 80


def test_small_contributions_have_ticks():
    X = uapca.UncertainArray(np.random.default_rng(0).normal(size=(20, 150)), std=0.1)
    panel = plot.contributions.scene(uapca.UAPCA(5).fit(X), components=range(5))
    assert len(panel.x.ticks) >= 3
    assert len({text for _, text in panel.x.ticks}) == len(panel.x.ticks)


def test_features_without_names_are_called_alike_in_every_picture():
    """As in the tables of the library: x0, x1, …"""
    X = uapca.UncertainArray([[0.0, 1.0], [2.0, 0.5], [1.0, 3.0]], std=0.2)
    pca = uapca.UAPCA().fit(X)
    panel = plot.distributions.scene(X)
    arrows = plot.biplot.scene(X, pca).of(role="feature")
    circle = plot.loadings.scene(pca).of(role="loading")
    traces = plot.factor_traces.scene(uapca.factor_traces(X)).of(role="trace")
    named = [{mark.key for mark in marks} for marks in (arrows, circle, traces)]
    assert named == [{"x0", "x1"}] * 3
    assert {panel.x.label, panel.y.label} == set(X.to_frame().columns[::2]) == {"x0", "x1"}
