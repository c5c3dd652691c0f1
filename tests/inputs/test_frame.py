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


def test_many_features_with_errors_are_summarized():
    names = [f"protein {j}" for j in range(60)]
    table = {name: [1.0, 2.0] for name in names} | {f"{name}_err": [0.1, 0.2] for name in names}
    line = uapca.from_frame(table).origin.splitlines()[1]
    assert line.strip() == (
        "60 features, each x ± x_err: protein 0, protein 1, protein 2, protein 3, protein 4, "
        "protein 5, protein 6, protein 7 and 52 more"
    )
    certain = uapca.from_frame({name: table[name] for name in table if name != "protein 1_err"})
    assert "protein 0 ± protein 0_err, protein 1 (certain)" in certain.origin


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
        "errors must match a column; none is named like 'x_err' for a feature 'x' among 'x', 'dx'; "
        "pass errors='d{}' or the like, or use uapca.read for certain values"
    )


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
    assert "there is no file" in refused(tmp_path / "none.csv", FileNotFoundError)
    uapca.UncertainArray([[1.0]]).save(tmp_path / "x.uapca")
    assert "x.uapca' is a .uapca file, which uapca.load reads" in refused(tmp_path / "x.uapca")
    broken = write(tmp_path, "PAR1", "b.parquet")
    assert refused(broken).startswith(f"{str(broken)!r} cannot be read as Parquet: ")


def test_a_misspelled_file_name_finds_its_neighbor(tmp_path):
    write(tmp_path, STARS)
    assert "perhaps" in refused(tmp_path / "star.csv", FileNotFoundError)


def test_the_first_column_of_distinct_texts_names_the_rows():
    values = {"x": [1.0, 2.0], "x_err": [0.1, 0.2]}
    assert uapca.from_frame({"star": ["a", "b"], **values}).names == ("a", "b")
    assert uapca.from_frame({**values, "star": ["a", "b"]}).names == ("a", "b")
    assert uapca.from_frame({"id": [7, 8], **values}).names == ("7", "8")
    assert uapca.from_frame({"id": [7, 8], **values}).features == ("x",)
    assert uapca.from_frame({"year": [7, 8], **values}).features == ("year", "x")
    X = uapca.from_frame({"type": ["G", "G"], "id": [7, 7], **values})
    assert (X.names, X.features) == (None, ("x",))
    assert "left out: type (text)" in X.origin
    assert "left out: id (identifies rows; features= takes it)" in X.origin


def test_cells_that_are_no_numbers_are_shown(tmp_path):
    path = write(tmp_path, "name,x,x_err\na,1,0.1\nb,abc,0.2\nc,3,0.1\n")
    assert refused(path) == (
        f"cells must be numbers; {str(path)!r}, row 'b', column 'x': cannot read 'abc' as a "
        "number; "
        "correct them, pass words={'abc': None} if that means no value, bad_cells='drop', or leave "
        "the column out with exclude="
    )
    frame = {"x": ["1", "abc", "3", "def"], "x_err": [0.1] * 4}
    message = refused(frame, features=["x"])
    assert "row 1, column 'x': cannot read 'abc'" in message
    assert "row 3, column 'x': cannot read 'def'" in message
    X = uapca.from_frame({"x": ["1", "2"], "x_err": [0.1, 0.2]})
    assert X.mean.ravel().tolist() == [1.0, 2.0]


def test_rows_are_called_by_their_names():
    frame = {"star": ["a", "b"], "x": [1.0, 2.0], "x_err": [0.1, -0.5]}
    assert "row 'b', column 'x_err'" in refused(frame)
    frame = {"star": ["a", "b"], "x": [np.nan, 2.0], "x_err": [0.1, 0.5]}
    assert "row 'a', column 'x' is empty or nan" in refused(frame)
    assert "that of row 'b' has" in refused(
        GAIA
        | {"star": ["a", "b"], "ra_dec_corr": [0, 0.9], "pm_ra_corr": [0, 0.9]}
        | {"dec_pm_corr": [0, -0.9]},
    )


def test_a_misspelled_error_is_warned_of():
    frame = {"x": [1.0], "x_errr": [0.1], "y": [1.0], "y_err": [0.1]}
    with pytest.warns(uapca.ErrorColumnWarning) as caught:
        assert uapca.from_frame(frame).features == ("x", "x_errr", "y")
    assert [str(w.message) for w in caught] == [
        "'x_errr' looks like the errors of 'x' but is taken for a feature; pass "
        "errors={'x': 'x_errr'}, or features= if it is one"
    ]
    assert uapca.from_frame(frame, features=["x", "x_errr", "y"]).shape == (1, 3)
    fine = {"x": [1.0], "x_err": [0.1], "y": [1.0], "y_max": [2.0], "y_size": [2.0]}
    assert uapca.from_frame(fine).features == ("x", "y", "y_max", "y_size")


def test_error_without_values():
    assert refused({"x": [1.0], "x_err": [0.1], "y_err": [0.1]}) == (
        "errors must belong to a column of values; 'y_err' has none: there is no 'y'; leave it out "
        "with exclude=['y_err']"
    )
    X = uapca.from_frame({"x": [1.0], "x_err": [0.1], "y_err": [0.1]}, exclude="y_err")
    assert X.features == ("x",)


def test_two_errors_for_one_feature():
    frame = {"x": [1.0], "x_err": [0.1], "x_std": [0.2]}
    assert refused(frame) == (
        "every feature must have one error; 'x' has 'x_err', 'x_std'; pass errors={'x': 'x_err'}"
    )
    X = uapca.from_frame(frame, errors={"x": "x_std"}, features=["x"])
    assert X.std.tolist() == [[0.2]]


