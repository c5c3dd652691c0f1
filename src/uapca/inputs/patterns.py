"""Columns that hold the errors of others, found by their names."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["CORRELATION", "WEIGHT", "correlations", "error_patterns", "measured"]

CORRELATION = "{}_{}_corr"
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
