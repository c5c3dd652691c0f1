"""Where labels stand."""

import numpy as np
import pytest

from uapca.views.placing import apart, beside, half_size, spaced, spread


def overlap(places, texts, em):
    half = np.array([half_size(text, em) for text in texts])
    steps = np.abs(places[:, None] - places[None])
    touching = (steps < half[:, None] + half[None] - 1e-9).all(axis=2)
    return int(np.triu(touching, 1).sum())


@pytest.mark.parametrize("seed", range(5))
def test_texts_beside_their_points_do_not_overlap(seed):
    rng = np.random.default_rng(seed)
    anchors = rng.uniform(-0.8, 0.8, (8, 2))
    texts = [f"feature {k}" for k in range(8)]
    places = beside(anchors, texts, anchors, np.full(8, 8.0), 0.08, (1.3, 1.1))
    assert overlap(places, texts, 0.08) == 0
    half = half_size(texts[0], 0.08)
    covered = (np.abs(places[:, None] - anchors) < half).all(axis=2)
    assert not covered.any()


def test_texts_stay_in_the_picture():
    corner = np.array([[1.0, 1.0]])
    (place,) = beside(corner, ["a long name"], corner, np.ones(1), 0.1, (1.1, 1.1))
    assert (np.abs(place) + half_size("a long name", 0.1) <= 1.1).all()


@pytest.mark.parametrize("seed", range(5))
def test_texts_pushed_apart_do_not_overlap_and_move_smoothly(seed):
    rng = np.random.default_rng(seed)
    start, stop = rng.uniform(-1, 1, (2, 5, 2))
    texts = list("abcde")
    before = None
    for t in np.linspace(0, 1, 200):
        places = apart((1 - t) * start + t * stop, texts, 0.08)
        assert overlap(places, texts, 0.07) == 0
        if before is not None:
            assert np.abs(places - before).max() < 0.15
        before = places


def test_texts_in_one_place_part():
    texts = ["M1", "P2", "M2"]
    assert overlap(apart(np.zeros((3, 2)), texts, 0.08), texts, 0.07) == 0


def test_places_along_a_line_keep_their_order_and_their_distance():
    rng = np.random.default_rng(0)
    for _ in range(200):
        places = rng.uniform(0, 1, 6)
        moved = spread(places, 0.12, (0.0, 1.0))
        assert (np.diff(np.sort(moved)) >= 0.12 - 1e-9).all()
        np.testing.assert_array_equal(np.argsort(moved), np.argsort(places))
        assert moved.min() >= -1e-9
        assert moved.max() <= 1 + 1e-9
    np.testing.assert_array_equal(spread(np.array([0.1, 0.9]), 0.2, (0, 1)), [0.1, 0.9])
    assert spread(np.array([]), 0.2, (0, 1)).shape == (0,)


def test_equal_places_fall_in_their_order():
    np.testing.assert_allclose(spread(np.array([0.5, 0.5]), 0.2, (0, 1)), [0.6, 0.4])


def test_points_along_a_line_are_close():
    dense = spaced(np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]), 0.1)
    assert np.linalg.norm(np.diff(dense, axis=0), axis=1).max() <= 0.1 + 1e-12
    np.testing.assert_array_equal(dense[[0, -1]], [[0, 0], [1, 1]])
