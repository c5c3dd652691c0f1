"""What is said about certainty: three questions, verdicts, coverage by redraws."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.pipeline import make_pipeline

import uapca
from uapca.laws import Independent, Samples, Variable
from uapca.stability import ellipse_factor
from uapca.stability.closed_form import expand
from uapca.stability.confidence import pushed
from uapca.stability.redraw import redraw_of

pytestmark = pytest.mark.filterwarnings("ignore::uapca.SeparationWarning")


def one_axis(d, n=20):
    mean = np.zeros((n, d))
    mean[:, 0] = np.linspace(-5, 5, n)
    return uapca.UncertainArray(mean, std=1.0)


def coverage(bounds, values):
    return ((values >= bounds[:, 0]) & (values <= bounds[:, 1])).mean(axis=0)


# The data as it could have been


@pytest.mark.parametrize("d", [5, 20, 100, 200])
def test_many_features_are_covered(d):
    """Without the second-order shift the interval covers 0.87 at D = 20 and nothing at D = 200."""
    X = one_axis(d)
    found = uapca.component_uncertainty(X, 1)
    drawn = uapca.simulate(X, 1000, 1, rng=5, scores=False)
    for p in (0.9, 0.95, 0.99):
        assert_allclose(coverage(found.eigenvalue_interval(p), drawn.eigenvalues), p, atol=0.03)
    tilt = np.sqrt(np.square(drawn.angles()).mean(axis=0))
    assert_allclose(found.angle, tilt, rtol=0.05)
    assert found.method == ("closed form" if d == 5 else "simulation")


def test_students_have_no_impossible_numbers():
    X = uapca.datasets.load_students()
    for method in ("auto", "closed form"):
        found = uapca.component_uncertainty(X, 4, method=method)
        assert (found.std <= 1.0).all()
        assert (np.degrees(found.angle) < 66).all()  # of a random axis in four dimensions
        assert_allclose(found.components, uapca.UAPCA(4).fit(X).components_, atol=1e-12)
        assert_allclose(found.eigenvalues, uapca.UAPCA(4).fit(X).explained_variance_)
    found = uapca.component_uncertainty(X)
    assert (found.method, found.of) == ("simulation", "values")
    drawn = uapca.simulate(X, 40_000, 2, rng=9, scores=False)
    error = np.sqrt(np.square(drawn.components - found.components).mean(axis=0))
    assert_allclose(found.std, error, rtol=0.1)
    shares = drawn.eigenvalues / drawn.totals[:, None]
    assert_allclose(coverage(found.share_interval(), shares), 0.95, atol=0.015)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("noise", [0.2, 1.0])
def test_the_figures_belong_to_the_fit(seed, noise):
    rng = np.random.default_rng(seed)
    mean = rng.normal(size=(8, 3)) * [3, 2, 1]
    X = uapca.UncertainArray(mean, std=noise * rng.uniform(0.1, 2, mean.shape))
    fit = uapca.UAPCA(2, scale=0.7).fit(X)
    found = uapca.component_uncertainty(X, scale=0.7)
    assert_allclose(found.components, fit.components_, atol=1e-12)
    assert_allclose(found.eigenvalues, fit.explained_variance_, rtol=1e-12)
    drawn = uapca.simulate(X.scaled(0.7), 4000, rng=2, scores=False)
    error = np.sqrt(np.square(drawn.components - fit.components_).mean(axis=0))
    assert_allclose(found.std, error, rtol=0.15, atol=1e-3)


def test_a_redraw_of_three_values_has_rank_two():
    X = uapca.UncertainArray(np.diag([3.0, 2.0, 1.0]) @ np.eye(3, 4), std=0.3)
    found = uapca.component_uncertainty(X, 4)
    assert found.method == "simulation"
    assert_array_equal(found.eigenvalue_interval()[2:], 0.0)
    assert_array_equal(found.eigenvalue_std[2:], 0.0)
    assert found.verdict[-1] == "redraws have other variances on average: PC3 0, PC4 0"
    assert "PC3 and PC4 cannot be told apart" in found.verdict[-2]
    # Two values have no plane: the second axis of a redraw is any.
    pair = uapca.UncertainArray([[1.0, 2.0, 3.0], [3.0, 1.0, 0.0]], std=0.1)
    assert uapca.component_uncertainty(pair, 2).subspace_angle > 1.0


def test_a_verdict_gives_the_variances_of_redraws_where_those_of_the_fit_are_others():
    """Errors in many features add little to each variance of the fit, but much in a redraw."""
    found = uapca.component_uncertainty(one_axis(200), 2)
    assert (found.eigenvalues < found.eigenvalue_interval()[:, 0]).all()
    first, second = found.eigenvalue_mean
    told = f"redraws have other variances on average: PC1 {first:.3g}, PC2 {second:.3g}"
    assert told in found.verdict


LAWS = {
    "uniform": lambda x: stats.uniform(x - np.sqrt(3), 2 * np.sqrt(3)),
    "exponential": lambda x: stats.expon(x - 1),
    "t5": lambda x: stats.t(5, x, np.sqrt(3 / 5)),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("n", "spread"), [(12, 1.0), (60, 1.0), (60, 4.0)])
def test_the_laws_of_the_rows_are_used(law, n, spread):
    mean = np.random.default_rng(3).normal(size=(n, 2)) * [spread, 0.3 * spread]
    rows = [Independent([Variable(LAWS[law](x)) for x in row]) for row in mean]
    found = uapca.component_uncertainty(uapca.UncertainArray(mean, std=1.0, laws=rows))
    drawn = LAWS[law](0.0).rvs((4000, n, 2), random_state=np.random.default_rng(8))
    points = mean + drawn - (drawn + mean).mean(axis=1, keepdims=True)
    values = np.linalg.eigvalsh(points.transpose(0, 2, 1) @ points / n)[:, ::-1]
    for p in (0.9, 0.95, 0.99):
        assert_allclose(coverage(found.eigenvalue_interval(p), values), p, atol=0.025)
    shares = values / values.sum(axis=1, keepdims=True)
    assert_allclose(coverage(found.share_interval(0.95), shares), 0.95, atol=0.025)


@pytest.mark.parametrize("law", LAWS)
def test_cumulants_enter_the_closed_form(law):
    """Against draws: the standard error of an eigenvalue and its correlation with the total."""
    rng = np.random.default_rng(1)
    mean = rng.normal(size=(50, 3)) * [3.0, 1.5, 0.7]
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    mean = mean @ turn.T
    rows = [Independent([Variable(LAWS[law](x)) for x in row]) for row in mean]
    X = uapca.UncertainArray(mean, std=1.0, laws=rows)
    found = uapca.component_uncertainty(X, method="closed form")
    plain = uapca.component_uncertainty(uapca.UncertainArray(mean, std=1.0), method="closed form")
    drawn = LAWS[law](0.0).rvs((20_000, 50, 3), random_state=rng)
    points = mean + drawn - (drawn + mean).mean(axis=1, keepdims=True)
    values = np.linalg.eigvalsh(points.transpose(0, 2, 1) @ points / 50)[:, ::-1]
    std = values.std(axis=0)[:2]
    assert_allclose(found.eigenvalue_std, std, rtol=0.08)  # t5 has no eighth moment
    assert (np.abs(found.eigenvalue_std - std) < np.abs(plain.eigenvalue_std - std)).all()
    shares = values[:, :2] / values.sum(axis=1, keepdims=True)
    assert_allclose(found._intervals.std[2:], shares.std(axis=0), rtol=0.08)


# The points behind groups


def test_irises_are_told_apart_by_their_150_flowers():
    X = uapca.datasets.load_iris_groups()
    found = uapca.component_uncertainty(X, 3, normal=True)
    assert (found.of, found.method) == ("sample", "closed form")
    assert found.swap_probability.max() < 1e-6
    assert found.verdict == ("PC1 is known to 1.3°", "PC2 is known to 4.4°", "PC3 is known to 5.9°")
    low, high = found.share_interval()[0]
    assert 0.89 < low < 0.925 < high < 0.95
    drawn = uapca.component_uncertainty(X, 3, method="simulation", normal=True)
    assert_allclose(found.angle, drawn.angle, rtol=0.1)
    assert_allclose(found.eigenvalue_std, drawn.eigenvalue_std, rtol=0.1)
    assert_allclose(found.eigenvalue_interval(), drawn.eigenvalue_interval(), rtol=0.05)
    assert_allclose(found.share_interval(), drawn.share_interval(), rtol=0.05)


def test_redrawn_groups_have_the_moments_of_redrawn_points():
    """Against groups of new normal points with the same means and covariances."""
    rng = np.random.default_rng(4)
    counts = np.array([4, 7, 12])
    mean = rng.normal(size=(3, 3)) * [6, 2, 1]
    half = rng.normal(size=(3, 3, 3))
    sigma = half @ half.transpose(0, 2, 1)
    psi = sigma * ((counts - 1) / counts)[:, None, None]
    X = uapca.UncertainArray(mean, psi, weights=counts, counts=counts)
    found = uapca.component_uncertainty(X, 3, method="simulation", n_draws=4000, scale=0.8)
    closed = uapca.component_uncertainty(X, 3, method="closed form", scale=0.8)
    w, values, totals = counts / counts.sum(), [], []
    for _ in range(4000):
        parts = [
            m + rng.normal(size=(n, 3)) @ h.T for m, n, h in zip(mean, counts, half, strict=True)
        ]
        means = np.array([part.mean(axis=0) for part in parts])
        centered = means - w @ means
        within = sum(share * np.cov(part.T, ddof=0) for share, part in zip(w, parts, strict=True))
        K = (centered.T * w) @ centered + 0.64 * within
        values.append(np.linalg.eigvalsh(K)[::-1])
        totals.append(np.trace(K))
    values = np.array(values)
    error = values.std(axis=0) / np.sqrt(4000)
    assert (np.abs(found.eigenvalue_mean - values.mean(axis=0)) < 6 * error).all()
    assert_allclose(found.eigenvalue_std, values.std(axis=0), rtol=0.06)
    assert closed.eigenvalue_mean.sum() == pytest.approx(np.mean(totals), rel=0.02)
    assert_allclose(closed.eigenvalue_std[0], values.std(axis=0)[0], rtol=0.06)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "d"), [(5, 1), (5, 2), (20, 3), (200, 3)])
def test_confidence_intervals_of_groups_cover_the_population(n, d):
    rng = np.random.default_rng([n, d])
    mean = np.array([[-6.0, 1.0, 0.0], [0.0, -2.0, 0.5], [6.0, 1.0, -0.5]])[:, :d]
    spread = np.linspace(1.5, 0.5, d)
    centered = mean - mean.mean(axis=0)
    population = np.linalg.eigvalsh(centered.T @ centered / 3 + np.diag(spread**2))[::-1]
    share = population / population.sum()
    hits = []
    for _ in range(300):
        points = [m + rng.normal(size=(n, d)) * spread for m in mean]
        X = uapca.UncertainArray(
            [p.mean(axis=0) for p in points],
            [np.cov(p.T, ddof=0).reshape(d, d) for p in points],
            counts=[n] * 3,
        )
        found = uapca.component_uncertainty(X, 1, normal=True)
        low, high = found.eigenvalue_interval(0.9)[0]
        first, last = found.share_interval(0.9)[0]
        if not found.refusals[0]:
            hits.append((low <= population[0] <= high, first <= share[0] <= last + 1e-12))
    assert len(hits) > 280
    stated = 1.0 if d == 1 else 0.9
    assert_allclose(np.mean(hits, axis=0), [0.9, stated], atol=0.05)


def test_intervals_are_refused_where_they_would_not_cover():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(3, 5, 8))
    X = uapca.UncertainArray(
        points.mean(axis=1), [np.cov(p.T, ddof=0) for p in points], counts=[5, 5, 5]
    )
    found = uapca.component_uncertainty(X)
    assert "15 points in 3 groups are too few for 8 features" in found.refusals[0]
    assert np.isnan(found.eigenvalue_interval()).all()
    assert np.isnan(found.share_interval()).all()
    assert any("no interval is stated for PC1, PC2" in text for text in found.verdict)
    tied = uapca.UncertainArray(np.zeros((1, 3)), np.diag([5.0, 1.0, 1.0]), counts=[100])
    found = uapca.component_uncertainty(tied, normal=True)
    assert [bool(reason) for reason in found.refusals] == [False, True]
    assert_array_equal(np.isnan(found.eigenvalue_interval()).all(axis=1), [False, True])


def test_neighbors_push_a_bound_that_is_closer_harder():
    """Lawley's shift of log λ, λ_j / (n (λ_i − λ_j)), at the estimate and toward the neighbor."""
    X = uapca.UncertainArray(np.zeros((1, 2)), np.diag([2.0, 1.0]) * 400 / 401, counts=[401])
    expansion = expand(redraw_of(X, "sample", normal=True), 2)
    first, second = expansion.values
    shift = pushed(expansion, np.array([[first, 0.8 * first], [second, 1.3 * second]]))
    gaps = np.array(
        [[first - second, 0.8 * first - second], [second - first, 1.3 * second - first]]
    )
    assert_allclose(shift, np.array([[second], [first]]) / gaps / 400, rtol=0.05)


