"""A contact sheet: every picture is there, and none is larger than it was beside the others."""

import numpy as np
from matplotlib import image

from uapca.views.mpl.contact import contact_sheet


def test_pictures_are_shrunk_alike(tmp_path):
    sizes = {"wide": (30, 80), "narrow": (30, 40), "tall $x$": (160, 80)}
    for name, (high, wide) in sizes.items():
        image.imsave(tmp_path / f"{name}.png", np.zeros((high, wide, 3)))
    figure = contact_sheet({name: tmp_path / f"{name}.png" for name in sizes})
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["wide", "narrow", "tall \\$x\\$"]
    inches = figure.get_size_inches()
    for ax, (high, wide) in zip(figure.axes, sizes.values(), strict=True):
        drawn = np.array(ax.get_position().size) * inches
        np.testing.assert_allclose(drawn, np.array([wide, high]) * 5.0 / 80, rtol=1e-9)
        assert ax.get_position().max.max() < 1.0
