"""Files are written whole or not at all, in one open format.

A file is a ZIP archive of NumPy ``.npy`` arrays (so `numpy.load` opens it too) and ``uapca.json``,
which holds the format's name and version and what describes the arrays. No pickle.
"""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["read_archive", "replacing", "write_archive"]

T = TypeVar("T")
Arrays = dict[str, npt.NDArray[Any]]

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


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write into that takes the place of ``path`` when the block ends without an error.

    What stood at ``path`` before stays untouched until then, whatever happens.
    """
    target = Path(path).resolve()  # what a link points to, not the link, is replaced
    if target.is_dir():
        raise IsADirectoryError(
            f"path must name a file; {str(target)!r} is a folder. Add a file name to it."
        )
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"path must lie in a folder that exists; there is no folder {str(target.parent)!r}. "
            "Create it first."
        )
    handle, name = tempfile.mkstemp(
        dir=target.parent, prefix=f".{target.name[:64]}.", suffix=".part"
    )
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_archive(
    file: IO[bytes],
    format_: str,
    version: int,
    header: Mapping[str, Any],
    arrays: Mapping[str, npt.NDArray[Any]],
) -> None:
    """Write named arrays and a header of JSON into a binary stream."""
    listing = {name: [array.dtype.str, *array.shape] for name, array in arrays.items()}
    full = {"format": format_, "version": version, **header, "arrays": listing}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        archive.writestr(_HEADER, json.dumps(full))
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)


def read_archive(
    source: str | os.PathLike[str] | IO[bytes],
    format_: str,
    version: int,
    foreign: str,
    assembled: Callable[[dict[str, Any], Arrays], T],
) -> T:
    """What ``assembled`` makes of the header and the arrays of a file, or of a binary stream.

    ``foreign`` says what to do with a file of another kind: two sentences, of which the first
    has ``{where}`` for the file.
    """
    where = repr(os.fspath(source)) if isinstance(source, str | os.PathLike) else "the stream"
    try:
        with zipfile.ZipFile(source) as archive:
            header = _header(archive, where, format_, version, foreign)
            arrays = {
                name.removesuffix(".npy"): _array(archive, name)
                for name in archive.namelist()
                if name.endswith(".npy")
            }
        found = {name: [array.dtype.str, *array.shape] for name, array in arrays.items()}
        if found != header["arrays"]:
            raise ValueError(_damaged(where))
        return assembled(header, arrays)
    except zipfile.BadZipFile:
        if _start(source) == b"PK\x03\x04":
            raise ValueError(_damaged(where)) from None
        raise ValueError(foreign.format(where=where)) from None
    except (FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except _SIGNS_OF_DAMAGE as error:
        raise ValueError(_damaged(where)) from error


def _start(source: str | os.PathLike[str] | IO[bytes]) -> bytes:
    if isinstance(source, str | os.PathLike):
        with open(source, "rb") as file:
            return file.read(4)
    source.seek(0)
    return source.read(4)


def _header(
    archive: zipfile.ZipFile, where: str, format_: str, version: int, foreign: str
) -> dict[str, Any]:
    if _HEADER not in archive.namelist():
        raise ValueError(foreign.format(where=where))
    try:
        header = json.loads(archive.read(_HEADER))
    except ValueError:
        raise ValueError(_damaged(where)) from None
    if not isinstance(header, dict) or header.get("format") != format_:
        raise ValueError(foreign.format(where=where))
    if not isinstance(header.get("version"), int) or header["version"] > version:
        raise ValueError(
            f"path must name a file of format version {version} or older; {where} has version "
            f"{header.get('version')}. Install a newer uapca to read it."
        )
    return header


def _array(archive: zipfile.ZipFile, name: str) -> npt.NDArray[Any]:
    try:
        with archive.open(name) as member:
            array: npt.NDArray[Any] = np.lib.format.read_array(member, allow_pickle=False)
            member.read()  # to the end, where the checksum is compared
            return array
    except ValueError as error:
        raise zipfile.BadZipFile(str(error)) from None


def _damaged(where: str) -> str:
    return (
        f"path must name a complete file; {where} is damaged or was cut short. "
        "Copy it again from where it was written."
    )
