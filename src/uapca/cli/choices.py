"""What the options say about the data, as the arguments of `uapca.read`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from uapca.cli.errors import CommandError
from uapca.cli.labels import quoted

__all__ = ["Choices"]


@dataclass(frozen=True)
class Choices:
    """How a file is to be understood; everything may be left out.

    Attributes
    ----------
    by : tuple of str
        Columns of labels: the rows are points.
    spread : str
        "std" or "sem", for labelled points.
    keep_points : bool
        Whether labelled points are kept as the law of their row.
    errors, corr : str or None
        Patterns of the names of columns with errors and correlations; or ``x=sx,y=sy``.
    names, weights : str or None
        The column that names the rows; the column, or the file, with their weights.
    features, exclude : tuple of str
        The columns to use, and to leave out.
    words : str or None
        A file with the meaning of words; ``grades`` are those of the student grades.
    missing, bad_cells : str
        What to do with empty cells, and with cells that cannot be read.
    fill : tuple of str
        What stands in empty cells: a law for all, or ``COLUMN=LAW``.
    decimal, thousands, sheet : str or None
    bins : str or None
        How points without labels are binned: a number of clusters, or cells by feature.
    bad_files : str
        "error" or "skip": whether one of several files that cannot be used stops everything.
    """

    by: tuple[str, ...] = ()
    spread: str = "std"
    keep_points: bool = False
    errors: str | None = None
    corr: str | None = None
    names: str | None = None
    weights: str | None = None
    features: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    words: str | None = None
    missing: str = "error"
    bad_cells: str = "error"
    fill: tuple[str, ...] = ()
    decimal: str | None = None
    thousands: str | None = None
    sheet: str | None = None
    bins: str | None = None
    bad_files: str = "error"

    def arguments(self) -> dict[str, Any]:
        """The arguments of `uapca.read`, except for the source and weights in a file."""
        by = split(self.by)
        given = {
            "by": by if len(by) > 1 else by[0] if by else None,
            "errors": pairs(self.errors)
            if self.errors and "{}" not in self.errors
            else self.errors,
            "features": split(self.features) or None,
            "exclude": split(self.exclude) or None,
            "words": self._words(),
            "fill": self._fill(),
            "bins": self._bins(),
            "keep_samples": self.keep_points,
            "sheet": int(self.sheet) if self.sheet and self.sheet.isdigit() else self.sheet,
        }
        same = (
            "corr",
            "names",
            "missing",
            "bad_cells",
            "bad_files",
            "decimal",
            "thousands",
            "spread",
        )
        return given | {name: getattr(self, name) for name in same}

    def given(self) -> list[str]:
        """The options that say how to read a table, those that were used."""
        default, choosing = Choices(), ("by", "weights", "features", "exclude")
        used = [n for n in self.__dataclass_fields__ if getattr(self, n) != getattr(default, n)]
        return [f"--{name.replace('_', '-')}" for name in used if name not in choosing]

    def _words(self) -> Any:
        if self.words != "grades":
            return self.words
        from uapca.datasets import GRADES

        return GRADES

    def _fill(self) -> Any:
        if not self.fill:
            return None
        if len(self.fill) == 1 and "=" not in self.fill[0]:
            return self.fill[0]
        if not all("=" in rule for rule in self.fill):
            raise CommandError("--fill takes one law for all cells, or COLUMN=LAW several times.")
        columns = (rule.partition("=") for rule in self.fill)
        return {column.strip(): law.strip() for column, _, law in columns}

    def _bins(self) -> Any:
        if self.bins is None or self.bins.strip().isdigit():
            return None if self.bins is None else int(self.bins)
        cells = [part.rpartition("=") for part in self.bins.split(",")]
        if not all(name and count.strip().isdigit() for name, _, count in cells):
            raise CommandError(
                f"--bins {quoted(self.bins)} must be a number of clusters, or cells by feature "
                "such "
                "as x=20,y=25."
            )
        return {name.strip(): int(count) for name, _, count in cells}


def split(values: Sequence[str]) -> list[str]:
    """Columns that options name: each by itself, or several separated by commas."""
    return [part.strip() for value in values for part in value.split(",") if part.strip()]


def pairs(text: str) -> Mapping[str, str] | str:
    """Features and the columns with their errors: ``x=sx,y=sy``."""
    parts = [part.partition("=") for part in text.split(",")]
    return {a.strip(): b.strip() for a, _, b in parts} if all(s for _, s, _ in parts) else text
