"""Points that come over time."""

import pickle
import threading

import numpy as np
import pytest

import uapca
from uapca.aggregate import Moments
from uapca.inputs import groups as module


def assert_same(X, Y, rtol=1e-12):
    assert (X.names, X.features) == (Y.names, Y.features)
    assert X.total_weight == pytest.approx(Y.total_weight, rel=1e-12)
    np.testing.assert_allclose(X.weights, Y.weights, rtol=rtol)
    np.testing.assert_allclose(X.mean, Y.mean, rtol=rtol, atol=rtol)
    size = np.abs(Y.cov.dense()).max(axis=(1, 2), keepdims=True)
    assert (np.abs(X.cov.dense() - Y.cov.dense()) <= rtol * size).all()


def data(n=3000, d=3, labels=7, offset=0.0):
    rng = np.random.default_rng(0)
    points = np.round(rng.standard_normal((n, d)) * 1024) / 1024 + offset
    return points, np.array([f"k{c}" for c in rng.integers(0, labels, n)])


def fed(live, points, labels, cuts):
    for part in np.split(np.arange(len(points)), cuts):
        live.partial_fit(points[part], labels[part])
    return live


CUTS = [[], [1, 2, 3], range(100, 3000, 100), range(1, 3000)]


@pytest.fixture(autouse=True)
def _small_buffer(monkeypatch):
    monkeypatch.setattr(module, "_LIVE_ROWS", 256)


@pytest.mark.parametrize("offset", [0.0, 1e8])
@pytest.mark.parametrize("cuts", CUTS)
def test_chunks_do_not_show(cuts, offset):
    points, labels = data(offset=offset)
    live = fed(uapca.Aggregator(), points, labels, cuts)
    assert_same(live.to_uncertain(), uapca.from_groups(points, labels))


@pytest.mark.parametrize("cuts", CUTS)
def test_half_life(cuts):
    points, labels = data()
    live = fed(uapca.Aggregator(half_life=200.0), points, labels, cuts)
    ages = np.arange(len(points))[::-1]
    expected = Moments.of(points, labels, 2.0 ** (-ages / 200.0)).to_uncertain()
    assert_same(live.to_uncertain(), expected)


@pytest.mark.parametrize("window", [1, 10, 999, 10_000])
@pytest.mark.parametrize("cuts", CUTS)
def test_window(cuts, window):
    points, labels = data()
    live = uapca.Aggregator(window=window)
    for k, part in enumerate(np.split(np.arange(len(points)), cuts)):
        live.partial_fit(points[part], labels[part])
        if k % 97 == 0:  # snapshots on the way change nothing
            last = slice(max(0, part[-1] + 1 - window), part[-1] + 1)
            assert_same(live.to_uncertain(), uapca.from_groups(points[last], labels[last]))
    last = slice(-window, None) if window < len(points) else slice(None)
    assert_same(live.to_uncertain(), uapca.from_groups(points[last], labels[last]))


def test_a_window_over_points_of_very_different_size_is_summed_anew():
    points, labels = data(labels=1)
    points[:1500] *= 1e6  # what leaves is a million times as wide as what stays
    live = fed(uapca.Aggregator(window=500), points, labels, range(100, 3000, 100))
    assert_same(live.to_uncertain(), uapca.from_groups(points[-500:], labels[-500:]))


def test_a_window_loses_no_digits_of_a_label_with_one_point_left():
    live = uapca.Aggregator(window=3)
    for value, label in ((1e8, "a"), (0.1, "a"), (1.0, "b"), (2.0, "b")):
        X = live.partial_fit([[value]], [label]).to_uncertain()
    assert X.names == ("a", "b")
    assert X.mean.ravel().tolist() == [0.1, 1.5]
    assert X.cov.dense().ravel().tolist() == [0.0, 0.25]


@pytest.mark.parametrize("snapshots", [False, True])
def test_a_huge_weight_leaves_a_window(snapshots):
    live = uapca.Aggregator(window=3)
    for value, weight in ((0.0, 1e20), (1.0, 1.0), (2.0, 1.0), (4.0, 1.0)):
        live.partial_fit([[value]], ["a"], [weight])
        if snapshots:
            live.to_uncertain()
    X = live.to_uncertain()
    assert X.total_weight == 3.0
    assert X.mean[0, 0] == pytest.approx(7 / 3, rel=1e-15)
    assert X.cov.dense()[0, 0, 0] == pytest.approx(14 / 9, rel=1e-14)


