"""Fits of extreme data against 60-digit arithmetic: right to 1e-10, or a sentence.

Seeded; the environment variable UAPCA_FUZZ sets the number of cases.
"""

import os
import warnings

import mpmath
import numpy as np
import pytest

import uapca

CASES = int(os.environ.get("UAPCA_FUZZ", "400"))
BATCHES = 12
# Between these total variances no fit may be refused: squares and their sums are normal numbers.
SAFE = 1e-280, 1e290


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
        weights[rng.integers(n)] = weights.max() if weights.any() else 1.0
        fit["sample_weight"] = weights
        for name in ("std", "cov", "factors"):  # what has no weight does not enter
            if name in fit and np.ndim(fit[name]) and not weights.all() and rng.integers(2):
                fit[name] = np.array(fit[name], dtype=float)
                fit[name][weights == 0.0] = 0.0 if name == "cov" else 1e200
    parameters = {
        "scale": [0.0, 1.0, 1.0, 0.3, 1e5][rng.integers(5)],
        "standardize": bool(rng.integers(4) == 0),
        "solver": ["auto", "auto", "eigh", "svd", "lanczos"][rng.integers(5)],
    }
    return points, fit, parameters


def exact(points, fit, parameters):
    """μ, K and the units, of shape (D,), (D, D) and (D,), in 60 digits."""
    mp, points = mpmath.mpf, np.asarray(points, dtype=float)
    n, d = points.shape
    w = np.asarray(fit.get("sample_weight", np.ones(n)))
    used = [i for i in range(n) if w[i] > 0]
    total = mpmath.fsum(mp(w[i]) for i in used)
    share = {i: mp(w[i]) / total for i in used}
    mean = [mpmath.fsum(share[i] * mp(points[i, j]) for i in used) for j in range(d)]
    own = {}
    for i in used:
        if "std" in fit:
            std = np.broadcast_to(np.asarray(fit["std"], dtype=float), (n, d))
            own[i] = mpmath.diag([mp(s) ** 2 for s in std[i]])
        elif "cov" in fit:
            own[i] = mpmath.matrix(fit["cov"][i].tolist())
        elif "factors" in fit:
            f = mpmath.matrix(np.asarray(fit["factors"], dtype=float)[i].tolist())
            own[i] = f * f.T
    C, psi = mpmath.zeros(d), mpmath.zeros(d)
    for i in used:
        away = mpmath.matrix([mp(points[i, j]) - mean[j] for j in range(d)])
        C += share[i] * away * away.T
        if own:
            psi += share[i] * own[i]
    units = [mp(1)] * d
    if parameters["standardize"]:
        units = [mpmath.sqrt(C[j, j] + psi[j, j]) or mp(1) for j in range(d)]
    K = C + mp(parameters["scale"]) ** 2 * psi
    for i in range(d):
        for j in range(d):
            K[i, j] /= units[i] * units[j]
    totals = [C[j, j] + psi[j, j] for j in range(d)]
    return mean, K, units, totals


def wrong(points, fit, parameters):
    """What is wrong with the outcome, or None."""
    mean, K, units, totals = exact(points, fit, parameters)
    d = len(mean)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            pca = uapca.UAPCA(**parameters).fit(points, **fit)
            scores = pca.transform(np.asarray(points, dtype=float))
    except (ValueError, TypeError) as error:
        text = str(error)
        if "\n" in text or not (" must " in text or " needs " in text):
            return f"not a sentence: {text!r}"
        if parameters["solver"] in ("svd", "lanczos") and "solver" in text:
            return None
        trace = mpmath.fsum(totals)
        narrow = min(totals) if parameters["standardize"] else trace
        scaled_trace = mpmath.fsum(K[j, j] for j in range(d))
        well = SAFE[0] < narrow and trace < SAFE[1] and SAFE[0] < scaled_trace < SAFE[1]
        return f"refused, though it fits: {text}" if well and "cov" not in fit else None
    A, values = pca.components_.astype(float), pca.explained_variance_
    if not (np.isfinite(A).all() and np.isfinite(values).all() and np.isfinite(pca.mean_).all()):
        return "not finite"
    tolerance = 1e-10 if pca.components_.dtype == np.float64 else 1e-5
    if np.abs(A @ A.T - np.eye(len(A))).max() > tolerance:
        return "not orthonormal"
    spread = [mpmath.sqrt(t) for t in totals]
    for j in range(d):
        off = abs(mpmath.mpf(pca.mean_[j]) * units[j] - mean[j])
        if off > 1e-10 * spread[j] + 1e-14 * abs(mean[j]):
            return f"mean {j} is off by {mpmath.nstr(off, 3)}"
    expected = sorted(mpmath.eigsy(K, eigvals_only=True), reverse=True)
    top = expected[0]
    if top == 0:
        noise = 1e-25 * max(map(abs, mean)) ** 2
        return "variance out of nothing" if values.max() > noise else None
    for found, value in zip(values, expected, strict=False):
        if abs(mpmath.mpf(found) - value) > 1e-10 * top:
            return f"variance {found} instead of {mpmath.nstr(value, 12)}"
    for row, value in zip(A, values, strict=True):
        v = mpmath.matrix(row.tolist())
        rest = K * v - mpmath.mpf(value) * v
        if max(abs(r) for r in rest) > tolerance * top:
            return f"residual {mpmath.nstr(max(abs(r) for r in rest) / top, 3)}"
    if pca.solver_ == "eigh" and not np.isfinite(scores).all():
        return "scores are not finite"
    return None


@pytest.mark.parametrize("batch", range(BATCHES))
def test_fits_are_right_or_refused_in_words(batch):
    found = []
    with mpmath.workdps(60):
        for k in range(batch, CASES, BATCHES):
            points, fit, parameters = case_of(np.random.default_rng(k))
            problem = wrong(points, fit, parameters)
            if problem:
                found.append(f"case {k}: {problem}; {parameters}, {sorted(fit)}")
    assert not found, "\n".join(found)


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
