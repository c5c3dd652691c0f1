"""Saving and loading: exact, whole or not at all, and clear about files it cannot read."""

import json
import os
import re
import zipfile

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import uapca
from builders import KINDS, random_uncertain
from uapca._files import replacing


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_round_trip(tmp_path, rng, kind, dtype):
    X = random_uncertain(
        rng,
        kind=kind,
        dtype=dtype,
        names=[f"row {i} ☃\x00" for i in range(12)],
        features=list("vwxyz"),
        weights=rng.uniform(size=12),
    ).scaled(1.7)
    X.save(tmp_path / "x.uapca")
    Y = uapca.load(tmp_path / "x.uapca")
    assert_array_equal(Y.mean, X.mean)
    assert Y.mean.dtype == X.mean.dtype
    assert type(Y.cov) is type(X.cov)
    assert Y.cov.multiplier == X.cov.multiplier
    assert Y.cov.arrays.keys() == X.cov.arrays.keys()
    for name, array in X.cov.arrays.items():
        assert_array_equal(Y.cov.arrays[name], array)
        assert Y.cov.arrays[name].dtype == array.dtype
    assert_array_equal(Y.weights, X.weights)
    assert (Y.names, Y.features, Y.total_weight) == (X.names, X.features, X.total_weight)
    assert_array_equal(Y.cov.dense(), X.cov.dense())


def test_unnamed_and_equal_weights_stay_so(tmp_path):
    uapca.UncertainArray([[1.0]]).save(tmp_path / "x")
    Y = uapca.load(tmp_path / "x")
    assert (Y.names, Y.features, Y._weights) == (None, None, None)


def test_the_format_is_open(tmp_path):
    uapca.UncertainArray([[1.0, 2.0]], std=0.5).save(tmp_path / "x.uapca")
    with np.load(tmp_path / "x.uapca", allow_pickle=False) as arrays:
        assert_array_equal(arrays["mean"], [[1.0, 2.0]])
    with zipfile.ZipFile(tmp_path / "x.uapca") as archive:
        assert json.loads(archive.read("uapca.json"))["format"] == "uapca.UncertainArray"


def test_a_truncated_file(tmp_path):
    path = tmp_path / "x.uapca"
    uapca.UncertainArray(np.zeros((50, 3))).save(path)
    path.write_bytes(path.read_bytes()[:-100])
    message = (
        f"path must name a complete file; {str(path)!r} is damaged or was cut short. "
        "Copy it again from where it was written."
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        uapca.load(path)


def test_a_changed_byte(tmp_path):
    path = tmp_path / "x.uapca"
    uapca.UncertainArray(np.arange(150.0).reshape(50, 3)).save(path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is damaged or was cut short"):
        uapca.load(path)


def test_any_flipped_bit_is_noticed(tmp_path):
    """Each either changes nothing that is read, or is called damage: never other values."""
    path = tmp_path / "x.uapca"
    X = uapca.UncertainArray([[1.0, 2.0], [3.0, 4.0]], std=0.5, weights=[1, 2], names=["a", "b"])
    X.save(path)
    content = path.read_bytes()
    for i in range(len(content)):
        for bit in (0, 7):
            changed = bytearray(content)
            changed[i] ^= 1 << bit
            path.write_bytes(changed)
            try:
                Y = uapca.load(path)
            except ValueError:
                continue
            assert_array_equal(Y.mean, X.mean)
            assert_array_equal(Y.weights, X.weights)
            assert_array_equal(Y.std, X.std)
            assert Y.names == X.names


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    uapca.UncertainArray([[1.0]]).save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert_array_equal(uapca.load(tmp_path / "real").mean, [[1.0]])


@pytest.mark.parametrize("content", [b"", b"name,x,y\na,1,2\n", b"\x93NUMPY"])
def test_a_foreign_file(tmp_path, content):
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    message = (
        f"path must name a file written by UncertainArray.save; {str(path)!r} is of another kind. "
        "Build the array from its values, for instance with uapca.UncertainArray."
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        uapca.load(path)


def test_a_foreign_zip(tmp_path):
    np.savez(tmp_path / "x.npz", mean=np.zeros((2, 2)))
    with pytest.raises(ValueError, match="is of another kind"):
        uapca.load(tmp_path / "x.npz")


def test_a_newer_format(tmp_path):
    path = tmp_path / "x.uapca"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "uapca.json", json.dumps({"format": "uapca.UncertainArray", "version": 99})
        )
    message = (
        f"path must name a file of format version 2 or older; {str(path)!r} has version 99. "
        "Install a newer uapca to read it."
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        uapca.load(path)


def test_no_such_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        uapca.load(tmp_path / "nothing")


def test_no_such_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        uapca.UncertainArray([[1.0]]).save(tmp_path / "no" / "x")


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(IsADirectoryError, match="Add a file name to it"):
        uapca.UncertainArray([[1.0]]).save(tmp_path)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), replacing(path) as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x"]


def test_saving_over_a_file_replaces_it_and_keeps_its_mode(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    path.chmod(0o600)
    uapca.UncertainArray([[1.0]]).save(path)
    assert_array_equal(uapca.load(path).mean, [[1.0]])
    assert path.stat().st_mode & 0o777 == 0o600
