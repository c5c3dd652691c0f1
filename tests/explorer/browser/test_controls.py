"""The controls, moved by mouse and by touch; every number on display is checked with Python."""

import itertools
import math
import re

import numpy as np
import pytest

import uapca
from explorer.browser.driver import close


@pytest.fixture
def page(opened, students):
    return opened(students, "Student grades")


def test_opens_at_the_data_as_given(page, students):
    assert page.scale == 1.0
    assert page.text("pair") == "0 1"
    assert page.text("level") == "0.95"
    close(page.numbers("weights"), students.weights)
    page.agrees()
    for name in (*students.names, *students.features):
        assert page.page.get_by_text(name, exact=True).first.is_visible()


def test_the_page_has_a_main_part_and_an_outline(page):
    (title,) = page.page.get_by_role("heading", level=1).all()
    assert title.inner_text() == "Student grades"
    assert page.page.get_by_role("main").get_by_role("heading", level=2).count() >= 6
    assert page.page.get_by_role("heading", level=3).count() == 0


def test_the_axes_tell_the_explained_variance(page):
    pca = page.agrees()
    titles = page.page.locator(".uapca-projection .uapca-axis-name").all_text_contents()
    for i, title in enumerate(titles):
        assert title == f"PC{i + 1} · {100 * pca.explained_variance_ratio_[i]:.1f} %"


def test_moving_s(page):
    seen = {page.scale}
    for place in (0.1, 0.4, 0.8):
        page.drag(page.slider, (0.5, 0.5), (place, 0.5))
        page.agrees()
        assert page.numbers("scale")[0] not in seen
        seen.add(page.scale)
    value = page.slider.get_attribute("aria-valuetext")
    assert value.startswith("s = ")


def test_ticks_are_exact(page):
    for tick, scale in (("0", 0.0), ("½", 0.5), ("1", 1.0), ("2", 2.0), ("∞", math.inf)):
        page.page.locator(".uapca-tick", has_text=re.compile(f"^{tick}$")).click()
        page.settle()
        assert page.scale == scale
        page.agrees()


def test_the_slider_catches_on_ticks(page):
    box = page.slider.bounding_box()
    u = (9 + (box["width"] - 18) * 2 / 3 + 2) / box["width"]  # two pixels beside s = 2
    page.drag(page.slider, (0.5, 0.5), (u, 0.5))
    assert page.scale == 2.0


def test_s_can_be_typed(page):
    entry = page.page.get_by_label("Scale s as a number; ∞ for infinity")
    for typed, scale in (("0.37", 0.37), ("inf", math.inf), ("1,5", 1.5), ("∞", math.inf)):
        entry.fill(typed)
        entry.press("Enter")
        page.settle()
        assert page.scale == scale
        page.agrees()
    for nonsense in ("-1", "two", ""):
        entry.fill(nonsense)
        entry.press("Enter")
        page.settle()
        assert page.scale == math.inf
        assert entry.input_value() == "∞"


def test_eigenvalue_panel_moves_s(page):
    page.drag(page.page.locator(".uapca-eigenvalues .uapca-stage"), (0.5, 0.4), (0.3, 0.4))
    assert 0 < page.scale < 1
    page.agrees()


def test_crossings_are_those_of_python_and_lead_there(page, students):
    wanted = uapca.factor_traces(students).crossings
    np.testing.assert_allclose(page.numbers("crossings"), [c.scale for c in wanted], rtol=1e-6)
    close = [c.scale for c in wanted if c.relative_gap < 0.3]  # as in plot.eigenvalues
    marks = page.page.locator(".uapca-crossing")
    assert 0 < marks.count() == len(close) < len(wanted)
    mark = page.page.locator(".uapca-crossing.is-strong").first
    mark.click()
    page.settle()
    assert page.scale == float(mark.get_attribute("data-scale"))
    page.agrees()


def test_component_pair(page):
    page.page.get_by_label("Component on the vertical axis").select_option("PC3")
    page.settle()
    assert page.text("pair") == "0 2"
    page.agrees()
    # The same component twice would show a line: the other axis gives way.
    page.page.get_by_label("Component on the horizontal axis").select_option("PC3")
    page.settle()
    assert page.text("pair") == "2 0"
    page.agrees()


