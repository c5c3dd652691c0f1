"""What Python sends: the bits it has, in the representation it has, and nothing that harms."""

import base64
import json

import numpy as np
import pytest
from matplotlib.path import Path as Outline
from scipy import stats
from sklearn.pipeline import make_pipeline

import uapca
from builders import KINDS, random_uncertain
from explorer.node import in_node, request_for
from uapca.explorer import payload as precomputed
from uapca.explorer.payload import payload, text_of
from uapca.laws import Independent, Mixture, Normal, Samples, Uniform
from uapca.plot.regions import rings as rings_of


def array_of(wire):
    return np.frombuffer(wire["data"], dtype=wire["dtype"]).reshape(wire["shape"])


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_bit_and_representation_is_kept(rng, kind, dtype):
    X = random_uncertain(rng, kind=kind, dtype=dtype)
    data = payload(X)
    np.testing.assert_array_equal(array_of(data["mean"]), X.mean)
    assert array_of(data["mean"]).dtype == dtype
    cov = data["cov"]
    kept = X.cov.arrays
    sent = {name for name in ("std", "upper", "factors") if cov[name] is not None}
    assert sent == {"upper" if name == "cov" else name for name in kept}
    if "cov" in kept:
        first, second = np.triu_indices(5)
        wanted = kept["cov"].reshape(-1, 5, 5)[:, first, second]
        np.testing.assert_allclose(array_of(cov["upper"]), wanted, rtol=1e-15)
    for name in sent - {"upper"}:
        found, array = array_of(cov[name]), kept[name]
        assert found.dtype == array.dtype
        # One standard deviation may stand for all features, but not on the page.
        np.testing.assert_array_equal(found, np.broadcast_to(array, found.shape))


def test_rows_known_by_their_moments_only_are_normal_by_assumption(rng):
    X = random_uncertain(rng, kind="dense")
    assert payload(X)["assumed"]
    assert not payload(uapca.UncertainArray(X.mean))["assumed"]  # certain rows assume nothing
    normal = [Normal(m, c) for m, c in zip(X.mean, X.cov.dense(), strict=True)]
    assert not payload(uapca.from_distributions(normal))["assumed"]
    assert payload(uapca.concat([uapca.from_distributions(normal), X]))["assumed"]


def test_base64_is_the_same_bytes(rng):
    data = payload(random_uncertain(rng))
    text = text_of(data)
    assert base64.b64decode(text["mean"]["data"]) == data["mean"]["data"]
    json.dumps(text, allow_nan=False)


def test_weights_and_counts(rng):
    assert payload(random_uncertain(rng))["weights"] is None
    weighted = payload(random_uncertain(rng, weights=rng.uniform(1, 2, 12)))
    assert weighted["counts"] is None
    assert array_of(weighted["weights"]).sum() == pytest.approx(1)
    counted = payload(uapca.datasets.load_iris_groups())
    np.testing.assert_array_equal(array_of(counted["counts"]), [50, 50, 50])


def test_names_are_only_text(rng):
    hostile = ["</script><script>alert(1)</script>", "<!--", "\u2028", "\"'`", "🐸", "a" * 500]
    X = random_uncertain(rng, n=6, d=2, names=hostile, features=["&lt;", "\u202eabc"])
    data = payload(X, groups=hostile, title=hostile[0], units=["<b>", "m/s"])
    assert data["names"] == hostile
    assert sorted(data["groups"]["labels"]) == sorted(hostile)
    assert data["features"] == ["&lt;", "\u202eabc"]


def test_groups(rng):
    X = random_uncertain(rng, n=4)
    groups = payload(X, groups=["b", None, 1, "b"])["groups"]
    assert groups["labels"] == ["1", "b"]  # in natural order
    np.testing.assert_array_equal(array_of(groups["codes"]), [1, -1, 0, 1])
    numbered = payload(X, groups=["g10", "g2", "g1", "g2"])["groups"]
    assert numbered["labels"] == ["g1", "g2", "g10"]


