"""Entries of components with their standard errors."""

import warnings

import numpy as np
import pytest

import uapca
from uapca.views.scene import ErrorBars, Markers

STUDENTS = uapca.datasets.load_students()


@pytest.fixture(scope="module")
def found():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uapca.SeparationWarning)
        return uapca.component_uncertainty(STUDENTS)


def test_markers_are_the_entries_and_bars_one_standard_error(found):
    panel = uapca.plot.components.scene(STUDENTS)
    for i, (dots, bars) in enumerate(
        zip(panel.of(Markers, "component"), panel.of(ErrorBars, "error"), strict=True)
    ):
        np.testing.assert_array_equal(dots.points[:, 0], found.components[i])
        np.testing.assert_allclose(bars.low, np.maximum(found.components[i] - found.std[i], -1))
        np.testing.assert_allclose(bars.high, np.minimum(found.components[i] + found.std[i], 1))
        assert bars.horizontal
    shapes = [dots.shape for dots in panel.of(Markers)]
    assert shapes == ["circle", "square"]
    assert [text for _, text in panel.y.ticks] == list(STUDENTS.features)


def test_the_legend_says_how_far_they_tilt_and_which_mix(found):
    texts = [entry.text for entry in uapca.plot.components.scene(STUDENTS).legend]
    tilt = np.degrees(found.angle)
    assert texts[0] == f"PC1 ± standard error, tilts by {tilt[0]:.2g}°"
    assert found.separation[1] < 2 <= found.separation[0]
    assert texts[2:] == ["PC2 and PC3 cannot be told apart"]


def test_no_warning_leaks_and_the_picture_is_drawn():
    ax = uapca.plot.components(STUDENTS, n_components=4)
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.get_yticklabels()] == list(STUDENTS.features)


def test_tied_components_may_point_anywhere():
    X = uapca.UncertainArray([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]], std=0.1)
    panel = uapca.plot.components.scene(X)
    for dots, bars in zip(panel.of(Markers), panel.of(ErrorBars), strict=True):
        # As far as a random axis, and never beyond a unit vector.
        assert (bars.low >= -1.0).all()
        assert (bars.high <= 1.0).all()
        assert (bars.high - bars.low > 0.4).all()
        assert (np.abs(dots.points[:, 0]) <= 1.0).all()
    uapca.plot.components(X).figure.canvas.draw()


def test_certain_rows_have_no_bars():
    panel = uapca.plot.components.scene(uapca.UncertainArray(STUDENTS.mean))
    for dots, bars in zip(panel.of(Markers), panel.of(ErrorBars), strict=True):
        np.testing.assert_array_equal(bars.low, dots.points[:, 0])
        np.testing.assert_array_equal(bars.high, dots.points[:, 0])


def test_a_fit_has_no_rows():
    with pytest.raises(TypeError) as error:
        uapca.plot.components(uapca.UAPCA().fit(STUDENTS))
    assert str(error.value) == ("X must be an UncertainArray; got UAPCA")
