"""Cases with Python's answers, for the tests of the page's own tool chain (``explorer/test``).

Run as a script to write them anew.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import uapca
from explorer.test_parity import CASES
from uapca.explorer.page import scale_to_wire
from uapca.explorer.payload import payload, text_of
from uapca.plot.rows import outlying

FILE = Path(__file__).parents[2] / "explorer" / "test" / "cases.json"
NAMES = (
    "zero",
    "diagonal",
    "isotropic",
    "shared",
    "dense",
    "low-rank + diagonal",
    "one huge weight",
    "offset, dense",
    "one feature",
    "two rows",
    "errors of rank 2",
    "tied errors",
    "tied means",
    "tied means, isotropic",
    "students",
    "iris",
    "rows far out",
)
SCALES = (0.0, 0.5, 1.0, 1e4, np.inf)


def shared_cases():
    """Payloads, and what `UAPCA` and `factor_traces` say of them."""
    cases = {}
    for name in NAMES:
        X = CASES[name]
        base = uapca.UAPCA(solver="eigh").fit(X)
        fits = []
        for s in SCALES:
            pca = base.rescale(s)
            fits.append(
                {
                    "scale": scale_to_wire(s),
                    "eigenvalues": pca.explained_variance_.tolist(),
                    "shares": pca.explained_variance_ratio_.tolist(),
                    "components": pca.components_.tolist(),
                    "scores": pca.transform(X).mean[:, :2].tolist(),
                }
            )
        found = uapca.factor_traces(X).crossings if X.shape[1] > 1 else ()
        crossings = [{"u": c.u, "pair": list(c.pair), "kind": c.kind} for c in found]
        data = text_of(payload(X))
        # On the first two components; rows of one feature are on one axis, and none is named.
        Y = base.transform(X).affine(np.eye(X.shape[1])[: min(X.shape[1], 2)])
        far = outlying(Y, Y.mean, Y.cov.dense()) if X.shape[1] > 1 else []
        cases[name] = {"payload": data, "fits": fits, "crossings": crossings, "outlying": far}
    return cases


if __name__ == "__main__":
    FILE.write_text(json.dumps(shared_cases(), separators=(",", ":")) + "\n", encoding="ascii")
