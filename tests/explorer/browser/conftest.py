"""One browser for each module, one page for each test; what goes wrong unseen fails the test."""

import pytest
from playwright.sync_api import sync_playwright

import uapca
from explorer.browser.driver import Explorer, launched


@pytest.fixture(scope="module")
def browser():
    # Not for the whole session: other tests start their own Playwright, and a thread has but one.
    with sync_playwright() as playwright:
        browser = launched(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def students():
    return uapca.datasets.load_students()


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    """Pages on disk, each written once."""
    folder, known = tmp_path_factory.mktemp("pages"), {}

    def write(X, title, **rest):
        key = (id(X), title)
        if key not in known:
            path = folder / f"page{len(known)}.html"
            known[key] = uapca.explore(X, title=title, **rest).to_html(path), X
        return known[key][0]

    return write


@pytest.fixture
def opened(browser, written):
    """Opens pages; in the end nothing may have been asked of the network or complained of."""
    contexts, explorers = [], []

    def open_(
        X,
        title="Test",
        fragment="",
        width=1200,
        height=900,
        points=None,
        groups=None,
        palette=None,
        **options,
    ):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(60_000)
        contexts.append(context)
        explorer = Explorer(context.new_page(), X)
        explorers.append(explorer)
        rest = {"points": points, "groups": groups, "palette": palette}
        return explorer.open(written(X, title, **rest), fragment)

    yield open_
    for context in contexts:
        context.close()
    for explorer in explorers:
        assert explorer.requests == []
        assert explorer.complaints == []
