"""Laws of rows: carried, mapped, saved, sampled, drawn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import uapca
from uapca.laws import (
    DegenerateLawError,
    Independent,
    Mixture,
    Normal,
    NormalMarginal,
    Samples,
    Trapezoid,
    Uniform,
)


@pytest.fixture
def X():
    laws = [
        Independent([Uniform(0, 2), Trapezoid(10, 11, 13, 15), NormalMarginal(1, 2)]),
        Mixture([1, 3], [Normal([0, 0, 0], np.eye(3)), Normal([6, 0, 0], np.eye(3))]),
        Samples(np.random.default_rng(0).standard_normal((300, 3))),
    ]
    return uapca.UncertainArray(
        [law.mean for law in laws], [law.cov for law in laws], laws=laws, names=["a", "b", "c"]
    )


def assert_laws_fit(Y):
    """The law of every row has the row's mean and covariance."""
    for i, law in enumerate(Y.laws):
        assert_allclose(law.mean, Y.mean[i], atol=1e-12)
        assert_allclose(law.cov, Y.cov.dense()[i], atol=1e-12)


def test_laws_go_along(X, rng):
    A, b = rng.standard_normal((2, 3)), rng.standard_normal(2)
    assert_laws_fit(X)
    assert_laws_fit(X.affine(A, b))
    assert_laws_fit(X.affine([1.0, 2.0, 0.5], [0.0, 1.0, 2.0]).affine(A, b))
    assert_laws_fit(X.affine(A).affine([2.0, 3.0]))
    assert_laws_fit(X.scaled(0.5))
    assert_laws_fit(X.affine(A, b).scaled(3))
    assert_laws_fit(X[["c", "a"]])
    assert_laws_fit(X[1:, [2, 0]])
    assert_laws_fit(uapca.concat([X, X]))
    assert_laws_fit(uapca.UAPCA(2).fit_transform(X))
    assert_laws_fit(uapca.UncertainScaler().fit_transform(X))
    pca = uapca.UAPCA(2).fit(X)
    assert_laws_fit(pca.inverse_transform(pca.transform(X)))


def test_the_fit_sees_mean_and_covariance_only(X):
    plain = uapca.UncertainArray(X.mean, X.cov.dense())
    one, other = uapca.UAPCA().fit(X), uapca.UAPCA().fit(plain)
    np.testing.assert_array_equal(one.components_, other.components_)


def test_the_density_sees_the_law(X):
    grid = np.linspace(-30, 30, 2001)
    Y = uapca.UAPCA(1).fit_transform(X)
    plain = uapca.UncertainArray(Y.mean, Y.cov.dense())
    for name, row in zip("abc", range(3), strict=True):
        for Z in (Y.density(name, grid), plain.density(row, grid)):
            assert np.trapezoid(Z, grid) == pytest.approx(1, abs=1e-3)
    modes = X[:, 0].density("b", [0.0, 3.0, 6.0])
    assert modes[1] < min(modes[0], modes[2])


def test_levels_enclose_their_mass(X):
    Y = uapca.UAPCA(2).fit_transform(X)
    xs = np.linspace(-25, 25, 801)
    for name in "ab":
        density = Y.density(name, (xs, xs))
        for p, level in zip((0.5, 0.9), Y.levels(name, [0.5, 0.9]), strict=True):
            mass = density[density >= level].sum() * (xs[1] - xs[0]) ** 2
            assert mass == pytest.approx(p, abs=0.01)


def test_a_degenerate_projection_is_described():
    X = uapca.UncertainArray([[0.0, 0.0, 0.0]], std=[[1.0, 0.0, 0.0]])
    flat = X.affine([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    with pytest.raises(DegenerateLawError, match="line"):
        flat.density(0, (np.zeros(3), np.zeros(3)))
    assert_allclose(flat.law(0).along_line().law.cov, [[2.0]])


def test_sampling_follows_the_law(X):
    draws = X.sample(4000, rng=1)
    assert draws.shape == (4000, 3, 3)
    assert draws[:, 0, 0].min() >= 0
    assert draws[:, 0, 0].max() <= 2


@pytest.mark.parametrize("A", [[[1.0, -2.0, 0.5], [0.0, 1.0, 1.0]], [2.0, -1.0, 3.0]])
def test_mapped_rows_are_drawn_as_the_map_of_their_draws(X, A):
    image = X.affine(np.array(A), b=np.arange(len(A)))
    expected = (
        X.sample(50, rng=1) @ np.diag(A).T
        if np.ndim(A) == 1
        else X.sample(50, rng=1) @ np.transpose(A)
    )
    assert_allclose(image.sample(50, rng=1), expected + np.arange(len(A)), rtol=1e-12, atol=1e-12)


def test_saving(X, tmp_path, rng):
    Y = X.affine(rng.standard_normal((2, 3)))
    for Z in (X, Y):
        Z.save(tmp_path / "z.uapca")
        assert uapca.load(tmp_path / "z.uapca").laws == Z.laws


def test_a_law_of_another_dimension():
    with pytest.raises(ValueError, match="dimension"):
        uapca.UncertainArray([[0.0, 1.0]], laws=[Independent([1, 2, 3])])


@pytest.mark.parametrize("row", [[0, 1], slice(0, 1)])
def test_one_row(X, row):
    with pytest.raises(IndexError, match="^row must be the position or the name of one row"):
        X.law(row)
