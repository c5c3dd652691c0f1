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


@pytest.mark.parametrize(
    ("groups", "n", "d"), [(3, 5, 1), (3, 20, 4), (10, 5, 3), (12, 20, 6), (1, 40, 12)]
)
def test_groups(groups, n, d):
    row = groups_row(groups, n, d, runs=250)
    assert row.stated[0] > 0.9
    assert_covered(row)


def test_truth():
    row = truth_row(50, 0.5, runs=60)
    assert row.stated[0] > 0.9
    assert_covered(row)


def assert_covered(row):
    """Within 2.5 points and what the number of runs leaves open, three standard errors."""
    for stated, found in zip(row.stated, row.coverage, strict=True):
        if not np.isnan(found[0]):
            level = np.array(LEVELS)
            error = np.sqrt(level * (1.0 - level) / (stated * row.runs))
            assert (np.abs(found - level) < 0.025 + 3.0 * error).all(), row.line()
