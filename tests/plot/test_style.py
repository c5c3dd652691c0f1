"""Colors, dashes and shapes, and the settings plots are drawn with."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

import uapca
from uapca._looks import DARK_YELLOW, GREY, OKABE_ITO, looks, row_looks
from uapca.plot.base import settings
from uapca.plot.labels import drawn_color


def hexed(color):
    return [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]


def luminance(rgb):
    """The relative luminance of an sRGB color (Web Content Accessibility Guidelines)."""
    parts = np.asarray(rgb)
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_no_two_looks_are_alike():
    made = looks(30)
    assert len({(look.color, look.dash) for look in made}) == 30
    assert len({(look.color, look.shape) for look in made}) == 30
    assert {look.dash for look in made[: len(OKABE_ITO)]} == {"solid"}


def test_every_line_can_be_seen_on_white():
    contrast = [1.05 / (luminance(hexed(look.color)) + 0.05) for look in looks(8)]
    assert min(contrast) > 2
    assert (looks(8)[7].color, looks(8)[7].fill) == (DARK_YELLOW, OKABE_ITO[-1])


@pytest.mark.parametrize("background", ["white", "black", "#E5E5E5", "#009900"])
def test_text_can_be_read_on_its_background(background):
    from matplotlib.colors import to_rgb

    for color in OKABE_ITO:
        pair = sorted([luminance(drawn_color(color, background)), luminance(to_rgb(background))])
        assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5


def test_groups_are_in_natural_order_and_told_apart():
    found = row_looks(None, 4, ["g10", "g2", "g1", "g2"])
    assert [text for text, _ in found.legend] == ["g1", "g2", "g10"]
    assert found.looks[1] == found.looks[3] != found.looks[0]
    assert [text for text, _ in row_looks(None, 3, [10, 9, 2]).legend] == ["2", "9", "10"]
    assert [text for text, _ in row_looks(None, 3, ["b", 1, "a"]).legend] == ["1", "a", "b"]
    many = row_looks(None, 40, [f"g{i}" for i in range(40)])
    assert len({(look.color, look.shape, look.dash) for look in many.looks}) == 40


def test_rows_without_a_group_are_gray():
    found = row_looks(None, 3, ["a", None, float("nan")])
    assert [look.color for look in found.looks[1:]] == [GREY, GREY]
    assert [text for text, _ in found.legend] == ["a", "no group"]


def test_numbers_are_continuous_where_they_are_fractions_or_many():
    assert row_looks(None, 3, [1, 2, 2]).values is None
    np.testing.assert_array_equal(row_looks(None, 3, [0.5, 2, 2]).values, [0.5, 2, 2])
    assert row_looks(None, 20, range(20)).values is not None
    assert row_looks(None, 3, [True, False, True]).values is None


def test_palettes_may_leave_some_out():
    found = row_looks(["a", "b", "c"], 3, palette={"b": OKABE_ITO[0]})
    assert found.looks[1].color == OKABE_ITO[0]
    assert len({look.color for look in found.looks}) == 3
    shares = row_looks(["a"], 1, palette=[(1.0, 0.0, 0.2)])
    assert shares.looks[0].color == "#FF0033"


@pytest.mark.parametrize("palette", [[], {}, "red", [3]])
def test_a_palette_has_colors(palette):
    with pytest.raises(ValueError, match="palette must"):
        row_looks(["a"], 1, palette=palette)


def test_groups_are_one_for_each_row():
    with pytest.raises(ValueError) as error:
        row_looks(None, 3, ["a", "b"])
    assert str(error.value) == "groups must have one label for each of the 3 rows; got 2"


def test_of_many_rows_the_widest_have_colors():
    spreads = np.ones(30)
    spreads[[4, 17]] = 9, 12
    found = row_looks(None, 30, spreads=spreads)
    assert found.wide == (17, 4)
    assert len({look.color for look in found.looks}) == 3
    assert row_looks(None, 30, spreads=np.ones(30)).wide == ()


def test_looks_need_no_matplotlib():
    code = (
        "import sys; from uapca._looks import row_looks\n"
        "row_looks(None, 3); print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_missing_matplotlib_names_the_extra():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import uapca\n"
        "X = uapca.datasets.make_teaser()\n"
        "try:\n    uapca.plot.projection(uapca.UAPCA().fit(X), X)\n"
        "except ModuleNotFoundError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (
        'plots are drawn with matplotlib, which is not installed: pip install "uapca[plot]"'
    )


def iris():
    X = uapca.datasets.load_iris_groups()
    return uapca.UAPCA(2).fit(X), X


def test_the_users_own_settings_stay():
    with mpl.rc_context({"font.size": 13.0, "figure.figsize": (6, 5), "text.color": "red"}):
        ax = uapca.plot.scree(*iris())
        assert tuple(ax.figure.get_size_inches()) == (6, 5)
        assert ax.xaxis.label.get_fontsize() == 13.0
    assert mpl.rcParams["font.size"] == mpl.rcParamsDefault["font.size"]
    ax = uapca.plot.scree(*iris())
    assert (ax.figure.get_figwidth(), ax.xaxis.label.get_fontsize()) == (3.5, 8.0)


def test_styles_change_sizes_and_give_them_back():
    with uapca.plot.style("talk"):
        ax = uapca.plot.scree(*iris())
        assert (ax.figure.get_figwidth(), ax.xaxis.label.get_fontsize()) == (8.0, 16.0)
        with settings():
            assert mpl.rcParams["lines.linewidth"] == pytest.approx(2.2)
    with settings() as width:
        assert width == 3.5
    with pytest.raises(ValueError, match="style must be 'paper', 'notebook' or 'talk'"):
        uapca.plot.style("poster")


def test_a_width_keeps_the_height_of_what_is_in_the_picture():
    pca, X = iris()
    usual = uapca.plot.projection(pca, X).figure.get_size_inches()
    with uapca.plot.style("paper", width=1.2 * usual[0]):
        wide, high = uapca.plot.projection(pca, X).figure.get_size_inches()
        assert wide == pytest.approx(1.2 * usual[0])
        assert usual[1] < high < 1.3 * usual[1]
        assert uapca.plot.compare(pca.rescale(0.0), pca, X).get_figwidth() == pytest.approx(wide)
        with mpl.rc_context({"figure.figsize": (9.0, 2.0)}):
            assert uapca.plot.scree(pca, X).figure.get_figwidth() == pytest.approx(wide)
    assert uapca.plot.projection(pca, X).figure.get_figwidth() == usual[0]
    with pytest.raises(ValueError, match="width must be from 1.5 to 40 inches; got 85"):
        uapca.plot.style("paper", width=85)


def test_the_users_color_cycle_is_obeyed():
    cycle = mpl.cycler(color=["#111111", "#222222", "#333333"])
    with mpl.rc_context({"axes.prop_cycle": cycle}):
        ax = uapca.plot.projection(*iris(), levels=0.95)
    edges = {mpl.colors.to_hex(patch.get_edgecolor()) for patch in ax.patches}
    assert edges == {"#111111", "#222222", "#333333"}


def test_black_is_the_users_own_color():
    Y = uapca.UncertainArray(np.random.default_rng(0).normal(size=(7, 2)), std=1.0)
    with plt.style.context("dark_background"):
        ax = uapca.plot.projection(uapca.UAPCA().fit(Y), Y, palette=OKABE_ITO)
        patch = next(p for p in ax.patches if p.get_gid() == "row:6")
        assert patch.get_edgecolor()[:3] == (1.0, 1.0, 1.0)
