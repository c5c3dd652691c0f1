"""Numbers of the uncertainties package."""

import numpy as np
import pytest

import uapca
from uapca.uncertain import Diagonal

uncertainties = pytest.importorskip("uncertainties")
ufloat = uncertainties.ufloat


def test_independent_numbers():
    X = uapca.from_uncertainties([[ufloat(1, 0.1), 2], [3.0, ufloat(4, 0.4)]])
    assert isinstance(X.cov, Diagonal)
    assert X.mean.tolist() == [[1, 2], [3, 4]]
    np.testing.assert_allclose(X.std, [[0.1, 0], [0, 0.4]], rtol=1e-15)
    uarray = pytest.importorskip("uncertainties.unumpy").uarray
    Y = uapca.from_uncertainties(uarray([[1.0, 2.0]], [[0.1, 0.2]]))
    np.testing.assert_allclose(Y.std, [[0.1, 0.2]], rtol=1e-15)


def test_correlation_within_a_row_equals_the_packages():
    a, b, c = ufloat(1, 0.1), ufloat(2, 0.2), ufloat(3, 0.3)
    row = [a + b, a * b, c, a - 2 * c]
    X = uapca.from_uncertainties([row, [ufloat(0, 1), 1, 2, 3]])
    expected = np.array(uncertainties.covariance_matrix(row))
    np.testing.assert_allclose(X.cov.dense()[0], expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(X.cov.dense()[1], np.diag([1, 0, 0, 0]))


def test_correlation_across_rows_is_warned_about():
    a = ufloat(1, 0.1)
    with pytest.warns(uapca.CorrelationWarning) as caught:
        uapca.from_uncertainties([[a], [2 * a], [ufloat(1, 1)]])
    assert str(caught[0].message) == (
        "the errors of 2 rows are correlated with those of other rows (first: rows 0, 1); "
        "the rows of an UncertainArray are independent, so that correlation is dropped; "
        "correlations within a row are kept"
    )


def test_a_frame_of_objects():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [ufloat(1, 0.1)], "y": [2.0]}, index=["a"])
    X = uapca.from_uncertainties(frame)
    assert (X.names, X.features, X.mean.tolist()) == (("a",), ("x", "y"), [[1.0, 2.0]])


def test_bad_cells():
    def refused(array, kind=ValueError):
        with pytest.raises(kind) as error:
            uapca.from_uncertainties(array)
        return str(error.value)

    assert refused([[1.0, "1+/-2"]], TypeError) == (
        "array must hold ufloat objects or numbers, in units that convert; got '1+/-2' at "
        "row 0, feature 1"
    )
    assert refused([[float("nan")]]) == (
        "array must be finite, values and errors; got nan at row 0, feature 0"
    )
    assert refused([ufloat(1, 0.1)]) == (
        "array must have two dimensions, (rows, features); got shape (1,)"
    )


def test_missing_means_what_it_means_in_other_tables():
    table = {"n": ["p", "q", "r"], "x": [ufloat(1, 0.1), None, ufloat(3, 0.3)], "y": [1.0, 2, 4]}
    with pytest.raises(ValueError, match="values must not be missing; row 'q', column 'x' is empt"):
        uapca.read(table)
    with pytest.warns(uapca.DroppedRowsWarning, match="1 without a value"):
        X = uapca.read(table, missing="drop")
    assert (X.names, X.mean.tolist()) == (("p", "r"), [[1.0, 1.0], [3.0, 4.0]])
    Y = uapca.read(table, missing="keep")
    assert Y.missing.tolist() == [[False, False], [True, False], [False, False]]
    np.testing.assert_allclose(Y.std[[0, 2], 0], [0.1, 0.3])
