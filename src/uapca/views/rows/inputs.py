"""What the pictures of rows take: uncertain rows or points, already projected or with a PCA."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from uapca._validation import as_floats, check_finite, complaint, shape_of
from uapca.decomposition import UAPCA
from uapca.uncertain import UncertainArray
from uapca.views.scene import Floats
from uapca.views.text import percent, shortened

__all__ = ["axis_label", "check_pca", "points_of", "projected", "rows_of"]

_PROJECTED = re.compile(r"PC[1-9]\d*")


def rows_of(Y: Any, parameter: str = "Y") -> UncertainArray:
    """Uncertain rows; points are certain rows."""
    if isinstance(Y, UncertainArray):
        rows = Y
    else:
        points = as_floats(Y, parameter)
        points = points[:, None] if points.ndim == 1 else points
        if points.ndim != 2:
            raise ValueError(
                complaint(
                    parameter,
                    "be an UncertainArray, or points of shape (N, q)",
                    f"got shape {shape_of(points)}",
                    "Pass what pca.transform(X) returns",
                )
            )
        check_finite(points, parameter, ("row", "feature"))
        rows = UncertainArray(points, check=False)
    if not len(rows):
        raise ValueError(
            complaint(parameter, "have at least one row", "got none", "Check what was selected")
        )
    return rows


def check_pca(pca: Any) -> UAPCA:
    """A fitted UAPCA."""
    if not isinstance(pca, UAPCA):
        raise TypeError(
            complaint(
                "pca",
                "be a fitted UAPCA",
                f"got {type(pca).__name__}",
                "Pass uapca.UAPCA().fit(X)",
            )
        )
    check_is_fitted(pca)
    return pca


def projected(Y: Any, pca: UAPCA | None, parameter: str = "Y") -> UncertainArray:
    """The rows on the components: as they are, or projected where they are still data.

    With as many components as features the number of columns does not tell which; then the names
    that `transform` gives to its columns do.
    """
    rows = rows_of(Y, parameter)
    if pca is None:
        return rows
    width, q, d = rows.shape[1], pca.n_components_, pca.n_features_in_
    if width == d == q and not isinstance(Y, UncertainArray):
        raise ValueError(
            complaint(
                parameter,
                f"tell whether its {q} columns are features or components",
                f"got {type(Y).__name__}, and the fit has as many of the one as of the other",
                "Pass an UncertainArray, pca.transform(uapca.UncertainArray(points)), "
                "or leave pca out for what is already projected",
            )
        )
    if width == d and (width != q or not _is_projected(rows)):
        result: UncertainArray = pca.transform(rows)
        return result
    if width != q:
        raise ValueError(
            complaint(
                parameter,
                f"have the {q} components of pca, or the {d} features it was fitted on",
                f"got {width} columns",
                "Pass pca.transform(X) with the same pca",
            )
        )
    return rows


def _is_projected(rows: UncertainArray) -> bool:
    """Whether the columns are called as `transform` calls them."""
    names = rows.features or ()
    return bool(names) and all(_PROJECTED.fullmatch(name) for name in names)


def axis_label(rows: UncertainArray, component: int, pca: UAPCA | None) -> str:
    """PC1 with its share of the variance where the PCA is known; else the feature's name."""
    if pca is not None:
        share = float(pca.explained_variance_ratio_[component])
        return f"PC{component + 1} ({percent(share)})"
    if rows.features is None:
        return f"PC{component + 1}"
    return shortened(rows.features[component], 40)


def points_of(points: Any, columns: int, pca: UAPCA | None) -> Floats:
    """Certain points to show beside the rows, with the same columns."""
    array = np.asarray(projected(points, pca, "points").mean, dtype=np.float64)
    if array.shape[1] != columns:
        raise ValueError(
            complaint(
                "points",
                f"have the {columns} columns of the rows",
                f"got {array.shape[1]}",
                "Pass pca.transform(points)",
            )
        )
    return array
