"""What the options say about the data, and what it was understood to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from uapca.uncertain import UncertainArray

__all__ = ["Choices", "Reading"]


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

    @property
    def drop(self) -> bool:
        """Whether rows with an empty cell are left out."""
        return "drop" in self.missing

    @property
    def fill(self) -> Any:
        """What fills empty cells: a law for all, or by column; None if nothing does."""
        rules = [rule for rule in self.missing if rule != "drop"]
        by_column: dict[str, str] = {}
        for rule in rules:
            column, sign, law = rule.partition("=")
            if not sign:
                return rule
            by_column[column.strip()] = law.strip()
        return by_column or None

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
            "--spread": None if self.spread == "std" else self.spread,
        }
        return {name: value for name, value in options.items() if value}


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
