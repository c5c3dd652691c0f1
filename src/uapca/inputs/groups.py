"""Labelled points: one uncertain row for each label."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np

from uapca._validation import Floats, as_floats, complaint, shape_of
from uapca.aggregate import Moments
from uapca.aggregate.kernel import group_order
from uapca.aggregate.keys import Keyed
from uapca.aggregate.labels import Factor, combined, factorise
from uapca.inputs.columns import Columns, columns_of, is_frame, listed
from uapca.inputs.parts import check_numeric, chosen_columns, require_columns
from uapca.laws import Samples
from uapca.uncertain import UncertainArray

__all__ = ["LabelledPoints", "from_groups", "labelled_points"]


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


def from_groups(
    points: Any,
    by: Any,
    spread: Literal["std", "sem"] = "std",
    *,
    keep_samples: bool = False,
    missing: Literal["raise", "drop"] = "raise",
    features: Sequence[str] | None = None,
) -> UncertainArray:
    """One row for each label: the mean of its points and their covariance, weighted by their count.

    Parameters
    ----------
    points : array-like of shape (n, D) or data frame
        Any frame `from_frame` reads.
    by : array-like of shape (n,), str or list of str
        The label of each point; for a frame the column that holds it, or several columns whose
        combinations are the labels. Columns of pandas frames that are named by numbers are
        asked for by their number.
    spread : {"std", "sem"}, default="std"
        What the rows are to stand for. ``"std"``: the points themselves, with their population
        covariance (÷ n). The rows then have exactly the moments of all points (law of total
        variance), for any labelling; a label with one point is certain. ``"sem"``: the mean of
        replicates, with the covariance of that mean, the unbiased covariance ÷ n; a label with
        one point has none and is refused.
    keep_samples : bool, default=False
        Whether to keep the points as the law of their row, so that its density shows their
        shape. For ``spread="std"`` only.
    missing : {"raise", "drop"}, default="raise"
        What to do with points whose label is missing (None, NaN): refuse, or leave them out.
    features : sequence of str, optional
        For a frame, the columns to use: by default all columns of numbers other than ``by``. For
        an array, the names of its columns.

    Returns
    -------
    UncertainArray
        Rows named by their labels, in rising order, or that of the categories of a categorical
        (pandas' categories, polars' Enum, Arrow's dictionaries); ``total_weight`` is the number
        of points.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.from_groups([[0.0, 1.0], [2.0, 1.0], [5.0, 5.0]], by=["a", "a", "b"])
    >>> X
    UncertainArray: 2 rows × 2 features, a covariance for each row, weights 0.333 to 0.667
      a  1 ± 1  1 ± 0
      b  5 ± 0  5 ± 0
    >>> X.total_weight
    3.0
    """
    _check_choice("spread", spread, ("std", "sem"))
    data = labelled_points(points, by, features, missing)
    if keep_samples and spread == "sem":
        raise ValueError(
            complaint(
                "keep_samples",
                "be left out with spread='sem'",
                "got keep_samples=True",
                "The points show the spread of replicates, not the error of their mean",
            )
        )
    codes, labels = data.factor
    moments = Moments.of(
        data.points, Keyed(codes, labels, (labels,)), features=data.features, missing="drop"
    )
    X = moments.to_uncertain(spread)
    if not keep_samples:
        return X
    return UncertainArray(
        X.mean,
        X.cov,
        weights=moments.sums.counts,
        names=labels,
        features=data.features,
        laws=_samples(data),
        check=False,
    )


def labelled_points(
    points: Any, by: Any, features: Sequence[str] | None, missing: str
) -> LabelledPoints:
    """Points and labels from an array or a frame, checked."""
    _check_choice("missing", missing, ("raise", "drop"))
    if isinstance(points, str | PathLike):
        raise TypeError(
            complaint(
                "points",
                "be an array or a data frame",
                f"got the path {str(points)!r}",
                "Read the file first, for instance with pandas.read_csv or pandas.read_parquet",
            )
        )
    if is_frame(points):
        array, factor, features = _from_frame(columns_of(points, "points"), by, features)
    else:
        array, factor = as_floats(points, "points"), factorise(by)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            complaint(
                "points",
                "have shape (n, D) with at least one point and one feature",
                f"got shape {shape_of(array)}",
                "Put one point in each row",
            )
        )
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


def group_points(data: LabelledPoints) -> list[Floats]:
    """The points of each label, in the order of the labels."""
    order, counts = group_order(data.factor.codes, len(data.factor.labels))
    return np.split(data.points[order], np.cumsum(counts)[:-1])


def _from_frame(
    columns: Columns, by: Any, features: Sequence[str] | None
) -> tuple[Floats, Factor, list[str]]:
    keys = _keys(columns, by)
    require_columns(columns, keys, "by")
    if features is None:
        chosen = [n for n in columns.names if n not in keys and columns.is_numeric(n)]
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
    factor = combined([columns.factor(key) for key in keys]) if keys else factorise(by)
    return columns.block(chosen), factor, chosen


def _keys(columns: Columns, by: Any) -> list[str]:
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


def _samples(data: LabelledPoints) -> list[Samples]:
    return [Samples(part) for part in group_points(data)]


def _check_choice(parameter: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(
            complaint(
                parameter,
                f"be {' or '.join(map(repr, choices))}",
                f"got {value!r}",
                "'std' is the spread of the points, 'sem' the standard error of their mean"
                if parameter == "spread"
                else "'raise' refuses points without a label, 'drop' leaves them out",
            )
        )
