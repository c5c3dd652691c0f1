"""Rows in the plane and on one axis, each drawn as what its law is."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.contour import ContourSet
from matplotlib.lines import Line2D
from matplotlib.patches import Ellipse, PathPatch
from scipy import stats
from sklearn.pipeline import make_pipeline

import uapca
from uapca._looks import LIGHT, OKABE_ITO, SEQUENTIAL
from uapca.laws import Independent, KnownMoments, Mixture, Normal, Samples, Uniform
from uapca.plot.base import Panel
from uapca.plot.rows import whole_density


@pytest.fixture(scope="module")
def iris():
    X = uapca.datasets.load_iris_groups()
    return uapca.UAPCA(3).fit(X), X


def plane(**options):
    """A fit that changes nothing: rows of two features as they are."""
    X = uapca.UncertainArray([[-2.0, 0.0], [2.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    pca = uapca.UAPCA(2).fit(X)
    np.testing.assert_allclose(np.abs(pca.components_), np.eye(2))
    return pca


def rows_of(laws, names=None):
    mean, cov = np.stack([law.mean for law in laws]), np.stack([law.cov for law in laws])
    return uapca.UncertainArray(mean, cov, laws=laws, names=names)


def legend(ax):
    return list(Panel.of(ax).entries)


def artists(ax, key):
    found = [*ax.patches, *ax.lines, *ax.collections]
    return [artist for artist in found if artist.get_gid() == f"row:{key}"]


@pytest.mark.parametrize("components", [(0, 1), (2, 0)])
def test_ellipses_are_those_of_the_covariances(iris, components):
    pca, X = iris
    ax = uapca.plot.projection(pca, X, components=components, levels=0.9)
    Y = pca.transform(X)
    radius = np.sqrt(stats.chi2(2).ppf(0.9))
    for name, mean, cov in zip(X.names, Y.mean, Y.cov.dense(), strict=True):
        (patch,) = artists(ax, name)
        np.testing.assert_allclose(patch.center, mean[list(components)], atol=1e-12)
        # Independently of the eigenvectors: the ellipse as a quadratic form.
        turn = np.radians(patch.angle)
        axes = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        form = axes @ np.diag([(patch.width / 2) ** 2, (patch.height / 2) ** 2]) @ axes.T
        block = cov[np.ix_(components, components)]
        np.testing.assert_allclose(form, radius**2 * block, atol=1e-10)


def test_nothing_is_clipped_little_is_empty_and_units_are_equal(iris):
    ax = uapca.plot.projection(*iris)
    ax.figure.canvas.draw()
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    low, high = ax.dataLim.get_points()
    assert x0 < low[0] < high[0] < x1
    assert y0 < low[1] < high[1] < y1
    assert ((high - low) / [x1 - x0, y1 - y0] > 0.6).all()
    box = ax.get_window_extent()
    assert (x1 - x0) / box.width == pytest.approx((y1 - y0) / box.height, rel=1e-3)


def test_axes_say_shares_and_scale(iris):
    pca, X = iris
    ax = uapca.plot.projection(pca, X, components=(1, 2))
    shares = [f"{100 * r:.1f} %" for r in pca.explained_variance_ratio_]
    assert ax.get_xlabel() == f"PC2 ({shares[1]})"
    assert ax.get_ylabel() == f"PC3 ({shares[2]})"
    assert ax.get_title() == "uncertainty scale s = 1"
    assert uapca.plot.projection(pca.rescale(np.inf), X).get_title() == "uncertainty scale s → ∞"
    assert uapca.plot.projection(pca, X, title="mine").get_title() == "mine"
    assert uapca.plot.projection(pca, X, title="").get_title() == ""


def test_the_title_says_that_denoised_rows_are_true_values(iris):
    _, X = iris
    true = "true values (errors removed)"
    points = np.random.default_rng(0).normal(size=(30, 3)) * [3, 2, 1]
    noisy = uapca.UncertainArray(points, std=0.3)
    for pipe in (
        make_pipeline(uapca.Denoiser(), uapca.UAPCA(2)),
        make_pipeline(uapca.Denoiser(), uapca.UAPCA(2, standardize=True)),
    ):
        pipe.fit(noisy)
        assert uapca.plot.projection(pipe, noisy).get_title() == true
        assert uapca.plot.biplot(pipe, noisy).get_title() == true
        assert uapca.plot.matrix(pipe, noisy, components=[0, 1]).get_suptitle() == true
        assert uapca.plot.scree(pipe).get_title() == "uncertainty scale s = 1"
    rows = X.replace(source="posterior")
    half = uapca.UAPCA(2, scale=0.5).fit(rows)
    assert uapca.plot.projection(half, rows).get_title() == "uncertainty scale s = 0.5"
    assert uapca.plot.projection(half, rows, title="mine").get_title() == "mine"


def test_legend_says_level_and_kind(iris):
    assert legend(uapca.plot.projection(*iris, levels=0.95)) == [
        "95 % of each row's probability, if normal (ellipse)"
    ]
    assert legend(uapca.plot.projection(*iris, kind="ellipse", levels=0.68)) == [
        "68 % of the normal with each row's mean and covariance"
    ]
    assert legend(uapca.plot.projection(*iris, kind="points")) == []


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("prediction", "95 % of new points of each group, if normal (prediction)"),
        ("mean", "95 % region of each group's mean, if its points are normal"),
    ],
)
def test_ellipses_of_groups_know_the_number_of_points(kind, words):
    """Hotelling's radius; coverage itself is tested with `uapca.stability.ellipse_factor`."""
    X = uapca.UncertainArray([[0.0, 0.0], [9.0, 0.0]], [np.eye(2)] * 2, counts=[5, 50])
    ax = uapca.plot.projection(plane(), X, levels=0.95, kind=kind)
    widths = sorted(patch.width / 2 for patch in ax.patches)
    np.testing.assert_allclose(widths, uapca.stability.ellipse_factor(0.95, [50, 5], 2, kind))
    assert legend(ax)[0] == words
    few = uapca.UncertainArray([[0.0, 0.0], [9.0, 0.0]], [np.eye(2)] * 2, counts=[5, 2])
    with pytest.raises(ValueError, match=f"^kind='{kind}' needs groups of at least 3 points"):
        uapca.plot.projection(plane(), few, kind=kind)


