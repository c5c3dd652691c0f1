"""Every kind of file, and how it is understood."""

import numpy as np
import pytest

import uapca
from cli.conftest import reading
from uapca.cli.data import Data


def read(data, **choices):
    return Data(str(data), reading(**choices)).observed


def same(X, Y):
    np.testing.assert_array_equal(X.mean, Y.mean)
    np.testing.assert_allclose(X.cov.dense(), Y.cov.dense(), rtol=1e-15)
    np.testing.assert_allclose(X.weights, Y.weights, rtol=1e-15)
    assert (X.names, X.features) == (Y.names, Y.features)


def frame(path):
    import pandas as pd

    return pd.read_csv(path)


def test_columns_with_errors_and_correlations_are_found(folder, capsys):
    X = read("stars.csv")
    wanted = uapca.from_frame(
        frame("stars.csv").drop(columns="type"), corr="{}_{}_corr", names="star"
    )
    same(X, wanted)
    assert capsys.readouterr().err == (
        "stars.csv: CSV table of 4 rows and 8 columns: values with errors\n"
        "  ra ± ra_error, dec ± dec_error, parallax (certain)\n"
        "  correlations: ra_dec_corr\n"
        "  names of rows: star\n"
        "  left out: type (text)\n"
        "  → 4 rows × 3 features, a covariance for each row\n"
    )


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".xlsx", ".tsv", ".unknown"])
def test_other_formats_read_the_same(folder, suffix):
    path = folder / f"stars{suffix}"
    table = frame("stars.csv")
    write = {
        ".parquet": lambda: table.to_parquet(path),
        ".feather": lambda: table.to_feather(path),
        ".xlsx": lambda: table.to_excel(path, index=False),
        ".tsv": lambda: table.to_csv(path, sep="\t", index=False),
        ".unknown": lambda: table.to_parquet(path),
    }
    write[suffix]()
    same(read(path), read("stars.csv"))


def test_standard_input(folder, run):
    text = (folder / "stars.csv").read_text()
    by_name = run("fit", "stars.csv", "--json")
    by_pipe = run("fit", "-", "--json", input=text)
    assert by_pipe.stdout == by_name.stdout
    assert by_pipe.stderr.startswith("standard input: CSV table of 4 rows")


def test_our_own_files(folder):
    X = uapca.datasets.load_students()
    X.save("students.uapca")
    Y = read("students.uapca")
    same(X, Y)
    assert Y.laws is not None
    same(read("students.uapca", features=("P1,M1",)), X[:, ["P1", "M1"]])


def test_labeled_points(folder, capsys):
    X = read("flowers.csv", by=("species",))
    same(X, uapca.from_groups(frame("flowers.csv"), by="species"))
    assert capsys.readouterr().err == (
        "flowers.csv: 6 labeled points\n"
        "  one row for each species, with the spread of its points\n"
        "  left out: site (text)\n"
        "  → 2 rows × 2 features, a covariance for each row\n"
    )
    sem = read("flowers.csv", by=("species",), spread="sem")
    same(sem, uapca.from_groups(frame("flowers.csv"), by="species", spread="sem"))
    both = read("flowers.csv", by=("species", "site"))
    same(both, uapca.from_groups(frame("flowers.csv"), by=["species", "site"]))
    same(read("flowers.csv", by=("species,site",)), both)
    assert read("flowers.csv", by=("species",), keep_points=True).laws is not None


def test_categories_of_a_parquet_file_keep_their_order(folder):
    import pandas as pd

    table = frame("flowers.csv")
    table["species"] = pd.Categorical(table["species"], ["virginica", "setosa"])
    table.to_parquet("flowers.parquet")
    assert read("flowers.parquet", by=("species",)).names == ("virginica", "setosa")


def test_numbers_as_labels(folder):
    (folder / "n.csv").write_text("g,x\n1,2\n1,3\n10,4\n2,4\n")
    assert read("n.csv", by=("g",)).names == ("1", "2", "10")


