"""PCAs of redrawn data sets.

Every draw is a whole data set with a PCA of its own. The PCAs are aligned to the components of the
fit, since signs carry no meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh
from sklearn.pipeline import Pipeline

from uapca._progress import Progress, reported
from uapca._validation import (
    Doubles,
    Seed,
    as_floats,
    check_choice,
    check_count,
    check_finite,
    rng_from,
)
from uapca.decomposition import UAPCA
from uapca.uncertain import UncertainArray
from uapca.uncertain.covariance import root

__all__ = ["Simulation", "check_data", "draw_batches", "simulate"]

_SCORES_LIMIT = 4 << 30  # bytes of scores above which the caller should decide
# Small enough to stay in cache while a batch is worked on, where draws are cheap to start; laws
# are drawn row by row in Python, which only large batches amortize.
_BATCH_BYTES = 1 << 20
_BATCH_BYTES_OF_LAWS = 64 << 20
# From this number of features on the fit is matrix-free.
_WIDE = 500
# From this order on few eigenpairs of a Gram matrix are found by themselves.
_PARTIAL_FROM = 60
# Eigenvalues of a Gram matrix below this share of the largest have lost half of their digits.
_LOST = 1e-8

Align = Literal["sign", "procrustes"]


@dataclass(frozen=True, slots=True, eq=False)
class Simulation:
    """PCAs of drawn data sets, aligned.

    Attributes
    ----------
    components : ndarray of shape (n_draws, q, D)
        Orthonormal rows for each draw.
    eigenvalues : ndarray of shape (n_draws, q)
        Decreasing for each draw, whatever the alignment.
    scores : ndarray of shape (n_draws, N, q), or None
        Each draw's rows, centered, on its own components; None if left out.
    reference : ndarray of shape (q, D)
        The components the draws are aligned to: those of the fit, ``UAPCA(q).fit(X)``.
    align : str
        How they are aligned.
    totals : ndarray of shape (n_draws,)
        The total variance of each draw.

    See Also
    --------
    uapca.simulate : The PCAs of redrawn data.

    Examples
    --------
    >>> import uapca
    >>> drawn = uapca.simulate(uapca.datasets.load_students(), 100, n_components=2, rng=0)
    >>> drawn.components.shape
    (100, 2, 4)
    >>> drawn.eigenvalues.mean(axis=0).round()
    array([49., 14.])
    """

    components: Doubles
    eigenvalues: Doubles
    scores: Doubles | None
    reference: Doubles
    align: str
    totals: Doubles

    def angles(self) -> Doubles:
        """The angle in radians between each draw's components and the reference, (n_draws, q)."""
        return angles(self.components, self.reference)

    def subspace_angles(self, first: int = 0, last: int | None = None) -> Doubles:
        """The largest principal angle between components first to last of each draw and the fit.

        Shape (n_draws,), in radians; of all q components by default.
        """
        own, fit = self.components[:, first:last], self.reference[first:last]
        rest = own - (own @ fit.T) @ fit
        sine = np.sqrt(np.linalg.eigvalsh(rest @ rest.transpose(0, 2, 1))[:, -1].clip(0.0, 1.0))
        return np.asarray(np.arcsin(sine))

    def __repr__(self) -> str:
        n, q, d = self.components.shape
        lines = [f"Simulation: {n} draws, {q} of {d} components, aligned by {self.align}"]
        low, middle, high = np.quantile(self.eigenvalues, (0.025, 0.5, 0.975), axis=0)
        tilt = np.degrees(np.sqrt(np.square(self.angles()).mean(axis=0)))
        for i in range(q):
            lines.append(
                f"  PC{i + 1}  variance {middle[i]:.4g} ({low[i]:.4g} to {high[i]:.4g}), "
                f"tilt {tilt[i]:.2g}°"
            )
        return "\n".join(lines)


