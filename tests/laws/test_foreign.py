"""What users hold, as laws; and laws as plain data."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

import uapca.laws
from uapca.laws import (
    Independent,
    KnownMoments,
    Law,
    Normal,
    Point,
    Samples,
    Trapezoid,
    Triangular,
    Uniform,
    Variable,
    as_law,
    as_marginal,
    law_from_dict,
    law_to_dict,
)

COV = np.array([[2.0, 0.5], [0.5, 1.0]])


class Attributes:
    mean = np.array([1.0, 2.0])
    cov = COV


class Methods:
    def mean(self) -> list[float]:
        return [1.0, 2.0]

    def cov(self) -> np.ndarray:
        return COV

    def sample(self, n: int, seed: int | None = None) -> np.ndarray:
        return np.random.default_rng(seed).multivariate_normal([1.0, 2.0], COV, size=n)


def test_own_laws_pass_through() -> None:
    law = Normal([0.0], [[1.0]])
    assert as_law(law) is law


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (3, [Point(3)]),
        (np.float64(3), [Point(3)]),
        (Uniform(1, 2), [Uniform(1, 2)]),
        (np.array([1.0, 2.0]), [Point(1), Point(2)]),
        ([1, Uniform(0, 1)], [Point(1), Uniform(0, 1)]),
        (stats.norm(1, 2), [Normal(1, std=2)]),
        (stats.uniform(loc=10, scale=2), [Uniform(10, 12)]),
        (stats.triang(0.25, 1, 4), [Triangular(1, 2, 5)]),
        (stats.trapezoid(0.25, 0.5, scale=4), [Trapezoid(0, 1, 2, 4)]),
        (stats.gamma(2.0), [Variable(stats.gamma(a=2.0))]),
        ([stats.poisson(3)], [Variable(stats.poisson(mu=3))]),
    ],
)
def test_marginals(obj: object, expected: list[object]) -> None:
    assert as_law(obj) == Independent(expected)


@pytest.mark.skipif(not hasattr(stats, "Normal"), reason="SciPy without its new interface")
def test_new_style_random_variables() -> None:
    assert as_law(stats.Normal(mu=1.0, sigma=2.0)) == Independent([Normal(1, std=2)])
    assert as_law(stats.Uniform(a=1.0, b=2.0)) == Independent([Uniform(1, 2)])
    gamma = stats.make_distribution(stats.gamma)
    law = as_law([gamma(a=2.0), 2 * gamma(a=3.0) + 1])
    np.testing.assert_allclose(law.mean, [2.0, 7.0], rtol=1e-9)
    np.testing.assert_allclose(law.std**2, [2.0, 12.0], rtol=1e-6)
    x = np.linspace(0.1, 20, 50)
    image = law.affine([[0.0, 1.0]])
    np.testing.assert_allclose(image.density(x + 1), stats.gamma(3.0, scale=2).pdf(x), rtol=1e-8)
    np.testing.assert_array_equal(law.sample(4, 1), law.sample(4, 1))
    with pytest.raises(TypeError, match="a frozen distribution of"):
        law_to_dict(law)


@pytest.mark.parametrize(
    ("obj", "mean", "cov"),
    [
        (stats.multivariate_normal([1.0, 2.0], COV), [1, 2], COV),
        (stats.multivariate_t([1.0, 2.0], COV, df=5), [1, 2], COV * 5 / 3),
        (stats.dirichlet([1.0, 3.0]), [0.25, 0.75], np.array([[3, -3], [-3, 3]]) / 80),
        (
            stats.multivariate_hypergeom([3, 4], 2),
            [6 / 7, 8 / 7],
            np.array([[1, -1], [-1, 1]]) * 2 * 12 / 49 * 5 / 6,
        ),
        (Attributes(), [1, 2], COV),
        (Methods(), [1, 2], COV),
    ],
    ids=lambda obj: type(obj).__name__,
)
def test_anything_with_moments(obj: object, mean: list[float], cov: np.ndarray) -> None:
    law = as_law(obj, dim=2)
    np.testing.assert_allclose(law.mean, mean, rtol=1e-12)
    np.testing.assert_allclose(law.cov, cov, rtol=1e-12)
    draws = law.sample(40_000, 0)
    np.testing.assert_allclose(draws.mean(axis=0), law.mean, atol=5 * law.std.max() / 200)
    np.testing.assert_array_equal(draws, law.sample(40_000, 0))


def test_uadapy() -> None:
    uadapy = pytest.importorskip("uadapy")
    normal = uadapy.Distribution(stats.multivariate_normal([1.0, 2.0], COV), n_dims=2)
    assert as_law(normal) == Normal([1.0, 2.0], COV)
    points = np.random.default_rng(0).normal(size=(50, 2))
    law = as_law(uadapy.Distribution(points, n_dims=2))
    np.testing.assert_allclose(law.cov, np.cov(points.T))
    assert law.sample(10, 0).shape == (10, 2)
    student = as_law(uadapy.Distribution(stats.multivariate_t([0.0, 0.0], COV, df=4), n_dims=2))
    np.testing.assert_allclose(student.cov, 2 * COV)


def test_a_law_says_how_it_is_drawn() -> None:
    assert as_law(Attributes()).describe() == (
        "Attributes of 2 dimensions known by mean and covariance, drawn as normal"
    )
    assert as_law(stats.dirichlet([1.0, 3.0])).describe() == (
        "dirichlet of 2 dimensions known by mean and covariance, "
        "density by a Gaussian kernel on 20000 draws"
    )


def test_infinite_moments_are_refused() -> None:
    with pytest.raises(ValueError, match="more than 2 degrees") as error:
        as_law(stats.multivariate_t([0.0, 0.0], COV, df=2))
    assert str(error.value) == (
        "a multivariate t law must have more than 2 degrees of freedom; df=2 has an infinite "
        "covariance"
    )
    with pytest.raises(ValueError, match="finite mean and variance") as error:
        as_law([1, stats.cauchy()])
    assert str(error.value) == (
        "a marginal must have a finite mean and variance; cauchy() has mean nan and variance nan, "
        "truncate it or pass samples"
    )


@pytest.mark.parametrize(
    ("obj", "message"),
    [
        ("good", "a marginal must be a number, a marginal law or a SciPy random variable"),
        (["good"], r"marginals\[0\] must be a number"),
        (np.zeros((3, 2)), r"a law must be one uncertain row; got an array of shape \(3, 2\)"),
        (np.random.default_rng(0), "must be a number"),
        (None, "must be a number"),
    ],
)
def test_what_is_no_law(obj: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        as_law(obj)


def test_dimension_is_checked() -> None:
    with pytest.raises(ValueError, match="have 3 dimensions; normal in 2 dimensions has 2"):
        as_law(Normal([0.0, 0.0], COV), dim=3)


def test_as_marginal() -> None:
    assert as_marginal(stats.norm()) == Normal(0, std=1)
    assert as_marginal(np.array(3.0)) == Point(3)


@pytest.mark.parametrize(
    "law",
    [
        Independent([0.1, Normal(1, std=0.3), Trapezoid(0, 0.1, 0.2, 0.7)]),
        Independent([stats.gamma(2.0, scale=3), stats.poisson(2.5)]).affine([-1.0, 2.0]),
        Samples(np.random.default_rng(0).normal(size=(20, 2)), np.arange(20)).affine([[1.0, 0.3]]),
        KnownMoments([1 / 3], [[0.1]], name="mine"),
    ],
)
def test_stored_laws_come_back_to_the_last_bit(law: Law) -> None:
    assert law_from_dict(json.loads(json.dumps(law_to_dict(law)))) == law


def test_laws_stored_by_earlier_versions_come_back() -> None:
    marginals = [{"kind": "point", "values": [15.0]}, {"kind": "gaussian", "values": [14.0, 5.7]}]
    inner = {"kind": "independent", "marginals": marginals}
    law = Independent([15, Normal(14, std=5.7)])
    assert law_from_dict(inner) == law
    image = {"kind": "affine", "law": inner, "A": [[1.0, 1.0], [0.0, 2.0]], "b": [0.0, 1.0]}
    np.testing.assert_allclose(law_from_dict(image).mean, [29.0, 29.0])
    moments = {"kind": "moments", "mean": [1.0, 2.0], "cov": COV.tolist(), "name": "mine"}
    image = {"kind": "affine", "law": moments, "A": [[1.0, 1.0]], "b": [0.0]}
    np.testing.assert_allclose(law_from_dict(image).cov, [[4.0]])
    with pytest.raises(ValueError, match="a marginal's kind must be scipy or one of"):
        law_from_dict({"kind": "independent", "marginals": [{"kind": "cube", "values": []}]})


def test_stored_names_reach_distributions_only() -> None:
    marginal = {"kind": "scipy", "name": "kstest", "parameters": {}, "values": [1.0, 0.0]}
    with pytest.raises(ValueError, match="got 'kstest'"):
        law_from_dict({"kind": "independent", "marginals": [marginal]})
    with pytest.raises(ValueError, match="got 'cube'"):
        law_from_dict({"kind": "cube"})


@pytest.mark.parametrize(
    ("mean", "cov", "message"),
    [
        ([0.0, 0.0], [[1.0]], r"cov must have shape \(2, 2\)"),
        (
            [0.0, 0.0],
            [[1.0, 0.5], [0.2, 1.0]],
            "cov must be symmetric; it differs from",
        ),
        ([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]], "positive semi-definite; it has the eigenvalue -1"),
        ([0.0, np.nan], COV, "mean must be finite; got NaN at entry 1"),
        ([[0.0, 1.0]], COV, "mean must be one-dimensional"),
    ],
)
def test_bad_moments(mean: object, cov: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Normal(mean, cov)


def test_scipy_stats_is_imported_only_when_used() -> None:
    """Whatever scikit-learn loads by itself, no module of the layer asks for it on import."""
    folder = Path(uapca.laws.__file__).parent
    for path in folder.glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = [alias.name for alias in getattr(node, "names", [])]
            module = getattr(node, "module", None) or ""
            assert not module.startswith("scipy.stats"), path.name
            assert "scipy.stats" not in names, path.name
            assert not (module == "scipy" and "stats" in names), path.name


def test_quantiles_where_root_finding_fails_near_one() -> None:
    law = as_marginal(stats.norminvgauss(1.25, 0.5))
    for moved in (law, law.affine(-2.0, 1.0)):
        q = np.array([[1e-6, 0.25], [0.75, 1 - 1e-6]])
        for p, x in zip(q.ravel(), moved.ppf(q).ravel(), strict=True):
            sides = [quad(moved.pdf, -np.inf, x)[0], quad(moved.pdf, x, np.inf)[0]]
            np.testing.assert_allclose(sides, [p, 1 - p], atol=1e-7)
    assert law.quantiles[1][-1] > 20


def test_equal_discrete_laws_are_equal_wherever_they_come_from():
    first, second = (stats.rv_discrete(values=([1, 2, 3], [0.2, 0.3, 0.5]))() for _ in range(2))
    other = stats.rv_discrete(values=([1, 2, 3], [0.3, 0.2, 0.5]))()
    assert Variable(first) == Variable(second)
    assert Variable(first) != Variable(other)
