"""The path over 1,000 scales, against NumPy's batched ``eigh`` and a loop of refits in UADAPy.

``python -m benchmarks.sensitivity_cases`` prints the ratios.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from uadapy.dr.uapca import compute_uapca

import uapca

__all__ = ["LIMITS", "against_eigh", "against_uadapy", "against_uadapy_share", "ratio"]

Call = Callable[[], object]

ROWS, SCALES = 100, 1000

# Features: our time over that of eigh, at most; UADAPy's time over ours, at least.
LIMITS = {4: (2.0, 50.0), 20: (1.5, 8.0), 100: (1.5, 4.0)}

# A refit takes milliseconds: every so many scales are enough to know what all of them take.
against_uadapy_share = {4: 10, 20: 20, 100: 50}


def against_eigh(d: int) -> tuple[Call, Call]:
    """Traces from a fit, tracking included; and ``eigh`` on the same stack, ready-made."""
    X, scales = _data(d)
    pca = uapca.UAPCA().fit(X)
    C, psi = pca.between_covariance_, pca.within_covariance_
    stack = C + scales[:, None, None] ** 2 * psi
    return (
        lambda: uapca.factor_traces(pca, scales=scales),
        lambda: np.linalg.eigh(stack),
    )


def against_uadapy(d: int) -> tuple[Call, Call]:
    """Traces from the data, fit included; and a share of the scales refitted one by one."""
    X, scales = _data(d)
    means, covs = np.asarray(X.mean), np.asarray(X.cov.dense())
    some = scales[:: against_uadapy_share[d]]
    return (
        lambda: uapca.factor_traces(X, scales=scales),
        lambda: [compute_uapca(means, s**2 * covs) for s in some],
    )


def ratio(ours: Call, theirs: Call, rounds: int) -> float:
    """The median of our time over theirs, run in turn."""
    ours(), theirs()
    found = []
    for _ in range(rounds):
        found.append(_seconds(ours) / _seconds(theirs))
    return float(np.median(found))


def _data(d: int) -> tuple[uapca.UncertainArray, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    rng = np.random.default_rng(d)
    factors = rng.normal(size=(ROWS, d, d)) * np.linspace(0.5, 2.0, d)[:, None]
    cov = factors @ factors.transpose(0, 2, 1) / d
    u = np.linspace(0.0, 1.0, SCALES, endpoint=False)
    return uapca.UncertainArray(rng.normal(size=(ROWS, d)), cov), u / (1.0 - u)


def _seconds(call: Call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> None:
    for d, (most, least) in LIMITS.items():
        rounds = {4: 41, 20: 9, 100: 3}[d]
        found = ratio(*against_eigh(d), rounds)
        print(f"D = {d:3}: {found:5.2f} × eigh on the same stack (at most {most} ×)")
        found = 1.0 / ratio(*against_uadapy(d), max(rounds // 3, 3)) * against_uadapy_share[d]
        print(f"D = {d:3}: {found:5.1f} × faster than refits in UADAPy (at least {least} ×)")


if __name__ == "__main__":
    main()
