"""Uncertain data larger than memory: fitted and projected where it lies."""

import tracemalloc

import numpy as np
import pytest

import uapca
from builders import random_covariances


def on_disk(path, array):
    """The array in a file, mapped read-only."""
    stored = np.lib.format.open_memmap(path, "w+", dtype=array.dtype, shape=array.shape)
    stored[:] = array
    stored.flush()
    return np.load(path, mmap_mode="r")


def peak(action):
    """What an action returns and the memory that it takes at its peak, in bytes."""
    uapca.UAPCA().fit(uapca.UncertainArray([[1.0]], std=1.0))  # what is imported does not count
    tracemalloc.start()
    try:
        return action(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("q", [2, 5])
def test_dense_covariances(tmp_path, dtype, q):
    rng = np.random.default_rng(0)
    n, d = 400, 100
    mean = on_disk(tmp_path / "mean.npy", rng.standard_normal((n, d)).astype(dtype))
    cov = on_disk(tmp_path / "cov.npy", random_covariances(rng, n, d).astype(dtype))

    def work():
        X = uapca.UncertainArray(mean, cov)
        pca = uapca.UAPCA(q).fit(X)
        return X, pca, pca.transform(X)

    (X, pca, Y), used = peak(work)
    assert np.shares_memory(X.cov.dense(), cov)
    assert np.shares_memory(X.mean, mean)
    # A few blocks of 2 MiB, in which the matrices are checked, not 32 MB (or 16) of matrices.
    assert used < 0.5 * n * d * d * 8
    (pca, Y), used = peak(lambda: (uapca.UAPCA(q).fit(X), pca.transform(X)))
    assert used < 0.25 * n * d * d * 8
    inside = uapca.UncertainArray(np.array(mean), np.array(cov))
    expected = uapca.UAPCA(q).fit(inside)
    np.testing.assert_array_equal(pca.components_, expected.components_)
    np.testing.assert_array_equal(Y.cov.dense(), expected.transform(inside).cov.dense())


def test_independent_errors(tmp_path):
    rng = np.random.default_rng(1)
    n, d = 100_000, 50
    mean = on_disk(tmp_path / "mean.npy", rng.standard_normal((n, d)))
    std = on_disk(tmp_path / "std.npy", rng.uniform(0, 1, (n, d)))

    def work():
        X = uapca.UncertainArray(mean, std=std)
        pca = uapca.UAPCA(2).fit(X)
        return X, pca, pca.transform(X)

    (X, pca, Y), used = peak(work)
    assert np.shares_memory(X.cov.arrays["std"], std)
    result = Y.mean.nbytes + Y.cov.arrays["cov"].nbytes
    assert used < 3 * result + 10e6  # against 80 MB of data
    expected = uapca.UAPCA(2).fit(uapca.UncertainArray(np.array(mean), std=np.array(std)))
    np.testing.assert_array_equal(pca.components_, expected.components_)


def test_points_of_a_file_are_grouped_where_they_lie(tmp_path):
    rng = np.random.default_rng(2)
    points = on_disk(tmp_path / "points.npy", rng.standard_normal((200_000, 20)))
    labels = rng.integers(0, 10, 200_000)
    X, used = peak(lambda: uapca.from_groups(points, labels))
    assert used < 0.5 * points.nbytes
    expected = uapca.from_groups(np.array(points), labels)
    np.testing.assert_array_equal(X.cov.dense(), expected.cov.dense())


def test_chunk_by_chunk_from_a_store(tmp_path):
    # Rows that come from any store a part at a time: fitted in one pass, projected in another.
    rng = np.random.default_rng(3)
    n, d = 300, 60
    mean, cov = rng.standard_normal((n, d)), random_covariances(rng, n, d)
    np.save(tmp_path / "mean.npy", mean)
    np.save(tmp_path / "cov.npy", cov)

    def parts():
        stored = [np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in ("mean", "cov")]
        for start in range(0, n, 50):
            yield uapca.UncertainArray(*(array[start : start + 50] for array in stored))

    pca = uapca.UAPCA(2)
    for part in parts():
        pca.partial_fit(part)
    Y = uapca.concat([pca.transform(part) for part in parts()])
    X = uapca.UncertainArray(mean, cov)
    expected = uapca.UAPCA(2).fit(X)
    np.testing.assert_allclose(pca.components_, expected.components_, atol=1e-11)
    np.testing.assert_allclose(Y.cov.dense(), expected.transform(X).cov.dense(), atol=1e-10)
