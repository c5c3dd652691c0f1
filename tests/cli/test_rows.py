"""Columns of written tables: none overwrites another."""

import json

import numpy as np
import pytest

import uapca

POINTS = """g,a,a_err,name,uapca_weight,a_b_corr,b
u,1,2,3,1,3,1
u,2,3,9,2,1,4
v,4,5,1,3,4,2
v,7,1,2,5,2,1
"""


def twice(name):
    return (
        f"two columns of the table would be called '{name}', or read back as the same. Write a "
        ".uapca file, or rename the columns of the data."
    )


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ("a,a_err", twice("a_err")),
        ("a,name", twice("name")),
        ("a,uapca_weight", twice("uapca_weight")),
        ("a,b,a_b_corr", twice("a_b_corr")),
    ],
)
def test_columns_of_one_name_are_refused_before_reading(
    run, fails, folder, monkeypatch, features, message
):
    (folder / "p.csv").write_text(POINTS)
    arguments = ["aggregate", "p.csv", "--by", "g", "--features", features]
    with monkeypatch.context() as patched:
        patched.setattr("uapca.cli.data.Data.observed", None)
        assert fails(*arguments, "-o", "agg.csv") == message
    assert not (folder / "agg.csv").exists()
    result = run(*arguments, "-o", "agg.uapca")
    assert result.exit_code == 0, result.stderr
    assert uapca.load(folder / "agg.uapca").features == tuple(features.split(","))


def test_columns_of_one_name_are_refused_if_no_features_were_named(run, folder):
    (folder / "p.csv").write_text("g,a,uapca_weight\nu,1,2\nu,2,3\nv,4,5\n")
    result = run("aggregate", "p.csv", "--by", "g", "-o", "agg.csv", "-q")
    assert result.exit_code == 2
    assert result.stderr == f"uapca: error: {twice('uapca_weight')}\n"
    assert not (folder / "agg.csv").exists()


def test_correlations_of_one_name_are_refused(run, folder):
    def written(cov):
        X = uapca.UncertainArray(
            np.arange(8.0).reshape(2, 4), cov, features=["a", "b_c", "a_b", "c"]
        )
        X.save("x.uapca")
        return run("read", "x.uapca", "-o", "-", "-q")

    cov = np.full((4, 4), 0.5) + 0.5 * np.eye(4)
    assert written(cov).stderr == f"uapca: error: {twice('a_b_c_corr')}\n"
    # Read back, a column of that name could be either, so one of the two alone is refused too.
    cov[2, 3] = cov[3, 2] = 0.0
    assert written(cov).exit_code == 2
    independent = uapca.UncertainArray(np.zeros((2, 4)), std=1.0, features=["a", "b_c", "a_b", "c"])
    independent.save("x.uapca")
    result = run("read", "x.uapca", "-o", "-", "-q")
    assert result.exit_code == 0
    assert "a_b_c_corr" not in result.stdout


def test_a_written_table_holds_every_column(run, folder):
    (folder / "p.csv").write_text(POINTS)
    run("aggregate", "p.csv", "--by", "g", "--features", "a,b", "-o", "t.csv")
    run("aggregate", "p.csv", "--by", "g", "--features", "a,b", "-o", "t.uapca")
    table, exact = (json.loads(run("fit", f"t.{e}", "--json").stdout) for e in ("csv", "uapca"))
    np.testing.assert_allclose(table["within"], exact["within"], rtol=1e-12)
    assert (folder / "t.csv").read_text().splitlines()[0] == (
        "name,a,a_err,b,b_err,a_b_corr,uapca_weight"
    )
