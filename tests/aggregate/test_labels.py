"""Labels read the same wherever they come from."""

import datetime as dt

import numpy as np
import pytest

import uapca
from uapca.aggregate.labels import combined, factorise


def containers():
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    return [
        list,
        pl.Series,
        pa.array,
        lambda values: pa.chunked_array([values]),
        lambda values: pd.Series(values).convert_dtypes(),
        lambda values: pd.Series(values, dtype="category"),
    ]


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([2, 1, None], ("1", "2")),
        ([2.5, 1.0, None], ("1.0", "2.5")),
        (["b", "a", None], ("a", "b")),
        ([True, False, None], ("False", "True")),
        (
            [dt.datetime(2020, 1, 2), dt.datetime(2020, 1, 1, 3, 4, 5, 600), None],
            ("2020-01-01 03:04:05.000600", "2020-01-02 00:00:00"),
        ),
        ([dt.date(2020, 1, 2), dt.date(2020, 1, 1), None], ("2020-01-01", "2020-01-02")),
        (
            [dt.timedelta(1.5), dt.timedelta(seconds=-2.5), None],
            ("-1 days +23:59:57.500000", "1 days 12:00:00"),
        ),
    ],
)
def test_labels_do_not_depend_on_the_container(values, labels):
    for container in containers():
        factor = factorise(container(values))
        assert factor.labels == labels
        assert factor.codes.tolist() == [1, 0, -1]


def test_times_of_numpy():
    times = np.array(["2020-01-02", "2020-01-01T03:00:00.000000001", "NaT"], "M8[ns]")
    assert factorise(times).labels == ("2020-01-01 03:00:00.000000001", "2020-01-02 00:00:00")
    assert factorise(times.astype("M8[D]")).labels == ("2020-01-01", "2020-01-02")
    assert factorise(np.array([90, -1], "m8[m]")).labels == (
        "-1 days +23:59:00",
        "0 days 01:30:00",
    )


def test_categories_keep_their_order():
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    order, values = ["low", "mid", "high"], ["high", "low", None, "high"]
    enum = pl.Series(values, dtype=pl.Enum(order))
    indices = pa.array([2, 0, None, 2], pa.uint8())
    for labels in (
        pd.Series(pd.Categorical(values, order)),
        pd.Categorical(values, order, ordered=True),
        enum,
        pa.DictionaryArray.from_arrays(indices, order),
    ):
        assert factorise(labels).labels == ("low", "high")
        assert factorise(labels).codes.tolist() == [1, 0, -1, 1]
    frame = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "g": enum})
    with pytest.warns(uapca.DroppedRowsWarning):
        X = uapca.from_groups(frame, "g", missing="drop")
    assert X.names == ("low", "high")
    plain = pl.Series(["b", "a"], dtype=pl.Categorical)
    assert factorise(plain).labels == ("a", "b")


def test_large_unsigned_labels():
    labels = np.array([2**64 - 1, 2**64 - 3, 2**64 - 1], np.uint64)
    factor = factorise(labels)
    assert factor.labels == (str(2**64 - 3), str(2**64 - 1))
    assert factor.codes.tolist() == [1, 0, 1]
    assert factorise(np.array([2**64 - 1, 0], np.uint64)).labels == ("0", str(2**64 - 1))


def test_different_labels_with_the_same_text_stay_apart():
    pd = pytest.importorskip("pandas")
    for labels in ([1, "1", 2], pd.Series([1, "1", 2], dtype=object)):
        assert set(factorise(labels).labels) == {"1", "'1'", "2"}
    X = uapca.from_groups([[1.0], [2.0], [3.0]], [1, "1", 2])
    assert len(set(X.names)) == 3
    both = combined([factorise(["a", "a, b"]), factorise(["b, c", "c"])])
    assert both.labels == ("('a', 'b, c')", "('a, b', 'c')")


@pytest.mark.parametrize("labels", ["abcd", b"abcd", None, 3])
def test_what_is_no_vector_of_labels(labels):
    with pytest.raises(TypeError, match="by must be one label for each point"):
        factorise(labels)
    with pytest.raises(TypeError, match="by must be one label for each point"):
        uapca.from_groups(np.eye(4), labels)


def test_labels_that_cannot_be_told_apart():
    pd = pytest.importorskip("pandas")
    for labels in ([[1], [2]], pd.Series([[1], [2]]), pd.Series([{}, 1]), [([],), 1]):
        with pytest.raises(TypeError, match="by must hold labels that can be told apart"):
            factorise(labels)


@pytest.mark.parametrize(
    ("labels", "codes", "names"),
    [
        (["b", "a", "b"], [1, 0, 1], ("a", "b")),
        (np.array(["b", "a", "b"]), [1, 0, 1], ("a", "b")),
        (np.array([10, -3, 10]), [1, 0, 1], ("-3", "10")),
        (np.array([2**60, 0, 2**60]), [1, 0, 1], ("0", str(2**60))),
        (np.array([5, 5], dtype=np.uint8), [0, 0], ("5",)),
        (np.array([True, False]), [1, 0], ("False", "True")),
        (np.array([1.5, np.nan, 0.5]), [1, -1, 0], ("0.5", "1.5")),
        ([None, "a", float("nan")], [-1, 0, -1], ("a",)),
        ([1, "a"], [0, 1], ("1", "a")),
        ([("a", 1), ("a", 0)], [1, 0], ("('a', 0)", "('a', 1)")),
        (np.array([], dtype=int), [], ()),
    ],
)
def test_codes_and_texts(labels, codes, names):
    factor = factorise(labels)
    assert (factor.codes.tolist(), factor.labels) == (codes, names)


def test_pandas_missing_values():
    pandas = pytest.importorskip("pandas")
    factor = factorise(pandas.Series(["a", pandas.NA, pandas.NaT], dtype=object))
    assert factor.codes.tolist() == [0, -1, -1]


def test_combined_labels_are_missing_where_one_is():
    factor = combined([factorise(["a", "b", None]), factorise([0, 1, 1])])
    assert (factor.codes.tolist(), factor.labels) == ([0, 1, -1], ("a, 0", "b, 1"))
