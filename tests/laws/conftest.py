"""One example of every law, for the tests that run on all of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from uapca.laws import (
    Independent,
    KnownMoments,
    Law,
    Marginal,
    Mixture,
    Normal,
    NormalMarginal,
    Point,
    Samples,
    Trapezoid,
    Triangular,
    TwoPieceNormal,
    Uniform,
    Variable,
    as_law,
)


def laws() -> dict[str, Law]:
    """Laws of three dimensions."""
    rng = np.random.default_rng(5)
    root = rng.normal(size=(3, 3))
    normal = Normal([1.0, -2.0, 0.5], root @ root.T)
    mixed = Independent([Uniform(-1, 2), Trapezoid(10, 11, 13, 15), Normal(3, std=0.5)])
    draws = rng.normal(size=(400, 3)) @ root.T
    return {
        "normal": normal,
        "independent": mixed,
        "independent with a point": Independent([7, Triangular(0, 1, 3), Uniform(2, 3)]),
        "independent scipy": Independent(
            [stats.gamma(3.0, scale=0.5), stats.beta(2, 3), stats.norm(1, 2)]
        ),
        "samples": Samples(draws),
        "weighted samples": Samples(draws, rng.uniform(size=400)),
        "two-piece": Independent(
            [TwoPieceNormal(1, 0.5, 2), Uniform(0, 1), TwoPieceNormal(0, 3, 1)]
        ),
        "mixture of normals": Mixture([0.3, 0.7], [normal, Normal([5.0, 0, 0], np.eye(3))]),
        "mixture of kinds": Mixture([1, 2], [mixed, normal]),
        "affine": mixed.affine([[1.0, 1, 0], [0, 2, -1], [0.5, 0, 3]], [1, 2, 3]),
        "moments": KnownMoments([1.0, 2.0, 3.0], np.diag([1.0, 2.0, 3.0])),
        "dirichlet": as_law(stats.dirichlet([2.0, 3.0, 4.0])),
    }


def marginals() -> dict[str, Marginal]:
    """Laws of one number."""
    return {
        "point": Point(15),
        "normal": NormalMarginal(14, 5.7),
        "two-piece normal": TwoPieceNormal(14, 0.3, 0.5),
        "half normal": TwoPieceNormal(1, 0, 2),
        "uniform": Uniform(10, 12),
        "triangular": Triangular(0, 1, 3),
        "ramp": Triangular(0, 3, 3),
        "fairly good": Trapezoid(10, 11, 13, 15),
        "very bad": Trapezoid(0, 0, 2, 6),
        "very good": Trapezoid(14, 18, 20, 20),
        "gamma": Variable(stats.gamma(3.0, scale=2.0)),
        "flipped gamma": Variable(stats.gamma(3.0, scale=2.0), -0.5, 2.0),
        "arcsine": Variable(stats.beta(0.5, 0.5)),
        "poisson": Variable(stats.poisson(3.0)),
    }


@pytest.fixture(params=laws())
def law(request: pytest.FixtureRequest) -> Law:
    return laws()[request.param]


@pytest.fixture
def law_again(request: pytest.FixtureRequest, law: Law) -> Law:
    """The same law, built anew."""
    return laws()[request.node.callspec.params["law"]]


@pytest.fixture(params=marginals())
def marginal(request: pytest.FixtureRequest) -> Marginal:
    return marginals()[request.param]
