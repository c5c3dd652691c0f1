"""Saving and loading: exact, whole or not at all, and clear about files it cannot read."""

import errno
import json
import os
import re
import socket
import stat
import subprocess
import sys
import threading
import zipfile

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

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
    assert (Y.names, Y.features, Y.given_weights) == (None, None, None)


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
    message = f"path must name a complete file; {str(path)!r} is damaged or was cut short"
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
        f"path must name a file that UncertainArray.save wrote; {str(path)!r} is of another kind"
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
        f"path must name a file of format version 2 or older; {str(path)!r} has version 99: "
        "install a newer uapca"
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
    with pytest.raises(IsADirectoryError, match="is a folder$"):
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


# Files with valid checksums that hold what no data can be


def craft(path, *, arrays=(), listing=None, drop=(), compress=False, **fields):
    """A file of three rows with independent errors, changed as told."""
    header = {
        "format": "uapca.UncertainArray",
        "version": 1,
        "covariance": "diagonal",
        "multiplier": 1.0,
        "total_weight": 3.0,
        "names": ["a", "b", "c"],
        "features": ["x", "y"],
        "laws": None,
        **fields,
    }
    parts = {"mean": np.arange(6.0).reshape(3, 2), "std": np.ones((3, 2)), **dict(arrays)}
    parts = {name: np.asarray(part) for name, part in parts.items() if name not in drop}
    header["arrays"] = {name: [part.dtype.str, *part.shape] for name, part in parts.items()}
    header["arrays"].update(listing or {})
    kind = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", kind) as archive:
        archive.writestr("uapca.json", json.dumps(header))
        for name, part in parts.items():
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, part, allow_pickle=False)


def test_files_of_the_first_version_load(tmp_path):
    craft(tmp_path / "x", arrays={"weights": np.array([0.5, 0.25, 0.25])}, total_weight=8.0)
    X = uapca.load(tmp_path / "x")
    assert_array_equal(X.mean, np.arange(6.0).reshape(3, 2))
    assert_array_equal(X.std, np.ones((3, 2)))
    assert_array_equal(X.weights, [0.5, 0.25, 0.25])
    assert (X.total_weight, X.source, X.origin, X.missing) == (8.0, "values", None, None)


NAN = float("nan")
ROW = {
    "kind": "independent",
    "marginals": [{"kind": "uniform", "values": v} for v in ([-1, 1], [0, 2])],
}


def independent(first):
    return {"kind": "independent", "marginals": [first, ROW["marginals"][1]]}


def scipy_law(**changes):
    law = {"kind": "scipy", "name": "expon", "parameters": {"loc": -1}, "values": [1, 0]}
    return law | changes


def laws_with(first):
    """Laws of the three rows, of which the first is changed."""
    rest = [{"kind": "affine", "law": ROW, "A": np.eye(2).tolist(), "b": [k, k]} for k in (2, 4)]
    return {"laws": {"items": [first, *rest], "matrix": None, "offset": None}}


def test_crafted_laws_load(tmp_path):
    for first in (ROW, independent(scipy_law())):
        craft(tmp_path / "x", **laws_with(first))
        assert_allclose(
            [law.mean for law in uapca.load(tmp_path / "x").laws], [[0, 1], [2, 3], [4, 5]]
        )


def test_types_of_weights_and_counts(tmp_path):
    counts = np.array([2**63 + 5, 1, 2], dtype=np.uint64)
    craft(tmp_path / "x", arrays={"weights": np.array([1, 0, 0]), "counts": counts})
    X = uapca.load(tmp_path / "x")
    assert X.weights.dtype == np.float64
    assert_array_equal(X.counts, [2.0**63, 1.0, 2.0])


