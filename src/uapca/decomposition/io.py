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
diagonals         null, or if they were not formed the diagonals of C and Ψ̄ (2 × D) and, as
                  ``along``, the variances vᵀΨ̄v of the components (q)
uncertainty       null, or what the program that wrote the file knows of standard errors (not read)
================  ==============================================================================

A row x is projected as components · ((x − mean) / feature_scale).
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from uapca._files import replacing
from uapca._validation import Doubles
from uapca._version import __version__
from uapca.decomposition.base import Rows
from uapca.decomposition.spectrum import Spectrum
from uapca.decomposition.uapca import UAPCA
from uapca.exceptions import FileError
from uapca.uncertain import UncertainArray
from uapca.uncertain import load as load_array

__all__ = ["fit_to_json", "load", "load_fit", "save_fit"]

FORMAT = "uapca.model"
VERSION = 2
_PARAMETERS = ("n_components", "scale", "standardize", "ddof", "solver", "whiten")
# Relative to their size: what rounding in another program may change, and what it may not.
_ROUNDING = 1e-6


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
        "uncertainty": uncertainty,
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def save_fit(pca: UAPCA, path: str | os.PathLike[str]) -> None:
    """Write a fit; what stood at ``path`` is replaced when the new file is complete."""
    text = fit_to_json(pca)
    with replacing(path) as file:
        file.write(text.encode())


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
        content = json.loads(data, object_pairs_hook=_distinct, parse_constant=_refuse)
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
        return _Reader(content).fit()
    except KeyError as error:
        raise FileError(f"{where} is not a usable fit; {error} is missing") from None
    except (TypeError, ValueError) as error:
        raise FileError(f"{where} is not a usable fit; {error}") from None


