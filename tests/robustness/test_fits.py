"""Fits of extreme data against more digits: right to 1e-10, or a sentence.

A share of the cases is computed in 60 digits; the others in extended precision, whose numbers have
64 bits and never overflow here. Every case is a seed.
"""

import warnings

import mpmath
import numpy as np
import pytest
import scipy.sparse

import uapca
from robustness.cases import BATCHES, batch_of

# Between these total variances no fit may be refused: squares and their sums are normal numbers.
SAFE = 1e-280, 1e290
# Where extended precision is that of float64, all cases are computed in 60 digits.
WIDE = np.finfo(np.longdouble).nmant > 60 and np.finfo(np.longdouble).maxexp > 16000


def scaled(rng, shape):
    """Numbers of one common size, or of a size for each feature, anywhere in float64."""
    values = rng.standard_normal(shape)
    kind = rng.integers(6)
    if kind == 0:
        return values
    if kind == 1:
        return values * 10.0 ** rng.uniform(-300, 300)
    if kind == 2:
        return values * 10.0 ** rng.uniform(-140, 140)
    if kind == 3:
        return values * 10.0 ** rng.uniform(-8, 8, shape[-1])
    if kind == 4:  # rank below D, and ties
        return np.round(values) * 10.0 ** rng.integers(-120, 120)
    return values + 10.0 ** rng.uniform(0, 8)  # far from zero


def arranged(rng, values):
    """The same numbers in another type or memory layout."""
    kind = rng.integers(7)
    if kind == 0:
        return np.asfortranarray(values)
    if kind == 1:
        return np.repeat(values, 2, axis=0)[::2]
    if kind == 2:
        return np.ascontiguousarray(values[::-1])[::-1]
    if kind == 3:
        values = values.copy()
        values.flags.writeable = False
        return values
    if kind == 4 and (np.abs(values) < 1e30).all() and (np.abs(values) > 1e-30).all():
        return values.astype(np.float32)
    if kind == 5:
        return np.ma.masked_array(values, mask=False)
    return values.tolist()


def case_of(rng):
    n, d = int(rng.integers(1, 8)), int(rng.integers(1, 6))
    points = arranged(rng, scaled(rng, (n, d)))
    fit = {}
    kind = rng.integers(5)
    if kind == 1:
        fit["std"] = arranged(rng, np.abs(scaled(rng, (n, d))))
    if kind == 2:
        fit["std"] = float(np.abs(scaled(rng, (1,)))[0])
    if kind == 3:
        root = scaled(rng, (n, d, d)) * 0.1
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            fit["cov"] = np.asarray(root @ root.transpose(0, 2, 1))
    if kind == 4:
        fit["factors"] = scaled(rng, (n, d, 1))
    if rng.integers(2):
        weights = rng.integers(0, 3, n) * 10.0 ** rng.integers(-150, 150)
        if rng.integers(4) == 0:
            weights = weights * 10.0 ** rng.integers(-15, 1, n)
        weights[rng.integers(n)] = weights.max() if weights.any() else 1.0
        fit["sample_weight"] = weights
        for name in ("std", "cov", "factors"):  # what has no weight does not enter
            if name in fit and np.ndim(fit[name]) and not weights.all() and rng.integers(2):
                fit[name] = np.array(fit[name], dtype=float)
                fit[name][weights == 0.0] = 0.0 if name == "cov" else 1e200
    parameters = {
        "scale": [0.0, 1.0, 1.0, 0.3, 1e5, np.inf][rng.integers(6)],
        "standardize": bool(rng.integers(4) == 0),
        "solver": ["auto", "auto", "eigh", "svd", "lanczos"][rng.integers(5)],
        "n_components": [None, None, 1][rng.integers(3)],
    }
    way = WAYS[rng.integers(len(WAYS))]
    if way == "sparse":
        fit = {name: fit[name] for name in fit if name == "sample_weight"}
        points = np.array(points, dtype=float)
        points[rng.random((n, d)) < rng.choice([0.0, 0.1, 0.6])] = 0.0
    if way in ("parts", "rescale"):
        parameters["solver"] = "eigh"  # the others keep no matrices
    return points, fit, parameters, way


# The same fit comes about in several ways.
WAYS = ("fit", "fit", "array", "parts", "rescale", "sparse")


