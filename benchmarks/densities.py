"""Densities of projected rows on a 200 × 200 grid, against one FFT of that grid.

Every call projects the row anew, so that nothing but SciPy's quantile tables is kept.

``python -m benchmarks.densities [NAME…]`` compares regions with draws for the continuous laws of
SciPy that have a finite variance: one, two and three parts on a line, two and three in the plane.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from benchmarks.harness import Case, Job
from uapca.laws import Independent, Law, Mixture, Normal, Samples, Trapezoid, Uniform

__all__ = ["CASES", "SHAPES", "SLOW", "Region", "regions"]

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


# Regions against draws

# Usual shape parameters of SciPy's continuous laws with a finite variance; several where a law has
# poles, heavy tails or neither.
SHAPES: dict[str, list[tuple[float, ...]]] = {
    "anglit": [()],
    "arcsine": [()],
    "argus": [(1.0,)],
    "beta": [(2.31, 0.627), (0.5, 0.5), (0.3, 0.3), (0.1, 0.1)],
    "betaprime": [(5, 6)],
    "bradford": [(0.299,)],
    "burr": [(10.5, 4.3)],
    "burr12": [(10, 4)],
    "chi": [(78,)],
    "chi2": [(3,), (55,)],
    "cosine": [()],
    "crystalball": [(2.0, 4.5)],
    "dgamma": [(1.1,)],
    "dpareto_lognorm": [(3, 1.2, 3.5, 2)],
    "dweibull": [(2.07,)],
    "erlang": [(10,)],
    "expon": [()],
    "exponnorm": [(1.5,)],
    "exponpow": [(2.7,)],
    "exponweib": [(2.89, 1.95)],
    "f": [(29, 18)],
    "fatiguelife": [(0.5,), (29,)],
    "fisk": [(3.09,)],
    "foldnorm": [(1.95,)],
    "gamma": [(1.99,), (0.7,), (0.3,), (0.1,)],
    "gausshyper": [(13.8, 3.12, 2.51, 5.18)],
    "genexpon": [(9.13, 16.2, 3.28)],
    "genextreme": [(-0.1,)],
    "gengamma": [(4.42, 3.12), (4.42, -3.12)],
    "genhalflogistic": [(0.773,)],
    "genhyperbolic": [(0.5, 1.5, -0.5)],
    "geninvgauss": [(2.3, 1.5)],
    "genlogistic": [(0.412,)],
    "gennorm": [(1.3,)],
    "genpareto": [(0.1,), (0.3,)],
    "gibrat": [()],
    "gompertz": [(0.947,)],
    "gumbel_l": [()],
    "gumbel_r": [()],
    "halfgennorm": [(0.675,)],
    "halflogistic": [()],
    "halfnorm": [()],
    "hypsecant": [()],
    "invgamma": [(4.07,)],
    "invgauss": [(0.145,)],
    "invweibull": [(10.6,)],
    "irwinhall": [(10,)],
    "jf_skew_t": [(8, 4)],
    "johnsonsb": [(4.32, 3.18), (0.5, 0.5)],
    "johnsonsu": [(2.55, 2.25)],
    "kappa3": [(3.0,)],
    "kappa4": [(0.0, 0.0), (0.0, 0.1), (0.1, 0.0)],
    "ksone": [(20,)],
    "kstwo": [(10,)],
    "kstwobign": [()],
    "laplace": [()],
    "laplace_asymmetric": [(2,)],
    "levy_stable": [(2.0, 0.0)],
    "loggamma": [(0.414,)],
    "logistic": [()],
    "loglaplace": [(3.25,)],
    "lognorm": [(0.5,), (0.954,), (1.5,), (2.0,)],
    "loguniform": [(0.01, 1.25)],
    "lomax": [(3.1,), (2.2,)],
    "maxwell": [()],
    "mielke": [(10.4, 4.6)],
    "moyal": [()],
    "nakagami": [(4.97,)],
    "ncf": [(27, 27, 0.416)],
    "nct": [(14, 0.24)],
    "ncx2": [(21, 1.06)],
    "norm": [()],
    "norminvgauss": [(1.25, 0.5)],
    "pareto": [(3.1,), (2.62,), (2.1,)],
    "pearson3": [(0.1,), (-2,)],
    "powerlaw": [(1.66,), (0.659,)],
    "powerlognorm": [(2.14, 0.446)],
    "powernorm": [(4.45,)],
    "rayleigh": [()],
    "rdist": [(1.6,)],
    "recipinvgauss": [(0.63,)],
    "rel_breitwigner": [(36.5,)],
    "rice": [(0.775,)],
    "semicircular": [()],
    "skewnorm": [(4,)],
    "studentized_range": [(3.0, 10.0)],
    "t": [(2.74,), (2.1,)],
    "trapezoid": [(0.2, 0.8)],
    "triang": [(0.158,)],
    "truncexpon": [(4.69,)],
    "truncnorm": [(-1.1, 2.73), (0.1, 2)],
    "truncpareto": [(1.8, 5.3), (-2, 5)],
    "truncweibull_min": [(2.5, 0.25, 1.75)],
    "tukeylambda": [(3.13,)],
    "uniform": [()],
    "vonmises": [(3.99,)],
    "vonmises_line": [(3.99,)],
    "wald": [()],
    "weibull_max": [(2.87,)],
    "weibull_min": [(1.79,), (0.5,), (0.3,)],
    "wrapcauchy": [(0.0311,)],
}
# Laws whose quantiles or draws take SciPy a second or more.
SLOW = {
    "argus",
    "dpareto_lognorm",
    "exponpow",
    "exponweib",
    "gausshyper",
    "genhyperbolic",
    "geninvgauss",
    "halfgennorm",
    "irwinhall",
    "ksone",
    "kstwo",
    "levy_stable",
    "norminvgauss",
    "recipinvgauss",
    "studentized_range",
    "vonmises",
    "vonmises_line",
}
PROBS = np.array([0.05, 0.25, 0.5, 0.75, 0.95, 0.99])
PARTS = ((1, 1), (1, 2), (1, 3), (2, 2), (2, 3))


class Region(NamedTuple):
    """What the regions of a projected law hold of its draws.

    Attributes
    ----------
    dim, parts : int
        Dimensions of the projection, and number of independent parts.
    error : float
        The largest difference between the share of draws and the probability of a region, in
        excess of three standard errors of the share.
    """

    dim: int
    parts: int
    error: float


def regions(variable: Any, count: int, cases: Any = PARTS, seed: int = 1) -> Iterator[Region]:
    """Regions of sums of independent copies of a SciPy variable, compared with `count` draws."""
    rng = np.random.default_rng(seed)
    draws = Independent([variable] * max(parts for _, parts in cases)).sample(count, rng)
    for dim, parts in cases:
        A = PROJECTION[:dim, :parts]
        lattice = Independent([variable] * parts).affine(A).lattice()
        coverage = lattice.coverage_at(draws[:, :parts] @ A.T)
        held: npt.NDArray[np.float64] = np.array([(coverage <= p).mean() for p in PROBS])
        chance = 3 * np.sqrt(PROBS * (1 - PROBS) / count)
        error = float(np.maximum(np.abs(held - PROBS) - chance, 0.0).max())
        yield Region(dim, parts, error)


def main(names: list[str]) -> None:
    for name in names or SHAPES:
        for shapes in SHAPES[name]:
            for found in regions(getattr(stats, name)(*shapes), 1_000_000):
                verdict = "" if found.error <= 2e-3 else "off"
                where = f"{name}{shapes} {found.parts} parts in {found.dim} D"
                print(f"{where:<48} {found.error:.4f} {verdict}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
