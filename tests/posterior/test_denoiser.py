"""The estimator: identities of the posterior rows, refusals, scikit-learn's contract."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import uapca
from posterior.problems import KINDS, brute_rows, problem
from uapca import Denoiser, UncertainArray
from uapca.posterior.optimizer import climb, start


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_total_covariance_is_the_estimate(kind, missing):
    """K(1) of the rows is Σ̂ and their mean μ̂: one EM step changes nothing."""
    X, _, errors = problem(kind, n=100, missing=missing)
    for tol, close in ((1e-6, 1e-5), (1e-12, 1e-9)):
        model = Denoiser(tol=tol).fit(X)
        assert model.converged_
        mean, total = model.transform(X).pooled()
        scale = np.trace(model.covariance_)
        np.testing.assert_allclose(total, model.covariance_, atol=close * scale)
        np.testing.assert_allclose(mean, model.mean_, atol=close * np.sqrt(scale))
    *_, logs = brute_rows(X, errors, model.mean_, model.covariance_)
    assert model.log_likelihood_ == pytest.approx(logs.sum(), rel=1e-10)
    assert model.score(X) == pytest.approx(logs.mean(), rel=1e-10)
    assert model.history_[-1] == model.log_likelihood_


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_factor_model_is_a_fixed_point(kind, missing):
    """The leading eigenpairs of K(1) are those of Σ̂, the mean of the others is σ̂²."""
    X = problem(kind, n=100, d=6, missing=missing).X
    model = Denoiser(2, tol=1e-9).fit(X)
    rows = model.transform(X)
    pca = uapca.UAPCA().fit(rows)
    np.testing.assert_allclose(pca.explained_variance_[:2], model.explained_variance_, rtol=1e-6)
    np.testing.assert_allclose(pca.components_[:2], model.components_, atol=1e-6)
    rest = pca.explained_variance_[2:].mean()
    assert rest == pytest.approx(model.noise_variance_, abs=1e-6 * model.explained_variance_[0])
    W = model.components_.T * np.sqrt(model.explained_variance_ - model.noise_variance_)
    np.testing.assert_allclose(
        model.covariance_, W @ W.T + model.noise_variance_ * np.eye(6), atol=1e-10
    )


def test_shared_errors_in_closed_form():
    """Ψ^½ (Ψ^−½ C Ψ^−½ − I)₊ Ψ^½; with isotropic errors no component changes."""
    X = problem("shared", n=200, noise=2.0, residual=0.0).X
    Psi = X.cov.average()
    w, V = np.linalg.eigh(Psi)
    root, inverse = (V * np.sqrt(w)) @ V.T, (V / np.sqrt(w)) @ V.T
    C = np.cov(X.mean.T, ddof=0)
    values, vectors = np.linalg.eigh(inverse @ C @ inverse)
    expected = root @ (vectors * np.maximum(values - 1, 0)) @ vectors.T @ root
    model = Denoiser().fit(X)
    np.testing.assert_allclose(model.covariance_, expected, atol=1e-10)
    assert model.n_iter_ == 1
    isotropic = UncertainArray(X.mean, std=0.3)
    np.testing.assert_allclose(
        Denoiser(2).fit(isotropic).components_, uapca.UAPCA(2).fit(X.mean).components_, atol=1e-9
    )


@pytest.mark.parametrize("q", [None, 2])
def test_rows_of_two_error_sizes_have_no_closed_form(q):
    """Many rows with equal errors, but not all: no block of rows stands for the others."""
    X = problem("zero", n=800, d=20).X
    std = np.where(np.arange(800) % 2, 0.3, 2.0)[:, None] * np.ones(20)
    noisy = UncertainArray(X.mean + std * np.random.default_rng(0).normal(size=X.shape), std=std)
    model = Denoiser(q).fit(noisy)
    nearly = std * (1 + 1e-10 * np.random.default_rng(1).random((800, 1)))
    expected = Denoiser(q).fit(UncertainArray(noisy.mean, std=nearly))
    assert model.log_likelihood_ == pytest.approx(expected.log_likelihood_, abs=1e-3)
    np.testing.assert_allclose(model.transform(noisy).std, expected.transform(noisy).std, atol=1e-4)


def test_closed_form_agrees_with_the_climb():
    """Errors that differ by nothing that matters are not recognized as equal."""
    X = problem("features", n=100, residual=0.0).X
    std = np.broadcast_to(X.std, X.shape) * (1 + 1e-13 * np.arange(100)[:, None])
    climbed = Denoiser(tol=1e-9).fit(UncertainArray(X.mean, std=std))
    assert climbed.n_iter_ > 1
    np.testing.assert_allclose(climbed.covariance_, Denoiser().fit(X).covariance_, atol=1e-7)


def test_certain_points_are_probabilistic_pca():
    """Ψ = 0: the covariance, or Tipping and Bishop's solution; rows stay what they are."""
    X = problem("zero", n=50, d=5).X
    full = Denoiser().fit(X)
    np.testing.assert_allclose(full.covariance_, np.cov(X.mean.T, ddof=0), atol=1e-12)
    values = np.linalg.eigvalsh(np.cov(X.mean.T, ddof=0))[::-1]
    model = Denoiser(2).fit(X)
    assert model.noise_variance_ == pytest.approx(values[2:].mean(), rel=1e-10)
    np.testing.assert_allclose(model.explained_variance_, values[:2], rtol=1e-10)
    np.testing.assert_array_equal(model.transform(X).mean, X.mean)
    assert model.transform(X).cov.kind == "zero"


