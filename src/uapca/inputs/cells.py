"""The grammar of uncertain cells: text to the law of one number, and back.

======================  ==============================================================
text                    law
======================  ==============================================================
``15``, ``-1.5e3``      certain
``[10, 12]``            uniform between the bounds
``U(10, 12)``           uniform
``14±5.7``              normal: mean and standard deviation; also ``14 +/- 5.7``
``N(14, 5.7)``          normal: mean and standard deviation (not variance)
``14.32(6)``            normal: 14.32 ± 0.06, the error in units of the last digit
``14.3(1.2)``           normal: 14.3 ± 1.2, an error with a decimal point is taken as it is
``1.43(6)e5``           normal: 143000 ± 6000
``Tri(a, b, c)``        triangular with its mode at b
``T(a, b, c, d)``       trapezoid: rises to b, flat to c, falls to d
a word                  looked up in a table of words
======================  ==============================================================

Spaces do not matter, letters may be upper or lower case, and numbers may be separated by commas or
semicolons (which need no quotes in a CSV file). Numbers have a decimal point; ``−`` is as good as
``-``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from uapca._validation import complaint
from uapca.exceptions import CellError
from uapca.laws import (
    Marginal,
    NormalMarginal,
    Point,
    Trapezoid,
    Triangular,
    TwoPieceNormal,
    Uniform,
    as_marginal,
)

__all__ = ["CellError", "check_words", "format_cell", "parse_cell"]


# Exponents are kept short: longer ones are zero or infinite, and slow to convert.
_EXPONENT = r"[eE][+-]?[0-9]{1,5}"
# No two repeated parts meet without a sign between them: matching takes time linear in the text.
_DIGITS = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_NUMBER = rf"[+-]?{_DIGITS}(?:{_EXPONENT})?"
_CERTAIN = re.compile(_NUMBER)
_INTERVAL = re.compile(rf"\[\s*({_NUMBER})\s*[,;]\s*({_NUMBER})\s*\]")
_ERROR_BAR = re.compile(rf"({_NUMBER})\s*(?:±|\+/-|\+-)\s*({_NUMBER})")
_ASYMMETRIC = re.compile(rf"({_NUMBER})\s*\+\s*({_NUMBER})\s*-\s*({_NUMBER})")
_LAST_DIGITS = re.compile(rf"([+-]?{_DIGITS})\(({_DIGITS})\)({_EXPONENT})?")
_CALL = re.compile(r"([A-Za-z]+)\s*\(([^()]*)\)")

_CALLS: dict[str, tuple[str, int, Callable[..., Marginal]]] = {
    "n": ("N(mean, std)", 2, NormalMarginal),
    "u": ("U(low, high)", 2, Uniform),
    "t": ("T(a, b, c, d)", 4, Trapezoid),
    "tri": ("Tri(low, mode, high)", 3, Triangular),
}
_REMEDY = "Write for instance 15, [10, 12], 14±5.7, N(14, 5.7), U(10, 12) or T(10, 11, 13, 15)"


def parse_cell(text: str, words: Mapping[str, Any] | None = None) -> Marginal:
    """The law that a cell describes; see the module's table for the grammar.

    Parameters
    ----------
    text : str
    words : mapping of str to str, number or marginal, optional
        What words mean, such as ``{"good": "T(13, 14, 16, 18)"}``; upper and lower case are told
        apart only where the table has both.

    Returns
    -------
    Marginal

    Raises
    ------
    CellError
        If the text is not in the grammar, or its numbers make no law.

    Examples
    --------
    >>> parse_cell("14.32(6)")
    Normal(14.32, std=0.06)
    >>> parse_cell("fairly good", words={"fairly good": "T(10, 11, 13, 15)"})
    Trapezoid(a=10.0, b=11.0, c=13.0, d=15.0)
    """
    stripped = text.strip()
    if words:
        meaning = _meaning(stripped, words)
        if meaning is not None:
            return _of_word(stripped, meaning)
    plain = stripped.replace("−", "-")
    try:
        law = _law(plain)
    except CellError:
        raise
    except ValueError as error:
        # The law's own complaint about its numbers: not rising, negative, not finite.
        raise CellError(f"{_shown(stripped)}: {error}") from None
    if law is None:
        raise CellError(
            complaint(
                "a cell",
                "be a number, an interval, an error bar, a law or a known word",
                f"got {_shown(stripped)}",
                _REMEDY,
            )
        )
    return law


def format_cell(law: Any) -> str:
    """The text of a cell: ``parse_cell(format_cell(law)) == law``.

    Examples
    --------
    >>> from uapca.laws import Uniform
    >>> format_cell(Uniform(10, 12))
    'U(10, 12)'
    """
    marginal = as_marginal(law)
    if not isinstance(marginal, Point | TwoPieceNormal | Uniform | Triangular | Trapezoid):
        raise TypeError(
            complaint(
                "law",
                "be one that a cell can hold",
                f"got {marginal}",
                "Cells hold certain, normal, uniform, triangular and trapezoid laws",
            )
        )
    return str(marginal)


def check_words(words: Mapping[str, Any] | None) -> dict[str, Marginal | None]:
    """The meaning of every word; None for words that stand for a missing value."""
    if words is not None and not isinstance(words, Mapping):
        raise TypeError(
            complaint(
                "words",
                "be a mapping of words to what they mean",
                f"got {words!r}",
                "Pass for instance words={'good': 'T(13, 14, 16, 18)'}",
            )
        )
    meanings: dict[str, Marginal | None] = {}
    for word, meaning in (words or {}).items():
        try:
            meanings[str(word).strip()] = (
                None if meaning is None or _is_blank(meaning) else _of_word(str(word), meaning)
            )
        except (CellError, TypeError) as error:
            raise type(error)(f"words[{word!r}]: {error}") from None
    return meanings


def _is_blank(meaning: Any) -> bool:
    return isinstance(meaning, str) and not meaning.strip()


def _meaning(word: str, words: Mapping[str, Any]) -> Any:
    if word in words:
        return words[word]
    folded = word.casefold()
    matches = [meaning for key, meaning in words.items() if str(key).casefold() == folded]
    return matches[0] if len(matches) == 1 else None


def _of_word(word: str, meaning: Any) -> Marginal:
    return parse_cell(meaning) if isinstance(meaning, str) else as_marginal(meaning)


def _law(text: str) -> Marginal | None:
    if _CERTAIN.fullmatch(text):
        return Point(float(text))
    if match := _INTERVAL.fullmatch(text):
        return Uniform(float(match[1]), float(match[2]))
    if match := _ERROR_BAR.fullmatch(text):
        return NormalMarginal(float(match[1]), float(match[2]))
    if match := _ASYMMETRIC.fullmatch(text):
        return TwoPieceNormal(float(match[1]), lower=float(match[3]), upper=float(match[2]))
    if match := _LAST_DIGITS.fullmatch(text):
        return _last_digits(match[1], match[2], match[3] or "")
    if match := _CALL.fullmatch(text):
        return _called(match[1], match[2], text)
    return None


def _last_digits(value: str, error: str, exponent: str) -> NormalMarginal:
    mean = float(value + exponent)
    if "." in error:
        return NormalMarginal(mean, float(error + exponent))
    decimals = len(value.partition(".")[2])
    power = int(exponent[1:] or 0) - decimals
    # One conversion from decimal: 6e-2, where 6 * 10**-2 would be rounded twice.
    return NormalMarginal(mean, float(f"{error}e{power}"))


def _called(letters: str, inside: str, text: str) -> Marginal | None:
    if letters.lower() not in _CALLS:
        return None
    form, count, make = _CALLS[letters.lower()]
    numbers = [part.strip() for part in re.split(r"[,;]", inside)]
    if len(numbers) != count or not all(_CERTAIN.fullmatch(number) for number in numbers):
        raise CellError(
            complaint("a cell", f"have the form {form}", f"got {_shown(text)}", _REMEDY)
        )
    return make(*map(float, numbers))


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")
