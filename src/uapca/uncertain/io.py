"""Saving and loading: one file, an open format, no pickle.

The format is that of `uapca._files`; the header holds the names, the features and what describes
the covariances and laws.
"""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np

from uapca._files import read_archive, replacing, write_archive
from uapca._validation import linear_map, semidefinite, vector
from uapca.uncertain.array import LawList, UncertainArray
from uapca.uncertain.checks import shared_axes

__all__ = ["load", "save"]

FORMAT = "uapca.UncertainArray"
VERSION = 2  # 2: missing cells, counts, origin and source
_FOREIGN = "path must name a file that UncertainArray.save wrote; {where} is of another kind"
_ERRORS = {"cov", "std", "factors", "axes"}


def save(X: UncertainArray, path: str | PathLike[str]) -> None:
    """Write ``X`` to ``path``, whole or not at all.

    Matrices that a projection left indefinite by rounding are written as the nearest that are
    not: `load` takes only what the constructor takes.
    """
    arrays: dict[str, Any] = {"mean": X.mean, **X.cov.arrays}
    if "cov" in arrays:
        arrays["cov"] = semidefinite(arrays["cov"])
    if X.given_weights is not None:
        arrays["weights"] = X.given_weights
    if X.counts is not None:
        arrays["counts"] = X.counts
    header = {
        "covariance": X.cov.kind,
        "multiplier": X.cov.multiplier,
        "total_weight": X.total_weight,
        "names": X.names,
        "features": X.features,
        "missing": X.missing is not None,
        "origin": X.origin,
        "source": X.source,
        "laws": None if X.laws is None else _laws_to_dict(X.laws),
    }
    with replacing(path) as file:
        write_archive(file, FORMAT, VERSION, header, arrays)


def load(path: str | PathLike[str]) -> UncertainArray:
    """Read an UncertainArray that `UncertainArray.save` wrote.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    UncertainArray
        Equal to what was saved in every value, type and name.

    Raises
    ------
    ValueError
        If the file is damaged, of another kind, or written in a newer format.

    Examples
    --------
    >>> import tempfile, uapca
    >>> X = uapca.UncertainArray([[1.0, 2.0], [3.0, 4.0]], std=0.5, names=["a", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     X.save(f"{folder}/points.uapca")
    ...     Y = uapca.load(f"{folder}/points.uapca")
    >>> Y.names, float(Y.cov.average()[0, 0])
    (('a', 'b'), 0.25)
    """
    return read_archive(path, FORMAT, VERSION, _FOREIGN, _assembled)


def _assembled(header: dict[str, Any], arrays: dict[str, Any]) -> UncertainArray:
    """The array, by the rules of its constructor."""
    kind, multiplier = header["covariance"], header["multiplier"]
    total, weights = header["total_weight"], arrays.pop("weights", None)
    mean, counts = arrays.pop("mean"), arrays.pop("counts", None)
    kept = sorted(arrays)
    if not _ERRORS.issuperset(kept):
        raise ValueError(f"covariances are not made of {kept}")
    for name, number in (("multiplier", multiplier), ("total_weight", total)):
        if not (isinstance(number, int | float) and 0.0 <= number < np.inf):
            raise ValueError(f"{name} must be a finite number, not negative; got {number!r}")
    for name in ("names", "features"):
        labels = header[name]
        if labels is not None and not (
            isinstance(labels, list) and all(isinstance(label, str) for label in labels)
        ):
            raise ValueError(f"{name} must be a list of strings")
    if "axes" in arrays:
        arrays = {"cov": shared_axes(mean.shape, **arrays)}
    if not isinstance(header.get("origin"), str | None):
        raise ValueError("origin must be a string")
    X = UncertainArray(
        mean,
        **arrays,
        weights=weights,
        counts=counts,
        names=header["names"],
        features=header["features"],
        laws=None if header["laws"] is None else _laws(header["laws"], mean.shape[1]),
        missing="keep" if header.get("missing") is True else "error",
        origin=header.get("origin"),
        source=header.get("source"),
    )
    if X.cov.kind != kind:
        raise ValueError(f"covariances of kind {kind!r} are not made of {kept}")
    if weights is not None and abs(weights.sum() - 1.0) > 1e-9:
        raise ValueError("weights must sum to 1")
    return X.replace(total_weight=float(total), cov=X.cov.times(float(multiplier)))


def _laws_to_dict(laws: LawList) -> dict[str, Any]:
    """The laws as they were given, and the map that is applied to them."""
    from uapca.laws import law_to_dict  # most data does not need it

    matrix, offset = (None, None) if laws.map is None else (part.tolist() for part in laws.map)
    items = [law_to_dict(law) for law in laws.items]
    return {"items": items, "matrix": matrix, "offset": offset}


def _laws(laws: dict[str, Any], d: int) -> LawList:
    from uapca.laws import law_from_dict

    items = [law_from_dict(law) for law in laws["items"]]
    if laws["matrix"] is None:
        return LawList(items)
    offset = vector(laws["offset"], "offset", "feature", d)
    return LawList(items, (linear_map(laws["matrix"], items[0].dim), offset))
