"""What words in cells mean."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from uapca.cli.errors import CommandError
from uapca.cli.labels import quoted

__all__ = ["words_of"]


def words_of(path: str) -> Mapping[str, Any]:
    """The meaning of words, from a TOML file; ``grades`` are those of the student grades."""
    if path == "grades":
        from uapca.datasets import GRADES

        return GRADES
    from uapca.inputs.words import read_words

    if not Path(path).is_file():
        raise CommandError(f"there is no file {quoted(path)} with the meaning of words (--words).")
    return read_words(path)
