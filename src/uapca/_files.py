"""Files are written whole or not at all, in one open format.

A file is a ZIP archive of NumPy ``.npy`` arrays (so `numpy.load` opens it too) and ``uapca.json``,
which holds the format's name and version and what describes the arrays. No pickle.
"""

from __future__ import annotations

import io
import json
import os
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from uapca.exceptions import FileError

try:
    _locks: Any = import_module("fcntl")
except ImportError:  # Windows
    _locks = None

__all__ = ["read_archive", "replacing", "write_archive"]

T = TypeVar("T")
Arrays = dict[str, npt.NDArray[Any]]

_HEADER = "uapca.json"
_NPY_HEADER = 1 << 10  # bytes that hold the header of an array of a few axes
# What the ZIP, JSON and NumPy readers raise for damaged files.
_SIGNS_OF_DAMAGE = (
    LookupError,
    EOFError,
    TypeError,
    AttributeError,
    NotImplementedError,
    RuntimeError,  # RecursionError too
    OSError,
    MemoryError,
    OverflowError,
    zipfile.BadZipFile,
    zlib.error,
)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A temporary file that replaces ``path`` when the block ends without an error.

    Until then an existing file at ``path`` is not touched. The temporary file is in the same
    folder; those that killed processes left there are removed. A pipe or a character device is
    written to at the end.
    """
    mode = os.stat(path).st_mode if os.path.exists(path) else 0
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(f"path must name a file; {os.fspath(path)!r} is a folder")
    if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode):
        content = io.BytesIO()
        yield content
        try:
            Path(path).write_bytes(content.getbuffer())
        except OSError as error:
            raise type(error)(error.errno, error.strerror, os.fspath(path)) from error
        return
    if mode and not stat.S_ISREG(mode):
        raise FileError(f"path must name a file; {os.fspath(path)!r} is a socket or a disk")
    target = Path(path).resolve()  # what a link points to, not the link, is replaced
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"path must lie in a folder that exists; there is no folder {str(target.parent)!r}"
        )
    name = ""
    try:
        name, file = _part_of(target)
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(name, mode & 0o777 if mode else 0o666 & ~umask)
            if _locks is None:
                file.close()
            os.replace(name, target)  # before its lock is released
    except BaseException as error:
        if name:
            Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and error.filename in (None, name):
            # Errors such as a full disk or a read-only folder name the target.
            raise type(error)(error.errno, error.strerror, str(target)) from error
        raise


def _part_of(target: Path) -> tuple[str, IO[bytes]]:
    """A new file beside ``target``, locked as long as it is open.

    Such files of processes that have ended, which hold no lock, are removed.
    """
    prefix, suffix = f".{target.name[:32]}.", ".part"
    for entry in os.scandir(target.parent):
        if entry.name.startswith(prefix) and entry.name.endswith(suffix):
            with suppress(OSError), open(entry.path, "r+b") if _locks else nullcontext() as old:
                if _locks is not None:
                    _locks.flock(old, _locks.LOCK_EX | _locks.LOCK_NB)
                os.unlink(entry.path)  # where there are no locks it fails while the file is open
    while True:
        try:
            handle, name = tempfile.mkstemp(suffix, prefix, target.parent)
        except OSError as error:
            raise type(error)(error.errno, error.strerror, str(target)) from None
        if _locks is not None:
            with suppress(OSError):  # not every file system has locks
                _locks.flock(handle, _locks.LOCK_EX)
        if os.path.exists(name):  # no other process removed it before it was locked
            return name, os.fdopen(handle, "wb")
        os.close(handle)


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
    """``assembled(header, arrays)`` of a file or of a binary stream.

    ``foreign`` says what to do with a file of another kind; it has ``{where}`` for the file. A
    ValueError of ``assembled`` becomes a `FileError` that names the file.
    """
    path = source if isinstance(source, str | os.PathLike) else None
    where = "the stream" if path is None else repr(os.fspath(path))
    damaged = FileError(f"path must name a complete file; {where} is damaged or was cut short")
    with nullcontext(cast(IO[bytes], source)) if path is None else open(path, "rb") as file:
        if file.read(4) != b"PK\x03\x04":
            raise FileError(foreign.format(where=where))
        size = file.seek(0, os.SEEK_END)
        try:
            with zipfile.ZipFile(file) as archive:
                header = _header(archive, size, where, format_, version, foreign)
                arrays = _arrays(archive, header["arrays"])
        except FileError:
            raise
        except (ValueError, *_SIGNS_OF_DAMAGE) as error:
            raise damaged from error
    try:
        return assembled(header, arrays)
    except _SIGNS_OF_DAMAGE as error:
        raise damaged from error
    except ValueError as error:
        raise FileError(f"{where} holds invalid data: {error}") from error


def _header(
    archive: zipfile.ZipFile, size: int, where: str, format_: str, version: int, foreign: str
) -> dict[str, Any]:
    """The header of an archive, whose members must be uncompressed and fit into the file."""
    members = archive.infolist()
    if any(member.compress_type != zipfile.ZIP_STORED for member in members):
        raise FileError(f"{where} must hold its arrays as they are; they are compressed")
    if sum(member.file_size for member in members) > size:
        raise ValueError
    known = _HEADER in archive.namelist()
    header = json.loads(archive.read(_HEADER)) if known else None
    if not isinstance(header, dict) or header.get("format") != format_:
        raise FileError(foreign.format(where=where))
    if not isinstance(header.get("version"), int) or header["version"] > version:
        raise FileError(
            f"path must name a file of format version {version} or older; {where} has version "
            f"{header.get('version')}: install a newer uapca"
        )
    return header


def _arrays(archive: zipfile.ZipFile, listing: dict[str, Any]) -> Arrays:
    """The arrays that the header lists, and no others."""
    if {*archive.namelist()} != {_HEADER, *(f"{name}.npy" for name in listing)}:
        raise ValueError
    arrays: Arrays = {}
    for name, expected in listing.items():
        content = bytearray(archive.read(f"{name}.npy"))  # which compares the checksum
        stream = io.BytesIO(content[:_NPY_HEADER])
        np.lib.format.read_magic(stream)
        shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
        # A view of what was read: nothing is allocated that the file only declares.
        arrays[name] = np.frombuffer(content, dtype, offset=stream.tell()).reshape(shape)
        if [dtype.str, *shape] != expected:
            raise ValueError
    return arrays
