"""What views accept, checked: traces, fits and data, features and components by name or number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from uapca._validation import complaint
from uapca.decomposition import UAPCA
from uapca.sensitivity import FactorTraces, WeightTraces, factor_traces
from uapca.sensitivity.traces import feature_names, fitted
from uapca.uncertain import UncertainArray

__all__ = [
    "check_level",
    "chosen",
    "chosen_components",
    "chosen_pair",
    "counted",
    "data_or_fit",
    "features_of",
    "fit_given",
    "traces_given",
]


_SCORES = re.compile(r"PC[1-9]\d*")

# How many components a view takes: at least, at most, in words, and what to do instead.
_MANY = {
    "two": (2, 2, "two different numbers", "Pass (0, 1) for the first two"),
    "one or two": (1, 2, "one or two different numbers", "Pass (0, 1) for the first two"),
    "some": (1, np.inf, "different numbers", "Pass 0 for the first"),
}


def traces_given(traces: Any, components: Any = (0, 1)) -> FactorTraces | WeightTraces:
    """Traces as they are; of data or a fit, its factor traces, of as many components as needed."""
    if isinstance(traces, FactorTraces | WeightTraces):
        return traces
    if isinstance(traces, UncertainArray | UAPCA):
        listed = components if isinstance(components, Iterable) else ()
        needed = 1 + max((int(i) for i in listed if _whole(i)), default=1)
        size = traces.shape[1] if isinstance(traces, UncertainArray) else traces.n_features_in_
        return factor_traces(traces, n_components=max(2, min(needed, size)))
    raise TypeError(
        complaint(
            "traces",
            "be what uapca.factor_traces returns, an UncertainArray or a fitted UAPCA",
            f"got {type(traces).__name__}",
            "Pass uapca.factor_traces(X)",
        )
    )


def data_or_fit(X: Any) -> UAPCA:
    """A fit as in `fit_given`, for pictures of features: rows that are already projected have none.

    They are known by the names that `transform` gives to its columns.
    """
    names = X.features if isinstance(X, UncertainArray) else None
    if names and all(_SCORES.fullmatch(name) for name in names):
        raise ValueError(
            complaint(
                "X",
                "be the data or the fit, whose features are shown",
                f"got rows that are already projected, with columns {names[0]}, …",
                "Pass the X of pca.transform(X), or pca",
            )
        )
    return fit_given(X)


def fit_given(X: Any) -> UAPCA:
    """A fit that has C and Ψ̄: of data at s = 1, or as given."""
    return fitted(X)


def check_level(level: Any) -> float:
    """One probability, between 0 and 1."""
    if isinstance(level, Real) and 0.0 < float(level) < 1.0:
        return float(level)
    raise ValueError(
        complaint("level", "lie between 0 and 1", f"got {level!r}", "Pass 0.95 for 95 %")
    )


def features_of(given: UAPCA | UncertainArray) -> tuple[str, ...]:
    """The names of the features of a fit or of rows, made up where there are none.

    As in tables and reports: x0, x1, …

    >>> features_of(UncertainArray([[1.0, 2.0]]))
    ('x0', 'x1')
    """
    if isinstance(given, UncertainArray):
        return feature_names(given.features, given.shape[1])
    return feature_names(getattr(given, "feature_names_in_", None), len(given.mean_))


def chosen_pair(components: Any, there: int) -> tuple[int, int]:
    """Two different components that are there."""
    if there < 2:
        raise ValueError(
            complaint(
                "components",
                "be two",
                "there is only one component",
                "Fit at least two, uapca.UAPCA(2), of data with at least two features",
            )
        )
    first, second = chosen_components(components, there, "two")
    return first, second


def chosen_components(
    components: Any, there: int, many: Literal["two", "one or two", "some"]
) -> tuple[int, ...]:
    """Different components that are there, counted from 0.

    >>> chosen_components(np.array([2, 0]), 3, "two"), chosen_components(1, 3, "one or two")
    ((2, 0), (1,))
    """
    listed = components.tolist() if isinstance(components, np.ndarray) else components
    listed = tuple(listed) if isinstance(listed, Iterable) else (listed,)
    least, most, words, remedy = _MANY[many]
    whole = least <= len(listed) <= most and all(map(_whole, listed))
    if whole and len(set(listed)) == len(listed) and 0 <= min(listed) <= max(listed) < there:
        return tuple(map(int, listed))
    raise ValueError(
        complaint(
            "components",
            f"be {words} from 0 to {there - 1}",
            f"got {components!r}",
            remedy,
        )
    )


def counted(wanted: Any, there: int, usual: int, parameter: str = "n_components") -> int:
    """How many to show: as wanted, by default all but no more than usual."""
    if wanted is None:
        return min(there, usual)
    if _whole(wanted) and 1 <= int(wanted) <= there:
        return int(wanted)
    raise ValueError(
        complaint(
            parameter,
            f"be an integer from 1 to {there}",
            f"got {wanted!r}",
            f"Leave {parameter} out to show up to {usual}",
        )
    )


def chosen(wanted: Any, known: Sequence[str], parameter: str) -> tuple[int, ...]:
    """Positions of features, given by name or number, in their own order."""
    listed = [wanted] if isinstance(wanted, str | Integral) else list(wanted)
    found = set()
    for item in listed:
        if isinstance(item, str) and item in known:
            found.add(known.index(item))
        elif _whole(item) and 0 <= int(item) < len(known):
            found.add(int(item))
        else:
            shown = ", ".join(map(repr, known[:6])) + ", …" * (len(known) > 6)
            raise ValueError(
                complaint(
                    parameter,
                    "name features",
                    f"there is no {item!r}",
                    f"They are {shown}",
                )
            )
    return tuple(sorted(found))


def _whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool | np.bool_)