def test_many_numbers_are_a_scale_of_colors(rng):
    pd = pytest.importorskip("pandas")
    X = random_uncertain(rng, n=20)
    ages = [*rng.uniform(20, 70, 19).tolist(), None]
    groups = payload(X, groups=pd.Series(ages, name="age"))["groups"]
    assert (groups["name"], groups["labels"]) == ("age", [])
    np.testing.assert_array_equal(array_of(groups["values"])[:-1], ages[:-1])
    assert np.isnan(array_of(groups["values"])[-1])


def test_supplementary_rows_are_shown_and_have_no_weight(rng):
    X, more = random_uncertain(rng, n=6, d=3), random_uncertain(rng, n=2, d=3)
    data = payload(X, supplementary=more, groups=list("aabbcc"))
    assert (data["n"], data["supplementary"]) == (8, 2)
    np.testing.assert_allclose(array_of(data["weights"]), [1 / 6] * 6 + [0, 0], rtol=1e-15)
    np.testing.assert_array_equal(array_of(data["groups"]["codes"]), [0, 0, 1, 1, 2, 2, -1, -1])
    with pytest.raises(ValueError, match="supplementary must have the 3 features of X; got 4"):
        payload(X, supplementary=random_uncertain(rng, n=2, d=4))


def test_a_fit_opens_the_page_as_it_is(rng, tmp_path):
    X = random_uncertain(rng, n=6, d=3)
    pca = uapca.UAPCA(2, scale=0.5, standardize=True).fit(X)
    state = uapca.explore(pca, X)._state()
    assert (state.scale, state.standardize) == (0.5, True)
    with pytest.raises(TypeError, match="X must be given with a fit"):
        uapca.explore(pca)
    with pytest.raises(ValueError, match="X must have the 3 features of the fit; got 2"):
        uapca.explore(pca, X[:, [0, 1]])
    inner = make_pipeline(uapca.UAPCA(2, scale=0.5))
    steps = make_pipeline(uapca.UncertainScaler(), "passthrough", inner).fit(X)
    assert uapca.explore(steps, X)._state().scale == 0.5
    with pytest.raises(TypeError, match="pca must be a fitted UAPCA or end in one"):
        uapca.explore(uapca.UncertainScaler().fit(X), X)
    page = uapca.explore(pca, X).to_html(tmp_path / "small.html", compact=True)
    assert '"compact":true' in page.read_text()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"groups": ["a"]},
            ValueError,
            "groups must have one label for each of the 3 rows; got 1",
        ),
        (
            {"groups": "abc"},
            ValueError,
            "groups must have one label for each of the 3 rows; got 'abc'",
        ),
        (
            {"units": ["m"]},
            ValueError,
            "units must have one entry for each of the 2 features; got 1",
        ),
        (
            {"points": [[0.0, 1.0]]},
            TypeError,
            (
                "points must be a pair (values, rows), an array (m, D) and the row of each "
                "point; got list"
            ),
        ),
        (
            {"points": ([[0.0]], ["a"])},
            ValueError,
            "points must have shape (m, 2), the features of X; got shape (1, 1)",
        ),
        (
            {"points": ([[0.0, 1.0]], ["a", "b"])},
            ValueError,
            "points must have a row for each point; got 2 for 1 points",
        ),
        (
            {"points": ([[0.0, 1.0]], ["z"])},
            ValueError,
            "points must belong to rows of X, by name or position; got 'z'",
        ),
        (
            {"points": ([[0.0, np.nan]], ["a"])},
            ValueError,
            "points must be finite; got NaN at point 0, feature 1 (1 such in all)",
        ),
    ],
)
def test_what_is_refused(arguments, error, message):
    X = uapca.UncertainArray(np.eye(3)[:, :2], std=0.1, names=["a", "b", "c"])
    with pytest.raises(error) as raised:
        payload(X, **arguments)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("errors", "message"),
    [
        ({"std": [[0.1, np.nan]] * 3}, "std must be finite; got NaN at row 0, feature 1"),
        ({"cov": np.full((2, 2), np.inf)}, "cov must be finite; got inf at feature 0, feature 0"),
        ({"cov": np.full((3, 2, 2), np.nan)}, "cov must be finite; got NaN at row 0, feature 0"),
        ({"factors": np.full((3, 2, 1), np.nan)}, "factors must be finite; got NaN at row 0"),
    ],
)
def test_nan_never_reaches_a_page(errors, message):
    X = uapca.UncertainArray(np.eye(3)[:, :2], **errors, check=False)
    with pytest.raises(ValueError) as raised:
        payload(X)
    assert str(raised.value).startswith(message)
    X = uapca.UncertainArray([[0.0, np.nan], [1.0, 2.0]], check=False)
    with pytest.raises(ValueError) as raised:
        payload(X)
    assert str(raised.value) == ("mean must be finite; got NaN at row 0, feature 1 (1 such in all)")