def test_level(page):
    page.page.get_by_label("Densities").uncheck()
    before = page.page.locator('.uapca-row[data-row="0"] .uapca-region').bounding_box()
    page.page.get_by_label("Probability inside an ellipse").select_option("50 %")
    page.settle()
    assert page.text("level") == "0.5"
    legend = page.page.locator(".uapca-key .uapca-note").inner_text()
    assert legend.startswith("Ellipse: 50 % of each row’s probability")
    page.agrees()
    after = page.page.locator('.uapca-row[data-row="0"] .uapca-region').bounding_box()
    # The view is fitted again, so compare shapes with the distance between two rows.
    assert after["width"] / after["height"] == pytest.approx(
        before["width"] / before["height"], rel=0.1
    )


def test_standardize(page):
    page.page.get_by_label("Standardize").check()
    page.settle()
    assert page.text("standardize") == "true"
    page.agrees()
    page.drag(page.slider, (0.5, 0.5), (0.3, 0.5))
    page.agrees()


def test_one_weight_moves_and_the_others_keep_their_proportions(page, students):
    before = page.numbers("weights")
    page.drag(page.named("slider", "Weight of Tom"), (0.41, 0.5), (0.8, 0.5))
    after = page.numbers("weights")
    assert after[0] > 0.5
    close(after[1:] / after[1:].sum(), before[1:] / before[1:].sum())
    page.agrees()
    page.named("button", "Undo").click()
    page.settle()
    close(page.numbers("weights"), students.weights)
    assert page.named("button", "Undo").is_disabled()
    page.agrees()


def test_weight_buttons(page, students):
    page.named("button", "Only Jane").click()
    page.settle()
    close(page.numbers("weights"), np.eye(6)[3])
    page.named("button", "Equal").click()
    page.settle()
    close(page.numbers("weights"), np.full(6, 1 / 6))
    page.agrees()
    page.drag(page.named("slider", "Weight of Joe"), (0.41, 0.5), (0.1, 0.5))
    page.named("button", "Reset").click()
    page.settle()
    close(page.numbers("weights"), students.weights)
    for _ in range(4):
        page.named("button", "Undo").click()
    page.settle()
    close(page.numbers("weights"), students.weights)


def test_undo_by_keyboard(page, students):
    """What is done after a step back can be taken back as well; doing nothing leaves no step."""
    undo, slider = page.named("button", "Undo"), page.named("slider", "Weight of Tom")
    slider.focus()
    for key in ("ArrowRight", "ArrowRight", "Control+z", "ArrowRight"):
        slider.press(key)
    page.settle()
    assert not undo.is_disabled()
    np.testing.assert_allclose(
        np.sqrt(page.numbers("weights")[0]), np.sqrt(students.weights[0]) + 0.01
    )
    slider.press("Control+z")
    page.settle()
    close(page.numbers("weights"), students.weights)
    for _ in range(2):
        page.named("button", "Reset").click()
    assert undo.is_disabled()
    page.named("button", "Only Tom").click()
    undo.focus()
    undo.press("Enter")
    page.settle()
    assert undo.is_disabled()
    assert page.page.evaluate("document.activeElement.textContent") == "Reset"


def test_a_slider_goes_on_from_what_came_from_elsewhere(page):
    slider = page.named("slider", "Weight of Tom")
    slider.focus()
    slider.press("End")
    page.page.evaluate("location.hash = 'w=1_1_1_1_1_5'")
    page.page.wait_for_function(
        "() => Number(document.querySelector('.uapca').dataset.weights.split(' ')[5]) === 0.5"
    )
    slider.press("ArrowLeft")
    page.settle()
    weights = page.numbers("weights")
    close(np.sqrt(weights[0]), np.sqrt(0.1) - 0.01)
    close(weights[5] / weights[1], 5.0)
    page.agrees()


@pytest.mark.parametrize("typed", ["1e154", "1e200"])
def test_scales_without_a_square_are_infinite(opened, students, typed):
    page = opened(students, "Student grades", f"#s={typed}")
    assert page.scale == math.inf
    page.agrees()
    entry = page.page.get_by_label("Scale s as a number; ∞ for infinity")
    for text in ("1e21", typed):
        entry.fill(text)
        entry.press("Enter")
        page.settle()
        assert page.scale == (1e21 if text == "1e21" else math.inf)
    assert page.page.locator(".uapca-row").count() == 6


