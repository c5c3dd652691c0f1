"""Hover, click, brush and the keyboard, linked across panels."""

import pytest

from builders import random_uncertain
from explorer.browser.driver import close


@pytest.fixture
def page(opened, students):
    return opened(students, "Student grades")


def hovered(page, selector):
    return [
        int(x)
        for x in page.page.eval_on_selector_all(
            selector, "(all) => all.map((e) => e.dataset.row ?? e.dataset.feature)"
        )
    ]


def test_pointing_at_a_row_shows_it_everywhere(page, students):
    page.page.mouse.move(*page.place_of(3))
    page.settle()
    assert hovered(page, ".uapca-row.is-hovered") == [3]
    assert hovered(page, ".uapca-line.is-hovered") == [3]
    tip = page.page.locator(".uapca-tip")
    assert tip.is_visible()
    assert "Jane" in tip.inner_text()
    table = tip.locator(".uapca-table")
    assert page.page.locator(".uapca-ray").get_attribute("visibility") == "visible"
    assert page.page.locator(".uapca-reason[visibility=visible]").count() == 8
    cells = table.locator("tbody tr").all_inner_texts()
    mean, sd = students.mean[3], students.cov.std()[3]
    assert cells[0].split("\t")[1] == f"{mean[0]:.1f} ± {sd[0]:.1f}"  # places of the error
    assert cells[2].split("\t")[1] == f"{mean[2]:.4g}"  # a certain mark has no error


def test_pointing_at_a_feature_shows_it_everywhere(page):
    page.page.locator('.uapca-feature[data-feature="2"]').hover()
    page.settle()
    assert hovered(page, ".uapca-trace.is-on") == [2]
    assert hovered(page, ".uapca-feature.is-on") == [2]
    assert page.page.locator(".uapca-arrow").get_attribute("visibility") == "visible"
    page.page.locator('.uapca-feature[data-feature="2"]').click()
    page.page.mouse.move(2, 2)
    page.settle()
    assert hovered(page, ".uapca-trace.is-on") == [2]  # kept in view
    page.page.locator('.uapca-feature[data-feature="2"]').click()
    page.page.mouse.move(2, 2)
    page.settle()
    assert hovered(page, ".uapca-trace.is-on") == []


def test_pointing_at_a_trace(page):
    dot = page.page.locator('.uapca-trace[data-feature="1"] .uapca-dot')
    dot.scroll_into_view_if_needed()
    box = dot.bounding_box()
    page.page.mouse.move(box["x"] + 4, box["y"] + 4)
    page.settle()
    assert hovered(page, ".uapca-feature.is-on") == [1]


def test_clicks_select(page):
    page.page.mouse.click(*page.place_of(2))
    page.settle()
    assert page.selection == [2]
    page.page.keyboard.down("Shift")
    page.page.mouse.click(*page.place_of(4))
    page.page.keyboard.up("Shift")
    page.settle()
    assert page.selection == [2, 4]
    assert hovered(page, ".uapca-line.is-selected") == [2, 4]
    head = page.page.locator(".uapca-table thead").inner_text()
    assert "Bob" in head
    assert "Joe" in head
    box = page.page.locator(".uapca-projection .uapca-stage").bounding_box()
    page.page.mouse.click(box["x"] + 80, box["y"] + 20)
    page.settle()
    assert page.selection == []


def test_a_name_in_the_list_selects(page):
    page.named("button", "David").click()
    page.settle()
    assert page.selection == [1]
    assert page.named("button", "David").get_attribute("aria-pressed") == "true"
    page.named("button", "David").click()
    page.settle()
    assert page.selection == []


def test_a_brush_selects_what_it_covers(page):
    places = [page.place_of(row) for row in range(6)]
    box = page.page.locator(".uapca-projection .uapca-stage").bounding_box()
    middle = sorted(x for x, _ in places)[2] + 3
    start = ((80 - 0) / box["width"], 20 / box["height"])
    stop = ((middle - box["x"]) / box["width"], 0.9)
    page.drag(page.page.locator(".uapca-projection .uapca-stage"), start, stop)
    inside = [row for row, (x, _) in enumerate(places) if box["x"] + 80 < x < middle]
    assert len(inside) == 3
    assert page.selection == inside


def test_escape_gives_a_brush_up(page):
    """What was selected before stays, whatever had the focus; the next brush is a new one."""
    page.named("button", "David").click()
    page.page.evaluate("scrollTo(0, 0)")
    page.settle()
    box = page.page.locator(".uapca-projection .uapca-stage").bounding_box()
    mouse, band = page.page.mouse, page.page.locator(".uapca-brush")
    corner = (box["x"] + 80, box["y"] + 20)
    far = (box["x"] + box["width"] - 30, box["y"] + 0.9 * box["height"])
    for focus in ("button", "stage"):
        if focus == "stage":
            page.page.locator(".uapca-projection .uapca-stage").focus()
        mouse.move(*corner)
        mouse.down()
        mouse.move(*far, steps=4)
        assert band.get_attribute("visibility") == "visible"
        page.page.keyboard.press("Escape")
        assert band.get_attribute("visibility") == "hidden"
        mouse.move(far[0] - 40, far[1])
        assert band.get_attribute("visibility") == "hidden"
        mouse.up()
        page.settle()
        assert page.selection == [1]
    mouse.move(*corner)
    mouse.down()
    mouse.move(*far, steps=4)
    mouse.up()
    page.settle()
    assert page.selection == list(range(6))
    page.page.locator(".uapca-projection .uapca-stage").press("Escape")
    page.settle()
    assert page.selection == []


