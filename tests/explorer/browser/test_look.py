"""How the page lies on screens of three widths, light and dark."""

import numpy as np
import pytest

import uapca
from builders import random_uncertain

pytestmark = pytest.mark.slow
WIDTHS = (360, 1024, 2200)


@pytest.fixture(scope="module")
def data(students, anuran):
    points, levels = anuran
    genera = uapca.from_groups(points, levels["Genus"])
    return {
        "Student grades": students,
        "Iris": uapca.datasets.load_iris_groups(),
        "Anuran calls": genera,
    }


LOOK = """() => {
  const shape = (e) => e.getBoundingClientRect();
  const inside = (inner, outer) => inner.left >= outer.left - 1 && inner.right <= outer.right + 1
    && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
  const meet = (a, b, slack) => a.left < b.right - 1 && b.left < a.right - 1
    && a.top + slack < b.bottom - slack && b.top + slack < a.bottom - slack;
  const meeting = (boxes, slack) =>
    boxes.filter((a, i) => boxes.some((b, j) => j > i && meet(a, b, slack))).length;
  const seen = (e) => e.getClientRects().length > 0;
  const all = (selector) => [...document.querySelectorAll(selector)].filter(seen);
  const texts = all('.uapca-svg text')
    .filter((text) => text.textContent && !text.closest('[visibility=hidden]'));
  const names = all('.uapca-projection .uapca-labels text').map(shape);
  return {
    wide: document.documentElement.scrollWidth - innerWidth,
    cut: texts.filter((text) => !inside(shape(text), shape(text.closest('.uapca-svg'))))
      .map((text) => text.textContent),
    clipped: texts.filter((text) => text.closest('.uapca-projection [clip-path]')
      && shape(text).left < shape(text.closest('.uapca-svg')).left
      + Number(document.querySelector('.uapca-projection clipPath rect').getAttribute('x')) - 1)
      .map((text) => text.textContent),
    covered: meeting(names, 2),
    overlapping: meeting(all('.uapca-panel, .uapca-controls, .uapca-head').map(shape), 0),
    small: all('button, select, input')
      .filter((e) => shape(e).height < 16 || shape(e).width < 10).map((e) => e.outerHTML),
    names: names.length,
    theme: document.querySelector('.uapca').dataset.theme,
    paper: getComputedStyle(document.querySelector('.uapca-panel')).backgroundColor,
  };
}"""


@pytest.mark.parametrize("title", ["Student grades", "Iris", "Anuran calls"])
def test_nothing_is_cut_off_or_covered(opened, data, title):
    page = opened(data[title], title)
    for scheme, paper in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(28, 32, 36)")):
        page.page.emulate_media(color_scheme=scheme)
        for width in WIDTHS:
            page.resize(width)
            found = page.page.evaluate(LOOK)
            assert found["wide"] <= 0
            assert found["cut"] == []
            assert found["clipped"] == []
            assert found["covered"] == 0
            assert found["overlapping"] == 0
            assert found["small"] == []
            assert found["names"] == len(data[title])
            assert found["theme"] == scheme
            assert found["paper"] == paper
            assert page.page.screenshot().startswith(b"\x89PNG")


def test_all_bars_are_seen_or_it_is_said_that_there_are_more(opened, data):
    page = opened(data["Anuran calls"], "Anuran calls")
    hidden = """() => {
      const stage = document.querySelector('.uapca-loadings .uapca-stage');
      return stage.scrollHeight > stage.clientHeight + 1;
    }"""
    note = page.page.locator(".uapca-loadings .uapca-note")
    for width in WIDTHS:
        page.resize(width)
        assert not page.page.evaluate(hidden)
        assert "scroll" not in note.inner_text()
    wide = opened(random_uncertain(np.random.default_rng(0), 5, 45), "Many features")
    assert wide.page.evaluate(hidden)
    assert (
        wide.page.locator(".uapca-loadings .uapca-note")
        .inner_text()
        .endswith("All 45 features: scroll.")
    )


