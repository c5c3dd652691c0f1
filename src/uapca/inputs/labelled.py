"""Points in memory with a label each."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from uapca._validation import Floats, as_floats, complaint, listed, shape_of
from uapca.aggregate.accumulate import group_order
from uapca.aggregate.labels import Factor, combined, factorise
from uapca.inputs.columns import Columns, columns_of, is_frame
from uapca.inputs.parts import check_numeric, chosen_columns, require_columns

__all__ = [
    "LabelledPoints",
    "check_choice",
    "checked",
    "feature_columns",
    "group_points",
    "key_columns",
    "labelled_points",
]

_CHOICES = {
    "spread": (
        ("std", "sem"),
        "'std' is the spread of the points, 'sem' the standard error of their mean",
    ),
    "missing": (
        ("raise", "drop"),
        "'raise' refuses points without a label, 'drop' leaves them out",
    ),
    "nulls": (
        ("raise", "drop"),
        "'raise' refuses points of which a value is missing, 'drop' leaves them out",
    ),
    "bad_files": (
        ("raise", "skip"),
        "'raise' refuses files that cannot be used, 'skip' leaves them out",
    ),
}


class LabelledPoints(NamedTuple):
    """Points with a label each.

    Attributes
    ----------
    points : ndarray of shape (n, D)
    factor : Factor
        Codes and labels.
    features : list of str, or None
    """

    points: Floats
    factor: Factor
    features: Sequence[str] | None


def labelled_points(
    points: Any, by: Any, features: Sequence[str] | None, missing: str
) -> LabelledPoints:
    """Points and labels from an array or a frame, checked."""
    check_choice("missing", missing)
    if isinstance(points, str | PathLike):
        raise TypeError(
            complaint(
                "points",
                "be an array or a data frame",
                f"got the path {str(points)!r}",
                "Read the file first, for instance with pandas.read_csv or pandas.read_parquet",
            )
        )
    _check_index(points, by)
    if is_frame(points):
        array, factor, features = _from_frame(columns_of(points, "points"), by, features)
    else:
        array, factor = as_floats(points, "points"), factorise(by)
    checked(array)
    if len(factor.codes) != len(array):
        raise ValueError(
            complaint(
                "by",
                "have one label for each point",
                f"got {len(factor.codes)} for {len(array)} points",
                "Select the same rows from both",
            )
        )
    absent = int(np.count_nonzero(factor.codes < 0))
    if absent and (missing == "raise" or absent == len(array)):
        raise ValueError(
            complaint(
                "by",
                "have a label for every point",
                f"{absent} of {len(array)} are missing",
                "Pass missing='drop' to leave these points out"
                if absent < len(array)
                else "Check that the right column is used",
            )
        )
    return LabelledPoints(array, factor, features)


def _check_index(points: Any, by: Any) -> None:
    """Raise where pandas would match rows by an index, and position would match others."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(points, pandas.DataFrame):
        return
    if not isinstance(by, pandas.Series) or len(by) != len(points):
        return
    if not by.index.equals(points.index):
        raise ValueError(
            complaint(
                "by",
                "have the index of points",
                "got a Series with another",
                "Pass by.reindex(points.index), or by.to_numpy() to go by position",
            )
        )


def group_points(data: LabelledPoints) -> list[Floats]:
    """The points of each label, in the order of the labels."""
    order, counts = group_order(data.factor.codes, len(data.factor.labels))
    return np.split(data.points[order], np.cumsum(counts)[:-1])


def checked(array: Floats) -> Floats:
    """Points of which there is at least one."""
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            complaint(
                "points",
                "have shape (n, D) with at least one point and one feature",
                f"got shape {shape_of(array)}",
                "Put one point in each row",
            )
        )
    return array


def check_choice(parameter: str, value: Any) -> None:
    """Raise unless ``value`` is one of the words that the parameter knows."""
    choices, meaning = _CHOICES[parameter]
    if value not in choices:
        rule = f"be {' or '.join(map(repr, choices))}"
        raise ValueError(complaint(parameter, rule, f"got {value!r}", meaning))


def _from_frame(
    columns: Columns, by: Any, features: Sequence[str] | None
) -> tuple[Floats, Factor, list[str]]:
    keys = key_columns(columns, by)
    require_columns(columns, keys, "by")
    chosen = feature_columns(columns, keys, features)
    factor = combined([columns.factor(key) for key in keys]) if keys else factorise(by)
    return columns.block(chosen), factor, chosen


def feature_columns(columns: Columns, keys: Sequence[str], features: Any) -> list[str]:
    """The columns to use: those asked for, or all numbers that are no keys."""
    if features is None:
        left_out = {*keys, *columns.index}
        chosen = [n for n in columns.names if n not in left_out and columns.is_numeric(n)]
        if not chosen:
            raise ValueError(
                complaint(
                    "points",
                    "have at least one column of numbers besides the labels",
                    f"got the columns {listed(columns.names)}",
                    "Convert the features to numbers first",
                )
            )
    else:
        chosen = chosen_columns(features)
        require_columns(columns, chosen, "features")
        check_numeric(columns, chosen, "features")
    return chosen


def key_columns(columns: Columns, by: Any) -> list[str]:
    """The columns that ``by`` names; none if it holds one label for each point."""
    if isinstance(by, str):
        return [by]
    if by is None:
        raise TypeError(
            complaint(
                "by",
                "be one label for each point, a column or a list of columns",
                "got None",
                f"The columns are {listed(columns.names)}",
            )
        )
    # Names of pandas' columns may be numbers or tuples.
    own = columns.name_of(by)
    if own is not None:
        return [own]
    if not isinstance(by, list | tuple) or not by:
        return []
    if all(isinstance(key, str) for key in by):
        named = any(key in columns.names for key in by) or len(by) != len(columns)
        return list(by) if named else []
    found = [columns.name_of(key) for key in by]
    if len(by) == len(columns) or None in found:
        return []
    return [name for name in found if name is not None]
