"""Points that come over time."""

import pickle
import threading

import numpy as np
import pytest

import uapca
from uapca.aggregate import Moments
from uapca.inputs import aggregator as module


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
    monkeypatch.setattr(module, "_ROWS", 256)


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
        "points must be finite; got inf at row 1, feature 0 (1 such in all). "
        "Remove or fill these values first."
    )
    assert refused(lambda: live.partial_fit([[1.0]], ["a", "b"])) == (
        "by must have one label for each point; got 2 for 1 points. Select the same rows from both."
    )
    assert refused(lambda: live.partial_fit([[1.0, 2.0]], ["a"])) == (
        "points must have the 1 features of the first chunk; got 2. "
        "Use another Aggregator for other data."
    )
    assert "1 of 1 are missing" in refused(lambda: live.partial_fit([[1.0]], [None]))
    assert refused(lambda: live.partial_fit([1.0])) == (
        "points must have shape (n, D) with at least one feature; got shape (1,). "
        "Put one point in each row."
    )
    assert live.to_uncertain().total_weight == 2
    live.partial_fit(np.empty((0, 1)), [])
    dropping = uapca.Aggregator(missing="drop").partial_fit([[1.0], [np.nan]], ["a", None])
    assert dropping.to_uncertain().mean.tolist() == [[1.0]]


def test_refusals():
    assert refused(lambda: uapca.Aggregator(half_life=1, window=1)) == (
        "window must be left out with half_life; got both. Choose how points leave."
    )
    for options in ({"half_life": 0}, {"half_life": np.nan}, {"window": 2.5}, {"window": True}):
        name, value = next(iter(options.items()))
        assert refused(lambda options=options: uapca.Aggregator(**options)) == (
            f"{name} must be a positive number of points; got {value!r}. "
            "Leave it out to keep everything."
        )
    assert refused(uapca.Aggregator().to_uncertain) == (
        "points must be at least one; got none. Call partial_fit first."
    )
    live = uapca.Aggregator(by="kind")
    assert refused(lambda: live.partial_fit([[1.0]]), TypeError) == (
        "points must be a table with the labels in 'kind'; got an object of type list. "
        "Leave by out to pass arrays and their labels."
    )
    assert refused(lambda: live.partial_fit({"x": [1.0]})) == (
        "by must name columns of the table; it has no 'kind'. Its columns are 'x'."
    )
    live.partial_fit({"x": [1.0], "kind": ["a"]})
    assert "it has no 'x'" in refused(lambda: live.partial_fit({"y": [1.0], "kind": ["a"]}))