@pytest.mark.parametrize("width", [390, 800, 1000, 1280])
def test_lines_of_weights_are_not_cut_off(opened, data, width):
    for title, X in data.items():
        page = opened(X, title, width=width)
        sheet = page.page.locator(".uapca-weights .uapca-sheet").bounding_box()
        for button in page.page.locator(".uapca-only").all()[:3]:
            box = button.bounding_box()
            assert box["x"] + box["width"] <= sheet["x"] + sheet["width"] + 0.5


def test_names_of_many_rows_cover_no_marks(opened):
    rng = np.random.default_rng(0)
    names = [f"region number {i}" for i in range(40)]
    X = uapca.UncertainArray(rng.normal(size=(40, 3)), std=0.1, names=names)
    page = opened(X, "Regions")
    boxes = [
        label.bounding_box()
        for label in page.page.locator(".uapca-projection .uapca-labels text").all()
    ]
    places = [page.place_of(row) for row in range(40)]
    assert 10 < len(boxes) < 40
    for box in boxes:
        inside = [
            (x, y)
            for x, y in places
            if box["x"] + 2 < x < box["x"] + box["width"] - 2
            and box["y"] + 2 < y < box["y"] + box["height"] - 2
        ]
        assert not inside


@pytest.mark.parametrize("width", [1024, 2200])
def test_details_move_nothing_that_is_acted_on(opened, data, width):
    for title, X in data.items():
        page = opened(X, title, width=width)
        panels = [page.page.locator(f".uapca-{name}") for name in ("projection", "weights")]
        before = [panel.bounding_box() for panel in panels]
        page.page.locator(".uapca-row-name").first.click()
        page.settle()
        table = page.page.locator(".uapca-details .uapca-table")
        assert table.locator("tbody tr").count() > X.shape[1]
        assert [panel.bounding_box() for panel in panels] == before


def test_the_projection_stays_in_view_with_what_is_done_beside_it(opened, data):
    page = opened(data["Anuran calls"], "Anuran calls", width=1280, height=800)
    projection = page.page.locator(".uapca-projection")
    for y in (0, 400, 900):
        page.page.evaluate(f"scrollTo(0, {y})")
        page.settle()
        box = projection.bounding_box()
        controls = page.page.locator(".uapca-controls").bounding_box()
        assert box["y"] >= controls["y"] + controls["height"]
        assert box["y"] + box["height"] <= 800 + 1
        assert page.slider.bounding_box()["y"] >= 0


def test_on_a_phone_the_slider_stays_and_the_choices_scroll_away(opened, students):
    page = opened(students, "Student grades", width=360, height=700)
    page.page.evaluate("scrollTo(0, 1200)")
    page.settle()
    box = page.slider.bounding_box()
    assert 0 <= box["y"] < 120
    choices = page.page.locator(".uapca-choices").bounding_box()
    assert choices["y"] + choices["height"] <= 0


def test_the_aspect_is_equal(opened, students):
    page = opened(students, "Student grades")
    means = page.numbers("means").reshape(-1, 2)
    places = [page.place_of(row) for row in range(len(students))]
    (x0, y0), (x1, y1) = places[0], places[5]
    (a0, b0), (a1, b1) = means[0], means[5]
    across, along = (x1 - x0) / (a1 - a0), -(y1 - y0) / (b1 - b0)
    assert across == pytest.approx(along, rel=0.02)


def test_marks_and_names_have_enough_contrast(opened, students):
    for scheme in ("light", "dark"):
        page = opened(students, "Student grades", color_scheme=scheme)
        pairs = page.page.evaluate(
            """() => {
              const panel = document.querySelector('.uapca-panel');
              const paper = getComputedStyle(panel).backgroundColor;
              const words = '.uapca-note, .uapca-heading, .uapca-share, .uapca-field';
              return [...document.querySelectorAll(words)]
                .map((e) => [getComputedStyle(e).color, paper]);
            }"""
        )
        assert min(contrast(*pair) for pair in pairs) >= 4.5


def contrast(one, other):
    """The ratio of WCAG 2."""

    def luminance(text):
        channels = [int(c) / 255 for c in text[text.index("(") + 1 : -1].split(",")[:3]]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    a, b = sorted([luminance(one), luminance(other)])
    return (b + 0.05) / (a + 0.05)