def test_zoom_and_back(page):
    before = page.place_of(0)
    page.named("button", "Zoom in").click()
    page.settle()
    assert page.place_of(0) != before
    page.named("button", "Fit").click()
    page.settle()
    assert page.place_of(0) == pytest.approx(before, abs=1.0)


def test_pan(page):
    before = page.place_of(0)
    page.named("button", "Pan").click()
    stage = page.page.locator(".uapca-projection .uapca-stage")
    page.drag(stage, (0.5, 0.5), (0.6, 0.5))
    moved = page.place_of(0)
    assert moved[0] - before[0] == pytest.approx(0.1 * stage.bounding_box()["width"], abs=3)
    assert page.selection == []


def test_everything_by_keyboard(page):
    """From the top of the page with Tab alone; no mouse."""
    page.named("button", "Tom").click()
    page.page.locator(".uapca-head").click()
    keyboard = page.page.keyboard
    reached = []
    for _ in range(60):
        keyboard.press("Tab")
        label = page.page.evaluate(
            """() => {
              const e = document.activeElement;
              const ring = getComputedStyle(e);
              const seen = ring.outlineStyle !== 'none' || e.closest('.uapca-crossing');
              const name = e.getAttribute('aria-label') || e.textContent || e.type;
              return e === document.body ? '' : (seen ? '' : 'NO FOCUS RING ') + name;
            }"""
        )
        if not label:
            break
        reached.append(label)
    text = " | ".join(reached)
    assert "NO FOCUS RING" not in text
    for wanted in (
        "SVG",
        "PNG",
        "CSV",
        "JSON",
        "Play",
        "Scale s of the uncertainty",
        "Scale s as a number",
        "Component on the horizontal axis",
        "Component on the vertical axis",
        "Probability inside an ellipse",
        "Projection of the rows",
        "Factor traces",
        "Eigenvalues over the scale",
        "change places|come close",
        "Entries of the two components",
        "Tom",
        "Weight of Tom",
        "Only Tom",
        "Weight of Jack",
        "Details of the chosen rows",
    ):
        assert any(word in text for word in wanted.split("|")), wanted


def test_keys_of_the_scale(page):
    page.slider.focus()
    for key, scale in (("PageUp", 2.0), ("End", float("inf")), ("PageDown", 2.0), ("Home", 0.0)):
        page.slider.press(key)
        page.settle()
        assert page.scale == scale
    page.slider.press("ArrowRight")
    page.settle()
    close(page.scale, 0.01 / 0.99)
    page.agrees()


def test_keys_of_the_projection(page):
    stage = page.page.locator(".uapca-projection .uapca-stage")
    stage.focus()
    for _ in range(2):
        stage.press("ArrowRight")
    page.settle()
    assert hovered(page, ".uapca-row.is-hovered") == [1]
    assert page.page.locator(".uapca-unseen").inner_text() == "David"
    stage.press("Enter")
    stage.press("ArrowLeft")
    stage.press("Shift+Enter")
    page.settle()
    assert page.selection == [0, 1]
    stage.press("Escape")
    page.settle()
    assert page.selection == []


def test_keys_of_features_and_crossings(page):
    stage = page.page.locator(".uapca-loadings .uapca-stage")
    stage.focus()
    stage.press("End")
    page.settle()
    assert hovered(page, ".uapca-trace.is-on") == [3]
    mark = page.page.locator(".uapca-crossing.is-strong").first
    mark.focus()
    mark.press("Enter")
    page.settle()
    assert page.scale == float(mark.get_attribute("data-scale"))


def test_undo_by_keyboard(page, students):
    slider = page.named("slider", "Weight of Tom")
    slider.focus()
    for _ in range(5):
        slider.press("ArrowRight")
    page.settle()
    assert page.numbers("weights")[0] > students.weights[0]
    slider.press("Control+z")
    page.settle()
    close(page.numbers("weights"), students.weights)


def test_groups_share_a_look(opened, rng):
    X = random_uncertain(rng, n=5, d=3)
    page = opened(X, "Groups", groups=["a", "b", "a", None, "b"])
    colors = [
        page.page.locator(f'.uapca-row[data-row="{row}"] .uapca-mean').get_attribute("fill")
        for row in range(5)
    ]
    assert colors[0] == colors[2]
    assert colors[1] == colors[4]
    assert len({colors[0], colors[1], colors[3]}) == 3
    legend = page.page.locator(".uapca-legend li").all_inner_texts()
    assert legend == ["a", "b", "(no group)"]
