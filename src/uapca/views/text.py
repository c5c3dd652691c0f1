"""Names are data: what a label may hold, and what of it is shown."""

from __future__ import annotations

import unicodedata

__all__ = ["literal", "number", "percent", "scale_text", "shortened", "subscript"]

# Characters that end a line, steer a terminal or reverse the text after them are shown, not obeyed.
_STEERING = {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"}
_BIDI = set(range(0x202A, 0x202F)) | set(range(0x2066, 0x206A)) | {0x200E, 0x200F, 0x061C}


def literal(text: str) -> str:
    r"""The text with every steering character replaced by one that can be seen.

    >>> literal("a\tb\x1b[31m")
    'a b␛[31m'
    """
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    code = ord(character)
    if character in "\t\n\r\x0b\x0c" or code in (0x2028, 0x2029):
        return " "
    if code < 0x20:
        return chr(0x2400 + code)
    if unicodedata.category(character) in _STEERING or code in _BIDI:
        return "\ufffd"
    return character


def shortened(text: str, length: int = 24) -> str:
    """The text, literal, cut to a length a picture has room for.

    >>> shortened("a rather long name for a single row", 12)
    'a rather lo…'
    """
    text = literal(text)
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def number(value: float, digits: int = 3) -> str:
    """A number for people.

    >>> number(0.5), number(1234.5678, 4), number(float("inf"))
    ('0.5', '1235', '∞')
    """
    if value == float("inf"):
        return "∞"
    return f"{value:.{digits}g}".replace("-", "−")


def percent(share: float) -> str:
    """A share as a percentage, with a decimal only where it says something.

    >>> percent(0.95), percent(0.6827), percent(0.004)
    ('95 %', '68.3 %', '0.4 %')
    """
    value = 100 * share
    return f"{value:.0f} %" if abs(value - round(value)) < 0.05 else f"{value:.1f} %"


def scale_text(scale: float) -> str:
    """What a picture says of its s.

    >>> scale_text(1.0), scale_text(float("inf"))
    ('s = 1', 's → ∞')
    """
    return "s → ∞" if scale == float("inf") else f"s = {number(scale)}"


def subscript(index: int) -> str:
    """A number set low.

    >>> "λ" + subscript(12)
    'λ₁₂'
    """
    return str(index).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
