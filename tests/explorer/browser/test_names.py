"""Names that want to be more than names."""

import csv
import io
import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import uapca
from explorer.browser.driver import SVG

ALARM = "window.hacked=1"
NAMES = [
    f"</script><script>{ALARM}</script>",
    f'"><img src=x onerror="{ALARM}">',
    f"<svg onload={ALARM}>",
    f"'-alert(1)-'\"`${{{ALARM}}}",
    "</style><style>*{display:none!important}</style>",
    "red; background: url(https://example.org/x.png)",
    "<!-- --> ]]> &lt; &amp; <![CDATA[",
    f"javascript:{ALARM}",
    "👩‍👩‍👧‍👦🏳️‍🌈 café naïve 中文",
    "\u202eעברית العربية\u202e left",
    "long " * 100,
    '=1+1,"quoted"\nsecond line\ttab \x01\x07 end',
    "{{7*7}} {title} %s \\u003cscript\\u003e",
    "   ",
]
FEATURES = [f"f{i} {name}" for i, name in enumerate(NAMES)]
GROUPS = [f"g{i} {name}" for i, name in enumerate(NAMES)]
TITLE = f"</title><script>{ALARM}</script> \" ' 🚀"


@pytest.fixture(scope="module")
def hostile():
    rng = np.random.default_rng(3)
    n = len(NAMES)
    return uapca.UncertainArray(
        rng.standard_normal((n, n)),
        std=rng.uniform(0.1, 0.5, (n, n)),
        names=NAMES,
        features=FEATURES,
    )


@pytest.mark.parametrize("width", [360, 1200])
def test_names_are_text_and_run_nothing(opened, hostile, width):
    page = opened(hostile, TITLE, width=width, groups=GROUPS)
    everything = page.page.evaluate(
        """() => ({
          hacked: window.hacked,
          scripts: document.scripts.length,
          styles: document.querySelectorAll('style').length,
          others: document.querySelectorAll(
            'img, iframe, object, embed, a, form, base, link:not([rel=icon])').length,
          handlers: [...document.querySelectorAll('*')].filter(
            (e) => e.getAttributeNames().some((name) => name.startsWith('on'))).length,
          title: document.title,
          wide: document.documentElement.scrollWidth - innerWidth,
          rows: [...document.querySelectorAll('.uapca-row-name .uapca-name')].map((e) => e.title),
          features: [...document.querySelectorAll('.uapca-feature title')]
            .map((e) => e.textContent),
          groups: [...document.querySelectorAll('.uapca-legend .uapca-name')].map((e) => e.title),
          longest: Math.max(...[...document.querySelectorAll('.uapca-name, .uapca-svg text')]
            .map((e) => e.textContent.length)),
        })"""
    )
    assert everything["hacked"] is None
    assert everything["scripts"] == 2
    assert everything["styles"] == 1
    assert everything["others"] == 0
    assert everything["handlers"] == 0
    assert everything["title"].split() == TITLE.split()
    assert everything["wide"] <= 0
    assert everything["rows"] == NAMES
    assert everything["features"] == FEATURES
    assert everything["groups"] == GROUPS
    assert everything["longest"] < 120
    page.agrees()
    for row in (0, 1, 10):
        page.page.locator(f'.uapca-line[data-row="{row}"] .uapca-row-name').click(
            modifiers=["Shift"]
        )
    page.settle()
    assert page.selection == [0, 1, 10]
    assert page.page.evaluate("window.hacked") is None
    assert page.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_names_in_exports(opened, hostile):
    page = opened(hostile, TITLE, groups=GROUPS)
    content, name = page.export("SVG")
    assert name.endswith(".svg")
    assert not set(name) & set("<>/\\\"' ")
    svg = ET.fromstring(content)
    assert not any(node.tag == f"{SVG}script" for node in svg.iter())
    rows = list(csv.reader(io.StringIO(page.export("CSV")[0].decode(), newline="")))
    # A name that a spreadsheet would compute has an apostrophe before it; others are as they were.
    written = [f"'{name}" if name.startswith(tuple("=+-@")) else name for name in NAMES]
    assert written != NAMES
    assert [row[0] for row in rows[1:]] == written
    assert [row["name"] for row in json.loads(page.export("JSON")[0])["rows"]] == NAMES
    assert page.export("PNG")[0].startswith(b"\x89PNG")
    assert page.page.evaluate("window.hacked") is None
