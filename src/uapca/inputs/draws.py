"""Posterior draws: the uncertainty of every row as samples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from uapca._validation import Floats, as_floats, check_finite, complaint, shape_of
from uapca.aggregate.labels import label_text
from uapca.inputs.columns import listed
from uapca.inputs.parts import check_moments
from uapca.laws import Samples
from uapca.uncertain import UncertainArray

__all__ = ["from_draws"]

_BLOCK = 1 << 20


def from_draws(
    draws: Any,
    sample_dims: Any = None,
    *,
    keep_samples: bool = False,
    names: Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    weights: Any = None,
) -> UncertainArray:
    """Rows known by draws, such as a posterior: their mean and covariance over the draws.

    Parameters
    ----------
    draws : array-like, xarray object or ArviZ posterior
        An array of shape (draws, N, D), or with more sample axes as ``sample_dims`` says. An
        xarray DataArray with the sample dimensions, one for the rows and one for the features. A
        Dataset, an ArviZ InferenceData or a tree with a ``posterior``: every variable over the
        rows is a feature, and a variable over rows and another dimension is several.
    sample_dims : int, str or sequence of these, optional
        The axes or dimensions that run over the draws. By default axis 0 of an array;
        ``("chain", "draw")``, or the one of ``"chain"``, ``"draw"`` and ``"sample"`` that is
        there, of an xarray object.
    keep_samples : bool, default=False
        Whether to keep the draws as the laws of the rows.
    names, features : sequence of str, optional
        By default the coordinates of an xarray object, where it has them.
    weights : array-like of shape (N,), optional

    Returns
    -------
    UncertainArray
        With population covariances (÷ number of draws).

    Examples
    --------
    >>> import numpy as np
    >>> import uapca
    >>> draws = np.random.default_rng(0).normal([[0.0, 5.0]], 0.1, size=(4, 500, 3, 2))
    >>> X = uapca.from_draws(draws, sample_dims=(0, 1), features=["slope", "offset"])
    >>> X.shape, X.mean[0].round(1).tolist()
    ((3, 2), [0.0, 5.0])
    """
    source = _posterior(draws)
    if hasattr(source, "data_vars"):
        array, rows, columns = _from_dataset(source, sample_dims)
    elif hasattr(source, "dims") and hasattr(source, "transpose"):
        array, rows, columns = _from_dataarray(source, sample_dims)
    else:
        array, rows, columns = _from_array(source, sample_dims), None, None
    if 0 in array.shape:
        raise ValueError(
            complaint(
                "draws",
                "hold at least one draw, row and feature",
                f"got shape {shape_of(array)} as (draws, rows, features)",
                "Check the selection that was made",
            )
        )
    check_finite(array, "draws", ("draw", "row", "feature"))
    with np.errstate(all="ignore"):
        mean, cov = _moments(array)
    check_moments("draws", mean, cov)
    return UncertainArray(
        mean,
        cov,
        weights=weights,
        names=rows if names is None else names,
        features=columns if features is None else features,
        laws=[Samples(array[:, i]) for i in range(array.shape[1])] if keep_samples else None,
        check=False,
    )


def _posterior(draws: Any) -> Any:
    """The data set inside an InferenceData or a tree; anything else as it is."""
    inner = getattr(draws, "posterior", None)
    if inner is not None and (hasattr(inner, "data_vars") or hasattr(inner, "dims")):
        draws = inner
    # A node of a tree holds a data set and its children; only the former is wanted.
    return draws.to_dataset() if type(draws).__name__ == "DataTree" else draws


def _from_array(draws: Any, sample_dims: Any) -> Floats:
    array = as_floats(draws, "draws")
    given = 0 if sample_dims is None else sample_dims
    axes = list(given) if isinstance(given, Iterable) else [given]
    if not all(isinstance(a, int | np.integer) and -array.ndim <= a < array.ndim for a in axes):
        raise ValueError(
            complaint(
                "sample_dims",
                f"be axes of an array of {array.ndim} dimensions",
                f"got {sample_dims!r}",
                "Names of dimensions belong to xarray objects",
            )
        )
    axes = [int(axis) % array.ndim for axis in axes]
    if array.ndim - len(set(axes)) != 2:
        raise ValueError(
            complaint(
                "draws",
                "have two dimensions, rows and features, besides the draws",
                f"got shape {shape_of(array)} with sample_dims={sample_dims!r}",
                "Pass an array of shape (draws, N, D); sample_dims=(0, 1) reads "
                "(chains, draws, N, D)",
            )
        )
    rest = [axis for axis in range(array.ndim) if axis not in axes]
    moved = array.transpose(*axes, *rest)
    return moved.reshape(-1, *moved.shape[-2:])


def _sample_dims(dims: Sequence[Any], sample_dims: Any) -> list[Any]:
    if sample_dims is None:
        found = [dim for dim in ("chain", "draw", "sample") if dim in dims]
        if found:
            return found
    else:
        several = isinstance(sample_dims, Iterable) and not isinstance(sample_dims, str)
        found = list(sample_dims) if several else [sample_dims]
        if found and all(dim in dims for dim in found):
            return found
    raise ValueError(
        complaint(
            "sample_dims",
            "name dimensions of the draws",
            f"got {sample_dims!r}",
            f"The dimensions are {listed(list(map(str, dims)))}",
        )
    )


def _from_dataarray(source: Any, sample_dims: Any) -> tuple[Floats, Any, Any]:
    over = _sample_dims(source.dims, sample_dims)
    rest = [dim for dim in source.dims if dim not in over]
    if len(rest) not in (1, 2):
        raise ValueError(
            complaint(
                "draws",
                "have two dimensions, rows and features, besides the draws",
                f"got {listed(list(map(str, rest)))}" if rest else "got none",
                "Stack or select the dimensions first, or name the others in sample_dims",
            )
        )
    values = as_floats(source.transpose(*over, *rest).values, "draws")
    size = values.shape[len(over) :]
    columns = _labels(source, rest[1]) if len(rest) == 2 else [str(source.name or "value")]
    return (
        values.reshape(-1, size[0], size[1] if len(rest) == 2 else 1),
        _labels(source, rest[0]),
        columns,
    )


def _from_dataset(source: Any, sample_dims: Any) -> tuple[Floats, Any, Any]:
    over = _sample_dims(list(source.dims), sample_dims)
    arrays = [source[name] for name in source.data_vars]
    first: Any = None
    parts, features, skipped = [], [], []
    for array in arrays:
        rest = [dim for dim in array.dims if dim not in over]
        if len(rest) not in (1, 2) or (first is not None and rest[0] != first):
            skipped.append(f"{array.name} {tuple(rest)}")
            continue
        first = rest[0]
        values, rows, columns = _from_dataarray(array, over)
        parts.append(values)
        if len(rest) == 1:
            features.append(str(array.name))
        else:
            inner = columns or [str(k) for k in range(values.shape[2])]
            features.extend(f"{array.name}[{label}]" for label in inner)
    if skipped or not parts:
        raise ValueError(
            complaint(
                "draws",
                "hold variables over one dimension of rows",
                f"these do not fit: {listed(skipped)}" if skipped else "got no variables",
                "Select the variables first, for instance posterior[['slope', 'offset']]",
            )
        )
    return np.concatenate(parts, axis=2), rows, features


def _labels(source: Any, dim: Any) -> list[str] | None:
    """The coordinates of a dimension, unless they only count or are not distinct."""
    if dim not in source.coords:
        return None
    values = np.asarray(source.coords[dim].values)
    if values.ndim != 1 or np.array_equal(values, np.arange(len(values))):
        return None
    labels = [label_text(v) for v in (values if values.dtype.kind in "mM" else values.tolist())]
    # Coordinates that repeat themselves name nothing.
    return labels if len(set(labels)) == len(labels) else None


def _moments(array: Floats) -> tuple[Floats, Floats]:
    """Mean (N, D) and covariance (N, D, D) over the first axis, centred first."""
    count, n, d = array.shape
    mean, cov = np.empty((n, d)), np.empty((n, d, d))
    step = max(1, _BLOCK // (count * d))
    for start in range(0, n, step):
        part = array[:, start : start + step].transpose(1, 0, 2).astype(np.float64)
        first = part[:, :1].copy()
        part -= first
        shift = part.mean(axis=1, keepdims=True)
        part -= shift
        mean[start : start + step] = (first + shift)[:, 0]
        cov[start : start + step] = part.transpose(0, 2, 1) @ part
    cov /= count
    return mean, cov
