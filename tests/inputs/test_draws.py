"""Posterior draws."""

from types import SimpleNamespace

import numpy as np
import pytest

import uapca


@pytest.fixture
def draws():
    return np.random.default_rng(0).standard_normal((2, 100, 3, 2)) * [1.0, 5.0] + 3


def refused(*args, **options):
    with pytest.raises(ValueError) as error:
        uapca.from_draws(*args, **options)
    return str(error.value)


def check(X, draws):
    flat = draws.reshape(-1, 3, 2)
    np.testing.assert_allclose(X.mean, flat.mean(axis=0), rtol=1e-13)
    for i in range(3):
        np.testing.assert_allclose(X.cov.dense()[i], np.cov(flat[:, i].T, ddof=0), rtol=1e-12)


def test_arrays(draws):
    check(uapca.from_draws(draws, sample_dims=(0, 1)), draws)
    check(uapca.from_draws(draws.reshape(200, 3, 2)), draws)
    check(uapca.from_draws(np.moveaxis(draws, 1, -1), sample_dims=(0, -1)), draws)


def test_far_from_zero(draws):
    exact = np.round(draws * 1024) / 1024
    X = uapca.from_draws(exact + 1e8, sample_dims=(0, 1))
    Y = uapca.from_draws(exact, sample_dims=(0, 1))
    np.testing.assert_allclose(X.cov.dense(), Y.cov.dense(), rtol=1e-12, atol=1e-12)


def test_draws_are_kept_as_laws(draws):
    X = uapca.from_draws(draws, sample_dims=(0, 1), keep_samples=True)
    np.testing.assert_array_equal(X.laws[1].values, draws.reshape(-1, 3, 2)[:, 1])


def test_xarray(draws):
    xarray = pytest.importorskip("xarray")
    array = xarray.DataArray(
        draws,
        dims=("chain", "draw", "school", "effect"),
        coords={"school": ["a", "b", "c"], "effect": ["slope", "offset"]},
    )
    X = uapca.from_draws(array)
    check(X, draws)
    assert (X.names, X.features) == (("a", "b", "c"), ("slope", "offset"))
    check(uapca.from_draws(array.transpose("school", "draw", "effect", "chain")), draws)
    plain = array.drop_vars("effect")
    data = xarray.Dataset({"slope": plain[..., 0], "offset": plain[..., 1]})
    for source in (data, SimpleNamespace(posterior=data)):
        Y = uapca.from_draws(source)
        check(Y, draws)
        assert (Y.names, Y.features) == (("a", "b", "c"), ("slope", "offset"))
    Z = uapca.from_draws(xarray.Dataset({"effects": array}))
    assert Z.features == ("effects[slope]", "effects[offset]")
    one = uapca.from_draws(array[..., 0].rename("slope"))
    assert (one.shape, one.features) == ((3, 1), ("slope",))


def test_a_tree(draws):
    xarray = pytest.importorskip("xarray")
    if not hasattr(xarray, "DataTree"):
        pytest.skip("this xarray has no trees")
    data = xarray.Dataset({"effects": (("chain", "draw", "school", "effect"), draws)})
    check(uapca.from_draws(xarray.DataTree.from_dict({"posterior": data})), draws)


@pytest.mark.filterwarnings("ignore")
def test_arviz(draws):
    arviz = pytest.importorskip("arviz")
    # Older versions take the posterior itself, newer ones all groups, and return a tree.
    old = arviz.__version__.startswith("0.")
    groups = {"effects": draws} if old else {"posterior": {"effects": draws}}
    check(uapca.from_draws(arviz.from_dict(groups)), draws)


def test_bad_input(draws):
    assert refused(draws) == (
        "draws must have two dimensions, rows and features, besides the draws; got shape "
        "(2, 100, 3, 2) with sample_dims=None; sample_dims=(0, 1) reads (chains, draws, N, "
        "D)"
    )
    assert refused(draws, sample_dims="draw") == (
        "sample_dims must be axes of an array of 4 dimensions; got 'draw'"
    )
    assert refused(np.empty((0, 3, 2))) == (
        "draws must hold at least one draw, row and feature; got shape (0, 3, 2) as (draws, "
        "rows, features)"
    )
    draws[1, 4, 2, 0] = np.inf
    assert refused(draws, sample_dims=(0, 1)) == (
        "draws must be finite; got inf at draw 104, row 2, feature 0 (1 such in all)"
    )


def test_bad_xarray(draws):
    xarray = pytest.importorskip("xarray")
    array = xarray.DataArray(draws, dims=("chain", "draw", "school", "effect"))
    assert refused(array, sample_dims=("chains",)) == (
        "sample_dims must name dimensions of the draws; got ('chains',); the dimensions are "
        "'chain', 'draw', 'school', 'effect'"
    )
    assert refused(array, sample_dims="draw") == (
        "draws must have two dimensions, rows and features, besides the draws; got 'chain', "
        "'school', 'effect'; select or stack the others first"
    )
    data = xarray.Dataset({"a": array[..., 0], "b": array[:, :, 0, 0]})
    assert refused(data) == (
        "variables must run over the rows and at most one other dimension; 'b' runs over "
        "(); choose others with var_names=, or the rows with row_dim="
    )


def test_draws_that_overflow_are_refused():
    message = refused(np.array([1e200, -1e200, 3e200]).reshape(3, 1, 1))
    assert message.startswith("draws must have squares that fit into float64")


def test_sample_dims_of_other_kinds(draws):
    assert "sample_dims must be axes of an array" in refused(draws, sample_dims=1.5)
    xr = pytest.importorskip("xarray")
    array = xr.DataArray(draws, dims=("chain", "draw", "row", "feature"))
    assert "sample_dims must name dimensions" in refused(array, sample_dims=1.5)


def test_coordinates_as_names(draws):
    xr = pytest.importorskip("xarray")
    days = np.array(["2020-01-01", "2020-01-02", "2020-01-03"], "M8[ns]")
    dims = ("chain", "draw", "row", "feature")
    X = uapca.from_draws(xr.DataArray(draws, dims=dims, coords={"row": days}))
    assert X.names[0] == "2020-01-01 00:00:00"
    Y = uapca.from_draws(xr.DataArray(draws, dims=dims, coords={"row": ["a", "a", "b"]}))
    assert Y.names is None
