"""How many components: rates over replicates, limits, refusals."""

from dataclasses import replace

import numpy as np
import pytest

import uapca
from posterior.problems import problem
from uapca import UncertainArray, component_count
from uapca.posterior.likelihood import Observations, Parameters
from uapca.posterior.optimizer import climb

SETTINGS = {
    "nothing": {"q": 0},
    "independent": {},
    "shared": {"kind": "shared"},
    "dense": {"kind": "dense"},
    "low-rank": {"kind": "low-rank"},
    "missing": {"missing": 0.25},
    "wide": {"n": 30, "d": 40},
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_right_count_in_most_replicates(setting):
    given = {"n": 80, "d": 6, "q": 2, "residual": 0.0, "noise": 0.7} | SETTINGS[setting]
    counts = [component_count(problem(**given, seed=s).X, n_draws=60).count for s in range(10)]
    assert np.mean(np.array(counts) == given["q"]) >= 0.8, counts


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_certain_points(missing):
    """Isotropic noise of unknown size: the largest root test, or σ² in the score test."""
    found = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        values = 2 * rng.normal(size=(80, 2)) @ rng.normal(size=(2, 6))
        values += 0.5 * rng.normal(size=values.shape)
        values[rng.random(values.shape) < missing] = np.nan
        found.append(component_count(UncertainArray(values, missing="keep"), n_draws=60))
    assert np.mean([result.count == 2 for result in found]) >= 0.8
    method = "score test with residual" if missing else "largest root test"
    assert {result.method for result in found} == {method}


def test_score_test_without_errors_is_the_largest_root_test():
    """Errors too small to matter: the statistic is λₖ₊₁ over the mean of the rest."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 4)) * [3, 1, 1, 1]
    values[0, 0] = np.nan
    nearly = component_count(UncertainArray(values, missing="keep")).statistics[1]
    values[0, 0] = 0.0
    roots = np.linalg.eigvalsh(np.cov(values.T, ddof=0))[::-1]
    exact = component_count(values).statistics
    np.testing.assert_allclose(exact, roots[:2] / [roots.mean(), roots[1:].mean()], rtol=1e-10)
    assert nearly == pytest.approx(exact[1], rel=0.02)


def represented(values, std, kind):
    """Rows whose errors have the sizes ``std``, in one of the representations."""
    d = values.shape[1]
    correlation = np.eye(d) + 0.2 * (1 - np.eye(d))
    matrices = std[:, :, None] * correlation * std[:, None, :]
    errors = {
        "diagonal": {"std": std},
        "dense": {"cov": matrices},
        "shared": {"cov": matrices[0]},
        "low-rank": {"std": std, "factors": std[:, :, None]},
    }
    return UncertainArray(values, **errors[kind], missing="keep")


@pytest.mark.parametrize("kind", ["diagonal", "dense", "shared", "low-rank"])
@pytest.mark.parametrize("size", [1e-3, 1e-5, 1e-8, 1e-12, 1e-150])
def test_tiny_errors(kind, size):
    """Features known almost exactly stand out each; the others as they do without them."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(150, 3)) * [2.0, 2.0, 600.0]
    std = np.array([size, size, 1.0]) * np.exp(rng.normal(0, 0.5, truth.shape))
    X = represented(truth + std * rng.normal(size=truth.shape), std, kind)
    assert component_count(X, n_draws=40).count == 3
    truth = rng.normal(size=(150, 2)) @ rng.normal(size=(2, 6))
    std = size * np.exp(rng.normal(0, 0.5, truth.shape))
    X = represented(truth + std * rng.normal(size=truth.shape), std, kind)
    assert component_count(X, n_draws=40).count == 2


def test_tiny_errors_and_empty_cells():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(150, 3)) @ rng.normal(size=(3, 4)) * [2.0, 5.0, 5.0, 500.0]
    std = np.array([1e-8, 1.0, 1.0, 80.0]) * np.exp(rng.normal(0, 0.5, truth.shape))
    values = truth + std * rng.normal(size=truth.shape)
    values[rng.random(values.shape) < 0.15] = np.nan
    for kind in ("diagonal", "dense"):
        assert component_count(represented(values, std, kind), n_draws=40).count == 3


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("kind", ["diagonal", "dense", "shared", "low-rank"])
def test_units_do_not_matter(kind, missing):
    """x → D x leaves A⁻¹R its eigenvalues."""
    rng = np.random.default_rng(1)
    truth = rng.normal(size=(100, 2)) @ rng.normal(size=(2, 5))
    std = rng.uniform(0.2, 1.0, truth.shape)
    values = truth + std * rng.normal(size=truth.shape)
    values[rng.random(values.shape) < missing] = np.nan
    X = represented(values, std, kind)
    mixed = X.affine([1e-9, 3.6e6, 1.0, 1 / 7, 5e4], [2e-8, 0.0, 30.0, -1.0, 1e5])
    one, other = component_count(X, n_draws=40), component_count(mixed, n_draws=40)
    for name in ("statistics", "thresholds", "null"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-5)


