"""Scree: bars whose parts are between and within, and their errors."""

import warnings

import numpy as np
import pytest

import uapca
from uapca.views.plots.scree import variance_parts
from uapca.views.scene import Bars, ErrorBars, Markers, Polyline

STUDENTS = uapca.datasets.load_students()


def parts(panel):
    return [next(iter(panel.of(Bars, role)), None) for role in ("between", "within")]


@pytest.mark.parametrize("s", [0.0, 0.5, 1.0, 3.0])
def test_parts_sum_to_the_eigenvalue(s):
    pca = uapca.UAPCA(scale=s).fit(STUDENTS)
    between, within = variance_parts(pca)
    np.testing.assert_allclose(between + within, pca.explained_variance_, rtol=1e-12)
    panel = uapca.plot.scree.scene(pca, values="variance")
    means, errors = parts(panel)
    np.testing.assert_allclose(means.ends, between, rtol=1e-12)
    if s == 0.0:
        assert errors is None
        return
    np.testing.assert_array_equal(errors.base, means.ends)
    np.testing.assert_allclose(errors.ends, pca.explained_variance_, rtol=1e-12)
    assert panel.legend[1].text == f"within rows (uncertainty, s = {s:g})"


def test_by_hand():
    X = uapca.UncertainArray([[-2.0, 0.0], [2.0, 0.0]], std=[1.0, 0.5])
    means, errors = parts(uapca.plot.scree.scene(X, values="variance"))
    np.testing.assert_allclose(means.ends, [4.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(errors.ends, [5.0, 0.25], atol=1e-12)
    shares = parts(uapca.plot.scree.scene(X))[1].ends
    np.testing.assert_allclose(shares, np.array([5.0, 0.25]) / 5.25, atol=1e-12)


def test_at_infinity_all_is_uncertainty():
    pca = uapca.UAPCA(scale=np.inf).fit(STUDENTS)
    panel = uapca.plot.scree.scene(pca)
    means, errors = parts(panel)
    assert means is None
    np.testing.assert_allclose(errors.ends, pca.explained_variance_ratio_, rtol=1e-12)
    assert [entry.text for entry in panel.legend] == ["within rows (uncertainty, s → ∞)"]
    certain = uapca.UAPCA(scale=np.inf).fit(uapca.UncertainArray(STUDENTS.mean))
    means, errors = parts(uapca.plot.scree.scene(certain))
    assert errors is None
    np.testing.assert_allclose(means.ends, certain.explained_variance_ratio_, rtol=1e-12)


def test_error_bars_are_the_interval():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uapca.SeparationWarning)
        found = uapca.component_uncertainty(STUDENTS, n_components=4)
    panel = uapca.plot.scree.scene(STUDENTS, values="variance", level=0.9)
    (bars,) = panel.of(ErrorBars)
    np.testing.assert_array_equal(
        np.column_stack([bars.low, bars.high]), found.eigenvalue_interval(0.9)
    )
    assert panel.legend[-1].text == "90 % interval of λ"
    assert uapca.plot.scree.scene(STUDENTS).legend[-1].text == "95 % interval of λ / total"
    share = uapca.plot.scree.scene(STUDENTS).of(ErrorBars)[0]
    total = np.trace(uapca.UAPCA().fit(STUDENTS).get_covariance())
    np.testing.assert_allclose(share.high, found.eigenvalue_interval()[:, 1] / total)
    assert uapca.plot.scree.scene(uapca.UAPCA().fit(STUDENTS)).of(ErrorBars) == ()
    assert uapca.plot.scree.scene(uapca.UncertainArray(STUDENTS.mean)).of(ErrorBars) == ()


def test_drawn_error_bars_end_at_the_interval():
    ax = uapca.plot.scree(STUDENTS)
    (mark,) = uapca.plot.scree.scene(STUDENTS).of(ErrorBars)
    lines = next(c for c in ax.collections if c.get_gid() == "interval")
    ends = np.array([segment[:, 1] for segment in lines.get_segments()])
    np.testing.assert_allclose(ends, np.column_stack([mark.low, mark.high]), atol=1e-12)
    heights = [patch.get_y() + patch.get_height() for patch in ax.patches[4:8]]
    np.testing.assert_allclose(heights, uapca.UAPCA().fit(STUDENTS).explained_variance_ratio_)
    assert {patch.get_hatch() for patch in ax.patches[4:8]} == {"////"}
    assert [text.get_text() for text in ax.get_xticklabels()] == ["PC1", "PC2", "PC3", "PC4"]


def test_cumulative_line():
    panel = uapca.plot.scree.scene(STUDENTS, cumulative=True)
    (line,) = panel.of(Polyline, "cumulative")
    shares = uapca.UAPCA().fit(STUDENTS).explained_variance_ratio_
    np.testing.assert_allclose(line.points[:, 1], np.cumsum(shares))
    assert len(panel.of(Markers, "cumulative")) == 1


def test_ten_bars_at_most_unless_asked():
    X = uapca.UncertainArray(np.random.default_rng(0).normal(size=(20, 14)), std=0.5)
    assert len(parts(uapca.plot.scree.scene(X))[0].ends) == 10
    assert len(parts(uapca.plot.scree.scene(X, n_components=14))[0].ends) == 14
    with pytest.raises(ValueError) as error:
        uapca.plot.scree(X, n_components=15)
    assert str(error.value) == (
        "n_components must be an integer from 1 to 14; got 15. "
        "Leave n_components out to show up to 10."
    )


@pytest.mark.parametrize(
    "X",
    [
        uapca.UncertainArray([[1.0], [2.0]], std=1.0),
        uapca.UncertainArray([[1.0, 2.0]], std=[1.0, 2.0]),
        uapca.UncertainArray([[1.0, 2.0], [1.0, 2.0]]),
        uapca.UncertainArray(np.zeros((3, 2)), std=1.0),
    ],
    ids=["one feature", "one row", "no variance", "ties"],
)
def test_edge_cases_are_drawn(X):
    uapca.plot.scree(X, cumulative=True).figure.canvas.draw()


def test_bad_level():
    with pytest.raises(ValueError) as error:
        uapca.plot.scree(STUDENTS, level=95)
    assert str(error.value) == "level must lie between 0 and 1; got 95. Pass 0.95 for 95 %."


def test_no_share_is_more_than_everything():
    X = uapca.UncertainArray([[-2, 0], [2, 0], [0, 1]], std=[2, 0.1])
    panel = uapca.plot.scree.scene(X)
    (bars,) = panel.of(ErrorBars)
    assert bars.high.max() == 1.0
    assert (bars.low >= 0).all()
    assert panel.legend[-1].text == "95 % interval of λ / total, cut at 100 %"
    assert panel.y.limits[1] <= 1.05
    # Variances have no such bound: nothing is cut.
    panel = uapca.plot.scree.scene(X, values="variance")
    (bars,) = panel.of(ErrorBars)
    assert bars.high.max() > uapca.UAPCA().fit(X).explained_variance_.sum()
    assert panel.legend[-1].text == "95 % interval of λ"


@pytest.mark.parametrize("level", [2, 0.0, "a", None])
def test_a_level_is_a_probability_also_for_a_fit(level):
    for given in (STUDENTS, uapca.UAPCA(2).fit(STUDENTS)):
        with pytest.raises(ValueError) as error:
            uapca.plot.scree.scene(given, level=level)
        assert str(error.value) == (
            f"level must lie between 0 and 1; got {level!r}. Pass 0.95 for 95 %."
        )


def test_data_at_another_scale_is_the_scaled_data():
    """K(s) of X is K(1) of X.scaled(s), and so are its error bars; only the legend names s."""
    here = uapca.plot.scree.scene(STUDENTS, scale=2.0)
    there = uapca.plot.scree.scene(STUDENTS.scaled(2.0))
    for mine, other in zip(parts(here), parts(there), strict=True):
        np.testing.assert_allclose(mine.ends, other.ends, rtol=1e-12)
    (mine,), (other,) = here.of(role="interval"), there.of(role="interval")
    np.testing.assert_allclose(mine.high, other.high, rtol=1e-12)
    assert here.legend[1].text == "within rows (uncertainty, s = 2)"
    assert not uapca.plot.scree.scene(STUDENTS, scale=np.inf).of(role="interval")
    assert not uapca.plot.scree.scene(STUDENTS, scale=0.0).of(role="interval")


def test_a_fit_has_a_scale_of_its_own():
    with pytest.raises(ValueError) as error:
        uapca.plot.scree(uapca.UAPCA().fit(STUDENTS), scale=2.0)
    assert str(error.value) == "scale must be left out with a fit; got 2.0. Pass the data."
