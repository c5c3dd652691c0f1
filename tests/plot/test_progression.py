"""The traces growing above the rows turning."""

import numpy as np
import pytest

import uapca
from uapca.plot.progression import turning

X = uapca.datasets.make_progression()
PCA = uapca.UAPCA(2).fit(X)


@pytest.fixture
def figure():
    return uapca.plot.progression(PCA, X)


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_one_column_for_each_scale(figure):
    above, below = figure.axes[:4], figure.axes[4:]
    assert [ax.get_title() for ax in above] == ["s = 0", "s = 0.5", "s = 1", "s → ∞"]
    assert len(below) == 4
    for ax, s in zip(below, (0, 0.5, 1, np.inf), strict=True):
        share = PCA.rescale(s).explained_variance_ratio_[0]
        assert ax.get_xlabel() == f"PC1 ({100 * share:.1f} %)"


def test_rows_are_the_projections_at_each_scale_up_to_signs(figure):
    for ax, s in zip(figure.axes[4:], (0, 0.5, 1, np.inf), strict=True):
        dots = [c for c in ax.collections if c.get_gid() == "means"]
        drawn = np.concatenate([np.asarray(c.get_offsets()) for c in dots])
        wanted = PCA.rescale(s).transform(X).mean
        # One artist for each shape: the rows stand in the order of their shapes.
        assert sorted(np.abs(drawn[:, 0]).round(9)) == sorted(np.abs(wanted[:, 0]).round(9))


def test_rows_are_gray_and_told_apart_by_shape_in_the_legend(figure):
    assert set(X.names) <= set(legend(figure))
    for ax in figure.axes[4:]:
        for dots in ax.collections:
            face = dots.get_facecolor()[0, :3]
            assert np.ptp(face) < 1e-9


def test_the_legend_says_what_the_ellipses_are_of():
    assert "95 % of each row" in legend(uapca.plot.progression(PCA, X))
    students = uapca.datasets.load_students()
    words = legend(uapca.plot.progression(uapca.UAPCA().fit(students), students, level=0.5))
    assert "50 % of the normal with each row's moments" in words
    bare = uapca.UncertainArray(X.mean, X.cov.dense())
    assert "95 % of each row, if normal" in legend(uapca.plot.progression(PCA, bare))


def test_nothing_leaves_the_picture():
    plan = turning(PCA, X)
    for u in np.linspace(0, 1, 13):
        rows = plan.rows(plan.course(float(u)))
        reach = np.abs(rows.mean) + 2.4477 * np.sqrt(rows.cov.diagonal())
        assert reach.max() <= plan.reach


def test_many_rows_and_one_row_are_drawn():
    rng = np.random.default_rng(0)
    many = uapca.UncertainArray(rng.normal(size=(150, 3)), std=0.3)
    assert len(uapca.plot.progression(uapca.UAPCA().fit(many), many, [1.0]).axes) == 2
    one = uapca.UncertainArray([[1.0, 2.0]], std=[[1.0, 2.0]])
    assert len(uapca.plot.progression(uapca.UAPCA().fit(one), one, [np.inf]).axes) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 95}, "level must be between 0 and 1; got 95"),
        ({"scales": [1.0, 0.5]}, "scales must be rising numbers"),
        ({"highlight": ["z"]}, "highlight must hold names or positions; there is no 'z'"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError) as error:
        uapca.plot.progression(PCA, X, **options)
    assert str(error.value).startswith(message)
