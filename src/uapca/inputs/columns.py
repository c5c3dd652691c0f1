"""How columns get out of any data frame.

No data frame library is imported here unless the user's frame can be read in no other way.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

from uapca._validation import complaint, listed
from uapca.inputs.libraries import Arrow, Astropy, Columns, Mapped, Pandas, Polars

__all__ = ["Columns", "columns_of", "is_frame", "listed"]


def is_frame(obj: Any) -> bool:
    """Whether an object holds named columns."""
    if _is(obj, "polars", "LazyFrame"):
        # Its attribute columns warns; `columns_of` says what to do.
        return True
    return (
        isinstance(obj, Mapping)
        or hasattr(obj, "colnames")
        or hasattr(obj, "column_names")
        or (hasattr(obj, "columns") and hasattr(obj, "__getitem__"))
        or hasattr(obj, "__arrow_c_stream__")
        or hasattr(obj, "__dataframe__")
        or (isinstance(obj, np.ndarray) and obj.dtype.names is not None)
    )


def columns_of(frame: Any, parameter: str = "df") -> Columns:
    """The columns of a pandas, polars or Arrow frame, an astropy table, a mapping or another frame.

    Any frame with the Arrow stream or the data frame interchange interface is read through
    pyarrow or pandas.

    Examples
    --------
    >>> columns_of({"x": [1.0, 2.0], "y": [3, 4]}).block(["x", "y"])
    array([[1., 3.],
           [2., 4.]])
    """
    if _is(frame, "pandas", "DataFrame"):
        return Pandas(frame)
    if _is(frame, "polars", "DataFrame"):
        return Polars(frame)
    if _is(frame, "pyarrow", "Table") or _is(frame, "pyarrow", "RecordBatch"):
        return Arrow(frame)
    if _is(frame, "polars", "LazyFrame"):
        raise TypeError(_no_table(frame, parameter))
    if hasattr(frame, "colnames") and hasattr(frame, "columns"):
        return Astropy(frame)
    if isinstance(frame, Mapping):
        return Mapped(frame, list(frame))
    if isinstance(frame, np.ndarray) and frame.dtype.names is not None:
        return Mapped(frame, frame.dtype.names)
    if hasattr(frame, "__arrow_c_stream__"):
        return Arrow(_library("pyarrow", frame).table(frame))
    if hasattr(frame, "__dataframe__"):
        if "pandas" in sys.modules and "pyarrow" not in sys.modules:
            return Pandas(sys.modules["pandas"].api.interchange.from_dataframe(frame))
        _library("pyarrow", frame)
        return Arrow(import_module("pyarrow.interchange").from_dataframe(frame))
    raise TypeError(_no_table(frame, parameter))


def _is(frame: Any, library: str, name: str) -> bool:
    module = sys.modules.get(library)
    return module is not None and isinstance(frame, getattr(module, name, ()))


def _no_table(frame: Any, parameter: str) -> str:
    remedy = "Pass a pandas, polars, pyarrow or astropy table, or a mapping of names to columns"
    if hasattr(frame, "collect"):
        remedy = "Call its collect() first"
    return complaint(parameter, "be a table with named columns", f"got {_kind(frame)}", remedy)


def _kind(obj: Any) -> str:
    return f"an object of type {type(obj).__name__}"


def _library(name: str, frame: Any) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise ImportError(
            f"reading {_kind(frame)} needs {name}, which is not installed. "
            'Install it with pip install "uapca[frames]".'
        ) from None
