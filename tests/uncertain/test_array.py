"""UncertainArray: selecting, mapping, weights, immutability, what it says of itself."""

import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import uapca
from builders import KINDS, random_uncertain


@pytest.fixture
def X(rng):
    return random_uncertain(
        rng,
        n=4,
        d=3,
        names=["a", "b", "c", "d"],
        features=["x", "y", "z"],
        weights=[1, 2, 3, 4],
    )


def test_what_is_inside(X):
    assert X.shape == (4, 3)
    assert len(X) == 4
    assert X.names == ("a", "b", "c", "d")
    assert X.features == ("x", "y", "z")
    assert_allclose(X.weights, [0.1, 0.2, 0.3, 0.4], rtol=1e-15)
    assert X.total_weight == 10
    assert_allclose(X.std**2, np.diagonal(X.cov.dense(), axis1=1, axis2=2))
    assert X.laws is None


def test_equal_weights_by_default(rng):
    X = random_uncertain(rng, n=8)
    assert_array_equal(X.weights, np.full(8, 1 / 8))
    assert X.total_weight == 8


def test_huge_weights_do_not_overflow():
    X = uapca.UncertainArray([[0.0], [1.0], [2.0]], weights=[1e308, 1e308, 0])
    assert_array_equal(X.weights, [0.5, 0.5, 0.0])


@pytest.mark.parametrize(
    ("index", "rows"),
    [
        (1, [1]),
        (-1, [3]),
        ("c", [2]),
        (["d", "a"], [3, 0]),
        ([2, 0], [2, 0]),
        (np.array([True, False, False, True]), [0, 3]),
        (slice(1, None, 2), [1, 3]),
        (slice(None), [0, 1, 2, 3]),
    ],
)
def test_rows_by_position_mask_slice_and_name(X, index, rows):
    Y = X[index]
    assert_array_equal(Y.mean, X.mean[rows])
    assert_array_equal(Y.cov.dense(), X.cov.dense()[rows])
    assert Y.names == tuple(X.names[i] for i in rows)
    assert Y.features == X.features
    assert_allclose(Y.weights, X.weights[rows] / X.weights[rows].sum())
    assert Y.total_weight == pytest.approx(10 * X.weights[rows].sum())


def test_features_too(X):
    Y = X[["a", "b"], ["z", "x"]]
    assert Y.shape == (2, 2)
    assert Y.features == ("z", "x")
    assert_array_equal(Y.mean, X.mean[:2][:, [2, 0]])
    assert_array_equal(Y.cov.dense(), X.cov.dense()[:2][:, [2, 0]][:, :, [2, 0]])


def test_a_row_taken_twice_loses_its_name(X):
    assert X[[0, 0]].names is None


def test_rows_of_no_weight_count_the_same_among_themselves():
    X = uapca.UncertainArray([[0.0], [1.0], [2.0]], weights=[0, 0, 1])
    assert_array_equal(X[:2].weights, [0.5, 0.5])


def test_iteration(X):
    assert [row.names for row in X] == [("a",), ("b",), ("c",), ("d",)]


@pytest.mark.parametrize("kind", KINDS)
def test_affine(rng, kind):
    X = random_uncertain(rng, kind=kind)
    A, b = rng.standard_normal((2, 5)), rng.standard_normal(2)
    Y = X.affine(A, b)
    assert_allclose(Y.mean, X.mean @ A.T + b)
    assert_allclose(Y.cov.dense(), A @ X.cov.dense() @ A.T, atol=1e-13)
    back = X.affine(A[0], np.zeros(5)).affine(1 / A[0])
    assert_allclose(back.mean, X.mean, rtol=1e-14)
    assert_allclose(back.cov.dense(), X.cov.dense(), rtol=1e-13)


def test_affine_names_its_features(X):
    assert X.affine(np.eye(3)[:2]).features is None
    assert X.affine(np.eye(3)[:2], features=["p", "q"]).features == ("p", "q")
    assert X.affine(np.ones(3)).features == X.features
    assert X.affine(np.eye(3)).names == X.names


