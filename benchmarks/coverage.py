"""Stated against measured coverage of `uapca.component_uncertainty`.

``python -m benchmarks.coverage`` prints the table of docs/coverage.md in a few minutes; everything
is seeded. ``--rows TEXT`` keeps the rows whose setting contains a text.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

import uapca
from uapca.laws import Independent, Samples, Uniform, Variable

__all__ = ["LEVELS", "Row", "groups_row", "rows", "truth_row", "values_row"]

Doubles = npt.NDArray[np.float64]
LEVELS = (0.9, 0.95, 0.99)


@dataclass(frozen=True)
class Row:
    """Measured coverage of one setting.

    Attributes
    ----------
    setting : str
    method : str
        Of the figures, or of most of them.
    stated : float
        Share of data sets for which an interval of λ₁ is stated.
    first, second, share : tuple of float
        Coverage of λ₁, λ₂ and the share of λ₁ at 90, 95 and 99 %; NaN where nothing is stated.
    runs : int
        Number of stated intervals of λ₁.
    tilt : float
        Stated tilt of PC1 divided by that of the redraws; NaN where it was not measured.
    """

    setting: str
    method: str
    stated: float
    first: tuple[float, ...]
    second: tuple[float, ...]
    share: tuple[float, ...]
    runs: int
    tilt: float = float("nan")

    def line(self) -> str:
        def cells(found: tuple[float, ...]) -> str:
            return " / ".join("–" if np.isnan(x) else f"{100 * x:.1f}" for x in found)

        error = " / ".join(f"{100 * np.sqrt(p * (1 - p) / max(self.runs, 1)):.1f}" for p in LEVELS)
        tilt = "–" if np.isnan(self.tilt) else f"{self.tilt:.2f}"
        return (
            f"| {self.setting} | {self.method} | {100 * self.stated:.0f} % | {cells(self.first)} | "
            f"{cells(self.second)} | {cells(self.share)} | {error} | {tilt} |"
        )


HEADER = (
    "| setting | method | stated | λ₁ at 90 / 95 / 99 % | λ₂ | share of λ₁ | standard error | "
    "tilt, stated / redrawn |\n|---|---|---|---|---|---|---|---|"
)

# Standardized errors: how to draw them, and the marginal of a value x with standard deviation s.
LAWS: dict[str, tuple[Callable[..., Doubles], Callable[[float, float], object]]] = {
    "normal": (lambda rng, shape: rng.standard_normal(shape), lambda x, s: None),
    "uniform": (
        lambda rng, shape: rng.uniform(-np.sqrt(3), np.sqrt(3), shape),
        lambda x, s: Uniform(x - np.sqrt(3) * s, x + np.sqrt(3) * s),
    ),
    "exponential": (
        lambda rng, shape: rng.exponential(size=shape) - 1.0,
        lambda x, s: Variable(stats.expon(x - s, s)),
    ),
    "t5": (
        lambda rng, shape: rng.standard_t(5, shape) * np.sqrt(0.6),
        lambda x, s: Variable(stats.t(5, x, s * np.sqrt(0.6))),
    ),
    # Nine tenths near −1/3 and one tenth at 3, with the standard deviation 1.
    "mixture": (
        lambda rng, shape: (
            (np.where(rng.random(shape) < 0.9, -1.0, 9.0) / 3.0 + 0.3 * rng.standard_normal(shape))
            / np.sqrt(1.09)
        ),
        lambda x, s: None,
    ),
}


def _means(rng: np.random.Generator, n: int, d: int) -> Doubles:
    """Rows with spreads 1, 0.7, 0.45, 0.3 and 0.2 in all further features."""
    spread = np.full(d, 0.2)
    spread[:4] = [1.0, 0.7, 0.45, 0.3][:d]
    return np.asarray(rng.standard_normal((n, d)) * spread)


def values_row(n: int, d: int, noise: float, law: str = "normal", redraws: int = 4000) -> Row:
    """Rows with known laws: the eigenvalues of the true values."""
    rng = np.random.default_rng([n, d, int(10 * noise)])
    q = min(2, d)
    mean, std = _means(rng, n, d), noise * rng.uniform(0.7, 1.3, (n, d))
    draw, marginal = LAWS[law]
    laws = None
    if law == "mixture":
        laws = [_mixture(m, s) for m, s in zip(mean, std, strict=True)]
    elif law != "normal":
        laws = [
            Independent([marginal(x, s) for x, s in zip(m, e, strict=True)])
            for m, e in zip(mean, std, strict=True)
        ]
    found = uapca.component_uncertainty(uapca.UncertainArray(mean, std=std, laws=laws), q)
    values, totals, square = [], [], 0.0
    size = max(int(2e6 // (n * d)), 1)
    for start in range(0, redraws, size):
        points = mean + std * draw(rng, (min(size, redraws - start), n, d))
        points = (points - points.mean(axis=1, keepdims=True)) / np.sqrt(n)
        turned = points.transpose(0, 2, 1)
        gram = turned @ points if d <= n else points @ turned
        figures, vectors = np.linalg.eigh(gram)
        values.append(figures[:, ::-1][:, :q])
        totals.append(np.square(points).sum(axis=(1, 2)))
        leading = vectors[:, :, -1] if d <= n else (turned @ vectors[:, :, -1:])[..., 0]
        leading = leading / np.linalg.norm(leading, axis=1, keepdims=True)
        cosine = np.abs(leading @ found.components[0]).clip(0.0, 1.0)
        square += float(np.square(np.arccos(cosine)).sum())
    drawn = np.concatenate(values)
    shares = drawn / np.concatenate(totals)[:, None]
    inside = [_inside(found, p, drawn, shares).mean(axis=0) for p in LEVELS]
    tilt = float(found.angle[0]) / np.sqrt(square / redraws) if d > 1 else float("nan")
    return _row(
        f"values, N = {n}, D = {d}, noise {noise:g}, {law}",
        found.method,
        1.0,
        inside,
        q,
        redraws,
        tilt,
    )


def _mixture(mean: Doubles, std: Doubles) -> object:
    """The law of independent mixtures, as a mixture of normals in all combinations (few D)."""
    from itertools import product

    from uapca.laws import Mixture, Normal

    parts, weights = [], []
    for signs in product((0, 1), repeat=len(mean)):
        at = np.where(np.array(signs) == 0, -1.0, 9.0) / 3.0 / np.sqrt(1.09)
        parts.append(Normal(mean + std * at, np.diag(np.square(0.3 * std) / 1.09)))
        weights.append(0.9 ** signs.count(0) * 0.1 ** signs.count(1))
    return Mixture(weights, parts)


def groups_row(
    groups: int, n: int, d: int, law: str = "normal", runs: int = 300, keep: bool = False
) -> Row:
    """Groups of n points: the eigenvalues of the population."""
    rng = np.random.default_rng([groups, n, d])
    q, draw = min(2, d), LAWS[law][0]
    axes = np.linalg.qr(rng.standard_normal((d, d)))[0]
    mean = rng.standard_normal((groups, d)) * np.array([3.0, 1.0, *[0.2] * d])[:d]
    half = axes * np.array([1.0, 0.6, 0.3, *[0.2] * d])[:d]
    centered = mean - mean.mean(axis=0)
    population = np.linalg.eigvalsh(centered.T @ centered / groups + half @ half.T)[::-1]
    share = population / population.sum()
    hits, methods = [], []
    for _ in range(runs):
        points = mean[:, None] + draw(rng, (groups, n, d)) @ half.T
        X = uapca.UncertainArray(
            points.mean(axis=1),
            [np.cov(p.T, ddof=0).reshape(d, d) for p in points],
            counts=[n] * groups,
            laws=[Samples(p) for p in points] if keep else None,
        )
        found = uapca.component_uncertainty(X, q, n_draws=400)
        methods.append(found.method)
        hits.append([_inside(found, p, population[:q], share[:q]) for p in LEVELS])
    inside = np.array(hits, dtype=np.float64)
    stated = ~np.isnan(inside[:, 0, 0])
    points_kept = ", points kept" if keep else ""
    return _row(
        f"{groups} groups of {n}, D = {d}, {law}{points_kept}",
        max(set(methods), key=methods.count),
        float(stated.mean()),
        list(_nanmean(inside)),
        q,
        int(stated.sum()),
    )


def truth_row(n: int, noise: float, runs: int = 100) -> Row:
    """Noisy observations through `Denoiser`: the eigenvalues of the population of truths."""
    rng = np.random.default_rng([n, int(10 * noise)])
    population = np.array([4.0, 1.0, 0.25])
    share = population / population.sum()
    hits, methods = [], []
    for _ in range(runs):
        truth = rng.standard_normal((n, 3)) * np.sqrt(population)
        std = noise * rng.uniform(0.7, 1.3, truth.shape)
        X = uapca.UncertainArray(truth + std * rng.standard_normal(truth.shape), std=std)
        found = uapca.component_uncertainty(uapca.Denoiser().fit(X).transform(X), n_draws=400)
        methods.append(found.method)
        hits.append([_inside(found, p, population[:2], share[:2]) for p in LEVELS])
    inside = np.array(hits, dtype=np.float64)
    stated = ~np.isnan(inside[:, 0, 0])
    return _row(
        f"Denoiser, N = {n}, D = 3, noise {noise:g}",
        max(set(methods), key=methods.count),
        float(stated.mean()),
        list(_nanmean(inside)),
        2,
        int(stated.sum()),
    )


def _inside(
    found: uapca.stability.ComponentUncertainty, p: float, values: Doubles, shares: Doubles
) -> Doubles:
    """Whether eigenvalues and shares are in their intervals; NaN where none is stated."""
    hits = []
    for bounds, figures in (
        (found.eigenvalue_interval(p), values),
        (found.share_interval(p), shares),
    ):
        low, high = bounds.T
        slack = 1e-9 * np.abs(high)
        hit = ((figures >= low - slack) & (figures <= high + slack)).astype(np.float64)
        hits.append(np.where(np.isnan(low), np.nan, hit))
    return np.concatenate(hits, axis=-1)


def _nanmean(inside: Doubles) -> Doubles:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # nothing stated
        return np.asarray(np.nanmean(inside, axis=0))


def _row(
    setting: str,
    method: str,
    stated: float,
    inside: list[Doubles],
    q: int,
    runs: int,
    tilt: float = float("nan"),
) -> Row:
    first = tuple(float(found[0]) for found in inside)
    second = tuple(float(found[1]) if q > 1 else float("nan") for found in inside)
    share = tuple(float(found[q]) if q > 1 else float("nan") for found in inside)
    return Row(setting, method, stated, first, second, share, runs, tilt)


def rows(wanted: str = "") -> Iterator[Row]:
    """All rows of the table whose setting contains a text."""
    cases: list[tuple[str, Callable[[], Row]]] = []

    def add(make: Callable[..., Row], *arguments: object, **options: object) -> None:
        name = f"{make.__name__} {arguments} {options}"
        cases.append((name, lambda: make(*arguments, **options)))

    for n, d in ((10, 1), (10, 5), (10, 50), (10, 300), (100, 5), (100, 50), (500, 20)):
        for noise in (0.1, 0.5, 2.0):
            add(values_row, n, d, noise, redraws=4000 if n * d <= 1000 else 1000)
    add(values_row, 500, 300, 0.1, redraws=300)
    add(values_row, 500, 300, 1.0, redraws=300)
    for law in ("uniform", "exponential", "t5", "mixture"):
        for n, d, noise in ((10, 1, 0.5), (10, 3, 2.0), (100, 3, 0.5), (100, 3, 2.0)):
            add(values_row, n, d, noise, law)
    for groups, n, d in (
        (3, 5, 1),
        (3, 5, 4),
        (3, 20, 4),
        (3, 500, 4),
        (10, 5, 4),
        (10, 50, 10),
        (30, 5, 3),
        (30, 20, 10),
    ):
        add(groups_row, groups, n, d)
    for law in ("uniform", "exponential", "t5"):
        for n in (50, 500):
            add(groups_row, 3, n, 3, law, keep=True)
    for n in (50, 200):
        add(truth_row, n, 0.5)
    for name, make in cases:
        if wanted in name:
            yield make()


if __name__ == "__main__":
    warnings.simplefilter("ignore", uapca.SeparationWarning)
    print(HEADER)
    for row in rows(sys.argv[2] if len(sys.argv) > 2 else ""):
        print(row.line(), flush=True)
