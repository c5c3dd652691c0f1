"""Data sets that ship with the package, or with scikit-learn."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Literal, overload

from uapca.inputs import from_groups, from_table
from uapca.uncertain import UncertainArray

__all__ = ["GRADES", "load_iris_groups", "load_students"]

GRADES = MappingProxyType(
    {
        "very bad": "T(0, 0, 2, 6)",
        "bad": "T(2, 4, 6, 7)",
        "fairly bad": "T(5, 7, 9, 10)",
        "fairly good": "T(10, 11, 13, 15)",
        "good": "T(13, 14, 16, 18)",
        "very good": "T(14, 18, 20, 20)",
    }
)
"""What the words of the student grades mean, on the scale from 0 to 20."""


@overload
def load_students(as_table: Literal[False] = ...) -> UncertainArray: ...
@overload
def load_students(as_table: Literal[True]) -> Path: ...
def load_students(as_table: bool = False) -> UncertainArray | Path:
    """Marks of six students in two mathematics and two physics tests, from 0 to 20.

    Some marks are numbers, some intervals, some words; Tom's P1 is unknown and described by a
    wide normal law. The data of the paper's student example.

    Parameters
    ----------
    as_table : bool, default=False
        Return the path of the CSV file of uncertain cells instead, which `uapca.from_table` reads
        with ``words=uapca.datasets.GRADES``.

    Returns
    -------
    UncertainArray of shape (6, 4), or Path

    See Also
    --------
    uapca.datasets.load_iris_groups : Three species of iris.

    References
    ----------
    T. Denœux and M.-H. Masson, "Principal component analysis of fuzzy data using autoassociative
    neural networks", IEEE Transactions on Fuzzy Systems 12(3), 2004.

    Examples
    --------
    >>> from uapca.datasets import load_students
    >>> load_students()
    UncertainArray: 6 rows × 4 features, independent errors, laws known
      features  M1, M2, P1, P2
      Tom    15 ± 0       12.29 ± 1.1  14 ± 5.7  15 ± 0.58
      ...
    """
    path = Path(__file__).with_name("students.csv")
    return path if as_table else from_table(path, words=GRADES)


def load_iris_groups() -> UncertainArray:
    """Fisher's irises, one row for each species: the paper's first aggregated data set.

    Returns
    -------
    UncertainArray of shape (3, 4)
        Mean and population covariance of the 50 flowers of each species.

    See Also
    --------
    uapca.datasets.load_students : Grades that are numbers, intervals and words.
    uapca.from_groups : Labeled points: one row for each label.

    Examples
    --------
    >>> from uapca.datasets import load_iris_groups
    >>> X = load_iris_groups()
    >>> X.names, X.total_weight
    (('setosa', 'versicolor', 'virginica'), 150.0)
    """
    from sklearn.datasets import load_iris

    iris = load_iris()
    return from_groups(iris.data, iris.target_names[iris.target], features=iris.feature_names)
