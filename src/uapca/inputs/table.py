"""Tables of uncertain cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from uapca._validation import complaint
from uapca.aggregate.labels import is_missing
from uapca.exceptions import BadCell, TableError
from uapca.inputs.cells import CellError, check_words, parse_cell
from uapca.inputs.columns import columns_of, is_frame
from uapca.inputs.files import read_table
from uapca.inputs.missing import column_law, fills_of
from uapca.inputs.numbers import numbers
from uapca.inputs.parts import chosen_columns, require_columns, row_labels
from uapca.inputs.patterns import measured
from uapca.inputs.words import read_words
from uapca.laws import Independent, Marginal, as_marginal
from uapca.uncertain import UncertainArray

__all__ = ["BadCell", "TableError", "from_table"]

_SHOWN = 50
# Headers that say that the first column names the rows.
_NAMING = frozenset(
    (
        *("name", "names", "id", "ids", "identifier", "index", "key", "label", "labels"),
        *("row", "rows", "sample", "samples", "object", "objects", "item", "items", "case"),
        *("specimen", "subject", "patient", "person", "participant", "respondent"),
        *("student", "students", "pupil", "pupils", "unnamed: 0"),
    )
)


def from_table(
    path_or_frame: Any,
    words: Mapping[str, Any] | str | PathLike[str] | None = None,
    missing: Any = None,
    *,
    names: Any = None,
    features: Sequence[str] | None = None,
    weights: Any = None,
) -> UncertainArray:
    """A table of uncertain cells, such as ``15``, ``[10, 12]``, ``14±5.7`` or ``N(14, 5.7)``.

    `uapca.inputs.cells` describes the grammar.

    Parameters
    ----------
    path_or_frame : path or data frame
        A CSV file (comma, semicolon or tab), an Excel file (needs pandas), any frame
        `from_frame` reads, or a mapping of column names to lists of cells. Cells of a frame may
        also be numbers and laws.
    words : mapping or path, optional
        What words mean: ``{"good": "T(13, 14, 16, 18)"}``, or a TOML file with lines such as
        ``good = "T(13, 14, 16, 18)"``. A word that means None stands for a missing value:
        ``{"n/a": None}``.
    missing : optional
        What an empty cell means. By default an error that names the cells. ``"drop"`` leaves out
        the row; a cell text, number or law stands in all columns; ``"column"`` is a normal law
        with the mean and the spread of the column's other cells; or a mapping of column names to
        any of these.
    names : str, sequence of str or False, optional
        The column that names the rows, or the names. By default the index of a frame if it holds
        text, or the first column if its header is empty or a usual one for names (``name``,
        ``id``, ``label``, ``sample``, ``student``, ...) and none of its cells reads as an
        uncertain cell; False takes every column as a feature.
    features : sequence of str, optional
        The columns to use; by default all that are left.
    weights : array-like of shape (N,), optional
        One for each row of the table, those left out included.

    Returns
    -------
    UncertainArray
        Independent errors, with the laws of the cells kept.

    Raises
    ------
    TableError
        If cells cannot be read. All of them are listed, with row, column and text.

    Examples
    --------
    >>> import uapca
    >>> table = {"pupil": ["Tom", "Jane"], "M1": ["15", "good"], "P1": ["N(14, 5.7)", "[10, 12]"]}
    >>> X = uapca.from_table(table, words={"good": "T(13, 14, 16, 18)"})
    >>> X
    UncertainArray: 2 rows × 2 features, independent errors, laws known
      features  M1, P1
      Tom   15 ± 0  14 ± 5.7
      Jane  15.29 ± 1.1  11 ± 0.58
    """
    return read_cells(path_or_frame, words, missing, names, features, weights).X


class CellsRead(NamedTuple):
    """A table of uncertain cells, and what became of its empty cells.

    Attributes
    ----------
    X : UncertainArray
    filled : int
        How many empty cells were filled.
    dropped : int
        How many rows were left out.
    """

    X: UncertainArray
    filled: int
    dropped: int


def read_cells(
    path_or_frame: Any, words: Any, missing: Any, names: Any, features: Any, weights: Any
) -> CellsRead:
    """What `from_table` reads."""
    is_path = isinstance(path_or_frame, str | PathLike)
    if not is_path and not is_frame(path_or_frame):
        raise TypeError(
            complaint(
                "path_or_frame",
                "be a path or a table with named columns",
                f"got an object of type {type(path_or_frame).__name__}",
                "Pass a CSV or Excel file, a data frame or a mapping of names to columns",
            )
        )
    frame = read_table(path_or_frame) if is_path else path_or_frame
    columns = columns_of(frame, "path_or_frame")
    meanings = check_words(read_words(words) if isinstance(words, str | PathLike) else words)
    reader = _Reader(meanings)
    cells = {name: columns.values(name).tolist() for name in columns.names}
    labels, named = (None, None) if names is False else row_labels(columns, names)
    if names is None and labels is None and _names_rows(columns.names, cells, reader):
        named = columns.names[0]
        labels = [str(cell).strip() for cell in cells[named]]
        _check_distinct(labels, named)
    if features is None:
        chosen = [name for name in columns.names if name != named]
        _refuse_errors(chosen, cells)
    else:
        chosen = chosen_columns(features)
        require_columns(columns, chosen, "features")
    if not chosen or not len(columns):
        raise ValueError(
            complaint(
                "path_or_frame",
                "have at least one row and one column of cells",
                f"got {len(columns)} rows and {len(chosen)} columns",
                "Check that the table was written and read as intended",
            )
        )
    fills = fills_of(missing, chosen, meanings)
    read = {name: reader.column(cells[name]) for name in chosen}
    empty = np.array([[law is None for law in read[name]] for name in chosen]).T
    dropping = [isinstance(fills[name], str) and fills[name] == "drop" for name in chosen]
    kept = np.logical_not(np.any(empty[:, dropping], axis=1))
    if not kept.any():
        raise ValueError(
            complaint(
                "path_or_frame",
                "have a row without an empty cell where missing='drop'",
                f"all {len(columns)} rows have one",
                "Fill the cells: missing='column' puts in the column's mean and spread",
            )
        )
    rows: list[int] = np.flatnonzero(kept).tolist()
    # Names or weights of another number are complained of with the array they are for.
    if labels is not None and len(labels) == len(columns):
        labels = [labels[i] for i in rows]
    if weights is not None and len(weights) == len(columns):
        weights = np.asarray(weights)[rows]
    laws = _filled(read, cells, fills, labels, rows)
    mean = np.array([[m.mean for m in laws[name]] for name in chosen]).T
    std = np.sqrt(np.array([[m.var for m in laws[name]] for name in chosen])).T
    whole = [Independent(row) for row in zip(*(laws[name] for name in chosen), strict=True)]
    X = UncertainArray(mean, std=std, weights=weights, names=labels, features=chosen, laws=whole)
    return CellsRead(X, int(empty[rows].sum()), len(columns) - len(rows))


class _Reader:
    """Cells to laws; the same text is parsed once."""

    def __init__(self, words: Mapping[str, Marginal | None]) -> None:
        self._words = {word: law for word, law in words.items() if law is not None}
        self._absent = {word.casefold() for word, law in words.items() if law is None}
        self._known: dict[str, Marginal | str | None] = {}

    def column(self, cells: Sequence[Any]) -> list[Marginal | str | None]:
        """For each cell its law, None if it is missing, or what is wrong with it."""
        return [self.cell(cell) for cell in cells]

    def cell(self, cell: Any) -> Marginal | str | None:
        if isinstance(cell, str):
            if cell not in self._known:
                self._known[cell] = self._read(cell)
            return self._known[cell]
        if isinstance(cell, bool | np.bool_):
            return f"{cell!r} is not a number"
        if not isinstance(cell, Marginal) and is_missing(cell):
            return None
        try:
            return as_marginal(cell)
        except (TypeError, ValueError) as error:
            return str(error)

    def _read(self, text: str) -> Marginal | str | None:
        stripped = text.strip()
        if not stripped or stripped.casefold() in self._absent:
            return None
        try:
            return parse_cell(stripped, self._words)
        except CellError as error:
            return f"cannot read {_shown(stripped)}" if _unknown(error) else str(error)


def _unknown(error: CellError) -> bool:
    return str(error).startswith("a cell must be a number")


def _names_rows(
    columns: Sequence[str], cells: Mapping[str, Sequence[Any]], reader: _Reader
) -> bool:
    """Whether the first column holds names: its header says so, and none of its texts is a cell."""
    if len(columns) < 2:
        return False
    header = columns[0].strip().casefold()
    if header and header not in _NAMING:
        return False
    first = cells[columns[0]]
    if not first or not all(isinstance(cell, str) and cell.strip() for cell in first):
        return False
    return all(isinstance(reader.cell(cell), str) for cell in first)


def _refuse_errors(columns: Sequence[str], cells: Mapping[str, Sequence[Any]]) -> None:
    """Raise if a column of numbers is named like the errors of another: it is no feature."""
    for error, value in measured(columns).items():
        if numbers(cells[error]) is not None:
            raise ValueError(
                complaint(
                    "path_or_frame",
                    "hold uncertain cells",
                    f"{error!r} is named like the errors of {value!r}",
                    "Use uapca.from_frame for values and errors in columns of their own, or list "
                    "the columns to use as features=[...]",
                )
            )


def _check_distinct(labels: Sequence[str], column: str) -> None:
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise ValueError(
            complaint(
                "names",
                "be distinct",
                f"{twice!r} occurs {labels.count(twice)} times in the column {column!r}",
                "Rename the duplicates, or pass names=False and the columns to use as "
                "features=[...]",
            )
        )


def _filled(
    read: Mapping[str, Sequence[Marginal | str | None]],
    cells: Mapping[str, Sequence[Any]],
    fills: Mapping[str, Any],
    labels: Sequence[str] | None,
    rows: Sequence[int],
) -> dict[str, list[Marginal]]:
    """The laws of the cells of some rows, or an error that lists the cells without one."""
    bad: list[tuple[int, BadCell]] = []
    filled: dict[str, list[Marginal]] = {}
    for name, column in read.items():
        fill = fills[name]
        if isinstance(fill, str):
            fill = column_law([law for i in rows if isinstance(law := column[i], Marginal)])
        laws: list[Marginal] = []
        for k, i in enumerate(rows):
            law = column[i]
            if law is None and fill is not None:
                law = fill
            if isinstance(law, Marginal):
                laws.append(law)
                continue
            row = str(i) if labels is None or k >= len(labels) else repr(labels[k])
            text = "" if law is None else str(cells[name][i]).strip()
            bad.append((i, BadCell(row, name, text, "empty" if law is None else law)))
        filled[name] = laws
    if bad:
        bad.sort(key=lambda pair: pair[0])
        first, column = next(iter(read.items()))
        unread = all(isinstance(law, str) for law in column)
        raise _table_error([cell for _, cell in bad], first if unread else "column")
    return filled


def _table_error(bad: Sequence[BadCell], column: str) -> TableError:
    empty = all(cell.reason == "empty" for cell in bad)
    lines = [str(cell) for cell in bad[:_SHOWN]]
    if len(bad) > _SHOWN:
        lines.append(f"and {len(bad) - _SHOWN} more, in the error's attribute cells")
    remedy = (
        "Say what empty cells mean: missing='column' fills in the column's mean and spread, "
        "missing='U(0, 20)' a law, missing='drop' leaves out the row"
        if empty
        else "Words are given a meaning by words={'good': 'T(13, 14, 16, 18)'}; names of rows "
        f"by names={column!r}"
    )
    return TableError(
        complaint(
            "every cell",
            "be in the grammar of uncertain cells",
            f"{len(bad)} cannot be read:\n  " + "\n  ".join(lines) + "\n",
            remedy,
        ).replace("\n. ", "\n"),
        bad,
    )


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")
