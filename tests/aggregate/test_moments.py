"""Summaries that merge: any partition, order and tree gives the moments of all points."""

import datetime as dt
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uapca.aggregate import Moments, keyed


def some_points(rng, n=2000, d=4, offset=0.0, labels=5):
    """Points whose digits all fit at the offset, and a label each."""
    points = np.round(rng.standard_normal((n, d)) * np.arange(1, d + 1) * 1024) / 1024
    return points + offset, rng.integers(0, labels, n)


def assert_same(a, b, rtol=1e-12):
    """Equal rows, covariances relative to the largest of their row."""
    X, Y = a.to_uncertain(), b.to_uncertain()
    assert X.names == Y.names
    assert X.total_weight == pytest.approx(Y.total_weight, rel=1e-14)
    np.testing.assert_allclose(X.weights, Y.weights, rtol=rtol)
    np.testing.assert_allclose(X.mean, Y.mean, rtol=rtol, atol=rtol)
    for left, right in zip(X.cov.dense(), Y.cov.dense(), strict=True):
        np.testing.assert_allclose(left, right, rtol=0, atol=rtol * np.abs(right).max())


@pytest.mark.parametrize("offset", [0.0, 1e8])
@given(seed=st.integers(0, 10_000), pieces=st.integers(1, 40), weighted=st.booleans())
def test_any_partition_order_and_tree(offset, seed, pieces, weighted):
    rng = np.random.default_rng(seed)
    points, labels = some_points(rng, 300, 3, offset)
    weights = rng.uniform(0, 2, len(points)) if weighted else None
    whole = Moments.of(points, labels, weights)
    mixed = rng.permutation(len(points))
    parts = [
        Moments.of(points[rows], labels[rows], None if weights is None else weights[rows])
        for rows in np.split(mixed, np.sort(rng.integers(0, len(points), pieces - 1)))
    ]
    while len(parts) > 1:
        i, j = rng.permutation(len(parts))[:2]
        both = parts[i].merge(parts[j])
        parts = [part for k, part in enumerate(parts) if k not in (i, j)] + [both]
    assert_same(parts[0], whole)


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_one_point_at_a_time_is_exact(offset):
    points, labels = some_points(np.random.default_rng(0), 400, 2, offset, labels=2)
    total = Moments.empty(2)
    for point, label in zip(points, labels, strict=True):
        total = total.update(point[None], [label])
    for k, label in enumerate(total.labels):
        exact = [[Fraction(x) for x in row] for row in points[labels == label]]
        mean = [sum(column) / len(exact) for column in zip(*exact, strict=True)]
        cov = [
            [float(sum((row[i] - mean[i]) * (row[j] - mean[j]) for row in exact)) for j in range(2)]
            for i in range(2)
        ]
        found = total.sums.scatters[k]
        np.testing.assert_allclose(found, cov, rtol=0, atol=1e-13 * np.abs(cov).max())
        assert np.abs(found - cov).max() <= total.sums.errors[k, 1]
        for i in range(2):
            kept = Fraction(total.sums.means[k, i]) + Fraction(total.sums.rests[k, i])
            assert abs(float(kept - mean[i])) < 1e-14 * 3  # in units of the spread, not the offset