def test_weights_by_count(opened):
    X = uapca.datasets.load_iris_groups()
    page = opened(X, "Iris")
    page.named("button", "Only setosa").click()
    page.named("button", "By count").click()
    page.settle()
    close(page.numbers("weights"), [1 / 3] * 3)
    page.agrees()


def test_a_row_taken_to_everything_and_back(page):
    slider = page.named("slider", "Weight of Bob")
    slider.focus()
    slider.press("End")
    page.settle()
    close(page.numbers("weights"), np.eye(6)[2])
    slider.press("PageDown")
    page.settle()
    weights = page.numbers("weights")
    assert (weights > 0).all()
    close(weights[2], 0.81)
    page.agrees()


def test_play_and_pause(page):
    page.named("button", "Play").click()
    page.page.wait_for_function("() => Number(document.querySelector('.uapca-scale').value) > 0.52")
    page.named("button", "Pause").click()
    page.settle()
    assert page.scale > 1.0
    page.agrees()
    still = page.scale
    page.page.wait_for_timeout(150)
    assert page.scale == still


def test_less_motion_jumps_from_tick_to_tick(opened, students):
    page = opened(students, "Student grades", reduced_motion="reduce")
    page.page.evaluate(
        """() => {
            const slider = document.querySelector(".uapca-scale");
            window.seen = [Number(slider.value)];
            const look = () => {
                if (Number(slider.value) !== seen.at(-1)) seen.push(Number(slider.value));
                requestAnimationFrame(look);
            };
            look();
        }"""
    )
    page.named("button", "Play").click()
    page.page.wait_for_function("() => seen.length > 1")
    page.named("button", "Pause").click()
    seen = page.page.evaluate("seen")
    assert seen[:2] == pytest.approx([1 / 2, 2 / 3], abs=1e-3)  # s = 1 and, with nothing between, 2
    page.settle()
    page.agrees()


def test_touch(opened, students):
    page = opened(students, "Student grades", width=390, height=800, has_touch=True, is_mobile=True)
    page.page.locator(".uapca-tick", has_text="2").tap()
    page.settle()
    assert page.scale == 2.0
    page.page.locator(".uapca-projection").scroll_into_view_if_needed()
    for row in (5, 1):
        page.page.touchscreen.tap(*page.place_of(row))
    page.settle()
    assert page.selection == [1, 5]
    page.agrees()


def test_touch_drag(opened, students):
    page = opened(students, "Student grades", width=390, height=800, has_touch=True, is_mobile=True)
    stage = page.page.locator(".uapca-eigenvalues .uapca-stage")
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    finger = page.page.context.new_cdp_session(page.page)

    def touch(kind, x):
        spot = {"x": box["x"] + x * box["width"], "y": box["y"] + box["height"] / 2}
        points = [] if kind == "touchEnd" else [spot]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 0.5)
    for x in (0.45, 0.4, 0.35, 0.3):
        touch("touchMove", x)
    touch("touchEnd", 0.3)
    page.settle()
    assert 0 < page.scale < 0.7
    page.agrees()


def test_verdict(page, students):
    pca = uapca.UAPCA().fit(students)
    means = pca.rescale(0.0)
    turns = np.degrees(np.arccos(np.abs((pca.components_ * means.components_).sum(axis=1))))
    assert page.page.get_by_role("status", name="Verdict").get_attribute("aria-live") == "polite"
    assert page.verdict.startswith(
        f"Adding the uncertainty (s = 0 to s = 1) turns PC1 by {turns[0]:.0f}° and PC2 by "
        f"{turns[1]:.0f}°"
    )
    assert "becomes more visible" in page.verdict
    shares = [100 * p.explained_variance_ratio_[:2].sum() for p in (means, pca)]
    words = f"explain {shares[0]:.0f} % of the variance at s = 0 and {shares[1]:.0f} %"
    assert words in page.verdict
    held = 100 * uapca.UAPCA(2).fit(students).uncertainty_share()
    assert f"they show {held:.0f} % of the rows’ uncertainty" in page.verdict
    page.named("button", "Only Jack").click()
    page.settle()
    assert "PC2 by 44°" not in page.verdict


