"""Points on Dask: the rows of the local path, on any scheduler, and only sums on the way."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.callbacks import Callback
from distributed import Client, LocalCluster

import uapca
from builders import assert_same
from uapca.aggregate.moments import Partial
from uapca.exceptions import DroppedRowsWarning

FEATURES = ["x", "y", "z"]


def assert_identical(X, Y):
    assert (X.names, X.features) == (Y.names, Y.features)
    np.testing.assert_array_equal(X.mean, Y.mean)
    np.testing.assert_array_equal(X.cov.dense(), Y.cov.dense())
    np.testing.assert_array_equal(X.weights, Y.weights)


def frame(n=2000, offset=0.0, seed=0):
    rng = np.random.default_rng(seed)
    # Multiples of 1/64 stay what they are at an offset of 1e8.
    values = np.round(rng.standard_normal((n, 3)) * 64) / 64 + offset
    table = pd.DataFrame(values, columns=FEATURES)
    table["kind"] = [f"k{c}" for c in rng.integers(0, 6, n)]
    table["year"] = rng.integers(2018, 2021, n)
    return table


@pytest.fixture(scope="module")
def client():
    """Two worker processes on loopback."""
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address="127.0.0.1:0",
        ) as cluster,
        Client(cluster, set_as_default=False) as connected,
    ):
        yield connected


# The same rows


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_every_scheduler_gives_the_same_bits(client, offset):
    table = frame(offset=offset)
    expected = uapca.from_groups(table, "kind", features=FEATURES)
    parts = dd.from_pandas(table, npartitions=11)
    found = []
    for scheduler in ("sync", "threads", client):
        with dask.config.set(scheduler=scheduler):
            found.append(uapca.from_groups(parts, "kind", features=FEATURES))
    assert_same(found[0], expected)
    assert_identical(found[1], found[0])
    assert_identical(found[2], found[0])


def test_the_process_scheduler():
    table = frame(100)
    with dask.config.set(scheduler="processes", num_workers=1):
        found = uapca.from_groups(dd.from_pandas(table, npartitions=2), "kind", features=FEATURES)
    assert_same(found, uapca.from_groups(table, "kind", features=FEATURES))


@pytest.mark.parametrize("level", ["Family", "Genus", "Species"])
def test_anuran(anuran, client, level):
    points, levels = anuran
    names = [f"MFCC{j}" for j in range(points.shape[1])]
    table = pd.DataFrame(points, columns=names).assign(label=levels[level])
    expected = uapca.from_groups(points, levels[level], features=names)
    with dask.config.set(scheduler=client):
        found = uapca.from_groups(dd.from_pandas(table, npartitions=9), "label")
        assert_same(found, expected)
        chunks = da.from_array(points, chunks=(1000, 22))
        found = uapca.from_groups(chunks, levels[level], features=names)
        assert_same(found, expected)


@pytest.mark.parametrize("spread", ["std", "sem"])
@pytest.mark.parametrize("by", ["kind", "year", ["kind", "year"], ["year", "kind"]])
def test_keys_and_spreads(by, spread):
    table = frame()
    found = uapca.from_groups(dd.from_pandas(table, npartitions=5), by, spread, features=FEATURES)
    assert_same(found, uapca.from_groups(table, by, spread, features=FEATURES))


@pytest.mark.parametrize(
    "labels",
    [
        lambda n: pd.date_range("2020-01-31", periods=3, freq="36h")[np.arange(n) % 3],
        lambda n: pd.Categorical.from_codes(np.arange(n) % 3, ["low", "mid", "high", "never"]),
        lambda n: np.arange(n) % 2 == 0,
        lambda n: (np.arange(n) % 3) / 4,
    ],
    ids=["times", "categories", "flags", "floats"],
)
def test_kinds_of_labels(labels):
    table = frame(300).assign(label=labels(300))
    found = uapca.from_groups(dd.from_pandas(table, npartitions=4), "label", features=FEATURES)
    assert_same(found, uapca.from_groups(table, "label", features=FEATURES))


def test_columns_named_by_numbers_and_left_to_be_chosen():
    table = pd.DataFrame(np.arange(24.0).reshape(8, 3)).assign(label=list("abababab"))
    table[3] = [1, 2] * 4
    expected = uapca.from_groups(table, 3)
    assert expected.features == ("0", "1", "2")
    assert_same(uapca.from_groups(dd.from_pandas(table, npartitions=3), 3), expected)


def test_a_label_with_nearly_all_points_and_empty_partitions():
    table = frame(4000).assign(kind=np.where(np.arange(4000) % 100, "most", "few"))
    parts = dd.from_pandas(table, npartitions=7)
    parts = parts[parts.year == 2019].repartition(npartitions=20)
    parts = dd.concat([parts, parts[parts.x > 1e9]])
    expected = uapca.from_groups(table[table.year == 2019], "kind", features=FEATURES)
    assert_same(uapca.from_groups(parts, "kind", features=FEATURES), expected)


# Arrays


def test_arrays_in_chunks_of_any_shape_with_labels_in_any_form(rng):
    points = np.round(rng.standard_normal((1000, 5)) * 64) / 64 + 1e8
    labels = rng.choice(["b", "a", "c"], 1000)
    expected = uapca.from_groups(points, labels)
    forms = [
        labels,
        labels.tolist(),
        pd.Series(labels),
        da.from_array(labels, chunks=77),
        da.from_array(labels.astype(object), chunks=1000),
    ]
    for chunks in ((1000, 5), (300, 2), (64, 1)):
        for by in forms:
            assert_same(uapca.from_groups(da.from_array(points, chunks=chunks), by), expected)
    whole = da.from_array(np.arange(12).reshape(6, 2), chunks=2)
    assert_same(
        uapca.from_groups(whole, pd.Categorical(list("baabab"), ["b", "a"])),
        uapca.from_groups(np.arange(12).reshape(6, 2), pd.Categorical(list("baabab"), ["b", "a"])),
    )


def test_arrays_whose_chunks_have_unknown_sizes():
    table = frame()
    parts = dd.from_pandas(table, npartitions=5)
    points = parts[FEATURES].to_dask_array()
    expected = uapca.from_groups(table[FEATURES].to_numpy(), table["year"].to_numpy())
    assert_same(uapca.from_groups(points, parts["year"]), expected)
    with pytest.raises(ValueError) as error:
        uapca.from_groups(points, table["year"])
    assert str(error.value) == (
        "by must be in chunks like those of the points where the sizes of chunks are not known; "
        "got 1 chunks for 5. Call compute_chunk_sizes() of both first."
    )
    wrong = dd.from_pandas(table.iloc[:-1], npartitions=5)["year"]
    with pytest.raises(ValueError, match="by must have one label for each point; got"):
        uapca.from_groups(points, wrong)


def test_fit_of_points_is_the_fit_in_memory(client, rng):
    points = np.round(rng.standard_normal((3000, 6)) @ np.diag([5, 4, 3, 2, 1, 1]) * 64) / 64 + 1e8
    whole = uapca.UAPCA(3, ddof=1).fit(points)
    for chunks in ((3000, 6), (500, 4), (7, 6)):
        with dask.config.set(scheduler=client if chunks[0] == 500 else "threads"):
            pca = uapca.UAPCA(3, ddof=1).fit(da.from_array(points, chunks=chunks))
        assert (pca.n_samples_, pca.n_features_in_, pca.solver_) == (3000, 6, "eigh")
        np.testing.assert_allclose(pca.mean_, whole.mean_, rtol=1e-15)
        np.testing.assert_allclose(
            pca.between_covariance_, whole.between_covariance_, rtol=0, atol=25e-12
        )
        np.testing.assert_allclose(pca.components_, whole.components_, atol=1e-11)
        np.testing.assert_allclose(pca.explained_variance_, whole.explained_variance_, rtol=1e-12)
    scores = pca.transform(da.from_array(points, chunks=(500, 4)))
    assert isinstance(scores, da.Array)
    assert scores.shape == (3000, 3)
    np.testing.assert_allclose(scores.compute(), pca.transform(points), rtol=0, atol=1e-12)
    assert pca.transform(da.from_array(points.astype(np.float32))).dtype == np.float32


def test_one_point_and_one_feature():
    pca = uapca.UAPCA().fit(da.from_array(np.array([[3.0], [5.0], [7.0]]), chunks=1))
    assert (pca.mean_.tolist(), pca.explained_variance_.tolist()) == ([5.0], [8.0 / 3.0])
    X = uapca.from_groups(da.from_array(np.array([[3.0, 4.0]])), ["one"])
    assert (X.names, X.mean.tolist()) == (("one",), [[3.0, 4.0]])
    assert not X.cov.dense().any()


def test_the_covariance_does_not_cancel():
    """Dask's own grouped covariance does, which is why nothing here goes by it."""
    table = frame(offset=1e8)
    ours = uapca.from_groups(dd.from_pandas(table, npartitions=4), "kind", features=FEATURES)
    near = uapca.from_groups(frame(), "kind", features=FEATURES)
    np.testing.assert_allclose(ours.cov.dense(), near.cov.dense(), rtol=0, atol=1e-12)