def test_points_with_errors_beside_are_not_features(folder, capsys):
    (folder / "p.csv").write_text("g,x,x_err\na,1,9\na,2,9\nb,4,9\n")
    assert read("p.csv", by=("g",)).features == ("x",)
    assert "left out: x_err (errors: points are grouped without them)" in capsys.readouterr().err


def test_uncertain_cells(folder, capsys):
    X = read("grades.csv", words="words.toml", fill=("P1=U(0, 20)",))
    words = {"good": "T(13, 14, 16, 18)", "bad": "T(2, 4, 6, 7)", "fairly good": "T(10,11,13,15)"}
    same(X, uapca.from_table("grades.csv", words=words, fill={"P1": "U(0, 20)"}))
    said = capsys.readouterr().err
    assert "1 empty cells filled" in said
    assert X["Joe"].mean[0, 2] == 10.0
    dropped = read("grades.csv", words="words.toml", missing="drop")
    assert dropped.names == ("Tom", "Jane", "Jack")
    said = capsys.readouterr().err
    assert "left out: 1 row without a value" in said
    assert "note: left out 1 row, as asked for" in said


def test_cells_are_recognized_without_options(folder):
    (folder / "c.csv").write_text('name,x,y\na,"[1, 2]",3\nb,4±1,5\n')
    same(read("c.csv"), uapca.from_table("c.csv"))


def test_words_of_the_grades_and_under_a_heading(folder):
    path = uapca.datasets.load_students(as_table=True)
    same(read(path, words="grades"), uapca.datasets.load_students())
    (folder / "w.toml").write_text('[words]\ngood = 3\nbad = "1"\n')
    (folder / "w.csv").write_text("x,y\ngood,bad\nbad,2\n")
    np.testing.assert_array_equal(read("w.csv", words="w.toml").mean, [[3, 1], [1, 2]])


def test_plain_numbers_are_certain_points(folder, capsys):
    X = read("flowers.csv")
    assert X.cov.kind == "zero"
    assert X.features == ("len", "width")
    error = capsys.readouterr().err
    assert "no column holds errors (such as x_err): this is ordinary PCA" in error


def test_long_columns_are_read_at_once_and_the_same(folder):
    values = [f"{i / 7:.6f}" for i in range(1500)]
    (folder / "l.csv").write_text("x,y\n" + "\n".join(f"{v},{v}" for v in values) + "\n")
    X = read("l.csv")
    np.testing.assert_array_equal(X.mean[:, 0], [float(v) for v in values])
    values[1200] = "1_0"
    (folder / "l.csv").write_text("x,y\n" + "\n".join(f"{v},1" for v in values) + "\n")
    with pytest.raises(uapca.TableError, match="row 1200, column 'x': cannot read '1_0'"):
        read("l.csv")


def test_an_identifier_is_no_feature(folder):
    (folder / "i.csv").write_text("id,x,x_err\n7,1,0.1\n8,2,0.1\n")
    X = read("i.csv")
    assert (X.features, X.names) == (("x",), ("7", "8"))


def test_correlations_of_features_that_are_not_chosen_play_no_part(folder):
    X = read("stars.csv", features=("ra,parallax",))
    assert X.features == ("ra", "parallax")
    assert X.cov.kind == "diagonal"


def test_a_pattern_that_is_not_usual(folder):
    (folder / "u.csv").write_text("x,x__plusminus,y\n1,0.5,3\n2,0.25,7\n")
    X = read("u.csv", errors="{}__plusminus")
    assert X.features == ("x", "y")
    np.testing.assert_array_equal(X.std, [[0.5, 0], [0.25, 0]])


def test_what_fills_cells_makes_no_features_of_errors(folder, fails):
    (folder / "e.csv").write_text("name,x,x_err,y\na,1,0.1,4\nb,2,0.2,5\nc,3,0.1,6\n")
    assert fails("fit", "e.csv", "--fill", "3") == (
        "columns must hold uncertain cells; 'x_err' is named like the errors of 'x': "
        "uapca.from_frame reads values with errors, --features chooses columns"
    )
    assert read("e.csv", fill=("3",), features=("y",)).features == ("y",)


