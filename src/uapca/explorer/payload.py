"""From an UncertainArray to what the page reads: plain numbers and text, schema 1.

The representation of the covariances is kept and every number goes as the bits it has. The other
side is ``explorer/src/core/decode.ts``.
"""

from __future__ import annotations

import base64
import warnings
from collections.abc import Iterable, Sequence, Sized
from itertools import compress
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from uapca._looks import DASHES, Palette, group_labels, in_order, is_assumed, row_looks
from uapca._validation import Floats, as_floats, check_finite
from uapca.decomposition import UAPCA, UncertainScaler
from uapca.exceptions import SeparationWarning
from uapca.laws import Independent, KnownMoments, Mixture, Normal, Samples
from uapca.sensitivity.crossings import Crossing, crossings
from uapca.sensitivity.family import over_scale
from uapca.sensitivity.tracking import Path, adaptive_path
from uapca.stability import component_uncertainty
from uapca.uncertain import Shared, UncertainArray, Zero, concat

__all__ = ["SCHEMA", "component_count", "payload", "precomputed", "text_of", "wire"]

SCHEMA = 1
# What browsers still open without complaint; as text it is a third more.
_MOST_BYTES = 64 << 20
_MOST_ROWS = 50_000  # beyond, no frame is drawn in time


def payload(
    X: UncertainArray,
    *,
    groups: Sequence[Any] | None = None,
    palette: Palette = None,
    points: Any = None,
    supplementary: UncertainArray | None = None,
    title: str | None = None,
    units: Sequence[str] | None = None,
    standardize: bool = False,
) -> dict[str, Any]:
    """Everything the page shows, with arrays as bytes; see `uapca.explore` for the parameters."""
    fitted, called = X, getattr(groups, "name", None)
    if supplementary is not None:
        X, groups = _with_supplementary(X, supplementary, in_order(groups, X.names, "groups"))
    n, d = X.shape
    X = X.replace(cov=X.cov.plain())
    _check_values(X)
    _check_size(X)
    laws, crowded = row_laws(X)
    dots, fewer = _points(X, points)
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
        "weights": None if X.given_weights is None else wire(X.weights),
        "counts": _counts(X),
        "groups": _groups(in_order(groups, X.names, "groups"), n, called),
        "colors": _colors(X.names, n, groups, palette),
        "points": dots,
        "laws": laws,
        "assumed": _assumed(X),
        "supplementary": n - len(fitted),
        "compact": False,
        "precomputed": precomputed(fitted),
        "posterior": fitted.source == "posterior",
        "remarks": [text for text in (crowded, fewer) if text is not None],
        "trust": _trust(UncertainScaler().fit_transform(fitted) if standardize else fitted),
        "state": {
            "scale": 1.0,
            "weights": None,
            "selection": [],
            "pair": [0, min(1, d - 1)],
            "level": 0.95,
            "standardize": standardize,
        },
    }


def _with_supplementary(
    X: UncertainArray, more: UncertainArray, groups: Any
) -> tuple[UncertainArray, Any]:
    """The rows with those that are only shown: these have no weight."""
    if not isinstance(more, UncertainArray) or more.shape[1] != X.shape[1]:
        got = more.shape[1] if isinstance(more, UncertainArray) else type(more).__name__
        raise ValueError(f"supplementary must have the {X.shape[1]} features of X; got {got}")
    both = concat([X, more])
    weights = np.concatenate([X.weights, np.zeros(len(more))])
    if groups is not None and len(groups) == len(X):
        groups = [*groups, *[None] * len(more)]
    return both.reweighted(weights), groups


def _assumed(X: UncertainArray) -> bool:
    """Whether some rows are drawn as normals only because no more than their moments is known."""
    uncertain: Any = (X.cov.diagonal() > 0.0).any(axis=1)
    return any(map(is_assumed, compress(X.laws or [None] * len(X), uncertain)))


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
            "X must have squares that fit into float64; its covariance overflows: divide the data "
            "by its largest magnitude first"
        )


