"""The built site in a real browser: `make docs` runs this after the build."""

import os
import shutil
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

SITE = Path(os.environ.get("UAPCA_SITE", Path(__file__).parent / "_build"))
PAGES = sorted(
    path.relative_to(SITE).as_posix()
    for path in SITE.rglob("*.html")
    if not path.is_relative_to(SITE / "_static") and not path.is_relative_to(SITE / "pages")
)
# One page of each kind is looked at in every width and color, the others once.
KINDS = [
    "index.html",
    "quickstart.html",
    "method.html",
    "comparison.html",
    "tutorials/page.html",
    "auto_gallery/index.html",
    "auto_gallery/plots/plot_biplot.html",
    "reference/index.html",
    "reference/generated/uapca.UAPCA.html",
    "reference/cli.html",
    "search.html",
]
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@pytest.fixture(scope="module")
def browser():
    path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    assert path, "chromium is not installed"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


class Visit:
    """A page that is opened, with all that goes wrong."""

    def __init__(self, browser, width, scheme):
        self.context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme
        )
        self.context.set_default_timeout(60_000)
        self.page = self.context.new_page()
        self.wrong = []
        self.page.on("console", self.listen)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("requestfailed", lambda request: self.wrong.append(request.url))
        self.page.on("request", self.guard)

    def listen(self, message):
        if message.type == "error":
            self.wrong.append(message.text)

    def guard(self, request):
        if not request.url.startswith(("file:", "data:", "blob:", "about:")):
            self.wrong.append(f"asks the network: {request.url}")

    def open(self, name):
        self.page.goto((SITE / name).resolve().as_uri())
        self.page.wait_for_load_state("load")


@pytest.fixture
def visit(browser):
    visits = []

    def start(width=1280, scheme="light"):
        visits.append(Visit(browser, width, scheme))
        return visits[-1]

    yield start
    for one in visits:
        one.context.close()


def test_the_site_is_there():
    assert len(PAGES) > 100
    assert set(KINDS) <= set(PAGES)


@pytest.mark.parametrize("width", [390, 1280])
def test_every_page_loads_without_complaint(visit, width):
    one = visit(width)
    for name in PAGES:
        one.open(name)
        wide = one.page.evaluate("document.documentElement.scrollWidth")
        assert one.wrong == [], name
        assert wide <= width + 1, f"{name} is {wide} pixels wide at {width}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", KINDS)
def test_accessible(visit, name, width, scheme):
    one = visit(width, scheme)
    one.open(name)
    one.page.evaluate(f"document.documentElement.dataset.theme = '{scheme}'")
    found = Axe().run(one.page, options={"iframes": False})
    assert found.violations_count == 0, found.generate_report()


def test_search_finds_the_denoiser(visit):
    one = visit()
    one.open("search.html")
    one.page.goto((SITE / "search.html").resolve().as_uri() + "?q=Denoiser")
    one.page.wait_for_selector("#search-results li a")
    results = one.page.locator("#search-results li a").all_inner_texts()
    assert any("Denoiser" in text for text in results)


@pytest.mark.parametrize("name", ["index.html", "tutorials/page.html"])
def test_the_explorer_is_embedded(visit, name):
    one = visit()
    one.open(name)
    one.page.locator("iframe.uapca-page").scroll_into_view_if_needed()
    frame = one.page.frame_locator("iframe.uapca-page")
    frame.locator(".uapca[data-state=settled]").wait_for()
    assert frame.locator("svg, canvas").count() > 0
    assert one.wrong == []
