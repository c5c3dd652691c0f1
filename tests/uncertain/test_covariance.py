"""One contract, run on every representation against dense algebra."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import uapca
from builders import KINDS, random_uncertain
from uapca.uncertain import Dense, Diagonal, LowRank
from uapca.uncertain.covariance import row_blocks

EXACT = {"rtol": 1e-13, "atol": 1e-13}
SINGLE = {"rtol": 2e-5, "atol": 2e-5}


@pytest.fixture(params=[*KINDS, "shared axes", "shared axes and factors"])
def cov(request, rng):
    return random_uncertain(rng, kind=request.param).cov


@pytest.fixture
def weights(rng):
    w = rng.uniform(0, 1, 12)
    w[3] = 0
    return w / w.sum()


def test_shape_and_length(cov):
    assert cov.shape == (12, 5, 5)
    assert len(cov) == 12
    assert cov.dense().shape == (12, 5, 5)


def test_average(cov, weights):
    assert_allclose(cov.average(), cov.dense().mean(axis=0), **EXACT)
    assert_allclose(cov.average(weights), np.einsum("n,nij->ij", weights, cov.dense()), **EXACT)
    assert_array_equal(cov.average(weights), cov.average(weights).T)


def test_average_diagonal(cov, weights):
    assert_allclose(cov.average_diagonal(weights), np.diag(cov.average(weights)), **EXACT)


@pytest.mark.parametrize("shape", [(5,), (5, 3)])
def test_average_operator(cov, weights, rng, shape):
    x = rng.standard_normal(shape)
    assert_allclose(cov.average_operator(weights)(x), cov.average(weights) @ x, **EXACT)
    assert_allclose(cov.average_operator()(x), cov.average() @ x, **EXACT)


@pytest.mark.parametrize("q", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("orthonormal", [True, False])
def test_project(cov, rng, q, orthonormal):
    A = rng.standard_normal((q, 5))
    if orthonormal:
        A = np.linalg.qr(A.T)[0].T
    image = cov.project(A)
    expected = np.einsum("pi,nij,qj->npq", A, cov.dense(), A)
    assert image.shape == (12, q, q)
    assert_allclose(image.dense(), expected, **EXACT)
    assert_array_equal(image.dense(), image.dense().transpose(0, 2, 1))


def test_project_by_factors_keeps_the_representation(cov, rng):
    a = rng.standard_normal(5)
    image = cov.project(a)
    assert type(image) is type(cov)
    assert_allclose(image.dense(), cov.dense() * a * a[:, None], **EXACT)


def test_variances_along(cov, rng):
    A = rng.standard_normal((3, 5))
    expected = np.einsum("qi,nij,qj->nq", A, cov.dense(), A)
    assert_allclose(cov.variances_along(A), expected, **EXACT)


def test_diagonal(cov):
    assert_allclose(cov.diagonal(), np.diagonal(cov.dense(), axis1=1, axis2=2), **EXACT)


@pytest.mark.parametrize("s", [0.0, 0.3, 7.0])
def test_scaled(cov, s):
    assert_allclose(cov.scaled(s).dense(), s**2 * cov.dense(), **EXACT)
    assert_allclose(cov.scaled(s).scaled(2.0).average(), 4 * s**2 * cov.average(), **EXACT)
    assert_allclose(cov.scaled(s).project(np.eye(5)[:2]).dense(), s**2 * cov.dense()[:, :2, :2])
    assert_allclose(cov.scaled(s).variances_along(np.eye(5)), s**2 * cov.diagonal(), **EXACT)


def test_scaled_shares_the_data(cov):
    for name, array in cov.scaled(3.0).arrays.items():
        assert np.shares_memory(array, cov.arrays[name])


@pytest.mark.parametrize("rows", [slice(2, 9, 3), np.array([4, 1]), slice(0, 1)])
def test_take(cov, rows):
    assert type(cov.take(rows)) is type(cov)
    assert_array_equal(cov.take(rows).dense(), cov.dense()[rows])


@pytest.mark.parametrize("columns", [slice(1, 4), np.array([3, 0]), np.array([2])])
def test_select(cov, columns):
    assert type(cov.select(columns)) is type(cov)
    assert_allclose(cov.select(columns).dense(), cov.dense()[:, columns][:, :, columns], **EXACT)


def test_deviates_have_the_covariance(cov):
    draws = cov.deviates(40_000, np.random.default_rng(1))
    assert draws.shape == (40_000, 12, 5)
    found = np.einsum("kni,knj->nij", draws, draws) / len(draws)
    expected = cov.dense()
    variances = np.diagonal(expected, axis1=1, axis2=2)
    # Var(x_i x_j) = Ψ_ii Ψ_jj + Ψ_ij² for normals: five standard errors.
    error = np.sqrt((variances[:, :, None] * variances[:, None, :] + expected**2) / len(draws))
    assert (np.abs(found - expected) <= 5 * error + 1e-12).all()


@pytest.mark.parametrize("kind", KINDS)
def test_float32_is_kept_and_sums_are_float64(rng, kind):
    X = random_uncertain(rng, kind=kind, dtype=np.float32)
    assert X.mean.dtype == np.float32
    for array in X.cov.arrays.values():
        assert array.dtype == np.float32
    assert X.cov.average().dtype == np.float64
    assert_allclose(X.cov.average(), X.cov.dense().astype(float).mean(axis=0), **SINGLE)
    A = rng.standard_normal((2, 5))
    for array in X.cov.project(A).arrays.values():
        assert array.dtype == np.float32 or kind in ("by feature", "one number")
    assert_allclose(
        X.cov.project(A).dense(),
        np.einsum("pi,nij,qj->npq", A, X.cov.dense(), A),
        **SINGLE,
    )


def test_float32_sums_do_not_lose_small_terms():
    """A million equal terms: summing in float32 would be off by far more than one rounding."""
    n = 200_000
    matrices = np.full((n, 1, 1), 0.1, dtype=np.float32)
    assert_allclose(Dense(matrices).average(), float(np.float32(0.1)), rtol=1e-12)


def test_isotropic_stays_isotropic_under_an_orthonormal_projection(rng):
    cov = random_uncertain(rng, kind="isotropic").cov
    A = np.linalg.qr(rng.standard_normal((5, 2)))[0].T
    assert cov.project(A).kind == "diagonal"
    assert cov.project(2 * A).kind == "diagonal"
    assert cov.project(A * [[1], [2]]).kind == "dense"


def test_low_rank_stays_low_rank_under_any_projection(rng):
    cov = random_uncertain(rng, kind="low-rank").cov
    assert cov.project(rng.standard_normal((3, 5))).kind == "low-rank"


def test_not_contiguous_matrices(rng):
    cov = random_uncertain(rng, kind="dense").cov
    strange = np.asfortranarray(cov.dense())
    other = Dense(strange)
    A = rng.standard_normal((2, 5))
    assert_allclose(other.average(), cov.average(), **EXACT)
    assert_allclose(other.project(A).dense(), cov.project(A).dense(), **EXACT)
    assert_allclose(other.project(np.eye(5)).dense(), cov.dense(), **EXACT)


def test_projection_into_more_features_stays_small(cov, rng):
    A = rng.standard_normal((8, 5))
    image = cov.project(A)
    assert image.kind in ("zero", "low-rank", "shared-axes")
    assert_allclose(image.dense(), A @ cov.dense() @ A.T, **EXACT)


@pytest.mark.parametrize("kind", ["diagonal", "low-rank"])
def test_rows_of_weight_zero_do_not_enter_averages(kind):
    """The square of their errors overflows, but 0 · ∞ must not make the average NaN."""
    std = np.array([[1.0, 2.0], [1e200, 1e200], [1.0, 2.0]])
    cov = Diagonal(std, 3, 2) if kind == "diagonal" else LowRank(std[:, :, None] * np.eye(2))
    w = np.array([0.5, 0.0, 0.5])
    assert_allclose(cov.average(w), [[1.0, 0.0], [0.0, 4.0]], rtol=1e-15)
    assert_allclose(cov.average_diagonal(w), [1.0, 4.0], rtol=1e-15)
    assert_allclose(cov.average_operator(w)(np.eye(2)), [[1.0, 0.0], [0.0, 4.0]], rtol=1e-15)
    assert cov.average_diagonal()[0] == np.inf


def test_row_blocks_cover_every_row_once():
    rows = [i for block in row_blocks(10_001, 500) for i in range(block.start, block.stop)]
    assert rows == list(range(10_001))


@pytest.mark.parametrize("kind", ["shared axes", "shared axes and factors"])
def test_rows_with_the_same_axes_are_joined_along_them(rng, kind):
    X = random_uncertain(rng, kind=kind)
    both = uapca.concat([X[:4], X[4:].scaled(2.0)])
    assert both.cov.kind == "shared-axes"
    expected = np.concatenate([X.cov.dense()[:4], 4.0 * X.cov.dense()[4:]])
    assert_allclose(both.cov.dense(), expected, **EXACT)


def test_scales_whose_square_single_precision_does_not_hold():
    std = np.array([[0, 1], [1, 2]], np.float32)
    X = uapca.UncertainArray(np.zeros((2, 2), np.float32), std=std)
    cov = X.scaled(1e20).cov
    wanted = [[0.0, np.inf], [np.inf, np.inf]]
    assert_array_equal(cov.diagonal(), wanted)
    assert_array_equal(cov.dense(), [[[0, 0], [0, np.inf]], [[np.inf, 0], [0, np.inf]]])
    assert cov.dense().dtype == cov.diagonal().dtype == np.float32
