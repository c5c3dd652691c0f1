"""Factor traces: what is in the scene, and what of it is drawn."""

import numpy as np
import pytest

import uapca
from uapca.views.scene import Area, Ellipse, Label, Markers, Polyline
from uapca.views.traces.course import course_of
from uapca.views.traces.marks import _fans

STUDENTS = uapca.datasets.load_students()


@pytest.fixture(scope="module")
def traces():
    return uapca.factor_traces(STUDENTS)


@pytest.fixture(scope="module")
def panel(traces):
    return uapca.plot.factor_traces.scene(traces)


def many(d=9, n=12, seed=0):
    rng = np.random.default_rng(seed)
    return uapca.UncertainArray(
        rng.normal(size=(n, d)) * np.linspace(3, 1, d), std=rng.uniform(0.1, 3, d)
    )


def test_one_trace_a_feature_in_the_unit_circle(traces, panel):
    lines = panel.of(Polyline, "trace")
    assert [line.key for line in lines] == ["M1", "M2", "P1", "P2"]
    for j, line in enumerate(lines):
        np.testing.assert_array_equal(line.points, traces.loadings[:, j])
        assert np.hypot(*line.points.T).max() <= 1 + 1e-12
    (circle,) = panel.of(Ellipse, "unit circle")
    assert circle.radii == (1.0, 1.0)
    assert panel.equal


def test_shading_is_what_the_unit_vector_sweeps_up_to_s_1(traces, panel):
    at = int(np.flatnonzero(traces.scales == 1.0)[0])
    for j, area in enumerate(panel.of(Area, "trace swept")):
        (ring,) = area.rings
        np.testing.assert_array_equal(ring[0], [0.0, 0.0])
        np.testing.assert_array_equal(ring[1:], traces.loadings[: at + 1, j])
        sign = np.sign(traces.at(1.0).components_[0] @ traces.loadings[at, :, 0])
        here = traces.at(1.0).components_[:, j] * sign
        np.testing.assert_allclose(np.abs(ring[-1]), np.abs(here), atol=1e-12)


def test_shading_ends_at_s_1_also_where_the_grid_has_no_1():
    coarse = uapca.factor_traces(STUDENTS, scales=[0.0, 0.4, 0.9, 1.2, 5.0])
    panel = uapca.plot.factor_traces.scene(coarse)
    fine = uapca.factor_traces(STUDENTS)
    exact = fine.loadings[fine.scales == 1.0][0]
    for j, area in enumerate(panel.of(Area, "trace swept")):
        np.testing.assert_allclose(np.abs(area.rings[0][-1]), np.abs(exact[j]), atol=1e-12)
        np.testing.assert_array_equal(area.rings[0][1:4], coarse.loadings[:3, j])
    assert not any(line.arrow for line in panel.of(Polyline))
    assert [entry.text for entry in panel.legend] == [
        "0 ≤ s ≤ 1",
        "1 < s ≤ 5",
        "s = 0",
        "s = 1",
        "mirror image",
    ]


def test_ground_swept_forth_and_back_stays_shaded():
    # Out from 0° to 80° and back to 30°, as one ring, would go round what lies between by 1 − 1.
    angles = np.radians(np.concatenate([np.arange(0, 80, 2), np.arange(80, 29, -2)]))
    path = np.column_stack([np.cos(angles), np.sin(angles)])
    fans = _fans(path)
    assert [way for _, way in fans] == [1.0, -1.0]
    np.testing.assert_array_equal(fans[0][0][-1], fans[1][0][0])
    # A trace that runs straight in turns neither way; noise is no turn.
    straight = np.column_stack([np.linspace(1, 0.5, 9), 1e-12 * np.cos(np.arange(9))])
    assert len(_fans(straight)) == 1
    turning = uapca.weight_traces(STUDENTS, "Tom")
    areas = uapca.plot.factor_traces.scene(turning).of(Area, "trace swept")
    assert max(len(area.rings) for area in areas) > 1
    ways = [[np.sign(doubled_area(ring)) for ring in area.rings] for area in areas]
    assert all(len(set(each)) == 1 for each in ways)


def doubled_area(ring):
    (x, y), (u, v) = ring.T, np.roll(ring, -1, axis=0).T
    return (x * v - u * y).sum()


def test_markers_at_0_and_1_differ_in_shape_and_filling(traces, panel):
    starts, given = panel.of(Markers, "start"), panel.of(Markers, "given")
    at = int(np.flatnonzero(traces.scales == 1.0)[0])
    for j in range(4):
        np.testing.assert_array_equal(starts[j].points, traces.loadings[:1, j])
        np.testing.assert_array_equal(given[j].points, traces.loadings[at : at + 1, j])
        assert (starts[j].shape, given[j].shape) == ("circle", "square")
        assert starts[j].ink.fill == "#ffffff"
        assert given[j].ink.fill == given[j].ink.color


