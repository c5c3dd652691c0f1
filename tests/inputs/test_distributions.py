"""Rows that are distributions."""

import numpy as np
import pytest
from scipy import stats

import uapca
from uapca.laws import Normal, NormalMarginal, Samples, Trapezoid, Uniform
from uapca.uncertain import Dense, Diagonal


def refused(rows, kind=ValueError, **options):
    with pytest.raises(kind) as error:
        uapca.from_distributions(rows, **options)
    return str(error.value)


def test_mixed_rows():
    draws = np.random.default_rng(0).standard_normal((50, 2))
    cov = [[2.0, 0.5], [0.5, 1.0]]
    X = uapca.from_distributions(
        [
            stats.multivariate_normal([1.0, 2.0], cov),
            [15, Uniform(10, 12)],
            [stats.gamma(2.0), Trapezoid(10, 11, 13, 15)],
            Samples(draws),
            stats.multivariate_t([0.0, 0.0], np.eye(2), df=4),
            stats.dirichlet([2.0, 3.0]),
        ]
    )
    assert isinstance(X.cov, Dense)
    assert X.laws[0] == Normal([1.0, 2.0], cov)
    np.testing.assert_allclose(X.mean[:3], [[1, 2], [15, 11], [2, 86 / 7]], rtol=1e-14)
    np.testing.assert_allclose(X.cov.dense()[3], np.cov(draws.T, ddof=0), rtol=1e-12)
    np.testing.assert_allclose(X.cov.dense()[4], 2 * np.eye(2), rtol=1e-12)


def test_marginals_alone_have_independent_errors_and_fit_like_their_moments():
    rng = np.random.default_rng(1)
    rows = [
        [Uniform(a, a + 2), NormalMarginal(b, 0.5), c] for a, b, c in rng.standard_normal((8, 3))
    ]
    X = uapca.from_distributions(rows)
    assert isinstance(X.cov, Diagonal)
    plain = uapca.UncertainArray(X.mean, std=X.std)
    a, b = uapca.UAPCA().fit(X), uapca.UAPCA().fit(plain)
    np.testing.assert_array_equal(a.components_, b.components_)
    np.testing.assert_array_equal(a.explained_variance_, b.explained_variance_)


def test_names_from_a_mapping():
    X = uapca.from_distributions({"a": [1, 2], "b": [3, 4]}, features=["x", "y"], weights=[1, 3])
    assert (X.names, X.features, X.weights.tolist()) == (("a", "b"), ("x", "y"), [0.25, 0.75])


def test_one_feature():
    assert uapca.from_distributions([stats.norm(1, 2), 5]).mean.tolist() == [[1.0], [5.0]]


def test_bad_rows_are_named():
    assert refused([[1, 2], [1, stats.cauchy()]]).startswith(
        "row 1: a marginal must have a finite mean and variance; cauchy() has mean nan"
    )
    assert refused({"t": stats.multivariate_t([0.0], [[1.0]], df=2)}).startswith(
        "row 't': a multivariate t law must have more than 2 degrees of freedom"
    )
    assert refused([[1, 2], [1]]) == (
        "rows must have the same number of features; row 0 has 2 and row 1 has 1"
    )
    assert refused([]) == ("rows must hold at least one distribution; got none")
    assert refused([["good"]], TypeError).startswith("row 0: marginals[0] must be a number")


def test_a_single_distribution_is_no_sequence():
    law = Normal([0.0], [[1.0]])
    assert refused(law, TypeError) == (
        "rows must be a sequence of distributions, one for each row; got Normal(mean=[0.0], "
        "cov=[[1.0]])"
    )
