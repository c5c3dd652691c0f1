"""From an UncertainArray to what the page reads: plain numbers and text, schema 1.

The representation of the covariances is kept and every number goes as the bits it has. The other
side is ``explorer/src/core/decode.ts``.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence, Sized
from numbers import Integral
from typing import Any

import numpy as np

from uapca._validation import Floats, as_floats, check_finite, complaint, shape_of
from uapca.plot.rows import is_assumed
from uapca.stability import SeparationWarning, component_uncertainty
from uapca.uncertain import Diagonal, Shared, UncertainArray, Zero
from uapca.uncertain.covariance import Dense
from uapca.views.explorer.arrays import Wire, wire
from uapca.views.explorer.precomputed import MOST_FEATURES, precomputed
from uapca.views.explorer.rowlaws import given_points, original_points, row_laws
from uapca.views.explorer.state import State

__all__ = ["SCHEMA", "component_count", "payload"]

SCHEMA = 1
# What browsers still open without complaint; as text it is a third more.
_MOST_BYTES = 64 << 20


def payload(
    X: UncertainArray,
    *,
    groups: Sequence[Any] | None = None,
    points: Any = None,
    title: str | None = None,
    units: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Everything the page shows, with arrays as bytes; see `uapca.explore` for the parameters."""
    n, d = X.shape
    _check_values(X)
    _check_size(X)
    laws, crowded = row_laws(X)
    dots, fewer = _points(X, points)
    remarks = [*_verdict(X), *(text for text in (crowded, fewer) if text is not None)]
    return {
        "schema": SCHEMA,
        "n": n,
        "d": d,
        "title": "Uncertainty-aware PCA" if title is None else str(title),
        "names": None if X.names is None else list(X.names),
        "features": None if X.features is None else list(X.features),
        "units": _texts(units, "units", d, "feature"),
        "mean": wire(X.mean),
        "cov": _covariance(X),
        "weights": None if X._weights is None else wire(X.weights),
        "counts": _counts(X),
        "groups": _groups(groups, n),
        "points": dots,
        "laws": laws,
        "assumed": _assumed(X),
        "precomputed": precomputed(X),
        "remarks": remarks,
        "state": State(pair=(0, min(1, d - 1))).to_wire(),
    }


def _assumed(X: UncertainArray) -> bool:
    """Whether some rows are drawn as normals only because no more than their moments is known."""
    uncertain = np.flatnonzero((X.cov.diagonal() > 0.0).any(axis=1)).tolist()
    if X.laws is None:
        return bool(uncertain)
    laws = list(X.laws)
    return any(is_assumed(laws[row]) for row in uncertain)


def component_count(data: dict[str, Any]) -> int:
    """How many components the page can show."""
    kept = data["precomputed"]
    return int(data["d"] if kept is None else kept["q"])


def _check_values(X: UncertainArray) -> None:
    """NaN and infinity never reach a page; nor does what overflows when it is squared there."""
    check_finite(X.mean, "mean", ("row", "feature"))
    for name, array in X.cov.arrays.items():
        axes = {"std": ("row", "feature"), "factors": ("row", "feature", "factor")}
        rows = () if isinstance(X.cov, Shared) else ("row",)
        check_finite(array, name, axes.get(name, (*rows, "feature", "feature")))
    with np.errstate(over="ignore", invalid="ignore"):
        size = np.square(np.ptp(X.mean.astype(np.float64), axis=0)).sum()
        size += X.cov.diagonal().astype(np.float64).sum(axis=1).max()
    if not np.isfinite(size):
        raise ValueError(
            complaint(
                "X",
                "have squares that fit into float64",
                "its covariance overflows",
                "Divide the data by its largest magnitude first, or use UncertainScaler",
            )
        )


def _check_size(X: UncertainArray, points: int = 0) -> None:
    """Whether X fits into a page, with so many numbers of points beside it."""
    n, d = X.shape
    if d > MOST_FEATURES:
        raise ValueError(
            complaint(
                "X",
                f"have at most {MOST_FEATURES} features to be explored",
                f"got {d}",
                "Project it first, X = uapca.UAPCA(n_components=50).fit_transform(X)",
            )
        )
    numbers = X.mean.size + sum(array.size for array in X.cov.arrays.values()) + points
    if 8 * numbers > _MOST_BYTES:
        held = f"{n} × {d} values and their covariances"
        raise ValueError(
            complaint(
                "X",
                f"fit into a page of {_MOST_BYTES >> 20} MB",
                f"{held if not points else f'{held}, with {points // d} points,'} take "
                f"{8 * numbers / (1 << 20):.0f} MB",
                "Aggregate rows with uapca.from_groups, or project the features first",
            )
        )


