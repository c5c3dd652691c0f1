"""The grammar of uncertain cells: text to the law of one number, and back.

======================  ==============================================================
text                    law
======================  ==============================================================
``15``, ``-1.5e3``      certain
``[10, 12]``            uniform between the bounds
``U(10, 12)``           uniform
``14±5.7``              normal: mean and standard deviation; also ``14 +/- 5.7``
``N(14, 5.7)``          normal: mean and standard deviation (not variance)
``14 +0.5 -0.3``        two-piece normal: mode 14, one standard deviation above and below
``14.32(6)``            normal: 14.32 ± 0.06, the error in units of the last digit
``14.3(1.2)``           normal: 14.3 ± 1.2, an error with a decimal point is taken as it is
``14.3 (1.2)``          normal: 14.3 ± 1.2, mean and standard deviation
``1.43(6)e5``           normal: 143000 ± 6000; also ``(1.43+/-0.06)e5``
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
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from uapca.exceptions import CellError
from uapca.inputs.columns import Roles, expand, find_errors, row_columns
from uapca.inputs.files import open_table
from uapca.inputs.frame import Reading, Table, range_hint, short, with_units
from uapca.laws import (
    Independent,
    Marginal,
    NormalMarginal,
    Point,
    Trapezoid,
    Triangular,
    TwoPieceNormal,
    Uniform,
    as_marginal,
)
from uapca.uncertain import UncertainArray

__all__ = ["format_cell", "from_table", "parse_cell"]


# Exponents are kept short: longer ones are zero or infinite, and slow to convert.
_EXPONENT = r"[eE][+-]?[0-9]{1,5}"
# No two repeated parts meet without a sign between them: matching takes time linear in the text.
_DIGITS = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_NUMBER = rf"[+-]?{_DIGITS}(?:{_EXPONENT})?"
_CERTAIN = re.compile(f"({_NUMBER})")
_INTERVAL = re.compile(rf"\[\s*({_NUMBER})\s*[,;]\s*({_NUMBER})\s*\]")
_ERROR_BAR = re.compile(rf"({_NUMBER})\s*(?:±|\+/-|\+-)\s*({_NUMBER})")
_COMMON_POWER = re.compile(rf"\(({_NUMBER})(?:±|\+/-)({_NUMBER})\)({_EXPONENT})")
_ASYMMETRIC = re.compile(rf"({_NUMBER})\s*\+\s*({_NUMBER})\s*-\s*({_NUMBER})")
_LAST_DIGITS = re.compile(rf"([+-]?{_DIGITS})\(({_DIGITS})\)({_EXPONENT})?")
_BRACKETS = re.compile(rf"([+-]?{_DIGITS}) \(({_DIGITS})\)")
_BAR = re.compile(r"±|\+/-")
_SIGNS = "[(±+"  # one of them is in every cell that is no plain number
_CALL = re.compile(r"([A-Za-z]+)\s*\(([^()]*)\)")

_CALLS: dict[str, tuple[str, int, Callable[..., Marginal]]] = {
    "n": ("N(mean, std)", 2, NormalMarginal),
    "u": ("U(low, high)", 2, Uniform),
    "t": ("T(a, b, c, d)", 4, Trapezoid),
    "tri": ("Tri(low, mode, high)", 3, Triangular),
}
_EXAMPLES = "15, [10, 12], 14±5.7, N(14, 5.7), U(10, 12) or T(10, 11, 13, 15)"
_WORDS = "words; names= takes them as names, words= gives them a meaning"
_UNKNOWN = "a cell must be a number, an interval, an error bar, a law or a known word"


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

    See Also
    --------
    uapca.inputs.format_cell : The text of a law.
    uapca.from_table : A table of uncertain cells.

    Examples
    --------
    >>> parse_cell("14.32(6)")
    Normal(14.32, std=0.06)
    >>> parse_cell("fairly good", words={"fairly good": "T(10, 11, 13, 15)"})
    Trapezoid(a=10.0, b=11.0, c=13.0, d=15.0)
    """
    stripped = text.strip()
    meaning = _meaning(stripped, words or {})
    if meaning is not None:
        return _of_word(meaning)
    plain = stripped.replace("−", "-")
    matches = ((form.fullmatch(plain), make) for form, make in _FORMS)
    try:
        laws = (make(*match.groups()) for match, make in matches if match)
        law = next(laws, None)
    except CellError:
        raise
    except ValueError as error:
        # The law's own complaint about its numbers: not rising, negative, not finite.
        raise CellError(f"{short(stripped)}: {error}") from None
    if law is None:
        raise CellError(f"{_UNKNOWN}, such as {_EXAMPLES}; got {short(stripped)}")
    return law


