"""Moved to `uapca.uncertain.array`."""

from uapca.uncertain.array import CORRELATION, ERROR, columns_of_rows, has_correlations

__all__ = ["CORRELATION", "ERROR", "columns_of_rows", "has_correlations"]