NONSENSE = {
    "NaN": {"arrays": {"mean": [[np.nan, 1.0]] * 3}},
    "text": {"arrays": {"mean": [["a", "b"]] * 3}},
    "complex": {"arrays": {"mean": np.ones((3, 2)) * 1j}},
    "one dimension": {"arrays": {"mean": np.ones(3)}},
    "no rows": {"arrays": {"mean": np.ones((0, 2))}},
    "negative errors": {"arrays": {"std": -np.ones((3, 2))}},
    "infinite errors": {"arrays": {"std": np.full((3, 2), np.inf)}},
    "errors of another shape": {"arrays": {"std": np.ones((2, 3))}},
    "indefinite": {
        "covariance": "shared",
        "drop": ["std"],
        "arrays": {"cov": [[1.0, 2.0], [2.0, 1.0]]},
    },
    "asymmetric": {
        "covariance": "shared",
        "drop": ["std"],
        "arrays": {"cov": [[1.0, 0.5], [0.0, 1.0]]},
    },
    "a matrix for each row called shared": {
        "covariance": "shared",
        "drop": ["std"],
        "arrays": {"cov": [np.eye(2)] * 3},
    },
    "one matrix called dense": {
        "covariance": "dense",
        "drop": ["std"],
        "arrays": {"cov": np.eye(2)},
    },
    "matrices of other rows": {
        "covariance": "dense",
        "drop": ["std"],
        "arrays": {"cov": [np.eye(2)] * 4},
    },
    "factors of another shape": {
        "covariance": "low-rank",
        "arrays": {"factors": np.ones((3, 3, 1))},
    },
    "an unknown kind": {"covariance": "banded"},
    "arrays of another kind": {"covariance": "zero"},
    "arrays that do not belong": {"arrays": {"other": [1.0]}},
    "a negative multiplier": {"multiplier": -1},
    "an infinite multiplier": {"multiplier": 1e400},
    "a multiplier in words": {"multiplier": "1"},
    "a negative total": {"total_weight": -3.0},
    "weights that do not sum to 1": {"arrays": {"weights": [1.0, 1.0, 1.0]}},
    "negative weights": {"arrays": {"weights": [-1.0, 1.0, 1.0]}},
    "weights of other rows": {"arrays": {"weights": [0.5, 0.5]}},
    "counts of zero": {"arrays": {"counts": [0, 1, 2]}},
    "two equal names": {"names": ["a", "a", "b"]},
    "names of other rows": {"names": ["a"]},
    "names that are numbers": {"names": [1, 2, 3]},
    "a name for all": {"names": "abc"},
    "an unknown source": {"source": "elsewhere"},
    "an origin that is no text": {"origin": 5},
    "laws of other rows": {"laws": {"items": [], "matrix": None, "offset": None}},
    "laws that are none": {"laws": {"items": [{"kind": "?"}] * 3, "matrix": None, "offset": None}},
    "a law without a mean": laws_with(
        {"kind": "normal", "mean": [0, NAN], "cov": [[1, 0], [0, 1]]}
    ),
    "a law of text": laws_with({"kind": "normal", "mean": ["0", "1"], "cov": [[1, 0], [0, 1]]}),
    "a law that is a number": laws_with(5),
    "a law of an unknown list": laws_with({"kind": ["normal"]}),
    "an interval without an end": laws_with(independent({"kind": "uniform", "values": [-1, NAN]})),
    "an interval that falls": laws_with(independent({"kind": "uniform", "values": [1, -1]})),
    "a map of a law": laws_with(
        {"kind": "affine", "law": ROW, "A": [[1, 0], [0, NAN]], "b": [0, 0]}
    ),
    "a shift of a law": laws_with(
        {"kind": "affine", "law": ROW, "A": [[1, 1], [0, 1]], "b": [0, NAN]}
    ),
    "a map of other features": laws_with(
        {"kind": "affine", "law": ROW, "A": [[1], [1]], "b": [0, 0]}
    ),
    "a mixture of nothing": laws_with({"kind": "mixture", "weights": [], "components": []}),
    "a mixture of less": laws_with(
        {"kind": "mixture", "weights": [-1, 2], "components": [ROW, ROW]}
    ),
    "samples without values": laws_with({"kind": "samples", "values": [], "weights": []}),
    "a variable times NaN": laws_with(independent(scipy_law(values=[NAN, 0]))),
    "a variable times zero": laws_with(independent(scipy_law(values=[0, 0]))),
    "a variable of many": laws_with(independent(scipy_law(parameters={"loc": [-1, 1]}))),
    "a variable without variance": laws_with(independent(scipy_law(parameters={"scale": -1}))),
    "a variable of text": laws_with(independent(scipy_law(parameters={"loc": "x"}))),
    "names by number": {"names": {"a": 1, "b": 2, "c": 3}},
    "a listing of other arrays": {"listing": {"more": ["<f8", 1]}},
    "a shape that is not there": {"listing": {"mean": ["<f8", 10**9, 10**9]}},
    "a negative shape": {"listing": {"mean": ["<f8", -3, -2]}},
    "a type that is none": {"listing": {"mean": ["nothing", 3, 2]}},
    "text by an old name": {"listing": {"mean": ["a", 3, 2]}},
    "a map that is a number": {"laws": {"items": [], "matrix": 5, "offset": 5}},
    "objects": {"listing": {"mean": ["|O", 3, 2]}},
    "compressed": {"compress": True},
    "deep nesting": {"names": eval("[" * 90 + "]" * 90)},
}


