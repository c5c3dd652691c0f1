"""Labels are data."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uapca._names import nearest
from uapca.cli.console import _columns_of as width_of
from uapca.cli.console import line, listed, shown


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("plain ± ∞ é 漢", "plain ± ∞ é 漢"),
        ("a\x1b[31mb", "a␛[31mb"),
        ("a\nb\tc\rd\0", "a␊b␉c␍d␀"),
        ("\x7f\x9b\x85", "␡\\x9b\\x85"),
        ("\u202egnp", "\\u202egnp"),
        ("a\u2028b", "a\\u2028b"),
        ("\ud800", "\\ud800"),
        ("[red]x[/red]", "[red]x[/red]"),
    ],
)
def test_control_characters_are_shown_not_obeyed(text, safe):
    assert shown(text) == safe


@given(st.text(), st.integers(2, 20))
def test_what_is_shown_is_one_line_of_bounded_width_and_stays(text, width):
    once = shown(text, width)
    assert len(once) <= width
    kinds = {unicodedata.category(c) for c in once if c not in "\u200c\u200d"}
    assert not kinds & {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    assert len(once.splitlines()) <= 1
    assert shown(once, width) == once


def test_nearest_ignores_case_and_knows_when_nothing_is_near():
    assert nearest("Iris", ["iris", "students"]) == "iris"
    assert nearest("SPECIS", ["Species", "len"]) == "Species"
    assert nearest("qqq", ["iris"]) is None


def test_long_lists_are_cut():
    assert listed(["a"]) == "a"
    assert listed("abcd", most=2) == "a, b and 2 more"


def test_width_counts_columns_of_a_terminal():
    assert width_of("abc") == 3
    assert width_of("漢字") == 4
    assert width_of("e\u0301") == 1


def test_a_key_is_folded_below_its_meanings(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "30")
    line("tilt    the angle by which a component may be off")
    line("  → 6 rows × 4 features, independent errors")
    assert capsys.readouterr().out.splitlines() == [
        "tilt    the angle by which a",
        "        component may be off",
        "  → 6 rows × 4 features,",
        "    independent errors",
    ]