@pytest.mark.parametrize("cuts", [[], range(100, 3000, 100), range(37, 3000, 37)])
@pytest.mark.parametrize("window", [7, 300, 2000])
def test_windows_over_wild_points(cuts, window):
    rng = np.random.default_rng(5)
    points, labels = data()
    points *= 10.0 ** rng.integers(-8, 9, (3000, 1))  # any may leave while any others stay
    weights = 10.0 ** rng.integers(-12, 13, 3000)
    live = uapca.Aggregator(window=window)
    for part in np.split(np.arange(3000), cuts):
        live.partial_fit(points[part], labels[part], weights[part])
        end = part[-1] + 1
        last = slice(max(0, end - window), end)
        expected = Moments.of(points[last], labels[last], weights[last]).to_uncertain()
        found = live.to_uncertain()
        assert found.names == expected.names
        np.testing.assert_allclose(found.weights, expected.weights, rtol=1e-12)
        size = np.sqrt(np.diagonal(expected.cov.dense(), axis1=1, axis2=2)) + abs(expected.mean)
        assert (abs(found.mean - expected.mean) <= 1e-12 * size).all()
        room = size[:, :, None] * size[:, None, :]
        assert (abs(found.cov.dense() - expected.cov.dense()) <= 1e-11 * room).all()


@pytest.mark.slow
def test_a_window_is_kept_in_few_blocks():
    live = uapca.Aggregator(window=100_000)
    for _ in range(3000):
        live.partial_fit(np.zeros((100, 1)))
        assert live.to_uncertain().total_weight <= 100_000
    assert live.to_uncertain().total_weight == 100_000
    assert len(live._collector._state) <= 18


def test_snapshots_do_not_change():
    points, labels = data()
    live = fed(uapca.Aggregator(), points[:1000], labels[:1000], [])
    first = live.to_uncertain()
    before = first.cov.dense().copy()
    fed(live, points[1000:], labels[1000:], [])
    np.testing.assert_array_equal(first.cov.dense(), before)
    assert live.to_uncertain().total_weight == 3000


def test_chunks_are_copied():
    points, labels = data(100)
    live, buffer = uapca.Aggregator(), np.empty((10, 3))
    for start in range(0, 100, 10):
        buffer[:] = points[start : start + 10]
        live.partial_fit(buffer, labels[start : start + 10])
        buffer[:] = np.nan
    assert_same(live.to_uncertain(), uapca.from_groups(points, labels))


def test_many_labels():
    rng = np.random.default_rng(1)
    points, labels = rng.standard_normal((20_000, 2)), rng.integers(0, 3000, 20_000)
    live = fed(uapca.Aggregator(), points, labels, range(100, 20_000, 100))
    assert_same(live.to_uncertain(), uapca.from_groups(points, labels))


def test_weights_labels_and_none():
    points, labels = data(500)
    weights = np.random.default_rng(2).uniform(0, 2, 500)
    live = uapca.Aggregator()
    live.partial_fit(points[:200], labels[:200], weights[:200])
    live.partial_fit(points[200:], labels[200:], weights[200:])
    assert_same(live.to_uncertain(), Moments.of(points, labels, weights).to_uncertain())
    mixed = uapca.Aggregator().partial_fit(points[:200], labels[:200])
    mixed.partial_fit(points[200:], labels[200:], weights[200:])
    both = np.r_[np.ones(200), weights[200:]]
    assert_same(mixed.to_uncertain(), Moments.of(points, labels, both).to_uncertain())
    alone = uapca.Aggregator(features=["a", "b", "c"]).partial_fit(points).to_uncertain()
    assert (alone.names, alone.features) == (("all",), ("a", "b", "c"))
    np.testing.assert_allclose(alone.cov.dense()[0], np.cov(points.T, ddof=0), atol=1e-13)
    assert_same(
        fed(uapca.Aggregator(), points, labels, [9]).to_uncertain("sem"),
        uapca.from_groups(points, labels, "sem"),
    )