def _check_size(X: UncertainArray, points: int = 0) -> None:
    """Whether X fits into a page, with so many numbers of points beside it."""
    n, d = X.shape
    if d > MOST_FEATURES:
        raise ValueError(
            f"X must have at most {MOST_FEATURES} features to be explored; got {d}: project it "
            "first, X = uapca.UAPCA(n_components=50).fit_transform(X)"
        )
    numbers = X.mean.size + sum(array.size for array in X.cov.arrays.values()) + points
    if 8 * numbers > _MOST_BYTES:
        held = f"{n} × {d} values and their covariances"
        raise ValueError(
            f"X must fit into a page of {_MOST_BYTES >> 20} MB; "
            f"{held if not points else f'{held}, with {points // d} points,'} take "
            f"{8 * numbers / (1 << 20):.0f} MB: aggregate rows with uapca.from_groups, or project "
            "the features first"
        )
    if n > _MOST_ROWS:
        raise ValueError(
            f"X must have at most {_MOST_ROWS:,} rows to be explored; got {n:,}: aggregate rows "
            "with uapca.from_groups, or draw them with uapca.plot.projection"
        )


def _covariance(X: UncertainArray) -> dict[str, Any]:
    """The parts that add up to the covariances, of every row or of one that stands for all."""
    arrays, d = X.cov.arrays, X.shape[1]
    std, cov, factors = (arrays.get(name) for name in ("std", "cov", "factors"))
    if cov is not None:
        first, second = np.triu_indices(d)
        matrices = cov.reshape(-1, d, d)
        upper, lower = matrices[:, first, second], matrices[:, second, first]
        # Symmetric up to rounding is symmetric enough for an array, and here made so.
        cov = upper + (lower - upper) / 2
    return {
        "multiplier": float(X.cov.multiplier),
        "std": None if std is None else wire(np.broadcast_to(std, (len(std), d))),
        "upper": None if cov is None else wire(cov),
        "factors": None if factors is None else wire(factors),
    }


def _counts(X: UncertainArray) -> Wire | None:
    """How many points stand behind each row, if the weights were whole numbers when given."""
    if X.given_weights is None:
        return None
    counts = X.weights * X.total_weight
    whole = np.rint(counts)
    if whole.max() < 2 or np.abs(counts - whole).max() > 1e-9 * max(whole.max(), 1.0):
        return None
    return wire(whole)


def _groups(groups: Sequence[Any] | None, n: int, called: Any) -> dict[str, Any] | None:
    if groups is None:
        return None
    texts, labels, values = group_labels(groups, n)
    place = {label: i for i, label in enumerate(labels)}
    codes = np.array([-1 if text is None else place[text] for text in texts], dtype=np.int32)
    return {
        "name": None if called is None else str(called),
        "labels": labels,
        "codes": wire(codes),
        "values": None if values is None else wire(values),
    }


def _colors(
    names: Sequence[str] | None, n: int, groups: Sequence[Any] | None, palette: Palette
) -> list[tuple[str, int]] | None:
    """Color and dash in a palette: of each group, or without groups of each row."""
    if palette is None:
        return None
    chosen = row_looks(names, n, groups, palette)
    if chosen.values is not None:  # as in plots, where they are on a scale of colors
        return None
    looks = chosen.looks if groups is None else [look for _, look in chosen.legend]
    return [(look.color, DASHES.index(look.dash)) for look in looks]


def _points(X: UncertainArray, points: Any) -> tuple[dict[str, Any] | None, str | None]:
    """The points to be drawn, and a remark if these are not all."""
    found = original_points(X) if points is None else _given_points(X, points)
    if found is None:
        return None, None
    values, rows, remark = found
    _check_size(X, values.size)
    return {
        "values": wire(values.astype(np.float64)),
        "rows": wire(np.array(rows, dtype=np.int32)),
    }, remark