@pytest.mark.parametrize("law", ["uniform", "exponential"])
def test_points_that_are_kept_lend_their_fourth_moments(law):
    """Standard errors of the first eigenvalue and its share against new samples of the points."""
    rng = np.random.default_rng(2)
    mean, spread = np.array([[-2.0, 0.5], [0.0, -1.0], [2.0, 0.5]]), np.array([1.5, 0.5])
    values, shares, stated, plain = [], [], [], []
    for k in range(1200):
        drawn = LAWS[law](0.0).rvs((3, 150, 2), random_state=rng)
        points = mean[:, None] + drawn * spread
        means, psi = points.mean(axis=1), [np.cov(p.T, ddof=0) for p in points]
        centered = means - means.mean(axis=0)
        found = np.linalg.eigvalsh(centered.T @ centered / 3 + np.mean(psi, axis=0))[::-1]
        values.append(found[0])
        shares.append(found[0] / found.sum())
        if k < 40:
            kept = [Samples(p) for p in points]
            X = uapca.UncertainArray(means, psi, counts=[150] * 3, laws=kept)
            result = uapca.component_uncertainty(X, 1)
            stated.append([result.eigenvalue_std[0], result._intervals.std[1]])
            X = uapca.UncertainArray(means, psi, counts=[150] * 3)
            plain.append(uapca.component_uncertainty(X, 1).eigenvalue_std[0])
    assert_allclose(np.mean(stated, axis=0), [np.std(values), np.std(shares)], rtol=0.1)
    assert abs(np.mean(plain) / np.std(values) - 1.0) > 0.1


