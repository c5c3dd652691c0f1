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
from typing import cast

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.exceptions import ConvergenceWarning

from uapca._validation import Doubles, check_choice
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

_NEEDS = {
    "svd": (
        "points that are not sparse, errors that are zero or (without standardize) isotropic, and "
        "n_components up to min(rows, features)"
    ),
    "lanczos": (
        "n_components as an integer or None, and at scale=inf errors that are zero or (without "
        "standardize) isotropic"
    ),
}

# Where auto leaves eigh: below this many features K is small, and keeping it allows `rescale`.
_WIDE = 2000
# Features for each component from which the block Lanczos method is faster than eigh (measured
# on means of rank 30 and noise: at 50 by 0.9 to 2.2, at 100 by 1.7 to 6.4, depending on N) ...
_FEW = 50
# ... and from which it is taken at sizes at which K would no longer be small.
_HUGE, _MANY = 5000, 10


def choose_solver(
    solver: str,
    X: UncertainArray | SparsePoints,
    q: int | None,
    scale: float,
    standardize: bool,
) -> str:
    """The solver to use for uncertain rows or sparse points.

    ``q`` is None while it depends on the spectrum itself. Errors that are isotropic are not so
    any more once features are standardized.
    """
    n, d = X.shape
    check_choice(solver, SOLVERS, "solver")
    if solver == "eigh" or (solver == "auto" and d < _WIDE):
        return "eigh"
    sparse, means_decide = isinstance(X, SparsePoints), _means_decide(X, standardize)
    possible = ["eigh"]
    if means_decide and not sparse and (q is None or q <= min(n, d)):
        possible.append("svd")
    if q is not None and (means_decide or np.isfinite(scale)):
        possible.append("lanczos")
    if solver in possible:
        return solver
    if solver != "auto":
        raise ValueError(
            f"solver must be {' or '.join(map(repr, possible))}; got {solver!r}, which needs "
            f"{_NEEDS[solver]}"
        )
    # Other errors take no less than K.
    light = sparse or isinstance(X.cov, Zero | Diagonal | LowRank)
    few = q is not None and (_FEW if d < _HUGE else _MANY) * q <= d
    if "lanczos" in possible and light and few and not (means_decide and _MANY * (q or d) > n):
        return "lanczos"
    return "svd" if "svd" in possible and n < d else "eigh"


def _means_decide(X: UncertainArray | SparsePoints, standardize: bool) -> bool:
    """Whether Ψ̄ is a multiple of the identity by construction, and changes no direction."""
    return isinstance(X.cov, Zero) or (X.cov.isotropic and not standardize)


def solve(
    solver: str,
    X: UncertainArray | SparsePoints,
    mean: Doubles,
    units: Doubles | None,
    divisor: float,
    q: int | None,
    scale: float,
) -> tuple[Spectrum, Doubles]:
    """Leading pairs of K(s), and vᵀΨ̄v along each, without a D × D matrix.

    ``mean`` is the mean of X; features are divided by their ``units``, and K by the ``divisor``.
    """
    means_decide = _means_decide(X, units is not None)
    units = np.ones_like(mean) if units is None else units
    spread = None if means_decide else X.cov.average_operator(X.given_weights)
    if solver == "svd":
        assert isinstance(X, UncertainArray)
        centered = np.subtract(X.mean, mean, dtype=np.float64)
        centered *= np.sqrt(X.weights)[:, None]
        centered /= units
        size, rows = np.linalg.svd(centered, full_matrices=False)[1:]
        pairs = _without_noise(np.square(size), rows, q)
    else:
        products = X.product if isinstance(X, SparsePoints) else _products_with_means(X, mean)

        def product(v: Doubles) -> Doubles:
            v = v / units[:, None]
            out = products(v)
            if spread is not None and scale > 0.0:
                out += scale**2 * spread(v)
            out /= units[:, None]
            return out

        pairs = _leading(product, len(mean), cast(int, q), isinstance(X, SparsePoints))
    values = pairs.values
    if spread is not None:
        columns = pairs.vectors.T / units[:, None]
        own = np.asarray((columns * spread(columns)).sum(axis=0))
    else:
        own = np.full_like(values, X.cov.average_diagonal(X.given_weights)[0])
        if own.any():
            values = own if np.isinf(scale) else values + scale**2 * own
    return Spectrum(values / divisor, pairs.vectors), own / divisor


def _products_with_means(X: UncertainArray, mean: Doubles) -> Callable[[Doubles], Doubles]:
    """A function that multiplies by C, the covariance of the means; no centered copy of them."""
    n, d = X.shape
    buffer = np.empty((next(row_blocks(n, d, least=64)).stop, d))

    def product(v: Doubles) -> Doubles:
        out = np.zeros_like(v)
        for block in row_blocks(n, d, least=64):
            # One subtraction serves both products, and an offset of the means costs no digits.
            centered = buffer[: block.stop - block.start]
            np.subtract(X.mean[block], mean, out=centered)
            inner = centered @ v
            inner *= X.weights[block][:, None]
            out += centered.T @ inner
        return out

    return product


def _leading(product: Callable[[Doubles], Doubles], d: int, q: int, sparse: bool) -> Spectrum:
    """Leading pairs of a matrix known by its products.

    Of sparse points by SciPy's Lanczos method, one vector at a time: a product of a sparse matrix
    with 16 vectors takes 12 times that with one (100,000 × 10,000, 10 values a row), so blocks gain
    nothing.
    """
    if 2 * q >= d or d <= 64:  # a basis as large as the space: nothing is saved
        K = product(np.eye(d))
        return spectrum(0.5 * (K + K.T), q)
    if sparse:
        start = np.random.default_rng(0).standard_normal(d)
        if not product(start[:, None]).any():
            return Spectrum(np.zeros(q), np.eye(q, d))
        operator = LinearOperator((d, d), lambda v: product(v.reshape(d, 1)), dtype=np.float64)
        values, columns = eigsh(operator, q, v0=start)
        return _without_noise(values[::-1], columns.T[::-1], q)
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
