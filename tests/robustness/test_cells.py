"""The grammar of cells and the names of columns: a law, or a sentence, in linear time."""

import random
import time
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import uapca
from robustness.cases import BATCHES, batch_of
from uapca.inputs import format_cell, parse_cell
from uapca.inputs.columns import find_errors
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


# Tables whose columns are known, and the same with a few characters of their names changed

FEATURES = ("x", "Mass", "flux G", "pl_rade", "größe", "T.eff", "a-b", "z", "log(g)", "δ", "Xerr")
SPREADS = {  # how errors are named, and their standard deviation
    "{}_err": float, "{} std": float, "{}.SD": float, "e_{}": float, "σ_{}": float,
    "{} ±": float, "{} (sigma)": float, "{}_UNC": float, "{}_variance": np.sqrt,
    "{}_ivar": lambda number: number**-0.5, "{} +/-": float, "{}_1sigma": float,
    "{}_2SE": lambda number: number / 2, "u({})": float,
}  # fmt: skip
SIDES = {  # the names of lower and upper errors, and whether these are bounds
    ("{}_err_lo", "{}_err_hi"): False, ("{}err2", "{}err1"): False, ("e_{}", "E_{}"): False,
    ("{}_sigma_minus", "{}_sigma_plus"): False, ("{}_lower", "{}_upper"): True,
}  # fmt: skip
UNITS = ("", "", " [kg]", " (m/s)")


def header(rng):
    """A table whose columns are in any order, and the laws of its features."""
    columns, laws = {}, {}
    for stem in rng.sample(FEATURES, rng.randrange(1, 4)):
        unit, value, kind = rng.choice(UNITS), rng.uniform(-9, 9), rng.randrange(4)
        error, other = rng.uniform(0.1, 3), rng.uniform(0.1, 3)
        columns[stem + unit] = [value, 1.0 + value]
        law = Point(value)
        if kind == 1:
            named, std = rng.choice([*SPREADS.items()])
            bare = std is not float or "(" in named  # these have no unit, or another one
            columns[named.format(stem) + rng.choice(["", "" if bare else unit])] = [error, error]
            law = NormalMarginal(value, std(error))
        elif kind == 2:
            (lower, upper), bounds = rng.choice([*SIDES.items()])
            down, up = (value - error, value + other) if bounds else (error, other)
            columns[lower.format(stem) + unit] = [down, down + bounds]
            columns[upper.format(stem) + unit] = [up, up + bounds]
            law = TwoPieceNormal(value, lower=error, upper=other)
        laws[stem + unit] = law
    columns["type"] = ["G", "G"]
    return dict(rng.sample([*columns.items()], len(columns))), laws


def wrong_table(seed):
    rng = random.Random(seed)
    columns, laws = header(rng)
    if seed % 2:
        columns = {
            changed(name, rng) if rng.random() < 0.3 else name: c for name, c in columns.items()
        }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            X = uapca.read(columns, names=False)
    except ValueError as error:
        plain = "\n" not in str(error) and len(str(error)) < 1000
        return None if plain and seed % 2 else f"{[*columns]}: {error}"
    except Exception as error:  # noqa: BLE001  (this is what the harness looks for)
        return f"{[*columns]}: {type(error).__name__}: {error}"
    # Every column is a feature, or it is said what it is.
    silent = [name for name in columns if name not in X.features and name not in X.origin]
    if silent:
        return f"{[*columns]}: nothing is said about {silent}"
    if seed % 2:
        return None if np.isfinite(X.mean).all() and (X.std >= 0.0).all() else f"{[*columns]}: {X}"
    if X.features != tuple(name for name in columns if name in laws):
        return f"{[*columns]} are {X.features}"
    expected = [laws[name] for name in X.features]
    near = np.allclose(X.mean[0], [law.mean for law in expected], rtol=1e-9, atol=1e-12)
    near &= np.allclose(X.std[0] ** 2, [law.var for law in expected], rtol=1e-9)
    return None if near else f"{[*columns]} are {X.mean[0]} ± {X.std[0]}, not {expected}"


@pytest.mark.parametrize("batch", range(BATCHES))
def test_headers_say_what_columns_are(batch, tried):
    cases = batch_of("headers", batch)
    found = [f"case {k}: {wrong}" for k in cases if (wrong := wrong_table(k))]
    tried("headers", len(cases))
    assert not found, "\n".join(found[:20])


@pytest.mark.parametrize("text", ["1±1e80", "1 +1e80 -2", "U(-1e80, 1)", "T(-1e300, 0, 1, 1e300)"])
def test_a_law_whose_moments_overflow_is_refused(text):
    assert "must be at most 1e75; got " in refusal(parse_cell, text)


@pytest.mark.parametrize("text", ["1±1e-170", "1 +1 -1e-170", "U(0, 1e-170)", "Tri(0, 0, 1e-160)"])
def test_a_law_whose_variance_underflows_is_refused(text):
    assert "must be 0 or at least 1e-150; got " in refusal(parse_cell, text)


def test_asymmetric_errors_have_a_standard_deviation_however_small():
    errors = np.array([1.0, 2.0, 3.0])
    tables = (
        {"x": [1.0, 2.0], "x_err_lo": e[:2], "x_err_hi": e[1:]} for e in (errors, errors * 1e-170)
    )
    large, small = (uapca.read(table).std for table in tables)
    np.testing.assert_allclose(small, large * 1e-170, rtol=1e-14)


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
