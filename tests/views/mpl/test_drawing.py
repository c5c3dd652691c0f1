"""What all plots share: axes and styles given by the user, settings, missing libraries, names."""

import inspect
import subprocess
import sys
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

import uapca
from uapca.views import scene
from uapca.views.mpl import draw, draw_sheet
from uapca.views.mpl.draw import written_above
from uapca.views.mpl.ink import drawable
from uapca.views.palette import OKABE_ITO, inks
from uapca.views.text import literal


@pytest.fixture(scope="module")
def traces():
    return uapca.factor_traces(uapca.datasets.load_students())


def line_panel(**panel):
    mark = scene.Polyline(role="row", points=[(0, 0), (1, 1)], ink=scene.Ink(color="#0072B2"))
    guide = scene.Rule(role="axis", at=0.5, guide=True)
    return scene.Panel(marks=(mark, guide), **panel)


def test_plots_draw_into_the_axes_given_and_return_them(traces):
    _, axes = plt.subplots(1, 2)
    assert uapca.plot.eigenvalues(traces, ax=axes[1]) is axes[1]
    assert axes[0].lines[:] == []
    assert len(plt.get_fignums()) == 1


def test_without_axes_a_new_figure_is_one_paper_column_wide(traces):
    ax = uapca.plot.eigenvalues(traces)
    assert ax.figure.get_figwidth() == 3.5
    assert ax.xaxis.label.get_fontsize() == 8.0


def test_the_readers_own_settings_stay(traces):
    with mpl.rc_context({"font.size": 13.0, "figure.figsize": (6, 5), "text.color": "red"}):
        ax = uapca.plot.eigenvalues(traces)
        assert tuple(ax.figure.get_size_inches()) == (6, 5)
        assert ax.xaxis.label.get_fontsize() == 13.0
    assert mpl.rcParams["font.size"] == mpl.rcParamsDefault["font.size"]


def test_styles_change_the_data_and_leave_guides_alone():
    _, ax = plt.subplots()
    draw(line_panel(), ax, color="black", linewidth=5, linestyle="--", alpha=0.5)
    data, guide = ax.lines
    assert data.get_color() == "black"
    assert data.get_linewidth() == 5
    assert data.get_linestyle() == "--"
    assert data.get_alpha() == 0.5
    assert guide.get_linewidth() != 5


def test_unknown_style_is_refused_before_anything_is_drawn(traces):
    _, ax = plt.subplots()
    panel = uapca.plot.eigenvalues.scene(traces)
    with pytest.raises(TypeError) as error:
        draw(panel, ax, colour="red")
    assert str(error.value) == (
        "colour must be one of the styles alpha, color, linestyle, linewidth; there is no such "
        "style. Change anything else on the Axes that is returned."
    )
    assert ax.lines[:] == []


def test_sheets_take_no_axes():
    _, ax = plt.subplots()
    with pytest.raises(TypeError) as error:
        uapca.plot.progression(uapca.datasets.make_progression(), ax=ax)
    assert str(error.value) == (
        "`progression` makes a whole figure: it takes neither `ax` nor styles; "
        "change the Figure that is returned"
    )


def test_every_plot_is_documented_with_what_drawing_adds():
    for name in uapca.plot.__all__:
        plot = getattr(uapca.plot, name)
        if not hasattr(plot, "scene"):
            continue
        text = inspect.getdoc(plot)
        assert "Returns" in text, name
        assert text.count("Parameters\n") == 1, name
        assert text.startswith(inspect.getdoc(plot.scene).splitlines()[0]), name
        if "matplotlib.axes.Axes\n" in text:
            assert list(inspect.signature(plot).parameters)[-2:] == ["ax", "style"], name


def test_missing_matplotlib_names_the_extra():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import uapca\n"
        "X = uapca.datasets.make_teaser()\n"
        "try:\n    uapca.plot.projection(X)\n"
        "except ModuleNotFoundError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (
        'pictures are drawn with matplotlib, which is not installed: pip install "uapca[plot]"'
    )


