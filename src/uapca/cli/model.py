"""Fits in files (`uapca.decomposition.io` has the format), as the commands use them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from uapca.cli.errors import CommandError
from uapca.cli.labels import listed, quoted

if TYPE_CHECKING:
    from uapca.decomposition import UAPCA
    from uapca.uncertain import UncertainArray

__all__ = ["features_of", "project", "read_model"]


def read_model(path: str) -> UAPCA:
    """The fit in a file; whatever is wrong with it is said in one line."""
    from uapca.decomposition.io import load_fit

    if not Path(path).is_file():
        raise CommandError(f"there is no file {quoted(path)}. uapca fit DATA -o FILE writes one.")
    try:
        return load_fit(path)
    except ValueError as error:
        raise CommandError(f"{error}.") from None


def features_of(pca: UAPCA) -> tuple[str, ...]:
    """The features of a fit, with names for those that have none."""
    names = getattr(pca, "feature_names_in_", None)
    return tuple(f"x{j}" for j in range(pca.n_features_in_)) if names is None else tuple(names)


def project(pca: UAPCA, X: UncertainArray) -> UncertainArray:
    """The projected rows; X may have its features in another order, and more of them."""
    features = features_of(pca)
    if X.features is None:
        if X.shape[1] != len(features):
            raise CommandError(f"the model has {len(features)} features and the data {X.shape[1]}.")
        return pca.transform(X)
    absent = [name for name in features if name not in X.features]
    if absent:
        raise CommandError(
            f"the data lacks features of the model: {listed(absent)}. It has {listed(X.features)}."
        )
    return pca.transform(X if X.features == features else X[:, list(features)])
