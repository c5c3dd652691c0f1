"""The ways from data to the leading eigenpairs of K(s).

=========  ==========================================================  ======================
solver     what it does                                                when it is possible
=========  ==========================================================  ======================
eigh       forms C and Ψ̄, both D × D, and diagonalises K(s)            always
svd        thin singular value decomposition of the centred means      certain or isotropic
                                                                       errors
lanczos    multiplies by K(s) a block at a time, never forming it      finite s, or errors as
                                                                       for svd
=========  ==========================================================  ======================
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from uapca._validation import Floats, complaint
from uapca.aggregate.accumulate import moments
from uapca.decomposition.lanczos import leading_eigenpairs
from uapca.decomposition.spectrum import (
    Spectrum,
    completed,
    settled,
    signed,
    spectrum,
    tie_tolerance,
)
from uapca.uncertain import Covariance, Diagonal, LowRank, UncertainArray, Zero
from uapca.uncertain.blocks import Doubles, row_blocks

__all__ = ["SOLVERS", "Solution", "choose_solver", "solve", "solve_lanczos", "solve_svd"]

SOLVERS = ("auto", "eigh", "svd", "lanczos")

# Where auto leaves eigh: below this many features K is small, and keeping it allows `rescale`.
_WIDE = 2000
# Features for each component from which the block Lanczos method is faster than eigh (measured
# on means of rank 30 and noise: at 50 by 0.9 to 2.2, at 100 by 1.7 to 6.4, depending on N) ...
_FEW = 50
# ... and from which it is taken at sizes at which K would no longer be small.
_HUGE, _MANY = 5000, 10


@dataclass(frozen=True, slots=True)
class Solution:
    """What a matrix-free solver finds: the mean, the leading pairs and the total variance."""

    mean: Doubles
    pairs: Spectrum
    total: float


def choose_solver(solver: str, X: UncertainArray, q: int | None, scale: float) -> str:
    """The solver to use; ``q`` is None while it depends on the spectrum itself."""
    n, d = X.shape
    if solver == "eigh" or (solver == "auto" and d < _WIDE):
        return "eigh"
    if solver not in SOLVERS:
        raise ValueError(
            complaint(
                "solver",
                f"be one of {', '.join(map(repr, SOLVERS))}",
                f"got {solver!r}",
                "Leave it at 'auto'",
            )
        )
    plain = _plain(X.cov)
    if solver == "auto":
        if not isinstance(X.cov, Zero | Diagonal | LowRank):
            return "eigh"
        few = q is not None and (_FEW if d < _HUGE else _MANY) * q <= d
        if few and (np.isfinite(scale) if not plain else _MANY * (q or d) <= n):
            return "lanczos"
        return "svd" if plain and n < d and (q is None or q <= n) else "eigh"
    if solver == "svd" and not plain:
        raise ValueError(
            complaint(
                "solver",
                "be 'eigh' or 'lanczos' unless the errors are zero or isotropic",
                f"got 'svd' for {X.cov.kind} errors",
                "Use solver='auto'",
            )
        )
    if solver == "svd" and q is not None and q > min(n, d):
        raise ValueError(
            complaint(
                "n_components",
                f"be at most min(rows, features) = {min(n, d)} with solver='svd'",
                f"got {q}",
                "Use solver='eigh'",
            )
        )
    if solver == "lanczos" and not plain and np.isinf(scale):
        raise ValueError(
            complaint(
                "solver",
                "be 'eigh' at scale=inf unless the errors are zero or isotropic",
                f"got 'lanczos' for {X.cov.kind} errors",
                "Use solver='eigh', or a large finite scale",
            )
        )
    if solver == "lanczos" and q is None:
        raise ValueError(
            complaint(
                "solver",
                "be 'eigh' or 'svd' where n_components is a share of the variance",
                "got 'lanczos'",
                "Use solver='auto', or give n_components as an integer",
            )
        )
    return solver


def solve(
    solver: str, X: UncertainArray, q: int | None, scale: float, share: float
) -> tuple[Doubles, Spectrum, float]:
    """Mean, leading pairs and total variance without a D × D matrix, variances over ``share``."""
    if solver == "svd":
        found = solve_svd(X, q, scale)
    else:
        assert q is not None  # choose_solver saw to it
        found = solve_lanczos(X, q, scale)
    pairs = Spectrum(found.pairs.values / share, found.pairs.vectors)
    return found.mean, pairs, found.total / share


def solve_svd(X: UncertainArray, q: int | None, scale: float) -> Solution:
    """Components of certain rows, or of rows with isotropic errors, which change no direction."""
    mean = _mean(X)
    centred = np.subtract(X.mean, mean, dtype=np.float64)
    centred *= np.sqrt(X.weights)[:, None]
    size, rows = np.linalg.svd(centred, full_matrices=False)[1:]
    pairs = _without_noise(np.square(size), rows, q)
    level = 0.0 if isinstance(X.cov, Zero) else float(X.cov.average_diagonal(X._weights)[0])
    return _lifted(mean, pairs, float(np.square(size).sum()), level, scale, X.shape[1])


def solve_lanczos(X: UncertainArray, q: int, scale: float) -> Solution:
    """Components by products with K(s) = C + s²Ψ̄; no D × D array, no centred copy of the means."""
    n, d = X.shape
    if 2 * q >= d or d <= 64:  # a basis as large as the space: nothing is saved
        C = moments(X.mean, X._weights)
        K = C[1] + (0.0 if _plain(X.cov) else scale**2 * X.cov.average(X._weights))
        level = float(X.cov.average_diagonal(X._weights)[0]) if _plain(X.cov) else 0.0
        return _lifted(C[0], spectrum(K, q), float(np.trace(K)), level, scale, d)
    mean = _mean(X)
    weights = X.weights
    plain = _plain(X.cov)
    within = None if plain else X.cov.average_operator(X._weights)
    block_rows = next(row_blocks(n, d, least=64))
    buffer = np.empty((block_rows.stop, d))

    def product(v: Doubles) -> Doubles:
        out = np.zeros_like(v) if within is None else scale**2 * within(v)
        for block in row_blocks(n, d, least=64):
            # One subtraction serves both products, and an offset of the means costs no digits.
            centred = buffer[: block.stop - block.start]
            np.subtract(X.mean[block], mean, out=centred)
            inner = centred @ v
            inner *= weights[block][:, None]
            out += centred.T @ inner
        return out

    values, vectors, residual = leading_eigenpairs(product, d, q, basis=4 * q + 64)
    if residual > 1e-7:
        warnings.warn(
            f"the block Lanczos method stopped with a relative residual of {residual:.1e}: the "
            f"leading {q} components are not well separated from the next. Ask for fewer "
            "components, or use solver='eigh'.",
            ConvergenceWarning,
            stacklevel=5,
        )
    total = _scatter_trace(X.mean, mean, weights)
    level = 0.0
    if plain:
        level = float(X.cov.average_diagonal(X._weights)[0])
    else:
        total += scale**2 * float(X.cov.average_diagonal(X._weights).sum())
    return _lifted(mean, _without_noise(values, vectors, q), total, level, scale, d)


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


def _plain(cov: Covariance) -> bool:
    """Whether Ψ̄ is a multiple of the identity by construction."""
    return isinstance(cov, Zero) or (isinstance(cov, Diagonal) and cov.isotropic)


def _lifted(
    mean: Doubles, pairs: Spectrum, total: float, level: float, scale: float, d: int
) -> Solution:
    """The solution once an isotropic Ψ̄ = level · I has been added to the eigenvalues."""
    if level == 0.0:
        return Solution(mean, pairs, total)
    if np.isinf(scale):
        return Solution(mean, Spectrum(np.full_like(pairs.values, level), pairs.vectors), level * d)
    lift = scale**2 * level
    return Solution(mean, Spectrum(pairs.values + lift, pairs.vectors), total + lift * d)


def _mean(X: UncertainArray) -> Doubles:
    """μ, measured from one of the rows, so that a common offset costs no digits."""
    first = X.mean[int(X.weights.argmax())].astype(np.float64)
    shift = np.zeros(X.shape[1])
    for block in row_blocks(*X.shape):
        shift += X.weights[block] @ np.subtract(X.mean[block], first, dtype=np.float64)
    return np.asarray(first + shift)


def _scatter_trace(points: Floats, mean: Doubles, weights: Doubles) -> float:
    """tr C."""
    total = 0.0
    for block in row_blocks(*points.shape):
        deviation = np.subtract(points[block], mean, dtype=np.float64)
        total += float(weights[block] @ np.einsum("nd,nd->n", deviation, deviation))
    return total