# What travels


def test_reading_and_summing_are_one_task_and_nothing_else_has_points(tmp_path):
    table = frame()
    table.to_parquet(tmp_path / "t.parquet", row_group_size=100)
    parts = dd.read_parquet(tmp_path / "t.parquet", split_row_groups=True)
    assert parts.npartitions == 20
    results = []

    class Watch(Callback):
        def _posttask(self, key, result, dsk, state, worker_id):
            results.append(result)

    with Watch(), dask.config.set(scheduler="sync"):
        found = uapca.from_groups(parts, "kind", features=FEATURES)
    assert_same(found, uapca.from_groups(table, "kind", features=FEATURES))
    sums = [result for result in results if isinstance(result, Partial)]
    # 20 partitions, merged by eights to 3, to 1.
    assert len(sums) == 20 + 3 + 1
    assert not any(hasattr(result, "shape") for result in results)
    most = 6 * (3**2 + 2 * 3 + 7) * 8
    assert max(part.moments.nbytes for part in sums) <= most


def test_nothing_is_imported_for_the_user():
    code = (
        "import sys, uapca\nuapca.from_groups([[0.0], [1.0]], ['a', 'b'])\n"
        "uapca.UAPCA().fit([[0.0], [1.0]])\n"
        "print([m for m in ('dask', 'distributed', 'pyspark') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_worker_killed_in_the_middle_changes_nothing(client, tmp_path):
    log, killed = tmp_path / "log", tmp_path / "killed"

    def block(block_id):
        with log.open("a") as file:
            file.write(f"{block_id[0]} {os.getpid()}\n")
        mine = [line for line in log.read_text().splitlines() if line.endswith(f" {os.getpid()}")]
        end = time.monotonic() + 300
        while len(mine) > 1 and not killed.exists() and time.monotonic() < end:
            time.sleep(0.01)  # the second block of a worker is in the making when it is killed
        rng = np.random.default_rng(block_id[0])
        return rng.standard_normal((50, 4)) + 1e8

    points = da.map_blocks(block, chunks=((50,) * 16, (4,)), dtype=float)
    labels = np.arange(800) % 5
    found = []

    def run():
        with dask.config.set(scheduler=client):
            found.append(uapca.from_groups(points, labels))

    def lines():
        return [line.split() for line in log.read_text().splitlines()] if log.exists() else []

    thread = threading.Thread(target=run)
    thread.start()
    pids = set(client.run(os.getpid).values())
    assert len(pids) == 2
    # One that has begun its second block, and so holds the sums of its first.
    victim = None
    while victim is None and thread.is_alive():
        time.sleep(0.01)
        counts = Counter(int(pid) for _, pid in lines())
        victim = next((pid for pid in pids if counts[pid] >= 2), None)
    assert victim is not None
    os.kill(victim, signal.SIGKILL)
    killed.touch()
    thread.join()
    again = [number for number, times in Counter(k for k, _ in lines()).items() if times > 1]
    assert again, "no block was lost with the worker"
    log.unlink()
    with dask.config.set(scheduler="sync"):
        assert_identical(found[0], uapca.from_groups(points, labels))
    values = np.concatenate([block((k,)) for k in range(16)])
    assert_same(found[0], uapca.from_groups(values, labels))


# What is refused


def refused(kind, call, *args, **kwargs):
    with pytest.raises(kind) as error:
        call(*args, **kwargs)
    return str(error.value)


@pytest.fixture
def spoiled():
    """Ten rows in two partitions; the label of row 3 and two values of column y are missing."""
    table = frame(10)
    table.loc[3, "kind"] = None
    table.loc[[6, 7], "y"] = np.nan
    return table


def test_missing_values_and_labels_of_frames(spoiled, client):
    parts = dd.from_pandas(spoiled, npartitions=2)
    no_label = (
        "by must have a label for every point; 'partition 0' has none in row 3; pass "
        "missing='drop' to leave such points out"
    )
    # Several partitions are wrong here, and the first to say so is heard: x and z have all values.
    assert refused(ValueError, uapca.from_groups, parts, "kind", features=["x", "z"]) == no_label
    whole = parts[parts["kind"].notnull()]
    for scheduler in ("threads", client):
        with dask.config.set(scheduler=scheduler):
            found = refused(ValueError, uapca.from_groups, whole, "kind", features=FEATURES)
            assert found == (
                "values must not be missing; 'partition 1', row 1, column 'y' is empty or nan; "
                "pass missing='drop' to leave such points out"
            )
    with pytest.warns(DroppedRowsWarning) as said:
        X = uapca.from_groups(parts, "kind", features=FEATURES, missing="drop")
    assert [str(w.message) for w in said] == [
        "left out 3 rows, as asked for: 1 without a label and 2 without a value"
    ]
    assert said[0].filename == __file__
    assert_same(X, uapca.from_groups(spoiled.dropna(), "kind", features=FEATURES))


def test_missing_values_and_labels_of_arrays(spoiled):
    points = da.from_array(spoiled[FEATURES].to_numpy(), chunks=(5, 3))
    assert refused(ValueError, uapca.from_groups, points[:, ::2], spoiled["kind"]) == (
        "by must have a label for every point; 'chunk 0' has none in row 3; "
        "pass missing='drop' to leave such points out"
    )
    nan = "{} must be finite; chunk 1 has NaN at row 1, feature 1"
    assert refused(ValueError, uapca.from_groups, points, spoiled["year"]) == nan.format("points")
    assert refused(ValueError, uapca.UAPCA().fit, points) == nan.format("X")
    with pytest.warns(DroppedRowsWarning, match="left out 3 rows, as asked for: 1"):
        X = uapca.from_groups(points, spoiled["kind"], missing="drop")
    whole = spoiled.dropna()
    assert_same(X, uapca.from_groups(whole[FEATURES].to_numpy(), whole["kind"]))
    infinite = da.from_array(np.array([[1.0], [np.inf]]))
    assert refused(ValueError, uapca.from_groups, infinite, [0, 0], missing="drop") == (
        "points must be finite; chunk 0 has inf at row 1, feature 0"
    )


def test_columns_are_checked_before_anything_runs():
    table = frame(10)
    reads = []

    def part(k):
        reads.append(k)
        return table

    meta = table.iloc[:0]
    parts = dd.from_map(part, [0, 1], meta=meta)
    call = uapca.from_groups
    assert refused(ValueError, call, parts, "sort") == refused(ValueError, call, table, "sort")
    assert refused(ValueError, call, parts, "kind", features=["w"]) == refused(
        ValueError, call, table, "kind", features=["w"]
    )
    assert refused(ValueError, call, parts, "year", features=["kind"]) == (
        "features must be columns of numbers; 'kind' holds text"
    )
    assert refused(TypeError, call, parts) == refused(TypeError, call, table)
    for by in (parts["kind"], table["kind"].to_numpy()):
        assert refused(TypeError, call, parts, by) == (
            f"by must name a column of the frame, or several; got {type(by).__name__}"
        )
    for name, value, why in (
        (
            "bins",
            3,
            "they are found on one machine; add a column of labels first, and name it in by",
        ),
        ("keep_samples", True, "only the moments leave the cluster"),
        ("bad_files", "skip", "files are read by Dask, which has its own rules"),
        ("progress", True, "Dask shows the progress of its tasks itself"),
    ):
        assert refused(ValueError, call, parts, "kind", **{name: value}) == (
            f"{name} must be left out for data of Dask: {why}"
        )
    assert reads == []


def test_a_column_that_is_text_in_one_partition():
    table = frame(10)
    parts = dd.from_map(
        lambda k: table.astype({"y": str}) if k == 2 else table,
        [0, 1, 2],
        meta=table.iloc[:0],
    )
    assert refused(ValueError, uapca.from_groups, parts, "kind", features=FEATURES) == (
        "values must be numbers; in 'partition 2' the column 'y' holds large_string; choose other "
        "columns with features="
    )
    odd = table.assign(kind=np.array([1, "a"] * 5, dtype=object))
    with dask.config.set({"dataframe.convert-string": False}):
        mixed = dd.from_map(lambda k: odd, [0], meta=odd.iloc[:0])
    assert refused(ValueError, uapca.from_groups, mixed, "kind", features=FEATURES).startswith(
        "columns must hold values of one kind; 'partition 0' does not: "
    )


def test_arrays_that_are_no_points():
    call = uapca.from_groups
    points = da.zeros((4, 2), chunks=2)
    assert refused(ValueError, call, da.zeros(4), [0] * 4) == (
        "points must have shape (n, D) with at least one point and one feature; got shape (4,)"
    )
    assert refused(ValueError, call, points, [0, 1, 2]) == (
        "by must have one label for each point; got 3 for 4 points. Select the same rows from both."
    )
    assert refused(TypeError, call, points, "kind") == (
        "by must be one label for each point; got 'kind'"
    )
    assert refused(TypeError, call, points.astype(complex), [0] * 4).startswith(
        "points must be real numbers"
    )
    assert refused(ValueError, call, points, points) == (
        "by must be one label for each point; got an array of shape (4, 2)"
    )
    said = refused(TypeError, uapca.UAPCA().fit, points, std=1.0)
    assert said.startswith("std must be left out where X is a Dask array")
    said = refused(ValueError, uapca.UAPCA(solver="svd").fit, points)
    assert said.startswith("solver must be 'auto' or 'eigh' for a Dask array")
    said = refused(ValueError, uapca.UAPCA(3).fit, points)
    assert said.startswith("n_components must be an integer from 1 to the number of features = 2")
    pca = uapca.UAPCA(1).fit(da.eye(3, chunks=2))
    said = refused(ValueError, pca.transform, points)
    assert said == "X must have the 3 features of the fit; got 2"


# Environments


@pytest.fixture
def workers_without_uapca(tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['uapca'] = None\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with (
        LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address="127.0.0.1:0",
        ) as cluster,
        Client(cluster, set_as_default=False) as connected,
    ):
        yield connected


def test_workers_without_uapca(workers_without_uapca):
    parts = dd.from_pandas(frame(10), npartitions=2)
    with workers_without_uapca.as_current():
        text = refused(RuntimeError, uapca.from_groups, parts, "kind", features=FEATURES)
    assert text == (
        f"Dask's workers must have uapca {uapca.__version__}; one of them runs {sys.executable}, "
        f"which has none. Start the workers with {sys.executable}, or install uapca for them."
    )


def test_workers_with_another_version_of_uapca(client, monkeypatch):
    monkeypatch.setattr("uapca.aggregate.dask.__version__", "9.9")
    points = da.ones((4, 2), chunks=2)
    with client.as_current():
        text = refused(RuntimeError, uapca.from_groups, points, [0, 0, 1, 1])
    assert f"must have uapca 9.9; one of them runs {sys.executable}" in text
    assert f"which has {uapca.__version__}" in text
