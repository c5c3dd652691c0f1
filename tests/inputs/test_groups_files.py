"""Labeled points in files and streams: the same rows as in memory, and faults by name."""

import gzip
import subprocess
import sys
import warnings
from importlib import import_module

import numpy as np
import pytest

import uapca
from builders import assert_same
from uapca.exceptions import DroppedRowsWarning, FileError, SkippedFilesWarning

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
ds = pytest.importorskip("pyarrow.dataset")


def table(n=1000, seed=0, offset=0.0, **more):
    rng = np.random.default_rng(seed)
    columns = {name: np.round(rng.standard_normal(n) * 64) / 64 + offset for name in "xyz"}
    labels = [f"k{c}" for c in rng.integers(0, 6, n)]
    return pa.table({**columns, "kind": labels, "year": rng.integers(2018, 2021, n), **more})


@pytest.fixture
def folder(tmp_path):
    """Three Parquet files of different lengths, and all of their rows."""
    tables = [table(n, seed) for seed, n in enumerate((1000, 10, 333))]
    for k, part in enumerate(tables):
        pq.write_table(part, tmp_path / f"part{k}.parquet", row_group_size=400)
    return tmp_path, pa.concat_tables(tables)


@pytest.mark.parametrize("chunk", [1, 64, 262_144])
def test_a_folder_of_parquet_files(folder, chunk):
    path, whole = folder
    expected = uapca.from_groups(whole, "kind", features=["x", "y", "z"])
    for points in (
        path / "*.parquet",
        f"{path}/*.parquet",
        path,
        sorted(path.iterdir()),
        [path / "part0.parquet", f"{path}/part[12].parquet"],
        ds.dataset(path),
        ds.dataset(path).scanner().to_reader(),
    ):
        found = uapca.from_groups(points, "kind", features=["x", "y", "z"], chunk=chunk)
        assert_same(found, expected)


def test_all_numbers_are_features_and_several_columns_make_labels(folder):
    path, whole = folder
    assert_same(uapca.from_groups(path, "kind"), uapca.from_groups(whole, "kind"))
    for by in ("year", ["kind", "year"], ("year", "kind")):
        found = uapca.from_groups(path, by)
        assert_same(found, uapca.from_groups(whole, by))
    sem = uapca.from_groups(path, "kind", "sem")
    assert_same(sem, uapca.from_groups(whole, "kind", "sem"))


def test_offset(tmp_path):
    whole = table(5000, offset=1e8)
    pq.write_table(whole, tmp_path / "a.parquet")
    expected = uapca.from_groups(whole, "kind", features=["x", "y", "z"])
    found = uapca.from_groups(tmp_path / "a.parquet", "kind", features=["x", "y", "z"], chunk=100)
    assert_same(found, expected)


@pytest.mark.parametrize(("ending", "separator"), [("csv", ","), ("csv", ";"), ("tsv", "\t")])
@pytest.mark.parametrize("packed", [False, True])
def test_csv(tmp_path, ending, separator, packed):
    whole = table(500)
    frame = whole.to_pandas()
    path = tmp_path / f"a.{ending}{'.gz' if packed else ''}"
    text = frame.to_csv(index=False, sep=separator).encode()
    path.write_bytes(gzip.compress(text) if packed else text)
    for by in ("kind", "year", ["kind", "year"]):
        found = uapca.from_groups(path, by, chunk=77)
        assert_same(found, uapca.from_groups(whole, by))


def test_csv_whose_first_lines_look_like_whole_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr("uapca.inputs.files._BLOCK", 64)
    lines = [f"{i},a" for i in range(40)] + ["0.5,b", "2.5,b"]
    (tmp_path / "a.csv").write_text("x,kind\n" + "\n".join(lines) + "\n")
    assert uapca.from_groups(tmp_path / "a.csv", "kind").mean.ravel().tolist() == [19.5, 1.5]


def test_arrow_files_and_partitioned_folders(tmp_path):
    whole = table(600)
    feather = pytest.importorskip("pyarrow.feather")
    feather.write_feather(whole, tmp_path / "a.feather")
    assert_same(uapca.from_groups(tmp_path / "a.feather", "kind"), uapca.from_groups(whole, "kind"))
    hive = tmp_path / "hive"
    ds.write_dataset(
        whole,
        hive,
        format="parquet",
        partitioning=ds.partitioning(pa.schema([("kind", pa.string())]), flavor="hive"),
    )
    assert_same(uapca.from_groups(hive, "kind"), uapca.from_groups(whole, "kind"))


