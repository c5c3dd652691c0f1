"""Columns that hold the errors of others, found by their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from difflib import get_close_matches

from uapca.uncertain.array import CORRELATION

__all__ = [
    "CORRELATION",
    "WEIGHT",
    "correlations",
    "error_patterns",
    "likely_pattern",
    "lookalikes",
    "measured",
]

# The weights in tables that this program writes; no column of anybody else's has this name.
WEIGHT = "uapca_weight"

_WORDS = ("err", "error", "errors", "std", "stdev", "sd", "sigma", "unc", "uncertainty")
_MORE = ("stderr", "se", "sem", "uncert")
_ENDINGS = (
    *(join + word for word in (*_WORDS, *_MORE) for join in ("_", " ", ".", "-")),
    *(f" ({word})" for word in (*_WORDS, *_MORE)),
    *("±", " ±"),
)
_BEGINNINGS = (*(f"{word}_" for word in ("e", *_WORDS)), *("σ", "σ_", "δ", "δ_", "±"))

# Not taken for errors by themselves, but worth a question.
_PERHAPS = ("d", "d_", "delta", "delta_")


def error_patterns(columns: Sequence[str]) -> list[str]:
    """How the errors are named after their features, such as ``{}_err``; upper case or lower.

    Only where both columns are there: a column ``body_std`` without ``body`` is a value.

    Examples
    --------
    >>> error_patterns(["Mass", "Mass_Err", "e_Teff", "Teff", "std"])
    ['{}_Err', 'e_{}']
    """
    known, found = set(columns), []
    for column in columns:
        low = column.lower()
        for ending in _ENDINGS:
            if low.endswith(ending) and column[: -len(ending)] in known:
                found.append("{}" + column[-len(ending) :])
        for beginning in _BEGINNINGS:
            if low.startswith(beginning) and column[len(beginning) :] in known:
                found.append(column[: len(beginning)] + "{}")
    return list(dict.fromkeys(found))


def measured(columns: Sequence[str]) -> dict[str, str]:
    """The columns that are named like the error of another, and that other.

    Examples
    --------
    >>> measured(["x", "x_err", "y", "body_std"])
    {'x_err': 'x'}
    """
    pairs = [(p.replace("{}", name), name) for p in error_patterns(columns) for name in columns]
    return {error: name for error, name in pairs if error in set(columns)}


def lookalikes(columns: Sequence[str], certain: Collection[str]) -> dict[str, str]:
    """Columns whose name is nearly that of an error of a feature that has none, and the feature.

    Examples
    --------
    >>> lookalikes(["x", "x_errr", "y", "y_max"], ["x", "x_errr", "y", "y_max"])
    {'x_errr': 'x'}
    """
    return {
        column: value
        for column in columns
        for value in columns
        if column != value and value in certain and _resembles(column.lower(), value.lower())
    }


def _resembles(column: str, value: str) -> bool:
    if column.startswith(value):
        rest = column[len(value) :]
        # Endings of three letters, such as _se, are too like others.
        long = [ending for ending in _ENDINGS if len(ending) > 3]
        return rest in _ENDINGS or bool(get_close_matches(rest, long, n=1, cutoff=0.8))
    return column.endswith(value) and column[: -len(value)] in (*_BEGINNINGS, *_PERHAPS)


def likely_pattern(columns: Sequence[str]) -> tuple[str, str, str] | None:
    """A pattern that would pair half of the columns or more, with an error and its feature.

    Examples
    --------
    >>> likely_pattern(["x", "dx", "y", "dy"])
    ('d{}', 'dx', 'x')
    >>> likely_pattern(["length", "width", "x", "x2"]) is None
    True
    """
    found: Counter[str] = Counter()
    first: dict[str, tuple[str, str]] = {}
    for column in columns:
        for value in columns:
            head, inner, tail = column.partition(value)
            # Between a feature and another power or copy of it there are only digits.
            if not inner or bool(head) == bool(tail) or not any(c.isalpha() for c in head + tail):
                continue
            pattern = f"{head}{{}}{tail}"
            found[pattern] += 1
            first.setdefault(pattern, (column, value))
    if not found:
        return None
    pattern, count = found.most_common(1)[0]
    return (pattern, *first[pattern]) if 4 * count >= len(columns) else None


def correlations(columns: Sequence[str], features: Sequence[str] | None = None) -> list[str]:
    """Columns named like the correlation of two others, or of two features: ``ra_dec_corr``.

    Examples
    --------
    >>> correlations(["ra", "dec", "ra_dec_corr", "x_corr"])
    ['ra_dec_corr']
    """
    known = set(columns if features is None else features)
    ending = CORRELATION.rpartition("{}")[2]
    found = []
    for column in columns:
        parts = column.removesuffix(ending).split("_")
        pairs = (("_".join(parts[:k]), "_".join(parts[k:])) for k in range(1, len(parts)))
        if column.endswith(ending) and any(a in known and b in known for a, b in pairs):
            found.append(column)
    return found
