"""Pictures and numbers that leave the page."""

import csv
import io
import json
import xml.etree.ElementTree as ET

import matplotlib.image
import numpy as np
import pytest

import uapca
from builders import random_uncertain
from explorer.browser.driver import SVG, close


@pytest.fixture
def page(opened, students):
    return opened(students, "Student grades")


def texts(svg):
    return ["".join(node.itertext()) for node in svg.iter(f"{SVG}text")]


def test_svg(page, students):
    page.drag(page.slider, (0.5, 0.5), (0.4, 0.5))
    content, name = page.export("SVG")
    assert name == "Student-grades.svg"
    svg = ET.fromstring(content)
    words = texts(svg)
    for wanted in ("Student grades", *students.names, *students.features):
        assert wanted in words
    for title in ("Projection", "Factor traces", "Eigenvalues over s", "Components"):
        assert title in words
    assert any("PC1 and PC2" in word for word in words)
    # On its own it has neither scripts nor style sheet, and nothing that needs one.
    tags = {node.tag.removeprefix(SVG) for node in svg.iter()}
    assert not tags & {"script", "style", "foreignObject", "image", "a"}
    assert not any("class" in node.attrib or "style" in node.attrib for node in svg.iter())
    assert not any(key.startswith("on") for node in svg.iter() for key in node.attrib)
    curves = [n for n in svg.iter(f"{SVG}path") if n.get("data-component") is not None]
    assert len(curves) == 4
    assert all(node.get("fill") == "none" for node in curves)


def test_png(page):
    content, name = page.export("PNG")
    assert name == "Student-grades.png"
    picture = matplotlib.image.imread(io.BytesIO(content))
    height, width = picture.shape[:2]
    assert width > 1600  # two pixels for each on the screen
    assert height > 1000
    colors = {tuple(pixel) for pixel in picture[::7, ::7, :3].reshape(-1, 3).tolist()}
    assert len(colors) > 50


def test_csv(page, students):
    content, name = page.export("CSV")
    assert name == "Student-grades.csv"
    head, *rows = csv.reader(io.StringIO(content.decode()))
    assert head == [
        "row",
        "weight",
        "PC1",
        "PC2",
        "variance_PC1",
        "covariance_PC1_PC2",
        "variance_PC2",
    ]
    assert [row[0] for row in rows] == list(students.names)
    numbers = np.array([row[1:] for row in rows], dtype=float)
    np.testing.assert_array_equal(numbers[:, 0], page.numbers("weights"))
    np.testing.assert_array_equal(numbers[:, 1:3].ravel(), page.numbers("means"))
    np.testing.assert_array_equal(numbers[:, 3:].ravel(), page.numbers("covariances"))


@pytest.mark.parametrize("scale", [1.0, float("inf")])
def test_json(page, students, scale):
    page.slider.focus()
    if scale != 1.0:
        page.slider.press("End")
        page.settle()
    page.named("button", "Jane").click()
    page.settle()
    content, name = page.export("JSON")
    assert name == "Student-grades.json"
    found = json.loads(content, parse_constant=pytest.fail)
    pca = page.agrees()
    assert float(found["scale"]) == scale
    assert found["selection"] == ["Jane"]
    assert found["features"] == list(students.features)
    close(np.abs(found["components"]), np.abs(pca.components_))
    close(found["explained_variance_ratio"], pca.explained_variance_ratio_)
    close(found["eigenvalues"], pca.explained_variance_)
    np.testing.assert_array_equal(
        np.ravel([row["mean"] for row in found["rows"]]), page.numbers("means")
    )
    wanted = uapca.factor_traces(students).crossings
    assert [(c["components"], c["kind"]) for c in found["crossings"]] == [
        ([i + 1 for i in c.pair], c.kind) for c in wanted
    ]


