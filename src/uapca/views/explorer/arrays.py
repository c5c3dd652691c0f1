"""Numbers on the wire: bytes with their type and shape, base64 in a page, buffers in a widget."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Wire", "text_of", "wire"]

Wire = dict[str, Any]


def wire(values: npt.ArrayLike) -> Wire:
    """An array in the storage type it has: float32 and int32 as they are, the rest as float64."""
    array = np.asarray(values)
    kind = {"f4": "<f4", "i4": "<i4"}.get(array.dtype.str[1:], "<f8")
    data = np.ascontiguousarray(array, dtype=kind)
    return {"dtype": kind, "shape": list(data.shape), "data": data.tobytes()}


def text_of(value: Any) -> Any:
    """The same payload with bytes as base64 text, which JSON can hold."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, dict):
        return {key: text_of(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [text_of(item) for item in value]
    return value
