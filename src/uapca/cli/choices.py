"""What the options say about the data, and what it was understood to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from uapca.cli.errors import CommandError, no_such
from uapca.cli.labels import quoted

if TYPE_CHECKING:
    from uapca.uncertain import UncertainArray

__all__ = ["Choices", "Reading"]

# Rules of --missing that are no law.
_RULES = ("drop", "column")


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
        Patterns of the names of columns with errors and correlations.
    names, weights : str or None
        The column that names the rows; the column, or the file, with their weights.
    features : tuple of str
        The columns to use.
    words : str or None
        A file with the meaning of words.
    missing : tuple of str
        What empty cells mean.
    bins : str or None
        How points without labels are binned: a number of clusters, or cells by feature.
    bad_files : str
        "raise" or "skip": whether one of several files that cannot be used stops everything.
    """

    by: tuple[str, ...] = ()
    spread: str = "std"
    keep_points: bool = False
    errors: str | None = None
    corr: str | None = None
    names: str | None = None
    weights: str | None = None
    features: tuple[str, ...] = ()
    words: str | None = None
    missing: tuple[str, ...] = ()
    bins: str | None = None
    bad_files: str = "raise"

    def __post_init__(self) -> None:
        self._check_missing()

    def _check_missing(self) -> None:
        """No rule for empty cells may put another out of action, or be a misspelt one."""
        first: dict[str, str] = {}
        for rule in dict.fromkeys(self.missing):
            column, law = _column_and_law(rule)
            # With --words a word may be a law.
            if law.isalpha() and law not in _RULES and self.words is None:
                raise no_such(
                    "rule",
                    law,
                    list(_RULES),
                    '--missing takes drop, column, a law such as "U(0, 20)", or COLUMN=RULE.',
                )
            others = [first[c] for c in first if not c or not column or c == column]
            if others:
                raise CommandError(
                    f"--missing {quoted(others[0])} and --missing {quoted(rule)} are for the same "
                    "cells. Keep one, or give each column its own: COLUMN=RULE."
                )
            first[column] = rule

    @property
    def drop(self) -> bool:
        """Whether rows with an empty cell are left out."""
        return "drop" in self.missing

    @property
    def fill(self) -> Any:
        """What fills empty cells: a law for all, or by column; None if nothing does."""
        if self.drop:
            return None
        rules = dict(map(_column_and_law, self.missing))
        return rules.get("") or rules or None

    def given(self) -> Mapping[str, Any]:
        """Options that say how to read a table, by name, those that were used."""
        options = {
            "--errors": self.errors,
            "--corr": self.corr,
            "--names": self.names,
            "--words": self.words,
            "--missing": self.missing,
            "--keep-points": self.keep_points,
            "--bins": self.bins,
            "--bad-files": None if self.bad_files == "raise" else self.bad_files,
            "--spread": None if self.spread == "std" else self.spread,
        }
        return {name: value for name, value in options.items() if value}


def _column_and_law(rule: str) -> tuple[str, str]:
    """The column of a rule for empty cells, empty for all, and what fills it."""
    column, sign, law = rule.partition("=")
    return (column.strip(), law.strip()) if sign else ("", rule.strip())


@dataclass
class Reading:
    """Uncertain rows, and how their file was understood.

    Attributes
    ----------
    X : UncertainArray
    how : str
        What kind of data it is.
    details : list of str
        What its columns are.
    weighted : bool
        Whether a column gave the weights.
    """

    X: UncertainArray
    how: str
    details: list[str] = field(default_factory=list)
    weighted: bool = False