def test_the_closed_form_of_kept_points_has_their_fourth_moments(rng):
    """Tilts and standard errors of exponential points; those of normal ones are smaller."""
    half = np.array([[3.0, 0.0], [2.0, 1.0]])
    points = [m + (rng.exponential(size=(600, 2)) - 1.0) @ half.T for m in np.eye(2)]
    moments = [p.mean(axis=0) for p in points], [np.cov(p.T, ddof=0) for p in points]
    X = uapca.UncertainArray(*moments, counts=[600] * 2, laws=[Samples(p) for p in points])
    closed, drawn = (
        uapca.component_uncertainty(X, method=m, n_draws=2000)
        for m in ("closed form", "simulation")
    )
    assert_allclose(closed.angle, drawn.angle, rtol=0.08)
    assert_allclose(closed.std, drawn.std, rtol=0.08)
    assert_allclose(closed.swap_probability, drawn.swap_probability, atol=0.01)
    normal = uapca.component_uncertainty(X, method="closed form", normal=True)
    assert (normal.angle < 0.85 * closed.angle).all()


def test_fourth_moments_need_points_and_many_of_them():
    """The number alone decides: heavy tails often do not show in a small sample."""
    rng = np.random.default_rng(0)
    for n, kept, normal, refused in [
        (40, True, False, "120 points in 3 groups are too few for fourth moments"),
        (40, True, True, ""),
        (40, False, False, "the points are not kept"),
        (400, False, False, "the points are not kept"),
        (400, False, True, ""),
        (400, True, False, ""),
    ]:
        points = np.array([[-4.0, 0.0], [0.0, 0.0], [4.0, 0.0]])[:, None] + rng.normal(
            size=(3, n, 2)
        )
        X = uapca.UncertainArray(
            points.mean(axis=1),
            [np.cov(p.T, ddof=0) for p in points],
            counts=[n] * 3,
            laws=[Samples(p) for p in points] if kept else None,
        )
        found = uapca.component_uncertainty(X, 1, normal=normal)
        assert found.refusals[0].startswith(refused)
        assert bool(found.refusals[0]) == bool(refused)
        assert np.isnan(found.eigenvalue_interval()).all() == bool(refused)