class _Reader:
    """The fields of a file, each checked for its type, size and meaning."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content

    def fit(self) -> UAPCA:
        pca = self._parameters()
        center = self.numbers("mean", (None,))
        d = len(center)
        _require(d > 0, "mean must not be empty")
        features = self._features(d)
        pca.n_features_in_ = d
        if features is not None:
            pca.feature_names_in_ = np.array(features, dtype=object)
        units = self.optional("feature_scale", (d,))
        _require(units is None or units.min() > 0.0, "feature_scale must be positive")
        _require((units is not None) == pca.standardize, "feature_scale belongs to standardize")
        components = self.numbers("components", (None, d))
        q = len(components)
        variances = self.numbers("variances", (q,))
        dtype = self.content["dtype"]
        _require(dtype in ("float64", "float32"), "dtype must be 'float64' or 'float32'")
        _require(1 <= q <= d, f"components must have 1 to {d} rows; got {q}")
        off = float(np.abs(components @ components.T - np.eye(q)).max())
        _require(
            off <= (_ROUNDING if dtype == "float64" else 1e-4),
            f"components must be orthonormal; their products are off by {off:.1g}",
        )
        size = float(variances[0])
        falling = variances.min() >= 0.0 and (np.diff(variances) <= _ROUNDING * size).all()
        _require(falling, "variances must fall and not be negative")
        pca._set_center(center, units)
        self._covariances(pca, d, q)
        rows = self._rows()
        pca._set_rows(rows, rows.divisor(pca.ddof), self.choice("used_solver", _USED))
        pca._bound = rows.bound(d, certain=not pca._diagonals[1].any())
        pca._set_components(Spectrum(variances, components), q, dtype)
        _require(
            float(variances.sum()) <= (1.0 + _ROUNDING) * pca._total,
            "variances must not exceed the total variance",
        )
        if pca._between is not None:
            K = pca.get_covariance()
            left = float(np.abs(components @ K - variances[:, None] * components).max(initial=0.0))
            _require(
                left <= (_ROUNDING if dtype == "float64" else 1e-4) * size,
                "components and variances must be those of between and within",
            )
        return pca

    def _parameters(self) -> UAPCA:
        wanted = self.content["n_components"]
        number = isinstance(wanted, int | float) and not isinstance(wanted, bool) and wanted > 0
        known = wanted is None or wanted in ("mle", "auto") or number
        _require(known, f"n_components must not be {wanted!r}")
        scale = self.content["scale"]
        scale = np.inf if scale == "inf" else self.number("scale")
        flags = {name: self.choice(name, (True, False)) for name in ("standardize", "whiten")}
        pca = UAPCA(wanted, scale=scale, ddof=self.number("ddof"), **flags)
        pca.solver = self.choice("solver", ("auto", *_USED))
        return pca

    def _features(self, d: int) -> list[str] | None:
        features = self.content["features"]
        if features is None:
            return None
        text = isinstance(features, list) and all(isinstance(name, str) for name in features)
        _require(
            text and len(set(features)) == len(features) == d,
            f"features must be {d} distinct names",
        )
        return list(features)

    def _rows(self) -> Rows:
        weights = self.content["weights"]
        reader = _Reader(weights if isinstance(weights, dict) else {})
        count, observations = self.content["rows"], reader.content["observations"]
        for name, value in (("rows", count), ("observations", observations)):
            whole = isinstance(value, int) and not isinstance(value, bool) and value >= 1
            _require(whole or (name != "rows" and value is None), f"{name} must be a whole number")
        total, squares = reader.number("sum"), reader.number("concentration")
        _require(total > 0.0 and 0.0 < squares <= 1.0 + _ROUNDING, "weights must be positive")
        return Rows(count, total, squares, observations)

    def _covariances(self, pca: UAPCA, d: int, q: int) -> None:
        pca._between = self.optional("between", (d, d))
        pca._within = self.optional("within", (d, d))
        if pca._between is None:
            _require(pca._within is None, "within needs between")
            diagonals = self.numbers("diagonals", (2, d))
            pca._diagonals = diagonals[0], diagonals[1]
            pca._own_variances = self.numbers("along", (q,))
            negative = min(diagonals.min(), pca._own_variances.min()) < 0.0
            _require(not negative, "diagonals and along must not be negative")
            return
        for name, matrix in (("between", pca._between), ("within", pca._within)):
            if matrix is not None:
                size = float(np.abs(matrix).max())
                symmetric = np.abs(matrix - matrix.T).max() <= _ROUNDING * size
                _require(
                    symmetric and np.linalg.eigvalsh(matrix)[0] >= -_ROUNDING * size,
                    f"{name} must be symmetric and positive semi-definite",
                )
        own = np.zeros(d) if pca._within is None else pca._within.diagonal()
        pca._diagonals = pca._between.diagonal(), own

    def numbers(self, name: str, shape: tuple[int | None, ...]) -> Doubles:
        given = self.content[name]
        try:
            array = np.array(given) if isinstance(given, list) else None
        except ValueError:  # rows of different lengths
            array = None
        fits = (
            array is not None
            and array.dtype.kind in "fi"
            and array.ndim == len(shape)
            and all(n in (None, m) for n, m in zip(shape, array.shape, strict=True))
            and bool(np.isfinite(array).all())
        )
        size = " × ".join("any" if n is None else str(n) for n in shape)
        _require(fits, f"{name} must be {size} finite numbers")
        assert array is not None
        return array.astype(np.float64)

    def optional(self, name: str, shape: tuple[int | None, ...]) -> Doubles | None:
        return None if self.content[name] is None else self.numbers(name, shape)

    def number(self, name: str) -> float:
        value = self.content[name]
        real = isinstance(value, int | float) and not isinstance(value, bool)
        _require(real and 0.0 <= value < np.inf, f"{name} must be a number, zero or positive")
        return float(value)

    def choice(self, name: str, known: Sequence[Any]) -> Any:
        value = self.content[name]
        same = any(value is each or (isinstance(each, str) and value == each) for each in known)
        _require(same, f"{name} must be one of {', '.join(map(str, known))}")
        return value


_USED = ("eigh", "svd", "lanczos")


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


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


def _plain(value: Any) -> Any:
    """Numbers and lists of Python for those of NumPy."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