@pytest.mark.parametrize("q", [None, 2])
def test_certain_rows_and_cells_stay(q):
    X = problem(n=80).X
    std = np.array(X.std)
    std[:30] = 0.0
    std[40:, 2] = 0.0
    mixed = UncertainArray(X.mean, std=std)
    rows = Denoiser(q).fit_transform(mixed)
    certain = std == 0
    np.testing.assert_array_equal(rows.mean[certain], X.mean[certain])
    np.testing.assert_array_equal(rows.cov.diagonal()[certain], 0)
    assert (rows.cov.diagonal()[~certain] > 0).all()
    assert np.linalg.eigvalsh(rows.cov.dense()).min() > -1e-12


def test_affine_equivariance():
    """The full model of mapped rows is the mapped model."""
    X = problem("dense", n=80).X
    rng = np.random.default_rng(3)
    A, b = rng.normal(size=(4, 4)), rng.normal(size=4)
    model, mapped = Denoiser(tol=1e-10).fit(X), Denoiser(tol=1e-10).fit(X.affine(A, b))
    scale = np.trace(mapped.covariance_)
    np.testing.assert_allclose(mapped.covariance_, A @ model.covariance_ @ A.T, atol=1e-7 * scale)
    np.testing.assert_allclose(
        mapped.transform(X.affine(A, b)).mean, model.transform(X).mean @ A.T + b, atol=1e-6
    )


def test_offset_and_unit_cost_no_digits():
    X = problem(n=80, missing=0.1).X
    model = Denoiser(2, tol=1e-9).fit(X)
    far = UncertainArray(1e-6 * X.mean + 1e2, std=1e-6 * X.std, missing="keep")
    moved = Denoiser(2, tol=1e-9).fit(far)
    np.testing.assert_allclose(moved.covariance_, 1e-12 * model.covariance_, rtol=1e-5)
    cells = (~X.missing).sum()
    assert moved.log_likelihood_ == pytest.approx(
        model.log_likelihood_ + cells * np.log(1e6), abs=1e-3
    )


@pytest.mark.parametrize("q", [None, 1])
def test_weights_are_repetitions(q):
    X = problem(n=60, missing=0.1).X
    times = np.random.default_rng(0).integers(0, 4, 60)
    weighted = Denoiser(q, tol=1e-10).fit(X.reweighted(times))
    repeated = Denoiser(q, tol=1e-10).fit(X[np.repeat(np.arange(60), times)])
    np.testing.assert_allclose(weighted.covariance_, repeated.covariance_, atol=1e-7)
    by_argument = Denoiser(q, tol=1e-10).fit(
        np.array(X.mean), std=np.nan_to_num(X.std), sample_weight=times
    )
    np.testing.assert_allclose(weighted.covariance_, by_argument.covariance_, atol=1e-12)
    assert len(weighted.transform(X)) == 60


