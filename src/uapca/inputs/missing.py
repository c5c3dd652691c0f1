"""What empty cells of a table mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from uapca._validation import complaint
from uapca.inputs.cells import CellError, parse_cell
from uapca.inputs.parts import require_names
from uapca.laws import Marginal, NormalMarginal, Point, as_marginal

__all__ = ["column_law", "fills_of"]


def fills_of(missing: Any, chosen: Sequence[str], words: Mapping[str, Any]) -> dict[str, Any]:
    """What fills the empty cells of each column: a law, "column", "drop" or None."""
    given = missing if isinstance(missing, Mapping) else dict.fromkeys(chosen, missing)
    require_names(chosen, given, "missing")
    return {name: _fill(given.get(name), words) for name in chosen}


def _fill(value: Any, words: Mapping[str, Any]) -> Any:
    if value is None or (isinstance(value, str) and value in ("column", "drop")):
        return value
    known = {word: law for word, law in words.items() if law is not None}
    try:
        return parse_cell(value, known) if isinstance(value, str) else as_marginal(value)
    except (CellError, TypeError, ValueError) as error:
        raise type(error)(
            complaint(
                "missing",
                "be 'drop', 'column', or what stands in a cell, such as 'U(0, 20)'",
                f"got {value!r}",
                "'drop' leaves out the row, 'column' puts in the column's mean and spread",
            )
        ) from None


def column_law(known: Sequence[Marginal]) -> Marginal | None:
    """A normal law with the mean and the spread of a column's cells, errors included."""
    if not known:
        return None
    means = np.array([law.mean for law in known])
    var = means.var() + np.mean([law.var for law in known])
    mean = float(means[0] + (means - means[0]).mean())
    return NormalMarginal(mean, float(np.sqrt(var))) if var > 0 else Point(mean)
