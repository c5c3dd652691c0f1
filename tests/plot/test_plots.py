"""What each plot shows, read off the artists."""

import inspect
from itertools import pairwise

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.text import Annotation
from sklearn.pipeline import make_pipeline

import uapca
from uapca import plot
from uapca.plot.base import Panel
from uapca.plot.compare import procrustes
from uapca.plot.factor_traces import course_of
from uapca.plot.loadings import angle_std
from uapca.plot.metadata import correlation
from uapca.plot.scree import variance_parts

STUDENTS = uapca.datasets.load_students()
IRIS = uapca.datasets.load_iris_groups()
PLAIN = {"animation", "convergence", "component_count", "simulation", "style"}
ignore_separation = pytest.mark.filterwarnings("ignore::uapca.SeparationWarning")


@pytest.fixture(scope="module")
def pca():
    return uapca.UAPCA().fit(STUDENTS)


def legend(ax):
    return list(Panel.of(ax).entries)


def lines(ax, gid):
    return [line for line in ax.lines if line.get_gid() == gid]


def bars(ax, gid):
    return [p for p in ax.patches if p.get_gid() == gid]


# -- what all have in common --------------------------------------------------------------------


def test_the_fit_comes_first_and_the_data_second():
    for name in plot.__all__:
        found = list(inspect.signature(getattr(plot, name)).parameters)
        if name in PLAIN:
            continue
        assert found[0] in ("pca", "first", "traces"), name
        if "X" in found:
            assert found.index("X") in (1, 2), name
        for option in ("title", "figsize", "legend"):
            assert option in found, (name, option)
        text = inspect.getdoc(getattr(plot, name))
        assert all(word in text for word in ("Parameters\n", "Returns\n", "Examples\n")), name


def calls(pca, X):
    q = pca[-1].n_components_ if hasattr(pca, "steps") else pca.n_components_
    return {
        "projection": lambda **o: plot.projection(pca, X, **o),
        "biplot": lambda **o: plot.biplot(pca, X, **o),
        "cos2": lambda **o: plot.cos2(pca, X, **o),
        "contributions": lambda **o: plot.contributions(pca, **o),
        "loadings": lambda **o: plot.loadings(pca, X, **o),
        "scree": lambda **o: plot.scree(pca, X, **o),
        "components": lambda **o: plot.components(pca, X, **o),
        "factor_traces": lambda **o: plot.factor_traces(pca, **o),
        "eigenvalues": lambda **o: plot.eigenvalues(pca, **o),
        "shepard": lambda **o: plot.shepard(pca, X, **o),
        "metadata": lambda **o: plot.metadata(pca, X, {"a": range(len(X))}, n_components=q, **o),
    }


@ignore_separation
@pytest.mark.parametrize("name", calls(uapca.UAPCA().fit(IRIS), IRIS))
def test_axes_titles_sizes_and_legends_by_keyword(name):
    call = calls(uapca.UAPCA().fit(IRIS), IRIS)[name]
    ax = call(title="mine", figsize=(4, 3), legend=False)
    assert ax.get_title() == "mine"
    assert tuple(ax.figure.get_size_inches()) == (4, 3)
    assert not ax.figure.legends
    _, (left, right) = plt.subplots(1, 2)
    assert call(ax=right) is right
    assert not left.has_data()


@ignore_separation
@pytest.mark.parametrize("name", calls(uapca.UAPCA().fit(IRIS), IRIS))
def test_pipelines_and_standardized_fits_are_the_same_picture(name):
    pipeline = make_pipeline(uapca.UncertainScaler(), uapca.UAPCA(3)).fit(IRIS)
    standardized = uapca.UAPCA(3, standardize=True).fit(IRIS)
    one, two = (calls(fit, IRIS)[name]() for fit in (pipeline, standardized))
    assert len(one.get_children()) == len(two.get_children())
    for a, b in zip(one.lines, two.lines, strict=True):
        np.testing.assert_allclose(a.get_xydata(), b.get_xydata(), atol=1e-6)
    for a, b in zip(one.patches, two.patches, strict=True):
        np.testing.assert_allclose(a.get_extents().size, b.get_extents().size, rtol=1e-4, atol=1e-3)


# -- scree, contributions, cos², components -----------------------------------------------------


