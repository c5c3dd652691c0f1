"""How many cases each harness tries.

The environment variable UAPCA_FUZZ is the number of all cases together; `make fuzz CASES=1000000`
sets it. Continuous integration tries 20,000. Each harness takes its share: cases that are cheap
to try are tried more often.
"""

import os
import random

CASES = int(os.environ.get("UAPCA_FUZZ", "20000" if os.environ.get("CI") else "4000"))
BATCHES = 4  # tests that share the cases of a harness, so that they can run side by side
_SHARES = {
    "cells": 0.5687,
    "headers": 0.05,
    "own files": 0.10,
    "fits": 0.15,
    "exact fits": 0.01,
    "tables": 0.10,
    "bits": 0.02,
    "names": 0.001,
    "signals": 0.0003,
}


def count(harness: str) -> int:
    return round(CASES * _SHARES[harness])


def batch_of(harness: str, batch: int) -> range:
    """The numbers of the cases of one batch; each number is the seed of its case."""
    return range(batch, count(harness), BATCHES)


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Bytes that were cut off, flipped, copied over others, inserted or removed."""
    changed, kind, n = bytearray(data), rng.randrange(6), len(data)
    at, other = sorted((rng.randrange(n), rng.randrange(n)))
    if kind == 0:
        return data[:at]
    if kind in (1, 2):
        for _ in range(1 if kind == 1 else 8):
            changed[rng.randrange(n)] ^= 1 << rng.randrange(8)
    elif kind == 3:
        size = min(other - at, 64)
        changed[at : at + size] = changed[other : other + size]
    elif kind == 4:
        changed[at:at] = rng.randbytes(rng.randrange(1, 9))
    else:
        del changed[at : min(other, at + 64)]
    return bytes(changed)
