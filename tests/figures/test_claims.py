"""Each figure of the paper makes a claim: it is checked from what the figure shows."""

from functools import cache

import numpy as np
import pytest
from matplotlib.patches import Ellipse
from matplotlib.path import Path

import uapca
from uapca import figures
from uapca.plot.regions import rings

drawn = cache(figures.draw)
HERE = [name for name in figures.NAMES if name not in figures.NEEDS_ANURAN]


def components(ax):
    """Components as vectors, by name."""
    texts = [t for t in ax.texts if (t.get_gid() or "").startswith("PC")]
    return {t.get_gid(): np.subtract(t.xy, t.xyann) for t in texts}


def turn(a, b):
    """The angle between two lines, in degrees, whichever way they point."""
    return np.degrees(np.arccos(min(abs(a @ b) / np.linalg.norm(a) / np.linalg.norm(b), 1.0)))


def ellipses(ax):
    return {p.get_gid()[4:]: p for p in ax.patches if isinstance(p, Ellipse) and p.get_gid()}


@pytest.mark.parametrize("name", HERE)
def test_every_figure_has_a_caption_and_nothing_is_cut_off(name):
    figure = drawn(name)
    assert len(figures.caption(name)) > 100
    figure.canvas.draw()
    taken, pixel = figure.get_tightbbox(), 1 / figure.dpi
    assert (taken.min >= -pixel).all(), taken
    assert (taken.max <= figure.get_size_inches() + pixel).all(), taken


def test_teaser_outermost_rows_change_places_between_one_half_and_four_fifths():
    X = uapca.datasets.make_teaser()
    outermost = []
    for s in (0.0, 0.5, 0.8, 1.0):
        at = uapca.UAPCA(1).fit(X.scaled(s)).transform(X).mean[:, 0]
        outermost.append({X.names[at.argmin()], X.names[at.argmax()]})
    assert outermost == [{"red", "green"}] * 2 + [{"orange", "blue"}] * 2
    below = drawn("teaser").axes[4:]
    for ax, ends in zip(below[1:], outermost[1:], strict=True):
        lines = [line for line in ax.lines if (line.get_gid() or "").startswith("row:")]
        peaks = {ln.get_gid()[4:]: ln.get_xdata()[np.argmax(ln.get_ydata())] for ln in lines}
        assert {min(peaks, key=peaks.get), max(peaks, key=peaks.get)} == ends


def test_isotropic_errors_lengthen_and_arbitrary_ones_turn():
    plain, same, other = (components(ax) for ax in drawn("distribution-types").axes)
    for key in ("PC1", "PC2"):
        assert turn(plain[key], same[key]) < 1e-5
        assert np.linalg.norm(same[key]) > np.linalg.norm(plain[key])
    assert turn(plain["PC1"], other["PC1"]) > 45


def test_projection_of_a_normal_is_the_normal_that_the_plane_shows():
    from uapca.figures.closed_projection import EYE, rows_in_space

    space, plane = drawn("closed-projection").axes
    shown = list(ellipses(plane).values())
    shadows = [p for p in space.patches if (p.get_gid() or "").startswith("shadow")]
    pca = uapca.UAPCA(2).fit(rows_in_space())
    back = np.linalg.inv(pca.components_ @ EYE.T)  # from the paper to the plane's coordinates
    assert len(shadows) == len(shown) == 4
    for shadow, ellipse in zip(shadows, shown, strict=True):
        on_plane = (shadow.get_xy() - EYE @ pca.mean_) @ back
        along = np.radians(ellipse.angle)
        axes = np.array([[np.cos(along), np.sin(along)], [-np.sin(along), np.cos(along)]])
        unit = (on_plane - ellipse.center) @ axes.T / [ellipse.width / 2, ellipse.height / 2]
        np.testing.assert_allclose(np.hypot(*unit.T), 1.0, rtol=1e-9)


def test_scaled_ellipses_grow_like_s_and_components_turn():
    axes = drawn("scaling").axes
    small, middle, large = (
        {key: np.array([p.width, p.height]) for key, p in ellipses(ax).items()} for ax in axes
    )
    for key, size in small.items():
        np.testing.assert_allclose(middle[key] / size, 2.0, rtol=1e-9)
        np.testing.assert_allclose(large[key] / size, 3.0, rtol=1e-9)
    first = [components(ax)["PC1"] for ax in axes]
    assert 0 < turn(first[0], first[1]) < turn(first[0], first[2])


