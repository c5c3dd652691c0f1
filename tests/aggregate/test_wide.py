"""Wide groups: variances of each label and one matrix, with the covariance of all points kept."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import uapca
from uapca.aggregate import Moments


def some_points(rng, n=600, d=4, labels=7, offset=0.0):
    """Correlated points whose spread and place differ between labels; digits fit at the offset."""
    own = rng.integers(0, labels, n)
    points = rng.standard_normal((n, d)) @ rng.standard_normal((d, d))
    points *= rng.uniform(0.1, 3, (labels, d))[own]
    points += 4 * rng.standard_normal((labels, d))[own]
    return np.round(points * 1024) / 1024 + offset, own


def assert_near(a, b, rtol=1e-12):
    """Equal matrices, relative to the standard deviations of the second."""
    sd = np.sqrt(np.diag(b))
    np.testing.assert_allclose(a, b, rtol=0, atol=rtol * np.outer(sd, sd).max())


@pytest.mark.parametrize("form", ["diagonal", 1, 3])
@pytest.mark.parametrize("offset", [0.0, 1e8])
@given(seed=st.integers(0, 10_000), labels=st.integers(1, 30), weighted=st.booleans())
def test_the_fit_at_scale_1_is_that_of_all_points(offset, form, seed, labels, weighted):
    rng = np.random.default_rng(seed)
    points, own = some_points(rng, 200, 4, labels, offset)
    weights = rng.integers(0, 4, 200) + 0.0 if weighted else np.ones(200)
    X = Moments.of(points, own, weights, spread_form=form).to_uncertain()
    full = Moments.of(points, own, weights).to_uncertain()
    assert_near(X.cov.average(X.weights), full.cov.average(full.weights))
    assert_near(uapca.UAPCA().fit(X).get_covariance(), uapca.UAPCA().fit(full).get_covariance())
    centered = points - offset
    centered -= np.average(centered, axis=0, weights=weights)
    total = (centered.T * weights) @ centered / weights.sum()
    # A mean of 1e8 is known to 1e-8.
    assert_near(uapca.UAPCA().fit(X).get_covariance(), total, 1e-12 if offset == 0 else 1e-7)
    assert np.linalg.eigvalsh(X.cov.dense()).min() >= -1e-14 * np.abs(X.cov.dense()).max()


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_any_partition_and_any_way_in(rng, offset, tmp_path):
    points, own = some_points(rng, offset=offset)
    whole = Moments.of(points, own, spread_form="diagonal")
    parts = [
        Moments.of(points[k::5], own[k::5], spread_form="diagonal") for k in rng.permutation(5)
    ]
    live = uapca.Aggregator(spread_form="diagonal")
    for k in range(0, 600, 70):
        live.partial_fit(points[k : k + 70], own[k : k + 70])
    whole.save(tmp_path / "whole.moments")
    frame = {f"x{j}": points[:, j] for j in range(4)} | {"label": own}
    X = whole.to_uncertain()
    for Y in (
        Moments.merged(parts).to_uncertain(),
        live.to_uncertain(),
        Moments.load(tmp_path / "whole.moments").to_uncertain(),
        uapca.from_groups(points, own, spread_form="diagonal"),
        uapca.from_groups(frame, "label", spread_form="diagonal"),
        Moments.merged(parts).downdate(parts[0]).merge(parts[0]).to_uncertain(),
    ):
        np.testing.assert_allclose(Y.mean, X.mean, rtol=1e-15, atol=1e-13)
        for a, b in zip(Y.cov.dense(), X.cov.dense(), strict=True):
            assert_near(a, b)


def test_files_of_any_chunk_and_clusters_of_dask(rng, tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    points, own = some_points(rng)
    table = pa.table({**{f"x{j}": points[:, j] for j in range(4)}, "label": own})
    for k in range(3):
        pq.write_table(table.slice(200 * k, 200), tmp_path / f"{k}.parquet")
    X = uapca.from_groups(points, own, spread_form="diagonal")
    dd = pytest.importorskip("dask.dataframe")
    frame = table.to_pandas()
    for source in (str(tmp_path / "*.parquet"), dd.from_pandas(frame, npartitions=4)):
        some = uapca.from_groups(source, "label", spread_form=2, chunk=37)
        full = uapca.from_groups(points, own)
        assert_near(some.cov.average(some.weights), full.cov.average(full.weights))
        Y = uapca.from_groups(source, "label", spread_form="diagonal", chunk=37)
        assert Y.cov.kind == "shared-axes"
        for a, b in zip(Y.cov.dense(), X.cov.dense(), strict=True):
            assert_near(a, b)


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_directions_that_hold_all_of_the_spread_are_exact_in_any_partition(rng, offset, tmp_path):
    """Points of each label in a plane of their own: two directions are all there is."""
    own = rng.integers(0, 5, 400)
    planes = np.round(rng.standard_normal((5, 2, 4)) * 8) / 8
    points = np.einsum("nk,nkd->nd", np.round(rng.standard_normal((400, 2)) * 64) / 64, planes[own])
    points += rng.integers(-9, 9, (5, 4))[own] + offset
    full = uapca.from_groups(points, own)
    parts = [Moments.of(points[k::5], own[k::5], spread_form=2) for k in range(5)]
    Moments.merged(parts).save(tmp_path / "some.moments")
    live = uapca.Aggregator(spread_form=2)
    for k in range(0, 400, 70):
        live.partial_fit(points[k : k + 70], own[k : k + 70])
    for X in (
        Moments.load(tmp_path / "some.moments").to_uncertain(),
        live.to_uncertain(),
        uapca.from_groups(points, own, spread_form=2),
        uapca.from_groups(points, own, spread_form=9),  # more than there are features
        Moments.of(points, own, spread_form=2).discounted(0.25).to_uncertain(),
    ):
        for a, b in zip(X.cov.dense(), full.cov.dense(), strict=True):
            assert_near(a, b, 1e-12)


def test_directions_bring_rows_nearer_to_their_covariances(rng):
    own = rng.integers(0, 9, 5000)
    axes = rng.standard_normal((9, 8, 8)) * 0.7 ** np.arange(8)[:, None]
    points = np.einsum("nk,nkd->nd", rng.standard_normal((5000, 8)), axes[own])
    full = uapca.from_groups(points, own).cov.dense()
    forms = ["diagonal", 1, 3, 6, 8]
    rows = [uapca.from_groups(points, own, spread_form=form).cov.dense() for form in forms]
    errors = [np.linalg.norm(found - full, axis=(1, 2)).mean() for found in rows]
    assert (np.diff(errors) < 0).all()
    assert errors[-1] < 1e-12 * np.linalg.norm(full)


def test_points_cannot_be_removed_from_directions(rng):
    points, own = some_points(rng)
    whole = Moments.of(points, own, spread_form=2)
    with pytest.raises(ValueError, match="spread_form must be 'full' or 'diagonal' for points"):
        whole.downdate(whole)


def test_rows_are_exact_where_features_do_not_correlate_or_labels_differ_by_a_factor(rng):
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    spreads = rng.uniform(0.5, 2, (5, 3))
    points = np.concatenate([corners * s + 3 * k for k, s in enumerate(spreads)])
    own = np.repeat(np.arange(5), 8)
    X = uapca.from_groups(points, own, spread_form="diagonal")
    np.testing.assert_allclose(X.std, spreads, rtol=1e-13)
    mixed = corners @ rng.standard_normal((3, 3))
    points = np.concatenate([mixed * s for s in (0.5, 1.0, 3.0)])
    own = np.repeat(np.arange(3), 8)
    full = uapca.from_groups(points, own)
    X = uapca.from_groups(points, own, spread_form="diagonal")
    for a, b in zip(X.cov.dense(), full.cov.dense(), strict=True):
        assert_near(a, b)


def test_features_that_do_not_vary_and_labels_of_one_point(rng):
    points = np.column_stack([rng.standard_normal(20), np.full(20, 5.0)])
    X = uapca.from_groups(points, np.arange(20) % 3, spread_form="diagonal")
    assert (X.std[:, 1] == 0).all()
    assert_near(
        uapca.UAPCA().fit(X).get_covariance()[:1, :1],
        np.cov(points[:, :1].T, bias=True)[None, None],
    )
    X = uapca.from_groups(points, np.arange(20), spread_form="diagonal")
    assert not X.std.any()
    assert uapca.UAPCA().fit(X).explained_variance_[1] == 0


def test_standard_errors(rng):
    points, own = some_points(rng)
    X = uapca.from_groups(points, own, spread_form="diagonal")
    Y = uapca.from_groups(points, own, "sem", spread_form="diagonal")
    np.testing.assert_allclose(Y.std, X.std / np.sqrt(X.counts - 1.0)[:, None], rtol=1e-12)


@pytest.mark.parametrize("form", ["diagonal", 2])
def test_what_rows_can_do(rng, tmp_path, form):
    points, own = some_points(rng)
    X = uapca.from_groups(points, own, spread_form=form, features=list("abcd"))
    X.save(tmp_path / "rows.uapca")
    Y = uapca.load(tmp_path / "rows.uapca")
    np.testing.assert_array_equal(Y.cov.dense(), X.cov.dense())
    dense = uapca.UncertainArray(X.mean, X.cov.dense(), weights=X.weights, counts=X.counts)
    for found, expected in (
        (uapca.UAPCA(2, standardize=True).fit(X), uapca.UAPCA(2, standardize=True).fit(dense)),
        (uapca.UAPCA(2).fit(X[2:]), uapca.UAPCA(2).fit(dense[2:])),
    ):
        np.testing.assert_allclose(found.components_, expected.components_, atol=1e-10)
    found, expected = (uapca.component_uncertainty(data) for data in (X, dense))
    np.testing.assert_allclose(found.std, expected.std, rtol=1e-8)
    Y = uapca.concat([X[:3], X[3:]])
    assert Y.cov.kind == "shared-axes"
    np.testing.assert_allclose(Y.cov.dense(), X.cov.dense(), rtol=1e-14)
    np.testing.assert_allclose(X.std, dense.std, rtol=1e-13)
    np.testing.assert_allclose(
        uapca.UAPCA(2).fit_transform(X).cov.dense(), uapca.UAPCA(2).fit_transform(dense).cov.dense()
    )
    uapca.explore(X).to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").exists()


def test_summaries_of_two_forms_do_not_merge(rng):
    points, own = some_points(rng)
    with pytest.raises(ValueError, match="spread_form"):
        Moments.of(points, own).merge(Moments.of(points, own, spread_form="diagonal"))
    with pytest.raises(ValueError, match="spread_form must be 'full' or 'diagonal'"):
        uapca.from_groups(points, own, spread_form="round")
    for wrong in (0, -1, True, 1.5):
        with pytest.raises(ValueError, match="or a positive number of directions; got"):
            uapca.from_groups(points, own, spread_form=wrong)


@pytest.mark.parametrize(("form", "arrays"), [("diagonal", 20), (2, 40)])
def test_memory_grows_with_labels_times_features(rng, form, arrays):
    labels, d = 4000, 100
    points, own = rng.standard_normal((3 * labels, d)), np.tile(np.arange(labels), 3)
    tracemalloc.start()
    try:
        X = uapca.from_groups(points, own, spread_form=form)
        uapca.UAPCA(2).fit_transform(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # Full covariances would take 320 MB.
    assert peak < arrays * labels * d * 8
