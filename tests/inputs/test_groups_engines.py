"""Points that polars or DuckDB compute, and files at addresses."""

import gzip
import io
import logging

import numpy as np
import pytest

import uapca
from uapca.inputs.files import Source

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(params=[0.0, 1e8])
def points(request):
    rng = np.random.default_rng(0)
    values = rng.standard_normal((5000, 3)) @ rng.standard_normal((3, 3)) + request.param
    return {
        **dict(zip(["x", "y", 'z "1"'], values.T, strict=True)),
        "kind": rng.choice(["a", "b", "c"], 5000),
    }


def polars(points):
    return pytest.importorskip("polars").LazyFrame(points)


def duckdb(points):
    return pytest.importorskip("duckdb").from_arrow(pa.table(points)).filter("kind <> 'd'")


def check(found, points, kinds="abc"):
    """One pass of NumPy over each group, to 1e-12."""
    values = np.stack(list(points.values())[:3], axis=1)
    assert found.names == tuple(kinds)
    for k, kind in enumerate(kinds):
        own = values[points["kind"] == kind]
        centered = own - own.mean(axis=0)
        expected = centered.T @ centered / len(own)
        np.testing.assert_allclose(found.mean[k], own.mean(axis=0), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(
            found.cov.dense()[k], expected, rtol=0, atol=1e-12 * expected.max() + 1e-20
        )


@pytest.mark.parametrize("engine", [polars, duckdb])
@pytest.mark.parametrize("chunk", [777, 262_144])
def test_queries_are_streamed(points, engine, chunk):
    source = engine(points)
    found = uapca.from_groups(source, "kind", chunk=chunk)
    offset = abs(points["x"].mean()) > 1e7
    if not offset:
        check(found, points)
    expected = uapca.from_groups(points, "kind")
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-15, atol=1e-13)
    size = expected.cov.dense().max()
    np.testing.assert_allclose(found.cov.dense(), expected.cov.dense(), rtol=0, atol=1e-12 * size)
    # Read again: queries can be run twice, so that points need no labels.
    binned = uapca.from_groups(source, bins={"x": 3}, features=["x", "y"], chunk=chunk)
    assert binned.total_weight == 5000


@pytest.mark.parametrize("engine", [polars, duckdb])
def test_queries_keep_the_rules(points, engine):
    points = {**points, "y": [None, *points["y"][1:].tolist()]}
    with pytest.raises(ValueError, match="row 0, column 'y' is empty or nan"):
        uapca.from_groups(engine(points), "kind")
    with pytest.raises(ValueError, match="there is no 'sort'"):
        uapca.from_groups(engine(points), "sort")
    with pytest.warns(uapca.DroppedRowsWarning, match="left out 1 row"):
        uapca.from_groups(engine(points), "kind", missing="drop")
    kept = uapca.from_groups(engine(points), "kind", features="x", keep_samples=True)
    assert kept.laws is not None


@pytest.mark.parametrize("ending", ["parquet", "csv", "arrow"])
def test_addresses(points, ending):
    fsspec = pytest.importorskip("fsspec")
    table = pa.table(points)
    for k, part in enumerate((table.slice(0, 2000), table.slice(2000))):
        with fsspec.open(f"memory://uapca-test/part{k}.{ending}", "wb") as file:
            if ending == "parquet":
                pq.write_table(part, file)
            elif ending == "csv":
                pytest.importorskip("pyarrow.csv").write_csv(part, file)
            else:
                pytest.importorskip("pyarrow.feather").write_feather(part, file)
    expected = uapca.from_groups(points, "kind")
    try:
        for address in ("memory://uapca-test", f"memory://uapca-test/*.{ending}"):
            found = uapca.from_groups(address, "kind")
            assert found.names == expected.names
            np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-15, atol=1e-13)
            every = uapca.read(address, names=False, features=expected.features)
            assert len(every) == expected.counts.sum()
            size = expected.cov.dense().max()
            np.testing.assert_allclose(
                found.cov.dense(), expected.cov.dense(), rtol=0, atol=1e-12 * size
            )
        with pytest.raises(FileNotFoundError):
            uapca.from_groups("memory://uapca-test/none/*.parquet", "kind")
    finally:
        fsspec.filesystem("memory").rm("/uapca-test", recursive=True)


@pytest.fixture
def bucket(monkeypatch):
    """An empty bucket of a server on this machine that speaks the protocol of S3."""
    fsspec, moto = pytest.importorskip("fsspec"), pytest.importorskip("moto.server")
    pytest.importorskip("s3fs")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    files = fsspec.filesystem("s3", skip_instance_cache=True)
    files.mkdir("points")
    yield files
    files.rm("points", recursive=True)
    files.clear_instance_cache()
    server.stop()


