"""Each figure of the paper makes a claim: it is checked from what the figure shows."""

import numpy as np
import pytest

from uapca.views import figures
from uapca.views.bounds import bounds
from uapca.views.scene import Area, Ellipse, Label, Markers, Polyline, Rule


def direction(line):
    return np.subtract(*line.points[[-1, 0]])


def turn(a, b):
    """The angle between two lines, in degrees, whichever way they point."""
    cosine = abs(direction(a) @ direction(b))
    cosine /= np.linalg.norm(direction(a)) * np.linalg.norm(direction(b))
    return np.degrees(np.arccos(min(cosine, 1.0)))


def components(panel):
    return {mark.key: mark for mark in panel.of(Polyline, "component")}


@pytest.mark.parametrize("name", [n for n in figures.NAMES if n not in figures.NEEDS_ANURAN])
def test_every_figure_has_its_name_a_caption_and_a_legend_that_says_what_is_drawn(sheets, name):
    sheet = sheets(name)
    assert sheet.name == name
    assert len(sheet.caption) > 100
    regions = [mark for panel in sheet.flat() for mark in panel.of(role="row")]
    words = [entry.text for entry in sheet.legend]
    words += [entry.text for panel in sheet.flat() for entry in panel.legend]
    if any(getattr(mark, "level", None) for mark in regions):
        assert any("probability" in text or "% of each row" in text for text in words)


def test_teaser_outermost_rows_change_places_between_one_half_and_four_fifths(sheets):
    outermost = []
    for panel in sheets("teaser").panels[1]:
        if panel.of(Polyline, "density"):
            curves = panel.of(Polyline, "density")
            centre = {curve.key: curve.points[curve.points[:, 1].argmax(), 0] for curve in curves}
        else:
            centre = {mark.key: mark.points[0, 0] for mark in panel.of(Markers, "row")}
        outermost.append({min(centre, key=centre.get), max(centre, key=centre.get)})
    assert outermost == [{"red", "green"}] * 2 + [{"orange", "blue"}] * 2


def test_isotropic_errors_lengthen_and_arbitrary_ones_turn(sheets):
    certain, isotropic, arbitrary = sheets("distribution-types").panels[0]
    plain, same, other = components(certain), components(isotropic), components(arbitrary)
    for key in ("PC1", "PC2"):
        assert turn(plain[key], same[key]) < 1e-5
        assert np.linalg.norm(direction(same[key])) > np.linalg.norm(direction(plain[key]))
    assert turn(plain["PC1"], other["PC1"]) > 45


def test_projection_of_a_normal_is_the_normal_that_the_plane_shows(sheets):
    space, plane = sheets("closed-projection").panels[0]
    shown = {mark.key: mark for mark in plane.of(Ellipse, "row")}
    assert [mark.key for mark in space.of(Area, "shadow")] == list(shown)
    from uapca import UAPCA
    from uapca.views.figures.closed_projection import EYE, rows_in_space

    pca = UAPCA(2).fit(rows_in_space())
    to_paper = pca.components_ @ EYE.T  # from the plane's coordinates to the paper's
    for mark in space.of(Area, "shadow"):
        on_plane = (mark.rings[0] - EYE @ pca.mean_) @ np.linalg.inv(to_paper)
        ellipse = shown[mark.key]
        along = np.radians(ellipse.angle)
        axes = np.array([[np.cos(along), np.sin(along)], [-np.sin(along), np.cos(along)]])
        unit = (on_plane - ellipse.center) @ axes.T / ellipse.radii
        np.testing.assert_allclose(np.hypot(*unit.T), 1.0, rtol=1e-9)


def test_scaled_ellipses_grow_like_s_and_components_turn(sheets):
    panels = sheets("scaling").panels[0]
    radii = [{mark.key: mark.radii for mark in panel.of(Ellipse, "row")} for panel in panels]
    for key, small in radii[0].items():
        np.testing.assert_allclose(np.divide(radii[1][key], small), 2.0, rtol=1e-9)
        np.testing.assert_allclose(np.divide(radii[2][key], small), 3.0, rtol=1e-9)
    first = [components(panel)["PC1"] for panel in panels]
    assert 0 < turn(first[0], first[1]) < turn(first[0], first[2])