def test_the_number_of_points_is_that_of_the_groups_that_matter():
    """Of many points, those of one small group may have all the variance of a component."""
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(50, 2)) * [1.0, 10.0]
    points = [np.array([10.0, 0.0]) + rng.normal(size=(1000, 2)) * [5.0, 0.1], wide]
    X = uapca.UncertainArray(
        [p.mean(axis=0) for p in points],
        [np.cov(p.T, ddof=0) for p in points],
        weights=[1000, 50],
        counts=[1000, 50],
        laws=[Samples(p) for p in points],
    )
    found = uapca.component_uncertainty(X, 2)
    assert found.refusals[0] == ""
    assert "too few for fourth moments" in found.refusals[1]


def test_groups_need_two_points():
    X = uapca.UncertainArray(np.eye(3), np.eye(3), counts=[5, 1, 5])
    with pytest.raises(ValueError, match="^of='sample' needs groups of at least 2 points; 1 of 3"):
        uapca.component_uncertainty(X)
    assert uapca.component_uncertainty(X, of="values").of == "values"


def test_standard_errors_of_means_are_values():
    points = np.random.default_rng(0).normal(size=(60, 2))
    labels = np.repeat(["a", "b", "c"], 20)
    assert uapca.from_groups(points, labels, spread="sem").source == "values"
    assert uapca.from_groups(points, labels).source == "groups"


def test_points_behind_standard_errors_and_truths_are_not_redrawn(rng):
    """Taken for the spread of points, standard errors would make the components too sure."""
    points, labels = rng.normal(size=(40, 3)), np.repeat(list("abcdefgh"), 5)
    means = uapca.from_groups(points, labels, spread="sem")
    rows = means.replace(source="posterior")
    for X, what in ((means, "errors of means"), (rows, "posterior rows")):
        with pytest.raises(ValueError, match=f"^of='sample' needs groups with .* got {what}"):
            uapca.component_uncertainty(X, of="sample")


# The truth behind noisy observations


def test_the_truth_behind_noisy_rows_is_covered():
    rng = np.random.default_rng(1)
    population, hits = np.array([9.0, 2.0, 0.5]), []
    for _ in range(40):
        truth = rng.normal(size=(100, 3)) * np.sqrt(population)
        std = rng.uniform(0.3, 1.0, truth.shape)
        X = uapca.UncertainArray(truth + std * rng.normal(size=truth.shape), std=std)
        rows = uapca.Denoiser().fit(X).transform(X)
        found = uapca.component_uncertainty(rows, 1, normal=True)
        assert found.of == "truth"
        low, high = found.eigenvalue_interval(0.95)[0]
        hits.append(low <= population[0] <= high)
    assert np.mean(hits) > 0.85  # 0.95 with a standard error of 0.034
    drawn = uapca.component_uncertainty(rows, 2, method="simulation")
    closed = uapca.component_uncertainty(rows, 2, method="closed form")
    assert_allclose(closed.angle, drawn.angle, rtol=0.2)
    assert_allclose(closed.eigenvalue_std, drawn.eigenvalue_std, rtol=0.1)
    with pytest.warns(uapca.ApproximationWarning, match="posterior rows without the errors of"):
        values = uapca.component_uncertainty(rows, 2, of="values")
    assert (values.eigenvalue_std < closed.eigenvalue_std).all()


def test_truths_without_variance_in_a_feature():
    """The estimated covariance of the truths may be singular."""
    rng = np.random.default_rng(4)
    truth = rng.normal(size=(40, 3)) * [3.0, 1.0, 0.0]
    X = uapca.UncertainArray(truth + rng.normal(size=truth.shape), std=1.5)
    found = uapca.component_uncertainty(uapca.Denoiser().fit(X).transform(X), 3, normal=True)
    assert np.isfinite(found.angle).all()
    low, high = found.eigenvalue_interval()[0]
    assert 0.0 < low < 9.0 < high


def test_the_space_of_few_factors_is_not_known_exactly():
    """Redraws of the whole data set: truths, errors and the fit of the model."""
    rng = np.random.default_rng(0)
    loadings = rng.normal(size=(2, 8)) * [[3.0], [1.5]]
    axes = np.linalg.svd(loadings, full_matrices=False)[2]
    std = rng.uniform(0.5, 1.5, (80, 8))
    stated, measured = [], []
    for _ in range(12):
        truth = rng.normal(size=(80, 2)) @ loadings
        X = uapca.UncertainArray(truth + std * rng.normal(size=std.shape), std=std)
        rows = uapca.Denoiser(2, residual=False).fit(X).transform(X)
        found = uapca.component_uncertainty(rows, n_draws=200)
        stated.append(found.subspace_angle)
        measured.append(uapca.principal_angles(found.components, axes).max())
    ratio = np.sqrt(np.mean(np.square(stated)) / np.mean(np.square(measured)))
    assert ratio == pytest.approx(1.0, abs=0.35)


# Standardized features

UNITS = np.array([1.0, 20.0, 0.1])
STANDARDIZED = "those of standardized features do not cover; tilts and standard errors do"


def of_correlations(K, reference):
    """Mean and standard deviation of leading eigenvalues, and root mean square tilts."""
    units = np.sqrt(K.diagonal(axis1=1, axis2=2))
    values, vectors = np.linalg.eigh(K / units[:, :, None] / units[:, None, :])
    q = len(reference)
    values, vectors = values[:, : -q - 1 : -1], vectors[:, :, : -q - 1 : -1]
    cosine = np.abs(np.einsum("sdq,qd->sq", vectors, reference)).clip(0.0, 1.0)
    return values.mean(axis=0), values.std(axis=0), np.sqrt((np.arccos(cosine) ** 2).mean(axis=0))


