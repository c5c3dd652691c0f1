"""The page: data, script and style in one file that needs no network."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from uapca._files import replacing
from uapca.views.explorer.arrays import text_of

__all__ = ["page_html", "script", "write_page"]

_STYLE = "html{color-scheme:light dark}body{margin:0}"

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<div id="uapca-explorer"></div>
<noscript>This page computes as it is looked at and needs JavaScript. It loads nothing from the
network.</noscript>
<script type="application/json" id="uapca-explorer-data">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


@lru_cache(maxsize=1)
def script() -> str:
    """The browser's side of the explorer."""
    return Path(__file__).with_name("explorer.js").read_text(encoding="ascii")


def page_html(data: dict[str, Any]) -> str:
    """The page of a payload, all of it ASCII.

    The policy lets in the one script and the one style sheet by their hashes, images made by the
    page itself, and nothing else: names in the data could not do harm even if they were not shown
    as text.
    """
    code = script()
    policy = (
        f"default-src 'none'; script-src '{_hash(code)}'; style-src '{_hash(_STYLE)}'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    # ASCII JSON without the characters that mean something to HTML.
    text = json.dumps(text_of(data), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    title = html.escape(data["title"]).encode("ascii", "xmlcharrefreplace").decode("ascii")
    return _PAGE.format(policy=policy, title=title, style=_STYLE, data=text, script=code)


def write_page(data: dict[str, Any], path: str | os.PathLike[str]) -> Path:
    """Write the page of a payload, whole or not at all, and return where it is."""
    text = page_html(data).encode("ascii")
    with replacing(path) as file:
        file.write(text)
    return Path(path)


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("ascii")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
