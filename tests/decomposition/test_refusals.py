"""What was probably meant, and numbers that do not fit."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import uapca
from builders import KINDS, random_uncertain


@pytest.mark.parametrize(
    "call", [uapca.UAPCA().fit, uapca.UAPCA().partial_fit, uapca.UncertainScaler().fit]
)
def test_errors_as_the_second_argument(rng, call):
    points = rng.standard_normal((9, 3))
    message = (
        "y must be left out; got an array of shape (9, 3), the shape of errors: pass them as "
        "std=..."
    )
    for errors in (np.abs(points), np.abs(points).tolist(), pd.DataFrame(points)):
        with pytest.raises(TypeError) as error:
            call(points, errors)
        assert str(error.value) == message
    with pytest.raises(TypeError, match=r"pass them as cov=\.\.\.$"):
        call(points, np.zeros((9, 3, 3)))
    with pytest.raises(TypeError, match="^y must be left out"):
        call(uapca.UncertainArray(points), points)
    for y in (np.zeros(9), np.zeros((9, 1)), ["a"] * 9, np.zeros((9, 2))):
        assert call(points, y).n_features_in_ == 3


@pytest.mark.parametrize(
    ("cls", "wrong", "meant"),
    [
        (uapca.UAPCA, "standardise", "standardize"),
        (uapca.UAPCA, "n_component", "n_components"),
        (uapca.UAPCA, "whitten", "whiten"),
        (uapca.UncertainScaler, "centre", "center"),
    ],
)
def test_parameters_that_are_not_there(cls, wrong, meant):
    with pytest.raises(TypeError) as error:
        cls(**{wrong: True})
    assert str(error.value) == (
        f"{cls.__name__} has no parameter {wrong!r}; did you mean {meant!r}?"
    )


def test_attributes_of_other_libraries(rng):
    pca = uapca.UAPCA().fit(rng.standard_normal((5, 2)))
    with pytest.raises(AttributeError, match=r"use loadings\(\), or components_"):
        _ = pca.loadings_
    with pytest.raises(AttributeError, match=r"use transform\(X\)"):
        _ = pca.scores_
    assert not hasattr(pca, "scores_")


@pytest.mark.parametrize("estimator", [uapca.UAPCA(), uapca.UncertainScaler()])
def test_masks_are_not_ignored(rng, estimator):
    points = rng.standard_normal((6, 3))
    masked = np.ma.masked_array(points, mask=np.zeros((6, 3), dtype=bool))
    expected = estimator.fit(points).mean_
    assert_array_equal(estimator.fit(masked).mean_, expected)
    masked[2, 1] = np.ma.masked
    for call in (estimator.fit, estimator.transform):
        with pytest.raises(ValueError, match="^X must have no masked values; row 2, feature 1 is"):
            call(masked)


def test_missing_cells_are_refused(rng):
    values = rng.standard_normal((6, 3))
    values[2, 1] = np.nan
    X = uapca.UncertainArray(values, std=0.1, missing="keep")
    fitted = uapca.UAPCA(1).fit(rng.standard_normal((6, 3)))
    for call in (uapca.UAPCA().fit, uapca.UAPCA().partial_fit, fitted.transform, fitted.cos2):
        with pytest.raises(ValueError, match="Denoiser"):
            call(X)


class TestErrorColumns:
    @pytest.mark.parametrize(
        "names",
        [
            ["a", "a_err"],
            ["a", "b", "b_Std", "c"],
            ["x", "x_var"],
            ["x", "sigma_x"],
            ["mass [kg]", "mass_err [kg]"],
        ],
    )
    def test_are_warned_of(self, rng, names):
        frame = pd.DataFrame(rng.standard_normal((6, len(names))), columns=names)
        with pytest.warns(uapca.ErrorColumnWarning, match="from_frame") as caught:
            uapca.UAPCA().fit(frame)
        assert len(caught) == 1
        assert caught[0].filename == __file__

    @pytest.mark.parametrize("name", ["replicate", "Unnamed: 0", "source_id", "step"])
    def test_counters_are_warned_of(self, rng, name):
        frame = pd.DataFrame(rng.standard_normal((12, 3)), columns=["a", "b", name])
        if name == "step":  # told by its values
            uapca.UAPCA().fit(frame)
        frame[name] = range(1, 13)
        with pytest.warns(
            uapca.ErrorColumnWarning, match=f"{name!r} is taken.*uapca.read"
        ) as caught:
            uapca.UAPCA().fit(frame)
        assert len(caught) == 1
        assert caught[0].filename == __file__
        assert uapca.read(frame).features == ("a", "b")

    @pytest.mark.parametrize("names", [["a", "b_err"], ["error", "std"], ["err", "a_errors"]])
    def test_other_names_are_not(self, rng, names):
        frame = pd.DataFrame(rng.standard_normal((6, 2)), columns=names)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            uapca.UAPCA().fit(frame).transform(frame)


class TestZeroWeights:
    @pytest.mark.parametrize("kind", KINDS)
    def test_rows_do_not_enter(self, rng, kind):
        X = random_uncertain(rng, n=9, d=3, kind=kind)
        weights = rng.uniform(1, 2, 9)
        weights[[2, 5]] = 0.0
        one = uapca.UAPCA(2).fit(X, sample_weight=weights)
        kept = weights > 0
        other = uapca.UAPCA(2).fit(X[kept], sample_weight=weights[kept])
        assert_allclose(one.components_, other.components_, atol=1e-12)
        assert_allclose(one.explained_variance_, other.explained_variance_, rtol=1e-12)
        assert one.n_samples_ == 7

    @pytest.mark.parametrize("solver", ["eigh", "lanczos"])
    def test_not_even_if_they_overflow(self, solver):
        mean = [[1.5, 0.0], [-1.5, 1.0], [0.0, -1.0], [1e200, 0.0]]
        std = [[0.1, 0.2], [0.1, 0.2], [0.1, 0.2], [1e200, 1e200]]
        X = uapca.UncertainArray(mean, std=std, weights=[1, 1, 1, 0])
        pca = uapca.UAPCA(2, solver=solver).fit(X)
        expected = uapca.UAPCA(2).fit(X[:3])
        assert_allclose(pca.components_, expected.components_, atol=1e-12)
        assert_allclose(pca.explained_variance_, expected.explained_variance_, rtol=1e-12)


class TestSizes:
    @pytest.mark.parametrize("exponent", [-152, -120, -40, 0, 40, 120, 150])
    @pytest.mark.parametrize("scale", [0.0, 1.0, 1e-3, 1e6, np.inf])
    @pytest.mark.parametrize("standardize", [False, True])
    def test_units_change_no_direction(self, rng, exponent, scale, standardize):
        X = random_uncertain(rng, n=8, d=3)
        unit = 2.0 ** round(exponent * np.log2(10))
        here = uapca.UAPCA(scale=scale, standardize=standardize).fit(X)
        if scale == 1e6 and exponent == 150 and not standardize:
            return  # s²Ψ̄ overflows there
        there = uapca.UAPCA(scale=scale, standardize=standardize).fit(X.affine(np.full(3, unit)))
        assert_allclose(there.components_, here.components_, atol=1e-10)
        ratio = here.explained_variance_ratio_
        assert_allclose(there.explained_variance_ratio_, ratio, rtol=1e-9, atol=1e-15)
        scores = there.transform(X.affine(np.full(3, unit))).mean
        assert np.isfinite(scores).all()

    @pytest.mark.parametrize(
        "data",
        [
            {"mean": [[1e-170, 2e-170], [3e-170, -1e-170], [0.0, 1e-170]]},
            {"mean": [[1e-170, 2e-170], [1e-170, 2e-170]], "std": [1e-170, 2e-170]},
            {"mean": np.zeros((2, 2)), "std": [1e-170, 2e-170]},
        ],
    )
    @pytest.mark.parametrize("parameters", [{}, {"standardize": True}, {"scale": np.inf}])
    def test_squares_that_vanish_are_refused(self, data, parameters):
        X = uapca.UncertainArray(**data)
        with pytest.raises(ValueError, match="^X must .* the covariance underflows"):
            uapca.UAPCA(**parameters).fit(X)

    def test_a_small_feature_beside_others(self, rng):
        points = np.column_stack([rng.standard_normal((9, 2)), 1e-170 * rng.standard_normal(9)])
        pca = uapca.UAPCA().fit(points)
        assert_allclose(pca.components_[:2, 2], 0.0, atol=1e-15)
        with pytest.raises(ValueError, match="underflows"):
            uapca.UAPCA(standardize=True).fit(points)
        with pytest.raises(ValueError, match="underflows"):
            uapca.UncertainScaler().fit(points)

    @pytest.mark.parametrize("value", [0.0, 1e-170, 1.0, 1e170])
    def test_constant_rows_have_no_variance(self, value):
        for parameters in ({}, {"standardize": True}, {"solver": "svd"}):
            pca = uapca.UAPCA(2, **parameters).fit(np.full((4, 3), value))
            assert_array_equal(pca.explained_variance_, 0.0)
            assert_array_equal(pca.components_, np.eye(3)[:2])

    @pytest.mark.parametrize("solver", ["eigh", "lanczos"])
    @pytest.mark.parametrize(
        "data",
        [
            {"mean": [[1e200, 0.0], [-1e200, 1.0], [0.0, 1.0]], "std": [1.0, 2.0]},
            {"mean": [[1.0, 0.0], [2.0, 1.0], [0.0, 1.0]], "std": [1e200, 1.0]},
            {"mean": [[1.7e308, 0.0], [-1.7e308, 1.0], [0.0, 1.0]], "std": [1.0, 2.0]},
        ],
    )
    def test_squares_that_overflow_are_refused(self, data, solver):
        X = uapca.UncertainArray(**data)
        for parameters in ({}, {"standardize": True}):
            with pytest.raises(ValueError, match="^X must .* the covariance overflows"):
                uapca.UAPCA(1, solver=solver, **parameters).fit(X)

    def test_a_scale_that_overflows(self, rng):
        X = random_uncertain(rng, n=8, d=3).affine(np.full(3, 1e20))
        with pytest.raises(ValueError, match="overflows"):
            uapca.UAPCA(scale=1e140).fit(X)


def test_a_subclass_needs_no_transform_of_its_own(rng):
    class Named(uapca.UAPCA):
        pass

    points = rng.standard_normal((6, 3))
    np.testing.assert_array_equal(
        Named(2).fit_transform(points), uapca.UAPCA(2).fit_transform(points)
    )


@pytest.mark.parametrize("call", ["fit", "partial_fit", "transform"])
def test_columns_by_name_are_refused_in_words(rng, call):
    pca = uapca.UAPCA(1).fit(rng.standard_normal((5, 2)))
    with pytest.raises(TypeError, match="got a dict: uapca.read takes columns by name"):
        getattr(pca, call)({"x": [1.0, 2.0, 4.0], "y": [2.0, 3.0, 1.0]})


@pytest.mark.parametrize("parameter", ["n_components", "scale", "ddof", "solver"])
@pytest.mark.parametrize("kind", [uapca.UncertainArray, np.asarray])
def test_data_in_the_place_of_a_parameter_is_refused_in_one_line(rng, parameter, kind):
    X = kind(rng.standard_normal((30, 3)))
    with pytest.raises(ValueError, match=rf"^{parameter} must .* of shape \(30, 3\)") as error:
        uapca.UAPCA(**{parameter: X}).fit(X)
    assert "\n" not in str(error.value)


def test_arguments_of_factor_traces_that_were_swapped(rng):
    X = uapca.UncertainArray(rng.standard_normal((30, 3)))
    with pytest.raises(ValueError, match="n_components must .* got an UncertainArray of shape"):
        uapca.factor_traces(uapca.UAPCA(2).fit(X), X)
