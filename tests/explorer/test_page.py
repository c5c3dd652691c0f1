"""The page: one file, everything in it, nothing let in."""

import base64
import hashlib
import json
import re

import numpy as np
import pytest

import uapca
from builders import random_uncertain
from explorer.node import BUNDLE

HOSTILE = [
    "</script><script>document.title='broken'</script>",
    "<!--<script>",
    "]]>",
    "\u2028\u2029",
    "\"'`\\",
    "🐸 \u202eright to left",
    "</title><h1>",
    "x" * 500,
]


@pytest.fixture
def page(tmp_path):
    def write(X=None, **arguments):
        X = uapca.datasets.load_students() if X is None else X
        return uapca.explore(X, **arguments).to_html(tmp_path / "page.html").read_bytes()

    return write


def data_of(html):
    return json.loads(html.split(b'id="uapca-explorer-data">')[1].split(b"</script>")[0])


def test_the_policy_lets_in_one_script_and_one_style(page):
    html = page().decode("ascii")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1]
    (script,) = re.findall(r'<script type="module">(.*?)</script>', html, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    assert script == BUNDLE.read_text()

    def hashed(text):
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashed(script)}'; "
        f"style-src 'sha256-{hashed(style)}'; img-src data: blob:; base-uri 'none'; "
        "form-action 'none'"
    )


def test_nothing_is_loaded(page):
    html = page().decode("ascii")
    assert re.findall(r"<(?:script|link|img|iframe)[^>]*\s(?:src|href)=\"([^\"]*)", html) == [
        "data:,"
    ]


def test_hostile_names_stay_text(page):
    X = random_uncertain(
        np.random.default_rng(0), n=8, d=8, kind="diagonal", names=HOSTILE, features=HOSTILE
    )
    html = page(X, groups=HOSTILE, title=HOSTILE[0] + HOSTILE[6], units=HOSTILE)
    assert html.isascii()
    assert html.count(b"<script") == 2 + BUNDLE.read_text().count("<script")
    assert html.count(b"</script>") == 2
    assert html.count(b"<h1>") == BUNDLE.read_text().count("<h1>")
    assert b"<title>&lt;/script&gt;" in html
    data = data_of(html)
    assert data["names"] == data["features"] == data["units"] == HOSTILE
    assert sorted(data["groups"]["labels"]) == sorted(HOSTILE)


def test_lone_surrogates_are_written_too(page):
    html = page(
        random_uncertain(np.random.default_rng(0), n=2, d=2, names=["\ud800", "b"]), title="\udfff"
    )
    assert data_of(html)["names"][0] == "\ud800"


def test_the_bundle_can_be_inlined():
    code = BUNDLE.read_text(encoding="ascii")
    assert "\r" not in code
    assert "</script" not in code.lower()
    assert "<!--" not in code
    assert len(code) < 350_000


def test_students_fit_into_a_mail(page):
    assert len(page()) < 500_000


def test_a_page_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    path.write_text("before")
    explorer = uapca.explore(uapca.datasets.load_students())
    monkeypatch.setattr(
        "uapca._files.os.replace", lambda *_: (_ for _ in ()).throw(OSError("full"))
    )
    with pytest.raises(OSError, match="full"):
        explorer.to_html(path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_where_it_cannot_be_written(tmp_path):
    explorer = uapca.explore(uapca.datasets.load_students())
    with pytest.raises(IsADirectoryError):
        explorer.to_html(tmp_path)
    with pytest.raises(FileNotFoundError):
        explorer.to_html(tmp_path / "nowhere" / "page.html")


@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (2, 1), (2, 2), (2, 5)])
def test_small_data(page, shape):
    n, d = shape
    data = data_of(page(random_uncertain(np.random.default_rng(0), n=n, d=d, kind="diagonal")))
    assert data["state"]["pair"] == [0, min(1, d - 1)]