def test_scenes_need_no_matplotlib():
    code = (
        "import sys, uapca\n"
        "uapca.plot.eigenvalues.scene(uapca.factor_traces(uapca.datasets.make_crossings()))\n"
        "print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


HOSTILE = [
    "$\\frac{1}{",
    "</text><script>",
    "a\x00b\x1b[31m",
    "\u202eright",
    "x" * 500,
    "%s{}&amp;",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_data_in_every_format(tmp_path, name):
    panel = line_panel(
        title=name,
        x=scene.Axis(label=name, ticks=((0.0, name),)),
        legend=(scene.LegendEntry(text=name),),
    )
    label = scene.Label(role="row", key=name, at=(0.5, 0.5), text=name)
    ax = draw(panel.with_(marks=(*panel.marks, label)), plt.subplots()[1])
    for kind in ("png", "svg", "pdf"):
        ax.figure.savefig(tmp_path / f"x.{kind}")
    root = ET.parse(tmp_path / "x.svg").getroot()
    assert not [node for node in root.iter() if node.tag.endswith("script")]
    assert ax.get_title().replace("\\$", "$") == drawable(name)


def test_control_characters_are_shown_not_obeyed():
    assert literal("a\x1b[2J\r\n\u2028b\u202e") == "a␛[2J   b\ufffd"


def test_plain_scene_is_ready_for_json(traces):
    import json

    panel = uapca.plot.eigenvalues.scene(traces)
    content = json.loads(json.dumps(scene.plain(panel)))
    assert [mark["kind"] for mark in content["marks"]][:2] == ["Polyline", "Polyline"]
    np.testing.assert_array_equal(content["marks"][0]["points"], panel.marks[0].points)


def test_points_of_a_mark_are_its_own_and_read_only():
    points = np.zeros((2, 2))
    mark = scene.Polyline(role="row", points=points)
    points[0] = 1
    assert not mark.points.any()
    with pytest.raises(ValueError, match="read-only"):
        mark.points[0] = 1


def grey(color):
    """How light a colour looks in grey, from 0 to 1 (Rec. 709)."""
    parts = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def test_colours_come_before_dashes_and_no_two_inks_are_alike():
    made = inks(20)
    assert len({(ink.color, ink.dash) for ink in made}) == 20
    assert {ink.dash for ink in made[: len(OKABE_ITO)]} == {"solid"}


def test_every_colour_but_the_last_can_be_seen_on_white():
    # Contrast by WCAG's formula: at least 2 to 1 for marks on white paper.
    contrast = [1.05 / (grey(color) + 0.05) for color in OKABE_ITO[:-1]]
    assert min(contrast) > 2


def test_one_legend_for_a_sheet():
    panel = line_panel()
    entry = scene.LegendEntry(text="a line")
    figure = draw_sheet(scene.Sheet(panels=((panel, panel),), legend=(entry,)))
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a line"]
    assert len(figure.axes) == 2


def test_titles_of_one_row_stand_alike():
    """Also where one panel has words between its frame and its title."""
    traces = uapca.factor_traces(uapca.datasets.make_crossings())
    right = uapca.plot.eigenvalues.scene(traces).with_(title="b")
    left = uapca.plot.factor_traces.scene(traces).with_(title="a", height=0.92)
    assert written_above(right) > written_above(left) == 0.0
    figure = draw_sheet(scene.Sheet(panels=((left, right),), name="two"))
    figure.canvas.draw()
    bottoms = [ax.title.get_window_extent().y0 - ax.bbox.y1 for ax in figure.axes]
    assert abs(bottoms[0] - bottoms[1]) < 1.0
    words = [text.get_window_extent().y1 for text in figure.axes[1].texts]
    assert max(words) <= figure.axes[1].title.get_window_extent().y0
