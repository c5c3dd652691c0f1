"""Uncertain rows as columns of a table, and as the bytes of a file."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from uapca.cli.errors import CommandError
from uapca.inputs.patterns import WEIGHT
from uapca.uncertain import UncertainArray, tables

__all__ = ["columns_of_rows", "saved"]

# More features than this make no readable table of correlations.
_WIDEST = 50


def columns_of_rows(X: UncertainArray, *, weights: bool = False) -> dict[str, Any]:
    """Means, standard deviations and correlations, in columns that are read back as such.

    Columns ``x`` and ``x_err`` for each feature, ``x_y_corr`` for each pair that is correlated in
    some row, ``name`` if rows have names, and on demand ``uapca_weight``: the weights, summing to
    the total they had.
    """
    d = X.shape[1]
    if d > _WIDEST and tables.has_correlations(X):
        raise CommandError(
            f"{d} features with their correlations would make {d * (d + 3) // 2:,} columns. "
            "Write a .uapca file."
        )
    columns: dict[str, Any] = {} if X.names is None else {"name": list(X.names)}
    for name, column in tables.columns_of_rows(X, corr=True).items():
        columns[name] = column.astype(np.float64)
    if weights:
        columns[WEIGHT] = X.weights * X.total_weight
    return columns


def saved(X: UncertainArray) -> bytes:
    """The bytes of a .uapca file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.uapca"
        X.save(path)
        return BytesIO(path.read_bytes()).getvalue()
