"""The explorer's page in a real browser, driven as a person would drive it."""

from __future__ import annotations

import numpy as np

import uapca
from builders import browser

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
TOLERANCE = 1e-9
ROOT = ".uapca"
SVG = "{http://www.w3.org/2000/svg}"


def launched(playwright):
    return playwright.chromium.launch(executable_path=browser(), args=list(FLAGS))


class Explorer:
    """One open page, and what it should show."""

    def __init__(self, page, X):
        self.page = page
        self.X = X
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.context.route("**/*", self._guard)
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))

    def _guard(self, route):
        if route.request.url.startswith("file:"):
            route.continue_()
        else:
            self.requests.append(route.request.url)
            route.abort()

    def _listen(self, message):
        if message.type in ("error", "warning", "assert"):
            self.complaints.append(f"{message.type}: {message.text}")

    def open(self, path, fragment=""):
        self.page.goto(path.resolve().as_uri() + fragment)
        self.settle()
        return self

    def resize(self, width, height=900):
        """Another size of the window; the page hears of it with the next frame."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.wait_for_function(f"() => innerWidth === {width}")
        return self.settle()

    # What is shown

    def settle(self):
        """Wait until nothing moves any more and the numbers are those on display."""
        self.page.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )
        self.page.wait_for_selector(f"{ROOT}[data-state=settled]")
        return self

    def text(self, name):
        return self.page.locator(ROOT).get_attribute(f"data-{name}")

    def numbers(self, name):
        return np.array(self.text(name).split(), dtype=float)

    @property
    def scale(self):
        return float(self.text("scale"))

    @property
    def selection(self):
        return [int(row) for row in self.text("selection").split()]

    @property
    def verdict(self):
        return self.page.locator(".uapca-verdict").inner_text().replace("\u00a0", " ")

    def named(self, role, name, exact=True):
        return self.page.get_by_role(role, name=name, exact=exact)

    @property
    def slider(self):
        return self.named("slider", "Scale s of the uncertainty")

    # What a person does

    def drag(self, locator, start, stop, steps=6):
        """Press at one place of an element, move to another, and let go; places from 0 to 1."""
        locator.scroll_into_view_if_needed()
        box = locator.bounding_box()
        x, y = (lambda f: box["x"] + f * box["width"]), (lambda f: box["y"] + f * box["height"])
        mouse = self.page.mouse
        mouse.move(x(start[0]), y(start[1]))
        mouse.down()
        mouse.move(x(stop[0]), y(stop[1]), steps=steps)
        mouse.up()
        self.settle()

    def place_of(self, row):
        """Where a row's mean lies on the screen."""
        box = self.page.locator(f'.uapca-row[data-row="{row}"] .uapca-mean').bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def export(self, kind):
        """The file a person gets, and its name."""
        with self.page.expect_download() as waiting:
            self.named("button", kind).click()
        return waiting.value.path().read_bytes(), waiting.value.suggested_filename

    # What Python says

    def agrees(self):
        """Whether all numbers on display are those of a fit in Python for what the page says."""
        X = self.X
        weights = self.numbers("weights")
        data = uapca.UncertainArray(X.mean, X.cov.dense(), weights=weights)
        center, units = data.weights @ data.mean, np.ones(X.shape[1])
        if self.text("standardize") == "true":
            scaler = uapca.UncertainScaler().fit(data)
            data, units = scaler.transform(data), scaler.scale_
        pca = uapca.UAPCA(scale=self.scale).fit(data)
        q = min(pca.n_components_, len(self.numbers("eigenvalues")))
        close(weights.sum(), 1.0)
        close(self.numbers("mean"), center)
        close(self.numbers("units"), units)
        close(self.numbers("eigenvalues")[:q], pca.explained_variance_[:q])
        close(self.numbers("shares")[:q], pca.explained_variance_ratio_[:q])
        pair = [int(i) for i in self.text("pair").split()]
        if max(pair) >= q:
            return pca
        found = self.numbers("components").reshape(2, -1)
        # Signs follow the path over s, so that nothing flips; at s = 1 they are those of a fit.
        signs = np.sign((found * pca.components_[pair]).sum(axis=1))
        if self.scale == 1.0:
            assert (signs == 1.0).all()
        close(found, signs[:, None] * pca.components_[pair])
        Y = pca.transform(data)
        close(self.numbers("means").reshape(-1, 2), signs * Y.mean[:, pair])
        cov = Y.cov.dense()[:, pair][:, :, pair] * np.outer(signs, signs)
        wanted = np.stack([cov[:, 0, 0], cov[:, 0, 1], cov[:, 1, 1]], axis=1)
        close(self.numbers("covariances").reshape(-1, 3), wanted)
        return pca


def close(found, wanted):
    wanted = np.asarray(wanted, dtype=float)
    size = max(np.abs(wanted).max(initial=0.0), 1.0)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=TOLERANCE * size)
