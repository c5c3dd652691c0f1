"""What must be true of every law."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from uapca.laws import Law, law_from_dict, law_to_dict

PROJECTION = np.array([[0.6, -0.5, 0.3], [0.2, 0.7, 0.9]])


def assert_same_cumulants(law: Law, t: np.ndarray, other: Law, u: np.ndarray) -> None:
    """t·x of one law has the third and fourth cumulants that u·x has of the other, or the draws."""
    if law.cumulants() is None:
        found, expected = law.sample(500, 3) - law.mean, other.sample(500, 3) - other.mean
        if getattr(law, "sampler", None) is not None:
            np.testing.assert_allclose(found @ t.T, expected @ u.T, atol=1e-9)
        return
    size = np.einsum("ij,jk,ik->i", t, law.cov, t).max()
    for found, expected, order in (
        (law.cumulants(t)[0], other.cumulants(u)[0], 3),
        (law.cumulants(t)[1], other.cumulants(u)[1], 4),
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * size ** (order / 2))


def test_shapes(law: Law) -> None:
    assert law.dim == 3
    assert law.mean.shape == (3,)
    assert law.cov.shape == (3, 3)
    assert law.sample(5, 0).shape == (5, 3)
    assert law.sample(0, 0).shape == (0, 3)
    np.testing.assert_allclose(law.std**2, np.diagonal(law.cov), rtol=1e-14)


def test_moments_agree_with_samples(law: Law) -> None:
    n = 200_000
    draws = law.sample(n, 1)
    error = draws.mean(axis=0) - law.mean
    assert np.all(np.abs(error) <= 5 * law.std / np.sqrt(n) + 1e-12)
    deviation = draws - law.mean
    products = deviation[:, :, None] * deviation[:, None, :]
    spread = products.std(axis=0) / np.sqrt(n)
    assert np.all(np.abs(products.mean(axis=0) - law.cov) <= 5 * spread + 1e-12)


@pytest.mark.parametrize("q", [1, 2, 3])
def test_affine_against_moments(law: Law, q: int) -> None:
    A = np.vstack([PROJECTION, [0.1, 0.2, -0.4]])[:q]
    b = np.array([1.0, -2.0, 3.0])[:q]
    image = law.affine(A, b)
    np.testing.assert_allclose(image.mean, A @ law.mean + b, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(image.cov, A @ law.cov @ A.T, rtol=1e-11, atol=1e-12)
    t = np.random.default_rng(4).normal(size=(7, q))
    assert_same_cumulants(image, t, law, t @ A)


def test_affine_composes(law: Law) -> None:
    once = law.affine(PROJECTION, [1.0, 2.0]).affine([[1.0, 2.0]], [3.0])
    at_once = law.affine(np.array([[1.0, 2.0]]) @ PROJECTION, [8.0])
    np.testing.assert_allclose(once.mean, at_once.mean, rtol=1e-12)
    np.testing.assert_allclose(once.cov, at_once.cov, rtol=1e-12)
    assert type(once) is type(at_once)


def test_diagonal_map(law: Law) -> None:
    a, b = np.array([2.0, -1.0, 0.5]), np.array([1.0, 2.0, 3.0])
    image, full = law.affine(a, b), law.affine(np.diag(a), b)
    np.testing.assert_allclose(image.mean, a * law.mean + b, rtol=1e-12)
    np.testing.assert_allclose(image.cov, full.cov, rtol=1e-12)
    t = np.random.default_rng(4).normal(size=(7, 3))
    assert_same_cumulants(image, t, full, t)
    assert_same_cumulants(image, t, law, t * a)


@pytest.mark.parametrize("s", [0.0, 0.5, 1.0, 3.0])
def test_scaled(law: Law, s: float) -> None:
    scaled = law.scaled(s)
    np.testing.assert_allclose(scaled.mean, law.mean, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(scaled.cov, s**2 * law.cov, rtol=1e-11, atol=1e-12)
    t = np.random.default_rng(6).normal(size=(5, 3)) / 3
    assert_same_cumulants(scaled, t, law, s * t)
    assert (scaled.support_rank == 0) == (s == 0)


def test_scale_must_not_be_negative(law: Law) -> None:
    with pytest.raises(ValueError, match="s must not be negative; got -1"):
        law.scaled(-1)


def test_sampling_is_reproducible_and_touches_no_global_state(law: Law) -> None:
    before = np.random.get_state()  # noqa: NPY002
    np.testing.assert_array_equal(law.sample(50, 7), law.sample(50, 7))
    assert not np.array_equal(law.sample(50, 7), law.sample(50, 8))
    rng = np.random.default_rng(7)
    np.testing.assert_array_equal(law.sample(50, rng), law.sample(50, 7))
    after = np.random.get_state()  # noqa: NPY002
    np.testing.assert_array_equal(before[1], after[1])


def test_equality_and_text(law: Law, law_again: Law) -> None:
    assert law == law_again
    assert law != law.affine([1.0, 1.0, 1.0], [1.0, 0.0, 0.0])
    assert law != "law"
    assert "\n" not in law.describe()
    assert type(law).__name__ in repr(law)


def test_arrays_are_read_only(law: Law) -> None:
    for array in (law.mean, law.cov):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_pickle_after_regions_were_asked_for(law: Law) -> None:
    for A in (PROJECTION, np.eye(3)[:2], np.eye(3)[1:]):
        mapped = law.affine(A)
        if mapped.support_rank == 2:
            levels = mapped.levels([0.5])
            assert pickle.loads(pickle.dumps(mapped)).levels([0.5]) == levels


def test_store(law: Law) -> None:
    if getattr(law, "sampler", None) is not None:
        with pytest.raises(TypeError, match="draws from an object of another library"):
            law_to_dict(law)
        return
    assert law_from_dict(json.loads(json.dumps(law_to_dict(law)))) == law


@pytest.mark.parametrize("q", [1, 2])
def test_density_integrates_to_one_with_the_right_moments(law: Law, q: int) -> None:
    image = law.affine(PROJECTION[:q])
    axes = [
        m + s * np.linspace(-9, 9, 1201 if q == 1 else 301)
        for m, s in zip(image.mean, image.std, strict=True)
    ]
    if q == 1:
        mass = image.density(axes[0]) * (axes[0][1] - axes[0][0])
        assert mass.sum() == pytest.approx(1, abs=1e-3)
        assert mass @ axes[0] == pytest.approx(image.mean[0], abs=2e-3 * image.std[0])
        return
    mass = image.density(axes) * np.prod([axis[1] - axis[0] for axis in axes])
    assert mass.shape == (301, 301)
    assert mass.sum() == pytest.approx(1, abs=1e-3)
    mean = [mass.sum(axis=1) @ axes[0], mass.sum(axis=0) @ axes[1]]
    np.testing.assert_allclose(mean, image.mean, atol=5e-3 * image.std.max())


@pytest.mark.parametrize("q", [1, 2])
def test_levels_enclose_their_mass(law: Law, q: int) -> None:
    image = law.affine(PROJECTION[:q])
    probs = np.array([0.25, 0.5, 0.9])
    levels = image.levels(probs)
    assert np.all(np.diff(levels) < 0)
    if "kernel" in image.describe():  # regions of samples hold their share of the samples
        values = image._density_at(image.sample(40_000, 1))
        held = [(values >= level).mean() for level in levels]
        np.testing.assert_allclose(held, probs, atol=0.015)
        return
    axes = [
        m + s * np.linspace(-8, 8, 4001 if q == 1 else 801)
        for m, s in zip(image.mean, image.std, strict=True)
    ]
    density = image.density(axes[0] if q == 1 else axes)
    mass = density * np.prod([axis[1] - axis[0] for axis in axes])
    held = [mass[density >= level].sum() for level in levels]
    np.testing.assert_allclose(held, probs, atol=6e-3)


def test_the_layer_imports_no_later_layer() -> None:
    import uapca.laws

    earlier = ("uapca.laws", "uapca._validation", "uapca.exceptions")
    for path in Path(uapca.laws.__file__).parent.glob("*.py"):
        for line in path.read_text().splitlines():
            if line.strip().startswith(("from uapca", "import uapca")):
                assert line.split()[1].startswith(earlier), path


def test_cumulants_agree_with_samples(law: Law) -> None:
    found = law.cumulants(PROJECTION)
    if found is None:
        assert "known by mean and covariance" in law.describe()
        return
    third, fourth = found
    n = 400_000
    y = law.sample(n, 9) @ PROJECTION.T - PROJECTION @ law.mean
    var = np.diagonal(PROJECTION @ law.cov @ PROJECTION.T)
    np.testing.assert_allclose((y**3).mean(axis=0), third, atol=5 * (y**3).std() / np.sqrt(n))
    seen = (y**4).mean(axis=0) - 3 * var**2
    np.testing.assert_allclose(seen, fourth, atol=5 * (y**4).std() / np.sqrt(n))
    # By coordinate, and of an image.
    np.testing.assert_allclose(law.cumulants()[1], law.cumulants(np.eye(3))[1], rtol=1e-12)
    image = law.affine(PROJECTION)
    np.testing.assert_allclose(image.cumulants()[1], fourth, rtol=1e-9, atol=1e-9 * var.max() ** 2)


def test_mixed_cumulants_by_polarization(law: Law) -> None:
    a, b = PROJECTION
    cumulants = law.cumulants(np.array([a + b, a - b, a, b]))
    if cumulants is None:
        return
    found = cumulants[1]
    mixed = (found[0] + found[1] - 2 * found[2] - 2 * found[3]) / 12
    n = 400_000
    y = (law.sample(n, 11) - law.mean) @ PROJECTION.T
    products = y[:, 0] ** 2 * y[:, 1] ** 2
    cov = PROJECTION @ law.cov @ PROJECTION.T
    seen = products.mean() - cov[0, 0] * cov[1, 1] - 2 * cov[0, 1] ** 2
    assert mixed == pytest.approx(seen, abs=5 * products.std() / np.sqrt(n))
