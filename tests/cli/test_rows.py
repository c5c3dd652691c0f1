"""Columns of written tables: none overwrites another."""

import json

import numpy as np
import pytest

import uapca
from uapca.cli.console import CommandError
from uapca.cli.data import columns_of_rows

POINTS = """g,a,a_err,name,uapca_weight,a_b_corr,b
u,1,2,3,1,3,1
u,2,3,9,2,1,4
v,4,5,1,3,4,2
v,7,1,2,5,2,1
"""
REMEDY = "Write a .uapca file, or rename the columns of the data."


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (
            "a,a_err",
            "the table would have two columns 'a_err': the errors of 'a', and the feature 'a_err'. "
            + REMEDY,
        ),
        (
            "a,name",
            "the table would have two columns 'name': the names of the rows, and the feature "
            f"'name'. {REMEDY}",
        ),
        (
            "a,uapca_weight",
            "the table would have two columns 'uapca_weight': the weights, and the feature "
            f"'uapca_weight'. {REMEDY}",
        ),
        (
            "a,b,a_b_corr",
            "the feature 'a_b_corr' would be read back as the correlations of 'a' and 'b'. "
            + REMEDY,
        ),
    ],
)
def test_columns_of_one_name_are_refused_before_reading(
    run, fails, folder, monkeypatch, features, message
):
    (folder / "p.csv").write_text(POINTS)
    arguments = ["aggregate", "p.csv", "--by", "g", "--features", features]
    with monkeypatch.context() as patched:
        patched.setattr("uapca.cli.data.read_data", None)
        assert fails(*arguments, "-o", "agg.csv") == message
    assert not (folder / "agg.csv").exists()
    result = run(*arguments, "-o", "agg.uapca")
    assert result.exit_code == 0, result.stderr
    assert uapca.load(folder / "agg.uapca").features == tuple(features.split(","))


def test_columns_of_one_name_are_refused_if_no_features_were_named(run, folder):
    (folder / "p.csv").write_text("g,a,uapca_weight\nu,1,2\nu,2,3\nv,4,5\n")
    result = run("aggregate", "p.csv", "--by", "g", "-o", "agg.csv", "-q")
    assert result.exit_code == 2
    assert result.stderr.startswith(
        "uapca: error: the table would have two columns 'uapca_weight': "
    )
    assert not (folder / "agg.csv").exists()


def test_correlations_of_one_name_are_refused():
    cov = np.full((4, 4), 0.5) + 0.5 * np.eye(4)
    X = uapca.UncertainArray(np.arange(8.0).reshape(2, 4), cov, features=["a", "b_c", "a_b", "c"])
    with pytest.raises(CommandError) as caught:
        columns_of_rows(X)
    assert str(caught.value) == (
        "the table would have two columns 'a_b_c_corr': the correlations of 'a' and 'b_c', and the "
        f"correlations of 'a_b' and 'c'. {REMEDY}"
    )
    # Read back, a column of that name could be either, so one of the two alone is refused too.
    cov[2, 3] = cov[3, 2] = 0.0
    with pytest.raises(CommandError):
        columns_of_rows(uapca.UncertainArray(X.mean, cov, features=X.features))
    independent = uapca.UncertainArray(X.mean, std=1.0, features=X.features)
    assert "a_b_c_corr" not in columns_of_rows(independent)


def test_a_written_table_holds_every_column(run, folder):
    (folder / "p.csv").write_text(POINTS)
    run("aggregate", "p.csv", "--by", "g", "--features", "a,b", "-o", "t.csv")
    run("aggregate", "p.csv", "--by", "g", "--features", "a,b", "-o", "t.uapca")
    table, exact = (json.loads(run("fit", f"t.{e}", "--json").stdout) for e in ("csv", "uapca"))
    np.testing.assert_allclose(table["within"], exact["within"], rtol=1e-12)
    assert (folder / "t.csv").read_text().splitlines()[0] == (
        "name,a,a_err,b,b_err,a_b_corr,uapca_weight"
    )