@pytest.mark.parametrize("name", ["pandas", "polars", "pyarrow", "dict"])
def test_tables(name):
    points, labels = data(300)
    years = np.arange(300) % 3 + 2018
    table = {"kind": labels.tolist(), "x": points[:, 0], "y": points[:, 1], "year": years}
    if name == "dict":

        def make(rows):
            return {key: np.asarray(value)[rows] for key, value in table.items()}
    else:
        library = pytest.importorskip(name)
        whole = library.table(table) if name == "pyarrow" else library.DataFrame(table)

        def make(rows):
            if name == "pandas":
                return whole.iloc[rows]
            return whole[rows] if name == "polars" else whole.slice(rows.start, 100)

    for by in ("kind", ["kind", "year"]):
        live = uapca.Aggregator(by=by)
        for start in range(0, 300, 100):
            live.partial_fit(make(slice(start, start + 100)))
        assert_same(live.to_uncertain(), uapca.from_groups(table, by))


def test_snapshots_from_another_thread():
    points, labels = data()
    live = uapca.Aggregator().partial_fit(points[:1], labels[:1])
    stop, seen = threading.Event(), []

    def watch():
        while not stop.is_set():
            seen.append(live.to_uncertain().total_weight)

    watcher = threading.Thread(target=watch)
    watcher.start()
    fed(live, points[1:], labels[1:], range(1, 2999, 3))
    stop.set()
    watcher.join()
    assert seen == sorted(seen)
    assert_same(live.to_uncertain(), uapca.from_groups(points, labels))


def test_it_travels():
    points, labels = data()
    live = fed(uapca.Aggregator(), points[:700], labels[:700], [])
    other = pickle.loads(pickle.dumps(live))
    assert_same(
        fed(other, points[700:], labels[700:], []).to_uncertain(),
        uapca.from_groups(points, labels),
    )


def refused(action, kind=ValueError):
    with pytest.raises(kind) as error:
        action()
    return str(error.value)


def test_a_bad_chunk_adds_nothing():
    live = uapca.Aggregator().partial_fit([[1.0], [2.0]], ["a", "b"])
    assert refused(lambda: live.partial_fit([[1.0], [np.inf]], ["a", "b"])) == (
        "points must be finite; got inf at row 1, feature 0 (1 such in all)"
    )
    assert refused(lambda: live.partial_fit([[1.0]], ["a", "b"])) == (
        "by must have one label for each point; got 2 for 1 points. Select the same rows from both."
    )
    assert refused(lambda: live.partial_fit([[1.0, 2.0]], ["a"])) == (
        "points must have the 1 features of the first chunk; got 2"
    )
    assert "1 of 1 are missing" in refused(lambda: live.partial_fit([[1.0]], [None]))
    assert refused(lambda: live.partial_fit([1.0])) == (
        "points must have shape (n, D) with at least one feature; got (1,)"
    )
    assert live.to_uncertain().total_weight == 2
    live.partial_fit(np.empty((0, 1)), [])
    dropping = uapca.Aggregator(missing="drop").partial_fit([[1.0], [np.nan]], ["a", None])
    assert dropping.to_uncertain().mean.tolist() == [[1.0]]


@pytest.mark.parametrize("options", [{}, {"half_life": 1e9}, {"window": 10**6}])
def test_a_chunk_that_overflows_is_refused_and_loses_nothing(options):
    points, labels = data(1000, 2)
    live = uapca.Aggregator(**options).partial_fit(points, labels)
    said = (
        "points must have squares that fit into float64; the covariance overflows: "
        "divide the data by its largest magnitude first"
    )
    far = np.r_[points, points]
    far[700] = 1e200
    for chunk, own in (([[1e200, 0.0]], ["k1"]), (far, np.r_[labels, labels])):
        assert refused(lambda chunk=chunk, own=own: live.partial_fit(chunk, own)) == said
        assert live.moments().sums.counts.sum() == 1000
    expected = Moments.of(points, labels).to_uncertain()
    np.testing.assert_allclose(live.to_uncertain().mean, expected.mean, rtol=1e-5, atol=1e-7)
    # One far away alone is fine; what comes to it is not.
    live.partial_fit([[1e200, 0.0]], ["far"])
    assert refused(lambda: live.partial_fit([[1.0, 0.0]], ["far"])) == said
    live.partial_fit(points, labels)
    assert live.moments().sums.counts.sum() == 2001


