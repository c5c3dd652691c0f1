"""What constructors refuse, and extreme values that they take."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from uapca.laws import KnownMoments, Normal, NormalMarginal, Samples, Uniform, Variable


def test_weights_whose_sum_overflows() -> None:
    np.testing.assert_allclose(Samples(np.arange(5.0), [1e308] * 5).weights, 0.2, rtol=1e-15)
    np.testing.assert_allclose(Samples(np.arange(2.0), [5e-324] * 2).weights, 0.5, rtol=1e-15)


def test_a_normal_of_no_width_is_a_point() -> None:
    point = NormalMarginal(1, 0)
    np.testing.assert_array_equal(point.cdf([0.5, 1.0, 1.5]), [0.0, 1.0, 1.0])
    np.testing.assert_array_equal(point.ppf([0.0, 0.5, 1.0]), [1.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="a certain value has no density"):
        point.pdf([1.0])


@pytest.mark.parametrize("kind", [Normal, KnownMoments])
@pytest.mark.parametrize(
    ("cov", "message"),
    [
        (np.diag([1e10, -1.0]), "be positive semi-definite"),
        ([[1e10, 0, 0], [0, 1, 5], [0, 5, 1]], "be positive semi-definite"),
        ([[1e20, 0, 0], [0, 1, 5], [0, 5, 1]], "be positive semi-definite"),
        (
            [[1e10, 0, 0], [0, 1, 0.5], [0, 0.4, 1]],
            "symmetric; it differs from its",
        ),
        ([[1.0, 0.1], [0.1, 0.0]], "be positive semi-definite"),
    ],
)
def test_one_wide_feature_hides_no_flaw(kind: type, cov: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kind(np.zeros(len(np.asarray(cov))), cov)


def test_rounding_of_singular_covariances_is_no_flaw() -> None:
    rng = np.random.default_rng(0)
    for size in (2, 5, 20):
        root = rng.normal(size=(size, 2)) * 10.0 ** rng.uniform(-4, 4, (size, 1))
        Normal(np.zeros(size), root @ root.T)
    assert Normal([0.0, 0.0], np.diag([0.17, -2.4e-15])).cov[1, 1] == 0.0
    Normal([0.0, 0.0], np.zeros((2, 2)))
    Normal([0.0, 0.0], [[1.0, 1e-17], [1e-17, 0.0]])


def test_what_is_not_a_number() -> None:
    law = Normal([0.0], [[1.0]])
    with pytest.raises(TypeError, match=r"n must be a number; got None"):
        law.sample(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"s must be a number; got 'a'"):
        law.scaled("a")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"n must be a whole number of at least 0; got 1.5"):
        law.sample(1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"factor must not be zero"):
        Variable(stats.gamma(2.0), 0.0)
    with pytest.raises(TypeError, match=r"low must be a number; got 'a'"):
        Uniform("a", 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"std must be a number; got None"):
        NormalMarginal(0, None)  # type: ignore[arg-type]