def test_missing_is_infinite_variance():
    """NaN, an infinite std and a huge one are the same; so is a weight of zero for a cell."""
    X = problem(n=80, missing=0.2).X
    values, std = np.nan_to_num(X.mean, nan=5.0), np.nan_to_num(X.std, nan=1.0)
    model = Denoiser(tol=1e-9).fit(X)
    infinite = Denoiser(tol=1e-9).fit(values, std=np.where(X.missing, np.inf, std))
    np.testing.assert_allclose(infinite.covariance_, model.covariance_, atol=1e-12)
    huge = Denoiser(tol=1e-9).fit(values, std=np.where(X.missing, 1e7, std))
    np.testing.assert_allclose(huge.covariance_, model.covariance_, atol=1e-5)
    weights = np.where(X.missing, 0.0, 1 / std**2)
    with np.errstate(divide="ignore"):
        by_weight = Denoiser(tol=1e-9).fit(values, std=1 / np.sqrt(weights))
    np.testing.assert_allclose(by_weight.covariance_, model.covariance_, atol=1e-9)


def test_row_without_observations():
    X = problem(n=60).X
    values = np.array(X.mean)
    values[7] = np.nan
    model = Denoiser().fit(values, std=X.std)
    row = model.transform(values, std=X.std)[7]
    np.testing.assert_allclose(row.mean[0], model.mean_, atol=1e-12)
    np.testing.assert_allclose(row.cov.dense()[0], model.covariance_, atol=1e-12)


def test_what_posterior_rows_carry():
    X = problem(n=60, missing=0.1).X
    named = UncertainArray(
        X.mean,
        std=np.nan_to_num(X.std),
        missing="keep",
        names=[f"r{i}" for i in range(60)],
        features=["a", "b", "c", "d"],
        weights=np.arange(1, 61),
    )
    model = Denoiser(1)
    rows = model.fit_transform(named)
    assert (rows.names, rows.features, rows.source) == (named.names, named.features, "posterior")
    np.testing.assert_array_equal(rows.weights, named.weights)
    assert rows.missing is None
    assert rows.laws is None
    assert rows.cov.kind == "low-rank"
    assert list(model.get_feature_names_out()) == ["a", "b", "c", "d"]
    np.testing.assert_allclose(model.transform(named["r3"]).mean, rows["r3"].mean, atol=1e-12)


def test_golden_values():
    """The climb and EM from another start, written out, against EM in 40 digits."""
    values = np.array([[1.0, 2.0], [2.0, 3.5], [3.0, 3.0], [4.0, 6.0], [5.0, 4.5], [0.0, 1.0]])
    std = np.array([[0.5, 0.1], [0.2, 0.5], [0.5, 0.5], [0.1, 0.3], [0.5, 0.4], [0.2, 0.2]])
    mean, Sigma = np.zeros(2), np.diag([1.0, 1.0])
    for _ in range(250):
        posterior, spread, logs = brute_rows(
            UncertainArray(values), np.array([np.diag(s**2) for s in std]), mean, Sigma
        )
        mean = posterior.mean(axis=0)
        Sigma = (posterior - mean).T @ (posterior - mean) / 6 + spread.mean(axis=0)
    model = Denoiser(tol=1e-11).fit(values, std=std)
    row = model.transform(values, std=std)[0]
    golden_mean = [2.37632371630997576, 3.35474386321999054]
    golden_cov = [[2.47307456776063502, 2.3729681214899807], [2.3729681214899807, 2.62246575859299]]
    golden_row = [1.06640350362260147, 2.00275198365581206]
    golden_spread = [
        [0.142983827002801763, 0.00385867836916425],
        [0.00385867836916425, 0.0098228805716],
    ]
    for found_mean, found_cov, log_likelihood, row_mean, row_cov in (
        (model.mean_, model.covariance_, model.log_likelihood_, row.mean[0], row.cov.dense()[0]),
        (mean, Sigma, logs.sum(), posterior[0], spread[0]),
    ):
        np.testing.assert_allclose(found_mean, golden_mean, rtol=1e-10)
        np.testing.assert_allclose(found_cov, golden_cov, rtol=1e-9)
        np.testing.assert_allclose(log_likelihood, -18.6342766196582437, rtol=1e-13)
        np.testing.assert_allclose(row_mean, golden_row, rtol=1e-10)
        np.testing.assert_allclose(row_cov, golden_spread, rtol=1e-9)


