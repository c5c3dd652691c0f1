"""Labeled points to one row for each label."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import uapca
from uapca.exceptions import DroppedRowsWarning


def refused(*args, kind=ValueError, **options):
    with pytest.raises(kind) as error:
        uapca.from_groups(*args, **options)
    return str(error.value)


def reference(points, labels):
    """Stable argsort, gather, one centered product for each label."""
    order = np.argsort(labels, kind="stable")
    labels, points = labels[order], points[order]
    starts = np.flatnonzero(np.r_[True, labels[1:] != labels[:-1]])
    moments = []
    for part in np.split(points, starts[1:]):
        mean = part.mean(axis=0)
        part = part - mean
        moments.append((len(part), mean, part.T @ part / len(part)))
    return moments


@given(
    # Squares of smaller numbers underflow, which is refused where it concerns all points.
    arrays(np.float64, (30, 3), elements=st.floats(-1e3, 1e3).map(lambda x: round(x, 100))),
    arrays(np.int64, 30, elements=st.integers(-2, 4)),
)
def test_law_of_total_variance(points, labels):
    X = uapca.from_groups(points, labels)
    mean, cov = X.pooled()
    scale = max(1.0, np.abs(points).max()) ** 2
    np.testing.assert_allclose(mean, points.mean(axis=0), atol=1e-12 * scale**0.5)
    np.testing.assert_allclose(cov, np.cov(points.T, ddof=0), atol=1e-12 * scale)


@pytest.mark.parametrize("offset", [0.0, 1e8])
@pytest.mark.parametrize("n_labels", [1, 7, 400])
def test_fit_of_the_groups_is_the_pca_of_the_points(n_labels, offset):
    rng = np.random.default_rng(1)
    # Multiples of 2⁻¹⁰ are exact at the offset, so both fits see the same points.
    points = np.round(rng.standard_normal((20_000, 5)) * [5, 4, 3, 2, 1] * 1024) / 1024
    X = uapca.from_groups(points + offset, rng.integers(0, n_labels, 20_000))
    cov = uapca.UAPCA(scale=1).fit(X).get_covariance()
    expected = np.cov(points.T, ddof=0)
    # At the offset a mean has eight digits after the point, and so has what is between means.
    tolerance = 1e-12 if n_labels == 1 or not offset else 1e-8
    np.testing.assert_allclose(cov, expected, atol=tolerance * np.abs(expected).max())


def test_moments_equal_the_reference():
    rng = np.random.default_rng(2)
    points, labels = rng.standard_normal((5000, 4)), rng.integers(0, 30, 5000)
    X = uapca.from_groups(points, labels)
    for row, (count, mean, cov) in enumerate(reference(points, labels)):
        assert X.weights[row] * X.total_weight == pytest.approx(count, rel=1e-14)
        np.testing.assert_allclose(X.mean[row], mean, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(X.cov.dense()[row], cov, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_layout_and_type_do_not_matter(layout, dtype):
    points = np.random.default_rng(3).integers(-9, 9, (500, 3))
    labels = np.arange(500) % 3
    X = uapca.from_groups(points.astype(dtype, order=layout), labels)
    Y = uapca.from_groups(points.astype(float), labels)
    np.testing.assert_array_equal(X.mean, Y.mean)
    np.testing.assert_array_equal(X.cov.dense(), Y.cov.dense())


def test_standard_error_of_replicates():
    points = np.random.default_rng(4).standard_normal((12, 2))
    labels = np.repeat(["a", "b"], [5, 7])
    X = uapca.from_groups(points, labels, spread="sem")
    for row, part in enumerate((points[:5], points[5:])):
        np.testing.assert_allclose(X.cov.dense()[row], np.cov(part.T) / len(part), rtol=1e-12)


def test_one_point_is_certain():
    X = uapca.from_groups([[1.0, 2.0], [0.0, 0.0], [2.0, 0.0]], ["one", "two", "two"])
    assert X["one"].cov.dense().tolist() == [[[0.0, 0.0], [0.0, 0.0]]]


def test_samples_are_kept_as_laws():
    points = np.arange(8.0).reshape(4, 2)
    X = uapca.from_groups(points, [1, 0, 1, 0], keep_samples=True)
    assert X.laws[1].values.tolist() == [[0.0, 1.0], [4.0, 5.0]]
    np.testing.assert_allclose(X.laws[1].cov, X.cov.dense()[1], rtol=1e-14)


def test_labels_by_several_columns():
    frame = {"a": ["x", "x", "y"], "b": [2, 1, 1], "v": [1.0, 2.0, 3.0]}
    X = uapca.from_groups(frame, ["a", "b"])
    assert X.names == ("x, 1", "x, 2", "y, 1")
    assert X.features == ("v",)
    assert X.mean.ravel().tolist() == [2.0, 1.0, 3.0]


def test_labels_beside_a_frame():
    X = uapca.from_groups({"v": [1.0, 2.0, 3.0]}, ["q", "p", "q"])
    assert X.names == ("p", "q")
    assert X.mean.ravel().tolist() == [2.0, 2.0]


def test_text_columns_are_no_features():
    frame = {"kind": ["x", "y"], "note": ["?", "!"], "v": [1.0, 2.0]}
    assert uapca.from_groups(frame, "kind").features == ("v",)


def test_categories_without_points_make_no_row():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"v": [1.0, 2.0], "kind": pandas.Categorical(["b", "a"], list("abc"))})
    assert uapca.from_groups(frame, "kind").names == ("a", "b")
    pyarrow = pytest.importorskip("pyarrow")
    assert uapca.from_groups(pyarrow.Table.from_pandas(frame), "kind").names == ("a", "b")


@pytest.mark.parametrize("label", [None, float("nan"), np.nan])
def test_missing_labels(label):
    points = [[1.0], [2.0], [3.0]]
    assert refused(points, ["a", label, "a"]) == (
        "by must have a label for every point; 1 of 3 are missing; pass missing='drop' to "
        "leave such points out"
    )
    with pytest.warns(DroppedRowsWarning, match="left out 1 row, as asked for: 1 without a label"):
        X = uapca.from_groups(points, ["a", label, "a"], missing="drop")
    assert X.mean.tolist() == [[2.0]]
    assert X.total_weight == 2


def test_missing_labels_in_frames():
    for name in ("pandas", "polars", "pyarrow"):
        library = pytest.importorskip(name)
        values = {"v": [1.0, 2.0, 3.0], "kind": ["a", None, "b"]}
        frame = library.table(values) if name == "pyarrow" else library.DataFrame(values)
        assert "1 of 3 are missing" in refused(frame, "kind")
        with pytest.warns(DroppedRowsWarning, match="1 without a label"):
            X = uapca.from_groups(frame, "kind", missing="drop")
        assert X.mean.ravel().tolist() == [1.0, 3.0]


def test_a_value_that_is_not_finite_is_found():
    assert refused([[1.0], [np.nan], [2.0]], ["a", "a", "b"]) == (
        "values must not be missing; row 1, feature 0 is empty or nan (1 such); pass "
        "missing='drop' to leave such points out"
    )
    assert refused([[1e200], [-1e200]], ["a", "a"]) == (
        "points must have squares that fit into float64; the covariance overflows: "
        "divide the data by its largest magnitude first"
    )


def test_bad_choices():
    points, labels = [[1.0], [2.0]], ["a", "b"]
    assert refused(points, labels, spread="se") == (
        "spread must be 'std' or 'sem'; got 'se': perhaps 'sem' was meant"
    )
    assert refused(points, labels, missing="keep") == (
        "missing must be 'error' or 'drop' for groups; got 'keep': a group needs whole points; "
        "where values are missing here and there, compute the mean and the error of each "
        "feature first, as the tutorial on replicates does"
    )
    assert refused(points, labels, spread="sem", keep_samples=True) == (
        "keep_samples must be left out with spread='sem': the points show the spread of "
        "replicates, not the error of their mean"
    )
    message = refused(points, labels, spread="sem")
    assert "at least two points" in message
    assert "'a', 'b'" in message
    assert refused(points, ["a"]) == (
        "by must have one label for each point; got 1 for 2 points. Select the same rows from both."
    )
    assert refused([1.0, 2.0], labels) == (
        "points must have shape (n, D) with at least one feature; got (2,)"
    )
    assert refused({"species": ["a"], "v": [1.0]}, "Species") == (
        "by must name columns of the table; there is no 'Species' (perhaps 'species' was meant) "
        "among 'species', 'v'"
    )
    assert refused({"kind": ["a"]}, "kind") == (
        "points must have at least one column of numbers besides the labels; got the columns 'kind'"
    )
    assert "by must hold labels" in refused(points, [["a"], ["b"]], kind=TypeError)


def test_columns_named_by_numbers_and_tuples_of_names():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([[1.0, "a", "p"], [3.0, "a", "q"], [5.0, "b", "q"]])
    assert uapca.from_groups(frame, 1).names == ("a", "b")
    assert uapca.from_groups(frame, [1, 2]).names == ("a, p", "a, q", "b, q")
    named = frame.rename(columns=str)
    assert uapca.from_groups(named, ("1", "2")).names == ("a, p", "a, q", "b, q")
    assert uapca.from_groups(named, [7, 7, 8]).names == ("7", "8")
    assert "by must be one label" in refused(frame, None, kind=TypeError)
    assert "got 9" in refused(frame, 9, kind=TypeError)


def test_rows_with_missing_values_are_left_out_if_asked_for():
    points = [[1.0, 2.0], [np.nan, 1.0], [3.0, 4.0], [5.0, np.nan]]
    labels = ["a", "b", "a", "a"]
    with pytest.warns(uapca.DroppedRowsWarning) as said:
        X = uapca.from_groups(points, labels, missing="drop")
    assert str(said[0].message) == (
        "left out 2 rows, as asked for: 2 without a value; 1 label had no other rows"
    )
    assert said[0].filename == __file__
    assert (X.names, X.mean.tolist(), X.total_weight) == (("a",), [[2.0, 3.0]], 2.0)
    assert refused([[np.nan], [np.nan]], ["a", "b"], missing="drop") == (
        "points must have complete rows; every row lacks a label or a value"
    )
    assert uapca.from_groups([[1.0]], ["a"], missing="drop").names == ("a",)


def test_denoiser_of_a_complete_group_has_its_moments():
    """The way for groups with missing values agrees with `from_groups` where none is missing."""
    rng = np.random.default_rng(0)
    points, labels = rng.standard_normal((80, 3)), np.repeat(["a", "b"], 40)
    X = uapca.from_groups(points, labels)
    for k, name in enumerate("ab"):
        group = uapca.Denoiser().fit(points[labels == name])
        np.testing.assert_allclose(group.mean_, X.mean[k], atol=1e-12)
        np.testing.assert_allclose(group.covariance_, X.cov.dense()[k], atol=1e-12)


def test_lazy_frames():
    pl = pytest.importorskip("polars")
    lazy = pl.LazyFrame({"x": [1.0, 3.0], "x_err": [0.1, 0.1], "g": ["a", "a"]})
    assert uapca.from_groups(lazy, "g").mean.tolist() == [[2.0]]
    assert uapca.from_groups(lazy, np.array(["b", "b"])).names == ("b",)
    assert uapca.from_frame(lazy).features == ("x",)