def test_negative_errors():
    assert refused({"x": [1.0, 2.0], "x_err": [0.1, -0.5]}) == (
        "errors must not be negative; row 1, column 'x_err' makes an error of -0.5"
    )


def test_absent_columns():
    frame = {"mass": [1.0], "mass_err": [0.1]}
    assert refused(frame, features=["mass", "z"]) == (
        "features must name columns of the table; there is no 'z' among 'mass', 'mass_err'"
    )
    assert "(perhaps 'mass' was meant)" in refused(frame, names="mas")


def test_patterns():
    frame = {"x": [1.0], "x_err": [0.1]}
    assert refused(frame, errors="err").startswith("errors must be a pattern such as '{}_err'")
    assert refused(frame, corr="{}_corr").startswith("corr must be a pattern such as '{}_{}_corr'")
    assert refused(frame, corr="{}_{}_corr") == (
        "corr='{}_{}_corr' must match a column; there are 'x', 'x_err'"
    )
    assert refused(frame, errors="{}_pm").startswith("errors='{}_pm' must match a column")


def test_correlations_are_found_and_can_be_left_out():
    X = uapca.from_frame(GAIA)
    np.testing.assert_array_equal(
        X.cov.dense(), uapca.from_frame(GAIA, corr="{}_{}_corr").cov.dense()
    )
    Y = uapca.from_frame(GAIA, corr=False)
    assert Y.cov.kind == "diagonal"
    assert "correlations, as asked for" in Y.origin


def test_correlations_out_of_range():
    assert refused(GAIA | {"ra_dec_corr": [0.5, 1.2]}) == (
        "correlations must be between -1 and 1; row 1, column 'ra_dec_corr' is 1.2"
    )


def test_correlations_of_an_indefinite_matrix():
    bad = GAIA | {"ra_dec_corr": [0.5, 0.9], "pm_ra_corr": [0.1, 0.9], "dec_pm_corr": [0.0, -0.9]}
    assert refused(bad) == (
        "correlations must make a positive semi-definite matrix; that of row 1 has the eigenvalue "
        "-0.8"
    )


def test_correlation_in_both_orders():
    message = refused(GAIA | {"dec_ra_corr": [0.5, -0.2]})
    assert message.startswith("corr must match one column for each pair of features")
    assert "'ra_dec_corr', 'dec_ra_corr'" in message


@pytest.mark.parametrize("corr", [None, "{}_{}_corr"])
@pytest.mark.parametrize("orphan", ["ra_parallax_corr", "parallax_ra_corr"])
def test_correlations_without_their_features_are_no_features(corr, orphan):
    frame = {key: GAIA[key] for key in ("ra", "ra_error", "dec", "dec_error", "ra_dec_corr")}
    X = uapca.from_frame({**frame, orphan: [0.1, 0.2]}, corr=corr)
    assert X.features == ("ra", "dec")
    assert f"left out: {orphan} (correlation of columns that are not there)" in X.origin
    # A column with an error of its own is a value, whatever its name.
    Y = uapca.from_frame({**frame, orphan: [0.1, 0.2], f"{orphan}_error": [0.1, 0.1]}, corr=corr)
    assert Y.features == ("ra", "dec", orphan)


def test_correlations_of_two_columns_that_are_not_used_are_no_features():
    said = "left out: ra_dec_corr (correlation of columns that are not there)"
    frame = GAIA | {"g": [1.0, 2.0], "g_err": [0.1, 0.1]}
    for X in (
        uapca.read(frame, exclude=["ra", "dec"]),
        uapca.read(
            {k: v for k, v in frame.items() if k not in ("ra", "ra_error", "dec", "dec_error")}
        ),
        uapca.read(
            {
                "ra": [1.0, 2.0],
                "dec": [0.0, 1.0],
                "g": [1.0, 2.0],
                "pm": [3.0, 4.0],
                "ra_dec_corr": [0.1, 0.2],
            },
            exclude=["ra", "dec"],
        ),
    ):
        assert sorted(X.features) == ["g", "pm"]
        assert (
            said in X.origin or said.replace("ra_dec_corr", "ra_dec_corr, pm_ra_corr") in X.origin
        )
    # A name alone is no reason where nothing has errors, nor against what was asked for.
    assert uapca.read({"x": [1.0, 2.0], "left_right_corr": [0.1, 0.2]}).shape == (2, 2)
    chosen = uapca.read(frame, features=["g", "ra_dec_corr"], exclude=["ra", "dec"])
    assert chosen.features == ("g", "ra_dec_corr")


def test_complex_columns_are_no_numbers():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": [1 + 2j, 3], "y": [1.0, 2.0], "y_err": [0.1, 0.2]})
    assert uapca.from_frame(frame).features == ("y",)
    assert "features must be columns of numbers; 'x' holds" in refused(frame, features=["x", "y"])


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
    assert message == "names must be given for every row; row 1, column 'who' is empty"


@pytest.mark.parametrize("errors", [3, "{}", "err", []])
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


def test_features_and_what_to_leave_out_may_be_patterns():
    frame = {"age": [1.0], "met_2": [2.0], "met_2_err": [0.1], "met_1": [3.0], "met_1_err": [0.2]}
    assert uapca.from_frame(frame, features="met_*[12]").features == ("met_2", "met_1")
    assert uapca.from_frame(frame, features=["met_1", "met_?"]).features == ("met_1", "met_2")
    assert uapca.from_frame(frame, exclude="met_2*").features == ("age", "met_1")
    assert "there is no 'q_*'" in refused(frame, exclude=["q_*"])