def test_details_tell_how_much_of_a_row_is_in_the_picture(page, students):
    page.named("button", "Tom").click()
    for standardize in (False, True):
        page.page.get_by_label("Standardize").set_checked(standardize)
        page.settle()
        pca = uapca.UAPCA(2, standardize=standardize).fit(students)
        held = page.page.locator(".uapca-details tr", has_text="uncertainty shown").locator("td")
        share = float(np.asarray(pca.uncertainty_share(students))[students.names.index("Tom"), 0])
        assert held.inner_text().replace("\u00a0", " ") == f"{100 * share:.0f} %"


def test_the_verdict_of_posterior_rows_and_of_other_units(opened, rng):
    truth = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 4))
    std = rng.uniform(0.2, 0.8, truth.shape)
    rows = uapca.UncertainArray(truth + std * rng.normal(size=truth.shape), std=std)
    posterior = uapca.Denoiser(2).fit_transform(rows)
    page = opened(posterior)
    assert page.verdict.startswith("At s = 1 these posterior rows have the covariance of the truth")
    assert "Adding the uncertainty" not in page.verdict
    page = opened(rows)
    assert page.verdict.startswith("Adding the uncertainty")
    assert uapca.component_uncertainty(rows).verdict[0] in page.verdict
    page.page.get_by_label("Standardize").check()
    page.settle()
    assert " is known to " not in page.verdict


def test_state_is_in_the_address_and_comes_back(page, opened, students):
    page.page.get_by_label("Component on the vertical axis").select_option("PC4")
    page.page.get_by_label("Probability inside an ellipse").select_option("68 %")
    page.page.get_by_label("Standardize").check()
    page.drag(page.slider, (0.5, 0.5), (0.27, 0.5))
    page.named("button", "Tom").click()
    page.drag(page.named("slider", "Weight of Jane"), (0.41, 0.5), (0.7, 0.5))
    page.page.wait_for_function("() => location.hash.includes('w=')")
    fragment = page.page.evaluate("location.hash")
    again = opened(students, "Student grades", fragment)
    for name in (
        "scale",
        "pair",
        "level",
        "standardize",
        "selection",
        "weights",
        "means",
        "components",
    ):
        np.testing.assert_array_equal(
            again.text(name) if name == "standardize" else again.numbers(name),
            page.text(name) if name == "standardize" else page.numbers(name),
        )
    again.agrees()


@pytest.mark.parametrize("width", [1200, 400])
def test_words_of_another_length_move_nothing_from_under_a_hand(opened, students, width):
    page = opened(students, "Student grades", width=width)
    box = page.page.get_by_label("Standardize")
    panel = page.page.locator(".uapca-projection")
    before = box.bounding_box(), panel.bounding_box()
    length = len(page.verdict)
    box.check()
    page.settle()
    assert len(page.verdict) < length - 100
    assert (box.bounding_box(), panel.bounding_box()) == before
    page.page.set_viewport_size({"width": 1000, "height": 900})
    page.settle()
    page.page.wait_for_function(
        "() => { const words = document.querySelector('.uapca-verdict');"
        " return words.offsetHeight < 4 * parseFloat(getComputedStyle(words).lineHeight); }"
    )


def test_the_verdict_does_not_grow_where_the_host_enlarges_the_page(opened, students):
    """Slides do so by a transform, which what is measured on screen includes."""
    page = opened(students, "Student grades")
    enlarged = "transform: scale(1.25); transform-origin: 0 0"
    page.page.evaluate(f"() => {{ document.body.style.cssText += '; {enlarged}'; }}")
    height = "() => document.querySelector('.uapca-verdict').offsetHeight"
    before = page.page.evaluate(height)
    box = page.page.get_by_label("Standardize")
    for _ in range(2):
        for press in (box.check, box.uncheck):
            press()
            page.settle()
    assert page.page.evaluate(height) == before


LOOKS = {
    "labels": "() => document.querySelectorAll('.uapca-projection .uapca-labels text').length",
    "dots": "() => document.querySelector('.uapca-key .uapca-note').textContent",
    "log": "() => document.querySelector('.uapca-eigenvalues .uapca-axis').textContent",
    "bars": "() => document.querySelector('.uapca-toggle[aria-pressed=true]').textContent",
    "feature": "() => document.querySelectorAll('.uapca-trace.is-on').length",
}