def test_types_of_columns(tmp_path):
    whole = pa.table(
        {
            "i": pa.array([1, 2, 3, 4], pa.int16()),
            "f": pa.array([1.5, 2.5, 3.5, 4.5], pa.float32()),
            "d": pa.array([1, 2, 3, 5]).cast(pa.decimal128(23, 2)),
            "flag": [True, False, True, False],
            "when": pa.array([0, 0, 10**9, 10**9], pa.timestamp("ns")),
        }
    )
    pq.write_table(whole, tmp_path / "a.parquet")
    found = uapca.from_groups(tmp_path / "a.parquet", "when")
    assert found.features == ("i", "f", "d")
    assert found.names == ("1970-01-01 00:00:00", "1970-01-01 00:00:01")
    assert_same(found, uapca.from_groups(whole, "when"))
    single = uapca.from_groups(tmp_path / "a.parquet", "flag", features=["f"])
    assert_same(single, uapca.from_groups(whole, "flag", features=["f"]))


def test_categories_keep_their_order(tmp_path):
    kinds = pa.DictionaryArray.from_arrays(pa.array([2, 0, 1, 0]), ["low", "mid", "high"])
    pq.write_table(pa.table({"x": [1.0, 2, 3, 4], "kind": kinds}), tmp_path / "a.parquet")
    for chunk in (1, 4):
        found = uapca.from_groups(tmp_path / "a.parquet", "kind", chunk=chunk)
        assert found.names == ("low", "mid", "high")


def test_text_is_sorted_however_the_file_stores_it(tmp_path):
    # Parquet keeps each text once, in the order in which they came.
    first = pa.table({"x": [1.0, 2.0, 3.0], "by": ["c", "a", None]})
    pq.write_table(first, tmp_path / "1.parquet")
    pq.write_table(pa.table({"x": [4.0, 5.0], "by": ["b", "c"]}), tmp_path / "2.parquet")
    with pytest.warns(DroppedRowsWarning, match="left out 1 row, as asked for: 1 without a label"):
        X = uapca.from_groups(tmp_path / "*.parquet", by="by", missing="drop")
    assert X.names == ("a", "b", "c")
    assert X.mean.ravel().tolist() == [2.0, 4.0, 3.0]


@pytest.mark.parametrize("level", ["Family", "Genus", "Species"])
def test_anuran_is_the_same_through_every_door(anuran, level, tmp_path):
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    points, labels = anuran
    names = [f"MFCC{j}" for j in range(22)]
    frame = pd.DataFrame(points, columns=names).assign(label=labels[level])
    arrow = pa.Table.from_pandas(frame)
    pq.write_table(arrow.slice(0, 3000), tmp_path / "1.parquet", row_group_size=500)
    pq.write_table(arrow.slice(3000), tmp_path / "2.parquet")
    frame.to_csv(tmp_path / "all.csv", index=False)
    expected = uapca.from_groups(points, labels[level], features=names)
    live = uapca.Aggregator(by="label")
    for start in range(0, len(frame), 1000):
        live.partial_fit(frame.iloc[start : start + 1000])
    for found in (
        uapca.from_groups(frame, "label"),
        uapca.from_groups(pl.from_pandas(frame), "label"),
        uapca.from_groups(arrow, "label"),
        uapca.from_groups(f"{tmp_path}/*.parquet", "label", chunk=700),
        uapca.from_groups(tmp_path / "all.csv", "label"),
        live.to_uncertain(),
    ):
        assert_same(found, expected)


def refused(*args, kind=FileError, **options):
    with pytest.raises(kind) as error:
        uapca.from_groups(*args, **options)
    return str(error.value)


