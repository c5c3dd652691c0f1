"""Uncertain rows as columns of a table, and as the bytes of a file."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from uapca.cli.errors import CommandError
from uapca.cli.fitting import feature_names
from uapca.cli.labels import quoted
from uapca.inputs.read import WEIGHT
from uapca.uncertain import UncertainArray
from uapca.uncertain import array as tables
from uapca.uncertain.array import CORRELATION

__all__ = ["check_columns", "columns_of_rows", "saved"]

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
    pairs = list(combinations(range(d), 2)) if tables.has_correlations(X) else []
    check_columns(feature_names(X), named=X.names is not None, weights=weights, pairs=pairs)
    columns: dict[str, Any] = {} if X.names is None else {"name": list(X.names)}
    for name, column in tables.columns_of_rows(X, corr=True).items():
        columns[name] = column.astype(np.float64)
    if weights:
        columns[WEIGHT] = X.weights * X.total_weight
    return columns


def check_columns(
    features: Sequence[str],
    *,
    named: bool,
    weights: bool,
    pairs: Sequence[tuple[int, int]] = (),
) -> None:
    """Raise if two columns of a table would have one name, or a feature that of a correlation.

    Parameters
    ----------
    features : sequence of str
    named, weights : bool
        Whether there are columns of names and of weights.
    pairs : sequence of pairs of int
        Features with a column for their correlation.
    """
    columns = [("name", "the names of the rows")] * named
    columns += [(WEIGHT, "the weights")] * weights
    for feature in features:
        columns.append((feature, f"the feature {quoted(feature)}"))
        columns.append((_error(feature), f"the errors of {quoted(feature)}"))
    for i, j in pairs:
        both = f"{quoted(features[i])} and {quoted(features[j])}"
        columns.append((_correlation(features[i], features[j]), f"the correlations of {both}"))
    taken: dict[str, str] = {}
    for name, meaning in columns:
        if name in taken:
            raise CommandError(
                f"the table would have two columns {quoted(name)}: {taken[name]}, and {meaning}. "
                "Write a .uapca file, or rename the columns of the data."
            )
        taken[name] = meaning
    if len(features) > _WIDEST:
        return
    for first, second in combinations(features, 2):
        name = _correlation(first, second)
        if name in features:
            raise CommandError(
                f"the feature {quoted(name)} would be read back as the correlations of "
                f"{quoted(first)} and {quoted(second)}. Write a .uapca file, or rename the columns "
                "of the data."
            )


def _error(feature: str) -> str:
    return tables.ERROR.replace("{}", feature)


def _correlation(first: str, second: str) -> str:
    return CORRELATION.replace("{}", first, 1).replace("{}", second, 1)


def saved(X: UncertainArray) -> bytes:
    """The bytes of a .uapca file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.uapca"
        X.save(path)
        return BytesIO(path.read_bytes()).getvalue()
