"""Bad input: each mistake has its own words."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

import uapca
from uapca.laws import Normal

MEAN = np.zeros((3, 2))
EYE = np.tile(np.eye(2), (3, 1, 1))


def changed(array, index, value):
    array = np.array(array, dtype=float)
    array[index] = value
    return array


CASES = {
    "NaN in the means": (
        {"mean": changed(MEAN, (1, 0), np.nan)},
        ValueError,
        "mean must be finite; got NaN at row 1, feature 0 (1 such in all)",
    ),
    "infinities in the means": (
        {"mean": np.full((3, 2), -np.inf)},
        ValueError,
        "mean must be finite; got -inf at row 0, feature 0 (6 such in all)",
    ),
    "NaN in a covariance": (
        {"mean": MEAN, "cov": changed(EYE, (2, 0, 1), np.nan)},
        ValueError,
        "cov must be finite; got NaN at row 2, feature 0, feature 1 (1 such in all)",
    ),
    "infinity in the errors": (
        {"mean": MEAN, "std": [1.0, np.inf]},
        ValueError,
        "std must be finite; got inf at feature 1 (1 such in all)",
    ),
    "one dimension": (
        {"mean": [1.0, 2.0]},
        ValueError,
        "mean must have two dimensions, (rows, features); got shape (2,): use "
        "mean[None, :] for a single row, mean[:, None] for a single feature",
    ),
    "no rows": (
        {"mean": np.zeros((0, 3))},
        ValueError,
        "mean must have at least one row and one feature; got shape (0, 3)",
    ),
    "no features": (
        {"mean": np.zeros((3, 0))},
        ValueError,
        "mean must have at least one row and one feature; got shape (3, 0)",
    ),
    "covariances of another shape": (
        {"mean": MEAN, "cov": np.zeros((4, 2, 2))},
        ValueError,
        "cov must have shape (3, 2, 2), one matrix for each row, or (2, 2), one for all; "
        "got shape (4, 2, 2)",
    ),
    "variances passed as cov": (
        {"mean": MEAN, "cov": np.ones((3, 2))},
        ValueError,
        "cov must have shape (3, 2, 2), one matrix for each row, or (2, 2), one for all; "
        "got shape (3, 2): pass variances as std=numpy.sqrt(cov)",
    ),
    "errors of another shape": (
        {"mean": MEAN, "std": [1.0, 2.0, 3.0]},
        ValueError,
        "std must broadcast to the shape (3, 2) of mean; got shape (3,)",
    ),
    "negative errors": (
        {"mean": MEAN, "std": changed(np.ones((3, 2)), (2, 1), -0.5)},
        ValueError,
        "std must not be negative; row 2, feature 1 has -0.5",
    ),
    "a negative number": (
        {"mean": MEAN, "std": -1},
        ValueError,
        "std must not be negative; got -1.0",
    ),
    "factors of another shape": (
        {"mean": MEAN, "factors": np.ones((3, 4, 1))},
        ValueError,
        "factors must have shape (3, 2, r) to fit mean of shape (3, 2); got shape (3, 4, 1)",
    ),
    "cov and std": (
        {"mean": MEAN, "cov": EYE, "std": 1.0},
        ValueError,
        "cov must be the only errors given; got both cov and std",
    ),
    "asymmetric": (
        {"mean": MEAN, "cov": changed(EYE, (1, 0, 1), 0.25)},
        ValueError,
        "cov must be symmetric; the matrix of row 1 differs from its transpose by 0.25",
    ),
    "indefinite": (
        {"mean": MEAN, "cov": changed(EYE, 1, [[1.0, 2.0], [2.0, 1.0]])},
        ValueError,
        "cov must be positive semi-definite; the matrix of row 1 has the eigenvalue -1",
    ),
    "indefinite and shared": (
        {"mean": MEAN, "cov": np.diag([1.0, -0.5])},
        ValueError,
        "cov must be positive semi-definite; it has the eigenvalue -0.5",
    ),
    "a negative variance alone": (
        {"mean": [[0.0]], "cov": [[[-1e-30]]]},
        ValueError,
        "cov must be positive semi-definite; the matrix of row 0 has the eigenvalue -1e-30",
    ),
    "indefinite beside a large variance": (
        {"mean": np.zeros((1, 3)), "cov": [[[1e10, 0, 0], [0, 1, 5], [0, 5, 1]]]},
        ValueError,
        "cov must be positive semi-definite; the matrix of row 0 has the eigenvalue -4",
    ),
    "asymmetric beside a large variance": (
        {"mean": np.zeros((1, 3)), "cov": [[[1e10, 0, 0], [0, 1, 0.9], [0, -0.9, 1]]]},
        ValueError,
        "cov must be symmetric; the matrix of row 0 differs from its transpose by 1.8",
    ),
    "a negative variance beside a large one": (
        {"mean": np.zeros((1, 2)), "cov": [[[1e10, 0], [0, -1]]]},
        ValueError,
        "cov must be positive semi-definite; the matrix of row 0 has the eigenvalue -1",
    ),
    "masked values": (
        {"mean": np.ma.masked_equal([[1.0, 2.0]], 2.0)},
        ValueError,
        "mean must have no masked values; the value at (0, 1) is masked",
    ),
    "ragged rows": (
        {"mean": [[1.0, 2.0], [3.0]]},
        ValueError,
        "mean must have rows of the same length; got a ragged sequence",
    ),
    "a number for names": (
        {"mean": MEAN, "names": 5},
        TypeError,
        "names must be a sequence of strings, one for each row; got 5",
    ),
    "errors in another order": (
        {
            "mean": pd.DataFrame({"a": [1.0], "b": [2.0]}),
            "std": pd.DataFrame({"b": [0.1], "a": [0.2]}),
        },
        ValueError,
        "std must have the columns of mean in the same order; got ['b', 'a'] for ['a', 'b']",
    ),
    "laws of other means": (
        {"mean": [[0.0, 0.0]], "laws": [Normal([5.0, 5.0], np.eye(2))]},
        ValueError,
        "laws must have the means of their rows; the law of row 0 has mean [5. 5.] instead of "
        "[0. 0.]",
    ),
    "negative weights": (
        {"mean": MEAN, "weights": [1.0, -2.0, 1.0]},
        ValueError,
        "weights must not be negative; row 1 has -2.0",
    ),
    "zero weights": (
        {"mean": MEAN, "weights": [0, 0, 0]},
        ValueError,
        "weights must have a positive sum; all 3 are zero",
    ),
    "too few weights": (
        {"mean": MEAN, "weights": [1, 1]},
        ValueError,
        "weights must have one entry for each of the 3 rows; got shape (2,)",
    ),
    "NaN among the weights": (
        {"mean": MEAN, "weights": [1, np.nan, 1]},
        ValueError,
        "weights must be finite; got NaN at row 1 (1 such in all)",
    ),
    "duplicate names": (
        {"mean": MEAN, "names": ["a", "b", "a"]},
        ValueError,
        "names must be distinct; 'a' occurs 2 times",
    ),
    "too many names": (
        {"mean": MEAN, "names": ["a", "b", "c", "d"]},
        ValueError,
        "names must have one entry for each row; got 4 for 3 rows",
    ),
    "duplicate features": (
        {"mean": MEAN, "features": ["x", "x"]},
        ValueError,
        "features must be distinct; 'x' occurs 2 times",
    ),
    "too few features": (
        {"mean": MEAN, "features": ["x"]},
        ValueError,
        "features must have one entry for each feature; got 1 for 2 features",
    ),
    "a string of names": (
        {"mean": MEAN, "names": "abc"},
        TypeError,
        "names must be a sequence of strings, one for each row; got 'abc'",
    ),
    "too few laws": (
        {"mean": MEAN, "laws": []},
        ValueError,
        "laws must have one entry for each row; got 0 for 3 rows",
    ),
    "complex": (
        {"mean": MEAN + 1j},
        TypeError,
        "mean must be real numbers; got an array of dtype complex128",
    ),
    "objects": (
        {"mean": np.array([[1, "a"], [None, 2]], dtype=object)},
        TypeError,
        "mean must be real numbers; got an array of dtype object",
    ),
    "strings": (
        {"mean": [["1", "2"]]},
        TypeError,
        "mean must be real numbers; got an array of dtype <U1",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_bad_input(name):
    arguments, kind, message = CASES[name]
    with pytest.raises(kind, match=f"^{re.escape(message)}$"):
        uapca.UncertainArray(**arguments)


@pytest.mark.parametrize(
    "index", [7, [0, 3], [], np.array([True]), slice(2, 2), np.zeros(3, dtype=bool), 1.5, None]
)
def test_bad_index(index):
    with pytest.raises(IndexError, match="^index must "):
        uapca.UncertainArray(MEAN)[index]


def test_unknown_name():
    X = uapca.UncertainArray(MEAN, names=["a", "b", "c"])
    with pytest.raises(KeyError, match="got 'q', and there are 'a', 'b', 'c'"):
        X["q"]
    with pytest.raises(KeyError, match="got 'q', but the rows have no names"):
        uapca.UncertainArray(MEAN)["q"]


@pytest.mark.parametrize("s", [-1, np.nan, "a", None])
def test_bad_scale(s):
    message = f"s must be a number from 0 to infinity; got {s!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        uapca.UncertainArray(MEAN).scaled(s)


def test_infinite_errors_are_a_limit_of_the_fit_not_data():
    with pytest.raises(ValueError, match=r"^s must be finite; got inf; UAPCA\(scale="):
        uapca.UncertainArray(MEAN).scaled(np.inf)


@pytest.mark.parametrize("A", [np.zeros((2, 3)), np.zeros(3), np.zeros((0, 2)), 1.0])
def test_bad_map(A):
    with pytest.raises(ValueError, match=r"^A must have shape \(q, 2\), or \(2,\) for a factor"):
        uapca.UncertainArray(MEAN).affine(A)


def test_bad_shift():
    with pytest.raises(ValueError, match="^b must have one entry for each of the 1 new features"):
        uapca.UncertainArray(MEAN).affine([[1.0, 0.0]], [1.0, 2.0])


@pytest.mark.parametrize("n", [0, -1, 1.5, "3"])
def test_bad_number_of_draws(n):
    with pytest.raises(ValueError, match="^n must be a positive integer; got "):
        uapca.UncertainArray(MEAN).sample(n)


def test_bad_seed():
    with pytest.raises(TypeError, match="^rng must be None, a non-negative integer seed or a"):
        uapca.UncertainArray(MEAN).sample(1, rng="x")


def test_rounding_is_accepted():
    """A product of rank one, off by rounding: negative eigenvalues of 1e-17 and no symmetry."""
    rng = np.random.default_rng(0)
    v = rng.standard_normal((40, 6, 1)) * 10.0 ** rng.integers(-8, 8, (40, 1, 1))
    cov = v @ v.transpose(0, 2, 1)
    cov *= 1 + 1e-16 * rng.standard_normal(cov.shape)
    uapca.UncertainArray(np.zeros((40, 6)), cov)
    uapca.UncertainArray(np.zeros((40, 6), dtype=np.float32), cov.astype(np.float32))


def test_zero_covariances_among_others_are_accepted():
    uapca.UncertainArray(MEAN, changed(EYE, 1, 0.0))


def test_check_false_trusts_the_values_but_not_the_shapes():
    X = uapca.UncertainArray(changed(MEAN, (0, 0), np.nan), -EYE, check=False)
    assert np.isnan(X.mean[0, 0])
    with pytest.raises(ValueError, match="^cov must have shape"):
        uapca.UncertainArray(MEAN, np.zeros((4, 2, 2)), check=False)


def test_large_but_finite_values_are_finite():
    """Their sum overflows, they do not."""
    uapca.UncertainArray(np.full((3, 2), 1.7e308))


@pytest.mark.parametrize("noise", [-2.4e-15, 2.4e-17, 0.0])
def test_rounding_beside_a_larger_variance_is_zero(noise):
    """What subtraction leaves of a certain feature: relative to the row it is nothing."""
    cov = [[[0.17, -1e-16], [3e-17, noise]], [[1.0, 0.5], [0.5, 1.0]]]
    X = uapca.UncertainArray(np.zeros((2, 2)), cov)
    assert X.std[0, 1] <= 1e-8
    assert np.linalg.eigvalsh(X.cov.dense()[0])[0] >= -1e-32
    np.testing.assert_array_equal(X.cov.dense()[1], cov[1])
    shared = uapca.UncertainArray(np.zeros((2, 2)), cov[0])
    assert np.linalg.eigvalsh(shared.cov.dense()[0])[0] >= -1e-32
    assert cov[0][1][1] == noise


@pytest.mark.parametrize("n", [3, 40_000])
def test_the_first_bad_matrix_is_named_however_many_there_are(n):
    """Also where they are checked in threads, and where earlier ones are only degenerate."""
    cov = np.tile(np.eye(4), (n, 1, 1))
    cov[0] = 0.0
    cov[n - 2] = -np.eye(4)
    cov[n - 1, 0, 1] = 0.5
    with pytest.raises(ValueError, match=f"semi-definite; the matrix of row {n - 2} has the"):
        uapca.UncertainArray(np.zeros((n, 4)), cov)
    cov[n - 1, 2, 2] = np.inf
    with pytest.raises(ValueError, match=f"^cov must be finite; got inf at row {n - 1}, feature 2"):
        uapca.UncertainArray(np.zeros((n, 4)), cov)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("d", [2, 5, 24, 25, 60])
def test_covariances_that_are_not_finite(d, value):
    """Symmetric ones too: their Cholesky factors begin as those of a valid matrix."""
    cov = np.tile(np.eye(d), (3, 1, 1))
    row, feature = max(1, d - 2), max(0, d - 4)
    cov[1, row, feature] = cov[1, feature, row] = value
    with pytest.raises(ValueError, match="^cov must be finite; got .* at row 1, feature"):
        uapca.UncertainArray(np.zeros((3, d)), cov)


@pytest.mark.parametrize("size", [1e-150, 1e-25, 1e-12, 1.0, 1e12, 1e25, 1e150])
@pytest.mark.parametrize("d", [2, 5, 20, 24, 25, 40])
def test_the_lowest_eigenvalue_decides_at_any_size(d, size):
    """Equal correlations r have the lowest eigenvalue 1 + (D − 1) r where r is negative."""

    def matrix(lowest):
        r = (lowest - 1.0) / (d - 1)
        units = size * 2.0 ** (np.arange(d) % 4)
        return (np.full((d, d), r) + (1.0 - r) * np.eye(d)) * units * units[:, None]

    cov = np.stack([matrix(lowest) for lowest in (0.5, 1e-3, 1e-5, 1e-7, 1e-9, 0.0)] * 20)
    X = uapca.UncertainArray(np.zeros((120, d)), cov)
    np.testing.assert_array_equal(X.cov.dense(), cov)
    cov[77] = matrix(-1e-6)
    with pytest.raises(ValueError, match="semi-definite; the matrix of row 77 has the"):
        uapca.UncertainArray(np.zeros((120, d)), cov)
    cov[76] = matrix(0.5)
    cov[76, 0, d - 1] *= 1.0 + 1e-5
    with pytest.raises(ValueError, match="symmetric; the matrix of row 76 differs from its"):
        uapca.UncertainArray(np.zeros((120, d)), cov)


def test_it_is_no_array_of_numbers():
    X = uapca.UncertainArray(MEAN, std=1.0)
    sentence = (
        "an UncertainArray is not an array of numbers; use X.mean for the expected values, X.std "
        "for their errors or X.sample(n) for draws"
    )
    for call in (np.asarray, np.cov, PCA().fit, StandardScaler().fit, KMeans(2).fit):
        with pytest.raises(TypeError, match=f"^{re.escape(sentence)}$"):
            call(X)
