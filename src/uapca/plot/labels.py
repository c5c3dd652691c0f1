"""What labels say: names that are told apart whatever their length, numbers, shares."""

from __future__ import annotations

import unicodedata
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

    A long name loses the words that all long ones have in common, then the ends of its longest
    words, then its middle. What still looks alike gets a number.

    >>> distinct(["short", "a rather long name of a region"], 16)
    ['short', 'a rathe…a region']
    >>> distinct(["mean temperature in May, degrees", "mean rainfall in June, millimetres"], 16)
    ['tempe…May, degre', 'rain…June, milli']
    """
    plain = [drawable(name) for name in names]
    long = {name for name in plain if len(name) > length}
    shared = set.intersection(*(set(name.split()) for name in long)) if len(long) > 1 else set()
    short, taken = [], set()
    for name in plain:
        text = _shortened(name, shared, length) if name in long else name
        copy, k = text, 2
        while copy in taken:
            copy, k = f"{_middle_cut(text, length - 3 - len(str(k)))} ({k})", k + 1
        taken.add(copy)
        short.append(copy)
    return short


def _shortened(name: str, shared: set[str], length: int) -> str:
    """A name in which all that tells it from others is still there, as far as there is room."""
    words = name.split()
    if not shared or set(words) <= shared:
        return _middle_cut(name, length)
    kept = [word not in shared for word in words]
    # Words in common come back one by one, from the left, while there is room.
    for k in [k for k, own in enumerate(kept) if not own]:
        kept[k] = True
        if len(_joined(words, kept)) > length:
            kept[k] = False
            break
    while len(_joined(words, kept)) > length:
        # Numbers and years are short and tell most.
        long = [k for k, word in enumerate(words) if kept[k] and len(word) > 3 and word.isalpha()]
        if not long:
            break
        k = max(long, key=lambda k: len(words[k]))
        words[k] = words[k][:-1]
    return _middle_cut(_joined(words, kept), length)


def _joined(words: list[str], kept: list[bool]) -> str:
    """The words that are kept, with … for those left out, but at the end."""
    text = ""
    for word, keep in zip(words, kept, strict=True):
        if keep:
            text += word if not text or text.endswith("…") else f" {word}"
        elif text and not text.endswith("…"):
            text += "…"
    return text.rstrip("…")


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
