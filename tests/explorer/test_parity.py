"""The mathematics in the browser and in Python, from one set of cases."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

import uapca
from builders import KINDS, random_covariances, random_uncertain
from explorer.node import in_node, request_for
from uapca._validation import scale_from
from uapca.decomposition.spectrum import scaled_spectrum, tie_tolerance

# The last but one has no square in float64: infinite on both sides.
SCALES = (0.0, 1e-6, 0.1, 0.5, 1.0, 2.0, 30.0, 1e4, 1e8, 1e200, np.inf)
TOLERANCE = 1e-9


def tied_errors(rng, d=6):
    """Ψ̄ with pairs of equal eigenvalues, turned."""
    turn = np.linalg.qr(rng.standard_normal((d, d)))[0]
    return turn @ np.diag(np.repeat([4.0, 1.0, 0.25], d // 3)[:d]) @ turn.T


def data_sets():
    rng = np.random.default_rng(62)
    cases = {kind: random_uncertain(rng, kind=kind) for kind in KINDS}
    cases |= {f"{kind}, float32": random_uncertain(rng, kind=kind, dtype="f4") for kind in KINDS}
    cases["weights"] = random_uncertain(rng, weights=rng.uniform(0, 3, 12))
    cases["one huge weight"] = random_uncertain(rng, weights=[1e12, *rng.uniform(0, 3, 11)])
    cases["zero weights"] = random_uncertain(rng, weights=[0, 0, 0, *rng.uniform(1, 3, 9)])
    wide = random_uncertain(rng, 40, 20)
    cases["20 features"] = wide
    cases["scaled"] = random_uncertain(rng, kind="low-rank + diagonal").scaled(0.3)
    for kind in ("diagonal", "dense"):
        X = random_uncertain(rng, kind=kind)
        cases[f"offset, {kind}"] = uapca.UncertainArray(
            np.round(X.mean * 2**20) / 2**20 + 1e8,
            **({"std": X.cov.std()} if kind == "diagonal" else {"cov": X.cov.dense()}),
        )
    cases["one feature"] = random_uncertain(rng, d=1, kind="diagonal")
    cases["one row"] = random_uncertain(rng, n=1)
    cases["one certain row"] = random_uncertain(rng, n=1, kind="zero")
    cases["two rows"] = random_uncertain(rng, n=2, kind="diagonal")
    cases["identical rows"] = uapca.UncertainArray(np.ones((4, 3)), std=rng.uniform(0, 1, (4, 3)))
    cases["identical certain rows"] = uapca.UncertainArray(np.ones((4, 3)))
    cases["fewer rows than features"] = random_uncertain(rng, n=3, d=7, kind="diagonal")
    cases["certain, fewer rows than features"] = random_uncertain(rng, n=3, d=7, kind="zero")
    cases["errors of rank 2"] = uapca.UncertainArray(
        rng.standard_normal((9, 6)), factors=np.tile(rng.standard_normal((1, 6, 2)), (9, 1, 1))
    )
    cases["tied errors"] = uapca.UncertainArray(rng.standard_normal((9, 6)), tied_errors(rng))
    square = np.array([[1.0, 1, 0], [1, -1, 0], [-1, 1, 0], [-1, -1, 0]])
    cases["tied means"] = uapca.UncertainArray(square, std=[0.1, 0.2, 0.3])
    cases["tied means, isotropic"] = uapca.UncertainArray(square, std=0.5)
    cases["equal loadings"] = uapca.UncertainArray([[1.0, -1.0], [-1.0, 1.0]], std=0.1)
    cases["tiny"] = uapca.UncertainArray(
        1e-120 * rng.standard_normal((9, 4)), 1e-240 * random_covariances(rng, 9, 4)
    )
    cases["large"] = uapca.UncertainArray(
        1e120 * rng.standard_normal((9, 4)), 1e240 * random_covariances(rng, 9, 4)
    )
    cases["students"] = uapca.datasets.load_students()
    cases["iris"] = uapca.datasets.load_iris_groups()
    far = rng.standard_normal((80, 4))
    far[:7] *= [[9], [8], [7], [6], [6.5], [7.5], [1]]
    cases["rows far out"] = uapca.UncertainArray(far, std=rng.uniform(0.1, 1.0, far.shape))
    return cases


CASES = data_sets()


@pytest.fixture(scope="module")
def answers():
    """What the browser finds, for every case, plain and standardized."""
    keys = [(name, standardize) for name in CASES for standardize in (False, True)]
    requests = [
        request_for(CASES[name], scales=SCALES, standardize=standardize, gaps=99)
        for name, standardize in keys
    ]
    return dict(zip(keys, in_node(requests), strict=True))


def in_doubles(X):
    """The same numbers as float64: Python keeps float32 results as float32, the browser cannot."""
    errors = {name: array.astype(float) for name, array in X.cov.arrays.items()}
    exact = uapca.UncertainArray(X.mean.astype(float), **errors, weights=X.weights, check=False)
    return exact if not errors else exact.scaled(np.sqrt(X.cov.multiplier))


def close(found, wanted, size=None):
    wanted = np.asarray(wanted, dtype=float)
    found = np.reshape(found, wanted.shape)
    size = np.abs(wanted).max(initial=0.0) if size is None else size
    np.testing.assert_allclose(found, wanted, rtol=0, atol=TOLERANCE * size)


def component_errors(base, s):
    """How far apart components may be: 1e-9, or what rounding over their gap leaves undecided.

    Ties are decided by rule; there the gap is that between their subspace and the next.
    """
    d = base.n_features_in_
    values = scaled_spectrum(
        base.between_covariance_, base.within_covariance_, scale_from(s)
    ).values
    limit = tie_tolerance(d) * values[0]
    errors = np.full(d, TOLERANCE)
    for i, value in enumerate(values):
        run = (np.cumsum(np.r_[0, values[:-1] - values[1:] > limit])).tolist()
        others = values[np.array(run) != run[i]]
        if len(others):
            gap = np.abs(others - value).min()
            errors[i] = max(TOLERANCE, 50 * np.finfo(float).eps * values[0] / gap)
    return errors


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_fits_agree(answers, name, standardize):
    X = CASES[name]
    n, d = X.shape
    exact = in_doubles(X)
    answer = answers[name, standardize]
    scaler = uapca.UncertainScaler().fit(exact)
    data = scaler.transform(exact) if standardize else exact
    base = uapca.UAPCA(solver="eigh").fit(data)
    close(answer.between, base.between_covariance_)
    close(answer.within, base.within_covariance_)
    for s, found in zip(SCALES, answer.fits, strict=True):
        pca = base.rescale(s)
        q = pca.n_components_
        close(found.mean, scaler.mean_)
        if standardize:
            close(found.units, scaler.scale_)
        assert found.exact
        close(found.eigenvalues[:q], pca.explained_variance_)
        close(found.shares[:q], pca.explained_variance_ratio_, 1.0)
        components = np.reshape(found.components, (d, d))
        np.testing.assert_allclose(components @ components.T, np.eye(d), atol=1e-13)
        allowed = component_errors(base, s)[:q, None]
        assert (np.abs(components[:q] - pca.components_) <= allowed).all()
        if q < min(2, d):
            continue
        pair = [0, min(1, d - 1)]
        Y = pca.transform(data)
        deviations = np.abs(data.mean - pca.mean_).max()
        # μ itself is known to the rounding of the data; it moves all rows alike.
        rounding = np.spacing(np.abs(exact.mean).max() / found.units.min())
        size = max(allowed[pair].max() / TOLERANCE, 1.0)
        close(found.means, Y.mean[:, pair], size * deviations + rounding / TOLERANCE)
        wanted = np.stack(
            [Y.cov.dense()[:, i, j] for i, j in ((0, 0), tuple(pair), (pair[1],) * 2)]
        )
        close(np.reshape(found.covariances, (n, 3)), wanted.T, size * data.cov.dense().max())


@pytest.mark.parametrize("name", CASES)
def test_deviations_agree(answers, name):
    close(answers[name, False].deviations, in_doubles(CASES[name]).cov.std())


def pairs_of(X, answer, standardize):
    """Python's path on the browser's grid."""
    exact = in_doubles(X)
    data = uapca.UncertainScaler().fit_transform(exact) if standardize else exact
    u = answer.path.u
    with np.errstate(divide="ignore"):
        return uapca.factor_traces(data, scales=u / (1 - u))


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_paths_agree(answers, name, standardize):
    X, answer = CASES[name], answers[name, standardize]
    d = X.shape[1]
    u = answer.path.u
    assert u[0] == 0
    assert u[-1] == 1
    assert 0.5 in u
    assert (np.diff(u) > 0).all()
    components = np.reshape(answer.path.components, (len(u), d, d))
    if d == 1:
        np.testing.assert_array_equal(components, 1.0)
        return
    traces = pairs_of(X, answer, standardize)
    values = traces.normalized_eigenvalues
    found = np.reshape(answer.path.eigenvalues, values.shape)
    np.testing.assert_allclose(found, values, rtol=0, atol=TOLERANCE * values.max())
    vectors = traces._path.vectors.transpose(0, 2, 1)
    gaps = np.full((len(u), d + 1), np.inf)
    gaps[:, 1:-1] = values[:, :-1] - values[:, 1:]
    apart = np.minimum(gaps[:, :-1], gaps[:, 1:]) / np.maximum(values[:, :1], 1e-300)
    shown = apart[:, :2] > 1e-5  # the rest is known to rounding over gap only
    assert shown.mean() > 0.5 or "tied" in name or "identical" in name or "one" in name
    np.testing.assert_allclose(
        components[:, :2][shown], vectors[:, :2][shown], rtol=0, atol=TOLERANCE
    )


@pytest.mark.parametrize("name", CASES)
def test_shown_components_turn_smoothly(answers, name):
    path = answers[name, False].path
    d = CASES[name].shape[1]
    components = np.reshape(path.components, (len(path.u), d, d))[:, :2]
    overlap = np.einsum("kid,kid->ki", components[1:], components[:-1])
    for jump in path.breaks:
        overlap[int(jump.at) - 1] = 1.0
    assert overlap.min() > np.cos(np.deg2rad(2.001))


@pytest.mark.parametrize("name", [name for name in CASES if "float32" not in name])
def test_crossings_agree(answers, name):
    X, answer = CASES[name], answers[name, False]
    wanted = uapca.factor_traces(X).crossings if X.shape[1] > 1 else ()
    found = answer.crossings
    assert [(tuple(c.pair), c.kind) for c in found] == [(c.pair, c.kind) for c in wanted]
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours.u == pytest.approx(theirs.u, abs=1e-8)
        assert ours.scale == pytest.approx(theirs.scale, rel=1e-7)
        assert ours.gap == pytest.approx(theirs.gap, rel=1e-7, abs=1e-9 * answer.fits[4].total)
        assert ours.relativeGap == pytest.approx(theirs.relative_gap, rel=1e-7, abs=1e-9)


def test_weights_of_the_person():
    rng = np.random.default_rng(3)
    requests, wanted = [], []
    for kind in KINDS:
        X = random_uncertain(rng, kind=kind, weights=rng.uniform(1, 2, 12))
        for weights in (rng.uniform(0, 5, 12), np.eye(12)[3], np.ones(12)):
            requests.append(request_for(X, scales=(0.0, 1.0, np.inf), weights=weights))
            wanted.append(X.reweighted(weights))
    for answer, X in zip(in_node(requests), wanted, strict=True):
        base = uapca.UAPCA(solver="eigh").fit(X)
        for s, found in zip((0.0, 1.0, np.inf), answer.fits, strict=True):
            pca = base.rescale(s)
            q = pca.n_components_
            close(found.mean, pca.mean_)
            close(found.eigenvalues[:q], pca.explained_variance_)
            close(np.reshape(found.components, (5, 5))[:q], pca.components_, 1.0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("standardize", [False, True])
def test_scores_far_from_zero_agree(seed, standardize):
    """Of the scores alone, with no allowance for the rounding of μ at 1e8."""
    rng = np.random.default_rng(seed)
    X = uapca.UncertainArray(1e8 + rng.normal(size=(9, 4)), std=rng.uniform(0.1, 1, (9, 4)))
    points = 1e8 + rng.normal(size=(5, 4))
    (answer,) = in_node(
        [request_for(X, standardize=standardize, points=(points, np.zeros(5, dtype=int)))]
    )
    steps = [uapca.UncertainScaler()] if standardize else []
    pipeline = make_pipeline(*steps, uapca.UAPCA(2)).fit(X)
    close(answer.fits[0].means, pipeline.transform(X).mean)
    close(answer.fits[0].points, pipeline.transform(points))


def test_followed_signs_do_not_jump():
    """Along s no component flips, whatever the rule for single fits says."""
    X = random_uncertain(np.random.default_rng(8), d=4)
    scales = np.geomspace(0.01, 100, 400)
    (answer,) = in_node([request_for(X, scales=scales)])
    components = np.array([np.reshape(fit.followed, (4, 4)) for fit in answer.fits])
    alone = np.array([np.reshape(fit.components, (4, 4)) for fit in answer.fits])
    shown = components[:, :2]
    assert np.einsum("kid,kid->ki", shown[1:], shown[:-1]).min() > 0.9
    assert np.einsum("kid,kid->ki", alone[1:, :2], alone[:-1, :2]).min() < -0.9
    np.testing.assert_array_equal(np.abs(components), np.abs(alone))


def test_true_crossings_break_the_path():
    """Diagonal C and Ψ̄: λ₁ and λ₂ meet at s² = (4 − 1) / (3 − 1), without turning."""
    X = uapca.UncertainArray(
        np.array([[2.0, 0, 0], [-2, 0, 0], [0, 1, 0], [0, -1, 0]]) * np.sqrt(2),
        std=[1.0, np.sqrt(3.0), 0.1],
    )
    (answer,) = in_node([request_for(X, scales=(1.0, 2.0))])
    (jump,) = answer.path.breaks
    assert list(jump.ranks) == [0, 1]
    s = np.sqrt(1.5)
    at = int(jump.at)
    assert answer.path.u[at - 1] <= s / (1 + s) <= answer.path.u[at]
    assert answer.path.u[at] - answer.path.u[at - 1] < 1e-9
    (crossing,) = [c for c in answer.crossings if list(c.pair) == [0, 1]]
    assert crossing.kind == "true"
    assert crossing.gap == 0
    assert crossing.scale == pytest.approx(s, rel=1e-10)


def test_matches_a_pipeline():
    X = random_uncertain(np.random.default_rng(5), n=30, d=6)
    (answer,) = in_node([request_for(X, standardize=True)])
    Y = make_pipeline(uapca.UncertainScaler(), uapca.UAPCA(2)).fit_transform(X)
    close(answer.fits[0].means, Y.mean)
    (answer,) = in_node([request_for(X, pair=(4, 2))])
    Y = uapca.UAPCA().fit_transform(X)
    close(answer.fits[0].means, Y.mean[:, [4, 2]])
    close(np.reshape(answer.fits[0].covariances, (30, 3))[:, 1], Y.cov.dense()[:, 4, 2])
