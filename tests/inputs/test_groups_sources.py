"""Files as people have them: folders of engines, indices of frames, odd types, damage."""

import gzip
import subprocess
import sys

import numpy as np
import pytest

import uapca
from uapca.exceptions import DroppedRowsWarning, FileError, SkippedFilesWarning

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
ds = pytest.importorskip("pyarrow.dataset")
feather = pytest.importorskip("pyarrow.feather")
pd = pytest.importorskip("pandas")


def refused(*args, kind=FileError, **options):
    with pytest.raises(kind) as error:
        uapca.from_groups(*args, **options)
    return str(error.value)


def write(path, **columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize("form", ["hive", "dataset", "plain dataset"])
def test_every_file_has_its_own_types(tmp_path, form):
    wide = [1e8 + 0.1, 1e8 + 0.2]
    if form == "plain dataset":
        write(tmp_path / "1.parquet", x=pa.array([1.0], pa.float32()), k=["a"])
        write(tmp_path / "2.parquet", x=wide, k=["b", "b"])
        points = ds.dataset(tmp_path)
    else:
        write(tmp_path / "k=a" / "1.parquet", x=pa.array([1.0], pa.float32()))
        write(tmp_path / "k=b" / "1.parquet", x=wide)
        points = tmp_path if form == "hive" else ds.dataset(tmp_path, partitioning="hive")
    X = uapca.from_groups(points, "k")
    assert X.names == ("a", "b")
    assert X.mean[1, 0] == pytest.approx(1e8 + 0.15, rel=1e-16)
    assert X.cov.dense()[1, 0, 0] == pytest.approx(np.var(wide), rel=1e-12)


def test_folders_that_hold_values(tmp_path):
    write(tmp_path / "year=2019" / "kind=a%20b" / "1.parquet", x=[1.0, 3.0])
    write(tmp_path / "year=2020" / "kind=c" / "1.parquet", x=[5.0])
    (tmp_path / "year=2020" / "kind=d").mkdir()
    (tmp_path / "year=2020" / "kind=d" / "1.csv").write_text("x\n7\n9.5\n")
    X = uapca.from_groups(tmp_path, "kind")
    assert X.names == ("a b", "c", "d")
    assert X.features == ("x",)  # keys of folders are no values by themselves
    assert X.mean[:, 0].tolist() == [2.0, 5.0, 8.25]
    assert uapca.from_groups(tmp_path, "year", features=["x"]).names == ("2019", "2020")
    write(tmp_path / "year=2020" / "kind=__HIVE_DEFAULT_PARTITION__" / "1.parquet", x=[0.0])
    assert "have a label for every point" in refused(tmp_path, "kind")


def test_the_index_of_a_frame_is_no_feature(tmp_path):
    frame = pd.DataFrame({"x": [1.0, 2.0], "k": ["a", "a"]}, index=[5, 6])
    frame.to_parquet(tmp_path / "a.parquet")
    frame.to_csv(tmp_path / "a.csv")
    frame.rename_axis("id").to_parquet(tmp_path / "b.parquet")
    for name in ("a.parquet", "a.csv", "b.parquet"):
        assert uapca.from_groups(tmp_path / name, "k").features == ("x",)
    assert uapca.from_groups(pa.Table.from_pandas(frame), "k").features == ("x",)
    both = uapca.from_groups(tmp_path / "b.parquet", "k", features=["id", "x"])
    assert both.mean.tolist() == [[5.5, 1.5]]


MEMORY = """
import resource, sys
import uapca, pyarrow.parquet, pyarrow.dataset, pyarrow.compute
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
points = pyarrow.dataset.dataset(sys.argv[1]) if sys.argv[2] == "dataset" else sys.argv[1]
uapca.from_groups(points, "k", chunk=20_000)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


@pytest.mark.slow
@pytest.mark.parametrize("form", ["dataset", "hive"])
def test_memory_goes_by_the_chunk(tmp_path, form):
    rng = np.random.default_rng(0)
    path = tmp_path / "h=1" / "a.parquet"
    path.parent.mkdir()
    columns = {f"c{j}": rng.random(100_000) for j in range(30)}
    whole = pa.table({**columns, "k": ["a"] * 100_000})
    with pq.ParquetWriter(path, whole.schema) as writer:
        for _ in range(8):
            writer.write_table(whole)
    assert path.stat().st_size > 180e6
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(path if form == "dataset" else tmp_path), form],
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(done.stdout) < 100  # megabytes; four chunks of 30 columns are 19


def test_damaged_files_of_every_kind_are_named_or_skipped(tmp_path):
    for k in range(3):
        feather.write_feather(
            pa.table({"x": np.arange(5000.0) + k, "k": ["a"] * 5000}), tmp_path / f"{k}.arrow"
        )
    first = tmp_path / "0.arrow"
    first.write_bytes(first.read_bytes()[:4000])
    assert f"{str(first)!r} cannot be read" in refused(tmp_path, "k")
    with pytest.warns(SkippedFilesWarning, match="left out 1 file"):
        assert uapca.from_groups(tmp_path, "k", bad_files="skip").total_weight == 10_000
    hive = tmp_path / "hive"
    for name in "abc":
        write(hive / f"k={name}" / "1.parquet", x=np.arange(10.0))
    cut = hive / "k=a" / "1.parquet"
    cut.write_bytes(cut.read_bytes()[:-20])
    assert f"{str(cut)!r} cannot be read" in refused(hive, "k")
    with pytest.warns(SkippedFilesWarning, match="left out 1 file"):
        assert uapca.from_groups(hive, "k", bad_files="skip").names == ("b", "c")
    packed = tmp_path / "a.csv.gz"
    packed.write_bytes(gzip.compress(b"x,k\n1,a\n2,a\n")[:-12])
    assert f"{str(packed)!r} cannot be read" in refused(packed, "k")


def test_a_first_file_that_is_unlike_the_others_is_the_one_to_go(tmp_path):
    write(tmp_path / "1.parquet", y=["text"], k=["a"])
    for k in (2, 3):
        write(tmp_path / f"{k}.parquet", x=[1.0, 3.0], k=["a", "a"])
    for first in (
        {"y": [1.0], "k": ["a"]},
        {"x": ["t"], "k": ["a"]},
        {"x": [1.0], "k": [1]},
        {"x": [1.0]},
        {"x": [1.0], "z": [2.0], "k": ["a"]},
    ):
        path = write(tmp_path / "1.parquet", **first)
        with pytest.warns(SkippedFilesWarning, match="left out 1 file") as said:
            X = uapca.from_groups(tmp_path, "k", bad_files="skip")
        assert str(path) in str(said[0].message)
        assert (X.features, X.total_weight, X.mean.tolist()) == (("x",), 4.0, [[2.0]])
    write(tmp_path / "1.parquet", x=[1.0], k=[1])
    with pytest.warns(SkippedFilesWarning) as said:
        uapca.from_groups(tmp_path, "k", bad_files="skip")
    assert str(said[0].message) == (
        "left out 1 file, as asked for: labels must be of one kind, here text; in "
        f"{str(tmp_path / '1.parquet')!r} the column 'k' holds integers"
    )


@pytest.mark.parametrize("place", ["0", "5"])
def test_files_without_rows(tmp_path, place):
    (tmp_path / "1.csv").write_text("x,k\n1,a\n3,a\n")
    (tmp_path / f"{place}.csv").write_text("x,k\n")
    assert uapca.from_groups(tmp_path, "k").mean.tolist() == [[2.0]]
    other = tmp_path / "parquet"
    write(other / "1.parquet", x=[1.0, 3.0], k=["a", "a"])
    write(other / f"{place}.parquet", x=pa.array([], pa.float64()), k=pa.nulls(0))
    write(other / f"{place}b.parquet", x=pa.nulls(0), k=pa.nulls(0))
    assert uapca.from_groups(other, "k").mean.tolist() == [[2.0]]
    alone = tmp_path / "alone.csv"
    alone.write_text("x,k\n")
    assert refused(alone, "k") == (
        "points must have a file that can be read; none of 1 can: they have no rows"
    )


def test_large_whole_numbers(tmp_path):
    big = 2**60 + 1
    path = write(tmp_path / "a.parquet", x=[big, big], k=["a", "a"])
    assert uapca.from_groups(path, "k").mean.tolist() == [[float(big)]]
    assert uapca.from_groups(pa.table({"x": [big], "k": ["a"]}), "k").mean.tolist() == [
        [float(big)]
    ]


def test_labels_that_are_none(tmp_path):
    path = write(tmp_path / "a.parquet", x=[1.0], k=[[1, 2]])
    assert refused(path, "k", kind=ValueError) == (
        "by must name columns of text, numbers, dates or times; 'k' holds list<element: int64>"
    )
    twice = tmp_path / "a.csv"
    twice.write_text("x,k,k\n1,a,b\n")
    assert refused(twice, "k") == f"column names must be distinct; {str(twice)!r} has 'k' twice"


def test_columns_that_begin_late_and_decimal_commas(tmp_path, monkeypatch):
    monkeypatch.setattr("uapca.inputs.files._BLOCK", 64)
    monkeypatch.setattr("uapca.inputs.files._HEAD", 64)
    path = tmp_path / "a.csv"
    path.write_text("x,y,k\n" + "1,,a\n" * 40 + "3,2.5,b\n3,4.5,b\n")
    assert "row 0, column 'y' is empty or nan" in refused(path, "k")
    with pytest.warns(DroppedRowsWarning, match="left out 40 rows"):
        X = uapca.from_groups(path, "k", missing="drop")
    assert (X.names, X.features, X.mean.tolist()) == (("b",), ("x", "y"), [[3.0, 3.5]])
    path.write_text("x,k\n" + "1,\n" * 40 + "3,b\n")
    with pytest.warns(DroppedRowsWarning, match="left out 40 rows"):
        assert uapca.from_groups(path, "k", missing="drop").names == ("b",)
    comma = tmp_path / "b.csv"
    comma.write_text("x;y;k\n1,5;1;a\n2;2;a\n-2,5e1;3;a\n")
    X = uapca.from_groups(comma, "k")
    assert X.features == ("x", "y")
    np.testing.assert_allclose(X.mean, [[-21.5 / 3, 2.0]])


def test_what_is_data_in_a_folder(tmp_path):
    write(tmp_path / "a.parquet" / "part-0.parquet", x=[1.0], k=["a"])
    (tmp_path / "a.parquet" / "_SUCCESS").write_text("")
    write(tmp_path / "b.parquet", x=[3.0], k=["a"])
    (tmp_path / "README.txt").write_text("Notes, not numbers.")
    (tmp_path / "._b.parquet").write_bytes(b"nothing")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "c.parquet").write_bytes(b"nothing")
    for points in (
        tmp_path,
        f"{tmp_path}/*.parquet",
        [tmp_path / "a.parquet", tmp_path / "b.parquet"],
    ):
        assert uapca.from_groups(points, "k").mean.tolist() == [[2.0]]
    (tmp_path / "c.txt").write_text("x,k\n4,a\n")
    assert uapca.from_groups(tmp_path / "c.txt", "k").mean.tolist() == [[4.0]]


def test_a_filtered_dataset(tmp_path):
    write(tmp_path / "a.parquet", x=[1.0, 3.0, 5.0], k=["a", "a", "b"])
    points = ds.dataset(tmp_path).filter(ds.field("x") > 2)
    X = uapca.from_groups(points, "k")
    assert (X.names, X.mean.ravel().tolist()) == (("a", "b"), [3.0, 5.0])


def test_a_row_without_a_label_may_lack_values(tmp_path):
    path = write(tmp_path / "a.parquet", x=[1.0, None, 3.0], k=["a", None, "a"])
    with pytest.warns(DroppedRowsWarning, match="left out 1 row, as asked for: 1 without a label"):
        assert uapca.from_groups(path, "k", missing="drop").mean.tolist() == [[2.0]]


def test_any_chunk(tmp_path):
    path = write(tmp_path / "a.parquet", x=[1.0, 3.0], k=["a", "a"])
    assert uapca.from_groups(path, "k", chunk=10**13).mean.tolist() == [[2.0]]


@pytest.mark.parametrize("chunk", [2, 1000])
def test_a_value_too_large_to_be_squared_is_named(tmp_path, chunk):
    write(tmp_path / "1.parquet", x=[1.0, 3.0], y=[1.0, 1.0], k=["a", "a"])
    bad = write(tmp_path / "2.parquet", x=[1.0] * 4, y=[1.0, 1.0, -1e200, 1.0], k=["a"] * 4)
    assert refused(tmp_path, "k", chunk=chunk) == (
        f"values must have squares that fit into float64; {str(bad)!r}, row 2, column 'y' is "
        "-1e+200; divide the data by its largest magnitude"
    )
    with pytest.warns(SkippedFilesWarning, match="left out 1 file"):
        X = uapca.from_groups(tmp_path, "k", chunk=chunk, bad_files="skip")
    assert X.mean.tolist() == [[2.0, 1.0]]


def test_files_that_change_between_two_passes(tmp_path, monkeypatch):
    path = write(tmp_path / "a.parquet", x=np.arange(100.0))
    from uapca.aggregate.bins import Grid

    learn = Grid.learn

    def then_written(self, pieces):
        learn(self, pieces)
        write(path, x=np.arange(99.0))

    monkeypatch.setattr(Grid, "learn", then_written)
    assert refused(path, bins={"x": 3}) == (
        f"files must not change while they are read; {str(path)!r} has since it was opened"
    )


def test_in_memory_the_column_is_named_and_rows_are_counted():
    frame = pd.DataFrame({"x": [1.0, None, 3.0, 4.0], "k": ["a", "a", "a", None]})
    assert "row 1, column 'x' is empty or nan" in refused(frame.iloc[:3], "k", kind=ValueError)
    with pytest.warns(DroppedRowsWarning) as said:
        X = uapca.from_groups(frame, "k", missing="drop")
    assert X.mean.tolist() == [[2.0]]
    assert [str(w.message) for w in said] == [
        "left out 2 rows, as asked for: 1 without a label and 1 without a value"
    ]
    assert said[0].filename == __file__


def test_labels_with_another_index_are_refused():
    frame = pd.DataFrame({"x": [1.0, 2.0]}, index=[5, 6])
    assert refused(frame, pd.Series(["a", "b"]), kind=ValueError) == (
        "by must have the index of points; got a Series with another: pass "
        "by.reindex(points.index), or by.to_numpy() to go by position"
    )
    same = pd.Series(["a", "b"], index=[5, 6])
    assert uapca.from_groups(frame, same).names == ("a", "b")
    assert uapca.from_groups(frame, pd.Series(["a", "b"]).to_numpy()).names == ("a", "b")


def test_the_total_weight_is_the_number_of_points():
    rng = np.random.default_rng(0)
    for n in rng.integers(1, 20_000, 60).tolist():
        X = uapca.from_groups(np.zeros((n, 1)), rng.integers(0, 17, n))
        assert X.total_weight == n
        assert X.weights.sum() == pytest.approx(1.0, rel=1e-15)


@pytest.mark.parametrize("form", ["hive", "dataset"])
def test_a_column_that_a_file_lacks_is_not_a_column_of_nulls(tmp_path, form):
    write(tmp_path / "k=a" / "1.parquet", x=[1.0], y=[1.0])
    bad = write(tmp_path / "k=b" / "1.parquet", x=[1.0])
    points = tmp_path if form == "hive" else ds.dataset(tmp_path, partitioning="hive")
    assert refused(points, "k", missing="drop") == (
        f"every file must have the same columns; {str(bad)!r} has no 'y'"
    )


def test_text_that_is_not_utf8_is_refused(tmp_path):
    latin = tmp_path / "b.csv"
    latin.write_bytes("x,k\n1,Köln\n2,Köln\n".encode("latin-1"))
    said = refused(latin, "k")
    assert said.startswith(
        f"{str(latin)!r} cannot be read: it is not text in UTF-8; pass encoding="
    )
    assert uapca.from_groups(latin, "k", encoding="cp1252").names == ("Köln",)


def test_points_in_another_encoding_are_read_a_chunk_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr("uapca.inputs.files._HEAD", 64)
    path = tmp_path / "b.csv"
    path.write_bytes(("x;k\n" + "1,5;Köln\n2,5;Zürich\n" * 50).encode("cp1252"))
    X = uapca.from_groups(path, "k", encoding="cp1252")
    assert (X.names, X.mean.ravel().tolist()) == (("Köln", "Zürich"), [1.5, 2.5])
    path.write_bytes(("x;k\n" + "1,5;Köln\n" * 50).encode("cp1252") + b"1,5;\x81\n")
    assert refused(path, "k", encoding="cp1252") == (
        f"{str(path)!r} cannot be read: it is not text in the encoding that was given"
    )


def test_labels_are_text_even_where_the_first_ones_look_like_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr("uapca.inputs.files._BLOCK", 64)
    late = tmp_path / "a.csv"
    late.write_text("x,k\n" + "1,7\n" * 40 + "2,word\n")
    assert uapca.from_groups(late, "k").names == ("7", "word")


def test_a_blank_line_above_the_units(tmp_path):
    for k, gap in enumerate(("", "\n", "\n\n")):
        path = tmp_path / f"{k}.csv"
        path.write_text(f"# made by hand\n\nkind,x,y\n{gap},m,s\n{gap}a,1,2\na,3,4\n")
        X = uapca.from_groups(path, "kind")
        assert X.mean.tolist() == [[2.0, 3.0]]


def test_labels_that_vanish_with_their_points_are_counted(tmp_path):
    rows = {"x": [1.0, None, 2.0, None, None], "kind": ["a", "a", "b", "c", "d"]}
    said = "left out 3 rows, as asked for: 3 without a value; 2 labels had no other rows"
    pq.write_table(pa.table(rows), tmp_path / "a.parquet")
    da, dd = pytest.importorskip("dask.array"), pytest.importorskip("dask.dataframe")
    frame = pa.table(rows).to_pandas()
    points = frame[["x"]].to_numpy()
    for source, by in (
        (pa.table(rows), "kind"),
        (points, rows["kind"]),
        (tmp_path / "a.parquet", "kind"),
        (dd.from_pandas(frame, npartitions=2), "kind"),
        (da.from_array(points, chunks=(2, 1)), np.array(rows["kind"])),
    ):
        with pytest.warns(uapca.DroppedRowsWarning) as found:
            X = uapca.from_groups(source, by, missing="drop")
        assert X.names == ("a", "b")
        assert [str(w.message) for w in found] == [said]
