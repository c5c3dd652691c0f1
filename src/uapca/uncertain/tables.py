"""Uncertain rows as columns of a table: means, standard deviations and correlations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from uapca._validation import complaint

if TYPE_CHECKING:
    from uapca.uncertain.array import UncertainArray

__all__ = ["CORRELATION", "ERROR", "columns_of_rows", "has_correlations"]

ERROR = "{}_err"
CORRELATION = "{}_{}_corr"


def has_correlations(X: UncertainArray) -> bool:
    """Whether the errors of a row may be correlated."""
    return X.cov.kind not in ("zero", "diagonal")


def columns_of_rows(X: UncertainArray, corr: bool) -> dict[str, Any]:
    """Columns ``x`` and ``x_err`` for each feature, in the storage type of the rows.

    With ``corr`` also ``x_y_corr`` for each pair that is correlated in some row.
    """
    features, std = X.features or tuple(f"x{j}" for j in range(X.shape[1])), X.std
    parts = [(feature, X.mean[:, j]) for j, feature in enumerate(features)]
    parts += [(ERROR.replace("{}", feature), std[:, j]) for j, feature in enumerate(features)]
    if corr and has_correlations(X):
        parts += _correlations(X, features, std.astype(np.float64)).items()
    columns = dict(parts)
    if len(columns) < len(parts):
        names = [name for name, _ in parts]
        raise ValueError(
            complaint(
                "features",
                "give a table columns of different names",
                f"two of them would be called {next(n for n in names if names.count(n) > 1)!r}",
                "Rename one of them, or save the rows with X.save(path)",
            )
        )
    order = [n for f in features for n in (f, ERROR.replace("{}", f))]
    return {name: columns[name] for name in dict.fromkeys([*order, *columns])}


def _correlations(X: UncertainArray, features: tuple[str, ...], std: Any) -> dict[str, Any]:
    covs, columns = X.cov.dense(), {}
    # A certain value is correlated with nothing.
    scale = np.divide(1.0, std, out=np.zeros_like(std), where=std > 0.0)
    for i, first in enumerate(features):
        for j in range(i + 1, len(features)):
            corr = covs[:, i, j] * scale[:, i] * scale[:, j]
            if corr.any():
                head, middle, tail = CORRELATION.split("{}")
                name = f"{head}{first}{middle}{features[j]}{tail}"
                columns[name] = np.clip(corr, -1.0, 1.0)
    return columns
