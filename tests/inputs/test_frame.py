"""Values with error bars."""

import numpy as np
import pytest

import uapca

GAIA = {
    "ra": [10.0, 11.0],
    "ra_error": [0.1, 0.2],
    "dec": [-5.0, -4.0],
    "dec_error": [0.3, 0.1],
    "pm": [1.0, 2.0],
    "pm_error": [1.0, 2.0],
    "ra_dec_corr": [0.5, -0.2],
    "pm_ra_corr": [0.1, 0.0],
}


def refused(frame, kind=ValueError, **options):
    with pytest.raises(kind) as error:
        uapca.from_frame(frame, **options)
    return str(error.value)


@pytest.mark.parametrize("ending", ["err", "std", "error", "sigma"])
def test_known_endings(ending):
    X = uapca.from_frame({"x": [1.0, 2.0], f"x_{ending}": [0.1, 0.2]})
    assert X.std.ravel().tolist() == pytest.approx([0.1, 0.2])
    assert X.features == ("x",)


def test_endings_may_be_mixed_and_a_feature_certain():
    X = uapca.from_frame({"x": [1.0], "x_err": [0.1], "y": [2.0], "y_sigma": [0.2], "z": [3.0]})
    assert X.features == ("x", "y", "z")
    assert X.std.tolist() == [[0.1, 0.2, 0.0]]


def test_own_pattern():
    X = uapca.from_frame({"x": [1.0], "e_x": [0.1]}, errors="e_{}")
    assert X.std.tolist() == [[0.1]]


def test_correlations_in_either_order():
    X = uapca.from_frame(GAIA, corr="{}_{}_corr")
    assert X.features == ("ra", "dec", "pm")
    expected = np.array([[0.01, 0.015, 0.01], [0.015, 0.09, 0.0], [0.01, 0.0, 1.0]])
    np.testing.assert_allclose(X.cov.dense()[0], expected, rtol=1e-14)


def test_correlated_errors_equal_the_matrices_they_mean():
    rng = np.random.default_rng(0)
    factor = rng.standard_normal((50, 4, 4))
    cov = factor @ factor.transpose(0, 2, 1)
    std = np.sqrt(np.diagonal(cov, axis1=1, axis2=2))
    frame = {f"f{j}": rng.standard_normal(50) for j in range(4)}
    frame |= {f"f{j}_error": std[:, j] for j in range(4)}
    for i in range(4):
        for j in range(i):
            frame[f"f{i}_f{j}_corr"] = cov[:, i, j] / std[:, i] / std[:, j]
    X = uapca.from_frame(frame, corr="{}_{}_corr")
    np.testing.assert_allclose(X.cov.dense(), cov, rtol=1e-12)


def test_names_and_weights_from_columns():
    frame = {"star": ["a", "b"], "x": [1.0, 2.0], "x_err": [0.1, 0.2], "w": [1.0, 3.0]}
    X = uapca.from_frame(frame, names="star", weights="w")
    assert X.names == ("a", "b")
    assert X.weights.tolist() == [0.25, 0.75]
    assert X.features == ("x",)


def test_names_from_a_pandas_index():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [1.0, 2.0], "x_err": [0.1, 0.2]}, index=["a", "b"])
    assert uapca.from_frame(frame).names == ("a", "b")
    assert uapca.from_frame(frame.reset_index(drop=True)).names is None


def test_a_round_trip_through_to_frame():
    pytest.importorskip("pandas")
    X = uapca.from_frame({"x": [1.0, 2.0], "x_err": [0.1, 0.2], "y": [0.0, 1.0]})
    again = uapca.from_frame(X.to_frame())
    np.testing.assert_array_equal(again.mean, X.mean)
    np.testing.assert_array_equal(again.std, X.std)


def test_no_error_column():
    assert refused({"x": [1.0], "dx": [0.1]}) == (
        "errors must match at least one column; no column is named like "
        "'x_err', 'x_std', 'x_error', 'x_sigma' for a feature x. "
        "The columns are 'x', 'dx'; pass the pattern, such as errors='d{}', "
        "or use UncertainArray(df) for certain values."
    )
    assert "such as errors='{}_uncertainty'" in refused({"a": [1.0], "b": [2.0], "b2": [4.0]})