@pytest.mark.parametrize("s", [0.0, 0.3, 1.0, 4.0])
def test_parts_of_the_variance_sum_to_the_eigenvalue(pca, s):
    fit = pca.rescale(s)
    between, within = variance_parts(fit)
    np.testing.assert_allclose(between + within, fit.explained_variance_, rtol=1e-10)


def test_at_infinity_all_is_uncertainty(pca):
    between, within = variance_parts(pca.rescale(np.inf))
    assert not between.any()
    np.testing.assert_allclose(within, pca.rescale(np.inf).explained_variance_, rtol=1e-10)
    assert not any("interval" in text for text in legend(plot.scree(pca.rescale(np.inf), STUDENTS)))


@ignore_separation
def test_scree_bars_are_shares_and_intervals(pca):
    ax = plot.scree(pca, STUDENTS, cumulative=True)
    tops = [bar.get_y() + bar.get_height() for bar in bars(ax, "within")]
    np.testing.assert_allclose(tops, pca.explained_variance_ratio_, rtol=1e-9)
    (sums,) = lines(ax, "cumulative")
    np.testing.assert_allclose(sums.get_ydata(), np.cumsum(pca.explained_variance_ratio_))
    found = uapca.component_uncertainty(STUDENTS, n_components=4)
    drawn = ax.collections[0].get_segments()
    wanted = found.share_interval(0.95)
    np.testing.assert_allclose([segment[:, 1] for segment in drawn], wanted, rtol=1e-9)
    assert ax.get_ylim()[1] >= wanted.max()
    assert "95 % interval" in legend(ax)
    plain = plot.scree(pca, STUDENTS, values="variance").collections[0].get_segments()
    wanted = found.eigenvalue_interval(0.95)
    np.testing.assert_allclose([segment[:, 1] for segment in plain], wanted, rtol=1e-9)


def test_scree_has_no_interval_for_a_share_that_is_always_whole():
    rng = np.random.default_rng(1)  # with these the interval is 1 only up to rounding
    X = uapca.UncertainArray(rng.normal(size=(20, 1)), std=rng.uniform(0.2, 0.4, (20, 1)))
    fit = uapca.UAPCA().fit(X)
    assert not any("interval" in text for text in legend(plot.scree(fit, X)))
    assert "95 % interval" in legend(plot.scree(fit, X, values="variance"))


def test_scree_shows_ten_bars_and_the_count_of_components():
    X = uapca.UncertainArray(np.random.default_rng(0).normal(size=(30, 12)), std=0.1)
    fit = uapca.UAPCA().fit(X)
    assert len(bars(plot.scree(fit), "between")) == 10
    assert len(bars(plot.scree(fit, n_components=12), "between")) == 12
    found = uapca.component_count(X, n_draws=20)
    ax = plot.scree(fit, reference=found)
    assert f"{found.count} stand out from the errors" in legend(ax)
    with pytest.raises(ValueError, match="level must be between 0 and 1; got 95"):
        plot.scree(fit, level=95)


@ignore_separation
@pytest.mark.parametrize("s", [0.0, 1.0, np.inf])
def test_scree_shows_in_gray_what_a_fit_of_few_components_leaves_out(s):
    complete = uapca.UAPCA(scale=s).fit(STUDENTS)
    few = uapca.UAPCA(2, scale=s).fit(STUDENTS)
    ax = plot.scree(few, STUDENTS, cumulative=True)
    heights = [bar.get_height() for bar in bars(ax, "rest")]
    wanted = complete.explained_variance_ratio_[2:]
    np.testing.assert_allclose(heights, wanted[wanted > 1e-9], rtol=1e-9)
    assert len(bars(ax, "between")) == (2 if s < np.inf else 0)
    assert "not among the 2 components of the fit" in legend(ax)
    (sums,) = lines(ax, "cumulative")
    assert sums.get_ydata()[-1] == pytest.approx(1.0)
    assert not bars(plot.scree(few, n_components=2), "rest")
    assert not bars(plot.scree(complete), "rest")


def test_contributions_are_squared_entries_largest_first(pca):
    ax = plot.contributions(pca)
    widths = [bar.get_width() for bar in bars(ax, "contribution")]
    np.testing.assert_allclose(widths, np.sort(pca.components_[0] ** 2)[::-1])
    assert ax.texts[0].get_text().endswith("%")
    both = plot.contributions(pca, components=[0, 1])
    weights = pca.explained_variance_[:2] / pca.explained_variance_[:2].sum()
    wanted = np.sort(weights @ pca.components_[:2] ** 2)[::-1]
    np.testing.assert_allclose([b.get_width() for b in bars(both, "contribution")], wanted)


