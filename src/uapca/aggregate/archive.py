"""Moments in files: the arrays as they are, the labels as JSON."""

from __future__ import annotations

import datetime as dt
from os import PathLike
from typing import IO, TYPE_CHECKING, Any, TypeVar

import numpy as np

from uapca._files import Arrays, read_archive, write_archive
from uapca._validation import complaint
from uapca.aggregate.accumulate import Sums

if TYPE_CHECKING:
    from uapca.aggregate.moments import Moments

__all__ = ["read_moments", "write_moments"]

M = TypeVar("M", bound="Moments")

FORMAT = "uapca.Moments"
VERSION = 1
_FOREIGN = (
    "path must name a file written by Moments.save; {where} is of another kind. "
    "Use uapca.load for a saved UncertainArray."
)


def write_moments(file: IO[bytes], moments: Moments) -> None:
    """Write a summary into a binary stream."""
    arrays: Arrays = {**moments.sums._asdict(), "errors": moments.errors}
    if moments.extremes is not None:
        arrays["low"], arrays["high"] = moments.extremes
    header = {
        "labels": [_written(label) for label in moments.labels],
        "categories": [
            None if own is None else [_written(label) for label in own]
            for own in moments.categories
        ],
        "features": moments.features,
        "reduced": moments.reduced,
    }
    write_archive(file, FORMAT, VERSION, header, arrays)


def read_moments(source: str | PathLike[str] | IO[bytes], kind: type[M]) -> M:
    """Read what `write_moments` wrote."""

    def assembled(header: dict[str, Any], arrays: Arrays) -> M:
        features = header["features"]
        return kind(
            tuple(map(_read, header["labels"])),
            Sums(*(arrays[name] for name in Sums._fields)),
            arrays["errors"],
            (arrays["low"], arrays["high"]) if "low" in arrays else None,
            None if features is None else tuple(features),
            tuple(None if own is None else tuple(map(_read, own)) for own in header["categories"]),
            bool(header["reduced"]),
        )

    return read_archive(source, FORMAT, VERSION, _FOREIGN, assembled)


def _written(label: Any) -> Any:
    """A label as JSON; what JSON has no form for as a list of its kind and its value."""
    if label is None or isinstance(label, str | bool | int | float):
        return label
    if isinstance(label, np.generic) and label.dtype.kind in "iufbU":
        return label.item()
    if isinstance(label, tuple):
        return ["tuple", [_written(part) for part in label]]
    if isinstance(label, np.datetime64 | np.timedelta64):
        return [label.dtype.str, int(label.astype(np.int64))]
    if getattr(label, "nanosecond", 0):  # pandas', which datetime would cut
        return ["Timestamp", label.isoformat()]
    if isinstance(label, dt.datetime | dt.date | dt.time):
        kind = next(k for k in (dt.datetime, dt.date, dt.time) if isinstance(label, k))
        return [kind.__name__, label.isoformat()]
    if isinstance(label, dt.timedelta):
        return ["timedelta", [label.days, label.seconds, label.microseconds]]
    if isinstance(label, bytes):
        return ["bytes", label.hex()]
    raise TypeError(
        complaint(
            "labels",
            "be text, numbers, dates or times to be saved",
            f"got the {type(label).__name__} {label!r}",
            "Convert the labels to text first",
        )
    )


def _read(label: Any) -> Any:
    if not isinstance(label, list):
        return label
    kind, value = label
    if kind == "tuple":
        return tuple(map(_read, value))
    if kind == "timedelta":
        return dt.timedelta(*value)
    if kind == "bytes":
        return bytes.fromhex(value)
    if kind == "Timestamp":
        return _timestamp(value)
    if kind in ("datetime", "date", "time"):
        return getattr(dt, kind).fromisoformat(value)
    return np.int64(value).view(kind)


def _timestamp(text: str) -> Any:
    try:
        from pandas import Timestamp
    except ImportError:
        raise ImportError(
            "reading labels that are times with nanoseconds needs pandas, which is not installed. "
            'Install it with pip install "uapca[frames]".'
        ) from None
    return Timestamp(text)