def write(folder, text, name="stars.csv"):
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


STARS = "name,x,x_err,y,y_err,id\nHD 1,1.5,0.1,4,0.2,7\nHD 2,2,0.2,5,0.25,8\n"


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".xlsx", ".parquet", ".feather"])
def test_a_file_of_any_kind(tmp_path, suffix):
    pandas = pytest.importorskip("pandas")
    source = write(tmp_path, STARS)
    frame, path = pandas.read_csv(source), tmp_path / f"other{suffix}"
    if suffix == ".xlsx":
        frame.to_excel(path, index=False)
    elif suffix in (".parquet", ".feather"):
        getattr(frame, f"to_{suffix[1:]}")(path)
    else:
        frame.to_csv(path, index=False, sep="," if suffix == ".csv" else "\t")
    for given in (path, str(path)):
        X = uapca.from_frame(given, features=["x", "y"])
        assert X.names == ("HD 1", "HD 2")
        np.testing.assert_array_equal(X.mean, [[1.5, 4], [2, 5]])
        np.testing.assert_array_equal(X.std, [[0.1, 0.2], [0.2, 0.25]])


def test_files_that_are_no_tables(tmp_path):
    assert refused(tmp_path / "none.csv", FileNotFoundError).startswith("path must name a file")
    X = uapca.UncertainArray([[1.0]])
    X.save(tmp_path / "x.uapca")
    assert refused(tmp_path / "x.uapca") == (
        "path must name a table (CSV, TSV, Excel, Parquet or Feather); "
        f"{str(tmp_path / 'x.uapca')!r} is a .uapca file. uapca.load reads it."
    )
    broken = write(tmp_path, "PAR1", "b.parquet")
    assert refused(broken).startswith(f"path must name a Parquet file; {str(broken)!r} cannot be")


def test_the_first_column_of_distinct_texts_names_the_rows():
    values = {"x": [1.0, 2.0], "x_err": [0.1, 0.2]}
    assert uapca.from_frame({"star": ["a", "b"], **values}).names == ("a", "b")
    assert uapca.from_frame({**values, "star": ["a", "b"]}).names == ("a", "b")
    assert uapca.from_frame({"id": [7, 8], **values}).names == ("7", "8")
    assert uapca.from_frame({"id": [7, 8], **values}).features == ("x",)
    assert uapca.from_frame({"id": [7, 7], **values}).features == ("id", "x")
    assert uapca.from_frame({"year": [7, 8], **values}).features == ("year", "x")
    assert "'type' holds something else" in refused({"type": ["G", "G"], **values}, TypeError)


def test_cells_that_are_no_numbers_are_shown(tmp_path):
    path = write(tmp_path, "name,x,x_err\na,1,0.1\nb,abc,0.2\nc,3,0.1\n")
    assert refused(path, TypeError) == (
        "df must hold numbers in every column that is used; row 'b', column 'x': cannot read "
        "'abc' as a number. Correct the cells, or list other columns as features=[...]."
    )
    frame = {"x": ["1", "abc", "3", "def"], "x_err": [0.1] * 4}
    assert "row 1, column 'x': cannot read 'abc' as a number (2 such cells)" in refused(
        frame, TypeError, features=["x"]
    )
    assert refused({"x": ["1", "2"], "x_err": [0.1, 0.2]}, TypeError) == (
        "df must hold numbers in every column that is used; 'x' holds numbers as text. "
        "Convert the column to floats first, or pass the path of the file."
    )


def test_rows_are_called_by_their_names():
    frame = {"star": ["a", "b"], "x": [1.0, 2.0], "x_err": [0.1, -0.5]}
    assert "got -0.5 at row 'b'." in refused(frame)
    frame["x"][0] = np.nan
    assert "got NaN at row 'a' (1 such" in refused(frame)
    assert "the correlations of row 'b' have" in refused(
        GAIA
        | {"star": ["a", "b"], "ra_dec_corr": [0, 0.9], "pm_ra_corr": [0, 0.9]}
        | {"dec_pm_corr": [0, -0.9]},
        corr="{}_{}_corr",
    )


