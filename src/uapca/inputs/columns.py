"""Which columns of a table are values, errors, correlations and names of rows.

Found out once, for `uapca.read`, its explicit forms, labeled points and the command line. The words
by which columns with errors are known (``x_err``, ``e_x``, ``σx``) stand in `uapca._names`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from fnmatch import fnmatchcase
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from uapca._names import (
    COUNTER,
    ERROR_WORDS,
    IDENTIFIER,
    constant_columns,
    counting_columns,
    error_columns,
    error_stems,
    nearest,
    several,
)
from uapca._validation import listed
from uapca.uncertain.array import CORRELATION

__all__ = ["Errors", "Roles", "expand", "find_errors", "find_roles", "naming_column"]

# The weights in tables that this program writes; no column of anybody else's has this name.
WEIGHT = "uapca_weight"

_LONGEST = 16  # characters of an ending that may be a word for errors
_RATIO = re.compile(rf".+[_ .-]over[_ .-](?:{ERROR_WORDS})", re.I)
_SIZE = re.compile(r"(.+)[_ .-](?:n|nobs)", re.I)
_OBSERVATIONS = re.compile(r"(.+[_ .-])?n_?obs([_ .-].+)?", re.I)
# What a column is called that holds no number because it holds nothing.
_EMPTY = ("number", "empty")
_DIGITS = re.compile(r"\s*[<>≤≥~+$€£-]?\s?\.?[0-9]")
_MISSPELLED = tuple(f"_{word}" for word in ERROR_WORDS.split("|") if len(word) > 2)

_NAMING = re.compile(
    r"(.*[_ .-])?(names?|ids?|identifier|keys?|labels?)|index|rows?|samples?|objects?|items?|case"
    r"|specimen|subject|patient|person|participant|respondent|students?|pupils?|unnamed: \d+|stars?"
    r"|source|target|",
    re.I,
)


class Errors(NamedTuple):
    """Where the error of a feature stands.

    Attributes
    ----------
    kind : str
        ``"std"``, ``"double"`` (two standard deviations), ``"variance"``, ``"inverse"`` (of the
        variance), ``"distances"`` (below and above the value), ``"bounds"`` (values one standard
        deviation below and above), ``"quantiles"`` (the 16 % and 84 % quantiles around a median) or
        ``"constant"``.
    columns : tuple of str
        One column, or the lower and the upper one; the number itself if it is constant.
    """

    kind: str
    columns: tuple[str, ...]

    def describe(self, feature: str) -> str:
        """In words: ``x ± x_err``."""
        first = self.columns[0]
        return {
            "std": f"{feature} ± {first}",
            "constant": f"{feature} ± {first}",
            "double": f"{feature} ± {first} / 2",
            "variance": f"{feature} with the variance {first}",
            "inverse": f"{feature} with the inverse variance {first}",
            "distances": f"{feature} −{first} +{self.columns[-1]}",
            "bounds": f"{feature} between {first} and {self.columns[-1]}",
            "quantiles": f"{feature} between {first} and {self.columns[-1]}",
        }[self.kind]


CERTAIN = Errors("constant", ("0",))


@dataclass
class Roles:
    """What the columns of a table are.

    Attributes
    ----------
    features : list of str
        The columns of values.
    errors : dict of str to Errors
        By feature.
    pairs : dict of (int, int) to str
        The columns of correlations, by the positions of two features.
    left_out : dict of str to str
        Why columns are not used.
    hints : list of str
        What the user may have meant.
    """

    features: list[str]
    errors: dict[str, Errors] = field(default_factory=dict)
    pairs: dict[tuple[int, int], str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    hints: list[str] = field(default_factory=list)

    def say(self) -> list[str]:
        """The columns that are left out, and hints, in words."""
        reasons: dict[str, list[str]] = {}
        for column, why in self.left_out.items():
            reasons.setdefault(why, []).append(column)
        return [
            *(f"left out: {several(names)} ({why})" for why, names in reasons.items()),
            *self.hints,
        ]


def find_roles(
    table: Any,
    *,
    taken: Collection[str] = (),
    errors: Any = None,
    corr: str | bool | None = None,
    features: Any = None,
    exclude: Any = None,
    groups: bool = False,
) -> Roles:
    """What the columns are: values, their errors, correlations, and what is left out.

    Parameters
    ----------
    table : Table, or the schema of a file
        What has ``names``, ``resolve``, ``is_number`` and ``kind``.
    taken : collection of str
        Columns that are something else already: names, weights, labels.
    errors, corr, features, exclude
        As in `read`.
    groups : bool
        Whether the values are points to be grouped, whose errors are not used.
    """
    names = table.names
    excluded = set(expand(exclude, names, "exclude"))
    # What is left out is left out with its errors.
    if excluded:
        excluded |= {column for column, _, _ in error_columns(names, features=excluded)}
    gone = excluded | set(taken)
    rest = [name for name in names if name not in gone]
    asked = None if features is None else expand(features, names, "features", gone)
    found = find_errors(rest if asked is None else names, errors, asked)
    used = {column for own in found.values() for column in own.columns if own.kind != "constant"}
    roles, values = Roles([]), asked or []
    if asked is None:
        roles.left_out = _numbers_of_values(table, rest, found, groups)
        values = [name for name in rest if name not in used and name not in roles.left_out]
        if errors is None and found and not groups:
            _refuse_orphans(values, found)
    pairs, orphans = _correlations(rest, set(values), found, corr, excluded)
    table.resolve(values, asked is not None)
    if asked is None:
        # What goes beyond 1 is no correlation, but perhaps corrected.
        orphans = [
            n for n in orphans if not table.is_number(n) or not (abs(table.block([n])) > 1).any()
        ]
        roles.left_out |= dict.fromkeys(orphans, "correlation of columns that are not there")
        values = [name for name in values if name not in {*pairs, *orphans}]
        roles.left_out |= _other_columns(table, values, found, groups)
        values = [name for name in values if name not in roles.left_out]
    for name in values:
        if not table.is_number(name):
            raise ValueError(
                f"features must be columns of numbers; {name!r} holds {table.kind(name)}"
            )
    place = {name: j for j, name in enumerate(values)}
    for column, (first, second) in pairs.items():
        if first not in place or second not in place:
            continue
        pair = (min(place[first], place[second]), max(place[first], place[second]))
        if pair in roles.pairs:
            raise ValueError(
                f"corr must match one column for each pair of features; {first!r} and {second!r} "
                f"have {listed([roles.pairs[pair], column])}"
            )
        roles.pairs[pair] = column
    if isinstance(corr, str) and not roles.pairs:
        raise ValueError(f"corr={corr!r} must match a column; there are {listed(names)}")
    roles.features = values
    roles.errors = {} if groups else {name: found[name] for name in values if name in found}
    without = "points are grouped without them"
    if asked is None:
        kept = {column for own in roles.errors.values() for column in own.columns} | place.keys()
        why = f"errors: {without}" if groups else "errors of columns that are not used"
        roles.left_out |= {n: why for n in names if n in used and n not in kept}
    if groups or corr is False:
        why = f"correlations: {without}" if groups else "correlations, as asked for"
        roles.left_out |= dict.fromkeys(roles.pairs.values(), why)
        roles.pairs = {}
    return roles


def _numbers_of_values(
    table: Any, names: Sequence[str], found: Mapping[str, Errors], groups: bool
) -> dict[str, str]:
    """Columns that say how large or how many the values of others are, and why not to use them."""
    why = {}
    stems = set()
    if any(map(_SIZE.fullmatch, names)):
        stems = {stem for own in found.values() for stem, _ in error_stems(own.columns[0])}
        stems -= found.keys()
    for name in names:
        match = _SIZE.fullmatch(name)
        size = name not in found and bool(_OBSERVATIONS.fullmatch(name))
        if found and not groups and name.strip() in ("n", "N"):  # N may be nitrogen
            table.resolve([name])
            size = table.is_number(name) and bool((table.block([name]) % 1 == 0).all())
        if _RATIO.fullmatch(name) and name not in found:
            why[name] = "a value divided by its error"
        elif size or (match and match[1] in stems):
            why[name] = "numbers of observations; features= takes it"
    return why


def _other_columns(
    table: Any, names: Sequence[str], found: Mapping[str, Errors], groups: bool
) -> dict[str, str]:
    """Columns that are no measurements, and why: by their names, their kinds or their values."""
    numbers = [name for name in names if table.kind(name) != "flag" and table.is_number(name)]
    plain = [name for name in numbers if name not in found]
    block = np.empty((0, len(plain))) if groups or not plain else table.block(plain)
    aside, why, example = row_columns(plain, block, table.index), dict[str, str](), ""
    for name in names:
        kind = table.kind(name)
        if name in aside:
            why[name] = aside[name]
        elif kind == "flag":
            why[name] = "true or false; features= takes it as 0 and 1"
        elif not table.is_number(name):
            cells = map(str, table.cells(name) if kind == "text" else ())
            first = next((c.strip() for c in cells if not np.isnan(table.number(c) or 0.0)), "")
            why[name] = "text" if kind == "text" else "not numbers"
            if _DIGITS.match(first):  # probably numbers in a form of their own
                why[name] = example = example or f"text such as {first!r}"
            elif kind in _EMPTY or (kind == "text" and not first and len(table)):
                why[name] = "no values"
    chosen = [name for name in numbers if name not in aside]
    # Errors are often constant: those that look like some are left to the warning.
    constant = {plain[j] for j in constant_columns(block)} - aside.keys()
    constant -= lookalikes(chosen, set(chosen) - set(found)).keys()
    if not constant.issuperset(chosen):  # something must be left
        why |= {name: "constant; features= takes it" for name in chosen if name in constant}
    return why


def row_columns(names: Sequence[str], values: Any, index: Collection[str] = ()) -> dict[str, str]:
    """The columns of numbers that identify or count the rows, by name or by ``values``."""
    counting = {names[j] for j in counting_columns(values)}
    aside = {}
    for name in names:
        if IDENTIFIER.fullmatch(name.strip()) or name in index:
            aside[name] = "identifies rows; features= takes it"
        elif name in counting or COUNTER.fullmatch(name.strip()):
            aside[name] = "counts rows; features= takes it"
    return aside


def expand(
    wanted: Any, names: Sequence[str], parameter: str, without: Collection[str] = ()
) -> list[str]:
    """The columns that names and patterns such as ``met_*`` stand for, in order.

    Examples
    --------
    >>> expand(["met_*", "age"], ["age", "met_1", "met_2"], "features")
    ['met_1', 'met_2', 'age']
    """
    if wanted is None:
        return []
    if isinstance(wanted, bytes) or not isinstance(wanted, Iterable):
        raise TypeError(
            f"{parameter} must be names of columns or patterns such as 'met_*'; got {wanted!r}"
        )
    known, found = set(names), {}
    for item in [wanted] if isinstance(wanted, str) else wanted:
        text = str(item)
        matches = (
            [text]
            if text in known
            else [n for n in names if fnmatchcase(n, text) and n not in without]
        )
        if not matches:
            close = nearest(text, names)
            meant = f" (perhaps {close!r} was meant)" if close else ""
            raise ValueError(
                f"{parameter} must name columns of the table; there is no {text!r}{meant} among "
                f"{listed(names)}"
            )
        found.update(dict.fromkeys(matches))
    return list(found)


# Errors and correlations, by the names of their columns


def find_errors(
    names: Sequence[str], errors: Any = None, features: Collection[str] | None = None
) -> dict[str, Errors]:
    """The columns that hold the errors of others; in time linear in the number of columns.

    Examples
    --------
    >>> find_errors(["Mass", "Mass_Err", "Teff", "e_Teff", "z", "z_ivar", "body_std"])["Teff"]
    Errors(kind='std', columns=('e_Teff',))
    """
    if isinstance(errors, Mapping):
        return _given_errors(names, errors)
    stems = error_stems if errors is None else _stems_of(errors)
    sides: dict[str, dict[str, list[str]]] = {}
    for column, value, role in error_columns(names, stems, features):
        if role in ("interval", "relative") and features is not None:
            continue
        sides.setdefault(value, {}).setdefault(role, []).append(column)
    if errors is not None and not sides:
        raise ValueError(f"errors={errors!r} must match a column; there are {listed(names)}")
    return {value: _of_sides(value, own) for value, own in sides.items()}


def _stems_of(errors: Any) -> Callable[[str], list[tuple[str, str]]]:
    """What `error_stems` finds, by patterns of the user's own."""
    several = isinstance(errors, Iterable) and not isinstance(errors, str)
    patterns = list(errors) if several else [errors]
    for pattern in patterns or [errors]:
        if not isinstance(pattern, str) or pattern.count("{}") != 1 or pattern == "{}":
            raise ValueError(
                "errors must be a pattern such as '{}_err', in which {} stands for the feature, or "
                f"a mapping of features to columns; got {pattern!r}"
            )
    ends = [pattern.split("{}") for pattern in patterns]

    def stems(column: str) -> list[tuple[str, str]]:
        found = []
        for head, tail in ends:
            if column.startswith(head) and column.endswith(tail) and len(column) > len(head + tail):
                stem = column[len(head) : len(column) - len(tail)]
                roles = [role for own, role in error_stems(column) if own == stem]
                found.append((stem, roles[0] if roles else "std"))
        return found

    return stems