@pytest.mark.parametrize("name", ["contributions", "cos2", "components"])
@ignore_separation
def test_twenty_bars_at_most_and_the_picture_says_so(name):
    X = uapca.UncertainArray(np.random.default_rng(0).normal(size=(50, 60)), std=0.1)
    fit = uapca.UAPCA(2, solver="eigh").fit(X)
    arguments = (fit,) if name == "contributions" else (fit, X)
    ax = getattr(plot, name)(*arguments)
    assert len(ax.get_yticks()) == 20
    assert ax.get_ylabel().startswith(f"largest 20 of {50 if name == 'cos2' else 60}")
    assert len(getattr(plot, name)(*arguments, top=5).get_yticks()) == 5


@ignore_separation
def test_of_some_features_the_largest_entries_come_first():
    rng = np.random.default_rng(0)
    X = uapca.UncertainArray(rng.normal(size=(50, 30)) * rng.uniform(1, 3, 30), std=0.1)
    fit = uapca.UAPCA(2).fit(X)
    data, _, _ = plot.components(fit, X, n_components=1, top=6).containers[0]
    wanted = np.sort(np.abs(fit.components_[0]))[::-1][:6]
    np.testing.assert_allclose(np.abs(data.get_xdata()), wanted)


def test_long_names_beside_bars_are_whole_in_two_lines():
    names = [
        f"Registered passenger cars per {n} people" for n in ("thousand", "hundred", "million")
    ]
    X = uapca.UncertainArray(np.random.default_rng(0).normal(size=(9, 3)), features=names)
    ax = plot.contributions(uapca.UAPCA(2).fit(X))
    assert {text.get_text().replace("\n", " ") for text in ax.get_yticklabels()} == set(names)


@pytest.mark.parametrize("top", [2, 8, 20])
def test_values_behind_bars_stay_inside_of_the_frame(top):
    """The background of a value covers what is behind it."""
    names = [f"Mitochondrial import receptor subunit {j}" for j in range(60)]
    first = np.r_[0.385, np.linspace(0.3, 0.02, 59)]  # 14.8 %
    first[1:] *= np.sqrt((1 - first[0] ** 2) / np.square(first[1:]).sum())
    rows = uapca.UncertainArray(np.outer([-1.0, 1.0], first), features=names)
    fit = uapca.UAPCA(1).fit(rows)
    ax = uapca.plot.contributions(fit, top=top)
    ends = [text.get_bbox_patch().get_window_extent().x1 for text in ax.texts]
    assert ax.texts[0].get_text() == "14.8 %"
    assert max(ends) < ax.get_window_extent().x1 - 2


def test_cos2_bars_end_at_the_sum(pca):
    ax = plot.cos2(pca, STUDENTS, components=range(4))
    ends = [bar.get_x() + bar.get_width() for bar in ax.containers[-1]]
    np.testing.assert_allclose(ends, 1.0)
    one = plot.cos2(pca, STUDENTS, components=1)
    wanted = np.sort(np.asarray(pca.cos2(STUDENTS))[:, 1])[::-1]
    np.testing.assert_allclose([bar.get_width() for bar in one.containers[0]], wanted)


@ignore_separation
def test_components_are_those_of_the_fit_with_standard_errors(pca):
    ax = plot.components(pca, STUDENTS)
    found = uapca.component_uncertainty(STUDENTS)
    for i, container in enumerate(ax.containers):
        data, _, (segments,) = container
        np.testing.assert_allclose(data.get_xdata(), pca.components_[i])
        ends = np.array([s[:, 0] for s in segments.get_segments()])
        low = np.maximum(pca.components_[i] - found.std[i], -1)
        np.testing.assert_allclose(ends[:, 0], low, atol=1e-12)
    assert legend(ax)[0].startswith("PC1 ± standard error, tilts by")


# -- loadings and biplot ------------------------------------------------------------------------


def arrows(ax, kind="feature"):
    found = [a for a in ax.texts if isinstance(a, Annotation)]
    return {
        a.get_gid().removeprefix(f"{kind}:"): np.array(a.xy)
        for a in found
        if (a.get_gid() or "").startswith(f"{kind}:")
    }