def assert_standardized(X, K, error, **options):
    """Both methods against redrawn covariances K, and rows in other units."""
    pca = uapca.UAPCA(2, standardize=True).fit(X)
    rows = uapca.UncertainScaler().fit_transform(X)
    for method in ("closed form", "simulation"):
        options |= {"method": method, "n_draws": 4000}
        found = uapca.component_uncertainty(X, standardize=True, **options)
        assert_allclose(found.components, pca.components_, atol=1e-9)
        assert_allclose(found.eigenvalues, pca.explained_variance_, rtol=1e-9)
        mean, std, tilt = of_correlations(K, found.components)
        assert (np.abs(found.eigenvalue_mean - mean) < 0.15 * std).all()
        assert_allclose(found.eigenvalue_std, std, rtol=error)
        assert_allclose(found.angle, tilt, rtol=error)
        assert_allclose(uapca.component_uncertainty(rows, **options).angle, found.angle, rtol=1e-6)
        assert found.assumption.endswith("standardized anew")
    known = uapca.component_uncertainty(rows, standardize=False)
    assert known.eigenvalue_std[0] > 1.5 * found.eigenvalue_std[0]
    return found


def standardized_rows(rng, n=80):
    spread = rng.normal(size=(n, 2)) @ np.array([[2.0, 2.0, -1.5], [0.2, -0.6, 1.0]])
    return (spread + 0.5 * rng.normal(size=(n, 3))) * UNITS


@pytest.mark.parametrize("law", ["normal", "exponential"])
def test_each_redraw_of_values_is_standardized(rng, law):
    mean = standardized_rows(rng)
    error = rng.normal(size=(20_000, *mean.shape))
    laws = None
    if law == "exponential":
        error = rng.exponential(size=error.shape) - 1.0
        scale = 0.5 * UNITS
        pairs = ([stats.expon(x - s, s) for x, s in zip(m, scale, strict=True)] for m in mean)
        laws = [Independent([Variable(each) for each in pair]) for pair in pairs]
    points = mean + 0.5 * UNITS * error
    points -= points.mean(axis=1, keepdims=True)
    K = points.transpose(0, 2, 1) @ points / len(mean)
    X = uapca.UncertainArray(mean, std=0.5 * UNITS, laws=laws)
    found = assert_standardized(X, K, 0.06)
    values = np.linalg.eigvalsh(K / np.sqrt(np.einsum("sii,sjj->sij", K, K)))[:, :0:-1]
    assert_allclose(coverage(found.eigenvalue_interval(0.9), values), 0.9, atol=0.02)


def test_each_redraw_of_correlated_errors_is_standardized(rng):
    mean, weights = standardized_rows(rng), rng.uniform(0.5, 2.0, 80)
    half = 0.3 * UNITS[:, None] * rng.normal(size=(80, 3, 3))
    w = weights / weights.sum()
    points = mean + np.einsum("nab,snb->sna", half, rng.normal(size=(10_000, 80, 3)))
    points -= (w @ points)[:, None]
    K = (points * w[:, None]).transpose(0, 2, 1) @ points
    X = uapca.UncertainArray(mean, half @ half.transpose(0, 2, 1), weights=weights)
    assert_standardized(X, K, 0.06)


def test_each_redraw_of_groups_is_standardized(rng):
    mean, n = standardized_rows(rng, 6), 60
    half = 0.6 * UNITS[:, None] * rng.normal(size=(6, 3, 3))
    psi = half @ half.transpose(0, 2, 1) * (n - 1) / n
    K = []
    for _ in range(4000):
        points = mean[:, None] + rng.normal(size=(6, n, 3)) @ half.transpose(0, 2, 1)
        centered = (points - points.mean(axis=(0, 1))).reshape(-1, 3)
        K.append(centered.T @ centered / len(centered))
    X = uapca.UncertainArray(mean, psi, counts=[n] * 6)
    found = assert_standardized(X, np.array(K), 0.08, normal=True)
    assert set(found.refusals) == {STANDARDIZED}
    assert set(found.share_refusals) == {STANDARDIZED}
    # Points that are kept: resampled, and by their influences.
    points = mean[:, None] + rng.normal(size=(6, 200, 3)) @ half.transpose(0, 2, 1)
    moments = points.mean(axis=1), [np.cov(p.T, ddof=0) for p in points]
    kept = uapca.UncertainArray(*moments, counts=[200] * 6, laws=[Samples(p) for p in points])
    one, other = (
        uapca.component_uncertainty(kept, standardize=True, method="simulation", normal=normal)
        for normal in (False, True)
    )
    assert_allclose(one.eigenvalue_std, other.eigenvalue_std, rtol=0.15)
    assert_allclose(one.angle, other.angle, rtol=0.15)
    closed = uapca.component_uncertainty(kept, standardize=True, method="closed form")
    assert_allclose(closed.eigenvalue_std, one.eigenvalue_std, rtol=0.1)
    assert set(closed.refusals) == {STANDARDIZED}


def test_redrawn_truths_are_standardized(rng):
    truth = rng.normal(size=(400, 2)) @ [[2.0, 2.0, -1.5], [0.2, -0.6, 1.0]]
    values = truth + 0.5 * rng.normal(size=(400, 3)) + 0.3 * rng.normal(size=(400, 3))
    observed = uapca.UncertainArray(values * UNITS, std=0.3 * UNITS)
    rows = uapca.Denoiser().fit_transform(observed)
    closed, drawn = (
        uapca.component_uncertainty(rows, standardize=True, normal=True, method=method)
        for method in ("closed form", "simulation")
    )
    assert_allclose(closed.angle, drawn.angle, rtol=0.1)
    assert_allclose(closed.eigenvalue_std, drawn.eigenvalue_std, rtol=0.06)
    found = uapca.component_uncertainty(rows, standardize=True)
    assert set(found.refusals) == {STANDARDIZED}


