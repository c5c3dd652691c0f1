"""Densities of projected rows on a 200 × 200 grid, against one FFT of that grid."""

from __future__ import annotations

import numpy as np
from scipy import stats

from benchmarks.harness import Case, Job
from uapca.laws import Gaussian, Independent, Law, Mixture, Normal, Samples, Trapezoid, Uniform

__all__ = ["CASES"]

PROJECTION = np.array([[0.6, -0.5, 0.3, 0.4], [0.2, 0.7, 0.9, -0.3]])
POINTS = 200


def _rows() -> dict[str, Law]:
    rng = np.random.default_rng(0)
    roots = rng.standard_normal((2, 4, 4))
    first, second = (Normal(rng.standard_normal(4), root @ root.T) for root in roots)
    return {
        "independent marginals": Independent(
            [15, Trapezoid(10, 11, 13, 15), Gaussian(14, 5.7), Uniform(14, 16)]
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
        "an independent count": Independent([stats.poisson(3.0), Uniform(0, 1), Gaussian(0, 1), 3]),
        "mixture of two normals": Mixture([0.3, 0.7], [first, second]),
        "1,000 samples": Samples(rng.standard_normal((1000, 4)) @ roots[0].T),
    }


def _density(name: str, limit: float | None) -> Case:
    def build() -> dict[str, Job]:
        law = _rows()[name].affine(PROJECTION)
        axes = tuple(
            mean + std * np.linspace(-5, 5, POINTS)
            for mean, std in zip(law.mean, law.std, strict=True)
        )
        image = np.random.default_rng(0).standard_normal((POINTS, POINTS))
        return {
            "uapca": lambda: law.density(axes),
            "numpy fft2": lambda: np.fft.fft2(image),
        }

    limits = {} if limit is None else {"numpy fft2": limit}
    return Case(f"density, {name}, {POINTS} × {POINTS}", build, limits, rounds=31)


CASES = [
    _density("independent marginals", 50.0),
    _density("independent SciPy marginals", 50.0),
    _density("four gamma marginals", 50.0),
    _density("four beta marginals", 50.0),
    _density("four exponential marginals", 50.0),
    _density("four log-normal marginals", 50.0),
    _density("four t marginals", 50.0),
    _density("four heavy t marginals", 50.0),
    _density("four Pareto marginals", None),
    _density("four skewed log-normal marginals", None),
    _density("four marginals with poles", 50.0),
    _density("four arcsine marginals", 50.0),
    _density("four unlike hard marginals", None),
    _density("an independent count", 50.0),
    _density("mixture of two normals", None),
    _density("1,000 samples", None),
]
