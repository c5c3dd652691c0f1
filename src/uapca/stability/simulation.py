"""How uncertain the components are, by drawing.

Every draw is a whole data set, one realisation of each row, with a PCA of its own. The PCAs are
aligned to the expected one, since signs carry no meaning and would blur the picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from uapca._progress import Progress, reported
from uapca._validation import as_floats, complaint, rng_from
from uapca.decomposition.spectrum import spectrum
from uapca.stability.draws import draw_batches
from uapca.stability.realised import check_count, check_data, realised_covariance
from uapca.uncertain import UncertainArray
from uapca.uncertain.blocks import Doubles, equal_weights

__all__ = ["Simulation", "simulate"]

_ALIGNMENTS = ("sign", "procrustes")
_SCORES_LIMIT = 4 << 30  # bytes of scores above which the caller should decide


@dataclass(frozen=True, slots=True, eq=False)
class Simulation:
    """PCAs of drawn data sets, aligned.

    Attributes
    ----------
    components : ndarray of shape (n_draws, q, D)
        Orthonormal rows for each draw.
    eigenvalues : ndarray of shape (n_draws, q)
        Falling for each draw, whatever the alignment.
    scores : ndarray of shape (n_draws, N, q), or None
        Each draw's rows, centred, on its own components; None if left out.
    reference : ndarray of shape (q, D)
        The components the draws are aligned to: those of the expected covariance, as in
        `uapca.component_uncertainty`.
    align : str
        How they are aligned.
    """

    components: Doubles
    eigenvalues: Doubles
    scores: Doubles | None
    reference: Doubles
    align: str

    def component_quantiles(self, p: npt.ArrayLike = (0.025, 0.5, 0.975)) -> Doubles:
        """Quantiles of the components' entries over the draws, shape (..., q, D)."""
        return np.quantile(self.components, _probabilities(p), axis=0)

    def eigenvalue_quantiles(self, p: npt.ArrayLike = (0.025, 0.5, 0.975)) -> Doubles:
        """Quantiles of the eigenvalues over the draws, shape (..., q)."""
        return np.quantile(self.eigenvalues, _probabilities(p), axis=0)

    def score_quantiles(self, p: npt.ArrayLike = (0.025, 0.5, 0.975)) -> Doubles:
        """Quantiles of the rows' scores over the draws, shape (..., N, q)."""
        if self.scores is None:
            raise ValueError(
                complaint(
                    "scores",
                    "be kept to have quantiles",
                    "the simulation left them out",
                    "Simulate with scores=True",
                )
            )
        return np.quantile(self.scores, _probabilities(p), axis=0)

    def angles(self) -> Doubles:
        """The angle in radians between each draw's components and the reference, (n_draws, q)."""
        along = np.abs((self.components * self.reference).sum(axis=2))
        # From the difference: the cosine of a small angle has lost it.
        across = np.linalg.norm(self.components - along[..., None] * self.reference, axis=2)
        return np.asarray(np.arctan2(across, along))

    def __repr__(self) -> str:
        n, q, d = self.components.shape
        lines = [f"Simulation: {n} draws, {q} of {d} components, aligned by {self.align}"]
        low, middle, high = self.eigenvalue_quantiles()
        tilt = np.degrees(np.sqrt(np.square(self.angles()).mean(axis=0)))
        for i in range(q):
            lines.append(
                f"  {i + 1}  variance {middle[i]:.4g} ({low[i]:.4g} to {high[i]:.4g}), "
                f"tilt {tilt[i]:.2g}°"
            )
        return "\n".join(lines)


