"""The name that was probably meant, for errors of the library and of the command line."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["nearest"]


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like a wrong one, if any is like it.

    Examples
    --------
    >>> nearest("studnets", ["iris", "students"])
    'students'
    """
    folded: dict[str, str] = {}
    for candidate in known:
        folded.setdefault(candidate.casefold(), candidate)
    found = get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)
    return folded[found[0]] if found else None