def test_overflow_never_reaches_a_page():
    with pytest.raises(ValueError) as raised:
        payload(uapca.UncertainArray([[1e200, 0.0], [-1e200, 1.0]]))
    assert str(raised.value) == (
        "X must have squares that fit into float64; its covariance overflows: divide "
        "the data by its largest magnitude first"
    )


def test_large_data_is_refused_before_it_is_looked_at():
    wide = uapca.UncertainArray(np.zeros((2, 201)), check=False)
    with pytest.raises(ValueError) as raised:
        payload(wide)
    assert str(raised.value) == (
        "X must have at most 200 features to be explored; got 201: project it first, X "
        "= uapca.UAPCA(n_components=50).fit_transform(X)"
    )
    long = uapca.UncertainArray(np.zeros((100_000, 100)), check=False)
    with pytest.raises(ValueError) as raised:
        payload(long)
    assert str(raised.value) == (
        "X must fit into a page of 64 MB; 100000 × 100 values and their covariances "
        "take 76 MB: aggregate rows with uapca.from_groups, or project the features "
        "first"
    )


def test_other_things_than_uncertain_arrays():
    with pytest.raises(TypeError) as raised:
        uapca.explore([[1.0, 2.0]])
    assert str(raised.value) == ("pca must be a fit or an UncertainArray; got list")


def test_trust_is_the_verdict_of_python_plain_and_standardized():
    X = uapca.datasets.load_students()
    scaled = uapca.UncertainScaler().fit_transform(X)
    with pytest.warns(uapca.SeparationWarning):
        wanted = uapca.component_uncertainty(X).verdict
    with pytest.warns(uapca.SeparationWarning):
        standardized = uapca.component_uncertainty(scaled).verdict
    assert payload(X)["trust"] == list(wanted)
    assert payload(X, standardize=True)["trust"] == list(standardized) != list(wanted)
    certain = payload(uapca.UncertainArray(np.eye(3)))
    assert certain["trust"] == certain["remarks"] == []
    # Without a word on intervals of variances, which the page does not show.
    groups = uapca.datasets.load_iris_groups()
    wanted = uapca.component_uncertainty(groups).verdict
    assert any("interval" in words for words in wanted)
    assert payload(groups)["trust"] == ["PC1 is known to 1.3°", "PC2 is known to 4.4°"]


# Laws


