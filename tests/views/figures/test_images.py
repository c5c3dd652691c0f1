"""Three key figures look as they did: a tolerant comparison with small grey pictures.

Fonts and their edges differ between versions of matplotlib, so pictures are compared by how dark
each cell of a coarse grid is. After a wanted change, look at the figures and write the pictures
anew with ``UAPCA_WRITE_BASELINES=1 pytest tests/views/figures/test_images.py``.
"""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib import image

from uapca.views import figures
from uapca.views.mpl import draw_sheet
from uapca.views.scene import Label

BASELINES = Path(__file__).with_name("baselines")
KEY_FIGURES = ("teaser", "eigenvalues", "student")
CELL = 6  # pixels
TOLERANCE = 0.03  # root mean square difference of darkness, from 0 to 1


def grey(sheet):
    """The figure in grey at 40 dots an inch, (height, width), dark is 1."""
    figure = draw_sheet(sheet)
    figure.set_dpi(40)
    figure.canvas.draw()
    return 1 - np.asarray(figure.canvas.buffer_rgba())[..., :3].mean(axis=2) / 255


def cells(picture):
    """How dark each cell is, (rows, columns)."""
    rows, columns = picture.shape[0] // CELL, picture.shape[1] // CELL
    cut = picture[: rows * CELL, : columns * CELL]
    return cut.reshape(rows, CELL, columns, CELL).mean(axis=(1, 3))


def difference(a, b):
    assert a.shape == b.shape
    return float(np.sqrt(np.mean((cells(a) - cells(b)) ** 2)))


def baseline(name):
    picture = image.imread(BASELINES / f"{name}.png")
    return 1 - (picture if picture.ndim == 2 else picture[..., :3].mean(axis=2))


@pytest.mark.parametrize("name", KEY_FIGURES)
def test_key_figures_look_as_they_did(sheets, name):
    picture = grey(sheets(name))
    if os.environ.get("UAPCA_WRITE_BASELINES"):
        from PIL import Image

        BASELINES.mkdir(exist_ok=True)
        levels = np.round(255 * (1 - picture)).astype(np.uint8)
        Image.fromarray(levels).save(BASELINES / f"{name}.png", optimize=True)
    assert difference(picture, baseline(name)) < TOLERANCE


@pytest.mark.parametrize("name", KEY_FIGURES)
def test_the_comparison_sees_what_is_missing(sheets, name):
    sheet = sheets(name)
    panels = tuple(
        tuple(
            panel
            and panel.with_(marks=tuple(m for m in panel.marks if m.guide or isinstance(m, Label)))
            for panel in row
        )
        for row in sheet.panels
    )
    assert difference(grey(replace(sheet, panels=panels)), baseline(name)) > TOLERANCE


def check_nothing_is_cut_off(sheet):
    figure = draw_sheet(sheet)
    taken, pixel = figure.get_tightbbox(), 0.1 / figure.dpi
    assert (taken.min >= -pixel).all(), taken
    assert (taken.max <= figure.get_size_inches() + pixel).all(), taken


@pytest.mark.parametrize("name", [n for n in figures.NAMES if n not in figures.NEEDS_ANURAN])
def test_no_text_is_cut_off(sheets, name):
    check_nothing_is_cut_off(sheets(name))


@pytest.mark.usefixtures("anuran_found")
def test_no_text_is_cut_off_in_anuran(sheets):
    check_nothing_is_cut_off(sheets("anuran"))
