"""Labels and file content are data: nothing in them may steer a terminal or end a line."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from uapca._names import nearest

__all__ = ["counted", "listed", "nearest", "quoted", "shown", "width_of"]

# Controls, invisible formatting (text direction among it), halves of pairs, private characters,
# line and paragraph ends. U+200C and U+200D join or part letters in several scripts and stay.
_UNSAFE = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
_KEPT = "\u200c\u200d"


def shown(text: object, width: int | None = None) -> str:
    """The text on one line with every control character made visible.

    Parameters
    ----------
    text : object
        What ``str`` makes text of.
    width : int, optional
        Longer texts are cut, which ``…`` says.

    Examples
    --------
    >>> shown("a\\x1b[31mb\\nc")
    'a␛[31mb␊c'
    """
    safe = "".join(_visible(c) for c in str(text))
    return safe if width is None or len(safe) <= width else safe[: width - 1] + "…"


def _visible(character: str) -> str:
    if character in _KEPT or unicodedata.category(character) not in _UNSAFE:
        return character
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)  # the pictures of control characters, such as ␛
    if code == 0x7F:
        return "␡"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def quoted(text: object, width: int = 300) -> str:
    """The text in quotes, for messages; long ones are cut."""
    return f"'{shown(text, width)}'"


def listed(names: Iterable[object], most: int = 8) -> str:
    """Names one after the other; a long list is cut and says how many are left.

    Examples
    --------
    >>> listed("abc", most=2)
    'a, b and 1 more'
    """
    all_names = [shown(name, 40) for name in names]
    text = ", ".join(all_names[:most])
    left = len(all_names) - most
    return f"{text} and {left} more" if left > 0 else text


def counted(number: int, noun: str) -> str:
    """A number of things: ``1 row``, ``1,200 rows``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def width_of(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )
