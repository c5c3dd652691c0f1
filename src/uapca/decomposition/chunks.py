"""Dask arrays: their chunks are summed and projected where they are."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import numpy as np

from uapca._validation import as_floats, check_finite, complaint
from uapca.decomposition.inputs import check_width
from uapca.decomposition.parameters import component_count
from uapca.decomposition.parts import Seen

__all__ = ["fit_chunks", "is_chunked", "project_chunks"]


def is_chunked(X: Any) -> bool:
    """Whether X is a Dask array."""
    module = sys.modules.get("dask.array")
    return module is not None and isinstance(X, module.Array)


def fit_chunks(estimator: Any, X: Any, errors: dict[str, Any]) -> None:
    """Fit the points of a Dask array, in one pass over each chunk."""
    from uapca.aggregate.dask import array_partial

    given = [name for name, value in errors.items() if value is not None]
    if given:
        raise TypeError(
            complaint(
                given[0],
                "be left out where X is a Dask array",
                "got both",
                "Fit parts of the data and their errors with partial_fit",
            )
        )
    if estimator.solver not in ("auto", "eigh"):
        raise ValueError(
            complaint(
                "solver",
                "be 'auto' or 'eigh' for a Dask array",
                f"got {estimator.solver!r}",
                "What the chunks are summed up in is the D × D matrix that the others do without",
            )
        )
    moments = array_partial(X, parameter="X").moments
    n, d = int(moments.sums.counts.sum()), moments.n_features
    component_count(estimator.n_components, min(n, d), (n, d))
    estimator.n_features_in_ = d
    estimator.__dict__.pop("feature_names_in_", None)
    estimator._take(Seen(moments, None, n, n))


def project_chunks(estimator: Any, X: Any) -> Any:
    """The scores of a Dask array as another one; nothing is computed yet."""
    if X.ndim == 2:
        check_width(estimator, int(X.shape[1]))
    X = X.rechunk({1: -1}) if X.numblocks[-1] > 1 else X
    kind = X.dtype if X.dtype == np.float32 else np.dtype(np.float64)
    return X.map_blocks(
        partial(_scores, estimator, kind),
        dtype=kind,
        chunks=(X.chunks[0], (estimator.n_components_,)),
        meta=np.empty((0, 0), dtype=kind),
    )


def _scores(estimator: Any, kind: Any, block: Any, block_id: tuple[int, ...] = (0,)) -> Any:
    points = as_floats(block, "X")
    check_finite(points, "X", (f"chunk {block_id[0]}, row", "feature"))
    return estimator._scores(points).astype(kind, copy=False)