@pytest.mark.parametrize("options", [{}, {"half_life": 1e9}, {"window": 10**6}])
@pytest.mark.parametrize("action", ["snapshot", "chunk"])
def test_an_interrupt_loses_nothing(options, action, monkeypatch):
    points, labels = data(200)
    live = uapca.Aggregator(**options).partial_fit(points, labels)
    merge = Moments.merge

    def interrupted(self, other):
        raise KeyboardInterrupt

    monkeypatch.setattr(Moments, "merge", interrupted)
    with pytest.raises(KeyboardInterrupt):
        if action == "snapshot":
            live.to_uncertain()
        else:
            live.partial_fit(*data(1000))
            live.to_uncertain()
    monkeypatch.setattr(Moments, "merge", merge)
    counts = live.moments().sums.counts.sum()
    # A window sums nothing before it is asked, so that there the chunk was accepted whole.
    assert counts == (1200 if action == "chunk" and "window" in options else 200)


def test_a_refused_first_chunk_settles_nothing():
    live = uapca.Aggregator(by="kind")
    message = refused(lambda: live.partial_fit({"x": [np.inf], "kind": ["a"]}))
    assert message.startswith("points must be finite")
    refused(lambda: live.partial_fit({"x": [1e200, -1e200], "kind": ["a", "a"]}))
    refused(lambda: live.partial_fit({"x": [1.0], "kind": [None]}))
    assert live.partial_fit({"y": [1.0], "kind": ["a"]}).to_uncertain().features == ("y",)


def test_what_has_faded_is_forgotten():
    live = uapca.Aggregator(half_life=1.0)
    live.partial_fit([[5.0], [7.0]], ["old", "old"])
    for start in range(0, 3000, 100):
        live.partial_fit(np.arange(start, start + 100.0)[:, None], ["new"] * 100)
    X = live.to_uncertain("sem")
    assert X.names == ("new",)
    # Weights 1, ½, ¼ …: a mean age of 1 and a variance of 2; (Σw)² / Σw² is 3.
    assert X.mean[0, 0] == pytest.approx(2998.0, rel=1e-14)
    assert X.total_weight == pytest.approx(2.0)
    assert X.cov.dense()[0, 0, 0] == pytest.approx(2.0 / (1 - 1 / 3) / 3, rel=1e-12)
    assert refused(
        lambda: Moments.of([[1.0], [2.0]], ["a", "a"], [1e-200, 1e-200]).to_uncertain("sem")
    ) == (
        "weights must have squares that fit into float64 for spread='sem'; "
        "those of 'a' sum to 2e-200. Divide the weights by the largest first."
    )


@pytest.mark.parametrize("options", [{"half_life": 2.0}, {"window": 3}])
def test_points_without_a_label_age_nothing(options):
    points = np.arange(6.0)[:, None]
    some = uapca.Aggregator(missing="drop", **options)
    some.partial_fit(points, ["a", None, "a", "b", None, "b"])
    whole = uapca.Aggregator(**options).partial_fit(points[[0, 2, 3, 5]], ["a", "a", "b", "b"])
    assert_same(some.to_uncertain(), whole.to_uncertain())


def test_it_says_what_it_has():
    live = uapca.Aggregator(by="kind", window=2)
    assert (repr(live), live.count) == ("Aggregator: 0 points, by kind, window 2", 0)
    live.partial_fit({"x": [1.0, 2.0, 3.0], "kind": ["a", "a", "b"]})
    assert (repr(live), live.count) == ("Aggregator: 3 points, 1 feature, by kind, window 2", 3)
    refused(lambda: live.partial_fit({"x": [np.inf], "kind": ["a"]}))
    assert live.count == 3
    assert repr(uapca.Aggregator(half_life=10)) == "Aggregator: 0 points, half-life 10"


@pytest.mark.parametrize("options", [{}, {"half_life": 2.0}, {"window": 3}])
def test_points_without_a_value(options):
    points = np.array([[1.0, 2.0], [np.nan, 5.0], [3.0, 5.0], [4.0, 1.0]])
    labels = ["a", "a", "a", "b"]
    message = refused(lambda: uapca.Aggregator(**options).partial_fit(points, labels))
    assert message.startswith("values must not be missing; row 1, feature 0 is empty or nan")
    live = uapca.Aggregator(missing="drop", **options).partial_fit(points, labels)
    whole = [0, 2, 3]
    other = uapca.Aggregator(**options).partial_fit(points[whole], ["a", "a", "b"])
    assert_same(live.to_uncertain(), other.to_uncertain())
    assert live.count == 3
    assert "be finite" in refused(lambda: live.partial_fit([[np.inf, 0.0]], ["a"]))