def test_pipeline_is_errors_in_variables_pca():
    """The truth's plane is found where PCA of the values misses it."""
    X, truth, _ = problem(n=300, d=6, residual=0.0, noise=1.5, seed=4)
    pipeline = make_pipeline(Denoiser(2), uapca.UAPCA(2)).fit(X)
    plane = np.linalg.svd(truth - truth.mean(axis=0), full_matrices=False)[2][:2]

    def angle(components):
        return np.degrees(np.arccos(np.linalg.svd(plane @ components.T)[1].clip(0, 1).min()))

    ours, plain = angle(pipeline[-1].components_), angle(uapca.UAPCA(2).fit(X.mean).components_)
    assert ours < 0.7 * plain
    assert pipeline.transform(X).shape == (300, 2)


def test_cross_validation_chooses_the_components():
    X = problem(n=150, d=6, q=2, residual=0.05, noise=0.5).X
    search = GridSearchCV(Denoiser(), {"n_components": [1, 2, 5]}, cv=3).fit(X)
    assert search.best_params_ == {"n_components": 2}
    assert np.isfinite(cross_val_score(Denoiser(2), X, cv=3)).all()


def test_posterior_rows_have_no_score():
    """A density of shrunken rows would favor shrinking: the observations decide, not the rows."""
    X = problem(n=60, d=4).X
    pipeline = make_pipeline(Denoiser(1), uapca.UAPCA(2)).fit(X)
    with pytest.raises(ValueError, match=r"GridSearchCV\(Denoiser\(\), \.\.\.\)"):
        pipeline.score(X)
    assert np.isfinite(pipeline[-1].score_samples(pipeline[0].transform(X))).all()


def test_contract():
    X = problem(n=50).X
    model = Denoiser(2, residual=False, tol=1e-5, max_iter=77)
    assert clone(model).get_params() == {
        "n_components": 2,
        "residual": False,
        "tol": 1e-5,
        "max_iter": 77,
    }
    with pytest.raises(NotFittedError):
        model.transform(X)
    assert model.fit(X) is model
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.transform(X).mean, model.transform(X).mean)
    rows = pickle.loads(pickle.dumps(model.transform(X)))
    assert rows.source == "posterior"


def test_progress():
    """The bar moves forwards, reaches its end, and is past the middle after most passes."""
    X = problem(n=300, d=12, residual=0.0).X
    calls = []
    model = Denoiser().fit(X, progress=lambda done, total: calls.append((done, total)))
    done, total = np.array(calls).T
    assert (total == 100).all()
    assert done[-1] == 100
    assert (np.diff(done) >= 0).all()
    assert 15 < done[len(done) // 2] < 85
    calls.clear()
    rows = model.transform(
        X, parameter_errors=True, progress=lambda done, total: calls.append((done, total))
    )
    assert calls == [(k, 20) for k in range(1, 21)]
    again = model.transform(X, parameter_errors=True)
    np.testing.assert_array_equal(again.std, rows.std)


def test_frames(rng):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=["x", "y", "z"])
    frame.iloc[0, 1] = np.nan
    model = Denoiser().fit(frame, std=0.3)
    assert list(model.feature_names_in_) == ["x", "y", "z"]
    with pytest.raises(ValueError, match="same order"):
        model.transform(UncertainArray(np.ones((2, 3)), std=0.3, features=["y", "x", "z"]))


# Errors of the parameters


def test_parameter_errors_are_directions():
    """Of the mean of certain points: the variance is that of a mean."""
    X = problem("zero", n=200, d=3).X
    errors = Denoiser().fit(X).parameter_errors()
    variance = np.square(errors.mean()).sum(axis=0)
    np.testing.assert_allclose(variance, X.mean.var(axis=0) / 200, rtol=0.6)
    A = np.random.default_rng(0).normal(size=(2, 3))
    np.testing.assert_allclose(errors.mean(A), errors.mean() @ A.T)
    np.testing.assert_allclose(errors.covariance(A), A @ errors.covariance() @ A.T, atol=1e-12)
    diagonal = np.einsum("kdd->kd", errors.covariance())
    expected = 2 * X.mean.var(axis=0) ** 2 / 200  # normal: Var s² = 2σ⁴/N
    np.testing.assert_allclose(np.square(diagonal).sum(axis=0), expected, rtol=0.8)


