"""Missing cells, counts, origin and source: kept wherever they make sense."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import uapca
from builders import KINDS, random_uncertain

NAN = np.nan
MEAN = np.array([[1.0, NAN, 3.0], [4.0, 5.0, 6.0], [NAN, NAN, 9.0]])
MISSING = np.isnan(MEAN)


@pytest.fixture
def X():
    return uapca.UncertainArray(
        MEAN, std=0.5, names=["a", "b", "c"], features=["x", "y", "z"], missing="keep"
    )


def test_missing_cells(X):
    assert_array_equal(X.missing, MISSING)
    assert not X.missing.flags.writeable
    assert_array_equal(X.mean, MEAN)
    assert_array_equal(X.std, np.where(MISSING, NAN, 0.5))
    assert repr(X) == (
        "UncertainArray: 3 rows × 3 features, independent errors, 3 missing cells\n"
        "  features  x, y, z\n"
        "  a  1 ± 0.5  missing  3 ± 0.5\n"
        "  b  4 ± 0.5  5 ± 0.5  6 ± 0.5\n"
        "  c  missing  missing  9 ± 0.5"
    )


def test_complete_data_has_none():
    X = uapca.UncertainArray([[1.0]], missing="keep")
    assert X.missing is None
    X.require_complete("anything")


def test_they_are_refused_unless_asked_for():
    with pytest.raises(ValueError, match="^mean must be finite; got NaN at row 0, feature 1"):
        uapca.UncertainArray(MEAN)
    with pytest.raises(ValueError, match="^mean must be finite; got inf at row 0, feature 0"):
        uapca.UncertainArray([[np.inf, NAN]], missing="keep")
    with pytest.raises(ValueError, match="^missing must be 'error' or 'keep'; got 'drop'"):
        uapca.UncertainArray(MEAN, missing="drop")


def test_the_errors_of_missing_cells_do_not_matter():
    std = np.where(MISSING, [NAN, np.inf, NAN], 0.5)
    X = uapca.UncertainArray(MEAN, std=std, missing="keep")
    assert_array_equal(X.std, np.where(MISSING, NAN, 0.5))
    assert np.isfinite(X.cov.average()).all()
    std[1, 1] = NAN
    with pytest.raises(ValueError, match="^std must be finite; got NaN at row 1, feature 1"):
        uapca.UncertainArray(MEAN, std=std, missing="keep")


def test_masked_cells_are_missing():
    masked = np.ma.masked_array(np.nan_to_num(MEAN), MISSING)
    X = uapca.UncertainArray(masked, missing="keep")
    assert_array_equal(X.mean, MEAN)
    assert not np.isnan(masked.data).any()
    assert uapca.UncertainArray(np.ma.masked_array([[1.0]]), missing="keep").missing is None


def test_selecting(X):
    assert_array_equal(X[["c", "a"]].missing, MISSING[[2, 0]])
    assert_array_equal(X[:, ["z", "x"]].missing, MISSING[:, [2, 0]])
    assert X["b"].missing is None
    assert X[:, "z"].missing is None
    assert X[~X.missing.any(axis=1)].names == ("b",)


def test_mapping(X):
    Y = X.affine([2.0, 3.0, 4.0], [1.0, 1.0, 1.0])
    assert_array_equal(Y.mean, MEAN * [2, 3, 4] + 1)
    assert_array_equal(Y.missing, MISSING)
    assert_array_equal(X.scaled(2).missing, MISSING)
    assert_array_equal(X.reweighted([1, 2, 3]).missing, MISSING)
    with pytest.raises(ValueError, match="^affine with a matrix needs complete rows"):
        X.affine(np.eye(3))


def test_concat(X):
    Y = uapca.concat([X, X["b"]])
    assert_array_equal(Y.missing, np.isnan(Y.mean))
    assert uapca.concat([X["b"], X["b"]]).missing is None


def test_saved_and_pickled(X, tmp_path):
    X.save(tmp_path / "x.uapca")
    for Y in (uapca.load(tmp_path / "x.uapca"), pickle.loads(pickle.dumps(X))):
        assert_array_equal(Y.missing, MISSING)
        assert_array_equal(Y.mean, MEAN)
        assert_array_equal(Y.std, X.std)


@pytest.mark.parametrize("kind", KINDS)
def test_every_representation_takes_them(rng, kind):
    complete = random_uncertain(rng, kind=kind)
    mean = complete.mean.copy()
    mean[3, 2] = NAN
    X = uapca.UncertainArray(mean, complete.cov, missing="keep")
    assert X.missing.sum() == 1
    assert_array_equal(X[:3].cov.dense(), complete.cov.dense()[:3])


def test_what_needs_complete_rows_says_so(X):
    for call in (X.pooled, lambda: X.sample(3), lambda: X.law("a")):
        with pytest.raises(ValueError, match="needs complete rows"):
            call()
    X.law("b")
    with pytest.raises(ValueError) as error:
        X.require_complete("UAPCA.fit")
    assert str(error.value) == (
        "UAPCA.fit needs complete rows; 3 cells in 2 rows are missing: estimate values with "
        'uapca.Denoiser, or leave the rows out with missing="drop" when reading or '
        "X[~X.missing.any(axis=1)]"
    )


def test_counts():
    X = uapca.UncertainArray(np.zeros((3, 2)), std=1.0, counts=[5, 6, 7], origin="a table")
    assert X.counts.dtype.kind == "i"
    assert (X.source, X.origin) == ("groups", "a table")
    assert_array_equal(X[[2, 0]].counts, [7, 5])
    assert_array_equal(X.affine(np.eye(2)[:1]).counts, X.counts)
    assert_array_equal(X[:, 0].counts, X.counts)
    assert_array_equal(uapca.concat([X, X]).counts, [5, 6, 7] * 2)
    plain = uapca.UncertainArray(np.zeros((1, 2)))
    both = uapca.concat([X, plain])
    assert (both.counts, both.source, both.origin) == (None, "values", None)
    assert (plain.counts, plain.source, plain.origin) == (None, "values", None)
    assert uapca.UncertainArray([[0.0]], counts=[2.5]).counts.dtype == np.float64


def test_counts_and_the_rest_are_saved(tmp_path):
    X = uapca.UncertainArray(
        np.zeros((2, 2)), std=1.0, counts=[5, 6], origin="a table", source="posterior"
    )
    X.save(tmp_path / "x.uapca")
    Y = uapca.load(tmp_path / "x.uapca")
    assert_array_equal(Y.counts, [5, 6])
    assert (Y.counts.dtype, Y.origin, Y.source) == (X.counts.dtype, "a table", "posterior")


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([1, 2], "counts must have one entry for each of the 3 rows; got shape (2,)"),
        ([1, 0, 2], "counts must be positive; row 1 has 0"),
    ],
)
def test_bad_counts(counts, message):
    with pytest.raises(ValueError) as error:
        uapca.UncertainArray(np.zeros((3, 1)), counts=counts)
    assert str(error.value) == message


def test_bad_source():
    with pytest.raises(ValueError, match="^source must be"):
        uapca.UncertainArray([[0.0]], source="elsewhere")


def test_the_record_of_posterior_rows_belongs_to_these_features():
    X = uapca.UncertainArray(np.zeros((3, 2)), std=1.0, source="posterior")

    class Record:
        def scaled(self, factors):
            return "scaled", tuple(factors)

    record = Record()
    Y = X.replace(parameter_errors=record)
    assert Y[1:].parameter_errors is record
    assert Y.reweighted([1, 2, 3]).parameter_errors is record
    assert Y.affine([1.0, 2.0]).parameter_errors == ("scaled", (1.0, 2.0))
    for Z in (X, Y[:, 0], Y.affine(np.eye(2)), Y.scaled(2), uapca.concat([Y, Y])):
        assert Z.parameter_errors is None
        assert Z.source == "posterior"


def test_dimensions_and_weights():
    X = uapca.UncertainArray(np.zeros((3, 2)))
    assert X.ndim == 2
    assert X.given_weights is None
    assert_array_equal(X.reweighted([1, 1, 2]).given_weights, [0.25, 0.25, 0.5])
