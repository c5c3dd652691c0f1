"""What words in cells mean, from a file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from os import PathLike
from typing import Any

from uapca._validation import complaint
from uapca.inputs.files import existing

__all__ = ["read_words"]

_LINES = 'lines such as good = "T(13, 14, 16, 18)"'


def read_words(path: str | PathLike[str]) -> Mapping[str, Any]:
    """The meaning of words in a TOML file: at the top, or under ``[words]``."""
    file = existing(path)
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(
            complaint("words", "name a file in TOML", f"{str(file)!r} is not: {error}", _write())
        ) from None
    words = content.get("words", content)
    if not isinstance(words, dict) or any(isinstance(law, dict | list) for law in words.values()):
        raise ValueError(
            complaint(
                "words",
                f"name a file with {_LINES}",
                f"{str(file)!r} has others",
                f"{_write()}, at the top or under [words]",
            )
        )
    return words


def _write() -> str:
    return f"Write {_LINES}"