def fitted(points, fit, parameters, way):
    if way == "array":
        given = {**fit}
        given["weights"] = given.pop("sample_weight", None)
        return uapca.UAPCA(**parameters).fit(uapca.UncertainArray(points, **given))
    if way == "rescale":
        return (
            uapca.UAPCA(**{**parameters, "scale": 0.7})
            .fit(points, **fit)
            .rescale(parameters["scale"])
        )
    if way == "sparse":
        make = [scipy.sparse.csr_array, scipy.sparse.csc_matrix][len(points) % 2]
        return uapca.UAPCA(**parameters).fit(make(points), **fit)
    if way == "fit" or len(points) < 2:
        return uapca.UAPCA(**parameters).fit(points, **fit)
    pca, cut = uapca.UAPCA(**parameters), len(points) // 2
    for part in (slice(cut), slice(cut, None)):
        own = {k: v if np.ndim(v) == 0 else np.asarray(v)[part] for k, v in fit.items()}
        pca.partial_fit(np.asarray(points)[part], **own)
    return pca


def exact(points, fit, parameters, number):
    """μ, K, the units and the total variances, in numbers that ``number`` makes of floats."""
    points = np.asarray(points, dtype=float)
    n, d = points.shape
    given = np.asarray(fit.get("sample_weight", np.ones(n)), dtype=float)
    used = given > 0.0
    w = number(given[used])
    w = w / w.sum()
    mean = w @ number(points[used])
    same = (points[used] == points[used][0]).all(axis=0)
    mean[same] = number(points[used][0])[same]
    away = number(points[used]) - mean
    C = (away * w[:, None]).T @ away
    psi = number(np.zeros((d, d)))
    if "std" in fit:
        std = np.broadcast_to(np.asarray(fit["std"], dtype=float), (n, d))
        psi = psi + np.diag(w @ number(std[used]) ** 2)
    elif "cov" in fit:
        psi = (number(np.asarray(fit["cov"], dtype=float)[used]) * w[:, None, None]).sum(axis=0)
    elif "factors" in fit:
        factors = number(np.asarray(fit["factors"], dtype=float)[used, :, 0])
        psi = (factors * w[:, None]).T @ factors
    totals = (C + psi).diagonal()
    units = number(np.ones(d))
    if parameters["standardize"]:
        units = np.where(totals > 0, totals, units) ** number(np.array([0.5]))[0]
    K = C + number(np.array([parameters["scale"]]))[0] ** 2 * psi
    if np.isinf(parameters["scale"]):  # in units of s²
        K = psi if (psi != 0).any() else C
    return mean, K / units[:, None] / units, units, totals


def wrong(points, fit, parameters, way, number):
    """What is wrong with the outcome, or None."""
    with np.errstate(invalid="ignore"):  # of covariances that overflow
        mean, K, units, totals = exact(points, fit, parameters, number)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            pca = fitted(points, fit, parameters, way)
            scores = pca.transform(np.asarray(points, dtype=float))
    except (ValueError, TypeError) as error:
        text = str(error)
        if "\n" in text or not (" must " in text or " needs " in text):
            return f"not a sentence: {text!r}"
        if parameters["solver"] in ("svd", "lanczos") and "solver" in text:
            return None
        if way == "parts" and len(points) > 1:  # a part of the rows may be what does not fit
            return None
        trace = totals.sum()
        narrow = min(totals) if parameters["standardize"] else trace
        traces = np.trace(K), np.trace(K * units[:, None] * units)
        most = max(trace, *traces, *np.abs(mean / units))
        well = SAFE[0] < min(narrow, *traces) and most < SAFE[1]
        return f"refused, though it fits: {text}" if well and "cov" not in fit else None
    except Exception as error:  # noqa: BLE001  (this is what the harness looks for)
        return f"{type(error).__name__}: {error}"
    A, values = pca.components_.astype(float), pca.explained_variance_
    if not (np.isfinite(A).all() and np.isfinite(values).all() and np.isfinite(pca.mean_).all()):
        return "not finite"
    tolerance = 1e-10 if pca.components_.dtype == np.float64 else 1e-5
    if np.abs(A @ A.T - np.eye(len(A))).max() > tolerance:
        return "not orthonormal"
    if parameters["standardize"]:
        if (abs(number(pca.feature_scale_) - units) > 1e-10 * units).any():
            return f"units {pca.feature_scale_} instead of {units}"
        units = number(pca.feature_scale_)
    off = abs(number(pca.mean_) * units - mean)
    if (off > 1e-10 * totals ** number(np.array([0.5]))[0] + 1e-14 * abs(mean)).any():
        return f"mean is off by {off}"
    top = K.diagonal().max()
    if top == 0:
        noise = 1e-25 * max(abs(mean)) ** 2
        return "variance out of nothing" if values.max() > noise else None
    # K − Σ λ v vᵀ has no part along what was found, and nothing larger across it.
    found, V = number(values), number(A)
    rest = K @ V.T - V.T * found
    if np.abs(rest).max() > tolerance * top:
        return f"residual {float(np.abs(rest).max() / top):.3g}"
    left = np.linalg.eigvalsh(np.array((K - (V.T * found) @ V) / top, dtype=float))
    most = float(found[-1] / top) if parameters["n_components"] else 0.0
    if left[0] < -10 * tolerance or left[-1] > most + 10 * tolerance:
        return f"left over are {left}, variances are {values}"
    if (np.diff(values) > 1e-10 * values[0]).any() or values.min() < 0.0:
        return f"variances {values}"
    share = number(pca.explained_variance_ratio_) - found / np.trace(K)
    if np.abs(share).max() > 1e-10:
        return f"shares {pca.explained_variance_ratio_}"
    if not np.isfinite(scores).all():
        return "scores are not finite"
    away = (number(np.asarray(points, dtype=float)) - mean) / units
    near = tolerance * np.abs(away).max() + 1e-14 * np.abs(mean / units).max() + 1e-300
    if np.abs(number(scores) - away @ V.T).max() > 10 * near:
        return f"scores are off by {float(np.abs(number(scores) - away @ V.T).max() / near):.3g}"
    return None


