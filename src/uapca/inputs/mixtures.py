"""Rows with several modes: Gaussian mixtures."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from uapca._validation import Floats, check_choice, listed, rng_from
from uapca.aggregate.labels import label_text
from uapca.inputs.distributions import array_of_laws
from uapca.inputs.frame import say_dropped
from uapca.inputs.groups import labeled_points
from uapca.laws import Law, Mixture, Normal
from uapca.uncertain import UncertainArray

__all__ = ["from_mixtures"]

_KINDS = ("full", "tied", "diag", "spherical")


def from_mixtures(
    mixtures: Any,
    by: Any = None,
    *,
    n_components: int | Iterable[int] = range(1, 6),
    covariance_type: str = "full",
    rng: int | np.random.Generator | None = 0,
    missing: Literal["error", "drop"] = "error",
    features: Sequence[str] | None = None,
    weights: Any = None,
) -> UncertainArray:
    """One row for each label, as a Gaussian mixture: two modes stay two modes.

    Parameters
    ----------
    mixtures : mapping of label to mixture, or points
        Fitted scikit-learn mixtures (``GaussianMixture``, ``BayesianGaussianMixture``, any
        ``covariance_type``) or `uapca.laws` laws. With ``by`` the points to fit them to, in any
        form `from_groups` reads.
    by : array-like of shape (n,), str or list of str, optional
        The label of each point; a mixture is then fitted for each label.
    n_components : int or iterable of int, default=range(1, 6)
        How many components to fit; of several numbers the one with the lowest BIC is chosen,
        for each label on its own. A label with n points gets at most n components.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
    rng : int, numpy.random.Generator or None, default=0
        Seed of the fits.
    missing : {"error", "drop"}, default="error"
        What to do with points that lack the label or a value: refuse, or leave them out.
    features : sequence of str, optional
    weights : mapping of label to weight, or array-like of shape (N,), optional
        By default equal, and the number of points where mixtures are fitted.

    Returns
    -------
    UncertainArray
        With `uapca.laws.Mixture` laws, and their means and covariances.

    See Also
    --------
    uapca.from_groups : Labeled points: one row for each label.
    uapca.laws.Mixture : A mixture of laws.

    Examples
    --------
    >>> import numpy as np
    >>> import uapca
    >>> rng = np.random.default_rng(0)
    >>> points = np.concatenate([rng.normal(c, 0.3, (200, 2)) for c in (0.0, 3.0, 8.0)])
    >>> labels = ["two modes"] * 400 + ["one mode"] * 200
    >>> X = uapca.from_mixtures(points, by=labels)
    >>> {name: len(law.components) for name, law in zip(X.names, X.laws)}
    {'one mode': 1, 'two modes': 2}
    """
    check_choice(covariance_type, _KINDS, "covariance_type")
    check_choice(missing, ("error", "drop"), "missing")
    counts = None
    if by is not None:
        data = labeled_points(mixtures, by, features, missing=missing)
        say_dropped(data.dropped)
        labels, groups = data.split()
        counts, features = np.array([len(part) for part in groups]), data.features
        single = [label for label, count in zip(labels, counts, strict=True) if count < 2]
        if single:
            raise ValueError(
                f"every label must have at least two points for a mixture; {listed(single)} "
                f"{'has' if len(single) == 1 else 'have'} one"
            )
        candidates, seed = _candidates(n_components), int(rng_from(rng).integers(2**32))
        laws = [_fitted(part, candidates, covariance_type, seed) for part in groups]
        mixtures = dict(zip(labels, laws, strict=True))
    if not isinstance(mixtures, Mapping):
        raise TypeError(
            "mixtures must be a mapping of labels to fitted mixtures, or points with by=; got "
            f"{type(mixtures).__name__}"
        )
    if isinstance(weights, Mapping):
        # The labels of points are text by now, whatever they were.
        given = {label_text(label): weight for label, weight in weights.items()}
        absent = [str(label) for label in mixtures if label_text(label) not in given]
        if absent:
            raise ValueError(
                f"weights must have an entry for each label; there is none for {listed(absent)}"
            )
        weights = [given[label_text(label)] for label in mixtures]
    return array_of_laws(
        [_law(mixture, str(label)) for label, mixture in mixtures.items()],
        names=list(map(str, mixtures)),
        features=features,
        weights=counts if weights is None else weights,
        counts=counts,
    )


def _law(mixture: Any, label: str) -> Law:
    if isinstance(mixture, Law):
        return mixture
    if not hasattr(mixture, "means_"):
        fitted = hasattr(mixture, "covariance_type")
        raise TypeError(
            f"the mixture of {label!r} must be a fitted scikit-learn mixture or a law; got "
            f"{'one that is not fitted' if fitted else repr(mixture)}"
        )
    means = np.asarray(mixture.means_, dtype=np.float64)
    pairs = zip(means, _covariances(mixture, means, label), strict=True)
    return Mixture(mixture.weights_, [Normal(mean, cov) for mean, cov in pairs])


def _covariances(mixture: Any, means: Floats, label: str) -> Floats:
    """One matrix for each component from scikit-learn's four layouts."""
    k, d = means.shape
    given = np.asarray(mixture.covariances_, dtype=np.float64)
    kind = mixture.covariance_type
    shapes = {"full": (k, d, d), "tied": (d, d), "diag": (k, d), "spherical": (k,)}
    if given.shape != shapes.get(kind):
        raise ValueError(
            f"the mixture of {label!r} must have covariances_ that fit "
            f"covariance_type={kind!r}; got "
            f"shape {given.shape} for {k} components of {d} features"
        )
    if kind in ("diag", "spherical"):
        given = given.reshape(k, -1, 1) * np.eye(d)
    return np.broadcast_to(given, (k, d, d))


def _candidates(n_components: int | Iterable[int]) -> list[int]:
    numbers = list(n_components) if isinstance(n_components, Iterable) else [n_components]
    if not numbers or not all(isinstance(k, int | np.integer) and k > 0 for k in numbers):
        raise ValueError(
            f"n_components must be a positive integer or several; got {n_components!r}"
        )
    return sorted({int(k) for k in numbers})


def _fitted(points: Floats, candidates: Sequence[int], kind: str, seed: int) -> Law:
    """The mixture with the lowest BIC."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    best: Any = None
    lowest = np.inf
    # The covariances get a floor in proportion to the data; scikit-learn's is absolute.
    floor = 1e-6 * float(points.var(axis=0).max()) or 1e-12
    # Fits about the mean and in the data's own units lose no digits to an offset or a scale.
    center = points.mean(axis=0)
    for k in [k for k in candidates if k <= len(points)] or [len(points)]:
        model = GaussianMixture(k, covariance_type=kind, reg_covar=floor, random_state=seed)
        with warnings.catch_warnings():
            # A candidate that does not settle, or has fewer distinct points, just fits worse.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(points - center)
        score = model.bic(points - center)
        if best is None or score < lowest:
            best, lowest = model, score
    law = _law(best, "the fit")
    return law.affine(np.ones(points.shape[1]), center)