def shaped():
    """Rows of every kind of law."""
    rng = np.random.default_rng(4)
    parts = [
        Normal([0.0, 0.0, 0.0], np.diag([1.0, 0.2, 1.0])),
        Normal([4.0, 3.0, 1.0], np.diag([0.3, 1.0, 0.2]) + 0.1),
    ]
    return uapca.from_distributions(
        [
            Normal([0.0, 1.0, 2.0], np.eye(3)),
            Independent([stats.norm(0, 2), 1.0, 3.0]),
            Independent([stats.gamma(2), stats.t(5), Uniform(0, 3)]),
            Independent([Uniform(0, 1), Uniform(2, 5), 3.0]),
            Mixture([1, 2], parts),
            Samples(np.concatenate([rng.normal(size=(3000, 3)), rng.normal(6, 1, (3000, 3))])),
            Mixture([1, 2], [parts[0], Independent([Uniform(0, 1), 2.0, 0.0])]),
            Samples([[0.0, 0.0, 0.0], [1.0, 0.0, 3.0], [5.0, 0.0, 2.0]], [1, 8, 1]),
        ]
    )


def test_kinds_of_laws():
    laws = payload(shaped())["laws"]
    kinds = [law and law["kind"] for law in laws]
    assert kinds[:2] == [None, None]
    assert kinds[2:] == ["independent", "independent", "mixture", "points", "points", "points"]
    assert [len(array_of(table)) for table in laws[3]["quantiles"]] == [64, 64, 1]
    assert laws[5]["effective"] == pytest.approx(6000)
    assert array_of(laws[5]["values"]).shape == (1000, 3)
    weighted = array_of(laws[7]["values"])
    assert (weighted[:, 0] == 1.0).mean() == pytest.approx(0.8)


def test_normal_rows_have_no_laws_to_send(rng):
    assert payload(random_uncertain(rng))["laws"] is None
    assert payload(shaped()[:2])["laws"] is None


@pytest.mark.slow
def test_too_many_laws_are_said_to_be_left_out():
    values = np.random.default_rng(0).normal(size=(1000, 25))
    X = uapca.from_intervals(values, values + 1)
    data = payload(X)
    assert data["laws"] is None
    assert data["remarks"][-1] == (
        "there are too many rows for the densities of all: they are drawn as the ellipses of "
        "normal rows with the same means and covariances"
    )


def test_points_come_from_samples_or_as_given(rng):
    points, labels = rng.normal(size=(90, 3)), np.repeat(["a", "b", "c"], 30)
    X = uapca.from_groups(points, labels, keep_samples=True)
    sent = payload(X)["points"]
    np.testing.assert_array_equal(array_of(sent["values"]), points)
    np.testing.assert_array_equal(array_of(sent["rows"]), np.repeat([0, 1, 2], 30))
    assert payload(uapca.from_groups(points, labels))["points"] is None
    given = payload(X, points=(points[:2], ["c", 1]))["points"]
    np.testing.assert_array_equal(array_of(given["rows"]), [2, 1])
    (answer,) = in_node([request_for(X)])
    wanted = uapca.UAPCA(2).fit(X).transform(points)
    np.testing.assert_allclose(np.reshape(answer.fits[0].points, (90, 2)), wanted, atol=1e-12)


@pytest.mark.parametrize("labels", [[1, 2, 3], [2, 0, 1], [True, False], [0.5, 1.5]])
def test_points_find_their_rows_by_name_before_position(labels):
    points = np.random.default_rng(0).normal(size=(10 * len(labels), 2))
    each = np.repeat(labels, 10)
    X = uapca.from_groups(points, each)
    sent = payload(X, points=(points, each))["points"]
    wanted = [X.names.index(str(label)) for label in each]
    np.testing.assert_array_equal(array_of(sent["rows"]), wanted)
    assert np.bincount(wanted).tolist() == [10] * len(labels)


def test_numbers_that_are_names_are_not_positions_too():
    X = uapca.from_groups(np.random.default_rng(0).normal(size=(6, 2)), [1, 1, 2, 2, 3, 3])
    with pytest.raises(ValueError, match=r"^points must belong to rows of X, .*; got 0"):
        payload(X, points=(np.ones((3, 2)), [0, 1, 2]))