def test_ellipses_of_means_are_the_same_for_spreads_and_standard_errors(rng):
    """A covariance of the mean is not divided by n again; few points: Hotelling's T²."""
    points = rng.normal(size=(24, 2))
    labels = np.repeat(list("abcd"), [4, 4, 8, 8])
    spread, means = (uapca.from_groups(points, labels, spread=s) for s in ("std", "sem"))
    pca = uapca.UAPCA().fit(spread)
    sides = []
    for X in (spread, means):
        ax = uapca.plot.projection(pca, X, levels=0.95, kind="mean")
        sides.append(sorted((patch.width, patch.height) for patch in ax.patches))
    np.testing.assert_allclose(sides[1], sides[0])
    # Of 4 points: T² = 2 · 3 / 2 · F(2, 2) = 3 · 19, and the covariance of their mean is S / 4.
    row = artists(ax, "a")[0]
    ends = np.linalg.eigvalsh(np.cov(points[:4].T) / 4)
    np.testing.assert_allclose(
        sorted([row.width, row.height]), 2 * np.sqrt(3 * stats.f.ppf(0.95, 2, 2) * ends)
    )


def test_ellipses_of_groups_refuse_other_rows(rng):
    """New points of standard errors, and anything of posterior rows, would be too narrow."""
    points, labels = rng.normal(size=(40, 2)), np.repeat(list("abcdefgh"), 5)
    means = uapca.from_groups(points, labels, spread="sem")
    pca = uapca.UAPCA().fit(means)
    with pytest.raises(ValueError, match="^kind must not be 'prediction' for errors of means"):
        uapca.plot.projection(pca, means, kind="prediction")
    rows = means.replace(source="posterior")
    for kind in ("mean", "prediction"):
        with pytest.raises(ValueError, match="^kind must be 'auto' or 'ellipse' for posterior"):
            uapca.plot.projection(pca, rows, kind=kind)


