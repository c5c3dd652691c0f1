"""Cells of text that are numbers, and those that hold nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from uapca._validation import Floats

__all__ = ["is_absent", "is_nearly_number", "is_number", "numbers", "typed"]

_ABSENT = frozenset(("", "na", "n/a", "nan", "null", "none"))


def typed(cells: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Columns as arrays of floats where all cells are numbers or missing, as they are otherwise.

    Examples
    --------
    >>> typed({"x": ["1", "", "2.5"], "y": ["1", "a", "2"]})
    {'x': array([1. , nan, 2.5]), 'y': ['1', 'a', '2']}
    """
    columns: dict[str, Any] = {}
    for name, column in cells.items():
        found = numbers(column)
        columns[name] = list(column) if found is None else found
    return columns


def numbers(column: Any) -> Floats | None:
    """A column as floats, missing ones NaN; None if a cell is no number, or none is one."""
    if isinstance(column, np.ndarray):
        return column
    fast = _all_numbers(column)
    if fast is not None:
        return fast
    values = [_number(cell) for cell in column]
    if any(value is None for value in values):
        return None
    array = np.array(values, dtype=np.float64)
    return None if np.isnan(array).all() else array


def _all_numbers(column: Sequence[Any]) -> Floats | None:
    """A long column of nothing but plain numbers, all at once."""
    if len(column) < 1000 or not all(isinstance(cell, str) for cell in column):
        return None
    try:
        array: Floats = np.array(column).astype(np.float64)
    except ValueError:
        return None
    # What is not plain is looked at cell by cell.
    return array if np.isfinite(array).all() and not any("_" in cell for cell in column) else None


def _number(cell: Any) -> float | None:
    """A cell as a number, NaN if it is missing, None if it is something else."""
    if cell is None:
        return np.nan
    if isinstance(cell, bool):
        return None
    if isinstance(cell, str):
        text = cell.strip()
        if text.casefold() in _ABSENT:
            return np.nan
        if "_" in text:
            return None
        cell = text.replace("−", "-")
    try:
        return float(cell)
    except (TypeError, ValueError):
        return None


def is_number(cell: Any) -> bool:
    """Whether a cell holds a number that is there."""
    value = _number(cell)
    return value is not None and not np.isnan(value)


def is_nearly_number(cell: Any) -> bool:
    """Whether a cell holds a number, or one with a decimal comma."""
    return is_number(cell) or (isinstance(cell, str) and is_number(cell.replace(",", ".")))


def is_absent(cell: Any) -> bool:
    """Whether a cell holds nothing."""
    value = _number(cell)
    return value is not None and bool(np.isnan(value))
