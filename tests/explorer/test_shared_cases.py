"""The cases that the page's own tests read are those of today's Python."""

import json
from base64 import b64decode

import numpy as np
import pytest

from explorer.shared_cases import FILE, NAMES, shared_cases


def flat(value):
    """Every number and word of a case, in order; arrays as their numbers."""
    if isinstance(value, dict) and value.keys() == {"dtype", "shape", "data"}:
        numbers = np.frombuffer(b64decode(value["data"]), dtype=value["dtype"])
        return [value["dtype"], *value["shape"], *numbers.tolist()]
    if isinstance(value, dict):
        value = [item for _, item in sorted(value.items())]
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in flat(item)]
    return [value]


def test_the_file_is_current():
    kept, wanted = json.loads(FILE.read_text(encoding="ascii")), shared_cases()
    assert list(kept) == list(wanted) == list(NAMES)
    for name in NAMES:
        for part in ("payload", "fits", "crossings", "outlying"):
            ours, theirs = flat(kept[name][part]), flat(wanted[name][part])
            assert len(ours) == len(theirs)
            # A machine's own rounding: of the data, a few times 1e-16; of what is computed from
            # them, up to 1e-9, and offsets are part of the scores' rounding.
            near = {"rel": 1e-9, "abs": 1e-7} if part != "payload" else {"rel": 1e-14, "abs": 1e-15}
            for a, b in zip(ours, theirs, strict=True):
                assert a == (pytest.approx(b, **near) if isinstance(b, float) else b), name