def simulate(
    X: UncertainArray | None = None,
    n_draws: int | None = None,
    n_components: int = 2,
    rng: Seed = None,
    *,
    draws: npt.ArrayLike | None = None,
    align: Align = "sign",
    scores: bool = True,
    progress: Progress = False,
) -> Simulation:
    """Draw the whole data set many times and do a PCA of each.

    Parameters
    ----------
    X : UncertainArray of shape (N, D), optional
        Rows are drawn from their laws or, where they have none, as normals, independently.
    n_draws : int, optional
    n_components : int, default=2
    rng : int, numpy.random.Generator or None
    draws : array-like of shape (S, N, D), optional
        Joint draws of the whole data set, such as posterior draws, instead of ``X`` and
        ``n_draws``. Rows may depend on each other.
    align : {"sign", "procrustes"}, default="sign"
        "sign" turns each component into the half-space of its reference and leaves it an
        eigenvector of its draw, so that the spread is that of `uapca.component_uncertainty`.
        "procrustes" rotates the q components of a draw as a whole onto the reference (orthogonal
        Procrustes): what is left is how far the subspace moves, which is what a picture of the
        scores needs if components mix within it.
    scores : bool, default=True
        Whether to keep the scores of all rows in all draws.
    progress : bool or callable, default=False
        True shows a bar (needs tqdm); a function is called with (done, total).

    Returns
    -------
    Simulation

    See Also
    --------
    component_uncertainty : Standard errors and intervals, in closed form where it is accurate.

    Examples
    --------
    >>> import numpy as np, uapca
    >>> rng = np.random.default_rng(0)
    >>> X = uapca.UncertainArray(rng.normal(size=(100, 3)) * [5, 3, 1], std=0.5)
    >>> uapca.simulate(X, 4000, rng=0)
    Simulation: 4000 draws, 2 of 3 components, aligned by sign
      PC1  variance 29.85 (28.81 to 30.89), tilt 1°
      PC2  variance 9.303 (8.718 to 9.901), tilt 1.4°

    Joint draws of a data set in which all values share one offset: every draw has the same PCA.

    >>> shared = np.asarray(X.mean) + rng.normal(size=(500, 1, 3))
    >>> uapca.simulate(draws=shared, scores=False)
    Simulation: 500 draws, 2 of 3 components, aligned by sign
      PC1  variance 29.58 (29.58 to 29.58), tilt ...°
      PC2  variance 9.057 (9.057 to 9.057), tilt ...°
    """
    check_choice(align, ("sign", "procrustes"), "align")
    if draws is None:
        data = check_data(X)
        count = check_count(n_draws, "n_draws")
        n, d = data.shape
        batches = draw_batches(data, count, rng_from(rng), min(n, d) ** 2)
    else:
        if X is not None or n_draws is not None:
            raise ValueError("draws must be given without X and n_draws")
        joint = as_floats(draws, "draws").astype(np.float64, copy=False)
        if joint.ndim != 3 or not joint.size:
            raise ValueError(f"draws must have shape (S, N, D); got shape {joint.shape}")
        check_finite(joint, "draws", ("draw", "row", "feature"))
        count, n, d = joint.shape
        mean = joint.mean(axis=0)
        deviations = (joint - mean).reshape(-1, d)
        within = deviations.T @ deviations / len(deviations)
        data = UncertainArray(mean, within, check=False)
        size = max(_BATCH_BYTES // (8 * n * d), 1)
        batches = (
            (slice(k, min(k + size, count)), joint[k : k + size].copy())
            for k in range(0, count, size)
        )
    q = check_count(n_components, "n_components", d, "features")
    if scores and 8 * count * n * q > _SCORES_LIMIT:
        raise ValueError(
            f"scores must be False where they take more than 4 GiB; {count} draws of {n} rows on "
            f"{q} components take {8 * count * n * q / 2**30:.1f} GiB"
        )
    # Few components of many features: no D × D matrix is needed.
    wide = d >= _WIDE and 8 * q <= d and q < n and data.cov.kind != "zero"
    fit = UAPCA(q, solver="lanczos" if wide else "auto").fit(data)
    reference = np.asarray(fit.components_, dtype=np.float64)
    w, roots = data.weights, np.sqrt(data.weights)[:, None]
    components, eigenvalues = np.empty((count, q, d)), np.empty((count, q))
    totals = np.empty(count)
    kept = np.empty((count, n, q)) if scores else None
    with reported(progress, count, "draws") as done:
        for batch, points in batches:
            points -= (w @ points)[:, None, :]
            eigenvalues[batch], found, totals[batch] = leading(points * roots, reference)
            components[batch] = aligned(found, reference, align)
            if kept is not None:
                np.matmul(points, components[batch].transpose(0, 2, 1), out=kept[batch])
            done(batch.stop - batch.start)
    return Simulation(components, eigenvalues, kept, reference, align, totals)


def leading(rows: Doubles, fill: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """Leading eigenpairs of YᵀY and its trace for a stack Y of shape (b, R, D).

    From D × D or R × R products, whichever are smaller. The number of pairs q is that of axes in
    ``fill``, shape (q, D) or (b, q, D), which completes the basis if R is below q.

    Returns
    -------
    values : ndarray of shape (b, q)
    vectors : ndarray of shape (b, q, D)
    totals : ndarray of shape (b,)
    """
    b, r, d = rows.shape
    q = fill.shape[-2]
    totals = np.einsum("brd,brd->b", rows, rows)
    turned = rows.transpose(0, 2, 1)
    values, found = _leading_pairs(turned @ rows if d <= r else rows @ turned, q)
    if d <= r:
        return values, found, totals
    if q <= r and (values[:, -1] > _LOST * values[:, 0]).all():
        vectors = found @ rows
        return values, vectors / np.linalg.norm(vectors, axis=2, keepdims=True), totals
    _, singular, vectors = np.linalg.svd(rows, full_matrices=False)
    values, vectors = np.square(singular[:, :q]), vectors[:, :q]
    if q > r:
        fixed = np.broadcast_to(fill, (b, q, d))
        basis = np.linalg.qr(np.concatenate([vectors, fixed], axis=1).transpose(0, 2, 1))[0]
        vectors = np.concatenate([vectors, basis.transpose(0, 2, 1)[:, r:q]], axis=1)
        values = np.pad(values, ((0, 0), (0, q - r)))
    return values, vectors, totals


def _leading_pairs(grams: Doubles, q: int) -> tuple[Doubles, Doubles]:
    """Values (b, q), falling, and vectors (b, q, k), as rows, of a stack of Gram matrices."""
    k = grams.shape[1]
    if k < _PARTIAL_FROM or 8 * q > k:
        values, vectors = np.linalg.eigh(grams)
    else:  # a third of the time at 300 features
        pairs = [eigh(gram, subset_by_index=[k - q, k - 1], check_finite=False) for gram in grams]
        values, vectors = (np.stack(each) for each in zip(*pairs, strict=True))
    values = np.maximum(values[:, : -q - 1 : -1], 0.0)
    return values, vectors[:, :, : -q - 1 : -1].transpose(0, 2, 1)


def aligned(components: Doubles, reference: Doubles, align: Align) -> Doubles:
    """Stacks of components (b, q, D) turned toward the reference (q, D)."""
    if align == "sign":
        signs = np.einsum("bqd,qd->bq", components, reference)
        return np.where(signs[..., None] < 0.0, -components, components)
    # The rotation that brings V nearest to V₀ is the orthogonal polar factor of V₀Vᵀ.
    left, _, right = np.linalg.svd(reference @ components.transpose(0, 2, 1))
    return np.asarray(left @ right @ components)


def angles(components: Doubles, reference: Doubles) -> Doubles:
    """The angles in radians between axes, the last dimension of both."""
    along = (components * reference).sum(axis=-1)
    # From the difference: the cosine of a small angle has lost it.
    across = np.linalg.norm(components - along[..., None] * reference, axis=-1)
    return np.asarray(np.arctan2(across, np.abs(along)))


def draw_batches(
    X: UncertainArray, n: int, rng: np.random.Generator, numbers: int = 0
) -> Iterator[tuple[slice, Doubles]]:
    """``n`` draws of all rows, from their laws or as normals, as batches of shape (b, N, D).

    ``numbers`` is how many numbers the caller makes of each draw, if that is more than N D.
    """
    limit = _BATCH_BYTES if X.laws is None else _BATCH_BYTES_OF_LAWS
    size = min(max(limit // (8 * max(X.mean.size, numbers)), 1), n)
    if size < n and X.cov.kind == "dense" and X.laws is None:
        # The roots of full matrices are taken once instead of for each batch.
        matrices = X.cov.dense().astype(np.float64, copy=False)
        X = UncertainArray(X.mean, factors=root(matrices), check=False)
    # Some laws are made when they are asked for: once here, not for each batch.
    rows = X if X.laws is None else X.laws[np.arange(len(X))]
    for start in range(0, n, size):
        stop = min(start + size, n)
        yield slice(start, stop), rows.sample(stop - start, rng)


def check_data(X: object) -> UncertainArray:
    """Raise unless X is an UncertainArray without missing cells."""
    if not isinstance(X, UncertainArray):
        hint = " (give the rows first; component_uncertainty also takes fit=pca)"
        hint = hint if isinstance(X, UAPCA | Pipeline) else ""
        raise TypeError(f"X must be an UncertainArray; got {type(X).__name__}{hint}")
    X.require_complete("a PCA")
    return X