def _of_sides(value: str, sides: Mapping[str, list[str]]) -> Errors:
    columns = [column for own in sides.values() for column in own]
    if set(sides) == {"std", "plus"} and len(columns) == 2 and sides["std"][0].startswith("e_"):
        return Errors("distances", (sides["std"][0], sides["plus"][0]))
    if len(columns) == 1:
        role = "std" if columns[0].startswith("E_") and "plus" in sides else next(iter(sides))
        if role in ("std", "double", "variance", "inverse"):
            return Errors(role, (columns[0],))
    kinds = {"distances": ("minus", "plus"), "bounds": ("lower", "upper")}
    for kind, pair in {**kinds, "quantiles": ("q16", "q84")}.items():
        if set(sides) == set(pair) and len(columns) == 2:
            return Errors(kind, (sides[pair[0]][0], sides[pair[1]][0]))
    if "interval" in sides:
        raise ValueError(
            f"errors must be standard deviations; {listed(columns)} bound an interval of {value!r} "
            "of unknown probability: divide the width of a 95 % interval by 3.92, or leave its "
            f"bounds out with exclude={columns!r}"
        )
    if "relative" in sides:
        raise ValueError(
            f"errors must have the unit of their values; {listed(columns)} is relative to "
            f"{value!r}: multiply it by the values, or leave it out with exclude={columns!r}"
        )
    wanted = f"errors={{{value!r}: {columns[0]!r}}}"
    if len(columns) == 1:
        raise ValueError(
            f"asymmetric errors must have two columns; {value!r} has only {columns[0]!r}"
        )
    raise ValueError(
        f"every feature must have one error; {value!r} has {listed(columns)}; pass {wanted}"
    )