def test_twin_is_the_mirror_image_and_lighter(panel):
    for line, twin in zip(panel.of(Polyline, "trace"), panel.of(Polyline, "twin"), strict=True):
        np.testing.assert_array_equal(twin.points, -line.points)
        assert twin.ink.color == line.ink.color
        assert twin.ink.opacity < 0.5 * line.ink.opacity
        assert twin.arrow == line.arrow
    alone = uapca.plot.factor_traces.scene(uapca.factor_traces(STUDENTS), mirrored=False)
    assert alone.of(role="twin") == ()
    assert "mirror image" not in [entry.text for entry in alone.legend]


def test_arrowhead_is_drawn_at_the_infinite_end_along_the_trace(traces):
    from matplotlib.patches import FancyArrowPatch

    ax = uapca.plot.factor_traces(traces)
    heads = {patch.get_gid(): patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)}
    assert {f"trace:{name}" for name in STUDENTS.features} <= heads.keys()
    ax.figure.canvas.draw()
    for j, name in enumerate(traces.features):
        head = heads[f"trace:{name}"]
        start, end = (np.array(place) for place in head._posA_posB)
        np.testing.assert_array_equal(end, traces.loadings[-1, j])
        path = traces.loadings[:, j]
        apart = np.linalg.norm(path - end, axis=1)
        near = path[np.flatnonzero(apart >= 0.01)[-1]]
        along = (end - near) / np.linalg.norm(end - near)
        assert (end - start) @ along / np.linalg.norm(end - start) > 0.95


def test_shaded_patches_end_at_s_1_when_drawn(traces):
    from matplotlib.patches import PathPatch

    ax = uapca.plot.factor_traces(traces)
    at = int(np.flatnonzero(traces.scales == 1.0)[0])
    shaded = {p.get_gid(): p for p in ax.patches if isinstance(p, PathPatch)}
    for j, name in enumerate(traces.features):
        vertices = shaded[f"trace swept:{name}"].get_path().vertices
        assert np.abs(vertices - traces.loadings[at, j]).sum(axis=1).min() == 0.0
        beyond = traces.loadings[at + 1 : -1, j]
        assert not (np.abs(vertices[:, None] - beyond).sum(axis=2) == 0.0).any()


def test_legend_says_shading_line_markers_and_arrow(traces):
    ax = uapca.plot.factor_traces(traces)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    # Matplotlib lists them column by column.
    assert sorted(texts) == sorted(["0 ≤ s ≤ 1", "1 < s → ∞", "s = 0", "s = 1", "mirror image"])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("PC1", "PC2")


def test_broken_traces_are_not_joined():
    axes = np.diag([3.0, 2.0, 1.0])
    X = uapca.UncertainArray(np.concatenate([axes, -axes]), std=[0.1, 0.5, 4.0])
    traces = uapca.factor_traces(X)
    assert len(traces.breaks) > 0
    panel = uapca.plot.factor_traces.scene(traces)
    moving = [mark for mark in panel.of(Polyline, "trace") if mark.key == "x2"]
    assert len(moving) == len(traces.segments)
    for line, part in zip(moving, traces.segments, strict=True):
        np.testing.assert_array_equal(line.points, traces.loadings[part, 2])
    jumps = [crossing.scale for crossing in traces.crossings if crossing.changes_subspace]
    assert panel.legend[4].text == "jumps at s = " + ", ".join(f"{s:.3g}" for s in jumps)


def test_labels_stand_apart_and_inside(panel):
    labels = panel.of(Label, "feature")
    assert [label.text for label in labels] == ["M1", "M2", "P1", "P2"]
    from uapca.views.placing import half_size
    from uapca.views.traces.labels import EM

    boxes = [(np.array(label.at), half_size(label.text, EM)) for label in labels]
    for i, (a, half) in enumerate(boxes):
        assert (np.abs(a) + half <= [1.36, 1.16]).all()
        for b, other in boxes[:i]:
            assert (np.abs(a - b) >= half + other).any()


@pytest.mark.parametrize("load", ["load_students", "load_iris_groups", "make_crossings"])
def test_drawn_labels_do_not_overlap(load):
    ax = uapca.plot.factor_traces(getattr(uapca.datasets, load)())
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    frame = ax.get_window_extent()
    for i, box in enumerate(boxes):
        assert frame.x0 <= box.x0 < box.x1 <= frame.x1
        assert frame.y0 <= box.y0 < box.y1 <= frame.y1
        assert not any(box.overlaps(other) for other in boxes[:i])