def test_loadings_are_correlations_of_features_and_scores(pca):
    found = arrows(plot.loadings(pca))
    K = pca.get_covariance()
    scaled = pca.components_[:2].T * np.sqrt(pca.explained_variance_[:2])
    wanted = scaled / np.sqrt(np.diagonal(K))[:, None]
    np.testing.assert_allclose([found[name] for name in STUDENTS.features], wanted)


def test_wedges_are_the_spread_of_directions_over_draws():
    rng = np.random.default_rng(0)
    X = uapca.UncertainArray(rng.normal(size=(300, 3)) @ np.diag([4.0, 2.0, 1.0]), std=0.4)
    fit = uapca.UAPCA(2).fit(X)
    spread = angle_std(fit, X, [0, 1])
    sim = uapca.simulate(X, 400, 2, rng=1)
    axes = np.asarray(sim.components) * np.sqrt(fit.explained_variance_)[None, :, None]
    angles = np.arctan2(axes[:, 1], axes[:, 0])
    for j in range(2):  # the third axis has hardly a direction in the plane
        turned = np.angle(np.exp(1j * (angles[:, j] - angles[:, j].mean())))
        assert spread[j] == pytest.approx(turned.std(), rel=0.25)


def test_supplementary_variables_are_correlated_with_the_scores(pca):
    scores = pca.transform(STUDENTS).mean
    table = {"first": scores[:, 0], "noise": [1.0, 2, 1, 3, 2, 1]}
    found = arrows(plot.loadings(pca, STUDENTS, supplementary=table), "supplementary")
    assert found["first"][0] == pytest.approx(1.0)
    assert found["noise"][0] == pytest.approx(np.corrcoef(table["noise"], scores[:, 0])[0, 1])
    with pytest.raises(ValueError, match="supplementary must come with X"):
        plot.loadings(pca, supplementary=table)


def test_many_features_are_named_as_far_as_they_can_be_read():
    X = uapca.UncertainArray(np.random.default_rng(0).normal(size=(40, 200)), std=0.1)
    fit = uapca.UAPCA(2, solver="eigh").fit(X)
    ax = plot.loadings(fit)
    assert len(arrows(ax)) == 12
    assert "188 of 200 features, not named" in legend(ax)
    ax = plot.biplot(fit, X)
    assert len(arrows(ax)) == 20
    assert legend(ax)[-1].endswith("the 20 longest of 200")
    assert ax.figure.get_figheight() < 6
    assert len(arrows(plot.loadings(fit, highlight=["x3", 7]))) == 2


def test_biplot_arrows_are_unit_vectors_times_one_factor_and_share_no_color_with_rows():
    fit = uapca.UAPCA(2).fit(IRIS)
    ax = plot.biplot(fit, IRIS)
    ends = np.array([arrows(ax)[name] for name in IRIS.features])
    factors = ends / fit.components_.T
    np.testing.assert_allclose(factors, factors[0, 0])
    assert {
        a.arrow_patch.get_edgecolor()[:3] for a in ax.texts if "feature:" in (a.get_gid() or "")
    } == {(0.0, 0.0, 0.0)}


@ignore_separation
@pytest.mark.parametrize("what", ["contribution", "cos2"])
@pytest.mark.parametrize("name", ["biplot", "loadings"])
def test_arrows_are_colored_by_contribution_or_cos2(pca, name, what):
    ax = getattr(plot, name)(pca, STUDENTS, color_by=what)
    bar = ax.figure.axes[1]
    label = {"cos2": "cos² on", "contribution": "contribution to"}[what]
    assert bar.get_ylabel() == f"{label} PC1 and PC2"
    values = np.square(np.asarray(pca.loadings())[:, :2]).sum(axis=1)
    if what == "contribution":
        shares = pca.explained_variance_[:2] / pca.explained_variance_[:2].sum()
        values = shares @ np.square(pca.components_[:2])
    np.testing.assert_allclose(bar.get_ylim(), [values.min(), values.max()])
    drawn = {
        a.get_gid()[8:]: a.arrow_patch.get_edgecolor()
        for a in ax.texts
        if (a.get_gid() or "").startswith("feature:")
    }
    order = [STUDENTS.features[j] for j in np.argsort(values)]
    light = [sum(drawn[feature][:3]) for feature in order]
    assert light == sorted(light)  # the colors go from dark to light


def test_no_row_of_a_biplot_is_as_black_as_its_arrows():
    X = uapca.UncertainArray(np.random.default_rng(0).normal(size=(9, 3)), std=0.2)
    ax = plot.biplot(uapca.UAPCA(2).fit(X), X)
    edges = {p.get_edgecolor()[:3] for p in ax.patches if (p.get_gid() or "").startswith("row:")}
    assert len(edges) > 6
    assert (0.0, 0.0, 0.0) not in edges


