"""The analysis that the commands share: standardise, fit, ask how far it can be trusted."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from uapca.cli.labels import counted, shown
from uapca.cli.say import note
from uapca.decomposition import UAPCA, unwrap
from uapca.decomposition.io import fit_to_json
from uapca.stability import (
    ComponentUncertainty,
    SeparationWarning,
    component_uncertainty,
)
from uapca.uncertain import UncertainArray, Zero

__all__ = ["Fit", "feature_names", "fitted"]

# Standard errors need a D × D matrix for each component: at most so many numbers in all.
_MOST_NUMBERS = 30_000_000
# A feature with so much of the variance, so many times as wide as the middle one, may be in other
# units than the rest.
_ALONE, _UNLIKE = 0.95, 10.0


@dataclass(frozen=True, eq=False)
class Fit:
    """A fit and what belongs to it.

    Attributes
    ----------
    kept : UAPCA
        The fit, in whose units the data is.
    X : UncertainArray
        The data as the components see it: standardized, if that was asked for.
    pca : UAPCA
        The fit of that.
    uncertainty : ComponentUncertainty or None
    why_not : str
        Why there is no uncertainty.
    """

    kept: UAPCA
    X: UncertainArray
    pca: UAPCA
    uncertainty: ComponentUncertainty | None = None
    why_not: str = ""

    def to_json(self) -> str:
        """What is kept in a file."""
        return fit_to_json(self.kept, self._uncertainty())

    def _uncertainty(self) -> dict[str, Any] | None:
        found = self.uncertainty
        if found is None:
            return None
        return {
            "components_std": _listed(found.std),
            "variances_std": _listed(self.variance_std()),
            "tilt_degrees": _listed(np.degrees(found.angle)),
            "verdict": list(found.verdict),
        }

    def variance_std(self) -> Any:
        """Standard errors of the variances, with the divisor of the fit."""
        assert self.uncertainty is not None
        weights = self.X.weights
        return self.uncertainty.eigenvalue_std / (1.0 - self.pca.ddof * float(weights @ weights))


def fitted(
    X: UncertainArray,
    components: int | float | None,
    scale: float,
    *,
    ddof: float = 0.0,
    standardize: bool = False,
    judged: bool = False,
) -> Fit:
    """Fit, and if it is to be ``judged``, find how uncertain its components are."""
    if len(X) == 1:
        note("note: one row has no spread between rows: every variance is its own uncertainty")
    kept = UAPCA(_at_most(components, X), scale=scale, ddof=ddof, standardize=standardize).fit(X)
    if not standardize:
        _note_of_sizes(kept, feature_names(X))
    pca, data = unwrap(kept, X)
    if not judged:
        return Fit(kept, data, pca)
    return Fit(kept, data, pca, *_judged(data, pca))


def _note_of_sizes(pca: UAPCA, features: tuple[str, ...]) -> None:
    """Say it where one feature is the whole picture because of its units."""
    if pca.solver_ != "eigh" or len(features) < 2:
        return
    variances = pca.get_covariance().diagonal()
    largest = int(variances.argmax())
    share = variances[largest] / variances.sum() if variances[largest] > 0.0 else 0.0
    if share >= _ALONE and variances[largest] >= _UNLIKE**2 * np.median(variances):
        how_much = "nearly all" if share > 0.9995 else f"{100 * share:.3g} %"
        note(
            f"note: {shown(features[largest])} alone has {how_much} of the variance; if that is "
            "due to its unit, --standardize gives all features the same say"
        )


def feature_names(X: UncertainArray) -> tuple[str, ...]:
    """The features, with names for those that have none."""
    return X.features or tuple(f"x{j}" for j in range(X.shape[1]))


def _at_most(components: int | float | None, X: UncertainArray) -> int | float | None:
    """As many components as asked for, or as there are."""
    if not isinstance(components, int):
        return components
    n, d = X.shape
    most = min(d, n) if isinstance(X.cov, Zero) else d
    if components > most:
        note(
            f"note: there {'is' if most == 1 else 'are'} {counted(most, 'component')}, not "
            f"{components}"
        )
    return min(components, most)


def _judged(X: UncertainArray, pca: UAPCA) -> tuple[ComponentUncertainty | None, str]:
    if isinstance(X.cov, Zero):
        return None, "the rows are certain, so there are no standard errors"
    if pca.scale == 0.0:
        return None, "at s = 0 the rows count as certain, so there are no standard errors"
    if np.isinf(pca.scale):
        return None, "in the limit s = ∞ there are no standard errors"
    if pca.n_components_ * X.shape[1] ** 2 > _MOST_NUMBERS:
        return None, "for so many features and components standard errors are not computed"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparationWarning)  # the verdict says it
        return component_uncertainty(X, pca.n_components_, scale=float(pca.scale)), ""


def _listed(array: Any) -> Any:
    """Lists for JSON, which has no infinity: null for what is not determined."""
    if array.ndim > 1:
        return [_listed(row) for row in array]
    return [value if np.isfinite(value) else None for value in array.tolist()]
