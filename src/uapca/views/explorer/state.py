"""What a person can set in the explorer, and the rules for it: the same in Python and the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from numbers import Integral
from typing import Any

import numpy as np

from uapca._validation import complaint, scale_from
from uapca.uncertain.checks import weights_from

__all__ = [
    "State",
    "level_from",
    "pair_from",
    "scale_from",
    "scale_to_wire",
    "selection_from",
    "shares_from",
]


@dataclass(frozen=True, slots=True)
class State:
    """A view of the explorer.

    Attributes
    ----------
    scale : float
        s, from 0 to infinity.
    weights : list of float or None
        One share for each row, summing to 1; None for the data's own.
    selection : list of int
        Selected rows, rising.
    pair : list of int
        The components on the two axes, from 0.
    level : float
        The probability inside an ellipse.
    standardize : bool
    """

    scale: float = 1.0
    weights: list[float] | None = None
    selection: tuple[int, ...] = ()
    pair: tuple[int, int] = (0, 1)
    level: float = 0.95
    standardize: bool = False

    def to_wire(self) -> dict[str, Any]:
        """The state in words of JSON."""
        return asdict(self) | {"scale": scale_to_wire(self.scale)}


def scale_to_wire(scale: float) -> float | str:
    """JSON has no word for infinity."""
    return "inf" if scale == np.inf else scale


def shares_from(weights: Any, n: int, fixed: bool) -> list[float] | None:
    """Weights that sum to 1, or None; the only choice where they are ``fixed``."""
    if fixed and weights is not None:
        raise ValueError(
            complaint(
                "weights",
                "stay those of the data where the components were computed beforehand",
                "got others for more than 60 features",
                "Explore X.reweighted(weights) instead",
            )
        )
    shares = weights_from(weights, n)[0]
    return None if shares is None else [float(share) for share in shares]


def selection_from(rows: Any, n: int, names: Sequence[str] | None) -> list[int]:
    """Rows by position or name, as rising positions."""
    if isinstance(rows, str) or not isinstance(rows, Iterable):
        rows = [rows]
    found = set()
    for row in rows:
        place = row
        if isinstance(row, str) and names is not None and row in names:
            place = names.index(row)
        whole = isinstance(place, Integral) and not isinstance(place, bool)
        if not whole or not 0 <= int(place) < n:
            raise ValueError(
                complaint(
                    "selection",
                    f"hold rows by name, or by position from 0 to {n - 1}",
                    f"got {row!r}",
                    "An empty list selects none",
                )
            )
        found.add(int(place))
    return sorted(found)


def pair_from(pair: Any, q: int) -> list[int]:
    """Two different components, from 0; the same one twice where there is only one."""
    try:
        places = list(pair)
    except TypeError:
        places = []
    whole = all(isinstance(i, Integral) and not isinstance(i, bool) for i in places)
    distinct = whole and (len(set(places)) == 2 or q == 1)
    if len(places) == 2 and distinct and all(0 <= int(i) < q for i in places):
        return [int(i) for i in places]
    raise ValueError(
        complaint(
            "pair",
            f"be two different components, counted from 0, of the {q} there are",
            f"got {pair!r}",
            "(0, 1) shows the first two",
        )
    )


def level_from(level: Any) -> float:
    """A probability between 0 and 1."""
    try:
        value = float(level)
    except (TypeError, ValueError):
        value = float("nan")
    if 0.0 < value < 1.0:
        return value
    raise ValueError(
        complaint(
            "level",
            "be a probability between 0 and 1",
            f"got {level!r}",
            "0.95 draws ellipses that hold 95 % of a row",
        )
    )