def broken(folder, name):
    """A file among good ones that is broken in the named way, and the message it gives."""
    path = folder / "part1.parquet"
    good = pq.read_table(path)
    said = f"{str(path)!r}"
    if name == "truncated":
        path.write_bytes(path.read_bytes()[:-100])
        return path, "cannot be read", said
    if name == "garbled":
        data = bytearray(path.read_bytes())
        data[4:200] = bytes(196)
        path.write_bytes(data)
        return path, "cannot be read", said
    if name == "text":
        new = good.set_column(0, "x", pa.array(["?"] * len(good)))
        rule = f"values must be numbers; in {said} the column 'x' holds string"
    elif name == "column gone":
        new = good.drop_columns(["y"])
        rule = f"every file must have the same columns; {said} has no 'y'"
    elif name == "column more":
        new = good.append_column("more", pa.array(np.zeros(len(good))))
        rule = f"every file must have the same columns; {said} has 'more' too"
    elif name == "labels of another kind":
        new = good.set_column(3, "kind", pa.array(np.arange(len(good))))
        rule = f"labels must be of one kind, here text; in {said} the column 'kind' holds integers"
    elif name == "label null":
        new = good.set_column(3, "kind", pa.array([*["k0"] * 4, None, *["k1"] * 5]))
        rule = f"by must have a label for every point; {said} has none in row 4"
    elif name == "value null":
        new = good.set_column(1, "y", pa.array([1.0, None] * 5))
        rule = f"values must not be missing; {said}, row 1, column 'y' is empty or nan"
    else:
        assert name == "infinite"
        new = good.set_column(2, "z", pa.array([0.0] * 9 + [np.inf]))
        rule = f"values must be finite; {said}, row 9, column 'z' is inf"
    pq.write_table(new, path)
    return path, rule, said


FAULTS = [
    "truncated",
    "garbled",
    "text",
    "column gone",
    "column more",
    "labels of another kind",
    "label null",
    "value null",
    "infinite",
]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("chunk", [3, 1000])
def test_a_bad_file_is_named_or_skipped(folder, fault, chunk):
    path, whole = folder
    _, rule, said = broken(path, fault)
    message = refused(path, "kind", chunk=chunk)
    assert rule in message
    assert said in message
    with pytest.warns(SkippedFilesWarning) as warned:
        found = uapca.from_groups(path, "kind", chunk=chunk, bad_files="skip")
    assert len(warned) == 1
    assert str(warned[0].message) == f"left out 1 file, as asked for: {message}"
    assert warned[0].filename == __file__
    rest = pa.concat_tables([whole.slice(0, 1000), whole.slice(1010)])
    assert_same(found, uapca.from_groups(rest, "kind"))


def test_the_first_file_may_be_the_bad_one(folder):
    path, whole = folder
    (path / "part0.parquet").write_bytes(b"PAR1 nothing of use")
    assert "part0.parquet" in refused(path, "kind")
    with pytest.warns(SkippedFilesWarning, match="left out 1 file"):
        found = uapca.from_groups(path, "kind", bad_files="skip")
    assert_same(found, uapca.from_groups(whole.slice(1000), "kind"))
    for k in (1, 2):
        (path / f"part{k}.parquet").write_bytes(b"")
    message = refused(path, "kind", bad_files="skip")
    assert message.startswith("points must have a file that can be read; none of 3 can: ")


def test_rows_are_dropped_by_rule(tmp_path):
    whole = pa.table(
        {
            "x": pa.array([1.0, None, 3.0, float("nan"), 5.0, None]),
            "y": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            "kind": ["a", "a", "a", "b", None, None],
        }
    )
    path = tmp_path / "a.parquet"
    pq.write_table(whole, path)
    with pytest.warns(DroppedRowsWarning) as said:
        found = uapca.from_groups(path, "kind", missing="drop", chunk=2)
    assert str(said[0].message) == (
        "left out 4 rows, as asked for: 2 without a label and 2 without a value; "
        "1 label had no other rows"
    )
    assert (found.names, found.mean.tolist()) == (("a",), [[2.0, 2.0]])
    # The covariance is that of the rows which are whole, never of pairs of columns.
    np.testing.assert_allclose(found.cov.dense()[0], [[1.0, 1.0], [1.0, 1.0]])