# -- traces -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def traces():
    return uapca.factor_traces(STUDENTS)


def test_traces_are_those_of_the_library_and_marked_at_0_and_1(traces):
    ax = plot.factor_traces(traces)
    course = course_of(traces, [0, 1])
    drawn = lines(ax, "trace")
    assert len(drawn) == 4 * len(course.segments)
    for j, line in enumerate(drawn[:: len(course.segments)]):
        np.testing.assert_allclose(line.get_xydata(), course.points[course.segments[0], j])
    starts = np.concatenate([line.get_xydata() for line in lines(ax, "start")])
    np.testing.assert_allclose(starts, course.points[0])
    given = np.concatenate([line.get_xydata() for line in lines(ax, "given")])
    np.testing.assert_allclose(given, course.points[course.u == 0.5][0])
    assert len(lines(ax, "twin")) == len(drawn)
    assert not lines(plot.factor_traces(traces, mirrored=False), "twin")
    assert legend(ax)[:4] == ["0 ≤ s ≤ 1", "1 < s → ∞", "s = 0", "s = 1"]
    names = [text.get_text() for text in ax.texts if (text.get_gid() or "")[:4] == "name"]
    assert names == ["M1", "M2", "P1", "P2"]


def test_shading_is_what_the_unit_vector_sweeps_up_to_s_1(traces):
    ax = plot.factor_traces(traces)
    swept = [patch for patch in ax.patches if patch.get_gid() == "swept:trace"]
    course = course_of(traces, [0, 1])
    for j, patch in enumerate(swept):
        vertices = patch.get_path().vertices
        inside = course.points[course.u <= 0.5, j]
        away = np.abs(vertices[:, None] - inside).max(axis=2).min(axis=1)
        center = np.abs(vertices).max(axis=1)
        assert (np.minimum(away, center) < 1e-12).all()


def test_beyond_six_features_the_longest_traces_are_in_color():
    rng = np.random.default_rng(0)
    X = uapca.UncertainArray(rng.normal(size=(20, 9)), std=rng.uniform(0.1, 2, (20, 9)))
    traces = uapca.factor_traces(X)
    ax = plot.factor_traces(traces)
    lengths = course_of(traces, [0, 1]).lengths()
    names = {text.get_gid()[5:] for text in ax.texts if (text.get_gid() or "")[:4] == "name"}
    assert names == {f"x{j}" for j in np.argsort(-lengths)[:6]}
    assert "other features" in legend(ax)
    figure = plot.factor_traces(traces, multiples=True)
    assert len([ax for ax in figure.axes if ax.get_title()]) == 9
    with pytest.raises(TypeError, match="ax must be left out"):
        plot.factor_traces(traces, multiples=True, ax=ax)


@pytest.mark.parametrize("encode", ["eigenvalue", "gap", "stability"])
@pytest.mark.parametrize("on", ["width", "color"])
def test_encodings(traces, encode, on):
    ax = plot.factor_traces(traces, encode=encode, encode_on=on)
    assert len(ax.figure.axes) == (2 if on == "color" else 1)
    with pytest.raises(ValueError, match="encode must be"):
        plot.factor_traces(traces, encode="speed")


def test_still_traces_are_points_and_one_feature_is_refused():
    same = uapca.UncertainArray(np.random.default_rng(0).normal(size=(9, 3)), std=1.0)
    ax = plot.factor_traces(same)
    assert all(len(line.get_xydata()) <= 2 for line in ax.lines)
    assert "does not move" in legend(ax)
    with pytest.raises(ValueError, match="at least 2 features"):
        plot.factor_traces(uapca.UncertainArray([[1.0], [2.0]], std=0.1))
    with pytest.raises(TypeError, match="fit"):
        plot.factor_traces(np.eye(3))


def test_weight_traces_are_against_the_weight():
    traces = uapca.weight_traces(STUDENTS, "Tom")
    assert plot.eigenvalues(traces).get_xlabel() == "weight of the row"
    assert any("weight" in text for text in legend(plot.factor_traces(traces)))


