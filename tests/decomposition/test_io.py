"""Fits in files: what is saved comes back, and what is no fit is refused."""

import json
import os

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import uapca
from builders import random_uncertain
from uapca.decomposition.io import fit_to_json
from uapca.exceptions import FileError

FITTED = (
    "mean_",
    "components_",
    "explained_variance_",
    "explained_variance_ratio_",
    "n_components_",
    "n_samples_",
    "n_features_in_",
    "noise_variance_",
    "solver_",
    "feature_scale_",
)


@pytest.fixture
def X(rng):
    return random_uncertain(rng, n=15, d=4, features=list("abcd"), weights=rng.uniform(size=15))


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"n_components": 2, "standardize": True, "ddof": 1},
        {"scale": np.inf, "whiten": True},
        {"n_components": 0.9, "scale": 0.3},
        {"n_components": 3, "solver": "lanczos"},
    ],
    ids=str,
)
def test_a_fit_comes_back_exactly(X, tmp_path, parameters):
    pca = uapca.UAPCA(**parameters).fit(X)
    path = tmp_path / "fit.json"
    pca.save(path)
    again = uapca.load(path)
    assert isinstance(again, uapca.UAPCA)
    assert again.get_params() == pca.get_params()
    for name in FITTED:
        assert_array_equal(getattr(again, name), getattr(pca, name), err_msg=name)
    assert_array_equal(again.transform(X).mean, pca.transform(X).mean)
    assert_array_equal(again.transform(X).cov.dense(), pca.transform(X).cov.dense())
    assert_array_equal(again.loadings(), pca.loadings())
    assert_array_equal(again.summary(), pca.summary())
    assert again.feature_names_in_.tolist() == list("abcd")
    if pca.solver_ == "eigh":
        assert_array_equal(again.rescale(2.0).components_, pca.rescale(2.0).components_)
        one, other = again.partial_fit(X), pca.partial_fit(X)
        assert_array_equal(one.components_, other.components_)


def test_points_float32_and_no_names(rng, tmp_path):
    points = rng.standard_normal((9, 3)).astype(np.float32)
    pca = uapca.UAPCA().fit(points)
    pca.save(tmp_path / "fit.json")
    again = uapca.load(tmp_path / "fit.json")
    assert again.components_.dtype == np.float32
    assert_array_equal(again.components_, pca.components_)
    assert not hasattr(again, "feature_names_in_")
    assert_array_equal(again.within_covariance_, 0.0)


def test_load_goes_by_content(X, tmp_path):
    X.save(tmp_path / "rows.json")
    uapca.UAPCA().fit(X).save(tmp_path / "fit.uapca")
    assert isinstance(uapca.load(tmp_path / "rows.json"), uapca.UncertainArray)
    assert isinstance(uapca.load(tmp_path / "fit.uapca"), uapca.UAPCA)
    with pytest.raises(FileNotFoundError):
        uapca.load(tmp_path / "none.json")


def test_a_file_is_replaced_when_it_is_complete(X, tmp_path):
    path = tmp_path / "fit.json"
    path.write_text("old")
    with pytest.raises(ValueError, match="not fitted"):
        uapca.UAPCA().save(path)
    assert path.read_text() == "old"
    uapca.UAPCA().fit(X).save(path)
    assert os.listdir(tmp_path) == ["fit.json"]


def change(name, value):
    def changed(content):
        content[name] = value(content[name]) if callable(value) else value

    return changed


def deep(content):
    content["features"] = None
    for _ in range(100):
        content["features"] = [content["features"]]


