"""The path over 1,000 scales, against NumPy's batched ``eigh`` and refits in UADAPy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import uapca
from benchmarks.harness import Case, Job

__all__ = ["CASES"]

ROWS, SCALES = 100, 1000


def _data(d: int) -> tuple[uapca.UncertainArray, npt.NDArray[np.float64]]:
    rng = np.random.default_rng(d)
    factors = rng.normal(size=(ROWS, d, d)) * np.linspace(0.5, 2.0, d)[:, None]
    cov = factors @ factors.transpose(0, 2, 1) / d
    u = np.linspace(0.0, 1.0, SCALES, endpoint=False)
    return uapca.UncertainArray(rng.normal(size=(ROWS, d)), cov), u / (1.0 - u)


def _path(d: int, limit: float, rounds: int) -> Case:
    def build() -> dict[str, Job]:
        X, scales = _data(d)
        pca = uapca.UAPCA().fit(X)
        stack = pca.between_covariance_ + scales[:, None, None] ** 2 * pca.within_covariance_
        return {
            "factor_traces": lambda: uapca.factor_traces(pca, scales=scales),
            "eigh on the stack": lambda: np.linalg.eigh(stack),
        }

    return Case(
        f"1,000 scales, tracking included, D = {d}", build, {"eigh on the stack": limit}, rounds
    )


def _refits(d: int, faster: float, every: int, rounds: int) -> Case:
    """UADAPy refits every so many scales only; the limit is for those."""

    def build() -> dict[str, Job]:
        from uadapy.dr.uapca import compute_uapca

        X, scales = _data(d)
        means, covs = np.asarray(X.mean), np.asarray(X.cov.dense())
        return {
            "factor_traces": lambda: uapca.factor_traces(X, scales=scales),
            f"UADAPy, {SCALES // every} refits": lambda: [
                compute_uapca(means, s**2 * covs) for s in scales[::every]
            ],
        }

    limits = {f"UADAPy, {SCALES // every} refits": every / faster}
    return Case(f"1,000 scales, fit included, D = {d}", build, limits, rounds)


CASES = [
    _path(4, 2.0, 21),
    _path(20, 1.5, 9),
    _path(100, 1.5, 3),
    _refits(4, 50.0, 10, 9),
    _refits(20, 8.0, 20, 5),
    _refits(100, 4.0, 50, 3),
]
