"""Fits as JSON files: everything that is needed to use them elsewhere, and no pickle.

================  ==============================================================================
field             meaning
================  ==============================================================================
format, version   ``"uapca.model"`` and the version of this table, 2
uapca             the version of the program that wrote it
n_components, scale, standardize, ddof, solver, whiten
                  the parameters of `UAPCA`; an infinite scale is the text ``"inf"``
features          D names, or null
rows              number N of rows of the data
weights           the ``sum`` of their weights, the sum of squares (``concentration``) of weights
                  that sum to 1, and ``observations``, the sum if all are whole numbers, or null
mean              μ in the units of the data, D numbers
feature_scale     null, or what each feature was divided by, D numbers
components        q rows of D numbers
dtype             their type, ``"float64"`` or ``"float32"``
variances         eigenvalues of K(s), q numbers; at s = inf in units of s²
shares            their shares in the total variance (not read: they follow from the rest)
used_solver       the solver that was used
between, within   C and Ψ̄ of standardized features, D × D numbers each; null if they were not
                  formed, or, for ``within``, if the rows are certain
diagonals, along  null, or if they were not formed the diagonals of C and Ψ̄ (2 × D) and the
                  variances vᵀΨ̄v of the components (q)
vanished          whether C and Ψ̄ were too small for float64, though not zero; may be missing
uncertainty       null, or what the program that wrote the file knows of standard errors (not read)
================  ==============================================================================

A row x is projected as components · ((x − mean) / feature_scale).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from uapca._validation import Doubles, semidefinite
from uapca._version import __version__
from uapca.decomposition.base import Rows
from uapca.decomposition.solvers import SOLVERS
from uapca.decomposition.spectrum import Spectrum
from uapca.decomposition.uapca import UAPCA
from uapca.exceptions import FileError
from uapca.uncertain import UncertainArray
from uapca.uncertain import load as load_array

__all__ = ["fit_to_json", "load", "load_fit"]

FORMAT = "uapca.model"
VERSION = 2
_PARAMETERS = ("n_components", "scale", "standardize", "ddof", "solver", "whiten")
# Relative to their size: what rounding in another program may change, and what it may not.
_TOLERANCE = 1e-6
_ROUNDING = {"float64": _TOLERANCE, "float32": 1e-4}


def _is_number(value: object) -> bool:
    """Whether value is a finite number, zero or positive."""
    return type(value) in (int, float) and 0.0 <= value < np.inf  # type: ignore[operator]


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 1


# What the value of a field must be in a fit of D features, and the rule in words.
_FIELDS: dict[str, tuple[Callable[[Any, int], object], str]] = {
    "features": (
        lambda v, d: (
            v is None
            or (isinstance(v, list) and {*map(type, v)} == {str} and len(v) == len({*v}) == d)
        ),
        "{d} distinct names, or null",
    ),
    "n_components": (
        lambda v, d: (
            v in (None, "mle", "auto")
            or (type(v) is float and 0.0 < v < 1.0)
            or (_is_count(v) and v <= d)
        ),
        "null, 'mle', 'auto', a share of the variance or a number up to {d}",
    ),
    "scale": (lambda v, d: v == "inf" or _is_number(v), "a number, or 'inf'"),
    "standardize": (lambda v, d: type(v) is bool, "true or false"),
    "ddof": (lambda v, d: _is_number(v), "a number, zero or positive"),
    "solver": (lambda v, d: v in SOLVERS, f"one of {SOLVERS}"),
    "used_solver": (lambda v, d: v in SOLVERS[1:], f"one of {SOLVERS[1:]}"),
    "whiten": (lambda v, d: type(v) is bool, "true or false"),
    "dtype": (lambda v, d: v in (*_ROUNDING,), "'float64' or 'float32'"),
    "rows": (lambda v, d: _is_count(v), "one of the whole numbers from 1"),
    "sum": (lambda v, d: _is_number(v) and v > 0.0, "a positive number"),
    "concentration": (
        lambda v, d: _is_number(v) and 0.0 < v <= 1.0 + 1e-9,
        "a positive number up to 1",
    ),
    "observations": (lambda v, d: v is None or _is_count(v), "null or a whole number from 1"),
}


def fit_to_json(pca: UAPCA, uncertainty: object = None) -> str:
    """The text of the file; every number reads back exactly."""
    parameters = {name: getattr(pca, name) for name in _PARAMETERS}
    parameters["scale"] = "inf" if np.isinf(pca._scale) else pca._scale
    names = getattr(pca, "feature_names_in_", None)
    rows, formed = pca._rows, pca._between is not None
    content = {
        "format": FORMAT,
        "version": VERSION,
        "uapca": __version__,
        **{name: _plain(value) for name, value in parameters.items()},
        "features": None if names is None else [str(name) for name in names],
        "rows": rows.count,
        "weights": {
            "sum": rows.weight,
            "concentration": rows.concentration,
            "observations": rows.observations,
        },
        "mean": pca._center.tolist(),
        "feature_scale": _plain(pca.feature_scale_),
        "components": pca.components_.tolist(),
        "dtype": pca.components_.dtype.name,
        "variances": pca.explained_variance_.tolist(),
        "shares": pca.explained_variance_ratio_.tolist(),
        "used_solver": pca.solver_,
        "between": _plain(pca._between),
        "within": _plain(pca._within),
        "diagonals": None if formed else [part.tolist() for part in pca._diagonals],
        "along": None if formed else pca._own_variances.tolist(),
        "vanished": list(pca._lost),
        "uncertainty": uncertainty,
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def load(path: str | os.PathLike[str]) -> UncertainArray | UAPCA:
    """Read what `UncertainArray.save` or `UAPCA.save` wrote.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    UncertainArray or UAPCA
        Equal to what was saved in every value, type and name.

    Raises
    ------
    ValueError
        If the file is damaged, of another kind, written in a newer format, or holds what no data
        or fit can be.

    See Also
    --------
    uapca.UncertainArray : The rows: means and covariances.
    uapca.UAPCA : Uncertainty-aware PCA.

    Examples
    --------
    >>> import tempfile, uapca
    >>> X = uapca.UncertainArray([[1.0, 2.0], [3.0, 5.0]], std=0.5, names=["a", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     X.save(f"{folder}/points.uapca")
    ...     uapca.UAPCA(1).fit(X).save(f"{folder}/fit.json")
    ...     Y = uapca.load(f"{folder}/points.uapca")
    ...     pca = uapca.load(f"{folder}/fit.json")
    >>> Y.names, pca.transform(Y).mean.round(3).tolist()
    (('a', 'b'), [[-1.803], [1.803]])
    """
    with open(path, "rb") as file:
        start = file.read(64)
    return load_fit(path) if start.lstrip()[:1] == b"{" else load_array(path)


def load_fit(path: str | os.PathLike[str]) -> UAPCA:
    """The fit in a file; every rule that a fit obeys is checked."""
    where = repr(os.fspath(path))
    with open(path, "rb") as file:
        data = file.read()
    try:
        content = json.loads(
            data, object_pairs_hook=_distinct, parse_constant=_refuse, parse_int=_whole
        )
    except RecursionError:
        raise FileError(f"{where} is not a fit of uapca; it is nested too deeply") from None
    except ValueError as error:
        raise FileError(f"{where} is not a fit of uapca; it is not JSON: {error}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FileError(f"{where} is not a fit that UAPCA.save or uapca fit wrote")
    if content.get("version") != VERSION:
        raise FileError(
            f"{where} has format version {content.get('version')!r}; this uapca reads {VERSION}"
        )
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows breaks a rule
            return _restored(content)
    except KeyError as error:
        raise FileError(f"{where} is not a usable fit; {error} is missing") from None
    except (TypeError, ValueError) as error:
        raise FileError(f"{where} is not a usable fit; {error}") from None


def _restored(content: dict[str, Any]) -> UAPCA:
    """The fit that the fields describe; each is checked for its type, size and meaning."""
    _require(isinstance(content["weights"], dict), "weights must be an object")
    content = {**content["weights"], **content}
    center = _numbers(content, "mean", None)
    d = len(center)
    for name, (holds, rule) in _FIELDS.items():
        _require(holds(content[name], d), f"{name} must be {rule.format(d=d)}")
    parameters = {name: content[name] for name in _PARAMETERS}
    pca = UAPCA(**parameters | {"scale": float(content["scale"])})
    pca.n_features_in_ = d
    if content["features"] is not None:
        pca.feature_names_in_ = np.array(content["features"], dtype=object)
    units = _numbers(content, "feature_scale", d) if pca.standardize else None
    _require(units is None or units.min() > 0.0, "feature_scale must be positive")
    _require(pca.standardize or content["feature_scale"] is None, "feature_scale must be null")
    components = _numbers(content, "components", None, d)
    q, wanted, rounding = len(components), content["n_components"], _ROUNDING[content["dtype"]]
    known = type(wanted) is not int or q <= wanted
    _require(known, f"n_components must not be {wanted!r} for {q} components")
    off = float(np.abs(components @ components.T - np.eye(q)).max())
    _require(off <= rounding, f"components must be orthonormal; products are off by {off:.1g}")
    variances = _numbers(content, "variances", q)
    falling = variances.min() >= 0.0 and (np.diff(variances) <= _TOLERANCE * variances[0]).all()
    _require(falling, "variances must fall and not be negative")

    rows = Rows(*(content[name] for name in ("rows", "sum", "concentration", "observations")))
    enough = rows.concentration * rows.count >= 1.0 - 1e-9
    _require(enough, "the concentration must be at least 1 / rows")
    within: Doubles | None
    if content["between"] is None:
        between, within = _numbers(content, "diagonals", 2, d)
        _require(min(between.min(), within.min()) >= 0.0, "diagonals must not be negative")
        pca._own_variances = _numbers(content, "along", q)
    else:
        between = semidefinite(_numbers(content, "between", d, d), "between")
        certain = content["within"] is None
        within = None if certain else semidefinite(_numbers(content, "within", d, d), "within")
    rows.divisor(pca.ddof)  # which refuses what no fit can have
    pca._set_state(center, units, rows, content["used_solver"], between, within)
    lost = content.get("vanished", [False, False])
    right = isinstance(lost, list) and [*map(type, lost)] == [bool, bool]
    _require(right, "vanished must be two of true and false")
    pca._lost = lost[0], lost[1]
    pca._bound = rows.bound(d, certain=not pca._diagonals[1].any())
    pca._set_components(q, content["dtype"], Spectrum(variances, components))
    below = float(variances.sum()) <= (1.0 + _TOLERANCE) * pca._total
    _require(below, "variances must not exceed the total variance")
    if pca._between is not None:
        rest = components @ pca.get_covariance() - variances[:, None] * components
        fits = np.abs(rest).max() <= rounding * variances[0]
        _require(fits, "components and variances must be those of between and within")
    return pca


def _numbers(content: dict[str, Any], name: str, *shape: int | None) -> Doubles:
    """A field as a float array; None in ``shape`` stands for one or more."""
    try:
        array = np.array(content[name])
    except ValueError:  # rows of different lengths
        array = np.array(None)
    fits = (
        array.dtype.kind in "fi"
        and array.ndim == len(shape)
        and all(n in (None, m) and m > 0 for n, m in zip(shape, array.shape, strict=True))
        and bool(np.isfinite(array).all())
    )
    size = " × ".join("n" if n is None else str(n) for n in shape)
    _require(fits, f"{name} must be {size} finite numbers")
    return array.astype(np.float64)


def _require(holds: object, rule: str) -> None:
    if not holds:
        raise ValueError(rule)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} occurs twice")
        found[key] = value
    return found


def _whole(digits: str) -> int:
    if len(digits) > 18:
        raise ValueError(f"the number {digits[:9]}… has {len(digits)} digits")
    return int(digits)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


def _plain(value: Any) -> Any:
    """Numbers and lists of Python for those of NumPy."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