def test_legend_says_where_no_more_than_moments_is_known():
    """An ellipse of given moments holds its level of a normal, and of hardly any other law."""

    def text(rows, **options):
        return legend(uapca.plot.projection(plane(), rows, levels=0.95, **options))[0]

    known = [Normal([0.0, 0.0], np.eye(2)), Normal([3.0, 0.0], np.eye(2))]
    only = [
        KnownMoments([0.0, 3.0], np.eye(2)),
        Mixture([1], [KnownMoments([4.0, 4.0], np.eye(2))]),
    ]
    assert text(rows_of(known)) == "95 % of each row's probability (ellipse)"
    assert text(rows_of(only)) == "95 % of each row's probability, if normal (ellipse)"
    some = rows_of(known + only)
    assert text(some) == "95 % of each row's probability, some taken as normal (ellipse)"
    # A certain row needs no law.
    sure = [*known, KnownMoments([9.0, 9.0], np.zeros((2, 2)))]
    assert text(rows_of(sure)) == "95 % of each row's probability (ellipse)"
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
    X = rows_of(list(laws.values()), list(laws))
    pca = plane()
    ax = uapca.plot.projection(pca, X, levels=0.95, means=False)
    kinds = {key: [type(artist) for artist in artists(ax, key)] for key in laws}
    assert kinds == {
        "normal": [Ellipse],
        "mixture": [PathPatch],
        "uniform": [PathPatch],
        "samples": [PathPatch],
        "line": [Line2D],
        "oblique line": [Line2D],
        "point": [],
        "atoms": [PathCollection],
    }
    (line,) = artists(ax, "line")
    ends = pca.inverse_transform(np.column_stack(line.get_data()))
    # The middle 95 % of U(0, 4).
    np.testing.assert_allclose(np.sort(ends[:, 0]), [0.1, 3.9], atol=0.02)
    np.testing.assert_allclose(ends[:, 1], 2.0, atol=1e-9)
    (certain,) = (c for c in ax.collections if c.get_gid() == "certain")
    np.testing.assert_allclose(pca.inverse_transform(certain.get_offsets()), [[5.0, 5.0]])
    # Two modes of one row are joined, which can be seen without colors.
    (tie,) = (found for found in ax.lines if found.get_gid() == "modes")
    ends = pca.inverse_transform(np.column_stack(tie.get_data()))
    np.testing.assert_allclose(ends[np.argsort(ends[:, 0])], [[0, 9], [9, 9]], atol=0.2)
    assert legend(ax) == [
        "95 % of each row's probability (ellipse, contour, line)",
        "joins the modes of one row",
        "certain row",
        "draws of a row",
    ]


def test_colors_by_row_and_by_group(iris):
    from matplotlib.colors import to_hex

    def colors(ax):
        return {
            p.get_gid()[4:]: to_hex(p.get_edgecolor()).upper()
            for p in ax.patches
            if p.get_gid() and p.get_gid().startswith("row:")
        }

    pca, X = iris
    by_row = colors(uapca.plot.projection(pca, X))
    assert by_row == dict(zip(X.names, OKABE_ITO[:3], strict=True))
    ax = uapca.plot.projection(pca, X, groups=["b", "a", "b"])
    assert colors(ax) == {
        "setosa": OKABE_ITO[1],
        "versicolor": OKABE_ITO[0],
        "virginica": OKABE_ITO[1],
    }
    assert legend(ax)[:2] == ["a", "b"]
    ax = uapca.plot.projection(pca, X, groups=[0.5, 1.0, 7.0])
    assert len(set(colors(ax).values())) == 3
    assert len(ax.figure.axes) == 2  # a color bar
    for what in ("contribution", "cos2"):
        ax = uapca.plot.projection(pca, X, color_by=what)
        assert ax.figure.axes[1].get_ylabel().startswith(what[:3])


