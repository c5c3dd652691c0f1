"""Labels read the same wherever they come from."""

import datetime as dt
from zoneinfo import ZoneInfo

import numpy as np
import pytest

import uapca
from uapca.aggregate import Moments
from uapca.aggregate.labels import factorize, keyed, ordered


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
        factor = factorize(container(values))
        assert factor.labels == labels
        assert factor.codes.tolist() == [1, 0, -1]


def test_times_of_numpy():
    times = np.array(["2020-01-02", "2020-01-01T03:00:00.000000001", "NaT"], "M8[ns]")
    assert factorize(times).labels == ("2020-01-01 03:00:00.000000001", "2020-01-02 00:00:00")
    assert factorize(times.astype("M8[D]")).labels == ("2020-01-01", "2020-01-02")
    assert factorize(np.array([90, -1], "m8[m]")).labels == (
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
        assert factorize(labels).labels == ("low", "high")
        assert factorize(labels).codes.tolist() == [1, 0, -1, 1]
    frame = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "g": enum})
    with pytest.warns(uapca.DroppedRowsWarning):
        X = uapca.from_groups(frame, "g", missing="drop")
    assert X.names == ("low", "high")
    plain = pl.Series(["b", "a"], dtype=pl.Categorical)
    assert factorize(plain).labels == ("a", "b")


def test_large_unsigned_labels():
    labels = np.array([2**64 - 1, 2**64 - 3, 2**64 - 1], np.uint64)
    factor = factorize(labels)
    assert factor.labels == (str(2**64 - 3), str(2**64 - 1))
    assert factor.codes.tolist() == [1, 0, 1]
    assert factorize(np.array([2**64 - 1, 0], np.uint64)).labels == ("0", str(2**64 - 1))


def test_different_labels_with_the_same_text_stay_apart():
    pd = pytest.importorskip("pandas")
    for labels in ([1, "1", 2], pd.Series([1, "1", 2], dtype=object)):
        assert set(factorize(labels).labels) == {"1", "'1'", "2"}
    X = uapca.from_groups([[1.0], [2.0], [3.0]], [1, "1", 2])
    assert len(set(X.names)) == 3
    both = keyed([["a", "a, b"], ["b, c", "c"]])
    assert ordered(both.values, both.categories).labels == ("('a', 'b, c')", "('a, b', 'c')")


@pytest.mark.parametrize("labels", ["abcd", b"abcd", None, 3])
def test_what_is_no_vector_of_labels(labels):
    with pytest.raises(TypeError, match="by must be one label for each point"):
        factorize(labels)
    with pytest.raises(TypeError, match="by must be one label for each point"):
        uapca.from_groups(np.eye(4), labels)


def test_labels_that_cannot_be_told_apart():
    pd = pytest.importorskip("pandas")
    for labels in ([[1], [2]], pd.Series([[1], [2]]), pd.Series([{}, 1]), [([],), 1]):
        with pytest.raises(TypeError, match="by must hold labels that can be compared"):
            factorize(labels)


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
    factor = factorize(labels)
    assert (factor.codes.tolist(), factor.labels) == (codes, names)


def test_pandas_missing_values():
    pandas = pytest.importorskip("pandas")
    factor = factorize(pandas.Series(["a", pandas.NA, pandas.NaT], dtype=object))
    assert factor.codes.tolist() == [0, -1, -1]


def test_combined_labels_are_missing_where_one_is():
    labels = keyed([["a", "b", None], [0, 1, 1]])
    assert (labels.codes.tolist(), labels.values) == ([0, 1, -1], [("a", 0), ("b", 1)])


def twice_half_past_two():
    """Two instants an hour apart that a clock in Berlin shows alike, and a later one."""
    berlin = ZoneInfo("Europe/Berlin")
    first = dt.datetime(2020, 10, 25, 2, 30, tzinfo=berlin)
    return [first, first.replace(fold=1), dt.datetime(2020, 10, 25, 12, 0, tzinfo=berlin)]


TWICE = (
    "2020-10-25 02:30:00+02:00",
    "2020-10-25 02:30:00+01:00",
    "2020-10-25 12:00:00+01:00",
)


def test_instants_that_a_clock_shows_alike_are_different_labels(tmp_path):
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    times = twice_half_past_two()
    stamps = pd.Series(pd.to_datetime(times, utc=True)).dt.tz_convert("Europe/Berlin")
    arrow = pa.array(stamps)
    for labels in (
        times,
        np.array(times, dtype=object),
        stamps,
        pd.Series(times, dtype=object),
        stamps.astype("category"),
        arrow,
        pa.chunked_array([arrow]),
        arrow.dictionary_encode(),
        pl.Series(stamps),
        pl.Series(stamps).cast(pl.Datetime("ns", "Europe/Berlin")),
    ):
        factor = factorize(labels)
        assert factor.labels == TWICE
        assert factor.codes.tolist() == [0, 1, 2]
    points = [[1.0], [2.0], [4.0]]
    table = pa.table({"x": [1.0, 2.0, 4.0], "t": arrow})
    path = tmp_path / "t.parquet"
    pytest.importorskip("pyarrow.parquet").write_table(table, path)
    live = uapca.Aggregator()
    for point, label in zip(points, times, strict=True):
        live.partial_fit([point], [label])
    saved = Moments.from_bytes(Moments.of(points, times).to_bytes())
    for X in (
        uapca.from_groups(table, "t"),
        uapca.from_groups(path, "t"),
        uapca.from_groups(pl.from_arrow(table), "t"),
        live.to_uncertain(),
        saved.to_uncertain(),
    ):
        assert X.names == TWICE
        assert X.mean.ravel().tolist() == [1.0, 2.0, 4.0]


def test_times_with_nanoseconds_in_a_zone_stay_apart():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    stamps = pd.Series(pd.to_datetime([1, 2], utc=True)).dt.tz_convert("Asia/Tokyo")
    names = tuple(f"1970-01-01 09:00:00.00000000{k}+09:00" for k in (1, 2))
    assert factorize(stamps).labels == factorize(pl.Series(stamps)).labels == names


def test_masked_labels_are_missing():
    for values in (["a", "b", "a"], [3, 1, 3], [1.5, 0.5, 1.5]):
        labels = np.ma.array(values, mask=[False, True, False])
        assert factorize(labels).codes.tolist() == [0, -1, 0]
        assert factorize(labels).labels == (str(values[0]),)
    assert factorize([np.ma.masked, "a"]).codes.tolist() == [-1, 0]
    with pytest.raises(ValueError, match=r"by must have a label for every point; 1 of 3"):
        Moments.of(np.ones((3, 1)), labels)


def test_labels_are_the_text_as_it_was_written():
    labels = ["001", "01", "1", "9007199254740993", " a"]
    assert set(factorize(labels).labels) == set(labels)
    large = np.array([2**63 - 1, 2**63 - 2])
    assert factorize(large).labels == (str(2**63 - 2), str(2**63 - 1))


def test_categories_that_are_times_keep_their_order():
    pd = pytest.importorskip("pandas")
    days = pd.to_datetime(["2020-01-02", "2020-01-01"])
    found = keyed([pd.Categorical(days, categories=days, ordered=True)])
    texts = ordered(found.values, found.categories).labels
    assert texts == ("2020-01-02 00:00:00", "2020-01-01 00:00:00")


def test_masked_labels_of_two_dimensions_are_refused():
    with pytest.raises(ValueError, match="got an array of shape"):
        keyed([np.ma.array([[1, 2], [3, 4]], mask=[[False, False], [False, True]])])