def test_law_of_total_variance():
    rng = np.random.default_rng(1)
    points, labels = some_points(rng, 5000, 6, labels=200)
    _, cov = Moments.of(points, labels).to_uncertain().pooled()
    np.testing.assert_allclose(cov, np.cov(points.T, ddof=0), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("size", [1, 2, 63, 64, 65, 5000])
@pytest.mark.parametrize("weighted", [False, True])
def test_groups_of_every_size(size, weighted):
    rng = np.random.default_rng(size)
    points = rng.standard_normal((3 * size, 5)) * 3 + [0, 10, 1e4, -7, 1]
    labels = rng.permutation(np.repeat([0, 1, 2], size))
    weights = rng.uniform(0, 3, len(points)) if weighted else None
    sums = Moments.of(points, labels, weights).sums
    for k in range(3):
        part = points[labels == k]
        w = None if weights is None else weights[labels == k]
        mean = np.average(part, axis=0, weights=w)
        np.testing.assert_allclose(sums.means[k], mean, rtol=1e-13, atol=1e-13)
        centered = part - mean
        scatter = centered.T @ (centered if w is None else centered * w[:, None])
        np.testing.assert_allclose(sums.scatters[k], scatter, rtol=1e-9, atol=1e-11)
        assert sums.weights[k] == pytest.approx(size if w is None else w.sum(), rel=1e-14)
        assert sums.squares[k] == pytest.approx(size if w is None else (w**2).sum(), rel=1e-14)


def test_blocks_that_drift():
    # Every block lies elsewhere: the shortcut for blocks near the running mean must not be taken.
    rng = np.random.default_rng(3)
    points = rng.standard_normal((40_000, 2)) + np.linspace(0, 1e9, 40_000)[:, None]
    found = Moments.of(points).to_uncertain().cov.dense()[0]
    np.testing.assert_allclose(found, np.cov(points.T, ddof=0), rtol=1e-12)
    steps = np.repeat([0.0, 1e9], 20_000)[:, None] + rng.standard_normal((40_000, 2))
    for scale in (1.0, 1e-3):
        half = np.concatenate([steps[:20_000], steps[20_000:]]) * scale
        found = Moments.of(half, weights=np.ones(40_000)).to_uncertain().cov.dense()[0]
        np.testing.assert_allclose(found, np.cov(half.T, ddof=0), rtol=1e-12)


def test_whole_weights_are_repetitions():
    rng = np.random.default_rng(4)
    points, labels = some_points(rng, 500)
    times = rng.integers(0, 4, 500)
    weighted = Moments.of(points, labels, times)
    repeated = Moments.of(np.repeat(points, times, axis=0), np.repeat(labels, times))
    assert_same(weighted, repeated)


def test_weight_zero_counts_for_nothing():
    found = Moments.of([[1e300], [1.0], [3.0]], weights=[0, 1, 1]).to_uncertain()
    assert found.mean.tolist() == [[2.0]]
    assert found.cov.dense().tolist() == [[[1.0]]]
    nothing = Moments.of([[1.0], [2.0]], ["a", "b"], weights=[0, 1]).to_uncertain()
    assert nothing.weights.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("offset", [0.0, 1e8])
@given(seed=st.integers(0, 10_000), left=st.sampled_from([1, 2, 3, 10, 200]))
def test_removing_what_was_added_within_its_bound(offset, seed, left):
    rng = np.random.default_rng(seed)
    points, labels = some_points(rng, 400, 3, offset, labels=2)
    points[left:] += rng.choice([0.0, 4096.0])  # what is removed may lie far off
    kept, gone = slice(0, left), slice(left, None)
    whole = Moments.of(points[kept], labels[kept]).update(points[gone], labels[gone])
    rest = whole.downdate(Moments.of(points[gone], labels[gone]))
    exact = Moments.of(points[kept], labels[kept])
    assert sorted(rest.labels) == sorted(exact.labels)
    for k, label in enumerate(rest.labels):
        i = exact.labels.index(label)
        assert rest.sums.counts[k] == exact.sums.counts[i]
        wrong = np.abs(rest.sums.scatters[k] - exact.sums.scatters[i]).max()
        assert wrong <= rest.sums.errors[k, 1] + exact.sums.errors[i, 1]
        size = max(np.abs(whole.sums.scatters).max(), 1.0)
        assert rest.sums.errors[k, 1] <= 1e-11 * size  # a bound that says something
        off = rest.sums.means[k] - exact.sums.means[i] + rest.sums.rests[k] - exact.sums.rests[i]
        assert np.abs(off).max() <= rest.sums.errors[k, 0] + exact.sums.errors[i, 0]
    values = np.linalg.eigvalsh(rest.to_uncertain().cov.dense())
    assert values.min() >= -1e-14 * max(values.max(), 1e-300)


def test_a_window_that_slides_far_stays_within_its_bound():
    rng = np.random.default_rng(5)
    points, labels = some_points(rng, 20_000, 3)
    chunks = [slice(i, i + 200) for i in range(0, 20_000, 200)]
    total = Moments.empty(3)
    for k, rows in enumerate(chunks):
        total = total.update(points[rows], labels[rows])
        if k >= 10:
            old = chunks[k - 10]
            total = total.downdate(Moments.of(points[old], labels[old]))
    exact = Moments.of(points[-2000:], labels[-2000:])
    wrong = total.sums.scatters[np.argsort(total.labels)] - exact.sums.scatters
    bound = total.sums.errors[np.argsort(total.labels), 1]
    assert (np.abs(wrong).max(axis=(1, 2)) <= bound).all()
    assert (bound < 1e-10 * np.abs(exact.sums.scatters).max(axis=(1, 2))).all()


def test_removing_everything_leaves_nothing():
    moments = Moments.of([[1.0], [2.0], [5.0]], ["a", "a", "b"])
    assert moments.downdate(moments).labels == ()
    one = moments.downdate(Moments.of([[1.0]], ["a"]))
    assert one.to_uncertain().cov.dense().tolist() == [[[0.0]], [[0.0]]]
    assert one.sums.errors[:, 1].tolist() == [0.0, 0.0]


def test_removing_what_was_not_added():
    moments = Moments.of([[1.0], [2.0]], ["a", "a"])
    for other in (Moments.of([[1.0]], ["b"]), Moments.of(np.ones((3, 1)), list("aaa"))):
        with pytest.raises(ValueError) as error:
            moments.downdate(other)
        label = other.labels[0]
        assert str(error.value) == (
            f"other must hold points that were merged before; it has more points of {label!r} "
            "than there are, or heavier ones"
        )


def test_standard_error_with_and_without_weights():
    rng = np.random.default_rng(6)
    points = rng.standard_normal((7, 2))
    found = Moments.of(points).to_uncertain("sem").cov.dense()[0]
    np.testing.assert_allclose(found, np.cov(points.T) / 7, rtol=1e-13)
    w = rng.uniform(0.5, 2, 7)
    found = Moments.of(points, weights=w).to_uncertain("sem").cov.dense()[0]
    share = (w**2).sum() / w.sum() ** 2
    np.testing.assert_allclose(found, np.cov(points.T, aweights=w) * share, rtol=1e-13)
    with pytest.raises(ValueError, match="at least two points for spread='sem'; 'b' has one"):
        Moments.of(points[:3], ["a", "a", "b"]).to_uncertain("sem")


def test_order_and_texts_are_those_of_from_groups():
    pd = pytest.importorskip("pandas")
    times = pd.to_datetime(["2020-01-02 00:00", "2020-01-01 03:00", "2020-01-02 00:00"])
    enum = pd.Categorical(["mid", "low", "mid"], ["low", "mid", "high"])
    for labels, names in [
        ([10, 9, 10], ("9", "10")),
        (["10", "9", "10"], ("10", "9")),
        ([2.5, 1.0, 2.5], ("1.0", "2.5")),
        (times, ("2020-01-01 03:00:00", "2020-01-02 00:00:00")),
        (enum, ("low", "mid")),
        ([1, "1", 1], ("1", "'1'")),
        ([("a", 1), ("a", 0), ("a", 1)], ("('a', 0)", "('a', 1)")),
    ]:
        parts = [Moments.of([[float(i)]], labels[i : i + 1]) for i in range(3)]
        assert Moments.merged(parts).to_uncertain().names == names


def test_several_keys():
    first, second = ["y", "x", "x", "y"], [1, 10, 2, 1]
    whole = Moments.of(np.arange(4.0)[:, None], keyed([first, second]))
    assert whole.to_uncertain().names == ("x, 2", "x, 10", "y, 1")
    parts = [
        Moments.of([[float(i)]], keyed([first[i : i + 1], second[i : i + 1]])) for i in range(4)
    ]
    assert_same(Moments.merged(parts), whole)
    with pytest.raises(ValueError, match="have labels of 2 keys; got 1"):
        whole.merge(Moments.of([[1.0]], ["x"]))


def test_categories_keep_their_order_across_parts():
    pd = pytest.importorskip("pandas")
    values = pd.Series(["high", "low", "mid"], dtype=pd.CategoricalDtype(["low", "mid", "high"]))
    parts = [Moments.of([[float(i)]], values[i : i + 1]) for i in range(3)]
    assert Moments.merged(parts).to_uncertain().names == ("low", "mid", "high")
    assert parts[0].merge(Moments.of([[1.0]], ["a"])).to_uncertain().names == ("a", "high")


def labels_of_every_kind():
    return [
        "text",
        3,
        2.5,
        True,
        ("a", 1, dt.date(2020, 1, 2)),
        np.datetime64("2020-01-02T03:04", "ns"),
        np.timedelta64(3, "h"),
        dt.date(2020, 1, 2),
        dt.datetime(2020, 1, 2, 3, tzinfo=dt.UTC),
        dt.timedelta(1, 2, 3),
        dt.time(1, 2),
        b"\x00\xff",
    ]


def test_saving_and_travelling(tmp_path):
    rng = np.random.default_rng(8)
    labels = labels_of_every_kind()
    codes = rng.integers(0, len(labels), 200)
    chosen = np.empty(200, dtype=object)
    chosen[:] = [labels[k] for k in codes]
    moments = Moments.of(rng.random((200, 2)), chosen, features=["p", "q"])
    moments.save(tmp_path / "a.moments")
    for other in (
        Moments.load(tmp_path / "a.moments"),
        Moments.from_bytes(moments.to_bytes()),
        pickle.loads(pickle.dumps(moments)),
    ):
        assert other.labels == moments.labels
        assert list(map(type, other.labels)) == list(map(type, moments.labels))
        assert (other.features, other.categories) == (moments.features, moments.categories)
        for mine, theirs in zip(moments.sums, other.sums, strict=True):
            np.testing.assert_array_equal(mine, theirs)
            assert not theirs.flags.writeable
    with np.load(tmp_path / "a.moments") as archive:  # an open format
        np.testing.assert_array_equal(archive["means"], moments.sums.means)


def test_size_is_what_is_said():
    moments = Moments.of(np.random.default_rng(0).random((100, 22)), np.arange(100) % 10)
    assert moments.nbytes == 10 * (22**2 + 2 * 22 + 5) * 8
    assert len(moments.to_bytes()) < moments.nbytes + 5000


def test_files_that_are_not_moments(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"hello")
    with pytest.raises(ValueError) as error:
        Moments.load(path)
    assert str(error.value) == (
        f"path must name a file written by Moments.save; {str(path)!r} is of another kind. "
        "Use uapca.load for a saved UncertainArray."
    )
    Moments.of([[1.0]]).to_uncertain().save(path)
    with pytest.raises(ValueError, match="of another kind"):
        Moments.load(path)
    with pytest.raises(ValueError, match="the stream is of another kind"):
        Moments.from_bytes(b"hello")
    whole = Moments.of(np.ones((3, 4))).to_bytes()
    with pytest.raises(ValueError, match="the stream is damaged"):
        Moments.from_bytes(whole[: len(whole) // 2])
    moments = Moments.of([[1.0]], [frozenset("a")])
    with pytest.raises(TypeError) as refusal:
        moments.save(path)
    assert str(refusal.value) == (
        "labels must be text, numbers, dates or times to be saved; got the frozenset "
        "frozenset({'a'})"
    )


def refused(*args, kind=ValueError, **options):
    with pytest.raises(kind) as error:
        Moments.of(*args, **options)
    return str(error.value)


def test_refusals():
    assert refused([1.0]) == (
        "points must have shape (n, D) with at least one feature; got shape (1,)"
    )
    assert refused([[1.0], [2.0]], ["a"]) == (
        "by must have one label for each point; got 1 for 2 points. Select the same rows from both."
    )
    assert refused([[1.0], [2.0]], ["a", None]) == (
        "by must have a label for every point; 1 of 2 are missing; "
        "pass missing='drop' to leave such points out"
    )
    dropped = Moments.of([[1.0], [np.nan]], ["a", None], missing="drop")
    assert dropped.sums.counts.tolist() == [1]
    assert refused([[1.0], [np.nan]], ["a", "a"]) == (
        "points must be finite; got NaN at row 1, feature 0 (1 such in all)"
    )
    assert refused([[1e200], [-1e200]]) == (
        "points must have squares that fit into float64; the covariance overflows: "
        "divide the data by its largest magnitude first"
    )
    assert refused([[1.0]], weights=[1.0, 2.0]) == (
        "weights must have one entry for each of the 1 points; got shape (2,)"
    )
    assert refused([[1.0], [1.0]], weights=[1.0, -2.0]) == (
        "weights must not be negative; point 1 has -2.0"
    )
    one = Moments.of([[1.0, 2.0]], features=["a", "b"])
    with pytest.raises(ValueError) as error:
        one.merge(Moments.of([[1.0, 2.0]], features=["a", "c"]))
    assert str(error.value) == (
        "other must have the same features in the same order; got 'c' instead of 'b'"
    )
    with pytest.raises(ValueError) as error:
        one.merge(Moments.of([[1.0]]))
    assert str(error.value) == ("other must have the same 2 features; got 1")
    with pytest.raises(ValueError, match="points must not be empty; got none"):
        Moments.empty(2).to_uncertain()
    with pytest.raises(ValueError, match="spread must be 'std' or 'sem'; got 'sd'"):
        one.to_uncertain("sd")
    with pytest.raises(ValueError, match="parts must have at least one summary"):
        Moments.merged([])


def test_no_points_change_nothing():
    moments = Moments.of([[1.0], [3.0]], ["a", "b"], features=["x"])
    assert moments.merge(Moments.empty(1)) is moments
    assert_same(Moments.empty(1).merge(moments), moments)
    assert Moments.empty(1).merge(moments).features == ("x",)
    assert Moments.of(np.empty((0, 1))).labels == ()


def test_labels_without_points_are_left_out():
    labels = keyed([["a", "b", "c"]])
    only = labels._replace(codes=np.array([2, -1, 2]))
    found = Moments.of([[1.0], [9.0], [3.0]], only, missing="drop")
    assert found.labels == ("c",)
    assert found.to_uncertain().mean.tolist() == [[2.0]]


def test_it_does_not_change():
    moments = Moments.of([[1.0], [3.0]], ["a", "a"])
    with pytest.raises(AttributeError):
        moments.labels = ()
    with pytest.raises(ValueError, match="read-only"):
        moments.sums.means[0] = 1
    before = moments.sums.scatters.copy()
    moments.to_uncertain()
    moments.update([[9.0]], ["a"])
    np.testing.assert_array_equal(moments.sums.scatters, before)


def test_discounted():
    points = np.arange(4.0)[:, None]
    half = Moments.of(points[:2]).discounted(0.5).update(points[2:])
    assert_same(half, Moments.of(points, weights=[0.5, 0.5, 1, 1]))
    assert half.sums.squares.tolist() == [2.5]


def test_merging_some_labels_at_a_time_changes_nothing(monkeypatch):
    rng = np.random.default_rng(3)
    a, b = (
        Moments.of(rng.standard_normal((400, 3)), rng.integers(low, low + 60, 400))
        for low in (0, 30)
    )
    whole = a.merge(b)
    monkeypatch.setattr("uapca.aggregate.accumulate._MERGED_VALUES", 63)  # seven labels
    some = a.merge(b)
    assert some.labels == whole.labels
    for x, y in zip(some.sums, whole.sums, strict=True):
        np.testing.assert_array_equal(x, y)


def test_sums_that_overflow_do_not_merge():
    a, b = Moments.of([[1e200]], ["a"]), Moments.of([[-1e200]], ["a"])
    with pytest.raises(ValueError) as error:
        a.merge(b)
    assert str(error.value) == (
        "points must have squares that fit into float64; the covariance overflows: "
        "divide the data by its largest magnitude first"
    )


def test_heavier_points_than_there_are_cannot_be_removed():
    a = Moments.of([[1.0], [2.0]], ["a", "a"], [1.0, 1.0])
    with pytest.raises(ValueError, match="or heavier ones"):
        a.downdate(Moments.of([[1.0]], ["a"], [3.0]))


def test_times_with_nanoseconds_and_a_zone_travel():
    pd = pytest.importorskip("pandas")
    times = pd.to_datetime([1, 2, 1000], unit="ns", utc=True).tz_convert("Europe/Berlin")
    moments = Moments.of([[1.0], [2.0], [3.0]], pd.Series(times))
    again = Moments.from_bytes(moments.to_bytes())
    assert again.labels == moments.labels
    assert len(again.merge(moments)) == 3
    assert again.to_uncertain().names == moments.to_uncertain().names


def test_points_that_were_never_merged_are_not_removed_from_nothing():
    with pytest.raises(ValueError, match="it has more points of 'a' than there are"):
        Moments.empty(1).downdate(Moments.of([[1.0]], ["a"]))


def test_a_label_without_weight_has_no_error_of_its_mean():
    summary = Moments.of([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"], [0, 0, 1, 1])
    assert summary.to_uncertain("sem").cov.dense().ravel().tolist() == [0.0, 0.25]


def test_durations_keep_their_nanoseconds_in_files():
    pd = pytest.importorskip("pandas")
    labels = [pd.Timedelta(1, "ns"), pd.Timedelta(2, "ns")]
    summary = Moments.of([[1.0], [2.0]], labels)
    assert list(Moments.from_bytes(summary.to_bytes()).labels) == labels
