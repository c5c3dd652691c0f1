"""Sets of frequencies at which characteristic functions are evaluated.

A marginal writes its characteristic function once, in terms of ``t`` and ``wave(x)`` = exp(i t x).
On a lattice of the plane t = α u_k + β v_l, so a wave is an outer product and costs K + L
exponentials instead of K · L.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats

__all__ = [
    "Complexes",
    "Frequencies",
    "Lattice",
    "Listed",
    "cubics",
    "interpolated",
    "powers",
    "ramp",
    "sinc",
]

Complexes = npt.NDArray[np.complexfloating]

#: Below this argument closed forms cancel and their Taylor series are used.
SMALL = 0.5


class Frequencies(Protocol):
    """Frequencies t, and sums of exp(i t x) over them."""

    @property
    def t(self) -> Floats: ...

    def wave(self, x: float) -> Complexes:
        """exp(i t x), in the shape of t."""

    def sum(self, x: Floats, mass: Floats | Complexes) -> Complexes:
        """Σ_k mass[k] exp(i t x[k]), in the shape of t."""


class Listed:
    """Any array of frequencies."""

    def __init__(self, t: Floats) -> None:
        self.t = t

    def wave(self, x: float) -> Complexes:
        return np.asarray(np.exp(1j * (self.t * x)))

    def sum(self, x: Floats, mass: Floats | Complexes) -> Complexes:
        flat = self.t.ravel()
        total = np.empty(flat.shape, dtype=np.complex128)
        step = max(1, 2_000_000 // max(1, len(x)))
        for start in range(0, len(flat), step):
            part = flat[start : start + step]
            total[start : start + step] = np.exp(1j * np.multiply.outer(part, x)) @ mass
        return total.reshape(self.t.shape)


class Lattice:
    """t[k, l] = α u (k − K) + β v l for k = 0 … 2K and l = 0 … L; only some rows if given."""

    def __init__(
        self, first: float, second: float, modes: tuple[int, int], rows: slice = slice(None)
    ) -> None:
        self.first, self.second = first, second
        self.modes, self.rows = modes, rows
        k = np.arange(-modes[0], modes[0] + 1)[rows]
        self.t: Floats = np.add.outer(first * k, second * np.arange(modes[1] + 1))

    def wave(self, x: float) -> Complexes:
        rows, columns = self._axes(np.array([x]))
        return rows.T * columns

    def sum(self, x: Floats, mass: Floats | Complexes) -> Complexes:
        rows, columns = self._axes(x)
        rows = rows * mass[:, None]
        if len(x) > 4:
            return np.asarray(rows.T @ columns)
        # So few terms do not repay waking a matrix library's threads.
        total: Complexes = np.multiply.outer(rows[0], columns[0])
        part = np.empty_like(total)
        for row, column in zip(rows[1:], columns[1:], strict=True):
            total += np.multiply.outer(row, column, out=part)
        return total

    def _axes(self, x: Floats) -> tuple[Complexes, Complexes]:
        positive = powers(self.first * x, self.modes[0])
        rows = np.concatenate([positive[:, :0:-1].conj(), positive], axis=1)[:, self.rows]
        return rows, powers(self.second * x, self.modes[1])


def powers(angle: Floats, count: int) -> Complexes:
    """exp(i k angle) for k = 0 … count, shape (len(angle), count + 1).

    Products instead of exponentials, doubling what is known: a tenth of the cost, and the error
    of the last is log2(count) roundings.
    """
    result = np.empty((len(angle), count + 1), dtype=np.complex128)
    result[:, 0] = 1.0
    base = np.exp(1j * angle)
    known = 1
    while known <= count:
        new = min(known, count + 1 - known)
        jump = (result[:, known - 1] * base)[:, None]
        np.multiply(result[:, :new], jump, out=result[:, known : known + new])
        known += new
    return result


def sinc(frequencies: Frequencies, width: float) -> Floats:
    """sin(t w / 2) / (t w / 2): the law U(−w/2, w/2)."""
    half = frequencies.t * (0.5 * width)
    small = np.abs(half) < SMALL
    result = frequencies.wave(0.5 * width).imag / np.where(small, 1.0, half)
    s = half[small] ** 2
    result[small] = 1 - s / 6 * (1 - s / 20 * (1 - s / 42 * (1 - s / 72 * (1 - s / 110))))
    return result


def ramp(frequencies: Frequencies, width: float) -> Complexes:
    """The law with density 2 (1 − x / w) / w on (0, w), or on (w, 0) where w is negative.

    2 (1 + iτ − exp(iτ)) / τ² with τ = t w.
    """
    tau = frequencies.t * width
    small = np.abs(tau) < SMALL
    safe = np.where(small, 1.0, tau)
    result: Complexes = 2 * (1 + 1j * tau - frequencies.wave(width)) / (safe * safe)
    s = tau[small] ** 2
    real = 1 - s / 12 * (1 - s / 30 * (1 - s / 56 * (1 - s / 90 * (1 - s / 132))))
    imag = tau[small] / 3 * (1 - s / 20 * (1 - s / 42 * (1 - s / 72 * (1 - s / 110))))
    result[small] = real + 1j * imag
    return result


def cubics(table: Complexes) -> Complexes:
    """Cubics c₀ + c₁u + c₂u² + c₃u³ between the values of a Hermitian function at 0, 1, 2, ….

    Those of Lagrange through the points -1, 0, 1, 2 around each cell; shape (4, cells).
    """
    table = np.concatenate([table[1:2].conj(), table])
    a, b, c, d = table[:-3], table[1:-2], table[2:-1], table[3:]
    parts = [b, c - b / 2 - a / 3 - d / 6, (a + c) / 2 - b, (d - a) / 6 + (b - c) / 2]
    return np.asarray(np.stack(parts))


def interpolated(table: Complexes, place: Floats) -> Complexes:
    """Values of the cubics at ``place``, counted in cells."""
    cell = place.astype(np.intp)
    u = place - cell
    result = table[3].take(cell)
    for coefficients in table[2::-1]:
        result *= u
        result += coefficients.take(cell)
    return np.asarray(result)