def test_group_ellipses_have_the_moments_of_all_rows_of_a_group():
    rng = np.random.default_rng(0)
    X = uapca.UncertainArray(rng.normal(size=(8, 2)), std=rng.uniform(0.1, 1, (8, 2)))
    pca = uapca.UAPCA().fit(X)
    groups = np.array(list("aaaaabbb"))
    Y = pca.transform(X[:5])
    scatter, within = np.cov(Y.mean.T, ddof=0), Y.cov.dense().mean(axis=0)
    hotelling = 2 / 3 * stats.f.ppf(0.95, 2, 3)  # T² / (n − 1) of 5 rows
    for which, source, cov, square in (
        ("mixture", "values", scatter + within, stats.chi2(2).ppf(0.95)),
        ("mean", "values", scatter, hotelling),
        ("mean", "posterior", scatter + within, hotelling),
    ):
        rows = X.replace(source=source)
        ax = uapca.plot.projection(pca, rows, groups=groups, ellipses=which, levels=0.95)
        (patch,) = (p for p in ax.patches if p.get_gid() == "group:a")
        area = np.pi * square * np.sqrt(np.linalg.det(cov))
        assert np.pi * patch.width * patch.height / 4 == pytest.approx(area)
        np.testing.assert_allclose(patch.center, Y.mean.mean(axis=0))
    with pytest.raises(ValueError, match="groups"):
        uapca.plot.projection(pca, X, ellipses="mean")


@pytest.mark.parametrize("noise", [0.0, 1.0])
@pytest.mark.parametrize("n", [3, 6, 8])
def test_ellipses_of_group_means_cover_what_they_say(n, noise):
    """600 redraws of n rows, exact or with errors as large as their spread."""
    rng, held, count = np.random.default_rng([n, int(noise)]), 0, 100
    groups = np.repeat(np.arange(count), n).astype(str)
    style = {"labels": False, "legend": False, "means": False, "kind": "points"}
    for _ in range(6):
        truth = rng.normal(size=(count, 2)) * 9.0
        values = np.repeat(truth, n, axis=0) + rng.normal(size=(count * n, 2)) @ [[1, 0.5], [0, 1]]
        X = uapca.UncertainArray(values + noise * rng.normal(size=values.shape), std=noise)
        ax = uapca.plot.projection(plane(), X, groups=groups, ellipses="mean", levels=0.95, **style)
        found = {p.get_gid(): p for p in ax.patches}
        for k, at in enumerate(truth):
            inside = found[f"group:{k}"].get_patch_transform().inverted().transform(at)
            held += inside @ inside < 1.0
        plt.close(ax.figure)
    assert 0.93 < held / (6 * count) < 0.97


def test_groups_of_fewer_than_three_rows_have_no_ellipse_of_their_mean(rng):
    X, groups = uapca.UncertainArray(rng.normal(size=(6, 2))), list("aaabbc")
    ax = uapca.plot.projection(uapca.UAPCA().fit(X), X, groups=groups, ellipses="mean", levels=0.95)
    assert [patch.get_gid() for patch in ax.patches] == ["group:a"]
    assert legend(ax)[-1] == ("95 % of the group's mean, if its rows are normal, of 3 rows or more")


def test_points_and_supplementary_rows_are_projected_too(iris):
    from sklearn.datasets import load_iris

    data = load_iris()
    pca, X = iris
    species = data.target_names[data.target]
    ax = uapca.plot.projection(pca, X, points=data.data, points_by=species)
    (dots,) = (c for c in ax.collections if c.get_gid() == "points")
    scores = pca.transform(uapca.UncertainArray(data.data)).mean
    np.testing.assert_allclose(dots.get_offsets(), scores[:, :2], atol=1e-9)
    more = X[:1].scaled(0.5)
    ax = uapca.plot.projection(pca, X[1:], supplementary=more)
    (patch,) = artists(ax, "setosa")
    np.testing.assert_allclose(patch.center, pca.transform(more).mean[0, :2])
    assert "supplementary row, not in the fit" in legend(ax)