@pytest.mark.parametrize("label", [True, np.True_, 1.5, 3, -1, None, "d"])
def test_points_of_no_row_are_refused(label):
    X = uapca.UncertainArray(np.eye(3))
    with pytest.raises(ValueError) as caught:
        payload(X, points=(np.eye(3)[:1], [label]))
    wanted = f"points must belong to rows of X, by name or position; got {label!r}"
    assert str(caught.value) == wanted


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"groups": 5},
            "groups must have one label for each of the 3 rows; got 5",
        ),
        (
            {"units": 3},
            "units must have one entry for each of the 3 features; got 3",
        ),
        (
            {"points": (np.eye(3), 5)},
            "points must have a row for each point; got 0 for 3 points",
        ),
        (
            {"points": (np.eye(3), [[0], [1], [2]])},
            "points must belong to rows of X, by name or position; got [0]",
        ),
    ],
)
def test_what_is_no_list_is_refused_in_words(given, message):
    with pytest.raises(ValueError) as caught:
        payload(uapca.UncertainArray(np.eye(3)), **given)
    assert str(caught.value) == message


def test_nan_is_no_group():
    sent = payload(uapca.UncertainArray(np.eye(3)), groups=["a", np.nan, None])["groups"]
    assert sent["labels"] == ["a"]
    np.testing.assert_array_equal(array_of(sent["codes"]), [0, -1, -1])


def test_points_are_thinned_and_that_is_said(rng):
    points, labels = rng.normal(size=(30_000, 2)), rng.integers(0, 3, 30_000)
    X = uapca.from_groups(points, labels)
    data = payload(X, points=(points, labels))
    values, rows = array_of(data["points"]["values"]), array_of(data["points"]["rows"])
    assert values.shape == (20_000, 2)
    assert data["remarks"][-1] == "of the 30,000 points 20,000 are drawn, chosen at random"
    place = {tuple(point): label for point, label in zip(points, labels, strict=True)}
    assert len({tuple(point) for point in values}) == 20_000
    assert [place[tuple(point)] for point in values] == rows.tolist()
    shares = np.bincount(rows) / 20_000
    np.testing.assert_allclose(shares, np.bincount(labels) / 30_000, atol=0.01)
    few = payload(X, points=(points[:20_000], labels[:20_000]))
    np.testing.assert_array_equal(array_of(few["points"]["values"]), points[:20_000])
    assert not any("are drawn" in remark for remark in few["remarks"])
    samples = payload(uapca.from_groups(points, labels, keep_samples=True))
    assert samples["remarks"][-1] == "of the 30,000 points 4,998 are drawn, chosen at random"


def test_points_count_in_the_size_of_a_page():
    """Rows alone and points alone would fit."""
    n, d = 25_000, 200
    X = uapca.UncertainArray(np.zeros((n, d)), check=False)
    with pytest.raises(ValueError) as raised:
        payload(X, points=(np.zeros((20_000, d)), np.zeros(20_000, dtype=int)))
    assert str(raised.value) == (
        "X must fit into a page of 64 MB; 25000 × 200 values and their covariances, "
        "with 20000 points, take 69 MB: aggregate rows with uapca.from_groups, or "
        "project the features first"
    )