def test_what_is_on_the_canvas_is_exported_too(opened, rng):
    X = random_uncertain(rng, n=400, d=3)
    page = opened(X, "Many")
    page.agrees()
    svg = ET.fromstring(page.export("SVG")[0])
    drawn = [n.get("d") for n in svg.iter(f"{SVG}path") if n.get("fill") == "#0072b2"]
    means = [path for path in drawn if path.count("M") > 100]
    assert sum(path.count("M") for path in means) == 400


def test_original_points_are_exported_too(opened, rng):
    points = rng.standard_normal((30, 3)) + np.repeat([[0, 0, 0], [4, 1, 0], [0, 5, 2]], 10, axis=0)
    labels = np.repeat(["a", "b", "c"], 10)
    X = uapca.from_groups(points, labels)
    page = opened(X, "Points", points=(points, labels))
    page.page.get_by_label("Points", exact=True).check()
    page.settle()
    assert "Small dots: the original points." in page.page.locator(".uapca-key").inner_text()
    svg = ET.fromstring(page.export("SVG")[0])
    dots = [n.get("d").count("h0") for n in svg.iter(f"{SVG}path") if "h0" in (n.get("d") or "")]
    assert dots == [10, 10, 10]


def test_the_picture_says_what_it_shows(opened, students):
    """In the words of the page, so that both say where rows are taken as normal."""

    def subtitle(page):
        svg = ET.fromstring(page.export("SVG")[0])
        (found,) = (word for word in texts(svg) if "probability" in word)
        assert (
            page.page.locator(".uapca-key .uapca-note")
            .inner_text()
            .startswith(found.split(" · ")[2] + ". Marker")
        )
        return found

    page = opened(uapca.datasets.load_iris_groups(), "Iris")
    assert subtitle(page) == (
        "s = 1 · PC1 and PC2 · Ellipse: 95 % of each row’s probability, if normal"
    )
    page = opened(students, "Student grades")
    assert subtitle(page).endswith("Outline: 95 % of each row’s probability, where it is densest")
    page = opened(uapca.UncertainArray([[1.0], [2.0]], std=1.0), "One feature")
    assert subtitle(page).startswith("s = 1 · PC1 · Interval: 95 % of each row’s")


def test_dark_page_makes_a_dark_picture(opened, students):
    page = opened(students, "Student grades", color_scheme="dark")
    svg = ET.fromstring(page.export("SVG")[0])
    assert svg.find(f"{SVG}rect").get("fill") == "#1c2024"


def test_groups_are_told_in_the_picture(opened, students):
    page = opened(students, "Groups", groups=["a", "b", "a", "b", None, "x" * 40])
    svg = ET.fromstring(page.export("SVG")[0])
    key = svg.find(f"{SVG}g")
    assert texts(key) == ["a", "b", "x" * 14 + "…" + "x" * 9, "(no group)"]
    marks = [mark.find(f"{SVG}path").get("fill") for mark in key.findall(f"{SVG}svg")]
    assert len(set(marks)) == 4
    shown = page.page.locator(".uapca-legend li path").evaluate_all(
        "(all) => all.map((path) => path.getAttribute('fill'))"
    )
    assert marks == shown


def test_an_export_just_after_a_change_is_of_the_change(page, students):
    """Weights moved and the button clicked before the browser could draw a frame."""
    with page.page.expect_download() as waiting:
        page.page.evaluate(
            """() => {
                const slider = document.querySelector('[aria-label="Weight of Tom"]');
                const key = { key: "PageUp", bubbles: true, cancelable: true };
                slider.dispatchEvent(new KeyboardEvent("keydown", key));
                document.querySelector("[data-export=json]").click();
            }"""
        )
    found = json.loads(waiting.value.path().read_bytes())
    weights = [row["weight"] for row in found["rows"]]
    close(np.sqrt(weights[0]), np.sqrt(students.weights[0]) + 0.1)
    wanted = uapca.factor_traces(students.reweighted(weights)).crossings
    assert wanted
    assert [(c["components"], c["kind"]) for c in found["crossings"]] == [
        ([i + 1 for i in c.pair], c.kind) for c in wanted
    ]
    page.settle()
    close(page.numbers("weights"), weights)
    page.agrees()
