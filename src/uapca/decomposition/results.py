"""Results with named rows and columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from uapca._validation import Doubles, frame_of

__all__ = ["LabeledArray"]

# A longer table is printed without its middle.
_MOST_ROWS = 20


@dataclass(frozen=True, eq=False, repr=False)
class LabeledArray:
    """A matrix of results whose rows and columns have names.

    NumPy functions take it as the array ``values``; ``result["PC1"]`` is a column, and
    ``result[i, j]`` an entry or a part of the array.

    Attributes
    ----------
    values : ndarray of shape (R, C)
    rows : tuple of R str, or None
        None for rows without names.
    columns : tuple of C str
    of : str
        What a row is: "feature", "row" or "component".
    library : str, or None
        The library of the data frame that the data came from, for `to_frame`.

    See Also
    --------
    uapca.UAPCA : Uncertainty-aware PCA.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.UncertainArray([[0.0, 1.0], [2.0, 0.0]], std=0.5, features=["a", "b"])
    >>> table = uapca.UAPCA().fit(X).contributions()
    >>> table
    feature   PC1   PC2
          a   0.8   0.2
          b   0.2   0.8
    >>> table["PC1"].round(3)
    array([0.8, 0.2])
    """

    values: Doubles
    rows: tuple[str, ...] | None
    columns: tuple[str, ...]
    of: str
    library: str | None = None

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.values), len(self.columns)

    def __len__(self) -> int:
        return len(self.values)

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        return np.array(self.values, dtype=dtype) if copy else np.asarray(self.values, dtype=dtype)

    def __getitem__(self, index: Any) -> Any:
        return (
            self.values[:, self.columns.index(index)]
            if isinstance(index, str)
            else self.values[index]
        )

    def to_frame(self, *, library: str | None = None) -> Any:
        """A data frame of the library that the data came from, otherwise pandas.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, optional
            Names of rows are the index of a pandas frame, and the first column of the others.
        """
        columns = dict(zip(self.columns, self.values.T, strict=True))
        return frame_of(columns, self.rows, library or self.library or "pandas", self.of)

    def __repr__(self) -> str:
        n = len(self)
        shown = range(n) if n <= _MOST_ROWS else [*range(_MOST_ROWS - 5), *range(n - 5, n)]
        lines = [[self.of, *self.columns]]
        for i in shown:
            name = str(i) if self.rows is None else self.rows[i]
            lines.append([name, *(f"{value:.4g}" for value in self.values[i])])
        # Control characters in names must not steer a terminal.
        lines = [
            ["".join(c if c.isprintable() else "�" for c in x) for x in line] for line in lines
        ]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = [
            "   ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
            for line in lines
        ]
        if n > _MOST_ROWS:
            text.insert(_MOST_ROWS - 4, f"… {n - _MOST_ROWS} more")
        return "\n".join(text)
