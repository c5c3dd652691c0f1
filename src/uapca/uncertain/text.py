"""Moved to `uapca.uncertain.array`."""

from uapca.uncertain.array import headline

__all__ = ["headline"]