def _given_points(X: UncertainArray, points: Any) -> Points:
    """At most 20,000 of the points, all equally likely."""
    if not isinstance(points, tuple) or len(points) != 2:
        raise TypeError(
            "points must be a pair (values, rows), an array (m, D) and the row of each point; got "
            f"{type(points).__name__}"
        )
    values = as_floats(points[0], "points")
    if values.ndim != 2 or values.shape[1] != X.shape[1] or not len(values):
        raise ValueError(
            f"points must have shape (m, {X.shape[1]}), the features of X; got shape {values.shape}"
        )
    check_finite(values, "points", ("point", "feature"))
    labels = list(points[1]) if isinstance(points[1], Iterable) else []
    if len(labels) != len(values):
        raise ValueError(
            f"points must have a row for each point; got {len(labels)} for {len(values)} points"
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
            raise ValueError(f"points must belong to rows of X, by name or position; got {label!r}")
        rows.append(int(row))
    if len(values) <= _MOST_GIVEN:
        return values, rows, None
    kept = np.sort(np.random.default_rng(0).choice(len(values), _MOST_GIVEN, replace=False))
    return values[kept], [rows[i] for i in kept], _fewer(len(kept), len(values))


def _texts(values: Sequence[Any] | None, parameter: str, count: int, of: str) -> list[str] | None:
    if values is None:
        return None
    listed = not isinstance(values, str) and isinstance(values, Sized)
    if not listed or len(values) != count:
        raise ValueError(
            f"{parameter} must have one entry for each of the {count} {of}s; got "
            + (str(len(values)) if listed else repr(values))
        )
    return [str(value) for value in values]


def _trust(X: UncertainArray) -> list[str]:
    """Whether the first components can be told apart, for the data as given."""
    n, d = X.shape
    if n < 2 or d < 2 or isinstance(X.cov, Zero):
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparationWarning)
        verdict = component_uncertainty(X, min(2, d)).verdict
    # The page shows no intervals of variances: why there are none is not for it to say.
    return [words for words in verdict if not words.startswith("no interval")]


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
    if isinstance(law, Normal) or (isinstance(law, KnownMoments) and law.sampler is None):
        return None
    if isinstance(law, Independent):
        if law.normal:
            return None
        # Dense in the tails: at sin²(π/2 · t) for even t.
        p = np.square(np.sin(np.pi / 2 * (np.arange(_QUANTILES) + 0.5) / _QUANTILES))
        most = np.finfo(np.float64).max  # beyond, as the heaviest tails, all is drawn at this edge
        tables = [np.clip([m.mean] if m.certain else m.ppf(p), -most, most) for m in law.marginals]
        return {"kind": "independent", "quantiles": list(map(wire, tables))}
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


def _fewer(drawn: int, count: int) -> str | None:
    if drawn >= count:
        return None
    return f"of the {count:,} points {drawn:,} are drawn, chosen at random"


LIVE = 60
MOST_FEATURES = 200
_KEPT = 4
# Between neighbors that turn by up to this, a straight line is off by a few thousandths; half of
# it would double the size of the page and the time it takes to write.
_TURN = float(np.deg2rad(8.0))


def precomputed(X: UncertainArray) -> dict[str, Any] | None:
    """Paths of the leading components, plain and standardized; None where they are found live."""
    d = X.shape[1]
    if d <= LIVE:
        return None
    q = min(d, _KEPT)
    scaler = UncertainScaler().fit(X)
    plain = _path(X, q, np.ones(d), np.asarray(scaler.mean_))
    standardized = _path(scaler.transform(X), q, scaler.scale_, np.asarray(scaler.mean_))
    return {"q": q, "plain": plain, "standardized": standardized}


def _path(X: UncertainArray, q: int, units: Any, mean: Any) -> dict[str, Any]:
    pca = UAPCA(solver="eigh").fit(X)
    pca._check_all_scales()
    between, within = pca.between_covariance_, pca.within_covariance_
    family = over_scale(between, within)
    path = adaptive_path(family, q, (0.0, 0.5, 1.0), _TURN)
    return {
        "mean": wire(mean),
        "units": wire(units),
        "totals": [float(between.trace()), float(within.trace())],
        "u": wire(path.u),
        "eigenvalues": wire(path.values[:, :q]),
        "components": wire(path.vectors[:, :, :q].transpose(0, 2, 1)),
        "breaks": _breaks(path, q),
        "crossings": [
            {
                "u": c.u,
                "pair": list(c.pair),
                "gap": c.gap,
                "relativeGap": c.relative_gap,
                "kind": c.kind,
            }
            for c in crossings(family, q, Crossing, leading=q)
        ],
    }


def _breaks(path: Path, q: int) -> list[dict[str, Any]]:
    """Where leading components change hands, and which ranks do."""
    found = []
    for k in np.flatnonzero((path.order[1:] != path.order[:-1]).any(axis=1)) + 1:
        moved = path.order[k][path.order[k] != path.order[k - 1]]
        ranks = sorted(int(rank) for rank in moved if rank < q)
        if ranks:
            found.append({"at": int(k), "ranks": ranks})
    return found


Wire = dict[str, Any]


def wire(values: npt.ArrayLike) -> Wire:
    """An array in the storage type it has: float32 and int32 as they are, the rest as float64."""
    array = np.asarray(values)
    kind = {"f4": "<f4", "i4": "<i4"}.get(array.dtype.str[1:], "<f8")
    data = np.ascontiguousarray(array, dtype=kind)
    return {"dtype": kind, "shape": list(data.shape), "data": data.tobytes()}


def text_of(value: Any) -> Any:
    """The same payload with bytes as base64 text, which JSON can hold."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, dict):
        return {key: text_of(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [text_of(item) for item in value]
    return value
