"""What must hold exactly: the mathematics of the method."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA

import uapca
from builders import KINDS, grouped, random_covariances, random_uncertain

SCALES = (0.0, 0.3, 1.0, 2.0, 50.0, np.inf)


def relative_difference(found, expected):
    return np.abs(found - expected).max() / np.abs(expected).max()


def test_a_case_by_hand():
    """Means (±1, 0), errors of variance 3 along the second axis: K = diag(1, 3 s²)."""
    X = uapca.UncertainArray([[1.0, 0.0], [-1.0, 0.0]], std=[0.0, np.sqrt(3.0)])
    pca = uapca.UAPCA().fit(X)
    assert_allclose(pca.explained_variance_, [3, 1], rtol=1e-15)
    assert_array_equal(pca.components_, [[0, 1], [1, 0]])
    assert_allclose(pca.explained_variance_ratio_, [0.75, 0.25], rtol=1e-15)
    assert_array_equal(pca.mean_, [0, 0])
    half = pca.rescale(0.5)
    assert_allclose(half.explained_variance_, [1, 0.75], rtol=1e-15)
    assert_array_equal(half.components_, [[1, 0], [0, 1]])


def test_algorithm_1(rng):
    """The paper's loop, literally."""
    X = random_uncertain(rng, n=7, d=4)
    for s in (0.0, 0.4, 1.0, 3.0):
        mean = sum(X.mean) / len(X)
        K = np.zeros((4, 4))
        for m, cov in zip(X.mean, X.cov.dense(), strict=True):
            K += np.outer(m, m) + s**2 * cov - np.outer(mean, mean)
        K /= len(X)
        assert_allclose(uapca.UAPCA(scale=s).fit(X).get_covariance(), K, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_scale_zero_is_pca_of_the_means(rng, kind):
    X = random_uncertain(rng, n=30, d=5, kind=kind)
    ours = uapca.UAPCA(scale=0, ddof=1).fit(X)
    theirs = PCA().fit(X.mean)
    assert_allclose(ours.components_, theirs.components_, atol=1e-12)
    assert_allclose(ours.explained_variance_, theirs.explained_variance_, rtol=1e-12)
    ratio = theirs.explained_variance_ratio_
    assert_allclose(ours.explained_variance_ratio_, ratio, rtol=1e-12)
    assert_allclose(ours.mean_, theirs.mean_, rtol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_iris_by_any_labeling_is_the_pca_of_the_points(seed):
    points, labels = load_iris(return_X_y=True)
    if seed:
        labels = np.random.default_rng(seed).integers(0, 3 * seed, len(points))
    pca = uapca.UAPCA().fit(grouped(points, labels))
    assert relative_difference(pca.get_covariance(), np.cov(points.T, bias=True)) <= 1e-12
    assert_allclose(pca.components_, PCA().fit(points).components_, atol=1e-10)


@pytest.mark.parametrize("level", ["Family", "Genus", "Species"])
def test_anuran_by_family_genus_and_species(anuran, level):
    points, labels = anuran
    X = grouped(points, labels[level])
    assert len(X) == {"Family": 4, "Genus": 8, "Species": 10}[level]
    pca = uapca.UAPCA().fit(X)
    assert relative_difference(pca.get_covariance(), np.cov(points.T, bias=True)) <= 1e-12
    assert_allclose(pca.components_, PCA().fit(points).components_, atol=1e-9)


@pytest.mark.parametrize("s", [*SCALES, 1e4, 1e8])
@pytest.mark.parametrize("how", ["one number", "by row", "matrices"])
def test_isotropic_errors_leave_the_components(rng, s, how):
    means = rng.standard_normal((20, 4)) * [4, 3, 2, 1]
    sizes = rng.uniform(0.1, 2, (20, 1))
    errors = {
        "one number": {"std": 0.8},
        "by row": {"std": sizes},
        "matrices": {"cov": sizes[..., None] ** 2 * np.eye(4)},
    }[how]
    plain = uapca.UAPCA().fit(means)
    pca = uapca.UAPCA(scale=s).fit(uapca.UncertainArray(means, **errors))
    assert_allclose(pca.components_, plain.components_, atol=1e-11)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("s", [0.0, 0.3, 1.0, 7.0])
def test_scaling_the_data_is_scaling_the_fit(rng, kind, s):
    X = random_uncertain(rng, kind=kind)
    one, other = uapca.UAPCA().fit(X.scaled(s)), uapca.UAPCA(scale=s).fit(X)
    scale = np.abs(other.get_covariance()).max()
    assert_allclose(one.get_covariance(), other.get_covariance(), atol=1e-13 * scale)
    q = min(one.n_components_, other.n_components_)
    assert_allclose(one.explained_variance_[:q], other.explained_variance_[:q], rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("s", SCALES)
def test_every_representation_equals_dense(rng, kind, s):
    X = random_uncertain(rng, kind=kind, weights=rng.uniform(size=12))
    dense = uapca.UncertainArray(X.mean, X.cov.dense(), weights=X.weights)
    one, other = uapca.UAPCA(5, scale=s).fit(X), uapca.UAPCA(5, scale=s).fit(dense)
    # A matrix that is diagonal is diagonal exactly; as a sum of matrices it may be off by rounding.
    assert_allclose(one.get_covariance(), other.get_covariance(), rtol=1e-12, atol=1e-14)
    assert_allclose(one.explained_variance_, other.explained_variance_, rtol=1e-10, atol=1e-14)
    assert_allclose(one.components_, other.components_, atol=1e-8)
    Y, Z = one.transform(X), other.transform(dense)
    assert_allclose(Y.mean, Z.mean, atol=1e-7)
    assert_allclose(Y.cov.dense(), Z.cov.dense(), atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_and_repeated_rows_agree(rng, kind):
    X = random_uncertain(rng, kind=kind)
    counts = rng.integers(0, 4, 12)
    repeated = X[np.repeat(np.arange(12), counts)]
    weighted = X.reweighted(counts)
    one, other = uapca.UAPCA().fit(repeated), uapca.UAPCA().fit(weighted)
    assert_allclose(one.get_covariance(), other.get_covariance(), rtol=1e-12, atol=1e-13)
    assert_allclose(one.components_, other.components_, atol=1e-9)
    assert one.n_components_ == other.n_components_


@pytest.mark.parametrize("s", SCALES)
@pytest.mark.parametrize("kind", KINDS)
def test_row_order_does_not_matter(rng, s, kind):
    X = random_uncertain(rng, kind=kind, weights=rng.uniform(size=12))
    Y = X[rng.permutation(12)]
    one, other = uapca.UAPCA(scale=s).fit(X), uapca.UAPCA(scale=s).fit(Y)
    assert_allclose(one.components_, other.components_, atol=1e-8)
    assert_allclose(one.explained_variance_, other.explained_variance_, rtol=1e-10, atol=1e-14)


def test_row_order_does_not_matter_with_exact_ties():
    """A square of points: any two orthogonal axes are as good as another."""
    square = np.array([[1.0, 1, 0], [1, -1, 0], [-1, 1, 0], [-1, -1, 0]])
    first = uapca.UAPCA(2).fit(square).components_
    assert_array_equal(first, np.eye(3)[:2])
    for order in ([1, 0, 3, 2], [3, 1, 2, 0], [2, 3, 0, 1]):
        assert_allclose(uapca.UAPCA(2).fit(square[order]).components_, first, atol=1e-12)


@pytest.mark.parametrize("n", [50, 5000])
def test_an_offset_of_1e8(rng, n):
    """What is reachable: the data itself is rounded to 1.5e-8 at 1e8, nothing else is lost.

    Rounding every value independently adds variance 2e-17 and, to each eigenvalue, a relative
    change of about 1.5e-8 / √n: far below 1e-6. With values that float64 holds exactly at the
    offset the eigenvalues agree to 1e-12.
    """
    mean = rng.standard_normal((n, 4)) * [3, 2, 1, 0.5]
    cov = random_covariances(rng, n, 4)
    here = uapca.UAPCA().fit(uapca.UncertainArray(mean, cov))
    there = uapca.UAPCA().fit(uapca.UncertainArray(mean + 1e8, cov))
    assert_allclose(there.explained_variance_, here.explained_variance_, rtol=1e-7)
    assert_allclose(there.components_, here.components_, atol=1e-6)

    exact = np.round(mean * 1024) / 1024
    here = uapca.UAPCA().fit(uapca.UncertainArray(exact, cov))
    there = uapca.UAPCA().fit(uapca.UncertainArray(exact + 2.0**27, cov))
    assert_allclose(there.explained_variance_, here.explained_variance_, rtol=1e-12)
    scores = there.transform(uapca.UncertainArray(exact + 2.0**27, cov)).mean
    assert_allclose(scores, here.transform(uapca.UncertainArray(exact, cov)).mean, atol=1e-7)


def test_one_huge_weight(rng):
    X = random_uncertain(rng, n=6, d=3, weights=[1e15, 1, 1, 1, 1, 1])
    pca = uapca.UAPCA().fit(X)
    assert_allclose(pca.mean_, X.mean[0], rtol=1e-12)
    assert_allclose(pca.get_covariance(), X.cov.dense()[0], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("s", SCALES)
@pytest.mark.parametrize(
    "X",
    [
        uapca.UncertainArray([[1.0, 2.0, 3.0]], std=[1.0, 2.0, 3.0]),
        uapca.UncertainArray([[1.0, 2.0, 3.0]]),
        uapca.UncertainArray([[2.0], [3.0]], std=1.0),
        uapca.UncertainArray([[2.0]], std=1.0),
        uapca.UncertainArray(np.ones((4, 3)), cov=np.ones((3, 3))),
        uapca.UncertainArray(np.ones((4, 3))),
        uapca.UncertainArray(np.eye(3), cov=np.zeros((3, 3, 3))),
        uapca.UncertainArray(np.eye(4)[:2], factors=np.ones((2, 4, 1))),
    ],
    ids=[
        "one row",
        "one certain row",
        "one feature",
        "one value",
        "identical rows",
        "identical certain rows",
        "zero matrices",
        "rank one",
    ],
)
def test_edges_are_finite_orthonormal_and_deterministic(X, s):
    pca = uapca.UAPCA(scale=s).fit(X)
    q = pca.n_components_
    for values in (pca.components_, pca.explained_variance_, pca.explained_variance_ratio_):
        assert np.isfinite(values).all()
    assert_allclose(pca.components_ @ pca.components_.T, np.eye(q), atol=1e-13)
    again = uapca.UAPCA(scale=s).fit(X)
    assert_array_equal(again.components_, pca.components_)
    Y = pca.transform(X)
    assert Y.shape == (len(X), q)
    assert np.isfinite(Y.cov.dense()).all()


@given(
    st.integers(1, 6), st.integers(1, 5), st.integers(0, 2**32 - 1), st.sampled_from([0, 1e4, 1e8])
)
def test_total_variance_is_kept_by_a_full_projection(n, d, seed, offset):
    rng = np.random.default_rng(seed)
    X = random_uncertain(rng, n=n, d=d, weights=rng.uniform(0.1, 1, n))
    X = X.affine(np.ones(d), np.full(d, float(offset)))
    pca = uapca.UAPCA(d).fit(X)
    K = pca.transform(X).pooled()[1]
    assert_allclose(np.diag(K), pca.explained_variance_, rtol=1e-6, atol=1e-12)


def test_points_certain_and_uncertain_mix(rng):
    sure = uapca.UncertainArray(rng.standard_normal((5, 3)))
    vague = random_uncertain(rng, n=4, d=3)
    X = uapca.concat([sure, vague])
    expected = np.cov(X.mean.T, bias=True) + 4 / 9 * vague.cov.average()
    assert_allclose(uapca.UAPCA().fit(X).get_covariance(), expected, rtol=1e-12, atol=1e-14)


def test_features_of_very_different_size_are_not_taken_for_ties(rng):
    """One variance of 1e14 beside two of order one: those two are still told apart."""
    points = rng.standard_normal((500, 3)) @ np.array([[1e7, 0, 0], [0, 1, 0], [0, 1, 1]]).T
    ours, theirs = uapca.UAPCA(ddof=1).fit(points), PCA(svd_solver="full").fit(points)
    overlap = np.abs((ours.components_ * theirs.components_).sum(axis=1))
    # Rounding of K, 1e14 ε = 0.02, against a gap of 2: a few parts in a hundred.
    assert (overlap > 0.99).all()


@pytest.mark.parametrize("n", [1000, 100_000])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_small_spread_at_a_large_offset(rng, n, weighted):
    """Exact in float64 at the offset: the rounding of the mean must not enter the variances."""
    points = np.round(rng.standard_normal((n, 4)) * 64) * 2.0**-26
    weights = rng.uniform(size=n) if weighted else None
    here = uapca.UAPCA().fit(points, sample_weight=weights)
    there = uapca.UAPCA().fit(points + 1e8, sample_weight=weights)
    assert_allclose(there.explained_variance_, here.explained_variance_, rtol=1e-9)


@pytest.mark.parametrize("solver", ["eigh", "svd", "lanczos"])
def test_directions_without_variance_do_not_depend_on_row_order(rng, solver):
    points = rng.standard_normal((6, 200))
    first = uapca.UAPCA(6, solver=solver).fit(points).components_
    again = uapca.UAPCA(6, solver=solver).fit(points[rng.permutation(6)]).components_
    assert_allclose(again, first, atol=1e-8)
    reference = uapca.UAPCA(6, solver="eigh").fit(points).components_
    assert_allclose(first, reference, atol=1e-7)
