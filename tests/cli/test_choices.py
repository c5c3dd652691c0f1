"""Rules for empty cells: none puts another out of action, and misspelt ones are found."""

import pytest

from uapca.cli.choices import Choices

RULES = '--missing takes drop, column, a law such as "U(0, 20)", or COLUMN=RULE.'


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (["dorp"], f"there is no rule 'dorp'; did you mean 'drop'? {RULES}"),
        (["P1=colum"], f"there is no rule 'colum'; did you mean 'column'? {RULES}"),
        (["zzz"], f"there is no rule 'zzz'. {RULES}"),
        *(
            (
                [first, second],
                f"--missing '{first}' and --missing '{second}' are for the same cells. Keep one, "
                "or give each column its own: COLUMN=RULE.",
            )
            for first, second in [
                ("column", "P1=U(0,20)"),
                ("P1=U(0,20)", "column"),
                ("column", "U(0,20)"),
                ("drop", "P1=U(0,20)"),
                ("P1=column", "P1=U(0,20)"),
            ]
        ),
    ],
)
def test_rules_that_cannot_all_hold_are_refused(fails, folder, rules, message):
    options = [part for rule in rules for part in ("--missing", rule)]
    assert fails("fit", "grades.csv", *options) == message


def test_rules_that_can():
    assert Choices().fill is None
    assert Choices(missing=("column", "column")).fill == "column"
    assert Choices(missing=("drop",)).fill is None
    assert Choices(missing=("drop",)).drop
    assert Choices(missing=("a=column", "b = U(0, 20)")).fill == {"a": "column", "b": "U(0, 20)"}
    assert Choices(missing=("a=drop", "b=column")).fill == {"a": "drop", "b": "column"}
    assert Choices(missing=("good",), words="grades").fill == "good"
