"""Tables of uncertain cells."""

import datetime as dt

import numpy as np
import pytest
from scipy import stats

import uapca
from uapca.exceptions import BadCell
from uapca.laws import NormalMarginal, Point, Uniform

TABLE = {"name": ["Tom", "Jane"], "M1": ["15", "good"], "P1": ["N(14, 5.7)", "[10, 12]"]}
WORDS = {"good": "T(13, 14, 16, 18)"}


def refused(table, kind=ValueError, **options):
    with pytest.raises(kind) as error:
        uapca.from_table(table, **options)
    return str(error.value)


def write(folder, text, name="table.csv", encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def check(X):
    assert X.names == ("Tom", "Jane")
    assert X.features == ("M1", "P1")
    assert X.laws[0].marginals == (Point(15), NormalMarginal(14, 5.7))
    assert X.laws[1].marginals[1] == Uniform(10, 12)
    np.testing.assert_allclose(X.std**2, [law.cov.diagonal() for law in X.laws], rtol=1e-14)


def test_a_mapping():
    check(uapca.from_table(TABLE, WORDS))


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_csv_file(tmp_path, separator, encoding):
    lines = ["name|M1|P1", 'Tom|15|"N(14, 5.7)"', "", 'Jane|good|"[10; 12]"']
    path = write(tmp_path, "\r\n".join(lines).replace("|", separator), encoding=encoding)
    check(uapca.from_table(path, WORDS))
    check(uapca.from_table(str(path), WORDS))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames(library):
    module = pytest.importorskip(library)
    frame = module.table(TABLE) if library == "pyarrow" else module.DataFrame(TABLE)
    check(uapca.from_table(frame, WORDS))


def test_an_index_of_names():
    pandas = pytest.importorskip("pandas")
    check(uapca.from_table(pandas.DataFrame(TABLE).set_index("name"), WORDS))


def test_an_excel_file(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("openpyxl")
    frame = pandas.DataFrame(TABLE | {"M1": [15, "good"]})
    frame.to_excel(tmp_path / "table.xlsx", index=False)
    check(uapca.from_table(tmp_path / "table.xlsx", WORDS))


def test_excel_without_openpyxl(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(ImportError) as error:
        uapca.from_table(write(tmp_path, "", "table.xlsx"))
    assert str(error.value) == (
        'reading Excel files needs openpyxl; install it with pip install "uapca[frames]"'
    )


def test_cells_may_be_numbers_and_laws():
    X = uapca.from_table({"x": [1, 2.5], "y": [stats.uniform(10, 2), NormalMarginal(0, 1)]})
    assert X.names is None
    assert X.mean.tolist() == [[1.0, 11.0], [2.5, 0.0]]


def test_which_column_names_the_rows():
    table = {"m": ["1", "2"], "pupil": ["Tom", "Jane"]}
    assert uapca.from_table(table, names="pupil").names == ("Tom", "Jane")
    assert uapca.from_table({"m": ["1"], "n": ["2"]}, names=["x"]).names == ("x",)
    only = {"a": ["good", "bad"], "b": ["1", "2"]}
    words = {"good": 15, "bad": 3}
    assert uapca.from_table(only, words).features == ("a", "b")
    assert "row 0, column 'name': cannot read 'Tom'" in refused(TABLE, words=WORDS, names=False)


def test_errors_in_a_column_of_their_own_are_no_features(tmp_path):
    path = write(tmp_path, "name,x,x_err\na,1,0.1\nb,,0.2\n")
    for fill in (None, 3):
        assert refused(path, fill=fill) == (
            "columns must hold uncertain cells; 'x_err' is named like the errors of 'x': "
            "uapca.from_frame reads values with errors, features= chooses columns"
        )
    both = uapca.from_table(path, fill=2, features=["x", "x_err"])
    assert both.features == ("x", "x_err")
    assert uapca.from_table({"x": ["1"], "x_err": ["[1, 2]"]}).features == ("x", "x_err")


def test_features_are_chosen():
    assert uapca.from_table(TABLE, WORDS, features=["P1"]).features == ("P1",)


HOLES = {"a": ["1", "", "3"], "b": ["[0, 2]", None, "n/a"]}


def test_missing_is_refused_and_all_cells_are_named():
    with pytest.raises(uapca.TableError) as error:
        uapca.from_table(HOLES, words={"n/a": None})
    assert str(error.value) == (
        "cells must not be empty; row 1, column 'a': empty; row 1, column 'b': empty; row "
        "2, column 'b': empty; pass missing='drop' or missing='keep', or what stands there, "
        "such as fill='U(0, 20)'"
    )


def test_rows_with_empty_cells_are_dropped_and_counted():
    table = {"name": ["p", "q", "r", "s"], "a": ["1", "", "3", "5"], "b": ["[0, 2]", "1", "", "2"]}
    with pytest.warns(uapca.DroppedRowsWarning) as said:
        X = uapca.from_table(table, missing="drop", weights=[1, 2, 3, 3])
    assert str(said[0].message) == "left out 2 rows, as asked for: 2 without a value"
    assert said[0].filename == __file__
    assert X.names == ("p", "s")
    assert X.mean.tolist() == [[1.0, 1.0], [5.0, 2.0]]
    assert X.weights.tolist() == [0.25, 0.75]
    assert "left out: 2 rows without a value" in X.origin
    with pytest.warns(uapca.DroppedRowsWarning, match="1 without a value"):
        assert uapca.from_table(table, missing="drop", fill={"b": 7}).names == ("p", "r", "s")
    assert "every row lacks a value" in refused({"a": ["", "1"], "b": ["1", ""]}, missing="drop")


def test_empty_cells_are_kept():
    X = uapca.from_table({"a": ["1", "", "3"], "b": ["[0, 2]", "4±1", "1"]}, missing="keep")
    assert X.missing.tolist() == [[False, False], [True, False], [False, False]]
    assert np.isnan(X.mean[1, 0])
    assert X.std[1, 1] == 1.0


def test_cells_that_cannot_be_read_are_dropped_if_asked_for():
    table = {"name": ["p", "q"], "a": ["1", "?"], "b": ["[0, 2]", "1"]}
    with pytest.warns(uapca.DroppedRowsWarning, match="1 with a cell that cannot be read"):
        assert uapca.from_table(table, bad_cells="drop").names == ("p",)


def test_words_in_a_file(tmp_path):
    path = write(tmp_path, 'good = "T(13, 14, 16, 18)"\n', "words.toml")
    check(uapca.from_table(TABLE, path))
    check(uapca.from_table(TABLE, words=str(path)))
    assert refused(TABLE, FileNotFoundError, words="absent.toml").startswith("words must name")
    bad = write(tmp_path, "= =", "bad.toml")
    assert refused(TABLE, words=bad).startswith(
        "words must name a TOML file with lines such as good ="
    )
    umlaut = tmp_path / "umlaut.toml"
    umlaut.write_text('genügend = "U(0, 3)"', encoding="utf-8")
    assert "quote words that have other letters than a to z" in refused(TABLE, words=str(umlaut))
    umlaut.write_text('"genügend" = "U(0, 3)"', encoding="cp1252")
    assert refused(TABLE, words=str(umlaut)).endswith("is none: it is not text in UTF-8")
    bad = write(tmp_path, "[good]\na = 1\n", "deep.toml")
    assert refused(TABLE, words=bad).startswith(
        "words must name a TOML file with lines such as good ="
    )


def test_missing_filled_by_a_law_or_for_each_column():
    X = uapca.from_table(HOLES, {"n/a": None}, fill="U(0, 20)")
    assert X.laws[1].marginals == (Uniform(0, 20), Uniform(0, 20))
    Y = uapca.from_table(HOLES, {"n/a": None}, fill={"a": 2, "b": NormalMarginal(1, 1)})
    assert Y.laws[1].marginals == (Point(2), NormalMarginal(1, 1))
    assert "row 2, column 'b': empty" in refused(HOLES, words={"n/a": None}, fill={"a": 2})


def test_all_bad_cells_are_listed_at_once():
    table = {"name": ["Tom", "Jane"], "M1": ["15", "goood"], "P1": ["[12, 10]", "1,5"]}
    with pytest.raises(uapca.TableError) as error:
        uapca.from_table(table, WORDS)
    assert str(error.value) == (
        "3 cells cannot be read; row 'Tom', column 'P1': '[12, 10]': low, high must not "
        "decrease; got (12, 10); row 'Jane', column 'M1': "
        "cannot read 'goood'; row 'Jane', column 'P1': cannot read '1,5'; words={'good': "
        "'T(13, 14, 16, 18)'} gives words a meaning, exclude= leaves columns out"
    )
    assert error.value.cells[1] == BadCell("'Jane'", "M1", "goood", "cannot read 'goood'")


def test_a_long_list_is_cut_but_kept_whole():
    with pytest.raises(uapca.TableError) as error:
        uapca.from_table({"x": ["?"] * 80, "y": ["1"] * 80})
    assert len(error.value.cells) == 80
    assert "and 75 more" in str(error.value)


def test_bad_words_and_fills():
    assert refused(TABLE, words={"good": "T(1)"}).startswith("words['good']: a cell must have the")
    assert refused(TABLE, words=WORDS, fill={"Q": 1}) == (
        "fill must name columns of the table; there is no 'Q' among 'M1', 'P1'"
    )
    assert refused(TABLE, words=WORDS, fill="often") == (
        "fill must be what a cell can hold, such as 'U(0, 20)'; got 'often'"
    )


def test_decimal_commas_among_uncertain_cells(tmp_path):
    path = write(tmp_path, "name;x;y\nTom;12,5;[10, 12]\nJane;good;9,25\nAnn;3,0;4\n")
    X = uapca.from_table(path, words={"good": 14})
    assert X.mean.tolist() == [[12.5, 11.0], [14.0, 9.25], [3.0, 4.0]]
    assert "numbers have decimal commas" in X.origin
    doubtful = write(tmp_path, "name;x\nTom;1,000\nJane;[1, 2]\nAnn;2,000\n")
    assert "numbers must be unambiguous" in refused(doubtful)


def test_flags_and_infinite_moments_are_bad_cells():
    assert "row 0, column 'x': True is not a number" in refused({"x": [True, "1"], "y": [1, 2]})
    assert "must have a finite mean and variance" in refused({"x": [stats.cauchy()]})
    assert "row 0, column 'x': value must be finite" in refused({"x": [float("inf")]})


def test_files_that_cannot_be_read(tmp_path):
    missing = tmp_path / "none.csv"
    assert refused(missing, FileNotFoundError) == f"there is no file {str(missing)!r}"
    ragged = write(tmp_path, "name,x\nTom,[10, 12]\n")
    assert refused(ragged) == (
        f"every line must have 2 cells like the first; {str(ragged)!r} has 3 in row 0; put cells "
        'with a separator in quotes, "[10, 12]", or write [10; 12] in a file separated by commas; '
        "titles and footnotes begin with #"
    )
    semicolons = write(tmp_path, "name;x\nTom;[10; 12]\n", "semicolons.csv")
    assert refused(semicolons).endswith(
        'in quotes, "[10; 12]", or write [10, 12] in a file separated by semicolons; '
        "titles and footnotes begin with #"
    )
    empty = write(tmp_path, "\n", "empty.csv")
    assert "must have a header line that names the columns" in refused(empty)
    latin = write(tmp_path, "näme,x\na,1\n", "latin.csv", "latin-1")
    assert "is not text in UTF-8" in refused(latin)
    twice = write(tmp_path, "x,x\n1,2\n", "twice.csv")
    assert refused(twice) == f"column names must be distinct; {str(twice)!r} has 'x' twice"
    quote = write(tmp_path, 'x,y\n"1,2\n', "quote.csv")
    assert "is not a CSV file: unexpected end of data; check its quotes" in refused(quote)
    header = write(tmp_path, "x,y\n", "header.csv")
    assert refused(header).startswith("the table must have rows and columns of cells")


def test_what_is_no_table():
    assert refused(3, TypeError) == (
        "source must be a table with named columns or the path of one; got an object of type int"
    )


def test_a_first_column_that_cannot_be_read_is_no_names_column():
    grades = {"grade": ["good", "bad"], "x": ["1", "3"]}
    message = refused(grades)
    assert "row 0, column 'grade': cannot read 'good'" in message
    assert "names='grade'" in message
    assert "words=" in message
    assert uapca.from_table(grades, names="grade").names == ("good", "bad")
    assert uapca.from_table(grades, words={"good": 15, "bad": 3}).features == ("grade", "x")


@pytest.mark.parametrize("header", ["", "Name", "ID", " label ", "Student", "Unnamed: 0"])
def test_usual_headers_of_names(header):
    X = uapca.from_table({header: ["a", "b"], "x": ["1", "3"]})
    assert X.names == ("a", "b")
    assert X.features == ("x",)
    message = refused({header: ["a", "a"], "x": ["1", "3"]})
    assert message.startswith("names must be distinct")


def test_words_must_be_a_mapping():
    assert refused(TABLE, TypeError, words=["good"]).startswith("words must be a mapping")


def test_excel_reads_the_words_that_csv_reads(tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("openpyxl")
    frame = pd.DataFrame({"name": ["NA", "b"], "x": ["None", 1], "y": ["2", None]})
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    frame.to_csv(tmp_path / "t.csv", index=False)
    for path in (tmp_path / "t.xlsx", tmp_path / "t.csv"):
        X = uapca.from_table(path, words={"None": 7}, fill="[1, 3]")
        assert X.names == ("NA", "b")
        assert X.mean.tolist() == [[7.0, 2.0], [1.0, 2.0]]


def test_excel_files_that_are_none(tmp_path):
    assert "there is no file" in refused(tmp_path / "absent.xlsx", FileNotFoundError)
    pytest.importorskip("openpyxl")
    path = write(tmp_path, "no archive", "broken.xlsx")
    assert refused(path).startswith(f"{str(path)!r} cannot be read as Excel")
    path.write_bytes(b"PK\x03\x04 no archive")
    assert refused(path).startswith(f"{str(path)!r} cannot be read as Excel")


@pytest.mark.parametrize("mark", ["\u2028", "\u0085", "\x0b", "\x1c"])
def test_only_line_ends_end_lines(tmp_path, mark):
    X = uapca.from_table(write(tmp_path, f"name,x\na{mark}b,1\nc,2\n"))
    assert X.names == (f"a{mark}b", "c")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_separators_in_quotes_do_not_count(tmp_path, end):
    text = end.join(['name;"speed, mean, of ""all"", ever"', "a;1", "b;2", ""])
    X = uapca.from_table(write(tmp_path, text))
    assert X.features == ('speed, mean, of "all", ever',)
    assert X.names == ("a", "b")


def test_a_header_of_one_quoted_name(tmp_path):
    X = uapca.from_table(write(tmp_path, '\n"speed; mean"\n[1;2]\n[2;3]\n'), names=False)
    assert X.features == ("speed; mean",)
    assert X.mean.tolist() == [[1.5], [2.5]]


def test_a_defect_of_ours_is_not_blamed_on_the_file(tmp_path, monkeypatch):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("openpyxl")
    pd.DataFrame({"x": [1.0], "y": [2.0]}).to_excel(tmp_path / "a.xlsx")
    monkeypatch.setattr("uapca.inputs.files.unguarded", None)
    with pytest.raises(TypeError, match="not callable"):
        uapca.read(tmp_path / "a.xlsx")


@pytest.mark.parametrize("first", [0, 1])
def test_counters_and_identifiers_are_no_features(first):
    """A running number beside uncertain cells became the first component."""
    table = {
        "Nr": list(range(first, first + 12)),
        "name": [f"p{i}" for i in range(12)],
        "replicate": [i % 3 for i in range(12)],
        "pupil_id": [7 * i for i in range(12)],
        "M1": ["12±2", "[10, 12]", *map(str, range(10))],
        "M2": [5.0, 5.0, *range(10)],
    }
    X = uapca.read(table, names="name")
    assert X.features == ("M1", "M2")
    assert "left out: Nr, replicate (counts rows; features= takes it)" in X.origin
    assert "pupil_id (identifies rows; features= takes it)" in X.origin
    assert uapca.read(table, names="name", features=["Nr", "M1"]).features == ("Nr", "M1")
    few = {name: cells[:6] for name, cells in table.items() if name in ("Nr", "name", "M1")}
    assert uapca.read(few, names="name").features == ("Nr", "M1")


def test_a_date_is_named():
    table = {"name": ["a", "b"], "x": ["12±1", dt.datetime(2026, 12, 10)], "y": [1.5, 2]}
    assert "a date, which spreadsheets make of cells such as 10-12" in refused(table)


def test_numbers_of_a_sheet_say_nothing_of_the_texts_beside_them():
    table = {"name": ["a", "b"], "x": ["12±1,5", 9.5], "y": [1.5, 2.0]}
    X = uapca.from_table(table)
    np.testing.assert_array_equal(X.mean, [[12.0, 1.5], [9.5, 2.0]])
    np.testing.assert_array_equal(X.std, [[1.5, 0.0], [0.0, 0.0]])
