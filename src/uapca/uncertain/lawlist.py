"""The laws of the rows, mapped when looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np

from uapca.uncertain.blocks import Doubles
from uapca.uncertain.covariance import Rows

__all__ = ["LawList"]


class LawList(Sequence[Any]):
    """One law for each row, and one affine map for all of them.

    The map is applied to a law when it is asked for: projecting a million rows maps none of them.
    """

    __slots__ = ("_items", "_matrix", "_offset")

    def __init__(
        self,
        items: Sequence[Any],
        matrix: Doubles | None = None,
        offset: Doubles | None = None,
    ) -> None:
        # A list may change later; other sequences may make their laws when looked at.
        self._items = tuple(items) if isinstance(items, list) else items
        self._matrix = matrix
        self._offset = offset

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> LawList: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return LawList(self._items[index], self._matrix, self._offset)
        law = self._items[index]
        return law if self._matrix is None else law.affine(self._matrix, self._offset)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"LawList({len(self)} laws)"

    @property
    def parts(self) -> tuple[tuple[Any, ...], Doubles | None, Doubles | None]:
        """The laws before the map, and its matrix and offset (None for no map)."""
        return tuple(self._items), self._matrix, self._offset

    def take(self, rows: Rows) -> LawList:
        """The laws of some of the rows."""
        if isinstance(rows, slice):
            return self[rows]
        return LawList([self._items[i] for i in rows], self._matrix, self._offset)

    def affine(self, A: Doubles, b: Doubles) -> LawList:
        """The laws of A x + b; ``A`` of shape (q, D), or (D,) for a factor on each axis."""
        if self._matrix is None:
            return LawList(self._items, A, b)
        inner = self._matrix
        offset = np.zeros(A.shape[-1]) if self._offset is None else self._offset
        if A.ndim == 1:
            return LawList(self._items, (A * inner.T).T, A * offset + b)
        return LawList(self._items, A * inner if inner.ndim == 1 else A @ inner, A @ offset + b)

    def scaled(self, s: float) -> LawList:
        """The laws with all deviations from their means times ``s``."""
        return LawList([law.scaled(s) for law in self._items], self._matrix, self._offset)