def test_isotropic_errors_give_points():
    X = uapca.UncertainArray(STUDENTS.mean, std=2.0, features=STUDENTS.features)
    panel = uapca.plot.factor_traces.scene(X)
    dots = panel.of(Markers, "trace")
    np.testing.assert_allclose(
        np.abs(np.concatenate([dot.points for dot in dots])),
        np.abs(uapca.UAPCA(2).fit(X).components_.T),
        atol=1e-12,
    )
    assert panel.of(Polyline, "trace") == panel.of(Area) == ()
    assert [entry.text for entry in panel.legend] == ["does not move", "mirror image"]
    uapca.plot.factor_traces(X).figure.canvas.draw()


def test_certain_rows_give_points():
    X = uapca.UncertainArray(STUDENTS.mean)
    assert len(uapca.plot.factor_traces.scene(X).of(Markers, "trace")) == 4


@pytest.mark.parametrize("s", [0.0, 1.0, np.inf])
def test_a_single_scale_gives_points(s):
    traces = uapca.factor_traces(STUDENTS, scales=[s])
    panel = uapca.plot.factor_traces.scene(traces)
    assert len(panel.of(Markers, "trace")) == 4
    assert panel.legend[0].text == {0.0: "s = 0", 1.0: "s = 1", np.inf: "s → ∞"}[s]
    uapca.plot.factor_traces(traces).figure.canvas.draw()


def test_two_features_and_one_row():
    plane = uapca.datasets.make_teaser()
    panel = uapca.plot.factor_traces.scene(plane)
    assert [label.text for label in panel.of(Label)] == ["x", "y"]
    alone = uapca.UncertainArray([[1.0, 2.0, 3.0]], std=[1.0, 2.0, 3.0])
    assert len(uapca.plot.factor_traces.scene(alone).of(Markers, "trace")) == 3
    uapca.plot.factor_traces(alone).figure.canvas.draw()


def test_one_feature_is_refused():
    with pytest.raises(ValueError) as error:
        uapca.plot.factor_traces(uapca.UncertainArray([[1.0], [2.0]], std=1.0))
    assert str(error.value) == ("X must have at least 2 features; got 1")


def test_any_pair_of_components():
    traces = uapca.factor_traces(STUDENTS, n_components=3)
    panel = uapca.plot.factor_traces.scene(traces, components=(2, 0))
    np.testing.assert_array_equal(
        panel.of(Polyline, "trace")[0].points, traces.loadings[:, 0, [2, 0]]
    )
    assert (panel.x.label, panel.y.label) == ("PC3", "PC1")
    of_data = uapca.plot.factor_traces.scene(STUDENTS, components=(2, 0))
    np.testing.assert_array_equal(
        of_data.of(Polyline, "trace")[0].points, panel.of(Polyline, "trace")[0].points
    )


@pytest.mark.parametrize("components", [(0, 2), (0, 0), (0,), 0, (-1, 0), (0, True), (0.0, 1.0)])
def test_components_that_are_not_there(traces, components):
    with pytest.raises(ValueError) as error:
        uapca.plot.factor_traces(traces, components=components)
    assert str(error.value) == (
        "components must be two different numbers from 0 to 1; "
        f"got {components!r}. Pass (0, 1) for the first two."
    )


def test_beyond_six_features_the_longest_traces_are_in_colour():
    traces = uapca.factor_traces(many())
    panel = uapca.plot.factor_traces.scene(traces)
    lengths = course_of(traces, (0, 1)).lengths()
    longest = {f"x{j}" for j in np.argsort(-lengths)[:6]}
    assert {label.key for label in panel.of(Label)} == longest
    grey = {line.key for line in panel.of(Polyline, "trace") if line.ink.color == "#C8C8C8"}
    assert grey == set(traces.features) - longest
    assert {twin.key for twin in panel.of(Polyline, "twin")} == longest
    assert panel.legend[-1].text == "other features"


def test_highlight_by_name_or_number(traces):
    for wanted in (["P1"], [2], "P1", 2):
        panel = uapca.plot.factor_traces.scene(traces, highlight=wanted)
        assert [label.text for label in panel.of(Label)] == ["P1"]
    coloured = uapca.plot.factor_traces.scene(traces).of(Polyline, "trace")[2].ink
    assert panel.of(Polyline, "trace")[2].ink == coloured  # a feature keeps its colour
    assert uapca.plot.factor_traces.scene(traces, highlight=[]).of(Label) == ()
    with pytest.raises(ValueError) as error:
        uapca.plot.factor_traces(traces, highlight=["P3"])
    assert str(error.value) == (
        "highlight must name features; there is no 'P3'. They are 'M1', 'M2', 'P1', 'P2'."
    )