def test_progression_turns_around_w():
    figure = drawn("progression")
    ends = {}
    for text in figure.axes[3].texts:
        if (text.get_gid() or "").startswith("name:"):
            ends[text.get_text()] = np.linalg.norm(text.xy)
    assert ends["w"] < 0.1
    assert ends["u"] > 0.99
    assert ends["v"] > 0.99


def test_iris_has_no_crossing_in_the_picture_and_the_synthetic_data_two():
    _, iris, _, synthetic = drawn("eigenvalues").axes
    assert not [line for line in iris.lines if line.get_gid() == "crossing"]
    met = [line.get_xdata()[0] for line in synthetic.lines if line.get_gid() == "crossing"]
    np.testing.assert_allclose([u / (1 - u) for u in met], [0.37, 0.54], atol=0.005)


def test_iris_petal_width_ends_nearest_the_center():
    texts = drawn("eigenvalues").axes[0].texts
    ends = {t.get_text(): np.linalg.norm(t.xy) for t in texts if "name:" in (t.get_gid() or "")}
    assert min(ends, key=ends.get) == "petal width (cm)"


def test_students_p1_approaches_unit_length_and_the_table_is_there():
    traces, table = drawn("student").axes[2:]
    (p1,) = (t for t in traces.texts if t.get_gid() == "name:P1")
    assert np.linalg.norm(p1.xy) == pytest.approx(1.0, abs=1e-9)
    cells = {cell.get_text().get_text() for cell in table.tables[0].get_celld().values()}
    assert {"N(14, 5.7²)", "fairly good", "Jack"} <= cells


def test_toms_region_holds_41_percent_of_jane_and_not_her_mean():
    X = uapca.datasets.load_students()
    Y = uapca.UAPCA(2).fit(X).transform(X)
    tom, jane = Y.law(X.names.index("Tom")), Y.law(X.names.index("Jane"))
    (region,) = rings(tom, 0.95)
    inside = np.zeros(20_000, dtype=int)
    draws = jane.sample(len(inside), rng=0)
    for ring in region:
        inside += Path(ring).contains_points(draws)
    assert (inside % 2).mean() == pytest.approx(0.41, abs=0.015)
    assert not Path(region[0]).contains_point(jane.mean)
    here = tom.density((jane.mean[:1], jane.mean[1:]))
    assert float(np.ravel(here)[0]) == pytest.approx(0.0, abs=1e-9)
    assert "41 %" in figures.caption("student")


def agree(points, rows, level=0.95):
    """The same picture: ellipses have the moments of the points of each color."""
    means = np.array([p.center for p in ellipses(rows).values()])
    found = [np.asarray(c.get_offsets()) for c in points.collections if c.get_gid() == "certain"]
    by_color = {}
    for collection in (c for c in points.collections if c.get_gid() == "certain"):
        at, colors = np.asarray(collection.get_offsets()), collection.get_facecolors()
        for k, spot in enumerate(at):
            by_color.setdefault(tuple(colors[k % len(colors)].round(4)), []).append(spot)
    assert found
    centers = np.array([np.mean(spots, axis=0) for spots in by_color.values()])
    for center in centers:
        assert np.abs(means - center).max(axis=1).min() < 1e-8
    return len(by_color)


def test_iris_ours_and_points_agree():
    ours, points = drawn("iris").axes
    assert agree(points, ours) == 3


@pytest.mark.usefixtures("anuran_found")
def test_anuran_ours_and_points_agree_by_family_and_by_genus():
    axes = drawn("anuran").axes
    for count, points, ours in ((4, axes[0], axes[1]), (8, axes[2], axes[3])):
        assert agree(points, ours) == count


def test_samples_needed_grow_with_the_number_of_features():
    ax = drawn("sampling-comparison").axes[0]
    lines = [line for line in ax.lines if (line.get_gid() or "").startswith("D = ")]
    assert len(lines) == 11
    slopes = [np.polyfit(*np.log10(line.get_xydata().T), 1)[0] for line in lines]
    np.testing.assert_allclose(slopes, -0.5, atol=0.06)
    last = [line.get_ydata()[-1] for line in lines]
    assert last == sorted(last)


def test_unknown_figure_is_refused():
    with pytest.raises(ValueError, match="'students'"):
        figures.draw("students")
