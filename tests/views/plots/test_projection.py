"""Projected rows: each drawn as what its law is, in the scene and on the Axes."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import PolyCollection
from matplotlib.patches import Ellipse as EllipsePatch
from scipy import stats

import uapca
from uapca.laws import (
    Independent,
    Mixture,
    Moments,
    Normal,
    NormalMarginal,
    Point,
    Samples,
    Uniform,
)
from uapca.views.bounds import bounds
from uapca.views.palette import DARK_YELLOW, OKABE_ITO
from uapca.views.rows.marks import is_normal
from uapca.views.scene import Area, Ellipse, Label, Markers, Polyline

scene = uapca.plot.projection.scene


@pytest.fixture(scope="module")
def iris():
    X = uapca.datasets.load_iris_groups()
    pca = uapca.UAPCA(3).fit(X)
    return pca, pca.transform(X)


@pytest.fixture(scope="module")
def students():
    X = uapca.datasets.load_students()
    pca = uapca.UAPCA(2).fit(X)
    return pca, pca.transform(X)


def rows_of(laws, names=None):
    mean, cov = np.stack([law.mean for law in laws]), np.stack([law.cov for law in laws])
    return uapca.UncertainArray(mean, cov, laws=laws, names=names)


def test_ellipses_are_those_of_the_covariances(iris):
    _, Y = iris
    for components in ((0, 1), (2, 0)):
        panel = scene(Y, components=components, levels=0.9)
        found = {mark.key: mark for mark in panel.of(Ellipse, "row")}
        radius = np.sqrt(stats.chi2(2).ppf(0.9))
        for name, mean, cov in zip(Y.names, Y.mean, Y.cov.dense(), strict=True):
            mark, block = found[name], cov[np.ix_(components, components)]
            np.testing.assert_allclose(mark.center, mean[list(components)], atol=1e-12)
            # Independently of the eigenvectors: the ellipse as a quadratic form.
            turn = np.radians(mark.angle)
            axes = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
            form = axes @ np.diag(np.square(mark.radii)) @ axes.T
            np.testing.assert_allclose(form, radius**2 * block, atol=1e-10)
            assert mark.level == 0.9


def test_patches_are_those_of_the_scene(iris):
    pca, Y = iris
    ax = uapca.plot.projection(Y, levels=0.95, pca=pca)
    patches = {p.get_gid(): p for p in ax.patches if isinstance(p, EllipsePatch)}
    for name, mean, cov in zip(Y.names, Y.mean[:, :2], Y.cov.dense()[:, :2, :2], strict=True):
        patch = patches[f"row:{name}"]
        values, vectors = np.linalg.eigh(cov)
        np.testing.assert_allclose(patch.center, mean)
        lengths = 2 * np.sqrt(stats.chi2(2).ppf(0.95) * values[::-1])
        np.testing.assert_allclose([patch.width, patch.height], lengths)
        along = np.array([np.cos(np.radians(patch.angle)), np.sin(np.radians(patch.angle))])
        assert abs(along @ vectors[:, 1]) == pytest.approx(1.0)


def test_nothing_is_clipped_and_little_is_empty(iris):
    ax = uapca.plot.projection(iris[1])
    ax.figure.draw_without_rendering()
    low, high = bounds(scene(iris[1]).marks)
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    assert x0 < low[0]
    assert y0 < low[1]
    assert x1 > high[0]
    assert y1 > high[1]
    filled = (high - low) / [x1 - x0, y1 - y0]
    assert (filled > 0.6).all()
    box = ax.get_window_extent()
    assert (x1 - x0) / box.width == pytest.approx((y1 - y0) / box.height, rel=1e-6)


def test_axes_say_shares_and_scale(iris):
    pca, Y = iris
    ax = uapca.plot.projection(Y, components=(1, 2), pca=pca)
    shares = [f"{100 * r:.1f} %" for r in pca.explained_variance_ratio_]
    assert ax.get_xlabel() == f"PC2 ({shares[1]})"
    assert ax.get_ylabel() == f"PC3 ({shares[2]})"
    assert ax.get_title() == "s = 1"
    plain = uapca.plot.projection(Y)
    assert (plain.get_xlabel(), plain.get_ylabel(), plain.get_title()) == ("PC1", "PC2", "")
    limit = pca.rescale(np.inf)
    assert scene(limit.transform(uapca.datasets.load_iris_groups()), pca=limit).title == "s → ∞"


def test_legend_says_level_and_kind(iris, students):
    def text(ax):
        return [entry.get_text() for entry in ax.get_legend().get_texts()]

    assert text(uapca.plot.projection(iris[1], levels=0.95)) == [
        "95 % of each row's probability, if normal (ellipse)"
    ]
    assert text(uapca.plot.projection(students[1])) == [
        "50 % and 95 % of each row's probability (density contour)"
    ]
    assert text(uapca.plot.projection(students[1], kind="ellipse", levels=0.68)) == [
        "68 % of the normal with each row's mean and covariance"
    ]
    assert scene(students[1], kind="points").legend == ()


def test_legend_says_where_no_more_than_moments_is_known():
    """An ellipse of given moments holds its level of a normal, and of hardly any other law."""

    def text(rows, **options):
        return scene(rows, levels=0.95, **options).legend[0].text

    known = [
        Normal([0.0, 0.0], np.eye(2)),
        Independent([NormalMarginal(3, 1), NormalMarginal(0, 1)]),
    ]
    only = [Moments([0.0, 3.0], np.eye(2)), Mixture([1], [Moments([4.0, 4.0], np.eye(2))])]
    whole, bare = rows_of(known), rows_of(only)
    assert text(whole) == "95 % of each row's probability (ellipse)"
    assert text(bare) == "95 % of each row's probability, if normal (ellipse)"
    assert text(bare.affine([[1.0, 2.0], [0.0, 1.0]])) == text(bare)
    assert text(uapca.UncertainArray(whole.mean, whole.cov.dense())) == text(bare)
    some = rows_of(known + only)
    assert text(some) == "95 % of each row's probability, some taken as normal (ellipse)"
    # A mixture whose parts are known by their moments has two modes, if they are normal.
    parts = [Moments([-4.0, 0.0], np.eye(2)), Normal([4.0, 0.0], np.eye(2))]
    two = scene(rows_of([Mixture([1, 1], parts)]), levels=0.5)
    assert two.legend[0].text == "50 % of each row's probability, if normal (density contour)"
    assert len(two.of(Area, "row")[0].rings) == 2
    # A certain row needs no law.
    sure = [*known, Moments([9.0, 9.0], np.zeros((2, 2)))]
    assert text(rows_of(sure)) == "95 % of each row's probability (ellipse)"
    contour = "95 % of each row's probability, if normal (density contour)"
    assert text(bare, kind="contour") == contour
    assert text(whole, components=0) == "95 % of each row's probability"
    assert text(bare, components=0) == "95 % of each row's probability, if normal"
    assert text(some, components=0) == "95 % of each row's probability, some taken as normal"


def test_each_row_is_drawn_as_what_it_is():
    laws = {
        "normal": Normal([0.0, 0.0], np.eye(2)),
        "mixture": Mixture([1, 1], [Normal([0.0, 9.0], np.eye(2)), Normal([9.0, 9.0], np.eye(2))]),
        "uniform": Independent([Uniform(3, 4), Uniform(0, 3)]),
        "samples": Samples(np.random.default_rng(0).normal(size=(200, 2)) - 5),
        "line": Independent([Uniform(0, 4), 2.0]),
        "oblique line": Normal([1.0, 1.0], [[1.0, 2.0], [2.0, 4.0]]),
        "point": Normal([5.0, 5.0], np.zeros((2, 2))),
        "atoms": Mixture([1, 1], [Normal([0.0, 3.0], np.eye(2)), Normal([0, 4], 0 * np.eye(2))]),
    }
    panel = scene(rows_of(list(laws.values()), list(laws)), levels=0.95, means=False)
    kinds = {mark.key: type(mark) for mark in panel.of(role="row")}
    assert kinds == {
        "normal": Ellipse,
        "mixture": Area,
        "uniform": Area,
        "samples": Area,
        "line": Polyline,
        "oblique line": Polyline,
        "point": Markers,
        "atoms": Markers,
    }
    (mixture,) = (mark for mark in panel.of(Area) if mark.key == "mixture")
    assert len(mixture.rings) == 2
    line = next(mark for mark in panel.of(Polyline) if mark.key == "line")
    # The middle 95 % of U(0, 4).
    np.testing.assert_allclose(line.points[:, 0], [0.1, 3.9], atol=0.01)
    np.testing.assert_allclose(line.points[:, 1], 2.0)
    oblique = next(mark for mark in panel.of(Polyline) if mark.key == "oblique line")
    reach = 1.959964 * np.array([1.0, 2.0])
    np.testing.assert_allclose(oblique.points, [1 - reach, 1 + reach], rtol=1e-5)
    assert [entry.text for entry in panel.legend] == [
        "95 % of each row's probability (ellipse, contour, line)",
        "certain row",
        "draws of a row",
    ]


def test_which_laws_are_normal():
    assert is_normal(Independent([NormalMarginal(0, 1), Point(3.0)]))
    assert is_normal(Moments([0.0, 0.0], np.eye(2)).affine([[1.0, 2.0], [0.0, 1.0]]))
    assert is_normal(Mixture([1], [Normal([0.0], [[1.0]])]))
    assert not is_normal(Independent([Uniform(0, 1), NormalMarginal(0, 1)]))
    assert not is_normal(Samples([[0.0], [1.0]]))


def test_kind_chooses_what_is_drawn(students):
    Y = students[1]
    assert {type(mark) for mark in scene(Y).of(role="row")} == {Area}
    assert {type(mark) for mark in scene(Y, kind="ellipse").of(role="row")} == {Ellipse}
    points = scene(Y, kind="points").of(role="row")
    assert {type(mark) for mark in points} == {Markers}
    np.testing.assert_allclose(np.concatenate([mark.points for mark in points]), Y.mean)


def test_colours_by_row_and_by_group(iris):
    _, Y = iris
    found = {mark.key: mark.ink.color for mark in scene(Y).of(Ellipse)}
    assert found == dict(zip(Y.names, OKABE_ITO[:3], strict=True))
    grouped = scene(Y, groups=["b", "a", "b"])
    found = {mark.key: mark.ink.color for mark in grouped.of(Ellipse)}
    assert found == {"setosa": OKABE_ITO[1], "versicolor": OKABE_ITO[0], "virginica": OKABE_ITO[1]}
    assert [(entry.text, entry.shape) for entry in grouped.legend[:2]] == [
        ("a", "circle"),
        ("b", "square"),
    ]
    mapped = scene(Y, palette={"setosa": "#111111", "versicolor": "red", "virginica": "#333333"})
    assert {mark.ink.color for mark in mapped.of(Ellipse)} == {"#111111", "red", "#333333"}
    shares = scene(Y, palette=[(1.0, 0.0, 0.2)])
    assert {mark.ink.color for mark in shares.of(Ellipse)} == {"#FF0033"}


def test_same_group_same_colour_as_rows_and_as_points(iris):
    from sklearn.datasets import load_iris

    data = load_iris()
    species = data.target_names[data.target]
    pca, Y = iris
    rows = {mark.key: mark.ink.color for mark in scene(Y).of(Ellipse)}
    rng = np.random.default_rng(0)
    mixed = rng.permutation(150)
    dots = scene(data.data[mixed] @ pca.components_.T, groups=species[mixed]).of(Markers)
    assert {mark.key: mark.ink.color for mark in dots} == rows
    under = scene(Y, points=data.data, points_by=species, pca=pca).of(role="points")
    assert {mark.key: mark.ink.color for mark in under} == rows
    assert sum(len(mark.points) for mark in under) == 150


def test_groups_are_in_the_order_of_their_values(rng):
    Y = rng.normal(size=(6, 2))
    entries = scene(Y, groups=np.array([10, 9, 9, 10, 2, 2])).legend
    assert [entry.text for entry in entries] == ["2", "9", "10"]
    assert [entry.text for entry in scene(Y, groups=["b", 1, 1, "b", "a", "a"]).legend] == [
        "1",
        "a",
        "b",
    ]


def test_dashes_go_on_after_eight_colours(rng):
    Y = uapca.UncertainArray(rng.normal(size=(10, 2)), std=1.0, names=list("abcdefghij"))
    inks = {mark.key: mark.ink for mark in scene(Y).of(Ellipse)}
    assert inks["a"].color == inks["i"].color
    assert (inks["a"].dash, inks["i"].dash) == ("solid", "dashed")


def test_data_is_projected_where_a_fit_is_given(iris):
    pca, Y = iris
    X = uapca.datasets.load_iris_groups()
    ours, theirs = scene(X, pca=pca), scene(Y, pca=pca)
    for a, b in zip(ours.of(Ellipse), theirs.of(Ellipse), strict=True):
        np.testing.assert_allclose(a.center, b.center)
        np.testing.assert_allclose(a.radii, b.radii)
    # As many components as features: the names tell data from scores.
    full = uapca.UAPCA().fit(X)
    a, b = scene(X, pca=full).of(Ellipse), scene(full.transform(X), pca=full).of(Ellipse)
    np.testing.assert_allclose([m.center for m in a], [m.center for m in b])


def test_one_component_is_stacked_densities(students):
    X = uapca.datasets.load_students()
    pca = uapca.UAPCA(1).fit(X)
    ax = uapca.plot.projection(pca.transform(X), pca=pca)
    assert [text.get_text() for text in ax.get_yticklabels()] == list(X.names)
    assert ax.get_yticks().tolist() == [5, 4, 3, 2, 1, 0]
    Y = pca.transform(X)
    panel = scene(Y, levels=0.95)
    for mark in panel.of(Polyline, "density"):
        row = Y.names.index(mark.key)
        assert mark.points[0, 1] == mark.points[-1, 1] == 5 - row
        x = mark.points[1:-1, 0]
        heights = mark.points[1:-1, 1] - (5 - row)
        expected = Y.density(row, x[20:-20])
        np.testing.assert_allclose(
            heights[20:-20] / heights.max(), expected / expected.max(), rtol=1e-6
        )
    assert panel.legend[-1].text.startswith("95 % of each row's probability")
    # The second of several components alone.
    both = uapca.UAPCA(2).fit(X).transform(X)
    assert scene(both, components=1).x.label == "PC2"


def test_filled_part_of_a_density_holds_its_level():
    Y = uapca.UncertainArray([[2.0]], std=3.0, names=["a"])
    (area,) = scene(Y, levels=0.9).of(Area)
    x = area.rings[0][:, 0]
    np.testing.assert_allclose([x.min(), x.max()], 2 + 3 * stats.norm.ppf([0.05, 0.95]), atol=0.01)


def test_over_each_other_densities_share_one_scale():
    Y = uapca.UncertainArray([[0.0], [5.0]], std=[[1.0], [2.0]], names=["a", "b"])
    a, b = scene(Y, stacked=False).of(Polyline, "density")
    assert a.points[:, 1].max() == pytest.approx(1.0, abs=1e-4)
    assert b.points[:, 1].max() == pytest.approx(0.5, abs=1e-4)
    assert [label.text for label in scene(Y, stacked=False).of(Label)] == ["a", "b"]


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize(
    ("mean", "std"),
    [
        ([[1.0, 2.0]], 1.0),
        ([[1.0, 2.0]], 0.0),
        ([[1.0, 2.0]] * 4, 1.0),
        ([[1.0, 2.0]] * 4, 0.0),
        ([[0.0, 1.0], [3.0, -1.0]], [1.0, 0.0]),
        ([[1e8, 1e8], [1e8 + 3, 1e8 - 1]], 0.5),
        ([[0.0, 1.0], [3.0, -1.0]], [[1e6], [1.0]]),
        ([[0.0, 1.0], [3.0, -1.0]], [[1e-150], [0.0]]),
    ],
)
def test_hard_rows_are_drawn(mean, std, columns):
    Y = uapca.UncertainArray(mean, std=std)[:, list(range(columns))]
    ax = uapca.plot.projection(Y)
    ax.figure.canvas.draw()
    assert np.isfinite([*ax.get_xlim(), *ax.get_ylim()]).all()
    if columns == 2:
        (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
        assert ((Y.mean >= [x0, y0]) & (Y.mean <= [x1, y1])).all()


def test_very_many_rows_are_few_artists(rng):
    many = uapca.UncertainArray(rng.normal(size=(500, 2)), std=0.1)
    ax = uapca.plot.projection(many, levels=0.95)
    (crowd,) = (c for c in ax.collections if isinstance(c, PolyCollection))
    assert len(crowd.get_paths()) == 500
    assert not list(ax.patches)
    dots = uapca.plot.projection(rng.normal(size=(7195, 2))).lines
    assert [len(line.get_xdata()) for line in dots] == [7195]
    assert dots[0].get_rasterized()


def test_of_too_many_rows_some_have_regions_and_all_have_means(rng):
    """Evenly by size, the widest among them; certain rows are all there. The legend says so."""
    std = np.r_[np.linspace(0.1, 0.2, 1997), 0.0, 0.0, 3.0][:, None]
    many = uapca.UncertainArray(rng.normal(size=(2000, 2)), std=std)
    panel = scene(many, levels=0.95)
    regions = panel.of(Ellipse, "row")
    assert len(regions) == 500
    widths = np.sort([mark.radii[0] for mark in regions]) / np.sqrt(stats.chi2(2).ppf(0.95))
    np.testing.assert_allclose(widths[[0, -1]], [0.1, 3.0])
    np.testing.assert_allclose(widths[:-1], np.linspace(0.1, 0.2, 499), atol=3e-4)
    assert sum(len(mark.points) for mark in panel.of(Markers, "mean")) == 1998
    assert sum(len(mark.points) for mark in panel.of(Markers, "row")) == 2
    assert [entry.text for entry in panel.legend[-3:]] == [
        "95 % of each row's probability, if normal (ellipse), 500 of 1,998 rows",
        "mean of every row",
        "certain row",
    ]
    bare = scene(many, levels=0.95, means=False, kind="ellipse").legend[-2:]
    assert [entry.text for entry in bare] == [
        "95 % of the normal with each row's mean and covariance, 500 of 1,998 rows",
        "certain row",
    ]


def test_of_too_many_densities_some_are_shown_evenly_along_the_axis(rng):
    mean = np.arange(100.0)[rng.permutation(100), None]
    std = np.where(mean == 50.0, 9.0, 1.0)
    groups = np.where(mean[:, 0] < 50, "low", "high")
    for options in ({}, {"groups": groups}, {"stacked": False}):
        panel = scene(uapca.UncertainArray(mean, std=std), components=0, **options)
        shown = [int(mark.key) for mark in panel.of(Polyline, "density")]
        middles = np.sort(mean[shown, 0])
        # The widest row, which has a colour of its own without groups, is shown in any case.
        extra = 0 if "groups" in options else int(50.0 not in np.linspace(0, 99, 40).round())
        assert len(shown) == 40 + extra
        assert np.diff(middles).max() <= 3.0
        assert middles[[0, -1]].tolist() == [0.0, 99.0]
        text = f"{len(shown)} of 100 rows, evenly along the axis"
        assert panel.legend[-1].text == text
        if "groups" in options:
            for mark in panel.of(Polyline, "density"):
                ink = OKABE_ITO[0 if groups[int(mark.key)] == "high" else 1]
                assert mark.ink.color == ink
    few = scene(uapca.UncertainArray(mean[:40], std=1.0), components=0)
    assert len(few.of(Polyline, "density")) == 40
    assert few.legend[-1].text == "95 % of each row's probability, if normal"


def test_own_axes_and_styles(iris):
    _, (left, right) = plt.subplots(1, 2)
    assert uapca.plot.projection(iris[1], ax=right, color="black", linewidth=3.0) is right
    assert not left.patches
    assert {patch.get_linewidth() for patch in right.patches if patch.get_gid()} == {3.0}


def test_part_of_a_figure(iris):
    part, _ = plt.figure(figsize=(7, 3), layout="constrained").subfigures(1, 2)
    ax = uapca.plot.projection(iris[1], ax=part.subplots())
    ax.figure.figure.canvas.draw()
    assert ax.get_legend() is not None


def test_black_is_the_readers_own_colour(rng):
    Y = uapca.UncertainArray(rng.normal(size=(7, 2)), std=1.0, names=list("abcdefg"))
    with plt.style.context("dark_background"):
        ax = uapca.plot.projection(Y)
        patch = next(p for p in ax.patches if p.get_gid() == "row:g")
        assert patch.get_edgecolor()[:3] == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"components": (0, 3)},
            "components must be one or two different numbers from 0 to 2; got (0, 3). "
            "Pass (0, 1) for the first two.",
        ),
        (
            {"components": (0, 0)},
            "components must be one or two different numbers from 0 to 2; got (0, 0). "
            "Pass (0, 1) for the first two.",
        ),
        (
            {"levels": 95},
            "levels must be probabilities between 0 and 1; got 95. Pass 0.95 for 95 % of each "
            "row's probability, or several, (0.5, 0.95).",
        ),
        (
            {"kind": "elipse"},
            "kind must be 'auto', 'ellipse', 'contour' or 'points'; got 'elipse': "
            "perhaps 'ellipse' was meant",
        ),
        (
            {"groups": ["a", "b"]},
            "groups must have one label for each row; got 2 for 3 rows. "
            "Pass 3 labels or leave groups out.",
        ),
        (
            {"palette": {"setosa": "red"}},
            "palette must have a colour for each name or group; there is none for 'versicolor'. "
            "Pass a sequence of colours, or add it, for instance '#0072B2'.",
        ),
        (
            {"palette": ["nocolour"]},
            "palette must name colours that matplotlib knows; got 'nocolour'. "
            "Pass for instance '#0072B2' or 'tab:blue'.",
        ),
        (
            {"palette": {"setosa": "red", "versicolor": "nocolour", "virginica": "blue"}},
            "palette must name colours that matplotlib knows; got 'nocolour'. "
            "Pass for instance '#0072B2' or 'tab:blue'.",
        ),
        (
            {"palette": [3]},
            "palette must have colours as text, or as red, green and blue between 0 and 1; got 3. "
            "Pass for instance '#0072B2'.",
        ),
        (
            {"color": "nocolour"},
            "color must name colours that matplotlib knows; got 'nocolour'. "
            "Pass for instance '#0072B2' or 'tab:blue'.",
        ),
        (
            {"points": [[1.0, 2.0]]},
            "points must have the 3 columns of the rows; got 2. Pass pca.transform(points).",
        ),
    ],
)
def test_bad_options_are_refused(iris, options, message):
    _, ax = plt.subplots()
    with pytest.raises(ValueError) as error:
        uapca.plot.projection(iris[1], ax=ax, **options)
    assert str(error.value) == message
    assert not ax.has_data()


def test_other_data_than_the_fit_is_refused(iris):
    pca, _ = iris
    with pytest.raises(ValueError) as error:
        uapca.plot.projection(np.zeros((3, 7)), pca=pca)
    assert str(error.value) == (
        "Y must have the 3 components of pca, or the 4 features it was fitted on; got 7 columns. "
        "Pass pca.transform(X) with the same pca."
    )
    with pytest.raises(TypeError) as error:
        uapca.plot.projection(iris[1], pca="ours")
    assert str(error.value) == ("pca must be a fitted UAPCA; got str. Pass uapca.UAPCA().fit(X).")


def stars(wide=(4, 17)):
    """Thirty rows of one size, but for a few with huge errors."""
    rng = np.random.default_rng(3)
    std = np.full((30, 2), 0.2)
    for k, row in enumerate(wide):
        std[row] = [2.0 + k, 3.0]
    names = [f"star{i:02d}" for i in range(30)]
    return uapca.UncertainArray(rng.normal(0, [3, 1.5], (30, 2)), std=std, names=names)


def test_of_many_rows_the_widest_have_colours_and_are_named_first():
    panel = scene(stars())
    assert [entry.text for entry in panel.legend[:3]] == [
        "star17: 15 × the median spread",
        "star04: 13 × the median spread",
        "28 others",
    ]
    colours = {mark.key: mark.ink.color for mark in panel.of(Ellipse, "row")}
    assert (colours["star17"], colours["star04"]) == OKABE_ITO[1:3]
    assert {colours[f"star{i:02d}"] for i in range(30) if i not in (4, 17)} == {OKABE_ITO[0]}
    labels = panel.of(Label, "name")
    assert [(label.text, label.optional) for label in labels[:3]] == [
        ("star17", False),
        ("star04", False),
        (labels[2].text, True),
    ]
    # A wide row is called by its name at its edge: the middle belongs to the others.
    ellipse = next(mark for mark in panel.of(Ellipse, "row") if mark.key == "star17")
    top = ellipse.center[1] + max(ellipse.radii)
    assert labels[0].at == pytest.approx((ellipse.center[0], top))


def test_many_rows_of_one_width_share_one_colour():
    panel = scene(stars(wide=()))
    assert {mark.ink.color for mark in panel.of(Ellipse, "row")} == {OKABE_ITO[0]}
    assert len(panel.legend) == 1


def test_wide_rows_among_certain_ones_and_among_very_many():
    mean = np.random.default_rng(0).normal(size=(60, 2))
    std = np.zeros((60, 2))
    std[7] = 1.0
    panel = scene(uapca.UncertainArray(mean, std=std))
    assert [entry.text for entry in panel.legend[:2]] == ["7", "59 others, most of them certain"]
    assert [label.text for label in panel.of(Label, "name")] == ["7"]


def test_rows_without_names_are_called_by_their_positions():
    draws = np.random.default_rng(0).normal(size=(50, 8, 3)) + 3 * np.arange(8)[:, None]
    X = uapca.from_draws(draws)
    panel = scene(X, pca=uapca.UAPCA(2).fit(X))
    assert [label.text for label in panel.of(Label, "name")] == list("01234567")
    assert not scene(X, labels=False).of(Label, "name")
    assert not scene(X, groups=list("aabbaabb")).of(Label, "name")
    one = scene(X, components=0)
    assert [text for _, text in one.y.ticks] == list("01234567")
    assert one.y.keep_ticks


def test_the_outline_of_a_yellow_row_is_dark_enough():
    panel = scene(uapca.UncertainArray(np.arange(16.0).reshape(8, 2), std=1.0))
    last = {mark.key: mark.ink for mark in panel.of(Ellipse, "row")}["7"]
    assert (last.color, last.fill) == (DARK_YELLOW, OKABE_ITO[-1])


@pytest.mark.parametrize("features", [None, ["a", "b"]])
def test_data_and_projected_rows_with_all_components_are_told_apart(features):
    mean = np.random.default_rng(0).normal(size=(5, 2)) @ np.diag([1, 5.0]) + [100, 3]
    X = uapca.UncertainArray(mean, std=0.3, features=features)
    pca = uapca.UAPCA().fit(X)
    Y = pca.transform(X)
    for rows in (X, Y):
        for panel in (scene(rows, pca=pca), uapca.plot.biplot.scene(rows, pca)):
            centers = [mark.center for mark in panel.of(Ellipse, "row") if mark.level == 0.95]
            np.testing.assert_allclose(sorted(centers), sorted(map(tuple, Y.mean)), atol=1e-9)
    (dots,) = scene(X, pca=pca, points=X).of(Markers, "points")
    np.testing.assert_allclose(dots.points, Y.mean, atol=1e-9)
    with pytest.raises(ValueError) as error:
        scene(mean, pca=pca)
    assert str(error.value) == (
        "Y must tell whether its 2 columns are features or components; got ndarray, and the fit "
        "has as many of the one as of the other. Pass an UncertainArray, "
        "pca.transform(uapca.UncertainArray(points)), or leave pca out for what is already "
        "projected."
    )
