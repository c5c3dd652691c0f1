"""Intervals."""

import numpy as np
import pytest

import uapca
from uapca.laws import Uniform


def refused(low, high):
    with pytest.raises(ValueError) as error:
        uapca.from_intervals(low, high)
    return str(error.value)


def test_moments_and_laws():
    X = uapca.from_intervals([[10.0, 4.0], [0.0, 1.0]], [[12.0, 4.0], [6.0, 2.0]])
    np.testing.assert_allclose(X.mean, [[11, 4], [3, 1.5]])
    np.testing.assert_allclose(X.std**2, [[4 / 12, 0], [3, 1 / 12]], rtol=1e-15)
    assert X.laws[1].marginals == (Uniform(0, 6), Uniform(1, 2))
    assert X[1].laws[0] == X.laws[1]
    np.testing.assert_allclose(X.laws[1].cov.diagonal(), X.std[1] ** 2, rtol=1e-15)


def test_frames_are_matched_by_column():
    X = uapca.from_intervals({"a": [0.0], "b": [1.0]}, {"b": [3.0], "a": [2.0]})
    assert X.features == ("a", "b")
    assert X.mean.tolist() == [[1.0, 2.0]]


def test_laws_are_made_when_looked_at():
    low = np.zeros((100_000, 20))
    X = uapca.from_intervals(low, low + 1)
    assert not isinstance(X.laws.items, tuple | list)
    assert X.affine(np.eye(20)[:2]).laws[7].dim == 2


def test_bad_bounds():
    assert refused([[1.0, 5.0]], [[2.0, 4.0]]) == (
        "low must not exceed high; got 5 and 4 at row 0, feature 1"
    )
    assert refused([[1.0]], [[2.0], [3.0]]) == (
        "high must have the shape (1, 1) of low; got shape (2, 1)"
    )
    assert refused([1.0], [2.0]) == (
        "low must have two dimensions, (rows, features); got shape (1,)"
    )
    assert refused([[1.0]], [[np.inf]]) == (
        "high must be finite; got inf at row 0, feature 0 (1 such in all)"
    )
    assert refused({"a": [1.0]}, {"b": [2.0]}) == (
        "high must have the columns of low; low has ['a'] and high has ['b']"
    )


def test_rows_of_pandas_frames_are_matched_by_name():
    pd = pytest.importorskip("pandas")
    low = pd.DataFrame({"x": [0.0, 10.0]}, index=["a", "b"])
    high = pd.DataFrame({"x": [12.0, 2.0]}, index=["b", "a"])
    X = uapca.from_intervals(low, high)
    assert X.names == ("a", "b")
    assert X.mean.tolist() == [[1.0], [11.0]]
    assert uapca.from_intervals(low, high, names=["p", "q"]).mean.tolist() == [[1.0], [11.0]]
    assert "high must have the rows of low; 'b' is in low only" in refused(
        low, high.rename(index={"b": "c"})
    )
    assert "'c' is in high only" in refused(
        low, pd.DataFrame({"x": [2.0, 12.0, 3.0]}, index=["a", "b", "c"])
    )
    low.index, high.index = ["a", "a", "b"][:2], ["a", "b"]
    assert "high must have the rows of low" in refused(low, high)


def test_rows_of_pandas_frames_are_matched_by_number():
    pd = pytest.importorskip("pandas")
    low = pd.DataFrame({"x": [0.0, 10.0, 20.0]})
    high = pd.DataFrame({"x": [1.0, 12.0, 23.0]})
    shuffled = high.loc[[2, 0, 1]]
    for found in (uapca.from_intervals(low, shuffled), uapca.from_intervals(low, high)):
        assert found.mean.tolist() == [[0.5], [11.0], [21.5]]
    days = pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"])
    X = uapca.from_intervals(low.set_axis(days), high.set_axis(days).iloc[::-1])
    assert X.mean.tolist() == [[0.5], [11.0], [21.5]]
    assert refused(low, high.set_axis([1, 2, 3])) == (
        "high must have the rows of low; 0 is in low only; reset_index(drop=True) goes by position"
    )
    assert refused(low.set_axis([0, 0, 1]), high.set_axis([1, 0, 0])) == (
        "high must have the rows of low; the labels in their indices are not distinct and "
        "differ in order; reset_index(drop=True) goes by position"
    )
    # Names on one side and a plain count on the other say nothing about the order.
    named = uapca.from_intervals(low.set_axis(["a", "b", "c"]), high)
    assert named.mean.tolist() == [[0.5], [11.0], [21.5]]
    by_numpy = uapca.from_intervals(low, shuffled.to_numpy()[[1, 2, 0]])
    assert by_numpy.mean.tolist() == [[0.5], [11.0], [21.5]]


@pytest.mark.parametrize("bound", [1.7e308, 1e200])
def test_bounds_that_overflow_are_refused(bound):
    assert "have squares that fit into float64" in refused([[-bound]], [[bound]])


def test_bounds_in_different_units_are_refused():
    unit = pytest.importorskip("astropy.units")
    low, high = [1.0, 2.0] * unit.m, [3.0, 4.0] * unit.m
    for make in (lambda values: {"x": values}, lambda values: values[:, None]):
        X = uapca.from_intervals(make(low), make(high))
        assert X.mean.tolist() == [[2.0], [3.0]]
        assert X.features[0].endswith(" [m]")
        with pytest.raises(
            ValueError, match="high must have the columns of low; low has .*\\[m\\]"
        ):
            uapca.from_intervals(make(low), make(high.to(unit.cm)))