def test_errors_that_leave_no_numbers_are_refused():
    """Where nothing else makes it regular, Σ + Ψ is the rounding of Ψ."""
    X = UncertainArray(np.random.default_rng(0).normal(size=(20, 2)), cov=np.ones((2, 2)))
    with pytest.raises(ValueError, match="the errors are lost in rounding"):
        climb(
            Observations(X), Parameters(np.zeros(2), np.zeros((2, 0)), 0.0),
            residual=False, tol=1e-5, max_iter=10,
        )  # fmt: skip
    with pytest.raises(ValueError, match="X must have errors of full rank"):
        component_count(X)


def test_what_the_result_says():
    X = problem(n=80, d=5, residual=0.0, noise=0.5).X
    result = component_count(X)
    assert result.count == 2
    assert result.statistics.shape == result.thresholds.shape == (3,)
    assert result.null.shape == (3, 200)
    assert result.verdict.startswith(
        "2 components stand out from the given errors (score test); PC3"
    )
    assert str(result) == result.verdict
    again = component_count(X)
    np.testing.assert_array_equal(result.thresholds, again.thresholds)
    exceeded = np.mean(result.null > result.thresholds[:, None], axis=1)
    np.testing.assert_array_less(exceeded, 0.05 + 1e-9)


def test_all_components_may_stand_out():
    X = problem(n=200, d=3, q=3, residual=0.0, noise=0.1).X
    result = component_count(X)
    assert result.count == 3
    assert len(result.statistics) == 3
    assert result.verdict == "3 components stand out from the given errors (score test)."


def test_weights_and_one_feature():
    X = problem(n=60, d=1, q=1, residual=0.0, noise=0.2).X
    assert component_count(X).count == 1
    weights = np.r_[np.ones(40), np.zeros(20)]
    np.testing.assert_array_equal(
        component_count(X.reweighted(weights)).statistics, component_count(X[:40]).statistics
    )


def test_refusals():
    values = problem(n=30).X.mean
    with pytest.raises(ValueError, match=r"level must be between 0 and 1; got 1"):
        component_count(values, level=1)
    with pytest.raises(ValueError, match="n_draws must be an integer of at least 20; got 3"):
        component_count(values, n_draws=3)
    with pytest.raises(ValueError, match="at least three rows"):
        component_count(values[:2])
    with pytest.raises(ValueError, match="all are the same"):
        component_count(np.ones((10, 3)))
    blank = np.array(values)
    blank[:, 2] = np.nan
    with pytest.raises(ValueError, match="every feature; 2 has none"):
        component_count(blank)
    rows = uapca.Denoiser().fit_transform(values, std=0.5)
    with pytest.raises(ValueError, match="posterior rows already"):
        component_count(rows)
    means = uapca.from_groups(values, by=np.repeat(np.arange(15), 2), spread="sem")
    with pytest.raises(ValueError, match="fewer replicates than features"):
        component_count(means)


def test_pca_takes_the_count():
    X = problem(n=80, d=5, residual=0.0, noise=0.5).X
    assert uapca.UAPCA("auto").fit(X).n_components_ == component_count(X).count == 2


def test_auto_after_a_denoiser_says_where_to_count():
    values = np.random.default_rng(0).normal(size=(40, 3))
    rows = uapca.Denoiser().fit_transform(uapca.UncertainArray(values, std=0.5))
    with pytest.raises(ValueError, match="before the Denoiser"):
        uapca.UAPCA("auto").fit(rows)


def test_a_close_call_is_told_to_as_many_digits_as_it_takes():
    X = uapca.UncertainArray(np.random.default_rng(0).normal(size=(30, 4)), std=1.0)
    result = uapca.component_count(X)
    result = replace(result, statistics=np.array([10.2181]), thresholds=np.array([10.2193]))
    assert "10.218 times the variance" in result.verdict
    assert "chance reaches 10.219" in result.verdict
