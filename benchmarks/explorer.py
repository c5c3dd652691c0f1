"""``python -m benchmarks.explorer``: what a frame of the explorer costs, in Chromium.

Not a part of ``make bench``: it needs a browser and tells milliseconds of this machine, not ratios.
A frame is what the page does in one call of ``requestAnimationFrame`` while a slider is dragged,
computing and drawing; the browser's own layout and painting come on top. The frame after a drag of
weights, in which the exact path over s is found, is told apart: nobody holds a slider then.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Locator, Page, sync_playwright

import uapca

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
STEPS = 120
_RECORD = """
window.frameCosts = [];
const request = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = (act) => request((now) => {
  const start = performance.now();
  act(now);
  window.frameCosts.push(performance.now() - start);
});
"""


@dataclass(frozen=True)
class Result:
    """One line: what was measured, how much it is, and what the project promises."""

    name: str
    value: float
    unit: str
    limit: float | None = None
    note: str = ""

    def __str__(self) -> str:
        promise = "" if self.limit is None else f"promised < {self.limit:g} {self.unit}"
        kept = "" if self.limit is None else ("kept" if self.value < self.limit else "NOT KEPT")
        text = f"{self.name:<46} {self.value:>8.3g} {self.unit:<3} {promise:<19} {kept:<9}"
        return f"{text}{self.note}".rstrip()


def data_sets() -> Iterator[tuple[str, uapca.UncertainArray, float]]:
    """Random rows, and the milliseconds promised for a frame."""
    rng = np.random.default_rng(0)
    for n, d, limit in ((200, 20, 16.0), (2000, 10, 50.0)):
        factors = rng.normal(size=(n, d, d)) / d
        dense = factors @ np.swapaxes(factors, 1, 2) + 0.1 * np.eye(d)
        yield (
            f"{n} × {d}, dense",
            uapca.UncertainArray(3.0 * rng.normal(size=(n, d)), dense),
            limit,
        )
        std = rng.uniform(0.1, 1.0, (n, d))
        yield f"{n} × {d}, diagonal", uapca.UncertainArray(rng.normal(size=(n, d)), std=std), limit


def drag(page: Page, slider: Locator) -> np.ndarray:
    """Milliseconds of script in each frame while a slider is taken from one end to the other."""
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    y, left, width = box["y"] + box["height"] / 2, box["x"] + 12, box["width"] - 24
    page.mouse.move(left, y)
    page.mouse.down()
    page.evaluate("window.frameCosts = []")
    for step in range(STEPS):
        page.mouse.move(left + width * step / STEPS, y)
        page.wait_for_timeout(12)
    costs = np.array(page.evaluate("window.frameCosts"), dtype=float)
    page.evaluate("window.frameCosts = []")
    page.mouse.up()
    page.wait_for_selector(".uapca[data-state=settled]")
    return costs


def frames(browser: Browser, folder: Path) -> Iterator[Result]:
    """Dragging s and one weight, for each of the data sets."""
    for name, X, limit in data_sets():
        path = uapca.explore(X).to_html(folder / "page.html")
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.add_init_script(_RECORD)
        page.goto(path.as_uri())
        page.wait_for_selector(".uapca[data-state=settled]")
        for what, slider in (
            ("s", page.locator(".uapca-scale")),
            ("a weight", page.locator(".uapca-line input[type=range]").first),
        ):
            costs = drag(page, slider)
            note = f"{len(costs)} frames, 95 % under {np.quantile(costs, 0.95):.3g} ms"
            yield Result(f"dragging {what}, {name}", float(np.median(costs)), "ms", limit, note)
        after = float(max(page.evaluate("window.frameCosts"), default=0.0))
        yield Result(f"the exact path after it, {name}", after, "ms")
        page.close()


def writing(folder: Path) -> Iterator[Result]:
    """How large a page is, and how long it takes to write one."""
    path = uapca.explore(uapca.datasets.load_students()).to_html(folder / "students.html")
    yield Result("page of the student grades", path.stat().st_size / 1e3, "kB", 500.0)
    for name, X, _ in data_sets():
        if not name.startswith("2000"):
            continue
        times = []
        for _ in range(5):
            start = time.perf_counter()
            uapca.explore(X).to_html(folder / "page.html")
            times.append(time.perf_counter() - start)
        yield Result(f"explore and to_html, {name}", float(np.median(times)), "s", 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.explorer", description=__doc__)
    parser.add_argument("--chromium", default=shutil.which("chromium"), help="the browser")
    options = parser.parse_args()
    if options.chromium is None:
        sys.exit("chromium is not installed: name a browser with --chromium.")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        browser = playwright.chromium.launch(executable_path=options.chromium, args=[*FLAGS])
        print(f"Chromium {browser.version}")
        for result in writing(folder):
            print(result, flush=True)
        for result in frames(browser, folder):
            print(result, flush=True)
        browser.close()


if __name__ == "__main__":
    main()