def format_cell(law: Any) -> str:
    """The text of a cell: ``parse_cell(format_cell(law)) == law``.

    See Also
    --------
    uapca.inputs.parse_cell : The law of a cell's text.

    Examples
    --------
    >>> from uapca.laws import Uniform
    >>> format_cell(Uniform(10, 12))
    'U(10, 12)'
    """
    marginal = as_marginal(law)
    if not isinstance(marginal, Point | TwoPieceNormal | Uniform | Triangular | Trapezoid):
        raise TypeError(
            "law must be certain, normal, uniform, triangular or a trapezoid to be written in a "
            f"cell; got {marginal}"
        )
    return str(marginal)


def check_words(
    words: Mapping[str, Any] | str | PathLike[str] | None,
) -> dict[str, Marginal | None]:
    """The meaning of every word; None for words that stand for a missing value."""
    source = "words"
    if isinstance(words, str | PathLike):
        source = f"words of {fspath(words)!r}: "
        words = read_words(fspath(words))
    if words is not None and not isinstance(words, Mapping):
        raise TypeError(
            "words must be a mapping such as {'good': 'T(13, 14, 16, 18)'} or the path of a TOML "
            f"file; got {words!r}"
        )
    meanings: dict[str, Marginal | None] = {}
    for word, meaning in (words or {}).items():
        try:
            absent = meaning is None or (isinstance(meaning, str) and not meaning.strip())
            meanings[str(word).strip()] = None if absent else _of_word(meaning)
        except (CellError, TypeError) as error:
            raise type(error)(f"{source}[{word!r}]: {error}") from None
    return meanings


def _meaning(word: str, words: Mapping[str, Any]) -> Any:
    if word in words:
        return words[word]
    folded = word.casefold()
    matches = [meaning for key, meaning in words.items() if str(key).casefold() == folded]
    return matches[0] if len(matches) == 1 else None


def _of_word(meaning: Any) -> Marginal:
    return parse_cell(meaning) if isinstance(meaning, str) else as_marginal(meaning)


def _last_digits(value: str, error: str, exponent: str | None) -> NormalMarginal:
    exponent = exponent or ""
    mean = float(value + exponent)
    if "." in error:
        return NormalMarginal(mean, float(error + exponent))
    decimals = len(value.partition(".")[2])
    power = int(exponent[1:] or 0) - decimals
    # One conversion from decimal: 6e-2, where 6 * 10**-2 would be rounded twice.
    return NormalMarginal(mean, float(f"{error}e{power}"))


def _bracketed(value: str, error: str) -> NormalMarginal | None:
    """Mean and standard deviation, as medical tables write them; 14.32 (6) might be 0.06."""
    clear = "." in error or "." not in value
    return NormalMarginal(float(value), float(error)) if clear else None


def _called(letters: str, inside: str) -> Marginal | None:
    if letters.lower() not in _CALLS:
        return None
    form, count, make = _CALLS[letters.lower()]
    numbers = [part.strip() for part in re.split(r"[,;]", inside)]
    if len(numbers) != count or not all(_CERTAIN.fullmatch(number) for number in numbers):
        raise CellError(f"a cell must have the form {form}; got {short(f'{letters}({inside})')}")
    return make(*map(float, numbers))


