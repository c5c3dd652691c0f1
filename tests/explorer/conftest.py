"""Pictures are drawn without a screen and closed after each test."""

import matplotlib as mpl
import pytest

mpl.use("agg")


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    from matplotlib import pyplot as plt

    plt.close("all")