def _given_errors(names: Sequence[str], errors: Mapping[Any, Any]) -> dict[str, Errors]:
    known, found = set(names), {}
    for feature, own in errors.items():
        if own is None:
            continue
        number = (
            not isinstance(own, bool) and isinstance(own, Real) and 0.0 <= float(own) < math.inf
        )
        columns = (own,) if isinstance(own, str) or number else own
        if not isinstance(columns, Sequence) or len(columns) not in (1, 2):
            raise ValueError(
                f"errors[{feature!r}] must be a column, a lower and an upper one, or a number from "
                f"0; got {own!r}"
            )
        expand([feature] if number else [feature, *columns], names, "errors")
        if number:
            found[str(feature)] = Errors("constant", (str(own),))
            continue
        roles = [role for stem, role in error_stems(columns[0]) if stem in known]
        kind = roles[0] if roles and roles[0] in ("double", "variance", "inverse") else "std"
        if len(columns) == 2:
            kinds = {"lower": "bounds", "q16": "quantiles"}
            kind = kinds.get(roles[0], "distances") if roles else "distances"
        found[str(feature)] = Errors(kind, tuple(columns))
    return found


def _refuse_orphans(values: Sequence[str], found: Mapping[str, Errors]) -> None:
    """Raise if a column is named like the errors of others but has no values."""
    tails = {
        column[len(value) :]
        for value, own in found.items()
        for column in own.columns
        if column.startswith(value)
    }
    measured = set(found)
    for column in values:
        tail = next((t for t in tails if column.endswith(t) and len(column) > len(t)), None)
        if tail is not None and column not in measured:
            raise ValueError(
                f"errors must belong to a column of values; {column!r} has none: there is no "
                f"{column.removesuffix(tail)!r}; leave it out with exclude=[{column!r}]"
            )


