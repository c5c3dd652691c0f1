"""Files that change while they are read.

A file that another takes the place of is read as it was or as it is. One that is written over has
parts of both in it, which Parquet cannot tell: reading it ends in numbers or a sentence, no crash.
"""

import os
import threading

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import uapca

ROWS = 20_000


def table(seed):
    rng = np.random.default_rng(seed)
    labels = [f"{'abc'[i % 3]}" for i in range(ROWS)]
    return pa.table({"k": labels, "x": rng.normal(size=ROWS) + seed, "y": rng.normal(size=ROWS)})


def written(data, path):
    pq.write_table(data, path, row_group_size=1000)
    return path


def replaced(path, content):
    """A new file takes the place of the old one."""
    beside = path.with_suffix(".new")
    beside.write_bytes(content)
    os.replace(beside, path)


def overwritten(path, content):
    """The file is emptied and written again, in a few pieces."""
    with open(path, "wb") as file:
        for start in range(0, len(content), 1 << 16):
            file.write(content[start : start + (1 << 16)])
            file.flush()


def outcome(read, path):
    """The data, or the sentence with which the file is refused."""
    try:
        return read(path)
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("change", [replaced, overwritten])
@pytest.mark.parametrize("by", ["k", None])
def test_a_parquet_file_that_changes_while_it_is_read(tmp_path, change, by):
    def read(path):
        if by is None:
            return uapca.read(path, names=False, exclude="k").mean
        return uapca.from_groups(path, by, chunk=1000).mean

    paths = [written(table(seed), tmp_path / f"{seed}.parquet") for seed in (1, 2)]
    expected, contents = [read(path) for path in paths], [path.read_bytes() for path in paths]
    target = tmp_path / "target.parquet"
    replaced(target, contents[0])
    stop = threading.Event()

    def keep_changing():
        turn = 0
        while not stop.is_set():
            turn = 1 - turn
            change(target, contents[turn])

    changing = threading.Thread(target=keep_changing)
    changing.start()
    try:
        outcomes = [outcome(read, target) for _ in range(20)]
    finally:
        stop.set()
        changing.join()
    for found in outcomes:
        if isinstance(found, str):
            assert change is overwritten
            assert "\n" not in found
            assert "target.parquet" in found
        else:
            same = [np.array_equal(found, own) for own in expected]
            assert any(same) or (change is overwritten and found.shape == expected[0].shape)
