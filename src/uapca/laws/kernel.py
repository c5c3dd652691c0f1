"""Weighted Gaussian kernel estimates on a line and in the plane, for any number of samples.

Samples are shared linearly between the nearest points of a grid finer than the kernel, and the
kernel is applied to the grid's Fourier transform. Sharing widens the estimate by a sixth of the
squared grid step, which is taken off the kernel's variance.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import fft

from uapca._validation import Floats
from uapca.laws.inversion import PlaneSeries, padded, tapered

__all__ = ["kernel_line", "kernel_plane", "kernel_span"]

#: exp(-x²/2) = 1e-10: frequencies beyond this many inverse bandwidths are negligible.
REACH = 6.8
FINEST_LINE = 1 << 18
MOST_TERMS = 384


def kernel_span(z: Floats, bandwidth: float) -> tuple[float, float]:
    """Interval that holds the estimate."""
    return float(z.min()) - 6 * bandwidth, float(z.max()) + 6 * bandwidth


def kernel_line(z: Floats, weights: Floats, bandwidth: float, x: Floats) -> Floats:
    """Estimate at `x` from samples `z` of shape (n,)."""
    low, high = padded(kernel_span(z, bandwidth))
    size = fft.next_fast_len(min(int(np.ceil((high - low) / bandwidth * 16)), FINEST_LINE), True)
    step = (high - low) / size
    cell, share = _shared(z, low, step, size)
    mass = np.bincount(cell, weights * (1 - share), minlength=size)
    mass += np.bincount((cell + 1) % size, weights * share, minlength=size)
    omega = 2 * np.pi / (high - low) * np.arange(size // 2 + 1)
    with np.errstate(under="ignore"):
        kernel = np.exp(-0.5 * max(bandwidth**2 - step**2 / 6, 0.0) * omega**2)
    # Points between the grid's: the series is summed on a grid four times as fine.
    fine = 4 * size
    terms = np.zeros(fine // 2 + 1, dtype=np.complex128)
    terms[: size // 2 + 1] = fft.rfft(mass) * kernel
    values = fft.irfft(terms, n=fine) * (fine / (high - low))
    nodes = low + step / 4 * np.arange(fine + 1)
    heights = np.maximum(np.append(values, values[0]), 0.0)
    return np.asarray(np.interp(x, nodes, heights, left=0.0, right=0.0))


def kernel_plane(z: Floats, weights: Floats, bandwidth: float, lower: Floats) -> PlaneSeries:
    """Estimate from whitened samples `z` (n, 2), as deviations ``lower @ z``."""
    spans = np.array([padded(kernel_span(column, bandwidth)) for column in z.T])
    lengths = spans[:, 1] - spans[:, 0]
    wanted = np.ceil(REACH / bandwidth * lengths / (2 * np.pi)).astype(int)
    modes = np.minimum(wanted, MOST_TERMS)
    sizes = [fft.next_fast_len(int(8 * count), True) for count in modes]
    steps = lengths / sizes
    (c1, s1), (c2, s2) = (_shared(z[:, i], spans[i, 0], steps[i], sizes[i]) for i in range(2))
    mass = np.zeros(sizes[0] * sizes[1])
    for row, first in ((c1, 1 - s1), ((c1 + 1) % sizes[0], s1)):
        for column, second in ((c2, 1 - s2), ((c2 + 1) % sizes[1], s2)):
            mass += np.bincount(
                row * sizes[1] + column, weights * first * second, minlength=len(mass)
            )
    # Only a few columns of the transform are needed, so the second pass is on those alone.
    half = fft.rfft(mass.reshape(sizes), axis=1)[:, : modes[1] + 1]
    full = fft.fft(half, axis=0)
    k = np.arange(-modes[0], modes[0] + 1)
    m = np.arange(modes[1] + 1)
    omega = 2 * np.pi / lengths[0] * k, 2 * np.pi / lengths[1] * m
    with np.errstate(under="ignore"):
        kernels = [
            np.exp(-0.5 * max(bandwidth**2 - step**2 / 6, 0.0) * w**2)
            for w, step in zip(omega, steps, strict=True)
        ]
        # The transform's sign and origin: φ(ω) = conj(Σ mass exp(−i ω (z − low))) exp(i ω low).
        origin = [np.exp(1j * w * low) for w, low in zip(omega, spans[:, 0], strict=True)]
        terms = full[k].conj() * np.outer(kernels[0] * origin[0], kernels[1] * origin[1])
    if np.any(wanted > modes):
        terms = tapered(terms)
    return PlaneSeries(terms, lower, spans, 1.0)


def _shared(z: Floats, low: float, step: float, size: int) -> tuple[npt.NDArray[np.intp], Floats]:
    place = (z - low) / step
    cell = np.clip(np.floor(place).astype(np.intp), 0, size - 1)
    return cell, place - cell