_FORMS: tuple[tuple[re.Pattern[str], Callable[..., Marginal | None]], ...] = (
    (_CERTAIN, lambda number: Point(float(number))),
    (_INTERVAL, lambda low, high: Uniform(float(low), float(high))),
    (_ERROR_BAR, lambda mean, std: NormalMarginal(float(mean), float(std))),
    (_COMMON_POWER, lambda m, s, power: NormalMarginal(float(m + power), float(s + power))),
    (_ASYMMETRIC, lambda mode, up, down: TwoPieceNormal(float(mode), float(down), float(up))),
    (_LAST_DIGITS, _last_digits),
    (_BRACKETS, _bracketed),
    (_CALL, _called),
)


def read_words(path: str) -> Mapping[str, Any]:
    """The meaning of words in a TOML file: at the top, or under ``[words]``."""
    lines = 'lines such as good = "T(13, 14, 16, 18)"'
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise FileNotFoundError(f"words must name a file; there is no file {path!r}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        said = f"{str(error).splitlines()[0]}; quote words that have other letters than a to z"
        if isinstance(error, UnicodeDecodeError):
            said = "it is not text in UTF-8"
        raise ValueError(
            f"words must name a TOML file with {lines}; {path!r} is none: {said}"
        ) from None
    words = content.get("words", content)
    if not isinstance(words, dict) or any(isinstance(law, dict | list) for law in words.values()):
        raise ValueError(f"words must name a TOML file with {lines}; {path!r} has others")
    return words


# Tables


def from_table(
    source: Any,
    words: Mapping[str, Any] | str | PathLike[str] | None = None,
    *,
    missing: Literal["error", "drop", "keep"] = "error",
    fill: Any = None,
    bad_cells: Literal["error", "drop"] = "error",
    names: str | Sequence[str] | Literal[False] | None = None,
    features: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    weights: str | npt.ArrayLike | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    sheet: str | int | None = None,
    encoding: str | None = None,
) -> UncertainArray:
    """A table of uncertain cells, such as ``15``, ``[10, 12]``, ``14±5.7`` or ``N(14, 5.7)``.

    `uapca.inputs.cells` describes the grammar.

    Parameters
    ----------
    source : data frame, mapping, path or anything else `uapca.read` takes
        Cells may also be numbers and laws.
    words : mapping or path, optional
        What words mean: ``{"good": "T(13, 14, 16, 18)"}``, or a TOML file with lines such as
        ``good = "T(13, 14, 16, 18)"``. A word that means None stands for a missing value:
        ``{"n/a": None}``.
    missing : {"error", "drop", "keep"}, default="error"
        What to do with empty cells: refuse them, leave out their rows and count them in a
        `DroppedRowsWarning`, or keep them as NaN in ``X.mean``, for `uapca.Denoiser`.
    fill : str, number, law or mapping of columns to these, optional
        What stands in empty cells, such as ``"U(0, 20)"``: the range of a grade that is unknown.
    bad_cells : {"error", "drop"}, default="error"
        What to do with cells that cannot be read: refuse and list them all, or leave out their
        rows and count them.
    names : str, sequence of str or False, optional
        The column that names the rows, or the names. By default the index of a frame if it holds
        text, or the first column if its header is empty or a usual one for names (``name``,
        ``id``, ``label``, ``sample``, ``student``, ...) and its texts are distinct.
    features, exclude, weights, decimal, thousands, sheet, encoding
        As in `uapca.read`.

    Returns
    -------
    UncertainArray
        Independent errors, with the laws of the cells kept.

    Raises
    ------
    TableError
        If cells cannot be read. Its attribute ``cells`` lists them all.

    See Also
    --------
    uapca.read : Any table: finds out what its columns are.
    uapca.from_frame : A table of values and errors.
    uapca.inputs.parse_cell : The law of a cell's text.

    Examples
    --------
    >>> import uapca
    >>> table = {"pupil": ["Tom", "Jane"], "M1": ["15", "good"], "P1": ["N(14, 5.7)", "[10, 12]"]}
    >>> X = uapca.from_table(table, words={"good": "T(13, 14, 16, 18)"})
    >>> X
    UncertainArray: 2 rows × 2 features, independent errors, laws known
      features  M1, P1
      Tom   15 ± 0  14 ± 5.7
      Jane  15.29 ± 1.1  11 ± 0.58
    """
    text: Any = {"decimal": decimal, "thousands": thousands, "encoding": encoding}
    table = open_table(source, sheet=sheet, words=words, **text)
    reading = Reading(
        table, names, weights, features, exclude, bad_cells=bad_cells, missing=missing, cells=True
    )
    return of_cells(reading, fill)


def has_uncertain_cells(table: Table, names: Any = None) -> bool:
    """Whether one of the first cells of a column is a law, and no plain number."""
    without = {names} if isinstance(names, str) else set()
    columns = [n for n in table.names if n not in without and table.kind(n) in ("text", "other")]
    return any(_is_uncertain(cell) for name in columns for cell in table.cells(name)[:1000])


def _is_uncertain(cell: Any) -> bool:
    if not isinstance(cell, str) or not any(sign in cell for sign in _SIGNS):
        return isinstance(cell, Marginal)
    try:
        return not isinstance(parse_cell(_with_points(cell)), Point)
    except CellError:
        return False


def of_cells(reading: Reading, fill: Any, strict: bool = True) -> UncertainArray:
    """Rows of uncertain cells; columns without a readable cell are refused, or left out."""
    table, roles, features = reading.table, Roles([]), reading.features
    columns = reading.columns()
    texts = {name: table.cells(name) for name in columns if table.kind(name) == "text"}
    # Numbers of a sheet or a frame tell nothing of how its texts are written.
    texts = {n: [c for c in own if isinstance(c, str)] for n, own in texts.items()}
    table.settle({n: [p for c in own for p in _BAR.split(c)] for n, own in texts.items()})
    law_of = _parser(table)
    laws: dict[str, list[Any]] = {}
    for name in columns:
        laws[name] = [law_of(cell) for cell in table.cells(name)]
        if features is None and not strict and not any(isinstance(x, Marginal) for x in laws[name]):
            del laws[name]
            roles.left_out[name] = _WORDS
    certain = [n for n in laws if all(isinstance(law, Point) for law in laws[n])]
    if features is None and 0 < len(certain) < len(laws):
        values = np.array([[law.mean for law in laws[n]] for n in certain]).T
        roles.left_out |= row_columns(certain, values)
        laws = {name: own for name, own in laws.items() if name not in roles.left_out}
    chosen = roles.features = list(laws)
    if not chosen or not len(table):
        raise ValueError(f"the table must have rows and columns of cells; {table.origin} has none")
    if features is None:
        with table.naming():
            errors = find_errors(chosen)
        for value, own in errors.items():
            if all(isinstance(law, Point) or law is None for law in laws[own.columns[0]]):
                raise ValueError(
                    f"columns must hold uncertain cells; {own.columns[0]!r} is named like the "
                    "errors "
                    f"of {value!r}: uapca.from_frame reads values with errors, features= "
                    "chooses columns"
                )
    filled = _fill(laws, fill, law_of)
    bad = [
        (i, name, law)
        for name, own in laws.items()
        for i, law in enumerate(own)
        if isinstance(law, str)
    ]
    if bad and reading.bad_cells == "error":
        raise reading.refuse(
            sorted(bad),
            f"{len(bad)} cells cannot be read" if len(bad) > 1 else "a cell cannot be read",
            f"words={{'good': 'T(13, 14, 16, 18)'}} gives words a meaning"
            f"{range_hint(table.cells(name)[i] for i, name, _ in bad)}, "
            + (
                f"names={sorted(bad)[0][1]!r} takes a column as names, "
                if reading.names is None
                else ""
            )
            + "exclude= leaves columns out",
        )
    reading.drop([i for i, _, _ in bad], "with a cell that cannot be read")
    empty = np.array([[law is None for law in laws[name]] for name in chosen]).T
    empty &= reading.mask[:, None]
    if empty.any() and reading.missing == "error":
        cells = [(int(i), chosen[int(j)], "empty") for i, j in np.argwhere(empty)]
        raise reading.refuse(
            cells,
            "cells must not be empty",
            "pass missing='drop' or missing='keep', or what stands there, such as fill='U(0, 20)'",
        )
    if reading.missing == "drop":
        reading.drop(np.flatnonzero(empty.any(axis=1)), "without a value")
    rows = np.flatnonzero(reading.mask).tolist()
    kinds = Counter(type(laws[name][i]).__name__ for name in chosen for i in rows)
    words_of = {
        "Point": "certain",
        "NormalMarginal": "normal",
        "TwoPieceNormal": "two-piece normal",
        "NoneType": "missing",
    }
    described = [
        "uncertain cells",
        ", ".join(f"{n} {words_of.get(k, k.lower())}" for k, n in kinds.items()),
    ]
    described += [f"{filled} empty cells filled"] if filled else []
    common = reading.finish(described, roles)
    moments = np.array(
        [
            [(np.nan, 0.0) if m is None else (m.mean, m.std) for m in (laws[n][i] for n in chosen)]
            for i in rows
        ]
    )
    keeps = reading.missing == "keep" and bool(empty.any())
    whole = [Independent([laws[name][i] for name in chosen]) for i in rows] if not keeps else None
    return UncertainArray(
        moments[..., 0],
        std=moments[..., 1],
        features=with_units(chosen, table.units),
        laws=whole,
        missing="keep" if keeps else "error",
        **common,
    ).replace(library=table.library)


def _with_points(cell: str) -> str:
    """A cell with decimal points for its commas, where these do not separate numbers."""
    return cell.replace(",", ".") if ";" in cell or not {*"[("} & {*cell} else cell


def _parser(table: Table) -> Callable[[Any], Any]:
    """Cells to laws: None for a missing one, or what is wrong. The same text is parsed once."""
    laws = {word: law for word, law in table.words.items() if law is not None}

    @cache
    def parsed(cell: str) -> Marginal | str | None:
        text = cell.strip()
        if _meaning(text, laws) is None:
            number = table.number(text)
            if number is not None:
                return None if number != number else Point(number)
            text = _with_points(text) if table.decimal == "," else text
        try:
            return parse_cell(text, laws)
        except CellError as error:
            return f"cannot read {short(text)}" if str(error).startswith(_UNKNOWN) else str(error)

    def law_of(cell: Any) -> Marginal | str | None:
        if isinstance(cell, str):
            return parsed(cell)
        if isinstance(cell, bool | np.bool_):
            return f"{cell!r} is not a number"
        if not isinstance(cell, Marginal) and (cell is None or cell != cell):
            return None
        if hasattr(cell, "isoformat"):
            return "a date, which spreadsheets make of cells such as 10-12: format them as text"
        try:
            return as_marginal(cell)
        except (TypeError, ValueError) as error:
            return str(error)

    return law_of


def _fill(laws: Mapping[str, list[Any]], fill: Any, law_of: Callable[[Any], Any]) -> int:
    """Put what fills empty cells into them; how many there were."""
    given = fill if isinstance(fill, Mapping) else {} if fill is None else dict.fromkeys(laws, fill)
    expand(list(given), list(laws), "fill")
    count = 0
    for name, value in given.items():
        law = law_of(value)
        if not isinstance(law, Marginal):
            raise CellError(f"fill must be what a cell can hold, such as 'U(0, 20)'; got {value!r}")
        for i in [i for i, own in enumerate(laws[name]) if own is None]:
            laws[name][i], count = law, count + 1
    return count