def test_addresses_of_s3(bucket, points):
    table = pa.table(points)
    for k, part in enumerate((table.slice(0, 2000), table.slice(2000))):
        with bucket.open(f"points/year={2020 + k}/part.parquet", "wb") as file:
            pq.write_table(part, file)
    csv = io.BytesIO()
    pytest.importorskip("pyarrow.csv").write_csv(table, csv)
    with bucket.open("points/all.csv.gz", "wb") as file:
        file.write(gzip.compress(csv.getvalue()))
    expected = uapca.from_groups(points, "kind")
    for address in ("s3://points/*/*.parquet", "s3://points/all.csv.gz"):
        found = uapca.from_groups(address, "kind")
        assert (found.names, found.features) == (expected.names, expected.features)
        np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-15, atol=1e-13)
        size = expected.cov.dense().max()
        np.testing.assert_allclose(
            found.cov.dense(), expected.cov.dense(), rtol=0, atol=1e-12 * size
        )
    years = uapca.from_groups("s3://points/*/*.parquet", "year")
    assert (years.names, years.counts.tolist()) == (("2020", "2021"), [2000, 3000])
    with pytest.raises(FileNotFoundError, match="no file matches 's3://points/none"):
        uapca.from_groups("s3://points/none/*.parquet", "kind")


def test_a_grid_takes_its_extremes_from_the_statistics_of_parquet(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    points = rng.uniform(-1, 1, (3000, 3))
    table = pa.table(dict(zip("abc", points.T, strict=True)))
    pq.write_table(table, tmp_path / "with.parquet", row_group_size=500)
    pq.write_table(table, tmp_path / "without.parquet", write_statistics=False)
    passes = []
    batches = Source.batches
    monkeypatch.setattr(
        Source, "batches", lambda self, *args: passes.append(self) or batches(self, *args)
    )
    X, Y = (
        uapca.from_groups(tmp_path / name, bins={"c": 4, "a": 3})
        for name in ("with.parquet", "without.parquet")
    )
    assert len(passes) == 1 + 2
    assert X.names == Y.names
    np.testing.assert_array_equal(X.mean, Y.mean)


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["high"] * 3),
        pa.array([b"high"] * 3),
        pa.array([0, 1, 2], pa.date32()),
    ],
    ids=["text", "bytes", "dates"],
)
def test_statistics_of_what_is_no_number(tmp_path, column):
    pq.write_table(pa.table({"a": [1.0, 2.0, 3.0]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"a": column}), tmp_path / "2.parquet")
    with pytest.raises(uapca.FileError, match="values must be numbers; in"):
        uapca.from_groups(tmp_path, bins={"a": 2})


def test_statistics_of_half_precision(tmp_path):
    values = np.array([1.0, 2.0, 4.0], dtype=np.float16)
    pq.write_table(pa.table({"a": values}), tmp_path / "half.parquet")
    X = uapca.from_groups(tmp_path / "half.parquet", bins={"a": 2})
    assert X.counts.tolist() == [2, 1]


def test_statistics_with_infinite_values_and_without_rows(tmp_path, recwarn):
    pq.write_table(pa.table({"a": [1.0, np.inf]}), tmp_path / "infinite.parquet")
    pq.write_table(pa.table({"a": pa.array([], pa.float64())}), tmp_path / "empty.parquet")
    with pytest.raises(uapca.FileError, match="row 1, column 'a' is inf"):
        uapca.from_groups(tmp_path / "infinite.parquet", bins={"a": 2})
    with pytest.raises(ValueError, match="points must not be empty"):
        uapca.from_groups(tmp_path / "empty.parquet", bins={"a": 2})
    assert not recwarn.list


@pytest.mark.parametrize("engine", [polars, duckdb])
def test_a_list_of_labels_beside_a_query(engine):
    points = {"x": [1.0, 2.0, 3.0], "y": [0.0, 1.0, 0.0], "z": [1.0, 1.0, 2.0], "kind": list("abc")}
    for labels in (["p", "q", "p"], [1, 2, 1]):
        found = uapca.from_groups(engine(points), labels, features=["x", "y"])
        assert found.mean.tolist() == [[2.0, 0.0], [2.0, 1.0]]


@pytest.mark.parametrize(
    ("engine", "method"), [(polars, "collect_batches"), (duckdb, "to_arrow_reader")]
)
def test_versions_that_give_no_batches(points, engine, method, monkeypatch):
    source = engine(points)
    monkeypatch.delattr(type(source), method, raising=False)  # old versions lack it
    found = uapca.from_groups(source, "kind")
    np.testing.assert_array_equal(found.mean, uapca.from_groups(points, "kind").mean)
