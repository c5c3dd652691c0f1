"""The progression: traces that grow, rows that turn."""

import numpy as np
import pytest

import uapca
from uapca.views.rows.ellipses import radius_of
from uapca.views.scene import Area, Ellipse, Label, Markers, Polyline

X = uapca.datasets.make_progression()


@pytest.fixture(scope="module")
def sheet():
    return uapca.plot.progression.scene(X)


def test_one_column_a_scale(sheet):
    above, below = sheet.panels
    assert [panel.title for panel in above] == ["s = 0", "s = 0.5", "s = 1", "s → ∞"]
    assert len(below) == 4
    figure = uapca.plot.progression(X)
    assert len(figure.axes) == 8
    texts = [entry.text for entry in sheet.legend]
    assert texts == [
        *X.names,
        "",
        "0 ≤ s ≤ 1",
        "1 < s → ∞",
        "s = 0",
        "s = 1",
        "mirror image",
        "95 % of each row",
    ]


def test_the_legend_says_where_no_more_than_moments_is_known():
    """The data set's rows are normals; the same rows by their moments only look like them."""
    bare = uapca.UncertainArray(X.mean, X.cov.dense(), features=X.features)
    texts = [uapca.plot.progression.scene(data).legend[-1].text for data in (X, bare)]
    assert texts == ["95 % of each row", "95 % of each row, if normal"]


def test_of_very_many_rows_some_of_every_size_are_drawn():
    rng = np.random.default_rng(0)
    many = uapca.UncertainArray(rng.standard_normal((2000, 3)), std=rng.uniform(0, 1, (2000, 3)))
    sheet = uapca.plot.progression.scene(many, scales=(0.0, 1.0))
    assert sheet.legend[-1].text == "95 % of each row, if normal, 100 of 2,000 rows"
    drawn = [{mark.key for mark in panel.of(Ellipse, "row")} for panel in sheet.panels[1]]
    assert len(drawn[0]) == 100
    assert drawn[0] == drawn[1]
    sizes = many.cov.diagonal().sum(axis=1)
    assert {str(sizes.argmin()), str(sizes.argmax())} <= drawn[0]


def test_traces_grow_up_to_the_scale(sheet):
    traces = uapca.factor_traces(X)
    for panel, s in zip(sheet.panels[0][1:], (0.5, 1.0, np.inf), strict=True):
        now = {line.key: line.points[1] for line in panel.of(Polyline, "now")}
        fit = traces.at(s).components_
        for j, name in enumerate(traces.features):
            np.testing.assert_allclose(np.abs(now[name]), np.abs(fit[:, j]), atol=1e-9)
        for line in panel.of(Polyline, "trace"):
            np.testing.assert_array_equal(line.points[-1], now[line.key])
    half = sheet.panels[0][1]
    assert not any(line.arrow for line in half.of(Polyline))
    assert half.of(Markers, "given") == ()
    for area in half.of(Area, "trace swept"):
        line = next(line for line in half.of(Polyline, "trace") if line.key == area.key)
        np.testing.assert_array_equal(area.rings[0][1:], line.points)


def test_rows_are_the_exact_projections(sheet):
    for panel, s in zip(sheet.panels[1], (0.0, 0.5, 1.0, np.inf), strict=True):
        Y = uapca.UAPCA(2, scale=s).fit(X).transform(X)
        drawn = np.concatenate([mark.points for mark in panel.of(Markers, "mean")])
        signs = np.sign((drawn * Y.mean).sum(axis=0))
        np.testing.assert_allclose(drawn * signs, Y.mean, atol=1e-9)
        for ellipse, cov in zip(panel.of(Ellipse, "row"), Y.cov.dense(), strict=True):
            values = np.linalg.eigvalsh(cov)[::-1]
            np.testing.assert_allclose(ellipse.radii, radius_of(0.95) * np.sqrt(values), rtol=1e-9)
        shares = uapca.UAPCA(2, scale=s).fit(X).explained_variance_ratio_
        assert panel.x.label == f"PC1 ({100 * shares[0]:.1f} %)".replace(".0 %", " %")


