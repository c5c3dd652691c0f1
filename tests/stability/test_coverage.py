"""A fast part of the coverage table (benchmarks/coverage.py, docs/coverage.md)."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.coverage import LEVELS, groups_row, values_row

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
    row = values_row(n, d, noise, law, redraws=2000)
    for measured in (row.first, row.second, row.share):
        if not np.isnan(measured[0]):
            # Three points: 2.5 and what 2,000 redraws leave open.
            np.testing.assert_allclose(measured, LEVELS, atol=0.03)
    assert np.isnan(row.tilt) or row.tilt == pytest.approx(1.0, abs=0.15)


@pytest.mark.parametrize(("groups", "n", "d"), [(3, 5, 1), (3, 20, 4), (10, 5, 3)])
def test_groups(groups, n, d):
    row = groups_row(groups, n, d, runs=250)
    assert row.stated > 0.9
    np.testing.assert_allclose(row.first, LEVELS, atol=0.06)  # three standard errors at 90 %
