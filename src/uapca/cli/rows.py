"""Uncertain rows as columns of a table, and as the bytes of a file."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from uapca.cli.errors import CommandError
from uapca.cli.fitting import feature_names
from uapca.inputs.patterns import CORRELATION, WEIGHT
from uapca.uncertain import UncertainArray

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
    if d > _WIDEST and X.cov.kind not in ("zero", "diagonal"):
        raise CommandError(
            f"{d} features with their correlations would make {d * (d + 3) // 2:,} columns. "
            "Write a .uapca file."
        )
    features, std = feature_names(X), X.std.astype(np.float64)
    columns: dict[str, Any] = {}
    if X.names is not None:
        columns["name"] = list(X.names)
    for j, feature in enumerate(features):
        columns[feature] = X.mean[:, j].astype(np.float64)
        columns[f"{feature}_err"] = std[:, j]
    if X.cov.kind not in ("zero", "diagonal"):
        columns |= _correlations(X, features, std)
    if weights:
        columns[WEIGHT] = X.weights * X.total_weight
    return columns


def _correlations(X: UncertainArray, features: tuple[str, ...], std: Any) -> dict[str, Any]:
    covs, columns = X.cov.dense(), {}
    # A certain value is correlated with nothing.
    scale = np.divide(1.0, std, out=np.zeros_like(std), where=std > 0.0)
    for i, first in enumerate(features):
        for j in range(i + 1, len(features)):
            corr = covs[:, i, j] * scale[:, i] * scale[:, j]
            if corr.any():
                name = CORRELATION.replace("{}", first, 1).replace("{}", features[j], 1)
                columns[name] = np.clip(corr, -1.0, 1.0)
    return columns


def saved(X: UncertainArray) -> bytes:
    """The bytes of a .uapca file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.uapca"
        X.save(path)
        return BytesIO(path.read_bytes()).getvalue()