def test_csv_cells_that_are_empty(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,kind\n1,a\n3,a\n,a\n4,\n")
    assert "row 2, column 'x' is empty or nan" in refused(path, "kind", chunk=1)
    with pytest.warns(DroppedRowsWarning, match="left out 2 rows"):
        found = uapca.from_groups(path, "kind", missing="drop")
    assert found.mean.tolist() == [[2.0]]
    path.write_text("x,kind\n1,a\n2\n")
    assert "every line must have 2 cells" in refused(path, "kind")
    (tmp_path / "b.csv").write_text("x,kind\n1,a\nword,a\n")
    (tmp_path / "a.csv").write_text("x,kind\n1,a\n")
    assert "b.csv" in refused(tmp_path / "*.csv", "kind")


def test_refusals(tmp_path):
    missing = tmp_path / "no.parquet"
    assert refused(missing, "kind", kind=FileNotFoundError) == f"there is no file {str(missing)!r}"
    assert "has no files that end in" in refused(tmp_path, "kind", kind=FileNotFoundError)
    path = tmp_path / "a.parquet"
    pq.write_table(table(10), path)
    assert refused(path, "sort", kind=ValueError) == (
        "by must name columns of the table; there is no 'sort' among 'x', 'y', 'z', 'kind', 'year'"
    )
    assert "there is no 'w'" in refused(path, "kind", features=["w"], kind=ValueError)
    assert "by must name columns of the files; got NoneType" in refused(path, kind=TypeError)
    assert "got ndarray" in refused(path, np.zeros(10), kind=TypeError)
    assert uapca.from_groups(path, "kind", keep_samples=True).laws is not None
    for chunk in (0, 2.5, True):
        assert refused(path, "kind", chunk=chunk, kind=ValueError) == (
            f"chunk must be a positive number of rows; got {chunk!r}"
        )
    assert "bad_files must be 'error' or 'skip'" in refused(
        path, "kind", bad_files="keep", kind=ValueError
    )


def test_progress(folder, tmp_path):
    path, _ = folder
    seen = []
    uapca.from_groups(path, "kind", chunk=200, progress=lambda *done: seen.append(done))
    assert seen[-1] == (1343, 1343)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    (path / "more.csv").write_text("x,y,z,kind,year\n1,2,3,a,4\n")
    seen.clear()
    uapca.from_groups(path, "kind", bad_files="skip", progress=lambda *done: seen.append(done))
    assert seen[-1] == (4, 4)


def test_only_the_columns_that_are_needed_are_read(tmp_path):
    # A column that cannot be read does no harm where nobody asks for it.
    good = table(5000).append_column("junk", pa.array(np.random.default_rng(0).random(5000)))
    path = tmp_path / "a.parquet"
    pq.write_table(good, path, use_dictionary=False, compression="snappy")
    place = pq.ParquetFile(path).metadata.row_group(0).column(5)
    data = bytearray(path.read_bytes())
    start = place.data_page_offset
    data[start : start + 400] = bytes(400)
    path.write_bytes(data)
    assert "cannot be read" in refused(path, "kind")
    found = uapca.from_groups(path, "kind", features=["x", "y", "z"])
    assert_same(found, uapca.from_groups(good, "kind", features=["x", "y", "z"]))


MEMORY = """
import resource, sys
import uapca, pyarrow.parquet, pyarrow.dataset, pyarrow.csv, pyarrow.compute
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
uapca.from_groups(sys.argv[1], "kind", features=["x", "y", "z"], chunk=20_000)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


def test_memory_goes_by_the_chunk_not_by_the_file(tmp_path):
    path = tmp_path / "a.parquet"
    wide = {f"c{j}": np.random.default_rng(j).random(100_000) for j in range(30)}
    with pq.ParquetWriter(path, table(100_000, **wide).schema) as writer:
        for seed in range(6):
            writer.write_table(table(100_000, seed, **wide))
    assert path.stat().st_size > 120e6
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(path)], capture_output=True, text=True, check=True
    )
    assert float(done.stdout) < 90  # megabytes; the file unpacked has 170


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1500 << 20, 1500 << 20))
import uapca
X = uapca.from_groups(sys.argv[1], by="k")
print(int(X.total_weight), *X.mean[:, 0])
"""


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["parquet", "csv.gz"])
def test_a_file_larger_than_the_memory_that_is_allowed(tmp_path, ending):
    path, n = tmp_path / f"a.{ending}", 250_000
    part = pa.table({f"x{j}": np.arange(n) % (j + 2) * 1.0 for j in range(32)} | {"k": ["a"] * n})
    if ending == "parquet":
        times = 26  # 1.7 GB as numbers
        with pq.ParquetWriter(path, part.schema) as writer:
            for _ in range(times):
                writer.write_table(part)
    else:
        times = 2
        lines = part.to_pandas().to_csv(index=False).encode().partition(b"\n")
        path.write_bytes(gzip.compress(b"".join(lines) + lines[2] * (times - 1), 1))
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True, check=False
    )
    assert (done.stdout.split(), done.stderr) == ([str(times * n), "0.5"], "")