def test_units_are_taken_as_known_at_other_scales_and_the_result_says_so(rng):
    X = uapca.UncertainArray(standardized_rows(rng), std=0.5 * UNITS)
    found = uapca.component_uncertainty(uapca.UncertainScaler().fit_transform(X), scale=0.5)
    assert found.assumption.endswith("with their units taken as known")
    assert "units taken as known" in repr(found)
    assert uapca.component_uncertainty(X).assumption == "if each row is one unknown value"
    for options in ({"scale": 0.5}, {"order": 1}):
        with pytest.raises(ValueError, match="^standardize=True must go with scale=1 and order=2$"):
            uapca.component_uncertainty(X, standardize=True, **options)


# Words


def near_plane():
    """A plane that stands out of the rest while its two axes are nearly tied."""
    size = np.array([6.0, 5.9, 1.0, 0.5])
    mean = np.vstack([np.diag(size), -np.diag(size)] * 5)
    return uapca.UncertainArray(mean, std=0.5)


def test_a_plane_may_be_known_when_its_axes_are_not():
    found = uapca.component_uncertainty(near_plane())
    assert found.swap_probability[0] > 0.2
    assert found.subspace_angle < 0.3 * found.angle.min()
    (sentence,) = found.verdict
    assert sentence.startswith("PC1 and PC2 cannot be told apart (they swap in ")
    degrees = np.degrees(found.subspace_angle)
    assert sentence.endswith(f"their plane is known to {degrees:.2g}°, its axes are not")
    assert repr(found).splitlines()[-1].strip() == sentence
    assert found.subspace_interval(0.95) > found.subspace_angle


def test_a_verdict_for_each_neighborhood_not_for_each_pair():
    size = np.array([9.0, 3.0, 2.98, 2.96, 1.0])
    mean = np.vstack([np.diag(size), -np.diag(size)] * 5)
    found = uapca.component_uncertainty(uapca.UncertainArray(mean, std=0.3), 5)
    assert [sentence.split(" cannot")[0].split(" is")[0] for sentence in found.verdict] == [
        "PC1",
        "PC2, PC3 and PC4",
        "PC5",
    ]
    cut = uapca.component_uncertainty(uapca.UncertainArray(mean, std=0.3), 2)
    assert "PC2 cannot be told apart from the next component, PC3 (they swap in" in cut.verdict[-1]


def test_a_component_between_two_is_not_blamed_for_the_swaps_of_the_first():
    size = np.array([6.0, 5.99, 3.0, 0.5])
    mean = np.vstack([np.diag(size), -np.diag(size)] * 5)
    found = uapca.component_uncertainty(uapca.UncertainArray(mean, std=0.9), 3)
    assert found.method == "simulation"
    assert found.swap_probability[0] > 0.3
    assert found.swap_probability[1] < 0.05
    assert found.verdict[0].startswith("PC1 and PC2 cannot be told apart")
    assert found.verdict[1].startswith("PC3 is known to")


def test_the_warning_names_the_components_and_can_be_filtered():
    with pytest.warns(uapca.SeparationWarning, match="^PC1 and PC2 swap in more than 5 %"):
        uapca.component_uncertainty(near_plane())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=uapca.SeparationWarning)
        uapca.component_uncertainty(near_plane())


def test_swaps_are_probabilities():
    """At a gap of two standard deviations the chance of a swap is 2 %, not 5 %."""
    found = uapca.component_uncertainty(near_plane(), method="simulation", n_draws=4000)
    closed = uapca.component_uncertainty(near_plane(), method="closed form")
    assert_allclose(found.swap_probability, closed.swap_probability, atol=0.03)


def test_simulation_is_reproducible_and_says_what_it_did():
    X = one_axis(20)
    one, two = uapca.component_uncertainty(X, 1), uapca.component_uncertainty(X, 1)
    assert_array_equal(one.std, two.std)
    other = uapca.component_uncertainty(X, 1, rng=1, n_draws=500)
    assert (other.n_draws, other.method) == (500, "simulation")
    assert other.monte_carlo_error == pytest.approx(1 / np.sqrt(1000))
    assert "tilts by more than" in one.reason
    assert "10000 draws" in repr(one)


def test_joint_covariance_of_a_simulation():
    found = uapca.component_uncertainty(one_axis(20), 2, joint=True)
    for i in range(2):
        assert_allclose(found.joint[i, :, i], found.covariance[i], atol=1e-12)


# Ellipses of groups


@pytest.mark.parametrize("n", [5, 10, 40])
@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("p", [0.5, 0.95])
def test_ellipses_contain_new_points_and_means(n, d, p):
    rng = np.random.default_rng([n, d])
    points = rng.normal(size=(20_000, n, d))
    mean = points.mean(axis=1)
    centered = points - mean[:, None]
    psi = centered.transpose(0, 2, 1) @ centered / n
    for kind, target in (("prediction", rng.normal(size=(20_000, d))), ("mean", np.zeros(d))):
        away = (target - mean)[..., None]
        square = (away * np.linalg.solve(psi, away)).sum(axis=(1, 2))
        inside = (square <= ellipse_factor(p, n, d, kind) ** 2).mean()
        assert inside == pytest.approx(p, abs=0.012)


def test_ellipses_of_known_covariances_and_of_too_few_points():
    assert float(ellipse_factor(0.95)) == pytest.approx(np.sqrt(stats.chi2.ppf(0.95, 2)))
    assert float(ellipse_factor(0.95, 1e7)) == pytest.approx(float(ellipse_factor(0.95)), rel=1e-5)
    assert_array_equal(ellipse_factor(0.95, [1, 2]), np.inf)
    assert float(ellipse_factor(0.95, None, kind="mean")) == 0.0
    with pytest.raises(ValueError, match="p must be between 0 and 1"):
        ellipse_factor(95, 5)