def test_one_component_is_stacked_densities(iris):
    pca, X = iris
    ax = uapca.plot.projection(pca, X, components=0, levels=0.95)
    assert [text.get_text() for text in ax.get_yticklabels()] == list(X.names)
    assert ax.get_yticks().tolist() == [2, 1, 0]
    Y = pca.transform(X)[:, [0]]
    for row, name in enumerate(X.names):
        (line,) = artists(ax, name)
        x, y = (values[1:-1] for values in line.get_data())
        heights = y - (2 - row)
        expected = Y.density(row, x)
        np.testing.assert_allclose(heights / heights.max(), expected / expected.max(), atol=1e-6)
    flat = uapca.plot.projection(pca, X, components=1, stacked=False)
    assert flat.get_xlabel().startswith("PC2")


@pytest.mark.parametrize("components", [0, (0, 1)])
@pytest.mark.parametrize(
    ("mean", "std"),
    [
        ([[1.0, 2.0]], 1.0),
        ([[1.0, 2.0]] * 4, 1.0),
        ([[0.0, 1.0], [3.0, -1.0]], [1.0, 0.0]),
        ([[1e8, 1e8], [1e8 + 3, 1e8 - 1]], 0.5),
        ([[0.0, 1.0], [3.0, -1.0]], [[1e6], [1.0]]),
        ([[0.0, 1.0], [3.0, -1.0], [1.0, 1.0]], [[1e-150], [0.0], [0.0]]),
    ],
)
def test_hard_rows_are_drawn(mean, std, components):
    X = uapca.UncertainArray(mean, std=std)
    pca = uapca.UAPCA().fit(X)
    if pca.n_components_ < 2 and components != 0:
        pytest.skip("one component")
    ax = uapca.plot.projection(pca, X, components=components)
    ax.figure.canvas.draw()
    assert np.isfinite([*ax.get_xlim(), *ax.get_ylim()]).all()


def stars(n, wide=()):
    rng = np.random.default_rng(3)
    std = np.full((n, 2), 0.4)
    for k, row in enumerate(wide):
        std[row] = [2.0 + k, 3.0]
    mean = rng.normal(0, [3, 1.5], (n, 2))
    mean[-1] = [40.0, 0.0]
    return uapca.UncertainArray(mean, std=std, names=[f"star{i}" for i in range(n)])


@pytest.mark.parametrize("n", [100, 5000, 30_000])
def test_many_rows_are_the_density_of_all_and_a_few_regions(n):
    X = stars(n, wide=(4, 17))
    ax = uapca.plot.projection(uapca.UAPCA().fit(X), X, highlight=["star7"])
    ax.figure.canvas.draw()
    drawn = {p.get_gid()[4:] for p in ax.patches if (p.get_gid() or "").startswith("row:")}
    assert {"star4", "star17", "star7", f"star{n - 1}"} <= drawn
    assert len(drawn) < 12
    assert len([*ax.patches, *ax.lines, *ax.collections]) < 40
    assert any("of all rows together" in text for text in legend(ax))
    names = {text.get_text() for text in ax.texts if text.get_visible()}
    assert {"star4", "star17", "star7"} <= names


def test_kind_keeps_the_rest_for_many_rows():
    X = stars(700)
    pca = uapca.UAPCA().fit(X)
    ax = uapca.plot.projection(pca, X, kind="ellipse")
    assert sum(isinstance(patch, Ellipse) for patch in ax.patches) == 500
    assert any("500 of 700 rows" in text for text in legend(ax))
    ax = uapca.plot.projection(pca, X.scaled(0.0))
    assert not ax.patches
    assert sum(len(c.get_offsets()) for c in ax.collections) == 700


def test_the_density_of_all_rows_is_their_average():
    rng = np.random.default_rng(1)
    means = rng.normal(0, 3, (200, 2))
    roots = rng.normal(size=(200, 2, 2))
    covs = roots @ roots.transpose(0, 2, 1) + 0.5 * np.eye(2)
    x, y, density, _, smoothed = whole_density(uapca.UncertainArray(means, covs))
    assert not smoothed
    assert density.sum() == pytest.approx(1.0, abs=0.02)
    cell = (x[1] - x[0]) * (y[1] - y[0])
    grid = np.stack(np.meshgrid(x[::8], y[::8], indexing="ij"), axis=-1)
    exact = np.mean(
        [stats.multivariate_normal(m, c).pdf(grid) for m, c in zip(means, covs, strict=True)],
        axis=0,
    )
    # Found from draws, and smoothed by two of 256 cells.
    assert np.abs(density[::8, ::8] / cell - exact).max() < 0.05 * exact.max()


