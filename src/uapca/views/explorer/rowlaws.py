"""What the page needs to draw the density of a row that is not normal, in any projection."""

from __future__ import annotations

from typing import Any

import numpy as np

from uapca._validation import Floats
from uapca.laws import Independent, Mixture, Moments, Normal, Samples
from uapca.uncertain import UncertainArray
from uapca.views.explorer.arrays import Wire, wire

__all__ = ["given_points", "original_points", "row_laws"]

_QUANTILES = 64
_DRAWS = 1000
# All laws of a page together: a million numbers are 5 MB of text.
_MOST_NUMBERS = 1_000_000
_MOST_POINTS = 5000
# Whoever gives points wants to see them: there may be more.
_MOST_GIVEN = 20_000

# Values (m, D), the row of each, and a remark where these are not all.
Points = tuple[Floats, list[int], str | None]


def row_laws(X: UncertainArray) -> tuple[list[Wire | None] | None, str | None]:
    """A law for each row that is not normal, and a remark if there were too many to send."""
    if X.laws is None:
        return None, None
    n, d = X.shape
    draws = min(_DRAWS, max(_MOST_NUMBERS // (n * d), 1))
    if min(draws, _QUANTILES) * n * d > _MOST_NUMBERS or draws < 50:
        return None, (
            "there are too many rows for the densities of all: they are drawn as the ellipses of "
            "normal rows with the same means and covariances"
        )
    laws = [_row_law(law, draws) for law in X.laws]
    return (None, None) if all(law is None for law in laws) else (laws, None)


def _row_law(law: Any, draws: int) -> Wire | None:
    if isinstance(law, Normal) or (isinstance(law, Moments) and law.sampler is None):
        return None
    if isinstance(law, Independent):
        if law.normal:
            return None
        # Dense in the tails: at sin²(π/2 · t) for even t.
        p = np.square(np.sin(np.pi / 2 * (np.arange(_QUANTILES) + 0.5) / _QUANTILES))
        tables = [[m.mean] if m.certain else m.ppf(p) for m in law.marginals]
        return {"kind": "independent", "quantiles": [wire(_finite(table)) for table in tables]}
    if isinstance(law, Mixture) and all(isinstance(part, Normal) for part in law.components):
        return {
            "kind": "mixture",
            "weights": wire(law.weights),
            "means": wire(np.stack([part.mean for part in law.components])),
            "covariances": wire(np.stack([part.cov for part in law.components])),
        }
    if isinstance(law, Samples):
        values, size = _thinned(law, draws), law.effective_size
    else:
        values, size = law.sample(draws, rng=0), float(draws)
    return {"kind": "points", "values": wire(values.astype(np.float64)), "effective": size}


def _finite(table: Any) -> Floats:
    """Quantiles beyond float64, as of the heaviest tails, are drawn at its edge."""
    most = np.finfo(np.float64).max
    return np.clip(np.asarray(table, dtype=np.float64), -most, most)


def _thinned(law: Samples, most: int) -> Floats:
    """At most so many of the samples, that count the same: at even steps of their total weight."""
    held = np.cumsum(law.weights)
    count = len(held)
    equal = np.ptp(law.weights) <= 1e-12 / count
    if equal and count <= most:
        return law.values
    if equal:
        return law.values[np.random.default_rng(0).choice(count, most, replace=False)]
    steps = (np.arange(most) + 0.5) / most * held[-1]
    return np.asarray(law.values[np.minimum(np.searchsorted(held, steps), count - 1)])


def original_points(X: UncertainArray) -> Points | None:
    """The samples behind the rows with the position of their row, at most 5,000 in all."""
    if X.laws is None:
        return None
    found = [(i, law) for i, law in enumerate(X.laws) if isinstance(law, Samples)]
    if not found:
        return None
    each = max(_MOST_POINTS // len(found), 1)
    parts = [_thinned(law, each) for _, law in found]
    rows = [i for (i, _), part in zip(found, parts, strict=True) for _ in range(len(part))]
    count = sum(len(law.values) for _, law in found)
    return np.concatenate(parts), rows, _fewer(len(rows), count)


def given_points(values: Floats, rows: list[int]) -> Points:
    """At most 20,000 of the points, all equally likely."""
    count = len(values)
    if count <= _MOST_GIVEN:
        return values, rows, None
    kept = np.sort(np.random.default_rng(0).choice(count, _MOST_GIVEN, replace=False))
    return values[kept], [rows[i] for i in kept], _fewer(len(kept), count)


def _fewer(drawn: int, count: int) -> str | None:
    if drawn >= count:
        return None
    return f"of the {count:,} points {drawn:,} are drawn, chosen at random"
