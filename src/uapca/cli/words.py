"""What words in cells mean."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from uapca.cli.errors import CommandError
from uapca.cli.labels import quoted

__all__ = ["read_words"]


def read_words(path: str) -> Mapping[str, Any]:
    """The meaning of words, from a TOML file; ``grades`` are those of the student grades."""
    if path == "grades":
        from uapca.datasets import GRADES

        return GRADES
    import tomllib

    if not Path(path).is_file():
        raise CommandError(f"there is no file {quoted(path)} with the meaning of words (--words).")
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CommandError(
            f"{quoted(path)} is not in TOML: {error}. Write lines such as "
            'good = "T(13, 14, 16, 18)".'
        ) from None
    words = content.get("words", content)
    if not isinstance(words, dict) or any(isinstance(law, dict | list) for law in words.values()):
        raise CommandError(
            f'{quoted(path)} must hold lines such as good = "T(13, 14, 16, 18)", at the top or '
            "under [words]."
        )
    return words