def test_scaled(X):
    assert_allclose(X.scaled(2).cov.dense(), 4 * X.cov.dense())
    assert X.scaled(0).cov.kind == "zero"
    assert X.scaled(3).names == X.names
    assert_array_equal(X.scaled(2).mean, X.mean)


def test_reweighted(X):
    assert_array_equal(X.reweighted(None).weights, np.full(4, 0.25))
    assert_array_equal(X.reweighted([1, 0, 0, 1]).weights, [0.5, 0, 0, 0.5])


def test_pooled_is_the_law_of_total_variance(rng):
    points = rng.standard_normal((60, 3))
    parts = np.split(points, [10, 25])
    X = uapca.UncertainArray(
        [part.mean(axis=0) for part in parts],
        [np.cov(part.T, bias=True) for part in parts],
        weights=[len(part) for part in parts],
    )
    mean, K = X.pooled()
    assert_allclose(mean, points.mean(axis=0), rtol=1e-12)
    assert_allclose(K, np.cov(points.T, bias=True), rtol=1e-12)


@pytest.mark.parametrize(("size", "std"), [(1e200, 1.0), (1.0, 1e200)])
def test_pooled_variances_that_do_not_fit_are_refused(size, std):
    X = uapca.UncertainArray([[size, 0.0], [-size, 1.0]], std=std)
    with pytest.raises(ValueError, match="^mean must have squares that fit into float64; the cov"):
        X.pooled()
    if std > 1.0:
        assert (X.cov.average().diagonal() == np.inf).all()
        assert (X.cov.average_diagonal() == np.inf).all()


@pytest.mark.parametrize("kind", KINDS)
def test_sample(rng, kind):
    X = random_uncertain(rng, n=3, d=2, kind=kind)
    draws = X.sample(20_000, rng=5)
    assert draws.shape == (20_000, 3, 2)
    assert_array_equal(draws, X.sample(20_000, rng=5))
    assert (np.abs(draws.mean(axis=0) - X.mean) <= 5 * X.std / np.sqrt(20_000) + 1e-12).all()


