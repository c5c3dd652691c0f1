"""Data so small that other pages would break, and so large that they would crawl."""

import numpy as np
import pytest

import uapca
from builders import random_uncertain

ONE_ROW = uapca.UncertainArray([[1.0, 2.0, 3.0]], std=[[1.0, 2.0, 0.5]], names=["only"])
TINY = {
    "one row": (ONE_ROW, "There is one row: only its own uncertainty can be seen"),
    "one certain row": (uapca.UncertainArray([[1.0, 2.0]]), "Nothing varies"),
    "one feature": (
        uapca.UncertainArray(
            [[1.0], [2.0], [5.0]], std=[[1.0], [0.2], [0.5]], names=["a", "b", "c"]
        ),
        "There is one feature, and so one component at every s.",
    ),
    "one value": (uapca.UncertainArray([[3.0]], std=0.5), "There is one feature"),
    "two rows": (
        uapca.UncertainArray([[1.0, 2.0], [3.0, 5.0]], std=[[1, 0.3], [0.2, 0.5]]),
        "Adding the uncertainty barely turns PC1 and PC2",
    ),
    "certain rows": (
        uapca.UncertainArray([[1.0, 2], [2, 3], [5, 1]]),
        "All rows are certain: the picture is the same at every s.",
    ),
    "identical rows": (uapca.UncertainArray(np.ones((3, 3)), std=0.5), "The means do not differ"),
    "flat errors": (
        uapca.UncertainArray([[0.0, 0], [4, 1], [1, 3]], std=[1.0, 0.0]),
        "Adding the uncertainty barely turns PC1 and PC2 (2°)",
    ),
    "far away": (
        uapca.UncertainArray([[1e8, 1e8 + 1], [1e8 + 2, 1e8], [1e8 + 3, 1e8 + 4]], std=0.25),
        "Adding the uncertainty barely turns PC1 and PC2",
    ),
}


@pytest.mark.parametrize("name", TINY)
def test_a_sensible_page(opened, name):
    X, words = TINY[name]
    page = opened(X, name.capitalize())
    assert words in page.verdict
    assert page.text("means").count("NaN") == 0
    page.agrees()
    for key in ("Home", "End"):
        page.slider.focus()
        page.slider.press(key)
        page.settle()
        page.agrees()
    drawn = page.page.eval_on_selector_all(
        ".uapca-svg *",
        "(all) => all.flatMap((e) => [...e.attributes].map((a) => a.value)).join(' ')",
    )
    assert "NaN" not in drawn
    assert "Infinity" not in drawn.replace("data-scale", "")
    assert page.page.locator(".uapca-row").count() == len(X)
    assert page.page.locator(".uapca-line").count() == len(X)


def test_one_feature_is_drawn_as_intervals(opened):
    page = opened(TINY["one feature"][0], "One feature")
    assert page.page.locator(".uapca-traces").is_hidden()
    legend = page.page.locator(".uapca-key").inner_text()
    assert legend.startswith("Interval: 95 % of each row’s probability")
    places = [page.place_of(row) for row in range(3)]
    assert places[0][1] < places[1][1] < places[2][1]
    page.page.mouse.click(*places[2])
    page.settle()
    assert page.selection == [2]


def test_many_rows(opened):
    rng = np.random.default_rng(5)
    X = random_uncertain(rng, n=2000, d=10, kind="diagonal")
    page = opened(X, "Many rows")
    page.drag(page.slider, (0.5, 0.5), (0.3, 0.5))
    page.agrees()
    # Only lines that can be seen exist; a search finds any.
    assert page.page.locator(".uapca-line").count() < 60
    page.page.get_by_label("Find a row").fill("1234")
    assert page.page.locator(".uapca-line").count() == 1
    page.page.locator(".uapca-row-name").click()
    page.settle()
    assert page.selection == [1234]
    # Outlying and wide rows have outlines of their own, and so has the one that was found.
    assert 2 <= page.page.locator(".uapca-row").count() <= 17
    assert page.page.locator('.uapca-row[data-row="1234"].is-selected').count() == 1
    page.drag(page.page.locator(".uapca-projection .uapca-stage"), (0.3, 0.3), (0.7, 0.7))
    assert len(page.selection) > 20


def test_more_features_than_can_be_decomposed_live(opened):
    rng = np.random.default_rng(6)
    X = random_uncertain(rng, n=8, d=61, kind="diagonal")
    page = opened(X, "Wide")
    assert "computed beforehand" in page.verdict
    assert page.page.locator(".uapca-line input").first.is_disabled()
    page.agrees()


def test_no_words_on_how_an_undefined_component_turns(opened):
    tied = uapca.UncertainArray(3 * np.eye(4), std=[1, 1, 1, 1.2])
    words = opened(tied, "Tied").verdict
    assert words.startswith(
        "PC1 and PC2 are not defined at s = 0: other directions have the same variance."
    )
    assert "turn" not in words
    two = uapca.UncertainArray([[0.0, 0, 0, 0], [5, 1, 0, 0]], std=[1, 0.8, 0.6, 0.4])
    words = opened(two, "Two").verdict
    assert words.startswith(
        "PC2 is not defined at s = 0: no variance is left for it. "
        "Adding the uncertainty barely turns PC1 ("
    )
    assert "PC1 and PC2" not in words.partition("Together")[0]
