"""The figures of the paper are described once for all tests."""

from functools import cache

import pytest

from uapca.views import figures


@pytest.fixture(scope="session")
def sheets():
    """Figures by name, each described once."""
    return cache(figures.build)