def test_rows_carry_the_parameter_errors():
    X = problem(n=60).X
    model = Denoiser(1).fit(X)
    record = model.transform(X).parameter_errors
    np.testing.assert_array_equal(record.mean(), model.parameter_errors().mean())
    model.fit(problem(n=80, seed=5).X)  # a later fit changes nothing
    assert not np.array_equal(record.mean(), model.parameter_errors().mean())


SETTINGS = [
    # n_components, N, D, noise, missing
    (None, 50, 5, 1.0, 0.0),
    (None, 100, 8, 1.0, 0.2),
    (None, 300, 8, 1.0, 0.1),
    (2, 50, 8, 1.0, 0.0),
    (2, 100, 8, 2.0, 0.2),
    (2, 60, 20, 0.5, 0.0),
    (2, 300, 10, 1.0, 0.1),
]


@pytest.mark.parametrize(("q", "n", "d", "noise", "missing"), SETTINGS)
def test_intervals_cover(q, n, d, noise, missing):
    """Intervals of 95 % cover 0.94 to 0.965 of the true values, missing ones too."""
    plain, corrected = [], []
    for seed in range(max(8, 1000 // n)):
        X, truth, _ = problem(n=n, d=d, noise=noise, missing=missing, seed=seed)
        model = Denoiser(q).fit(X)
        for rows, hits in (
            (model.transform(X), plain),
            (model.transform(X, parameter_errors=True), corrected),
        ):
            hits.append((np.abs(rows.mean - truth) < 1.959964 * rows.std).mean())
    assert np.mean(plain) < np.mean(corrected)
    assert 0.94 <= np.mean(corrected) <= 0.965


# What it says when it does not apply


def refused(message, *args, **kwargs):
    settings = kwargs.pop("settings", {})
    model = Denoiser(**settings)
    with pytest.raises(ValueError) as error:
        model.fit(*args, **kwargs)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert not [name for name in vars(model) if name.endswith("_")]


def test_refusals_of_data():
    values = np.array(problem(n=40).X.mean)
    blank = values.copy()
    blank[:, 1] = np.nan
    refused("every feature; 1 has none", blank, std=1.0)
    refused("all 160 are missing", np.full_like(values, np.nan), std=1.0)
    refused("at least two rows with observations; got 1", values[:1], std=1.0)
    single = np.full_like(values, np.nan)
    single[0] = 1.0
    refused("at least two rows", single, std=1.0)
    refused("n_components must be given for 6", values[:6], std=1.0)
    apart = values.copy()
    apart[:20, 0], apart[20:, 1] = np.nan, np.nan
    refused("0 and 1 are never observed", apart, std=1.0)
    refused("weights", values, std=1.0, sample_weight=np.zeros(40))
    refused("cov, std and factors must be left out", UncertainArray(values, std=1.0), std=1.0)
    rows = Denoiser().fit_transform(values, std=1.0)
    refused("posterior rows already", rows)
    for method in ("transform", "score"):
        with pytest.raises(ValueError, match="posterior rows already"):
            getattr(Denoiser().fit(values, std=1.0), method)(rows)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_components", 0),
        ("n_components", 5),
        ("n_components", 1.5),
        ("n_components", True),
        ("residual", "no"),
        ("tol", 0.0),
        ("tol", -1.0),
        ("max_iter", 0),
        ("max_iter", 1.5),
        ("max_iter", True),
    ],
)
def test_refusals_of_settings(name, value):
    refused(name, problem(n=40).X, settings={name: value})


