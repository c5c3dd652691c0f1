"""Checks of the arrays that laws are given."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats, as_floats, check_finite, complaint, shape_of

__all__ = ["affine_map", "frozen", "grid_axes", "grid_axis"]


def affine_map(A: npt.ArrayLike, b: npt.ArrayLike | None, dim: int) -> tuple[Floats, Floats]:
    """A matrix (q, dim) or diagonal (dim,) and a shift of matching length, checked."""
    matrix = as_floats(A, "A").astype(np.float64)
    if matrix.ndim not in (1, 2) or matrix.shape[-1] != dim:
        raise ValueError(
            complaint(
                "A",
                f"have shape (q, {dim}), or ({dim},) for a diagonal map",
                f"got shape {shape_of(matrix)}",
                "Give it one column for each coordinate of the law",
            )
        )
    check_finite(matrix, "A", ("row", "column")[-matrix.ndim :])
    size = matrix.shape[0]
    shift = np.zeros(size) if b is None else as_floats(b, "b").astype(np.float64)
    if shift.shape != (size,):
        raise ValueError(
            complaint(
                "b",
                f"have shape ({size},), one entry for each row of A",
                f"got shape {shape_of(shift)}",
                "Leave b out for no shift",
            )
        )
    check_finite(shift, "b", ("entry",))
    return matrix, shift


def grid_axes(grid: Any) -> tuple[Floats, Floats]:
    """The two axes of a grid in the plane."""
    if not hasattr(grid, "__len__") or len(grid) != 2:
        raise ValueError(
            complaint(
                "grid",
                "be a pair of axes (xs, ys) for a two-dimensional law",
                f"got {type(grid).__name__}"
                + (f" of length {len(grid)}" if hasattr(grid, "__len__") else ""),
                "Pass (xs, ys), the coordinates along each axis",
            )
        )
    x, y = (grid_axis(axis, f"grid[{i}]") for i, axis in enumerate(grid))
    return x, y


def grid_axis(values: Any, parameter: str) -> Floats:
    """One axis of a grid as a float64 array of shape (G,)."""
    axis = as_floats(values, parameter).astype(np.float64)
    if axis.ndim != 1:
        raise ValueError(
            complaint(
                parameter,
                "be one-dimensional",
                f"got shape {shape_of(axis)}",
                "Pass the coordinates along one axis",
            )
        )
    check_finite(axis, parameter, ("point",))
    return axis


def frozen(array: npt.ArrayLike) -> Floats:
    """A float64 copy nobody can write to."""
    copy = np.array(array, dtype=np.float64)
    copy.setflags(write=False)
    return copy