def test_progression_turns_around_w(sheets):
    above, below = sheets("progression").panels
    ends = {mark.key: mark.points[-1] for mark in above[-1].of(Polyline, "now")}
    assert np.linalg.norm(ends["w"]) < 0.1
    assert np.linalg.norm(ends["u"]) > 0.99
    assert np.linalg.norm(ends["v"]) > 0.99
    # One rotation takes all projected means from the first panel to the last.
    start, stop = (
        np.array([mark.points[0] for mark in panel.of(Markers, "mean")])
        for panel in (below[0], below[-1])
    )
    u, _, v = np.linalg.svd(start.T @ stop)
    assert np.linalg.det(u @ v) == pytest.approx(1.0)
    assert np.abs(start @ (u @ v) - stop).max() < 0.1 * np.abs(start).max()
    assert np.degrees(np.arccos((u @ v)[0, 0])) == pytest.approx(60, abs=3)


def test_iris_has_no_crossing_in_the_picture_and_the_synthetic_data_two(sheets):
    (_, iris), (_, synthetic) = sheets("eigenvalues").panels
    assert iris.of(Rule) == ()
    scales = [rule.at / (1 - rule.at) for rule in synthetic.of(Rule, "crossing")]
    np.testing.assert_allclose(scales, [0.37, 0.54], atol=0.005)
    assert [label.text for label in synthetic.of(Label, "crossing")] == ["s = 0.369", "s = 0.538"]


def test_iris_petal_width_ends_nearest_the_centre(sheets):
    (traces, _), _ = sheets("eigenvalues").panels
    ends = {mark.key: np.linalg.norm(mark.points[-1]) for mark in traces.of(Polyline, "trace")}
    assert min(ends, key=ends.get) == "petal width (cm)"


def test_students_p1_approaches_unit_length_and_tom_may_be_where_jane_is(sheets):
    (_, ours), (traces, marks) = sheets("student").panels
    (p1,) = [mark for mark in traces.of(Polyline, "trace") if mark.key == "P1"]
    assert np.linalg.norm(p1.points[-1]) == pytest.approx(1.0, abs=1e-9)
    reach = {mark.key: bounds([mark]) for mark in ours.of(Area, "row") if mark.level == 0.95}
    jane = next(mark.points[0] for mark in ours.of(Markers, "mean") if mark.key == "Jane")
    assert (reach["Tom"][0] < jane).all()
    assert (jane < reach["Tom"][1]).all()
    sizes = {key: np.prod(box[1] - box[0]) for key, box in reach.items()}
    assert max(sizes, key=sizes.get) == "Tom"
    assert {"N(14, 5.7)", "fairly good", "Jack"} <= {mark.text for mark in marks.of(Label, "cell")}


def group_moments(panel):
    """Mean and covariance of the points of each group, from the points drawn."""
    points = {}
    for mark in panel.of(Markers, "row"):
        points.setdefault(mark.key, []).append(mark.points)
    joined = {key: np.concatenate(parts) for key, parts in points.items()}
    return {key: (p.mean(axis=0), np.cov(p.T, ddof=0)) for key, p in joined.items()}


def ellipse_moments(panel, level):
    """Mean and covariance of each row, from its ellipse at one level."""
    found = {}
    for mark in panel.of(Ellipse, "row"):
        if mark.level == level:
            a = np.radians(mark.angle)
            turned = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
            spread = np.diag(np.square(mark.radii)) / (-2 * np.log1p(-level))
            found[mark.key] = (np.array(mark.center), turned @ spread @ turned.T)
    return found


def assert_agree(points, rows):
    """The same picture, up to the sign of an axis: all means and covariances agree."""
    seen, given = group_moments(points), ellipse_moments(rows, 0.95)
    assert set(seen) == set(given)
    for key, (mean, cov) in given.items():
        np.testing.assert_allclose(mean, seen[key][0], atol=1e-9)
        np.testing.assert_allclose(cov, seen[key][1], atol=1e-9)


def test_iris_ours_and_points_agree(sheets):
    ours, points = sheets("iris").panels[0]
    assert_agree(points, ours)


@pytest.mark.usefixtures("anuran_found")
def test_anuran_ours_and_points_agree_by_family_and_by_genus(sheets):
    for row, count in zip(sheets("anuran").panels, (4, 8), strict=True):
        points, ours = row
        assert_agree(points, ours)
        assert len(group_moments(points)) == count


def test_samples_needed_grow_with_the_number_of_features(sheets):
    (panel,) = sheets("sampling-comparison").panels[0]
    lines = [mark for mark in panel.of(Polyline) if not mark.guide]
    assert len(lines) == 11
    slopes = [np.polyfit(*np.log10(line.points.T), 1)[0] for line in lines]
    np.testing.assert_allclose(slopes, -0.5, atol=0.06)
    last = [line.points[-1, 1] for line in lines]
    assert last == sorted(last)


def test_unknown_figure_is_refused_with_the_nearest_name():
    with pytest.raises(ValueError) as error:
        figures.build("students")
    assert str(error.value).endswith("got 'students': perhaps 'student' was meant")
