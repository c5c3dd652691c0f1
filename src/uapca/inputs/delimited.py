"""CSV files as sources of record batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from uapca.inputs.files import separator_of
from uapca.inputs.readers import Source, cut, library, reading, stamp

__all__ = ["CsvFile"]

# Text taken at a time by the reader of CSV files, which has several such blocks in hand.
_CSV_BLOCK = 4 << 20
# What counts as no number in a CSV file; labels may be such words.
_NO_NUMBER = ["", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "None", "-"]


class CsvFile(Source):
    """A CSV file; cells of its numeric columns may be empty, labels may not."""

    def __init__(self, path: str) -> None:
        self.name = path
        self._comma = False  # whether it has decimal commas
        self._schema: Any = None

    @contextmanager
    def _opened(self, **options: Any) -> Iterator[Any]:
        csv = library("pyarrow.csv")
        if self._comma:
            options["decimal_point"] = ","
        with (
            reading(self.name),
            csv.open_csv(
                self.name,
                read_options=csv.ReadOptions(block_size=_CSV_BLOCK),
                parse_options=csv.ParseOptions(delimiter=separator_of(self.name)),
                convert_options=csv.ConvertOptions(null_values=_NO_NUMBER, **options),
            ) as reader,
        ):
            yield reader

    def schema(self) -> Any:
        if self._schema is None:
            self._schema = self._guessed()
        return self._schema

    def _guessed(self) -> Any:
        pa = library("pyarrow")
        with self._opened() as reader:
            schema, first = reader.schema, next(iter(reader), None)
        texts = [] if first is None else [c for c in first.columns if c.type == pa.string()]
        if any(_has_decimal_commas(column) for column in texts):
            self._comma = True
            with self._opened() as reader:
                schema = reader.schema
        # Types are guessed from the first block; a column may begin below it.
        late = [field.name for field in schema if pa.types.is_null(field.type)]
        late = [name for name in late if name and schema.names.count(name) == 1]
        for name, kind in self._late(late).items():
            place = schema.get_field_index(name)
            schema = schema.set(place, pa.field(name, kind))
        return schema

    def _late(self, names: list[str]) -> dict[str, Any]:
        """The types of columns that are empty at first, by the first block that has any value."""
        pa, found = library("pyarrow"), {}
        if names:
            texts = dict.fromkeys(names, pa.string())
            options = {"include_columns": names, "column_types": texts}
            with self._opened(**options, strings_can_be_null=True) as reader:
                for batch in reader:
                    for name in [n for n in names if n not in found]:
                        values = batch.column(name).drop_null()
                        if len(values):
                            found[name] = _kind_of_text(values, self._comma)
                    if len(found) == len(names):
                        break
        return found

    def batches(self, features: Sequence[str], keys: Sequence[str], rows: int) -> Iterator[Any]:
        # A later block may have 2.5 below 1, 2 and 3.
        schema = self.schema()
        types = {name: schema.field(name).type for name in keys}
        # Arrow takes text that is not UTF-8 for bytes, of which names are none.
        pa = library("pyarrow")
        types = {k: pa.string() if pa.types.is_binary(t) else t for k, t in types.items()}
        types.update(dict.fromkeys(features, pa.float64()))
        with self._opened(include_columns=[*features, *keys], column_types=types) as reader:
            for batch in reader:
                yield from cut(_without_empty(batch, keys), rows)

    def mark(self) -> Any:
        return stamp(self.name)


def _without_empty(batch: Any, keys: Sequence[str]) -> Any:
    """In a CSV file an empty cell is no label; elsewhere it is a text like others."""
    pa, compute = library("pyarrow"), library("pyarrow.compute")
    for key in keys:
        place = batch.schema.get_field_index(key)
        column = batch.column(place)
        if pa.types.is_string(column.type):
            blank = compute.equal(column, "")
            if compute.any(blank).as_py():
                column = compute.if_else(blank, pa.scalar(None, column.type), column)
                batch = batch.set_column(place, key, column)
    return batch


def _kind_of_text(values: Any, comma: bool) -> Any:
    """The type of cells: numbers if they all are."""
    pa, compute = library("pyarrow"), library("pyarrow.compute")
    if comma:
        values = compute.replace_substring(values, ",", ".")
    try:
        values.cast(pa.float64())
    except pa.ArrowInvalid:
        return pa.string()
    return pa.float64()


def _has_decimal_commas(values: Any) -> bool:
    """Whether all cells are numbers such as 1,5, of which a comma stands in at least one."""
    compute = library("pyarrow.compute")
    values = values.filter(
        compute.invert(compute.is_in(values, library("pyarrow").array(_NO_NUMBER)))
    )
    if not len(values):
        return False
    number = r"^\s*[+-]?\d*(,\d+)?([eE][+-]?\d+)?\s*$"
    return bool(
        compute.all(compute.match_substring_regex(values, number)).as_py()
        and compute.any(compute.match_substring(values, ",")).as_py()
    )
