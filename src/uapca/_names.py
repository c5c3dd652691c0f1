"""Names of columns: error columns, counters, identifiers, units; suggestions for misspelled names.

Also the escaping of text cells that a spreadsheet would take for formulas.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any

__all__ = [
    "COUNTER",
    "ERROR_WORDS",
    "IDENTIFIER",
    "constant_columns",
    "counting_columns",
    "error_columns",
    "error_stems",
    "guarded",
    "is_error_word",
    "nearest",
    "plural",
    "several",
    "split_unit",
    "unguarded",
]

# How columns with errors are named after their values, upper or lower case. The name also tells the
# kind of error: a standard deviation, a variance, or one side of an asymmetric error.
ERROR_WORDS = "err|error|errors|std|stdev|stddev|sd|sigma|unc|uncert|uncertainty|stderr|se|sem"
_LOW, _HIGH = "lo|low|lower|minus|neg|down|2", "hi|high|upper|plus|pos|up|1"
_ONE, _TWO = (rf"{k}[_ ]?(?:σ|sigma|sd|se|sem)" for k in (1, 2))
_WORDS = (
    rf"(?P<std>{ERROR_WORDS}|{_ONE})|(?P<double>{_TWO})"
    r"|(?P<variance>var|variance)|(?P<inverse>ivar|invvar|inverse_variance)"
    rf"|(?:err|error|unc|sigma|std)[_ .-]?(?:(?P<minus>{_LOW})|(?P<plus>{_HIGH}))"
    r"|(?P<lower>lower)|(?P<upper>upper)|(?P<q16>[pq]_?16)|(?P<q84>[pq]_?84)"
    r"|(?P<relative>rsd|cv|rse|rel[_ .-]?(?:err|error|std|sd|unc))%?"
    r"|(?P<interval>\d\d%?[_ .-]?ci|ci[_ .-]?\d\d%?"
    r"|(?:\d\d%?[_ .-]?)?(?:ci|cl|hdi|hpd)(?:[_ .-]?\d\d%?)?"
    r"[_ .-]?(?:l|lo|low|lower|u|hi|high|upper))"
)
# Columns named as values: the errors of ph_mean may be called ph_sd.
_VALUE = re.compile(
    r"(?P<stem>.+?)[_ .-](?:mean|avg|average|median|med|value|val|estimate|est|[pq]_?50)"
    r"|(?:mean|avg|average|median)[_ .-](?P<stem2>.+)",
    re.I | re.S,
)
_VALUES = ("mean", "average", "avg", "median", "value", "val", "estimate", "est")
_SUFFIX = re.compile(rf"(?P<stem>.+?)(?:[_ .-](?:{_WORDS})|(?P<sign>\s?(?:±|\+/-)))", re.I | re.S)
_BRACKET = re.compile(rf"(?P<stem>.+?)\s\((?:{ERROR_WORDS})\)", re.I | re.S)
_CALLED = re.compile(rf"(?:u|σ|{ERROR_WORDS})\((?P<stem>.+)\)", re.I | re.S)
# magerr, zErr and massSD. The NASA Exoplanet Archive writes pl_masserr1 for the upper error.
_JOINED = re.compile(
    r"(?P<stem>.+?)(?:err(?:(?P<plus>1)|(?P<minus>2))?"
    r"|(?-i:(?<=[a-z0-9])(?:Error|Sigma|Std|SD|SE|Unc)))",
    re.I,
)
# MAGERR_AUTO, modelMagErr_u and, where pandas met a name twice, x_err.1
_INSIDE = re.compile(rf"(?P<head>.+?)(?:err|error|[_ .-](?:{ERROR_WORDS}))(?P<tail>[_ .-].+)", re.I)
_PREFIX = re.compile(rf"(?:e_|(?:{ERROR_WORDS})[_ .]|[σδ]_?|±\s?)(?P<stem>.+)", re.I | re.S)
_PATTERNS = (_SUFFIX, _BRACKET, _CALLED, _JOINED, _PREFIX)
# Numeric columns that identify or count the rows and are not measurements.
IDENTIFIER = re.compile(
    r"|(.*[_ .-]|.*(obj|object|source|sample|patient|subject|record|cell|gene|protein))?ids?"
    r"|(?-i:.*[a-z]I[Dd]s?)|names?|labels?|index|row|row[_ ]?(number|no|nr)?|unnamed: \d+|#",
    re.I,
)
COUNTER = re.compile(
    r"(tech|bio)?[_ ]?(replicates?|repeat|rep|run|trial|iteration)([_ ]?(no|nr|number|id))?"
    r"|random_index",
    re.I,
)
_GUARD = re.compile(r"'(?='*[=+\-@\t\r])")
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
# Fewest rows from which 0, 1, 2, … is taken for a row number, and a single value for a constant.
_COUNTED = 10
_FUNCTION = re.compile(r"(.*[\W_])?(log\d*|ln|lg|exp|sqrt|arcsinh|asinh)", re.I)
_UNIT = re.compile(r"(?P<name>.*\S)\s*(?:\[(?P<unit>[^\[\]]*)\]|\((?P<unit2>[^()]*)\))", re.S)


def plural(number: int, noun: str) -> str:
    """A number and its noun: ``1 row``, ``1,200 rows``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def several(names: Sequence[str], most: int = 8) -> str:
    """Names one after the other; a long list is cut and says how many are left.

    Examples
    --------
    >>> several("abc", most=2)
    'a, b and 1 more'
    """
    text = ", ".join(names[:most])
    return text if len(names) <= most else f"{text} and {len(names) - most:,} more"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most similar to a misspelled one; None if none is similar.

    Examples
    --------
    >>> nearest("studnets", ["iris", "students"])
    'students'
    """
    folded: dict[str, str] = {}
    for candidate in known:
        folded.setdefault(candidate.casefold(), candidate)
    found = get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)
    return folded[found[0]] if found else None


def counting_columns(values: Any) -> list[int]:
    """The columns of a matrix that are 0, 1, 2, … or 1, 2, 3, … down its rows."""
    n = len(values)
    if n < _COUNTED:
        return []
    first, last = values[0], values[-1]
    ends = ((first == 0) | (first == 1)) & (last == first + n - 1)
    return [j for j in ends.nonzero()[0].tolist() if (values[:, j] - first[j] == range(n)).all()]


def constant_columns(values: Any) -> list[int]:
    """The columns of a matrix that hold the same number in all of ten rows or more."""
    if len(values) < _COUNTED:
        return []
    ends = (values[0] == values[-1]).nonzero()[0].tolist()
    return [j for j in ends if (values[:, j] == values[0, j]).all()]


def _by_name(names: Sequence[str]) -> dict[str, str]:
    """Columns by name, also without units and in lower case where that is unambiguous."""
    known: dict[str, str] = {}
    twice: set[str] = set()
    for name in names:
        core = split_unit(name)[0]
        for form in {core, core.casefold(), name.casefold()} - {name}:
            if form in known:
                twice.add(form)
            known[form] = name
    for form in twice:
        del known[form]
    means: dict[str, str] = {}
    for name in names:
        if match := _VALUE.fullmatch(split_unit(name)[0]):
            means.setdefault(match["stem"] or match["stem2"], name)
    folded = {stem.casefold(): name for stem, name in reversed(means.items())}
    # Ct SD belongs to Ct Mean, even where there is CT too.
    return folded | known | means | {name: name for name in names}


def split_unit(name: str) -> tuple[str, str | None]:
    """A header without the unit at its end, and the unit: ``mass [kg]`` or ``mass (kg)``."""
    match = _UNIT.fullmatch(name) if name.endswith((")", "]")) else None
    unit = (match["unit"] or match["unit2"]) if match else None
    # log(g) is a name, and Mass (sigma) and u(Mass) are the error of Mass.
    named = (_BRACKET.fullmatch(name), _CALLED.fullmatch(name))
    if match is None or _FUNCTION.fullmatch(match["name"]) or any(named):
        return name, None
    return match["name"], unit


def is_error_word(name: str) -> bool:
    """Whether a name is only a word for errors: ``±`` or ``SD``."""
    return re.fullmatch(rf"±|\+/-|{ERROR_WORDS}|{_ONE}|{_TWO}", name, re.I) is not None


def error_stems(column: str) -> list[tuple[str, str]]:
    """Names of the value columns whose errors a column may hold, each with the kind of error."""
    inside = _INSIDE.fullmatch(split_unit(column)[0])
    found = [(inside["head"] + inside["tail"], "std")] if inside else []
    for text in dict.fromkeys((column, split_unit(column)[0])):
        for pattern in _PATTERNS:
            match = pattern.fullmatch(text)
            if match is None:
                continue
            parts = match.groupdict()
            role = next((k for k, v in parts.items() if v and k not in ("stem", "sign")), "std")
            # VizieR: e_x is the lower and E_x the upper error where both are there.
            role = "plus" if text.startswith("E_") and pattern is _PREFIX else role
            found.append((parts["stem"], role))
    return found


def error_columns(
    names: Sequence[str],
    stems: Callable[[str], list[tuple[str, str]]] = error_stems,
    features: Collection[str] | None = None,
) -> Iterator[tuple[str, str, str]]:
    """The columns that are named as errors of others, each with its value column and kind of error.

    The value column is one of ``features`` if these are given. ``stems`` replaces `error_stems`.
    The time is linear in the number of columns.

    Examples
    --------
    >>> list(error_columns(["Mass", "Mass_Err", "z", "z_ivar", "body_std"]))
    [('Mass_Err', 'Mass', 'std'), ('z_ivar', 'z', 'inverse')]
    """
    known = _by_name(names)
    for column, before in zip(names, ("", *names), strict=False):
        if before.casefold() in _VALUES and is_error_word(column):
            if features is None or before in features:
                yield column, before, "std"
            continue
        for stem, role in stems(column):
            # Xerr is the error of X, not of x: without a separator it may be a name of its own.
            joined = stem not in column or column.lower().startswith(f"{stem.lower()}err")
            forms = (stem,) if joined else (stem, stem.casefold(), stem.strip())
            value = next((known[form] for form in forms if form in known), None)
            if value is not None and value != column and (features is None or value in features):
                yield column, value, role
                break


def guarded(cell: Any) -> Any:
    """A cell with an apostrophe before text that a spreadsheet would take for a formula.

    Such text behind apostrophes gets one more, so that `unguarded` gives any text back.
    """
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def unguarded(text: str) -> str:
    """The text that `guarded` was given."""
    return text[1:] if _GUARD.match(text) else text