def simulate(
    X: UncertainArray,
    n_draws: int,
    n_components: int = 2,
    rng: Any = None,
    *,
    align: str = "sign",
    scores: bool = True,
    progress: Progress = False,
) -> Simulation:
    """Draw the whole data set many times and do a PCA of each.

    Parameters
    ----------
    X : UncertainArray of shape (N, D)
        Rows are drawn from their laws or, where they have none, as normals.
    n_draws : int
    n_components : int, default=2
    rng : int, numpy.random.Generator or None
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
    component_uncertainty : The same in closed form.

    Examples
    --------
    >>> import numpy as np, uapca
    >>> rng = np.random.default_rng(0)
    >>> X = uapca.UncertainArray(rng.normal(size=(100, 3)) * [5, 3, 1], std=0.5)
    >>> drawn = uapca.simulate(X, 4000, rng=0)
    >>> drawn
    Simulation: 4000 draws, 2 of 3 components, aligned by sign
      1  variance 29.85 (28.81 to 30.89), tilt 1°
      2  variance 9.303 (8.718 to 9.901), tilt 1.4°
    >>> closed = uapca.component_uncertainty(X)
    >>> np.allclose(drawn.components.std(axis=0), closed.std, rtol=0.05, atol=1e-3)
    True
    """
    X = check_data(X)
    n, d = X.shape
    count = check_count(n_draws, "n_draws")
    q = check_count(n_components, "n_components", d, "features")
    if align not in _ALIGNMENTS:
        raise ValueError(
            complaint("align", "be 'sign' or 'procrustes'", f"got {align!r}", "Use 'sign'")
        )
    if scores:
        _check_scores(count, n, q)
    generator = rng_from(rng)
    reference = spectrum(realised_covariance(X)[1], q).vectors
    components, eigenvalues = np.empty((count, q, d)), np.empty((count, q))
    kept = np.empty((count, n, q)) if scores else None
    with reported(progress, count, "draws") as done:
        for batch, points in draw_batches(X, count, generator, d * d):
            _centre(points, X._weights)
            values, vectors = np.linalg.eigh(_covariances(points, X._weights))
            eigenvalues[batch] = np.maximum(values[:, : -q - 1 : -1], 0.0)
            found = vectors[:, :, : -q - 1 : -1].transpose(0, 2, 1)
            components[batch] = aligned(found, reference, align)
            if kept is not None:
                np.matmul(points, components[batch].transpose(0, 2, 1), out=kept[batch])
            done(batch.stop - batch.start)
    return Simulation(components, eigenvalues, kept, reference, align)


def aligned(components: Doubles, reference: Doubles, align: str) -> Doubles:
    """Stacks of components (b, q, D) turned towards the reference (q, D)."""
    if align == "sign":
        signs = np.einsum("bqd,qd->bq", components, reference)
        return np.where(signs[..., None] < 0.0, -components, components)
    # The rotation that brings V nearest to V₀ is the orthogonal polar factor of V₀Vᵀ.
    left, _, right = np.linalg.svd(reference @ components.transpose(0, 2, 1))
    return np.asarray(left @ right @ components)


def _centre(points: Doubles, weights: Doubles | None) -> None:
    """Take each data set's own mean out of it, in place."""
    n = points.shape[1]
    w = equal_weights(n) if weights is None else weights
    points -= (w @ points)[:, None, :]


def _covariances(centred: Doubles, weights: Doubles | None) -> Doubles:
    """Population covariances of centred data sets, (b, N, D) to (b, D, D)."""
    if weights is None:
        products = centred.transpose(0, 2, 1) @ centred
        products /= centred.shape[1]
        return np.asarray(products)
    half = centred * np.sqrt(weights)[:, None]
    return np.asarray(half.transpose(0, 2, 1) @ half)


def _probabilities(p: npt.ArrayLike) -> Doubles:
    values = as_floats(p, "p").astype(np.float64, copy=False)
    if not ((values >= 0.0) & (values <= 1.0)).all():
        raise ValueError(
            complaint("p", "lie between 0 and 1", f"got {p!r}", "Pass 0.5 for the median")
        )
    return values


def _check_scores(count: int, n: int, q: int) -> None:
    size = 8 * count * n * q
    if size > _SCORES_LIMIT:
        raise ValueError(
            complaint(
                "scores",
                "be False where they would take more than 4 GiB",
                f"{count} draws of {n} rows on {q} components take {size / 2**30:.1f} GiB",
                "Pass scores=False, or draw less often",
            )
        )