def digits(array):
    """Floats as numbers of mpmath."""
    return np.vectorize(mpmath.mpf, otypes=[object])(array)


def extended(array):
    return np.asarray(array, dtype=np.longdouble)


def check_cases(cases, number):
    found = []
    with mpmath.workdps(60):
        for k in cases:
            *case, way = case_of(np.random.default_rng(k))
            problem = wrong(*case, way, number)
            if problem:
                found.append(f"case {k}: {problem}; {way}, {case[2]}, {sorted(case[1])}")
    assert not found, "\n".join(found[:20])


@pytest.mark.parametrize("batch", range(BATCHES))
def test_fits_are_right_or_refused_in_words(batch, tried):
    cases = batch_of("fits", batch)
    tried("fits", len(cases))
    check_cases(cases, extended if WIDE else digits)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_fits_agree_with_60_digits(batch, tried):
    first, cases = 10**9, batch_of("exact fits", batch)  # other cases than those above
    tried("exact fits", len(cases))
    check_cases((first + k for k in cases), digits)


@pytest.mark.parametrize("mask", [[[True, False], [False, False], [False, False]]])
def test_masked_cells_are_refused(mask):
    points = np.ma.masked_array([[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]], mask=mask)
    with pytest.raises(ValueError, match="^X must have no masked values; row 0, feature 0"):
        uapca.UAPCA().fit(points)
    pca = uapca.UAPCA().fit(points.data)
    with pytest.raises(ValueError, match="^X must have no masked values; row 0, feature 0"):
        pca.transform(points)


def test_a_row_without_weight_may_overflow():
    """Its std² is infinite, and times zero would be NaN."""
    points, weights = [[-1.5, 0.0], [1.5, 0.0], [9.0, 9.0]], [1.0, 1.0, 0.0]
    std = [[0.0, 1.0], [0.0, 1.0], [1e200, 1e200]]
    pca = uapca.UAPCA().fit(points, std=std, sample_weight=weights)
    np.testing.assert_allclose(pca.explained_variance_, [2.25, 1.0])


@pytest.mark.parametrize(
    ("points", "weights", "variance"),
    [
        ([1e6 + 1, 1e6 + 2, 1e6 + 4, 0.0], [1.0, 1.0, 1.0, 1e-13], None),
        ([0.1] * 7, None, 0.0),
        ([3e5, 3e5, 0.0], [1.0, 1.0, 1e-15], None),
    ],
)
def test_a_sparse_column_far_from_zero(points, weights, variance):
    points = np.array(points)[:, None]
    fit = {} if weights is None else {"sample_weight": np.array(weights)}
    with mpmath.workdps(60):
        _, K, *_ = exact(points, fit, {"standardize": False, "scale": 1.0}, digits)
    expected = float(K[0, 0]) if variance is None else variance
    pca = uapca.UAPCA().fit(scipy.sparse.csr_array(points), **fit)
    np.testing.assert_allclose(pca.explained_variance_, [expected], rtol=1e-10)


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_array, scipy.sparse.csc_matrix])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_is_refused_in_one_line(kind, value):
    points = np.arange(8.0).reshape(4, 2)
    pca = uapca.UAPCA().fit(points)
    points[2, 1] = value
    for refuse in (pca.transform, uapca.UAPCA().fit):
        with pytest.raises(ValueError, match=r"^X must be finite; got (NaN|inf) at row 2, fea.*$"):
            refuse(kind(points))


