"""Options about the data become the arguments of `uapca.read`."""

import pytest

from cli.conftest import reading
from uapca.datasets import GRADES


def test_nothing_is_said_by_default():
    assert {name: value for name, value in reading().items() if value} == {
        "missing": "error",
        "bad_cells": "error",
        "bad_files": "error",
        "spread": "std",
    }


def test_columns_errors_bins_and_words():
    given = reading(
        by=("a,b", "c"),
        features=("met_*",),
        errors=("x=sx, y=sy",),
        bins="x=20,y=25",
        words="grades",
        sheet="2",
    )
    assert given["by"] == ["a", "b", "c"]
    assert given["features"] == ["met_*"]
    assert given["errors"] == {"x": "sx", "y": "sy"}
    assert given["bins"] == {"x": 20, "y": 25}
    assert given["words"] is GRADES
    assert given["sheet"] == 2
    assert reading(errors=("d{}",))["errors"] == "d{}"
    assert reading(by=("a",), bins="7")["bins"] == 7


def test_what_fills_empty_cells():
    assert reading(fill=("U(0, 20)",))["fill"] == "U(0, 20)"
    assert reading(fill=("a = 3", "b=U(0, 20)"))["fill"] == {"a": "3", "b": "U(0, 20)"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--fill", "3", "--fill", "a=4"], "--fill takes one law for all cells, or COLUMN=LAW"),
        (["--bins", "x:3"], "--bins 'x:3' must be a number of clusters"),
    ],
)
def test_rules_that_make_no_sense(fails, folder, options, message):
    command = ["aggregate", "grades.csv", *options, "-o", "g.csv"]
    command += [] if "--bins" in options else ["--by", "M2"]
    assert message in fails(*command)