def test_how_one_looks_is_in_the_address_too(opened):
    """Names, points, densities, the logarithmic axis, contributions and a pinned feature."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(90, 3)) * [3, 2, 1] + np.repeat(np.eye(3) * 4, 30, axis=0)
    X = uapca.from_groups(values, np.repeat(["a", "b", "c"], 30), keep_samples=True)

    def looks(page):
        page.settle()
        return {name: page.page.evaluate(code) for name, code in LOOKS.items()}

    page = opened(X, "Points")
    first = looks(page)
    assert page.page.evaluate("location.hash") == ""
    page.page.get_by_label("Names").uncheck()
    page.named("checkbox", "Points").check()
    page.page.get_by_label("Densities").uncheck()
    page.named("button", "log").click()
    page.named("button", "contributions").click()
    page.page.locator('.uapca-feature[data-feature="1"]').click()
    page.page.mouse.move(2, 2)
    page.page.wait_for_function("() => location.hash.includes('feature=1')")
    fragment = page.page.evaluate("location.hash")
    assert fragment == "#names=0&points=1&log=1&densities=0&bars=contributions&feature=1"
    changed = looks(page)
    assert all(changed[name] != first[name] for name in LOOKS)
    again = opened(X, "Points", fragment)
    assert looks(again) == changed
    # Another address in the same window, and none.
    again.page.evaluate("location.hash = ''")
    assert looks(again) == first
    again.page.evaluate(f"location.hash = '{fragment}'")
    assert looks(again) == changed


def test_looks_that_the_data_does_not_have_are_ignored(opened):
    X = uapca.datasets.load_iris_groups()
    page = opened(X, "Iris", "#points=1&densities=1&feature=99&names=2&bars=pies&log=")
    words = page.page.locator(".uapca-key .uapca-note").inner_text()
    assert words == "Ellipse: 95 % of each row’s probability, if normal. Marker: its mean."
    assert page.page.get_by_label("Names").is_checked()
    assert page.named("button", "log").get_attribute("aria-pressed") == "false"
    assert page.named("button", "entries").get_attribute("aria-pressed") == "true"
    page.agrees()


@pytest.mark.slow
def test_the_shown_components_are_always_named(page):
    """In the panel of the eigenvalues, for every pair; no two names cover each other."""
    for log in (False, True):
        if log:
            page.named("button", "log").click()
        for first in range(1, 5):
            for second in range(1, 5):
                if first == second:
                    continue
                page.page.evaluate(f"location.hash = 'pair={first}-{second}&log={int(log)}'")
                page.settle()
                page.page.wait_for_function(
                    f"() => document.querySelector('.uapca').dataset.pair === "
                    f"'{first - 1} {second - 1}'"
                )
                found = page.page.eval_on_selector_all(
                    ".uapca-eigenvalues .uapca-labels text",
                    "(all) => all.map((e) => [e.textContent, Number(e.getAttribute('y'))])",
                )
                names = [name for name, _ in found]
                assert {f"λ{'₀₁₂₃₄'[first]}", f"λ{'₀₁₂₃₄'[second]}"} <= set(names)
                assert names == sorted(names)
                assert np.diff([y for _, y in found]).min() >= 1.1 * 12 - 1e-6


@pytest.mark.parametrize("touch", [False, True])
def test_ticks_are_large_enough_to_be_hit(opened, students, touch):
    options = {"has_touch": True, "is_mobile": True} if touch else {}
    page = opened(students, "Student grades", width=360, height=800, **options)
    boxes = [tick.bounding_box() for tick in page.page.locator(".uapca-tick").all()]
    least = 44 if touch else 24
    assert min(box["height"] for box in boxes) >= least
    assert min(box["width"] for box in boxes) >= least
    for one, next_ in itertools.pairwise(boxes):
        assert one["x"] + one["width"] <= next_["x"]


@pytest.mark.parametrize(
    "fragment",
    [
        "#s=-3",
        "#s=NaN&pair=9-9&level=7&rows=77&w=1_2",
        "#%00<script>",
        "#s=1e400&pair=1-1",
        "#w=0_0_0_0_0_0",
    ],
)
def test_nonsense_in_the_address_is_ignored(opened, students, fragment):
    page = opened(students, "Student grades", fragment)
    assert page.text("pair") == "0 1"
    assert page.selection == []
    page.agrees()
