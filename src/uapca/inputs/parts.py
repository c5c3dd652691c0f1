"""What all readers share: rows named or weighted by a column, values checked by column name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from uapca._names import nearest
from uapca._validation import Floats, complaint, out_of_range
from uapca.inputs.columns import Columns, listed

__all__ = [
    "check_errors",
    "check_moments",
    "check_numeric",
    "check_values",
    "chosen_columns",
    "require_columns",
    "require_names",
    "row_called",
    "row_labels",
    "weights_column",
]


def require_columns(columns: Columns, wanted: Sequence[str], parameter: str) -> None:
    """Raise unless every wanted column is there."""
    require_names(columns.names, wanted, parameter)


def require_names(known: Sequence[str], wanted: Iterable[str], parameter: str) -> None:
    """Raise unless every wanted name is known; what was probably meant is proposed."""
    absent = [name for name in wanted if name not in known]
    if absent:
        meant = list(filter(None, (nearest(str(name), known) for name in absent)))
        hint = f"Perhaps {listed(meant)} {'was' if len(meant) == 1 else 'were'} meant. "
        raise ValueError(
            complaint(
                parameter,
                "name columns of the table",
                f"it has no {listed(absent)}",
                f"{hint if meant else ''}Its columns are {listed(known)}",
            )
        )


def chosen_columns(features: Any) -> list[str]:
    """The list of columns a user asks for."""
    if isinstance(features, str | bytes) or not isinstance(features, Iterable):
        raise TypeError(
            complaint(
                "features",
                "be a sequence of column names",
                f"got {features!r}",
                f"Pass [{features!r}] for one column"
                if isinstance(features, str)
                else "Pass a list of names",
            )
        )
    return list(map(str, features))


def row_labels(columns: Columns, names: Any) -> tuple[Sequence[str] | None, str | None]:
    """Names of the rows, and the column they came from if there is one."""
    if isinstance(names, str):
        require_columns(columns, [names], "names")
        codes, labels = columns.factor(names)
        absent = int(np.count_nonzero(codes < 0))
        if absent:
            raise ValueError(
                complaint(
                    "names",
                    "be given for every row",
                    f"{absent} of {len(codes)} are missing in the column {names!r}",
                    "Fill them first, or leave names out",
                )
            )
        return [labels[code] for code in codes.tolist()], names
    if names is None:
        return columns.row_names(), None
    if names is False:
        return None, None
    return names, None


def weights_column(columns: Columns, weights: Any) -> tuple[Any, str | None]:
    """Weights of the rows, and the column they came from if there is one."""
    if isinstance(weights, str):
        require_columns(columns, [weights], "weights")
        check_numeric(columns, [weights], "weights")
        return columns.block([weights])[:, 0], weights
    return weights, None


def check_numeric(columns: Columns, names: Sequence[str], parameter: str) -> None:
    """Raise unless the named columns hold numbers."""
    text = [name for name in names if not columns.is_numeric(name)]
    if text:
        raise TypeError(
            complaint(
                parameter,
                "name columns of numbers",
                f"{listed(text)} {'holds' if len(text) == 1 else 'hold'} something else",
                "Convert to numbers first, or leave these columns out",
            )
        )


def row_called(row: int, labels: Sequence[str] | None) -> str:
    """A row in messages: by its name, or by its number counted from 0."""
    known = labels is not None and row < len(labels)
    return f"row {labels[row]!r}" if known and labels is not None else f"row {row}"


def check_values(array: Floats, names: Sequence[str], labels: Sequence[str] | None = None) -> None:
    """Raise unless all values of the named columns are finite."""
    with np.errstate(all="ignore"):
        if np.isfinite(array.sum(dtype=np.float64)):
            return
    bad = np.argwhere(~np.isfinite(array))
    if not len(bad):
        return
    row, column = (int(i) for i in bad[0])
    value = array[row, column]
    raise ValueError(
        complaint(
            f"column {names[column]!r}",
            "be finite",
            f"got {'NaN' if np.isnan(value) else value} at {row_called(row, labels)} "
            f"({len(bad)} such values in all columns)",
            "Remove these rows or fill the values first",
        )
    )


def check_moments(parameter: str, *moments: Floats) -> None:
    """Raise unless moments of finite values are finite themselves."""
    if not all(np.isfinite(array).all() for array in moments):
        raise ValueError(out_of_range(parameter))


def check_errors(array: Floats, names: Sequence[str], labels: Sequence[str] | None = None) -> None:
    """Raise unless all errors are finite and zero or positive."""
    check_values(array, names, labels)
    if array.size and array.min() < 0:
        row, column = np.unravel_index(int(array.argmin()), array.shape)
        raise ValueError(
            complaint(
                f"column {names[int(column)]!r}",
                "be zero or positive",
                f"got {array[row, column]} at {row_called(int(row), labels)}",
                "Errors are standard deviations and have no sign",
            )
        )
