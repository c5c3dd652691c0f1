"""Files are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

__all__ = ["replacing"]


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