def test_infinite_likelihoods_are_refused():
    X = problem(n=40, d=4).X
    std = np.array(X.std)
    std[3, :3] = 0.0
    refused("1 row is certain in the 3 cells 0, 1, 2, and more than 3", X.mean, std=std)
    refused(
        "a plane of dimension 1 can pass through", X.mean, std=std, settings={"n_components": 1}
    )
    refused(
        "residual must be True", X.mean, std=std, settings={"n_components": 2, "residual": False}
    )
    refused("factors without std", X.mean, factors=np.ones((40, 4, 1)))
    # Standard errors of two replicates have one direction for four features.
    labels = np.repeat(np.arange(6), 2)
    means = uapca.from_groups(X.mean[:12], by=labels, spread="sem")
    settings = {"n_components": 2, "residual": False}
    refused("those of row 0 have rank 1 in 4 cells", means, settings=settings)
    refused("pool the variances", means[:3], settings={"n_components": 2})
    same = np.ones((40, 4))
    refused("lie in fewer dimensions", same, settings={"n_components": 2})
    refused("lie in fewer dimensions", same)
    line = np.arange(40.0)[:, None] * np.ones(4)
    refused("lie in fewer dimensions", line, settings={"n_components": 2})
    refused("lie in fewer dimensions", line)
    # What a random plane cannot pass through has a maximum.
    assert Denoiser(1).fit(X.mean).converged_


def test_certain_cells_beside_a_singular_model():
    """New rows whose certain cells lie off the estimated plane: impossible under the model."""
    X = problem(n=60, d=4, q=1, residual=0.0).X
    model = Denoiser(1, residual=False).fit(X)
    std = np.array(X.std)
    std[0, :3] = 0.0
    with pytest.raises(ValueError, match="X must have errors in the cells that are certain"):
        model.transform(X.mean, std=std)
    assert model.score(UncertainArray(X.mean, std=std)) == -np.inf


def test_small_and_degenerate_data_that_works():
    one = Denoiser().fit([[1.0], [2.0], [4.0], [3.0]], std=0.5)
    assert one.covariance_[0, 0] == pytest.approx(1.25 - 0.25)
    same = Denoiser(1).fit(np.ones((10, 3)), std=1.0)
    np.testing.assert_allclose(same.covariance_, 0, atol=1e-12)
    np.testing.assert_allclose(same.transform(np.ones((10, 3)), std=1.0).mean, 1.0)
    different = Denoiser(1).fit(np.ones((10, 3)), std=np.arange(1, 31).reshape(10, 3))
    np.testing.assert_allclose(different.covariance_, 0, atol=1e-6)
    with pytest.raises(ValueError, match="choose few, such as 2"):
        Denoiser().fit(problem(n=8).X)
    insists = Denoiser(4).fit(problem(n=8).X)
    assert insists.n_components_ == 4


def test_says_when_not_converged():
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        model = Denoiser(max_iter=3).fit(problem(n=50).X)
    assert not model.converged_


def test_says_when_the_likelihood_still_rises(monkeypatch):
    """A climb that always ends with all but one component missing: no maximum is claimed."""
    from uapca.posterior import denoiser

    def stuck(data, theta, **settings):
        ended = climb(data, theta, **settings)
        W = ended.parameters.loadings * [1.0, 0.0, 0.0, 0.0]
        return ended._replace(parameters=ended.parameters._replace(loadings=W), converged=True)

    monkeypatch.setattr(denoiser, "climb", stuck)
    with pytest.warns(ConvergenceWarning, match="likelihood still rises.* another n_components"):
        model = Denoiser().fit(problem(n=100, d=4).X)
    assert not model.converged_


@pytest.mark.parametrize("residual", [True, False])
def test_fewer_rows_than_features(residual):
    """The start has as many directions as there are rows; missing cells leave even fewer."""
    X = problem("low-rank", n=6, d=8, q=6, missing=0.6, noise=0.3, seed=1304).X
    model = Denoiser(7, residual=residual).fit(X)
    assert model.converged_
    assert np.isfinite(model.transform(X).mean).all()


def test_says_when_the_errors_are_too_large():
    X = problem(n=200, noise=1.0).X
    with pytest.warns(uapca.ErrorSizeWarning, match="too large"):
        Denoiser().fit(UncertainArray(X.mean, std=5 * X.std))


@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_says_when_units_differ_too_much_for_one_residual(missing):
    X = problem(n=100, missing=missing).X
    mixed = X.affine([1e-3, 1.0, 500.0, 1.0]).replace(features=["feh", "logg", "teff", "age"])
    with pytest.warns(uapca.UnitsWarning, match=r"'teff' is .* times that of 'feh'"):
        Denoiser(1).fit(mixed)
    # The full model has no residual; units of the spread are the remedy; constants have no spread.
    Denoiser().fit(mixed)
    Denoiser(1, residual=False).fit(mixed)
    Denoiser(1).fit(mixed.affine(1 / np.nanstd(mixed.mean, axis=0)))
    Denoiser(1).fit(np.column_stack([X.mean, np.zeros(100)]))