@pytest.mark.parametrize(
    ("edit", "mentioned"),
    [
        (change("format", "other"), "UAPCA.save"),
        (change("version", 99), "version 99"),
        (lambda content: content.pop("mean"), "'mean' is missing"),
        (change("mean", lambda m: [*m, 1.0]), "features must be 5"),
        (change("mean", lambda m: ["1.0", *m[1:]]), "mean"),
        (change("mean", []), "mean must be n finite"),
        (change("mean", lambda m: [None, *m[1:]]), "mean"),
        (change("components", lambda a: [[2 * v for v in a[0]], *a[1:]]), "orthonormal"),
        (change("components", lambda a: [a[0], *a[:1], *a[2:]]), "orthonormal"),
        (change("components", lambda a: [a[1], a[0], *a[2:]]), "between and within"),
        (change("components", lambda a: a[:2]), "variances must be 2"),
        (change("variances", lambda v: v[::-1]), "variances must fall"),
        (change("variances", lambda v: [10 * x for x in v]), "total variance"),
        (change("between", lambda c: (-np.array(c)).tolist()), "between must be positive"),
        (change("within", lambda c: np.triu(c).tolist()), "within must be symmetric"),
        (change("features", ["a", "a", "b", "c"]), "distinct"),
        (change("features", ["a", "b"]), "features must be 4"),
        (change("features", [1, 2, 3, 4]), "features"),
        (deep, "features"),
        (change("rows", -3), "whole numbers"),
        (change("rows", True), "whole numbers"),
        (change("weights", None), "weights must be"),
        (change("weights", {"sum": -1, "concentration": 0.5, "observations": None}), "sum"),
        (change("scale", -1.0), "scale must be"),
        (change("scale", "large"), "scale must be"),
        (change("ddof", 99.0), "ddof"),
        (change("n_components", [2]), "n_components"),
        (change("solver", "qr"), "solver"),
        (change("standardize", 1), "standardize"),
        (change("feature_scale", [1.0, 1.0, 1.0, 1.0]), "feature_scale must be null"),
        (change("dtype", "int8"), "dtype"),
    ],
)
def test_what_no_fit_can_be_is_refused(X, tmp_path, edit, mentioned):
    content = json.loads(fit_to_json(uapca.UAPCA().fit(X)))
    edit(content)
    path = tmp_path / "fit.json"
    path.write_text(json.dumps(content))
    with pytest.raises(FileError) as error:
        uapca.load(path)
    assert mentioned in str(error.value)
    assert "fit.json" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "mentioned"),
    [
        ('"rows": 15', '"rows": 1e400', "whole numbers"),
        ('"rows": 15', '"rows": NaN', "NaN is not a number"),
        ('"rows": 15', '"rows": 15, "rows": 15', "occurs twice"),
        ('"rows": 15', f'"rows": {"9" * 400}', "400 digits"),
        ('"rows": 15', f'"rows": {"9" * 6000}', "6000 digits"),
        ('"ddof": 0', f'"ddof": {"9" * 400}', "400 digits"),
        ('"rows": 15', '"rows": 2', "concentration"),
        ('"n_components": null', '"n_components": 99', "n_components"),
        ('"n_components": null', '"n_components": 1', "n_components"),
        ('"n_components": null', '"n_components": 1.5', "n_components"),
        ('"rows": 15', f'"rows": {"[" * 200_000}', "not a fit"),
        ('"rows": 15', '"rows": 15,,', "not JSON"),
        ('"rows": 15', '"rows": ' + "9" * 5000, "not a fit"),
        ('"ddof": 0', '"ddof": Infinity', "Infinity"),
        ('"mean": [', '"mean": [1e400, ', "mean"),
        ('"mean": [', '"mean": [[1], ', "mean"),
        ('"format"', '\udcff"format"', "not JSON"),
    ],
)
def test_texts_that_are_no_fit(X, tmp_path, old, new, mentioned):
    text = fit_to_json(uapca.UAPCA().fit(X))
    assert old in text
    path = tmp_path / "fit.json"
    path.write_bytes(text.replace(old, new).encode("utf-8", "surrogateescape"))
    with pytest.raises(FileError) as error:
        uapca.load(path)
    assert mentioned in str(error.value)


def test_every_truncation_is_refused(X, tmp_path):
    data = fit_to_json(uapca.UAPCA(1).fit(X)).encode()
    path = tmp_path / "fit.json"
    for end in range(1, len(data) - 2, 37):
        path.write_bytes(data[:end])
        with pytest.raises(FileError):
            uapca.load(path)
