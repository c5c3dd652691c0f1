"""Densities of projected rows on a 200 × 200 grid, against one FFT of that grid.

Every call projects the row anew, so that nothing but SciPy's quantile tables is kept.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from benchmarks.harness import Case, Job
from uapca.laws import Independent, Law, Mixture, Normal, Samples, Trapezoid, Uniform

__all__ = ["CASES"]

PROJECTION = np.array([[0.6, -0.5, 0.3, 0.4], [0.2, 0.7, 0.9, -0.3]])
POINTS = 200


def _rows() -> dict[str, Law]:
    rng = np.random.default_rng(0)
    roots = rng.standard_normal((2, 4, 4))
    first, second = (Normal(rng.standard_normal(4), root @ root.T) for root in roots)
    return {
        "independent marginals": Independent(
            [15, Trapezoid(10, 11, 13, 15), Normal(14, std=5.7), Uniform(14, 16)]
        ),
        "independent SciPy marginals": Independent(
            [stats.gamma(2.0), stats.beta(2, 3), stats.norm(0, 1), stats.expon()]
        ),
        "four gamma marginals": Independent([stats.gamma(2.0)] * 4),
        "four beta marginals": Independent([stats.beta(2, 3)] * 4),
        "four exponential marginals": Independent([stats.expon()] * 4),
        "four log-normal marginals": Independent([stats.lognorm(0.5)] * 4),
        "four t marginals": Independent([stats.t(5)] * 4),
        "four heavy t marginals": Independent([stats.t(2.1)] * 4),
        "four Pareto marginals": Independent([stats.pareto(3)] * 4),
        "four skewed log-normal marginals": Independent([stats.lognorm(1.5)] * 4),
        "four marginals with poles": Independent([stats.gamma(0.5)] * 4),
        "four arcsine marginals": Independent([stats.beta(0.5, 0.5)] * 4),
        "four unlike hard marginals": Independent(
            [stats.t(3), stats.expon(), stats.lognorm(1.0), stats.beta(0.5, 0.5)]
        ),
        "an independent count": Independent(
            [stats.poisson(3.0), Uniform(0, 1), Normal(0, std=1), 3]
        ),
        "mixture of two normals": Mixture([0.3, 0.7], [first, second]),
        "1,000 samples": Samples(rng.standard_normal((1000, 4)) @ roots[0].T),
    }


def _density(name: str, limit: float) -> Case:
    def build() -> dict[str, Job]:
        row = _rows()[name]
        law = row.affine(PROJECTION)
        axes = tuple(
            mean + std * np.linspace(-5, 5, POINTS)
            for mean, std in zip(law.mean, law.std, strict=True)
        )
        image = np.random.default_rng(0).standard_normal((POINTS, POINTS))
        return {
            "uapca": lambda: row.affine(PROJECTION).density(axes),
            "numpy fft2": lambda: np.fft.fft2(image),
        }

    return Case(f"density, {name}, {POINTS} × {POINTS}", build, {"numpy fft2": limit}, rounds=31)


CASES = [
    _density("independent marginals", 60.0),
    _density("independent SciPy marginals", 60.0),
    _density("four gamma marginals", 60.0),
    _density("four beta marginals", 60.0),
    _density("four exponential marginals", 60.0),
    _density("four log-normal marginals", 60.0),
    _density("four t marginals", 60.0),
    _density("four heavy t marginals", 60.0),
    _density("four Pareto marginals", 60.0),
    _density("four skewed log-normal marginals", 60.0),
    _density("four marginals with poles", 60.0),
    _density("four arcsine marginals", 60.0),
    _density("four unlike hard marginals", 60.0),
    _density("an independent count", 60.0),
    _density("mixture of two normals", 60.0),
    _density("1,000 samples", 60.0),
]