def test_small_multiples_have_one_feature_each():
    traces = uapca.factor_traces(many())
    sheet = uapca.plot.factor_traces.scene(traces, multiples=True)
    assert [panel.title for panel in sheet.flat()] == [f"x{j}" for j in range(9)]
    for j, panel in enumerate(sheet.flat()):
        assert {twin.key for twin in panel.of(Polyline, "twin")} == {f"x{j}"}
    figure = uapca.plot.factor_traces(traces, multiples=True)
    assert len(figure.axes) == 9
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert (texts[0], texts[-1]) == ("0 ≤ s ≤ 1", "other features")
    with pytest.raises(TypeError):
        uapca.plot.factor_traces(traces, multiples=True, ax=figure.axes[0])


def test_encoded_shares_and_gaps_are_those_of_the_fits(traces):
    at = int(np.flatnonzero(traces.scales == 1.0)[0])
    fit = uapca.UAPCA().fit(STUDENTS)
    values = fit.explained_variance_
    shown = uapca.plot.factor_traces.scene(traces, encode="eigenvalue", encode_on="color")
    line = shown.of(Polyline, "trace")[0]
    assert line.values[at] == pytest.approx(values[:2].sum() / values.sum(), abs=1e-12)
    assert shown.colorbar.label == "share of the variance shown"
    assert shown.colorbar.limits == (line.values.min(), line.values.max())
    gap = uapca.plot.factor_traces.scene(traces, encode="gap", encode_on="color")
    expected = min((values[0] - values[1]) / values[0], (values[1] - values[2]) / values[1])
    assert gap.of(Polyline, "trace")[3].values[at] == pytest.approx(expected, abs=1e-12)


def test_stability_falls_where_a_feature_moves_fast(traces):
    panel = uapca.plot.factor_traces.scene(traces, encode="stability", encode_on="color")
    for j, line in enumerate(panel.of(Polyline, "trace")):
        k = len(traces.u) // 3
        speed = np.linalg.norm(
            (traces.loadings[k + 1, j] - traces.loadings[k - 1, j])
            / (traces.u[k + 1] - traces.u[k - 1])
        )
        assert line.values[k] == pytest.approx(1 / (1 + speed), rel=0.05)


def test_thickness_is_explained_in_the_legend(traces):
    panel = uapca.plot.factor_traces.scene(traces, encode="gap")
    line = panel.of(Polyline, "trace")[0]
    thin, thick = panel.legend[-2:]
    assert (thin.text, thick.text) == ("gap 20.8 %", "gap 60.5 %")
    assert line.widths.min() == pytest.approx(thin.ink.width)
    assert line.widths.max() == pytest.approx(thick.ink.width)
    assert all(twin.widths is None for twin in panel.of(Polyline, "twin"))
    uapca.plot.factor_traces(traces, encode="gap").figure.canvas.draw()
    uapca.plot.factor_traces(traces, encode="gap", encode_on="color").figure.canvas.draw()


def test_weight_traces_are_shaded_up_to_the_current_weight():
    traces = uapca.weight_traces(STUDENTS, "Tom")
    panel = uapca.plot.factor_traces.scene(traces)
    at = int(np.flatnonzero(traces.weights == traces.current)[0])
    for j, area in enumerate(panel.of(Area, "trace swept")):
        swept = np.concatenate([ring[1:] for ring in area.rings])
        assert {tuple(p) for p in swept} == {tuple(p) for p in traces.loadings[: at + 1, j]}
    assert [entry.text for entry in panel.legend[:4]] == [
        "0 ≤ weight ≤ 0.167",
        "0.167 < weight → 1",
        "weight 0",
        "weight 0.167",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"encode": "gaps"},
            "encode must be 'eigenvalue', 'gap' or 'stability'; got 'gaps'. "
            "Perhaps 'gap' was meant.",
        ),
        (
            {"encode": "gap", "encode_on": "colour"},
            "encode_on must be 'width' or 'color'; got 'colour'. Perhaps 'color' was meant.",
        ),
    ],
)
def test_unknown_options_are_refused(traces, options, message):
    with pytest.raises(ValueError) as error:
        uapca.plot.factor_traces(traces, **options)
    assert str(error.value) == message


def test_points_are_refused():
    with pytest.raises(TypeError) as error:
        uapca.plot.factor_traces(np.eye(3))
    assert str(error.value) == (
        "traces must be what uapca.factor_traces returns, an UncertainArray or a fitted UAPCA; "
        "got ndarray. Pass uapca.factor_traces(X)."
    )


def test_names_are_data_not_markup():
    X = uapca.UncertainArray(
        STUDENTS.mean, std=[1.0, 2.0, 3.0, 0.1], features=["$x^2$", "<b>", "a\nb", "_"]
    )
    ax = uapca.plot.factor_traces(X)
    assert [text.get_text() for text in ax.texts] == ["$x^2$", "<b>", "a b", "_"]
    ax.figure.canvas.draw()