def test_columns_that_may_hold_errors_are_asked_about(folder, run):
    (folder / "d.csv").write_text("x,dx,y,dy\n1,0.1,2,0.2\n3,0.1,5,0.1\n")
    assert 'if dx holds the errors of x, use --errors "d{}"' in run("fit", "d.csv").stderr
    assert read("d.csv", errors="d{}").features == ("x", "y")
    (folder / "m.csv").write_text("x,x_errr,y,y_err\n1,0.1,2,0.2\n3,0.1,5,0.1\n")
    result = run("fit", "m.csv")
    assert "note: 'x_errr' looks like the errors of 'x' but is taken for a feature" in result.stderr


# Weights


def test_weights_from_a_column_or_a_file(folder):
    by_column = read("stars.csv", weights="parallax")
    assert by_column.features == ("ra", "dec")
    np.testing.assert_allclose(by_column.weights, np.array([2.2, 2.5, 1.5, 2.9]) / 9.1)
    (folder / "w.txt").write_text("1\n2\n3\n2\n")
    np.testing.assert_allclose(
        read("stars.csv", weights="w.txt").weights, [1 / 8, 1 / 4, 3 / 8, 1 / 4]
    )
    (folder / "n.csv").write_text("star,w\nd,2\nc,3\nb,2\na,1\n")
    np.testing.assert_allclose(
        read("stars.csv", weights="n.csv").weights, [1 / 8, 1 / 4, 3 / 8, 1 / 4]
    )
    (folder / "v.csv").write_text("x,w\nvirginica,3\nsetosa,1\n")
    grouped = read("flowers.csv", by=("species",), weights="v.csv")
    np.testing.assert_allclose(grouped.weights, [1 / 4, 3 / 4])


# What is wrong with a file


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            "x,x_err\n1,0.1\nabc,0.2\n3,0.1\n",
            (),
            "cells must be numbers; 'f.csv', row 2, column 'x': cannot read 'abc' as a number; "
            "correct them, use --words FILE with the line 'abc' = \"\" if that means no value, "
            "--bad-cells drop, or leave the column out with --exclude",
        ),
        (
            'x,y\n"1,000",0.5\n"2,000",0.25\n',
            (),
            "numbers must be unambiguous; 'f.csv', column 'x' has '1,000': use --decimal \",\" or "
            '--thousands ","',
        ),
        ("x,x_err\n1,2\n", ("--errors", "{}_pm"), "must match a column"),
        ("x,x_err\n1,2\n", ("--errors", "pm"), "errors must be a pattern"),
        (
            "star,x,x_err\nHD 1,1,0.1\nHD 2,nan,0.2\n",
            (),
            "values must not be missing; 'f.csv', row 'HD 2', column 'x' is empty or nan; use "
            "--missing drop to leave such rows out, or --missing keep",
        ),
        ("x,x_err\n1,0.1\n2,-0.2\n", (), "errors must not be negative; 'f.csv', row 2"),
        ("x,y\n1,inf\n2,3\n", (), "values must be finite; 'f.csv', row 1, column 'y' is inf"),
        ("x,y\n1,2\n2,3,4\n", (), "every line must have 2 cells like the first"),
        ("", (), "'f.csv' must have a header line that names the columns; it is empty"),
        ("x,y\n", (), "the table must have rows and columns of numbers"),
        ("name,x\na,good\nb,[1; 2]\n", (), "row 'a', column 'x': cannot read 'good'"),
        ("g,x\na,1\nb,2\n", ("--by", "G"), "there is no 'G' (perhaps 'g' was meant)"),
        ("g,x\na,1\n,2\n", ("--by", "g"), "'f.csv' has none in row 2; use --missing drop"),
        ("g,x\na,1\n", ("--by", "g", "--names", "x"), "names must be left out for labeled points"),
        ("x,y\na,b\nb,c\nb,c\n", (), "the table must have rows and columns of numbers"),
        (
            "name,x,x_err\nrow 7,1,0.1\nb,2,\n",
            ("--names", "name"),
            "row 'b', column 'x_err' is empty or nan; use --missing drop to leave such rows out, "
            "or --missing keep to take their values for missing",
        ),
        (
            "name,x,x_err\nrow 7,1,-0.1\nb,2,1\n",
            (),
            "errors must not be negative; 'f.csv', row 'row 7', column 'x_err'",
        ),
        (
            "x,y\n1,2\n3,\n",
            ("--missing", "keep", "--quiet"),
            "estimate values with --denoise, or leave the rows out with --missing drop",
        ),
        ("x,y\n1,2\n3,4\n", ("--features", "x,z"), "there is no 'z' among 'x', 'y'"),
        ("x,y\n1,2\n3,4\n", ("--weights", "w"), "weights must name columns of the table"),
        ("x,y\n1,2\n", ("--words", "w.toml"), "there is no file 'w.toml'"),
        (
            "x,x_err,x_std\n1,2,2\n",
            (),
            "every feature must have one error; 'x' has 'x_err', 'x_std'; use --errors x=x_err",
        ),
    ],
)
def test_bad_files_are_one_line_that_says_where(folder, fails, text, options, message):
    (folder / "f.csv").write_text(text)
    assert message in fails("fit", "f.csv", *options)


