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
PARTS = 4  # of the pages, to be looked at side by side
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

    def heard(self):
        """What went wrong since this was last asked."""
        wrong, self.wrong = self.wrong, []
        return wrong

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


def violations(page):
    # Without preload axe does not ask for style sheets, which a page from disk may not read.
    options = {"iframes": False, "preload": False, "resultTypes": ["violations"]}
    found = Axe().run(page, options=options)
    return [(v["id"], [n["html"] for n in v["nodes"]]) for v in found.response["violations"]]


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_every_page(visit, width, scheme, part):
    """Nothing goes wrong, nothing is too wide, in both schemes; axe has no complaint.

    Axe sees each page in one of the two settings, and one page of each kind in both.
    """
    one = visit(width, scheme)
    wrong = {}
    for number, name in enumerate(PAGES[part::PARTS]):
        one.open(name)
        wide = one.page.evaluate("document.documentElement.scrollWidth")
        found = [] if wide <= width + 1 else [f"{wide} pixels wide"]
        if name in KINDS or number % 2 == (scheme == "dark"):
            found += violations(one.page)
        other = "dark" if scheme == "light" else "light"
        one.page.emulate_media(color_scheme=other)
        one.page.evaluate(f"document.documentElement.dataset.theme = '{other}'")
        one.page.emulate_media(color_scheme=scheme)
        if found := found + one.heard():
            wrong[name] = found
    assert wrong == {}


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
