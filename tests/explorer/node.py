"""Requests to the browser's mathematics, run by Node on the file that ships."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np

import uapca.explorer
from builders import program
from uapca.explorer.page import scale_to_wire
from uapca.explorer.payload import payload, text_of

BUNDLE = Path(uapca.explorer.__file__).with_name("explorer.js")


def in_node(requests):
    """Answers of the bundle for many requests at once."""
    done = subprocess.run(
        [program("node"), str(Path(__file__).with_name("engine.mjs")), str(BUNDLE)],
        input=json.dumps(requests),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [_arrays(answer) for answer in json.loads(done.stdout)]


def request_for(X, *, scales=(1.0,), weights=None, standardize=False, pair=None, **rest):
    """What `engine.mjs` reads."""
    contours = rest.pop("contours", None)
    gaps = rest.pop("gaps", 6)
    return {
        "payload": text_of(payload(X, **rest)),
        "weights": None if weights is None else list(map(float, weights)),
        "standardize": standardize,
        "scales": [scale_to_wire(s) for s in scales],
        "pair": list(pair or (0, min(1, X.shape[1] - 1))),
        "gaps": gaps,
        "contours": contours,
    }


def _arrays(value):
    if isinstance(value, dict):
        return SimpleNamespace(**{key: _arrays(item) for key, item in value.items()})
    if isinstance(value, list) and (not value or isinstance(value[0], int | float)):
        return np.array(value, dtype=float)
    if isinstance(value, list):
        return [_arrays(item) for item in value]
    return value
