"""Saving and loading: one file, an open format, no pickle.

A file is a ZIP archive of NumPy ``.npy`` arrays (so `numpy.load` opens it too) and ``uapca.json``,
which holds the format's name and version, the names, the features and what describes the rest.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from os import PathLike, fspath
from typing import Any

import numpy as np

from uapca._files import replacing
from uapca._validation import Floats
from uapca.laws import law_from_dict, law_to_dict
from uapca.uncertain.array import UncertainArray
from uapca.uncertain.covariance import Covariance
from uapca.uncertain.dense import Dense
from uapca.uncertain.lawlist import LawList
from uapca.uncertain.structured import Diagonal, LowRank, Shared, Zero

__all__ = ["load", "save"]

FORMAT = "uapca.UncertainArray"
VERSION = 1
_HEADER = "uapca.json"
# What the ZIP, JSON and NumPy readers raise on bytes that are not as they were written.
_SIGNS_OF_DAMAGE = (
    KeyError,
    EOFError,
    TypeError,
    AttributeError,
    NotImplementedError,
    RuntimeError,
    OSError,
    zlib.error,
)


def save(X: UncertainArray, path: str | PathLike[str]) -> None:
    """Write ``X`` to ``path``, whole or not at all."""
    arrays: dict[str, Any] = {"mean": X.mean, **X.cov.arrays}
    if X._weights is not None:
        arrays["weights"] = X._weights
    header = {
        "format": FORMAT,
        "version": VERSION,
        "covariance": X.cov.kind,
        "multiplier": X.cov.multiplier,
        "total_weight": X.total_weight,
        "names": X.names,
        "features": X.features,
        "laws": None if X._laws is None else _laws_to_dict(X._laws),
        "arrays": {name: [array.dtype.str, *array.shape] for name, array in arrays.items()},
    }
    with (
        replacing(path) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive,
    ):
        archive.writestr(_HEADER, json.dumps(header))
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)


def load(path: str | PathLike[str]) -> UncertainArray:
    """Read an UncertainArray that `UncertainArray.save` wrote.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    UncertainArray
        Equal to what was saved in every value, type and name.

    Raises
    ------
    ValueError
        If the file is damaged, of another kind, or written in a newer format.

    Examples
    --------
    >>> import tempfile, uapca
    >>> X = uapca.UncertainArray([[1.0, 2.0], [3.0, 4.0]], std=0.5, names=["a", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     X.save(f"{folder}/points.uapca")
    ...     Y = uapca.load(f"{folder}/points.uapca")
    >>> Y.names, float(Y.cov.average()[0, 0])
    (('a', 'b'), 0.25)
    """
    where = repr(fspath(path))
    try:
        with zipfile.ZipFile(path) as archive:
            header = _header(archive, where)
            arrays = {
                name.removesuffix(".npy"): _array(archive, name)
                for name in archive.namelist()
                if name.endswith(".npy")
            }
        found = {name: [array.dtype.str, *array.shape] for name, array in arrays.items()}
        if found != header["arrays"]:
            raise ValueError(_damaged(where))
        return _assembled(header, arrays)
    except zipfile.BadZipFile:
        with open(path, "rb") as file:
            start = file.read(4)
        if start == b"PK\x03\x04":
            raise ValueError(_damaged(where)) from None
        raise ValueError(_foreign(where)) from None
    except (FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except _SIGNS_OF_DAMAGE as error:
        raise ValueError(_damaged(where)) from error


def _header(archive: zipfile.ZipFile, where: str) -> dict[str, Any]:
    if _HEADER not in archive.namelist():
        raise ValueError(_foreign(where))
    try:
        header = json.loads(archive.read(_HEADER))
    except ValueError:
        raise ValueError(_damaged(where)) from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError(_foreign(where))
    if not isinstance(header.get("version"), int) or header["version"] > VERSION:
        raise ValueError(
            f"path must name a file of format version {VERSION} or older; {where} has version "
            f"{header.get('version')}. Install a newer uapca to read it."
        )
    return header


def _array(archive: zipfile.ZipFile, name: str) -> Floats:
    try:
        with archive.open(name) as member:
            array: Floats = np.lib.format.read_array(member, allow_pickle=False)
            member.read()  # to the end, where the checksum is compared
            return array
    except ValueError as error:
        raise zipfile.BadZipFile(str(error)) from None


def _assembled(header: dict[str, Any], arrays: dict[str, Floats]) -> UncertainArray:
    mean = arrays["mean"]
    n, d = mean.shape
    weights: Any = arrays.get("weights")
    for array in arrays.values():
        array.flags.writeable = False
    names, features = header["names"], header["features"]
    return UncertainArray._of(
        mean,
        _covariance(header["covariance"], arrays, n, d, float(header["multiplier"])),
        weights,
        float(header["total_weight"]),
        None if names is None else tuple(names),
        None if features is None else tuple(features),
        _laws(header["laws"]),
    )


def _covariance(
    kind: str, arrays: dict[str, Floats], n: int, d: int, multiplier: float
) -> Covariance:
    if kind == "zero":
        return Zero(n, d)
    if kind == "diagonal":
        return Diagonal(arrays["std"], n, d, multiplier)
    if kind == "shared":
        return Shared(arrays["cov"], n, multiplier)
    if kind == "dense":
        return Dense(arrays["cov"], multiplier)
    if kind == "low-rank":
        rest = Diagonal(arrays["std"], n, d) if "std" in arrays else None
        return LowRank(arrays["factors"], rest, multiplier)
    raise KeyError(kind)


def _laws_to_dict(laws: LawList) -> dict[str, Any]:
    """The laws as they were given, and the map they are seen through."""
    items, matrix, offset = laws.parts
    return {
        "items": [law_to_dict(law) for law in items],
        "matrix": None if matrix is None else matrix.tolist(),
        "offset": None if offset is None else offset.tolist(),
    }


def _laws(laws: Any) -> LawList | None:
    if laws is None:
        return None
    matrix, offset = laws["matrix"], laws["offset"]
    return LawList(
        [law_from_dict(law) for law in laws["items"]],
        None if matrix is None else np.array(matrix),
        None if offset is None else np.array(offset),
    )


def _foreign(where: str) -> str:
    return (
        f"path must name a file written by UncertainArray.save; {where} is of another kind. "
        "Build the array from its values, for instance with uapca.UncertainArray."
    )


def _damaged(where: str) -> str:
    return (
        f"path must name a complete file; {where} is damaged or was cut short. "
        "Copy it again from where it was written."
    )
