"""Saving and loading: one file, an open format, no pickle.

The format is that of `uapca._files`; the header holds the names, the features and what describes
the covariances and laws.
"""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np

from uapca._files import read_archive, replacing, write_archive
from uapca._validation import Floats
from uapca.uncertain.array import LawList, UncertainArray
from uapca.uncertain.covariance import Covariance, Dense, Diagonal, LowRank, Shared, Zero

__all__ = ["load", "save"]

FORMAT = "uapca.UncertainArray"
VERSION = 2  # 2: missing cells, counts, origin and source
_FOREIGN = (
    "path must name a file written by UncertainArray.save; {where} is of another kind. "
    "Build the array from its values, for instance with uapca.UncertainArray."
)


def save(X: UncertainArray, path: str | PathLike[str]) -> None:
    """Write ``X`` to ``path``, whole or not at all."""
    arrays: dict[str, Any] = {"mean": X.mean, **X.cov.arrays}
    if X._weights is not None:
        arrays["weights"] = X._weights
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
        "laws": None if X._laws is None else _laws_to_dict(X._laws),
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


def _assembled(header: dict[str, Any], arrays: dict[str, Floats]) -> UncertainArray:
    mean = arrays["mean"]
    n, d = mean.shape
    for array in arrays.values():
        array.flags.writeable = False
    empty = UncertainArray(mean, check=False, missing="keep" if header.get("missing") else "error")
    names, features = header["names"], header["features"]
    return empty._replace(
        cov=_covariance(header["covariance"], arrays, n, d, float(header["multiplier"])),
        weights=arrays.get("weights"),
        total=float(header["total_weight"]),
        counts=arrays.get("counts"),
        names=None if names is None else tuple(names),
        features=None if features is None else tuple(features),
        laws=_laws(header["laws"]),
        origin=header.get("origin"),
        source=header.get("source", "values"),
    )


def _covariance(
    kind: str, arrays: dict[str, Floats], n: int, d: int, multiplier: float
) -> Covariance:
    if kind == "zero":
        return Zero(n, d)
    if kind == "diagonal":
        return Diagonal(arrays["std"], n, d, multiplier)
    if kind == "shared":
        return Shared(arrays["cov"], n, multiplier)
    if kind == "dense":
        return Dense(arrays["cov"], multiplier)
    if kind == "low-rank":
        rest = Diagonal(arrays["std"], n, d) if "std" in arrays else None
        return LowRank(arrays["factors"], rest, multiplier)
    raise KeyError(kind)


def _laws_to_dict(laws: LawList) -> dict[str, Any]:
    """The laws as they were given, and the map they are seen through."""
    from uapca.laws import law_to_dict  # which most data does without

    items, matrix, offset = laws.parts
    return {
        "items": [law_to_dict(law) for law in items],
        "matrix": None if matrix is None else matrix.tolist(),
        "offset": None if offset is None else offset.tolist(),
    }


def _laws(laws: Any) -> LawList | None:
    if laws is None:
        return None
    from uapca.laws import law_from_dict

    matrix, offset = laws["matrix"], laws["offset"]
    return LawList(
        [law_from_dict(law) for law in laws["items"]],
        None if matrix is None else np.array(matrix),
        None if offset is None else np.array(offset),
    )
