"""Redrawing the points behind groups, and the standard errors of each redraw.

Points that are kept are resampled with replacement, their deviations from the mean of the group
times √(n / (n − 1)), so that they have the covariance Σ = Ψ n / (n − 1). Otherwise the points of a
group are normal with its mean and Σ: their mean is normal and their scatter a Wishart matrix, drawn
as a triangle (Bartlett's decomposition).

Intervals of normal points come from studentized deviations (bootstrap-t): the deviation of log λ in
each redraw is divided by the standard error that this redraw would state. Few points make that
standard error uncertain, which widens the quantiles as in Student's t. Those of points that are
kept come from the points' influences on the eigenvalues.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from uapca._validation import Doubles
from uapca.uncertain import UncertainArray

__all__ = ["Groups"]

_BATCH_BYTES = 1 << 20


class Groups:
    """The groups of positive weight, as they are.

    Attributes
    ----------
    weights, counts : ndarray of shape (G,)
    means : ndarray of shape (G, D)
    points : list of ndarray of shape (n, D)
        From the mean of their group, where kept.
    kept : bool
        Whether the points are kept as the laws of all rows, with equal weights, and used.
    rows : int
        Rows of a redraw: one for each group and one for each row of the parts.
    """

    def __init__(self, X: UncertainArray, scale: float, normal: bool = False) -> None:
        from uapca.laws import Samples

        used = np.flatnonzero(X.weights > 0.0)
        assert X.counts is not None
        self.scale = scale
        self.weights: Doubles = X.weights[used]
        self.counts: Doubles = np.asarray(X.counts, dtype=np.float64)[used]
        self.means: Doubles = np.asarray(X.mean[used], dtype=np.float64)
        laws = [X.laws[g] for g in used.tolist()] if X.laws is not None else []
        points = [
            law.values - law.mean
            for law, n in zip(laws, self.counts, strict=False)
            if isinstance(law, Samples) and len(law.values) == n and np.ptp(law.weights) < 1e-12
        ]
        self.kept: bool = len(points) == len(used) and not normal
        self._cov = X.cov.take(used)
        self.points = points if self.kept else []
        ranks = self.counts if self.kept else np.minimum(self.counts - 1.0, X.shape[1])
        self.rows: int = len(used) + int(ranks.sum())

    @cached_property
    def parts(self) -> list[Doubles]:
        """Ψ = partᵀ part, shape (r, D), for each group; centered points over √n where kept."""
        if self.kept:
            return [points / np.sqrt(len(points)) for points in self.points]
        values, vectors = np.linalg.eigh(self._cov.dense().astype(np.float64))
        roots = (vectors * np.sqrt(values.clip(0.0))[:, None, :]).transpose(0, 2, 1)[:, ::-1]
        return [root[: int(n) - 1] for root, n in zip(roots, self.counts, strict=True)]

    @property
    def fit(self) -> tuple[Doubles, list[Doubles]]:
        """Means and parts as a batch of one."""
        return self.means[None], [part[None] for part in self.parts]

    def redraws(
        self, n: int, rng: np.random.Generator
    ) -> Iterator[tuple[slice, Doubles, list[Doubles]]]:
        """Batches of means (b, G, D) and parts (b, r, D)."""
        d = self.means.shape[1]
        size = min(max(_BATCH_BYTES // (8 * d * max(self.rows, d)), 1), n)
        for start in range(0, n, size):
            b = min(size, n - start)
            means, parts = np.repeat(self.means[None], b, axis=0), []
            for g, (m, part) in enumerate(zip(self.counts, self.parts, strict=True)):
                rank = len(part)
                if self.kept:
                    drawn = part[rng.integers(0, rank, (b, rank))] * np.sqrt(m / (m - 1.0))
                    shift = drawn.mean(axis=1)
                    means[:, g] += shift * np.sqrt(m)
                    parts.append(drawn - shift[:, None])
                    continue
                half = part / np.sqrt(m - 1.0)
                means[:, g] += rng.standard_normal((b, rank)) @ half
                triangle = np.tril(rng.standard_normal((b, rank, rank)), -1)
                axis = np.arange(rank)
                triangle[:, axis, axis] = np.sqrt(rng.chisquare(m - 1.0 - axis, (b, rank)))
                parts.append(triangle.transpose(0, 2, 1) @ half)
            yield slice(start, start + b), means, parts

    def roots(self, means: Doubles, parts: list[Doubles]) -> Doubles:
        """Y of shape (b, R, D) with K = YᵀY."""
        centered = means - (self.weights @ means)[:, None, :]
        sizes = np.sqrt(self.weights)
        blocks = [self.scale * size * part for size, part in zip(sizes, parts, strict=True)]
        return np.concatenate([sizes[:, None] * centered, *blocks], axis=1)

    def variances(
        self, means: Doubles, parts: list[Doubles], vectors: Doubles
    ) -> tuple[Doubles, Doubles, Doubles]:
        """To first order, of eigenvalues with their ``vectors`` (b, q, D), of normal points.

        Returns
        -------
        variance, covariance : ndarray of shape (b, q)
            Of the eigenvalues, and between them and the total.
        total : ndarray of shape (b, 1)
            Of the total.
        """
        square = self.scale**2
        centered = means - (self.weights @ means)[:, None, :]
        axes = vectors.transpose(0, 2, 1)
        variance, covariance, total = 0.0, 0.0, 0.0
        for g, (w, n, Z) in enumerate(zip(self.weights, self.counts, parts, strict=True)):
            c = centered[:, g, :, None]
            share = w * w / (n - 1.0)
            a, x, y = (vectors @ c)[..., 0], Z @ axes, Z @ c  # (b, q), (b, r, q), (b, r, 1)
            p = np.square(x).sum(axis=1)
            turned = Z.transpose(0, 2, 1)
            images, gram = turned @ x, turned @ Z
            one = 4.0 * np.square(a) * p + 2.0 * np.square(square * p)
            two = 4.0 * a * (x * y).sum(axis=1)
            two = two + 2.0 * square**2 * np.square(images).sum(axis=1)
            three = 4.0 * np.square(y).sum(axis=1)
            three = three + 2.0 * square**2 * np.square(gram).sum(axis=(1, 2))[:, None]
            variance, covariance = variance + share * one, covariance + share * two
            total = total + share * three
        return np.asarray(variance), np.asarray(covariance), np.asarray(total)
