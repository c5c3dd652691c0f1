"""Labels that come in parts: kept as they are until the last part is there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from uapca.aggregate.labels import Factor, combined, compressed, distinct, factorise, paired, texts

__all__ = ["Categories", "Keyed", "joined", "keyed", "named", "ordered"]

# For each key the categories of a categorical in their order, or None.
Categories = tuple[tuple[Any, ...] | None, ...]


class Keyed(NamedTuple):
    """Labels of one or several keys, for labels that come in parts.

    Attributes
    ----------
    codes : ndarray of int, shape (n,)
        Position of each point's label in ``values``; -1 where one of the keys is missing.
    values : sequence
        The labels that occur: of one key as they are, of several keys as tuples.
    categories : tuple
        For each key its categories in their order, or None.
    """

    codes: npt.NDArray[np.int64]
    values: Sequence[Any]
    categories: Categories


def keyed(keys: Sequence[Any], parameter: str = "by") -> Keyed:
    """The labels that one or several vectors of keys make together.

    Examples
    --------
    >>> keyed([["a", "a", "b"], [2, 1, 1]]).values
    [('a', 1), ('a', 2), ('b', 1)]
    """
    found = [distinct(key, parameter) for key in keys]
    categories = tuple(part.categories for part in found)
    codes, values = found[0].codes, found[0].values
    for k, part in enumerate(found[1:]):
        codes, pairs = paired(codes, part.codes, len(part.values))
        values = [(*(values[i] if k else (values[i],)), part.values[j]) for i, j in pairs]
    return Keyed(codes, values, categories)


def ordered(values: Sequence[Any], categories: Sequence[Sequence[Any] | None]) -> Factor:
    """Texts and order of labels that `keyed` found, part by part."""
    if len(categories) == 1:
        return named(values, categories[0])
    return combined(
        [named([value[k] for value in values], own) for k, own in enumerate(categories)]
    )


def named(values: Sequence[Any], categories: Sequence[Any] | None = None) -> Factor:
    """Texts and order of labels that were collected one by one.

    The codes say where each of the values stands; with ``categories`` their order is kept.

    Examples
    --------
    >>> named([10, 9])
    Factor(codes=array([1, 0]), labels=('9', '10'))
    >>> named(["low", "high"], categories=["low", "mid", "high"]).labels
    ('low', 'high')
    """
    if categories is None:
        return factorise(list(values))
    place = {value: k for k, value in enumerate(categories)}
    codes = np.array([place[value] for value in values], dtype=np.int64)
    return compressed(Factor(codes, texts(list(categories))))


def joined(a: Categories | None, b: Categories) -> Categories:
    """The categories of both, in the order in which they came; None unless both have them."""
    if a is None or a == b:
        return b
    return tuple(
        None if x is None or y is None else tuple(dict.fromkeys([*x, *y]))
        for x, y in zip(a, b, strict=True)
    )
