"""Sparse points: the same fit and scores as dense ones, and nothing is made dense."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

import uapca


def sparse_of(rng, n, d, density=0.1):
    """Counts, with one column without zeros that lies far from zero."""
    dense = rng.poisson(3.0, (n, d)) * (rng.uniform(size=(n, d)) < density)
    dense = dense * np.linspace(3.0, 1.0, d)
    dense[:, 1] = 1e6 + rng.standard_normal(n)
    return dense


def same(ours, dense):
    assert_allclose(ours.mean_, dense.mean_, rtol=1e-12, atol=1e-14)
    assert_allclose(ours.explained_variance_, dense.explained_variance_, rtol=1e-10)
    assert_allclose(ours.explained_variance_ratio_, dense.explained_variance_ratio_, rtol=1e-10)
    assert_allclose(ours.components_, dense.components_, atol=1e-9)


@pytest.mark.parametrize("form", ["csr_array", "csc_array", "csr_matrix", "csc_matrix"])
@pytest.mark.parametrize("solver", ["eigh", "lanczos"])
@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_points_fit_as_dense_ones(rng, form, solver, standardize, weighted):
    points = sparse_of(rng, 300, 70)
    weights = rng.integers(0, 3, 300) if weighted else None
    X = getattr(sp, form)(points)
    parameters = {"standardize": standardize, "ddof": 1}
    ours = uapca.UAPCA(3, solver=solver, **parameters).fit(X, sample_weight=weights)
    dense = uapca.UAPCA(3, solver="eigh", **parameters).fit(points, sample_weight=weights)
    assert ours.solver_ == solver
    same(ours, dense)
    assert_allclose(ours.transform(X), dense.transform(points), atol=1e-8)
    assert ours.noise_variance_ == pytest.approx(dense.noise_variance_, rel=1e-9)


def test_wide_sparse_points_are_not_made_dense(rng):
    places = rng.integers(4000, size=48_000), rng.integers(6000, size=48_000)
    X = sp.csr_array((rng.random(48_000), places), shape=(4000, 6000))
    before = X.copy()
    tracemalloc.start()
    pca = uapca.UAPCA(3).fit(X)
    scores = pca.transform(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert pca.solver_ == "lanczos"
    assert peak < 0.25 * 4000 * 6000 * 8
    assert (before != X).nnz == 0
    assert_allclose(scores.mean(axis=0), 0.0, atol=1e-12)
    assert_allclose(scores.var(axis=0), pca.explained_variance_, rtol=1e-9)


def test_duplicates_and_stored_zeros_count_once():
    rows, columns = [0, 0, 1, 2, 2, 3], [0, 0, 1, 0, 1, 1]
    X = sp.csr_matrix(([1.0, 2.0, 4.0, 0.0, 5.0, 1.0], (rows, columns)), shape=(4, 2))
    X.data.flags.writeable = False
    doubled = sp.csr_matrix(
        (np.array([1.0, 2.0, 4.0, 0.0, 5.0, 1.0]), np.array(columns), np.array([0, 2, 3, 5, 6]))
    )
    for points in (X, doubled):
        same(uapca.UAPCA(2).fit(points), uapca.UAPCA(2).fit(points.toarray()))


def test_float32_stays_float32(rng):
    X = sp.csr_array(sparse_of(rng, 50, 8).astype(np.float32))
    pca = uapca.UAPCA(2).fit(X)
    assert pca.components_.dtype == pca.transform(X).dtype == np.float32


def test_what_sparse_points_cannot_have(rng):
    X = sp.csr_array(np.eye(5))
    with pytest.raises(TypeError, match="^std must be left out where X is a sparse array"):
        uapca.UAPCA().fit(X, std=1.0)
    with pytest.raises(ValueError, match="^solver must be 'eigh' or 'lanczos'; got 'svd', which"):
        uapca.UAPCA(solver="svd").fit(X)
    with pytest.raises(ValueError, match="overflows"):
        uapca.UAPCA().fit(X * 1e200)
    with pytest.raises(ValueError, match="underflows"):
        uapca.UAPCA().fit(X * 1e-200)
    with pytest.raises(ValueError, match="NaN"):
        uapca.UAPCA().fit(X * np.nan)
    with pytest.raises(ValueError, match="2 features"):
        uapca.UAPCA(1).fit(X).transform(X[:, :2])


def test_ties_and_no_variance_at_all():
    """A balanced one-hot table: C is a multiple of the identity but for one direction."""
    pca = uapca.UAPCA(3).fit(sp.eye_array(2500, format="csr"))
    assert_allclose(pca.explained_variance_, 1 / 2500, rtol=1e-10)
    assert_allclose(pca.components_ @ pca.components_.T, np.eye(3), atol=1e-12)
    still = uapca.UAPCA(2).fit(sp.csr_array((30, 2500)))
    assert_allclose(still.explained_variance_, 0.0, atol=0)
    assert_allclose(still.components_ @ still.components_.T, np.eye(2), atol=0)


@pytest.mark.parametrize("size", [1e-160, 1e-170])
def test_squares_that_underflow_are_refused_as_for_dense_points(size):
    for points in (np.eye(3) * size, sp.csr_array(np.eye(3) * size)):
        with pytest.raises(ValueError, match="underflow"):
            uapca.UAPCA(2).fit(points)


def test_a_small_feature_is_refused_as_for_dense_points_when_standardized(rng):
    points = np.column_stack([rng.standard_normal((9, 2)), 1e-170 * rng.standard_normal(9)])
    for X in (points, sp.csr_array(points)):
        assert_allclose(uapca.UAPCA().fit(X).components_[:2, 2], 0.0, atol=1e-15)
        with pytest.raises(ValueError, match="underflows"):
            uapca.UAPCA(standardize=True).fit(X)
