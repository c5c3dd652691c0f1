"""What to take from every file, and what every file must be."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any, NamedTuple, TypeVar

import numpy as np

from uapca._validation import Floats, complaint, listed
from uapca.aggregate import keyed
from uapca.aggregate.keys import Keyed
from uapca.inputs.libraries import index_of
from uapca.inputs.parts import chosen_columns, require_names
from uapca.inputs.sources import FileError, Source, is_number, library

__all__ = ["Piece", "Plan", "ahead", "chunk_rows", "planned"]

_T = TypeVar("_T")


class Piece(NamedTuple):
    """Some rows: their values, their labels (None without keys), rows read and rows left out."""

    points: Floats
    labels: Keyed | None
    read: int
    dropped: Counter[str]


@dataclass(frozen=True)
class Plan:
    """What to take from every source, and what to do with what is missing.

    Attributes
    ----------
    features, keys : list of str
        The columns of values and of labels.
    kinds : list of str
        What the labels are: text, integers and so on, the same in every source.
    every : bool
        Whether the features are all columns of numbers, so that every source must have the same.
    missing, nulls : {"raise", "drop"}
        The rules for missing labels and missing values.
    rows : int
        The size of a chunk.
    usable : list of Source
    like : str
        Which source the others must be like, for messages.
    marks : dict
        By source, what it was when it was first read.
    """

    features: list[str]
    keys: list[str]
    kinds: list[str]
    every: bool
    missing: str
    nulls: str
    rows: int
    usable: list[Source] = field(default_factory=list)
    like: str = "the first"
    marks: dict[str, Any] = field(default_factory=dict)

    def check(self, source: Source, schema: Any) -> None:
        """Raise unless a source has the columns of the first, with values and labels as there."""
        self.check_columns(source, schema)
        for name, kind in zip(self.keys, self.kinds, strict=True):
            own = kind_of(schema.field(name).type)
            if own not in (kind, "null"):
                raise FileError(
                    complaint(
                        "every file",
                        f"have labels of one kind, {kind} as in {self.like}",
                        f"in {source.name!r} the column {name!r} holds {own}",
                        "Convert the labels first, or pass bad_files='skip'",
                    )
                )

    def check_columns(self, source: Source, schema: Any) -> None:
        """Raise unless a source has the columns, once, with numbers in those of values."""
        wanted = [*self.features, *self.keys]
        absent = [n for n in wanted if n not in schema.names]
        if absent:
            raise FileError(
                complaint(
                    "every file",
                    f"have the columns of {self.like}",
                    f"{source.name!r} has no {listed(absent)}",
                    "Bring the files to one schema, or pass bad_files='skip'",
                )
            )
        twice = [n for n in wanted if schema.names.count(n) > 1]
        if twice:
            raise FileError(
                complaint(
                    "every file",
                    "have a column of each name",
                    f"{source.name!r} has several named {twice[0]!r}",
                    "Rename all but one of them, or pass bad_files='skip'",
                )
            )
        # A column without a single value may have any type, as that of a file without rows has.
        text = [n for n in self.features if not _may_be_number(schema.field(n).type)]
        if text:
            raise FileError(
                complaint(
                    "every file",
                    f"have numbers where {self.like} {'have' if self.like == 'most' else 'has'}",
                    f"in {source.name!r} the column {text[0]!r} holds {schema.field(text[0]).type}",
                    "Convert it to numbers, choose other features, or pass bad_files='skip'",
                )
            )
        if self.every:
            more = [n for n in numbers_of(schema, self.keys) if n not in self.features]
            if more:
                raise FileError(
                    complaint(
                        "every file",
                        f"have the columns of {self.like}",
                        f"{source.name!r} has {listed(more)} too",
                        "Name the features to use, or pass bad_files='skip'",
                    )
                )

    def pieces(self, sources: Sequence[Source]) -> Iterator[Piece]:
        """The rows of all sources, a chunk at a time, checked.

        The points of a piece are overwritten when the next but one is asked for.
        """
        # One piece is in use while the next is read: new memory for each would cost as much time
        # as filling it.
        buffers = cycle([_Buffer(), _Buffer()])
        types = library("pyarrow").types
        for source in sources:
            schema = source.schema()
            self.check(source, schema)
            ordered = [types.is_dictionary(schema.field(key).type) for key in self.keys]
            start = 0
            for batch in ahead(source.batches(self.features, self.keys, self.rows)):
                yield self._piece(batch, source, start, ordered, next(buffers))
                start += batch.num_rows

    def _piece(
        self, batch: Any, source: Source, start: int, ordered: list[bool], buffer: _Buffer
    ) -> Piece:
        points, empty, finite = _matrix(batch, self.features, buffer)
        labels = keyed([batch.column(k) for k in self.keys]) if self.keys else None
        kept = np.ones(len(points), dtype=bool)
        dropped: Counter[str] = Counter()
        if labels is not None:
            pairs = zip(labels.categories, ordered, strict=True)
            labels = labels._replace(categories=tuple(own if o else None for own, o in pairs))
            kept = labels.codes >= 0
            lost = len(kept) - int(kept.sum())
            if lost and self.missing == "raise":
                row = start + int((~kept).argmax())
                raise FileError(
                    complaint(
                        "by",
                        "have a label for every point",
                        f"{source.name!r} has none in row {row}",
                        "Pass missing='drop' to leave such points out",
                    )
                )
            dropped["label"] += lost
        if empty is not None:
            # A row without a label is left out already, whatever else it lacks.
            holes = empty.any(axis=1) & kept
            if holes.any() and self.nulls == "raise":
                row = int(holes.argmax())
                column = int(empty[row].argmax())
                raise FileError(
                    complaint(
                        f"column {self.features[column]!r}",
                        "have a value in every row",
                        f"{source.name!r} has none in row {start + row}",
                        "Pass nulls='drop' to leave such rows out",
                    )
                )
            dropped["value"] += int(holes.sum())
            kept &= ~holes
        if not kept.all():
            points = points[kept]
            if labels is not None:
                labels = labels._replace(codes=labels.codes[kept])
        if not finite and not np.isfinite(points).all():
            row, column = (int(i) for i in np.argwhere(~np.isfinite(points))[0])
            raise FileError(
                complaint(
                    f"column {self.features[column]!r}",
                    "be finite",
                    f"{source.name!r} has {points[row, column]} in row "
                    f"{start + int(np.flatnonzero(kept)[row])}",
                    "Remove or replace such values first",
                )
            )
        return Piece(points, labels, len(kept), dropped)


def planned(
    sources: Sequence[Source],
    by: Any,
    features: Any,
    *,
    missing: str,
    nulls: str,
    rows: int,
    skipped: list[str] | None,
) -> Plan:
    """The plan that the first source gives; those that cannot be used go to ``skipped``.

    Where files may be skipped, the plan is the one that suits most of them, so that a first file
    that is unlike all others is the one to go.
    """
    keys = [by] if isinstance(by, str) else [] if by is None else list(by)
    wanted = None if features is None else chosen_columns(features)
    models: dict[tuple[Any, ...], list[int]] = {}
    usable: list[Source] = []
    first: ValueError | None = None
    for source in sources:
        try:
            schema = source.schema()
            if _is_blank(source, schema):
                usable.append(source)
                continue
            chosen, kinds = _model(source, schema, keys, wanted)
        except ValueError as error:
            if skipped is None:
                raise
            said = error if isinstance(error, FileError) else _naming(source, error)
            first = first or error
            skipped.append(str(said))
            continue
        models.setdefault((tuple(chosen), tuple(kinds)), []).append(len(usable))
        usable.append(source)
        if skipped is None:
            usable += sources[len(usable) :]
            break
    if not models:
        if first is not None and not isinstance(first, FileError) and len(sources) == 1:
            raise first
        raise FileError(
            complaint(
                "points",
                "have at least one file that can be read",
                f"none of {len(sources)} can",
                "The first problem: " + (skipped[0] if skipped else "they have no rows"),
            ).replace("..", ".")
        )
    model = max(models, key=lambda own: len(models[own]))
    like = "the first" if min(map(min, models.values())) in models[model] else "most"
    return Plan(
        list(model[0]), keys, list(model[1]), wanted is None, missing, nulls, rows, usable, like
    )


def _model(
    source: Source, schema: Any, keys: Sequence[str], wanted: list[str] | None
) -> tuple[list[str], list[str]]:
    """The features of a source and the kinds of its labels."""
    require_names(schema.names, keys, "by")
    chosen = wanted
    if chosen is None:
        chosen = numbers_of(schema, keys)
        if not chosen:
            raise ValueError(
                complaint(
                    "points",
                    "have at least one column of numbers besides the labels",
                    f"got the columns {listed(schema.names)}",
                    "Convert the features to numbers first",
                )
            )
    else:
        require_names(schema.names, chosen, "features")
    plan = Plan(chosen, list(keys), [], False, "", "", 0)
    plan.check_columns(source, schema)
    types = library("pyarrow").types
    for key in keys:
        kind = schema.field(key).type
        if types.is_nested(kind) and not types.is_dictionary(kind):
            raise ValueError(
                complaint(
                    "by",
                    "name columns of text, numbers, dates or times",
                    f"{key!r} holds {kind}",
                    "Choose another column, or take the labels out of it first",
                )
            )
    return chosen, [kind_of(schema.field(key).type) for key in keys]


def _naming(source: Source, error: ValueError) -> FileError:
    return FileError(f"{source.name!r}: {error}")


def _is_blank(source: Source, schema: Any) -> bool:
    """Whether a file has no rows and columns without a type, such as a header alone."""
    null = library("pyarrow").types.is_null
    blank = [null(field.type) for field in schema]
    return all(blank) if not any(blank) or all(blank) else source.count() == 0


def chunk_rows(chunk: Any) -> int:
    """The number of rows to take at a time."""
    if isinstance(chunk, bool) or not isinstance(chunk, int | np.integer) or chunk < 1:
        raise ValueError(
            complaint("chunk", "be a positive number of rows", f"got {chunk!r}", "Leave it out")
        )
    return int(chunk)


def numbers_of(schema: Any, keys: Sequence[str]) -> list[str]:
    """The columns of numbers that are neither keys nor the index of a pandas frame."""
    # In CSV files an index has no name.
    left_out = {*keys, *index_of(schema), ""}
    return [f.name for f in schema if f.name not in left_out and is_number(f.type)]


def _may_be_number(kind: Any) -> bool:
    return is_number(kind) or bool(library("pyarrow").types.is_null(kind))


def kind_of(kind: Any) -> str:
    """What labels of an Arrow type are, whatever their width."""
    types = library("pyarrow").types
    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return "text"
    if types.is_integer(kind):
        return "integers"
    return "times" if types.is_timestamp(kind) else str(kind)


def ahead(parts: Iterator[_T]) -> Iterator[_T]:
    """The parts, of which the next is made in a thread of its own while the last is in use."""
    with ThreadPoolExecutor(1, thread_name_prefix="uapca-read") as pool:
        coming = pool.submit(next, parts, None)
        while (part := coming.result()) is not None:
            coming = pool.submit(next, parts, None)
            yield part


class _Buffer:
    """Memory for a matrix, used again while it is large enough."""

    def __init__(self) -> None:
        self._array: Floats = np.empty((0, 0))

    def matrix(self, n: int, d: int, dtype: type[np.floating[Any]]) -> Floats:
        if self._array.shape[0] < n or self._array.shape[1] != d or self._array.dtype != dtype:
            self._array = np.empty((n, d), dtype=dtype)
        return self._array[:n]


def _matrix(batch: Any, names: Sequence[str], buffer: _Buffer) -> tuple[Floats, Any, bool]:
    """Columns as those of a matrix, where values are missing (None if nowhere), and more.

    The last is whether all sums are finite, so that all values must be.
    """
    pa = library("pyarrow")
    columns, gaps = [], []
    finite = True
    single = all(batch.schema.field(name).type == pa.float32() for name in names)
    target = pa.float32() if single else pa.float64()
    for j, name in enumerate(names):
        column = batch.column(name)
        if column.type != target:
            # Whole numbers beyond 2⁵³ are rounded, as they are everywhere else.
            column = column.cast(target, safe=False)
        values = column.to_numpy(zero_copy_only=False)
        columns.append(values)
        # A null becomes NaN on the way, and NaN stands for no value as it does elsewhere.
        with np.errstate(over="ignore", invalid="ignore"):
            total = float(values.sum(dtype=np.float64))
        finite = finite and math.isfinite(total)
        if column.null_count or math.isnan(total):
            gaps.append(j)
    n = batch.num_rows
    matrix = buffer.matrix(n, len(names), np.float32 if single else np.float64)
    _turn(columns, matrix)
    if not gaps:
        return matrix, None, finite
    empty = np.zeros(matrix.shape, dtype=bool)
    empty[:, gaps] = np.isnan(matrix[:, gaps])
    return matrix, empty, finite


# Rows turned from columns at a time, while they are in cache.
_TURNED_ROWS = 65536


def _turn(columns: Sequence[Floats], rows: Floats) -> None:
    """Write columns, each on its own, side by side into a matrix stored by rows."""
    for start in range(0, len(rows), _TURNED_ROWS):
        part = slice(start, start + _TURNED_ROWS)
        block = rows[part]
        for j, values in enumerate(columns):
            block[:, j] = values[part]
