"""axe finds nothing to object to, in light and dark, in full and as one panel."""

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

import uapca


def violations(page):
    found = Axe().run(page.page).response["violations"]
    return [(v["id"], [node["html"] for node in v["nodes"]]) for v in found]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(opened, students, scheme):
    page = opened(students, "Student grades", color_scheme=scheme)
    assert violations(page) == []
    # A tooltip, details of selected rows, faded rows and a feature in focus.
    page.page.locator(".uapca-row-name").first.click()
    page.page.locator(".uapca-row-name").nth(1).hover()
    page.settle()
    assert page.page.locator(".uapca-tip").is_visible()
    assert violations(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_with_groups_and_many_rows(opened, scheme):
    rng = np.random.default_rng(0)
    X = uapca.UncertainArray(rng.normal(size=(300, 45)), std=0.3)
    page = opened(X, "Many", groups=[f"group {i % 12}" for i in range(300)], color_scheme=scheme)
    assert violations(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_when_compact(opened, students, scheme):
    page = opened(
        students, "Student grades", "#compact=1", color_scheme=scheme, width=480, height=420
    )
    assert page.page.locator(".uapca-side").is_hidden()
    assert violations(page) == []
