"""``python -m benchmarks.explorer``: what a frame of the explorer costs, in Chromium.

Not a part of ``make bench``: it needs a browser and tells milliseconds of this machine, not ratios.
A frame is what the page does in one call of ``requestAnimationFrame`` while a slider is dragged,
computing and drawing; the browser's own layout and painting come on top. Stalls are the longest
tasks of the page's thread during the drag and until nothing moves any more, layout included.
Both are processor time from the browser's own trace, so that other programs disturb them little.
"""

from __future__ import annotations

import argparse
import json
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

BROWSER = shutil.which("chromium") or shutil.which("chromium-headless-shell")
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
STEPS = 60
SETTLED = ".uapca[data-state=settled]"


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
    middle = rng.normal(size=(200, 20)) * np.linspace(3.0, 0.5, 20)
    half = rng.uniform(0.1, 1.0, (200, 20))
    yield "200 × 20, densities", uapca.from_intervals(middle - half, middle + half), 16.0
    factors = rng.normal(size=(5000, 10, 10)) / 10
    dense = factors @ np.swapaxes(factors, 1, 2) + 0.1 * np.eye(10)
    means = rng.normal(size=(5000, 10)) * np.linspace(3.0, 0.5, 10)
    yield "5,000 × 10, dense", uapca.UncertainArray(means, dense), 33.0
    std = rng.uniform(0.1, 1.0, (5000, 10))
    yield "5,000 × 10, diagonal", uapca.UncertainArray(means, std=std), 33.0


def drag(browser: Browser, page: Page, slider: Locator, folder: Path) -> tuple[np.ndarray, float]:
    """Milliseconds of script in each frame while a slider is dragged, and the longest task."""
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    y, left, width = box["y"] + box["height"] / 2, box["x"] + 12, box["width"] - 24
    trace = folder / "trace.json"
    browser.start_tracing(page=page, path=trace, categories=["devtools.timeline", "toplevel"])
    page.mouse.move(left, y)
    page.mouse.down()
    for step in range(STEPS):
        page.mouse.move(left + width * step / STEPS, y)
        page.wait_for_timeout(12)
    page.mouse.up()
    page.wait_for_timeout(400)
    page.wait_for_selector(SETTLED)
    browser.stop_tracing()
    events = [e for e in json.loads(trace.read_text())["traceEvents"] if e.get("ph") == "X"]
    frames = [e for e in events if e["name"] == "FireAnimationFrame"]
    thread = (frames[0]["pid"], frames[0]["tid"])
    own = [e for e in events if (e["pid"], e["tid"]) == thread and "tdur" in e]
    released = max(
        e["ts"]
        for e in own
        if e["name"] == "EventDispatch" and e["args"].get("data", {}).get("type") == "mouseup"
    )
    costs = [e["tdur"] / 1e3 for e in own if e in frames and e["ts"] < released]
    return np.array(costs), max(e["tdur"] / 1e3 for e in own if "RunTask" in e["name"])


def frames(browser: Browser, folder: Path) -> Iterator[Result]:
    """Dragging s and one weight, for each of the data sets."""
    for name, X, limit in data_sets():
        path = uapca.explore(X).to_html(folder / "page.html")
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(120_000)
        page.goto(path.as_uri())
        page.wait_for_selector(SETTLED)
        if "densities" in name:
            page.get_by_label("Densities").check()
            page.wait_for_timeout(400)
            page.wait_for_selector(SETTLED)
        for what, slider in (
            ("s", page.locator(".uapca-scale")),
            ("a weight", page.locator(".uapca-line input[type=range]").first),
        ):
            costs, longest = drag(browser, page, slider, folder)
            note = f"{len(costs)} frames, 95 % under {np.quantile(costs, 0.95):.3g} ms"
            yield Result(f"dragging {what}, {name}", float(np.median(costs)), "ms", limit, note)
            yield Result(f"longest task, dragging {what}, {name}", longest, "ms", 100.0)
        page.close()


def writing(folder: Path) -> Iterator[Result]:
    """How large a page is, and how long it takes to write one."""
    path = uapca.explore(uapca.datasets.load_students()).to_html(folder / "students.html")
    yield Result("page of the student grades", path.stat().st_size / 1e3, "kB", 500.0)
    for name, X, _ in data_sets():
        if not name.startswith("5,000"):
            continue
        times = []
        for _ in range(5):
            start = time.perf_counter()
            uapca.explore(X).to_html(folder / "page.html")
            times.append(time.perf_counter() - start)
        yield Result(f"explore and to_html, {name}", float(np.median(times)), "s", 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.explorer", description=__doc__)
    parser.add_argument("--chromium", default=BROWSER, help="the browser")
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