def test_a_misspelt_error_is_warned_of():
    frame = {"x": [1.0], "x_errr": [0.1], "y": [1.0], "y_err": [0.1]}
    with pytest.warns(uapca.inputs.ErrorColumnWarning) as caught:
        assert uapca.from_frame(frame).features == ("x", "x_errr", "y")
    assert [str(w.message) for w in caught] == [
        "'x_errr' looks like the errors of 'x' but is taken for a feature: 'x' has no errors. "
        "Rename it 'x_err', or list the columns to use as features=[...] if it is one."
    ]
    assert uapca.from_frame(frame, features=["x", "x_errr", "y"]).shape == (1, 3)
    fine = {"x": [1.0], "x_err": [0.1], "y": [1.0], "y_max": [2.0], "y_size": [2.0]}
    assert uapca.from_frame(fine).features == ("x", "y", "y_max", "y_size")


def test_error_without_values():
    assert refused({"x": [1.0], "x_err": [0.1], "y_err": [0.1]}) == (
        "errors must belong to a column of values; 'y_err' has none (expected 'y'). "
        "Rename the columns, or list the columns to use as features=[...]."
    )


def test_two_errors_for_one_feature():
    assert refused({"x": [1.0], "x_err": [0.1], "x_std": [0.1]}) == (
        "errors must match one column for each feature; 'x' has 'x_err', 'x_std'. "
        "Pass one pattern, such as errors='{}_std'."
    )


def test_negative_errors():
    assert refused({"x": [1.0, 2.0], "x_err": [0.1, -0.5]}) == (
        "column 'x_err' must be zero or positive; got -0.5 at row 1. "
        "Errors are standard deviations and have no sign."
    )


def test_text_columns():
    frame = {"star": ["a"], "x": [1.0], "x_err": [0.1]}
    assert refused(frame, TypeError, names=False) == (
        "df must hold numbers in every column that is used; 'star' holds something else. "
        "Pass names='star' if this column names the rows, or list the columns to use as "
        "features=[...]."
    )
    assert uapca.from_frame(frame, features=["x"]).shape == (1, 1)


def test_absent_columns():
    frame = {"x": [1.0], "x_err": [0.1]}
    assert refused(frame, features=["x", "z"]) == (
        "features must name columns of the table; it has no 'z'. Its columns are 'x', 'x_err'."
    )
    assert refused(frame, names="star") == (
        "names must name columns of the table; it has no 'star'. Its columns are 'x', 'x_err'."
    )


def test_patterns():
    frame = {"x": [1.0], "x_err": [0.1]}
    assert refused(frame, errors="err") == (
        "errors must be a pattern that holds {} once, such as '{}_err'; got 'err'. "
        "{} stands for the name of the feature."
    )
    assert refused(frame, corr="{}_corr") == (
        "corr must be a pattern that holds {} twice, such as '{}_{}_corr'; got '{}_corr'. "
        "{} stands for the names of two features."
    )
    assert refused(frame, corr="{}_{}_corr") == (
        "corr must match at least one column; no column is named like 'x_y_corr' for features "
        "x and y. The columns are 'x', 'x_err'."
    )


def test_correlations_are_not_taken_for_features():
    assert refused(GAIA) == (
        "corr must say whether correlations are to be read; 'pm_ra_corr', 'ra_dec_corr' look so. "
        "Pass corr='{}_{}_corr', or list the columns to use as features=[...]."
    )


def test_correlations_out_of_range():
    assert refused(GAIA | {"ra_dec_corr": [0.5, 1.2]}, corr="{}_{}_corr") == (
        "column 'ra_dec_corr' must hold correlations between -1 and 1; got 1.2 at row 1. "
        "Divide covariances by both errors to get correlations."
    )


