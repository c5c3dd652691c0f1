"""Which column of a table names its rows."""

from __future__ import annotations

from collections.abc import Sequence

from uapca.inputs.columns import Columns
from uapca.inputs.numbers import is_absent, is_nearly_number

__all__ = ["can_name", "naming_column"]

# Columns of numbers that name the rows and are no measurement.
_IDENTIFIERS = frozenset(
    (
        *("", "id", "index", "row", "unnamed: 0", "source_id", "object_id", "sample_id"),
        *("name", "names", "label", "labels"),
    )
)


def can_name(header: str, texts: Sequence[str], numeric: bool) -> bool:
    """Whether a column, given as texts, can name the rows.

    Its texts are there and distinct. A column of numbers must be called ``id``, ``name`` or the
    like; some numbers among texts are a measurement with a slip, which is to be reported.

    Examples
    --------
    >>> can_name("star", ["HD 1", "HD 2"], False), can_name("x", ["1.5", "abc"], False)
    (True, False)
    """
    identifier = header.strip().casefold() in _IDENTIFIERS
    if (numeric and not identifier) or any(map(is_absent, texts)):
        return False
    if len(set(texts)) < len(texts):
        return False
    return identifier or not any(map(is_nearly_number, texts))


def naming_column(columns: Columns, without: set[str]) -> str | None:
    """The first column that can name the rows, besides some."""
    for name in columns.names:
        if name in without:
            continue
        numeric = columns.is_numeric(name)
        if numeric and not can_name(name, [], True):
            continue
        cells = columns.values(name).tolist()
        # Flags, times and complex numbers have a meaning of their own.
        if not numeric and not all(isinstance(cell, str) for cell in cells):
            continue
        if cells and can_name(name, [str(cell).strip() for cell in cells], numeric):
            return name
    return None
