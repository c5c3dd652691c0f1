"""Correlations of errors in columns, and the covariances they make."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from uapca._validation import Floats, complaint
from uapca.inputs.columns import Columns, listed
from uapca.inputs.parts import check_numeric, check_values, row_called
from uapca.inputs.patterns import CORRELATION

__all__ = ["correlation_pattern", "covariances"]

# Correlations printed to six digits, as catalogues do, leave a matrix this far from definite.
_TOLERANCE = 1e-5


def correlation_pattern(corr: str | None) -> str:
    """The pattern of the names of columns with correlations."""
    if corr is None:
        return CORRELATION
    if not isinstance(corr, str) or corr.count("{}") != 2:
        raise ValueError(
            complaint(
                "corr",
                "be a pattern that holds {} twice, such as '{}_{}_corr'",
                f"got {corr!r}",
                "{} stands for the names of two features",
            )
        )
    return corr


def _paired(pattern: str, first: str, second: str) -> str:
    head, middle, tail = pattern.split("{}")
    return f"{head}{first}{middle}{second}{tail}"


def covariances(
    columns: Columns,
    chosen: Sequence[str],
    corr: str,
    std: Floats,
    labels: Sequence[str] | None = None,
) -> Floats:
    """One covariance matrix for each row from its errors and their correlations."""
    pattern, present = correlation_pattern(corr), set(columns.names)
    places, used = [], []
    for i, first in enumerate(chosen):
        for j in range(i + 1, len(chosen)):
            both = {_paired(pattern, first, chosen[j]), _paired(pattern, chosen[j], first)}
            matches = sorted(both & present)
            if len(matches) > 1:
                raise ValueError(
                    complaint(
                        "corr",
                        "match one column for each pair of features",
                        f"{first!r} and {chosen[j]!r} have {listed(matches)}",
                        "Drop one of the two",
                    )
                )
            if matches:
                places.append((i, j))
                used.append(matches[0])
    if not used:
        raise ValueError(
            complaint(
                "corr",
                "match at least one column",
                f"no column is named like {_paired(pattern, 'x', 'y')!r} for features x and y",
                f"The columns are {listed(columns.names)}",
            )
        )
    check_numeric(columns, used, "corr")
    values = columns.block(used)
    check_values(values, used, labels)
    outside = np.abs(values) > 1
    if outside.any():
        row, k = (int(i) for i in np.argwhere(outside)[0])
        raise ValueError(
            complaint(
                f"column {used[k]!r}",
                "hold correlations between -1 and 1",
                f"got {values[row, k]} at {row_called(row, labels)}",
                "Divide covariances by both errors to get correlations",
            )
        )
    n, d = std.shape
    matrices = np.zeros((n, d, d))
    matrices[:, range(d), range(d)] = 1.0
    for k, (i, j) in enumerate(places):
        matrices[:, i, j] = matrices[:, j, i] = values[:, k]
    _check_definite(matrices, labels)
    matrices *= std[:, :, None]
    matrices *= std[:, None, :]
    return matrices


def _check_definite(matrices: Floats, labels: Sequence[str] | None) -> None:
    """Raise unless every correlation matrix is positive semi-definite, up to rounding."""
    n, d, _ = matrices.shape
    size = max(1, (1 << 20) // (d * d))
    for start in range(0, n, size):
        part = matrices[start : start + size]
        lifted = part + _TOLERANCE * np.eye(d)
        try:
            np.linalg.cholesky(lifted)
        except np.linalg.LinAlgError:
            lowest = np.linalg.eigvalsh(part)[:, 0]
            row = int(np.argmax(lowest < -_TOLERANCE))
            raise ValueError(
                complaint(
                    "corr",
                    "make a positive semi-definite matrix in every row",
                    f"the correlations of {row_called(start + row, labels)} have the eigenvalue "
                    f"{lowest[row]:.3g}",
                    "No errors can be correlated like this: check the columns, or leave out "
                    "that row",
                )
            ) from None
