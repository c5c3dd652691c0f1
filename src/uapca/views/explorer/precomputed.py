"""The path over s for data with too many features to be decomposed in the browser."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from uapca.decomposition import UAPCA, UncertainScaler
from uapca.sensitivity.family import Family, over_scale
from uapca.sensitivity.tracking import Path, adaptive_path
from uapca.uncertain import UncertainArray
from uapca.views.explorer.arrays import Wire, wire

__all__ = ["LIVE", "MOST_FEATURES", "precomputed"]

LIVE = 60
MOST_FEATURES = 200
_KEPT = 4
# Between neighbours that turn by up to this, a straight line is off by a few thousandths; half of
# it would double the size of the page and the time it takes to write.
_TURN = float(np.deg2rad(8.0))


def precomputed(X: UncertainArray) -> dict[str, Any] | None:
    """Paths of the leading components, plain and standardized; None where they are found live."""
    d = X.shape[1]
    if d <= LIVE:
        return None
    q = min(d, _KEPT)
    scaler = UncertainScaler().fit(X)
    plain = _path(X, q, np.ones(d), np.asarray(scaler.mean_))
    standardized = _path(scaler.transform(X), q, scaler.scale_, np.asarray(scaler.mean_))
    return {"q": q, "plain": plain, "standardized": standardized}


def _path(X: UncertainArray, q: int, units: Any, mean: Any) -> dict[str, Any]:
    pca = UAPCA(solver="eigh").fit(X)
    between, within = pca.between_covariance_, pca.within_covariance_
    family = over_scale(between, within)
    path = adaptive_path(family, q, (0.0, 0.5, 1.0), _TURN)
    breaks = _breaks(path, q)
    return {
        "mean": wire(mean),
        "units": wire(units),
        "totals": [float(between.trace()), float(within.trace())],
        "u": wire(path.u),
        "eigenvalues": wire(path.values[:, :q]),
        "components": wire(path.vectors[:, :, :q].transpose(0, 2, 1)),
        "breaks": breaks,
        "crossings": _crossings(family, path, q, breaks),
    }


def _breaks(path: Path, q: int) -> list[dict[str, Any]]:
    """Where leading components change hands, and which ranks do."""
    found = []
    for k in np.flatnonzero((path.order[1:] != path.order[:-1]).any(axis=1)) + 1:
        moved = path.order[k][path.order[k] != path.order[k - 1]]
        ranks = sorted(int(rank) for rank in moved if rank < q)
        if ranks:
            found.append({"at": int(k), "ranks": ranks})
    return found


def _crossings(
    family: Family, path: Path, q: int, breaks: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Minima of the gaps of the kept components: those the grid shows, each found more closely."""
    found: list[Wire] = []
    inside = slice(None, -1)  # at s = ∞ the gaps of K are infinite, or lost
    u = path.u[inside]
    gaps = (path.values[inside, : q - 1] - path.values[inside, 1:q]) / np.square(1.0 - u)[:, None]
    for i in range(q - 1):
        dips = np.flatnonzero((gaps[1:-1, i] < gaps[:-2, i]) & (gaps[1:-1, i] <= gaps[2:, i])) + 1
        for k in dips:
            swap = [b["at"] for b in breaks if {i, i + 1} <= set(b["ranks"])]
            true = next((at for at in swap if at in (k, k + 1)), None)
            where = float(u[true - 1] if true is not None else _lowest(family, i, u[k - 1 : k + 2]))
            upper, lower = _values(family, where)[i : i + 2] / (1.0 - where) ** 2
            gap = 0.0 if true is not None else float(upper - lower)
            found.append(
                {
                    "u": where,
                    "pair": [i, i + 1],
                    "gap": gap,
                    "relativeGap": gap / float(upper) if upper > 0.0 else 0.0,
                    "kind": "avoided" if true is None else "true",
                }
            )
    return sorted(found, key=lambda crossing: (crossing["u"], crossing["pair"]))


def _lowest(family: Family, i: int, around: Any) -> float:
    def gap(u: float) -> float:
        values = _values(family, u)
        return float(values[i] - values[i + 1]) / (1.0 - u) ** 2

    low, _, high = map(float, around)
    return float(minimize_scalar(gap, bounds=(low, high), method="bounded").x)


def _values(family: Family, u: float) -> Any:
    at = np.array([u])
    return np.maximum(np.linalg.eigvalsh(family.matrices(1.0 - at, at)[0])[::-1], 0.0)