def test_sampling_touches_no_global_state(X):
    np.random.seed(3)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    X.sample(2)
    assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_arrays_are_not_copied_and_cannot_be_changed_through_it(rng):
    mean, cov = rng.standard_normal((4, 2)), np.tile(np.eye(2), (4, 1, 1))
    X = uapca.UncertainArray(mean, cov)
    assert np.shares_memory(X.mean, mean)
    assert np.shares_memory(X.cov.dense(), cov)
    with pytest.raises(ValueError, match="read-only"):
        X.mean[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        X.cov.dense()[0, 0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        X.weights[0] = 1
    mean[0, 0] = 7  # the user's own array stays writable


def test_what_is_made_of_it_cannot_be_changed_either(X):
    pca = uapca.UAPCA(2).fit(X)
    for Y in (X, X[[1, 2]], X[1:3], X.affine(np.eye(3)), X.scaled(2), pca.transform(X)):
        for array in (Y.mean, Y.weights, *Y.cov.arrays.values()):
            assert not array.flags.writeable


def test_names_from_pandas_select(X):
    assert X[:, pd.Index(["z", "x"])].features == ("z", "x")
    assert X[np.array(["b"], dtype=object)].names == ("b",)
    assert X[[0, 1], ...].names == ("a", "b")


def test_nullable_and_repeated_labels_of_a_frame():
    frame = pd.DataFrame({"x": [1, 2], "y": [3, 4]}, index=["a", "a"], dtype="Int64")
    X = uapca.UncertainArray(frame)
    assert X.mean.dtype == np.float64
    assert X.names is None


def test_large_and_small_errors_keep_their_size():
    assert uapca.UncertainArray([[0.0]], std=1e200).std[0, 0] == 1e200
    tiny = uapca.UncertainArray([[0.0]], std=1e-170)
    assert uapca.concat([tiny, tiny]).std[1, 0] == 1e-170


def test_integers_become_floats():
    assert uapca.UncertainArray([[1, 2]]).mean.dtype == np.float64


def test_a_data_frame_gives_its_labels():
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": [3.0, 4.0]}, index=["a", "b"])
    X = uapca.UncertainArray(frame, std=0.1)
    assert X.features == ("x", "y")
    assert X.names == ("a", "b")
    assert uapca.UncertainArray(frame.reset_index(drop=True)).names is None


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("errors", [{"cov": [[[1e300]]]}, {"cov": [[1e300]]}, {"std": 1e150}])
def test_standard_deviations_whose_squares_overflow(errors):
    assert uapca.UncertainArray([[0.0]], **errors).scaled(1e10).std[0, 0] == pytest.approx(1e160)


def test_a_name_may_end_with_nul():
    """NumPy's own text would lose it."""
    X = uapca.UncertainArray([[1.0, 2.0], [3.0, 4.0]], names=["a", "a\0"], features=["x", "x\0"])
    assert X["a\0"].mean.tolist() == [[3.0, 4.0]]
    assert X[:, ["x\0"]].mean.tolist() == [[2.0], [4.0]]


def test_names_that_are_not_there_and_what_was_meant():
    X = uapca.UncertainArray(np.eye(2), names=["Tom", "Jane"], features=["x", "y"])
    for index, rest in (
        ("x", ": it is a feature, which X[:, 'x'] selects"),
        ("Jan", ": perhaps 'Jane' was meant"),
        ("?", ", and there are 'Tom', 'Jane'"),
    ):
        with pytest.raises(KeyError) as error:
            X[index]
        assert error.value.args[0] == (
            f"row name must be one of the rows' names; got {index!r}{rest}"
        )


def test_correlations_in_a_frame_read_back():
    rng = np.random.default_rng(3)
    factor = rng.normal(size=(7, 3, 3))
    cov = factor @ factor.transpose(0, 2, 1)
    cov[2] = 0.0
    X = uapca.UncertainArray(rng.normal(size=(7, 3)), cov, features=["a", "b", "c"])
    frame = X.to_frame()
    assert list(frame.columns)[6:] == ["a_b_corr", "a_c_corr", "b_c_corr"]
    assert (frame.loc[2, "a_b_corr":] == 0.0).all()
    again = uapca.from_frame(frame, corr="{}_{}_corr")
    np.testing.assert_allclose(again.cov.dense(), cov, rtol=1e-13, atol=1e-15)
    assert list(X.to_frame(corr=False).columns) == ["a", "a_err", "b", "b_err", "c", "c_err"]
    independent = uapca.UncertainArray(X.mean, std=1.0, features=X.features)
    assert list(independent.to_frame(corr=True).columns) == list(X.to_frame(corr=False).columns)


def test_wide_frames_of_correlations_are_asked_about():
    X = uapca.UncertainArray(np.zeros((1, 51)), np.eye(51) + 1.0)
    with pytest.raises(ValueError) as error:
        X.to_frame()
    assert str(error.value) == (
        "corr must be given for more than 50 features with correlated errors; the pairs of 51 "
        "features would have 1,275 columns: pass corr=False to leave them out or corr=True to have "
        "them"
    )
    assert X.to_frame(corr=False).shape == (1, 102)
    assert X.to_frame(corr=True).shape == (1, 102 + 1275)


def test_a_frame_without_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError) as error:
        uapca.UncertainArray([[1.0]]).to_frame()
    assert str(error.value) == (
        'to_frame needs pandas; install it with pip install "uapca[frames]"'
    )


def test_to_frame(X):
    frame = X.to_frame()
    assert list(frame.columns)[:6] == ["x", "x_err", "y", "y_err", "z", "z_err"]
    assert list(frame.columns)[6:] == ["x_y_corr", "x_z_corr", "y_z_corr"]
    assert list(frame.index) == ["a", "b", "c", "d"]
    assert_array_equal(frame["y"], X.mean[:, 1])
    assert_array_equal(frame["y_err"], X.std[:, 1])


def test_repr():
    X = uapca.UncertainArray(
        np.arange(16.0).reshape(8, 2), std=[0.5, 0.25], names=list("abcdefgh"), weights=range(8)
    )
    assert repr(X) == (
        "UncertainArray: 8 rows × 2 features, independent errors, weights 0 to 0.25\n"
        "  a  0 ± 0.5   1 ± 0.25\n"
        "  b  2 ± 0.5   3 ± 0.25\n"
        "  c  4 ± 0.5   5 ± 0.25\n"
        "  d  6 ± 0.5   7 ± 0.25\n"
        "  e  8 ± 0.5   9 ± 0.25\n"
        "  f  10 ± 0.5  11 ± 0.25\n"
        "  … 2 more rows"
    )


def test_repr_of_wide_float32_data(rng):
    text = repr(uapca.UncertainArray(np.zeros((1, 9), dtype=np.float32)))
    assert (
        text.splitlines()[0] == "UncertainArray: 1 row × 9 features, certain, float32 and float64"
    )
    assert text.splitlines()[1].endswith("…")


def test_html_escapes_every_name():
    X = uapca.UncertainArray(
        [[1.0, 2.0]], names=["</script><b>"], features=["<i>x</i>", 'a"b'], std=0.5
    )
    page = X._repr_html_()
    assert "<script" not in page
    assert "</script" not in page
    assert "<i>" not in page
    assert "&lt;i&gt;x&lt;/i&gt;" in page
    assert "1 ± 0.5" in page


def test_repr_survives_control_characters():
    X = uapca.UncertainArray([[1.0]], names=["a\x1b[31m\n"])
    assert "\x1b" not in repr(X)


def test_one_row_one_feature():
    X = uapca.UncertainArray([[3.0]], std=2.0)
    assert X.shape == (1, 1)
    assert_array_equal(X.cov.dense(), [[[4.0]]])


def test_to_frame_refuses_two_columns_of_one_name():
    X = uapca.UncertainArray([[1.0, 2.0]], std=0.5, features=["a", "a_err"])
    with pytest.raises(ValueError) as error:
        X.to_frame()
    assert str(error.value) == (
        "features must give a table columns of different names; two of them would be called 'a_err'"
    )


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_frames_of_other_libraries(X, library):
    pytest.importorskip(library)
    frame = X.to_frame(library=library)
    assert type(frame).__module__.split(".")[0] == library
    columns = frame.columns if library == "polars" else frame.column_names
    assert list(columns)[:3] == ["name", "x", "x_err"]
    again = uapca.from_frame(frame, names="name", corr="{}_{}_corr")
    assert again.names == X.names
    assert_allclose(again.mean, X.mean)
    assert_allclose(again.cov.dense(), X.cov.dense(), rtol=1e-12, atol=1e-14)
    with pytest.raises(ValueError, match="^library must be 'pandas', 'polars' or 'pyarrow'; got"):
        X.to_frame(library="dask")


def test_to_xarray(X):
    pytest.importorskip("xarray")
    data = X.to_xarray()
    assert_array_equal(data["mean"].sel(row="b").values, X["b"].mean[0])
    assert_array_equal(data["std"].values, X.std)
    assert_array_equal(data["weight"].values, X.weights)
    assert_array_equal(data["cov"].sel(feature="x", feature2="z").values, X.cov.dense()[:, 0, 2])
    plain = uapca.UncertainArray([[1.0, 2.0]], std=0.5, counts=[7])
    assert set(plain.to_xarray()) == {"mean", "std", "weight", "count"}
    assert "cov" in plain.to_xarray(cov=True)


@pytest.mark.parametrize("kind", KINDS)
def test_to_uncertainties(rng, kind):
    pytest.importorskip("uncertainties")
    X = random_uncertain(rng, n=3, d=2, kind=kind)
    values = X.to_uncertainties()
    assert values.shape == (3, 2)
    again = uapca.from_uncertainties(values)
    assert_allclose(again.mean, X.mean)
    assert_allclose(again.cov.dense(), X.cov.dense(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "hint"),
    [("to_pandas", "; use X.to_frame()"), ("values", "; use X.mean"), ("zzz", "")],
)
def test_attributes_of_other_libraries(X, name, hint):
    with pytest.raises(AttributeError) as error:
        getattr(X, name)
    assert str(error.value) == f"'UncertainArray' object has no attribute {name!r}{hint}"


@pytest.mark.parametrize("kind", ["matrix", "factors"])
def test_a_center_is_subtracted_before_the_map(rng, kind):
    X = random_uncertain(rng)
    A = rng.standard_normal((2, 5) if kind == "matrix" else 5)
    center, b = rng.standard_normal(5), rng.standard_normal(len(A))
    near = X.affine(A, b, center=center)
    whole = np.round(X.mean * 2**20) / 2**20  # an offset of 2**26 leaves these digits alone
    far = X.replace(mean=whole + 2.0**26).affine(A, b, center=np.full(5, 2.0**26))
    assert_allclose(far.mean, X.replace(mean=whole).affine(A, b).mean, rtol=1e-14, atol=1e-14)
    expected = (X.mean - center) * A if kind == "factors" else (X.mean - center) @ A.T
    assert_allclose(near.mean, expected + b, rtol=1e-13)
    assert_allclose(near.cov.dense(), X.affine(A).cov.dense(), rtol=0)
    with pytest.raises(
        ValueError, match="center must have one entry for each of the 5 features; got shape"
    ):
        X.affine(A, center=[1.0])


def test_laws_are_centered_too():
    from uapca.laws import Independent, Uniform

    law = Independent([Uniform(0, 2), Uniform(1, 5)])
    X = uapca.UncertainArray([law.mean], [law.cov], laws=[law])
    Y = X.affine([[1.0, 1.0]], [7.0], center=[1.0, 3.0])
    assert_allclose([Y.mean[0], Y.laws[0].mean], 7.0)


def test_attributes_do_not_change(rng):
    X = random_uncertain(rng)
    with pytest.raises(AttributeError, match="an UncertainArray is immutable"):
        X.mean = X.mean + 1
    Y = X.replace(mean=X.mean + 1, source="posterior")
    assert_array_equal(Y.mean, X.mean + 1)
    assert (Y.source, X.source, Y.cov) == ("posterior", "values", X.cov)
    with pytest.raises(TypeError, match="parts must be attributes that .* keeps; got 'men'; known"):
        X.replace(men=1)
    with pytest.raises(AttributeError, match="is immutable"):
        del X.mean
    # The way that an error shows is one that works.
    for name, way in (("source", r"X\.replace\(source=…\)"), ("weights", r"X\.reweighted\(…\)")):
        with pytest.raises(AttributeError, match=f"use {way} for a copy with another {name}"):
            setattr(X, name, None)
    with pytest.raises(AttributeError, match="^an UncertainArray is immutable$"):
        X.shape = (1, 2)
    assert X.reweighted(None).given_weights is None


def test_a_map_that_overflows_is_refused():
    X = uapca.UncertainArray([[1e308, -1e308]], std=1e200)
    for A in ([[1.0, -1.0]], [10.0, 1.0]):
        with pytest.raises(ValueError, match=r"A x \+ b must be finite; got inf at row 0"):
            X.affine(A)
    assert_array_equal(X.cov.dense()[0], np.diag([np.inf, np.inf]))  # and no warning
