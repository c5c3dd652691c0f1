"""The grammar of cells and the names of columns: a law, or a sentence, in linear time."""

import random
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import uapca
from robustness.cases import BATCHES, batch_of
from uapca.inputs import format_cell, parse_cell
from uapca.inputs.read import find_errors
from uapca.laws import NormalMarginal, Point, Trapezoid, Triangular, TwoPieceNormal, Uniform

SIGNS = "0123456789.eE+-−±()[],; NUTtriu_/xa\n\t%é\u202e"


def refusal(function, *arguments, **options):
    """The sentence with which arguments are refused, or nothing."""
    try:
        function(*arguments, **options)
    except ValueError as error:
        return str(error)
    return ""


# Cells whose law is known, and the same with a few characters changed


def number(rng, positive=False):
    """A number as text, and its exact value."""
    digits = str(rng.randrange(10 ** rng.choice([1, 3, 17])))
    place = rng.randrange(len(digits) + 1)
    text = rng.choice([digits, f"{digits[:place]}.{digits[place:]}"])
    text += rng.choice(["", "", f"e{rng.randrange(-30, 30)}", f"E+{rng.randrange(9)}"])
    sign = "" if positive else rng.choice(["", "", "-", "+", "−"])
    return sign + text, Fraction((sign + text).replace("−", "-"))


def cell(rng):
    """A cell of every form of the grammar, its kind of law, and the law's numbers."""
    kind, gap = rng.randrange(8), rng.choice(["", " ", "  "])
    if kind == 0:
        text, value = number(rng)
        return text, Point, [value]
    if kind in (1, 2):
        (text, value), (error, size) = number(rng), number(rng, positive=True)
        sign = rng.choice(["±", "+/-", "+-"])
        whole = f"{text}{gap}{sign}{gap}{error}" if kind == 1 else f"N({text},{gap}{error})"
        return whole, NormalMarginal, [value, size]
    if kind == 3:
        (text, value), (up, above), (down, below) = (number(rng, bool(i)) for i in range(3))
        return f"{text} +{gap}{up} -{gap}{down}", two_piece, [value, below, above]
    if kind == 4:  # 14.32(6): the error counts in units of the last digit
        whole, decimals = rng.randrange(10**4), rng.randrange(5)
        error, power = rng.randrange(1, 100), rng.choice([None, rng.randrange(-9, 9)])
        text = f"{whole}" + (f".{rng.randrange(10**decimals):0{decimals}}" if decimals else "")
        end = "" if power is None else f"e{power}"
        size = error * Fraction(10) ** ((power or 0) - decimals)
        return f"{text}({error}){end}", NormalMarginal, [Fraction(text + end), size]
    count, make, form = [
        (2, Uniform, rng.choice(["[{}]", "U({})", "u ({})"])),
        (3, Triangular, rng.choice(["Tri({})", "tri({})"])),
        (4, Trapezoid, rng.choice(["T({})", "t({})"])),
    ][kind - 5]
    corners = sorted((number(rng) for _ in range(count)), key=lambda pair: pair[1])
    separator = gap + rng.choice(",;") + gap
    texts, values = zip(*corners, strict=True)
    return form.format(separator.join(texts)), make, values


def two_piece(mode, below, above):
    return TwoPieceNormal(mode, lower=below, upper=above)


def outcome(function, *arguments):
    """What comes back, or None if the arguments are refused, as for corners that are equal."""
    try:
        return function(*arguments)
    except ValueError:
        return None


def changed(text, rng):
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(["", rng.choice(SIGNS), text]) + text[at + rng.randrange(2) :]
    return text


def wrong_cell(seed):
    """What is wrong with the outcome of a case, or None."""
    try:
        return compared(random.Random(seed), exactly=seed % 2 == 0)
    except Exception as error:  # noqa: BLE001  (this is what the harness looks for)
        return f"{type(error).__name__}: {error}"


def compared(rng, exactly):
    text, make, values = cell(rng)
    if exactly:
        expected = outcome(make, *map(float, values))
        found = outcome(parse_cell, rng.choice(["", " ", "\t"]) + text + rng.choice(["", "\n"]))
        return None if found == expected else f"{text!r} is {found}, not {expected}"
    text = changed(text, rng)
    try:
        law = parse_cell(text)
    except ValueError as error:
        said = str(error)
        plain = "\n" not in said and len(said) < 400 and (" must " in said or ": " in said)
        return None if plain else f"{text!r}: {said!r}"
    if not (np.isfinite(law.mean) and np.isfinite(law.var) and law.var >= 0.0):
        return f"{text!r} has mean {law.mean} and variance {law.var}"
    written = format_cell(law)
    return None if parse_cell(written) == law else f"{text!r} was written as {written!r}"


@pytest.mark.parametrize("batch", range(BATCHES))
def test_cells_are_the_law_that_they_say_or_refused(batch, tried):
    cases = batch_of("cells", batch)
    found = [f"case {k}: {wrong}" for k in cases if (wrong := wrong_cell(k))]
    tried("cells", len(cases))
    assert not found, "\n".join(found[:20])


@pytest.mark.parametrize("text", ["1±1e80", "1 +1e80 -2", "U(-1e80, 1)", "T(-1e300, 0, 1, 1e300)"])
def test_a_law_whose_moments_overflow_is_refused(text):
    assert "must be at most 1e75; got " in refusal(parse_cell, text)


@given(st.text(max_size=200))
def test_any_text_is_a_cell_or_refused(text):
    said = refusal(parse_cell, text)
    assert "\n" not in said


@settings(max_examples=100)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=8, unique=True))
def test_any_names_are_columns(names):
    said = refusal(uapca.read, {name: [1.0, 2.5, 4.0] for name in names})
    assert "Error" not in said


# Time in proportion to the length

PIECES = ("1", "1e", "(", "[1,", "1+", " ", "_", "err ", "1.")
LONG = 1_000_000


def seconds_for(piece, n):
    text = (piece * n)[:n]
    header = text[: n // 10]
    start = time.process_time()
    for whole in (text, "1" + text, text + "x"):
        refusal(parse_cell, whole)
        refusal(uapca.read, {"a": ["1", whole, "2"], "b": [1, 2, 3]}, bad_cells="drop")
    refusal(find_errors, [header, "x" + header, f"{header}_err", f"{header} [a]", "x"])
    columns = {f"{header}_corr": [1.0, 2.0], f"x{header}": [1.0, 2.0], "x": [2.0, 3.0]}
    refusal(uapca.read, columns)
    return time.process_time() - start


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.filterwarnings("ignore")
def test_a_million_characters_take_linear_time(piece):
    assert seconds_for(piece, LONG) < 40 * seconds_for(piece, LONG // 10) + 1.0


@settings(max_examples=20)
@given(st.text(SIGNS, min_size=1, max_size=5))
@pytest.mark.filterwarnings("ignore")
def test_a_million_characters_of_any_kind_take_linear_time(piece):
    assert seconds_for(piece, LONG) < 40 * seconds_for(piece, LONG // 10) + 1.0