def test_correlations_of_an_indefinite_matrix():
    bad = GAIA | {"ra_dec_corr": [0.5, 0.9], "pm_ra_corr": [0.1, 0.9], "dec_pm_corr": [0.0, -0.9]}
    assert refused(bad, corr="{}_{}_corr") == (
        "corr must make a positive semi-definite matrix in every row; the correlations of row 1 "
        "have the eigenvalue -0.8. No errors can be correlated like this: check the columns, or "
        "leave out that row."
    )


def test_correlation_in_both_orders():
    assert refused(GAIA | {"dec_ra_corr": [0.5, -0.2]}, corr="{}_{}_corr") == (
        "corr must match one column for each pair of features; "
        "'ra' and 'dec' have 'dec_ra_corr', 'ra_dec_corr'. Drop one of the two."
    )


@pytest.mark.parametrize("corr", [None, "{}_{}_corr"])
@pytest.mark.parametrize("orphan", ["ra_parallax_corr", "parallax_ra_corr", "parallax_pm_ra_corr"])
def test_correlations_without_their_features_are_refused(corr, orphan):
    frame = {key: GAIA[key] for key in ("ra", "ra_error", "dec", "dec_error")}
    if corr is not None:
        frame["ra_dec_corr"] = GAIA["ra_dec_corr"]
    message = refused({**frame, orphan: [0.1, 0.2]}, corr=corr)
    assert message.startswith("corr must belong to two columns of values")
    assert repr(orphan) in message
    X = uapca.from_frame({**frame, orphan: [0.1, 0.2]}, corr=corr, features=["ra", "dec"])
    assert X.features == ("ra", "dec")
    Y = uapca.from_frame({**frame, orphan: [0.1, 0.2], f"{orphan}_error": [0.1, 0.1]}, corr=corr)
    assert Y.features == ("ra", "dec", orphan)


def test_complex_columns_are_refused():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": [1 + 2j, 3], "y": [1.0, 2.0], "y_err": [0.1, 0.2]})
    assert "'x' holds something else" in refused(frame, TypeError)
    assert "'x' holds something else" in refused(frame, TypeError, features=["x", "y"])


def test_an_index_that_repeats_itself_names_nothing():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"y": [1.0, 2.0], "y_err": [0.1, 0.2]}, index=["a", "a"])
    assert uapca.from_frame(frame).names is None


def test_names_false_and_names_of_any_kind():
    pd = pytest.importorskip("pandas")
    values = {"y": [1.0, 2.0], "y_err": [0.1, 0.2]}
    frame = pd.DataFrame(values, index=["a", "b"])
    assert uapca.from_frame(frame, names=False).names is None
    days = np.array(["2020-01-01", "2020-01-02"], "M8[ns]")
    assert uapca.from_frame({**values, "day": days}, names="day").names == (
        "2020-01-01 00:00:00",
        "2020-01-02 00:00:00",
    )
    message = refused({**values, "who": ["a", None]}, names="who")
    assert message.startswith("names must be given for every row; 1 of 2 are missing")


@pytest.mark.parametrize("errors", [None, 3, "{}", "err", []])
def test_errors_that_are_no_pattern(errors):
    assert refused({"x": [1.0], "x_err": [0.1]}, errors=errors).startswith(
        "errors must be a pattern"
    )


def test_braces_in_patterns_and_names():
    X = uapca.from_frame({"x": [1.0], "x_{err}": [0.1]}, errors="{}_{err}")
    assert X.std.tolist() == [[0.1]]
    frame = {"{a}": [1.0], "{a}_err": [0.1], "{}": [2.0], "{}_err": [0.2], "{a}_{}_corr": [0.5]}
    Y = uapca.from_frame(frame, corr="{}_{}_corr")
    assert Y.cov.dense()[0, 0, 1] == pytest.approx(0.01)


def test_a_single_string_of_features():
    message = refused({"mass": [1.0], "mass_err": [0.1]}, TypeError, features="mass")
    assert message.endswith("Pass ['mass'] for one column.")