def test_an_axis_beside_a_truth_that_nearly_vanishes_is_not_known_exactly():
    """Stated tilts of PC1 are of the size of its errors over many data sets."""
    spread, stated, actual = np.sqrt([9.0, 0.2, 0.0]), [], []
    for seed in range(40, 60):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=(40, 3)) * spread + 1.5 * rng.normal(size=(40, 3))
        rows = uapca.Denoiser().fit_transform(uapca.UncertainArray(values, std=1.5))
        found = uapca.component_uncertainty(rows, 1)
        stated.append(found.angle[0])
        actual.append(np.arccos(min(1.0, abs(found.components[0, 0]))))
    assert min(stated) > 0.05
    assert np.mean(np.square(stated)) > 0.5 * np.mean(np.square(actual))


def test_some_posterior_rows_and_loaded_ones_are_values_and_a_warning_says_so(rng, tmp_path):
    values = rng.normal(size=(30, 3)) * [3.0, 1.5, 0.5] + 0.5 * rng.normal(size=(30, 3))
    rows = uapca.Denoiser().fit_transform(uapca.UncertainArray(values, std=0.5))
    rows.save(tmp_path / "rows.uapca")
    for some in (rows[:10], rows[:, [0, 1]], uapca.load(tmp_path / "rows.uapca")):
        with pytest.warns(uapca.ApproximationWarning, match="posterior rows, but not all"):
            assert uapca.component_uncertainty(some).of == "values"
        with pytest.raises(ValueError, match="^of='truth' needs rows of uapca.Denoiser.transform"):
            uapca.component_uncertainty(some, of="truth")


def test_components_of_the_truths_that_are_there_need_the_errors_of_the_parameters():
    """Redraws of the errors of 12 truths in 30 features: the angle to the truths' own component."""
    rng, stated = np.random.default_rng(0), {"real": [], "plain": [], "wide": []}
    truth = rng.normal(size=(12, 1)) @ rng.normal(size=(1, 30))
    own = uapca.UAPCA(1).fit(truth).components_[0]
    for _ in range(8):
        X = uapca.UncertainArray(truth + 0.5 * rng.normal(size=truth.shape), std=0.5)
        denoiser = uapca.Denoiser(1).fit(X)
        plain, wide = (denoiser.transform(X, parameter_errors=errors) for errors in (False, True))
        with pytest.warns(uapca.ApproximationWarning, match=r"parameter_errors=True\)$"):
            found = uapca.component_uncertainty(plain, 1, of="values")
        stated["real"].append(np.arccos(abs(found.components[0] @ own)))
        stated["plain"].append(found.angle[0])
        stated["wide"].append(uapca.component_uncertainty(wide, 1, of="values").angle[0])
    real, plain, wide = (np.sqrt(np.mean(np.square(each))) for each in stated.values())
    assert plain < 0.5 * real
    assert wide == pytest.approx(real, rel=0.35)  # of 8 redraws
    scaled = denoiser.transform(X, parameter_errors=True).affine(np.full(30, 2.0))
    assert uapca.component_uncertainty(scaled, 1, of="values").of == "values"


def test_groups_in_huge_units_warn_of_nothing(rng):
    mean, psi = rng.normal(size=(3, 2)), np.array([0.1 * np.eye(2)] * 3)
    one, huge = (
        uapca.component_uncertainty(
            uapca.UncertainArray(mean * unit, psi * unit**2, counts=[50] * 3), normal=True
        )
        for unit in (1.0, 1e150)
    )
    assert_allclose(huge.angle, one.angle)
    assert_allclose(huge.eigenvalue_interval() / 1e300, one.eigenvalue_interval(), rtol=1e-9)


def test_truths_in_other_units_are_still_truths(rng):
    """Common units change no angle; standardized rows keep the errors of the estimated truth."""
    values = rng.normal(size=(60, 3)) @ rng.normal(size=(3, 3)) + rng.normal(size=(60, 3))
    denoiser = uapca.Denoiser().fit(uapca.UncertainArray(values, std=1.0))
    rows = denoiser.transform(uapca.UncertainArray(values, std=1.0))
    for one in (rows.affine(np.full(3, 7.0)), uapca.UncertainScaler().fit_transform(rows)):
        assert uapca.component_uncertainty(one).of == "truth"
    seven, plain = (
        uapca.component_uncertainty(one, rng=1) for one in (rows.affine(np.full(3, 7.0)), rows)
    )
    assert_allclose(seven.angle, plain.angle, rtol=1e-6)
    factors = np.array([1.0, 2.0, 5.0])
    assert_allclose(
        rows.affine(factors).parameter_errors.covariance(),
        rows.parameter_errors.covariance() * factors[:, None] * factors,
    )


def test_truths_along_a_curve_have_measured_tilts() -> None:
    """Scores that depend on each other turn a component further than those of normal truths."""

    def rows(seed: int, n: int) -> uapca.UncertainArray:
        rng = np.random.default_rng(seed)
        x = rng.normal(size=n)
        truths = np.column_stack([2.0 * x, x * x, np.zeros(n)]) + 0.3 * rng.normal(size=(n, 3))
        return uapca.UncertainArray(truths + 0.3 * rng.normal(size=(n, 3)), std=0.3)

    # For E[x⁴] = 3 and skewness zero the population has its first component along the first axis.
    stated, measured = [], []
    for seed in range(30):
        X = rows(seed, 500)
        result = uapca.component_uncertainty(uapca.Denoiser().fit(X).transform(X), 1)
        stated.append(result.angle[0])
        measured.append(np.arccos(min(abs(float(result.components[0, 0])), 1.0)))
    assert result.assumption == "if the truths behind the rows were drawn again"
    measured_tilt = np.sqrt(np.mean(np.square(measured)))
    # 30 angles, mostly in one plane, have a relative error of 1 / √60.
    np.testing.assert_allclose(np.mean(stated) / measured_tilt, 1.0, atol=0.3)
    few = rows(0, 100)
    result = uapca.component_uncertainty(uapca.Denoiser().fit(few).transform(few), 1)
    assert result.assumption.endswith(", as normals")