UNDERFLOWS = "^X must have squares that fit into float64; the covariance underflows"


@pytest.mark.parametrize("solver", ["eigh", "svd", "lanczos"])
@pytest.mark.parametrize("scale", [0.0, 1.0])
def test_errors_whose_squares_overflow_are_refused_at_every_scale(solver, scale):
    points, pca = np.arange(6.0).reshape(3, 2), uapca.UAPCA(1, scale=scale, solver=solver)
    with pytest.raises(ValueError, match="^X must have squares that fit into float64"):
        pca.fit(points, std=1e200)


def test_what_vanishes_at_another_scale_is_refused_there():
    points = np.arange(6.0).reshape(3, 2) * 1e-200
    pca = uapca.UAPCA().fit(points, std=1.0)
    with pytest.raises(ValueError, match=UNDERFLOWS):
        pca.rescale(0.0)
    with pytest.raises(ValueError, match=UNDERFLOWS):
        uapca.UAPCA(scale=0.0, standardize=True).fit(points, std=1.0)
    pca = uapca.UAPCA().fit(points * 1e200, std=1e-200)
    with pytest.raises(ValueError, match=UNDERFLOWS):
        pca.rescale(np.inf)


@pytest.mark.parametrize(("size", "std", "lost"), [(1e-200, 1.0, 0.0), (1.0, 1e-200, np.inf)])
def test_what_vanishes_is_refused_by_traces_and_remembered_by_files(tmp_path, size, std, lost):
    points = np.arange(6.0).reshape(3, 2) ** 1.5 * size
    pca = uapca.UAPCA().fit(points, std=std)
    pca.save(tmp_path / "fit.json")
    loaded = uapca.load(tmp_path / "fit.json")
    np.testing.assert_array_equal(loaded.explained_variance_, pca.explained_variance_)
    X = uapca.UncertainArray(points, std=std)
    for refuse in (uapca.factor_traces, lambda own: own.rescale(lost)):
        for fit in (pca, loaded) if refuse is not uapca.factor_traces else (pca, loaded, X):
            with pytest.raises(ValueError, match=UNDERFLOWS):
                refuse(fit)


def test_errors_that_overflow_at_the_scale_are_refused():
    """Ψ̄ fits into float64, and s²Ψ̄ does not."""
    pca = uapca.UAPCA(1, scale=1e5, solver="lanczos")
    with pytest.raises(ValueError, match="^X must have squares .* overflows"):
        pca.fit(np.eye(3, 4), factors=np.full((3, 4, 1), 1e152))


def test_draws_whose_squares_vanish_are_refused():
    draws = np.arange(24.0).reshape(4, 3, 2) * 1e-170
    with pytest.raises(ValueError, match="^draws must have squares .* underflows"):
        uapca.from_draws(draws)


def test_parts_whose_squares_vanish_are_refused():
    pca = uapca.UAPCA().partial_fit([[1e-200, 0.0]])
    with pytest.raises(ValueError, match=UNDERFLOWS):
        pca.partial_fit([[2e-200, 1e-200]])
    with pytest.raises(ValueError, match=UNDERFLOWS):
        uapca.UAPCA().partial_fit([[1e-92, 0.0], [0.0, 2e-92]], sample_weight=[1e-140] * 2)
    with pytest.raises(ValueError, match="^sample_weight must sum to a number from 1e-150"):
        uapca.UAPCA().partial_fit([[1.0, 0.0], [0.0, 2.0]], sample_weight=[1e-170] * 2)


def test_errors_far_below_the_spread_have_a_limit():
    pca = uapca.UAPCA(scale=np.inf).fit([[1e140, 0.0], [0.0, 2e140]], std=[1e-140, 2e-140])
    np.testing.assert_allclose(pca.explained_variance_, [4e-280, 1e-280])
    np.testing.assert_allclose(pca.components_, [[0.0, 1.0], [1.0, 0.0]])


def test_errors_in_single_precision_are_standardized_in_double():
    rng = np.random.default_rng(3)
    points, std = rng.normal(size=(5, 3)) * 1e5, rng.uniform(1, 2, (5, 3)).astype(np.float32)
    fits = [
        uapca.UAPCA(1, scale=1e5, standardize=True, solver=solver).fit(points, std=std)
        for solver in ("eigh", "lanczos")
    ]
    np.testing.assert_allclose(fits[1].components_, fits[0].components_, rtol=1e-12)
