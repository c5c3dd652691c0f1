"""The estimator: parameters, projection, rescaling, solvers, quality."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import uapca
from builders import KINDS, random_uncertain


@pytest.fixture
def X(rng):
    return random_uncertain(
        rng,
        n=20,
        d=6,
        features=list("uvwxyz"),
        names=[f"row{i}" for i in range(20)],
        weights=rng.uniform(size=20),
    )


class TestProjection:
    def test_mean_and_covariance(self, X):
        pca = uapca.UAPCA(2).fit(X)
        Y = pca.transform(X)
        A = pca.components_
        assert_allclose(Y.mean, (X.mean - pca.mean_) @ A.T, atol=1e-12)
        assert_allclose(Y.cov.dense(), A @ X.cov.dense() @ A.T, atol=1e-12)
        assert Y.names == X.names
        assert Y.features == ("PC1", "PC2")
        assert_array_equal(Y.weights, X.weights)

    @pytest.mark.parametrize("kind", KINDS)
    def test_against_samples(self, rng, kind):
        X = random_uncertain(rng, n=3, d=4, kind=kind)
        pca = uapca.UAPCA(2).fit(X)
        Y = pca.transform(X)
        draws = pca.transform(X.sample(40_000, rng=2).reshape(-1, 4)).reshape(40_000, 3, 2)
        assert_allclose(draws.mean(axis=0), Y.mean, atol=5 * Y.std.max() / 200 + 1e-12)
        found = np.einsum("kni,knj->nij", draws - Y.mean, draws - Y.mean) / len(draws)
        size = Y.std.max() ** 2
        assert_allclose(found, Y.cov.dense(), atol=5 * np.sqrt(2) * size / 200 + 1e-12)

    def test_scale_weighs_the_fit_and_not_the_projection(self, X):
        pca = uapca.UAPCA(2, scale=3.0).fit(X)
        A = pca.components_
        assert_allclose(pca.transform(X).cov.dense(), A @ X.cov.dense() @ A.T, atol=1e-12)

    def test_array_in_array_out(self, rng):
        X = random_uncertain(rng)
        pca = uapca.UAPCA(2).fit(X)
        assert isinstance(pca.transform(np.asarray(X.mean)), np.ndarray)
        assert_allclose(pca.transform(np.asarray(X.mean)), pca.transform(X).mean)

    def test_inverse(self, X):
        pca = uapca.UAPCA().fit(X)
        back = pca.inverse_transform(pca.transform(X))
        assert_allclose(back.mean, X.mean, atol=1e-12)
        assert_allclose(back.cov.dense(), X.cov.dense(), atol=1e-12)
        assert back.features == X.features
        scores = pca.transform(X).mean
        assert_allclose(pca.inverse_transform(scores), X.mean, atol=1e-12)

    def test_inverse_stays_low_rank(self, rng):
        X = random_uncertain(rng, n=50, d=200, kind="diagonal")
        pca = uapca.UAPCA(2).fit(X)
        back = pca.inverse_transform(pca.transform(X))
        assert back.cov.kind == "low-rank"
        A = pca.components_
        expected = A.T @ (A @ X.cov.dense() @ A.T) @ A
        assert_allclose(back.cov.dense(), expected, atol=1e-12)

    @pytest.mark.parametrize("kind", KINDS)
    def test_into_more_features(self, rng, kind):
        X = random_uncertain(rng, kind=kind).scaled(1.5)
        A = rng.standard_normal((9, 5))
        assert X.affine(A).cov.kind in ("low-rank", "zero")
        assert_allclose(X.affine(A).cov.dense(), A @ X.cov.dense() @ A.T, atol=1e-12)

    def test_fit_transform(self, X):
        Y, Z = uapca.UAPCA(2).fit_transform(X), uapca.UAPCA(2).fit(X).transform(X)
        assert_array_equal(Y.mean, Z.mean)
        std = np.full((20, 6), 0.3)
        Y = uapca.UAPCA(2).fit_transform(np.asarray(X.mean), std=std)
        assert isinstance(Y, uapca.UncertainArray)
        Z = uapca.UAPCA(2).fit_transform(uapca.UncertainArray(X.mean, std=std))
        assert_allclose(Y.cov.dense(), Z.cov.dense())

    def test_float32_stays_float32(self, rng):
        X = random_uncertain(rng, dtype=np.float32)
        pca = uapca.UAPCA(2).fit(X)
        assert pca.components_.dtype == np.float32
        assert pca.between_covariance_.dtype == np.float64
        Y = pca.transform(X)
        assert Y.mean.dtype == np.float32
        assert Y.cov.dense().dtype == np.float32
        assert pca.transform(np.asarray(X.mean)).dtype == np.float32


class TestScores:
    def test_a_narrow_feature_far_from_zero_beside_a_wide_one_about_it(self, rng):
        """Points are centered first unless all features are about zero, not only their sum."""
        points = rng.standard_normal((500, 2)) * [1e5, 1e-3] + [0.0, 1e4]
        pca = uapca.UAPCA().fit(points)
        exact = np.longdouble
        centered = points.astype(exact) - pca.mean_.astype(exact)
        wanted = (centered[:, None, :] * pca.components_.astype(exact)).sum(axis=2)
        off = np.abs(pca.transform(points) - wanted).max(axis=0)
        assert (off <= 1e-14 * np.abs(wanted).max(axis=0)).all()


class TestFitArguments:
    def test_errors_beside_points(self, rng):
        points = rng.standard_normal((10, 3))
        cov = random_uncertain(rng, n=10, d=3).cov.dense()
        for errors in ({"std": 0.5}, {"cov": cov}, {"factors": cov[:, :, :1]}):
            one = uapca.UAPCA().fit(points, **errors)
            other = uapca.UAPCA().fit(uapca.UncertainArray(points, **errors))
            assert_array_equal(one.components_, other.components_)

    def test_sample_weight(self, rng):
        points, w = rng.standard_normal((10, 3)), rng.uniform(size=10)
        pca = uapca.UAPCA().fit(points, sample_weight=w)
        assert_allclose(pca.get_covariance(), np.cov(points.T, bias=True, aweights=w), rtol=1e-12)
        again = uapca.UAPCA().fit(uapca.UncertainArray(points), sample_weight=w)
        assert_array_equal(again.components_, pca.components_)

    def test_bad_sample_weight(self, rng):
        with pytest.raises(ValueError, match=r"^sample_weight must not be negative; row "):
            uapca.UAPCA().fit(rng.standard_normal((3, 2)), sample_weight=[1, -1, 1])

    def test_the_data_is_not_changed(self, X):
        before = X.mean.copy(), X.cov.dense().copy()
        uapca.UAPCA().fit(X).transform(X)
        assert_array_equal(X.mean, before[0])
        assert_array_equal(X.cov.dense(), before[1])


class TestParameters:
    @pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.9999])
    @pytest.mark.parametrize("solver", ["auto", "svd"])
    def test_a_share_of_the_variance(self, rng, share, solver):
        points = rng.standard_normal((40, 6)) * [6, 5, 4, 3, 2, 1]
        ours = uapca.UAPCA(share, solver=solver).fit(points)
        assert ours.n_components_ == PCA(share).fit(points).n_components_

    def test_ddof(self, X):
        plain, other = uapca.UAPCA().fit(X), uapca.UAPCA(ddof=1).fit(X)
        factor = 1 / (1 - (X.weights**2).sum())
        assert_allclose(other.explained_variance_, plain.explained_variance_ * factor, rtol=1e-12)
        assert_allclose(other.components_, plain.components_, atol=1e-12)
        between, within = other.between_covariance_, other.within_covariance_
        assert_allclose(other.get_covariance(), between + within)

    def test_none_keeps_all(self, rng):
        assert uapca.UAPCA().fit(rng.standard_normal((4, 6))).n_components_ == 4
        assert uapca.UAPCA().fit(rng.standard_normal((4, 6)), std=1.0).n_components_ == 6

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            (
                {"n_components": 7},
                "n_components must be an integer from 1 to the number of features = 6, a share of "
                "the variance between 0 and 1, 'mle', 'auto' or None; got 7 for data of shape "
                "(20, 6)",
            ),
            (
                {"n_components": "mle"},
                "n_components='mle' needs certain points, at least as many as features; got 20 "
                "uncertain rows of 6 features: 'auto' counts the components of uncertain rows",
            ),
            (
                {"scale": True},
                "scale must be a number from 0 to infinity; got True: standardize=True divides "
                "features by their standard deviations",
            ),
            ({"ddof": -1}, "ddof must be a number, zero or positive; got -1"),
            (
                {"solver": "qr"},
                "solver must be 'auto', 'eigh', 'svd' or 'lanczos'; got 'qr'",
            ),
            (
                {"solver": "svd"},
                "solver must be 'eigh' or 'lanczos'; got 'svd', which needs points that are not "
                "sparse, errors that are zero or (without standardize) isotropic, and n_components "
                "up to min(rows, features)",
            ),
            (
                {"solver": "lanczos", "scale": np.inf},
                "solver must be 'eigh'; got 'lanczos', which needs n_components as an integer or "
                "None, and at scale=inf errors that are zero or (without standardize) isotropic",
            ),
            (
                {"solver": "lanczos", "n_components": 0.5},
                "solver must be 'eigh'; got 'lanczos', which needs n_components as an integer or "
                "None, and at scale=inf errors that are zero or (without standardize) isotropic",
            ),
        ],
        ids=lambda value: str(value)[:30],
    )
    def test_out_of_range(self, X, parameters, message):
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            uapca.UAPCA(**parameters).fit(X)

    @pytest.mark.parametrize("wanted", [0, -1, 1.5, 0.0, 1.0, True, "best", np.nan])
    def test_numbers_of_components_that_are_none(self, X, wanted):
        with pytest.raises(ValueError, match="^n_components must be an integer from 1 to"):
            uapca.UAPCA(wanted).fit(X)

    @pytest.mark.parametrize("scale", [-1.0, np.nan, "large", None])
    def test_scales_that_are_none(self, X, scale):
        with pytest.raises(ValueError, match="^scale must be a number from 0 to infinity"):
            uapca.UAPCA(scale=scale).fit(X)

    def test_ddof_leaves_something(self):
        with pytest.raises(ValueError, match=r"^ddof must be smaller than the effective number"):
            uapca.UAPCA(ddof=1).fit([[1.0, 2.0]])

    def test_min_of_rows_and_features_for_points(self, rng):
        with pytest.raises(ValueError, match=r"from 1 to min\(rows, features\) = 4, .* \(4, 6\)$"):
            uapca.UAPCA(5).fit(rng.standard_normal((4, 6)))

    def test_overflow(self):
        with pytest.raises(ValueError, match="^X must have squares that fit into float64; the cov"):
            uapca.UAPCA().fit(np.array([[1e200, 0.0], [-1e200, 1.0]]))

    @pytest.mark.parametrize("scale", [0.0, 1.0, np.inf])
    def test_means_that_overflow_beside_errors_that_do_not(self, scale):
        points = np.array([[1e160], [-1e160]])
        with pytest.raises(ValueError, match="^X must have squares that fit into float64; the cov"):
            uapca.UAPCA(scale=scale).fit(points, std=1.0)

    def test_a_bad_scale_is_named_before_what_a_solver_lacks(self, rng):
        pca = uapca.UAPCA(1, solver="svd").fit(rng.standard_normal((9, 3)))
        with pytest.raises(ValueError, match="^s must be a number from 0 to infinity; got -1"):
            pca.rescale(-1)

    def test_an_offset_whose_square_overflows(self, rng):
        """Centerd first, in the fit and in the scores; nothing warns."""
        points = 1e150 * rng.standard_normal((300, 3)) + 1e155
        scores = uapca.UAPCA(2).fit_transform(points)
        wanted = uapca.UAPCA(2).fit_transform((points - 1e155) / 1e150)
        assert_allclose(scores / 1e150, wanted, rtol=0, atol=1e-9)

    @pytest.mark.parametrize("solver", ["eigh", "svd"])
    def test_overflow_with_every_solver(self, solver):
        points = np.array([[1e200, 0.0], [-1e200, 1.0]])
        with pytest.raises(ValueError, match="^X must have squares that fit into float64; the cov"):
            uapca.UAPCA(1, solver=solver).fit(points)

    def test_errors_twice(self, X):
        with pytest.raises(ValueError, match="^std must be left out where X is an UncertainArray"):
            uapca.UAPCA().fit(X, std=1.0)

    def test_a_failed_fit_leaves_everything_as_it_was(self, rng):
        pca = uapca.UAPCA(2).fit(rng.standard_normal((9, 3)))
        before = dict(vars(pca))
        pca.n_components = 99
        with pytest.raises(ValueError, match="n_components"):
            pca.fit(rng.standard_normal((20, 5)))
        pca.n_components = 2
        assert vars(pca) == before

    def test_huge_scales_are_infinite(self, X):
        limit, huge = uapca.UAPCA(scale=np.inf).fit(X), uapca.UAPCA(scale=1e200).fit(X)
        assert_array_equal(huge.components_, limit.components_)

    def test_huge_weights(self, rng):
        points = rng.standard_normal((2, 3))
        X = uapca.UncertainArray(points, weights=[1e308, 1e308])
        assert np.isfinite(uapca.UAPCA().fit(X).components_).all()
        assert_array_equal(uapca.concat([X, X]).weights, np.full(4, 0.25))

    def test_bad_input_leaves_a_fit_as_it_was(self, X):
        pca = uapca.UAPCA(2).fit(X)
        before = pca.components_.copy()
        with pytest.raises(ValueError, match="finite"):
            pca.fit(np.full((3, 6), np.nan))
        assert_array_equal(pca.components_, before)


class TestTransformChecks:
    def test_another_number_of_features(self, X):
        pca = uapca.UAPCA(2).fit(X)
        with pytest.raises(
            ValueError,
            match=r"^X must have the 6 features of the fit; got 5$",
        ):
            pca.transform(X[:, :5])

    def test_other_features(self, X):
        pca = uapca.UAPCA(2).fit(X)
        with pytest.raises(
            ValueError,
            match=r"^X must have the features of the fit in the same order; feature 0 is 'v' "
            r"instead of 'u': select them with X\[:, features\]$",
        ):
            pca.transform(X[:, list("vuwxyz")])

    def test_not_fitted(self, X):
        for call in (
            lambda: uapca.UAPCA().transform(X),
            lambda: uapca.UAPCA().inverse_transform(X),
            lambda: uapca.UAPCA().rescale(1),
            lambda: uapca.UAPCA().get_covariance(),
            lambda: uapca.UAPCA().loadings(),
            lambda: uapca.UAPCA().cos2(X),
            lambda: uapca.UAPCA().between_covariance_,
        ):
            with pytest.raises(NotFittedError):
                call()

    def test_inverse_of_another_width(self, X):
        with pytest.raises(ValueError, match=r"^Y must have 2 columns, as transform returns them"):
            uapca.UAPCA(2).fit(X).inverse_transform(np.zeros((3, 4)))


class TestRescale:
    @pytest.mark.parametrize("s", [0.0, 0.5, 1.0, 4.0, np.inf])
    @pytest.mark.parametrize("n_components", [None, 2, 0.8])
    def test_equals_a_fit_at_that_scale(self, X, s, n_components):
        one = uapca.UAPCA(n_components, ddof=1).fit(X).rescale(s)
        other = uapca.UAPCA(n_components, ddof=1, scale=s).fit(X)
        for name in (
            "components_",
            "explained_variance_",
            "explained_variance_ratio_",
            "mean_",
            "n_components_",
            "noise_variance_",
            "feature_names_in_",
        ):
            assert_array_equal(getattr(one, name), getattr(other, name))
        assert one.get_params() == other.get_params()
        assert_array_equal(one.get_covariance(), other.get_covariance())
        assert_array_equal(one.transform(X).mean, other.transform(X).mean)

    def test_leaves_the_original(self, X):
        pca = uapca.UAPCA(2).fit(X)
        before = pca.components_.copy()
        pca.rescale(0.0)
        assert pca.scale == 1.0
        assert_array_equal(pca.components_, before)

    def test_of_certain_points_changes_nothing(self, rng):
        pca = uapca.UAPCA(2).fit(rng.standard_normal((10, 3)))
        assert_array_equal(pca.rescale(np.inf).components_, pca.components_)
        assert_array_equal(pca.within_covariance_, np.zeros((3, 3)))

    def test_needs_the_matrices(self, rng):
        X = random_uncertain(rng, n=30, d=100, kind="diagonal")
        pca = uapca.UAPCA(2, solver="lanczos").fit(X)
        message = (
            "C and Ψ̄ were not formed: the fit used solver='lanczos', which has no D × D matrix. "
            "Fit with solver='eigh' to have them."
        )
        with pytest.raises(AttributeError, match=f"^{re.escape(message)}$"):
            pca.rescale(0.5)
        assert not hasattr(pca, "between_covariance_")


class TestInfinity:
    def test_variances_are_in_units_of_s_squared(self, X):
        limit = uapca.UAPCA(scale=np.inf).fit(X)
        values = np.linalg.eigvalsh(limit.within_covariance_)[::-1]
        assert_allclose(limit.explained_variance_, values, rtol=1e-12)
        assert_allclose(limit.explained_variance_ratio_.sum(), 1, rtol=1e-12)
        assert_allclose(limit.get_covariance(), limit.within_covariance_)
        far = uapca.UAPCA(scale=1e7).fit(X)
        assert_allclose(far.components_, limit.components_, atol=1e-10)
        ratio = limit.explained_variance_ratio_
        assert_allclose(far.explained_variance_ratio_, ratio, rtol=1e-10)


class TestSolvers:
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize(("s", "n"), [(0.0, 30), (1.5, 30), (1.0, 300)])
    def test_lanczos_is_eigh(self, rng, kind, s, n):
        X = random_uncertain(rng, n=n, d=120, kind=kind, weights=rng.uniform(size=n))
        X = X.affine(np.geomspace(10, 0.1, 120), np.full(120, 1e4))
        dense = uapca.UAPCA(5, solver="eigh", scale=s, ddof=1).fit(X)
        free = uapca.UAPCA(5, solver="lanczos", scale=s, ddof=1).fit(X)
        assert_allclose(free.explained_variance_, dense.explained_variance_, rtol=1e-9)
        assert_allclose(free.components_, dense.components_, atol=1e-6)
        ratio = dense.explained_variance_ratio_
        assert_allclose(free.explained_variance_ratio_, ratio, rtol=1e-9)
        assert free.noise_variance_ == pytest.approx(dense.noise_variance_, rel=1e-9)
        assert_allclose(free.mean_, dense.mean_, rtol=1e-12)

    @pytest.mark.parametrize("kind", ["zero", "isotropic", "one number"])
    @pytest.mark.parametrize("s", [0.0, 1.0, np.inf])
    @pytest.mark.parametrize("solver", ["svd", "lanczos"])
    def test_isotropic_errors_need_no_matrix(self, rng, kind, s, solver):
        X = random_uncertain(rng, n=25, d=90, kind=kind)
        X = X.affine(np.full(90, 2.0), np.arange(90.0))
        dense = uapca.UAPCA(4, solver="eigh", scale=s).fit(X)
        other = uapca.UAPCA(4, solver=solver, scale=s).fit(X)
        assert_allclose(other.explained_variance_, dense.explained_variance_, rtol=1e-9)
        assert_allclose(other.components_, dense.components_, atol=1e-6)
        ratio = dense.explained_variance_ratio_
        assert_allclose(other.explained_variance_ratio_, ratio, rtol=1e-9)

    def test_svd_is_scikit_learns(self, rng):
        points = rng.standard_normal((20, 50)) + 1e3
        ours, theirs = uapca.UAPCA(solver="svd", ddof=1).fit(points), PCA().fit(points)
        assert_allclose(ours.explained_variance_, theirs.explained_variance_, atol=1e-11)
        assert_allclose(ours.components_[:-1], theirs.components_[:-1], atol=1e-9)

    @pytest.mark.parametrize(
        ("kind", "shape", "n_components", "expected"),
        [
            ("diagonal", (50, 100), 2, "eigh"),
            ("diagonal", (20, 2000), 2, "lanczos"),
            ("zero", (20, 2000), 2, "lanczos"),
            ("zero", (20, 2000), 3, "svd"),
            ("zero", (20, 2000), None, "svd"),
            ("isotropic", (20, 2000), 15, "svd"),
            ("low-rank", (20, 2000), 2, "lanczos"),
        ],
    )
    def test_auto(self, rng, kind, shape, n_components, expected):
        means = rng.standard_normal((shape[0], 3)) @ rng.standard_normal((3, shape[1]))
        errors = {
            "zero": {},
            "diagonal": {"std": np.linspace(0.1, 0.2, shape[1])},
            "isotropic": {"std": 0.1},
            "low-rank": {"factors": 0.1 * np.ones((*shape, 1))},
        }[kind]
        X = uapca.UncertainArray(means, **errors)
        assert uapca.UAPCA(n_components).fit(X).solver_ == expected

    def test_no_convergence_is_a_warning(self, rng, monkeypatch):
        from uapca.decomposition import solvers

        monkeypatch.setattr(
            solvers, "leading_eigenpairs", lambda *_, **__: (np.ones(2), np.eye(2, 90), 1e-3)
        )
        X = random_uncertain(rng, n=25, d=90, kind="diagonal")
        text = "stopped with a relative residual of 1.0e-03"
        with pytest.warns(ConvergenceWarning, match=text) as caught:
            uapca.UAPCA(2, solver="lanczos").fit(X)
        assert caught[0].filename == __file__

    def test_wide_data_makes_no_square_matrix(self, rng):
        """At D = 20,000 a D × D matrix would take 3.2 GB; allow a twentieth of it."""
        import tracemalloc

        means = rng.standard_normal((60, 20)) @ rng.standard_normal((20, 20_000))
        X = uapca.UncertainArray(means, std=rng.uniform(0.5, 1.5, (60, 20_000)))
        tracemalloc.start()
        uapca.UAPCA(4).fit(X).transform(X)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 160e6


class TestQuality:
    def test_loadings(self, X):
        pca = uapca.UAPCA().fit(X)
        loadings = np.asarray(pca.loadings())
        K = pca.get_covariance()
        size = np.sqrt(K.diagonal())
        assert_allclose(loadings @ loadings.T, K / size[:, None] / size, atol=1e-12)

    @pytest.mark.parametrize("scale", [0.0, 0.7, np.inf])
    @pytest.mark.parametrize("standardize", [False, True])
    def test_loadings_are_correlations_of_draws(self, rng, X, scale, standardize):
        """Draw rows by weight, then values; the limit is that of the errors alone."""
        pca = uapca.UAPCA(2, scale=scale, standardize=standardize).fit(X)
        rows = rng.choice(20, 40_000, p=X.weights)
        points = X.mean[rows]
        roots = np.linalg.cholesky(X.cov.dense() + 1e-12 * np.eye(6))
        noise = np.einsum("nij,nj->ni", roots[rows], rng.standard_normal((40_000, 6)))
        points = noise if np.isinf(scale) else points + scale * noise
        scores = pca.transform(uapca.UncertainArray(points, features=X.features)).mean
        found = np.corrcoef(points.T, scores.T)[:6, 6:]
        assert_allclose(found, np.asarray(pca.loadings()), atol=0.03)

    def test_loadings_of_a_feature_at_rest_and_without_a_matrix(self, rng):
        points = rng.standard_normal((30, 3)) * [2.0, 0.0, 1.0]
        assert_array_equal(uapca.UAPCA().fit(points).loadings().values[1], 0.0)
        X = random_uncertain(rng, n=40, d=90, kind="diagonal")
        dense, free = (uapca.UAPCA(3, solver=s).fit(X) for s in ("eigh", "lanczos"))
        assert_allclose(free.loadings(), dense.loadings(), atol=1e-6)
        assert_allclose(free.summary(), dense.summary(), rtol=1e-6)

    def test_contributions(self, X):
        contributions = uapca.UAPCA(3).fit(X).contributions()
        assert contributions.shape == (6, 3)
        assert_allclose(np.sum(contributions, axis=0), 1, rtol=1e-14)

    def test_results_are_labeled(self, X):
        pca = uapca.UAPCA(2).fit(X)
        for table, rows in (
            (pca.loadings(), X.features),
            (pca.contributions(), X.features),
            (pca.cos2(X), X.names),
            (pca.row_contributions(X), X.names),
        ):
            frame = table.to_frame()
            assert table.rows == tuple(frame.index) == rows
            assert table.columns == tuple(frame.columns) == ("PC1", "PC2")
            assert_array_equal(frame.to_numpy(), table.values)
            assert_array_equal(table["PC2"], table.values[:, 1])
            assert_array_equal(table[3, 1], table.values[3, 1])
            assert len(repr(table).splitlines()) == 1 + len(table)
        plain = uapca.UAPCA(1).fit(np.eye(3))
        assert plain.cos2(np.eye(3)).rows is None
        assert repr(plain.cos2(np.zeros((50, 3)))).count("\n") == 21
        assert plain.loadings().rows == ("x0", "x1", "x2")

    def test_summary(self, X):
        pca = uapca.UAPCA(scale=0.5).fit(X)
        table = pca.summary().to_frame()
        A, within = pca.components_, pca.within_covariance_
        own = np.einsum("qi,ij,qj->q", A, within, A)
        assert list(table.index[:2]) == ["PC1", "PC2"]
        assert_array_equal(table["variance"], pca.explained_variance_)
        assert_allclose(table["cumulative"].iloc[-1], 1.0)
        assert_allclose(table["uncertainty"], 0.25 * own / pca.explained_variance_, rtol=1e-10)
        assert_allclose(table["uncertainty_shown"], np.cumsum(own) / np.trace(within), rtol=1e-10)
        assert_array_equal(pca.rescale(0.0).summary()["uncertainty"], 0.0)
        assert_allclose(pca.rescale(np.inf).summary()["uncertainty"], 1.0)

    def test_share_of_the_uncertainty_in_the_picture(self, X):
        pca = uapca.UAPCA(2).fit(X)
        A, covs = pca.components_, X.cov.dense()
        shown = np.einsum("qi,nij,qj->n", A, covs, A)
        whole = np.trace(covs, axis1=1, axis2=2)
        table = pca.uncertainty_share(X)
        assert_allclose(table["share"], shown / whole, rtol=1e-10)
        assert table.rows == X.names
        expected = (X.weights @ shown) / (X.weights @ whole)
        assert pca.uncertainty_share() == pytest.approx(expected, rel=1e-12)
        assert pca.summary()["uncertainty_shown"][-1] == pytest.approx(expected, rel=1e-12)
        assert uapca.UAPCA().fit(X).uncertainty_share() == pytest.approx(1.0, rel=1e-12)
        assert uapca.UAPCA(1).fit(X.mean).uncertainty_share() == 1.0

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("scale", [0.0, 0.7, 1.0, np.inf])
    def test_rows_add_up_to_the_variances(self, rng, kind, scale):
        """Σₙ wₙ(aₙᵢ² + s² vᵢᵀΨₙvᵢ) = λᵢ, by the matrices of each row."""
        X = random_uncertain(rng, n=9, d=4, kind=kind, features=list("pqrs"))
        pca = uapca.UAPCA(scale=scale).fit(X)
        A = pca.components_
        scores = 0.0 if np.isinf(scale) and X.std.any() else ((X.mean - pca.mean_) @ A.T) ** 2
        own = np.einsum("qi,nij,qj->nq", A, X.cov.dense(), A)
        parts = X.weights[:, None] * (scores + (1.0 if np.isinf(scale) else scale**2) * own)
        variances = pca.explained_variance_
        assert_allclose(parts.sum(axis=0), variances, rtol=1e-9, atol=1e-12 * variances[0])
        there = variances > 1e-9 * variances[0]
        shares = pca.row_contributions(X)
        assert_allclose(shares[:, there], (parts / parts.sum(axis=0))[:, there], rtol=1e-7)
        assert_allclose(shares[:, there].sum(axis=0), 1.0, rtol=1e-12)

    def test_rows_without_variance_and_with_weights(self):
        same = uapca.UncertainArray([[1.0, 2.0]] * 3)
        assert_array_equal(uapca.UAPCA().fit(same).row_contributions(same), 0.0)
        points = np.array([[0.0], [1.0], [4.0]])
        pca = uapca.UAPCA().fit(points, sample_weight=[1, 2, 1])
        expected = np.array([1, 2, 1]) * (points[:, 0] - 1.5) ** 2
        shares = pca.row_contributions(points, sample_weight=[1, 2, 1])
        assert_allclose(shares[:, 0], expected / expected.sum(), rtol=1e-12)
        limit = pca.rescale(np.inf).row_contributions(points, sample_weight=[1, 2, 1])
        assert_allclose(limit, shares, rtol=1e-12)

    def test_cos2_of_points(self, rng):
        points = rng.standard_normal((9, 4))
        pca = uapca.UAPCA().fit(points)
        scores = pca.transform(points)
        expected = scores**2 / (scores**2).sum(axis=1, keepdims=True)
        assert_allclose(pca.cos2(points), expected, rtol=1e-10)
        assert_allclose(pca.cos2(pca.mean_[None]), 0.0, atol=0)

    @pytest.mark.parametrize("kind", KINDS)
    def test_cos2_is_the_expected_square(self, rng, kind):
        X = random_uncertain(rng, n=4, d=5, kind=kind)
        pca = uapca.UAPCA(2).fit(X)
        draws = X.sample(60_000, rng=1)
        scores = (draws - pca.mean_) @ pca.components_.T
        away = ((draws - pca.mean_) ** 2).sum(axis=2).mean(axis=0)
        expected = (scores**2).mean(axis=0) / away[:, None]
        assert_allclose(pca.cos2(X), expected, atol=0.02)
        every = uapca.UAPCA(5).fit(X, sample_weight=np.full(4, 5))
        assert_allclose(np.sum(every.cos2(X), axis=1), 1, rtol=1e-12)

    @pytest.mark.parametrize("q", [1, 3, None])
    def test_score_is_scikit_learns(self, rng, q):
        points = rng.standard_normal((40, 5)) * [5, 4, 3, 2, 1]
        ours, theirs = uapca.UAPCA(q, ddof=1).fit(points), PCA(q).fit(points)
        assert_allclose(ours.score_samples(points), theirs.score_samples(points), rtol=1e-10)
        assert ours.score(points) == pytest.approx(theirs.score(points), rel=1e-12)

    def test_score_of_uncertain_rows_is_an_average(self, rng):
        X = random_uncertain(rng, n=4, d=4)
        pca = uapca.UAPCA(2).fit(X)
        draws = X.sample(60_000, rng=3)
        found = pca.score_samples(draws.reshape(-1, 4)).reshape(60_000, 4)
        error = found.std(axis=0) / np.sqrt(60_000)
        assert (np.abs(found.mean(axis=0) - pca.score_samples(X)) < 5 * error).all()

    def test_no_score_at_infinity(self, X):
        with pytest.raises(ValueError, match="^scale must be finite for a likelihood; got inf"):
            uapca.UAPCA(2, scale=np.inf).fit(X).score(X)

    def test_no_score_without_variance(self):
        with pytest.raises(ValueError, match="^n_components must leave a model with variance in"):
            uapca.UAPCA(1).fit(np.ones((3, 4))).score(np.ones((3, 4)))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_of_text_are_named(library):
    module = pytest.importorskip(library)
    frame = module.DataFrame({"star": ["HD 1", "HD 2"], "x": [1.0, 2.0], "type": ["G", "K"]})
    with pytest.raises(ValueError) as error:
        uapca.UAPCA(1).fit(frame)
    assert str(error.value) == (
        "X must hold numbers in every column; 'star', 'type' do not: uapca.from_frame takes row "
        "names and errors from columns"
    )