def _correlations(
    names: Sequence[str],
    values: Collection[str],
    found: Mapping[str, Errors],
    corr: Any,
    excluded: Collection[str],
) -> tuple[dict[str, tuple[str, str]], list[str]]:
    """Columns of correlations with their two features, and those that lack a feature.

    Where there are errors, the name of two columns that are not in the table is enough.
    """
    if corr is None or isinstance(corr, bool):
        corr = CORRELATION
    if not isinstance(corr, str) or corr.count("{}") != 2:
        raise ValueError(
            "corr must be a pattern such as '{}_{}_corr', in which {} stands for two features; got "
            f"{corr!r}"
        )
    head, middle, tail = corr.split("{}")
    known = {*values, *excluded}
    pairs, orphans, sizes = {}, [], {len(name) for name in known} - {0}
    for column in names:
        if not (column.startswith(head) and column.endswith(tail)) or column in found:
            continue
        inner = column[len(head) : len(column) - len(tail)]
        # Cut only at the length of a known feature: all positions of a long name take long.
        rest = len(inner) - len(middle)
        cuts = {k for k in sizes if k < rest} | {rest - k for k in sizes if k < rest}
        cuts = {k for k in cuts if inner.startswith(middle, k)}
        splits = [(inner[:k], inner[k + len(middle) :]) for k in sorted(cuts)]
        whole = [pair for pair in splits if pair[0] in values and pair[1] in values]
        if whole:
            pairs[column] = whole[0]
        elif (head or tail) and (
            any(a in known or b in known for a, b in splits)
            or (found and middle and middle in inner[1:-1])
        ):
            orphans.append(column)
    return pairs, orphans