@pytest.mark.parametrize("packer", ["gzip", "bz2", "lzma"])
def test_packed_text(tmp_path, packer):
    ending = {"gzip": "gz", "bz2": "bz2", "lzma": "xz"}[packer]
    path = tmp_path / f"a.csv.{ending}"
    path.write_bytes(import_module(packer).compress(b"x,k\n 1 ,a\n+3,a\nNA,a\n"))
    with pytest.warns(DroppedRowsWarning, match="left out 1 row, as asked for: 1 without a value"):
        X = uapca.from_groups(path, "k", missing="drop")
    assert (X.names, X.mean.tolist()) == (("a",), [[2.0]])


def test_points_without_labels_by_clusters(tmp_path):
    rng = np.random.default_rng(0)
    centers = rng.uniform(-100, 100, (5, 2))
    points = centers[rng.integers(0, 5, 30_000)] + rng.standard_normal((30_000, 2))
    points[:, 1] *= 1e-3  # units do not matter
    order = np.argsort(points[:, 0])  # nor does the order
    pq.write_table(pa.table({"u": points[order, 0], "v": points[order, 1]}), tmp_path / "a.parquet")
    for X in (
        uapca.from_groups(tmp_path / "a.parquet", bins=5, rng=1, chunk=1000),
        uapca.from_groups(points, bins=5, rng=1, features=["u", "v"]),
        uapca.from_groups({"u": points[:, 0], "v": points[:, 1]}, bins=5, rng=1),
    ):
        assert X.names == ("0", "1", "2", "3", "4")
        assert (X.features, X.total_weight) == (("u", "v"), 30_000)
        found = X.mean / [1, 1e-3]
        nearest = np.abs(found[:, None] - centers).max(axis=2).min(axis=0)
        assert (nearest < 0.2).all()
        np.testing.assert_allclose(X.pooled()[1], np.cov(points.T, ddof=0), rtol=1e-10)
    again = uapca.from_groups(tmp_path / "a.parquet", bins=5, rng=1, chunk=1000)
    np.testing.assert_array_equal(
        again.mean, uapca.from_groups(tmp_path / "a.parquet", bins=5, rng=1, chunk=1000).mean
    )


def test_points_without_labels_by_a_grid(tmp_path):
    rng = np.random.default_rng(1)
    points = rng.uniform(0, 1, (2000, 3))
    points[0], points[1] = 0.0, 1.0
    pq.write_table(pa.table(dict(zip("abc", points.T, strict=True))), tmp_path / "a.parquet")
    cells = np.minimum((points[:, [2, 0]] * [4, 3]).astype(int), [3, 2])
    expected = uapca.from_groups(points, cells[:, 0] * 3 + cells[:, 1])
    for X in (
        uapca.from_groups(tmp_path / "a.parquet", bins={"c": 4, "a": 3}, chunk=99),
        uapca.from_groups(points, bins={"2": 4, "0": 3}),
    ):
        assert len(X) == 12
        np.testing.assert_allclose(X.mean, expected.mean, rtol=1e-12)
        np.testing.assert_allclose(X.weights, expected.weights, rtol=1e-12)
    assert uapca.from_groups(tmp_path / "a.parquet", bins={"c": 4, "a": 3}).names[:2] == (
        "c 0 to 0.25, a 0 to 0.3333",
        "c 0 to 0.25, a 0.3333 to 0.6667",
    )
    far = uapca.from_groups(points + 1e8, bins={"2": 2})
    assert far.names == ("2 100000000 to 100000000.5", "2 100000000.5 to 100000001")
    constant = uapca.from_groups(np.ones((5, 1)), bins={"0": 3})
    assert constant.total_weight == 5


