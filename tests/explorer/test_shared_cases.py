"""The cases that the page's own tests read are those of today's Python."""

import json

import pytest

from explorer.shared_cases import FILE, NAMES, shared_cases


def flat(value):
    """Every number and word of a case, in order."""
    if isinstance(value, dict):
        value = [item for _, item in sorted(value.items())]
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in flat(item)]
    return [value]


def test_the_file_is_current():
    kept, wanted = json.loads(FILE.read_text(encoding="ascii")), shared_cases()
    assert list(kept) == list(wanted) == list(NAMES)
    for name in NAMES:
        for part in ("payload", "fits", "crossings"):
            ours, theirs = flat(kept[name][part]), flat(wanted[name][part])
            assert len(ours) == len(theirs)
            # A machine's own rounding, up to 1e-9; offsets are part of the scores' rounding.
            for a, b in zip(ours, theirs, strict=True):
                number = isinstance(b, float) and part != "payload"
                assert a == (pytest.approx(b, rel=1e-9, abs=1e-7) if number else b), name
