"""Sums over evenly spaced frequencies or angles, by chirp transforms."""

from __future__ import annotations

import numpy as np
from scipy import fft

from uapca._validation import Floats
from uapca.laws.waves import Complexes, powers

__all__ = ["Comb", "polynomial"]

#: Numbers that are transformed at a time.
BLOCK = 1 << 14


class Comb:
    """t[k] = step · k for k = 0 … modes."""

    def __init__(self, step: float, modes: int) -> None:
        self.step, self.modes = step, modes
        self.t: Floats = step * np.arange(modes + 1)

    def wave(self, x: float) -> Complexes:
        return np.asarray(np.exp(1j * (self.t * x)))

    def sum(self, x: Floats, mass: Floats | Complexes) -> Complexes:
        gaps = np.diff(x)
        if len(x) < 16 or np.ptp(gaps) > 1e-9 * np.max(np.abs(gaps)):
            return np.asarray(mass @ powers(self.step * x, self.modes))
        # Evenly spaced values: a polynomial in exp(i t gap), shifted to the first value.
        gap = (x[-1] - x[0]) / (len(x) - 1)
        values = polynomial(mass[None, :], gap * self.t)[0]
        return np.asarray(values * self.wave(float(x[0])))


def polynomial(coefficients: Floats | Complexes, angles: Floats) -> Complexes:
    """Σ_k coefficients[:, k] exp(i k angle) at each angle, shape (rows, len(angles)).

    Evenly spaced angles are done by Bluestein's chirp transform, in three FFTs: as fast as a
    matrix product, and with no threads that a busy machine would keep waiting.
    """
    steps = np.diff(angles)
    if len(angles) < 16 or np.ptp(steps) > 1e-12 * np.max(np.abs(angles)):
        return np.asarray(coefficients @ powers(angles, coefficients.shape[1] - 1).T)
    step = (angles[-1] - angles[0]) / (len(angles) - 1)
    return _chirp(coefficients, float(angles[0]), float(step), len(angles))


def _chirp(coefficients: Floats | Complexes, start: float, step: float, count: int) -> Complexes:
    """The sum at start + step · j: with jk = (j² + k² − (j − k)²) / 2 it is a convolution."""
    terms = coefficients.shape[1]
    size = fft.next_fast_len(terms + count - 1)
    k = np.arange(max(terms, count))
    chirp = np.exp(0.5j * step * (k * k))
    kernel = np.zeros(size, dtype=np.complex128)
    kernel[:count] = chirp[:count].conj()
    kernel[size - terms + 1 :] = chirp[1:terms][::-1].conj()
    kernel = fft.fft(kernel)
    turn = chirp[:terms] * np.exp(1j * start * k[:terms])
    result = np.empty((len(coefficients), count), dtype=np.complex128)
    # A few rows at a time, in memory that stays in the cache.
    block = max(1, BLOCK // size)
    padded = np.empty((min(block, len(coefficients)), size), dtype=np.complex128)
    for first in range(0, len(coefficients), block):
        part = coefficients[first : first + block]
        room = padded[: len(part)]
        np.multiply(part, turn, out=room[:, :terms])
        room[:, terms:] = 0.0
        spectrum = fft.fft(room, axis=1, overwrite_x=True)
        spectrum *= kernel
        values = fft.ifft(spectrum, axis=1, overwrite_x=True)[:, :count]
        np.multiply(values, chirp[:count], out=result[first : first + block])
    return result
