"""Quantities of astropy and pint: errors in the unit of their values."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import uapca

VALUES = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])


class Astropy:
    def __init__(self):
        from astropy import units

        self.units = units

    def __call__(self, values, unit):
        return np.asarray(values) * self.units.Unit(unit)


class Pint:
    def __init__(self):
        from pint import UnitRegistry

        self.units = UnitRegistry()

    def __call__(self, values, unit):
        return self.units.Quantity(np.asarray(values), unit)


@pytest.fixture(params=[Astropy, Pint])
def quantity(request):
    pytest.importorskip(request.param.__name__.lower())
    return request.param()


def test_errors_are_converted(quantity):
    X = uapca.UncertainArray(quantity(VALUES, "km"), std=quantity([5.0, 10.0], "m"))
    assert_array_equal(X.mean, VALUES)
    assert_allclose(X.std, np.tile([0.005, 0.01], (3, 1)), rtol=1e-15)
    assert X.features == ("x0 [km]", "x1 [km]")
    assert type(X.mean) is np.ndarray


def test_names_carry_the_unit(quantity):
    X = uapca.UncertainArray(quantity(VALUES, "km"), std=0.5, features=["a", "b"])
    assert X.features == ("a [km]", "b [km]")
    assert_array_equal(X.std, np.full((3, 2), 0.5))
    plain = uapca.UncertainArray(quantity(VALUES, ""), std=0.5, features=["a", "b"])
    assert plain.features == ("a", "b")


def test_covariances_and_factors(quantity):
    X = uapca.UncertainArray(
        quantity(VALUES, "km"),
        quantity(np.eye(2), "m2" if isinstance(quantity, Astropy) else "m**2"),
    )
    assert_allclose(X.cov.average(), 1e-6 * np.eye(2), rtol=1e-12)
    Y = uapca.UncertainArray(quantity(VALUES, "km"), factors=quantity(np.ones((3, 2, 1)), "m"))
    assert_allclose(Y.cov.average(), np.full((2, 2), 1e-6), rtol=1e-12)


def test_a_unit_for_each_column(quantity):
    mean = {
        "mass": quantity(VALUES[:, 0], "kg"),
        "height": quantity(VALUES[:, 1], "m"),
        "n": VALUES[:, 0],
    }
    std = {
        "n": [0.0, 1.0, 2.0],
        "height": quantity([1.0, 2.0, 3.0], "cm"),
        "mass": quantity([1.0, 2.0, 3.0], "g"),
    }
    X = uapca.UncertainArray(mean, std=std)
    assert X.features == ("mass [kg]", "height [m]", "n")
    assert_allclose(
        X.std, np.array([[1e-3, 0.01, 0], [2e-3, 0.02, 1], [3e-3, 0.03, 2]]), rtol=1e-12
    )
    same = uapca.UncertainArray(
        {"a": quantity(VALUES[:, 0], "km"), "b": quantity(VALUES[:, 1], "m")},
        std=quantity(1.0, "m"),
    )
    assert_allclose(same.std, np.tile([1e-3, 1.0], (3, 1)), rtol=1e-15)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            lambda q: (q(VALUES, "km"), q(1.0, "s")),
            r"^std must have a unit that converts to that of mean, .*; got s",
        ),
        (lambda q: (VALUES, q(1.0, "s")), "^std must have no unit where mean has none; got s"),
        (
            lambda q: ({"a": [1.0]}, {"b": [1.0]}),
            "^std must have the features of mean; it has no 'a'$",
        ),
    ],
)
def test_what_does_not_fit_is_refused(quantity, arguments, message):
    mean, std = arguments(quantity)
    with pytest.raises(ValueError, match=message):
        uapca.UncertainArray(mean, std=std)


def test_covariances_of_different_units(quantity):
    mean = {"a": quantity([1.0, 2.0], "km"), "b": quantity([1.0, 2.0], "s")}
    with pytest.raises(ValueError, match="^cov must have no unit where the features"):
        uapca.UncertainArray(mean, quantity(np.eye(2), "km"))
    assert uapca.UncertainArray(mean, np.eye(2)).features == ("a [km]", "b [s]")


def test_tables_of_astropy():
    table = pytest.importorskip("astropy.table")
    units = pytest.importorskip("astropy.units")
    rows = table.QTable({"ra": [10.0, 20.0] * units.deg, "g": [15.0, 16.0]})
    errors = table.QTable({"ra": [1.0, 2.0] * units.mas, "g": [0.1, 0.2]})
    X = uapca.UncertainArray(rows, std=errors)
    assert X.features == ("ra [deg]", "g")
    assert_allclose(X.std[:, 0], np.array([1.0, 2.0]) / 3.6e6, rtol=1e-12)
    assert uapca.UncertainArray(table.Table(rows), std=table.Table(errors)).std[0, 0] == X.std[0, 0]


@pytest.mark.parametrize("kind", ["Table", "QTable"])
def test_masked_tables_of_astropy(kind):
    table = pytest.importorskip("astropy.table")
    masked = table.Table({"x": [1.0, 2.0], "y": [3.0, 4.0]}, masked=True)
    masked["x"].mask = [True, False]
    masked["x"].unit = "km"
    Y = uapca.UncertainArray(getattr(table, kind)(masked), missing="keep")
    assert_array_equal(Y.missing, [[True, False], [False, False]])
    assert Y.features == ("x [km]", "y")
    with pytest.raises(ValueError, match="^mean must have no masked values"):
        uapca.UncertainArray(getattr(table, kind)(masked))


def test_a_mapping_of_plain_columns():
    X = uapca.UncertainArray({"a": [1, 2], "b": [3, 4]}, std={"b": [1, 2], "a": [3, 4]})
    assert X.features == ("a", "b")
    assert_array_equal(X.mean, [[1, 3], [2, 4]])
    assert_array_equal(X.std, [[3, 1], [4, 2]])


def test_errors_in_a_frame_go_by_name():
    errors = pd.DataFrame({"b": [1.0, 2.0], "a": [3.0, 4.0]})
    X = uapca.UncertainArray({"a": [1, 2], "b": [3, 4]}, std=errors)
    assert_array_equal(X.std, [[3, 1], [4, 2]])


@pytest.mark.parametrize("mean", [{}, {"a": [1.0], "b": [1.0, 2.0]}, {"a": 1.0}, {"a": [[1.0]]}])
def test_columns_of_one_length(mean):
    with pytest.raises(ValueError, match="^mean must have columns of the same length; got "):
        uapca.UncertainArray(mean)


def test_a_single_quantity(quantity):
    with pytest.raises(ValueError, match="^mean must have two dimensions"):
        uapca.UncertainArray(quantity(1.0, "km"))


def test_features_beside_units(quantity):
    features = np.array(["a", "b"])
    X = uapca.UncertainArray(quantity(VALUES, "m"), features=features)
    assert X.features == ("a [m]", "b [m]")
    columns = {"x": quantity([1.0, 2.0], "m"), "y": quantity([1.0, 2.0], "m")}
    with pytest.raises(ValueError, match="features must have one entry for each feature"):
        uapca.UncertainArray(columns, features=["a"])