def test_eigenvalues_are_shares_with_the_crossings_that_are_close():
    traces = uapca.factor_traces(uapca.datasets.make_crossings())
    ax = plot.eigenvalues(traces)
    drawn = {line.get_gid(): line.get_ydata() for line in ax.lines if line.get_gid()[0] == "λ"}
    np.testing.assert_allclose(sum(drawn.values()), 1.0)
    met = [line.get_xdata()[0] for line in lines(ax, "crossing")]
    np.testing.assert_allclose([u / (1 - u) for u in met], [0.369, 0.538], atol=0.002)
    words = [text.get_text() for text in ax.texts if text.get_gid() == "crossing"]
    assert words == ["λ₁, λ₂\ns = 0.369", "λ₂, λ₃\ns = 0.538"]
    assert all(c.relative_gap < 0.3 for c in traces.crossings if c.kind == "avoided" and c.u in met)
    far = uapca.factor_traces(IRIS)
    wide = [c for c in far.crossings if c.relative_gap >= 0.3 and c.kind == "avoided"]
    assert len(lines(plot.eigenvalues(far), "crossing")) == len(far.crossings) - len(wide)


@ignore_separation
def test_traces_have_wedges_of_the_components_standard_errors(pca):
    ax = plot.factor_traces(pca, STUDENTS)
    assert "± one standard error of its direction" in legend(ax)
    halves = [(w.theta2 - w.theta1) / 2 for w in ax.patches if hasattr(w, "theta1")]
    fit = uapca.UAPCA(2).fit(STUDENTS)
    wanted = np.degrees(angle_std(fit, STUDENTS, [0, 1]))
    np.testing.assert_allclose(halves, wanted, rtol=1e-6)


def test_of_many_crossings_the_closest_are_marked_and_each_has_a_label():
    rng = np.random.default_rng(5)
    X = uapca.UncertainArray(rng.normal(size=(40, 8)), std=rng.gamma(1, 1, 8))
    ax = plot.eigenvalues(X)
    met = lines(ax, "crossing")
    words = [text for text in ax.texts if text.get_gid() == "crossing"]
    assert len(met) == len(words) == 6
    assert any(text.startswith("the 6 closest of") for text in legend(ax))


def test_names_of_curves_and_crossings_do_not_overlap():
    ax = plot.eigenvalues(uapca.datasets.make_crossings(), title="a title")
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    for kind in ("crossing", "eigenvalue"):
        own = [b for b, t in zip(boxes, ax.texts, strict=True) if t.get_gid() == kind]
        assert not any(a.overlaps(b) for a, b in pairwise(own))
    title = ax.title.get_window_extent()
    assert all(box.y1 <= title.y0 + 1 for box in boxes)


# -- the others ---------------------------------------------------------------------------------


def test_shepard_never_lies_above_the_diagonal(pca):
    ax = plot.shepard(pca, STUDENTS)
    points = np.asarray(ax.collections[0].get_offsets())
    assert len(points) == 15
    assert (points[:, 1] <= points[:, 0] + 1e-9).all()
    # Between certain points, by hand.
    X = uapca.UncertainArray([[0.0, 0.0, 0.0], [3.0, 4.0, 0.0], [0.0, 0.0, 1.0]])
    whole = np.asarray(plot.shepard(uapca.UAPCA(2).fit(X), X).collections[0].get_offsets())
    np.testing.assert_allclose(whole[:, 0], [5.0, 1.0, np.sqrt(26)])
    many = uapca.UncertainArray(np.random.default_rng(0).normal(size=(300, 3)), std=0.1)
    assert any(
        "20,000 of 44,850" in t for t in legend(plot.shepard(uapca.UAPCA(2).fit(many), many))
    )


def test_metadata_shows_correlations(pca):
    scores = pca.transform(STUDENTS).mean
    year = np.array([1.0, 2, 1, 3, 2, 1])
    ax = plot.metadata(pca, STUDENTS, {"year": year, "kind": list("aabbba")}, n_components=2)
    image = ax.images[0].get_array()
    assert image[0, 0] == pytest.approx(np.corrcoef(year, scores[:, 0])[0, 1])
    assert [text.get_text() for text in ax.get_yticklabels()] == ["year", "kind (η)"]
    kinds = np.array(["a", "a", "b", "b"])
    assert correlation(np.array([1.0, 1.0, 5.0, 5.0]), kinds, np.ones(4)) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="column 'year' has 2"):
        plot.metadata(pca, STUDENTS, {"year": [1, 2]})
    with pytest.raises(TypeError, match="table must be a data frame"):
        plot.metadata(pca, STUDENTS, 3)


