"""A fast part of the coverage table (benchmarks/coverage.py, docs/coverage.md)."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.coverage import LEVELS, groups_row, truth_row, values_row

pytestmark = pytest.mark.filterwarnings("ignore::uapca.SeparationWarning")


@pytest.mark.parametrize(
    ("n", "d", "noise", "law"),
    [
        (10, 1, 0.1, "normal"),
        (10, 1, 2.0, "t5"),
        (10, 3, 0.5, "mixture"),
        (30, 3, 2.0, "uniform"),
        (30, 3, 0.1, "exponential"),
        (10, 60, 0.5, "normal"),
        (100, 10, 0.1, "normal"),
    ],
)
def test_values(n, d, noise, law):
    row = values_row(n, d, noise, law)
    assert_covered(row)
    assert np.isnan(row.tilt) or row.tilt == pytest.approx(1.0, abs=0.15)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("groups", "n", "d"), [(3, 5, 1), (3, 20, 4), (10, 5, 3), (12, 20, 6), (1, 40, 12)]
)
def test_groups(groups, n, d):
    """With so many runs the tolerance is below 5.5 points."""
    row = groups_row(groups, n, d, runs=1000)
    # In a fifth of the samples of one group of 40 the first two eigenvalues are too close.
    assert row.stated[0] > (0.75 if groups == 1 else 0.9)
    assert_covered(row)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("groups", "n", "law"),
    [
        (3, 500, "exponential"),
        (3, 500, "t5"),
        (1, 500, "exponential"),
        (1, 500, "mixture"),
        (30, 20, "uniform"),
        (30, 20, "t5"),
    ],
)
def test_kept_points(groups, n, law):
    row = groups_row(groups, n, 3, law, keep=True, runs=400)
    assert row.stated[0] > 0.9
    assert_covered(row)


@pytest.mark.parametrize(
    ("n", "law", "options"),
    [
        (50, "exponential", {"keep": True}),
        (50, "t5", {"keep": True}),
        (500, "exponential", {}),
        (500, "normal", {"normal": False}),
    ],
)
def test_groups_of_unknown_fourth_moments_are_refused(n, law, options):
    row = groups_row(3, n, 3, law, runs=10, **options)
    assert (row.stated == 0.0).all()
    assert row.line().count("refused") == 3


@pytest.mark.slow
def test_close_eigenvalues_are_rarely_stated():
    """Those of equal ones in 4 % of samples."""
    row = groups_row(1, 60, 4, variances=(3.0, 1.0, 1.0, 0.3), runs=300)
    assert row.stated[1] < 0.08
    assert not row.faults()


@pytest.mark.slow
def test_intervals_are_corrected_for_having_been_stated():
    """Two thirds of the data sets state no interval of the second eigenvalue, by chance."""
    row = groups_row(1, 60, 4, variances=(3.0, 1.4, 0.7, 0.3), runs=1000)
    assert 0.2 < row.stated[1] < 0.7
    assert_covered(row)


def test_truth():
    row = truth_row(50, 0.5, runs=60)
    assert row.stated[0] > 0.9
    assert_covered(row)


@pytest.mark.slow
@pytest.mark.parametrize("law", ["uniform", "exponential", "t5"])
def test_truths_that_are_not_normal(law):
    row = truth_row(500, 0.5, law, runs=150)
    assert row.stated[0] > 0.9
    assert_covered(row)
    assert (truth_row(200, 0.5, law, runs=3).stated == 0.0).all()


def assert_covered(row):
    """Within 2.5 points and what the number of runs leaves open, three standard errors."""
    for stated, found in zip(row.stated, row.coverage, strict=True):
        if not np.isnan(found[0]):
            level = np.array(LEVELS)
            error = np.sqrt(level * (1.0 - level) / (stated * row.runs))
            assert (np.abs(found - level) < 0.025 + 3.0 * error).all(), row.line()