@pytest.mark.parametrize("n", [300, 5000])
def test_a_tight_cluster_within_a_wide_field_stays_tight(n):
    rng = np.random.default_rng(2)
    near = rng.normal([3.0, 1.0], 0.1, (n // 4, 2))
    far = rng.normal(0.0, 4.0, (n - len(near), 2))
    X = uapca.UncertainArray(np.vstack([near, far]), std=1e-3)
    x, y, density, _, smoothed = whole_density(X)
    assert smoothed
    away = np.hypot(x[:, None] - 3.0, y - 1.0)
    share = density[away < 0.6].sum()
    # One bandwidth for all, Scott's, would have left a tenth of the cluster there.
    held = np.hypot(*(X.mean - [3.0, 1.0]).T) < 0.6
    assert share == pytest.approx(held.mean(), abs=0.03)
    # The field is smooth: no single row stands out.
    ring = density[(np.hypot(x[:, None], y) < 3.0) & (away > 2.0)]
    assert ring.min() > 0.25 * ring.max()


def thin_clusters(n, std):
    """Three clusters in the plane, 24 times as long as wide, each in a direction of its own."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(n, 2)) * [1.2, 0.05]
    turns = np.exp(1j * np.array([0.6, -0.8, 0.2])[np.arange(n) % 3])
    turned = (rows @ [1, 1j]) * turns + np.array([-4, 3j, 4 - 1j])[np.arange(n) % 3]
    return uapca.UncertainArray(np.column_stack([turned.real, turned.imag]), std=std)


@pytest.mark.parametrize("n", [100, 400, 3000])
@pytest.mark.parametrize("std", [1e-3, 0.3, 1.0])
def test_a_shade_holds_as_many_draws_of_the_rows_as_the_legend_says(n, std):
    X = thin_clusters(n, std)
    pca = uapca.UAPCA().fit(X)
    ax = uapca.plot.projection(pca, X)
    assert any(text.startswith("50 %, 80 % and 95 % of all rows together") for text in legend(ax))
    (shades,) = [shade for shade in ax.collections if isinstance(shade, ContourSet)]
    draws = pca.transform(X).sample(-(-100_000 // n), rng=1).reshape(-1, 2)
    inside = [path.contains_points(draws) for path in shades.get_paths()[::-1]]
    shares = np.logical_or.accumulate(inside).mean(axis=1)
    # Of so many draws a share is known to 0.2 points; one of 100 certain rows is a point.
    np.testing.assert_allclose(shares, [0.5, 0.8, 0.95], atol=0.015)


@pytest.mark.parametrize(("n", "ratio"), [(150, 2.0), (400, 2.7), (3000, 5.0)])
def test_the_density_of_a_thin_cluster_is_long_and_thin(n, ratio):
    x, y, density, *_ = whole_density(thin_clusters(n, 1e-3))
    points = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    near = np.hypot(*(points - [-4, 0]).T) < 3.5  # the first of the clusters
    variances = np.linalg.eigvalsh(np.cov(points[near].T, aweights=density.ravel()[near]))
    # Under kernels that hold N^(2/3) rows these are 1.6, 1.8 and 2.8 times as long as wide.
    assert np.sqrt(variances[1] / variances[0]) > ratio


@pytest.mark.parametrize(("n", "std"), [(399, 0.3), (399, 0.0), (1800, 0.3), (3000, 0.3)])
def test_markers_of_groups_are_large_enough_to_show_their_shapes(n, std):
    X = thin_clusters(n, std)
    ax = uapca.plot.projection(uapca.UAPCA().fit(X), X, groups=["abc"[i % 3] for i in range(n)])
    dots = [c for c in ax.collections if c.get_gid() in ("means", "certain")]
    assert len(dots) == (3 if n <= 2000 else 1)
    pixels = [np.sqrt(c.get_sizes().min()) * 150 / 72 for c in dots]
    assert min(pixels) > 5 if n <= 2000 else max(pixels) < 3


def test_of_too_many_densities_some_are_shown_evenly_along_the_axis():
    mean = np.arange(100.0)[np.random.default_rng(0).permutation(100), None]
    X = uapca.UncertainArray(mean, std=1.0)
    ax = uapca.plot.projection(uapca.UAPCA().fit(X), X)
    lines = [line for line in ax.lines if (line.get_gid() or "").startswith("row:")]
    assert len(lines) == 40
    assert legend(ax)[-1] == "40 of 100 rows, evenly along the axis"
    std = np.ones((100, 1))
    std[60] = 9.0
    X = uapca.UncertainArray(mean, std=std)
    ax = uapca.plot.projection(uapca.UAPCA().fit(X), X)
    assert "row:60" in {line.get_gid() for line in ax.lines}
    assert legend(ax)[-1].endswith(" of 100 rows, evenly along the axis and the widest")


def test_a_second_plot_adds_to_the_first(iris):
    pca, X = iris
    ax = uapca.plot.projection(pca, X[:2], levels=0.95)
    more = uapca.plot.projection(pca, X[2:], ax=ax, levels=0.5)
    assert more is ax
    assert len(artists(ax, "setosa")) == len(artists(ax, "virginica")) == 1
    assert [text.split(" of")[0] for text in legend(ax)] == ["95 %", "50 %"]
    assert len(ax.figure.legends) == 1
    ax.figure.canvas.draw()
    (patch,) = artists(ax, "virginica")
    low, high = ax.get_xlim()
    assert low < patch.center[0] < high


def test_own_axes_parts_of_figures_and_shared_axes(iris):
    figure, (left, right) = plt.subplots(1, 2)
    assert uapca.plot.projection(*iris, ax=right) is right
    assert not left.patches
    assert right.get_legend() is not None
    figure.canvas.draw()
    part, _ = plt.figure(figsize=(7, 3), layout="constrained").subfigures(1, 2)
    ax = uapca.plot.projection(*iris, ax=part.subplots())
    ax.figure.figure.canvas.draw()
    figure, axes = plt.subplots(1, 2, sharex=True, sharey=True)
    for ax in axes:
        uapca.plot.projection(*iris, ax=ax)
    figure.canvas.draw()
    assert axes[0].get_xlim() == axes[1].get_xlim()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"components": (0, 3)},
            "components must be one or two different numbers from 0 to 2; got (0, 3)",
        ),
        ({"levels": 95}, "levels must be probabilities between 0 and 1; got 95"),
        (
            {"kind": "elipse"},
            "kind must be 'auto', 'ellipse', 'contour', 'points', 'density', 'prediction' or "
            "'mean'",
        ),
        ({"groups": ["a", "b"]}, "groups must have one label for each of the 3 rows; got 2"),
        ({"palette": ["nocolor"]}, "palette must name colors that matplotlib knows"),
        ({"points": [[1.0, 2.0]]}, "X must have the 4 features of the fit"),
        ({"highlight": ["rose"]}, "highlight must hold names or positions; there is no 'rose'"),
        ({"components": 0, "kind": "points"}, "kind must be left out with one component"),
        (
            {"points": np.zeros((3, 4)), "points_by": ["a"]},
            "points_by must have one label for each of the 3 points; got 1",
        ),
    ],
)
def test_bad_options_are_refused(iris, options, message):
    _, ax = plt.subplots()
    with pytest.raises(ValueError) as error:
        uapca.plot.projection(*iris, ax=ax, **options)
    assert str(error.value).startswith(message)
    assert not ax.has_data()
    assert len(plt.get_fignums()) == 1


def test_other_data_than_the_fits_is_refused(iris):
    pca, X = iris
    with pytest.raises(ValueError, match="X must have the 4 features of the fit"):
        uapca.plot.projection(pca, np.zeros((3, 7)))
    other = uapca.UncertainArray(X.mean, features=list("abcd"))
    with pytest.raises(ValueError, match="features of the fit"):
        uapca.plot.projection(pca, other)
    with pytest.raises(TypeError, match="pca must be a fitted UAPCA"):
        uapca.plot.projection(X, X)
    with pytest.raises(TypeError, match="X must be the data"):
        uapca.plot.projection(pca, None)
    with pytest.raises(TypeError, match="ax must be a matplotlib Axes; got int"):
        uapca.plot.projection(pca, X, ax=3)
    with pytest.raises(ValueError, match="X must be the data that the fit was made from"):
        uapca.plot.scree(pca, X[:2])


def test_a_color_bar_has_the_name_of_the_groups_and_the_legend_those_without_a_value():
    pd = pytest.importorskip("pandas")
    rows = uapca.UncertainArray(np.eye(4), std=0.1, names=list("abcd"))
    pca = uapca.UAPCA(2).fit(rows)
    values = pd.Series([0.5, np.nan, 2.5, 3.0], index=list("abcd"), name="magnitude")
    ax = uapca.plot.projection(pca, rows, groups=values)
    assert ax.figure.axes[1].get_ylabel() == "magnitude"
    assert "no value" in legend(ax)
    faces = {to_hex(face) for dots in ax.collections for face in dots.get_facecolors()}
    lowest, highest = (SEQUENTIAL[k].lower() for k in (0, -1))
    assert {lowest, highest, LIGHT.lower()} <= faces
    assert len(faces) == 4
    ax = uapca.plot.projection(pca, rows, groups=[0.5, 1.5, 2.5, 3.0])
    assert ax.figure.axes[1].get_ylabel() == "groups"
    assert "no value" not in legend(ax)


def test_markers_of_a_cloud_are_round_and_keep_the_colors_of_their_groups():
    X = stars(2400)
    kinds = [f"g{i % 3}" for i in range(2400)]
    few, cloud = (
        uapca.plot.projection(plane(), X[:n], groups=kinds[:n], kind="points") for n in (300, 2400)
    )
    assert [len(dots.get_offsets()) for dots in few.collections] == [100] * 3
    (dots,) = cloud.collections
    wanted = [to_hex(color) for color in OKABE_ITO[:3]]
    assert [to_hex(face) for face in dots.get_facecolors()] == wanted * 800
    assert dots.get_rasterized()


def test_widths_of_many_rows_are_plain_numbers():
    std = np.full((40, 2), 0.01)
    std[7] = 1.93
    rows = uapca.UncertainArray(np.random.default_rng(0).normal(size=(40, 2)), std=std)
    ax = uapca.plot.projection(uapca.UAPCA(2).fit(rows), rows)
    assert "7: 190 × median width" in legend(ax)


def test_many_ellipses_are_thin_and_translucent_except_highlighted_ones():
    X = uapca.UncertainArray(
        np.random.default_rng(0).normal(size=(80, 3)), std=0.3, names=[f"r{i}" for i in range(80)]
    )
    pca = uapca.UAPCA(2).fit(X)
    ax = uapca.plot.projection(pca, X, kind="ellipse", highlight=["r7"])
    shown = {patch.get_gid(): patch for patch in ax.patches if isinstance(patch, Ellipse)}
    assert len(shown) == 80
    plain, own = shown["row:r3"], shown["row:r7"]
    assert plain.get_edgecolor()[3] == 0.5
    assert own.get_edgecolor()[3] == 1.0
    assert plain.get_linewidth() == own.get_linewidth() / 2


@pytest.mark.parametrize("seed", range(6))
def test_ticks_leave_room_for_the_label_however_often_they_are_drawn(seed):
    """Labels of ticks that depended on the size of the axes were wider than the room for them."""
    rng = np.random.default_rng(seed)
    cluster = rng.integers(0, 3, 300)
    mean = rng.normal(size=(300, 5)) * [2, 1, 0.4, 0.3, 0.3]
    mean[:, :2] += np.array([[0, 0], [6, 2], [-3, 5]])[cluster]
    mean[:, 1] += 0.9 * mean[:, 0] * (cluster == 1)
    X = uapca.UncertainArray(mean, std=rng.uniform(0.1, 0.5, (300, 5)))
    ax = uapca.plot.projection(uapca.UAPCA(2).fit(X), X)
    for _ in range(3):
        ax.figure.draw_without_rendering()
        assert ax.yaxis.label.get_window_extent().x0 > 0