def test_what_has_an_index_of_names_is_matched_by_name(pca, tmp_path):
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"year": [1, 2, 1, 3, 2, 1]}, index=list(STUDENTS.names))
    shuffled = table.iloc[[3, 0, 5, 1, 4, 2]]

    def texts(one):
        return [text.get_text() for text in plot.metadata(pca, STUDENTS, one).texts]

    assert texts(shuffled) == texts(table) == texts(table.reset_index(drop=True))
    colors = [
        [p.get_facecolor() for p in plot.projection(pca, STUDENTS, groups=one["year"]).collections]
        for one in (table, shuffled)
    ]
    for a, b in zip(*colors, strict=True):
        np.testing.assert_array_equal(a, b)
    pages = [tmp_path / "table.html", tmp_path / "shuffled.html"]
    for one, path in zip((table, shuffled), pages, strict=True):
        uapca.explore(pca, STUDENTS, groups=one["year"]).to_html(path)
    assert pages[0].read_bytes() == pages[1].read_bytes()
    with pytest.raises(ValueError, match="table must have an index with the names of the 6 rows"):
        plot.metadata(pca, STUDENTS, table.rename(index={"Tom": "Tim"}))
    with pytest.raises(ValueError, match="it has 7 labels"):
        plot.metadata(pca, STUDENTS, pd.concat([table, table[:1]]))


def test_an_index_that_names_no_rows_goes_by_position_only_where_it_counts_them():
    pd = pytest.importorskip("pandas")
    named = uapca.UncertainArray(np.eye(3), names=["4e18", "5e18", "6e18"])
    bare = uapca.UncertainArray(np.eye(3))
    groups = pd.Series(["a", "b", "c"])

    def seen(X, groups):
        ax = plot.projection(uapca.UAPCA(2).fit(X), X, groups=groups)
        return np.concatenate([part.get_facecolor() for part in ax.collections])

    for X in (named, bare):
        as_given = seen(X, ["a", "b", "c"])
        slice_of_a_frame = groups.set_axis(pd.RangeIndex(7, 13, 2))
        for own in (groups, groups.set_axis(pd.Index([0, 1, 2])), slice_of_a_frame):
            np.testing.assert_array_equal(seen(X, own), as_given)
        for index in ([2, 0, 1], pd.RangeIndex(2, -1, -1)):
            said = r"0, 1, 2, …; it begins with '2': pass .to_numpy\(\) if its order is that"
            with pytest.raises(ValueError, match=said):
                seen(X, groups.set_axis(index))
    # Numbers that were names are no names any more.
    said = "groups must have an index with the names of the 3 rows, or 0, 1, 2, …; it begins with"
    with pytest.raises(ValueError, match=said):
        seen(named, groups.set_axis([4e18, 5e18, 6e18]))
    with pytest.raises(ValueError, match="table must have an index with the names of the 3 rows"):
        plot.metadata(uapca.UAPCA(2).fit(named), named, groups.to_frame("g").set_axis([7, 8, 9]))
    # Rows without names have nothing to match: those chosen from a frame keep their order.
    np.testing.assert_array_equal(
        seen(bare, groups.set_axis([5, 9, 7])), seen(bare, ["a", "b", "c"])
    )


def test_metadata_takes_data_frames(pca):
    import pandas as pd

    frame = pd.DataFrame({"a": range(6), "b": list("xyzxyz")})
    assert len(plot.metadata(pca, STUDENTS, frame).get_yticks()) == 2


def test_compare_turns_the_second_fit_to_the_first():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20, 2))
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    found, left = procrustes(points, points @ turn)
    np.testing.assert_allclose(found, turn, atol=1e-12)
    assert left == pytest.approx(0.0, abs=1e-20)
    fit = uapca.UAPCA(2).fit(IRIS)
    figure = plot.compare(fit.rescale(0), fit, IRIS)
    left, right = ([p.center for p in ax.patches] for ax in figure.axes)
    assert np.abs(np.subtract(left, right)).max() < 0.5
    with pytest.raises(ValueError, match="X2 must have the 3 rows"):
        plot.compare(fit, fit, IRIS, IRIS[:2])


