"""The sampling experiment as a picture."""

import numpy as np
import pytest

import uapca
from uapca.stability import SamplingConvergence
from uapca.views.scene import Label, Markers, Polyline


@pytest.fixture(scope="module")
def result():
    return uapca.sampling_convergence([2, 4, 8], [10, 40, 160], n_runs=6, rng=0)


def test_lines_are_the_medians(result):
    panel = uapca.plot.convergence.scene(result)
    lines = panel.of(Polyline, "dimension")
    for line, d, median in zip(lines, result.dims, result.median, strict=True):
        np.testing.assert_array_equal(line.points, np.column_stack([result.n_samples, median]))
        assert set(line.values) == {float(d)}
    assert (panel.x.log, panel.y.log) == (True, True)
    assert panel.colorbar.limits == (2.0, 8.0)
    assert [label.text for label in panel.of(Label)] == ["D = 2", "D = 4", "D = 8"]


def test_the_guide_falls_by_half_on_a_log_scale(result):
    panel = uapca.plot.convergence.scene(result)
    (guide,) = panel.of(Polyline, "guide")
    slope = np.diff(np.log(guide.points[:, 1])) / np.diff(np.log(guide.points[:, 0]))
    np.testing.assert_allclose(slope, -0.5)
    assert guide.ink.dash == "dashed"
    assert [entry.text for entry in panel.legend] == ["falls like n^(−1/2)"]
    assert result.median.min() < guide.points[:, 1].mean() < result.median.max()


def test_drawn_with_logarithmic_axes(result):
    ax = uapca.plot.convergence(result)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert ax.get_ylabel() == "median Hellinger distance"
    ax.figure.canvas.draw()


def test_unsorted_counts_one_dimension_and_one_count():
    distances = np.array([[[0.1], [0.3]]])
    swapped = SamplingConvergence(np.array([3]), np.array([100, 10]), distances)
    panel = uapca.plot.convergence.scene(swapped)
    np.testing.assert_array_equal(
        panel.of(Polyline, "dimension")[0].points, [[10, 0.3], [100, 0.1]]
    )
    uapca.plot.convergence(swapped).figure.canvas.draw()
    once = SamplingConvergence(np.array([3]), np.array([10]), distances[:, :1])
    assert len(uapca.plot.convergence.scene(once).of(Markers)) == 1
    uapca.plot.convergence(once).figure.canvas.draw()


def test_distances_of_nothing_are_left_out():
    some = SamplingConvergence(
        np.array([1, 2]), np.array([10, 100]), np.array([[[0.0], [0.0]], [[0.2], [0.1]]])
    )
    panel = uapca.plot.convergence.scene(some)
    assert [len(line.points) for line in panel.of(Polyline, "dimension")] == [0, 2]
    uapca.plot.convergence(some).figure.canvas.draw()
    none = SamplingConvergence(np.array([1]), np.array([10]), np.zeros((1, 1, 1)))
    with pytest.raises(ValueError) as error:
        uapca.plot.convergence(none)
    assert str(error.value) == (
        "result must have distances above 0; all medians are 0. "
        "Sampling has nothing to miss where all rows are certain."
    )


def test_anything_else_is_refused():
    with pytest.raises(TypeError) as error:
        uapca.plot.convergence([0.1])
    assert str(error.value) == (
        "result must be what uapca.sampling_convergence returns; got list. "
        "Pass uapca.sampling_convergence(rng=0)."
    )
