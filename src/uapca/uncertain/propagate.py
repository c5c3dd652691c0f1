"""Elementwise functions of uncertain values: means and covariances to second order.

For normal errors with covariance Ψ the expansion in Hermite polynomials gives

    E f(x_i) ≈ f + ½ f″ Ψ_ii        Cov(f(x_i), f(x_j)) ≈ a_i a_j Ψ_ij + ½ f″_i f″_j Ψ_ij²

with a = E f′ ≈ f′ + ½ f‴ Ψ_ii. For exp both are known exactly (log-normal moments).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from uapca._validation import Doubles, plural
from uapca.exceptions import ApproximationWarning
from uapca.uncertain.covariance import Covariance, Dense, Diagonal, LowRank, Zero

__all__ = ["KNOWN", "Function", "derivatives_from", "propagated"]

Function = Callable[[Doubles], npt.ArrayLike]

# If the slope changes by more than this share within a standard deviation, second order is not
# enough.
_CURVED = 1 / 3


def _multiple(factor: float, functions: tuple[Function, ...]) -> tuple[Function, ...]:
    return tuple(lambda x, f=f: factor * np.asarray(f(x)) for f in functions)


_LOG: tuple[Function, ...] = (np.log, lambda x: 1 / x, lambda x: -1 / x**2, lambda x: 2 / x**3)

# Functions by name, each with its first three derivatives.
KNOWN: dict[str, tuple[Function, ...]] = {
    "log": _LOG,
    "log10": _multiple(1 / np.log(10), _LOG),
    "log1p": tuple(lambda x, f=f: f(1 + x) for f in _LOG),  # type: ignore[misc]
    "magnitude": _multiple(-2.5 / np.log(10), _LOG),
    "sqrt": (
        np.sqrt,
        lambda x: 0.5 * x**-0.5,
        lambda x: -0.25 * x**-1.5,
        lambda x: 0.375 * x**-2.5,
    ),
    "exp": (np.exp,) * 4,
    "reciprocal": (
        lambda x: 1 / x,
        lambda x: -1 / x**2,
        lambda x: 2 / x**3,
        lambda x: -6 / x**4,
    ),
}


def propagated(
    mean: Doubles,
    cov: Covariance,
    chosen: npt.NDArray[np.bool_],
    name: str,
    functions: tuple[Function, ...],
) -> tuple[Doubles, Covariance]:
    """Means and covariances after an elementwise function of some features.

    Parameters
    ----------
    mean : ndarray of shape (N, D)
        NaN where a value is missing; it stays so.
    cov : Covariance
    chosen : ndarray of bool of shape (D,)
    name : str
    functions : tuple of functions
        The function and its first, second and third derivatives.
    """
    where = chosen & ~np.isnan(mean)
    x, std = mean[where], cov.std().astype(np.float64)[where]
    exact = functions is KNOWN["exp"]
    with np.errstate(all="ignore"):
        value, *derivatives = (np.asarray(f(x), dtype=np.float64) for f in functions)
        # A certain value needs no derivatives, which may be infinite (that of √x at 0).
        slope, curve, third = (np.where(std > 0, part, 0.0) for part in derivatives)
        if exact:
            value = slope = curve = value * np.exp(0.5 * std**2)
        else:
            value = value + 0.5 * curve * std**2
            slope = slope + 0.5 * third * std**2
    bad = ~np.isfinite([value, slope, curve]).all(axis=0)
    if bad.any():
        row, feature = np.argwhere(where)[bad][0]
        raise ValueError(
            f"{name} must be finite and smooth at all values; row {row}, feature {feature} has "
            f"{mean[row, feature]} ± {std[bad][0]:.2g}"
        )
    if not exact:
        _check_curvature(x, std, functions[0], slope, curve, name)
    image, a, b = mean.copy(), np.ones(mean.shape), np.zeros(mean.shape)
    image[where], a[where], b[where] = value, slope, curve

    def second(psi: Doubles, left: Doubles, right: Doubles) -> Doubles:
        """What second order (for exp: all orders from the second on) adds to a covariance."""
        return left * right * (np.expm1(psi) - psi if exact else 0.5 * psi**2)

    if isinstance(cov, Zero):
        return image, cov
    if isinstance(cov, Diagonal | LowRank):
        kept, variances = cov.arrays, cov.diagonal().astype(np.float64)
        own = np.square(kept.get("std", np.zeros((1, 1))), dtype=np.float64) * cov.multiplier
        spread = np.sqrt(np.square(a) * own + second(variances, b, b))
        diagonal = Diagonal(spread.astype(cov.dtype), *mean.shape)
        if isinstance(cov, Diagonal):
            return image, diagonal
        factors = kept["factors"] * a[:, :, None] * np.sqrt(cov.multiplier)
        return image, LowRank(factors.astype(cov.dtype), diagonal)
    psi = cov.dense().astype(np.float64)
    matrices = a[:, :, None] * a[:, None, :] * psi + second(psi, b[:, :, None], b[:, None, :])
    return image, Dense(matrices.astype(cov.dtype, copy=False))


def derivatives_from(first: Function) -> tuple[Function, ...]:
    """A first derivative, the second by central differences, and the third left out."""

    def second(x: Doubles) -> Doubles:
        step = 1e-5 * np.maximum(np.abs(x), 1e-3)
        return np.subtract(first(x + step), first(x - step)) / (2 * step)

    return first, second, np.zeros_like


def _check_curvature(
    x: Doubles, std: Doubles, function: Function, slope: Doubles, curve: Doubles, name: str
) -> None:
    """Warn where the function is too curved or undefined within the errors."""
    with np.errstate(all="ignore"):
        ends = np.asarray(function(np.concatenate([x - 3 * std, x + 3 * std])), dtype=np.float64)
    beyond = ~np.isfinite(ends).reshape(2, -1).all(axis=0)
    wide = (np.abs(curve) * std > _CURVED * np.abs(slope)) | beyond
    if wide.any():
        k = int(np.argmax(wide))
        warnings.warn(
            f"{name} is too curved for the errors of {plural(int(wide.sum()), 'value')}, such as "
            f"{x[k]:.4g} ± {std[k]:.2g}: means and errors are rough there; "
            "uapca.from_draws of the function of X.sample(n) is exact",
            ApproximationWarning,
            stacklevel=4,
        )
