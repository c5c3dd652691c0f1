"""The ways from data to the leading eigenpairs of K(s).

=========  ==========================================================  ======================
solver     what it does                                                when it is possible
=========  ==========================================================  ======================
eigh       forms C and Ψ̄, both D × D, and diagonalizes K(s)            always
svd        thin singular value decomposition of the centered means      certain or isotropic
                                                                       errors
lanczos    multiplies by K(s) a block at a time, never forming it      finite s, or errors as
                                                                       for svd
=========  ==========================================================  ======================
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from scipy.sparse import issparse
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.exceptions import ConvergenceWarning

from uapca._validation import Doubles, shown
from uapca.decomposition.lanczos import leading_eigenpairs
from uapca.decomposition.sparse import SparsePoints
from uapca.decomposition.spectrum import (
    Spectrum,
    completed,
    settled,
    signed,
    spectrum,
    tie_tolerance,
)
from uapca.uncertain import Diagonal, LowRank, UncertainArray, Zero
from uapca.uncertain.covariance import row_blocks

__all__ = ["SOLVERS", "choose_solver", "solve"]

SOLVERS = ("auto", "eigh", "svd", "lanczos")

# Where auto leaves eigh: below this many features K is small, and keeping it allows `rescale`.
_WIDE = 2000
# Features for each component from which the block Lanczos method is faster than eigh (measured
# on means of rank 30 and noise: at 50 by 0.9 to 2.2, at 100 by 1.7 to 6.4, depending on N) ...
_FEW = 50
# ... and from which it is taken at sizes at which K would no longer be small.
_HUGE, _MANY = 5000, 10


def choose_solver(
    solver: str, X: Any, q: int | None, scale: float, standardize: bool = False
) -> str:
    """The solver to use for uncertain rows or sparse points.

    ``q`` is None while it depends on the spectrum itself. Errors that are isotropic are not so
    any more once features are standardized.
    """
    n, d = X.shape
    if not isinstance(solver, str) or solver not in SOLVERS:
        raise ValueError(
            f"solver must be one of {', '.join(map(repr, SOLVERS))}; got {shown(solver)}"
        )
    if solver == "eigh" or (solver == "auto" and d < _WIDE):
        return "eigh"
    sparse = issparse(X)
    isotropic = sparse or isinstance(X.cov, Zero) or (_isotropic(X) and not standardize)
    errors = "" if isotropic else f"{X.cov.kind} errors" + " and standardize=True" * standardize
    if solver == "auto":
        if not sparse and not isinstance(X.cov, Zero | Diagonal | LowRank):
            return "eigh"
        few = q is not None and (_FEW if d < _HUGE else _MANY) * q <= d
        if few and (np.isfinite(scale) if not isotropic else _MANY * (q or d) <= n):
            return "lanczos"
        thin = isotropic and not sparse and n < d
        return "svd" if thin and (q is None or q <= n) else "eigh"
    if solver == "svd" and sparse:
        raise ValueError("solver must be 'auto', 'eigh' or 'lanczos' for sparse X; got 'svd'")
    if solver == "svd" and not isotropic:
        raise ValueError(
            "solver must be 'eigh' or 'lanczos' unless the errors are zero or isotropic; "
            f"got 'svd' for {errors}"
        )
    if solver == "svd" and q is not None and q > min(n, d):
        raise ValueError(
            f"n_components must be at most min(rows, features) = {min(n, d)} with solver='svd'; "
            f"got {q}"
        )
    if solver == "lanczos" and not isotropic and np.isinf(scale):
        raise ValueError(
            "solver must be 'eigh' at scale=inf unless the errors are zero or isotropic; "
            f"got 'lanczos' for {errors}"
        )
    if solver == "lanczos" and q is None:
        raise ValueError(
            "solver must be 'eigh' or 'svd' unless n_components is an integer or None; "
            "got 'lanczos'"
        )
    return solver


def solve(
    solver: str,
    X: UncertainArray | SparsePoints,
    mean: Doubles,
    within: Doubles,
    q: int | None,
    scale: float,
) -> tuple[Spectrum, Doubles]:
    """Leading pairs of K(s), and vᵀΨ̄v along each, without a D × D matrix.

    ``mean`` is the mean of X, and ``within`` the diagonal of Ψ̄.
    """
    if isinstance(X, SparsePoints):
        pairs = _sparse_pairs(X, cast(int, q))  # which choose_solver saw to
        return pairs, np.zeros_like(pairs.values)
    if not _isotropic(X):
        spread = X.cov.average_operator(X.given_weights)
        within_s = (lambda v: scale**2 * spread(v)) if scale else np.zeros_like
        pairs = _lanczos(X, cast(int, q), mean, within_s)
        return pairs, np.asarray((pairs.vectors * spread(pairs.vectors.T).T).sum(axis=1))
    # Ψ̄ is a multiple of the identity: it changes no direction.
    if solver == "svd":
        centered = np.subtract(X.mean, mean, dtype=np.float64)
        centered *= np.sqrt(X.weights)[:, None]
        size, rows = np.linalg.svd(centered, full_matrices=False)[1:]
        pairs = _without_noise(np.square(size), rows, q)
    else:
        pairs = _lanczos(X, cast(int, q), mean, np.zeros_like)
    own = np.full_like(pairs.values, within[0])
    if not within.any():
        return pairs, own
    return Spectrum(own if np.isinf(scale) else pairs.values + scale**2 * own, pairs.vectors), own


def _lanczos(
    X: UncertainArray, q: int, mean: Doubles, within: Callable[[Doubles], Doubles]
) -> Spectrum:
    """Leading pairs by products with C and with s²Ψ̄; no centered copy of the means."""
    n, d = X.shape
    block_rows = next(row_blocks(n, d, least=64))
    buffer = np.empty((block_rows.stop, d))

    def product(v: Doubles) -> Doubles:
        out = within(v)
        for block in row_blocks(n, d, least=64):
            # One subtraction serves both products, and an offset of the means costs no digits.
            centered = buffer[: block.stop - block.start]
            np.subtract(X.mean[block], mean, out=centered)
            inner = centered @ v
            inner *= X.weights[block][:, None]
            out += centered.T @ inner
        return out

    if 2 * q >= d or d <= 64:  # a basis as large as the space: nothing is saved
        K = product(np.eye(d))
        return spectrum(0.5 * (K + K.T), q)
    values, vectors, residual = leading_eigenpairs(product, d, q, basis=4 * q + 64)
    if residual > 1e-7:
        warnings.warn(
            f"the block Lanczos method stopped with a relative residual of {residual:.1e}: the "
            f"leading {q} components are not well separated from the next; ask for fewer "
            "components, or use solver='eigh'",
            ConvergenceWarning,
            stacklevel=5,
        )
    return _without_noise(values, vectors, q)


def _sparse_pairs(X: SparsePoints, q: int) -> Spectrum:
    """Leading pairs of the covariance of sparse points.

    By SciPy's Lanczos method, one vector at a time: a product of a sparse matrix with 16 vectors
    takes 12 times that with one (100,000 × 10,000, 10 values a row), so blocks gain nothing.
    """
    d = X.points.shape[1]
    if 2 * q >= d or d <= 64:
        return spectrum(X.covariance(), q)
    start = np.random.default_rng(0).standard_normal(d)
    if not X.product(start[:, None]).any():
        return Spectrum(np.zeros(q), np.eye(q, d))
    operator = LinearOperator(
        (d, d), lambda v: X.product(v.reshape(d, 1)).ravel(), dtype=np.float64
    )
    values, vectors = eigsh(operator, q, v0=start)
    return _without_noise(values[::-1], vectors.T[::-1], q)


def _without_noise(values: Doubles, rows: Doubles, q: int | None) -> Spectrum:
    """Settled pairs, in which directions without variance depend on the others alone."""
    limit = tie_tolerance(rows.shape[1]) * float(values[0])
    some = int((values > limit).sum())
    if some == 0 or some >= (len(values) if q is None else q):
        return settled(values, rows, q)
    wanted = (len(values) if q is None else q) - some
    pairs = settled(values[:some], rows[:some])
    rest = signed(completed(pairs.vectors, wanted))
    return Spectrum(
        np.concatenate([pairs.values, np.zeros(wanted)]), np.concatenate([pairs.vectors, rest])
    )


def _isotropic(X: UncertainArray) -> bool:
    """Whether Ψ̄ is a multiple of the identity by construction."""
    return isinstance(X.cov, Zero) or (isinstance(X.cov, Diagonal) and X.cov.isotropic)