def lookalikes(columns: Sequence[str], certain: Collection[str]) -> dict[str, str]:
    """Columns that are probably misspelled errors of features that have none, and the features.

    Examples
    --------
    >>> lookalikes(["x", "x_errr", "y", "y_max", "dz", "z"], {"x", "y", "z"})
    {'x_errr': 'x', 'dz': 'z'}
    """
    found = {}
    for column in columns:
        for k in range(len(column) - 1, max(0, len(column) - _LONGEST), -1):
            rest = column[k:].lower()
            if column[:k] in certain and len(rest) > 3 and not rest[-1].isdigit():
                if get_close_matches(rest, _MISSPELLED, n=1, cutoff=0.8):
                    found[column] = column[:k]
                break
        for head in ("d", "d_", "delta", "delta_", "Δ"):
            if column.startswith(head) and column[len(head) :] in certain:
                found[column] = column[len(head) :]
    return found


# Names of rows


def naming_column(
    table: Any, without: Collection[str], errors: Any = None, cells: bool = False
) -> tuple[str | None, dict[str, tuple[str, bool]]]:
    """The column that names the rows: the first whose texts are all there and distinct.

    And the columns that are called like names and cannot be used: why, and whether most of their
    texts are distinct.

    A column of numbers must be called ``id`` or the like. In a table of uncertain cells the first
    column alone can name the rows, and only under a header such as ``name``, since its texts may
    be words without a meaning.
    """
    unusable: dict[str, tuple[str, bool]] = {}
    for name in table.names[: 1 if cells else None]:
        if name in without:
            continue
        header, kind = name.strip(), table.kind(name)
        if not (kind == "number" and IDENTIFIER.fullmatch(header)) and (
            kind != "text" or (cells and not _NAMING.fullmatch(header))
        ):
            continue
        identifier = IDENTIFIER.fullmatch(header)
        found = [] if identifier else table.cells(name)
        if any(map(table.is_nearly_number, found[:100])):
            continue
        texts = table.texts(name)
        empty, distinct = texts.count(None), len(set(texts) - {None})
        # In a table of cells the header says that these are names: repeated ones are misspelled.
        repeated = 0 if cells else len(texts) - empty - distinct
        if empty or repeated:
            if header and _NAMING.fullmatch(header) and distinct:
                counts = {"empty": empty, "repeated": repeated}
                why = " and ".join(f"{n:,} {what}" for what, n in counts.items() if n)
                unusable[name] = why, 2 * distinct > len(texts)
            continue
        # With an error of its own it is a value.
        value = identifier and not cells and name in find_errors(table.names, errors)
        if not value and not any(map(table.is_nearly_number, found[100:])):
            return str(name), unusable
    return None, unusable
