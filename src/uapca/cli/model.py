"""A fitted analysis as JSON: everything that is needed to use it elsewhere, and no pickle.

================  ==============================================================================
field             meaning
================  ==============================================================================
format, version   ``"uapca.model"`` and the version of this table, 1
uapca             the version of the program that wrote it
features          D names
rows              number N of rows of the data
scale             s; the text ``"inf"`` for the limit
ddof              what was subtracted from N in the divisor
scaler            null, or ``mean`` and ``unit`` of each feature: (x − mean) / unit came first
mean              μ, D numbers
components        q rows of D numbers
variances         eigenvalues of K(s), q numbers; at s = inf in units of s²
shares            their shares in the total variance
between, within   C and Ψ̄, D × D numbers each; null if the fit did not form them
uncertainty       null, or standard errors of ``components`` and ``variances`` and the ``verdict``
================  ==============================================================================

A row x is projected as components · (x − μ), after the scaler.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from uapca._validation import Floats
from uapca._version import __version__
from uapca.cli.errors import CommandError
from uapca.cli.labels import listed, quoted

if TYPE_CHECKING:
    from uapca.uncertain import UncertainArray

__all__ = ["Model", "read_model"]

FORMAT = "uapca.model"
VERSION = 1


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted analysis, as its file has it; arrays instead of lists.

    Attributes
    ----------
    features : tuple of str
    rows : int
    scale, ddof : float
    scaler : (ndarray, ndarray) or None
        Mean and unit of each feature.
    mean : ndarray of shape (D,)
    components : ndarray of shape (q, D)
    variances, shares : ndarray of shape (q,)
    between, within : ndarray of shape (D, D), or None
    uncertainty : dict or None
    """

    features: tuple[str, ...]
    rows: int
    scale: float
    ddof: float
    scaler: tuple[Floats, Floats] | None
    mean: Floats
    components: Floats
    variances: Floats
    shares: Floats
    between: Floats | None = None
    within: Floats | None = None
    uncertainty: dict[str, Any] | None = None

    def to_json(self) -> str:
        """The text of the file; every number reads back exactly."""
        content = {
            "format": FORMAT,
            "version": VERSION,
            "uapca": __version__,
            "features": list(self.features),
            "rows": self.rows,
            "scale": "inf" if np.isinf(self.scale) else self.scale,
            "ddof": self.ddof,
            "scaler": None
            if self.scaler is None
            else {"mean": self.scaler[0].tolist(), "unit": self.scaler[1].tolist()},
            "mean": self.mean.tolist(),
            "components": self.components.tolist(),
            "variances": self.variances.tolist(),
            "shares": self.shares.tolist(),
            "between": None if self.between is None else self.between.tolist(),
            "within": None if self.within is None else self.within.tolist(),
            "uncertainty": self.uncertainty,
        }
        return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    def project(self, X: UncertainArray) -> UncertainArray:
        """The projected rows; X may have its features in another order, and more of them."""
        X = self.chosen(X)
        unit = np.ones(len(self.mean))
        if self.scaler is not None:
            X = X.affine(unit, -self.scaler[0]).affine(1.0 / self.scaler[1])
        # Centred first: at a large offset A x − A μ would lose digits.
        names = [f"PC{i + 1}" for i in range(len(self.components))]
        return X.affine(unit, -self.mean).affine(self.components, features=names)

    def chosen(self, X: UncertainArray) -> UncertainArray:
        """The features of the model, in its order."""
        if X.features is None:
            if X.shape[1] == len(self.mean):
                return X
            raise CommandError(
                f"the model has {len(self.mean)} features and the data {X.shape[1]}."
            )
        absent = [name for name in self.features if name not in X.features]
        if absent:
            raise CommandError(
                f"the data lacks features of the model: {listed(absent)}. "
                f"It has {listed(X.features)}."
            )
        return X if X.features == self.features else X[:, list(self.features)]

    def normal(self) -> tuple[Floats, Floats] | None:
        """μ and K(s) in the units of the data; None if K is not known."""
        if self.between is None or self.within is None or np.isinf(self.scale):
            return None
        cov = self.between + self.scale**2 * self.within
        if self.scaler is None:
            return self.mean, cov
        mean, unit = self.scaler
        return mean + unit * self.mean, cov * unit[:, None] * unit


def read_model(path: str) -> Model:
    """The model in a file; whatever is wrong with it is said in one line."""
    if not Path(path).is_file():
        raise CommandError(f"there is no file {quoted(path)}. uapca fit DATA -o FILE writes one.")
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise CommandError(f"{quoted(path)} is not a model: it is not JSON in UTF-8.") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise CommandError(f"{quoted(path)} is not a model written by uapca fit.")
    version = content.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise CommandError(
            f"{quoted(path)} has format version {version}; this uapca reads up to {VERSION}. "
            "Install a newer one."
        )
    try:
        return _checked(_model(content))
    except (KeyError, TypeError, ValueError):
        raise CommandError(f"{quoted(path)} is damaged: its fields do not fit together.") from None


def _model(content: dict[str, Any]) -> Model:
    scaler = content["scaler"]
    return Model(
        features=tuple(map(str, content["features"])),
        rows=int(content["rows"]),
        scale=float(content["scale"]),
        ddof=float(content["ddof"]),
        scaler=None if scaler is None else (_array(scaler["mean"]), _array(scaler["unit"])),
        mean=_array(content["mean"]),
        components=_array(content["components"]),
        variances=_array(content["variances"]),
        shares=_array(content["shares"]),
        between=None if content["between"] is None else _array(content["between"]),
        within=None if content["within"] is None else _array(content["within"]),
        uncertainty=content.get("uncertainty"),
    )


def _array(numbers: Any) -> Floats:
    array: Floats = np.array(numbers, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValueError
    return array


def _checked(model: Model) -> Model:
    d, q = len(model.features), len(model.components)
    shapes = [
        (model.mean, (d,)),
        (model.components, (q, d)),
        (model.variances, (q,)),
        (model.shares, (q,)),
        *((matrix, (d, d)) for matrix in (model.between, model.within) if matrix is not None),
        *((part, (d,)) for part in model.scaler or ()),
    ]
    fits = all(array.shape == shape for array, shape in shapes)
    units = model.scaler is None or (model.scaler[1] > 0.0).all()
    if not (fits and units and d and q and model.scale >= 0.0):
        raise ValueError
    return model