def _covariance(X: UncertainArray) -> dict[str, Any]:
    cov = X.cov
    if isinstance(cov, Zero):
        return {"kind": "zero"}
    arrays = cov.arrays
    base = {"kind": cov.kind, "multiplier": float(cov.multiplier)}
    if isinstance(cov, Diagonal):
        return base | {"std": wire(arrays["std"])}
    if isinstance(cov, Shared):
        return base | {"matrix": wire(arrays["cov"])}
    if isinstance(cov, Dense):
        matrices = arrays["cov"]
        first, second = np.triu_indices(X.shape[1])
        upper = matrices[:, first, second]
        lower = matrices[:, second, first]
        # Symmetric up to rounding is symmetric enough for an array, and here made so.
        return base | {"upper": wire(upper + (lower - upper) / 2)}
    std = arrays.get("std")
    return base | {
        "factors": wire(arrays["factors"]),
        "std": None if std is None else wire(std),
    }


def _counts(X: UncertainArray) -> Wire | None:
    """How many points stand behind each row, if the weights were whole numbers when given."""
    if X._weights is None:
        return None
    counts = X.weights * X.total_weight
    whole = np.rint(counts)
    if whole.max() < 2 or np.abs(counts - whole).max() > 1e-9 * max(whole.max(), 1.0):
        return None
    return wire(whole)


def _groups(groups: Sequence[Any] | None, n: int) -> dict[str, Any] | None:
    if groups is None:
        return None
    listed = not isinstance(groups, str) and isinstance(groups, Sized)
    if not listed or len(groups) != n:
        raise ValueError(
            complaint(
                "groups",
                f"have one label for each of the {n} rows",
                f"got {len(groups)}" if listed else f"got {groups!r}",
                "Leave groups out to have a colour for each row",
            )
        )
    # NaN is how data frames write that there is none.
    missing = [isinstance(label, float | np.floating) and np.isnan(label) for label in groups]
    texts = [
        None if label is None or none else str(label)
        for label, none in zip(groups, missing, strict=True)
    ]
    labels = list(dict.fromkeys(label for label in texts if label is not None))
    place = {label: i for i, label in enumerate(labels)}
    codes = [-1 if label is None else place[label] for label in texts]
    return {"labels": labels, "codes": wire(np.array(codes, dtype=np.int32))}


def _points(X: UncertainArray, points: Any) -> tuple[dict[str, Any] | None, str | None]:
    """The points to be drawn, and a remark if these are not all."""
    found = original_points(X) if points is None else given_points(*_given_points(X, points))
    if found is None:
        return None, None
    values, rows, remark = found
    _check_size(X, values.size)
    return {
        "values": wire(values.astype(np.float64)),
        "rows": wire(np.array(rows, dtype=np.int32)),
    }, remark


def _given_points(X: UncertainArray, points: Any) -> tuple[Floats, list[int]]:
    if not isinstance(points, tuple) or len(points) != 2:
        raise TypeError(
            complaint(
                "points",
                "be a pair (values, rows): an array (m, D), and the row of each point",
                f"got {type(points).__name__}",
                "Pass (values, labels), the two that uapca.from_groups was given",
            )
        )
    values = as_floats(points[0], "points")
    if values.ndim != 2 or values.shape[1] != X.shape[1] or not len(values):
        raise ValueError(
            complaint(
                "points",
                f"have shape (m, {X.shape[1]}), one point in each row",
                f"got shape {shape_of(values)}",
                "Pass the points in the features of X",
            )
        )
    check_finite(values, "points", ("point", "feature"))
    labels = list(points[1]) if isinstance(points[1], Iterable) else []
    if len(labels) != len(values):
        raise ValueError(
            complaint(
                "points",
                "have a row for each point",
                f"got {len(labels)} for {len(values)} points",
                "Select the same points from both",
            )
        )
    named = {name: i for i, name in enumerate(X.names or ())}
    # Names come first: `uapca.from_groups` names rows after labels, which are often numbers. Where
    # numbers are names they are not positions too.
    numbered = any(not isinstance(label, str) and str(label) in named for label in labels)
    rows = []
    for label in labels:
        row: Any = named.get(str(label), None if numbered else label)
        whole = isinstance(row, Integral) and not isinstance(row, bool | np.bool_)
        if not whole or not 0 <= int(row) < len(X):
            raise ValueError(
                complaint(
                    "points",
                    "belong to rows of X, by name or position",
                    f"got {label!r}",
                    "Leave out the points of other rows",
                )
            )
        rows.append(int(row))
    return values, rows


def _texts(values: Sequence[Any] | None, parameter: str, count: int, of: str) -> list[str] | None:
    if values is None:
        return None
    listed = not isinstance(values, str) and isinstance(values, Sized)
    if not listed or len(values) != count:
        raise ValueError(
            complaint(
                parameter,
                f"have one entry for each of the {count} {of}s",
                f"got {len(values)}" if listed else f"got {values!r}",
                f"Leave {parameter} out, or use '' where there is none",
            )
        )
    return [str(value) for value in values]


def _verdict(X: UncertainArray) -> tuple[str, ...]:
    """Whether the first components can be told apart, for the data as given."""
    n, d = X.shape
    if n < 2 or d < 2 or isinstance(X.cov, Zero):
        return ()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparationWarning)
        return component_uncertainty(X, min(2, d)).verdict