def test_refusals_of_bins(tmp_path):
    points = np.arange(6.0).reshape(3, 2)
    assert refused(points, ["a", "b", "c"], bins=2, kind=ValueError) == (
        "bins must be left out where by gives the labels; got both"
    )
    for bins in (0, 2.5, True, "grid"):
        assert refused(points, bins=bins, kind=ValueError) == (
            "bins must be a positive number of clusters, or a number of cells for each of some "
            f"features, such as {{'x': 20, 'y': 25}}; got {bins!r}"
        )
    assert refused(points, bins=4, kind=ValueError) == (
        "bins must be at most the number of points; got 4 for 3"
    )
    assert refused(points, bins={"x": 2}, kind=ValueError) == (
        "bins must name features; got 'x', known are '0', '1'"
    )
    assert refused(points, bins={"0": 0}, kind=ValueError) == (
        "bins must have a positive number of cells for each feature; got 0"
    )
    pq.write_table(table(10), tmp_path / "a.parquet")
    reader = ds.dataset(tmp_path / "a.parquet").scanner().to_reader()
    assert refused(reader, bins=2, kind=TypeError) == (
        "points must be readable twice for bins; got a stream that can be read once"
    )
    (tmp_path / "b.parquet").write_bytes(b"")
    with pytest.warns(SkippedFilesWarning, match="left out 1 file"):
        X = uapca.from_groups(tmp_path, bins={"x": 1}, bad_files="skip")
    assert X.total_weight == 10


def test_nothing_is_said_where_nothing_is_left_out(folder):
    path, _ = folder
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        uapca.from_groups(path, "kind", missing="drop", bad_files="skip")


def test_interrupted_output_leaves_the_old_one(folder, tmp_path, monkeypatch):
    path, _ = folder
    target = tmp_path / "out.uapca"
    uapca.from_groups(path, "kind").save(target)
    before = target.read_bytes()

    def interrupt(done, total):
        if done > 500:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        uapca.from_groups(path, "kind", chunk=100, progress=interrupt).save(target)
    assert target.read_bytes() == before
    assert sorted(p.name for p in tmp_path.glob("*.part")) == []


def test_spaces_beside_the_separators_of_csv_belong_to_nothing(tmp_path):
    path = tmp_path / "spaces.csv"
    path.write_text("x, y, kind\n1, 2, a\n3, 4,a\n")
    found = uapca.from_groups(path, "kind")
    assert (found.names, found.features) == (("a",), ("x", "y"))
    assert found.mean.tolist() == [[2.0, 3.0]]


def test_json_with_line_separators_in_text_and_packed(tmp_path):
    lines, packed = tmp_path / "x.jsonl", tmp_path / "x.json.gz"
    lines.write_text('{"kind": "a\u2028b", "x": 1.0}\r\n{"kind": "c", "x": 2.0}\r\n', "utf-8")
    packed.write_bytes(gzip.compress(b'[{"kind": "a", "x": 1.0}, {"kind": "c", "x": 2.0}]'))
    assert uapca.from_groups(lines, "kind").names == ("a\u2028b", "c")
    assert uapca.from_groups(packed, "kind").names == ("a", "c")


def test_an_address_of_one_file_may_have_any_ending():
    fsspec = pytest.importorskip("fsspec")
    with fsspec.open("memory://uapca-one/x.txt", "w") as file:
        file.write("x,kind\n1,a\n2,a\n")
    try:
        assert uapca.from_groups("memory://uapca-one/x.txt", "kind").names == ("a",)
    finally:
        fsspec.filesystem("memory").rm("/uapca-one", recursive=True)


def test_points_of_several_files_are_kept(tmp_path):
    for name, rows in {"a.csv": "1,2,u\n2,3,v\n", "b.csv": "3,5,u\n4,4,v\n"}.items():
        (tmp_path / name).write_text("x,y,k\n" + rows)
    X = uapca.from_groups([tmp_path / "a.csv", tmp_path / "b.csv"], "k", keep_samples=True)
    assert_same(X.replace(laws=None), uapca.from_groups([tmp_path / "*.csv"], "k"))
    np.testing.assert_array_equal(X.laws[1].values, [[2.0, 3.0], [4.0, 4.0]])