def test_regions_of_mixtures_and_samples_hold_what_they_say():
    """Of mixtures within a hundredth; regions of samples hold that share of the samples."""
    rng = np.random.default_rng(0)

    def mixture(k, sd, apart):
        r = np.random.default_rng(k)
        covariances = [np.diag(sd * r.uniform(0.5, 1.5, 3)) ** 2 for _ in range(k)]
        means = apart * r.normal(size=(k, 3))
        parts = [Normal(m, c) for m, c in zip(means, covariances, strict=True)]
        return Mixture(r.uniform(0.5, 2.0, k), parts)

    def samples(n):
        return Samples(np.r_[rng.normal(size=(n // 2, 3)), rng.normal(4, 0.6, (n - n // 2, 3))])

    shapes = ((2, 1, 1), (2, 1, 3), (3, 0.3, 3), (5, 0.2, 3), (8, 0.5, 2))
    laws = [mixture(*shape) for shape in shapes]
    laws += [samples(n) for n in (30, 300, 1000)] + [Samples(rng.standard_t(2, size=(800, 3)))]
    X = uapca.from_distributions([*laws, Normal([0.0, 1, 2], np.diag([9.0, 4, 1]))])
    probabilities = [0.1, 0.3, 0.5, 0.8, 0.95, 0.99]
    answers = in_node([request_for(X, contours=[i, probabilities]) for i in range(len(laws))])
    pca = uapca.UAPCA(2).fit(X)
    projected = pca.transform(X).laws
    for i, (law, answer) in enumerate(zip(laws, answers, strict=True)):
        if isinstance(law, Samples):
            draws = pca.transform(law.values)
            off = 0.01 + 1 / len(draws)
        else:
            draws, off = projected[i].sample(50_000, rng=1), 0.01
        for probability, rings in zip(probabilities, answer.contours, strict=True):
            assert share_inside(rings, draws) == pytest.approx(probability, abs=off), (i, law)


@pytest.mark.parametrize("standardize", [False, True])
def test_regions_hold_what_they_say(standardize):
    """Draws of Python's law, projected, fall into the browser's region as often as they should."""
    X = shaped()
    students = uapca.datasets.load_students()
    cases = [(X, i) for i in (2, 4)] + [(students, i) for i in range(5)]
    probabilities = [0.5, 0.8, 0.95]
    answers = in_node(
        [
            request_for(data, contours=[i, probabilities], standardize=standardize)
            for data, i in cases
        ]
    )
    for (data, i), answer in zip(cases, answers, strict=True):
        if standardize:
            data = uapca.UncertainScaler().fit_transform(data)
        draws = uapca.UAPCA(2).fit_transform(data).laws[i].sample(20_000, rng=1)
        for probability, rings in zip(probabilities, answer.contours, strict=True):
            inside = np.zeros(len(draws), dtype=bool)
            for ring in rings:
                inside ^= Outline(ring.reshape(-1, 2)).contains_points(draws)
            assert inside.mean() == pytest.approx(probability, abs=0.02)


def share_inside(rings, draws):
    inside = np.zeros(len(draws), dtype=bool)
    for ring in rings:
        inside ^= Outline(np.reshape(ring, (-1, 2))).contains_points(draws)
    return inside.mean()


def test_regions_hold_as_much_as_those_of_python():
    X = uapca.datasets.load_students()
    probabilities = [0.3, 0.5, 0.9, 0.99]
    answers = in_node([request_for(X, contours=[i, probabilities]) for i in range(len(X))])
    for law, answer in zip(uapca.UAPCA(2).fit_transform(X).laws, answers, strict=True):
        draws = law.sample(20_000, rng=1)
        for k, wanted in enumerate(rings_of(law, probabilities)):
            found = share_inside(answer.contours[k], draws)
            assert found == pytest.approx(probabilities[k], abs=0.012)
            assert found == pytest.approx(share_inside(wanted, draws), abs=0.018)


def test_a_plateau_is_shrunk_about_its_center():
    """Two uniform features: no region of half the mass is better than another."""
    square, third = (Independent([Uniform(0, 1), Uniform(2, 5), 3.0]), Normal([9, 9, 9], np.eye(3)))
    X = uapca.from_distributions([square, third])
    probabilities = [0.1, 0.3, 0.6]
    (answer,) = in_node([request_for(X, contours=[0, probabilities])])
    center = answer.fits[0].means[:2]
    # The projection of the box is a parallelogram, all of it equally dense.
    whole = 3.0 * abs(np.linalg.det(np.reshape(answer.fits[0].components, (3, 3))[:2, :2]))
    for probability, rings in zip(probabilities, answer.contours, strict=True):
        (ring,) = rings
        x, y = (ring.reshape(-1, 2) - center).T
        area = 0.5 * abs(x @ np.roll(y, 1) - y @ np.roll(x, 1))
        assert area == pytest.approx(probability * whole, rel=0.03)
        assert Outline(np.column_stack([x, y])).contains_point((0, 0))


def test_laws_without_area_have_no_region():
    line = Independent([Uniform(0, 1), 2.0, 3.0])
    X = uapca.from_distributions([line, Normal([9.0, 9.0, 9.0], np.eye(3))])
    for row in (0, 1):
        (answer,) = in_node([request_for(X, contours=[row, [0.5]])])
        assert len(answer.contours) == 0


# Many features


def agreed(found, pca, tolerance):
    """Checks a fit against Python's and returns the signs of its components there."""
    components = np.reshape(found.components, pca.components_.shape)
    np.testing.assert_allclose(components @ components.T, np.eye(4), atol=1e-12)
    signs = np.sign((components * pca.components_).sum(axis=1))
    np.testing.assert_allclose(signs[:, None] * components, pca.components_, atol=tolerance)
    np.testing.assert_allclose(found.eigenvalues, pca.explained_variance_, rtol=tolerance)
    np.testing.assert_allclose(found.shares, pca.explained_variance_ratio_, rtol=tolerance)
    return signs


@pytest.mark.slow
def test_many_features_are_interpolated_between_exact_points(rng):
    d = precomputed.LIVE + 1
    X = random_uncertain(rng, n=20, d=d, kind="diagonal")
    for standardize in (False, True):
        data = uapca.UncertainScaler().fit_transform(X) if standardize else X
        base = uapca.UAPCA(4, solver="eigh").fit(data)
        kept = payload(X)["precomputed"]["standardized" if standardize else "plain"]
        u = array_of(kept["u"])
        points = np.r_[u[::9], 1.0]
        with np.errstate(divide="ignore"):
            scales = points / (1 - points)
        (answer,) = in_node([request_for(X, scales=scales, standardize=standardize)])
        assert answer.path.q == 4
        for s, found in zip(scales, answer.fits, strict=True):
            pca = base.rescale(s)
            assert found.exact
            signs = agreed(found, pca, 1e-9)
            wanted = pca.transform(data).mean[:, :2] * signs[:2]
            np.testing.assert_allclose(np.reshape(found.means, (20, 2)), wanted, atol=1e-8)
        between = 0.5 * (u[:-1] + u[1:])[::7]
        scales = between / (1 - between)
        for s, found in zip(
            scales,
            in_node([request_for(X, scales=scales, standardize=standardize)])[0].fits,
            strict=True,
        ):
            agreed(found, base.rescale(s), 1e-2)  # from point to point they turn by up to 8°
            assert not found.exact
        leading = [c for c in uapca.factor_traces(data).crossings if c.pair[0] < 3]
        assert [(list(c.pair), c.kind) for c in answer.crossings] == [
            (list(c.pair), c.kind) for c in leading
        ]
        for crossing, wanted in zip(answer.crossings, leading, strict=True):
            assert crossing.u == pytest.approx(wanted.u, abs=1e-8)
            assert crossing.gap == pytest.approx(wanted.gap, rel=1e-8)


def test_many_certain_features(rng):
    X = random_uncertain(rng, n=20, d=70, kind="zero")
    (answer,) = in_node([request_for(X, scales=(0.0, 1.0, np.inf))])
    pca = uapca.UAPCA(4).fit(X)
    for found in answer.fits:
        assert found.exact
        np.testing.assert_allclose(found.eigenvalues, pca.explained_variance_, rtol=1e-9)
        np.testing.assert_allclose(
            np.reshape(found.components, (4, 70)), pca.components_, atol=1e-9
        )


def test_very_many_rows_are_refused():
    X = uapca.UncertainArray(np.zeros((50_001, 2)), std=1.0)
    with pytest.raises(
        ValueError, match=r"^X must have at most 50,000 rows to be explored; got 50,001: aggregate"
    ):
        uapca.explore(X)
