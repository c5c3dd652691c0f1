"""Moved to `uapca.uncertain.array`."""

from uapca.uncertain.array import positions

__all__ = ["positions"]