def test_nothing_leaves_the_picture_and_nothing_flips():
    grid = np.linspace(0.0, 3.0, 60)
    sheet = uapca.plot.progression.scene(X, grid)
    before = None
    for panel in sheet.panels[1]:
        means = np.concatenate([mark.points for mark in panel.of(Markers, "mean")])
        if before is not None:
            assert np.abs(means - before).max() < 0.5  # of about 3: a flip would be twice that
        before = means
        low, high = panel.x.limits
        for ellipse in panel.of(Ellipse, "row"):
            turn = np.radians(ellipse.angle)
            along = np.hypot(ellipse.radii[0] * np.cos(turn), ellipse.radii[1] * np.sin(turn))
            assert low <= ellipse.center[0] - along
            assert ellipse.center[0] + along <= high
    assert len({panel.x.limits for panel in sheet.panels[1]}) == 1


def test_rows_are_named_by_colour_below_and_not_on_the_ellipses(sheet):
    """The names fill lines of their own in the legend; six columns, of which one stays empty."""
    assert not any(panel.of(Label) for panel in sheet.panels[1])
    assert sheet.legend_columns == 6
    inks = {entry.text: entry.ink.color for entry in sheet.legend[:5]}
    for panel in sheet.panels[1]:
        assert {mark.key: mark.ink.color for mark in panel.of(Ellipse, "row")} == inks
    many = uapca.UncertainArray(
        np.arange(26.0).reshape(13, 2) % 7, std=0.5, names=[f"n{i}" for i in range(13)]
    )
    crowd = uapca.plot.progression.scene(uapca.UncertainArray(np.eye(25), std=0.5), [1.0])
    assert len({mark.ink.color for mark in crowd.panels[1][0].of(Ellipse, "row")}) == 1
    words = [entry.text for entry in uapca.plot.progression.scene(many, [1.0]).legend]
    assert not set(words) & set(many.names)
    figure = uapca.plot.progression(uapca.datasets.load_students())
    figure.canvas.draw()
    legend = figure.legends[0].get_window_extent()
    assert figure.bbox.x0 <= legend.x0 < legend.x1 <= figure.bbox.x1


def test_names_stand_apart_when_drawn():
    figure = uapca.plot.progression(uapca.datasets.load_students())
    figure.canvas.draw()
    for ax in figure.axes:
        boxes = [text.get_window_extent() for text in ax.texts]
        for i, box in enumerate(boxes):
            assert not any(box.overlaps(other) for other in boxes[:i]), ax.get_title()


def test_certain_rows_are_points():
    points = uapca.UncertainArray([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]])
    sheet = uapca.plot.progression.scene(points, [0.0, 1.0])
    assert sheet.panels[1][0].of(Ellipse) == ()
    assert len(sheet.panels[1][0].of(Markers, "row")) == 3
    assert sheet.panels[1][0].of(Label) == ()
    uapca.plot.progression(points, [0.0, 1.0]).canvas.draw()


def test_one_row_and_infinity_alone():
    alone = uapca.UncertainArray([[1.0, 2.0]], std=[1.0, 2.0], names=["only"])
    sheet = uapca.plot.progression.scene(alone, [np.inf])
    assert [panel.title for panel in sheet.panels[0]] == ["s → ∞"]
    uapca.plot.progression(alone, [np.inf]).canvas.draw()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 95}, "level must lie between 0 and 1; got 95. Pass 0.95 for 95 %."),
        (
            {"scales": [1.0, 0.5]},
            "scales must increase, each number once; got 0.5 after 1",
        ),
        (
            {"components": (0, 3)},
            "components must be two different numbers from 0 to 2; got (0, 3). "
            "Pass (0, 1) for the first two.",
        ),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError) as error:
        uapca.plot.progression(X, **options)
    assert str(error.value) == message


def test_a_fit_has_no_rows_to_show():
    with pytest.raises(TypeError) as error:
        uapca.plot.progression(uapca.UAPCA().fit(X))
    assert str(error.value) == ("X must be an UncertainArray; got UAPCA")


def test_one_feature_is_refused():
    with pytest.raises(ValueError) as error:
        uapca.plot.progression(uapca.UncertainArray([[1.0], [2.0]], std=1.0))
    assert str(error.value) == ("X must have at least 2 features; got 1")


def test_the_legend_says_what_the_ellipses_are_of():
    students = uapca.plot.progression.scene(uapca.datasets.load_students())
    assert students.legend[-1].text == "95 % of the normal with each row's moments"


@pytest.mark.parametrize("level", ["a", 2])
def test_the_level_is_a_probability(level):
    with pytest.raises(ValueError) as error:
        uapca.plot.progression.scene(X, level=level)
    assert str(error.value) == f"level must lie between 0 and 1; got {level!r}. Pass 0.95 for 95 %."
