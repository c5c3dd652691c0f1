"""Every projected density holds mass 1: all kinds of marginals, widths and directions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr
from uapca.laws.atoms import atoms_of
from uapca.laws.frames import best_frame

from uapca.laws import (
    Affine,
    DegenerateLawError,
    Gaussian,
    Independent,
    Point,
    Trapezoid,
    Triangular,
    Uniform,
    as_marginal,
)

KINDS: dict[str, Callable[[float], Any]] = {
    "uniform": lambda w: Uniform(0, w),
    "triangular": lambda w: Triangular(0, 0.2 * w, w),
    "trapezoid": lambda w: Trapezoid(0, 0.2 * w, 0.6 * w, w),
    "gaussian": lambda w: Gaussian(0, w / 4),
    "gamma": lambda w: stats.gamma(2.0, scale=w / 5),
    "expon": lambda w: stats.expon(scale=w / 4),
    "beta": lambda w: stats.beta(2, 3, scale=w),
    "lognorm": lambda w: stats.lognorm(0.7, scale=w / 4),
    "poisson": lambda w: as_marginal(stats.poisson(3.0)).affine(w / 6),
    "binom": lambda w: as_marginal(stats.binom(8, 0.4)).affine(w / 6),
    "point": lambda w: Point(w),
}
CONTINUOUS = [name for name in KINDS if name not in ("poisson", "binom", "point")]


def midpoints(low: float, high: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Midpoints and widths of cells, a quarter as many in each tail as within ±5."""
    edges = np.linspace(max(low, -5.0), min(high, 5.0), count + 1)
    if low < -5:
        edges = np.concatenate([np.linspace(low, -5, count // 4 + 1)[:-1], edges])
    if high > 5:
        edges = np.concatenate([edges, np.linspace(5, high, count // 4 + 1)[1:]])
    return (edges[1:] + edges[:-1]) / 2, np.diff(edges)


def integral(image: Affine, count: int) -> float:
    """Over the whole support, on a grid sheared along the law."""
    lower = np.linalg.cholesky(image.cov)
    white = np.linalg.solve(lower, image.A)
    ends = np.array(
        [np.outer(image.law.marginals[j].reach(1e-7), c) for j, c in enumerate(white.T)]
    )
    low, high = 1.03 * ends.min(axis=1).sum(axis=0), 1.03 * ends.max(axis=1).sum(axis=0)
    cells = [midpoints(a, b, count) for a, b in zip(low, high, strict=True)]
    z, widths = zip(*cells, strict=True)
    if image.dim == 1:
        scale = lower[0, 0]
        return float(image.density(image.mean[0] + scale * z[0]) @ widths[0] * scale)
    values = image._density_on_plane(
        image.mean[0] + lower[0, 0] * z[0], image.mean[1] + lower[1, 1] * z[1], lower[1, 0] * z[0]
    )
    return float(widths[0] @ values @ widths[1] * lower[0, 0] * lower[1, 1])


def random_image(rng: np.random.Generator, q: int, ratio: float, angle: float) -> Affine | None:
    """A random projection to q dimensions; None where no grid could resolve it."""
    names = [str(name) for name in rng.choice(list(KINDS), size=int(rng.integers(q, 7)))]
    names[:q] = [name if name in CONTINUOUS else str(rng.choice(CONTINUOUS)) for name in names[:q]]
    widths = np.where(rng.random(len(names)) < 0.5, 1.0, 1.0 / ratio)
    row = Independent([KINDS[name](width) for name, width in zip(names, widths, strict=True)])
    A = rng.normal(size=(q, row.dim))
    if angle:
        line = rng.normal(size=(q, 1)) * rng.normal(size=row.dim)
        A = np.where(rng.random(row.dim) < 0.6, line + angle * A, A)
    image = row.affine(A)
    if not isinstance(image, Affine):
        return None
    continuous = [0.0 if m.discrete else m.std for m in row.marginals]
    white = np.linalg.solve(np.linalg.cholesky(image.cov), A * continuous)
    return image if np.linalg.svd(white, compute_uv=False)[q - 1] > 0.03 else None


@pytest.mark.parametrize("q", [1, 2])
@pytest.mark.parametrize("angle", [0, 1e-1, 1e-3])
@pytest.mark.parametrize("ratio", [1, 10, 100, 1000])
def test_every_density_holds_mass_one(q: int, angle: float, ratio: float) -> None:
    rng = np.random.default_rng([q, int(1e4 * angle), int(ratio)])
    images = [random_image(rng, q, ratio, angle) for _ in range(6)]
    for image in images:
        if image is not None:
            try:
                found = integral(image, 400 if q == 2 else 100_000)
            except DegenerateLawError:
                continue
            assert found == pytest.approx(1, abs=1e-3 if q == 2 else 1e-4), image


class TestAtoms:
    A = np.array([[1.0, 1.0, 0.2], [0.5, -0.3, 1.0]])

    def test_a_count_and_two_directions_are_shifted_copies(self) -> None:
        image = Independent([stats.poisson(3.0), Uniform(0, 1), Gaussian(0, 1)]).affine(self.A)
        x, y = np.linspace(-2, 14, 83), np.linspace(-4, 9, 71)
        X, Y = np.meshgrid(x, y, indexing="ij")
        inverse = np.linalg.inv(self.A[:, 1:])
        expected = np.zeros(X.shape)
        for k in range(40):
            u, v = np.tensordot(inverse, np.stack([X, Y]) - k * self.A[:, :1, None], axes=1)
            expected += stats.poisson(3.0).pmf(k) * Uniform(0, 1).pdf(u) * stats.norm.pdf(v)
        expected *= abs(np.linalg.det(inverse))
        np.testing.assert_allclose(image.density((x, y)), expected, atol=1e-6 * expected.max())
        assert integral(image, 500) == pytest.approx(1, abs=1e-3)

    @pytest.mark.parametrize("width", [1.0, 1e-2, 1e-4])
    def test_on_a_line(self, width: float) -> None:
        row = Independent([stats.binom(6, 0.3), stats.randint(0, 3), Gaussian(0, width)])
        x = np.linspace(-1, 9, 2001)
        both = np.convolve(stats.binom(6, 0.3).pmf(np.arange(7)), np.full(3, 1 / 3))
        expected = sum(p * stats.norm.pdf(x, k, width) for k, p in enumerate(both))
        found = row.affine([[1.0, 1.0, 1.0]]).density(x)
        np.testing.assert_allclose(found, expected, atol=1e-6 * expected.max())

    @pytest.mark.parametrize(
        "extra", [Uniform(0, 0.01), Gaussian(0, 0.01), stats.gamma(2.0, scale=0.01)]
    )
    def test_small_continuous_parts_are_resolved_at_every_atom(self, extra: Any) -> None:
        row = Independent([stats.poisson(2.0), Uniform(0, 0.01), Uniform(0, 0.01), extra])
        A = np.array([[1.0, 1.0, 0.3, 0.5], [0.5, -0.3, 1.0, -0.8]])
        image = row.affine(A)
        alone = Independent(row.marginals[1:]).affine(A[:, 1:])
        x, y = (m + s * np.linspace(-3, 3, 40) for m, s in zip(alone.mean, alone.std, strict=True))
        for k in range(3):
            found = image.density((x + k * A[0, 0], y + k * A[1, 0]))
            expected = stats.poisson(2.0).pmf(k) * alone.density((x, y))
            np.testing.assert_allclose(found, expected, atol=2e-3 * expected.max())

    def test_many_atoms_go_into_the_series(self) -> None:
        row = Independent([stats.poisson(1e5), Gaussian(0, 30), Gaussian(0, 20)])
        image = row.affine(self.A)
        assert integral(image, 300) == pytest.approx(1, abs=1e-3)
        normal = stats.multivariate_normal(image.mean, image.cov)
        assert image.density(image.mean[:, None])[0, 0] == pytest.approx(
            normal.pdf(image.mean), rel=2e-3
        )

    def test_places_that_coincide_are_merged(self) -> None:
        coin = as_marginal(stats.binom(1, 0.5))
        atoms = atoms_of(np.array([[0.1, 0.1, 0.1]]), [coin] * 3, 100)
        assert atoms is not None
        np.testing.assert_allclose(atoms.places[:, 0], 0.1 * (np.arange(4) - 1.5), atol=1e-9)
        np.testing.assert_allclose(atoms.mass, np.array([1, 3, 3, 1]) / 8)
        assert (
            atoms_of(np.array([[1.0, 1.7, 2.9]]), [as_marginal(stats.poisson(50))] * 3, 99) is None
        )


class TestThirdDirections:
    @pytest.mark.parametrize("width", [1e-1, 1e-2, 1e-3, 1e-5])
    def test_a_thin_uniform(self, width: float) -> None:
        A = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
        image = Independent([Uniform(0, 1), Uniform(0, 1), Uniform(0, width)]).affine(A)
        assert integral(image, 900) == pytest.approx(1, abs=1e-3)
        x = np.linspace(width * 1.01, 1 - 0.01 * width, 64)
        flat = image.density((x, x))
        np.testing.assert_allclose(flat, 1, atol=0.02 if width > 5e-2 else 2e-3)
        outside = np.array([-0.02, 1.02 + width])
        assert np.all(image.density((outside, x)) < 5e-3)

    @pytest.mark.parametrize("angle", [1e-1, 1e-2, 1e-3, 1e-5])
    def test_nearly_parallel_uniforms(self, angle: float) -> None:
        A = np.array([[1.0, 1.0, 0.0], [0.0, angle, 1.0]])
        image = Independent([Uniform(0, 1)] * 3).affine(A)
        assert integral(image, 900) == pytest.approx(1, abs=1e-3)
        # Away from the blurred edge along y the density is the triangle of the two along x.
        x, y = np.linspace(0, 2, 41), np.linspace(angle * 1.1 + 0.02, 0.97, 7)
        expected = np.outer(Triangular(0, 1, 2).pdf(x), np.ones(7))
        np.testing.assert_allclose(image.density((x, y)), expected, atol=0.012)

    def test_a_thin_normal_blurs_the_edge(self) -> None:
        A = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
        std = 0.004
        image = Independent([Uniform(0, 1), Uniform(0, 1), Gaussian(0, std)]).affine(A)
        x = np.linspace(-0.02, 0.02, 41)
        found = image.density((x, [0.5]))[:, 0]
        np.testing.assert_allclose(found, ndtr(x / std), atol=1e-3)


def test_two_directions_make_an_exact_frame() -> None:
    columns = np.array([[1.0, 2.0, 0.3, -0.6], [0.5, 1.0, 1.0, -2.0]])
    frame = best_frame(columns, np.array([1.0, 0.2, 3.0, 1.0]))
    assert frame.coupling == 0
    assert frame.coupled(0.0) == []
    np.testing.assert_allclose(np.linalg.inv(frame.inverse) @ frame.shares, columns, atol=1e-12)


def test_an_orthogonal_frame_for_nearly_parallel_parts() -> None:
    columns = np.array([[1.0, 1e-4, -1e-4, 2e-4], [0.0, 1.0, 1.0, 1.0]])
    frame = best_frame(columns, np.ones(4))
    assert 0 < frame.coupling < 1e-3