@pytest.mark.parametrize("what", NONSENSE)
def test_what_no_data_can_be_is_refused(tmp_path, what):
    path = tmp_path / "x.uapca"
    craft(path, **NONSENSE[what])
    with pytest.raises(uapca.FileError) as error:
        uapca.load(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_the_rule_that_is_broken_is_named(tmp_path):
    craft(tmp_path / "x", arrays={"std": -np.ones((3, 2))})
    with pytest.raises(uapca.FileError) as error:
        uapca.load(tmp_path / "x")
    assert str(error.value) == (
        f"{str(tmp_path / 'x')!r} holds invalid data: std must not be negative; row 0, "
        "feature 0 has -1.0"
    )


def test_a_declared_size_is_not_made_room_for(tmp_path):
    """The header of an array inside says terabytes; the file is small."""
    path = tmp_path / "x"
    craft(path)
    content = path.read_bytes()
    path.write_bytes(content.replace(b"(3, 2)", b"(9,9e9)"[:6]))
    with pytest.raises(uapca.FileError):
        uapca.load(path)


def test_what_rounding_left_of_a_projection_is_saved_and_loads(tmp_path, rng):
    """Along a direction without errors nothing but rounding is left, of any sign."""
    half = rng.standard_normal((20, 4, 2)) * 10.0 ** rng.integers(-6, 6, (20, 1, 1))
    cov = half @ half.transpose(0, 2, 1)
    X = uapca.UncertainArray(np.zeros((20, 4)), cov)
    for k in range(20):
        null = np.linalg.svd(half[k].T)[2][2:]
        Y = X[k : k + 1].affine(null)
        Y.save(tmp_path / "y")
        Z = uapca.load(tmp_path / "y")
        assert_allclose(Z.cov.dense(), Y.cov.dense(), atol=1e-13 * np.trace(cov[k]))


# Where it is written to


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read = []
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    uapca.UncertainArray([[1.0]]).save(path)
    reader.join(10)
    assert stat.S_ISFIFO(path.stat().st_mode)
    (tmp_path / "copy").write_bytes(read[0])
    assert_array_equal(uapca.load(tmp_path / "copy").mean, [[1.0]])


def test_a_device_is_written_to():
    uapca.UncertainArray([[1.0]]).save(os.devnull)
    assert not os.path.isfile(os.devnull)


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no sockets with names here")
def test_a_socket_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the names of sockets are short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        with pytest.raises(uapca.FileError, match="'socket' is a socket or a disk$"):
            uapca.UncertainArray([[1.0]]).save("socket")
        assert stat.S_ISSOCK(os.stat("socket").st_mode)


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path):
    code = (
        "import os, signal\nfrom uapca._files import replacing\n"
        f"with replacing({str(tmp_path / 'x.uapca')!r}) as file:\n"
        "    file.write(b'half')\n    file.flush()\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    assert len(os.listdir(tmp_path)) == 1
    uapca.UncertainArray([[1.0]]).save(tmp_path / "x.uapca")
    assert os.listdir(tmp_path) == ["x.uapca"]


def test_what_another_writer_still_writes_is_left_alone(tmp_path):
    path = tmp_path / "x"
    with replacing(path) as first:
        first.write(b"first")
        with replacing(path) as second:
            second.write(b"second")
        assert path.read_bytes() == b"second"
    assert path.read_bytes() == b"first"
    assert os.listdir(tmp_path) == ["x"]


def test_a_full_disk_names_the_file(tmp_path):
    path = tmp_path / "x"
    with pytest.raises(OSError, match="No space left on device") as error, replacing(path):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert error.value.filename == str(path)
    assert os.listdir(tmp_path) == []


def test_a_folder_that_must_not_be_written_to(tmp_path, monkeypatch):
    def refused(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied", str(tmp_path / ".x.part"))

    monkeypatch.setattr("uapca._files.tempfile.mkstemp", refused)
    with pytest.raises(PermissionError) as error:
        uapca.UncertainArray([[1.0]]).save(tmp_path / "x")
    assert error.value.filename == str(tmp_path / "x")
