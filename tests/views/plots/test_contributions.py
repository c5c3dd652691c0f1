"""Contributions of features, and cos² of rows."""

import numpy as np
import pytest

import uapca
from uapca.views.scene import Bars, Rule

STUDENTS = uapca.datasets.load_students()
PCA = uapca.UAPCA().fit(STUDENTS)


def test_contributions_are_squared_entries_largest_first():
    panel = uapca.plot.contributions.scene(STUDENTS)
    bars = {bar.key: bar.ends[0] for bar in panel.of(Bars)}
    expected = dict(zip(STUDENTS.features, PCA.components_[0] ** 2, strict=True))
    assert bars == pytest.approx(expected, abs=1e-12)
    assert list(bars.values()) == sorted(bars.values(), reverse=True)
    assert sum(bars.values()) == pytest.approx(1.0)
    assert [text for _, text in panel.y.ticks] == list(bars)


def test_the_dashed_line_is_the_average():
    (rule,) = uapca.plot.contributions.scene(STUDENTS).of(Rule, "expected")
    assert (rule.at, rule.axis, rule.ink.dash) == (0.25, "x", "dashed")
    ax = uapca.plot.contributions(STUDENTS)
    line = next(line for line in ax.lines if line.get_gid() == "expected")
    np.testing.assert_array_equal(line.get_xdata(), [0.25, 0.25])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["if all were equal, 25 %"]


def test_several_components_are_weighted_by_their_variance():
    panel = uapca.plot.contributions.scene(PCA, components=(0, 1))
    values = PCA.explained_variance_[:2]
    expected = (PCA.components_[:2] ** 2).T @ values / values.sum()
    bars = {bar.key: bar.ends[0] for bar in panel.of(Bars)}
    assert bars == pytest.approx(dict(zip(STUDENTS.features, expected, strict=True)), abs=1e-12)
    assert panel.x.label == "contribution to PC1 and PC2, s = 1"


def test_the_first_bar_is_on_top_when_drawn():
    ax = uapca.plot.contributions(STUDENTS)
    assert ax.yaxis.get_inverted()
    widths = [patch.get_width() for patch in ax.patches]
    assert widths == sorted(widths, reverse=True)


def test_twenty_bars_at_most_and_it_says_so():
    X = uapca.UncertainArray(np.random.default_rng(0).normal(size=(40, 25)))
    panel = uapca.plot.contributions.scene(X)
    assert len(panel.of(Bars)) == 20
    assert panel.y.label == "largest 20 of 25 features"
    assert len(uapca.plot.contributions.scene(X, top=25).of(Bars)) == 25
    rows = uapca.plot.cos2.scene(X)
    assert rows.y.label == "largest 20 of 40 rows"


def test_cos2_is_stacked_and_ends_at_the_sum():
    panel = uapca.plot.cos2.scene(STUDENTS)
    first, second = panel.of(Bars)
    expected = PCA.cos2(STUDENTS)[:, :2]
    order = np.argsort(-expected.sum(axis=1))
    np.testing.assert_allclose(first.ends, expected[order, 0], atol=1e-12)
    np.testing.assert_array_equal(second.base, first.ends)
    np.testing.assert_allclose(second.ends, expected[order].sum(axis=1), atol=1e-12)
    assert first.hatch != second.hatch
    assert [text for _, text in panel.y.ticks] == [STUDENTS.names[i] for i in order]


def test_cos2_of_all_components_is_one():
    panel = uapca.plot.cos2.scene(STUDENTS, PCA, components=range(4))
    np.testing.assert_allclose(panel.of(Bars)[-1].ends, 1.0, atol=1e-12)


def test_cos2_with_another_fit_and_one_component():
    at_zero = PCA.rescale(0.0)
    panel = uapca.plot.cos2.scene(STUDENTS, at_zero, components=1)
    (bars,) = panel.of(Bars)
    np.testing.assert_allclose(np.sort(bars.ends), np.sort(at_zero.cos2(STUDENTS)[:, 1]))
    assert panel.x.label == "cos² of the rows, s = 0"
    line = uapca.UncertainArray([[1.0], [2.0], [4.0]], std=1.0)
    assert [entry.text for entry in uapca.plot.cos2.scene(line).legend] == ["PC1"]


@pytest.mark.parametrize("components", [(), (0, 0), 4, -1, "0", (0, 1.5)])
def test_components_that_are_not_there(components):
    for plot in (uapca.plot.contributions, uapca.plot.cos2):
        with pytest.raises(ValueError) as error:
            plot(STUDENTS, components=components)
        assert str(error.value) == (
            "components must be different numbers from 0 to 3; "
            f"got {components!r}. Pass 0 for the first."
        )


@pytest.mark.parametrize(
    "X",
    [
        uapca.UncertainArray([[1.0], [2.0]], std=1.0),
        uapca.UncertainArray([[1.0, 2.0]], std=[1.0, 2.0]),
        uapca.UncertainArray([[1.0, 2.0], [1.0, 2.0]]),
    ],
    ids=["one feature", "one row", "no variance"],
)
def test_edge_cases_are_drawn(X):
    uapca.plot.contributions(X).figure.canvas.draw()
    uapca.plot.cos2(X).figure.canvas.draw()
