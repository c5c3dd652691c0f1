"""What labels say: names that are told apart whatever their length, numbers, shares."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence

__all__ = ["distinct", "drawable", "number", "percent", "scale_text", "subscript"]

# Characters that end a line, steer a terminal or reverse the text after them are not obeyed.
_STEERING = {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"}
_BIDI = set(range(0x202A, 0x202F)) | set(range(0x2066, 0x206A)) | {0x200E, 0x200F, 0x061C}


def drawable(text: str) -> str:
    r"""The text with white space as blanks and every other steering character as �.

    >>> drawable("a\tb\x1b[31m")
    'a b�[31m'
    """
    return "".join(
        " "
        if c in "\t\n\r\x0b\x0c\u2028\u2029"
        else "�"
        if unicodedata.category(c) in _STEERING or ord(c) in _BIDI
        else c
        for c in str(text)
    )


def distinct(names: Sequence[str], length: int = 24) -> list[str]:
    """The names, none longer than `length`, different ones still different.

    A long name loses its middle. Names that would then look alike keep the part in which they
    differ, and where even that is too long, a number.

    >>> distinct(["short", "a rather long name of a region, north"], 16)
    ['short', 'a rathe…n, north']
    >>> distinct(["mean temperature in May, degrees", "mean temperature in June, degrees"], 16)
    ['mea…May, degrees', 'me…June, degrees']
    """
    plain = [drawable(name) for name in names]
    short = [_middle_cut(name, length) for name in plain]
    for text, count in Counter(short).items():
        alike = sorted({plain[i] for i in range(len(plain)) if short[i] == text})
        if count == 1 or len(alike) == 1:
            continue
        shared = [len(set(letters)) == 1 for letters in zip(*alike, strict=False)]
        start = [*shared, False].index(False)
        for i, name in enumerate(plain):
            if short[i] == text and len(name) > length:
                head = max(length - 1 - len(name[start:]), 1)
                kept = name if head >= start else name[:head].rstrip() + "…" + name[start:]
                short[i] = _middle_cut(kept, length)
    taken: set[str] = set()
    for i, text in enumerate(short):
        copy, k = text, 2
        while copy in taken:
            copy, k = f"{_middle_cut(text, length - 3 - len(str(k)))} ({k})", k + 1
        taken.add(copy)
        short[i] = copy
    return short


def _middle_cut(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    half = length // 2
    return text[: length - half - 1].rstrip() + "…" + text[len(text) - half :].lstrip()


def number(value: float, digits: int = 3) -> str:
    """A number for people.

    >>> number(0.5), number(1234.5678, 4), number(float("inf"))
    ('0.5', '1235', '∞')
    """
    return "∞" if value == float("inf") else f"{value:.{digits}g}".replace("-", "−")


def percent(share: float) -> str:
    """A share as a percentage, with a decimal only where it says something.

    >>> percent(0.95), percent(0.6827), percent(0.004)
    ('95 %', '68.3 %', '0.4 %')
    """
    value = 100 * share
    return f"{value:.0f} %" if abs(value - round(value)) < 0.05 else f"{value:.1f} %"


def scale_text(scale: float) -> str:
    """The scale s of a fit, for titles.

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