def test_names_of_columns():
    for options in ({"by": 0}, {"by": []}, {"by": [0]}, {"features": []}, {"features": "x"}):
        name, value = next(iter(options.items()))
        assert refused(lambda options=options: uapca.Aggregator(**options), TypeError) == (
            f"{name} must name columns, at least one; got {value!r}"
        )


def test_refusals():
    assert refused(lambda: uapca.Aggregator(half_life=1, window=1)) == (
        "window must be left out with half_life; got both"
    )
    for options in ({"half_life": 0}, {"half_life": np.nan}, {"window": 2.5}, {"window": True}):
        name, value = next(iter(options.items()))
        assert refused(lambda options=options: uapca.Aggregator(**options)) == (
            f"{name} must be a positive number of points; got {value!r}"
        )
    assert refused(uapca.Aggregator().to_uncertain) == (
        "points must not be empty; call partial_fit first"
    )
    live = uapca.Aggregator(by="kind")
    assert refused(lambda: live.partial_fit([[1.0]]), TypeError) == (
        "points must be a table with the labels in 'kind'; got an object of type list"
    )
    assert refused(lambda: live.partial_fit({"x": [1.0]})) == (
        "by must name columns of the table; there is no 'kind' among 'x'"
    )
    live.partial_fit({"x": [1.0], "kind": ["a"]})
    assert "there is no 'x'" in refused(lambda: live.partial_fit({"y": [1.0], "kind": ["a"]}))


@pytest.mark.parametrize("past", [{"window": 200}, {"half_life": 0.5}])
def test_labels_of_the_past_take_no_room(past):
    live = uapca.Aggregator(**past)
    for k in range(40):
        live.partial_fit(np.full((1000, 2), float(k)), 1000 * k + np.arange(1000))
    assert len(live._collector._buffer.points) < 20_000
    X = live.to_uncertain()
    assert X.names[-1] == "39999"
    assert (X.mean[-200:] == 39.0).all()


def test_labels_with_another_index_are_not_matched_by_position():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [1.0, 2.0, 3.0]}, index=["a", "b", "c"])
    labels = pandas.Series(["u", "v", "u"], index=["c", "b", "a"])
    live = uapca.Aggregator()
    with pytest.raises(ValueError, match="labels must have the index of points"):
        live.partial_fit(frame, labels)
    live.partial_fit(frame, labels.reindex(frame.index))
    assert live.to_uncertain().names == ("u", "v")


@pytest.mark.parametrize("options", [{}, {"half_life": 50.0}, {"window": 500}])
def test_a_refused_chunk_leaves_no_labels_and_no_categories(options):
    pd = pytest.importorskip("pandas")
    live, same = uapca.Aggregator(**options), uapca.Aggregator(**options)
    with pytest.raises(ValueError, match="float64"):
        live.partial_fit([[1e200], [-1e200]], pd.Categorical(["z", "z"], ["z", "b", "a"]))
    for one in (live, same):
        one.partial_fit([[1.0], [2.0]], pd.Categorical(["a", "b"], ["a", "b"]))
    with pytest.raises(ValueError, match="float64"):
        live.partial_fit([[1e200], [-1e200]], pd.Categorical(["z", "z"], ["z", "b", "a"]))
    for one in (live, same):
        one.partial_fit([[3.0], [4.0]], pd.Categorical(["a", "z"], ["a", "b", "z"]))
    assert_same(live.to_uncertain(), same.to_uncertain())
    assert list(live._collector._labels.values) == ["a", "b", "z"]


def test_a_window_of_huge_values_is_kept_in_few_blocks():
    points, labels = data(3000)
    points *= 1e100
    live = uapca.Aggregator(window=1000)
    for k in range(0, 3000, 10):
        live.partial_fit(points[k : k + 10], labels[k : k + 10])
    assert len(live._collector._state) <= 6  # not one for each of the 100 chunks
    assert_same(live.to_uncertain(), uapca.from_groups(points[-1000:], labels[-1000:]))