@pytest.mark.parametrize("name", ["b.parquet", "b.uapca", "b.csv", "b.xlsx"])
def test_a_file_of_another_kind(folder, fails, name):
    (folder / name).write_bytes(b"\xff\x00nothing")
    assert name in fails("fit", name)


def test_a_misspelled_file_and_its_neighbor(folder, fails):
    assert fails("fit", "star.csv") == (
        "there is no file 'star.csv'; perhaps 'stars.csv' was meant"
    )
    assert fails("fit", "students.csv").startswith("there is no file 'students.csv'")
    assert fails("fit", "none/*.csv", "--by", "g") == "no file matches 'none/*.csv'"


def test_kept_points_have_no_standard_error(folder, fails):
    assert fails("fit", "flowers.csv", "--by", "species", "--keep-points", "--spread", "sem") == (
        "--keep-points must be left out with --spread sem: the points show the spread of "
        "replicates, not the error of their mean"
    )


def test_options_for_tables_are_refused_elsewhere(folder, fails):
    assert fails("fit", "students", "--words", "grades") == (
        "--words must be left out for rows that are uncertain already"
    )
    assert fails("fit", "students", "--by", "x") == (
        "students holds no labeled points. Leave out --by."
    )
    assert fails("fit", "anuran", "--by", "genera") == (
        "there is no label of anuran 'genera'; did you mean 'genus'? There are family, genus, "
        "species."
    )
    assert "there is no 'M3' (perhaps 'M2' was meant)" in fails(
        "fit", "students", "--features", "M1,M3"
    )
    assert fails("fit", "students", "--weights", "w.txt") == (
        "there is no file 'w.txt' with weights (--weights)."
    )


def test_wrong_weights(folder, fails):
    (folder / "w.txt").write_text("1\n2\n")
    assert fails("fit", "stars.csv", "--weights", "w.txt") == (
        "weights must have one entry for each of the 4 rows; got shape (2,)"
    )
    (folder / "n.csv").write_text("star,w\na,1\n")
    assert fails("fit", "stars.csv", "--weights", "n.csv") == ("'n.csv' has no weight for b, c, d.")


def test_a_text_in_another_encoding(folder, run, fails):
    (folder / "cities.csv").write_bytes("name,größe\nKöln,1.5\nZürich,2.5\n".encode("cp1252"))
    assert "use --encoding \"cp1252\" (Windows) or 'latin-1'" in fails("read", "cities.csv")
    assert "Zürich" in run("read", "cities.csv", "--encoding", "cp1252").stdout