def test_offset_and_one_huge_weight():
    X = problem(n=60, missing=0.1).X
    std = np.nan_to_num(X.std)
    model = Denoiser(2).fit(X)
    far = Denoiser(2).fit(X.mean + 1e8, std=std)
    np.testing.assert_allclose(far.covariance_, model.covariance_, rtol=1e-5, atol=1e-5)
    weights = np.ones(60)
    weights[5] = 1e12
    heavy = Denoiser(1).fit(X.reweighted(weights))
    assert np.isfinite(heavy.covariance_).all()
    np.testing.assert_allclose(
        heavy.transform(X).mean[5][~X.missing[5]], X.mean[5][~X.missing[5]], atol=1e-3
    )


@pytest.mark.parametrize("q", [None, 1])
def test_many_rows_start_from_a_part(q):
    """The start makes no difference to where the climb ends; errors shrink with the rows."""
    X = problem(n=9000, d=3, q=1, residual=0.5).X
    model = Denoiser(q).fit(X)
    assert model.converged_
    _, total = model.transform(X).pooled()
    if q is None:
        np.testing.assert_allclose(total, model.covariance_, atol=1e-5 * np.trace(total))
    few = Denoiser(q).fit(X[:600]).parameter_errors()
    many = model.parameter_errors()
    ratio = np.square(few.mean()).sum() / np.square(many.mean()).sum()
    assert 5 < ratio < 45  # 15 in expectation


def test_many_rows_need_few_passes():
    """Second derivatives from a part of the rows: few passes to the maximum of all of them."""
    X = problem(n=9000, d=6, q=2, residual=0.0).X  # Σ̂ of low rank, where climbs are slow
    model = Denoiser().fit(X)
    assert model.n_iter_ < 20
    data = model._fitted.data
    plain = Denoiser()._climb(data, start(data, 6, False), False, lambda passes: None)
    assert plain.passes > model.n_iter_
    value = data.evaluate(model._fitted.theta).value
    assert 9000 * value > plain.history[-1] - 1e-5


def test_leaves_a_saddle():
    """Where columns of W are zero the gradient vanishes, but a direction still rises."""
    X = problem(n=100, d=4).X
    best = Denoiser().fit(X)
    data = best._fitted.data
    theta = best._fitted.theta
    flat = theta._replace(loadings=theta.loadings * [1.0, 0.0, 0.0, 0.0])
    ended = Denoiser()._climb(data, flat, False, lambda passes: None)
    np.testing.assert_allclose(ended.parameters.covariance(), theta.covariance(), atol=1e-5)


def test_one_feature_with_factors_and_no_other_errors():
    rng = np.random.default_rng(0)
    X = UncertainArray(rng.normal(size=(30, 1)), factors=0.3 * rng.normal(size=(30, 1, 1)))
    same = UncertainArray(X.mean, std=X.std)
    found, wanted = (Denoiser().fit(data).covariance_ for data in (X, same))
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_values_without_errors_are_refused_after_a_fit_with_errors(rng):
    """They would count as certain, and be returned as they are."""
    values = rng.normal(size=(40, 3))
    model = Denoiser(1).fit(values, std=0.5)
    for use in (model.transform, model.score):
        with pytest.raises(ValueError, match="^X must have errors, as the rows of the fit had"):
            use(values)
    exact = model.transform(uapca.UncertainArray(values))
    np.testing.assert_array_equal(exact.mean, values)
    assert model.transform(values, std=0.5).std.min() > 0.0
    blank = np.where(values > 1.0, np.nan, values)
    assert Denoiser(1).fit(blank).transform(blank).missing is None


def test_errors_as_the_second_argument(rng):
    points = rng.standard_normal((30, 3))
    for call in (uapca.Denoiser(1).fit, uapca.Denoiser(1).fit_transform):
        with pytest.raises(TypeError, match=r"^y must be left out; .* pass them as std=\.\.\.$"):
            call(points, np.abs(points))