def test_a_fit_has_its_own_scale_units_and_steps(rng) -> None:
    """The figures of a fit are those of its parameters, and of the rows that it sees."""

    def same(found, expected) -> None:
        assert found.assumption == expected.assumption
        for name in ("components", "eigenvalues", "std", "angle"):
            np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-9)

    units = np.array([1.0, 50.0, 0.02])
    mean = rng.normal(size=(60, 3)) @ [[2.0, 0.5, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 0.4]]
    X = uapca.UncertainArray(mean * units, std=0.1 * units)
    found = uapca.component_uncertainty(X, fit=uapca.UAPCA(1, standardize=True).fit(X))
    same(found, uapca.component_uncertainty(X, 1, standardize=True))
    pca = uapca.UAPCA(3, scale=0.5).fit(X)
    same(uapca.component_uncertainty(X, 2, fit=pca), uapca.component_uncertainty(X, scale=0.5))
    steps = make_pipeline(uapca.UncertainScaler(), uapca.UAPCA(2)).fit(X)
    found = uapca.component_uncertainty(X, fit=steps)
    same(found, uapca.component_uncertainty(X, standardize=True))
    # Missing cells are what a Denoiser takes.
    mean = mean.copy()
    mean[0, 1] = np.nan
    X = uapca.UncertainArray(mean, std=0.1, missing="keep")
    truth = make_pipeline(uapca.Denoiser(), uapca.UAPCA(2)).fit(X)
    found = uapca.component_uncertainty(X, fit=truth)
    assert found.of == "truth"
    same(found, uapca.component_uncertainty(truth[:-1].transform(X)))


def test_bad_fits(rng) -> None:
    X = uapca.UncertainArray(rng.normal(size=(20, 3)), std=0.1)
    pca = uapca.UAPCA(2).fit(X)
    message = "fit must be given without scale and standardize; it has its own"
    for options in ({"scale": 1.0}, {"standardize": False}):
        with pytest.raises(ValueError, match=message):
            uapca.component_uncertainty(X, fit=pca, **options)
    message = "X must be the data that the fit was made from; its mean is another one"
    with pytest.raises(ValueError, match=message):
        uapca.component_uncertainty(X[:10], fit=pca)
    with pytest.raises(TypeError, match="fit must be a UAPCA or a Pipeline that ends in one"):
        uapca.component_uncertainty(X, fit=uapca.UncertainScaler().fit(X))


def test_a_closed_form_that_is_asked_for_says_where_it_is_not_accurate() -> None:
    X = uapca.UncertainArray([[3.0, 0.0], [-3.0, 0.0], [0.0, 2.9], [0.0, -2.9]], std=0.5)
    found = uapca.component_uncertainty(X, 1, method="closed form")
    assert found.reason == (
        "as asked for, but it is not accurate: a component tilts by more than 11°"
    )
    far = uapca.UncertainArray(X.mean * [10.0, 1.0], std=0.1)
    assert uapca.component_uncertainty(far, 1, method="closed form").reason == "as asked for"


def test_variances_that_could_be_equal_in_the_population_are_not_told_apart():
    """60 points: log 1.3 − log 0.8 is 1.9 standard errors √(4 / 60), log 3 − log 1.3 is 3.2."""
    X = uapca.UncertainArray([[0.0] * 4], [np.diag([3.0, 1.3, 0.8, 0.1])], counts=[60])
    found = uapca.component_uncertainty(X, of="sample", normal=True, rng=0)
    assert found.swap_probability[1] < 0.05
    assert found.verdict[0].startswith("PC1 is known to")
    assert found.verdict[1] == (
        "PC2 cannot be told apart from the next component, PC3 "
        "(equal variances may be as far apart in a sample)"
    )
    many = uapca.UncertainArray(X.mean, X.cov.dense(), counts=[200])  # 3.4 standard errors
    found = uapca.component_uncertainty(many, of="sample", normal=True, rng=0)
    assert found.verdict[1].startswith("PC2 is known to")


def test_a_truth_that_errors_hide_may_be_as_large_as_its_neighbor(rng):
    """The third variance, 0.25 behind errors of 2.25, is estimated as about nothing."""
    truth = rng.standard_normal((50, 3)) * [4.0, 1.0, 0.5]
    X = uapca.UncertainArray(truth + 1.5 * rng.standard_normal(truth.shape), std=1.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uapca.SeparationWarning)
        found = uapca.component_uncertainty(uapca.Denoiser().fit_transform(X), rng=0)
    assert found.verdict[0].startswith("PC1 is known to")
    assert found.verdict[1].startswith("PC2 cannot be told apart from the next component, PC3")


# The divisor of the fit


@pytest.mark.parametrize("standardize", [False, True])
def test_figures_have_the_divisor_of_the_fit(rng, standardize):
    X = uapca.UncertainArray(rng.normal(size=(13, 3)) * [3, 2, 1], std=0.3)
    plain = uapca.UAPCA(2, standardize=standardize).fit(X)
    pca = uapca.UAPCA(2, standardize=standardize, ddof=1).fit(X)
    found, usual = (uapca.component_uncertainty(X, fit=fit) for fit in (pca, plain))
    assert_allclose(found.eigenvalues, pca.explained_variance_, rtol=1e-12)
    for name in ("eigenvalues", "eigenvalue_mean", "eigenvalue_std", "gap"):
        assert_allclose(getattr(found, name), getattr(usual, name) * 13 / 12, rtol=1e-12)
    assert_allclose(found.eigenvalue_interval(), usual.eigenvalue_interval() * 13 / 12, rtol=1e-12)
    assert_array_equal(found.share_interval(), usual.share_interval())
    assert_array_equal(found.std, usual.std)
    assert found.verdict == usual.verdict
