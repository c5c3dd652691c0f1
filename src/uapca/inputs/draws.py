"""Posterior draws: the uncertainty of every row as samples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats, as_floats, check_finite, listed, out_of_range
from uapca.aggregate.accumulate import grouped_sums
from uapca.aggregate.labels import label_text
from uapca.exceptions import CorrelationWarning
from uapca.inputs.frame import warn, with_units
from uapca.laws import Samples
from uapca.uncertain import UncertainArray

__all__ = ["from_draws"]

# Rows that are compared with each other, and values of each.
_COMPARED = 40


def from_draws(
    draws: Any,
    sample_dims: int | str | Sequence[int] | Sequence[str] | None = None,
    *,
    var_names: str | Sequence[str] | None = None,
    row_dim: str | None = None,
    feature_dim: str | None = None,
    keep_samples: bool = False,
    names: Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    weights: npt.ArrayLike | None = None,
) -> UncertainArray:
    """Rows known by draws, such as a posterior: their mean and covariance over the draws.

    Parameters
    ----------
    draws : array-like, xarray object, ArviZ posterior or astropy Distribution
        An array of shape (draws, N, D), or with more sample axes as ``sample_dims`` says. An
        xarray DataArray with the sample dimensions, one for the rows and one for the features. A
        Dataset, an ArviZ InferenceData or a tree with a ``posterior``: every variable over the
        rows is a feature, and a variable over rows and another dimension is several. An astropy
        ``Distribution`` of shape (N, D).
    sample_dims : int, str or sequence of these, optional
        The axes or dimensions that run over the draws. By default axis 0 of an array;
        ``("chain", "draw")``, or the one of ``"chain"``, ``"draw"`` and ``"sample"`` that is
        there, of an xarray object.
    var_names : str or sequence of str, optional
        The variables of a data set to use; by default all.
    row_dim, feature_dim : str, optional
        The dimensions of an xarray object that run over the rows and the features; by default
        the first and the second besides the draws.
    keep_samples : bool, default=False
        Whether to keep the draws as the laws of the rows.
    names, features : sequence of str, optional
        By default the coordinates of an xarray object, where it has them.
    weights : array-like of shape (N,), optional

    Returns
    -------
    UncertainArray
        With population covariances (÷ number of draws).

    Warns
    -----
    CorrelationWarning
        Where the draws of different rows are correlated: the rows of an `UncertainArray` are
        independent, so that correlation is dropped. ``uapca.simulate(draws=...)`` takes the PCA of
        each joint draw instead.

    See Also
    --------
    uapca.simulate : The PCAs of redrawn data.
    uapca.from_distributions : A table of distributions.

    Examples
    --------
    >>> import numpy as np
    >>> import uapca
    >>> draws = np.random.default_rng(0).normal([[0.0, 5.0]], 0.1, size=(4, 500, 3, 2))
    >>> X = uapca.from_draws(draws, sample_dims=(0, 1), features=["slope", "offset"])
    >>> X.shape, X.mean[0].round(1).tolist()
    ((3, 2), [0.0, 5.0])
    """
    joint = joint_draws(draws, sample_dims, var_names, row_dim, feature_dim)
    array = joint.values
    count, n, d = array.shape
    sums = grouped_sums(array.reshape(-1, d), np.tile(np.arange(n), count), n)
    mean, cov = sums.means, sums.scatters / count
    if not (np.isfinite(mean).all() and np.isfinite(cov).all()):
        raise ValueError(out_of_range("draws"))
    small = cov.diagonal(axis1=1, axis2=2) < np.finfo(np.float64).tiny
    if small.any() and (array[:, small] != array[0, small]).any():
        raise ValueError(out_of_range("draws", "underflows"))
    _warn_of_correlation(array)
    return UncertainArray(
        mean,
        cov,
        weights=weights,
        names=joint.names if names is None else names,
        features=joint.features if features is None else features,
        laws=[Samples(array[:, i]) for i in range(array.shape[1])] if keep_samples else None,
        origin="{:,} draws of {:,} rows and {:,} features".format(*array.shape),
        check=False,
    )


class JointDraws(NamedTuple):
    """Draws of all rows together.

    Attributes
    ----------
    values : ndarray of shape (draws, N, D)
    names, features : list of str, or None
    """

    values: Floats
    names: list[str] | None
    features: list[str] | None


def joint_draws(
    draws: Any,
    sample_dims: Any = None,
    var_names: Any = None,
    row_dim: str | None = None,
    feature_dim: str | None = None,
) -> JointDraws:
    """Draws in any form that `from_draws` takes, as an array of shape (draws, N, D)."""
    source = getattr(draws, "posterior", None)
    source = draws if source is None or not hasattr(source, "dims") else source
    # A node of a tree holds a data set and its children; only the former is wanted.
    source = source.to_dataset() if type(source).__name__ == "DataTree" else source
    samples = getattr(source, "distribution", None)
    if samples is not None and getattr(samples, "ndim", 0) == 3:  # astropy's Distribution
        found = JointDraws(np.moveaxis(np.asarray(samples, dtype=np.float64), -1, 0), None, None)
    elif hasattr(source, "data_vars"):
        found = _from_dataset(source, sample_dims, var_names, row_dim, feature_dim)
    elif hasattr(source, "dims") and hasattr(source, "transpose"):
        found = _from_dataarray(source, sample_dims, row_dim, feature_dim)
    else:
        found = JointDraws(_from_array(source, sample_dims), None, None)
    unit = getattr(source, "unit", getattr(source, "units", None))
    if found.features is None and unit is not None:
        labels = [f"x{j}" for j in range(found.values.shape[2])]
        found = found._replace(features=with_units(labels, dict.fromkeys(labels, unit)))
    if 0 in found.values.shape:
        raise ValueError(
            "draws must hold at least one draw, row and feature; got shape "
            f"{found.values.shape} as (draws, rows, features)"
        )
    check_finite(found.values, "draws", ("draw", "row", "feature"))
    return found


def _from_array(draws: Any, sample_dims: Any) -> Floats:
    array = as_floats(draws, "draws")
    given = 0 if sample_dims is None else sample_dims
    axes = list(given) if isinstance(given, Iterable) else [given]
    if not all(isinstance(a, int | np.integer) and -array.ndim <= a < array.ndim for a in axes):
        raise ValueError(
            f"sample_dims must be axes of an array of {array.ndim} dimensions; got {sample_dims!r}"
        )
    axes = [int(axis) % array.ndim for axis in axes]
    if array.ndim - len(set(axes)) != 2:
        raise ValueError(
            "draws must have two dimensions, rows and features, besides the draws; got shape "
            f"{array.shape} with sample_dims={sample_dims!r}; sample_dims=(0, 1) reads "
            "(chains, draws, N, D)"
        )
    rest = [axis for axis in range(array.ndim) if axis not in axes]
    moved = array.transpose(*axes, *rest)
    return moved.reshape(-1, *moved.shape[-2:])


def _sample_dims(dims: Sequence[Any], sample_dims: Any) -> list[Any]:
    if sample_dims is None:
        found = [dim for dim in ("chain", "draw", "sample") if dim in dims]
    else:
        several = isinstance(sample_dims, Iterable) and not isinstance(sample_dims, str)
        found = list(sample_dims) if several else [sample_dims]
    if found and all(dim in dims for dim in found):
        return found
    raise ValueError(
        f"sample_dims must name dimensions of the draws; got {sample_dims!r}; the dimensions are "
        f"{listed(list(map(str, dims)))}"
    )


def _from_dataarray(source: Any, sample_dims: Any, row_dim: Any, feature_dim: Any) -> JointDraws:
    over = _sample_dims(source.dims, sample_dims)
    rest = [dim for dim in source.dims if dim not in over]
    for dim, parameter in ((row_dim, "row_dim"), (feature_dim, "feature_dim")):
        if dim is not None and dim not in rest:
            raise ValueError(
                f"{parameter} must name a dimension besides the draws; got {dim!r}; there are "
                f"{listed(list(map(str, rest)))}"
            )
    if len(rest) not in (1, 2):
        raise ValueError(
            "draws must have two dimensions, rows and features, besides the draws; got "
            f"{listed(list(map(str, rest))) or 'none'}; select or stack the others first"
        )
    if rest[0] == feature_dim or (len(rest) == 2 and rest[1] == row_dim):
        rest.reverse()
    values = as_floats(source.transpose(*over, *rest).values, "draws")
    if rest == [feature_dim]:
        values, rest = values[..., None, :], [None, feature_dim]
    elif len(rest) == 1:
        values = values[..., None]
    columns = _labels(source, rest[1]) if len(rest) == 2 else [str(source.name or "value")]
    rows = None if rest[0] is None else _labels(source, rest[0])
    return JointDraws(values.reshape(-1, *values.shape[-2:]), rows, columns)


def _from_dataset(
    source: Any, sample_dims: Any, var_names: Any, row_dim: Any, feature_dim: Any
) -> JointDraws:
    wanted = [var_names] if isinstance(var_names, str) else list(var_names or source.data_vars)
    absent = [name for name in wanted if name not in source.data_vars]
    if absent or not wanted:
        raise ValueError(
            "var_names must name variables of the draws; there is no "
            f"{listed(list(map(str, absent)))} "
            f"among {listed(list(map(str, source.data_vars)))}"
        )
    over = _sample_dims(list(source.dims), sample_dims)
    parts: list[Floats] = []
    features: list[str] = []
    rows: Any = None
    first: Any = row_dim
    for name in wanted:
        array = source[name]
        rest = [dim for dim in array.dims if dim not in over]
        if first is None and rest:
            first = rest[0]
        if len(rest) not in (1, 2) or first not in rest:
            raise ValueError(
                f"variables must run over the rows and at most one other dimension; {name!r} runs "
                f"over {tuple(rest)}; choose others with var_names=, or the rows with row_dim="
            )
        values, rows, columns = _from_dataarray(
            array, over, first, feature_dim if feature_dim in rest else None
        )
        parts.append(values)
        inner = columns or [str(k) for k in range(values.shape[2])]
        features += [str(name)] if len(rest) == 1 else [f"{name}[{label}]" for label in inner]
    return JointDraws(np.concatenate(parts, axis=2), rows, features)


def _labels(source: Any, dim: Any) -> list[str] | None:
    """The coordinates of a dimension, unless they only count or are not distinct."""
    if dim not in source.coords:
        return None
    values = np.asarray(source.coords[dim].values)
    if values.ndim != 1 or np.array_equal(values, np.arange(len(values))):
        return None
    labels = [label_text(v) for v in (values if values.dtype.kind in "mM" else values.tolist())]
    return labels if len(set(labels)) == len(labels) else None


def _warn_of_correlation(array: Floats) -> None:
    """Warn where draws of different rows move together, beyond what chance makes of it."""
    count, n, d = array.shape
    if n < 2 or count < 20:
        return
    rows = np.unique(np.linspace(0, n - 1, min(n, _COMPARED)).astype(int))
    columns = np.unique(np.linspace(0, d - 1, min(d, 8)).astype(int))
    part = array[:, rows][:, :, columns].astype(np.float64)
    part = part - part.mean(axis=0)
    scale = np.sqrt((part**2).mean(axis=0))
    part = np.divide(part, scale, out=np.zeros_like(part), where=scale > 0.0)
    flat = part.reshape(count, -1)
    squares = ((flat.T @ flat / count) ** 2).reshape(len(rows), len(columns), len(rows), -1)
    pairs = squares.max(axis=(1, 3))
    np.fill_diagonal(pairs, 0.0)
    average = squares.mean(axis=(1, 3))[~np.eye(len(rows), dtype=bool)].mean()
    # Independent draws have squared correlations of 1/count on average; chains have some times as
    # many draws as independent ones.
    if pairs.max() > max(0.1, 80.0 / count) or average > max(0.02, 10.0 / count):
        i, j = np.unravel_index(int(pairs.argmax()), pairs.shape)
        warn(
            f"the draws of different rows are correlated (up to {np.sqrt(pairs.max()):.2f}, rows "
            f"{rows[i]} and {rows[j]}); the rows of an UncertainArray are independent, so that "
            "correlation is dropped: uapca.simulate(draws=...) takes the PCA of each joint draw",
            CorrelationWarning,
        )