def test_a_wide_row_has_one_color_in_all_panels_of_a_matrix():
    rng = np.random.default_rng(0)
    std = rng.gamma(2, 0.3, (100, 4))
    names = [f"star {i}" for i in range(100)]
    X = uapca.UncertainArray(3 * rng.normal(size=(100, 4)), std=std, names=names)
    figure = plot.matrix(uapca.UAPCA(4).fit(X), X)
    colors = {}
    for ax in figure.axes:
        for patch in ax.patches:
            colors.setdefault(patch.get_gid(), set()).add(patch.get_edgecolor())
    assert len(colors) > 3
    assert all(len(found) == 1 for found in colors.values())
    key = [text.get_text() for text in figure.legends[0].get_texts() if "×" in text.get_text()]
    assert len({text.partition(":")[0] for text in key}) == len(key) > 1


def test_matrix_has_all_pairs():
    fit = uapca.UAPCA(4).fit(IRIS)
    figure = plot.matrix(fit, IRIS)
    assert sum(ax.axison for ax in figure.axes) == 6
    assert [ax.get_xlabel()[:3] for ax in figure.axes if ax.get_xlabel()] == ["PC1", "PC2", "PC3"]


def test_simulated_clouds_and_the_closed_form():
    sim = uapca.simulate(IRIS, 200, rng=0)
    ax = plot.simulation(sim, IRIS, draws=50)
    (dots,) = (c for c in ax.collections if c.get_gid() == "draws")
    assert len(dots.get_offsets()) == 150
    assert legend(ax)[-1] == "closed form"
    with pytest.raises(TypeError, match="sim must be"):
        plot.simulation(IRIS)
    with pytest.raises(ValueError, match="X must be the 3 rows"):
        plot.simulation(sim, STUDENTS)


def test_convergence_draws_the_medians():
    result = uapca.sampling_convergence([2, 4, 6], [10, 100, 1000], n_runs=5, rng=0)
    ax = plot.convergence(result)
    for d, row in zip(result.dims, result.median, strict=True):
        (line,) = lines(ax, f"D = {d}")
        np.testing.assert_allclose(line.get_ydata(), row)
    (guide,) = lines(ax, "guide")
    slope = np.polyfit(np.log(guide.get_xdata()), np.log(guide.get_ydata()), 1)[0]
    assert slope == pytest.approx(-0.5)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    with pytest.raises(TypeError, match="result must be"):
        plot.convergence(3)


def test_component_count_marks_what_stands_out():
    values = np.random.default_rng(0).normal(size=(60, 2)) @ np.array(
        [[3, 3, 0, 0], [0, 0, 2, -2.0]]
    )
    found = uapca.component_count(uapca.UncertainArray(values, std=0.4), n_draws=40)
    ax = plot.component_count(found)
    (out,) = lines(ax, "stands out from the errors")
    assert len(out.get_xdata()) == found.count == 2
    with pytest.raises(TypeError, match="result must be"):
        plot.component_count(3)


def test_distributions_have_components_of_length_root_lambda():
    X = uapca.datasets.make_teaser()
    fit = uapca.UAPCA().fit(X)
    ax = plot.distributions({"means only": fit.rescale(0), "ours": fit}, X)
    ends = {a.get_gid(): a.xy for a in ax.texts if " PC" in (a.get_gid() or "")}
    for i in range(2):
        reach = np.sqrt(fit.explained_variance_[i]) * fit.components_[i]
        np.testing.assert_allclose(ends[f"ours PC{i + 1}"], fit.mean_ + reach)
    assert legend(ax)[-2:] == ["components, means only", "components, ours"]
    assert legend(plot.distributions(None, X))[-1].startswith("50 % and 95 %")
    with pytest.raises(ValueError, match="X must have one or two features; got 4"):
        plot.distributions(None, STUDENTS)
    with pytest.raises(ValueError, match="pca must be fitted on the 2 features"):
        plot.distributions(uapca.UAPCA().fit(STUDENTS), X)


@pytest.mark.parametrize("components", [(0, 9), (0, 0), "01", (0, 1, 2), (0.5, 1)])
def test_components_that_are_not_there(pca, components):
    for name in ("biplot", "factor_traces", "loadings", "progression"):
        arguments = (pca,) if name == "factor_traces" else (pca, STUDENTS)
        with pytest.raises(ValueError, match="components must be two different numbers"):
            getattr(plot, name)(*arguments, components=components)


def test_components_may_be_numpy_numbers(pca):
    for components in (np.array([0, 2]), (np.int64(0), np.int64(2)), [0, 2]):
        ax = plot.factor_traces(pca, components=components)
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("PC1", "PC3")
