"""Redrawing the points behind groups, and the standard errors of each redraw.

Points that are kept are resampled with replacement. Otherwise the points of a group are normal with
its mean and Σ = Ψ n / (n − 1): their mean is normal and their scatter a Wishart matrix, drawn as a
triangle (Bartlett's decomposition).

Intervals come from studentized deviations (bootstrap-t): the deviation of log λ in each redraw is
divided by the standard error that this redraw would state. Few points make that standard error
uncertain, which widens the quantiles as in Student's t.
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
    kept : bool
        Whether the points are kept as the laws of all rows, with equal weights.
    rows : int
        Rows of a redraw: one for each group and one for each row of the parts.
    """

    def __init__(self, X: UncertainArray, scale: float) -> None:
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
        self.kept: bool = len(points) == len(used)
        self._cov = X.cov.take(used)
        self._points = points if self.kept else []
        ranks = self.counts if self.kept else np.minimum(self.counts - 1.0, X.shape[1])
        self.rows: int = len(used) + int(ranks.sum())

    @cached_property
    def parts(self) -> list[Doubles]:
        """Ψ = partᵀ part, shape (r, D), for each group; centered points over √n where kept."""
        if self.kept:
            return [points / np.sqrt(len(points)) for points in self._points]
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
                    drawn = part[rng.integers(0, rank, (b, rank))]
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

    def excess(self, vectors: Doubles) -> float:
        """Largest ratio of the variances of eigenvalues (q, D) to those that normals would have."""
        found, normal = (self.variances(*self.fit, vectors[None], k)[0] for k in (self.kept, False))
        return float(np.max(found / normal, where=normal > 0.0, initial=0.0))

    def variances(
        self, means: Doubles, parts: list[Doubles], vectors: Doubles, kept: bool | None = None
    ) -> tuple[Doubles, Doubles, Doubles]:
        """To first order, of eigenvalues with their ``vectors`` (b, q, D), and of the total.

        ``kept`` is whether the parts are points, by default as they are.

        Returns
        -------
        variance, covariance : ndarray of shape (b, q)
            Of the eigenvalues, and between them and the total.
        total : ndarray of shape (b, 1)
            Of the total.

        Notes
        -----
        A point at e from the mean of its group, at a along v from the center of all, changes an
        eigenvalue by w/n [2a (e·v) + s² ((e·v)² − vᵀΨv)], and the total by the same with traces.
        Sums of squares are the variances, whatever the law of the points; without the points they
        are those of normals.
        """
        square = self.scale**2
        centered = means - (self.weights @ means)[:, None, :]
        axes = vectors.transpose(0, 2, 1)
        variance, covariance, total = 0.0, 0.0, 0.0
        for g, (w, n, Z) in enumerate(zip(self.weights, self.counts, parts, strict=True)):
            c = centered[:, g, :, None]
            a, x, y = vectors @ c, Z @ axes, Z @ c  # (b, q, 1), (b, r, q), (b, r, 1)
            p = np.square(x).sum(axis=1)
            if self.kept if kept is None else kept:
                moved = 2.0 * np.sqrt(n) * a.transpose(0, 2, 1) * x
                moved += square * (n * np.square(x) - p[:, None])
                length = n * np.square(Z).sum(axis=2, keepdims=True)
                whole = 2.0 * np.sqrt(n) * y + square * (length - length.mean(axis=1)[:, None])
                products = (np.square(moved), moved * whole, np.square(whole))
                one, two, three = (product.mean(axis=1) for product in products)
            else:
                one = 4.0 * np.square(a[..., 0]) * p + 2.0 * np.square(square * p)
                turned = Z.transpose(0, 2, 1)
                images, gram = turned @ x, turned @ Z
                two = 4.0 * a[..., 0] * (x * y).sum(axis=1)
                two = two + 2.0 * square**2 * np.square(images).sum(axis=1)
                three = 4.0 * np.square(y).sum(axis=1)
                three = three + 2.0 * square**2 * np.square(gram).sum(axis=(1, 2))[:, None]
            share = w * w / (n - 1.0)
            variance, covariance = variance + share * one, covariance + share * two
            total = total + share * three
        return np.asarray(variance), np.asarray(covariance), np.asarray(total)