def test_row_groups_are_numbered_and_summed_like_one_table(tmp_path):
    rng = np.random.default_rng(3)
    points = rng.standard_normal((5000, 3)) + 1e8
    labels = rng.integers(0, 7, 5000)
    columns = {**dict(zip("abc", points.T, strict=True)), "kind": labels}
    pq.write_table(pa.table(columns), tmp_path / "points.parquet", row_group_size=300)
    X = uapca.from_groups(tmp_path / "points.parquet", "kind", chunk=500)
    expected = uapca.from_groups(points, labels)
    np.testing.assert_allclose(X.mean, expected.mean, rtol=1e-15)
    np.testing.assert_allclose(X.cov.dense(), expected.cov.dense(), rtol=0, atol=1e-12)
    again = uapca.from_groups(tmp_path / "points.parquet", "kind", chunk=500)
    np.testing.assert_array_equal(X.cov.dense(), again.cov.dense())
    columns["b"][3210] = np.nan
    pq.write_table(pa.table(columns), tmp_path / "points.parquet", row_group_size=300)
    with pytest.raises(uapca.FileError, match="row 3210, column 'b' is empty or nan"):
        uapca.from_groups(tmp_path / "points.parquet", "kind", chunk=500)


def test_a_cell_that_is_no_number_far_below_in_a_text(tmp_path):
    n, odd = 200_000, 150_000  # beyond the first blocks of Arrow's reader
    lines = [f"{k}.25,{k % 5},g{k % 3}" for k in range(n)]
    expected = uapca.from_groups(
        {"x": np.arange(n) + 0.25, "y": np.arange(n) % 5}, [f"g{k % 3}" for k in range(n)]
    )
    lines[odd] = f" {odd}.25 , {odd % 5} ,g{odd % 3}"
    path = tmp_path / "points.csv"
    path.write_text("\n".join(["x,y,kind", *lines, ""]))
    X = uapca.from_groups(path, "kind")
    assert X.counts.tolist() == expected.counts.tolist()
    np.testing.assert_allclose(X.cov.dense(), expected.cov.dense(), rtol=1e-12)
    lines[odd] = f"{odd}.25,oops,g0"
    path.write_text("\n".join(["x,y,kind", *lines, ""]))
    with pytest.raises(uapca.FileError, match=f"row {odd}, column 'y': cannot read 'oops'"):
        uapca.from_groups(path, "kind")
    with pytest.warns(uapca.DroppedRowsWarning):
        assert uapca.from_groups(path, "kind", bad_cells="drop").counts.sum() == n - 1


def test_a_file_without_a_complete_row(tmp_path):
    (tmp_path / "points.csv").write_text("x,y,k\n,1,a\n3,,b\n")
    with (
        pytest.warns(uapca.DroppedRowsWarning),
        pytest.raises(ValueError, match="every row lacks a label or a value"),
    ):
        uapca.from_groups(tmp_path / "points.csv", "k", missing="drop")


def test_columns_without_a_value_are_no_features(tmp_path):
    text = "k,x,event,remark\na,1,,\nb,2,,\na,4,,\n"
    (tmp_path / "one.csv").write_text(text)
    (tmp_path / "two.csv").write_text(text.replace("4,,", "5,,late"))
    for points in (tmp_path / "one.csv", tmp_path):
        X = uapca.from_groups(points, by="k")
        assert X.features == ("x",)
        assert "left out: event" in X.origin
        assert uapca.from_groups(points, by="k", keep_samples=True).features == ("x",)
    (tmp_path / "two.csv").write_text(text.replace(",,\n", ",,3\n"))
    with pytest.raises(FileError, match=r"one.csv', row 0, column 'remark' is empty"):
        uapca.from_groups(tmp_path, by="k")
    assert uapca.from_groups(tmp_path, by="k", features=["x"]).features == ("x",)


def test_how_numbers_are_written_is_said_with_groups(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("Report 7\nk;x;y\na;1,5;2,25\nb;2,5;3\na;4,5;1\n")
    X = uapca.from_groups(path, by="k")
    assert "numbers have decimal commas" in X.origin
    assert "left out above the header: Report 7" in X.origin
